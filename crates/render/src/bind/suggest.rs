//! Suggests what is meant by code that an excerpt does not have: the same code with other white space or quotes, what has
//! replaced it in the file, code elsewhere in the file, or a similar name.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{ExcerptContext, Stale};
use infralens_source::diag::{Diagnostic, Fix, Near, nearest, similar};
use infralens_starter::excerpt::{words, words_of};

impl ExcerptContext<'_> {
    /// Adds a suggestion for `text`, which the excerpt does not have.
    pub(super) fn add_suggestion(&self, text: &str, diagnostic: Diagnostic) -> Diagnostic {
        if let Some(same_code) = self.same_code(text) {
            let fix = self.write(
                text,
                &Near { name: same_code.into(), is_sure: self.view.count(same_code) == 1 },
                &diagnostic,
            );
            let odd = text.chars().find(|c| !c.is_ascii() && c.is_whitespace() && !same_code.contains(*c));
            let odd = odd.map_or_else(String::new, |c| format!(", without the character U+{:04X}", u32::from(c)));
            return diagnostic.help(format!("the excerpt has `{same_code}`: write it exactly like this{odd}")).fix(fix);
        }
        let named = || self.nearest(text).or_else(|| self.known_word(text)).map(str::to_owned);
        // Code that has changed is not misspelled: only the lines that have replaced it say what it is now.
        let stale = self.stale(text);
        let is_stale = stale.is_some();
        let near = match stale {
            Some(Stale::Replaced(code)) => Some(code),
            Some(Stale::Gone) => None,
            None => self.respelled(text).or_else(|| self.other_arguments(text)).or_else(named),
        };
        let outside = self.outside_line(text).map(|line| {
            let holder = self.listing.covering_selector(&(line..line + 1));
            let of = holder.map_or_else(String::new, |(holder, _)| format!(", in `#{holder}`"));
            format!("it is on line {} of the file{of}, which is not in the excerpt", line + 1)
        });
        let fix = near.as_ref().and_then(|near| {
            let is_sure = !is_stale
                && near.contains(char::is_alphanumeric)
                && self.view.count(near) == 1
                && similar(text, self.view.identifiers()).is_some_and(|found| found.is_sure && found.name == *near);
            self.write(text, &Near { name: near.into(), is_sure }, &diagnostic)
        });
        let is_outside = outside.is_some();
        let diagnostic = outside.into_iter().fold(diagnostic, Diagnostic::help).fix(fix);
        match near {
            Some(near) if is_stale => diagnostic.help(format!("the file has `{near}` in its place")),
            None if is_stale && !is_outside => {
                diagnostic.help("its line has changed: the excerpt's own message shows what has replaced it")
            }
            near => diagnostic.nearest(near.as_deref()),
        }
    }

    /// Returns the fix that writes other code in place of `text`.
    fn write(&self, text: &str, near: &Near<'_>, diagnostic: &Diagnostic) -> Option<Fix> {
        let (start, end) = diagnostic.place.span?;
        if near.name.contains('`') { None } else { Fix::instead(self.page, &(start..end), text, near) }
    }

    fn nearest(&self, text: &str) -> Option<&str> {
        nearest(text, self.view.identifiers()).filter(|near| *near != text)
    }

    /// Returns the code of the excerpt that differs from `text` in the spelling of one word.
    fn respelled(&self, text: &str) -> Option<String> {
        let mut unknown = words_of(text).filter(|(_, word)| self.view.count(word) == 0);
        let (at, word) = unknown.next()?;
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let respelled = format!("{before}{}{after}", self.nearest(word)?);
        (unknown.next().is_none() && self.view.count(&respelled) > 0).then_some(respelled)
    }

    /// Returns the only call of the excerpt that differs from `text` in its arguments.
    fn other_arguments(&self, text: &str) -> Option<String> {
        let (head, _) = text.strip_suffix(')')?.split_at_checked(text.find('(')? + 1)?;
        let calls = (0..self.view.rows.len()).flat_map(|row| {
            let line = self.view.text(row);
            line.match_indices(head).filter_map(move |(at, _)| call(&line[at..]))
        });
        let calls: BTreeSet<&str> = calls.filter(|call| self.view.count(call) > 0).collect();
        let mut calls = calls.into_iter();
        calls.next().filter(|_| calls.next().is_none()).map(str::to_owned)
    }

    /// Returns the longest name in `text` that the excerpt has, if `text` is more than that and the name is at least half of
    /// its words. What `text` only begins with, as `self` in `self.head`, says nothing about the name that is missing.
    fn known_word<'t>(&self, text: &'t str) -> Option<&'t str> {
        let is_object = |at: usize, word: &str| text[at + word.len()..].starts_with(['.', ':', '-']);
        let length: usize = words_of(text).map(|(_, word)| word.len()).sum();
        let names = words_of(text).filter(|&(at, word)| word.len() < text.len() && !is_object(at, word));
        let names = names.map(|(_, word)| word).filter(|word| 2 * word.len() >= length);
        let known = names.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()) && self.view.count(word) > 0);
        known.max_by_key(|word| word.len())
    }

    /// Returns the first piece of a line that is equal except for white space and the kind of quotes.
    fn same_code(&self, text: &str) -> Option<&str> {
        let wanted: String = normalized(text).map(|(_, c)| c).collect();
        if wanted.is_empty() {
            return None;
        }
        (0..self.view.rows.len()).find_map(|row| {
            let line = self.view.text(row);
            let found = same(line, &wanted)?;
            Some(&line[found])
        })
    }

    /// Returns the first line of the file, from 0, that contains the code.
    fn outside_line(&self, text: &str) -> Option<usize> {
        let has_it =
            |line: &usize| !self.listing.is_marker(*line) && words(self.listing.line(*line), text).next().is_some();
        (0..self.listing.line_count()).find(has_it)
    }
}

/// Returns the beginning of a line up to the parenthesis that closes its first one.
fn call(line: &str) -> Option<&str> {
    let mut open = 0_usize;
    let closing = line.char_indices().find(|(_, c)| match c {
        '(' => {
            open += 1;
            false
        }
        ')' => {
            open = open.saturating_sub(1);
            open == 0
        }
        _ => false,
    });
    closing.map(|(end, _)| &line[..=end])
}

/// Returns the characters of a text without white space and with uniform quotes, each with its bytes.
fn normalized(text: &str) -> impl Iterator<Item = (Range<usize>, char)> {
    let shown = text.char_indices().filter(|(_, c)| !c.is_whitespace());
    shown.map(|(at, c)| {
        let plain = if matches!(c, '"' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}') { '\'' } else { c };
        (at..at + c.len_utf8(), plain)
    })
}

/// Returns the bytes of `line` that match `wanted`, which is normalized, as whole words.
fn same(line: &str, wanted: &str) -> Option<Range<usize>> {
    let (places, plain): (Vec<Range<usize>>, String) = normalized(line).unzip();
    plain.match_indices(wanted).find_map(|(at, _)| {
        let first = plain[..at].chars().count();
        let last = first + wanted.chars().count() - 1;
        let found = places.get(first)?.start..places.get(last)?.end;
        words(line, &line[found.clone()]).any(|range| range == found).then_some(found)
    })
}
