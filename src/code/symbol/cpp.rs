//! C, C++ and CUDA: what a declaration declares, by its shape.
//!
//! Without the types and macros of a whole program a C++ declaration can only be judged by its shape: a function is a name
//! with a parenthesis after it, a class is what `class` or its like stands before. Words that say where something runs
//! (`__global__`), attributes and macros are passed over, so they need not be known.

mod shape;

use super::Symbol;
use super::braces::{self, Declaration, Grammar, Inside, Opens};
use super::outline::Name;
use super::scan::Dialect;
use shape::Shape;

/// The functions, kernels, classes, structs, unions, enums and function-like macros of a C++ file.
pub(super) fn symbols(text: &str) -> Vec<Symbol> {
    braces::symbols::<Cpp>(text)
}

struct Cpp;

/// The most tokens of a macro's call that are looked through for its end.
const MOST_ARGUMENT_TOKENS: usize = 64;
/// The longest word that can be a macro, in bytes.
const LONGEST_MACRO: usize = 128;
/// Words that begin a statement or a declaration of no function.
const NO_DECLARATION: [&str; 11] = [
    "template",
    "using",
    "typedef",
    "return",
    "goto",
    "static_assert",
    "_Static_assert",
    "delete",
    "throw",
    "co_return",
    "case",
];

impl Grammar for Cpp {
    const DIALECT: Dialect = Dialect::Cpp;

    fn opens(declaration: &Declaration) -> Opens {
        let shape = Shape::of(declaration);
        if let Some(name) = shape.namespace() {
            return Opens::part(Some(name));
        }
        if shape.len() == 0 || matches!(shape.at(0), "if" | "for" | "while" | "switch" | "do" | "else" | "catch") {
            return Opens::nameless(Inside::Code);
        }
        if shape.has_value() {
            return Opens::nameless(Inside::Value);
        }
        if let Some((name, is_enum)) = shape.class() {
            let inside = if is_enum { Inside::Code } else { Inside::Declarations };
            let is_type_definition = shape.at(0) == "typedef";
            return Opens { is_type_definition, ..Opens::symbol(name, inside) };
        }
        if shape.is_in_initializers() {
            return Opens::nameless(Inside::Initializer);
        }
        match shape.function() {
            Some(name) => Opens::symbol(Some(name), Inside::Code),
            None => Opens::nameless(Inside::Declarations),
        }
    }

    fn declares(declaration: &Declaration) -> Option<(Name, bool)> {
        let shape = Shape::of(declaration).first();
        let is_function = !shape.has_value() || matches!(shape.at(shape.len() - 1), "0" | "default" | "delete");
        if !is_function || NO_DECLARATION.contains(&shape.at(0)) {
            return None;
        }
        shape.prototype().map(|name| (name, true))
    }

    fn type_names(declaration: &Declaration) -> Vec<Name> {
        let shape = Shape::of(declaration);
        let ends = (0..shape.len()).filter(|&index| matches!(shape.at(index + 1), "" | ","));
        ends.filter_map(|index| shape.simple_name(index)).collect()
    }

    fn is_over(declaration: &Declaration, gap: &str, next: &str) -> bool {
        let last = declaration.tokens.len() - 1;
        match declaration.at(0) {
            "public" | "private" | "protected" => declaration.at(last) == ":",
            // A macro over a blank line or a comment is no part of what follows.
            word if is_macro(word) && next != "{" => {
                let is_apart = gap.matches('\n').count() > 1 || !gap.trim().is_empty();
                is_apart && (last == 0 || is_call(declaration))
            }
            _ => false,
        }
    }
}

/// Whether a word is spelled as macros are. It is asked again for each token after it, so a word without end is none.
fn is_macro(word: &str) -> bool {
    let is_upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    (2..=LONGEST_MACRO).contains(&word.len())
        && word.bytes().all(is_upper)
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Whether a declaration is a word and one group of parentheses, which is not long.
fn is_call(declaration: &Declaration) -> bool {
    let mut depth = 0_usize;
    for index in 1..declaration.tokens.len().min(MOST_ARGUMENT_TOKENS) {
        match declaration.at(index) {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index > 1 && index + 1 == declaration.tokens.len();
        }
    }
    false
}
