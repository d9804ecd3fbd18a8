//! Dimensions and units: what a number measures, and by what factor.

use std::fmt;

use infralens_source::source::script::{is_cjk, is_spaced_letter};

/// The units in which quantities are kept, in the order of a dimension's exponents.
const BASE: [&str; 5] = ["B", "s", "FLOP", "W", "USD"];
/// The largest exponent of a dimension, of either sign.
const MAX_EXPONENT: i32 = 12;
/// The maximum number of divisors of a unit. Those without a dimension, such as `%`, are not limited by its exponents.
const MAX_DIVISORS: usize = 12;

/// The exponents of bytes, seconds, FLOP, watts and dollars. Counts have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dimension([i8; 5]);

impl Dimension {
    /// The dimension of numbers without a unit.
    pub const COUNT: Self = Self([0; 5]);

    /// Whether this is the dimension of numbers without a unit.
    pub fn is_count(self) -> bool {
        self == Self::COUNT
    }

    /// Returns the dimension of a product with the `power`th power of another quantity; `None` if an exponent becomes
    /// too large.
    pub fn times(self, other: Self, power: i32) -> Option<Self> {
        let mut product = self;
        for (exponent, factor) in product.0.iter_mut().zip(other.0) {
            let sum = i32::from(*exponent) + i32::from(factor).checked_mul(power)?;
            *exponent = i8::try_from(sum).ok().filter(|sum| i32::from(sum.abs()) <= MAX_EXPONENT)?;
        }
        Some(product)
    }

    /// Returns the dimension of a square root; `None` if an exponent is odd.
    pub fn root(self) -> Option<Self> {
        self.0.iter().all(|exponent| exponent % 2 == 0).then(|| Self(self.0.map(|exponent| exponent / 2)))
    }

    /// Names the dimension for a message: `B/s`, or that there is no unit.
    pub fn describe(self) -> String {
        if self.is_count() { "no unit".to_owned() } else { format!("`{self}`") }
    }
}

/// Writes the dimension in base units: `FLOP/s`, `1/s`; nothing for counts.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |(&exponent, name): (&i8, &str)| match exponent.abs() {
            1 => name.to_owned(),
            power => format!("{name}^{power}"),
        };
        let all = || self.0.iter().zip(BASE);
        let above: Vec<String> = all().filter(|part| *part.0 > 0).map(part).collect();
        let below: Vec<String> = all().filter(|part| *part.0 < 0).map(part).collect();
        write!(f, "{}", if above.is_empty() && !below.is_empty() { "1".to_owned() } else { above.join("·") })?;
        below.iter().try_for_each(|part| write!(f, "/{part}"))
    }
}

/// A unit: its name as written, its dimension, and its size in base units as a fraction of two whole numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// The name, such as `GB/s`; empty for counts.
    pub name: String,
    pub dimension: Dimension,
    /// The size in base units is `numerator / denominator`, so that `2.5 ms` is exactly the double nearest to 0.0025.
    pub numerator: f64,
    /// See `numerator`.
    pub denominator: f64,
}

const PREFIXES: [(&str, f64, f64); 17] = [
    ("", 1.0, 1.0),
    ("k", 1e3, 1.0),
    ("M", 1e6, 1.0),
    ("G", 1e9, 1.0),
    ("T", 1e12, 1.0),
    ("P", 1e15, 1.0),
    ("E", 1e18, 1.0),
    ("Z", 1e21, 1.0),
    ("Ki", 1024.0, 1.0),
    ("Mi", 1_048_576.0, 1.0),
    ("Gi", 1_073_741_824.0, 1.0),
    ("Ti", 1_099_511_627_776.0, 1.0),
    ("Pi", 1_125_899_906_842_624.0, 1.0),
    ("Ei", 1_152_921_504_606_846_976.0, 1.0),
    ("m", 1.0, 1e3),
    ("µ", 1.0, 1e6),
    ("n", 1.0, 1e9),
];
/// Names to which prefixes are added, the prefixes, the factor as a fraction, and the dimension.
const FAMILIES: [(&str, &str, f64, f64, [i8; 5]); 9] = [
    ("B", " k M G T P E Ki Mi Gi Ti Pi Ei", 1.0, 1.0, [1, 0, 0, 0, 0]),
    ("bit", " k M G T", 1.0, 8.0, [1, 0, 0, 0, 0]),
    ("s", " m µ n", 1.0, 1.0, [0, 1, 0, 0, 0]),
    ("FLOP", " k M G T P E Z", 1.0, 1.0, [0, 0, 1, 0, 0]),
    ("FLOPs", " k M G T P E Z", 1.0, 1.0, [0, 0, 1, 0, 0]),
    ("FLOPS", " k M G T P E Z", 1.0, 1.0, [0, -1, 1, 0, 0]),
    ("W", " k M", 1.0, 1.0, [0, 0, 0, 1, 0]),
    ("J", " k M", 1.0, 1.0, [0, 1, 0, 1, 0]),
    ("Hz", " k M G", 1.0, 1.0, [0, -1, 0, 0, 0]),
];
/// Names without prefixes.
const SINGLE: [(&str, f64, f64, [i8; 5]); 13] = [
    ("min", 60.0, 1.0, [0, 1, 0, 0, 0]),
    ("h", 3600.0, 1.0, [0, 1, 0, 0, 0]),
    ("USD", 1.0, 1.0, [0, 0, 0, 0, 1]),
    ("%", 1.0, 100.0, [0; 5]),
    ("percent", 1.0, 100.0, [0; 5]),
    ("thousand", 1e3, 1.0, [0; 5]),
    ("million", 1e6, 1.0, [0; 5]),
    ("billion", 1e9, 1.0, [0; 5]),
    ("trillion", 1e12, 1.0, [0; 5]),
    ("byte", 1.0, 1.0, [1, 0, 0, 0, 0]),
    ("bytes", 1.0, 1.0, [1, 0, 0, 0, 0]),
    ("second", 1.0, 1.0, [0, 1, 0, 0, 0]),
    ("seconds", 1.0, 1.0, [0, 1, 0, 0, 0]),
];
/// Words of other languages. One that means another number elsewhere, such as the German `Billion`, is not here.
const WORDS: [(&[&str], f64, [i8; 5]); 7] = [
    (&["字节", "字節", "位元組", "バイト", "바이트", "Byte", "octet", "octets"], 1.0, [1, 0, 0, 0, 0]),
    (&["秒", "초", "Sekunde", "Sekunden", "seconde", "secondes", "segundo", "segundos"], 1.0, [0, 1, 0, 0, 0]),
    (&["万亿", "萬億"], 1e12, [0; 5]),
    (&["亿", "億", "억"], 1e8, [0; 5]),
    (&["万", "萬", "만"], 1e4, [0; 5]),
    (&["Million", "Millionen", "millions", "millones", "milhões"], 1e6, [0; 5]),
    (&["Milliarde", "Milliarden", "milliard", "milliards", "bilhões"], 1e9, [0; 5]),
];

impl Unit {
    /// The unit of counts.
    pub fn one() -> Self {
        Self { name: String::new(), dimension: Dimension::COUNT, numerator: 1.0, denominator: 1.0 }
    }

    /// Returns the unit with a simple name, such as `GB`; both characters for µ and `us` are known.
    pub fn named(name: &str) -> Option<Self> {
        let unit = |numerator, denominator, exponents| Self {
            name: name.to_owned(),
            dimension: Dimension(exponents),
            numerator,
            denominator,
        };
        if let Some(&(_, numerator, exponents)) = WORDS.iter().find(|words| words.0.contains(&name)) {
            return Some(unit(numerator, 1.0, exponents));
        }
        if let Some(&(_, numerator, denominator, exponents)) = SINGLE.iter().find(|single| single.0 == name) {
            return Some(unit(numerator, denominator, exponents));
        }
        let plain = if name == "us" { "µs".to_owned() } else { name.replace('μ', "µ") };
        FAMILIES.iter().find_map(|&(base, prefixes, numerator, denominator, exponents)| {
            let prefix = plain.strip_suffix(base).filter(|prefix| prefixes.split(' ').any(|known| known == *prefix))?;
            let &(_, more, less) = PREFIXES.iter().find(|known| known.0 == prefix)?;
            Some(unit(numerator * more, denominator * less, exponents))
        })
    }

    /// Returns the units whose names differ from `name` only in letter case and in the `i` of a binary prefix.
    pub fn similar(name: &str) -> Vec<String> {
        let families = FAMILIES.iter().flat_map(|&(base, prefixes, ..)| {
            prefixes
                .split(' ')
                .map(move |prefix| (format!("{prefix}{base}"), format!("{}{base}", prefix.replace('i', ""))))
        });
        families.filter(|(_, plain)| plain.eq_ignore_ascii_case(name)).map(|(unit, _)| unit).collect()
    }

    /// Reads the unit at the beginning of a text, such as `GB/s` or `1/s`, and returns it with its length in bytes. A
    /// unit ends where a word ends, which in Chinese, Japanese and Korean is anywhere.
    pub fn read(text: &str) -> Option<(Self, usize)> {
        let words = || WORDS.iter().flat_map(|words| words.0).filter(|word| word.starts_with(is_cjk));
        if let Some(word) = words().find(|word| text.starts_with(**word)) {
            return Some((Self::named(word)?, word.len()));
        }
        let word = |text: &str| match text.strip_prefix('%') {
            Some(_) => 1,
            None => text.find(|c| !is_spaced_letter(c)).unwrap_or(text.len()),
        };
        let ends = |text: &str| !text.starts_with(|c: char| is_spaced_letter(c) || c.is_numeric() || c == '_');
        let (mut unit, mut length) = if text.starts_with("1/") {
            (Self { name: "1".to_owned(), ..Self::one() }, 1)
        } else {
            let length = word(text);
            (Self::named(&text[..length]).filter(|_| ends(&text[length..]))?, length)
        };
        for _ in 0..MAX_DIVISORS {
            let Some(rest) = text[length..].strip_prefix('/') else { break };
            let below = word(rest);
            let Some(divisor) = Self::named(&rest[..below]).filter(|_| ends(&rest[below..])) else { break };
            let Some(quotient) = unit.per(&divisor) else { break };
            (unit, length) = (quotient, length + 1 + below);
        }
        (unit.name != "1").then_some((unit, length))
    }

    /// Returns the quotient of two units.
    pub fn per(&self, other: &Self) -> Option<Self> {
        Some(Self {
            name: format!("{}/{}", self.name, other.name),
            dimension: self.dimension.times(other.dimension, -1)?,
            numerator: self.numerator * other.denominator,
            denominator: self.denominator * other.numerator,
        })
    }

    /// Converts a number in this unit to base units.
    pub fn to_base(&self, number: f64) -> f64 {
        number * self.numerator / self.denominator
    }

    /// Converts a value in base units to a number in this unit.
    pub fn from_base(&self, value: f64) -> f64 {
        value * self.denominator / self.numerator
    }

    pub fn is_binary(&self) -> bool {
        self.name.contains("iB")
    }

    /// Returns the units in which quantities of a dimension are printed, the smallest first.
    pub fn scale(dimension: Dimension, binary: bool) -> Vec<Self> {
        let name = dimension.to_string().replace("s·W", "J");
        let (first, rest) = name.split_at(name.find(['/', '·', '^']).unwrap_or(name.len()));
        let prefixes = match (name.as_str(), first) {
            ("s", _) => "n µ m ",
            (_, "B") if binary => " Ki Mi Gi Ti Pi Ei",
            (_, "B" | "FLOP" | "W" | "J") if !rest.starts_with(['·', '^']) => {
                FAMILIES.iter().find(|family| family.0 == first).map_or("", |family| family.1)
            }
            _ => "",
        };
        let mut units: Vec<Self> = prefixes
            .split(' ')
            .filter_map(|prefix| Self::read(&format!("{prefix}{name}")))
            .map(|read| read.0)
            .filter(|unit| unit.dimension == dimension && (binary || !unit.is_binary()))
            .collect();
        if name == "s" {
            units.extend(["min", "h"].iter().filter_map(|name| Self::named(name)));
        }
        if units.is_empty() {
            units.push(Self { name, dimension, numerator: 1.0, denominator: 1.0 });
        }
        units
    }
}
