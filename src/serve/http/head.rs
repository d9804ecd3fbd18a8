//! Collects the head of a request.

use std::fmt::Write;

use tiny_http::{Header, Method};

use super::respond::{Response, text_response};

/// The maximum length of a head, in bytes.
pub(super) const HEAD_LIMIT: usize = 16 * 1024;

/// A request without a body.
#[derive(Debug)]
pub(super) struct Request {
    pub method: Method,
    /// The path, which begins with a slash, and the query.
    pub url: String,
    pub headers: Vec<Header>,
}

/// The part of a head that has arrived.
#[derive(Debug, Default)]
pub(super) struct Head(Vec<u8>);

impl Head {
    /// Adds bytes, and returns the request if it is complete. Bytes after its end are ignored.
    ///
    /// # Errors
    /// The head is malformed or too long; the error is the response.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Option<Request>, Response> {
        for &byte in bytes {
            let is_plain = match (self.0.last(), byte) {
                (Some(b'\r'), next) => next == b'\n',
                (_, b'\r' | b'\t') => true,
                (_, byte) => byte >= b' ' && byte != 0x7f,
            };
            if !is_plain {
                let text = "The request contains a control character, or a line that does not end with CRLF.";
                return Err(text_response(400, text));
            }
            self.0.push(byte);
            if self.0.ends_with(b"\r\n\r\n") {
                return self.request().map(Some);
            }
            if self.0.len() == HEAD_LIMIT {
                return Err(text_response(431, "The request's head is longer than 16 KiB."));
            }
        }
        Ok(None)
    }

    /// Whether nothing has arrived yet.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses the complete head. Headers that are malformed are ignored.
    fn request(&self) -> Result<Request, Response> {
        let mut text = String::with_capacity(self.0.len());
        for &byte in &self.0 {
            // In a path that was typed by hand, for example.
            let _ = if byte.is_ascii() { text.write_char(char::from(byte)) } else { write!(text, "%{byte:02X}") };
        }
        let (line, headers) = text.split_once("\r\n").unwrap_or_default();
        if let [method, url, "HTTP/1.0" | "HTTP/1.1"] = line.split(' ').collect::<Vec<_>>()[..]
            && url.starts_with('/')
            && let Some(method) =
                Some(method).filter(|method| !method.is_empty()).and_then(|method| method.parse().ok())
        {
            let headers = headers.split("\r\n").filter_map(|line| line.parse().ok()).collect();
            return Ok(Request { method, url: url.to_owned(), headers });
        }
        Err(text_response(400, "The request line is not of the form `GET /path HTTP/1.1`."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds bytes to a head. Returns the request, or the status of a refusal, or `None` if the head is incomplete.
    fn push(input: &[u8]) -> Option<Result<String, u16>> {
        shown(Head::default().push(input))
    }

    fn shown(pushed: Result<Option<Request>, Response>) -> Option<Result<String, u16>> {
        let shown = |Request { method, url, headers }: Request| {
            let headers = headers.iter().map(|header| format!("\n{}={}", header.field, header.value));
            format!("{method} {url}{}", headers.collect::<String>())
        };
        pushed.transpose().map(|pushed| pushed.map(shown).map_err(|refusal| refusal.status_code().0))
    }

    #[track_caller]
    fn refused(input: &[u8], status: u16) {
        assert_eq!(push(input), Some(Err(status)), "{:?}", input.escape_ascii().to_string());
    }

    #[test]
    fn a_head_is_complete_at_its_empty_line_and_not_before() {
        let text = "GET /a?b HTTP/1.1\r\nHost: x\r\nCookie: \u{fc}\r\nRange: a\r\nrange:\tb \r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(push(&text.as_bytes()[..end]), None, "{end}");
        }
        let request = Some(Ok("GET /a?b\nHost=x\nCookie=%C3%BC\nRange=a\nrange=b".to_owned()));
        assert_eq!(push(format!("{text}GET").as_bytes()), request);
        let mut head = Head::default();
        let mut pushed = text.bytes().map(|byte| shown(head.push(&[byte])));
        assert_eq!(pushed.position(|pushed| pushed == request), Some(text.len() - 1));
    }

    #[test]
    fn what_is_no_header_is_ignored_and_what_is_not_ascii_is_encoded() {
        let parsed = |lines: &str| push(format!("GET /\u{fc} HTTP/1.0\r\n{lines}\r\n\r\n").as_bytes());
        for line in [" Host: folded", "Host : x", "Host"] {
            assert_eq!(parsed(line), Some(Ok("GET /%C3%BC".to_owned())), "{line}");
        }
        let request = "GET /%C3%BC\nhOST=%C3%BC\nOrigin=x".to_owned();
        assert_eq!(parsed("hOST: \u{fc}\r\nOrigin:x"), Some(Ok(request)));
    }

    #[test]
    fn a_malformed_head_is_refused() {
        // At the first bytes: those of a TLS connection, for example.
        for start in ["GET / HTTP/1.1\n", "GET / HTTP/1.1\r\r", "GET /\0", "\u{16}\u{3}\u{1}", "\n", "GET /\tx\u{7f}"] {
            refused(start.as_bytes(), 400);
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
            refused(format!("{line}\r\n\r\n").as_bytes(), 400);
        }
    }

    #[test]
    fn a_head_that_is_too_long_is_refused_at_the_limit() {
        let endless = format!("GET / HTTP/1.1\r\nA: {}", "x".repeat(HEAD_LIMIT));
        assert_eq!(push(&endless.as_bytes()[..HEAD_LIMIT - 1]), None);
        refused(&endless.as_bytes()[..HEAD_LIMIT], 431);
        refused(endless.as_bytes(), 431);
        refused(&[b'A'; HEAD_LIMIT], 431);
    }
}
