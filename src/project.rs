//! Everything read, nothing understood: the files of a course as [`crate::load`] found them.

use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};

use imbl::OrdMap;

use crate::diag::{self, Diagnostic, Place, codes};
use crate::source::Source;

/// The folders that a course is made of; nothing else is read.
pub const FOLDERS: [&str; 4] = ["content", "code", "templates", "static"];

/// Files by path. A copy shares all that does not change in it, and two of them are compared where they do not share: a
/// preview keeps a course of ten thousand pages as it was and as it is.
pub type Files = OrdMap<Arc<str>, File>;

/// A course on disk, in memory.
#[derive(Debug, Default, Clone)]
pub struct Project {
    /// Every file below [`FOLDERS`], by its path from the course's root, with `/`.
    pub files: Files,
    /// What went wrong while reading, wherever it matters to the site whatever refers to it; sorted.
    pub diagnostics: Vec<Diagnostic>,
}

/// One entry below one of the course's folders.
#[derive(Debug, Clone)]
pub enum File {
    /// UTF-8 text without NUL characters.
    Text(Arc<Source>),
    /// Anything else that could be read.
    Binary(Arc<Binary>),
    /// Something that is not read.
    Refused(Refusal),
}

impl File {
    /// The bytes as on disk, if they were read.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Text(source) => Some(source.text().as_bytes()),
            Self::Binary(binary) => Some(&binary.bytes),
            Self::Refused(_) => None,
        }
    }

    /// Whether this is the very same file, or refused for the same reason. What [`crate::load`] reads again is the same
    /// exactly if its bytes are.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => Arc::ptr_eq(one, other),
            (Self::Binary(one), Self::Binary(other)) => Arc::ptr_eq(one, other),
            (Self::Refused(one), Self::Refused(other)) => one == other,
            _ => false,
        }
    }

    /// What is said of the file wherever it lies, because it was not read. Starters are only missed where one is named.
    fn refusal(&self, path: &Arc<str>) -> Option<Diagnostic> {
        match self {
            Self::Refused(refusal) if !path.starts_with("code/") => Some(refusal.diagnostic(path)),
            _ => None,
        }
    }
}

/// Bytes that are not text.
#[derive(Debug)]
pub struct Binary {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// The offset of the first byte that is not text: invalid UTF-8, or NUL.
    pub bad_byte: usize,
    readable: OnceLock<Source>,
}

impl Binary {
    /// Bytes of which the one at `bad_byte` is not text.
    #[must_use]
    pub fn new(bytes: Vec<u8>, bad_byte: usize) -> Self {
        Self { bytes, bad_byte, readable: OnceLock::new() }
    }

    /// The file as far as it can be read, for showing where it cannot: the same up to `bad_byte`, and there one character.
    pub fn readable(&self, path: &str) -> &Source {
        self.readable.get_or_init(|| Source::new(path, String::from_utf8_lossy(&self.bytes)))
    }
}

/// Why an entry was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A symbolic link: it could lead out of the course.
    Symlink,
    /// A FIFO, socket or device: reading it could wait for ever.
    Special,
    /// Larger than the limit for its folder, in bytes.
    TooLarge {
        /// The file's size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The system refused to read it.
    Unreadable(Reason),
}

/// Why the system refused something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    kind: io::ErrorKind,
    /// The system's number of it.
    code: Option<i32>,
}

impl Reason {
    /// Takes it from an error.
    #[must_use]
    pub fn of(error: &io::Error) -> Self {
        Self { kind: error.kind(), code: error.raw_os_error() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.to_string();
        match self.code {
            // What Rust has no word for, such as a disk that cannot be read, is said in the system's words.
            Some(code) if kind == "uncategorized error" => io::Error::from_raw_os_error(code).fmt(f),
            _ => f.write_str(&kind),
        }
    }
}

impl Refusal {
    /// What is said of an entry that was not read, wherever it is needed.
    #[must_use]
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
    /// [`File::is_same`].
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl Project {
    /// What is said of files that were not read.
    pub fn refusals(&self) -> impl Iterator<Item = Diagnostic> {
        self.files.iter().filter_map(|(path, file)| file.refusal(path))
    }

    /// Replaces, adds or (`None`) removes a file, and what was said of it.
    pub fn put(&mut self, path: &Arc<str>, file: Option<File>) {
        let said = file.as_ref().and_then(|file| file.refusal(path));
        let old = match file {
            Some(file) => self.files.insert(Arc::clone(path), file),
            None => self.files.remove(path),
        };
        let unsaid = old.and_then(|old| old.refusal(path));
        if said != unsaid {
            self.diagnostics.retain(|diagnostic| Some(diagnostic) != unsaid.as_ref());
            self.diagnostics.extend(said);
            diag::sort(&mut self.diagnostics);
        }
    }

    /// The text file at a path, if there is one.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&Arc<Source>> {
        match self.files.get(path) {
            Some(File::Text(source)) => Some(source),
            _ => None,
        }
    }

    /// Whether there is something at `path`, or a folder above it, that was not read: what is there is not known.
    #[must_use]
    pub fn is_unread(&self, path: &str) -> bool {
        from_top(path).any(|path| matches!(self.files.get(path), Some(File::Refused(_)))) || self.is_reported(path)
    }

    /// Whether it was reported, while reading, of `path` or a folder above it that it was not read.
    #[must_use]
    pub fn is_reported(&self, path: &str) -> bool {
        from_top(path).any(|path| {
            let first = self.diagnostics.partition_point(|said| *said.place.file < *path);
            self.diagnostics.get(first).is_some_and(|said| *said.place.file == *path)
        })
    }

    /// Whether some file lies below the folder `path` (no trailing slash).
    #[must_use]
    pub fn has_folder(&self, path: &str) -> bool {
        self.below(path).next().is_some()
    }

    /// The files below the folder `path` (no trailing slash), in the order of their paths.
    pub fn below<'a>(&'a self, path: &str) -> impl Iterator<Item = (&'a Arc<str>, &'a File)> {
        let prefix = format!("{path}/");
        let start: Arc<str> = Arc::from(prefix.as_str());
        self.files.range(start..).take_while(move |(file, _)| file.starts_with(&prefix))
    }
}

/// The folders above `path`, outermost first, and `path` itself.
fn from_top(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    ends.map(|end| &path[..end])
}
