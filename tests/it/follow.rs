//! The preview's ears, on a real disk: whatever way an editor or a tool saves, what is followed comes to be what lies on
//! the disk, in one change where it was one save, and is never seen half done.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use infralens::load;
use infralens::project::Project;
use infralens::serve::Follower;

use crate::harness::SiteTest;

/// Far longer than anything takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A course as bytes: nothing where a file was not read.
type Bytes = BTreeMap<String, Option<Vec<u8>>>;

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
    files.map(|(path, file)| (path.to_string(), file.bytes().map(<[u8]>::to_vec))).collect()
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
            let mut follower = Follower::new(root);
            let mut paths = Vec::new();
            // The first says that it follows. It ends once nobody listens, and the course is removed.
            while tell.send(Change { paths, course: bytes(follower.project()) }).is_ok() {
                paths = follower.next().iter().map(ToString::to_string).collect();
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
fn a_folder_deleted_then_made_anew() {
    let course = Followed::start();
    for folder in ["content/deep", "content", "code", "static"] {
        let before = course.site.root();
        let kept = course.site.above().join("kept");
        fs::create_dir(&kept).expect("a folder");
        let inner = kept.join("inner");
        copy(&before.join(folder), &inner);
        course.site.remove(folder);
        let changes = course.caught_up();
        assert!(changes.iter().all(|change| change.paths.iter().all(|path| path.starts_with(folder))));
        copy(&inner, &before.join(folder));
        course.caught_up();
        // The new folder is watched as the old one was.
        let page = format!("{folder}/new/folder/file.md");
        course.site.write(&page, "new\n");
        course.caught_up();
        course.site.write(&page, "newer\n");
        course.one_change(&[&page]);
        fs::remove_dir_all(&kept).expect("it is removed");
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.expect("a folder that can be read");
        let to = to.join(entry.path().strip_prefix(from).expect("it lies below"));
        if entry.file_type().is_dir() {
            fs::create_dir(&to).expect("a folder");
        } else {
            fs::copy(entry.path(), &to).expect("it is copied");
        }
    }
}

#[test]
fn a_folder_deleted_and_made_anew_at_once() {
    let course = Followed::start();
    for round in 0..3 {
        course.site.remove("content");
        course.site.write("content/site.yaml", format!("title: round {round}\n"));
        course.caught_up();
        course.site.write("content/deep/c.md", "one\n");
        course.caught_up();
        course.site.write("content/deep/c.md", "two\n");
        course.one_change(&["content/deep/c.md"]);
    }
}

#[test]
fn a_folder_renamed() {
    let course = Followed::start();
    for (from, to) in [("content/deep", "content/far"), ("content/far", "content/deep")] {
        fs::rename(course.at(from), course.at(to)).expect("it is renamed");
        let mut paths = [format!("{from}/er/c.md"), format!("{to}/er/c.md")];
        paths.sort();
        course.one_change(&paths.each_ref().map(String::as_str));
        let page = format!("{to}/er/c.md");
        course.site.write(&page, format!("moved to {to}\n"));
        course.one_change(&[&page]);
    }
}

#[test]
fn a_folder_moved_in_and_out() {
    let course = Followed::start();
    let outside = course.site.above().join("outside");
    fs::rename(course.at("content/deep"), &outside).expect("it is renamed");
    course.one_change(&["content/deep/er/c.md"]);
    // What happens there is no longer ours.
    fs::write(outside.join("er/c.md"), "two\n").expect("it is written");
    course.nothing_more();
    fs::rename(&outside, course.at("static/deep")).expect("it is renamed");
    course.one_change(&["static/deep/er/c.md"]);
    course.site.write("static/deep/er/c.md", "three\n");
    course.one_change(&["static/deep/er/c.md"]);
}

#[test]
fn folders_made_and_filled_quickly() {
    let course = Followed::start();
    for round in 0..5 {
        for depth in 1..8 {
            let folder = (0..depth).map(|level| format!("r{round}-{level}/")).collect::<String>();
            course.site.write(&format!("content/{folder}page.md"), "new\n");
        }
        course.caught_up();
        let deepest =
            format!("content/{}page.md", (0..7).map(|level| format!("r{round}-{level}/")).collect::<String>());
        course.site.write(&deepest, "edited\n");
        course.one_change(&[&deepest]);
    }
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
    assert_eq!(change.course["content/a.md"].as_deref(), Some(&b"eno\n"[..]));
}

#[test]
fn a_file_replaced_by_what_is_none() {
    let course = Followed::start();
    let elsewhere = course.site.above().join("elsewhere.md");
    fs::write(&elsewhere, "secret\n").expect("it is written");
    course.site.remove("content/a.md");
    symlink(&elsewhere, course.at("content/a.md")).expect("a link");
    let change = course.one_change(&["content/a.md"]);
    assert_eq!(change.course["content/a.md"], None);
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
        assert_eq!(change.course["content/a.md"], None);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("it is opened");
        course.one_change(&["content/a.md"]);
    }
    fs::write(&path, vec![b'a'; 5 << 20]).expect("it is written");
    assert_eq!(course.caught_up().last().expect("a change").course["content/a.md"], None, "it is too large");
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

#[test]
fn a_root_that_is_a_link() {
    let site = SiteTest::empty();
    let (first, second, link) = (site.above().join("first"), site.above().join("second"), site.root());
    fs::remove_dir(&link).expect("it is removed");
    for (folder, text) in [(&first, "first\n"), (&second, "second\n")] {
        fs::create_dir_all(folder.join("content")).expect("a folder");
        fs::write(folder.join("content/a.md"), text).expect("it is written");
        fs::write(folder.join("content/same.md"), "same\n").expect("it is written");
    }
    symlink(&first, &link).expect("a link");
    let course = Followed::follow(site, link.clone());
    course.site.write("content/a.md", "edited\n");
    course.one_change(&["content/a.md"]);
    // As a deployment switches: another link, renamed over.
    symlink(&second, course.site.above().join("next")).expect("a link");
    fs::rename(course.site.above().join("next"), &link).expect("it is renamed");
    let change = course.next();
    assert_eq!(change.paths, ["content/a.md", "content/marker.md"]);
    assert_eq!(change.course["content/a.md"].as_deref(), Some(&b"second\n"[..]));
    fs::write(second.join("content/a.md"), "edited again\n").expect("it is written");
    course.one_change(&["content/a.md"]);
}

#[test]
fn a_root_that_is_moved_away_and_back() {
    let course = Followed::start();
    let away = course.site.above().join("away");
    fs::rename(course.site.root(), &away).expect("it is renamed");
    fs::write(away.join("content/a.md"), "edited while away\n").expect("it is written");
    std::thread::sleep(Duration::from_millis(1500));
    assert!(course.changes.try_recv().is_err(), "a course that is missing is waited for");
    fs::rename(&away, course.site.root()).expect("it is renamed");
    course.one_change(&["content/a.md"]);
    // And another folder in its place.
    fs::rename(course.site.root(), &away).expect("it is renamed");
    copy(&away, &course.site.root());
    course.site.write("content/b.md", "edited\n");
    course.caught_up();
    course.site.write("content/deep/er/c.md", "edited\n");
    course.one_change(&["content/deep/er/c.md"]);
}

#[test]
fn a_course_that_is_not_there_yet() {
    let site = SiteTest::empty();
    let root = site.root().join("new");
    let course = Followed::follow(site, root.clone());
    fs::create_dir_all(root.join("content")).expect("a folder");
    fs::write(root.join("content/a.md"), "one\n").expect("it is written");
    while course.next().course != bytes(&load::load(&root)) {}
}

#[test]
fn a_root_that_is_relative() {
    let site = SiteTest::empty();
    site.write("content/a.md", "one\n");
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).expect("a current folder");
    let up: PathBuf = here.iter().skip(1).map(|_| "..").collect();
    let root = site.root().canonicalize().expect("a root");
    let relative = up.join(root.strip_prefix("/").expect("it is absolute"));
    let course = Followed::follow(site, relative);
    course.site.write("content/a.md", "two\n");
    course.one_change(&["content/a.md"]);
}
