//! Collects the system's file events until they are taken.

#![expect(clippy::disallowed_methods, reason = "waiting needs a clock")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use notify::Event;
use notify::event::{EventKind, ModifyKind};

use super::watch_error_reason;
use crate::load;
use crate::serve::live_project::ChangeHints;
use crate::serve::lock;
use infralens_source::project::FOLDERS;

/// With more paths than this, the whole course is read.
const MAX_PATHS: usize = 4096;

/// Events, shared with the thread that receives them.
#[derive(Default)]
pub(super) struct EventQueue {
    pending: Mutex<PendingEvents>,
    /// Whether there are hints. Separate from the lock, because it is checked before each file that is read.
    has_hints: AtomicBool,
    arrived: Condvar,
}

/// Events that have not been taken yet, combined.
#[derive(Debug, Default)]
pub(super) struct PendingEvents {
    pub hints: ChangeHints,
    /// Whether the root, or one of the course's folders itself, was changed.
    pub has_top_folder_changes: bool,
    /// Whether a folder was created or renamed; some of its contents may not be watched.
    pub has_new_folders: bool,
    /// Whether the system's queue has overflowed, so that events were lost.
    pub has_overflowed: bool,
    /// Why something is not watched.
    pub watch_error: Option<String>,
}

impl EventQueue {
    /// Adds an event of the course at `root`, a path without links. Called by the thread that receives events.
    pub fn push(&self, root: &Path, event: notify::Result<Event>) {
        // Reading the course causes access events.
        if event.as_ref().is_ok_and(|event| event.kind.is_access() && !event.need_rescan()) {
            return;
        }
        let mut pending = lock(&self.pending);
        pending.add(root, event);
        if !pending.hints.is_empty() {
            self.has_hints.store(true, Ordering::Relaxed);
        }
        if !pending.is_empty() {
            self.arrived.notify_all();
        }
    }

    /// Waits for an event until `deadline` at the latest, and takes all pending ones.
    pub fn take(&self, deadline: Instant) -> PendingEvents {
        let mut pending = lock(&self.pending);
        while pending.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            pending = self.arrived.wait_timeout(pending, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.has_hints.store(false, Ordering::Relaxed);
        std::mem::take(&mut *pending)
    }

    /// Whether something may have changed since events were last taken.
    pub fn has_hints(&self) -> bool {
        self.has_hints.load(Ordering::Relaxed)
    }
}

impl PendingEvents {
    /// Whether there is nothing to react to.
    pub fn is_empty(&self) -> bool {
        self.hints.is_empty() && !self.has_overflowed && self.watch_error.is_none()
    }

    fn add(&mut self, root: &Path, event: notify::Result<Event>) {
        match event {
            Ok(event) if event.need_rescan() => self.has_overflowed = true,
            Ok(event) if event.paths.is_empty() => self.hints.everything = true,
            Ok(event) => {
                let may_be_folders =
                    event.kind.is_create() || matches!(event.kind, EventKind::Modify(ModifyKind::Name(_)));
                self.has_new_folders |= may_be_folders && event.paths.iter().any(|path| path.is_dir());
                event.paths.iter().for_each(|path| self.add_path(root, path));
            }
            Err(error) => {
                self.watch_error = Some(watch_error_reason(&error));
                self.hints.everything = true;
            }
        }
    }

    fn add_path(&mut self, root: &Path, path: &Path) {
        let Ok(path) = path.strip_prefix(root) else {
            self.hints.everything = true;
            return;
        };
        if path.as_os_str().is_empty() || FOLDERS.iter().any(|folder| path.as_os_str() == *folder) {
            self.has_top_folder_changes = true;
            self.hints.everything = true;
        } else if load::is_wanted(path) {
            match load::course_path(path) {
                Some(path) if self.hints.paths.len() < MAX_PATHS => _ = self.hints.paths.insert(path),
                _ => self.hints.everything = true,
            }
        }
    }
}
