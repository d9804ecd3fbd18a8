//! Changes to a course's own files, which can be applied in memory before anything is written.

use std::sync::Arc;

use crate::project::{File, Files, Project};
use crate::source::Source;
use crate::url::is_within;

/// A change; paths are relative to the course's root, with `/`.
#[derive(Debug, Clone)]
pub enum Change {
    /// Creates a file where nothing exists.
    Create { path: Arc<str>, text: String },
    /// Creates a file, which need not be text, where nothing exists.
    Add {
        path: Arc<str>,
        /// The file, as it was read elsewhere. One that was not read is not created.
        file: File,
    },
    /// Replaces the text of a file that has not changed since it was read.
    Replace {
        /// The file as it was read.
        source: Arc<Source>,
        text: String,
    },
    /// Moves a file, or a folder with its contents, to a path where nothing exists.
    Rename { from: Arc<str>, to: Arc<str> },
}

impl Change {
    /// Returns the path of the file or folder after the change.
    pub fn path(&self) -> &Arc<str> {
        match self {
            Self::Create { path, .. } | Self::Add { path, .. } => path,
            Self::Replace { source, .. } => source.path(),
            Self::Rename { to, .. } => to,
        }
    }
}

/// Why a command cannot do what was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong, without a period.
    pub message: String,
    /// What to do about it, in lines.
    pub help: Vec<String>,
}

impl Refusal {
    /// Creates a refusal without help.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: Vec::new() }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds "did you mean …" before other help, if there is a similar name.
    pub fn nearest(mut self, near: Option<&str>) -> Self {
        self.help.splice(0..0, near.map(|near| format!("did you mean `{near}`?")));
        self
    }
}

/// Applies changes, one after the other, to a course in memory.
pub fn preview(project: &Project, changes: &[Change]) -> Project {
    let mut files = project.files.clone();
    for change in changes {
        match change {
            Change::Create { path, text } => put(&mut files, path, text),
            Change::Add { path, file: File::Text(source) } => put(&mut files, path, source.text()),
            Change::Add { path, file } => drop(files.insert(Arc::clone(path), file.clone())),
            Change::Replace { source, text } => put(&mut files, source.path(), text),
            Change::Rename { from, to } => rename(&mut files, from, to),
        }
    }
    Project { files, ..project.clone() }
}

fn put(files: &mut Files, path: &Arc<str>, text: &str) {
    files.insert(Arc::clone(path), File::Text(Arc::new(Source::new(Arc::clone(path), text))));
}

fn rename(files: &mut Files, from: &str, to: &str) {
    let moved: Vec<Arc<str>> = files.keys().filter(|path| is_within(path, from)).cloned().collect();
    for old in moved {
        let Some(file) = files.remove(&old) else { continue };
        let new: Arc<str> = Arc::from(format!("{to}{}", &old[from.len()..]));
        let file = match file {
            File::Text(source) => File::Text(Arc::new(Source::new(Arc::clone(&new), source.text()))),
            other => other,
        };
        files.insert(new, file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_follow_one_another() {
        let mut project = Project::default();
        put(&mut project.files, &Arc::from("code/a/x.py"), "1");
        put(&mut project.files, &Arc::from("code/ab/y.py"), "2");
        let Some(source) = project.text("code/a/x.py").cloned() else { panic!("it was put there") };
        let changes = [
            Change::Replace { source, text: "3".into() },
            Change::Rename { from: "code/a".into(), to: "code/b".into() },
            Change::Create { path: "code/a/z.py".into(), text: "4".into() },
        ];
        let after = preview(&project, &changes);
        let paths: Vec<&str> = after.files.keys().map(AsRef::as_ref).collect();
        assert_eq!(paths, ["code/a/z.py", "code/ab/y.py", "code/b/x.py"]);
        assert_eq!(after.text("code/b/x.py").map(|source| source.text()), Some("3"));
        assert_eq!(after.text("code/b/x.py").map(|source| source.path().as_ref()), Some("code/b/x.py"));
    }
}
