//! The workflows of `infralens init --ci`, this repository's own, and its action: what they may do and install. The commands
//! are run here as a host does, in a clean root, with a download that only knows this version of the program.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::diff::commit_all;
use crate::harness::{SiteTest, contents, repository};
use crate::host::{Host, PROGRAM};
use crate::repository::step;

const ADDRESS: &str = "https://you.example.org/queues";
/// Copies the archive to the file that is asked for.
const CURL: &str = "#!/bin/sh
for wanted; do [ \"$before\" = -o ] && file=$wanted; before=$wanted; done
case $wanted in https://*/v@@/infralens-@@-x86_64-unknown-linux-gnu.tar.gz) cp \"$0.archive\" \"$file\" ;; *) exit 22 ;; esac
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
    let text = value.as_str().expect("a string").replace("${{ steps.pages.outputs.base_url }}", ADDRESS);
    text.replace("${{ github.event.pull_request.base.sha }}", "main")
}

/// The variables of a workflow, or of one of its steps.
fn variables(value: &Value) -> Vec<(String, String)> {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), string(value))).collect()
}

/// Writes a `curl` that has the archive of this version into a new folder. Returns the archive's checksum.
pub fn downloads(bin: &Path) -> String {
    let top = format!("infralens-{}-x86_64-unknown-linux-gnu", env!("CARGO_PKG_VERSION"));
    fs::create_dir_all(bin.join(&top)).expect("a folder");
    std::os::unix::fs::symlink(PROGRAM, bin.join(&top).join("infralens")).expect("a link");
    let curl = bin.join("curl");
    fs::write(&curl, CURL.replace("@@", env!("CARGO_PKG_VERSION"))).expect("a program");
    fs::set_permissions(&curl, fs::Permissions::from_mode(0o755)).expect("a program");
    let archive = bin.join("curl.archive");
    let tar = Command::new("tar").arg("-czf").arg(&archive).arg("-C").arg(bin).arg(&top).status();
    assert!(tar.expect("tar").success());
    let sum = Command::new("sha256sum").arg(&archive).output().expect("sha256sum");
    text(&sum.stdout).split(' ').next().expect("a sum").to_owned()
}

/// Runs scripts, each with its variables, one after the other in the root of the repository, until one fails.
fn run(test: &SiteTest, scripts: &[(String, Vec<(String, String)>)]) -> Output {
    let (host, temporary) = (Host::new(test), test.above().join("temporary"));
    fs::remove_dir_all(&temporary).ok();
    let sum = downloads(&temporary);
    let folders = [&*temporary.join("infralens/bin"), &temporary, &test.above().join("tools")];
    let mut last = None;
    for (script, variables) in scripts {
        let mut shell = host.shell(script, &["-e"], &folders);
        shell.env("RUNNER_TEMP", host.inside(&temporary));
        shell.envs(variables.iter().cloned()).env("GITHUB_PATH", host.inside(&temporary.join("path")));
        shell.env("GITHUB_STEP_SUMMARY", host.inside(&test.above().join("summary")));
        shell.env("CI_MERGE_REQUEST_DIFF_BASE_SHA", "main").env("BASE", "main");
        if variables.iter().any(|(name, value)| name == "SHA256" && value == "known") {
            shell.env("SHA256", &sum);
        }
        let output = shell.output().expect("a shell");
        if !output.status.success() {
            return output;
        }
        last = Some(output);
    }
    last.expect("scripts")
}

/// Runs the first job of the workflow for GitHub, without the actions that need the host: for a pull request to the branch
/// `main` of a repository, or for a push to a folder without one.
fn run_github(test: &SiteTest) -> Output {
    let is_pull_request = test.root().join(".git/refs").exists();
    let workflow = workflow(test, GITHUB);
    let steps = workflow["jobs"]["build"]["steps"].as_array().expect("steps").iter();
    let scripts = steps
        .filter(|step| step["run"].is_string())
        .filter(|step| is_pull_request || !step["if"].as_str().is_some_and(|when| when.contains("pull_request")))
        .map(|step| (string(&step["run"]), [variables(&workflow["env"]), variables(&step["env"])].concat()));
    run(test, &scripts.collect::<Vec<_>>())
}

/// Runs a job of the workflow for GitLab, whose lines are one script.
fn run_gitlab(test: &SiteTest, job: &str) -> Output {
    let workflow = workflow(test, GITLAB);
    let mut given = variables(&workflow["variables"]);
    given.push(("CI_PAGES_URL".into(), ADDRESS.into()));
    let lines =
        [&workflow["before_script"], &workflow[job]["script"]].into_iter().filter_map(Value::as_array).flatten();
    run(test, &[(lines.map(string).collect::<Vec<_>>().join("\n"), given)])
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

/// Runs `init`, and writes into the workflow that the checksum of the archive is known.
fn init(test: &SiteTest, arguments: &[&str]) -> String {
    let output = test.run(&[&["init"], arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    write_sum(test, "known");
    text(&output.stdout)
}

fn write_sum(test: &SiteTest, sum: &str) {
    for path in [GITHUB, GITLAB].map(|path| test.root().join(path)).iter().filter(|path| path.exists()) {
        let before = fs::read_to_string(path).expect("the workflow");
        let lines = before.lines().map(|line| match line.split_once("SHA256: \"") {
            Some((indent, _)) => format!("{indent}SHA256: \"{sum}\"\n"),
            None => format!("{line}\n"),
        });
        fs::write(path, lines.collect::<String>()).expect("the workflow");
    }
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
            commit_all(&test);
            assert!(run_gitlab(&test, "check").status.success());
            assert_published(&test, &run_gitlab(&test, "pages"));
        }
    }
}

/// What is to be read again is in the report, which the summary of the job shows, and stops the job.
#[test]
fn a_workflow_reports_what_is_wrong() {
    let test = SiteTest::empty();
    init(&test, &["--ci", "github", "."]);
    init(&test, &["--ci", "gitlab", "."]);
    assert!(run_github(&test).status.success());
    let read = |path: &Path| fs::read_to_string(path).expect("a report");
    let (report, summary) = (test.root().join("report.md"), test.above().join("summary"));
    assert!(read(&report).starts_with("## Checks\n\n~~~~~~ text\nthe course builds: "), "{}", read(&report));
    assert_eq!(read(&report), read(&summary));
    test.edit("code/lab-01-ring/ring.py", "tail = (self.head + self.count)", "tail = (self.count + self.head)");
    fs::remove_file(&summary).expect("the summary");
    let output = run_github(&test);
    assert!(
        !output.status.success() && text(&output.stdout).contains("::error file=content/"),
        "{}",
        text(&output.stdout)
    );
    assert!(read(&summary).contains("error[E0316]") && read(&summary).contains("\n## Pins\n"), "{}", read(&summary));
    fs::remove_file(&report).expect("the report");
    let output = run_gitlab(&test, "check");
    assert!(!output.status.success() && text(&output.stdout).contains("error[E0316]"), "{}", text(&output.stdout));
    assert!(read(&report).contains("\n## Pins\n"), "{}", read(&report));
}

/// For a pull request, the summary has what changes for readers, and the site with its changes marked is kept.
#[test]
fn a_workflow_compares_a_pull_request() {
    let test = SiteTest::empty();
    init(&test, &["--ci", "github", "."]);
    init(&test, &["--ci", "gitlab", "."]);
    commit_all(&test);
    test.edit("content/index.md", "title: ", "title: Another ");
    let read = |path: PathBuf| fs::read_to_string(path).expect("a report");
    let is_marked = || read(test.root().join("marked/index.html")).contains("<div class=\"change-top\"");
    let output = run_github(&test);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let summary = read(test.above().join("summary"));
    assert!(summary.contains("## Pins\n") && summary.contains("1 change on 1 page"), "{summary}");
    let report = read(test.root().join("report.md"));
    assert!(report.contains("1 change on 1 page") && report.contains("## Pins\n"), "{report}");
    assert!(is_marked());
    test.remove("marked").remove("report.md");
    let output = run_gitlab(&test, "check");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(read(test.root().join("report.md")).contains("1 change on 1 page") && is_marked());
}

#[test]
fn the_action_compares_a_pull_request() {
    let test = SiteTest::copy_of(&repository("tests/suite/base"));
    commit_all(&test);
    test.edit("content/index.md", "Welcome.", "Welcome back.");
    let (_, err, _) = step(&test, 1, &[]);
    let read = |name: &str| fs::read_to_string(test.above().join(name)).unwrap_or_else(|_| panic!("{name}: {err}"));
    // First, because a comment shows only the beginning of a long report.
    let summary = read("summary");
    assert!(summary.contains("2 changes on 1 page") && summary.contains("\n## Pins\n"), "{summary}");
    assert!(read("output").contains("infralens-report/marked\n"), "{}", read("output"));
    assert_eq!(read("temporary/infralens-report/report.md"), summary);
    let page = read("temporary/infralens-report/marked/index.html");
    assert!(page.contains("<ins>Welcome back.</ins>"), "{page}");
}

/// Markdown outside a course has no site, but changes.
#[test]
fn the_action_compares_markdown_outside_a_course() {
    let test = SiteTest::empty();
    test.write("src/a.py", "def one():\n    return 1\n").write("content/about.md", "Ours.\n");
    test.write(
        "README.md",
        "```python file=src/a.py#fn:one {2}\ndef one():\n    return 1\n```\n\n1. `return` — always the same.\n",
    );
    commit_all(&test);
    for file in ["src/a.py", "README.md"] {
        test.edit(file, "return 1", "return 2");
    }
    let (out, err, status) = step(&test, 1, &[]);
    let read = |name: &str| fs::read_to_string(test.above().join(name)).unwrap_or_else(|_| panic!("{name}: {err}"));
    let summary = read("summary");
    assert!(summary.contains("1 change on 1 page") && summary.contains("always the same."), "{summary}{err}");
    assert_eq!((status, read("output").contains("marked=")), (0, false), "{out}{err}");
    // A checkout of one commit does not have the one from which a branch started.
    fs::remove_file(test.root().join(".git/refs/heads/main")).expect("a branch");
    let (out, err, status) = step(&test, 1, &[]);
    assert!(out.contains("::error::") && out.contains("fetch-depth: 0") && status == 2, "{out}{err}");
}

/// What a pull request's report needs is what the action does if nothing is said.
#[test]
fn the_action_keeps_its_report() {
    let text = fs::read_to_string(repository("action.yml")).expect("the action");
    let action: Value = serde_yaml::from_str(&text).expect("YAML");
    let defaults = ["paths", "strict", "artifact"].map(|input| string(&action["inputs"][input]["default"]));
    assert_eq!(defaults, ["", "true", "report"]);
    let keep = &action["runs"]["steps"][2];
    assert!(
        string(&keep["uses"]).starts_with("actions/upload-artifact@") && string(&keep["if"]).starts_with("always()")
    );
    assert!(keep["with"]["path"].as_str().is_some_and(|path| path.ends_with("/infralens-report")));
}

/// Where there is no release, the program is compiled from the commit that the workflow names.
#[test]
fn a_workflow_can_compile_the_program() {
    const CARGO: &str = "#!/bin/sh
for wanted; do [ \"$before\" = --root ] && root=$wanted; before=$wanted; done
[ \"$*\" = \"install --quiet --locked --git https://host.example/infralens --rev abc --root $root\" ] || exit 9
mkdir -p \"$root/bin\" && ln -s @@ \"$root/bin/infralens\"
";
    let test = SiteTest::empty();
    for (host, path) in [("github", GITHUB), ("gitlab", GITLAB)] {
        test.run(&["init", "--ci", host, "."]);
        let yaml = fs::read_to_string(test.root().join(path)).expect("the workflow");
        let yaml = yaml
            .replace("SOURCES: \"\"", "SOURCES: https://host.example/infralens")
            .replace("COMMIT: \"\"", "COMMIT: abc");
        test.write(path, yaml);
    }
    let tools = test.above().join("tools");
    fs::create_dir(&tools).expect("a folder");
    fs::write(tools.join("cargo"), CARGO.replace("@@", PROGRAM)).expect("a program");
    fs::set_permissions(tools.join("cargo"), fs::Permissions::from_mode(0o755)).expect("a program");
    assert_published(&test, &run_github(&test));
    commit_all(&test);
    assert!(run_gitlab(&test, "check").status.success());
}

/// The second workflow, which the guide shows: it writes one comment, and replaces it the next time.
#[test]
fn the_comment_is_written_once() {
    // Says what it is asked: the number of the pull request, and the comments on it.
    const GH: &str = "#!/bin/sh
echo \"$@\" >> \"$0.log\"
case \"$*\" in
  *pulls\\?*) echo 7 ;;
  *--paginate*) cat \"$0.comments\" 2>/dev/null ;;
  *) cp comment.json \"$0.sent\" ;;
esac
";
    let guide = fs::read_to_string(repository("content/guide/publish.md")).expect("the guide");
    let (_, rest) = guide.split_once("name: Comment\n").expect("the workflow");
    let yaml: Value = serde_yaml::from_str(rest.split("\n```").next().expect("its end")).expect("YAML");
    let step = &yaml["jobs"]["comment"]["steps"].as_array().expect("steps").iter().find(|step| step["run"].is_string());
    let step = step.expect("a script");
    let (test, tools) = (SiteTest::empty(), tempfile::tempdir().expect("a folder"));
    let gh = tools.path().join("gh");
    fs::write(&gh, GH).expect("a program");
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).expect("a program");
    let run = || {
        let mut shell = Command::new("bash");
        shell.args(["-e", "-c", &string(&step["run"])]).current_dir(test.root());
        shell.env("PATH", format!("{}:/usr/bin:/bin", tools.path().display()));
        shell.envs([("REPOSITORY", "you/course"), ("OWNER", "fork"), ("BRANCH", "a b&c"), ("GH_TOKEN", "t")]);
        let output = shell.output().expect("bash");
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        let log = fs::read_to_string(tools.path().join("gh.log")).expect("a log");
        fs::remove_file(tools.path().join("gh.log")).expect("a log");
        log
    };
    test.write("report.md", format!("## Checks\n\n~~~~~~ text\n\"quoted\" {}\n~~~~~~\n", "é".repeat(80_000)));
    let log = run();
    assert!(log.contains("pulls?head=fork:a%20b%26c&state=open"), "{log}");
    assert!(log.contains("--method POST repos/you/course/issues/7/comments --input comment.json"), "{log}");
    let sent = fs::read_to_string(tools.path().join("gh.sent")).expect("a comment");
    let sent: Value = serde_json::from_str(&sent).expect("JSON");
    let body = sent["body"].as_str().expect("a body");
    assert!(
        body.starts_with("<!-- infralens report -->\n## Checks\n") && body.contains("\"quoted\""),
        "{}",
        &body[..99]
    );
    assert!(body.chars().count() <= 65_000 && body.ends_with("\n~~~~~~\n"), "a code host takes no more");
    fs::write(tools.path().join("gh.comments"), "41\n").expect("a file");
    let log = run();
    assert!(log.contains("--method PATCH repos/you/course/issues/comments/41 --input comment.json"), "{log}");
    // A branch of no pull request gets no comment.
    fs::write(&gh, "#!/bin/sh\necho \"$@\" >> \"$0.log\"\n").expect("a program");
    assert_eq!(run().lines().count(), 1);
}

/// A program without its checksum is not run, whoever has it.
#[test]
fn a_workflow_runs_only_what_it_knows() {
    let test = SiteTest::empty();
    init(&test, &["--ci", "github", "."]);
    init(&test, &["--ci", "gitlab", "."]);
    for (sum, says) in [("", "write the sum"), (&*"0".repeat(64), "FAILED"), ("x", "no properly formatted")] {
        write_sum(&test, sum);
        for run in [run_github(&test), run_gitlab(&test, "pages")] {
            let output = text(&run.stdout) + &text(&run.stderr);
            assert!(!run.status.success() && output.contains(says), "{output}");
        }
    }
    assert!(!test.root().join("public").exists());
}

/// Every file that a code host runs: this repository's, what `init` writes, and what the guide shows.
fn hosted() -> Vec<(String, String)> {
    let read = |path: &str| (path.to_owned(), fs::read_to_string(repository(path)).expect("a file"));
    let mut files = vec![read("action.yml"), read(".pre-commit-hooks.yaml")];
    for folder in [".github/workflows", "crates/author/src/scaffold/text", "content/guide"] {
        for entry in fs::read_dir(repository(folder)).expect("a folder") {
            let name = entry.expect("a file").file_name().into_string().expect("a name");
            if [".yml", ".md"].iter().any(|ending| name.ends_with(ending)) {
                files.push(read(&format!("{folder}/{name}")));
            }
        }
    }
    files
}

/// What is run by name is what its owner makes of it, and the owner may change.
#[test]
fn what_a_host_runs_is_pinned() {
    const INDEXES: [&str; 9] = [
        "pip install infralens", "pip install \"infralens", "pipx ", "uvx ", "npx ", "npm install ", "gem install",
        "cargo binstall", "cargo install infralens",
    ];
    for (path, text) in hosted() {
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            if let Some((_, action)) =
                line.split_once("uses: ").filter(|(before, _)| before.trim_matches(['-', ' ']).is_empty())
            {
                let (name, rest) = action.split_once('@').expect("a version");
                let (commit, version) = rest.split_once(" # v").unwrap_or((rest, ""));
                let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(is_commit && !version.is_empty() || name == "OWNER/infralens", "{path}: {line}");
            }
            let is_known =
                !line.contains("cargo install") || ["--path ", "--rev "].iter().any(|option| line.contains(option));
            assert!(is_known, "{path}: {line}");
            assert!(!INDEXES.iter().any(|index| line.contains(index)), "{path}: {line}");
        }
    }
}

/// A job may do only what it says itself, and the credentials of a checkout are not left to later steps.
#[test]
fn a_job_may_do_little() {
    for path in [".github/workflows/release.yml", "crates/author/src/scaffold/text/github.yml"] {
        let text = fs::read_to_string(repository(path)).expect("a workflow");
        let workflow: Value =
            serde_yaml::from_str(&text.replace("@archive@", "a").replace("@course@", "c")).expect("YAML");
        assert_eq!(workflow["permissions"], serde_json::json!({}), "{path}");
        for (name, job) in workflow["jobs"].as_object().expect("jobs") {
            let granted = job["permissions"].as_object().expect("permissions");
            let runs = job["steps"].as_array().expect("steps").iter().any(|step| step["run"].is_string());
            let is_release = path.ends_with("release.yml") && name == "release";
            let may_write = granted.values().any(|level| level == "write");
            assert!(!(may_write && runs) || is_release, "{path}: {name}");
            for step in job["steps"].as_array().expect("steps") {
                if step["uses"].as_str().is_some_and(|action| action.starts_with("actions/checkout@")) {
                    assert_eq!(step["with"]["persist-credentials"], false, "{path}: {name}");
                }
            }
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
