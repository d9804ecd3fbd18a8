//! Reads the terms of a glossary from its definition lists, and finds mentions of them in a text.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use pulldown_cmark::{Event, Tag, TagEnd};

use super::heading::{Ids, slug};
use super::{Body, Events};

/// The length of the longest name whose mentions are found, in bytes. So many names at most can end at one place of a text.
const LONGEST: usize = 200;

#[derive(Debug, Default)]
pub struct Glossary {
    /// The terms, in the order of the page.
    pub terms: Vec<Term>,
    finder: Option<AhoCorasick>,
    /// The index of the term that each pattern of the finder belongs to.
    patterns: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Its id on the page of the glossary, such as `T-kv-cache`.
    pub id: String,
    /// Its names as written in the glossary.
    pub names: Vec<String>,
    /// The definition as plain text.
    pub definition: String,
    /// The index of the event that starts the term.
    pub at: usize,
    /// The index after the last event of the definition.
    pub end: usize,
}

impl Glossary {
    /// Reads the definition lists of a page. Each line of a term is one of its names.
    pub fn new(body: &Body) -> Self {
        let mut terms: Vec<Term> = Vec::new();
        let mut ids = Ids::default();
        let mut start = 0;
        for (index, (event, _)) in body.events.iter().enumerate() {
            match event {
                Event::Start(Tag::DefinitionListTitle | Tag::DefinitionListDefinition) => start = index,
                Event::End(TagEnd::DefinitionListTitle) => {
                    let names = names(body, start..index);
                    let id = ids.give(format!("T-{}", slug(names.first().map_or("", String::as_str))), 2);
                    terms.push(Term { id, names, definition: String::new(), at: start, end: index + 1 });
                }
                Event::End(TagEnd::DefinitionListDefinition) => {
                    if let Some(term) = terms.last_mut() {
                        let space = if term.definition.is_empty() { "" } else { " " };
                        term.definition.extend([space, body.text(start..index).trim()]);
                        term.end = index + 1;
                    }
                }
                _ => {}
            }
        }
        terms.retain(|term| !term.definition.is_empty());
        Self::of(terms)
    }

    fn of(terms: Vec<Term>) -> Self {
        let names = terms.iter().enumerate().flat_map(|(term, known)| known.names.iter().map(move |name| (term, name)));
        // If two terms have the same name, the first one is linked. Building the finder with duplicates takes long.
        let mut known = BTreeSet::new();
        let forms = names
            .filter(|(_, name)| name.len() <= LONGEST)
            .flat_map(|(term, name)| forms(name).map(move |form| (term, form)));
        let forms: Vec<(usize, String)> = forms.filter(|(_, form)| known.insert(form.clone())).collect();
        // If there are too many terms for the finder, none is linked.
        let finder = AhoCorasick::new(forms.iter().map(|(_, form)| form)).ok().filter(|_| !forms.is_empty());
        Self { terms, finder, patterns: forms.into_iter().map(|(term, _)| term).collect() }
    }

    /// Gives its terms the ids of those that they translate.
    pub fn take_ids(&mut self, source: &Self) {
        if self.terms.len() == source.terms.len() {
            self.terms.iter_mut().zip(&source.terms).for_each(|(term, own)| term.id.clone_from(&own.id));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Finds the mentions in a text, in order: the range of bytes, and the index of the term. A mention is a whole word or
    /// its plural with `s`; its first letter may differ in case from the glossary.
    pub fn mentions(&self, text: &str) -> Vec<(Range<usize>, usize)> {
        let Some(finder) = &self.finder else { return Vec::new() };
        let whole = finder.find_overlapping_iter(text).filter_map(|found| {
            let end = end_of_word(text, found.range())?;
            Some((found.start()..end, self.patterns[found.pattern().as_usize()]))
        });
        // Of mentions that overlap, the first one counts; of those with the same start, the longest.
        let mut mentions: Vec<_> = whole.collect();
        mentions.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
        let mut at = 0;
        mentions.retain(|(range, _)| {
            let is_free = range.start >= at;
            at = if is_free { range.end } else { at };
            is_free
        });
        mentions
    }

    /// Returns the term that starts at an event of the glossary's page.
    pub fn term_at(&self, event: usize) -> Option<&Term> {
        self.terms.binary_search_by_key(&event, |term| term.at).ok().map(|index| &self.terms[index])
    }
}

/// Returns the names of a term: its lines.
fn names(body: &Body, title: Events) -> Vec<String> {
    let is_break = |index: &usize| matches!(body.events.event(*index), Event::SoftBreak | Event::HardBreak);
    let mut cuts: Vec<usize> = title.clone().filter(is_break).collect();
    cuts.push(title.end);
    let mut start = title.start;
    let lines = cuts.into_iter().map(|cut| body.text(std::mem::replace(&mut start, cut)..cut).trim().to_string());
    lines.filter(|name| !name.is_empty()).collect()
}

/// Returns the forms of a name that count as mentions: itself, and if its second letter is lower case, the same with the
/// first letter in the other case (`Bank`, `bank`, but only `DDP`).
fn forms(name: &str) -> impl Iterator<Item = String> + use<> {
    let mut chars = name.chars();
    let first = chars.next();
    let rest = chars.as_str();
    let swapped = first.filter(|_| rest.starts_with(char::is_lowercase)).map(|first| {
        let swapped: String =
            if first.is_uppercase() { first.to_lowercase().collect() } else { first.to_uppercase().collect() };
        swapped + rest
    });
    [Some(name.to_string()), swapped.filter(|form| form != name)].into_iter().flatten()
}

/// Returns the end of a mention, including the `s` of a plural. Returns `None` if the match is only a part of a word.
fn end_of_word(text: &str, found: Range<usize>) -> Option<usize> {
    let (before, inside, behind) = (&text[..found.start], &text[found.clone()], &text[found.end..]);
    let goes_on = |one: Option<char>, other: Option<char>| one.is_some_and(is_of_word) && other.is_some_and(is_of_word);
    if goes_on(before.chars().next_back(), inside.chars().next()) {
        return None;
    }
    let last = inside.chars().next_back();
    let plural = behind.strip_prefix('s').filter(|rest| last.is_some_and(is_of_word) && !rest.starts_with(is_of_word));
    match plural {
        Some(_) => Some(found.end + 1),
        None => (!goes_on(last, behind.chars().next())).then_some(found.end),
    }
}

/// Returns whether `c` is a letter, a digit or `_`, except in scripts that put no spaces between words.
fn is_of_word(c: char) -> bool {
    let is_unspaced = matches!(u32::from(c), 0x0e00..=0x0fff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x2e80..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff);
    (c.is_alphanumeric() || c == '_') && !is_unspaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glossary(names: &[&str]) -> Glossary {
        let term = |(at, name): (usize, &&str)| Term {
            id: format!("T-{}", slug(name)),
            names: vec![(*name).into()],
            definition: "d".into(),
            at,
            end: at + 1,
        };
        Glossary::of(names.iter().enumerate().map(term).collect())
    }

    fn found<'t>(names: &[&str], text: &'t str) -> Vec<&'t str> {
        glossary(names).mentions(text).into_iter().map(|(range, _)| &text[range]).collect()
    }

    #[test]
    fn a_mention_is_a_whole_word_or_its_plural() {
        let names = ["Bank", "KV cache", "warp", "DDP"];
        assert_eq!(
            found(&names, "A bank, two banks, Warps; a KV cache, embankment banking warp_size"),
            ["bank", "banks", "Warps", "KV cache"]
        );
        assert_eq!(found(&names, "ddp dDP DDP's DDPs"), ["DDP", "DDPs"]);
    }

    #[test]
    fn the_longest_term_wins_and_scripts_without_spaces_have_no_borders() {
        assert_eq!(found(&["cache", "KV cache", "缓存"], "KV caches 键值缓存的大小"), ["KV caches", "缓存"]);
        assert_eq!(found(&[], "anything"), [""; 0]);
    }
}
