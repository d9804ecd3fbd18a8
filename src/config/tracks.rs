//! `tracks:` in `site.yaml`: names in an order, and whether they are all that the author wrote.

use std::ops::Deref;

use serde::{Serialize, Serializer};

use super::TrackName;
use crate::diag::nearest;
use crate::yaml::{Entry, Json, Node, Reader, Spanned, Tree, Type, Value};

/// The key.
const KEY: &str = "tracks";

/// The tracks that `site.yaml` names, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracks {
    /// Their names.
    pub names: Vec<Spanned<TrackName>>,
    /// Whether these are all. If what the author wrote could not be read, the course's folders say which tracks there
    /// are, and it is not reported that the two disagree.
    pub is_known: bool,
}

impl Tracks {
    /// The tracks of settings that cannot be read.
    pub(super) fn unknown() -> Self {
        Self { names: Vec::new(), is_known: false }
    }
}

impl Default for Tracks {
    fn default() -> Self {
        Self { names: Vec::new(), is_known: true }
    }
}

impl Deref for Tracks {
    type Target = [Spanned<TrackName>];

    fn deref(&self) -> &Self::Target {
        &self.names
    }
}

impl Serialize for Tracks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.names.serialize(serializer)
    }
}

impl Value for Tracks {
    const TYPE: Type = <Vec<Spanned<TrackName>> as Value>::TYPE;

    fn read(tree: &Tree, reader: &mut Reader<'_>) -> Option<Self> {
        let Some(names) = Vec::<Spanned<TrackName>>::read(tree, reader) else { return Some(Self::unknown()) };
        let is_known = matches!(&*tree.value, Node::List(items) if items.len() == names.len());
        Some(Self { names, is_known })
    }

    fn to_json(&self) -> Option<Json> {
        self.names.to_json()
    }
}

/// Whether the key is not there, and another one is that could be meant for it.
pub(super) fn are_misspelled(entries: &[Entry]) -> bool {
    let mut keys = entries.iter().map(|(key, _)| key.value.as_str());
    keys.clone().all(|key| key != KEY) && keys.any(|key| nearest(key, [KEY]).is_some())
}
