//! Event streams.

use std::io::BufRead;
use std::time::Duration;

use super::{Line, Pages, get, limits, serve, serve_within, until};
use crate::serve::http::Server;
use crate::serve::http::limits::Limits;

/// A ping, as far as an empty line.
const PING: &str = "event: ping\ndata: .\n";

/// A browser that listens.
fn listen(server: &Server) -> Line {
    let mut line = Line::to(server);
    let head = line.ask("/.infralens/events").answer_without_body();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream; charset=utf-8")));
    assert_eq!((head.header("cache-control"), head.header("content-length")), (Some("no-store"), None));
    line
}

/// What comes until an empty line.
fn block(line: &mut Line) -> Option<String> {
    let mut text = String::new();
    while !text.ends_with("\n\n") {
        if line.reader.read_line(&mut text).expect("an event in time") == 0 {
            return None;
        }
    }
    text.pop();
    Some(text)
}

/// What the next event says.
fn event(line: &mut Line) -> String {
    for _ in 0..3 {
        let block = block(line).expect("an open stream");
        if let Some(data) = block.strip_prefix("data: ") {
            return data.trim_end_matches('\n').to_owned();
        }
        assert_eq!(block, PING);
    }
    panic!("pings, but no event");
}

/// The version that the next event tells.
fn version(line: &mut Line) -> u64 {
    event(line).split(' ').next().and_then(|version| version.parse().ok()).expect("a number")
}

#[test]
fn a_change_is_reported_whenever_it_happens() {
    let site = Pages::new("/", &[("index.html", "one")]);
    let server = serve(&site);
    let mut old = listen(&server);
    assert_eq!(event(&mut old), "1 ", "the state at its beginning");
    site.set("index.html", "two");
    // Between: changed, and told only after the browser subscribed.
    let mut between = listen(&server);
    assert_eq!(event(&mut between), "2 ");
    server.notify("/course/a.html");
    for line in [&mut old, &mut between] {
        assert_eq!(event(line), "2 /course/a.html", "with the page to be shown");
    }
    site.set("index.html", "three");
    server.notify("");
    assert_eq!((event(&mut old), event(&mut between)), ("3 ".to_owned(), "3 ".to_owned()));
}

#[test]
fn nothing_is_missed_while_browsers_come_and_go() {
    let site = Pages::new("/", &[("index.html", "0")]);
    let server = serve(&site);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut known = 0;
                while known < 300 {
                    let mut line = listen(&server);
                    for _ in 0..5 {
                        known = version(&mut line);
                        if known == 300 {
                            break;
                        }
                    }
                }
            });
        }
        for change in 1..300 {
            site.set("index.html", &change.to_string());
            server.notify("");
            std::thread::sleep(Duration::from_millis(change % 3));
        }
    });
}

#[test]
fn there_are_so_many_streams_and_one_that_left_makes_room() {
    let site = Pages::new("/", &[("index.html", "one")]);
    let server = serve_within(&site, Limits { streams: 2, ..limits() });
    let first = listen(&server);
    let mut second = listen(&server);
    let mut third = Line::to(&server);
    let told = third.ask("/.infralens/events").answer();
    assert_eq!((told.status, told.header("retry-after")), (503, Some("2")));
    assert_eq!(get(&server, "/").text(), "one", "other requests are not concerned");
    drop(first);
    until("a closed tab is noticed", || {
        Line::to(&server).ask("/.infralens/events").answer_without_body().status == 200
    });
    assert_eq!(event(&mut second), "1 ");
}

#[test]
fn a_quiet_stream_says_that_it_is_alive() {
    let site = Pages::new("/", &[("index.html", "one")]);
    let ping = Duration::from_millis(50);
    let server = serve_within(&site, Limits { ping, ..limits() });
    let mut line = listen(&server);
    assert_eq!(event(&mut line), "1 ");
    for _ in 0..3 {
        assert_eq!(block(&mut line).as_deref(), Some(PING));
    }
}

#[test]
fn a_browser_that_reads_no_events_is_disconnected() {
    let site = Pages::new("/", &[("index.html", "0")]);
    let server = serve_within(&site, Limits { streams: 2, stall_timeout: Duration::from_millis(500), ..limits() });
    let _deaf = listen(&server);
    let mut other = listen(&server);
    assert_eq!(event(&mut other), "1 ");
    // A few of these fill every buffer.
    let long = "x".repeat(1 << 20);
    for _ in 0..20 {
        server.notify(&long);
        assert_eq!(event(&mut other).len(), long.len() + 2);
    }
    until("the deaf browser is cut", || {
        Line::to(&server).ask("/.infralens/events").answer_without_body().status == 200
    });
}

#[test]
fn a_stream_lives_longer_than_any_answer_may_stall() {
    let site = Pages::new("/", &[("index.html", "0")]);
    let (stall, ping) = (Duration::from_millis(500), Duration::from_millis(50));
    let server = serve_within(&site, Limits { stall_timeout: stall, ping, ..limits() });
    let mut line = listen(&server);
    assert_eq!(event(&mut line), "1 ");
    for _ in 0..30 {
        assert_eq!(block(&mut line).as_deref(), Some(PING));
    }
}

#[test]
fn a_head_of_a_stream_is_no_stream() {
    let server = serve(&Pages::new("/", &[]));
    let mut line = Line::to(&server);
    let head = line.ask_with("HEAD", "/.infralens/events", "").answer_without_body();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream; charset=utf-8")));
    assert!(line.is_ended());
}

#[test]
fn streams_end_with_the_server() {
    let site = Pages::new("/", &[("index.html", "one")]);
    let server = serve(&site);
    let mut line = listen(&server);
    assert_eq!(event(&mut line), "1 ");
    drop(server);
    assert!(line.is_ended());
}
