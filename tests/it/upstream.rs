//! `upstream`: what a later state of a starter's project does to its notes, and how it is brought.

use std::path::PathBuf;

use crate::diff::git;
use crate::harness::{SiteTest, contents, program, repository};

const LAB: &str = "content/tracks/t/labs/lab-01-a.md";
const CODE: &str = "code/lab-01-a/step.cu";

/// The file as its project has it.
const KERNEL: &str = "\
#include <cuda_runtime.h>

__device__ float scale(float x) {
    return 2.0f * x;
}

__global__ void step(float* x, float* loss) {
    if (threadIdx.x == 0) { loss[0] = x[0]; }
    x[threadIdx.x] = scale(0.0f);
}

int main() {
    return 0;
}
";

/// A course with one lab, and the clone of the project from which its starter is.
struct Course {
    test: SiteTest,
    clone: PathBuf,
}

impl Course {
    fn new() -> Self {
        let test = SiteTest::copy_of(&repository("tests/suite/base"));
        let clone = test.above().join("clone");
        std::fs::create_dir(&clone).expect("a folder");
        git(&clone, &["init", "--quiet"]);
        let course = Self { test, clone };
        let commit = course.commit(&[("src/step.cu", Some(KERNEL)), ("LICENSE", Some("MIT\n"))]);
        let loss = "    if (threadIdx.x == 0) { loss[0] = x[0]; }\n";
        let marked = KERNEL.replace(loss, &format!("    // ANCHOR: loss\n{loss}    // ANCHOR_END: loss\n"));
        course.test.write(CODE, marked).remove("code/lab-01-a/a.py").write(LAB, page(&commit));
        course.test.write(
            "content/site.yaml",
            "title: Base\ntracks: [t]\nlabs:\n  sections:\n    - { title: Mental model }\n    - { title: Check yourself, as: questions }\n",
        );
        let built = course.test.build();
        assert!(built.files.is_some() && built.drifts.is_empty(), "{}", built.human());
        course
    }

    /// Writes or removes files of the project, and returns the commit.
    fn commit(&self, files: &[(&str, Option<&str>)]) -> String {
        for (path, text) in files {
            let path = self.clone.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            match text {
                Some(text) => std::fs::write(&path, text).expect("it is written"),
                None => std::fs::remove_file(&path).expect("it is there"),
            }
        }
        git(&self.clone, &["add", "-A"]);
        git(&self.clone, &["commit", "--quiet", "-m", "x"]);
        let head = git(&self.clone, &["rev-parse", "HEAD"]).stdout;
        String::from_utf8(head).expect("UTF-8").trim().to_owned()
    }

    /// Replaces a text of the file in the project.
    fn change(&self, from: &str, to: &str) -> String {
        assert_eq!(KERNEL.matches(from).count(), 1, "{from}");
        self.commit(&[("src/step.cu", Some(&KERNEL.replace(from, to)))])
    }

    /// Runs `upstream`, and returns its status and what it prints, without ids of commits.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let run = self.test.run(&[&["upstream", "--from", self.clone.to_str().expect("UTF-8")], arguments].concat());
        (run.status.code().expect("a status"), self.plain(&run.stdout), self.plain(&run.stderr))
    }

    fn plain(&self, printed: &[u8]) -> String {
        let mut text = String::from_utf8(printed.to_vec()).expect("UTF-8");
        let ids = git(&self.clone, &["rev-list", "--all", "--reverse"]).stdout;
        for (number, id) in String::from_utf8(ids).expect("UTF-8").lines().enumerate() {
            text = text.replace(id, &format!("C{}", number + 1)).replace(&id[..7], &format!("C{}", number + 1));
        }
        text.replace(self.test.above().to_str().expect("UTF-8"), "ABOVE")
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.test.root().join(path)).expect("it is there")
    }

    /// What `check` says besides lints.
    fn codes(&self) -> Vec<&'static str> {
        self.test.build().codes()
    }
}

fn page(commit: &str) -> String {
    format!(
        "\
---
title: Lab A
focus: One focus
reads: One file
outcome: Explain one file
handbook: [s]
starter:
  file: step.cu
  type: Script
  angle: What a step costs
  upstream: {{ repository: \"https://example.org/kernels\", commit: {commit}, path: src/step.cu, license: MIT }}
---

## Mental model

```cuda file=#loss
if (threadIdx.x == 0) {{ loss[0] = x[0]; }}
```

1. `loss[0] = x[0]` — no thread waits for this line.

```cuda file=#fn:scale
__device__ float scale(float x) {{
    return 2.0f * x;
}}
```

1. `2.0f * x` — in single precision.

## Check yourself

Who writes the loss?

: Thread 0.
"
    )
}

#[test]
fn nothing_new() {
    let course = Course::new();
    course.commit(&[("README.md", Some("Kernels\n"))]);
    let before = contents(&course.test.root());
    for arguments in [&[][..], &["--apply"], &["lab-01-a"], &["--to", "HEAD~1"]] {
        let (status, out, err) = course.run(arguments);
        assert_eq!((status, err.as_str()), (0, ""), "{out}");
        assert!(out.contains("  unchanged\n") && out.ends_with("nothing that readers see has changed\n"), "{out}");
    }
    assert_eq!(contents(&course.test.root()), before);
}

#[test]
fn changed_code_under_a_note_is_listed_and_brought() {
    let course = Course::new();
    let commit = course.change("loss[0] = x[0];", "loss[0] = x[0] / 32;");
    let before = contents(&course.test.root());
    let (status, out, err) = course.run(&[]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    let start = format!(
        "\
{CODE}: `src/step.cu` of https://example.org/kernels, C1 → C2

nothing was changed; `--apply` brings the later files

as it is → with the later files: 2 changes on 1 page

Code changed under notes that did not (1)

  Lab A (tracks/t/labs/lab-01-a.html)
  {LAB}:16: `{CODE}#loss` changed, but the note on a changed line did not
    - if (threadIdx.x == 0) {{ loss[0] = x[0]; }}
    + if (threadIdx.x == 0) {{ loss[0] = x[0] / 32; }}
    note 1 on a changed line ({LAB}:20): `loss[0] = x[0]` — no thread waits for this line.

New problems (1)
  {LAB}:16: error[E0316]: this excerpt differs from `{CODE}` where note 1 explains it
"
    );
    assert!(out.starts_with(&start), "{out}");
    assert_eq!(contents(&course.test.root()), before, "nothing is written");
    let (status, out, _) = course.run(&["--apply"]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains(&format!("changed {CODE}\nchanged {LAB}\n")), "{out}");
    assert!(
        course
            .read(CODE)
            .contains("// ANCHOR: loss\n    if (threadIdx.x == 0) { loss[0] = x[0] / 32; }\n    // ANCHOR_END")
    );
    assert_eq!(course.read(LAB), page(&commit), "the note is read again before its pin follows");
    assert_eq!(course.codes(), ["E0316"]);
    assert_eq!(course.run(&[]).0, 0, "nothing is left to be brought");
}

#[test]
fn a_harmless_change_is_accepted() {
    let course = Course::new();
    let commit = course.change("__device__ float scale(", "__device__ __forceinline__ float scale(");
    let (status, out, _) = course.run(&["--apply"]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains(&format!("{LAB}:22: follows its file\n")), "{out}");
    let new = page(&commit).replace("__device__ float scale(", "__device__ __forceinline__ float scale(");
    assert_eq!(course.read(LAB), new);
    assert_eq!(course.codes(), [""; 0]);
}

#[test]
fn a_renamed_file_is_followed() {
    let course = Course::new();
    course.commit(&[("src/step.cu", None), ("kernels/step.cu", Some(KERNEL))]);
    let last = course
        .commit(&[("kernels/step.cu", None), ("kernels/train/step one.cu", Some(&KERNEL.replace("0;\n}", "1;\n}")))]);
    let (status, out, err) = course.run(&["--apply"]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("  renamed to `kernels/train/step one.cu`\n"), "{out}");
    assert_eq!(course.read(LAB), page(&last).replace("src/step.cu", "kernels/train/step one.cu"));
    assert!(course.read(CODE).contains("return 1;"));
    assert_eq!(course.codes(), [""; 0]);
}

#[test]
fn a_function_that_moved_to_another_file_is_found() {
    let course = Course::new();
    let (scale, rest) = (KERNEL.lines().skip(2).take(4), KERNEL.lines().skip(6));
    let header = format!("#pragma once\n\n{}\n", scale.collect::<Vec<_>>().join("\n"));
    let rest = format!("#include \"scale.cuh\"\n\n{}\n", rest.collect::<Vec<_>>().join("\n"));
    course.commit(&[("src/scale.cuh", Some(&header)), ("src/step.cu", Some(&rest))]);
    let (status, out, err) = course.run(&[]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    let found = "  `#fn:scale` is not in the later file; its code is now in `src/scale.cuh`, lines 3-5\n";
    assert!(out.contains(found) && out.contains("`code/lab-01-a/scale.cuh` is read now"), "{out}");
    // It is changed there, and the file is gone.
    let header = header.replace("2.0f * x;", "2.0f * x\n        + bias();\n    // A comment\n    // and another one");
    course.commit(&[("src/scale.cuh", Some(&header)), ("src/step.cu", None)]);
    let (status, out, _) = course.run(&[]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("C3 has no such text file, and it was not renamed\n"), "{out}");
    assert!(
        out.contains("  `#fn:scale` is not in the later file; `scale` is now in `src/scale.cuh`, lines 3-8\n"),
        "{out}"
    );
    assert!(
        out.contains("  `#loss` is not in the later file; its code is in no other file that has changed\n"),
        "{out}"
    );
}

/// The file that has the function or the region now is brought beside the starter, and the excerpts name it.
#[test]
fn code_that_moved_to_another_file_is_followed() {
    let maps: [fn(&str) -> String; 3] = [
        str::to_owned,
        |page| page.replace("upstream: {", "upstream: [{").replace("license: MIT }", "license: MIT }]"),
        |page| {
            let keys = ["repository:", "commit:", "path:", "license:"];
            let page = page.replace("upstream: { ", "upstream:\n    ").replace("MIT }", "MIT");
            keys.iter().skip(1).fold(page, |page, key| page.replace(&format!(", {key}"), &format!("\n    {key}")))
        },
    ];
    for (number, map) in maps.into_iter().enumerate() {
        let course = Course::new();
        let lines: Vec<&str> = KERNEL.lines().collect();
        let body = lines[7..9].join("\n");
        let region = format!("    // ANCHOR: loss\n{body}\n    // ANCHOR_END: loss");
        let page =
            course.read(LAB).replace("loss[0] = x[0]; }\n", "loss[0] = x[0]; }\nx[threadIdx.x] = scale(0.0f);\n");
        course.test.write(CODE, KERNEL.replace(&body, &region)).write(LAB, map(&page));
        let first = format!("__device__ void first(float* x, float* loss) {{\n{body}\n}}\n");
        let header = format!("#pragma once\n\n{}\n\n{first}", lines[2..5].join("\n"));
        let rest = format!("#include \"scale.cuh\"\n\n{}\n", [&lines[6..7], &lines[9..]].concat().join("\n"));
        let commit = course.commit(&[("src/scale.cuh", Some(&header)), ("src/step.cu", Some(&rest))]);
        let (status, out, err) = course.run(&["--apply"]);
        assert_eq!((status, err.as_str()), (1, ""), "{out}");
        assert!(out.contains("\ncreated code/lab-01-a/scale.cuh\n"), "{out}");
        let lab = course.read(LAB);
        assert!(lab.contains("file=scale.cuh#fn:scale\n") && lab.contains("file=scale.cuh#loss\n"), "{lab}");
        let entry = "path: src/scale.cuh, license: MIT, file: scale.cuh";
        assert!(lab.contains(entry) && lab.matches(&commit).count() == 2, "{lab}");
        assert_eq!(course.read("code/lab-01-a/scale.cuh"), header.replace(&body, &region), "{number}");
        assert_eq!(course.codes(), Vec::<&str>::new(), "{lab}");
        assert_eq!(course.run(&[]).0, 0, "nothing is left to do");
        // From now on, both files are compared.
        course.commit(&[("src/scale.cuh", Some(&header.replace("2.0f", "3.0f")))]);
        let (_, out, _) = course.run(&[]);
        assert!(out.contains("code/lab-01-a/scale.cuh: `src/scale.cuh`") && out.contains("2.0f * x"), "{out}");
    }
}

/// What several files have, or have had before, is not followed, and no file is replaced.
#[test]
fn code_that_may_be_elsewhere_is_left_to_the_author() {
    let course = Course::new();
    let scale = KERNEL.lines().skip(2).take(3).collect::<Vec<_>>().join("\n") + "\n";
    let rest = KERNEL.replace(&scale, "");
    course.commit(&[("src/a.cuh", Some(&scale)), ("src/b.cuh", Some(&scale)), ("src/step.cu", Some(&rest))]);
    let (_, out, _) = course.run(&["--apply", "--to", "HEAD"]);
    assert!(
        out.contains("its code is now in `src/a.cuh`, lines 1-3 and in `src/b.cuh`") && !out.contains("created"),
        "{out}"
    );
    let course = Course::new();
    course.test.write("code/lab-01-a/scale.cuh", "mine\n");
    course.commit(&[("src/scale.cuh", Some(&scale)), ("src/step.cu", Some(&rest))]);
    let (_, out, _) = course.run(&["--apply"]);
    assert!(out.contains("its code is now in `src/scale.cuh`") && !out.contains("created"), "{out}");
    assert_eq!(course.read("code/lab-01-a/scale.cuh"), "mine\n");
    // A file that has had a function of this name all the time has not got it from here.
    let course = Course::new();
    let old = |value: u32| format!("float scale(float x) {{\n    return {value};\n}}\n");
    let before = course.commit(&[("src/old.cuh", Some(&old(0)))]);
    course.test.write(LAB, page(&before));
    course.commit(&[("src/old.cuh", Some(&old(1))), ("src/step.cu", Some(&rest))]);
    let (_, out, _) = course.run(&["--apply"]);
    assert!(out.contains("its code is in no other file that has changed") && !out.contains("created"), "{out}");
}

#[test]
fn edits_of_the_author_are_shown_and_stay() {
    let course = Course::new();
    course.test.edit(CODE, "return 0;", "return 7;");
    let before = contents(&course.test.root());
    assert_eq!(course.run(&["--apply"]).0, 0, "the project has nothing new");
    course.change("loss[0] = x[0];", "loss[0] = x[0] / 32;");
    let (status, out, err) = course.run(&["--apply"]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    let wanted = "  edited in the course by more than region markers, so it is left as it is:\n    \
                  @@ -12,3 +12,3 @@\n     int main() {\n    -    return 0;\n    +    return 7;\n     }\n";
    assert!(out.contains(wanted), "{out}");
    assert_eq!(contents(&course.test.root()), before);
}

#[test]
fn an_update_that_was_killed_is_finished() {
    let course = Course::new();
    let commit = course.change("return 0;", "return 1;");
    course.test.edit(CODE, "return 0;", "return 1;");
    assert_eq!(course.run(&["--apply"]).0, 1);
    assert_eq!(course.read(LAB), page(&commit));
    assert_eq!(course.run(&[]).0, 0);
}

#[test]
fn several_starters_of_one_project() {
    let course = Course::new();
    let first = course.commit(&[("util.py", Some("def half(x):\n    return x / 2\n"))]);
    let entry = |commit: &str, path: &str| {
        format!("    - {{ repository: https://example.org/kernels, commit: '{commit}', {path} }}\n")
    };
    let list = |one: &str, two: &str| {
        let entries = [entry(one, "path: src/step.cu"), entry(two, "path: util.py, file: util.py")];
        let old = page("C");
        let line = old.lines().find(|line| line.contains("upstream")).expect("the key");
        old.replace(&format!("{line}\n"), &format!("  upstream:\n{}", entries.concat()))
    };
    course.test.write(LAB, list(&first, &first)).write("code/lab-01-a/util.py", "def half(x):\n    return x / 2\n");
    let second = course.commit(&[("util.py", Some("def half(x):\n    return x * 0.5\n"))]);
    let (status, out, err) = course.run(&["--apply"]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    assert_eq!(course.read(LAB), list(&first, &second), "only what has changed names the later commit");
    assert_eq!(course.read("code/lab-01-a/util.py"), "def half(x):\n    return x * 0.5\n");
    let other = list(&first, &second).replacen("example.org/kernels", "example.org/other", 1);
    course.test.write(LAB, other);
    let (status, _, err) = course.run(&[]);
    let wanted =
        "error: the starters are from several projects: https://example.org/kernels, https://example.org/other\n";
    assert_eq!(status, 2);
    assert!(err.starts_with(wanted), "{err}");
}

#[test]
fn what_cannot_be_compared_ends_with_2() {
    let course = Course::new();
    course.change("return 0;", "return 1;");
    let of = |arguments: &[&str]| {
        let run = course.test.run(&[&["upstream"], arguments].concat());
        (run.status.code(), course.plain(&run.stdout), course.plain(&run.stderr))
    };
    let refused = |arguments: &[&str], wanted: &str| {
        let (status, out, err) = of(arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(err.starts_with(wanted), "{arguments:?}: {err}");
    };
    let clone = course.clone.to_str().expect("UTF-8").to_owned();
    refused(
        &[],
        "error: where is the later state of the project?\nhelp: name a clone of it on disk, `--from DIR`, after `git pull` in \
         it\nhelp: or fetch it: with `--fetch`, git asks https://example.org/kernels\n",
    );
    refused(&["--from", &clone, "--fetch"], "error: the argument '--from <DIR>' cannot be used with '--fetch'");
    refused(
        &["--from", &clone, "--to", "v9"],
        &format!(
            "error: `{CODE}` cannot be compared: `v9` in ABOVE/clone: the repository has no revision of this name\n"
        ),
    );
    refused(&["--from", &clone, "--to=--output=x"], &format!("error: `{CODE}` cannot be compared: `--output=x`"));
    refused(
        &["--from", "nowhere"],
        &format!("error: `{CODE}` cannot be compared: `C1` in nowhere: there is no git repository here"),
    );
    refused(&["lab-09-x", "--from", &clone], "error: ");
    course.test.edit(LAB, "path: src/step.cu", "path: src/stop.cu");
    refused(
        &["--from", &clone],
        &format!("error: `{CODE}` cannot be compared: commit C1 has no text file `src/stop.cu`\n"),
    );
    course.test.write(LAB, page("0123456789012345678901234567890123456789"));
    refused(
        &["--from", &clone],
        &format!(
            "error: `{CODE}` cannot be compared: `0123456789012345678901234567890123456789` in ABOVE/clone: the repository has no revision"
        ),
    );
    let cannot = format!(
        "error: `starter.upstream` of `{LAB}` cannot be used\nhelp: `infralens check` says what is wrong with it\n"
    );
    for (wrong, code) in [
        ("path: src/step.cu, file: nowhere.cu", "E0302"),
        ("path: src/step.cu, file: ../x.cu", "E0303"),
        ("file: step.cu", "E0107"),
    ] {
        course.test.write(LAB, page("C1").replace(", path: src/step.cu", &format!(", {wrong}")));
        refused(&["--from", &clone], &cannot);
        assert_eq!(course.codes(), [code]);
    }
    let page = page("C");
    let line = page.lines().find(|line| line.contains("upstream")).expect("the key");
    course.test.write(LAB, page.replace(&format!("{line}\n"), ""));
    refused(&["--from", &clone], "error: no starter of the course is from another project\n");
}

#[test]
fn a_project_is_fetched_when_asked() {
    let course = Course::new();
    course.change("return 0;", "return 1;");
    // The user's own settings say where the address leads.
    let (settings, cache) = (course.test.above().join("gitconfig"), course.test.above().join("cache"));
    let fetch = |from: &str| {
        std::fs::write(&settings, format!("[url \"{from}\"]\n\tinsteadOf = https://example.org/kernels\n"))
            .expect("a file");
        let mut run = program(&course.test.root());
        run.args(["upstream", "--fetch"]).env("GIT_CONFIG_GLOBAL", &settings).env("XDG_CACHE_HOME", &cache);
        let run = run.output().expect("it runs");
        (run.status.code(), course.plain(&run.stdout), course.plain(&run.stderr))
    };
    let (status, _, err) = fetch(&format!("file://{}/nowhere", course.test.above().display()));
    assert_eq!(status, Some(2));
    assert!(err.contains("error: https://example.org/kernels cannot be fetched: git has failed: "), "{err}");
    let clone = format!("file://{}", course.clone.display());
    for commits in ["C1 → C2", "C1 → C3"] {
        let (status, out, err) = fetch(&clone);
        assert_eq!((status, err.as_str()), (Some(1), "fetching https://example.org/kernels\n"), "{out}");
        assert!(out.contains(commits), "{out}");
        course.commit(&[("src/step.cu", Some(&KERNEL.replace("2.0f", "4.0f")))]);
        std::fs::write(course.clone.join("more"), commits).expect("a file");
    }
    let mark = course.test.above().join("started");
    let (status, _, err) = fetch(&format!("ext::touch {}", mark.display()));
    assert_eq!(status, Some(2), "{err}");
    assert!(!mark.exists());
}

#[test]
fn a_clone_starts_no_program() {
    let course = Course::new();
    course.commit(&[("src/step.cu", None), ("step.cu", Some(&KERNEL.replace("return 0;", "return 1;")))]);
    let mark = course.test.above().join("started");
    let start = format!("touch {}", mark.display());
    for key in ["core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "core.editor", "gpg.program"] {
        git(&course.clone, &["config", key, &start]);
    }
    for (key, value) in [
        ("filter.x.smudge", start.as_str()),
        ("filter.x.clean", &start),
        ("diff.x.textconv", &start),
        ("diff.x.command", &start),
        ("alias.rev-list", &format!("!{start}")),
        ("alias.diff-tree", &format!("!{start}")),
        ("log.showSignature", "true"),
        ("core.hooksPath", course.test.above().to_str().expect("UTF-8")),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &format!("ext::{start}")),
        ("protocol.ext.allow", "always"),
    ] {
        git(&course.clone, &["config", key, value]);
    }
    std::fs::write(course.clone.join(".gitattributes"), "* filter=x diff=x\n").expect("a file");
    let before = contents(&course.clone);
    let (status, out, err) = course.run(&["--apply"]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("renamed to `step.cu`"), "{out}");
    assert_eq!(contents(&course.clone), before, "nothing is written there");
    assert!(!mark.exists(), "a command of the configuration was started");
}
