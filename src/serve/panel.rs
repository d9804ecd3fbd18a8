//! The panel: the course's errors, and the excerpts of the page whose notes are to be read again, as HTML at the page's
//! end. It says all that it has to say without a script; the script moves the bars to their excerpts.

use std::fmt::Write;

use super::client::STYLE_PATH;
use super::editor::Editor;
use crate::diag::{Diagnostic, Place, Severity};
use crate::render::escape;
use crate::render::pin::{Drift, State};
use crate::report::{self, Sources, one_line, visible};

/// What there is to say on a page.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    /// All of the course's; only errors are shown.
    pub diagnostics: &'a [Diagnostic],
    /// The page's stale excerpts, in their order.
    pub drifts: &'a [&'a Drift],
    /// The file that the page is made from, by its path from the course's root.
    pub from: &'a str,
    /// Whether the page is shown as it was before there were errors.
    pub held: bool,
    /// The texts that the diagnostics point into.
    pub sources: &'a dyn Sources,
    /// Where the links lead.
    pub editor: &'a Editor,
}

/// Most errors that are shown in full, of the page's own, of all pages' and of the others: more are read in a terminal.
const LIMIT: usize = 20;

/// The panel; nothing where there is nothing to say.
#[must_use]
pub fn panel(said: Said<'_>) -> Option<String> {
    // What a bar says of this page need not be said twice.
    let is_bar = |diagnostic: &Diagnostic| said.drifts.iter().any(|drift| drift.diagnostic == *diagnostic);
    let errors = said.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let (shared, rest): (Vec<_>, Vec<_>) =
        errors.filter(|error| !is_bar(error)).partition(|error| is_shared(&error.place.file));
    let (own, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|error| *error.place.file == *said.from);
    if shared.is_empty() && own.is_empty() && others.is_empty() && said.drifts.is_empty() {
        return None;
    }
    let writer = Writer { sources: said.sources, editor: said.editor };
    let mut out = String::from(
        "<section class=\"infralens-panel\" id=\"Infralens-panel\" aria-label=\"Preview\" lang=\"en\" dir=\"ltr\">\n",
    );
    let _ = writeln!(out, "<link rel=\"stylesheet\" href=\"{STYLE_PATH}\">");
    for drift in said.drifts {
        writer.bar(&mut out, drift);
    }
    if said.held {
        out.push_str("<p class=\"infralens-held\">This page is shown as it was before the error</p>\n");
    }
    writer.errors(&mut out, "here", &own, "on this page", true);
    writer.errors(&mut out, "shared", &shared, "in files that every page is made with", true);
    writer.errors(&mut out, "elsewhere", &others, "in other files", false);
    out.push_str("</section>\n");
    Some(out)
}

/// The bars alone, of excerpts that have changed where no note explains them; empty where there are none.
#[must_use]
pub fn bars(drifts: &[&Drift], sources: &dyn Sources, editor: &Editor) -> String {
    let writer = Writer { sources, editor };
    drifts.iter().fold(String::new(), |mut out, drift| {
        writer.bar(&mut out, drift);
        out
    })
}

/// Whether what is wrong in a file is felt on every page.
fn is_shared(file: &str) -> bool {
    file.starts_with("templates/")
        || file.starts_with("static/")
        || matches!(file, "content/site.yaml" | "content/references.yaml")
}

/// A whole page that consists of the panel, for a page that has no good form to be shown in. `language` is the course's.
#[must_use]
pub fn page(said: Said<'_>, title: &str, language: &str) -> String {
    let title = escape::text(title);
    let panel = panel(said).unwrap_or_default();
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; script-src 'self'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"{STYLE_PATH}\">\n</head>\n\
         <body class=\"infralens-page\">\n<main>\n<h1>{title}</h1>\n\
         <p lang=\"en\">There is no page to show here until the errors below are mended. It appears by itself then.</p>\n\
         </main>\n{panel}</body>\n</html>\n",
        escape::attribute(language)
    )
}

/// What every part of the panel needs.
struct Writer<'a> {
    sources: &'a dyn Sources,
    editor: &'a Editor,
}

impl Writer<'_> {
    /// A list of errors, open or closed.
    fn errors(&self, out: &mut String, id: &str, errors: &[&Diagnostic], whose: &str, is_open: bool) {
        if errors.is_empty() {
            return;
        }
        let open = if is_open { " open" } else { "" };
        let plural = if errors.len() == 1 { "" } else { "s" };
        let _ = writeln!(
            out,
            "<details class=\"infralens-errors\" id=\"Infralens-{id}\"{open}>\n<summary>{} error{plural} {whose}</summary>\n<ol>",
            errors.len()
        );
        for error in errors.iter().take(LIMIT) {
            self.error(out, error);
        }
        out.push_str("</ol>\n");
        if errors.len() > LIMIT {
            let more = errors.len() - LIMIT;
            let _ = writeln!(out, "<p>… and {more} more, which the terminal shows</p>");
        }
        out.push_str("</details>\n");
    }

    /// What the terminal prints: its first line as a sentence, the place below it as a link.
    fn error(&self, out: &mut String, error: &Diagnostic) {
        let text = report::human(std::slice::from_ref(error), self.sources, false);
        // How many there are is the last line.
        let text = text.rsplit_once("\n\n").map_or(text.as_str(), |(text, _)| text);
        let below = text.split_once('\n').map_or("", |(_, below)| below);
        let (arrow, below) = below.split_once("--> ").unwrap_or(("", below));
        let at = self.location(&error.place);
        let _ = writeln!(
            out,
            "<li>\n<p><strong>{}[{}]</strong> {}</p>\n<pre tabindex=\"0\">{arrow}--&gt; {}{}</pre>\n</li>",
            error.severity.word(),
            error.code.id,
            prose(&error.message),
            at.link(),
            escape::text(below.strip_prefix(&at.name).unwrap_or(below)),
        );
    }

    /// The bar of an excerpt, which the script puts above its figure.
    fn bar(&self, out: &mut String, drift: &Drift) {
        let number = drift.excerpt + 1;
        let (kind, changed) = match &drift.state {
            State::Changed(notes) => ("changed", notes.as_slice()),
            State::Holds | State::Unpinned => ("mild", &[][..]),
        };
        let _ = writeln!(
            out,
            "<section class=\"infralens-bar infralens-{kind}\" id=\"Infralens-E{number}\" data-excerpt=\"E{number}\" aria-label=\"Excerpt {number}\" lang=\"en\" dir=\"ltr\">\n\
             <p><strong>{}</strong> {}</p>",
            drift.diagnostic.code.id,
            prose(&drift.diagnostic.message),
        );
        if !changed.is_empty() {
            let links: Vec<String> =
                changed.iter().map(|note| format!("<a href=\"#E{number}-N{0}\">note {0}</a>", note + 1)).collect();
            let _ = writeln!(out, "<p>To be read again: {}</p>", links.join(", "));
        }
        for note in &drift.diagnostic.notes {
            let open = if changed.is_empty() { "" } else { " open" };
            let _ = writeln!(
                out,
                "<details{open}>\n<summary>What changed</summary>\n<pre tabindex=\"0\">{}</pre>\n</details>",
                diff(note)
            );
        }
        for help in &drift.diagnostic.help {
            let _ = writeln!(out, "<p>{}</p>", prose(help));
        }
        let _ = writeln!(out, "<p>{}</p>\n</section>", self.location(&drift.diagnostic.place).link());
    }

    fn location(&self, place: &Place) -> Location {
        let file = one_line(&place.file);
        match place.span.zip(self.sources.source(&place.file)) {
            Some(((start, _), source)) => {
                let at = source.position(start.max(source.start()));
                let url = self.editor.url(&place.file, at.line, at.column);
                Location { name: format!("{file}:{}:{}", at.line, at.column), url }
            }
            None => Location { name: file.into_owned(), url: self.editor.url(&place.file, 1, 1) },
        }
    }
}

/// A place as a reader meets it.
struct Location {
    /// `file:line:column`, as reports print it.
    name: String,
    /// What opens it in the editor.
    url: Option<String>,
}

impl Location {
    fn link(&self) -> String {
        let name = escape::text(&self.name);
        match &self.url {
            Some(url) => format!("<a href=\"{}\">{name}</a>", escape::attribute(url)),
            None => name,
        }
    }
}

/// One line of a message: what stands in backticks is code, and a command where it is one of this program's.
fn prose(text: &str) -> String {
    let text = one_line(text);
    let mut out = String::with_capacity(text.len() + 32);
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        if is_code && parts.peek().is_some() {
            let class = if part.starts_with("infralens ") { " class=\"infralens-command\"" } else { "" };
            let _ = write!(out, "<code{class}>{}</code>", escape::text(part));
        } else {
            // A backtick without its twin is one.
            out.push_str(if is_code { "`" } else { "" });
            escape::push_text(&mut out, part);
        }
        is_code = !is_code;
    }
    out
}

/// A diff whose lines that came and went can be told apart by more than their sign.
fn diff(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for line in visible(text.trim_end_matches('\n')).split('\n') {
        let name = match line.as_bytes().first() {
            Some(b'+') => "ins",
            Some(b'-') => "del",
            _ => "span",
        };
        let _ = write!(out, "<{name}>{}\n</{name}>", escape::text(line));
    }
    out
}

#[cfg(test)]
mod tests;
