//! Tests of Markdown starters: their blocks, their lines, and what is never written.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Sheet, Typeset, heading_id};
use crate::page::Explanation;
use infralens_course::config::Config;
use infralens_source::source::Source;
use infralens_starter::Listing;

fn listing(text: &str) -> Listing {
    Listing::new(&Arc::new(Source::new("code/lab-01-a/plan.md", text))).0
}

fn typeset(text: &str, notes: &[(&Explanation, usize)], linked: &[(usize, usize)]) -> Typeset {
    let listing = listing(text);
    let sheet = Sheet::new(&listing).expect("Markdown");
    let linked: BTreeSet<_> = linked.iter().copied().collect();
    sheet.typeset(&Config::default(), notes, &linked, &|target| target.starts_with("https:").then(|| target.to_owned()))
}

/// Returns the numbers of the ids that are a letter and a number, sorted: the id of a line that is not shown is in a row
/// below it.
fn ids(html: &str, letter: char) -> Vec<usize> {
    let before = format!("id=\"{letter}");
    let parts = html.split(&before).skip(1);
    let mut numbers: Vec<usize> = parts.filter_map(|part| part[..part.find('"')?].parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

fn shown(typeset: &Typeset) -> String {
    typeset.blocks.iter().map(|block| [&*block.open, &block.html, &block.close].concat()).collect()
}

/// Checks that each line has one id in what is shown, and returns the lines of each block's source.
fn lines(text: &str) -> Vec<Vec<usize>> {
    let typeset = typeset(text, &[], &[]);
    let html = shown(&typeset);
    assert_eq!(ids(&html, 'L'), (1..=text.lines().count()).collect::<Vec<_>>(), "{html}");
    typeset.blocks.iter().map(|block| ids(&block.source, 'S')).collect()
}

#[test]
fn blocks_have_their_lines() {
    assert_eq!(
        lines("# A\n\ntext\nmore\n\n---\n\n> quote\n> on\n\nend"),
        [vec![1], vec![3, 4], vec![6], vec![8, 9], vec![11]]
    );
    assert_eq!(lines("A\n=\ntext\n"), [vec![1, 2], vec![3]]);
    assert_eq!(lines("\r\n# A\r\n\r\ntext\r\nmore\r\n"), [vec![2], vec![4, 5]], "CRLF");
    assert_eq!(lines("\u{feff}# A\n\ttab\n"), [vec![1], vec![2]], "a BOM, and code behind a tab");
    assert_eq!(lines(""), [] as [Vec<usize>; 0]);
}

#[test]
fn items_are_blocks_of_their_own() {
    assert_eq!(lines("- a\n- b\n  more\n\n  - c\n    d\n- e\n"), [vec![1], vec![2, 3, 4, 5, 6], vec![7]]);
    assert_eq!(lines("3. a\n\n4. b\n\n   ```\n   c\n\n   d\n   ```\n"), [vec![1], vec![3, 4, 5, 6, 7, 8, 9]]);
    let html = shown(&typeset("3. a\n4. b\n   1. c\n", &[], &[]));
    assert!(
        html.starts_with("<ol class=\"items\" start=\"3\">\n<li class=\"block b-item\" data-number=\"3.\">"),
        "{html}"
    );
    assert!(html.contains("data-number=\"4.\"") && html.ends_with("</li>\n</ol>"), "{html}");
    assert!(html.contains("<ol>\n<li><div class=\"row\" id=\"L3\" data-line=\"3\">"), "{html}");
}

#[test]
fn code_has_a_row_for_each_line() {
    assert_eq!(lines("text\n\n```py\na = 1\n\nb = 2\n```\n"), [vec![1], vec![3, 4, 5, 6, 7]]);
    assert_eq!(lines("    a\n\n    b\n\nc"), [vec![1, 2, 3], vec![5]]);
    let html = shown(&typeset("```py\na = 1\n\n\tb\n```\n\n> ```\n> c\n> ```\n", &[], &[]));
    let rows: Vec<_> = html.split("data-line=\"").skip(1).map(|row| &row[..1]).collect();
    assert_eq!(rows, ["2", "3", "4", "8"], "{html}");
}

#[test]
fn tables_have_a_row_for_each_line() {
    let text = "|  | t |\n|--|--:|\n| A | 8 |\n| B |  |\ntext\n\nend";
    assert_eq!(lines(text), [vec![1, 2, 3, 4, 5], vec![7]]);
    let html = shown(&typeset("|  | t |\n|--|--:|\n| A | 8 |\n| B |  |\n", &[], &[]));
    assert!(html.contains("<th scope=\"row\"><a class=\"no\" href=\"#S3\""), "{html}");
    assert!(html.contains("<td class=\"right field\"></td>"), "{html}");
}

#[test]
fn what_is_not_shown_keeps_its_lines() {
    assert_eq!(lines("a [b]\n\n[b]: https://x.org\n\n<!-- c -->\n\nd"), [vec![1], vec![3], vec![5], vec![7]]);
    assert_eq!(lines("---\nmodel: a\nchecked: 2026\n---\n\n# A\n"), [vec![1, 2, 3, 4], vec![6]]);
    assert_eq!(lines("---\ntext\n---\n"), [vec![1], vec![2, 3]], "a rule, and a heading");
    assert_eq!(lines("a[^1]\n\n[^1]: b\n    c\n"), [vec![1], vec![3, 4]]);
    let front = shown(&typeset("---\nchecked_against: \"torch 2\"\nchecked: 2026\n---\n", &[], &[]));
    assert!(
        front.contains("<span>checked against torch 2</span>") && front.contains(" · <span>checked 2026</span>"),
        "{front}"
    );
}

#[test]
fn markers_of_regions_are_not_shown() {
    let text =
        "<!-- ANCHOR: a -->\n| t |\n|---|\n| 1 |\n<!-- ANCHOR_END: a -->\n\nto [a](#a), [B](#b), [c](#c)\n\n## B\n";
    let typeset = typeset(text, &[], &[(0, 4)]);
    let html = shown(&typeset);
    assert_eq!(
        typeset.blocks.iter().map(|block| ids(&block.source, 'S')).collect::<Vec<_>>(),
        [vec![2, 3, 4], vec![7], vec![9]]
    );
    assert_eq!(ids(&html, 'L'), (1..=9).collect::<Vec<_>>(), "a link to a marker's line leads somewhere");
    assert!(html.contains("id=\"L1-L4\""), "{html}");
    assert!(html.contains("<a href=\"#L2\">a</a>, <a href=\"#doc-b\">B</a>, <span>c</span>"), "{html}");
    assert!(!html.contains("ANCHOR"), "{html}");
    assert_eq!(typeset.text, text);
}

#[test]
fn headings_have_a_prefix_and_one_may_be_that_of_the_page() {
    let titled = typeset("# A\n\n## main\n\n## main\n", &[], &[]);
    let html = shown(&titled);
    assert!(titled.has_title && html.contains("id=\"doc-main\"") && html.contains("id=\"doc-main-1\""), "{html}");
    assert!(html.contains("<h1 class=\"row\"") && html.contains("</h2>"), "{html}");
    let two = typeset("# A\n\n# B\n", &[], &[]);
    assert!(!two.has_title && !shown(&two).contains("<h1"), "{}", shown(&two));
    assert!(!typeset("## A\n\n# B\n", &[], &[]).has_title);
    assert_eq!(heading_id(&listing("## Your own\n"), "your-own").as_deref(), Some("doc-your-own"));
    assert_eq!(heading_id(&listing("## Your own\n"), "own"), None);
}

#[test]
fn html_is_safe() {
    let html = shown(&typeset(
        "<div onclick=\"x()\">\n\n<script>alert(1)</script>\n\na <b>b\n\n<img src=x alt=\"c&amp;d\"> ![e](f.png)\n",
        &[],
        &[],
    ));
    assert!(!html.contains("onclick") && !html.contains("<script") && !html.contains("<img"), "{html}");
    assert!(html.contains("<b>b</b>") && html.contains("c&amp;d") && html.contains("<span>e</span>"), "{html}");
}

#[test]
fn places_to_write_on() {
    let html = shown(&typeset("- What is it:\n- Why?\n- a: b\n\nx ______ y\n\nThis is it:\n", &[], &[]));
    assert_eq!(html.matches("class=\"blank\"").count(), 2, "{html}");
    assert!(html.contains("x <span class=\"blank-run\">______</span> y"), "{html}");
    let html = shown(&typeset("- Why?\n- Because\n", &[], &[]));
    assert!(!html.contains("blank"), "questions of a file that is not a form: {html}");
}

#[test]
fn notes_are_with_their_rows() {
    let note = |lines: std::ops::Range<usize>, tokens: Vec<(usize, std::ops::Range<usize>)>| Explanation {
        file: "code/lab-01-a/plan.md".into(),
        id: "E1-N1".into(),
        number: 1,
        lines: vec![lines],
        tokens,
        events: 0..0,
        body: 0,
    };
    let (first, second) = (note(3..4, vec![(3, 6..8)]), note(6..7, vec![]));
    let typeset =
        typeset("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 45 |\n\ntext\nmore\n", &[(&first, 10), (&second, 10)], &[]);
    let notes: Vec<_> = typeset.blocks.iter().map(|block| block.notes.clone()).collect();
    assert_eq!(notes, [0..1, 1..2]);
    let (table, text) = (&typeset.blocks[0].html, &typeset.blocks[1].html);
    assert!(table.contains("<b class=\"bound\" data-note=\"1\">45</b>"), "{table}");
    let row = table.split("<tr").find(|row| row.contains("id=\"L4\"")).expect("the row");
    assert!(row.contains("href=\"#N1\"") && table.matches("class=\"marker\"").count() == 1, "{table}");
    assert!(text.contains("href=\"#N2\"") && text.contains("data-line=\"6\" data-last=\"7\""), "{text}");
    assert_eq!(typeset.blocks[0].layout.list_classes(), " n1", "two lines of a note take two of the three rows");
}

#[test]
fn only_markdown_is_typeset() {
    let of = |path: &str, text: &str| Sheet::new(&Listing::new(&Arc::new(Source::new(path, text))).0).is_some();
    assert!(of("code/a.md", "# A") && of("code/A.MD", "") && !of("code/a.py", "# A") && !of("code/md", "# A"));
    assert!(!of("code/a.md", &"> ".repeat(100)), "nested too deeply");
}
