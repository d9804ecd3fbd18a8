//! What a client sends to the preview: answered, refused or waited for, and answered only to names that are ours.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, OnceLock};

use infralens::serve::http::{Address, File, Server, Site};
use infralens_source::output::Bytes;

/// A site of three files.
struct Small;

const PAGE: &str = "<!doctype html><title>the page</title>";

fn file(text: &str) -> File {
    File { bytes: Bytes::from(text.to_owned()), tag: Arc::from("1f") }
}

impl Site for Small {
    fn file(&self, path: &str) -> Option<File> {
        matches!(path, "index.html" | "labs/index.html" | "labs/a b.html").then(|| file(PAGE))
    }

    fn not_found(&self, _: &str) -> File {
        file("nothing is here")
    }

    fn base_path(&self) -> String {
        "/course/".to_owned()
    }

    fn version(&self) -> u64 {
        1
    }

    fn locate(&self, query: &BTreeMap<String, String>) -> Option<String> {
        query.get("note").map(|_| "{}".to_owned())
    }

    fn apply(&self, query: &BTreeMap<String, String>) -> Option<Result<(), String>> {
        query.get("token").map(|_| Ok(()))
    }
}

/// The preview, which all inputs share.
fn port() -> u16 {
    static SERVER: OnceLock<Server> = OnceLock::new();
    let start = || {
        let bound = Address { host: "127.0.0.1".to_owned(), ..Address::default() }.bind().expect("a free port");
        Server::start(bound, Arc::new(Small)).expect("threads")
    };
    SERVER.get_or_init(start).local_addr().port()
}

/// Sends bytes, in which 4000 is the port, and returns the answer without its date, or nothing if there is none.
fn ask(input: &[u8]) -> String {
    let mut client = TcpStream::connect(("127.0.0.1", port())).expect("a listener");
    let mut rest = input;
    let mut sent = Ok(());
    while let Some(at) = rest.windows(5).position(|part| part == b":4000") {
        sent = sent.and_then(|()| client.write_all(&rest[..at]));
        sent = sent.and_then(|()| client.write_all(format!(":{}", port()).as_bytes()));
        rest = &rest[at + 5..];
    }
    // What follows a refused beginning may be refused, too.
    let _ = sent.and_then(|()| client.write_all(rest)).and_then(|()| client.shutdown(Shutdown::Write));
    let mut answer = Vec::new();
    let mut chunk = [0; 4096];
    // An event stream has no end, and whoever sends much too much may not see the answer.
    while !String::from_utf8_lossy(&answer).contains("text/event-stream")
        && let Ok(length @ 1..) = client.read(&mut chunk)
    {
        answer.extend_from_slice(&chunk[..length]);
    }
    let answer = String::from_utf8_lossy(&answer).replace(&format!(":{}", port()), ":4000");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let lines = head.split("\r\n").filter(|line| !line.starts_with("Date: "));
    if head.is_empty() { String::new() } else { format!("{}\r\n\r\n{body}", lines.collect::<Vec<_>>().join("\r\n")) }
}

/// A request's head as a client sends it, and its beginnings as they arrive.
pub fn heads(data: &[u8]) {
    let whole = ask(data);
    // Answers that are no stream name `tiny_http`; the guard refuses the rest.
    let is_answer = |answer: &str| answer.contains("\r\nServer: ") || answer.contains("text/event-stream");
    let is_refused = |answer: &str| !answer.is_empty() && !is_answer(answer);
    let step = data.len() / 48 + 1;
    for end in (0..data.len()).step_by(step) {
        let early = ask(&data[..end]);
        if is_refused(&early) {
            // The reason may be another one, once more is known.
            assert!(is_refused(&whole), "a refusal after {end} bytes stays one");
        } else if !early.is_empty() {
            assert_eq!(early, whole, "after {end} bytes");
        }
    }
    let Some((head, body)) = whole.split_once("\r\n\r\n") else { return };
    let (status, headers) = read(head);
    let host = host(data);
    let is_ours = ["localhost:4000", "127.0.0.1:4000", "[::1]:4000"].contains(&host.as_str())
        || host.strip_suffix(":4000").is_some_and(|name| name.trim_end_matches('.').ends_with(".localhost"))
        || host == "localhost.:4000";
    assert!(is_ours || matches!(status, 400 | 403 | 431), "{status} for the host `{host}`");
    if matches!(status, 400 | 403 | 431) {
        assert!(!body.contains("the page"), "a refusal holds nothing of the site");
    }
    for (name, value) in headers {
        assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{name}: {value:?}");
        if name == "Location" {
            assert!(value.starts_with('/') && !value.starts_with("//") && !value.starts_with("/\\"), "{value}");
        }
    }
}

/// The status and the headers of an answer.
fn read(head: &str) -> (u16, Vec<(&str, &str)>) {
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let headers = lines.map(|line| line.split_once(": ").expect("a header has a name and a value"));
    (status.expect("a status"), headers.collect())
}

/// The host that a request names, read without the server's help.
fn host(data: &[u8]) -> String {
    let text = String::from_utf8_lossy(data).to_ascii_lowercase();
    let mut lines = text.split("\r\n");
    let line = lines.find_map(|line| line.strip_prefix("host:")).unwrap_or_default();
    line.trim_matches([' ', '\t']).to_owned()
}
