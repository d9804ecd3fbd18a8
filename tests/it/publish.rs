//! `infralens publish` to a folder, and what it refuses before it builds. `tests/publish` has its tests with a bucket.

use std::fs;
use std::process::Output;

use crate::harness::{SiteTest, contents};

fn printed(output: &Output) -> (Option<i32>, String) {
    let text = [output.stdout.clone(), output.stderr.clone()].concat();
    (output.status.code(), String::from_utf8(text).expect("UTF-8"))
}

#[test]
fn a_folder_gets_what_a_build_writes() {
    let test = SiteTest::from_dir("minimal");
    test.run(&["build", "-o", "built"]);
    let (code, output) = printed(&test.run(&["publish", "there/site"]));
    assert!(code == Some(0) && output.starts_with("wrote there/site/: "), "{output}");
    assert_eq!(contents(&test.root().join("there/site")), contents(&test.root().join("built")));
    let (code, output) = printed(&test.run(&["publish", "there/site"]));
    assert!(code == Some(0) && output.starts_with("there/site/ is up to date: "), "{output}");

    let before = contents(&test.root().join("there"));
    test.write("content/a.md", "no front matter\n");
    let (code, output) = printed(&test.run(&["publish", "there/site", "--quiet"]));
    assert!(code == Some(1) && output.ends_with("nothing was written; there/site/ is unchanged\n"), "{output}");
    assert_eq!(contents(&test.root().join("there")), before);
}

#[test]
fn warnings_are_counted() {
    let test = SiteTest::from_dir("minimal");
    test.write("content/a.md", "---\ntitle: A\n---\n\nTODO: later.\n");
    let (code, output) = printed(&test.run(&["publish", "there"]));
    assert_eq!(code, Some(0), "{output}");
    assert!(output.ends_with("1 warning; `infralens check` shows them\n") && !output.contains("warning["), "{output}");
    let (code, output) = printed(&test.run(&["publish", "there", "--strict"]));
    assert!(code == Some(1) && output.contains("warning[todo]"), "{output}");
}

#[test]
fn a_folder_of_others_is_refused() {
    let test = SiteTest::from_dir("minimal");
    test.write("there/notes.txt", "theirs");
    let (code, output) = printed(&test.run(&["publish", "there"]));
    assert!(code == Some(2) && output.starts_with("error: "), "{output}");
    assert_eq!(fs::read_dir(test.root().join("there")).expect("a folder").count(), 1);
}

#[test]
fn options_for_buckets_are_refused_for_folders() {
    let test = SiteTest::from_dir("minimal");
    for option in ["--dry-run", "--rollback", "--rollback=2", "--keep-days=1", "--max-deletes=1", "--overwrite"] {
        let name = option.split('=').next().unwrap_or_default();
        let expected = format!(
            "error: `{name}` is only for buckets\nhelp: a folder is replaced in one step, as by `infralens build --output \
             FOLDER`\n"
        );
        assert_eq!(printed(&test.run(&["publish", "there", option])), (Some(2), expected));
    }
    assert!(!test.root().join("there").exists());
}

#[test]
fn a_folder_does_not_look_like_a_bucket() {
    let test = SiteTest::from_dir("minimal");
    let (code, output) = printed(&test.run(&["publish", "s3:/b/x"]));
    assert!(
        code == Some(2) && output.starts_with("error: `s3:/b/x` is not the address of a bucket\nhelp: "),
        "{output}"
    );
    assert!(!test.root().join("s3:").exists());
}

#[test]
#[cfg(feature = "publish")]
fn addresses_that_are_no_buckets_are_refused() {
    let test = SiteTest::from_dir("minimal");
    let (code, output) = printed(&test.run(&["publish", "https://b/x"]));
    let expected =
        "error: `https://b/x` is not a destination: its scheme is not known\nhelp: write `s3://BUCKET/FOLDER`";
    assert!(code == Some(2) && output.starts_with(expected), "{output}");
    let (code, output) = printed(&test.run(&["publish", "s3://b", "--rollback", "--drafts"]));
    assert!(code == Some(2) && output.contains("cannot be used with '--drafts'"), "{output}");
}

#[test]
#[cfg(not(feature = "publish"))]
fn without_the_feature_buckets_are_refused() {
    let test = SiteTest::from_dir("minimal");
    let (code, output) = printed(&test.run(&["publish", "s3://b/x"]));
    let expected = "error: this program cannot publish to `s3://b/x`: it was compiled without buckets\nhelp: install";
    assert!(code == Some(2) && output.starts_with(expected), "{output}");
}
