//! Names of files that mislead: Markdown under another extension, nearly the name of a file that the program reads, and
//! names that some systems cannot have, or cannot tell apart.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use infralens_source::diag::{self, Diagnostic, Fix, Place, codes};
use infralens_source::project::{GLOSSARY, Project, REFERENCES, SITE};
use infralens_source::url;

/// Extensions, besides `.md`, that other tools give Markdown files. Also `.MD` is one.
const MARKDOWN: [&str; 7] = ["md", "markdown", "mdx", "mdown", "mkd", "mkdn", "mdwn"];

/// Extensions of YAML files.
const YAML: [&str; 2] = ["yaml", "yml"];

/// Reports Markdown files in `content/` that are not pages because of their extension.
pub fn misnamed(project: &Project) -> impl Iterator<Item = Diagnostic> {
    project.below("content").filter_map(|(path, _)| {
        let name = url::file_name(path);
        let (stem, extension) = name.rsplit_once('.')?;
        let is_markdown = MARKDOWN.iter().any(|known| known.eq_ignore_ascii_case(extension));
        (is_markdown && extension != "md").then(|| {
            let message = format!("`{path}` is Markdown, but only files that end in `.md` are pages");
            let taken = project.files.contains_key(format!("{}/{stem}.md", url::folder(path)).as_str());
            let help = if taken {
                format!("`{stem}.md` exists, too: remove one of them, or publish this one as `{stem}.txt`")
            } else {
                format!("rename it to `{stem}.md`")
            };
            let fix = (!taken).then(|| Fix::rename(path, format!("{}/{stem}.md", url::folder(path))));
            Diagnostic::new(codes::E0014, Place::file(path.clone()), message).help(help).fix(fix)
        })
    })
}

/// Reports files that have nearly the name of one that is read and is not there. A page that is nearly the glossary is a page
/// all the same.
pub fn nearly_named(project: &Project) -> impl Iterator<Item = Diagnostic> {
    [SITE, REFERENCES, GLOSSARY].into_iter().filter_map(|wanted| {
        let path = nearly(project, wanted)?;
        let message = format!("`{path}` is not read as `{wanted}`");
        let help = format!("rename it to `{}`", url::file_name(wanted));
        let found = Diagnostic::new(codes::E0014, Place::file(path.clone()), message).help(help);
        let found = found.fix(Fix::rename(path, wanted));
        // In another letter case it is the glossary on some systems, and a page like any other on the rest.
        Some(if wanted == GLOSSARY && !path.eq_ignore_ascii_case(wanted) { found.hint() } else { found })
    })
}

/// Reports templates and additional styles in `content/`, where they are published as they are.
pub fn misplaced(project: &Project) -> impl Iterator<Item = Diagnostic> {
    let first = |folder: &str, is_meant: fn(&str) -> bool| {
        project.below(folder).map(|(path, _)| path).find(|path| is_meant(path))
    };
    let templates = first("content/templates", |path| path.ends_with(".html"));
    let custom = first("content/static", |path| path.ends_with("/custom.css") || path.ends_with("/custom.js"));
    templates.into_iter().chain(custom).map(|path| {
        let folder = url::folder(path.trim_start_matches("content/")).split('/').next().unwrap_or_default();
        let message = format!("`content/{folder}/` is not read as `{folder}/`, so its files are published as they are");
        let help = format!("move it out of `content/`, next to it: `{folder}/`");
        Diagnostic::new(codes::E0014, Place::file(path.clone()), message).help(help).hint()
    })
}

/// Returns the file that has nearly the name of a file of the course which is not there.
pub fn nearly<'p>(project: &'p Project, wanted: &str) -> Option<&'p Arc<str>> {
    if project.files.contains_key(wanted) {
        return None;
    }
    let (stem, extension) = url::file_name(wanted).rsplit_once('.')?;
    let is_near = |path: &str| {
        let (other, end) = url::file_name(path).rsplit_once('.').unwrap_or_default();
        let is_kind =
            end == extension || extension == "yaml" && YAML.iter().any(|known| known.eq_ignore_ascii_case(end));
        is_kind && url::folder(path) == url::folder(wanted) && diag::nearest(other, [stem]).is_some()
    };
    project.below(url::folder(wanted)).map(|(path, _)| path).find(|path| is_near(path))
}

/// Names that Windows keeps for devices, with any extension.
const DEVICES: [&str; 4] = ["aux", "con", "nul", "prn"];

/// Reports files and folders whose names Windows does not allow.
pub fn forbidden(project: &Project) -> Vec<Diagnostic> {
    let ends = |path: &str| path.match_indices('/').map(|(end, _)| end).chain([path.len()]).collect::<Vec<_>>();
    let paths: BTreeSet<&str> =
        project.files.keys().flat_map(|path| ends(path).into_iter().map(|end| &path[..end])).collect();
    let reported = paths.into_iter().filter_map(|path| {
        let why = why_forbidden(url::file_name(path))?;
        let message = format!("`{path}` cannot exist on Windows: {why}");
        let help = "rename it; a clone of the course on Windows lacks it, or fails";
        Some(Diagnostic::new(codes::W0003, Place::file(path), message).help(help))
    });
    reported.collect()
}

fn why_forbidden(name: &str) -> Option<String> {
    if let Some(found) = name.chars().find(|&found| found < ' ' || r#"<>:"\|?*"#.contains(found)) {
        let shown = if found < ' ' { format!("U+{:04X}", u32::from(found)) } else { format!("`{found}`") };
        return Some(format!("no name may contain {shown}"));
    }
    if name.ends_with(['.', ' ']) {
        return Some("no name may end with a dot or a space".to_owned());
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_port = port.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']));
    (is_port || DEVICES.contains(&&*stem)).then(|| format!("`{stem}` is the name of a device there"))
}

/// Reports files and folders with names that differ only in letter case, or in how letters with accents are composed, unless
/// one of `conflicts`, the errors of the outputs, says so.
pub fn alike(project: &Project, conflicts: &[Diagnostic]) -> Vec<Diagnostic> {
    let (mut diagnostics, reported) = (Vec::new(), Reported::new(conflicts));
    let mut known: BTreeMap<(&str, String), &str> = BTreeMap::new();
    let mut previous: &str = "";
    for path in project.files.keys() {
        let shared = path.bytes().zip(previous.bytes()).take_while(|(one, other)| one == other).count();
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        // The folders of the previous file have been looked at.
        for path in ends.filter(|end| *end >= shared).map(|end| &path[..end]) {
            let key = (url::folder(path), folded(url::file_name(path)));
            match known.get(&key) {
                Some(first) if *first != path && !reported.has(first, path) => {
                    diagnostics.push(conflict(first, path));
                }
                Some(_) => {}
                None => {
                    known.insert(key, path);
                }
            }
        }
        previous = path;
    }
    diagnostics
}

fn folded(name: &str) -> String {
    if name.is_ascii() { name.to_ascii_lowercase() } else { name.nfc().collect::<String>().to_lowercase() }
}

fn conflict(first: &str, second: &str) -> Diagnostic {
    let is_composed_alike = first.nfc().eq(second.nfc());
    let (code, message, help) = if is_composed_alike {
        let message = format!("`{second}` looks like another name: letters with accents are composed differently");
        (
            codes::W0001,
            message,
            "rename one of them; some systems cannot have both, and links may lead to the wrong one",
        )
    } else {
        let message = format!("`{first}` and `{second}` differ only in letter case");
        (codes::W0002, message, "rename one of them; on many systems they are one file, and one of them gets lost")
    };
    let diagnostic = Diagnostic::new(code, Place::file(second), message);
    diagnostic.related(Place::file(first), "the other one").help(help)
}

/// The sources of outputs that differ only in case, which errors report: each with the others.
struct Reported<'d>(BTreeMap<&'d str, Vec<&'d str>>);

impl<'d> Reported<'d> {
    fn new(conflicts: &'d [Diagnostic]) -> Self {
        let mut reported: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for conflict in conflicts.iter().filter(|conflict| conflict.code == codes::E0008) {
            for (other, _) in &conflict.related {
                reported.entry(&conflict.place.file).or_default().push(&other.file);
                reported.entry(&other.file).or_default().push(&conflict.place.file);
            }
        }
        Self(reported)
    }

    /// Whether two files are reported, or a file in one folder and a file in the other.
    fn has(&self, first: &str, second: &str) -> bool {
        let (of_first, within) = (format!("{first}/"), format!("{second}/"));
        let below = self.0.range(within.as_str()..).take_while(|(file, _)| file.starts_with(&within));
        let mut others = self.0.get(second).into_iter().chain(below.map(|(_, others)| others)).flatten();
        others.any(|other| *other == first || other.starts_with(&of_first))
    }
}
