//! Prints quantities. `static/calc.js` has the same functions, and gives the same texts.

use super::evaluate::Quantity;
use super::unit::Unit;

/// The number of digits of a value whose format nobody has chosen.
const SIGNIFICANT: i32 = 4;
/// How many digits are added at most so that a number is not rounded by more than 1 %, and one.
const MORE_DECIMALS: usize = 4;
/// How far rounding may change a number, as a part of it.
const ROUNDING: f64 = 0.01;
/// Numbers below this one have no thousands separators, unless their format has them.
const UNGROUPED: f64 = 10_000.0;

/// How a quantity is printed: in which unit, with how many decimals, and with which words after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Format {
    pub unit: Unit,
    /// The number of digits after the decimal point.
    pub decimals: usize,
    /// Whether commas separate thousands.
    pub grouping: bool,
    /// What follows the number and stands for the unit, with the space before it: ` GB`, `%`, `·10⁹ FLOP`.
    pub suffix: String,
    /// Words after the unit that have no meaning, with the space before them.
    pub label: String,
}

impl Format {
    /// Prints a quantity. Digits are rounded half away from zero, on the exact value of the double.
    pub fn print(&self, quantity: Quantity) -> String {
        format!("{}{}{}", self.digits(quantity), self.suffix, self.label)
    }

    /// Prints the number alone.
    pub fn digits(&self, quantity: Quantity) -> String {
        let digits = fixed(self.unit.from_base(quantity.value), self.decimals);
        if self.grouping { group(&digits) } else { digits }
    }

    /// Returns what 1 is in the last digit.
    pub fn last_digit(&self) -> f64 {
        (0..self.decimals).fold(1.0, |digit, _| digit / 10.0)
    }

    /// Prints a quantity that differs from the pinned one because a reader has changed an input. Keeps the pin's unit as long
    /// as the number has at least as many digits as the pin, and otherwise chooses another unit of the same dimension. Adds
    /// digits if rounding would change the number by more than 1 %.
    pub(super) fn adapt(&self, quantity: Quantity, least: f64, most: f64) -> String {
        let number = self.unit.from_base(quantity.value);
        let rounded = |decimals| fixed(number, decimals).parse::<f64>().unwrap_or(0.0);
        let decimals = (self.decimals..self.decimals + MORE_DECIMALS).find(|&more| is_near(rounded(more), number));
        match decimals.filter(|_| (least..most).contains(&rounded(self.decimals).abs())) {
            Some(decimals) => Self { decimals, ..self.clone() }.print(quantity),
            None => format!("{}{}", natural(quantity, &self.scale()), self.label),
        }
    }

    /// Returns the units that [`Format::adapt`] chooses from.
    pub fn scale(&self) -> Vec<Unit> {
        let mut scale = Unit::scale(self.unit.dimension, self.unit.is_binary());
        let size = |unit: &Unit| unit.from_base(1.0).to_bits();
        match scale.iter_mut().find(|unit| size(unit) == size(&self.unit)) {
            Some(same) if self.suffix.trim() == self.unit.name => *same = self.unit.clone(),
            Some(_) => {}
            None => scale = vec![self.unit.clone()],
        }
        scale
    }

    /// Returns the range of numbers for which [`Format::adapt`] keeps the unit, from the number for which the format was
    /// made, as printed.
    pub(super) fn range(&self, printed: &str) -> (f64, f64) {
        let digits: String = printed.chars().filter(char::is_ascii_digit).collect();
        let significant = digits.trim_start_matches('0').len();
        let power = |exponent: usize, sign: &str| format!("1e{sign}{exponent}").parse().unwrap_or(1.0);
        let least = match (significant, significant.saturating_sub(1).checked_sub(self.decimals)) {
            (0, _) => 0.0,
            (_, Some(exponent)) => power(exponent, ""),
            (_, None) => power(self.decimals + 1 - significant, "-"),
        };
        let most = f64::max(UNGROUPED, power(digits.len() - self.decimals.min(digits.len()), ""));
        // JavaScript prints larger numbers with an exponent.
        (least, most.min(1e21))
    }
}

/// Whether rounding has changed a number by at most 1 %.
pub fn is_near(rounded: f64, number: f64) -> bool {
    (rounded - number).abs() <= number.abs() * ROUNDING
}

/// Prints a quantity whose format nobody has chosen: with four significant digits, in the largest unit that keeps the
/// number at 1 or more. `binary` chooses between GiB and GB.
pub fn print(quantity: Quantity, binary: bool) -> String {
    natural(quantity, &Unit::scale(quantity.dimension, binary))
}

/// Prints a quantity in one unit, with at most four significant digits after the whole part.
pub fn print_in(quantity: Quantity, unit: &Unit) -> String {
    natural(quantity, std::slice::from_ref(unit))
}

/// Prints a quantity in the best of some units, the smallest of which is the first.
fn natural(quantity: Quantity, scale: &[Unit]) -> String {
    let magnitude = quantity.value.abs();
    let is_base = |unit: &&Unit| unit.from_base(1.0).to_bits() == 1.0f64.to_bits();
    let best = if magnitude > 0.0 {
        scale.iter().rev().find(|unit| unit.from_base(magnitude) >= 1.0)
    } else {
        scale.iter().find(is_base)
    };
    let Some(unit) = best.or(scale.first()) else { return String::new() };
    let space = if unit.name.is_empty() { "" } else { " " };
    let number = unit.from_base(quantity.value);
    let exponent: i32 = format!("{number:.3e}").split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
    if !(-6..15).contains(&exponent) {
        let ten = (0..exponent.unsigned_abs()).fold(1.0, |product, _| product * 10.0);
        let mantissa = if exponent < 0 { number * ten } else { number / ten };
        return format!("{}·10{}{space}{}", trimmed(&fixed(mantissa, 3)), superscript(exponent), unit.name);
    }
    let decimals = usize::try_from(SIGNIFICANT - 1 - exponent).unwrap_or(0);
    let digits = trimmed(&fixed(number, decimals)).to_owned();
    let digits = if number.abs() >= UNGROUPED { group(&digits) } else { digits };
    format!("{digits}{space}{}", unit.name)
}

/// Writes a number with some digits after the decimal point, rounded half away from zero, as JavaScript's `toFixed` does.
pub fn fixed(number: f64, decimals: usize) -> String {
    let magnitude = number.abs();
    // Rust rounds a number that is exactly between two others to the even one. Such a number is a multiple of
    // 1 / 2^(decimals + 1), and then has as many decimals.
    let shifted = (0..=decimals).fold(magnitude, |product, _| product * 2.0);
    let is_tie = shifted.fract() == 0.0 && format!("{magnitude:.*}", decimals + 1).ends_with('5');
    let digits = format!("{:.*}", decimals, if is_tie { magnitude.next_up() } else { magnitude });
    let sign = if number < 0.0 && digits.contains(|c: char| matches!(c, '1'..='9')) { "-" } else { "" };
    format!("{sign}{digits}")
}

/// Separates thousands by commas.
fn group(digits: &str) -> String {
    let (sign, digits) = digits.split_at(usize::from(digits.starts_with('-')));
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = sign.to_owned();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

pub(super) const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

fn superscript(power: i32) -> String {
    let digit = |c: char| c.to_digit(10).and_then(|digit| SUPERSCRIPTS.get(digit as usize)).copied().unwrap_or('⁻');
    power.to_string().chars().map(digit).collect()
}
