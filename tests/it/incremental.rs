//! A build that keeps what it can yields what a build from nothing does, after any edits, and the preview serves it: on a
//! course that has a bit of everything, in memory, by seeds.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use infralens::diag::{self, Diagnostic};
use infralens::project::{Binary, File, Project};
use infralens::serve::Editor;
use infralens::serve::editor::Settings;
use infralens::serve::hold::Keeper;
use infralens::serve::http::Site;
use infralens::serve::stage::Stage;
use infralens::site::{Memo, Options};
use infralens::source::Source;
use rayon::prelude::*;

use crate::generate::Dice;

/// How many sequences of edits are tried, and how many edits each has.
const SEQUENCES: u64 = 600;
const EDITS: usize = 4;

const PYTHON: &str = "import math\n\n# ANCHOR: ledger\ndef ledger(rows):\n    total = 0\n    for row in rows:\n        total += row\n    return total\n# ANCHOR_END: ledger\n\n# ANCHOR: ratio\ndef ratio(a, b):\n    return a / b\n# ANCHOR_END: ratio\n";
const SHARED: &str = "def shared(x):\n    return x + 1\n";
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\"></svg>\n";

fn lab(title: &str, extra: &str, body: &str) -> String {
    format!(
        "---\ntitle: {title}\nfocus: Focus of {title}\nreads: Reads\noutcome: Outcome of {title}\n{extra}starter: {{file: a.py, type: exercise, angle: Angle}}\n---\n\n## Concept goal\n\nWhat {title} is for.\n\n## Mental model\n\nA picture.\n\n## Starter files\n\nOne.\n\n## Annotated code\n\n{body}\n\n## Explain to yourself\n\n1. Why {title}?\n\n   Because.\n\n## Explain it out loud\n\nI say {title}.\n\n## Common traps\n\nNone.\n\n## Further reading\n\n"
    )
}

/// The files of a course, or of a site.
pub type Course = BTreeMap<String, Vec<u8>>;

/// A course that builds without an error, and has a bit of everything.
pub fn course() -> Course {
    let ledger = "```python file=a.py#ledger\n```\n\n1. `total = 0` — it starts.\n2. `for row in rows` — it goes on.\n";
    let other = "```python file=shared/tools.py\n```\n\n1. `shared` — a tool. See [the other](lab-01-one.md).\n\n![a plot](../../../../code/shared/plot.svg)\n";
    let files = [
        ("content/site.yaml", "title: Course\ntracks: [first, second]\n".to_owned()),
        ("content/references.yaml", "a2020:\n  kind: paper\n  title: A paper\n  authors: A. Author\n  year: 2020\nb2021:\n  kind: blog\n  title: A post\n  authors: B. Blogger\n".into()),
        ("content/index.md", "---\ntitle: Home\n---\n\nBegin [here](tracks/first/index.md).\n\n<!-- tracks -->\n".into()),
        ("content/about.md", "---\ntitle: About\naliases: [old.html]\n---\n\n## Who\n\nUs, and [what for](#who). ![a](pictures/a.svg) [@a2020]\n".into()),
        ("content/glossary.md", "---\ntitle: Glossary\n---\n\nledger\n: A list.\n".into()),
        ("content/pictures/a.svg", SVG.into()),
        ("content/tracks/first/index.md", "---\ntitle: First\nsummary: The first\n---\n\n<!-- curriculum -->\n".into()),
        ("content/tracks/first/handbook/01-ground.md", "---\ntitle: Ground\nsummary: The ground\nreading: [a2020]\n---\n\n## Below\n\nText, [about](../../../about.md#who) and [code](code:lab-01-one/a.py#ratio).\n".into()),
        ("content/tracks/first/handbook/02-walls.md", "---\ntitle: Walls\nsummary: The walls\nafter: [ground]\n---\n\n## Above\n\nSee [below](01-ground.md#below) [@b2021].\n".into()),
        ("content/tracks/first/labs/lab-01-one.md", lab("One", "group: G\nhandbook: [ground]\n", ledger)),
        ("content/tracks/first/labs/lab-02-two.md", lab("Two", "handbook: [walls]\nafter: [lab-01-one]\n", other)),
        ("content/tracks/second/index.md", "---\ntitle: Second\nsummary: The second\n---\n\nMore.\n".into()),
        ("content/tracks/second/handbook/01-roof.md", "---\ntitle: Roof\nsummary: The roof\nafter: [first/walls]\n---\n\nThe end, and [a file](../../../../code/shared/tools.py).\n".into()),
        ("code/lab-01-one/a.py", PYTHON.into()),
        ("code/lab-01-one/README.md", "# The first starter\n\nReads [tools](../shared/tools.py).\n".into()),
        ("code/lab-02-two/a.py", PYTHON.into()),
        ("code/shared/tools.py", SHARED.into()),
        ("code/shared/unnamed.py", "pass\n".into()),
        ("code/shared/plot.svg", SVG.into()),
        ("static/robots-note.txt", "hello\n".into()),
    ];
    files.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect()
}

/// The course as it would be read: a file with the bytes that it had before is the very same file.
fn read(course: &Course, before: &Project) -> Project {
    let mut project = Project::default();
    for (path, bytes) in course {
        let path: Arc<str> = Arc::from(path.as_str());
        let kept = before.files.get(&path).filter(|file| match file {
            File::Text(source) => source.text().as_bytes() == bytes,
            File::Binary(binary) => binary.bytes == *bytes,
            File::Refused(_) => false,
        });
        let file = kept.cloned().unwrap_or_else(|| match bytes.iter().position(|&byte| byte == 0) {
            Some(bad) => File::Binary(Arc::new(Binary::new(bytes.clone(), bad))),
            None => File::Text(Arc::new(Source::new(&*path, String::from_utf8_lossy(bytes)))),
        });
        project.put(&path, Some(file));
    }
    project
}

/// One edit of one file, now and then of two.
pub fn edit(dice: &mut Dice, course: &mut Course, whole: &Course, log: &mut String) {
    let kind = dice.below(16);
    match kind {
        0..=7 => content(dice, course, whole, log),
        8..=10 => starter(dice, course, whole, log),
        11 => settings(dice, course, log),
        12 => references(dice, course, log),
        13 => template(dice, course, log),
        14 => asset(dice, course, log),
        _ => {
            log.push_str("all is restored; ");
            course.clone_from(whole);
        }
    }
}

fn paths(course: &Course, of: impl Fn(&str) -> bool) -> Vec<String> {
    course.keys().filter(|path| of(path)).cloned().collect()
}

fn text(course: &Course, path: &str) -> String {
    String::from_utf8_lossy(&course[path]).into_owned()
}

fn put(course: &mut Course, path: &str, text: impl Into<Vec<u8>>) {
    course.insert(path.to_owned(), text.into());
}

/// Puts a line into the front matter.
fn with_key(text: &str, line: &str) -> String {
    text.replacen("---\n", &format!("---\n{line}\n"), 1)
}

const LINKS: [&str; 14] = [
    "[x](about.md)",
    "[x](../../../about.md#who)",
    "[](../labs/lab-01-one.md)",
    "[](01-ground.md#below)",
    "[x](02-walls.md#new)",
    "[x](code:lab-01-one/a.py#ratio)",
    "[x](code:shared/tools.py#L1)",
    "[x](code:shared/unnamed.py)",
    "[x](../../../../code/shared/)",
    "![x](../../../pictures/a.svg)",
    "[@a2020]",
    "[@b2021, p. 3]",
    "[x](../../../references.yaml)",
    "`total = 0`",
];

fn content(dice: &mut Dice, course: &mut Course, whole: &Course, log: &mut String) {
    let pages = paths(course, |path| path.ends_with(".md"));
    if pages.is_empty() {
        return;
    }
    let path = pages[dice.below(pages.len())].clone();
    let old = text(course, &path);
    let new = match dice.below(21) {
        0..=2 => format!("{old}\nA paragraph, {}.\n", dice.below(9)),
        3 => format!("{old}\n## New\n\nMore.\n"),
        4 => old.replace("## ", "## A "),
        5..=7 => format!("{old}\n{}\n", dice.one_of(&LINKS)),
        8 => old.replace("title: ", "title: Other "),
        9 => with_key(&old, "draft: true"),
        10 => with_key(&old, "aliases: [gone.html]"),
        11 => old.replace("it starts", "it begins"),
        19 => old.replace("Because.", "Therefore, see [x](../index.md)."),
        12 => old.replace("2. `for row in rows` — it goes on.\n", ""),
        13 => old.replace("#ledger", "#ratio").replace("a.py#", "../lab-02-two/a.py#"),
        14 => with_key(&old, "reading: [b2021]"),
        15 => old.replace("after: [", "after: [first/ground, "),
        16 => dice.one_of(&["", "---\n", "---\ntitle: [\n---\n", "\0", "---\ntitle: X\n---\n"]).to_owned(),
        17 => {
            let to = path
                .replace("lab-02-two", "lab-03-three")
                .replace("01-ground", "03-ground")
                .replace("about", "new/about");
            course.remove(&path);
            let _ = write!(log, "{path} becomes {to}; ");
            put(course, &to, old);
            return;
        }
        18 => {
            let _ = write!(log, "{path} is removed; ");
            course.remove(&path);
            return;
        }
        _ => whole.get(&path).map_or(old, |bytes| String::from_utf8_lossy(bytes).into_owned()),
    };
    let _ = write!(log, "{path} is written; ");
    put(course, &path, new);
}

fn starter(dice: &mut Dice, course: &mut Course, whole: &Course, log: &mut String) {
    let files = paths(course, |path| path.starts_with("code/"));
    if files.is_empty() {
        return;
    }
    let path = files[dice.below(files.len())].clone();
    let old = text(course, &path);
    let _ = write!(log, "{path} changes; ");
    let new = match dice.below(11) {
        0 | 1 => format!("# a note\n{old}"),
        2 => format!("{old}# at the end {}\n", dice.below(5)),
        3 => old.replace("total = 0", "total = 1"),
        4 => old.replace("ANCHOR: ledger", "ANCHOR: renamed"),
        5 => old.replace("    for row in rows:\n", ""),
        6 => old.replace("def ", "def  "),
        7 => "\0".to_owned(),
        8 => {
            course.remove(&path);
            return;
        }
        9 => {
            put(
                course,
                &format!("{}/README.md", path.rsplit_once('/').map_or("code", |(folder, _)| folder)),
                "# Read\n\n[x](a.py)\n",
            );
            return;
        }
        _ => whole.get(&path).map_or(old, |bytes| String::from_utf8_lossy(bytes).into_owned()),
    };
    put(course, &path, new);
}

fn settings(dice: &mut Dice, course: &mut Course, log: &mut String) {
    let text = dice.one_of(&[
        "title: Course\ntracks: [first, second]\n",
        "title: Course\ntracks: [second, first]\n",
        "title: Renamed\ntracks: [first, second]\nbase_url: https://example.org/course/\n",
        "title: Course\ntracks: [first]\n",
        "title: Course\ntracks: [first, second]\nlabels:\n  note: Remark\n",
        "titel: Course\n",
        "",
    ]);
    let _ = write!(log, "site.yaml: {text:?}; ");
    put(course, "content/site.yaml", text);
}

fn references(dice: &mut Dice, course: &mut Course, log: &mut String) {
    let whole = "a2020:\n  kind: paper\n  title: A paper\n  authors: A. Author\n  year: 2020\nb2021:\n  kind: blog\n  title: A post\n  authors: B. Blogger\n";
    let text = match dice.below(5) {
        0 => whole.to_owned(),
        1 => whole.replace("2020\n", "2019\n"),
        2 => whole.split("b2021").next().unwrap_or_default().to_owned(),
        3 => "a: [\n".to_owned(),
        _ => {
            log.push_str("references.yaml is removed; ");
            course.remove("content/references.yaml");
            return;
        }
    };
    let _ = write!(log, "references.yaml: {text:?}; ");
    put(course, "content/references.yaml", text);
}

fn template(dice: &mut Dice, course: &mut Course, log: &mut String) {
    let path = dice.one_of(&["templates/parts/footer.html", "templates/own.html", "templates/about.html"]);
    let text = dice.one_of(&[
        "<footer>{{ site.title }} {{ course.tracks | length }}</footer>",
        "<footer>{% for track in course.tracks %}{{ track.minutes }}{% endfor %}</footer>",
        "{{ page.nothing.there }}",
        "{% if %}",
        "",
    ]);
    let _ = write!(log, "{path}: {text:?}; ");
    if text.is_empty() {
        course.remove(path);
    } else {
        put(course, path, text);
    }
}

fn asset(dice: &mut Dice, course: &mut Course, log: &mut String) {
    let (path, text) = match dice.below(10) {
        0 => ("content/pictures/a.svg", SVG.replace("20", "40")),
        1 => ("content/pictures/a.svg", "\0\u{1}binary".to_owned()),
        2 => ("static/style.css", format!("body {{ margin: {}px }}", dice.below(3))),
        3 => ("static/robots-note.txt", format!("hello {}", dice.below(3))),
        4 => ("static/about.html", "in the way".to_owned()),
        8 | 9 => ("code/shared/plot.svg", SVG.replace("10", dice.one_of(&["30", "10\" class=\"a"]))),
        5 => ("content/pictures/b.svg", SVG.to_owned()),
        6 => ("static/favicon.svg", SVG.to_owned()),
        _ => ("content/Pictures/a.svg", SVG.to_owned()),
    };
    let _ = write!(log, "{path} changes; ");
    if course.contains_key(path) && dice.below(2) == 0 {
        course.remove(path);
    } else {
        put(course, path, text);
    }
}

/// A site's files.
type Bytes = BTreeMap<Arc<str>, Vec<u8>>;

/// What a build yields, as far as anyone can see it.
fn seen(memo: &Memo) -> (Bytes, Vec<Diagnostic>, Vec<String>) {
    let files = memo.outputs().files.iter().map(|(path, output)| (Arc::clone(path), output.bytes.as_ref().to_vec()));
    let mut said: Vec<Diagnostic> = memo.diagnostics().cloned().collect();
    diag::sort(&mut said);
    (files.collect(), said, memo.drifts().map(|drift| format!("{} {:?}", drift.page.path(), drift.state)).collect())
}

fn sequence(seed: u64, start: &Memo, whole: &Course, first: &Project) {
    let mut dice = Dice(seed);
    let (mut memo, mut course, mut log) = (start.clone(), whole.clone(), String::new());
    let mut project = read(whole, first);
    let editor = Editor::new(Path::new("/course"), Settings::default());
    let stage = Stage::new(Keeper::new(Options::default()), editor);
    stage.show(&project);
    for step in 0..=EDITS {
        if step == EDITS {
            log.push_str("all is as it was");
            course.clone_from(whole);
        }
        for _ in 0..=dice.below(3) / 2 {
            if step < EDITS {
                edit(&mut dice, &mut course, whole, &mut log);
            }
        }
        log.push('\n');
        project = read(&course, &project);
        memo.build(&project);
        stage.show(&project);
        let mut cold = Memo::new(Options::default());
        cold.build(&project);
        let (files, said, drifts) = seen(&memo);
        let (files_cold, said_cold, drifts_cold) = seen(&cold);
        check_served(&stage, &project, &files_cold, &said_cold, &format!("seed {seed}:\n{log}"));
        assert_eq!(said, said_cold, "seed {seed}:\n{log}");
        assert_eq!(drifts, drifts_cold, "seed {seed}:\n{log}");
        assert!(files.keys().eq(files_cold.keys()), "seed {seed}: other files:\n{log}");
        for (path, bytes) in files {
            let [kept, cold] = [&bytes, &files_cold[&path]].map(|bytes| String::from_utf8_lossy(bytes));
            assert!(
                kept == cold,
                "seed {seed}: {path} differs:\n{log}\n{}",
                similar::TextDiff::from_lines(&*cold, &*kept).unified_diff()
            );
        }
    }
}

/// How a text differs from what it should be.
fn differing(expected: &str, found: &str) -> Option<String> {
    let diff = || similar::TextDiff::from_lines(expected, found).unified_diff().to_string();
    (expected != found).then(diff)
}

/// Without errors every file is served as a build writes it, but for one script on each page that a template makes. With
/// errors they are there to be read on every page, and a page that was shown is still there.
fn check_served(stage: &Stage, project: &Project, files: &Bytes, said: &[Diagnostic], log: &str) {
    let faults: Vec<_> = said.iter().filter(|said| said.severity == diag::Severity::Error).collect();
    if !faults.is_empty() {
        let page = String::from_utf8_lossy(stage.not_found("").bytes.as_ref()).into_owned();
        assert!(faults.iter().take(20).all(|fault| page.contains(fault.code.id)), "{log}\n{page}");
        return;
    }
    let made = |path: &str| path.ends_with(".html") && !project.files.contains_key(format!("static/{path}").as_str());
    for (path, bytes) in files {
        let served = stage.file(path).unwrap_or_else(|| panic!("{path} is not served\n{log}"));
        if made(path) {
            let served = String::from_utf8_lossy(served.bytes.as_ref()).into_owned();
            let tag = &served[served.find("<script src=\"/.infralens/").expect("a script")..];
            let tag = &tag[..tag.find("</script>").expect("its end") + "</script>".len()];
            let built = String::from_utf8_lossy(bytes);
            let differs = differing(&built, &served.replacen(tag, "", 1));
            assert!(differs.is_none(), "{path} is served otherwise\n{log}\n{}", differs.unwrap_or_default());
        } else {
            assert!(served.bytes.as_ref() == *bytes, "{path} is served otherwise\n{log}");
        }
    }
    assert!(stage.paths().iter().map(String::as_str).eq(files.keys().map(AsRef::as_ref)), "{log}");
}

#[test]
fn what_is_kept_is_what_would_be_made() {
    let whole = course();
    let project = read(&whole, &Project::default());
    let mut memo = Memo::new(Options::default());
    memo.build(&project);
    assert!(memo.outputs().files.contains_key("code/shared/plot.svg"), "a picture below `code/` is published");
    assert!(memo.diagnostics().all(|said| said.severity != diag::Severity::Error), "the course is sound");
    // Threads of its own: other tests must not wait for this one.
    let pool = rayon::ThreadPoolBuilder::new().build().expect("a pool");
    pool.install(|| (0..SEQUENCES).into_par_iter().for_each(|seed| sequence(seed, &memo, &whole, &project)));
}
