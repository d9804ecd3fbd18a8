//! Reads the book of another generator, to be imported: the folder of its pages, except files of tools and editors, and what
//! these include.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::repository::is_wanted;
use super::walk::Entries;
use super::{ASSET_LIMIT, TEXT_LIMIT, generated, read};
use crate::disk::{self, Entry};
use infralens_import::{Dialect, Needs};
use infralens_source::change::Refusal as Failure;
use infralens_source::project::{Project, Reason};

/// The maximum numbers of files and of bytes of a book.
const MOST_FILES: usize = 50_000;
const MOST_BYTES: usize = 1 << 30;

/// Whether a new project can be created at `folder`: nothing is there, or an empty folder, or one with only `.git`.
///
/// # Errors
/// It is not a folder, or cannot be read.
pub fn is_free(folder: &Path) -> io::Result<bool> {
    if disk::find(folder)?.is_none() {
        return Ok(true);
    }
    Ok(disk::read_dir(folder)?.iter().all(|entry| entry.name() == ".git"))
}

/// Reads the files of a book in the folder `top`, by their paths from the folder `within`, which contains it and may have
/// files that pages include: that given, or the nearest with a repository of git, or else `top` itself. Also returns the
/// path of `top` from there, with a slash at its end unless it is empty. Links are not followed.
///
/// # Errors
/// A folder is none or cannot be read, the book's settings are missing or cannot be read, or the book is too large.
pub fn read_book(top: &Path, within: Option<&Path>, dialect: Dialect) -> Result<(Project, String), Failure> {
    let folder = |path: &Path| {
        let refuse = |error| Failure::new(format!("`{}` cannot be read: {}", path.display(), Reason::of(&error)));
        let real = disk::canonicalize(path).map_err(refuse)?;
        let is_folder = disk::metadata(&real).map_err(refuse)?.is_dir();
        if is_folder { Ok(real) } else { Err(Failure::new(format!("`{}` is not a folder", path.display()))) }
    };
    let book = folder(top)?;
    let has_git = |folder: &&Path| matches!(disk::find(&folder.join(".git")), Ok(Some(_)));
    let root = within.map_or_else(|| Ok(book.ancestors().find(has_git).unwrap_or(&book).to_owned()), folder)?;
    let below = book.strip_prefix(&root).ok().and_then(Path::to_str).map(|below| below.replace('\\', "/"));
    let below = below.ok_or_else(|| Failure::new(format!("`{}` is not inside `{}`", top.display(), root.display())))?;
    let below = if below.is_empty() { below } else { below + "/" };
    let mut reader = Reader { root, project: Project::default(), bytes: 0, unread: Vec::new() };
    for name in Needs::settings(dialect) {
        reader.add_named(&format!("{below}{name}"))?;
    }
    let needs = Needs::new(&reader.project, dialect, &below)?;
    for folder in needs.folders() {
        reader.add_folder(&folder)?;
    }
    for path in needs.files() {
        reader.add_named(&path)?;
    }
    while let Some(path) = reader.unread.pop() {
        let named = reader.project.text(&path).map(|source| needs.named(source));
        for path in named.into_iter().flatten() {
            reader.add_named(&path)?;
        }
    }
    Ok((reader.project, below))
}

/// Whether a file or folder can be a part of a book: not those of tools and editors, and none that is hidden, except the
/// authors of a blog.
fn is_part_of_book(entry: &Entry) -> bool {
    let name = entry.name().to_string_lossy();
    name == ".authors.yml" || is_wanted(entry) && !name.starts_with('.')
}

struct Reader {
    root: PathBuf,
    project: Project,
    /// The bytes that were read.
    bytes: usize,
    /// The texts in which no included files were searched yet.
    unread: Vec<Arc<str>>,
}

impl Reader {
    fn add_folder(&mut self, folder: &str) -> Result<(), Failure> {
        let (mut found, mut count) = (Entries::default(), 0);
        let all = found.list(&self.root, &self.root.join(folder), (is_part_of_book, generated::prune), |_| {
            count += 1;
            (count <= 2 * MOST_FILES).then_some(true)
        });
        all.ok_or_else(too_large)?;
        self.project.diagnostics.extend(found.diagnostics);
        found.entries.into_iter().try_for_each(|(path, entry)| self.add(path, &entry.path, entry.kind))
    }

    /// Reads a file that another one names.
    fn add_named(&mut self, path: &str) -> Result<(), Failure> {
        let mut at = self.root.clone();
        for name in path.split('/') {
            at.push(name);
            let Ok(Some(found)) = disk::find(&at) else { return Ok(()) };
            let entry = Entry { path: at.clone(), kind: found.file_type(), depth: 1 };
            if !is_part_of_book(&entry) && name != ".vitepress" {
                return Ok(());
            }
            if !found.is_dir() {
                return self.add(Arc::from(path), &at, entry.kind);
            }
        }
        Ok(())
    }

    fn add(&mut self, path: Arc<str>, at: &Path, kind: disk::FileType) -> Result<(), Failure> {
        if self.project.files.contains_key(&path) {
            return Ok(());
        }
        // A page that is too large could not be a page of the new project either.
        let limit = if path.ends_with(".md") { TEXT_LIMIT } else { ASSET_LIMIT };
        let Some(file) = read::read_up_to(limit, &path, at, kind, None) else { return Ok(()) };
        self.bytes += file.bytes().map_or(0, <[u8]>::len);
        if self.bytes > MOST_BYTES || self.project.files.len() == MOST_FILES {
            return Err(too_large());
        }
        self.unread.push(Arc::clone(&path));
        self.project.files.insert(path, file);
        Ok(())
    }
}

fn too_large() -> Failure {
    let message =
        format!("the book has more than {MOST_FILES} files or {} GiB below the folder of its pages", MOST_BYTES >> 30);
    Failure::new(message).help("move what is not part of the book out of that folder, or import a part of the book")
}
