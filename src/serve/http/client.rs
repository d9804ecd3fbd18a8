//! One client of the door: what it has sent, what it gets, and how far along that is.

#![expect(clippy::disallowed_methods, reason = "an answer has a date")]

use std::io;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use rustix::net::sockopt::set_socket_linger;

use super::answer::{Answer, Body};
use super::handoff::{Handed, Handoff, Ticket};
use super::head::{HEAD_LIMIT, Request, Scan, scan};
use super::limits::Limits;
use super::outgoing::Outgoing;
use super::respond::is_for_stream;

/// How much is read at once.
const CHUNK: usize = 16 * 1024;
/// How much of an event stream may wait for its client.
const STREAM_LIMIT: usize = 64 * 1024;
/// How many times a request is taken to `tiny_http`, which may end meanwhile.
const TRIES: u8 = 3;
/// How long the connection to `tiny_http` may take, which is on this machine and waits for connections.
const CONNECT: Duration = Duration::from_millis(250);

/// A connection of a client.
#[derive(Debug)]
pub(super) struct Client {
    stream: TcpStream,
    phase: Phase,
    /// When the phase began, or went on.
    since: Instant,
    /// What it has sent and is not yet looked at.
    input: Vec<u8>,
    /// It will send no more.
    is_ended: bool,
    /// It will ask again after this answer.
    keep: bool,
    request: Option<Request>,
    /// How often the request was given to a `tiny_http` that ended.
    tries: u8,
    inner: Option<Inner>,
    outgoing: Outgoing,
}

/// How far along a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// No byte of a request is there.
    Idle,
    /// Part of a head is there.
    Head,
    /// A request waits for its answer.
    Waiting,
    /// An answer is being written.
    Sending,
    /// An event stream is open.
    Streaming,
    /// All is written; the client may still be sending, and would lose the answer if it were cut at once.
    Parting,
}

/// Whether a connection goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Fate {
    /// It does.
    Stays,
    /// It has a request, which wants a place at `tiny_http`.
    Asks,
    /// It is to be dropped.
    Goes,
}

/// The connection to `tiny_http` for one request.
#[derive(Debug)]
struct Inner {
    stream: TcpStream,
    ticket: Ticket,
    unsent: Vec<u8>,
    received: Vec<u8>,
}

impl Client {
    /// A connection that was just accepted.
    pub(super) fn new(stream: TcpStream, now: Instant) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            phase: Phase::Idle,
            since: now,
            input: Vec::new(),
            is_ended: false,
            keep: false,
            request: None,
            tries: 0,
            inner: None,
            outgoing: Outgoing::default(),
        })
    }

    /// The client's socket.
    pub(super) fn socket(&self) -> &TcpStream {
        &self.stream
    }

    /// The socket to `tiny_http`, if there is one, and whether something waits to be written to it.
    pub(super) fn inner_socket(&self) -> Option<(&TcpStream, bool)> {
        self.inner.as_ref().map(|inner| (&inner.stream, !inner.unsent.is_empty()))
    }

    /// How far along it is.
    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// Since when it is so.
    pub(super) fn since(&self) -> Instant {
        self.since
    }

    /// Whether there is room for what it sends.
    pub(super) fn reads(&self) -> bool {
        !self.is_ended && (self.phase == Phase::Parting || self.input.len() < HEAD_LIMIT)
    }

    /// Whether something is there for it.
    pub(super) fn writes(&self) -> bool {
        self.outgoing.waiting() > 0
    }

    /// Whether it has, or waits for, an event stream.
    pub(super) fn is_stream(&self) -> bool {
        self.request.as_ref().is_some_and(is_for_stream)
    }

    /// When its patience, or ours, ends.
    pub(super) fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let limit = match self.phase {
            Phase::Idle => limits.idle,
            Phase::Head => limits.head,
            Phase::Waiting => limits.answer,
            Phase::Sending => limits.stall,
            Phase::Streaming if self.writes() => limits.stall,
            Phase::Streaming => return None,
            Phase::Parting => limits.parting,
        };
        Some(self.since + limit)
    }

    /// Its deadline is over.
    pub(super) fn expire(&mut self, now: Instant) -> Fate {
        match self.phase {
            Phase::Head => self.refuse(&Answer::refusal(408, "The request did not become whole in time."), now),
            Phase::Waiting => self.refuse(&Answer::busy(), now),
            _ => Fate::Goes,
        }
    }

    /// Reads what the client sent.
    pub(super) fn read(&mut self, now: Instant) -> Fate {
        let mut chunk = [0; CHUNK];
        let room = if self.phase == Phase::Parting { CHUNK } else { HEAD_LIMIT.saturating_sub(self.input.len()) };
        match self.stream.read(&mut chunk[..room.min(CHUNK)]) {
            Ok(0) => {
                self.is_ended = true;
                // Half a connection can take an answer, but an event stream whose tab is closed looks just so.
                if self.writes() && self.phase != Phase::Streaming || self.phase == Phase::Waiting && !self.is_stream()
                {
                    return Fate::Stays;
                }
                Fate::Goes
            }
            Ok(_) if self.phase == Phase::Parting => Fate::Stays,
            Ok(length) => {
                self.input.extend_from_slice(&chunk[..length]);
                self.advance(now)
            }
            Err(error) => unless_blocked(&error),
        }
    }

    /// Writes what waits for the client.
    pub(super) fn write(&mut self, now: Instant) -> Fate {
        if self.outgoing.waiting() > 0 {
            // Once, as much as the system takes: a client that reads fast must not keep the door from the others.
            match self.outgoing.write_to(&self.stream) {
                Ok(0) => return Fate::Goes,
                Ok(_) => self.since = now,
                Err(error) => return unless_blocked(&error),
            }
        }
        match self.phase {
            _ if self.outgoing.waiting() > 0 => Fate::Stays,
            Phase::Sending if self.keep => {
                self.begin(Phase::Idle, now);
                self.advance(now)
            }
            Phase::Sending => {
                self.begin(Phase::Parting, now);
                match self.stream.shutdown(Shutdown::Write) {
                    Ok(()) if !self.is_ended => Fate::Stays,
                    _ => Fate::Goes,
                }
            }
            _ => Fate::Stays,
        }
    }

    /// Looks at what was sent, unless an earlier request is not yet answered.
    fn advance(&mut self, now: Instant) -> Fate {
        if !matches!(self.phase, Phase::Idle | Phase::Head) {
            return Fate::Stays;
        }
        match scan(&self.input) {
            Scan::Partial if self.is_ended => Fate::Goes,
            Scan::Partial => {
                if self.phase == Phase::Idle && !self.input.is_empty() {
                    self.begin(Phase::Head, now);
                }
                Fate::Stays
            }
            Scan::Whole { request, keep, length } => {
                self.input.drain(..length);
                (self.request, self.keep, self.tries) = (Some(request), keep, 0);
                self.begin(Phase::Waiting, now);
                Fate::Asks
            }
            Scan::Refused(answer) => self.refuse(&answer, now),
        }
    }

    /// Answers in `tiny_http`'s place, after which the connection ends.
    pub(super) fn refuse(&mut self, answer: &Answer, now: Instant) -> Fate {
        let is_head = self.request.take().is_some_and(|request| request.method == "HEAD");
        self.keep = false;
        self.input.clear();
        let answer = Answer { is_head, ..answer.clone() };
        self.answer(answer.head(SystemTime::now()), answer.sent_body(), now)
    }

    fn answer(&mut self, head: Vec<u8>, body: Option<Body>, now: Instant) -> Fate {
        self.inner = None;
        self.request = None;
        self.outgoing.set(head, body);
        self.begin(Phase::Sending, now);
        self.write(now)
    }

    fn begin(&mut self, phase: Phase, now: Instant) {
        self.phase = phase;
        self.since = now;
    }

    /// Takes the request to `tiny_http`.
    ///
    /// # Errors
    /// It does not listen any more, or the system has no more descriptors. The request waits as before.
    pub(super) fn ask(&mut self, address: SocketAddr, handoff: &Arc<Handoff>, now: Instant) -> io::Result<Fate> {
        let Some(request) = &self.request else { return Ok(Fate::Stays) };
        let stream = TcpStream::connect_timeout(&address, CONNECT)?;
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let ticket = handoff.open(stream.local_addr()?);
        let unsent = request.to_bytes(&ticket.number().to_string());
        self.inner = Some(Inner { stream, ticket, unsent, received: Vec::new() });
        Ok(self.relay(now))
    }

    /// Writes the request to `tiny_http`, and reads its answer as far as it is there.
    pub(super) fn relay(&mut self, now: Instant) -> Fate {
        let Some(inner) = &mut self.inner else { return Fate::Stays };
        let is_open = inner.exchange();
        match inner.ticket.handed() {
            Handed::Answer(length, body) if inner.received.len() >= length => {
                let head = std::mem::take(&mut inner.received);
                self.answer(head, body, now)
            }
            Handed::Stream => {
                let received = std::mem::take(&mut inner.received);
                self.stream_on(&received, is_open, now)
            }
            _ if is_open => Fate::Stays,
            _ => self.again(now),
        }
    }

    fn stream_on(&mut self, received: &[u8], is_open: bool, now: Instant) -> Fate {
        if self.phase != Phase::Streaming {
            self.begin(Phase::Streaming, now);
        }
        if !self.writes() {
            self.since = now;
        }
        self.outgoing.push(received);
        match self.write(now) {
            Fate::Stays if is_open && self.outgoing.waiting() <= STREAM_LIMIT => Fate::Stays,
            _ => Fate::Goes,
        }
    }

    /// `tiny_http` ended before it answered: another may.
    fn again(&mut self, now: Instant) -> Fate {
        self.inner = None;
        self.tries += 1;
        match self.tries {
            1..TRIES => Fate::Asks,
            _ => self.refuse(&Answer::refusal(500, "The preview's server failed at this request."), now),
        }
    }
}

impl Inner {
    /// Says whether the connection is still open.
    fn exchange(&mut self) -> bool {
        while !self.unsent.is_empty() {
            match (&self.stream).write(&self.unsent) {
                Ok(length) => drop(self.unsent.drain(..length)),
                Err(error) => return is_blocked(&error),
            }
        }
        let mut chunk = [0; CHUNK];
        match (&self.stream).read(&mut chunk) {
            Ok(0) => false,
            Ok(length) => {
                if self.received.is_empty() {
                    // Closed without a farewell, it leaves no port behind that is blocked for a minute. Not before it is
                    // answered: `tiny_http` panics at a connection that broke before it was accepted.
                    let _ = set_socket_linger(&self.stream, Some(Duration::ZERO));
                }
                self.received.extend_from_slice(&chunk[..length]);
                true
            }
            Err(error) => is_blocked(&error),
        }
    }
}

fn is_blocked(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn unless_blocked(error: &io::Error) -> Fate {
    if is_blocked(error) { Fate::Stays } else { Fate::Goes }
}
