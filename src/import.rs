//! Imports a book of another generator: its pages, their order, pictures and included code become a project of ours.
//!
//! 1. `mdbook` and `mkdocs` read the settings and the table of contents into a [`Book`];
//! 2. `layout` gives each page its path: the folders below `content/` follow the table of contents;
//! 3. `page` translates each page; code that it includes from a file becomes an excerpt (`fence`, `include`), and the
//!    file is copied below `code/`;
//! 4. `links` rewrites links between the new pages, and copies the files that they lead to;
//! 5. the site is planned in memory, so that the report also lists the errors that it would have.
//!
//! Whatever is not taken over becomes a [`Loss`] with its place in the book.

mod admonition;
mod edits;
mod fence;
mod formula;
mod html;
mod include;
mod layout;
mod links;
mod mdbook;
mod mkdocs;
mod page;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::change::{self, Change, Refusal};
use crate::diag::{Severity, codes};
use crate::project::{File, Project};
use crate::site::{self, Options, Site};
use crate::yaml;
use formula::Delimiters;
use include::Code;
use layout::PlacedPage;

pub use mdbook::mdbook;
pub use mkdocs::mkdocs;

/// What an import creates, and what it leaves out.
#[derive(Debug)]
pub struct Import {
    /// The files of the new project.
    pub changes: Vec<Change>,
    /// What was not taken over, in the order of the book.
    pub losses: Vec<Loss>,
    /// Errors that the new project has, each with its place in it.
    pub errors: Vec<Loss>,
    /// The number of pages.
    pub pages: usize,
    /// The number of excerpts, whose code is in files below `code/`.
    pub excerpts: usize,
}

/// Something that was not taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The file, from the root of the book.
    pub path: Arc<str>,
    /// The line, from 1; `None` for the whole file.
    pub line: Option<usize>,
    /// What was not taken over, without a period.
    pub what: String,
}

/// The program that a book is written for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    #[default]
    MdBook,
    MkDocs,
}

/// A book as its settings and its table of contents describe it.
#[derive(Debug, Default)]
struct Book {
    title: String,
    description: String,
    language: String,
    repository: String,
    /// The folder of the pages, from the root of the book, with a slash at its end unless it is the root.
    folder: String,
    dialect: Dialect,
    /// The marks of formulas; empty if the book has none.
    formulas: &'static [Delimiters],
    chapters: Vec<Chapter>,
    losses: Vec<Loss>,
}

/// An entry of the table of contents.
#[derive(Debug, Default)]
struct Chapter {
    title: String,
    /// The page's file, from the root of the book; `None` for a heading that only groups others.
    source: Option<Arc<str>>,
    children: Vec<Chapter>,
}

/// A page between translation and the rewriting of its links.
struct Page {
    placed: PlacedPage,
    title: String,
    text: edits::Text,
}

/// Translates a book whose files are in `project`.
fn import(project: &Project, book: Book) -> Import {
    let Book { title, description, language, repository, folder, dialect, formulas, chapters, mut losses } = book;
    let (placed, nav) = layout::place(&folder, &title, dialect, chapters);
    let mut code = Code::new(project);
    let translate = |placed| page::translate(project, (dialect, formulas), placed, &mut code, &mut losses);
    let pages: Vec<Page> = placed.into_iter().map(translate).collect();
    let mut changes = links::write(project, &folder, &pages, &mut losses);
    let count = pages.len();
    changes.insert(0, create("content/site.yaml", settings(&title, &description, &language, &repository, &nav)));
    let excerpts = code.excerpts;
    changes.extend(code.into_changes());
    changes.push(create(".gitignore", "public/\n".to_owned()));
    let mut site = planned(&changes);
    if show_sources_of_diagrams(&mut changes, &site, &mut losses) {
        site = planned(&changes);
    }
    let new = site.project();
    let errors = site.diagnostics().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let errors = errors.map(|diagnostic| {
        let path = &diagnostic.place.file;
        let line = new.text(path).zip(diagnostic.place.span).map(|(source, (start, _))| source.line(start) + 1);
        Loss { path: Arc::clone(path), line, what: format!("{}: {}", diagnostic.code.id, diagnostic.message) }
    });
    let errors = errors.collect();
    Import { changes, losses, errors, pages: count, excerpts }
}

fn planned(changes: &[Change]) -> Site {
    site::plan(&change::preview(&Project::default(), changes), &Options::default(), &Site::default())
}

/// Turns diagrams that cannot be drawn into code blocks. Returns whether there are any.
fn show_sources_of_diagrams(changes: &mut [Change], site: &Site, losses: &mut Vec<Loss>) -> bool {
    let mut found = false;
    let failed = site.diagnostics().filter(|diagnostic| diagnostic.code == codes::E0204);
    // From the end, because the new text is shorter.
    for diagnostic in failed.collect::<Vec<_>>().into_iter().rev() {
        let Some((start, _)) = diagnostic.place.span else { continue };
        let page = changes.iter_mut().find_map(|change| match change {
            Change::Create { path, text } if *path == diagnostic.place.file => Some((path, text)),
            _ => None,
        });
        let Some((path, text)) = page else { continue };
        let line_end = text[start..].find('\n').map_or(text.len(), |end| start + end);
        let Some(fence) = text[..line_end].rfind("mermaid") else { continue };
        text.replace_range(fence..fence + "mermaid".len(), "text");
        let line = text[..fence].matches('\n').count() + 1;
        let what = "a diagram of a type that is not drawn; its page, in the new project, shows its source";
        losses.push(Loss { path: Arc::clone(path), line: Some(line), what: what.to_owned() });
        found = true;
    }
    found
}

fn create(path: impl Into<Arc<str>>, text: String) -> Change {
    Change::Create { path: path.into(), text }
}

/// Returns `content/site.yaml`.
fn settings(title: &str, description: &str, language: &str, repository: &str, nav: &[String]) -> String {
    let mut text = format!("title: {}\n", yaml::to_scalar(title));
    for (key, value) in [("tagline", description), ("language", language), ("repository", repository)] {
        if !value.is_empty() {
            text.extend([key, ": ", &*yaml::to_scalar(value), "\n"]);
        }
    }
    if !nav.is_empty() {
        text += "nav:\n";
        text.extend(nav.iter().flat_map(|path| ["  - ".to_owned(), yaml::to_scalar(path), "\n".to_owned()]));
    }
    text
}

/// Groups losses with the same text: the text, and the places in their order.
#[must_use]
pub fn grouped(losses: &[Loss]) -> Vec<(&str, Vec<&Loss>)> {
    let mut groups: Vec<(&str, Vec<&Loss>)> = Vec::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for loss in losses {
        let at = *known.entry(&loss.what).or_insert_with(|| {
            groups.push((&loss.what, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(loss);
    }
    groups
}

/// Returns the file at `path` of a book, or why it cannot be used.
fn find<'p>(project: &'p Project, path: &str) -> Result<&'p File, String> {
    match project.files.get(path) {
        None => Err(format!("`{path}` is not in the book's folder")),
        Some(File::Refused(refusal)) => Err(refusal.diagnostic(&Arc::from(path)).message),
        Some(file) => Ok(file),
    }
}

/// Returns the text of a file that a book needs.
fn settings_text<'p>(project: &'p Project, path: &str, what: &str) -> Result<&'p Arc<crate::source::Source>, Refusal> {
    match find(project, path) {
        Ok(File::Text(source)) => Ok(source),
        Ok(_) => Err(Refusal::new(format!("`{path}` is not UTF-8 text"))),
        Err(why) => Err(Refusal::new(why).help(what)),
    }
}
