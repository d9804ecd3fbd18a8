//! Changes of a course's own files: all or none, and never over something newer.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::disk::Call;
use crate::disk::faults::{self, Fault, Hooked};
use infralens_source::change::Change;
use infralens_source::source::Source;

fn lay(files: &[(&str, &str)]) -> TempDir {
    let temp = temporary();
    for (path, text) in files {
        let path = temp.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    temp
}

fn replace(path: &str, before: &str, after: &str) -> Change {
    Change::Replace { source: Arc::new(Source::new(path, before)), text: after.into() }
}

fn create(path: &str) -> Change {
    Change::Create { path: path.into(), text: "new\n".into() }
}

fn rename(from: &str, to: &str) -> Change {
    Change::Rename { from: from.into(), to: to.into() }
}

/// All files with their texts.
fn texts(temp: &TempDir) -> Vec<(String, String)> {
    let all = walkdir::WalkDir::new(temp.path()).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = all.filter(|entry| entry.file_type().is_file());
    let name = |path: &Path| path.strip_prefix(temp.path()).unwrap().to_str().unwrap().to_owned();
    files.map(|entry| (name(entry.path()), fs::read_to_string(entry.path()).unwrap())).collect()
}

fn pairs(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// A hook for a file system that cannot exchange two files.
fn without_exchange(temp: &TempDir) -> Hooked {
    faults::below(temp.path(), |call, _| match call {
        Call::Exchange => Err(io::ErrorKind::Unsupported.into()),
        _ => Ok(()),
    })
}

#[test]
fn all_changes_are_made_and_nothing_else_is_left() {
    for can_exchange in [true, false] {
        let temp = lay(&[("content/a.md", "one\r\n"), ("code/x/s.py", "1\n"), ("code/x/.hidden", "h")]);
        fs::set_permissions(temp.path().join("content/a.md"), fs::Permissions::from_mode(0o640)).unwrap();
        let changes = [
            replace("content/a.md", "one\r\n", "two\r\n"),
            rename("content/a.md", "content/deep/b.md"),
            rename("code/x", "code/y"),
            create("content/a.md"),
        ];
        let _hooked = (!can_exchange).then(|| without_exchange(&temp));
        change(temp.path(), &changes).unwrap();
        let wanted = [
            ("code/y/.hidden", "h"),
            ("code/y/s.py", "1\n"),
            ("content/a.md", "new\n"),
            ("content/deep/b.md", "two\r\n"),
        ];
        assert_eq!(texts(&temp), pairs(&wanted));
        let mode = fs::metadata(temp.path().join("content/deep/b.md")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}

#[test]
fn a_failure_takes_everything_back() {
    let files = [("a.md", "one"), ("b/c.md", "there"), ("d.md", "d")];
    for can_exchange in [true, false] {
        for last in [create("b/c.md"), rename("d.md", "b/c.md"), rename("gone.md", "e.md"), create("d.md/below.md")] {
            let temp = lay(&files);
            let changes =
                [replace("a.md", "one", "two"), create("new/deep/x.md"), rename("a.md", "new/a.md"), last.clone()];
            let _hooked = (!can_exchange).then(|| without_exchange(&temp));
            change(temp.path(), &changes).expect_err("the last change cannot be made");
            assert_eq!(texts(&temp), pairs(&files), "{last:?}");
            assert!(!temp.path().join("new").exists(), "{last:?}");
        }
    }
}

#[test]
fn a_newer_text_stays() {
    let temp = lay(&[("a.md", "one"), ("b.md", "newer")]);
    let changes = [replace("a.md", "one", "two"), replace("b.md", "older", "mine")];
    let error = change(temp.path(), &changes).unwrap_err();
    assert!(matches!(&error, EmitError::Changed(path) if path.ends_with("b.md")), "{error}");
    assert_eq!(texts(&temp), pairs(&[("a.md", "one"), ("b.md", "newer")]));
}

#[test]
fn a_text_saved_at_the_last_moment_stays() {
    let temp = lay(&[("a.md", "one"), ("b.md", "b")]);
    let file = temp.path().join("a.md");
    // Just before the exchange, as an editor could. In the second round the system then does not take the exchange back.
    for fails_after in [usize::MAX, 1] {
        fs::write(&file, "one").unwrap();
        let (saved, exchanges) = (file.clone(), AtomicUsize::new(0));
        let hooked = faults::below(temp.path(), move |call, path| {
            if call == Call::Exchange && path.ends_with("a.md") {
                let before = exchanges.fetch_add(1, Ordering::Relaxed);
                if before == 0 {
                    fs::write(&saved, "saved meanwhile")?;
                }
                if before >= fails_after {
                    return Err(io::ErrorKind::PermissionDenied.into());
                }
            }
            Ok(())
        });
        let error = change(temp.path(), &[replace("b.md", "b", "c"), replace("a.md", "one", "two")]).unwrap_err();
        drop(hooked);
        assert!(matches!(error, EmitError::Changed(_) | EmitError::Io { doing: "restore", .. }), "{error}");
        assert_eq!(texts(&temp), pairs(&[("a.md", "saved meanwhile"), ("b.md", "b")]));
    }
}

#[test]
fn whatever_an_editor_saves_in_the_meantime_stays() {
    let (replaced, created) = (replace("a.md", "one", "two"), create("new.md"));
    let (fails, done) = ([replaced.clone(), created, create("b.md")], [replaced]);
    let tried = [("a.md", &fails[..]), ("new.md", &fails), ("a.md", &done)];
    for ((path, changes), can_exchange) in tried.into_iter().flat_map(|tried| [(tried, true), (tried, false)]) {
        // An editor saves before one call and again before another: as soon as neither comes, all calls were tried.
        for (first, second) in (0..).flat_map(|first| (first..first + 12).map(move |second| (first, second))) {
            let temp = lay(&[("a.md", "one"), ("b.md", "there")]);
            let (file, draft, calls) = (temp.path().join(path), temp.path().join("draft"), AtomicUsize::new(0));
            let saved = Arc::new(AtomicUsize::new(0));
            let save = Arc::clone(&saved);
            let hooked = faults::below(temp.path(), move |call, _| {
                let at = calls.fetch_add(1, Ordering::Relaxed);
                if at == first || at == second {
                    fs::write(&draft, format!("saved before call {at}"))?;
                    fs::rename(&draft, &file)?;
                    save.store(at + 1, Ordering::Relaxed);
                }
                let is_missing = call == Call::Exchange && !can_exchange;
                if is_missing { Err(io::ErrorKind::Unsupported.into()) } else { Ok(()) }
            });
            let done = change(temp.path(), changes);
            drop(hooked);
            let Some(last) = saved.load(Ordering::Relaxed).checked_sub(1) else { break };
            let what = format!("saved before calls {first} and {second}, exchange: {can_exchange}, {done:?}");
            assert_eq!(
                fs::read_to_string(temp.path().join(path)).ok(),
                Some(format!("saved before call {last}")),
                "{what}"
            );
            assert_eq!(texts(&temp).len(), if path == "a.md" { 2 } else { 3 }, "{what}");
        }
    }
}

#[test]
fn what_cannot_be_replaced_is_named() {
    let temp = lay(&[("a.md", "one"), ("b.md", "b")]);
    fs::set_permissions(temp.path().join("a.md"), fs::Permissions::from_mode(0o444)).unwrap();
    let error = change(temp.path(), &[replace("b.md", "b", "c"), replace("a.md", "one", "two")]).unwrap_err();
    assert!(error.to_string().ends_with("a.md` is read-only"), "{error}");
    fs::remove_file(temp.path().join("a.md")).unwrap();
    std::os::unix::fs::symlink("b.md", temp.path().join("a.md")).unwrap();
    let error = change(temp.path(), &[replace("a.md", "b", "two")]).unwrap_err();
    assert!(matches!(error, EmitError::Changed(_)), "{error}");
    assert_eq!(fs::read_to_string(temp.path().join("b.md")).unwrap(), "b");
}

#[test]
fn nothing_is_created_in_what_is_no_folder_of_the_course() {
    let (temp, elsewhere) = (lay(&[("b.md", "b")]), lay(&[("x.md", "x")]));
    std::os::unix::fs::symlink(elsewhere.path(), temp.path().join("link")).unwrap();
    for (path, other) in [("b.md/c.md", "b.md"), ("link/c.md", "link"), ("link/deep/c.md", "link")] {
        let error = change(temp.path(), &[create(path)]).unwrap_err().to_string();
        assert!(error.ends_with(&format!("/{other}`: not a directory")), "{error}");
        assert_eq!(texts(&elsewhere), pairs(&[("x.md", "x")]));
    }
}

type Texts = Vec<(&'static str, &'static str)>;

/// A course before and after changes of every kind, and these.
fn before_and_after() -> (Texts, Texts, Vec<Change>) {
    let before = vec![("code/x/s.py", "1"), ("content/a.md", "one"), ("content/b/c.md", "there")];
    let after = vec![
        ("code/y/s.py", "1"),
        ("content/a.md", "new\n"),
        ("content/b/c.md", "here"),
        ("content/deep/b.md", "two"),
        ("content/new/deep/x.md", "new\n"),
    ];
    let changes = vec![
        replace("content/a.md", "one", "two"),
        rename("content/a.md", "content/deep/b.md"),
        rename("code/x", "code/y"),
        create("content/a.md"),
        create("content/new/deep/x.md"),
        replace("content/b/c.md", "there", "here"),
    ];
    (before, after, changes)
}

/// Undoes what is left half done, and returns whether the course is as before or, `true`, as after the changes.
fn settled(temp: &TempDir) -> bool {
    let (before, after, _) = before_and_after();
    assert_eq!(recover(temp.path()).unwrap().left, [""; 0]);
    let now = texts(temp);
    assert!(now == pairs(&before) || now == pairs(&after), "all or none: {now:?}");
    assert!(now != pairs(&before) || !temp.path().join("content/new").exists(), "no folder is left");
    now == pairs(&after)
}

#[test]
fn whatever_fails_all_changes_are_made_or_none() {
    let (before, _, changes) = before_and_after();
    for (fault, can_exchange) in Fault::ALL.into_iter().flat_map(|fault| [(fault, true), (fault, false)]) {
        faults::in_turn(fault, |(fault, from)| {
            let temp = lay(&before);
            let work = || change(temp.path(), &changes);
            let (done, met) = faults::with(temp.path(), (fault, from), !can_exchange, work);
            let what = format!("{fault:?} from call {from}: {:?}, {done:?}", met.failed.first());
            match &done {
                Ok(()) => {}
                Err(error) => assert!(error.to_string().contains(temp.path().to_str().unwrap()), "{what}"),
            }
            // Without a second failure nothing is left but a journal that says nothing.
            if !matches!(fault, Fault::Dead | Fault::Twice) && done.is_err() {
                assert!(!matches!(done, Err(EmitError::HalfDone(_))), "{what}");
                let mut now = texts(&temp);
                now.retain(|(path, text)| path != JOURNAL || !text.is_empty());
                assert_eq!(now, pairs(&before), "{what}");
            }
            assert!(!is_interrupted(temp.path()).unwrap() || done.is_err(), "{what}");
            let is_made = settled(&temp);
            assert!(is_made || done.is_err(), "{what}");
            if !is_made {
                change(temp.path(), &changes).unwrap();
                assert!(settled(&temp), "{what}");
            }
            met
        });
    }
}

#[test]
fn what_fails_while_changes_are_taken_back_is_taken_back_later() {
    let (before, _, changes) = before_and_after();
    for can_exchange in [true, false] {
        faults::in_turn(Fault::Dead, |killed| {
            let half_done = || {
                let temp = lay(&before);
                let work = || change(temp.path(), &changes);
                let (_, met) = faults::with(temp.path(), killed, !can_exchange, work);
                (temp, met)
            };
            // Of each kill every fourth call, and of the next one the calls next to them.
            for from in (killed.1 % 4..).step_by(4) {
                let (temp, _) = half_done();
                let fault = (Fault::Once, from);
                let (done, met) = faults::with(temp.path(), fault, !can_exchange, || recover(temp.path()));
                assert!(done.is_err() || !is_interrupted(temp.path()).unwrap(), "{killed:?} {fault:?}");
                settled(&temp);
                if met.first.is_none() {
                    break;
                }
            }
            half_done().1
        });
    }
}

#[test]
fn a_file_that_changed_after_the_kill_is_left() {
    let temp = lay(&[("a.md", "one"), ("b.md", "b")]);
    let changes = [replace("b.md", "b", "c"), replace("a.md", "one", "two"), create("x/y.md"), rename("no.md", "z.md")];
    let at_the_end = |call, path: &Path| call == Call::Look && path.ends_with("no.md");
    let killed = std::sync::atomic::AtomicBool::new(false);
    let hooked = faults::below(temp.path(), move |call, path| {
        let is_dead = killed.fetch_or(at_the_end(call, path), Ordering::Relaxed) || at_the_end(call, path);
        if is_dead { Err(io::Error::other("killed")) } else { Ok(()) }
    });
    assert!(matches!(change(temp.path(), &changes), Err(EmitError::HalfDone(_))));
    drop(hooked);
    assert!(is_interrupted(temp.path()).unwrap());
    assert!(matches!(change(temp.path(), &changes[..1]), Err(EmitError::Interrupted(_) | EmitError::Changed(_))));
    fs::write(temp.path().join("a.md"), "edited since").unwrap();
    fs::write(temp.path().join("x/mine.md"), "mine").unwrap();
    let recovery = recover(temp.path()).unwrap();
    assert_eq!(recovery, Recovery { undone: true, left: vec!["x".into(), "a.md".into()] });
    assert_eq!(texts(&temp), pairs(&[("a.md", "edited since"), ("b.md", "b"), ("x/mine.md", "mine")]));
    assert_eq!(recover(temp.path()).unwrap(), Recovery::default());
}

#[test]
fn one_command_at_a_time_changes_the_course() {
    let temp = lay(&[("a.md", "one"), ("b.md", "b")]);
    let root = temp.path().to_owned();
    let hooked = faults::below(temp.path(), move |call, path| {
        if call == Call::Exchange && path.ends_with("a.md") {
            let error = change(&root, &[replace("b.md", "b", "c")]).unwrap_err();
            assert!(matches!(error, EmitError::Changing(_)), "{error}");
            assert!(matches!(recover(&root), Err(EmitError::Changing(_))));
            assert!(!is_interrupted(&root).unwrap(), "it is at work");
        }
        Ok(())
    });
    change(temp.path(), &[replace("a.md", "one", "two")]).unwrap();
    drop(hooked);
    assert_eq!(texts(&temp), pairs(&[("a.md", "two"), ("b.md", "b")]));
}

#[test]
fn what_is_no_journal_is_not_touched() {
    for text in ["mine\n", "{\"rename\": 1}\n"] {
        let temp = lay(&[("a.md", "one"), (JOURNAL, text)]);
        let error = change(temp.path(), &[replace("a.md", "one", "two")]).unwrap_err();
        assert!(matches!(error, EmitError::ForeignJournal(_)), "{error}");
        assert!(matches!(recover(temp.path()), Err(EmitError::ForeignJournal(_))));
        assert_eq!(texts(&temp), pairs(&[(JOURNAL, text), ("a.md", "one")]));
        assert!(!is_interrupted(temp.path()).unwrap());
    }
}
