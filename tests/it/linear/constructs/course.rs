//! Constructs of excerpts, code, settings, and whole courses.

use super::{Construct, MOVED, construct, each, lab, lab_text, page, starter};

pub(super) fn excerpts() -> Vec<Construct> {
    vec![
        construct("excerpts of one file", 20, |n| {
            lab("x = 1\ny = 2\n", &"```python file=a.py#L1\nx = 1\n```\n\n".repeat(n))
        }),
        construct("excerpts of many regions", 20, |n| {
            let code = each(n, |i| format!("# ANCHOR: r{i}\nx{i} = 1\n# ANCHOR_END: r{i}\n"));
            lab(&code, &each(n, |i| format!("```python file=#r{i}\nx{i} = 1\n```\n\n1. `x{i}` — a note.\n\nText.\n\n")))
        }),
        construct("regions of one excerpt", 20, |n| {
            let code = each(n, |i| format!("# ANCHOR: r{i}\nx{i} = 1\n# ANCHOR_END: r{i}\ny = 1\n"));
            let names = each(n, |i| format!("{}r{i}", if i == 0 { "" } else { "," }));
            lab(&code, &format!("```python file=#{names}\n```\n"))
        }),
    ]
}

pub(super) fn notes() -> Vec<Construct> {
    vec![
        construct("notes on many lines", 50, |n| {
            let code = each(n, |i| format!("x{i} = 1\n"));
            lab(&code, &format!("```python file=a.py\n{code}```\n\n{}", each(n, |i| format!("1. `x{i}` — a note.\n"))))
        }),
        construct("notes on one line", 50, |n| {
            lab("x = 1\n", &format!("```python file=a.py\nx = 1\n```\n\n{}", "1. `x` — a note.\n".repeat(n)))
        }),
        construct("notes on what is not there", 20, |n| {
            let code = each(n, |i| format!("name{i} = 1\n"));
            lab(
                &code,
                &format!("```python file=a.py\n{code}```\n\n{}", each(n, |i| format!("1. `nam{i}` — a note.\n"))),
            )
        }),
        construct("notes that bind nothing", 50, |n| {
            lab("x = 1\n", &format!("```python file=a.py\nx = 1\n```\n\n{}", "1. a note.\n".repeat(n)))
        }),
        construct("bindings of one note", 50, |n| {
            let code = each(n, |i| format!("x{i} = 1\n"));
            let bindings = each(n, |i| format!("{}`x{i}`", if i == 0 { "" } else { " / " }));
            lab(&code, &format!("```python file=a.py\n{code}```\n\n1. {bindings} — a note.\n"))
        }),
        construct("notes that cover many lines", 20, |n| {
            let code = each(n, |i| format!("x{i} = (\n")) + &")\n".repeat(n);
            lab(&code, &format!("```python file=a.py\n{code}```\n\n{}", each(n, |i| format!("1. `x{i}` — a note.\n"))))
        }),
        construct("the last of many occurrences", 50, |n| {
            let code = "x = 1\n".repeat(n);
            lab(
                &code,
                &format!(
                    "```python file=a.py\n{code}```\n\n{}",
                    each(n, |i| format!("1. `x` ({}) — a note.\n", i + 1))
                ),
            )
        }),
        construct("a term that is marked again", 100, |n| {
            let code = "x ".repeat(n);
            lab(&code, &format!("```python file=a.py mark=\"{}\"\n{code}\n```\n", "x, ".repeat(n)))
        }),
        construct("terms that are marked", 50, |n| {
            let code = each(n, |i| format!("x{i} = 1\n"));
            let marks = each(n, |i| format!("x{i}, "));
            lab(&code, &format!("```python file=a.py mark=\"{marks}\"\n{code}```\n"))
        }),
    ]
}

pub(super) fn lit() -> Vec<Construct> {
    vec![
        construct("lines lit by their numbers", 50, |n| {
            let code = each(n, |i| format!("x{i} = 1\n"));
            let numbers = each(n, |i| format!("L{}, ", i + 1));
            lab(&code, &format!("```python file=a.py light=\"{numbers}\"\n{code}```\n"))
        }),
        construct("lines lit by texts", 50, |n| {
            let code = each(n, |i| format!("x{i} = 1\n"));
            lab(&code, &format!("```python file=a.py light=\"{}\"\n{code}```\n", each(n, |i| format!("x{i} =, "))))
        }),
        construct("lines lit by one text", 200, |n| {
            let code = "x = 1\n".repeat(n);
            lab(&code, &format!("```python file=a.py light=\"x\"\n{code}```\n"))
        }),
        construct("lines since other code", 100, |n| {
            let (old, new) = (each(n, |i| format!("x{i} = {i}\n")), each(n, |i| format!("x{i} = {}\n", i - i % 3)));
            let mut files = lab(&new, &format!("```python file=a.py since=b.py\n{new}```\n"));
            files.push(("code/lab-01-a/b.py".into(), old));
            files
        }),
        construct("lines that were added since other code", 100, |n| {
            let code = each(n, |i| format!("x{i} = 1\n"));
            let mut files = lab(&code, &format!("```python file=a.py since=b.py\n{code}```\n"));
            files.push(("code/lab-01-a/b.py".into(), "x0 = 1\n".into()));
            files
        }),
        construct("excerpts since other code", 10, |n| {
            let excerpt = "```python file=a.py#L2 since=a.py#L1\ny = 1\n```\n\nText.\n\n";
            lab("x = 1\ny = 1\n", &excerpt.repeat(n))
        }),
    ]
}

/// Markdown files that are shown as what they are.
pub(super) fn markdown_starters() -> Vec<Construct> {
    let typeset = |name, first, text: fn(usize) -> String| {
        construct(name, first, move |n| {
            let mut files = page("```text file=l/a.md#L1\n```\n");
            files.push(("code/l/a.md".into(), text(n)));
            files
        })
    };
    vec![
        typeset("paragraphs of a Markdown starter", 100, |n| each(n, |i| format!("Paragraph {i}, *shown*.\n\n"))),
        typeset("headings of a Markdown starter", 100, |n| each(n, |i| format!("# Part {i}\n\n"))),
        typeset("items of a Markdown starter", 100, |n| "- [ ] item\n".repeat(n)),
        typeset("lists in lists of a Markdown starter", 20, |n| each(n, |i| "  ".repeat(i % 40) + "- item\n")),
        typeset("rows of a table of a Markdown starter", 100, |n| {
            format!("| a | b |\n| - | - |\n{}", "| c |  |\n".repeat(n))
        }),
        typeset("code in a Markdown starter", 100, |n| format!("```python\n{}```\n", "x = f(1)\n".repeat(n))),
        typeset("HTML in a Markdown starter", 100, |n| "<div>\n\na ____\n\n</div>\n\n".repeat(n)),
        construct("notes on a Markdown starter", 20, |n| {
            let code = each(n, |i| format!("Word {i}, *shown*.\n\n"));
            let notes = each(n, |i| format!("1. `Word {i},` — a note.\n"));
            let mut files = page(&format!("```markdown file=l/a.md\n{code}```\n\n{notes}"));
            files.push(("code/l/a.md".into(), code));
            files
        }),
    ]
}

pub(super) fn pins() -> Vec<Construct> {
    vec![
        construct("pins that differ", 400, |n| {
            let (old, new) = (each(n, |i| format!("old{i} = 1\n")), each(n, |i| format!("new{i} = 1\n")));
            lab(&new, &format!("```python file=a.py\n{old}```\n\n1. `1` — a note.\n"))
        }),
        construct("pins whose lines have moved", 400, |n| {
            let (old, new) = (each(n, |i| format!("x{} = 1\n", n - i)), each(n, |i| format!("x{i} = 1\n")));
            lab(
                &new,
                &format!("```python file=a.py\n{old}```\n\n{}", each(n, |i| format!("1. `x{}` — a note.\n", i + 1))),
            )
        }),
        construct("pins of lines that have moved", 50, |n| {
            let code = "y = 1\n".repeat(n) + "x = 1\n";
            lab(&code, &"```python file=a.py#L1\nx = 1\n```\n\n".repeat(20))
        }),
        construct("links to lines", 20, |n| {
            let code = each(n, |i| format!("x{i} = 1\nsame = 1\n}}\n"));
            let links = |i| {
                let line = 3 * i + 1;
                format!("[a](code:#L{line}) [b](code:#L{line} \"same = 1\") [c](code:#L{line} \"gone\") [r]\n")
            };
            lab(&code, &format!("{}\n[r]: code:#L2\n", each(n, links)))
        }),
        construct("pins that are stale", 20, |n| {
            lab("x = 1\n", &"```python file=a.py\nx = 2\n```\n\n1. `x` — a note.\n\nText.\n\n".repeat(n))
        }),
        construct("pins whose code is in other files", 20, |n| {
            let code = |i: usize| format!("def f{i}(x):\n    return x + everything\n");
            let mut files =
                lab("x = 1\n", &each(n, |i| format!("```python file=a.py#fn:f{i}\n{}```\n\nText.\n\n", code(i))));
            files.extend((0..n).map(|i| (format!("code/l/f{i}.py"), code(i))));
            files
        }),
        construct("pins that are empty", 20, |n| {
            lab("x = 1\n", &"```python file=a.py\n```\n\n1. `x` — a note.\n\nText.\n\n".repeat(n))
        }),
        construct("excerpts of many files", 10, |n| {
            let mut files =
                page(&each(n, |i| format!("```python file=l/f{i}.py\nx = 1\n```\n\n1. `x` — a note.\n\nText.\n\n")));
            files.extend((0..n).map(|i| (format!("code/l/f{i}.py"), "x = 1\n".to_owned())));
            files
        }),
        construct("notes on tokens of one line", 50, |n| {
            let line = each(n, |i| format!("x{i} "));
            lab(
                &line,
                &format!("```python file=a.py\n{line}\n```\n\n{}", each(n, |i| format!("1. `x{i}` — a note.\n"))),
            )
        }),
        construct("mistakes on one line", 300, |n| page(&each(n, |i| format!("[a](gone{i}.md) ")))),
        construct("code spans of a lab", 50, |n| lab("x = 1\n", &each(n, |i| format!("`word{i}` ")))),
        construct("code spans that are bound", 50, |n| {
            lab("x = 1\n", &("```python file=a.py\nx = 1\n```\n\n1. `x` — a note.\n\n".to_owned() + &"`x` ".repeat(n)))
        }),
    ]
}

pub(super) fn code() -> Vec<Construct> {
    vec![
        construct("lines of code", 200, |n| starter("py", "x = f(1)  # note\n".repeat(n), "L1")),
        construct("code on one line", 200, |n| starter("py", "x = f(1); ".repeat(n) + "\n", "L1")),
        construct("regions", 100, |n| {
            starter("py", each(n, |i| format!("# ANCHOR: r{i}\nx\n# ANCHOR_END: r{i}\n")), "r0")
        }),
        construct("regions in regions", 100, |n| {
            starter(
                "py",
                each(n, |i| format!("# ANCHOR: r{i}\n")) + "x\n" + &each(n, |i| format!("# ANCHOR_END: r{i}\n")),
                "r0",
            )
        }),
        construct("regions that are not closed", 50, |n| starter("py", each(n, |i| format!("# ANCHOR: r{i}\n")), "r0")),
        construct("regions of one name", 50, |n| starter("py", "# ANCHOR: r\nx\n# ANCHOR_END: r\n".repeat(n), "r")),
        construct("folds", 100, |n| starter("py", "#region a b\nx\n#endregion\n".repeat(n), "L2")),
        construct("selectors that are not there", 20, |n| {
            let mut files = page(&each(n, |i| format!("```py file=l/a.py#regio{i}\n```\n\n")));
            files.push((
                "code/l/a.py".into(),
                each(n, |i| format!("# ANCHOR: region{i}\nx\n# ANCHOR_END: region{i}\n")),
            ));
            files
        }),
        construct("symbols that are not there", 200, |n| {
            let mut files = page(&each(n, |i| format!("```py file=l/a.py#fn:functio{i}\n```\n\n")));
            files.push(("code/l/a.py".into(), each(n, |i| format!("def function{i}(): pass\n"))));
            files
        }),
        construct("symbols that are shown", 20, |n| {
            let mut files = page(&each(n, |i| format!("```py file=l/a.py#fn:function{i}\n```\n\n")));
            files.push(("code/l/a.py".into(), each(n, |i| format!("def function{i}():\n    pass\n"))));
            files
        }),
    ]
}

pub(super) fn symbols() -> Vec<Construct> {
    let many = |extension: &'static str, unit: &'static str, count: usize| {
        move |n: usize| {
            starter(
                extension,
                unit.replace("NAME", "f0") + &each(n * count, |i| unit.replace("NAME", &format!("f{}", i + 1))),
                "fn:f0",
            )
        }
    };
    vec![
        construct("functions of Python", 100, many("py", "def NAME():\n    pass\n", 1)),
        construct("functions of one name", 100, |n| starter("py", "def f():\n    pass\n".repeat(n), "fn:f")),
        construct("functions in functions of Python", 10, |n| {
            starter("py", each(n, |i| format!("{}def f{i}():\n", " ".repeat(i % 60))), "fn:f0")
        }),
        construct("functions of Rust", 100, many("rs", "fn NAME() {}\n", 1)),
        construct("functions of C++", 100, many("cpp", "int NAME(int a) { return a; }\n", 1)),
        construct("kernels of CUDA", 100, many("cu", "__global__ void NAME(float *a) { a[0] = 1; }\n", 1)),
        construct("functions of Go", 100, many("go", "func (r *R) NAME(a int) { f() }\n", 1)),
        construct("methods of Java", 100, many("java", "class NAME { @A(1) int m(int a) { return a; } }\n", 1)),
        construct("functions of TypeScript", 100, many("ts", "const NAME = (a: { b: 1 }) => { f() }\n", 1)),
        construct("functions of a shell", 100, many("sh", "NAME() { echo; }\n", 1)),
        construct("words of C++", 500, |n| starter("cpp", "a ".repeat(n) + "\nint f() {}\n", "fn:f")),
        construct("words of C++ and an end", 500, |n| starter("cpp", "a ".repeat(n) + &"(x) ".repeat(n), "L1")),
        construct("one long word of C++", 500, |n| {
            starter("cpp", "a".repeat(n) + &" b(c)".repeat(n / 2) + "\n", "fn:f")
        }),
        construct("one long macro of C++", 500, |n| starter("cpp", "A".repeat(n) + &" b(c)\n\n".repeat(n / 2), "fn:f")),
        construct("keywords of C++ without a class", 200, |n| {
            starter("cpp", "class a ".repeat(n) + "* {}\nint f() {}\n", "fn:f")
        }),
        construct("initializers of C++", 200, |n| {
            starter("cpp", "S() : ".to_owned() + &"a{}, ".repeat(n) + "b{} {}", "L1")
        }),
        construct("values of JavaScript", 200, |n| starter("js", "a = ".to_owned() + &"b = {}, ".repeat(n), "L1")),
        construct("decorators of TypeScript", 200, |n| starter("ts", "@a\n".repeat(n) + "class A {}\n", "fn:A")),
        construct("templates of JavaScript", 200, |n| starter("js", "`${".repeat(n) + &"}`".repeat(n), "L1")),
        construct("expressions of JavaScript", 200, |n| {
            starter("js", "/[".repeat(n) + "\n" + &"= /\n".repeat(n), "L1")
        }),
        construct("branches of C++", 100, |n| {
            starter("cpp", each(n, |i| format!("#if A{i}\n{{\n#else\n{{\n#endif\n#if A{i}\n}}\n#endif\n")), "L1")
        }),
        construct("branches in branches of C++", 100, |n| {
            let open = "#ifdef A\n{\n#endif\n".to_owned() + &"#ifndef A\n{\n".repeat(n);
            starter("cpp", open + &"}\n#else\n}\n#endif\n".repeat(n), "L1")
        }),
        construct("functions in doubt", 100, |n| starter("js", each(n, |i| format!("function f{i}() {{\n")), "L1")),
        construct("parts of a declaration", 200, |n| {
            starter("c", "int f(\n".to_owned() + &"a,\n".repeat(n) + ");", "L1")
        }),
        construct("names in names of C++", 200, |n| starter("cpp", "a::".repeat(n) + "f() {}\n", "fn:f")),
        construct("templates of C++", 200, |n| {
            starter("cpp", "template<".repeat(n) + &">".repeat(n) + " int f() {}\n", "fn:f")
        }),
        construct("signs of less in C++", 500, |n| starter("cpp", "a < b; ".repeat(n) + "int f() {}\n", "fn:f")),
        construct("words of Rust", 500, |n| starter("rs", "a ".repeat(n) + "fn f() {}\n", "fn:f")),
        construct("signs of less in Rust", 500, |n| starter("rs", "impl<\n".repeat(n) + "fn f() {}\n", "fn:f")),
        construct("words of a shell", 500, |n| starter("sh", "a ".repeat(n) + "\nf() { :; }\n", "fn:f")),
        construct("here-documents of a shell", 100, |n| {
            starter("sh", each(n, |i| format!("cat <<E{i}\n")) + "f() { :; }\n", "fn:f")
        }),
        construct("heads of Python", 500, |n| starter("py", "@a\n".repeat(n) + "def f(): pass\n", "fn:f")),
        construct("comments of Python", 500, |n| starter("py", "# a\n".repeat(n) + "def f(): pass\n", "fn:f")),
        construct("strings that are not closed", 200, |n| {
            starter("py", "\"\"\"\n".to_owned() + &"'a\n".repeat(n), "L1")
        }),
        construct("brackets of code that are not closed", 500, |n| starter("py", "(".repeat(n) + "\n", "L1")),
        construct("braces of code that are not closed", 500, |n| starter("cpp", "int f() {\n".repeat(n), "L1")),
        construct("one long name", 2000, |n| starter("py", "a".repeat(n) + " = 1\n", "L1")),
    ]
}

pub(super) fn settings() -> Vec<Construct> {
    let list = |key: &str, n: usize| format!("{key}:\n{}", each(n, |i| format!("  - x{i}\n")));
    let front = move |key: &'static str| {
        move |n: usize| vec![("content/page.md".into(), format!("---\ntitle: Page\n{}---\n\nText.\n", list(key, n)))]
    };
    let of_lab = move |key: &'static str| {
        move |n: usize| vec![("content/tracks/t/labs/lab-01-a.md".into(), lab_text(&list(key, n), "Text.\n"))]
    };
    vec![
        construct("aliases", 50, |n| {
            let items = each(n, |i| format!("{}old/x{i}.html", if i == 0 { "" } else { ", " }));
            vec![("content/page.md".into(), format!("---\ntitle: Page\naliases: [{items}]\n---\n\nText.\n"))]
        }),
        construct("aliases that are one", 150, |n| {
            vec![(
                "content/page.md".into(),
                format!("---\ntitle: Page\naliases: [{}a.html]\n---\n\nText.\n", "a.html, ".repeat(n)),
            )]
        }),
        construct("reading that is not there", 50, front("reading")),
        construct("lints that are not there", 50, front("allow")),
        construct("prerequisites that are not there", 50, of_lab("after")),
        construct("keys that are not known", 50, |n| {
            vec![(
                "content/page.md".into(),
                format!("---\ntitle: Page\n{}---\n\nText.\n", each(n, |i| format!("titl{i}: x\n"))),
            )]
        }),
        construct("keys that are given twice", 50, |n| {
            vec![("content/page.md".into(), format!("---\n{}---\n\nText.\n", "title: Page\n".repeat(n)))]
        }),
        construct("a long title", 500, |n| {
            vec![("content/page.md".into(), format!("---\ntitle: {}\n---\n\nText.\n", "word ".repeat(n)))]
        }),
        construct("words that are known", 100, |n| {
            let words = each(n, |i| format!("  - word{i}\n"));
            let mut files = lab("x = 1\n", &each(n, |i| format!("`word{i}` ")));
            files.push((
                "content/site.yaml".into(),
                format!("title: Base\ntracks: [t]\nlabs: {{ sections: [] }}\nwords:\n{words}"),
            ));
            files
        }),
        construct("sections of the contract", 20, |n| {
            let sections = each(n, |i| format!("    - {{ title: Section {i} }}\n"));
            let mut files = lab("x = 1\n", &each(n, |i| format!("## Section {i}\n\nText.\n\n")));
            files.push((
                "content/site.yaml".into(),
                format!("title: Base\ntracks: [t]\nlabs:\n  sections:\n{sections}"),
            ));
            files
        }),
        construct("records of a lab", 20, |n| {
            let records = each(n, |i| format!("r{i}: a, "));
            let front = format!("starter: {{ file: a.py, type: t, angle: a, record: {{ {records} }} }}\n");
            let text = lab_text(&front, "Text.\n").replace("starter: { file: a.py, type: t, angle: a }\n", "");
            let mut files = vec![("content/tracks/t/labs/lab-01-a.md".into(), text)];
            files.extend((0..n).map(|i| (format!("code/lab-01-a/records/r{i}.json"), "{}\n".into())));
            files
        }),
        construct("questions below headings", 50, |n| {
            let mut files = lab(
                "x = 1\n",
                &("## Check yourself\n\n".to_owned() + &each(n, |i| format!("### Question {i}?\n\nAnswer.\n\n"))),
            );
            files.push(("content/site.yaml".into(), "title: Base\ntracks: [t]\n".into()));
            files
        }),
        construct("questions of a list", 50, |n| {
            let mut files = lab(
                "x = 1\n",
                &("## Check yourself\n\n".to_owned() + &each(n, |i| format!("Question {i}?\n: Answer.\n\n"))),
            );
            files.push(("content/site.yaml".into(), "title: Base\ntracks: [t]\n".into()));
            files
        }),
    ]
}

/// YAML, as the front matter of a page.
pub(super) fn yaml() -> Vec<Construct> {
    let front = |name: &'static str, first: usize, text: fn(usize) -> String| {
        construct(name, first, move |n| {
            vec![("content/page.md".into(), format!("---\ntitle: Page\n{}\n---\n\nText.\n", text(n)))]
        })
    };
    vec![
        front("items of a list in brackets", 500, |n| format!("allow: [{}]", "a, ".repeat(n))),
        front("keys of a map in braces", 200, |n| format!("a: {{{}}}", "b: c, ".repeat(n))),
        front("lines of one value", 500, |n| format!("summary: {}", "word\n ".repeat(n))),
        front("lines of a block", 500, |n| format!("summary: |\n{}", "  x\n".repeat(n))),
        front("lines of a quote that is not closed", 500, |n| format!("summary: \"{}", "x\n ".repeat(n))),
        front("a long key", 2000, |n| format!("? {}\n: x", "k".repeat(n))),
        front("comments of YAML", 500, |n| "# c\n".repeat(n)),
        front("blank lines of YAML", 1000, |n| "\n".repeat(n)),
        front("anchors", 100, |n| each(n, |i| format!("k{i}: &a{i} x\n"))),
    ]
}

pub(super) fn courses() -> Vec<Construct> {
    let text = |title: String, rest: &str| format!("---\ntitle: {title}\nsummary: What it is.\n{rest}---\n\nText.\n");
    vec![
        construct("pages", 10, move |n| {
            (0..n).map(|i| (format!("content/p{i}.md"), text(format!("Page {i}"), ""))).collect()
        }),
        construct("pages of one title", 10, move |n| {
            (0..n).map(|i| (format!("content/p{i}.md"), text("Page".into(), ""))).collect()
        }),
        construct("pages that cannot be read", 20, |n| {
            (0..n).map(|i| (format!("content/p{i}.md"), "no front matter\n".into())).collect()
        }),
        construct("pages in the wrong place", 20, |n| {
            (0..n).map(|i| (format!("content/tracks/t/labs/x{i}.md"), "---\ntitle: x\n---\n".into())).collect()
        }),
        construct("labs of a track", 5, |n| {
            (0..n)
                .map(|i| {
                    (
                        format!("content/tracks/t/labs/lab-{:02}-x{i}.md", i + 2),
                        lab_text("", "Text.\n")
                            .replace("file: a.py", &format!("file: l/f{i}.py"))
                            .replace("title: Lab A", &format!("title: Lab {i}")),
                    )
                })
                .collect()
        }),
        construct("sections of a track", 5, move |n| {
            (0..n)
                .map(|i| (format!("content/tracks/t/handbook/{:02}-x{i}.md", i + 2), text(format!("Section {i}"), "")))
                .collect()
        }),
        construct("sections that need each other", 5, move |n| {
            (0..n)
                .map(|i| {
                    (
                        format!("content/tracks/t/handbook/{:02}-x{i}.md", i + 2),
                        text(format!("Section {i}"), &format!("after: [x{}]\n", (i + 1) % n)),
                    )
                })
                .collect()
        }),
        construct("sections that follow each other", 20, move |n| {
            (0..n)
                .map(|i| {
                    let after = if i == 0 { String::new() } else { format!("after: [x{}]\n", i - 1) };
                    (format!("content/tracks/t/handbook/{:02}-x{i}.md", i + 2), text(format!("Section {i}"), &after))
                })
                .collect()
        }),
        // More than the picture of a track shows, whose lines are each compared with those near them.
        construct("sections in many cycles", 65, move |n| {
            (0..n)
                .map(|i| {
                    let after = format!("after: [x0, x{}]\n", (i + 1) % n);
                    (format!("content/tracks/t/handbook/{:02}-x{i}.md", i + 2), text(format!("Section {i}"), &after))
                })
                .collect()
        }),
        construct("broken links of a course in which a page is moved", 50, move |n| {
            let links = each(n, |i| format!("[a](gone{i}.md)\n\n"));
            vec![
                ("content/page.md".into(), format!("---\ntitle: Page\nminutes: 5\n---\n\n{links}")),
                (MOVED.into(), text("Moved".into(), "")),
            ]
        }),
        construct("aliases of many pages", 10, move |n| {
            (0..n).map(|i| (format!("content/p{i}.md"), text(format!("Page {i}"), "aliases: [a.html]\n"))).collect()
        }),
        construct("files that are copied", 50, |n| (0..n).map(|i| (format!("static/f{i}.txt"), "x".into())).collect()),
        construct("files of code", 50, |n| (0..n).map(|i| (format!("code/lab-01-a/f{i}.txt"), "x\n".into())).collect()),
    ]
}
