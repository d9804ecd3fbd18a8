//! The preview's ears, on a real disk: whatever way an editor or a tool saves, what is followed comes to be what lies on
//! the disk, in one change where it was one save, and is never seen half done.

mod folders;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use infralens::load;
use infralens::serve::LiveProject;
use infralens_source::project::{File, Project, Refusal};

use crate::harness::SiteTest;

/// Far longer than anything takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A course as bytes, or why a file was not read: of one that is too large, its size.
type Bytes = BTreeMap<String, Result<Vec<u8>, Refusal>>;

/// A change that was reported: what differs, and the course as it is then.
struct Change {
    paths: Vec<String>,
    course: Bytes,
}

/// A course on disk, followed by a thread of its own.
struct Followed {
    site: SiteTest,
    changes: Receiver<Change>,
}

fn bytes(project: &Project) -> Bytes {
    let files = project.files.iter();
    let read = |file: &File| match file {
        File::Refused(refusal) => Err(*refusal),
        read => Ok(read.bytes().unwrap_or_default().to_vec()),
    };
    files.map(|(path, file)| (path.to_string(), read(file))).collect()
}

impl Followed {
    /// A course of a few pages.
    fn start() -> Self {
        let site = SiteTest::empty();
        site.write("content/site.yaml", "title: T\n").write("content/a.md", "one\n").write("content/b.md", "one\n");
        site.write("content/deep/er/c.md", "one\n").write("code/lab/x.py", "x = 1\n").write("static/s.css", "s {}\n");
        let root = site.root();
        Self::follow(site, root)
    }

    /// Follows the course at `root`, which is that of `site`, said in another way.
    fn follow(site: SiteTest, root: PathBuf) -> Self {
        let (tell, changes) = channel();
        std::thread::spawn(move || {
            let mut live = LiveProject::new(root);
            let mut paths = Vec::new();
            // The first says that it follows. It ends once nobody listens, and the course is removed.
            while tell.send(Change { paths, course: bytes(live.project()) }).is_ok() {
                paths = live.wait_for_change().iter().map(ToString::to_string).collect();
            }
        });
        let followed = Self { site, changes };
        followed.next();
        followed
    }

    fn at(&self, path: &str) -> PathBuf {
        self.site.root().join(path)
    }

    fn next(&self) -> Change {
        self.changes.recv_timeout(PATIENCE).expect("a change is reported")
    }

    /// Waits until the course that is followed is that on disk, and gives what was reported until then.
    fn caught_up(&self) -> Vec<Change> {
        let mut changes = vec![self.next()];
        while changes.last().is_some_and(|last| last.course != bytes(&load::load(&self.site.root()))) {
            changes.push(self.next());
        }
        changes
    }

    /// What was changed is reported in one change, and as it is on disk.
    fn one_change(&self, paths: &[&str]) -> Change {
        let change = self.next();
        assert_eq!(change.paths, paths);
        assert_eq!(change.course, bytes(&load::load(&self.site.root())));
        self.nothing_more();
        change
    }

    /// Nothing is left to be reported: the next change is one that is made now, in one step.
    fn nothing_more(&self) {
        self.site.write("marker.tmp", format!("{:?}", Instant::now()));
        fs::rename(self.at("marker.tmp"), self.at("content/marker.md")).expect("it is renamed");
        assert_eq!(self.next().paths, ["content/marker.md"]);
    }
}

#[test]
fn saved_in_place() {
    let course = Followed::start();
    fs::write(course.at("content/a.md"), "two\n").expect("it is written");
    course.one_change(&["content/a.md"]);
    // As a tool touches a file: written, but the same.
    fs::write(course.at("content/a.md"), "two\n").expect("it is written");
    course.nothing_more();
}

#[test]
fn saved_by_renaming_over() {
    let course = Followed::start();
    fs::write(course.at("content/.a.md.tmp"), "two\n").expect("it is written");
    fs::rename(course.at("content/.a.md.tmp"), course.at("content/a.md")).expect("it is renamed");
    course.one_change(&["content/a.md"]);
    fs::write(course.at("beside.tmp"), "three\n").expect("it is written");
    fs::rename(course.at("beside.tmp"), course.at("content/a.md")).expect("it is renamed");
    course.one_change(&["content/a.md"]);
}

#[test]
fn saved_after_a_backup() {
    let course = Followed::start();
    fs::rename(course.at("content/a.md"), course.at("content/a.md~")).expect("it is renamed");
    fs::write(course.at("content/a.md"), "two\n").expect("it is written");
    fs::remove_file(course.at("content/a.md~")).expect("it is removed");
    // On a busy machine the backup may be seen.
    let changes = course.caught_up();
    assert!(changes.iter().all(|change| change.course.contains_key("content/a.md")));
    course.nothing_more();
}

#[test]
fn what_editors_leave_is_no_change() {
    let course = Followed::start();
    for name in ["4913", "a.md~", "#a.md#", "a.md___jb_tmp___", ".a.md.swp"] {
        for folder in ["content", "static"] {
            fs::create_dir_all(course.at(folder)).expect("a folder");
            fs::write(course.at(&format!("{folder}/{name}")), "x\n").expect("it is written");
        }
    }
    course.nothing_more();
}

#[test]
fn truncated_then_written() {
    let course = Followed::start();
    saved_in_two_steps(&course, |path| drop(fs::File::create(path).expect("it is emptied")));
}

#[test]
fn deleted_then_made_anew() {
    let course = Followed::start();
    saved_in_two_steps(&course, |path| fs::remove_file(path).expect("it is removed"));
}

/// Between the steps lie 30 ms. Rounds in which a busy machine made more of them do not count.
fn saved_in_two_steps(course: &Followed, first: impl Fn(&Path)) {
    let path = course.at("content/a.md");
    let mut counted = 0;
    for round in 0..20 {
        let start = Instant::now();
        first(&path);
        std::thread::sleep(Duration::from_millis(30));
        fs::write(&path, format!("round {round}\n")).expect("it is written");
        let was_prompt = start.elapsed() < Duration::from_millis(80);
        let changes = course.caught_up();
        if was_prompt {
            counted += 1;
            let paths: Vec<_> = changes.iter().map(|change| &change.paths).collect();
            assert_eq!(paths, [&["content/a.md"]], "round {round}");
        }
        if counted == 3 {
            return;
        }
    }
}

#[test]
fn a_file_deleted_for_good() {
    let course = Followed::start();
    course.site.remove("content/a.md");
    let change = course.one_change(&["content/a.md"]);
    assert!(!change.course.contains_key("content/a.md"));
    course.site.write("content/b.md", "");
    course.one_change(&["content/b.md"]);
}

#[test]
fn many_files_at_once_are_one_change() {
    let course = Followed::start();
    let paths: Vec<String> = (0..100).map(|number| format!("content/deep/{number:03}.md")).collect();
    for text in ["one\n", "two\n"] {
        // The first few files must come within the time that is waited for few, which a busy machine may not grant: then
        // there is a change before the one of all others.
        for path in &paths {
            course.site.write(path, text);
        }
        let changes = course.caught_up();
        assert!(changes.len() <= 2, "{:?}", changes.iter().map(|change| &change.paths).collect::<Vec<_>>());
        let reported: BTreeSet<String> = changes.into_iter().flat_map(|change| change.paths).collect();
        assert_eq!(reported.into_iter().collect::<Vec<_>>(), paths);
    }
    course.nothing_more();
}

#[test]
fn an_edit_that_keeps_size_and_time() {
    let course = Followed::start();
    let path = course.at("content/a.md");
    let time = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("it has a time");
    fs::write(&path, "eno\n").expect("it is written");
    fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(time)).expect("its time is set");
    let change = course.one_change(&["content/a.md"]);
    assert_eq!(change.course["content/a.md"].as_deref(), Ok(&b"eno\n"[..]));
}

#[test]
fn a_file_replaced_by_what_is_none() {
    let course = Followed::start();
    let elsewhere = course.site.above().join("elsewhere.md");
    fs::write(&elsewhere, "secret\n").expect("it is written");
    course.site.remove("content/a.md");
    symlink(&elsewhere, course.at("content/a.md")).expect("a link");
    let change = course.one_change(&["content/a.md"]);
    assert_eq!(change.course["content/a.md"], Err(Refusal::Symlink));
    // Neither what it leads to, nor a folder in the place of a file, nor a link in the place of a folder is followed.
    fs::write(&elsewhere, "another\n").expect("it is written");
    course.nothing_more();
    course.site.write("beside/inner.md", "one\n").remove("content/a.md");
    fs::rename(course.at("beside"), course.at("content/a.md")).expect("it is renamed");
    course.one_change(&["content/a.md", "content/a.md/inner.md"]);
    course.site.remove("content/deep");
    symlink(course.site.above(), course.at("content/deep")).expect("a link");
    let changes = course.caught_up();
    assert!(changes.iter().flat_map(|change| &change.paths).all(|path| path.starts_with("content/deep")));
}

#[test]
fn a_file_that_cannot_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let course = Followed::start();
    let path = course.at("content/a.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("it is closed");
    // Nothing is closed to an administrator.
    if fs::read(&path).is_err() {
        let change = course.one_change(&["content/a.md"]);
        assert!(matches!(change.course["content/a.md"], Err(Refusal::Unreadable(_))));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("it is opened");
        course.one_change(&["content/a.md"]);
    }
    fs::write(&path, vec![b'a'; 5 << 20]).expect("it is written");
    let caught_up = course.caught_up();
    let last = caught_up.last().expect("a change");
    assert_eq!(last.course["content/a.md"], Err(Refusal::TooLarge { size: 5 << 20, limit: 4 << 20 }));
    course.nothing_more();
}

#[test]
fn a_name_that_cannot_be_read() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let course = Followed::start();
    let path = course.at("content/deep").join(OsStr::from_bytes(b"caf\xff.md"));
    fs::write(&path, "one\n").expect("it is written");
    course.one_change(&["content/deep/caf\u{fffd}.md"]);
    fs::remove_file(&path).expect("it is removed");
    course.one_change(&["content/deep/caf\u{fffd}.md"]);
}

#[test]
fn what_is_not_read_is_not_heard() {
    let course = Followed::start();
    for path in ["public/a.html", "target/x", ".git/x", "content/.hidden/x.md", "code/lab/target/x.py", "README.md"] {
        course.site.write(path, "one\n");
    }
    course.nothing_more();
}
