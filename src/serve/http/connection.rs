//! A connection to a client, which serves one request: its head is received and the response sent, each within limits of time.

#![expect(clippy::disallowed_methods, reason = "connections have deadlines")]

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

use tiny_http::{HTTPVersion, Method};

use super::Service;
use super::events::{PING, event};
use super::head::{Head, Request};
use super::respond::{Reply, Response, busy, respond, text_response};

/// How many bytes are read at once.
const CHUNK: usize = 16 * 1024;
/// How many bytes a client may send after its head, which are ignored, before the connection is closed.
const IGNORED: usize = 1024 * 1024;
/// The headers of every response, whatever it is. Pages of other origins cannot embed it, neither as a script whose data they
/// could read, nor in a frame.
const HEADERS: &str = "Connection: close\r\nX-Content-Type-Options: nosniff\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: frame-ancestors 'self'";
/// What is added to them where an editor may show pages: the schemes of the windows of editors that are made like Visual
/// Studio Code.
const EDITOR_FRAMES: &str = " vscode-webview: vscode-file:";
/// The head of an event stream, to which [`HEADERS`] are added.
const EVENT_STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-store";

impl Service {
    /// Serves the request of a client.
    ///
    /// # Errors
    /// The client has left, or one of the limits has ended the connection.
    pub(super) fn serve(&self, socket: &TcpStream, id: usize) -> io::Result<()> {
        // Some systems hand down that the listener does not wait.
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
        // Once it has taken a part, the system waits anew, so it waits twice at most.
        socket.set_write_timeout(Some(self.limits.stall_timeout / 2))?;
        match self.receive(socket)? {
            Err(refusal) => self.send(socket, refusal, false)?,
            Ok(_) if !self.connections.set_idle(id, false) => return Ok(()),
            Ok(request) => {
                let is_head = request.method == Method::Head;
                match catch_unwind(AssertUnwindSafe(|| respond(&request, &*self.site, &self.hosts))) {
                    Ok(Reply::Response(response)) => self.send(socket, response, is_head)?,
                    Ok(Reply::EventStream) => self.stream(socket, is_head)?,
                    Err(_) => {
                        let text = "The preview failed to make this page; see its terminal.";
                        self.send(socket, text_response(500, text), is_head)?;
                    }
                }
                self.connections.set_idle(id, true);
            }
        }
        // If the connection were closed at once, a client that is still sending would lose the response.
        socket.shutdown(Shutdown::Write)?;
        let deadline = Instant::now() + self.limits.close_timeout;
        let (mut chunk, mut ignored) = ([0; CHUNK], 0);
        while ignored < IGNORED {
            match read(socket, &mut chunk, deadline)? {
                0 => break,
                length => ignored += length,
            }
        }
        Ok(())
    }

    /// Receives the head of a request. The inner error is the response to what is not a request.
    fn receive(&self, socket: &TcpStream) -> io::Result<Result<Request, Response>> {
        let (mut head, mut chunk) = (Head::default(), [0; CHUNK]);
        let mut deadline = Instant::now() + self.limits.idle;
        loop {
            let length = match read(socket, &mut chunk, deadline) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Err(error) if error.kind() == ErrorKind::TimedOut && !head.is_empty() => {
                    return Ok(Err(text_response(408, "The request was not complete in time.")));
                }
                length => length?,
            };
            if head.is_empty() {
                deadline = Instant::now() + self.limits.head;
            }
            if let Some(request) = head.push(&chunk[..length]).transpose() {
                return Ok(request);
            }
        }
    }

    /// Sends a response, of which `is_head` leaves out the body.
    ///
    /// # Errors
    /// The client has left, or takes nothing.
    pub(super) fn send(&self, mut socket: &TcpStream, response: Response, is_head: bool) -> io::Result<()> {
        let (status, headers) = (response.status_code(), response.headers().to_vec());
        let head = tiny_http::Response::new(status, headers, io::empty(), response.data_length(), None);
        let mut bytes = Vec::new();
        // With its length, however long it is.
        head.with_chunked_threshold(usize::MAX).raw_print(&mut bytes, HTTPVersion(1, 1), &[], true, None)?;
        bytes.truncate(bytes.len().saturating_sub("\r\n".len()));
        bytes.extend(self.common_headers().into_bytes());
        socket.write_all(&bytes)?;
        if !is_head && status != 304 {
            io::copy(&mut response.into_reader(), &mut socket)?;
        }
        Ok(())
    }

    /// Sends an event stream until the browser closes it.
    fn stream(&self, mut socket: &TcpStream, is_head: bool) -> io::Result<()> {
        let events = if is_head { None } else { self.streams.open() };
        if events.is_none() && !is_head {
            return self.send(socket, busy("There are too many event streams"), false);
        }
        socket.write_all(format!("{EVENT_STREAM}\r\n{}", self.common_headers()).as_bytes())?;
        let mut next = event(&*self.site, "");
        while let Some(events) = &events {
            socket.write_all(next.as_bytes())?;
            next = match events.recv_timeout(self.limits.ping) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => PING.to_owned(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
        }
        Ok(())
    }

    /// Returns [`HEADERS`] and the end of the head.
    fn common_headers(&self) -> String {
        format!("{HEADERS}{}\r\n\r\n", if self.hosts.in_editor { EDITOR_FRAMES } else { "" })
    }
}

/// Reads what has arrived, or waits until something does.
///
/// # Errors
/// The connection is broken, or nothing has arrived before `deadline`.
fn read(mut socket: &TcpStream, chunk: &mut [u8], deadline: Instant) -> io::Result<usize> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        socket.set_read_timeout(Some(left))?;
        match socket.read(chunk) {
            // Systems differ in what a time-out is called.
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            result => return result,
        }
    }
}
