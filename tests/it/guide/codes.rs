//! Diagnostics, from their explanations and from what the suite expects the program to print.

use std::collections::BTreeMap;
use std::fs;

use infralens_source::diag::codes::{self, Code};

use super::fence;
use crate::harness::{listing, repository};
use crate::suite::{self, Piece};

/// An output that is longer is left out.
const LINES: usize = 16;
/// And one that is wider.
const COLUMNS: usize = 110;

/// Whether a code belongs to a group: `03` are E0301, W0301 and so on, `lints` those that are named by words.
pub fn belongs(id: &str, group: &str) -> bool {
    let number = id.strip_prefix(['E', 'W']).filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    number.map_or(group == "lints", |number| number.starts_with(group))
}

/// Every code of a group: its title, its explanation, and what it looks like.
pub fn group(group: &str) -> String {
    let shown = outputs();
    let codes: Vec<&Code> = codes::ALL.iter().filter(|code| belongs(code.id, group)).collect();
    assert!(!codes.is_empty(), "there is no diagnostic in the group `{group}`");
    let output = codes.into_iter().map(|code| {
        let text = code.text.split_once('\n').map_or("", |(_, text)| text).trim();
        let text = fenced(text);
        let output = shown.get(code.id).map(|output| format!("\n\nThe tool says:\n\n{}", fence("text", output)));
        format!("## {} {{#{}}}\n\n{text}{}", heading(code), anchor(code), output.unwrap_or_default())
    });
    output.collect::<Vec<_>>().join("\n\n")
}

/// An explanation as a page has it: indented blocks that hold the first line of an excerpt become fences, because a page
/// may show such a line only as an example.
fn fenced(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    for line in text.lines().chain([""; 2]) {
        if line.starts_with("    ") || line.is_empty() && !block.is_empty() && block.last() != Some(&"") {
            block.push(line);
            continue;
        }
        let code = std::mem::take(&mut block).join("\n");
        if code.lines().any(|line| line.contains("file=")) {
            let inside: String = code
                .trim_end()
                .lines()
                .map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line)))
                .collect();
            out.push(format!("{}\n", fence("markdown", &inside)));
        } else if !code.is_empty() {
            out.push(code);
        }
        out.push(line.to_owned());
    }
    out.join("\n").trim_end().to_owned()
}

/// All codes, each with the way from a page of the guide to where it is explained.
pub fn table(page: &str, groups: &BTreeMap<String, String>) -> String {
    let up = "../".repeat(page.matches('/').count());
    let mut rows = vec!["| Code | Meaning |".to_owned(), "| --- | --- |".to_owned()];
    for code in codes::ALL {
        let output = groups.iter().find(|(group, _)| belongs(code.id, group));
        let (_, path) = output.unwrap_or_else(|| panic!("no page explains {}", code.id));
        rows.push(format!("| [`{}`]({up}{path}#{}) | {} |", code.id, anchor(code), code.title));
    }
    rows.join("\n")
}

/// A name says by itself what a number needs a title for.
fn heading(code: &Code) -> String {
    if belongs(code.id, "lints") { code.id.to_owned() } else { format!("{}: {}", code.id, code.title) }
}

fn anchor(code: &Code) -> String {
    code.id.to_lowercase()
}

/// What the program prints for each code, from the first case of the suite that has it; none that is too large.
fn outputs() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for folder in ["diagnostics", "excerpt", "markdown"] {
        for path in listing(&repository(&format!("tests/suite/{folder}"))).into_values() {
            for piece in suite::pieces(&fs::read_to_string(path).expect("a file of cases")) {
                let Piece::Block { name, body, .. } = piece else { continue };
                for (code, output) in if name == "diagnostics" { each(&body) } else { Vec::new() } {
                    found.entry(code).or_insert(output);
                }
            }
        }
    }
    found.retain(|_, output| {
        output.lines().count() <= LINES && output.lines().all(|line| line.chars().count() <= COLUMNS)
    });
    found
}

/// The diagnostics of an output, each with its code.
fn each(output: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in output.lines() {
        let code = ["error[", "warning[", "hint["].iter().find_map(|word| line.strip_prefix(word)?.split_once(']'));
        if let Some((code, _)) = code {
            found.push((code.to_owned(), String::new()));
            open = true;
        }
        open &= !line.starts_with(|c: char| c.is_ascii_digit()) || line.contains('|');
        if let Some((_, text)) = found.last_mut().filter(|_| open) {
            text.push_str(&format!("{line}\n"));
        }
    }
    found
}

#[test]
fn an_output_is_taken_apart() {
    let output = each("error[E0001]: a\n --> x:1:1\n  |\n1 | y\n\nwarning[todo]: b\n\n1 error, 1 warning\n");
    let wanted = [("E0001", "error[E0001]: a\n --> x:1:1\n  |\n1 | y\n\n"), ("todo", "warning[todo]: b\n\n")];
    assert_eq!(output, wanted.map(|(code, text)| (code.to_owned(), text.to_owned())));
    assert!(
        belongs("W0301", "03") && belongs("empty", "lints") && !belongs("E0301", "lints") && !belongs("E0103", "03")
    );
}
