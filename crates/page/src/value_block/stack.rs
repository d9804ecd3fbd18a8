//! Reads how a calculator stacks values against a limit: `stack="weights, cache" limit=card vary="cards, Card"`.

use crate::fence::{Attribute, Info, invalid};
use infralens_source::diag::{Diagnostic, codes, similar};
use infralens_source::source::{Source, Span};
use infralens_units::{Domain, Kind, Sheet};

/// A name in an attribute, and its place in the file.
pub type Named = (String, Span);

/// Values that are drawn as one bar against a limit.
#[derive(Debug)]
pub struct Stack {
    /// The inputs and results that are added, in the order of the bar.
    pub parts: Vec<Named>,
    /// The input or result that their sum should not exceed.
    pub limit: Named,
    /// What may be changed so that the sum stays within the limit: groups of presets, and inputs with choices.
    pub vary: Vec<String>,
}

impl Stack {
    /// Reads the attributes of a calculator; `None` if it stacks nothing, or if what it stacks cannot be read.
    pub(super) fn read(source: &Source, info: &Info, sheet: &Sheet, out: &mut Vec<Diagnostic>) -> Option<Self> {
        let (stack, limit, vary) = match (info.attribute("stack"), info.attribute("limit"), info.attribute("vary")) {
            (Some(stack), Some(limit), vary) => (stack, limit, vary),
            (None, None, None) => return None,
            (stack, limit, vary) => {
                let found = stack.or(limit).or(vary)?;
                let (needed, help) = if stack.is_some() {
                    ("limit", "name the input or result that the sum is compared with, as in `limit=card`")
                } else {
                    ("stack", "list what is added, as in `stack=\"weights, cache\"`")
                };
                let message = format!("`{}` has no effect without `{needed}`", found.key);
                out.push(invalid(source, found.key_span.clone(), message).help(help));
                return None;
            }
        };
        let mut parts = names(source, stack, out);
        parts.retain(|name| is_number(source, sheet, name, out));
        let limit = (limit.value.trim().to_owned(), limit.span.clone());
        let has_limit = is_number(source, sheet, &limit, out);
        let known = variables(sheet);
        let vary = vary.map_or_else(Vec::new, |vary| names(source, vary, out));
        for (name, span) in vary.iter().filter(|(name, _)| sheet.is_whole && !known.contains(name)) {
            let message =
                format!("`{name}` is neither a group of presets nor an input with choices of this calculator");
            let error = source.diagnostic(codes::E0602, span.clone(), message);
            out.push(error.instead(source, name, similar(name, known.iter().map(String::as_str))));
        }
        let vary: Vec<String> = vary.into_iter().map(|(name, _)| name).filter(|name| known.contains(name)).collect();
        let vary = if info.attribute("vary").is_some() { vary } else { known };
        (has_limit && !parts.is_empty()).then_some(Self { parts, limit, vary })
    }
}

/// Reads `front=`; returns its place if it is `true`.
pub(super) fn front(source: &Source, info: &Info, has_stack: bool, out: &mut Vec<Diagnostic>) -> Option<Span> {
    let front = info.attribute("front")?;
    match front.value.as_str() {
        "true" if info.attribute("stack").is_none() => {
            let message = "the front calculator of a course shows a bar";
            out.push(invalid(source, front.key_span.clone(), message).help("give it `stack=` and `limit=`"));
            None
        }
        "true" => has_stack.then_some(front.key_span.start..front.span.end),
        "false" => None,
        other => {
            out.push(invalid(source, front.span.clone(), format!("`front` is `true` or `false`, not `{other}`")));
            None
        }
    }
}

/// Returns the names of what can be changed in one step: inputs with choices, and groups of presets.
fn variables(sheet: &Sheet) -> Vec<String> {
    let choices = sheet.declarations.iter().filter(|one| matches!(one.kind, Kind::Input(Domain::Choice(_))));
    let groups = sheet.groups().into_iter().filter_map(|(group, _)| group.map(str::to_owned));
    choices.map(|one| one.name.clone()).chain(groups).collect()
}

/// Returns the names in a list, each once, and reports what is wrong with the list.
fn names(source: &Source, list: &Attribute, out: &mut Vec<Diagnostic>) -> Vec<Named> {
    let mut names: Vec<Named> = Vec::new();
    let mut at = list.span.start;
    for item in list.value.split(',') {
        let start = at + (item.len() - item.trim_start().len());
        let span = start..start + item.trim().len();
        at += item.len() + 1;
        let name = item.trim();
        if name.is_empty() {
            out.push(invalid(source, list.span.clone(), format!("`{}` has an empty name in its list", list.key)));
        } else if names.iter().any(|(known, _)| known == name) {
            out.push(invalid(source, span, format!("`{name}` is in this list twice")));
        } else {
            names.push((name.to_owned(), span));
        }
    }
    names
}

/// Returns whether a name is that of an input or a result, and reports one that is not.
fn is_number(source: &Source, sheet: &Sheet, (name, span): &Named, out: &mut Vec<Diagnostic>) -> bool {
    let candidates = || sheet.declarations.iter().filter(|one| matches!(one.kind, Kind::Input(_) | Kind::Result));
    let is_known = candidates().any(|one| one.name == *name);
    // A name that is missing because its line has an error is not reported a second time.
    if !is_known && sheet.is_whole {
        let message = format!("`{name}` is not an input or a result of this calculator");
        let error = source.diagnostic(codes::E0602, span.clone(), message);
        out.push(error.instead(source, name, similar(name, candidates().map(|one| one.name.as_str()))));
    }
    is_known
}
