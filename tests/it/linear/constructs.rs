//! Every construct of the format, as often as is asked for: each is a few files that are put into a small course.

mod book;
mod course;
mod values;

use std::fmt::Write;

pub use self::book::BOOK;
use self::book::books;
use self::course::{code, courses, excerpts, lit, markdown_starters, notes, pins, settings, symbols, yaml};

/// Files by their paths.
pub type Files = Vec<(String, String)>;

/// Files that are in the course before any construct is, so that a construct is an edit.
pub const EDITED: [(&str, &str); 4] = [
    ("content/page.md", "---\ntitle: Page\nminutes: 5\n---\n\nText.\n"),
    ("content/glossary.md", "---\ntitle: Glossary\n---\n\nledger\n: A list of sums.\n\nloss\n: What is made small.\n"),
    ("content/shown.md", "---\ntitle: Shown\n---\n\n[code](code:l/a.py)\n"),
    ("code/l/a.py", "x = 1\n"),
];
/// Where code lies of which the symbols are read and nothing else: to highlight a language takes its grammar, which takes
/// more than all constructs together.
pub const SYMBOLS: &str = "symbols/";

/// A page that is moved in the courses that have it.
pub const MOVED: &str = "content/moved.md";

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

/// An ordinary page. Its minutes are given: estimated, they would grow with it, and other pages show them.
fn page(body: &str) -> Files {
    vec![("content/page.md".into(), format!("---\ntitle: Page\nminutes: 5\n---\n\n{body}"))]
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

/// A page that shows an SVG with these attributes and elements.
fn picture(attributes: &str, elements: &str) -> Files {
    let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {attributes}>{elements}</svg>\n");
    let mut files = page("![a](a.svg)\n");
    files.push(("content/a.svg".into(), svg));
    files
}

/// The same unit again and again on a page.
fn repeated(name: &'static str, first: usize, unit: &'static str) -> Construct {
    construct(name, first, move |n| page(&unit.repeat(n)))
}

/// All of them.
pub fn all() -> Vec<Construct> {
    [
        markdown(),
        parts_and_terms(),
        links(),
        html(),
        excerpts(),
        notes(),
        lit(),
        markdown_starters(),
        pins(),
        code(),
        symbols(),
        settings(),
        yaml(),
        courses(),
        books(),
        values::all(),
    ]
    .into_iter()
    .flatten()
    .collect()
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
        repeated("emphasis between Chinese words", 200, "字**（好）**字\"好\"~~。~~_「好」_"),
        repeated("lines of Chinese", 200, "字，\n"),
        repeated("underscores between Chinese words", 200, "字_"),
        repeated("links that are not closed", 200, "[a]("),
        repeated("images that are not closed", 200, "![a]("),
        repeated("references to one footnote", 100, "[^a] [^b]\n\n[^b]: x\n\n"),
        repeated("character references in attributes", 100, "<a href=\"?a&#38;b&nbsp;\" title=\"&eacute;\">x</a> "),
        repeated("code spans", 200, "`a` "),
        construct("backticks that are not closed", 100, |n| page(&each(n, |i| "`".repeat(i % 40 + 1) + " x "))),
        repeated("characters that hide", 200, "a\u{200b}b \u{202e} `\u{2067}` \u{430}x "),
        construct("a name of letters that look like others", 200, |n| page(&format!("a{}", "\u{430}_".repeat(n)))),
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
        construct("marked lines of a fence", 200, |n| {
            page(&format!("```text {{{}}}\n{}```\n", each(n, |i| format!("{},", i + 1)), "x\n".repeat(n)))
        }),
        construct("attributes of a fence", 200, |n| {
            page(&format!("```python file=l/a.py {}\n```\n", each(n, |i| format!("a{i}=1 "))))
        }),
        construct("scales of one number", 500, |n| page(&format!("It has 1 {}B.\n", "thousand ".repeat(n)))),
        construct("divisors of a unit", 500, |n| page(&format!("It has 5 %{}.\n", "/%".repeat(n)))),
        repeated("fences that show no code", 50, "```python fle=a.py\nx\n```\n\n"),
    ]
}

fn parts_and_terms() -> Vec<Construct> {
    vec![
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
        repeated("tabs", 50, "<!-- tabs -->\n\n**A**\n\na\n\n**B**\n\nb\n\n<!-- /tabs -->\n\n"),
        repeated(
            "cards and buttons",
            50,
            "<!-- cards -->\n\n- a\n- b\n\n<!-- /cards -->\n\n<!-- buttons -->\n\n[a](#a)\n\n<!-- /buttons -->\n\n",
        ),
        construct("tabs of one group", 50, |n| {
            page(&format!("<!-- tabs -->\n\n{}<!-- /tabs -->\n", each(n, |i| format!("**A{i}**\n\na\n\n"))))
        }),
        repeated("tabs that are not closed", 50, "- <!-- tabs -->\n\n  **A**\n\n"),
        repeated("comments that are nearly parts", 100, "<!-- curiculum -->\n\n"),
        repeated("words that a mention could be", 200, "ledger loss "),
        construct("terms and mentions", 50, |n| {
            let terms = each(n, |i| format!("term{i}\n: What it is.\n\n"));
            let mut files = page(&each(n, |i| format!("a term{i} ")));
            files.push(("content/glossary.md".into(), format!("---\ntitle: Glossary\n---\n\n{terms}")));
            files
        }),
        construct("terms that many pages mention", 20, |n| {
            let terms = each(n, |i| format!("term{i}\n: What it is.\n\n"));
            let text = |i: usize| format!("---\ntitle: Page {i}\n---\n\nA term{i}.\n");
            let mut files: Files = (0..n).map(|i| (format!("content/p{i}.md"), text(i))).collect();
            files.push(("content/glossary.md".into(), format!("---\ntitle: Glossary\n---\n\n{terms}")));
            files
        }),
        construct("diagrams below a long heading", 8, |n| {
            page(&format!(
                "## {}\n\n{}",
                "word ".repeat(n * 20),
                "```mermaid\nflowchart LR\na --> b\n```\n\n".repeat(n)
            ))
        }),
        construct("links without a text to a long title", 100, |n| {
            let mut files = page(&"[](long.md) ".repeat(n));
            let title = "word ".repeat(n * 5);
            files.push(("content/long.md".into(), format!("---\ntitle: {title}\n---\n\nText.\n")));
            files
        }),
        construct("a term of one long word", 500, |n| {
            let mut files = page(&format!("x{}", "aaa".repeat(n)));
            let term = format!("---\ntitle: Glossary\n---\n\n{}\n: What it is.\n", "a".repeat(n));
            files.push(("content/glossary.md".into(), term));
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
        construct("links to headings that are not there", 200, |n| {
            page(&(each(n, |i| format!("## Heading{i}\n\n[a](#headin{i})\n\n"))))
        }),
        repeated("links to another page", 100, "[a](index.md) "),
        repeated("links to a page that is not there", 100, "[a](indx.md)\n"),
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
        construct("citations of what has many authors", 100, |n| {
            let mut files = page(&"[@key] ".repeat(n));
            let authors = each(n, |i| format!("Ada B{i}, "));
            let text =
                format!("key: {{ kind: paper, title: T, url: \"https://a.b/\", authors: [{authors}], year: 2020 }}\n");
            files.push(("content/references.yaml".into(), text));
            files
        }),
        construct("definitions of links", 100, |n| page(&each(n, |i| format!("[a][{i}]\n\n[{i}]: index.md\n\n")))),
        construct("definitions of one link", 100, |n| page(&("[a]: index.md\n".repeat(n) + "\n[a]\n"))),
        repeated("brackets that are not closed", 200, "[a "),
        repeated("brackets in brackets", 200, "[a](b "),
        repeated("pictures", 30, "![a](index.md) "),
        repeated("links to code", 50, "[a](code:lab-01-a/a.py#ledger) "),
        repeated("links to lines of code", 50, "[a](code:lab-01-a/a.py#L3) "),
        repeated("links to code that is not there", 50, "[a](code:lab-01-a/a.py#ledgr)\n"),
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
        construct("attributes of one element that are not allowed", 1000, |n| {
            page(&format!("<b {}>a</b>", each(n, |i| format!("a{i}=b "))))
        }),
        construct("namespaces of a picture", 100, |n| {
            picture("", &(each(n, |i| format!("<g xmlns:a{i}=\"b\">")) + &"</g>".repeat(n)))
        }),
        construct("attributes of a picture", 500, |n| picture(&each(n, |i| format!("a{i}=\"b\" ")), "")),
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
        repeated("links in HTML to what is not there", 50, "<a href=\"indx.md\">a</a>\n"),
    ]
}
