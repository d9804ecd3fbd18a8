//! Reads the numbers that formulas name in starter files.

use std::collections::BTreeSet;

use super::Computation;
use infralens_source::diag::codes;
use infralens_starter::number::{Miss, number_between};
use infralens_units::{Dimension, Failure, Piece, Problem, Quantity, Value};

impl<'a> Computation<'a> {
    /// Returns the number in a piece of code.
    pub(super) fn code(&self, page: usize, piece: &Piece) -> Result<Value<'a>, Failure> {
        // A file that cannot be read is reported where starters are found.
        let path = self.pages[page].named(&piece.file.path).map_err(|_| Failure::Elsewhere)?;
        let listing = self.listings.get(path.as_str()).ok_or(Failure::Elsewhere)?;
        let mut lines = BTreeSet::new();
        for (selector, span) in &piece.file.selectors {
            match listing.select(selector) {
                Ok(selected) => lines.extend(selected),
                Err(_) if listing.is_doubtful(selector) => return Err(Failure::Elsewhere),
                Err(error) => {
                    let problem = Problem::new(error.code, span.clone(), error.message);
                    let near = error.near.map(|near| *near);
                    return Err(problem.help(error.help.join("; ")).near(&selector.to_string(), near).into());
                }
            }
        }
        if piece.file.selectors.is_empty() {
            lines.extend(0..listing.line_count());
        }
        let (place, pattern) = (format!("`{path}{}`", piece.file.hash()), &piece.pattern);
        let problem = |code, message: String, help| Problem::new(code, piece.span.clone(), message).help(help);
        let value = number_between(piece.around(), listing, lines.into_iter()).map_err(|miss| match miss {
            Miss::Lost => {
                let message = format!("`{pattern}` is not in {place}");
                problem(codes::E0615, message, "the text around `{}` has to be there letter by letter, in one line")
            }
            Miss::Doubled(one, other) => {
                let message = format!("`{pattern}` is twice in {place}: in lines {} and {}", one + 1, other + 1);
                problem(codes::E0615, message, "write more of the line, or select a smaller piece")
            }
            Miss::NotANumber(text) => {
                let message = format!("`{{}}` in `{pattern}` stands for `{text}`, which is not a number");
                problem(codes::E0616, message, "name a part that is a number, and compute in the formula")
            }
        })?;
        Ok(Value::Number(Quantity { value, dimension: Dimension::COUNT }))
    }
}
