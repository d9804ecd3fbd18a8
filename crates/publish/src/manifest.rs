//! The records that are kept at the destination: which files each generation has, and which generation is on display.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::headers::fingerprint;
use infralens_source::change::Refusal;
use infralens_source::output::is_hashed;

/// The version of the format of both records.
const FORMAT: u32 = 1;

/// What a manifest says of one file.
#[derive(Debug, Clone)]
pub struct Entry {
    fingerprint: String,
    is_asset: bool,
}

impl Entry {
    /// Computes the entry of the file at a path with these bytes.
    pub fn new(path: &str, bytes: &[u8]) -> Self {
        Self { fingerprint: fingerprint(path, bytes), is_asset: is_hashed(path, bytes) }
    }
}

/// The files of one generation: the fingerprint of each by its path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// The generation that is the one before this: the one it replaced, or if it brought back an earlier one, the one
    /// before that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) previous: Option<u64>,
    /// Files whose names contain the hash of their bytes. They stay for a while when the site no longer has them.
    pub(super) assets: BTreeMap<String, String>,
    /// All other files.
    pub(super) files: BTreeMap<String, String>,
}

impl Manifest {
    pub fn insert(&mut self, path: &str, entry: Entry) {
        let files = if entry.is_asset { &mut self.assets } else { &mut self.files };
        files.insert(path.to_owned(), entry.fingerprint);
    }

    /// Returns paths and fingerprints, assets first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.assets.iter().chain(&self.files).map(|(path, fingerprint)| (path.as_str(), fingerprint.as_str()))
    }

    /// Returns the fingerprint of the file at a path.
    pub(super) fn get(&self, path: &str) -> Option<&str> {
        self.assets.get(path).or_else(|| self.files.get(path)).map(String::as_str)
    }

    /// Returns the manifest of a generation with `previous` before it.
    pub(super) fn following(mut self, previous: Option<u64>) -> Self {
        (self.format, self.previous) = (FORMAT, previous);
        self
    }
}

/// Which generation is on display, and who is publishing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) format: u32,
    /// Grows with each write, so that two states are never the same.
    pub(super) revision: u64,
    /// The newest generation that was completely published, or 0.
    pub(super) complete: u64,
    /// The newest generation of which any file may have been published. If it is not complete, a path has the content
    /// that any of the generations since the complete one gives it.
    pub(super) latest: u64,
    /// Who is publishing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) publisher: Option<String>,
}

impl Default for State {
    fn default() -> Self {
        Self { format: FORMAT, revision: 0, complete: 0, latest: 0, publisher: None }
    }
}

/// Returns the text of a manifest or state.
pub(super) fn encode(record: &impl Serialize) -> Vec<u8> {
    // Maps with keys of text and fields of text and numbers can always be written.
    serde_json::to_vec_pretty(record).unwrap_or_default()
}

/// Parses a manifest or state that is called `name`.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8], name: &str) -> Result<T, Refusal> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let unreadable = |why: String| {
        Refusal::new(format!("`{name}` cannot be read: {why}"))
            .help("publish with the version of InfraLens that wrote it, or to an empty destination")
    };
    let version: Version = serde_json::from_slice(bytes).map_err(|error| unreadable(error.to_string()))?;
    if version.format != FORMAT {
        return Err(unreadable(format!("its format is {}, and this version knows {FORMAT}", version.format)));
    }
    serde_json::from_slice(bytes).map_err(|error| unreadable(error.to_string()))
}
