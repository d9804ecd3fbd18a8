//! Macros that declare a record once: the struct, its decoder, and the description from which a JSON Schema is made.
//!
//! [`record!`] declares a struct whose fields are keys, [`choices!`] an enum whose variants are names to choose from, and
//! [`validated_text!`] a string type that validates its text.

use std::fmt;

use super::decode::Decoder;
use super::{Entry, Json};
use crate::diag::listed;

/// The type of a key's value.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// Text of any kind.
    Text,
    /// Text that must pass a validation, with a description of valid texts, such as "an http or https URL".
    ValidatedText(&'static str),
    /// `true` or `false`.
    Bool,
    /// A whole number, at least 1.
    Count,
    /// A day, `YYYY-MM-DD`.
    Date,
    /// The name of one of these choices.
    OneOf(&'static [Choice]),
    List(&'static Type),
    /// One value, or a list of such values.
    OneOrMany(&'static Type),
    /// Text that must pass a validation, with a description of valid texts, or a map with these keys.
    TextOrRecord(&'static str, &'static [Field]),
    /// A map with these keys.
    Record(&'static [Field]),
    /// A map whose keys are not declared; the types of its keys and of its values.
    Map(&'static Type, &'static Type),
    /// A map of anything.
    Object,
}

/// One of a fixed set of values.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// Its name, as it is written.
    pub name: &'static str,
    /// Its meaning, in the format of [`Field::doc`].
    pub doc: &'static str,
}

/// A key of a record.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The key as it is written.
    pub name: &'static str,
    pub ty: Type,
    /// Whether the key must be present, with a value that is neither empty text nor an empty list.
    pub required: bool,
    /// Returns its default as JSON, for the schema; `None` if the default is empty.
    pub default: fn() -> Option<Json>,
    /// The text of the field's doc comment: its lines, unprocessed, so each begins with a space.
    pub doc: &'static str,
}

impl Field {
    /// Returns the description of the key as one line.
    pub fn description(&self) -> String {
        join_lines(self.doc)
    }
}

impl Choice {
    /// Returns the description of the choice as one line.
    pub fn description(&self) -> String {
        join_lines(self.doc)
    }
}

/// Joins the lines of a text into one, without the spaces around them and without blank lines.
pub(super) fn join_lines(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A struct that can be decoded from a map. [`record!`] implements it.
pub trait Record: Default {
    /// Its keys, in the order of the declaration.
    const FIELDS: &'static [Field];

    /// Decodes the fields from the entries of a map. A missing or invalid field gets its default; invalid values are
    /// reported to the decoder. [`Decoder::check_keys`] reports missing and unknown keys.
    fn from_entries(entries: &[Entry], decoder: &mut Decoder<'_>) -> Self;
}

/// Writes the words that follow "must be" in messages.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::ValidatedText(description) | Self::TextOrRecord(description, _) => f.write_str(description),
            Self::Bool => f.write_str("`true` or `false`"),
            Self::Count => f.write_str("a whole number, at least 1"),
            Self::Date => f.write_str("a date such as 2026-11-21"),
            Self::OneOf(choices) => write!(f, "one of {}", listed(choices.iter().map(|choice| choice.name))),
            Self::List(Self::Record(fields)) => {
                write!(f, "a list of maps with the keys {}", listed(fields.iter().map(|field| field.name)))
            }
            Self::List(Self::Text | Self::ValidatedText(_)) => f.write_str("a list of text"),
            Self::List(item) => write!(f, "a list, each item {item}"),
            Self::OneOrMany(item @ Self::OneOf(_)) => write!(f, "{item}, or a list of them"),
            Self::OneOrMany(item) => write!(f, "{item} or a list of {item}"),
            Self::Record(fields) => {
                write!(f, "a map with the keys {}", listed(fields.iter().map(|field| field.name)))
            }
            Self::Map(_, item) => write!(f, "a map, each value {item}"),
            Self::Object => f.write_str("a map"),
        }
    }
}

/// Declares a struct that is decoded from a YAML map, key by key.
///
/// ```text
/// record! {
///     /// The doc comment of the struct.
///     pub struct Starter {
///         /// The description of the key, for the field's documentation and for the schema.
///         required file: String;
///         /// A key with another name than the field.
///         required kind("type"): String;
///         /// A key with a default: text, or any expression after `=>`. Without one, the default is that of the type.
///         optional language: String = "en";
///     }
/// }
/// ```
#[macro_export]
macro_rules! record {
    (
        $(#[doc = $about:literal])*
        $(#[derive($($derived:path),* $(,)?)])?
        $visibility:vis struct $Name:ident {
            $(
                $(#[doc = $doc:literal])+
                $presence:ident $field:ident $(($key:literal))? : $Type:ty $(= $text:literal)? $(=> $default:expr)? ;
            )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone $(, $($derived),*)?)]
        $visibility struct $Name {
            $( $(#[doc = $doc])+ pub $field: $Type, )*
        }

        impl Default for $Name {
            fn default() -> Self {
                Self { $( $field: $crate::yaml::record!(@default $($text)? $(=> $default)?), )* }
            }
        }

        impl $crate::yaml::Record for $Name {
            const FIELDS: &'static [$crate::yaml::Field] = &[$(
                $crate::yaml::Field {
                    name: $crate::yaml::record!(@key $field $($key)?),
                    ty: <$Type as $crate::yaml::Value>::TYPE,
                    required: $crate::yaml::record!(@$presence),
                    default: || $crate::yaml::Value::to_json(&<Self as Default>::default().$field),
                    doc: concat!($($doc, "\n"),+),
                },
            )*];

            fn from_entries(entries: &[$crate::yaml::Entry], decoder: &mut $crate::yaml::Decoder<'_>) -> Self {
                Self { $(
                    $field: decoder
                        .decode_field(
                            entries,
                            $crate::yaml::record!(@key $field $($key)?),
                            $crate::yaml::record!(@$presence),
                        )
                        .unwrap_or_else(|| $crate::yaml::record!(@default $($text)? $(=> $default)?)),
                )* }
            }
        }

        impl $crate::yaml::Value for $Name {
            const TYPE: $crate::yaml::Type =
                $crate::yaml::Type::Record(<Self as $crate::yaml::Record>::FIELDS);

            fn read(tree: &$crate::yaml::Tree, decoder: &mut $crate::yaml::Decoder<'_>) -> Option<Self> {
                decoder.decode_record(tree)
            }

            fn to_json(&self) -> Option<$crate::yaml::Json> {
                // Not as one array expression: it would keep all values on the stack at once, and records nest.
                let mut entries = serde_json::Map::new();
                $(
                    let value = $crate::yaml::Value::to_json(&self.$field);
                    entries.extend(value.map(|value| ($crate::yaml::record!(@key $field $($key)?).to_owned(), value)));
                )*
                Some($crate::yaml::Json::Object(entries))
            }
        }
    };
    (@required) => { true };
    (@optional) => { false };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@default) => { Default::default() };
    (@default $text:literal) => { $text.into() };
    (@default => $default:expr) => { $default };
}

/// Declares an enum whose variants are names to choose from; the first variant is the default.
#[macro_export]
macro_rules! choices {
    (
        $(#[doc = $about:literal])*
        $visibility:vis enum $Name:ident {
            $( $(#[doc = $doc:literal])+ $Variant:ident = $name:literal ),+ $(,)?
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        $visibility enum $Name {
            $( $(#[doc = $doc])+ $Variant, )+
        }

        impl $Name {
            /// All variants, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),+];
            const CHOICES: &'static [$crate::yaml::Choice] =
                &[$( $crate::yaml::Choice { name: $name, doc: concat!($($doc, "\n"),+) } ),+];

            /// Returns the name of the variant, as it is written.
            pub fn name(self) -> &'static str {
                match self {
                    $( Self::$Variant => $name, )+
                }
            }
        }

        impl Default for $Name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl $crate::yaml::Value for $Name {
            const TYPE: $crate::yaml::Type = $crate::yaml::Type::OneOf(Self::CHOICES);

            fn read(tree: &$crate::yaml::Tree, decoder: &mut $crate::yaml::Decoder<'_>) -> Option<Self> {
                let index = decoder.decode_choice(tree, Self::CHOICES)?;
                Self::ALL.get(index).copied()
            }

            fn to_json(&self) -> Option<$crate::yaml::Json> {
                Some(self.name().into())
            }
        }
    };
}

/// Declares a newtype around `String` whose values pass a validation. `$description` describes a valid text in messages ("an
/// http or https URL"). `$validate` returns the normalized text, or says in a few words what is wrong; these are shown as the
/// label at the value.
#[macro_export]
macro_rules! validated_text {
    ($(#[doc = $about:literal])* $visibility:vis struct $Name:ident = $description:literal, $validate:path;) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
        #[serde(transparent)]
        $visibility struct $Name(String);

        impl $Name {
            /// Validates a text.
            ///
            /// # Errors
            ///
            /// Returns a few words that say what is wrong with the text.
            pub fn parse(text: &str) -> Result<Self, &'static str> {
                $validate(text).map(Self)
            }
        }

        /// Converts the program's own defaults without validation.
        impl From<&'static str> for $Name {
            fn from(text: &'static str) -> Self {
                Self(text.to_owned())
            }
        }

        impl std::ops::Deref for $Name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self)
            }
        }

        impl $crate::yaml::Value for $Name {
            const TYPE: $crate::yaml::Type = $crate::yaml::Type::ValidatedText($description);

            fn read(tree: &$crate::yaml::Tree, decoder: &mut $crate::yaml::Decoder<'_>) -> Option<Self> {
                let text = decoder.decode_text(tree, Self::TYPE)?;
                let value = Self::parse(&text);
                if let Err(label) = value {
                    decoder.reject(&tree.span, |name| format!("{name} must be {}", Self::TYPE), label, None);
                }
                value.ok()
            }

            fn to_json(&self) -> Option<$crate::yaml::Json> {
                (!self.0.is_empty()).then(|| self.0.as_str().into())
            }
        }
    };
}
