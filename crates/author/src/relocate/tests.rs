//! Small courses in memory: what a move makes of every text that names the page or its folder.

use std::collections::BTreeMap;

use super::*;
use infralens_source::source::Source;

mod refusals;

const LAB: &str = "focus: f\nreads: r\noutcome: o\nhandbook: [s]\n";

fn text(source: &str, path: &str) -> File {
    File::Text(Arc::new(Source::new(path, source)))
}

/// Two tracks with a section each and, in the first, two labs; `more` is added, or put in its place.
fn course(more: &[(&str, &str)]) -> Project {
    let lab = |file: &str| format!("---\ntitle: L\n{LAB}starter: {{ file: {file}, type: t, angle: a }}\n---\n");
    let (one, two) = (lab("a.py"), lab("b.py"));
    let page = "---\ntitle: P\nsummary: s\n---\n";
    let base = [
        ("content/site.yaml", "title: C\ntracks: [t, u]\nlabs: { sections: [] }\n"),
        ("content/index.md", page),
        ("content/tracks/t/index.md", page),
        ("content/tracks/t/handbook/01-s.md", page),
        ("content/tracks/t/labs/lab-01-one.md", &one),
        ("content/tracks/t/labs/lab-02-two.md", &two),
        ("content/tracks/u/index.md", page),
        ("content/tracks/u/handbook/01-s.md", page),
        ("code/lab-01-one/a.py", "x = 1\n"),
        ("code/lab-02-two/b.py", "y = 2\n"),
    ];
    let files = base.iter().chain(more).map(|&(path, source)| (Arc::from(path), text(source, path)));
    Project { files: files.collect(), ..Project::default() }
}

fn typed(text: &str) -> PageName<'_> {
    PageName { text, path: None }
}

fn planned(project: &Project, old: &str, new: &str) -> Plan {
    plan(project, &typed(old), &typed(new)).unwrap_or_else(|refused| panic!("{refused:?}"))
}

/// The texts of a course afterwards.
fn after(project: &Project, old: &str, new: &str) -> BTreeMap<String, String> {
    let after = change::preview(project, &planned(project, old, new).changes);
    let texts = after.files.iter().filter_map(|(path, file)| match file {
        File::Text(source) => Some((path.to_string(), source.text().to_owned())),
        _ => None,
    });
    texts.collect()
}

/// What a free page with this body says after a move.
fn body_after(body: &str, old: &str, new: &str) -> String {
    let page = format!("---\ntitle: X\n---\n{body}");
    let mut texts = after(&course(&[("content/x.md", &page)]), old, new);
    texts.remove("content/x.md").unwrap().split_off("---\ntitle: X\n---\n".len())
}

#[test]
fn every_form_of_a_link_is_rewritten_in_its_place() {
    for (before, wanted) in [
        ("[a](tracks/t/labs/lab-01-one.md)", "[a](tracks/t/labs/lab-07-new.md)"),
        (
            "[a]( <./tracks/t/labs/lab-01-one.md#x> 'lab-01-one.md' )",
            "[a]( <./tracks/t/labs/lab-07-new.md#x> 'lab-01-one.md' )",
        ),
        ("[a](tracks/t/handbook/../labs/lab%2D01-one.md?q#x)", "[a](tracks/t/handbook/../labs/lab-07-new.md?q#x)"),
        ("[a](tracks/t/labs/lab\\-01-one\\.md)", "[a](tracks/t/labs/lab-07-new.md)"),
        (
            "[lab-01-one.md](tracks/t/labs/lab-01-one.md \"(a)\") `tracks/t/labs/lab-01-one.md`",
            "[lab-01-one.md](tracks/t/labs/lab-07-new.md \"(a)\") `tracks/t/labs/lab-01-one.md`",
        ),
        (
            "> [a][b]\r\n>\r\n> [b]:\r\n> <tracks/t/labs/lab-01-one.md> 't'\r\n",
            "> [a][b]\r\n>\r\n> [b]:\r\n> <tracks/t/labs/lab-07-new.md> 't'\r\n",
        ),
        (
            "<a href='tracks/t/labs/lab-01-one.md'>a</a>\n\n<p>\n<A HREF=../content/tracks/t/labs/lab-01-one.md>a</A></p>",
            "<a href='tracks/t/labs/lab-07-new.md'>a</a>\n\n<p>\n<A HREF=../content/tracks/t/labs/lab-07-new.md>a</A></p>",
        ),
        (
            "[a](../code/lab-01-one/a.py#L1) [b](../code/lab-01-one/) ![c](../code/lab-01-one/c.png)",
            "[a](../code/lab-07-new/a.py#L1) [b](../code/lab-07-new/) ![c](../code/lab-07-new/c.png)",
        ),
        (
            "[a](code:lab-01-one/a.py#L1) [b](code:./lab-01-one) [c](code:lab-01-one-more/a.py)",
            "[a](code:lab-07-new/a.py#L1) [b](code:./lab-01-one) [c](code:lab-01-one-more/a.py)",
        ),
        ("```python file=\"lab-01-one/a.py#L1\"\nx = 1\n```\n", "```python file=\"lab-07-new/a.py#L1\"\nx = 1\n```\n"),
        ("~~~ file=lab-01-one/a.py caption=lab-01-one\n~~~\n", "~~~ file=lab-07-new/a.py caption=lab-01-one\n~~~\n"),
        ("```\n[a](tracks/t/labs/lab-01-one.md)\n```\n", "```\n[a](tracks/t/labs/lab-01-one.md)\n```\n"),
    ] {
        assert_eq!(body_after(before, "t/lab-01-one", "lab-07-new"), wanted);
    }
}

#[test]
fn other_scripts_keep_the_style_of_the_link() {
    assert_eq!(body_after("[a](tracks/t/handbook/01-s.md)", "t/s", "zéro"), "[a](tracks/t/handbook/01-zéro.md)");
    let encoded = body_after("[a](tracks/t/handbook/01%2Ds.md)", "t/s", "zéro");
    assert_eq!(encoded, "[a](tracks/t/handbook/01-z%C3%A9ro.md)");
}

#[test]
fn a_page_that_changes_its_folder_keeps_its_own_links() {
    let page = "---\ntitle: P\n---\n[a](#h) [b](img/a%20b.png) [c](../index.md) [d](p.md#h) [e](./p.md) [f](tel:1) [g](../../code/lab-01-one/)\n";
    let project = course(&[("content/d/p.md", page), ("content/d/q.md", "---\ntitle: Q\n---\n[p](./p.md)\n")]);
    let texts = after(&project, "d/p", "e/f/r");
    let wanted = "---\ntitle: P\naliases: [d/p.html]\n---\n[a](#h) [b](../../d/img/a%20b.png) [c](../../index.md) [d](r.md#h) [e](./r.md) [f](tel:1) [g](../../../code/lab-01-one/)\n";
    assert_eq!(texts["content/e/f/r.md"], wanted);
    assert_eq!(texts["content/d/q.md"], "---\ntitle: Q\n---\n[p](e/f/r.md)\n".replace("e/f", "../e/f"));
}

#[test]
fn the_way_to_another_track_and_back() {
    let page = "---\ntitle: P\nsummary: s\n---\n[a](../labs/lab-01-one.md) [b](../../t/labs/lab-01-one.md) [c](../../u/handbook/01-s.md)\n";
    let section = "content/tracks/t/handbook/02-m.md";
    let project = course(&[(section, page), ("content/x.md", "---\ntitle: X\n---\n[m](tracks/t/handbook/02-m.md)\n")]);
    let there = change::preview(&project, &planned(&project, "t/m", "u/").changes);
    let moved = there.text("content/tracks/u/handbook/02-m.md").unwrap().text().lines().last().unwrap();
    let wanted = "[a](../../t/labs/lab-01-one.md) [b](../../t/labs/lab-01-one.md) [c](01-s.md)";
    assert_eq!(moved, wanted);
    // The second link had left its track only to enter it again.
    let back = after(&there, "u/m", "t/");
    let wanted =
        page.replace("../../t/labs", "../labs").replace("s\n---", "s\naliases: [tracks/u/handbook/m.html]\n---");
    assert_eq!(back[section], wanted);

    let lab = after(&project, "t/lab-01-one", "u/");
    assert!(
        lab[section].ends_with(
            "[a](../../u/labs/lab-01-one.md) [b](../../u/labs/lab-01-one.md) [c](../../u/handbook/01-s.md)\n"
        )
    );
}

/// A lab's front matter, with what its starter, `handbook` and `after` say.
fn lab(file: &str, handbook: &str, more: &str) -> String {
    format!(
        "---\ntitle: L\nfocus: f\nreads: r\noutcome: o\nhandbook: {handbook}\n{more}starter:\n  file: {file}\n  type: t\n  angle: a\n---\n"
    )
}

const ONE: &str = "content/tracks/t/labs/lab-01-one.md";
const TWO: &str = "content/tracks/t/labs/lab-02-two.md";

#[test]
fn names_in_front_matter_follow_in_their_quotes_and_lists() {
    let two = lab("b.py", "[s]", "after:\n  - \"lab-01-one\"  # first\n  - 't/lab-01-one'\n  - t/s\n");
    let third = lab("lab-02-two/b.py", "[ t/s , s ]", "after: [t/lab-01-one]\n");
    let project = course(&[(TWO, &two), ("content/tracks/u/labs/lab-03-x.md", &third)]);
    let texts = after(&project, "lab-01-one", "lab-05");
    assert_eq!(texts[TWO], two.replace("lab-01-one", "lab-05-one"));
    assert_eq!(texts["content/tracks/u/labs/lab-03-x.md"], third.replace("lab-01-one", "lab-05-one"));
    let texts = after(&project, "t/s", "t/02-sum");
    assert_eq!(texts["content/tracks/u/labs/lab-03-x.md"], third.replace("t/s ", "t/sum "));
    assert_eq!(texts[TWO], two.replace("[s]", "[sum]").replace("t/s\n", "t/sum\n"));
    assert_eq!(after(&project, "t/s", "02")[TWO], two);
}

#[test]
fn between_tracks_names_become_long_or_short() {
    let one = lab("a.py", "[s, u/s]", "after: [lab-02-two, unknown]\n");
    let two = lab("b.py", "[s]", "after: [s]\n");
    let third = lab("lab-02-two/b.py", "[s]", "after: [t/lab-01-one, lab-04-y]\n");
    let project = course(&[(ONE, &one), (TWO, &two), ("content/tracks/u/labs/lab-03-x.md", &third)]);
    let texts = after(&project, "t/lab-01-one", "u/");
    let moved = &texts["content/tracks/u/labs/lab-01-one.md"];
    assert!(moved.contains("handbook: [t/s, s]\nafter: [t/lab-02-two, t/unknown]\n"), "{moved}");
    assert!(moved.ends_with("aliases: [tracks/t/labs/lab-01-one.html]\n---\n"), "{moved}");
    assert_eq!(texts["content/tracks/u/labs/lab-03-x.md"], third.replace("t/lab-01-one", "lab-01-one"));
    assert!(texts.contains_key("code/lab-01-one/a.py"));
}

#[test]
fn a_name_that_yaml_takes_for_something_else_is_quoted() {
    let texts = after(&course(&[]), "t/s", "01-true");
    assert!(texts[ONE].contains("handbook: ['true']\n"), "{}", texts[ONE]);
    for written in ["\"\\x73\"", "&x s", "!!str s"] {
        let before = lab("a.py", &format!("[{written}]"), "");
        let wanted = before.replace(written, &written.replace("\\x73", "true").replace(" s", " 'true'"));
        assert_eq!(after(&course(&[(ONE, &before)]), "t/s", "01-true")[ONE], wanted);
    }
    let texts = after(&course(&[]), "t/s", "01-07");
    assert!(texts[ONE].contains("handbook: [07]\n"), "{}", texts[ONE]);
}

#[test]
fn a_text_behind_an_indicator_is_replaced_where_its_lines_are() {
    let before = lab("|-\n    lab-01-one/a.py", "\n  - >\n    s\n  - u/s", "");
    let texts = after(&course(&[(ONE, &before)]), "t/s", "01-true");
    assert_eq!(texts[ONE], before.replace("    s\n", "    true\n"));
    let texts = after(&course(&[(ONE, &before)]), "t/lab-01-one", "lab-03-new");
    assert!(texts["content/tracks/t/labs/lab-03-new.md"].contains("file: |-\n    lab-03-new/a.py\n  type"));
}

/// The line of `starter.file` of the first lab and the paths of `code/`, after it has become lab 07.
fn code_after(more: &[(&str, &str)]) -> (String, Vec<String>) {
    let texts = after(&course(more), "t/lab-01-one", "lab-07-new");
    let line = texts["content/tracks/t/labs/lab-07-new.md"].lines().find(|line| line.contains("file:")).unwrap();
    (line.trim().to_owned(), texts.into_keys().filter(|path| path.starts_with("code/")).collect())
}

#[test]
fn the_own_folder_goes_with_the_lab() {
    let files = |names: [&str; 2]| names.map(|name| format!("code/{name}")).to_vec();
    let deep = [(ONE, &*lab("./in/a.py", "[s]", "")), ("code/lab-01-one/in/a.py", "")];
    let (file, code) = code_after(&deep);
    assert_eq!((file.as_str(), code.len()), ("file: ./in/a.py", 3));
    assert!(code.contains(&"code/lab-07-new/in/a.py".to_owned()));

    let (file, code) = code_after(&[(ONE, &lab("\"lab-01-one/a.py\"", "[s]", ""))]);
    assert_eq!((file.as_str(), code), ("file: \"lab-07-new/a.py\"", files(["lab-02-two/b.py", "lab-07-new/a.py"])));

    let (file, code) = code_after(&[(ONE, &lab("g/lab-01-one/a.py", "[s]", "")), ("code/g/lab-01-one/a.py", "")]);
    assert_eq!(file, "file: g/lab-07-new/a.py");
    assert!(code.contains(&"code/g/lab-07-new/a.py".to_owned()) && code.contains(&"code/lab-01-one/a.py".to_owned()));
}

#[test]
fn a_folder_that_another_lab_reads_stays() {
    let shared = lab("lab-01-one/a.py", "[s]", "");
    let (file, code) = code_after(&[(TWO, &shared)]);
    assert_eq!(file, "starter: { file: lab-01-one/a.py, type: t, angle: a }");
    assert!(code.contains(&"code/lab-01-one/a.py".to_owned()));
    // Named for neither, and named for the other.
    for file in ["lab-02-two/b.py", "elsewhere/c.py"] {
        let (after, code) = code_after(&[(ONE, &lab(file, "[s]", ""))]);
        assert_eq!(after, format!("file: {file}"));
        assert!(code.contains(&"code/lab-01-one/a.py".to_owned()));
    }
}

#[test]
fn two_labs_of_one_name_both_say_their_folder() {
    let twin = "content/tracks/u/labs/lab-07-new.md";
    let texts = after(
        &course(&[(twin, &lab("'c d.py'", "[s]", "")), ("code/lab-07-new/c d.py", "")]),
        "t/lab-01-one",
        "lab-07-new",
    );
    assert!(texts[twin].contains("file: 'lab-07-new/c d.py'\n"), "{}", texts[twin]);
    assert!(texts["content/tracks/t/labs/lab-07-new.md"].contains("file: lab-01-one/a.py,"));
    // The other one reads elsewhere: then the folder goes with the page, and the path says so.
    let texts = after(&course(&[(twin, &lab("lab-02-two/b.py", "[s]", ""))]), "t/lab-01-one", "lab-07-new");
    assert!(texts["content/tracks/t/labs/lab-07-new.md"].contains("file: lab-07-new/a.py,"));
    assert!(texts.contains_key("code/lab-07-new/a.py"));
}

#[test]
fn readmes_go_with_their_folder_and_follow_the_page() {
    let readme = "[lab](../../content/tracks/t/labs/lab-01-one.md), [own](../lab-01-one/a.py), [file](a.py)\n";
    let other = "[lab](../../../content/tracks/t/labs/lab-01-one.md) [own](../../lab-01-one/a.py)\n";
    let more = [("code/lab-01-one/README.md", readme), ("code/lab-02-two/deep/README.md", other)];
    let texts = after(&course(&more), "t/lab-01-one", "lab-07-new");
    assert_eq!(texts["code/lab-07-new/README.md"], readme.replace("lab-01-one", "lab-07-new"));
    assert_eq!(texts["code/lab-02-two/deep/README.md"], other.replace("lab-01-one", "lab-07-new"));
}

#[test]
fn the_old_url_becomes_an_alias_in_the_style_that_is_found() {
    for (before, wanted) in [
        ("title: P", "title: P\naliases: [p.html]"),
        ("title: P\n# end", "title: P\n# end\naliases: [p.html]"),
        ("  title: P", "  title: P\n  aliases: [p.html]"),
        ("{title: P}", "{title: P, aliases: [p.html]}"),
        ("{title: P, }", "{title: P,  aliases: [p.html]}"),
        ("title: P\naliases: []", "title: P\naliases: [p.html]"),
        ("aliases: [a.html] # x\ntitle: P", "aliases: [a.html, p.html] # x\ntitle: P"),
        ("aliases: ['a.html', \"b.html\",]\ntitle: P", "aliases: ['a.html', \"b.html\", \"p.html\",]\ntitle: P"),
        ("aliases: [\n  a.html,\n  b.html,\n]\ntitle: P", "aliases: [\n  a.html,\n  b.html,\n  p.html,\n]\ntitle: P"),
        ("aliases:\n- a.html # x\n- b.html\ntitle: P", "aliases:\n- a.html # x\n- b.html\n- p.html\ntitle: P"),
        ("title: P\naliases:\n  - \"a.html\" # x", "title: P\naliases:\n  - \"a.html\" # x\n  - \"p.html\""),
        ("title: P\naliases:\n  - >-\n    a.html", "title: P\naliases:\n  - >-\n    a.html\n  - p.html"),
        ("aliases:\n-\n  a.html # x\ntitle: P", "aliases:\n-\n  a.html # x\n- p.html\ntitle: P"),
        ("aliases:\n-   &a a.html\ntitle: P", "aliases:\n-   &a a.html\n- p.html\ntitle: P"),
        // It has been there before: the one takes the other's place.
        ("aliases: [a.html, 'q.html']\ntitle: P", "aliases: [a.html, 'p.html']\ntitle: P"),
    ] {
        for (bom, end) in [("", "\n"), ("\u{feff}", "\r\n")] {
            let write = |front: &str| format!("{bom}---\n{front}\n---\n\nText.  \n").replace('\n', end);
            let texts = after(&course(&[("content/p.md", &write(before))]), "p", "q");
            assert_eq!(texts["content/q.md"], write(wanted), "{before}");
        }
    }
}

#[test]
fn no_alias_where_the_url_stays_or_is_taken() {
    let project = course(&[("content/p.md", "---\ntitle: P\n---\n")]);
    assert!(!planned(&project, "t/s", "09").alias);
    assert!(!planned(&project, "p", "P").alias);
    let taken = course(&[
        ("content/p.md", "---\ntitle: P\n---\n"),
        ("content/x.md", "---\ntitle: X\naliases: [p.html]\n---\n"),
    ]);
    assert!(!planned(&taken, "p", "q").alias);
}

#[test]
fn what_is_left_standing_is_told() {
    let more = [
        (
            "content/x.md",
            "---\ntitle: X\n---\n[Lab 01](tracks/t/labs/lab-01-one.md) and `lab-01-one`, not lab-01-one-more\n[Lab 02](tracks/t/labs/lab-01-one.md)\n",
        ),
        ("code/lab-01-one/run.sh", "cd code/lab-01-one\n"),
        ("templates/x.html", "<a href=\"tracks/t/labs/lab-01-one.html\">"),
    ];
    let mentions = planned(&course(&more), "t/lab-01-one", "lab-07-new").mentions;
    let places: Vec<(&str, usize)> = mentions.iter().map(|mention| (&*mention.path, mention.line)).collect();
    assert_eq!(places, [("code/lab-07-new/run.sh", 1), ("content/x.md", 4), ("templates/x.html", 1)]);
    assert_eq!(mentions[0].text, "cd code/lab-01-one");
    let long = format!("{}lab-01-one {}\n", "ü ".repeat(30), "é".repeat(90));
    let project = course(&[("code/lab-01-one/run.sh", &long)]);
    let text = &planned(&project, "t/lab-01-one", "lab-07-new").mentions[0].text;
    assert_eq!(*text, format!("…{}lab-01-one {}…", "ü ".repeat(12), "é".repeat(44)));
    // As long as another lab has the name, it is not the old one.
    let twin = lab("lab-02-two/b.py", "[s]", "");
    let project = course(&[more[1], ("content/tracks/u/labs/lab-01-one.md", &twin)]);
    assert_eq!(planned(&project, "t/lab-01-one", "lab-07-new").mentions, []);
}

#[test]
fn links_of_the_settings_follow() {
    let settings = "title: C\ntracks: [t, u]\nlabs: { sections: [] }\nheader:\n  - { label: One, link: \"tracks/t/labs/lab-01-one.md?a#b\" }\n  \
                    - { label: S, link: ./tracks/t/handbook/01-s.md }\nfooter: [{ label: Site, link: \"https://example.org/\" }]\n";
    let texts = after(&course(&[("content/site.yaml", settings)]), "t/lab-01-one", "t/lab-07-seven");
    let wanted = settings.replace("labs/lab-01-one.md?a#b", "labs/lab-07-seven.md?a#b");
    assert_eq!(texts["content/site.yaml"], wanted);
}

#[test]
fn entries_of_the_settings_follow_a_page_and_its_folder() {
    let page = "---\ntitle: P\n---\n";
    let moved = |others: &[(&str, &str)], entries: &str, new: &str| {
        let site = format!("title: C\ntracks: [t, u]\nlabs: {{ sections: [] }}\n{entries}");
        let files = [&[("content/site.yaml", &*site), ("content/g/deep/a.md", page)], others].concat();
        let mut texts = after(&course(&files), "g/deep/a", new);
        texts.remove("content/site.yaml").unwrap().split_off(site.len() - entries.len())
    };
    let entries = "nav: ['g/deep/a.md', g/deep]  # order\nlints: { todo: g/deep/, filler: [g/deep/a.md] }\n";
    let renamed = "nav: ['g/deep/b.md', g/deep]  # order\nlints: { todo: g/deep/, filler: [g/deep/b.md] }\n";
    assert_eq!(moved(&[], entries, "g/deep/b"), renamed);
    let folder = "nav: ['h/a.md', h]  # order\nlints: { todo: h, filler: [h/a.md] }\n";
    assert_eq!(moved(&[], entries, "h/a"), folder);
    assert_eq!(moved(&[], "nav: [g/deep]\n", "content/b.md"), "nav: [b.md]\n");
    assert_eq!(moved(&[("content/h/c.md", page)], "nav: [g/deep, h]\n", "h/a"), "nav: [h/a.md, h]\n");
    let left = [("content/g/deep/c.md", page)];
    assert_eq!(moved(&left, "nav: [g/deep, g/deep/a]\n", "h/a"), "nav: [g/deep, h/a]\n");
}
