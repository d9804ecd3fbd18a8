//! The `sarif` format: SARIF 2.1.0, for code scanning services and editors.
//!
//! Paths are relative to `%SRCROOT%`: the course's root, or the repository that contains it. As the format requires,
//! columns count code points from 1 without a byte order mark, and ends are exclusive. A diagnostic about a whole
//! file has no region. There are no fingerprints: services compute them from the lines.

use serde_json::{Map, Value, json};

use super::{Cursor, escape, positions};
use infralens_source::diag::{Code, Diagnostic, Fix, Place, Severity};
use infralens_source::project::Project;
use infralens_source::url;

/// Returns all diagnostics as one SARIF log, with the rules for their codes. `base` is the path from the repository
/// to the course: empty, or with a slash at its end.
pub fn sarif(diagnostics: &[Diagnostic], project: &Project, base: &str) -> String {
    let mut rules: Vec<Code> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    rules.sort_by_key(|rule| rule.id);
    rules.dedup();
    let mut writer = Writer { rules: &rules, base, project, cursor: Cursor::default(), related: Cursor::default() };
    let results: Vec<Value> = diagnostics.iter().map(|diagnostic| writer.result(diagnostic)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "InfraLens",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|&code| rule(code)).collect::<Vec<_>>(),
            } },
            "originalUriBaseIds": { "%SRCROOT%": { "description": { "text": "The root of the repository, or of the course" } } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut out = String::new();
    escape(&format!("{log:#}\n"), &mut out);
    out
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "note",
    }
}

fn rule(code: Code) -> Value {
    let text = code.text.trim_start_matches("# ");
    let body = text.split_once("\n\n").map_or(text, |(_, body)| body);
    let first = body.split("\n\n").next().unwrap_or(body);
    json!({
        "id": code.id,
        "name": pascal(code.title),
        "shortDescription": { "text": code.title },
        "fullDescription": { "text": first.split_whitespace().collect::<Vec<_>>().join(" ") },
        "help": { "text": text, "markdown": code.text },
        "defaultConfiguration": { "level": level(code.severity()) },
    })
}

/// Converts a title such as `unknown key` to `UnknownKey`, the form that SARIF requires of a rule's name.
fn pascal(title: &str) -> String {
    let words = title.split(|found: char| !found.is_alphanumeric()).filter_map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    });
    words.collect()
}

struct Writer<'a> {
    rules: &'a [Code],
    base: &'a str,
    project: &'a Project,
    cursor: Cursor,
    /// A separate cursor for related places, so that the columns of a long line are not counted again for each
    /// diagnostic.
    related: Cursor,
}

impl Writer<'_> {
    fn result(&mut self, diagnostic: &Diagnostic) -> Value {
        let help = diagnostic.help.iter().map(|help| format!("help: {help}"));
        let notes = diagnostic.notes.iter().map(|note| note.trim_end_matches('\n').to_owned());
        let parts = std::iter::once(diagnostic.message.clone()).chain(notes).chain(help);
        let mut result = json!({
            "ruleId": diagnostic.code.id,
            "ruleIndex": self.rules.partition_point(|rule| rule.id < diagnostic.code.id),
            "level": level(diagnostic.severity),
            "message": { "text": parts.collect::<Vec<_>>().join("\n") },
            "locations": [location(self.base, self.project, &mut self.cursor, &diagnostic.place, &diagnostic.label)],
        });
        if !diagnostic.related.is_empty() {
            let Self { base, project, related, .. } = self;
            let places = diagnostic.related.iter();
            let places = places.map(|(place, label)| location(base, project, related, place, label));
            result["relatedLocations"] = places.collect();
        }
        let fixes: Vec<Value> = diagnostic.fixes.iter().filter_map(|fix| self.fix(fix)).collect();
        if !fixes.is_empty() {
            result["fixes"] = fixes.into();
        }
        result
    }

    /// Returns a fix; `None` for one that renames a file, for which the format has no words.
    fn fix(&self, fix: &Fix) -> Option<Value> {
        let mut files: Vec<(&str, Vec<Value>)> = Vec::new();
        for edit in &fix.edits {
            let region = region(self.project, &mut Cursor::default(), &edit.place)?;
            let replacement = json!({ "deletedRegion": region, "insertedContent": { "text": edit.text } });
            match files.iter_mut().find(|(file, _)| *file == &*edit.place.file) {
                Some((_, replacements)) => replacements.push(replacement),
                None => files.push((&edit.place.file, vec![replacement])),
            }
        }
        let changes = files.into_iter().map(|(file, replacements)| {
            json!({ "artifactLocation": artifact(self.base, file), "replacements": replacements })
        });
        let changes: Vec<Value> = changes.collect();
        let is_rename = fix.rename.is_some() || changes.is_empty();
        (!is_rename).then(|| json!({ "description": { "text": fix.title }, "artifactChanges": changes }))
    }
}

fn artifact(base: &str, file: &str) -> Value {
    json!({ "uri": url::encode(&format!("{base}{file}")), "uriBaseId": "%SRCROOT%" })
}

fn region(project: &Project, cursor: &mut Cursor, place: &Place) -> Option<Value> {
    let (start, end) = positions(place, project, cursor)?;
    Some(json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }))
}

/// Returns a place with its label, if it has one.
fn location(base: &str, project: &Project, cursor: &mut Cursor, place: &Place, label: &str) -> Value {
    let mut physical = Map::new();
    physical.insert("artifactLocation".to_owned(), artifact(base, &place.file));
    if let Some(region) = region(project, cursor, place) {
        physical.insert("region".to_owned(), region);
    }
    if label.is_empty() {
        return json!({ "physicalLocation": physical });
    }
    json!({ "physicalLocation": physical, "message": { "text": label } })
}
