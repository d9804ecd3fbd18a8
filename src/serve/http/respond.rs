//! What is answered to a request: a pure function of the request, the site and the names of the server.
//!
//! 1. the `Host` must be ours, the method GET or HEAD;
//! 2. the event stream and the source of a place are for our own pages alone;
//! 3. anything else is a file, a way to it, or the page that is shown where there is none.

use super::answer::{Answer, Body};
use super::condition::{Asked, none_match_has, range};
use super::head::Request;
use super::kind::content_type;
use super::names::Names;
use super::query;
use super::resolve::{Resolved, resolve};
use super::{File, Site};

/// Where the event stream is.
const EVENTS: &str = "/.infralens/events";
/// Where it is said where something on a page is written.
const SOURCE: &str = "/.infralens/source";

/// What is answered.
#[derive(Debug)]
pub(super) enum Response {
    /// An answer, at once.
    Answer(Answer),
    /// An event stream.
    Stream,
}

/// Answers a request.
pub(super) fn respond(request: &Request, site: &dyn Site, names: &Names) -> Response {
    let is_head = request.method == "HEAD";
    match decide(request, site, names) {
        Response::Answer(answer) => Response::Answer(Answer { is_head, ..answer }),
        Response::Stream if is_head => Response::Answer(stream()),
        Response::Stream => Response::Stream,
    }
}

/// The head of an event stream, which ends with its connection.
pub(super) fn stream() -> Answer {
    let headers = vec![
        ("Content-Type", "text/event-stream; charset=utf-8".to_owned()),
        ("Cache-Control", "no-store".to_owned()),
        ("X-Content-Type-Options", "nosniff".to_owned()),
    ];
    Answer { status: 200, headers, body: None, is_head: false }.closing()
}

/// Whether a request is for the event stream, of which there are fewer than of other requests.
pub(super) fn is_for_stream(request: &Request) -> bool {
    request.method == "GET" && request.target.split('?').next() == Some(EVENTS)
}

fn decide(request: &Request, site: &dyn Site, names: &Names) -> Response {
    if let Some(refusal) = refused(request, names) {
        return Response::Answer(refusal);
    }
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let is_foreign = !is_own(request, names) && matches!(path, EVENTS | SOURCE);
    Response::Answer(match path {
        EVENTS | SOURCE if is_foreign => Answer::text(403, "This is answered to the preview's own pages only."),
        EVENTS => return Response::Stream,
        SOURCE => match site.locate(&query::parse(query)) {
            Some(json) => {
                let length = json.len();
                Answer::new(200, "application/json; charset=utf-8", Body::new(json.into(), 0..length))
            }
            None => Answer::text(404, "There is no such place."),
        },
        _ => match resolve(site, path) {
            Ok(Resolved::File(name, file)) => serve(request, &name, file),
            Ok(Resolved::Folder) => redirect(path, &request.target),
            Ok(Resolved::Missing(page)) => {
                let length = page.bytes.as_ref().len();
                Answer::new(404, content_type("404.html"), Body::new(page.bytes, 0..length))
            }
            Err(_) => Answer::text(400, "The path is not UTF-8, or holds a NUL."),
        },
    })
}

/// Why a request is not looked at.
fn refused(request: &Request, names: &Names) -> Option<Answer> {
    let Some(host) = request.headers.get("host") else {
        return Some(Answer::text(400, "The request has no `Host` header."));
    };
    if !names.answers(host) {
        return Some(Answer::text(
            403,
            &format!(
                "The preview does not answer to this name. It answers at {}; for another name, start it with `--host`.",
                names.describe()
            ),
        ));
    }
    (!matches!(request.method.as_str(), "GET" | "HEAD")).then(Answer::wrong_method)
}

/// Whether a request comes from a page of ours, or from no page.
fn is_own(request: &Request, names: &Names) -> bool {
    let site = request.headers.get("sec-fetch-site").map(String::as_str);
    matches!(site, None | Some("same-origin" | "none"))
        && request.headers.get("origin").is_none_or(|origin| names.is_own_origin(origin))
}

fn redirect(path: &str, target: &str) -> Answer {
    let query = &target[path.len()..];
    Answer::text(301, "The page is at its path with a slash.").with("Location", format!("{path}/{query}"))
}

fn serve(request: &Request, name: &str, file: File) -> Answer {
    let header = |name: &str| request.headers.get(name).map(String::as_str);
    let length = file.bytes.as_ref().len();
    let asked = match header("range") {
        // A range is defined for GET alone.
        Some(asked) if request.method == "GET" => range(asked, header("if-range"), &file.tag, length),
        _ => Asked::Whole,
    };
    let tag = &file.tag;
    let (status, range) = match asked {
        _ if header("if-none-match").is_some_and(|known| none_match_has(known, tag)) => {
            let answer = Answer { body: None, ..Answer::new(304, content_type(name), Body::new(file.bytes, 0..0)) };
            return answer.with("ETag", format!("\"{tag}\""));
        }
        Asked::Unsatisfiable => {
            return Answer::text(416, "The file does not have these bytes.")
                .with("Content-Range", format!("bytes */{length}"));
        }
        Asked::Part(range) => (206, range),
        Asked::Whole => (200, 0..length),
    };
    let part = (status == 206).then(|| format!("bytes {}-{}/{length}", range.start, range.end - 1));
    let answer = Answer::new(status, content_type(name), Body::new(file.bytes, range))
        .with("ETag", format!("\"{tag}\""))
        .with("Accept-Ranges", "bytes");
    match part {
        Some(part) => answer.with("Content-Range", part),
        None => answer,
    }
}
