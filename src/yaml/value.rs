//! The types that keys take, beside records and words.

use super::{Date, Json, Node, Reader, Spanned, Tree, Type, Word};
use crate::diag::{Code, codes, nearest};

/// A type that is read from YAML.
pub trait Value: Sized {
    /// What it takes, for messages and for the schema.
    const TYPE: Type;

    /// Reads a value. Where it is wrong, tells the reader and gives nothing.
    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self>;

    /// The value as an author would write it; nothing where it says nothing.
    fn to_json(&self) -> Option<Json>;
}

impl Value for String {
    const TYPE: Type = Type::Text;

    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self> {
        reader.text(tree, Self::TYPE)
    }

    fn to_json(&self) -> Option<Json> {
        (!self.is_empty()).then(|| self.as_str().into())
    }
}

impl Value for bool {
    const TYPE: Type = Type::Bool;

    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self> {
        if let Node::Bool(value) = &*tree.value {
            return Some(*value);
        }
        reader.wrong_type(tree, Self::TYPE);
        None
    }

    fn to_json(&self) -> Option<Json> {
        Some((*self).into())
    }
}

/// A whole number, at least 1.
impl Value for u32 {
    const TYPE: Type = Type::Count;

    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self> {
        let Node::Number(number) = &*tree.value else {
            reader.wrong_type(tree, Self::TYPE);
            return None;
        };
        let digits = number.strip_prefix('+').unwrap_or(number);
        let whole = digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse::<Self>() {
            Ok(count) if count > 0 => return Some(count),
            Err(_) if !whole => reader.wrong_type(tree, Self::TYPE),
            Err(_) => reader.refuse(&tree.span, |name| format!("{name} must be at most {}", Self::MAX), "", None),
            Ok(_) => reader.refuse(&tree.span, |name| format!("{name} must be {}", Self::TYPE), "this is 0", None),
        }
        None
    }

    fn to_json(&self) -> Option<Json> {
        Some((*self).into())
    }
}

impl Value for Date {
    const TYPE: Type = Type::Date;

    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self> {
        let text = match &*tree.value {
            Node::Text(text) if Self::has_form(text) => text,
            _ => {
                reader.wrong_type(tree, Self::TYPE);
                return None;
            }
        };
        let date = Self::parse(text);
        if date.is_none() {
            reader.refuse(&tree.span, |name| format!("{name} must be a day of the calendar"), "no such day", None);
        }
        date
    }

    fn to_json(&self) -> Option<Json> {
        Some(self.to_string().into())
    }
}

/// The names of the lints, with what they are about.
const LINTS: [Word; codes::LINTS.len()] = {
    let mut words = [Word { name: "", doc: "" }; codes::LINTS.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = Word { name: codes::LINTS[index].id, doc: codes::LINTS[index].title };
        index += 1;
    }
    words
};

/// The name of a lint.
impl Value for Code {
    const TYPE: Type = Type::Words(&LINTS);

    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self> {
        let name: String = reader.text(tree, Self::TYPE)?;
        let lint = codes::LINTS.iter().copied().find(|lint| lint.id == name);
        if lint.is_none() {
            let near = nearest(&name, codes::LINTS.iter().map(|lint| lint.id));
            reader.refuse(&tree.span, |_| format!("there is no lint `{name}`"), "", near);
        }
        lint
    }

    fn to_json(&self) -> Option<Json> {
        Some(self.id.into())
    }
}

impl<T: Value> Value for Spanned<T> {
    const TYPE: Type = T::TYPE;

    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self { value: T::read(tree, reader)?, span: tree.span.clone() })
    }

    fn to_json(&self) -> Option<Json> {
        self.value.to_json()
    }
}

/// Something that may be left out. Text that is empty is left out, too.
impl<T: Value> Value for Option<T> {
    const TYPE: Type = T::TYPE;

    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self> {
        match (&*tree.value, T::TYPE) {
            (Node::Text(text), Type::Text | Type::Form(_)) if text.trim().is_empty() => Some(None),
            _ => T::read(tree, reader).map(Some),
        }
    }

    fn to_json(&self) -> Option<Json> {
        self.as_ref().and_then(T::to_json)
    }
}

/// A list; items that are wrong are left out.
impl<T: Value> Value for Vec<T> {
    const TYPE: Type = Type::List(&T::TYPE);

    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self> {
        let Node::List(items) = &*tree.value else {
            reader.wrong_type(tree, Self::TYPE);
            return None;
        };
        Some(items.iter().filter_map(|item| reader.item(item)).collect())
    }

    fn to_json(&self) -> Option<Json> {
        (!self.is_empty()).then(|| self.iter().filter_map(T::to_json).collect())
    }
}

/// One value, or a list of such values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OneOrMany<T> {
    /// A value by itself.
    One(T),
    /// A list.
    Many(Vec<T>),
}

impl<T: Value> Value for OneOrMany<T> {
    const TYPE: Type = Type::OneOrMany(&T::TYPE);

    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self> {
        match &*tree.value {
            Node::List(_) => Vec::read(tree, reader).map(Self::Many),
            Node::Text(_) | Node::Number(_) => T::read(tree, reader).map(Self::One),
            _ => {
                reader.wrong_type(tree, Self::TYPE);
                None
            }
        }
    }

    fn to_json(&self) -> Option<Json> {
        match self {
            Self::One(value) => value.to_json(),
            Self::Many(values) => values.to_json(),
        }
    }
}
