//! The fields of the structures that templates receive, from their declarations, so that no list of them can be outdated.

/// The sources that declare them.
const SOURCES: [&str; 2] = [include_str!("../context.rs"), include_str!("page.rs")];

/// A structure that templates receive.
#[derive(Debug, PartialEq, Eq)]
pub struct Structure {
    /// Its name, such as `Page`.
    pub name: &'static str,
    /// Its fields with their descriptions, in Markdown. Those of a structure that is spread in it are not repeated.
    pub fields: Vec<(&'static str, String)>,
}

/// Returns all structures, in the order of the sources.
pub fn structures() -> Vec<Structure> {
    SOURCES.iter().flat_map(|source| source.split("\npub struct ").skip(1)).map(structure).collect()
}

/// Reads a structure from the text that begins with its name.
fn structure(text: &'static str) -> Structure {
    let name = text.split(['<', ' ']).next().unwrap_or_default();
    let mut fields = Vec::new();
    let mut doc = Vec::new();
    let mut is_spread = false;
    for line in text.lines().skip(1).take_while(|line| *line != "}").map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            doc.push(text.trim());
        } else if line.starts_with("#[serde(flatten)") {
            is_spread = true;
        } else if let Some((field, _)) = line.strip_prefix("pub ").and_then(|line| line.split_once(':')) {
            // Links between structures are only their names here.
            let description = std::mem::take(&mut doc).join(" ").replace("[`", "`").replace("`]", "`");
            if !std::mem::take(&mut is_spread) {
                fields.push((field.trim_start_matches("r#"), description));
            }
        }
    }
    Structure { name, fields }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::Page;
    use super::*;

    #[test]
    fn the_fields_are_those_that_templates_receive() {
        let structures = structures();
        let page = structures.iter().find(|known| known.name == "Page").expect("the page");
        let listed: BTreeSet<&str> = page.fields.iter().map(|(name, _)| *name).collect();
        let value = serde_json::to_value(Page::default()).expect("JSON");
        let received: BTreeSet<&str> = value.as_object().expect("a map").keys().map(String::as_str).collect();
        assert_eq!(listed, received);
        assert!(structures.iter().all(|known| known.fields.iter().all(|(_, about)| !about.is_empty())));
    }
}
