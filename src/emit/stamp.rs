//! Recognizes a build with nothing to do, by two hashes in the manifest: one of the sources and one of the files of
//! the site.
//!
//! The hashes are of contents, not of times, so the course and the output are read in full. If anything differs,
//! cannot be read, or was left by a killed build, the site is built; nothing here can refuse a build.

use std::collections::BTreeSet;
use std::path::Path;

use blake3::{Hash, Hasher};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Target;
use super::manifest;
use super::target::OutputPaths;
use crate::assets::BUILD_ID;
use crate::disk::{self, File};
use infralens_site::Options;
use infralens_source::project::Project;

/// The hashes in the manifest, and what the build reported. They depend on the course, the options and the program, but not
/// on the day, so the manifest is as reproducible as the rest of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    /// The hash of [`Sources`], in hexadecimal.
    source: String,
    /// [`site_hash`], in hexadecimal.
    site: String,
    /// What the build reported, in hexadecimal and enciphered: it may quote drafts, and the manifest is published with the
    /// site. `None` if it reported nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    report: Option<String>,
}

impl Stamp {
    pub(super) fn new(sources: &Sources, site: &Hash, report: String) -> Self {
        let report = (!report.is_empty()).then(|| to_hex(&sources.cipher(report.into_bytes())));
        Self { source: sources.hash.to_string(), site: site.to_string(), report }
    }

    /// Returns what the build of the same sources reported; `None` if somebody has edited it.
    fn report(&self, sources: &Sources) -> Option<String> {
        let Some(report) = &self.report else { return Some(String::new()) };
        String::from_utf8(sources.cipher(from_hex(report)?)).ok()
    }
}

/// Identifies all sources of a site: the program, the options, and every file of the course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    hash: Hash,
    /// A key that only those who have the sources can compute: it does not follow from the hash.
    key: [u8; 32],
}

impl Sources {
    /// Hashes the sources of a site.
    pub fn of(project: &Project, options: &Options) -> Self {
        // The day has no effect on files, only on diagnostics of dates, which are judged anew. The id stands for the theme.
        let Options { drafts, base_url, today: _, builtin: _, isolates_bugs: _, marks: _ } = options;
        let mut hasher = Hasher::new();
        add(&mut hasher, BUILD_ID.as_bytes());
        add(&mut hasher, &[u8::from(*drafts), u8::from(base_url.is_some())]);
        add(&mut hasher, base_url.as_ref().map_or("", |url| url).as_bytes());
        let files: Vec<_> = project.files.iter().collect();
        let contents: Vec<Hash> = files
            .par_iter()
            .map(|(_, file)| match file.bytes() {
                Some(bytes) => blake3::hash(bytes),
                // Depends on the reason why it was not read.
                None => {
                    Hasher::new_derive_key("infralens unread file").update(format!("{file:?}").as_bytes()).finalize()
                }
            })
            .collect();
        for ((path, _), hash) in files.iter().zip(contents) {
            add(&mut hasher, path.as_bytes());
            hasher.update(hash.as_bytes());
        }
        // What was found while reading may concern a folder or a name, which no file shows.
        for diagnostic in &project.diagnostics {
            add(&mut hasher, format!("{diagnostic:?}").as_bytes());
        }
        Self::finish(&hasher)
    }

    fn finish(hasher: &Hasher) -> Self {
        let mut key = [0; 32];
        let mut output = hasher.finalize_xof();
        output.set_position(32);
        output.fill(&mut key);
        Self { hash: hasher.finalize(), key }
    }

    /// Enciphers or deciphers what a build of these sources reported.
    fn cipher(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let mut stream = vec![0; bytes.len()];
        Hasher::new_keyed(&self.key).finalize_xof().fill(&mut stream);
        bytes.iter_mut().zip(stream).for_each(|(byte, mask)| *byte ^= mask);
        bytes
    }

    #[cfg(test)]
    pub(super) fn named(name: &str) -> Self {
        Self::finish(Hasher::new().update(name.as_bytes()))
    }
}

fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    text.as_bytes().chunks(2).map(pair).collect()
}

/// Hashes the paths and the hashes of the files of a site, in the order of the manifest.
pub(super) fn site_hash<'a>(files: impl Iterator<Item = (&'a str, Hash)>) -> Hash {
    let mut hasher = Hasher::new();
    for (path, hash) in files {
        add(&mut hasher, path.as_bytes());
        hasher.update(hash.as_bytes());
    }
    hasher.finalize()
}

/// Adds bytes after their length, so that two different lists of parts never hash the same bytes.
fn add(hasher: &mut Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
}

/// Returns the number of files in the output, and what their build reported, if a build of these sources would change no
/// file. Changes nothing.
pub fn up_to_date(target: &Target, sources: &Sources) -> Option<(usize, String)> {
    let output = OutputPaths::find(target).ok()?;
    // Another build is running, or was killed and has left something to clear.
    if disk::find(&output.stage).ok()?.is_some() {
        return None;
    }
    let (manifest, text) = manifest::read(&output.out).ok()??;
    let stamp = manifest.stamp.as_ref()?;
    if *stamp.source != *sources.hash.to_hex() {
        return None;
    }
    let report = stamp.report(sources)?;
    let paths: Vec<&str> = manifest.files.iter().map(String::as_str).collect();
    let is_unedited = manifest::encode(paths.iter().copied(), Some(stamp), manifest.marked).as_bytes() == text;
    if !is_unedited || !has_folders(&output.out, &paths) {
        return None;
    }
    let hashes: Vec<Hash> = paths.par_iter().map(|path| hash_of(&output.out.join(path))).collect::<Option<_>>()?;
    let site = site_hash(paths.iter().copied().zip(hashes));
    (*stamp.site == *site.to_hex()).then_some((paths.len(), report))
}

/// Whether every folder above the paths is a folder, and not a link or a mount point, as in a site that was just
/// written.
fn has_folders(out: &Path, paths: &[&str]) -> bool {
    let above = |path: &&str| path.match_indices('/').map(|(end, _)| end).collect::<Vec<_>>();
    let folders: BTreeSet<&str> =
        paths.iter().flat_map(|path| above(path).into_iter().map(|end| &path[..end])).collect();
    let Ok(Some(top)) = disk::find(out) else { return false };
    let is_folder = |path: &Path| {
        disk::find(path).is_ok_and(|found| found.is_some_and(|found| found.is_dir() && disk::same_device(&top, &found)))
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
