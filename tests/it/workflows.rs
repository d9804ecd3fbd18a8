//! `infralens init --ci`: workflows that hosts run. Their commands are run here as a host does, with an installer that only
//! knows this version of the program.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use serde_json::Value;

use crate::harness::{SiteTest, contents};

const PROGRAM: &str = env!("CARGO_BIN_EXE_infralens");
const ADDRESS: &str = "https://you.example.org/queues";
/// Installs the program next to itself.
const INSTALLER: &str = "#!/bin/sh
for wanted; do :; done
[ \"$wanted\" = infralens==VERSION ] && ln -s PROGRAM \"${0%/*}/infralens\"
";
const GITHUB: &str = ".github/workflows/site.yml";
const GITLAB: &str = ".gitlab-ci.yml";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn workflow(test: &SiteTest, path: &str) -> Value {
    let yaml = fs::read_to_string(test.root().join(path)).expect("the workflow");
    serde_yaml::from_str(&yaml).expect("YAML")
}

fn string(value: &Value) -> String {
    value.as_str().expect("a string").replace("${{ steps.pages.outputs.base_url }}", ADDRESS)
}

/// The variables of a workflow, or of one of its steps.
fn variables(value: &Value) -> Vec<(String, String)> {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), string(value))).collect()
}

/// Runs scripts, each with its variables, one after the other in the root of the repository, until one fails.
fn run(test: &SiteTest, installer: &str, scripts: &[(String, Vec<(String, String)>)]) -> Output {
    let bin = tempfile::tempdir().expect("a folder for programs");
    let installer = bin.path().join(installer);
    let script = INSTALLER.replace("VERSION", env!("CARGO_PKG_VERSION")).replace("PROGRAM", PROGRAM);
    fs::write(&installer, script).expect("the installer");
    fs::set_permissions(&installer, fs::Permissions::from_mode(0o755)).expect("a program");
    let path = format!("{}:/usr/bin:/bin", bin.path().display());
    let mut last = None;
    for (script, variables) in scripts {
        let mut shell = Command::new("bash");
        shell.args(["-e", "-c", script]).current_dir(test.root()).env("PATH", &path);
        let output = shell.envs(variables.iter().cloned()).output().expect("a shell");
        if !output.status.success() {
            return output;
        }
        last = Some(output);
    }
    last.expect("scripts")
}

/// Runs the first job of the workflow for GitHub, without the actions that need the host.
fn run_github(test: &SiteTest) -> Output {
    let workflow = workflow(test, GITHUB);
    let steps = workflow["jobs"]["build"]["steps"].as_array().expect("steps").iter();
    let scripts = steps
        .filter(|step| step["run"].is_string())
        .map(|step| (string(&step["run"]), [variables(&workflow["env"]), variables(&step["env"])].concat()));
    run(test, "pipx", &scripts.collect::<Vec<_>>())
}

/// Runs a job of the workflow for GitLab.
fn run_gitlab(test: &SiteTest, job: &str) -> Output {
    let workflow = workflow(test, GITLAB);
    let mut given = variables(&workflow["variables"]);
    given.push(("CI_PAGES_URL".into(), ADDRESS.into()));
    let lines =
        [&workflow["before_script"], &workflow[job]["script"]].into_iter().filter_map(Value::as_array).flatten();
    run(test, "pip", &lines.map(|line| (string(line), given.clone())).collect::<Vec<_>>())
}

/// The site knows its address, and its page for unknown addresses starts at the root of the host.
fn assert_published(test: &SiteTest, output: &Output) {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let site = contents(&test.root().join("public"));
    assert!(
        text(&site["index.html"]).contains(&format!("href=\"{ADDRESS}/index.html\"")),
        "{}",
        text(&site["index.html"])
    );
    assert!(text(&site["404.html"]).contains("href=\"/queues/assets/"), "{}", text(&site["404.html"]));
}

fn init(test: &SiteTest, arguments: &[&str]) -> String {
    let output = test.run(&[&["init"], arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_workflow_builds_a_new_course() {
    for (host, path) in [("github", GITHUB), ("gitlab", GITLAB)] {
        let test = SiteTest::empty();
        let printed = init(&test, &["--ci", host, "."]);
        assert!(printed.contains(&format!("./{path} publishes the course\nnext: ")), "{printed}");
        if host == "github" {
            assert_published(&test, &run_github(&test));
        } else {
            assert!(run_gitlab(&test, "check").status.success());
            assert_published(&test, &run_gitlab(&test, "pages"));
        }
    }
}

#[test]
fn a_workflow_is_at_the_root_of_the_repository() {
    let test = SiteTest::empty();
    test.write(".git/HEAD", "");
    init(&test, &["--ci", "github", "docs/my course"]);
    init(&test, &["--ci", "gitlab", "docs/my course"]);
    assert_published(&test, &run_github(&test));
    test.remove("public");
    assert_published(&test, &run_gitlab(&test, "pages"));
}

#[test]
fn a_course_with_an_error_is_not_published() {
    let test = SiteTest::empty();
    init(&test, &["--ci", "github", "."]);
    init(&test, &["--ci", "gitlab", "."]);
    test.write("content/wrong.md", "---\ntitle: Wrong\n---\n\n[gone](gone.md)\n");
    let github = run_github(&test);
    assert!(text(&github.stdout).contains("::error file=content/"), "{}", text(&github.stdout));
    assert!(!github.status.success() && !test.root().join("public").exists());
    assert!(!run_gitlab(&test, "check").status.success());
    assert!(!run_gitlab(&test, "pages").status.success() && !test.root().join("public").exists());
}

#[test]
fn a_course_gets_a_workflow_and_keeps_its_files() {
    let test = SiteTest::empty();
    init(&test, &["."]);
    let before = contents(&test.root());
    init(&test, &["--ci", "github", "."]);
    let mut after = contents(&test.root());
    assert!(after.remove(GITHUB).is_some());
    assert!(after == before, "nothing else is created");
    test.write(GITHUB, "mine");
    let again = test.run(&["init", "--ci", "github", "."]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).starts_with(&format!("error: `./{GITHUB}` exists already\nhelp: ")));
    assert_eq!(text(&contents(&test.root())[GITHUB]), "mine");
    let empty = test.run(&["init", "--empty", "--ci", "gitlab", "."]);
    assert_eq!(empty.status.code(), Some(2), "it asks for another course");
    assert!(!test.root().join(GITLAB).exists());
}

#[test]
fn no_course_is_created_next_to_a_workflow_that_is_not_ours() {
    let test = SiteTest::empty();
    test.write(GITLAB, "mine");
    assert_eq!(test.run(&["init", "--ci", "gitlab", "."]).status.code(), Some(2));
    assert_eq!(contents(&test.root()).len(), 1);
}
