//! Creates a new course: the example course in `init/`, or a course without tracks.

use super::{SITE_YAML, create_file, templates};
use infralens_source::change::Change;
use infralens_source::yaml;

macro_rules! files {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("init/", $path)))),*]
    };
}

/// The files of the example course: the path from the course's root, and the text.
const FILES: &[(&str, &str)] = files! {
    "README.md"
    "content/site.yaml"
    "content/references.yaml"
    "content/glossary.md"
    "content/index.md"
    "content/format.md"
    "content/tracks/queues/index.md"
    "content/tracks/queues/handbook/01-ring-buffer.md"
    "content/tracks/queues/handbook/02-running-counters.md"
    "content/tracks/queues/labs/lab-01-ring.md"
    "content/tracks/queues/labs/lab-02-counters.md"
    "code/lab-01-ring/README.md"
    "code/lab-01-ring/ring.py"
    "code/lab-02-counters/README.md"
    "code/lab-02-counters/counters.c"
};

/// The file that makes Git ignore the built site.
const GITIGNORE: (&str, &str) = (".gitignore", "public/\n");

/// What a program that drafts pages must know of a course.
const AGENTS: (&str, &str) = ("AGENTS.md", include_str!("init/AGENTS.md"));

/// The two files that every course needs, with a placeholder for the title, and the file that comments in others name.
const EMPTY_COURSE: [(&str, &str); 3] = [
    (SITE_YAML, include_str!("text/empty-site.yaml")),
    ("content/index.md", include_str!("text/empty-index.md")),
    ("content/references.yaml", include_str!("text/empty-references.yaml")),
];

/// Returns the changes that create the example course.
pub fn course() -> Vec<Change> {
    FILES.iter().chain([&AGENTS, &GITIGNORE]).map(|&(path, text)| create_file(path, text.to_owned())).collect()
}

/// Returns the changes that create a course with only a configuration, a home page and no references yet. Its title is the name of its folder.
pub fn empty_course(folder: &str) -> Vec<Change> {
    let title = yaml::to_scalar(&templates::title(folder));
    let filled = EMPTY_COURSE.map(|(path, text)| create_file(path, templates::fill(text, &[("title", &title)])));
    let fixed = [AGENTS, GITIGNORE].map(|(path, text)| create_file(path, text.to_owned()));
    filled.into_iter().chain(fixed).collect()
}
