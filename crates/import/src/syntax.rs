//! Finds the places of a book that need an extension or a plugin that is not known here, by the marks of its syntax.

use std::collections::BTreeMap;
use std::fmt::Write;

use pulldown_cmark::{Event, Tag};

use super::edits::is_within;
use super::mkdocs::{entries, get, items, scalar};
use super::page::parse;
use super::settings::{listed, table};
use super::{Kind, Loss};
use infralens_source::diag::quantity;
use infralens_source::project::Project;
use infralens_source::source::{Source, Span, lines_from};
use infralens_source::yaml::Tree;

/// Says what becomes of a plugin.
pub fn plugin(source: &Source, span: &Span, name: &str) -> Loss {
    let taken = known(name).and_then(|known| get(entries(&known), "taken").and_then(scalar));
    let kind = if taken.is_some() { Kind::Taken } else { Kind::Plugin };
    let taken = taken.map(|taken| format!(": {taken}")).unwrap_or_default();
    Loss::at(kind, source, span, format!("`{name}`{taken}"))
}

/// Returns what the table says of an extension or a plugin.
fn known(name: &str) -> Option<Tree> {
    listed(&table("plugins"), |known| name.contains(known)).cloned()
}

/// The number of places that are named.
const NAMED: usize = 5;

/// Adds to each loss of an extension or a plugin how many places of the pages in `folder` it concerns, and the first ones.
pub fn add_places(project: &Project, folder: &str, losses: &mut [Loss]) {
    for loss in losses.iter_mut().filter(|loss| matches!(loss.kind, Kind::Extension | Kind::Plugin)) {
        let name = loss.detail.trim_matches('`');
        let Some(known) = known(name) else { continue };
        let marks: Vec<String> =
            get(entries(&known), "marks").map(items).unwrap_or_default().iter().filter_map(scalar).collect();
        if !marks.is_empty() {
            let places = places(project, folder, &marks);
            let _ = write!(loss.detail, ": {}", quantity(places.len(), "place"));
            let named = places.iter().take(NAMED).map(|(path, line)| format!(" {path}:{line}")).collect::<Vec<_>>();
            loss.detail.extend((!named.is_empty()).then(|| format!(", first{}", named.join(","))));
        }
        let advice = get(entries(&known), "left").and_then(scalar);
        loss.detail.extend(advice.map(|advice| format!("; {advice}")));
    }
}

/// Makes one loss of all those of the same component, with the number of its places and the first of them.
pub fn add_components(losses: &mut Vec<Loss>) {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    losses.retain_mut(|loss| {
        if loss.kind != Kind::Component {
            return true;
        }
        let found = places.entry(loss.detail.clone()).or_default();
        found.push(format!("{}:{}", loss.path, loss.line.unwrap_or(1)));
        found.len() == 1
    });
    for loss in losses.iter_mut().filter(|loss| loss.kind == Kind::Component) {
        let places = &places[&loss.detail];
        if places.len() > 1 {
            let others = places[1..].iter().take(NAMED - 1).cloned().collect::<Vec<_>>().join(", ");
            let _ = write!(loss.detail, ": {}, also {others}", quantity(places.len(), "place"));
        }
    }
}

/// Returns the lines outside of code that contain one of some marks.
fn places<'p>(project: &'p Project, folder: &str, marks: &[String]) -> Vec<(&'p str, usize)> {
    let mut found = Vec::new();
    for path in project.files.keys().filter(|path| path.starts_with(folder) && path.ends_with(".md")) {
        let Some(source) = project.text(path) else { continue };
        let text = source.text();
        let has = |line: &str| marks.iter().any(|mark| format!("\n{line}").contains(mark.as_str()));
        if !lines_from(text, 0).any(|(_, line)| has(line)) {
            continue;
        }
        let is_code = |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
        let code: Vec<_> = parse(text).filter(|(event, _)| is_code(event)).map(|(_, span)| span).collect();
        let starts = |line: &str| {
            let at = marks.iter().filter_map(|mark| line.find(mark.trim_start_matches('\n'))).min();
            at.unwrap_or_default()
        };
        let lines = lines_from(text, 0).filter(|(at, line)| has(line) && !is_within(&code, at + starts(line)));
        found.extend(lines.map(|(at, _)| (&**path, source.line(at) + 1)));
    }
    found
}
