//! `text-damage`: mojibake, invisible control characters, and words that run together where markup or a sentence ends.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use super::common::is_prose;
use super::{Input, at, mojibake};
use infralens_course::config::Config;
use infralens_course::course::starter;
use infralens_page::text::Passage;
use infralens_page::{Document, contains};
use infralens_source::diag::{Diagnostic, codes, hidden};
use infralens_source::source::script::is_spaced_letter;
use infralens_source::source::{Source, Span};

/// English endings that may follow a name directly.
const ENDINGS: [&str; 27] = [
    "s", "es", "ed", "d", "ing", "er", "ers", "or", "ors", "ly", "th", "st", "nd", "rd", "n", "ns", "ish", "ness",
    "able", "like", "less", "ize", "ized", "ism", "wise", "ify", "ified",
];
/// Prefixes that may come directly before a name.
const PREFIXES: [&str; 19] = [
    "non", "re", "un", "sub", "pre", "de", "co", "anti", "multi", "semi", "over", "under", "post", "inter", "intra",
    "micro", "hyper", "auto", "mis",
];
/// The maximum number of letters of an ending in languages whose endings are not listed.
const LONGEST_ENDING: usize = 5;
/// If emphasis begins or ends inside a word, and there are at least this many letters on both sides, these are two words that
/// run together, as in `**shared**memory`. With fewer letters, only a part of one word is emphasized.
const WORD: usize = 3;
/// Words that begin sentences but are rarely names after a period.
const OPENERS: [&str; 44] = [
    "The", "This", "That", "These", "Those", "It", "Its", "In", "An", "When", "If", "For", "But", "And", "Then", "You",
    "We", "They", "Each", "Every", "One", "Two", "To", "As", "At", "On", "So", "No", "Not", "What", "Where", "How",
    "Why", "Here", "There", "With", "Without", "Only", "Both", "After", "Before", "Because", "Next", "Now",
];

/// Reports mojibake outside of `code`, and characters anywhere that make a text look like another one.
pub fn characters(source: &Source, code: &[Span], out: &mut Vec<Diagnostic>) {
    let (start, text) = (source.start(), &source.text()[source.start()..]);
    let report = |range: &Range<usize>, message: String| {
        let span = start + range.start..start + range.end;
        source.diagnostic(codes::TEXT_DAMAGE, span, message)
    };
    let is_code = |at: usize| contains(code, start + at);
    let damaged: Vec<_> = mojibake::find(text).into_iter().filter(|(range, _)| !is_code(range.start)).collect();
    for (range, original) in &damaged {
        let original = visible(original);
        let message =
            format!("`{}` is damaged: it is {original}, decoded with the wrong encoding", &text[range.clone()]);
        let help = "write the original, and save as UTF-8; to write about damaged text, put it in a code span";
        out.push(report(range, message).help(help));
    }
    for (at, mark) in text.match_indices(char::REPLACEMENT_CHARACTER).filter(|&(at, _)| !is_code(at)) {
        let message = "there is a replacement character U+FFFD here".to_owned();
        out.push(report(&(at..at + mark.len()), message).help("write the character that was meant"));
    }
    let mut found = hidden::find(text, is_code);
    found.retain(|hidden| {
        let at = hidden.range.start;
        let damage = damaged.partition_point(|(range, _)| range.end <= at);
        let is_half = ('\u{80}'..='\u{9f}').contains(&hidden.character)
            && text[..at].ends_with(|before: char| !before.is_ascii());
        !is_half && damaged.get(damage).is_none_or(|(range, _)| at < range.start)
    });
    out.extend(hidden::report(source, start, &found));
}

/// Reports characters in starters that make their code look like other code.
pub fn starters(input: Input<'_>) -> Vec<Diagnostic> {
    let files = input.cx.listings.iter().filter(|(path, _)| starter::shown_record(path).is_none());
    let found = files.map(|(_, listing)| hidden::in_code(listing.source()).into_iter().map(|it| listing.placed(it)));
    found.flatten().collect()
}

/// Returns a text in backticks, or the code point of a single invisible character.
fn visible(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c.is_whitespace() || hidden::is_unprintable(c) => hidden::code_point(c),
        _ => format!("`{text}`"),
    }
}

/// Reports words that run together at the edges of emphasis, links and code, and where a sentence ends.
pub fn markup(document: &Document, config: &Config, out: &mut Vec<Diagnostic>) {
    let page = Edges { document, is_english: config.language.is_english() };
    let mut open: Vec<usize> = Vec::new();
    for (index, (event, span)) in document.body.events.iter().enumerate() {
        match event {
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. }) => open.push(index),
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link) => {
                let Some(start) = open.pop() else { continue };
                match document.body.events.event(start) {
                    Event::Start(Tag::Link { link_type, .. }) => {
                        if !matches!(link_type, LinkType::Autolink | LinkType::Email) {
                            page.name(&span, "link", out);
                        }
                    }
                    _ => page.emphasis(&span, &document.body.text(start + 1..index), out),
                }
            }
            Event::Code(_) => page.name(&span, "code span", out),
            _ => {}
        }
    }
}

/// Reports words that are glued together.
pub fn glued_words(document: &Document, passages: &[Passage], out: &mut Vec<Diagnostic>) {
    for passage in passages {
        glued(document, passage, out);
    }
}

/// Checks the letters directly before and after elements of a page.
struct Edges<'a> {
    document: &'a Document,
    is_english: bool,
}

impl<'a> Edges<'a> {
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

    /// Returns whether `letters`, which directly follow `span`, are an ending. A letter may be doubled before an ending, as
    /// in "`map`ping" and "`panic`king".
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

    /// Checks a code span or a link: only a prefix or a single letter may come directly before it, and only an ending after.
    fn name(&self, span: &Span, what: &str, out: &mut Vec<Diagnostic>) {
        if is_prose(self.document.source.text(), span) {
            return;
        }
        let help = "put a space or a hyphen between them";
        let (before, after) = (self.before(span), self.after(span));
        if before.chars().count() > 1 && !is_prefix(before) {
            let place = span.start - before.len()..span.start;
            let message = format!("there is no space between `{before}` and this {what}");
            out.push(at(self.document, place, codes::TEXT_DAMAGE, message).help(help));
        }
        if !after.is_empty() && !self.is_ending(span, after) {
            let place = span.end..span.end + after.len();
            let message = format!("there is no space between this {what} and `{after}`");
            out.push(at(self.document, place, codes::TEXT_DAMAGE, message).help(help));
        }
    }

    /// Checks emphasis, which may cover a part of a word, as in "**pre**fill", but must not join two words.
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

/// Reports a sentence that begins directly where another one ends: `end.Next`. Addresses contain such marks, too.
fn glued(document: &Document, passage: &Passage, out: &mut Vec<Diagnostic>) {
    let text = &passage.text;
    for (stop, c) in text.match_indices(['.', '!', '?']).filter(|(stop, _)| !passage.is_code(*stop)) {
        let before = text[..stop].chars().rev().take_while(|c| c.is_lowercase()).count();
        let after = &text[stop + c.len()..];
        let word = &after[..after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len())];
        let is_new = OPENERS.contains(&word) || c != "." && word.len() > 1 && word.starts_with(char::is_uppercase);
        let is_address = || {
            let start = text[..stop].rfind(char::is_whitespace).map_or(0, |space| space + 1);
            text[start..stop].contains("//") || text[start..stop].contains("www.")
        };
        if before >= 2 && is_new && !passage.is_code(stop + c.len()) && !is_address() {
            let span = passage.span(&(stop..stop + c.len() + word.len()));
            let message = format!("`{c}{word}` begins a sentence without a space");
            out.push(at(document, span, codes::TEXT_DAMAGE, message).help(format!("put a space after the `{c}`")));
        }
    }
}
