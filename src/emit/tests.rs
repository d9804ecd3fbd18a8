//! What `emit` promises, on real folders. `refusals` and `faults` hold the cases in which it does not get to the end.

mod course;
mod every;
mod faults;
mod refusals;
mod stamp;

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use tempfile::TempDir;

use super::*;

type Site = BTreeMap<String, Arc<[u8]>>;

/// Writes a site that is in memory.
fn emit<B: AsRef<[u8]> + Sync>(files: &BTreeMap<String, B>, target: &Target) -> Result<Report, EmitError> {
    let writer = Writer::open(files.keys().map(String::as_str), target)?;
    files.par_iter().for_each(|(path, bytes)| writer.put(path, bytes.as_ref()));
    writer.finish(None)
}

/// A course in a folder of its own, and its output.
struct Course {
    temp: TempDir,
    out: PathBuf,
}

/// Everything about one thing on disk that a build could disturb.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shot {
    /// The bytes of a file, the target of a link.
    content: Option<Vec<u8>>,
    modified: SystemTime,
    mode: u32,
    inode: u64,
}

/// A folder in memory where the system has such folders: thousands are made.
fn temporary() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

impl Course {
    fn new() -> Self {
        let temp = temporary();
        fs::create_dir_all(temp.path().join("course/content")).unwrap();
        let out = temp.path().join("course/public");
        Self { temp, out }
    }

    fn root(&self) -> PathBuf {
        self.temp.path().join("course")
    }

    fn emit(&self, site: &Site) -> Result<Report, EmitError> {
        emit(site, &Target { out: &self.out, root: &self.root(), is_marked: false })
    }

    /// A course whose output holds `site`, all of it with a time of long ago.
    fn with(site: &Site) -> Self {
        let course = Self::new();
        course.emit(site).unwrap();
        for path in shots(&course.out).keys() {
            age(&course.out.join(path));
        }
        course
    }

    /// Writes a foreign file into the output.
    fn drop_in(&self, path: &str, text: &str) -> PathBuf {
        let path = self.out.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn stage(&self) -> PathBuf {
        self.out.with_file_name(".public.infralens-stage")
    }
}

fn site(files: &[(&str, &str)]) -> Site {
    files.iter().map(|(path, text)| ((*path).to_owned(), Arc::from(text.as_bytes()))).collect()
}

/// All below `root` but the root itself.
fn shots(root: &Path) -> BTreeMap<PathBuf, Shot> {
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::MetadataExt;
    let entries = walkdir::WalkDir::new(root).min_depth(1).into_iter().map(Result::unwrap);
    let shot = |entry: walkdir::DirEntry| {
        let found = entry.metadata().unwrap();
        let content = match found.file_type() {
            kind if kind.is_file() => Some(fs::read(entry.path()).unwrap()),
            kind if kind.is_symlink() => Some(fs::read_link(entry.path()).unwrap().into_os_string().into_vec()),
            _ => None,
        };
        let shot = Shot { content, modified: found.modified().unwrap(), mode: found.mode(), inode: found.ino() };
        (entry.path().strip_prefix(root).unwrap().to_owned(), shot)
    };
    entries.map(shot).collect()
}

/// The text of every file below `root` but the manifest.
fn texts(root: &Path) -> BTreeMap<String, String> {
    let text = |(path, shot): (PathBuf, Shot)| {
        (!path.ends_with(manifest::NAME)).then_some(())?;
        Some((path.to_str()?.to_owned(), String::from_utf8(shot.content?).ok()?))
    };
    shots(root).into_iter().filter_map(text).collect()
}

fn expect(course: &Course, files: &[(&str, &str)]) {
    let files: BTreeMap<_, _> = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(texts(&course.out), files);
    assert!(!course.stage().exists(), "the stage is gone");
}

/// Gives a file or folder a time of long ago.
fn age(path: &Path) -> SystemTime {
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    if !path.is_symlink() && !fs::metadata(path).unwrap().permissions().readonly() {
        File::open(path).unwrap().set_modified(then).unwrap();
    }
    then
}

fn counts(report: &Report) -> (usize, usize, usize) {
    (report.written, report.kept, report.removed)
}

#[test]
fn a_first_build_makes_the_output_and_its_parents() {
    let mut course = Course::new();
    course.out = course.root().join("a/b/public");
    let report = course.emit(&site(&[("index.html", "home"), ("t/labs/x.html", "x")])).unwrap();
    expect(&course, &[("index.html", "home"), ("t/labs/x.html", "x")]);
    assert_eq!(counts(&report), (2, 0, 0));
    assert_eq!(report.replacement, Replacement::Atomic);
    let list = fs::read_to_string(course.out.join(manifest::NAME)).unwrap();
    assert_eq!(list, "{\n  \"infralens\": 1,\n  \"files\": [\n    \"index.html\",\n    \"t/labs/x.html\"\n  ]\n}\n");
}

#[test]
fn an_empty_folder_is_taken_with_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let course = Course::new();
    fs::create_dir(&course.out).unwrap();
    fs::set_permissions(&course.out, fs::Permissions::from_mode(0o2750)).unwrap();
    for text in ["one", "two"] {
        course.emit(&site(&[("index.html", text)])).unwrap();
        expect(&course, &[("index.html", text)]);
        assert_eq!(fs::metadata(&course.out).unwrap().permissions().mode() & 0o7777, 0o2750, "after {text}");
    }
}

#[test]
fn a_second_build_writes_what_changed_and_nothing_else() {
    let course = Course::with(&site(&[("a/same", "same"), ("a/changed", "old"), ("gone/x", "x"), ("y", "y")]));
    let before = shots(&course.out);
    let mut reader = File::open(course.out.join("a/changed")).unwrap();
    let report = course.emit(&site(&[("a/same", "same"), ("a/changed", "new"), ("added", "added")])).unwrap();
    expect(&course, &[("a/same", "same"), ("a/changed", "new"), ("added", "added")]);
    assert_eq!(counts(&report), (2, 1, 2));
    assert!(!report.unchanged_site);
    let after = shots(&course.out);
    assert_eq!(before[Path::new("a/same")], after[Path::new("a/same")], "inode and time are kept");
    assert!(!course.out.join("gone").exists());
    let mut old = String::new();
    std::io::Read::read_to_string(&mut reader, &mut old).unwrap();
    assert_eq!(old, "old", "the old file itself was not written to");
}

#[test]
fn a_build_that_changes_nothing_touches_nothing() {
    let files = site(&[("a/b/one", "1"), ("two", "2")]);
    let course = Course::with(&files);
    course.drop_in("foreign/CNAME", "example.org");
    age(&course.out);
    let before = shots(&course.root());
    let report = course.emit(&files).unwrap();
    assert!(report.unchanged_site);
    assert_eq!(counts(&report), (0, 2, 0));
    assert_eq!(shots(&course.root()), before);
}

#[test]
fn a_file_that_was_edited_or_deleted_in_the_output_comes_back() {
    let files = site(&[("one", "1"), ("two", "2")]);
    let course = Course::with(&files);
    fs::write(course.out.join("one"), "edited").unwrap();
    fs::remove_file(course.out.join("two")).unwrap();
    assert_eq!(counts(&course.emit(&files).unwrap()), (2, 0, 0));
    expect(&course, &[("one", "1"), ("two", "2")]);
}

#[test]
fn a_file_becomes_a_folder_and_back() {
    let course = Course::with(&site(&[("x", "file")]));
    course.emit(&site(&[("x/y/z", "below")])).unwrap();
    expect(&course, &[("x/y/z", "below")]);
    course.emit(&site(&[("x", "file")])).unwrap();
    expect(&course, &[("x", "file")]);
}

#[test]
fn foreign_things_are_kept_as_they_are() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let course = Course::with(&site(&[("t/page.html", "old")]));
    course.drop_in("CNAME", "example.org");
    course.drop_in("t/notes.txt", "mine");
    let fixed = course.drop_in(".git/objects/pack", "objects");
    fs::create_dir_all(course.out.join("empty/inner")).unwrap();
    symlink("nowhere", course.out.join("link")).unwrap();
    symlink("/", course.out.join("t/root")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(course.out.join("socket")).unwrap();
    fs::set_permissions(fixed.parent().unwrap(), fs::Permissions::from_mode(0o500)).unwrap();
    for folder in [".git/objects", ".git", "empty/inner", "empty"] {
        age(&course.out.join(folder));
    }
    let foreign = |course: &Course| {
        let ours = ["t", "t/page.html", manifest::NAME].map(PathBuf::from);
        let mut shots = shots(&course.out);
        shots.retain(|path, _| !ours.contains(path));
        // A carried folder is a new one, alike.
        shots.values_mut().filter(|shot| shot.content.is_none()).for_each(|shot| shot.inode = 0);
        shots
    };
    let before = foreign(&course);
    for text in ["new", "newer"] {
        let report = course.emit(&site(&[("t/page.html", text)])).unwrap();
        assert_eq!(counts(&report), (1, 0, 0));
        assert_eq!(foreign(&course), before);
        assert!(!course.stage().exists(), "the stage is gone");
    }
    assert_eq!(before.len(), 10);
}

#[test]
fn a_folder_that_held_only_ours_goes_with_them() {
    let course = Course::with(&site(&[("t/labs/x", "x"), ("index", "i")]));
    fs::remove_file(course.out.join("t/labs/x")).unwrap();
    course.emit(&site(&[("index", "i")])).unwrap();
    assert!(!course.out.join("t").exists());
}

#[test]
fn an_equal_foreign_file_becomes_the_sites() {
    let course = Course::with(&site(&[("index", "i")]));
    course.drop_in("CNAME", "example.org");
    let report = course.emit(&site(&[("index", "i"), ("CNAME", "example.org")])).unwrap();
    assert_eq!(counts(&report), (0, 2, 0));
    assert!(!report.unchanged_site, "the manifest has changed");
    assert_eq!(course.emit(&site(&[("index", "i")])).unwrap().removed, 1);
    expect(&course, &[("index", "i")]);
}

#[test]
fn the_output_is_found_through_dots_and_links() {
    let mut course = Course::with(&site(&[("index", "i")]));
    std::os::unix::fs::symlink(course.root(), course.temp.path().join("link")).unwrap();
    let out = course.out.clone();
    for way in ["link/public", "course/content/../public/.", "link/content/../public/../public"] {
        course.out = course.temp.path().join(way);
        assert!(course.emit(&site(&[("index", "i")])).unwrap().unchanged_site, "{way}");
    }
    course.out = out;
    expect(&course, &[("index", "i")]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let paths: Vec<_> = (0..200).map(|n| (format!("d{}/f{n}", n % 7), format!("text {n}"))).collect();
    let files: Vec<_> = paths.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    for threads in [1, 8] {
        let course = Course::with(&site(&files[..150]));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let report = pool.install(|| course.emit(&site(&files[50..]))).unwrap();
        assert_eq!(counts(&report), (50, 100, 50));
        expect(&course, &files[50..]);
    }
}
