//! How much the program prints: what matters first, not too much of it, and a summary.

use std::process::Output;

use crate::harness::SiteTest;

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// A course with a warning on its first page, and with errors on its last.
fn course(warnings: usize, errors: usize) -> SiteTest {
    let test = SiteTest::from_dir("minimal");
    let comments = "<!-- track -->\n\n".repeat(warnings);
    test.write("content/a.md", format!("---\ntitle: A\n---\n\n{comments}"));
    let links = "[gone](gone.md)\n\n".repeat(errors);
    test.write("content/z.md", format!("---\ntitle: Z\n---\n\n{links}"));
    test
}

/// The code of each diagnostic in the order in which they are drawn.
fn drawn(output: &str) -> Vec<&str> {
    let heads = output.lines().filter(|line| ["error[", "warning[", "hint["].iter().any(|word| line.starts_with(word)));
    heads.filter_map(|line| line.split(['[', ']']).nth(1)).collect()
}

#[test]
fn errors_come_first_and_the_codes_are_counted() {
    let test = course(2, 1);
    for command in ["check", "build"] {
        let run = test.run(&[command]);
        let output = err(&run);
        assert_eq!(drawn(&output), ["E0404", "W0201", "W0201"]);
        let summary = "\n1 error, 2 warnings\n  1  E0404  link to a file that does not exist\n  2  W0201  comment that \
                       nearly has a meaning\n`infralens explain CODE` says more about each\n";
        assert!(output.contains(summary), "{output}");
    }
    let machine = out(&test.run(&["check", "--format", "json"]));
    let codes: Vec<bool> = machine.lines().map(|line| line.contains("W0201")).collect();
    assert_eq!(codes, [true, true, false], "by place");
}

#[test]
fn one_code_is_explained_in_one_line() {
    let output = err(&course(0, 1).run(&["check"]));
    assert!(output.ends_with("\n1 error\n`infralens explain E0404` says more\n"), "{output}");
}

#[test]
fn fifty_are_drawn_and_fifty_have_a_line_each() {
    let test = course(50, 45);
    let output = err(&test.run(&["check"]));
    let codes = drawn(&output);
    assert_eq!(codes.len(), 50);
    assert!(codes[..45].iter().all(|code| *code == "E0404") && codes[45..].iter().all(|code| *code == "W0201"));
    let (_, others) = output.split_once("\n… and 45 more, each in one line:\n").expect("the others");
    let (others, after) = others.split_once("\n\n").expect("an end");
    let others: Vec<&str> = others.lines().collect();
    assert_eq!((others.len(), after.starts_with("45 errors, 50 warnings\n")), (45, true), "{output}");
    assert_eq!(others[0], "content/a.md:15:1: warning[W0201]: `<!-- track -->` has no effect; `<!-- tracks -->` would");
    assert_eq!(out(&test.run(&["check", "--format", "json"])).lines().count(), 95);
    let errors = err(&course(3, 60).run(&["check"]));
    assert!(drawn(&errors).iter().all(|code| *code == "E0404"));
    assert!(errors.contains("\ncontent/z.md:105:1: error[E0404]: `content/gone.md` does not exist\n"), "{errors}");
}

#[test]
fn a_flood_ends_in_a_line_for_each_code() {
    let test = course(2000, 300);
    let output = err(&test.run(&["check"]));
    assert_eq!(drawn(&output).len(), 50);
    assert!(output.contains("\n… and 50 more, each in one line:\n"));
    assert!(
        output
            .contains("\n… and 200 × `E0404` in 1 file\n… and 2000 × `W0201` in 1 file\n\n300 errors, 2000 warnings\n")
    );
    assert!(output.len() < 30_000, "{} bytes", output.len());
    assert_eq!(out(&test.run(&["check", "--format", "json"])).lines().count(), 2300, "machines are output all");
}

#[test]
fn quiet_prints_what_refuses_the_course_and_nothing_else() {
    let failed = course(2, 1);
    for arguments in [&["check", "-q"][..], &["build", "--quiet"]] {
        let run = failed.run(arguments);
        assert_eq!((run.status.code(), drawn(&err(&run)), out(&run)), (Some(1), vec!["E0404"], String::new()));
    }
    assert_eq!(out(&failed.run(&["check", "-q", "--format", "json"])).lines().count(), 1);
    let built = course(2, 0);
    for arguments in [&["check", "-q"][..], &["build", "-q"]] {
        let run = built.run(arguments);
        assert_eq!((run.status.code(), err(&run), out(&run)), (Some(0), String::new(), String::new()));
    }
    assert!(built.public().join("index.html").exists());
}

#[test]
fn what_strict_refuses_is_never_silent() {
    let test = course(1, 0);
    for quiet in [&[][..], &["-q"]] {
        let checked = test.run(&[&["check", "--strict"], quiet].concat());
        let output = err(&checked);
        assert_eq!((checked.status.code(), out(&checked)), (Some(1), String::new()));
        assert!(
            output.contains("warning[W0201]")
                && output.ends_with("the course builds, but `--strict` refuses warnings\n"),
            "{output}"
        );
        let built = test.run(&[&["build", "--strict"], quiet].concat());
        let output = err(&built);
        assert_eq!((built.status.code(), out(&built)), (Some(1), String::new()));
        assert!(output.ends_with("\nnothing was written: `--strict` refuses warnings\n"), "{output}");
    }
}

#[test]
fn a_new_lab_has_one_warning_for_each_section() {
    let test = SiteTest::empty();
    assert!(test.run(&["init", "."]).status.success());
    assert!(test.run(&["new", "lab", "queues/disc"]).status.success());
    let output = err(&test.run(&["check"]));
    assert!(drawn(&output).iter().all(|code| *code == "todo"), "{output}");
    assert!(output.contains("\n14 warnings\n"), "{output}");
    assert!(output.contains("warning[todo]: 6 things are left to do in the front matter\n"), "{output}");
    assert!(output.contains("warning[todo]: 2 things are left to do in the section `Check yourself`\n"), "{output}");
}
