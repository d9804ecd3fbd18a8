//! What templates are given, from the declarations of the structures that they are given.

use std::collections::BTreeSet;
use std::fs;

use infralens_theme::context::{FIELDS, Page};
use syn::ext::IdentExt as _;
use syn::{Attribute, Expr, ExprLit, Item, ItemStruct, Lit, Meta};

use crate::harness::{repository, updates};

/// The sources that declare them, below those of the theme.
const SOURCES: [&str; 2] = ["context.rs", "context/page.rs"];

/// The structures that templates receive as variables.
const VARIABLES: [&str; 3] = ["Site", "Course", "Page"];

/// A structure that templates receive.
struct Structure {
    name: String,
    /// Its fields with their descriptions, in Markdown. Those of a structure that is spread in it are not repeated.
    fields: Vec<(String, String)>,
}

fn structures() -> Vec<Structure> {
    let items = SOURCES.iter().flat_map(|path| {
        let source = fs::read_to_string(repository("crates/theme/src").join(path)).expect("a source file");
        syn::parse_file(&source).expect("Rust").items
    });
    let structures = items.filter_map(|item| if let Item::Struct(item) = item { Some(structure(&item)) } else { None });
    structures.collect()
}

fn structure(item: &ItemStruct) -> Structure {
    let fields = item.fields.iter().filter(|field| !field.attrs.iter().any(is_spread));
    let named = fields.filter_map(|field| Some((field.ident.as_ref()?.unraw().to_string(), about(&field.attrs))));
    Structure { name: item.ident.to_string(), fields: named.collect() }
}

fn is_spread(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list) if list.path.is_ident("serde") && list.tokens.to_string() == "flatten")
}

/// The text of doc comments, in one line. Links between structures are only their names here.
fn about(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => Some(line.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ").replace("[`", "`").replace("`]", "`")
}

/// The fields of a structure, a row each.
pub fn table(name: &str) -> String {
    let structure = structures().into_iter().find(|known| known.name == name);
    let structure = structure.unwrap_or_else(|| panic!("templates are given no `{name}`"));
    let mut rows = vec!["| Field | Description |".to_owned(), "| --- | --- |".to_owned()];
    rows.extend(structure.fields.iter().map(|(field, about)| format!("| `{field}` | {about} |")));
    rows.join("\n")
}

#[test]
fn the_list_of_fields_is_that_of_the_declarations() {
    let mut list = String::new();
    for Structure { name, fields } in structures() {
        let name = if VARIABLES.contains(&&*name) { format!("`{}`", name.to_lowercase()) } else { name };
        list.push_str(&format!("\n{name}\n"));
        for (field, about) in fields {
            assert!(!about.is_empty(), "{name}: `{field}` has no description");
            list.push_str(&format!("  {field:18}  {about}\n"));
        }
    }
    if updates() {
        fs::write(repository("crates/theme/src/context/fields.txt"), &list).expect("the list can be written");
    } else {
        assert_eq!(list, FIELDS, "UPDATE=1 takes it over");
    }
}

#[test]
fn the_fields_are_those_that_templates_receive() {
    let page = structures().into_iter().find(|known| known.name == "Page").expect("the page");
    let listed: BTreeSet<String> = page.fields.into_iter().map(|(name, _)| name).collect();
    let value = serde_json::to_value(Page::default()).expect("JSON");
    let received: BTreeSet<String> = value.as_object().expect("a map").keys().cloned().collect();
    assert_eq!(listed, received);
}
