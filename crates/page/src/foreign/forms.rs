//! The table of forms of other tools that are plain text here: the delimiters of each, its name, and what to write instead.

use super::fits::{
    Candidate, has_pairs, is_abbreviation, is_address, is_admonition, is_attached, is_attribute_line, is_container,
    is_contents, is_directive, is_display, is_emoji, is_expression, is_formula, is_heading, is_helper, is_id,
    is_import, is_index, is_joined_item, is_keys, is_plugin_block, is_reversed, is_role, is_slashed, is_spaced, is_tag,
    is_unpaired, is_variable, is_wiki_link,
};
use super::prose::TextBlock;
use super::{alert, quoted};
use crate::dollar::PAIRS;
use infralens_source::diag::{Diagnostic, Edit, Fix, codes};
use infralens_source::source::{Source, Span};

struct Form {
    open: &'static str,
    close: &'static str,
    /// Returns whether a candidate is the form.
    fits: fn(&Candidate<'_>) -> bool,
    /// Completes the message: `…` is this, and is shown as plain text.
    what: &'static str,
    help: &'static str,
    /// The element of HTML that means the same; empty if there is none.
    element: &'static str,
}

impl Form {
    /// Sets the element of HTML that means the same.
    const fn is(self, element: &'static str) -> Self {
        Self { element, ..self }
    }

    fn in_html(&self, inner: &str) -> Option<String> {
        let key = |name: &str| format!("<kbd>{}</kbd>", key_name(name));
        match (self.element, inner.split_once("~>")) {
            ("", _) => None,
            ("kbd", _) => Some(inner.split('+').map(key).collect::<Vec<_>>().join("+")),
            ("!--", _) => Some(format!("<!-- {} -->", inner.trim())),
            ("del", Some((old, new))) => Some(format!("<del>{old}</del><ins>{new}</ins>")),
            (element, _) => Some(format!("<{element}>{inner}</{element}>")),
        }
    }
}

/// Returns what stands on a key: `Ctrl` for `ctrl`, `Page Up` for `page-up`.
fn key_name(name: &str) -> String {
    let upper = |word: &str| word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect();
    match name.trim().strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
        Some(name) => name.to_owned(),
        None => name.trim().split('-').map(upper).collect::<Vec<String>>().join(" "),
    }
}

const fn form(
    open: &'static str,
    close: &'static str,
    fits: fn(&Candidate<'_>) -> bool,
    what: &'static str,
    help: &'static str,
) -> Form {
    Form { open, close, fits, what, help, element: "" }
}

pub const INCLUDE: &str = "show code with a fence that has `file=PATH#REGION`; link to text of another page";
const FORMULA: &str = "write a formula as `$…$` in a line, or as `$$ … $$` by itself";
const REMARK: &str = "write `> [!NOTE]` on a line of its own, and the text below it, each line with `> ` before it";
const CONTENTS: &str = "remove it: every page lists its own headings";
const LINK: &str = "write `[text](page.md#heading)`; `[](page.md)` takes the title of the page";
const NARROW: &str = "write `[text](address)`, with the brackets of a keyboard";
const NUMBER: &str = "begin each item with its number, a period and a space: `1. `";
const TERM: &str = "define the term in `content/glossary.md`: the first mention on each page shows what it means";
const PLAIN: &str =
    "pages are plain Markdown: write out what it would insert; to show the syntax itself, put it in backticks";
const COMMENT: &str = "write `<!-- comment -->` on a line of its own";
const ATTRIBUTES: &str = "remove it: only a heading can have an attribute, `{#id}` at its end";

/// Forms inside a line. Of forms that begin alike, the longer one comes first.
const INLINE: &[Form] = &[
    form("{{#", "}}", is_helper, "an mdBook include or helper", INCLUDE),
    form("{{<", ">}}", |_| true, "a Hugo shortcode", PLAIN),
    form("{{%", "%}}", |_| true, "a Hugo shortcode", PLAIN),
    form("{#", "#}", |_| true, "a Jinja comment", COMMENT),
    form("{#", "}", is_id, "an id, which only a heading can have,", ATTRIBUTES),
    form("%%", "%%", |found| found.is_apart() && !found.inner.trim().is_empty(), "an Obsidian comment", COMMENT),
    form("{%", "%}", is_tag, "a Jekyll, Liquid or Jinja tag", PLAIN),
    form("{{", "}}", is_variable, "a template variable", PLAIN),
    form("[[", "]]", is_wiki_link, "a wiki link", LINK),
    form("\\\\(", "\\\\)", is_formula, "a MathJax formula", FORMULA),
    form("\\(", "\\)", is_formula, "a LaTeX formula", FORMULA),
    form("\\\\[", "\\\\]", is_display, "a MathJax formula", FORMULA),
    form("\\[", "\\]", is_display, "a LaTeX formula", FORMULA),
    form(
        "$",
        "$",
        is_spaced,
        "not a formula here",
        "write `$x$`, without a space or a backtick next to the dollar signs; for dollar signs, write `\\$`",
    ),
    form("$$", "$$", |found| !has_pairs(found.inner), "not a formula, because its braces do not pair,", PAIRS),
    form("$", "$", is_unpaired, "not a formula, because its braces do not pair,", PAIRS),
    form("\\begin{", "}", |_| true, "a LaTeX environment", FORMULA),
    form("\\frac{", "}", |_| true, "a LaTeX formula", FORMULA),
    form("\\cite{", "}", |_| true, "a LaTeX citation", "write `[@key]`, with a key of `content/references.yaml`"),
    form("\\ref{", "}", |_| true, "a LaTeX reference", LINK),
    form("\\eqref{", "}", |_| true, "a LaTeX reference", LINK),
    form("[-@", "]", |_| true, "a pandoc citation", "write `[@key]`, or `[text][@key]` with a text of your own"),
    form("[see @", "]", |_| true, "a pandoc citation", "put the words before the bracket: `see [@key, p. 3]`"),
    form(
        "^[",
        "]",
        |found| {
            let is_word = found.inner.len() > 2 && found.inner.chars().all(char::is_alphabetic);
            is_word || found.inner.contains(' ') || found.is_apart() && found.inner.starts_with(char::is_alphabetic)
        },
        "a pandoc footnote",
        "write `[^name]`, and `[^name]: text` on a line of its own",
    ),
    form(":", ":", is_role, "a Sphinx role", LINK),
    form("{", "}", is_role, "a MyST role", LINK),
    form(":", ":", is_emoji, "an emoji name", "write the emoji itself, as in 🚀, or remove it"),
    form("{--", "--}", |_| true, "a deletion of CriticMarkup", "write `<del>text</del>`").is("del"),
    form(
        "{~~",
        "~~}",
        |found| found.inner.contains("~>"),
        "a substitution of CriticMarkup",
        "write `<del>old</del><ins>new</ins>`",
    )
    .is("del"),
    form("{==", "==}", |_| true, "a highlight of CriticMarkup", "write `<mark>text</mark>`").is("mark"),
    form("{++", "++}", |_| true, "an insertion of CriticMarkup", "write `<ins>text</ins>`").is("ins"),
    form("{>>", "<<}", |_| true, "a comment of CriticMarkup", COMMENT).is("!--"),
    form("{", "}", is_attached, "a pandoc or kramdown attribute list", ATTRIBUTES),
    form(
        "==",
        "==",
        |found| found.is_tight() && found.is_apart() && !found.inner.contains(['=', '\n']),
        "highlight syntax of other tools",
        "write `**text**` or `<mark>text</mark>`",
    )
    .is("mark"),
    form("++", "++", is_keys, "a MkDocs key", "write `<kbd>Ctrl</kbd>+<kbd>C</kbd>`").is("kbd"),
    form(
        "++",
        "++",
        |found| found.is_tight() && found.is_apart() && found.inner.starts_with(char::is_alphabetic),
        "an insertion in other tools",
        "write `<ins>text</ins>`",
    )
    .is("ins"),
    form(
        "^^",
        "^^",
        |found| found.is_tight() && found.is_apart() && !found.inner.contains('\n'),
        "an insertion in other tools",
        "write `<ins>text</ins>`",
    )
    .is("ins"),
    form("{", "}", is_expression, "an MDX expression", "remove it: pages are Markdown without components"),
    form("(", "]", is_reversed, "a link whose brackets are exchanged", "write `[text](address)`"),
    form("】（", "）", is_address, "a link with wide brackets", NARROW),
    form("]（", "）", is_address, "a link with wide brackets", NARROW),
    form("^", "^", is_index, "a pandoc superscript", "write `<sup>2</sup>`, or a formula such as `$x^2$`").is("sup"),
    form(
        "~",
        "~",
        |found| is_index(&Candidate { after: None, ..*found }),
        "a pandoc subscript",
        "write `<sub>2</sub>`, or a formula such as `$x_2$`",
    )
    .is("sub"),
];

/// A form that begins a line: its beginning, whether the rest of the line fits, its name, and the help text. Forms without
/// help are boxes, which an alert may replace.
type Start = (&'static str, fn(&str) -> bool, &'static str, Option<&'static str>);

const STARTS: &[Start] = &[
    ("", is_contents, "table of contents syntax of other tools", Some(CONTENTS)),
    ("*[", is_abbreviation, "an abbreviation of other tools", Some(TERM)),
    ("", is_joined_item, "not an item of a numbered list, because of what follows its number,", Some(NUMBER)),
    ("##", is_heading, "not a heading, because no space follows its `#`,", Some("write `## Heading`, with a space")),
    ("[] ", |_| true, "not a task, because nothing is between its brackets,", Some("write `- [ ] text`, with a space")),
    ("!!!", is_admonition, "a MkDocs admonition", None),
    ("???", is_admonition, "a MkDocs admonition", Some(alert::FOLDED_HELP)),
    ("/// ", is_slashed, "a block of `pymdownx.blocks`", None),
    ("{* ", |rest| rest.ends_with("*}"), "an include of a MkDocs extension", Some(INCLUDE)),
    ("{! ", |rest| rest.ends_with("!}"), "an include of a MkDocs extension", Some(INCLUDE)),
    (":::", is_container, "a Docusaurus, VitePress or pandoc container", None),
    (
        "===",
        |rest| rest.trim_start_matches(['!', '+']).starts_with(" \""),
        "a MkDocs tab",
        Some("write `<!-- tabs -->`, a paragraph in bold as the title of each tab, and `<!-- /tabs -->`"),
    ),
    ("::", is_plugin_block, "a block of a MkDocs plugin", Some(PLAIN)),
    ("--8<--", |_| true, "a MkDocs snippet", Some(INCLUDE)),
    (";--8<--", |_| true, "a MkDocs snippet", Some(INCLUDE)),
    ("-8<-", |_| true, "a MkDocs snippet", Some(INCLUDE)),
    ("<<< ", |rest| rest.starts_with(['@', '.', '/']), "a VitePress import", Some(INCLUDE)),
    ("include::", |rest| rest.ends_with(']'), "an AsciiDoc include", Some(INCLUDE)),
    ("!> ", |_| true, "a docsify remark", Some(REMARK)),
    ("?> ", |_| true, "a docsify remark", Some(REMARK)),
    (".. ", is_directive, "a reStructuredText directive", Some(PLAIN)),
    ("import ", is_import, "an MDX import", Some("remove it: pages are Markdown without components")),
    ("\\newpage", str::is_empty, "a LaTeX command", Some("remove it: the browser breaks printed pages")),
    ("\\pagebreak", str::is_empty, "a LaTeX command", Some("remove it: the browser breaks printed pages")),
    ("{", is_attribute_line, "a kramdown or MkDocs attribute list", Some(ATTRIBUTES)),
    ("\\\\[", str::is_empty, "a MathJax formula", Some(FORMULA)),
    ("\\[", str::is_empty, "a LaTeX formula", Some(FORMULA)),
];

/// Reports each form in a block.
pub fn check(source: &Source, block: &TextBlock, out: &mut Vec<Diagnostic>) {
    let mut found: Vec<(Span, Diagnostic)> = Vec::new();
    for (at, line) in block.lines() {
        let form = STARTS.iter().find(|(open, fits, ..)| line.strip_prefix(open).is_some_and(fits));
        let Some((open, _, what, help)) = form else { continue };
        let span = at..at + line.len();
        let help = help.map_or_else(|| alert::instead(&line[open.len()..]), str::to_owned);
        let signs = line.len() - line.trim_start_matches('#').len();
        let fix = match *open {
            "##" => Some(Fix::new("put a space after the `#`", vec![Edit::new(source, at + signs..at + signs, " ")])),
            "[] " => Some(Fix::write(source, at..at + 2, "- [ ]")),
            _ => None,
        };
        found.push((span.clone(), report(source, span, what, help).fix(fix)));
    }
    let mut has = [false; 256];
    block.text.bytes().for_each(|byte| has[usize::from(byte)] = true);
    // Most blocks contain none of the bytes that a form ends with.
    let may_be = |form: &&Form| form.close.bytes().all(|byte| has[usize::from(byte)]);
    for form in INLINE.iter().filter(may_be) {
        // Each byte is read a fixed number of times.
        let find = if form.open == form.close { paired } else { bracketed };
        for range in find(source, block, form) {
            let span = block.span(&range);
            let inner = &source.text()[span.start + form.open.len()..span.end - form.close.len()];
            let fix = form.in_html(inner).map(|html| {
                Fix::new(format!("write <{}> instead", form.element), vec![Edit::new(source, span.clone(), html)])
            });
            found.push((span.clone(), report(source, span, form.what, form.help.to_owned()).fix(fix)));
        }
    }
    // Of overlapping forms, keep the one that begins first, or else the one that is first in the tables.
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
    let message = format!("`{}` is {what} and is shown as plain text", quoted(source, &span));
    source.diagnostic(codes::W0208, span, message).help(help)
}

/// Returns the name of the form if a line of a code block includes a file with the syntax of another tool.
pub fn include(line: &str) -> Option<&'static str> {
    let is_helper = ["{{#include ", "{{#rustdoc_include ", "{{#playground "].iter().any(|open| line.starts_with(open));
    if is_helper && line.ends_with("}}") {
        return Some("an mdBook include");
    }
    let snippet = ["--8<--", ";--8<--", "-8<-"].iter().find_map(|open| line.strip_prefix(open));
    snippet.is_some_and(|rest| rest.trim_start().starts_with('"')).then_some("a MkDocs snippet")
}

/// Finds a form whose two delimiters differ: each closing one with the last opening one before it.
fn bracketed(source: &Source, block: &TextBlock, form: &Form) -> Vec<Span> {
    let (text, mut at, mut found) = (&block.text, 0, Vec::new());
    while let Some(close) = text[at..].find(form.close).map(|offset| at + offset) {
        let end = close + form.close.len();
        let open = text[at..close].rfind(form.open).map(|offset| at + offset);
        found.extend(open.map(|open| open..end).filter(|range| fits(source, block, form, range)));
        at = end;
    }
    found
}

/// Finds a form whose two delimiters are the same: each with the one before it.
fn paired(source: &Source, block: &TextBlock, form: &Form) -> Vec<Span> {
    let (mut open, mut found) = (None, Vec::new());
    for (at, _) in block.text.match_indices(form.open) {
        let range = open.unwrap_or(at)..at + form.close.len();
        let fits = open.is_some() && fits(source, block, form, &range);
        open = (!fits).then_some(at);
        found.extend(fits.then_some(range));
    }
    found
}

/// The longest form that is considered, in bytes.
const LONGEST: usize = 1000;

fn fits(source: &Source, block: &TextBlock, form: &Form, range: &Span) -> bool {
    let span = block.span(range);
    let text = source.text();
    let before = text[..span.start].chars().next_back();
    let inner = text.get(span.start + form.open.len()..span.end - form.close.len());
    let after = text[span.end..].chars().next();
    let Some(inner) = inner.filter(|inner| inner.len() <= LONGEST && before != Some('\\')) else { return false };
    (form.fits)(&Candidate { before, inner, after })
}
