//! Workflows with which a code host checks, builds and publishes a course.

use super::create_file;
use infralens_source::change::Change;
use infralens_source::yaml;

/// The repository of the program, if the package does not name it.
const REPOSITORY: &str = "https://HOST/OWNER/infralens";

/// Returns the address of the archive of this version for Linux, which `packaging/build` makes.
fn archive() -> String {
    let repository = Some(env!("CARGO_PKG_REPOSITORY")).filter(|url| !url.is_empty()).unwrap_or(REPOSITORY);
    let version = env!("CARGO_PKG_VERSION");
    format!("{repository}/releases/download/v{version}/infralens-{version}-x86_64-unknown-linux-gnu.tar.gz")
}

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
    advice: "write the address and the checksum of a release into it; in the settings of the repository, under Pages, choose GitHub Actions as the source",
    template: include_str!("text/github.yml"),
};

/// Publishes on GitLab Pages.
pub const GITLAB: Workflow = Workflow {
    path: ".gitlab-ci.yml",
    advice: "write the address and the checksum of a release into it, and push to the default branch; the address of the site is under Deploy, Pages",
    template: include_str!("text/gitlab.yml"),
};

impl Workflow {
    /// Returns the change that creates the workflow, for a course in a folder of the repository. It installs the archive of
    /// this version of the program, whose checksum its author adds: a program cannot know the checksum of its own archive.
    pub fn create(&self, course: &str) -> Change {
        // Not `{{name}}`, as in other templates: this is how GitHub writes expressions.
        let text = self.template.replace("@archive@", &archive());
        create_file(self.path, text.replace("@course@", &yaml::to_scalar(course)))
    }
}
