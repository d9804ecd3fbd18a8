//! Everything that is published, under one roof: made pages, and files of the course that go out as they are. Two
//! sources for one output path are an error, also when they differ only in case.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::starters::Pages;
use crate::assets;
use crate::diag::{Diagnostic, Place, codes};
use crate::output::{Bytes, Files};
use crate::project::{File, Project};
use crate::theme::{self, Made};

/// The site's files.
pub fn collect(made: Vec<Made>, project: &Project, pages: &Pages) -> (Files, Vec<Diagnostic>) {
    let mut roof = Roof::default();
    for file in made {
        roof.add(file.path, file.bytes, file.from);
    }
    for (path, file) in project.below("content") {
        let is_source = path.ends_with(".md") || matches!(&**path, "content/site.yaml" | "content/references.yaml");
        if !is_source {
            roof.copy(&path["content/".len()..], path, file);
        }
    }
    for (path, file) in project.below("static") {
        let below = &path["static/".len()..];
        if !theme::is_processed(below) {
            roof.copy(below, path, file);
        }
    }
    for asset in assets::statics() {
        let replaced = project.files.contains_key(format!("static/{}", asset.0).as_str());
        if !replaced && !theme::is_processed(asset.0) {
            roof.add(asset.0.to_string(), Bytes::Static(asset.1), Place::file(format!("static/{}", asset.0)));
        }
    }
    for path in pages.all().flat_map(|(_, page)| &page.images) {
        if let (Some(file), false) = (project.files.get(path), roof.files.contains_key(&**path)) {
            roof.copy(path, path, file);
        }
    }
    (roof.files, roof.diagnostics)
}

#[derive(Default)]
struct Roof {
    files: Files,
    /// Lower-cased paths, with the path and the source that took them.
    taken: BTreeMap<String, (String, Place)>,
    diagnostics: Vec<Diagnostic>,
}

impl Roof {
    fn copy(&mut self, url: &str, path: &Arc<str>, file: &File) {
        let bytes = match file {
            File::Text(source) => Bytes::Text(Arc::clone(source)),
            File::Binary(binary) => Bytes::Binary(Arc::clone(binary)),
            // It has been reported where it was read.
            File::Refused(_) => return,
        };
        self.add(url.to_string(), bytes, Place::file(Arc::clone(path)));
    }

    fn add(&mut self, path: String, bytes: Bytes, from: Place) {
        if let Some((taken, first)) = self.taken.get(&path.to_lowercase()) {
            let message = if *taken == path {
                format!("`{path}` would be published twice")
            } else {
                format!("`{path}` and `{taken}` differ only in case: many systems take them for one file")
            };
            let diagnostic = Diagnostic::new(codes::E0008, from, message)
                .related(first.clone(), "this is published there already")
                .help("rename one of the two sources");
            self.diagnostics.push(diagnostic);
            return;
        }
        self.taken.insert(path.to_lowercase(), (path.clone(), from));
        self.files.insert(path, bytes);
    }
}
