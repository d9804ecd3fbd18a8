//! `infralens new`: creates a numbered lab, section or track, or a translation, with markers where the author must write.
//!
//! 1. read the course; plan the new files; 2. create all of them, or none; 3. say what was created.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::relocate::typed;
use super::{Common, Failure, Outcome, Status, done, print};
use crate::report::one_line;
use crate::{emit, load};
use infralens_author::relocate::find_page;
use infralens_author::scaffold::{self, Proposal};
use infralens_author::translation::{self, Created};
use infralens_course::schema;
use infralens_site::{self as site, Site};
use infralens_source::change::Change;
use infralens_source::project::{Project, Reason};

#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// A lab, with its code and all sections that a lab must have
    Lab {
        /// The track and the lab's name, such as `ai-infra/bank-conflict`; it may contain a free number
        #[arg(value_name = "TRACK/SLUG")]
        name: String,
        /// The file that the lab reads; a file outside `code/` is copied into it
        #[arg(long, value_name = "PATH")]
        starter: Option<PathBuf>,
    },
    /// A section of a handbook
    Section {
        /// The track and the section's name, such as `ai-infra/shared-memory`
        #[arg(value_name = "TRACK/SLUG")]
        name: String,
    },
    /// The translation of a page: its text in a language of the course, block by block below what is translated
    Translation {
        /// The language, one of `languages:` in `content/site.yaml`
        #[arg(value_name = "LANG")]
        language: String,
        /// The page: its file, or in short `TRACK/lab-NN-slug` or `lab-NN-slug`. If it is translated already, without
        /// quotes, they are added
        #[arg(value_name = "PAGE", value_hint = clap::ValueHint::AnyPath, required_unless_present = "from")]
        page: Option<String>,
        /// A course that has the same pages in this language: takes over their text; of all pages without PAGE
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
    },
    /// A track, which is also added to `tracks:` in `content/site.yaml`
    Track {
        /// Its name, which becomes part of URLs
        #[arg(value_name = "TRACK")]
        name: String,
    },
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let root = common.root()?;
    let project = load::load(&root);
    let proposal = match &options.what {
        What::Lab { name, starter } => {
            let read = |path: &Path| {
                let io = |error| unread(path, &error);
                match load::hidden_name(&root, path).map_err(io)? {
                    Some(name) => {
                        Err(Failure::new(format!("`{}` is not read: `{name}` begins with a dot", path.display())).help(
                            "files and folders with such names hold settings and secrets, and a course ignores them",
                        ))
                    }
                    None => load::read_starter(&root, path).map_err(io),
                }
            };
            let given = starter.as_deref().map(read);
            scaffold::lab(&project, name, given.transpose()?)
        }
        What::Section { name } => scaffold::section(&project, name),
        What::Track { name } => scaffold::track(&project, name),
        What::Translation { language, page, from } => {
            return translate(&root, &project, language, page.as_deref(), from.as_deref());
        }
    }?;
    let schemas = schemas(&root, &proposal.changes);
    // The page, which names the other files, is written last, so that a command that was killed can be run again; and so is a
    // track's page, whose existence refuses another one.
    let last_first = proposal.changes.iter().rev().cloned();
    emit::change(&root, &schemas.iter().cloned().chain(last_first).collect::<Vec<_>>())?;
    print(&report(&proposal, &schemas))?;
    Ok(Status::Done)
}

/// Creates the translation of a page, or of every page that a course in the other language has.
fn translate(root: &Path, project: &Project, language: &str, page: Option<&str>, from: Option<&Path>) -> Outcome {
    let options = site::Options { drafts: true, ..site::Options::default() };
    let site = site::plan(project, &options, &Site::default());
    if let Some(from) = from.filter(|from| !load::is_course(from)) {
        return Err(Failure::new(format!("`{}` is not the folder of a course", from.display()))
            .help("`infralens import` makes a course of a book"));
    }
    let from = from.map(load::load);
    let pages = match (page, &from) {
        (None, Some(from)) => translation::translated_in(&site, language, from)?,
        _ => page.map(|page| find_page(project, &typed(page, root))).transpose()?.into_iter().collect(),
    };
    let created = pages.iter().map(|page| translation::create(&site, language, page, from.as_ref()));
    let created = created.collect::<Result<Vec<Created>, _>>()?;
    emit::change(root, &created.iter().map(|created| created.change.clone()).collect::<Vec<_>>())?;
    let mut text = String::new();
    for Created { change, left } in &created {
        text += &done(std::slice::from_ref(change));
        for (path, line, why) in left {
            text.extend([&format!("  left in a comment: {}:{line}: ", one_line(path)), &*one_line(why), "\n"]);
        }
    }
    text.extend(created.is_empty().then_some("the other course has no page that is not translated here\n"));
    let next = "next: translate each block below its quote; `infralens check --language ";
    print(&format!("{text}{next}{}` shows what is left\n", one_line(language)))?;
    Ok(Status::Done)
}

fn unread(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("`{}` cannot be read: {}", path.display(), Reason::of(error)))
        .help("`--starter` names a file, relative to the current folder")
}

/// Returns the schemas for editors that new files refer to and that do not exist yet.
#[expect(clippy::disallowed_methods, reason = "they are not in a folder that is read as part of the course")]
pub(super) fn schemas(root: &Path, changes: &[Change]) -> Vec<Change> {
    let is_used =
        |path: &str| changes.iter().any(|change| matches!(change, Change::Create { text, .. } if text.contains(path)));
    let missing = schema::files().into_iter().filter(|(path, _)| is_used(path) && !root.join(path).exists());
    missing.map(|(path, text)| Change::Create { path: path.into(), text }).collect()
}

/// Returns a line per change, and what to do next.
fn report(proposal: &Proposal, schemas: &[Change]) -> String {
    let mut text = done(&proposal.changes) + &done(schemas);
    for decision in &proposal.decisions {
        text.extend([&*one_line(decision), "\n"]);
    }
    text + "next: fill in the new files; `infralens check` shows what is left to write\n"
}
