//! Finds code in all files, by an index of their lines: code that has moved to another file, and code that was copied. The
//! index is built when code is first searched for, and then each search takes time linear in the code and in the few files
//! that may have it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use super::copied::{Copied, CopiedCode, Origin, Resembling};
use super::listing::{Lines, Listing};
use super::locate::{Similarity, is_distinctive};
use super::notebook::is_notebook;
use infralens_source::source::Source;

/// The maximum number of files that are considered because they have the rarest line of the code.
const MAX_CONSIDERED: usize = 500;
/// The maximum number of files that are parsed because they have all lines of the code.
const MAX_FILES: usize = 32;
/// The maximum number of files in which code is searched for that resembles a copy.
const MAX_RESEMBLING: usize = 3;
/// The number of lines up to which code is in one place by chance if the same lines are in other files, too.
const FEW_LINES: usize = 3;
/// The number of letters and digits that code must have: less is in many files by chance.
const FEWEST_LETTERS: usize = 8;

/// An index of the lines of files by their text.
#[derive(Debug, Default)]
pub struct CodeIndex(OnceLock<Index>);

#[derive(Debug)]
struct Index {
    /// The files, each with its listing once it has been parsed.
    files: Vec<(Arc<Source>, OnceLock<Listing>)>,
    /// The hash of each distinctive line without its indentation, with the number of its file; sorted.
    lines: Vec<(u64, usize)>,
}

impl CodeIndex {
    /// Finds the files that have all `parts` of some code, unchanged except for the common indent: each with the lines of
    /// each part. `files` returns all files; that of the path `except` is left out.
    pub fn find(
        &self,
        files: impl FnOnce() -> Vec<Arc<Source>>,
        parts: &[&[&str]],
        except: &str,
    ) -> Vec<(&Listing, Vec<Lines>)> {
        let lines = || parts.iter().copied().flatten();
        let letters: usize = lines().map(|line| line.chars().filter(|c| c.is_alphanumeric()).count()).sum();
        let hashes: Vec<u64> = lines().filter(|line| is_distinctive(line)).map(|line| hash(line)).collect();
        if letters < FEWEST_LETTERS {
            return Vec::new();
        }
        let index = self.0.get_or_init(|| Index::new(files()));
        let Some(rarest) = hashes.iter().map(|&hash| index.with(hash)).min_by_key(|found| found.len()) else {
            return Vec::new();
        };
        let found = index.with_all(rarest, &hashes).filter(|&file| **index.files[file].0.path() != *except);
        found.take(MAX_FILES).filter_map(|file| index.locate(file, parts)).collect()
    }

    /// Finds where code was copied from, in the files that `files` returns.
    pub fn origin<'i>(&'i self, files: impl FnOnce() -> Vec<Arc<Source>>, copy: &CopiedCode<'_>) -> Copied<'i> {
        let hashes: Vec<u64> = copy.lines().filter(|line| is_distinctive(line)).map(hash).collect();
        let index = self.0.get_or_init(|| Index::new(files()));
        let Some(rarest) = hashes.iter().map(|&hash| index.with(hash)).min_by_key(|found| found.len()) else {
            return Copied::Nowhere;
        };
        let holders: Vec<usize> = index.with_all(rarest, &hashes).take(MAX_FILES + 1).collect();
        // Only if all files that may have the code were searched, it is known to be in one place.
        if rarest.len() > MAX_CONSIDERED || holders.len() > MAX_FILES {
            return Copied::Nowhere;
        }
        let by_file: Vec<Vec<Origin<'_>>> = holders.iter().map(|&file| copy.origins(index.listing(file))).collect();
        // Another file has the same few lines, with others between them: the page may mean either.
        let is_common = copy.lines().count() <= FEW_LINES && by_file.iter().any(Vec::is_empty);
        let mut found: Vec<Origin<'_>> = by_file.into_iter().flatten().collect();
        found.sort_by_key(|origin| origin.fidelity);
        let best = found.first().map(|origin| origin.fidelity);
        found.retain(|origin| Some(origin.fidelity) == best);
        match found.len() {
            0 => index.resembling(copy, &hashes).map_or(Copied::Nowhere, Copied::Resembling),
            1 if !is_common => Copied::From(found.remove(0)),
            _ => Copied::Ambiguous(found),
        }
    }
}

impl Index {
    fn new(sources: Vec<Arc<Source>>) -> Self {
        let mut index = Self { files: Vec::with_capacity(sources.len()), lines: Vec::new() };
        for (file, source) in sources.into_iter().enumerate() {
            index.files.push((source, OnceLock::new()));
            // The lines of a notebook are those of its code.
            let is_notebook = is_notebook(index.files[file].0.path());
            let text = if is_notebook { index.listing(file).source() } else { &index.files[file].0 }.text();
            let lines = text.lines().filter(|line| is_distinctive(line)).map(|line| (hash(line), file));
            let lines: Vec<_> = lines.collect();
            index.lines.extend(lines);
        }
        index.lines.sort_unstable();
        index.lines.dedup();
        index
    }

    /// Returns the files among the `rarest` entries that have all lines.
    fn with_all(&self, rarest: &[(u64, usize)], hashes: &[u64]) -> impl Iterator<Item = usize> {
        let has_all = |file: &usize| hashes.iter().all(|&hash| self.lines.binary_search(&(hash, *file)).is_ok());
        rarest.iter().take(MAX_CONSIDERED).map(|&(_, file)| file).filter(has_all)
    }

    /// Returns the most similar code in the files that have most lines of a copy, if there is only one.
    fn resembling<'i>(&'i self, copy: &CopiedCode<'_>, hashes: &[u64]) -> Option<Resembling<'i>> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for hash in hashes {
            let holders = self.with(*hash);
            for (_, file) in holders.iter().take(MAX_FILES) {
                *counts.entry(*file).or_default() += 1;
            }
        }
        let mut most: Vec<(usize, usize)> = counts.into_iter().filter(|(_, count)| 2 * count > hashes.len()).collect();
        most.sort_by_key(|&(file, count)| (Reverse(count), file));
        let found = most.iter().take(MAX_RESEMBLING).filter_map(|&(file, _)| copy.resembling(self.listing(file)));
        found.max_by_key(|found| found.percent)
    }

    fn listing(&self, file: usize) -> &Listing {
        let (source, listing) = &self.files[file];
        listing.get_or_init(|| Listing::new(source).0)
    }

    /// Returns the entries of a line.
    fn with(&self, hash: u64) -> &[(u64, usize)] {
        let start = self.lines.partition_point(|(line, _)| *line < hash);
        let count = self.lines[start..].partition_point(|(line, _)| *line == hash);
        &self.lines[start..start + count]
    }

    fn locate(&self, file: usize, parts: &[&[&str]]) -> Option<(&Listing, Vec<Lines>)> {
        let listing = self.listing(file);
        let of_part = |part: &&[&str]| listing.locate(part).filter(|found| found.similarity == Similarity::Same);
        let lines = parts.iter().map(|part| Some(of_part(part)?.lines)).collect::<Option<Vec<Lines>>>()?;
        Some((listing, lines))
    }
}

/// Hashes a line without what looks like a comment at its end, which a copy may leave out.
fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let line = line.trim();
    let comments = ["//", "/*", " #", "\t#"].iter().filter_map(|sign| line.find(sign));
    let code = line[..comments.min().unwrap_or(line.len())].trim_end();
    if code.is_empty() { line } else { code }.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)], code: &[&[&str]]) -> Vec<(String, Vec<Lines>)> {
        let sources = || files.iter().map(|(path, text)| Arc::new(Source::new(*path, *text))).collect();
        let index = CodeIndex::default();
        let found = index.find(sources, code, "main.py");
        found.into_iter().map(|(listing, lines)| (listing.source().path().to_string(), lines)).collect()
    }

    #[test]
    fn code_is_found_in_other_files_if_it_is_the_same() {
        let code: &[&[&str]] = &[&["def scale(x):", "    y = x * 2", "    return y"]];
        let (same, method) = (
            "def scale(x):\r\n    y = x * 2\r\n    return y\r\n",
            "class A:\n\tdef scale(x):\n\t    y = x * 2\n\t    return y\n",
        );
        assert_eq!(found(&[("main.py", same), ("ops.py", same)], code), [("ops.py".to_owned(), vec![0..3])]);
        assert_eq!(found(&[("a.py", method), ("b.py", same)], code).len(), 2);
        for other in [
            "def scale(x):\n    y = x * 3\n    return y\n",
            "def double(x):\n    y = x * 2\n    return y\n",
            "def scale(x):\n    return y\n    y = x * 2\n",
        ] {
            assert_eq!(found(&[("ops.py", other)], code), [], "{other}");
        }
        assert_eq!(found(&[("ops.py", &same.repeat(2))], code), [], "in two places");
        assert_eq!(found(&[("ops.py", "x = 1\n")], &[&["x = 1"]]), [], "too short");
        let parts: &[&[&str]] = &[&["y = x * 2"], &["return y + scale"]];
        assert_eq!(
            found(&[("a.py", "    return y + scale\n    y = x * 2\n"), ("b.py", same)], parts),
            [("a.py".to_owned(), vec![1..2, 0..1])]
        );
    }

    #[test]
    fn many_files_and_searches_are_linear() {
        let files: Vec<Arc<Source>> =
            (0..2_000).map(|n| Arc::new(Source::new(format!("{n}.py"), "import everything\n"))).collect();
        let index = CodeIndex::default();
        for _ in 0..1_000 {
            assert_eq!(index.find(|| files.clone(), &[&["import everything", "and_more = 1"]], "").len(), 0);
        }
    }
}
