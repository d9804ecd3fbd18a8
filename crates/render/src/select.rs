//! Selects the lines that an excerpt shows. If that fails, the pin helps to find where the code is now.

use super::moved::Moved;
use super::pin::parts;
use infralens_page::{Anchor, Excerpt};
use infralens_source::diag::{Diagnostic, Fix, Near, codes};
use infralens_source::selector::Selector;
use infralens_source::source::{Source, Span};
use infralens_starter::excerpt::Pin;
use infralens_starter::listing::Lines;
use infralens_starter::locate::{Located, Similarity};
use infralens_starter::region::markers;
use infralens_starter::{Listing, SelectedRows};

/// Selects what an excerpt shows, and whether these are the intended lines: no selector failed, and no region involved has
/// unbalanced markers. `None` if there is nothing to show. If the file does not have the code of the pin, `elsewhere` finds it.
pub(super) fn select(
    page: &Source,
    excerpt: &Excerpt,
    listing: &Listing,
    elsewhere: &mut dyn FnMut() -> Moved,
    out: &mut Vec<Diagnostic>,
) -> Option<(SelectedRows, bool)> {
    let (mut ranges, mut failed) = (Vec::new(), Vec::new());
    for (selector, span) in &excerpt.file.selectors {
        match listing.select(selector) {
            Ok(lines) => ranges.push(lines),
            Err(error) => failed.push((selector, span, error)),
        }
    }
    let file = &excerpt.file;
    let is_reliable = failed.is_empty() && !file.is_unread && !is_doubtful(excerpt, listing);
    // A broken marker is reported itself, so errors that follow from it are dropped.
    failed.retain(|(selector, ..)| !listing.is_doubtful(selector));
    let only_failed = failed.len() == 1;
    for (at, (selector, span, error)) in failed.into_iter().enumerate() {
        let code = error.code;
        let mut diagnostic = error.diagnostic(page, code, span, selector);
        match if only_failed { pin_location(excerpt, listing, &ranges) } else { None } {
            Some(found) => {
                diagnostic.help.extend(located_help(&found, listing, selector, true));
                diagnostic = diagnostic.fix(located_fix(&found, listing, page, selector, span));
            }
            None if ranges.is_empty() && at == 0 => elsewhere().explain(&mut diagnostic, true),
            None => {}
        }
        out.push(diagnostic);
    }
    if file.selectors.is_empty() && !file.is_unread {
        ranges.push(0..listing.line_count());
    } else if ranges.is_empty() {
        return None;
    }
    let shown = SelectedRows::new(listing, ranges).omitting(listing, &excerpt.pin);
    if shown.rows.is_empty() {
        if is_reliable {
            let message = format!("this excerpt of `{}` shows no code", listing.source().path());
            let diagnostic = page.diagnostic(codes::E0305, excerpt.head.clone(), message);
            let diagnostic = diagnostic.help("the selected lines are blank or markers");
            let first = file.selectors.first();
            let found = first.and_then(|(first, _)| Some((first, pin_location(excerpt, listing, &[])?)));
            let help = found.map_or_else(Vec::new, |(first, found)| located_help(&found, listing, first, true));
            out.push(help.into_iter().fold(diagnostic, Diagnostic::help));
        }
        return None;
    }
    Some((shown, is_reliable))
}

/// Returns the lines that each of some selectors names, and reports those that name none. `None` if any does, or if the
/// markers of its region do not match, which is reported itself.
pub(super) fn all_or_none(
    page: &Source,
    selectors: &[(Selector, Span)],
    listing: &Listing,
    out: &mut Vec<Diagnostic>,
) -> Option<Vec<Lines>> {
    let mut ranges = Vec::new();
    for (selector, span) in selectors.iter().filter(|(selector, _)| !listing.is_doubtful(selector)) {
        match listing.select(selector) {
            Ok(lines) => ranges.push(lines),
            Err(error) => {
                let diagnostic = page.diagnostic(error.code, span.clone(), error.message);
                out.push(error.help.into_iter().fold(diagnostic, Diagnostic::help));
            }
        }
    }
    (ranges.len() == selectors.len()).then_some(ranges)
}

/// Returns whether an excerpt or one of its notes names a region with unbalanced markers.
fn is_doubtful(excerpt: &Excerpt, listing: &Listing) -> bool {
    let bindings = excerpt.notes.iter().flat_map(|note| &note.bindings);
    let of_notes = bindings.filter_map(|binding| match &binding.from {
        Anchor::Place { selector, .. } => Some(selector),
        Anchor::Token { .. } => None,
    });
    let selectors = excerpt.file.selectors.iter().map(|(selector, _)| selector);
    listing.has_broken_markers() && selectors.chain(of_notes).any(|selector| listing.is_doubtful(selector))
}

/// Finds where the pin's code is now that a selector fails. `others` are the lines of the other selectors.
fn pin_location(excerpt: &Excerpt, listing: &Listing, others: &[Lines]) -> Option<Located> {
    if excerpt.closing.is_none() || excerpt.pin.trim().is_empty() {
        return None;
    }
    let pin = Pin::new(listing.language_path(), &excerpt.pin);
    let view = pin.view(&[]);
    let lines = view.lines();
    let overlap = |one: &Lines, other: &Lines| one.start < other.end && other.start < one.end;
    let is_shown = |located: &Located| others.iter().any(|lines| overlap(lines, &located.lines));
    let mut found = parts(&lines).filter_map(|part| listing.locate(part)).filter(|part| !is_shown(part));
    found.next().filter(|_| found.next().is_none())
}

/// Returns the fix that writes another selector, so that the excerpt shows the code of its pin again: that of a region or
/// symbol if one names these lines. It is sure if lines by number have moved and are the same.
pub(super) fn located_fix(
    located: &Located,
    listing: &Listing,
    page: &Source,
    selector: &Selector,
    span: &Span,
) -> Option<Fix> {
    let is_by_lines = selector.is_by_lines();
    let holder = listing.covering_selector(&located.lines).filter(|(holder, is_all)| *is_all && holder != selector);
    let name = match holder {
        Some((holder, _)) if !is_by_lines => holder.to_string(),
        _ => listing.one_selector_of_lines(&located.lines)?,
    };
    let is_sure = is_by_lines && located.similarity == Similarity::Same;
    Fix::instead(page, span, &selector.to_string(), &Near { name: name.into(), is_sure })
}

/// Describes where the code of a pin is now, and what to write so that the excerpt shows it again. `selector` is
/// the current selector, `is_gone` says whether the file no longer has it.
pub(super) fn located_help(located: &Located, listing: &Listing, selector: &Selector, is_gone: bool) -> Vec<String> {
    let lines = listing.selector_of_lines(&located.lines);
    let location = match located.similarity {
        Similarity::Same => format!("the pin's code is now at `#{lines}`"),
        Similarity::Indented => format!("the pin's code is now at `#{lines}`, with different indentation"),
        Similarity::Most => format!("most of the pin's code is now at `#{lines}`"),
    };
    let mut help = vec![location];
    let holder = listing.covering_selector(&located.lines).filter(|(holder, is_all)| *is_all && holder != selector);
    if let Some((holder, _)) = &holder {
        help.push(format!("write `#{holder}` instead of `#{selector}`: it names these lines"));
    }
    let path = listing.language_path();
    match selector {
        Selector::Region(name) if is_gone => {
            let (above, below) = markers(path, name);
            help.push(format!("put `{above}` above these lines and `{below}` below them"));
        }
        _ if holder.is_some() => {}
        Selector::Region(name) => {
            help.push(format!("move the markers of `{name}` around these lines to show them"));
        }
        Selector::Lines(..) | Selector::Symbol(_) | Selector::Cell(..) => {
            let (above, below) = markers(path, "name");
            let way = format!("write `#{lines}`, or put `{above}` and `{below}` around these lines and write `#name`");
            help.push(way);
        }
    }
    help
}
