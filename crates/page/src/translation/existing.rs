//! Puts quotes into a translation that exists without them. A block pairs with a block of the page by its place:
//!
//! 1. as many blocks of the same kinds on both sides are pairs;
//! 2. otherwise both are cut at blocks with code, formulas, targets or an id that one block of each side has alone, or else
//!    at headings, if both have as many of the same levels; and each part is compared in the same way.
//!
//! What has no pair, and what is no translation of its pair by the rules for every translation, is left in a comment.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::pairing::common_sequence;
use super::{Translation, Unit, closed, front, quote};
use crate::blocks::{Block, Kind, blocks, comparable, escaped, kept};
use crate::{Document, parse};
use infralens_source::diag::Severity;
use infralens_source::source::Source;

/// A translation with quotes, made from one without.
#[derive(Debug)]
pub struct Existing {
    pub text: String,
    /// The lines of what could not be taken over, from 1, and why.
    pub left: Vec<(usize, String)>,
}

/// A block of the page or of the translation, and what it alone may have.
struct Side {
    block: Block,
    mark: Option<String>,
}

/// Quotes in a translation the blocks of the page that it translates.
pub fn existing(page: &Document, source: &Arc<Source>) -> Existing {
    let (document, _) = parse::parse(source, page.placement.clone());
    let (ours, theirs) = (sides(page), sides(&document));
    let mut pairs = BTreeMap::new();
    align(&ours, &theirs, (0..ours.len(), 0..theirs.len()), &mut pairs);
    let no_pair = "the page has no block that this certainly translates";
    let reason = |at: usize| (at, no_pair.to_owned());
    let mut left: BTreeMap<usize, String> =
        (0..theirs.len()).filter(|at| theirs[*at].block.has_words).map(reason).collect();
    for (of_page, own) in &pairs {
        let [one, other] = [&ours[*of_page].block, &theirs[*own].block];
        left.remove(own);
        let is_same = one.has_words || comparable(&one.quoted, one.kind) == comparable(&other.quoted, one.kind);
        left.extend((!is_same).then(|| (*own, "this code is not that of the page".to_owned())));
    }
    let head = front::scaffold(page, Some(&document));
    let write = |left: &BTreeMap<usize, String>| write(&head, &ours, &theirs, &pairs, left);
    let source_of = |text: String| Arc::new(Source::new(Arc::clone(source.path()), text));
    let translation = Translation::read(&source_of(write(&left)), page);
    let (_, more) = translation.page(page);
    let errors = translation.diagnostics.iter().chain(&more).filter(|found| found.severity == Severity::Error);
    for (error, (start, _)) in errors.filter_map(|error| Some((error, error.place.span?))) {
        let is_here = |unit: &&Unit| translation.span_of(unit).is_some_and(|span| span.contains(&start));
        let unit = translation.units.iter().find(is_here);
        // Comments are no sides.
        let before = |(at, _)| translation.page_blocks[..at].iter().filter(|block| block.kind != Kind::Comment).count();
        let own = unit.and_then(|unit| unit.pair.map(before)).and_then(|at| pairs.get(&at));
        left.extend(own.map(|own| (*own, error.message.clone())));
    }
    let line = |(at, why): (&usize, &String)| (source.position(theirs[*at].block.span.start).line, why.clone());
    Existing { text: write(&left), left: left.iter().map(line).collect() }
}

fn sides(page: &Document) -> Vec<Side> {
    let found = blocks(&page.source, &page.body).into_iter().filter(|block| block.kind != Kind::Comment);
    let side = |block: Block| {
        let kept = kept(&page.body, std::slice::from_ref(&block));
        let heading = page.body.headings.iter().find(|heading| heading.events.start == block.events.start);
        let lists = [&kept.code, &kept.formulas, &kept.targets].map(|list| list.keys().collect::<Vec<_>>());
        let mark = match heading {
            Some(heading) => Some(heading.id.clone()),
            None if !block.has_words => Some(comparable(&block.quoted, block.kind)),
            None => lists.iter().any(|list| !list.is_empty()).then(|| format!("{lists:?}")),
        };
        Side { mark: mark.map(|mark| format!("{:?} {mark}", block.kind)), block }
    };
    found.map(side).collect()
}

fn align(ours: &[Side], theirs: &[Side], within: (Range<usize>, Range<usize>), pairs: &mut BTreeMap<usize, usize>) {
    let (one, other) = (&ours[within.0.clone()], &theirs[within.1.clone()]);
    if one.iter().map(|side| side.block.kind).eq(other.iter().map(|side| side.block.kind)) {
        pairs.extend(within.0.zip(within.1));
        return;
    }
    let mut cuts = alone(one, other);
    if cuts.is_empty() {
        cuts = headings(one, other);
    }
    if cuts.is_empty() {
        return;
    }
    let ends = (one.len(), other.len());
    let (mut from, at) = ((0, 0), |at: (usize, usize)| (within.0.start + at.0, within.1.start + at.1));
    for cut in cuts.into_iter().chain([ends]) {
        let (start, end) = (at(from), at(cut));
        align(ours, theirs, (start.0..end.0, start.1..end.1), pairs);
        pairs.extend((cut != ends).then_some(end));
        from = (cut.0 + 1, cut.1 + 1);
    }
}

/// Returns the blocks whose marks one block of each side has, in the order of both.
fn alone(ours: &[Side], theirs: &[Side]) -> Vec<(usize, usize)> {
    let places = |sides: &[Side]| {
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, mark) in sides.iter().enumerate().filter_map(|(at, side)| Some((at, side.mark.clone()?))) {
            places.entry(mark).or_default().push(at);
        }
        places.retain(|_, places| places.len() == 1);
        places
    };
    let known = [places(ours), places(theirs)];
    let marks = |side: usize| {
        let common = known[side].iter().filter(|(mark, _)| known[1 - side].contains_key(*mark));
        let mut common: Vec<(usize, &String)> = common.map(|(mark, places)| (places[0], mark)).collect();
        common.sort_unstable();
        common
    };
    common_sequence(&marks(0), &marks(1))
}

/// Returns the headings of both sides if they have the same levels.
fn headings(ours: &[Side], theirs: &[Side]) -> Vec<(usize, usize)> {
    let of = |sides: &[Side]| {
        let level = |(at, side): (usize, &Side)| match side.block.kind {
            Kind::Heading(level) => Some((at, level)),
            _ => None,
        };
        sides.iter().enumerate().filter_map(level).unzip::<_, _, Vec<usize>, Vec<u8>>()
    };
    let ((one, levels), (other, other_levels)) = (of(ours), of(theirs));
    if levels == other_levels { one.into_iter().zip(other).collect() } else { Vec::new() }
}

/// Writes every block of the page that has words as a quote with what translates it, and what is left in comments.
fn write(
    head: &str,
    ours: &[Side],
    theirs: &[Side],
    pairs: &BTreeMap<usize, usize>,
    left: &BTreeMap<usize, String>,
) -> String {
    let (mut text, mut rest) = (head.to_owned(), left.keys().copied().peekable());
    let mut leave = |text: &mut String, before: usize| {
        while let Some(at) = rest.next_if(|at| *at < before) {
            text.extend(["\n<!-- not taken over\n", &escaped(&theirs[at].block.quoted), "\n-->\n"]);
        }
    };
    for (at, ours) in ours.iter().enumerate() {
        let own = pairs.get(&at);
        if let Some(own) = own {
            leave(&mut text, *own);
        }
        if ours.block.has_words {
            text.extend(["\n", &quote(&ours.block.quoted)]);
        }
        let Some(own) = own else { continue };
        if left.contains_key(own) {
            leave(&mut text, own + 1);
        } else if ours.block.has_words {
            text.extend([closed(&theirs[*own].block.quoted).trim_end(), "\n"]);
        }
    }
    leave(&mut text, theirs.len());
    text
}
