//! Code next to what a page shows, or behind its links: it has changed, and what explains or names it has not.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::excerpts::{Matches, is_other};
use super::figures::{quote, sentence_at};
use super::lines::{self, Line, Sign};
use super::pages::{Pair, View};
use super::{Change, Kind, Place, Quote};
use infralens_course::course::starter;
use infralens_page::text;
use infralens_render::lit;
use infralens_source::selector::Selector;
use infralens_starter::{Listing, SelectedRows};

/// Between two lines that a page shows, at most so many belong together although no function contains them.
const BETWEEN: usize = 30;
/// The words that begin the definitions whose parts are read by themselves.
const CLASSES: [&str; 8] = ["class", "struct", "namespace", "interface", "trait", "impl", "enum", "module"];
/// The maximum number of lines of a difference.
const MOST_LINES: usize = 40;

/// A part of a file in both versions.
struct Part {
    /// Its name for messages.
    name: String,
    old: Range<usize>,
    new: Range<usize>,
    /// The sentences that link to it.
    sentences: Vec<Quote>,
}

/// The lines of a file that a page shows, from 0.
type ShownLines = BTreeSet<usize>;

/// Returns the functions that have changed outside of what a page shows of them, and what it links to, with the notes and
/// sentences that have not changed.
pub(crate) fn changes(pair: &Pair<'_>, matches: &Matches<'_>) -> Vec<Change> {
    let [old, new] = [&pair.old, &pair.new].map(|view| view.source.cx.listings);
    let (old_shown, new_shown) = (shown(&pair.old), shown(&pair.new));
    let mut linked = linked(pair);
    let mut changes = Vec::new();
    for file in &pair.new.source.facts.starters {
        let (Some(before), Some(after)) = (old.get(file), new.get(file)) else { continue };
        if before.source().text() == after.source().text() {
            continue;
        }
        let none = ShownLines::new();
        let shown = [&old_shown, &new_shown].map(|shown| shown.get(file.as_ref()).unwrap_or(&none));
        let mut parts = parts([before, after], shown);
        for (selector, sentence) in linked.remove(file.as_ref()).unwrap_or_default() {
            let (Ok(old), Ok(new)) = (before.select(&selector), after.select(&selector)) else { continue };
            let known = parts.iter_mut().find(|part| part.old == old && part.new == new);
            match known {
                Some(part) => part.sentences.push(sentence),
                None => parts.push(Part { name: format!("#{selector}"), old, new, sentences: vec![sentence] }),
            }
        }
        let found = parts.into_iter().filter_map(|part| of_part(pair, matches, [before, after], shown, part));
        changes.extend(found);
    }
    changes
}

/// Returns the lines that the excerpts of a page show, by file.
fn shown<'a>(view: &View<'a>) -> BTreeMap<&'a str, ShownLines> {
    let mut shown: BTreeMap<&str, ShownLines> = BTreeMap::new();
    for excerpt in &view.source.facts.excerpts {
        let path = excerpt.listing.source().path();
        shown.entry(path).or_default().extend(lit::lines(&excerpt.shown));
    }
    shown
}

/// Returns the sentences that link into code and have not changed, by file.
fn linked(pair: &Pair<'_>) -> BTreeMap<String, Vec<(Selector, Quote)>> {
    let document = pair.new.document();
    let mut linked: BTreeMap<String, Vec<(Selector, Quote)>> = BTreeMap::new();
    let mut passages = None;
    for link in &document.body.links {
        let Some((path, selector)) = link.target.strip_prefix("code:").and_then(|code| code.split_once('#')) else {
            continue;
        };
        let path = starter::named(pair.new.source.subject.main_file, path);
        let (Ok(path), Ok(selector)) = (path, Selector::parse(selector)) else { continue };
        let passages = passages.get_or_insert_with(|| text::passages(document));
        let Some((span, text)) = sentence_at(passages, link.span.start) else { continue };
        if pair.old.text().text().contains(&pair.new.text().text()[span.clone()]) {
            linked.entry(path).or_default().push((selector, quote(&pair.new, &span, text)));
        }
    }
    linked
}

/// Returns the parts of a file of which a page shows some lines and not all: functions and other definitions, and what is
/// between lines that it shows.
fn parts(listings: [&Listing; 2], shown: [&ShownLines; 2]) -> Vec<Part> {
    let [old, new] = listings;
    let holders = [holders(old), holders(new)];
    let mut parts = Vec::new();
    let of_lines = shown[1].iter().filter_map(|&line| *holders[1].get(line)?);
    for symbol in of_lines.collect::<BTreeSet<usize>>().into_iter().map(|at| &new.symbols()[at]) {
        let mut same = old.symbols().iter().filter(|known| known.path == symbol.path);
        // What is in the methods of a class is not around what is shown of the class.
        let is_class = CLASSES.iter().any(|word| new.line(symbol.line).split_whitespace().any(|found| found == *word));
        if let (Some(known), None, false) = (same.next(), same.next(), is_class) {
            let (old, new) = (known.lines.clone(), symbol.lines.clone());
            parts.push(Part { name: symbol.path.clone(), old, new, sentences: Vec::new() });
        }
    }
    // Lines that belong to no definition are paired by their order: the first gap with the first one.
    let gaps = |side: usize| {
        let lines: Vec<usize> = shown[side].iter().copied().collect();
        let holders = &holders[side];
        let gaps = lines.windows(2).map(|pair| pair[0] + 1..pair[1]);
        let is_free =
            move |lines: &Range<usize>| lines.clone().all(|line| holders.get(line).is_none_or(Option::is_none));
        gaps.filter(|gap| gap.len() <= BETWEEN).filter(is_free).filter(|gap| !gap.is_empty()).collect::<Vec<_>>()
    };
    let (old_gaps, new_gaps) = (gaps(0), gaps(1));
    if old_gaps.len() == new_gaps.len() {
        let between = old_gaps.into_iter().zip(new_gaps);
        let name = |lines: &Range<usize>| listings[1].selector_of_lines(lines);
        parts.extend(between.map(|(old, new)| Part { name: name(&new), old, new, sentences: Vec::new() }));
    }
    parts
}

/// Returns the innermost definition that has each line.
fn holders(listing: &Listing) -> Vec<Option<usize>> {
    let mut holders = vec![None; listing.line_count()];
    // Definitions are in the order in which they begin, so inner ones come after outer ones.
    for (at, symbol) in listing.symbols().iter().enumerate() {
        for line in symbol.lines.clone() {
            if let Some(holder) = holders.get_mut(line) {
                *holder = Some(at);
            }
        }
    }
    holders
}

/// Returns the change of a part outside of what a page shows; `None` if there is none that matters to an unchanged text.
fn of_part(
    pair: &Pair<'_>,
    matches: &Matches<'_>,
    listings: [&Listing; 2],
    shown: [&ShownLines; 2],
    part: Part,
) -> Option<Change> {
    let ranges = [part.old.clone(), part.new.clone()];
    let sides = [0, 1].map(|side: usize| lines::visible(listings[side], ranges[side].clone()));
    let mut changed = Vec::new();
    let mut numbers: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    for gap in lines::unshown(&sides, shown) {
        let of = |side: usize| &sides[side][gap[side].clone()];
        if !is_other(&code(listings[0], of(0)), &code(listings[1], of(1)), listings[1].source().path()) {
            continue;
        }
        for (side, sign) in [(0, Sign::Old), (1, Sign::New)] {
            let lines = of(side);
            changed.extend(lines.iter().map(|(_, text)| Line::new(sign, *text)));
            numbers[side].extend(lines.iter().map(|(line, _)| *line));
        }
    }
    let new_lines = part.new.clone();
    let mut quotes = matches.unchanged_on(listings[1].source().path(), |line| new_lines.contains(&line));
    if !part.name.starts_with(['#', 'L']) && quotes.is_empty() && part.sentences.is_empty() {
        return None;
    }
    quotes.extend(part.sentences);
    if part.name.starts_with('L') {
        // The notes next to it: those on the lines directly above and below.
        quotes.extend(matches.unchanged_on(listings[1].source().path(), |line| {
            line + BETWEEN >= new_lines.start && line < new_lines.end + BETWEEN
        }));
    }
    if changed.is_empty() || quotes.is_empty() {
        return None;
    }
    let file = listings[1].source().path();
    let what = match (&numbers[0][..], &numbers[1][..]) {
        (gone, []) => format!("{} removed", of_lines(gone)),
        ([], fresh) => format!("{} added", of_lines(fresh)),
        (_, fresh) => format!("{} changed", of_lines(fresh)),
    };
    let is_between = part.name.starts_with('L');
    let what = match part.name.strip_prefix('#') {
        _ if is_between => format!("{what} in `{file}`, between what is shown"),
        Some(selector) => format!("{what} in `{file}#{selector}`, to which a sentence links"),
        None => format!("{what} in `{}` of `{file}`, outside of what is shown", part.name),
    };
    let (side, line) = match (numbers[1].first(), numbers[0].first()) {
        (Some(line), _) => (1, *line),
        (None, line) => (0, line.copied().unwrap_or_default()),
    };
    let place = Place::of_line(file, line + 1, side == 0);
    changed.truncate(MOST_LINES);
    let change = Change::new(Kind::CodeAroundNotes, what).on(&pair.new).at(place).lines(changed);
    Some(Change { quotes, ..change })
}

/// Returns the lines that are more than comments.
fn code(listing: &Listing, lines: &[(usize, &str)]) -> Vec<String> {
    let whole = SelectedRows { rows: Vec::new(), indent: 0, written: Vec::new() };
    let lines = lines.iter().filter(|(line, _)| !whole.line(listing, *line).is_comment());
    lines.map(|(_, text)| (*text).to_owned()).collect()
}

/// Names lines, which are given from 0 and sorted: `lines 6-7`.
fn of_lines(lines: &[usize]) -> String {
    match lines {
        [] => "nothing".to_owned(),
        [only] => format!("line {}", only + 1),
        [first, .., last] if last - first + 1 == lines.len() => format!("lines {}-{}", first + 1, last + 1),
        _ => format!("{} lines", lines.len()),
    }
}
