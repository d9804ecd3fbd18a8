//! The starters that published pages and READMEs name, and the folders that contain them: each has a page.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::starters::{Starters, folders};
use infralens_course::course::{Course, PageId, url};
use infralens_render::page::{Folder, Starter};
use infralens_render::{self as render, Facts, ResolvedPage};

/// The pages below `code/`, sorted by path.
#[derive(Debug, Default, Clone)]
pub struct CodePages {
    pub starters: Vec<Starter>,
    pub folders: Vec<Folder>,
}

impl CodePages {
    /// Collects them. `pages` are the facts of published pages, `readmes` the sources of the READMEs.
    pub fn new<'a>(
        pages: impl Iterator<Item = (PageId, &'a Facts)>,
        readmes: &[ResolvedPage<'_>],
        starters: &Starters,
        course: &Course,
    ) -> Self {
        let mut named: BTreeMap<&str, (Vec<PageId>, Vec<usize>)> = BTreeMap::new();
        for (page, facts) in pages {
            for path in &facts.starters {
                named.entry(path).or_default().0.push(page);
            }
        }
        for (at, readme) in readmes.iter().enumerate() {
            for path in &readme.facts.starters {
                named.entry(path).or_default().1.push(at);
            }
        }
        let known = named.into_iter().filter_map(|(path, (mut readers, readmes))| {
            let (path, _) = starters.listings.get_key_value(path)?;
            render::starter::sort_pages(&mut readers, course);
            Some(Starter { path: Arc::clone(path), readers, readmes })
        });
        let files: Vec<Starter> = known.collect();
        let folders = folders_of(&files, readmes, starters, course);
        Self { starters: files, folders }
    }
}

/// Returns the folders that contain these files.
fn folders_of(files: &[Starter], readmes: &[ResolvedPage<'_>], starters: &Starters, course: &Course) -> Vec<Folder> {
    let readmes: BTreeMap<&str, usize> =
        (0..).zip(readmes).map(|(at, readme)| (url::folder(readme.subject.document.source.path()), at)).collect();
    let title = |at: usize| starters.readmes[at].document.as_ref().map(|document| document.title().to_owned());
    let mut labs: BTreeMap<&str, Vec<PageId>> = BTreeMap::new();
    for (path, main_file) in starters.main_files() {
        let page = course.page_of(path).filter(|&page| course.pages[page].published);
        labs.entry(url::folder(main_file)).or_default().extend(page);
    }
    let paths: BTreeSet<String> = folders(files.iter().map(|starter| &starter.path));
    let mut folder = |path: &String| {
        let readme = readmes.get(path.as_str()).copied();
        Folder {
            path: Arc::from(path.as_str()),
            title: readme.and_then(title).unwrap_or_else(|| url::file_name(path).to_owned()),
            readme,
            labs: labs.remove(path.as_str()).unwrap_or_default(),
        }
    };
    paths.iter().map(&mut folder).collect()
}
