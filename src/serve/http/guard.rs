//! The guard: one thread that accepts clients, and one thread per client, whose number is limited.

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::Service;
use super::respond::busy;
use crate::serve::lock;

/// How many connections are closed when the system has no descriptor left.
const CLOSE_BATCH: usize = 8;

/// Accepts connections until the other end of `stop` is closed, and ends all of them then.
pub(super) fn run(listeners: &[TcpListener], stop: &TcpStream, service: &Arc<Service>) {
    for id in 0.. {
        let mut ready = vec![PollFd::new(stop, PollFlags::IN)];
        ready.extend(listeners.iter().map(|listener| PollFd::new(listener, PollFlags::IN)));
        if poll(&mut ready, None).is_err_and(|error| error != Errno::INTR) {
            // The system is short of memory; try again later.
            thread::sleep(service.limits.retry_delay);
        }
        if !ready[0].revents().is_empty() {
            break;
        }
        for (index, listener) in listeners.iter().enumerate() {
            match listener.accept() {
                Ok((socket, _)) => admit(id * listeners.len() + index, socket, service),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::ConnectionAborted) => {}
                // There is usually no descriptor left.
                Err(_) => {
                    service.connections.close_idle(CLOSE_BATCH);
                    thread::sleep(service.limits.retry_delay);
                }
            }
        }
    }
    service.connections.close_all();
}

/// Serves a client in a thread of its own, or tells it to come again.
fn admit(id: usize, socket: TcpStream, service: &Arc<Service>) {
    let (socket, client) = (Arc::new(socket), Arc::clone(service));
    let has_room = service.connections.add(id, &socket, service.limits.max_connections);
    let own = Arc::clone(&socket);
    let serve = move || {
        // It is not an error if the client leaves early.
        let _ = client.serve(&own, id);
        client.connections.remove(id);
    };
    if !has_room || thread::Builder::new().name("client".to_owned()).spawn(serve).is_err() {
        service.connections.remove(id);
        // Bytes that the client does not take at once are lost.
        let _ = socket
            .set_nonblocking(true)
            .and_then(|()| service.send(&socket, busy("The preview has too many requests"), false));
    }
}

/// The open connections, oldest first.
#[derive(Debug, Default)]
pub(super) struct Connections(Mutex<BTreeMap<usize, Connection>>);

#[derive(Debug)]
struct Connection {
    socket: Arc<TcpStream>,
    /// Whether it has no complete request, or all of its response.
    is_idle: bool,
}

impl Connections {
    /// Adds a connection if there are fewer than `most`, or if an idle one can be closed for it. Returns whether it is added.
    fn add(&self, id: usize, socket: &Arc<TcpStream>, most: usize) -> bool {
        if lock(&self.0).len() >= most {
            self.close_idle(1);
        }
        let mut open = lock(&self.0);
        let has_room = open.len() < most;
        if has_room {
            open.insert(id, Connection { socket: Arc::clone(socket), is_idle: true });
        }
        has_room
    }

    /// Notes whether a connection is idle. Returns `false` if it has been closed.
    pub(super) fn set_idle(&self, id: usize, is_idle: bool) -> bool {
        lock(&self.0).get_mut(&id).map(|connection| connection.is_idle = is_idle).is_some()
    }

    fn remove(&self, id: usize) {
        lock(&self.0).remove(&id);
    }

    /// Closes idle connections, oldest first, at most as many as given. Their threads end by themselves.
    fn close_idle(&self, mut count: usize) {
        lock(&self.0).retain(|_, connection| {
            let is_closed = connection.is_idle && count > 0;
            if is_closed {
                count -= 1;
                let _ = connection.socket.shutdown(Shutdown::Both);
            }
            !is_closed
        });
    }

    fn close_all(&self) {
        for connection in std::mem::take(&mut *lock(&self.0)).into_values() {
            let _ = connection.socket.shutdown(Shutdown::Both);
        }
    }
}
