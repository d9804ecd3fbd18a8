//! Reports Markdown where none is read: in a block of raw HTML, which goes on to the next blank line, and in a title.

use pulldown_cmark::{Event, Tag};

use super::quoted;
use crate::{Body, Document, Kind, fence};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::html::{self, Piece};
use infralens_source::source::{Source, Span, lines_from};

/// Elements whose text is not prose.
const CODE: [&str; 9] = ["code", "kbd", "math", "pre", "samp", "script", "style", "svg", "textarea"];
/// The marks of emphasis and code. A longer one comes before a shorter one.
const MARKS: [&str; 5] = ["**", "__", "`", "*", "_"];

/// Reports the first Markdown in each block of HTML.
pub fn in_html(source: &Source, body: &Body, out: &mut Vec<Diagnostic>) {
    let blocks = body.spans_of(|event| matches!(event, Event::Start(Tag::HtmlBlock)));
    out.extend(blocks.iter().filter_map(|block| {
        let found = first(&source.text()[block.clone()])?;
        let span = block.start + found.start..block.start + found.end;
        // An excerpt there is an error.
        let text = &source.text()[span.clone()];
        if text.starts_with(['`', '~']) && text.contains("file=") {
            return None;
        }
        let message = format!("`{}` is in a block of HTML, where Markdown is not read", quoted(source, &span));
        let help = "leave a line blank after the tag above it: HTML goes on to the next blank line";
        Some(source.diagnostic(codes::W0208, span, message).help(help).hint())
    }));
}

/// Reports Markdown in the title of a page.
pub fn in_title(document: &Document) -> Option<Diagnostic> {
    let title = &document.front.common.title;
    inline(title).filter(|_| document.placement.kind != Kind::Readme)?;
    let message = "a title is plain text, so its Markdown is shown as it is written";
    let help = "write the words alone: titles are also shown in lists, in search and in the browser's tab";
    Some(document.source.diagnostic(codes::W0208, title.span.clone(), message).help(help).hint())
}

/// Returns the range of the first Markdown in some HTML.
fn first(html: &str) -> Option<Span> {
    let (mut code, mut is_start) = (0_usize, true);
    for (range, piece) in html::pieces(html) {
        match piece {
            Piece::Tag(tag) if CODE.contains(&tag.element().as_str()) => {
                code = if tag.closing { code.saturating_sub(1) } else { code + usize::from(!tag.self_closing) };
            }
            Piece::Text if code == 0 => {
                for (at, line) in lines_from(&html[range.clone()], range.start) {
                    let (start, text) = fence::content(line);
                    let found = if is_start && begins_block(text) { Some(0..text.len()) } else { inline(text) };
                    if let Some(found) = found {
                        return Some(at + start + found.start..at + start + found.end);
                    }
                    is_start = line.ends_with('\n');
                }
                continue;
            }
            _ => {}
        }
        is_start = false;
    }
    None
}

/// Returns whether a line would begin a heading, a fence or an item of a list.
fn begins_block(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = (1..=9).contains(&(line.len() - after_number.len())) && after_number.starts_with(['.', ')']);
    let after_hashes = line.trim_start_matches('#');
    let is_heading = (1..=6).contains(&(line.len() - after_hashes.len())) && after_hashes.starts_with(' ');
    is_heading
        || is_number && after_number[1..].starts_with(' ')
        || ["- ", "* ", "+ ", "```", "~~~"].iter().any(|mark| line.starts_with(mark))
}

/// Returns the range of the first link, code span or emphasis in a line.
fn inline(line: &str) -> Option<Span> {
    let bracketed = line.find("](").and_then(|middle| {
        let open = line[..middle].rfind('[')?;
        let end = middle + line[middle..].find(')')? + 1;
        let open = if line[..open].ends_with('!') { open - 1 } else { open };
        Some(open..end)
    });
    bracketed.into_iter().chain(MARKS.iter().filter_map(|mark| pair(line, mark))).min_by_key(|found| found.start)
}

/// Returns the range of the first text between two equal marks that are next to it, and not within words.
fn pair(line: &str, mark: &str) -> Option<Span> {
    let is_part = |c: char| c.is_alphanumeric() || mark.contains(c) || c == '\\';
    let is_code = mark == "`";
    let mut opened = None;
    for (at, _) in line.match_indices(mark) {
        let (before, after) = (&line[..at], &line[at + mark.len()..]);
        let closes = !before.ends_with(char::is_whitespace) && !after.starts_with(is_part);
        if let Some(open) = opened.filter(|open| closes && open + mark.len() < at) {
            return Some(open..at + mark.len());
        }
        let text_follows =
            after.starts_with(|c: char| c.is_alphanumeric() || is_code && !c.is_whitespace() && c != '`');
        if text_follows && !before.ends_with(is_part) {
            opened = Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> Option<&str> {
        first(html).map(|range| &html[range])
    }

    #[test]
    fn markdown_between_tags_is_found() {
        for (html, markdown) in [
            ("<div>\nA [link](a.md) here.\n</div>", "[link](a.md)"),
            ("<div>\n![x](a.svg)\n</div>", "![x](a.svg)"),
            ("<p>It is **bold**.</p>", "**bold**"),
            ("<p>It is *so* and `x_y`.</p>", "*so*"),
            ("<td>`f(x)`</td>", "`f(x)`"),
            ("<a id=\"x\"></a>\n## Title\n", "## Title"),
            ("> <div>\n> - one\n> </div>", "- one"),
            ("<div>\n1. one\n", "1. one"),
            ("<div>\n```python\nx\n```\n", "```python"),
        ] {
            assert_eq!(found(html), Some(markdown), "{html}");
        }
        for html in [
            "<div>\nplain text, snake_case_name and 2 * 3 * 4\n</div>",
            "<pre>\n# a **comment**\n- x\n</pre>",
            "<p><code>a `b` *c*</code></p>",
            "<script>\nlet a = `b`;\n</script>",
            "<!-- A **comment** -->",
            "<p>a <b>b</b> - c</p>",
            "<p>#5 and a[0](1</p>",
            "<img alt=\"**x**\" src=\"a.svg\">",
        ] {
            assert_eq!(found(html), None, "{html}");
        }
    }
}
