//! `diff`: what a change does to readers, all of it and nothing else; and what git is asked.

mod marked;
mod revisions;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::harness::{SiteTest, program, repository};

const LAB: &str = "content/tracks/t/labs/lab-01-a.md";
const CODE: &str = "code/lab-01-a/step.cu";

const KERNEL: &str = "\
__global__ void step(float* x, float* loss) {
    // ANCHOR: loss
    if (threadIdx.x == 0) { loss[0] = x[0]; }
    // ANCHOR_END: loss

    // ANCHOR: write
    x[threadIdx.x] = 0.0f;
    // ANCHOR_END: write
}

int main() {
    return 0;
}
";

const PAGE: &str = "\
---
title: Lab A
focus: One focus
reads: One file
outcome: Explain one file
handbook: [s]
starter: { file: step.cu, type: Script, angle: What a step costs }
---

<!-- values
weights = 2 B * 4096 * 4096 # the weights = 33.6 MB
-->

## Mental model

A layer has 33.6 MB of weights. [The kernel](code:#fn:step) reads them once.

| thread | does |
| ------ | ---- |
| 0      | adds |

```cuda file=#loss
if (threadIdx.x == 0) { loss[0] = x[0]; }
```

1. `loss[0] = x[0]` — no thread waits for this line.

```cuda file=#write
x[threadIdx.x] = 0.0f;
```

1. `x[threadIdx.x] = 0.0f` — may run before thread 0 has read `x[0]`.

## Check yourself

Who writes the loss?

: Thread 0.
";

pub fn git(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.current_dir(folder).args(arguments).output().expect("git");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Makes a repository of a course, with one commit.
pub fn commit_all(test: &SiteTest) {
    git(&test.root(), &["init", "--quiet"]);
    commit(test);
}

fn commit(test: &SiteTest) {
    git(&test.root(), &["add", "-A"]);
    git(&test.root(), &["commit", "--quiet", "--allow-empty", "-m", "x"]);
}

/// A course with one lab, in a repository with one commit.
fn course() -> SiteTest {
    let test = SiteTest::copy_of(&repository("tests/suite/base"));
    test.write(LAB, PAGE).write(CODE, KERNEL).remove("code/lab-01-a/a.py");
    test.write("code/lab-01-a/README.md", "# A step\n\nIt has a race.\n");
    let sections =
        "labs:\n  sections:\n    - { title: Mental model }\n    - { title: Check yourself, as: questions }\n";
    test.write("content/site.yaml", format!("title: Base\ntracks: [t]\n{sections}"));
    commit_all(&test);
    let built = test.build();
    assert!(built.files.is_some(), "{}", built.human());
    test
}

/// Runs `diff`, and returns its status and what it prints.
fn diff(test: &SiteTest, arguments: &[&str]) -> (i32, String, String) {
    let run = test.run(&[&["diff"], arguments].concat());
    let printed = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (run.status.code().expect("a status"), printed(run.stdout), printed(run.stderr))
}

/// What is reported for an edit, without the first line and the size.
fn report(edit: impl FnOnce(&SiteTest)) -> String {
    let test = course();
    edit(&test);
    let (status, out, err) = diff(&test, &["HEAD"]);
    assert_eq!((status, err.as_str()), (i32::from(out.contains('(')), ""), "{out}");
    let lines = out.lines().skip(2).filter(|line| !line.starts_with("size of the site: "));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// The same with `{code}` and `{lab}` for paths, of which only some parts are looked at.
#[track_caller]
fn reports(edit: impl FnOnce(&SiteTest), wanted: &str) {
    assert_eq!(report(edit), wanted.replace("{code}", CODE).replace("{lab}", LAB).trim());
}

#[test]
fn nothing_that_readers_see() {
    let test = course();
    let nothing = "HEAD → the files as they are: nothing that readers see has changed\n";
    assert_eq!(diff(&test, &["HEAD"]), (0, nothing.into(), String::new()));
    // White space, the order of keys, comments, line ends, files that nobody reads.
    test.edit(LAB, "A layer has 33.6 MB of weights. [The", "A layer has 33.6 MB\nof  weights. [The");
    test.edit(LAB, "focus: One focus\nreads: One file\n", "reads: One file\nfocus: 'One focus'\n");
    test.edit(LAB, "| thread | does |\n| ------ | ---- |\n| 0      | adds |", "|thread|does|\n|-|-|\n|0|adds|");
    test.edit(LAB, "## Check yourself", "<!-- nobody sees this -->\n\n## Check yourself");
    test.write(
        "content/tracks/t/handbook/01-s.md",
        "---\r\ntitle: Section\r\nsummary: What the section explains.\r\n---\r\n\r\n## Volume\r\n\r\nA section.\r\n",
    );
    test.write("notes.txt", "x").write("code/lab-01-a/__pycache__/x.pyc", "x");
    assert_eq!(diff(&test, &["HEAD"]), (0, nothing.into(), String::new()));
    assert_eq!(diff(&test, &["HEAD", "--quiet"]), (0, String::new(), String::new()));
}

#[test]
fn translations_that_have_changed() {
    let test = SiteTest::from_dir("languages");
    commit_all(&test);
    let index = "content/index.zh-Hans.md";
    test.edit(index, "本课程做加法", "这门课做加法").edit(index, "title: 求和", "title: 加法");
    test.remove("content/tracks/t/labs/lab-01-sum.zh-Hans.md");
    let (status, out, _) = diff(&test, &["HEAD"]);
    assert_eq!(status, 1);
    for wanted in [
        "  加法 (zh-Hans/index.html)\n  content/index.zh-Hans.md:1: title or summary added\n    + 加法\n",
        "  content/index.zh-Hans.md:11: text changed\n    - 本课程做加法。见实验和图。\n    + 这门课做加法。见实验和图。\n",
        "lab-01-sum.zh-Hans.md:1 (before): translation removed\n",
    ] {
        assert!(out.contains(wanted), "{out}");
    }
    // What a page says in another language because its source has changed is reported once.
    let test = SiteTest::from_dir("languages");
    commit_all(&test);
    test.edit("content/index.md", "The course adds numbers.", "This course teaches addition.");
    let (_, out, _) = diff(&test, &["HEAD"]);
    assert!(out.matches("text changed").count() == 1 && !out.contains("(zh-Hans/index.html)"), "{out}");
}

#[test]
fn code_under_notes_that_have_not_changed() {
    reports(
        |test| {
            test.edit(CODE, "loss[0] = x[0]; }", "loss[0] = x[0] * 2; }");
            test.edit(LAB, "{ loss[0] = x[0]; }", "{ loss[0] = x[0] * 2; }");
        },
        "
Code changed under notes that did not (1)

  Lab A (tracks/t/labs/lab-01-a.html)
  {lab}:22: `{code}#loss` changed, but the note on a changed line did not
    - if (threadIdx.x == 0) { loss[0] = x[0]; }
    + if (threadIdx.x == 0) { loss[0] = x[0] * 2; }
    note 1 on a changed line ({lab}:26): `loss[0] = x[0]` — no thread waits for this line.",
    );
    // The note was changed with its code.
    let both = report(|test| {
        test.edit(CODE, "loss[0] = x[0]; }", "loss[0] = x[0] * 2; }");
        test.edit(LAB, "{ loss[0] = x[0]; }", "{ loss[0] = x[0] * 2; }").edit(LAB, "no thread waits", "nobody waits");
    });
    assert!(both.starts_with("Notes (1)\n") && both.contains("\nOther code (1)\n"), "{both}");
    // A formatter's pass is no alarm.
    let formatted = report(|test| {
        test.edit(
            CODE,
            "if (threadIdx.x == 0) { loss[0] = x[0]; }",
            "if (threadIdx.x == 0) {\n        loss[0] = x[0];\n    }",
        );
    });
    assert!(formatted.contains("`code/lab-01-a/step.cu#loss` is formatted differently"), "{formatted}");
    assert!(!formatted.contains("notes that did not"), "{formatted}");
}

#[test]
fn code_around_what_is_shown() {
    reports(
        |test| {
            test.edit(CODE, "ANCHOR_END: loss\n\n", "ANCHOR_END: loss\n\n    __syncthreads();\n\n");
        },
        "
Code changed around what notes and sentences explain (1)

  Lab A (tracks/t/labs/lab-01-a.html)
  {code}:6: lines 6-7 added in `step` of `{code}`, outside of what is shown
    +     __syncthreads();
    +\u{2420}
    note 1 ({lab}:26): `loss[0] = x[0]` — no thread waits for this line.
    note 1 ({lab}:32): `x[threadIdx.x] = 0.0f` — may run before thread 0 has read x[0].
    sentence ({lab}:16): The kernel reads them once."
            .replace('\u{2420}', " ")
            .as_str(),
    );
    // A comment changes nothing that a note says; a function that the page neither shows nor names is only on its own page.
    let comment = report(|test| {
        test.edit(CODE, "ANCHOR_END: loss\n\n", "ANCHOR_END: loss\n\n    // now\n");
    });
    assert!(!comment.contains("around what notes"), "{comment}");
    let elsewhere = report(|test| {
        test.edit(CODE, "return 0;", "return 1;");
    });
    assert!(elsewhere.starts_with("Other code (1)\n"), "{elsewhere}");
    assert!(elsewhere.contains("changed where no page but its own shows it: 2 lines"), "{elsewhere}");
}

#[test]
fn notes_questions_figures_and_text() {
    reports(
        |test| {
            test.edit(LAB, "no thread waits for this line", "every thread waits for this line");
            test.edit(LAB, "Thread 0.", "Thread zero.");
            test.edit(LAB, "weights = 2 B", "weights = 4 B").edit(LAB, "= 33.6 MB", "= 67.1 MB");
            test.edit(LAB, "has 33.6 MB", "has 67.1 MB").edit(LAB, "| adds |", "| sums |");
        },
        "
Notes (1)

  Lab A (tracks/t/labs/lab-01-a.html)
  {lab}:26: note 1 on `{code}#loss` changed
    - `loss[0] = x[0]` — no thread waits for this line.
    + `loss[0] = x[0]` — every thread waits for this line.

Questions (1)

  Lab A (tracks/t/labs/lab-01-a.html)
  {lab}:38: question or answer changed
    - Thread 0.
    + Thread zero.

Figures (1)

  Lab A (tracks/t/labs/lab-01-a.html)
  {lab}:11: `weights`: 33.6 MB → 67.1 MB
    - weights = 2 B * 4096 * 4096
    + weights = 4 B * 4096 * 4096
    sentence ({lab}:16): A layer has 67.1 MB of weights.

Text (2)

  Lab A (tracks/t/labs/lab-01-a.html)
  {lab}:16: text changed
    - A layer has 33.6 MB of weights. The kernel reads them once.
    + A layer has 67.1 MB of weights. The kernel reads them once.
  {lab}:20: text changed
    - 0 | adds
    + 0 | sums",
    );
    let question = report(|test| {
        test.edit(LAB, "Who writes the loss?", "Who writes the sum of the loss?");
    });
    assert!(question.contains("help: in other words it is another card"), "{question}");
}

/// What only has another place is reported once, with what it says.
#[test]
fn what_moves() {
    let test = course();
    let (first, second) =
        ("1. `loss[0] = x[0]` — no thread waits for this line.\n", "2. `threadIdx.x == 0` — one thread.\n");
    test.edit(LAB, first, &format!("{first}{second}"));
    commit(&test);
    let swapped = format!("1.{}2.{}", &second[2..], &first[2..]);
    test.edit(LAB, &format!("{first}{second}"), &swapped);
    let (_, out, _) = diff(&test, &["HEAD"]);
    assert!(
        out.contains("1 change on 1 page")
            && out.contains("note 2 on `code/lab-01-a/step.cu#loss` moved: it was note 1"),
        "{out}"
    );
    // An excerpt with its notes.
    let moved = report(|test| {
        let (loss, write) =
            (PAGE.find("```cuda file=#loss").expect("it"), PAGE.find("```cuda file=#write").expect("it"));
        let end = PAGE.find("## Check").expect("a heading");
        test.write(LAB, format!("{}{}{}{}", &PAGE[..loss], &PAGE[write..end], &PAGE[loss..write], &PAGE[end..]));
    });
    assert!(
        moved.starts_with("Other code (1)\n") && moved.contains(": excerpt moved\n      code/lab-01-a/step.cu#"),
        "{moved}"
    );
}

/// A picture that replaces another is reported with the page that shows it.
#[test]
fn a_picture_that_was_replaced() {
    let test = course();
    test.edit(LAB, "## Check yourself", "![A warp](../../../a.svg)\n\n## Check yourself");
    test.write("content/a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    commit(&test);
    test.write("content/a.svg", "<svg xmlns='http://www.w3.org/2000/svg' />");
    let (_, out, _) = diff(&test, &["HEAD"]);
    let wanted =
        format!("Text (1)\n\n  Lab A (tracks/t/labs/lab-01-a.html)\n  {LAB}:34: file `a.svg` changed: 41 → 42 bytes\n");
    assert!(out.contains("1 change on 1 page") && out.contains(&wanted), "{out}");
}

#[test]
fn pages_and_addresses() {
    let moved = report(|test| {
        let (old, new) = ("content/tracks/t/handbook/01-s.md", "content/tracks/t/handbook/01-volume.md");
        std::fs::rename(test.root().join(old), test.root().join(new)).expect("it can be moved");
        test.edit(LAB, "handbook: [s]", "handbook: [volume]");
        test.edit(new, "## Volume", "## The volume");
        test.write("content/new.md", "---\ntitle: New\n---\n\nOne two three.\n").remove("content/references.yaml");
        test.edit("content/tracks/t/index.md", "reading: [dao2023, manual, vaswani2017]\n", "");
    });
    for wanted in [
        "page moved from `tracks/t/handbook/s.html`, without a redirect",
        "content/new.md:1: new page: 3 words, 0 excerpts",
        "`tracks/t/handbook/s.html` leads nowhere now",
        "help: add `aliases: [tracks/t/handbook/s.html]` to the front matter of `content/tracks/t/handbook/01-volume.md`",
        "`tracks/t/handbook/volume.html#volume` leads to no heading now",
        "help: if `The volume` is that heading, write `{#the-volume .was-volume}` after its text",
        "`references.html#R-dao2023` leads nowhere now",
    ] {
        assert!(moved.contains(wanted), "{wanted}\n\n{moved}");
    }
    // What the help says is enough.
    let kept = report(|test| {
        let (old, new) = ("content/tracks/t/handbook/01-s.md", "content/tracks/t/handbook/01-volume.md");
        std::fs::rename(test.root().join(old), test.root().join(new)).expect("it can be moved");
        test.edit(LAB, "handbook: [s]", "handbook: [volume]");
        test.edit(new, "## Volume", "## The volume {#the-volume .was-volume}");
        test.edit(new, "title: Section", "title: Section\naliases: [tracks/t/handbook/s.html]");
    });
    assert!(kept.contains("page moved from `tracks/t/handbook/s.html`, with a redirect"), "{kept}");
    assert!(!kept.contains("Addresses that are gone"), "{kept}");
    let gone = report(|test| {
        test.remove(LAB).remove("code/lab-01-a");
    });
    assert!(
        gone.contains("page removed: ") && gone.contains("`tracks/t/labs/lab-01-a.html` leads nowhere now"),
        "{gone}"
    );
}

#[test]
fn problems_files_and_what_is_around_pages() {
    let problem = report(|test| {
        test.edit(LAB, "A layer has", "A  [layer](gone.md) has");
    });
    assert!(problem.contains("New problems (1)\n  content/tracks/t/labs/lab-01-a.md:16: error[E0404]: "), "{problem}");
    let test = course();
    test.edit(LAB, "A layer has", "A [layer](gone.md) has");
    commit(&test);
    test.edit(LAB, "(gone.md)", "(../handbook/01-s.md)");
    let (status, out, _) = diff(&test, &["HEAD"]);
    assert!(status == 1 && out.contains("Problems that are gone (1)\n") && !out.contains("size of the site"), "{out}");

    let look = report(|test| {
        test.write("static/custom.css", "p { color: red }\n")
            .write("content/a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    });
    assert!(look.contains("style sheets, scripts or templates changed"), "{look}");
    assert!(look.contains("content/a.svg:1: file `a.svg` added: 41 bytes"), "{look}");
    let title = report(|test| {
        test.edit("content/site.yaml", "title: Base", "title: Ground");
    });
    assert!(title.contains("only around the text: in navigation, lists, times or numbers"), "{title}");
}

#[test]
fn markdown_outside_a_course() {
    let fences = PAGE[PAGE.find("```cuda").expect("a fence")..PAGE.find("## Check").expect("a heading")].to_owned();
    let page = format!("# Step\n\n{}", fences.replace("file=#", "file=kernel.cu#"));
    let test = SiteTest::empty();
    test.write("old/README.md", &page).write("old/kernel.cu", KERNEL);
    let fixed = KERNEL.replace("ANCHOR_END: loss\n\n", "ANCHOR_END: loss\n\n    __syncthreads();\n\n");
    test.write("new/README.md", &page).write("new/kernel.cu", fixed);
    let run = |arguments: &[&str]| {
        let run = program(&test.root()).arg("diff").args(arguments).env("PATH", "/nowhere").output().expect("it runs");
        (run.status.code(), String::from_utf8(run.stdout).expect("UTF-8"))
    };
    assert_eq!(run(&["old", "old"]), (Some(0), "old → old: nothing that readers see has changed\n".into()));
    let wanted = "old → new: 1 change on 1 page

Code changed around what notes and sentences explain (1)

  README.md (README.md)
  kernel.cu:6: lines 6-7 added in `step` of `kernel.cu`, outside of what is shown
    +     __syncthreads();
    + \n    note 1 (README.md:7): `loss[0] = x[0]` — no thread waits for this line.
    note 1 (README.md:13): `x[threadIdx.x] = 0.0f` — may run before thread 0 has read x[0].
";
    assert_eq!(run(&["old", "new"]), (Some(1), wanted.into()));
}

#[test]
fn reports_for_programs_and_for_comments() {
    let test = course();
    test.edit(LAB, "| adds |", "| sums `a` @octocat <b> #1 |").edit(LAB, "no thread", "@octocat: no thread");
    let (status, out, _) = diff(&test, &["HEAD", "--format", "json"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &report["version"], &report["base"]), (1, &1.into(), &"HEAD".into()));
    assert_eq!(report["changes"][0]["kind"], "note");
    assert_eq!(report["changes"][0]["place"]["file"], LAB);
    assert_eq!(report["changes"][1]["lines"][0]["sign"], "-");
    assert!(report["size"][1]["bytes"].as_u64() > report["size"][0]["bytes"].as_u64());
    let (_, markdown, _) = diff(&test, &["HEAD", "--format", "markdown"]);
    assert!(
        markdown.contains("### Notes (1)\n\n- **Lab A**: note 1 on `code/lab-01-a/step.cu#loss` changed"),
        "{markdown}"
    );
    assert_eq!(diff(&test, &["HEAD", "--format", "markdown"]).1, markdown, "the same again");
    let rows: String = (0..4_000).map(|row| format!("| {row} | line {row} of a table |\n")).collect();
    test.edit(LAB, "| 0      |", &format!("{rows}| 0 |"));
    for row in 0..400 {
        test.write(
            &format!("content/p{row}.md"),
            format!("---\ntitle: Page {row} {}\n---\n\nText.\n", "long ".repeat(40)),
        );
    }
    let (_, long, _) = diff(&test, &["HEAD", "--format", "markdown"]);
    assert!((60_000..=65_000).contains(&long.chars().count()), "{}", long.chars().count());
    assert!(long.contains(" changes that do not fit here\n\nsize of the site: "), "{}", &long[long.len() - 300..]);
}
