//! Plans how to move a page to another number, name or folder, as a list of changes that can be checked before any is made.
//!
//! 1. `names` resolves the page and its new place, or explains why the move is not possible. `manual` detects that the
//!    author has already renamed the file;
//! 2. `starter` decides whether the lab's own folder moves along;
//! 3. `links`, `front_matter` and `settings` edit every text that refers to the page or the folder; the old URL becomes an
//!    alias;
//! 4. `mentions` finds the old name in other text, which is left to the author;
//! 5. [`new_problems`] returns the diagnostics that the course would have after the move and does not have now.

mod edits;
mod formulas;
mod front_matter;
mod links;
mod manual;
mod mentions;
mod names;
mod settings;
mod starter;
#[cfg(test)]
mod tests;
mod verify;

use std::sync::Arc;

use infralens_course::config::Config;
use infralens_course::course::{starter as paths, url};
use infralens_course::records;
use infralens_page::{self as document, Document, Kind, placement};
use infralens_site::parse_pages;
use infralens_source::change::{self, Change, Refusal};
use infralens_source::project::{File, Project, SITE};

use edits::Edits;
pub(crate) use front_matter::rewritten;
pub use mentions::Mention;
pub use names::PageName;
pub use verify::new_problems;

/// A planned move.
#[derive(Debug)]
pub struct Plan {
    /// The path of the page's file, before and after.
    pub page: (Arc<str>, Arc<str>),
    /// The page's URL, before and after.
    pub url: (Arc<str>, Arc<str>),
    /// The starter folder, before and after, if it moves with the page.
    pub folder: Option<(String, String)>,
    /// The title of the page, if its name changes by more than a number: the title stays, and may no longer fit.
    pub title: Option<String>,
    /// Whether the old URL was added to `aliases`.
    pub alias: bool,
    /// Whether anything but that alias refers to the old name.
    is_referred_to: bool,
    /// The changes, in the order in which they are made.
    pub changes: Vec<Change>,
    /// Where the old name remains in other text.
    pub mentions: Vec<Mention>,
}

/// Plans to move the page `old` to `new`. If the author has already renamed the file, plans the rest of that move.
///
/// # Errors
///
/// Returns a refusal if `old` names no page or several, if the new place is taken or does not exist, or if the alias
/// cannot be added to the front matter. If the file has already been renamed, nothing proves that it ever was called `old`
/// unless something still refers to that name; without that, `old` is refused as unknown.
pub fn plan(project: &Project, old: &PageName<'_>, new: &PageName<'_>) -> Result<Plan, Refusal> {
    let Some(manual) = manual::ManualMove::find(project, old, new) else {
        return full_plan(project, old, new).or_else(|refusal| unfinished(project, old, new).ok_or(refusal));
    };
    let [from, to] = [&manual.from, &manual.to].map(|path| PageName { text: path, path: None });
    let plan = full_plan(&manual.before, &from, &to)?;
    if !plan.is_referred_to {
        return Err(manual.unknown.help(format!(
            "nothing refers to it; if you renamed `{to}` and its old URL should redirect, add `{}` to its `aliases`",
            plan.url.0,
            to = manual.to,
        )));
    }
    Ok(manual.rest(plan, project))
}

/// Returns the path of the page that a name on the command line means.
///
/// # Errors
///
/// Returns a refusal if it names no page or several.
pub fn find_page(project: &Project, name: &PageName<'_>) -> Result<Arc<str>, Refusal> {
    names::find_any(&parse_pages(project), name).map(|page| Arc::clone(page.source.path()))
}

/// Plans the rest of a move that was killed when the page was there under both names: the new file is what would be written.
fn unfinished(project: &Project, old: &PageName<'_>, new: &PageName<'_>) -> Option<Plan> {
    let pages = parse_pages(project);
    names::meant(&pages, old).into_iter().find_map(|page| {
        let written = project.text(&names::new_path(page, new).ok()?)?;
        let mut before = project.clone();
        before.put(written.path(), None);
        let plan = full_plan(&before, old, new).ok()?;
        let after = change::preview(&before, &plan.changes);
        (after.text(&plan.page.1)?.text() == written.text() && plan.page.1 == *written.path()).then_some(plan)
    })
}

/// Plans a complete move.
fn full_plan(project: &Project, old: &PageName<'_>, new: &PageName<'_>) -> Result<Plan, Refusal> {
    let pages = parse_pages(project);
    let page = names::find(&pages, old)?;
    let target = names::target(&pages, project, page, new)?;
    let code = starter::plan(&pages, project, page, &target.placement.name)?;
    let moves = PageMove {
        page: (Arc::clone(page.source.path()), target.path),
        old: page.placement.clone(),
        new: target.placement,
        folder: code.folder,
    };

    let mut edits = Edits::default();
    for (document, file) in code.files {
        front_matter::set_file(&mut edits, document, &file);
    }
    let readmes = readmes(project);
    for document in pages.iter().chain(&readmes) {
        links::rewrite(&mut edits, document, &moves);
        front_matter::references(&mut edits, document, &pages, &moves);
        formulas::rewrite(&mut edits, document, &pages, &moves);
    }
    settings::rewrite(&mut edits, project, &pages, &moves);
    let languages = project.text(SITE).map(|site| Config::read(site).0.languages).unwrap_or_default();
    edits.follow_translations(project, &languages);
    let is_referred_to = !edits.is_empty() || moves.folder.as_ref().is_some_and(|(from, _)| project.has_folder(from));
    let alias = front_matter::alias(&mut edits, page, &pages, &moves)?;

    // A move that was killed can be repeated: records come before what they were made from, and the page is moved last.
    let edited = edits.changes();
    let mut changes = records::follow(project, &edited);
    changes.extend(edited);
    if let Some((from, to)) = moves.folder.as_ref().filter(|(from, _)| project.has_folder(from)) {
        changes.push(Change::Rename { from: Arc::from(from.as_str()), to: Arc::from(to.as_str()) });
    }
    for at in 0..languages.tags().len() {
        let paths = languages.path(&moves.page.0, at).zip(languages.path(&moves.page.1, at));
        if let Some((from, to)) = paths.filter(|(from, _)| project.files.contains_key(from.as_str())) {
            changes.push(Change::Rename { from: Arc::from(from), to: Arc::from(to) });
        }
    }
    changes.push(Change::Rename { from: Arc::clone(&moves.page.0), to: Arc::clone(&moves.page.1) });
    let mentions = mentions::find(&change::preview(project, &changes), &moves);
    let title = Some(page.front.common.title.value.clone());
    let title = title.filter(|title| !title.is_empty() && slug(&moves.page.0) != slug(&moves.page.1));
    let url = (moves.old.url, moves.new.url);
    Ok(Plan { page: moves.page, url, folder: moves.folder, title, alias, is_referred_to, changes, mentions })
}

/// Returns the name of a page's file without the number that it begins with.
fn slug(path: &str) -> &str {
    let name = url::file_name(path);
    name.strip_prefix("lab-").unwrap_or(name).trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('-')
}

/// Returns the parsed READMEs of all starter folders.
fn readmes(project: &Project) -> Vec<Document> {
    let found = project.below("code").filter_map(|(path, file)| match file {
        File::Text(source) if path.ends_with("/README.md") => Some(source),
        _ => None,
    });
    let parsed = found.map(|source| {
        let folder = url::folder(source.path());
        document::parse(source, placement::readme(folder.strip_prefix("code/").unwrap_or_default())).0
    });
    parsed.collect()
}

/// A page that moves, with its starter folder if that moves along. Pairs are the paths before and after.
#[derive(Debug)]
struct PageMove {
    page: (Arc<str>, Arc<str>),
    old: document::Placement,
    new: document::Placement,
    folder: Option<(String, String)>,
}

impl PageMove {
    /// Returns the path that the file or folder `path` has after the move. Paths are from the course's root.
    fn new_path(&self, path: &str) -> String {
        if *path == *self.page.0 {
            return self.page.1.to_string();
        }
        let moved = self.folder.as_ref().and_then(|(from, to)| {
            let below = path.strip_prefix(from.as_str())?;
            (below.is_empty() || below.starts_with('/')).then(|| format!("{to}{below}"))
        });
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// Whether `document` is the page that moves.
    fn is_page(&self, document: &Document) -> bool {
        *document.source.path() == self.page.0
    }

    /// Returns the placement of `document` after the move.
    fn placement<'a>(&'a self, document: &'a Document) -> &'a document::Placement {
        if self.is_page(document) { &self.new } else { &document.placement }
    }
}

/// Returns the path below `content/` of a path from the course's root.
fn below_content(path: &str) -> &str {
    path.strip_prefix("content/").unwrap_or(path)
}

/// Returns a path without `.md` at its end.
fn without_extension(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

/// Returns the path of a lab's main file from the course's root.
fn main_file(document: &Document) -> Option<String> {
    let file = document.front.lab.as_ref()?.starter.file.as_ref()?;
    paths::main_file(&document.placement.name, &file.value).ok()
}

/// Returns the labs of the course other than `page`.
fn other_labs<'a>(pages: &'a [Document], page: &'a Document) -> impl Iterator<Item = &'a Document> {
    let others = pages.iter().filter(|other| other.source.path() != page.source.path());
    others.filter(|other| other.placement.kind == Kind::Lab)
}
