//! What of a book has to be read: the settings, the folder of the pages, and what pages include from elsewhere.

use pulldown_cmark::{Event, Parser, Tag};

use super::directive::directives;
use super::{Book, Dialect, book, docusaurus, literal, mdbook, mdx, mkdocs, vitepress};
use infralens_source::change::Refusal;
use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::url;

/// What of a book is read; all paths are from the root of the project.
#[derive(Debug)]
pub struct Needs {
    dialect: Dialect,
    book: Book,
}

impl Needs {
    /// Returns the names that the settings may have, which are read first.
    pub fn settings(dialect: Dialect) -> &'static [&'static str] {
        match dialect {
            Dialect::MdBook => &mdbook::SETTINGS,
            Dialect::MkDocs => &mkdocs::SETTINGS,
            Dialect::VitePress => &vitepress::SETTINGS,
            Dialect::Docusaurus => &docusaurus::DOCUSAURUS,
            Dialect::Starlight => &docusaurus::STARLIGHT,
            Dialect::Notebooks => &[],
        }
    }

    /// Reads the settings in the folder `top` of `project`; its path ends in a slash unless it is empty.
    ///
    /// # Errors
    /// The settings are missing or cannot be read.
    pub fn new(project: &Project, dialect: Dialect, top: &str) -> Result<Self, Refusal> {
        // The list of chapters of mdBook is in the folder of its pages.
        let book =
            if dialect == Dialect::MdBook { mdbook::settings(project, top)? } else { book(project, dialect, top)? };
        Ok(Self { dialect, book })
    }

    /// Returns the folders of which all files are read: those of the pages and of their pictures, and those of posts, of programs
    /// and `theme` of mdBook, which are reported.
    pub fn folders(&self) -> impl Iterator<Item = String> {
        let theme = (self.dialect == Dialect::MdBook).then(|| format!("{}theme", self.book.top));
        let below =
            |folder: &String| folder.strip_suffix("src/").map_or(folder.clone(), |top| format!("{top}src/assets/"));
        let others =
            self.dialect.has_components().then(|| self.book.programs()).into_iter().chain(self.book.posts.clone());
        let files = self.book.files.iter().map(below).chain([self.book.folder.clone()]).chain(others);
        files.map(|folder| folder.trim_end_matches('/').to_owned()).collect::<Vec<_>>().into_iter().chain(theme)
    }

    /// Returns the paths of the files that the settings name. They may not exist.
    pub fn files(&self) -> impl Iterator<Item = String> {
        let appended = self.book.appended.iter();
        let appended = appended.flat_map(|path| self.book.bases.iter().filter_map(move |base| url::join(base, path)));
        appended.chain(self.book.redirect_files())
    }

    /// Returns the paths of the files that a file includes, or that it lists as pages. They may not exist.
    pub fn named(&self, source: &Source) -> Vec<String> {
        let folder = url::folder(source.path());
        let includes = directives(self.dialect, source.text()).into_iter().filter_map(|directive| directive.include());
        let mut named: Vec<String> = includes.flat_map(|include| include.paths(folder, &self.book.bases)).collect();
        if self.dialect.has_components() && (source.path().ends_with(".md") || source.path().ends_with(".mdx")) {
            let folders = mdx::Folders { top: &self.book.top, page: source.path() };
            named.extend(mdx::imports(source.text()).values().filter_map(|file| folders.path(file)));
        }
        if Self::settings(self.dialect).iter().any(|name| **source.path() == *format!("{}{name}", self.book.top)) {
            named.extend(literal::imports(source));
        }
        if matches!(url::file_name(source.path()), "SUMMARY.md" | mdbook::SIDEBAR) {
            let page = |event| match event {
                Event::Start(Tag::Link { dest_url, .. }) => url::join(folder, &url::decode(&dest_url)),
                _ => None,
            };
            named.extend(Parser::new(source.text()).filter_map(page));
        }
        named
    }
}
