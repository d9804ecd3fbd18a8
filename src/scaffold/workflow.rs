//! Workflows with which a code host checks, builds and publishes a course.

use super::create_file;
use crate::change::Change;
use crate::yaml;

/// A workflow for one host.
#[derive(Debug, Clone, Copy)]
pub struct Workflow {
    /// Its path from the root of the repository, the only place where the host looks for it.
    pub path: &'static str,
    /// What to do on the host, once.
    pub advice: &'static str,
    template: &'static str,
}

/// Publishes on GitHub Pages.
pub const GITHUB: Workflow = Workflow {
    path: ".github/workflows/site.yml",
    advice: "in the settings of the repository, under Pages, choose GitHub Actions as the source",
    template: include_str!("text/github.yml"),
};

/// Publishes on GitLab Pages.
pub const GITLAB: Workflow = Workflow {
    path: ".gitlab-ci.yml",
    advice: "push to the default branch; the address of the site is under Deploy, Pages",
    template: include_str!("text/gitlab.yml"),
};

impl Workflow {
    /// Returns the change that creates the workflow, for a course in a folder of the repository. It installs this version
    /// of the program.
    #[must_use]
    pub fn create(&self, course: &str) -> Change {
        // Not `{{name}}`, as in other templates: this is how GitHub writes expressions.
        let text = self.template.replace("@version@", env!("CARGO_PKG_VERSION"));
        create_file(self.path, text.replace("@course@", &yaml::to_scalar(course)))
    }
}
