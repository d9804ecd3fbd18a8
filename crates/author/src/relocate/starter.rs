//! Plans what happens to the code of a lab that moves: whether its folder is renamed, and the new `starter.file`.

use super::{Refusal, main_file, other_labs};
use infralens_course::course::{starter, url};
use infralens_page::Document;
use infralens_source::project::Project;

/// The planned changes to the code and its references.
#[derive(Debug, Default)]
pub struct CodeMove<'a> {
    /// The folder that is renamed: its path before and after.
    pub folder: Option<(String, String)>,
    /// The labs whose `starter.file` must change, with the new values.
    pub files: Vec<(&'a Document, String)>,
}

/// Plans the changes for the lab `page`, whose new name is `name`.
///
/// The folder is renamed with the lab if it has the lab's name and contains no other lab's main file. If it stays, or if
/// two labs have the same name after the move, `starter.file` of each lab names the folder.
pub fn plan<'a>(
    pages: &'a [Document],
    project: &Project,
    page: &'a Document,
    name: &str,
) -> Result<CodeMove<'a>, Refusal> {
    let (Some(written), Some(main)) = (written(page), main_file(page)) else { return Ok(CodeMove::default()) };
    if *page.placement.name == *name {
        return Ok(CodeMove::default());
    }
    let folder = match named_folder(&main, &page.placement.name) {
        Some(folder) => new_folder(pages, project, page, &folder, name)?.map(|new| (folder, new)),
        None => None,
    };
    let implied = starter::main_file(name, written).ok();
    let moved = match &folder {
        Some((from, to)) => format!("{to}{}", &main[from.len()..]),
        None => main,
    };
    let mut files = Vec::new();
    let mut twins = other_labs(pages, page).filter(|other| *other.placement.name == *name).peekable();
    let has_twin = twins.peek().is_some();
    for twin in twins.filter(|twin| self::written(twin).is_some_and(starter::is_own)) {
        files.extend(main_file(twin).map(|main| (twin, below_code(&main))));
    }
    if implied.as_ref() != Some(&moved) || has_twin && starter::is_own(written) {
        files.push((page, below_code(&moved)));
    }
    Ok(CodeMove { folder, files })
}

fn written(lab: &Document) -> Option<&str> {
    lab.front.lab.as_ref()?.starter.file.as_ref().map(|file| file.value.as_str())
}

fn below_code(path: &str) -> String {
    path.strip_prefix("code/").unwrap_or(path).to_owned()
}

/// Returns the folder in the path of `file` that has the name `name`.
fn named_folder(file: &str, name: &str) -> Option<String> {
    let folders = file.match_indices('/').map(|(at, _)| &file[..at]);
    folders.skip(1).find(|folder| url::file_name(folder) == name).map(str::to_owned)
}

/// Returns the new path of the folder; `None` if it stays.
fn new_folder(
    pages: &[Document],
    project: &Project,
    page: &Document,
    folder: &str,
    name: &str,
) -> Result<Option<String>, Refusal> {
    let is_used = |folder: &str| {
        let inside = format!("{folder}/");
        other_labs(pages, page).filter_map(main_file).any(|main| main.starts_with(&inside))
    };
    let new = format!("{}/{name}", url::folder(folder));
    if is_used(folder) || is_used(&new) {
        return Ok(None);
    }
    if !project.has_folder(folder) {
        // A move that was killed has renamed it, or the author has.
        return Ok(project.has_folder(&new).then_some(new));
    }
    if project.has_folder(&new) || project.files.contains_key(new.as_str()) {
        return Err(Refusal::new(format!("the starter folder would be `{new}`, which exists already"))
            .help("nothing is overwritten: choose another name, or move it away first"));
    }
    Ok(Some(new))
}
