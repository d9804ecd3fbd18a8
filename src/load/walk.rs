//! Lists the entries below the course's folders that are read.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use super::{DEPTH_LIMIT, generated};
use crate::disk::{self, Entry, Walk};
use infralens_source::diag::codes::{self, Code};
use infralens_source::diag::{Diagnostic, Place};
use infralens_source::project::{FOLDERS, Reason};

/// Names of files that editors and desktops create: indexes of folders, and the file by which Vim tests whether it
/// may write.
const TEMPORARY_NAMES: [&str; 5] = ["4913", ".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini"];
/// Prefixes of lock files (Emacs, `LibreOffice`, Microsoft Office), and of copies that file systems keep.
const TEMPORARY_PREFIXES: [&str; 7] = [".#", ".~lock.", "~$", "._", ".goutputstream-", ".nfs0", ".fuse_hidden"];
/// Suffixes of backups and swap files: Vim, Emacs and others; Kate; the editors of `JetBrains`; merges and patches.
const TEMPORARY_SUFFIXES: [&str; 13] = [
    "~", ".swp", ".swo", ".swn", ".swx", ".swpx", ".kate-swp", "___jb_tmp___", "___jb_old___", ".orig", ".bak", ".rej",
    ".tmp",
];
/// Beginnings of names in `static/` that are never meant for readers. Other names with a dot are published there.
const PRIVATE_PREFIXES: [&str; 5] = [".git", ".env", ".hg", ".svn", ".ssh"];

/// The files that are read, by their paths from the root, and the diagnostics of listing them.
#[derive(Default)]
pub(super) struct Entries {
    pub entries: Vec<(Arc<str>, Entry)>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Lists the course's folders. Returns `None` if `stop` returns true.
pub(super) fn walk(root: &Path, stop: &dyn Fn() -> bool) -> Option<Entries> {
    let mut found = Entries::default();
    for folder in FOLDERS {
        let is_wanted = |entry: &Entry| is_wanted_name(folder, entry.name(), entry.kind.is_dir());
        let is_read = |_: &Entry| if stop() { None } else { Some(true) };
        found.list(root, &root.join(folder), (is_wanted, pruning(folder)), is_read)?;
    }
    found.report_nearly_named(root);
    Some(found)
}

/// Removes entries from the listing of a folder.
pub(super) type Prune = fn(&Entry, &mut Vec<Entry>);

/// Returns what is removed from listings below one of the course's folders. Only in `code/`, people run tools.
pub(super) fn pruning(folder: &str) -> Prune {
    if folder == "code" { generated::prune } else { |_, _| {} }
}

impl Entries {
    /// Adds the files below `top` for which `is_read` returns true. What cannot be listed, is too deep or has a name that is
    /// not UTF-8 is reported. Folders that are not wanted or are pruned are skipped with their contents. Returns `None` if
    /// `is_read` does.
    pub(super) fn list(
        &mut self,
        root: &Path,
        top: &Path,
        (is_wanted, prune): (impl Fn(&Entry) -> bool, Prune),
        mut is_read: impl FnMut(&Entry) -> Option<bool>,
    ) -> Option<()> {
        let walk = match Walk::new(top, DEPTH_LIMIT, is_wanted) {
            Ok(walk) => walk.pruned_by(prune),
            Err(error) => {
                self.report_unreadable(root, top, &error);
                return Some(());
            }
        };
        for entry in walk {
            match entry {
                Ok(entry) if entry.kind.is_dir() && entry.depth == DEPTH_LIMIT => {
                    let path = display(root, &entry.path);
                    let message = format!("`{path}` is nested too deep: the limit is {DEPTH_LIMIT} folders");
                    self.report(codes::E0004, root, &entry.path, message);
                }
                Ok(entry) if is_read(&entry)? && !entry.kind.is_dir() => self.add(root, entry),
                Ok(_) => {}
                Err((path, error)) => self.report_unreadable(root, &path, &error),
            }
        }
        Some(())
    }

    fn add(&mut self, root: &Path, entry: Entry) {
        match entry.path.strip_prefix(root).ok().and_then(course_path) {
            Some(path) => self.entries.push((path, entry)),
            None => self.report(codes::E0006, root, &entry.path, "file name is not UTF-8".to_owned()),
        }
    }

    /// Reports folders at the root that differ only in letter case or an `s` from one of the course's folders that is not there.
    fn report_nearly_named(&mut self, root: &Path) {
        let entries = disk::read_dir(root).unwrap_or_default();
        let folders: Vec<&str> =
            entries.iter().filter(|entry| entry.kind.is_dir()).filter_map(|entry| entry.name().to_str()).collect();
        for wanted in FOLDERS.iter().filter(|wanted| !folders.contains(wanted)) {
            let is_near = |name: &&&str| name.to_lowercase().trim_end_matches('s') == wanted.trim_end_matches('s');
            if let Some(found) = folders.iter().find(is_near) {
                let message = format!("`{found}/` is not read as `{wanted}/`");
                let hint = Diagnostic::new(codes::E0014, Place::file(*found), message);
                self.diagnostics.push(hint.help(format!("rename it to `{wanted}`")).hint());
            }
        }
    }

    /// Reports a folder that cannot be listed, unless it does not exist or was removed meanwhile.
    fn report_unreadable(&mut self, root: &Path, path: &Path, error: &io::Error) {
        if error.kind() != ErrorKind::NotFound {
            self.report(codes::E0005, root, path, format!("folder cannot be read: {}", Reason::of(error)));
        }
    }

    fn report(&mut self, code: Code, root: &Path, path: &Path, message: String) {
        let diagnostic = Diagnostic::new(code, Place::file(display(root, path)), message);
        let help = (code == codes::E0006).then_some("rename the file");
        self.diagnostics.push(help.into_iter().fold(diagnostic, Diagnostic::help));
    }
}

/// Whether an entry at this path from the root is read. Only names are considered, so a folder `target` in `code/`
/// may count as wanted, but nothing in it.
pub fn is_wanted(path: &Path) -> bool {
    let mut names = path.iter();
    let Some(folder) = names.next().and_then(|name| FOLDERS.into_iter().find(|folder| name == *folder)) else {
        return false;
    };
    let depth = names.clone().count();
    depth <= DEPTH_LIMIT && names.enumerate().all(|(at, name)| is_wanted_name(folder, name, at + 1 < depth))
}

/// Whether an entry with this name, below one of the course's folders, is read.
pub(super) fn is_wanted_name(folder: &str, name: &OsStr, is_folder: bool) -> bool {
    let name = name.to_string_lossy();
    if !is_folder && is_temporary(&name) {
        return false;
    }
    if folder == "static" {
        return !PRIVATE_PREFIXES.iter().any(|begin| name.starts_with(begin));
    }
    let is_tool_folder = folder == "code" && is_folder && generated::is_tool_folder(&name);
    !name.starts_with('.') && !is_tool_folder
}

/// Whether the name is one of a temporary file of an editor or desktop.
pub(super) fn is_temporary(name: &str) -> bool {
    let is_autosaved = name.len() > 2 && name.starts_with('#') && name.ends_with('#');
    is_autosaved
        || TEMPORARY_NAMES.iter().any(|left| name.eq_ignore_ascii_case(left))
        || TEMPORARY_PREFIXES.iter().any(|begin| name.starts_with(begin))
        || TEMPORARY_SUFFIXES.iter().any(|end| name.to_ascii_lowercase().ends_with(end))
}

/// Returns a path from the root with `/`, or `None` if it is not UTF-8.
pub fn course_path(path: &Path) -> Option<Arc<str>> {
    let segments: Option<Vec<&str>> = path.iter().map(OsStr::to_str).collect();
    segments.map(|segments| Arc::from(segments.join("/")))
}

/// Formats a path from the root for a diagnostic, even if it is not UTF-8.
fn display(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_of_editors_are_not_read() {
        let left = [
            "4913", "x.md~", "#x.md#", ".#x.md", "x.md___jb_tmp___", "x.md___jb_old___", ".x.md.swp", "x.md.swp",
            ".x.md.swx", ".x.md.kate-swp", ".DS_Store", "thumbs.db", ".~lock.x.csv#", "~$x.docx", "._x.md",
            "about.md.orig", "about.md.BAK", "a.py.rej", "x.tmp", ".env", ".env.local", ".git", ".gitignore",
        ];
        let kept = ["x.md", "4913.md", "14913", "x.swf", "a#", "#", "##", "tmp", "orig.md", "bak", "lock.py", "x~y.py"];
        for folder in FOLDERS {
            let is_wanted = |name: &str| is_wanted(&Path::new(folder).join("sub").join(name));
            assert_eq!(left.iter().find(|name| is_wanted(name)), None, "in {folder}");
            assert_eq!(kept.iter().find(|name| !is_wanted(name)), None, "in {folder}");
        }
        assert!(is_wanted(Path::new("code/4913/a.py")), "folders are not temporary");
        assert!(is_wanted(Path::new("static/.well-known/x")));
    }
}
