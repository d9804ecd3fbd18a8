//! What templates are given, from the documentation of the structures that they are given.

use std::fs;

use crate::harness::repository;

/// The fields of a structure, a row each.
pub fn table(name: &str) -> String {
    let files = ["src/theme/context.rs", "src/theme/context/page.rs"];
    let text: String = files.map(|path| fs::read_to_string(repository(path)).expect("a source file")).concat();
    let heads = [format!("pub struct {name}<'a> {{\n"), format!("pub struct {name} {{\n")];
    let body = heads.iter().find_map(|head| text.split_once(head)).and_then(|(_, rest)| rest.split_once("\n}\n"));
    let (body, _) = body.unwrap_or_else(|| panic!("templates are given no `{name}`"));
    let mut rows = vec!["| Field | Description |".to_owned(), "| --- | --- |".to_owned()];
    let mut doc = Vec::new();
    let mut is_spread = false;
    for line in body.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            doc.push(text.trim());
        } else if line == "#[serde(flatten)]" {
            is_spread = true;
        } else if std::mem::take(&mut is_spread) {
            // Its fields are in the table of what is spread here.
            doc.clear();
        } else if let Some((field, _)) = line.strip_prefix("pub ").and_then(|line| line.split_once(':')) {
            let said = linked(&std::mem::take(&mut doc).join(" "));
            rows.push(format!("| `{}` | {said} |", field.trim_start_matches("r#")));
        }
    }
    rows.join("\n")
}

/// Links between structures are only their names here.
fn linked(doc: &str) -> String {
    doc.replace("[`", "`").replace("`]", "`")
}
