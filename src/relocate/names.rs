//! Which page a name means, and which place another name means for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Refusal;
use crate::course::url;
use crate::diag::nearest;
use crate::document::placement::{self, Number};
use crate::document::{Document, Kind, Placement};
use crate::project::Project;

/// A name as it was typed.
#[derive(Debug, Clone)]
pub struct Typed<'a> {
    /// What was typed.
    pub text: &'a str,
    /// The file that it would be, from the course's root; nothing outside the course.
    pub path: Option<String>,
}

/// Where a page goes.
#[derive(Debug)]
pub struct Target {
    /// Its file.
    pub path: Arc<str>,
    /// Its place in the course.
    pub placement: Placement,
}

/// The page that is meant: by its file from the course's root, by its file from the current folder, or in short.
pub fn find<'a>(pages: &'a [Document], typed: &Typed<'_>) -> Result<&'a Document, Refusal> {
    let at = |path: &str| pages.iter().find(|page| **page.source.path() == *path);
    let by_path = at(typed.text.trim_start_matches("./")).or_else(|| typed.path.as_deref().and_then(at));
    let page = match by_path {
        Some(page) => page,
        None => find_short(pages, typed.text)?,
    };
    match fixed(page.placement.kind) {
        Some(what) => Err(Refusal::new(format!("`{}` cannot be moved: it is {what}", page.source.path()))
            .help("its place is what makes it that; labs, sections and other pages can be moved")),
        None => Ok(page),
    }
}

/// What a page is by its very place, if that is so.
fn fixed(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Lab | Kind::Section | Kind::Page => None,
        Kind::Home => Some("the home page"),
        Kind::Glossary => Some("the glossary"),
        Kind::Track => Some("the front page of a track"),
        Kind::Labs => Some("the labs page of a track"),
        Kind::Practice => Some("the practice page of a track"),
        Kind::Readme => Some("a starter's README"),
    }
}

fn find_short<'a>(pages: &'a [Document], text: &str) -> Result<&'a Document, Refusal> {
    let mut known: BTreeMap<String, Vec<&Document>> = BTreeMap::new();
    for page in pages {
        for name in short_names(page) {
            known.entry(name).or_default().push(page);
        }
    }
    match known.get(text).map(Vec::as_slice) {
        Some([page]) => Ok(page),
        Some(several) => {
            let paths = several.iter().map(|page| format!("`{}`", page.source.path()));
            Err(Refusal::new(format!("`{text}` could be {}", paths.collect::<Vec<_>>().join(" or ")))
                .help("write the whole path"))
        }
        None => {
            let paths = pages.iter().map(|page| page.source.path().as_ref());
            let refused = Refusal::new(format!("there is no page `{text}`"));
            Err(match nearest(text, known.keys().map(String::as_str).chain(paths)) {
                Some(near) => refused.help(format!("did you mean `{near}`?")),
                None => refused.help("write its file, `content/….md`, or in short `TRACK/lab-NN-slug` or `TRACK/slug`"),
            })
        }
    }
}

/// What a page is called beside its path: `t/lab-01-x`, `t/01-x` and `t/x`, and the first two without the track; a track's
/// front page `t`; any other page by its path below `content/`.
fn short_names(page: &Document) -> BTreeSet<String> {
    let path = page.source.path();
    let below = path.trim_start_matches("content/").trim_end_matches(".md");
    let stem = url::file_name(below);
    match (&page.placement.track, page.placement.kind) {
        (Some(track), Kind::Lab | Kind::Section) => {
            BTreeSet::from([format!("{track}/{}", page.placement.name), format!("{track}/{stem}"), stem.to_owned()])
        }
        (Some(track), Kind::Track) => BTreeSet::from([track.to_string(), below.to_owned()]),
        _ => BTreeSet::from([below.to_owned()]),
    }
}

/// Where `page` goes, if the course has that place and nothing is there.
pub fn target(pages: &[Document], project: &Project, page: &Document, typed: &Typed<'_>) -> Result<Target, Refusal> {
    let old = page.source.path();
    let path = match typed.text.strip_suffix(".md") {
        Some(_) => written_path(old, typed)?,
        None if typed.text.starts_with("content/") && typed.text.ends_with('/') => {
            format!("{}{}", typed.text, url::file_name(old))
        }
        None if typed.text.starts_with("content/") => format!("{}.md", typed.text),
        None => short_path(&page.placement, old, typed.text),
    };
    let placement = placement::place(&path).map_err(|(message, help)| Refusal::new(message).help(help))?;
    let target = Target { path: Arc::from(path), placement };
    check_kind(page, &target)?;
    if target.path == *old {
        return Err(Refusal::new(format!("`{old}` is there already")));
    }
    if project.files.contains_key(&target.path) || project.has_folder(&target.path) {
        return Err(Refusal::new(format!("`{}` exists already", target.path))
            .help("nothing is overwritten: choose another name, or move it away first"));
    }
    check_track(pages, &target)?;
    check_free(pages, page, &target)?;
    Ok(target)
}

/// A file that was typed: from the course's root, else from the current folder, else beside the old one.
fn written_path(old: &str, typed: &Typed<'_>) -> Result<String, Refusal> {
    let in_content = |path: &&str| path.starts_with("content/");
    let text = typed.text.trim_start_matches("./");
    if let Some(path) = Some(text).filter(in_content).or(typed.path.as_deref().filter(in_content)) {
        return Ok(path.to_owned());
    }
    if text.contains('/') {
        return Err(Refusal::new(format!("`{}` is not below `content/`", typed.text))
            .help("write the path from the course's folder or from this one"));
    }
    Ok(format!("{}/{text}", url::folder(old)))
}

/// A short name leaves out what stays: the track, a lab's or a section's number or its slug, another page's folder; what
/// ends in `/` leaves out the whole name.
fn short_path(old: &Placement, path: &str, text: &str) -> String {
    let (folder, name) = text.rsplit_once('/').map_or((None, text), |(folder, name)| (Some(folder), name));
    let track = folder.or(old.track.as_deref()).unwrap_or_default();
    let stem = url::file_name(path).trim_end_matches(".md");
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
    let name = |kind| fixed(kind).unwrap_or_else(|| noun(kind));
    let (old, new) = (page.placement.kind, target.placement.kind);
    if old == new {
        return Ok(());
    }
    let message = format!("`{}` would be {}, and `{}` is {}", target.path, name(new), page.source.path(), name(old));
    Err(Refusal::new(message).help("a page stays what it is: each kind has front matter of its own"))
}

/// What a page that can be moved is.
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

/// The number, the URL and what else only one page can have.
fn check_free(pages: &[Document], page: &Document, target: &Target) -> Result<(), Refusal> {
    let new = &target.placement;
    let others = || pages.iter().filter(|other| other.source.path() != page.source.path());
    let siblings = || others().filter(|other| other.placement.kind == new.kind && other.placement.track == new.track);
    let number = |other: &Document| other.placement.number.as_ref().map(|number| number.value);
    if let Some(wanted) = &new.number
        && let Some(other) = siblings().find(|other| number(other) == Some(wanted.value))
    {
        // Its own number is none to move to.
        let taken: BTreeSet<u64> = siblings().chain([page]).filter_map(number).collect();
        let message = format!("`{}` has the number {} already", other.source.path(), wanted.text);
        return Err(Refusal::new(message).help(free_number(&taken, wanted)));
    }
    // URLs that differ in letter case alone are one file on many systems.
    let url = new.url.to_lowercase();
    if let Some(other) = others().find(|other| other.placement.url.to_lowercase() == url) {
        return Err(Refusal::new(format!("`{}` has the URL `{}` already", other.source.path(), other.placement.url))
            .help("choose another slug"));
    }
    let aliased = |other: &&Document| other.front.common.aliases.iter().any(|alias| alias.to_lowercase() == url);
    if let Some(other) = others().find(aliased) {
        return Err(Refusal::new(format!("`{}` is an old URL of `{}`", new.url, other.source.path()))
            .help("who follows it would find another page there: choose another name, or take it out of `aliases`"));
    }
    Ok(())
}

/// The first number after the one that is taken.
fn free_number(taken: &BTreeSet<u64>, wanted: &Number) -> String {
    let mut free = wanted.value;
    while taken.contains(&free) {
        free += 1;
    }
    format!("{free:02} is free; gaps are allowed")
}
