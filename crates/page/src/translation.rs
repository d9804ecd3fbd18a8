//! Reads a translation, `NAME.LANG.md`, of a page: its **units**, each a **quote** of the block that it was made from and the
//! blocks that translate it.
//!
//! 1. [`Translation::read`] finds the units, and pairs their quotes with the blocks of the page (`pairing`);
//! 2. it compares each unit with its quote: figures, code, formulas, citations and targets are kept (`check`);
//! 3. [`Translation::page`] puts the units that hold into the text of the page, in place of its blocks, and parses the result
//!    (`merge`). So a translated page is an ordinary document, with the order, ids, excerpts and values of its source.

mod check;
mod existing;
mod front;
mod merge;
pub mod pairing;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::blocks::{self, Block, Kind, blocks, comparable, escaped, unescaped};
use super::{Body, Document, parse};
pub use existing::{Existing, existing};
pub use front::{Texts, scaffold, texts_of};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::{Source, Span};
pub use merge::Merged;
use pairing::{Pair, Subject, pair};

/// The line that opens a quote.
pub const OPEN: &str = "<!-- source";
/// The line that closes it.
pub const CLOSE: &str = "-->";
const UNQUOTED: &str = "write the block of the source above it, between `<!-- source` and `-->`; \
                        `infralens new translation LANG PAGE` quotes a page that is translated already";
/// The comment that translates a block by nothing.
pub const NONE: &str = "<!-- none -->";

#[derive(Debug)]
pub struct Translation {
    pub source: Arc<Source>,
    /// The body, parsed with the definitions of links that the page has.
    body: Body,
    /// The blocks of the body, quotes included.
    blocks: Vec<Block>,
    pub units: Vec<Unit>,
    pub page_blocks: Vec<Block>,
    /// The unit of each block of the page.
    pub of_block: Vec<Option<usize>>,
    pub texts: Texts,
    pub diagnostics: Vec<Diagnostic>,
}

/// A quote with what translates it.
#[derive(Debug)]
pub struct Unit {
    /// The span of the quote, a comment.
    pub quote: Span,
    /// The quoted text, without escapes.
    pub text: String,
    pub kind: Kind,
    /// The blocks that translate it.
    pub blocks: Range<usize>,
    /// Whether nothing translates it, deliberately.
    pub is_none: bool,
    /// The block of the page that it belongs to, and how it was found; `None` if it is gone.
    pub pair: Option<(usize, Pair)>,
    /// Whether the site shows it: it has no error, and if it is stale, the page still has each figure and code span of its quote.
    pub is_shown: bool,
}

impl Unit {
    /// Whether it says something, or deliberately nothing.
    pub fn is_translated(&self) -> bool {
        self.is_none || !self.blocks.is_empty()
    }
}

impl Translation {
    pub fn read(source: &Arc<Source>, page: &Document) -> Self {
        let (texts, start, mut diagnostics) = front::read(source, page);
        let definitions = definitions(page);
        let text = format!("{}\n\n{definitions}", source.text());
        let with_definitions = Arc::new(Source::new(Arc::clone(source.path()), text));
        let body = parse::fragment(&with_definitions, page.placement.kind, start);
        let own = within(blocks(&with_definitions, &body), source.text());
        let page_blocks = blocks(&page.source, &page.body);
        let known: BTreeMap<String, Kind> =
            page_blocks.iter().map(|block| (comparable(&block.quoted, block.kind), block.kind)).collect();
        let reader = Reader { source, page, definitions: &definitions, blocks: &own, known: &known };
        let units = reader.units(&mut diagnostics);
        let of_block = vec![None; page_blocks.len()];
        let mut translation =
            Self { source: Arc::clone(source), body, blocks: own, units, page_blocks, of_block, texts, diagnostics };
        translation.pair(page, &definitions, &known);
        translation.check(page, &definitions);
        translation
    }

    fn pair(&mut self, page: &Document, definitions: &str, known: &BTreeMap<String, Kind>) {
        let of_page = |block: &Block| Subject {
            kind: block.kind,
            text: comparable(&block.quoted, block.kind),
            read: blocks::as_read(&page.body, block),
            key: block.key.clone(),
        };
        // What nobody has to translate is paired only if it is quoted.
        let subjects: Vec<Subject> = self.page_blocks.iter().map(of_page).collect();
        let quotes = self.units.iter().map(|unit| {
            let text = comparable(&unit.text, unit.kind);
            if known.contains_key(&text) {
                return Subject { kind: unit.kind, text, read: String::new(), key: None };
            }
            let (_, body, mut quoted) = quoted_blocks(&unit.text, page, definitions);
            let first = (!quoted.is_empty()).then(|| quoted.swap_remove(0));
            let read = first.as_ref().map(|block| blocks::as_read(&body, block)).unwrap_or_default();
            Subject { kind: unit.kind, text, read, key: first.and_then(|block| block.key) }
        });
        let quotes: Vec<Subject> = quotes.collect();
        for (at, (unit, pair)) in self.units.iter_mut().zip(pair(&quotes, &subjects)).enumerate() {
            unit.pair = pair;
            if let Some((block, _)) = pair {
                self.of_block[block] = Some(at);
            }
        }
    }

    /// Returns the text that translates a unit, as it is written.
    pub fn text_of(&self, unit: &Unit) -> &str {
        self.span_of(unit).map_or("", |span| &self.source.text()[span])
    }

    /// Returns the words of a unit, and those that it was made from; `None` if they do not correspond.
    pub fn words(&self, unit: &Unit, page: &Document) -> Option<[String; 2]> {
        let (block, pair) = unit.pair.filter(|_| unit.is_shown && !unit.is_none)?;
        let quoted = if pair.is_stale() {
            let (_, body, quoted) = quoted_blocks(&unit.text, page, &definitions(page));
            blocks::prose(&body, &quoted)
        } else {
            blocks::prose(&page.body, std::slice::from_ref(&self.page_blocks[block]))
        };
        Some([blocks::prose(&self.body, &self.blocks[unit.blocks.clone()]), quoted])
    }

    pub fn span_of(&self, unit: &Unit) -> Option<Span> {
        let blocks = self.blocks.get(unit.blocks.clone())?;
        Some(blocks.first()?.span.start..blocks.last()?.span.end)
    }
}

/// Returns the link reference definitions of a page, which its translations use.
fn definitions(page: &Document) -> String {
    let definitions = page.body.definitions.iter();
    definitions.map(|definition| page.source.text()[definition.span.clone()].trim().to_owned() + "\n").collect()
}

fn quoted_blocks(text: &str, page: &Document, definitions: &str) -> (Arc<Source>, Body, Vec<Block>) {
    let text = closed(text);
    let source = Arc::new(Source::new(Arc::clone(page.source.path()), format!("{text}\n\n{definitions}")));
    let body = parse::fragment(&source, page.placement.kind, 0);
    let found = within(blocks(&source, &body), &text);
    (source, body, found)
}

/// Returns the targets of links in a quoted text of a page, in their order.
pub fn targets(page: &Document, quoted: &str) -> Vec<String> {
    let (_, body, _) = quoted_blocks(quoted, page, &definitions(page));
    body.links.iter().map(|link| link.target.clone()).collect()
}

/// Returns the blocks of a text without those of the definitions that follow it.
fn within(mut blocks: Vec<Block>, text: &str) -> Vec<Block> {
    blocks.retain_mut(|block| {
        let end = block.span.end.min(text.len());
        block.span.end = text.get(block.span.start..end).map_or(end, |own| block.span.start + own.trim_end().len());
        block.span.start < text.len()
    });
    blocks
}

/// Closes the fences of excerpts, which are quoted by their opening lines.
fn closed(text: &str) -> String {
    let (mut out, mut open) = (String::with_capacity(text.len() + 8), None::<String>);
    for line in text.split_inclusive('\n') {
        out.push_str(line);
        let Some((prefix, marks)) = fence_of(line) else { continue };
        match &open {
            Some(opening) if marks.starts_with(opening.as_str()) => open = None,
            Some(_) => {}
            None if line.contains("file=") && !line[prefix.len() + marks.len()..].trim_start().starts_with("calc") => {
                out.truncate(out.trim_end().len());
                let prefix: String = prefix.chars().map(|c| if c == '>' { c } else { ' ' }).collect();
                out.extend(["\n", &prefix, &marks, "\n"]);
            }
            None => open = Some(marks),
        }
    }
    out
}

/// Returns what is before the marks of a line that opens or closes a fence, and the marks. An item may begin with one.
fn fence_of(line: &str) -> Option<(&str, String)> {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let item = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let item =
        item.strip_prefix(['-', '*', '+', '.', ')']).filter(|rest| rest.starts_with(' ')).map_or(text, str::trim_start);
    let mark = item.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let marks: String = item.chars().take_while(|c| *c == mark).collect();
    (marks.len() >= 3).then(|| (&line[..line.len() - item.len()], marks))
}

/// Returns whether the first word of a comment is nearly one that has a meaning in translations.
fn is_nearly_quote(comment: &str) -> bool {
    let word = comment.trim_start_matches("<!--").trim_start();
    let word = word[..word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len())].to_lowercase();
    word.starts_with("translat") || ["source", "none"].iter().any(|known| strsim::damerau_levenshtein(&word, known) < 2)
}

/// Finds the units.
struct Reader<'a> {
    source: &'a Source,
    page: &'a Document,
    definitions: &'a str,
    blocks: &'a [Block],
    /// The blocks of the page, by the texts that are compared.
    known: &'a BTreeMap<String, Kind>,
}

impl Reader<'_> {
    fn units(&self, out: &mut Vec<Diagnostic>) -> Vec<Unit> {
        let mut units: Vec<Unit> = Vec::new();
        let mut at = 0;
        let mut is_quoted = false;
        while at < self.blocks.len() {
            let block = &self.blocks[at];
            let text = &self.source.text()[block.span.clone()];
            let is_quote = matches!(block.kind, Kind::Comment | Kind::Html)
                && text.lines().next().is_some_and(|line| line.trim_end() == OPEN);
            let after = self.blocks[at + 1..].iter().take_while(|next| !self.is_comment(next)).count();
            let follows = at + 1..at + 1 + after;
            at += 1;
            if is_quote {
                is_quoted = true;
                match self.quoted(block, text) {
                    Ok(quoted) => units.extend(self.unit(block, quoted, follows.clone(), out)),
                    Err(error) => out.push(*error),
                }
                at = follows.end;
            } else if text == NONE {
                match units.last_mut().filter(|unit| unit.blocks.is_empty()) {
                    Some(unit) => unit.is_none = true,
                    None => out.push(self.error(&block.span, "nothing is quoted above that this could leave out")),
                }
            } else if self.is_comment(block) && is_nearly_quote(text) {
                is_quoted = true;
                let help = "a quote begins with a line `<!-- source`, and ends with a line `-->`; `<!-- none -->` below it \
                            translates it by nothing";
                out.push(self.error(&block.span, "this comment is neither a quote nor `<!-- none -->`").help(help));
                at = follows.end;
            } else if block.kind != Kind::Comment {
                let (message, help) = if is_quoted {
                    ("a comment separates this from its quote", "put the comment above the quote, or below this")
                } else {
                    ("no quote above says what this translates", UNQUOTED)
                };
                out.push(self.error(&block.span, message).help(help));
                at = follows.end;
            }
        }
        units
    }

    fn is_comment(&self, block: &Block) -> bool {
        block.kind == Kind::Comment || self.source.text()[block.span.clone()].starts_with("<!--")
    }

    fn error(&self, span: &Span, message: impl Into<String>) -> Diagnostic {
        let first = self.source.first_line(span);
        self.source.diagnostic(codes::E0701, first, message)
    }

    /// Returns the text of a quote.
    fn quoted(&self, block: &Block, text: &str) -> Result<String, Box<Diagnostic>> {
        const END: &str = "end it with a line `-->`";
        let fault = |message: &str, help: &str| Err(Box::new(self.error(&block.span, message).help(help)));
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let mut open: Option<String> = None;
        for line in lines.iter().skip(1) {
            match (fence_of(line), &open) {
                (Some((_, marks)), Some(opening)) if marks.starts_with(opening.as_str()) => open = None,
                (Some((_, marks)), None) if !line.contains("file=") => open = Some(marks),
                _ => {}
            }
            if *line == OPEN && open.is_none() {
                return fault("this quote is not closed: another one begins in it", END);
            }
        }
        match lines.last() {
            Some(&CLOSE) if lines.len() > 1 => {}
            _ if text.contains(CLOSE) => {
                let message = "`-->` does not stand alone on the last line of this quote";
                return fault(message, "end it with a line `-->`; inside, write `--&gt;`");
            }
            _ => return fault("this quote is not closed", END),
        }
        let inside = unescaped(&lines[1..lines.len() - 1].join("\n"));
        if inside.trim().is_empty() {
            return Err(Box::new(self.error(&block.span, "this quote is empty")));
        }
        Ok(inside.trim_end().to_owned())
    }

    /// Makes the unit of a quote, or several if it quotes several blocks.
    fn unit(&self, block: &Block, text: String, follows: Range<usize>, out: &mut Vec<Diagnostic>) -> Vec<Unit> {
        let unit = |text: String, kind: Kind, blocks: Range<usize>| Unit {
            quote: block.span.clone(),
            text,
            kind,
            blocks,
            is_none: false,
            pair: None,
            is_shown: false,
        };
        let equal = self.known.get(&comparable(&text, Kind::Paragraph)).copied();
        let equal = equal.or_else(|| self.known.get(&comparable(&text, Kind::Item(true))).copied());
        if let Some(kind) = equal {
            return vec![unit(text, kind, follows)];
        }
        let (source, _, quoted) = quoted_blocks(&text, self.page, self.definitions);
        let text_of = |block: &Block| match block.kind {
            Kind::Calc => source.text()[block.span.clone()].to_owned(),
            _ => block.quoted.clone(),
        };
        if quoted.is_empty() {
            out.push(self.error(&block.span, "this quote has no block"));
        }
        if quoted.len() < 2 || follows.is_empty() {
            return quoted.iter().map(|one| unit(text_of(one), one.kind, follows.clone())).collect();
        }
        let kinds = |blocks: &[Block]| blocks.iter().map(|block| block.kind).collect::<Vec<_>>();
        if kinds(&quoted) != kinds(&self.blocks[follows.clone()]) {
            let message = format!("this quotes {} blocks, and not as many of the same kinds follow", quoted.len());
            out.push(self.error(&block.span, message).help("give each block a quote of its own"));
            return Vec::new();
        }
        quoted.iter().zip(follows).map(|(one, at)| unit(text_of(one), one.kind, at..at + 1)).collect()
    }
}

pub fn quote(text: &str) -> String {
    format!("{OPEN}\n{}\n{CLOSE}\n", escaped(text))
}

#[cfg(test)]
mod tests;
