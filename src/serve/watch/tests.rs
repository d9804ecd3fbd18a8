//! Events that are made up, and what comes of them; that they come at all is for `tests/it/follow.rs`.

use notify::event::{AccessKind, CreateKind, DataChange, EventKind, Flag, ModifyKind, RenameMode};
use notify::{Error, Event};

use super::*;

/// What is heard when events come from a course at `/c`.
fn heard(events: impl IntoIterator<Item = Event>) -> (Heard, bool) {
    let news = News::default();
    events.into_iter().for_each(|event| news.tell("/c".as_ref(), Ok(event)));
    let is_any = news.is_any();
    (news.wait(Instant::now()), is_any)
}

fn event(kind: EventKind, paths: &[&str]) -> Event {
    paths.iter().fold(Event::new(kind), |event, path| event.add_path(path.into()))
}

const DATA: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));

#[test]
fn paths_are_put_together() {
    let rename = EventKind::Modify(ModifyKind::Name(RenameMode::Both));
    let (heard, is_any) = heard([
        event(DATA, &["/c/content/a.md"]),
        event(DATA, &["/c/content/a.md"]),
        event(rename, &["/c/content/b.md", "/c/code/l/x.py"]),
    ]);
    let paths: Vec<_> = heard.signal.paths.iter().map(|path| &**path).collect();
    assert_eq!(paths, ["code/l/x.py", "content/a.md", "content/b.md"]);
    assert!(!heard.signal.everything && !heard.is_uprooted && is_any);
}

#[test]
fn what_is_not_read_is_not_heard() {
    let outside = ["/c/public/a.html", "/c/.git/x", "/c/README.md", "/c/content/.a.md.swp", "/c/code/l/target/x.py"];
    let (heard, is_any) = heard([
        event(DATA, &outside),
        event(EventKind::Access(AccessKind::Any), &["/c/content/a.md"]),
        event(EventKind::Access(AccessKind::Any), &["/c"]),
    ]);
    assert!(heard.is_nothing() && !is_any);
}

#[test]
fn folders_that_are_replaced_are_found_again() {
    for path in ["/c", "/c/content", "/c/static"] {
        let (heard, _) = heard([event(EventKind::Create(CreateKind::Folder), &[path])]);
        assert!(heard.is_uprooted && heard.signal.everything, "{path}");
    }
}

#[test]
fn where_folders_were_made_all_are_asked_for_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (root, inner) = (folder.path().canonicalize().expect("it is there"), folder.path().join("content/inner"));
    std::fs::create_dir_all(&inner).expect("a folder");
    std::fs::write(root.join("content/file"), "").expect("it is written");
    let mut watch = Watch::new(root.clone());
    let (made, renamed) = (EventKind::Create(CreateKind::Any), EventKind::Modify(ModifyKind::Name(RenameMode::To)));
    let (full, outgrown) = (Reach::Full, Reach::Outgrown);
    for (kind, name, reach) in [(made, "inner", outgrown), (renamed, "inner", outgrown), (renamed, "file", full)] {
        assert!(matches!(watch.walk(&Project::default(), true), Walked::Whole(_)));
        assert_eq!(watch.reach, Reach::Full);
        let news = News::default();
        news.tell(&root, Ok(Event::new(kind).add_path(root.join("content").join(name))));
        assert!(!watch.weigh(news.wait(Instant::now()), Instant::now()).is_empty());
        assert_eq!(watch.reach, reach, "{name}");
    }
}

#[test]
fn what_cannot_be_told_is_everything() {
    use std::os::unix::ffi::OsStrExt;
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"/c/content/\xff.md")).to_path_buf();
    for event in [event(DATA, &["/elsewhere/a.md"]), event(DATA, &[]), Event::new(DATA).add_path(odd)] {
        assert!(heard([event]).0.signal.everything);
    }
    let many = (0..10_000).map(|number| event(DATA, &[&format!("/c/content/{number}.md")]));
    let (heard, _) = heard(many);
    assert!(heard.signal.everything && heard.signal.paths.len() < 5000);
}

#[test]
fn events_that_were_lost_are_made_up_for() {
    let lost = || Event::new(EventKind::Other).set_flag(Flag::Rescan);
    let (news, is_any) = heard([lost()]);
    assert!(news.has_overflowed && !is_any, "our own reading may be the cause, and must not interrupt itself");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut watch = Watch::new(folder.path().to_path_buf());
    assert!(matches!(watch.walk(&Project::default(), true), Walked::Whole(_)));
    assert!(watch.weigh(heard([lost()]).0, watch.read_until + ECHO).everything, "by others");
    assert!(watch.hears());
    assert!(!watch.weigh(heard([lost()]).0, watch.read_until).everything, "by our own reading");
    assert!(!watch.hears(), "which is then done at leisure");
    assert!(matches!(watch.walk(&Project::default(), true), Walked::Whole(_)));
    assert!(watch.hears());
}

#[test]
fn a_system_that_refuses_is_named_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut watch = Watch::new(folder.path().to_path_buf());
    assert!(matches!(watch.walk(&Project::default(), true), Walked::Whole(_)));
    assert!(watch.hears() && watch.take_notice().is_none());
    for round in 0..2 {
        watch.news.tell(folder.path(), Err(Error::new(ErrorKind::MaxFilesWatch)));
        assert!(watch.wait(Instant::now()).everything);
        assert!(!watch.hears());
        let notice = watch.take_notice();
        assert_eq!(notice.is_some(), round == 0);
        assert!(notice.is_none_or(|notice| notice.contains("max_user_watches")), "it says why");
        assert!(watch.take_notice().is_none());
    }
    assert!(matches!(watch.walk(&Project::default(), true), Walked::Whole(_)));
    assert!(watch.hears(), "each walk tries again");
}

#[test]
fn a_walk_is_interrupted_by_news() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("content")).expect("a folder");
    let mut watch = Watch::new(folder.path().to_path_buf());
    assert!(matches!(watch.walk(&Project::default(), true), Walked::Whole(_)));
    watch.news.tell(folder.path(), Ok(event(DATA, &["/elsewhere"])));
    assert!(matches!(watch.walk(&Project::default(), false), Walked::Interrupted));
    assert!(matches!(watch.walk(&Project::default(), true), Walked::Whole(_)));
    assert!(watch.wait(Instant::now()).everything, "and they are still there");
    assert!(matches!(watch.walk(&Project::default(), false), Walked::Whole(_)));
}

#[test]
fn a_root_that_is_missing_is_no_empty_course() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("course");
    let mut watch = Watch::new(root.clone());
    assert!(matches!(watch.walk(&Project::default(), true), Walked::Missing));
    std::fs::create_dir(&root).expect("a folder");
    let beat = watch.next_beat;
    assert!(watch.weigh(Heard::default(), beat).everything, "it is found at the next beat");
    assert!(matches!(watch.walk(&Project::default(), false), Walked::Whole(_)));
}

#[test]
fn what_there_is_too_little_of_is_named() {
    let many = std::io::Error::from(Errno::MFILE);
    assert!(reason(&Error::io(many)).contains("fs.inotify.max_user_instances"));
    assert!(reason(&Error::new(ErrorKind::MaxFilesWatch)).contains("fs.inotify.max_user_watches"));
    assert!(reason(&Error::io(std::io::ErrorKind::PermissionDenied.into())).ends_with("permission denied"));
}
