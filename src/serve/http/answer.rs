//! An answer: status, headers, and which bytes of which file.

use std::fmt::Write;
use std::ops::Range;
use std::time::SystemTime;

use tiny_http::StatusCode;

use super::date::http_date;
use crate::output::Bytes;

/// What is sent back.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// The status code.
    pub status: u16,
    /// Headers, without `Content-Length` and `Date`.
    pub headers: Vec<(&'static str, String)>,
    /// The body; `None` for an answer that has none by its nature, such as 304.
    pub body: Option<Body>,
    /// Whether the body is only announced, as for HEAD.
    pub is_head: bool,
}

/// Part of a file, or all of it.
#[derive(Debug, Clone)]
pub(super) struct Body {
    bytes: Bytes,
    range: Range<usize>,
}

impl Body {
    /// A range of a file; of one that reaches beyond it, nothing.
    pub(super) fn new(bytes: Bytes, range: Range<usize>) -> Self {
        let range = if bytes.as_ref().get(range.clone()).is_some() { range } else { 0..0 };
        Self { bytes, range }
    }
}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref().get(self.range.clone()).unwrap_or_default()
    }
}

impl Answer {
    /// An answer without headers that depend on the file.
    pub(super) fn new(status: u16, kind: &str, body: Body) -> Self {
        let headers = vec![
            ("Content-Type", kind.to_owned()),
            ("Cache-Control", "no-cache".to_owned()),
            ("X-Content-Type-Options", "nosniff".to_owned()),
        ];
        Self { status, headers, body: Some(body), is_head: false }
    }

    /// A sentence, to be read by a person.
    pub(super) fn text(status: u16, text: &str) -> Self {
        let text = format!("{text}\n");
        let length = text.len();
        Self::new(status, "text/plain; charset=utf-8", Body::new(text.into(), 0..length))
    }

    /// A sentence after which the connection ends.
    pub(super) fn refusal(status: u16, text: &str) -> Self {
        Self::text(status, text).closing()
    }

    /// 405, with what is allowed.
    pub(super) fn wrong_method() -> Self {
        Self::text(405, "Only GET and HEAD are answered.").with("Allow", "GET, HEAD")
    }

    /// 503: there are too many requests, to be asked again later.
    pub(super) fn busy() -> Self {
        Self::refusal(503, "The preview has too much to do at once; ask again.").with("Retry-After", "2")
    }

    /// Adds a header.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Says that the connection ends after it.
    pub(super) fn closing(self) -> Self {
        self.with("Connection", "close")
    }

    /// The status line and the headers.
    pub(super) fn head(&self, now: SystemTime) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, StatusCode(self.status).default_reason_phrase());
        let date = http_date(now).map(|date| ("Date", date));
        let length = self.body.as_ref().map(|body| ("Content-Length", body.as_ref().len().to_string()));
        for (name, value) in date.iter().chain(&length).chain(&self.headers) {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    /// The body as far as it is sent.
    pub(super) fn sent_body(self) -> Option<Body> {
        self.body.filter(|_| !self.is_head)
    }
}
