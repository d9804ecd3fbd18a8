//! Reports figures that no value of their page prints and that are not given, and given ones that the page does not print.
//! Offers to write what the nearest value is, or to list the figure in `given`.

use std::collections::BTreeSet;

use super::at;
use super::empty::FILL;
use infralens_course::references::References;
use infralens_page::{Document, front_matter};
use infralens_render::figures::{Origin, PageValues, PrintedFigure};
use infralens_source::diag::{Diagnostic, Edit, Fix, codes};
use infralens_source::yaml::{self, Node};
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
        // The first number of `6–40 µs` has the unit of the second.
        let Figure { span, format, digits, .. } = &figure.figure;
        let lacks_unit = span.len() == digits.len() && !format.unit.name.is_empty();
        let whole = if lacks_unit { format!("{} {}", figure.text, format.unit.name) } else { figure.text.clone() };
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
                let help =
                    format!("declare a value, or list it in the front matter: `given: {{ {whole}: \"its source\" }}`");
                (format!("no value of this page prints `{}`", figure.text), help)
            }
        };
        let (near, is_given) = match figure.origin {
            Origin::Misnamed(index) => (Some(index), false),
            Origin::Unknown(near) => (near, true),
            Origin::Value(_) | Origin::Given(_) => (None, false),
        };
        let printed = near.filter(|_| !lacks_unit).map(|index| figure.print(&values.values[index]));
        found.push(
            at(document, figure.span.clone(), codes::FIGURE, message)
                .help(help)
                .fix(printed.and_then(|printed| write_fix(document, figure, printed)))
                .fix(if is_given { given_fix(document, &whole) } else { None }),
        );
    }
}

/// Returns the fix that writes another figure, if the source has this one as readers see it.
fn write_fix(document: &Document, figure: &PrintedFigure, printed: String) -> Option<Fix> {
    let source = &document.source;
    let is_plain = source.text().get(figure.span.clone()) == Some(&figure.text) && printed != figure.text;
    let title = format!("write {printed}");
    is_plain.then(|| Fix::new(title, vec![Edit::new(source, figure.span.clone(), printed)]))
}

/// Returns the fix that lists a figure in `given`.
fn given_fix(document: &Document, figure: &str) -> Option<Fix> {
    let (source, front) = (&document.source, front_matter::split(&document.source).0?);
    let root = yaml::parse(source, front.clone()).root?;
    let Node::Map(entries) = &*root.value else { return None };
    let entry = format!("{}: \"{FILL}: its source\"", yaml::to_scalar(figure));
    let (span, text) = match entries.iter().find(|(key, _)| key.value == "given") {
        None => yaml::add_entry(source, &root, front.end, &format!("given: {{ {entry} }}")),
        Some((_, given)) => {
            let Node::Map(given_entries) = &*given.value else { return None };
            let (_, last) = given_entries.last()?;
            let end =
                source.text()[last.span.start..front.end].find('\n').map_or(front.end, |end| last.span.start + end + 1);
            yaml::add_entry(source, given, end, &entry)
        }
    };
    Some(Fix::new(format!("list {figure} in `given:`"), vec![Edit::new(source, span, text)]))
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
