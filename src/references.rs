//! `content/references.yaml` -> [`References`], the bibliography.

mod names;

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{self, Diagnostic};
use crate::source::Source;
use crate::yaml::{Date, OneOrMany, Reader, Spanned, Type, Url, Value, record, words};

record! {
    /// Something to read.
    pub struct Reference {
        /// What kind of source it is.
        required kind: ReferenceKind;
        /// Its title.
        required title: String;
        /// Where it can be read.
        optional url: Option<Url>;
        /// Its authors: a list of names, each `Given Family` or `Family, Given`; or a text, such as `A. Vaswani et al.`
        optional authors: Option<OneOrMany<String>>;
        /// The year in which it appeared.
        optional year: Option<u32>;
        /// What to read it for.
        optional note: Option<String>;
        /// The day on which it was last looked at.
        optional checked: Option<Spanned<Date>>;
    }
}

words! {
    /// What kind of source a reference is; reading lists are grouped by it, in this order.
    pub enum ReferenceKind {
        /// The documentation of those who make the thing.
        Official = "official",
        /// A paper.
        Paper = "paper",
        /// A guide from practice.
        Practical = "practical",
        /// A blog post.
        Blog = "blog",
    }
}

/// A longer key is no slip of the pen.
const MAX_SLIP: usize = 64;

/// The bibliography, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct References {
    entries: Vec<(Spanned<String>, Reference)>,
    index: BTreeMap<String, usize>,
    /// Keys whose entries could not be read.
    unread: BTreeSet<String>,
    /// Whether the file was not read to its end, so that it may have any entry.
    is_cut: bool,
}

impl References {
    /// What `references.yaml` takes, for the schema.
    pub const TYPE: Type = Type::Map(&Reference::TYPE);

    /// The bibliography of a course whose `references.yaml` cannot be read.
    #[must_use]
    pub fn unread() -> Self {
        Self { is_cut: true, ..Self::default() }
    }

    /// Reads `references.yaml`. Entries whose key or form is wrong are left out.
    #[must_use]
    pub fn read(source: &Source) -> (Self, Vec<Diagnostic>) {
        let start = source.start();
        let (mut reader, found) = Reader::open(source, start..source.text().len(), start..start, "references.yaml");
        let mut references = Self::default();
        for entry in &found {
            let (key, _) = entry;
            let Some(reference) = reader.entry::<Reference>(entry) else {
                references.unread.insert(key.value.clone());
                continue;
            };
            if !is_key(key) {
                let message = format!("the key `{}` cannot be cited", key.value);
                let label = "a key is made of letters, digits, `-`, `_`, `.` and `:`";
                reader.refuse(&key.span, |_| message.clone(), label, None);
            } else if !references.index.contains_key(&key.value) {
                references.index.insert(key.value.clone(), references.entries.len());
                references.entries.push((key.clone(), reference));
            }
        }
        // A file with nothing in it, not even a comment, was hardly left so by its author.
        references.is_cut = !reader.is_complete() || source.is_blank();
        (references, reader.finish())
    }

    /// Whether the file may have an entry of a key, which could not be read.
    #[must_use]
    pub fn may_have(&self, key: &str) -> bool {
        self.is_cut || self.unread.contains(key)
    }

    /// The reference of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Reference> {
        self.index.get(key).and_then(|&index| self.entries.get(index)).map(|(_, reference)| reference)
    }

    /// The key nearest to one that is not there, if one is near enough to be what was meant.
    #[must_use]
    pub fn nearest(&self, key: &str) -> Option<&str> {
        if key.len() > MAX_SLIP { None } else { diag::nearest(key, self.index.keys().map(String::as_str)) }
    }

    /// All keys, with their places, and references, in the order of the file.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Spanned<String>, &Reference)> {
        self.entries.iter().map(|(key, reference)| (key, reference))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Reference {
    /// How it is cited: "Vaswani et al. 2017", "Dao and Gu 2024", "Dao 2023"; without authors, its title.
    #[must_use]
    pub fn short(&self) -> String {
        let names = match &self.authors {
            Some(OneOrMany::Many(names)) => names::short(names),
            Some(OneOrMany::One(text)) => names::short_of_text(text),
            None => String::new(),
        };
        match (names.is_empty(), self.year) {
            (true, _) => self.title.clone(),
            (false, None) => names,
            (false, Some(year)) => format!("{names} {year}"),
        }
    }

    /// Its authors in full, separated by commas; empty where there are none.
    #[must_use]
    pub fn authors(&self) -> String {
        match &self.authors {
            Some(OneOrMany::Many(names)) => names.iter().map(|name| names::plain(name)).collect::<Vec<_>>().join(", "),
            Some(OneOrMany::One(text)) => names::plain(text),
            None => String::new(),
        }
    }
}

fn is_key(key: &str) -> bool {
    let fits = |found: char| found.is_alphanumeric() || matches!(found, '-' | '_' | '.' | ':');
    !key.is_empty() && key.chars().all(fits)
}

#[cfg(test)]
mod tests;
