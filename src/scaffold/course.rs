//! Creates a new course: the example course in `init/`, or a course without tracks.

use super::{SITE, create, prompts};
use crate::change::Change;
use crate::yaml;

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

/// Git must ignore the built site.
const IGNORED: (&str, &str) = (".gitignore", "public/\n");

/// The two files that every course needs, with a placeholder for the title.
const EMPTY: [(&str, &str); 2] =
    [(SITE, include_str!("text/empty-site.yaml")), ("content/index.md", include_str!("text/empty-index.md"))];

/// Returns the changes that create the example course.
#[must_use]
pub fn course() -> Vec<Change> {
    FILES.iter().chain([&IGNORED]).map(|&(path, text)| create(path, text.to_owned())).collect()
}

/// Returns the changes that create a course with only a configuration and a home page. Its title is the name of its folder.
#[must_use]
pub fn empty_course(folder: &str) -> Vec<Change> {
    let title = yaml::to_scalar(&prompts::title(folder));
    let filled = EMPTY.map(|(path, text)| create(path, prompts::fill(text, &[("title", &title)])));
    filled.into_iter().chain([create(IGNORED.0, IGNORED.1.to_owned())]).collect()
}
