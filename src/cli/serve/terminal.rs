//! What `serve` prints: after each save only what is new, and all of it again when Enter is pressed.

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::super::clock::time_of_day;
use super::super::{eprint, eprint_diagnostics, print, quantity};
use crate::serve::Rebuild;
use infralens_source::diag::{Diagnostic, Severity};
use infralens_source::project::Project;

/// Identifies a diagnostic even if edits above it have moved it.
type Key = (&'static str, Arc<str>, String);

/// The diagnostics that were printed, so that they are not repeated after each save.
pub(super) struct Terminal {
    errors: BTreeSet<Key>,
    warnings: BTreeSet<Key>,
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
    pub(super) fn new(start: String, first: &Rebuild, project: &Project) -> Self {
        let latest = Latest { start, diagnostics: Arc::default(), project: Project::default() };
        let warnings = keys(first.diagnostics.as_deref().unwrap_or_default(), Severity::Warning);
        let mut terminal = Self { errors: BTreeSet::new(), warnings, latest: Arc::new(Mutex::new(latest)) };
        terminal.update(first, project);
        let latest = Arc::clone(&terminal.latest);
        on_enter(move || latest.lock().unwrap_or_else(PoisonError::into_inner).print());
        terminal
    }

    /// Prints the diagnostics that the last build did not have, those of the saved files last, and a line each for those that
    /// stay and those that are gone. After a failed build, prints nothing.
    pub(super) fn update(&mut self, rebuild: &Rebuild, project: &Project) {
        let Some(diagnostics) = &rebuild.diagnostics else { return };
        {
            let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            latest.diagnostics = Arc::clone(diagnostics);
            latest.project = Project { files: project.files.clone(), ..Project::default() };
        }
        let (errors, warnings) = (keys(diagnostics, Severity::Error), keys(diagnostics, Severity::Warning));
        for (severity, known) in [(Severity::Warning, &self.warnings), (Severity::Error, &self.errors)] {
            let is_new = |found: &&Diagnostic| found.severity == severity && !known.contains(&key(found));
            let mut new: Vec<Diagnostic> = diagnostics.iter().filter(is_new).cloned().collect();
            new.sort_by_key(|found| rebuild.files.contains(&found.place.file));
            if !new.is_empty() {
                eprint_diagnostics(&new, project);
            }
        }
        eprint(&changes(&self.errors, &errors));
        (self.errors, self.warnings) = (errors, warnings);
    }
}

impl Latest {
    fn print(&self) {
        if print(&self.start).is_ok() && !self.diagnostics.is_empty() {
            eprint_diagnostics(&self.diagnostics, &self.project);
        }
    }
}

/// Says how many of the errors before are gone, and how many stay. Empty if none are gone and none are new.
fn changes(before: &BTreeSet<Key>, now: &BTreeSet<Key>) -> String {
    if before.is_empty() || before == now {
        return String::new();
    }
    if now.is_empty() {
        return format!("{} all errors are fixed\n", time_of_day());
    }
    let (gone, stay) = (before.difference(now).count(), before.intersection(now).count());
    let line = |count: usize, one: &str, many: &str| match count {
        0 => String::new(),
        1 => format!("{} 1 error {one}\n", time_of_day()),
        _ => format!("{} {} {many}\n", time_of_day(), quantity(count, "error")),
    };
    let stays = ["is still there; Enter shows it again", "are still there; Enter shows them again"];
    line(gone, "is fixed", "are fixed") + &line(stay, stays[0], stays[1])
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

fn keys(diagnostics: &[Diagnostic], severity: Severity) -> BTreeSet<Key> {
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).map(key).collect()
}

fn key(diagnostic: &Diagnostic) -> Key {
    (diagnostic.code.id, Arc::clone(&diagnostic.place.file), diagnostic.message.clone())
}
