//! `infralens diff`: what a change does to readers. Both versions of the course are planned in memory. With `-o`, the newer
//! one is planned again with the marks of its changes, and written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::build::{check_is_elsewhere, summary};
use super::clock::today;
use super::{Common, Failure, Outcome, Status, display_folder, eprint, print};
use crate::assets::BUILTIN;
use crate::emit::{self, Target, Writer};
use crate::load::repository::read_repository;
use crate::load::{self, Revision, RevisionError};
use infralens_author::repository::Documents;
use infralens_diff::{Report, compare, compare_documents, human, json, markdown, marks};
use infralens_render::marks::Marks;
use infralens_site::{self as site, Site};
use infralens_source::diag::Severity;

#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 nothing that readers see has changed; 1 there are changes; 2 failure")]
pub(super) struct Options {
    /// The older version: a revision of git, such as `main` or `HEAD~3`, or a folder with a course; two folders may
    /// also contain Markdown outside a course
    base: String,
    /// The newer version, in the same way [default: the files of the course as they are]
    head: Option<String>,
    /// The format of the report, which is printed on standard output
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Also write the site of the newer version to this folder, with its changes marked where they are
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print nothing: only the exit status says whether there are changes
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, in a terminal
    Human,
    /// For a comment on a code host: at most 65,000 characters
    Markdown,
    /// One JSON object
    Json,
}

/// A version of the course.
enum Version<'o> {
    Folder(PathBuf),
    Revision(&'o str),
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    if let Some(head) = options.head.as_deref().filter(|head| are_outside_courses([&options.base, head])) {
        if options.output.is_some() {
            let failure = Failure::new("outside a course there is no site that `--output` could write");
            return Err(failure.help("without `--output`, the report says what has changed"));
        }
        return print_report(&of_documents([&options.base, head])?, options);
    }
    let site_options = site::Options { today: Some(today()?), ..site::Options::new(BUILTIN) };
    let (base, head) = (Version::of(&options.base), options.head.as_deref().map(Version::of));
    let needs_root = !matches!((&base, &head), (Version::Folder(_), Some(Version::Folder(_))));
    let root = if needs_root { common.root()? } else { PathBuf::new() };
    let base_root = base.root(&root);
    let head_root = head.as_ref().map_or(root.as_path(), |head| head.root(&root)).to_owned();
    let target = options.output.as_ref().map(|out| Target { out, root: &head_root, is_marked: true });
    if let Some(target) = &target {
        // Before any work.
        check_is_elsewhere(target.out)?;
        emit::check_target(target)?;
        emit::check_target(&Target { root: base_root, ..*target })?;
    }
    let base = base.read(&root, &Revision::default())?;
    // What is the same in both is planned once.
    let head = head.unwrap_or_else(|| Version::Folder(root.clone())).read(&root, &base)?;
    let base = site::plan(&base.project, &site_options, &Site::default());
    let head = site::plan(&head.project, &site_options, &base);
    let name = options.head.as_deref().unwrap_or("the files as they are");
    let report = compare([&base, &head], [&options.base, name]);
    let outcome = print_report(&report, options)?;
    if let Some(target) = &target {
        let written = write_marked(target, marks(&report, [&base, &head]), &head, site_options)?;
        if !options.quiet {
            eprint(&format!("{}\n", summary(&written, &display_folder(target.out))));
        }
    }
    Ok(outcome)
}

/// Writes a site with the marks of its changes.
fn write_marked(target: &Target, marks: Marks, site: &Site, options: site::Options) -> Result<emit::Report, Failure> {
    let refusal = Failure::new("the newer version has errors, so its site was not written");
    let refusal = refusal.help("`infralens check` reports the errors of the course as it is");
    if site.diagnostics().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(refusal);
    }
    let mut project = site.project().clone();
    marks.files.iter().for_each(|(path, file)| project.put(path, Some(file.clone())));
    let site = site::plan(&project, &site::Options { marks: Some(Arc::new(marks)), ..options }, site);
    let paths = site.paths();
    let writer = Writer::open(paths.iter().map(AsRef::as_ref), target)?;
    let faults = site.make_all(|path, bytes| writer.put(path, bytes.as_ref()));
    if faults.is_empty() { Ok(writer.finish(None)?) } else { Err(refusal) }
}

/// Whether both arguments name folders without a course.
fn are_outside_courses(arguments: [&str; 2]) -> bool {
    let is_outside =
        |path: &Path| load::real_path(path).is_some() && load::find_root(path).is_none_or(|root| root != path);
    arguments.iter().all(|typed| is_outside(Path::new(typed)))
}

/// Compares the Markdown files in two folders without a course.
fn of_documents(folders: [&str; 2]) -> Result<Report, Failure> {
    let read = |folder: &str| {
        let folder = PathBuf::from(folder);
        read_repository(std::slice::from_ref(&folder), Some(&folder))
    };
    let [base, head] = [read(folders[0])?, read(folders[1])?];
    let [old, new] = [&base, &head].map(|read| Documents::parse(&read.project, &read.documents));
    let problems = [old.compare(&base.project).diagnostics, new.compare(&head.project).diagnostics];
    let projects = [&base.project, &head.project];
    Ok(old.with_pages(projects[0], |old| {
        new.with_pages(projects[1], |new| compare_documents([old, new], &problems, projects, folders))
    }))
}

/// Prints a report, unless nothing is to be printed.
fn print_report(report: &Report, options: &Options) -> Outcome {
    let status = if report.changes.is_empty() { Status::Done } else { Status::Refused };
    if !options.quiet {
        print(&match options.format {
            Format::Human => human(report),
            Format::Markdown => markdown(report),
            Format::Json => {
                json(report).map_err(|error| Failure::new(format!("the report cannot be written as JSON: {error}")))?
            }
        })?;
    }
    Ok(status)
}

impl<'o> Version<'o> {
    /// Interprets an argument. A folder is named by a path to a folder with a course; anything else is a revision.
    fn of(typed: &'o str) -> Self {
        let path = Path::new(typed);
        if load::is_course(path) { Self::Folder(path.to_path_buf()) } else { Self::Revision(typed) }
    }

    /// Returns the folder with the course; `root` is that of the repository's.
    fn root<'r>(&'r self, root: &'r Path) -> &'r Path {
        if let Self::Folder(folder) = self { folder } else { root }
    }

    /// Reads the version. Files that are the same as in `known` are taken from there.
    fn read(&self, root: &Path, known: &Revision) -> Result<Revision, Failure> {
        match self {
            Self::Folder(folder) => Ok(load::reload(folder, &known.project, &|| false).unwrap_or_default().into()),
            Self::Revision(name) => load::read_revision(root, name, known).map_err(|error| refusal(name, &error)),
        }
    }
}

fn refusal(name: &str, error: &RevisionError) -> Failure {
    let failure = Failure::new(format!("`{name}` cannot be compared: {error}"));
    match error {
        RevisionError::NoGit(_) => failure.help("install git, or compare two folders: `infralens diff OLD NEW`"),
        RevisionError::NoRepository(_) => failure.help("compare two folders: `infralens diff OLD NEW`"),
        RevisionError::Unknown if Path::new(name).components().count() > 1 || name.starts_with('.') => {
            failure.help("a folder to compare contains the course's folder `content`")
        }
        RevisionError::Unknown => failure.help("`git log --oneline` lists revisions; a shallow clone has only some"),
        RevisionError::Incomplete => failure.help("fetch them first, for example with `git checkout` of that revision"),
        RevisionError::NoCourse | RevisionError::Failed(_) => failure,
    }
}
