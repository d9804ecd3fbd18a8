//! The commands that the front matter of labs declares.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{path_of, words};
use crate::course::starter::RECORDS;
use crate::course::url;
use infralens_page::Document;
use infralens_page::front_matter::RecordName;
use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::yaml::Spanned;

/// A command that a lab declares, and the record of what it prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The path of the lab's page.
    pub page: Arc<str>,
    /// The folder of the starter, from the course's root.
    pub folder: String,
    pub name: Spanned<RecordName>,
    pub command: Spanned<String>,
    /// The program and its arguments; empty if the command has an error.
    pub words: Vec<String>,
}

/// All declared commands of a course.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declarations {
    /// The commands, by page and then in the order of the front matter. No two have the same record.
    pub all: Vec<Declaration>,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the declarations of every lab are known.
    pub is_complete: bool,
    /// For each record by its path, the index of its declaration.
    by_path: BTreeMap<String, usize>,
}

impl Declarations {
    /// Collects the commands of labs. Each document comes with the path of its main starter file, if that is known.
    /// `is_complete` says whether every lab of the course could be read.
    pub fn new<'a>(labs: impl Iterator<Item = (&'a Document, Option<&'a str>)>, is_complete: bool) -> Self {
        let mut declarations = Self { is_complete, ..Self::default() };
        for (document, main_file) in labs {
            let Some(lab) = document.front.lab.as_ref().filter(|lab| !lab.starter.record.0.is_empty()) else {
                continue;
            };
            let Some(main_file) = main_file else {
                declarations.is_complete = false;
                continue;
            };
            for (name, command) in &lab.starter.record.0 {
                let page = Arc::clone(document.source.path());
                let folder = url::folder(main_file).to_owned();
                let (name, command) = (name.clone(), command.clone());
                let declaration = Declaration { page, folder, name, command, words: Vec::new() };
                declarations.add(declaration);
            }
        }
        declarations
    }

    /// Adds a declaration, unless it is one that another lab has already made.
    fn add(&mut self, mut declaration: Declaration) {
        if let Some(other) = self.by_path.get(&declaration.path()).and_then(|&at| self.all.get(at)) {
            if other.command.value != declaration.command.value {
                let message = format!("another lab has a record `{}` of another command", &**declaration.name);
                let place = Place::new(&other.page, other.name.span.clone());
                let help = "labs that read the same folder share its records: give one of them another name";
                self.diagnostics.push(declaration.error(message).related(place, "the other record").help(help));
            }
            return;
        }
        match words::split(&declaration.command.value) {
            Ok(words) => declaration.words = words,
            Err((message, help)) => self.diagnostics.push(declaration.error(message).help(help)),
        }
        self.by_path.insert(declaration.path(), self.all.len());
        self.all.push(declaration);
    }

    /// Whether the same records are declared as by `other`, perhaps with other commands or at other places.
    pub fn has_same_names(&self, other: &Self) -> bool {
        self.is_complete == other.is_complete && self.by_path == other.by_path
    }

    /// Whether a file is in the folder of a command, or in a folder below that, so that its records may be older than the file.
    pub fn is_run_in(&self, file: &str) -> bool {
        let folders = std::iter::successors(Some(url::folder(file)), |&folder| Some(url::folder(folder)));
        let has_records = |folder: &str| {
            let records = format!("{folder}/{RECORDS}/");
            self.by_path.range(records.clone()..).next().is_some_and(|(path, _)| path.starts_with(&records))
        };
        folders.take_while(|folder| !folder.is_empty()).any(has_records)
    }

    /// Returns whether a lab declares the record at this path.
    pub fn has(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }
}

impl Declaration {
    /// Returns the path of the record from the course's root.
    pub fn path(&self) -> String {
        path_of(&self.folder, &self.name)
    }

    /// Returns an error about the command, `E0613`.
    fn error(&self, message: String) -> Diagnostic {
        Diagnostic::new(codes::E0613, Place::new(&self.page, self.command.span.clone()), message)
    }
}
