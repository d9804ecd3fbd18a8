//! `infralens init`: creates a small course that builds and teaches the format by example, and workflows that publish one.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Common, Failure, Outcome, Status, display_folder, new, one_line, print, quantity};
use crate::{emit, load};
use infralens_author::scaffold::{self, Workflow};
use infralens_source::change::Change;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The folder of the new course, relative to `--root` if that is given; it may exist and have a README, an
    /// `AGENTS.md` and a `.gitignore`, which are kept, but must not contain files of a course, except with `--ci`
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Create only settings, a home page and an empty list of references, without the example
    #[arg(long)]
    empty: bool,
    /// Also create the workflow with which this host checks the course and publishes its site; in a folder with a course,
    /// create nothing else
    #[arg(long, value_name = "HOST")]
    ci: Option<Host>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Host {
    Github,
    Gitlab,
}

/// A workflow that does not exist yet.
struct NewWorkflow {
    workflow: Workflow,
    /// The root of the repository.
    root: PathBuf,
    change: Change,
}

/// Returns a path as it is typed into a shell.
fn typed(path: &str) -> String {
    let is_plain = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '~'));
    if is_plain { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

#[expect(clippy::disallowed_methods, reason = "the message depends on what is at the path")]
pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let dir = &common.root.as_ref().map_or_else(|| options.dir.clone(), |root| root.join(&options.dir));
    let here = display_folder(dir);
    if dir.exists() && !dir.is_dir() {
        return Err(Failure::new(format!("`{}` is not a folder", dir.display())).help("name a folder for the course"));
    }
    let workflow = options.ci.map(|host| find_place(dir, host)).transpose()?;
    let mut changes = if options.empty { scaffold::empty_course(&name(dir)) } else { scaffold::course() };
    if load::find_root(dir).is_some_and(|root| root == *dir) {
        // If the course is what this command creates, it may have been killed before it created the workflow.
        let is_meant = !options.empty || changes.iter().all(|change| is_made(dir, change));
        let Some(workflow) = workflow.filter(|_| is_meant) else {
            return Err(Failure::new(format!("`{here}` is already a course"))
                .help("`infralens new` creates a lab, a section or a track in it"));
        };
        return workflow.create();
    }
    changes.extend(new::schemas(dir, &changes));
    let kept = keep_own(dir, &mut changes);
    // The settings make the folder a course, so they are written last: if this is killed, it can be run again.
    changes.sort_by_key(|change| change.path().ends_with("site.yaml"));
    emit::change(dir, &changes)?;
    let files = quantity(changes.len(), "file");
    let cd = if here == "./" { String::new() } else { format!("cd {} && ", typed(&here)) };
    let next = if options.empty {
        "infralens new track NAME, then infralens new lab NAME/SLUG --starter PATH"
    } else if kept.contains(&README) {
        "infralens serve --open"
    } else {
        "infralens serve --open; README.md suggests what to try"
    };
    let mut text = format!("a course of {files} in {here}\n");
    if !kept.is_empty() {
        text.extend(["kept as it is: ", &kept.join(", "), "\n"]);
    }
    if kept.contains(&GITIGNORE) {
        text.extend(["add `public/` to ", GITIGNORE, ": the site is written there\n"]);
    }
    print(&format!("{text}next: {cd}{next}\n"))?;
    workflow.map_or(Ok(Status::Done), |workflow| workflow.create())
}

/// The files of a new course that a new repository may have already.
const README: &str = "README.md";
const AGENTS: &str = "AGENTS.md";
const GITIGNORE: &str = ".gitignore";

/// Leaves out the files of its own that a repository has anyway, and returns their names. Other files that exist are refused.
#[expect(clippy::disallowed_methods, reason = "what is there decides what is created")]
fn keep_own(dir: &Path, changes: &mut Vec<Change>) -> Vec<&'static str> {
    let (mut kept, may_be_kept) = (Vec::new(), [README, AGENTS, GITIGNORE]);
    changes.retain(|change| {
        let own = may_be_kept.into_iter().find(|name| **change.path() == **name && dir.join(name).exists());
        let own = own.filter(|_| !is_made(dir, change));
        kept.extend(own);
        own.is_none()
    });
    kept
}

/// Whether the file that would be created is there, with the same text.
fn is_made(dir: &Path, change: &Change) -> bool {
    matches!(change, Change::Create { path, text } if load::has_text(&dir.join(&**path), text))
}

impl NewWorkflow {
    fn create(&self) -> Outcome {
        emit::change(&self.root, std::slice::from_ref(&self.change))?;
        let path = self.root.join(self.workflow.path).display().to_string();
        print(&format!("{} publishes the course\nnext: {}\n", one_line(&path), self.workflow.advice))?;
        Ok(Status::Done)
    }
}

/// Finds out where the workflow belongs. Hosts look for it only at the root of the repository, which is the nearest folder
/// with `.git`; without one, it is the course's folder.
#[expect(clippy::disallowed_methods, reason = "a repository is found outside the course")]
fn find_place(dir: &Path, host: Host) -> Result<NewWorkflow, Failure> {
    let workflow = match host {
        Host::Github => scaffold::GITHUB,
        Host::Gitlab => scaffold::GITLAB,
    };
    let whole = std::path::absolute(dir)
        .map_err(|error| Failure::new(format!("`{}` cannot be found: {error}", dir.display())))?;
    let repository = whole.ancestors().find(|folder| folder.join(".git").exists());
    let below = repository.and_then(|root| whole.strip_prefix(root).ok()).filter(|below| *below != Path::new(""));
    let (root, course) = match (repository, below) {
        (Some(root), Some(below)) => (root, below.display().to_string()),
        _ => (dir, ".".to_owned()),
    };
    let path = root.join(workflow.path);
    if path.exists() {
        return Err(Failure::new(format!("`{}` exists already", path.display()))
            .help("it is left as it is; move it away to get the one of InfraLens, and compare the two"));
    }
    Ok(NewWorkflow { workflow, root: root.to_owned(), change: workflow.create(&course) })
}

/// Returns the name of the course's folder, which becomes its title.
#[expect(clippy::disallowed_methods, reason = "the name of `.` depends on the current folder")]
fn name(dir: &Path) -> String {
    let whole = std::path::absolute(dir);
    let whole = whole.as_deref().unwrap_or(dir);
    whole.file_name().map_or_else(|| "Course".to_owned(), |name| name.to_string_lossy().into_owned())
}
