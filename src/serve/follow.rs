//! Follows a course on disk: blocks until it differs from what is known, and says where.
//!
//! Events are not believed. They say where to look first and when; what counts are the bytes. An event that never came
//! is made up for by a walk of the whole course, [`REST`] after each burst of events and at long intervals besides.
//! A file that has just gone or become empty is mostly one that is being saved, so it is looked at again before that is
//! believed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::watch::Watch;
use crate::load::Looked;
use crate::project::{File, Project};

#[cfg(test)]
mod tests;

/// How long no event must have come before an edit of a few files is looked at: longer than the gaps between the steps
/// of one save, too short to be felt.
const QUIET: Duration = Duration::from_millis(3);
/// With more paths than this it is no editor that saves, but a tool that goes through the course.
const FEW_PATHS: usize = 4;
/// How long no event must have come before an edit of many files is looked at: `git checkout` pauses between files.
const MANY_QUIET: Duration = Duration::from_millis(40);
/// How long after one edit the next is told at the earliest: of a row of saves the first is shown at once, and the others
/// together.
const BETWEEN: Duration = Duration::from_millis(120);
/// Events that do not cease are looked into all the same after this long.
const LONGEST: Duration = Duration::from_secs(1);
/// How long after the last event a file that is gone, or empty where it was not, may still be about to come back.
const DOUBT: Duration = Duration::from_millis(120);
/// Where events do not cease, nothing is doubted for longer than this.
const LONGEST_DOUBT: Duration = Duration::from_secs(2);
/// How long after a burst of events the whole course is read again.
const REST: Duration = Duration::from_secs(1);
/// How often the whole course is read again where events come: only for what the system reports to nobody, such as what
/// is written through a memory map.
const HEARING: Pause = Pause { parts: 1000, shortest: Duration::from_secs(30), longest: Duration::from_hours(1) };
/// And where no events come.
const DEAF: Pause = Pause { parts: 100, shortest: Duration::from_millis(500), longest: Duration::from_mins(2) };

/// A pause after reading the whole course that is `parts` times as long as that took, in processor time.
struct Pause {
    parts: u32,
    shortest: Duration,
    longest: Duration,
}

/// What has been heard since it was last asked.
#[derive(Debug, Clone, Default)]
pub struct Signal {
    /// Where something may have changed, from the root.
    pub paths: BTreeSet<Arc<str>>,
    /// Whether anything may have changed.
    pub everything: bool,
}

impl Signal {
    /// Whether nothing was heard.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.everything
    }
}

/// What came of reading the whole course again.
#[derive(Debug)]
pub enum Walked {
    /// The course, with the very same files where their bytes are the same.
    Whole(Project),
    /// Something else was heard in the meantime.
    Interrupted,
    /// There is no course at present.
    Missing,
}

/// The disk and the clock, as far as following needs them.
pub trait World {
    /// The time.
    fn now(&self) -> Instant;
    /// Waits until something is heard, but no longer than `until`.
    fn wait(&mut self, until: Instant) -> Signal;
    /// Looks at one path.
    fn look(&self, known: &Project, path: &str) -> Looked;
    /// Reads the whole course again; unless `whatever_comes`, only as long as nothing is heard.
    fn walk(&mut self, known: &Project, whatever_comes: bool) -> Walked;
    /// Whether changes are heard of at all.
    fn hears(&self) -> bool;
}

/// A course, kept as it is on disk.
pub struct Follower<W = Watch> {
    world: W,
    project: Project,
    /// When the whole course is to be read again.
    due: Instant,
    /// Before this, no edit is told.
    rested: Instant,
}

/// Events in a row.
struct Burst {
    heard: Signal,
    first: Instant,
    last: Instant,
}

/// How the course on disk differs from what is known.
#[derive(Default)]
struct Found {
    /// Files that are new, or changed, or (`None`) gone.
    files: BTreeMap<Arc<str>, Option<File>>,
    /// Folders, and files with names that cannot be read, of which something else is to be said.
    others: BTreeSet<Arc<str>>,
    /// The whole course, if it was read.
    whole: Option<Project>,
}

impl Follower {
    /// Reads the course at `root`, which may be relative, or a link, and follows it from then on. The course is empty as
    /// long as there is no folder at `root`.
    #[must_use]
    pub fn new(root: PathBuf) -> Self {
        Self::of(Watch::new(root))
    }

    /// Why changes are not heard of, so that the whole course is read at intervals instead. Said once; to be asked after
    /// [`Follower::new`] and after each [`Follower::next`].
    pub fn take_notice(&mut self) -> Option<String> {
        self.world.take_notice()
    }
}

impl<W: World> Follower<W> {
    fn of(world: W) -> Self {
        let due = world.now();
        let mut follower = Self { world, project: Project::default(), due, rested: due };
        let found = follower.walk(true).unwrap_or_default();
        follower.believe(found);
        follower
    }

    /// The course as it was last seen.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Blocks until the course differs, by content, from [`Follower::project`], which is then as on disk. Gives the paths
    /// that differ, sorted: those of files, and of folders that can no longer, or now, be read. A course whose root is
    /// missing is waited for, and stays as it was.
    #[expect(clippy::should_implement_trait, reason = "a loop needs `project` between two of them")]
    pub fn next(&mut self) -> Vec<Arc<str>> {
        loop {
            let heard = self.world.wait(self.due);
            let found = if heard.is_empty() { self.read_again() } else { self.settle(heard) };
            let changed = self.believe(found);
            if !changed.is_empty() {
                self.rested = self.world.now() + BETWEEN;
                return changed;
            }
        }
    }

    /// Reads the whole course, whatever was heard.
    fn read_again(&mut self) -> Found {
        // Interrupted, it stays due, and is postponed only by what interrupted it.
        let Some(found) = self.walk(false) else { return Found::default() };
        if self.is_doubtful(&found) {
            return self.settle(Signal { everything: true, ..Signal::default() });
        }
        if !found.is_nothing() {
            self.due = self.world.now() + REST;
        }
        found
    }

    /// Waits until a burst of events is over, then finds what it has changed.
    fn settle(&mut self, heard: Signal) -> Found {
        let now = self.world.now();
        let mut burst = Burst { heard, first: now, last: now };
        loop {
            self.hear_out(&mut burst);
            let Some(found) = self.inspect(&mut burst) else { continue };
            let doubted_until = (burst.last + DOUBT).min(burst.first + LONGEST_DOUBT);
            if self.world.now() >= doubted_until || !self.is_doubtful(&found) {
                self.due = self.world.now() + REST;
                return found;
            }
            let heard = self.world.wait(doubted_until);
            burst.add(heard, self.world.now());
        }
    }

    fn hear_out(&mut self, burst: &mut Burst) {
        loop {
            let until = (burst.last + burst.quiet()).max(self.rested).min(burst.first + LONGEST);
            let heard = self.world.wait(until);
            let (now, is_quiet) = (self.world.now(), heard.is_empty());
            burst.add(heard, now);
            if is_quiet || now >= burst.first + LONGEST {
                return;
            }
        }
    }

    /// What differs where events were heard. Nothing if more of them must be waited for.
    fn inspect(&mut self, burst: &mut Burst) -> Option<Found> {
        if burst.heard.everything {
            return self.walk(self.world.now() >= burst.first + LONGEST);
        }
        let files = self.look(&burst.heard.paths);
        // A folder is seldom alone.
        burst.heard.everything = files.is_none();
        files.map(|files| Found { files, ..Found::default() })
    }

    /// What differs at some paths. Nothing if only a walk can tell.
    fn look(&self, paths: &BTreeSet<Arc<str>>) -> Option<BTreeMap<Arc<str>, Option<File>>> {
        let mut files = BTreeMap::new();
        for path in paths {
            match self.world.look(&self.project, path) {
                Looked::Same => None,
                Looked::Changed(file) => files.insert(Arc::clone(path), Some(file)),
                Looked::Gone => files.insert(Arc::clone(path), None),
                Looked::Walk => return None,
            };
        }
        Some(files)
    }

    /// What differs anywhere. Nothing if the walk was interrupted.
    fn walk(&mut self, whatever_comes: bool) -> Option<Found> {
        let start = self.world.now();
        let found = match self.world.walk(&self.project, whatever_comes) {
            Walked::Whole(project) => Found::between(&self.project, project),
            Walked::Missing => Found::default(),
            Walked::Interrupted => return None,
        };
        let now = self.world.now();
        let cost = (now - start) * u32::try_from(rayon::current_num_threads()).unwrap_or(1);
        let Pause { parts, shortest, longest } = if self.world.hears() { HEARING } else { DEAF };
        self.due = now + (cost * parts).clamp(shortest, longest);
        Some(found)
    }

    /// Whether something looks as if it were being saved just now.
    fn is_doubtful(&self, found: &Found) -> bool {
        let is_empty = |file: &File| file.bytes().is_some_and(<[u8]>::is_empty);
        found.files.iter().any(|(path, file)| {
            let known = self.project.files.get(path);
            known.is_some_and(|known| file.as_ref().is_none_or(|file| is_empty(file) && !is_empty(known)))
        })
    }

    /// Makes what was found what is known, and names it.
    fn believe(&mut self, found: Found) -> Vec<Arc<str>> {
        let Found { files, mut others, whole } = found;
        others.extend(files.keys().cloned());
        match whole {
            Some(project) => self.project = project,
            None => files.into_iter().for_each(|(path, file)| self.project.put(&path, file)),
        }
        others.into_iter().collect()
    }
}

impl Burst {
    fn quiet(&self) -> Duration {
        if self.heard.everything || self.heard.paths.len() > FEW_PATHS { MANY_QUIET } else { QUIET }
    }

    fn add(&mut self, heard: Signal, now: Instant) {
        if !heard.is_empty() {
            self.heard.paths.extend(heard.paths);
            self.heard.everything |= heard.everything;
            self.last = now;
        }
    }
}

impl Found {
    fn between(old: &Project, new: Project) -> Self {
        let is_known = |path: &Arc<str>, file: &File| old.files.get(path).is_some_and(|known| known.is_same(file));
        let changed = new.files.iter().filter(|(path, file)| !is_known(path, file));
        let gone = old.files.keys().filter(|path| !new.files.contains_key(*path));
        let files = changed.map(|(path, file)| (Arc::clone(path), Some(file.clone())));
        let files = files.chain(gone.map(|path| (Arc::clone(path), None))).collect();
        let (before, after) = (told_of_others(old), told_of_others(&new));
        let others = before.symmetric_difference(&after).map(|(path, _)| Arc::clone(path)).collect();
        Self { files, others, whole: Some(new) }
    }

    fn is_nothing(&self) -> bool {
        self.files.is_empty() && self.others.is_empty()
    }
}

/// What is said of anything but files, and at which path.
fn told_of_others(project: &Project) -> BTreeSet<(&Arc<str>, &str)> {
    let others = project.diagnostics.iter().filter(|told| !project.files.contains_key(&told.place.file));
    others.map(|told| (&told.place.file, told.message.as_str())).collect()
}
