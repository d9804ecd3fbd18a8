//! Requests and answers on one connection, and what a client may do to it.

use std::io::Read;
use std::net::{Shutdown, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Line, PATIENCE, Pages, get, limits, serve, serve_within, until};
use crate::serve::http::backend::{Backend, Service};
use crate::serve::http::client::{Client, Fate, Phase};
use crate::serve::http::handoff::{Handed, Handoff};
use crate::serve::http::head::HEAD_LIMIT;
use crate::serve::http::limits::Limits;
use crate::serve::http::names::Names;

const SHORT: Duration = Duration::from_millis(200);

fn pages() -> Arc<Pages> {
    Pages::new("/", &[("index.html", "<p>home"), ("labs/index.html", "<p>labs"), ("empty.txt", "")])
}

#[test]
fn a_connection_serves_one_request_after_another() {
    let server = serve(&pages());
    let mut line = Line::to(&server);
    for _ in 0..3 {
        assert_eq!(line.ask("/").answer().text(), "<p>home");
        assert_eq!(line.ask_with("HEAD", "/", "").answer_without_body().header("content-length"), Some("7"));
        assert_eq!(line.ask("/empty.txt").answer().text(), "");
        assert_eq!(line.ask("/nothing").answer().status, 404);
        assert_eq!(line.ask("/labs").answer().header("location"), Some("/labs/"));
        let tag = line.ask("/").answer().header("etag").map(str::to_owned).expect("a tag");
        let fresh = line.ask_with("GET", "/", &format!("If-None-Match: {tag}\r\n")).answer();
        assert_eq!((fresh.status, fresh.header("content-length")), (304, None));
        assert_eq!(line.ask_with("GET", "/", "Range: bytes=3-4\r\nExpect: 100-continue\r\n").answer().text(), "ho");
        assert_eq!(line.ask_with("BREW", "/", "").answer().status, 405);
        assert_eq!(line.ask_with("GET", "/", "Cookie: \u{fc}=\u{fc}\r\nUpgrade: h2c\r\n").answer().status, 200);
    }
}

#[test]
fn requests_that_come_at_once_are_answered_in_order() {
    let server = serve(&pages());
    let mut line = Line::to(&server);
    for index in 0..200 {
        line.ask(if index % 2 == 0 { "/" } else { "/labs/" });
    }
    for index in 0..200 {
        assert_eq!(line.answer().text(), if index % 2 == 0 { "<p>home" } else { "<p>labs" });
    }
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
fn the_connection_ends_where_the_client_wants_it() {
    let server = serve(&pages());
    let mut line = Line::to(&server);
    assert_eq!(line.ask_with("GET", "/", "Connection: close\r\n").answer().text(), "<p>home");
    assert!(line.is_ended());
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
        ("GET /\r\n".to_owned(), 400),
        ("\u{16}\u{3}\u{1}\u{2}".to_owned(), 400),
        ("GET / HTTP/1.1\n".to_owned(), 400),
        (format!("GET / HTTP/1.1\r\n{host}{host}\r\n"), 400),
        (format!("GET http://localhost:{port}/ HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("GET / HTTP/1.1\r\n{host}Content-Length: 5\r\n\r\nhello"), 400),
        (format!("POST / HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), 405),
        (format!("GET / HTTP/3.0\r\n{host}\r\n"), 505),
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
    assert!(foreign.status == 403 && foreign.text().contains(&format!("http://127.0.0.1:{port}/")));
}

#[test]
fn an_endless_head_is_cut() {
    let server = serve_within(&pages(), Limits { parting: SHORT, ..limits() });
    let mut line = Line::to(&server);
    line.send("GET / HTTP/1.1\r\nA: ");
    let start = Instant::now();
    let text = "x".repeat(64 * 1024);
    while line.try_send(&text).is_ok() {
        assert!(start.elapsed() < PATIENCE, "it goes on taking");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(get(&server, "/").status, 200);
}

#[test]
fn the_answer_to_an_endless_head_is_read_though_the_client_was_still_sending() {
    let server = serve_within(&pages(), Limits { parting: PATIENCE, ..limits() });
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
    let server = serve_within(&pages(), Limits { idle: SHORT, head: SHORT, stall: SHORT, ..limits() });
    let mut new = Line::to(&server);
    let mut kept = Line::to(&server);
    assert_eq!(kept.ask("/").answer().status, 200);
    let mut half = Line::to(&server);
    assert_eq!(half.send("GET / HT").answer().status, 408);
    assert!(half.is_ended() && new.is_ended() && kept.is_ended());
}

#[test]
fn a_head_that_drips_does_not_get_more_time() {
    let server = serve_within(&pages(), Limits { head: SHORT, parting: SHORT, ..limits() });
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
    let server = serve_within(&site, Limits { stall: SHORT * 5, ..limits() });
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
    assert_eq!(slow.ask("/nothing").answer().status, 404);
}

#[test]
fn a_panic_of_the_site_is_500_and_the_server_lives() {
    let server = serve(&pages());
    let mut line = Line::to(&server);
    for _ in 0..10 {
        assert_eq!(line.ask("/panic.html").answer().status, 500);
        assert_eq!(line.ask("/").answer().status, 200);
    }
}

#[test]
fn a_request_that_its_backend_did_not_answer_is_given_to_the_next_and_in_the_end_given_up() {
    let [door, backend] = [0, 0].map(|port| TcpListener::bind(("127.0.0.1", port)).expect("a free port"));
    let [at_door, at_backend] = [&door, &backend].map(|listener| listener.local_addr().expect("an address"));
    let mut line = Line::at(at_door);
    let now = Instant::now();
    let mut client = Client::new(door.accept().expect("a client").0, now).expect("a connection");
    line.ask("/");
    let mut fate = Fate::Stays;
    until("the request is there", || {
        fate = client.read(now);
        fate != Fate::Stays
    });
    let handoff = Arc::new(Handoff::default());
    let mut backends = 0;
    while fate == Fate::Asks {
        let _ = client.ask(at_backend, &handoff, now).expect("a connection");
        drop(backend.accept().expect("a request"));
        backends += 1;
        until("the broken connection is noticed", || {
            fate = client.relay(now);
            fate != Fate::Stays || client.phase() != Phase::Waiting
        });
    }
    assert_eq!((backends, line.answer().status), (3, 500));
}

#[test]
fn nobody_goes_round_the_door() {
    let names = Names::new("127.0.0.1", &["127.0.0.1:4000".parse().expect("an address")]);
    let service = Arc::new(Service::start(pages(), names, PATIENCE).expect("threads"));
    let backend = Backend::start(&service).expect("a port");
    let ask = |line: &mut Line, passage: u64| {
        line.send(&format!("GET / HTTP/1.1\r\nHost: localhost:4000\r\nInfralens-Passage: {passage}\r\n\r\n"));
    };
    let mut own = Line::at(backend.address());
    let ticket = service.handoff().open(own.stream().local_addr().expect("an address"));
    let mut foreign = Line::at(backend.address());
    ask(&mut foreign, ticket.number());
    assert_eq!(foreign.answer().status, 403, "another's passage");
    let mut foreign = Line::at(backend.address());
    let text = "GET / HTTP/1.1\r\nHost: localhost:4000\r\n\r\n";
    assert_eq!(foreign.send(text).answer().status, 403, "no passage");
    assert!(matches!(ticket.handed(), Handed::Nothing));
    ask(&mut own, ticket.number());
    let head = own.head().expect("an answer");
    match ticket.handed() {
        Handed::Answer(length, Some(body)) => assert_eq!((length, body.as_ref()), (head.len(), &b"<p>home"[..])),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_body_that_goes_round_the_door_is_not_waited_for() {
    let names = Names::new("127.0.0.1", &["127.0.0.1:4000".parse().expect("an address")]);
    let service = Arc::new(Service::start(pages(), names, PATIENCE).expect("threads"));
    let backend = Backend::start(&service).expect("a port");
    let send = |head: &str| {
        let mut line = Line::at(backend.address());
        line.send(&format!("{head} HTTP/1.1\r\nHost: localhost:4000\r\nConnection: close\r\n"));
        line
    };
    // More than there are handlers; the first two announce more than any machine has memory for.
    let lengths = [9_000_000_000_000_000, u64::MAX, 100_000, 100_000, 100_000];
    let bodies = lengths.map(|length| {
        let mut line = send("POST /");
        line.send(&format!("Content-Length: {length}\r\n\r\n"));
        line
    });
    // Another's connection may wait for one of `tiny_http`'s threads, of which these bodies have some.
    until("a handler is free", || {
        let mut line = send("GET /");
        line.stream().set_read_timeout(Some(SHORT)).expect("a time-out");
        line.send("\r\n").head().is_ok_and(|head| head.contains(" 403 "))
    });
    drop(bodies);
}

#[test]
fn a_request_whose_client_vanishes_reaches_the_backend_unbroken() {
    let [door, backend] = [0, 0].map(|port| TcpListener::bind(("127.0.0.1", port)).expect("a free port"));
    let [at_door, at_backend] = [&door, &backend].map(|listener| listener.local_addr().expect("an address"));
    let mut line = Line::at(at_door);
    let now = Instant::now();
    let mut client = Client::new(door.accept().expect("a client").0, now).expect("a connection");
    line.ask("/");
    until("the request is there", || client.read(now) == Fate::Asks);
    let handoff = Arc::new(Handoff::default());
    let _ = client.ask(at_backend, &handoff, now).expect("a connection");
    drop(client);
    let (mut taken, _) = backend.accept().expect("a request");
    let mut request = String::new();
    assert!(taken.peer_addr().is_ok(), "`tiny_http` panics where this is refused");
    taken.read_to_string(&mut request).expect("all of it");
    assert!(request.ends_with("\r\n\r\n"), "{request}");
}
