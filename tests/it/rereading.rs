//! A course that is read again, in whole or path by path, is what it would be if it were read for the first time.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use infralens::load::{self, PathChange};
use infralens_source::project::{File, Project};

use crate::generate::Dice;
use crate::harness::SiteTest;

/// Small enough that names meet: as files, folders and links, wanted and not.
const FOLDERS: [&str; 4] = ["content", "code", "templates", "static"];
const NAMES: [&str; 9] = ["a.md", "b-c", "b", "site.yaml", "target", ".hidden", "caf\u{fffd}.md", "x.py", "deep"];
const TEXTS: [&str; 5] = ["", "one\n", "two\n", "a\0b", "\u{feff}x\r\n"];

/// Looks at paths, and walks where it must.
fn look(site: &SiteTest, project: &mut Project, paths: &[String]) {
    for path in paths {
        match load::reload_path(&site.root(), project, path) {
            PathChange::Unchanged => {}
            PathChange::Changed(file) => project.put(&Arc::from(path.as_str()), Some(file)),
            PathChange::Removed => project.put(&Arc::from(path.as_str()), None),
            PathChange::Unknown => *project = load::reload(&site.root(), project, &|| false).expect("nothing stops it"),
        }
    }
}

fn assert_as_read_anew(site: &SiteTest, project: &Project, done: &str) {
    let anew = load::load(&site.root());
    let names = |project: &Project| project.files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(project), names(&anew), "{done}");
    for (path, file) in &project.files {
        match (file, &anew.files[path]) {
            (File::Refused(one), File::Refused(other)) => assert_eq!(one, other, "{path} {done}"),
            (one, other) => {
                assert!(one.bytes().is_some() && one.bytes() == other.bytes(), "{path} {done}");
                assert_eq!(matches!(one, File::Text(_)), matches!(other, File::Text(_)), "{path} {done}");
            }
        }
    }
    assert_eq!(project.diagnostics, anew.diagnostics, "{done}");
}

/// Changes something, and gives the paths that a system would name.
fn change(site: &SiteTest, dice: &mut Dice) -> Vec<String> {
    let mut path = dice.one_of(&FOLDERS).to_owned();
    for _ in 0..dice.below(4) {
        path = format!("{path}/{}", dice.one_of(&NAMES));
    }
    let at = site.root().join(&path);
    let parent = at.parent().expect("a file lies in a folder").to_path_buf();
    // Every folder that was not there is named too.
    let mut named: Vec<String> = Vec::new();
    for folder in at.ancestors().skip(1).take_while(|folder| **folder != site.root()) {
        if fs::symlink_metadata(folder).is_err() {
            named.push(folder.strip_prefix(site.root()).expect("below").to_str().expect("UTF-8").to_owned());
        }
    }
    // Where a file or a link is in the way, nothing is done.
    let goes_through_link = parent.ancestors().take_while(|folder| **folder != site.root()).any(Path::is_symlink);
    if goes_through_link || fs::create_dir_all(&parent).is_err() {
        return named;
    }
    let removed = if at.is_dir() && !at.is_symlink() { fs::remove_dir_all(&at) } else { fs::remove_file(&at) };
    match dice.below(9) {
        0 => {}
        1 => fs::create_dir(&at).expect("a folder"),
        2 => symlink(dice.one_of(&["a.md", "..", "nowhere"]), &at).expect("a link"),
        3 => fs::File::create(&at).and_then(|file| file.set_len(load::TEXT_LIMIT + 1)).expect("a large file"),
        4 => {
            use std::ffi::OsStr;
            use std::os::unix::ffi::OsStrExt;
            fs::create_dir(&at).expect("a folder");
            fs::write(at.join(OsStr::from_bytes(b"caf\xff.md")), "one\n").expect("it is written");
        }
        _ => fs::write(&at, dice.one_of(&TEXTS)).expect("it is written"),
    }
    drop(removed);
    named.push(path);
    named
}

#[test]
fn looks_and_walks_agree_with_reading_anew() {
    for seed in 0..40 {
        let mut dice = Dice(seed);
        let site = SiteTest::empty();
        let mut project = load::load(&site.root());
        let mut done = format!("seed {seed}:");
        for _ in 0..12 {
            let mut paths = Vec::new();
            for _ in 0..=dice.below(3) {
                paths.extend(change(&site, &mut dice));
            }
            done = format!("{done} {paths:?}");
            if dice.below(4) == 0 {
                project = load::reload(&site.root(), &project, &|| false).expect("nothing stops it");
            } else {
                look(&site, &mut project, &paths);
            }
            assert_as_read_anew(&site, &project, &done);
        }
    }
}

#[test]
fn a_file_with_the_same_bytes_is_the_very_same() {
    let site = SiteTest::own();
    let first = load::load(&site.root());
    site.edit("content/site.yaml", "\ntagline:", "\ntagline:  ");
    let second = load::reload(&site.root(), &first, &|| false).expect("nothing stops it");
    let changed = second.files.iter().filter(|(path, file)| !first.files[*path].is_same(file));
    assert_eq!(changed.map(|(path, _)| path.to_string()).collect::<Vec<_>>(), ["content/site.yaml"]);
    // Written anew, but the same.
    site.edit("content/site.yaml", "\ntagline:  ", "\ntagline:   ")
        .edit("content/site.yaml", "\ntagline:   ", "\ntagline:  ");
    let path = "content/site.yaml";
    assert!(matches!(load::reload_path(&site.root(), &second, path), PathChange::Unchanged));
    assert!(matches!(load::reload_path(&site.root(), &first, path), PathChange::Changed(_)));
}

#[test]
fn reading_again_stops_when_it_is_told_to() {
    let site = SiteTest::own();
    let first = load::load(&site.root());
    for limit in [0, 1, 40, first.files.len()] {
        let asked = AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= limit;
        assert!(load::reload(&site.root(), &first, &stop).is_none(), "{limit}");
        assert!(asked.into_inner() <= limit + 64, "what is stopped asks no further");
    }
}

#[test]
fn no_part_of_a_path_that_is_looked_at_may_be_a_link() {
    let site = SiteTest::empty();
    fs::create_dir(site.above().join("outside")).expect("a folder");
    fs::write(site.above().join("outside/a.md"), "secret\n").expect("it is written");
    site.write("content/index.md", "one\n");
    symlink(site.above().join("outside"), site.root().join("content/link")).expect("a link");
    symlink(site.above().join("outside"), site.root().join("static")).expect("a link");
    let project = load::load(&site.root());
    for path in ["content/link/a.md", "static/a.md"] {
        assert!(matches!(load::reload_path(&site.root(), &project, path), PathChange::Unknown), "{path}");
    }
    for path in ["content/../../outside/a.md", "../outside/a.md", "outside/a.md", "", "public/a.md", "content/.x"] {
        assert!(
            matches!(load::reload_path(&site.root(), &project, path), PathChange::Unchanged | PathChange::Unknown),
            "{path}"
        );
    }
}
