//! A small formula language with units, in which every formula terminates, for the values of a page; and the *figures*
//! (numbers with a unit) in its prose. A *sheet* is the list of lines in a `values` comment or a `calc` fence;
//! `infralens explain E0601` shows its syntax. A *pin* is the printed value after `# =`. This crate does not detect
//! cycles and does not compare pins with values; its callers do.
//!
//! 1. [`parse`] (`lines`, with `token` and `parser`) reads the lines of a `values` comment or a `calc` fence. Each line
//!    is read alone. A line with an error is reported (`E0601` if its syntax is wrong, otherwise `E0602` to `E0608`)
//!    and left out.
//! 2. [`evaluate`] computes one expression. It asks its caller for each name, so names may come from anywhere.
//! 3. [`print`] and [`Format`] print a quantity; [`figure`] finds and reads what authors have printed.
//! 4. [`compile`] writes a calculator as JSON, which `static/calc.js` computes in the browser, and as a [`CompiledSheet`],
//!    which is computed at build time, for charts.
//!
//! ```
//! use infralens_source::source::Source;
//! use infralens_units::{Failure, Form, Value, evaluate, parse, print};
//!
//! let source = Source::new("a.md", "cache = 2 * 32 * 8 * 128 * 4096 * 2 B");
//! let (sheet, _) = parse(&source, 0..source.text().len(), Form::Comment);
//! // The formula has no names to resolve. `true` prints GiB instead of GB.
//! let value = evaluate(&sheet.declarations[0].expression, &|_| Err(Failure::Elsewhere));
//! let Ok(Value::Number(quantity)) = value else { panic!() };
//! assert_eq!(print(quantity, true), "512 MiB");
//! ```
//!
//! Numbers are IEEE doubles in base units (bytes, seconds, FLOP, watts, dollars). Only operations are used on which
//! Rust and JavaScript agree bit for bit.
//!
//! Limits, each an `E0601` that names it: [`MAX_LINE`], [`MAX_LINES`], [`MAX_NODES`], [`MAX_SHEET_NODES`],
//! [`MAX_DEPTH`]. Within them, time is linear in the text.

mod compiled;
mod evaluate;
mod expression;
pub mod figure;
mod lines;
mod parser;
mod piece;
mod print;
mod sheet;
#[cfg(test)]
mod tests;
mod token;
mod unit;

pub use compiled::{CompiledSheet, compile};
pub use evaluate::{Failure, Outcome, Problem, Quantity, Value, evaluate};
pub use expression::{Comparison, Expression, Function, Literal, Node, Operator, Origin, Reference, Segment};
pub use figure::Figure;
pub use lines::parse;
pub use piece::Piece;
pub use print::{Format, fixed, print, print_in};
pub use sheet::{Choice, Declaration, Domain, Form, Kind, Pin, Preset, Sheet, Sweep};
pub use unit::{Dimension, Unit};

/// The maximum length of a line in bytes.
pub const MAX_LINE: usize = 2_000;
/// The maximum number of lines of a sheet.
pub const MAX_LINES: usize = 500;
/// The maximum number of nodes of an expression.
pub const MAX_NODES: usize = 400;
/// The maximum number of nodes of all expressions of a sheet.
pub const MAX_SHEET_NODES: usize = 4_000;
/// The maximum nesting depth of parentheses, calls and signs.
pub const MAX_DEPTH: usize = 64;
