//! Derives the kind, track, number and URL of a page from the path of its file; no front matter field changes them.

use std::sync::Arc;

use infralens_source::diag::nearest;
use infralens_source::source::is_name_char;
use infralens_source::url;

/// The kinds of page that come from a Markdown file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `content/index.md`
    Home,
    /// Any other page.
    Page,
    /// `content/glossary.md`
    Glossary,
    /// `tracks/T/index.md`
    Track,
    /// `tracks/T/handbook/NN-slug.md`
    Section,
    /// `tracks/T/labs/index.md`
    Labs,
    /// `tracks/T/labs/lab-NN-slug.md`
    Lab,
    /// `tracks/T/practice.md`
    Practice,
    /// `code/**/README.md`, shown on its folder's page.
    Readme,
    /// A Markdown file outside any course, of which only the excerpts are read.
    Outside,
}

/// A page's place in the course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    pub kind: Kind,
    /// The track whose folder contains it.
    pub track: Option<Arc<str>>,
    /// The number of a section or lab.
    pub number: Option<Number>,
    /// The slug of a section, the whole name of a lab, the file stem of any other page.
    pub name: Arc<str>,
    /// The output path, relative to the root of the site.
    pub url: Arc<str>,
}

/// The number of a section or lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// The value, by which pages are sorted.
    pub value: u64,
    /// The digits as in the file name, with leading zeros.
    pub text: Arc<str>,
}

/// Why a file has no place in a course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoPlace {
    /// The path of the file, or of the folder whose name is the cause; then all files in it have the same error.
    pub at: String,
    pub message: String,
    pub help: String,
}

/// Returns the placement of the Markdown file `path`, which is relative to the root of the course.
///
/// # Errors
///
/// Returns what is wrong if the file has a name that a course cannot contain.
pub fn place(path: &str) -> Result<Placement, NoPlace> {
    let no_place = |(message, help)| NoPlace { at: path.to_owned(), message, help };
    let stem = path.strip_prefix("content/").and_then(|rest| rest.strip_suffix(".md")).unwrap_or(path);
    let segments: Vec<&str> = stem.split('/').collect();
    if let Some(bad) = segments.iter().find(|segment| !is_name(segment)) {
        let help = "names are letters and digits of any script, `-` and `_`".into();
        return Err(no_place((format!("`{bad}` cannot be part of a page's URL"), help)));
    }
    if let Some((at, meant)) = misnamed_folder(&segments) {
        let message = format!("`content/{at}/` is not read as `content/{meant}/`");
        let help = if at.rsplit_once('/').unzip().0 == meant.rsplit_once('/').unzip().0 {
            format!("rename the folder to `{}`", url::file_name(&meant))
        } else {
            format!("move it to `content/{meant}/`, or give its pages other names")
        };
        return Err(NoPlace { at: format!("content/{at}"), message, help });
    }
    let name = segments.last().copied().unwrap_or_default();
    let url = format!("{stem}.html");
    Ok(match segments.as_slice() {
        ["index"] => page(Kind::Home, None, name, url),
        ["glossary"] => page(Kind::Glossary, None, name, url),
        ["tracks", track, "index"] => page(Kind::Track, Some(track), track, url),
        ["tracks", track, "practice"] => page(Kind::Practice, Some(track), name, url),
        ["tracks", track, "labs", "index"] => page(Kind::Labs, Some(track), name, url),
        ["labs" | "handbook", name] if name.strip_prefix("lab-").or(Some(name)).and_then(numbered).is_some() => {
            return Err(no_place((
                format!("`{stem}.md` is named as a page of a track, and is in no track"),
                format!("move it to `content/tracks/TRACK/{stem}.md`, or give it another name"),
            )));
        }
        ["tracks", track, name] if is_lab(name) => {
            return Err(no_place((
                format!("`{name}.md` is named as a lab, and is not in `labs/`"),
                format!("move it to `content/tracks/{track}/labs/`, or give it another name"),
            )));
        }
        ["tracks", track, "handbook", rest @ ..] => section(track, &rest.join("/")).map_err(no_place)?,
        ["tracks", track, "labs", rest @ ..] => lab(track, &rest.join("/"), url).map_err(no_place)?,
        ["tracks", track, _, ..] => page(Kind::Page, Some(track), name, url),
        _ => page(Kind::Page, None, name, url),
    })
}

/// Returns the placement of the README of a starter folder. `folder` is the path below `code/`, empty for `code/` itself.
pub fn readme(folder: &str) -> Placement {
    let url = if folder.is_empty() { "code/index.html".into() } else { format!("code/{folder}/index.html") };
    page(Kind::Readme, None, folder, url)
}

/// Returns the placement of a Markdown file outside any course, at a path from the root of its repository.
pub fn outside(path: &str) -> Placement {
    page(Kind::Outside, None, path, path.to_owned())
}

/// Returns a placement without a number.
fn page(kind: Kind, track: Option<&str>, name: &str, url: String) -> Placement {
    Placement { kind, track: track.map(Arc::from), number: None, name: Arc::from(name), url: Arc::from(url) }
}

/// Returns where a page without a place was probably meant to be: in a folder of another name, or with its number in another
/// form. Nothing is reported about links to that path, because the cause is.
pub fn meant(path: &str) -> Option<String> {
    let stem = path.strip_prefix("content/")?.strip_suffix(".md")?;
    let segments: Vec<&str> = stem.split('/').collect();
    if let Some((at, meant)) = misnamed_folder(&segments) {
        return Some(format!("content/{meant}{}.md", &stem[at.len()..]));
    }
    match segments.as_slice() {
        ["tracks", track, "handbook", name] if numbered(name).is_none() => {
            Some(format!("content/tracks/{track}/handbook/{}.md", renamed(name)?))
        }
        ["tracks", track, "labs", name] if !is_lab(name) && *name != "index" => {
            Some(format!("content/tracks/{track}/labs/lab-{}.md", renamed(name)?))
        }
        _ => None,
    }
}

/// Returns the folder whose name keeps a page from being read as that of a track, and the folder that is meant; both below
/// `content/`.
fn misnamed_folder(segments: &[&str]) -> Option<(String, String)> {
    let is_named = |folder: &str, name: &str| if folder == "labs" { is_lab(name) } else { numbered(name).is_some() };
    match *segments {
        ["tracks", track, folder, name, ..] => {
            let meant = nearly(folder, name)?;
            Some((format!("tracks/{track}/{folder}"), format!("tracks/{track}/{meant}")))
        }
        [top, _, folder @ ("labs" | "handbook"), name] if is_named(folder, name) && is_near(top, "tracks") => {
            Some((top.to_owned(), "tracks".to_owned()))
        }
        [track, folder @ ("labs" | "handbook"), name] if track != "tracks" && is_named(folder, name) => {
            Some((track.to_owned(), format!("tracks/{track}")))
        }
        _ => None,
    }
}

/// Returns the folder of a track that is meant by another one which contains a page: it has nearly that name, or labs.
fn nearly(folder: &str, page: &str) -> Option<&'static str> {
    let without_end = |name: &str| name.trim_end_matches('s').to_lowercase();
    let is_meant = |meant: &&str| without_end(folder) == without_end(meant);
    match folder {
        "labs" | "handbook" => None,
        _ if is_lab(page) || is_meant(&"labs") => Some("labs"),
        // Other names are as near to `labs`, such as `tabs`.
        _ => is_near(folder, "handbook").then_some("handbook"),
    }
}

fn is_near(name: &str, known: &str) -> bool {
    name != known && nearest(name, [known]).is_some()
}

/// Whether a page is named as a lab, `lab-NN-slug`.
fn is_lab(name: &str) -> bool {
    name.strip_prefix("lab-").and_then(numbered).is_some()
}

fn section(track: &str, name: &str) -> Result<Placement, (String, String)> {
    let (number, slug) = numbered(name).ok_or_else(|| {
        let help = "sections are named `NN-slug.md`: a number of two digits or more, then the slug of the URL";
        let rename = match renamed(name) {
            Some(lab) if name.starts_with("lab-") => format!("; if it is a lab, move it to `labs/lab-{lab}.md`"),
            section => section.map_or_else(String::new, |section| format!("; rename it to `{section}.md`")),
        };
        (format!("`handbook/{name}.md` is not a section"), format!("{help}{rename}"))
    })?;
    let url = format!("tracks/{track}/handbook/{slug}.html");
    Ok(Placement { number: Some(number), ..page(Kind::Section, Some(track), slug, url) })
}

fn lab(track: &str, name: &str, url: String) -> Result<Placement, (String, String)> {
    let (number, _) = name.strip_prefix("lab-").and_then(numbered).ok_or_else(|| {
        let help = "labs are named `lab-NN-slug.md`: a number of two digits or more, then a slug";
        let rename = renamed(name).map_or_else(String::new, |lab| format!("; rename it to `lab-{lab}.md`"));
        (format!("`labs/{name}.md` is not a lab"), format!("{help}{rename}"))
    })?;
    Ok(Placement { number: Some(number), ..page(Kind::Lab, Some(track), name, url) })
}

/// Splits `NN-slug` into the number and the slug. Returns `None` if the number has fewer than two digits or the slug is
/// empty or contains a `/`.
fn numbered(name: &str) -> Option<(Number, &str)> {
    let (digits, slug) = name.split_once('-')?;
    let is_valid = digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = digits.parse().ok().filter(|_| is_valid && !slug.is_empty() && !slug.contains('/'))?;
    Some((Number { value, text: Arc::from(digits) }, slug))
}

/// Returns `NN-slug` for a name that has a number and a slug in another form: `3-x`, `lab3-x`, `Lab_03_x`.
fn renamed(name: &str) -> Option<String> {
    let is_lab = name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("lab"));
    let rest = name[if is_lab { 3 } else { 0 }..].trim_start_matches(['-', '_']);
    let (digits, slug) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
    let slug = slug.trim_start_matches(['-', '_']);
    (!digits.is_empty() && is_name(slug)).then(|| format!("{digits:0>2}-{slug}"))
}

/// Returns whether a file or folder may have this name: letters and digits of any script, `-` and `_`.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_name_char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_urls_follow_from_the_path() {
        let of = |path: &str| place(path).map(|p| (p.kind, p.url.to_string(), p.name.to_string()));
        let ok = |kind, url: &str, name: &str| Ok((kind, url.to_string(), name.to_string()));
        assert_eq!(of("content/index.md"), ok(Kind::Home, "index.html", "index"));
        assert_eq!(of("content/x/y.md"), ok(Kind::Page, "x/y.html", "y"));
        assert_eq!(of("content/tracks/t/index.md"), ok(Kind::Track, "tracks/t/index.html", "t"));
        let section = of("content/tracks/t/handbook/08-zéro.md");
        assert_eq!(section, ok(Kind::Section, "tracks/t/handbook/zéro.html", "zéro"));
        let lab = of("content/tracks/t/labs/lab-10-x.md");
        assert_eq!(lab, ok(Kind::Lab, "tracks/t/labs/lab-10-x.html", "lab-10-x"));
    }

    #[test]
    fn names_that_are_rejected() {
        for path in [
            "content/tracks/t/handbook/8-zero.md",
            "content/tracks/t/handbook/zero.md",
            "content/tracks/t/labs/notes.md",
            "content/tracks/t/labs/lab-1-x.md",
            "content/tracks/t/labs/lab-01-.md",
            "content/tracks/t/handbook/01-a/b.md",
            "content/a b.md",
        ] {
            assert!(place(path).is_err(), "{path}");
        }
    }

    #[test]
    fn a_folder_with_another_name_is_one_mistake() {
        let wrong = |path: &str| place(path).err().map(|found| found.at);
        for (at, path) in [
            ("content/tracks/t/handbok", "content/tracks/t/handbok/01-a.md"),
            ("content/tracks/t/Handbook", "content/tracks/t/Handbook/notes.md"),
            ("content/tracks/t/lab", "content/tracks/t/lab/index.md"),
            ("content/tracks/t/lbas", "content/tracks/t/lbas/lab-01-x.md"),
            ("content/trakcs", "content/trakcs/t/labs/lab-01-x.md"),
            ("content/Tracks", "content/Tracks/t/handbook/01-x.md"),
            ("content/t", "content/t/labs/lab-01-x.md"),
        ] {
            assert_eq!(wrong(path).as_deref(), Some(at), "{path}");
        }
        for path in ["content/tracks/t/tabs/a.md", "content/tracks/t/notes/01-a.md", "content/tricks/t/labs/a.md"] {
            assert_eq!(wrong(path), None, "{path}");
        }
        let meant = |path: &str| super::meant(path).unwrap_or_default();
        assert_eq!(meant("content/track/t/labs/lab-01-x.md"), "content/tracks/t/labs/lab-01-x.md");
        assert_eq!(meant("content/tracks/t/handbok/01-a.md"), "content/tracks/t/handbook/01-a.md");
        assert_eq!(meant("content/tracks/t/labs/lab-1-x.md"), "content/tracks/t/labs/lab-01-x.md");
        assert_eq!(meant("content/tracks/t/labs/lab-01-x.md"), "");
    }
}
