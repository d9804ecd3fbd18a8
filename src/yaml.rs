//! YAML text -> a tree of values with their places, and typed records read from it, with every error of the text at once.
//!
//! 1. [`parse`] (`tree`): parser events become a [`Tree`]. What cannot be read is `E0103`, in plain words (`trouble`);
//!    a key that is given twice is `E0105`. What stands before a syntax error is kept.
//! 2. [`Reader`] (`read`): entries become the fields of records declared with [`record!`] (`schema`): unknown keys are
//!    `E0104`, wrong types `E0106`, missing keys `E0107`, values that are not allowed `E0108`.
//!
//! Plain scalars follow the core schema of YAML 1.2: `yes` and `no` are text. A number keeps its spelling, so that `1.0`
//! can be a title. Anchors and aliases are understood, tags other than `!!str` are not.
//!
//! Limits, each an `E0103` that names it: [`MAX_DEPTH`], [`MAX_VALUES`], [`MAX_REPEATED`]. Within them, time and memory
//! are linear in the text.

mod date;
mod read;
mod scalar;
mod schema;
#[cfg(test)]
pub(crate) mod tests;
mod tree;
mod trouble;
mod url;
mod value;

use std::ops::Deref;
use std::rc::Rc;

use serde::{Serialize, Serializer};

use crate::diag::Diagnostic;
use crate::source::{Source, Span};

pub use date::Date;
pub use read::Reader;
pub use schema::{Field, Record, Type, Word};
pub(crate) use schema::{form, record, words};
pub use url::{Url, http_parts};
pub use value::{OneOrMany, Value};

/// How deep lists and maps may be nested.
pub const MAX_DEPTH: usize = 32;
/// How many values (scalars, lists and maps) one text may hold.
pub const MAX_VALUES: usize = 200_000;
/// How much the aliases of one text may repeat: the bytes of the repeated texts, and 64 for each value.
pub const MAX_REPEATED: usize = 1 << 20;

/// A value and where it stands in its [`Source`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Bytes of the source; for an alias, those of `*name`.
    pub span: Span,
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Serialize> Serialize for Spanned<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

/// A value as a schema shows it.
pub type Json = serde_json::Value;

/// One YAML value. Aliases share the value of their anchor.
pub type Tree = Spanned<Rc<Node>>;

/// A key of a map and its value.
pub type Entry = (Spanned<String>, Tree);

/// What a value is.
#[derive(Debug, PartialEq, Eq)]
pub enum Node {
    /// `~`, `null` or nothing at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A plain number, as it is spelled.
    Number(String),
    /// Any other scalar.
    Text(String),
    /// A list.
    List(Vec<Tree>),
    /// A map, in the order of the text; a key that is given twice stands here twice.
    Map(Vec<Entry>),
}

/// What became of a YAML text.
#[derive(Debug)]
pub struct Parsed {
    /// The value; nothing where the text is empty or broken from its beginning.
    pub root: Option<Tree>,
    /// Whether the text was read to its end. If not, the tree holds what came before the error.
    pub complete: bool,
    /// Syntax errors and keys that are given twice.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the YAML in `span` of `source`; all spans that come back are spans of the source.
#[must_use]
pub fn parse(source: &Source, span: Span) -> Parsed {
    tree::build(source, span)
}
