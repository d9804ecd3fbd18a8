//! Figures: numbers that prose prints with a unit, a decimal point, a power of ten or a thousands separator.

mod rounded;

pub use rounded::is_rounded;

use super::evaluate::Quantity;
use super::print::{Format, SUPERSCRIPTS, is_near};
use super::unit::{Dimension, Unit};
use infralens_source::source::Span;
use infralens_source::source::script::is_spaced_letter;

/// The maximum number of digits of a figure after its decimal point.
const MAX_DECIMALS: usize = 20;
/// The largest power of ten of a figure, of either sign.
const MAX_POWER: i32 = 30;

/// A figure as an author has printed it.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The byte range in the text: the number and its unit.
    pub span: Span,
    /// The digits, with an ASCII minus: `-1,348.5`.
    pub digits: String,
    /// The number in the unit of the format.
    pub number: f64,
    /// How a value must be printed to give the same text.
    pub format: Format,
    /// Whether a word before it says that it is rounded.
    pub is_rounded: bool,
}

impl Figure {
    pub fn quantity(&self) -> Quantity {
        Quantity { value: self.format.unit.to_base(self.number), dimension: self.format.unit.dimension }
    }

    /// Whether a quantity has the figure's dimension and, in its unit and rounded to its digits, gives the same text. If no
    /// word says that the figure is rounded, rounding may change it by at most 1 %.
    pub fn is_printed_by(&self, quantity: Quantity) -> bool {
        // Few values are so near that they have to be printed.
        let number = self.format.unit.from_base(quantity.value);
        quantity.dimension == self.format.unit.dimension
            && (number - self.number).abs() <= self.format.last_digit()
            && (self.is_rounded || is_near(self.number, number))
            && self.format.digits(quantity) == self.digits
    }

    /// Returns how far a quantity is from the figure, relative to the larger of the two; `None` if the dimensions differ.
    pub fn distance(&self, quantity: Quantity) -> Option<f64> {
        let value = self.format.unit.from_base(quantity.value);
        let larger = value.abs().max(self.number.abs());
        let distance = if larger > 0.0 { (value - self.number).abs() / larger } else { 0.0 };
        (quantity.dimension == self.format.unit.dimension).then_some(distance)
    }

    /// Prints a quantity as the figure does; a much larger or smaller one in another unit of the same kind.
    pub fn adapt(&self, quantity: Quantity) -> String {
        let (least, most) = self.format.range(&self.digits);
        self.format.adapt(quantity, least, most)
    }
}

/// Finds the figures in a text. A number that is part of a word, a version, a date or an address is not a figure.
pub fn find(text: &str) -> Vec<Figure> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut address = address(text, 0);
    while let Some(digit) = text[at..].find(|c: char| c.is_ascii_digit()) {
        let start = at + digit;
        while address.end <= start && address.end < text.len() {
            address = self::address(text, address.end);
        }
        if address.contains(&start) {
            at = address.end;
            continue;
        }
        let end = if may_begin(&text[..start]) { at_number(text, start, &mut found) } else { None };
        at = end.unwrap_or_else(|| start + junk(&text[start..]));
    }
    found
}

/// Whether a text is one figure and nothing else.
pub fn is_one(text: &str) -> bool {
    let text = text.trim();
    matches!(find(text).as_slice(), [figure] if figure.span == (0..text.len()))
}

/// Returns the place of the first address, such as `https://…`, at or after an offset; the end of the text if there is none.
fn address(text: &str, from: usize) -> Span {
    let Some(at) = text[from..].find("://").map(|at| from + at) else { return text.len()..text.len() };
    let start = text[from..at].rfind(char::is_whitespace).map_or(from, |space| from + space);
    start..text[at..].find(char::is_whitespace).map_or(text.len(), |space| at + space)
}

/// Reads a pin: a number with its unit, if it has one, and words after it, which are a label.
pub fn read(text: &str) -> Option<Figure> {
    let sign = sign(&text[..text.find(|c: char| c.is_ascii_digit())?]);
    let number = Number::read(text, sign, sign)?;
    let (unit, end) = unit(text, &number).unwrap_or((None, number.end));
    let label = &text[end..];
    let is_clean = label.is_empty() || label.starts_with(char::is_whitespace);
    let mut figure = figure(text, &number, unit.unwrap_or_else(Unit::one), end);
    figure.format.label = format!("{}{}", if label.trim().is_empty() { "" } else { " " }, label.trim());
    is_clean.then_some(figure)
}

/// Whether a number cannot begin directly after this character, or a unit end before it. In scripts without spaces
/// between words, it may.
fn is_word(c: char) -> bool {
    is_spaced_letter(c) || c.is_numeric() || c == '_'
}

/// Whether a number may begin after this text.
fn may_begin(before: &str) -> bool {
    let mut back = before.chars().rev();
    match (back.next(), back.next()) {
        (Some('-' | '−' | ':'), Some(c)) => c.is_whitespace() || matches!(c, '(' | '['),
        (Some(c), _) => !is_word(c) && !matches!(c, '.' | ',' | '/' | '\\' | '#' | '@' | '&' | '^'),
        (None, _) => true,
    }
}

/// Returns the length of the sign at the end of a text.
fn sign(before: &str) -> usize {
    before.chars().next_back().filter(|c| matches!(c, '-' | '−')).map_or(0, char::len_utf8)
}

/// Returns the length of the word, version, date or address in which a text begins.
fn junk(text: &str) -> usize {
    let length = text.find(|c: char| !is_word(c) && !matches!(c, '.' | ',' | '/' | '-' | ':'));
    length.unwrap_or(text.len())
}

/// Reads a number, or two with a dash between them, and their unit. Returns where the search goes on.
fn at_number(text: &str, start: usize, found: &mut Vec<Figure>) -> Option<usize> {
    let first = Number::read(text, start, sign(&text[..start]))?;
    let dash = text[first.end..].chars().next().filter(|c| matches!(c, '–' | '-' | '—'));
    if let Some(dash) = dash
        && text[first.end + dash.len_utf8()..].starts_with(|c: char| c.is_ascii_digit())
    {
        let second = Number::read(text, first.end + dash.len_utf8(), 0)?;
        let (unit, end) = unit(text, &second)?;
        for (number, end) in [(&first, first.end), (&second, end)] {
            let is_figure = unit.is_some() || number.is_exact;
            found.extend(is_figure.then(|| figure(text, number, unit.clone().unwrap_or_else(Unit::one), end)));
        }
        return Some(end);
    }
    let (unit, end) = unit(text, &first)?;
    let is_adjective = text[first.end..].starts_with('-')
        && unit.as_ref().is_some_and(|unit| unit.name == "bit" || unit.name.starts_with("byte"));
    if first.is_exact || unit.is_some() && !is_adjective {
        found.push(figure(text, &first, unit.unwrap_or_else(Unit::one), end));
    }
    Some(end)
}

fn figure(text: &str, number: &Number, unit: Unit, end: usize) -> Figure {
    let suffix = &text[number.end_of_digits..end];
    let mut unit = unit;
    if number.power != 0 {
        suffix.trim().clone_into(&mut unit.name);
    }
    let ten = (0..number.power.unsigned_abs()).fold(1.0, |product, _| product * 10.0);
    if number.power < 0 {
        unit.denominator *= ten;
    } else {
        unit.numerator *= ten;
    }
    let format = Format {
        unit,
        decimals: number.decimals,
        grouping: number.digits.contains(','),
        suffix: suffix.to_owned(),
        label: String::new(),
    };
    let (span, digits) = (number.start..end, number.digits.clone());
    Figure { span, digits, number: number.value, format, is_rounded: false }
}

struct Number {
    /// Where it begins, with its sign.
    start: usize,
    digits: String,
    value: f64,
    decimals: usize,
    /// The power of ten after it.
    power: i32,
    /// Whether it has a decimal point, a thousands separator or a power, and so is a figure without a unit.
    is_exact: bool,
    end_of_digits: usize,
    /// Where its power of ten ends.
    end: usize,
}

impl Number {
    /// Reads the number whose first digit is at `start`, after a sign of `sign` bytes; `None` if it is part of a version, a time or the like.
    fn read(text: &str, start: usize, sign: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let run = |from: usize| from + bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = run(start);
        if end - start <= 3 {
            while bytes.get(end) == Some(&b',') && run(end + 1) == end + 4 {
                end += 4;
            }
        }
        let mut decimals = 0;
        if bytes.get(end) == Some(&b'.') && is_digit(end + 1) {
            decimals = run(end + 1) - end - 1;
            end += 1 + decimals;
        }
        let goes_on = matches!(bytes.get(end), Some(b'.' | b',' | b':' | b'/')) && is_digit(end + 1);
        if end == start || goes_on || decimals > MAX_DECIMALS {
            return None;
        }
        let digits = format!("{}{}", if sign > 0 { "-" } else { "" }, &text[start..end]);
        let value = digits.replace(',', "").parse().ok().filter(|value: &f64| value.is_finite())?;
        let (power, length) = power(&text[end..]).unwrap_or((0, 0));
        let is_exact = decimals > 0 || digits.contains(',') || length > 0;
        let start = start - sign;
        Some(Self { start, digits, value, decimals, power, is_exact, end_of_digits: end, end: end + length })
    }
}

/// Reads `e-6`, `·10⁹` or `× 10^9` and returns the power and its length.
fn power(text: &str) -> Option<(i32, usize)> {
    let (rest, is_caret) = if let Some(rest) = text.strip_prefix('e') {
        (rest, true)
    } else {
        let rest = text.trim_start_matches([' ', '\u{a0}', '\u{202f}']).strip_prefix(['·', '×', '⋅'])?;
        let rest = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}']).strip_prefix("10")?;
        rest.strip_prefix('^').map_or((rest, false), |rest| (rest, true))
    };
    let digit = |c: char| match SUPERSCRIPTS.iter().position(|known| *known == c) {
        Some(digit) if !is_caret => char::from_digit(u32::try_from(digit).ok()?, 10),
        None if is_caret && c.is_ascii_digit() => Some(c),
        None if matches!(c, '-' | '−' | '⁻') => Some('-'),
        _ => None,
    };
    let length = rest.find(|c| digit(c).is_none()).unwrap_or(rest.len());
    let power: i32 = rest[..length].chars().filter_map(digit).collect::<String>().parse().ok()?;
    let goes_on = rest[length..].starts_with(is_word);
    (power.abs() <= MAX_POWER && !goes_on).then(|| (power, text.len() - rest.len() + length))
}

/// Reads the unit after a number. Returns where the figure ends; `None` if the number is part of a word.
fn unit(text: &str, number: &Number) -> Option<(Option<Unit>, usize)> {
    let rest = &text[number.end..];
    let Some(first) = rest.chars().next() else { return Some((None, number.end)) };
    if first == '×' {
        let end = number.end + first.len_utf8();
        let is_product = text[end..].starts_with(|c: char| c.is_ascii_digit());
        return Some(if is_product { (None, number.end) } else { (Some(Unit::one()), end) });
    }
    let is_gap = first.is_whitespace() || first == '-';
    let from = number.end + if is_gap { first.len_utf8() } else { 0 };
    let found = unit_at(&text[from..]).filter(|(unit, _)| is_gap || unit.name.len() > 1 || unit.name == "%");
    match found {
        Some((unit, length)) => Some((Some(unit), from + length)),
        None if is_word(first) => None,
        None => Some((None, number.end)),
    }
}

/// Reads the unit at the beginning of a text: a unit, a word for a scale with or without one, or `requests/s`.
fn unit_at(text: &str) -> Option<(Unit, usize)> {
    if let Some(rest) = text.strip_prefix("per cent")
        && !rest.starts_with(is_word)
    {
        return Some((Unit::named("%")?, text.len() - rest.len()));
    }
    let Some((unit, length)) = Unit::read(text) else { return rate(text) };
    let is_scale = unit.dimension.is_count() && unit.numerator > 1.0;
    let scaled = text[length..].chars().next().filter(|c| is_scale && c.is_whitespace()).and_then(|gap| {
        let (from, below) = (length + gap.len_utf8(), &text[length + gap.len_utf8()..]);
        // Not another scale: a text of nothing but scales would nest as deep as it is long.
        let second = Unit::read(below).or_else(|| rate(below));
        let (second, more) = second.filter(|(unit, _)| unit.dimension != Dimension::COUNT)?;
        let numerator = unit.numerator * second.numerator;
        Some((Unit { name: text[..from + more].to_owned(), numerator, ..second }, from + more))
    });
    scaled.or(Some((unit, length)))
}

/// Reads a word that is counted per second.
fn rate(text: &str) -> Option<(Unit, usize)> {
    let word = text.find(|c: char| !c.is_alphabetic()).filter(|word| *word > 0)?;
    let (unit, length) = Unit::read(&format!("1{}", text[word..].get(..2)?))?;
    let ends = !text[word + 2..].starts_with(is_word);
    ends.then(|| (Unit { name: text[..word + 2].to_owned(), ..unit }, word + length - 1))
}
