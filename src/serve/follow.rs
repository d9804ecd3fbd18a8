//! Finds where an edit can be seen, for browsers that follow it, and where a page is that was renamed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::short_hash;
use super::source_location::{self, is_drawn};
use infralens_page::Document;
use infralens_site::{Documents, Site};
use infralens_source::project::Project;

/// Returns the offset in the new text of a file at which it begins to differ from the old one. `None` if the file is not text.
pub fn first_change(old: &Project, new: &Project, file: &str) -> Option<usize> {
    let (old, new) = (old.text(file).map_or("", |old| old.text()), new.text(file)?.text());
    let common = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    Some(new.floor_char_boundary(common))
}

/// Returns what a browser shows of the place at an offset in a document: the id of an excerpt, a note or a calculator, `D2`
/// for the second drawing, or `=` and the letters and digits of a block. "" means the page as a whole.
pub fn place(document: &Document, offset: usize) -> String {
    let (body, is_in) = (&document.body, |span: &std::ops::Range<usize>| span.contains(&offset));
    if offset < document.body_start {
        return String::new();
    }
    for (index, excerpt) in body.excerpts.iter().enumerate() {
        if let Some(note) = excerpt.notes.iter().position(|note| is_in(&note.span)) {
            return format!("E{}-N{}", index + 1, note + 1);
        }
        if is_in(&excerpt.block) {
            return format!("E{}", index + 1);
        }
    }
    let calculator = body.values.iter().find(|block| is_in(&block.span)).and_then(|block| block.calculator.as_ref());
    if let Some(calculator) = calculator {
        return calculator.id.clone();
    }
    let drawings = body.events.iter().filter(|(event, _)| is_drawn(event));
    if let Some(index) = drawings.map(|(_, span)| span).position(|span| is_in(&span)) {
        return format!("D{}", index + 1);
    }
    source_location::text_at(body, offset).map_or_else(String::new, |text| format!("={text}"))
}

/// Returns the page with the excerpt of a starter that shows a line, counted from 0, or is nearest to it: the path of its source
/// file, and the id of the line or of the excerpt.
pub fn excerpt(site: &Site, starter: &str, line: usize) -> Option<(Arc<str>, String)> {
    let distance = |lines: &[usize]| lines.iter().map(|shown| shown.abs_diff(line)).min();
    let excerpts = site.excerpts_of(starter);
    let near = excerpts.filter_map(|(page, index, lines)| Some((distance(&lines)?, page, index)));
    let (distance, page, index) = near.min_by_key(|(distance, ..)| *distance)?;
    let id = format!("E{}", index + 1);
    Some((Arc::from(page), if distance == 0 { format!("{id}-L{}", line + 1) } else { id }))
}

/// The pages that were renamed while the preview ran.
#[derive(Debug, Default)]
pub struct Moves {
    /// The output paths of pages that are gone, by a hash of their text.
    gone: BTreeMap<Arc<str>, Arc<str>>,
    /// From the output path that a page had to that of the page with the same text.
    to: BTreeMap<Arc<str>, Arc<str>>,
}

impl Moves {
    /// Compares the pages of some files before and after a change. A page that is gone and one that is new are the same page
    /// if they have the same text.
    pub fn note(&mut self, files: &[Arc<str>], old: &Documents, new: &Documents) {
        let hash = |document: &Document| short_hash(&[document.source.text().as_bytes()]);
        for gone in files.iter().filter(|file| new.get(file).is_none()).filter_map(|file| old.get(file)) {
            self.gone.insert(hash(gone), Arc::clone(&gone.placement.url));
        }
        for added in files.iter().filter(|file| old.get(file).is_none()).filter_map(|file| new.get(file)) {
            let url = &added.placement.url;
            if let Some(before) = self.gone.remove(&hash(added)).filter(|before| before != url) {
                self.to.insert(before, Arc::clone(url));
            }
            self.to.remove(url);
        }
    }

    /// Returns the output path of the page that was at a path.
    pub fn find(&self, path: &str) -> Option<&Arc<str>> {
        // A page cannot be renamed in a circle, because what is at a path has not moved from there.
        std::iter::successors(self.to.get(path), |next| self.to.get(*next)).last()
    }
}

#[cfg(test)]
mod tests;
