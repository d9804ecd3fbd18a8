//! Links to line numbers: `sync` gives them titles and lets them follow their lines, in a course and outside.

use std::fs;

use crate::harness::SiteTest;
use crate::sync::{HEAD, LAB, course, lab, text};

const CODE: &str = "\
import x


def main():
    steps = 3
    for step in range(steps):
        loss = model(\"a | b\", 'c')
    return {
        \"x\": 1,
    }


def tail():
    pass
";

fn run(test: &SiteTest, arguments: &[&str]) -> (String, String, i32) {
    let (out, err, status) = text(&test.run(arguments));
    (out, err, status.expect("an exit status"))
}

/// Runs `sync` in a course and outside of one, on a page whose links have the path `PATH`. Both must write `wanted`, after
/// which `sync` has nothing to do and nothing is reported about links.
fn syncs(code: &str, body: &str, wanted: &str) {
    let inside = course(&body.replace("PATH", "code:train.py"));
    inside.write("code/lab-01-a/train.py", code);
    inside.run(&["sync"]);
    assert_eq!(lab(&inside), wanted.replace("PATH", "code:train.py"));
    let outside = SiteTest::empty();
    outside
        .write(".git/HEAD", "")
        .write("src/train.py", code)
        .write("docs/a.md", body.replace("PATH", "../src/train.py"));
    let (out, err, status) = run(&outside, &["sync", "docs"]);
    let page = || fs::read_to_string(outside.root().join("docs/a.md")).expect("the page");
    assert_eq!((page(), status), (wanted.replace("PATH", "../src/train.py"), 0), "{out}{err}");
    assert_eq!(run(&outside, &["check", "--strict", "docs"]).2, 0);
    for (test, paths) in [(&inside, &[][..]), (&outside, &["."][..])] {
        let (out, err, status) = run(test, &[&["sync", "--check"], paths].concat());
        assert_eq!((out.as_str(), err.as_str(), status), ("every pin matches its file\n", "", 0));
    }
}

#[test]
fn a_missing_title_is_filled_wherever_the_link_is() {
    for (body, wanted) in [
        ("[a](PATH#L5)\n", "[a](PATH#L5 \"steps = 3\")\n"),
        ("[a](<PATH#L5> )\n", "[a](<PATH#L5> \"steps = 3\" )\n"),
        ("[a](PATH#L5 \"\")\r\n", "[a](PATH#L5 \"steps = 3\")\r\n"),
        ("[a](PATH#L9-L10)\n", "[a](PATH#L9-L10 '\"x\": 1,')\n"),
        ("[a](PATH#L7)\n", "[a](PATH#L7 \"loss = model(\\\"a | b\\\", 'c')\")\n"),
        ("> - *[a](PATH#L5)*, `b`\n", "> - *[a](PATH#L5 \"steps = 3\")*, `b`\n"),
        ("| a |\n| - |\n| [a](PATH#L7) |\n", "| a |\n| - |\n| [a](PATH#L7 \"loss = model(\\\"a \\| b\\\", 'c')\") |\n"),
        ("[a], [a] and [c][a]\n\n[a]: PATH#L5\n", "[a], [a] and [c][a]\n\n[a]: PATH#L5 \"steps = 3\"\n"),
        ("[a][]\n\n> [a]: PATH#L5\n", "[a][]\n\n> [a]: PATH#L5 \"steps = 3\"\n"),
        ("x[^1]\n\n[^1]: [a](PATH#L5)\n", "x[^1]\n\n[^1]: [a](PATH#L5 \"steps = 3\")\n"),
        // The line is the first, or the next that has a letter or digit.
        ("[a](PATH#L2-L4)\n", "[a](PATH#L2-L4 \"def main():\")\n"),
        ("[a](PATH#L10)\n", "[a](PATH#L10 \"def tail():\")\n"),
        // These name no lines.
        ("[a](PATH#fn:main) [b](PATH)\n", "[a](PATH#fn:main) [b](PATH)\n"),
        ("`[a](PATH#L5)`\n\n    [a](PATH#L5)\n", "`[a](PATH#L5)`\n\n    [a](PATH#L5)\n"),
    ] {
        syncs(CODE, body, wanted);
    }
}

#[test]
fn the_range_follows_its_line() {
    let added = format!("# one\n# two\n{CODE}");
    let twice = CODE.replace("    pass\n", "    steps = 3\n");
    let doc = "/**\n * Adds.\n */\nint add(int a);\n\n/* b */\n";
    for (code, body, wanted) in [
        (added.as_str(), "[a](PATH#L5-L7 \"steps = 3\")\n", "[a](PATH#L7-L9 \"steps = 3\")\n"),
        (&added, "[a](PATH#L5-7 'steps = 3')\n", "[a](PATH#L7-L9 'steps = 3')\n"),
        (&added, "[a](<PATH#L5> (steps = 3))\n", "[a](<PATH#L7> (steps = 3))\n"),
        (&added, "[a](PATH#L99-L100 \" def tail(): \")\n", "[a](PATH#L15-L16 \" def tail(): \")\n"),
        (&added, "[a], [b][a]\n\n[a]: PATH#L5\n   \"steps = 3\"\n", "[a], [b][a]\n\n[a]: PATH#L7\n   \"steps = 3\"\n"),
        (&added, "[a](PATH#L9 '&quot;x\\\": 1,')\n", "[a](PATH#L11 '&quot;x\\\": 1,')\n"),
        // The nearest of several places.
        (&twice, "[a](PATH#L7 \"steps = 3\")\n", "[a](PATH#L5 \"steps = 3\")\n"),
        (&twice, "[a](PATH#L12 \"steps = 3\")\n", "[a](PATH#L14 \"steps = 3\")\n"),
        // A range that began with a line of a comment's frame.
        (doc, "[a](PATH#L8-L11 \"* Adds.\")\n", "[a](PATH#L1-L4 \"* Adds.\")\n"),
    ] {
        syncs(code, body, wanted);
    }
}

#[test]
fn what_only_the_author_can_decide() {
    let tied = CODE
        .replace("    for step", "    steps = 3\n    for step")
        .replace("    steps = 3\n    steps", "    steps = 3\n    x\n    steps");
    for (code, body) in [(CODE, "[a](PATH#L5 \"steps = 2\")"), (&tied, "[a](PATH#L6 \"steps = 3\")")] {
        let test = course(&format!("Text.\n\n{}\n", body.replace("PATH", "code:train.py")));
        test.write("code/lab-01-a/train.py", code);
        let place = format!("{LAB}:{}", HEAD.lines().count() + 3);
        let (_, err, status) = run(&test, &["check"]);
        assert!(err.contains("warning[W0307]: line ") && status == 0, "{err}");
        assert!(err.contains(&format!("`infralens sync --accept {place}`")), "{err}");
        let (_, err, status) = run(&test, &["sync", "--check"]);
        assert!(err.starts_with("warning[W0307]: line ") && status == 1, "{err}");
        let before = lab(&test);
        let (out, _, status) = run(&test, &["sync"]);
        assert_eq!((out.as_str(), status, lab(&test)), ("0 pins written, 1 left to review\n", 1, before));
        let (out, err, status) = run(&test, &["sync", "--accept", &place]);
        assert_eq!((out, err, status), (format!("{place}: link accepted\n1 pin written\n"), String::new(), 0));
        assert_eq!(run(&test, &["sync", "--check"]).2, 0);
    }
}

#[test]
fn links_that_need_no_title() {
    let body = "```python file=train.py#L4-L6\ndef main():\n    steps = 3\n    for step in range(steps):\n```\n\n\
                1. [Steps](#L5) — how many.\n\n![a](../../../a.svg)\n";
    let test = course(body);
    test.write("code/lab-01-a/train.py", CODE).write("content/a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    let (_, err, status) = run(&test, &["check"]);
    assert!(!err.contains("W0307") && status == 0, "{err}");
    assert_eq!(run(&test, &["sync", "--check"]), ("every pin matches its file\n".to_owned(), String::new(), 0));
}

#[test]
fn a_promise_outside_a_course() {
    let test = SiteTest::empty();
    test.write(".git/HEAD", "")
        .write("src/train.py", CODE)
        .write(".env", "SECRET=1\n")
        .write(".github/ci.yml", "on: push\n");
    test.write("docs/page.md", "# Page\n").write("logo.bin", b"\0");
    // What READMEs have besides.
    test.write(
        "README.md",
        "# Read\n\n[a](docs/page.md#setup) [b](src) [c](https://example.org/a.py#L3) [d](../../issues#L3) [e](#L3)\n\
         [f](docs/#L3x) [g](gone.html#x) [h](src/train.py) ![i](src/train.py#L99) [j](/elsewhere/a.py#L3)\n\
         [k](docs/page#top) [l](src/train.py#L3C1-L4C2) [m](mailto:a@b.c#L3) [n](//example.org/a.py#L3)\n",
    );
    let (out, err, status) = run(&test, &["check", "--strict", "README.md"]);
    assert_eq!((out.as_str(), status), ("no code fence says `file=`: 1 Markdown file\n", 0));
    assert!(err.starts_with("help: a fence that begins ") && err.lines().count() == 2, "{err}");
    // Nothing of a hidden file is read or written.
    let hidden = "[a](.env#L1) [b](.github/ci.yml#L1) [c](logo.bin#L1)\n";
    test.write("hidden.md", hidden);
    let (_, err, status) = run(&test, &["check", "--strict", "hidden.md"]);
    assert!(err.matches("hint[W0307]").count() == 3 && !err.contains("SECRET") && status == 0, "{err}");
    run(&test, &["sync", "hidden.md", "--accept"]);
    assert_eq!(fs::read_to_string(test.root().join("hidden.md")).expect("the page"), hidden);
    test.write(
        "docs/a.md",
        "[a](../src/train.py#L99) [b](../src/trian.py#L3) [c](../src/train.py#tial) [d](../src/train.py#fn:mian)\n\
         [e](../src/train.py#L9-L3) [f](src/train.py#L3 \"x\") <a href=\"../src/train.py#L98\">g</a> [h]\n\n\
         [h]: ../src/train.py#L97\n",
    );
    let (_, err, status) = run(&test, &["check", "docs/a.md"]);
    let heads: Vec<&str> =
        err.lines().filter(|line| line.starts_with("error[") || line.contains("did you mean")).collect();
    let wanted = [
        "error[E0407]: `src/train.py` has 14 lines, not `L99`",
        "error[E0404]: `src/trian.py` does not exist",
        "  = help: did you mean `../src/train.py`?",
        "error[E0407]: `src/train.py` has no region `tial`",
        "error[E0407]: `src/train.py` does not define `mian`",
        "  = help: did you mean `fn:main`?",
        "error[E0311]: lines 9 to 3 run backwards",
        "error[E0404]: `docs/src/train.py` does not exist",
        "  = help: did you mean `../src/train.py`?",
        "error[E0407]: `src/train.py` has 14 lines, not `L98`",
        "error[E0407]: `src/train.py` has 14 lines, not `L97`",
    ];
    assert_eq!((heads, status), (wanted.to_vec(), 1), "{err}");
}
