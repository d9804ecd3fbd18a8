//! Parses a source into a [`Document`]: reads the front matter, runs the Markdown parser, and builds the [`Body`] from its
//! events. While events arrive, headings, links, fences with `file=`, comments and footnotes are collected. At the end:
//!
//! 1. headings get their ids;
//! 2. excerpts that Markdown does not see are reported (`swallowed`);
//! 3. the list below each excerpt becomes its notes (`note`), and lists that only look like notes are found (`stray`);
//! 4. if the parser misread some characters, they are masked (`mask`), and the whole page is parsed again.

mod comments;
mod joints;
mod predictions;

use std::collections::BTreeSet;
use std::sync::Arc;

use pulldown_cmark::{BrokenLinkCallback, CodeBlockKind, Event, LinkType, OffsetIter, Parser, Tag, TagEnd};

pub use self::comments::comment_names;
use self::comments::{OpenPair, Pair};
use self::joints::Joints;
use super::heading::{ANY_HEADING, Braces, Heading};
use super::mask::{Masked, Misread};
use super::{
    Body, Definition, Document, EventList, Kind, Link, Placement, autolink, destination, dialect, dollar, fence,
    foreign, front_matter, heading, note, prediction, stray, swallowed, value_block,
};
use infralens_source::diag::{Diagnostic, Severity, codes};
use infralens_source::html::{self, Leads, Piece};
use infralens_source::source::script::count_words;
use infralens_source::source::{Source, Span};

/// The maximum nesting depth of quotes, lists and other containers.
pub const DEPTH_LIMIT: usize = 64;

pub fn parse(source: &Arc<Source>, placement: Placement) -> (Document, Vec<Diagnostic>) {
    let (front, body_start, mut diagnostics) = front_matter(source, placement.kind);
    let (body, unresolved) = body(source, placement.kind, body_start, &mut diagnostics);
    let document =
        Document { source: Arc::clone(source), placement, front: Arc::new(front), body_start, body, translated: None };
    diagnostics.extend(foreign::check(&document, &unresolved));
    if !matches!(document.placement.kind, Kind::Readme | Kind::Outside) {
        let unread = front_matter::unread(source, body_start, &diagnostics);
        let starts_in =
            |diagnostic: &Diagnostic| diagnostic.place.span.is_some_and(|(start, _)| unread.contains(&start));
        diagnostics.retain(|diagnostic| diagnostic.code.id.starts_with("E010") || !starts_in(diagnostic));
    }
    if document.placement.kind == Kind::Outside {
        // Elsewhere, a paragraph between code and a list is nothing unusual.
        let lists = diagnostics.iter_mut().filter(|diagnostic| diagnostic.code == codes::E0211);
        lists.for_each(|diagnostic| diagnostic.severity = Severity::Warning);
    }
    (document, diagnostics)
}

fn front_matter(source: &Source, kind: Kind) -> (super::FrontMatter, usize, Vec<Diagnostic>) {
    if kind == Kind::Readme {
        return (super::FrontMatter::default(), source.start(), Vec::new());
    }
    if kind == Kind::Outside {
        return (super::FrontMatter::default(), outside_start(source), Vec::new());
    }
    front_matter::read(source, kind)
}

/// Returns the offset at which the Markdown of a file outside any course begins. YAML at its start is the front matter of
/// another tool and is skipped. If it contains `file=`, it may be Markdown between two horizontal rules, so nothing is.
fn outside_start(source: &Source) -> usize {
    let (_, start, diagnostics) = front_matter::read(source, Kind::Page);
    let is_closed = !diagnostics.iter().any(|diagnostic| diagnostic.code == codes::E0102);
    let skipped = &source.text()[source.start()..start];
    if is_closed && !skipped.contains("file=") { start } else { source.start() }
}

/// The maximum number of times that a page is parsed again because the parser was misled. Each round settles at least half
/// of the remaining places.
const ROUNDS: usize = 12;

/// Parses Markdown alone, without saying what is wrong with it: a part of a page, or its translation.
pub(super) fn fragment(source: &Arc<Source>, kind: Kind, start: usize) -> Body {
    body(source, kind, start, &mut Vec::new()).0
}

/// Parses the Markdown of a page. Also returns the spans of reference links without a definition.
fn body(source: &Arc<Source>, kind: Kind, start: usize, out: &mut Vec<Diagnostic>) -> (Body, Vec<Span>) {
    let mut text = Masked::new(&source.text()[start..]);
    let mut formulas = Vec::new();
    let before = out.len();
    let mut round = 0;
    loop {
        let mut unresolved = Vec::new();
        let (body, misread) = read(source, kind, start, &text, &mut unresolved, out);
        if round == ROUNDS || !text.hide(&misread, start) {
            out.extend(misread.predictions.iter().map(|head| {
                source
                    .diagnostic(codes::E0215, head.summary.clone(), "this prediction cannot be read")
                    .help(prediction::HELP)
            }));
            out.extend(misread.formulas.iter().map(|formula| dollar::formula_with_backtick(source, formula)));
            out.extend(dollar::formulas_with_backticks(source, &body, &formulas));
            return (body, unresolved);
        }
        formulas.extend(misread.formulas);
        out.truncate(before);
        round += 1;
    }
}

/// Parses a page once. `unresolved` receives the spans of reference links without a definition.
fn read(
    source: &Arc<Source>,
    kind: Kind,
    start: usize,
    text: &Masked<'_>,
    unresolved: &mut Vec<Span>,
    out: &mut Vec<Diagnostic>,
) -> (Body, Misread) {
    let references = dialect::References { text, start, unresolved };
    let mut parser =
        Parser::new_with_broken_link_callback(text.text(), dialect::options(), Some(references)).into_offset_iter();
    let mut builder = BodyBuilder {
        source,
        start,
        out,
        body: Body { events: EventList::new(source), ..Body::default() },
        open: Vec::new(),
        open_code: 0,
        braces: Vec::new(),
        are_braces_text: false,
        last_end: 0,
        text: String::new(),
        pairs: Vec::new(),
        // The lines of a term in the glossary are its names.
        joints: Joints::new(kind == Kind::Glossary),
        has_predictions: kind != Kind::Outside,
        masked: text,
        misread: Misread::default(),
        in_anchor: false,
    };
    let mut is_whole = true;
    // Texts without a gap, the first of which may have a bare URL.
    let mut run: Vec<(Event<'_>, Span)> = Vec::new();
    for (event, span) in parser.by_ref() {
        let Some((event, span)) = text.restore(event, text.original(&span)) else { continue };
        let span = span.start + start..span.end + start;
        let joins = |(_, last): &(Event<'_>, Span)| last.end == span.start;
        if matches!(&event, Event::Text(text) if run.last().map_or_else(|| autolink::may_have_url(text), joins)) {
            run.push((event, span));
            continue;
        }
        is_whole = builder.texts(std::mem::take(&mut run)) && builder.event(event, span);
        if !is_whole {
            break;
        }
    }
    let (mut body, misread) = builder.finish(is_whole);
    body.definitions = definitions(&parser, text, start);
    (body, misread)
}

fn definitions<'a>(
    parser: &OffsetIter<'a, impl BrokenLinkCallback<'a>>,
    text: &Masked<'_>,
    start: usize,
) -> Vec<Definition> {
    let found = parser.reference_definitions().iter();
    let mut definitions: Vec<Definition> = found
        .map(|(_, found)| {
            let span = text.original(&found.span);
            let target = text.restore_text(found.dest.clone()).into_string();
            let title = found.title.clone().map(|title| text.restore_text(title).into_string()).unwrap_or_default();
            Definition { target, title, span: span.start + start..span.end + start }
        })
        .collect();
    definitions.sort_by_key(|definition| definition.span.start);
    definitions
}

struct BodyBuilder<'a> {
    source: &'a Arc<Source>,
    /// The offset in the source at which the Markdown begins.
    start: usize,
    out: &'a mut Vec<Diagnostic>,
    body: Body,
    /// Indices of the `Start` events that have no `End` yet, each with `open_code` before it.
    open: Vec<(usize, usize)>,
    /// The number of open elements of raw HTML whose text is code.
    open_code: usize,
    /// What the braces of each heading say.
    braces: Vec<Braces>,
    /// Whether the braces of the open heading are text, which the parser has taken for attributes.
    are_braces_text: bool,
    /// Where the last event ended.
    last_end: usize,
    /// The text so far of the open code block or HTML block.
    text: String,
    /// The example, the tabs and the predictions that are open, outermost first.
    pairs: Vec<OpenPair>,
    /// The line breaks that are no spaces.
    joints: Joints,
    has_predictions: bool,
    masked: &'a Masked<'a>,
    misread: Misread,
    /// Whether a link of raw HTML is open.
    in_anchor: bool,
}

impl BodyBuilder<'_> {
    /// Adds one event. Returns false if the page is nested too deeply to go on.
    fn event(&mut self, event: Event<'_>, span: Span) -> bool {
        if matches!(event, Event::End(TagEnd::Heading(_))) && std::mem::take(&mut self.are_braces_text) {
            let (text, at) = written_braces(self.source, self.last_end, &span);
            // At the start of a line, they are found with other forms that begin so.
            if self.last_end > span.start {
                let written = at.end - text.trim_start().len()..at.end;
                let message =
                    format!("`{}` is an attribute list of another tool and is shown as plain text", text.trim());
                let hint = self.source.diagnostic(codes::W0208, written, message);
                self.out
                    .push(hint.help("remove it: a heading can have `{#id}` at its end, and `{.was-id}` for an old id"));
            }
            self.event(Event::Text(text.into()), at);
        }
        self.last_end = if let Event::Start(_) = event { span.start } else { span.end };
        let index = self.body.events.len();
        match &event {
            Event::Start(tag) => {
                self.begin(tag);
                self.open.push((index, self.open_code));
                if self.open.len() > DEPTH_LIMIT {
                    self.too_deep(&span);
                    return false;
                }
            }
            Event::End(tag) => {
                if let Some((start, code)) = self.open.pop() {
                    // An element of raw HTML ends with what it is in.
                    self.open_code = self.open_code.min(code);
                    self.end(*tag, start, &span);
                }
            }
            Event::Text(text) => {
                self.check_summary(index, text);
                self.text(text);
            }
            Event::Html(html) => self.text.push_str(html),
            Event::InlineHtml(html) => {
                self.inline_comment(html, &span);
                self.open_code = code_after(self.open_code, html);
                self.in_anchor = html.starts_with("<a ") || self.in_anchor && html.as_ref() != "</a>";
            }
            Event::InlineMath(_) | Event::DisplayMath(_) if self.source.text()[span.clone()].contains('`') => {
                self.misread.formulas.push(span.clone());
            }
            Event::InlineMath(_) | Event::DisplayMath(_) => self.out.extend(dollar::check(self.source, &span)),
            _ => {}
        }
        if let Some(joint) = self.joints.read(&event, index) {
            self.body.events.join(joint);
        }
        let event = with_folded_label(self.as_typed(event, &span));
        self.body.events.push(event, &span);
        true
    }

    /// Adds texts that may have bare URLs.
    fn texts(&mut self, run: Vec<(Event<'_>, Span)>) -> bool {
        let is_text =
            |tag: Tag<'_>| !matches!(tag, Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock);
        let tag = |(index, _): &(usize, usize)| match self.body.events.event(*index) {
            Event::Start(tag) => is_text(tag),
            _ => true,
        };
        let run = if run.is_empty() || self.in_anchor || !self.open.iter().all(tag) {
            run
        } else {
            autolink::with_links(self.source.text(), run)
        };
        run.into_iter().all(|(event, span)| self.event(event, span))
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                let braces = Braces::read(tag);
                self.are_braces_text = braces.is_none();
                self.braces.push(braces.unwrap_or_default());
            }
            Tag::CodeBlock(_) | Tag::HtmlBlock => self.text.clear(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, start: usize, span: &Span) {
        let events = start..self.body.events.len() + 1;
        let is_inside = |pair: &OpenPair| pair.parent == Some(start);
        if let Some(first) = self.pairs.iter().position(is_inside) {
            self.report_unclosed(first);
        }
        match tag {
            TagEnd::Heading(level) => self.body.headings.push(Heading {
                text: self.body.text(start..self.body.events.len()).trim().to_string(),
                events,
                of_source: None,
                level: level as u8,
                id: String::new(),
                was: Vec::new(),
                span: trim_end(self.source, span),
                top_level: self.open.is_empty() && self.pairs.iter().all(|open| open.pair == Pair::Example),
            }),
            TagEnd::Paragraph => self.end_paragraph(events),
            TagEnd::CodeBlock => self.code_block(start, span),
            TagEnd::HtmlBlock => self.html_block(start, span),
            TagEnd::Link | TagEnd::Image => {
                let target = match self.body.events.event(start) {
                    Event::Start(Tag::Link { dest_url, link_type: LinkType::Email, .. }) => {
                        format!("mailto:{dest_url}")
                    }
                    Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => dest_url.to_string(),
                    _ => return,
                };
                self.body.links.push(Link { events, target, span: span.clone(), image: tag == TagEnd::Image });
            }
            TagEnd::FootnoteDefinition => {
                if let Event::Start(Tag::FootnoteDefinition(label)) = self.body.events.event(start) {
                    self.body.footnotes.push((label.to_string(), start + 1..self.body.events.len()));
                }
            }
            _ => {}
        }
    }

    /// Returns the index of the event that begins the innermost element that is open.
    fn parent(&self) -> Option<usize> {
        self.open.last().map(|(index, _)| *index)
    }

    /// Returns the tag of the innermost element that is open.
    fn open_tag(&self) -> Option<Tag<'_>> {
        match self.body.events.event(self.parent()?) {
            Event::Start(tag) => Some(tag),
            _ => None,
        }
    }

    fn text(&mut self, text: &str) {
        if matches!(self.open_tag(), Some(Tag::CodeBlock(_))) {
            self.text.push_str(text);
        } else {
            self.body.words += count_words(text);
        }
    }

    fn code_block(&mut self, start: usize, span: &Span) {
        let fenced = matches!(self.body.events.event(start), Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))));
        let fence = start..self.body.events.len() + 1;
        let body = std::mem::take(&mut self.text);
        if !fenced {
            return;
        }
        let head = fence::head(self.source, span);
        if fence::read_info(self.source, &head).language == value_block::CALC {
            if self.may_declare(span) {
                self.body.values.extend(value_block::fence(self.source, fence, span, self.out));
            }
        } else {
            self.body.excerpts.extend(fence::excerpt(self.source, fence, span, body, self.out));
        }
    }

    /// Undoes smart punctuation: in raw HTML whose text is code, and of `--` before a letter, because that is a flag.
    fn as_typed<'e>(&self, event: Event<'e>, span: &Span) -> Event<'e> {
        let written = &self.source.text()[span.clone()];
        let is_sign = matches!(&event, Event::Text(text) if text.chars().all(|c| "“”‘’…–—".contains(c)));
        let is_code = || self.open_code > 0 && written.chars().all(|c| "\"'.-".contains(c));
        let is_flag = || written.starts_with("--") && self.source.text()[span.end..].starts_with(char::is_alphabetic);
        if is_sign && (is_code() || is_flag()) { Event::Text(written.to_owned().into()) } else { event }
    }

    fn too_deep(&mut self, span: &Span) {
        let at = span.start..span.start + 1;
        let message = format!("quotes, lists or other blocks are nested more than {DEPTH_LIMIT} levels deep here");
        self.out.push(self.source.diagnostic(codes::E0201, at, message));
        self.body = Body { events: EventList::new(self.source), ..Body::default() };
        self.braces.clear();
        self.pairs.clear();
    }

    /// Adds what is known only at the end. `is_whole` is false if parsing stopped early.
    fn finish(mut self, is_whole: bool) -> (Body, Misread) {
        self.report_unclosed(0);
        let Self { source, start, out, mut body, mut braces, mut misread, .. } = self;
        out.extend(heading::assign_ids(&mut body.headings, &mut braces, source));
        // An image inside a link ends before the link does, but lookups go by the start.
        body.links.sort_by_key(|link| link.events.start);
        // A footnote that nothing refers to is not shown, and neither is a heading in it.
        let used = if body.footnotes.is_empty() { BTreeSet::new() } else { body.used_footnotes() };
        let is_shown = |heading: &&Heading| {
            let at = heading.events.start;
            let after = body.footnotes.partition_point(|(_, events)| events.start <= at);
            body.footnotes[..after].last().is_none_or(|(label, events)| !events.contains(&at) || used.contains(label))
        };
        let shown = body.headings.iter().filter(is_shown);
        let anchors = |heading: &Heading| {
            let ids = std::iter::once(heading.id.clone()).chain(heading.was.clone());
            ids.map(|id| (id, heading.text.clone())).collect::<Vec<_>>()
        };
        let mut anchors: Vec<_> = shown.flat_map(anchors).collect();
        if is_whole {
            let (found, misleading) = swallowed::check(source, start, &mut body);
            misread.backticks = misleading;
            // With a warning alone the page is published, and a link to a heading that is in a code block leads nowhere.
            let hides_headings = found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
            anchors.extend(hides_headings.then(|| (ANY_HEADING.to_owned(), String::new())));
            out.extend(found);
        }
        anchors.sort_unstable();
        body.anchors = anchors.into();
        read_html(source, &mut body);
        // The matching comment may be inside the unclosed code block.
        out.retain(|diagnostic| body.unclosed.is_empty() || diagnostic.code != codes::E0208);
        let mut excerpts = std::mem::take(&mut body.excerpts);
        // The list after an unclosed fence may belong to another excerpt.
        for excerpt in excerpts.iter_mut().filter(|excerpt| excerpt.closing.is_some()) {
            excerpt.list = list_after(&body, excerpt.fence.end);
            excerpt.notes = excerpt.list.clone().map_or_else(Vec::new, |list| note::read(source, &body, list, out));
        }
        value_block::assign_ids(&mut body.values);
        value_block::name_pages(&mut body.values);
        body.elsewhere = value_block::elsewhere(&body.values);
        stray::find(source, &body, &mut excerpts, out);
        body.excerpts = excerpts;
        // What a page consists of is most of the memory of a plan, and stays for as long as the plan does.
        body.events.shrink_to_fit();
        body.headings.shrink_to_fit();
        body.excerpts.shrink_to_fit();
        body.links.shrink_to_fit();
        body.values.shrink_to_fit();
        (body, misread)
    }
}

/// Returns how many elements whose text is code are open after some HTML, of those before it.
fn code_after(open: usize, html: &str) -> usize {
    html::pieces(html).fold(open, |open, (_, piece)| match piece {
        Piece::Tag(tag) if !matches!(&*tag.element(), "code" | "kbd" | "pre" | "samp") => open,
        Piece::Tag(tag) if tag.closing => open.saturating_sub(1),
        Piece::Tag(_) => open + 1,
        _ => open,
    })
}

/// Writes the label of a footnote as all references to it are compared, because the parser matches labels in any letter case.
fn with_folded_label(event: Event<'_>) -> Event<'_> {
    // `ẞ`, `ß` and `SS` are one label: only the upper case of a lower case letter is the same for all three.
    let folded = |label: &str| label.to_lowercase().to_uppercase().to_lowercase().into();
    match event {
        Event::FootnoteReference(label) => Event::FootnoteReference(folded(&label)),
        Event::Start(Tag::FootnoteDefinition(label)) => Event::Start(Tag::FootnoteDefinition(folded(&label))),
        event => event,
    }
}

/// Returns the end of a heading's text with the braces that the parser has left out, and its span. `from` is the end of what
/// it has read of the heading.
fn written_braces(source: &Source, from: usize, heading: &Span) -> (String, Span) {
    let line = source.text()[from.max(heading.start)..heading.end].lines().next().unwrap_or_default();
    let end = line.rfind('}').map_or(line.len(), |at| at + 1);
    let text = if from <= heading.start { line[..end].trim_start_matches('#') } else { &line[..end] };
    let at = from.max(heading.start) + end - text.len();
    (text.to_owned(), at..at + text.len())
}

/// Adds the links and ids of raw HTML.
fn read_html(source: &Source, body: &mut Body) {
    let fragments = destination::fragments(source, body);
    let urls = fragments.iter().flat_map(destination::urls).filter(|(leads, _)| *leads == Leads::Link);
    body.html_links = urls.map(|(_, written)| (written.text.clone(), written.span(0..written.text.len()))).collect();
    let ids: BTreeSet<String> = fragments.iter().flat_map(|fragment| html::ids(&fragment.text)).collect();
    body.html_ids = ids.into_iter().collect();
}

/// Returns the events of the ordered list that begins at event `index`, if one does.
fn list_after(body: &Body, index: usize) -> Option<super::Events> {
    let (Event::Start(Tag::List(Some(_))), _) = body.events.get(index)? else { return None };
    Some(index..body.end_of(index))
}

/// Returns a span without the white space at its end.
fn trim_end(source: &Source, span: &Span) -> Span {
    span.start..span.start + source.text()[span.clone()].trim_end().len()
}
