//! The door: one thread between all clients and `tiny_http`. No call in it waits, but for the system to say what is ready.
//!
//! A client's connection costs a descriptor and its buffers, not a thread. Only a whole and well-formed request gets a
//! connection to `tiny_http`, for as long as the answer's head takes; when there are too many, requests wait here.

#![expect(clippy::disallowed_methods, reason = "clients are cut after a time")]

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::answer::Answer;
use super::backend::{Backend, Service};
use super::client::{Client, Fate, Phase};
use super::limits::Limits;

/// How many connections are accepted in a turn, so that those that are open get theirs.
const TURN: usize = 64;
/// How many connections are cut when the system has no descriptor left: `tiny_http` needs some, too.
const RELIEF: usize = 8;

/// What the system was asked about.
#[derive(Debug, Clone, Copy)]
enum Source {
    Closed,
    Listener(usize),
    Client(u64),
    Inner(u64),
}

/// All connections, and what they wait for.
pub(super) struct Door {
    listeners: Vec<TcpListener>,
    /// Closed at its other end when the server stops.
    closed: io::PipeReader,
    service: Arc<Service>,
    backend: Option<Backend>,
    limits: Limits,
    clients: BTreeMap<u64, Client>,
    next: u64,
    /// Clients with a request that has no connection to `tiny_http` yet.
    queue: VecDeque<u64>,
    /// Until when nothing is accepted, since that failed.
    accept_from: Instant,
    /// Until when no request is taken to `tiny_http`, since that failed.
    ask_from: Instant,
}

impl Door {
    /// A door at some listeners, which stays until the other end of `closed` is dropped.
    pub(super) fn new(
        listeners: Vec<TcpListener>,
        closed: io::PipeReader,
        service: Arc<Service>,
        limits: Limits,
    ) -> io::Result<Self> {
        for listener in &listeners {
            listener.set_nonblocking(true)?;
        }
        let backend = Some(Backend::start(&service)?);
        let now = Instant::now();
        Ok(Self {
            listeners,
            closed,
            service,
            backend,
            limits,
            clients: BTreeMap::new(),
            next: 0,
            queue: VecDeque::new(),
            accept_from: now,
            ask_from: now,
        })
    }

    /// Serves until the server stops.
    pub(super) fn run(mut self) {
        loop {
            let ready = self.wait();
            let now = Instant::now();
            for (source, flags) in ready {
                match source {
                    Source::Closed => return,
                    Source::Listener(index) => self.welcome(index, now),
                    Source::Client(id) => self.serve(id, flags, now),
                    Source::Inner(id) => self.with(id, |client| client.relay(now)),
                }
            }
            self.expire(now);
            self.ask(now);
        }
    }

    /// Waits until something is ready or someone's time is over.
    fn wait(&self) -> Vec<(Source, PollFlags)> {
        let now = Instant::now();
        let (sources, mut fds): (Vec<Source>, Vec<PollFd<'_>>) = self.interests(now).into_iter().unzip();
        let left = self.deadline(now).map(|deadline| deadline.saturating_duration_since(now));
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let ready = poll(&mut fds, timeout.as_ref()).unwrap_or_else(|error| {
            if error != Errno::INTR {
                // Short of memory: the next turn asks again.
                std::thread::sleep(self.limits.pause);
            }
            0
        });
        let found = sources.into_iter().zip(fds.iter().map(PollFd::revents));
        if ready == 0 { Vec::new() } else { found.filter(|(_, flags)| !flags.is_empty()).collect() }
    }

    fn interests(&self, now: Instant) -> Vec<(Source, PollFd<'_>)> {
        let mut interests = vec![(Source::Closed, PollFd::new(&self.closed, PollFlags::IN))];
        if now >= self.accept_from {
            let listeners = self.listeners.iter().enumerate();
            interests
                .extend(listeners.map(|(i, listener)| (Source::Listener(i), PollFd::new(listener, PollFlags::IN))));
        }
        for (&id, client) in &self.clients {
            interests.push((Source::Client(id), interest(client.socket(), client.reads(), client.writes())));
            if let Some((socket, writes)) = client.inner_socket() {
                interests.push((Source::Inner(id), interest(socket, true, writes)));
            }
        }
        interests
    }

    /// When something is due though nothing is ready.
    fn deadline(&self, now: Instant) -> Option<Instant> {
        let clients = self.clients.values().filter_map(|client| client.deadline(&self.limits));
        let queue = Some(self.ask_from).filter(|&from| !self.queue.is_empty() && from > now);
        clients.chain(Some(self.accept_from).filter(|&from| from > now)).chain(queue).min()
    }

    fn welcome(&mut self, index: usize, now: Instant) {
        for _ in 0..TURN {
            let Some(listener) = self.listeners.get(index) else { return };
            match listener.accept() {
                Ok((stream, _)) => self.admit(stream, now),
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return,
                    io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted => {}
                    _ => {
                        self.cut_idle(RELIEF);
                        self.accept_from = now + self.limits.pause;
                        return;
                    }
                },
            }
        }
    }

    fn admit(&mut self, stream: TcpStream, now: Instant) {
        if self.clients.len() >= self.limits.clients {
            self.cut_idle(1);
        }
        if self.clients.len() >= self.limits.clients {
            turn_away(&stream);
            return;
        }
        // One that cannot be set up is gone already.
        if let Ok(client) = Client::new(stream, now) {
            self.next += 1;
            self.clients.insert(self.next, client);
        }
    }

    /// Drops connections without a whole request, those first that have been so for the longest.
    fn cut_idle(&mut self, count: usize) {
        let is_idle = |client: &Client| matches!(client.phase(), Phase::Idle | Phase::Head | Phase::Parting);
        let clients = self.clients.iter().filter(|(_, client)| is_idle(client));
        let mut idle: Vec<(Instant, u64)> = clients.map(|(&id, client)| (client.since(), id)).collect();
        idle.sort_unstable();
        for (_, id) in idle.into_iter().take(count) {
            self.clients.remove(&id);
        }
    }

    fn serve(&mut self, id: u64, flags: PollFlags, now: Instant) {
        if flags.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL) {
            self.clients.remove(&id);
            return;
        }
        if flags.contains(PollFlags::IN) {
            self.with(id, |client| client.read(now));
        }
        if flags.contains(PollFlags::OUT) {
            self.with(id, |client| client.write(now));
        }
    }

    fn with(&mut self, id: u64, act: impl FnOnce(&mut Client) -> Fate) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        // What goes wrong with one client is the end of that one.
        let fate = catch_unwind(AssertUnwindSafe(|| act(client))).unwrap_or(Fate::Goes);
        match fate {
            Fate::Stays => {}
            Fate::Asks => self.queue.push_back(id),
            Fate::Goes => {
                self.clients.remove(&id);
            }
        }
    }

    fn expire(&mut self, now: Instant) {
        let limits = &self.limits;
        let is_over = |client: &Client| client.deadline(limits).is_some_and(|deadline| deadline <= now);
        let over: Vec<u64> = self.clients.iter().filter(|(_, c)| is_over(c)).map(|(&id, _)| id).collect();
        for id in over {
            self.with(id, |client| client.expire(now));
        }
    }

    /// Takes requests to `tiny_http` while there is room for them.
    fn ask(&mut self, now: Instant) {
        while now >= self.ask_from {
            let Some(&id) = self.queue.front() else { return };
            let is_stream = match self.clients.get(&id) {
                Some(client) if client.phase() == Phase::Waiting => client.is_stream(),
                // Cut meanwhile, or answered.
                _ => {
                    self.queue.pop_front();
                    continue;
                }
            };
            let taken = |c: &&Client| c.inner_socket().is_some() && c.is_stream() == is_stream;
            let taken = self.clients.values().filter(taken).count();
            if is_stream && taken >= self.limits.streams {
                self.queue.pop_front();
                self.with(id, |client| client.refuse(&Answer::busy(), now));
            } else if taken >= self.limits.requests {
                return;
            } else if let Err(error) = self.ask_for(id, now) {
                if error.kind() == io::ErrorKind::ConnectionRefused {
                    self.backend = None;
                }
                // As a rule, here or at `tiny_http`, descriptors are short.
                self.cut_idle(RELIEF);
                self.ask_from = now + self.limits.pause;
            }
        }
    }

    /// Takes the request at the queue's front to `tiny_http`, which is started anew where it had ended. Where that fails,
    /// the request stays at the front.
    fn ask_for(&mut self, id: u64, now: Instant) -> io::Result<()> {
        let backend = match self.backend.take() {
            Some(backend) => backend,
            None => Backend::start(&self.service)?,
        };
        let address = self.backend.insert(backend).address();
        let handoff = Arc::clone(self.service.handoff());
        self.queue.pop_front();
        let mut asked = Ok(());
        self.with(id, |client| {
            client.ask(address, &handoff, now).unwrap_or_else(|error| {
                asked = Err(error);
                Fate::Stays
            })
        });
        if asked.is_err() {
            self.queue.push_front(id);
        }
        asked
    }
}

fn interest(socket: &impl AsFd, reads: bool, writes: bool) -> PollFd<'_> {
    let mut flags = PollFlags::empty();
    flags.set(PollFlags::IN, reads);
    flags.set(PollFlags::OUT, writes);
    PollFd::new(socket, flags)
}

/// Says that there are too many connections, as far as that goes without waiting.
fn turn_away(mut stream: &TcpStream) {
    let answer = Answer::busy();
    let mut bytes = answer.head(SystemTime::now());
    bytes.extend_from_slice(answer.body.as_ref().map(AsRef::as_ref).unwrap_or_default());
    if stream.set_nonblocking(true).is_ok() {
        // What it does not take is lost with the connection.
        let _ = stream.write(&bytes);
    }
}
