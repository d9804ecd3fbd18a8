//! Tests of the server: a small site, and clients that speak to it through bare sockets.

#![expect(
    clippy::disallowed_methods,
    reason = "clients that wait, and a program of its own for the limit of open files"
)]

mod crowd;
mod descriptors;
mod exchange;
mod pure;
mod start;
mod streams;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::limits::Limits;
use super::{Address, File, Server, Site};

/// No answer takes this long, on a machine however busy.
const PATIENCE: Duration = Duration::from_secs(20);

/// A site that tests change.
struct Pages {
    files: Mutex<BTreeMap<String, File>>,
    base: &'static str,
    version: AtomicU64,
}

impl Pages {
    fn new(base: &'static str, files: &[(&str, &str)]) -> Arc<Self> {
        let pages = Self { files: Mutex::default(), base, version: AtomicU64::new(0) };
        for (path, text) in files {
            pages.set(path, text);
        }
        Arc::new(pages)
    }

    fn set(&self, path: &str, text: &str) {
        self.files.lock().expect("no panic holds it").insert(path.to_owned(), file(text));
        self.version.fetch_add(1, Ordering::SeqCst);
    }
}

fn file(text: &str) -> File {
    File { bytes: text.to_owned().into(), tag: tag(text).into() }
}

fn tag(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..8].to_owned()
}

impl Site for Pages {
    fn file(&self, path: &str) -> Option<File> {
        assert_ne!(path, "panic.html", "this file panics, as the test wants it");
        self.files.lock().expect("no panic holds it").get(path).cloned()
    }

    fn not_found(&self, path: &str) -> File {
        file(&format!("nothing at {path}"))
    }

    fn base_path(&self) -> String {
        self.base.to_owned()
    }

    fn version(&self) -> u64 {
        self.version.load(Ordering::SeqCst)
    }

    fn apply(&self, query: &BTreeMap<String, String>) -> Option<Result<(), String>> {
        (query.get("token")? == "known").then(|| query.get("fix").map(drop).ok_or_else(|| "gone".to_owned()))
    }

    fn locate(&self, query: &BTreeMap<String, String>) -> Option<String> {
        query.get("note").map(|note| format!("{{\"note\":\"{note}\"}}"))
    }
}

fn limits() -> Limits {
    Limits::of_this_machine()
}

fn here() -> Address {
    Address { host: "127.0.0.1".to_owned(), ..Address::default() }
}

fn serve(site: &Arc<Pages>) -> Server {
    serve_within(site, limits())
}

fn serve_within(site: &Arc<Pages>, limits: Limits) -> Server {
    Server::with_limits(here().bind().expect("a free port"), Arc::clone(site) as Arc<dyn Site>, limits)
        .expect("a free port")
}

/// An answer as it came.
#[derive(Debug)]
struct Got {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Got {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("UTF-8")
    }
}

/// A client's connection.
struct Line {
    reader: BufReader<TcpStream>,
    port: u16,
}

impl Line {
    fn to(server: &Server) -> Self {
        Self::at(server.local_addr())
    }

    fn at(address: SocketAddr) -> Self {
        let stream = TcpStream::connect_timeout(&address, PATIENCE).expect("a listener");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        Self { reader: BufReader::new(stream), port: address.port() }
    }

    fn stream(&self) -> &TcpStream {
        self.reader.get_ref()
    }

    fn send(&mut self, text: &str) -> &mut Self {
        self.stream().write_all(text.as_bytes()).expect("an open connection");
        self
    }

    /// Sends as much as is taken before the other side ends.
    fn try_send(&mut self, text: &str) -> std::io::Result<()> {
        self.stream().write_all(text.as_bytes())
    }

    fn ask(&mut self, target: &str) -> &mut Self {
        self.ask_with("GET", target, "")
    }

    fn ask_with(&mut self, method: &str, target: &str, headers: &str) -> &mut Self {
        let port = self.port;
        self.send(&format!("{method} {target} HTTP/1.1\r\nHost: localhost:{port}\r\n{headers}\r\n"))
    }

    /// Reads an answer's head.
    fn head(&mut self) -> std::io::Result<String> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.reader.read_line(&mut head)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(head)
    }

    fn answer(&mut self) -> Got {
        let got = self.answer_without_body();
        let length = got.header("content-length").map_or(0, |length| length.parse().expect("a number"));
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).expect("the whole body");
        Got { body, ..got }
    }

    fn answer_without_body(&mut self) -> Got {
        let head = self.head().expect("an answer");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Got { status, head, body: Vec::new() }
    }

    /// Whether the other side has ended the connection, be it with or without a farewell.
    fn is_ended(&mut self) -> bool {
        match self.reader.read(&mut [0]) {
            Ok(length) => length == 0,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }
}

fn get(server: &Server, target: &str) -> Got {
    Line::to(server).ask(target).answer()
}

/// Waits for what must come.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
