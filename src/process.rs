//! Runs the command of a record: without a shell, with nothing on standard input, and within limits of time and output.
//!
//! The command leads a process group of its own. When it has ended, has exceeded a limit, or the user has interrupted the
//! program, the whole group is killed, so that nothing that it has started goes on. Windows has no such groups: there, only
//! the command itself is killed.

#![expect(clippy::disallowed_methods, reason = "the one module that runs a program, and ends it after some time")]

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

/// How often a running command is looked at.
const INTERVAL: Duration = Duration::from_millis(5);
/// How long the output of a killed process group may stay open.
const GRACE: Duration = Duration::from_secs(1);
/// The number of bytes at the end of standard error that are kept.
const STDERR_LIMIT: usize = 4096;

/// What a command may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes it may print.
    pub output: usize,
}

/// Whether the user has asked the program to end, by Ctrl-C or another signal.
#[derive(Debug, Clone)]
pub struct Interrupt(Arc<AtomicBool>);

/// Why there is no output of a command.
#[derive(Debug)]
pub struct Failure {
    /// What went wrong.
    pub reason: Reason,
    /// The end of what it printed on standard error.
    pub stderr: String,
}

/// What can go wrong with a command.
#[derive(Debug, Error)]
pub enum Reason {
    /// The system did not start it.
    #[error("it cannot be started: {0}")]
    NotStarted(io::Error),
    /// It ended with a status other than 0, or by a signal.
    #[error("it ended with {0}")]
    Failed(ExitStatus),
    /// It ran for too long.
    #[error("it took too long")]
    TooLong,
    /// It printed too much.
    #[error("it printed too much")]
    TooMuch,
    /// A process that it started, and that has left its process group, keeps its output open.
    #[error("it left a process behind that keeps its output open")]
    HeldOpen,
    /// The user has interrupted the program.
    #[error("it was interrupted")]
    Interrupted,
}

impl Interrupt {
    /// Begins to listen for signals, which no longer end the program by themselves.
    ///
    /// # Errors
    ///
    /// An error of the system.
    pub fn listen() -> io::Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in group::SIGNALS {
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
        }
        Ok(Self(flag))
    }

    /// Whether there was a signal.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs a program in a folder, and returns what it printed. `words` are its name and its arguments; a name with a slash is
/// a path from the folder.
///
/// # Errors
///
/// See [`Reason`].
pub fn run(words: &[String], folder: &Path, limits: Limits, interrupt: &Interrupt) -> Result<Vec<u8>, Failure> {
    let not_started = |error| Failure { reason: Reason::NotStarted(error), stderr: String::new() };
    let [program, arguments @ ..] = words else { return Err(not_started(io::ErrorKind::InvalidInput.into())) };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    group::lead(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(not_started)?;
    let stdout = child.stdout.take().map(|pipe| in_thread(move || read_start(pipe, limits.output)));
    let stderr = child.stderr.take().map(|pipe| in_thread(move || read_end(pipe)));
    let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
        return Err(not_started(io::ErrorKind::BrokenPipe.into()));
    };
    let ended = wait(&mut child, limits, &stdout, interrupt);
    group::kill(&mut child);
    let status = child.wait();
    let stderr = || stderr.recv_timeout(GRACE).unwrap_or_default();
    let fail = |reason| Err(Failure { reason, stderr: String::from_utf8_lossy(&stderr()).into_owned() });
    let printed = match ended {
        Ok(Some(printed)) => Some(printed),
        Ok(None) => stdout.recv_timeout(GRACE).ok(),
        Err(reason) => return fail(reason),
    };
    match (status, printed) {
        (_, Some(printed)) if printed.len() > limits.output => fail(Reason::TooMuch),
        (Ok(status), _) if !status.success() => fail(Reason::Failed(status)),
        (Err(error), _) => fail(Reason::NotStarted(error)),
        (_, None) => fail(Reason::HeldOpen),
        (_, Some(printed)) => Ok(printed),
    }
}

/// Waits until a command has ended, or has printed too much, and returns what it printed if that is known by then.
fn wait(
    child: &mut Child,
    limits: Limits,
    stdout: &Receiver<Vec<u8>>,
    interrupt: &Interrupt,
) -> Result<Option<Vec<u8>>, Reason> {
    let start = Instant::now();
    let mut printed = None;
    loop {
        printed = printed.or_else(|| stdout.try_recv().ok());
        if group::has_ended(child) || printed.as_ref().is_some_and(|printed| printed.len() > limits.output) {
            return Ok(printed);
        }
        if interrupt.is_requested() {
            return Err(Reason::Interrupted);
        }
        if start.elapsed() >= limits.time {
            return Err(Reason::TooLong);
        }
        thread::sleep(INTERVAL);
    }
}

/// The process group of a command.
#[cfg(unix)]
mod group {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    pub(super) const SIGNALS: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

    pub(super) fn lead(command: &mut Command) {
        command.process_group(0);
    }

    /// Whether the leader has ended. It is not waited for, so that no other group can get its number before [`kill`].
    pub(super) fn has_ended(child: &Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
    }

    pub(super) fn kill(child: &mut Child) {
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
}

/// A command by itself.
#[cfg(windows)]
mod group {
    use std::process::{Child, Command};

    use signal_hook::consts::{SIGINT, SIGTERM};

    pub(super) const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

    pub(super) fn lead(_: &mut Command) {}

    pub(super) fn has_ended(child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }

    pub(super) fn kill(child: &mut Child) {
        let _ = child.kill();
    }
}

/// Runs a function in a detached thread.
fn in_thread(read: impl FnOnce() -> Vec<u8> + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(read()));
    receiver
}

/// Reads to the end, but at most one byte more than `limit`.
fn read_start(pipe: impl Read, limit: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.take(limit as u64 + 1).read_to_end(&mut bytes);
    bytes
}

/// Reads to the end, and keeps the last bytes.
fn read_end(mut pipe: impl Read) -> Vec<u8> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; STDERR_LIMIT]);
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
        bytes.drain(..bytes.len().saturating_sub(STDERR_LIMIT));
    }
    bytes
}
