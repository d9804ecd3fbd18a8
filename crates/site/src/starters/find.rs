//! Finds the text of a starter file that a page names. A missing file is reported at the place that names it; a file
//! that cannot be read or is blank is reported once, at the file.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::documents::not_text;
use infralens_course::course::{Course, renamed, starter as paths, url};
use infralens_render::Subject;
use infralens_source::diag::{Diagnostic, Fix, Near, Place, codes, nearest};
use infralens_source::project::{File, Project};
use infralens_source::source::Source;

/// Where the files that excerpts show may be.
#[derive(Clone, Copy)]
pub enum Scope<'a> {
    /// Below `code/` in a course.
    Course(&'a Course),
    /// Anywhere in a repository that is not a course.
    Repository,
}

impl Scope<'_> {
    fn help(self) -> &'static str {
        match self {
            Self::Course(_) => "a starter is a text file in `code/`",
            Self::Repository => "an excerpt shows a text file of the repository",
        }
    }
}

/// Returns the text of a starter file, or a diagnostic: at the file if it cannot be read, at `place` if it does not
/// exist.
fn find(project: &Project, scope: Scope<'_>, path: &str, place: &Place) -> Result<Arc<Source>, Box<Diagnostic>> {
    if matches!(scope, Scope::Course(_)) && paths::is_record(path) {
        let message = format!("`{path}` is a record, and records are not published");
        return Err(Box::new(
            Diagnostic::new(codes::E0304, place.clone(), message)
                .help("a page shows a record of its lab as `file=record:NAME`"),
        ));
    }
    let diagnostic = match project.files.get(path) {
        Some(File::Text(source)) => return Ok(Arc::clone(source)),
        Some(File::Binary(binary)) if binary.bytes.get(binary.bad_byte) == Some(&0) => {
            let message = format!("`{path}` is a binary file: byte {} is NUL", binary.bad_byte);
            Diagnostic::new(codes::E0304, not_text(path, binary).place, message).help(scope.help())
        }
        Some(File::Binary(binary)) => not_text(path, binary),
        Some(File::Refused(refusal)) => {
            let refused = Diagnostic { code: codes::E0304, ..refusal.diagnostic(&Arc::from(path)) };
            if refused.help.is_empty() { refused.help(scope.help()) } else { refused }
        }
        None if project.has_folder(path) => {
            Diagnostic::new(codes::E0304, place.clone(), format!("`{path}` is a folder")).help(scope.help())
        }
        None => return Err(missing(project, scope, path, place)),
    };
    Err(Box::new(diagnostic))
}

fn missing(project: &Project, scope: Scope<'_>, path: &str, place: &Place) -> Box<Diagnostic> {
    let link = path.match_indices('/').map(|(at, _)| &path[..at]).find(|folder| project.files.contains_key(*folder));
    if let Some(File::Refused(refusal)) = link.and_then(|folder| project.files.get(folder)) {
        let diagnostic = refusal.diagnostic(&Arc::from(link.unwrap_or_default()));
        return Box::new(Diagnostic { code: codes::E0304, ..diagnostic });
    }
    let diagnostic = Diagnostic::new(codes::E0302, place.clone(), format!("`{path}` does not exist"));
    if let Some(name) = path.split('/').find(|name| name.starts_with('.')) {
        let help = format!("`{name}` begins with a dot: such files hold settings and secrets, and are not read");
        return Box::new(Diagnostic { message: format!("`{path}` is not read"), ..diagnostic }.help(help));
    }
    let Scope::Course(course) = scope else {
        let help = "paths are relative to the folder of this file";
        if let Some(meant) =
            paths::from_above(&place.file, path).find(|meant| project.files.contains_key(meant.as_str()))
        {
            let near = Near::unsure(url::relative(&place.file, &meant));
            return Box::new(diagnostic.meant(Some(near)).help(help));
        }
        let files = || project.files.keys().map(AsRef::as_ref);
        let near = near(path, files).map(|near| Near::unsure(url::relative_encoded(&place.file, near)));
        return Box::new(diagnostic.meant(near).help(help));
    };
    // The path itself does not exist, so this is a part of it.
    if let Some(below) = paths::from_root(project, path) {
        let fix = file_fix(project, place, path, &format!("code/{below}"));
        return Box::new(diagnostic.nearest(Some(below)).help("such a path is relative to `code/`").fix(fix));
    }
    if let Some((file, advice)) = renamed::starter(course, project, &place.file, path) {
        let fix = file_fix(project, place, path, file);
        return Box::new(diagnostic.nearest(Some(file)).help(advice).fix(fix));
    }
    let files = || project.below("code").map(|(known, _)| known.as_ref()).filter(|path| !paths::is_record(path));
    Box::new(match near(path, files).or_else(|| alike(path, files())) {
        None => diagnostic.help("put the file there; `code/` has the starter files, in a folder for each lab"),
        Some(near) => diagnostic.nearest(Some(near)).fix(file_fix(project, place, path, near)),
    })
}

/// Returns the fix that writes another file for the path at a place: its name, if it is in the same folder.
fn file_fix(project: &Project, place: &Place, path: &str, near: &str) -> Option<Fix> {
    let (source, (start, end)) = (project.text(&place.file)?, place.span?);
    let old = url::file_name(path);
    let is_path = path.ends_with(source.text().get(start..end)?);
    if !is_path || url::folder(path) == url::folder(near) {
        let is_there = source.text().get(start..end)?.ends_with(old) && url::folder(path) == url::folder(near);
        return is_there.then(|| Fix::write(source, end - old.len()..end, url::file_name(near)));
    }
    Some(Fix::write(source, start..end, near.strip_prefix("code/")?))
}

/// Returns the file that is probably meant by a path at which there is none. In long paths names may differ by all of their
/// letters, so the names must be similar.
fn near<'p, F: Iterator<Item = &'p str>>(path: &str, files: impl Fn() -> F) -> Option<&'p str> {
    let (folder, name) = (url::folder(path), url::file_name(path));
    let in_folder = || files().filter(|known| url::folder(known) == folder);
    let similar = nearest(name, in_folder().map(url::file_name));
    let similar = similar.and_then(|similar| in_folder().find(|known| url::file_name(known) == similar));
    similar.or_else(|| nearest(path, files()).filter(|near| nearest(name, [url::file_name(near)]).is_some()))
}

/// Returns the first file in the folder of a path that has its extension; for a path without one, the first that is no text.
fn alike<'p>(path: &str, mut files: impl Iterator<Item = &'p str>) -> Option<&'p str> {
    let extension = |path: &'_ str| url::file_name(path).rsplit_once('.').map(|(_, extension)| extension.to_owned());
    files.find(|known| {
        url::folder(known) == url::folder(path)
            && match (extension(known).as_deref(), extension(path)) {
                (Some("md"), None) => false,
                (known, written) => written.is_none() || known == written.as_deref(),
            }
    })
}

/// Diagnostics for files below `code/` that cannot be read or are blank: one for each file, however many pages name it.
#[derive(Default)]
pub struct UnreadableFiles(pub BTreeMap<Arc<str>, Diagnostic>);

impl UnreadableFiles {
    /// Returns the file that is named at `place`; records a diagnostic if it cannot be read.
    ///
    /// # Errors
    ///
    /// A diagnostic at `place` if the file does not exist.
    pub fn find(
        &mut self,
        project: &Project,
        scope: Scope<'_>,
        path: &str,
        place: Place,
    ) -> Result<Option<Arc<Source>>, Box<Diagnostic>> {
        match find(project, scope, path, &place) {
            Ok(source) => return Ok(Some(source)),
            Err(_) if project.is_reported(path) => {}
            Err(diagnostic) if diagnostic.place == place => return Err(diagnostic),
            Err(diagnostic) => {
                let path = Arc::clone(&diagnostic.place.file);
                self.0.entry(path).or_insert_with(|| diagnostic.related(place, "named here"));
            }
        }
        Ok(None)
    }

    /// Returns the README at a path, if there is one; records a diagnostic if it cannot be read.
    pub fn readme<'p>(&mut self, project: &'p Project, path: &str) -> Option<&'p Arc<Source>> {
        let (path, file) = project.files.get_key_value(path)?;
        let diagnostic = match file {
            File::Text(source) => return Some(source),
            File::Binary(binary) => not_text(path, binary),
            File::Refused(refusal) => refusal.diagnostic(path),
        };
        self.0.entry(Arc::clone(path)).or_insert(diagnostic);
        None
    }

    /// Reports blank files that a page shows in excerpts.
    pub fn empty(&mut self, subject: Subject<'_>, found: &BTreeMap<Arc<str>, Arc<Source>>) {
        let document = subject.document;
        for excerpt in &document.body.excerpts {
            let path = subject.named(&excerpt.file.path).ok();
            let Some(source) = path.and_then(|path| found.get(path.as_str())).filter(|source| source.is_blank()) else {
                continue;
            };
            let path = source.path();
            self.0.entry(Arc::clone(path)).or_insert_with(|| {
                Diagnostic::new(codes::E0011, Place::file(Arc::clone(path)), format!("`{path}` is empty"))
                    .related(document.source.place(excerpt.head.clone()), "shown here")
                    .help("restore its code, or remove the excerpts that show it")
            });
        }
    }
}
