//! Writes blocks: headings, fences, excerpts, tables, alerts, questions.

use std::sync::Arc;
use unicode_width::UnicodeWidthStr;

use pulldown_cmark::{BlockQuoteKind, CodeBlockKind, Event, HeadingLevel, Tag, TagEnd};

use super::super::diagram::{self, DiagramError, Notation};
use super::super::excerpt::{self, BoundExcerpt, line_count};
use super::super::note_layout::NoteLayout;
use super::super::omission::Omissions;
use super::super::raw_html::ElementStack;
use super::super::recorded;
use super::super::{calculator, code, escape, starting_at, with_fragment};
use super::Writer;
use super::raw::container;
use infralens_course::config::labels::Labels;
use infralens_course::course::starter;
use infralens_page::look::Look;
use infralens_page::{Events, Kind, Note, fence, is_inline};
use infralens_source::diag::{Near, codes, similar};
use infralens_source::put;
use infralens_source::source::{LABEL, Span, shortened};
use infralens_source::url;
use infralens_starter::Listing;
use infralens_starter::excerpt::ViewRow;
use infralens_starter::listing::Lines;

/// The widest drawing, in pixels, whose text is at least 10 pixels high on a phone.
const PHONE: usize = 495;
/// The smallest width of the column of text, in pixels: wider drawings also use the margin.
const COLUMN: usize = 600;

impl<'a> Writer<'a> {
    /// Writes a `Start`; returns the index of the next event.
    pub(super) fn start(&mut self, at: usize, tag: Tag<'a>, span: &Span) -> usize {
        if !is_inline(tag.to_end()) && tag != Tag::HtmlBlock {
            self.raw(ElementStack::start_block);
        }
        self.start_margin(at, &tag);
        match tag {
            Tag::HtmlBlock => return self.html_block(at),
            Tag::CodeBlock(kind) => return self.code_block(at, &kind, span),
            Tag::FootnoteDefinition(_) => return self.skip(at),
            Tag::Image { .. } => return self.image(at, span),
            Tag::Paragraph if self.is_titled_picture(at) => return self.captioned_picture(at, span),
            _ => self.html.enter(container(&tag)),
        }
        if self.document().translated.is_some() && self.start_foreign(at, &tag, span) {
            return at + 1;
        }
        match tag {
            Tag::Heading { level, .. } => self.heading(at, level),
            Tag::Link { .. } => return self.link(at, span),
            Tag::BlockQuote(Some(kind)) => self.push(alert_head(kind, &self.cx.config.labels)),
            Tag::Table(alignments) => self.table(at, &alignments, span),
            Tag::TableHead => self.row(true, "<thead>\n<tr>"),
            Tag::TableRow => self.row(false, "<tr>"),
            Tag::TableCell => self.cell(),
            Tag::DefinitionList if self.in_questions(at) => self.push("<div class=\"questions\">\n"),
            Tag::DefinitionListTitle if self.in_questions(at) => {
                // A summary is a button, in which a link could not be clicked separately.
                self.no_link_depth += 1;
                self.in_question = true;
                let [show, hide] = [&self.cx.config.labels.show, &self.cx.config.labels.hide]
                    .map(|word| super::super::escape::attribute(word));
                let (open, lang) = (self.target.open_attribute(), self.foreign(span.start));
                self.push(format!(
                    "<details class=\"question\"{lang}{open}><summary data-show=\"{show}\" data-hide=\"{hide}\">"
                ));
            }
            Tag::DefinitionListTitle if self.document().placement.kind == Kind::Glossary => {
                let term = self.cx.glossary.term_at(at).map(|term| format!(" id=\"{}\"", escape::attribute(&term.id)));
                self.push(format!("<dt{}{}>", term.unwrap_or_default(), self.foreign(span.start)));
            }
            Tag::DefinitionListDefinition if self.in_questions(at) => self.push("<div class=\"answer\">"),
            Tag::DefinitionListTitle => {
                let lang = self.foreign(span.start);
                if lang.is_empty() {
                    self.out.push(Event::Start(tag));
                } else {
                    self.push(format!("<dt{lang}>"));
                }
            }
            _ => self.out.push(Event::Start(tag)),
        }
        at + 1
    }

    /// Writes an `End`. HTML elements that are open in it have been closed.
    pub(super) fn end(&mut self, at: usize, tag: TagEnd) {
        self.end_margin(at, tag);
        let [before, after] = self.around_end(at, tag);
        if !before.is_empty() {
            self.push(before);
        }
        self.end_element(at, tag);
        if !after.is_empty() {
            self.push(after);
        }
    }

    fn end_element(&mut self, at: usize, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::Link => {
                self.no_link_depth -= 1;
                let closer = self.closers.pop().unwrap_or_default();
                self.push(closer);
            }
            TagEnd::BlockQuote(Some(_)) => self.push("</div>\n"),
            TagEnd::Table => {
                self.tables.pop();
                self.push("</tbody>\n</table>\n</div>\n");
            }
            TagEnd::TableHead => self.push("</tr>\n</thead>\n<tbody>\n"),
            TagEnd::TableRow => self.push("</tr>\n"),
            TagEnd::TableCell => self.end_cell(),
            TagEnd::DefinitionList if self.in_questions(at) => self.push("</div>\n"),
            TagEnd::DefinitionListTitle if self.in_questions(at) => {
                self.no_link_depth -= 1;
                self.in_question = false;
                self.push("</summary>\n");
            }
            TagEnd::DefinitionListDefinition if self.in_questions(at) => {
                let next = self.document().body.events.get(at + 1);
                let more = matches!(next, Some((Event::Start(Tag::DefinitionListDefinition), _)));
                self.push(if more { "</div>\n" } else { "</div></details>\n" });
            }
            _ => self.out.push(Event::End(tag)),
        }
    }

    pub(super) fn in_questions(&self, at: usize) -> bool {
        self.questions.lists.iter().any(|events| events.contains(&at))
    }

    /// Returns the index after the element that starts at `at`.
    pub(super) fn skip(&self, at: usize) -> usize {
        self.document().body.end_of(at)
    }

    /// Starts a heading. A page's only `h1` is its title, so a first-level heading in Markdown becomes an `h2`.
    fn heading(&mut self, at: usize, level: HeadingLevel) {
        self.no_link_depth += 1;
        // On a print page, the title of each chapter is an `h2`.
        let level = if self.target.is_print_page() {
            (level as u8).max(2).saturating_add(1).min(6)
        } else {
            (level as u8).max(2)
        };
        let heading = starting_at(&self.document().body.headings, at, |heading| heading.events.start);
        let Some(heading) = heading.filter(|_| self.target.is_whole()) else {
            self.push(format!("<h{level}>"));
            self.closers.push(format!("</h{level}>\n"));
            return;
        };
        let id = escape::attribute(&heading.id);
        let label = escape::attribute(&format!("{}: {}", self.cx.config.labels.heading_link, heading.text));
        let prefix = &self.target.prefix;
        // At the end, so that scripts find the text first.
        let lang = self.foreign(heading.span.start);
        let was = |was: &String| format!("<span id=\"{prefix}{}\"></span>", escape::attribute(was));
        let was = heading.was.iter().map(was).collect::<Vec<_>>().concat();
        self.push(format!("<h{level} id=\"{prefix}{id}\"{lang}>"));
        if self.target.is_print_page() {
            self.closers.push(format!("{was}</h{level}>\n"));
            return;
        }
        self.closers
            .push(format!(" {was}<a class=\"anchor\" href=\"#{id}\" aria-label=\"{label}\">#</a></h{level}>\n"));
    }

    /// Returns the look that the opening line of a code block asks for.
    fn look(&self, kind: &CodeBlockKind<'_>, span: &Span) -> Look {
        let source = &self.document().source;
        match kind {
            CodeBlockKind::Fenced(_) => Look::read(&source.text()[fence::head(source, span)]),
            CodeBlockKind::Indented => Look::default(),
        }
    }

    fn code_block(&mut self, at: usize, kind: &CodeBlockKind<'_>, span: &Span) -> usize {
        let end = self.skip(at);
        if let Some(prepared) = self.fences.get(&at).copied() {
            return self.excerpt(prepared, end);
        }
        if let Some(html) = self.calculator(at) {
            self.push(html);
            return end;
        }
        if let Some(excerpt) = starting_at(&self.document().body.excerpts, at, |excerpt| excerpt.fence.start) {
            // The excerpt could not be shown, which is reported; its notes are left out.
            return excerpt.list.as_ref().map_or(end, |list| list.end);
        }
        let body = self.document().body.text(at + 1..end - 1);
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split([' ', ',', '{', '\t']).next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        // The language of an unclosed block, which is reported already, does not apply to its content.
        let language = if self.document().body.unclosed.binary_search(&span.start).is_ok() { "" } else { language };
        let html = match language {
            "mermaid" => self.diagram(Notation::Mermaid, at, &body, kind, span),
            "pikchr" => self.diagram(Notation::Pikchr, at, &body, kind, span),
            _ if self.target.is_dry_run => String::new(),
            _ => self.plain_code(language, &body, &self.look(kind, span)),
        };
        self.push(html);
        end
    }

    /// Writes a fence without a starter file. Lines of Rust that only make it compile are folded, as in rustdoc.
    fn plain_code(&self, language: &str, body: &str, look: &Look) -> String {
        match code::without_hidden_marks(body).filter(|_| language == "rust" && self.target.is_own_page()) {
            Some((body, hidden)) => {
                code::folded(language, &body, look, &hidden, &line_count(self.cx.config, hidden.len()))
            }
            None => code::plain(language, body, look),
        }
    }

    /// Writes the calculator of the fence that begins at an event, if it has one.
    fn calculator(&self, at: usize) -> Option<String> {
        let blocks = &self.document().body.values;
        let block = blocks.binary_search_by_key(&at, |block| block.events.start).ok()?;
        let values = self.cx.values_of(self.document())?;
        let html = || calculator::html(self.document(), values, block, &self.target.prefix, self.cx.config);
        blocks[block].calculator.as_ref().map(|_| if self.target.is_dry_run { String::new() } else { html() })
    }

    /// Writes a drawing, with the caption that its opening line may have below it.
    fn diagram(&mut self, notation: Notation, at: usize, body: &str, kind: &CodeBlockKind<'_>, span: &Span) -> String {
        self.diagrams += 1;
        let id = format!("{}D{}", self.target.prefix, self.diagrams);
        let caption = self.look(kind, span).title;
        let title = caption.clone().unwrap_or_else(|| self.last_heading(span));
        let lang = self.foreign(span.start);
        let drawn = self.drawn.diagrams.get(&at).cloned();
        match drawn.map_or_else(|| diagram::draw(notation, body).map(Arc::new), Ok) {
            Ok(drawing) if self.target.is_dry_run => {
                Arc::make_mut(&mut self.drawn).diagrams.insert(at, drawing);
                String::new()
            }
            Ok(drawing) => {
                let ([width, height], svg) = (drawing.size(), drawing.svg(&id, &title));
                let beside = if self.is_drawn_beside(at, (width, height)) { "diagram side" } else { "diagram" };
                let span = if width > COLUMN { " wide" } else { "" };
                // A drawing that would be too small on a phone is scrolled there, also with the keyboard.
                let attributes = if width > PHONE {
                    let label = escape::attribute(&title);
                    format!("diagram panned{span}\" tabindex=\"0\" aria-label=\"{label}")
                } else {
                    beside.to_owned()
                };
                format!(
                    "<figure class=\"{attributes}\"{lang}>\n{svg}\n{}</figure>\n",
                    caption.map_or_else(String::new, figcaption)
                )
            }
            Err(error) => {
                let at = self.place_in_fence(span, body, &error);
                let line = error.line.and_then(|line| body.lines().nth(line));
                let found = line.filter(|_| notation == Notation::Pikchr).map(pikchr_word);
                let source = Arc::clone(&self.document().source);
                let diagnostic = self.report(codes::E0204, &at, error.message);
                match found {
                    Some(Some((word, near))) => *diagnostic = diagnostic.clone().instead(&source, word, Some(near)),
                    found => diagnostic.help.extend(found.map(|_| PIKCHR_LINE.to_owned())),
                }
                String::new()
            }
        }
    }

    /// Returns the place of an error in the fence at `span`: from its column to the end of its line, or the opening
    /// backticks if the whole diagram is meant.
    fn place_in_fence(&self, span: &Span, body: &str, error: &DiagramError) -> Span {
        let opening = span.start..span.start + 3;
        let Some(number) = error.line else { return opening };
        let source = &self.document().source;
        let line = source.line_span(source.position(span.start).line + number);
        // In a list or a quote, lines of the file have a prefix that the text of the fence lacks.
        let text = body.lines().nth(number).unwrap_or_default();
        let column = error.column.filter(|column| *column < text.len()).unwrap_or_default();
        let rest = text.len() - text.floor_char_boundary(column);
        if line.end > span.end { opening } else { line.end.saturating_sub(rest).max(line.start)..line.end }
    }

    /// Returns the heading above a place, which is the label of a diagram or table for screen readers.
    pub(super) fn last_heading(&self, span: &Span) -> String {
        let headings = &self.document().body.headings;
        let next = headings.partition_point(|heading| heading.span.start < span.start);
        let above = next.checked_sub(1).map(|at| &headings[at]);
        let words = above.map_or(self.document().title(), |heading| &heading.text);
        shortened(words, LABEL).into_owned()
    }

    fn excerpt(&mut self, prepared: &'a BoundExcerpt<'a>, end: usize) -> usize {
        let path = prepared.listing.source().path();
        let lines = prepared.shown.bounds().map_or(0..0, |(first, last)| first - 1..last);
        let command = self.subject.command(prepared);
        let file = command.map_or_else(|| self.code_href(prepared.listing, &lines), str::to_owned);
        let body = &self.document().body;
        let letters = |note: &Note| body.text(note.events.clone()).width();
        let layout = prepared.layout(&prepared.excerpt.notes.iter().map(letters).collect::<Vec<_>>());
        let is_on_screen = self.target.is_whole() && !self.target.is_print_page();
        let broad = if is_on_screen { prepared.breadth().classes() } else { "" };
        let folded = if is_on_screen && layout.is_folded() { " long" } else { "" };
        self.push(format!("<div class=\"pair{broad}{folded}\">\n"));
        if self.target.is_whole() {
            if command.is_none() {
                self.facts.line_links.push((path.clone(), lines));
                self.facts.line_links.extend(Omissions::new(prepared).linked().map(|lines| (path.clone(), lines)));
            }
            let since = self.since(prepared);
            if !self.target.is_dry_run {
                let output = self.output(prepared);
                let figure = prepared.figure(self.cx.config, &file, &since, &output, &layout);
                self.push(figure);
            }
        } else {
            let file = if command.is_none() { self.target.url_for(file).unwrap_or_default() } else { file };
            self.push(bare_figure(prepared, &file));
        }
        if prepared.excerpt.list.is_some() {
            let notes = self.notes(prepared, &layout);
            self.push(notes);
        }
        self.push("</div>\n");
        prepared.excerpt.list.as_ref().map_or(end, |list| list.end)
    }

    /// Returns the link to the piece that an excerpt is compared with on the page of its starter; empty if there is none.
    fn since(&mut self, prepared: &BoundExcerpt<'_>) -> String {
        let Some(since) = prepared.lit.since.as_ref().filter(|_| prepared.compared.is_none()) else {
            return String::new();
        };
        let path = since.listing.source().path();
        if starter::shown_record(path).is_some() || since.version.is_some() {
            return String::new();
        }
        let lines = since.shown.bounds().map_or(0..0, |(first, last)| first - 1..last);
        self.facts.line_links.push((path.clone(), lines.clone()));
        self.code_href(&since.listing, &lines)
    }

    /// Returns the link to lines on the page of their starter.
    fn code_href(&self, listing: &Listing, lines: &Lines) -> String {
        let page = self.cx.config.shared(starter::page_url(listing.source().path()));
        with_fragment(&self.target.page, &page, &listing.anchor(lines))
    }

    /// Returns what the cells of an excerpt recorded, if it shows that.
    fn output(&self, prepared: &BoundExcerpt<'_>) -> String {
        let (listing, base) = (prepared.listing, &self.target.page);
        let picture = |url: String| url::relative(base, &self.cx.config.shared(url));
        let cells = prepared.excerpt.output.iter().flat_map(|_| recorded::cells(listing, prepared.shown));
        cells.map(|cell| recorded::html(self.cx.config, listing, cell, &picture)).collect()
    }

    fn notes(&mut self, prepared: &'a BoundExcerpt<'a>, layout: &NoteLayout) -> String {
        let home = self.target.is_whole();
        let classes = if home { prepared.note_row_classes() } else { Vec::new() };
        let rows = classes.first().map_or_else(String::new, |above| layout.list_classes() + above);
        let mut html = format!("<ol class=\"notes{rows}\">\n");
        for (index, note) in prepared.excerpt.notes.iter().enumerate() {
            let outer = std::mem::replace(&mut self.in_note, true);
            let body = self.html(Events::clone(&note.events)) + &self.original(&note.span);
            let lang = self.foreign(note.span.start);
            self.in_note = outer;
            let body = body.trim_end();
            let lines = prepared.lines(index);
            let number = index + 1;
            let Some(first) = lines.first().filter(|_| home) else {
                put!(html, "<li class=\"note\"><div><span class=\"ring\">{number}</span>{body}</div></li>\n");
                continue;
            };
            let (id, classes) = (prepared.note_id(index), layout.note_classes(index) + &classes[number]);
            let reach = excerpt::line_ranges(&lines);
            let code = prepared.code_id(index).unwrap_or_default();
            let label = escape::attribute(&excerpt::note_link_label(self.cx.config, prepared.listing, number, first));
            put!(
                html,
                "<li id=\"{id}\" class=\"note{classes}\"{lang} data-lines=\"{reach}\"><div>\
                 <a class=\"ring\" href=\"#{code}\" aria-label=\"{label}\">{number}</a>{body}</div></li>\n"
            );
        }
        html.push_str("</ol>\n");
        html
    }
}

/// Returns the caption of a drawing or of a picture.
pub(super) fn figcaption(words: impl AsRef<str>) -> String {
    format!("<figcaption>{}</figcaption>\n", escape::text(words.as_ref()))
}

/// Writes an excerpt for a page other than its own, without ids and markers.
fn bare_figure(prepared: &BoundExcerpt<'_>, file: &str) -> String {
    let head = if prepared.is_record() {
        format!("<code class=\"file\">{}</code>", escape::text(file))
    } else {
        format!("<a class=\"file\" href=\"{}\">{}</a>", escape::attribute(file), escape::text(prepared.name()))
    };
    let mut html = format!(
        "<figure class=\"excerpt\">\n<figcaption>{head}</figcaption>\n<pre class=\"listing\" tabindex=\"0\" translate=\"no\"><code>"
    );
    for row in &prepared.shown.view(prepared.listing).rows {
        match row {
            ViewRow::Line(line) => code::push_line(&mut html, line.text, &line.tokens, &[]),
            ViewRow::Omitted(_) => html.push('⋯'),
        }
        html.push('\n');
    }
    html.push_str("</code></pre>\n</figure>\n");
    html
}

/// Returns what an alert begins with: the start tag of its element, and its title.
pub(crate) fn alert_head(kind: BlockQuoteKind, labels: &Labels) -> String {
    let (name, title) = match kind {
        BlockQuoteKind::Note => ("note", &labels.alert_note),
        BlockQuoteKind::Tip => ("tip", &labels.alert_tip),
        BlockQuoteKind::Important => ("important", &labels.alert_important),
        BlockQuoteKind::Warning => ("warning", &labels.alert_warning),
        BlockQuoteKind::Caution => ("caution", &labels.alert_caution),
    };
    let title = escape::text(title);
    format!("<div class=\"alert {name}\" role=\"note\">\n<p class=\"alert-title\">{title}</p>\n")
}

/// What a line of Pikchr is.
const PIKCHR_LINE: &str =
    "a line is an object and what it is like, as in `box \"text\" fill white` or `arrow from A to B`";

/// Returns a misspelled word of a line of Pikchr outside of its texts, with the one that was meant.
fn pikchr_word(line: &str) -> Option<(&str, Near<'static>)> {
    let known = || diagram::PIKCHR_WORDS.split_whitespace();
    let words = line.split('"').step_by(2).flat_map(|text| text.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    let mut unknown = words.filter(|word| word.len() > 2 && known().all(|known| known != *word));
    unknown.find_map(|word| Some((word, similar(word, known())?)))
}
