//! Translates code blocks: a block that consists of one include becomes an excerpt, any other keeps its text.

use super::include::{Code, LossDetail};
use super::{Kind, loss};
use infralens_page::fence::read_info;
use infralens_page::fence::write::code_block;
use infralens_source::source::Source;

/// A code block of a book.
pub struct Block<'t> {
    /// What follows the backticks.
    pub info: &'t str,
    /// The text, without the marks of the lists and quotes around it.
    pub body: &'t str,
    /// Why the block cannot be an excerpt: what is around it or below it.
    pub obstacle: Option<&'static str>,
    /// A caption from the text around the block.
    pub caption: Option<String>,
}

/// A code block after translation.
pub struct Translated {
    /// The whole block without the marks of lists and quotes around it, and without a line end.
    pub text: String,
    /// What was not taken over.
    pub losses: Vec<LossDetail>,
}

/// Translates a code block of a page in `folder`.
pub fn translate(block: &Block<'_>, folder: &str, code: &mut Code<'_>) -> Translated {
    let mut losses = Vec::new();
    let Head { language, title, marks, hidden, options } = head(block.info);
    let caption = block.caption.as_ref().or(title.as_ref());
    let words = (!options.is_empty()).then(|| (Kind::Word, loss::shortened(&options)));
    match excerpt(block, &language, caption, folder, code) {
        Some(Ok(excerpt)) => {
            losses.extend(marks.map(|_| (Kind::Mark, "an excerpt".to_owned())));
            losses.extend(words);
            return Translated { text: excerpt, losses };
        }
        Some(Err(why)) => losses.push(why),
        None => {}
    }
    let mut body = expanded(block.body, folder, code, &mut losses);
    if let Some(prefix) = hidden.as_deref().or((language == "rust").then_some("#")) {
        let (shown, hidden) = without_hidden_lines(&body, prefix);
        if hidden > 0 {
            losses.push((Kind::Hidden, String::new()));
        }
        body = shown;
    }
    losses.extend(words);
    let count = body.lines().count();
    let is_line = |mark: &str| mark.parse().is_ok_and(|line: usize| (1..=count).contains(&line));
    let marks = marks.filter(|marks| {
        let are_lines = marks.split([',', '-']).all(is_line);
        losses.extend((!are_lines).then(|| (Kind::Mark, "not lines of the block".to_owned())));
        are_lines
    });
    let mut attributes = caption.map(|caption| format!(" title={}", attribute_value(caption))).unwrap_or_default();
    attributes.extend(marks.map(|marks| format!(" {{{marks}}}")));
    Translated { text: code_block(&language, &attributes, &body), losses }
}

/// Translates a block that consists of one include; `None` for any other.
fn excerpt(
    block: &Block<'_>,
    language: &str,
    caption: Option<&String>,
    folder: &str,
    code: &mut Code<'_>,
) -> Option<Result<String, LossDetail>> {
    let body = block.body.trim();
    let directive =
        code.directives(body).into_iter().next().filter(|found| found.start == 0 && found.end == body.len())?;
    let include = directive.include()?;
    if let Some(obstacle) = block.obstacle {
        return Some(Err((Kind::Copy, format!("it is {obstacle}"))));
    }
    let caption = caption.map(|caption| format!(" caption={}", attribute_value(caption))).unwrap_or_default();
    let found = code.excerpt(folder, &include);
    Some(found.map(|(file, pin)| code_block(language, &format!(" file={file}{caption}"), &pin)))
}

fn attribute_value(caption: &str) -> String {
    if caption.contains('"') && !caption.contains('\'') {
        format!("'{caption}'")
    } else {
        format!("\"{}\"", caption.replace('"', "'"))
    }
}

/// What follows the backticks of a code block.
struct Head {
    language: String,
    title: Option<String>,
    /// The marked lines: `2,4-5`.
    marks: Option<String>,
    /// What hidden lines begin with.
    hidden: Option<String>,
    /// All other words.
    options: String,
}

/// Reads what follows the backticks: `rust,ignore`, `py title="a.py" hl_lines="2 4-5"` or `{ .py .annotate }`.
fn head(info: &str) -> Head {
    let words = info.trim().trim_start_matches('{').trim_end_matches('}').trim();
    // The words that mdBook has after a comma: `python,editable,hidelines=!!!`.
    let first = &words[..words.find(char::is_whitespace).unwrap_or(words.len())];
    let (language, listed) = first.split_once(',').filter(|(name, _)| !name.contains('=')).unwrap_or((first, ""));
    let source = Source::new("", format!("```{language}{}", &words[first.len()..]));
    let read = read_info(&source, &(0..source.text().len()));
    let value = |key: &str| read.attribute(key).map(|found| found.value.clone()).filter(|value| !value.is_empty());
    let marks = value("hl_lines").map(|lines| lines.split_whitespace().collect::<Vec<_>>().join(","));
    let marks = marks.filter(|marks| marks.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '-')));
    let prefix = listed.split(',').find_map(|word| word.strip_prefix("hidelines="));
    let hidden = prefix.map(str::to_owned).or_else(|| value("hidelines"));
    let listed = listed.split(',').filter(|word| !word.is_empty() && !word.starts_with("hidelines="));
    let is_lost = |key: &str| !matches!(key, "title" | "hidelines") && (key != "hl_lines" || marks.is_none());
    let attributes = read.attributes.iter().filter(|found| is_lost(&found.key));
    let attributes = attributes.map(|found| format!("{}=\"{}\"", found.key, found.value));
    let errors = read.errors.iter().map(|(span, _)| source.text()[span.clone()].to_owned());
    let options = listed.map(str::to_owned).chain(attributes).chain(errors).collect::<Vec<_>>().join(" ");
    let language = read.language.trim_start_matches('.').replace('`', "");
    Head { language, title: value("title"), marks, hidden, options }
}

/// Returns the text of a block with the files that it includes.
fn expanded(body: &str, folder: &str, code: &mut Code<'_>, losses: &mut Vec<LossDetail>) -> String {
    let mut text = String::new();
    let mut at = 0;
    for directive in code.directives(body) {
        let Some(include) = directive.include() else { continue };
        match code.text(folder, &include) {
            Ok((_, included)) => {
                text.push_str(&code.unescaped(&body[at..directive.start]));
                text.push_str(included.text.trim_end_matches('\n'));
                at = directive.end;
            }
            Err(why) if losses.contains(&why) => {}
            Err(why) => losses.push(why),
        }
    }
    if losses.is_empty() && at > 0 {
        losses.push((Kind::Copy, "the block also has other lines".to_owned()));
    }
    text + &code.unescaped(&body[at..])
}

/// Removes the lines that mdBook hides: those that begin with the prefix, which is followed by a space if it is `#`. Returns
/// the rest and the number of these lines.
fn without_hidden_lines(body: &str, prefix: &str) -> (String, usize) {
    let (mut shown, mut hidden) = (String::with_capacity(body.len()), 0);
    for line in body.split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t']);
        match content.strip_prefix(prefix) {
            Some(rest) if prefix != "#" || rest.is_empty() || rest.starts_with([' ', '\n']) => hidden += 1,
            Some(rest) if rest.starts_with('#') => {
                shown.push_str(&line[..line.len() - content.len()]);
                shown.push_str(rest);
            }
            _ => shown.push_str(line),
        }
    }
    (shown, hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_lines_are_left_out() {
        let body = "# use a;\nfn f() {\n    #[test]\n    # g();\n#\n    ## h\n}\n";
        assert_eq!(without_hidden_lines(body, "#"), ("fn f() {\n    #[test]\n    # h\n}\n".to_owned(), 3));
        assert_eq!(without_hidden_lines("~a\n# b\n", "~"), ("# b\n".to_owned(), 1));
    }

    #[test]
    fn only_words_without_an_effect_are_lost() {
        let read = |info: &str| {
            let head = head(info);
            (head.language, head.marks, head.hidden, head.options)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("python,hidelines=!!!"), ("python".to_owned(), None, some("!!!"), String::new()));
        assert_eq!(read("rust, ignore hidelines=~"), ("rust".to_owned(), None, some("~"), "ignore".to_owned()));
        assert_eq!(
            read("{ .py .annotate title=\"a, b\" hl_lines=\"1 3\" linenums=\"1\" }"),
            ("py".to_owned(), some("1,3"), None, "linenums=\"1\" .annotate".to_owned())
        );
        assert_eq!(read("py hl_lines=\"x\"").3, "hl_lines=\"x\"");
    }
}
