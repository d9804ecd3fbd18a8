//! The house rules that no compiler knows: who may use whom, how long a file may be, and what each begins with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::harness::{listing, repository};

/// The rooms from the top to the ground, as ARCHITECTURE.md has them: a room uses only those below it, and its own.
const FLOORS: [&[&str]; 4] = [
    &["cli"],
    &["load", "emit", "report", "serve", "disk"],
    &[
        "scaffold",
        "relocate",
        "site",
        "sync",
        "search",
        "theme",
        "lint",
        "render",
        "course",
        "document",
        "code",
        "config",
        "references",
        "schema",
    ],
    &["project", "output", "diag", "source", "yaml", "assets", "change"],
];
/// A crate, and the only places that may name it.
const FOREIGN: [(&str, &[&str]); 15] = [
    ("tera", &["theme"]),
    ("lightningcss", &["theme/assets/style"]),
    ("resvg", &["theme/machine/social_card"]),
    ("syntect", &["code/highlight"]),
    ("pulldown_cmark", &["document", "render", "lint", "serve/jump"]),
    ("annotate_snippets", &["report"]),
    ("unicode_normalization", &["search/terms"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("indicatif", &["cli/build/progress"]),
    ("notify", &["serve/watch"]),
    ("tiny_http", &["serve/http"]),
    // The second reads what the system tells of this process, not what is on a disk.
    ("std::fs", &["disk", "cli/build/timings"]),
    ("rustix", &["disk", "serve"]),
];

/// A source file without its tests: its path below `src`, its room, and its lines.
struct Room {
    path: String,
    name: String,
    code: String,
}

fn sources() -> Vec<Room> {
    let files = listing(&repository("src")).into_iter().filter(|(path, _)| path.ends_with(".rs"));
    let is_test = |path: &str| path.ends_with("tests.rs") || path.contains("/tests/");
    files.filter(|(path, _)| !is_test(path)).map(|(path, at)| room(path, &at)).collect()
}

fn room(path: String, at: &PathBuf) -> Room {
    let text = fs::read_to_string(at).expect("a source file");
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let name = path.split(['/', '.']).next().unwrap_or_default().to_owned();
    Room { path, name, code }
}

impl Room {
    fn is_frame(&self) -> bool {
        matches!(self.name.as_str(), "lib" | "main")
    }

    /// The other rooms that it names, with the path below them: `use crate::a::b`, `use crate::{a, b::c}`, `crate::a::b(…)`.
    fn uses(&self) -> BTreeSet<(String, String)> {
        let mut uses = BTreeSet::new();
        for (at, _) in self.code.match_indices("crate::").filter(|(at, _)| !self.code[..*at].ends_with('$')) {
            let rest = &self.code[at + "crate::".len()..];
            let paths = if rest.starts_with('{') { group(rest) } else { vec![word(rest, true)] };
            for path in paths {
                let (name, below) = path.split_once("::").unwrap_or((&path, ""));
                if name != self.name && !name.is_empty() {
                    uses.insert((name.to_owned(), below.to_owned()));
                }
            }
        }
        uses
    }
}

/// The leading path of a text.
fn word(text: &str, paths: bool) -> String {
    let fits = |c: char| c.is_alphanumeric() || c == '_' || paths && c == ':';
    text.chars().take_while(|&c| fits(c)).collect::<String>().trim_end_matches(':').to_owned()
}

/// The paths of `{a, b::{c, d}}`, as far as their first two parts.
fn group(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut paths = Vec::new();
    let mut path = String::new();
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if depth == 1 && c != ',' => path.push(c),
            _ => {}
        }
        if depth == 0 || depth == 1 && c == ',' {
            paths.push(word(std::mem::take(&mut path).trim(), true));
        }
        if depth == 0 {
            break;
        }
    }
    paths
}

fn floor(room: &str) -> usize {
    FLOORS
        .iter()
        .position(|rooms| rooms.contains(&room))
        .unwrap_or_else(|| panic!("`{room}` has no floor: give it one here"))
}

#[test]
fn rooms_use_only_what_is_below_them() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !source.is_frame()) {
        for (used, below) in source.uses() {
            if floor(&used) < floor(&source.name) {
                broken.push(format!("{} uses {used}::{below}, which is above it", source.path));
            }
            if used == "disk" && !matches!(source.name.as_str(), "load" | "emit") {
                broken.push(format!("{} uses disk::{below}; only `load` reads and only `emit` writes", source.path));
            }
            if source.name == "course" && used == "code" && !below.starts_with("selector") {
                broken.push(format!("{} uses code::{below}; `course` may know `code::selector` alone", source.path));
            }
            if source.name == "code" && used == "course" {
                broken.push(format!("{} uses course::{below}; `render` joins the two", source.path));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn no_two_rooms_need_each_other() {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources().iter().filter(|source| !source.is_frame()) {
        uses.entry(source.name.clone()).or_default().extend(source.uses().into_iter().map(|(used, _)| used));
    }
    // Rooms that use nothing that is left stand on the ground; in a circle each waits for the other.
    while let Some(ground) =
        uses.iter().find(|(_, used)| used.iter().all(|used| !uses.contains_key(used))).map(|(room, _)| room.clone())
    {
        uses.remove(&ground);
    }
    assert!(uses.is_empty(), "these rooms use each other in a circle: {uses:#?}");
}

#[test]
fn a_foreign_crate_is_known_in_its_room_alone() {
    let mut broken = Vec::new();
    for source in sources() {
        for (name, rooms) in FOREIGN {
            let path = source.path.trim_end_matches(".rs");
            let allowed = rooms.iter().any(|room| path == *room || path.starts_with(&format!("{room}/")));
            let names_it = source
                .code
                .match_indices(&format!("{name}::"))
                .any(|(at, _)| !source.code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'));
            let names_it = names_it
                || source.code.lines().any(|line| {
                    line.starts_with(&format!("use {name};")) || line.starts_with(&format!("use {name}::"))
                });
            if names_it && !allowed {
                broken.push(format!("{} uses {name}", source.path));
            }
        }
        if source.code.contains("use std::{") {
            broken.push(format!(
                "{} groups `use std::{{…}}`; one line a module is how this test reads them",
                source.path
            ));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_file_is_short_and_says_what_it_does() {
    let mut broken = Vec::new();
    for folder in ["src", "tests/it", "benches", "build"] {
        if !repository(folder).is_dir() {
            continue;
        }
        for (path, at) in listing(&repository(folder)).into_iter().filter(|(path, _)| path.ends_with(".rs")) {
            let text = fs::read_to_string(&at).expect("a source file");
            let lines = text.lines().count();
            if lines > 400 {
                broken.push(format!("{folder}/{path} has {lines} lines, more than 400"));
            }
            if !text.starts_with("//! ") {
                broken.push(format!("{folder}/{path} does not begin with a line `//! …`"));
            }
            for word in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")] {
                let is_left =
                    text.lines().any(|line| line.split(|c: char| !c.is_alphanumeric()).any(|found| found == word));
                if is_left {
                    broken.push(format!("{folder}/{path} has a {word}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_architecture_names_every_room() {
    let Ok(text) = fs::read_to_string(repository("ARCHITECTURE.md")) else { panic!("ARCHITECTURE.md is missing") };
    assert!(text.lines().count() <= 220, "ARCHITECTURE.md has {} lines, more than 220", text.lines().count());
    let rooms: BTreeSet<String> =
        sources().into_iter().map(|source| source.name).filter(|name| name != "lib").collect();
    let unnamed: Vec<&String> = rooms
        .iter()
        .filter(|room| !text.contains(&format!("`{room}")) && !text.contains(&format!("src/{room}")))
        .collect();
    assert!(unnamed.is_empty(), "ARCHITECTURE.md does not name {unnamed:?}");
}

#[test]
fn paths_are_read() {
    assert_eq!(group("{a::b, c::{d, e}, f};"), ["a::b", "c", "f"]);
    let room = Room {
        path: "x/y.rs".into(),
        name: "x".into(),
        code: "use crate::a::b;\ncrate::c(1); $crate::d crate::x::e".into(),
    };
    assert_eq!(room.uses().into_iter().map(|(used, _)| used).collect::<Vec<_>>(), ["a", "c"]);
}
