//! Moves a page to another number, name or folder, as a list of changes that is looked at before any is made.
//!
//! 1. `names`: which page is meant and where it goes; what cannot be is refused in plain words. `begun`: whether its file
//!    is there already, moved by hand;
//! 2. `starter`: whether the lab's own folder goes with it;
//! 3. `links`, `front`: every text that names the page or the folder gets an edit; the old URL becomes an alias;
//! 4. `mentions`: where the old name stands in text that no rule reads, which is left to the author;
//! 5. [`new_problems`]: what the course as it will be would complain of, and does not now.

mod begun;
mod edits;
mod front;
mod links;
mod mentions;
mod names;
mod starter;
#[cfg(test)]
mod tests;
mod verify;

use std::sync::Arc;

use crate::change::{self, Change, Refusal};
use crate::course::starter as paths;
use crate::document::{self, Document, Kind, placement};
use crate::project::{File, Project};
use crate::site::documents;

use edits::Edits;
pub use mentions::Mention;
pub use names::Typed;
pub use verify::new_problems;

/// Everything that a move does.
#[derive(Debug)]
pub struct Plan {
    /// The page's file, before and after.
    pub page: (Arc<str>, Arc<str>),
    /// The page's URL, before and after.
    pub url: (Arc<str>, Arc<str>),
    /// The starter folder, before and after, if it goes with the page.
    pub folder: Option<(String, String)>,
    /// Whether the old URL was written down as an alias.
    pub alias: bool,
    /// What is changed, in the order in which it is done.
    pub changes: Vec<Change>,
    /// Where the old name is left standing.
    pub mentions: Vec<Mention>,
}

/// Plans to move the page that is called `old` to where `new` says. If its file was moved there by hand, everything else
/// is planned that belongs to such a move.
///
/// # Errors
///
/// A name that means no page or several, a place that is taken or that the course does not have, front matter that
/// cannot take the alias.
pub fn plan(project: &Project, old: &Typed<'_>, new: &Typed<'_>) -> Result<Plan, Refusal> {
    let Some(begun) = begun::Move::find(project, old, new) else { return whole(project, old, new) };
    let [from, to] = [&begun.from, &begun.to].map(|path| Typed { text: path, path: None });
    let plan = whole(&begun.before, &from, &to)?;
    Ok(begun.rest(plan, project))
}

/// Plans a move of which nothing has been done.
fn whole(project: &Project, old: &Typed<'_>, new: &Typed<'_>) -> Result<Plan, Refusal> {
    let pages = documents::all(project);
    let page = names::find(&pages, old)?;
    let target = names::target(&pages, project, page, new)?;
    let code = starter::plan(&pages, project, page, &target.placement.name)?;
    let moves = Moves {
        page: (Arc::clone(page.source.path()), target.path),
        old: page.placement.clone(),
        new: target.placement,
        folder: code.folder,
    };

    let mut edits = Edits::default();
    for (document, file) in code.files {
        front::set_file(&mut edits, document, &file);
    }
    let readmes = readmes(project);
    for document in pages.iter().chain(&readmes) {
        links::rewrite(&mut edits, document, &moves);
        front::references(&mut edits, document, &pages, &moves);
    }
    let alias = front::alias(&mut edits, page, &pages, &moves)?;

    // The page goes last: a move that was killed can be made again, because the page is still called what it was.
    let mut changes = edits.changes();
    if let Some((from, to)) = &moves.folder {
        changes.push(Change::Rename { from: Arc::from(from.as_str()), to: Arc::from(to.as_str()) });
    }
    changes.push(Change::Rename { from: Arc::clone(&moves.page.0), to: Arc::clone(&moves.page.1) });
    let mentions = mentions::find(&change::preview(project, &changes), &moves);
    Ok(Plan { page: moves.page, url: (moves.old.url, moves.new.url), folder: moves.folder, alias, changes, mentions })
}

/// The READMEs of all starter folders.
fn readmes(project: &Project) -> Vec<Document> {
    let found = project.below("code").filter_map(|(path, file)| match file {
        File::Text(source) if path.ends_with("/README.md") => Some(source),
        _ => None,
    });
    let parsed = found.map(|source| {
        let folder = source.path().trim_end_matches("README.md").trim_matches('/');
        document::parse(source, placement::readme(folder.strip_prefix("code/").unwrap_or_default())).0
    });
    parsed.collect()
}

/// The one page, and with it perhaps a folder, that stands elsewhere afterwards.
#[derive(Debug)]
struct Moves {
    page: (Arc<str>, Arc<str>),
    old: document::Placement,
    new: document::Placement,
    folder: Option<(String, String)>,
}

impl Moves {
    /// Where the file or folder `path` stands afterwards, from the course's root.
    fn of(&self, path: &str) -> String {
        if *path == *self.page.0 {
            return self.page.1.to_string();
        }
        let moved = self.folder.as_ref().and_then(|(from, to)| {
            let below = path.strip_prefix(from.as_str())?;
            (below.is_empty() || below.starts_with('/')).then(|| format!("{to}{below}"))
        });
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// Whether a document is the page that moves.
    fn is_page(&self, document: &Document) -> bool {
        *document.source.path() == self.page.0
    }

    /// A document's placement afterwards.
    fn placement<'a>(&'a self, document: &'a Document) -> &'a document::Placement {
        if self.is_page(document) { &self.new } else { &document.placement }
    }
}

/// A lab's main file, from the course's root.
fn main_file(document: &Document) -> Option<String> {
    let file = document.front.lab.as_ref()?.starter.file.as_ref()?;
    paths::main_file(&document.placement.name, &file.value).ok()
}

/// The other labs of the course.
fn other_labs<'a>(pages: &'a [Document], page: &'a Document) -> impl Iterator<Item = &'a Document> {
    let others = pages.iter().filter(|other| other.source.path() != page.source.path());
    others.filter(|other| other.placement.kind == Kind::Lab)
}
