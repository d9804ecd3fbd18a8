//! Beginnings: what is created for a new lab, section or track, and a whole small course to start from.
//!
//! 1. `names` reads what was asked for against the pages that are there: its track, number, slug and title;
//! 2. `starter` finds the file that a new lab reads; `excerpts` proposes what the lab shows of it, with notes that bind;
//! 3. `lab`, `section` and `track` fill the texts in `text/`, in which the author finds what to write where;
//!    `tracks` adds a new track to site.yaml in place;
//! 4. all of it is a list of [`Change`]s, which nobody has made yet.
//!
//! **Invariant**: a course that was without errors is without them after the changes.

mod course;
mod excerpts;
mod lab;
mod names;
mod page;
mod prompts;
mod starter;
mod tracks;

use crate::change::{Change, Refusal};
use crate::config::Config;
use crate::diag::Severity;
use crate::project::Project;

pub use course::{course, empty_course};
pub use lab::lab;
pub use page::{section, track};
pub use starter::Given;

/// What is to be done, and what the author should know of it.
#[derive(Debug, Default)]
pub struct Plan {
    /// The changes, in their order.
    pub changes: Vec<Change>,
    /// What was chosen on the author's behalf, a line each.
    pub choices: Vec<String>,
}

/// A refusal and what to do about it.
fn refuse(message: impl Into<String>, help: impl Into<String>) -> Refusal {
    Refusal::new(message).help(help)
}

/// The settings file.
const SITE: &str = "content/site.yaml";

/// The settings, which must be without errors: what follows from them would be guessed.
fn config(project: &Project) -> Result<Config, Refusal> {
    let Some(source) = project.text(SITE) else {
        return Err(refuse(format!("there is no `{SITE}` that can be read"), "a course needs it"));
    };
    let (config, diagnostics) = Config::read(source);
    if diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return Err(refuse(format!("`{SITE}` has errors"), "`infralens check` shows them; mend them first"));
    }
    Ok(config)
}

/// A new file.
fn create(path: impl Into<std::sync::Arc<str>>, text: String) -> Change {
    Change::Create { path: path.into(), text }
}
