//! Checks `extra:` of pages and of site.yaml against the JSON Schema in their `extra_schema`, and that of the pages of a folder
//! against the one that its front page gives them.
//!
//! Of JSON Schema, those keywords are read that a table of values needs; any other is an error, so that no rule is silently
//! without effect.

use std::collections::{BTreeMap, BTreeSet};

use super::outputs::Outputs;
use infralens_course::course;
use infralens_page::{Document, front_matter};
use infralens_source::diag::{Diagnostic, Near, codes, nearest, quantity};
use infralens_source::source::{Source, Span};
use infralens_source::url;
use infralens_source::yaml::{self, Date, Entry, Node, Tree};

/// The keywords that are checked, and those that only describe.
const KEYWORDS: [&str; 16] = [
    "type", "enum", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "minLength",
    "minimum", "maximum", "format", "title", "description", "default", "$schema",
];
/// The names of types.
const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/// Checks the pages that have a schema of their own or of the front page of their folder, and the schemas. `outputs` are the
/// files of the site, `None` if pages may be missing.
pub fn check<'d>(documents: impl Iterator<Item = &'d Document> + Clone, outputs: Option<&Outputs>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let mut schemas: BTreeMap<&str, Tree> = BTreeMap::new();
    for document in documents.clone() {
        let (source, common) = (&document.source, &document.front.common);
        if let Some((key, schema)) = schema(source, &common.extra_schema, &["extra_schema"]) {
            check_schema(source, &schema, &mut out);
            let mut check = Check { source, owner: "`extra_schema`", outputs, out: &mut out };
            check.extra(&schema, value(source, &["extra"]), key);
        }
        let Some(pages) = &common.pages else { continue };
        let Some(folder) = front_folder(document) else {
            out.extend(misplaced(document));
            continue;
        };
        if let Some((_, schema)) = schema(source, &pages.extra, &["pages", "extra"]) {
            check_schema(source, &schema, &mut out);
            schemas.insert(folder, schema);
        }
    }
    if schemas.is_empty() {
        return out;
    }
    let fronts: BTreeSet<&str> = documents.clone().filter_map(front_folder).collect();
    for document in documents.filter(|document| front_folder(document).is_none()) {
        let folder = course::folders(document.source.path()).find(|folder| fronts.contains(folder));
        let Some(schema) = folder.and_then(|folder| schemas.get(folder)) else { continue };
        let mut check =
            Check { source: &document.source, owner: "the front page of the folder", outputs, out: &mut out };
        check.extra(schema, value(&document.source, &["extra"]), document.front.common.title.span.clone());
    }
    out
}

/// Checks `extra` of site.yaml, and its schema.
pub fn check_site(source: &Source, outputs: Option<&Outputs>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let Some(settings) = yaml::parse(source, source.start()..source.text().len()).root else { return out };
    let find = |wanted| entries(&settings).iter().find(|(name, _)| name.value == wanted);
    let Some((key, schema)) = find("extra_schema") else { return out };
    check_schema(source, schema, &mut out);
    let extra = find("extra").map(|(name, extra)| (name.span.clone(), extra.clone()));
    Check { source, owner: "`extra_schema`", outputs, out: &mut out }.extra(schema, extra, key.span.clone());
    out
}

/// Returns the place and the tree of a schema that a page has, from the keys at which it is.
fn schema(source: &Source, read: &yaml::Extra, keys: &[&str]) -> Option<(Span, Tree)> {
    if read.is_empty() { None } else { value(source, keys) }
}

/// Reports `pages` on a page that is no front page, where it would have no effect.
fn misplaced(document: &Document) -> Option<Diagnostic> {
    let (key, _) = value(&document.source, &["pages"])?;
    let error = document.source.diagnostic(codes::E0104, key, "`pages` is read only on the front page of a folder");
    Some(error.help(format!("write it in `{}/index.md`", url::folder(document.source.path()))))
}

/// Returns the folder whose front page a document is.
fn front_folder(document: &Document) -> Option<&str> {
    document.source.path().strip_suffix("/index.md")
}

/// Returns a key in the front matter of a page and its value.
fn value(source: &Source, keys: &[&str]) -> Option<(Span, Tree)> {
    let mut tree = yaml::parse(source, front_matter::split(source).0?).root?;
    let mut span = tree.span.clone();
    for key in keys {
        let (name, value) = entries(&tree).iter().find(|(name, _)| name.value == *key)?;
        (span, tree) = (name.span.clone(), value.clone());
    }
    Some((span, tree))
}

fn entries(tree: &Tree) -> &[Entry] {
    if let Node::Map(entries) = &*tree.value { entries } else { &[] }
}

fn items(tree: &Tree) -> &[Tree] {
    if let Node::List(items) = &*tree.value { items } else { std::slice::from_ref(tree) }
}

fn get<'t>(tree: &'t Tree, key: &str) -> Option<&'t Tree> {
    entries(tree).iter().find(|(name, _)| name.value == key).map(|(_, value)| value)
}

fn text(tree: &Tree) -> Option<&str> {
    if let Node::Text(text) = &*tree.value { Some(text) } else { None }
}

fn number(tree: &Tree) -> Option<f64> {
    if let Node::Number(number) = &*tree.value { number.parse().ok() } else { None }
}

/// Reports keywords of a schema that are not checked, and types that do not exist.
fn check_schema(source: &Source, schema: &Tree, out: &mut Vec<Diagnostic>) {
    for (name, value) in entries(schema) {
        if !KEYWORDS.contains(&name.value.as_str()) {
            let error =
                source.diagnostic(codes::E0104, name.span.clone(), format!("`{}` is not checked here", name.value));
            out.push(error.help(format!("the keywords of JSON Schema that are: {}", quoted(KEYWORDS.into_iter()))));
        }
        match name.value.as_str() {
            "type" => {
                let unknown = items(value).iter().filter(|item| !text(item).is_some_and(|name| TYPES.contains(&name)));
                out.extend(unknown.map(|item| {
                    let error = source.diagnostic(codes::E0108, item.span.clone(), "there is no such type");
                    error.help(format!("the types are {}", quoted(TYPES.into_iter())))
                }));
            }
            "properties" => entries(value).iter().for_each(|(_, below)| check_schema(source, below, out)),
            "items" | "additionalProperties" => check_schema(source, value, out),
            _ => {}
        }
    }
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The check of the values of one file.
struct Check<'s, 'o> {
    source: &'s Source,
    /// What has the schema, for messages.
    owner: &'static str,
    /// The files of the site.
    outputs: Option<&'s Outputs>,
    out: &'o mut Vec<Diagnostic>,
}

impl Check<'_, '_> {
    fn report(&mut self, code: infralens_source::diag::Code, span: &Span, message: String) {
        self.out.push(self.source.diagnostic(code, span.clone(), message));
    }

    /// Checks `extra`. If it is not there, the keys that it must have are reported at `otherwise`.
    fn extra(&mut self, schema: &Tree, found: Option<(Span, Tree)>, otherwise: Span) {
        match found {
            Some((_, extra)) => self.value("extra", schema, &extra),
            None => self.required("extra", schema, None, &otherwise),
        }
    }

    /// Reports the keys that a schema requires and a map does not have.
    fn required(&mut self, path: &str, schema: &Tree, map: Option<&Tree>, span: &Span) {
        for name in get(schema, "required").into_iter().flat_map(items).filter_map(text) {
            if map.and_then(|map| get(map, name)).is_none() {
                self.report(codes::E0107, span, format!("`{path}.{name}` is required by {}", self.owner));
            }
        }
    }

    /// Checks the value at a path of keys.
    fn value(&mut self, path: &str, schema: &Tree, value: &Tree) {
        let types: Vec<&str> = get(schema, "type").into_iter().flat_map(items).filter_map(text).collect();
        let own = type_of(value);
        let fits = |name: &&str| *name == own || *name == "number" && own == "integer";
        // A type that does not exist is reported where it is written.
        let is_known = types.iter().all(|name| TYPES.contains(name));
        if is_known && !types.is_empty() && !types.iter().any(fits) {
            let wanted = types.join(" or ");
            return self.report(codes::E0106, &value.span, format!("`{path}` must be of the type {wanted}, not {own}"));
        }
        if let Some(allowed) =
            get(schema, "enum").filter(|allowed| !items(allowed).iter().any(|one| one.value == value.value))
        {
            let names = quoted(items(allowed).iter().filter_map(|one| scalar(one)));
            return self.report(codes::E0108, &value.span, format!("`{path}` must be one of {names}"));
        }
        self.limits(path, schema, value);
        match &*value.value {
            Node::List(items) => {
                let schema = get(schema, "items");
                let checked = items.iter().enumerate().filter_map(|(at, item)| Some((at, item, schema?)));
                checked.for_each(|(at, item, schema)| self.value(&format!("{path}.{}", at + 1), schema, item));
            }
            Node::Map(found) => self.map(path, schema, value, found),
            _ => {}
        }
    }

    fn map(&mut self, path: &str, schema: &Tree, value: &Tree, found: &[Entry]) {
        self.required(path, schema, Some(value), &value.span);
        let others = get(schema, "additionalProperties");
        for (name, below) in found {
            let known = get(schema, "properties").and_then(|known| get(known, &name.value));
            let at = format!("{path}.{}", name.value);
            match (known, others.map(|others| &*others.value)) {
                (Some(known), _) => self.value(&at, known, below),
                (None, Some(Node::Bool(false))) => {
                    let known = get(schema, "properties").map(entries).unwrap_or_default();
                    let known = quoted(known.iter().map(|(name, _)| name.value.as_str()));
                    let error = self.source.diagnostic(codes::E0104, name.span.clone(), format!("unknown key `{at}`"));
                    self.out.push(error.help(format!("{} knows {known}", self.owner)));
                }
                (None, Some(Node::Map(_))) => others.into_iter().for_each(|others| self.value(&at, others, below)),
                (None, _) => {}
            }
        }
    }

    /// Checks sizes, and the form of a text.
    fn limits(&mut self, path: &str, schema: &Tree, value: &Tree) {
        let length = text(value).map(|text| text.chars().count());
        let count = if let Node::List(items) = &*value.value { Some(items.len()) } else { None };
        #[expect(clippy::cast_precision_loss, reason = "no front matter has 2^53 items")]
        let sizes = [
            ("minLength", length.map(|length| length as f64), true, "character"),
            ("minItems", count.map(|count| count as f64), true, "item"),
            ("maxItems", count.map(|count| count as f64), false, "item"),
            ("minimum", number(value), true, ""),
            ("maximum", number(value), false, ""),
        ];
        for (keyword, size, is_least, unit) in sizes {
            let Some((limit, size)) = get(schema, keyword).and_then(number).zip(size) else { continue };
            if if is_least { size < limit } else { size > limit } {
                let bound = if is_least { "at least" } else { "at most" };
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a count")]
                let limit = if unit.is_empty() { limit.to_string() } else { quantity(limit as usize, unit) };
                self.report(codes::E0108, &value.span, format!("`{path}` must be {bound} {limit}"));
            }
        }
        match (get(schema, "format").and_then(text), text(value)) {
            (Some("date"), Some(text)) if Date::parse(text).is_none() => {
                self.report(codes::E0108, &value.span, format!("`{path}` must be a date such as 2026-11-21"));
            }
            (Some("uri-reference"), Some(text)) => self.link(text, &value.span),
            _ => {}
        }
    }

    /// Checks the address of another site, or of a file of this one from its root.
    fn link(&mut self, text: &str, span: &Span) {
        let Some(outputs) = self.outputs else { return };
        let file = url::decode(text.split(['#', '?']).next().unwrap_or_default());
        let is_elsewhere = ["https://", "http://", "mailto:"].iter().any(|start| text.starts_with(start));
        // The copy of a page in Markdown is seldom meant.
        let page = file.strip_suffix(".md").map(|stem| format!("{stem}.html"));
        let page = page.as_deref().filter(|page| outputs.files.contains_key(*page));
        if is_elsewhere || page.is_none() && outputs.files.contains_key(file.as_str()) {
            return;
        }
        let message = match page {
            Some(_) => format!("`{file}` is not the address of the page"),
            None => format!("the site has no page or file `{file}`"),
        };
        let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let files = outputs.files.keys().map(|path| &**path);
        let near = page.or_else(|| nearest(&file, files.filter(|path| ending(path) == ending(&file))));
        let error = self.source.diagnostic(codes::E0404, span.clone(), message);
        let help = "write its address from the root of the site, such as `people/ada.jpg` for `content/people/ada.jpg`";
        self.out.push(error.instead(self.source, &file, near.map(Near::unsure)).help(help));
    }
}

fn scalar(tree: &Tree) -> Option<&str> {
    match &*tree.value {
        Node::Text(text) | Node::Number(text) => Some(text),
        _ => None,
    }
}

/// Returns the name of the type of a value.
fn type_of(value: &Tree) -> &'static str {
    match &*value.value {
        Node::Null => "null",
        Node::Bool(_) => "boolean",
        Node::Number(number) if number.parse::<i64>().is_ok() => "integer",
        Node::Number(_) => "number",
        Node::Text(_) => "string",
        Node::List(_) => "array",
        Node::Map(_) => "object",
    }
}
