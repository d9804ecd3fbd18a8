//! Records: what the commands of labs printed when `infralens record` last ran them, kept in files next to the starters.
//!
//! 1. [`Declarations`] collects the commands that the front matter of labs declares. A command is only split into words
//!    (`words`) here; nothing in this crate runs it.
//! 2. [`Records`] reads the file of each declared record (`file`), and reports records that are missing, that cannot be
//!    read, or that were made from other files than the starter's folder has now.

mod declaration;
mod file;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::course::starter::{RECORDS, is_record};
use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::project::{File, Project};

pub use declaration::{Declaration, Declarations};
pub use file::{Hashes, MAX_SIZE, Record, changes, follow, hashes};

#[derive(Debug, Default)]
pub struct Records {
    pub declared: Arc<Declarations>,
    /// What is wrong with the records, and with their declarations.
    pub diagnostics: Vec<Diagnostic>,
    /// The files of declared records, by path.
    files: BTreeMap<String, RecordFile>,
    /// The hashes of the files in the folders of declarations.
    hashes: BTreeMap<String, Arc<Hashes>>,
}

/// A file as it was read, and the record in it or what is wrong with it.
#[derive(Debug, Clone)]
struct RecordFile {
    file: File,
    record: Result<Arc<Record>, String>,
}

impl Records {
    /// Reads the declared records of a course, and compares them with the files that they were made from. A record whose
    /// file is the same as in `previous` is not parsed again, and the files of a folder that `is_unchanged` since then are not
    /// hashed again.
    pub fn new(
        previous: &Self,
        project: &Project,
        declared: Arc<Declarations>,
        is_unchanged: impl Fn(&str) -> bool,
    ) -> Self {
        let mut records = Self { diagnostics: declared.diagnostics.clone(), ..Self::default() };
        let mut outdated = Outdated::new();
        for declaration in &declared.all {
            let path = declaration.path();
            records.files.extend(RecordFile::read(previous, project, &path).map(|file| (path.clone(), file)));
            let is_known = !project.is_reported(&declaration.folder) && project.has_folder(&declaration.folder);
            if is_known && !declaration.words.is_empty() {
                let folder = &declaration.folder;
                if !records.hashes.contains_key(folder) {
                    let known = previous.hashes.get(folder).filter(|_| is_unchanged(folder));
                    let hashes = known.map_or_else(|| Arc::new(hashes(project, folder)), Arc::clone);
                    records.hashes.insert(folder.clone(), hashes);
                }
                let current = &records.hashes[folder];
                records.diagnostics.extend(records.problem(project, declaration, current, &mut outdated));
            }
        }
        records.diagnostics.extend(outdated.iter().filter_map(|((page, changes), all)| older(page, changes, all)));
        records.diagnostics.extend(undeclared(project, &declared));
        records.declared = declared;
        records
    }

    /// Whether these are the `previous` records, with the same diagnostics, made beside the same files.
    pub fn is_same(&self, previous: &Self) -> bool {
        self.declared == previous.declared
            && self.diagnostics == previous.diagnostics
            && self.hashes == previous.hashes
            && self.has_same_outputs(previous)
    }

    /// Whether the same records are declared as in `previous`, and their commands have printed the same.
    pub fn has_same_outputs(&self, previous: &Self) -> bool {
        let is_same_file = |(one, other): ((&String, &RecordFile), (&String, &RecordFile))| {
            let is_same_record = match (&one.1.record, &other.1.record) {
                (Ok(one), Ok(other)) => Arc::ptr_eq(one, other),
                (one, other) => one.is_err() && other.is_err(),
            };
            one.0 == other.0 && is_same_record
        };
        self.declared.has_same_names(&previous.declared)
            && self.files.len() == previous.files.len()
            && self.files.iter().zip(&previous.files).all(is_same_file)
    }

    /// Returns what the command of a record printed: JSON, or a string if it was no JSON. Also returns it for a record that
    /// is reported as older than its starter. `folder` is the path of the starter's folder from the course's root.
    pub fn get(&self, folder: &str, name: &str) -> Option<&Arc<Value>> {
        let file = self.files.get(&path_of(folder, name))?;
        file.record.as_ref().ok().map(|record| &record.output)
    }

    /// Whether a lab declares this record. If so and there is none, that has been reported.
    pub fn is_declared(&self, folder: &str, name: &str) -> bool {
        self.declared.has(&path_of(folder, name))
    }

    /// Returns what is wrong with the record of a declaration, when the files of its folder have the hashes `current`. A
    /// record that is older than these is only added to `outdated`.
    fn problem<'a>(
        &self,
        project: &Project,
        declaration: &'a Declaration,
        current: &Hashes,
        outdated: &mut Outdated<'a>,
    ) -> Option<Diagnostic> {
        let (name, path) = (&*declaration.name.value, declaration.path());
        let place = Place::new(&declaration.page, declaration.name.span.clone());
        let command = format!("infralens record {}", declaration.page);
        let Some(file) = self.files.get(&path) else {
            if project.is_unread(&path) {
                let message =
                    format!("the record `{name}` cannot be read, because `{path}` is in a folder that cannot be");
                return Some(Diagnostic::new(codes::E0612, place, message));
            }
            let missing = Diagnostic::new(codes::E0610, place, format!("there is no record `{name}`"));
            return Some(missing.label(format!("`{path}` does not exist")).help(format!(
                "run `{command}`, which runs `{}` and stores what it prints",
                declaration.command.value
            )));
        };
        let record = match &file.record {
            Ok(record) => record,
            Err(why) => {
                let unread = Diagnostic::new(codes::E0612, place, format!("the record `{name}` cannot be read: {why}"));
                let unread = unread.related(Place::file(path.as_str()), "this file");
                return Some(unread.help(match &file.file {
                    File::Text(_) => format!("run `{command}`, which writes it again"),
                    File::Binary(_) | File::Refused(_) => format!("remove the file, then run `{command}`"),
                }));
            }
        };
        if record.command != declaration.command.value {
            let other = Diagnostic::new(codes::E0611, place, format!("the record `{name}` is of another command"));
            let help = format!("run `{command}`, then read what uses the record again");
            return Some(other.label(format!("it has what `{}` printed", record.command)).help(help));
        }
        let changes = changes(&record.files, current)?;
        outdated.entry((&*declaration.page, changes)).or_default().push(declaration);
        None
    }
}

/// Records that are older than the files of their folders: by page, and by what has changed since.
type Outdated<'a> = BTreeMap<(&'a str, String), Vec<&'a Declaration>>;

/// Reports the records of a page that are older than the same changes, which one command makes again.
fn older(page: &str, changes: &str, all: &[&Declaration]) -> Option<Diagnostic> {
    let first = all.first()?;
    let file = changes.strip_prefix('`').and_then(|rest| rest.strip_suffix("` has changed"));
    let (message, records) = match (all.len(), file.filter(|file| !file.contains('`'))) {
        (1, _) => (format!("the record `{}` is older than its starter", &*first.name.value), "record"),
        (count, Some(file)) => (format!("{count} records are older than `{file}`"), "records"),
        (count, None) => (format!("{count} records are older than their starter"), "records"),
    };
    let place = Place::new(&first.page, first.name.span.clone());
    let help = format!("run `infralens record {page}`, then read what uses the {records} again");
    Some(Diagnostic::new(codes::E0611, place, message).label(format!("since then, {changes}")).help(help))
}

impl RecordFile {
    fn read(previous: &Records, project: &Project, path: &str) -> Option<Self> {
        let file = project.files.get(path)?;
        if let Some(known) = previous.files.get(path).filter(|known| known.file.is_same(file)) {
            return Some(known.clone());
        }
        let record = match file {
            File::Text(source) => Record::parse(source.text()).map(Arc::new),
            File::Binary(_) => Err("it is not UTF-8 text".to_owned()),
            File::Refused(refusal) => Err(refusal.diagnostic(&Arc::from(path)).message),
        };
        Some(Self { file: file.clone(), record })
    }
}

/// Returns the path of a record from the course's root. `folder` is the starter's folder.
fn path_of(folder: &str, name: &str) -> String {
    format!("{folder}/{RECORDS}/{name}.json")
}

/// Reports records that no lab declares, unless the declarations of a lab may be unknown.
fn undeclared(project: &Project, declared: &Declarations) -> Vec<Diagnostic> {
    let found = project.below("code").map(|(path, _)| path).filter(|path| is_record(path));
    let undeclared = found.filter(|path| declared.is_complete && !declared.has(path));
    undeclared
        .map(|path| {
            let message = format!("no lab declares the record `{path}`");
            Diagnostic::new(codes::W0610, Place::file(Arc::clone(path)), message)
                .help("remove it, or declare its command under `starter.record` of the lab that reads its folder")
        })
        .collect()
}

#[cfg(test)]
mod tests;
