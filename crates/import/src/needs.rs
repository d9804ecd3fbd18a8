//! What of a book's folder has to be read: the settings, the folder of the pages, and what pages include from elsewhere.

use pulldown_cmark::{Event, Parser, Tag};

use super::include::directives;
use super::{Book, Dialect, mdbook, mkdocs};
use infralens_source::change::Refusal;
use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::url;

/// What of a book is read; all paths are from the folder of the book.
#[derive(Debug)]
pub struct Needs {
    dialect: Dialect,
    book: Book,
}

impl Needs {
    /// Returns the path of the settings, which are read first.
    pub fn settings(dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::MdBook => mdbook::SETTINGS,
            Dialect::MkDocs => mkdocs::SETTINGS,
        }
    }

    /// Reads the settings, which `project` contains.
    ///
    /// # Errors
    /// The settings are missing or cannot be read.
    pub fn new(project: &Project, dialect: Dialect) -> Result<Self, Refusal> {
        let book = match dialect {
            Dialect::MdBook => mdbook::settings(project),
            Dialect::MkDocs => mkdocs::settings(project),
        }?;
        Ok(Self { dialect, book })
    }

    /// Returns the folders of which all files are read: that of the pages, and `theme` of mdBook, which is reported.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let theme = (self.dialect == Dialect::MdBook).then_some("theme");
        [self.book.folder.trim_end_matches('/')].into_iter().chain(theme)
    }

    /// Returns the paths of the files that a file includes, or that it lists as pages. They may not exist.
    pub fn named(&self, source: &Source) -> Vec<String> {
        let folder = url::folder(source.path());
        let includes = directives(self.dialect, source.text()).into_iter().filter_map(|directive| directive.include());
        let mut named: Vec<String> = includes
            .flat_map(|include| {
                let snippets = include.snippet_paths(&self.book.snippets).collect::<Vec<_>>();
                snippets.into_iter().chain(include.path_from_root(folder))
            })
            .collect();
        if url::file_name(source.path()) == "SUMMARY.md" {
            let page = |event| match event {
                Event::Start(Tag::Link { dest_url, .. }) => url::join(folder, &url::decode(&dest_url)),
                _ => None,
            };
            named.extend(Parser::new(source.text()).filter_map(page));
        }
        named
    }
}
