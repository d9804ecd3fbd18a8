//! Which entries below the course's folders are read.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use super::DEPTH_LIMIT;
use crate::diag::{Diagnostic, Place, codes};
use crate::disk::{Entry, Walk};
use crate::project::{FOLDERS, Reason};

const LEFT_BY_TOOLS: [&str; 3] = ["__pycache__", "node_modules", "target"];

/// Names of files that editors and desktops leave beside those that they work on: indexes of folders, and the file by
/// which Vim finds out whether it may write there.
const LEFT_NAMES: [&str; 5] = ["4913", ".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini"];
/// How names of their locks begin: Emacs, `LibreOffice`, Microsoft Office; then copies that file systems keep.
const LEFT_BEGINNINGS: [&str; 7] = [".#", ".~lock.", "~$", "._", ".goutputstream-", ".nfs0", ".fuse_hidden"];
/// How names of their backups and swap files end: Vim, Emacs and others; Kate; the editors of `JetBrains`.
const LEFT_ENDINGS: [&str; 9] =
    ["~", ".swp", ".swo", ".swn", ".swx", ".swpx", ".kate-swp", "___jb_tmp___", "___jb_old___"];

/// The entries to be read, by their paths from the root, and what the walk has to say.
#[derive(Default)]
pub(super) struct Found {
    pub entries: Vec<(Arc<str>, Entry)>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Walks the course's folders. Gives nothing if `stop` said so.
pub(super) fn walk(root: &Path, stop: &dyn Fn() -> bool) -> Option<Found> {
    let mut found = Found::default();
    for folder in FOLDERS {
        let top = root.join(folder);
        let is_wanted = |entry: &Entry| is_wanted_name(folder, entry.name(), entry.kind.is_dir());
        let walk = match Walk::new(&top, DEPTH_LIMIT, is_wanted) {
            Ok(walk) => walk,
            Err(error) => {
                found.fail(root, &top, &error);
                continue;
            }
        };
        for entry in walk {
            if stop() {
                return None;
            }
            match entry {
                Ok(entry) => found.add(root, entry),
                Err((path, error)) => found.fail(root, &path, &error),
            }
        }
    }
    Some(found)
}

impl Found {
    fn add(&mut self, root: &Path, entry: Entry) {
        if entry.kind.is_dir() {
            if entry.depth == DEPTH_LIMIT {
                let message = format!("folders are nested more than {DEPTH_LIMIT} deep");
                let place = Place::file(display(root, &entry.path));
                self.diagnostics.push(Diagnostic::new(codes::E0004, place, message));
            }
            return;
        }
        match entry.path.strip_prefix(root).ok().and_then(course_path) {
            Some(path) => self.entries.push((path, entry)),
            None => self.diagnostics.push(
                Diagnostic::new(codes::E0006, Place::file(display(root, &entry.path)), "file name is not UTF-8")
                    .help("rename the file: its name becomes part of a URL"),
            ),
        }
    }

    /// Reports a folder that cannot be listed, unless it is not there or went while the walk came to it.
    fn fail(&mut self, root: &Path, path: &Path, error: &io::Error) {
        if error.kind() != ErrorKind::NotFound {
            let message = format!("folder cannot be read: {}", Reason::of(error));
            self.diagnostics.push(Diagnostic::new(codes::E0005, Place::file(display(root, path)), message));
        }
    }
}

/// Whether a walk comes by an entry of this path from the root, if it is there; as far as names tell, so that a folder
/// `target` in `code/` may be said to be wanted, but nothing in it.
#[must_use]
pub fn is_wanted(path: &Path) -> bool {
    let mut names = path.iter();
    let Some(folder) = names.next().and_then(|name| FOLDERS.into_iter().find(|folder| name == *folder)) else {
        return false;
    };
    let depth = names.clone().count();
    depth <= DEPTH_LIMIT && names.enumerate().all(|(at, name)| is_wanted_name(folder, name, at + 1 < depth))
}

/// Whether an entry below one of the course's folders is wanted, by its name.
pub(super) fn is_wanted_name(folder: &str, name: &OsStr, is_folder: bool) -> bool {
    let name = name.to_string_lossy();
    if !is_folder && is_left_by_editor(&name) {
        return false;
    }
    if folder == "static" {
        return true;
    }
    let left_by_tool = folder == "code" && is_folder && LEFT_BY_TOOLS.contains(&name.as_ref());
    !name.starts_with('.') && !left_by_tool
}

/// Whether an editor or a desktop leaves files of this name behind, which are nobody's work.
fn is_left_by_editor(name: &str) -> bool {
    let is_autosaved = name.len() > 2 && name.starts_with('#') && name.ends_with('#');
    is_autosaved
        || LEFT_NAMES.iter().any(|left| name.eq_ignore_ascii_case(left))
        || LEFT_BEGINNINGS.iter().any(|begin| name.starts_with(begin))
        || LEFT_ENDINGS.iter().any(|end| name.ends_with(end))
}

/// A path from the root, with `/`, if it is UTF-8.
#[must_use]
pub fn course_path(path: &Path) -> Option<Arc<str>> {
    let segments: Option<Vec<&str>> = path.iter().map(OsStr::to_str).collect();
    segments.map(|segments| Arc::from(segments.join("/")))
}

fn display(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_leave_is_not_wanted_in_any_folder() {
        let left = [
            "4913",
            "x.md~",
            "#x.md#",
            ".#x.md",
            "x.md___jb_tmp___",
            "x.md___jb_old___",
            ".x.md.swp",
            "x.md.swp",
            ".x.md.swx",
            ".x.md.kate-swp",
            ".DS_Store",
            "thumbs.db",
            ".~lock.x.csv#",
            "~$x.docx",
            "._x.md",
        ];
        let kept = ["x.md", "4913.md", "14913", "x.swf", "a#", "#", "##", "notes.tmp", "lock.py", "x~y.py"];
        for folder in FOLDERS {
            let is_wanted = |name: &str| is_wanted(&Path::new(folder).join("sub").join(name));
            assert_eq!(left.iter().find(|name| is_wanted(name)), None, "in {folder}");
            assert_eq!(kept.iter().find(|name| !is_wanted(name)), None, "in {folder}");
        }
        assert!(is_wanted(Path::new("code/4913/a.py")), "a folder is somebody's work");
        assert!(is_wanted(Path::new("static/.well-known/x")));
    }
}
