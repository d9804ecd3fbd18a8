//! Tables of keys, from the declarations that read them.

use infralens_course::config::Config;
use infralens_course::config::labels::Labels;
use infralens_course::references::References;
use infralens_page::front_matter::Kind;
use infralens_source::yaml::{Field, Json, Record, Type};

/// Everything that has a table.
pub const KINDS: [&str; 7] = ["page", "track", "section", "lab", "site", "labels", "references"];

/// The keys of a kind, a row each; of a kind of page, those in which it differs from a page.
pub fn table(kind: &str) -> String {
    let fields = match kind {
        "page" => Kind::Page.fields(),
        "track" => beyond(Kind::Track),
        "section" => beyond(Kind::Section),
        "lab" => beyond(Kind::Lab),
        "site" => Config::FIELDS.to_vec(),
        "labels" => Labels::FIELDS.to_vec(),
        "references" => record(&References::TYPE).expect("a map of records").to_vec(),
        _ => panic!("nothing has keys of the kind `{kind}`"),
    };
    let mut rows = vec!["| Key | Type | Default | Description |".to_owned(), "| --- | --- | --- | --- |".to_owned()];
    push(&mut rows, "", &fields);
    rows.join("\n")
}

fn beyond(kind: Kind) -> Vec<Field> {
    let common = Kind::Page.fields();
    let is_common =
        |field: &Field| common.iter().any(|known| known.name == field.name && known.required == field.required);
    kind.fields().into_iter().filter(|field| !is_common(field)).collect()
}

/// The keys of the records that a value is made of. Those of `labels` have a table of their own.
fn record(ty: &Type) -> Option<&'static [Field]> {
    match *ty {
        Type::Record(fields) => Some(fields),
        Type::List(item) | Type::Map(_, item) | Type::OneOrMany(item) => record(item),
        _ => None,
    }
}

fn push(rows: &mut Vec<String>, above: &str, fields: &[Field]) {
    for field in fields {
        let name = format!("{above}{}", field.name);
        let inner = record(&field.ty).filter(|_| field.name != "labels");
        let takes = match (&field.ty, inner) {
            (Type::List(_), Some(_)) => "a list of maps".to_owned(),
            (_, Some(_)) | (Type::Record(_), _) => "a map".to_owned(),
            (ty, None) => ty.to_string(),
        };
        let row = format!("| `{name}` | {takes} | {} | {} |", left_out(field), what(field).replace('|', "\\|"));
        rows.push(row);
        push(rows, &format!("{name}."), inner.unwrap_or_default());
    }
}

/// What holds where a key is left out.
fn left_out(field: &Field) -> String {
    match (field.default)() {
        _ if field.required => "required".to_owned(),
        Some(Json::String(text)) => format!("`{text}`"),
        Some(Json::Object(forms)) if matches!(field.ty, Type::TextOrRecord(..)) => {
            let form = |(name, form): (&String, &Json)| format!("{name} `{}`", form.as_str().unwrap_or_default());
            forms.iter().map(form).collect::<Vec<_>>().join(", ")
        }
        Some(value @ (Json::Bool(_) | Json::Number(_))) => format!("`{value}`"),
        _ => "–".to_owned(),
    }
}

/// What a key is, and what each of its words means.
fn what(field: &Field) -> String {
    let words = match field.ty {
        Type::OneOf(choices) => choices,
        _ => &[],
    };
    let output = words.iter().map(|word| format!(" `{}`: {}", word.name, word.description()));
    std::iter::once(field.description()).chain(output).collect()
}
