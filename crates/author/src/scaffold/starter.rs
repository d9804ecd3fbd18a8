//! Chooses the file that a new lab reads: the one that the author names, an existing one in the lab's folder, or a stub.

use std::sync::Arc;

use super::names::{NewPage, Pages, slug};
use super::{Refusal, refuse};
use infralens_page::Kind;
use infralens_page::placement::{self, Number};
use infralens_source::project::{File, Project};
use infralens_source::source::Source;
use infralens_source::url;
use infralens_source::yaml;
use infralens_starter::Listing;

/// The starter of a lab that has no code yet.
const STUB: &str = include_str!("text/starter.py");

/// A file that the author named with `--starter`.
#[derive(Debug)]
pub enum StarterArg {
    /// A file in `code/`: its path from the course's root, with `/`.
    InCode(String),
    /// A file outside `code/`, which is copied.
    Elsewhere {
        /// The path as the author wrote it, for messages.
        written: String,
        name: String,
        file: File,
    },
}

/// The number and the code chosen for a lab.
#[derive(Debug)]
pub(super) struct ChosenStarter {
    /// The lab's number, as it is written.
    pub number: Arc<str>,
    /// The main file, at its current or future path.
    pub main: Arc<Source>,
    /// Where the main file comes from.
    pub origin: Origin,
    /// The other files below the main file's folder, if it is in the lab's own folder.
    pub other_files: Vec<Arc<Source>>,
    /// A sentence about what was chosen on the author's behalf.
    pub message: Option<String>,
}

/// Where the main file of a new lab comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// It exists in `code/`.
    Existing,
    /// It is copied from outside `code/`.
    Copied,
    /// It is a stub, to be replaced by the author.
    Stub,
}

/// Chooses a new lab's number and its code.
pub(super) fn choose(
    project: &Project,
    pages: &Pages,
    wanted: &NewPage<'_>,
    given: Option<StarterArg>,
) -> Result<ChosenStarter, Refusal> {
    let number = match (&wanted.number, number_of_unused_folder(project, pages, wanted, given.as_ref())) {
        (None, Some(number)) => number.text,
        _ => pages.number(wanted)?,
    };
    let name = wanted.file_stem(&number);
    if let Some(lab) = pages.labs().find(|lab| *lab.placement.name == *name) {
        let message =
            format!("`code/{name}/` would be the folder of two labs, because `{}` has the same name", lab.path);
        return Err(refuse(message, "choose another name"));
    }
    let folder = format!("code/{name}");
    let (main, origin, message) = match given {
        Some(StarterArg::InCode(path)) => (in_code(project, &path, &folder)?, Origin::Existing, None),
        Some(StarterArg::Elsewhere { written, name, file }) => {
            (copied(project, &folder, &written, &name, &file)?, Origin::Copied, None)
        }
        // A stub may be there because this command was killed.
        None => match find_main_file(project, &folder).filter(|main| main.text() != STUB) {
            Some(main) => {
                let message = format!("`{folder}/` already exists; the lab reads `{}`", main.path());
                (main, Origin::Existing, Some(message))
            }
            None => (Arc::new(Source::new(format!("{folder}/starter.py"), STUB)), Origin::Stub, None),
        },
    };
    let beside = format!("{}/", url::folder(main.path()));
    let is_other = |file: &&Arc<Source>| file.path() != main.path() && file.path().starts_with(&beside);
    let other_files = candidates(project, &folder).filter(is_other).cloned().collect();
    Ok(ChosenStarter { number, main, origin, other_files, message })
}

/// Returns the number of a folder `code/lab-NN-SLUG/` that no lab uses. A folder that contains the given file is preferred.
fn number_of_unused_folder(
    project: &Project,
    pages: &Pages,
    wanted: &NewPage<'_>,
    given: Option<&StarterArg>,
) -> Option<Number> {
    let mut folders: Vec<&str> =
        project.below("code").filter_map(|(path, _)| Some(path["code/".len()..].split_once('/')?.0)).collect();
    folders.dedup();
    let unused_folders = folders.into_iter().filter(|folder| !pages.is_used(folder)).filter_map(|folder| {
        let placed = placement::place(&format!("content/tracks/{}/labs/{folder}.md", wanted.track)).ok()?;
        let number = placed.number.clone().filter(|_| placed.kind == Kind::Lab && slug(&placed) == wanted.slug)?;
        let is_free = pages.page_with_number(wanted, number.value).is_none();
        is_free.then_some((folder, number))
    });
    let contains_given_file =
        |folder: &str| matches!(given, Some(StarterArg::InCode(path)) if path.starts_with(&format!("code/{folder}/")));
    unused_folders.min_by_key(|(folder, number)| (!contains_given_file(folder), number.value)).map(|(_, number)| number)
}

/// Returns a file of `code/`, which the lab will read at its place.
fn in_code(project: &Project, path: &str, own: &str) -> Result<Arc<Source>, Refusal> {
    let Some(file) = project.files.get(path) else {
        let message = format!("`{path}` is not read as part of the course");
        return Err(refuse(message, "files whose names begin with a dot, and folders that tools create, are not read"));
    };
    let source = readable_starter(path, file)?;
    if url::folder(path) == "code" {
        let help = format!("move it to `{own}/{}`, and run the command without `--starter`", url::file_name(path));
        return Err(refuse(format!("no lab can read `{path}`, because it is not in a folder of `code/`"), help));
    }
    Ok(source)
}

/// Returns a file from elsewhere with its future path in the lab's own folder.
fn copied(project: &Project, folder: &str, written: &str, name: &str, file: &File) -> Result<Arc<Source>, Refusal> {
    let source = readable_starter(written, file)?;
    let path = format!("{folder}/{name}");
    if name.starts_with('.') || name.contains(['\\', '\0']) {
        let help = "copy the file under another name; names that begin with a dot are not read";
        return Err(refuse(format!("`{name}` cannot be a file of the course"), help));
    }
    let is_same = |taken: &str, file: &File| taken == path && file.bytes() == Some(source.text().as_bytes());
    let is_in_the_way =
        |(taken, file): &(&Arc<str>, &File)| taken.to_lowercase() == path.to_lowercase() && !is_same(taken, file);
    if let Some((taken, _)) = project.below(folder).find(is_in_the_way) {
        let help = "files are never overwritten: use that file with `--starter`, or move it away";
        return Err(refuse(format!("`{taken}` already exists"), help));
    }
    Ok(Arc::new(Source::new(path, source.text())))
}

/// Returns the file if a lab can read it: not a README, a printable name, UTF-8, not empty, paired region markers.
fn readable_starter(path: &str, file: &File) -> Result<Arc<Source>, Refusal> {
    if is_readme(path) {
        let message = format!("`{path}` is shown on the page of its folder, not as a starter");
        return Err(refuse(message, "rename it if a lab should read it"));
    }
    if url::file_name(path).contains(char::is_control) {
        let message = format!("the name of `{path}` contains control characters");
        return Err(refuse(message, "rename it, because pages have to write its name"));
    }
    let source = match file {
        File::Text(source) => Arc::clone(source),
        File::Binary(binary) => {
            let byte = binary.bad_byte;
            return Err(refuse(
                format!("`{path}` is not UTF-8 text: the byte at offset {byte} is invalid"),
                "a starter is a text file",
            ));
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
            Err(refuse(message, "fix the region markers of the file first"))
        }
    }
}

/// Returns the first file of a folder that has regions or symbols, or else the first that is not a README.
fn find_main_file(project: &Project, folder: &str) -> Option<Arc<Source>> {
    let is_code = |source: &&Arc<Source>| {
        let listing = Listing::new(source).0;
        !listing.regions().is_empty() || !listing.symbols().is_empty()
    };
    let files: Vec<&Arc<Source>> = candidates(project, folder).collect();
    files.iter().copied().find(is_code).or(files.first().copied()).cloned()
}

/// Iterates over the files of a folder that a lab can read, except READMEs.
fn candidates<'p>(project: &'p Project, folder: &str) -> impl Iterator<Item = &'p Arc<Source>> {
    project.below(folder).filter_map(|(path, file)| match file {
        File::Text(source) if readable_starter(path, file).is_ok() => Some(source),
        _ => None,
    })
}

fn is_readme(path: &str) -> bool {
    url::file_name(path).to_lowercase() == "readme.md"
}

/// Returns `starter.file` for a lab that reads `path`: the file name in the lab's own folder, or else the path below `code/`.
pub(super) fn starter_value(path: &str, lab: &str) -> String {
    let below = path.strip_prefix("code/").unwrap_or(path);
    let own = below.strip_prefix(lab).and_then(|rest| rest.strip_prefix('/')).filter(|rest| !rest.contains('/'));
    yaml::to_scalar(own.unwrap_or(below))
}

/// Returns the path of the README in the main file's folder if there is none yet.
pub(super) fn missing_readme(project: &Project, main: &str) -> Option<String> {
    let folder = url::folder(main);
    let has_one = project.below(folder).any(|(path, _)| url::folder(path) == folder && is_readme(path));
    (!has_one).then(|| format!("{folder}/README.md"))
}
