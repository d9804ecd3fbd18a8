//! Checks what the front matter of a track says about its reading map: the questions of groups, and ways through the track.

use super::graph::{place, resolve};
use super::{Course, PageId};
use infralens_page::Kind;
use infralens_source::diag::{Diagnostic, codes, similar};
use infralens_source::yaml::Spanned;

/// A way through a track: some of its pages, for readers with one purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// Its name: "We train models".
    pub name: String,
    /// The labs and sections that it consists of, as written.
    pub pages: Vec<PageId>,
}

/// The most ways through a track: the style sheet has rules for so many.
const MAX_WAYS: usize = 8;

/// Sets the ways through every track. Reports groups and pages that the track does not have, and ways that are too many.
pub fn find(course: &mut Course) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for track in 0..course.tracks.len() {
        diagnostics.extend(unknown_groups(course, track));
        let ways = ways(course, track, &mut diagnostics);
        course.tracks[track].ways = ways;
    }
    diagnostics
}

/// Reports questions of groups that no lab of the track has.
fn unknown_groups(course: &Course, track: usize) -> Vec<Diagnostic> {
    let front = course.tracks[track].page;
    let labs: Vec<PageId> = course.members(track, Kind::Lab).collect();
    // If a lab cannot be read, its group is unknown.
    let Some(written) = course.pages[front].front().filter(|_| labs.iter().all(|&lab| course.pages[lab].is_whole()))
    else {
        return Vec::new();
    };
    let groups = || labs.iter().filter_map(|&lab| Some(&*course.pages[lab].lab()?.group.as_ref()?.value));
    let unknown =
        written.track.groups.0.iter().map(|(name, _)| name).filter(|name| groups().all(|it| *it != *name.value));
    let error = |name: &Spanned<String>| {
        let message = format!("no lab of track `{}` has the group `{}`", course.tracks[track].name, name.value);
        Diagnostic::new(codes::E0401, place(course, front, name), message)
            .meant(similar(&name.value, groups()))
            .help("write the name as in `group` of the labs")
    };
    unknown.map(error).collect()
}

fn ways(course: &Course, track: usize, diagnostics: &mut Vec<Diagnostic>) -> Vec<Way> {
    let front = course.tracks[track].page;
    let Some(written) = course.pages[front].front() else { return Vec::new() };
    if let Some((name, _)) = written.track.ways.0.get(MAX_WAYS) {
        let message = format!("a track can have at most {MAX_WAYS} ways through it");
        diagnostics.push(Diagnostic::new(codes::E0108, place(course, front, name), message).label("one too many"));
    }
    let mut ways = Vec::new();
    for (name, written) in written.track.ways.0.iter().take(MAX_WAYS) {
        let mut pages = Vec::new();
        for written in written {
            match resolve(course, front, written, &[Kind::Lab, Kind::Section]) {
                Ok(page) if course.pages[page].track == Some(track) => pages.push(page),
                Ok(_) => {
                    let message = format!("`{}` is in another track", written.value);
                    let error = Diagnostic::new(codes::E0401, place(course, front, written), message);
                    diagnostics.push(error.help("a way leads through labs and sections of its own track"));
                }
                Err(diagnostic) => diagnostics.push(*diagnostic),
            }
        }
        ways.push(Way { name: name.value.clone(), pages });
    }
    ways
}
