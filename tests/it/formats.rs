//! The formats for machines: whatever is reported, SARIF holds to its schema, all formats name the same places, and each
//! goes to standard output alone, with the exit status of the course.

use std::fs;
use std::sync::LazyLock;

use infralens::report;
use jsonschema::Validator;
use serde_json::Value;

use crate::harness::{Built, SiteTest, program, repository};

static SARIF: LazyLock<Validator> = LazyLock::new(|| {
    let schema = fs::read_to_string(repository("tests/schemas/sarif-2.1.0.json")).expect("a schema");
    // A bracket too many, which regular expressions of JavaScript let pass and those of Rust do not.
    let (wrong, right) = ("^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", "^[a-zA-Z]{2}-[a-zA-Z]{2}$");
    assert_eq!(schema.matches(wrong).count(), 2);
    let schema: Value = serde_json::from_str(&schema.replace(wrong, right)).expect("JSON");
    jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema")
});

/// Holds a log against the schema of its format, and its results against the rules that they name.
fn hold(log: &Value) {
    let errors: Vec<String> =
        SARIF.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{log:#}");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in log["runs"][0]["results"].as_array().expect("results") {
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("a small one");
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

/// Holds the three formats against each other, diagnostic by diagnostic.
pub fn agree(built: &Built) {
    let (diagnostics, project) = (&built.diagnostics, &built.project);
    let log: Value = serde_json::from_str(&report::sarif(diagnostics, project, "")).expect("JSON");
    hold(&log);
    let results = log["runs"][0]["results"].as_array().expect("results");
    let (json, github) = (report::json(diagnostics, project), report::github(diagnostics, project, ""));
    let objects: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let annotations: Vec<&str> = github.lines().collect();
    assert_eq!((results.len(), objects.len(), annotations.len()), [diagnostics.len(); 3].into());
    for ((result, object), annotation) in results.iter().zip(&objects).zip(&annotations) {
        let (level, command) = match object["severity"].as_str() {
            Some("error") => ("error", "::error file="),
            Some("warning") => ("warning", "::warning file="),
            _ => ("note", "::notice file="),
        };
        assert_eq!((&result["level"], &result["ruleId"]), (&level.into(), &object["code"]));
        assert!(annotation.starts_with(command), "{annotation}");
        let region = &result["locations"][0]["physicalLocation"]["region"];
        if region.is_null() {
            assert_eq!((&object["line"], &object["column"]), (&1.into(), &1.into()));
            assert!(!annotation.contains(",line="), "{annotation}");
            continue;
        }
        let ends = ["line", "column", "end_line", "end_column"].map(|key| &object[key]);
        assert_eq!(["startLine", "startColumn", "endLine", "endColumn"].map(|key| &region[key]), ends);
        assert!(annotation.contains(&format!(",line={},endLine={},", ends[0], ends[2])), "{annotation}");
    }
}

/// The exit status of `check`, and what it says on standard output and on standard error.
fn check(test: &SiteTest, arguments: &[&str]) -> (Option<i32>, String, String) {
    let run = test.run(&[&["check"], arguments].concat());
    let utf8 = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (run.status.code(), utf8(run.stdout), utf8(run.stderr))
}

#[test]
fn formats_for_machines_have_standard_output_to_themselves() {
    let test = SiteTest::copy_of(&repository("tests/suite/base"));
    for format in ["json", "github"] {
        assert_eq!(check(&test, &["--format", format]), (Some(0), String::new(), String::new()));
    }
    let (status, log, output) = check(&test, &["--format", "sarif"]);
    assert_eq!((status, output), (Some(0), String::new()));
    let log: Value = serde_json::from_str(&log).expect("JSON");
    hold(&log);
    assert_eq!(log["runs"][0]["results"], Value::Array(Vec::new()));

    // A hint, then a warning, then an error.
    let steps: [(&str, &str, [i32; 2]); 3] = [
        ("content/tracks/t/labs/lab-01-a.md", "x = 1\ntotal = x + y\n```", [0, 0]),
        ("content/b.md", "---\ntitle: B\n---\n\n<!-- track -->\n", [0, 1]),
        ("content/c.md", "---\ntitel: C\n---\n", [1, 1]),
    ];
    for (path, text, statuses) in steps {
        if path.contains("/labs/") {
            test.edit(path, text, "```");
        } else {
            test.write(path, text);
        }
        for format in ["human", "json", "sarif", "github"] {
            let loose = check(&test, &["--format", format]);
            let strict = check(&test, &["--format", format, "--strict"]);
            assert_eq!([loose.0, strict.0], statuses.map(Some), "{format}, {path}");
            assert_eq!(loose.1.is_empty(), format == "human" && statuses[0] == 1, "{format}: {}", loose.1);
            assert_eq!(loose.2.is_empty(), format != "human", "{format}: {}", loose.2);
            if format != "human" {
                assert_eq!(loose.1, strict.1, "{format}: what is said does not depend on what is asked for");
            }
        }
    }
    agree(&test.build());
}

#[test]
fn a_job_on_github_reads_paths_from_its_repository() {
    let test = SiteTest::from_dir("minimal");
    test.write("content/x.md", "no front matter\n");
    let checked = |workspace: &std::path::Path| {
        let mut program = program(&test.root());
        program.args(["check", "--format", "github"]).env("GITHUB_WORKSPACE", workspace);
        String::from_utf8(program.output().expect("it runs").stdout).expect("UTF-8")
    };
    assert!(checked(test.above()).starts_with("::error file=course/content/x.md,"));
    assert!(checked(&test.root()).starts_with("::error file=content/x.md,"));
    assert!(checked(std::path::Path::new("/nowhere")).starts_with("::error file=content/x.md,"));
}
