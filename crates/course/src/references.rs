//! Reads `content/references.yaml` into [`References`], the bibliography.

mod bibtex;
mod names;

use std::collections::{BTreeMap, BTreeSet};

use infralens_source::diag::{self, Diagnostic, Near, codes};
use infralens_source::source::{LABEL, Source, shortened};
use infralens_source::yaml::{Date, Decoder, OneOrMany, Spanned, Type, Url, Value, choices, record};

record! {
    /// An entry of the bibliography.
    pub struct Reference {
        /// The kind of source.
        required kind: ReferenceKind;
        /// The title.
        required title: String;
        /// The address at which it can be read.
        optional url: Option<Spanned<Url>>;
        /// The authors: a list of names, each `Given Family` or `Family, Given`; or a text, such as `A. Vaswani et al.`
        optional authors: Option<OneOrMany<String>>;
        /// The year of publication.
        optional year: Option<u32>;
        /// Why to read it.
        optional note: Option<String>;
        /// The day on which the entry was last checked.
        optional checked: Option<Spanned<Date>>;
    }
}

choices! {
    /// The kind of source. Reading lists are grouped by it, in this order.
    pub enum ReferenceKind {
        /// Official documentation.
        Official = "official",
        /// A paper.
        Paper = "paper",
        /// A practical guide.
        Practical = "practical",
        /// A blog post.
        Blog = "blog",
    }
}

/// An entry, for messages.
const EXAMPLE: &str = "vaswani2017: { kind: paper, title: Attention Is All You Need }";

/// The longest key, in bytes, that may be a misspelling of another.
const MAX_WORD: usize = 64;

/// The bibliography, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct References {
    entries: Vec<(Spanned<String>, Reference)>,
    index: BTreeMap<String, usize>,
    /// The keys of entries that could not be read.
    unread: BTreeSet<String>,
    /// Whether the file was not read to its end, so that it may contain any entry.
    is_incomplete: bool,
}

impl References {
    /// The type of `references.yaml`, for the schema.
    pub const TYPE: Type = Type::Map(&Type::Text, &Reference::TYPE);

    /// Returns the bibliography of a course whose `references.yaml` cannot be read.
    pub fn unread() -> Self {
        Self { is_incomplete: true, ..Self::default() }
    }

    /// Reads `references.yaml`. Entries with an invalid key or value are left out.
    pub fn read(source: &Source) -> (Self, Vec<Diagnostic>) {
        if let Some(error) = bibtex::refuse(source) {
            return (Self::unread(), vec![error]);
        }
        let start = source.start();
        let (mut decoder, found) = Decoder::open(source, start..source.text().len(), start..start, "references.yaml");
        let mut references = Self::default();
        for entry in &found {
            let (key, _) = entry;
            let Some(reference) = decoder.decode_entry::<Reference>(entry) else {
                references.unread.insert(key.value.clone());
                continue;
            };
            if !is_key(key) {
                let message = format!("the key `{}` cannot be cited", key.value);
                let label = "a key consists of letters, digits, `-`, `_`, `.` and `:`";
                decoder.reject(&key.span, |_| message, label, None);
            } else if !references.index.contains_key(&key.value) {
                references.index.insert(key.value.clone(), references.entries.len());
                references.entries.push((key.clone(), reference));
            }
        }
        // A file without even a comment was probably truncated, not written so.
        references.is_incomplete = !decoder.is_complete() || source.is_blank();
        let mut diagnostics = decoder.finish();
        if found.is_empty() {
            // A list, most often: other tools have lists of entries with a key `id`.
            let is_of_root = |error: &&mut Diagnostic| error.code == codes::E0106;
            for error in diagnostics.iter_mut().filter(is_of_root) {
                error.help.push(format!("begin each entry with the key that pages cite: `{EXAMPLE}`"));
            }
        }
        (references, diagnostics)
    }

    /// Whether the file may contain an entry for a key that could not be read.
    pub fn may_have(&self, key: &str) -> bool {
        self.is_incomplete || self.unread.contains(key)
    }

    pub fn get(&self, key: &str) -> Option<&Reference> {
        self.index.get(key).and_then(|&index| self.entries.get(index)).map(|(_, reference)| reference)
    }

    /// Returns the known key most similar to an unknown one, if one is similar enough to be what was meant.
    pub fn nearest(&self, key: &str) -> Option<Near<'_>> {
        if key.len() > MAX_WORD { None } else { diag::similar(key, self.index.keys().map(String::as_str)) }
    }

    /// Iterates over the keys, with their spans, and the references, in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Spanned<String>, &Reference)> {
        self.entries.iter().map(|(key, reference)| (key, reference))
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Reference {
    /// Returns how it is cited: "Vaswani et al. 2017", "Dao and Gu 2024", "Dao 2023"; without authors, its title.
    pub fn short(&self) -> String {
        let names = match &self.authors {
            Some(OneOrMany::Many(names)) => names::short(names),
            Some(OneOrMany::One(text)) => names::short_of_text(text),
            None => String::new(),
        };
        match (names.is_empty(), self.year) {
            (true, _) => shortened(&self.title, LABEL).into_owned(),
            (false, None) => shortened(&names, LABEL).into_owned(),
            (false, Some(year)) => format!("{} {year}", shortened(&names, LABEL)),
        }
    }

    /// Returns its authors in full, separated by commas; empty without authors.
    pub fn authors(&self) -> String {
        match &self.authors {
            Some(OneOrMany::Many(names)) => names.iter().map(|name| names::plain(name)).collect::<Vec<_>>().join(", "),
            Some(OneOrMany::One(text)) => names::plain(text),
            None => String::new(),
        }
    }
}

fn is_key(key: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    !key.is_empty() && key.chars().all(fits)
}

#[cfg(test)]
mod tests;
