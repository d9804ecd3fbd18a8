//! `infralens build`: writes the site.
//!
//! 1. find the course, and refuse an output folder that must not be written to, before any work;
//! 2. read the course and plan its site; stop here if there are errors (or warnings under `--strict`);
//! 3. make each file, straight into the stage; a template that fails leaves the old site;
//! 4. put the new site in the old one's place, and say what was written.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::clock::today;
use super::{Common, Outcome, REFUSED_BY_STRICT, Status, count, print, printed, shown, tell, tell_report};
use crate::config::BaseUrl;
use crate::diag::{self, Severity};
use crate::emit::{self, Promise, Report, Target, Writer};
use crate::load;
use crate::report::one_line;
use crate::site::{self, Site};

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
}

pub(super) fn run(common: &Common, options: Options) -> Outcome {
    #[expect(clippy::disallowed_methods, reason = "says how long the build took; no output depends on it")]
    let start = Instant::now();
    let today = today()?;
    let root = common.root()?;
    let out = options.output.unwrap_or_else(|| root.join("public"));
    let target = Target { out: &out, root: &root };
    emit::check_target(&target)?;

    let project = load::load(&root);
    let options_of_site = site::Options { drafts: options.drafts, base_url: options.base_url, today: Some(today) };
    let site = site::plan(&project, &options_of_site, &Site::default());
    let mut said = site.judge();
    let is_sound = Status::of(&said, options.strict) == Status::Done;
    let paths = site.paths();
    let paths = paths.iter().map(AsRef::as_ref);
    let writer = if is_sound { Some(Writer::open(paths, &target)?) } else { None };
    // Where nothing is written, too, it is said what is wrong with templates.
    said.extend(site.make_all(|path, bytes| {
        if let Some(writer) = &writer {
            writer.put(path, bytes.as_ref());
        }
    }));
    diag::sort(&mut said);
    let failed = said.iter().any(|said| said.severity == Severity::Error);
    let status = Status::of(&said, options.strict);
    tell_report(&printed(said, options.quiet, options.strict), &project);
    let Some(writer) = writer.filter(|_| status == Status::Done) else {
        let why = if failed { String::new() } else { format!(": {REFUSED_BY_STRICT}") };
        tell(&format!("nothing was written{why}; {} is as it was\n", shown(&out)));
        return Ok(Status::Refused);
    };
    let report = writer.finish()?;
    if let Promise::NotGiven { why } = &report.promise {
        tell(&format!("warning: the old site was gone for a moment: {}\n", one_line(why)));
    }
    if !options.quiet {
        print(&format!("{} in {:.2} s\n", summary(&report, &shown(&out)), start.elapsed().as_secs_f64()))?;
    }
    Ok(Status::Done)
}

/// What a build did to the output folder `out`, in a line.
fn summary(report: &Report, out: &str) -> String {
    let files = count(report.written + report.kept, "file");
    if report.unchanged_site {
        return format!("{out} is up to date: {files}");
    }
    let removed = if report.removed == 0 { String::new() } else { format!(", {} removed", report.removed) };
    format!("wrote {out}: {files} ({} new or changed, {} unchanged{removed})", report.written, report.kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_counts_files() {
        let mut report =
            Report { written: 12, kept: 202, removed: 0, unchanged_site: false, promise: Promise::AllOrNothing };
        assert_eq!(summary(&report, "public/"), "wrote public/: 214 files (12 new or changed, 202 unchanged)");
        report.removed = 1;
        assert_eq!(summary(&report, "x/"), "wrote x/: 214 files (12 new or changed, 202 unchanged, 1 removed)");
        report = Report { written: 0, kept: 1, removed: 0, unchanged_site: true, promise: Promise::AllOrNothing };
        assert_eq!(summary(&report, "x/"), "x/ is up to date: 1 file");
    }
}
