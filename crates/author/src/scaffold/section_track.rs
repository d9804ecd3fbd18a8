//! Creates new sections and tracks.

use super::names::{NewPage, Pages, check_name};
use super::{Proposal, Refusal, SITE_YAML, config, create_file, refuse, site_yaml, templates};
use infralens_course::schema;
use infralens_page::Kind;
use infralens_source::change::Change;
use infralens_source::project::Project;
use infralens_source::yaml;

const SECTION: &str = include_str!("text/section.md");
const TRACK: &str = include_str!("text/track.md");
/// The line that allows a section that no lab practices yet.
const NOT_PRACTICED_YET: &str = include_str!("text/not-practiced-yet.yaml").trim_ascii_end();

/// Creates the handbook section `name` (`TRACK/SLUG`).
///
/// # Errors
/// Returns a refusal if the track is unknown, or if the name or number is taken or invalid.
pub fn section(project: &Project, name: &str) -> Result<Proposal, Refusal> {
    // Only to refuse if site.yaml has errors.
    config(project)?;
    let wanted = NewPage::read(Kind::Section, name)?;
    let pages = Pages::of(project);
    pages.check(&wanted)?;
    let path = wanted.path(&pages.number(&wanted)?);
    let title = pages.title(wanted.track, &wanted.slug, "in principle");
    let changes = vec![section_change(path, &title, &format!("\n{NOT_PRACTICED_YET}"))];
    pages.check_urls(&changes)?;
    Ok(Proposal { changes, decisions: Vec::new() })
}

/// Creates the first section of a track, for a new lab to practice. Its title differs from that of the lab.
pub(super) fn first_section(lab: &NewPage<'_>) -> Change {
    let path = format!("content/tracks/{}/handbook/01-{}.md", lab.track, lab.slug);
    section_change(path, &format!("{} in principle", templates::title(&lab.slug)), "")
}

fn section_change(path: String, title: &str, coverage: &str) -> Change {
    let modeline = schema::modeline(schema::Kind::Section, &path);
    let values = [("modeline", &*modeline), ("title", &yaml::to_scalar(title)), ("coverage", coverage)];
    create_file(path, templates::fill(SECTION, &values))
}

/// Creates the track `name`, and adds it to `tracks:` unless it is listed already.
///
/// # Errors
/// Returns a refusal if the name is taken or invalid, or if the track cannot be added to `tracks:` in place.
pub fn track(project: &Project, name: &str) -> Result<Proposal, Refusal> {
    let config = config(project)?;
    check_name(name)?;
    let pages = Pages::of(project);
    let path = format!("content/tracks/{name}/index.md");
    let mut known_tracks = pages.tracks().into_iter().chain(config.tracks.iter().map(|track| &*track.value as &str));
    if let Some(near) = known_tracks.find(|track| *track != name && track.to_lowercase() == name.to_lowercase()) {
        let message = format!("`{name}` and the track `{near}` differ only in case");
        return Err(refuse(message, "they are the same folder on many systems: choose another name"));
    }
    if project.files.contains_key(path.as_str()) {
        let help = format!("to add a lab to it, run `infralens new lab {name}/SLUG`");
        return Err(refuse(format!("the track `{name}` already exists"), help));
    }
    let modeline = schema::modeline(schema::Kind::Track, &path);
    let title = yaml::to_scalar(&templates::title(name));
    let mut changes = vec![create_file(path, templates::fill(TRACK, &[("modeline", &modeline), ("title", &title)]))];
    if !config.tracks.iter().any(|track| *track.value == *name)
        && let Some(source) = project.text(SITE_YAML)
    {
        let text = site_yaml::add_track(source, name)?;
        changes.push(Change::Replace { source: source.clone(), text });
    }
    pages.check_urls(&changes)?;
    Ok(Proposal { changes, decisions: Vec::new() })
}
