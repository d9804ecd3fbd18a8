//! Generates JSON Schemas of what authors write in YAML: the front matter of each kind of page, `site.yaml` and
//! `references.yaml`. They are made from the types that decode it, so an editor requires exactly what the build requires.
//!
//! 1. [`schema`] makes the schema of one [`Kind`]; [`all`] and [`files`] collect the schemas of all kinds.
//! 2. [`modeline`] makes the comment that tells an editor the schema of a file.
//!
//! The schemas use draft 7, because the YAML language server supports "JSON Schema 7 and below" and nothing here needs a
//! later draft.

use serde_json::{Map, json};

use crate::config::Config;
use crate::references::References;
use infralens_page::front_matter;
use infralens_source::yaml::{Field, Json, Record, Type};

/// The folder of the schemas, from the course's root.
const FOLDER: &str = ".infralens/schema";

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The front matter of a lab.
    Lab,
    /// The front matter of a handbook section.
    Section,
    /// The front matter of a track's front page.
    Track,
    /// The front matter of any other page.
    Page,
    /// `content/site.yaml`.
    Site,
    /// `content/references.yaml`.
    References,
}

impl Kind {
    pub const ALL: [Self; 6] = [Self::Lab, Self::Section, Self::Track, Self::Page, Self::Site, Self::References];

    /// Returns its name, and the title of its schema.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Lab => ("lab", "the front matter of a lab"),
            Self::Section => ("section", "the front matter of a handbook section"),
            Self::Track => ("track", "the front matter of a track"),
            Self::Page => ("page", "the front matter of a page"),
            Self::Site => ("site", "content/site.yaml, the site's configuration"),
            Self::References => ("references", "content/references.yaml, the bibliography, by keys that pages cite"),
        }
    }

    /// Returns its name on the command line and in file names.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the path of its schema from the course's root, with `/`.
    pub fn path(self) -> String {
        format!("{FOLDER}/{}.json", self.name())
    }

    fn body(self) -> Map<String, Json> {
        match self {
            Self::Lab => record(&front_matter::Kind::Lab.fields()),
            Self::Section => record(&front_matter::Kind::Section.fields()),
            Self::Track => record(&front_matter::Kind::Track.fields()),
            Self::Page => record(&front_matter::Kind::Page.fields()),
            Self::Site => record(Config::FIELDS),
            Self::References => value(References::TYPE, false),
        }
    }
}

pub fn schema(kind: Kind) -> Json {
    let title = format!("InfraLens: {}", kind.names().1);
    let mut schema = object(json!({ "$schema": "http://json-schema.org/draft-07/schema#", "title": title }));
    schema.extend(kind.body());
    schema.into()
}

/// Returns a JSON object of all schemas, by the names of their kinds.
pub fn all() -> Json {
    Kind::ALL.into_iter().map(|kind| (kind.name().to_owned(), schema(kind))).collect::<Map<_, _>>().into()
}

/// Returns the schemas as files of a course: the path from the course's root, and the text.
pub fn files() -> Vec<(String, String)> {
    Kind::ALL.into_iter().map(|kind| (kind.path(), text(&schema(kind)))).collect()
}

/// Formats a schema as indented JSON with a final line break.
pub fn text(schema: &Json) -> String {
    format!("{schema:#}\n")
}

/// Returns the comment that tells an editor the schema of a file, without a line break. It is the first line of front
/// matter or of a YAML file. `file` is the path of the file that contains the comment, from the course's root.
pub fn modeline(kind: Kind, file: &str) -> String {
    let up = "../".repeat(file.matches('/').count());
    format!("# yaml-language-server: $schema={up}{}", kind.path())
}

/// Returns the schema of a map with these keys and no others.
fn record(fields: &[Field]) -> Map<String, Json> {
    let properties: Map<String, Json> =
        fields.iter().map(|field| (field.name.to_owned(), property(field).into())).collect();
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = object(json!({ "type": "object", "properties": properties, "additionalProperties": false }));
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

fn property(field: &Field) -> Map<String, Json> {
    let mut sentences = vec![field.description()];
    match field.ty {
        Type::ValidatedText(valid) => sentences.push(format!("It is {valid}.")),
        Type::OneOf(choices) => {
            sentences.extend(choices.iter().map(|choice| format!("`{}`: {}", choice.name, choice.description())));
        }
        _ => {}
    }
    let mut schema = object(json!({ "description": sentences.join(" ") }));
    schema.extend(value(field.ty, field.required).into_iter().filter(|(key, _)| key != "description"));
    // The keys of a record have defaults of their own.
    if !field.required
        && !matches!(field.ty, Type::Record(_))
        && let Some(default) = (field.default)()
    {
        schema.insert("default".to_owned(), default);
    }
    schema
}

/// Returns the schema of a value. With `filled`, as for required keys and items of lists, the value must not be blank.
fn value(ty: Type, filled: bool) -> Map<String, Json> {
    let mut schema = object(match ty {
        // A number counts as text, so that `1.0` can be a title.
        Type::Text => json!({ "type": ["string", "number"] }),
        Type::ValidatedText(valid) => json!({ "description": valid, "type": ["string", "number"] }),
        Type::Bool => json!({ "type": "boolean" }),
        Type::Count => json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
        Type::Date => json!({ "type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" }),
        Type::OneOf(choices) => {
            json!({ "type": "string", "enum": choices.iter().map(|choice| choice.name).collect::<Vec<_>>() })
        }
        Type::List(item) => json!({ "type": "array", "items": value(*item, true) }),
        Type::OneOrMany(item) => json!({ "anyOf": [value(*item, filled), value(Type::List(item), filled)] }),
        Type::TextOrRecord(valid, fields) => {
            json!({ "anyOf": [value(Type::ValidatedText(valid), filled), value(Type::Record(fields), filled)] })
        }
        Type::Record(fields) => record(fields).into(),
        Type::Map(Type::OneOf(choices), item) => {
            let names = value(Type::OneOf(choices), true);
            json!({ "type": "object", "propertyNames": names, "additionalProperties": value(*item, true) })
        }
        Type::Map(_, item) => json!({ "type": "object", "additionalProperties": value(*item, true) }),
        Type::Object => json!({ "type": "object" }),
    });
    match ty {
        Type::Text | Type::ValidatedText(_) if filled => {
            // Empty text violates only the first and blank text only the second, because an editor reports each violation.
            schema.extend(object(json!({ "minLength": 1, "pattern": "^$|\\S" })));
        }
        Type::List(_) if filled => {
            schema.insert("minItems".to_owned(), 1.into());
        }
        _ => {}
    }
    schema
}

/// Returns the entries of a JSON value that is known to be an object.
fn object(json: Json) -> Map<String, Json> {
    match json {
        Json::Object(entries) => entries,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lab_as_an_editor_reads_it() {
        let lab = schema(Kind::Lab);
        assert_eq!(
            lab["required"],
            json!(["title", "focus", "reads", "outcome", "handbook", "starter"]),
            "after and the rest may be left out"
        );
        assert_eq!(
            lab["properties"]["title"],
            json!({
                "description": "The page's title.", "type": ["string", "number"], "minLength": 1, "pattern": "^$|\\S"
            })
        );
        assert_eq!(lab["properties"]["draft"]["default"], json!(false));
        assert_eq!(lab["properties"]["handbook"]["minItems"], 1);
        assert_eq!(lab["properties"]["reading"].get("minItems"), None);
        assert_eq!(lab["properties"]["starter"]["required"], json!(["file", "type", "angle"]));
        assert_eq!(lab["properties"]["starter"]["additionalProperties"], json!(false));
        assert_eq!(schema(Kind::Section)["required"], json!(["title", "summary"]));
    }

    #[test]
    fn the_site_lists_every_label_and_every_default() {
        let site = schema(Kind::Site);
        let labels = site["properties"]["labels"]["properties"].as_object().expect("labels");
        assert_eq!(labels.len(), crate::config::labels::Labels::FIELDS.len());
        assert_eq!(labels["next"]["default"], "Next");
        assert!(labels.values().all(|label| !label["default"].is_null() && label["description"].is_string()));
        assert_eq!(labels["minutes"]["default"], json!({ "one": "{n} minute", "other": "{n} minutes" }));
        assert_eq!(labels["minutes"]["anyOf"][1]["required"], json!(["other"]));
        assert_eq!(site["properties"]["freshness_days"]["default"], 365);
        let sections = &site["properties"]["labs"]["properties"]["sections"]["default"];
        assert_eq!(sections[5], json!({ "title": "Check yourself", "required": false, "as": "questions" }));
        assert_eq!(site["properties"]["title"].get("default"), None);
        let raw_html = &site["properties"]["markdown"]["properties"]["raw_html"];
        assert_eq!((&raw_html["enum"], &raw_html["default"]), (&json!(["safe", "trusted", "escape"]), &json!("safe")));
        assert_eq!(
            raw_html["description"],
            "How HTML in Markdown is treated. `safe`: Allowed elements and attributes are kept, the rest is shown as text. \
             `trusted`: All HTML is kept unchanged, and its links are checked. `escape`: All HTML is shown as text."
        );
    }

    #[test]
    fn every_key_is_described() {
        fn walk(schema: &Json, seen: &mut usize) {
            if let Some(properties) = schema["properties"].as_object() {
                for (name, property) in properties {
                    assert!(property["description"].as_str().is_some_and(|text| text.ends_with(['.', '`'])), "{name}");
                    *seen += 1;
                }
            }
            match schema {
                Json::Object(entries) => entries.values().for_each(|value| walk(value, seen)),
                Json::Array(items) => items.iter().for_each(|value| walk(value, seen)),
                _ => {}
            }
        }
        let mut seen = 0;
        walk(&all(), &mut seen);
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn a_modeline_leads_from_the_file_to_its_schema() {
        let lab = modeline(Kind::Lab, "content/tracks/t/labs/lab-01-a.md");
        assert_eq!(lab, "# yaml-language-server: $schema=../../../../.infralens/schema/lab.json");
        let site = modeline(Kind::Site, "content/site.yaml");
        assert_eq!(site, "# yaml-language-server: $schema=../.infralens/schema/site.json");
        assert_eq!(files()[4].0, ".infralens/schema/site.json");
    }
}
