//! Every construct of the format, as often as is asked for: each is a few files that are put into a small course.

use std::fmt::Write;

/// Files by their paths.
pub type Files = Vec<(String, String)>;

/// Files that are in the course before any construct is, so that a construct is an edit.
pub const EDITED: [(&str, &str); 4] = [
    ("content/page.md", "---\ntitle: Page\n---\n\nText.\n"),
    ("content/glossary.md", "---\ntitle: Glossary\n---\n\nledger\n: A list of sums.\n\nloss\n: What is made small.\n"),
    ("content/shown.md", "---\ntitle: Shown\n---\n\n[code](code:l/a.py)\n"),
    ("code/l/a.py", "x = 1\n"),
];
/// Where code lies of which the symbols are read and nothing else: to highlight a language takes its grammar, which takes
/// more than all constructs together.
pub const SYMBOLS: &str = "symbols/";

/// A construct: its name, how often it is tried first, and what it is so many times.
pub struct Construct {
    pub name: &'static str,
    pub first: usize,
    pub files: Box<dyn Fn(usize) -> Files>,
}

fn construct(name: &'static str, first: usize, files: impl Fn(usize) -> Files + 'static) -> Construct {
    Construct { name, first: first.div_ceil(2), files: Box::new(files) }
}

/// `of(0)`, `of(1)` and so on, one after the other.
fn each(count: usize, of: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut all, number| {
        // Writing to a String cannot fail.
        let _ = write!(all, "{}", of(number));
        all
    })
}

/// An ordinary page.
fn page(body: &str) -> Files {
    vec![("content/page.md".into(), format!("---\ntitle: Page\n---\n\n{body}"))]
}

fn lab_text(front: &str, body: &str) -> String {
    let front = format!("title: Lab A\nfocus: f\nreads: r\noutcome: o\nhandbook: [s]\n{front}");
    format!("---\n{front}starter: {{ file: a.py, type: t, angle: a }}\n---\n\n{body}")
}

/// A lab, and the code that it reads.
fn lab(code: &str, body: &str) -> Files {
    vec![("code/lab-01-a/a.py".into(), code.into()), ("content/tracks/t/labs/lab-01-a.md".into(), lab_text("", body))]
}

/// A starter file, and a page that shows what `selector` selects of it; of another language than Python, only its symbols.
fn starter(extension: &str, code: String, selector: &str) -> Files {
    if extension != "py" {
        return vec![(format!("{SYMBOLS}a.{extension}"), code)];
    }
    let mut files = page(&format!("```text file=l/a.{extension}#{selector}\n```\n"));
    files.push((format!("code/l/a.{extension}"), code));
    files
}

/// The same unit again and again on a page.
fn repeated(name: &'static str, first: usize, unit: &'static str) -> Construct {
    construct(name, first, move |n| page(&unit.repeat(n)))
}

/// All of them.
pub fn all() -> Vec<Construct> {
    [markdown(), links(), html(), excerpts(), code(), settings(), courses()].into_iter().flatten().collect()
}

fn markdown() -> Vec<Construct> {
    vec![
        repeated("headings that are equal", 200, "## Same\n\n"),
        construct("headings that differ", 200, |n| page(&each(n, |i| format!("## Heading {i}\n\n")))),
        construct("headings whose ids look numbered", 200, |n| {
            page(&each(n, |i| format!("## a {}\n\n## a\n\n", i + 1)))
        }),
        repeated("headings with one id", 200, "## Same {#x}\n\n"),
        construct("paragraphs", 200, |n| page(&each(n, |i| format!("A paragraph of words, *the {i}th* of them.\n\n")))),
        construct("words on one line", 1000, |n| page(&each(n, |i| format!("word{i} ")))),
        repeated(
            "equal sentences",
            100,
            "This is one sentence of more than twelve words that is written here again and again. ",
        ),
        repeated("emphasis", 200, "*a* **b** ~~c~~ "),
        repeated("emphasis that is not closed", 200, "*a **b "),
        repeated("code spans", 200, "`a` "),
        construct("backticks that are not closed", 100, |n| page(&each(n, |i| "`".repeat(i % 40 + 1) + " x "))),
        repeated("dollar signs", 200, "$ a $5 "),
        repeated("formulas", 50, "$x$ "),
        construct("one formula", 200, |n| page(&format!("${}$", "a+".repeat(n.min(1200))))),
        repeated("dashes and quotes", 200, "--- \"a\" -- 'b' ... --c "),
        repeated("escapes", 200, "\\* \\` &amp; "),
        repeated("items of a list", 200, "- item\n"),
        repeated("items of a loose list", 200, "1. item\n\n"),
        repeated("items to be ticked", 200, "- [ ] item\n"),
        construct("lists in lists", 20, |n| page(&each(n, |i| "  ".repeat(i % 40) + "- item\n"))),
        construct("definitions", 100, |n| page(&each(n, |i| format!("term {i}\n: What it is.\n\n")))),
        repeated("quotes", 200, "> quote\n\n"),
        repeated("lines of one quote", 200, "> quote\n"),
        repeated("alerts", 100, "> [!NOTE]\n> text\n\n"),
        construct("quotes in quotes", 20, |n| page(&each(n, |i| "> ".repeat(i % 50 + 1) + "a\n\n"))),
        repeated("rows of a table", 200, "| a | b |\n| - | - |\n"),
        construct("columns of a table", 100, |n| {
            page(&format!("|{}\n|{}\n|{}\n", "a|".repeat(n), "-|".repeat(n), "b|".repeat(n)))
        }),
        construct("cells that are missing", 100, |n| {
            page(&format!("|{}\n|{}\n{}", "a|".repeat(30), "-|".repeat(30), "|b\n".repeat(n)))
        }),
        repeated("tables", 100, "| a | b |\n| - | - |\n| c | d |\n\n"),
        construct("footnotes", 100, |n| {
            page(&(each(n, |i| format!("a[^{i}] ")) + "\n\n" + &each(n, |i| format!("[^{i}]: text\n\n"))))
        }),
        construct("references to one footnote", 100, |n| page(&("a[^x] ".repeat(n) + "\n\n[^x]: text\n"))),
        construct("footnotes in footnotes", 100, |n| {
            page(&("a[^0]\n\n".to_owned() + &each(n, |i| format!("[^{i}]: b[^{}]\n\n", i + 1))))
        }),
        repeated("footnotes that are not there", 200, "a[^x] "),
        repeated("fences", 100, "```python\nx = 1\n```\n\n"),
        construct("lines of a fence", 500, |n| page(&format!("```\n{}```\n", "x = 1\n".repeat(n)))),
        construct("lines of highlighted code", 200, |n| page(&format!("```python\n{}```\n", "x = f(1)\n".repeat(n)))),
        construct("fences in a fence that is not closed", 200, |n| {
            page(&("````\n".to_owned() + &"```\nx\n".repeat(n)))
        }),
        repeated("fences that show no code", 50, "```python fle=a.py\nx\n```\n\n"),
        repeated("rules", 200, "a\n\n---\n\n"),
        repeated("indented code", 200, "a\n\n    b\n\n"),
        construct("nodes of a flowchart", 8, |n| {
            page(&format!("```mermaid\nflowchart LR\n{}```\n", each(n, |i| format!("a{i} --> a{}\n", i + 1))))
        }),
        construct("messages of a sequence", 10, |n| {
            page(&format!("```mermaid\nsequenceDiagram\n{}```\n", "A->>B: x\n".repeat(n)))
        }),
        construct("flowcharts", 10, |n| page(&"```mermaid\nflowchart LR\na --> b\n```\n\n".repeat(n))),
        construct("pikchr", 20, |n| page(&format!("```pikchr\n{}```\n", "box \"a\"; arrow\n".repeat(n.min(200))))),
        repeated("parts that the generator writes", 30, "<!-- curriculum -->\n\n"),
        repeated("examples", 50, "<!-- example -->\n\na\n\n<!-- /example -->\n\n"),
        repeated("comments that are nearly parts", 100, "<!-- curiculum -->\n\n"),
        repeated("words that a mention could be", 200, "ledger loss "),
        construct("terms and mentions", 50, |n| {
            let terms = each(n, |i| format!("term{i}\n: What it is.\n\n"));
            let mut files = page(&each(n, |i| format!("a term{i} ")));
            files.push(("content/glossary.md".into(), format!("---\ntitle: Glossary\n---\n\n{terms}")));
            files
        }),
        construct("equal terms", 50, |n| {
            let terms = "term\n: What it is.\n\n".repeat(n);
            vec![("content/glossary.md".into(), format!("---\ntitle: Glossary\n---\n\n{terms}"))]
        }),
        construct("terms that begin alike", 50, |n| {
            let terms = each(n.min(1000), |i| format!("{}\n: What it is.\n\n", "a ".repeat(i % 30 + 1)));
            let mut files = page(&"a ".repeat(n * 10));
            files.push(("content/glossary.md".into(), format!("---\ntitle: Glossary\n---\n\n{terms}")));
            files
        }),
    ]
}

fn links() -> Vec<Construct> {
    vec![
        construct("links to one heading", 100, |n| page(&("## Here\n\n".to_owned() + &"[a](#here) ".repeat(n)))),
        construct("links to many headings", 100, |n| page(&(each(n, |i| format!("## H{i}\n\n[a](#h{i})\n\n"))))),
        construct("links to headings that are not there", 50, |n| {
            page(&(each(n, |i| format!("## Heading{i}\n\n[a](#headin{i})\n\n"))))
        }),
        repeated("links to another page", 100, "[a](index.md) "),
        repeated("links to a page that is not there", 100, "[a](indx.md) "),
        repeated("links with no text", 100, "[](index.md) "),
        repeated("links out", 100, "[a](https://example.org/a) "),
        repeated("links that are addresses", 100, "<https://example.org/a> "),
        repeated("citations", 100, "[@dao2023] "),
        repeated("citations of what is not there", 100, "[@dao2024] "),
        construct("citations in one bracket", 100, |n| page(&format!("[{}@dao2023]", "@dao2023; ".repeat(n)))),
        construct("citations of many", 50, |n| {
            let mut files = page(&each(n, |i| format!("[@key{i}] ")));
            files.push((
                "content/references.yaml".into(),
                each(n, |i| {
                    format!(
                        "key{i}: {{ kind: paper, title: T{i}, url: \"https://a.b/{i}\", authors: [A B], year: 2020 }}\n"
                    )
                }),
            ));
            files
        }),
        construct("references that are alike", 50, |n| {
            vec![(
                "content/references.yaml".into(),
                each(n, |i| {
                    format!("key{i}: {{ kind: paper, title: T, url: \"https://a.b/\", authors: [A B], year: 2020 }}\n")
                }),
            )]
        }),
        construct("definitions of links", 100, |n| page(&each(n, |i| format!("[a][{i}]\n\n[{i}]: index.md\n\n")))),
        construct("definitions of one link", 100, |n| page(&("[a]: index.md\n".repeat(n) + "\n[a]\n"))),
        repeated("brackets that are not closed", 200, "[a "),
        repeated("brackets in brackets", 200, "[a](b "),
        repeated("pictures", 30, "![a](index.md) "),
        repeated("links to code", 50, "[a](code:lab-01-a/a.py#ledger) "),
        repeated("links to lines of code", 50, "[a](code:lab-01-a/a.py#L3) "),
        repeated("links to code that is not there", 50, "[a](code:lab-01-a/a.py#ledgr) "),
        construct("links on one page that are moved", 30, |n| page(&"[a](tracks/t/labs/lab-01-a.md) ".repeat(n))),
    ]
}

fn html() -> Vec<Construct> {
    vec![
        repeated("elements", 200, "<b>a</b> "),
        repeated("elements that are not closed", 200, "<b>ledger "),
        construct("elements that close others", 200, |n| page(&("<i>".repeat(n) + &"a</b> ".repeat(n)))),
        construct("elements in elements", 200, |n| page(&("<b>".repeat(n) + &"</b>".repeat(n)))),
        construct("blocks in blocks", 100, |n| page(&("<div>\n".repeat(n) + &"</div>\n".repeat(n)))),
        repeated("blocks", 100, "<div>\n\na\n\n</div>\n\n"),
        repeated("elements that are not allowed", 100, "<script>a</script> "),
        repeated("comments", 200, "a <!-- b --> "),
        repeated("comments that are not closed", 200, "a <!-- b "),
        repeated("signs that open nothing", 200, "a < b & c "),
        construct("signs in a block", 500, |n| page(&format!("<div>\n{}\n</div>\n", "< & <a '".repeat(n)))),
        construct("quotes in a block", 500, |n| page(&format!("<div>\n{}\n</div>\n", "<a \"".repeat(n)))),
        construct("attributes", 200, |n| page(&format!("<b {}>a</b>", "title=a ".repeat(n)))),
        construct("attributes that are not allowed", 100, |n| {
            page(&format!("<b {}>a</b>", each(n, |i| format!("on{i}=a "))))
        }),
        repeated("links in HTML", 50, "<a href=\"index.md\">a</a> "),
        repeated("links in HTML to what is not there", 50, "<a href=\"indx.md\">a</a> "),
    ]
}

fn excerpts() -> Vec<Construct> {
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
        construct("terms that are marked", 50, |n| {
            let code = each(n, |i| format!("x{i} = 1\n"));
            let marks = each(n, |i| format!("x{i}, "));
            lab(&code, &format!("```python file=a.py mark=\"{marks}\"\n{code}```\n"))
        }),
        construct("pins that differ", 50, |n| {
            let (old, new) = (each(n, |i| format!("old{i} = 1\n")), each(n, |i| format!("new{i} = 1\n")));
            lab(&new, &format!("```python file=a.py\n{old}```\n\n1. `1` — a note.\n"))
        }),
        construct("pins whose lines have moved", 50, |n| {
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
        construct("pins that are stale", 20, |n| {
            lab("x = 1\n", &"```python file=a.py\nx = 2\n```\n\n1. `x` — a note.\n\nText.\n\n".repeat(n))
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
        construct("mistakes on one line", 50, |n| page(&each(n, |i| format!("[a](gone{i}.md) ")))),
        construct("code spans of a lab", 50, |n| lab("x = 1\n", &each(n, |i| format!("`word{i}` ")))),
        construct("code spans that are bound", 50, |n| {
            lab("x = 1\n", &("```python file=a.py\nx = 1\n```\n\n1. `x` — a note.\n\n".to_owned() + &"`x` ".repeat(n)))
        }),
    ]
}

fn code() -> Vec<Construct> {
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
        construct("symbols that are not there", 20, |n| {
            let mut files = page(&each(n, |i| format!("```py file=l/a.py#fn:functio{i}\n```\n\n")));
            files.push(("code/l/a.py".into(), each(n, |i| format!("def function{i}(): pass\n"))));
            files
        }),
        construct("symbols that are shown", 20, |n| {
            let mut files = page(&each(n, |i| format!("```py file=l/a.py#fn:function{i}\n```\n\n")));
            files.push(("code/l/a.py".into(), each(n, |i| format!("def function{i}():\n    pass\n"))));
            files
        }),
        construct("functions of Python", 100, many("py", "def NAME():\n    pass\n", 1)),
        construct("functions of one name", 100, |n| starter("py", "def f():\n    pass\n".repeat(n), "fn:f")),
        construct("functions in functions of Python", 10, |n| {
            starter("py", each(n, |i| format!("{}def f{i}():\n", " ".repeat(i % 60))), "fn:f0")
        }),
        construct("functions of Rust", 100, many("rs", "fn NAME() {}\n", 1)),
        construct("functions of C++", 100, many("cpp", "int NAME(int a) { return a; }\n", 1)),
        construct("kernels of CUDA", 100, many("cu", "__global__ void NAME(float *a) { a[0] = 1; }\n", 1)),
        construct("functions of a shell", 100, many("sh", "NAME() { echo; }\n", 1)),
        construct("words of C++", 500, |n| starter("cpp", "a ".repeat(n) + "\nint f() {}\n", "fn:f")),
        construct("words of C++ and an end", 500, |n| starter("cpp", "a ".repeat(n) + &"(x) ".repeat(n), "L1")),
        construct("one long word of C++", 500, |n| {
            starter("cpp", "a".repeat(n) + &" b(c)".repeat(n / 2) + "\n", "fn:f")
        }),
        construct("names in names of C++", 200, |n| starter("cpp", "a::".repeat(n) + "f() {}\n", "fn:f")),
        construct("templates of C++", 200, |n| {
            starter("cpp", "template<".repeat(n) + &">".repeat(n) + " int f() {}\n", "fn:f")
        }),
        construct("signs of less in C++", 500, |n| starter("cpp", "a < b; ".repeat(n) + "int f() {}\n", "fn:f")),
        construct("words of Rust", 500, |n| starter("rs", "a ".repeat(n) + "fn f() {}\n", "fn:f")),
        construct("signs of less in Rust", 500, |n| starter("rs", "impl<".repeat(n) + "fn f() {}\n", "fn:f")),
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

fn settings() -> Vec<Construct> {
    let front = |key: &'static str| {
        move |n: usize| {
            let items = each(n, |i| format!("{}x{i}", if i == 0 { "" } else { ", " }));
            vec![("content/page.md".into(), format!("---\ntitle: Page\n{key}: [{items}]\n---\n\nText.\n"))]
        }
    };
    let of_lab = |key: &'static str| {
        move |n: usize| {
            let items = each(n, |i| format!("{}x{i}", if i == 0 { "" } else { ", " }));
            let text = lab_text(&format!("{key}: [{items}]\n"), "Text.\n");
            vec![("content/tracks/t/labs/lab-01-a.md".into(), text)]
        }
    };
    vec![
        construct("aliases", 50, |n| {
            let items = each(n, |i| format!("{}old/x{i}.html", if i == 0 { "" } else { ", " }));
            vec![("content/page.md".into(), format!("---\ntitle: Page\naliases: [{items}]\n---\n\nText.\n"))]
        }),
        construct("aliases that are one", 50, |n| {
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

fn courses() -> Vec<Construct> {
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
        construct("aliases of many pages", 10, move |n| {
            (0..n).map(|i| (format!("content/p{i}.md"), text(format!("Page {i}"), "aliases: [a.html]\n"))).collect()
        }),
        construct("files that are copied", 50, |n| (0..n).map(|i| (format!("static/f{i}.txt"), "x".into())).collect()),
        construct("files of code", 50, |n| (0..n).map(|i| (format!("code/lab-01-a/f{i}.txt"), "x\n".into())).collect()),
    ]
}
