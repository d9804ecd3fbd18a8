//! Implements [`Value`] for the types that a key can have, other than those that the macros of `schema` declare.

use std::collections::BTreeSet;

use super::{Choice, Date, Decoder, Json, Node, Spanned, Tree, Type};
use crate::diag::{Code, codes, similar};

/// A type that can be decoded from YAML.
pub trait Value: Sized {
    /// Describes the accepted values, for messages and for the schema.
    const TYPE: Type;

    /// Decodes a value; reports to the decoder and returns `None` if the value does not fit.
    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self>;

    /// Returns the value as JSON, for the `default` of a key in the schema; `None` if it is empty.
    fn to_json(&self) -> Option<Json>;
}

impl Value for String {
    const TYPE: Type = Type::Text;

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        decoder.decode_text(tree, Self::TYPE)
    }

    fn to_json(&self) -> Option<Json> {
        (!self.is_empty()).then(|| self.as_str().into())
    }
}

impl Value for bool {
    const TYPE: Type = Type::Bool;

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        match &*tree.value {
            Node::Bool(value) => Some(*value),
            _ => decoder.reject_type(tree, Self::TYPE),
        }
    }

    fn to_json(&self) -> Option<Json> {
        Some((*self).into())
    }
}

/// A whole number, at least 1.
impl Value for u32 {
    const TYPE: Type = Type::Count;

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        let Node::Number(number) = &*tree.value else { return decoder.reject_type(tree, Self::TYPE) };
        let digits = number.strip_prefix('+').unwrap_or(number);
        let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse::<Self>() {
            Ok(count) if count > 0 => return Some(count),
            Err(_) if !is_integer => return decoder.reject_type(tree, Self::TYPE),
            Err(_) => decoder.reject(&tree.span, |name| format!("{name} must be at most {}", Self::MAX), "", None),
            Ok(_) => decoder.reject(&tree.span, |name| format!("{name} must be {}", Self::TYPE), "this is 0", None),
        }
        None
    }

    fn to_json(&self) -> Option<Json> {
        Some((*self).into())
    }
}

impl Value for Date {
    const TYPE: Type = Type::Date;

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        let Node::Text(text) = &*tree.value else { return decoder.reject_type(tree, Self::TYPE) };
        if !Self::has_form(text) {
            return decoder.reject_type(tree, Self::TYPE);
        }
        let date = Self::parse(text);
        if date.is_none() {
            let message = |name| format!("{name} must be a day of the calendar");
            decoder.reject(&tree.span, message, "there is no such day", None);
        }
        date
    }

    fn to_json(&self) -> Option<Json> {
        Some(self.to_string().into())
    }
}

/// The names of the lints, with their titles.
const LINTS: [Choice; codes::LINTS.len()] = {
    let mut choices = [Choice { name: "", doc: "" }; codes::LINTS.len()];
    let mut index = 0;
    // A loop, because iterators cannot be used in a constant.
    while index < choices.len() {
        choices[index] = Choice { name: codes::LINTS[index].id, doc: codes::LINTS[index].title };
        index += 1;
    }
    choices
};

/// The name of a lint. This is here because `diag`, which declares the lints, does not know `yaml`.
impl Value for Code {
    const TYPE: Type = Type::OneOf(&LINTS);

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        let name = decoder.decode_text(tree, Self::TYPE)?;
        let lint = codes::LINTS.iter().copied().find(|lint| lint.id == name);
        if lint.is_none() {
            let near = similar(&name, codes::LINTS.iter().map(|lint| lint.id));
            decoder.reject(&tree.span, |_| format!("there is no lint `{name}`"), "", near);
        }
        lint
    }

    fn to_json(&self) -> Option<Json> {
        Some(self.id.into())
    }
}

impl<T: Value> Value for Spanned<T> {
    const TYPE: Type = T::TYPE;

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        Some(Self { value: T::read(tree, decoder)?, span: tree.span.clone() })
    }

    fn to_json(&self) -> Option<Json> {
        self.value.to_json()
    }
}

/// An optional value. Empty text counts as missing, so that a template can contain `key: ""`; for types other than text it is
/// a mistake like any other text.
impl<T: Value> Value for Option<T> {
    const TYPE: Type = T::TYPE;

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        match (&*tree.value, T::TYPE) {
            (Node::Text(text), Type::Text | Type::ValidatedText(_)) if text.trim().is_empty() => Some(None),
            _ => T::read(tree, decoder).map(Some),
        }
    }

    fn to_json(&self) -> Option<Json> {
        self.as_ref().and_then(T::to_json)
    }
}

/// A list; items that cannot be decoded are left out.
impl<T: Value> Value for Vec<T> {
    const TYPE: Type = Type::List(&T::TYPE);

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        let Node::List(items) = &*tree.value else { return decoder.reject_type(tree, Self::TYPE) };
        Some(items.iter().filter_map(|item| decoder.decode_item(item)).collect())
    }

    fn to_json(&self) -> Option<Json> {
        (!self.is_empty()).then(|| self.iter().filter_map(T::to_json).collect())
    }
}

/// A map whose keys are not declared, in the order of the text. Entries whose key or value cannot be decoded are left
/// out, and so are duplicate keys after the first.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Map<K, V>(pub Vec<(Spanned<K>, V)>);

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Value, V: Value> Value for Map<K, V> {
    const TYPE: Type = Type::Map(&K::TYPE, &V::TYPE);

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        let Node::Map(entries) = &*tree.value else { return decoder.reject_type(tree, Self::TYPE) };
        let mut seen = BTreeSet::new();
        let first = entries.iter().filter(|(key, _)| seen.insert(&key.value));
        Some(Self(first.filter_map(|entry| decoder.decode_map_entry(entry)).collect()))
    }

    fn to_json(&self) -> Option<Json> {
        let entry = |(key, value): &(Spanned<K>, V)| Some((key.to_json()?.as_str()?.to_owned(), value.to_json()?));
        (!self.0.is_empty()).then(|| self.0.iter().filter_map(entry).collect())
    }
}

/// A map of anything, as JSON, for templates.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct Extra(pub Json);

impl Default for Extra {
    fn default() -> Self {
        Self(Json::Object(serde_json::Map::new()))
    }
}

impl Extra {
    /// Whether the map has no keys.
    pub fn is_empty(&self) -> bool {
        self.0.as_object().is_none_or(serde_json::Map::is_empty)
    }
}

impl Value for Extra {
    const TYPE: Type = Type::Object;

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        match &*tree.value {
            Node::Map(_) => Some(Self(json(&tree.value))),
            _ => decoder.reject_type(tree, Self::TYPE),
        }
    }

    fn to_json(&self) -> Option<Json> {
        (!self.is_empty()).then(|| self.0.clone())
    }
}

/// Returns any value as JSON. The depth of a tree is limited. A number that JSON cannot spell, such as `.inf`, is text.
fn json(node: &Node) -> Json {
    match node {
        Node::Null => Json::Null,
        Node::Bool(value) => (*value).into(),
        Node::Number(number) => number
            .parse::<i64>()
            .map(Json::from)
            .or_else(|_| number.parse::<f64>().map(Json::from))
            .ok()
            .filter(|value| !value.is_null())
            .unwrap_or_else(|| number.as_str().into()),
        Node::Text(text) => text.as_str().into(),
        Node::List(items) => items.iter().map(|item| json(&item.value)).collect(),
        Node::Map(entries) => entries.iter().map(|(key, value)| (key.value.clone(), json(&value.value))).collect(),
    }
}

/// One value, or a list of such values.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub enum OneOrMany<T> {
    /// A single value.
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

impl<T: Value> Value for OneOrMany<T> {
    const TYPE: Type = Type::OneOrMany(&T::TYPE);

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        match &*tree.value {
            Node::List(_) => Vec::read(tree, decoder).map(Self::Many),
            Node::Text(_) | Node::Number(_) => T::read(tree, decoder).map(Self::One),
            Node::Map(_) if matches!(T::TYPE, Type::Record(_)) => T::read(tree, decoder).map(Self::One),
            _ => decoder.reject_type(tree, Self::TYPE),
        }
    }

    fn to_json(&self) -> Option<Json> {
        match self {
            Self::One(value) => value.to_json(),
            Self::Many(values) => values.to_json(),
        }
    }
}
