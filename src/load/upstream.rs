//! Reads two states of another project: that from which a course has a starter, and a later one.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

pub use super::git::fetch;
use super::git::{RevisionError, contents, listed, resolve, run};
use super::{TEXT_LIMIT, read};
use infralens_source::project::File;
use infralens_source::source::Source;

/// The name of the state that the project itself shows, in a repository that was fetched.
pub const FETCHED: &str = "refs/upstream";
/// How often a file that was renamed is followed.
const MAX_RENAMES: usize = 64;
/// How many files of code are searched, and their bytes.
const MAX_FILES: usize = 2_000;
const MAX_BYTES: u64 = 64 << 20;

/// The files of a commit.
#[derive(Debug)]
pub struct Tree {
    /// The id of the commit.
    pub commit: String,
    /// The id of each regular file, and its size in bytes.
    files: BTreeMap<String, (String, Option<u64>)>,
}

/// Lists the files of the commit that a name means in the repository at `folder`.
///
/// # Errors
/// There is no repository, or none of its commits has this name.
pub fn tree(folder: &Path, name: &str) -> Result<Tree, RevisionError> {
    let commit = resolve(folder, name, "commit")?;
    let printed =
        run(folder, &["ls-tree", "-r", "-z", "-l", "--full-tree", &commit])?.map_err(RevisionError::Failed)?;
    let files = listed(&printed).filter(|entry| entry.mode.starts_with("100"));
    let files = files.map(|entry| (entry.path.to_owned(), (entry.id.to_owned(), entry.size))).collect();
    Ok(Tree { commit, files })
}

impl Tree {
    /// Reads a file as if it were at the path `here` of the course; `None` if the commit does not have it as text.
    ///
    /// # Errors
    /// The repository does not have its content.
    pub fn read(&self, folder: &Path, path: &str, here: &str) -> Result<Option<Arc<Source>>, RevisionError> {
        let Some((id, size)) = self.files.get(path) else { return Ok(None) };
        if size.ok_or(RevisionError::Incomplete)? > TEXT_LIMIT {
            return Ok(None);
        }
        let bytes = contents(folder, vec![id.clone()])?.pop().ok_or(RevisionError::Incomplete)?;
        Ok(match read::decode(here, bytes) {
            File::Text(source) => Some(source),
            _ => None,
        })
    }

    /// Returns the path in a `later` commit of a file of this one; `None` if it is gone. Each commit that removed it says
    /// whether it was renamed.
    ///
    /// # Errors
    /// Git has failed.
    pub fn follow(&self, folder: &Path, later: &Self, path: &str) -> Result<Option<String>, RevisionError> {
        let (mut path, mut commit) = (path.to_owned(), self.commit.clone());
        for _ in 0..MAX_RENAMES {
            if later.files.contains_key(&path) {
                return Ok(Some(path));
            }
            let range = format!("{commit}..{}", later.commit);
            let removed = run(folder, &["rev-list", "-1", &range, "--", &path])?.map_err(RevisionError::Failed)?;
            String::from_utf8_lossy(&removed).trim().clone_into(&mut commit);
            let parent = format!("{commit}^");
            let compare = ["diff-tree", "-r", "-M", "-z", "--raw", "--no-ext-diff", "--no-textconv", &parent, &commit];
            let Some(renamed) = run(folder, &compare)?.ok().and_then(|printed| renamed(&printed, &path)) else {
                return Ok(None);
            };
            path = renamed;
        }
        Ok(None)
    }

    /// Reads the files of code that differ in a `later` commit, because one of them may have got code of the file `near`;
    /// nearest first. Also returns how many are left out.
    ///
    /// # Errors
    /// The repository does not have all of them.
    pub fn changed(&self, folder: &Path, later: &Self, near: &str) -> Result<(Vec<Arc<Source>>, usize), RevisionError> {
        let is_other = |(path, file): &(&String, &(String, Option<u64>))| self.files.get(*path) != Some(*file);
        let mut found: Vec<_> =
            later.files.iter().filter(is_other).filter(|(path, _)| !path.ends_with(".md")).collect();
        let shared = |path: &str| path.split('/').zip(near.split('/')).take_while(|(one, other)| one == other).count();
        found.sort_by_key(|(path, _)| Reverse(shared(path)));
        let (all, mut left) = (found.len(), MAX_BYTES);
        found.retain(|(_, (_, size))| {
            let size = size.filter(|size| *size <= TEXT_LIMIT.min(left));
            left -= size.unwrap_or_default();
            size.is_some()
        });
        found.truncate(MAX_FILES);
        let contents = contents(folder, found.iter().map(|(_, (id, _))| id.clone()).collect())?;
        let texts = found.iter().zip(contents).filter_map(|((path, _), bytes)| match read::decode(path, bytes) {
            File::Text(source) => Some(source),
            _ => None,
        });
        Ok((texts.collect(), all - found.len()))
    }
}

/// Returns the new path of a file, if `diff-tree` says that it was renamed.
fn renamed(printed: &[u8], path: &str) -> Option<String> {
    let mut words = printed.split(|&byte| byte == 0).filter_map(|word| std::str::from_utf8(word).ok());
    while let Some(about) = words.next() {
        let status = about.rsplit(' ').next()?;
        let old = words.next()?;
        let new = if status.starts_with('R') { words.next() } else { None };
        if old == path && new.is_some() {
            return new.map(str::to_owned);
        }
    }
    None
}
