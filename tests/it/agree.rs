//! `check` and `build` agree: whatever has been done to a course, a site that is said to build is written, and one that
//! is not has an error. Edits are drawn by a seed: a failure comes again.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use infralens::emit::Target;
use infralens_source::diag::Severity;
use rayon::prelude::*;

use crate::generate::{Dice, MARKDOWN, TEMPLATE, YAML, noise};
use crate::harness::{SiteTest, emit, listing, repository};

/// How many courses are tried in this process.
const COURSES: u64 = 160;
/// How many of them are given to the program, too.
const RUNS: u64 = 10;

/// A course that has been edited a few times, and what was done to it.
fn edited(seed: u64) -> (SiteTest, String) {
    let mut dice = Dice(seed);
    let site = SiteTest::copy_of(&repository("tests/suite/base"));
    site.write(
        "content/page.md",
        "---\ntitle: Page\naliases: [old.html]\n---\n\n![A](a.png) [the code](code:lab-01-a/a.py)\n",
    );
    site.write("content/a.png", "not a picture")
        .write("static/file.txt", "x")
        .write("content/sub/b.md", "---\ntitle: B\n---\n");
    let done: Vec<String> = (0..=dice.below(3)).map(|_| edit(&site, &mut dice)).collect();
    (site, format!("seed {seed}: {}", done.join("; ")))
}

/// Does one thing to a course; says what.
fn edit(site: &SiteTest, dice: &mut Dice) -> String {
    let files: Vec<String> = listing(&site.root()).into_keys().collect();
    let file = files[dice.below(files.len())].clone();
    let other = files[dice.below(files.len())].clone();
    let at = site.root().join(&file);
    match dice.below(14) {
        0 => remove(&at, format!("remove {file}")),
        1 => {
            let to = format!("{}{}", folder(&other), name(&file));
            replace(site, &file, &to)
        }
        2 => replace(site, &file, &format!("{}{}", folder(&file), name(&file).to_uppercase())),
        3 => {
            let twin = format!("{}{}", folder(&file), swapped(name(&file)));
            copy(site, &file, &twin)
        }
        4 => {
            let inside = format!("{file}/{}", name(&other));
            remove(&at, String::new());
            write(site, &inside, "x")
        }
        5 => {
            remove(&at, String::new());
            symlink("/etc/hostname", &at).map_or_else(|error| error.to_string(), |()| format!("link {file}"))
        }
        6 => {
            let published = format!("static/{}", published(&other));
            write(site, &published, "x")
        }
        7 => {
            let inside = format!("static/{}/y.png", published(&other));
            write(site, &inside, "x")
        }
        8 => {
            let alias = match dice.below(5) {
                0 => published(&other),
                1 => format!("{}/z.html", published(&other)),
                2 => published(&other).to_uppercase(),
                3 => format!("{}.html", "a".repeat(240 + dice.below(20))),
                _ => "a/".repeat(495 + dice.below(30)) + "a.html",
            };
            write(site, "content/alias.md", &format!("---\ntitle: Alias\naliases: [\"{alias}\"]\n---\n"))
        }
        9 => {
            let long = format!(
                "{}{}.md",
                dice.one_of(&["content/", "content/sub/", "code/lab-01-a/"]),
                "a".repeat(240 + dice.below(12))
            );
            write(site, &long, "---\ntitle: Long\n---\n")
        }
        10 => {
            let words = if file.ends_with(".yaml") { YAML } else { MARKDOWN };
            let text = fs::read_to_string(&at).unwrap_or_default() + &noise(dice, words, 20);
            write(site, &file, &text)
        }
        11 => {
            let path = dice.one_of(&["templates/page.html", "templates/lab.html", "templates/none.html"]);
            write(site, path, &noise(dice, TEMPLATE, 12))
        }
        12 => {
            let text = fs::read_to_string(&at).unwrap_or_default().replacen("title:", "draft: true\ntitle:", 1);
            write(site, &file, &text)
        }
        _ => {
            let path = dice.one_of(&[
                "static/.infralens-manifest.json",
                "static/index.html",
                "static/.Infralens-Manifest.json/x",
                "content/index.html/x.png",
                "static/assets",
            ]);
            write(site, path, "x")
        }
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn folder(path: &str) -> &str {
    &path[..path.len() - name(path).len()]
}

/// Where a file may be published.
fn published(path: &str) -> String {
    let below = path.split_once('/').map_or(path, |(_, below)| below);
    below.strip_suffix(".md").map_or_else(|| below.to_owned(), |stem| format!("{stem}.html"))
}

/// A name in which the first letter has the other case.
fn swapped(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().map_or('A', |first| {
        if first.is_uppercase() { first.to_ascii_lowercase() } else { first.to_ascii_uppercase() }
    });
    format!("{first}{}", chars.as_str())
}

/// Writes a file where that can be done.
fn write(site: &SiteTest, path: &str, text: &str) -> String {
    let at = site.root().join(path);
    let folder = at.parent().expect("a file lies in a folder");
    match fs::create_dir_all(folder).and_then(|()| fs::write(&at, text)) {
        Ok(()) => format!("write {} {:?}", shown(path), text.chars().take(60).collect::<String>()),
        Err(error) => format!("{}: {error}", shown(path)),
    }
}

fn shown(path: &str) -> String {
    path.chars().take(80).collect()
}

fn remove(at: &Path, what: String) -> String {
    let removed = if at.is_dir() { fs::remove_dir_all(at) } else { fs::remove_file(at) };
    removed.map_or_else(|error| error.to_string(), |()| what)
}

fn replace(site: &SiteTest, from: &str, to: &str) -> String {
    let moved = fs::rename(site.root().join(from), site.root().join(to));
    moved.map_or_else(|error| error.to_string(), |()| format!("move {from} to {to}"))
}

fn copy(site: &SiteTest, from: &str, to: &str) -> String {
    let copied = fs::copy(site.root().join(from), site.root().join(to));
    copied.map_or_else(|error| error.to_string(), |_| format!("copy {from} to {to}"))
}

#[test]
fn what_is_said_to_build_is_written() {
    let tried: Vec<(bool, Option<String>)> = (0..COURSES)
        .into_par_iter()
        .map(|seed| {
            let (mut site, what) = edited(seed);
            site.lints = true;
            let built = site.build();
            let is_refused = built.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
            if built.files.is_some() == is_refused {
                return (is_refused, Some(format!("{what}: says\n{}", built.human())));
            }
            let (out, root) = (site.public(), site.root());
            let emitted = built.files.map(|files| emit(&files, &Target { out: &out, root: &root, is_marked: false }));
            let wrong = emitted.and_then(Result::err).map(|error| format!("{what}: {error}\n"));
            (is_refused, wrong)
        })
        .collect();
    let refused = tried.iter().filter(|(is_refused, _)| *is_refused).count() as u64;
    let wrong: String = tried.into_iter().filter_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{wrong}");
    assert!(
        (COURSES / 10..COURSES * 9 / 10).contains(&refused),
        "{refused} of {COURSES} are refused: too few or too many"
    );
}

#[test]
fn the_program_checks_what_it_builds() {
    (0..RUNS).into_par_iter().for_each(|seed| {
        let (site, what) = edited(1000 + seed);
        let [check, build] = ["check", "build"].map(|command| site.run(&[command]));
        assert_eq!(check.status.code(), build.status.code(), "{what}");
        let (check, build) = (String::from_utf8_lossy(&check.stderr), String::from_utf8_lossy(&build.stderr));
        let build = build.split("nothing was written").next().unwrap_or_default();
        assert_eq!(check, build, "{what}");
    });
}
