//! The pages of the starters that a published page names, and of the folders that hold them.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::diff::Diff;
use super::pages::{Pages, Rendered};
use super::starters::Starters;
use crate::config::Config;
use crate::course::{Course, PageId};
use crate::project::{File, Files, Project};
use crate::render::Page;
use crate::render::page::{Folder, Starter};
use crate::render::starter::{mentions, starter};

/// What the pages of code are made from.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The linked course.
    pub course: &'a Course,
    /// The files of the course.
    pub project: &'a Project,
    /// The starters, understood.
    pub starters: &'a Starters,
    /// The rendered pages.
    pub pages: &'a Pages,
}

/// The pages of code, sorted by path.
#[derive(Debug, Default, Clone)]
pub struct CodePages {
    /// Of files.
    pub starters: Vec<Arc<Starter>>,
    /// Of folders.
    pub folders: Vec<Arc<Folder>>,
}

/// A page before it was edited and after.
pub type Edited<'a> = (&'a Rendered, &'a Rendered);

impl CodePages {
    /// All of them.
    pub fn new(input: Input<'_>) -> Self {
        let mentions = mentions(input.pages.all(), input.course);
        let listings: Vec<_> =
            input.starters.listings.iter().filter(|(path, _)| mentions.contains_key(path.as_ref())).collect();
        let pages = listings
            .into_par_iter()
            .map(|(path, listing)| Arc::new(starter(input.config, listing, mentions.get(path.as_ref()))));
        let starters: Vec<Arc<Starter>> = pages.collect();
        let folders = input.starters.folders(input.course, input.project, input.pages, &starters);
        Self { starters, folders: folders.into_iter().map(Arc::new).collect() }
    }

    /// All of them for a course of the same pages, of which those are made anew that an edit reaches. `reread` are the
    /// starters that are understood anew.
    pub fn again(
        &self,
        input: Input<'_>,
        edited: &[Edited<'_>],
        reread: &BTreeSet<Arc<str>>,
        was: &Files,
        diff: &Diff,
    ) -> Self {
        let mut reached: BTreeSet<&str> = reread.iter().map(AsRef::as_ref).collect();
        for (old, new) in edited.iter().map(|(old, new)| (&old.page, &new.page)) {
            if !says_the_same(old, new) {
                reached.extend(old.starters.iter().chain(&new.starters).map(AsRef::as_ref));
            }
        }
        let ids: BTreeSet<PageId> = edited.iter().filter_map(|(_, new)| input.course.page_of(new.path())).collect();
        let mut starters = self.starters.clone();
        for path in reached {
            let at = starters.binary_search_by(|known| (*known.path).cmp(path));
            let readers = at.ok().map(|at| &*starters[at].readers).unwrap_or_default();
            match renewed(input, path, ids.iter().chain(readers).copied().collect()) {
                Some(made) => match at {
                    Ok(at) => starters[at] = Arc::new(made),
                    Err(at) => starters.insert(at, Arc::new(made)),
                },
                None => starters.retain(|known| &*known.path != path),
            }
        }
        let folders = if self.leaves_folders(&starters, edited, was, &input.project.files, diff) {
            self.folders.clone()
        } else {
            let made = input.starters.folders(input.course, input.project, input.pages, &starters);
            made.into_iter().map(|folder| self.folder(folder)).collect()
        };
        Self { starters, folders }
    }

    /// Whether no folder can have changed: it lists files with their lines, says which have a page, and shows a README.
    fn leaves_folders(
        &self,
        starters: &[Arc<Starter>],
        edited: &[Edited<'_>],
        was: &Files,
        is: &Files,
        diff: &Diff,
    ) -> bool {
        let lines = |files: &Files, path: &Arc<str>| match files.get(path) {
            Some(File::Text(source)) => Some(source.line_count()),
            _ => None,
        };
        let same_paths =
            starters.iter().map(|starter| &starter.path).eq(self.starters.iter().map(|starter| &starter.path));
        let is_readme = |page: &Edited<'_>| page.1.path().starts_with("code/");
        let in_code = diff.changed.iter().filter(|path| path.starts_with("code/"));
        !diff.names
            && same_paths
            && !edited.iter().any(is_readme)
            && in_code.clone().all(|path| lines(was, path) == lines(is, path))
    }

    fn folder(&self, made: Folder) -> Arc<Folder> {
        let at = self.folders.binary_search_by(|known| known.path.cmp(&made.path));
        let known = at.ok().map(|at| &self.folders[at]).filter(|known| is_same_folder(known, &made));
        known.map_or_else(|| Arc::new(made), Arc::clone)
    }
}

/// Whether both pages say the same of starters.
fn says_the_same(this: &Page, other: &Page) -> bool {
    this.starters == other.starters && this.explanations == other.explanations && this.line_links == other.line_links
}

/// The page of a starter, which these pages of the course may name; nothing if none does. READMEs may, too.
fn renewed(input: Input<'_>, path: &str, ids: BTreeSet<PageId>) -> Option<Starter> {
    let listing = input.starters.listings.get(path)?;
    let of_course = ids.into_iter().filter_map(|id| Some((Some(id), input.pages.of_course.get(id)?.as_deref()?)));
    let readmes = input.pages.readmes.values().map(|page| (None, &**page));
    let naming = of_course.chain(readmes).filter(|(_, page)| page.starters.iter().any(|named| &**named == path));
    let mentions = mentions(naming, input.course);
    Some(starter(input.config, listing, Some(mentions.get(path)?)))
}

fn is_same_folder(this: &Folder, other: &Folder) -> bool {
    let readme = match (&this.readme, &other.readme) {
        (Some(this), Some(other)) => Arc::ptr_eq(this, other),
        (this, other) => this.is_none() && other.is_none(),
    };
    readme
        && this.title == other.title
        && this.files == other.files
        && this.folders == other.folders
        && this.labs == other.labs
}

/// The pages that differ between two lists of the same pages.
pub fn edited<'a>(was: &'a [Arc<Rendered>], is: &'a [Arc<Rendered>]) -> Vec<Edited<'a>> {
    let pairs = was.iter().zip(is).filter(|(was, is)| !Arc::ptr_eq(was, is));
    pairs.map(|(was, is)| (&**was, &**is)).collect()
}
