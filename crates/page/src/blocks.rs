//! Cuts a page into blocks, the units in which it is translated: each top-level block of its Markdown is one; of a list each
//! item, and of a definition list each entry with all its terms.

use std::collections::BTreeMap;

use pulldown_cmark::{BlockQuoteKind, Event, Tag, TagEnd};

use super::{Body, Events, is_drawn, prediction};
use infralens_source::html::{Piece, pieces};
use infralens_source::source::{Source, Span};
use infralens_units::figure;

/// The kinds of blocks; a block is translated by one of its own kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// With its level.
    Heading(u8),
    Paragraph,
    /// An item of a list that is numbered or not.
    Item(bool),
    /// An entry of a definition list.
    Entry,
    Table,
    /// A quotation, or an alert.
    Quote(Option<BlockQuoteKind>),
    Footnote,
    /// A fence with `file=`.
    Excerpt,
    /// A fence with a calculator.
    Calc,
    /// Any other code block.
    Fence,
    Html,
    Comment,
    Rule,
}

#[derive(Debug)]
pub struct Block {
    pub kind: Kind,
    pub events: Events,
    /// Its span in the source, without white space at the end.
    pub span: Span,
    /// What a translation quotes of it: its source; of an excerpt the opening line, of a calculator its words alone.
    pub quoted: String,
    /// What identifies it when its words have changed: the binding of a note, the term of an entry, the `file=` of an excerpt,
    /// the label of a footnote.
    pub key: Option<String>,
    /// Whether it has words, which a translation should have in its own language.
    pub has_words: bool,
}

/// What a translation takes over unchanged from its quote, each with how often it occurs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Kept {
    pub code: BTreeMap<String, usize>,
    pub formulas: BTreeMap<String, usize>,
    pub citations: BTreeMap<String, usize>,
    pub targets: BTreeMap<String, usize>,
    /// By what they say, so that `70.55 billion` may become `705.5 亿`.
    pub figures: BTreeMap<String, usize>,
    /// What is printed for each of `figures`.
    printed: BTreeMap<String, String>,
    /// The words, without code and formulas.
    pub prose: String,
}

impl Kind {
    /// Returns the words for it in messages.
    pub fn words(self) -> String {
        match self {
            Self::Heading(level) => format!("a heading of level {level}"),
            Self::Paragraph => "a paragraph".into(),
            Self::Item(true) => "an item of a numbered list".into(),
            Self::Item(false) => "an item of a list".into(),
            Self::Entry => "an entry of a definition list".into(),
            Self::Table => "a table".into(),
            Self::Quote(None) => "a quotation".into(),
            Self::Quote(Some(_)) => "an alert".into(),
            Self::Footnote => "a footnote".into(),
            Self::Excerpt => "an excerpt".into(),
            Self::Calc => "a calculator".into(),
            Self::Fence => "a code block".into(),
            Self::Html => "HTML".into(),
            Self::Comment => "a comment".into(),
            Self::Rule => "a rule".into(),
        }
    }
}

/// Returns the blocks of a page, in order.
pub fn blocks(source: &Source, body: &Body) -> Vec<Block> {
    let mut found = Vec::new();
    for events in body.events.children(0..body.events.len()) {
        let inside = events.start + 1..events.end - 1;
        match body.events.event(events.start) {
            Event::Start(Tag::List(first)) => {
                let items = body.events.children(inside);
                found.extend(items.map(|item| block(source, body, item, Kind::Item(first.is_some()))));
            }
            Event::Start(Tag::DefinitionList) => entries(source, body, inside, &mut found),
            event => {
                let kind = kind(source, body, events.start, &event);
                found.extend(kind.map(|kind| block(source, body, events, kind)));
            }
        }
    }
    found
}

/// Adds the entries of a definition list: one or more terms with the definitions that follow.
fn entries(source: &Source, body: &Body, within: Events, found: &mut Vec<Block>) {
    let mut entry: Option<(Events, bool)> = None;
    for events in body.events.children(within) {
        let is_term = matches!(body.events.event(events.start), Event::Start(Tag::DefinitionListTitle));
        match &mut entry {
            Some((open, has_definition)) if !(is_term && *has_definition) => {
                open.end = events.end;
                *has_definition |= !is_term;
            }
            _ => {
                let finished = entry.replace((events, !is_term));
                found.extend(finished.map(|(events, _)| block(source, body, events, Kind::Entry)));
            }
        }
    }
    found.extend(entry.map(|(events, _)| block(source, body, events, Kind::Entry)));
}

/// Returns the kind of the block that starts at an event that starts no list; `None` if it is no block.
fn kind(source: &Source, body: &Body, at: usize, event: &Event<'_>) -> Option<Kind> {
    Some(match event {
        Event::Rule => Kind::Rule,
        Event::Start(Tag::Heading { level, .. }) => Kind::Heading(*level as u8),
        Event::Start(Tag::Paragraph) => Kind::Paragraph,
        Event::Start(Tag::Table(_)) => Kind::Table,
        Event::Start(Tag::BlockQuote(kind)) => Kind::Quote(*kind),
        Event::Start(Tag::FootnoteDefinition(_)) => Kind::Footnote,
        Event::Start(Tag::CodeBlock(_)) => {
            if excerpt(body, &(at..at)).is_some() {
                Kind::Excerpt
            } else if values(body, at).is_some_and(|block| block.calculator.is_some()) {
                Kind::Calc
            } else {
                Kind::Fence
            }
        }
        Event::Start(Tag::HtmlBlock) => {
            let text = source.text()[body.events.span(at)].trim();
            let is_comment = text.starts_with("<!--") && text.find("-->").is_some_and(|end| end + 3 == text.len());
            if is_comment { Kind::Comment } else { Kind::Html }
        }
        _ => return None,
    })
}

fn block(source: &Source, body: &Body, events: Events, kind: Kind) -> Block {
    let (start, end) = (body.events.span(events.start).start, body.events.span(events.end - 1).end);
    let mut span = start..start + source.text()[start..end.max(start)].trim_end().len();
    let is_question = body.predictions.iter().any(|prediction| prediction.question.start == events.start);
    let question = prediction::question(&source.text()[span.clone()]).filter(|_| is_question);
    if let Some(question) = &question {
        span = start + question.start..start + question.end;
    }
    let quoted = match kind {
        _ if question.is_some() => prediction::plain(&source.text()[span.clone()]),
        Kind::Calc => calculator(source, body, &events).unwrap_or_default(),
        _ => without_pins(source, body, &events, &span),
    };
    let has_words = match kind {
        Kind::Excerpt => excerpt(body, &events).is_some_and(|excerpt| excerpt.caption.is_some()),
        Kind::Calc => true,
        // The words of diagrams are translated.
        Kind::Fence => matches!(body.events.event(events.start), Event::Start(Tag::CodeBlock(kind)) if is_drawn(&kind)),
        Kind::Comment | Kind::Rule => false,
        Kind::Html => {
            let html = &source.text()[span.clone()];
            pieces(html).any(|(range, piece)| matches!(piece, Piece::Text) && html[range].contains(char::is_alphabetic))
        }
        _ => body.events.range(events.clone()).any(|(event, _)| {
            matches!(&event, Event::Text(text) if text.contains(char::is_alphabetic)) || matches!(event, Event::Html(_))
        }),
    };
    Block { kind, key: key(source, body, &events, kind), events, span, quoted, has_words }
}

fn excerpt<'b>(body: &'b Body, events: &Events) -> Option<&'b super::Excerpt> {
    let index = body.excerpts.binary_search_by_key(&events.start, |excerpt| excerpt.fence.start).ok()?;
    body.excerpts.get(index)
}

fn values(body: &Body, at: usize) -> Option<&super::ValueBlock> {
    let index = body.values.binary_search_by_key(&at, |block| block.events.start).ok()?;
    body.values.get(index)
}

/// Returns the source of a block in which excerpts consist of their opening lines.
fn without_pins(source: &Source, body: &Body, events: &Events, span: &Span) -> String {
    let (mut text, mut at) = (String::new(), span.start);
    for excerpt in body.excerpts.iter().filter(|excerpt| events.contains(&excerpt.fence.start)) {
        text.push_str(&source.text()[at..excerpt.head.end.max(at)]);
        at = excerpt.block.end.clamp(at, span.end.max(at));
        at -= source.text()[excerpt.head.end.min(at)..at].len()
            - source.text()[excerpt.head.end.min(at)..at].trim_end().len();
    }
    text.push_str(&source.text()[at.min(span.end)..span.end]);
    text
}

/// Returns the opening line of a calculator, the words after each of its names, and its closing line.
fn calculator(source: &Source, body: &Body, events: &Events) -> Option<String> {
    let block = values(body, events.start)?;
    let (first, last) = (source.first_line(&block.span), source.text()[block.span.clone()].trim_end().lines().last()?);
    let mut text = source.text()[first].to_owned();
    for declaration in block.sheet.declarations.iter().filter(|declaration| !declaration.comment.is_empty()) {
        text.extend(["\n", &declaration.name, " # ", &declaration.comment]);
    }
    Some(text + "\n" + last.trim_start())
}

/// Returns the span of the words after each name of a calculator.
pub fn labels(source: &Source, body: &Body, events: &Events) -> Vec<(String, Span)> {
    let declarations = values(body, events.start).into_iter().flat_map(|block| &block.sheet.declarations);
    let labeled = declarations.filter(|declaration| !declaration.comment.is_empty());
    let label = |declaration: &infralens_units::Declaration| {
        let rest = declaration.span.end..declaration.line.end;
        let at = rest.start + source.text()[rest].find(&declaration.comment)?;
        Some((declaration.name.clone(), at..at + declaration.comment.len()))
    };
    labeled.filter_map(label).collect()
}

fn key(source: &Source, body: &Body, events: &Events, kind: Kind) -> Option<String> {
    match kind {
        Kind::Excerpt => {
            let excerpt = excerpt(body, events)?;
            let info = super::fence::read_info(source, &excerpt.head);
            info.attribute("file").map(|file| file.value.clone())
        }
        Kind::Footnote => match body.events.event(events.start) {
            Event::Start(Tag::FootnoteDefinition(label)) => Some(label.into_string()),
            _ => None,
        },
        Kind::Entry => {
            let end = body.end_of(events.start);
            Some(body.text(events.start..end).trim().to_owned())
        }
        Kind::Item(true) => {
            let is_start = |event: &Event<'_>| matches!(event, Event::Start(Tag::Item | Tag::Paragraph));
            let mut inside = body.events.range(events.clone()).map(|(event, _)| event).skip_while(is_start);
            match inside.next()? {
                Event::Code(code) => Some(code.into_string()),
                Event::Start(Tag::Link { dest_url, .. }) if dest_url.starts_with('#') => Some(dest_url.into_string()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the text that two blocks have in common if they are equal: without differences in white space, the numbers of items
/// and the escapes of a quote.
pub fn comparable(quoted: &str, kind: Kind) -> String {
    let mut text = String::with_capacity(quoted.len());
    for word in quoted.split_whitespace() {
        text.extend([if text.is_empty() { "" } else { " " }, word]);
    }
    if text.contains("&gt;") {
        text = unescaped(&text);
    }
    if kind != Kind::Item(true) {
        return text;
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("1{rest}")
}

/// Returns the text of a block as a quote has it: a quote is a comment, so what would end the comment is escaped.
pub fn escaped(text: &str) -> String {
    text.replace("-->", "--&gt;").replace("--!>", "--!&gt;")
}

/// Reads what [`escaped`] writes.
pub fn unescaped(text: &str) -> String {
    text.replace("--&gt;", "-->").replace("--!&gt;", "--!>")
}

/// Returns what readers read of a block: its words, code and formulas, without the targets of links.
pub fn as_read(body: &Body, block: &Block) -> String {
    if matches!(block.kind, Kind::Excerpt | Kind::Calc | Kind::Fence) {
        return comparable(&block.quoted, block.kind);
    }
    let mut text = String::new();
    for (event, _) in body.events.range(block.events.clone()) {
        match event {
            Event::Code(code) => text.extend(["`", &code, "`"]),
            Event::InlineMath(formula) | Event::DisplayMath(formula) => text.extend(["$", &formula, "$"]),
            Event::Text(part) | Event::Html(part) | Event::InlineHtml(part) => text.push_str(&part),
            Event::FootnoteReference(label) => text.extend(["[^", &label, "]"]),
            Event::Start(tag @ (Tag::Strong | Tag::Emphasis)) => {
                text.push_str(if tag == Tag::Strong { "**" } else { "*" });
            }
            Event::Start(Tag::Link { dest_url, .. }) if dest_url.starts_with('@') => text.push_str(&dest_url),
            Event::Start(_) | Event::End(_) | Event::SoftBreak | Event::HardBreak if !is_inline(&event) => {
                text.push(' ');
            }
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_inline(event: &Event<'_>) -> bool {
    match event {
        Event::Start(tag) => super::is_inline(tag.to_end()),
        Event::End(tag) => super::is_inline(*tag),
        _ => false,
    }
}

/// Returns what a translation of blocks keeps.
pub fn kept(body: &Body, blocks: &[Block]) -> Kept {
    let mut kept = without_figures(body, blocks);
    for found in figure::find(&kept.prose) {
        let quantity = found.quantity();
        let said = format!("{:.9e} {}", quantity.value, quantity.dimension).trim().to_owned();
        *kept.figures.entry(said.clone()).or_default() += 1;
        kept.printed.insert(said, kept.prose[found.span].replace('\u{a0}', " "));
    }
    kept
}

/// Returns the words of blocks, with a mark for what is no word.
pub fn prose(body: &Body, blocks: &[Block]) -> String {
    without_figures(body, blocks).prose
}

fn without_figures(body: &Body, blocks: &[Block]) -> Kept {
    let mut kept = Kept::default();
    let mut prose = String::new();
    let add = |list: &mut BTreeMap<String, usize>, text: &str| *list.entry(text.trim().to_owned()).or_default() += 1;
    let mut fences = 0_usize;
    for (event, _) in blocks.iter().flat_map(|block| body.events.range(block.events.clone())) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => fences += 1,
            Event::End(TagEnd::CodeBlock) => fences = fences.saturating_sub(1),
            Event::Text(_) if fences > 0 => {}
            Event::Text(text) => prose.push_str(&text),
            Event::Code(code) => {
                add(&mut kept.code, &code);
                prose.push('`');
            }
            Event::InlineMath(formula) | Event::DisplayMath(formula) => {
                add(&mut kept.formulas, &formula);
                prose.push('`');
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                match dest_url.strip_prefix('@') {
                    Some(keys) => {
                        for key in keys.split(';') {
                            let key = key.split(',').next().unwrap_or_default();
                            add(&mut kept.citations, key.trim().trim_start_matches('@'));
                        }
                        prose.push('`');
                    }
                    None => add(&mut kept.targets, &dest_url),
                }
            }
            Event::SoftBreak | Event::HardBreak => prose.push(' '),
            event if !is_inline(&event) => prose.push('\n'),
            _ => {}
        }
    }
    Kept { prose, ..kept }
}

impl Kept {
    /// Returns what `translation` lacks or changes, in words; nothing if it keeps everything. It may print more figures.
    pub fn differences(&self, translation: &Self) -> Vec<String> {
        let lists = [
            ("code span", &self.code, &translation.code, "`"),
            ("formula", &self.formulas, &translation.formulas, "$"),
            ("citation", &self.citations, &translation.citations, "`"),
            ("target of a link", &self.targets, &translation.targets, "`"),
        ];
        let mut found = Vec::new();
        for (what, own, other, mark) in lists {
            let lost =
                missing(own, other).map(|text| format!("the {what} {mark}{text}{mark} is not in the translation"));
            let new = missing(other, own).map(|text| format!("the {what} {mark}{text}{mark} is not in the quote"));
            found.extend(lost.chain(new));
        }
        let lost = missing(&self.figures, &translation.figures).filter_map(|said| self.printed.get(said));
        found.extend(lost.map(|text| format!("the figure {text} is lost")));
        found
    }

    /// Whether every figure and every code span is also in `other`.
    pub fn is_still_in(&self, other: &Self) -> bool {
        missing(&self.figures, &other.figures).next().is_none() && missing(&self.code, &other.code).next().is_none()
    }
}

fn missing<'a>(of: &'a BTreeMap<String, usize>, from: &'a BTreeMap<String, usize>) -> impl Iterator<Item = &'a str> {
    let is_missing = |(text, count): &(&String, &usize)| from.get(*text).copied().unwrap_or(0) < **count;
    of.iter().filter(is_missing).map(|(text, _)| text.as_str())
}
