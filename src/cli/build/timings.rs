//! `--timings`: measures each stage of a build and its amount of work, and the build as a whole.

use std::fmt::Write;
use std::time::Instant;

use clap::ValueEnum;
use serde::Serialize;

use crate::report::Counts;

/// The formats: a table, or one JSON object on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Human,
    Json,
}

/// A stage that has ended.
#[derive(Debug, Serialize)]
struct Stage {
    #[serde(rename = "stage")]
    name: &'static str,
    ms: f64,
    count: usize,
    /// What `count` counts.
    of: &'static str,
}

/// The stages of a build so far, and its totals.
#[derive(Debug, Serialize)]
pub(super) struct Timings {
    stages: Vec<Stage>,
    total_ms: f64,
    /// Whether nothing was written because the site is the same.
    pub(super) up_to_date: bool,
    /// The number of pages of the course.
    pub(super) pages: usize,
    /// The number of files of the site.
    pub(super) files: usize,
    /// The number of files that were written because they are new or have changed.
    pub(super) written: usize,
    /// The number of bytes in these files.
    pub(super) bytes_written: u64,
    /// The number of diagnostics.
    #[serde(flatten)]
    pub(super) counts: Counts,
    /// The peak memory of the program in bytes; `null` if the system does not provide it.
    peak_memory: Option<u64>,
    #[serde(skip)]
    start: Instant,
    #[serde(skip)]
    last: Instant,
}

impl Timings {
    pub(super) fn new(start: Instant) -> Self {
        Self {
            stages: Vec::new(),
            total_ms: 0.0,
            up_to_date: false,
            pages: 0,
            files: 0,
            written: 0,
            bytes_written: 0,
            counts: Counts::default(),
            peak_memory: None,
            start,
            last: start,
        }
    }

    /// Ends a stage, which began when the previous one ended; `count` is the amount of work.
    pub(super) fn end(&mut self, stage: &'static str, count: usize, of: &'static str) {
        let end = self.last + self.last.elapsed();
        self.stages.push(Stage { name: stage, ms: ms(self.last, end), count, of });
        self.last = end;
    }

    /// Returns when the build began.
    pub(super) fn start(&self) -> Instant {
        self.start
    }

    /// Returns the seconds since the build began.
    pub(super) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Formats the timings.
    pub(super) fn format(mut self, format: Format) -> String {
        self.total_ms = ms(self.start, self.last);
        self.peak_memory = peak_memory();
        match format {
            Format::Human => self.table(),
            Format::Json => serde_json::to_string(&self).map(|json| json + "\n").unwrap_or_default(),
        }
    }

    fn table(&self) -> String {
        let mut table = String::new();
        for Stage { name, ms, count, of } in &self.stages {
            // Writing to a String cannot fail.
            let _ = writeln!(table, "{name:<8} {ms:>9.1} ms  {count:>7} {of}");
        }
        let Self { total_ms, pages, written, .. } = self;
        let bytes = megabytes(self.bytes_written);
        let _ = write!(table, "{:<8} {total_ms:>9.1} ms  {pages:>7} pages, {written} files written ({bytes})", "total");
        if let Some(peak) = self.peak_memory {
            let _ = write!(table, ", {} of memory at most", megabytes(peak));
        }
        table.push('\n');
        table
    }
}

/// Returns the milliseconds between two moments, rounded to microseconds.
fn ms(from: Instant, to: Instant) -> f64 {
    (to.saturating_duration_since(from).as_secs_f64() * 1e6).round() / 1e3
}

#[expect(clippy::cast_precision_loss, reason = "it is rounded to a tenth of a megabyte")]
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Returns the peak memory of this process in bytes.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the system provides it in a file; no output depends on it")]
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns `None`: only Linux provides the peak memory.
#[cfg(not(target_os = "linux"))]
fn peak_memory() -> Option<u64> {
    None
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make moments to measure from")]
mod tests {
    use std::time::Duration;

    use super::*;

    fn timings() -> Timings {
        let start = Instant::now();
        let mut timings = Timings::new(start);
        let last = start + Duration::from_millis(1500);
        (timings.last, timings.pages, timings.written, timings.bytes_written) = (last, 7, 12, 3_450_000);
        timings.stages.push(Stage { name: "load", ms: 1.5, count: 24, of: "files read" });
        timings.stages.push(Stage { name: "make", ms: 1498.5, count: 31, of: "files made" });
        timings
    }

    #[test]
    fn a_table_has_a_line_per_stage() {
        let table = timings().format(Format::Human);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "load           1.5 ms       24 files read");
        assert_eq!(lines[1], "make        1498.5 ms       31 files made");
        assert!(
            lines[2].starts_with("total       1500.0 ms        7 pages, 12 files written (3.5 MB)"),
            "{}",
            lines[2]
        );
    }

    #[test]
    fn json_is_one_object() {
        let json: serde_json::Value = serde_json::from_str(&timings().format(Format::Json)).unwrap();
        assert_eq!(json["stages"][1]["stage"], "make");
        assert_eq!(json["stages"][1]["ms"], 1498.5);
        assert_eq!((&json["total_ms"], &json["bytes_written"]), (&1500.0.into(), &3_450_000.into()));
        assert_eq!(json["peak_memory"].is_u64(), cfg!(target_os = "linux"));
    }

    #[test]
    fn a_stage_begins_when_the_one_before_it_ends() {
        let mut timings = Timings::new(Instant::now());
        timings.end("load", 1, "files read");
        timings.end("plan", 2, "files planned");
        assert_eq!(timings.stages.len(), 2);
        let sum: f64 = timings.stages.iter().map(|stage| stage.ms).sum();
        assert!((sum - ms(timings.start, timings.last)).abs() < 0.01);
    }
}
