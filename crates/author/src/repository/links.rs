//! Links of Markdown files outside a course that name lines, regions or symbols of a text file. All other links belong to
//! the tool that publishes the page: those to pages and their headings, to whole files and folders, and to other sites.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::is_hidden;
use infralens_course::course::{link, url};
use infralens_page::{Document, link_title};
use infralens_render::line_link::{CodeLink, LinkDrift};
use infralens_site::{Scope, UnreadableFiles};
use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::project::{File, Project};
use infralens_source::selector::{Selector, line_help};
use infralens_source::source::Span;
use infralens_starter::Listing;

/// Extensions of files that are published as pages, in which `#name` is a heading.
const PAGES: [&str; 15] = [
    "md", "markdown", "mdx", "qmd", "rmd", "rst", "adoc", "asciidoc", "org", "html", "htm", "xhtml", "ipynb", "svg",
    "pdf",
];

/// A link into a file.
pub(super) struct Named<'d> {
    /// The path of the file from the root of the repository.
    pub path: String,
    selector: Result<Selector, String>,
    fragment: String,
    span: &'d Span,
    title: Option<String>,
    /// Whether it begins with `/`: on code hosts, that is the root of the repository.
    is_absolute: bool,
}

impl Named<'_> {
    fn is_by_lines(&self) -> bool {
        !matches!(self.selector, Ok(Selector::Region(_) | Selector::Symbol(_)))
    }
}

/// Returns the links of a document that name lines of a file, or what may be a region or symbol of one.
pub(super) fn named(document: &Document) -> impl Iterator<Item = Named<'_>> {
    let body = &document.body;
    let links = body.links.iter().filter(|link| !link.image).filter_map(|link| {
        let named = named_by(document, &link.target, &link.span)?;
        Some(Named { title: link_title::title(document, link).map(|(_, title)| title), ..named })
    });
    links.chain(body.html_links.iter().filter_map(|(target, span)| named_by(document, target, span)))
}

fn named_by<'d>(document: &Document, target: &str, span: &'d Span) -> Option<Named<'d>> {
    let (path, fragment) = target.split_once('#')?;
    let (path, fragment) = (url::decode(path.split('?').next().unwrap_or_default()), url::decode(fragment));
    if path.is_empty() || path.contains(['\\', '\0']) || target.starts_with(['@', '#']) || target.starts_with("//") {
        return None;
    }
    if link::scheme(target).is_some() {
        return None;
    }
    let selector = Selector::parse(&fragment);
    let extension = url::file_name(&path).rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_page = PAGES.iter().any(|page| page.eq_ignore_ascii_case(extension));
    let is_lines = fragment.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    match &selector {
        Ok(Selector::Lines(..) | Selector::Cell(..)) => {}
        Ok(Selector::Region(_) | Selector::Symbol(_)) if !is_lines && !is_page => {}
        // Lines that run backwards, or from 0. Other forms, such as `L3C5`, belong to a code host.
        Err(_) if is_lines && line_help(&fragment).is_some() => {}
        _ => return None,
    }
    let is_absolute = path.starts_with('/');
    let folder = if is_absolute { "" } else { url::folder(document.source.path()) };
    let path = url::join(folder, &path).filter(|path| !path.is_empty())?;
    Some(Named { path, selector, fragment, span, title: None, is_absolute })
}

/// The result of [`check`].
#[derive(Default)]
pub(super) struct Checked {
    pub drifts: Vec<LinkDrift>,
    pub diagnostics: Vec<Diagnostic>,
    /// The number of links to lines.
    pub links: usize,
}

/// Checks the links of a document against the files of the repository.
pub(super) fn check(
    document: &Document,
    project: &Project,
    listings: &mut BTreeMap<Arc<str>, Arc<Listing>>,
) -> Checked {
    let source = &document.source;
    let mut checked = Checked::default();
    for named in named(document) {
        let place = source.place(named.span.clone());
        let is_by_lines = named.is_by_lines();
        let file = project.files.get(named.path.as_str());
        match (&named.selector, file) {
            (Err(message), _) => {
                let diagnostic = Diagnostic::new(codes::E0311, place, message.clone());
                checked.diagnostics.push(line_help(&named.fragment).into_iter().fold(diagnostic, Diagnostic::help));
            }
            (Ok(selector), Some(File::Text(file))) => {
                let listing = listings.entry(Arc::clone(file.path())).or_insert_with(|| Arc::new(Listing::new(file).0));
                let title = named.title.as_deref();
                let link = CodeLink { page: source, span: named.span, listing, selector, title };
                let (_, drift) = link.check(&mut checked.diagnostics);
                checked.drifts.extend(drift);
            }
            // A link without lines may lead to a page or a folder, and which of them exist is for another tool to say. So is
            // what `/` means.
            _ if !is_by_lines => continue,
            (_, None) if named.is_absolute => continue,
            (_, Some(_)) => checked.diagnostics.push(unread(&named.path, place)),
            (_, None) if is_hidden(&named.path) => checked.diagnostics.push(unread(&named.path, place)),
            (_, None) => {
                let missing = UnreadableFiles::default().find(project, Scope::Repository, &named.path, place);
                let missing = missing.err().map(|missing| Diagnostic { code: codes::E0404, ..*missing });
                checked.diagnostics.extend(missing);
            }
        }
        checked.links += 1;
    }
    checked
}

/// Returns a hint for a link to lines of a file that exists but is not read.
fn unread(path: &str, place: Place) -> Diagnostic {
    let message = format!("`{path}` is not read, so nothing checks that these lines are the ones that are meant");
    let help = "links are checked if they lead to text files without symbolic links and names that begin with a dot";
    Diagnostic::new(codes::W0307, place, message).hint().help(help)
}
