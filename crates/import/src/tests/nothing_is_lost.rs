//! What an import cannot take over stays in the text or is reported, and its work is bounded.

use super::*;
use infralens_source::project::{Binary, Refusal as Unread};

/// Imports one page of MkDocs. Returns the new page and what was lost.
fn mkdocs_page(page: &str) -> (String, Vec<String>) {
    let settings = "site_name: T\nmarkdown_extensions: [attr_list, pymdownx.emoji]\n";
    let files = [("mkdocs.yml", settings), ("docs/index.md", "# T\n"), ("docs/p.md", page)];
    let import = mkdocs(&book(&files)).expect("it can be read");
    (texts(&import)["content/p.md"].clone(), losses(&import))
}

/// Imports the first page of a book of mdBook, and other files. Returns the new page and what was lost.
fn mdbook_page(page: &str, others: &[(&str, &str)]) -> (String, Vec<String>) {
    let files = [("book.toml", ""), ("src/SUMMARY.md", "[Start](a.md)\n"), ("src/a.md", page)];
    let import = mdbook(&book(&[&files, others].concat())).expect("it can be read");
    (texts(&import)["content/index.md"].clone(), losses(&import))
}

/// The text of a page below its front matter.
fn body(page: &str) -> &str {
    page.split_once("\n---\n\n").expect("front matter").1
}

#[test]
fn only_a_mapping_between_two_rules_is_front_matter() {
    let body_of = |page: &str| body(&mkdocs_page(page).0).to_owned();
    assert_eq!(body_of("---\n\nA paragraph.\n\n---\n\nB.\n"), "---\n\nA paragraph.\n\n---\n\nB.\n");
    assert_eq!(body_of("---\n---\n\nText.\n\n---\n\nKept.\n"), "Text.\n\n---\n\nKept.\n");
    assert_eq!(body_of("---  \ntitle: T\n...\n\nText.\n"), "Text.\n");
    assert!(mkdocs_page("---\ntitle: Only\n---").0.starts_with("---\ntitle: Only\n"));
    let (page, losses) = mkdocs_page("---\n\nNote: this: that.\n\n---\n\nText.\n");
    assert_eq!(body(&page), "---\n\nNote: this: that.\n\n---\n\nText.\n");
    assert!(losses.contains(&"FrontMatter docs/p.md:1 it is not YAML, and stays text".to_owned()), "{losses:?}");
}

#[test]
fn a_title_that_gives_way_to_the_heading_is_reported() {
    let nav = "site_name: T\nnav:\n  - index.md\n  - About:\n  - Sub:\n    - Read me first: sub/README.md\n    - More: sub/m.md\n";
    let files = [
        ("mkdocs.yml", nav),
        ("docs/index.md", "# T\n"),
        ("docs/sub/README.md", "---\ntitle: Front\n---\n\n# R\n"),
        ("docs/sub/m.md", "# More\n"),
    ];
    let losses = losses(&mkdocs(&book(&files)).expect("it can be read"));
    let expected = [
        "Entry mkdocs.yml:4 `About`",
        "Title docs/sub/README.md:1 `Front`",
        "Title docs/sub/README.md:1 `Sub`",
        "Title docs/sub/README.md:1 `Read me first`",
    ];
    assert_eq!(losses, expected);
}

#[test]
fn a_page_that_cannot_be_read_is_reported_instead_of_being_empty() {
    let mut project = book(&[("mkdocs.yml", "site_name: T\n"), ("docs/index.md", "# T\n")]);
    let latin = Binary::new(b"# \xe4".to_vec(), 2);
    project.files.insert("docs/latin.md".into(), File::Binary(Arc::new(latin)));
    project.files.insert("docs/linked.md".into(), File::Refused(Unread::Symlink));
    let import = mkdocs(&project).expect("it can be read");
    assert_eq!(import.pages, 1);
    let expected = [
        "Unreadable docs/latin.md:0 `docs/latin.md` is not UTF-8 text",
        "Unreadable docs/linked.md:0 `docs/linked.md` is a symbolic link",
    ];
    assert_eq!(losses(&import), expected);
}

#[test]
fn an_include_is_resolved_from_the_folder_of_the_file_that_contains_it() {
    let others = [
        ("src/sub/b.md", "```rust\n{{#include c.rs}}\n```\n"),
        ("src/sub/c.rs", "fn right() {}\n"),
        ("src/c.rs", "fn wrong() {}\n"),
    ];
    let (page, losses) = mdbook_page("{{#include sub/b.md}}\n", &others);
    assert_eq!((body(&page), losses), ("```rust file=src/sub/c.rs\n```\n", Vec::new()));
}

#[test]
fn includes_are_limited_in_depth_and_in_work() {
    let (page, losses) = mdbook_page("A\n\n{{#include a.md}}\n{{#include a.md}}\n", &[]);
    assert_eq!(
        body(&page),
        "A\n\nA\n\n{{#include a.md}}\n{{#include a.md}}\nA\n\n{{#include a.md}}\n{{#include a.md}}\n"
    );
    let cycles = losses.iter().filter(|loss| loss.ends_with("`src/a.md` includes itself"));
    assert_eq!(cycles.count(), 4, "{losses:?}");

    // Ten files that each include the next one six times: sixty million files.
    let names: Vec<String> = (0..10).map(|at| format!("src/f{at}.md")).collect();
    let includes: Vec<String> = (1..=10).map(|at| format!("{{{{#include f{at}.md}}}}\n").repeat(6)).collect();
    let mut others: Vec<(&str, &str)> = names.iter().zip(&includes).map(|(name, text)| (&**name, &**text)).collect();
    let filling = "x".repeat(10_000);
    others.push(("src/f10.md", &filling));
    let (page, losses) = mdbook_page("{{#include f0.md}}\n", &others);
    assert!(page.len() < 5 << 20, "{}", page.len());
    assert!(losses.iter().any(|loss| loss.ends_with("the page includes more than 4 MiB")), "{:?}", losses.first());
}

#[test]
fn an_escaped_directive_in_code_loses_its_backslash() {
    let (page, _) = mdbook_page("`\\{{#include a}}`\n\n```\n\\{{#include a}}\n```\n\n\\{{#include a}}\n", &[]);
    assert_eq!(body(&page), "`{{#include a}}`\n\n```\n{{#include a}}\n```\n\n\\{{#include a}}\n");
}

#[test]
fn directives_of_the_other_program_are_text() {
    let text = "```\n\\{{#each x}}\n```\n\nAnd {{#title y}}.\n";
    assert_eq!(body(&mkdocs_page(text).0), text);
    assert_eq!(body(&mdbook_page("--8<-- \"a.md\"\n", &[]).0), "--8<-- \"a.md\"\n");
}

#[test]
fn a_diagram_that_cannot_be_drawn_changes_no_other_text() {
    let (page, losses) = mdbook_page("I like mermaid diagrams.\n\n```pikchr\nbox at nowhere\n```\n", &[]);
    assert_eq!(body(&page), "I like mermaid diagrams.\n\n```text\nbox at nowhere\n```\n", "{losses:?}");
    let (page, _) = mdbook_page("> ```mermaid\n> flowchart LR\n>   a[mermaid -->\n> ```\n", &[]);
    assert_eq!(body(&page), "> ```text\n> flowchart LR\n>   a[mermaid -->\n> ```\n");
}

#[test]
fn a_fence_is_closed_by_its_own_character() {
    let code = "~~~text\n```\n!!! note\n    in code\n```\n~~~\n";
    assert_eq!(body(&mkdocs_page(code).0), code.replace("~~~", "````"));
    let after = mkdocs_page("~~~text\n```\n~~~\n\n!!! note\n    Out of code.\n").0;
    assert!(body(&after).ends_with("> [!NOTE]\n> Out of code.\n"), "{after}");
}

#[test]
fn a_tab_indents_the_content_of_an_admonition() {
    let page = mkdocs_page("!!! note\n\tText.\n\n\t\tmake\n").0;
    assert_eq!(body(&page), "> [!NOTE]\n> Text.\n>\n>     make\n");
}

#[test]
fn a_part_below_the_first_chapters_is_reported() {
    let summary = "[A](a.md)\n\n# Part One\n\n[C](c.md)\n";
    let files = [("book.toml", ""), ("src/SUMMARY.md", summary), ("src/a.md", "# A\n"), ("src/c.md", "# C\n")];
    assert_eq!(losses(&mdbook(&book(&files)).expect("it can be read")), ["Part src/SUMMARY.md:3 `Part One`"]);
}

#[test]
fn braces_and_blanks_that_are_text_stay() {
    let (page, losses) =
        mkdocs_page("Set {x=1}, a **b**{ .c } and {{{{.\n\n## H { .wide }\n\n<img class=\"a\" alt=\"a   b\">\n");
    assert_eq!(body(&page), "Set {x=1}, a **b** and {{{{.\n\n## H \n\n<img alt=\"a   b\">\n", "{losses:?}");
    assert!(losses.contains(&"Icon docs/p.md:3 `{ .wide }`".to_owned()), "{losses:?}");
}
