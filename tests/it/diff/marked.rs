//! `diff -o`: the site on which changes are marked where they are, and the folders that it may be written to.

use std::collections::BTreeMap;
use std::fs;

use super::{CODE, LAB, course, diff};
use crate::harness::{SiteTest, contents};
use crate::html::Tree;

const PARAGRAPHS: &str = "\
One warp runs both branches.

This paragraph goes.

- one item
- two items

```python
x = 1
y = 2
```

## Check yourself";

/// The pages of the marked site of an edit, by path, and its other files.
fn marked(edit: impl FnOnce(&SiteTest)) -> (SiteTest, BTreeMap<String, String>) {
    let test = course();
    test.edit(LAB, "## Check yourself", PARAGRAPHS);
    test.write("content/gone.md", "---\ntitle: Gone\n---\n\nThis page goes.\n");
    let before = SiteTest::copy_of(&test.root());
    edit(&test);
    let (status, _, err) = diff(&test, &[before.root().to_str().expect("UTF-8"), ".", "--quiet", "-o", "../marked"]);
    assert!(status < 2 && err.is_empty(), "{err}");
    let files = contents(&test.above().join("marked")).into_iter();
    let files = files.map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned())).collect();
    (test, files)
}

/// The marks of the lab's page: for each what it says, and what it is in.
fn marks(files: &BTreeMap<String, String>) -> Vec<String> {
    let tree = Tree::parse(&files["tracks/t/labs/lab-01-a.html"]);
    assert_eq!(tree.problems, Vec::<String>::new());
    let is_mark = |class: &str| class.starts_with("change ");
    let marks = tree.nodes.iter().enumerate().filter(|(_, node)| node.attribute("class").is_some_and(is_mark));
    let row = |(at, node): (usize, &crate::html::Node)| {
        let row = node.children.get(1).map(|&difference| tree.text(difference)).unwrap_or_default();
        let next = tree.next_element(at).map(|next| format!(" before {}", tree.nodes[next].name)).unwrap_or_default();
        let class = node.attribute("class").expect("a class");
        format!("{class} in {}{next}: {row}", tree.nodes[node.parent].name)
    };
    marks.map(row).collect()
}

#[test]
fn changes_are_marked_where_they_are() {
    let (_, files) = marked(|test| {
        test.edit(LAB, "One warp runs both branches.", "One warp runs\nboth paths.");
        test.edit(LAB, "This paragraph goes.\n\n", "").edit(
            LAB,
            "- two items\n",
            "- two items\n- three items\n- four\n",
        );
        test.edit(LAB, "y = 2", "y = 3").edit(LAB, "| 0      | adds |", "| 0 | writes |");
        test.edit(LAB, "Who writes the loss?", "Which thread writes the loss?");
        test.edit(LAB, "no thread waits for this line", "no thread waits for it");
        test.edit(LAB, "x[threadIdx.x] = 0.0f;\n```", "x[threadIdx.x] = 1.0f;\n```");
        test.edit(LAB, "`x[threadIdx.x] = 0.0f` —", "`x[threadIdx.x] = 1.0f` —");
        test.edit(CODE, "x[threadIdx.x] = 0.0f;", "x[threadIdx.x] = 1.0f;");
    });
    let wanted = [
        "change changed in td: text changed0 | adds writes",
        "change changed in div before span: note 1 on `code/lab-01-a/step.cu#loss` changed`loss[0] = x[0]` — no thread waits for this line. it.",
        "change changed in main before div: `code/lab-01-a/step.cu#write` changed, but the note on a changed line did \
         notx[threadIdx.x] = 0.0f; 1.0f;note 1 on a changed line: `x[threadIdx.x] = 1.0f` — may run before thread 0 has read x[0].",
        "change changed in p: text changedOne warp runs both branches. paths.",
        "change gone in main before ul: text removedThis paragraph goes.",
        "change added in li: text addedthree itemsfour",
        "change added in li: ",
        "change changed in main before pre: code block changedx = 1y = 2 3",
        "change changed in details before div: question or answer changedWhoWhich thread writes the loss?",
    ];
    assert_eq!(marks(&files), wanted);
    let page = &files["tracks/t/labs/lab-01-a.html"];
    assert!(page.contains("runs both<del> branches.</del><ins> paths.</ins>"));
    // The listing shows its lines as one that its author compares.
    assert!(
        page.contains("<span>1 line changed since line 7, ") && page.contains("<del class=\"old\" data-line=\"7\">")
    );
}

/// A note that has moved is marked there; a picture that was replaced is shown as it was and as it is.
#[test]
fn moves_and_pictures_are_marked() {
    let test = course();
    let (first, second) =
        ("1. `loss[0] = x[0]` — no thread waits for this line.\n", "2. `threadIdx.x == 0` — one thread.\n");
    test.edit(LAB, first, &format!("{first}{second}"));
    test.edit(LAB, "## Check yourself", "![A warp](../../../a.svg)\n\n## Check yourself");
    test.write("content/a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    super::commit(&test);
    test.write("content/a.svg", "<svg xmlns='http://www.w3.org/2000/svg' />");
    test.edit(LAB, &format!("{first}{second}"), &format!("1.{}2.{}", &second[2..], &first[2..]));
    let (status, _, err) = diff(&test, &["HEAD", "--quiet", "-o", "../marked"]);
    assert!(status == 1 && err.is_empty(), "{err}");
    let files = contents(&test.above().join("marked")).into_iter();
    let files: BTreeMap<_, _> =
        files.map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned())).collect();
    let marks = marks(&files);
    assert!(
        marks.len() == 2 && marks[0].contains(" moved: it was note 1") && marks[1].contains(" in p before img: "),
        "{marks:?}"
    );
    let page = &files["tracks/t/labs/lab-01-a.html"];
    let pair = "<img src=\"../../../Before/a.svg\" alt=\"before\"><img src=\"../../../a.svg\" alt=\"after\">";
    assert!(page.contains(pair) && files["Before/a.svg"].len() == 41 && files["a.svg"].len() == 42, "{page}");
}

/// White space, the order of keys and comments are not marked; the list says that there is nothing.
#[test]
fn what_no_reader_sees_is_not_marked() {
    let (_, files) = marked(|test| {
        test.edit(LAB, "One warp runs both branches.", "One warp  runs\nboth branches. <!-- unseen -->");
        test.edit(LAB, "| 0      | adds |", "|0|adds|").edit(
            LAB,
            "focus: One focus\nreads: One file\n",
            "reads: One file\nfocus: One focus\n",
        );
    });
    assert_eq!(marks(&files), Vec::<String>::new());
    assert!(files["index.html"].contains("nothing that readers see has changed"));
}

#[test]
fn new_moved_and_removed_pages() {
    let (_, files) = marked(|test| {
        test.remove("content/gone.md").write("content/fresh.md", "---\ntitle: Fresh\n---\n\nOther words.\n");
        test.edit(LAB, "outcome: Explain one file", "outcome: Explain a file");
    });
    assert!(files["fresh.html"].contains(
        "<div class=\"change-top\" lang=\"en\" dir=\"ltr\"><p><a id=\"Change-1\" href=\"#Change-1\">new page: 2 words"
    ));
    assert!(!files.contains_key("gone.html"));
    for (path, depth) in [("index.html", ""), ("tracks/t/labs/lab-01-a.html", "../../../")] {
        let page = &files[path];
        assert!(page.contains("<del>Gone</del>") && page.contains("<li>page removed: "), "{path}");
        assert!(page.contains(&format!("<a class=\"step\" href=\"{depth}fresh.html#Change-1\">")), "{path}: {page}");
    }
    // The outcome is above the text of the lab.
    let page = &files["tracks/t/labs/lab-01-a.html"];
    assert!(page.contains("Explain<del> one</del><ins> a</ins> file") && marks(&files).is_empty(), "{page}");
}

/// Every page is well-formed, has the list, and keeps its policy: no script and no style in the page.
#[test]
fn every_page_has_the_list() {
    let (_, files) = marked(|test| {
        test.edit(LAB, "One warp runs both branches.", "One <b>warp</b> & \"one\" thread.");
    });
    let pages: Vec<_> = files.iter().filter(|(path, _)| path.ends_with(".html")).collect();
    for (path, page) in &pages {
        let tree = Tree::parse(page);
        assert!(tree.problems.is_empty(), "{path}: {:?}", tree.problems);
        assert!(page.contains("<nav class=\"changes\"") && page.contains("assets/marks."), "{path}");
        assert!(!tree.nodes.iter().any(|node| node.attribute("style").is_some()), "{path}");
    }
    assert!(pages.len() > 5);
}

/// Lists do not grow with the square of a course: beyond a limit, a page lists its own changes and counts the others.
#[test]
fn a_long_list_is_cut() {
    let page = |at: usize, words: &str| {
        let paragraph =
            |number| format!("Paragraph {number} has {}.\n\n", if number % 2 == 0 { words } else { "its words" });
        format!("---\ntitle: Page {at}\n---\n\n{}", (0..120).map(paragraph).collect::<String>())
    };
    let path = |at: usize| format!("content/page-{at}.md");
    let test = course();
    for at in 0..10 {
        test.write(&path(at), page(at, "old words"));
    }
    let before = SiteTest::copy_of(&test.root());
    for at in 0..10 {
        test.write(&path(at), page(at, "other words"));
    }
    let (status, _, err) = diff(&test, &[before.root().to_str().expect("UTF-8"), ".", "--quiet", "-o", "../marked"]);
    assert!(status == 1 && err.is_empty(), "{err}");
    let files = contents(&test.above().join("marked"));
    let listed =
        |path: &str, of: &str| String::from_utf8_lossy(&files[path]).matches(&format!("href=\"{of}#Change-")).count();
    let [first, last] = [listed("index.html", "page-0.html"), listed("index.html", "page-9.html")];
    assert_eq!((first, last), (60, 0));
    // The list, without the marks themselves.
    assert_eq!(listed("page-9.html", "page-9.html"), 60);
    assert!(String::from_utf8_lossy(&files["index.html"]).contains(" more changed pages; "));
}

/// An ordinary build has nothing of this, and neither kind of site replaces the other.
#[test]
fn the_two_kinds_of_sites_are_apart() {
    let (test, files) = marked(|test| {
        test.edit(LAB, "One warp runs both branches.", "One warp runs both.");
    });
    assert!(files.keys().any(|path| path.starts_with("assets/marks.")));
    assert!(test.run(&["build", "-o", "../public"]).status.success());
    let plain = contents(&test.above().join("public"));
    let is_marked = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("marks.");
    assert!(!plain.iter().any(|(path, bytes)| path.contains("marks.") || path.ends_with(".html") && is_marked(bytes)));
    let other_kind = "is another kind of site";
    let (status, out, err) = diff(&test, &["HEAD", "-o", "../public"]);
    assert!(status == 2 && out.is_empty() && err.contains(other_kind), "{err}");
    assert!(contents(&test.above().join("public")) == plain, "it is untouched");
    let build = test.run(&["build", "-o", "../marked"]);
    assert!(String::from_utf8_lossy(&build.stderr).contains(other_kind));
    // What somebody else has put there stays, and the course is no output.
    fs::create_dir(test.above().join("mine")).expect("a folder");
    fs::write(test.above().join("mine/notes.txt"), "mine").expect("a file");
    for (folder, reason) in
        [("../mine", "was not written by InfraLens"), ("content/x", "is in the course's"), (".", "")]
    {
        let (status, _, err) = diff(&test, &["HEAD", "-o", folder]);
        assert!(status == 2 && err.contains(reason), "{folder}: {err}");
    }
    // Again into the same folder; the second time there is nothing to write.
    assert_eq!(diff(&test, &["HEAD", "-o", "../marked"]).0, 1);
    let (_, _, err) = diff(&test, &["HEAD", "-o", "../marked"]);
    assert!(err.starts_with("../marked/ is up to date: "), "{err}");
}

/// If the newer version has errors, the report is printed and nothing is written.
#[test]
fn a_version_with_errors_is_not_written() {
    let test = course();
    test.edit(LAB, "[The kernel](code:#fn:step)", "[The kernel](gone.md)");
    let (status, out, err) = diff(&test, &["HEAD", "-o", "../marked"]);
    assert!(
        status == 2 && out.contains("New problems (1)") && err.contains("has errors, so its site was not written"),
        "{out}{err}"
    );
    assert!(!test.above().join("marked").exists());
    // An error of the older version does not matter.
    super::commit(&test);
    test.edit(LAB, "[The kernel](gone.md)", "[The kernel](code:#fn:step)");
    assert_eq!(diff(&test, &["HEAD", "-o", "../marked"]).0, 1);
    assert!(test.above().join("marked/index.html").exists());
}
