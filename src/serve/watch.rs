//! Hears of changes in a course's folders from the system, and notices when it no longer does.
//!
//! Watched are the root, not what is below it, and each of the course's folders with all that is. Whether these are still
//! the same folders is looked at whenever something is heard, and every [`HEARTBEAT`]: a folder that was replaced makes
//! no sound. Where folders were made, the next walk of the course first asks again for all of them to be watched, for the
//! library may miss some that come and go quickly.

#![expect(clippy::disallowed_methods, reason = "waiting needs a clock")]

mod news;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};
use rustix::io::Errno;

use super::follow::{Signal, Walked, World};
use crate::load::{self, Looked, Standing};
use crate::project::Project;
use news::{Heard, News};

/// How often it is looked whether the folders are still the ones that are watched.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// Reading the course makes events too. If there are too many for the system's queue, reading everything again would
/// never end; so what overflows within this time after reading is made up for at leisure.
const ECHO: Duration = Duration::from_secs(1);

/// A course on disk as the system reports it.
pub struct Watch {
    root: PathBuf,
    news: Arc<News>,
    watcher: Option<RecommendedWatcher>,
    /// The folders that are watched.
    standing: Option<Standing>,
    reach: Reach,
    /// Whether reading the course drowned what else was to be heard.
    is_drowned: bool,
    notice: Notice,
    read_until: Instant,
    next_beat: Instant,
}

/// How much of what happens below the course's folders is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// All.
    Full,
    /// Folders were made since all were asked to be watched.
    Outgrown,
    /// A folder went while it was about to be watched, and those after it were left out.
    Torn,
    /// The system refused some of it.
    Refused,
}

/// What the author is told if changes are not heard of.
enum Notice {
    Untold,
    Due(String),
    Told,
}

impl Watch {
    /// Watches nothing until the first walk.
    pub(super) fn new(root: PathBuf) -> Self {
        let now = Instant::now();
        Self {
            root,
            news: Arc::default(),
            watcher: None,
            standing: None,
            reach: Reach::Full,
            is_drowned: false,
            notice: Notice::Untold,
            read_until: now,
            next_beat: now + HEARTBEAT,
        }
    }

    pub(super) fn take_notice(&mut self) -> Option<String> {
        match std::mem::replace(&mut self.notice, Notice::Told) {
            Notice::Due(notice) => Some(notice),
            untold_or_told => {
                self.notice = untold_or_told;
                None
            }
        }
    }

    fn refuse(&mut self, why: &str) {
        self.reach = Reach::Refused;
        if matches!(self.notice, Notice::Untold) {
            self.notice = Notice::Due(format!("changes are found only by reading the course every so often: {why}"));
        }
    }

    /// What news mean, and whether the folders are still the ones that are watched.
    fn weigh(&mut self, news: Heard, now: Instant) -> Signal {
        let mut signal = news.signal;
        if let Some(why) = news.refusal {
            self.refuse(&why);
        }
        if self.reach == Reach::Full && (news.has_folders || news.has_overflowed) {
            self.reach = Reach::Outgrown;
        }
        if news.has_overflowed {
            self.is_drowned |= now < self.read_until + ECHO;
            signal.everything |= !self.is_drowned;
        }
        let standing = Standing::of(&self.root);
        if news.is_uprooted || standing != self.standing {
            self.arrange(standing);
            signal.everything |= self.standing.is_some();
        }
        if now >= self.next_beat {
            self.next_beat = now + HEARTBEAT;
            signal.everything |= self.reach == Reach::Torn;
        }
        signal
    }

    /// Lets go of all that is watched, and watches other folders.
    fn arrange(&mut self, standing: Option<Standing>) {
        if let (Some(mut watcher), Some(old)) = (self.watcher.take(), &self.standing) {
            // One that is already gone need not be let go. The others must be before the new ones are counted.
            old.folders().chain([old.root.clone()]).for_each(|folder| drop(watcher.unwatch(&folder)));
        }
        self.standing = standing;
        self.renew();
    }

    /// Watches what has come to the folders that are watched.
    fn renew(&mut self) {
        self.reach = Reach::Full;
        let Some(standing) = self.standing.clone() else { return };
        if let Some(why) = unreported(&standing.root) {
            self.refuse(why);
        }
        let watcher = match self.watcher.take() {
            Some(watcher) => Ok(watcher),
            None => watcher(&self.news, &standing.root),
        };
        let mut watcher = match watcher {
            Ok(watcher) => watcher,
            Err(error) => return self.refuse(&reason(&error)),
        };
        let folders = standing.folders().map(|folder| (folder, RecursiveMode::Recursive));
        for (folder, mode) in folders.chain([(standing.root.clone(), RecursiveMode::NonRecursive)]) {
            match watcher.watch(&folder, mode) {
                Ok(()) => {}
                Err(error) if is_gone(&error) && self.reach != Reach::Refused => self.reach = Reach::Torn,
                Err(error) => self.refuse(&reason(&error)),
            }
        }
        self.watcher = Some(watcher);
    }
}

impl World for Watch {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wait(&mut self, until: Instant) -> Signal {
        loop {
            let news = self.news.wait(until.min(self.next_beat));
            let now = Instant::now();
            let signal = if news.is_nothing() && now < self.next_beat { news.signal } else { self.weigh(news, now) };
            if !signal.is_empty() || now >= until {
                return signal;
            }
        }
    }

    fn look(&self, known: &Project, path: &str) -> Looked {
        load::look(&self.root, known, path)
    }

    fn walk(&mut self, known: &Project, whatever_comes: bool) -> Walked {
        let standing = Standing::of(&self.root);
        if standing != self.standing {
            self.arrange(standing);
        } else if self.reach != Reach::Full {
            self.renew();
        }
        if self.standing.is_none() {
            return Walked::Missing;
        }
        self.is_drowned = false;
        let read = load::reload(&self.root, known, &|| !whatever_comes && self.news.is_any());
        self.read_until = Instant::now();
        match read {
            Some(project) if Standing::of(&self.root) == self.standing => Walked::Whole(project),
            // Half of it may be of one course, half of another: to be looked at without delay.
            Some(_) => {
                self.next_beat = self.read_until;
                Walked::Interrupted
            }
            None => Walked::Interrupted,
        }
    }

    fn hears(&self) -> bool {
        self.reach != Reach::Refused && !self.is_drowned
    }
}

fn watcher(news: &Arc<News>, root: &Path) -> notify::Result<RecommendedWatcher> {
    let (news, root) = (Arc::clone(news), root.to_path_buf());
    let config = Config::default().with_follow_symlinks(false);
    RecommendedWatcher::new(move |event| news.tell(&root, event), config)
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Why something cannot be watched.
fn reason(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => "the system watches no more folders (`fs.inotify.max_user_watches`)".to_owned(),
        ErrorKind::Io(error) if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => {
            "too many programs watch folders at once (`fs.inotify.max_user_instances`)".to_owned()
        }
        ErrorKind::Io(error) => format!("the system does not watch the folder: {}", error.kind()),
        _ => format!("the system does not watch the folder: {error}"),
    }
}

/// Why a file system does not report all that happens in it, if it does not.
#[cfg(target_os = "linux")]
fn unreported(root: &Path) -> Option<&'static str> {
    /// As in `statfs(2)`: NFS, SMB (three versions of it), 9p (which is how Windows shows its disks to Linux), and FUSE,
    /// by which containers see the disks of a desktop.
    const SHARED: [u64; 6] = [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x0102_1997, 0x6573_5546];
    let kind = rustix::fs::statfs(root).ok().and_then(|found| u64::try_from(found.f_type).ok())?;
    SHARED.contains(&kind).then_some("on this file system the system does not report what is written elsewhere")
}

#[cfg(not(target_os = "linux"))]
fn unreported(_: &Path) -> Option<&'static str> {
    None
}
