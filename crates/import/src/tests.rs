//! Tests of imports of small books.

mod nothing_is_lost;
mod of_blogs;
mod of_docusaurus;
mod of_mkdocs;
mod of_notebooks;
mod of_settings;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use infralens_source::source::Source;

fn book(files: &[(&str, &str)]) -> Project {
    let mut project = Project::default();
    for (path, text) in files {
        let path: Arc<str> = Arc::from(*path);
        project.files.insert(Arc::clone(&path), File::Text(Arc::new(Source::new(path, *text))));
    }
    project
}

fn mdbook(project: &Project) -> Result<Import, Refusal> {
    super::import(project, Dialect::MdBook, "", &Options::default())
}

fn mkdocs(project: &Project) -> Result<Import, Refusal> {
    super::import(project, Dialect::MkDocs, "", &Options::default())
}

fn texts(import: &Import) -> BTreeMap<String, String> {
    let text = |change: &Change| match change {
        Change::Create { text, .. } => text.clone(),
        Change::Add { file, .. } => String::from_utf8_lossy(file.bytes().unwrap_or_default()).into_owned(),
        _ => String::new(),
    };
    import.changes.iter().map(|change| (change.path().to_string(), text(change))).collect()
}

/// What was left out by an import whose project has no errors.
fn losses(import: &Import) -> Vec<String> {
    let line = |loss: &Loss| {
        format!("{:?} {}:{} {}", loss.kind, loss.path, loss.line.unwrap_or(0), loss.detail).trim_end().to_owned()
    };
    assert!(!import.losses.iter().any(|loss| loss.kind == Kind::Error), "{:?}", import.losses);
    import.losses.iter().filter(|loss| loss.kind != Kind::Taken).map(line).collect()
}

const TOML: &str = "[book]\ntitle = \"Queues: a book\"\n\n[preprocessor.listing]\ncommand = \"x\"\n";
const SUMMARY: &str = "# Summary\n\n[Start](README.md)\n\n# Part\n\n- [Rings](ring.md)\n  - [Full](deep/full.md)\n  - [Later]()\n\n---\n\n[End](end.md)\n";
const RING: &str = "# Rings & more\n\nCost: $5. See [full](deep/full.md#why-it-waits), [title](ring.html#rings--more), [gone](no.md), [pic].\n\n\
    [pic]: img/a.svg\n\n```rust,ignore\n{{#rustdoc_include ../listings/ring.rs:state}}\n```\n\n\
    ```rust\n{{#include ../listings/ring.rs:1:2}}\n```\n\n```rust\n# use std;\nfn f() {}\n```\n\n\
    <Listing number=\"1-1\" caption=\"A ring\">\n\n```rust\n{{#include ../listings/ring.rs}}\n```\n\n</Listing>\n\n\
    {{#include part.md}}\n";
const CODE: &str = "fn f() {\n    // ANCHOR: state\n    let a = 1;\n    // ANCHOR_END: state\n}\n";

fn small() -> Project {
    book(&[
        ("book.toml", TOML),
        ("src/SUMMARY.md", SUMMARY),
        ("src/README.md", "# Start\n\nHello, [rings](./ring.md).\n"),
        ("src/ring.md", RING),
        ("src/part.md", "A part with {{#include missing.md}}.\n"),
        (
            "src/deep/full.md",
            "## Full\n\n### Why it waits\n\n![A picture](../img/a.svg)\n\n- item\n\n  ```rust\n  {{#include ../../listings/ring.rs:state}}\n  ```\n",
        ),
        ("src/end.md", "The end.\n\n> [!NOTE]\n> Nothing follows.\n"),
        ("src/img/a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>"),
        ("listings/ring.rs", CODE),
    ])
}

#[test]
fn a_book_becomes_a_tree_of_pages() {
    let import = mdbook(&small()).expect("it can be read");
    let files = texts(&import);
    let paths: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            ".gitignore", "code/listings/ring.rs", "content/end.md", "content/img/a.svg", "content/index.md",
            "content/ring/full.md", "content/ring/index.md", "content/site.yaml",
        ]
    );
    assert_eq!(
        files["content/site.yaml"],
        "title: \"Queues: a book\"\nnav:\n  - ring/index.md\n  - ring/full.md\n  - end.md\n"
    );
    assert_eq!(files["content/index.md"], "---\ntitle: Start\n---\n\nHello, [rings](ring/index.md).\n");
    let ring = "---\ntitle: \"Rings & more\"\naliases: [ring.html]\n---\n\nCost: \\$5. See [full](full.md#why-it-waits), \
        [title](index.md), gone, [pic].\n\n[pic]: ../img/a.svg\n\n```rust file=listings/ring.rs#state\n```\n\n\
        ```rust file=listings/ring.rs#L1-L2\nfn f() {\n```\n\n```rust\n# use std;\nfn f() {}\n```\n\n\n\n\
        ```rust file=listings/ring.rs caption=\"Listing 1-1: A ring\"\n```\n\n\n\nA part with {{#include missing.md}}.\n";
    assert_eq!(files["content/ring/index.md"], ring);
    let full = "---\ntitle: Full\naliases: [deep/full.html]\n---\n\n## Why it waits\n\n![A picture](../img/a.svg)\n\n- item\n\n  \
        ```rust\n      let a = 1;\n  ```\n";
    assert_eq!(files["content/ring/full.md"], full);
    assert_eq!(
        losses(&import),
        [
            "Plugin book.toml:4 `listing`",
            "Part src/SUMMARY.md:5 `Part`",
            "Part src/SUMMARY.md:7 the numbers of chapters",
            "Draft src/SUMMARY.md:9 `Later`",
            "Include src/part.md:1 `src/missing.md` is not in the book's folder",
            "Word src/ring.md:7 `ignore`",
            "Title src/ring.md:1 `Rings`",
            "Copy src/deep/full.md:9 it is in a list or a quote",
            "Link src/ring.md:3 `no.md` is not in the book",
            "Foreign content/ring/index.md:29 `{{#include missing.md}}` is an mdBook include or helper and is shown as plain text",
        ]
    );
}

#[test]
fn settings_that_cannot_be_read_are_refused_with_their_place() {
    let refused = |files: &[(&str, &str)]| mdbook(&book(files)).expect_err("it cannot be read").message;
    assert_eq!(refused(&[]), "`book.toml` is not in the book's folder");
    assert_eq!(refused(&[("book.toml", "[book]\n")]), "`src/SUMMARY.md` is not in the book's folder");
    assert!(refused(&[("book.toml", "[book]\ntitle = \n")]).starts_with("book.toml:2:"));
    let missing =
        mdbook(&book(&[("book.toml", ""), ("src/SUMMARY.md", "- [A](a.md)\n- [B]()\n")])).expect_err("no pages");
    assert_eq!(missing.message, "the book has no page");
    assert_eq!(missing.help, ["src/SUMMARY.md:1: `src/a.md` is not in the book's folder", "src/SUMMARY.md:2: `B`"]);
    assert_eq!(refused(&[("book.toml", "book.src = \"../x\"\n")]), "book.toml: `src` leads out of the book's folder");
}

#[test]
fn a_summary_that_names_missing_files_is_reported() {
    let files =
        [("book.toml", ""), ("src/SUMMARY.md", "- [A](a.md)\n- [B](../../b.md)\n- [C](c.md)\n"), ("src/c.md", "C")];
    let import = mdbook(&book(&files)).expect("the rest can be read");
    let expected = [
        "Page src/SUMMARY.md:1 `src/a.md` is not in the book's folder",
        "Part src/SUMMARY.md:1 the numbers of chapters",
        "Page src/SUMMARY.md:2 `../../b.md` is outside of the book",
    ];
    assert_eq!(losses(&import), expected);
}

const MKDOCS: &str = "site_name: Queues\nplugins:\n  - search\n  - blog\nmarkdown_extensions:\n  - pymdownx.emoji:\n      \
    emoji_index: !!python/name:material.extensions.emoji.twemoji\n  - pymdownx.arithmatex:\n      generic: true\nnav:\n  - Home: index.md\n  - Guide:\n    - guide/index.md\n    \
    - First steps: guide/first.md\n  - Elsewhere: https://example.org/\n";
const FIRST: &str = "---\ntitle: First steps\ntags: [a]\n---\n\nSee [the guide](index.md){ .md-button } :material-check:.\n\n\
    !!! warning \"Careful\"\n\n    Read *this*.\n\n    ```py\n    a = 1\n    ```\n\n??? question\n    Why?\n\n\
    === \"Unix\"\n\n    One: \\(\\fraq\\)\n\n=== \"Windows\"\n\n    Two for \\$5: \\(x\\)\n\n``` py title=\"ring.py\" hl_lines=\"1 3-4\" linenums=\"1\"\na\nb\nc\nd\n```\n\n\
    ```py title=\"ring\"\n--8<-- \"code/ring.py:state\"\n```\n\n```mermaid\nmindmap\n  a\n```\n";

#[test]
fn a_site_of_mkdocs_becomes_a_tree_of_pages() {
    let project = book(&[
        ("mkdocs.yml", MKDOCS),
        ("docs/index.md", "# Queues\n\n[First](guide/first.md)\n"),
        ("docs/guide/index.md", "# The guide\n\nText.\n"),
        ("docs/guide/first.md", FIRST),
        ("docs/more/late.md", "# Late\n"),
        ("code/ring.py", "# --8<-- [start:state]\nstate = 1\n# --8<-- [end:state]\n"),
    ]);
    let import = mkdocs(&project).expect("it can be read");
    let files = texts(&import);
    assert_eq!(
        files["content/site.yaml"],
        "title: Queues\nnav:\n  - guide/index.md\n  - guide/first.md\n  - more/index.md\n  - more/late.md\n"
    );
    assert_eq!(files["content/index.md"], "---\ntitle: Queues\n---\n\n[First](guide/first.md)\n");
    let first = "---\ntitle: First steps\naliases: [guide/first/index.html]\n---\n\nSee [the guide](index.md) .\n\n\
        > [!WARNING]\n> **Careful**\n>\n> Read *this*.\n>\n> ```py\n> a = 1\n> ```\n\n\n\
        <details>\n<summary>Question</summary>\n\nWhy?\n\n</details>\n\n\n<!-- tabs -->\n\n**Unix**\n\n\n\
        One: `\\fraq`\n\n**Windows**\n\n\nTwo for \\$5: $x$\n\n<!-- /tabs -->\n\n\n\
        ```py title=\"ring.py\" {1,3-4}\na\nb\nc\nd\n```\n\n\
        ```py file=code/ring.py#state caption=\"ring\"\n```\n\n```text\nmindmap\n  a\n```\n";
    assert_eq!(files["content/guide/first.md"], first);
    assert_eq!(
        losses(&import),
        [
            "Entry mkdocs.yml:15 `https://example.org/`",
            "Unlisted docs/more/late.md:0",
            "Title docs/index.md:1 `Home`",
            "Title docs/guide/index.md:1 `Guide`",
            "FrontMatter docs/guide/first.md:3 `tags`",
            "Formula docs/guide/first.md:21",
            "Icon docs/guide/first.md:6 `{ .md-button }`",
            "Icon docs/guide/first.md:6 `:material-check:`",
            "Word docs/guide/first.md:27 `linenums=\"1\"`",
            "Diagram docs/guide/first.md:38 `mindmap` is not supported; use one of flowchart, graph, sequenceDiagram, \
             classDiagram, stateDiagram, stateDiagram-v2",
        ]
    );
}

#[test]
fn settings_of_mkdocs_that_cannot_be_read_are_refused_with_their_place() {
    let refused = |text: &str| mkdocs(&book(&[("mkdocs.yml", text)])).expect_err("it cannot be read").message;
    assert!(refused("site_name: [a\nnav: 1\n").starts_with("mkdocs.yml:"), "{}", refused("site_name: [a\nnav: 1\n"));
    assert!(
        refused("a: !!python/name:b\nnav: [c\nd: e\n").starts_with("mkdocs.yml:2:6: this `[`"),
        "{}",
        refused("a: !!python/name:b\nnav: [c\nd: e\n")
    );
    assert_eq!(refused("- a\n"), "the book has no page");
    assert_eq!(refused("docs_dir: ../x\n"), "mkdocs.yml: `docs_dir` leads out of the site's folder");
}

#[test]
fn a_playground_outside_of_code_is_an_excerpt() {
    let page = "# Rings\n\nTry it:\n\n{{#playground ../q.rs editable}}\n\nAnd:\n\n{{#playground gone.rs}}\n";
    let import = mdbook(&book(&[
        ("book.toml", TOML),
        ("src/SUMMARY.md", "# Summary\n\n- [Start](README.md)\n- [Rings](a.md)\n"),
        ("src/README.md", "# Start\n"),
        ("src/a.md", page),
        ("q.rs", "fn f() {}\n"),
    ]))
    .expect("it can be read");
    let text = &texts(&import)["content/a.md"];
    assert!(text.contains("Try it:\n\n```rust file=book/q.rs\n```\n\nAnd:\n"), "{text}");
    assert!(
        losses(&import).contains(&"Include src/a.md:9 `src/gone.rs` is not in the book's folder".to_owned()),
        "{:?}",
        losses(&import)
    );
}

#[test]
fn without_a_front_page_the_first_chapter_is_the_home_page() {
    let files = [
        (
            "book.toml",
            "book.title = \"Rings\"\n[output.html.redirect]\n\"/a/old.html\" = \"../c.html#x\"\n\"/a.html\" = \"c.html\"\n\
             \"/b.html\" = \"https://example.org\"\n",
        ),
        ("src/SUMMARY.md", "[Rings](title.md)\n\n- [A](a.md)\n  - [Later]()\n- [B]()\n  - [C](c.md)\n"),
        ("src/title.md", "# Rings {#rings}\n\n[Back](#rings)\n"),
        ("src/a.md", "# A\n\nSee [the title](title.md#rings) and [more](c.md#old).\n"),
        ("src/c.md", "# C\n\n<a id=\"none\"></a>Text\n\n<a id=\"old\"></a>\n\n## The `new` one\n"),
    ];
    let import = mdbook(&book(&files)).expect("it can be read");
    let files = texts(&import);
    assert!(
        losses(&import).contains(&"Setting book.toml:5 the redirect of `/b.html` to `https://example.org`".to_owned())
    );
    assert!(files["content/b/c.md"].starts_with("---\ntitle: C\naliases: [c.html, a/old.html]\n"), "{files:?}");
    assert_eq!(files["content/index.md"], "---\ntitle: Rings\naliases: [title.html]\n---\n\n[Back](index.md)\n");
    assert_eq!(
        files["content/site.yaml"],
        "title: Rings\nnav:\n  - a.md\n  - b/index.md\n  - b/c.md\nlints:\n  link-text: off\n"
    );
    assert_eq!(
        files["content/a.md"],
        "---\ntitle: A\n---\n\nSee [the title](index.md) and [more](b/c.md#the-new-one).\n"
    );
    assert_eq!(files["content/b/index.md"], "---\ntitle: B\n---\n\n- [C](c.md)\n");
}

#[test]
fn settings_and_syntax_of_mkdocs_are_taken_over_or_reported() {
    let yml = "site_name: T\nsite_url: https://example.org/t\nuse_directory_urls: false\ncopyright: me\ntheme:\n  language: de\n  logo: img/l.svg\n  \
        favicon: no.ico\n  palette: {}\nplugins:\n  search: {}\n  macros: {}\nmarkdown_extensions:\n  pymdownx.snippets:\n    base_path: [parts]\n    \
        auto_append: [a.md, no.md]\n  pymdownx.progressbar: {}\n";
    let page = "# A\n\nThe `#!py x = 1` of {==this==} and `#!/bin/sh a`, $y$ for $5.\n\n```html\n*[no]: x\n```\n\n\
        --8<-- \"part.md\"\n\n*[HTML]: Text\n*[CSS]: Style\n";
    let import = mkdocs(&book(&[
        ("mkdocs.yml", yml),
        ("docs/index.md", "# T\n"),
        ("docs/a/b.md", page),
        ("docs/img/l.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>"),
        ("parts/part.md", "A part.\n"),
        ("parts/a.md", "*[TTL]: Time to _live_\n"),
    ]))
    .expect("it can be read");
    let files = texts(&import);
    let settings = "title: T\nbase_url: \"https://example.org/t/\"\nlanguage: de\nlogo:\n  light: brand/logo.svg\nnav:\n  - a/index.md\n  - a/b.md\n";
    assert_eq!(files["content/site.yaml"], settings);
    assert!(files["static/brand/logo.svg"].starts_with("<svg"), "{files:?}");
    let page = "---\ntitle: A\n---\n\nThe `x = 1` of {==this==} and `#!/bin/sh a`, \\$y\\$ for \\$5.\n\n```html\n*[no]: x\n```\n\n\
        A part.\n";
    assert_eq!(files["content/a/b.md"], page);
    assert_eq!(
        files["content/glossary.md"],
        "---\ntitle: Glossary\n---\n\nCSS\n: Style\n\nHTML\n: Text\n\nTTL\n: Time to \\_live\\_\n"
    );
    assert_eq!(
        losses(&import),
        [
            "Setting mkdocs.yml:4 `copyright`: name who wrote it and how it may be used with `author` and `license`",
            "Setting mkdocs.yml:8 `theme.favicon`: it names no file of the book; put a picture below `static/`",
            "Setting mkdocs.yml:9 `theme.palette`: colors are `colors.accent`, everything else of the look is `fonts` and `static/custom.css`",
            "Plugin mkdocs.yml:12 `macros`: 0 places; write into the pages what the macros insert",
            "Extension mkdocs.yml:17 `pymdownx.progressbar`: 0 places; write the number",
            "Dollars docs/a/b.md:3",
            "Include no.md:0 `auto_append` names it, and it is not in the book's folder",
            "Foreign content/a/b.md:5 `{==this==}` is a highlight of CriticMarkup and is shown as plain text",
        ]
    );
}

#[test]
fn the_text_below_an_icon_stays_in_its_list_item_and_what_stays_text_is_reported() {
    let page = "# A\n\n-   :material-clock:{ .lg } **Fast**\n\n    Below.\n\n-   :material-a:\n\n    Below.\n\nIt {--was--}{++is++}.\n\n    --8<-- \"part.md\"\n";
    let import = mkdocs(&book(&[("mkdocs.yml", "site_name: T\n"), ("docs/index.md", "# T\n"), ("docs/a.md", page)]))
        .expect("it can be read");
    let text = "---\ntitle: A\naliases: [a/index.html]\n---\n\n-   **Fast**\n\n    Below.\n\n-   <!-- -->\n\n    Below.\n\nIt {--was--}{++is++}.\n\n    --8<-- \"part.md\"\n";
    assert_eq!(texts(&import)["content/a.md"], text);
    let losses = losses(&import);
    let has = |wanted: &str| losses.iter().any(|loss| loss.starts_with(wanted));
    assert!(has("Include docs/a.md:13 it is in indented code"), "{losses:?}");
    assert!(has("Foreign content/a.md:14 `{--was--}`") && has("Foreign content/a.md:14 `{++is++}`"), "{losses:?}");
}

#[test]
fn diagrams_that_cannot_be_drawn_keep_the_text_around_them() {
    let footnote = "[^1]: \u{e9}\n\n    ```mermaid\n    mindmap\n    ```\n\n";
    let page = "# Rings\n\n".to_owned()
        + footnote
        + "A[^1]\n\n```mermaid\n\u{e9}\u{e9}\n```\n\n> ```mermaid\n> mindmap\n> ```\n\nA\n";
    let import = mdbook(&book(&[("book.toml", ""), ("src/SUMMARY.md", "[A](a.md)\n"), ("src/a.md", &page)]));
    let files = texts(&import.expect("it can be read"));
    let front = "---\ntitle: Rings\naliases: [a.html]\n---";
    assert_eq!(files["content/index.md"], page.replace("# Rings", front).replace("mermaid", "text"));
}

#[test]
fn fetched_pictures_are_copies() {
    let page = "# A\n\n![a](https://x.org:80/i/a%20b.png?v=1) ![b][b] <img src=\"https://y.org/c\"> [link](https://y.org/c) ![no](https://x.org/no.png)\n\n\
        [b]: https://x.org/j/A.png\n";
    let mut project = book(&[("book.toml", TOML), ("src/SUMMARY.md", "[A](a.md)\n"), ("src/a.md", page)]);
    for (address, bytes) in [
        ("https://x.org:80/i/a%20b.png?v=1", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
        ("https://x.org/j/A.png", "GIF89a"),
        ("https://y.org/c", "GIF89a"),
    ] {
        project.put(&address.into(), Some(File::Text(Source::new(address, bytes).into())));
    }
    let import = mdbook(&project).expect("it can be read");
    let files = texts(&import);
    let expected = "![a](pictures/x.org/a20b.svg) ![b][b] <img src=\"pictures/y.org/c.gif\"> [link](https://y.org/c) [no](https://x.org/no.png)\n\n\
        [b]: pictures/x.org/a.gif\n";
    assert!(files["content/index.md"].ends_with(expected), "{}", files["content/index.md"]);
    assert!(files.contains_key("content/pictures/x.org/a.gif"));
    let pictures = import.losses.iter().filter(|loss| loss.kind == Kind::Picture).map(|loss| &*loss.detail);
    assert_eq!(pictures.collect::<Vec<_>>(), ["https://x.org/no.png"]);
}

#[test]
fn pages_whose_names_differ_only_in_case_get_other_names() {
    let project = book(&[
        ("mkdocs.yml", "site_name: T\n"),
        ("docs/index.md", "# Home\n"),
        ("docs/Ring.md", "# One\n\n[two](ring.md)\n"),
        ("docs/ring.md", "# Two\n"),
    ]);
    let import = mkdocs(&project).expect("it can be read");
    let files = texts(&import);
    assert!(
        files.contains_key("content/Ring.md") && files["content/Ring.md"].contains("[two](ring-page.md)"),
        "{files:?}"
    );
    assert!(!import.losses.iter().any(|loss| loss.kind == Kind::Error), "{:?}", import.losses);
}
