//! The course of the seeds, and what is done to it: every kind of edit, now and then one that nobody would make.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use infralens_source::project::{Binary, File, Project, Refusal};
use infralens_source::source::Source;

use crate::generate::Dice;

/// A course's files by path. What begins with [`LINK`] or [`HUGE`] is not read.
pub type Course = BTreeMap<String, Vec<u8>>;

const LINK: &str = "\0link";
const HUGE: &str = "\0huge";

const PYTHON: &str = "import math\n\n# ANCHOR: ledger\ndef ledger(rows):\n    total = 0\n    for row in rows:\n        total += row\n    return total\n# ANCHOR_END: ledger\n\n# ANCHOR: ratio\ndef ratio(a, b):\n    return a / b\n# ANCHOR_END: ratio\n";
const SHARED: &str = "def shared(x):\n    return x + 1\n";
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\"></svg>\n";

fn lab(title: &str, extra: &str, body: &str) -> String {
    format!(
        "---\ntitle: {title}\nfocus: Focus of {title}\nreads: Reads\noutcome: Outcome of {title}\n{extra}starter: {{file: a.py, type: exercise, angle: Angle}}\n---\n\n## Concept goal\n\nWhat {title} is for.\n\n## Mental model\n\nA picture.\n\n## Starter files\n\nOne.\n\n## Annotated code\n\n{body}\n\n## Check yourself\n\nWhy {title}?\n: Because.\n\n## Interview explanation\n\nI say {title}.\n\n## Common traps\n\nNone.\n\n## Further reading\n\n"
    )
}

/// A course that builds without an error, and has a bit of everything.
pub fn course() -> Course {
    let ledger = "```python file=a.py#ledger\n```\n\n1. `total = 0` — it starts.\n2. `for row in rows` — it goes on.\n";
    let other = "```python file=shared/tools.py\n```\n\n1. `shared` — a tool. See [the other](lab-01-one.md).\n\n![a plot](../../../../code/shared/plot.svg)\n";
    let files = [
        ("content/site.yaml", "title: Course\ntracks: [first, second]\n".to_owned()),
        ("content/references.yaml", "a2020:\n  kind: paper\n  title: A paper\n  authors: A. Author\n  year: 2020\nb2021:\n  kind: blog\n  title: A post\n  authors: B. Blogger\n".into()),
        ("content/index.md", "---\ntitle: Home\n---\n\nBegin [here](tracks/first/index.md).\n\n<!-- tracks -->\n".into()),
        ("content/about.md", "---\ntitle: About\naliases: [old.html]\n---\n\n## Who\n\nUs, and [what for](#who), and [a folder](../code/plain/). ![a](pictures/a.svg) [@a2020]\n".into()),
        ("content/glossary.md", "---\ntitle: Glossary\n---\n\nledger\n: A list.\n\nPicture\n: Something drawn.\n\nText\n: Words.\n".into()),
        ("content/pictures/a.svg", SVG.into()),
        ("content/pictures/drawing.dat", SVG.into()),
        ("content/notes/index.md", "---\ntitle: Notes\n---\n\nAll of them. ![d](../pictures/drawing.dat)\n".into()),
        ("content/notes/deep.md", "---\ntitle: Deep\ndraft: true\n---\n\nNot yet: [this](code:draft/d.py).\n".into()),
        ("content/notes/one.md", "---\ntitle: One\norder: 2\n---\n\nA note.\n".into()),
        ("content/notes/two/more.md", "---\ntitle: More\norder: 1\n---\n\nMore notes.\n".into()),
        ("content/tracks/first/index.md", "---\ntitle: First\nsummary: The first\n---\n\n<!-- curriculum -->\n".into()),
        ("content/tracks/first/handbook/01-ground.md", "---\ntitle: Ground\nsummary: The ground\nreading: [a2020]\n---\n\n## Below\n\nText, [about](../../../about.md#who) and [code](code:lab-01-one/a.py#ratio).\n".into()),
        ("content/tracks/first/handbook/02-walls.md", "---\ntitle: Walls\nsummary: The walls\nafter: [ground]\n---\n\n## Above\n\nSee [below](01-ground.md#below), [](01-ground.md#below) [@b2021].\n".into()),
        ("content/tracks/first/labs/lab-01-one.md", lab("One", "group: G\nhandbook: [ground]\n", ledger)),
        ("content/tracks/first/labs/lab-02-two.md", lab("Two", "handbook: [walls]\nafter: [lab-01-one]\n", other)),
        ("content/tracks/second/index.md", "---\ntitle: Second\nsummary: The second\n---\n\nMore.\n".into()),
        ("content/tracks/second/handbook/01-roof.md", "---\ntitle: Roof\nsummary: The roof\nafter: [first/walls]\n---\n\nThe end, and [a file](../../../../code/shared/tools.py).\n".into()),
        ("code/lab-01-one/a.py", PYTHON.into()),
        ("code/lab-01-one/README.md", "# The first starter\n\nReads [tools](../shared/tools.py).\n".into()),
        ("code/lab-02-two/a.py", PYTHON.into()),
        ("code/shared/tools.py", SHARED.into()),
        ("code/shared/unnamed.py", "pass\n".into()),
        ("code/shared/README.md", "Shared, and [@b2021].\n".into()),
        ("code/shared/deep/down.py", SHARED.into()),
        ("code/shared/deep/README.md", "# Down here\n\n![a plot](../plot.svg) [one](../../lab-01-one/a.py#L1)\n".into()),
        ("code/plain/only.bin", "\0".into()),
        ("code/draft/d.py", SHARED.into()),
        ("code/draft/README.md", "# A draft's\n".into()),
        ("code/zone/e.py", SHARED.into()),
        ("code/zone/README.md", "# Aside\n\n![another](only.svg)\n".into()),
        ("code/zone/only.svg", SVG.into()),
        ("code/shared/plot.svg", SVG.into()),
        ("static/robots-note.txt", "hello\n".into()),
    ];
    files.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect()
}

/// The course as it would be read: a file with the bytes that it had before is the very same file.
pub fn read(course: &Course, before: &Project) -> Project {
    let mut project = Project::default();
    for (path, bytes) in course {
        let path: Arc<str> = Arc::from(path.as_str());
        let kept = before.files.get(&path).filter(|file| file.bytes() == Some(bytes));
        let file = kept.cloned().unwrap_or_else(|| file(&path, bytes));
        project.put(&path, Some(file));
    }
    project
}

fn file(path: &str, bytes: &[u8]) -> File {
    match bytes.iter().position(|&byte| byte == 0) {
        Some(_) if bytes == LINK.as_bytes() => File::Refused(Refusal::Symlink),
        Some(_) if bytes == HUGE.as_bytes() => File::Refused(Refusal::TooLarge { size: 9, limit: 8 }),
        Some(bad) => File::Binary(Arc::new(Binary::new(bytes.to_vec(), bad))),
        None => File::Text(Arc::new(Source::new(path, String::from_utf8_lossy(bytes)))),
    }
}

/// One edit of one file, now and then of two.
pub fn edit(dice: &mut Dice, course: &mut Course, whole: &Course, log: &mut String) {
    match dice.below(18) {
        0..=7 => content(dice, course, whole, log),
        8..=10 => starter(dice, course, whole, log),
        11 => settings(dice, course, log),
        12 => references(dice, course, log),
        13 => template(dice, course, log),
        14 => asset(dice, course, log),
        15 | 16 => any(dice, course, log),
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

/// What becomes of parts of paths when a page is renamed.
const MOVES: [(&str, &str); 9] = [
    ("lab-02-two", "lab-03-three"),
    ("lab-02-two", "lab-01-again"),
    ("01-ground", "03-ground"),
    ("about", "new/about"),
    ("tracks/first/", "tracks/second/"),
    ("tracks/second/", "tracks/first/"),
    ("tracks/second/", "tracks/third/"),
    ("notes/deep", "a"),
    (".md", "-2.md"),
];

const LINKS: [&str; 29] = [
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
    "[x](code:zone/e.py)",
    "[x](code:shared/deep/down.py#L1)",
    "[x](../../../../code/shared/deep/down.py)",
    "![x](../../../pictures/drawing.dat)",
    "![x](../../../../code/zone/only.svg)",
    "<img src=\"../../../pictures/a.svg\" alt=\"a\">",
    "<a id=\"place\"></a>",
    "<a href=\"../handbook/01-ground.md#place\">x</a>",
    "<a href=\"code:zone/e.py\">x</a>",
    "<video src=\"../../../pictures/drawing.dat\"></video>",
    "<details>",
    "[x](../labs/index.md)",
    "[](../practice.md)",
    "[](../../../index.md)",
    "[^1]\n\n[^1]: See [it](code:shared/tools.py).",
];

fn content(dice: &mut Dice, course: &mut Course, whole: &Course, log: &mut String) {
    let pages = paths(course, |path| path.ends_with(".md"));
    if pages.is_empty() {
        return;
    }
    // Many others lead to this one, and it leads to all kinds of things.
    let ground = pages.iter().position(|path| path.ends_with("01-ground.md")).filter(|_| dice.below(4) == 0);
    let path = pages[ground.unwrap_or_else(|| dice.below(pages.len()))].clone();
    let old = text(course, &path);
    let new = match dice.below(34) {
        0..=2 => format!("{old}\nA paragraph, {}.\n", dice.below(9)),
        3 => format!("{old}\n## New\n\nMore.\n"),
        4 => old.replace("## ", "## A "),
        5..=7 => format!("{old}\n{}\n", dice.one_of(&LINKS)),
        8 => old.replace("title: ", "title: Other "),
        9 => with_key(&old, "draft: true"),
        10 => with_key(&old, "aliases: [gone.html]"),
        11 => old.replace("it starts", "it begins").replace("Why ", "How "),
        19 => old.replace("Because.", "Therefore, see [x](../index.md)."),
        12 => old.replace("2. `for row in rows` — it goes on.\n", ""),
        13 => old.replace("#ledger", "#ratio").replace("a.py#", "../lab-02-two/a.py#"),
        14 => with_key(&old, "reading: [b2021]"),
        15 => old.replace("after: [", "after: [first/ground, "),
        16 => dice.one_of(&["", "---\n", "---\ntitle: [\n---\n", "\0", "---\ntitle: X\n---\n"]).to_owned(),
        17 => {
            let (from, into) = MOVES[dice.below(MOVES.len())];
            let to = path.replace(from, into);
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
        20 => old.replace('\n', "\r\n"),
        21 => format!("\u{feff}{}", old.trim_start_matches('\u{feff}')),
        22 => with_key(&old, dice.one_of(&["aliases: [about.html]", "aliases: [Old.html, x/y.html]", "minutes: 7"])),
        23 => with_key(&old, dice.one_of(&["checked: 2024-05-06", "summary: Another", "group: H"])),
        24 => old.replace("draft: true\n", ""),
        25 => format!("{old}\n<!-- {} -->\n", dice.one_of(&["curriculum", "starters", "tracks", "reading-order"])),
        26 => old.replace("file=a.py", dice.one_of(&["file=zone/e.py", "file=shared/deep/down.py", "file=./b.py"])),
        28 | 29 => old.replace("## Below", dice.one_of(&["## BELOW", "## Under"])),
        30 => old.replace("order: ", "order: 1"),
        31 => old.replace("a.py#ratio)", dice.one_of(&["a.py#ledger)", "a.py#L1-L3)"])),
        27 => format!("{old}\n{}\n", "Many words. ".repeat(150)),
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
        "title: Course\ntracks: [first, second, third]\n",
        "title: Course\ntagline: What it is\nlanguage: de\ntracks: [first, second]\n",
        "title: Course\ntracks: [first, first]\n",
        "titel: Course\n",
        "title: Course\ntracks: [first, second]\nmarkdown: { raw_html: trusted }\n",
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
    let (path, text) = match dice.below(15) {
        0 => ("content/pictures/a.svg", SVG.replace("20", "40")),
        1 => ("content/pictures/a.svg", "\0\u{1}binary".to_owned()),
        2 | 3 => ("static/style.css", format!("body {{ margin: {}px }}", dice.below(3))),
        4 => ("static/robots-note.txt", format!("hello {}", dice.below(3))),
        5 => ("static/about.html", "in the way".to_owned()),
        6 => ("content/pictures/b.svg", SVG.to_owned()),
        7 => ("static/favicon.svg", SVG.to_owned()),
        8 | 9 => ("code/shared/plot.svg", SVG.replace("10", dice.one_of(&["30", "10\" class=\"a"]))),
        10 => ("code/zone/only.svg", SVG.replace("10", "30")),
        11 => ("content/pictures/drawing.dat", SVG.replace("10", dice.one_of(&["30", "50"]))),
        12 => ("code/plain/only.bin", "\0".to_owned()),
        13 => ("code/shared/data.bin", "\0".to_owned()),
        _ => ("content/Pictures/a.svg", SVG.to_owned()),
    };
    let _ = write!(log, "{path} changes; ");
    if course.contains_key(path) && dice.below(3) == 0 {
        course.remove(path);
    } else {
        put(course, path, text);
    }
}

/// What can be done to any file, or puts one where it may be in the way.
fn any(dice: &mut Dice, course: &mut Course, log: &mut String) {
    let all = paths(course, |_| true);
    if all.is_empty() {
        return;
    }
    let path = &all[dice.below(all.len())];
    let _ = write!(log, "{path} of all; ");
    match dice.below(8) {
        // A draft is not published, but it names starters.
        6 | 7 => {
            log.push_str("the draft names others; ");
            let other = dice.one_of(&["code:draft/d.py", "code:draft/d.py) [that](code:zone/e.py"]);
            put(
                course,
                "content/notes/deep.md",
                format!("---\ntitle: Deep\ndraft: true\n---\n\nNot yet: [this]({other}).\n"),
            );
        }
        0 => put(course, path, LINK),
        1 => put(course, path, HUGE),
        2 => drop(course.remove(path)),
        3 => {
            log.push_str("its folder goes; ");
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned() + "/";
            course.retain(|path, _| !path.starts_with(&folder));
        }
        _ => {
            let (path, text) = NEW[dice.below(NEW.len())];
            let _ = write!(log, "{path} comes; ");
            put(course, path, text);
        }
    }
}

const NEW: [(&str, &str); 13] = [
    ("content/index.html", "in the way"),
    ("content/tracks/first/labs/index.md", "---\ntitle: The labs\n---\n\nAll.\n"),
    ("content/tracks/first/practice.md", "---\ntitle: To practise\n---\n\nAsk.\n"),
    ("content/tracks/second/labs/lab-01-one.md", "---\ntitle: No lab\n---\n"),
    ("content/tracks/first/handbook/04-ground.md", "---\ntitle: Ground again\nsummary: S\n---\n\nX.\n"),
    ("content/tracks/first/extra.md", "---\ntitle: Extra\n---\n\n[](handbook/01-ground.md#below)\n"),
    ("content/tracks/third/index.md", "---\ntitle: Third\nsummary: S\ndraft: true\n---\n\nX.\n"),
    ("content/ABOUT.md", "---\ntitle: Loud\n---\n"),
    ("static/shared.js", "let x;\n"),
    ("code/README.md", "# All code\n\n[x](shared/unnamed.py)\n"),
    ("code/shared/deep/down.py", "def shared(x):\n    return x + 2\n"),
    ("templates/base.html", "{{ page.title }}{% block main %}{% endblock %}"),
    ("templates/lab.html", "{% extends \"base.html\" %}{% block main %}{{ page.heading }}{% endblock %}"),
];
