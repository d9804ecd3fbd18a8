//! Creates the files of a new lab, section or track, and of a new course.
//!
//! 1. `names` parses the requested name and checks it against the existing pages: track, number, slug and title;
//! 2. `starter` finds the file that a new lab reads; `excerpts` writes excerpts of it, with notes for the author to write;
//! 3. `lab` creates labs, `section_track` sections and tracks, and `course` whole courses. They fill the templates in `text/`
//!    through `templates`, which tell the author what to write where. `site_yaml` adds a new track to `tracks:` in site.yaml;
//! 4. `workflow` has the files with which a code host builds and publishes a course;
//! 5. the result is a list of [`Change`]s, none of which has been made yet.
//!
//! **Invariant**: a course without errors has no errors after the changes.

mod course;
mod excerpts;
mod lab;
mod names;
mod section_track;
mod site_yaml;
mod starter;
mod templates;
mod workflow;

use infralens_course::config::Config;
use infralens_source::change::{Change, Refusal};
use infralens_source::diag::Severity;
use infralens_source::project::Project;

pub use course::{course, empty_course};
pub use lab::lab;
pub use section_track::{section, track};
pub use starter::StarterArg;
pub use workflow::{GITHUB, GITLAB, Workflow};

/// The changes that create something new, and what the author should know about them.
#[derive(Debug)]
pub struct Proposal {
    /// The changes, in the order in which they are made.
    pub changes: Vec<Change>,
    /// Sentences about what was decided on the author's behalf.
    pub decisions: Vec<String>,
}

fn refuse(message: impl Into<String>, help: impl Into<String>) -> Refusal {
    Refusal::new(message).help(help)
}

/// The path of the configuration.
const SITE_YAML: &str = "content/site.yaml";

/// Reads the configuration, which must have no errors because the new files depend on it.
fn config(project: &Project) -> Result<Config, Refusal> {
    let Some(source) = project.text(SITE_YAML) else {
        return Err(refuse(format!("`{SITE_YAML}` is missing or cannot be read"), "every course needs it"));
    };
    let (config, diagnostics) = Config::read(source);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(refuse(
            format!("`{SITE_YAML}` has errors"),
            "run `infralens check`, and fix what it reports first",
        ));
    }
    Ok(config)
}

/// Returns a [`Change::Create`].
fn create_file(path: impl Into<std::sync::Arc<str>>, text: String) -> Change {
    Change::Create { path: path.into(), text }
}
