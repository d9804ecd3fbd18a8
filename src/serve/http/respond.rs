//! Decides the reply to a request: a pure function of the request, the site and the allowed hosts.
//!
//! 1. the `Host` must be allowed, and the method GET or HEAD; pages of other origins may only link to the site;
//! 2. the event stream, source locations and fixes, which are the only POST, are only for the preview's own pages;
//! 3. any other path is a file, a redirect to one, or the 404 page.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Take};
use std::ops::Range;

use tiny_http::{Header, Method, Request, StatusCode};

use super::allowed_hosts::AllowedHosts;
use super::conditional::{has_tag, range};
use super::resolve::{Resolved, resolve};
use super::{File, Site};
use infralens_source::output::{Bytes, content_type};
use infralens_source::url::decoded;

/// The path of the event stream.
const EVENTS: &str = "/.infralens/events";
/// The path that returns the source of a place on a page.
const SOURCE: &str = "/.infralens/source";
/// The path that makes a fix.
const APPLY: &str = "/.infralens/apply";

/// The reply to a request.
pub(super) enum Reply {
    /// A complete response.
    Response(Response),
    EventStream,
}

/// A complete response, whose body is a file or part of one.
pub(super) type Response = tiny_http::Response<Take<Cursor<Bytes>>>;

pub(super) fn respond(request: &Request, site: &dyn Site, hosts: &AllowedHosts) -> Reply {
    if let Some(response) = rejection(request, hosts) {
        return Reply::Response(response);
    }
    let (path, query) = request.url().split_once('?').unwrap_or((request.url(), ""));
    Reply::Response(match path {
        EVENTS | SOURCE | APPLY if !is_own(request, hosts) => {
            text_response(403, "Only the preview's own pages may request this.")
        }
        APPLY if *request.method() != Method::Post => with_header(text_response(405, "Only POST."), "Allow", "POST"),
        APPLY => match site.apply(&query_parameters(query)) {
            Some(Ok(())) => text_response(200, "The fix is made."),
            Some(Err(reason)) => text_response(409, &reason),
            None => text_response(403, "Only the panel of a page may request this, and only on this machine."),
        },
        EVENTS => return Reply::EventStream,
        SOURCE => match site.locate(&query_parameters(query)) {
            Some(json) => full_response(200, "application/json; charset=utf-8", json.into()),
            None => text_response(404, "There is no such place."),
        },
        _ => match resolve(site, path) {
            Some(Resolved::File(name, file)) => file_response(request, &name, file),
            Some(Resolved::Folder) => {
                let query = &request.url()[path.len()..];
                let redirect = text_response(301, "The URL of this page ends with a slash.");
                with_header(redirect, "Location", &format!("{path}/{query}"))
            }
            Some(Resolved::Missing(page)) => full_response(404, &content_type("404.html"), page.bytes),
            None => text_response(400, "The path is not UTF-8, or contains a NUL."),
        },
    })
}

/// Returns the response to a request with another host or method, or from a page of another origin that does more than
/// link here; `None` if the request is accepted.
fn rejection(request: &Request, allowed: &AllowedHosts) -> Option<Response> {
    let hosts: Vec<&str> = header_values(request, "Host").collect();
    let [host] = hosts[..] else {
        return Some(text_response(400, "The request does not have exactly one `Host` header."));
    };
    if !allowed.answers(host) {
        let message = format!(
            "The preview does not answer to this name. It answers to {}, with any port. For another name that leads here, \
             such as that of a proxy, add `--host NAME` to the command.",
            allowed.describe()
        );
        return Some(text_response(403, &message));
    }
    let changes = request.url().split('?').next() == Some(APPLY) && *request.method() == Method::Post;
    // A browser names the page that posts.
    if changes && header_values(request, "Origin").next().is_none() {
        return Some(text_response(403, "The request does not say which page it comes from."));
    }
    if !changes && !matches!(request.method(), Method::Get | Method::Head) {
        return Some(with_header(text_response(405, "Only GET and HEAD are supported."), "Allow", "GET, HEAD"));
    }
    let is_allowed =
        is_own_fetch(request) || is_link(request, "document") || allowed.in_editor && is_link(request, "iframe");
    (!is_allowed).then(|| text_response(403, "Other sites may link to the preview, but not embed or read it."))
}

/// Whether a request comes from a page of the preview, or from no page, as far as the browser says. Browsers do not say it
/// where the address is neither of this machine nor encrypted; there, [`RESPONSE_HEADERS`](super::head::RESPONSE_HEADERS)
/// keep other sites from reading the response.
fn is_own_fetch(request: &Request) -> bool {
    header_values(request, "Sec-Fetch-Site").all(|site| matches!(site, "same-origin" | "none"))
}

/// Whether a request replaces the page that the reader sees, as the click on a link does, or in an editor the page in its
/// frame, in which no other site can show one.
fn is_link(request: &Request, destination: &str) -> bool {
    let is = |name, wanted: &str| header_values(request, name).eq([wanted]);
    is("Sec-Fetch-Mode", "navigate") && is("Sec-Fetch-Dest", destination)
}

/// Whether a request comes from a page of the preview, or from no page.
fn is_own(request: &Request, hosts: &AllowedHosts) -> bool {
    is_own_fetch(request) && header_values(request, "Origin").all(|origin| hosts.is_own_origin(origin))
}

fn file_response(request: &Request, name: &str, file: File) -> Response {
    let (tag, kind) = (format!("\"{}\"", file.tag), content_type(name));
    let length = file.bytes.as_ref().len();
    if header_values(request, "If-None-Match").any(|known| has_tag(known, &tag)) {
        return with_header(full_response(304, &kind, file.bytes), "ETag", &tag);
    }
    // A range is defined for GET only, and is ignored if the file has changed.
    let requested = header_values(request, "Range").next().filter(|_| *request.method() == Method::Get);
    let is_current = header_values(request, "If-Range").all(|known| known == tag);
    let response = match requested.filter(|_| is_current).and_then(|header| range(header, length)) {
        Some(range) if range.start >= length => {
            let response = text_response(416, "The file does not have these bytes.");
            return with_header(response, "Content-Range", &format!("bytes */{length}"));
        }
        Some(range) => {
            let place = format!("bytes {}-{}/{length}", range.start, range.end - 1);
            with_header(response(206, &kind, file.bytes, range), "Content-Range", &place)
        }
        None => full_response(200, &kind, file.bytes),
    };
    with_header(with_header(response, "ETag", &tag), "Accept-Ranges", "bytes")
}

pub(super) fn header_values<'a>(request: &'a Request, name: &'static str) -> impl Iterator<Item = &'a str> {
    request.headers().iter().filter(move |header| header.field.equiv(name)).map(|header| header.value.as_str())
}

/// Parses a query in the form that HTML forms write. If a name has several values, the first counts. Bytes that are
/// not UTF-8 become replacement characters.
fn query_parameters(query: &str) -> BTreeMap<String, String> {
    let plain = |text: &str| String::from_utf8_lossy(&decoded(&text.replace('+', " "))).into_owned();
    let mut values = BTreeMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        values.entry(plain(name)).or_insert_with(|| plain(value));
    }
    values
}

/// Builds a response that is a sentence for a person to read.
pub(super) fn text_response(status: u16, text: &str) -> Response {
    full_response(status, "text/plain; charset=utf-8", format!("{text}\n").into())
}

/// Adds a header, unless its value is not ASCII and so cannot be sent.
pub(super) fn with_header(response: Response, name: &'static str, value: &str) -> Response {
    match Header::from_bytes(name, value) {
        Ok(header) => response.with_header(header),
        Err(()) => response,
    }
}

fn full_response(status: u16, kind: &str, bytes: Bytes) -> Response {
    let length = bytes.as_ref().len();
    response(status, kind, bytes, 0..length)
}

/// Builds a response whose body is a range of `bytes`.
fn response(status: u16, kind: &str, bytes: Bytes, range: Range<usize>) -> Response {
    let mut body = Cursor::new(bytes);
    body.set_position(range.start as u64);
    let body = body.take(range.len() as u64);
    let response = Response::new(StatusCode(status), Vec::new(), body, Some(range.len()), None);
    let headers = [("Content-Type", kind), ("Cache-Control", "no-cache")];
    // With a length, however long it is.
    let response = response.with_chunked_threshold(usize::MAX);
    headers.into_iter().fold(response, |response, (name, value)| with_header(response, name, value))
}

#[cfg(test)]
mod tests {
    use super::query_parameters;

    #[test]
    fn pairs_are_decoded() {
        let values = query_parameters("path=%2Fa%2520b%2F&tag=1f&&x&tag=2&s=a+b%2B%zz&%C3%BC=%ff");
        let wanted = [("path", "/a%20b/"), ("s", "a b+%zz"), ("tag", "1f"), ("x", ""), ("ü", "\u{fffd}")];
        assert_eq!(values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>(), wanted);
        assert!(query_parameters("").is_empty());
    }
}
