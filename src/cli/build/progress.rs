//! The progress bar of a build that takes longer than half a second: files made, of all files of the site. It is drawn on a
//! terminal alone, and removed when the last file is made.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A build that takes no longer shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// How many of the planned files are made.
pub(super) struct Progress {
    start: Instant,
    total: u64,
    made: AtomicU64,
    is_wanted: bool,
    /// Begins when the build has taken longer than [`PATIENCE`].
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// The progress of a build that began at `start` and makes `total` files.
    pub(super) fn new(start: Instant, total: usize, is_wanted: bool) -> Self {
        Self { start, total: total as u64, made: AtomicU64::new(0), is_wanted, bar: OnceLock::new() }
    }

    /// Counts a file that was made.
    pub(super) fn advance(&self) {
        if !self.is_wanted {
            return;
        }
        let made = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        if self.bar.get().is_some() || self.start.elapsed() > PATIENCE {
            // How often it is drawn is limited by the crate.
            self.bar.get_or_init(|| bar(self.total)).set_position(made);
        }
    }

    /// Removes the bar, so that what is printed next begins on an empty line.
    pub(super) fn end(self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:40} {pos}/{len} files made") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Whether somebody watches who can be shown a bar: standard error is a terminal that can move its cursor, and this is not a
/// job that keeps what it prints.
#[expect(clippy::disallowed_methods, reason = "TERM and CI say what a terminal is; no output depends on them")]
pub(super) fn is_watched() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let is_job = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    io::stderr().is_terminal() && !is_dumb && !is_job
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make moments to measure from")]
mod tests {
    use super::*;

    #[test]
    fn a_bar_begins_after_half_a_second_and_only_if_it_is_wanted() {
        let now = Instant::now();
        let long_ago = now.checked_sub(2 * PATIENCE).unwrap();
        for (start, is_wanted, has_bar) in [(now, true, false), (long_ago, false, false), (long_ago, true, true)] {
            let progress = Progress::new(start, 3, is_wanted);
            progress.advance();
            progress.advance();
            assert_eq!(progress.bar.get().map(ProgressBar::position), has_bar.then_some(2));
            progress.end();
        }
    }
}
