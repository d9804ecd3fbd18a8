//! Writes the author's HTML: unchanged, sanitized or as text, as set in site.yaml; reports problems with it.

use pulldown_cmark::Tag;

use super::super::escape;
use super::super::raw_html::{self, Problem, ProblemKind};
use super::Writer;
use infralens_course::config::RawHtml;
use infralens_page::destination::{self, MappedText};
use infralens_page::prediction;
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::Source;

/// Returns the name of a Markdown element, for messages about HTML tags in it.
pub(super) fn container(tag: &Tag<'_>) -> &'static str {
    match tag {
        Tag::Paragraph => "in this paragraph",
        Tag::Heading { .. } => "in this heading",
        Tag::BlockQuote(_) => "in this quote",
        Tag::Item => "in this list item",
        Tag::TableCell => "in this table cell",
        Tag::DefinitionListTitle => "in this term",
        Tag::DefinitionListDefinition => "in this definition",
        Tag::Link { .. } => "in this link",
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough => "in these emphasized words",
        _ => "in this block",
    }
}

impl Writer<'_> {
    /// Writes an HTML block; returns the index of the next event.
    pub(super) fn html_block(&mut self, at: usize) -> usize {
        let end = self.skip(at);
        let document = self.document();
        if let Some(group) = document.body.groups.get(&at).filter(|_| self.target.is_own_page()) {
            let tag = group.map_or_else(|| "</div>\n".to_owned(), |class| format!("<div class=\"{class}\">\n"));
            self.push(tag);
            return end;
        }
        let html = destination::fragment(&document.source, &document.body, at + 1..end - 1);
        self.raw_html(&html, true);
        end
    }

    /// Writes HTML of the author.
    pub(super) fn raw_html(&mut self, html: &MappedText, block: bool) {
        let mut written = String::new();
        let mut stack = std::mem::take(&mut self.html);
        let is_comment = html.text.trim_start().starts_with("<!--") && html.text.trim_end().ends_with("-->");
        match self.cx.config.markdown.raw_html {
            RawHtml::Escape if is_comment => {}
            RawHtml::Escape => written = escape::text(&html.text),
            RawHtml::Safe => {
                raw_html::write_safe(&mut written, html, block, &mut stack, &mut |url, leads, at| {
                    self.raw_url(url, leads, at)
                });
            }
            RawHtml::Trusted => {
                let prefix = self.target.prefix.clone();
                raw_html::write_trusted(&mut written, html, &prefix, &mut stack, &mut |url, leads, at| {
                    self.raw_url(url, leads, at)
                });
            }
        }
        self.html = stack;
        self.push(written);
    }

    /// Reports problems with the author's HTML. Unbalanced tags are reported only for the document's own page, because
    /// other pages show parts of it.
    pub(super) fn report_html(&mut self) {
        let problems = std::mem::take(&mut self.html.problems);
        let (is_home, trusted) = (self.target.is_own_page(), self.cx.config.markdown.raw_html == RawHtml::Trusted);
        let source = &self.subject.document.source;
        let report = problems.iter().filter(|problem| is_home || problem.kind == ProblemKind::Refused);
        // A prediction that is not closed is reported when the page is parsed. Between two lines is the mark of a quote.
        let is_prediction = |problem: &&Problem| {
            let after = source.text()[problem.at.end..].trim_start_matches(|c: char| c.is_whitespace() || c == '>');
            after.starts_with(prediction::SUMMARY)
        };
        let report =
            report.filter(|problem| !matches!(problem.kind, ProblemKind::Unclosed { .. }) || !is_prediction(problem));
        let diagnostics = report.map(|problem| diagnostic(problem, source, trusted));
        self.diagnostics.extend(diagnostics);
    }
}

fn diagnostic(problem: &Problem, source: &Source, trusted: bool) -> Diagnostic {
    let (name, container) = (&problem.name, problem.container);
    let code = match problem.kind {
        ProblemKind::Refused => codes::W0202,
        _ if trusted && !problem.is_harmless() => codes::E0212,
        _ => codes::W0206,
    };
    let place = source.place(problem.at.clone());
    let report = |message: String| Diagnostic::new(code, place, message);
    match &problem.kind {
        ProblemKind::Refused => report(format!("`{name}` is not allowed in Markdown's HTML"))
            .help("tags are shown as text and attributes are left out; see `markdown: raw_html` in site.yaml"),
        ProblemKind::SelfClosing => report(format!("`<{name}/>` does not close itself"))
            .help(format!("in HTML, only elements without content can; write `<{name}></{name}>`")),
        ProblemKind::Unclosed { by: Some((outer, at)) } => {
            report(format!("`<{name}>` is not closed before `</{outer}>`"))
                .related(source.place(at.clone()), format!("this ends `<{outer}>`"))
                .help(format!("put `</{name}>` before `</{outer}>`"))
        }
        ProblemKind::Unclosed { by: None } => {
            report(format!("`<{name}>` is not closed {container}")).help(if trusted {
                format!("write `</{name}>`; without it, everything that follows on the page would be in this element")
            } else {
                format!("write `</{name}>`; without it, the element ends with the Markdown around it")
            })
        }
        ProblemKind::Stray => {
            report(format!("`</{name}>` closes no element {container}")).help(stray_help(problem, trusted))
        }
        ProblemKind::Broken => report("this tag has no `>`".into()).help(if trusted {
            "write the `>`; without it, the tag takes in everything up to the next one"
        } else {
            "write the `>`, or `&lt;` for the character; it is shown as text"
        }),
    }
}

fn stray_help(problem: &Problem, trusted: bool) -> String {
    let name = &problem.name;
    match name.as_str() {
        "p" => "the next block has already ended the `<p>`; use `<div>` around blocks".into(),
        _ if problem.is_harmless() => format!("`<{name}>` has no content and no end tag: remove this one"),
        _ if trusted => {
            format!("remove it: it could close an element of the page itself; or write `<{name}>` before it")
        }
        _ => format!("remove it, or write `<{name}>` before it in the same part of the page"),
    }
}
