//! What becomes of the bytes that a client sends, without a socket: for tests from outside of this room, which try any
//! bytes.

use std::net::SocketAddr;
use std::time::SystemTime;

use super::Site;
use super::head::{Scan, scan};
use super::names::Names;
use super::respond::{Response, respond, stream};

/// What becomes of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The server waits for more.
    Partial,
    /// The connection ends after this head.
    Refused(String),
    /// A request was read, and is answered.
    Whole {
        /// How many bytes it takes.
        length: usize,
        /// The request as it is handed on to `tiny_http`.
        forwarded: Vec<u8>,
        /// The head of the answer.
        head: String,
        /// The body of the answer.
        body: Vec<u8>,
    },
}

/// Reads and answers the first request of what a client has sent, as a server does that was started for `host` and
/// listens at the addresses `bound`.
#[must_use]
pub fn reply(input: &[u8], site: &dyn Site, host: &str, bound: &[SocketAddr]) -> Reply {
    let text = |head: Vec<u8>| String::from_utf8_lossy(&head).into_owned();
    match scan(input) {
        Scan::Partial => Reply::Partial,
        Scan::Refused(answer) => Reply::Refused(text(answer.head(SystemTime::UNIX_EPOCH))),
        Scan::Whole { request, length, .. } => {
            let answer = match respond(&request, site, &Names::new(host, bound)) {
                Response::Answer(answer) => answer,
                Response::Stream => stream(),
            };
            let head = text(answer.head(SystemTime::UNIX_EPOCH));
            let body = answer.sent_body().map(|body| body.as_ref().to_vec()).unwrap_or_default();
            Reply::Whole { length, forwarded: request.to_bytes("1"), head, body }
        }
    }
}
