//! What `serve` prints: after each save only what is new, and all of it again when Enter is pressed.

use std::collections::BTreeMap;
use std::io::{self, BufRead, IsTerminal};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::super::clock::time_of_day;
use super::super::{Failure, is_styled, print, quantity};
use crate::report::brief;
use crate::serve::Rebuild;
use infralens_source::diag::{Diagnostic, Severity};
use infralens_source::project::Project;

/// Identifies a diagnostic even if edits above it have moved it.
type Key = (&'static str, Arc<str>, String);
/// How many diagnostics have each key.
type Keys = BTreeMap<Key, usize>;

/// The diagnostics that were printed, so that they are not repeated after each save.
pub(super) struct Terminal {
    errors: Keys,
    warnings: Keys,
    latest: Arc<Mutex<Latest>>,
}

/// What Enter prints.
struct Latest {
    /// The lines of the start, with the address.
    start: String,
    diagnostics: Arc<[Diagnostic]>,
    project: Project,
}

impl Terminal {
    /// Prints the errors of the first build. Its warnings are only counted; Enter shows them, and `check`.
    pub(super) fn new(start: String, first: &Rebuild, project: &Project) -> Result<Self, Failure> {
        let latest = Latest { start, diagnostics: Arc::default(), project: Project::default() };
        let warnings = keys(first.diagnostics.as_deref().unwrap_or_default(), Severity::Warning);
        let mut terminal = Self { errors: Keys::new(), warnings, latest: Arc::new(Mutex::new(latest)) };
        terminal.update(first, project)?;
        let latest = Arc::clone(&terminal.latest);
        on_enter(move || drop(latest.lock().unwrap_or_else(PoisonError::into_inner).print()));
        Ok(terminal)
    }

    /// Prints the diagnostics that the last build did not have, those of the saved files last, and a line each for those that
    /// stay and those that are gone. After a failed build, prints nothing.
    pub(super) fn update(&mut self, rebuild: &Rebuild, project: &Project) -> Result<(), Failure> {
        let Some(diagnostics) = &rebuild.diagnostics else { return Ok(()) };
        {
            let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            latest.diagnostics = Arc::clone(diagnostics);
            latest.project = Project { files: project.files.clone(), ..Project::default() };
        }
        let (errors, warnings) = (keys(diagnostics, Severity::Error), keys(diagnostics, Severity::Warning));
        for (severity, known) in [(Severity::Warning, &self.warnings), (Severity::Error, &self.errors)] {
            let mut known = known.clone();
            let mut is_known = |found: &Diagnostic| {
                let count = known.get_mut(&key(found)).filter(|count| **count > 0);
                count.map(|count| *count -= 1).is_some()
            };
            let found = diagnostics.iter().filter(|found| found.severity == severity);
            let mut new: Vec<Diagnostic> = found.filter(|found| !is_known(found)).cloned().collect();
            new.sort_by_key(|found| rebuild.files.contains(&found.place.file));
            show(&new, project)?;
        }
        print(&changes(&self.errors, &errors, &self.warnings, &warnings))?;
        (self.errors, self.warnings) = (errors, warnings);
        Ok(())
    }
}

impl Latest {
    fn print(&self) -> Result<(), Failure> {
        print(&self.start)?;
        show(&self.diagnostics, &self.project)
    }
}

/// Prints diagnostics where the lines about saves are, so that a reader of one stream has all of it in order.
fn show(diagnostics: &[Diagnostic], project: &Project) -> Result<(), Failure> {
    if diagnostics.is_empty() { Ok(()) } else { print(&brief(diagnostics, project, is_styled(&io::stdout()))) }
}

/// Says how many of the errors before are gone, and how many stay, and how many warnings are gone. Empty if none are gone.
fn changes(before: &Keys, now: &Keys, warnings_before: &Keys, warnings: &Keys) -> String {
    let gone = missing(before, now);
    // A new error may hide others.
    let (one, many) = if missing(now, before) == 0 {
        ("is fixed", "are fixed")
    } else {
        ("is not found any more", "are not found any more")
    };
    let line = |count: usize, noun: &str, one: &str, many: &str| match count {
        0 => String::new(),
        1 => format!("{} 1 {noun} {one}\n", time_of_day()),
        _ => format!("{} {} {many}\n", time_of_day(), quantity(count, noun)),
    };
    let of_errors = if gone > 0 && now.is_empty() {
        format!("{} all errors are fixed\n", time_of_day())
    } else if before != now {
        let stay = before.values().sum::<usize>() - gone;
        let stays = ["is still there; Enter shows it again", "are still there; Enter shows them again"];
        line(gone, "error", one, many) + &line(stay, "error", stays[0], stays[1])
    } else {
        String::new()
    };
    of_errors + &line(missing(warnings_before, warnings), "warning", one, many)
}

/// Returns how many diagnostics of the first are not among the second.
fn missing(first: &Keys, second: &Keys) -> usize {
    first.iter().map(|(key, count)| count.saturating_sub(second.get(key).copied().unwrap_or_default())).sum()
}

/// Calls `print` whenever Enter is pressed, if there is somebody at a terminal.
fn on_enter(print: impl Fn() + Send + 'static) {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return;
    }
    thread::spawn(move || {
        loop {
            wait_for_line();
            match stdin.lock().read_line(&mut String::new()) {
                Ok(0) | Err(_) => return,
                Ok(_) => print(),
            }
        }
    });
}

/// Waits until there is a line to read. While the program is in the background, it must not read from the terminal, because the
/// system would stop it.
#[cfg(unix)]
fn wait_for_line() {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::time::Duration;

    /// How long it takes at most until the program notices that it is in the foreground again.
    const PAUSE: Duration = Duration::from_millis(500);
    let is_in_front = || rustix::termios::tcgetpgrp(io::stdin()).is_ok_and(|group| group == rustix::process::getpgrp());
    let pause = Timespec::try_from(PAUSE).ok();
    loop {
        let stdin = io::stdin();
        let has_line = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], pause.as_ref()).is_ok_and(|ready| ready > 0);
        if !is_in_front() {
            thread::sleep(PAUSE);
        } else if has_line {
            return;
        }
    }
}

/// Windows stops no program that reads.
#[cfg(windows)]
fn wait_for_line() {}

fn keys(diagnostics: &[Diagnostic], severity: Severity) -> Keys {
    let mut keys = Keys::new();
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity) {
        *keys.entry(key(diagnostic)).or_default() += 1;
    }
    keys
}

fn key(diagnostic: &Diagnostic) -> Key {
    (diagnostic.code.id, Arc::clone(&diagnostic.place.file), diagnostic.message.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_and_what_stays_is_a_line_each() {
        let keys = |counts: &[(&str, usize)]| -> Keys {
            counts
                .iter()
                .map(|(message, count)| (("E0302", Arc::from("a.md"), (*message).to_owned()), *count))
                .collect()
        };
        let lines = |before: &[(&str, usize)], now: &[(&str, usize)], warnings: usize| {
            let all = changes(&keys(before), &keys(now), &keys(&[("w", 2)]), &keys(&[("w", warnings)]));
            let lines: Vec<&str> =
                all.lines().map(|line| line.split_once(' ').map_or(line, |(_, text)| text)).collect();
            lines.join("; ")
        };
        assert_eq!(lines(&[], &[("a", 1)], 2), "");
        assert_eq!(lines(&[("a", 1)], &[("a", 1)], 2), "");
        assert_eq!(lines(&[("a", 2)], &[], 2), "all errors are fixed");
        assert_eq!(
            lines(&[("a", 2)], &[("a", 1)], 2),
            "1 error is fixed; 1 error is still there; Enter shows it again"
        );
        assert_eq!(lines(&[], &[], 0), "2 warnings are fixed");
        assert_eq!(
            lines(&[("a", 1)], &[("b", 1)], 1),
            "1 error is not found any more; 1 warning is not found any more"
        );
    }
}
