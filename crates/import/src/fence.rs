//! Translates code blocks: a block that consists of one include becomes an excerpt, any other keeps its text.

use std::collections::BTreeMap;
use std::ops::Range;

use super::directive::is_in;
use super::include::{Code, LossDetail, Shown, is_plain, runs};
use super::{Kind, loss};
use infralens_notation::diagram::{self, Notation};
use infralens_page::annotation;
use infralens_page::fence::read_info;
use infralens_page::fence::write::code_block;
use infralens_source::source::Source;
use infralens_starter::language;

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
    /// The number of items of the list directly below it that can be notes.
    pub notes: usize,
    /// A name for a file with its text, without an extension.
    pub name: &'t str,
}

/// A code block after translation.
pub struct Translated {
    /// The whole block without the marks of lists and quotes around it, and without a line end.
    pub text: String,
    /// The bindings of the notes that follow the block.
    pub bindings: Vec<String>,
    /// What was not taken over.
    pub losses: Vec<LossDetail>,
}

/// Translates a code block of a page in `folder`.
pub fn translate(block: &Block<'_>, folder: &str, code: &mut Code<'_>) -> Translated {
    let mut losses = Vec::new();
    let Head { language, title, marks, hidden, options } = head(block.info);
    let caption = block.caption.as_ref().or(title.as_ref());
    let words = (!options.is_empty()).then(|| (Kind::Word, loss::shortened(&options)));
    match excerpt(block, marks.as_deref(), folder, code) {
        Some(Ok(shown)) => {
            losses.extend(words);
            return listed(&language, &shown, caption, Vec::new(), losses);
        }
        Some(Err(why)) => losses.push(why),
        None => {}
    }
    let (mut body, marked) = expanded(block.body, folder, code, &mut losses);
    let marked = marked.or_else(|| {
        let (clean, lines) = without_marks(&body, &mut losses)?;
        body = clean;
        Some(lines)
    });
    if let Some(prefix) = hidden.as_deref() {
        let (shown, hidden) = without_hidden_lines(&body, prefix);
        if hidden > 0 {
            losses.push((Kind::Hidden, String::new()));
        }
        body = shown;
    }
    losses.extend(words);
    let is_shell = matches!(&*language, "" | "bash" | "console" | "sh" | "shell" | "terminal" | "text");
    if is_shell && ["<span ", "<font "].iter().any(|tag| body.contains(tag)) {
        losses.push((Kind::Attribute, "tags in code, which only a script shows as HTML".to_owned()));
    }
    if let Some((clean, lines)) = annotated(&body, block.notes) {
        let name = file_name(block, &language, title.as_deref());
        let shown = code.own(&name, &clean, marks.or(marked).as_deref());
        let bindings = bindings(&shown, &clean, &lines);
        return listed(&language, &shown, caption, bindings, losses);
    }
    let count = body.lines().count();
    let is_line = |mark: &str| mark.parse().is_ok_and(|line: usize| (1..=count).contains(&line));
    let marks = [marks, marked].into_iter().flatten().collect::<Vec<_>>().join(",");
    let marks = Some(marks).filter(|marks| !marks.is_empty()).filter(|marks| {
        let are_lines = marks.split([',', '-']).all(is_line);
        losses.extend((!are_lines).then(|| (Kind::Mark, "not lines of the block".to_owned())));
        are_lines
    });
    let notation = match &*language {
        "mermaid" => Some(Notation::Mermaid),
        "pikchr" => Some(Notation::Pikchr),
        _ => None,
    };
    let error = notation.and_then(|notation| diagram::draw(notation, &body).err());
    losses.extend(error.iter().map(|error| (Kind::Diagram, error.message.clone())));
    let language = if error.is_some() { "text" } else { &language };
    let mut attributes = caption.map(|caption| format!(" title={}", attribute_value(caption))).unwrap_or_default();
    attributes.extend(marks.map(|marks| format!(" {{{marks}}}")));
    Translated { text: code_block(language, &attributes, &body), bindings: Vec::new(), losses }
}

/// Translates a block that consists of one include; `None` for any other.
fn excerpt(
    block: &Block<'_>,
    marks: Option<&str>,
    folder: &str,
    code: &mut Code<'_>,
) -> Option<Result<Shown, LossDetail>> {
    let body = block.body.trim();
    let directive =
        code.directives(body).into_iter().next().filter(|found| found.start == 0 && found.end == body.len())?;
    let include = directive.include()?;
    if let Some(obstacle) = block.obstacle {
        return Some(Err((Kind::Copy, format!("it is {obstacle}"))));
    }
    Some(code.excerpt(folder, &include, marks))
}

/// Returns a block that is an excerpt.
fn listed(
    language: &str,
    shown: &Shown,
    caption: Option<&String>,
    bindings: Vec<String>,
    mut losses: Vec<LossDetail>,
) -> Translated {
    losses.extend(shown.missing.then(|| (Kind::Mark, "not lines of the block".to_owned())));
    let mut attributes = format!(" file={}", shown.file);
    attributes.extend(caption.map(|caption| format!(" caption={}", attribute_value(caption))));
    attributes.extend(shown.output.then_some(" output=true".to_owned()));
    attributes.extend((!shown.light.is_empty()).then(|| format!(" light=\"{}\"", shown.light)));
    Translated { text: code_block(language, &attributes, &shown.pin), bindings, losses }
}

/// Returns the name of a file for the text of a block: its title, if that is one.
fn file_name(block: &Block<'_>, language: &str, title: Option<&str>) -> String {
    let title = title.filter(|title| is_plain(title) && title.contains('.'));
    let extension = language::usual_extension(language).unwrap_or(language);
    let extension = if is_plain(extension) && !extension.is_empty() { extension } else { "txt" };
    title.map_or_else(|| format!("{}.{extension}", block.name), str::to_owned)
}

/// The lines of a block, from 0, that the annotation with this number names, and the binding of each.
type Annotated = BTreeMap<usize, Vec<usize>>;

/// Returns the text of a block without its annotations, `# (1)!`, and their lines by number; `None` unless these numbers are
/// those of the `count` items of a list. An annotation in a line of its own belongs to the next line.
fn annotated(body: &str, count: usize) -> Option<(String, Annotated)> {
    let (mut clean, mut lines) = (Vec::new(), Annotated::new());
    for line in body.lines() {
        let found = annotation(line);
        let code = found.as_ref().map_or(line, |found| line[..found.comment].trim_end());
        if let Some(found) = &found {
            lines.entry(found.number).or_default().push(clean.len());
        }
        if found.is_none() || !code.trim().is_empty() {
            clean.push(code);
        }
    }
    let is_code = |row: &usize| clean.get(*row).is_some_and(|line| !line.trim().is_empty());
    let are_notes = count > 0 && lines.keys().copied().eq(1..=count) && lines.values().flatten().all(is_code);
    are_notes.then(|| (clean.join("\n") + "\n", lines))
}

/// Returns the bindings of notes to lines of an excerpt: each line by its code.
fn bindings(shown: &Shown, text: &str, lines: &Annotated) -> Vec<String> {
    let texts: Vec<&str> = text.lines().collect();
    let binding = |row: &usize| shown.binding(*row, texts.get(*row)?.trim());
    lines.values().map(|rows| rows.iter().filter_map(binding).collect::<Vec<_>>().join(" / ")).collect()
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
    // The lines that VitePress marks: `js{1,3-5}` or `js {1,3-5} title="a"`.
    let is_lines = |range: &Range<usize>| {
        let lines = words[range.clone()].trim_matches(['{', '}']);
        !lines.is_empty() && lines.chars().all(|c| matches!(c, '0'..='9' | ',' | '-'))
    };
    let end = |open: usize| words[open..].find('}').map_or(words.len(), |length| open + length + 1);
    let braces = words.find('{').map(|open| open..end(open)).filter(is_lines);
    let marked = braces.clone().map(|range| words[range].trim_matches(['{', '}']).to_owned());
    let words =
        &*braces.map_or_else(|| words.into(), |range| format!("{} {}", &words[..range.start], &words[range.end..]));
    // The words that mdBook has after a comma: `python,editable,hidelines=!!!`.
    let first = &words[..words.find(char::is_whitespace).unwrap_or(words.len())];
    let (language, listed) = first.split_once(',').filter(|(name, _)| !name.contains('=')).unwrap_or((first, ""));
    let source = Source::new("", format!("```{language}{}", &words[first.len()..]));
    let read = read_info(&source, &(0..source.text().len()));
    let value = |key: &str| read.attribute(key).map(|found| found.value.clone()).filter(|value| !value.is_empty());
    let marks = value("hl_lines").map(|lines| lines.split_whitespace().collect::<Vec<_>>().join(","));
    let marks = marks.or(marked).filter(|marks| marks.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '-')));
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

/// Returns the text of a block with the files that it includes, and its lines that the includes mark.
fn expanded(body: &str, folder: &str, code: &mut Code<'_>, losses: &mut Vec<LossDetail>) -> (String, Option<String>) {
    let (mut text, mut marked) = (String::new(), Vec::new());
    let mut at = 0;
    for directive in code.directives(body) {
        let Some(include) = directive.include() else {
            if directive.name.is_empty() {
                text.push_str(&body[at..directive.start]);
                at = directive.end;
            }
            continue;
        };
        match code.text(folder, &include) {
            Ok((_, included)) => {
                text.push_str(&code.unescaped(&body[at..directive.start]));
                let above = text.matches('\n').count() + 1;
                let lines = included.lines().enumerate().filter(|(_, (_, line))| is_in(&include.marked, *line));
                marked.extend(lines.map(|(row, _)| above + row));
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
    (text + &code.unescaped(&body[at..]), Some(joined(marked.into_iter())).filter(|lines| !lines.is_empty()))
}

/// The beginnings of comments in which a block may mark its lines.
const COMMENTS: [&str; 6] = ["{/*", "//", "/*", "<!--", "--", "#"];

/// Takes out the comments with which Docusaurus and `VitePress` mark lines, `// highlight-next-line` and `// [!code ++]`.
/// Returns the text and the lines, `2,4-5`; `None` if there are no such comments.
fn without_marks(body: &str, losses: &mut Vec<LossDetail>) -> Option<(String, String)> {
    let (mut clean, mut marked) = (Vec::new(), Vec::new());
    // The number of lines that are still to be marked.
    let (mut left, mut has_marks) = (0_usize, false);
    for line in body.lines() {
        let comment = COMMENTS.iter().filter_map(|mark| {
            let at = if line.contains("[!code ") { line.rfind(mark)? } else { line.find(mark)? };
            Some((at, line[at + mark.len()..].trim_start()))
        });
        let found = comment.min_by_key(|(at, _)| *at).and_then(|(at, words)| {
            let count = match words.strip_prefix("[!code ").and_then(|rest| rest.split_once(']')) {
                Some((word, _)) => {
                    let (word, count) = word.split_once(':').unwrap_or((word, "1"));
                    if word == "--" {
                        losses.push((Kind::Mark, "`[!code --]`: a line that is removed".to_owned()));
                    }
                    count.parse().ok()?
                }
                None if !line[..at].trim().is_empty() => return None,
                None if words.starts_with("highlight-next-line") => 1,
                None if words.starts_with("highlight-start") => usize::MAX,
                None if words.starts_with("highlight-end") => 0,
                None => return None,
            };
            Some((line[..at].trim_end(), count))
        });
        has_marks |= found.is_some();
        if let Some((_, count)) = found {
            left = count;
        }
        let code = found.map_or(line, |(code, _)| code);
        if found.is_none() || !code.is_empty() {
            clean.push(code);
            marked.extend((left > 0).then_some(clean.len()));
            left = left.saturating_sub(usize::from(left < usize::MAX));
        }
    }
    has_marks.then(|| (clean.join("\n") + "\n", joined(marked.into_iter())))
}

/// Returns lines as their ranges: `2-2,4-5`.
fn joined(lines: impl Iterator<Item = usize>) -> String {
    runs(lines).map(|(first, last)| format!("{first}-{last}")).collect::<Vec<_>>().join(",")
}

/// Removes the lines that mdBook hides: those that begin with the prefix. Returns the rest and the number of these lines.
fn without_hidden_lines(body: &str, prefix: &str) -> (String, usize) {
    let is_hidden = |line: &&str| line.trim_start_matches([' ', '\t']).starts_with(prefix);
    let hidden = body.split_inclusive('\n').filter(is_hidden).count();
    (body.split_inclusive('\n').filter(|line| !is_hidden(line)).collect(), hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_lines_are_left_out() {
        assert_eq!(without_hidden_lines("~a\n# b\n", "~"), ("# b\n".to_owned(), 1));
    }

    #[test]
    fn comments_that_mark_lines_are_left_out() {
        let mut losses = Vec::new();
        let mut read = |body: &str| without_marks(body, &mut losses);
        let some = |text: &str, lines: &str| Some((text.to_owned(), lines.to_owned()));
        assert_eq!(
            read("a\n// highlight-next-line\nb\n# highlight-start\nc\nd\n# highlight-end\ne\n"),
            some("a\nb\nc\nd\ne\n", "2-4")
        );
        assert_eq!(
            read("<a> <!-- [!code ++] -->\nb // c [!code x]\n  # [!code hl:2]\nd\ne\nf // [!code --]\n"),
            some("<a>\nb // c [!code x]\nd\ne\nf\n", "1-1,3-5")
        );
        assert_eq!(read("a // highlight-next-line\n"), None);
        assert_eq!(losses.len(), 1);
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
        for info in ["js{1,3-5}", "js {1,3-5}"] {
            assert_eq!(read(info), ("js".to_owned(), some("1,3-5"), None, String::new()));
        }
        assert_eq!(read("py hl_lines=\"x\"").3, "hl_lines=\"x\"");
    }
}
