//! Changes of a course's own files: all or none, and never over something newer.

use infralens_source::change::Change;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::disk::Call;
use crate::disk::faults::{self, Fault};
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

#[test]
fn all_changes_are_made_and_nothing_else_is_left() {
    let temp = lay(&[("content/a.md", "one\r\n"), ("code/x/s.py", "1\n"), ("code/x/.hidden", "h"), ("c.md", "c")]);
    for file in ["content/a.md", "c.md"] {
        fs::set_permissions(temp.path().join(file), fs::Permissions::from_mode(0o640)).unwrap();
    }
    let changes = [
        replace("content/a.md", "one\r\n", "two\r\n"),
        replace("c.md", "c", "d"),
        rename("code/x", "code/y"),
        rename("content/a.md", "content/deep/b.md"),
        create("content/new.md"),
    ];
    change(temp.path(), &changes).unwrap();
    let wanted = [
        ("c.md", "d"),
        ("code/y/.hidden", "h"),
        ("code/y/s.py", "1\n"),
        ("content/deep/b.md", "two\r\n"),
        ("content/new.md", "new\n"),
    ];
    assert_eq!(texts(&temp), pairs(&wanted));
    for file in ["content/deep/b.md", "c.md"] {
        let mode = fs::metadata(temp.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}

#[test]
fn a_change_that_cannot_be_made_changes_nothing() {
    let files = [("a.md", "one"), ("b/c.md", "there"), ("d.md", "d"), ("e.md", "e")];
    for last in [create("b/c.md"), rename("d.md", "b/c.md"), rename("gone.md", "f.md"), create("d.md/below.md")] {
        let temp = lay(&files);
        let changes =
            [replace("a.md", "one", "two"), create("new/deep/x.md"), rename("e.md", "new/e.md"), last.clone()];
        let error = change(temp.path(), &changes).expect_err("the last change cannot be made");
        assert!(!matches!(error, EmitError::HalfDone(_)), "{error}");
        assert_eq!(texts(&temp), pairs(&files), "{last:?}");
        assert!(!temp.path().join("new").exists(), "{last:?}");
    }
}

#[test]
fn what_was_made_already_is_not_made_again() {
    let temp =
        lay(&[("a.md", "one"), ("new.md", "new\n"), (".new.md.infralens-new", "ne"), ("b.md", "b"), ("moved.md", "c")]);
    let inode = |path: &str| std::os::unix::fs::MetadataExt::ino(&fs::metadata(temp.path().join(path)).unwrap());
    let before = inode("new.md");
    let changes =
        [create("new.md"), replace("a.md", "one", "two"), replace("b.md", "b", "c"), rename("b.md", "moved.md")];
    change(temp.path(), &changes).unwrap();
    assert_eq!(inode("new.md"), before);
    let texts = texts(&temp);
    assert_eq!(
        texts,
        pairs(&[(".new.md.infralens-new", "ne"), ("a.md", "two"), ("moved.md", "c"), ("new.md", "new\n")])
    );
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
fn what_an_editor_saves_before_a_file_is_replaced_stays() {
    let changes = [replace("b.md", "b", "c"), replace("a.md", "one", "two"), create("new.md")];
    for path in ["a.md", "new.md"] {
        // An editor saves before each call; as soon as it does not, all calls were tried.
        for first in 0.. {
            let temp = lay(&[("a.md", "one"), ("b.md", "b")]);
            let (file, calls) = (temp.path().join(path), Arc::new(AtomicUsize::new(0)));
            let counter = Arc::clone(&calls);
            let hooked = faults::below(temp.path(), move |call, at| {
                // Between the last look at a file and the call that replaces it, nothing can be known.
                let is_too_late = call == Call::Rename && at.ends_with("a.md") && path == "a.md";
                if counter.fetch_add(1, Ordering::Relaxed) == first && !is_too_late {
                    fs::write(&file, "saved")?;
                }
                Ok(())
            });
            let done = change(temp.path(), &changes);
            drop(hooked);
            if calls.load(Ordering::Relaxed) <= first {
                break;
            }
            let now = fs::read_to_string(temp.path().join(path)).unwrap();
            let is_made = done.is_ok() && now != "saved" && first > 0;
            assert!(is_made || now == "saved", "{path}, {first}: {now}, {done:?}");
            assert!(texts(&temp).iter().all(|(path, _)| !path.contains("infralens")), "{path}, {first}");
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
        ("content/b/c.md", "here"),
        ("content/deep/b.md", "two"),
        ("content/new/deep/x.md", "new\n"),
    ];
    let changes = vec![
        replace("content/a.md", "one", "two"),
        create("content/new/deep/x.md"),
        replace("content/b/c.md", "there", "here"),
        rename("code/x", "code/y"),
        rename("content/a.md", "content/deep/b.md"),
    ];
    (before, after, changes)
}

#[test]
fn whatever_fails_before_the_first_change_changes_nothing() {
    let (before, after, changes) = before_and_after();
    for fault in Fault::ALL {
        faults::in_turn(fault, |(fault, from)| {
            let temp = lay(&before);
            let (done, met) = faults::with(temp.path(), (fault, from), false, || change(temp.path(), &changes));
            let what = format!("{fault:?} from call {from}: {:?}, {done:?}", met.failed.first());
            let mut now = texts(&temp);
            match &done {
                Ok(()) => assert_eq!(now, pairs(&after), "{what}"),
                Err(EmitError::HalfDone(_)) => assert!(now != pairs(&before), "{what}"),
                // A second failure may leave a temporary file.
                Err(_) => {
                    now.retain(|(path, _)| fault == Fault::Once || !path.ends_with(".infralens-new"));
                    assert_eq!(now, pairs(&before), "{what}");
                    assert!(fault != Fault::Once || !temp.path().join("content/new").exists(), "{what}");
                }
            }
            if let Err(error) = &done {
                assert!(error.to_string().contains(temp.path().to_str().unwrap()), "{what}");
                assert!(
                    fault != Fault::Full || !matches!(error, EmitError::HalfDone(_)),
                    "a full disk changes nothing"
                );
            }
            met
        });
    }
}

#[test]
fn one_command_at_a_time_changes_the_course() {
    let temp = lay(&[("a.md", "one"), ("b.md", "b")]);
    let root = temp.path().to_owned();
    let hooked = faults::below(temp.path(), move |call, path| {
        if call == Call::Rename && path.ends_with("a.md") {
            let error = change(&root, &[replace("b.md", "b", "c")]).unwrap_err();
            assert!(matches!(error, EmitError::Changing(_)), "{error}");
        }
        Ok(())
    });
    change(temp.path(), &[replace("a.md", "one", "two")]).unwrap();
    drop(hooked);
    assert_eq!(texts(&temp), pairs(&[("a.md", "two"), ("b.md", "b")]));
}
