//! `infralens new`: what it prints and creates, in `tests/scaffold`, and that the course still builds
//! with nothing to say but what is left to write. With `UPDATE=1` what is expected is written anew.

use std::collections::BTreeMap;
use std::fs;
use std::process::Output;

use crate::harness::{SiteTest, contents, program, repository, updates};

fn base() -> SiteTest {
    SiteTest::copy_of(&repository("tests/suite/base"))
}

fn starter(name: &str) -> String {
    repository("tests/scaffold/starters").join(name).to_string_lossy().into_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A course, and all that commands have printed and created in it.
struct Transcript {
    test: SiteTest,
    /// What the course has to say before anything is begun in it.
    before: Vec<String>,
    output: String,
}

impl Transcript {
    fn of(test: SiteTest) -> Self {
        let before = diagnostics(&test).1;
        Self { test, before, output: String::new() }
    }

    /// Runs a command that must succeed, and notes the files that it wrote; of labs only what is about code.
    fn run(&mut self, arguments: &[&str]) -> &mut Self {
        let before = contents(&self.test.root());
        let run = self.test.run(arguments);
        assert_eq!((run.status.code(), text(&run.stderr)), (Some(0), String::new()), "{arguments:?}");
        self.note(arguments, &run);
        for (path, bytes) in contents(&self.test.root()).iter().filter(|(path, bytes)| before.get(*path) != Some(bytes))
        {
            if path.starts_with("content/") {
                self.output.push_str(&format!("\n== {path}\n{}\n", about_code(&text(bytes)).trim_end()));
            }
        }
        check(&self.test, &self.before);
        self
    }

    /// Runs a command that must be refused, and must leave everything as it was.
    fn refused(&mut self, arguments: &[&str]) -> &mut Self {
        let before = contents(self.test.above());
        let run = self.test.run(arguments);
        assert_eq!((run.status.code(), text(&run.stdout)), (Some(2), String::new()), "{arguments:?}");
        assert!(contents(self.test.above()) == before, "{arguments:?} changed something");
        self.note(arguments, &run);
        self
    }

    fn note(&mut self, arguments: &[&str], run: &Output) {
        let folder = repository("tests/scaffold/starters").to_string_lossy().into_owned();
        let typed = arguments.join(" ").replace(&folder, "STARTERS");
        let output = (text(&run.stdout) + &text(&run.stderr)).replace(&folder, "STARTERS");
        self.output.push_str(&format!("\n$ infralens {typed}\n{output}"));
    }

    /// Holds the transcript against `tests/scaffold/NAME.txt`.
    fn is(&self, name: &str) {
        let path = repository("tests/scaffold").join(format!("{name}.txt"));
        if updates() {
            fs::write(&path, self.output.trim_start()).expect("the expected text is written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(expected == self.output.trim_start(), "{name} is not as expected:\n{}", self.output);
    }
}

/// A lab from its front matter to the end of its excerpts, without the sections before them; other files as they are.
fn about_code(text: &str) -> String {
    match (text.find("## Concept goal"), text.find("## Annotated code"), text.find("## What to notice")) {
        (Some(goal), Some(code), Some(after)) if goal < code => {
            format!("{}…\n\n{}\n…", &text[..goal], text[code..after].trim_end())
        }
        _ => text.to_owned(),
    }
}

/// The exit status of `check`, and what it says.
fn diagnostics(test: &SiteTest) -> (Option<i32>, Vec<String>) {
    let checked = test.run(&["check", "--format", "json"]);
    (checked.status.code(), text(&checked.stdout).lines().map(str::to_owned).collect())
}

/// The course builds, and has nothing to say that it did not say before, but what is left to write.
fn check(test: &SiteTest, before: &[String]) {
    let (status, mut output) = diagnostics(test);
    output.retain(|line| !line.contains("\"code\":\"todo\"") && !before.contains(line));
    assert_eq!((status, output), (Some(0), Vec::new()));
}

#[test]
fn a_lab_without_code_gets_some_to_replace() {
    let mut course = Transcript::of(base());
    course.run(&["new", "lab", "t/bank-conflict"]).run(&["new", "lab", "t/lab-07-zéro"]).run(&["new", "lab", "t/x_9"]);
    course.is("bare");
    let page = fs::read_to_string(course.test.root().join("content/tracks/t/labs/lab-02-bank-conflict.md"));
    assert!(!page.expect("the lab").contains("{{"));
}

#[test]
fn a_lab_has_every_section_of_the_contract() {
    let test = SiteTest::from_dir("minimal");
    let sections = "title: Own\ntracks: [own]\nlabs:\n  sections:\n    - { title: \"What's *this*? -- or... a_b\", required: true }\n    \
                    - { title: Drill, as: questions, required: true }\n    - { title: Say it, as: spoken }\n    \
                    - { title: Read on, as: reading, required: true }\n";
    test.write("content/site.yaml", sections);
    test.write("content/tracks/own/index.md", "---\ntitle: Own\nsummary: Its own contract.\n---\n");
    let mut course = Transcript::of(test);
    course.run(&["new", "lab", "own/first"]).is("contract");
}

#[test]
fn a_starter_from_elsewhere_is_copied_and_its_parts_are_shown() {
    let mut course = Transcript::of(base());
    for name in ["window.py", "saxpy.cu", "train.yaml", "retry.sh", "quotes.txt"] {
        let slug = format!("t/{}", name.replace('.', "-"));
        course.run(&["new", "lab", &slug, "--starter", &starter(name)]);
    }
    course.is("starters");
    let copied = fs::read(course.test.root().join("code/lab-03-saxpy-cu/saxpy.cu")).expect("the copy");
    assert!(copied == fs::read(starter("saxpy.cu")).expect("the original"));
}

#[test]
fn a_starter_in_code_is_named_where_it_lies() {
    let test = base();
    test.write("code/shared/loop.py", "def loop(n):\n    total = 0\n    return total\n");
    test.write("code/lab-04-own/own.py", "value = 1\n");
    test.write("code/.hidden.py", "value = 1\n").write("code/top.py", "value = 1\n");
    let mut course = Transcript::of(test);
    course.run(&["new", "lab", "t/loop", "--starter", "code/shared/loop.py"]);
    course.run(&["new", "lab", "t/own", "--starter", "code/lab-04-own/own.py"]);
    course.refused(&["new", "lab", "t/top", "--starter", "code/top.py"]);
    course.refused(&["new", "lab", "t/hidden", "--starter", "code/.hidden.py"]);
    course.is("in-code");
}

#[test]
fn a_folder_that_waits_for_its_lab_gives_number_and_code() {
    let test = base();
    test.write("code/lab-05-queue/README.md", "# A queue\n\nRead `ring.py`.\n");
    test.write("code/lab-05-queue/data.txt", "1 2 3\n");
    test.write("code/lab-05-queue/ring.py", "class Ring:\n    def put(self, item):\n        self.item = item\n");
    test.write("code/lab-05-queue/use.sh", "# ANCHOR: call\npython3 ring.py\n# ANCHOR_END: call\n");
    let mut course = Transcript::of(test);
    course.run(&["new", "lab", "t/queue"]).is("folder");
}

#[test]
fn starters_that_no_lab_can_read() {
    let test = base();
    test.write("../empty.py", "\n\n").write("../nul.bin", b"ab\0c").write("../latin.py", b"x = '\xe9'\n");
    test.write("../open.py", "# ANCHOR: a\nx = 1\n").write("../.dot.py", "x = 1\n");
    test.write("../README.md", "# Read me\n").write("../a\nb.py", "x = 1\n");
    test.write("code/lab-09-taken/ring.py", "x = 1\n").write("../ring.py", "y = 1\n");
    let mut course = Transcript::of(test);
    for name in ["empty.py", "nul.bin", "latin.py", "open.py", ".dot.py", "README.md", "a\nb.py", "gone.py", "."] {
        course.refused(&["new", "lab", "t/new", "--starter", &format!("../{name}")]);
    }
    course.refused(&["new", "lab", "t/taken", "--starter", "../ring.py"]);
    course.is("refused-starters");
}

#[test]
fn a_long_starter_is_not_shown_whole() {
    let test = base();
    let mut code = String::from("\"\"\"Many functions.\"\"\"\n");
    for n in 0..375 {
        code += &format!(
            "\n\ndef step_{n}(state):\n    gain = {n} * state\n    # so far\n    total = gain + 1\n    return total\n"
        );
    }
    test.write("../many.py", &code).write("../data.csv", "a,b\n".repeat(3_000));
    let mut course = Transcript::of(test);
    for name in ["many.py", "data.csv"] {
        course.run(&["new", "lab", &format!("t/{}", &name[..4]), "--starter", &format!("../{name}")]);
    }
    course.is("long");
}

#[test]
fn sections_are_numbered_too() {
    let mut course = Transcript::of(base());
    course
        .run(&["new", "section", "t/warps"])
        .run(&["new", "section", "t/09-lab-a"])
        .run(&["new", "section", "t/last"]);
    course.is("section");
}

#[test]
fn names_that_cannot_be_or_are_taken() {
    let test = base();
    test.write("content/tracks/u/index.md", "---\ntitle: U\nsummary: Another.\n---\n");
    test.edit("content/site.yaml", "tracks: [t]", "tracks: [t, u]");
    let mut course = Transcript::of(test);
    for arguments in [
        &["new", "lab", "bank-conflict"][..],
        &["new", "lab", "t/bank conflict"],
        &["new", "lab", "t/a/b"],
        &["new", "lab", "t/"],
        &["new", "lab", "tt/x"],
        &["new", "lab", "transformer/x"],
        &["new", "lab", "t/A"],
        &["new", "lab", "t/lab-01-b"],
        &["new", "lab", "u/a"],
        &["new", "section", "t/s"],
        &["new", "section", "t/01-b"],
        &["new", "track", "t"],
        &["new", "track", "T"],
        &["new", "track", "a b"],
    ] {
        course.refused(arguments);
    }
    course.is("refused-names");
}

#[test]
fn old_urls_of_other_pages_are_taken() {
    let test = base();
    let old = "aliases: [tracks/t/labs/lab-07-x.html, tracks/t/handbook/X.html, tracks/v/index.html]\n";
    test.write("content/moved.md", format!("---\ntitle: Moved\n{old}---\n"));
    let mut course = Transcript::of(test);
    course.refused(&["new", "lab", "t/lab-07-x"]);
    course.refused(&["new", "section", "t/x"]);
    course.refused(&["new", "track", "v"]);
    course.run(&["new", "lab", "t/lab-08-x"]).is("old-urls");
}

#[test]
fn a_track_joins_the_others_and_begins() {
    let mut course = Transcript::of(SiteTest::from_dir("minimal"));
    course.run(&["new", "track", "ai-infra"]).run(&["new", "lab", "ai-infra/bank-conflict"]);
    course.run(&["new", "lab", "ai-infra/warp-shuffle"]).is("track");
}

#[test]
fn a_track_joins_whatever_the_list_looks_like() {
    for (before, after) in [
        ("tracks: [t]\n", "tracks: [t, new]\n"),
        ("tracks: [ t, ]  # all\n", "tracks: [ t, new, ]  # all\n"),
        ("tracks: ['t']\n", "tracks: ['t', 'new']\n"),
        ("tracks:\n- t\n", "tracks:\n- t\n- new\n"),
        (
            "tracks:   # in order\n    - \"t\"   # first\n\n# end\n",
            "tracks:   # in order\n    - \"t\"   # first\n    - \"new\"\n\n# end\n",
        ),
        ("tracks:\r\n  - t\r\nlanguage: en\r\n", "tracks:\r\n  - t\r\n  - new\r\nlanguage: en\r\n"),
        ("tracks: [\n  t,  # one\n  u   # two\n]\n", "tracks: [\n  t,  # one\n  u,\n  new   # two\n]\n"),
        ("tracks:\n  - t", "tracks:\n  - t\n  - new"),
        ("{ a }", ""),
        ("tracks: &all [t]\nwords: *all\n", ""),
        ("tracks:\n  - !!str t\n", "tracks:\n  - !!str t\n  - new\n"),
    ] {
        let test = base();
        let head = if before.contains('\r') {
            "title: B\r\nlabs: { sections: [] }\r\n"
        } else {
            "title: B\nlabs: { sections: [] }\n"
        };
        if before.contains('u') && before.contains("two") {
            test.write("content/tracks/u/index.md", "---\ntitle: U\nsummary: Another.\n---\n");
        }
        test.write("content/site.yaml", format!("{head}{before}"));
        let output = diagnostics(&test).1;
        let run = test.run(&["new", "track", "new"]);
        let now = fs::read_to_string(test.root().join("content/site.yaml")).expect("the settings");
        if after.is_empty() {
            assert_eq!(run.status.code(), Some(2), "{before:?}");
            assert_eq!(now, format!("{head}{before}"));
            assert!(!test.root().join("content/tracks/new").exists());
            continue;
        }
        assert_eq!((text(&run.stderr), now), (String::new(), format!("{head}{after}")));
        check(&test, &output);
    }
}

#[test]
fn the_first_track_of_a_course() {
    for (before, after) in [
        ("title: B\n", "title: B\ntracks: [new]\n"),
        ("title: B", "title: B\ntracks: [new]\n"),
        ("\u{feff}title: B\r\n", "\u{feff}title: B\r\ntracks: [new]\r\n"),
        ("title: B\ntagline: |\n  Two\n  lines\n", "title: B\ntagline: |\n  Two\n  lines\ntracks: [new]\n"),
        ("tracks: []  # none yet\ntitle: B\n", "tracks: [new]  # none yet\ntitle: B\n"),
        ("tracks:  # none yet\ntitle: B\n", ""),
        ("  title: B\n", "  title: B\n  tracks: [new]\n"),
        ("{ title: B }\n", "{ title: B , tracks: [new]}\n"),
        ("title: B\n...\n", ""),
    ] {
        let test = SiteTest::from_dir("minimal");
        test.write("content/site.yaml", before);
        let run = test.run(&["new", "track", "new"]);
        let now = fs::read_to_string(test.root().join("content/site.yaml")).expect("the settings");
        let (status, wanted) = if after.is_empty() { (2, before) } else { (0, after) };
        assert_eq!((run.status.code(), now.as_str()), (Some(status), wanted), "{}", text(&run.stderr));
        assert_eq!(test.root().join("content/tracks/new/index.md").exists(), status == 0);
    }
}

#[test]
fn a_section_that_is_a_draft_makes_its_lab_one() {
    let test = base();
    test.write(
        "content/tracks/t/handbook/02-soon.md",
        "---\ntitle: Soon\nsummary: Not yet.\ndraft: true\n---\n\nText.\n",
    );
    let mut course = Transcript::of(test);
    course.run(&["new", "lab", "t/soon"]).is("draft");
}

#[test]
fn nothing_is_left_behind_when_a_file_cannot_be_created() {
    let test = base();
    // The lab's folder cannot be made: a file has its name.
    test.write("code/lab-02-x", "in the way");
    Transcript::of(test).refused(&["new", "lab", "t/x"]);
}

#[test]
fn settings_with_errors_and_no_course_at_all() {
    let test = base();
    test.edit("content/site.yaml", "tracks: [t]", "tracks: t");
    let mut course = Transcript::of(test);
    course.refused(&["new", "lab", "t/x"]).refused(&["new", "track", "u"]).is("refused-settings");
    let nowhere = program(SiteTest::empty().above()).args(["new", "track", "t"]).output().expect("the program runs");
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(
        text(&nowhere.stderr).starts_with("error: neither this folder nor one above it has a `content/site.yaml`\n")
    );
}

#[test]
fn what_is_asked_is_asked_shortly() {
    let texts = ["prompts.md", "lab.md", "section.md", "track.md", "readme.md"];
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for name in texts {
        let text = fs::read_to_string(repository("crates/author/src/scaffold/text").join(name)).expect("a text");
        let asks = text.split(['.', '?', '\n']).map(str::trim).filter(|ask| ask.split_whitespace().count() > 11);
        seen.extend(asks.filter(|ask| ask.contains(concat!("TO", "DO"))).map(|ask| (ask.to_owned(), name)));
    }
    assert!(seen.is_empty(), "two pages that begin alike would repeat each other: {seen:#?}");
}
