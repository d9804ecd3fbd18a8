//! A fingerprint of everything that a page's links lead to. Facts depend on the page's own file, the settings, the
//! references that it cites, the starters that it names, and this: while all of them are unchanged, so are the facts.

use std::collections::BTreeSet;

use super::{Context, Facts, Subject, image};
use infralens_course::course::PageId;
use infralens_course::course::link::{self, Target};

/// The fingerprint of the targets of a page's links.
#[derive(Debug)]
pub struct LinkFingerprint {
    /// The hash of everything that rendering reads of the targets.
    pub hash: blake3::Hash,
    /// The pages among the targets, sorted.
    pub pages: Box<[PageId]>,
}

/// Computes the fingerprint of the links of a page that was rendered before. Details of errors are left out, because
/// facts with errors are always computed again.
pub fn link_fingerprint(cx: Context<'_>, subject: Subject<'_>, facts: &Facts) -> LinkFingerprint {
    let mut targets = TargetHasher { hasher: blake3::Hasher::new(), pages: BTreeSet::new() };
    let own = subject.page.map(|page| &cx.course.pages[page]);
    targets.add(&[state(own.is_some_and(|page| page.published))]);
    // The practice page shows the questions, with links relative to itself.
    let practice = own.and_then(|page| page.track).and_then(|track| cx.course.tracks[track].practice);
    targets.add(&[practice.map_or("", |page| &cx.course.pages[page].url)]);
    // On the print page, links to other pages on it lead to chapters.
    targets.add_chapter(cx, subject.page);
    for (target, is_picture) in &facts.links.targets {
        match link::resolve(cx.course, cx.project, subject.origin(), target) {
            Ok(found) => targets.add_target(cx, &found, *is_picture),
            Err(error) => targets.add(&[&error.message]),
        }
    }
    LinkFingerprint { hash: targets.hasher.finalize(), pages: targets.pages.into_iter().collect() }
}

fn state(is_published: bool) -> &'static str {
    if is_published { "published" } else { "draft" }
}

struct TargetHasher {
    hasher: blake3::Hasher,
    pages: BTreeSet<PageId>,
}

impl TargetHasher {
    fn add(&mut self, texts: &[&str]) {
        for text in texts {
            // No text contains this byte, so that different sequences of texts have different hashes.
            self.hasher.update(text.as_bytes()).update(&[0xff]);
        }
    }

    fn add_target(&mut self, cx: Context<'_>, target: &Target, is_picture: bool) {
        match target {
            Target::External(_) | Target::Here(_) => self.add(&["as written"]),
            Target::Page { page, heading } => {
                self.pages.insert(*page);
                let target = &cx.course.pages[*page];
                let heading = heading.as_deref().and_then(|id| target.heading(id)).unwrap_or_default();
                self.add(&["page", &target.url, state(target.published), target.title(), heading]);
                self.add_chapter(cx, Some(*page));
            }
            Target::Code { path, .. } => {
                self.add(&["code", path, if cx.listings.contains_key(path.as_str()) { "read" } else { "not read" }]);
                self.add_picture_size(cx, path, is_picture);
            }
            Target::Unknown => self.add(&["unknown"]),
            Target::Folder(path) => self.add(&["folder", path]),
            Target::Generated(path) => self.add(&[path]),
            Target::File { source, url, .. } => {
                let translated = cx.translated_picture(source);
                self.add(&["file", url, translated.as_deref().unwrap_or_default()]);
                self.add_picture_size(cx, translated.as_deref().unwrap_or(source), is_picture);
            }
        }
    }

    fn add_chapter(&mut self, cx: Context<'_>, page: Option<PageId>) {
        let place = page.and_then(|page| cx.course.chapter_place(page));
        self.add(&place.as_ref().map_or([""; 2], |place| [&place.print_url, &place.id]));
    }

    fn add_picture_size(&mut self, cx: Context<'_>, path: &str, is_picture: bool) {
        let size = cx.project.files.get(path).filter(|_| is_picture).and_then(image::size);
        let (width, height) = size.unwrap_or_default();
        self.hasher.update(&width.to_le_bytes()).update(&height.to_le_bytes());
    }
}
