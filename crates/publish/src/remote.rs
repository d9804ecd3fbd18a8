//! What is at a destination.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, UpdateVersion};

use super::error::Context;
use super::manifest::{Manifest, State, decode};
use infralens_source::change::Refusal;

/// The folder of what is not part of the site.
pub(super) const MANAGED: &str = ".infralens/";
const OBJECTS: &str = ".infralens/objects/";
const SITES: &str = ".infralens/sites/";
pub(super) const STATE: &str = ".infralens/state.json";
const SECONDS_PER_DAY: i64 = 86_400;

/// What is at a destination.
pub(super) struct Remote {
    /// The destination's name in messages.
    pub(super) name: String,
    pub(super) state: State,
    /// The version of the stored state, for compare-and-swap, and the time when it was written; `None` if there is none.
    pub(super) version: Option<(UpdateVersion, i64)>,
    /// The manifests of all generations from the complete one to the latest.
    pub(super) history: Vec<Manifest>,
    /// The fingerprints of the contents that are there.
    pub(super) objects: BTreeSet<String>,
    /// The generations whose manifests are there, and when each was written, by the store's clock.
    pub(super) sites: BTreeMap<u64, i64>,
    /// The paths of all other files.
    files: BTreeSet<String>,
}

/// Returns the path of an object of the site.
pub(super) fn path(path: &str) -> Result<Path, Refusal> {
    Path::parse(path).map_err(|error| Refusal::new(format!("`{path}` cannot be the name of an object: {error}")))
}

/// Returns the path of a content.
pub(super) fn object_path(fingerprint: &str) -> Path {
    Path::from(format!("{OBJECTS}{fingerprint}"))
}

pub(super) fn site_path(generation: u64) -> Path {
    Path::from(format!("{SITES}{generation:06}.json"))
}

impl Remote {
    /// Reads the state, which comes first so that a change that is made after it is noticed; then everything else.
    pub(super) async fn read(store: &dyn ObjectStore, name: &str) -> Result<Self, Refusal> {
        let (state, version) = match store.get(&Path::from(STATE)).await {
            Ok(found) => {
                let version = UpdateVersion { e_tag: found.meta.e_tag.clone(), version: found.meta.version.clone() };
                let written = found.meta.last_modified.timestamp();
                let bytes = found.bytes().await.context(name, || format!("read `{STATE}`"))?;
                (decode::<State>(&bytes, STATE)?, Some((version, written)))
            }
            // If it is the bucket that does not exist, the list of its objects says so.
            Err(Error::NotFound { .. }) => (State::default(), None),
            Err(error) => return Err(error).context(name, || format!("read `{STATE}`")),
        };
        // Only somebody else can have written a complete generation that was not begun; then its manifest decides.
        let state = State { latest: state.latest.max(state.complete), ..state };
        let mut remote = Self {
            name: name.to_owned(),
            state,
            version,
            history: Vec::new(),
            objects: BTreeSet::new(),
            sites: BTreeMap::new(),
            files: BTreeSet::new(),
        };
        let mut list = store.list(None);
        while let Some(object) = list.try_next().await.context(name, || "list what is there".to_owned())? {
            let path = object.location.as_ref();
            let generation = path.strip_prefix(SITES).and_then(|name| name.strip_suffix(".json")?.parse().ok());
            if let Some(fingerprint) = path.strip_prefix(OBJECTS) {
                remote.objects.insert(fingerprint.to_owned());
            } else if let Some(generation) = generation {
                remote.sites.insert(generation, object.last_modified.timestamp());
            } else if !path.starts_with(MANAGED) {
                remote.files.insert(path.to_owned());
            }
        }
        for generation in remote.state.complete.max(1)..=remote.state.latest {
            remote.history.push(read_manifest(store, name, generation).await?);
        }
        Ok(remote)
    }

    /// Returns an earlier generation and its manifest: the one with this number, or the one before the current one.
    pub(super) async fn earlier(
        &self,
        store: &dyn ObjectStore,
        generation: Option<u64>,
    ) -> Result<(u64, Manifest), Refusal> {
        let previous = self.history.first().filter(|_| self.state.complete > 0).and_then(|current| current.previous);
        let Some(generation) = generation.or(previous).filter(|number| self.sites.contains_key(number)) else {
            let what = generation.map_or("an earlier generation".to_owned(), |number| format!("generation {number}"));
            let known = self.sites.iter().filter(|(number, _)| **number != self.state.complete);
            let known: Vec<String> =
                known.map(|(number, time)| format!("{number} (published {})", format_time(*time))).collect();
            let help = if known.is_empty() {
                "no earlier generation is kept there".to_owned()
            } else {
                format!("kept there: {}; `--rollback=NUMBER` brings one back", known.join(", "))
            };
            return Err(Refusal::new(format!("{} does not have {what}", self.name)).help(help));
        };
        Ok((generation, read_manifest(store, &self.name, generation).await?))
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// Returns whether the file at a path was published by this program.
    pub(super) fn is_ours(&self, path: &str) -> bool {
        self.history.iter().any(|manifest| manifest.get(path).is_some())
    }

    /// Returns the fingerprint of the file at a path, or `None` if it is not certain. It is certain only if all generations
    /// from the last complete one on give the path the same content.
    pub(super) fn content(&self, path: &str) -> Option<&str> {
        let (first, others) = self.history.split_first().filter(|_| self.state.complete > 0)?;
        let content = first.get(path).filter(|_| self.has(path))?;
        others.iter().all(|manifest| manifest.get(path) == Some(content)).then_some(content)
    }

    /// Returns whether the last publisher has finished.
    pub(super) fn is_settled(&self) -> bool {
        self.version.is_some() && self.state.complete == self.state.latest && self.state.publisher.is_none()
    }

    /// Returns the generations that were replaced at least `keep_days` before `now`.
    pub(super) fn expired(&self, keep_days: u32, now: i64) -> Vec<u64> {
        let replaced = self.sites.iter().zip(self.sites.values().skip(1));
        let expired = replaced.filter(|&((generation, _), replaced)| {
            *generation < self.state.complete && now - replaced >= i64::from(keep_days) * SECONDS_PER_DAY
        });
        expired.map(|((generation, _), _)| *generation).collect()
    }
}

pub(super) async fn read_manifest(store: &dyn ObjectStore, name: &str, generation: u64) -> Result<Manifest, Refusal> {
    let path = site_path(generation);
    let doing = || format!("read `{path}`");
    let bytes = store.get(&path).await.context(name, doing)?.bytes().await.context(name, doing)?;
    decode(&bytes, path.as_ref())
}

/// Formats a time in seconds since 1970.
fn format_time(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds)
        .map_or_else(|_| "at an unknown time".to_owned(), |time| time.strftime("%Y-%m-%d %H:%M UTC").to_string())
}
