//! Tests with damaged sheets and texts: reading them ends without a panic, and every reported place exists.

use super::super::{Form, evaluate, figure, parse};
use super::{CALCULATOR, Failure, read};
use crate::source::Source;

/// A small generator of numbers that are the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).expect("a limit")).expect("a number below it")
    }
}

const PIECES: [&str; 40] = [
    "(",
    ")",
    "[",
    "]",
    "..",
    "|",
    "#",
    "=",
    "@",
    "~",
    ":",
    ",",
    "-",
    "^",
    "*",
    "/",
    "if(",
    "min(",
    "record(\"x\")",
    "\"",
    "1e308",
    "0",
    "B",
    " GB/s",
    "µs",
    "×",
    "·10⁹",
    "10^",
    "–",
    "−",
    "\n",
    "\r\n",
    " ",
    "lab-01-x.y",
    "a.b[0]",
    "_",
    "%",
    "é",
    "://",
    ",000",
];

#[test]
fn damaged_sheets_are_read_without_a_panic() {
    let mut random = Random(20_261_122);
    let mut errors = 0;
    for _ in 0..4_000 {
        let mut text = CALCULATOR.to_owned();
        for _ in 0..=random.below(6) {
            let at = text.floor_char_boundary(random.below(text.len() + 1));
            let end = text.floor_char_boundary((at + random.below(5)).min(text.len())).max(at);
            text.replace_range(at..end, PIECES[random.below(PIECES.len())]);
        }
        let (sheet, diagnostics) = read(&text);
        errors += diagnostics.len();
        for diagnostic in diagnostics {
            let (start, end) = diagnostic.place.span.expect("a place");
            assert!(text.get(start..end).is_some(), "{diagnostic:?}\n{text}");
            assert!(!diagnostic.message.is_empty());
        }
        for declaration in &sheet.declarations {
            assert!(text.get(declaration.span.clone()).is_some());
            assert!(declaration.pin.as_ref().is_none_or(|pin| text.get(pin.span.clone()) == Some(&pin.text)));
            let outcome = evaluate(&declaration.expression, &|_| Err(Failure::Elsewhere));
            assert!(!matches!(outcome, Err(Failure::Here(problem)) if text.get(problem.span.clone()).is_none()));
        }
        for figure in figure::find(&text) {
            assert!(text.get(figure.span.clone()).is_some());
        }
        let _ = figure::read(&text);
    }
    assert!(errors > 4_000, "{errors}");
}

#[test]
fn long_texts_take_time_in_proportion_to_their_length() {
    for piece in ["a-", "1-", "1,000", "1.", "://", "1 × 10", "- 1 billion ", "µ1", "x = 1 # [\n", "@ a: ", "((("] {
        let text = piece.repeat(200_000);
        let _ = figure::find(&text);
        let _ = figure::read(&text);
        let _ = parse(&Source::new("a.md", text.clone()), 0..text.len(), Form::Calculator);
    }
}
