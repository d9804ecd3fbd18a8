//! Creates a new lab: its page with every section of the lab contract, its code, a README, and a handbook section if the
//! track has none.

use super::names::{ExistingPage, NewPage, Pages};
use super::starter::{self, ChosenStarter, StarterArg};
use super::{Plan, Refusal, config, create, excerpts, page, prompts};
use crate::code::Listing;
use crate::config::{Config, LabSection, SectionForm};
use crate::course::url;
use crate::diag::nearest;
use crate::document::Kind;
use crate::project::Project;
use crate::schema;
use crate::yaml;

const LAB: &str = include_str!("text/lab.md");
const README: &str = include_str!("text/readme.md");
/// The comment after the name of a file that is only a stub.
const STUB: &str = include_str!("text/stub.yaml").trim_ascii_end();

/// Creates the lab `name` (`TRACK/SLUG`), which reads the given file, or the code in its folder, or a stub.
///
/// # Errors
/// Returns a refusal if the track is unknown, the name or number is taken or invalid, or the starter cannot be read.
pub fn lab(project: &Project, name: &str, given: Option<StarterArg>) -> Result<Plan, Refusal> {
    let config = config(project)?;
    let wanted = NewPage::read(Kind::Lab, name)?;
    let pages = Pages::of(project);
    pages.check(&wanted)?;
    let choice = starter::choose(project, &pages, &wanted, given)?;
    let mut plan = Plan::default();
    plan.choices.extend(choice.message.clone());

    let section = section(&pages, &wanted);
    let section_name = match section {
        Some(section) => section.placement.name.to_string(),
        None => wanted.slug.clone(),
    };
    let is_draft = section.is_some_and(|section| section.front.common.draft);
    if section.is_none() {
        plan.changes.push(page::first_section(&wanted));
    } else {
        let draft = if is_draft { "; both are drafts" } else { "" };
        plan.choices.push(format!(
            "it practices the section `{section_name}`{draft}; to practice another one, change `handbook:`"
        ));
    }

    let lab = ChosenStarter::name(&choice.number, &wanted.slug);
    let path = wanted.path(&choice.number);
    let title = pages.title(wanted.track, &wanted.slug, "in code");
    let text = prompts::fill(
        LAB,
        &[
            ("modeline", &schema::modeline(schema::Kind::Lab, &path)),
            ("title", &yaml::to_scalar(&title)),
            ("section", &yaml::to_scalar(&section_name)),
            ("file", &starter::starter_value(choice.main.path(), &lab)),
            ("stub", if choice.is_stub { STUB } else { "" }),
            ("draft", if is_draft { "\ndraft: true" } else { "" }),
            ("body", &body(&config, &choice)),
        ],
    );
    plan.changes.insert(0, create(path, text));
    if choice.is_new {
        plan.changes.push(create(choice.main.path().clone(), choice.main.text().to_owned()));
    }
    if let Some(readme) = starter::missing_readme(project, choice.main.path()) {
        plan.changes.push(create(readme, prompts::fill(README, &[("title", &prompts::escape_markdown(&title))])));
    }
    pages.check_urls(&plan.changes)?;
    Ok(plan)
}

/// Returns the section that the lab practices: the one with the same or the most similar name, or the track's last one.
fn section<'p>(pages: &'p Pages, wanted: &'p NewPage<'_>) -> Option<&'p ExistingPage> {
    let sections = || pages.members(wanted.track, Kind::Section);
    let name = nearest(&wanted.slug, sections().map(|known| &*known.placement.name));
    let near = name.and_then(|name| sections().find(|known| *known.placement.name == *name));
    near.or_else(|| sections().max_by_key(|known| known.placement.number.as_ref().map(|number| number.value)))
}

/// Generates the sections of the lab contract, each with a prompt; the excerpts go into the section for code.
fn body(config: &Config, choice: &ChosenStarter) -> String {
    let sections = &config.labs.sections;
    let is_for_code = |section: &&LabSection| section.form.is_none() && section.title.to_lowercase().contains("code");
    let for_code = sections.iter().find(is_for_code);
    let mut parts = Vec::new();
    if for_code.is_none() {
        parts.push(format!("## Annotated code\n\n{}", code(choice)));
    }
    for section in sections {
        let text = match for_code {
            Some(found) if found == section => code(choice),
            _ => format!("{}\n", prompt_for(section)),
        };
        parts.push(format!("## {}\n\n{text}", prompts::escape_markdown(&section.title)));
    }
    parts.join("\n").trim_end().to_owned()
}

/// Returns the prompt for a section.
fn prompt_for(section: &LabSection) -> &'static str {
    let by_form = match section.form {
        Some(SectionForm::Questions) => prompts::prompt("as questions"),
        Some(SectionForm::Spoken) => prompts::prompt("as spoken"),
        Some(SectionForm::Reading) => prompts::prompt("as reading"),
        None => prompts::prompt(&section.title),
    };
    by_form.or_else(|| prompts::prompt("other")).unwrap_or_default()
}

/// Generates the excerpts of the lab's main file and of the regions in the other files of its folder, and links to the
/// files without regions.
fn code(choice: &ChosenStarter) -> String {
    let (listing, _) = Listing::new(&choice.main);
    let folder = url::folder(choice.main.path());
    let own = |path: &str| path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
    let name = own(choice.main.path()).filter(|name| is_writable(name));
    let mut text = format!("{}\n\n", prompts::prompt("annotated code").unwrap_or_default());
    text.push_str(&excerpts::excerpts_of(&listing, "", name.as_deref()));
    let mut others = Vec::new();
    for file in &choice.other_files {
        let file_ref = own(file.path()).map(|name| if name.contains('/') { format!("./{name}") } else { name });
        let Some(file_ref) = file_ref.filter(|file_ref| is_writable(file_ref)) else { continue };
        let (listing, _) = Listing::new(file);
        if excerpts::has_regions(&listing) {
            text.extend(["\n", &excerpts::excerpts_of(&listing, &file_ref, None)]);
        } else {
            others.push(format!("[{}](code:{file_ref})", prompts::escape_markdown(url::file_name(file.path()))));
        }
    }
    if !others.is_empty() {
        let ask = prompts::prompt("other files").unwrap_or_default();
        text.extend(["\n", ask, " ", &others.join(", "), ".\n"]);
    }
    text
}

/// Whether a path needs no escapes in the first line of a fence and in a link.
fn is_writable(path: &str) -> bool {
    path.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'))
}
