//! `infralens build`: writes the site.
//!
//! 1. find the course, and refuse an output folder that must not be written to, before any work;
//! 2. read the course, and stop here if the output already has its site, after reporting again what its build reported;
//! 3. plan the site; if there are errors (or warnings with `--strict`), write nothing;
//! 4. make each file and write it to the stage; a template that fails leaves the old site;
//! 5. replace the old site with the new one, and say what was written.

mod kept;
mod timings;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use kept::Kept;
use timings::{Format, Timings};

use super::clock::today;
use super::progress::{Progress, is_interactive};
use super::{
    Common, Failure, Outcome, REFUSED_BY_STRICT, Status, display_folder, eprint, eprint_report, filter_quiet, print,
    publish, quantity,
};
use crate::assets::BUILTIN;
use crate::emit::{self, Record, Replacement, Report, Sources, Target, Writer};
use crate::load;
use crate::report::{Counts, one_line};
use infralens_course::config::BaseUrl;
use infralens_site::{self as site, Site};
use infralens_source::diag::{self, Diagnostic};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The folder to write the site to [default: `public` in the course's folder]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    site: SiteOptions,
    /// Print the time and the amount of work of each stage on standard error, as a table or as JSON
    #[arg(long, value_enum, value_name = "FORMAT")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "human")]
    timings: Option<Format>,
    /// Whether warnings are only counted, because this is `publish`.
    #[arg(skip)]
    is_published: bool,
}

/// What to build, wherever it goes.
#[derive(Debug, Args)]
pub(super) struct SiteOptions {
    /// The absolute URL of the published site, instead of `base_url` in `content/site.yaml`
    #[arg(long, value_name = "URL", value_parser = BaseUrl::parse)]
    pub(super) base_url: Option<BaseUrl>,
    /// Publish drafts, too
    #[arg(long)]
    pub(super) drafts: bool,
    /// Refuse to write the site while there are warnings
    #[arg(long)]
    pub(super) strict: bool,
    /// Print only errors, and warnings with `--strict`; print nothing on success
    #[arg(short, long)]
    pub(super) quiet: bool,
}

impl Options {
    /// Returns the options with which the site is published to a folder.
    pub(super) fn publish_to(folder: PathBuf, site: SiteOptions) -> Self {
        Self { output: Some(folder), site, timings: None, is_published: true }
    }
}

pub(super) fn run(common: &Common, options: Options) -> Outcome {
    #[expect(clippy::disallowed_methods, reason = "measures the build; no output depends on it")]
    let mut timings = Timings::new(Instant::now());
    let format = options.timings;
    let outcome = build(common, options, &mut timings);
    if let (Ok(_), Some(format)) = (&outcome, format) {
        eprint(&timings.format(format));
    }
    outcome
}

fn build(common: &Common, options: Options, timings: &mut Timings) -> Outcome {
    let today = today()?;
    let root = common.root()?;
    let is_published = options.is_published;
    let (out, options) = (options.output.unwrap_or_else(|| root.join("public")), options.site);
    let target = Target { out: &out, root: &root, is_marked: false };
    emit::check_target(&target)?;
    check_is_elsewhere(&out)?;

    let project = load::load(&root);
    timings.end("load", project.files.len(), "files read");
    timings.pages = project.files.keys().filter(|path| path.starts_with("content/") && path.ends_with(".md")).count();
    let site_options = site::Options {
        drafts: options.drafts,
        base_url: options.base_url.clone(),
        today: Some(today),
        ..site::Options::new(BUILTIN)
    };
    // Reports all diagnostics of the build, and returns whether its site may be written.
    let report = |diagnostics: Vec<Diagnostic>, timings: &mut Timings| {
        timings.counts = Counts::of(&diagnostics);
        let status = Status::of(&diagnostics, options.strict);
        if is_published {
            publish::eprint_report(diagnostics, &project, options.quiet, options.strict);
        } else {
            eprint_report(&filter_quiet(diagnostics, options.quiet, options.strict), &project);
        }
        status
    };
    let sources = Sources::of(&project, &site_options);
    let up_to_date = emit::up_to_date(&target, &sources);
    let up_to_date = up_to_date.and_then(|(files, report)| Some((files, Kept::read(&report, today)?)));
    timings.end("compare", up_to_date.as_ref().map_or(0, |(files, _)| *files), "files as they were");
    if let Some((files, diagnostics)) = up_to_date {
        (timings.up_to_date, timings.files) = (true, files);
        if report(diagnostics, timings) == Status::Refused {
            return Ok(refuse(timings, &out));
        }
        if !options.quiet {
            print(&format!("{} in {:.2} s\n", unchanged(files, &display_folder(&out)), timings.seconds()))?;
        }
        return Ok(Status::Done);
    }

    let site = site::plan(&project, &site_options, &Site::default());
    timings.end("plan", timings.pages, "pages planned");
    let mut diagnostics = site.judge();
    timings.end("judge", diagnostics.len(), "diagnostics");
    let paths = site.paths();
    timings.files = paths.len();
    let may_write = Status::of(&diagnostics, options.strict) == Status::Done;
    let writer = if may_write { Some(Writer::open(paths.iter().map(AsRef::as_ref), &target)?) } else { None };
    let progress = Progress::new(timings.start(), timings.files, "files made", !options.quiet && is_interactive());
    // Made even if nothing is written, because only this finds the errors of templates.
    diagnostics.extend(site.make_all(|path, bytes| {
        if let Some(writer) = &writer {
            writer.put(path, bytes.as_ref());
        }
        progress.advance();
    }));
    progress.end();
    timings.end("make", timings.files, "files made");
    diag::sort(&mut diagnostics);
    let has_address = site.config().base_url.is_some();
    let kept = Kept::of(&site, &diagnostics).write();
    let status = report(diagnostics, timings);
    let Some(writer) = writer.filter(|_| status == Status::Done) else { return Ok(refuse(timings, &out)) };
    let note = if has_address { "" } else { NO_ADDRESS };
    replace(writer, kept.map(|report| (sources, report)), &display_folder(&out), options.quiet, note, timings)?;
    Ok(Status::Done)
}

/// What a site without an address lacks.
const NO_ADDRESS: &str = "note: the site has no `base_url`, so shared links have no picture, and there is no feed and no \
                          sitemap; set it in `content/site.yaml` or with `--base-url`\n";

/// Says that nothing was written, and why.
#[expect(clippy::disallowed_methods, reason = "the message depends on whether there is an older site")]
fn refuse(timings: &Timings, out: &Path) -> Status {
    let reason = if timings.counts.errors > 0 { String::new() } else { format!(": {REFUSED_BY_STRICT}") };
    // Before the first build there is nothing that could have changed.
    let kept = if out.exists() { format!("; {} is unchanged", display_folder(out)) } else { String::new() };
    eprint(&format!("nothing was written{reason}{kept}\n"));
    Status::Refused
}

/// Refuses an output that is, or contains, the current folder: the shell would be left in a folder that was replaced.
#[expect(clippy::disallowed_methods, reason = "the user's shell is in the current folder")]
pub(super) fn check_is_elsewhere(out: &Path) -> Result<(), Failure> {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    if here.ok().zip(out.canonicalize().ok()).is_none_or(|(here, out)| !here.starts_with(out)) {
        return Ok(());
    }
    let message = format!("`{}` is the current folder or contains it, and a build replaces it", out.display());
    Err(Failure::new(message).help("go to the folder above it, and name it from there"))
}

/// Replaces the output, called `out` in messages, with the new site, and says what was written; a first build also gives the
/// note.
fn replace(
    writer: Writer,
    record: Option<Record>,
    out: &str,
    quiet: bool,
    note: &str,
    timings: &mut Timings,
) -> Result<(), Failure> {
    let report = writer.finish(record)?;
    (timings.written, timings.bytes_written) = (report.written, report.bytes);
    timings.up_to_date = report.unchanged_site;
    timings.end("finish", report.written, "files written");
    if let Replacement::NotAtomic { reason } = &report.replacement {
        eprint(&format!("warning: the old site was missing for a moment: {}\n", one_line(reason)));
    }
    if !quiet {
        // Programs that read what a build says need no advice.
        if report.kept + report.removed == 0 && is_interactive() {
            eprint(note);
        }
        print(&format!("{} in {:.2} s\n", summary(&report, out), timings.seconds()))?;
    }
    Ok(())
}

/// Returns the last line of a build that changed nothing.
fn unchanged(files: usize, out: &str) -> String {
    format!("{out} is up to date: {}", quantity(files, "file"))
}

/// Returns the last line of a build: what it changed in the output folder `out`.
pub(super) fn summary(report: &Report, out: &str) -> String {
    if report.unchanged_site {
        return unchanged(report.kept, out);
    }
    let files = quantity(report.written + report.kept, "file");
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
            replacement: Replacement::Atomic,
        };
        assert_eq!(summary(&report, "public/"), "wrote public/: 214 files (12 new or changed, 202 unchanged)");
        report.removed = 1;
        assert_eq!(summary(&report, "x/"), "wrote x/: 214 files (12 new or changed, 202 unchanged, 1 removed)");
        report = Report {
            written: 0,
            bytes: 0,
            kept: 1,
            removed: 0,
            unchanged_site: true,
            replacement: Replacement::Atomic,
        };
        assert_eq!(summary(&report, "x/"), "x/ is up to date: 1 file");
    }
}
