//! What is compared, and what git is asked: revisions, folders, and repositories that nobody should trust.

use super::{LAB, commit, commit_all, course, diff, git};
use crate::harness::{SiteTest, contents, program};

#[test]
fn revisions_and_folders() {
    let test = course();
    test.edit(LAB, "| adds |", "| sums |");
    commit(&test);
    test.edit(LAB, "| sums |", "| multiplies |");
    let changed = |arguments: &[&str]| {
        let (status, out, err) = diff(&test, arguments);
        assert!(err.is_empty(), "{err}");
        let signs =
            out.lines().filter_map(|line| line.trim().strip_prefix(['-', '+']).map(|line| line.trim().to_owned()));
        (status, signs.collect::<Vec<_>>())
    };
    assert_eq!(changed(&["HEAD~1"]), (1, vec!["0 | adds".into(), "0 | multiplies".into()]));
    assert_eq!(changed(&["HEAD~1", "HEAD"]), (1, vec!["0 | adds".into(), "0 | sums".into()]));
    assert_eq!(changed(&["main^{tree}"]), (1, vec!["0 | sums".into(), "0 | multiplies".into()]));
    assert_eq!(changed(&["HEAD", "main"]), (0, vec![]));
    let other = SiteTest::copy_of(&test.root());
    other.edit(LAB, "| multiplies |", "| adds |").remove(".git");
    let folder = other.root();
    let folder = folder.to_str().expect("UTF-8");
    assert_eq!(changed(&[folder, "HEAD~1"]), (0, vec![]));
    assert_eq!(changed(&["HEAD~1", folder]), (0, vec![]));
    // Two folders need neither a course around them nor git.
    let root = test.root();
    let mut alone = program(test.above());
    alone.args(["diff", folder, root.to_str().expect("UTF-8")]).env("PATH", "/nowhere");
    assert_eq!(alone.output().expect("it runs").status.code(), Some(1));
}

#[test]
fn a_course_below_the_top_of_its_repository() {
    let test = course();
    test.remove(".git");
    let above = SiteTest::empty();
    std::fs::rename(test.root(), above.root().join("docs")).expect("it can be moved");
    above.write("content/site.yaml", "title: Another\n");
    commit_all(&above);
    above.edit("docs/content/tracks/t/labs/lab-01-a.md", "| adds |", "| sums |");
    let run = program(&above.root().join("docs")).args(["diff", "HEAD"]).output().expect("it runs");
    let out = String::from_utf8_lossy(&run.stdout);
    assert!(
        run.status.code() == Some(1) && out.starts_with("HEAD → the files as they are: 1 change on 1 page\n"),
        "{out}"
    );
}

#[test]
fn what_cannot_be_compared_ends_with_2() {
    let test = course();
    for (arguments, wanted) in [
        (&["no-such"][..], "error: `no-such` cannot be compared: the repository has no revision of this name\n"),
        (
            &["--", "--output=x"],
            "error: `--output=x` cannot be compared: the repository has no revision of this name\n",
        ),
        (
            &["HEAD", "./nowhere"],
            "error: `./nowhere` cannot be compared: the repository has no revision of this name\n",
        ),
        (&[], "error: the following required arguments were not provided:\n"),
    ] {
        let (status, out, err) = diff(&test, arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}");
        assert!(err.starts_with(wanted), "{err}");
    }
    let no_git = program(&test.root()).args(["diff", "HEAD"]).env("PATH", "/nowhere").output().expect("it runs");
    assert_eq!(no_git.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&no_git.stderr)
            .starts_with("error: `HEAD` cannot be compared: `git` cannot be started")
    );
    let bare = SiteTest::copy_of(&test.root());
    bare.remove(".git");
    let run = program(&bare.root()).args(["diff", "HEAD"]).output().expect("it runs");
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&run.stderr).contains("there is no git repository here"), "{run:?}");
    git(&bare.root(), &["init", "--quiet"]);
    bare.write("x", "x");
    git(&bare.root(), &["add", "x"]);
    git(&bare.root(), &["commit", "--quiet", "-m", "x"]);
    let (status, _, err) = diff(&bare, &["HEAD"]);
    assert_eq!(status, 2);
    assert!(err.contains("it has no course here: `content/site.yaml` is missing"), "{err}");
}

#[test]
fn a_repository_starts_no_program() {
    let test = course();
    let mark = test.above().join("started");
    let start = format!("touch {}", mark.display());
    for key in ["core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass", "diff.external", "core.editor"] {
        git(&test.root(), &["config", key, &start]);
    }
    for (key, value) in [
        ("filter.x.smudge", start.as_str()),
        ("filter.x.clean", &start),
        ("filter.x.process", &start),
        ("diff.x.textconv", &start),
        ("alias.ls-tree", &format!("!{start}")),
        ("alias.cat-file", &format!("!{start}")),
        ("core.hooksPath", test.above().to_str().expect("UTF-8")),
        // A clone without its files: they would be fetched by a command.
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &format!("ext::{start}")),
        ("protocol.ext.allow", "always"),
    ] {
        git(&test.root(), &["config", key, value]);
    }
    test.write(".gitattributes", "* filter=x diff=x\n");
    test.edit(LAB, "| adds |", "| sums |");
    let before = contents(&test.root());
    let (status, out, err) = diff(&test, &["HEAD"]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    assert_eq!(contents(&test.root()), before, "nothing is written");
    // An object that is missing is not fetched.
    let id =
        git(&test.root(), &["-c", "filter.x.clean=cat", "-c", "core.fsmonitor=", "rev-parse", &format!("HEAD:{LAB}")]);
    let id = String::from_utf8(id.stdout).expect("UTF-8");
    test.remove(&format!(".git/objects/{}/{}", &id[..2], id[2..].trim()));
    let (status, _, err) = diff(&test, &["HEAD"]);
    assert_eq!(status, 2, "{err}");
    assert!(!mark.exists(), "a command of the configuration was started");
}

#[test]
fn links_and_large_files_of_a_revision_are_not_read() {
    let test = course();
    std::os::unix::fs::symlink("/etc/passwd", test.root().join("content/passwd.md")).expect("a link");
    commit(&test);
    test.remove("content/passwd.md");
    let (_, out, _) = diff(&test, &["HEAD"]);
    assert!(
        out.contains("content/passwd.md:1 (before): error[E0002]: `content/passwd.md` is a symbolic link"),
        "{out}"
    );
}
