//! Reports figures that no value of their page prints and that are not given, and given ones that the page does not print.

use std::collections::BTreeSet;

use super::at;
use infralens_course::references::References;
use infralens_page::Document;
use infralens_render::figures::{Origin, PageValues};
use infralens_source::diag::{Diagnostic, codes};
use infralens_units::{Figure, Kind};

/// Reports the figures of a page whose origin is unknown.
pub fn unprinted(document: &Document, values: &PageValues, found: &mut Vec<Diagnostic>) {
    // Which figures a value would print that cannot be read or computed is unknown.
    let is_complete = values.is_complete && document.body.values.iter().all(|block| block.sheet.is_whole);
    for figure in &values.figures {
        let value = |index: usize| {
            let value = &values.values[index];
            (&value.name, figure.print(value))
        };
        let (message, help) = match figure.origin {
            Origin::Value(_) | Origin::Given(_) => continue,
            Origin::Unknown(_) if !is_complete => continue,
            Origin::Misnamed(index) => {
                let (name, printed) = value(index);
                (format!("`{}` is printed as `{name}`, which is {printed}", figure.text), format!("write {printed}"))
            }
            Origin::Unknown(Some(index)) => {
                let (name, printed) = value(index);
                let help = format!(
                    "the nearest value is `{name}`, {printed}; declare another value, or list the figure in `given:`"
                );
                (format!("no value of this page prints `{}`", figure.text), help)
            }
            Origin::Unknown(None) => {
                // The first number of `6–40 µs` has the unit of the second.
                let Figure { span, format, .. } = &figure.figure;
                let lacks_unit = span.len() == figure.figure.digits.len() && !format.unit.name.is_empty();
                let unit = if lacks_unit { format!(" {}", format.unit.name) } else { String::new() };
                let help = format!(
                    "declare a value, or list it in the front matter: `given: {{ {}{unit}: \"its source\" }}`",
                    figure.text
                );
                (format!("no value of this page prints `{}`", figure.text), help)
            }
        };
        found.push(at(document, figure.span.clone(), codes::FIGURE, message).help(help));
    }
}

/// Reports calculators whose last line is computed and not shown: nearly always its pin was forgotten.
pub fn unshown(document: &Document, found: &mut Vec<Diagnostic>) {
    for block in document.body.values.iter().filter(|block| block.calculator.is_some() && block.sheet.is_whole) {
        let last =
            block.sheet.declarations.last().filter(|last| matches!(last.kind, Kind::Result) && last.pin.is_none());
        found.extend(last.map(|last| {
            let message = format!("the calculator ends with `{}`, and does not show it", last.name);
            let help = "end the line with `# =`, and `infralens sync` fills in the result";
            at(document, last.span.clone(), codes::FIGURE, message).help(help).hint()
        }));
    }
}

/// Reports entries of `given` that the page does not print, or whose source is a key that the bibliography lacks.
pub fn given(document: &Document, values: &PageValues, references: &References, found: &mut Vec<Diagnostic>) {
    let printed: BTreeSet<Origin> = values.figures.iter().map(|figure| figure.origin).collect();
    for (index, (text, source)) in document.front.common.given.0.iter().enumerate() {
        if !printed.contains(&Origin::Given(index)) {
            let message = format!("the page does not print the given figure `{}`", text.value);
            found.push(
                at(document, text.span.clone(), codes::FIGURE, message).help("correct the figure, or delete the entry"),
            );
        }
        let key = source.value.as_str();
        let is_unknown_key = !key.contains(' ') && references.get(key).is_none();
        if let Some(near) = is_unknown_key.then(|| references.nearest(key)).flatten() {
            let message = format!("`content/references.yaml` has no `{key}`");
            let error = at(document, source.span.clone(), codes::FIGURE, message);
            found.push(error.instead(&document.source, key, Some(near)));
        }
    }
}
