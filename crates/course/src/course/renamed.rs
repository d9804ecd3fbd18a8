//! Guesses which page was renamed by hand when a link, a prerequisite or a starter folder still has an old name, and
//! suggests `infralens move`, which renames everything that still has it.

use super::{Course, Summary, starter as starters, url};
use infralens_page::Kind;
use infralens_page::placement::{self, Placement};
use infralens_source::project::Project;

/// Guesses which page had the path `path`, which does not exist. Returns its file, and advice for that case.
pub fn page<'c>(course: &'c Course, project: &Project, path: &str) -> Option<(&'c str, String)> {
    let old = placement::place(path).ok()?;
    let track = course.tracks.iter().position(|track| Some(&track.name) == old.track.as_ref())?;
    let pages = || course.members(track, old.kind).filter_map(|page| course.pages[page].summary.as_ref());
    let has_folder = old.kind == Kind::Lab && has_folder(project, &old.name);
    let page = pages()
        .find(|summary| has_slug_of(&old, &summary.placement))
        .or_else(|| pages().find(|summary| has_folder && lacks_folder(project, summary)))?;
    Some((&page.path, advice(&old, &page.placement, stem(path), stem(&page.path))))
}

/// Guesses which lab of a track had the name `name`. Returns its name, and advice for that case.
pub fn lab<'c>(course: &'c Course, track: usize, name: &str) -> Option<(&'c str, String)> {
    let (_, wanted) = parts(name)?;
    let mut labs = course.members(track, Kind::Lab).filter_map(|page| course.pages[page].summary.as_ref());
    let lab = labs.find(|summary| parts(&summary.placement.name).is_some_and(|(_, slug)| slug == wanted))?;
    let placement = &lab.placement;
    Some((&placement.name, advice(placement, placement, name, &placement.name)))
}

/// Guesses the old starter folder of the lab at `page`. Returns the file in it with the same name as `path`, which is where
/// the file should be, and advice for that case.
pub fn starter<'p>(course: &Course, project: &'p Project, page: &str, path: &str) -> Option<(&'p str, String)> {
    let lab = course.pages[course.page_of(page)?].summary.as_ref().filter(|lab| lab.placement.kind == Kind::Lab)?;
    let new = &lab.placement;
    if url::folder(path) != format!("code/{}", new.name) {
        return None;
    }
    let is_lab = |name: &str| (0..course.tracks.len()).any(|track| course.named(track, Kind::Lab, name).is_some());
    let may_be_moved = |known: &&str| {
        let folder = url::file_name(url::folder(known));
        url::file_name(known) == url::file_name(path)
            && url::folder(known) == format!("code/{folder}")
            && parts(folder).is_some()
            && !is_lab(folder)
    };
    let is_other = |known: &&str| !is_similar(url::file_name(url::folder(known)), &new.name);
    let found = project.below("code").map(|(path, _)| path.as_ref()).filter(may_be_moved).min_by_key(is_other)?;
    let old = url::file_name(url::folder(found));
    Some((found, advice(new, new, old, &new.name)))
}

/// Returns whether two sections, or two labs, have the same slug.
fn has_slug_of(old: &Placement, new: &Placement) -> bool {
    match old.kind {
        Kind::Section => old.name == new.name,
        Kind::Lab => parts(&old.name).map(|(_, slug)| slug) == parts(&new.name).map(|(_, slug)| slug),
        _ => false,
    }
}

fn has_folder(project: &Project, lab: &str) -> bool {
    project.has_folder(&format!("code/{lab}"))
}

/// Returns whether a lab names a file of its own starter folder, but the folder does not exist.
fn lacks_folder(project: &Project, lab: &Summary) -> bool {
    let file = lab.front.lab.as_ref().and_then(|lab| lab.starter.file.as_ref());
    file.is_some_and(|file| starters::is_own(&file.value)) && !has_folder(project, &lab.placement.name)
}

/// Returns whether two names of labs have the same number or the same slug.
fn is_similar(one: &str, other: &str) -> bool {
    let (Some(one), Some(other)) = (parts(one), parts(other)) else { return false };
    one.0 == other.0 || one.1 == other.1
}

/// Splits the name of a lab into the number and the slug.
fn parts(lab: &str) -> Option<(&str, &str)> {
    lab.strip_prefix("lab-")?.split_once('-')
}

fn stem(path: &str) -> &str {
    let name = url::file_name(path);
    name.strip_suffix(".md").unwrap_or(name)
}

fn advice(old: &Placement, new: &Placement, from: &str, to: &str) -> String {
    let track = old.track.as_deref().unwrap_or_default();
    let what = if new.kind == Kind::Lab { "its starter folder and the links to it" } else { "the links to it" };
    format!("if the page was renamed by hand, `infralens move {track}/{from} {to}` renames {what} too")
}
