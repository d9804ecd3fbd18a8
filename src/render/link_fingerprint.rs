//! A fingerprint of everything that a page's links lead to. Facts depend on the page's own file, the settings, the
//! references that it cites, the starters that it names, and this: while all of them are unchanged, so are the facts.

use std::collections::BTreeSet;

use super::{Context, Facts, Subject, image};
use crate::course::PageId;
use crate::course::link::{self, From, Target};

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
#[must_use]
pub fn link_fingerprint(cx: Context<'_>, subject: Subject<'_>, facts: &Facts) -> LinkFingerprint {
    let mut answers = Answers { hasher: blake3::Hasher::new(), pages: BTreeSet::new() };
    let own = subject.page.map(|page| &cx.course.pages[page]);
    answers.say(if own.is_some_and(|page| page.published) { "published" } else { "draft" });
    // The practice page shows the questions, with links relative to itself.
    let practice = own.and_then(|page| page.track).and_then(|track| cx.course.tracks[track].practice);
    answers.say(practice.map_or("", |page| &cx.course.pages[page].url));
    // On the print page, links to other pages of the track lead to chapters.
    answers.say(&own.and_then(|page| Some(cx.course.tracks[page.track?].print_url())).unwrap_or_default());
    for (target, is_picture) in &facts.links.targets {
        let from = From { path: subject.document.source.path(), headings: &[], html_ids: &[], own: subject.main_file };
        match link::resolve(cx.course, cx.project, from, target) {
            Ok(found) => answers.target(cx, &found, *is_picture),
            Err(error) => answers.say(&error.message),
        }
    }
    LinkFingerprint { hash: answers.hasher.finalize(), pages: answers.pages.into_iter().collect() }
}

struct Answers {
    hasher: blake3::Hasher,
    pages: BTreeSet<PageId>,
}

impl Answers {
    fn say(&mut self, text: &str) {
        self.hasher.update(text.as_bytes());
        // No text contains this byte, so that different sequences of texts have different hashes.
        self.hasher.update(&[0xff]);
    }

    fn target(&mut self, cx: Context<'_>, target: &Target, is_picture: bool) {
        match target {
            Target::External(_) | Target::Here(_) => self.say("as written"),
            Target::Page { page, heading } => {
                self.pages.insert(*page);
                let target = &cx.course.pages[*page];
                self.say("page");
                self.say(&target.url);
                self.say(if target.published { "published" } else { "draft" });
                self.say(&target.track.map_or_else(String::new, |track| cx.course.tracks[track].print_url()));
                self.say(&target.chapter().unwrap_or_default());
                self.say(target.title());
                self.say(heading.as_deref().and_then(|id| target.heading(id)).unwrap_or_default());
            }
            Target::Code { path, .. } => {
                self.say("code");
                self.say(path);
                self.say(if cx.listings.contains_key(path.as_str()) { "read" } else { "not read" });
                self.picture(cx, path, is_picture);
            }
            Target::Unknown => self.say("unknown"),
            Target::Folder(path) => {
                self.say("folder");
                self.say(path);
            }
            Target::Generated(path) => self.say(path),
            Target::File { source, url, .. } => {
                self.say("file");
                self.say(url);
                self.picture(cx, source, is_picture);
            }
        }
    }

    fn picture(&mut self, cx: Context<'_>, path: &str, is_picture: bool) {
        let size = cx.project.files.get(path).filter(|_| is_picture).and_then(image::size);
        let (width, height) = size.unwrap_or_default();
        self.hasher.update(&width.to_le_bytes());
        self.hasher.update(&height.to_le_bytes());
    }
}
