//! Reads the course of a revision from a repository of git, without checking anything out.
//!
//! Three commands are run, none of which looks at the files of the working tree: `rev-parse` finds the tree, `ls-tree` lists
//! it, `cat-file` prints its files. A repository may come from anybody, so nothing that its configuration names is started:
//! these commands run neither filters nor hooks, and what else could start a program is switched off.

#![expect(
    clippy::disallowed_methods,
    reason = "git is run to read a revision, and nothing else; its variables are unset"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use rayon::prelude::*;
use thiserror::Error;

use super::{generated, is_wanted, read};
use infralens_source::diag;
use infralens_source::project::{FOLDERS, File, Project, Refusal, SITE};

/// The modes of entries in trees.
const SYMLINK: &str = "120000";
const SUBMODULE: &str = "160000";

/// The course of a revision.
#[derive(Debug, Default)]
pub struct Revision {
    /// Its files.
    pub project: Project,
    /// The id of each file's content.
    ids: BTreeMap<Arc<str>, String>,
}

impl From<Project> for Revision {
    /// Makes a version of the course that was read from a folder.
    fn from(project: Project) -> Self {
        Self { project, ids: BTreeMap::new() }
    }
}

/// Why a revision cannot be read.
#[derive(Debug, Error)]
pub enum RevisionError {
    /// The program is not there.
    #[error("`git` cannot be started: {0}")]
    NoGit(io::Error),
    /// The folder is in no repository.
    #[error("there is no git repository here: {0}")]
    NoRepository(String),
    /// There is no such revision.
    #[error("the repository has no revision of this name")]
    Unknown,
    /// The revision has no such folder.
    #[error("it has no course here: `{SITE}` is missing")]
    NoCourse,
    /// Git has failed.
    #[error("git has failed: {0}")]
    Failed(String),
    /// The repository was cloned without all files of its history.
    #[error("the repository does not have all files of this revision")]
    Incomplete,
}

/// An entry of a tree.
struct Entry {
    path: Arc<str>,
    /// Its content; `None` if it is not read, and why not.
    content: Result<String, Refusal>,
}

/// Reads the course at `root` as it is in a revision. Files with the same content as in `known` are taken from there.
///
/// # Errors
///
/// See [`RevisionError`]. A name that begins with `-` is [`RevisionError::Unknown`].
pub fn read_revision(root: &Path, name: &str, known: &Revision) -> Result<Revision, RevisionError> {
    if name.starts_with('-') || name.contains('\0') {
        return Err(RevisionError::Unknown);
    }
    run(root, &["rev-parse", "--git-dir"])?.map_err(RevisionError::NoRepository)?;
    let tree = run(root, &["rev-parse", "--verify", "--quiet", &format!("{name}^{{tree}}")])?;
    let tree = String::from_utf8_lossy(&tree.map_err(|_| RevisionError::Unknown)?).trim().to_owned();
    let listed = run(root, &[&["ls-tree", "-r", "-z", "-l", &tree, "--"], &FOLDERS[..]].concat())?;
    let entries = entries(&listed.map_err(RevisionError::Failed)?)?;
    if !entries.iter().any(|entry| *entry.path == *SITE) {
        return Err(RevisionError::NoCourse);
    }
    let mut files = infralens_source::project::Files::new();
    let (mut ids, mut missing) = (BTreeMap::new(), Vec::new());
    for Entry { path, content } in entries {
        match content {
            Err(refusal) => drop(files.insert(path, File::Refused(refusal))),
            Ok(id) => {
                match known.project.files.get(&path).filter(|_| known.ids.get(&path) == Some(&id)) {
                    Some(file) => drop(files.insert(Arc::clone(&path), file.clone())),
                    None => missing.push((Arc::clone(&path), id.clone())),
                }
                ids.insert(path, id);
            }
        }
    }
    let contents = contents(root, missing.iter().map(|(_, id)| id.clone()).collect())?;
    let decoded: Vec<(Arc<str>, File)> = missing
        .into_par_iter()
        .zip(contents)
        .map(|((path, _), bytes)| {
            let file = read::decode(&path, bytes);
            (path, file)
        })
        .collect();
    files.extend(decoded);
    let mut project = Project { files, ..Project::default() };
    let mut diagnostics: Vec<_> = project.refusals().collect();
    diag::sort(&mut diagnostics);
    project.diagnostics = diagnostics;
    Ok(Revision { project, ids })
}

/// Reads the list of a tree. What is never read of a course on disk is left out.
fn entries(listed: &[u8]) -> Result<Vec<Entry>, RevisionError> {
    let lines = listed.split(|&byte| byte == 0).filter_map(|line| std::str::from_utf8(line).ok()?.split_once('\t'));
    let found: Vec<(Vec<&str>, &str)> = lines
        .map(|(about, path)| (about.split_whitespace().collect(), path))
        .filter(|(about, path): &(Vec<&str>, &str)| {
            about.first().is_some_and(|mode| *mode != SUBMODULE) && is_wanted(Path::new(path))
        })
        .collect();
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, path) in found.iter().filter(|(_, path)| path.starts_with("code/")) {
        for (end, _) in path.match_indices('/') {
            names.entry(&path[..end]).or_default().extend(path[end + 1..].split('/').next());
        }
    }
    let found = found.iter().filter(|(_, path)| !generated::is_in_generated(&names, path));
    let entries = found.map(|(about, path)| {
        // Git knows no size of what it does not have.
        let &[mode, _, id, size] = about.as_slice() else { return Err(RevisionError::Incomplete) };
        let size: u64 = size.parse().map_err(|_| RevisionError::Incomplete)?;
        let limit = read::limit(path);
        let content = match mode {
            SYMLINK => Err(Refusal::Symlink),
            _ if size > limit => Err(Refusal::TooLarge { size, limit }),
            _ => Ok(id.to_owned()),
        };
        Ok(Entry { path: Arc::from(*path), content })
    });
    entries.collect()
}

/// Returns a command of git that starts nothing else, opens no connection, and writes nothing.
fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    // Where the repository is follows from the folder alone, also if a hook has started this program.
    for (name, _) in std::env::vars_os() {
        let is_kept = |name: &str| name.starts_with("GIT_CONFIG") || name == "GIT_EXEC_PATH";
        if name.to_str().is_some_and(|name| name.starts_with("GIT_") && !is_kept(name)) {
            command.env_remove(name);
        }
    }
    let off = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "protocol.allow=never"];
    command.arg("-C").arg(root).arg("--no-pager").args(off.iter().flat_map(|setting| ["-c", setting]));
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
    // A clone without all files would fetch them, by commands that its configuration may name.
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "");
    command.env("GIT_NO_REPLACE_OBJECTS", "1").env("LC_ALL", "C").stdin(Stdio::null());
    command
}

/// Runs git, and returns what it prints, or its message.
fn run(root: &Path, arguments: &[&str]) -> Result<Result<Vec<u8>, String>, RevisionError> {
    let output = git(root).args(arguments).output().map_err(RevisionError::NoGit)?;
    let message = || {
        let text = String::from_utf8_lossy(&output.stderr);
        text.lines().next().unwrap_or("no message").trim_start_matches("fatal: ").to_owned()
    };
    Ok(if output.status.success() { Ok(output.stdout) } else { Err(message()) })
}

/// Returns the contents of files by their ids, in this order.
fn contents(root: &Path, ids: Vec<String>) -> Result<Vec<Vec<u8>>, RevisionError> {
    let failed = |error: io::Error| RevisionError::Failed(error.to_string());
    let mut command = git(root);
    command
        .args(["cat-file", "--batch", "--buffer"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().map_err(RevisionError::NoGit)?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed(io::ErrorKind::BrokenPipe.into()));
    };
    let count = ids.len();
    // Git prints while it still reads.
    let asking = thread::spawn(move || ids.iter().try_for_each(|id| writeln!(stdin, "{id}")));
    let mut stdout = BufReader::new(stdout);
    let read = (0..count).map(|_| next_content(&mut stdout)).collect::<Result<Vec<_>, _>>();
    drop(stdout);
    let _ = asking.join();
    child.wait().map_err(failed)?;
    read
}

/// Reads one content: `ID blob SIZE`, and so many bytes.
fn next_content(stdout: &mut impl BufRead) -> Result<Vec<u8>, RevisionError> {
    let failed = |error: io::Error| RevisionError::Failed(error.to_string());
    let mut head = String::new();
    stdout.read_line(&mut head).map_err(failed)?;
    let Some(size) = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok()) else {
        return Err(RevisionError::Incomplete);
    };
    let mut bytes = Vec::new();
    stdout.take(size).read_to_end(&mut bytes).map_err(failed)?;
    let mut end = [0];
    stdout.read_exact(&mut end).map_err(failed)?;
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(RevisionError::Incomplete) }
}
