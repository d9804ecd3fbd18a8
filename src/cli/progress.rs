//! Shows a progress bar on a terminal while a command makes or sends many files, if that takes longer than half a second.
//! The bar is removed at the end.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that takes less time shows no bar.
const DELAY: Duration = Duration::from_millis(500);

/// Counts what is done.
pub(super) struct Progress {
    start: Instant,
    total: u64,
    /// What is counted, as the bar names it: `files made`.
    what: &'static str,
    done: AtomicU64,
    is_enabled: bool,
    /// Created when the work has taken longer than [`DELAY`].
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Creates a counter for work that began at `start` and consists of `total` steps, which the bar calls `what`.
    pub(super) fn new(start: Instant, total: usize, what: &'static str, is_enabled: bool) -> Self {
        Self { start, total: total as u64, what, done: AtomicU64::new(0), is_enabled, bar: OnceLock::new() }
    }

    /// Counts a step that is done.
    pub(super) fn advance(&self) {
        if !self.is_enabled {
            return;
        }
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.bar.get().is_some() || self.start.elapsed() > DELAY {
            // The crate limits how often it is drawn.
            self.bar.get_or_init(|| bar(self.total, self.what)).set_position(done);
        }
    }

    /// Removes the bar, so that the next output begins on an empty line.
    pub(super) fn end(self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {what}")) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Whether a person sees standard error: it is a terminal that can move its cursor, and this is not a CI job, which
/// keeps its output.
#[expect(clippy::disallowed_methods, reason = "TERM and CI describe the terminal; no output depends on them")]
pub(super) fn is_interactive() -> bool {
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
        let long_ago = now.checked_sub(2 * DELAY).unwrap();
        for (start, is_enabled, has_bar) in [(now, true, false), (long_ago, false, false), (long_ago, true, true)] {
            let progress = Progress::new(start, 3, "files made", is_enabled);
            progress.advance();
            progress.advance();
            assert_eq!(progress.bar.get().map(ProgressBar::position), has_bar.then_some(2));
            progress.end();
        }
    }
}
