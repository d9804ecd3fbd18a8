//! How much of each page is translated into a language.

use infralens_page::blocks;
use infralens_site::Site;
use infralens_source::diag::{Diagnostic, Severity, codes, quantity};
use serde::Serialize;

/// What a page has in a language, in blocks and texts of the front matter.
#[derive(Debug, Serialize)]
pub(super) struct Progress {
    page: String,
    /// The path of the translation; `None` if there is none.
    translation: Option<String>,
    blocks: usize,
    translated: usize,
    stale: usize,
    missing: usize,
    gone: usize,
}

/// Returns what each page has in a language.
pub(super) fn progress(site: &Site, tag: &str) -> Vec<Progress> {
    let Some((_, translated)) = site.languages().find(|(known, _)| *known == tag) else { return Vec::new() };
    let pages = site.subjects().map(|subject| {
        let document = subject.document;
        let page = document.source.path();
        let found = translated.translations().find(|(path, _)| *path == &**page);
        let Some((_, found)) = found else {
            let blocks =
                blocks::blocks(&document.source, &document.body).iter().filter(|block| block.has_words).count();
            let blocks = blocks + infralens_page::translation::texts_of(&document.front).len();
            let page = page.to_string();
            return Progress { page, translation: None, blocks, translated: 0, stale: 0, missing: blocks, gone: 0 };
        };
        let (translated, blocks) = found.progress();
        let is_stale = |unit: &&infralens_page::translation::Unit| unit.pair.is_some_and(|(_, pair)| pair.is_stale());
        let texts = found.texts.list.iter().filter(|text| text.is_stale()).count();
        let stale = found.units.iter().filter(is_stale).count() + texts;
        Progress {
            page: page.to_string(),
            translation: Some(found.source.path().to_string()),
            blocks,
            translated: translated.saturating_sub(stale),
            stale,
            missing: blocks - translated,
            gone: found.units.iter().filter(|unit| unit.pair.is_none()).count(),
        }
    });
    pages.collect()
}

/// A picture that pages show.
#[derive(Debug, Serialize)]
pub(super) struct Picture {
    picture: String,
    is_translated: bool,
}

/// Returns the pictures that a language could have, by their paths.
pub(super) fn pictures(site: &Site, tag: &str) -> Vec<Picture> {
    let translated = site.languages().find(|(known, _)| *known == tag).map(|(_, site)| site.pictures());
    let pictures = translated.into_iter().flatten();
    pictures.map(|(picture, is_translated)| Picture { picture, is_translated }).collect()
}

/// Makes the hints about translations into a language warnings. Pages without a translation are in the table alone.
pub(super) fn raise(diagnostics: &mut [Diagnostic], tag: &str) {
    let end = format!(".{tag}.md");
    let codes = [codes::W0701, codes::W0702, codes::W0703, codes::TERM];
    for hint in diagnostics.iter_mut().filter(|found| codes.contains(&found.code) && found.place.file.ends_with(&end)) {
        hint.severity = Severity::Warning;
    }
}

/// Writes a line for each.
pub(super) fn json(list: &[impl Serialize]) -> String {
    let lines = list.iter().filter_map(|one| serde_json::to_string(one).ok());
    lines.map(|line| line + "\n").collect()
}

/// Writes which pictures are those of the course, a line each.
pub(super) fn list(pictures: &[Picture]) -> String {
    let of_course: Vec<&str> =
        pictures.iter().filter(|one| !one.is_translated).map(|one| one.picture.as_str()).collect();
    if pictures.is_empty() {
        return String::new();
    }
    let own = pictures.len() - of_course.len();
    let lines: Vec<String> = of_course.iter().map(|path| format!("  {path}\n")).collect();
    let rest = if of_course.is_empty() { "" } else { "; these are the ones of the course:" };
    format!("\npictures in this language: {own} of {}{rest}\n{}", pictures.len(), lines.concat())
}

/// Writes a table of the course, whose last row is the sum of the others.
pub(super) fn table(progress: &[Progress]) -> String {
    let row = |page: &Progress| {
        let share = (100 * page.translated).checked_div(page.blocks).unwrap_or(100);
        let translated = format!("{} ({share} %)", page.translated);
        format!("{translated:>12} {:>7} {:>7} {:>7}  {}\n", page.stale, page.missing, page.gone, page.page)
    };
    let sum = |number: fn(&Progress) -> usize| progress.iter().map(number).sum();
    let all = Progress {
        page: quantity(progress.len(), "page"),
        translation: None,
        blocks: sum(|page| page.blocks),
        translated: sum(|page| page.translated),
        stale: sum(|page| page.stale),
        missing: sum(|page| page.missing),
        gone: sum(|page| page.gone),
    };
    let rows: String = progress.iter().chain([&all]).map(row).collect();
    format!("  translated   stale missing    gone\n{rows}")
}
