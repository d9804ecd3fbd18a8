//! Folders that come, go and are replaced, up to the root itself: what is in them is followed as before.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use infralens::load;

use super::{Followed, bytes};
use crate::harness::SiteTest;

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
        // Without pages there is only an error, and the course stays.
        let changes = if folder == "content" { vec![course.next()] } else { course.caught_up() };
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
    assert_eq!(change.course["content/a.md"].as_deref(), Ok(&b"second\n"[..]));
    fs::write(second.join("content/a.md"), "edited again\n").expect("it is written");
    course.one_change(&["content/a.md"]);
}

#[test]
fn a_root_that_is_moved_away_and_back() {
    let course = Followed::start();
    let away = course.site.above().join("away");
    fs::rename(course.site.root(), &away).expect("it is renamed");
    fs::write(away.join("content/a.md"), "edited while away\n").expect("it is written");
    assert_eq!(course.next().paths, ["content"], "a course that is missing is reported");
    fs::rename(&away, course.site.root()).expect("it is renamed");
    course.one_change(&["content", "content/a.md"]);
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
