//! The file of a record: the command, a hash of each file that it may have read, and what it printed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::course::starter::is_record;
use crate::course::url;
use infralens_source::change::Change;
use infralens_source::project::{File, Project, Refusal};
use infralens_source::source::Source;

/// The maximum size of the file of a record, and of what a command may print: 1 MiB.
pub const MAX_SIZE: usize = 1 << 20;
/// The maximum number of changed files that a message names.
const LISTED: usize = 4;

/// The hash of each file of a folder, by its path from that folder.
pub type Hashes = BTreeMap<String, String>;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The command as the lab declared it.
    pub command: String,
    /// The files of the starter's folder when it ran.
    pub files: Hashes,
    /// What it printed: JSON, or a string if it was no JSON.
    pub output: Arc<Value>,
}

impl Record {
    /// Creates the record of a command that printed a text.
    pub fn new(command: String, files: Hashes, printed: &str) -> Self {
        let output = serde_json::from_str(printed).map(|mut value: Value| {
            value.sort_all_objects();
            value
        });
        Self { command, files, output: Arc::new(output.unwrap_or_else(|_| Value::String(printed.to_owned()))) }
    }

    /// Parses the text of a record.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_SIZE {
            return Err(format!("it has {} bytes, and the limit is {MAX_SIZE}", text.len()));
        }
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// Returns its text: indented JSON with sorted keys and a final line break.
    ///
    /// # Errors
    ///
    /// Returns why no such record can be read: its text is too large, or its JSON too deep.
    pub fn text(&self) -> Result<String, String> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        text.push('\n');
        Self::parse(&text).map(|_| text)
    }
}

/// Returns the hashes of the files of a folder, except records. A file that was not read has a note instead of a hash.
pub fn hashes(project: &Project, folder: &str) -> Hashes {
    let files = project.below(folder).filter(|(path, _)| !is_record(path));
    let hash = |file: &File| match file {
        File::Refused(Refusal::TooLarge { size, .. }) => format!("not read, {size} bytes"),
        file => file.bytes().map_or_else(|| "not read".to_owned(), hash),
    };
    files.map(|(path, file)| (path.get(folder.len() + 1..).unwrap_or_default().to_owned(), hash(file))).collect()
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Returns the changes after which every record that holds before `changes` also holds after them. For a move, which
/// rewrites links in files next to a starter, but never the starter.
pub fn follow(project: &Project, changes: &[Change]) -> Vec<Change> {
    let replaced: Vec<(&Source, &str)> = changes
        .iter()
        .filter_map(|change| match change {
            Change::Replace { source, text } => Some((&**source, text.as_str())),
            Change::Create { .. } | Change::Add { .. } | Change::Rename { .. } => None,
        })
        .collect();
    let records = project.below("code").filter(|(path, _)| is_record(path));
    let follow = |(path, file): (&Arc<str>, &File)| {
        let File::Text(old) = file else { return None };
        let mut record = Record::parse(old.text()).ok()?;
        let before = record.clone();
        for (source, text) in &replaced {
            let below = source.path().strip_prefix(url::folder(url::folder(path)));
            let below = below.and_then(|below| below.strip_prefix('/'));
            let known = below.and_then(|below| record.files.get_mut(below));
            if let Some(known) = known.filter(|known| **known == hash(source.text().as_bytes())) {
                *known = hash(text.as_bytes());
            }
        }
        let text = record.text().ok().filter(|_| record != before)?;
        Some(Change::Replace { source: Arc::clone(old), text })
    };
    records.filter_map(follow).collect()
}

/// Describes in words how the files of a folder differ; `None` if they are the same.
pub fn changes(before: &Hashes, now: &Hashes) -> Option<String> {
    let gone = before.keys().filter(|path| !now.contains_key(*path)).map(|path| format!("`{path}` was removed"));
    let changed = now.iter().filter_map(|(path, hash)| match before.get(path) {
        None => Some(format!("`{path}` was added")),
        Some(known) => (known != hash).then(|| format!("`{path}` has changed")),
    });
    let mut all: Vec<String> = changed.chain(gone).collect();
    if all.len() > LISTED {
        let more = all.split_off(LISTED - 1).len();
        all.push(format!("and {more} more files"));
    }
    (!all.is_empty()).then(|| all.join(", "))
}
