//! `infralens sync`: shows and updates pins, and links to line numbers.
//!
//! 1. read the course and plan it in memory, which finds the excerpts and links that differ from their files;
//! 2. write the pins that need no decision and those that `--accept` names, all or none;
//! 3. show the others with their differences and the notes to review, and the errors because of which excerpts cannot
//!    be compared.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::{
    Common, Failure, Outcome, Status, eprint, eprint_diagnostics, path_from, plan_all, print, quantity, repository,
};
use crate::load::repository::read_repository;
use crate::{emit, load};
use infralens_author::repository::Documents;
use infralens_author::sync::{self, Accept, Location};
use infralens_author::translation::{self, Synced};
use infralens_render::line_link::{LinkChange, LinkDrift};
use infralens_render::pin::{Drift, State};
use infralens_site::{Drifts, Site, ValueDrift};
use infralens_source::change;
use infralens_source::diag::{Diagnostic, Severity, codes};
use infralens_source::project::Project;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Markdown files outside a course, or folders with such files: works on the code fences that say `file=`,
    /// and on links to lines
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Accept the new code of stale excerpts whose notes you have reviewed: of all, or of those at these places, in the
    /// form in which diagnostics print them
    #[arg(long, value_name = "PATH[:LINE]", num_args = 0..)]
    accept: Option<Vec<String>>,
    /// Write nothing; exit with status 1 if a pin or a link to lines is out of date, or an excerpt has an error
    #[arg(long, conflicts_with = "accept")]
    check: bool,
}

/// The files whose pins are compared.
enum Scope {
    /// The pages of a course.
    Course,
    /// These Markdown files outside a course.
    Outside(Vec<Arc<str>>),
}

/// What is out of date in a course, and the diagnostics of its excerpts and links.
struct Pins {
    drifts: Drifts,
    /// The course, if it has translations.
    site: Option<Site>,
    /// The diagnostics of excerpts, and of links that are out of date, as `check` prints them.
    diagnostics: Vec<Diagnostic>,
    /// The number of errors other than stale pins.
    errors: usize,
}

impl Pins {
    /// Returns the current line of an excerpt, which changes above it may have moved.
    fn line(&self, drift: &Drift) -> usize {
        let place = |drift: &Drift| (Arc::clone(drift.page.path()), drift.excerpt);
        let now = self.drifts.excerpts.binary_search_by_key(&place(drift), place);
        line(now.map_or(drift, |now| &self.drifts.excerpts[now]))
    }

    fn new(scope: &Scope, project: &Project) -> Self {
        let (drifts, mut diagnostics, uncompared, site) = match scope {
            Scope::Course => {
                let site = plan_all(project);
                let has_translations = site.languages().any(|(_, site)| site.translations().next().is_some());
                (site.all_drifts(), site.judge(), site.uncompared(), has_translations.then_some(site))
            }
            Scope::Outside(paths) => {
                let found = Documents::parse(project, paths).compare(project);
                (found.drifts, found.diagnostics, found.uncompared, None)
            }
        };
        let place =
            |diagnostic: &Diagnostic| (Arc::clone(&diagnostic.place.file), diagnostic.place.span, diagnostic.code);
        let of_links: BTreeSet<_> = drifts.links.iter().map(|link| place(&link.diagnostic)).collect();
        let is_of_link = |diagnostic: &Diagnostic| of_links.contains(&place(diagnostic));
        // An excerpt that was not compared has an error, whatever it is.
        let is_explained =
            |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error && sync::concerns(diagnostic, &uncompared);
        let keeps_errors = !uncompared.is_empty() && !diagnostics.iter().any(is_explained);
        diagnostics.retain(|diagnostic| {
            let is_error = diagnostic.severity == Severity::Error;
            is_of_link(diagnostic) || sync::concerns(diagnostic, &uncompared) || keeps_errors && is_error
        });
        let is_error = |diagnostic: &&Diagnostic| {
            let is_drift = [codes::E0316, codes::E0606].contains(&diagnostic.code) || is_of_link(diagnostic);
            diagnostic.severity == Severity::Error && !is_drift
        };
        Self { drifts, site, errors: diagnostics.iter().filter(is_error).count(), diagnostics }
    }

    fn status(&self) -> Status {
        if self.drifts.is_empty() && self.errors == 0 { Status::Done } else { Status::Refused }
    }
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let (scope, root, project) = read(common, options)?;
    let pins = Pins::new(&scope, &project);
    if options.check {
        eprint_diagnostics(&pins.diagnostics, &project);
        if pins.status() == Status::Done {
            print("every pin matches its file\n")?;
        }
        return Ok(pins.status());
    }
    let accept = accept(options.accept.as_deref(), &project, &root, &scope)?;
    let translations = pins.site.as_ref().map(|site| translation::sync(site, &accept)).unwrap_or_default();
    let mut plan = sync::plan(pins.drifts, &pins.diagnostics, &accept);
    plan.changes.extend(translations.iter().map(|synced| synced.change.clone()));
    let is_of_quote = |at: &Location| {
        let of_file = translations.iter().find(|synced| **synced.change.path() == *at.path);
        let is_here =
            |synced: &Synced| synced.accepted.iter().any(|(lines, _)| at.line.is_none_or(|line| lines.contains(&line)));
        of_file.is_some_and(is_here)
    };
    plan.unmatched.retain(|at| !is_of_quote(at));
    emit::change(&root, &plan.changes)?;
    for synced in &translations {
        print(&updated_translation(synced))?;
    }
    for (drift, line) in &plan.updated {
        print(&format!("{}:{line}: {}\n", drift.page.path(), taken(drift)))?;
    }
    for value in &plan.values {
        print(&updated_value(value))?;
    }
    for (link, line) in &plan.links {
        print(&format!("{}:{line}: {}\n", link.page.path(), updated_link(link)))?;
    }
    // The lines of the others may have changed.
    let project = change::preview(&project, &plan.changes);
    let left = Pins::new(&scope, &project);
    report_idle(&plan.unmatched, &left)?;
    eprint_diagnostics(&left.diagnostics, &project);
    for (drift, error) in &plan.blocked {
        let (path, line) = (drift.page.path(), left.line(drift));
        print(&format!("{path}:{line}: unchanged because of {}\n", error.code.id))?;
    }
    for drift in &plan.unwritable {
        let (path, line) = (drift.page.path(), left.line(drift));
        eprint(&format!("error: the fence at {path}:{line} could not be written so that it reads the same\n"));
        eprint("help: put the code into it by hand, or move the excerpt out of the list or quote that it is in\n");
    }
    for link in &plan.unwritable_links {
        let place = format!("{}:{}", link.page.path(), link.page.position(link.span.start).line);
        eprint(&format!("error: the link at {place} could not be written so that it reads the same\n"));
        eprint("help: correct it by hand, or link to a region or symbol\n");
    }
    let taken = plan.updated.len() + plan.values.len() + plan.links.len();
    if taken > 0 || translations.is_empty() || left.status() != Status::Done {
        print(&summary(taken, &left))?;
    }
    Ok(left.status())
}

/// Reads the files whose pins are compared. Returns the root of their paths, too.
fn read(common: &Common, options: &Options) -> Result<(Scope, PathBuf, Project), Failure> {
    if options.paths.is_empty() {
        let root = common.root().map_err(|failure| match options.accept.as_deref() {
            // Outside a course, this option alone does not say which files to compare.
            Some([first, ..]) => {
                let path = Location::parse(first).path;
                failure.help(format!(
                    "outside a course, name the file before the option: `infralens sync {path} --accept {first}`"
                ))
            }
            _ => failure,
        })?;
        let project = load::load(&root);
        return Ok((Scope::Course, root, project));
    }
    let found = repository::read(common, &options.paths, read_repository)?;
    Ok((Scope::Outside(found.documents), found.root, found.project))
}

/// Prints a line for each place that `--accept` names where nothing is stale.
fn report_idle(places: &[Location], left: &Pins) -> Result<(), Failure> {
    for at in places {
        let here = left.drifts.excerpts.iter().filter(|drift| **drift.page.path() == at.path);
        let stale: Vec<String> = here.map(|drift| line(drift).to_string()).collect();
        let has_error =
            |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error && *diagnostic.place.file == at.path;
        let detail = match stale.as_slice() {
            [] if left.diagnostics.iter().any(has_error) => "; excerpts with errors are not compared".to_owned(),
            [] => String::new(),
            lines => format!("; stale excerpts of this page are on line {}", lines.join(", ")),
        };
        print(&format!("{at}: no stale excerpt here{detail}\n"))?;
    }
    Ok(())
}

/// Returns what `--accept` names. A path may also be relative to the current folder.
fn accept(places: Option<&[String]>, project: &Project, root: &Path, scope: &Scope) -> Result<Accept, Failure> {
    let Some(places) = places else { return Ok(Accept::None) };
    if places.is_empty() {
        return Ok(Accept::All);
    }
    let places = places.iter().map(|text| {
        let Location { path, line } = Location::parse(text);
        let path = path_from(root, &path, |path| project.text(path).is_some());
        let is_page = |path: &str| match scope {
            Scope::Course => path.ends_with(".md"),
            Scope::Outside(paths) => paths.iter().any(|known| **known == *path),
        };
        let page = project.text(&path).filter(|page| is_page(page.path()));
        let Some(page) = page else {
            let pages = project.files.keys().map(AsRef::as_ref).filter(|known| is_page(known));
            let (what, example) = match scope {
                Scope::Course => ("the course has no page", "content/tracks/t/labs/lab-01-x.md:12"),
                Scope::Outside(_) => ("no Markdown file with an excerpt is", "docs/guide.md:12"),
            };
            let failure = Failure::new(format!("{what} `{path}`"));
            return Err(match infralens_source::diag::nearest(&path, pages) {
                None => failure.help(format!("name a page as diagnostics do, such as `{example}`")),
                near => failure.nearest(near),
            });
        };
        if line == Some(0) {
            return Err(Failure::new(format!("`{text}`: lines are counted from 1")));
        }
        if line.is_some_and(|line| line > page.line_count()) {
            return Err(Failure::new(format!("`{text}`: the page has {}", quantity(page.line_count(), "line"))));
        }
        Ok(Location { path, line })
    });
    places.collect::<Result<_, _>>().map(Accept::Locations)
}

fn line(drift: &Drift) -> usize {
    drift.page.position(drift.span.start).line
}

pub(super) fn taken(drift: &Drift) -> String {
    match &drift.state {
        State::Unpinned => "pinned".to_owned(),
        State::Unaffected => "follows its file".to_owned(),
        State::Moved => "accepted".to_owned(),
        State::Changed(notes) if notes.is_empty() => "accepted".to_owned(),
        State::Changed(notes) => {
            let numbers: Vec<String> = notes.iter().map(|note| (note + 1).to_string()).collect();
            format!("accepted, with note{} {}", if notes.len() == 1 { "" } else { "s" }, numbers.join(", "))
        }
    }
}

/// Describes what has changed in a translation, a line each.
fn updated_translation(synced: &Synced) -> String {
    let path = synced.change.path();
    let accepted = synced.accepted.iter().map(|(lines, what)| format!("{path}:{}: quote {what}\n", lines.start));
    let counted = [(synced.followed, "brought up to date"), (synced.added, "to translate added")];
    let counted = counted.into_iter().filter(|(count, _)| *count > 0);
    accepted
        .chain(counted.map(|(count, what)| format!("{path}: {} {what}\n", quantity(count, "quote"))))
        .collect::<Vec<_>>()
        .concat()
}

fn updated_link(link: &LinkDrift) -> String {
    match &link.change {
        LinkChange::Fill(_) => "link has a title now".to_owned(),
        LinkChange::Move(anchor) => format!("link follows its code to #{anchor}"),
        LinkChange::Replace(_) => "link accepted".to_owned(),
    }
}

/// Describes an updated pin of a value: the old and the new text, and the sentences that print the old one.
fn updated_value(value: &ValueDrift) -> String {
    let ValueDrift { page, pin } = value;
    let place = format!("{}:{}", page.path(), page.position(pin.span.start).line);
    if pin.pinned.is_empty() {
        return format!("{place}: `{}` pinned: {}\n", pin.name, pin.text);
    }
    let mut text = format!("{place}: `{}` updated\n- {}\n+ {}\n", pin.name, pin.pinned, pin.text);
    for (line, sentence) in sync::sentences_printing(page, pin) {
        let sentence: Vec<&str> = sentence.split_whitespace().collect();
        let head = format!("  read again, line {line}: ");
        text.extend([&head, &*sentence.join(" "), "\n"]);
    }
    text
}

fn summary(taken: usize, left: &Pins) -> String {
    let written = quantity(taken, "pin");
    match (taken, left.drifts.len(), left.errors) {
        (0, 0, 0) => "every pin matches its file\n".into(),
        (_, 0, 0) => format!("{written} written\n"),
        (_, 0, errors) => format!("{written} written, {} to fix\n", quantity(errors, "error")),
        (_, left, _) => format!("{written} written, {left} left to review\n"),
    }
}
