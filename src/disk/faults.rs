//! Makes calls to the file system fail, in the tests of this crate.
//!
//! Tests run in parallel in one process, and a build writes from many threads, so faults are chosen by path: a hook
//! is called before each call at or below its folder, which is the temporary folder of one test.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustix::io::Errno;

use super::Call;

type Hook = dyn Fn(Call, &Path) -> io::Result<()> + Send + Sync;

static HOOKS: RwLock<Vec<(PathBuf, Arc<Hook>)>> = RwLock::new(Vec::new());

/// Calls the hook of the folder that contains `path`, if there is one.
pub(super) fn gate(call: Call, path: &Path) -> io::Result<()> {
    let hooks = HOOKS.read().unwrap_or_else(PoisonError::into_inner);
    let hook = hooks.iter().find(|(folder, _)| path.starts_with(folder)).map(|(_, hook)| Arc::clone(hook));
    drop(hooks);
    hook.map_or(Ok(()), |hook| hook(call, path))
}

/// A hook, which is removed when this is dropped.
pub(crate) struct Hooked(PathBuf);

/// Calls `hook` before each call at or below `folder`, which is canonical; a call fails if the hook does.
pub(crate) fn below(folder: &Path, hook: impl Fn(Call, &Path) -> io::Result<()> + Send + Sync + 'static) -> Hooked {
    let mut hooks = HOOKS.write().unwrap_or_else(PoisonError::into_inner);
    assert!(hooks.iter().all(|(other, _)| other != folder), "one hook at a time");
    hooks.push((folder.to_owned(), Arc::new(hook)));
    Hooked(folder.to_owned())
}

impl Drop for Hooked {
    fn drop(&mut self) {
        HOOKS.write().unwrap_or_else(PoisonError::into_inner).retain(|(folder, _)| *folder != self.0);
    }
}

/// Which calls fail, beginning with a given call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Only that call, with an error that the program does not treat specially.
    Once,
    /// Only that call, a link or rename, as if the two paths were on different disks.
    Apart,
    /// That call and the next one, which may be its undo.
    Twice,
    /// Every call that needs space, as if the disk were full from then on.
    Full,
    /// Every call, as if the process were killed.
    Dead,
}

impl Fault {
    pub(crate) const ALL: [Self; 5] = [Self::Once, Self::Apart, Self::Twice, Self::Full, Self::Dead];

    /// Returns the error of a call that must fail; `before` is the number of calls that have failed.
    fn error(self, before: usize, call: Call) -> Option<Errno> {
        let is_move = matches!(call, Call::Link | Call::Rename | Call::Exchange);
        let needs_room = matches!(call, Call::Create | Call::Write | Call::Folder | Call::Link);
        match self {
            Self::Once => (before == 0).then_some(Errno::IO),
            Self::Apart => (before == 0 && is_move).then_some(Errno::XDEV),
            Self::Twice => (before < 2).then_some(Errno::IO),
            Self::Full => needs_room.then_some(Errno::NOSPC),
            Self::Dead => Some(Errno::IO),
        }
    }
}

/// The calls of a run with a fault.
#[derive(Debug, Default)]
pub(crate) struct Met {
    calls: usize,
    /// The number of the first call that failed.
    pub(crate) first: Option<usize>,
    /// The calls that failed.
    pub(crate) failed: Vec<(Call, PathBuf)>,
}

/// Runs `round` with `fault` from each call on; it returns the calls of the run.
pub(crate) fn in_turn(fault: Fault, mut round: impl FnMut((Fault, usize)) -> Met) {
    let mut from = 0;
    while let Some(first) = round((fault, from)).first {
        // Starting at an earlier call would have had the same effect.
        from = first + 1;
    }
}

/// Runs `work` with `fault` from the call number `from` on, at or below `folder`. With `lacks_exchange`, two folders
/// cannot be exchanged in one step.
pub(crate) fn with<T>(
    folder: &Path,
    (fault, from): (Fault, usize),
    lacks_exchange: bool,
    work: impl FnOnce() -> T,
) -> (T, Met) {
    let met = Arc::new(Mutex::new(Met::default()));
    let shared = Arc::clone(&met);
    let hooked = below(folder, move |call, path| {
        let mut met = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let at = met.calls;
        met.calls += 1;
        if at >= from
            && let Some(error) = fault.error(met.failed.len(), call)
        {
            met.first.get_or_insert(at);
            met.failed.push((call, path.to_owned()));
            return Err(error.into());
        }
        if lacks_exchange && call == Call::Exchange { Err(io::ErrorKind::Unsupported.into()) } else { Ok(()) }
    });
    let done = work();
    drop(hooked);
    let met = std::mem::take(&mut *met.lock().unwrap_or_else(PoisonError::into_inner));
    (done, met)
}
