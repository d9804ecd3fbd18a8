//! Translates `TeX` to MathML that a strict Content-Security-Policy allows: without `style`, links and ids.
//!
//! 1. Refuse a formula that is empty or too large.
//! 2. Translate it with math-core, with the source as annotation for copying and for screen readers.
//! 3. Check that the tables have the cells that the source separates.
//! 4. Write the result again, with known elements only; each `style` becomes classes.
//!
//! The style sheet defines these classes; without them a formula is legible, but less well set:
//!
//! | class | on | meaning |
//! | --- | --- | --- |
//! | `math-left`, `math-right` | `mtd` | text-align and justify-items of the cell (centered without) |
//! | `math-pr0`, `math-pl0`, `math-py0` | `mtd` | no padding right, left, above and below |
//! | `math-pl1` | `mtd` | padding left of 1em (second column of `cases`) |
//! | `math-px01` | `mtd` | padding left and right of 0.1em (double rule) |
//! | `math-border-SIDE`, `math-border-SIDE-dashed` | `mtd`, `mtable` | a rule of 0.05em; SIDE: `top`, `left`, `right`; without dashes also `bottom` |
//! | `math-numbered` | `mtable` | full width: its rows carry a `\tag` |
//! | `math-side`, `math-side-narrow` | `mtd` | the columns beside such a table, 50 % and 7.5 % wide |
//! | `math-back-3`, `-4`, `-5` | `mspace` | negative space of 3, 4, 5 mu: margin-left −0.1667em, −0.2222em, −0.2778em |
//! | `math-padl-N`, `math-padr-N` | `mpadded` | padding left, right of N mu; N: 0, 3, 4, 5 |
//! | `math-cfrac` | `mfrac` | padding-top 0.1667em |
//! | `math-compact` | `mrow` | math-shift: compact |
//! | `math-COLOR` | `mrow` | `\color`: `red` `orange` `green` `teal` `blue` `purple` `pink` `gray`, a hue each |
//! | `math-size-N` | `mtext` | font-size N %; N: 50 60 70 80 90 100 120 140 170 200 250 |
//! | `math-sans`, `math-serif`, `math-small-caps` | `span` | the face of the text |
//! | `math-up`, `math-bold` | `mi`, `mn` | upright, because a single letter in `mi` is italic; bold |
//! | `math-large` | `mo` | larger in a formula on a line of its own, such as a sum |
//! | `math-strike-up`, `-down`, `-across` | `mrow` | `\cancel` and similar commands: a line through |
//!
//! **Limit:** 5,000 commands, groups and scripts in a formula, nested at most 200 deep.

use std::ops::Range;
use std::sync::LazyLock;

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};
use resvg::usvg::roxmltree::Document;

use crate::svg::Markup;
use writer::Writer;

mod cells;
mod style;
mod text;
mod writer;

/// How many commands, groups and scripts a formula may have.
const MAX_TOKENS: usize = 5_000;
/// How deeply the elements of a formula may nest.
const MAX_DEPTH: usize = 200;
/// A formula with at most this many tokens needs little stack, however they nest; others are translated on a separate
/// stack.
const FEW_TOKENS: usize = 60;
/// The translation takes about 3 KiB of stack per nesting level, of which a formula has at most `MAX_TOKENS`.
const LARGE_STACK: usize = 64 << 20;

/// Commands that math-core lacks, defined by those that it has.
const MACROS: &[(&str, &str)] = &[
    ("substack", r"\begin{subarray}{c}#1\end{subarray}"),
    ("textcolor", r"{\color{#1}#2}"),
    ("boxed", r"\begin{array}{|c|}\hline{\displaystyle #1}\\\hline\end{array}"),
    // Browsers do not stretch a tilde.
    ("widetilde", r"\tilde{#1}"),
];

/// How a formula is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Display {
    /// In a line of text.
    Inline,
    /// On a line of its own.
    Block,
}

/// Why a formula cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MathError {
    /// The bytes of the formula that are wrong; empty only if the formula is.
    pub at: Range<usize>,
    /// The message, in one line.
    pub message: String,
}

/// Translates the formula `source` (the text between the dollar signs) to one `<math>` element.
///
/// # Errors
/// The first part of it that is not understood, or that a page cannot show, with its place.
pub fn mathml(source: &str, display: Display) -> Result<String, MathError> {
    if source.trim().is_empty() {
        return Err(error(source, 0..source.len(), "empty formula"));
    }
    let tokens = token_count(source);
    if tokens > MAX_TOKENS {
        let message =
            format!("a formula may have at most {MAX_TOKENS} commands, groups and scripts; this one has {tokens}");
        return Err(error(source, 0..source.len(), &message));
    }
    with_stack(source, tokens, || translate(source, display))
}

/// Returns a formula as one line of text: `O(n²)`. It is empty if the formula cannot be shown.
pub fn text(source: &str) -> String {
    let tokens = token_count(source);
    if source.trim().is_empty() || tokens > MAX_TOKENS {
        return String::new();
    }
    let text = || {
        let mathml = convert(source, Display::Inline)?;
        Document::parse(&mathml).map(|document| text::of(document.root_element())).map_err(|_| unreadable(source))
    };
    with_stack(source, tokens, text).unwrap_or_default()
}

/// Counts the commands, groups and scripts of a formula.
fn token_count(source: &str) -> usize {
    source.bytes().filter(|byte| matches!(byte, b'\\' | b'{' | b'^' | b'_')).count()
}

/// Calls `work`, on a larger stack if a formula with so many tokens may need one.
fn with_stack(
    source: &str,
    tokens: usize,
    work: impl FnOnce() -> Result<String, MathError> + Send,
) -> Result<String, MathError> {
    if tokens <= FEW_TOKENS {
        return work();
    }
    let failed = |_| error(source, 0..source.len(), "not enough memory to translate this formula");
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(LARGE_STACK);
        let worker = worker.spawn_scoped(scope, work).map_err(|e| failed(e.to_string()))?;
        worker.join().map_err(|_| failed(String::new()))?
    })
}

/// Translates a formula with math-core.
fn convert(source: &str, display: Display) -> Result<String, MathError> {
    static CONVERTER: LazyLock<Option<LatexToMathML>> = LazyLock::new(|| {
        let macros = MACROS.iter().map(|(name, meaning)| ((*name).to_owned(), (*meaning).to_owned())).collect();
        LatexToMathML::new(MathCoreConfig { annotation: true, macros, ..MathCoreConfig::default() }).ok()
    });
    let whole = |message: &str| error(source, 0..source.len(), message);
    let converter = CONVERTER.as_ref().ok_or_else(|| whole("the translator cannot start"))?;
    let display = match display {
        Display::Inline => MathDisplay::Inline,
        Display::Block => MathDisplay::Block,
    };
    let readable = cells::without_row_space(source);
    // math-core asserts, if its assertions are compiled in, that every `&` separates cells.
    let result = std::panic::catch_unwind(|| converter.convert_with_local_state(&readable, display));
    let result = result
        .map_err(|_| whole("a `&` or `\\\\` that separates no cells"))?
        .map_err(|suspects| translation_error(source, suspects.0.clone(), &normalized(&suspects.error_message())))?;
    Ok(result.mathml)
}

fn unreadable(source: &str) -> MathError {
    error(source, 0..source.len(), "a character that is invalid in a page")
}

/// Translates a formula; again if what math-core drops can be written as it reads it.
fn translate(source: &str, display: Display) -> Result<String, MathError> {
    translate_as(source, source, display).or_else(|refused| {
        let regrouped = cells::regrouped(source, display);
        regrouped.and_then(|text| translate_as(source, &text, display).ok()).ok_or(refused)
    })
}

/// Translates the formula `source`, as `text` writes it for math-core.
fn translate_as(source: &str, text: &str, display: Display) -> Result<String, MathError> {
    let mathml = convert(text, display)?;
    let document = Document::parse(&mathml).map_err(|_| unreadable(source))?;
    if let Some((at, message)) = cells::lost_separator(text, document.root_element()) {
        return Err(error(source, at, message));
    }
    let mut writer = Writer { source, out: Markup::default(), tables: Vec::new() };
    writer.element(document.root_element(), 0)?;
    Ok(writer.out.finish())
}

/// Converts math-core's error. If its place does not contain the quoted text, that came through a macro, and its place
/// is searched for.
fn translation_error(source: &str, at: Range<usize>, message: &str) -> MathError {
    let quoted = message.split('"').nth(1).unwrap_or_default();
    let is_there = source.get(at.clone()).is_some_and(|text| text.contains(quoted));
    let found = source.find(quoted).filter(|_| !is_there && message.starts_with("unknown"));
    error(source, found.map_or(at, |start| start..start + quoted.len()), message)
}

/// Creates an error with a range on character boundaries, which is empty only if `source` is.
fn error(source: &str, at: Range<usize>, message: &str) -> MathError {
    let mut start = source.floor_char_boundary(at.start.min(source.len()));
    let mut end = source.ceil_char_boundary(at.end.clamp(start, source.len()));
    if start == end {
        end = source.ceil_char_boundary((start + 1).min(source.len()));
    }
    if start == end {
        start = source.floor_char_boundary(start.saturating_sub(1));
    }
    MathError { at: start..end, message: message.to_owned() }
}

/// Removes the capital and the period of math-core's messages, and says plainly that an end is missing.
fn normalized(message: &str) -> String {
    let message = message.trim_end_matches('.');
    if let Some((token, _)) =
        message.strip_prefix("Expected closing token \"").and_then(|rest| rest.split_once("\", but"))
    {
        return format!("`{token}` is missing");
    }
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests;
