//! Tests with damaged sheets and texts: reading them ends without a panic, and every reported place exists.

use infralens_source::source::Source;
use infralens_units::{Failure, Form, evaluate, figure, parse};

use crate::generate::Dice;

/// A sheet with every form of line, formula and comment.
const SHEET: &str = "\
# a calculator
ledger = record(\"ledger\")
layers = 80 # blocks [1 .. 200]
width = 2 B # bytes per value [1 B | 2 B | 4 B]
share = ledger[\"llama-2-7b\"].state.adam * 50 % # in \u{b5}s = 13.48 GB
kv = 2 * layers * 8 * min(128, ceil(3.5e2)) * 4096 * width # the cache = 1.25 GiB in all
far = if(kv >= 1 GiB, -kv / 4^2, lab-01-transformer-memory.kv) #=
~ kv over layers
@ Llama-3-8B: layers = 32, width = 1 B
@ Llama-3-70B: layers = 80
";

const PIECES: [&str; 40] = [
    "(", ")", "[", "]", "..", "|", "#", "=", "@", "~", ":", ",", "-", "^", "*", "/", "if(", "min(", "record(\"x\")",
    "\"", "1e308", "0", "B", " GB/s", "µs", "×", "·10⁹", "10^", "–", "−", "\n", "\r\n", " ", "lab-01-x.y", "a.b[0]",
    "_", "%", "é", "://", ",000",
];

#[test]
fn damaged_sheets_are_read_without_a_panic() {
    let read = |text: &str| parse(&Source::new("a.md", text), 0..text.len(), Form::Calculator);
    assert_eq!(read(SHEET).1, []);
    let mut dice = Dice(20_261_122);
    let mut errors = 0;
    for _ in 0..4_000 {
        let mut text = SHEET.to_owned();
        for _ in 0..=dice.below(6) {
            let at = text.floor_char_boundary(dice.below(text.len() + 1));
            let end = text.floor_char_boundary((at + dice.below(5)).min(text.len())).max(at);
            text.replace_range(at..end, dice.one_of(&PIECES));
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
