//! What templates are given, from the declarations of the structures that they are given.

use infralens_theme::context::fields::structures;

/// The fields of a structure, a row each.
pub fn table(name: &str) -> String {
    let structure = structures().into_iter().find(|known| known.name == name);
    let structure = structure.unwrap_or_else(|| panic!("templates are given no `{name}`"));
    let mut rows = vec!["| Field | Description |".to_owned(), "| --- | --- |".to_owned()];
    rows.extend(structure.fields.iter().map(|(field, about)| format!("| `{field}` | {about} |")));
    rows.join("\n")
}
