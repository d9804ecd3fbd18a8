//! What a build rewrites: nothing without a reason, and after any edit it is what a first build would have made.

use crate::harness::{SiteTest, bytes, contents};

#[test]
fn a_second_build_touches_nothing() {
    let test = SiteTest::from_dir("notes");
    assert!(test.emit().written > 0);
    let before = test.stamps();
    let again = test.emit();
    assert!(again.unchanged_site);
    assert_eq!(test.rewrote(&before), [""; 0]);
}

/// The list of the files, among them those of the search index, whose names have hashes.
const MANIFEST: &str = ".infralens-manifest.json";

/// A lab's page, its copy, and where all of its track is to be printed.
const PAGE: [&str; 3] = ["tracks/t/labs/lab-01-notes.html", "tracks/t/labs/lab-01-notes.md", "tracks/t/print.html"];

#[test]
fn an_edited_paragraph_rewrites_its_page_and_where_it_is_found() {
    let test = SiteTest::from_dir("notes");
    test.emit();
    let before = test.stamps();
    test.edit("content/tracks/t/labs/lab-01-notes.md", "So it is.", "So it is indeed.");
    test.emit();
    let files = ["assets/search-p0.js", "assets/search-t0.js"];
    let index = ["search/index.js"];
    assert_eq!(unhashed(test.rewrote(&before)), [&[MANIFEST][..], &files, &index, &PAGE].concat());
}

#[test]
fn an_edited_starter_rewrites_what_shows_it() {
    let test = SiteTest::from_dir("notes");
    test.emit();
    let before = test.stamps();
    test.edit("code/lab-01-notes/reduce.cu", "// ANCHOR_END: kernel", "// ANCHOR_END: kernel\n// more");
    test.emit();
    let pages = ["index.html", "reduce.cu", "reduce.cu.html"].map(|name| format!("code/lab-01-notes/{name}"));
    let files = ["p0", "t0"].map(|name| format!("assets/search-{name}.js"));
    let index = vec!["search/index.js".to_owned()];
    let manifest = vec![MANIFEST.to_owned()];
    assert_eq!(unhashed(test.rewrote(&before)), [manifest, files.to_vec(), pages.to_vec(), index].concat());
}

/// Removes the hashes from the names of the files of the search index, of which a changed one has two names.
fn unhashed(paths: Vec<String>) -> Vec<String> {
    let mut paths: Vec<String> = paths
        .into_iter()
        .map(|path| match path.split('.').collect::<Vec<_>>()[..] {
            [name, _, end] if name.starts_with("assets/search-") || name == "search/index" => format!("{name}.{end}"),
            _ => path,
        })
        .collect();
    paths.dedup();
    paths
}

#[test]
fn edits_one_after_the_other_become_what_a_first_build_makes() {
    const LAB: &str = "content/tracks/first/labs/lab-01-sum.md";
    let test = SiteTest::from_dir("course-model");
    test.emit();
    let edits: [fn(&SiteTest) -> &SiteTest; 5] = [
        |test| test.edit(LAB, "title: Sum", "title: Another sum"),
        |test| test.write("content/new.md", "---\ntitle: New\naliases: [old.html]\n---\n"),
        |test| test.remove("content/tracks/first/handbook/09-last.md"),
        |test| test.remove("content/new.md").write("content/old.md", "---\ntitle: Old\n---\n"),
        |test| test.write("content/old/file.txt", "x").remove("content/old.md"),
    ];
    for edit in edits {
        edit(&test);
        test.emit();
        let cold = SiteTest::copy_of(&test.root());
        cold.remove("public").emit();
        assert_eq!(contents(&test.public()), contents(&cold.public()));
    }
}

#[test]
fn the_output_is_the_site_and_nothing_is_written_beside_it() {
    let test = SiteTest::from_dir("links");
    let before = contents(test.above());
    test.emit();
    let mut written = contents(&test.public());
    written.retain(|path, _| !path.starts_with('.'));
    assert_eq!(written, bytes(&test.build().site()));
    let mut after = contents(test.above());
    after.retain(|path, _| !path.starts_with("course/public/"));
    assert_eq!(after, before);
}

#[test]
fn a_course_with_an_error_leaves_the_site_as_it_was() {
    let test = SiteTest::from_dir("minimal");
    test.emit();
    let before = test.stamps();
    test.write("content/wrong.md", "no front matter");
    let out = test.run(&["build"]);
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(test.rewrote(&before), [""; 0]);
}
