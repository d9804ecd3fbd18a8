//! The files of both sites: what differs in them that nothing else has reported, and how large they are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::lines::{self, Line, Sign};
use super::pages::View;
use super::{Change, Kind, PageRef, Place, Size};
use infralens_course::course::{starter, url};
use infralens_page::Kind as PageKind;
use infralens_render::{image, passage};
use infralens_site::{Recipe, Site};
use infralens_source::diag::quantity;
use infralens_source::project::File;
use infralens_theme::Recipe as Made;

/// The maximum number of pages that one change names.
const NAMED: usize = 12;
/// The maximum number of lines of a difference.
const MOST_LINES: usize = 40;
/// The number of lines that show what differs around the text of a page.
const SAMPLE: usize = 6;
/// The number of hex digits of the hash in the name of a style sheet or script.
const DIGITS: usize = 8;

/// The files of a site: the number of bytes and the hash of each.
type Files = BTreeMap<String, (u64, blake3::Hash)>;

/// Makes every file of a site that can be made, and keeps none. Also returns whether there are no faults.
fn made(site: &Site) -> (Files, bool) {
    let files = Mutex::new(Files::new());
    let faults = site.make_all(|path, bytes| {
        let bytes = bytes.as_ref();
        let summary = (bytes.len() as u64, blake3::hash(bytes));
        files.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), summary);
    });
    (files.into_inner().unwrap_or_else(PoisonError::into_inner), faults.is_empty())
}

/// Returns what differs besides `known` changes, and the sizes of both sites if both can be built.
pub(crate) fn changes(sites: [&Site; 2], known: &[Change], can_be_built: bool) -> (Vec<Change>, Option<[Size; 2]>) {
    let mut changes = starters(sites, known);
    changes.extend(files(sites));
    // Pages are compared also where another page has an error.
    let [(old, is_old_sound), (new, is_new_sound)] = sites.map(made);
    changes.extend(look([&old, &new], sites));
    let named: BTreeSet<&str> =
        known.iter().chain(&changes).filter_map(|change| Some(change.page.as_ref()?.url.as_str())).collect();
    let differing = new.iter().filter(|(path, made)| old.get(*path).is_some_and(|before| before != *made));
    let pages = &sites[1].context().course.pages;
    let is_page = |path: &str| match sites[1].output(path).map(|output| &output.recipe) {
        // A practice page repeats the questions of labs.
        Some(Recipe::Theme(Made::Page(page))) if pages[*page].kind == PageKind::Practice => false,
        Some(Recipe::Theme(Made::Page(_) | Made::References)) => !named.contains(path),
        // Other pages are made of the content of these, so they are named only if nothing else has changed.
        _ => path.ends_with(".html") && known.is_empty() && changes.is_empty(),
    };
    let pages: Vec<&str> = differing.map(|(path, _)| path.as_str()).filter(|path| is_page(path)).collect();
    changes.extend(surroundings(sites, &pages));
    let size = |files: &Files| Size { files: files.len(), bytes: files.values().map(|(bytes, _)| bytes).sum() };
    let is_sound = can_be_built && is_old_sound && is_new_sound;
    (changes, is_sound.then(|| [size(&old), size(&new)]))
}

/// Returns the pages that look different although their text, code and figures do not.
fn surroundings(sites: [&Site; 2], pages: &[&str]) -> Option<Change> {
    let texts = sites.map(|site| {
        site.with_maker(|make| {
            let text = |path: &&str| Some(seen(&String::from_utf8_lossy(make(path)?.ok()?.as_ref())));
            pages.iter().map(text).collect::<Vec<Option<String>>>()
        })
    });
    let pairs = texts[0].iter().flatten().zip(texts[1].iter().flatten()).zip(pages);
    let differing: Vec<((&String, &String), &&str)> = pairs.filter(|((old, new), _)| old != new).collect();
    let ((old, new), _) = differing.first()?;
    let mut lines: Vec<Line> = differing.iter().take(NAMED).map(|(_, page)| Line::new(Sign::Same, **page)).collect();
    if differing.len() > NAMED {
        lines.push(Line::new(Sign::Same, format!("and {} more", differing.len() - NAMED)));
    }
    lines.push(Line::new(Sign::Same, "on the first of them:"));
    lines.extend(lines::of_text(old, new).into_iter().take(SAMPLE));
    let (count, word) = (differing.len(), if differing.len() == 1 { "differs" } else { "differ" });
    let what =
        format!("{} {word} only around the text: in navigation, lists, times or numbers", quantity(count, "page"));
    Some(Change::new(Kind::Other, what).lines(lines))
}

/// Returns the text that a page shows.
fn seen(html: &str) -> String {
    passage::seen_text(html).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the change of style sheets, scripts and templates, which are not compared line by line.
fn look([old, new]: [&Files; 2], [base, head]: [&Site; 2]) -> Option<Change> {
    let plain = |path: &str| {
        let is_hash = |part: &&str| part.len() == DIGITS && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        path.split('.').filter(|part| !is_hash(part)).collect::<Vec<_>>().join(".")
    };
    // Other scripts have the content of pages in them.
    let is_look =
        |path: &&String| path.starts_with("assets/") && (path.ends_with(".css") || path.starts_with("assets/site."));
    let names = |files: &Files| files.keys().filter(is_look).cloned().collect::<BTreeSet<String>>();
    let mut changed: BTreeSet<String> = names(old).symmetric_difference(&names(new)).map(|path| plain(path)).collect();
    let templates = |site: &Site| {
        let files = site.project().below("templates");
        files
            .map(|(path, file)| (path.to_string(), file.bytes().map(|bytes| *blake3::hash(bytes).as_bytes())))
            .collect::<BTreeSet<_>>()
    };
    changed.extend(templates(base).symmetric_difference(&templates(head)).map(|(path, _)| path.clone()));
    let lines: Vec<Line> = changed.into_iter().map(|path| Line::new(Sign::Same, path)).collect();
    (!lines.is_empty()).then(|| Change::new(Kind::Other, "style sheets, scripts or templates changed").lines(lines))
}

/// Returns the files that are published as they are and that differ, such as pictures. Those that are gone are addresses.
/// A picture that replaces another is reported once for each page that shows it.
fn files([base, head]: [&Site; 2]) -> Vec<Change> {
    let views = View::all(head);
    let shown = pictures(&views);
    let bytes = |site: &Site, path: &str| site.project().files.get(path).and_then(|file| Some(file.bytes()?.to_vec()));
    let copied = head.outputs().iter().filter_map(|(url, output)| match &output.recipe {
        Recipe::File(from) => Some((url, from)),
        _ => None,
    });
    let changes =
        copied.filter(|(url, from)| !url.starts_with("code/") || image::is_picture(from)).flat_map(|(url, from)| {
            let is_same = |old: &File| head.project().files.get(from).is_some_and(|new| new.is_same(old));
            if base.project().files.get(from).is_some_and(is_same) && base.output(url).is_some() {
                return Vec::new();
            }
            let Some(new) = bytes(head, from) else { return Vec::new() };
            let what = match bytes(base, from).filter(|_| base.output(url).is_some()) {
                Some(old) if old == new => return Vec::new(),
                Some(old) => format!("file `{url}` changed: {} → {} bytes", old.len(), new.len()),
                None => format!("file `{url}` added: {} bytes", new.len()),
            };
            let replaced = shown.get(&**from).filter(|_| what.contains(" changed: "));
            let on_page = |&(view, offset): &(&View<'_>, usize)| {
                let change = Change::new(Kind::Text, what.clone()).on(view).at(view.place(offset));
                Change { picture: Some(Arc::clone(from)), ..change }
            };
            match replaced {
                Some(places) => places.iter().map(on_page).collect(),
                None => vec![Change::new(Kind::Other, what).at(Place::of_line(from, 1, false))],
            }
        });
    changes.collect()
}

/// Returns the pages that show each picture, with the offset at which they first do.
fn pictures<'v, 'a>(views: &'v [View<'a>]) -> BTreeMap<String, Vec<(&'v View<'a>, usize)>> {
    let mut shown: BTreeMap<String, Vec<(&View<'_>, usize)>> = BTreeMap::new();
    for view in views {
        for link in view.document().body.links.iter().filter(|link| link.image) {
            let path = url::join(url::folder(view.path()), &url::decode(&link.target)).unwrap_or_default();
            let places = shown.entry(path).or_default();
            if places.last().is_none_or(|(last, _)| last.path() != view.path()) {
                places.push((view, link.span.start));
            }
        }
    }
    shown
}

/// Returns the changes of starters that only their own pages show.
fn starters([base, head]: [&Site; 2], known: &[Change]) -> Vec<Change> {
    let mut changes = Vec::new();
    for (path, listing) in head.context().listings {
        let page = starter::page_url(path);
        if head.output(&page).is_none() {
            continue;
        }
        let of_page = |change: Change, line: usize| {
            let place = Place::of_line(path, line, false);
            Change { page: Some(PageRef { url: page.clone(), title: path.to_string() }), ..change.at(place) }
        };
        let Some(old) = base.context().listings.get(path) else {
            let what = format!("`{path}` is read now: {}", quantity(listing.line_count(), "line"));
            changes.push(of_page(Change::new(Kind::Code, what), 1));
            continue;
        };
        if old.file().text() == listing.file().text() {
            continue;
        }
        let shown =
            [base, head].map(|site| site.excerpts_of(path).flat_map(|(.., lines)| lines).collect::<BTreeSet<_>>());
        let around = known.iter().filter(|change| change.kind == Kind::CodeAroundNotes);
        let reported: BTreeSet<&str> = around.flat_map(|change| &change.lines).map(|line| line.text.as_str()).collect();
        let sides = [old, listing].map(|listing| lines::visible(listing, 0..listing.line_count()));
        let mut lines = Vec::new();
        let mut first = None;
        for gap in lines::unshown(&sides, [&shown[0], &shown[1]]) {
            let of = |side: usize| &sides[side][gap[side].clone()];
            let all = |is_it: &dyn Fn(&str) -> bool| of(0).iter().chain(of(1)).all(|(_, text)| is_it(text));
            if all(&|text| reported.contains(text)) || all(&str::is_empty) {
                continue;
            }
            first = first.or(Some(of(1).first().map_or(gap[1].start, |(line, _)| *line)));
            lines.extend(of(0).iter().map(|(_, text)| Line::new(Sign::Old, *text)));
            lines.extend(of(1).iter().map(|(_, text)| Line::new(Sign::New, *text)));
        }
        let Some(first) = first else { continue };
        let count = quantity(lines.len(), "line");
        lines.truncate(MOST_LINES);
        let what = format!("`{path}` changed where no page but its own shows it: {count}");
        changes.push(of_page(Change::new(Kind::Code, what).lines(lines), first + 1));
    }
    changes
}
