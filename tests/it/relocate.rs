//! `infralens move`: after it a silent course is silent, after it and back it is what it was, and where it refuses nothing
//! has changed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use infralens::assets::BUILTIN;
use infralens::load;
use infralens_author::relocate::{self, PageName};
use infralens_page::Placement;
use infralens_page::placement::{self, Kind};
use infralens_site::Options;
use infralens_source::change;
use infralens_source::project::{File, Project};

use crate::harness::{SiteTest, contents, program, repository};

/// The texts of a course, without the lines of `aliases`.
fn texts(project: &Project) -> BTreeMap<String, String> {
    let texts = project.files.iter().filter_map(|(path, file)| match file {
        File::Text(source) => Some((path.to_string(), source)),
        _ => None,
    });
    let without =
        |text: &str| -> String { text.split_inclusive('\n').filter(|line| !line.starts_with("aliases:")).collect() };
    texts.map(|(path, source)| (path, without(source.text()))).collect()
}

/// The course after a move that brings no new problem.
fn moved(project: &Project, old: &str, new: &str) -> Project {
    let typed = |text| PageName { text, path: None };
    let plan = relocate::plan(project, &typed(old), &typed(new)).unwrap_or_else(|refused| panic!("{refused:?}"));
    let (after, problems) = relocate::new_problems(project, &plan, &Options::new(BUILTIN));
    let messages: Vec<String> = problems.iter().map(|p| format!("{}: {}", p.place.file, p.message)).collect();
    assert!(messages.is_empty(), "{old} to {new}: {messages:#?}");
    assert!(after.files.contains_key(&plan.page.1) && !after.files.contains_key(&plan.page.0), "{old} to {new}");
    change::preview(project, &plan.changes)
}

/// The labs and sections of a course, with their places.
fn pages(project: &Project) -> Vec<(String, Placement)> {
    let paths = project.files.keys().filter(|path| path.ends_with(".md"));
    let placed = paths.filter_map(|path| Some((path.to_string(), placement::place(path).ok()?)));
    placed.filter(|(_, place)| matches!(place.kind, Kind::Lab | Kind::Section)).collect()
}

/// New names for a page: another number, another slug, both.
fn names(place: &Placement) -> Vec<String> {
    let track = place.track.as_deref().unwrap_or_default();
    let number = place.number.as_ref().map_or("", |number| &number.text);
    match place.kind {
        Kind::Lab => vec![format!("{track}/lab-77"), format!("lab-{number}-quite-new"), "lab-078-überall".into()],
        _ => vec![format!("{track}/77"), "quite-new".into(), "078-überall".into()],
    }
}

/// Moves every `step`th page there and back, by each of its new names or, of many pages, by one of them in turn.
fn check_there_and_back(site: &SiteTest, step: usize) {
    let project = load::load(&site.root());
    let before = texts(&project);
    for (at, (path, place)) in pages(&project).into_iter().enumerate().step_by(step) {
        let names = names(&place);
        let chosen = if step == 1 { names } else { vec![names[at / step % names.len()].clone()] };
        for name in chosen {
            let there = moved(&project, &path, &name);
            let (new, _) = pages(&there).into_iter().find(|(path, _)| !before.contains_key(path)).expect("a new page");
            let back = moved(&there, &new, &path);
            assert!(texts(&back) == before, "{path} to {name} and back");
        }
    }
}

#[test]
fn pages_of_the_own_course_can_be_renumbered_and_renamed() {
    check_there_and_back(&SiteTest::own(), 3);
}

#[test]
fn every_page_of_small_courses_can_be_renumbered_and_renamed() {
    for site in ["course-model", "links", "notes", "starters", "practice"] {
        check_there_and_back(&SiteTest::from_dir(site), 1);
    }
}

const LAB: &str = "content/tracks/t/labs/lab-01-l.md";

fn streams(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Runs `move` in a course that must stay as it is, and gives exit status and what was said of an error.
fn refused(test: &SiteTest, arguments: &[&str]) -> (Option<i32>, String) {
    let before = contents(&test.root());
    let (status, out, err) = streams(&test.run(&[&["move"], arguments].concat()));
    assert_eq!((out.as_str(), contents(&test.root()) == before), ("", true), "{arguments:?}: {err}");
    (status, err)
}

#[test]
fn a_lab_moves_with_its_folder_and_all_that_is_in_it() {
    let test = SiteTest::from_dir("links");
    test.write("code/lab-01-l/.hidden", "h").write("code/lab-01-l/data.bin", [0, 159, 146, 150]);
    let labs = test.root().join("content/tracks/t/labs");
    let run = program(&labs).args(["move", "lab-01-l.md", "./lab-02-k.md"]).output().expect("the program runs");
    let expected = "\
changed code/lab-01-l/README.md
changed content/about.md
changed content/tracks/t/labs/lab-01-l.md
moved code/lab-01-l to code/lab-02-k
moved content/tracks/t/labs/lab-01-l.md to content/tracks/t/labs/lab-02-k.md
tracks/t/labs/lab-01-l.html now leads to tracks/t/labs/lab-02-k.html
the title is still `Linked`
";
    assert_eq!(streams(&run), (Some(0), expected.into(), String::new()));
    let files = contents(&test.root().join("code"));
    let names = [".hidden", "README.md", "data.bin", "ledger.py", "other.py"].map(|name| format!("lab-02-k/{name}"));
    assert_eq!(files.into_keys().collect::<Vec<_>>(), names);
    let site = test.build().site();
    for url in ["tracks/t/labs/lab-02-k.html", "tracks/t/labs/lab-01-l.html", "old/lab.html", "code/lab-02-k/ledger.py"]
    {
        assert!(site.contains_key(url), "{url}");
    }
}

#[test]
fn a_move_that_was_broken_off_can_be_made_again() {
    let moved = |test: &SiteTest| test.run(&["move", "t/lab-01-notes", "lab-02-k"]);
    let whole = SiteTest::from_dir("notes");
    assert_eq!(moved(&whole).status.code(), Some(0));
    let broken = SiteTest::from_dir("notes");
    std::fs::rename(broken.root().join("code/lab-01-notes"), broken.root().join("code/lab-02-k")).expect("a folder");
    assert_eq!(moved(&broken).status.code(), Some(0));
    let page = "content/tracks/t/labs/lab-02-k.md";
    assert_eq!(contents(&broken.root())[page], contents(&whole.root())[page]);
}

#[test]
fn nothing_but_the_names_changes_in_a_file_with_bom_and_crlf() {
    let test = SiteTest::from_dir("notes");
    let page = "\u{feff}---\r\ntitle: \"Other\"  \r\n---\r\n\r\n[a][n]  \r\n<a href='tracks/t/labs/lab-01-notes.md#x'>b</a>\r\n\r\n```cpp file=\"lab-01-notes/reduce.cu#kernel\"\r\n```\r\n\r\n[n]: <tracks/t/labs/lab-01-notes.md> 'lab-01-notes'";
    test.write("content/other.md", page);
    let before = test.build().codes();
    let run = test.run(&["move", "t/lab-01-notes", "lab-09-words"]);
    assert!(run.status.success(), "{}", streams(&run).2);
    let wanted = page.replace("/lab-01-notes", "/lab-09-words").replace("\"lab-01-notes", "\"lab-09-words");
    assert_eq!(fs::read_to_string(test.root().join("content/other.md")).expect("it is there"), wanted);
    assert_eq!(test.build().codes(), before);
}

#[test]
fn a_lab_goes_to_another_track() {
    let test = SiteTest::own();
    let run = test.run(&["move", "lab-04-cuda-reduce", "diffuser/lab-11-reduce"]);
    assert!(run.status.success(), "{}", streams(&run).2);
    assert_eq!(test.build().human(), "");
    let lab = fs::read_to_string(test.root().join("content/tracks/diffuser/labs/lab-11-reduce.md")).expect("the lab");
    assert!(lab.contains("\nhandbook: [ai-infra/threads-and-memory, ai-infra/reductions]\n"), "{lab}");
    let run = test.run(&["move", "diffuser/lab-11-reduce", "ai-infra/lab-04-cuda-reduce"]);
    assert!(run.status.success(), "{}", streams(&run).2);
    assert_eq!(test.build().human(), "");
    // A lab that leaves its track leaves the ways through it, for good.
    for next in ["lab-05-bank-conflict", "lab-06-triton-softmax"] {
        let before = "lab-02-single-gpu-training, ";
        let (gone, back) = (format!("{before}{next}"), format!("{before}lab-04-cuda-reduce, {next}"));
        test.edit("content/tracks/ai-infra/index.md", &gone, &back);
    }
    let (gone, back) = ("conversion, lab-08", "conversion, lab-04-cuda-reduce, lab-08");
    test.edit("content/tracks/ai-infra/index.md", gone, back);
    assert!(texts(&load::load(&test.root())) == texts(&load::load(&SiteTest::own().root())));
}

#[test]
fn a_title_that_may_no_longer_fit_is_named() {
    let test = SiteTest::from_dir("links");
    let dry_run = |new: &str| streams(&test.run(&["move", "--dry-run", "lab-01-l", new])).1;
    assert!(dry_run("lab-02-k").contains("\nthe title is still `Linked`\n"), "{}", dry_run("lab-02-k"));
    assert!(!dry_run("lab-02").contains("title is still"), "a number is no part of a title");
}

#[test]
fn a_page_that_cannot_be_written_stays_with_all_others() {
    let test = SiteTest::from_dir("links");
    let readme = test.root().join("code/lab-01-l/README.md");
    fs::set_permissions(&readme, fs::Permissions::from_mode(0o444)).expect("it can be set");
    let (status, output) = refused(&test, &[LAB, "lab-02-k"]);
    assert_eq!(status, Some(2));
    assert!(output.ends_with("README.md` is read-only\nhelp: make it writable; nothing was changed\n"), "{output}");
}

#[test]
fn nothing_is_overwritten_not_even_what_a_course_does_not_see() {
    let test = SiteTest::from_dir("links");
    test.write("code/lab-02-k/.hidden", "mine");
    let (status, output) = refused(&test, &[LAB, "lab-02-k"]);
    assert_eq!(status, Some(2));
    let help = "nothing is overwritten, and nothing was changed: choose another name, or move it away";
    assert!(output.ends_with(&format!("code/lab-02-k` exists already\nhelp: {help}\n")), "{output}");
    test.write("code/lab-02-k/seen.py", "");
    let expected = "error: the starter folder would be `code/lab-02-k`, which exists already\nhelp: nothing is overwritten: choose another name, or move it away first\n";
    assert_eq!(refused(&test, &[LAB, "lab-02-k"]), (Some(2), expected.into()));
}

#[test]
fn a_move_that_would_bring_an_error_is_not_made() {
    let test = SiteTest::from_dir("links");
    test.write("content/tracks/u/index.md", "---\ntitle: U\nsummary: U\n---\n");
    test.edit("content/site.yaml", "tracks: [t]", "tracks: [t, u]");
    assert_eq!(test.build().human(), "");
    let (status, output) = refused(&test, &[LAB, "u/"]);
    assert_eq!(status, Some(1));
    for page in ["labs/index.md", "practice.md"] {
        assert!(output.contains(&format!("error[E0404]: `content/tracks/t/{page}` does not exist\n")), "{output}");
    }
    assert_eq!(output.matches("error[").count(), 2, "{output}");
    let end = "nothing was changed: the move would cause these problems\n";
    assert!(output.ends_with(end), "{output}");
    assert_eq!(refused(&test, &[LAB, "u/", "--dry-run"]), (status, output));
}

#[test]
fn errors_that_were_there_before_do_not_hold_it_up() {
    let test = SiteTest::from_dir("links");
    test.edit(LAB, "[the folder](", "[gone](../handbook/02-gone.md), [the folder](");
    test.write("content/x.md", "---\ntitel: X\n---\n");
    let count = test.build().diagnostics.len();
    assert_eq!(count, 2);
    let run = test.run(&["move", LAB, "content/tracks/t/labs/lab-02-k.md"]);
    assert!(run.status.success(), "{}", streams(&run).2);
    assert_eq!(test.build().diagnostics.len(), count);
}

#[test]
fn a_dry_run_shows_the_difference_and_changes_nothing() {
    let test = SiteTest::from_dir("minimal");
    test.write("content/a.md", "---\ntitle: A\n---\n\nOne\n\n[B](b.md) \u{1b}[1m\n");
    test.write("content/b.md", "---\r\ntitle: B\r\n---\r\n\r\nold/b.html is b.html\r\n");
    let before = contents(&test.root());
    let expected = "\
would change content/a.md
would change content/b.md
would move content/b.md to content/new/c.md
b.html would lead to new/c.html
the title is still `B`
note: the old name still appears in
  content/new/c.md:6: old/b.html is b.html
--- content/a.md
+++ content/a.md
@@ -4,4 +4,4 @@
 
 One
 
-[B](b.md) ␛[1m
+[B](new/c.md) ␛[1m
--- content/b.md
+++ content/b.md
@@ -1,5 +1,6 @@
 ---
 title: B
+aliases: [b.html]
 ---
 
 old/b.html is b.html
";
    assert_eq!(streams(&test.run(&["move", "--dry-run", "b", "new/c"])), (Some(0), expected.into(), String::new()));
    assert_eq!(contents(&test.root()), before);
}

#[test]
fn names_are_taken_from_the_current_folder_or_the_course_s() {
    let test = SiteTest::from_dir("links");
    let run = |folder: &str, arguments: &[&str]| {
        let run = program(&test.above().join(folder)).arg("move").args(arguments).output().expect("the program runs");
        assert!(run.status.success(), "{arguments:?}: {}", streams(&run).2);
    };
    run(".", &["--root", "course", "course/content/about.md", "course/content/who/we.md"]);
    run("course/code/lab-01-l", &["../../content/who/we.md", "who/are"]);
    run("course/content/who", &["content/who/are.md", "us.md"]);
    let path = test.root().join("content/who/us.md");
    run("course/static", &[path.to_str().expect("UTF-8"), "content/about.md"]);
    assert!(test.root().join("content/about.md").exists());
    assert_eq!(test.build().human(), "");
}

#[test]
fn a_move_that_was_begun_by_hand_is_completed() {
    let whole = SiteTest::copy_of(&repository("tests/suite/base"));
    whole.write(
        "content/about.md",
        "---\ntitle: About\n---\n\n[A](tracks/t/labs/lab-01-a.md) [S](tracks/t/handbook/01-s.md)\n",
    );
    let begun = SiteTest::copy_of(&whole.root());
    let moves = [
        ("t/lab-01-a", "lab-03-sums", "labs/lab-01-a.md", "labs/lab-03-sums.md"),
        ("t/s", "07-sections", "handbook/01-s.md", "handbook/07-sections.md"),
    ];
    for (old, new, from, to) in moves {
        assert!(whole.run(&["move", old, new]).status.success());
        let [from, to] = [from, to].map(|path| begun.root().join("content/tracks/t").join(path));
        fs::rename(from, to).expect("it can be renamed");
        assert!(begun.build().files.is_none(), "what names it is wrong");
        let old = if old == "t/s" { "t/01-s" } else { old };
        let (status, output, errors) = streams(&begun.run(&["move", old, new]));
        assert_eq!((status, errors), (Some(0), String::new()), "{output}");
        assert_eq!(contents(&begun.root()), contents(&whole.root()));
    }
    assert_eq!(begun.build().human(), "");
}

#[test]
fn usage() {
    let test = SiteTest::from_dir("links");
    assert_eq!(refused(&test, &["index"]).0, Some(2));
    let help = "its place makes it that; only labs, sections and ordinary pages can be moved";
    let expected = format!("error: `content/index.md` cannot be moved: it is the home page\nhelp: {help}\n");
    assert_eq!(refused(&test, &["index", "start"]), (Some(2), expected));
}
