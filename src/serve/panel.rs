//! Writes the panel at the end of a page as HTML: the errors of the course, the warnings of the page, and the
//! excerpts of the page whose notes must be read again. The panel is complete without a script; the script moves the
//! bars to their excerpts.

use std::fmt::Write;
use std::sync::Arc;

use super::client::STYLE_PATH;
use super::short_hash;
use super::state::{Fixes, Tools};
use crate::report::{self, one_line, readable, visible};
use infralens_render::escape;
use infralens_render::pin::{Drift, State};
use infralens_source::diag::{Diagnostic, Fix, Place, Severity, quantity};
use infralens_source::project::Project;

/// What the panel of a page is made from.
#[derive(Clone, Copy)]
pub struct PageInfo<'a> {
    /// The diagnostics of the whole course, with their fixes. The panel has its errors, and the warnings of this page.
    pub diagnostics: &'a [Diagnostic],
    /// The excerpts of the page that have changed where notes explain them, in order.
    pub drifts: &'a [&'a Drift],
    /// The excerpts of the page that have changed elsewhere, for which there are [`bars`].
    pub unexplained_drifts: &'a [&'a Drift],
    /// The source file of the page, by its path from the course's root.
    pub source: &'a str,
    /// Which version of the page is shown.
    pub state: PageState,
    /// The files that the diagnostics point into.
    pub project: &'a Project,
    /// What the panel offers: places in an editor, and fixes.
    pub tools: &'a Tools,
}

/// Which version of a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageState {
    Current,
    /// The last version without errors.
    Outdated,
    /// None: no version was without errors.
    Unavailable,
    /// None: the page is a draft, and drafts are not shown.
    Draft,
    /// None: there is no page at the address, and the one that says so is shown.
    Missing,
}

/// The heading of errors and warnings that concern every page.
const SHARED: &str = "in files that every page is made with";
/// The most diagnostics of a list that are shown in full.
const LIMIT: usize = 20;

/// A panel, as HTML.
#[derive(Debug, PartialEq, Eq)]
pub struct Panel {
    /// A `section` element.
    pub html: String,
    /// Whether the panel is part of the page. A panel without errors or drifts is added by the script, so that the
    /// page itself is that of a build.
    pub is_part_of_page: bool,
}

/// Returns the panel, or `None` if there is nothing to report.
pub fn panel(info: PageInfo<'_>) -> Option<Panel> {
    // A diagnostic that has a bar is not repeated.
    let bars = || info.drifts.iter().chain(info.unexplained_drifts);
    let has_bar = |diagnostic: &Diagnostic| bars().any(|drift| is_of(diagnostic, drift));
    let is_own = |diagnostic: &&Diagnostic| *diagnostic.place.file == *info.source;
    let is_shared = |diagnostic: &&Diagnostic| is_shared(&diagnostic.place.file);
    let listed = info.diagnostics.iter().filter(|diagnostic| !has_bar(diagnostic));
    let (errors, warnings): (Vec<_>, Vec<_>) = listed.partition(|listed| listed.severity == Severity::Error);
    let warnings: Vec<_> = warnings.into_iter().filter(|warning| is_own(warning) || is_shared(warning)).collect();
    let is_current = matches!(info.state, PageState::Current | PageState::Missing);
    if errors.is_empty() && warnings.is_empty() && info.drifts.is_empty() && is_current {
        return None;
    }
    let listed = errors.iter().chain(&warnings).copied();
    let identity = identity(&info, listed.chain(info.drifts.iter().map(|drift| &drift.diagnostic)));
    let has_errors = !errors.is_empty();
    let (shared, rest): (Vec<_>, Vec<_>) = errors.into_iter().partition(is_shared);
    let (own, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_own);
    let (shared_warnings, own_warnings): (Vec<_>, Vec<_>) = warnings.into_iter().partition(is_shared);
    let tone = if has_errors { "" } else { " infralens-mild" };
    let counted = counted(info.state, own.len() + shared.len(), others.len());
    let mut out = format!(
        "<section class=\"infralens-panel{tone}\" id=\"Infralens-panel\" data-says=\"{identity}\"{counted} \
         aria-label=\"Preview\" lang=\"en\" dir=\"ltr\">\n<link rel=\"stylesheet\" href=\"{STYLE_PATH}\">\n"
    );
    for drift in info.drifts {
        info.bar(&mut out, drift);
    }
    state_notice(&mut out, &info, &shared);
    // Errors of a page that is up to date, such as records that are older than its starter, are folded.
    info.list(&mut out, "here", &own, "on this page", !is_current);
    info.list(&mut out, "shared", &shared, SHARED, true);
    // An error elsewhere may be why there is no page at an address.
    info.list(&mut out, "elsewhere", &others, "in other files", info.state == PageState::Missing);
    info.list(&mut out, "warnings", &own_warnings, "on this page", false);
    info.list(&mut out, "warnings-shared", &shared_warnings, SHARED, false);
    out.push_str("</section>\n");
    Some(Panel { html: out, is_part_of_page: has_errors || !info.drifts.is_empty() })
}

/// Returns an attribute with a number of errors, which a closed panel leaves as a mark. `data-held`, which is also in the
/// title, counts those of the page and of the files that every page is made with, or else those that hold the page back;
/// `data-elsewhere` counts those of other pages.
fn counted(state: PageState, here: usize, elsewhere: usize) -> String {
    let is_held = matches!(state, PageState::Outdated | PageState::Unavailable);
    match (here, elsewhere) {
        (0, 0) => String::new(),
        (0, _) if is_held => format!(" data-held=\"{elsewhere}\""),
        (0, _) => format!(" data-elsewhere=\"{elsewhere}\""),
        _ => format!(" data-held=\"{here}\""),
    }
}

/// Writes a notice if the page is a draft, an earlier version, or made with earlier versions of `shared` files.
fn state_notice(out: &mut String, info: &PageInfo<'_>, shared: &[&Diagnostic]) {
    let text = match info.state {
        PageState::Unavailable => return,
        PageState::Current | PageState::Missing if shared.is_empty() => return,
        PageState::Current | PageState::Missing => {
            let mut files: Vec<String> = shared.iter().map(|error| format!("`{}`", error.place.file)).collect();
            files.dedup();
            let it = if files.len() == 1 { "it was" } else { "they were" };
            format!("This page is made with {} as {it} before the error", files.join(", "))
        }
        PageState::Outdated => "This page is shown as it was before the error".to_owned(),
        PageState::Draft => format!(
            "This page is a draft: `{}` has `draft: true`. The command `infralens serve --drafts` shows drafts, too",
            info.source
        ),
    };
    let _ = writeln!(out, "<p class=\"infralens-held\">{}</p>", prose(&text));
}

/// Returns a hash of the diagnostics, which stays the same when edits above them shift their places. The script
/// remembers by it which panels were closed.
fn identity<'a>(info: &PageInfo<'_>, diagnostics: impl Iterator<Item = &'a Diagnostic>) -> Arc<str> {
    let key = |diagnostic: &'a Diagnostic| (diagnostic.code.id, &*diagnostic.place.file, diagnostic.message.as_str());
    let mut keys: Vec<_> = diagnostics.map(key).collect();
    keys.sort_unstable();
    match info.state {
        // Without the page, so that a panel that is on every page is closed on all of them at once.
        PageState::Current | PageState::Missing => {}
        PageState::Outdated | PageState::Unavailable => keys.push(("held", info.source, "")),
        PageState::Draft => keys.push(("draft", info.source, "")),
    }
    let parts = keys.iter().flat_map(|(code, file, message)| [code, file, message]);
    let parts: Vec<&[u8]> = parts.flat_map(|part| [part.as_bytes(), b"\0"]).collect();
    short_hash(&parts)
}

/// Returns the bars of the excerpts that no note explains, which need no panel.
pub fn bars(info: PageInfo<'_>) -> String {
    let mut out = String::new();
    info.unexplained_drifts.iter().for_each(|drift| info.bar(&mut out, drift));
    out
}

/// Whether errors in a file concern every page.
fn is_shared(file: &str) -> bool {
    file.starts_with("templates/")
        || file.starts_with("static/")
        || matches!(file, "content/site.yaml" | "content/references.yaml")
}

/// Returns a page that consists of the panel, for a page that is unavailable. `language` is that of the course.
pub fn page(info: PageInfo<'_>, title: &str, language: &str) -> String {
    let title = escape::text(title);
    let panel = panel(info).map(|panel| panel.html).unwrap_or_default();
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; script-src 'self'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"{STYLE_PATH}\">\n</head>\n\
         <body class=\"infralens-page\">\n<main>\n<h1>{title}</h1>\n\
         <p lang=\"en\">There is no page to show here until the errors below are fixed. Then it appears by itself.</p>\n\
         </main>\n{panel}</body>\n</html>\n",
        escape::attribute(language)
    )
}

/// Whether a diagnostic of the course is that of an excerpt; it may have fixes besides.
fn is_of(diagnostic: &Diagnostic, drift: &Drift) -> bool {
    diagnostic.code == drift.diagnostic.code && diagnostic.place == drift.diagnostic.place
}

/// Returns a hash of what a fix does.
pub fn fix_id(fix: &Fix) -> Arc<str> {
    short_hash(&[&serde_json::to_vec(fix).unwrap_or_default()])
}

impl PageInfo<'_> {
    /// Writes a list of errors or of warnings.
    fn list(&self, out: &mut String, id: &str, all: &[&Diagnostic], whose: &str, is_open: bool) {
        let Some(first) = all.first() else { return };
        let open = if is_open { " open" } else { "" };
        let word = first.severity.word();
        let _ = writeln!(
            out,
            "<details class=\"infralens-list infralens-{word}s\" id=\"Infralens-{id}\"{open}>\n\
             <summary>{} {whose}</summary>\n<ol>",
            quantity(all.len(), word)
        );
        for diagnostic in all.iter().take(LIMIT) {
            self.item(out, diagnostic);
        }
        out.push_str("</ol>\n");
        if all.len() > LIMIT {
            let _ = writeln!(out, "<p>… and {} more, which `infralens check` shows</p>", all.len() - LIMIT);
        }
        out.push_str("</details>\n");
    }

    /// Writes a diagnostic as the terminal shows it: its first line as a sentence, and the places below it as links.
    fn item(&self, out: &mut String, diagnostic: &Diagnostic) {
        let text = report::human(std::slice::from_ref(diagnostic), self.project, false);
        // Without the last line, which counts the diagnostics.
        let text = text.rsplit_once("\n\n").map_or(text.as_str(), |(text, _)| text);
        let below = text.split_once('\n').map_or("", |(_, below)| below);
        let places = std::iter::once(&diagnostic.place).chain(diagnostic.related.iter().map(|(place, _)| place));
        let places: Vec<Location> = places.map(|place| self.location(place)).collect();
        let lines: Vec<String> = below.lines().map(|line| linked(line, &places)).collect();
        let _ = writeln!(
            out,
            "<li>\n<p><strong>{}[{}]</strong> {}</p>\n<pre tabindex=\"0\">{}</pre>",
            diagnostic.severity.word(),
            diagnostic.code.id,
            prose(&diagnostic.message),
            lines.join("\n"),
        );
        self.fixes(out, diagnostic);
        out.push_str("</li>\n");
    }

    /// Writes the fixes of a diagnostic, to each of which the script adds a button that applies it.
    fn fixes(&self, out: &mut String, diagnostic: &Diagnostic) {
        let Some(Fixes { token, .. }) = &self.tools.fixes else { return };
        for fix in diagnostic.fixes.iter().filter(|fix| fix.rename.is_none() && !fix.edits.is_empty()) {
            let _ = writeln!(
                out,
                "<p class=\"infralens-fix\" data-fix=\"{}\" data-token=\"{token}\">Fix: {}</p>",
                fix_id(fix),
                prose(&fix.title),
            );
        }
    }

    /// Writes the bar of an excerpt, which the script moves above its figure.
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
        if let Some(diagnostic) = self.diagnostics.iter().find(|diagnostic| is_of(diagnostic, drift)) {
            self.fixes(out, diagnostic);
        }
        let _ = writeln!(out, "<p>{}</p>\n</section>", self.location(&drift.diagnostic.place).link());
    }

    fn location(&self, place: &Place) -> Location {
        let file = one_line(&place.file);
        match place.span.zip(readable(self.project, &place.file)) {
            Some(((start, _), source)) => {
                let at = source.position(start.max(source.start()));
                let url = self.tools.editor.url(&place.file, at.line, at.column);
                Location { name: format!("{file}:{}:{}", at.line, at.column), url }
            }
            None => Location { name: file.into_owned(), url: self.tools.editor.url(&place.file, 1, 1) },
        }
    }
}

/// A place in a source file, as it is shown.
struct Location {
    /// `file:line:column`, as reports print it.
    name: String,
    /// The link that opens it in the editor.
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

/// Escapes a line of a report. If the line has an arrow and a place, the place becomes a link.
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

/// Formats one line of a message: text in backticks is code, and marked as a command if it is one of this program.
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
            // An unpaired backtick stays as it is.
            out.push_str(if is_code { "`" } else { "" });
            escape::push_text(&mut out, part);
        }
        is_code = !is_code;
    }
    out
}

/// Marks the added and removed lines of a diff, so that they differ by more than their sign.
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
