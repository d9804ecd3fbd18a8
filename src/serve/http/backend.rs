//! `tiny_http` behind the door: it reads requests, a few handlers answer them. When it ends, the door starts another.

#![expect(clippy::disallowed_methods, reason = "an answer has a date")]

use std::io;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, SystemTime};

use rustix::net::sockopt::set_tcp_nodelay;

use super::Site;
use super::answer::Answer;
use super::events::{self, Message, Subscriber};
use super::handoff::{Handed, Handoff};
use super::head::{PASSAGE, Request};
use super::names::Names;
use super::respond::{Response, respond};

/// How many requests are answered at once. Answers come from memory.
const HANDLERS: usize = 4;

/// What handlers need; it outlives a `tiny_http` that ended.
pub(super) struct Service {
    site: Arc<dyn Site>,
    names: Names,
    handoff: Arc<Handoff>,
    events: Sender<Message>,
}

impl Service {
    /// Starts the broadcaster of events.
    pub(super) fn start(site: Arc<dyn Site>, names: Names, ping: Duration) -> io::Result<Self> {
        let handoff = Arc::new(Handoff::default());
        let events = events::start(Arc::clone(&site), Arc::clone(&handoff), ping)?;
        Ok(Self { site, names, handoff, events })
    }

    /// Where changes are told.
    pub(super) fn events(&self) -> Sender<Message> {
        self.events.clone()
    }

    /// The connections between the door and the handlers.
    pub(super) fn handoff(&self) -> &Arc<Handoff> {
        &self.handoff
    }
}

/// A running `tiny_http` with its handlers. They end when it is dropped.
pub(super) struct Backend {
    server: Arc<tiny_http::Server>,
    address: SocketAddr,
}

impl Backend {
    /// Listens on a free port of this machine's own address.
    pub(super) fn start(service: &Arc<Service>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        // Its connections inherit it: two events in a row do not wait for one another.
        set_tcp_nodelay(&listener, true)?;
        let address = listener.local_addr()?;
        let server = tiny_http::Server::from_listener(listener, None).map_err(io::Error::other)?;
        let backend = Self { server: Arc::new(server), address };
        for _ in 0..HANDLERS {
            let (server, service) = (Arc::clone(&backend.server), Arc::clone(service));
            std::thread::Builder::new().name("handler".to_owned()).spawn(move || {
                while let Ok(request) = server.recv() {
                    handle(&service, request);
                }
            })?;
        }
        Ok(backend)
    }

    /// Where the door connects to. A `tiny_http` that has ended refuses that.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        for _ in 0..HANDLERS {
            self.server.unblock();
        }
    }
}

fn handle(service: &Service, request: tiny_http::Request) {
    let from = request.remote_addr().copied();
    let (passage, asked) = read(&request);
    let is_ours = |passage: &u64| from.is_some_and(|from| service.handoff.is_of(*passage, from));
    let Some(passage) = passage.filter(is_ours) else {
        refuse(request);
        return;
    };
    let mut writer = request.into_writer();
    let response = catch_unwind(AssertUnwindSafe(|| respond(&asked, &*service.site, &service.names)));
    match response {
        Ok(Response::Stream) => {
            service.handoff.hand(passage, Handed::Stream);
            // A broadcaster that is gone drops the stream.
            let _ = service.events.send(Message::Subscribed(Subscriber { writer, passage }));
        }
        Ok(Response::Answer(answer)) => send(service, passage, answer, &mut *writer),
        Err(_) => {
            let answer = Answer::text(500, "The preview failed at this page; its terminal says more.");
            send(service, passage, answer, &mut *writer);
        }
    }
}

/// Someone found this port.
fn refuse(request: tiny_http::Request) {
    if request.body_length().is_some_and(|length| length > 0) {
        // Whoever lets go of it waits for its body, in memory as large as it claims to be, of which there may be none.
        std::mem::forget(request);
        return;
    }
    // Whether he takes the answer is his affair.
    let _ = request.respond(tiny_http::Response::empty(403));
}

/// The passage that a request came by, and what it asks for.
fn read(request: &tiny_http::Request) -> (Option<u64>, Request) {
    let headers = request.headers().iter();
    let headers = headers.map(|header| (header.field.as_str().as_str().to_ascii_lowercase(), header.value.to_string()));
    let asked = Request {
        method: request.method().as_str().to_owned(),
        target: request.url().to_owned(),
        headers: headers.collect(),
    };
    (asked.headers.get(PASSAGE).and_then(|number| number.parse().ok()), asked)
}

fn send(service: &Service, passage: u64, answer: Answer, writer: &mut dyn Write) {
    let head = answer.head(SystemTime::now());
    service.handoff.hand(passage, Handed::Answer(head.len(), answer.sent_body()));
    // The door sees for itself when a connection breaks.
    let _ = writer.write_all(&head).and_then(|()| writer.flush());
}
