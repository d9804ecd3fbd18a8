//! Excerpts of records: `file=record:NAME` shows what a command of the page's lab printed, if that is text.

use std::sync::Arc;

use infralens_course::course::starter::RECORD;
use infralens_course::records::Record;
use infralens_page::Document;
use infralens_source::diag::{Diagnostic, Near, Place, codes, similar};
use infralens_source::project::Project;
use infralens_source::selector::{FileRef, Selector};
use infralens_source::source::Source;
use serde_json::Value;

/// Returns what is wrong with a reference to a record, apart from the record itself.
pub fn problem(document: &Document, file: &FileRef) -> Option<Diagnostic> {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let name = name.strip_prefix(RECORD)?;
    let report = |message: String| document.source.diagnostic(codes::E0617, file.path_span.clone(), message);
    let Some(lab) = &document.front.lab else {
        return Some(report("only a lab has records".into()).help("show it in the lab that declares the record"));
    };
    let written = format!("{RECORD}{name}");
    if !folder.is_empty() {
        let error = report("a page shows records of its own lab alone".into());
        return Some(
            error.meant(Some(Near::unsure(written))).help("`record:NAME` names a record of `starter: record:`"),
        );
    }
    let declared = || lab.starter.record.0.iter().map(|(name, _)| &*name.value);
    if !declared().any(|known| known == name) {
        let near = similar(name, declared()).map(|near| near.written(|near| format!("{RECORD}{near}")));
        let error = report(format!("this lab declares no record `{name}`")).meant(near);
        return Some(
            error.help("a lab declares records in its front matter, as `starter: { record: { NAME: COMMAND } }`"),
        );
    }
    let (_, span) = file.selectors.iter().find(|(selector, _)| !matches!(selector, Selector::Lines(..)))?;
    let error = document.source.diagnostic(codes::E0617, span.clone(), "a record has neither regions nor symbols");
    Some(error.help("write lines, as in `file=record:NAME#L3-L9`"))
}

/// Returns what the record at a path of the course printed, as a source at the path of the excerpts that show it: `known`, if
/// that is the same. `None` if the record cannot be read, which is reported where it is declared.
///
/// # Errors
///
/// A diagnostic at `place` if the record has no text.
pub fn source(
    project: &Project,
    path: &str,
    record: &str,
    known: Option<&Arc<Source>>,
    place: Place,
) -> Result<Option<Arc<Source>>, Box<Diagnostic>> {
    let Some(record) = project.text(record).and_then(|file| Record::parse(file.text()).ok()) else { return Ok(None) };
    let Value::String(text) = &*record.output else {
        let error = Diagnostic::new(codes::E0617, place, "this record is JSON, and an excerpt shows text");
        return Err(Box::new(error.help("print its numbers as values, or record a command that prints text")));
    };
    if text.trim().is_empty() {
        let error = Diagnostic::new(codes::E0617, place, "this record is empty");
        return Err(Box::new(error.help(format!("`{}` printed nothing", record.command))));
    }
    let known = known.filter(|known| known.text() == text);
    Ok(Some(known.map_or_else(|| Arc::new(Source::new(path, text.as_str())), Arc::clone)))
}
