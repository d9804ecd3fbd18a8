//! `coverage`: code and sections that the course has but never explains.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use pulldown_cmark::Event;

use super::{Input, at};
use infralens_course::course::{starter, url};
use infralens_page::{Excerpt, Kind};
use infralens_render::Subject;
use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::project::File;
use infralens_source::selector::FileRef;
use infralens_starter::Listing;

/// Reports regions that no page shows, excerpts without notes, sections without a lab, and starter files that no page names.
pub fn coverage(input: Input<'_>) -> Vec<Diagnostic> {
    let mut found = regions(input);
    for subject in input.subjects {
        found.extend(unexplained(subject));
        found.extend(unpracticed(input, subject));
    }
    found.extend(unnamed(input));
    found
}

/// Marks the lines of a starter that an excerpt shows or a formula reads: all lines if its selectors are invalid, which is
/// an error.
fn shown(listing: &Listing, file: &FileRef, lines: &mut [bool]) {
    let ranges: Result<Vec<_>, _> = file.selectors.iter().map(|(selector, _)| listing.select(selector)).collect();
    match ranges {
        Ok(ranges) if !ranges.is_empty() => ranges.into_iter().for_each(|range| lines[range].fill(true)),
        _ => lines.fill(true),
    }
}

/// Reports regions of which no page shows a line.
fn regions(input: Input<'_>) -> Vec<Diagnostic> {
    let mut all: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for subject in input.subjects {
        let body = &subject.document.body;
        let read = body.pieces().map(|piece| &piece.file);
        for file in body.excerpts.iter().flat_map(Excerpt::files).chain(read) {
            let path = starter::named(subject.main_file, &file.path);
            let known = path.ok().and_then(|path| input.cx.listings.get_key_value(path.as_str()));
            if let Some((path, listing)) = known {
                let lines = all.entry(path).or_insert_with(|| vec![false; listing.line_count()]);
                shown(listing, file, lines);
            }
        }
    }
    let listings = input.cx.listings.iter();
    listings.flat_map(|(path, listing)| unshown(listing, all.get(path.as_ref()).map_or(&[], Vec::as_slice))).collect()
}

/// Reports the regions of a file that have lines but none that is set in `lines`.
fn unshown(listing: &Listing, lines: &[bool]) -> Vec<Diagnostic> {
    // Prefix sums: of the first `n` lines, `seen[n]` are shown and `visible[n]` are not markers. The difference between both
    // ends of a region counts its lines.
    let (mut seen, mut visible) = (vec![0_usize], vec![0_usize]);
    for line in 0..listing.line_count() {
        let is_code = !listing.is_marker(line);
        seen.push(seen[line] + usize::from(is_code && lines.get(line) == Some(&true)));
        visible.push(visible[line] + usize::from(is_code));
    }
    let source = listing.source();
    let hidden = listing.regions().iter().filter(|region| {
        let (start, end) = (region.lines.start, region.lines.end);
        visible[end] > visible[start] && seen[end] == seen[start]
    });
    hidden
        .map(|region| {
            let span = source.start() + region.marker.start..source.start() + region.marker.end;
            let message = format!("no page shows the region `{}`", region.name);
            let place = source.place(span);
            let file = source.path().strip_prefix("code/").unwrap_or(source.path());
            let diagnostic = listing.placed(Diagnostic::new(codes::COVERAGE, place, message));
            diagnostic.help(format!("show it in an excerpt, `file={file}#{}`, or remove its markers", region.name))
        })
        .collect()
}

/// Reports excerpts of labs and sections without notes.
fn unexplained(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let document = subject.document;
    let is_read = matches!(document.placement.kind, Kind::Lab | Kind::Section);
    // What a command printed is no code that would need an explanation line by line.
    let is_code = |excerpt: &&Excerpt| !excerpt.file.path.starts_with(starter::RECORD);
    let bare = document.body.excerpts.iter().filter(|excerpt| is_read && excerpt.notes.is_empty()).filter(is_code);
    bare.map(|excerpt| {
        at(document, excerpt.head.clone(), codes::COVERAGE, "no note explains this excerpt")
            .help("explain its lines in a numbered list directly below, or link to the code instead of showing it")
    })
    .collect()
}

/// Reports a section that no lab practices.
fn unpracticed(input: Input<'_>, subject: &Subject<'_>) -> Option<Diagnostic> {
    let page = &input.cx.course.pages[subject.page.filter(|_| subject.document.placement.kind == Kind::Section)?];
    let title = &subject.document.front.common.title;
    (page.handbook.is_empty() && !title.span.is_empty()).then(|| {
        let message = format!("no lab practices the section `{}`", &**title);
        let name = &subject.document.placement.name;
        at(subject.document, title.span.clone(), codes::COVERAGE, message)
            .help(format!("write `{name}` under `handbook:` of a lab that practices it"))
    })
}

/// Reports files of `code/`, except READMEs, that no page or README names.
fn unnamed(input: Input<'_>) -> Vec<Diagnostic> {
    let images: BTreeSet<&str> = input.pages.iter().flat_map(|page| &page.images).map(Arc::as_ref).collect();
    let files = input.cx.project.below("code").filter(|(path, file)| {
        let is_known = input.cx.listings.contains_key(*path) || images.contains(path.as_ref());
        !is_known
            && !starter::is_record(path)
            && !matches!(file, File::Refused(_))
            && url::file_name(path) != "README.md"
    });
    let mut files: BTreeSet<&Arc<str>> = files.map(|(path, _)| path).collect();
    let names: HashSet<&str> = files.iter().map(|path| url::file_name(path)).collect();
    for subject in input.subjects.iter().filter(|_| !names.is_empty()) {
        for path in mentioned(subject, &names) {
            files.remove(&Arc::from(path));
        }
    }
    let unnamed = files.into_iter().map(|path| {
        let message = format!("no page or README names `{path}`");
        Diagnostic::new(codes::COVERAGE, Place::file(Arc::clone(path)), message)
            .help("show it, link it or name it where a reader needs it, or remove it")
    });
    unnamed.collect()
}

/// Returns the paths that the words of a page's code spans may refer to, relative to `code/`, to the root of the course,
/// or to the folder of the page. Only words with one of the file names `names` count.
fn mentioned(subject: &Subject<'_>, names: &HashSet<&str>) -> Vec<String> {
    let document = subject.document;
    let path = document.source.path();
    let own = subject.main_file.map(url::folder);
    let folder = own.or_else(|| (document.placement.kind == Kind::Readme).then(|| url::folder(path)));
    let run = document.front.lab.as_ref().and_then(|lab| lab.starter.run.as_ref()).map(|run| run.value.as_str());
    let spans = document.body.events.iter().filter_map(|(event, _)| match event {
        Event::Code(code) => Some(code.into_string()),
        _ => None,
    });
    let spans: Vec<String> = spans.collect();
    let words = run
        .into_iter()
        .chain(spans.iter().map(String::as_str))
        .flat_map(str::split_whitespace)
        .map(|word| word.trim_start_matches("./"));
    let mut found = Vec::new();
    for word in words.filter(|word| names.contains(url::file_name(word))) {
        found.extend(folder.map(|folder| format!("{folder}/{word}")));
        found.push(format!("code/{word}"));
        found.push(word.to_string());
    }
    found
}
