//! What a `values` comment or a `calc` fence consists of: declarations, presets and the sweep.

use std::fmt;

use super::evaluate::Quantity;
use super::expression::Expression;
use super::figure::Figure;
use super::print::{print, print_in};
use infralens_source::source::Span;

/// Where a sheet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A `values` comment, which has no inputs.
    Comment,
    /// A `calc` fence.
    Calculator,
}

/// The lines of a comment or a fence.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// The values, each name once.
    pub declarations: Vec<Declaration>,
    /// The named settings of inputs.
    pub presets: Vec<Preset>,
    /// What the chart shows.
    pub sweep: Option<Sweep>,
    /// Whether every line could be read.
    pub is_whole: bool,
}

impl Sheet {
    pub fn find(&self, name: &str) -> Option<&Declaration> {
        self.declarations.iter().find(|declaration| declaration.name == name)
    }

    /// Returns the number of decimals that an input takes: 0 if its default, its domain and all presets are whole numbers.
    pub fn decimals(&self, input: &Declaration) -> usize {
        let (Kind::Input(domain), Some(literal)) = (&input.kind, input.expression.literal()) else { return 0 };
        let presets = self.presets.iter().flat_map(|preset| &preset.values).filter(|(name, _)| *name == input.name);
        let mut numbers = presets.map(|(_, quantity)| literal.unit.from_base(quantity.value));
        let is_fraction = numbers.any(|number| (number - number.round()).abs() > 1e-9 * number.abs());
        literal.decimals.max(domain.decimals()).max(usize::from(is_fraction))
    }

    /// Returns the groups of presets, in the order in which they are declared, each with its presets; `None` is the group of
    /// presets without one.
    pub fn groups(&self) -> Vec<(Option<&str>, Vec<&Preset>)> {
        let mut groups: Vec<(Option<&str>, Vec<&Preset>)> = Vec::new();
        for preset in &self.presets {
            let group = preset.group.as_deref();
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, presets)) => presets.push(preset),
                None => groups.push((group, vec![preset])),
            }
        }
        groups
    }

    /// Reads `name.value` in formulas as a value of the page `name` where `is_page` is true of the name.
    pub fn name_pages(&mut self, is_page: &impl Fn(&str) -> bool) {
        for declaration in &mut self.declarations {
            declaration.expression.name_pages(is_page);
        }
    }
}

/// A line `name = expression  # comment`.
#[derive(Debug, Clone)]
pub struct Declaration {
    pub name: String,
    /// The byte range of the name in the file.
    pub name_span: Span,
    pub kind: Kind,
    /// The expression; for an input, the literal that is its default.
    pub expression: Expression,
    /// The words of the comment, without the domain and the pin.
    pub comment: String,
    pub pin: Option<Pin>,
    /// The byte range of the declaration in the file, without the comment.
    pub span: Span,
    /// The byte range of the line in the file, without its line end.
    pub line: Span,
}

impl Declaration {
    pub fn figure(&self) -> Option<&Figure> {
        self.pin.as_ref()?.figure.as_ref()
    }

    /// Prints a number in base units as readers see it: a number with a unit in that unit, a result as its pin says.
    pub fn print(&self, quantity: Quantity) -> String {
        match (self.expression.literal(), self.figure()) {
            (Some(literal), _) => print_in(quantity, &literal.unit),
            (None, Some(figure)) => figure.adapt(quantity),
            (None, None) => print(quantity, self.expression.is_binary()),
        }
    }
}

#[derive(Debug, Clone)]
pub enum Kind {
    /// A number that does not change.
    Constant,
    /// A number that readers may change.
    Input(Domain),
    /// What an expression computes.
    Result,
    Record,
}

/// The values that an input may have.
#[derive(Debug, Clone)]
pub enum Domain {
    /// From one number to another, both included.
    Range(Choice, Choice),
    /// One of some numbers.
    Choice(Vec<Choice>),
}

impl Domain {
    /// Whether an input may have this value in base units.
    pub fn contains(&self, value: f64) -> bool {
        match self {
            Self::Range(low, high) => (low.quantity.value..=high.quantity.value).contains(&value),
            Self::Choice(choices) => choices.iter().any(|choice| choice.quantity.value.to_bits() == value.to_bits()),
        }
    }

    /// Returns the largest number of digits after a decimal point.
    pub fn decimals(&self) -> usize {
        match self {
            Self::Range(low, high) => low.decimals.max(high.decimals),
            Self::Choice(choices) => choices.iter().map(|choice| choice.decimals).max().unwrap_or(0),
        }
    }
}

/// Writes the domain as in a comment.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(low, high) => write!(f, "[{} .. {}]", low.text, high.text),
            Self::Choice(choices) => {
                let texts: Vec<&str> = choices.iter().map(|choice| choice.text.as_str()).collect();
                write!(f, "[{}]", texts.join(" | "))
            }
        }
    }
}

/// A number of a domain.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The number as written, with its unit.
    pub text: String,
    pub quantity: Quantity,
    /// How many digits follow its decimal point.
    pub decimals: usize,
}

/// How a value is printed in the default case.
#[derive(Debug, Clone)]
pub struct Pin {
    /// What follows `=`; empty in a pin that `sync` is to fill.
    pub text: String,
    /// The byte range of the text in the file; in an empty pin, the place directly after `=`.
    pub span: Span,
    /// The text as it was read; `None` if it is empty or cannot be read.
    pub figure: Option<Figure>,
}

/// A line `@ NAME: a = 1, b = 2` or `@ GROUP / NAME: a = 1, b = 2`.
#[derive(Debug, Clone)]
pub struct Preset {
    /// The group: of its presets, one is chosen.
    pub group: Option<String>,
    /// The name, which is unique in the group.
    pub name: String,
    pub values: Vec<(String, Quantity)>,
    /// The byte range in the file.
    pub span: Span,
}

/// A line `~ RESULT over INPUT`.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// The result that the chart shows.
    pub result: String,
    /// The input along which it shows it.
    pub input: String,
    /// The byte range in the file.
    pub span: Span,
}
