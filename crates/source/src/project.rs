//! The files of a course as the program's module `load` has read them, not parsed yet.

use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};

use imbl::OrdMap;
use imbl::ordmap::DiffItem;

use crate::diag::{self, Diagnostic, Place, codes};
use crate::source::Source;

/// The settings of a course.
pub const SITE: &str = "content/site.yaml";
pub const REFERENCES: &str = "content/references.yaml";
/// What the addresses of other sites answered when they were visited.
pub const LINKS: &str = "content/links.yaml";
pub const GLOSSARY: &str = "content/glossary.md";

/// The folders of a course; nothing else is read.
pub const FOLDERS: [&str; 4] = ["content", "code", "templates", "static"];

/// Files by path. Copies of this map share what is the same, so the preview can keep several versions of a course
/// with ten thousand pages, and compare them quickly.
pub type Files = OrdMap<Arc<str>, File>;

/// The files of a course in memory.
#[derive(Debug, Default, Clone)]
pub struct Project {
    /// Every file below [`FOLDERS`], by its path from the course's root, with `/`.
    pub files: Files,
    /// The errors of reading, except those that matter only if something refers to the file; sorted.
    pub diagnostics: Vec<Diagnostic>,
    /// How many files outside a course were read to find code that has moved, if there are others that were not.
    pub searched_files: Option<usize>,
}

/// An entry below one of the course's folders.
#[derive(Debug, Clone)]
pub enum File {
    /// UTF-8 text without NUL characters.
    Text(Arc<Source>),
    /// Any other file that could be read.
    Binary(Arc<Binary>),
    /// An entry that is not read.
    Refused(Refusal),
}

impl File {
    /// Returns the bytes on disk, if they were read.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Text(source) => Some(source.text().as_bytes()),
            Self::Binary(binary) => Some(&binary.bytes),
            Self::Refused(_) => None,
        }
    }

    /// Whether this is the same file in memory, or refused for the same reason. The program's module `load` keeps a file the same
    /// if its bytes have not changed.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => Arc::ptr_eq(one, other),
            (Self::Binary(one), Self::Binary(other)) => Arc::ptr_eq(one, other),
            (Self::Refused(one), Self::Refused(other)) => one == other,
            _ => false,
        }
    }

    /// Returns the diagnostic of a file that was not read. Starters have none here, because they matter only where
    /// one is named.
    fn refusal(&self, path: &Arc<str>) -> Option<Diagnostic> {
        match self {
            Self::Refused(refusal) if !path.starts_with("code/") => Some(refusal.diagnostic(path)),
            _ => None,
        }
    }
}

/// A file that is not text.
#[derive(Debug)]
pub struct Binary {
    pub bytes: Vec<u8>,
    /// The offset of the first byte that is not text: invalid UTF-8, or NUL.
    pub bad_byte: usize,
    readable: OnceLock<Source>,
}

impl Binary {
    /// Creates a file whose byte at `bad_byte` is not text.
    pub fn new(bytes: Vec<u8>, bad_byte: usize) -> Self {
        Self { bytes, bad_byte, readable: OnceLock::new() }
    }

    /// Returns the file as lossy text, for showing where it is invalid: the same up to `bad_byte`, where it has a
    /// replacement character.
    pub fn readable(&self, path: &str) -> &Source {
        self.readable.get_or_init(|| Source::new(path, String::from_utf8_lossy(&self.bytes)))
    }
}

/// Why an entry was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A symbolic link, which could lead out of the course.
    Symlink,
    /// A FIFO, socket or device, for which reading could wait forever.
    Special,
    /// A file larger than the limit for its folder, in bytes.
    TooLarge { size: u64, limit: u64 },
    /// The system refused to read it.
    Unreadable(Reason),
}

/// Why the system refused something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    kind: io::ErrorKind,
    /// The error number of the system.
    code: Option<i32>,
}

impl Reason {
    pub fn of(error: &io::Error) -> Self {
        Self { kind: error.kind(), code: error.raw_os_error() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.to_string();
        match self.code {
            _ if self.kind == io::ErrorKind::NotFound => f.write_str("there is no such file or folder"),
            // For errors that Rust has no kind for, the message of the system is better.
            Some(code) if kind == "uncategorized error" => io::Error::from_raw_os_error(code).fmt(f),
            _ => f.write_str(&kind),
        }
    }
}

impl Refusal {
    /// Returns the diagnostic of an entry that was not read.
    pub fn diagnostic(self, path: &Arc<str>) -> Diagnostic {
        let place = Place::file(Arc::clone(path));
        match self {
            Self::Symlink => Diagnostic::new(codes::E0002, place, format!("`{path}` is a symbolic link"))
                .help("put the file itself here; links are not followed, because they can lead out of the course"),
            Self::Special => Diagnostic::new(codes::E0003, place, format!("`{path}` is not a regular file"))
                .help("a pipe, socket or device is not read; remove it"),
            Self::TooLarge { size, limit } => Diagnostic::new(
                codes::E0004,
                place,
                format!("`{path}` has {size} bytes; the limit here is {} MiB ({limit} bytes)", limit >> 20),
            ),
            Self::Unreadable(why) => Diagnostic::new(codes::E0005, place, format!("`{path}` cannot be read: {why}")),
        }
    }
}

impl PartialEq for File {
    /// Compares with [`File::is_same`].
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl Project {
    /// Returns the diagnostics of files that were not read.
    pub fn refusals(&self) -> impl Iterator<Item = Diagnostic> {
        self.files.iter().filter_map(|(path, file)| file.refusal(path))
    }

    /// Replaces, adds or (`None`) removes a file, and updates its diagnostic.
    pub fn put(&mut self, path: &Arc<str>, file: Option<File>) {
        let new_diagnostic = file.as_ref().and_then(|file| file.refusal(path));
        let old = match file {
            Some(file) => self.files.insert(Arc::clone(path), file),
            None => self.files.remove(path),
        };
        let old_diagnostic = old.and_then(|old| old.refusal(path));
        if new_diagnostic != old_diagnostic {
            self.diagnostics.retain(|diagnostic| Some(diagnostic) != old_diagnostic.as_ref());
            self.diagnostics.extend(new_diagnostic);
            diag::sort(&mut self.diagnostics);
        }
    }

    /// Returns the number of files that differ from those of an earlier state, by [`File::is_same`].
    pub fn changes_since(&self, earlier: &Self) -> usize {
        earlier.files.diff(&self.files).count()
    }

    /// Returns this state with the text files of an earlier one where they have the same bytes, so that they are the same in
    /// memory: an edit that was undone is no change.
    #[must_use]
    pub fn sharing(&self, earlier: &Self) -> Self {
        let mut shared = self.clone();
        for item in earlier.files.diff(&self.files) {
            if let DiffItem::Update { old: (path, known @ File::Text(old)), new: (_, File::Text(new)) } = item
                && old.text() == new.text()
            {
                shared.files.insert(Arc::clone(path), known.clone());
            }
        }
        shared
    }

    /// Returns the text file at a path, if there is one.
    pub fn text(&self, path: &str) -> Option<&Arc<Source>> {
        match self.files.get(path) {
            Some(File::Text(source)) => Some(source),
            _ => None,
        }
    }

    /// Whether `path`, or a folder above it, exists and was not read, so that its content is unknown.
    pub fn is_unread(&self, path: &str) -> bool {
        from_top(path).any(|path| matches!(self.files.get(path), Some(File::Refused(_)))) || self.is_reported(path)
    }

    /// Whether there is a diagnostic of reading at `path` or at a folder above it.
    pub fn is_reported(&self, path: &str) -> bool {
        from_top(path).any(|path| {
            let first = self.diagnostics.partition_point(|diagnostic| *diagnostic.place.file < *path);
            self.diagnostics.get(first).is_some_and(|diagnostic| *diagnostic.place.file == *path)
        })
    }

    /// Whether there is a file below the folder `path` (without a slash at the end).
    pub fn has_folder(&self, path: &str) -> bool {
        self.below(path).next().is_some()
    }

    /// Returns the files below the folder `path` (without a slash at the end), sorted by path.
    pub fn below<'a>(&'a self, path: &str) -> impl Iterator<Item = (&'a Arc<str>, &'a File)> {
        let prefix = format!("{path}/");
        let start: Arc<str> = Arc::from(prefix.as_str());
        self.files.range(start..).take_while(move |(file, _)| file.starts_with(&prefix))
    }
}

/// Returns the folders above `path`, outermost first, and `path` itself.
fn from_top(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    ends.map(|end| &path[..end])
}
