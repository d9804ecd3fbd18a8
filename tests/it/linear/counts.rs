//! What Callgrind writes: the instructions of each function, those of what it calls left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

/// Instructions by function.
pub type Counts = BTreeMap<String, u64>;

/// A process whose instructions are counted.
pub struct Running<'f> {
    process: Child,
    folder: &'f Path,
    /// How many files of counts have been read.
    read: usize,
}

impl<'f> Running<'f> {
    /// A process that writes files `counts.1`, `counts.2` and so on to a folder.
    pub fn new(process: Child, folder: &'f Path) -> Self {
        Self { process, folder, read: 0 }
    }

    /// The next counts; waits until they are written, and deletes the file, which is large.
    pub fn next(&mut self) -> Counts {
        self.read += 1;
        let numbered = |number: usize| self.folder.join(format!("counts.{number}"));
        // A file is whole when the next one is begun, or when the process is at its end: then the last one has no number.
        while !numbered(self.read + 1).exists() {
            if let Some(status) = self.process.try_wait().expect("its own process") {
                assert!(status.success(), "{status}");
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let file = Some(numbered(self.read)).filter(|file| file.exists());
        let file = file.unwrap_or_else(|| self.folder.join("counts"));
        let text = fs::read_to_string(&file).expect("a file of counts");
        fs::remove_file(file).expect("its own file");
        parse(&text)
    }
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
