//! The panel: the course's errors, the page's warnings, and the excerpts of the page whose notes are to be read again, as
//! HTML at the page's end. It says all that it has to say without a script; the script moves the bars to their excerpts.

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
    /// All of the course's: shown are its errors, and the warnings of this page.
    pub diagnostics: &'a [Diagnostic],
    /// The page's stale excerpts, in their order.
    pub drifts: &'a [&'a Drift],
    /// Its excerpts that have changed where no note explains them, which have [`bars`] already.
    pub beside: &'a [&'a Drift],
    /// The file that the page is made from, by its path from the course's root.
    pub from: &'a str,
    /// Whether the page is shown as it is.
    pub form: Form,
    /// The texts that the diagnostics point into.
    pub sources: &'a dyn Sources,
    /// Where the links lead.
    pub editor: &'a Editor,
}

/// In which form a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    Current,
    /// As it was before there were errors.
    Held,
    /// Not at all: it never was without an error.
    Lost,
    /// Not at all: it is a draft, and drafts are not shown.
    Draft,
}

/// Where errors and warnings are that concern every page.
const SHARED: &str = "in files that every page is made with";
/// How many hex digits tell what one panel says from what another one does.
const DIGITS: usize = 16;
/// Most errors that are shown in full, of the page's own, of all pages' and of the others: more are read in a terminal.
const LIMIT: usize = 20;

/// A panel, as HTML.
#[derive(Debug, PartialEq, Eq)]
pub struct Panel {
    /// A `section`.
    pub html: String,
    /// Whether it says what is wrong, so that it is part of the page. A page about which there is less to say is what a
    /// build makes of it, and the script adds the panel.
    pub has_errors: bool,
}

/// The panel; nothing where there is nothing to say.
#[must_use]
pub fn panel(said: Said<'_>) -> Option<Panel> {
    // What a bar says of this page need not be said twice.
    let bars = || said.drifts.iter().chain(said.beside);
    let is_bar = |diagnostic: &Diagnostic| bars().any(|drift| drift.diagnostic == *diagnostic);
    let told = said.diagnostics.iter().filter(|told| !is_bar(told));
    let (errors, warnings): (Vec<_>, Vec<_>) = told.partition(|told| told.severity == Severity::Error);
    let is_own = |told: &&Diagnostic| *told.place.file == *said.from;
    let is_shared = |told: &&Diagnostic| is_shared(&told.place.file);
    let warnings: Vec<_> = warnings.into_iter().filter(|told| is_own(told) || is_shared(told)).collect();
    if errors.is_empty() && warnings.is_empty() && said.drifts.is_empty() && said.form == Form::Current {
        return None;
    }
    let told = errors.iter().chain(&warnings).copied().chain(said.drifts.iter().map(|drift| &drift.diagnostic));
    let says = identity(&said, told);
    let has_errors = !errors.is_empty();
    let (shared, rest): (Vec<_>, Vec<_>) = errors.into_iter().partition(is_shared);
    let (own, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_own);
    let (mild_shared, mild): (Vec<_>, Vec<_>) = warnings.into_iter().partition(is_shared);
    let writer = Writer { sources: said.sources, editor: said.editor };
    let tone = if has_errors { "" } else { " infralens-mild" };
    let held = held(said.form, own.len() + shared.len(), others.len());
    let mut out = format!(
        "<section class=\"infralens-panel{tone}\" id=\"Infralens-panel\" data-says=\"{says}\"{held} \
         aria-label=\"Preview\" lang=\"en\" dir=\"ltr\">\n<link rel=\"stylesheet\" href=\"{STYLE_PATH}\">\n"
    );
    for drift in said.drifts {
        writer.bar(&mut out, drift);
    }
    form(&mut out, &said);
    writer.list(&mut out, "here", &own, "on this page", true);
    writer.list(&mut out, "shared", &shared, SHARED, true);
    writer.list(&mut out, "elsewhere", &others, "in other files", false);
    writer.list(&mut out, "warnings", &mild, "on this page", false);
    writer.list(&mut out, "warnings-shared", &mild_shared, SHARED, false);
    out.push_str("</section>\n");
    Some(Panel { html: out, has_errors: has_errors || !said.drifts.is_empty() })
}

/// Of a page that is not shown as it is, how many errors are the reason: its own, else those elsewhere.
fn held(form: Form, here: usize, elsewhere: usize) -> String {
    match form {
        Form::Current | Form::Draft => String::new(),
        Form::Held | Form::Lost => format!(" data-held=\"{}\"", if here > 0 { here } else { elsewhere }),
    }
}

/// Says in which form the page is shown, if not as it is.
fn form(out: &mut String, said: &Said<'_>) {
    let text = match said.form {
        Form::Current | Form::Lost => return,
        Form::Held => "This page is shown as it was before the error".to_owned(),
        Form::Draft => format!(
            "This page is a draft: `{}` has `draft: true`. The command `infralens serve --drafts` shows drafts, too",
            said.from
        ),
    };
    let _ = writeln!(out, "<p class=\"infralens-held\">{}</p>", prose(&text));
}

/// Tells what is said here from anything else, wherever edits above it shift the places.
fn identity<'a>(said: &Said<'_>, told: impl Iterator<Item = &'a Diagnostic>) -> String {
    let mut keys: Vec<_> = told.map(|told| (told.code.id, &*told.place.file, told.message.as_str())).collect();
    keys.sort_unstable();
    match said.form {
        // What is said on every page is closed on all of them at once.
        Form::Current => {}
        Form::Held | Form::Lost => keys.push(("held", said.from, "")),
        Form::Draft => keys.push(("draft", said.from, "")),
    }
    let mut hasher = blake3::Hasher::new();
    for part in keys.iter().flat_map(|(code, file, message)| [code, file, message]) {
        hasher.update(part.as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex()[..DIGITS].to_owned()
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
    let panel = panel(said).map(|panel| panel.html).unwrap_or_default();
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
    /// A list of errors or of warnings, open or closed.
    fn list(&self, out: &mut String, id: &str, all: &[&Diagnostic], whose: &str, is_open: bool) {
        let Some(first) = all.first() else { return };
        let open = if is_open { " open" } else { "" };
        let (count, plural, word) = (all.len(), if all.len() == 1 { "" } else { "s" }, first.severity.word());
        let _ = writeln!(
            out,
            "<details class=\"infralens-list infralens-{word}s\" id=\"Infralens-{id}\"{open}>\n\
             <summary>{count} {word}{plural} {whose}</summary>\n<ol>"
        );
        for diagnostic in all.iter().take(LIMIT) {
            self.item(out, diagnostic);
        }
        out.push_str("</ol>\n");
        if count > LIMIT {
            let _ = writeln!(out, "<p>… and {} more, which `infralens check` shows</p>", count - LIMIT);
        }
        out.push_str("</details>\n");
    }

    /// What the terminal prints: its first line as a sentence, the places below it as links.
    fn item(&self, out: &mut String, diagnostic: &Diagnostic) {
        let text = report::human(std::slice::from_ref(diagnostic), self.sources, false);
        // How many there are is the last line.
        let text = text.rsplit_once("\n\n").map_or(text.as_str(), |(text, _)| text);
        let below = text.split_once('\n').map_or("", |(_, below)| below);
        let places = std::iter::once(&diagnostic.place).chain(diagnostic.related.iter().map(|(place, _)| place));
        let places: Vec<Location> = places.map(|place| self.location(place)).collect();
        let lines: Vec<String> = below.lines().map(|line| linked(line, &places)).collect();
        let _ = writeln!(
            out,
            "<li>\n<p><strong>{}[{}]</strong> {}</p>\n<pre tabindex=\"0\">{}</pre>\n</li>",
            diagnostic.severity.word(),
            diagnostic.code.id,
            prose(&diagnostic.message),
            lines.join("\n"),
        );
    }

    /// The bar of an excerpt, which the script puts above its figure.
    fn bar(&self, out: &mut String, drift: &Drift) {
        let number = drift.excerpt + 1;
        let (kind, changed) = match &drift.state {
            State::Changed(notes) => ("changed", notes.as_slice()),
            State::Unaffected | State::Moved | State::Unpinned => ("mild", &[][..]),
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

/// A line of a report; one that names a place, after an arrow, with a link to it.
fn linked(line: &str, places: &[Location]) -> String {
    let named = line.split_once("--> ").filter(|(before, _)| before.trim().is_empty()).and_then(|(before, rest)| {
        let is_named = |place: &&Location| {
            rest.strip_prefix(&place.name).is_some_and(|after| !after.starts_with(|c: char| c.is_ascii_digit()))
        };
        let place = places.iter().find(is_named)?;
        Some(format!("{before}--&gt; {}{}", place.link(), escape::text(&rest[place.name.len()..])))
    });
    named.unwrap_or_else(|| escape::text(line))
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
