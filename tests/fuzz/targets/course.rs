//! A small course in memory, into which each input is put as one file or two.

use std::sync::{Arc, LazyLock};

use infralens::assets::BUILTIN;
use infralens_site::{self as site, Options, Site};
use infralens_source::diag::{Diagnostic, Severity};
use infralens_source::project::{File, Project};
use infralens_source::source::Source;

/// The page that is all input.
pub const PAGE: &str = "content/page.md";
/// The lab.
pub const LAB: &str = "content/tracks/t/labs/lab-01-a.md";

const FILES: [(&str, &str); 8] = [
    ("content/site.yaml", include_str!("../../suite/base/content/site.yaml")),
    ("content/references.yaml", include_str!("../../suite/base/content/references.yaml")),
    ("content/index.md", include_str!("../../suite/base/content/index.md")),
    ("content/tracks/t/index.md", include_str!("../../suite/base/content/tracks/t/index.md")),
    ("content/tracks/t/handbook/01-s.md", include_str!("../../suite/base/content/tracks/t/handbook/01-s.md")),
    (LAB, include_str!("../../suite/base/content/tracks/t/labs/lab-01-a.md")),
    ("code/lab-01-a/a.py", include_str!("../../suite/base/code/lab-01-a/a.py")),
    ("content/glossary.md", "---\ntitle: Glossary\n---\n\nledger\n: A list of sums.\n\nloss\n: What is made small.\n"),
];

/// The course and its site, as they are without any input.
static BASE: LazyLock<(Project, Site)> = LazyLock::new(|| {
    let mut project = Project::default();
    for (path, text) in FILES {
        put(&mut project, path, text);
    }
    let site = site::plan(&project, &Options::new(BUILTIN), &Site::default());
    (project, site)
});

/// Writes a file of a course.
pub fn put(project: &mut Project, path: &str, text: &str) {
    let path: Arc<str> = path.into();
    let file = File::Text(Arc::new(Source::new(Arc::clone(&path), text)));
    project.put(&path, Some(file));
}

/// A course that was built.
pub struct Built {
    pub project: Project,
    pub site: Site,
    pub diagnostics: Vec<Diagnostic>,
}

/// The course with these files in it.
pub fn build(files: &[(&str, &str)]) -> Built {
    let (base, site) = &*BASE;
    let mut project = base.clone();
    for (path, text) in files {
        put(&mut project, path, text);
    }
    rebuild(project, site)
}

/// The same course after a change.
pub fn rebuild(project: Project, was: &Site) -> Built {
    let site = site::plan(&project, &Options::new(BUILTIN), was);
    let diagnostics = site.judge();
    Built { project, site, diagnostics }
}

impl Built {
    /// Whether there is a site.
    pub fn is_published(&self) -> bool {
        !self.diagnostics.iter().any(|said| said.severity == Severity::Error)
    }

    /// A page of the site.
    pub fn html(&self, path: &str) -> String {
        let made = self.site.make(path).unwrap_or_else(|| panic!("{path} is not published"));
        String::from_utf8(made.expect("a template that works").as_ref().to_vec()).expect("a page is UTF-8")
    }

    /// Whether something is published at a path.
    pub fn has(&self, path: &str) -> bool {
        self.site.output(path).is_some()
    }
}
