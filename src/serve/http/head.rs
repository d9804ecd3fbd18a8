//! Collects the head of a request, and writes what is forwarded to `tiny_http`.

use std::io::Write;

/// The maximum length of a head, in bytes.
pub(super) const HEAD_LIMIT: usize = 16 * 1024;
/// The headers that a response depends on. No others are forwarded: some make `tiny_http` wait for a body, or
/// allocate memory for one.
const FORWARDED: [&str; 8] =
    ["host", "if-none-match", "if-range", "origin", "range", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site"];
/// The headers of every response, whatever it is and whoever makes it. Pages of other origins cannot embed it, neither as
/// a script whose data they could read, nor in a frame.
pub(super) const RESPONSE_HEADERS: &str = "Connection: close\r\nX-Content-Type-Options: nosniff\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: frame-ancestors 'self'";
/// What is added to them where an editor may show pages: the schemes of the windows of editors that are made like Visual
/// Studio Code.
pub(super) const EDITOR_FRAMES: &str = " vscode-webview: vscode-file:";
/// The header whose value only the guard knows. It identifies the guard's requests to `tiny_http`, whose port others
/// could find.
pub(super) const KEY: &str = "infralens-key";

/// The part of a head that has arrived.
#[derive(Debug, Default)]
pub(super) struct Head(Vec<u8>);

impl Head {
    /// Adds bytes, and returns whether the head is complete. Bytes after its end are ignored.
    ///
    /// # Errors
    /// The head is malformed or too long; the error is the response.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<bool, Vec<u8>> {
        for &byte in bytes {
            let is_plain = match (self.0.last(), byte) {
                (Some(b'\r'), next) => next == b'\n',
                (_, b'\r' | b'\t') => true,
                (_, byte) => byte >= b' ' && byte != 0x7f,
            };
            if !is_plain {
                let text = "The request contains a control character, or a line that does not end with CRLF.";
                return Err(refusal("400 Bad Request", text));
            }
            self.0.push(byte);
            if self.0.ends_with(b"\r\n\r\n") {
                return self.check_request_line().map(|()| true);
            }
            if self.0.len() == HEAD_LIMIT {
                let text = "The request's head is longer than 16 KiB.";
                return Err(refusal("431 Request Header Fields Too Large", text));
            }
        }
        Ok(false)
    }

    /// Whether nothing has arrived yet.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Rejects what `tiny_http` would interpret differently or never answer, such as a later version of HTTP.
    fn check_request_line(&self) -> Result<(), Vec<u8>> {
        let line = self.0.split(|&byte| byte == b'\r').next().unwrap_or_default();
        match line.split(|&byte| byte == b' ').collect::<Vec<_>>()[..] {
            [method, [b'/', ..], b"HTTP/1.0" | b"HTTP/1.1"] if !method.is_empty() => Ok(()),
            _ => Err(refusal("400 Bad Request", "The request line is not of the form `GET /path HTTP/1.1`.")),
        }
    }

    /// Returns the head as it is forwarded to `tiny_http`, which accepts only ASCII: other bytes, as in a path that
    /// was typed by hand, are percent-encoded.
    pub(super) fn forwarded(&self, key: &str) -> Vec<u8> {
        let is_forwarded = |line: &[u8]| {
            let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
            FORWARDED.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        };
        let lines = self.0.split_inclusive(|&byte| byte == b'\n').enumerate();
        let mut forwarded = Vec::new();
        for &byte in lines.filter(|(number, line)| *number == 0 || is_forwarded(line)).flat_map(|(_, line)| line) {
            // Writing to a vector cannot fail.
            let _ = if byte.is_ascii() { forwarded.write_all(&[byte]) } else { write!(forwarded, "%{byte:02X}") };
        }
        let _ = write!(forwarded, "{KEY}: {key}\r\nConnection: close\r\n\r\n");
        forwarded
    }
}

/// Builds a response that the guard sends itself, after which it closes the connection.
pub(super) fn refusal(status: &str, text: &str) -> Vec<u8> {
    let length = text.len() + 1;
    let headers = format!("Content-Type: text/plain; charset=utf-8\r\nContent-Length: {length}");
    format!("HTTP/1.1 {status}\r\n{headers}\r\n{RESPONSE_HEADERS}\r\n\r\n{text}\n").into_bytes()
}

/// Builds the response to a request for which there is no room; the client may try again.
pub(super) fn busy() -> Vec<u8> {
    refusal("503 Service Unavailable\r\nRetry-After: 2", "The preview has too many requests; try again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds bytes to a head. Returns the head as it is forwarded, or the first line of a refusal, or `None` if the
    /// head is incomplete.
    fn push(input: &[u8]) -> Option<Result<String, String>> {
        let mut head = Head::default();
        match head.push(input) {
            Ok(false) => None,
            Ok(true) => Some(Ok(String::from_utf8(head.forwarded("7")).expect("ASCII"))),
            Err(answer) => {
                let answer = String::from_utf8(answer).expect("ASCII");
                Some(Err(answer.lines().next().expect("a status").to_owned()))
            }
        }
    }

    #[track_caller]
    fn refused(input: &[u8], status: &str) {
        let refusal = push(input).expect("an end").expect_err("a refusal");
        assert!(
            refusal.starts_with(&format!("HTTP/1.1 {status} ")),
            "{refusal} {:?}",
            input.escape_ascii().to_string()
        );
    }

    #[test]
    fn a_head_is_complete_at_its_empty_line_and_not_before() {
        let text = "GET /a?b HTTP/1.1\r\nHost: x\r\nCookie: \u{fc}\r\nRange: a\r\nrange:\tb \r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(push(&text.as_bytes()[..end]), None, "{end}");
        }
        let forwarded = "GET /a?b HTTP/1.1\r\nHost: x\r\nRange: a\r\nrange:\tb \r\n\
                         infralens-key: 7\r\nConnection: close\r\n\r\n";
        assert_eq!(push(format!("{text}GET").as_bytes()), Some(Ok(forwarded.to_owned())));
        let mut head = Head::default();
        let ends: Vec<bool> = text.bytes().map(|byte| head.push(&[byte]).expect("a head")).collect();
        assert_eq!(ends.iter().position(|&is_end| is_end), Some(text.len() - 1));
        assert_eq!(head.forwarded("7"), forwarded.as_bytes());
    }

    #[test]
    fn only_headers_that_matter_are_forwarded_and_in_ascii() {
        let forwarded = |lines: &str| push(format!("GET /\u{fc} HTTP/1.0\r\n{lines}\r\n\r\n").as_bytes());
        let kept = |lines: &str| {
            let lines = format!("GET /%C3%BC HTTP/1.0\r\n{lines}infralens-key: 7\r\nConnection: close\r\n\r\n");
            Some(Ok(lines))
        };
        for line in [
            "Content-Length: 9000000000000000000",
            "Transfer-Encoding: chunked",
            "Expect: 100-continue",
            "TE: chunked",
            "Connection: keep-alive",
            "Upgrade: h2c",
            "Infralens-Key: 8",
            "Cookie: \u{fc}",
            " Host: folded",
            "Host : x",
            "Host",
            ": x",
        ] {
            assert_eq!(forwarded(line), kept(""), "{line}");
        }
        assert_eq!(forwarded("hOST: \u{fc}\r\nOrigin:x"), kept("hOST: %C3%BC\r\nOrigin:x\r\n"));
    }

    #[test]
    fn a_malformed_head_is_refused() {
        // At the first bytes: those of a TLS connection, for example.
        for start in ["GET / HTTP/1.1\n", "GET / HTTP/1.1\r\r", "GET /\0", "\u{16}\u{3}\u{1}", "\n", "GET /\tx\u{7f}"] {
            refused(start.as_bytes(), "400");
        }
        for line in [
            "",
            "GET",
            "GET /",
            "GET  / HTTP/1.1",
            "GET / HTTP/1.1 ",
            "GET / HTTP/1.1 x",
            " GET / HTTP/1.1",
            " / HTTP/1.1",
            "GET / http/1.1",
            "GET / HTTP/1.10",
            "GET / HTTP/2.0",
            "PRI * HTTP/2.0",
            "GET http://localhost/ HTTP/1.1",
            "OPTIONS * HTTP/1.1",
            "CONNECT a:80 HTTP/1.1",
            "GET a HTTP/1.1",
        ] {
            refused(format!("{line}\r\n\r\n").as_bytes(), "400");
        }
    }

    #[test]
    fn a_head_that_is_too_long_is_refused_at_the_limit() {
        let endless = format!("GET / HTTP/1.1\r\nA: {}", "x".repeat(HEAD_LIMIT));
        assert_eq!(push(&endless.as_bytes()[..HEAD_LIMIT - 1]), None);
        refused(&endless.as_bytes()[..HEAD_LIMIT], "431");
        refused(endless.as_bytes(), "431");
        refused(&[b'A'; HEAD_LIMIT], "431");
    }
}
