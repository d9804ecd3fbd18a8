//! Resolves paths in pages to starter files, which are below `code/`.

use super::url;
use infralens_source::project::Project;

/// Why a path is not one of a starter file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathError {
    /// It leads out of `code/`.
    Outside,
    /// It is relative to the starter folder of a lab, and the page has none.
    NoOwnFolder,
}

/// Returns the path of a lab's main starter file: `code/LAB/file`, or `code/file` if `file` contains a slash.
///
/// # Errors
///
/// Fails if the path leads out of `code/`.
pub fn main_file(lab: &str, file: &str) -> Result<String, PathError> {
    let below = if is_own(file) { format!("{lab}/{}", file.trim_start_matches("./")) } else { file.to_string() };
    inside(&below)
}

/// Resolves the path of a `file=` or `code:`. `own` is the main file of the lab, as returned by [`main_file`].
///
/// # Errors
///
/// Fails if the path leads out of `code/`, or is relative to a starter folder that the page does not have.
pub fn named(own: Option<&str>, path: &str) -> Result<String, PathError> {
    if path.is_empty() {
        return own.map(str::to_string).ok_or(PathError::NoOwnFolder);
    }
    match own {
        Some(own) if is_own(path) => {
            let folder = url::folder(own).strip_prefix("code").unwrap_or_default();
            inside(format!("{folder}/{}", path.trim_start_matches("./")).trim_start_matches('/'))
        }
        None if path.starts_with("./") => Err(PathError::NoOwnFolder),
        _ => inside(path),
    }
}

/// Resolves the path of a `file=` in a Markdown file outside any course: relative to the folder of `document`, which is a
/// path from the root of the repository, as is the result.
///
/// # Errors
///
/// Fails if the path is empty or leads out of the repository.
pub fn beside(document: &str, path: &str) -> Result<String, PathError> {
    if path.is_empty() {
        return Err(PathError::NoOwnFolder);
    }
    if path.starts_with('/') || path.contains(['\\', '\0']) {
        return Err(PathError::Outside);
    }
    url::join(url::folder(document), path).filter(|path| !path.is_empty()).ok_or(PathError::Outside)
}

/// Returns the path below `code/` of the file that is meant by one that was written from the root of the course, as in
/// `code/lab-01-x/a.py` or `../../code/lab-01-x/a.py`.
pub fn from_root<'a>(project: &Project, path: &'a str) -> Option<&'a str> {
    let starts = [0].into_iter().chain(path.match_indices('/').map(|(at, _)| at + 1));
    let mut written = starts.map(|start| &path[start..]).filter(|end| project.files.contains_key(*end));
    written.find_map(|end| end.strip_prefix("code/"))
}

/// Returns the paths, from the root of the repository, that are meant if a path in `document` was written from a folder above
/// that of the document, the nearest first. `path` is where it leads from the document.
pub fn from_above<'a>(document: &'a str, path: &'a str) -> impl Iterator<Item = String> + 'a {
    let folder = url::folder(document);
    let typed = path.strip_prefix(folder).and_then(|below| below.strip_prefix('/')).filter(|_| !folder.is_empty());
    let above = folder.rmatch_indices('/').map(|(end, _)| &folder[..end]).chain([""]);
    typed.into_iter().flat_map(move |typed| above.clone().filter_map(move |above| url::join(above, typed)))
}

/// Returns whether a path is relative to the lab's own starter folder.
pub fn is_own(path: &str) -> bool {
    !path.contains('/') || path.starts_with("./")
}

/// Returns `code/` followed by the path `below` it, which must not be absolute or contain `..`.
fn inside(below: &str) -> Result<String, PathError> {
    if below.starts_with('/') || below.contains(['\\', '\0']) || below.split('/').any(|part| part == "..") {
        return Err(PathError::Outside);
    }
    url::join("code", below).ok_or(PathError::Outside)
}

/// The name of the folder, in a starter's folder, that has its records.
pub const RECORDS: &str = "records";

/// Returns whether a path is that of a record: a JSON file in a folder `records` below `code/`. Such a file is not
/// published, and does not count as a file that another record was made from.
pub fn is_record(path: &str) -> bool {
    let mut names = path.rsplit('/');
    path.starts_with("code/")
        && names.next().is_some_and(|name| name.ends_with(".json"))
        && names.next() == Some(RECORDS)
}

/// What the path of a `file=` begins with that shows a record of the page's lab.
pub const RECORD: &str = "record:";

/// Returns the path of the record that an excerpt shows, if the path of the excerpt is `code/FOLDER/record:NAME`. An excerpt of
/// a record has neither a starter page nor a file that is published.
pub fn shown_record(path: &str) -> Option<String> {
    let name = url::file_name(path).strip_prefix(RECORD)?;
    Some(format!("{}/{RECORDS}/{name}.json", url::folder(path)))
}

/// Returns the output path of a starter file's page.
pub fn page_url(path: &str) -> String {
    format!("{path}.html")
}

/// Extensions of files that a browser renders as a page or runs: HTML, all that is read as XML, which may contain HTML, and
/// the formats of plug-ins.
const RENDERED: [&str; 34] = [
    "html", "htm", "xhtml", "xht", "mht", "mhtml", "hta", "htc", "svg", "svgz", "xml", "xsl", "xslt", "xsd", "wsdl",
    "rdf", "owl", "rss", "atom", "mathml", "mml", "kml", "gpx", "smil", "xspf", "dae", "xul", "xbl", "js", "mjs",
    "cjs", "swf", "xap", "jnlp",
];
/// Extensions of files that a web server runs where it is set up to.
const RUN_BY_SERVERS: [&str; 32] = [
    "shtml", "shtm", "stm", "php", "php3", "php4", "php5", "php7", "php8", "phps", "phtml", "pht", "phar", "asp",
    "aspx", "asa", "asax", "ascx", "ashx", "asmx", "cer", "cshtml", "vbhtml", "jsp", "jspx", "jspf", "jhtml", "cgi",
    "fcgi", "cfm", "cfml", "cfc",
];
/// The settings of a web server for a folder. A name that begins with a dot is none of a starter.
const OF_SERVERS: &str = "web.config";

/// Returns the output path of a starter file's raw bytes. Files that a browser or a web server would run or render get
/// `.txt` appended.
pub fn raw_url(path: &str) -> String {
    let name = url::file_name(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if RENDERED.contains(&extension) || RUN_BY_SERVERS.contains(&extension) || name == OF_SERVERS {
        format!("{path}.txt")
    } else {
        path.to_string()
    }
}

/// Returns the output path of a starter folder's page. `folder` is `code` or below it.
pub fn folder_url(folder: &str) -> String {
    format!("{folder}/index.html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_files_and_others() {
        assert_eq!(main_file("lab-01-x", "a.py").as_deref(), Ok("code/lab-01-x/a.py"));
        assert_eq!(main_file("lab-01-x", "shared/a.py").as_deref(), Ok("code/shared/a.py"));
        assert_eq!(main_file("lab-01-x", "./a.py").as_deref(), Ok("code/lab-01-x/a.py"));
        assert_eq!(main_file("lab-01-x", "../a.py"), Err(PathError::Outside));
        let own = Some("code/lab-01-x/a.py");
        assert_eq!(named(own, "").as_deref(), Ok("code/lab-01-x/a.py"));
        assert_eq!(named(own, "b.py").as_deref(), Ok("code/lab-01-x/b.py"));
        assert_eq!(named(own, "./sub/b.py").as_deref(), Ok("code/lab-01-x/sub/b.py"));
        assert_eq!(named(own, "lab-02-y/b.py").as_deref(), Ok("code/lab-02-y/b.py"));
        assert_eq!(named(None, "b.py").as_deref(), Ok("code/b.py"));
        assert_eq!(named(Some("code/a.py"), "./b.py").as_deref(), Ok("code/b.py"));
        assert_eq!(named(own, "/etc/passwd"), Err(PathError::Outside));
        assert_eq!(named(None, ""), Err(PathError::NoOwnFolder));
        assert_eq!(named(own, "x/../../content/site.yaml"), Err(PathError::Outside));
    }

    #[test]
    fn files_beside_a_document() {
        assert_eq!(beside("README.md", "src/a.py").as_deref(), Ok("src/a.py"));
        assert_eq!(beside("docs/guide/a.md", "../../src/a.py").as_deref(), Ok("src/a.py"));
        assert_eq!(beside("docs/a.md", "./a.py").as_deref(), Ok("docs/a.py"));
        assert_eq!(beside("docs/a.md", "../../a.py"), Err(PathError::Outside));
        assert_eq!(beside("docs/a.md", ".."), Err(PathError::Outside));
        assert_eq!(beside("a.md", "/etc/passwd"), Err(PathError::Outside));
        assert_eq!(beside("a.md", ""), Err(PathError::NoOwnFolder));
    }

    #[test]
    fn what_browsers_or_servers_run_is_published_as_text() {
        for plain in [
            "a.py", "a.php.py", "php", "Makefile", "a.cu", "a.ts", "a.sh", "a.html.tera", "a.config", "a.inc",
            "a.json", "a.css",
        ] {
            assert_eq!(raw_url(&format!("code/l/{plain}")), format!("code/l/{plain}"));
        }
        for active in
            ["a.SVG", "a.php", "a.PHP5", "a.phtml", "a.hta", "a.mht", "a.swf", "a.jsp", "a.asp", "a.cgi", "WEB.config"]
        {
            assert_eq!(raw_url(&format!("code/l/{active}")), format!("code/l/{active}.txt"));
        }
    }
}
