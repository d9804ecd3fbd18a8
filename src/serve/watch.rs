//! Watches the folders of a course for changes through the system's notifications, and notices when these stop.
//!
//! The root is watched without its subfolders, and each of the course's folders with its subfolders. A replaced
//! folder causes no event, so on each event, and every [`CHECK_INTERVAL`], the identity of the folders is compared. When
//! folders were created, the next reading of the course first asks again for all of them to be watched, because the library
//! may miss some that are created and removed quickly.

#![expect(clippy::disallowed_methods, reason = "waiting needs a clock")]

mod event_queue;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};
use rustix::io::Errno;

use super::live_project::{ChangeHints, Environment, Reread};
use crate::load::{self, FolderIdentity, PathChange};
use event_queue::{EventQueue, PendingEvents};
use infralens_source::project::Project;

/// How often the identity of the watched folders is compared.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Reading the course causes events, too. If these overflow the system's queue, reading everything again would never end.
/// So an overflow within this time after reading does not cause another reading at once, but at the interval of a system
/// that reports nothing.
const READ_ECHO: Duration = Duration::from_secs(1);

/// Watches a course on disk.
pub struct FolderWatcher {
    root: PathBuf,
    events: Arc<EventQueue>,
    watcher: Option<RecommendedWatcher>,
    /// The folders that are watched; `None` if there is no course at the root.
    identity: Option<FolderIdentity>,
    coverage: Coverage,
    /// Whether the events that reading caused may have displaced others.
    overflowed_by_reading: bool,
    /// Why changes are not reported, until the author is told. This happens once.
    notice: Option<String>,
    has_notice: bool,
    last_reload: Instant,
    next_check: Instant,
}

/// How much of what happens in the course's folders is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coverage {
    /// All changes are reported.
    Full,
    /// Folders were created since the last request to watch all of them.
    Outdated,
    /// A folder disappeared during the request, and those after it were left out.
    Incomplete,
    /// The system refused to watch some folders.
    Refused,
}

impl FolderWatcher {
    /// Creates a watcher, which watches nothing before the first reading of the course.
    pub(super) fn new(root: PathBuf) -> Self {
        let now = Instant::now();
        Self {
            root,
            events: Arc::default(),
            watcher: None,
            identity: None,
            coverage: Coverage::Full,
            overflowed_by_reading: false,
            notice: None,
            has_notice: false,
            last_reload: now,
            next_check: now + CHECK_INTERVAL,
        }
    }

    pub(super) fn take_notice(&mut self) -> Option<String> {
        self.notice.take()
    }

    fn refuse(&mut self, reason: &str) {
        self.coverage = Coverage::Refused;
        if !std::mem::replace(&mut self.has_notice, true) {
            self.notice = Some(format!("changes are found only by reading the course every so often: {reason}"));
        }
    }

    /// Turns events into hints, and checks whether the folders are still the ones that are watched.
    fn interpret(&mut self, events: PendingEvents, now: Instant) -> ChangeHints {
        let mut hints = events.hints;
        if let Some(reason) = events.watch_error {
            self.refuse(&reason);
        }
        if self.coverage == Coverage::Full && (events.has_new_folders || events.has_overflowed) {
            self.coverage = Coverage::Outdated;
        }
        if events.has_overflowed {
            self.overflowed_by_reading |= now < self.last_reload + READ_ECHO;
            hints.everything |= !self.overflowed_by_reading;
        }
        let identity = FolderIdentity::of(&self.root);
        if events.has_top_folder_changes || identity != self.identity {
            self.watch_folders(identity);
            hints.everything = true;
        }
        if now >= self.next_check {
            self.next_check = now + CHECK_INTERVAL;
            hints.everything |= self.coverage == Coverage::Incomplete;
        }
        hints
    }

    /// Stops watching the old folders, and watches those of `identity`.
    fn watch_folders(&mut self, identity: Option<FolderIdentity>) {
        if let (Some(mut watcher), Some(old)) = (self.watcher.take(), &self.identity) {
            // Errors for folders that no longer exist do not matter. The other watches end before new ones are counted.
            old.folders().chain([old.root.clone()]).for_each(|folder| drop(watcher.unwatch(&folder)));
        }
        self.identity = identity;
        self.renew_watches();
    }

    /// Asks the system to watch all folders, which includes those that were created since.
    fn renew_watches(&mut self) {
        self.coverage = Coverage::Full;
        let Some(identity) = self.identity.clone() else { return };
        if let Some(reason) = unreported_reason(&identity.root) {
            self.refuse(&reason);
        }
        let watcher = match self.watcher.take() {
            Some(watcher) => Ok(watcher),
            None => new_watcher(&self.events, &identity.root),
        };
        let mut watcher = match watcher {
            Ok(watcher) => watcher,
            Err(error) => return self.refuse(&watch_error_reason(&error)),
        };
        let folders = identity.folders().map(|folder| (folder, RecursiveMode::Recursive));
        for (folder, mode) in folders.chain([(identity.root.clone(), RecursiveMode::NonRecursive)]) {
            match watcher.watch(&folder, mode) {
                Ok(()) => {}
                Err(error) if is_missing(&error) && self.coverage != Coverage::Refused => {
                    self.coverage = Coverage::Incomplete;
                }
                Err(error) => self.refuse(&watch_error_reason(&error)),
            }
        }
        self.watcher = Some(watcher);
    }
}

impl Environment for FolderWatcher {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wait(&mut self, deadline: Instant) -> ChangeHints {
        let had_overflowed_by_reading = self.overflowed_by_reading;
        loop {
            let events = self.events.take(deadline.min(self.next_check));
            let now = Instant::now();
            let is_idle = events.is_empty() && now < self.next_check;
            let hints = if is_idle { events.hints } else { self.interpret(events, now) };
            if !hints.is_empty() || now >= deadline || self.overflowed_by_reading != had_overflowed_by_reading {
                return hints;
            }
        }
    }

    fn reload_path(&self, known: &Project, path: &str) -> PathChange {
        load::reload_path(&self.root, known, path)
    }

    fn reload(&mut self, known: &Project, is_interruptible: bool) -> Reread {
        let identity = FolderIdentity::of(&self.root);
        if identity != self.identity {
            self.watch_folders(identity);
        } else if self.coverage != Coverage::Full {
            self.renew_watches();
        }
        if self.identity.is_none() {
            return Reread::Missing;
        }
        self.overflowed_by_reading = false;
        let project = load::reload(&self.root, known, &|| is_interruptible && self.events.has_hints());
        self.last_reload = Instant::now();
        match project {
            Some(project) if FolderIdentity::of(&self.root) == self.identity => Reread::Complete(project),
            // A folder was replaced meanwhile, so this may be a mix of two courses: check again without delay.
            Some(_) => {
                self.next_check = self.last_reload;
                Reread::Interrupted
            }
            None => Reread::Interrupted,
        }
    }

    fn has_events(&self) -> bool {
        self.coverage != Coverage::Refused && !self.overflowed_by_reading
    }
}

fn new_watcher(events: &Arc<EventQueue>, root: &Path) -> notify::Result<RecommendedWatcher> {
    let (events, root) = (Arc::clone(events), root.to_path_buf());
    let config = Config::default().with_follow_symlinks(false);
    RecommendedWatcher::new(move |event| events.push(&root, event), config)
}

fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Describes why something cannot be watched.
fn watch_error_reason(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => "the system watches no more folders (`fs.inotify.max_user_watches`)".to_owned(),
        ErrorKind::Io(error) if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => {
            "too many programs watch folders at once (`fs.inotify.max_user_instances`)".to_owned()
        }
        ErrorKind::Io(error) => format!("the system does not watch the folder: {}", error.kind()),
        _ => format!("the system does not watch the folder: {error}"),
    }
}

/// Returns why the file system does not report all changes, or `None` if it does.
#[cfg(target_os = "linux")]
fn unreported_reason(root: &Path) -> Option<String> {
    /// Magic numbers of `statfs(2)`: NFS, three versions of SMB, 9p (the disks of Windows in WSL), FUSE (the disks of a
    /// desktop in a container), the shared folders of three programs for virtual machines, and three more network file
    /// systems.
    const SHARED: [u64; 12] = [
        0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x0102_1997, 0x6573_5546, 0x786f_4256, 0xbacb_acbc, 0x7c7c_6673,
        0x00c3_6400, 0x5346_414f, 0x0bd0_0bd0,
    ];
    let kind = rustix::fs::statfs(root).ok().and_then(|stat| u64::try_from(stat.f_type).ok());
    if kind.is_some_and(|kind| SHARED.contains(&kind)) {
        return Some("on this file system the system does not report what is written elsewhere".to_owned());
    }
    let mounted = load::mounted_folder(root)?;
    Some(format!(
        "`{}` is mounted by itself, and the system may not report what is written there elsewhere",
        mounted.display()
    ))
}

#[cfg(not(target_os = "linux"))]
fn unreported_reason(_: &Path) -> Option<String> {
    None
}
