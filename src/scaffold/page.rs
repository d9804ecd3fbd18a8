//! New sections and tracks.

use super::names::{Pages, Wanted, check_name};
use super::{Plan, Refusal, SITE, config, create, prompts, refuse, tracks};
use crate::change::Change;
use crate::document::Kind;
use crate::project::Project;
use crate::schema;

const SECTION: &str = include_str!("text/section.md");
const TRACK: &str = include_str!("text/track.md");
/// A section that no lab practises yet is no slip.
const UNPRACTISED: &str = include_str!("text/unpractised.yaml");

/// Begins the handbook section `name` (`TRACK/SLUG`).
///
/// # Errors
/// An unknown track; a name or number that is taken or cannot be one.
pub fn section(project: &Project, name: &str) -> Result<Plan, Refusal> {
    config(project)?;
    let wanted = Wanted::read(Kind::Section, name)?;
    let pages = Pages::of(project);
    pages.check(&wanted)?;
    let path = wanted.path(&pages.number(&wanted)?);
    let title = pages.title(wanted.track, &wanted.slug, "in principle");
    let changes = vec![begin(path, &title, &format!("\n{}", UNPRACTISED.trim_end()))];
    pages.check_urls(&changes)?;
    Ok(Plan { changes, choices: Vec::new() })
}

/// The section that a lab practises in a track that has none; the lab's title is another.
pub(super) fn first_section(lab: &Wanted<'_>) -> Change {
    let wanted = Wanted { kind: Kind::Section, track: lab.track, number: None, slug: lab.slug.clone() };
    let title = format!("{} in principle", prompts::title(&lab.slug));
    begin(wanted.path("01"), &title, "")
}

fn begin(path: String, title: &str, coverage: &str) -> Change {
    let modeline = schema::modeline(schema::Kind::Section, &path);
    let values = [("modeline", &*modeline), ("title", &prompts::scalar(title)), ("coverage", coverage)];
    let text = prompts::fill(SECTION, &values);
    create(path, text)
}

/// Begins the track `name`, and adds it to `tracks:` if it is not named there.
///
/// # Errors
/// A name that is taken or cannot be one; a list of tracks to which nothing can be added in place.
pub fn track(project: &Project, name: &str) -> Result<Plan, Refusal> {
    let config = config(project)?;
    check_name(name)?;
    let pages = Pages::of(project);
    let path = format!("content/tracks/{name}/index.md");
    let there = pages.tracks().into_iter().chain(config.tracks.iter().map(|track| &*track.value as &str));
    if let Some(near) = there.clone().find(|track| *track != name && track.to_lowercase() == name.to_lowercase()) {
        let message = format!("`{name}` and the track `{near}` differ only in case");
        return Err(refuse(message, "many systems take them for one folder: choose another name"));
    }
    if project.files.contains_key(path.as_str()) {
        let help = format!("`infralens new lab {name}/SLUG` begins a lab of it");
        return Err(refuse(format!("there is a track `{name}` already"), help));
    }
    let modeline = schema::modeline(schema::Kind::Track, &path);
    let title = prompts::scalar(&prompts::title(name));
    let mut changes = vec![create(path, prompts::fill(TRACK, &[("modeline", &modeline), ("title", &title)]))];
    if !config.tracks.iter().any(|track| *track.value == *name)
        && let Some(source) = project.text(SITE)
    {
        let text = tracks::join(source, name)?;
        changes.push(Change::Replace { source: source.clone(), text });
    }
    pages.check_urls(&changes)?;
    Ok(Plan { changes, choices: Vec::new() })
}
