//! Visits what is due, and prints what did not answer.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use super::{Common, Failure, Options, Outcome};
use crate::cli::clock::today;
use crate::cli::progress::{Progress, is_interactive};
use crate::cli::relocate::typed;
use crate::cli::{Status, plan_all, print};
use crate::{emit, load};
use infralens_author::{links, relocate};
use infralens_course::links::{Visit, reason};
use infralens_links::{self as visits, Wanted};
use infralens_source::project::LINKS;

/// If this many addresses do not answer, and no other does, the machine is probably not connected.
const OFFLINE: usize = 3;

#[expect(clippy::disallowed_methods, reason = "measures the run")]
pub(in crate::cli) fn run(common: &Common, options: &Options) -> Outcome {
    let (start, today, root) = (Instant::now(), today()?, common.root()?);
    let project = load::load(&root);
    let site = plan_all(&project);
    let pages = options.pages.iter().map(|page| relocate::find_page(&project, &typed(page, &root)));
    let pages: BTreeSet<Arc<str>> = pages.collect::<Result<_, _>>()?;
    if let Some(error) = site.diagnostics().find(|found| *found.place.file == *LINKS) {
        return Err(Failure::new(format!("`{LINKS}` has an error: {}", error.message))
            .help("`infralens check` shows it; what was recorded is lost if the file is removed"));
    }
    let addresses = site.addresses();
    let is_named = |path: &str| pages.is_empty() || pages.contains(path);
    let mut due = links::due(&addresses, site.links(), (today, options.stale), is_named);
    let left = due.split_off(due.len().min(options.limit.try_into().unwrap_or(usize::MAX))).len();
    let wanted: Vec<_> = due.into_iter().map(|one| Wanted { address: one.address, anchors: one.anchors }).collect();
    let how = visits::Options { allow_private: options.allow_private, ..visits::Options::new(today) };
    let progress = Progress::new(start, wanted.len(), "addresses", !options.quiet && is_interactive());
    let answers = visits::visit(&wanted, &how, &|| progress.advance());
    progress.end();
    let answered = wanted.iter().zip(answers).filter_map(|(one, answer)| Some((one.address, answer?)));
    let found: Vec<(&str, Visit)> = answered.collect();
    let is_silent =
        |visit: &Visit| matches!(&*visit.status, reason::UNKNOWN_HOST | reason::NO_CONNECTION | reason::TIME_OUT);
    if found.len() >= OFFLINE && found.iter().all(|(_, visit)| is_silent(visit)) {
        return Err(Failure::new(format!("none of {} answered; nothing was recorded", quantity(found.len())))
            .help("is this machine connected to the Internet? No proxy is used"));
    }
    // In a page that cannot be read, there may be other links.
    let is_complete = !site.diagnostics().any(|error| error.code.hides_file());
    let all = is_complete.then_some(&*addresses);
    let change = links::record(&project, site.links(), all, found.iter().cloned());
    emit::change(&root, change.as_slice())?;
    if !options.quiet {
        let seconds = start.elapsed().as_secs_f64();
        print(&summary(&found, left + (wanted.len() - found.len()), seconds))?;
    }
    Ok(Status::Done)
}

/// Returns a line for each address that did not answer with a page, and what was done.
fn summary(found: &[(&str, Visit)], left: usize, seconds: f64) -> String {
    let mut text = String::new();
    for (address, visit) in found.iter().filter(|(_, visit)| !visit.is_success()) {
        let _ = writeln!(text, "{}: {address}", visit.status);
    }
    let count = |is: &dyn Fn(&Visit) -> bool| found.iter().filter(|(_, visit)| is(visit)).count();
    let moved = count(&|visit| visit.moved_to.is_some() && visit.is_success());
    let _ = writeln!(
        text,
        "visited {} in {seconds:.1} s: {} answered, {moved} of them moved for good; `infralens check` shows what is dead",
        quantity(found.len()),
        count(&Visit::is_success),
    );
    if left > 0 {
        let _ = writeln!(text, "left for another run: {}", quantity(left));
    }
    text
}

/// Writes a number of addresses.
fn quantity(number: usize) -> String {
    if number == 1 { "1 address".to_owned() } else { format!("{number} addresses") }
}
