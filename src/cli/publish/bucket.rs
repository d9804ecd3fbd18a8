//! Publishes to a bucket, and prints what was done.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::{Generation, Options, eprint_report};
use crate::assets::BUILTIN;
use crate::cli::clock::today;
use crate::cli::progress::{Progress, is_interactive};
use crate::cli::{Common, Outcome, REFUSED_BY_STRICT, Status, eprint, print, quantity};
use crate::load;
use crate::report::{Counts, one_line};
use infralens_publish::{self as publish, Destination, Entry, Manifest, Plan, Report, Stage, Wanted};
use infralens_site::{self as site, Site};
use infralens_source::diag;

/// The days for which earlier generations are kept.
const KEEP_DAYS: u32 = 30;
/// The number of files that may be deleted.
const MAX_DELETES: usize = 256;

/// The size of each file of the site in bytes, by path.
type Sizes = BTreeMap<String, u64>;

#[expect(clippy::disallowed_methods, reason = "measures the run; only the store's clock decides what is deleted")]
pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let (start, now) = (Instant::now(), SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    let destination: Destination = options.destination.parse()?;
    let how = publish::Options {
        keep_days: options.keep_days.unwrap_or(KEEP_DAYS),
        max_deletes: options.max_deletes.unwrap_or(MAX_DELETES),
        overwrite: options.overwrite,
        dry_run: options.dry_run,
        publisher: std::env::var("USER")
            .map_or_else(|_| "somebody else".to_owned(), |name| one_line(&name).into_owned()),
        now: i64::try_from(now.as_secs()).unwrap_or(i64::MAX),
    };
    let progress = OnceCell::new();
    let is_shown = !options.site.quiet && is_interactive();
    let step = |all| progress.get_or_init(|| Progress::new(start, all, "requests", is_shown)).advance();
    let (result, sizes) = if let Some(Generation(generation)) = options.rollback {
        (publish::publish(&destination, Wanted::Generation(generation), &how, &step), Sizes::new())
    } else {
        let today = today()?;
        let project = load::load(&common.root()?);
        let base_url = options.site.base_url.clone();
        let site_options =
            site::Options { drafts: options.site.drafts, base_url, today: Some(today), ..site::Options::new(BUILTIN) };
        let site = site::plan(&project, &site_options, &Site::default());
        let mut diagnostics = site.judge();
        let collected = Mutex::<(Manifest, Sizes)>::default();
        diagnostics.extend(site.make_all(|path, bytes| {
            let bytes = bytes.as_ref();
            let entry = Entry::new(path, bytes);
            let (manifest, sizes) = &mut *collected.lock().unwrap_or_else(PoisonError::into_inner);
            manifest.insert(path, entry);
            sizes.insert(path.to_owned(), bytes.len() as u64);
        }));
        diag::sort(&mut diagnostics);
        let (strict, quiet) = (options.site.strict, options.site.quiet);
        let (counts, status) = (Counts::of(&diagnostics), Status::of(&diagnostics, strict));
        eprint_report(diagnostics, &project, quiet, strict);
        if status == Status::Refused {
            let reason = if counts.errors > 0 { String::new() } else { format!(": {REFUSED_BY_STRICT}") };
            eprint(&format!("nothing was published{reason}; {destination} is unchanged\n"));
            return Ok(status);
        }
        let has_address = site.config().base_url.is_some();
        if let Some(folder) = destination.folder().filter(|_| !has_address && !quiet).map(one_line) {
            eprint(&format!(
                "note: the site has no `base_url`: at an address with a folder, such as `https://HOST/{folder}/`, \
                 `404.html` would have no styles; set it in `content/site.yaml` or with `--base-url`\n"
            ));
        }
        let (manifest, sizes) = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
        let published = site.with_maker(|make| {
            let make = |path: &str| make(path)?.ok();
            publish::publish(&destination, Wanted::Site { manifest, make: &make }, &how, &step)
        });
        (published, sizes)
    };
    if let Some(progress) = progress.into_inner() {
        progress.end();
    }
    let report = result?;
    if options.dry_run {
        print(&planned(&report, &destination, &sizes))?;
    } else if !options.site.quiet {
        print(&format!("{} in {:.2} s\n", summary(&report, &destination), start.elapsed().as_secs_f64()))?;
    }
    Ok(Status::Done)
}

/// Returns the last line of a run.
fn summary(report: &Report, destination: &Destination) -> String {
    let Report { plan, expired, .. } = report;
    let files = counts(plan);
    let expired = match expired {
        0 => String::new(),
        expired => format!("; deleted {}", quantity(*expired, "earlier generation")),
    };
    if report.is_current {
        format!("{destination} is up to date: {}{expired}", quantity(plan.unchanged, "file"))
    } else {
        let done = done(report, ["published", "brought back"]);
        format!("{done} {destination}: {files}{expired}")
    }
}

/// Returns what happens to which generation, with one of two verbs: for a site that was built, and for an earlier one.
fn done(Report { generation, restored, .. }: &Report, [published, brought_back]: [&str; 2]) -> String {
    restored.map_or_else(
        || format!("{published} generation {generation} to"),
        |restored| format!("{brought_back} generation {restored} as generation {generation} at"),
    )
}

/// Returns how many files there are, and how many change.
fn counts(plan: &Plan) -> String {
    let files = quantity(plan.changes.len() + plan.unchanged, "file");
    let deleted = if plan.deletes.is_empty() { String::new() } else { format!(", {} deleted", plan.deletes.len()) };
    format!("{files} ({} new or changed, {} unchanged{deleted})", plan.changes.len(), plan.unchanged)
}

/// Returns what a run would do, with the paths of all files that would change.
fn planned(report: &Report, destination: &Destination, sizes: &Sizes) -> String {
    let plan = &report.plan;
    if report.is_current {
        return format!("{}\n", summary(report, destination));
    }
    let done = done(report, ["would publish", "would bring back"]);
    let mut text = format!("{done} {destination}: {}\n", counts(plan));
    let size = |paths: &mut dyn Iterator<Item = &String>| -> u64 { paths.filter_map(|path| sizes.get(path)).sum() };
    let bytes = size(&mut plan.uploads.values());
    let _ = writeln!(text, "would upload {} with {bytes} bytes", quantity(plan.uploads.len(), "different file"));
    let titles = ["new or changed assets", "new pages and indexes", "changed pages", "changed indexes"];
    for (stage, title) in Stage::ALL.into_iter().zip(titles) {
        let paths = || plan.changes.iter().filter(|change| change.stage == stage).map(|change| &change.path);
        list(&mut text, title, paths());
    }
    list(&mut text, "deleted", plan.deletes.iter());
    text
}

/// Appends a list of paths, unless it is empty.
fn list<'a>(text: &mut String, title: &str, paths: impl Iterator<Item = &'a String>) {
    for (number, path) in paths.enumerate() {
        if number == 0 {
            let _ = writeln!(text, "{title}:");
        }
        let _ = writeln!(text, "  {}", one_line(path));
    }
}
