//! Names that mean no page or several, and places that are not to be had.

use super::*;

/// Message and help.
fn refusal(more: &[(&str, &str)], old: &str, new: &str) -> Vec<String> {
    let refused = plan(&course(more), &typed(old), &typed(new)).unwrap_err();
    std::iter::once(refused.message).chain(refused.help).collect()
}

/// OLD, NEW, message and help.
const CASES: [(&str, &str, &str, &str); 24] = [
    ("t/lab-01-on", "lab-05", "there is no page `t/lab-01-on`", "did you mean `t/lab-01-one`?"),
    ("content/indx.md", "x", "there is no page `content/indx.md`", "did you mean `content/index.md`?"),
    (
        "what/ever",
        "x",
        "there is no page `what/ever`",
        "write its file, `content/….md`, or in short `TRACK/lab-NN-slug` or `TRACK/slug`",
    ),
    ("t/s", "x", "`t/s` could be `content/t/s.md` or `content/tracks/t/handbook/01-s.md`", "write the whole path"),
    (
        "01-s",
        "x",
        "`01-s` could be `content/tracks/t/handbook/01-s.md` or `content/tracks/u/handbook/01-s.md`",
        "write the whole path",
    ),
    (
        "content/index.md",
        "start",
        "`content/index.md` cannot be moved: it is the home page",
        "its place makes it that; only labs, sections and ordinary pages can be moved",
    ),
    (
        "tracks/t/index",
        "start",
        "`content/tracks/t/index.md` cannot be moved: it is the front page of a track",
        "its place makes it that; only labs, sections and ordinary pages can be moved",
    ),
    (
        ONE,
        "lab-5-x",
        "`labs/lab-5-x.md` is not a lab",
        "labs are named `lab-NN-slug.md`: a number of two digits or more, then a slug; rename it to `lab-05-x.md`",
    ),
    (ONE, "a b", "`a b` cannot be part of a page's URL", "names are letters and digits of any script, `-` and `_`"),
    (
        ONE,
        "content/tracks/t/handbook/07-x.md",
        "`content/tracks/t/handbook/07-x.md` would be a section, and `content/tracks/t/labs/lab-01-one.md` is a lab",
        "a page cannot change its kind, because each kind has its own front matter",
    ),
    (
        "old",
        "content/tracks/t/labs/index.md",
        "`content/tracks/t/labs/index.md` would be the labs page of a track, and `content/old.md` is an ordinary page",
        "a page cannot change its kind, because each kind has its own front matter",
    ),
    (
        ONE,
        "../x.md",
        "`../x.md` is not below `content/`",
        "write the path from the course's root or from the current folder",
    ),
    (
        ONE,
        "t/lab-02-two",
        "`content/tracks/t/labs/lab-02-two.md` exists already",
        "nothing is overwritten: choose another name, or move it away first",
    ),
    (ONE, "lab-02", "`content/tracks/t/labs/lab-02-two.md` already has the number 02", "04 is free; gaps are allowed"),
    (
        "content/tracks/t/handbook/01-s.md",
        "u/01-x",
        "`content/tracks/u/handbook/01-s.md` already has the number 01",
        "02 is free; gaps are allowed",
    ),
    (
        "content/tracks/t/handbook/01-s.md",
        "u/02",
        "`content/tracks/u/handbook/01-s.md` already has the URL `tracks/u/handbook/s.html`",
        "choose another slug",
    ),
    (ONE, "tt/lab-05-x", "there is no track `tt`", "did you mean `t`?"),
    (ONE, "other/", "there is no track `other`", "a track has a front page, `content/tracks/other/index.md`"),
    (
        "glossary",
        "new",
        "`content/glossary.md` cannot be moved: it is the glossary",
        "its place makes it that; only labs, sections and ordinary pages can be moved",
    ),
    (
        "content/t/s.md",
        "content/New.md",
        "`New.html` is an old URL of `content/old.md`",
        "readers who follow it would get another page: choose another name, or remove it from `aliases`",
    ),
    (
        ONE,
        "lab-09-code",
        "the starter folder would be `code/lab-09-code`, which exists already",
        "nothing is overwritten: choose another name, or move it away first",
    ),
    (
        "broken",
        "b",
        "the old URL cannot be written into `content/broken.md`: it has no front matter",
        "run `infralens check`, and fix what it reports first",
    ),
    (
        "torn",
        "b",
        "the old URL cannot be written into `content/torn.md`: its front matter cannot be read",
        "run `infralens check`, and fix what it reports first",
    ),
    (
        "wrong",
        "b",
        "the old URL cannot be written into `content/wrong.md`: its `aliases` are not a list",
        "run `infralens check`, and fix what it reports first",
    ),
];

#[test]
fn each_refusal_says_why_and_what_to_do() {
    let page = "---\ntitle: P\n---\n";
    let more = [
        ("content/t/s.md", page),
        ("content/old.md", "---\ntitle: O\naliases: [new.html]\n---\n"),
        ("content/glossary.md", page),
        ("content/broken.md", "# No front matter\n"),
        ("content/torn.md", "---\ntitle: [\n---\n"),
        ("content/wrong.md", "---\ntitle: W\naliases: x.html\n---\n"),
        ("code/lab-09-code/x.py", ""),
        ("content/tracks/t/labs/lab-03-three.md", &lab("lab-02-two/b.py", "[s]", "")),
    ];
    for (old, new, message, help) in CASES {
        assert_eq!(refusal(&more, old, new), [message, help], "{old} {new}");
    }
    assert_eq!(refusal(&more, ONE, "t/"), ["`content/tracks/t/labs/lab-01-one.md` already has this name"]);
}

#[test]
fn names_may_be_short() {
    let project = course(&[("content/a/b.md", "---\ntitle: B\n---\n")]);
    for (old, new, from, to) in [
        ("t/lab-01-one", "lab-05", "t/labs/lab-01-one", "t/labs/lab-05-one"),
        ("lab-01-one", "u/lab-05-x", "t/labs/lab-01-one", "u/labs/lab-05-x"),
        ("./content/tracks/t/labs/lab-01-one.md", "lab-05-x.md", "t/labs/lab-01-one", "t/labs/lab-05-x"),
        ("t/lab-01-one", "content/tracks/u/labs/", "t/labs/lab-01-one", "u/labs/lab-01-one"),
        ("t/s", "07", "t/handbook/01-s", "t/handbook/07-s"),
        ("t/01-s", "new-slug", "t/handbook/01-s", "t/handbook/01-new-slug"),
        ("t/s", "u/05-x", "t/handbook/01-s", "u/handbook/05-x"),
        ("a/b", "c", "../a/b", "../a/c"),
        ("a/b", "d/c", "../a/b", "../d/c"),
        ("a/b", "d/", "../a/b", "../d/b"),
    ] {
        let path = |page: &str| format!("content/tracks/{page}.md").replace("tracks/../", "");
        let page = planned(&project, old, new).page;
        assert_eq!((page.0.to_string(), page.1.to_string()), (path(from), path(to)), "{old} {new}");
    }
}

#[test]
fn files_are_named_from_the_current_folder_too() {
    let project = course(&[]);
    let typed = |text, path: &str| PageName { text, path: Some(path.to_owned()) };
    let old = typed("lab-01-one.md", "content/tracks/t/labs/lab-01-one.md");
    let new = typed("../../u/labs/lab-05-x.md", "content/tracks/u/labs/lab-05-x.md");
    let page = plan(&project, &old, &new).unwrap().page;
    assert_eq!(&*page.1, "content/tracks/u/labs/lab-05-x.md");
}

/// A file that was renamed by hand is believed to have had the old name only if something still refers to that name.
#[test]
fn a_name_that_nothing_refers_to_is_not_the_old_name() {
    let nothing = |url: &str, page: &str| {
        let rest =
            format!("if you renamed `content/{page}.md` and its old URL should redirect, add `{url}` to its `aliases`");
        format!("nothing refers to it; {rest}")
    };
    for (old, new, help, url, page) in [
        // The two names are exchanged.
        ("lab-09-wheel", "lab-01-one", "", "tracks/t/labs/lab-09-wheel.html", "tracks/t/labs/lab-01-one"),
        // The old name is misspelled.
        ("u/ss", "u/01-s", "did you mean `u/s`?", "tracks/u/handbook/ss.html", "tracks/u/handbook/01-s"),
    ] {
        let mut refused = refusal(&[], old, new);
        let last = refused.pop().unwrap();
        assert_eq!((&*refused[0], &*last), (&*format!("there is no page `{old}`"), &*nothing(url, page)), "{old}");
        assert!(help.is_empty() || refused[1] == help, "{refused:?}");
    }
    // Here the settings still have the old name.
    let site = ("content/site.yaml", "title: C\ntracks: [t, u]\nnav: [old.md]\nlabs: { sections: [] }\n");
    let project = course(&[site, ("content/new.md", "---\ntitle: N\n---\n")]);
    assert!(planned(&project, "old", "new").alias);
}

#[test]
fn a_folder_may_be_named_like_the_folder_of_all_pages() {
    let project = course(&[("content/content/deep.md", "---\ntitle: D\n---\n")]);
    assert_eq!(&*planned(&project, "content/deep", "content/content/new").page.0, "content/content/deep.md");
}
