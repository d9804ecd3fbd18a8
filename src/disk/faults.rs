//! Makes calls to the file system fail, in the tests of this crate.
//!
//! Tests run side by side in one process and a build writes from many threads, so what is to fail is told by place: a hook
//! is asked before each call at or below its folder, which is the temporary folder of one test.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustix::io::Errno;

use super::Call;

type Hook = dyn Fn(Call, &Path) -> io::Result<()> + Send + Sync;

static HOOKS: RwLock<Vec<(PathBuf, Arc<Hook>)>> = RwLock::new(Vec::new());

/// Asks the hook of the folder that holds `path`, if there is one.
pub(super) fn gate(call: Call, path: &Path) -> io::Result<()> {
    let hooks = HOOKS.read().unwrap_or_else(PoisonError::into_inner);
    let hook = hooks.iter().find(|(folder, _)| path.starts_with(folder)).map(|(_, hook)| Arc::clone(hook));
    drop(hooks);
    hook.map_or(Ok(()), |hook| hook(call, path))
}

/// A hook that is asked until this is dropped.
pub(crate) struct Hooked(PathBuf);

/// Asks `hook` before each call at or below `folder`, which is canonical; a call fails if the hook does.
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

/// Which calls fail from the call on at which it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// That call alone. The error stands for all that the program does not tell apart.
    Once,
    /// That call alone, which links or moves: the two places are on two disks.
    Apart,
    /// That call and the next, such as a step and the one that would take it back.
    Twice,
    /// Every call that needs room: the disk is full from then on.
    Full,
    /// Every call: the process is as good as killed.
    Dead,
}

impl Fault {
    pub(crate) const ALL: [Self; 5] = [Self::Once, Self::Apart, Self::Twice, Self::Full, Self::Dead];

    /// The error of a call, if it is to fail; `before` is how many have failed.
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

/// What a run under a fault met.
#[derive(Debug, Default)]
pub(crate) struct Met {
    calls: usize,
    /// The number of the first call that failed.
    pub(crate) first: Option<usize>,
    /// The calls that failed.
    pub(crate) failed: Vec<(Call, PathBuf)>,
}

/// Runs `round` with `fault` from each call on at which it can begin; it returns what it met of it.
pub(crate) fn in_turn(fault: Fault, mut round: impl FnMut((Fault, usize)) -> Met) {
    let mut from = 0;
    while let Some(first) = round((fault, from)).first {
        // From here up to that call it would have been the same.
        from = first + 1;
    }
}

/// Runs `work` with `fault` from the call number `from` on, at or below `folder`. `lacks_exchange`: and without a step
/// that exchanges two folders.
pub(crate) fn with<T>(
    folder: &Path,
    (fault, from): (Fault, usize),
    lacks_exchange: bool,
    work: impl FnOnce() -> T,
) -> (T, Met) {
    let met = Arc::new(Mutex::new(Met::default()));
    let told = Arc::clone(&met);
    let hooked = below(folder, move |call, path| {
        let mut met = told.lock().unwrap_or_else(PoisonError::into_inner);
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
