//! `infralens import`: creates a project from a book of another generator, and lists what could not be taken over.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::relocate::normalize;
use super::{Common, Failure, Outcome, Status, display_folder, print, quantity};
use crate::assets::BUILTIN;
use crate::report::one_line;
use crate::{emit, load};
use infralens_import::{self as import, Dialect, Import, Kind, Loss, grouped};
use infralens_site as site;
use infralens_source::change::Change;
use infralens_source::project::Project;

#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, Subcommand)]
enum From {
    /// A book of mdBook, or pages with a list of chapters alone: `SUMMARY.md`, or `_sidebar.md` of docsify
    Mdbook(Book),
    /// A site of MkDocs or of Zensical
    Mkdocs(Book),
    /// A site of VitePress: the folder that contains `.vitepress`
    Vitepress(Book),
    /// A site of Docusaurus: the folder that contains `docusaurus.config.js`
    Docusaurus(Book),
    /// A site of Starlight, a theme of Astro: the folder that contains `astro.config.mjs`
    Starlight(Book),
    /// Jupyter notebooks: each notebook and each Markdown file of a folder becomes a page
    Notebooks(Book),
}

#[derive(Debug, Args)]
struct Book {
    /// The folder of the book; nothing in it is changed. `--root` names the folder of the new project, which must be
    /// empty [default: the current folder]
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The folder that contains DIR and the files that pages may include [default: the repository of git around DIR, or
    /// DIR itself]
    #[arg(long, value_name = "DIR")]
    within: Option<PathBuf>,
    /// Also write the whole list of what was not taken over to a file, which must not exist
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Fetch the pictures that pages show from other sites, up to 10 MiB each, and copy them into the project [default: they
    /// become links]
    #[arg(long)]
    fetch_pictures: bool,
    /// With `--fetch-pictures`, also ask this machine and private networks
    #[arg(long, requires = "fetch_pictures")]
    allow_private: bool,
}

mod pictures;

/// The number of places that are printed for each kind of loss.
const SHOWN: usize = 3;

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let (dialect, book) = match &options.from {
        From::Mdbook(book) => (Dialect::MdBook, book),
        From::Mkdocs(book) => (Dialect::MkDocs, book),
        From::Vitepress(book) => (Dialect::VitePress, book),
        From::Docusaurus(book) => (Dialect::Docusaurus, book),
        From::Starlight(book) => (Dialect::Starlight, book),
        From::Notebooks(book) => (Dialect::Notebooks, book),
    };
    let root = common.root.clone().unwrap_or_else(|| PathBuf::from("."));
    check_target(&root, book)?;
    let translate = |project: &Project, top: &str| import::import(project, dialect, top, &site::Options::new(BUILTIN));
    let (mut project, top) = load::read_book(&book.dir, book.within.as_deref(), dialect)?;
    let mut import = translate(&project, &top)?;
    if book.fetch_pictures {
        let failed = pictures::fetch(&mut project, &import.losses, book.allow_private)?;
        import = translate(&project, &top)?;
        for loss in import.losses.iter_mut().filter(|loss| loss.kind == Kind::Picture) {
            loss.detail.extend(failed.get(&loss.detail).map(|why| format!(" {why}")));
        }
    }
    let unread = project.diagnostics.iter();
    import.losses.extend(unread.map(|diagnostic| Loss {
        kind: Kind::Unreadable,
        path: diagnostic.place.file.clone(),
        line: None,
        detail: diagnostic.message.clone(),
    }));
    if let Some(path) = &book.report {
        write_report(&root, path, &mut import)?;
    }
    emit::change(&root, &import.changes)?;
    let here = display_folder(&root);
    let pages = quantity(import.pages, "page");
    let mut text = format!("{pages} and {} in {here}\n", quantity(import.excerpts, "excerpt"));
    if !import.losses.is_empty() {
        let file = book.report.as_ref().map(|path| one_line(&path.display().to_string()).into_owned());
        let rest = file.map_or("`--report FILE` writes all places to a file".to_owned(), |file| {
            format!("`{file}` has all places")
        });
        text.extend(["\nNot taken over, or changed. ", &rest, ".\n"]);
    }
    text += &report(&import, SHOWN);
    print(&(text + "\nnext: `infralens check` there shows what is left to change\n"))?;
    Ok(Status::Done)
}

/// Refuses a target that has files, or that is inside the book.
#[expect(clippy::disallowed_methods, reason = "whether a folder is free is known before anything is read")]
fn check_target(root: &Path, book: &Book) -> Result<(), Failure> {
    let shown = root.display();
    let help = "`--root` names a new or empty folder for the project";
    match load::is_free(root) {
        Ok(true) => {}
        Ok(false) => return Err(Failure::new(format!("`{shown}` is not empty")).help(help)),
        Err(error) => return Err(Failure::new(format!("`{shown}` cannot be used: {}", error.kind())).help(help)),
    }
    let real = std::path::absolute(root).ok().zip(book.dir.canonicalize().ok());
    if real.is_some_and(|(root, book)| root.canonicalize().unwrap_or(normalize(&root)).starts_with(book)) {
        return Err(Failure::new(format!("`{shown}` is inside the book")).help(help));
    }
    if let Some(report) = book.report.as_ref().filter(|report| report.exists()) {
        return Err(Failure::new(format!("`{}` already exists", report.display())));
    }
    Ok(())
}

/// Creates the file of the report, before the project, so that a report that cannot be written leaves nothing behind. One in
/// the folder of the project is created with it.
#[expect(clippy::disallowed_methods, reason = "the report may be anywhere")]
fn write_report(root: &Path, path: &Path, import: &mut Import) -> Result<(), Failure> {
    let text = report(import, usize::MAX);
    let name = path.file_name().and_then(OsStr::to_str);
    let name = name.ok_or_else(|| Failure::new(format!("`{}` is not the name of a file", path.display())))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
    let inside =
        real(root).zip(real(folder)).and_then(|(root, folder)| Some(folder.strip_prefix(root).ok()?.join(name)));
    match inside.as_deref().and_then(load::course_path) {
        Some(path) => import.changes.push(Change::Create { path, text }),
        None => emit::change(folder, &[Change::Create { path: name.into(), text }])?,
    }
    Ok(())
}

/// Lists losses by kind: its heading and number, advice, and up to `most` places.
fn report(import: &Import, most: usize) -> String {
    let mut text = String::new();
    for (kind, mut losses) in grouped(&import.losses) {
        let (title, advice) = kind.text();
        let _ = write!(text, "\n{title}: {}\n  {advice}\n", losses.len());
        let more = losses.len().saturating_sub(most);
        if more > 0 {
            // The places that are shown differ if they can.
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            losses.sort_by_cached_key(|loss| {
                let count = counts.entry(&loss.detail).or_default();
                *count += 1;
                *count
            });
        }
        // What is missing on whole pages is listed completely.
        let most = if kind <= Kind::Page { usize::MAX } else { most };
        let more = losses.len().saturating_sub(most);
        for Loss { path, line, detail, .. } in losses.into_iter().take(most) {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            let detail = if detail.is_empty() { String::new() } else { format!("  {}", one_line(detail)) };
            let _ = writeln!(text, "    {}{line}{detail}", one_line(path));
        }
        if more > 0 {
            let _ = writeln!(text, "    and {more} more");
        }
    }
    text
}
