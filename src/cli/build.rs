//! `infralens build`: writes the site.
//!
//! 1. find the course, and refuse an output folder that must not be written to, before any work;
//! 2. read the course, and stop here if the output has just that course's site and there is nothing to report;
//! 3. plan the site; stop here if there are errors (or warnings under `--strict`);
//! 4. make each file, straight into the stage; a template that fails leaves the old site;
//! 5. put the new site in the old one's place, and say what was written.

mod progress;
mod timings;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use progress::{Progress, is_watched};
use timings::{Format, Timings};

use super::clock::today;
use super::{Common, Outcome, REFUSED_BY_STRICT, Status, count, print, printed, shown, tell, tell_report};
use crate::config::BaseUrl;
use crate::diag::{self, Diagnostic, Severity};
use crate::emit::{self, Promise, Report, Target, Writer};
use crate::report::{Counts, one_line};
use crate::site::{self, Site};
use crate::{lint, load};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The folder to write the site to [default: `public` in the course's folder]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The absolute URL at which the site will stand, instead of `base_url` in `content/site.yaml`
    #[arg(long, value_name = "URL", value_parser = BaseUrl::parse)]
    base_url: Option<BaseUrl>,
    /// Publish drafts, too
    #[arg(long)]
    drafts: bool,
    /// Refuse to write the site while there are warnings
    #[arg(long)]
    strict: bool,
    /// Print errors alone: no warnings, unless `--strict` refuses them, and nothing where all is well
    #[arg(short, long)]
    quiet: bool,
    /// Print how long each stage took and what it worked on, as a table or as JSON, on standard error
    #[arg(long, value_enum, value_name = "FORMAT")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "human")]
    timings: Option<Format>,
}

pub(super) fn run(common: &Common, options: Options) -> Outcome {
    #[expect(clippy::disallowed_methods, reason = "says how long the build took; no output depends on it")]
    let mut timings = Timings::new(Instant::now());
    let format = options.timings;
    let outcome = build(common, options, &mut timings);
    if let (Ok(_), Some(format)) = (&outcome, format) {
        tell(&timings.print(format));
    }
    outcome
}

fn build(common: &Common, options: Options, timings: &mut Timings) -> Outcome {
    let today = today()?;
    let root = common.root()?;
    let out = options.output.unwrap_or_else(|| root.join("public"));
    let target = Target { out: &out, root: &root };
    emit::check_target(&target)?;

    let project = load::load(&root);
    timings.end("load", project.files.len(), "files read");
    timings.pages = project.files.keys().filter(|path| path.starts_with("content/") && path.ends_with(".md")).count();
    let options_of_site = site::Options { drafts: options.drafts, base_url: options.base_url, today: Some(today) };
    let source = emit::source_hash(&project, &options_of_site);
    // What was met while reading must be reported again.
    let may_be_up_to_date = project.diagnostics.is_empty();
    let up_to_date = may_be_up_to_date.then(|| emit::up_to_date(&target, &source, today.days())).flatten();
    timings.end("compare", up_to_date.unwrap_or_default(), "files as they were");
    if let Some(files) = up_to_date {
        (timings.up_to_date, timings.files) = (true, files);
        if !options.quiet {
            print(&format!("{} in {:.2} s\n", unchanged(files, &shown(&out)), timings.seconds()))?;
        }
        return Ok(Status::Done);
    }

    let site = site::plan(&project, &options_of_site, &Site::default());
    timings.end("plan", timings.pages, "pages planned");
    let mut said = site.judge();
    timings.end("judge", said.len(), "diagnostics");
    let paths = site.paths();
    timings.files = paths.len();
    let is_sound = Status::of(&said, options.strict) == Status::Done;
    let writer = if is_sound { Some(Writer::open(paths.iter().map(AsRef::as_ref), &target)?) } else { None };
    let progress = Progress::new(timings.start(), timings.files, !options.quiet && is_watched());
    // Where nothing is written, too, it is said what is wrong with templates.
    said.extend(site.make_all(|path, bytes| {
        if let Some(writer) = &writer {
            writer.put(path, bytes.as_ref());
        }
        progress.advance();
    }));
    progress.end();
    timings.end("make", timings.files, "files made");
    diag::sort(&mut said);
    timings.count(Counts::of(&said));
    let failed = said.iter().any(|said| said.severity == Severity::Error);
    let status = Status::of(&said, options.strict);
    let silent = silent_days(&site, &said).map(|days| (source, days));
    tell_report(&printed(said, options.quiet, options.strict), &project);
    let Some(writer) = writer.filter(|_| status == Status::Done) else {
        let why = if failed { String::new() } else { format!(": {REFUSED_BY_STRICT}") };
        tell(&format!("nothing was written{why}; {} is as it was\n", shown(&out)));
        return Ok(Status::Refused);
    };
    let report = writer.finish(silent)?;
    (timings.written, timings.bytes_written) = (report.written, report.bytes);
    timings.up_to_date = report.unchanged_site;
    timings.end("finish", report.written, "files written");
    if let Promise::NotGiven { why } = &report.promise {
        tell(&format!("warning: the old site was gone for a moment: {}\n", one_line(why)));
    }
    if !options.quiet {
        print(&format!("{} in {:.2} s\n", summary(&report, &shown(&out)), timings.seconds()))?;
    }
    Ok(Status::Done)
}

/// The days on which a build of this site reports nothing, by what is `said` of it today.
fn silent_days(site: &Site, said: &[Diagnostic]) -> Option<RangeInclusive<i64>> {
    let documents = site.documents();
    let documents = site.project().files.keys().filter_map(|path| documents.get(path));
    lint::silent_days(documents, site.config(), said)
}

/// The closing line of a build that touched nothing.
fn unchanged(files: usize, out: &str) -> String {
    format!("{out} is up to date: {}", count(files, "file"))
}

/// What a build did to the output folder `out`, in a line.
fn summary(report: &Report, out: &str) -> String {
    if report.unchanged_site {
        return unchanged(report.kept, out);
    }
    let files = count(report.written + report.kept, "file");
    let removed = if report.removed == 0 { String::new() } else { format!(", {} removed", report.removed) };
    format!("wrote {out}: {files} ({} new or changed, {} unchanged{removed})", report.written, report.kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_counts_files() {
        let mut report = Report {
            written: 12,
            bytes: 0,
            kept: 202,
            removed: 0,
            unchanged_site: false,
            promise: Promise::AllOrNothing,
        };
        assert_eq!(summary(&report, "public/"), "wrote public/: 214 files (12 new or changed, 202 unchanged)");
        report.removed = 1;
        assert_eq!(summary(&report, "x/"), "wrote x/: 214 files (12 new or changed, 202 unchanged, 1 removed)");
        report =
            Report { written: 0, bytes: 0, kept: 1, removed: 0, unchanged_site: true, promise: Promise::AllOrNothing };
        assert_eq!(summary(&report, "x/"), "x/ is up to date: 1 file");
    }
}
