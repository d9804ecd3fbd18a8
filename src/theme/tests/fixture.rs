//! A small course, themed: two tracks, labs with groups, a shared starter, a reference, a draft.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::{Input, Made, Memo, Same};
use crate::config::Config;
use crate::course::{self, Course, PageId, Summary};
use crate::diag::Diagnostic;
use crate::document::{self, placement};
use crate::project::{File, Project};
use crate::references::References;
use crate::render::page::{Card, Folder, FolderFile, Page, Practice, Segment, Sides, Starter, StarterNote};
use crate::source::Source;

/// All that theming reads.
pub struct Fixture {
    pub project: Project,
    pub config: Config,
    pub references: References,
    pub course: Course,
    pub pages: Vec<Option<Page>>,
    pub starters: Vec<Starter>,
    pub folders: Vec<Folder>,
}

/// The site that came of it.
pub struct Themed {
    pub made: Vec<Made>,
    pub files: BTreeMap<String, String>,
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
    ("content/index.md", "---\ntitle: Welcome\n---\n"),
    ("content/about.md", "---\ntitle: About\naliases: [old/about.html]\n---\n"),
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
        let config = project.text("content/site.yaml").map(|source| Config::read(source).0).unwrap_or_default();
        let references =
            project.text("content/references.yaml").map(|source| References::read(source).0).unwrap_or_default();
        let (course, diagnostics) = course::assemble(summaries(&project), &config, false);
        assert_eq!(diagnostics, [], "the fixture is sound");
        let pages = course.pages.iter().map(rendered).collect();
        let mut fixture =
            Self { project, config, references, course, pages, starters: Vec::new(), folders: Vec::new() };
        fixture.add_code();
        fixture
    }

    /// The page at an output path.
    pub fn id(&self, url: &str) -> PageId {
        self.course.pages.iter().position(|page| &*page.url == url).unwrap()
    }

    /// The rendered page at an output path.
    pub fn page(&mut self, url: &str) -> &mut Page {
        let id = self.id(url);
        self.pages[id].get_or_insert_with(Page::default)
    }

    pub fn theme(&self) -> Themed {
        let pages: Vec<_> = self.pages.iter().map(|page| page.clone().map(Arc::new)).collect();
        let starters: Vec<_> = self.starters.iter().cloned().map(Arc::new).collect();
        let folders: Vec<_> = self.folders.iter().cloned().map(Arc::new).collect();
        let input = Input {
            config: &self.config,
            references: &self.references,
            course: &self.course,
            project: &self.project,
            pages: &pages,
            starters: &starters,
            folders: &folders,
        };
        let mut memo = Memo::default();
        let themed = memo.theme(&input, Same::default());
        let (made, diagnostics) = (themed.made.to_vec(), themed.diagnostics);
        let text = |file: &Made| String::from_utf8_lossy(file.bytes.as_ref()).into_owned();
        let files = made.iter().map(|file| (file.path.to_string(), text(file))).collect();
        Themed { made, files, diagnostics }
    }

    fn add_code(&mut self) {
        for (lab, url) in [("lab-01-x", "tracks/one/labs/lab-01-x.html"), ("lab-02-y", "tracks/one/labs/lab-02-y.html")]
        {
            let (id, path) = (self.id(url), format!("code/{lab}/a.py"));
            let page = self.page(url);
            page.starters = vec![Arc::from(path.as_str())];
            page.practice = Practice {
                questions: vec![card("Why?", "<p>Because.</p>")],
                spoken: Some(card("", "<p>I say.</p>")),
                ..Practice::default()
            };
            self.starters.push(Starter {
                path: Arc::from(path.as_str()),
                listing: "<pre class=\"listing\"><code><span class=\"line\" id=\"L1\">x\n</span></code></pre>".into(),
                classes: " u1".into(),
                list_classes: String::new(),
                picked: String::new(),
                copy: String::new(),
                lines: 1,
                notes: vec![StarterNote {
                    id: "N1".into(),
                    line: "L1".into(),
                    label: "1, Line 1".into(),
                    classes: " o1".into(),
                    reach: "1-1".into(),
                    lines: vec![0..1],
                    page: id,
                    note: "E1-N1".into(),
                    number: 1,
                    html: "a note".into(),
                }],
                readers: vec![id],
            });
            let file = FolderFile { name: "a.py".into(), path: Arc::from(path.as_str()), named: true, lines: Some(1) };
            self.folders.push(Folder {
                path: Arc::from(format!("code/{lab}")),
                title: lab.into(),
                readme: None,
                files: vec![file],
                folders: Vec::new(),
                labs: vec![id],
            });
        }
    }
}

/// `LAB` at the beginning stands for front matter that every lab needs.
fn lab(text: &str) -> String {
    text.strip_prefix("LAB\n").map_or_else(|| text.to_string(), |own| format!("---\n{own}{LAB}---\n"))
}

fn summaries(project: &Project) -> Vec<Summary> {
    let pages = project.below("content").filter(|(path, _)| path.ends_with(".md"));
    pages
        .map(|(path, _)| {
            let (document, diagnostics) = document::parse(project.text(path).unwrap(), placement::place(path).unwrap());
            assert_eq!(diagnostics, []);
            Summary::new(&document, &diagnostics)
        })
        .collect()
}

fn rendered(page: &course::Page) -> Option<Page> {
    let html = Segment::Html("<p>Text</p>\n".into());
    (page.published && page.summary.is_some()).then(|| Page { segments: vec![html], ..Page::default() })
}

fn card(question: &str, answer: &str) -> Card {
    let sides = Sides { question: question.into(), answer: answer.into() };
    Card { id: format!("{:016x}", question.len()), here: sides.clone(), outside: sides }
}
