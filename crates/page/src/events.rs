//! The events of parsed Markdown in a form that takes little memory, since a plan keeps those of every page.

use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag, TagEnd};

use infralens_source::source::{Source, Span};

/// Events in reading order, with their spans in a source. They are made from the source when they are read.
#[derive(Debug, Default)]
pub struct EventList {
    source: Arc<Source>,
    items: Vec<Item>,
    /// The events that are neither in the source as they are nor without content.
    others: Vec<Event<'static>>,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    encoding: Encoding,
    start: u32,
    end: u32,
}

/// How an event is stored: as what the source has at its span, or as an index into the other events.
#[derive(Debug, Clone, Copy)]
enum Encoding {
    /// The text is what the source has at the span.
    Text,
    Html,
    InlineHtml,
    /// The code is what the source has between backticks.
    Code,
    SoftBreak,
    /// A line break that is no space: text without characters.
    Joint,
    HardBreak,
    Rule,
    /// The start of an element without attributes.
    Start(TagEnd),
    End(TagEnd),
    Other(u32),
}

impl EventList {
    /// Creates a list without events.
    pub fn new(source: &Arc<Source>) -> Self {
        Self { source: Arc::clone(source), items: Vec::new(), others: Vec::new() }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a file is far smaller than 4 GiB")]
    pub fn push(&mut self, event: Event<'_>, span: &Span) {
        let written = &self.source.text()[span.clone()];
        let encoding = match &event {
            Event::Text(text) if **text == *written => Encoding::Text,
            Event::Html(html) if **html == *written => Encoding::Html,
            Event::InlineHtml(html) if **html == *written => Encoding::InlineHtml,
            Event::Code(code) if **code == *written.trim_matches('`') => Encoding::Code,
            Event::SoftBreak => Encoding::SoftBreak,
            Event::HardBreak => Encoding::HardBreak,
            Event::Rule => Encoding::Rule,
            Event::Start(tag) if plain(tag.to_end()).is_some_and(|plain| plain == *tag) => {
                Encoding::Start(tag.to_end())
            }
            Event::End(tag) => Encoding::End(*tag),
            _ => Encoding::Other(self.others.len() as u32),
        };
        if let Encoding::Other(_) = encoding {
            self.others.push(event.into_static());
        }
        self.items.push(Item { encoding, start: span.start as u32, end: span.end as u32 });
    }

    /// Removes the space that a line break is: the event at this index becomes text without characters.
    pub fn join(&mut self, index: usize) {
        if let Some(item) = self.items.get_mut(index) {
            item.encoding = Encoding::Joint;
        }
    }

    /// Gives back memory that is reserved for more events.
    pub fn shrink_to_fit(&mut self) {
        self.items.shrink_to_fit();
        self.others.shrink_to_fit();
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the event at an index.
    ///
    /// # Panics
    ///
    /// If there is no such event.
    pub fn event(&self, index: usize) -> Event<'_> {
        let written = || CowStr::Borrowed(&self.source.text()[self.span(index)]);
        match self.items[index].encoding {
            Encoding::Text => Event::Text(written()),
            Encoding::Html => Event::Html(written()),
            Encoding::InlineHtml => Event::InlineHtml(written()),
            Encoding::Code => Event::Code(CowStr::Borrowed(self.source.text()[self.span(index)].trim_matches('`'))),
            Encoding::SoftBreak => Event::SoftBreak,
            Encoding::Joint => Event::Text(CowStr::Borrowed("")),
            Encoding::HardBreak => Event::HardBreak,
            Encoding::Rule => Event::Rule,
            Encoding::Start(tag) => Event::Start(plain(tag).unwrap_or(Tag::Paragraph)),
            Encoding::End(tag) => Event::End(tag),
            Encoding::Other(other) => with_texts(&self.others[other as usize], |text| CowStr::Borrowed(text)),
        }
    }

    /// Returns the span of the event at an index.
    ///
    /// # Panics
    ///
    /// If there is no such event.
    pub fn span(&self, index: usize) -> Span {
        let Item { start, end, .. } = self.items[index];
        start as usize..end as usize
    }

    pub fn get(&self, index: usize) -> Option<(Event<'_>, Span)> {
        (index < self.len()).then(|| (self.event(index), self.span(index)))
    }

    /// Returns the index after the `End` event that matches the `Start` event at `start`.
    pub fn end_of(&self, start: usize) -> usize {
        let mut depth = 0_usize;
        for (index, item) in self.items.iter().enumerate().skip(start) {
            match item.encoding {
                Encoding::Start(_) => depth += 1,
                Encoding::Other(other) if matches!(self.others[other as usize], Event::Start(_)) => depth += 1,
                Encoding::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return index + 1;
            }
        }
        self.len()
    }

    /// Returns the elements and other events of a range one after another, without those that an element contains. The last
    /// one may end beyond the range.
    pub fn children(&self, within: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let from = move |start: usize| (start < within.end).then(|| start..self.end_of(start));
        std::iter::successors(from(within.start), move |last| from(last.end))
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Event<'_>, Span)> + ExactSizeIterator + Clone {
        self.range(0..self.len())
    }

    /// Returns the events of a range with their spans.
    ///
    /// # Panics
    ///
    /// If the range is not within the list.
    pub fn range(
        &self,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = (Event<'_>, Span)> + ExactSizeIterator + Clone {
        range.map(|index| (self.event(index), self.span(index)))
    }
}

/// Returns the tag of an element without attributes.
fn plain(tag: TagEnd) -> Option<Tag<'static>> {
    Some(match tag {
        TagEnd::Paragraph => Tag::Paragraph,
        TagEnd::Heading(level) => Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() },
        TagEnd::BlockQuote(kind) => Tag::BlockQuote(kind),
        TagEnd::HtmlBlock => Tag::HtmlBlock,
        TagEnd::List(false) => Tag::List(None),
        TagEnd::Item => Tag::Item,
        TagEnd::DefinitionList => Tag::DefinitionList,
        TagEnd::DefinitionListTitle => Tag::DefinitionListTitle,
        TagEnd::DefinitionListDefinition => Tag::DefinitionListDefinition,
        TagEnd::TableHead => Tag::TableHead,
        TagEnd::TableRow => Tag::TableRow,
        TagEnd::TableCell => Tag::TableCell,
        TagEnd::Emphasis => Tag::Emphasis,
        TagEnd::Strong => Tag::Strong,
        TagEnd::Strikethrough => Tag::Strikethrough,
        TagEnd::Superscript => Tag::Superscript,
        TagEnd::Subscript => Tag::Subscript,
        _ => return None,
    })
}

/// Returns an event with what `text` returns for each of its texts.
pub fn with_texts<'r, 'e: 'o, 'o>(event: &'r Event<'e>, text: impl Fn(&'r CowStr<'e>) -> CowStr<'o>) -> Event<'o> {
    match event {
        Event::Text(part) => Event::Text(text(part)),
        Event::Code(code) => Event::Code(text(code)),
        Event::InlineMath(formula) => Event::InlineMath(text(formula)),
        Event::DisplayMath(formula) => Event::DisplayMath(text(formula)),
        Event::Html(html) => Event::Html(text(html)),
        Event::InlineHtml(html) => Event::InlineHtml(text(html)),
        Event::FootnoteReference(label) => Event::FootnoteReference(text(label)),
        Event::Start(Tag::FootnoteDefinition(label)) => Event::Start(Tag::FootnoteDefinition(text(label))),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(text(info))))
        }
        Event::Start(Tag::Heading { level, id, classes, attrs }) => Event::Start(Tag::Heading {
            level: *level,
            id: id.as_ref().map(&text),
            classes: classes.iter().map(&text).collect(),
            attrs: attrs.iter().map(|(name, value)| (text(name), value.as_ref().map(&text))).collect(),
        }),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => Event::Start(Tag::Link {
            link_type: *link_type,
            dest_url: text(dest_url),
            title: text(title),
            id: text(id),
        }),
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => Event::Start(Tag::Image {
            link_type: *link_type,
            dest_url: text(dest_url),
            title: text(title),
            id: text(id),
        }),
        event => event.clone(),
    }
}
