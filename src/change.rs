//! What a command changes in a course's own files: a list that is looked at in memory before anything is written.

use std::sync::Arc;

use crate::project::{File, Files, Project};
use crate::source::Source;

/// One change; paths are from the course's root, with `/`.
#[derive(Debug, Clone)]
pub enum Change {
    /// A new file, where nothing is yet.
    Create {
        /// Its path.
        path: Arc<str>,
        /// Its text.
        text: String,
    },
    /// A file of which every byte but those of `text` is as it was read.
    Replace {
        /// The file as it was read.
        source: Arc<Source>,
        /// Its new text.
        text: String,
    },
    /// A file or a folder with all that is in it, moved to where nothing is yet.
    Rename {
        /// The path as it was.
        from: Arc<str>,
        /// The path as it will be.
        to: Arc<str>,
    },
}

impl Change {
    /// The path that it leaves something at.
    #[must_use]
    pub fn path(&self) -> &Arc<str> {
        match self {
            Self::Create { path, .. } => path,
            Self::Replace { source, .. } => source.path(),
            Self::Rename { to, .. } => to,
        }
    }
}

/// Why a change that was asked for is not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong, without a full stop.
    pub message: String,
    /// What to do.
    pub help: Vec<String>,
}

impl Refusal {
    /// A refusal that says what is wrong.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: Vec::new() }
    }

    /// Adds a line of help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds "did you mean …", before other help, where there is a near name.
    #[must_use]
    pub fn nearest(mut self, near: Option<&str>) -> Self {
        self.help.splice(0..0, near.map(|near| format!("did you mean `{near}`?")));
        self
    }
}

/// The course as it will be after the changes, one after the other.
#[must_use]
pub fn preview(project: &Project, changes: &[Change]) -> Project {
    let mut files = project.files.clone();
    for change in changes {
        match change {
            Change::Create { path, text } => put(&mut files, path, text),
            Change::Replace { source, text } => put(&mut files, source.path(), text),
            Change::Rename { from, to } => rename(&mut files, from, to),
        }
    }
    Project { files, diagnostics: project.diagnostics.clone() }
}

fn put(files: &mut Files, path: &Arc<str>, text: &str) {
    files.insert(Arc::clone(path), File::Text(Arc::new(Source::new(Arc::clone(path), text))));
}

fn rename(files: &mut Files, from: &str, to: &str) {
    let is_moved = |path: &str| path.strip_prefix(from).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let moved: Vec<Arc<str>> = files.keys().filter(|path| is_moved(path)).cloned().collect();
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
