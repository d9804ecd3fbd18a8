//! Finds code that has moved to another file, by an index of the lines of all files. The index is built when code is first
//! searched for, and then each search takes time linear in the code and in the few files that may have it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use super::listing::{Lines, Listing};
use super::locate::{Similarity, is_distinctive};
use infralens_source::source::Source;

/// The maximum number of files that are considered because they have the rarest line of the code.
const MAX_CONSIDERED: usize = 500;
/// The maximum number of files that are parsed because they have all lines of the code.
const MAX_FILES: usize = 32;
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
        let has_all = |file: usize| hashes.iter().all(|&hash| index.lines.binary_search(&(hash, file)).is_ok());
        let found = rarest
            .iter()
            .take(MAX_CONSIDERED)
            .filter(|(_, file)| **index.files[*file].0.path() != *except && has_all(*file));
        found.take(MAX_FILES).filter_map(|&(_, file)| index.locate(file, parts)).collect()
    }
}

impl Index {
    fn new(sources: Vec<Arc<Source>>) -> Self {
        let mut lines: Vec<(u64, usize)> = Vec::new();
        for (file, source) in sources.iter().enumerate() {
            lines.extend(source.text().lines().filter(|line| is_distinctive(line)).map(|line| (hash(line), file)));
        }
        lines.sort_unstable();
        lines.dedup();
        Self { files: sources.into_iter().map(|source| (source, OnceLock::new())).collect(), lines }
    }

    /// Returns the entries of a line.
    fn with(&self, hash: u64) -> &[(u64, usize)] {
        let start = self.lines.partition_point(|(line, _)| *line < hash);
        let count = self.lines[start..].partition_point(|(line, _)| *line == hash);
        &self.lines[start..start + count]
    }

    fn locate(&self, file: usize, parts: &[&[&str]]) -> Option<(&Listing, Vec<Lines>)> {
        let (source, listing) = &self.files[file];
        let listing = listing.get_or_init(|| Listing::new(source).0);
        let of_part = |part: &&[&str]| listing.locate(part).filter(|found| found.similarity == Similarity::Same);
        let lines = parts.iter().map(|part| Some(of_part(part)?.lines)).collect::<Option<Vec<Lines>>>()?;
        Some((listing, lines))
    }
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.trim().hash(&mut hasher);
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
