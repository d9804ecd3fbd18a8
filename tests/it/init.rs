//! `infralens init`: a small course, of which every file is there, builds in silence, and says what is so.

use std::process::Command;

use infralens_course::schema::{self, Kind};

use crate::harness::{SiteTest, contents, repository};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_new_course_has_nothing_to_say() {
    let test = SiteTest::empty();
    for (folder, way) in [("a/b", "cd a/b/ && "), (".", "")] {
        let run = test.run(&["init", folder]);
        let expected = format!(
            "a course of 23 files in {folder}/\nnext: {way}infralens serve --open; README.md suggests what to try\n"
        );
        assert_eq!((text(&run.stdout), text(&run.stderr)), (expected, String::new()));
        let checked = test.run(&["check", "--strict", "--root", folder]);
        assert_eq!((checked.status.code(), text(&checked.stderr)), (Some(0), String::new()));
    }
    let created = contents(&test.root().join("a/b"));
    let mut ours = contents(&repository("crates/author/src/scaffold/init"));
    ours.extend(schema::files().into_iter().map(|(path, text)| (path, text.into_bytes())));
    ours.insert(".gitignore".into(), b"public/\n".to_vec());
    assert!(created == ours, "every file of `init/` is part of the course");
    for again in ["a/b", "."] {
        let run = test.run(&["init", again]);
        let expected = format!(
            "error: `{again}/` is already a course\nhelp: `infralens new` creates a lab, a section or a track in it\n"
        );
        assert_eq!((run.status.code(), text(&run.stderr)), (Some(2), expected));
    }
}

#[test]
fn the_folder_is_relative_to_the_root_that_is_given() {
    let test = SiteTest::empty();
    assert!(test.run(&["--root", "a", "init", "b"]).status.success());
    assert!(test.root().join("a/b/content/site.yaml").is_file());
}

/// The paths that the list in the new course's README names.
fn removable(readme: &str) -> Vec<String> {
    let items = readme.lines().filter_map(|line| line.strip_prefix("- `")?.strip_suffix('`'));
    items.map(str::to_owned).collect()
}

#[test]
fn what_the_readme_says_may_be_removed_may_be_removed() {
    let test = SiteTest::empty();
    test.run(&["init", "."]);
    let paths = removable(&text(&contents(&test.root())["README.md"]));
    assert_eq!(paths.len(), 6, "{paths:?}");
    assert!(test.run(&["new", "track", "mine"]).status.success());
    for path in paths {
        test.remove(path.trim_end_matches('/'));
    }
    test.write("content/index.md", "---\ntitle: Mine\n---\n\n<!-- tracks -->\n");
    let settings = text(&contents(&test.root())["content/site.yaml"]);
    assert!(settings.contains("tracks: [queues, mine]"), "{settings}");
    test.write("content/site.yaml", settings.replace("queues, ", ""));
    let left = test.run(&["check"]);
    assert!(left.status.success(), "{}", text(&left.stderr));
    let other = text(&left.stderr).lines().any(|line| line.starts_with("warning") && !line.contains("[todo]"));
    assert!(!other, "{}", text(&left.stderr));
}

#[test]
fn an_empty_course_has_nothing_to_say_and_can_grow() {
    let test = SiteTest::empty();
    for (folder, title) in [("my-course", "My course"), ("9: a \"b\"", "9: a \"b\"")] {
        let run = test.run(&["init", "--empty", folder]);
        assert_eq!((run.status.code(), text(&run.stderr)), (Some(0), String::new()));
        assert!(text(&run.stdout).contains("infralens new track NAME"), "{}", text(&run.stdout));
        let files = contents(&test.root().join(folder));
        let own: Vec<&str> = files.keys().map(String::as_str).filter(|path| !path.starts_with(".infralens/")).collect();
        assert_eq!(
            own,
            [".gitignore", "AGENTS.md", "content/index.md", "content/references.yaml", "content/site.yaml"]
        );
        let checked = test.run(&["check", "--strict", "--root", folder]);
        assert_eq!((checked.status.code(), text(&checked.stderr)), (Some(0), String::new()));
        assert!(test.run(&["build", "--root", folder]).status.success());
        let home = text(&contents(&test.root().join(folder).join("public"))["index.html"]);
        let shown = title.replace('"', "&quot;");
        assert!(home.contains(&format!("<title>{shown}")) || home.contains(title), "{home}");
        for command in [["new", "track", "mine"], ["new", "lab", "mine/one"]] {
            assert!(test.run(&[&command[..], &["--root", folder]].concat()).status.success());
        }
        let grown = test.run(&["check", "--root", folder]);
        assert!(grown.status.success(), "{}", text(&grown.stderr));
    }
}

#[test]
fn a_new_repository_keeps_its_own_files() {
    let test = SiteTest::empty();
    let own = [("README.md", "mine"), (".gitignore", "*.o\n"), ("LICENSE", "free"), (".git/config", "")];
    for (path, text) in own {
        test.write(path, text);
    }
    let run = test.run(&["init", "."]);
    let expected = "a course of 21 files in ./\nkept as it is: README.md, .gitignore\n\
                add `public/` to .gitignore: the site is written there\nnext: infralens serve --open\n";
    assert_eq!((text(&run.stdout).as_str(), text(&run.stderr).as_str()), (expected, ""));
    let created = contents(&test.root());
    assert!(own.iter().all(|(path, text)| created[*path] == text.as_bytes()), "{:?}", created.keys());
    assert!(test.run(&["check", "--strict"]).status.success());
}

#[test]
fn a_course_begins_only_where_nothing_of_it_is() {
    let test = SiteTest::empty();
    test.write("content/index.md", "mine").write(".git/config", "").write("file", "");
    let before = contents(&test.root());
    for (folder, expected) in [
        (".", "error: `./content/index.md` exists already\n"),
        ("file", "error: `file` is not a folder\n"),
        ("file/below", "error: "),
    ] {
        let run = test.run(&["init", folder]);
        assert_eq!(run.status.code(), Some(2));
        assert!(text(&run.stderr).starts_with(expected), "{}", text(&run.stderr));
        assert_eq!(contents(&test.root()), before);
    }
    test.remove("content/index.md");
    assert!(test.run(&["init", "."]).status.success());
}

#[test]
fn what_the_new_course_says_of_its_code_is_what_it_prints() {
    let folder = repository("crates/author/src/scaffold/init/code/lab-01-ring");
    let run = Command::new("python3").arg("-B").arg("ring.py").current_dir(folder).output().expect("Python 3");
    let expected = "accepted: [True, True, True, True, False]\ntaken: [1, 2]\naccepted: [True]\n\
                [6, None, 3, 4] head 2 count 3\n";
    assert_eq!(text(&run.stdout), expected);
}

#[test]
fn settings_are_read_by_editors() {
    let listed = contents(&repository("crates/author/src/scaffold/init"));
    for (path, bytes) in listed.iter().filter(|(path, _)| path.starts_with("content/")) {
        let first = text(bytes).lines().find(|line| *line != "---").unwrap_or_default().to_owned();
        let kind = match path.as_str() {
            "content/site.yaml" => Kind::Site,
            "content/references.yaml" => Kind::References,
            "content/tracks/queues/index.md" => Kind::Track,
            _ if path.contains("/handbook/") => Kind::Section,
            _ if path.contains("/labs/") => Kind::Lab,
            _ => Kind::Page,
        };
        assert_eq!(first, schema::modeline(kind, path));
    }
}
