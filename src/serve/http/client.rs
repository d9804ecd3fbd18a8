//! One client of the guard: its request on the way to `tiny_http`, and the answer on the way back.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::net::sockopt::set_socket_linger;

use super::head::{Head, busy, refusal};
use super::limits::Limits;

/// How much is read at once, and how much of an answer waits for its client.
const CHUNK: usize = 16 * 1024;
/// How much a client may send after its head, which is ignored, before nothing more is read.
const IGNORED: usize = 1024 * 1024;

/// A client's connection, which serves one request.
#[derive(Debug)]
pub(super) struct Client {
    socket: TcpStream,
    pub(super) stage: Stage,
    /// When the stage has taken too long.
    pub(super) deadline: Instant,
    limits: Limits,
    head: Head,
    /// The connection to `tiny_http`, as long as it answers.
    backend: Option<TcpStream>,
    /// Bytes on their way to the client.
    pending: Vec<u8>,
    /// The client will send no more; it may still take an answer.
    is_half_closed: bool,
    /// How many bytes it has sent after the head.
    ignored: usize,
}

/// How far along a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The head is not complete.
    Head,
    /// The request waits for a place at `tiny_http`.
    Queued,
    /// `tiny_http` has the request.
    Asked,
    /// The answer is being passed on.
    Answer,
    /// Everything is written. A client that is still sending would lose the answer if it were cut at once.
    Closing,
}

impl Client {
    /// Takes over a connection that was just accepted.
    pub(super) fn new(socket: TcpStream, now: Instant, limits: Limits) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        socket.set_nodelay(true)?;
        Ok(Self {
            socket,
            stage: Stage::Head,
            deadline: now + limits.idle,
            limits,
            head: Head::default(),
            backend: None,
            pending: Vec::new(),
            is_half_closed: false,
            ignored: 0,
        })
    }

    /// Whether it takes one of the places at `tiny_http`.
    pub(super) fn is_busy(&self) -> bool {
        self.backend.is_some()
    }

    /// Returns what to ask the system about the client's socket.
    pub(super) fn interest(&self) -> PollFd<'_> {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, !self.is_half_closed && self.ignored < IGNORED);
        flags.set(PollFlags::OUT, !self.pending.is_empty());
        PollFd::new(&self.socket, flags)
    }

    /// Returns what to ask about the connection to `tiny_http`, while there is room for more of the answer.
    pub(super) fn backend_interest(&self) -> Option<PollFd<'_>> {
        self.backend.as_ref().filter(|_| self.pending.is_empty()).map(|backend| PollFd::new(backend, PollFlags::IN))
    }

    /// Does what is possible without waiting; `backend` is what the system says of the connection to `tiny_http`.
    ///
    /// # Errors
    /// The connection is over.
    pub(super) fn advance(&mut self, client: PollFlags, backend: PollFlags, now: Instant) -> io::Result<()> {
        if client.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL) {
            return Err(over());
        }
        let is_blocked = !self.pending.is_empty() && !client.contains(PollFlags::OUT);
        if client.contains(PollFlags::IN) {
            self.receive(now)?;
        }
        if !backend.is_empty() {
            self.relay(now)?;
        }
        if !self.pending.is_empty() && !is_blocked {
            self.send(now)?;
        }
        if now < self.deadline { Ok(()) } else { self.expire(now) }
    }

    /// Gives the head to `ask`, which returns a connection on which the answer comes.
    ///
    /// # Errors
    /// The request stays in the queue.
    pub(super) fn ask(&mut self, ask: impl FnOnce(&Head) -> io::Result<TcpStream>) -> io::Result<()> {
        self.backend = Some(ask(&self.head)?);
        self.stage = Stage::Asked;
        Ok(())
    }

    fn receive(&mut self, now: Instant) -> io::Result<()> {
        let mut chunk = [0; CHUNK];
        let Some(length) = unless_blocked(self.socket.read(&mut chunk))? else { return Ok(()) };
        match self.stage {
            Stage::Head | Stage::Closing if length == 0 => return Err(over()),
            Stage::Head => {
                let was_empty = self.head.is_empty();
                match self.head.push(&chunk[..length]) {
                    Ok(true) => (self.stage, self.deadline) = (Stage::Queued, now + self.limits.answer),
                    Ok(false) if was_empty => self.deadline = now + self.limits.head,
                    Ok(false) => {}
                    Err(answer) => self.refuse(answer, now),
                }
            }
            _ if length == 0 => {
                self.is_half_closed = true;
                if self.stage == Stage::Answer {
                    self.progress(now);
                }
            }
            _ => self.ignored += length,
        }
        Ok(())
    }

    /// Reads more of the answer; called when all earlier bytes are written.
    fn relay(&mut self, now: Instant) -> io::Result<()> {
        let Some(backend) = &mut self.backend else { return Ok(()) };
        let mut chunk = [0; CHUNK];
        match unless_blocked(backend.read(&mut chunk)) {
            Ok(None) => return Ok(()),
            Ok(Some(length)) if length > 0 => {
                self.pending.extend_from_slice(&chunk[..length]);
                if self.stage == Stage::Asked {
                    self.stage = Stage::Answer;
                    // It leaves no port behind that is blocked for a minute. Not earlier: `tiny_http` panics at a
                    // connection that was reset before it was accepted.
                    let _ = set_socket_linger(backend, Some(Duration::ZERO));
                    // `tiny_http` never says so.
                    if let Some(end) = self.pending.windows(2).position(|pair| pair == b"\r\n") {
                        self.pending.splice(end..end, *b"\r\nConnection: close");
                    }
                }
                self.progress(now);
            }
            // `tiny_http` ended before it answered: another may.
            _ if self.stage == Stage::Asked => (self.backend, self.stage) = (None, Stage::Queued),
            _ => {
                self.backend = None;
                return self.close(now);
            }
        }
        Ok(())
    }

    fn send(&mut self, now: Instant) -> io::Result<()> {
        // Once, as much as the system takes: a client that reads fast must not keep the guard from the others.
        let Some(taken) = unless_blocked(self.socket.write(&self.pending))? else { return Ok(()) };
        self.pending.drain(..taken);
        self.progress(now);
        if self.pending.is_empty() && self.backend.is_none() { self.close(now) } else { Ok(()) }
    }

    /// Gives it time for the next bytes. A client that will send no more, and for which there is nothing, has probably
    /// left: the closed tab of an event stream looks like this.
    fn progress(&mut self, now: Instant) {
        let is_quiet = self.is_half_closed && self.pending.is_empty();
        self.deadline = now + if is_quiet { self.limits.parting } else { self.limits.stall };
    }

    fn close(&mut self, now: Instant) -> io::Result<()> {
        (self.stage, self.deadline) = (Stage::Closing, now + self.limits.parting);
        self.socket.shutdown(Shutdown::Write)?;
        if self.is_half_closed { Err(over()) } else { Ok(()) }
    }

    fn expire(&mut self, now: Instant) -> io::Result<()> {
        match self.stage {
            Stage::Head if !self.head.is_empty() => {
                let text = "The request did not become complete in time.";
                self.refuse(refusal("408 Request Timeout", text), now);
            }
            Stage::Queued | Stage::Asked => self.refuse(busy(), now),
            _ => return Err(over()),
        }
        Ok(())
    }

    /// Answers in the place of `tiny_http`.
    fn refuse(&mut self, answer: Vec<u8>, now: Instant) {
        (self.backend, self.stage, self.pending) = (None, Stage::Answer, answer);
        self.progress(now);
    }
}

fn over() -> io::Error {
    io::ErrorKind::ConnectionAborted.into()
}

fn unless_blocked(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
        other => other.map(Some),
    }
}
