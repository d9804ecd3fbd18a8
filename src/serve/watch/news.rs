//! What the system's events say, put together until it is asked for.

#![expect(clippy::disallowed_methods, reason = "waiting needs a clock")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use notify::Event;
use notify::event::{EventKind, ModifyKind};

use super::reason;
use crate::load;
use crate::project::FOLDERS;
use crate::serve::follow::Signal;

/// With more paths than this, everything is looked at.
const MANY_PATHS: usize = 4096;

/// What was heard, shared with the thread that hears it.
#[derive(Default)]
pub(super) struct News {
    heard: Mutex<Heard>,
    /// Whether there is anything for which a walk would be interrupted: asked before each file that is read.
    is_any: AtomicBool,
    came: Condvar,
}

/// What was heard.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub signal: Signal,
    /// Something happened to the root, or to one of the course's folders, as such.
    pub is_uprooted: bool,
    /// A folder was made or renamed, of which not all may be watched.
    pub has_folders: bool,
    /// The system had more to say than it could keep.
    pub has_overflowed: bool,
    /// Why something is not watched.
    pub refusal: Option<String>,
}

impl News {
    /// Takes in an event of a course whose root, without links, is `root`. Called by the thread that hears events.
    pub fn tell(&self, root: &Path, event: notify::Result<Event>) {
        // Our own reading is heard too.
        if event.as_ref().is_ok_and(|event| event.kind.is_access() && !event.need_rescan()) {
            return;
        }
        let mut heard = self.lock();
        heard.add(root, event);
        if !heard.signal.is_empty() {
            self.is_any.store(true, Ordering::Relaxed);
        }
        if !heard.is_nothing() {
            self.came.notify_all();
        }
    }

    /// Waits until there are news, but no longer than `until`, and takes them.
    pub fn wait(&self, until: Instant) -> Heard {
        let mut heard = self.lock();
        while heard.is_nothing() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            heard = self.came.wait_timeout(heard, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.is_any.store(false, Ordering::Relaxed);
        std::mem::take(&mut *heard)
    }

    /// Whether something may have changed since news were last taken.
    pub fn is_any(&self) -> bool {
        self.is_any.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Heard {
    /// Whether nothing was heard.
    pub fn is_nothing(&self) -> bool {
        self.signal.is_empty() && !self.has_overflowed && self.refusal.is_none()
    }

    fn add(&mut self, root: &Path, event: notify::Result<Event>) {
        match event {
            Ok(event) if event.need_rescan() => self.has_overflowed = true,
            Ok(event) if event.paths.is_empty() => self.signal.everything = true,
            Ok(event) => {
                let may_be_folders =
                    event.kind.is_create() || matches!(event.kind, EventKind::Modify(ModifyKind::Name(_)));
                self.has_folders |= may_be_folders && event.paths.iter().any(|path| path.is_dir());
                event.paths.iter().for_each(|path| self.add_path(root, path));
            }
            Err(error) => {
                self.refusal = Some(reason(&error));
                self.signal.everything = true;
            }
        }
    }

    fn add_path(&mut self, root: &Path, path: &Path) {
        let Ok(path) = path.strip_prefix(root) else {
            self.signal.everything = true;
            return;
        };
        if path.as_os_str().is_empty() || FOLDERS.iter().any(|folder| path.as_os_str() == *folder) {
            self.is_uprooted = true;
            self.signal.everything = true;
        } else if load::is_wanted(path) {
            match load::course_path(path) {
                Some(path) if self.signal.paths.len() < MANY_PATHS => _ = self.signal.paths.insert(path),
                _ => self.signal.everything = true,
            }
        }
    }
}
