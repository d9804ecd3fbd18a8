//! Rust: what its declarations are, by the keyword that they begin with.

use super::Symbol;
use super::braces::{self, Declaration, Grammar, Inside, Opens};
use super::outline::Name;
use super::scan::{Dialect, Kind};

/// The functions, methods, types, traits and macros of a Rust file.
pub(super) fn symbols(text: &str) -> Vec<Symbol> {
    braces::symbols::<Rust>(text)
}

struct Rust;

/// What may stand before the keyword of an item.
const QUALIFIERS: [&str; 8] = ["async", "const", "unsafe", "default", "extern", "safe", "gen", "auto"];

impl Grammar for Rust {
    const DIALECT: Dialect = Dialect::Rust;

    fn opens(declaration: &Declaration) -> Opens {
        let head = head(declaration);
        match declaration.at(head) {
            "mod" => Opens::part(name_after(declaration, head)),
            "impl" => Opens::part(Some(Name { parts: vec![implemented(declaration, head)], at: 0..0 })),
            "macro_rules" => Opens::symbol(defined(declaration, head), Inside::Code),
            _ => Opens::symbol(defined(declaration, head), Inside::Declarations),
        }
    }

    fn declares(declaration: &Declaration) -> Option<(Name, bool)> {
        let head = head(declaration);
        Some((defined(declaration, head)?, declaration.at(head) == "fn"))
    }

    fn type_names(_: &Declaration) -> Vec<Name> {
        Vec::new()
    }

    fn is_over(declaration: &Declaration, _: &str, _: &str) -> bool {
        declaration.at(0) == "#" && declaration.at(1) == "!" && declaration.at(declaration.tokens.len() - 1) == "]"
    }
}

/// The index of the first token past attributes, visibility and qualifiers.
fn head(declaration: &Declaration) -> usize {
    let mut index = 0;
    loop {
        let next = match declaration.at(index) {
            "#" if declaration.at(index + 1) == "[" => past_group(declaration, index + 1),
            "pub" if declaration.at(index + 1) == "(" => past_group(declaration, index + 1),
            "pub" => index + 1,
            word if QUALIFIERS.contains(&word) => index + 1,
            _ if index > 0 && declaration.at(index - 1) == "extern" && !declaration.is_word(index) => index + 1,
            _ => return index,
        };
        if next > declaration.tokens.len() {
            return index;
        }
        index = next;
    }
}

/// The index past the group of brackets that begins at `open`.
fn past_group(declaration: &Declaration, open: usize) -> usize {
    let mut depth = 0_usize;
    for index in open..declaration.tokens.len() {
        match declaration.at(index) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    declaration.tokens.len()
}

/// The name of a function, type, trait or macro whose keyword is at `head`.
fn defined(declaration: &Declaration, head: usize) -> Option<Name> {
    match declaration.at(head) {
        "fn" | "struct" | "enum" | "trait" | "union" => name_after(declaration, head),
        "macro_rules" if declaration.at(head + 1) == "!" => name_after(declaration, head + 1),
        _ => None,
    }
}

fn name_after(declaration: &Declaration, index: usize) -> Option<Name> {
    let token = declaration.tokens.get(index + 1).filter(|token| token.kind == Kind::Word)?;
    Some(Name { parts: vec![declaration.at(index + 1).to_owned()], at: token.at.clone() })
}

/// The type that the `impl` at `head` is of, without its path, reference and type arguments.
fn implemented(declaration: &Declaration, head: usize) -> String {
    let (mut start, mut end) = (head + 1, declaration.tokens.len());
    let mut depth = 0_usize;
    for index in head + 1..declaration.tokens.len() {
        match declaration.at(index) {
            "<" | "(" | "[" => depth += 1,
            ">" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                // The parameters of the `impl` itself.
                if depth == 0 && declaration.at(head + 1) == "<" && start == head + 1 {
                    start = index + 1;
                }
            }
            "for" if depth == 0 => start = index + 1,
            "where" if depth == 0 => {
                end = index;
                break;
            }
            _ => {}
        }
    }
    type_name(declaration, start, end)
}

fn type_name(declaration: &Declaration, start: usize, end: usize) -> String {
    let is_prefix = |index: usize| {
        let is_lifetime = declaration.at(index).starts_with('\'');
        is_lifetime || matches!(declaration.at(index), "&" | "mut" | "dyn" | "*" | "const" | "!")
    };
    let start = (start..end).find(|&index| !is_prefix(index)).unwrap_or(end);
    let path_end = (start..end).find(|&index| !(declaration.is_word(index) || declaration.at(index) == "::"));
    match path_end.unwrap_or(end).checked_sub(1).filter(|last| *last >= start && declaration.is_word(*last)) {
        Some(last) => declaration.at(last).to_owned(),
        None => declaration.spelled(start..end),
    }
}
