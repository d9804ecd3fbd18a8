//! Plans the course in a thread of its own, as the preview does after a save, so that the editor never waits for a plan.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::Event;
use crate::serve::last_good::{Planner, View};
use infralens_site::{Options, Site};
use infralens_source::diag::{self, Diagnostic};
use infralens_source::project::Project;

/// How long no newer version must arrive before one is planned: less than between two keys, more than between the messages
/// of one edit.
const QUIET: Duration = Duration::from_millis(8);

/// A version of the course to be planned; the number grows with each.
pub type Job = (u64, Project);

/// A planned version of the course.
pub struct Planned {
    pub project: Project,
    /// The plan of exactly these files.
    pub site: Arc<Site>,
    /// A plan that knows the names in files that have errors now.
    pub shown: Arc<Site>,
    /// What `check` reports about these files.
    pub diagnostics: Vec<Diagnostic>,
}

/// Starts the thread. Of the versions that arrive during a plan, only the newest is planned.
pub fn start(options: Options, results: Sender<Event>) -> Sender<Job> {
    let (jobs, queue) = channel();
    thread::spawn(move || {
        let (mut planner, mut view) = (Planner::new(options), View::default());
        while let Some((version, project)) = newest(&queue) {
            let plan = || {
                let view = planner.update(&project, &view);
                let (site, shown) = planner.plans();
                let diagnostics = judge(&site, &project);
                (view, Planned { project: project.clone(), site, shown, diagnostics })
            };
            let result = if let Ok((new, planned)) = catch_unwind(AssertUnwindSafe(plan)) {
                view = new;
                Some(Box::new(planned))
            } else {
                planner.reset();
                None
            };
            if results.send(Event::Planned(version, result)).is_err() {
                return;
            }
        }
    });
    jobs
}

/// Waits for a version, and for newer ones until none arrives for a moment; `None` at the end.
fn newest(queue: &Receiver<Job>) -> Option<Job> {
    let mut job = queue.recv().ok()?;
    loop {
        match queue.recv_timeout(QUIET) {
            Ok(newer) => job = newer,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Some(job),
        }
    }
}

fn judge(site: &Site, project: &Project) -> Vec<Diagnostic> {
    let mut diagnostics = site.judge();
    if project.has_folder("templates") {
        diagnostics.extend_from_slice(site.template_faults());
        diag::sort(&mut diagnostics);
    }
    diagnostics
}
