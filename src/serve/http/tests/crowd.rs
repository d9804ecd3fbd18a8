//! Many clients at once.

use std::time::{Duration, Instant};

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
    let mut idle = many(&server, 400, |_| {});
    let mut kept = many(&server, 100, |line| assert_eq!(line.ask("/").answer().status, 200));
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
    for line in idle.iter_mut().chain(&mut kept) {
        assert_eq!(line.ask("/").answer().text(), "<p>home", "an idle connection is not given up");
    }
    for mut line in slow.into_iter().take(3) {
        assert_eq!(line.answer().body, large.as_bytes(), "a slow client gets all of its answer");
    }
}

#[test]
fn when_all_places_are_taken_the_longest_idle_client_goes() {
    let server = serve_within(&Pages::new("/", &[("index.html", "<p>home")]), Limits { clients: 3, ..limits() });
    let mut first = Line::to(&server);
    assert_eq!(first.ask("/").answer().status, 200);
    let mut others = many(&server, 2, |line| assert_eq!(line.ask("/").answer().status, 200));
    assert_eq!(first.ask("/").answer().status, 200);
    let mut new = Line::to(&server);
    assert_eq!(new.ask("/").answer().status, 200);
    assert!(others[0].is_ended());
    for line in [&mut first, &mut others[1], &mut new] {
        assert_eq!(line.ask("/").answer().status, 200);
    }
}

#[test]
fn when_nobody_is_idle_a_new_client_is_told_so() {
    let large = "0123456789abcdef".repeat(1 << 20);
    let server = serve_within(&Pages::new("/", &[("large.txt", &large)]), Limits { clients: 2, ..limits() });
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
