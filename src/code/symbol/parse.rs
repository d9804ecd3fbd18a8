//! A tree-sitter parse that ends.
//!
//! The grammars' scanners and the recovery from errors are quadratic, or worse, on some inputs, and a clock would make the
//! output depend on the machine. So the work itself is counted, in two ways that together cover what was found: how often
//! the parser asks for a piece of text (reading far ahead, again and again), and its own operations. Both bounds are linear in
//! the text and many times what the largest of thousands of real files need.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::language::Language;

/// The longest text that is parsed, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The deepest nesting of brackets that is parsed; strings and comments are not left out.
const MAX_NESTING: usize = 1000;
/// The text is handed over in pieces of this many bytes, so that reading ahead is seen.
const PIECE: usize = 256;
/// Pieces read and operations done, in hundreds, that any text may take.
const FREE_WORK: usize = 4096;
/// Bytes of text for each further piece read. Real files read up to one piece in 7 bytes, most one in 100.
const BYTES_PER_READ: usize = 1;
/// Bytes of text for each further hundred operations. Real files need up to a hundred in 27 bytes.
const BYTES_PER_OPERATIONS: usize = 8;

/// Parses `text`.
///
/// # Errors
///
/// What `text` has too much of.
pub(super) fn parse(language: Language, text: &str) -> Result<Tree, &'static str> {
    if text.len() > MAX_BYTES {
        return Err("has more than 1 MiB");
    }
    if nesting(text) > MAX_NESTING {
        return Err("nests brackets more than 1000 deep");
    }
    let too_hard = "takes too many steps to parse";
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).map_err(|_| too_hard)?;
    let bytes = text.as_bytes();
    let reads_left = Cell::new(FREE_WORK + bytes.len() / BYTES_PER_READ);
    let mut operations_left = FREE_WORK + bytes.len() / BYTES_PER_OPERATIONS;
    let mut read = |at: usize, _| {
        // When the work is used up the text ends, since a scanner cannot be stopped otherwise.
        let left = reads_left.get().saturating_sub(1);
        reads_left.set(left);
        let end = if left == 0 {
            at
        } else {
            bytes.len().min(at.saturating_add(PIECE))
        };
        bytes.get(at..end).unwrap_or_default()
    };
    let mut go_on = |_: &ParseState| {
        operations_left -= 1;
        if operations_left == 0 || reads_left.get() == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.filter(|_| reads_left.get() > 0).ok_or(too_hard)
}

/// How deep the brackets of `text` nest.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}
