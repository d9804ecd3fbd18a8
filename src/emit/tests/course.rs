//! Changes of a course's own files: all or none, and never over something newer.

use std::os::unix::fs::PermissionsExt;

use super::super::course::change_by;
use super::super::exchange;
use super::*;
use crate::change::Change;
use crate::source::Source;

fn lay(files: &[(&str, &str)]) -> TempDir {
    let temp = TempDir::new().unwrap();
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

const UNSUPPORTED: Swap = |_, _| Err(std::io::ErrorKind::Unsupported.into());

#[test]
fn all_changes_are_made_and_nothing_else_is_left() {
    for swap in [exchange::swap as Swap, UNSUPPORTED] {
        let temp = lay(&[("content/a.md", "one\r\n"), ("code/x/s.py", "1\n"), ("code/x/.hidden", "h")]);
        fs::set_permissions(temp.path().join("content/a.md"), fs::Permissions::from_mode(0o640)).unwrap();
        let changes = [
            replace("content/a.md", "one\r\n", "two\r\n"),
            rename("content/a.md", "content/deep/b.md"),
            rename("code/x", "code/y"),
            create("content/a.md"),
        ];
        change_by(temp.path(), &changes, swap).unwrap();
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
    for swap in [exchange::swap as Swap, UNSUPPORTED] {
        for last in [create("b/c.md"), rename("d.md", "b/c.md"), rename("gone.md", "e.md"), create("d.md/below.md")] {
            let temp = lay(&files);
            let changes =
                [replace("a.md", "one", "two"), create("new/deep/x.md"), rename("a.md", "new/a.md"), last.clone()];
            change_by(temp.path(), &changes, swap).expect_err("the last change cannot be made");
            assert_eq!(texts(&temp), pairs(&files), "{last:?}");
            assert!(!temp.path().join("new").exists(), "{last:?}");
        }
    }
}

#[test]
fn a_newer_text_stays() {
    let temp = lay(&[("a.md", "one"), ("b.md", "newer")]);
    let changes = [replace("a.md", "one", "two"), replace("b.md", "older", "mine")];
    let error = change_by(temp.path(), &changes, exchange::swap).unwrap_err();
    assert!(matches!(&error, EmitError::Changed(path) if path.ends_with("b.md")), "{error}");
    assert_eq!(texts(&temp), pairs(&[("a.md", "one"), ("b.md", "newer")]));
}

/// Saves the file just before the exchange, as an editor could.
fn save_then_swap(new: &Path, path: &Path) -> std::io::Result<()> {
    if fs::read_to_string(path)? == "one" {
        fs::write(path, "saved meanwhile")?;
    }
    exchange::swap(new, path)
}

#[test]
fn a_text_saved_at_the_last_moment_stays() {
    let temp = lay(&[("a.md", "one")]);
    let error = change_by(temp.path(), &[replace("a.md", "one", "two")], save_then_swap).unwrap_err();
    assert!(matches!(error, EmitError::Changed(_)), "{error}");
    assert_eq!(texts(&temp), pairs(&[("a.md", "saved meanwhile")]));
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
