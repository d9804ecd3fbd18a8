//! Reads Markdown files of any repository, and the files that their excerpts show or their links name. Nothing outside the
//! repository is read, no symbolic link is followed, and no name may begin with a dot.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::walk::{Entries, course_path, is_temporary};
use super::{DEPTH_LIMIT, TEXT_LIMIT, generated, is_root, read};
use crate::disk::{self, Entry, Walk};
use infralens_author::repository::{Documents, is_hidden, may_have_copies, may_have_excerpts, may_have_links};
use infralens_course::course::starter;
use infralens_source::change::Refusal as Failure;
use infralens_source::diag::nearest;
use infralens_source::project::{File, Project, Reason, Refusal};
use infralens_starter::highlight;

/// Extensions of Markdown files, in folders. A file that is named itself may have any extension.
const EXTENSIONS: [&str; 4] = ["md", "markdown", "mdx", "qmd"];

/// How much is read to find the code of excerpts that their files do not have.
#[derive(Debug, Clone, Copy)]
struct SearchLimits {
    /// Files and folders that are looked at.
    entries: usize,
    /// Files that are read.
    files: usize,
    /// The bytes of these files.
    bytes: usize,
}

const SEARCH_LIMITS: SearchLimits = SearchLimits { entries: 20_000, files: 1_000, bytes: 16 << 20 };

/// The limits of a search for what fences copy.
const COPY_LIMITS: SearchLimits = SearchLimits { entries: 100_000, files: 10_000, bytes: 128 << 20 };

/// Markdown files of a repository with excerpts, and the files that these show.
#[derive(Debug, Default)]
pub struct Repository {
    /// The folder that no path may leave.
    pub root: PathBuf,
    /// The paths, from the root, of Markdown files that may have excerpts or cannot be read.
    pub documents: Vec<Arc<str>>,
    /// The paths, from the root, of all Markdown files that are not pages of a course.
    pub found: BTreeSet<Arc<str>>,
    /// The folders of courses whose pages were skipped, because other rules apply to them; sorted.
    pub courses: Vec<PathBuf>,
    pub project: Project,
    /// Whether Markdown files that may have copies of code are wanted, too.
    copies: bool,
}

/// Reads the Markdown files at `paths` and in folders among them, and the files that their excerpts show. The root is
/// `root`, or else the nearest folder with `.git` that contains all paths, or else the course that does, or else the current
/// folder if it does, or else the nearest folder that contains them.
///
/// # Errors
/// A path that does not exist, or that is not inside `root`.
pub fn read_repository(paths: &[PathBuf], root: Option<&Path>) -> Result<Repository, Failure> {
    let mut repository = read_markdown(paths, root, false)?;
    let documents = Documents::parse(&repository.project, &repository.documents);
    if documents.may_have_lost_code(&repository.project) {
        let lost = documents.compare(&repository.project).lost;
        repository.search(&lost, SEARCH_LIMITS);
    }
    Ok(repository)
}

/// Like [`read_repository`], but reads all Markdown files that may have copies of code, and all files of code, the nearest
/// first, within [`COPY_LIMITS`].
///
/// # Errors
/// A path that does not exist, or that is not inside `root`.
pub fn read_with_code(paths: &[PathBuf], root: Option<&Path>) -> Result<Repository, Failure> {
    let mut repository = read_markdown(paths, root, true)?;
    let documents = repository.documents.iter().map(|path| (**path).to_owned()).collect();
    repository.search(&documents, COPY_LIMITS);
    Ok(repository)
}

/// Reads the Markdown files at `paths` and in folders among them, and the files that they name. With `copies`, also those
/// that name none, but may have copies of code.
fn read_markdown(paths: &[PathBuf], root: Option<&Path>, copies: bool) -> Result<Repository, Failure> {
    let tops = paths.iter().map(|path| existing(path)).collect::<Result<Vec<PathBuf>, _>>()?;
    let root = match root {
        Some(root) => existing(root)?,
        None => find_root(&tops),
    };
    let mut repository = Repository { root, copies, ..Repository::default() };
    for (top, typed) in tops.iter().zip(paths) {
        let Ok(below) = top.strip_prefix(&repository.root) else {
            let message = format!("`{}` is not inside `{}`", typed.display(), repository.root.display());
            return Err(Failure::new(message).help("`--root` names a folder that contains all paths"));
        };
        let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".") && name != ".github";
        if let Some(name) = below.iter().find(|name| is_hidden(name)) {
            let message = format!("`{}` is not read: `{}` begins with a dot", typed.display(), name.display());
            return Err(Failure::new(message).help("files and folders with such names hold settings and secrets"));
        }
    }
    let mut skipped = BTreeMap::new();
    for top in &tops {
        repository.add(top, &mut skipped);
    }
    repository.documents.sort();
    repository.courses = skipped.into_values().flatten().collect();
    repository.courses.sort();
    repository.courses.dedup();
    let documents = Documents::parse(&repository.project, &repository.documents);
    for (path, document) in documents.named() {
        repository.add_named(&path);
        if !repository.project.files.contains_key(path.as_str()) {
            repository.add_from_above(document, &path);
        }
    }
    Ok(repository)
}

/// Returns the real path of an argument.
fn existing(path: &Path) -> Result<PathBuf, Failure> {
    disk::canonicalize(path)
        .map_err(|error| Failure::new(format!("`{}` cannot be read: {}", path.display(), Reason::of(&error))))
}

fn find_root(tops: &[PathBuf]) -> PathBuf {
    let folders = tops.iter().map(|top| if disk::is_dir(top) { top } else { top.parent().unwrap_or(top) });
    let common = |one: PathBuf, other: &Path| {
        let shared = one.ancestors().find(|folder| other.starts_with(folder));
        shared.map(Path::to_path_buf).unwrap_or_default()
    };
    let mut folders = folders.map(Path::to_path_buf);
    let first = folders.next().unwrap_or_default();
    let folder = folders.fold(first, |one, other| common(one, &other));
    let repository = folder.ancestors().find(|folder| matches!(disk::find(&folder.join(".git")), Ok(Some(_))));
    let course = || folder.ancestors().find(|folder| is_root(folder));
    let current = || disk::canonicalize(Path::new(".")).ok().filter(|current| folder.starts_with(current));
    repository.or_else(course).map(Path::to_path_buf).or_else(current).unwrap_or(folder)
}

impl Repository {
    /// Adds the Markdown file at `top`, or those in the folder `top`. `courses` remembers which folders belong to which
    /// course.
    fn add(&mut self, top: &Path, courses: &mut BTreeMap<PathBuf, Option<PathBuf>>) {
        let mut found = Entries::default();
        let _ = found.list(&self.root, top, (is_wanted, generated::prune), |entry| {
            let is_document = entry.kind.is_file() && (entry.depth == 0 || is_markdown(entry.name()));
            Some(is_document && !self.is_of_course(&entry.path, courses))
        });
        self.project.diagnostics.extend(found.diagnostics);
        for (path, entry) in found.entries {
            self.add_document(path, &entry);
        }
    }

    /// Whether a Markdown file is a page of a course: it is in the folder `content` or `code` of one.
    fn is_of_course(&self, path: &Path, courses: &mut BTreeMap<PathBuf, Option<PathBuf>>) -> bool {
        let Some(folder) = path.parent() else { return false };
        let course = courses.entry(folder.to_path_buf()).or_insert_with(|| {
            let above = folder.ancestors().take_while(|folder| folder.starts_with(&self.root));
            let mut courses = above.filter(|above| is_root(above));
            let is_page = |course: &&Path| ["content", "code"].iter().any(|name| folder.starts_with(course.join(name)));
            courses.find(is_page).map(Path::to_path_buf)
        });
        course.is_some()
    }

    fn add_document(&mut self, path: Arc<str>, entry: &Entry) {
        if !self.found.insert(Arc::clone(&path)) {
            return;
        }
        match read::read_up_to(TEXT_LIMIT, &path, &entry.path, entry.kind, None) {
            None => {}
            Some(File::Text(source)) if !self.wants(source.text()) => {}
            // Bytes that are not text may be an excerpt that nobody could compare.
            Some(File::Binary(binary)) if !may_have_excerpts(&String::from_utf8_lossy(&binary.bytes)) => {}
            Some(file) => {
                if let File::Refused(refusal) = &file {
                    self.project.diagnostics.push(refusal.diagnostic(&path));
                }
                self.project.files.insert(Arc::clone(&path), file);
                self.documents.push(path);
            }
        }
    }

    fn wants(&self, text: &str) -> bool {
        may_have_excerpts(text) || may_have_links(text) || self.copies && may_have_copies(text)
    }

    /// Reads the files of code in which the code of excerpts may be that `lost` files do not have: the nearest first,
    /// within `limits`.
    fn search(&mut self, lost: &BTreeSet<String>, limits: SearchLimits) {
        let mut left = limits;
        let mut listed: BTreeSet<PathBuf> = BTreeSet::new();
        let of_each = lost.iter().map(|path| self.root.join(path).ancestors().skip(1).map(Path::to_path_buf).collect());
        let of_each: Vec<Vec<PathBuf>> = of_each.collect();
        for above in 0..of_each.iter().map(Vec::len).max().unwrap_or(0) {
            for folder in of_each.iter().filter_map(|folders| folders.get(above)) {
                let is_new = folder.starts_with(&self.root) && listed.insert(folder.clone());
                if is_new && !self.search_below(folder, &listed, &mut left) {
                    self.project.searched_files = Some(limits.files - left.files);
                    return;
                }
            }
        }
    }

    /// Reads the files of code in a folder and below it, without folders that have been `listed`. Returns false if a limit is
    /// reached.
    fn search_below(&mut self, top: &Path, listed: &BTreeSet<PathBuf>, left: &mut SearchLimits) -> bool {
        let is_new = |entry: &Entry| is_wanted(entry) && !listed.contains(&entry.path);
        let Ok(walk) = Walk::new(top, DEPTH_LIMIT, is_new) else { return true };
        for entry in walk.flatten() {
            let path = entry.path.strip_prefix(&self.root).ok().and_then(course_path);
            let is_code =
                |path: &str| highlight::by_path(path, "").is_some() && !is_markdown(entry.name()) && !is_hidden(path);
            let path =
                path.filter(|path| entry.kind.is_file() && is_code(path) && !self.project.files.contains_key(path));
            if left.entries == 0 || path.is_some() && (left.files == 0 || left.bytes == 0) {
                return false;
            }
            left.entries -= 1;
            if let Some(path) = path {
                self.add_file(&path, &entry.path, entry.kind);
                left.files -= 1;
                let length = self.project.text(&path).map_or(0, |source| source.text().len());
                left.bytes = left.bytes.saturating_sub(length);
            }
        }
        true
    }

    /// Reads a file that an excerpt shows. If it does not exist, the file with the most similar name in its folder is read
    /// instead, because the message names it.
    fn add_named(&mut self, path: &str) {
        if is_hidden(path) {
            return;
        }
        let at = self.root.join(path);
        let mut from_root = at.ancestors().filter(|above| above.starts_with(&self.root) && **above != self.root);
        let is_link = |path: &Path| matches!(disk::find(path), Ok(Some(found)) if found.is_symlink());
        if from_root.any(is_link) {
            self.project.files.insert(Arc::from(path), File::Refused(Refusal::Symlink));
            return;
        }
        match disk::find(&at) {
            // One file is enough to know that it is a folder.
            Ok(Some(found)) if found.is_dir() => self.add_one_of(&at, None),
            Ok(Some(found)) => self.add_file(path, &at, found.file_type()),
            Ok(None) => at.parent().into_iter().for_each(|folder| self.add_one_of(folder, Some(path))),
            Err(error) => {
                let refusal = Refusal::Unreadable(Reason::of(&error));
                self.project.files.insert(Arc::from(path), File::Refused(refusal));
            }
        }
    }

    /// Reads the file that is meant if a path in `document` was written from a folder above that of the document, because the
    /// message names it.
    fn add_from_above(&mut self, document: &str, path: &str) {
        let is_file = |path: &String| matches!(disk::find(&self.root.join(path)), Ok(Some(found)) if found.is_file());
        if let Some(path) = starter::from_above(document, path).find(is_file) {
            self.add_named(&path);
        }
    }

    /// Reads the first file of a folder, or the one whose path is most similar to `path`.
    fn add_one_of(&mut self, folder: &Path, path: Option<&str>) {
        let entries = disk::read_dir(folder).unwrap_or_default();
        let files = entries.iter().filter(|entry| entry.kind.is_file() && is_wanted(entry));
        let named = |entry: &Entry| {
            entry.path.strip_prefix(&self.root).ok().and_then(course_path).filter(|path| !is_hidden(path))
        };
        let files: BTreeMap<Arc<str>, &Entry> = files.filter_map(|entry| Some((named(entry)?, entry))).collect();
        let mut paths = files.keys().map(AsRef::as_ref);
        let chosen = if let Some(path) = path { nearest(path, paths) } else { paths.next() };
        if let Some((path, entry)) = chosen.and_then(|path| files.get_key_value(path)) {
            self.add_file(path, &entry.path, entry.kind);
        }
    }

    fn add_file(&mut self, path: &str, at: &Path, kind: disk::FileType) {
        if !self.project.files.contains_key(path) {
            let file = read::read_up_to(TEXT_LIMIT, path, at, kind, None);
            self.project.files.extend(file.map(|file| (Arc::from(path), file)));
        }
    }
}

/// Whether a walk goes into a folder or reads a file: not those of tools and editors, and no hidden ones, except that
/// `.github` has pages for people.
pub(super) fn is_wanted(entry: &Entry) -> bool {
    let name = entry.name().to_string_lossy();
    let is_hidden = name.starts_with('.') && name != ".github";
    !is_hidden && if entry.kind.is_dir() { !generated::is_tool_folder(&name) } else { !is_temporary(&name) }
}

fn is_markdown(name: &OsStr) -> bool {
    let extension = Path::new(name).extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}
