//! Creates a new lab: its page with every section of the lab contract, its code, a README, and a handbook section if the
//! track has none.

use super::names::{ExistingPage, NewPage, Pages};
use super::starter::{self, ChosenStarter, Origin, StarterArg};
use super::{Proposal, Refusal, config, create_file, excerpts, section_track, templates};
use infralens_course::config::{Config, LabSection, SectionForm};
use infralens_course::schema;
use infralens_page::Kind;
use infralens_source::change::Change;
use infralens_source::diag::nearest;
use infralens_source::project::Project;
use infralens_source::url;
use infralens_source::yaml;
use infralens_starter::Listing;

const LAB: &str = include_str!("text/lab.md");
const README: &str = include_str!("text/readme.md");
/// The comment after the name of a file that is only a stub.
const STUB: &str = include_str!("text/stub.yaml").trim_ascii_end();

/// Creates the lab `name` (`TRACK/SLUG`), which reads the given file, or the code in its folder, or a stub.
///
/// # Errors
/// Returns a refusal if the track is unknown, the name or number is taken or invalid, or the starter cannot be read.
pub fn lab(project: &Project, name: &str, given: Option<StarterArg>) -> Result<Proposal, Refusal> {
    let config = config(project)?;
    let wanted = NewPage::read(Kind::Lab, name)?;
    let pages = Pages::of(project);
    pages.check(&wanted)?;
    let choice = starter::choose(project, &pages, &wanted, given)?;
    let section = section(&pages, &wanted);
    let title = pages.title(wanted.track, &wanted.slug, "in code");

    let (code, shown) = code(&choice);
    let mut changes = vec![page(&config, &wanted, &title, section, &choice, &code)];
    if section.is_none() {
        changes.push(section_track::first_section(&wanted));
    }
    if choice.origin != Origin::Existing {
        changes.push(create_file(choice.main.path().clone(), choice.main.text().to_owned()));
    }
    if let Some(readme) = starter::missing_readme(project, choice.main.path()) {
        let values = [("title", &*templates::escape_markdown(&title))];
        changes.push(create_file(readme, templates::fill(README, &values)));
    }
    pages.check_urls(&changes)?;

    let practiced = section.map(|section| {
        let draft = if section.front.common.draft { "; both are drafts" } else { "" };
        let name = &section.placement.name;
        format!("it practices the section `{name}`{draft}; to practice another one, change `handbook:`")
    });
    Ok(Proposal { changes, decisions: choice.message.into_iter().chain(practiced).chain(shown).collect() })
}

/// Generates the lab's page. It is a draft if the section that it practices is one.
fn page(
    config: &Config,
    wanted: &NewPage<'_>,
    title: &str,
    section: Option<&ExistingPage>,
    choice: &ChosenStarter,
    code: &str,
) -> Change {
    let path = wanted.path(&choice.number);
    let section_name = section.map_or(&*wanted.slug, |section| &*section.placement.name);
    let is_draft = section.is_some_and(|section| section.front.common.draft);
    let lab = wanted.file_stem(&choice.number);
    let values = [
        ("modeline", &*schema::modeline(schema::Kind::Lab, &path)),
        ("title", &yaml::to_scalar(title)),
        ("section", &yaml::to_scalar(section_name)),
        ("file", &starter::starter_value(choice.main.path(), &lab)),
        ("stub", if choice.origin == Origin::Stub { STUB } else { "" }),
        ("draft", if is_draft { "\ndraft: true" } else { "" }),
        ("body", &body(config, code)),
    ];
    create_file(path, templates::fill(LAB, &values))
}

/// Returns the section that the lab practices: the one with the same or the most similar name, or the track's last one.
fn section<'p>(pages: &'p Pages, wanted: &'p NewPage<'_>) -> Option<&'p ExistingPage> {
    let sections = || pages.members(wanted.track, Kind::Section);
    let name = nearest(&wanted.slug, sections().map(|known| &*known.placement.name));
    let near = name.and_then(|name| sections().find(|known| *known.placement.name == *name));
    near.or_else(|| sections().max_by_key(|known| known.placement.number.as_ref().map(|number| number.value)))
}

/// Generates the sections of the lab contract, each with a prompt. The excerpts go into the first section without a form whose
/// title contains "code"; if there is none, into an extra first section.
fn body(config: &Config, code: &str) -> String {
    let sections = &config.labs.sections;
    let is_for_code = |section: &&LabSection| section.form.is_none() && section.title.to_lowercase().contains("code");
    let for_code = sections.iter().find(is_for_code);
    let mut parts = Vec::new();
    if for_code.is_none() {
        parts.push(format!("## Annotated code\n\n{code}"));
    }
    for section in sections {
        let text = match for_code {
            Some(found) if found == section => code.to_owned(),
            _ => format!("{}\n", prompt_for(section)),
        };
        parts.push(format!("## {}\n\n{text}", templates::escape_markdown(&section.title)));
    }
    parts.join("\n").trim_end().to_owned()
}

fn prompt_for(section: &LabSection) -> &'static str {
    let prompt = match section.form {
        Some(SectionForm::Questions) => templates::prompt("form: questions"),
        Some(SectionForm::Spoken) => templates::prompt("form: spoken"),
        Some(SectionForm::Reading) => templates::prompt("form: reading"),
        None => templates::prompt(&format!("section: {}", *section.title)),
    };
    prompt.or_else(|| templates::prompt("section: other")).unwrap_or_default()
}

/// Generates the excerpts of the lab's main file and of the regions in the other files, and links to the files without regions.
/// Also returns a sentence about what the page shows of a main file without regions.
fn code(choice: &ChosenStarter) -> (String, Option<String>) {
    let (listing, _) = Listing::new(&choice.main);
    let main = choice.main.path();
    let mut excerpts = excerpts::of_regions(&listing, "");
    let mut decision = None;
    if excerpts.is_empty() {
        let (excerpt, lines) = excerpts::of_first_lines(&listing);
        excerpts = excerpt;
        let sentence = || {
            format!(
                "the page shows `#{lines}` of `{main}`; choose what it needs, with `file=#fn:NAME` or `file=#REGION`"
            )
        };
        decision = (choice.origin != Origin::Stub).then(sentence);
    }
    let mut text = format!("{}\n\n{excerpts}", templates::prompt("section: annotated code").unwrap_or_default());
    let mut others = Vec::new();
    for file in &choice.other_files {
        let Some(file_ref) = file_ref(main, file.path()) else { continue };
        let excerpts = excerpts::of_regions(&Listing::new(file).0, &file_ref);
        if excerpts.is_empty() {
            others.push(format!("[{}](code:{file_ref})", templates::escape_markdown(url::file_name(file.path()))));
        } else {
            text.extend(["\n", &excerpts]);
        }
    }
    if !others.is_empty() {
        let ask = templates::prompt("code: other files").unwrap_or_default();
        text.extend(["\n", ask, " ", &others.join(", "), ".\n"]);
    }
    (text, decision)
}

/// Returns how a page whose main file is `main` names a file below the same folder; `None` if the path would need escapes in
/// the first line of a fence or in a link.
fn file_ref(main: &str, path: &str) -> Option<String> {
    let below = path.strip_prefix(url::folder(main))?.strip_prefix('/')?;
    let needs_no_escapes = below.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'));
    // A path with a slash is relative to `code/` unless it begins with `./`.
    let prefix = if below.contains('/') { "./" } else { "" };
    needs_no_escapes.then(|| format!("{prefix}{below}"))
}
