//! Resolves the two names on the command line: the page to move, and its new place.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Refusal, below_content, without_extension};
use infralens_page::placement::{self, Number};
use infralens_page::{Document, Kind, Placement};
use infralens_source::diag::nearest;
use infralens_source::project::Project;
use infralens_source::url;

/// The name of a page as typed on the command line.
#[derive(Debug, Clone)]
pub struct PageName<'a> {
    pub text: &'a str,
    /// The text as a path from the current folder, relative to the course's root; `None` outside the course.
    pub path: Option<String>,
}

/// The new place of a page.
#[derive(Debug)]
pub struct Target {
    pub path: Arc<str>,
    /// Its place in the course.
    pub placement: Placement,
}

/// Finds a page of any kind by its path from the course's root, from `content/` or from the current folder, or by a short
/// name.
pub fn find_any<'a>(pages: &'a [Document], typed: &PageName<'_>) -> Result<&'a Document, Refusal> {
    let text = typed.text;
    match meant(pages, typed).as_slice() {
        [page] => Ok(page),
        [] => {
            let paths = pages.iter().map(|page| page.source.path().as_ref());
            let names: BTreeSet<String> = pages.iter().flat_map(short_names).collect();
            let refused = Refusal::new(format!("there is no page `{text}`"));
            // A part of a name is enough to tell which page is meant.
            let mut parts =
                pages.iter().filter(|page| text.len() > 2 && short_names(page).iter().any(|name| name.contains(text)));
            let only = parts.next().filter(|_| parts.next().is_none()).map(|page| page.source.path().as_ref());
            Err(match nearest(text, names.iter().map(String::as_str).chain(paths)).or(only) {
                Some(near) => refused.help(format!("did you mean `{near}`?")),
                None => refused.help("write its file, `content/….md`, or in short `TRACK/lab-NN-slug` or `TRACK/slug`"),
            })
        }
        several => {
            let paths = several.iter().map(|page| format!("`{}`", page.source.path()));
            Err(Refusal::new(format!("`{text}` could be {}", paths.collect::<Vec<_>>().join(" or ")))
                .help("write the whole path"))
        }
    }
}

/// Returns the pages that a name can mean: the one at this path, or those with this short name.
pub fn meant<'a>(pages: &'a [Document], typed: &PageName<'_>) -> Vec<&'a Document> {
    let at = |path: &str| pages.iter().find(|page| **page.source.path() == *path);
    let by_path = at(typed.text.trim_start_matches("./")).or_else(|| typed.path.as_deref().and_then(at));
    match by_path.or_else(|| at(&format!("content/{}", typed.text))) {
        Some(page) => vec![page],
        None => pages.iter().filter(|page| short_names(page).contains(typed.text)).collect(),
    }
}

/// Finds a page that can be moved, by the same names.
pub fn find<'a>(pages: &'a [Document], typed: &PageName<'_>) -> Result<&'a Document, Refusal> {
    let page = find_any(pages, typed)?;
    match fixed_role(page.placement.kind) {
        Some(what) => Err(Refusal::new(format!("`{}` cannot be moved: it is {what}", page.source.path()))
            .help("its place makes it that; only labs, sections and ordinary pages can be moved")),
        None => Ok(page),
    }
}

/// Describes a page whose role depends on its place; `None` if the page can be moved.
fn fixed_role(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Lab | Kind::Section | Kind::Page => None,
        Kind::Home => Some("the home page"),
        Kind::Glossary => Some("the glossary"),
        Kind::Track => Some("the front page of a track"),
        Kind::Labs => Some("the labs page of a track"),
        Kind::Practice => Some("the practice page of a track"),
        Kind::Readme => Some("a starter's README"),
        Kind::Outside => Some("not a page of the course"),
    }
}

/// Returns the short names of a page: `t/lab-01-x`, `t/01-x` and `t/x`, and the first two without the track; for a track's
/// front page `t`; for any other page its path below `content/`.
fn short_names(page: &Document) -> BTreeSet<String> {
    let path = page.source.path();
    let below = without_extension(below_content(path));
    let stem = url::file_name(below);
    match (&page.placement.track, page.placement.kind) {
        (Some(track), Kind::Lab | Kind::Section) => {
            BTreeSet::from([format!("{track}/{}", page.placement.name), format!("{track}/{stem}"), stem.to_owned()])
        }
        (Some(track), Kind::Track) => BTreeSet::from([track.to_string(), below.to_owned()]),
        _ => BTreeSet::from([below.to_owned()]),
    }
}

/// Returns the new place of `page`, if that place exists in the course and is free.
pub fn target(pages: &[Document], project: &Project, page: &Document, typed: &PageName<'_>) -> Result<Target, Refusal> {
    let old = page.source.path();
    let path = new_path(page, typed)?;
    let placement = placement::place(&path).map_err(|found| Refusal::new(found.message).help(found.help))?;
    let target = Target { path: Arc::from(path), placement };
    check_kind(page, &target)?;
    if target.path == *old {
        return Err(Refusal::new(format!("`{old}` already has this name")));
    }
    if project.files.contains_key(&target.path) || project.has_folder(&target.path) {
        return Err(Refusal::new(format!("`{}` exists already", target.path))
            .help("nothing is overwritten: choose another name, or move it away first"));
    }
    check_track(pages, &target)?;
    check_free(pages, page, &target)?;
    Ok(target)
}

/// Returns the path that a typed name means for `page`.
pub fn new_path(page: &Document, typed: &PageName<'_>) -> Result<String, Refusal> {
    let old = page.source.path();
    Ok(match typed.text.strip_suffix(".md") {
        Some(_) => written_path(old, typed)?,
        None if typed.text.starts_with("content/") && typed.text.ends_with('/') => {
            format!("{}{}", typed.text, url::file_name(old))
        }
        None if typed.text.starts_with("content/") => format!("{}.md", typed.text),
        None => short_path(&page.placement, old, typed.text),
    })
}

/// Resolves a typed file name: from the course's root, from the current folder, or in the folder of the old file.
fn written_path(old: &str, typed: &PageName<'_>) -> Result<String, Refusal> {
    let in_content = |path: &&str| path.starts_with("content/");
    let text = typed.text.trim_start_matches("./");
    if let Some(path) = Some(text).filter(in_content).or(typed.path.as_deref().filter(in_content)) {
        return Ok(path.to_owned());
    }
    if text.contains('/') {
        return Err(Refusal::new(format!("`{}` is not below `content/`", typed.text))
            .help("write the path from the course's root or from the current folder"));
    }
    Ok(format!("{}/{text}", url::folder(old)))
}

/// Completes a short name with the parts that stay: the track, the number or slug of a lab or section, the folder of
/// another page. A short name that ends in `/` keeps the whole file name.
fn short_path(old: &Placement, path: &str, text: &str) -> String {
    let (folder, name) = text.rsplit_once('/').map_or((None, text), |(folder, name)| (Some(folder), name));
    let track = folder.or(old.track.as_deref()).unwrap_or_default();
    let stem = without_extension(url::file_name(path));
    let name = if name.is_empty() { stem } else { name };
    match old.kind {
        Kind::Lab => {
            let slug = stem.splitn(3, '-').nth(2).unwrap_or_default();
            let name = if name.strip_prefix("lab-").is_some_and(is_number) {
                format!("{name}-{slug}")
            } else {
                name.to_owned()
            };
            format!("content/tracks/{track}/labs/{name}.md")
        }
        Kind::Section => {
            let (number, slug) = stem.split_once('-').unwrap_or_default();
            let name = match name.split_once('-') {
                _ if is_number(name) => format!("{name}-{slug}"),
                Some((digits, _)) if is_number(digits) => name.to_owned(),
                _ => format!("{number}-{name}"),
            };
            format!("content/tracks/{track}/handbook/{name}.md")
        }
        _ => match folder {
            Some(folder) => format!("content/{folder}/{name}.md"),
            None => format!("{}/{name}.md", url::folder(path)),
        },
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn check_kind(page: &Document, target: &Target) -> Result<(), Refusal> {
    let name = |kind| fixed_role(kind).unwrap_or_else(|| noun(kind));
    let (old, new) = (page.placement.kind, target.placement.kind);
    if old == new {
        return Ok(());
    }
    let message = format!("`{}` would be {}, and `{}` is {}", target.path, name(new), page.source.path(), name(old));
    Err(Refusal::new(message).help("a page cannot change its kind, because each kind has its own front matter"))
}

/// Describes a page that can be moved.
fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Lab => "a lab",
        Kind::Section => "a section",
        _ => "an ordinary page",
    }
}

fn check_track(pages: &[Document], target: &Target) -> Result<(), Refusal> {
    let Some(track) = &target.placement.track else { return Ok(()) };
    let fronts = pages.iter().filter(|page| page.placement.kind == Kind::Track);
    let tracks: Vec<&str> = fronts.filter_map(|page| page.placement.track.as_deref()).collect();
    if tracks.contains(&&**track) {
        return Ok(());
    }
    let refused = Refusal::new(format!("there is no track `{track}`"));
    Err(match nearest(track, tracks) {
        Some(near) => refused.help(format!("did you mean `{near}`?")),
        None => refused.help(format!("a track has a front page, `content/tracks/{track}/index.md`")),
    })
}

/// Checks that no other page has the new number, URL or alias.
fn check_free(pages: &[Document], page: &Document, target: &Target) -> Result<(), Refusal> {
    let new = &target.placement;
    let others = || pages.iter().filter(|other| other.source.path() != page.source.path());
    let siblings = || others().filter(|other| other.placement.kind == new.kind && other.placement.track == new.track);
    let number = |other: &Document| other.placement.number.as_ref().map(|number| number.value);
    if let Some(wanted) = &new.number
        && let Some(other) = siblings().find(|other| number(other) == Some(wanted.value))
    {
        // The page's own number is not a suggestion.
        let taken: BTreeSet<u64> = siblings().chain([page]).filter_map(number).collect();
        let message = format!("`{}` already has the number {}", other.source.path(), wanted.text);
        return Err(Refusal::new(message).help(free_number(&taken, wanted)));
    }
    // URLs that differ only in case are one file on many systems.
    let url = new.url.to_lowercase();
    if let Some(other) = others().find(|other| other.placement.url.to_lowercase() == url) {
        return Err(Refusal::new(format!("`{}` already has the URL `{}`", other.source.path(), other.placement.url))
            .help("choose another slug"));
    }
    let aliased = |other: &&Document| other.front.common.aliases.iter().any(|alias| alias.to_lowercase() == url);
    if let Some(other) = others().find(aliased) {
        return Err(Refusal::new(format!("`{}` is an old URL of `{}`", new.url, other.source.path()))
            .help("readers who follow it would get another page: choose another name, or remove it from `aliases`"));
    }
    Ok(())
}

/// Returns help with the first free number after the one that is taken.
fn free_number(taken: &BTreeSet<u64>, wanted: &Number) -> String {
    let mut free = wanted.value;
    while taken.contains(&free) {
        free += 1;
    }
    format!("{free:02} is free; gaps are allowed")
}
