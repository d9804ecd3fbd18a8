//! Spells the words of generated titles as the pages of the book spell them: `cli` as `CLI`.

use std::collections::BTreeMap;

use super::{Chapter, mkdocs};
use infralens_source::project::Project;

/// How often headings have each spelling of a word, by the word in lower case.
type Spellings<'p> = BTreeMap<String, BTreeMap<&'p str, usize>>;

/// Corrects the titles of chapters that were made from the names of their folders.
pub fn correct(project: &Project, folder: &str, chapters: &mut [Chapter]) {
    let mut known = Spellings::new();
    let pages = project
        .files
        .keys()
        .filter(|path| path.starts_with(folder) && (path.ends_with(".md") || path.ends_with(".mdx")));
    for text in pages.filter_map(|path| project.text(path)) {
        let is_title = |line: &&str| line.starts_with('#') || line.starts_with("title:");
        for word in text.lines().filter(is_title).flat_map(|line| line.split(|c: char| !c.is_alphanumeric())) {
            *known.entry(word.to_lowercase()).or_default().entry(word).or_default() += 1;
        }
    }
    correct_all(&known, chapters);
}

fn correct_all(known: &Spellings<'_>, chapters: &mut [Chapter]) {
    for chapter in chapters {
        correct_all(known, &mut chapter.children);
        let generated = chapter.source.as_deref().map_or(chapter.title.clone(), mkdocs::title);
        if chapter.names.is_empty() && generated == chapter.title {
            let words = chapter.title.split(' ').map(|word| spelled(known, word));
            chapter.title = words.collect::<Vec<_>>().join(" ");
        }
    }
}

/// Returns a word as most headings have it, if that has capital letters inside.
fn spelled<'w>(known: &Spellings<'w>, word: &'w str) -> &'w str {
    let Some(found) = known.get(&word.to_lowercase()) else { return word };
    let is_name = |word: &&str| word.chars().skip(1).any(char::is_uppercase);
    let most = found.iter().max_by_key(|(_, count)| **count).map(|(spelling, _)| *spelling);
    most.filter(is_name).unwrap_or(word)
}
