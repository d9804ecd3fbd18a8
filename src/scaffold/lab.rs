//! A new lab: its page with every section of the contract, its code, a README, and a section to practise if there is none.

use super::names::{Known, Pages, Wanted};
use super::starter::{self, Choice, Given};
use super::{Plan, Refusal, config, create, excerpts, page, prompts};
use crate::code::Listing;
use crate::config::{Config, LabSection, SectionForm};
use crate::course::url;
use crate::diag::nearest;
use crate::document::Kind;
use crate::project::Project;
use crate::schema;

const LAB: &str = include_str!("text/lab.md");
const README: &str = include_str!("text/readme.md");
/// What is said beside the name of a file that is only a stub.
const STUB: &str = include_str!("text/stub.yaml").trim_ascii_end();

/// Begins the lab `name` (`TRACK/SLUG`), which reads the file that was given, or the code in its folder, or a stub.
///
/// # Errors
/// An unknown track; a name or number that is taken or cannot be one; a starter that cannot be read.
pub fn lab(project: &Project, name: &str, given: Option<Given>) -> Result<Plan, Refusal> {
    let config = config(project)?;
    let wanted = Wanted::read(Kind::Lab, name)?;
    let pages = Pages::of(project);
    pages.check(&wanted)?;
    let choice = starter::choose(project, &pages, &wanted, given)?;
    let mut plan = Plan::default();
    plan.choices.extend(choice.said.clone());

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
        plan.choices
            .push(format!("it practises the section `{section_name}`{draft}; to practise another, change `handbook:`"));
    }

    let lab = Choice::name(&choice.number, &wanted.slug);
    let path = wanted.path(&choice.number);
    let title = pages.title(wanted.track, &wanted.slug, "in code");
    let text = prompts::fill(
        LAB,
        &[
            ("modeline", &schema::modeline(schema::Kind::Lab, &path)),
            ("title", &prompts::scalar(&title)),
            ("section", &prompts::scalar(&section_name)),
            ("file", &starter::named(choice.main.path(), &lab)),
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
        plan.changes.push(create(readme, prompts::fill(README, &[("title", &prompts::plain(&title))])));
    }
    pages.check_urls(&plan.changes)?;
    Ok(plan)
}

/// The section that a lab practises: the one of its name, one of a near name, or the track's last.
fn section<'p>(pages: &'p Pages, wanted: &'p Wanted<'_>) -> Option<&'p Known> {
    let sections = || pages.members(wanted.track, Kind::Section);
    let name = nearest(&wanted.slug, sections().map(|known| &*known.placement.name));
    let near = name.and_then(|name| sections().find(|known| *known.placement.name == *name));
    near.or_else(|| sections().max_by_key(|known| known.placement.number.as_ref().map(|number| number.value)))
}

/// The sections of the contract, each with what belongs there; the excerpts in the one for code.
fn body(config: &Config, choice: &Choice) -> String {
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
            _ => format!("{}\n", ask(section)),
        };
        parts.push(format!("## {}\n\n{text}", prompts::plain(&section.title)));
    }
    parts.join("\n").trim_end().to_owned()
}

/// What is asked of the author in a section.
fn ask(section: &LabSection) -> &'static str {
    let by_form = match section.form {
        Some(SectionForm::Questions) => prompts::prompt("as questions"),
        Some(SectionForm::Spoken) => prompts::prompt("as spoken"),
        Some(SectionForm::Reading) => prompts::prompt("as reading"),
        None => prompts::prompt(&section.title),
    };
    by_form.or_else(|| prompts::prompt("other")).unwrap_or_default()
}

/// The excerpts of the lab's own file, those of marked regions in the files beside it, and the names of the others.
fn code(choice: &Choice) -> String {
    let (listing, _) = Listing::new(&choice.main);
    let folder = url::folder(choice.main.path());
    let own = |path: &str| path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
    let name = own(choice.main.path()).filter(|name| is_writable(name));
    let mut text = format!("{}\n\n", prompts::prompt("annotated code").unwrap_or_default());
    text.push_str(&excerpts::propose(&listing, "", name.as_deref()));
    let mut others = Vec::new();
    for file in &choice.beside {
        let way = own(file.path()).map(|name| if name.contains('/') { format!("./{name}") } else { name });
        let Some(way) = way.filter(|way| is_writable(way)) else { continue };
        let (listing, _) = Listing::new(file);
        if excerpts::has_regions(&listing) {
            text.extend(["\n", &excerpts::propose(&listing, &way, None)]);
        } else {
            others.push(format!("[{}](code:{way})", prompts::plain(url::file_name(file.path()))));
        }
    }
    if !others.is_empty() {
        let ask = prompts::prompt("beside").unwrap_or_default();
        text.extend(["\n", ask, " ", &others.join(", "), ".\n"]);
    }
    text
}

/// Whether a path can stand in a fence's opening line and in a link as it is.
fn is_writable(path: &str) -> bool {
    path.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'))
}
