//! What is refused, and that nothing is touched by it.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

/// Builds into `out` below the temporary folder; nothing there may change, not even a time.
fn refused(course: &mut Course, out: &str, files: &Site) -> EmitError {
    course.out = course.temp.path().join(out);
    let before = shots(course.temp.path());
    let error = course.emit(files).expect_err(out);
    assert_eq!(shots(course.temp.path()), before, "{out}");
    error
}

/// The same, and `check_target` alone refuses it too.
fn refused_target(course: &mut Course, out: &str) -> EmitError {
    let error = refused(course, out, &site(&[("index.html", "home")]));
    let checked = check_target(&Target { out: &course.out, root: &course.root(), is_marked: false }).expect_err(out);
    assert_eq!(checked.to_string(), error.to_string());
    error
}

#[test]
fn what_is_not_a_folder() {
    let mut course = Course::new();
    let temp = course.temp.path().to_owned();
    fs::write(temp.join("file"), "mine").unwrap();
    symlink(temp.join("empty"), temp.join("link")).unwrap();
    fs::create_dir(temp.join("empty")).unwrap();
    symlink("nowhere", temp.join("dangling")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(temp.join("socket")).unwrap();
    let cases = [
        ("file", "a file"),
        ("link", "a symbolic link"),
        ("dangling", "a symbolic link"),
        ("dangling/public", "a symbolic link that leads nowhere"),
        ("socket", "a special file"),
    ];
    for (out, expected) in cases {
        match refused_target(&mut course, out) {
            EmitError::NotAFolder(_, what) => assert_eq!(what, expected, "{out}"),
            other => panic!("{out}: {other}"),
        }
    }
    assert!(matches!(refused_target(&mut course, "file/public"), EmitError::NotAFolder(..) | EmitError::Io(..)));
    assert!(matches!(refused_target(&mut course, "missing/../public"), EmitError::Io(..)));
}

#[test]
fn a_folder_that_is_not_ours() {
    let mut course = Course::new();
    let temp = course.temp.path().to_owned();
    for (folder, file, text) in [
        ("site", "index.html", "mine"),
        ("broken", manifest::NAME, "{"),
        ("later", manifest::NAME, r#"{"infralens": 2, "files": []}"#),
        ("hidden", ".keep", ""),
    ] {
        fs::create_dir(temp.join(folder)).unwrap();
        fs::write(temp.join(folder).join(file), text).unwrap();
        let error = refused_target(&mut course, folder);
        assert!(matches!(error, EmitError::NotOurs(_)), "{folder}: {error}");
        assert!(error.help().unwrap().contains("an empty folder"));
    }
    fs::create_dir_all(temp.join("linked")).unwrap();
    fs::write(temp.join("list"), manifest::encode(std::iter::empty(), None, false)).unwrap();
    symlink(temp.join("list"), temp.join("linked").join(manifest::NAME)).unwrap();
    assert!(matches!(refused_target(&mut course, "linked"), EmitError::NotOurs(_)));
}

#[test]
fn the_course_and_its_sources() {
    let mut course = Course::new();
    let temp = course.temp.path().to_owned();
    symlink(temp.join("course"), temp.join("link")).unwrap();
    fs::create_dir_all(temp.join("elsewhere/inner")).unwrap();
    symlink(temp.join("elsewhere"), temp.join("course/code")).unwrap();
    for out in ["course", "", "course/content/..", "link/."] {
        let error = refused_target(&mut course, out);
        assert!(matches!(error, EmitError::HoldsCourse(_) | EmitError::NotAFolder(..)), "{out}: {error}");
    }
    let cases = [
        ("course/content", "content"),
        ("course/content/a/b", "content"),
        ("link/content/x", "content"),
        ("elsewhere", "code"),
        ("elsewhere/inner", "code"),
        ("course/code/x", "code"),
        ("course/templates", "templates"),
        ("course/static/x/y", "static"),
    ];
    for (out, expected) in cases {
        match refused_target(&mut course, out) {
            EmitError::InSources(_, folder) => assert_eq!(folder, expected, "{out}"),
            other => panic!("{out}: {other}"),
        }
    }
    assert!(matches!(refused_target(&mut course, "/"), EmitError::HoldsCourse(_)));
}

#[test]
fn a_parent_that_is_not_writable() {
    let mut course = Course::new();
    let fixed = course.temp.path().join("fixed");
    fs::create_dir(&fixed).unwrap();
    fs::set_permissions(&fixed, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::create_dir(fixed.join("probe")).is_ok() {
        return; // A superuser may write everywhere.
    }
    for out in ["fixed/public", "fixed/a/public"] {
        assert!(matches!(refused_target(&mut course, out), EmitError::NotWritable(..)), "{out}");
    }
}

#[test]
fn another_folder_of_the_stages_name() {
    let mut course = Course::with(&site(&[("index.html", "old")]));
    fs::create_dir(course.stage()).unwrap();
    fs::write(course.stage().join("mine"), "mine").unwrap();
    let error = refused_target(&mut course, "course/public");
    assert!(matches!(error, EmitError::ForeignStage(_)), "{error}");
    fs::remove_dir_all(course.stage()).unwrap();
    symlink("content", course.stage()).unwrap();
    assert!(matches!(refused_target(&mut course, "course/public"), EmitError::ForeignStage(_)));
}

#[test]
fn a_foreign_thing_in_the_sites_way() {
    type Case = (&'static str, fn(&Course));
    let cases: [Case; 6] = [
        ("file", |course| drop(course.drop_in("file", "mine"))),
        ("file", |course| drop(course.drop_in("file/inner/mine", "mine"))),
        ("file", |course| fs::create_dir(course.out.join("file")).unwrap()),
        ("file", |course| symlink("index.html", course.out.join("file")).unwrap()),
        ("folder", |course| drop(course.drop_in("folder", "mine"))),
        ("folder", |course| symlink("/", course.out.join("folder")).unwrap()),
    ];
    for (path, lay_in_the_way) in cases {
        let mut course = Course::with(&site(&[("index.html", "old")]));
        lay_in_the_way(&course);
        let files = site(&[("index.html", "new"), ("file", "ours"), ("folder/x", "x")]);
        course.out = course.root().join("public");
        let before = shots(&course.root());
        match course.emit(&files) {
            Err(EmitError::Foreign(at)) => assert_eq!(at, course.out.canonicalize().unwrap().join(path)),
            other => panic!("{path}: {other:?}"),
        }
        assert_eq!(shots(&course.root()), before, "{path}");
    }
}

#[test]
fn paths_that_no_output_can_hold() {
    let long = "x".repeat(256);
    let deep = "d/".repeat(2048) + "f";
    let cases = [
        "",
        "/",
        "/etc/x",
        "../x",
        "a/../x",
        "a/./x",
        "./x",
        "a//x",
        "a/",
        ".",
        "..",
        "a\0b",
        &long,
        &deep,
        manifest::NAME,
        ".Infralens-Manifest.JSON",
    ];
    let mut course = Course::with(&site(&[("index.html", "old")]));
    for path in cases {
        let error = refused(&mut course, "course/public", &site(&[("index.html", "new"), (path, "x")]));
        assert!(matches!(error, EmitError::UnsafePath(..)), "{path}: {error}");
    }
    let folder_too = [["a", "a/b"], ["x/y", "x/y/z/w"], ["index.html", ".infralens-manifest.json/x"]];
    for pair in folder_too {
        let files = site(&[(pair[0], "1"), ("a.html", "2"), (pair[1], "3")]);
        let error = refused(&mut course, "course/public", &files);
        assert!(matches!(error, EmitError::UnsafePath(..)), "{pair:?}: {error}");
    }
}

#[test]
fn a_message_is_one_line_that_names_the_path() {
    let mut course = Course::new();
    let error = refused_target(&mut course, "course/content/x");
    let at = course.out.canonicalize().unwrap_or(course.root().canonicalize().unwrap().join("content/x"));
    assert_eq!(error.to_string(), format!("`{}` is in the course's `content/`", at.display()));
    let error = refused(&mut course, "course/public", &site(&[("a\nb/../c", "x")]));
    assert_eq!(error.to_string(), r"`a\nb/../c` cannot be a file of the site: it is not a plain relative path");
}

#[test]
fn a_site_of_which_a_file_was_not_made_is_not_written() {
    let course = Course::with(&site(&[("index.html", "old")]));
    let before = shots(&course.out);
    let root = course.root();
    let writer =
        Writer::open(["a", "b"].into_iter(), &Target { out: &course.out, root: &root, is_marked: false }).unwrap();
    writer.put("a", b"a");
    let error = writer.finish(None).expect_err("b is not there");
    assert!(error.to_string().contains("`b` cannot be a file of the site: it was not made"), "{error}");
    assert_eq!(shots(&course.out), before);
}
