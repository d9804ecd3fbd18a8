//! Extracts the text of a page as readers see it: passages without markup, mapped to the source, and their sentences.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use crate::{Body, Document, FrontMatter, is_inline};
use infralens_source::source::{Source, Span};
use infralens_source::yaml::Spanned;

/// The character that replaces a formula; it is not part of any word.
const FORMULA: &str = "\u{fffc}";

/// Words after which a period does not end a sentence.
const ABBREVIATIONS: [&str; 28] = [
    "e.g", "i.e", "etc", "cf", "vs", "viz", "resp", "approx", "ca", "al", "fig", "figs", "eq", "eqs", "sec", "no",
    "vol", "ch", "p", "pp", "dr", "mr", "mrs", "ms", "prof", "st", "inc", "jr",
];

/// A continuous text: a paragraph, a heading, a cell, or a value of the front matter.
#[derive(Debug, Default)]
pub struct Passage {
    /// The text. Code is as written; a formula is one character that belongs to no word.
    pub text: String,
    /// For a cell, the number of the table in the page and of the column in the table.
    pub column: Option<(usize, usize)>,
    /// The sentences, without white space around them.
    pub sentences: Vec<Range<usize>>,
    pieces: Vec<Piece>,
}

/// A place in the text of a page: the index of an event, and an offset in the text of that event.
pub type EventOffset = (usize, usize);

/// A part of a passage that comes from one span of the source.
#[derive(Debug)]
struct Piece {
    /// The offset in the passage at which it begins.
    at: usize,
    span: Span,
    /// The event that it comes from; `None` in the front matter.
    event: Option<usize>,
    /// Whether the source has the same bytes.
    verbatim: bool,
    /// Whether it is code, a formula or an address, in which no sentence ends.
    opaque: bool,
    linked: bool,
}

impl Passage {
    /// Makes a passage of a span of the source.
    fn verbatim(source: &Source, span: &Span) -> Self {
        let mut passage = Self::default();
        passage.push(source, &source.text()[span.clone()], (None, span), false, false);
        passage.split();
        passage
    }

    fn push(&mut self, source: &Source, text: &str, (event, span): (Option<usize>, &Span), opaque: bool, linked: bool) {
        let verbatim = source.text()[span.clone()] == *text;
        self.pieces.push(Piece { at: self.text.len(), span: span.clone(), event, verbatim, opaque, linked });
        self.text.push_str(text);
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        self.pieces.partition_point(|piece| piece.at <= at).checked_sub(1).and_then(|index| self.pieces.get(index))
    }

    /// Returns the span in the source of a part of the text, which must not be empty.
    pub fn span(&self, range: &Range<usize>) -> Span {
        let start = self
            .piece(range.start)
            .map_or(0, |piece| piece.span.start + if piece.verbatim { range.start - piece.at } else { 0 });
        let end = self.piece(range.end.saturating_sub(1)).map_or(start, |piece| {
            if piece.verbatim { piece.span.start + range.end - piece.at } else { piece.span.end }
        });
        start..end.max(start)
    }

    /// Returns where a part of the text, which must not be empty, is among the events of the page; `None` in front matter.
    pub fn events(&self, range: &Range<usize>) -> Option<Range<EventOffset>> {
        let offset = |byte: usize, at: usize| self.piece(byte).and_then(|piece| Some((piece.event?, at - piece.at)));
        Some(offset(range.start, range.start)?..offset(range.end.saturating_sub(1), range.end)?)
    }

    /// Returns whether the byte at `at` is code, a formula or a bare URL.
    pub fn is_code(&self, at: usize) -> bool {
        self.piece(at).is_some_and(|piece| piece.opaque)
    }

    /// Returns whether a part of the text contains a link or a citation.
    pub fn is_linked(&self, range: &Range<usize>) -> bool {
        let first = self.pieces.partition_point(|piece| piece.at <= range.start).saturating_sub(1);
        self.pieces[first.min(self.pieces.len())..]
            .iter()
            .take_while(|piece| piece.at < range.end)
            .any(|piece| piece.linked)
    }

    /// Finds the sentences. Abbreviations, decimals and periods in code do not end one.
    fn split(&mut self) {
        let mut found = Vec::new();
        let mut start = 0;
        for (index, piece) in self.pieces.iter().enumerate().filter(|(_, piece)| !piece.opaque) {
            let end = self.pieces.get(index + 1).map_or(self.text.len(), |next| next.at);
            for (offset, c) in self.text[piece.at..end].char_indices() {
                let (at, after) = (piece.at + offset, piece.at + offset + c.len_utf8());
                if at >= start && self.ends(at, after, c) {
                    let closed = self.text[after..].trim_start_matches(is_closer);
                    let end = self.text.len() - closed.len();
                    found.push(start..end);
                    start = end;
                }
            }
        }
        found.push(start..self.text.len());
        self.sentences = found.iter().filter_map(|range| trimmed(&self.text, range)).collect();
    }

    /// Returns whether the character at `at` ends a sentence.
    fn ends(&self, at: usize, after: usize, c: char) -> bool {
        match c {
            '。' | '！' | '？' | '．' | '।' | '؟' | '۔' | '።' => true,
            '!' | '?' | '.' | '…' => {
                let rest = self.text[after..].trim_start_matches(is_closer);
                let next = rest.trim_start().trim_start_matches(is_opener).chars().next();
                let apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
                let continues = matches!(c, '.' | '…') && next.is_some_and(char::is_lowercase);
                apart && !continues && !(c == '.' && is_abbreviation(&self.text[..at]))
            }
            _ => false,
        }
    }
}

fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」' | '』' | '）' | '】' | '》' | '〉' | '*')
}

fn is_opener(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '‘' | '„' | '«' | '(' | '[' | '「' | '『' | '（' | '【' | '《' | '〈')
}

/// Returns whether a text ends in a word after which a period does not end a sentence.
fn is_abbreviation(before: &str) -> bool {
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || c == '.'))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let word = before[start..].to_lowercase();
    ABBREVIATIONS.contains(&word.as_str()) || word.len() == 1 && word.starts_with(char::is_alphabetic)
}

fn trimmed(text: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    let end = range.start + part.trim_end().len();
    (start < end).then_some(start..end)
}

/// Returns the passages of a page: those of its front matter, then those of its body.
pub fn passages(document: &Document) -> Vec<Passage> {
    let source = &document.source;
    let found = values(&document.front).into_iter().map(|value| Passage::verbatim(source, &value.span)).collect();
    let mut collector =
        Collector { source, found, open: Passage::default(), blocks: 0, links: Vec::new(), tables: 0, column: 0 };
    for (index, (event, span)) in document.body.events.iter().enumerate() {
        collector.event(&event, (Some(index), &span));
    }
    collector.close();
    collector.found
}

/// Returns the values of a front matter that are prose.
pub fn values(front: &FrontMatter) -> Vec<&Spanned<String>> {
    let mut values = vec![&front.common.title];
    values.extend(&front.common.summary);
    if let Some(lab) = &front.lab {
        values.extend(&lab.group);
        values.extend([&lab.focus, &lab.reads, &lab.outcome, &lab.starter.kind, &lab.starter.angle]);
    }
    values.retain(|value| !value.span.is_empty());
    values
}

/// Collects passages from the events of a page.
struct Collector<'a> {
    source: &'a Source,
    found: Vec<Passage>,
    open: Passage,
    /// The number of open blocks of code or HTML.
    blocks: usize,
    /// For each open link, innermost last, whether its text is an address or a key and not prose.
    links: Vec<bool>,
    tables: usize,
    column: usize,
}

impl Collector<'_> {
    fn event(&mut self, event: &Event<'_>, place: (Option<usize>, &Span)) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(*tag),
            Event::Text(text) if self.blocks == 0 => self.push(text, place, self.links.contains(&true)),
            Event::Code(code) => self.push(code, place, true),
            Event::InlineMath(_) | Event::DisplayMath(_) => self.push(FORMULA, place, true),
            Event::SoftBreak | Event::HardBreak => self.push(" ", place, false),
            _ => {}
        }
    }

    fn push(&mut self, text: &str, place: (Option<usize>, &Span), opaque: bool) {
        self.open.push(self.source, text, place, opaque, !self.links.is_empty());
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Link { link_type, dest_url, .. } => {
                let is_key = dest_url.starts_with('@') && *link_type != LinkType::ReferenceUnknown;
                self.links.push(is_key || matches!(link_type, LinkType::Autolink | LinkType::Email));
            }
            _ if is_inline(tag.to_end()) => {}
            _ => {
                self.close();
                match tag {
                    Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) => self.blocks += 1,
                    Tag::Table(_) => self.tables += 1,
                    Tag::TableHead | Tag::TableRow => self.column = 0,
                    Tag::TableCell => {
                        self.open.column = Some((self.tables, self.column));
                        self.column += 1;
                    }
                    _ => {}
                }
            }
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link => drop(self.links.pop()),
            _ if is_inline(tag) => {}
            _ => {
                self.close();
                if matches!(tag, TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_)) {
                    self.blocks -= 1;
                }
            }
        }
    }

    /// Ends the open passage.
    fn close(&mut self) {
        let mut passage = std::mem::take(&mut self.open);
        passage.split();
        if !passage.text.trim().is_empty() {
            self.found.push(passage);
        }
    }
}

/// Returns the spans of all code spans and code blocks of a page, in order.
pub fn code_spans(body: &Body) -> Vec<Span> {
    body.spans_of(|event| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{parse, placement};

    fn passages_of(markdown: &str) -> (Arc<Source>, Vec<Passage>) {
        let source = Arc::new(Source::new("content/a.md", format!("---\ntitle: T\n---\n{markdown}")));
        let (document, _) = parse(&source, placement::place("content/a.md").expect("a page"));
        let mut passages = passages(&document);
        assert_eq!(passages.remove(0).text, "T");
        (source, passages)
    }

    fn sentences(markdown: &str) -> Vec<String> {
        let (source, passages) = passages_of(markdown);
        let spans = passages.iter().flat_map(|passage| passage.sentences.iter().map(|range| passage.span(range)));
        spans.map(|span| source.text()[span].to_string()).collect()
    }

    #[test]
    fn sentences_end_where_readers_see_them_end() {
        assert_eq!(sentences("One. Two! Three? Four…"), ["One.", "Two!", "Three?", "Four…"]);
        assert_eq!(sentences("“One.” (Two.) *Three.* “Four”"), ["“One.”", "(Two.)", "Three.", "“Four”"]);
        assert_eq!(
            sentences("E.g. Figs. 2 and 3.5, cf. A. Vaswani et al. 2017."),
            ["E.g. Figs. 2 and 3.5, cf. A. Vaswani et al. 2017."]
        );
        assert_eq!(sentences("It runs `a.b. C` now. Then\nit ends."), ["It runs `a.b. C` now.", "Then\nit ends."]);
        assert_eq!(sentences("一つ。二つ！三つ"), ["一つ。", "二つ！", "三つ"]);
        assert_eq!(sentences("一，二、三；四。）五！》六：七"), ["一，二、三；四。）", "五！》", "六：七"]);
        assert_eq!(sentences("Wait ... and go. . ."), ["Wait ... and go.", ".", "."]);
    }

    #[test]
    fn a_line_break_is_no_space_between_wide_characters() {
        let joined = |markdown: &str| {
            let (source, passages) = passages_of(markdown);
            let all = 0..passages[0].text.len();
            assert_eq!(source.text()[passages[0].span(&all)], *markdown.trim_end());
            passages[0].text.clone()
        };
        for (markdown, text) in [
            ("第一行，\n第二行", "第一行，第二行"),
            ("かな\r\nカナー\nㄅ々〇\n𠮷葛\u{e0100}\n字", "かなカナーㄅ々〇𠮷葛\u{e0100}字"),
            ("他说“好”\n然后……\n“好”——\n字", "他说“好”然后……“好”——字"),
            ("한국\n字\n한국 。\n한국", "한국 字 한국 。 한국"),
            ("字\nabc\n字 5\n字 ⭐\n字\n“a”\nไทย\nไทย", "字 abc 字 5 字 ⭐ 字 “a” ไทย ไทย"),
            ("字\n字  \n字\\\n字", "字字 字 字"),
        ] {
            assert_eq!(joined(markdown), text, "{markdown}");
        }
        for (markdown, text) in [
            ("**强**\n字*调*\n[链](u)\n字[^1]\n字\n\n[^1]: x", "强字调链字字"),
            ("> 引\n> 用\n继", "引用继"),
            ("- 项\n  目", "项目"),
            ("字`a`\n字$x$\n字<b>字</b>\n字<br>\n字", "字a 字\u{fffc} 字字字 字"),
            ("标题\n标题\n---", "标题标题"),
        ] {
            assert_eq!(passages_of(markdown).1[0].text, text, "{markdown}");
        }
    }

    #[test]
    fn parts_are_mapped_to_the_source() {
        let (source, passages) =
            passages_of("A &amp; **b** `c` $d$ [e](x) [@f]\n\n| g | h |\n| - | - |\n| i | |\n\n```\nj\n```\n");
        assert_eq!(passages[0].text, "A & b c \u{fffc} e @f");
        let at = |part: &str| {
            passages[0].text.find(part).map(|at| passages[0].span(&(at..at + part.len()))).expect("it is there")
        };
        assert_eq!(["&", "b", "c", "e"].map(|part| &source.text()[at(part)]), ["&amp;", "b", "`c`", "e"]);
        assert_eq!(&source.text()[at("& b c")], "&amp; **b** `c`");
        assert!(passages[0].is_linked(&(0..passages[0].text.len())) && !passages[0].is_linked(&(0..9)));
        let cells: Vec<_> = passages[1..].iter().map(|passage| (passage.text.as_str(), passage.column)).collect();
        assert_eq!(cells, [("g", Some((1, 0))), ("h", Some((1, 1))), ("i", Some((1, 0)))]);
    }
}
