//! What README.md and CONTRIBUTING.md show can be typed: each command exists, with its options, and each file that it names.
//! Commands are the lines of blocks `sh`, and code spans that begin with a program or a script of this repository.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::harness::{program, repository};

/// Options of cargo, without those of its commands that nothing here shows.
const OF_CARGO: [&str; 19] = [
    "--all", "--workspace", "-p", "--release", "--locked", "--features", "--all-features", "--test", "--bench",
    "--no-run", "--path", "--git", "--rev", "--check", "--all-targets", "--quiet", "--version", "--root", "--debug",
];
/// Commands of cargo, and one that its users install.
const COMMANDS: [&str; 9] = ["run", "test", "build", "bench", "install", "fmt", "clippy", "doc", "binstall"];

fn read(path: &str) -> String {
    fs::read_to_string(repository(path)).expect("a file of this repository")
}

/// The commands of a file, in their order.
fn commands(path: &str) -> Vec<String> {
    let (text, mut found, mut block) = (read(path), Vec::new(), None);
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(words.to_owned()) };
            continue;
        }
        let of_block = block.as_deref() == Some("sh");
        let spans = line.split('`').skip(1).step_by(2).filter(|_| block.is_none());
        for shown in spans.chain(of_block.then_some(line)) {
            let shown = shown.split(" #").next().unwrap_or_default();
            for command in shown.split("&&").flat_map(|part| part.split(';')).map(str::trim) {
                let words = command.split(' ').skip_while(|word| word.contains('=') && !word.starts_with('-'));
                found.push(words.collect::<Vec<_>>().join(" "));
            }
        }
    }
    found
}

/// What is wrong with a command, if it is one of this repository's.
fn fault(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let missing = |path: &str| (!repository(path).exists()).then(|| format!("there is no {path}"));
    match *words.first()? {
        "infralens" if words.len() > 1 => of_program(&words[1..]),
        "cargo" if words.len() > 1 => of_cargo(&words[1..]),
        "python3" => missing(words.get(1)?),
        "npm" => {
            let prefix = words.iter().position(|word| *word == "--prefix").map(|at| words[at + 1])?;
            let scripts: serde_json::Value =
                serde_json::from_str(&read(&format!("{prefix}/package.json"))).expect("JSON");
            (words[1] == "run" && scripts["scripts"][words[words.len() - 1]].is_null()).then(|| "no such script".into())
        }
        script if ["tests/", "packaging/", "benches/", ".ci/"].iter().any(|folder| script.starts_with(folder)) => {
            // What a reader is to fill in is in capitals.
            let is_file = script.contains(['*', '{']) || script.contains(char::is_uppercase);
            let is_command = !is_file && (words.len() > 1 || !script[1..].contains('.'));
            let path = repository(script);
            let runs =
                || fs::metadata(&path).is_ok_and(|known| known.is_dir() || known.permissions().mode() & 0o111 != 0);
            (is_command && !runs()).then(|| format!("{script} cannot be run"))
        }
        _ => None,
    }
}

/// Every option is one that the command's help has.
fn of_program(words: &[&str]) -> Option<String> {
    let name = words[0].trim_matches(|c: char| !c.is_alphanumeric());
    let help = |names: &[&str]| program(&repository("")).args(names).arg("--help").output().expect("the program runs");
    let nested = words.get(1).and_then(|word| word.split(['|', '\\']).next());
    let nested = nested.filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()));
    let help = nested
        .map(|nested| help(&[name, nested]))
        .filter(|help| help.status.success())
        .unwrap_or_else(|| help(&[name]));
    if !help.status.success() {
        return (!name.is_empty() && !words[0].starts_with('-')).then(|| format!("there is no command `{name}`"));
    }
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let known: Vec<&str> = help.split([' ', ',', '\n', '[', '=', '<']).collect();
    let options = words[1..].iter().map(|word| word.trim_start_matches('[')).filter(|word| word.starts_with('-'));
    let mut options = options.map(|word| word.split(['=', ']', '[']).next().unwrap_or_default());
    options.find(|option| *option != "--" && !known.contains(option)).map(|option| format!("there is no `{option}`"))
}

/// Options are known, and targets, features and tests are there.
fn of_cargo(words: &[&str]) -> Option<String> {
    let (own, rest) = words.split_at(words.iter().position(|word| *word == "--").unwrap_or(words.len()));
    if !COMMANDS.contains(&own[0]) {
        return Some(format!("there is no `cargo {}`", own[0]));
    }
    if own[0] == "run"
        && rest.len() > 1
        && let Some(fault) = of_program(&rest[1..])
    {
        return Some(fault);
    }
    let after = |option: &str| own.iter().position(|word| *word == option).and_then(|at| own.get(at + 1));
    let manifest = read("Cargo.toml");
    let has = |part: String| manifest.contains(&part);
    if let Some(unknown) = own[1..].iter().find(|word| word.starts_with('-') && !OF_CARGO.contains(word)) {
        return Some(format!("`{unknown}` is no option that CI uses"));
    }
    if let Some(name) = after("--test").filter(|name| !has(format!("[[test]]\nname = \"{name}\""))) {
        return Some(format!("there is no test `{name}`"));
    }
    if let Some(name) = after("--bench").filter(|name| !has(format!("[[bench]]\nname = \"{name}\""))) {
        return Some(format!("there is no bench `{name}`"));
    }
    if let Some(name) = after("--features").filter(|name| !has(format!("\n{name} = ["))) {
        return Some(format!("there is no feature `{name}`"));
    }
    if let Some(name) = after("-p") {
        let folder = name.strip_prefix("infralens-").unwrap_or_default();
        let is_there = repository(&format!("crates/{folder}/Cargo.toml")).is_file();
        return (!is_there).then(|| format!("there is no crate `{name}`"));
    }
    let filter =
        own.last().filter(|_| own[0] == "test" && after("--test").is_some_and(|name| own.last() != Some(name)))?;
    let tests = Command::new(std::env::current_exe().expect("this program")).arg("--list").output().expect("a list");
    let has_test = String::from_utf8_lossy(&tests.stdout).contains(*filter);
    (!has_test).then(|| format!("there is no test named `{filter}`"))
}

#[test]
fn every_command_that_is_shown_can_be_typed() {
    let mut faults = Vec::new();
    for path in ["README.md", "CONTRIBUTING.md"] {
        let commands = commands(path);
        assert!(commands.iter().filter(|command| command.starts_with("cargo ")).count() > 1, "{path}: {commands:?}");
        faults.extend(commands.iter().filter_map(|command| Some(format!("{path}: `{command}`: {}", fault(command)?))));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The tests that README.md and CONTRIBUTING.md name are those that a change must pass.
#[test]
fn what_is_shown_as_the_tests_is_what_ci_runs() {
    let ci = read(".ci/run");
    let runs = |command: &str| ci.lines().any(|line| line == command);
    assert!(runs("tests/run") && runs("cargo fmt --all --check"));
    assert!(commands("CONTRIBUTING.md").contains(&"tests/run".to_owned()));
    let readme = commands("README.md");
    let mut typed = readme.iter().filter(|command| command.starts_with("cargo run") || *command == "tests/run");
    if let Some(first) = typed.next() {
        assert_eq!(first, "cargo run -- serve --open", "the first command shows the course");
        assert_eq!(typed.next().map(String::as_str), Some("tests/run"), "the second passes the tests");
        assert!(read("Cargo.toml").contains("default-run = \"infralens\""));
    }
}

#[test]
fn commands_that_cannot_be_typed_are_found() {
    for wrong in [
        "infralens biuld",
        "infralens build --bse-url x",
        "infralens check [--format human|json] [--formt x]",
        "cargo run -- serve --opne",
        "cargo tset",
        "cargo test --test at",
        "cargo test --features publsh",
        "cargo test --test it no_such_test_of_ours_",
        "cargo bench --bench srve",
        "python3 tests/browser/raeder.py",
        "tests/rnu",
        "packaging/tset dist",
        "npm run --prefix tests/browser lnit",
        "cargo test --relaese",
        "cargo test -p infralens-stater",
    ] {
        // The name of a test that is not there is a part of this file, but of no test's name.
        assert!(fault(wrong).is_some(), "{wrong}");
    }
}
