//! What an import leaves out or changes, by kind, each with advice for the author.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::settings::table;
use super::tree::{Keys, scalar};
use infralens_source::source::{Source, Span};

/// Something that was not taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub kind: Kind,
    /// The file, from the root of the book; that of the new project for what its checks find.
    pub path: Arc<str>,
    /// The line, from 1; `None` for the whole file.
    pub line: Option<usize>,
    /// What is special about this place: a name, a reason; empty if nothing is.
    pub detail: String,
}

impl Loss {
    pub fn new(kind: Kind, path: &Arc<str>, line: impl Into<Option<usize>>, detail: impl Into<String>) -> Self {
        Self { kind, path: Arc::clone(path), line: line.into(), detail: detail.into() }
    }

    /// Returns what is lost at the line of a span.
    pub fn at(kind: Kind, source: &Source, span: &Span, detail: String) -> Self {
        Self::new(kind, source.path(), source.line(span.start) + 1, detail)
    }
}

macro_rules! kinds {
    ($($name:ident)+) => {
        /// The kinds of losses, in the order of the report: first what readers miss most. `settings.yaml` has their texts.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind { $(#[doc = stringify!($name)] $name,)+ }

        #[cfg(test)]
        pub const ALL: &[Kind] = &[$(Kind::$name),+];
    };
}

kinds! {
    Extension Plugin Setting Blog Program Component Error Unreadable Page Draft Include Reference Macro Directive
    Formula Dollars Diagram Abbreviation Foreign Warning Link Heading Picture Copy Hidden Mark Word Tab Icon Attribute
    FrontMatter Part Unlisted Title Entry Lint Taken
}

impl Kind {
    /// Returns the heading of the kind in the report, and what an author can do about it.
    pub fn text(self) -> (String, String) {
        let table = table("losses");
        let mut texts = table.list(&format!("{self:?}")).iter().filter_map(scalar);
        (texts.next().unwrap_or_default(), texts.next().unwrap_or_default())
    }
}

/// Returns the losses of each kind.
pub fn grouped(losses: &[Loss]) -> BTreeMap<Kind, Vec<&Loss>> {
    let mut groups: BTreeMap<Kind, Vec<&Loss>> = BTreeMap::new();
    for loss in losses {
        let group = groups.entry(loss.kind).or_default();
        // Several of the same kind in one line are one place.
        if group.last() != Some(&loss) {
            group.push(loss);
        }
    }
    groups
}

/// Quotes a part of a book for the report, shortened if it is long.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let cut = text.floor_char_boundary(LONGEST);
    format!("`{}{}`", &text[..cut], if cut < text.len() { "…" } else { "" })
}
