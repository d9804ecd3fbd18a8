//! Reads the blocks in which a page declares values: `<!-- values … -->` comments, and `calc` fences, which the page shows
//! as calculators.

mod stack;

use super::Events;
use super::fence::{self, Info};
use super::heading::{Ids, slug};
use infralens_source::diag::{Diagnostic, nearest, similar};
use infralens_source::selector::FileRef;
use infralens_source::source::{Source, Span};
use infralens_units::{Form, Origin, Sheet};
pub use stack::Stack;
use std::collections::BTreeSet;

/// The language of a calculator's fence.
pub const CALC: &str = "calc";
/// The first word of a comment that declares values.
pub const VALUES: &str = "values";

const ATTRIBUTES: [&str; 6] = ["title", "file", "stack", "limit", "vary", "front"];

#[derive(Debug)]
pub struct ValueBlock {
    pub events: Events,
    pub span: Span,
    /// What is declared in it.
    pub sheet: Sheet,
    /// The calculator that the page shows for it; `None` for a comment.
    pub calculator: Option<Calculator>,
}

#[derive(Debug)]
pub struct Calculator {
    /// Its title; if it has none, the name of its first result.
    pub title: String,
    /// Its id on the page, such as `C-kv-cache`.
    pub id: String,
    /// The code that it computes, with the span of its name.
    pub file: Option<(FileRef, Span)>,
    /// The parts that it draws as one bar against a limit.
    pub stack: Option<Stack>,
    /// The place of `front=true`: the page of calculators shows this calculator itself, and lists the others.
    pub front: Option<Span>,
}

/// Returns whether the text of a comment begins with the word `values`.
pub fn is_values(comment: &str) -> bool {
    comment.strip_prefix(VALUES).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Returns the first word of a comment if the rest declares something, so that the word may be a misspelled `values`.
pub fn nearly_values(comment: &str) -> Option<&str> {
    let (word, rest) = comment.split_once(char::is_whitespace)?;
    let declares = |line: &str| line.split_once('=').is_some_and(|(name, _)| is_word(name.trim()));
    rest.lines().any(declares).then_some(word)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Reads a comment of which [`is_values`] is true.
pub fn comment(source: &Source, events: Events, span: &Span, out: &mut Vec<Diagnostic>) -> Option<ValueBlock> {
    let text = &source.text()[span.clone()];
    let start = text.find(VALUES)? + VALUES.len();
    let end = text.rfind("-->").filter(|&end| end >= start)?;
    let (sheet, diagnostics) = infralens_units::parse(source, span.start + start..span.start + end, Form::Comment);
    out.extend(diagnostics);
    Some(ValueBlock { events, span: span.clone(), sheet, calculator: None })
}

/// Reads a fence with the language [`CALC`]. Returns `None` if its body is unknown because the fence is not closed, which is
/// reported elsewhere.
pub fn fence(source: &Source, events: Events, block: &Span, out: &mut Vec<Diagnostic>) -> Option<ValueBlock> {
    let head = fence::head(source, block);
    let info = fence::read_info(source, &head);
    let closing = fence::closing(source, block)?;
    let body = fence::write::body(source.text(), head.start, &closing);
    let (sheet, diagnostics) = infralens_units::parse(source, body, Form::Calculator);
    out.extend(diagnostics);
    let calculator = calculator(source, &head, &info, &sheet, out);
    Some(ValueBlock { events, span: block.clone(), sheet, calculator: Some(calculator) })
}

fn calculator(source: &Source, head: &Span, info: &Info, sheet: &Sheet, out: &mut Vec<Diagnostic>) -> Calculator {
    fence::report_errors(source, info, out);
    fence::report_repeated(source, info, out);
    for attribute in info.attributes.iter().filter(|attribute| !ATTRIBUTES.contains(&attribute.key.as_str())) {
        let message = format!("unknown attribute `{}` of a calculator", attribute.key);
        let help = "a calculator has `title=`, `file=`, `stack=` with `limit=`, `vary=` and `front=`";
        let near = similar(&attribute.key, ATTRIBUTES);
        let error = fence::invalid(source, attribute.key_span.clone(), message).help(help);
        out.push(error.instead(source, &attribute.key, near));
    }
    let title = info.attribute("title").map(|title| title.value.trim()).filter(|title| !title.is_empty());
    let result = || sheet.declarations.iter().find(|declared| declared.pin.is_some());
    let title = title.map_or_else(|| result().map_or_else(String::new, |result| result.name.clone()), str::to_owned);
    let file = info.attribute("file").map(|file| (fence::file_ref(source, head, file, out), file.span.clone()));
    let stack = Stack::read(source, info, sheet, out);
    let front = stack::front(source, info, stack.is_some(), out);
    Calculator { id: format!("C-{}", slug(&title)), title, file, stack, front }
}

/// Makes the ids of calculators unique: the second of two with the same title gets `-1`.
pub fn assign_ids(blocks: &mut [ValueBlock]) {
    let mut ids = Ids::default();
    for calculator in blocks.iter_mut().filter_map(|block| block.calculator.as_mut()) {
        calculator.id = ids.give(std::mem::take(&mut calculator.id), 1);
    }
}

/// Finds the names of pages without a hyphen in formulas: in `sharding.peak`, `sharding` is a page if no block of this page
/// declares the name, nor one so similar that this is a typing error.
pub fn name_pages(blocks: &mut [ValueBlock]) {
    if !blocks.iter().all(|block| block.sheet.is_whole) {
        return;
    }
    let declarations = blocks.iter().flat_map(|block| &block.sheet.declarations);
    let declared: BTreeSet<String> = declarations.map(|declaration| declaration.name.clone()).collect();
    let is_page = |name: &str| !declared.contains(name) && nearest(name, declared.iter().map(String::as_str)).is_none();
    for block in blocks {
        block.sheet.name_pages(&is_page);
    }
}

/// Returns where the names are declared that formulas need from elsewhere than the page itself.
pub fn elsewhere(blocks: &[ValueBlock]) -> Vec<Origin> {
    let declarations = blocks.iter().flat_map(|block| &block.sheet.declarations);
    let origins = declarations.flat_map(|declaration| declaration.expression.names()).map(|name| &name.origin);
    origins.filter(|origin| **origin != Origin::Here).cloned().collect()
}
