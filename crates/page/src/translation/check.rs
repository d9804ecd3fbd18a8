//! Compares each unit with its quote and with the block of the page that it belongs to.

use std::sync::Arc;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::pairing::{Pair, split};
use super::{Translation, Unit, quoted_blocks};
use crate::blocks::{Kept, Kind, kept};
use crate::{Document, fence};
use infralens_source::diag::{Diagnostic, Place, codes, quantity};
use infralens_source::source::{Source, Span};

/// The longest text, in bytes, whose differences are shown.
const LONGEST: usize = 20_000;

impl Translation {
    pub(super) fn check(&mut self, page: &Document, definitions: &str) {
        for at in 0..self.units.len() {
            let unit = &self.units[at];
            let current = unit.pair.map(|(block, _)| kept(&page.body, std::slice::from_ref(&self.page_blocks[block])));
            let is_as_quoted = unit.pair.is_some_and(|(_, pair)| matches!(pair, Pair::Equal | Pair::Moved));
            let quoted = match &current {
                Some(_) if is_as_quoted => None,
                _ => {
                    let (_, body, quoted) = quoted_blocks(&unit.text, page, definitions);
                    Some(kept(&body, &quoted))
                }
            };
            let own = quoted.as_ref().or(current.as_ref());
            let faults = own.map(|own| self.faults(unit, own)).unwrap_or_default();
            let still = || quoted.as_ref().zip(current.as_ref()).is_some_and(|(quoted, now)| quoted.is_still_in(now));
            let holds = match unit.pair {
                Some((_, Pair::Equal | Pair::Moved | Pair::Mechanical)) => true,
                Some((_, Pair::Similar)) => !unit.is_none && still(),
                _ => false,
            };
            self.units[at].is_shown = self.units[at].is_translated() && holds && faults.is_empty();
            self.diagnostics.extend(faults);
        }
        self.report(page);
    }

    /// Returns what is wrong with a unit in itself.
    fn faults(&self, unit: &Unit, quoted: &Kept) -> Vec<Diagnostic> {
        let blocks = &self.blocks[unit.blocks.clone()];
        let fits = |at: usize| blocks[at].kind == unit.kind && (at == 0 || unit.kind == Kind::Paragraph);
        if let Some(wrong) = (0..blocks.len()).find(|&at| !fits(at)) {
            let message = if blocks[wrong].kind == unit.kind {
                format!("this is a second block, and its quote is {} alone", unit.kind.words())
            } else {
                format!("this is {}, and its quote is {}", blocks[wrong].kind.words(), unit.kind.words())
            };
            let place = self.source.first_line(&blocks[wrong].span);
            let help = "a quote is translated by one block of its kind, and a paragraph by one or more paragraphs";
            return vec![self.source.diagnostic(codes::E0702, place, message).help(help)];
        }
        let Some(first) = blocks.first() else { return Vec::new() };
        let mut differences = quoted.differences(&kept(&self.body, blocks));
        if unit.kind == Kind::Excerpt {
            differences
                .extend((attributes(&unit.text) != attributes(&first.quoted)).then(|| {
                    "its attributes are not those of the quote, of which only `caption` is translated".into()
                }));
        } else if unit.kind == Kind::Calc {
            let own = &self.source.text()[first.span.clone()];
            let unknown =
                labels(own).map(|(name, _)| name).find(|name| labels(&unit.text).all(|(known, _)| known != *name));
            differences.extend(unknown.map(|name| format!("`{name}` is no name in the quote")));
        } else if unit.kind == Kind::Footnote {
            let label = format!("[^{}]", first.key.as_deref().unwrap_or_default());
            let is_same = unit.text.to_lowercase().starts_with(&label);
            differences.extend((!is_same).then(|| "its label is not that of the quote".into()));
        }
        let mut differences = differences.into_iter();
        let Some(message) = differences.next() else { return Vec::new() };
        let place = self.source.first_line(&first.span);
        let error = differences.fold(self.source.diagnostic(codes::E0703, place, message), Diagnostic::note);
        vec![error.help("figures, code, formulas, citations and links are those of the quote above")]
    }

    /// Reports what has changed in the page since it was translated: hints, because an edit of the page stops no site.
    fn report(&mut self, page: &Document) {
        let mut hints = Vec::new();
        for unit in &self.units {
            let place = self.source.place(self.source.first_line(&unit.quote));
            let line = self.source.position(unit.quote.start).line;
            let accept = format!("infralens sync --accept {}:{line}", self.source.path());
            match unit.pair {
                Some((block, pair)) if pair.is_stale() => {
                    let current = &self.page_blocks[block];
                    let shown =
                        if unit.is_shown { "the translation is shown with a mark" } else { "the source is shown" };
                    let hint = Diagnostic::new(codes::W0701, place, format!("the source has changed; {shown}"));
                    hints.push(
                        hint.note(word_diff(&unit.text, &current.quoted))
                            .related(page.source.place(page.source.first_line(&current.span)), "now here")
                            .help(format!("translate the change, then run `{accept}`")),
                    );
                }
                None => hints.push(
                    Diagnostic::new(codes::W0702, place, "the source no longer has what this translates")
                        .help(format!("`{accept}` removes it")),
                ),
                Some(_) => {}
            }
        }
        for text in self.texts.list.iter().filter(|text| text.is_stale()) {
            let Some((quoted, span)) = &text.quoted else { continue };
            let message = format!("`{}` of the source has changed", text.key);
            let hint = Diagnostic::new(codes::W0701, self.source.place(span.clone()), message);
            hints.push(hint.note(word_diff(quoted, &text.current)));
        }
        let (translated, all) = self.progress();
        if translated < all {
            let message = format!("{} of {} not translated", all - translated, quantity(all, "block"));
            let mut hint = Diagnostic::new(codes::W0703, self.first_empty(), message);
            let unquoted =
                (0..self.page_blocks.len()).filter(|&at| self.page_blocks[at].has_words && self.of_block[at].is_none());
            for at in unquoted.take(1) {
                let place = page.source.place(page.source.first_line(&self.page_blocks[at].span));
                hint =
                    hint.related(place, "this has no quote").help("`infralens sync` adds the quotes that are missing");
            }
            hints.push(hint);
        }
        self.diagnostics.extend(hints.into_iter().map(Diagnostic::hint));
    }

    /// Returns the place of the first quote below which nothing stands; the whole file if there is none.
    fn first_empty(&self) -> Place {
        let empty = self.units.iter().find(|unit| !unit.is_translated());
        empty.map_or_else(
            || Place::file(Arc::clone(self.source.path())),
            |unit| self.source.place(self.source.first_line(&unit.quote)),
        )
    }

    /// Returns the blocks and texts of the page without a translation: the span of each in the page, if it is a block.
    pub fn missing(&self) -> Vec<Option<Span>> {
        let texts = self.texts.list.iter().filter(|text| text.value.is_none()).map(|_| None);
        let is_missing = |&at: &usize| {
            let unit = self.of_block[at].map(|unit| &self.units[unit]);
            self.page_blocks[at].has_words && unit.is_none_or(|unit| !unit.is_translated())
        };
        let blocks = (0..self.page_blocks.len()).filter(is_missing).map(|at| Some(self.page_blocks[at].span.clone()));
        texts.chain(blocks).collect()
    }

    /// Returns how many blocks and texts have a translation, stale or not, and how many there are to be translated.
    pub fn progress(&self) -> (usize, usize) {
        let all = self.page_blocks.iter().filter(|block| block.has_words).count() + self.texts.list.len();
        (all - self.missing().len(), all)
    }
}

/// Returns the attributes of an excerpt's opening line, without the caption.
fn attributes(line: &str) -> Vec<(String, String)> {
    let source = Source::new("", line);
    let info = fence::read_info(&source, &source.first_line(&(0..line.len())));
    let attributes = info.attributes.into_iter().map(|attribute| (attribute.key, attribute.value));
    let mut attributes: Vec<_> = attributes.filter(|(key, _)| key != "caption").collect();
    attributes.push((String::new(), info.language));
    attributes.sort();
    attributes
}

/// Returns the lines `name # text` of a quoted or translated calculator.
pub fn labels(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().skip(1).filter_map(|line| line.split_once('#'));
    lines.map(|(name, text)| (name.trim(), text.trim())).filter(|(name, _)| !name.is_empty())
}

/// Writes two texts as one, with the words that differ marked: `takes [-13.5-]{+13.48+} GB`.
pub fn word_diff(old: &str, new: &str) -> String {
    if old.len().max(new.len()) > LONGEST {
        return format!("[-{old}-]{{+{new}+}}");
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (split(old).collect(), split(new).collect());
    let mut text = String::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (before, after) = (old[op.old_range()].concat(), new[op.new_range()].concat());
        if let DiffOp::Equal { .. } = op {
            text.push_str(&before);
            continue;
        }
        text.extend((!before.is_empty()).then(|| format!("[-{before}-]")));
        text.extend((!after.is_empty()).then(|| format!("{{+{after}+}}")));
    }
    text
}
