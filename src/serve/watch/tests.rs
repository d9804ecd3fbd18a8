//! Events that are made up, and what comes of them; that they come at all is for `tests/it/follow.rs`.

use notify::event::{AccessKind, CreateKind, DataChange, EventKind, Flag, ModifyKind, RenameMode};
use notify::{Error, Event};

use super::*;

/// What is pending when events come from a course at `/c`.
fn pending(list: impl IntoIterator<Item = Event>) -> (PendingEvents, bool) {
    let events = EventQueue::default();
    list.into_iter().for_each(|event| events.push("/c".as_ref(), Ok(event)));
    let has_hints = events.has_hints();
    (events.take(Instant::now()), has_hints)
}

fn event(kind: EventKind, paths: &[&str]) -> Event {
    paths.iter().fold(Event::new(kind), |event, path| event.add_path(path.into()))
}

const DATA: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));

#[test]
fn paths_of_events_are_combined() {
    let rename = EventKind::Modify(ModifyKind::Name(RenameMode::Both));
    let (pending, has_hints) = pending([
        event(DATA, &["/c/content/a.md"]),
        event(DATA, &["/c/content/a.md"]),
        event(rename, &["/c/content/b.md", "/c/code/l/x.py"]),
    ]);
    let paths: Vec<_> = pending.hints.paths.iter().map(|path| &**path).collect();
    assert_eq!(paths, ["code/l/x.py", "content/a.md", "content/b.md"]);
    assert!(!pending.hints.everything && !pending.has_top_folder_changes && has_hints);
}

#[test]
fn events_of_files_that_are_not_read_are_ignored() {
    let outside = ["/c/public/a.html", "/c/.git/x", "/c/README.md", "/c/content/.a.md.swp", "/c/code/l/target/x.py"];
    let (pending, has_hints) = pending([
        event(DATA, &outside),
        event(EventKind::Access(AccessKind::Any), &["/c/content/a.md"]),
        event(EventKind::Access(AccessKind::Any), &["/c"]),
    ]);
    assert!(pending.is_empty() && !has_hints);
}

#[test]
fn folders_that_are_replaced_are_found_again() {
    for path in ["/c", "/c/content", "/c/static"] {
        let (pending, _) = pending([event(EventKind::Create(CreateKind::Folder), &[path])]);
        assert!(pending.has_top_folder_changes && pending.hints.everything, "{path}");
    }
}

#[test]
fn after_a_new_folder_all_folders_are_watched_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (root, inner) = (folder.path().canonicalize().expect("it is there"), folder.path().join("content/inner"));
    std::fs::create_dir_all(&inner).expect("a folder");
    std::fs::write(root.join("content/file"), "").expect("it is written");
    let mut watch = FolderWatcher::new(root.clone());
    let (made, renamed) = (EventKind::Create(CreateKind::Any), EventKind::Modify(ModifyKind::Name(RenameMode::To)));
    let (full, outdated) = (Coverage::Full, Coverage::Outdated);
    for (kind, name, coverage) in [(made, "inner", outdated), (renamed, "inner", outdated), (renamed, "file", full)] {
        assert!(matches!(watch.reload(&Project::default(), false), Reread::Complete(_)));
        assert_eq!(watch.coverage, Coverage::Full);
        let events = EventQueue::default();
        events.push(&root, Ok(Event::new(kind).add_path(root.join("content").join(name))));
        assert!(!watch.interpret(events.take(Instant::now()), Instant::now()).is_empty());
        assert_eq!(watch.coverage, coverage, "{name}");
    }
}

#[test]
fn events_without_a_known_path_may_mean_any_change() {
    use std::os::unix::ffi::OsStrExt;
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"/c/content/\xff.md")).to_path_buf();
    for event in [event(DATA, &["/elsewhere/a.md"]), event(DATA, &[]), Event::new(DATA).add_path(odd)] {
        assert!(pending([event]).0.hints.everything);
    }
    let many = (0..10_000).map(|number| event(DATA, &[&format!("/c/content/{number}.md")]));
    let (pending, _) = pending(many);
    assert!(pending.hints.everything && pending.hints.paths.len() < 5000);
}

#[test]
fn an_overflow_causes_reading_the_whole_course() {
    let lost = || Event::new(EventKind::Other).set_flag(Flag::Rescan);
    let (events, has_hints) = pending([lost()]);
    assert!(events.has_overflowed && !has_hints, "our own reading may be the cause, and must not interrupt itself");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut watch = FolderWatcher::new(folder.path().to_path_buf());
    assert!(matches!(watch.reload(&Project::default(), false), Reread::Complete(_)));
    assert!(watch.interpret(pending([lost()]).0, watch.last_reload + READ_ECHO).everything, "by others");
    assert!(watch.has_events());
    assert!(!watch.interpret(pending([lost()]).0, watch.last_reload).everything, "by our own reading");
    assert!(!watch.has_events(), "which is then done at leisure");
    assert!(matches!(watch.reload(&Project::default(), false), Reread::Complete(_)));
    assert!(watch.has_events());
}

#[test]
fn a_refusal_of_the_system_is_reported_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut watch = FolderWatcher::new(folder.path().to_path_buf());
    assert!(matches!(watch.reload(&Project::default(), false), Reread::Complete(_)));
    assert!(watch.has_events() && watch.take_notice().is_none());
    for round in 0..2 {
        watch.events.push(folder.path(), Err(Error::new(ErrorKind::MaxFilesWatch)));
        assert!(watch.wait(Instant::now()).everything);
        assert!(!watch.has_events());
        let notice = watch.take_notice();
        assert_eq!(notice.is_some(), round == 0);
        assert!(notice.is_none_or(|notice| notice.contains("max_user_watches")), "it says why");
        assert!(watch.take_notice().is_none());
    }
    assert!(matches!(watch.reload(&Project::default(), false), Reread::Complete(_)));
    assert!(watch.has_events(), "each walk tries again");
}

#[test]
fn reading_is_interrupted_by_events() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("content")).expect("a folder");
    let mut watch = FolderWatcher::new(folder.path().to_path_buf());
    assert!(matches!(watch.reload(&Project::default(), false), Reread::Complete(_)));
    watch.events.push(folder.path(), Ok(event(DATA, &["/elsewhere"])));
    assert!(matches!(watch.reload(&Project::default(), true), Reread::Interrupted));
    assert!(matches!(watch.reload(&Project::default(), false), Reread::Complete(_)));
    assert!(watch.wait(Instant::now()).everything, "and they are still there");
    assert!(matches!(watch.reload(&Project::default(), true), Reread::Complete(_)));
}

#[test]
fn a_missing_root_is_not_an_empty_course() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("course");
    let mut watch = FolderWatcher::new(root.clone());
    assert!(matches!(watch.reload(&Project::default(), false), Reread::Missing));
    std::fs::create_dir(&root).expect("a folder");
    let check = watch.next_check;
    assert!(watch.interpret(PendingEvents::default(), check).everything, "it is found at the next check");
    assert!(matches!(watch.reload(&Project::default(), true), Reread::Complete(_)));
}

#[test]
fn the_exhausted_limit_is_named() {
    let many = std::io::Error::from(Errno::MFILE);
    assert!(watch_error_reason(&Error::io(many)).contains("fs.inotify.max_user_instances"));
    assert!(watch_error_reason(&Error::new(ErrorKind::MaxFilesWatch)).contains("fs.inotify.max_user_watches"));
    assert!(watch_error_reason(&Error::io(std::io::ErrorKind::PermissionDenied.into())).ends_with("permission denied"));
}
