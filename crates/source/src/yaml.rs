//! Parses YAML into a tree of values with spans, decodes typed records from it, and edits YAML text in place. All errors of a
//! text are reported at once.
//!
//! 1. [`parse`] (`tree`) turns parser events into a [`Tree`]. A syntax error is `E0103` (`syntax_error` has its message);
//!    a duplicate key is `E0105`, and text that a `#` cuts `W0101` (`comment`). The values before a syntax error are kept.
//! 2. [`Decoder`] (`decode`) reads the fields of records that [`record!`] (`schema`) declares: unknown keys are
//!    `E0104`, wrong types `E0106`, missing keys `E0107`, values that are not allowed `E0108`.
//! 3. `value` implements [`Value`], the trait of types that a key can have, for strings, numbers, lists and maps; `date`,
//!    `url` and the names of lints are such types, too. `scalar` decides what an unquoted word is.
//! 4. `edit` adds keys and list items to existing YAML text, and quotes scalars.
//!
//! Plain scalars follow the core schema of YAML 1.2: `yes` and `no` are text. A number keeps its spelling, so that `1.0`
//! can be a title. Anchors and aliases are supported; tags other than `!!str` are not.
//!
//! Limits, each an `E0103` that names it: [`MAX_DEPTH`], [`MAX_VALUES`], [`MAX_REPEATED`]. Within them, time and memory
//! are linear in the text.

mod comment;
mod date;
mod decode;
mod edit;
mod scalar;
mod schema;
mod syntax_error;
#[cfg(test)]
mod tests;
mod tree;
mod url;
mod value;

use std::ops::Deref;
use std::rc::Rc;

use serde::Serialize;

pub use crate::{choices, record, validated_text};

use crate::diag::Diagnostic;
use crate::source::{Source, Span};

pub use date::Date;
pub use decode::Decoder;
pub use edit::{add_entry, add_to_list, to_scalar};
pub use schema::{Choice, Field, Record, Type};
pub use url::{Url, http_parts};
pub use value::{Extra, Map, OneOrMany, Value};

/// The maximum nesting depth of lists and maps.
pub const MAX_DEPTH: usize = 32;
/// The maximum number of values (scalars, lists and maps) in one text.
pub const MAX_VALUES: usize = 200_000;
/// The maximum size of everything that the aliases of one text repeat: the bytes of the texts, plus 64 per value.
pub const MAX_REPEATED: usize = 1 << 20;

/// A value and its span in a [`Source`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Spanned<T> {
    pub value: T,
    /// The byte range in the source; for an alias, the range of `*name`.
    #[serde(skip)]
    pub span: Span,
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A JSON value, as schemas contain it.
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
    List(Vec<Tree>),
    /// A map in source order; a duplicate key has an entry for each occurrence.
    Map(Vec<Entry>),
}

/// The result of [`parse`].
#[derive(Debug)]
pub struct Parsed {
    /// The root value; `None` if the text is empty or the first value cannot be read.
    pub root: Option<Tree>,
    /// Whether the whole first document was read, so that a key that is not in the tree is missing in the text. A second
    /// document is an error, but does not change this.
    pub complete: bool,
    /// All errors of the text: syntax, limits, tags, and duplicate or invalid keys.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the YAML in `span` of `source`. All spans in the result refer to the whole source.
pub fn parse(source: &Source, span: Span) -> Parsed {
    tree::build(source, span)
}
