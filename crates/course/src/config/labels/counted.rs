//! Labels that contain a number. Where the words depend on it, a label has several forms, of which the rules of the language
//! choose one: English says "1 line" and "2 lines", Polish has four forms, Chinese has one.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use intl_pluralrules::{PluralCategory, PluralRuleType, PluralRules};
use serde::{Serialize, Serializer};
use unic_langid::LanguageIdentifier;

use infralens_source::yaml::{Decoder, Json, Node, Record, Tree, Type, Value, record, validated_text};

validated_text! {
    /// A label in which a number replaces `{n}`, and the words never depend on it.
    pub struct Numbered = "text that contains `{n}`", validate_number;
}

fn validate_number(text: &str) -> Result<String, &'static str> {
    if text.contains("{n}") { Ok(text.to_owned()) } else { Err("there is no `{n}` in it") }
}

impl Numbered {
    /// Returns the label with the number in place of `{n}`.
    pub fn with(&self, number: usize) -> String {
        self.replace("{n}", &number.to_string())
    }
}

record! {
    /// The forms of a label, by the categories of Unicode's plural rules.
    struct Forms {
        /// The form for 0, in languages that have one.
        optional zero: Option<Numbered>;
        /// The form for 1, and in some languages for others, such as 21.
        optional one: Option<Numbered>;
        /// The form for 2, in languages that have one.
        optional two: Option<Numbered>;
        /// The form for few: 2 to 4 in Slavic languages.
        optional few: Option<Numbered>;
        /// The form for many: 5 and more in Slavic languages, 11 to 99 in Arabic.
        optional many: Option<Numbered>;
        /// The form for all other numbers.
        required other: Numbered;
    }
}

/// A label that counts: a number replaces `{n}`, and chooses the form.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    forms: Forms,
    rules: Rules,
}

#[derive(Clone)]
pub(super) struct Rules(Arc<PluralRules>);

impl Counted {
    /// Returns a label of the program's own English: the form for one, if it differs, and that for other numbers.
    pub(super) fn english(texts: &[&'static str]) -> Self {
        let forms = match *texts {
            [one, other] => Forms { one: Some(one.into()), other: other.into(), ..Forms::default() },
            _ => Forms { other: texts.first().copied().unwrap_or_default().into(), ..Forms::default() },
        };
        Self { forms, rules: Rules::default() }
    }

    /// Makes the label choose its forms by these rules.
    pub(super) fn set_rules(&mut self, rules: &Rules) {
        self.rules = rules.clone();
    }

    /// Returns the form for a number, with the number in place of `{n}`.
    pub fn with(&self, number: usize) -> String {
        let forms = &self.forms;
        let form = match self.rules.0.select(number).unwrap_or(PluralCategory::OTHER) {
            PluralCategory::ZERO => &forms.zero,
            PluralCategory::ONE => &forms.one,
            PluralCategory::TWO => &forms.two,
            PluralCategory::FEW => &forms.few,
            PluralCategory::MANY => &forms.many,
            PluralCategory::OTHER => &None,
        };
        form.as_deref().unwrap_or(&forms.other).replace("{n}", &number.to_string())
    }

    /// Returns the forms that differ from the one for other numbers, by the names of their categories.
    pub fn special(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Forms { zero, one, two, few, many, .. } = &self.forms;
        let forms = [("zero", zero), ("one", one), ("two", two), ("few", few), ("many", many)];
        forms.into_iter().filter_map(|(name, form)| Some((name, form.as_deref()?)))
    }
}

/// The form for other numbers, which every label has.
impl Deref for Counted {
    type Target = str;

    fn deref(&self) -> &str {
        &self.forms.other
    }
}

impl Value for Counted {
    const TYPE: Type = Type::TextOrRecord("text that contains `{n}`", Forms::FIELDS);

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        let forms = match &*tree.value {
            Node::Map(_) => decoder.decode_record(tree)?,
            _ => Forms { other: Numbered::read(tree, decoder)?, ..Forms::default() },
        };
        Some(Self { forms, rules: Rules::default() })
    }

    fn to_json(&self) -> Option<Json> {
        if self.special().next().is_some() { self.forms.to_json() } else { self.forms.other.to_json() }
    }
}

/// Templates and scripts get text: the label, or if it has several forms, these as JSON, of which scripts choose one.
impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.to_json() {
            Some(Json::String(text)) => serializer.serialize_str(&text),
            forms => serializer.serialize_str(&forms.unwrap_or_default().to_string()),
        }
    }
}

impl Rules {
    /// Returns the rules of a language; those of English if the language has none.
    pub fn of(language: &str) -> Self {
        let tag: LanguageIdentifier = language.parse().unwrap_or_default();
        let base = LanguageIdentifier::from_parts(tag.language, None, None, &[]);
        let regional = LanguageIdentifier::from_parts(tag.language, None, tag.region, &[]);
        let create = |tag| PluralRules::create(tag, PluralRuleType::CARDINAL).ok();
        [regional, base].into_iter().find_map(create).map_or_else(Self::default, |rules| Self(Arc::new(rules)))
    }
}

impl Default for Rules {
    fn default() -> Self {
        static ENGLISH: std::sync::LazyLock<Rules> = std::sync::LazyLock::new(|| Rules::of("en"));
        ENGLISH.clone()
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.get_locale())
    }
}
