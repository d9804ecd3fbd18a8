//! `sync`: pins follow their files, and every other byte of a page stays.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;
use std::time::Instant;

use crate::harness::SiteTest;

pub const LAB: &str = "content/tracks/t/labs/lab-01-a.md";
pub const HEAD: &str = "---\ntitle: Lab A\nfocus: f\nreads: r\noutcome: o\nhandbook: [s]\nstarter: { file: a.py, type: t, angle: a }\n---\n";
const NEW: &str = "# ANCHOR: all\nx = 1\n# a comment\ntotal = x + y\n# ANCHOR_END: all\n";

/// A course with one lab of this body, whose starter is [`NEW`].
pub fn course(body: &str) -> SiteTest {
    let test = SiteTest::empty();
    test.write("content/site.yaml", "title: T\ntracks: [t]\nlabs: { sections: [] }\n");
    test.write("content/tracks/t/index.md", "---\ntitle: T\nsummary: s\n---\n");
    test.write("content/tracks/t/handbook/01-s.md", "---\ntitle: S\nsummary: s\n---\n");
    test.write("code/lab-01-a/a.py", NEW);
    test.write(LAB, format!("{HEAD}{body}"));
    test
}

pub fn lab(test: &SiteTest) -> String {
    fs::read_to_string(test.root().join(LAB)).expect("the lab").split_off(HEAD.len())
}

pub fn text(output: &Output) -> (String, String, Option<i32>) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

/// Runs `sync`, which must write this body; a second run has nothing to do.
fn syncs(body: &str, wanted: &str) {
    let test = course(body);
    let (out, err, status) = text(&test.run(&["sync", "--accept"]));
    assert_eq!((lab(&test).as_str(), status), (wanted, Some(0)), "{out}{err}");
    let (out, _, status) = text(&test.run(&["sync", "--check"]));
    assert_eq!((out.as_str(), status), ("every pin matches its file\n", Some(0)));
}

#[test]
fn only_bodies_change() {
    syncs(
        "\nText  \n\n```python file=#all\nx = 1\ntotal = x + y\n```\n1. `total` — t.   \n\n\n",
        "\nText  \n\n```python file=#all\nx = 1\n# a comment\ntotal = x + y\n```\n1. `total` — t.   \n\n\n",
    );
    syncs(
        "a\r\n\r\n```python file=#all\r\nx = 1\r\n```  \r\n\r\n1. `total` — t",
        "a\r\n\r\n```python file=#all\r\nx = 1\r\n# a comment\r\ntotal = x + y\r\n```  \r\n\r\n1. `total` — t",
    );
}

#[test]
fn in_lists_quotes_and_definitions() {
    syncs(
        "- item\n\n  > ~~~python file=#all\n  > x = 2\n  >\n  > ~~~\n  >\n  > 1. `total` — t.\n",
        "- item\n\n  > ~~~python file=#all\n  > x = 1\n  > # a comment\n  > total = x + y\n  > ~~~\n  >\n  > 1. `total` — t.\n",
    );
    syncs(
        "1. ```python file=#all\n   old\n   ```\n\n   1) `x` — t.\n",
        "1. ```python file=#all\n   x = 1\n   # a comment\n   total = x + y\n   ```\n\n   1) `x` — t.\n",
    );
    syncs(
        "> - ```python file=#all\n>   ```\n>   1. `x` — t.\n",
        "> - ```python file=#all\n>   x = 1\n>   # a comment\n>   total = x + y\n>   ```\n>   1. `x` — t.\n",
    );
    syncs(
        "term\n:   ```python file=#all\n    old\n    ```\n",
        "term\n:   ```python file=#all\n    x = 1\n    # a comment\n    total = x + y\n    ```\n",
    );
    syncs(
        "  ```python file=#all\n  old\n  ```\n",
        "  ```python file=#all\n  x = 1\n  # a comment\n  total = x + y\n  ```\n",
    );
}

#[test]
fn in_footnotes_and_quotes_without_a_space() {
    syncs(
        "A[^long]\n\n[^long]: ```python file=#all\n    old\n    ```\n",
        "A[^long]\n\n[^long]: ```python file=#all\n    x = 1\n    # a comment\n    total = x + y\n    ```\n",
    );
    let test = course(">```python file=f.py\n>old\n>```\n");
    test.write("code/lab-01-a/f.py", "def f():\n    return 1\n");
    let (out, err, status) = text(&test.run(&["sync", "--accept"]));
    assert_eq!(status, Some(0), "{out}{err}");
    assert_eq!(lab(&test), ">```python file=f.py\n> def f():\n>     return 1\n>```\n");
}

#[test]
fn a_fence_that_is_not_closed_is_left_alone() {
    let open = "```python file=#all\nx\n\n1. `x` — a note.\n\n## What to notice\n\nProse.\n";
    for body in [
        open.to_owned(),
        format!("{open}\n```python file=#L2\nx = 1\n```\n"),
        "> ```python file=#all\n> x\n\nafter\n".to_owned(),
        "- ```python file=#all\n  x\n".to_owned(),
    ] {
        let test = course(&body);
        let codes = test.build().codes();
        assert!(codes.contains(&"E0209"), "{codes:?} of {body}");
        test.run(&["sync", "--accept"]);
        assert_eq!(lab(&test), body);
    }
}

#[test]
fn a_note_bound_to_a_name_that_is_gone_is_read_again() {
    let lab = "```python file=a.py\ndef one():\n    return 1\n\n\n# ANCHOR: r\nx = 2\n# ANCHOR_END: r\n```\n";
    for (note, from, to) in
        [("#fn:one", "one():\n    return 1", "two():\n    return 2"), ("#r", "r\nx = 2", "s\nx = 3")]
    {
        let pin = lab.replace("# ANCHOR: r\n", "").replace("# ANCHOR_END: r\n", "");
        let test = course(&format!("{pin}\n1. [It]({note}) — what it is.\n"));
        let old =
            lab.lines().filter(|line| !line.starts_with("```")).map(|line| format!("{line}\n")).collect::<String>();
        test.write("code/lab-01-a/a.py", &old);
        assert_eq!(test.build().human(), "");
        test.write(
            "code/lab-01-a/a.py",
            old.replace(from, to)
                .replace("ANCHOR_END: r", if note == "#r" { "ANCHOR_END: s" } else { "ANCHOR_END: r" }),
        );
        let codes = test.build().codes();
        assert!(codes.contains(&"E0316"), "{codes:?}");
        let (out, ..) = text(&test.run(&["sync"]));
        assert_eq!(out, "0 pins written, 1 left to review\n");
    }
}

#[test]
fn a_fence_is_lengthened_where_its_code_holds_one() {
    let test = course("```python file=b.md\nold\n```\n\n```python file=#all\nold\n```\n");
    test.write("code/lab-01-a/b.md", "\u{feff}text\r\n````sh\r\n\r\n\tls\r\n````\r\n");
    assert_eq!(text(&test.run(&["sync", "--accept"])).2, Some(0));
    let wanted = "`````python file=b.md\ntext\n````sh\n\n\tls\n````\n`````\n\n```python file=#all\nx = 1\n# a comment\ntotal = x + y\n```\n";
    assert_eq!(lab(&test), wanted);
}

#[test]
fn empty_pins_are_filled_where_there_are_notes() {
    syncs(
        "```python file=#all\n```\n\n1. `x` — one.\n\n```python file=#all\n```\n",
        "```python file=#all\nx = 1\n# a comment\ntotal = x + y\n```\n\n1. `x` — one.\n\n```python file=#all\n```\n",
    );
}

#[test]
fn lines_by_number_are_pinned_without_notes_too() {
    syncs("```python file=#L2\n```\n", "```python file=#L2\nx = 1\n```\n");
}

const TWO: &str = "```python file=#all\nx = 1\ntotal = x + y\n```\n\n1. `total` — holds.\n\n```python file=#L4\ntotal = x\n```\n\n1. `total` — changed.\n\n```python file=#L2\nx = 0\n```\n\n1. `x` — changed.\n";

#[test]
fn numbers_of_lit_lines_move_with_their_lines() {
    let new = "x = 1\n# a comment\ntotal = x + y\n```\n";
    syncs(
        "```python file=#all light=\"L3, x, L2\" caption=c\nx = 1\ntotal = x + y\n```\n",
        &format!("```python file=#all light=\"L4, x, L2\" caption=c\n{new}"),
    );
    syncs(
        "> ```python file=#all light=L2-L3\r\n> x = 1\r\n> total = x + y\r\n> ```\r\n",
        "> ```python file=#all light=L2-L4\r\n> x = 1\r\n> # a comment\r\n> total = x + y\r\n> ```\r\n",
    );
    // A line that has changed keeps its place below the nearest one that has not.
    syncs(
        "```python file=#all light=L4\nx = 1\n# a comment\ntotal = x - y\n```\n",
        &format!("```python file=#all light=L4\n{new}"),
    );
    // The fence is filled, although there are no notes.
    syncs("```python file=#all light=L4\n```\n", &format!("```python file=#all light=L4\n{new}"));
    let test = course("```python file=#all light=L5\nx = 1\n```\n");
    let (out, err, status) = text(&test.run(&["sync"]));
    assert!(err.contains("[E0318]") && out.contains("0 pins written") && status == Some(1), "{out}{err}");
}

#[test]
fn what_has_changed_under_its_notes_is_left_and_shown() {
    let test = course(TWO);
    let (out, err, status) = text(&test.run(&["sync"]));
    let followed = "content/tracks/t/labs/lab-01-a.md:9: follows its file\n";
    assert_eq!((out, status), (format!("{followed}1 pin written, 2 left to review\n"), Some(1)));
    assert!(err.contains("-total = x\n") && err.contains("+total = x + y\n"), "{err}");
    assert!(err.contains("then `infralens sync --accept content/tracks/t/labs/lab-01-a.md:17`"), "{err}");
    assert!(err.ends_with("2 errors\n"), "{err}");
    assert!(lab(&test).starts_with("```python file=#all\nx = 1\n# a comment\n"));
}

#[test]
fn places_are_accepted_as_diagnostics_print_them() {
    // The excerpt that is changed first stands on lines 16 to 20, the other on 22 to 26.
    for (place, left) in
        [(":16", "x = 0"), (":20", "x = 0"), (":16:1", "x = 0"), (":22", "total = x\n"), (":26:4", "total = x\n")]
    {
        let test = course(TWO);
        let (out, err, status) = text(&test.run(&["sync", "--accept", &format!("{LAB}{place}")]));
        assert_eq!(status, Some(1), "{place}: {out}{err}");
        assert!(out.ends_with("2 pins written, 1 left to review\n"), "{place}: {out}");
        assert!(lab(&test).contains(left), "{place}: {}", lab(&test));
        // What is left is named by the line where it stands now.
        let again = err.split("--accept ").nth(1).and_then(|rest| rest.split('`').next()).expect("a place");
        assert_eq!(text(&test.run(&["sync", "--accept", again])).2, Some(0), "{again}");
    }
    let test = course(TWO);
    let (out, _, status) = text(&test.run(&["sync", "--accept", LAB]));
    let accepted = "content/tracks/t/labs/lab-01-a.md:17: accepted, with note 1\n";
    assert!(out.contains(accepted) && status == Some(0), "{out}");
}

#[test]
fn a_place_is_named_from_the_current_folder_too() {
    let test = course(TWO);
    let labs = test.root().join("content/tracks/t/labs");
    let output = crate::harness::program(&labs).args(["sync", "--accept", "lab-01-a.md"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn places_where_nothing_is_stale() {
    let test = course(TWO);
    let (_, err, status) = text(&test.run(&["sync", "--accept", "content/tracks/t/labs/lab-01-b.md:3"]));
    let wanted = "error: the course has no page `content/tracks/t/labs/lab-01-b.md`\nhelp: did you mean `content/tracks/t/labs/lab-01-a.md`?\n";
    assert_eq!((err.as_str(), status), (wanted, Some(2)));
    let (_, err, status) = text(&test.run(&["sync", "--accept", &format!("{LAB}:99")]));
    assert_eq!((err, status), (format!("error: `{LAB}:99`: the page has 26 lines\n"), Some(2)));
    let (_, err, status) = text(&test.run(&["sync", "--accept", &format!("{LAB}:0")]));
    assert_eq!((err, status), (format!("error: `{LAB}:0`: lines are counted from 1\n"), Some(2)));
    let (out, ..) = text(&test.run(&["sync", "--accept", &format!("{LAB}:2")]));
    assert!(
        out.contains(&format!("{LAB}:2: no stale excerpt here; stale excerpts of this page are on line 17, 23\n")),
        "{out}"
    );
}

#[test]
fn the_place_of_a_value_is_one_where_something_is_stale() {
    let test = course("<!-- values\nw = 2 * 3    # = 7\n-->\n");
    let lines = lab(&test);
    let before = std::fs::read_to_string(test.root().join(LAB)).expect("the page");
    let line = before.lines().position(|line| line.starts_with("w = ")).expect("the value") + 1;
    let (out, err, status) = text(&test.run(&["sync", "--accept", &format!("{LAB}:{line}")]));
    assert!(out.contains("`w` updated") && !out.contains("no stale excerpt"), "{lines}{out}{err}");
    assert_eq!(status, Some(0));
}

#[test]
fn a_value_is_named_with_its_line_after_the_run() {
    // The first excerpt, which is above it, grows by a line.
    let test = course(&format!("{TWO}\n<!-- values\nw = 2 * 3.5    # = 6.0\n-->\n"));
    let (out, ..) = text(&test.run(&["sync", "--accept"]));
    let after = std::fs::read_to_string(test.root().join(LAB)).expect("the page");
    let line = 1 + after.lines().position(|line| line.starts_with("w = ")).expect("the value");
    assert!(out.contains(&format!("{LAB}:{line}: `w` updated")), "line {line} of {after}: {out}");
}

#[test]
fn check_writes_nothing() {
    let test = course(TWO);
    let (out, err, status) = text(&test.run(&["sync", "--check"]));
    assert_eq!((out.as_str(), status), ("", Some(1)));
    assert!(err.ends_with("2 errors, 1 warning\n"), "{err}");
    assert_eq!(lab(&test), TWO);
}

#[test]
fn a_read_only_page_is_named_and_no_other_is_written() {
    let test = course(TWO);
    let second = "content/tracks/t/labs/lab-02-b.md";
    test.write(second, fs::read(test.root().join(LAB)).expect("the lab"));
    test.write("code/lab-02-b/a.py", NEW);
    fs::set_permissions(test.root().join(second), fs::Permissions::from_mode(0o444)).expect("permissions");
    let (out, err, status) = text(&test.run(&["sync", "--accept"]));
    assert_eq!((out.as_str(), status), ("", Some(2)));
    assert!(err.starts_with("error: `") && err.contains(&format!("{second}` is read-only\n")), "{err}");
    assert_eq!(lab(&test), TWO);
}

#[test]
fn a_bom_and_readmes() {
    let test = course("");
    let page = format!("\u{feff}{HEAD}```python file=#all\nold\n```\n");
    test.write(LAB, &page);
    test.write("code/lab-01-a/README.md", "```python file=lab-01-a/a.py#all\nold\n```\n");
    assert_eq!(text(&test.run(&["sync", "--accept"])).2, Some(0));
    let code = "x = 1\n# a comment\ntotal = x + y\n";
    let read = |path: &str| fs::read_to_string(test.root().join(path)).expect("a page");
    assert_eq!(read(LAB), page.replace("old\n", code));
    assert_eq!(read("code/lab-01-a/README.md"), format!("```python file=lab-01-a/a.py#all\n{code}```\n"));
}

#[test]
fn code_that_moved_is_followed_without_a_word() {
    let test = course("```python file=#all\nx = 1\n# a comment\ntotal = x + y\n```\n\n1. `total` — t.\n");
    test.write("code/lab-01-a/a.py", format!("import os\n\n\ndef f():\n{}", NEW.replace('\n', "\n    ").trim_end()));
    assert_eq!(test.build().human(), "");
    assert_eq!(text(&test.run(&["sync", "--check"])).2, Some(0));
}

#[test]
fn a_pin_of_lines_says_where_they_stand_now() {
    let test = course("```python file=#L2-L4\nx = 1\n# a comment\ntotal = x + y\n```\n\n1. `total` — t.\n");
    test.edit("code/lab-01-a/a.py", "# ANCHOR: all\n", "import os\n\n# ANCHOR: all\n");
    let output = test.build().human();
    assert!(output.contains("help: the pin's code is now at `#L4-L6`\n"), "{output}");
}

/// Which notes are named when `old` is pinned and the file is `new`: the numbers in the message, empty if they hold.
fn named(old: &str, new: &str, notes: &str) -> String {
    let lines: String = old.lines().filter(|line| !line.contains("ANCHOR")).map(|line| format!("{line}\n")).collect();
    let test = course(&format!("```python file=a.py\n{lines}```\n\n{notes}"));
    test.write("code/lab-01-a/a.py", old);
    assert_eq!(test.build().human(), "", "the pin is fresh");
    test.write("code/lab-01-a/a.py", new);
    let built = test.build();
    let messages: Vec<&str> = built.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    let [message] = messages.as_slice() else { panic!("one message, not {messages:?}") };
    let numbers = message.split("where note").nth(1).map(|rest| rest.trim_start_matches('s').split(" explain").next());
    numbers.flatten().unwrap_or_default().trim().to_owned()
}

const REGION: &str = "a = 1\n# ANCHOR: r\nb = 2\nc = 3\n# ANCHOR_END: r\nd = 4\n";

#[test]
fn a_region_that_has_lost_a_line_is_read_again_at_its_border_too() {
    let notes = "1. [R](#r) — the region.\n2. `d` — d.\n";
    for (new, wanted) in [
        (REGION.replace("c = 3\n", ""), "1"),
        (REGION.replace("b = 2\n", ""), "1"),
        (REGION.replace("c = 3", "c = 5"), "1"),
        (REGION.replace("c = 3\n", "c = 3\nnew = 0\n"), "1"),
        (REGION.replace("a = 1\n", "a = 1\nnew = 0\n"), ""),
        (REGION.replace("d = 4\n", "new = 0\nd = 4\n"), ""),
        (REGION.replace("a = 1", "a = 9"), ""),
        (REGION.replace("d = 4", "d = 9"), "2"),
        (format!("{REGION}e = 5\n"), ""),
    ] {
        assert_eq!(named(REGION, &new, notes), wanted, "{new}");
    }
}

#[test]
fn notes_on_line_numbers_stay_at_their_lines() {
    let old = "a = 1\nb = 2\nc = 3\n";
    assert_eq!(named(old, "new = 0\na = 1\nb = 2\nc = 3\n", "1. [L](#L2) — the second.\n"), "1");
    assert_eq!(named(old, "a = 1\nb = 2\nc = 3\nnew = 0\n", "1. [L](#L2) — the second.\n"), "");
}

#[test]
fn another_line_that_reads_the_same_is_another_line() {
    let old = "load()\nsync()\nadd()\nsync()\n";
    let notes = "1. `sync()` — after the load.\n";
    assert_eq!(named(old, "load()\nadd()\nsync()\n", notes), "1");
    assert_eq!(named(old, "sync()\nload()\nadd()\nsync()\n", notes), "");
    assert_eq!(named(old, "load()\nsync()\nadd()\n", notes), "");
}

#[test]
fn many_excerpts_on_a_page_are_linear() {
    let took = |count: usize| {
        let excerpts =
            |code: &str| format!("```python file=#all\n{code}total = x + y\n```\n\n1. `total` — t.\n\n").repeat(count);
        let start = Instant::now();
        syncs(&excerpts("x = 1\n"), &excerpts("x = 1\n# a comment\n"));
        start.elapsed()
    };
    // With one look at the page for each of them, four times as many would take sixteen times as long.
    let (few, many) = (took(300), took(1_200));
    assert!(many < few * 11, "{few:?}, {many:?}");
}
