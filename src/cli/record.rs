//! `infralens record`: runs the commands that labs declare, and stores what they print. Nothing else runs a command.
//!
//! 1. read the course, and find the declared commands of the chosen labs;
//! 2. run them one after the other, each in the folder of its starter;
//! 3. write the records of those that succeeded, all or none; with `--check`, print how they differ from the records.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueHint};
use similar::TextDiff;

use super::relocate::typed;
use super::{Common, Failure, Outcome, Status, eprint_report, plan_all, print, quantity};
use crate::process::{self, Interrupt, Limits, Reason};
use crate::report::visible;
use crate::{emit, load};
use infralens_author::relocate;
use infralens_course::records::{Declaration, MAX_SIZE, Record, changes, hashes};
use infralens_site::{Site, may_hold_pages};
use infralens_source::change::Change;
use infralens_source::diag::{self, Diagnostic, Place, codes};
use infralens_source::project::{File, Project};
use infralens_source::source::Source;

/// The number of lines at the end of standard error that a message shows.
const LINES: usize = 10;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The labs whose commands to run: their files, or short forms such as `lab-01-x` and `TRACK/lab-01-x` [default: all]
    #[arg(value_name = "PAGE", value_hint = ValueHint::AnyPath)]
    pages: Vec<String>,
    /// Write nothing; exit with status 1 if a record differs from what its command prints now
    #[arg(long)]
    check: bool,
    /// The number of seconds that each command may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
}

/// A record, and what its command has printed now.
struct Recorded {
    path: Arc<str>,
    /// The file of the record, if there is one.
    old: Option<Arc<Source>>,
    /// The text that the file should have.
    text: String,
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let root = common.root()?;
    let project = load::load(&root);
    let site = plan_all(&project);
    let named = named(&site, &options.pages, &root)?;
    let mut errors = hiding_errors(&site, named.as_ref());
    if let Some(named) = &named {
        check_named(&site, named, &errors)?;
    } else if declarations(&site).next().is_none() && errors.is_empty() {
        print("no lab declares a command to record\n")?;
        return Ok(Status::Done);
    }
    let interrupt = Interrupt::listen().map_err(|error| Failure::new(format!("cannot listen for signals: {error}")))?;
    let limits = Limits { time: Duration::from_secs(options.timeout.into()), output: MAX_SIZE };
    let mut recorded = Vec::new();
    let is_chosen = |declaration: &&Declaration| {
        !declaration.words.is_empty() && named.as_ref().is_none_or(|named| named.contains(&declaration.page))
    };
    for declaration in declarations(&site).filter(is_chosen) {
        match record(declaration, &project, &root, limits, &interrupt) {
            _ if interrupt.is_requested() => return Err(Failure::new("interrupted; no record was written")),
            Ok(result) => recorded.push(result),
            Err(error) => errors.push(*error),
        }
    }
    let changes: Vec<Option<Change>> = recorded.iter().map(Recorded::change).collect();
    if !options.check {
        emit::change(&root, &changes.iter().flatten().cloned().collect::<Vec<_>>())?;
    }
    for (record, change) in recorded.iter().zip(&changes) {
        let path = &record.path;
        print(&match change {
            None => format!("{path}: unchanged\n"),
            Some(_) if options.check => format!("{path}: differs\n{}", record.difference()),
            Some(_) => format!("{path}: recorded\n"),
        })?;
    }
    let is_refused = !errors.is_empty() || options.check && changes.iter().any(Option::is_some);
    diag::sort(&mut errors);
    eprint_report(&errors, &project);
    Ok(if is_refused { Status::Refused } else { Status::Done })
}

impl Recorded {
    /// Returns the change to the course's files; `None` if the record is as it should be.
    fn change(&self) -> Option<Change> {
        let text = self.text.clone();
        match &self.old {
            Some(old) if old.text() == text => None,
            Some(old) => Some(Change::Replace { source: Arc::clone(old), text }),
            None => Some(Change::Create { path: Arc::clone(&self.path), text }),
        }
    }

    /// Returns how the record differs from what its command printed.
    fn difference(&self) -> String {
        let old = self.old.as_ref().map_or("", |old| old.text());
        let diff = TextDiff::from_lines(old, &self.text).unified_diff().header(&self.path, &self.path).to_string();
        visible(&diff).into_owned()
    }
}

/// Finds the pages that are named on the command line. `None` means all labs.
fn named(site: &Site, pages: &[String], root: &Path) -> Result<Option<BTreeSet<Arc<str>>>, Failure> {
    let find = |text: &String| {
        relocate::find_page(site.project(), &typed(text, root)).map_err(|refusal| {
            match declarations(site).find(|declaration| *declaration.name.value == **text) {
                Some(Declaration { page, .. }) => Failure::new(format!("`{text}` is a record of `{page}`"))
                    .help(format!("name the lab: `infralens record {page}`")),
                None => refusal,
            }
        })
    };
    let found: Result<BTreeSet<_>, Failure> = pages.iter().map(find).collect();
    Ok(Some(found?).filter(|_| !pages.is_empty()))
}

/// Returns the errors because of which commands of the named labs are unknown or cannot be run.
fn hiding_errors(site: &Site, named: Option<&BTreeSet<Arc<str>>>) -> Vec<Diagnostic> {
    let is_named = |file: &Arc<str>| match named {
        Some(named) => named.contains(file),
        None => file.contains("/labs/lab-") || may_hold_pages(file),
    };
    let hides_commands = |error: &&Diagnostic| {
        let is_declared = || declarations(site).any(|declaration| declaration.page == error.place.file);
        let code = error.code;
        let hides_keys = code.hides_file() || code.id.starts_with("E01") || code == codes::E0613;
        hides_keys || code == codes::E0303 && !is_declared()
    };
    site.diagnostics().filter(|error| is_named(&error.place.file)).filter(hides_commands).cloned().collect()
}

fn declarations(site: &Site) -> impl Iterator<Item = &Declaration> {
    site.records().declared.all.iter()
}

/// Refuses a page of the command line that declares no command and has no error because of which it could seem so.
fn check_named(site: &Site, named: &BTreeSet<Arc<str>>, errors: &[Diagnostic]) -> Result<(), Failure> {
    let is_idle = |page: &&Arc<str>| {
        !declarations(site).any(|declaration| declaration.page == **page)
            && !errors.iter().any(|error| error.place.file == **page)
    };
    named.iter().find(is_idle).map_or(Ok(()), |page| {
        let failure = Failure::new(format!("`{page}` declares no command to record"));
        Err(failure.help("a lab declares its commands in its front matter, under `starter.record`"))
    })
}

/// Runs the command of a declaration, and compares what it prints with its record.
fn record(
    declaration: &Declaration,
    project: &Project,
    root: &Path,
    limits: Limits,
    interrupt: &Interrupt,
) -> Result<Recorded, Box<Diagnostic>> {
    let name = &*declaration.name.value;
    let fail = |why: &str| {
        let place = Place::new(&declaration.page, declaration.command.span.clone());
        Diagnostic::new(codes::E0614, place, format!("the command of the record `{name}` failed: {why}"))
    };
    let folder = &declaration.folder;
    let before = hashes(project, folder);
    let printed = process::run(&declaration.words, &root.join(folder), limits, interrupt).map_err(|failure| {
        let error = fail(&failure.reason.to_string());
        let lines: Vec<&str> = failure.stderr.trim_end().lines().collect();
        let shown = lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join("\n");
        let error = if shown.is_empty() { error } else { error.note(format!("standard error ends with\n{shown}")) };
        match failure.reason {
            Reason::TooLong => {
                let limit = quantity(usize::try_from(limits.time.as_secs()).unwrap_or(usize::MAX), "second");
                error.help(format!("the limit is {limit}; `--timeout SECONDS` sets another"))
            }
            Reason::NotStarted(system) if system.kind() == ErrorKind::NotFound => {
                let program = declaration.words.first().map_or("", String::as_str);
                error.help(if program.contains('/') {
                    format!("`{program}` is a path from `{folder}`: it, or the program that its first line names, is missing")
                } else {
                    format!("no program `{program}` was found: install it, or run this where it is in PATH")
                })
            }
            Reason::TooMuch => error.help(format!("the limit is {} bytes; print less", limits.output)),
            _ => error,
        }
    })?;
    let printed = String::from_utf8(printed).map_err(|_| fail("what it printed is not UTF-8 text"))?;
    let after = load::reload_folder(root, folder, project);
    if let Some(changes) = changes(&before, &hashes(&after, folder)) {
        let error = fail(&format!("files of `{folder}` changed while it ran: {changes}"));
        return Err(error.help("it may print, but not write to its folder").into());
    }
    let text = Record::new(declaration.command.value.clone(), before, &printed).text().map_err(|why| fail(&why))?;
    let path: Arc<str> = declaration.path().into();
    let old = match project.files.get(&path) {
        None => None,
        Some(File::Text(source)) => Some(Arc::clone(source)),
        Some(_) => {
            return Err(fail(&format!("`{path}` is not a text file")).help("remove it, then record again").into());
        }
    };
    Ok(Recorded { path, old, text })
}
