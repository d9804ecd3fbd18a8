//! The table of forms that are text here: how each begins and ends, what it is elsewhere, and what to write instead.

use super::fits::{
    Found, is_admonition, is_attached, is_attribute_line, is_container, is_contents, is_directive, is_display,
    is_emoji, is_formula, is_helper, is_id, is_import, is_index, is_keys, is_role, is_spaced, is_tag, is_variable,
    is_wiki_link,
};
use super::prose::Block;
use super::{alert, quoted, warning};
use crate::diag::{Diagnostic, codes};
use crate::source::{Source, Span};

/// A form within a line.
struct Form {
    open: &'static str,
    close: &'static str,
    /// Whether what was found is the form.
    fits: fn(&Found<'_>) -> bool,
    what: &'static str,
    help: &'static str,
}

const INCLUDE: &str =
    "show code with a fence that has `file=PATH#REGION`; text of another page is not taken in, but linked";
const FORMULA: &str = "write a formula as `$…$` in a line, or as `$$ … $$` by itself";
const REMARK: &str = "write `> [!NOTE]` on a line of its own, and the text below it, each line with `> ` before it";
const CONTENTS: &str = "leave it out: a page lists its own headings";
const LINK: &str = "write `[text](page.md#heading)`; `[](page.md)` takes the title of the page";
const PLAIN: &str =
    "pages are plain Markdown: write out what it would insert; to show the form itself, put it in backticks";
const COMMENT: &str = "write `<!-- comment -->`, alone on its line";
const ATTRIBUTES: &str = "leave it out: there are no such attributes here, but for `{#id}` at the end of a heading";

/// Forms within a line, those that begin alike with the longer one first.
const INLINE: &[Form] = &[
    Form { open: "{{#", close: "}}", fits: is_helper, what: "an include or helper of mdBook", help: INCLUDE },
    Form { open: "{{<", close: ">}}", fits: |_| true, what: "a shortcode of Hugo", help: PLAIN },
    Form { open: "{{%", close: "%}}", fits: |_| true, what: "a shortcode of Hugo", help: PLAIN },
    Form { open: "{#", close: "#}", fits: |_| true, what: "a comment of Jinja", help: COMMENT },
    Form { open: "{#", close: "}", fits: is_id, what: "an id, which only a heading has", help: ATTRIBUTES },
    Form {
        open: "%%",
        close: "%%",
        fits: |found| found.is_apart() && !found.inner.trim().is_empty(),
        what: "a comment of Obsidian",
        help: COMMENT,
    },
    Form { open: "{%", close: "%}", fits: is_tag, what: "a tag of Jekyll, Liquid or Jinja", help: PLAIN },
    Form { open: "{{", close: "}}", fits: is_variable, what: "a variable of a template", help: PLAIN },
    Form { open: "[[", close: "]]", fits: is_wiki_link, what: "a wiki link", help: LINK },
    Form { open: "\\\\(", close: "\\\\)", fits: is_formula, what: "a formula of MathJax", help: FORMULA },
    Form { open: "\\(", close: "\\)", fits: is_formula, what: "a formula of LaTeX", help: FORMULA },
    Form { open: "\\\\[", close: "\\\\]", fits: is_display, what: "a formula of MathJax", help: FORMULA },
    Form { open: "\\[", close: "\\]", fits: is_display, what: "a formula of LaTeX", help: FORMULA },
    Form {
        open: "$",
        close: "$",
        fits: is_spaced,
        what: "not a formula here",
        help: "write `$x$`, without a space or a backtick next to the dollar signs; for dollar signs, write `\\$`",
    },
    Form { open: "\\begin{", close: "}", fits: |_| true, what: "an environment of LaTeX", help: FORMULA },
    Form { open: "\\frac{", close: "}", fits: |_| true, what: "a formula of LaTeX", help: FORMULA },
    Form {
        open: "\\cite{",
        close: "}",
        fits: |_| true,
        what: "a citation of LaTeX",
        help: "write `[@key]`, with a key of `content/references.yaml`",
    },
    Form { open: "\\ref{", close: "}", fits: |_| true, what: "a reference of LaTeX", help: LINK },
    Form { open: "\\eqref{", close: "}", fits: |_| true, what: "a reference of LaTeX", help: LINK },
    Form {
        open: "[-@",
        close: "]",
        fits: |_| true,
        what: "a citation of pandoc",
        help: "write `[@key]`, or `[text][@key]` with a text of your own",
    },
    Form {
        open: "[see @",
        close: "]",
        fits: |_| true,
        what: "a citation of pandoc",
        help: "put the words before the bracket: `see [@key, p. 3]`",
    },
    Form {
        open: "^[",
        close: "]",
        fits: |found| found.inner.contains(' '),
        what: "a footnote of pandoc",
        help: "write `[^name]`, and `[^name]: text` on a line of its own",
    },
    Form { open: ":", close: ":", fits: is_role, what: "a role of Sphinx", help: LINK },
    Form { open: "{", close: "}", fits: is_role, what: "a role of MyST", help: LINK },
    Form {
        open: ":",
        close: ":",
        fits: is_emoji,
        what: "the name of an emoji",
        help: "write the emoji itself, as in 🚀, or leave it out",
    },
    Form {
        open: "{",
        close: "}",
        fits: is_attached,
        what: "a list of attributes of pandoc or kramdown",
        help: ATTRIBUTES,
    },
    Form {
        open: "==",
        close: "==",
        fits: |found| found.is_tight() && found.is_apart() && !found.inner.contains(['=', '\n']),
        what: "a highlight of other tools",
        help: "write `**text**` or `<mark>text</mark>`",
    },
    Form {
        open: "++",
        close: "++",
        fits: is_keys,
        what: "a key of MkDocs",
        help: "write `<kbd>Ctrl</kbd>+<kbd>C</kbd>`",
    },
    Form {
        open: "^",
        close: "^",
        fits: is_index,
        what: "a superscript of pandoc",
        help: "write `<sup>2</sup>`, or a formula such as `$x^2$`",
    },
    Form {
        open: "~",
        close: "~",
        fits: |found| is_index(&Found { after: None, ..*found }),
        what: "a subscript of pandoc",
        help: "write `<sub>2</sub>`, or a formula such as `$x_2$`",
    },
];

/// A form that begins a line: its beginning, whether the rest of the line fits, what it is, and what to write instead;
/// without help it is a box of some kind, which an alert may replace.
type Start = (&'static str, fn(&str) -> bool, &'static str, Option<&'static str>);

const STARTS: &[Start] = &[
    ("", is_contents, "a table of contents of other tools", Some(CONTENTS)),
    ("!!! ", is_admonition, "an admonition of MkDocs", None),
    ("??? ", is_admonition, "an admonition of MkDocs", Some(FOLDED)),
    ("???+ ", is_admonition, "an admonition of MkDocs", Some(FOLDED)),
    (":::", is_container, "a container of Docusaurus, VitePress or pandoc", None),
    (
        "===",
        |rest| rest.trim_start_matches(['!', '+']).starts_with(" \""),
        "a tab of MkDocs",
        Some("there are no tabs here: write a heading for each, one below the other"),
    ),
    ("--8<--", |_| true, "a snippet of MkDocs", Some(INCLUDE)),
    (";--8<--", |_| true, "a snippet of MkDocs", Some(INCLUDE)),
    ("-8<-", |_| true, "a snippet of MkDocs", Some(INCLUDE)),
    ("<<< ", |rest| rest.starts_with(['@', '.', '/']), "an import of VitePress", Some(INCLUDE)),
    ("include::", |rest| rest.ends_with(']'), "an include of AsciiDoc", Some(INCLUDE)),
    ("!> ", |_| true, "a remark of docsify", Some(REMARK)),
    ("?> ", |_| true, "a remark of docsify", Some(REMARK)),
    (".. ", is_directive, "a directive of reStructuredText", Some(PLAIN)),
    ("import ", is_import, "an import of MDX", Some("leave it out: pages are Markdown and hold no components")),
    ("\\newpage", str::is_empty, "a command of LaTeX", Some("leave it out: paper is paged by the browser")),
    ("\\pagebreak", str::is_empty, "a command of LaTeX", Some("leave it out: paper is paged by the browser")),
    ("{", is_attribute_line, "a list of attributes of kramdown or MkDocs", Some(ATTRIBUTES)),
    ("\\\\[", str::is_empty, "a formula of MathJax", Some(FORMULA)),
    ("\\[", str::is_empty, "a formula of LaTeX", Some(FORMULA)),
];

const FOLDED: &str = "write `<details>`, `<summary>Title</summary>` and `</details>`, with blank lines around the text";

/// Reports each form in a block.
pub fn check(source: &Source, block: &Block, out: &mut Vec<Diagnostic>) {
    let mut found: Vec<(Span, Diagnostic)> = Vec::new();
    for (at, line) in block.lines() {
        let form = STARTS.iter().find(|(open, fits, ..)| line.strip_prefix(open).is_some_and(fits));
        let Some((open, _, what, help)) = form else { continue };
        let span = at..at + line.len();
        let help = help.map_or_else(|| alert::instead(&line[open.len()..]), str::to_owned);
        found.push((span.clone(), report(source, span, what, help)));
    }
    let mut has = [false; 256];
    block.text.bytes().for_each(|byte| has[usize::from(byte)] = true);
    // Most blocks have none of the bytes that a form ends with.
    let may_be = |form: &&Form| form.close.bytes().all(|byte| has[usize::from(byte)]);
    for form in INLINE.iter().filter(may_be) {
        for range in matches(source, block, form) {
            let span = block.span(&range);
            found.push((span.clone(), report(source, span, form.what, form.help.to_owned())));
        }
    }
    // Of two that overlap, the one that begins first, and of those the one that is first in the tables.
    found.sort_by_key(|(span, _)| span.start);
    let mut end = 0;
    for (span, diagnostic) in found {
        if span.start >= end {
            end = span.end;
            out.push(diagnostic);
        }
    }
}

fn report(source: &Source, span: Span, what: &str, help: String) -> Diagnostic {
    let message = format!("`{}` is {what}, and shown as text", quoted(source, &span));
    warning(source, codes::W0208, span, message).help(help)
}

/// What is said of a line that begins with `:::` and was taken for a definition; nothing if it only ends a container.
pub fn container(source: &Source, span: Span) -> Option<Diagnostic> {
    let rest = &source.text()[span.start + 3..span.end];
    let what = "a container of Docusaurus, VitePress or pandoc";
    is_container(rest).then(|| report(source, span, what, alert::instead(rest)))
}

/// Whether a line of a code block takes in a file by the form of another tool, and what that form is.
pub fn include(line: &str) -> Option<&'static str> {
    let is_helper = ["{{#include ", "{{#rustdoc_include ", "{{#playground "].iter().any(|open| line.starts_with(open));
    if is_helper && line.ends_with("}}") {
        return Some("an include of mdBook");
    }
    let snippet = ["--8<--", ";--8<--", "-8<-"].iter().find_map(|open| line.strip_prefix(open));
    snippet.is_some_and(|rest| rest.trim_start().starts_with('"')).then_some("a snippet of MkDocs")
}

/// What includes are replaced by.
pub const fn include_help() -> &'static str {
    INCLUDE
}

/// Where a form stands in a block. Each byte is looked at a fixed number of times.
fn matches(source: &Source, block: &Block, form: &Form) -> Vec<Span> {
    if form.open == form.close { paired(source, block, form) } else { bracketed(source, block, form) }
}

/// Forms whose two ends differ: each end with the last beginning before it.
fn bracketed(source: &Source, block: &Block, form: &Form) -> Vec<Span> {
    let (text, mut at, mut found) = (&block.text, 0, Vec::new());
    while let Some(close) = text[at..].find(form.close).map(|offset| at + offset) {
        let end = close + form.close.len();
        let open = text[at..close].rfind(form.open).map(|offset| at + offset);
        found.extend(open.map(|open| open..end).filter(|range| fits(source, block, form, range)));
        at = end;
    }
    found
}

/// Forms whose two ends are alike: one after the other.
fn paired(source: &Source, block: &Block, form: &Form) -> Vec<Span> {
    let (mut open, mut found) = (None, Vec::new());
    for (at, _) in block.text.match_indices(form.open) {
        let range = open.unwrap_or(at)..at + form.close.len();
        let fits = open.is_some() && fits(source, block, form, &range);
        open = (!fits).then_some(at);
        found.extend(fits.then_some(range));
    }
    found
}

/// The longest form that is looked at.
const LONGEST: usize = 1000;

fn fits(source: &Source, block: &Block, form: &Form, range: &Span) -> bool {
    let span = block.span(range);
    let text = source.text();
    let before = text[..span.start].chars().next_back();
    let inner = text.get(span.start + form.open.len()..span.end - form.close.len());
    let after = text[span.end..].chars().next();
    let Some(inner) = inner.filter(|inner| inner.len() <= LONGEST && before != Some('\\')) else { return false };
    (form.fits)(&Found { before, inner, after })
}
