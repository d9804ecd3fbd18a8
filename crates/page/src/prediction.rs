//! Predictions: questions whose answer is folded, so that readers can answer first. They are `<details>` whose `<summary>`
//! begins with `Predict:`; so on a code host, they fold like any other. The Markdown parser takes the question for HTML: where
//! it does, the tags are hidden from it (`mask`), and the page is parsed again.

use super::Events;
use infralens_source::html::{self, Piece, unescape};
use infralens_source::source::{Source, Span};

#[derive(Debug)]
pub struct Prediction {
    /// Its first line, `<details>`.
    pub open: Events,
    /// The paragraph that is its question; the answer follows.
    pub question: Events,
    /// Its last line, `</details>`.
    pub close: Events,
}

const DETAILS: &str = "<details>";
pub const SUMMARY: &str = "<summary>Predict:";
const SUMMARY_END: &str = "</summary>";
const CODE: [&str; 2] = ["<code>", "</code>"];
/// The last line of a prediction.
pub const END: &str = "</details>";

/// What to write.
pub const HELP: &str = "a prediction is a line `<details>`, a line `<summary>Predict: QUESTION</summary>`, an empty line, the \
                        answer, an empty line, and a line `</details>`";

/// The places of the tags with which a prediction begins.
#[derive(Debug, Clone)]
pub struct Head {
    /// `<details>`.
    pub details: Span,
    /// `<summary>Predict:`.
    pub summary: Span,
    /// `</summary>`.
    pub summary_end: Span,
    /// What is between `<code>` and `</code>` in the question.
    pub code: Vec<Span>,
}

/// Reads an HTML block as the beginning of a prediction: two lines, of which the second one ends the block.
pub fn head(source: &Source, block: &Span) -> Option<Head> {
    let text = &source.text()[block.clone()];
    let (first, rest) = text.split_once('\n')?;
    let details = block.start + first.len() - first.trim_start().len();
    // The marks of a quote come before the line, and so does the indentation of a list item.
    let second = rest.trim_end().trim_start_matches([' ', '\t', '>']);
    let question = second.strip_prefix(SUMMARY)?.strip_suffix(SUMMARY_END)?;
    let is_plain = |name: &str| !question.to_ascii_lowercase().contains(name);
    let is_head = first.trim() == DETAILS
        && question.starts_with(char::is_whitespace)
        && !question.trim().is_empty()
        && !question.contains(['\n', '\r'])
        && ["<summary", "</summary", "<details", "</details"].into_iter().all(is_plain);
    let start = block.start + first.len() + 1 + rest.trim_end().len() - second.len();
    let at = start + SUMMARY.len();
    is_head.then(|| Head {
        details: details..details + DETAILS.len(),
        summary: start..at,
        summary_end: at + question.len()..at + question.len() + SUMMARY_END.len(),
        code: code(question).into_iter().map(|code| at + code.start..at + code.end).collect(),
    })
}

/// Returns the question in the second line of a prediction, without its tags.
pub fn question(line: &str) -> Option<Span> {
    let question = line.strip_prefix(SUMMARY)?.strip_suffix(SUMMARY_END)?;
    let start = line.len() - SUMMARY_END.len() - question.trim_start().len();
    Some(start..start + question.trim().len())
}

/// Returns a question as Markdown, with `<code>` written as code spans.
pub fn plain(question: &str) -> String {
    let mut text = question.to_owned();
    for span in code(question).into_iter().rev() {
        let marked = format!("`{}`", code_text(&question[span.clone()]));
        text.replace_range(span.start - CODE[0].len()..span.end + CODE[1].len(), &marked);
    }
    text
}

/// Returns what is between `<code>` and `</code>` in a question.
fn code(question: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = question[at..].find(CODE[0]) {
        let start = at + open + CODE[0].len();
        let Some(length) = question[start..].find(CODE[1]) else { break };
        found.extend((length > 0).then_some(start..start + length));
        at = start + length + CODE[1].len();
    }
    found
}

/// Returns the text of what is between `<code>` and `</code>`: without tags, and with its character references resolved.
pub fn code_text(written: &str) -> String {
    let texts = html::pieces(written).filter(|(_, piece)| matches!(piece, Piece::Text));
    unescape(&texts.map(|(at, _)| &written[at]).collect::<String>())
}

/// Returns the bytes of `Predict:`, or of what is written for it, if the text of a `<summary>` is meant as the question of a
/// prediction.
pub fn meant_word(summary: &str) -> Option<Span> {
    let marks = |c: char| c.is_whitespace() || matches!(c, '*' | '_');
    let colon = summary.find([':', '：'])?;
    let word = summary[..colon].trim_matches(marks).to_lowercase();
    let start = colon - summary[..colon].trim_start_matches(marks).len();
    let is_word = ["predict", "prediction"].contains(&word.as_str());
    is_word.then(|| start..colon + summary[colon..].chars().next().map_or(0, char::len_utf8))
}

/// Returns whether the text of a `<summary>` is meant as the question of a prediction.
pub fn is_meant(summary: &str) -> bool {
    meant_word(summary).is_some()
}

/// Returns the range in some HTML of each `<summary>` that is meant as the question of a prediction.
pub fn meant(html: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open: Option<(Span, String)> = None;
    let is_summary = |name: &str| name.eq_ignore_ascii_case("summary");
    for (at, piece) in html::pieces(html) {
        match piece {
            Piece::Tag(tag) if is_summary(tag.name) => {
                found.extend(open.take().filter(|(_, text)| is_meant(text)).map(|(at, _)| at));
                open = (!tag.closing).then(|| (at, String::new()));
            }
            Piece::Text => {
                if let Some((_, text)) = &mut open {
                    text.push_str(&html[at]);
                }
            }
            _ => {}
        }
    }
    found.extend(open.filter(|(_, text)| is_meant(text)).map(|(at, _)| at));
    found
}

/// Returns how many `<details>` some HTML opens, less those that it closes.
pub fn depth(html: &str) -> isize {
    let details = html::tags(html).filter(|(_, tag)| tag.name.eq_ignore_ascii_case("details"));
    details.map(|(_, tag)| if tag.closing { -1 } else { 1 }).sum()
}
