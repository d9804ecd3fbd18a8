//! What a client sends to the preview: answered, refused or waited for, and answered only to names that are ours.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use infralens::output::Bytes;
use infralens::serve::http::probe::{Reply, reply};
use infralens::serve::http::{File, Site};

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
}

fn ask(input: &[u8]) -> Reply {
    let bound: [SocketAddr; 1] = [SocketAddr::from(([127, 0, 0, 1], 4000))];
    reply(input, &Small, "127.0.0.1", &bound)
}

/// A request's head as a client sends it, and its beginnings as they arrive.
pub fn heads(data: &[u8]) {
    let whole = ask(data);
    let step = data.len() / 48 + 1;
    for end in (0..data.len()).step_by(step) {
        match ask(&data[..end]) {
            Reply::Partial => {}
            // The reason may be another one, once more is known.
            Reply::Refused(_) => assert!(matches!(whole, Reply::Refused(_)), "a refusal after {end} bytes stays one"),
            early @ Reply::Whole { .. } => assert_eq!(early, whole, "after {end} bytes"),
        }
    }
    let Reply::Whole { length, forwarded, head, body, .. } = &whole else { return };
    assert!(*length <= data.len());
    let Reply::Whole { head: second, .. } = ask(forwarded) else { panic!("what is handed on is no request") };
    assert_eq!(*head, second, "what is handed on asks for the same");
    let (status, headers) = read(head);
    let host = host(data);
    let is_ours = ["localhost:4000", "127.0.0.1:4000", "[::1]:4000"].contains(&host.as_str())
        || host.strip_suffix(":4000").is_some_and(|name| name.trim_end_matches('.').ends_with(".localhost"))
        || host == "localhost.:4000";
    assert!(is_ours || matches!(status, 400 | 403), "{status} for the host `{host}`");
    if matches!(status, 400 | 403) {
        assert!(!body.windows(8).any(|part| part == b"the page"), "a refusal holds nothing of the site");
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
    let head = head.strip_suffix("\r\n\r\n").expect("a head ends with an empty line");
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
