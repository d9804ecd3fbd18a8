//! A small course to start from: the files in `init/`, which are a course themselves.

use super::create;
use crate::change::Change;

macro_rules! files {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("init/", $path)))),*]
    };
}

/// Its files: the path from the course's root, and the text.
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

/// The built site is not the course's own.
const IGNORED: (&str, &str) = (".gitignore", "public/\n");

/// Everything that a new course begins with.
#[must_use]
pub fn course() -> Vec<Change> {
    FILES.iter().chain([&IGNORED]).map(|&(path, text)| create(path, text.to_owned())).collect()
}
