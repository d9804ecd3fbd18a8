//! Decodes `tracks:` in `site.yaml`: the ordered names of the tracks, and whether all of them could be read.

use std::ops::Deref;

use serde::Serialize;

use super::TrackName;
use infralens_source::diag::nearest;
use infralens_source::yaml::{Decoder, Entry, Json, Node, Spanned, Tree, Type, Value};

/// The name of the key.
const KEY: &str = "tracks";

/// The tracks that `site.yaml` names, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Tracks {
    pub names: Vec<Spanned<TrackName>>,
    /// Whether every entry could be read. If not, the folders in `content/tracks` count as tracks, too, and a difference
    /// between folders and list is not reported.
    #[serde(skip)]
    pub is_complete: bool,
}

impl Tracks {
    /// Returns the tracks of a configuration that cannot be read.
    pub(super) fn unknown() -> Self {
        Self { names: Vec::new(), is_complete: false }
    }
}

impl Default for Tracks {
    fn default() -> Self {
        Self { names: Vec::new(), is_complete: true }
    }
}

impl Deref for Tracks {
    type Target = [Spanned<TrackName>];

    fn deref(&self) -> &Self::Target {
        &self.names
    }
}

impl Value for Tracks {
    const TYPE: Type = <Vec<Spanned<TrackName>> as Value>::TYPE;

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        let Some(names) = Vec::<Spanned<TrackName>>::read(tree, decoder) else { return Some(Self::unknown()) };
        let is_complete = matches!(&*tree.value, Node::List(items) if items.len() == names.len());
        Some(Self { names, is_complete })
    }

    fn to_json(&self) -> Option<Json> {
        self.names.to_json()
    }
}

/// Whether the key is missing and another key looks like a misspelling of it.
pub(super) fn is_key_misspelled(entries: &[Entry]) -> bool {
    let mut keys = entries.iter().map(|(key, _)| key.value.as_str());
    keys.clone().all(|key| key != KEY) && keys.any(|key| nearest(key, [KEY]).is_some())
}
