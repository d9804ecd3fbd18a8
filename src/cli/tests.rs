//! A command that is killed at any of its writes, and is run again, leaves the course as if it had not been killed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use tempfile::TempDir;

use super::{Cli, Outcome, Status};
use crate::disk::Call;
use crate::disk::faults::{self, Hooked};

const PAGE: &str = "---\ntitle: P\nsummary: s\n---\n";
const README: &str = "# R\n\nRead [the lab](../../content/tracks/t/labs/lab-01-one.md).\n";

/// The text of a lab that reads `file`, with more text.
fn lab(file: &str, body: &str) -> String {
    let front = "focus: f\nreads: r\noutcome: o\nhandbook: [s]\n";
    format!("---\ntitle: L {file}\n{front}starter: {{ file: {file}, type: t, angle: a }}\n---\n{body}")
}

/// A course in which many texts name the same lab, section and page, and the pins of two pages are out of date.
fn course() -> TempDir {
    let temp = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let hash = blake3::hash(README.as_bytes()).to_hex();
    let record = format!("{{\"command\":\"x\",\"files\":{{\"README.md\":\"{hash}\"}},\"output\":1}}");
    let links = "[u](../../u/handbook/01-s.md) [one](lab-01-one.md) [code](../../../../code/lab-01-one/a.py)\n";
    let excerpt = "\n```python file=b.py\ndef y():\n    return 1\n```\n";
    let linking = "---\ntitle: S\nsummary: s\n---\n[self](01-s.md) [one](../labs/lab-01-one.md)\n";
    let section = "---\ntitle: S\nsummary: s\n---\n[one](../../t/labs/lab-01-one.md)\n";
    let files: [(&str, &str); 19] = [
        ("course/.git/HEAD", ""),
        ("course/content/site.yaml", "title: C\ntracks: [t, u, v]\nlabs: { sections: [] }\n"),
        ("course/content/index.md", PAGE),
        ("course/content/x.md", "---\ntitle: X\n---\n[one](tracks/t/labs/lab-01-one.md) [y](./y.md)\n"),
        ("course/content/y.md", "---\ntitle: Y\n---\n[x](x.md) [code](../code/lab-01-one/a.py)\n"),
        ("course/content/tracks/t/index.md", PAGE),
        ("course/content/tracks/t/handbook/01-s.md", linking),
        (
            "course/content/tracks/t/handbook/02-r.md",
            "---\ntitle: S2\nsummary: s\nafter: [lab-01-one]\n---\n[one](01-s.md)\n",
        ),
        ("course/content/tracks/t/labs/lab-01-one.md", &lab("a.py", links)),
        ("course/content/tracks/t/labs/lab-02-two.md", &lab("b.py", excerpt)),
        (
            "course/content/tracks/t/labs/lab-03-three.md",
            &lab("lab-02-two/b.py", &excerpt.replace("file=", "file=lab-02-two/")),
        ),
        ("course/content/tracks/u/index.md", PAGE),
        ("course/content/tracks/u/handbook/01-s.md", section),
        ("course/content/tracks/v/index.md", PAGE),
        ("course/code/lab-01-one/a.py", "x = 1\n"),
        ("course/code/lab-01-one/README.md", README),
        ("course/code/lab-01-one/records/r.json", &record),
        ("course/code/lab-02-two/b.py", "def y():\n    return 2\n"),
        ("given.py", "def z():\n    return 3\n"),
    ];
    for (path, text) in files {
        let path = temp.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    temp
}

/// All files with their texts, hidden ones too, and the folders.
fn tree(temp: &TempDir) -> BTreeMap<String, String> {
    let all = walkdir::WalkDir::new(temp.path()).into_iter().map(Result::unwrap);
    all.map(|entry| (entry.path().to_str().unwrap().to_owned(), entry))
        .map(|(path, entry)| (path[temp.path().to_str().unwrap().len()..].to_owned(), entry))
        .map(|(path, entry)| {
            let text =
                if entry.file_type().is_dir() { String::new() } else { fs::read_to_string(entry.path()).unwrap() };
            (path, text)
        })
        .collect()
}

/// Runs the command in the course.
fn run(temp: &TempDir, arguments: &str) -> Outcome {
    let root = temp.path().join("course");
    let place = |word: &str| word.replace("GIVEN", temp.path().join("given.py").to_str().unwrap());
    let words = ["infralens".to_owned(), "--root".to_owned(), root.to_str().unwrap().to_owned()];
    Cli::try_parse_from(words.into_iter().chain(arguments.split(' ').map(place))).unwrap().run()
}

/// Lets every call fail from the given write on, as if the command were killed there. Returns the number of writes, too.
fn killed_at(folder: &Path, last: usize) -> (Hooked, Arc<AtomicUsize>) {
    let writes = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&writes);
    let hooked = faults::below(folder, move |call, _| {
        let is_write = !matches!(call, Call::Look | Call::List | Call::Read | Call::Lock);
        let number = if is_write { counter.fetch_add(1, Ordering::Relaxed) } else { counter.load(Ordering::Relaxed) };
        if number > last || is_write && number == last { Err(io::Error::other("killed")) } else { Ok(()) }
    });
    (hooked, writes)
}

/// Kills each command at each of its writes, and runs it again.
fn kill_everywhere(commands: &[&str]) {
    for &command in commands {
        let whole = course();
        let done = run(&whole, command);
        assert!(matches!(done, Ok(Status::Done)), "{command}: {done:?}");
        let whole = tree(&whole);
        for last in 0.. {
            let temp = course();
            let (hooked, writes) = killed_at(temp.path(), last);
            let _ = run(&temp, command);
            drop(hooked);
            if writes.load(Ordering::Relaxed) <= last {
                assert!(last > 2, "{command} writes");
                let _ = run(&temp, command);
                assert!(tree(&temp) == whole, "{command}, run twice");
                break;
            }
            let half = tree(&temp);
            let again = run(&temp, command);
            let now = tree(&temp);
            let differing: Vec<_> = now.iter().filter(|(path, text)| whole.get(*path) != Some(text)).collect();
            assert!(now == whole, "{command}, killed at {last}: {again:?}\n{differing:#?}\n{half:#?}");
        }
    }
}

#[test]
fn a_move_that_is_killed_at_any_write_can_be_run_again() {
    kill_everywhere(&[
        "move t/lab-01-one lab-07",
        "move lab-01-one u/lab-03-other",
        "move t/s 07",
        "move content/tracks/t/handbook/02-r.md u/07-new",
        "move y deep/er/z",
    ]);
}

#[test]
fn other_commands_that_are_killed_at_any_write_can_be_run_again() {
    kill_everywhere(&[
        "new lab t/fresh",
        "new lab v/fresh",
        "new lab t/fresh --starter GIVEN",
        "new section u/fresh",
        "new track fresh",
        "sync --accept",
        "init made",
        "init --empty --ci github made",
    ]);
}
