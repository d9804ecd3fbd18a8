//! What Callgrind writes: the instructions of each function, those of what it calls left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Instructions by function.
pub type Counts = BTreeMap<String, u64>;

/// The first `many` counts that a process has written to a folder.
pub fn read(folder: &Path, process: usize, many: usize) -> Vec<Counts> {
    let file = |at: usize| fs::read_to_string(folder.join(format!("{process}.{at}"))).expect("a file of counts");
    (1..=many).map(|at| parse(&file(at))).collect()
}

/// Names are written once, with a number in parentheses that stands for them from then on. A line after `calls=` counts
/// what was called.
fn parse(text: &str) -> Counts {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut counts = Counts::new();
    let (mut function, mut is_call) = ("", false);
    for line in text.lines() {
        if let Some(named) = line.strip_prefix("fn=").or_else(|| line.strip_prefix("cfn=")) {
            let (number, name) = named.split_once(' ').unwrap_or((named, ""));
            let name = if name.is_empty() { names.get(number).copied().unwrap_or(number) } else { name };
            names.insert(number, name);
            if line.starts_with("fn=") {
                function = name;
            }
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '*')) {
            let count = line.split(' ').nth(1).and_then(|count| count.parse::<u64>().ok());
            if !std::mem::take(&mut is_call) {
                *counts.entry(function.to_owned()).or_default() += count.unwrap_or(0);
            }
        }
    }
    counts
}

#[test]
fn what_is_called_is_not_counted_twice() {
    let text = "events: Ir\nfn=(1) a\n0 5\ncfn=(2) b\ncalls=1 0\n0 90\n0 1\n\nfn=(2)\n0 90\n\ntotals: 96\n";
    assert_eq!(parse(text), Counts::from([("a".into(), 6), ("b".into(), 90)]));
}
