//! Reads the course of a revision from a repository of git, without checking anything out.
//!
//! Three commands are run, none of which looks at the files of the working tree: `rev-parse` finds the tree, `ls-tree` lists
//! it, `cat-file` prints its files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::git::{Listed, RevisionError, contents, listed, resolve, run};
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
    let tree = resolve(root, name, "tree")?;
    let printed = run(root, &[&["ls-tree", "-r", "-z", "-l", &tree, "--"], &FOLDERS[..]].concat())?;
    let entries = entries(&printed.map_err(RevisionError::Failed)?)?;
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
fn entries(printed: &[u8]) -> Result<Vec<Entry>, RevisionError> {
    let is_read = |entry: &Listed<'_>| entry.mode != SUBMODULE && is_wanted(Path::new(entry.path));
    let found: Vec<Listed<'_>> = listed(printed).filter(is_read).collect();
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in found.iter().map(|entry| entry.path).filter(|path| path.starts_with("code/")) {
        for (end, _) in path.match_indices('/') {
            names.entry(&path[..end]).or_default().extend(path[end + 1..].split('/').next());
        }
    }
    let found = found.iter().filter(|entry| !generated::is_in_generated(&names, entry.path));
    let entries = found.map(|&Listed { mode, id, size, path }| {
        // Git knows no size of what it does not have.
        let (size, limit) = (size.ok_or(RevisionError::Incomplete)?, read::limit(path));
        let content = match mode {
            SYMLINK => Err(Refusal::Symlink),
            _ if size > limit => Err(Refusal::TooLarge { size, limit }),
            _ => Ok(id.to_owned()),
        };
        Ok(Entry { path: Arc::from(path), content })
    });
    entries.collect()
}
