//! One cause has one diagnostic: in a small but complete course, every kind of file is damaged in every way, and exactly
//! one diagnostic is reported, at that file. What depends on it is silent, in a build from nothing and in one that keeps.

use std::fs;

use infralens::assets::BUILTIN;
use infralens::load;
use infralens_site::{self as site, Options, Site};
use infralens_source::diag::{self, Diagnostic};

use crate::harness::{SiteTest, repository};
use crate::suite;

const SITE: &str = "content/site.yaml";
const REFERENCES: &str = "content/references.yaml";
const GLOSSARY: &str = "content/glossary.md";
const ABOUT: &str = "content/about.md";
const TRACK: &str = "content/tracks/t/index.md";
const SECTION: &str = "content/tracks/t/handbook/01-s.md";
const LAB: &str = "content/tracks/t/labs/lab-01-a.md";
const STARTER: &str = "code/lab-01-a/a.py";
const README: &str = "code/lab-01-a/README.md";
const PICTURE: &str = "content/img/dot.png";
const DRAWING: &str = "code/lab-01-a/dot.png";
const STYLE: &str = "static/style.css";
const IMPORTED: &str = "static/style/own.css";
const TEMPLATE: &str = "templates/page.html";
const INCLUDED: &str = "templates/own.html";

/// What the course has besides `tests/suite/base`, which has the other files: everything here depends on something else.
const FILES: [(&str, &str); 10] = [
    (
        SITE,
        "title: Base\ntracks: [t]\nwords: [warpsize]\nmarkdown: { raw_html: trusted }\nlabs: { sections: [] }\nlanguage: en\n",
    ),
    (GLOSSARY, "---\ntitle: Terms\n---\n\nLedger\n: A list of numbers.\n\nTensor\n: An array.\n"),
    (
        ABOUT,
        "---\ntitle: About\nreading: [manual]\n---\n\n## Links {#links}\n\n[A lab](tracks/t/labs/lab-01-a.md) with \
         [a part](tracks/t/labs/lab-01-a.md#part), [a section](tracks/t/handbook/01-s.md#volume), [a \
         track](tracks/t/index.md), [its practice](tracks/t/practice.md), [its labs](tracks/t/labs/index.md), \
         [terms](glossary.md), [code](../code/lab-01-a/a.py#ledger), [a folder](../code/lab-01-a), [its \
         README](../code/lab-01-a/README.md) and [the first page](index.md). ![A dot](img/dot.png)\n\n![Another \
         dot](../code/lab-01-a/dot.png)\n\n<abbr-like>Allowed</abbr-like> [@dao2023]\n\n```python \
         file=lab-01-a/a.py#fn:step\ndef step(batch):\n    # the loss\n    loss = model(\n        batch,\n        \
         total,\n    )\n    return loss\n```\n\n1. `return loss` — the result.\n",
    ),
    (
        LAB,
        "---\ntitle: Lab A\nfocus: One focus\nreads: One file\noutcome: Explain one file\nhandbook: [s]\nstarter:\n  \
         file: a.py\n  type: Script\n  angle: Where the numbers come from\nreading: [vaswani2017]\n---\n\n## \
         Part\n\nThe name `step` and [About](../../../about.md#links).\n\n```python file=#ledger\nx = 1\ntotal = x + \
         y\n```\n\n1. `total` — the sum.\n",
    ),
    (
        "content/tracks/t/labs/lab-02-b.md",
        "---\ntitle: Lab B\nfocus: Another\nreads: The same\noutcome: Explain it twice\nhandbook: [s]\nafter: \
         [lab-01-a]\nstarter: { file: lab-01-a/a.py, type: Script, angle: Who calls it }\n---\n\nThe `Tensor` and \
         `warpsize`, `batch` and [a region](code:#ledger).\n",
    ),
    ("content/tracks/t/handbook/02-u.md", "---\ntitle: Unit\nsummary: More.\nafter: [s]\n---\n\n[Before](01-s.md)\n"),
    (TEMPLATE, "<main>{% include \"own.html\" %}</main>\n"),
    (INCLUDED, "<p>Own</p>\n"),
    (STYLE, "@import \"style/own.css\";\np { color: red }\n"),
    (IMPORTED, "a { color: blue }\n"),
];

const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";

fn course() -> SiteTest {
    let mut test = SiteTest::copy_of(&repository("tests/suite/base"));
    for (path, text) in FILES {
        test.write(path, text);
    }
    test.write(PICTURE, DOT).write(DRAWING, DOT);
    test.edit("content/tracks/t/handbook/01-s.md", "A section.", "A section about [what follows](02-u.md).");
    test.edit(LAB, "handbook: [s]", "handbook: [s, u]");
    test.lints = true;
    test
}

/// How a file is damaged.
#[derive(Debug, Clone, Copy)]
enum Damage {
    /// A byte that no UTF-8 text has.
    Latin,
    Nul,
    Empty,
    Symlink,
    TooLarge,
    /// One text for another: YAML that cannot be read, or a value of the wrong type.
    Text(&'static str, &'static str),
}

use Damage::{Empty, Latin, Nul, Symlink, Text, TooLarge};

const UNREAD: [Damage; 4] = [Latin, Nul, Symlink, TooLarge];

/// What is done to which file beside [`UNREAD`].
const CASES: [(&str, &[Damage]); 15] = [
    (
        SITE,
        &[
            Empty,
            Text("title: Base", "title: \"Base"),
            Text("title: Base", "title: [Base]"),
            Text("tracks: [t]", "tracks: t"),
            Text("tracks: [t]", "tracks: [{ t: 1 }]"),
            Text("tracks: [t]", "trakcs: [t]"),
            Text("words: [warpsize]", "words: { a: warpsize }"),
            Text("raw_html: trusted", "raw_html: [trusted]"),
            Text("labs: { sections: [] }", "labs: { sections: 1 }"),
        ],
    ),
    (
        REFERENCES,
        &[
            Empty,
            Text("title: Fast", "title: \"Fast"),
            Text("title: Attention", "title: [Attention]"),
            Text("{ kind: official, title: The Manual, url: \"https://example.org/manual\" }", "The Manual"),
        ],
    ),
    (GLOSSARY, &[Empty, Text("title: Terms", "title: \"Terms"), Text("title: Terms", "title: [Terms]")]),
    (
        ABOUT,
        &[
            Empty,
            Text("title: About", "title: \"About"),
            Text("reading: [manual]", "reading: { a: manual }"),
            Text("---\n\n##", "\n##"),
        ],
    ),
    ("content/index.md", &[Empty, Text("title: Home", "title: \"Home")]),
    (
        TRACK,
        &[Empty, Text("title: Track", "title: \"Track"), Text("reading: [dao2023, manual, vaswani2017]", "reading: 1")],
    ),
    (
        SECTION,
        &[
            Empty,
            Text("title: Section", "title: \"Section"),
            Text("summary: What", "summary: [What] #"),
            Text("---\n\n##", "\n##"),
        ],
    ),
    (
        LAB,
        &[
            Empty,
            Text("title: Lab A", "title: \"Lab A"),
            Text("handbook: [s, u]", "handbook: { s: u }"),
            Text("  file: a.py", "  file: [a.py]"),
            Text("starter:\n  file: a.py\n  type: Script\n  angle: Where the numbers come from", "starter: a.py"),
            Text("---\n\n##", "\n##"),
        ],
    ),
    (STARTER, &[Empty]),
    (README, &[]),
    (PICTURE, &[]),
    (DRAWING, &[]),
    (STYLE, &[Text("p { color: red }", "p { color: red } }")]),
    (TEMPLATE, &[Empty, Text("{% include", "{% includes")]),
    (INCLUDED, &[Text("<p>", "{{ <p>")]),
];

/// Whether the damage is none to that file: pictures are no text.
fn is_sound(path: &str, damage: Damage) -> bool {
    let is_asset = path.ends_with(".png") || path.starts_with("static/");
    match damage {
        Latin | Nul => path.ends_with(".png"),
        // The limit of what is published as it is would fill the memory of the tests.
        TooLarge => is_asset && !path.starts_with("code/"),
        _ => false,
    }
}

fn damage(test: &SiteTest, path: &str, damage: Damage) {
    let old = fs::read(test.root().join(path)).expect("a file of the course");
    let with = |bytes: &[u8]| [&old[..old.len() / 2], bytes, &old[old.len() / 2..]].concat();
    match damage {
        Latin => test.write(path, with(b"\xff")),
        Nul => test.write(path, with(b"\0")),
        Empty => test.write(path, ""),
        TooLarge => test.write(path, vec![b'#'; 4_200_000]),
        Text(from, to) => test.edit(path, from, to),
        Symlink => {
            suite::special(test, "symlink", path, "/etc/passwd");
            test
        }
    };
}

fn sorted(site: &Site) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = site.diagnostics().cloned().collect();
    diag::sort(&mut diagnostics);
    diagnostics
}

#[test]
fn a_damaged_file_has_one_diagnostic_and_nothing_follows_from_it() {
    let test = course();
    let mut project = load::load(&test.root());
    let options = Options::new(BUILTIN);
    let mut kept = site::plan(&project, &options, &Site::default());
    assert_eq!(test.build().human(), "", "the course is in order before anything is damaged");
    let mut failures = Vec::new();
    for (path, own) in CASES {
        for &how in UNREAD.iter().chain(own).filter(|how| !is_sound(path, **how)) {
            let sound = fs::read(test.root().join(path)).expect("a file of the course");
            damage(&test, path, how);
            project = load::reload(&test.root(), &project, &|| false).expect("it is not stopped");
            let outcome = site::build(&project, &Options::new(BUILTIN));
            if !matches!(outcome.diagnostics.as_slice(), [diagnostic] if *diagnostic.place.file == *path)
                || outcome.files.is_some()
            {
                failures.push(format!(
                    "{path}, {how:?}:\n{}",
                    infralens::report::human(&outcome.diagnostics, &project, false)
                ));
            }
            kept = site::plan(&project, &options, &kept);
            let cold = site::plan(&project, &options, &Site::default());
            assert_eq!(sorted(&kept), sorted(&cold), "{path}, {how:?}");
            fs::remove_file(test.root().join(path)).expect("it can be removed");
            test.write(path, sound);
            project = load::reload(&test.root(), &project, &|| false).expect("it is not stopped");
            kept = site::plan(&project, &options, &kept);
            assert_eq!(sorted(&kept), [], "{path} is as it was");
        }
    }
    assert!(failures.is_empty(), "{} cases fail\n\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn folders_that_are_not_read_have_one_diagnostic() {
    let mut failures = Vec::new();
    for folder in
        ["content/img", "content/tracks/t/handbook", "content/tracks/t", "code/lab-01-a", "templates", "static"]
    {
        let test = course();
        test.remove(folder);
        suite::special(&test, "symlink", folder, "/etc");
        let built = test.build();
        if !matches!(built.diagnostics.as_slice(), [diagnostic] if *diagnostic.place.file == *folder) {
            failures.push(format!("{folder}:\n{}", built.human()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
