//! `infralens sync`: the pins, shown and taken over.
//!
//! 1. read the course and build it in memory, which finds the excerpts that have drifted from their files;
//! 2. write the pins that follow by themselves and those that `--accept` names, all or none;
//! 3. show the others with what has changed and the notes to read again.

use clap::Args;

use super::{Common, Failure, Outcome, Status, count, print, recover, tell, tell_diagnostics};
use crate::diag::Diagnostic;
use crate::project::Project;
use crate::render::pin::{Drift, State};
use crate::sync::{self, Accept, At};
use crate::{change, emit, load, site};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Take over stale excerpts whose notes you have read again: all of them, or those at these places, written as
    /// diagnostics print them
    #[arg(long, value_name = "PATH[:LINE]", num_args = 0..)]
    accept: Option<Vec<String>>,
    /// Write nothing; exit status 1 if there is something to do
    #[arg(long, conflicts_with = "accept")]
    check: bool,
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let root = common.root()?;
    if !options.check {
        recover(&root)?;
    }
    let project = load::load(&root);
    let drifts = drifts(&project);
    if options.check {
        return check(&drifts, &project);
    }
    let accept = accept(options.accept.as_deref(), &project, common)?;
    let plan = sync::plan(drifts, &accept);
    emit::change(&root, &plan.changes)?;
    for (drift, line) in &plan.taken {
        print(&format!("{}:{line}: {}\n", drift.page.path(), taken(drift)))?;
    }
    // What is left stands on other lines now.
    let project = change::preview(&project, &plan.changes);
    let left = self::drifts(&project);
    for at in &plan.idle {
        let stale: Vec<String> =
            left.iter().filter(|drift| **drift.page.path() == at.path).map(|drift| line(drift).to_string()).collect();
        let but = if stale.is_empty() { String::new() } else { format!("; on line {} it is", stale.join(", ")) };
        print(&format!("{at}: nothing is stale here{but}\n"))?;
    }
    tell_drifts(&left, &project);
    for drift in &plan.refused {
        let (path, line) = (drift.page.path(), line(drift));
        tell(&format!("error: the fence at {path}:{line} could not be written as it would be read\n"));
        tell("help: put the code into it by hand, or move the excerpt out of the list or quote it stands in\n");
    }
    print(&summary(plan.taken.len(), left.len()))?;
    Ok(if left.is_empty() { Status::Done } else { Status::Refused })
}

fn drifts(project: &Project) -> Vec<Drift> {
    site::build(project, &site::Options { drafts: true, ..site::Options::default() }).drifts
}

fn check(drifts: &[Drift], project: &Project) -> Outcome {
    tell_drifts(drifts, project);
    if drifts.is_empty() {
        print("every pin is as its file\n")?;
        return Ok(Status::Done);
    }
    Ok(Status::Refused)
}

fn tell_drifts(drifts: &[Drift], project: &Project) {
    let said: Vec<Diagnostic> = drifts.iter().map(|drift| drift.diagnostic.clone()).collect();
    tell_diagnostics(&said, project);
}

/// What `--accept` names. A page may be named from the current folder, too.
fn accept(places: Option<&[String]>, project: &Project, common: &Common) -> Result<Accept, Failure> {
    let Some(places) = places else { return Ok(Accept::Nothing) };
    if places.is_empty() {
        return Ok(Accept::All);
    }
    let places = places.iter().map(|text| {
        let At { path, line } = At::parse(text);
        let path = common.course_path(&path, |path| project.text(path).is_some());
        let page = project.text(&path).filter(|page| page.path().ends_with(".md"));
        let Some(page) = page else {
            let pages = project.files.keys().map(AsRef::as_ref).filter(|known: &&str| known.ends_with(".md"));
            let failure = Failure::new(format!("the course has no page `{path}`"));
            return Err(match crate::diag::nearest(&path, pages) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help("name a page as diagnostics do, such as `content/tracks/t/labs/lab-01-x.md:12`"),
            });
        };
        if line.is_some_and(|line| line == 0 || line > page.line_count()) {
            return Err(Failure::new(format!("`{text}`: the page has {}", count(page.line_count(), "line"))));
        }
        Ok(At { path, line })
    });
    places.collect::<Result<_, _>>().map(Accept::At)
}

fn line(drift: &Drift) -> usize {
    drift.page.position(drift.span.start).line
}

fn taken(drift: &Drift) -> String {
    match &drift.state {
        State::Unpinned => "pinned".to_owned(),
        State::Holds => "follows its file".to_owned(),
        State::Changed(notes) => {
            let numbers: Vec<String> = notes.iter().map(|note| (note + 1).to_string()).collect();
            format!("accepted, with note{} {}", if notes.len() == 1 { "" } else { "s" }, numbers.join(", "))
        }
    }
}

fn summary(taken: usize, left: usize) -> String {
    match (taken, left) {
        (0, 0) => "every pin is as its file\n".into(),
        (taken, 0) => format!("{} written\n", count(taken, "pin")),
        (taken, left) => format!("{} written, {left} left to be read again\n", count(taken, "pin")),
    }
}
