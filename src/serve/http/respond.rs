//! What is answered to a request: a pure function of the request, the site and the names of the server.
//!
//! 1. the `Host` must be ours, the method GET or HEAD;
//! 2. the event stream and the source of a place are for our own pages alone;
//! 3. anything else is a file, a way to it, or the page that is shown where there is none.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Take};
use std::ops::Range;

use tiny_http::{Header, Method, Request, StatusCode};

use super::condition::{has_tag, range};
use super::kind::content_type;
use super::names::Names;
use super::resolve::{Resolved, resolve};
use super::{File, Site};
use crate::course::url::decoded;
use crate::output::Bytes;

/// The address of the event stream.
const EVENTS: &str = "/.infralens/events";
/// The address that says where something on a page is written.
const SOURCE: &str = "/.infralens/source";

/// The answer to a request.
pub(super) enum Response {
    /// One that is complete.
    Answer(Answer),
    /// An event stream.
    Stream,
}

/// A complete answer, whose body is a file or part of one.
pub(super) type Answer = tiny_http::Response<Take<Cursor<Bytes>>>;

/// Decides what is answered.
pub(super) fn respond(request: &Request, site: &dyn Site, names: &Names) -> Response {
    if let Some(refusal) = refused(request, names) {
        return Response::Answer(refusal);
    }
    let (path, query) = request.url().split_once('?').unwrap_or((request.url(), ""));
    Response::Answer(match path {
        EVENTS | SOURCE if !is_own(request, names) => text(403, "This is answered to the preview's own pages only."),
        EVENTS => return Response::Stream,
        SOURCE => match site.locate(&parameters(query)) {
            Some(json) => whole(200, "application/json; charset=utf-8", json.into()),
            None => text(404, "There is no such place."),
        },
        _ => match resolve(site, path) {
            Some(Resolved::File(name, file)) => serve(request, &name, file),
            Some(Resolved::Folder) => {
                let query = &request.url()[path.len()..];
                with(text(301, "The page is at its path with a slash."), "Location", &format!("{path}/{query}"))
            }
            Some(Resolved::Missing(page)) => whole(404, &content_type("404.html"), page.bytes),
            None => text(400, "The path is not UTF-8, or holds a NUL."),
        },
    })
}

/// Returns why a request is not looked at.
fn refused(request: &Request, names: &Names) -> Option<Answer> {
    let hosts: Vec<&str> = values(request, "Host").collect();
    let [host] = hosts[..] else {
        return Some(text(400, "The request does not have one `Host` header."));
    };
    if !names.answers(host) {
        return Some(text(
            403,
            &format!(
                "The preview does not answer to this name. It answers at {}; for another name, start it with `--host`.",
                names.describe()
            ),
        ));
    }
    let is_read = matches!(request.method(), Method::Get | Method::Head);
    (!is_read).then(|| with(text(405, "Only GET and HEAD are answered."), "Allow", "GET, HEAD"))
}

/// Whether a request comes from a page of ours, or from no page.
fn is_own(request: &Request, names: &Names) -> bool {
    values(request, "Sec-Fetch-Site").all(|site| matches!(site, "same-origin" | "none"))
        && values(request, "Origin").all(|origin| names.is_own_origin(origin))
}

fn serve(request: &Request, name: &str, file: File) -> Answer {
    let (tag, kind) = (format!("\"{}\"", file.tag), content_type(name));
    let length = file.bytes.as_ref().len();
    if values(request, "If-None-Match").any(|known| has_tag(known, &tag)) {
        return with(whole(304, &kind, file.bytes), "ETag", &tag);
    }
    // A range is defined for GET alone, and does not count for a file that has changed.
    let asked = values(request, "Range").next().filter(|_| *request.method() == Method::Get);
    let is_current = values(request, "If-Range").all(|known| known == tag);
    let answer = match asked.filter(|_| is_current).and_then(|asked| range(asked, length)) {
        Some(range) if range.start >= length => {
            let answer = text(416, "The file does not have these bytes.");
            return with(answer, "Content-Range", &format!("bytes */{length}"));
        }
        Some(range) => {
            let place = format!("bytes {}-{}/{length}", range.start, range.end - 1);
            with(part(206, &kind, file.bytes, range), "Content-Range", &place)
        }
        None => whole(200, &kind, file.bytes),
    };
    with(with(answer, "ETag", &tag), "Accept-Ranges", "bytes")
}

/// Returns the values of a header, one for each time that the request has it.
pub(super) fn values<'a>(request: &'a Request, name: &'static str) -> impl Iterator<Item = &'a str> {
    request.headers().iter().filter(move |header| header.field.equiv(name)).map(|header| header.value.as_str())
}

/// Reads a query as forms write it. Of a name with several values, the first counts; what is not UTF-8 gets replacement
/// characters.
fn parameters(query: &str) -> BTreeMap<String, String> {
    let plain = |text: &str| String::from_utf8_lossy(&decoded(&text.replace('+', " "))).into_owned();
    let mut values = BTreeMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        values.entry(plain(name)).or_insert_with(|| plain(value));
    }
    values
}

/// Builds an answer that is a sentence, to be read by a person.
pub(super) fn text(status: u16, text: &str) -> Answer {
    whole(status, "text/plain; charset=utf-8", format!("{text}\n").into())
}

/// Adds a header. One that is not ASCII could not be sent.
pub(super) fn with(answer: Answer, name: &'static str, value: &str) -> Answer {
    match Header::from_bytes(name, value) {
        Ok(header) => answer.with_header(header),
        Err(()) => answer,
    }
}

fn whole(status: u16, kind: &str, bytes: Bytes) -> Answer {
    let length = bytes.as_ref().len();
    part(status, kind, bytes, 0..length)
}

fn part(status: u16, kind: &str, bytes: Bytes, range: Range<usize>) -> Answer {
    let mut body = Cursor::new(bytes);
    body.set_position(range.start as u64);
    let body = body.take(range.len() as u64);
    let answer = Answer::new(StatusCode(status), Vec::new(), body, Some(range.len()), None);
    let headers = [("Content-Type", kind), ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff")];
    // A long answer, too, says its length.
    let answer = answer.with_chunked_threshold(usize::MAX);
    headers.into_iter().fold(answer, |answer, (name, value)| with(answer, name, value))
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn pairs_are_decoded() {
        let values = parameters("path=%2Fa%2520b%2F&tag=1f&&x&tag=2&s=a+b%2B%zz&%C3%BC=%ff");
        let wanted = [("path", "/a%20b/"), ("s", "a b+%zz"), ("tag", "1f"), ("x", ""), ("ü", "\u{fffd}")];
        assert_eq!(values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>(), wanted);
        assert!(parameters("").is_empty());
    }
}
