//! Turns a book of mdBook, or a site of MkDocs, `VitePress`, Docusaurus or Starlight (also called a book here), into a course.
//! [`import()`] takes the book's files in memory, and returns an [`Import`]: the changes that create the course, and a list of
//! [`Loss`]es. The command `infralens import` reads the files that [`Needs`] names, and writes the
//! changes.
//!
//! 1. A file per program, such as `mdbook`, reads the settings and the table of contents. A book without any page is refused.
//!    Tables say what becomes of each setting (`settings`) and plugin (`syntax`). Settings that are programs are read as literals (`literal`), and their sidebars by one reader (`sidebar`).
//! 2. `layout` gives each page its path below `content/`, whose folders follow the table of contents.
//! 3. `page` translates each page. Components (`mdx`) and containers (`vitepress`) become blocks of MkDocs first, so that one
//!    translation (`admonition`) follows. A code block that only includes a file becomes an excerpt, which shows a part of a
//!    file below `code/`; the file is copied there. Where that is impossible, the block keeps a copy, which is a loss.
//! 4. `links` writes the pages, and the files that they link to. A link that leads nowhere becomes its text.
//! 5. `infralens-site` plans the course. Its errors become losses, and lints that find something are switched off.
//!
//! A `Loss` is what was left out or changed, with its place in the book; for what step 5 finds, in the new course.
//!
//! ```
//! use infralens_source::project::{File, Project};
//! use infralens_source::source::Source;
//!
//! let mut book = Project::default();
//! let toml = ("book.toml", "[book]\ntitle = \"Queues\"\n");
//! for (path, text) in [toml, ("src/SUMMARY.md", "[Rings](r.md)\n"), ("src/r.md", "# Rings\n\nSee [this](no.md).\n")] {
//!     book.put(&path.into(), Some(File::Text(Source::new(path, text).into())));
//! }
//! use infralens_import::{Dialect, Kind, import};
//! let import = import(&book, Dialect::MdBook, "", &infralens_site::Options::default()).unwrap();
//! assert_eq!((import.pages, import.losses[0].kind, import.losses[0].line), (1, Kind::Link, Some(3)));
//! ```

mod admonition;
mod directive;
mod docusaurus;
mod edits;
mod fence;
mod formula;
mod front_matter;
mod html;
mod icon;
mod include;
mod inclusion;
mod jsx;
mod layout;
mod links;
mod literal;
mod loss;
mod mdbook;
mod mdx;
mod mkdocs;
mod needs;
mod notebook;
mod page;
mod pages;
mod posts;
mod settings;
mod sidebar;
mod spelling;
mod syntax;
#[cfg(test)]
mod tests;
mod title;
mod tree;
mod vitepress;

use std::collections::BTreeMap;
use std::sync::Arc;

use formula::Delimiters;
use include::Code;
use infralens_site::{self as site, Options, Site};
use infralens_source::change::{self, Change, Refusal};
use infralens_source::diag::{Severity, codes, quantity};
use infralens_source::project::{File, Project};
use infralens_source::source::{Source, edited};
use infralens_source::url;
use infralens_source::yaml;
use layout::PlacedPage;

pub use loss::{Kind, Loss, grouped};
pub use needs::Needs;

/// What an import creates, and what it leaves out.
#[derive(Debug)]
pub struct Import {
    /// The files of the new project.
    pub changes: Vec<Change>,
    /// What was not taken over, in the order of the book, and then what the checks of the new project find.
    pub losses: Vec<Loss>,
    pub pages: usize,
    /// The number of excerpts, whose code is in files below `code/`.
    pub excerpts: usize,
}

/// The program that a book is written for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// mdBook.
    #[default]
    MdBook,
    /// `MkDocs`.
    MkDocs,
    /// `VitePress`.
    VitePress,
    /// Docusaurus.
    Docusaurus,
    /// Starlight, a theme of Astro.
    Starlight,
    /// A folder of notebooks and Markdown.
    Notebooks,
}

impl Dialect {
    /// Whether pages have blocks of their own, such as boxes and tabs.
    fn has_blocks(self) -> bool {
        !matches!(self, Self::MdBook | Self::Notebooks)
    }

    /// Whether pages are MDX: Markdown with components and expressions.
    fn has_components(self) -> bool {
        matches!(self, Self::Docusaurus | Self::Starlight)
    }
}

/// A book as its settings and its table of contents describe it.
#[derive(Debug, Default)]
struct Book {
    title: String,
    /// Keys of `site.yaml` and their values. A dot separates a key from that of the map which contains it.
    settings: Vec<(String, String)>,
    /// The links of the top bar, and of the end of pages.
    links: Vec<settings::BarLink>,
    /// The files of the new project that its settings name: the path of each, and that in the book.
    pictures: Vec<(String, String)>,
    /// The folder of the settings, from the root of the project, with a slash at its end unless it is the root.
    top: String,
    /// The folder of the pages, written in the same way.
    folder: String,
    dialect: Dialect,
    /// Whether the address of each page is a folder, as in MkDocs.
    directory_urls: bool,
    /// The folders in which the files of snippets are searched, from the root of the project.
    bases: Vec<String>,
    /// What the marks begin with that the extensions of the settings know, such as `==` and `++`.
    marks: Vec<String>,
    /// Files that every page includes, from one of these folders.
    appended: Vec<String>,
    /// The folders of files that the site publishes at its root, in which pages that name other files may find them.
    files: Vec<String>,
    /// The folder of the posts of a blog.
    posts: Option<String>,
    /// The names of the authors of posts, by their ids.
    authors: BTreeMap<String, String>,
    /// Whether a plugin runs what is between `{{` and `}}`, also in code.
    runs_macros: bool,
    /// The pages by their ids and addresses, if the book names them so.
    pages: pages::Pages,
    /// The marks of formulas; empty if the book has none.
    formulas: &'static [Delimiters],
    /// Whether the chapters are numbered.
    has_numbers: bool,
    redirects: Vec<Redirect>,
    chapters: Vec<Chapter>,
    losses: Vec<Loss>,
}

/// An address of the old site that leads to another, and its place in the settings.
#[derive(Debug)]
struct Redirect {
    from: String,
    to: String,
    path: Arc<str>,
    line: usize,
}

/// An entry of the table of contents.
#[derive(Debug, Default)]
struct Chapter {
    title: String,
    /// The titles that the table of contents gives it, other than those made from its path.
    names: Vec<String>,
    /// The page's file, from the root of the book; `None` for a heading that only groups others.
    source: Option<Arc<str>>,
    children: Vec<Chapter>,
    /// The name of the folder that it stands for, if it is made from files instead of a table of contents.
    folder: String,
    /// Whether its date says where it is among others.
    is_post: bool,
}

impl Chapter {
    /// Creates a chapter of a page. `title` is that of a page without a name of its own.
    fn of(source: &Arc<str>, name: Option<String>, title: String) -> Self {
        let names: Vec<String> = name.into_iter().collect();
        let title = names.first().cloned().unwrap_or(title);
        Self { title, names, source: Some(Arc::clone(source)), ..Self::default() }
    }

    /// Returns the chapter and all below it.
    fn all(&self) -> Vec<&Self> {
        std::iter::once(self).chain(self.children.iter().flat_map(Self::all)).collect()
    }
}

/// A page between translation and the rewriting of its links.
struct Page {
    placed: PlacedPage,
    title: String,
    /// The lines of the front matter other than the title and the aliases.
    front: String,
    /// The id that the book gives the heading that has become the title.
    title_id: Option<String>,
    /// The ids of HTML that name a heading, and the words of the heading.
    ids: BTreeMap<String, String>,
    text: edits::Text,
}

/// Reads a book, whose settings are in the folder `top` of `project`; its path ends in a slash unless it is empty.
fn book(project: &Project, dialect: Dialect, top: &str) -> Result<Book, Refusal> {
    match dialect {
        Dialect::MdBook => mdbook::mdbook(project, top),
        Dialect::MkDocs => mkdocs::mkdocs(project, top),
        Dialect::VitePress => vitepress::vitepress(project, top),
        Dialect::Docusaurus => docusaurus::docusaurus(project, top),
        Dialect::Starlight => docusaurus::starlight(project, top),
        Dialect::Notebooks => Ok(mkdocs::notebooks(project, top)),
    }
}

/// Imports a book, whose settings are in the folder `top` of `project`; its path ends in a slash unless it is empty.
///
/// # Errors
/// The settings or the list of pages are missing or cannot be read, or the book has no page.
pub fn import(project: &Project, dialect: Dialect, top: &str, options: &Options) -> Result<Import, Refusal> {
    let mut book = book(project, dialect, top)?;
    book.complete_logo();
    book.read_redirects(project);
    let redirects = std::mem::take(&mut book.redirects);
    let (mut chapters, mut losses) = (std::mem::take(&mut book.chapters), std::mem::take(&mut book.losses));
    let book = &book;
    prune(&mut chapters);
    if chapters.is_empty() {
        let entries = losses.iter().filter(|loss| matches!(loss.kind, Kind::Page | Kind::Draft));
        let why = |loss: &Loss| format!("{}:{}: {}", loss.path, loss.line.unwrap_or(1), loss.detail);
        return Err(Refusal { help: entries.take(3).map(why).collect(), ..Refusal::new("the book has no page") });
    }
    let project = &notebook::with_attachments(project);
    syntax::add_places(project, &book.folder, &mut losses);
    spelling::correct(project, &book.folder, &mut chapters);
    let (mut placed, nav) = layout::place(book, chapters);
    layout::redirect(&mut placed, &book.pages, redirects, &mut losses);
    let bars = bars(project, book, &placed, &mut losses);
    let mut code = Code::new(project, book);
    let pages: Vec<Page> =
        placed.into_iter().map(|placed| page::translate(project, placed, &mut code, &mut losses)).collect();
    syntax::add_components(&mut losses);
    for path in &book.appended {
        read_appended(project, path, &mut code, &mut losses);
    }
    let mut changes = links::write(project, book, &pages, &mut losses);
    let title = if book.title.is_empty() { pages.first().map_or("", |page| &page.title) } else { &book.title };
    let count = pages.len();
    changes.insert(0, create("content/site.yaml", site_yaml(title, &book.settings, &nav) + &bars));
    let excerpts = code.excerpts;
    if !code.terms.is_empty() {
        changes.push(create("content/glossary.md", glossary(&code.terms)));
    }
    changes.extend(code.into_changes());
    changes.extend(book.pictures.iter().filter_map(|(path, from)| {
        let file = project.files.get(from.as_str())?.clone();
        Some(Change::Add { path: path.as_str().into(), file })
    }));
    changes.push(create(".gitignore", "public/\n".to_owned()));
    let mut site = planned(&changes, options);
    // Marks may be in marks.
    for _ in 0..3 {
        if !write_marks(&mut changes, &site, &book.marks) {
            break;
        }
        site = planned(&changes, options);
    }
    switch_off_lints(&mut changes, &site, &mut losses);
    losses.extend(site.diagnostics().filter_map(|diagnostic| {
        let kind = match diagnostic.code {
            _ if diagnostic.severity == Severity::Error => Kind::Error,
            _ if diagnostic.severity == Severity::Hint => return None,
            code if code == codes::W0202 || code == codes::W0208 => Kind::Foreign,
            _ if diagnostic.severity == Severity::Warning => Kind::Warning,
            _ => return None,
        };
        let path = &diagnostic.place.file;
        let line = site.project().text(path).zip(diagnostic.place.span);
        let line = line.map(|(source, (start, _))| source.line(start) + 1);
        Some(Loss::new(kind, path, line, &*diagnostic.message))
    }));
    Ok(Import { changes, losses, pages: count, excerpts })
}

fn planned(changes: &[Change], options: &Options) -> Site {
    site::plan(&change::preview(&Project::default(), changes), options, &Site::default())
}

/// Returns the glossary of the abbreviations of a book.
fn glossary(terms: &BTreeMap<String, String>) -> String {
    let escaped = |text: &str| {
        let sign = |c: char| if "\\`*_[]<$".contains(c) { vec!['\\', c] } else { vec![c] };
        text.chars().flat_map(sign).collect::<String>()
    };
    let term = |(name, text): (&String, &String)| format!("\n{}\n: {}\n", escaped(name), escaped(text));
    format!("---\ntitle: Glossary\n---\n{}", terms.iter().map(term).collect::<String>())
}

/// Takes over the abbreviations in a file that the settings append to every page.
fn read_appended(project: &Project, path: &str, code: &mut Code<'_>, losses: &mut Vec<Loss>) {
    let mut lose = |line, detail| losses.push(Loss::new(Kind::Include, &Arc::from(path), line, detail));
    let Some(source) = code.snippet(path).and_then(|path| project.text(&path)) else {
        return lose(None, "`auto_append` names it, and it is not in the book's folder");
    };
    for (at, line) in source.text().lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match page::abbreviation(line) {
            Some((name, meaning)) => drop(code.terms.entry(name.to_owned()).or_insert_with(|| meaning.to_owned())),
            None => return lose(Some(at + 1), "the text that every page would end with"),
        }
    }
}

/// Writes marks such as `==x==` in HTML if an extension of the settings knows them: with the fixes of what the page is told
/// about them. Returns whether there are any.
fn write_marks(changes: &mut [Change], site: &Site, marks: &[String]) -> bool {
    let mut edits: BTreeMap<Arc<str>, Vec<edits::Edit>> = BTreeMap::new();
    for fix in site.diagnostics().filter(|found| found.code == codes::W0208).flat_map(|found| &found.fixes) {
        for edit in &fix.edits {
            let text = site.project().text(&edit.place.file).map_or("", |source| &source.text()[edit.span()]);
            if marks.iter().any(|mark| text.starts_with(&**mark)) {
                edits.entry(Arc::clone(&edit.place.file)).or_default().push((edit.span(), edit.text.clone()));
            }
        }
    }
    edit(changes, &edits);
    !edits.is_empty()
}

/// Edits pages of the new project.
fn edit(changes: &mut [Change], edits: &BTreeMap<Arc<str>, Vec<edits::Edit>>) {
    for change in changes {
        if let Change::Create { path, text } = change
            && let Some(edits) = edits.get(path)
        {
            *text = edited(text, edits.clone());
        }
    }
}

fn create(path: impl Into<Arc<str>>, text: String) -> Change {
    Change::Create { path: path.into(), text }
}

/// Returns `content/site.yaml`.
fn site_yaml(title: &str, settings: &[(String, String)], nav: &[String]) -> String {
    let mut text = format!("title: {}\n", yaml::to_scalar(title));
    let scalar = |value: &str| if value == "true" { value.to_owned() } else { yaml::to_scalar(value) };
    let (below, plain): (Vec<_>, Vec<_>) = settings.iter().partition(|(key, _)| key.contains('.'));
    text.extend(plain.iter().map(|(key, value)| format!("{key}: {}\n", scalar(value))));
    let mut map = "";
    for (key, value) in below {
        let (name, key) = key.split_once('.').unwrap_or((key.as_str(), ""));
        if std::mem::replace(&mut map, name) != name {
            text.extend([name, ":\n"]);
        }
        text.extend(["  ", key, ": ", &*scalar(value), "\n"]);
    }
    if !nav.is_empty() {
        text += "nav:\n";
        text.extend(nav.iter().flat_map(|path| ["  - ".to_owned(), yaml::to_scalar(path), "\n".to_owned()]));
    }
    text
}

/// Returns the links of the bars in the form of `site.yaml`. Reports those that lead nowhere.
fn bars(project: &Project, book: &Book, placed: &[PlacedPage], losses: &mut Vec<Loss>) -> String {
    let mut written = |key: &str| {
        let mut text = String::new();
        for settings::BarLink { label, target, loss, .. } in book.links.iter().filter(|link| link.key == key) {
            let page = || {
                let path = book.pages.named(target);
                let path = path.or_else(|| mdbook::linked_page(project, book, target.split('#').next()?).ok());
                // A page that only lists others has no file.
                let made = format!("content/{}/index.md", target.trim_matches('/'));
                let is_target = |page: &&PlacedPage| if path.is_some() { page.source == path } else { page.to == made };
                let page = placed.iter().find(is_target)?;
                Some(page.to.strip_prefix("content/")?.to_owned())
            };
            match if target.contains("://") { Some(target.clone()) } else { page() } {
                Some(link) => {
                    let (label, link) = (yaml::to_scalar(label), yaml::to_scalar(&link));
                    text.extend(["  - label: ", &*label, "\n    link: ", &*link, "\n"]);
                }
                None => losses.push(loss.clone()),
            }
        }
        if text.is_empty() { text } else { format!("{key}:\n{text}") }
    };
    written("header") + &written("footer")
}

/// Switches off the lints that find something in the pages of the book, so that `check --strict` passes, and reports them.
fn switch_off_lints(changes: &mut [Change], site: &Site, losses: &mut Vec<Loss>) {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for diagnostic in site.judge().iter().filter(|diagnostic| codes::LINTS.contains(&diagnostic.code)) {
        *found.entry(diagnostic.code.id).or_default() += 1;
    }
    if let Some(Change::Create { text, path }) = changes.first_mut().filter(|_| !found.is_empty()) {
        *text += "lints:\n";
        for (name, count) in found {
            text.extend(["  ", name, ": off\n"]);
            let detail = format!("`{name}`: {}", quantity(count, "place"));
            losses.push(Loss::new(Kind::Lint, path, None, detail));
        }
    }
}

/// Returns the folder of the pages that settings name by a path, from the root of the project, with a slash at its end.
fn folder_of_pages(source: &Source, key: &str, path: &str, usual: &str, top: &str) -> Result<String, Refusal> {
    let folder = url::join(top, if path.is_empty() { usual } else { path }).ok_or_else(|| {
        let whose = if key == "src" { "book" } else { "site" };
        let refusal = Refusal::new(format!("{}: `{key}` leads out of the {whose}'s folder", source.path()));
        refusal.help(include::WITHIN)
    })?;
    Ok(if folder.is_empty() { folder } else { folder + "/" })
}

/// Returns the file at `path` of a book, or why it cannot be used.
fn find<'p>(project: &'p Project, path: &str) -> Result<&'p File, String> {
    match project.files.get(path) {
        None => Err(format!("`{path}` is not in the book's folder")),
        Some(File::Refused(refusal)) => Err(refusal.diagnostic(&Arc::from(path)).message),
        Some(file) => Ok(file),
    }
}

/// Returns the first of some settings in the folder `top` that exists.
fn settings_file<'p>(project: &'p Project, top: &str, names: &[&str], what: &str) -> Result<&'p Arc<Source>, Refusal> {
    let paths: Vec<String> = names.iter().map(|name| format!("{top}{name}")).collect();
    let found = paths.iter().find(|path| project.files.contains_key(path.as_str()));
    settings_text(project, found.unwrap_or(&paths[0]), what)
}

/// Returns the path of the page that a table of contents names, or why there is no such page.
fn page_file(project: &Project, folder: &str, target: &str) -> Result<Arc<str>, String> {
    let path = url::join(folder, target).ok_or_else(|| format!("`{target}` is outside of the book"))?;
    match find(project, &path)? {
        File::Text(_) => Ok(Arc::from(path)),
        _ => Err(format!("`{path}` is not UTF-8 text")),
    }
}

/// Removes entries that have neither a page nor entries below them.
fn prune(chapters: &mut Vec<Chapter>) {
    for chapter in &mut *chapters {
        prune(&mut chapter.children);
    }
    chapters.retain(|chapter| chapter.source.is_some() || !chapter.children.is_empty());
}

/// Returns the text of a file that a book needs.
fn settings_text<'p>(project: &'p Project, path: &str, what: &str) -> Result<&'p Arc<Source>, Refusal> {
    match find(project, path) {
        Ok(File::Text(source)) => Ok(source),
        Ok(_) => Err(Refusal::new(format!("`{path}` is not UTF-8 text"))),
        Err(why) => Err(Refusal::new(why).help(what)),
    }
}
