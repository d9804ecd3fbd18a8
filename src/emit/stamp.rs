//! Recognizes a build with nothing to do, by two hashes in the manifest: of what the site was made from, and of its files.
//!
//! Content decides, never times: the course and the output are read in full. If anything differs, cannot be read, or was
//! left by a killed build, the site is built; nothing here can refuse a build.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::Path;

use blake3::{Hash, Hasher};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Target;
use super::manifest;
use super::target::{Place, same_device};
use crate::assets::BUILD_ID;
use crate::disk::{self, File};
use crate::project::Project;
use crate::site::Options;

/// A course without dates reports the same on every day.
const EVERY_DAY: RangeInclusive<i64> = i64::MIN..=i64::MAX;

/// The hashes that a manifest has if the build reported nothing. They depend on the course, the options and the program, and
/// not on the day, so the manifest is as reproducible as the rest of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    /// [`source_hash`], in hexadecimal.
    source: String,
    /// [`site_hash`], in hexadecimal.
    site: String,
    /// The first and the last day on which the build reports nothing, as days since 1970-01-01; `None` for every day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    days: Option<(i64, i64)>,
}

impl Stamp {
    pub(super) fn new(source: &Hash, site: &Hash, days: &RangeInclusive<i64>) -> Self {
        let days = (*days != EVERY_DAY).then_some((*days.start(), *days.end()));
        Self { source: source.to_string(), site: site.to_string(), days }
    }

    fn is_silent_on(&self, day: i64) -> bool {
        self.days.is_none_or(|(first, last)| (first..=last).contains(&day))
    }
}

/// Hashes everything that a site is made from, except the day: the program, the options, and every file of the course.
#[must_use]
pub fn source_hash(project: &Project, options: &Options) -> Hash {
    // The day changes what is reported and no file; the stamp has the days on which nothing is reported.
    let Options { drafts, base_url, today: _ } = options;
    let mut hasher = Hasher::new();
    add(&mut hasher, BUILD_ID.as_bytes());
    add(&mut hasher, &[u8::from(*drafts), u8::from(base_url.is_some())]);
    add(&mut hasher, base_url.as_ref().map_or("", |url| url).as_bytes());
    let files: Vec<_> = project.files.iter().collect();
    let contents: Vec<Hash> = files
        .par_iter()
        .map(|(_, file)| match file.bytes() {
            Some(bytes) => blake3::hash(bytes),
            // Why it was not read.
            None => blake3::Hasher::new_derive_key("infralens unread file")
                .update(format!("{file:?}").as_bytes())
                .finalize(),
        })
        .collect();
    for ((path, _), hash) in files.iter().zip(contents) {
        add(&mut hasher, path.as_bytes());
        hasher.update(hash.as_bytes());
    }
    hasher.finalize()
}

/// Hashes the files of a site: paths and hashes of contents, in the order of the manifest.
pub(super) fn site_hash<'a>(files: impl Iterator<Item = (&'a str, Hash)>) -> Hash {
    let mut hasher = Hasher::new();
    for (path, hash) in files {
        add(&mut hasher, path.as_bytes());
        hasher.update(hash.as_bytes());
    }
    hasher.finalize()
}

/// Adds bytes with their length before them, so that two lists of parts never read as the same bytes.
fn add(hasher: &mut Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
}

/// Returns how many files the output has if a build on the day `today` (days since 1970-01-01) of what has the hash
/// `source` would change no file and report nothing. Touches nothing.
#[must_use]
pub fn up_to_date(target: &Target, source: &Hash, today: i64) -> Option<usize> {
    let place = Place::find(target).ok()?;
    // A build is at work, or one was killed and has left something to be cleared.
    if disk::find(&place.stage).ok()?.is_some() {
        return None;
    }
    let (manifest, text) = manifest::read(&place.out).ok()??;
    let stamp = manifest.stamp.as_ref()?;
    if !stamp.is_silent_on(today) || *stamp.source != *source.to_hex() {
        return None;
    }
    let paths: Vec<&str> = manifest.files.iter().map(String::as_str).collect();
    let is_as_written = manifest::encode(paths.iter().copied(), Some(stamp)).as_bytes() == text;
    if !is_as_written || !has_folders(&place.out, &paths) {
        return None;
    }
    let hashes: Vec<Hash> = paths.par_iter().map(|path| hash_of(&place.out.join(path))).collect::<Option<_>>()?;
    let site = site_hash(paths.iter().copied().zip(hashes));
    (*stamp.site == *site.to_hex()).then_some(paths.len())
}

/// Whether everything above the paths is a folder, and not a link or a mount, as in a site that was just written.
fn has_folders(out: &Path, paths: &[&str]) -> bool {
    let above = |path: &&str| path.match_indices('/').map(|(end, _)| end).collect::<Vec<_>>();
    let folders: BTreeSet<&str> =
        paths.iter().flat_map(|path| above(path).into_iter().map(|end| &path[..end])).collect();
    let Ok(Some(top)) = disk::find(out) else { return false };
    let is_folder = |path: &Path| {
        disk::find(path).is_ok_and(|found| found.is_some_and(|found| found.is_dir() && same_device(&top, &found)))
    };
    let folders: Vec<&str> = folders.into_iter().collect();
    folders.par_iter().all(|folder| is_folder(&out.join(folder)))
}

/// Hashes the file at `path`; `None` if it is not a regular file or cannot be read.
fn hash_of(path: &Path) -> Option<Hash> {
    let file = File::open_itself(path).ok()?;
    let found = file.metadata().ok()?;
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).ok().filter(|_| found.is_file())?);
    file.read_at_most(u64::MAX, &mut bytes).ok()?;
    Some(blake3::hash(&bytes))
}
