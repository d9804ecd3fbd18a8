//! Checks of calculators that stack values against a limit, which need what the values are.

use serde_json::{Value as Json, json};

use super::{Computation, PageValues};
use infralens_course::config::Labels;
use infralens_page::{Document, Stack};
use infralens_render::calculator::stack;
use infralens_source::diag::{Diagnostic, Place, codes};

/// Reports each part of a stack that is not measured in the unit of its limit.
pub(super) fn check(document: &Document, stack: &Stack, values: &PageValues) -> Vec<Diagnostic> {
    let dimension = |name: &str| Some(values.values[values.named(name)?].quantity?.dimension);
    let Some(limit) = dimension(&stack.limit.0) else { return Vec::new() };
    let different = stack.parts.iter().filter_map(|(name, span)| {
        let part = dimension(name).filter(|&part| part != limit)?;
        let (has, needs) = (part.describe(), limit.describe());
        let message = format!("`{name}` has {has}, but its limit `{}` has {needs}", stack.limit.0);
        let error = document.source.diagnostic(codes::E0604, span.clone(), message);
        Some(error.help("what is added up and its limit need the same kind of unit"))
    });
    different.collect()
}

/// Writes what `static/stack.js` needs to know.
pub(super) fn json(stack: &Stack) -> Json {
    let parts: Vec<&str> = stack.parts.iter().map(|(name, _)| name.as_str()).collect();
    json!({ "parts": parts, "limit": stack.limit.0, "vary": stack.vary })
}

/// A calculator that says `front=true`: the index of its page, that of its block there, and the place of the word.
pub(super) type FrontCalculator = (usize, usize, Place);

/// Finds the front calculators of the course, which has one.
pub(super) fn find_front(computation: &Computation<'_>) -> Vec<FrontCalculator> {
    let mut found = Vec::new();
    for (index, page) in computation.pages.iter().enumerate().filter(|(_, page)| page.page.is_some()) {
        for (block, values) in page.document.body.values.iter().enumerate() {
            let front = values.calculator.as_ref().and_then(|calculator| calculator.front.clone());
            found.extend(front.map(|front| (index, block, page.document.source.place(front))));
        }
    }
    found
}

/// Adds the front calculator of the course to the values of its page, and reports those after the first.
pub(super) fn add_front(
    all: &[FrontCalculator],
    values: &mut PageValues,
    document: &Document,
    page: usize,
    labels: &Labels,
) {
    for (index, (_, block, place)) in all.iter().enumerate().filter(|(_, (of, ..))| *of == page) {
        if index == 0 {
            values.front = stack::front(document, values, *block, labels);
            continue;
        }
        values.diagnostics.push(
            Diagnostic::new(codes::E0608, place.clone(), "the course has a second front calculator")
                .related(all[0].2.clone(), "the first is here")
                .help("its page of calculators shows one: delete one of the two `front=true`"),
        );
    }
}
