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
        let error = Diagnostic::new(codes::E0604, Place::new(document.source.path(), span.clone()), message);
        Some(error.help("what is added up and its limit need the same kind of unit"))
    });
    different.collect()
}

/// Writes what `static/stack.js` needs to know.
pub(super) fn json(stack: &Stack) -> Json {
    let parts: Vec<&str> = stack.parts.iter().map(|(name, _)| name.as_str()).collect();
    json!({ "parts": parts, "limit": stack.limit.0, "vary": stack.vary })
}

/// Finds the front calculator of the course, and reports a second one.
pub(super) fn find_front(computation: &Computation<'_>, pages: &mut [PageValues], labels: &Labels) {
    let mut first: Option<Place> = None;
    for (page, values) in computation.pages.iter().zip(pages).filter(|(page, _)| page.page.is_some()) {
        let document = page.document;
        for (index, block) in document.body.values.iter().enumerate() {
            let Some(front) = block.calculator.as_ref().and_then(|calculator| calculator.front.clone()) else {
                continue;
            };
            let place = Place::new(document.source.path(), front);
            match &first {
                None => {
                    values.front = stack::front(document, values, index, labels);
                    first = Some(place);
                }
                Some(first) => values.diagnostics.push(
                    Diagnostic::new(codes::E0608, place, "the course has a second front calculator")
                        .related(first.clone(), "the first is here")
                        .help("its page of calculators shows one: delete one of the two `front=true`"),
                ),
            }
        }
    }
}
