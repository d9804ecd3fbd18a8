//! A small course, planned and made: two tracks, labs with groups, a shared starter, a reference, a draft.

use std::collections::BTreeMap;
use std::sync::Arc;

use infralens::assets::BUILTIN;
use infralens_site::{self as site, Options, Site};
use infralens_source::diag::Diagnostic;
use infralens_source::project::{File, Project};
use infralens_source::source::Source;

/// A course.
pub struct Fixture {
    pub project: Project,
}

/// The site that came of it.
pub struct Themed {
    pub files: BTreeMap<String, String>,
    /// The source of the file at each path.
    pub from: BTreeMap<String, String>,
    /// Diagnostics about templates and styles.
    pub diagnostics: Vec<Diagnostic>,
}

pub const SITE: &str = "title: Course & <Co>\ntagline: Read code\ntracks: [one, two]\n";

const LAB: &str =
    "handbook: [basics]\nfocus: F\nreads: R\nstarter: { file: a.py, type: Script, angle: Angle, run: python3 a.py }\n";

const FILES: [(&str, &str); 13] = [
    (
        "content/references.yaml",
        "p1: { kind: paper, title: A Paper, url: \"https://example.org/p\", authors: [Ada Lovelace], year: 1843 }\nb1: { kind: blog, title: A Post }\n",
    ),
    ("content/index.md", "---\ntitle: Welcome\n---\n\nText\n"),
    ("content/about.md", "---\ntitle: About\naliases: [old/about.html]\n---\n\nText\n"),
    ("content/glossary.md", "---\ntitle: Terms\n---\n"),
    ("content/tracks/one/index.md", "---\ntitle: Track One\nsummary: The first\n---\n"),
    ("content/tracks/one/handbook/01-basics.md", "---\ntitle: The basics\nsummary: What comes first\n---\n"),
    (
        "content/tracks/one/labs/lab-01-x.md",
        "LAB\ntitle: Alpha\noutcome: Explain alpha\ngroup: Foundation\nchecked: 2026-01-02\n",
    ),
    (
        "content/tracks/one/labs/lab-02-y.md",
        "LAB\ntitle: Beta <b>\noutcome: Explain beta\nafter: [lab-01-x]\nchecked: 2026-03-04\n",
    ),
    ("content/tracks/one/labs/lab-03-d.md", "LAB\ntitle: Hidden\noutcome: Nothing\ndraft: true\n"),
    ("content/tracks/two/index.md", "---\ntitle: Track Two\nsummary: The second\n---\n"),
    (
        "content/tracks/two/handbook/01-more.md",
        "---\ntitle: More\nsummary: What comes next\nafter: [one/lab-01-x]\n---\n",
    ),
    ("code/lab-01-x/a.py", "x = 1\n"),
    ("code/lab-02-y/a.py", "y = 2\n"),
];

/// The questions of a lab.
const ASKS: &str = "\n## Check yourself\n\nWhy?\n: Because.\n\n## Interview explanation\n\nI say.\n";

impl Fixture {
    /// The course, with some files added or put in place of its own.
    pub fn new(changes: &[(&str, &str)]) -> Self {
        let mut texts: BTreeMap<&str, String> = FILES.into_iter().map(|(path, text)| (path, lab(text))).collect();
        texts.insert("content/site.yaml", SITE.into());
        texts.extend(changes.iter().map(|&(path, text)| (path, lab(text))));
        let mut project = Project::default();
        for (path, text) in texts {
            project.put(&Arc::from(path), Some(File::Text(Arc::new(Source::new(path, text)))));
        }
        Self { project }
    }

    /// Makes all files of the theme.
    pub fn theme(&self) -> Themed {
        let site = site::plan(&self.project, &Options::new(BUILTIN), &Site::default());
        let (files, faults) = site.files();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let is_theme =
            |diagnostic: &&Diagnostic| ["templates/", "static/"].iter().any(|of| diagnostic.place.file.starts_with(of));
        let diagnostics = site.diagnostics().filter(is_theme).cloned();
        Themed {
            files: files.into_iter().map(|(path, bytes)| (path, text(bytes.as_ref()))).collect(),
            from: site.outputs().iter().map(|(path, output)| (path.to_string(), output.from.to_string())).collect(),
            diagnostics: diagnostics.chain(faults).collect(),
        }
    }
}

/// Expands `LAB` at the start of a text to the front matter and the questions that every lab needs.
fn lab(text: &str) -> String {
    text.strip_prefix("LAB\n").map_or_else(|| text.to_string(), |own| format!("---\n{own}{LAB}---\n{ASKS}"))
}
