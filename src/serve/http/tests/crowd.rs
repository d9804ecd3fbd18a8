//! Many clients at once.

use std::time::{Duration, Instant};

use rustix::net::sockopt::set_socket_linger;

use super::{Line, Pages, get, limits, serve, serve_within, until};
use crate::serve::http::Server;
use crate::serve::http::limits::Limits;

/// Far more than an answer takes, and far less than waiting for any of the crowd would.
const PROMPT: Duration = Duration::from_secs(5);

fn many(server: &Server, count: usize, act: impl Fn(&mut Line)) -> Vec<Line> {
    let open = |_| {
        let mut line = Line::to(server);
        act(&mut line);
        line
    };
    (0..count).map(open).collect()
}

#[test]
fn a_crowd_of_idle_and_slow_clients_delays_nobody() {
    let large = "0123456789abcdef".repeat(1 << 20);
    let server = serve(&Pages::new("/", &[("index.html", "<p>home"), ("large.txt", &large)]));
    let mut idle = many(&server, 500, |_| {});
    let _partial = many(&server, 50, |line| {
        line.send("GET / HTTP/1.1\r\nHost: loc");
    });
    let slow = many(&server, 200, |line| {
        line.ask("/large.txt");
    });
    let _streams = many(&server, 50, |line| {
        line.ask("/.infralens/events");
    });
    for _ in 0..20 {
        let start = Instant::now();
        assert_eq!(get(&server, "/").text(), "<p>home");
        assert!(start.elapsed() < PROMPT, "{:?}", start.elapsed());
    }
    for line in &mut idle {
        assert_eq!(line.ask("/").answer().text(), "<p>home", "an idle connection is not given up");
    }
    for mut line in slow.into_iter().take(3) {
        assert_eq!(line.answer().body, large.as_bytes(), "a slow client gets all of its answer");
    }
}

#[test]
fn a_burst_of_requests_is_passed_on_and_ends_no_other_connection() {
    let site = Pages::new("/", &[("index.html", "<p>home")]);
    for _ in 0..3 {
        let server = serve(&site);
        let mut all = many(&server, 700, |_| {});
        let (idle, asking) = all.split_at_mut(200);
        for line in &mut *asking {
            line.ask("/");
        }
        for line in asking {
            assert_eq!(line.answer().text(), "<p>home");
        }
        for line in idle {
            assert_eq!(line.ask("/").answer().text(), "<p>home", "an idle connection is not given up");
        }
    }
}

#[test]
fn when_all_places_are_taken_the_longest_idle_client_goes() {
    let server =
        serve_within(&Pages::new("/", &[("index.html", "<p>home")]), Limits { max_connections: 3, ..limits() });
    let mut all = many(&server, 3, |_| {});
    all[1].send("GET / HT");
    all.extend(many(&server, 1, |_| {}));
    assert!(all[0].is_ended());
    let port = all[1].port;
    all[1].send(&format!("TP/1.1\r\nHost: localhost:{port}\r\n\r\n"));
    assert_eq!(all[1].answer().status, 200);
    for line in &mut all[2..] {
        assert_eq!(line.ask("/").answer().status, 200);
    }
}

#[test]
fn a_new_client_gets_503_when_no_connection_is_idle() {
    let large = "0123456789abcdef".repeat(1 << 20);
    let server = serve_within(&Pages::new("/", &[("large.txt", &large)]), Limits { max_connections: 2, ..limits() });
    let slow = many(&server, 2, |line| {
        line.ask("/large.txt").answer_without_body();
    });
    let mut new = Line::to(&server);
    let told = new.answer();
    assert_eq!((told.status, told.header("connection")), (503, Some("close")));
    assert!(told.header("retry-after").is_some() && new.is_ended());
    drop(slow);
    until("there is room again", || Line::to(&server).ask("/").answer_without_body().status == 404);
}

#[test]
fn requests_wait_for_one_another_where_there_is_room_for_one() {
    let server = serve_within(&Pages::new("/", &[("index.html", "<p>home")]), Limits { requests: 1, ..limits() });
    let mut all = many(&server, 100, |line| {
        line.ask("/");
    });
    for line in &mut all {
        assert_eq!(line.answer().text(), "<p>home");
    }
}

#[test]
fn clients_that_reset_their_connections_give_back_their_places() {
    let large = "0123456789abcdef".repeat(1 << 20);
    let site = Pages::new("/", &[("index.html", "<p>home"), ("large.txt", &large)]);
    let server = serve_within(&site, Limits { max_connections: 40, requests: 4, streams: 2, ..limits() });
    for round in 0..200 {
        let mut line = Line::to(&server);
        match round % 5 {
            0 => {}
            1 => _ = line.send("GET / HT"),
            2 => _ = line.ask("/large.txt"),
            3 => _ = line.ask("/large.txt").answer_without_body(),
            _ => _ = line.ask("/.infralens/events"),
        }
        set_socket_linger(line.stream(), Some(Duration::ZERO)).expect("an open connection");
    }
    let start = Instant::now();
    assert_eq!(get(&server, "/").text(), "<p>home");
    assert!(start.elapsed() < PROMPT, "{:?}", start.elapsed());
}
