//! Fills the templates in `text/`, finds the prompts for authors there, and writes titles.

/// The prompts for authors, each under a heading.
const PROMPTS: &str = include_str!("text/prompts.md");

/// Replaces each `{{name}}` in a template by its value, which must be given. Placeholders in values are not replaced.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        let value = values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        // The tests fill every template, so they notice a misspelled or unclosed placeholder.
        debug_assert!(value.is_some(), "no value for the placeholder `{name}`");
        filled.push_str(before);
        filled.push_str(value.unwrap_or_default());
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// Returns the prompt under a heading such as `note: lines`, without regard to case.
pub(super) fn prompt(name: &str) -> Option<&'static str> {
    PROMPTS.split("\n## ").skip(1).find_map(|part| {
        let (heading, text) = part.split_once('\n')?;
        (heading.to_lowercase() == name.to_lowercase()).then(|| text.trim())
    })
}

/// Makes a title from a slug: `Bank conflict` from `bank-conflict`.
pub(super) fn title(slug: &str) -> String {
    let words: Vec<&str> = slug.split(['-', '_']).filter(|word| !word.is_empty()).collect();
    let text = if words.is_empty() { slug.to_owned() } else { words.join(" ") };
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Escapes a text for Markdown, including `--` and `...`, which would become dashes and an ellipsis.
pub(super) fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut last = ' ';
    for c in text.chars() {
        if "\\`*_{}[]<>#&$^|~'\"".contains(c) || matches!(c, '-' | '.') && c == last {
            escaped.push('\\');
        }
        escaped.push(c);
        last = c;
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_one_pass() {
        assert_eq!(fill("a {{x}} b {{y}} c", &[("x", "{{y}}"), ("y", "2")]), "a {{y}} b 2 c");
    }

    #[test]
    fn slugs_become_titles() {
        let titles = ["bank-conflict", "zéro_9", "ß", "--", "KV-cache"].map(title);
        assert_eq!(titles, ["Bank conflict", "Zéro 9", "SS", "--", "KV cache"]);
    }

    #[test]
    fn prompts_are_found_by_their_headings() {
        assert!(prompt("section: CONCEPT goal").is_some_and(|text| !text.contains("##")));
        assert_eq!(prompt("section: Value"), None);
        let names = "section: annotated code, section: other, form: questions, form: spoken, form: reading, note: lines, \
                     code: choose, code: other files";
        for name in names.split(", ") {
            assert!(prompt(name).is_some(), "{name}");
        }
    }
}
