//! A request's head: when it is whole, what it asks for, and why it is refused.
//!
//! Stricter than `tiny_http`, which sees only what passes here: written anew, in ASCII, with the headers that an answer
//! depends on.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::answer::Answer;

/// The longest head, in bytes.
pub(super) const HEAD_LIMIT: usize = 16 * 1024;
/// The headers that an answer may depend on.
const HEARD: [&str; 6] = ["host", "if-none-match", "if-range", "origin", "range", "sec-fetch-site"];

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// The method, in the client's case.
    pub method: String,
    /// A path, percent-encoded, beginning with a slash; perhaps a query.
    pub target: String,
    /// Headers by their names in lower case; what stands twice is joined by a comma.
    pub headers: BTreeMap<String, String>,
}

/// What a connection has sent.
#[derive(Debug)]
pub(super) enum Scan {
    /// Nothing is wrong with it so far.
    Partial,
    /// A whole head, without a body.
    Whole {
        /// What it asks for.
        request: Request,
        /// Whether the client will ask again on this connection.
        keep: bool,
        /// How many bytes it takes.
        length: usize,
    },
    /// What cannot be read; nor can anything after it.
    Refused(Answer),
}

/// Reads the first request of what a client has sent.
pub(super) fn scan(input: &[u8]) -> Scan {
    match first(input) {
        Ok(Some(whole)) => whole,
        Ok(None) if input.len() < HEAD_LIMIT => Scan::Partial,
        Ok(None) => Scan::Refused(too_long()),
        Err(refusal) => Scan::Refused(refusal),
    }
}

fn first(input: &[u8]) -> Result<Option<Scan>, Answer> {
    // A client may send an empty line after an earlier request.
    let before = input.chunks(2).take_while(|chunk| chunk == b"\r\n").count() * 2;
    let rest = &input[before..];
    let end = find(rest, b"\r\n\r\n");
    let head = end.map_or(rest, |end| &rest[..end + 2]);
    check_bytes(head)?;
    let Some(line_end) = find(head, b"\r\n") else { return Ok(None) };
    let line = RequestLine::parse(&head[..line_end])?;
    let Some(end) = end else { return Ok(None) };
    let length = before + end + 4;
    if length > HEAD_LIMIT {
        return Err(too_long());
    }
    let headers = Headers::parse(&head[line_end + 2..])?;
    headers.check_body(&line.method)?;
    let keep = line.is_current && !headers.closes;
    let request = Request { method: line.method, target: line.target, headers: headers.heard };
    Ok(Some(Scan::Whole { request, keep, length }))
}

impl Request {
    /// The head as it is given to `tiny_http`; `passage` names the connection it comes by.
    pub(super) fn to_bytes(&self, passage: &str) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "{PASSAGE}: {passage}\r\nconnection: close\r\n\r\n");
        head.into_bytes()
    }
}

/// The header that names the connection a request came by.
pub(super) const PASSAGE: &str = "infralens-passage";

struct RequestLine {
    method: String,
    target: String,
    /// HTTP/1.1 or later, where connections are kept unless the client says otherwise.
    is_current: bool,
}

impl RequestLine {
    fn parse(line: &[u8]) -> Result<Self, Answer> {
        let wrong = || Answer::refusal(400, "The request line is not of the form `GET /path HTTP/1.1`.");
        let parts: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let [method, target, version] = parts[..] else { return Err(wrong()) };
        let is_current = match version {
            b"HTTP/1.0" => false,
            [b'H', b'T', b'T', b'P', b'/', b'1', b'.', minor] if minor.is_ascii_digit() => true,
            [b'H', b'T', b'T', b'P', b'/', major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit() => {
                return Err(Answer::refusal(505, "Only HTTP/1.1 and HTTP/1.0 are understood."));
            }
            _ => return Err(wrong()),
        };
        if method.is_empty() || !method.iter().copied().all(is_token) {
            return Err(wrong());
        }
        if !target.starts_with(b"/") || target.contains(&b'#') {
            return Err(Answer::refusal(400, "The request's target is not a path that begins with `/`."));
        }
        Ok(Self { method: ascii(method), target: ascii(target), is_current })
    }
}

struct Headers {
    heard: BTreeMap<String, String>,
    closes: bool,
    has_body: bool,
}

impl Headers {
    /// Reads lines that each end with CRLF.
    fn parse(lines: &[u8]) -> Result<Self, Answer> {
        let mut headers = Self { heard: BTreeMap::new(), closes: false, has_body: false };
        let mut rest = lines;
        while let Some(end) = find(rest, b"\r\n") {
            headers.add(&rest[..end])?;
            rest = &rest[end + 2..];
        }
        Ok(headers)
    }

    fn add(&mut self, line: &[u8]) -> Result<(), Answer> {
        let wrong = || Answer::refusal(400, "A header is not of the form `Name: value`.");
        let colon = line.iter().position(|&byte| byte == b':').ok_or_else(wrong)?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.is_empty() || !name.iter().copied().all(is_token) {
            return Err(wrong());
        }
        let name = ascii(name).to_ascii_lowercase();
        match name.as_str() {
            "host" if self.heard.contains_key("host") => {
                return Err(Answer::refusal(400, "There is more than one `Host` header."));
            }
            "content-length" => match value {
                [] => return Err(wrong()),
                digits if digits.iter().all(u8::is_ascii_digit) => self.has_body |= digits.iter().any(|&d| d != b'0'),
                _ => return Err(Answer::refusal(400, "The `Content-Length` is not a number.")),
            },
            "transfer-encoding" => self.has_body = true,
            "connection" => {
                self.closes |= value.split(|&byte| byte == b',').any(|t| t.trim_ascii().eq_ignore_ascii_case(b"close"));
            }
            heard if HEARD.contains(&heard) => {
                if !value.is_ascii() {
                    return Err(Answer::refusal(400, &format!("The header `{heard}` is not ASCII.")));
                }
                let value = ascii(value);
                self.heard.entry(name).and_modify(|all| *all = format!("{all}, {value}")).or_insert(value);
            }
            _ => {}
        }
        Ok(())
    }

    fn check_body(&self, method: &str) -> Result<(), Answer> {
        match method {
            _ if !self.has_body => Ok(()),
            "GET" | "HEAD" => Err(Answer::refusal(400, "A request with a body is not answered.")),
            _ => Err(Answer::wrong_method().closing()),
        }
    }
}

/// Lines end with CRLF and hold no control characters but tabs.
fn check_bytes(head: &[u8]) -> Result<(), Answer> {
    let is_plain = |(at, &byte): (usize, &u8)| match byte {
        b'\n' => at > 0 && head[at - 1] == b'\r',
        b'\r' => head.get(at + 1).is_none_or(|&next| next == b'\n'),
        b'\t' => true,
        byte => byte >= b' ' && byte != 0x7f,
    };
    if head.iter().enumerate().all(is_plain) {
        return Ok(());
    }
    Err(Answer::refusal(400, "The request holds a control character, or a line that does not end with CRLF."))
}

fn too_long() -> Answer {
    Answer::refusal(431, "The request's head is longer than 16 KiB.")
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The bytes as ASCII: what is not, as in a path that was typed by hand, is percent-encoded.
fn ascii(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789ABCDEF"[usize::from(value)]);
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            0x80.. => text.extend(['%', digit(byte >> 4), digit(byte & 15)]),
            byte => text.push(char::from(byte)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(input: &str) -> (Request, bool, usize) {
        match scan(input.as_bytes()) {
            Scan::Whole { request, keep, length } => (request, keep, length),
            other => panic!("{input:?}: {other:?}"),
        }
    }

    #[track_caller]
    fn refused(input: &[u8], status: u16) {
        match scan(input) {
            Scan::Refused(answer) => assert_eq!(answer.status, status, "{:?}", input.escape_ascii().to_string()),
            other => panic!("{:?}: {other:?}", input.escape_ascii().to_string()),
        }
    }

    #[test]
    fn a_head_is_whole_at_its_empty_line_and_not_before() {
        let text = "GET /a?b HTTP/1.1\r\nHost: x\r\nCookie: \u{fc}\r\nRange: a\r\nrange:\tb \r\n\r\n";
        for end in 0..text.len() {
            assert!(matches!(scan(&text.as_bytes()[..end]), Scan::Partial), "{end}");
        }
        let (request, keep, length) = whole(&format!("{text}GET"));
        assert_eq!((request.method.as_str(), request.target.as_str(), keep, length), ("GET", "/a?b", true, text.len()));
        let headers: Vec<_> = request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(headers, [("host", "x"), ("range", "a, b")]);
        let again = String::from_utf8(request.to_bytes("7")).expect("ASCII");
        assert_eq!(
            again,
            "GET /a?b HTTP/1.1\r\nhost: x\r\nrange: a, b\r\ninfralens-passage: 7\r\nconnection: close\r\n\r\n"
        );
    }

    #[test]
    fn connections_are_kept_where_the_client_allows_it() {
        assert!(whole("GET / HTTP/1.1\r\nConnection: keep-alive\r\n\r\n").1);
        assert!(whole("GET / HTTP/1.2\r\n\r\n").1);
        assert!(!whole("GET / HTTP/1.1\r\nConnection: x, Close\r\n\r\n").1);
        assert!(!whole("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").1);
    }

    #[test]
    fn empty_lines_before_a_request_are_skipped_and_bare_letters_encoded() {
        let (request, _, length) = whole("\r\n\r\nGET /ü HTTP/1.1\r\n\r\n");
        assert_eq!((request.target.as_str(), length), ("/%C3%BC", 24));
    }

    #[test]
    fn a_content_length_of_nothing_is_no_body() {
        whole("GET / HTTP/1.1\r\nContent-Length: 00\r\n\r\n");
    }

    #[test]
    fn what_is_malformed_is_refused_as_soon_as_it_shows() {
        for line in [
            "GET /\r\n",
            "GET\r\n",
            "GET  / HTTP/1.1\r\n",
            "GET / HTTP/1.1 \r\n",
            " GET / HTTP/1.1\r\n",
            "G(T / HTTP/1.1\r\n",
            "GET / http/1.1\r\n",
            "GET / HTTP/1.10\r\n",
            "GET http://localhost/ HTTP/1.1\r\n",
            "OPTIONS * HTTP/1.1\r\n",
            "CONNECT a:80 HTTP/1.1\r\n",
            "GET a HTTP/1.1\r\n",
            "GET /a#b HTTP/1.1\r\n",
            "GET / HTTP/1.1\n",
            "GET / HTTP/1.1\r\r",
            "GET /\0",
            "\u{16}\u{3}\u{1}",
            "\n",
            "GET /\tx\u{7f}",
        ] {
            refused(line.as_bytes(), 400);
        }
        refused(b"PRI * HTTP/2.0\r\n", 505);
        for header in [
            "Host : x",
            "Host",
            ": x",
            " folded: x",
            "A: 1\r\n folded",
            "Host: a\r\nhost: a",
            "Host: \u{fc}",
            "a\u{fc}: x",
            "Content-Length: 1",
            "Content-Length: -0",
            "Content-Length: 1, 1",
            "Content-Length:",
            "Transfer-Encoding: identity",
            "Content-Length: 0\r\nContent-Length: 7",
        ] {
            refused(format!("GET / HTTP/1.1\r\n{header}\r\n\r\n").as_bytes(), 400);
        }
        refused(b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 405);
    }

    #[test]
    fn whatever_comes_is_partial_whole_or_refused_and_a_refusal_stays_one() {
        const PIECES: [&str; 16] = [
            "GET ",
            "HEAD ",
            "/",
            "/a%2F\u{fc}",
            " HTTP/1.1",
            " HTTP/1.0",
            "\r\n",
            "\r\n\r\n",
            "\r",
            "\n",
            "Host: x",
            "host:",
            ": ",
            "Content-Length: 0",
            "\0",
            " ",
        ];
        let mut seed = 7_u64;
        let mut whole = 0;
        for round in 0..20_000 {
            let mut input = if round % 2 == 0 { Vec::new() } else { b"GET / HTTP/1.1\r\n".to_vec() };
            let mut is_refused = false;
            for _ in 0..8 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                input.extend_from_slice(PIECES[(seed >> 60) as usize].as_bytes());
                match scan(&input) {
                    Scan::Partial => assert!(!is_refused, "{:?}", input.escape_ascii().to_string()),
                    Scan::Refused(_) => is_refused = true,
                    Scan::Whole { length, .. } => {
                        assert!(!is_refused && length <= input.len(), "{:?}", input.escape_ascii().to_string());
                        whole += 1;
                        break;
                    }
                }
            }
        }
        assert!(whole > 100, "{whole} of them are requests");
    }

    #[test]
    fn a_head_that_is_too_long_is_refused_at_the_limit() {
        let endless = format!("GET / HTTP/1.1\r\nA: {}", "x".repeat(HEAD_LIMIT));
        assert!(matches!(scan(&endless.as_bytes()[..HEAD_LIMIT - 1]), Scan::Partial));
        refused(&endless.as_bytes()[..HEAD_LIMIT], 431);
        refused(format!("{endless}\r\n\r\n").as_bytes(), 431);
        refused("\r\n".repeat(HEAD_LIMIT / 2).as_bytes(), 431);
        refused(&vec![b'A'; HEAD_LIMIT], 431);
    }
}
