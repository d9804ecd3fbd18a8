//! The files of the course as an editor sees them: its open buffers over the files on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use lsp_types::{Location, Uri};

use super::text::Lines;
use crate::load;
use infralens_source::diag::Place;
use infralens_source::project::{File, Project};
use infralens_source::source::Source;
use infralens_source::url;

/// A file that is open in the editor.
pub struct Buffer {
    pub uri: Uri,
    pub version: i32,
    pub text: String,
}

/// The course on disk, and what the editor has open.
pub struct Buffers {
    root: PathBuf,
    /// The root as the editor writes it: with symbolic links in it, its paths begin differently.
    written_root: PathBuf,
    disk: Project,
    open: BTreeMap<Arc<str>, Buffer>,
    /// Whether the course on disk has been read.
    pub is_loaded: bool,
}

impl Buffers {
    pub fn new(written_root: PathBuf) -> Self {
        let root = load::real_path(&written_root).unwrap_or_else(|| written_root.clone());
        Self { root, written_root, disk: Project::default(), open: BTreeMap::new(), is_loaded: false }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Takes over the course as it is on disk now.
    pub fn set_disk(&mut self, disk: Project) {
        self.disk = disk;
        self.is_loaded = true;
    }

    /// Returns the path, from the course's root, of a file that is read for the course.
    pub fn path(&self, uri: &Uri) -> Option<Arc<str>> {
        let path = file_path(uri)?;
        let below = path.strip_prefix(&self.written_root).or_else(|_| path.strip_prefix(&self.root)).ok()?;
        if load::is_wanted(below) { load::course_path(below) } else { None }
    }

    /// Returns the address of a file of the course, as the editor writes it.
    pub fn uri(&self, path: &str) -> Option<Uri> {
        let known = self.open.get(path).map(|buffer| buffer.uri.clone());
        known.or_else(|| {
            let root = self.written_root.to_str()?;
            Uri::from_str(&format!("file://{}/{}", url::encode(root), url::encode(path))).ok()
        })
    }

    pub fn buffer(&self, path: &str) -> Option<&Buffer> {
        self.open.get(path)
    }

    /// Returns the open files below a folder.
    pub fn below(&self, folder: &str) -> impl Iterator<Item = &Arc<str>> {
        let is_below = move |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        self.open.keys().filter(move |path| is_below(path))
    }

    pub fn open(&mut self, path: Arc<str>, buffer: Buffer) {
        self.open.insert(path, buffer);
    }

    pub fn close(&mut self, path: &str) {
        self.open.remove(path);
    }

    pub fn edit(&mut self, path: &str, version: i32, edit: impl FnOnce(String) -> String) {
        if let Some(buffer) = self.open.get_mut(path) {
            buffer.text = edit(std::mem::take(&mut buffer.text));
            buffer.version = version;
        }
    }

    /// Returns the course with the open buffers in place of their files. A buffer without changes is the file itself, so that
    /// all that was computed from it is kept; `previous` is the result of the last call, for the same reason.
    pub fn project(&self, previous: &Project) -> Project {
        let mut project = self.disk.clone();
        for (path, buffer) in &self.open {
            let is_it = |file: &&File| file.bytes() == Some(buffer.text.as_bytes());
            let known = self.disk.files.get(path).filter(is_it).or_else(|| previous.files.get(path).filter(is_it));
            let file = known.cloned().unwrap_or_else(|| load::of_editor(path, &buffer.text));
            project.put(path, Some(file));
        }
        project
    }

    /// Returns the lines of a file of a planned course, as the editor counts them.
    pub fn lines<'p>(&self, project: &'p Project, path: &str) -> Option<(&'p Arc<Source>, Lines<'p>)> {
        let source = project.text(path)?;
        // A buffer is sent with its byte order mark, if the editor counts it; otherwise it has none.
        let start = if self.open.contains_key(path) { 0 } else { source.start() };
        Some((source, Lines::new(source.text(), start)))
    }

    /// Returns a place as an editor goes to it.
    pub fn location(&self, project: &Project, place: &Place) -> Option<Location> {
        let uri = self.uri(&place.file)?;
        let range = match (place.span, self.lines(project, &place.file)) {
            (Some((start, end)), Some((_, lines))) => lines.range(&(start..end)),
            _ => lsp_types::Range::default(),
        };
        Some(Location { uri, range })
    }
}

/// Returns the path of a file on this machine.
pub fn file_path(uri: &Uri) -> Option<PathBuf> {
    let path = uri.as_str().strip_prefix("file://")?;
    // A host may be before the path.
    let path = &path[path.find('/')?..];
    Some(PathBuf::from(url::decode(path.split(['?', '#']).next()?)))
}
