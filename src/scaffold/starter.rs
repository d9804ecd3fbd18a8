//! The file that a new lab reads: one that the author names, one that lies in the lab's folder already, or a stub.

use std::sync::Arc;

use super::names::{Pages, Wanted, slug};
use super::{Refusal, prompts, refuse};
use crate::code::Listing;
use crate::course::url;
use crate::document::Kind;
use crate::document::placement::{self, Number};
use crate::project::{File, Project};
use crate::source::Source;

/// What a lab begins with when there is no code yet.
const STUB: &str = include_str!("text/starter.py");

/// A file that the author named, wherever it lies.
#[derive(Debug)]
pub enum Given {
    /// In the course's `code/`: its path from the course's root, with `/`.
    InCode(String),
    /// Anywhere else: the path as the author wrote it, the file's own name, and what it holds.
    Elsewhere {
        /// As written, for messages.
        written: String,
        /// The last part of the path.
        name: String,
        /// What was read.
        file: File,
    },
}

/// Where a lab's code lies.
#[derive(Debug)]
pub(super) struct Choice {
    /// The lab's number, as it is written.
    pub number: Arc<str>,
    /// The file that the lab reads, where it lies or will lie.
    pub main: Arc<Source>,
    /// Whether that file is to be created.
    pub is_new: bool,
    /// Whether it is only a stub.
    pub is_stub: bool,
    /// Other files of the folder that is the lab's own.
    pub beside: Vec<Arc<Source>>,
    /// What was chosen on the author's behalf.
    pub said: Option<String>,
}

impl Choice {
    /// The lab's name, which is that of its own folder.
    pub fn name(number: &str, slug: &str) -> String {
        format!("lab-{number}-{slug}")
    }
}

/// Chooses a new lab's number and its code.
pub(super) fn choose(
    project: &Project,
    pages: &Pages,
    wanted: &Wanted<'_>,
    given: Option<Given>,
) -> Result<Choice, Refusal> {
    let number = match (&wanted.number, waiting(project, pages, wanted, given.as_ref())) {
        (None, Some(number)) => number.text,
        _ => pages.number(wanted)?,
    };
    let name = Choice::name(&number, &wanted.slug);
    if let Some(lab) = pages.labs().find(|lab| *lab.placement.name == *name) {
        let message = format!("`code/{name}/` would be the folder of two labs: `{}` has this name, too", lab.path);
        return Err(refuse(message, "choose another name"));
    }
    let folder = format!("code/{name}");
    let is_given = given.is_some();
    let (main, is_new, said) = match given {
        Some(Given::InCode(path)) => (in_code(project, &path, &folder)?, false, None),
        Some(Given::Elsewhere { written, name, file }) => {
            (copied(project, &folder, &written, &name, &file)?, true, None)
        }
        None => match found(project, &folder) {
            Some(main) => {
                let said = format!("`{folder}/` was there already; the lab reads `{}` of it", main.path());
                (main, false, Some(said))
            }
            None => (Arc::new(Source::new(format!("{folder}/starter.py"), STUB)), true, None),
        },
    };
    let beside = candidates(project, &folder).filter(|file| file.path() != main.path()).cloned().collect();
    Ok(Choice { number, main, is_new, is_stub: is_new && !is_given, beside, said })
}

/// The number of a folder `code/lab-NN-SLUG/` that no lab uses yet; one that holds the given file goes first.
fn waiting(project: &Project, pages: &Pages, wanted: &Wanted<'_>, given: Option<&Given>) -> Option<Number> {
    let mut folders: Vec<&str> =
        project.below("code").filter_map(|(path, _)| Some(path["code/".len()..].split_once('/')?.0)).collect();
    folders.dedup();
    let waits = folders.into_iter().filter(|folder| !pages.is_used(folder)).filter_map(|folder| {
        let placed = placement::place(&format!("content/tracks/{}/labs/{folder}.md", wanted.track)).ok()?;
        let number = placed.number.clone().filter(|_| placed.kind == Kind::Lab && slug(&placed) == wanted.slug)?;
        let is_free = pages.holder(wanted, number.value).is_none();
        is_free.then_some((folder, number))
    });
    let holds =
        |folder: &str| matches!(given, Some(Given::InCode(path)) if path.starts_with(&format!("code/{folder}/")));
    waits.min_by_key(|(folder, number)| (!holds(folder), number.value)).map(|(_, number)| number)
}

/// A file of `code/` that the lab will name where it lies.
fn in_code(project: &Project, path: &str, own: &str) -> Result<Arc<Source>, Refusal> {
    let Some(file) = project.files.get(path) else {
        let message = format!("`{path}` is not read as part of the course");
        return Err(refuse(message, "names that begin with a dot, and folders that tools leave behind, are not read"));
    };
    let source = text(path, file)?;
    if url::folder(path) == "code" {
        let help = format!("move it to `{own}/{}`, and run the command without `--starter`", url::file_name(path));
        return Err(refuse(format!("no lab can name `{path}`: it lies in no folder of `code/`"), help));
    }
    Ok(source)
}

/// A file from elsewhere, as it will lie in the lab's own folder.
fn copied(project: &Project, folder: &str, written: &str, name: &str, file: &File) -> Result<Arc<Source>, Refusal> {
    let source = text(written, file)?;
    let path = format!("{folder}/{name}");
    if name.starts_with('.') || name.contains(['\\', '\0']) {
        let help = "copy the file under another name; names that begin with a dot are not read";
        return Err(refuse(format!("`{name}` cannot be a file of the course"), help));
    }
    if let Some((taken, _)) = project.below(folder).find(|(taken, _)| taken.to_lowercase() == path.to_lowercase()) {
        let help = "nothing is overwritten: name that file with `--starter`, or move it away";
        return Err(refuse(format!("`{taken}` exists already"), help));
    }
    Ok(Arc::new(Source::new(path, source.text())))
}

/// The text of a file that a lab can read, with markers that pair.
fn text(path: &str, file: &File) -> Result<Arc<Source>, Refusal> {
    if is_readme(path) {
        let message = format!("`{path}` is shown on the page of its folder, not as a starter");
        return Err(refuse(message, "give it another name, if a lab is to read it"));
    }
    if url::file_name(path).contains(char::is_control) {
        let message = format!("the name of `{path}` holds control characters");
        return Err(refuse(message, "give it another name: a page must be able to write it"));
    }
    let source = match file {
        File::Text(source) => Arc::clone(source),
        File::Binary(binary) => {
            let byte = binary.bad_byte;
            return Err(refuse(format!("`{path}` is not UTF-8 text: see byte {byte}"), "a starter is a text file"));
        }
        File::Refused(refusal) => {
            return Err(refuse(refusal.diagnostic(&Arc::from(path)).message, "a starter is a text file"));
        }
    };
    if source.text()[source.start()..].trim().is_empty() {
        return Err(refuse(format!("`{path}` is empty"), "write the code first, or leave `--starter` out"));
    }
    match Listing::new(&source).1.first() {
        None => Ok(source),
        Some(problem) => {
            let line = problem.place.span.map_or(1, |(start, _)| source.position(start).line);
            let message = format!("{} on line {line} of `{path}`", problem.message);
            Err(refuse(message, "mend the region markers of the file first"))
        }
    }
}

/// The first file of a folder that looks like code: one with regions or symbols, else any that is no README.
fn found(project: &Project, folder: &str) -> Option<Arc<Source>> {
    let is_code = |source: &&Arc<Source>| {
        let listing = Listing::new(source).0;
        !listing.regions().is_empty() || !listing.symbols().is_empty()
    };
    candidates(project, folder).find(is_code).or_else(|| candidates(project, folder).next()).cloned()
}

/// The files of a folder that a lab can read, READMEs apart.
fn candidates<'p>(project: &'p Project, folder: &str) -> impl Iterator<Item = &'p Arc<Source>> {
    project.below(folder).filter_map(|(path, file)| match file {
        File::Text(source) if text(path, file).is_ok() => Some(source),
        _ => None,
    })
}

fn is_readme(path: &str) -> bool {
    url::file_name(path).to_lowercase() == "readme.md"
}

/// `starter.file` of a lab that reads `path`: its name in the lab's own folder, else its path below `code/`.
pub(super) fn named(path: &str, lab: &str) -> String {
    let below = path.strip_prefix("code/").unwrap_or(path);
    let own = below.strip_prefix(lab).and_then(|rest| rest.strip_prefix('/')).filter(|rest| !rest.contains('/'));
    prompts::scalar(own.unwrap_or(below))
}

/// Where the README of a file's folder lies, if there is none.
pub(super) fn missing_readme(project: &Project, main: &str) -> Option<String> {
    let folder = url::folder(main);
    let has_one = project.below(folder).any(|(path, _)| url::folder(path) == folder && is_readme(path));
    (!has_one).then(|| format!("{folder}/README.md"))
}
