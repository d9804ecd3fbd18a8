//! Resolves links: to a page, into code, to a file that is published unchanged, or to another site.

use std::ops::Range;

use super::{ANY_HEADING, Course, PageId, renamed, starter, url};
use infralens_page::{Kind, placement, slug};
use infralens_source::diag::{Code, Near, codes, nearest, similar};
use infralens_source::project::{File, LINKS, Project, REFERENCES, SITE};
use infralens_source::selector::{Selector, line_help};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A URL outside of the course, as written.
    External(String),
    /// A page, or a heading on it.
    Page { page: PageId, heading: Option<String> },
    /// A heading of the linking file itself, which is a README and not a page of the course; empty for its beginning.
    Here(String),
    /// A starter file, or a part of it.
    Code {
        /// The path from the root of the course, `code/…`.
        path: String,
        /// The lines, region or symbol.
        selector: Option<Selector>,
    },
    /// The target cannot be determined because of an error that is already reported: a file or folder could not be read, or a
    /// lab does not name its starter. Nothing further is reported for the link.
    Unknown,
    /// A starter folder, as a path from the root of the course.
    Folder(String),
    /// A generated page, as an output path.
    Generated(&'static str),
    /// A file that is published unchanged.
    File {
        /// The path from the root of the course.
        source: String,
        /// The output path.
        url: String,
        /// The query and fragment, `?…#…`, as written; may be empty.
        rest: String,
    },
}

/// A link that cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkError {
    pub code: Code,
    pub message: String,
    /// The nearest existing name, or other help.
    pub help: Option<String>,
    /// A piece of the target, and what was probably meant by it.
    pub near: Option<Box<(String, Near<'static>)>>,
}

impl LinkError {
    fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: Some(help.into()), near: None }
    }
}

/// The page that contains a link.
#[derive(Debug, Clone, Copy)]
pub struct From<'a> {
    /// The path of its file from the root of the course.
    pub path: &'a str,
    /// The ids and texts of its headings, sorted by id.
    pub headings: &'a [(String, String)],
    /// The ids of its raw HTML, sorted.
    pub html_ids: &'a [String],
    /// The main starter file, if it is a lab.
    pub own: Option<&'a str>,
}

/// The schemes that links may have. Browsers do not run any of them.
const SCHEMES: [&str; 5] = ["http", "https", "mailto", "tel", "ftp"];

/// Resolves the target of a link. Lines, regions and symbols of code are not looked up here.
///
/// # Errors
///
/// Fails if the file, heading or page does not exist, the selector is invalid, or the target is outside of the course.
pub fn resolve(course: &Course, project: &Project, from: From<'_>, target: &str) -> Result<Target, LinkError> {
    if let Some(code) = target.strip_prefix("code:") {
        return code_target(course, project, from, &url::decode(code));
    }
    if let Some(scheme) = scheme(target) {
        return external(target, &scheme);
    }
    let (path, fragment) = target.split_once('#').map_or((target, None), |(path, rest)| (path, Some(rest)));
    let fragment = fragment.map(url::decode).filter(|fragment| !fragment.is_empty());
    let path = url::decode(path.split('?').next().unwrap_or_default());
    if path.is_empty() {
        return here(course, from, fragment);
    }
    if path.contains('\\') {
        return Err(backslash(project, from, &path));
    }
    if path.starts_with('/') {
        let help = "links are relative to the file that contains them";
        let meant = from_root(project, "", path.trim_start_matches('/'));
        let near = meant.as_ref().map(|meant| Box::new(instead(from, target, meant)));
        let help = meant.map_or_else(|| help.to_owned(), |meant| format!("{help}: {}", did_you_mean(from, &meant)));
        return Err(LinkError { near, ..outside(target, &help) });
    }
    match url::join(url::folder(from.path), &path) {
        Some(found) => inside(course, project, from, &found, fragment, target).map_err(|error| match of_site(target) {
            Some(help) => LinkError { help: Some(help), ..error },
            None => error,
        }),
        None => Err(outside(target, "it leads above the course's folder")),
    }
}

/// Returns the scheme of a target in lower case, if it has one.
pub fn scheme(target: &str) -> Option<String> {
    let (scheme, _) = target.split_once(':')?;
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    valid.then(|| scheme.to_ascii_lowercase())
}

fn external(target: &str, scheme: &str) -> Result<Target, LinkError> {
    if matches!(scheme, "http" | "https") && !has_host(target, scheme) {
        let help = format!("write `{scheme}://` followed by a host, as in `{scheme}://example.org/`");
        return Err(LinkError::new(codes::E0406, format!("`{target}` has no host"), help));
    }
    if SCHEMES.contains(&scheme) {
        return Ok(Target::External(target.to_string()));
    }
    let known = SCHEMES.map(|scheme| format!("`{scheme}:`")).join(", ");
    Err(outside(target, &format!("links cannot have the scheme `{scheme}:`; use {known}")))
}

/// Returns whether `//` and a host follow the scheme of a web address.
fn has_host(target: &str, scheme: &str) -> bool {
    let Some(rest) = target[scheme.len() + 1..].strip_prefix("//") else { return false };
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    !host.is_empty() && !host.starts_with(':')
}

/// Returns the error for a path that is written with backslashes, as on Windows.
fn backslash(project: &Project, from: From<'_>, path: &str) -> LinkError {
    let meant = url::join(url::folder(from.path), &path.replace('\\', "/"));
    let meant = meant.filter(|meant| project.files.contains_key(meant.as_str()));
    let near = meant.as_ref().map(|meant| Box::new(instead(from, path, meant)));
    let help = meant.map_or_else(|| "write it with `/`".to_owned(), |meant| did_you_mean(from, &meant));
    let message = format!("`{path}` is not a path: it has a backslash");
    LinkError { near, ..LinkError::new(codes::E0404, message, help) }
}

/// Returns what to write if a path that leads nowhere was meant as the address of a site: `www.example.org`,
/// `github.com/x`.
fn of_site(target: &str) -> Option<String> {
    const ENDS: [&str; 10] = ["com", "org", "net", "io", "dev", "ai", "edu", "gov", "app", "co"];
    let host = target.split(['/', '?', '#']).next()?;
    let (name, end) = host.rsplit_once('.')?;
    let is_host = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'));
    let is_site = is_host && !name.is_empty() && (host.starts_with("www.") || ENDS.contains(&end));
    is_site.then(|| format!("for another site, write its whole address: `https://{target}`"))
}

fn outside(target: &str, help: &str) -> LinkError {
    LinkError::new(codes::E0406, format!("`{target}` leads out of the course"), help)
}

fn code_target(course: &Course, project: &Project, from: From<'_>, target: &str) -> Result<Target, LinkError> {
    let (path, selector) = target.split_once('#').map_or((target, None), |(path, rest)| (path, Some(rest)));
    // If the front matter is invalid, that is reported, and the link may well be right.
    let is_lab = || course.page_of(from.path).is_some_and(|page| course.pages[page].kind == Kind::Lab);
    if from.own.is_none() && starter::is_own(path) && is_lab() {
        return Ok(Target::Unknown);
    }
    let path = starter::named(from.own, path).map_err(|error| match error {
        starter::PathError::Outside => match starter::from_root(project, path) {
            Some(below) => LinkError {
                near: Some(Box::new((path.to_owned(), Near::unsure(below.to_owned())))),
                ..outside(target, &format!("`code:` names files below `code/`: did you mean `{below}`?"))
            },
            None => outside(target, "`code:` names files below `code/`"),
        },
        starter::PathError::NoOwnFolder => {
            let help = "write the path below `code/`, as in `code:lab-01-x/ledger.py`";
            LinkError::new(codes::E0314, "only a lab has a starter folder of its own", help)
        }
    })?;
    Ok(Target::Code { path, selector: selector.map(parse_selector).transpose()? })
}

fn parse_selector(text: &str) -> Result<Selector, LinkError> {
    let help = || "a link into code ends in `#region`, `#L3-L5` or `#fn:name`".to_owned();
    Selector::parse(text).map_err(|message| LinkError::new(codes::E0311, message, line_help(text).unwrap_or_else(help)))
}

/// Resolves a link without a path, which leads to the page itself.
fn here(course: &Course, from: From<'_>, fragment: Option<String>) -> Result<Target, LinkError> {
    let page = course.page_of(from.path);
    match (fragment, page) {
        (Some(id), _) => {
            let title = page.map_or("", |page| course.pages[page].title());
            check_anchor(from.headings, course.html_ids(from.html_ids), &id, "this page")
                .map_err(|error| of_html(error, from.html_ids, &id))
                .map_err(|error| untitled(error, &id, title, from, from.path))?;
            Ok(page.map_or(Target::Here(id.clone()), |page| Target::Page { page, heading: Some(id) }))
        }
        (None, Some(page)) => Ok(Target::Page { page, heading: None }),
        (None, None) => Ok(Target::Here(String::new())),
    }
}

fn check_anchor(headings: &[(String, String)], ids: &[String], id: &str, page: &str) -> Result<(), LinkError> {
    let has = |id: &str| headings.binary_search_by(|(known, _)| known.as_str().cmp(id)).is_ok();
    if has(id) || has(ANY_HEADING) || ids.binary_search_by(|known| known.as_str().cmp(id)).is_ok() {
        return Ok(());
    }
    let near = similar(id, headings.iter().map(|(known, _)| known.as_str()).chain(ids.iter().map(String::as_str)));
    let help = match &near {
        Some(near) => format!("did you mean `#{}`?", near.name),
        None => lines_of_code(id).unwrap_or_else(|| known_headings(headings, page)),
    };
    let near = near.map(|near| Box::new((format!("#{id}"), near.written(|near| format!("#{near}")))));
    Err(LinkError { near, ..LinkError::new(codes::E0405, format!("{page} has no heading `#{id}`"), help) })
}

/// Lists the first ids of a page.
fn known_headings(headings: &[(String, String)], page: &str) -> String {
    const LISTED: usize = 5;
    let ids: Vec<String> = headings.iter().take(LISTED).map(|(id, _)| format!("`#{id}`")).collect();
    match ids.as_slice() {
        [] => format!("{page} has no headings: link to the page itself"),
        _ => format!("it has {}{}", ids.join(", "), if headings.len() > LISTED { ", …" } else { "" }),
    }
}

/// Replaces the help of an error if raw HTML has the id, which it loses where HTML is not trusted.
fn of_html(error: LinkError, ids: &[String], id: &str) -> LinkError {
    if ids.binary_search_by(|known| known.as_str().cmp(id)).is_err() {
        return error;
    }
    let help = format!("HTML loses its ids: write `{{#{id}}}` at the end of a heading, or set `raw_html: trusted`");
    LinkError { help: Some(help), near: None, ..error }
}

/// Replaces the help of an error if `id` is the one that the title of the page would have.
fn untitled(error: LinkError, id: &str, title: &str, from: From<'_>, path: &str) -> LinkError {
    if title.is_empty() || slug(id) != slug(title) {
        return error;
    }
    let link = url::relative(from.path, path);
    let help = Some(format!("this is the page's title, which has no id: write `{link}`, which leads to its beginning"));
    LinkError { help, near: None, ..error }
}

/// Returns a help text if the id of a missing heading looks like lines of code.
fn lines_of_code(id: &str) -> Option<String> {
    let is_number = || id.bytes().all(|byte| byte.is_ascii_digit());
    let is_lines = matches!(Selector::parse(id), Ok(Selector::Lines(..))) || line_help(id).is_some() && !is_number();
    is_lines.then(|| "a link to code names a file: `code:#L24-L31`, or `code:PATH#L24-L31`".into())
}

/// Resolves a link to the path `path` from the root of the course.
fn inside(
    course: &Course,
    project: &Project,
    from: From<'_>,
    path: &str,
    fragment: Option<String>,
    target: &str,
) -> Result<Target, LinkError> {
    let is_folder = target.split(['#', '?']).next().is_some_and(|path| path.ends_with('/'));
    if let Some(page) = course.page_of(path) {
        if let Some(id) = fragment.as_deref().filter(|_| course.pages[page].is_whole()) {
            let summary = course.pages[page].summary.as_ref();
            let (headings, ids) = summary.map_or((&[][..], &[][..]), |found| (&found.headings, &found.html_ids));
            check_anchor(headings, course.html_ids(ids), id, &format!("`{path}`"))
                .map_err(|error| of_html(error, ids, id))
                .map_err(|error| untitled(error, id, course.pages[page].title(), from, path))?;
        }
        return Ok(Target::Page { page, heading: fragment });
    }
    if path == REFERENCES && project.files.contains_key(path) {
        return Ok(Target::Generated("references.html"));
    }
    let exists = matches!(project.files.get(path), Some(File::Text(_) | File::Binary(_)));
    let is_unread = !exists && project.is_unread(path);
    if url::is_within(path, "code") && project.below(path).any(|(file, _)| !starter::is_record(file)) {
        return Ok(Target::Folder(path.to_string()));
    }
    if path.starts_with("code/") && (exists && !is_folder || is_unread) {
        let selector = fragment.as_deref().map(parse_selector).transpose()?;
        return Ok(Target::Code { path: path.to_string(), selector });
    }
    match published_at(path) {
        Some(url) if exists => {
            let rest = target.find(['?', '#']).map_or("", |at| &target[at..]);
            Ok(Target::File { source: path.to_string(), url: url.to_string(), rest: rest.to_string() })
        }
        _ if is_unread => Ok(Target::Unknown),
        Some(_) if is_misplaced(project, path) => Ok(Target::Unknown),
        Some(_) => Err(missing(course, project, from, path, target)),
        None if path.starts_with("code/") => Err(missing(course, project, from, path, target)),
        None if path.is_empty() || path == "content" => {
            let help = did_you_mean(from, "content/index.md");
            let near = Some(Box::new(instead(from, target, "content/index.md")));
            Err(LinkError { near, ..LinkError::new(codes::E0404, format!("`{target}` is a folder"), help) })
        }
        None if matches!(path, SITE | LINKS) => {
            let what = if path == SITE { "the settings of the course" } else { "what other sites answered" };
            let help = format!("it has {what}; link to a page");
            Err(LinkError::new(codes::E0406, format!("`{target}` is not published"), help))
        }
        None => Err(outside(target, "only files under `content/`, `code/` and `static/` are published")),
    }
}

/// Returns the output path of a file that is published unchanged.
fn published_at(path: &str) -> Option<&str> {
    let is_setting = matches!(path, SITE | REFERENCES | LINKS);
    let below = path.strip_prefix("content/").or_else(|| path.strip_prefix("static/"))?;
    (!is_setting).then_some(below)
}

/// Whether a page was probably meant to be at a path, and has no place in the course because of its name or its folder's. That
/// is reported for the page.
fn is_misplaced(project: &Project, path: &str) -> bool {
    let is_it = |other: &str| placement::meant(other).is_some_and(|meant| meant == path);
    path.ends_with(".md") && project.below("content").any(|(other, _)| is_it(other))
}

/// Returns the error for a path that does not exist or is a folder.
fn missing(course: &Course, project: &Project, from: From<'_>, path: &str, target: &str) -> LinkError {
    let exists = |path: &String| project.files.contains_key(path.as_str());
    if project.has_folder(path) {
        let index = Some(format!("{path}/index.md")).filter(exists);
        let near = index.as_ref().map(|index| Box::new(instead(from, target, index)));
        let help = index.map_or_else(|| "link to one of its files".to_owned(), |index| did_you_mean(from, &index));
        return LinkError { near, ..LinkError::new(codes::E0404, format!("`{path}` is a folder"), help) };
    }
    let source = path.strip_suffix(".html").map(|stem| format!("{stem}.md")).filter(exists);
    let (help, meant) = match (source, renamed::page(course, project, path)) {
        (Some(source), _) => {
            let help = format!("link to the Markdown file of the page, `{}`", url::relative(from.path, &source));
            (help, Some(Near { name: source.into(), is_sure: true }))
        }
        (None, Some((page, advice))) => {
            (format!("{} Or {advice}", did_you_mean(from, page)), Some(Near::unsure(page.to_owned())))
        }
        (None, None) => match near(project, from, path) {
            Some(near) => (did_you_mean(from, &near.name), Some(near)),
            None => (how_to_link(from, path), None),
        },
    };
    let as_written = target.split(['#', '?']).next().unwrap_or_default().to_owned();
    let encoded = |path: &str| url::encode(&url::relative(from.path, path));
    let near = meant.map(|near| Box::new((as_written, near.written(encoded))));
    LinkError { near, ..LinkError::new(codes::E0404, format!("`{path}` does not exist"), help) }
}

/// Says what the path of a file of the course is like.
fn how_to_link(from: From<'_>, path: &str) -> String {
    match url::file_name(path).strip_suffix(".html") {
        Some(stem) => format!("pages are linked by their Markdown files, and there is no `{stem}.md` here"),
        None => format!("paths here begin in `{}/`", url::folder(from.path)),
    }
}

/// Returns the path in a target, and that of the file that is meant.
fn instead(from: From<'_>, target: &str, path: &str) -> (String, Near<'static>) {
    let written = target.split(['#', '?']).next().unwrap_or_default().to_owned();
    (written, Near::unsure(url::relative_encoded(from.path, path)))
}

fn did_you_mean(from: From<'_>, path: &str) -> String {
    format!("did you mean `{}`?", url::relative(from.path, path))
}

/// Returns the file that is meant if a path in a file of `folder` was written from the root of the course or of `content/`.
/// `path` is where it leads from that folder.
fn from_root(project: &Project, folder: &str, path: &str) -> Option<String> {
    let exists = |known: &String| project.files.contains_key(known.as_str());
    let ends = || [0].into_iter().chain(path.match_indices('/').map(|(at, _)| at + 1)).map(|start| &path[start..]);
    let is_in_course = |end: &&str| ["content/", "code/", "static/"].iter().any(|top| end.starts_with(top));
    let typed = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
    let page = typed.strip_suffix(".html").map(|stem| format!("content/{stem}.md"));
    let in_content = [Some(format!("content/{typed}")), page].into_iter().flatten().find(exists);
    let in_course = ends().skip(usize::from(!folder.is_empty())).filter(is_in_course).map(str::to_owned).find(exists);
    in_course.or(in_content)
}

/// Guesses which file is meant by one that does not exist: the path was written from the root, or there is a similar name in
/// the same folder, the same name in another folder, or a similar path.
fn near(project: &Project, from: From<'_>, path: &str) -> Option<Near<'static>> {
    let is_offered = |known: &&str| {
        let is_published = ["content/", "code/", "static/"].iter().any(|folder| known.starts_with(folder));
        is_published && !starter::is_record(known) && ![from.path, path, SITE].contains(known)
    };
    let known = || project.files.keys().map(AsRef::as_ref).filter(is_offered);
    let same_folder = known().filter(|known| url::folder(known) == url::folder(path));
    let same_name = || known().filter(|known| url::file_name(known) == url::file_name(path));
    if let Some(meant) = from_root(project, url::folder(from.path), path).filter(|meant| is_offered(&meant.as_str())) {
        return Some(Near { name: meant.into(), is_sure: true });
    }
    let in_folder = similar(url::file_name(path), same_folder.map(url::file_name))
        .map(|near| near.written(|name| url::join(url::folder(path), name).unwrap_or_default()));
    let elsewhere = || {
        let is_only = same_name().count() == 1;
        let found = same_name().min_by_key(|known| url::relative(from.path, known).len())?;
        Some(Near { name: found.to_owned().into(), is_sure: is_only })
    };
    in_folder.or_else(elsewhere).or_else(|| {
        // In a long path, the name may differ by all of its letters.
        let name = url::file_name(path);
        let is_similar =
            |near: &&str| name.starts_with(url::file_name(near)) || nearest(name, [url::file_name(near)]).is_some();
        nearest(path, known()).filter(is_similar).map(|near| Near::unsure(near.to_owned()))
    })
}

/// Returns the id, `L3` or `L3-L9`, of a range of lines (from 0) on the page of its starter file.
pub fn line_anchor(lines: &Range<usize>) -> String {
    let (first, last) = (lines.start + 1, lines.end.max(lines.start + 1));
    if first == last { format!("L{first}") } else { format!("L{first}-L{last}") }
}
