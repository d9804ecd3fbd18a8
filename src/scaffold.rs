//! Creates the files of a new lab, section or track, and of a new course.
//!
//! 1. `names` parses the requested name and checks it against the existing pages: track, number, slug and title;
//! 2. `starter` finds the file that a new lab reads; `excerpts` generates excerpts of it, with notes for the author to write;
//! 3. `lab`, `section` and `track` fill the templates in `text/`, which tell the author what to write where;
//!    `tracks` adds a new track to site.yaml in place;
//! 4. `workflow` has the files with which a code host builds and publishes a course;
//! 5. the result is a list of [`Change`]s, none of which has been made yet.
//!
//! **Invariant**: a course without errors has no errors after the changes.

mod course;
mod excerpts;
mod lab;
mod names;
mod page;
mod prompts;
mod starter;
mod tracks;
mod workflow;

use crate::change::{Change, Refusal};
use crate::config::Config;
use crate::diag::Severity;
use crate::project::Project;

pub use course::{course, empty_course};
pub use lab::lab;
pub use page::{section, track};
pub use starter::StarterArg;
pub use workflow::{GITHUB, GITLAB, Workflow};

/// The changes that create something new, and what was decided.
#[derive(Debug, Default)]
pub struct Plan {
    /// The changes, in the order in which they are made.
    pub changes: Vec<Change>,
    /// Sentences about what was decided on the author's behalf.
    pub choices: Vec<String>,
}

/// Creates a refusal with help.
fn refuse(message: impl Into<String>, help: impl Into<String>) -> Refusal {
    Refusal::new(message).help(help)
}

/// The path of the configuration.
const SITE: &str = "content/site.yaml";

/// Reads the configuration, which must have no errors because the new files depend on it.
fn config(project: &Project) -> Result<Config, Refusal> {
    let Some(source) = project.text(SITE) else {
        return Err(refuse(format!("`{SITE}` is missing or cannot be read"), "every course needs it"));
    };
    let (config, diagnostics) = Config::read(source);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(refuse(format!("`{SITE}` has errors"), "run `infralens check`, and fix what it reports first"));
    }
    Ok(config)
}

/// Creates the change that creates a file.
fn create(path: impl Into<std::sync::Arc<str>>, text: String) -> Change {
    Change::Create { path: path.into(), text }
}
