//! The exit status of every command: 0 done, 1 the course has errors, 2 wrong usage or a failure of the environment.

use std::fs::File;
use std::process::Stdio;

use infralens_course::schema::Kind;

use crate::harness::{SiteTest, program};

/// What every command does in a course that builds.
const COMMANDS: [&[&str]; 18] = [
    &["build"],
    &["check"],
    &["sync"],
    &["sync", "--check"],
    &["record"],
    &["record", "--check"],
    &["explain"],
    &["explain", "E0104"],
    &["schema"],
    &["schema", "lab", "--write"],
    &["completions", "bash"],
    &["editor", "neovim"],
    &["editor", "zed"],
    &["man"],
    &["man", "check"],
    &["--help"],
    &["check", "--help"],
    &["--version"],
];

#[test]
fn what_is_done_ends_with_0() {
    let test = SiteTest::from_dir("minimal");
    for arguments in COMMANDS {
        let run = test.run(arguments);
        assert_eq!((run.status.code(), run.stderr.len()), (Some(0), 0), "{arguments:?}");
        assert!(!run.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn an_output_that_takes_nothing_ends_with_2() {
    let test = SiteTest::from_dir("minimal");
    let sarif: &[&str] = &["check", "--format", "sarif"];
    for arguments in COMMANDS.into_iter().chain([sarif]) {
        let full = File::options().write(true).open("/dev/full").expect("a device");
        let run = program(&test.root()).args(arguments).stdout(full).stderr(Stdio::piped()).output().expect("it runs");
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&run.stderr).starts_with("error: standard output"), "{arguments:?}");
    }
}

#[test]
fn wrong_usage_ends_with_2_and_names_what_is_right() {
    let test = SiteTest::from_dir("minimal");
    let cases: [(&[&str], &str); 13] = [
        (&["schema", "lesson"], "[possible values: lab, section, track, page, site, references]"),
        (&["completions"], "<SHELL>"),
        (&["completions", "tcsh"], "powershell"),
        (&["man", "biuld"], "help: its commands are `build`, `serve`, `publish`, `check`"),
        (&["man", "buidl"], "help: did you mean `build`?\nhelp: its commands are"),
        (&["build", "-o", "x/../y"], ": there is no folder `"),
        (&["man", "build", "x"], "error: `build` has no command `x`"),
        (&["check", "--format", "xml"], "[possible values: human, json, sarif, github]"),
        (&["check", "--jobs", "0"], "1..=1024"),
        (&["sync", "--check", "--accept"], "cannot be used with"),
        (&["move", "content/no.md"], "<NEW>"),
        (&["move", "content/no.md", "x"], "error: there is no page `content/no.md`"),
        (&["sync", "--accept", "content/no.md"], "error: the course has no page `content/no.md`"),
    ];
    for (arguments, expected) in cases {
        let run = test.run(arguments);
        let output = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(output.contains(expected), "{arguments:?}: {output}");
    }
}

#[test]
fn a_build_does_not_replace_the_current_folder() {
    let test = SiteTest::from_dir("minimal");
    let other = SiteTest::empty();
    other.write("site/x/.gitkeep", "").remove("site/x/.gitkeep");
    for (here, out) in [("site", "."), ("site/x", ".."), ("site", "../site")] {
        let mut command = program(&other.root().join(here));
        let run = command.args(["build", "-o", out, "--root"]).arg(test.root()).output().expect("it runs");
        let output = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0), "{here} {out}: {output}");
        assert!(output.contains("go to the folder above it") || output.contains("is not empty"), "{output}");
    }
}

#[test]
fn what_needs_a_course_ends_with_2_where_there_is_none() {
    let test = SiteTest::empty();
    let commands: [&[&str]; 7] = [
        &["build"],
        &["check"],
        &["check", "--format", "github"],
        &["sync"],
        &["record"],
        &["move", "a", "b"],
        &["schema", "--write"],
    ];
    for arguments in commands {
        let run = test.run(arguments);
        assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
    for arguments in [&["explain"][..], &["schema"], &["completions", "zsh"], &["man"]] {
        assert_eq!(test.run(arguments).status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn every_shell_is_told_the_commands_and_their_words() {
    let test = SiteTest::empty();
    let (commands, formats, kinds) = (["check", "strict", "completions"], ["sarif"], Kind::ALL.map(Kind::name));
    // What a shell's script cannot say is left to the shell: fish is told no words for arguments, PowerShell none at all.
    let all: [(&str, &[&[&str]]); 4] = [
        ("bash", &[&commands, &formats, &kinds]),
        ("zsh", &[&commands, &formats, &kinds]),
        ("fish", &[&commands, &formats]),
        ("powershell", &[&commands]),
    ];
    for (shell, words) in all {
        let run = test.run(&["completions", shell]);
        let script = String::from_utf8(run.stdout).expect("UTF-8");
        for word in words.concat() {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn a_manual_page_names_what_the_program_takes() {
    let test = SiteTest::empty();
    let page = |arguments: &[&str]| {
        let run = test.run(&[&["man"], arguments].concat());
        String::from_utf8(run.stdout).expect("UTF-8").replace("\\-", "-").replace("\\:", "")
    };
    let program = page(&[]);
    assert!(program.contains(".TH infralens 1"), "{program}");
    for command in ["build", "check", "sync", "record", "move", "explain", "schema", "completions", "man"] {
        assert!(program.contains(&format!("infralens-{command}(1)")), "{command}: {program}");
        let own = page(&[command]);
        assert!(own.contains(&format!(".TH infralens-{command} 1")) && own.contains("--root"), "{own}");
    }
    assert!(page(&["check"]).contains("sarif"));
}
