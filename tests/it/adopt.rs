//! `adopt`: copies of code are bound to the files that they copy, and nothing else is.

use std::fs;

use crate::harness::SiteTest;
use crate::repository::run;
use crate::sync::{LAB, course, lab};

const QUEUE: &str = "\
import heapq


class Queue:
    \"\"\"Gives the smallest first.\"\"\"

    def __init__(self, items):
        self.items = list(items)
        heapq.heapify(self.items)  # in linear time

    def pop(self):
        if not self.items:
            return None
        return heapq.heappop(self.items)
";
const POP: &str = "def pop(self):\n    if not self.items:\n        return None\n    return heapq.heappop(self.items)\n";

/// A repository with one file of code and one page.
fn repository(page: &str) -> SiteTest {
    let test = SiteTest::empty();
    test.write(".git/HEAD", "").write("src/queue.py", QUEUE).write("docs/a.md", page);
    test
}

/// Runs `adopt`, which must print this and leave the page so; then `check` and `adopt` find nothing.
#[track_caller]
fn adopts(page: &str, printed: &str, wanted: &str) {
    let test = repository(page);
    let read = || fs::read_to_string(test.root().join("docs/a.md")).expect("the page");
    let (out, err, status) = run(&test, &["adopt", "docs"]);
    assert_eq!((out.as_str(), status), (printed, 0), "{err}");
    assert_eq!(read(), wanted);
    let (out, err, status) = run(&test, &["check", "--strict", "docs"]);
    assert_eq!((status, err.contains("warning")), (0, false), "{out}{err}");
    run(&test, &["adopt", "docs"]);
    assert_eq!(read(), wanted, "a second run");
}

#[test]
fn a_copy_is_bound_by_the_best_name() {
    adopts(
        &format!("A\n\n```python\n{POP}```\n"),
        "docs/a.md:3: file=../src/queue.py#fn:pop\n1 code fence bound\n",
        &format!("A\n\n```python file=../src/queue.py#fn:pop\n{POP}```\n"),
    );
    let quoted = ">     if not self.items:\n>         return None\n";
    adopts(
        &format!("> ~~~ {{ .py title=\"a\" }}\n{quoted}> ~~~\n"),
        "docs/a.md:1: file=../src/queue.py#L12-L13\n1 code fence bound\n",
        &format!("> ~~~ {{ .py title=\"a\" file=../src/queue.py#L12-L13 }}\n{quoted}> ~~~\n"),
    );
    let spaced = POP.replace("\n    return heapq", "\n\n    return heapq");
    adopts(
        &format!("```py {{1}}\n{spaced}```\n"),
        "docs/a.md:1: file=../src/queue.py#fn:pop\n1 code fence bound\n",
        &format!("```py file=../src/queue.py#fn:pop {{1}}\n{spaced}```\n"),
    );
}

#[test]
fn comments_and_indentation_are_taken_from_the_file() {
    let init = "def __init__(self, items):\n    self.items = list(items)\n    heapq.heapify(self.items)";
    let wanted = format!("```python file=../src/queue.py#fn:__init__\n{init}  # in linear time\n```\n");
    let printed = "docs/a.md:1: file=../src/queue.py#fn:__init__, with the comments and the indentation of the file\n\
                   1 code fence bound\n";
    adopts(&format!("```python\n{init}\n```\n"), printed, &wanted);
    adopts(&format!("```python\n{}\n```\n", init.replace("    ", "\t")), printed, &wanted);
}

#[test]
fn what_the_author_left_out_stays_left_out() {
    let copy = "\
class Queue:
    \"\"\"Gives the smallest first.\"\"\"
    # ...
    def pop(self):
        # …
        return heapq.heappop(self.items)
";
    adopts(
        &format!("```python\n{copy}```\n"),
        "docs/a.md:1: file=../src/queue.py#fn:Queue\n1 code fence bound\n",
        &format!("```python file=../src/queue.py#fn:Queue\n{copy}```\n"),
    );
    let test = repository(&format!("```python file=../src/queue.py#fn:Queue\n{copy}```\n"));
    test.edit("src/queue.py", "return None", "raise IndexError");
    let (out, err, status) = run(&test, &["check", "--strict", "docs"]);
    assert_eq!((out.as_str(), status), ("the excerpt matches its file\n", 0), "{err}");
    test.edit("src/queue.py", "def pop(self):", "def take(self):");
    let (_, err, status) = run(&test, &["sync", "docs"]);
    assert!(err.starts_with("warning[W0301]") && status == 1, "an omission has lost its neighbor: {err}");
    test.edit("src/queue.py", "def take(self):", "def pop(self):");
    test.edit("src/queue.py", "class Queue:", "class Queue(object):");
    let (out, _, _) = run(&test, &["sync", "docs"]);
    let page = fs::read_to_string(test.root().join("docs/a.md")).expect("the page");
    let wanted = copy.replace("class Queue:", "class Queue(object):");
    assert_eq!(page, format!("```python file=../src/queue.py#fn:Queue\n{wanted}```\n"), "{out}");
}

#[test]
fn what_is_no_copy_or_several_is_left() {
    let near = POP.replace("return None", "raise IndexError");
    let test =
        repository(&format!("```python\n{near}```\n\n```python\n{POP}```\n\n1. Not a note.\n\n```sh\npip\n```\n"));
    let before = fs::read_to_string(test.root().join("docs/a.md")).expect("the page");
    let (out, _, status) = run(&test, &["adopt", "docs"]);
    assert!(out.starts_with("docs/a.md:1: 75 % of `src/queue.py` L11-L14\n  @@ "), "{out}");
    assert!(out.contains("\n  -        raise IndexError\n  +        return None\n"), "{out}");
    assert!(out.contains("docs/a.md:8: it copies `file=../src/queue.py#fn:pop`, but is not bound: "), "{out}");
    assert!(
        out.ends_with("nothing bound; 2 left, which copy several pieces of code, or at least 60 % of one\n"),
        "{out}"
    );
    test.write("src/copy.py", QUEUE).write("docs/a.md", format!("```python\n{POP}```\n"));
    let (out, _, _) = run(&test, &["adopt", "docs"]);
    let both = "`file=../src/copy.py#fn:pop` or `file=../src/queue.py#fn:pop`";
    assert!(out.starts_with(&format!("docs/a.md:1: it is a copy of several pieces of code: write {both}\n")), "{out}");
    test.write("docs/a.md", &before);
    let after = fs::read_to_string(test.root().join("docs/a.md")).expect("the page");
    assert_eq!((after, status), (before, 0));
}

#[test]
fn code_in_several_places_is_what_the_folder_or_the_section_says() {
    let test = repository("");
    test.write("src/copy.py", QUEUE.replace("list(items)", "[*items]"))
        .write("docs/b.md", format!("```python\n{POP}```\n"));
    test.write("src/c.md", format!("```python\n{POP}```\n"))
        .write("other/queue.py", QUEUE.replace("heapify", "heapified"));
    let init =
        "def __init__(self, items):\n    self.items = [*items]\n    heapq.heapify(self.items)  # in linear time\n";
    let old = init.replace("[*items]", "list(items)");
    let sections = format!(
        "# A\n\n```python\n{init}```\n\n## B\n\n```python\n{POP}```\n\n# C\n\n```python\n{POP}```\n\n```python\n{old}```\n"
    );
    test.write("docs/a.md", sections);
    let (out, err, _) = run(&test, &["adopt", "--dry-run", "docs", "src"]);
    let bound: Vec<&str> = out.lines().filter(|line| line.contains(".md:") && line.contains(": file=")).collect();
    assert_eq!(
        bound,
        [
            "docs/a.md:3: file=../src/copy.py#fn:__init__",
            "docs/a.md:11: file=../src/copy.py#fn:pop",
            "docs/a.md:20: file=../src/queue.py#fn:pop",
            "docs/a.md:27: file=../src/queue.py#fn:__init__"
        ],
        "{out}{err}"
    );
    assert_eq!(out.matches(": it is a copy of several pieces of code").count(), 2, "{out}");
}

#[test]
fn a_cell_without_a_name_cannot_be_bound() {
    let lines = "queue = [3, 1, 2]\ntotal = sum(queue)\nfor item in sorted(queue):\n    print(item, item / total)\n";
    let test = repository(&format!("```python\n{lines}```\n"));
    let source = lines.replace('\n', "\\n");
    let cell = format!(r#"{{"cell_type": "code", "metadata": {{}}, "outputs": [], "source": "{source}done = True"}}"#);
    test.write("src/queue.py", "").write(
        "src/a.ipynb",
        format!(r#"{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 4}}"#),
    );
    let (out, err, _) = run(&test, &["adopt", "docs"]);
    let why = "docs/a.md:1: it copies cell 1 of `src/a.ipynb`, which has no id or tag to be named by\n";
    assert!(out.starts_with(why), "{out}{err}");
}

#[test]
fn citations_become_links_that_hold_their_lines() {
    adopts(
        "# src/queue.py:12\n\nSee `src/queue.py:11`, queue.py:12-13, [queue.py:2](x), `a.py:3`, queue.py:99 and \
         `f(queue.py:4)`.\n",
        "docs/a.md:3: link to ../src/queue.py#L11\ndocs/a.md:3: link to ../src/queue.py#L12-L13\n2 links bound\n",
        "# src/queue.py:12\n\nSee [`src/queue.py:11`](../src/queue.py#L11 \"def pop(self):\"), \
         [queue.py:12-13](../src/queue.py#L12-L13 \"if not self.items:\"), [queue.py:2](x), `a.py:3`, queue.py:99 and \
         `f(queue.py:4)`.\n",
    );
}

#[test]
fn a_dry_run_prints_the_difference() {
    let page = format!("```python\n{POP}```\n");
    let test = repository(&page);
    let (out, _, status) = run(&test, &["adopt", "--dry-run", "docs/a.md"]);
    assert!(
        out.starts_with("--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1,4 +1,4 @@\n-```python\n+```python file="),
        "{out}"
    );
    assert!(out.ends_with("docs/a.md:1: file=../src/queue.py#fn:pop\n1 code fence would be bound\n"), "{out}");
    assert_eq!((fs::read_to_string(test.root().join("docs/a.md")).expect("the page"), status), (page, 0));
    let (_, help, _) = run(&test, &["check", "docs"]);
    let how = "help: `infralens adopt PATH` finds fences that are copies of code, and writes `file=` into them\n";
    assert!(help.ends_with(how), "{help}");
}

#[test]
fn pages_of_a_course_name_their_own_files() {
    let code = "x = 1\n# a comment\ntotal = x + y\nwritten = total and x\n";
    let body = format!("\nThe `total` and `x`.\n\n```python\n{code}```\n\n1. `x = 1` — one.\n");
    let test = course(&body);
    test.write("code/lab-01-a/a.py", format!("# ANCHOR: all\n{code}# ANCHOR_END: all\n"));
    let (out, err, status) = run(&test, &["adopt"]);
    assert_eq!((out.as_str(), status), (format!("{LAB}:12: file=a.py#all\n1 code fence bound\n").as_str(), 0), "{err}");
    assert_eq!(lab(&test), body.replacen("```python", "```python file=a.py#all", 1));
    let (out, _, _) = run(&test, &["adopt"]);
    let offered = "`total` is in code/lab-01-a/a.py:4, but no note is bound to it: \
                   a note under line 12 can begin with it";
    assert_eq!(out, format!("{LAB}:10: {offered}\nnothing bound\n"));
}
