//! The state machine against syntect's, which it must not differ from.

use super::{laws, samples};
use crate::highlight::grammar::Clear;
use crate::highlight::scopes::{Scopes, TokenWriter};
use crate::highlight::{Token, by_token, class, highlight};
use syntect::parsing::{ClearAmount, ParseState, ScopeStackOp, SyntaxReference, SyntaxSet};

#[path = "../../../build/scopes.rs"]
mod scopes;

/// The tokens of each line as syntect's parser has them.
fn reference(set: &SyntaxSet, syntax: &SyntaxReference, text: &str) -> Vec<Vec<Token>> {
    let (mut parser, mut around) = (ParseState::new(syntax), Scopes::default());
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut tokens = Vec::new();
        let mut painter = TokenWriter::new(line, &mut tokens);
        for (at, operation) in parser.parse_line(&format!("{line}\n"), set).unwrap() {
            painter.to(at, &around);
            match operation {
                ScopeStackOp::Push(scope) => around.push(scopes::code(&scope.build_string())),
                ScopeStackOp::Pop(count) => around.pop(count),
                ScopeStackOp::Clear(ClearAmount::All) => around.clear(Clear::All),
                ScopeStackOp::Clear(ClearAmount::TopN(count)) => around.clear(Clear::Top(count)),
                ScopeStackOp::Restore => around.restore(),
                ScopeStackOp::Noop => {}
            }
        }
        painter.finish(&around);
        lines.push(tokens);
    }
    lines
}

#[test]
fn the_tokens_are_those_of_syntect() {
    let set = two_face::syntax::extra_newlines();
    for (language, sample) in samples::ALL.iter().filter(|(language, _)| *language != "cuda") {
        let name = match *language {
            "bash" => "Bourne Again Shell (bash)",
            "dockerfile" => "Dockerfile (with bash)",
            "cpp" => "C++",
            language => language,
        };
        let syntax = set.syntaxes().iter().rev().find(|syntax| syntax.name.eq_ignore_ascii_case(name)).unwrap();
        // Strings of C end with their line, which syntect does not know.
        let variations = if matches!(*language, "c" | "cpp") { 0 } else { 12 };
        for text in std::iter::once((*sample).to_owned()).chain(laws::variations(sample, variations)) {
            let ours = highlight(by_token(language), &text);
            for (index, (line, expected)) in text.lines().zip(reference(&set, syntax, &text)).enumerate() {
                assert_eq!(ours.line(index), expected, "{language}, line {index} of {text:?}: {line:?}");
            }
        }
    }
}
