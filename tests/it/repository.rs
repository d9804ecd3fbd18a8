//! `check` and `sync` with paths: Markdown of any repository, without a course.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::harness::{SiteTest, repository};
use crate::host::{Host, PROGRAM};
use crate::sync::text;
use crate::workflows::downloads;

const CODE: &str = "\
# ANCHOR: retry
def retry(call, times):
    for attempt in range(times):
        try:
            return call()
        except OSError:
            wait(2 ** attempt)
# ANCHOR_END: retry
";

const README: &str = "\
---
layout: default
---

# Retries

```python title=\"retry\" {1} file=src/retry.py#retry
def retry(call, times):
    for attempt in range(times):
        try:
            return call()
        except OSError:
            wait(2 ** attempt)
```

1. `2 ** attempt` — each pause is twice as long as the one before.

Any other list:

1. stays what it is.
";

/// A repository that a version control system knows, with one file of code and one page.
fn sample() -> SiteTest {
    let test = SiteTest::empty();
    test.write(".git/HEAD", "").write("src/retry.py", CODE).write("README.md", README);
    test
}

pub fn run(test: &SiteTest, arguments: &[&str]) -> (String, String, i32) {
    let (out, err, status) = text(&test.run(arguments));
    (out, err, status.expect("an exit status"))
}

fn ok(out: &str) -> (String, String, i32) {
    (out.to_owned(), String::new(), 0)
}

#[test]
fn excerpts_that_match_their_files() {
    let test = sample();
    test.write(
        "docs/deep/page.mdx",
        "import X from 'x'\n\n~~~py file=../../src/retry.py#L3-L4\nfor attempt in range(times):\n    try:\n~~~\n",
    );
    test.write("docs/plain.md", "$x {{ a }} <b>\n\n```\nnever closed, and nobody cares\n");
    assert_eq!(run(&test, &["check", "--strict", "."]), ok("all 2 excerpts match their files\n"));
    assert_eq!(run(&test, &["check", "README.md"]), ok("the excerpt matches its file\n"));
    assert_eq!(run(&test, &["check", "README.md", "README.md", "."]), ok("all 2 excerpts match their files\n"));
    assert_eq!(run(&test, &["check", "-q", "."]), ok(""));
    let (nothing, help, _) = run(&test, &["check", "docs/plain.md"]);
    assert_eq!(nothing, "no code fence says `file=`: 1 Markdown file\n");
    assert!(help.starts_with("help: a fence that begins ```` ```python file=src/queue.py#put ````"), "{help}");
    assert_eq!(run(&test, &["sync", "."]), ok("every pin matches its file\n"));
    test.write("docs/indented.md", "!!! note\n\n    ```py file=../src/retry.py\n    ```\n");
    let (_, err, status) = run(&test, &["check", "docs"]);
    assert!(err.starts_with("warning[E0210]: this excerpt is indented too far") && status == 0, "{err}");
}

#[test]
fn a_changed_line_under_a_note() {
    let test = sample();
    test.edit("src/retry.py", "2 ** attempt", "min(2 ** attempt, 60)");
    let (out, err, status) = run(&test, &["check", "."]);
    assert_eq!((out.as_str(), status), ("", 1), "{err}");
    assert!(err.starts_with("error[E0316]: "), "{err}");
    for part in
        ["--> README.md:", "-            wait(2 ** attempt)", "+            wait(min(2 ** attempt, 60))", "1 error\n"]
    {
        assert!(err.contains(part), "{part}:\n{err}");
    }
    assert!(err.contains("`infralens sync README.md --accept README.md:7`"), "{err}");
    let (out, _, status) = run(&test, &["sync", "README.md"]);
    assert_eq!((out.as_str(), status), ("0 pins written, 1 left to review\n", 1));
    test.write("my docs.md", README);
    let (_, err, _) = run(&test, &["check", "my docs.md"]);
    assert!(err.contains("`infralens sync 'my docs.md' --accept 'my docs.md':7`"), "{err}");
    test.remove("my docs.md");
    let (out, err, status) = run(&test, &["sync", ".", "--accept", "README.md:7"]);
    assert_eq!((out.as_str(), err.as_str(), status), ("README.md:7: accepted, with note 1\n1 pin written\n", "", 0));
    let now = fs::read_to_string(test.root().join("README.md")).expect("the page");
    assert_eq!(now, README.replace("wait(2 ** attempt)", "wait(min(2 ** attempt, 60))"));
    assert_eq!(run(&test, &["check", "--strict", "."]), ok("the excerpt matches its file\n"));
}

#[test]
fn a_change_that_no_note_explains_is_followed() {
    let test = sample();
    test.edit("src/retry.py", "return call()", "return call(attempt)");
    let (out, err, status) = run(&test, &["check", "."]);
    assert!(err.starts_with("warning[W0301]: ") && status == 0, "{err}");
    assert_eq!(out, "the excerpt differs from its file\n");
    assert_eq!(run(&test, &["check", ".", "--strict"]).2, 1);
    let (_, err, status) = run(&test, &["sync", "--check", "."]);
    assert!(err.starts_with("warning[W0301]: ") && status == 1, "{err}");
    assert_eq!(run(&test, &["sync", "."]), ok("README.md:7: follows its file\n1 pin written\n"));
}

#[test]
fn what_lights_lines_is_checked_too() {
    let test = sample();
    let lit = |attributes: &str| README.replace("#retry\n", &format!("#retry {attributes}\n"));
    test.write("src/old.py", "def retry(call):\n    return call()\n");
    test.write("README.md", lit("light=L5,OSError since=src/old.py#L1-L2"));
    assert_eq!(run(&test, &["check", "README.md"]).2, 0);
    for (attributes, wanted) in [
        ("light=L1", ["error[E0318]: `L1` is not in the excerpt", "README.md:7:59"]),
        ("light=call,IOError", ["error[E0318]: `IOError` is not in the excerpt", "README.md:7:64"]),
        ("since=src/new.py", ["error[E0302]: `src/new.py` does not exist", "README.md:7:59"]),
        ("since=src/old.py#L9", ["error[E0307]: `src/old.py` has 2 lines", "README.md:7:70"]),
        ("since=../x.py", ["error[E0303]: `../x.py` leads out of the repository", "README.md:7:59"]),
    ] {
        test.write("README.md", lit(attributes));
        let (_, err, status) = run(&test, &["check", "README.md"]);
        assert!(wanted.iter().all(|text| err.contains(text)) && status == 1, "{attributes}: {err}");
    }
    test.write("README.md", lit("light=L6").replace("    for", "    again = True\n    for"));
    assert!(run(&test, &["sync", "README.md"]).2 == 0);
    let synced = lit("light=L5");
    assert_eq!(std::fs::read_to_string(test.root().join("README.md")).expect("a page"), synced);
}

#[test]
fn an_empty_fence_is_filled_because_it_is_what_readers_see() {
    let test = sample();
    test.write("a.md", "- item\n\n  ```py file=src/retry.py#L4-L5\n  ```\n\n```py file=src/retry.py#retry\n```\n");
    let (out, err, status) = run(&test, &["check", "a.md"]);
    assert!(err.contains("warning[W0302]: this fence has no code, so readers see none") && status == 0, "{err}");
    assert_eq!(out, "0 of 2 excerpts match their files\n");
    let (_, err, status) = run(&test, &["check", "a.md", "--strict"]);
    assert!(
        err.ends_with("0 of 2 excerpts match their files, but `--strict` refuses warnings\n") && status == 1,
        "{err}"
    );
    assert_eq!(run(&test, &["sync", "a.md"]), ok("a.md:3: pinned\na.md:8: pinned\n2 pins written\n"));
    let now = fs::read_to_string(test.root().join("a.md")).expect("the page");
    assert!(
        now.starts_with("- item\n\n  ```py file=src/retry.py#L4-L5\n  try:\n      return call()\n  ```\n"),
        "{now}"
    );
    assert_eq!(run(&test, &["check", "--strict", "a.md"]), ok("all 2 excerpts match their files\n"));
}

/// The messages of errors, and all places.
fn heads(err: &str) -> Vec<&str> {
    err.lines().filter(|line| line.starts_with("error[") || line.contains("-->")).map(str::trim).collect()
}

#[test]
fn the_file_or_its_region_is_missing() {
    let test = sample();
    let body = "```py file=../src/retri.py\n```\n\n```py file=../src/retry.py#rety\n```\n\n```py file=../src\n```\n\n\
                ```py file=../src/empty.py\n```\n\n```py file=#retry\n```\n\n```py file=../src/data.bin\n```\n";
    test.write("docs/a.md", body).write("src/empty.py", "\n").write("src/data.bin", "\0");
    let (_, err, status) = run(&test, &["check", "docs"]);
    let wanted = [
        "error[E0302]: `src/retri.py` does not exist",
        "--> docs/a.md:1:12",
        "error[E0305]: `src/retry.py` has no region `rety`",
        "--> docs/a.md:4:28",
        "error[E0304]: `src` is a folder",
        "--> docs/a.md:7:12",
        "error[E0314]: only a lab has its own starter",
        "--> docs/a.md:13:12",
        "error[E0304]: `src/data.bin` is a binary file: byte 0 is NUL",
        "--> src/data.bin:1:1",
        "--> docs/a.md:16:12",
        "error[E0011]: `src/empty.py` is empty",
        "--> src/empty.py",
        "--> docs/a.md:10:1",
    ];
    assert_eq!((heads(&err), status), (wanted.to_vec(), 1), "{err}");
    assert!(err.contains("help: did you mean `../src/retry.py`?"), "{err}");
}

#[test]
fn nothing_outside_the_repository_is_read() {
    let test = sample();
    fs::write(test.above().join("secret.txt"), "secret\n").expect("a file above");
    symlink(test.above(), test.root().join("up")).expect("a link");
    symlink("src/retry.py", test.root().join("link.py")).expect("a link");
    symlink(test.root().join("README.md"), test.root().join("linked.md")).expect("a link");
    let body = "```txt file=../../secret.txt\n```\n\n```txt file=/etc/passwd\n```\n\n```txt file=../up/secret.txt\n```\n\n\
                ```py file=../link.py\n```\n";
    test.write("docs/a.md", body);
    let (_, err, status) = run(&test, &["check", "."]);
    let heads: Vec<&str> = err.lines().filter(|line| line.starts_with("error[")).collect();
    let wanted = [
        "error[E0303]: `../../secret.txt` leads out of the repository",
        "error[E0303]: `/etc/passwd` leads out of the repository",
        "error[E0304]: `link.py` is a symbolic link",
        "error[E0304]: `up/secret.txt` is a symbolic link",
    ];
    assert_eq!((heads, status), (wanted.to_vec(), 1), "{err}");
    assert!(!err.contains("secret\n"), "{err}");
}

#[test]
fn no_file_with_a_hidden_name_is_read() {
    let test = sample();
    test.write(".env", "SECRET=1\n").write(".git/config", "SECRET\n").write("a/.b/c.txt", "SECRET\n");
    symlink(".env", test.root().join("env.txt")).expect("a link");
    symlink(test.root().join(".env"), test.root().join("page.md")).expect("a link");
    let fences = [".env", ".git/config#L1", "src/../.env", "./.env", "a/.b/c.txt", "env.txt"];
    let body: String = fences.iter().map(|path| format!("```txt file={path}\n```\n\n")).collect();
    test.write("x.md", &body);
    for format in ["human", "json", "sarif", "github"] {
        let (out, err, status) = run(&test, &["check", "x.md", "--format", format]);
        assert!(!format!("{out}{err}").contains("SECRET") && status == 1, "{out}{err}");
    }
    let (_, err, _) = run(&test, &["check", "x.md"]);
    let refused = err.lines().filter(|line| line.starts_with("error[")).collect::<Vec<_>>();
    let wanted = [
        "error[E0304]: `env.txt` is a symbolic link",
        "error[E0302]: `.env` is not read",
        "error[E0302]: `.git/config` is not read",
        "error[E0302]: `.env` is not read",
        "error[E0302]: `.env` is not read",
        "error[E0302]: `a/.b/c.txt` is not read",
    ];
    assert_eq!(refused, wanted, "{err}");
    run(&test, &["sync", "x.md", "--accept"]);
    assert_eq!(fs::read_to_string(test.root().join("x.md")).expect("the page"), body);
    for path in [".env", ".git/config", "a/.b", "page.md"] {
        for command in ["check", "sync"] {
            let (_, err, status) = run(&test, &[command, path]);
            assert!(err.contains(" begins with a dot") && !err.contains("SECRET") && status == 2, "{err}");
        }
    }
    // The name of a missing file is not taken from a hidden one.
    test.write("y.md", "```txt file=.enw\n```\n\n```txt file=env\n```\n");
    assert!(!run(&test, &["check", "y.md"]).1.contains("did you mean `.env`"));
}

#[test]
fn a_path_from_a_folder_above_is_recognized() {
    let test = sample();
    test.write("docs/main.c", "int f() { return 1; }\n");
    for (page, typed, near) in [
        ("docs/a.md", "src/retry.py", "../src/retry.py"),
        ("docs/a.md", "/src/retry.py", "../src/retry.py"),
        ("docs/a.md", "./src/retry.py", "../src/retry.py"),
        ("docs/deep/a.md", "src/retry.py#retry", "../../src/retry.py"),
        ("docs/deep/a.md", "docs/main.c", "../main.c"),
        ("docs/deep/a.md", "main.c#fn:f", "../main.c"),
    ] {
        for pin in ["", CODE, "int f() { return 1; }\n"] {
            test.write(page, format!("```py file={typed}\n{pin}```\n"));
            let (_, err, status) = run(&test, &["check", page]);
            assert!(err.contains(&format!("help: did you mean `{near}`?")) && status == 1, "{typed}: {err}");
        }
        test.remove(page);
    }
}

#[test]
fn without_version_control_the_current_folder_is_the_root() {
    let test = sample();
    test.remove(".git").write("docs/a.md", "```py file=../src/retry.py#retry\n```\n");
    assert_eq!(run(&test, &["check", "docs", "README.md"]).2, 0);
    let (_, err, status) = run(&test, &["check", "docs"]);
    assert_eq!(status, 0, "the current folder is the root: {err}");
    let (_, err, status) = run(&test, &["check", "docs", "--root", "docs"]);
    assert!(err.starts_with("error[E0303]: `../src/retry.py` leads out of the repository") && status == 1, "{err}");
    let (_, err, status) = run(&test, &["check", "src", "--root", "docs"]);
    assert!(err.starts_with("error: `src` is not inside `") && status == 2, "{err}");
}

#[test]
fn what_is_not_there_and_what_belongs_to_a_course() {
    let test = sample();
    let (_, err, status) = run(&test, &["check", "gone.md"]);
    assert_eq!((err.as_str(), status), ("error: `gone.md` cannot be read: there is no such file or folder\n", 2));
    test.write("course/content/site.yaml", "title: T\n");
    test.write("course/content/index.md", "---\ntitle: T\n---\n```py file=nothing.py\n```\n");
    test.write("course/README.md", "```py file=nothing.py\n```\n");
    let (_, err, status) = run(&test, &["check", "."]);
    assert!(
        err.starts_with("pages of the course in `course/` were left out; `infralens check --root course/`"),
        "{err}"
    );
    assert!(err.contains("error[E0302]: `course/nothing.py` does not exist") && status == 1, "{err}");
    let (_, err, status) = run(&test, &["check", "course/content"]);
    assert!(err.starts_with("error: these are pages of a course") && status == 2, "{err}");
    // Also without a repository around the course.
    fs::remove_dir_all(test.root().join(".git")).expect("a repository");
    let (_, err, status) = run(&test, &["check", "course/content"]);
    assert!(err.starts_with("error: these are pages of a course") && status == 2, "{err}");
    assert!(err.ends_with("help: `infralens check --root course/` checks them\n"), "{err}");
    let (_, err, status) = run(&test, &["sync", ".", "--accept", "READMI.md"]);
    assert!(
        err.contains("error: no Markdown file with an excerpt is `READMI.md`\nhelp: did you mean `README.md`?"),
        "{err}"
    );
    assert_eq!(status, 2);
    let (_, err, status) = run(&test, &["check"]);
    assert!(err.contains("help: for Markdown outside a course") && status == 2, "{err}");
}

#[test]
fn folders_that_are_too_deep_are_reported() {
    let test = sample();
    test.write(&format!("docs/{}a.md", "d/".repeat(70)), "```py file=gone.py\n```\n");
    let (_, err, status) = run(&test, &["check", "."]);
    assert!(err.starts_with("error[E0004]: `docs/d/d/") && status == 1, "{err}");
}

#[test]
fn files_that_are_not_text_and_folders_of_tools() {
    let test = sample();
    test.write("docs/a.md", b"```py file=a.py\n\xff\n```\n").write("docs/b.md", b"\xff");
    test.write("node_modules/x/README.md", "```py file=gone.py\n```\n");
    test.write(".venv/README.md", "```py file=gone.py\n```\n");
    test.write(".github/README.md", "```py file=../gone.py\n```\n");
    test.write("env/pyvenv.cfg", "").write("env/lib/README.md", "```py file=gone.py\n```\n");
    test.write("x.egg-info/README.md", "```py file=gone.py\n```\n").write(".x.md", "```py file=gone.py\n```\n");
    test.write("setup.py", "").write("build/README.md", "```py file=gone.py\n```\n");
    let (_, err, status) = run(&test, &["check", "."]);
    let wanted = [
        "error[E0302]: `gone.py` does not exist",
        "--> .github/README.md:1:12",
        "error[E0001]: `docs/a.md` is not UTF-8: byte 16, on line 2, is not part of a character",
        "--> docs/a.md:2:1",
    ];
    assert_eq!((heads(&err), status), (wanted.to_vec(), 1), "{err}");
}

#[test]
fn formats_for_machines() {
    let test = sample();
    test.edit("README.md", "`2 ** attempt`", "`2 ** attemt`");
    let (out, _, status) = run(&test, &["check", ".", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_str(out.trim()).expect("one object");
    assert_eq!((object["file"].as_str(), object["line"].as_u64(), status), (Some("README.md"), Some(16), 1));
    assert_eq!(object["code"], "E0301");
    let (out, ..) = run(&test, &["check", ".", "--format", "sarif"]);
    let log: serde_json::Value = serde_json::from_str(&out).expect("a log");
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "README.md");
    let (out, ..) = run(&test, &["check", ".", "--format", "github"]);
    assert!(out.starts_with("::error file=README.md,line=16,"), "{out}");
}

#[test]
fn the_readme_of_this_project() {
    let test = SiteTest::empty();
    fs::copy(repository("README.md"), test.root().join("README.md")).expect("the README");
    let (_, err, status) = run(&test, &["check", "README.md"]);
    // The excerpt there is shown as text, in a fence of its own.
    assert_eq!(status, 0, "{err}");
}

fn yaml(path: &str) -> serde_json::Value {
    let text = fs::read_to_string(repository(path)).expect("a file of this project");
    serde_yaml::from_str(&text).expect("YAML")
}

/// Runs a step of `action.yml` with the defaults of its inputs, except for `changed`; in a repository, for a pull request.
pub fn step(test: &SiteTest, index: usize, changed: &[(&str, &str)]) -> (String, String, i32) {
    let action = yaml("action.yml");
    let step = &action["runs"]["steps"][index];
    let (host, above) = (Host::new(test), |name: &str| test.above().join(name));
    let folders = [&*test.root().join("bin"), Path::new(PROGRAM).parent().expect("a folder")];
    let script = step["run"].as_str().expect("commands");
    fs::create_dir_all(above("temporary")).expect("a folder");
    let mut command = host.shell(script, &["-e", "-o", "pipefail"], &folders);
    command.env("NO_COLOR", "1").env("RUNNER_TEMP", host.inside(&above("temporary")));
    command.env("GITHUB_PATH", host.inside(&test.root().join("path")));
    command.env("GITHUB_OUTPUT", host.inside(&above("output")));
    command.env("GITHUB_STEP_SUMMARY", host.inside(&above("summary")));
    for (name, input) in step["env"].as_object().expect("variables") {
        let input = input.as_str().and_then(|text| text.strip_prefix("${{ ")?.strip_suffix(" }}")).expect("an input");
        if name == "BASE" {
            assert_eq!(input, "github.event.pull_request.base.sha");
            command.env(name, if test.root().join(".git/refs").exists() { "main" } else { "" });
            continue;
        }
        let Some(input) = input.strip_prefix("inputs.") else {
            assert_eq!(input, "github.action_path");
            command.env(name, repository(""));
            continue;
        };
        let default = action["inputs"][input]["default"].as_str().expect("a default");
        command.env(name, changed.iter().find(|(name, _)| *name == input).map_or(default, |(_, value)| value));
    }
    let (out, err, status) = text(&command.output().expect("bash runs"));
    (out, err, status.expect("an exit status"))
}

#[test]
fn the_github_action_annotates_what_is_wrong() {
    let test = sample();
    assert_eq!(step(&test, 1, &[]), ok(""));
    test.edit("src/retry.py", "return call()", "return call(attempt)");
    let (out, _, status) = step(&test, 1, &[("strict", "false")]);
    assert!(out.starts_with("::warning file=README.md,line=7,") && status == 0, "{out}");
    let read =
        |name: &str| fs::read_to_string(test.above().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(read("summary").contains("## Checks\n\n~~~~~~ text\nwarning[W0301]"), "{}", read("summary"));
    assert!(read("summary").contains("\n~~~~~~\n\n## Pins\n\n~~~~~~ text\n"), "{}", read("summary"));
    assert!(read("output").starts_with("report=") && read("output").ends_with("/infralens-report/report.md\n"));
    assert!(read("temporary/infralens-report/report.md").starts_with("\n## Checks\n"));
    for paths in ["", ".", "src README.md", "src\nREADME.md\n"] {
        assert_eq!(step(&test, 1, &[("paths", paths)]).2, 1, "{paths:?}");
    }
    assert_eq!(step(&test, 1, &[("paths", "src")]), ok(""));
    // No path is an option.
    let (_, err, status) = step(&test, 1, &[("paths", "--help")]);
    assert!(err.contains("`--help`") && status == 2, "{err}");
}

#[test]
fn the_github_action_installs_only_what_it_knows() {
    let test = sample();
    let sum = downloads(&test.above().join("downloads"));
    fs::create_dir_all(test.root().join("bin")).expect("a folder");
    for name in ["curl", "curl.archive"] {
        fs::copy(test.above().join("downloads").join(name), test.root().join("bin").join(name)).expect("a program");
    }
    let version = env!("CARGO_PKG_VERSION");
    let archive = format!("https://example.org/v{version}/infralens-{version}-x86_64-unknown-linux-gnu.tar.gz");
    let install = |sum: &str| step(&test, 0, &[("archive", &archive), ("sha256", sum)]);
    // It is a link, which leads to a file inside of the root.
    let installed = test.above().join("temporary/infralens/bin/infralens");
    for wrong in ["", "0000", &"0".repeat(64)] {
        assert_ne!(install(wrong).2, 0);
        assert!(!installed.is_symlink() && !test.root().join("path").exists());
    }
    assert_eq!(install(&sum).2, 0);
    assert!(installed.is_symlink());
    let path = fs::read_to_string(test.root().join("path")).expect("the folders that later steps search");
    assert_eq!(path.trim_end(), Host::new(&test).inside(installed.parent().expect("a folder")));
    // Without an archive, the action compiles its own sources.
    test.write("bin/cargo", "#!/bin/sh\necho \"$@\"\n");
    fs::set_permissions(test.root().join("bin/cargo"), fs::Permissions::from_mode(0o755)).expect("a program");
    let (asked, ..) = step(&test, 0, &[]);
    let sources = repository("");
    assert!(asked.starts_with(&format!("install --quiet --locked --path {} --root ", sources.display())), "{asked}");
}

#[test]
fn the_hooks_are_commands_of_the_program() {
    let test = sample();
    let hooks = yaml(".pre-commit-hooks.yaml");
    for (hook, status) in hooks.as_array().expect("a list").iter().zip([0, 2]) {
        let words = hook["entry"].as_str().expect("a command").split(' ').skip(1);
        let more = hook["args"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str);
        let arguments: Vec<&str> = words.chain(more).collect();
        assert_eq!(run(&test, &arguments).2, status, "{arguments:?}");
        assert_eq!(hook["pass_filenames"], false);
    }
}

/// Characters that show another program than the file has, in the file, in a pin and in a note; elsewhere in the Markdown they
/// concern another tool.
#[test]
fn code_that_is_not_what_it_seems() {
    let test = SiteTest::empty();
    test.write("a.py", "x = 1  # \u{202e}\n");
    test.write(
        "a.md",
        "A\u{200b}B\n\n```python file=a.py\nx = 1  # \u{202e}\n```\n\n1. `x` \u{2014} \u{2067}one\n\nC\u{ad}D\n",
    );
    let (_, err, status) = run(&test, &["check", "a.md", "--strict"]);
    let places = err.lines().filter_map(|line| line.trim().strip_prefix("--> ")).collect::<Vec<_>>();
    assert_eq!((places, status), (vec!["a.md:4:10", "a.md:7:10", "a.py:1:10"], 1), "{err}");
    assert!(err.contains("x = 1  # <U+202E>") && !err.contains('\u{202e}'), "{err}");
}
