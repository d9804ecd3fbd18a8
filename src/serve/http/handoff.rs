//! What the door and the handlers know of the connections between them.
//!
//! A request comes to its handler through `tiny_http`, and the answer's head goes back so. The body does not: the handler
//! gives it here, and the door writes it from memory, so that a handler never waits for a client. It also tells the
//! door's own connections, the only ones that are answered, from those of anyone who found `tiny_http`'s port.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::answer::Body;

/// All connections between the door and the handlers.
#[derive(Debug, Default)]
pub(super) struct Handoff {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    open: BTreeMap<u64, Passage>,
}

#[derive(Debug)]
struct Passage {
    /// The door's end of the connection.
    from: SocketAddr,
    handed: Handed,
}

/// What a handler has said about an answer, before it writes the head.
#[derive(Debug, Clone)]
pub(super) enum Handed {
    /// Nothing so far.
    Nothing,
    /// The head's length in bytes, and the body.
    Answer(usize, Option<Body>),
    /// It is a stream: all that is written is passed on.
    Stream,
}

impl Handoff {
    /// Opens a passage for the connection that comes from the address `from`. It is closed when the ticket is dropped.
    pub(super) fn open(self: &Arc<Self>, from: SocketAddr) -> Ticket {
        let mut inner = self.lock();
        inner.next += 1;
        let number = inner.next;
        inner.open.insert(number, Passage { from, handed: Handed::Nothing });
        Ticket { number, handoff: Arc::clone(self) }
    }

    /// Whether a passage is open, and belongs to the connection from that address.
    pub(super) fn is_of(&self, number: u64, from: SocketAddr) -> bool {
        self.lock().open.get(&number).is_some_and(|passage| passage.from == from)
    }

    /// Whether a passage is open.
    pub(super) fn is_open(&self, number: u64) -> bool {
        self.lock().open.contains_key(&number)
    }

    /// Says what follows; of a passage that has been closed, nothing.
    pub(super) fn hand(&self, number: u64, handed: Handed) {
        if let Some(passage) = self.lock().open.get_mut(&number) {
            passage.handed = handed;
        }
    }

    /// No step leaves it half changed, so that a handler's panic does not matter.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The door's hold on a passage.
#[derive(Debug)]
pub(super) struct Ticket {
    number: u64,
    handoff: Arc<Handoff>,
}

impl Ticket {
    /// The passage's number, which no other has had.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// What has been handed over.
    pub(super) fn handed(&self) -> Handed {
        self.handoff.lock().open.get(&self.number).map_or(Handed::Nothing, |passage| passage.handed.clone())
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.handoff.lock().open.remove(&self.number);
    }
}
