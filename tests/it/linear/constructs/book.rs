//! Books of other generators, which are imported.

use super::{Construct, Files, construct, each};

/// Where books are, of which each is imported and not built.
pub const BOOK: &str = "book/";

fn mkdocs(page: String) -> Files {
    vec![
        (format!("{BOOK}mkdocs.yml"), "site_name: Book\nmarkdown_extensions: [pymdownx.snippets]\n".into()),
        (format!("{BOOK}docs/index.md"), page),
    ]
}

fn mdbook(page: String) -> Files {
    vec![
        (format!("{BOOK}book.toml"), String::new()),
        (format!("{BOOK}src/SUMMARY.md"), "[Page](a.md)\n".into()),
        (format!("{BOOK}src/a.md"), page),
        (format!("{BOOK}src/part.md"), "A part.\n".into()),
    ]
}

pub fn books() -> Vec<Construct> {
    let of_mkdocs = |name, unit: &'static str| construct(name, 400, move |n| mkdocs(unit.repeat(n)));
    let of_mdbook = |name, unit: &'static str| construct(name, 400, move |n| mdbook(unit.repeat(n)));
    vec![
        of_mkdocs("imported lines", "Words.\n"),
        of_mkdocs("imported tags with a class", "x <b class=\"a\">y</b>\n"),
        of_mkdocs("imported braces on one line", "{x=1 "),
        of_mkdocs("imported admonitions", "!!! note\n    Words.\n\n"),
        of_mkdocs("imported fences", "~~~\n```\n~~~\n\n"),
        construct("imported abbreviations", 400, |n| mkdocs(each(n, |i| format!("```\n```\n\n*[A{i}]: Words\n\n")))),
        of_mkdocs("snippets on one line", "--8<-- \"a\" "),
        of_mdbook("directives without an end on one line", "{{#"),
        of_mdbook("includes of a page", "{{#include part.md}}\n"),
        of_mdbook("includes of no page", "{{#include none.md}}\n\n"),
        of_mdbook("boxes of mdBook that are not closed", "<div class=\"warning\">\n"),
        of_mdbook("boxes of a preprocessor that are not closed", "```admonish\n\n"),
        construct("imported links to headings", 200, |n| {
            mdbook(each(n, |i| format!("## <a id=\"x{i}\"></a>Heading {i}\n\n[a](#x{i})\n\n")))
        }),
        construct("imported attributes", 400, |n| mdbook(format!("a <b {}>c</b>\n", each(n, |i| format!("a{i}=b "))))),
        of_mdbook("includes of itself", "{{#include a.md}}\n\n"),
    ]
}
