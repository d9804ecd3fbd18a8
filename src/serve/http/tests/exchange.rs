//! One request per connection, and what a client may do to it.

use std::io::Read;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use super::{Line, PATIENCE, Pages, get, here, limits, serve, serve_within, until};
use crate::serve::http::allowed_hosts::AllowedHosts;
use crate::serve::http::backend::{Backend, Service};
use crate::serve::http::connection::{Connection, Phase};
use crate::serve::http::events::Streams;
use crate::serve::http::head::{HEAD_LIMIT, Head};
use crate::serve::http::limits::Limits;
use crate::serve::http::{Address, Server};

const SHORT: Duration = Duration::from_millis(200);

fn pages() -> Arc<Pages> {
    Pages::new("/", &[("index.html", "<p>home"), ("labs/index.html", "<p>labs"), ("empty.txt", "")])
}

#[test]
fn a_connection_serves_one_request() {
    let server = serve(&pages());
    let ask = |method: &str, target: &str, headers: &str| {
        let mut line = Line::to(&server);
        let got = line.ask_with(method, target, headers).answer_without_body();
        assert_eq!(got.header("connection"), Some("close"), "{method} {target}");
        let mut body = Vec::new();
        line.reader.read_to_end(&mut body).expect("the whole body");
        super::Got { body, ..got }
    };
    let home = ask("GET", "/", "");
    assert_eq!((home.text(), home.header("content-length")), ("<p>home", Some("7")));
    assert!(home.header("date").is_some_and(|date| date.ends_with(" GMT")));
    let head = ask("HEAD", "/", "");
    assert_eq!((head.text(), head.header("content-length")), ("", Some("7")));
    assert_eq!(ask("GET", "/empty.txt", "").text(), "");
    assert_eq!(ask("GET", "/nothing", "").status, 404);
    assert_eq!(ask("GET", "/labs", "").header("location"), Some("/labs/"));
    let tag = home.header("etag").expect("a tag");
    let fresh = ask("GET", "/", &format!("If-None-Match: {tag}\r\n"));
    assert_eq!((fresh.status, fresh.text()), (304, ""));
    assert_eq!(ask("GET", "/", "Range: bytes=3-4\r\nExpect: 100-continue\r\n").text(), "ho");
    assert_eq!(ask("BREW", "/", "").status, 405);
    assert_eq!(ask("GET", "/", "Cookie: \u{fc}=\u{fc}\r\nUpgrade: h2c\r\nTE: chunked\r\n").text(), "<p>home");
    assert_eq!(ask("GET", "/\u{fc}", "").text(), "nothing at \u{fc}");
}

#[test]
fn what_comes_after_the_head_is_ignored() {
    let server = serve(&pages());
    for body in ["Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"] {
        for (method, status) in [("GET", 200), ("POST", 405)] {
            let mut line = Line::to(&server);
            let got = line.ask_with(method, "/", body).answer();
            assert_eq!((got.status, line.is_ended()), (status, true), "{method} {body:?}");
        }
    }
    let mut line = Line::to(&server);
    assert_eq!(line.ask("/").ask("/labs/").answer().text(), "<p>home");
    assert!(line.is_ended());
}

#[test]
fn a_head_may_come_byte_by_byte() {
    let server = serve(&pages());
    let mut line = Line::to(&server);
    for byte in format!("GET / HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", line.port).bytes() {
        line.send(&char::from(byte).to_string());
    }
    assert_eq!(line.answer().text(), "<p>home");
}

#[test]
fn old_and_half_closed_clients_are_answered() {
    let server = serve(&pages());
    let mut line = Line::to(&server);
    let port = line.port;
    assert_eq!(line.send(&format!("GET / HTTP/1.0\r\nHost: localhost:{port}\r\n\r\n")).answer().text(), "<p>home");
    assert!(line.is_ended());
    let mut line = Line::to(&server);
    line.ask("/").stream().shutdown(Shutdown::Write).expect("an open connection");
    assert_eq!(line.answer().text(), "<p>home", "half a connection can take an answer");
    assert!(line.is_ended());
}

#[test]
fn what_is_no_request_is_answered_and_ends_the_connection() {
    let server = serve(&pages());
    let port = server.local_addr().port();
    let host = format!("Host: localhost:{port}\r\n");
    for (text, status) in [
        ("GET /\r\n\r\n".to_owned(), 400),
        ("\u{16}\u{3}\u{1}\u{2}".to_owned(), 400),
        ("GET / HTTP/1.1\n".to_owned(), 400),
        (format!("GET / HTTP/1.1\r\n{host}{host}\r\n"), 400),
        (format!("GET http://localhost:{port}/ HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("GET / HTTP/2.0\r\n{host}\r\n"), 400),
        (format!("GET / HTTP/3.0\r\n{host}\r\n"), 400),
        (format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(HEAD_LIMIT)), 431),
    ] {
        let mut line = Line::to(&server);
        let answer = line.send(&text).answer();
        assert_eq!(answer.status, status, "{text:?}");
        assert_eq!(answer.header("connection"), Some("close"));
        assert!(!answer.text().is_empty() && line.is_ended(), "{text:?}");
    }
    assert_eq!(Line::to(&server).send("GET / HTTP/1.1\r\n\r\n").answer().status, 400);
    let foreign = Line::to(&server).send("GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n").answer();
    assert!(foreign.status == 403 && foreign.text().contains("127.0.0.1"));
}

#[test]
fn every_answer_says_that_others_may_not_embed_it() {
    let server = serve(&pages());
    let tag = get(&server, "/").header("etag").expect("a tag").to_owned();
    let host = format!("Host: localhost:{}\r\n", server.local_addr().port());
    let fetched = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: script\r\n";
    for (text, status) in [
        (format!("GET / HTTP/1.1\r\n{host}\r\n"), 200),
        (format!("HEAD / HTTP/1.1\r\n{host}\r\n"), 200),
        (format!("GET / HTTP/1.1\r\n{host}Range: bytes=0-0\r\n\r\n"), 206),
        (format!("GET /labs HTTP/1.1\r\n{host}\r\n"), 301),
        (format!("GET / HTTP/1.1\r\n{host}If-None-Match: {tag}\r\n\r\n"), 304),
        (format!("GET /\r\n{host}\r\n"), 400),
        (format!("GET /%ff HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("GET / HTTP/1.1\r\n{host}{fetched}\r\n"), 403),
        ("GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n".to_owned(), 403),
        (format!("GET /nothing HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("POST / HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("GET / HTTP/1.1\r\n{host}Range: bytes=99-\r\n\r\n"), 416),
        (format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(HEAD_LIMIT)), 431),
        (format!("GET /panic.html HTTP/1.1\r\n{host}\r\n"), 500),
        (format!("GET /.infralens/events HTTP/1.1\r\n{host}\r\n"), 200),
        (format!("GET /.infralens/source?note=1 HTTP/1.1\r\n{host}\r\n"), 200),
        (format!("GET /.infralens/source HTTP/1.1\r\n{host}\r\n"), 404),
    ] {
        let got = Line::to(&server).send(&text).answer_without_body();
        assert_eq!(got.status, status, "{text:?}");
        assert_eq!(got.header("cross-origin-resource-policy"), Some("same-origin"), "{text:?}");
        assert_eq!(got.header("content-security-policy"), Some("frame-ancestors 'self'"), "{text:?}");
        assert_eq!(got.header("x-content-type-options"), Some("nosniff"), "{text:?}");
    }
}

#[test]
fn an_editor_may_show_pages_where_it_was_asked_to() {
    let text = "GET / HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n\
                Sec-Fetch-Dest: iframe\r\n\r\n";
    for (in_editor, status, ancestors) in
        [(false, 403, "frame-ancestors 'self'"), (true, 200, "frame-ancestors 'self' vscode-webview: vscode-file:")]
    {
        let bound = Address { in_editor, ..here() }.bind().expect("a free port");
        let server = Server::with_limits(bound, pages(), limits()).expect("threads");
        let got = Line::to(&server).send(text).answer_without_body();
        assert_eq!((got.status, got.header("content-security-policy")), (status, Some(ancestors)));
        let script = text.replace("navigate", "no-cors").replace("iframe", "script");
        assert_eq!(Line::to(&server).send(&script).answer_without_body().status, 403, "nothing but a frame");
    }
}

#[test]
fn an_endless_head_is_cut() {
    let server = serve_within(&pages(), Limits { close_timeout: SHORT, ..limits() });
    let mut line = Line::to(&server);
    line.send("GET / HTTP/1.1\r\nA: ");
    let text = "x".repeat(64 * 1024);
    let sent = (0..1000).take_while(|_| line.try_send(&text).is_ok()).count();
    assert!(sent < 320, "{} MiB were taken", sent / 16);
    assert_eq!(get(&server, "/").status, 200);
}

#[test]
fn the_answer_to_an_endless_head_is_read_though_the_client_was_still_sending() {
    let server = serve_within(&pages(), Limits { close_timeout: PATIENCE, ..limits() });
    let mut line = Line::to(&server);
    line.send("GET / HTTP/1.1\r\nA: ");
    for _ in 0..20 {
        line.send(&"x".repeat(HEAD_LIMIT));
        std::thread::sleep(SHORT / 20);
    }
    assert_eq!(line.answer().status, 431);
}

#[test]
fn those_who_wait_too_long_are_cut() {
    let server = serve_within(&pages(), Limits { idle: SHORT, head: SHORT, close_timeout: SHORT, ..limits() });
    let mut new = Line::to(&server);
    let mut lingers = Line::to(&server);
    assert_eq!(lingers.ask("/").answer().status, 200);
    let mut half = Line::to(&server);
    assert_eq!(half.send("GET / HT").answer().status, 408);
    assert!(half.is_ended() && new.is_ended());
    until("no more is taken", || lingers.try_send("x").is_err());
}

#[test]
fn a_head_that_drips_does_not_get_more_time() {
    let server = serve_within(&pages(), Limits { head: SHORT, close_timeout: SHORT, ..limits() });
    let mut line = Line::to(&server);
    let start = Instant::now();
    line.send("GET /");
    while line.try_send("a").is_ok() {
        assert!(start.elapsed() < PATIENCE, "it goes on waiting");
        std::thread::sleep(SHORT / 10);
    }
}

#[test]
fn a_client_that_takes_nothing_is_cut_and_one_that_is_slow_is_not() {
    let site = Pages::new("/", &[("large.txt", &"0123456789abcdef".repeat(1 << 20))]);
    let server = serve_within(&site, Limits { stall_timeout: SHORT * 5, ..limits() });
    let (mut stalled, mut slow) = (Line::to(&server), Line::to(&server));
    stalled.ask("/large.txt");
    let length = slow.ask("/large.txt").answer_without_body().header("content-length").map(str::to_owned);
    assert_eq!(length.as_deref(), Some("16777216"));
    let mut taken = 0;
    let mut part = vec![0; 1 << 20];
    while taken < 1 << 24 {
        taken += slow.reader.read(&mut part).expect("a slow client is served");
        std::thread::sleep(SHORT / 2);
    }
    let mut all = Vec::new();
    let end = stalled.reader.read_to_end(&mut all);
    assert!(end.is_err() || all.len() < 1 << 24, "{} bytes were kept for it", all.len());
    assert!(slow.is_ended());
}

#[test]
fn a_panic_of_the_site_is_500_and_the_server_lives() {
    let server = serve(&pages());
    for _ in 0..10 {
        let failed = get(&server, "/panic.html");
        assert!(failed.status == 500 && failed.text().contains("terminal"));
        assert_eq!(get(&server, "/").status, 200);
    }
}

/// A client of the guard that has sent a request, and its other end.
fn asking() -> (Connection, Line) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let mut line = Line::at(listener.local_addr().expect("an address"));
    let mut client =
        Connection::new(listener.accept().expect("a client").0, Instant::now(), limits()).expect("a connection");
    line.ask("/");
    until("the request is there", || {
        client.advance(PollFlags::IN, PollFlags::empty(), Instant::now()).expect("an open connection");
        client.phase == Phase::Queued
    });
    (client, line)
}

fn connect(backend: &TcpListener) -> impl FnOnce(&Head) -> std::io::Result<TcpStream> {
    let address = backend.local_addr().expect("an address");
    move |_| {
        let stream = TcpStream::connect(address)?;
        stream.set_nonblocking(true)?;
        Ok(stream)
    }
}

#[test]
fn a_request_that_its_backend_did_not_answer_is_given_to_the_next_and_in_the_end_given_up() {
    let (mut client, mut line) = asking();
    let backend = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let now = Instant::now();
    for _ in 0..3 {
        client.forward(connect(&backend)).expect("a connection");
        drop(backend.accept().expect("a request"));
        until("the broken connection is noticed", || {
            client.advance(PollFlags::empty(), PollFlags::IN, now).expect("an open connection");
            client.phase == Phase::Queued
        });
    }
    for flags in [PollFlags::empty(), PollFlags::OUT] {
        client.advance(flags, PollFlags::empty(), now + limits().response_timeout).expect("an open connection");
    }
    assert_eq!(line.answer().status, 503);
}

#[test]
fn a_request_whose_client_vanishes_reaches_the_backend_unbroken() {
    let (mut client, line) = asking();
    let backend = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    client.forward(connect(&backend)).expect("a connection");
    drop((client, line));
    let (taken, _) = backend.accept().expect("a request");
    assert!(taken.peer_addr().is_ok(), "`tiny_http` panics where this is refused");
}

/// A backend without a guard.
fn backend() -> Backend {
    let names = AllowedHosts::new(["127.0.0.1"], &["127.0.0.1:4000".parse().expect("an address")]);
    let service = Arc::new(Service::new(pages(), names, Streams::new(1, PATIENCE)));
    Backend::start(service).expect("a port")
}

#[test]
fn nobody_goes_round_the_guard() {
    let mut backend = backend();
    let address = backend.address().expect("it runs");
    for key in ["", "Infralens-Key: 0123456789abcdef0123456789abcdef\r\n", "Infralens-Key: \r\n"] {
        let mut foreign = Line::at(address);
        let answer = foreign.send(&format!("GET / HTTP/1.1\r\nHost: localhost:4000\r\n{key}\r\n")).answer();
        assert!(answer.status == 403 && !answer.text().contains("home"), "{key}");
    }
    let mut head = Head::default();
    assert_eq!(head.push(b"GET / HTTP/1.1\r\nHost: localhost:4000\r\n\r\n"), Ok(true));
    let mut own = backend.forward(&head).expect("a connection");
    own.set_nonblocking(false).expect("a connection");
    let mut answer = String::new();
    own.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\n<p>home"), "{answer}");
}

#[test]
fn a_body_that_goes_round_the_guard_is_not_waited_for() {
    let backend = backend();
    let send = |head: &str| {
        let mut line = Line::at(backend.address().expect("it runs"));
        line.send(&format!("{head} HTTP/1.1\r\nHost: localhost:4000\r\nConnection: close\r\n"));
        line
    };
    // The first two announce more than any machine has memory for.
    let lengths = [9_000_000_000_000_000, u64::MAX, 100_000, 100_000, 100_000];
    let bodies = lengths.map(|length| {
        let mut line = send("POST /");
        line.send(&format!("Content-Length: {length}\r\n\r\n"));
        line
    });
    // Another's connection may wait for one of `tiny_http`'s threads, of which these bodies have some.
    until("a request is answered", || {
        let mut line = send("GET /");
        line.stream().set_read_timeout(Some(SHORT)).expect("a time-out");
        line.send("\r\n").head().is_ok_and(|head| head.contains(" 403 "))
    });
    drop(bodies);
}
