//! `text-damage`: mojibake, characters that control something and are not seen, words run together where markup or a
//! sentence ends, and emphasis that does not end.

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use super::text::{Passage, holds};
use super::words::is_spaced_letter;
use super::{at, mojibake};
use crate::config::Config;
use crate::diag::{Diagnostic, Place, codes};
use crate::document::Document;
use crate::source::{Source, Span};

/// What may stand directly after a name in English.
const ENDINGS: [&str; 27] = [
    "s", "es", "ed", "d", "ing", "er", "ers", "or", "ors", "ly", "th", "st", "nd", "rd", "n", "ns", "ish", "ness",
    "able", "like", "less", "ize", "ized", "ism", "wise", "ify", "ified",
];
/// What may stand directly before a name.
const PREFIXES: [&str; 19] = [
    "non", "re", "un", "sub", "pre", "de", "co", "anti", "multi", "semi", "over", "under", "post", "inter", "intra",
    "micro", "hyper", "auto", "mis",
];
/// Letters that an ending has at most in languages whose endings are not listed.
const LONGEST_ENDING: usize = 5;
/// A run of so many letters on both sides of a border is two words, and no word of which a part is lit.
const WORD: usize = 3;
/// Words with which sentences begin, and after a full stop few names.
const OPENERS: [&str; 44] = [
    "The", "This", "That", "These", "Those", "It", "Its", "In", "An", "When", "If", "For", "But", "And", "Then", "You",
    "We", "They", "Each", "Every", "One", "Two", "To", "As", "At", "On", "So", "No", "Not", "What", "Where", "How",
    "Why", "Here", "There", "With", "Without", "Only", "Both", "After", "Before", "Because", "Next", "Now",
];

/// Mojibake outside `code`, and control characters anywhere.
pub fn characters(source: &Source, code: &[Span], out: &mut Vec<Diagnostic>) {
    let text = source.text();
    let said =
        |span: Span, message: String| Diagnostic::new(codes::TEXT_DAMAGE, Place::new(source.path(), span), message);
    for (range, was) in mojibake::find(&text[source.start()..]) {
        let range = source.start() + range.start..source.start() + range.end;
        if !holds(code, range.start) {
            let was = visible(&was);
            let message = format!("`{}` is damaged: it was {was}, read in the wrong encoding", &text[range.clone()]);
            let help = "write what it was, and save as UTF-8; a code span may hold damage that a page speaks about";
            out.push(said(range, message).help(help));
        }
    }
    for (offset, c) in text[source.start()..].char_indices() {
        let start = source.start() + offset;
        let Some(what) = control(c) else { continue };
        let in_mojibake =
            ('\u{80}'..='\u{9f}').contains(&c) && text[..start].ends_with(|before: char| !before.is_ascii());
        if in_mojibake || c == '\u{fffd}' && holds(code, start) {
            continue;
        }
        let message = format!("the {what} U+{:04X} stands here", u32::from(c));
        out.push(said(start..start + c.len_utf8(), message).help("remove it, or write the character that was meant"));
    }
}

/// A text in backticks, or what a single character is called that nobody would see.
fn visible(text: &str) -> String {
    let unseen = |c: &char| c.is_whitespace() || c.is_control() || *c == '\u{feff}';
    match text.chars().next().filter(unseen) {
        Some(c) if text.len() == c.len_utf8() => format!("U+{:04X}", u32::from(c)),
        _ => format!("`{text}`"),
    }
}

/// What to call a character that nobody means to write.
fn control(c: char) -> Option<&'static str> {
    match c {
        '\t' | '\n' | '\r' => None,
        '\u{fffd}' => Some("replacement character"),
        '\u{feff}' => Some("byte order mark"),
        '\u{202d}' | '\u{202e}' => Some("direction override"),
        _ => c.is_control().then_some("control character"),
    }
}

/// Words run together at the borders of emphasis, links and code, and where a sentence ends.
pub fn markup(document: &Document, config: &Config, passages: &[Passage], out: &mut Vec<Diagnostic>) {
    let page = Borders { document, is_english: config.language.starts_with("en") };
    let mut open: Vec<usize> = Vec::new();
    for (index, (event, span)) in document.body.events.iter().enumerate() {
        match event {
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. }) => open.push(index),
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link) => {
                let Some(start) = open.pop() else { continue };
                match &document.body.events[start].0 {
                    Event::Start(Tag::Link { link_type, .. }) => {
                        if !matches!(link_type, LinkType::Autolink | LinkType::Email) {
                            page.name(span, "link", out);
                        }
                    }
                    _ => page.emphasis(span, &document.body.text(start + 1..index), out),
                }
            }
            Event::Code(_) => page.name(span, "code span", out),
            _ => {}
        }
    }
    for passage in passages {
        glued(document, passage, out);
        unended(document, passage, out);
    }
}

/// What stands directly before and after pieces of markup.
struct Borders<'a> {
    document: &'a Document,
    is_english: bool,
}

impl<'a> Borders<'a> {
    fn before(&self, span: &Span) -> &'a str {
        let text = &self.document.source.text()[..span.start];
        let rest = text.trim_end_matches(is_spaced_letter);
        &text[rest.len()..]
    }

    fn after(&self, span: &Span) -> &'a str {
        let text = &self.document.source.text()[span.end..];
        let rest = text.trim_start_matches(is_spaced_letter);
        &text[..text.len() - rest.len()]
    }

    /// Whether these letters, which stand directly after `span`, end its word; a letter may be doubled before an
    /// ending, as in "`map`ping" and "`panic`king".
    fn is_ending(&self, span: &Span, letters: &str) -> bool {
        if self.is_english {
            let letters = letters.to_lowercase();
            let name = self.document.source.text()[..span.end].trim_end_matches(['`', '*', '_', '~']);
            let doubled = |c: char| name.ends_with(c) || c == 'k' && name.ends_with('c');
            let undoubled = letters.strip_prefix(doubled).unwrap_or(&letters);
            [letters.as_str(), undoubled].iter().any(|letters| ENDINGS.contains(letters))
        } else {
            letters.chars().count() <= LONGEST_ENDING
        }
    }

    /// A name, a code span or a link: only a prefix or a single letter may stand directly before it, only an ending after.
    fn name(&self, span: &Span, what: &str, out: &mut Vec<Diagnostic>) {
        let help = "put a space or a hyphen between them";
        let (before, after) = (self.before(span), self.after(span));
        if before.chars().count() > 1 && !is_prefix(before) {
            let place = span.start - before.len()..span.start;
            let message = format!("`{before}` stands before a {what} without a space");
            out.push(at(self.document, place, codes::TEXT_DAMAGE, message).help(help));
        }
        if !after.is_empty() && !self.is_ending(span, after) {
            let place = span.end..span.end + after.len();
            let message = format!("`{after}` follows a {what} without a space");
            out.push(at(self.document, place, codes::TEXT_DAMAGE, message).help(help));
        }
    }

    /// Emphasis may light a part of a word, as in "**pre**fill", but not of two.
    fn emphasis(&self, span: &Span, text: &str, out: &mut Vec<Diagnostic>) {
        let several = text.trim().contains(char::is_whitespace);
        let is_word = |inside: usize, outside: &str| {
            outside.chars().count() >= WORD && inside >= WORD || several && !outside.is_empty()
        };
        let first = text.chars().take_while(|&c| is_spaced_letter(c)).count();
        let last = text.chars().rev().take_while(|&c| is_spaced_letter(c)).count();
        let (before, after) = (self.before(span), self.after(span));
        let help = "put a space between the two words";
        if first > 0 && is_word(first, before) && !is_prefix(before) {
            let place = span.start - before.len()..span.start;
            let message = format!("`{before}` runs into the emphasis that follows it");
            out.push(at(self.document, place, codes::TEXT_DAMAGE, message).help(help));
        }
        if last > 0 && is_word(last, after) && !is_prefix(text) && !self.is_ending(span, after) {
            let place = span.end..span.end + after.len();
            let message = format!("`{after}` runs into the emphasis before it");
            out.push(at(self.document, place, codes::TEXT_DAMAGE, message).help(help));
        }
    }
}

fn is_prefix(letters: &str) -> bool {
    PREFIXES.contains(&letters.to_lowercase().as_str())
}

/// Emphasis that begins and does not end, as in `**Note:**The`: between a mark and a letter Markdown sees a beginning.
fn unended(document: &Document, passage: &Passage, out: &mut Vec<Diagnostic>) {
    let source = document.source.text();
    let mut is_begun = false;
    for (start, mark) in passage.text.match_indices("**").filter(|(start, _)| !passage.is_code(*start)) {
        let span = passage.span(&(start..start + mark.len()));
        let before = source[..span.start].chars().next_back().filter(|c| !c.is_whitespace());
        let after = source[span.end..].chars().next().filter(|c| !c.is_whitespace());
        if before == Some('\\') {
            continue;
        }
        let is_after_mark = before.is_some_and(|c| !c.is_alphanumeric() && c != '*');
        if is_begun && is_after_mark && after.is_some_and(char::is_alphanumeric) {
            let message = "this `**` ends no emphasis, and readers see it: it stands between a mark and a letter";
            let help = "put a space after it, or the mark behind it";
            out.push(at(document, span, codes::TEXT_DAMAGE, message).help(help));
        }
        is_begun = after.is_some();
    }
}

/// A sentence that begins directly where one ends: `end.Next`.
fn glued(document: &Document, passage: &Passage, out: &mut Vec<Diagnostic>) {
    let text = &passage.text;
    for (stop, c) in text.match_indices(['.', '!', '?']).filter(|(stop, _)| !passage.is_code(*stop)) {
        let before = text[..stop].chars().rev().take_while(|c| c.is_lowercase()).count();
        let after = &text[stop + c.len()..];
        let word = &after[..after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len())];
        let is_new = OPENERS.contains(&word) || c != "." && word.len() > 1 && word.starts_with(char::is_uppercase);
        if before >= 2 && is_new && !passage.is_code(stop + c.len()) {
            let span = passage.span(&(stop..stop + c.len() + word.len()));
            let message = format!("`{c}{word}` begins a sentence without a space");
            out.push(at(document, span, codes::TEXT_DAMAGE, message).help(format!("put a space after the `{c}`")));
        }
    }
}
