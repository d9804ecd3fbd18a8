//! Says to which file the code of an excerpt has moved, if the file that the excerpt names does not have it any more. Only
//! the same code is found, never code that resembles it.

use std::sync::Arc;

use super::Subject;
use super::pin::parts;
use infralens_course::course::{starter, url};
use infralens_page::{Excerpt, Kind};
use infralens_source::diag::Diagnostic;
use infralens_source::project::{File, Project};
use infralens_source::selector::Selector;
use infralens_source::source::Source;
use infralens_starter::excerpt::Pin;
use infralens_starter::listing::{Lines, Listing};
use infralens_starter::moved::CodeIndex;
use infralens_starter::notebook::{extension_of, is_notebook};

/// The maximum number of files that a message names.
const MAX_NAMED: usize = 3;
/// Extensions of Markdown files, which have pins themselves.
const MARKDOWN: [&str; 4] = ["md", "markdown", "mdx", "qmd"];

/// Where the code of a pin is.
pub enum Moved {
    /// In another file: what to write.
    To(String),
    /// In none of the files that were searched; and if others were not, how many these are.
    Nowhere(Option<usize>),
}

/// Searches for the code of an excerpt's pin in all files but `own`, the one that the excerpt names.
pub fn find(index: &CodeIndex, project: &Project, subject: Subject<'_>, excerpt: &Excerpt, own: &str) -> Moved {
    if excerpt.closing.is_none() || excerpt.pin.trim().is_empty() {
        return Moved::Nowhere(None);
    }
    let pin = Pin::new(&pinned_path(own, excerpt), &excerpt.pin);
    let view = pin.view(&[]);
    let lines = view.lines();
    let parts: Vec<&[&str]> = parts(&lines).collect();
    let found = index.find(|| files(project, subject), &parts, own);
    if found.is_empty() {
        return Moved::Nowhere(project.searched_files);
    }
    let more = if found.len() > MAX_NAMED { " and in other files" } else { "" };
    let found = &found[..found.len().min(MAX_NAMED)];
    let paths: Vec<String> = found.iter().map(|(listing, _)| format!("`{}`", listing.source().path())).collect();
    let references = found.iter().map(|(listing, lines)| {
        // A missing file that the excerpt does not name is the main file of the front matter.
        if excerpt.file.path.is_empty() && project.text(own).is_none() {
            return format!("`file: {}`", path_from(subject, listing.source().path()));
        }
        let fragment = hash(listing, lines, excerpt);
        format!("`file={}`", reference(subject, listing.source().path(), &fragment))
    });
    let references: Vec<String> = references.collect();
    Moved::To(format!("the pin's code is now in {}{more}; write {}", paths.join(" and "), references.join(" or ")))
}

/// Returns a path by which the language of a pin is known, also if its file is a notebook that does not exist.
fn pinned_path(path: &str, excerpt: &Excerpt) -> String {
    let extension = if is_notebook(path) { format!(".{}", extension_of(&excerpt.language)) } else { String::new() };
    path.to_owned() + &extension
}

/// Returns the files that may have the code of a document's excerpts.
pub fn files(project: &Project, subject: Subject<'_>) -> Vec<Arc<Source>> {
    let is_outside = subject.document.placement.kind == Kind::Outside;
    let is_code = |path: &str| !is_markdown(path) && (is_outside || !starter::is_record(path));
    let all = project.files.iter().filter(|(path, _)| is_code(path) && (is_outside || path.starts_with("code/")));
    let texts = all.filter_map(|(_, file)| if let File::Text(source) = file { Some(source) } else { None });
    texts.cloned().collect()
}

/// Returns what a page writes to show a piece of a file, after `file=`. `fragment` has its `#`.
pub fn reference(subject: Subject<'_>, path: &str, fragment: &str) -> String {
    quoted(&format!("{}{fragment}", path_from(subject, path)))
}

impl Moved {
    /// Adds to a diagnostic where the code is. This replaces its other help if `is_answer`.
    pub fn explain(self, diagnostic: &mut Diagnostic, is_answer: bool) {
        match self {
            Self::To(help) if is_answer => diagnostic.help = vec![help],
            Self::To(help) => diagnostic.help.insert(0, help),
            Self::Nowhere(Some(count)) => {
                let help = format!("the pin's code is in none of the {count} nearest files; others were not searched");
                diagnostic.help.push(help);
            }
            Self::Nowhere(None) => {}
        }
    }
}

fn is_markdown(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    MARKDOWN.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Returns how a page names a file in `file=`.
fn path_from(subject: Subject<'_>, path: &str) -> String {
    if subject.document.placement.kind == Kind::Outside {
        return url::relative_encoded(subject.document.source.path(), path);
    }
    let folder = subject.main_file.map(url::folder);
    let own = folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    match own {
        Some(below) if below.contains('/') => format!("./{below}"),
        Some(below) => below.to_owned(),
        // A path without a slash would be in the lab's own folder.
        None => path.strip_prefix("code/").unwrap_or(path).to_owned(),
    }
}

/// Returns `#` and the selectors of some lines; nothing if the excerpt shows a whole file and these are all lines.
fn hash(listing: &Listing, parts: &[Lines], excerpt: &Excerpt) -> String {
    if excerpt.file.selectors.is_empty() && parts.iter().map(Lines::len).sum::<usize>() >= listing.line_count() {
        return String::new();
    }
    let written = &excerpt.file.selectors;
    let selectors = parts.iter().enumerate().map(|(at, lines)| {
        // A definition that now has a decorator or a comment more is still the same.
        let same = written.get(at).map(|(selector, _)| selector).filter(|_| written.len() == parts.len());
        let has_it = |selector: &&Selector| {
            let is_name = !selector.is_by_lines();
            is_name && listing.select(selector).is_ok_and(|of| of.start <= lines.start && lines.end <= of.end)
        };
        let named = || listing.covering_selector(lines).filter(|(_, is_all)| *is_all).map(|(selector, _)| selector);
        let name = same.filter(has_it).cloned().or_else(named);
        name.map_or_else(|| listing.selector_of_lines(lines), |name| name.to_string())
    });
    format!("#{}", selectors.collect::<Vec<_>>().join(","))
}

/// Puts quotation marks around a value with white space.
fn quoted(value: &str) -> String {
    if value.contains(char::is_whitespace) { format!("\"{value}\"") } else { value.to_owned() }
}
