//! Disk → [`Project`]: the only reader. Walks the course's four folders without following a link, then reads their
//! files in parallel, each once.
//!
//! Skipped: names that begin with a dot (but in `static/`, where `.well-known` and the like are published), and the
//! folders `__pycache__`, `node_modules` and `target` below `code/`, which tools leave behind.

#![expect(clippy::disallowed_methods, reason = "the one room that reads a course")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use crate::diag::{Diagnostic, Place, codes};
use crate::project::{Binary, FOLDERS, File, Project, Refusal};
use crate::scaffold::Given;
use crate::source::Source;

/// The largest page, template or starter that is read: 4 MiB.
pub const TEXT_LIMIT: u64 = 4 << 20;
/// The largest file that is published as it is: 256 MiB.
pub const ASSET_LIMIT: u64 = 256 << 20;
/// The deepest folder below a course's folder.
pub const DEPTH_LIMIT: usize = 64;

const LEFT_BY_TOOLS: [&str; 3] = ["__pycache__", "node_modules", "target"];

/// The nearest folder at or above `start` that holds `content/site.yaml`.
#[must_use]
pub fn find_root(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join("content/site.yaml").is_file()).map(Path::to_path_buf)
}

/// Reads the course whose root is `root`.
#[must_use]
pub fn load(root: &Path) -> Project {
    let mut project = Project::default();
    let mut found = Vec::new();
    for folder in FOLDERS {
        walk(root, folder, &mut found, &mut project.diagnostics);
    }
    let read: Vec<(Arc<str>, File)> = found
        .into_par_iter()
        .map(|(path, entry)| {
            let file = read(&path, &entry);
            (path, file)
        })
        .collect();
    for (path, file) in &read {
        if let (File::Refused(refusal), false) = (file, path.starts_with("code/")) {
            project.diagnostics.push(refusal.diagnostic(path));
        }
    }
    project.files = read.into_iter().collect();
    project
}

/// Finds a file that the author of the course at `root` named, and reads it if it lies outside `code/`. Here a link is
/// followed: the author chose it.
///
/// # Errors
/// The system's own; `InvalidFilename` where the name is not UTF-8.
pub fn given(root: &Path, path: &Path) -> std::io::Result<Given> {
    let file = path.canonicalize()?;
    let metadata = file.metadata()?;
    let below = root.join("code").canonicalize().ok().filter(|code| file.starts_with(code));
    if let (Some(_), true) = (below, metadata.is_file()) {
        let path = course_path(&root.canonicalize()?, &file).ok_or(std::io::ErrorKind::InvalidFilename)?;
        return Ok(Given::InCode(path.to_string()));
    }
    let written = path.to_string_lossy().into_owned();
    let name = path.file_name().or(file.file_name()).and_then(std::ffi::OsStr::to_str);
    let name = name.ok_or(std::io::ErrorKind::InvalidFilename)?.to_owned();
    let file = match metadata.len() {
        _ if metadata.is_dir() => return Err(std::io::ErrorKind::IsADirectory.into()),
        _ if !metadata.is_file() => File::Refused(Refusal::Special),
        size if size > TEXT_LIMIT => File::Refused(Refusal::TooLarge { size, limit: TEXT_LIMIT }),
        _ => understand_bytes(&written, std::fs::read(file)?),
    };
    Ok(Given::Elsewhere { written, name, file })
}

fn walk(root: &Path, folder: &str, found: &mut Vec<(Arc<str>, DirEntry)>, diagnostics: &mut Vec<Diagnostic>) {
    let top = root.join(folder);
    if top.symlink_metadata().is_err() {
        return;
    }
    let walk =
        WalkDir::new(&top).follow_links(false).follow_root_links(false).max_depth(DEPTH_LIMIT).sort_by_file_name();
    for entry in walk.into_iter().filter_entry(|entry| entry.depth() == 0 || is_wanted(folder, entry)) {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {
                if entry.depth() == DEPTH_LIMIT {
                    let message = format!("folders are nested more than {DEPTH_LIMIT} deep");
                    diagnostics.push(Diagnostic::new(codes::E0004, Place::file(display(root, entry.path())), message));
                }
            }
            Ok(entry) => match course_path(root, entry.path()) {
                Some(path) => found.push((path, entry)),
                None => diagnostics.push(
                    Diagnostic::new(codes::E0006, Place::file(display(root, entry.path())), "file name is not UTF-8")
                        .help("rename the file: its name becomes part of a URL"),
                ),
            },
            Err(error) => {
                let path = error.path().unwrap_or(&top);
                let why = error.io_error().map_or_else(|| error.to_string(), |io| io.kind().to_string());
                let message = format!("folder cannot be read: {why}");
                diagnostics.push(Diagnostic::new(codes::E0005, Place::file(display(root, path)), message));
            }
        }
    }
}

fn is_wanted(folder: &str, entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    if folder == "static" {
        return name != ".DS_Store";
    }
    let left_by_tool = folder == "code" && entry.file_type().is_dir() && LEFT_BY_TOOLS.contains(&name.as_ref());
    !name.starts_with('.') && !left_by_tool
}

fn course_path(root: &Path, path: &Path) -> Option<Arc<str>> {
    let segments: Option<Vec<&str>> = path.strip_prefix(root).ok()?.iter().map(std::ffi::OsStr::to_str).collect();
    segments.map(|segments| Arc::from(segments.join("/")))
}

fn display(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

fn read(path: &str, entry: &DirEntry) -> File {
    let kind = entry.file_type();
    if kind.is_symlink() {
        return File::Refused(Refusal::Symlink);
    }
    if !kind.is_file() {
        return File::Refused(Refusal::Special);
    }
    let limit = if is_text_place(path) { TEXT_LIMIT } else { ASSET_LIMIT };
    match entry.metadata() {
        Ok(metadata) if metadata.len() > limit => File::Refused(Refusal::TooLarge { size: metadata.len(), limit }),
        Ok(_) => read_bytes(entry.path()).map_or_else(
            |error| File::Refused(Refusal::Unreadable(error.kind())),
            |bytes| understand_bytes(path, bytes),
        ),
        Err(error) => {
            let kind = error.io_error().map_or(std::io::ErrorKind::Other, std::io::Error::kind);
            File::Refused(Refusal::Unreadable(kind))
        }
    }
}

/// Opens without following a link, so that a file swapped for a link after the walk is not followed either.
fn read_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut options = std::fs::File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let mut bytes = Vec::new();
    options.open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether files here are pages, settings, templates or starters, which are read as text.
fn is_text_place(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    path.starts_with("code/")
        || path.starts_with("templates/")
        || (path.starts_with("content/") && matches!(extension, "md" | "yaml"))
}

fn understand_bytes(path: &str, bytes: Vec<u8>) -> File {
    if let Some(bad_byte) = memchr_nul(&bytes) {
        return File::Binary(Arc::new(Binary::new(bytes, bad_byte)));
    }
    match String::from_utf8(bytes) {
        Ok(text) => File::Text(Arc::new(Source::new(path, text))),
        Err(error) => {
            let bad_byte = error.utf8_error().valid_up_to();
            File::Binary(Arc::new(Binary::new(error.into_bytes(), bad_byte)))
        }
    }
}

fn memchr_nul(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte == 0)
}
