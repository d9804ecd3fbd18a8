//! Binds calculators to the code that they compute, which an excerpt of the same page must show. If that excerpt is stale,
//! the calculator must be read again.

use super::super::page::ResolvedExcerpt;
use super::super::pin::{Drift, State};
use super::super::{Context, Subject, select};
use infralens_course::course::starter;
use infralens_page::{Calculator, fence};
use infralens_source::diag::{Diagnostic, codes};
use infralens_starter::excerpt::Row;

/// Checks the `file=` of each calculator, and adds the calculators to the drifts of the excerpts that show their code.
pub fn bind(
    cx: Context<'_>,
    subject: Subject<'_>,
    excerpts: &[ResolvedExcerpt],
    drifts: &mut [Drift],
    out: &mut Vec<Diagnostic>,
) {
    let source = &subject.document.source;
    for block in &subject.document.body.values {
        let Some(Calculator { title, file: Some((file, span)), .. }) = &block.calculator else { continue };
        if file.is_unread {
            continue;
        }
        let Ok(path) = starter::named(subject.main_file, &file.path) else { continue };
        let of_file: Vec<&ResolvedExcerpt> =
            excerpts.iter().filter(|excerpt| **excerpt.listing.source().path() == *path).collect();
        let listing = cx.listings.get(path.as_str());
        let lines = listing.map(|listing| select::all_or_none(source, &file.selectors, listing, out));
        let Some(lines) = lines.unwrap_or_else(|| Some(Vec::new())) else { continue };
        let shows = |excerpt: &&&ResolvedExcerpt| {
            let is_shown =
                |line: usize| excerpt.listing.is_marker(line) || excerpt.shown.rows.contains(&Row::Line(line));
            lines.iter().all(|lines| lines.clone().all(is_shown))
        };
        let Some(excerpt) = of_file.iter().find(shows) else {
            let message = "no excerpt of this page shows the code of this calculator";
            out.push(source.diagnostic(codes::E0609, span.clone(), message).help(format!(
                "show it in a fence with `file={}`, or name code that the page shows",
                source.text()[span.clone()].trim()
            )));
            continue;
        };
        let head = source.place(fence::head(source, &block.span));
        for drift in drifts.iter_mut().filter(|drift| drift.excerpt == excerpt.index) {
            if drift.state == State::Unaffected {
                drift.state = State::Changed(Vec::new());
                drift.diagnostic.code = codes::E0316;
                drift.diagnostic.severity = codes::E0316.severity();
            }
            let label = format!("the calculator “{title}” computes this code: read it again, too");
            drift.diagnostic.related.push((head.clone(), label));
        }
    }
}
