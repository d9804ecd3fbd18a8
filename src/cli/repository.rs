//! The Markdown files outside a course that `check`, `sync` and `adopt` are given as paths.

use std::path::{Path, PathBuf};

use super::{Common, Failure, display_folder, eprint};
use crate::load::repository::Repository;

/// What reads the Markdown files at paths below a root.
type Read = fn(&[PathBuf], Option<&Path>) -> Result<Repository, Failure>;

/// Reads the Markdown files at `paths` with `read`. Says which pages it leaves to a course.
///
/// # Errors
/// A path that does not exist or is outside the root; nothing but pages of a course.
pub(super) fn read(common: &Common, paths: &[PathBuf], read: Read) -> Result<Repository, Failure> {
    let repository = read(paths, common.root.as_deref())?;
    let Some(first) = repository.courses.first() else { return Ok(repository) };
    let advice = |root: &PathBuf| format!("`infralens check --root {}` checks them", display_folder(root));
    if repository.found.is_empty() {
        return Err(
            Failure::new("these are pages of a course, to which the rules of courses apply").help(advice(first))
        );
    }
    for root in &repository.courses {
        eprint(&format!("pages of the course in `{}` were left out; {}\n", display_folder(root), advice(root)));
    }
    Ok(repository)
}
