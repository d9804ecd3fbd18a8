//! Writes inline elements: text, code spans, formulas, footnote references, task list markers.

use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::Event;
use unicode_width::UnicodeWidthStr;

use super::super::math::{self, Display};
use super::super::{code, escape, with_fragment};
use super::Writer;
use infralens_course::config::Labels;
use infralens_page::Kind;
use infralens_page::text::EventOffset;
use infralens_source::diag::{Near, codes, similar};
use infralens_source::source::{Span, shortened};
use infralens_source::url;

/// The output path of the glossary.
const GLOSSARY: &str = "glossary.html";
/// How many bytes of a definition are shown at a term; the whole definition is in the glossary.
const MOST_OF_DEFINITION: usize = 800;
/// How many characters of a formula fit on a phone.
const PHONE: usize = 20;
/// The longest code that is kept on one line, in characters: what fits next to a note and on a phone.
const UNBROKEN: usize = 28;

/// Splits the text after the code at the start of a note: the number of the occurrence, a dash, and the rest.
fn split_note_head(text: &str) -> Option<(&str, &str, &str)> {
    let which = match text.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((digits, rest)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => text.len() - rest.len(),
        _ => 0,
    };
    let (which, rest) = text.split_at(which);
    let after = rest.trim_start();
    let text = match ["——", "：", "－"].iter().find_map(|wide| after.strip_prefix(wide)) {
        // Wide punctuation needs no space after it.
        Some(text) => text.strip_prefix(' ').unwrap_or(text),
        None => after.strip_prefix(['—', '–', '-', ':'])?.strip_prefix(' ')?,
    };
    Some((which, &rest[..rest.len() - text.len()], text))
}

/// A text of several events.
#[derive(Debug, Default)]
struct TextRun {
    text: String,
    first: usize,
    /// Where the text of each event begins.
    pieces: Vec<usize>,
}

impl TextRun {
    /// Returns where in the text a place among the events is; its end if it is after it.
    fn offset(&self, (event, at): EventOffset) -> usize {
        let piece = event.checked_sub(self.first).and_then(|index| self.pieces.get(index));
        piece.map_or(self.text.len(), |begin| begin + at)
    }
}

impl<'a> Writer<'a> {
    /// Writes an event that is neither start nor end.
    pub(super) fn inline(&mut self, at: usize, event: Event<'a>, span: &Span) {
        match event {
            Event::Code(text) => self.code_span(at, &text),
            Event::InlineMath(source) => self.formula(at, &source, Display::Inline, span),
            Event::DisplayMath(source) => self.formula(at, &source, Display::Block, span),
            Event::FootnoteReference(label) => self.footnote_reference(&label),
            Event::TaskListMarker(done) => {
                self.push(task_box(done, &self.cx.config.labels));
            }
            Event::Rule => self.push("<hr>\n"),
            Event::HardBreak => self.push("<br>\n"),
            _ => self.out.push(event),
        }
    }

    /// Returns whether glossary terms open here: only in running text, on the page itself.
    fn links_terms(&self) -> bool {
        self.no_link_depth == usize::from(self.in_question)
            && !self.cx.glossary.is_empty()
            && self.target.is_whole()
            && !self.target.is_print_page()
            && self.subject.page.is_some()
            && self.document().placement.kind != Kind::Glossary
            && !self.html.is_within(&["a", "summary", "button"])
            && !self.tables.last().is_some_and(|table| table.head)
    }

    /// Writes the text at `at`, which may be several lines, after its first `skipped` bytes; returns the index of the next
    /// event. In it, the page's first mention of each glossary term is linked and shows its definition, and each figure has
    /// an id, by which the list of figures and the script find it.
    pub(super) fn text(&mut self, skipped: usize, at: usize, end: usize) -> usize {
        let links_terms = self.links_terms();
        if skipped == 0 && !links_terms && self.cx.values_of(self.document()).is_none() {
            self.out.push(self.document().body.events.event(at));
            return at + 1;
        }
        let run = self.text_run(at, end);
        let mut marked = self.figures(&run);
        if links_terms {
            let figures = marked.len();
            for (range, index) in self.cx.glossary.mentions(&run.text[skipped..].replace('\n', " ")) {
                let range = range.start + skipped..range.end + skipped;
                // Figures are in order, and do not overlap.
                let next = marked[..figures].partition_point(|(figure, _)| figure.end <= range.start);
                let is_free = marked[..figures].get(next).is_none_or(|(figure, _)| range.end <= figure.start);
                let html = is_free.then(|| self.term(index, &run.text[range.clone()])).flatten();
                marked.extend(html.map(|html| (range, html)));
            }
        }
        marked.retain(|(range, _)| range.start >= skipped);
        marked.sort_by_key(|(range, _)| range.start);
        let mut from = skipped;
        for (range, html) in marked {
            self.out.push(Event::Text(run.text[from..range.start].to_owned().into()));
            self.push(html);
            from = range.end;
        }
        self.out.push(Event::Text(run.text[from..].to_owned().into()));
        at + run.pieces.len()
    }

    /// Returns the text from `at` on, with line breaks. A term or a figure may be broken between lines.
    fn text_run(&self, at: usize, end: usize) -> TextRun {
        let mut run = TextRun { first: at, ..TextRun::default() };
        for (event, _) in self.document().body.events.range(at..end) {
            let text = match event {
                Event::Text(text) => text,
                Event::SoftBreak => "\n".into(),
                _ => break,
            };
            run.pieces.push(run.text.len());
            run.text.push_str(&text);
        }
        run
    }

    /// Returns the figures in a text, each with its range and its HTML. The list of figures leads to those that are written.
    fn figures(&mut self, run: &TextRun) -> Vec<(Range<usize>, String)> {
        let Some(values) = self.cx.values_of(self.document()) else { return Vec::new() };
        if !self.target.is_whole() || self.target.is_print_page() {
            return Vec::new();
        }
        let events = run.first..run.first + run.pieces.len();
        let mut marked = Vec::new();
        for figure in values.figures_in(events).iter().filter(|figure| !figure.id.is_empty()) {
            let Some(events) = &figure.events else { continue };
            let range = run.offset(events.start)..run.offset(events.end);
            let text = escape::text(&run.text[range.clone()]);
            // In a link, which takes the focus itself, nothing else may.
            let focus = if self.is_in_link(&figure.span) { "" } else { " tabindex=\"-1\"" };
            marked.push((range, format!("<span class=\"figure\" id=\"{}\"{focus}>{text}</span>", figure.id)));
            self.facts.figures.insert(figure.id.clone());
        }
        marked
    }

    /// Whether a link is around a span.
    fn is_in_link(&self, span: &Span) -> bool {
        let links = &self.document().body.links;
        let before = links.partition_point(|link| link.span.start <= span.start);
        links[..before].last().is_some_and(|link| link.span.end >= span.end)
    }

    /// Returns a term of the glossary with its definition, if this is its first mention. In a question, which is a button,
    /// it only shows the definition, and the next mention is linked.
    fn term(&mut self, index: usize, text: &str) -> Option<String> {
        let is_linked = !self.in_question;
        if self.mentioned.contains(&index) || !is_linked && self.asked.contains(&index) {
            return None;
        }
        let term = &self.cx.glossary.terms[index];
        if !self.asked.contains(&index) {
            self.facts.mentions.push(term.id.clone());
        }
        let definition = shortened(&term.definition, MOST_OF_DEFINITION);
        let (word, definition) = (escape::text(text), escape::text(&definition));
        if !is_linked {
            self.asked.insert(index);
            return Some(format!("<span class=\"term\">{word}<span class=\"definition\">{definition}</span></span>"));
        }
        self.mentioned.insert(index);
        let url = url::relative(&self.target.page, GLOSSARY);
        let (id, number) = (escape::attribute(&term.id), self.mentioned.len());
        let link = format!("<span class=\"term\"><a href=\"{url}#{id}\" aria-describedby=\"T{number}\">{word}</a>");
        let entry = format!("<p id=\"T{number}\"><b>{}</b> {definition}</p>", escape::text(&term.names[0]));
        if self.margin.add(term.definition.width(), &entry) {
            return Some(link + "</span>");
        }
        Some(format!("{link}<span class=\"definition\" role=\"tooltip\" id=\"T{number}\">{definition}</span></span>"))
    }

    /// Writes a code span. One that binds a note links to its line; one that names a bound token links to its note.
    fn code_span(&mut self, at: usize, text: &str) {
        // Short code with hyphens, such as an option, is not broken at them.
        let short = text.contains('-') && text.chars().count() <= UNBROKEN;
        let class = if short { " class=\"unbroken\"" } else { "" };
        let code = code::span(text, class);
        let html = if let Some(line) = self.bindings.get(&at) {
            format!("<a class=\"back\" href=\"{}\">{code}</a>", escape::attribute(line))
        } else if let (0, false, Some(note)) = (self.no_link_depth, self.in_note, self.tokens.get(text)) {
            format!("<a class=\"token\" href=\"#{note}\">{code}</a>")
        } else {
            code
        };
        self.push(html);
    }

    /// Writes the code that a note starts with, on a line of its own if a dash separates it from the text. Returns the
    /// index of the next event.
    pub(super) fn note_head(&mut self, at: usize, body: usize, end: usize) -> usize {
        let code = self.html(at..body);
        let text = match self.document().body.events.get(body) {
            Some((Event::Text(text), _)) => text,
            _ => "".into(),
        };
        // Which occurrence it is, as in `x` (2), is for the author: readers see it in the code.
        if let Some((_, dash, rest)) = split_note_head(&text) {
            let head = format!("<span class=\"of\">{code}</span><span class=\"dash\">{dash}</span>");
            self.push(head);
            self.text(text.len() - rest.len(), body, end)
        } else {
            self.push(code);
            body
        }
    }

    fn formula(&mut self, at: usize, source: &str, display: Display, span: &Span) {
        let block = matches!(display, Display::Block);
        let drawn = self.drawn.formulas.get(&at).cloned();
        match drawn.map_or_else(|| math::mathml(source, display).map(Arc::from), Ok) {
            Ok(mathml) if self.target.is_dry_run => {
                Arc::make_mut(&mut self.drawn).formulas.insert(at, mathml);
            }
            Ok(mathml) if block => {
                // A formula that may need scrolling must be reachable with the keyboard.
                let reach = if visible_characters(&mathml) > PHONE { " tabindex=\"0\"" } else { "" };
                self.push(format!("<span class=\"math\"{reach}>{mathml}</span>"));
            }
            Ok(mathml) => self.push(mathml.to_string()),
            Err(error) => {
                let opening = if block { 2 } else { 1 };
                let inside = span.start + opening;
                // In a quote or list, the source of the formula lacks the line prefixes; then the whole formula is the
                // place.
                let exact = self.document().source.text()[inside..].starts_with(source);
                let at = if exact { inside + error.at.start..inside + error.at.end } else { span.clone() };
                let (help, near) = math_help(&error.message);
                let source = Arc::clone(&self.document().source);
                let diagnostic = self.report(codes::E0203, &at, error.message);
                diagnostic.help.extend(help.map(str::to_owned));
                if let Some((written, near)) = near {
                    *diagnostic = diagnostic.clone().instead(&source, &written, Some(near));
                }
            }
        }
    }

    fn footnote_reference(&mut self, label: &str) {
        let Some(number) = self.footnotes.number(label) else { return };
        let html = if self.target.is_whole() {
            let time = self.referenced.entry(number).or_default();
            *time += 1;
            let prefix = &self.target.prefix;
            let id = format!("{prefix}F{number}-{time}");
            format!("<sup class=\"footnote\"><a href=\"#{prefix}F{number}\" id=\"{id}\">{number}</a></sup>")
        } else {
            // Without a link, the number would mean nothing.
            let link = with_fragment(&self.target.page, &self.target.own_page, &format!("F{number}"));
            let Some(link) = self.target.url_for(link) else { return };
            format!("<sup class=\"footnote\"><a href=\"{}\">{number}</a></sup>", escape::attribute(&link))
        };
        self.push(html);
    }
}

/// Returns the box of an item of a list of tasks.
pub(crate) fn task_box(done: bool, labels: &Labels) -> String {
    let (checked, label) = if done { (" checked", &labels.task_done) } else { ("", &labels.task_open) };
    format!("<input type=\"checkbox\" disabled{checked} aria-label=\"{}\"> ", escape::attribute(label))
}

/// Counts the visible characters of a formula. Characters above each other count as if side by side.
fn visible_characters(mathml: &str) -> usize {
    let seen = mathml.split("<annotation").next().unwrap_or_default();
    seen.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text.trim().chars().count()).sum()
}

/// The commands of formulas that are misspelled most.
const COMMANDS: &str = "frac sqrt sum prod int infty alpha beta gamma delta epsilon theta lambda mu pi rho sigma tau phi omega cdot \
    times approx leq geq neq left right text mathrm mathbf mathcal mathbb begin end log exp max min operatorname hat bar vec \
    forall exists partial nabla lfloor rfloor lceil rceil odot otimes oplus ldots cdots quad";

/// Returns what to write instead of an unknown command, and the command with a similar one.
fn math_help(message: &str) -> (Option<&'static str>, Option<(String, Near<'static>)>) {
    if message.starts_with("`\\right`") {
        return (Some("write `\\right` and the closing bracket, as in `\\left( x \\right)`"), None);
    }
    let Some(name) = message.strip_prefix("unknown command \"\\").map(|name| name.trim_end_matches('"')) else {
        return (None, None);
    };
    match similar(name, COMMANDS.split_whitespace()) {
        Some(near) => (None, Some((format!("\\{name}"), near.written(|near| format!("\\{near}"))))),
        None => (Some("write words as `\\text{…}`, and the name of a function as `\\operatorname{…}`"), None),
    }
}

#[cfg(test)]
mod tests {
    use super::split_note_head;

    #[test]
    fn a_note_head_is_split_at_its_dash() {
        assert_eq!(split_note_head(" — said - so"), Some(("", " — ", "said - so")));
        assert_eq!(split_note_head(" (2) — said"), Some((" (2)", " — ", "said")));
        assert_eq!(split_note_head(": said"), Some(("", ": ", "said")));
        assert_eq!(split_note_head(" holds — much"), None);
        assert_eq!(split_note_head(" -1 is said"), None);
        assert_eq!(split_note_head("：说明"), Some(("", "：", "说明")));
        assert_eq!(split_note_head("(2)——说明"), Some(("(2)", "——", "说明")));
        assert_eq!(split_note_head(" —— 说明"), Some(("", " —— ", "说明")));
        assert_eq!(split_note_head("－说明"), Some(("", "－", "说明")));
        assert_eq!(split_note_head("，说明"), None);
    }
}
