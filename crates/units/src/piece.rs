//! A number in a starter file, as `code("model.py#fn:GPTConfig", "n_head: int = {}")` names it: the number at `{}`.

use infralens_source::selector::FileRef;
use infralens_source::source::Span;

/// The placeholder of the number in a pattern.
pub const HOLE: &str = "{}";

/// A number in a piece of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The file and the selectors of the piece; without selectors, the whole file.
    pub file: FileRef,
    /// A part of one line, with [`HOLE`] once.
    pub pattern: String,
    /// The byte range of the pattern in the page.
    pub span: Span,
}

impl Piece {
    /// Returns the parts of the pattern before and after its [`HOLE`].
    pub fn around(&self) -> (&str, &str) {
        self.pattern.split_once(HOLE).unwrap_or((&self.pattern, ""))
    }
}
