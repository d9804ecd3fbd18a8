//! What a note below an excerpt can be bound to: names in its code, and links to regions, symbols and lines that it shows.

use std::collections::BTreeSet;

use super::super::outline::piece_lines;
use super::{Completion, Cursor, Kind, PageKind};
use infralens_course::course::starter;
use infralens_page::{Anchor, Excerpt};
use infralens_render::page::ResolvedExcerpt;
use infralens_source::selector::{FileRef, Selector};
use infralens_source::source::Span;
use infralens_starter::SelectedRows;
use infralens_starter::excerpt::{View, ViewRow, words_of};
use infralens_starter::highlight::Class;

/// A binding that is being written.
struct Started<'a> {
    excerpt: &'a Excerpt,
    resolved: &'a ResolvedExcerpt,
    /// The text of the binding up to the cursor.
    text: &'a str,
    /// Whether the note has no binding before it.
    is_first: bool,
}

impl<'a> Cursor<'a> {
    /// Returns the binding that the cursor is in, if it is at the beginning of a note.
    fn binding(&self) -> Option<Started<'a>> {
        let item = self.before.trim_start();
        let digits = item.len() - item.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (text, is_first) = last_binding(item[digits..].strip_prefix(". ").filter(|_| digits > 0)?)?;
        let page = self.page.as_ref()?;
        let excerpts = &page.subject.document.body.excerpts;
        let resolved = page.facts.excerpts.iter().rev().find(|one| excerpts[one.index].head.start < self.offset)?;
        let excerpt = &excerpts[resolved.index];
        // Nothing but notes is between the fence and the cursor.
        let between = self.source.text().get(excerpt.block.end.min(self.line_start)..self.line_start)?;
        let is_note = |line: &str| {
            line.trim().is_empty() || line.starts_with(' ') || line.starts_with(|c: char| c.is_ascii_digit())
        };
        between.lines().all(is_note).then_some(Started { excerpt, resolved, text, is_first })
    }

    /// Returns the names in the excerpt above that no note is bound to yet. For the first binding of a note, lines that
    /// another note explains are left out.
    pub(super) fn in_note(&self) -> Option<Vec<Completion>> {
        let Started { excerpt, resolved, text, is_first } = self.binding()?;
        let (ticks, word) = match text.strip_prefix('`') {
            Some(word) => (1, word),
            None if text.is_empty() => (0, text),
            None => return None,
        };
        let bound: BTreeSet<&str> = (excerpt.notes.iter().flat_map(|note| &note.bindings))
            .flat_map(|binding| std::iter::once(&binding.from).chain(&binding.to))
            .filter_map(|anchor| if let Anchor::Token { text, .. } = anchor { Some(text.as_str()) } else { None })
            .collect();
        let explained: BTreeSet<usize> =
            resolved.bound.iter().flat_map(|note| note.rows.iter().cloned().flatten()).collect();
        let mut found = tokens(&resolved.shown.view(&resolved.listing), word);
        found.retain(|one| !bound.contains(&*one.text) && (!is_first || !explained.contains(&one.row)));
        found.sort_by_key(|one| (one.is_keyword, explained.contains(&one.row)));
        Some(self.code_spans(found, word.len() + ticks, ticks > 0))
    }

    /// Returns the names in the excerpt above, for a code span of a lab.
    pub(super) fn in_code_span(&self) -> Option<Vec<Completion>> {
        let (before, word) = self.before.rsplit_once('`')?;
        if self.placement.kind != PageKind::Lab || before.matches('`').count() % 2 == 1 || word.contains(' ') {
            return None;
        }
        let page = self.page.as_ref()?;
        let excerpts = &page.subject.document.body.excerpts;
        let resolved = page.facts.excerpts.iter().rev().find(|one| excerpts[one.index].head.start < self.offset)?;
        let names = tokens(&resolved.shown.view(&resolved.listing), word);
        Some(self.code_spans(names, word.len() + 1, true))
    }

    /// Returns code spans of names. An editor that writes pairs has written the end of an open one already.
    fn code_spans(&self, names: Vec<Name>, typed: usize, is_open: bool) -> Vec<Completion> {
        let is_paired = is_open && self.source.text()[self.offset..].starts_with('`');
        let span = self.offset - typed..self.offset + usize::from(is_paired);
        let item = |name: Name| {
            let insert = format!("`{}`", name.text);
            Completion::new(Kind::Code, name.text, &span).detail(name.line).insert(insert)
        };
        names.into_iter().map(item).collect()
    }

    /// Returns the names in an excerpt that its opening line can mark or light. `info` is that line up to the cursor.
    pub(super) fn terms(&self, info: &str) -> Vec<Completion> {
        let word = info.rsplit(['"', ',', ' ']).next().unwrap_or_default();
        let file = info.split(' ').find_map(|word| word.strip_prefix("file=")).unwrap_or_default();
        let (file, _) = FileRef::parse(file, 0);
        let path = starter::named(self.main_file(), &file.path).ok();
        let Some(listing) = path.and_then(|path| self.listing(&path)) else { return Vec::new() };
        let lines = piece_lines(&listing, &file).into_iter().map(|line| line..line + 1).collect();
        let names = tokens(&SelectedRows::new(&listing, lines).view(&listing), word);
        let span = self.typed(word.len());
        names.into_iter().map(|name| Completion::new(Kind::Code, name.text, &span).detail(name.line)).collect()
    }

    /// Returns what a link to a place in the excerpt can lead to, if a note begins with it: a note is bound to shown lines only.
    pub(super) fn place_of_note(&self, span: &Span) -> Option<Vec<Completion>> {
        let Started { resolved, .. } = self.binding().filter(|binding| binding.text.starts_with('['))?;
        let listing = &resolved.listing;
        let (first, last) = resolved.shown.bounds()?;
        let is_shown = |name: &str| {
            let lines = Selector::parse(name).ok().and_then(|selector| listing.select(&selector).ok());
            lines.is_some_and(|lines| first <= lines.start + 1 && lines.end <= last)
        };
        let mut found = Self::selectors(listing, span);
        let lines = listing.selector_of_lines(&(first - 1..last));
        found.retain(|one| one.label != lines && is_shown(&one.label));
        found.push(Completion::new(Kind::Code, lines, span).detail("all lines of the excerpt"));
        Some(found)
    }
}

/// A name in an excerpt, or a path of names such as `self.head`.
struct Name {
    text: String,
    /// The first row that has it.
    row: usize,
    /// The line of that row.
    line: String,
    /// Few notes are about one.
    is_keyword: bool,
}

/// Returns the names in an excerpt, each once, except in comments; behind `self.`, those that continue it. A note is bound to
/// the first line that has its code.
fn tokens(view: &View<'_>, typed: &str) -> Vec<Name> {
    let path = typed.rfind('.').map_or("", |dot| &typed[..=dot]);
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for row in 0..view.rows.len() {
        let ViewRow::Line(code) = &view.rows[row] else { continue };
        let line = view.text(row);
        let words = words_of(line).filter(|_| !code.is_comment());
        let words = words.filter(|(at, word)| {
            let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
            let before = &line[..*at];
            let start = before.strip_suffix(path).filter(|_| is_name);
            start.is_some_and(|start| {
                path.is_empty() || !start.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.')
            })
        });
        for text in words.map(|(_, word)| format!("{path}{word}")) {
            if view.find(&text, 1).is_some_and(|found| found.row == row) && seen.insert(text.clone()) {
                let is_keyword = code.runs().any(|(run, class)| class == Class::Keyword && run.trim() == text);
                found.push(Name { text, row, line: line.trim().to_owned(), is_keyword });
            }
        }
    }
    found.sort_by_key(|name| name.is_keyword);
    found
}

/// Returns the binding that a text of complete bindings and separators ends with, and whether it is the first; `None` if the
/// last one is complete, so that the note's own text follows.
fn last_binding(note: &str) -> Option<(&str, bool)> {
    let (mut rest, mut is_first) = (note, true);
    loop {
        let code = rest.strip_prefix('`').map(|code| code.split_once('`'));
        let link = || rest.strip_prefix('[').map(|link| link.split_once("](").and_then(|(_, to)| to.split_once(')')));
        let Some(Some((_, after))) = code.or_else(link) else { return Some((rest, is_first)) };
        let after = after.trim_start();
        let number = after.strip_prefix('(').and_then(|number| number.split_once(')'));
        let after = number.map_or(after, |(_, after)| after.trim_start());
        let separators = ["/", "…", "..."];
        rest = separators.iter().find_map(|separator| after.strip_prefix(separator))?.trim_start();
        is_first = false;
    }
}
