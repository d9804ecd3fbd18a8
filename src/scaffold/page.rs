//! Creates new sections and tracks.

use super::names::{NewPage, Pages, check_name};
use super::{Plan, Refusal, SITE, config, create, prompts, refuse, tracks};
use crate::change::Change;
use crate::document::Kind;
use crate::project::Project;
use crate::schema;
use crate::yaml;

const SECTION: &str = include_str!("text/section.md");
const TRACK: &str = include_str!("text/track.md");
/// The line that allows a section that no lab practices yet.
const UNPRACTISED: &str = include_str!("text/unpractised.yaml");

/// Creates the handbook section `name` (`TRACK/SLUG`).
///
/// # Errors
/// Returns a refusal if the track is unknown, or if the name or number is taken or invalid.
pub fn section(project: &Project, name: &str) -> Result<Plan, Refusal> {
    config(project)?;
    let wanted = NewPage::read(Kind::Section, name)?;
    let pages = Pages::of(project);
    pages.check(&wanted)?;
    let path = wanted.path(&pages.number(&wanted)?);
    let title = pages.title(wanted.track, &wanted.slug, "in principle");
    let changes = vec![section_change(path, &title, &format!("\n{}", UNPRACTISED.trim_end()))];
    pages.check_urls(&changes)?;
    Ok(Plan { changes, choices: Vec::new() })
}

/// Creates the first section of a track, for a new lab to practice. Its title differs from that of the lab.
pub(super) fn first_section(lab: &NewPage<'_>) -> Change {
    let wanted = NewPage { kind: Kind::Section, track: lab.track, number: None, slug: lab.slug.clone() };
    let title = format!("{} in principle", prompts::title(&lab.slug));
    section_change(wanted.path("01"), &title, "")
}

fn section_change(path: String, title: &str, coverage: &str) -> Change {
    let modeline = schema::modeline(schema::Kind::Section, &path);
    let values = [("modeline", &*modeline), ("title", &yaml::to_scalar(title)), ("coverage", coverage)];
    let text = prompts::fill(SECTION, &values);
    create(path, text)
}

/// Creates the track `name`, and adds it to `tracks:` unless it is listed already.
///
/// # Errors
/// Returns a refusal if the name is taken or invalid, or if the track cannot be added to `tracks:` in place.
pub fn track(project: &Project, name: &str) -> Result<Plan, Refusal> {
    let config = config(project)?;
    check_name(name)?;
    let pages = Pages::of(project);
    let path = format!("content/tracks/{name}/index.md");
    let there = pages.tracks().into_iter().chain(config.tracks.iter().map(|track| &*track.value as &str));
    if let Some(near) = there.clone().find(|track| *track != name && track.to_lowercase() == name.to_lowercase()) {
        let message = format!("`{name}` and the track `{near}` differ only in case");
        return Err(refuse(message, "they are the same folder on many systems: choose another name"));
    }
    if project.files.contains_key(path.as_str()) {
        let help = format!("to add a lab to it, run `infralens new lab {name}/SLUG`");
        return Err(refuse(format!("the track `{name}` already exists"), help));
    }
    let modeline = schema::modeline(schema::Kind::Track, &path);
    let title = yaml::to_scalar(&prompts::title(name));
    let mut changes = vec![create(path, prompts::fill(TRACK, &[("modeline", &modeline), ("title", &title)]))];
    if !config.tracks.iter().any(|track| *track.value == *name)
        && let Some(source) = project.text(SITE)
    {
        let text = tracks::add_track(source, name)?;
        changes.push(Change::Replace { source: source.clone(), text });
    }
    pages.check_urls(&changes)?;
    Ok(Plan { changes, choices: Vec::new() })
}
