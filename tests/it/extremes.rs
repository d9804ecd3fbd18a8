//! Large and hostile input: an answer in linear time, and never a panic.

use std::time::{Duration, Instant};

use crate::harness::SiteTest;

/// What no input of a few hundred kilobytes may take, in a build without optimisation on a busy machine.
const LIMIT: Duration = Duration::from_mins(2);

/// Builds a course of one page with this body; the codes that are reported.
fn page(body: &str) -> Vec<&'static str> {
    let test = SiteTest::from_dir("minimal");
    test.write("content/page.md", format!("---\ntitle: Page\n---\n\n{body}"));
    let start = Instant::now();
    let codes = test.build().codes();
    let took = start.elapsed();
    assert!(took < LIMIT, "{took:?} for {} bytes that begin {:?}", body.len(), &body[..body.len().min(40)]);
    codes
}

#[test]
fn nesting_is_linear_and_limited() {
    const MANY: usize = 100_000;
    for nested in ["[", "![", "*a ", "<b>", "`a", "$a ", "{", "a](", "[^a", "<!--", "~~a", "[@a;", "&#x", "| "] {
        page(&nested.repeat(MANY));
    }
    for deep in [">", "> ", "- ", "1. ", "> - "] {
        assert_eq!(page(&(deep.repeat(MANY) + "x")), ["E0201"], "{deep:?}");
    }
    page(&"[".repeat(MANY / 2).replace('[', "[a](b "));
}

#[test]
fn many_small_things_are_linear() {
    page(&"## Same\n\n".repeat(5_000));
    page(&"text[^1] ".repeat(5_000));
    page(&"| a | b |\n".repeat(10_000));
    page(&"[a]: #a\n".repeat(10_000));
    page(&"$x$ ".repeat(3_000));
    page(&format!("It has 1 {}B.", "thousand ".repeat(100_000)));
    page(&format!("It has 5 %{}.", "/%".repeat(100_000)));
}

#[test]
fn a_large_starter_is_linear() {
    let test = SiteTest::from_dir("notes");
    let line = "x = f(\"a\", [1, 2], {\"b\": c})  # note\n";
    test.write("code/lab-01-notes/large.py", line.repeat(20_000));
    test.write("content/large.md", "---\ntitle: Large\n---\n\n```python file=lab-01-notes/large.py#L1-L20\n```\n");
    let start = Instant::now();
    assert!(test.build().files.is_some());
    assert!(start.elapsed() < LIMIT * 2, "{:?}", start.elapsed());
}

#[test]
fn a_starter_on_one_line_and_one_that_opens_without_end() {
    for text in [
        "x = 1; ".repeat(50_000),
        "(".repeat(100_000),
        "\"\"\"".to_owned() + &"a\n".repeat(50_000),
        "# ANCHOR: a\n".repeat(20_000),
    ] {
        let test = SiteTest::from_dir("notes");
        test.write("code/lab-01-notes/odd.py", &text);
        test.write(
            "content/odd.md",
            "---\ntitle: Odd\n---\n\n```python file=lab-01-notes/odd.py#L1\n```\n\n1. `x` — a note.\n",
        );
        let start = Instant::now();
        let _codes = test.build().codes();
        assert!(start.elapsed() < LIMIT, "{:?} for {:?}", start.elapsed(), &text[..30]);
    }
}

#[test]
fn a_long_chain_of_needs_is_no_recursion() {
    let test = SiteTest::from_dir("minimal");
    test.write("content/site.yaml", "title: Chain\ntracks: [t]\n");
    test.write("content/tracks/t/index.md", "---\ntitle: T\nsummary: S\n---\n");
    for number in 0..600 {
        let after = if number == 0 { String::new() } else { format!("after: [s{}]\n", number - 1) };
        let path = format!("content/tracks/t/handbook/{:04}-s{number}.md", 1000 - number);
        test.write(&path, format!("---\ntitle: S{number}\nsummary: S\n{after}---\n"));
    }
    let files = test.build().site();
    let course: serde_json::Value = serde_json::from_slice(files["course.json"].as_ref()).expect("JSON");
    let order = course["tracks"][0]["order"].as_array().expect("an order");
    assert_eq!((&order[0], &order[599]), (&"tracks/t/handbook/s0.html".into(), &"tracks/t/handbook/s599.html".into()));
}

#[test]
fn forms_of_other_tools_are_linear() {
    for form in
        ["{{", "{{ x }} ", "[[", "[[a", "\\\\(", "\\[ ", "$ ", ":a", "==", "{.x ", "^[", "<<<<<<< a\n", ">>>>>>> a\n\n"]
    {
        page(&form.repeat(20_000));
    }
    for block in
        ["!!! note\n\n", "| a |\n| b |\n\n", "```js {1} a=b\n```\n\n", "[^a]: b\n\n", "[a][b] [^c] ", "a\n:b\n\n"]
    {
        page(&block.repeat(5_000));
    }
    page(&format!("```js {}\n```\n", "{".repeat(100_000)));
    page(&format!("| a |\n| - |\n|{}\n", " b |".repeat(50_000)));
}
