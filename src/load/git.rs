//! Runs git, to read what a repository has. A repository may come from anybody, so nothing that its configuration names is
//! started: the commands run neither filters nor hooks, and what else could start a program is switched off.

#![expect(
    clippy::disallowed_methods,
    reason = "git is run to read a repository, or to fetch one, and nothing else; its variables are unset"
)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use thiserror::Error;

use infralens_source::project::SITE;

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
pub(super) struct Listed<'l> {
    pub mode: &'l str,
    pub id: &'l str,
    /// The size in bytes; `None` if the repository does not have the file.
    pub size: Option<u64>,
    pub path: &'l str,
}

/// Reads what `ls-tree -z -l` prints. Names that are not UTF-8 are left out.
pub(super) fn listed(printed: &[u8]) -> impl Iterator<Item = Listed<'_>> {
    let entries =
        printed.split(|&byte| byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok()?.split_once('\t'));
    entries.filter_map(|(about, path)| {
        let mut words = about.split_whitespace();
        let (mode, _, id, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
        Some(Listed { mode, id, size: size.parse().ok(), path })
    })
}

/// Returns the id of the tree or commit, as `kind` says, that a name means.
pub(super) fn resolve(root: &Path, name: &str, kind: &str) -> Result<String, RevisionError> {
    if name.starts_with('-') || name.contains('\0') {
        return Err(RevisionError::Unknown);
    }
    run(root, &["rev-parse", "--git-dir"])?.map_err(RevisionError::NoRepository)?;
    let found = run(root, &["rev-parse", "--verify", "--quiet", &format!("{name}^{{{kind}}}")])?;
    Ok(String::from_utf8_lossy(&found.map_err(|_| RevisionError::Unknown)?).trim().to_owned())
}

/// Returns a command of git that starts nothing else, opens no connection, and writes nothing.
pub(super) fn git(root: &Path) -> Command {
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
    command
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command
}

/// Runs git, and returns what it prints, or its message.
pub(super) fn run(root: &Path, arguments: &[&str]) -> Result<Result<Vec<u8>, String>, RevisionError> {
    output_of(git(root).args(arguments))
}

fn output_of(command: &mut Command) -> Result<Result<Vec<u8>, String>, RevisionError> {
    let output = command.output().map_err(RevisionError::NoGit)?;
    let message = || {
        let text = String::from_utf8_lossy(&output.stderr);
        text.lines().next().unwrap_or("no message").trim_start_matches("fatal: ").to_owned()
    };
    Ok(if output.status.success() { Ok(output.stdout) } else { Err(message()) })
}

/// Brings what the repository at `address` has into the bare repository at `folder`, which is created if it is not there.
/// Only the settings of the machine and of its user count.
///
/// # Errors
/// Git is missing, or cannot reach the project.
pub fn fetch(address: &str, folder: &Path) -> Result<(), RevisionError> {
    let failed = |done: Result<Vec<u8>, String>| done.map(drop).map_err(RevisionError::Failed);
    let mut create = git(Path::new("."));
    failed(output_of(create.args(["init", "--quiet", "--bare", "--template=", "--"]).arg(folder))?)?;
    let mut fetch = git(folder);
    fetch.args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"]);
    fetch.args(["fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--"]);
    fetch.args([address, "+HEAD:refs/upstream", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
    fetch.env("GIT_ALLOW_PROTOCOL", "file:http:https:ssh").env_remove("GIT_CONFIG_NOSYSTEM");
    failed(output_of(&mut fetch)?)
}

/// Returns the contents of files by their ids, in this order.
pub(super) fn contents(root: &Path, ids: Vec<String>) -> Result<Vec<Vec<u8>>, RevisionError> {
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
