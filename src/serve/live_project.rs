//! Keeps a course in memory equal to the course on disk: waits until they differ, reads what changed, and says where.
//!
//! Events from the system say where to look first and when, but only the bytes on disk decide whether something changed. To
//! find changes whose events were lost, the whole course is read again [`REREAD_DELAY`] after each burst of events, and at
//! long intervals. A file that has just disappeared or become empty is probably being saved, so it is read a second time
//! before the change is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::watch::FolderWatcher;
use crate::load::PathChange;
use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::project::{File, Project};

#[cfg(test)]
mod tests;

/// How long no event must arrive before an edit of a few files is read: longer than the gaps between the steps of one save,
/// and too short to be noticed.
const QUIET: Duration = Duration::from_millis(3);
/// With more paths than this, the changes come from a tool such as `git checkout` and not from an editor that saves.
const FEW_PATHS: usize = 4;
/// How long no event must arrive before an edit of many files is read: `git checkout` pauses between files.
const QUIET_BULK: Duration = Duration::from_millis(40);
/// The shortest time between two reported edits. The first of several saves is reported at once, the others together.
const MIN_INTERVAL: Duration = Duration::from_millis(150);
/// How long an uninterrupted sequence of events delays reading.
const MAX_DELAY: Duration = Duration::from_secs(1);
/// How long after the last event a file that is missing, or has become empty, may still be in the middle of a save.
const SAVE_TIME: Duration = Duration::from_millis(300);
/// The same, measured from the first event, for a sequence of events that does not end.
const MAX_SAVE_TIME: Duration = Duration::from_secs(2);
/// How long after a burst of events the whole course is read again.
const REREAD_DELAY: Duration = Duration::from_secs(1);
/// How often the whole course is read again while the system reports changes. This only finds changes that the system does not report,
/// such as writes through a memory map.
const INTERVAL_WITH_EVENTS: Interval =
    Interval { factor: 1000, shortest: Duration::from_secs(30), longest: Duration::from_hours(1) };
/// How often the whole course is read again while the system reports none.
const INTERVAL_WITHOUT_EVENTS: Interval =
    Interval { factor: 100, shortest: Duration::from_millis(500), longest: Duration::from_mins(2) };

/// The time between two readings of the whole course: `factor` times the processor time that the last one took.
struct Interval {
    factor: u32,
    shortest: Duration,
    longest: Duration,
}

impl Interval {
    /// Returns the time until the next reading after one that took this processor time.
    fn after(&self, cost: Duration) -> Duration {
        (cost * self.factor).clamp(self.shortest, self.longest)
    }
}

/// Where the course may have changed, according to events.
#[derive(Debug, Clone, Default)]
pub struct ChangeHints {
    /// Paths from the root that may have changed.
    pub paths: BTreeSet<Arc<str>>,
    /// Whether anything may have changed.
    pub everything: bool,
}

impl ChangeHints {
    /// Whether there are no hints.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.everything
    }
}

/// The result of reading the whole course again.
#[derive(Debug)]
pub enum Reread {
    /// The course. Files whose bytes are the same are the same values as before.
    Complete(Project),
    /// An event arrived in the meantime.
    Interrupted,
    /// There is no course at the root at the moment.
    Missing,
}

/// The disk and the clock, which tests replace.
pub trait Environment {
    fn now(&self) -> Instant;
    /// Waits for events until `deadline` at the latest, and returns what they say. It returns early, without hints, when
    /// [`Environment::has_events`] changes.
    fn wait(&mut self, deadline: Instant) -> ChangeHints;
    /// Reads one path again.
    fn reload_path(&self, known: &Project, path: &str) -> PathChange;
    /// Reads the whole course again; stops at the first event if `is_interruptible`.
    fn reload(&mut self, known: &Project, is_interruptible: bool) -> Reread;
    /// Whether the system reports changes.
    fn has_events(&self) -> bool;
}

/// A course in memory that follows the course on disk.
pub struct LiveProject<E = FolderWatcher> {
    environment: E,
    project: Project,
    /// When the whole course is read again.
    next_reload: Instant,
    /// The same, if the system has stopped to report changes since it was last read.
    next_reload_without_events: Instant,
    /// Before this time, no edit is reported.
    next_report: Instant,
}

/// Events that follow one another.
struct Burst {
    hints: ChangeHints,
    first: Instant,
    last: Instant,
}

/// How the course on disk differs from the course in memory.
#[derive(Default)]
struct Difference {
    /// Files that are new or changed, or that were removed (`None`).
    files: BTreeMap<Arc<str>, Option<File>>,
    /// Folders, and files with invalid names, whose diagnostics have changed.
    others: BTreeSet<Arc<str>>,
    /// The whole course, if it was read.
    project: Option<Project>,
    /// Whether the folder of the course is gone, and was there before.
    is_gone: bool,
}

impl LiveProject {
    /// Reads the course at `root`, which may be relative or a link, and follows it. The course is empty until there is a
    /// folder at `root`.
    pub fn new(root: PathBuf) -> Self {
        Self::with_environment(FolderWatcher::new(root))
    }

    /// Returns why the system reports no changes, so that the course is read at intervals instead. The reason is returned
    /// once; ask after [`LiveProject::new`] and after each [`LiveProject::wait_for_change`].
    pub fn take_notice(&mut self) -> Option<String> {
        self.environment.take_notice()
    }
}

impl<E: Environment> LiveProject<E> {
    fn with_environment(environment: E) -> Self {
        let now = environment.now();
        let mut live = Self {
            environment,
            project: Project::default(),
            next_reload: now,
            next_reload_without_events: now,
            next_report: now,
        };
        let difference = live.reload(false).unwrap_or_default();
        live.apply(difference);
        live
    }

    /// Returns the course as it was last read.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Blocks until the content of the course on disk differs from [`LiveProject::project`], updates that, and returns the
    /// paths that differ, sorted: those of files, and of folders that have become readable or unreadable. While there is no
    /// folder at the root or no `content/`, it keeps the course, and adds an error.
    pub fn wait_for_change(&mut self) -> Vec<Arc<str>> {
        loop {
            let hints = self.environment.wait(self.deadline());
            if hints.is_empty() && self.environment.now() < self.deadline() {
                continue;
            }
            let difference = if hints.is_empty() { self.scheduled_reload() } else { self.settle(hints) };
            let changed = self.apply(difference);
            if !changed.is_empty() {
                self.next_report = self.environment.now() + MIN_INTERVAL;
                return changed;
            }
        }
    }

    /// Returns when the whole course is read again if no hints arrive.
    fn deadline(&self) -> Instant {
        if self.environment.has_events() {
            self.next_reload
        } else {
            self.next_reload.min(self.next_reload_without_events)
        }
    }

    /// Reads the whole course because its time has come.
    fn scheduled_reload(&mut self) -> Difference {
        // If it is interrupted, it stays due, and the interrupting event sets the next time.
        let Some(difference) = self.reload(true) else { return Difference::default() };
        if self.may_be_mid_save(&difference) {
            return self.settle(ChangeHints { everything: true, ..ChangeHints::default() });
        }
        if !difference.is_empty() {
            self.next_reload = self.environment.now() + REREAD_DELAY;
        }
        difference
    }

    /// Waits until a burst of events is over, then finds what it has changed.
    fn settle(&mut self, hints: ChangeHints) -> Difference {
        let now = self.environment.now();
        let mut burst = Burst { hints, first: now, last: now };
        loop {
            self.wait_until_quiet(&mut burst);
            let Some(difference) = self.find_changes(&mut burst) else { continue };
            let save_end = (burst.last + SAVE_TIME).min(burst.first + MAX_SAVE_TIME);
            if self.environment.now() >= save_end || !self.may_be_mid_save(&difference) {
                self.next_reload = self.environment.now() + REREAD_DELAY;
                return difference;
            }
            let hints = self.environment.wait(save_end);
            burst.add(hints, self.environment.now());
        }
    }

    fn wait_until_quiet(&mut self, burst: &mut Burst) {
        loop {
            let deadline = (burst.last + burst.quiet_time()).max(self.next_report).min(burst.first + MAX_DELAY);
            let hints = self.environment.wait(deadline);
            let (now, is_quiet) = (self.environment.now(), hints.is_empty());
            burst.add(hints, now);
            if is_quiet || now >= burst.first + MAX_DELAY {
                return;
            }
        }
    }

    /// Returns what differs at the paths of a burst; `None` if the burst is not over.
    fn find_changes(&mut self, burst: &mut Burst) -> Option<Difference> {
        if burst.hints.everything {
            return self.reload(self.environment.now() < burst.first + MAX_DELAY);
        }
        let files = self.reload_paths(&burst.hints.paths).filter(|files| !self.is_emptied_by(files));
        // A changed folder is often followed by changes in it, so this waits for a longer pause.
        burst.hints.everything = files.is_none();
        files.map(|files| Difference { files, ..Difference::default() })
    }

    /// Whether these changes remove all pages.
    fn is_emptied_by(&self, files: &BTreeMap<Arc<str>, Option<File>>) -> bool {
        let is_removed = |path: &Arc<str>| files.get(path).is_some_and(Option::is_none);
        self.project.has_folder("content") && self.project.below("content").all(|(path, _)| is_removed(path))
    }

    /// Returns what differs at some paths; `None` if the whole course must be read to find out.
    fn reload_paths(&self, paths: &BTreeSet<Arc<str>>) -> Option<BTreeMap<Arc<str>, Option<File>>> {
        let mut files = BTreeMap::new();
        for path in paths {
            match self.environment.reload_path(&self.project, path) {
                PathChange::Unchanged => None,
                PathChange::Changed(file) => files.insert(Arc::clone(path), Some(file)),
                PathChange::Removed => files.insert(Arc::clone(path), None),
                PathChange::Unknown => return None,
            };
        }
        Some(files)
    }

    /// Returns what differs in the whole course; `None` if reading was interrupted.
    fn reload(&mut self, is_interruptible: bool) -> Option<Difference> {
        let start = self.environment.now();
        let difference = match self.environment.reload(&self.project, is_interruptible) {
            Reread::Complete(project) if self.project.has_folder("content") && !project.has_folder("content") => {
                let help = "bring it back; until then, pages stay as they were";
                Difference::gone(&self.project, "`content/` is gone or empty", help)
            }
            Reread::Complete(project) => Difference::between(&self.project, project),
            Reread::Missing => {
                let help = "move it back, or end this preview and start it where the folder is now";
                Difference::gone(&self.project, "the course is gone: its folder was moved or removed", help)
            }
            Reread::Interrupted => return None,
        };
        let now = self.environment.now();
        let cost = (now - start) * u32::try_from(rayon::current_num_threads()).unwrap_or(1);
        self.next_reload = now + INTERVAL_WITH_EVENTS.after(cost);
        self.next_reload_without_events = now + INTERVAL_WITHOUT_EVENTS.after(cost);
        Some(difference)
    }

    /// Whether a file looks as if an editor were in the middle of saving it: it is missing, or has become empty. The folder of
    /// the course may be missing for as long while another takes its place.
    fn may_be_mid_save(&self, difference: &Difference) -> bool {
        if difference.is_gone {
            return true;
        }
        let is_empty = |file: &File| file.bytes().is_some_and(<[u8]>::is_empty);
        difference.files.iter().any(|(path, new)| {
            let old = self.project.files.get(path);
            old.is_some_and(|old| new.as_ref().is_none_or(|new| is_empty(new) && !is_empty(old)))
        })
    }

    /// Applies a difference to the course in memory, and returns the paths in it.
    fn apply(&mut self, difference: Difference) -> Vec<Arc<str>> {
        let Difference { files, others: mut paths, project, is_gone: _ } = difference;
        paths.extend(files.keys().cloned());
        match project {
            Some(project) => self.project = project,
            None => files.into_iter().for_each(|(path, file)| self.project.put(&path, file)),
        }
        paths.into_iter().collect()
    }
}

impl Burst {
    fn quiet_time(&self) -> Duration {
        if self.hints.everything || self.hints.paths.len() > FEW_PATHS { QUIET_BULK } else { QUIET }
    }

    fn add(&mut self, hints: ChangeHints, now: Instant) {
        if !hints.is_empty() {
            self.hints.paths.extend(hints.paths);
            self.hints.everything |= hints.everything;
            self.last = now;
        }
    }
}

impl Difference {
    fn between(old: &Project, new: Project) -> Self {
        let is_unchanged = |path: &Arc<str>, file: &File| old.files.get(path).is_some_and(|old| old.is_same(file));
        let changed = new.files.iter().filter(|(path, file)| !is_unchanged(path, file));
        let removed = old.files.keys().filter(|path| !new.files.contains_key(*path));
        let files = changed.map(|(path, file)| (Arc::clone(path), Some(file.clone())));
        let files = files.chain(removed.map(|path| (Arc::clone(path), None))).collect();
        let (before, after) = (other_diagnostics(old), other_diagnostics(&new));
        let others = before.symmetric_difference(&after).map(|(path, _)| Arc::clone(path)).collect();
        Self { files, others, project: Some(new), is_gone: false }
    }

    /// The difference after the folder of the course, or that of its pages, has disappeared: an error, and nothing else.
    fn gone(old: &Project, message: &str, help: &str) -> Self {
        let error = Diagnostic::new(codes::E0005, Place::file("content"), message).help(help);
        let is_known = old.diagnostics.contains(&error);
        let mut new = old.clone();
        if !is_known {
            new.diagnostics.retain(|known| known.place != error.place);
            new.diagnostics.push(error);
        }
        Self { is_gone: !is_known, ..Self::between(old, new) }
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.others.is_empty()
    }
}

/// Returns the paths and messages of diagnostics that are not about a file, but about a folder or an invalid name.
fn other_diagnostics(project: &Project) -> BTreeSet<(&Arc<str>, &str)> {
    let others = project.diagnostics.iter().filter(|diagnostic| !project.files.contains_key(&diagnostic.place.file));
    others.map(|diagnostic| (&diagnostic.place.file, diagnostic.message.as_str())).collect()
}
