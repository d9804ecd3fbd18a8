//! Two things: a small language of formulas with units, for the values of a page; and a reader of *figures*, the numbers
//! with a unit in its prose.
//!
//! `kv = 2 * n * 4 B  # = 1.2 MB` declares a value: its name, its formula, and its *pin*, the printed value. Such lines
//! are written in a `values` comment or in a `calc` fence. A `calc` fence is a *calculator*: readers can change its inputs. A
//! *sheet* is what they say, parsed. `infralens explain E0601` shows the syntax.
//!
//! 1. [`parse`] (`lines`, with `token` and `parser`) reads the lines, each alone. A line with an error is reported
//!    (`E0601` if its syntax is wrong) and left out.
//! 2. [`evaluate`] computes one formula, which always ends. It asks its caller for each name, because a name may stand for
//!    a value of this or another page, for a record, or for a number in code ([`Piece`]). Cycles among formulas are found
//!    by the caller, `infralens-site`, which also compares pins with values.
//! 3. [`print`] and [`Format`] print a quantity; [`figure`] finds and reads what authors have printed.
//! 4. [`compile`] writes a calculator as JSON, which `static/calc.js` computes in the browser, and as a [`CompiledSheet`],
//!    which is computed when a site is built, for charts and stacked bars.
//!
//! ```
//! use infralens_source::source::Source;
//! use infralens_units::{Failure, Form, Quantity, Reference, Value, evaluate, parse, print};
//!
//! let source = Source::new("a.md", "width = 2 B\ncache = 2 * 32 * 8 * 128 * 4096 * width");
//! let (sheet, diagnostics) = parse(&source, 0..source.text().len(), Form::Comment);
//! assert!(diagnostics.is_empty());
//! let [width, cache] = &sheet.declarations[..] else { panic!() };
//! let width = evaluate(&width.expression, &|_| Err(Failure::Elsewhere)).unwrap();
//! // The caller knows what names stand for.
//! let names = |name: &Reference| if name.name == "width" { Ok(width) } else { Err(Failure::Elsewhere) };
//! let Ok(Value::Number(quantity)) = evaluate(&cache.expression, &names) else { panic!() };
//! // `true`: in binary units, such as MiB instead of MB.
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
pub use piece::{HOLE, Piece};
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
