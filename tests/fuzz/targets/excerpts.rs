//! Code and what is shown of it: selectors, regions and symbols of a file; pins and notes of a lab.

use std::sync::Arc;

use infralens_author::sync::{self, Accept};
use infralens_page::{self as document, placement};
use infralens_site::Drifts;
use infralens_source::change::preview;
use infralens_source::selector::{FileRef, Selector};
use infralens_source::source::Source;
use infralens_starter::{Listing, SelectedRows};

use super::course::{LAB, build, rebuild};
use super::{assert_places_in, assert_places_of, assert_span, text};

/// The first line is a reference such as `a.py#one,L3`, the rest is the file.
pub fn selectors(data: &[u8]) {
    let text = text(data);
    let (line, code) = text.split_once('\n').unwrap_or((&text, ""));
    let (file, errors) = FileRef::parse(line, 0);
    for span in errors.iter().map(|(span, _)| span).chain(file.selectors.iter().map(|(_, span)| span)) {
        assert_span(line, span, "a selector");
    }
    assert_span(line, &file.path_span, "a path");
    for (selector, _) in &file.selectors {
        assert_eq!(Selector::parse(&selector.to_string()).as_ref(), Ok(selector), "a selector reads as it is written");
    }
    let source = Arc::new(Source::new(format!("code/l/{}", file.path), code));
    let (listing, said) = Listing::new(&source);
    assert_places_in(&source, &said);
    check_listing(&listing);
    let ranges: Vec<_> = file.selectors.iter().filter_map(|(selector, _)| listing.select(selector).ok()).collect();
    for lines in &ranges {
        assert!(lines.start <= lines.end && lines.end <= listing.line_count(), "{lines:?}");
    }
    let shown = SelectedRows::new(&listing, ranges);
    let view = shown.view(&listing);
    assert_eq!(view.rows.len(), shown.rows.len());
    for row in 0..view.rows.len() {
        assert!(!view.text(row).contains('\n'));
    }
}

fn check_listing(listing: &Listing) {
    for line in 0..listing.line_count() {
        let tokens: usize = listing.tokens(line).iter().map(|token| token.len as usize).sum();
        assert_eq!(tokens, listing.line(line).len(), "the highlighting covers line {line}");
    }
    let start = listing.source().start();
    for region in listing.regions() {
        let again = Selector::parse(&region.name).expect("a region can be named by a selector");
        assert_eq!(listing.select(&again).expect("it is found"), region.lines, "{}", region.name);
        let marker = region.marker.start + start..region.marker.end + start;
        assert_eq!(listing.source().text().get(marker), Some(region.name.as_str()));
    }
    for symbol in listing.symbols() {
        assert!(symbol.lines.start < symbol.lines.end && symbol.lines.end <= listing.line_count(), "{symbol:?}");
    }
}

/// The file's extension, the file, and the lab's Markdown, with lines `=====` between them.
pub fn pins(data: &[u8]) {
    let text = text(data);
    let mut parts = text.splitn(3, "=====\n");
    let extension = parts.next().unwrap_or_default().trim();
    let code = parts.next().unwrap_or_default();
    let body = parts.next().unwrap_or_default();
    let name = match extension {
        "rs" | "cu" | "cpp" | "sh" | "yaml" | "json" | "md" | "toml" => format!("a.{extension}"),
        _ => "a.py".to_owned(),
    };
    let page = format!(
        "---\ntitle: Lab A\nfocus: f\nreads: r\noutcome: o\nhandbook: [s]\nstarter: {{ file: {name}, type: t, angle: a }}\n---\n\n{body}"
    );
    let built = build(&[(&format!("code/lab-01-a/{name}"), code), (LAB, &page)]);
    assert_places_of(&built.project, &built.diagnostics);
    let drifts: Vec<_> = built.site.drifts().cloned().collect();
    for drift in &drifts {
        assert_span(drift.page.text(), &drift.span, "a drift");
    }
    let plan = sync::plan(Drifts { excerpts: drifts, ..Drifts::default() }, &built.diagnostics, &Accept::All);
    if plan.changes.is_empty() {
        return;
    }
    let after = rebuild(preview(&built.project, &plan.changes), &built.site);
    let left: Vec<usize> = after.site.drifts().map(|drift| drift.excerpt).collect();
    for (drift, line) in &plan.updated {
        assert!(!left.contains(&drift.excerpt), "the excerpt on line {line} was pinned and is as its file");
    }
    let (old, new) = (source(&built.project), source(&after.project));
    assert_eq!(outside(&old), outside(&new), "only bodies of fences are written");
    let drifts = Drifts { excerpts: after.site.drifts().cloned().collect(), ..Drifts::default() };
    let again = sync::plan(drifts, &after.diagnostics, &Accept::All);
    assert!(again.changes.is_empty(), "what is pinned is not pinned again");
}

fn source(project: &infralens_source::project::Project) -> Arc<Source> {
    Arc::clone(project.text(LAB).expect("the lab is there"))
}

/// A page without its excerpts.
fn outside(page: &Arc<Source>) -> Vec<String> {
    let placement = placement::place(page.path()).expect("the lab has its place");
    let (document, _) = document::parse(page, placement);
    let mut at = 0;
    let mut parts = Vec::new();
    for excerpt in &document.body.excerpts {
        parts.push(page.text()[at..excerpt.block.start].to_owned());
        at = excerpt.block.end;
    }
    parts.push(page.text()[at..].to_owned());
    parts
}
