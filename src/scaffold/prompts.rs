//! The texts of scaffolds: files in `text/` whose `{{blanks}}` are filled, and words as YAML and Markdown have them.

/// What an author is asked, under a heading each.
const PROMPTS: &str = include_str!("text/prompts.md");

/// A text with each `{{name}}` replaced by its value, in one pass: values are not searched.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        filled.push_str(before);
        filled.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// What stands under a heading of the prompts, in any letter case.
pub(super) fn prompt(name: &str) -> Option<&'static str> {
    PROMPTS.split("\n## ").skip(1).find_map(|part| {
        let (heading, text) = part.split_once('\n')?;
        (heading.to_lowercase() == name.to_lowercase()).then(|| text.trim())
    })
}

/// `bank-conflict` as a title: `Bank conflict`.
pub(super) fn title(slug: &str) -> String {
    let words: Vec<&str> = slug.split(['-', '_']).filter(|word| !word.is_empty()).collect();
    let text = if words.is_empty() { slug.to_owned() } else { words.join(" ") };
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A text as a YAML value: plain where that cannot be read as anything else.
pub(super) fn scalar(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/');
    let is_plain = text.starts_with(char::is_alphabetic)
        && text.chars().all(is_word)
        && !text.ends_with(' ')
        && !matches!(text.to_lowercase().as_str(), "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n");
    // What JSON writes in quotes, YAML reads as the same text.
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// A text in Markdown in which no character means anything but itself, and no two make a sign.
pub(super) fn plain(text: &str) -> String {
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
    fn blanks_are_filled_in_one_pass() {
        assert_eq!(fill("a {{x}} b {{y}} {{z}}c", &[("x", "{{y}}"), ("y", "2")]), "a {{y}} b 2 c");
    }

    #[test]
    fn slugs_become_titles() {
        let titles = ["bank-conflict", "zéro_9", "ß", "--", "KV-cache"].map(title);
        assert_eq!(titles, ["Bank conflict", "Zéro 9", "SS", "--", "KV cache"]);
    }

    #[test]
    fn words_are_quoted_where_yaml_would_read_something_else() {
        for word in ["ledger", "Bank conflict", "shared/loop.py", "zéro"] {
            assert_eq!(scalar(word), word);
        }
        assert_eq!(["true", "9-lives", "-", "a: b"].map(scalar), ["\"true\"", "\"9-lives\"", "\"-\"", "\"a: b\""]);
        assert_eq!(scalar("\"\u{7}\\"), r#""\"\u0007\\""#);
    }

    #[test]
    fn prompts_are_found_by_their_headings() {
        assert!(prompt("CONCEPT goal").is_some_and(|text| !text.contains("##")));
        assert_eq!(prompt("nothing"), None);
        for name in ["as questions", "as spoken", "as reading", "other", "definition", "value", "key", "used", "lines"]
        {
            assert!(prompt(name).is_some(), "{name}");
        }
        assert!(prompt("beside").is_some() && prompt("more symbols").is_some());
    }
}
