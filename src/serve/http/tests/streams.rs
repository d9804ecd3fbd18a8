//! Event streams.

use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{File, Line, Pages, Site, get, limits, serve, serve_within, tag, until};
use crate::serve::http::Server;
use crate::serve::http::limits::Limits;

/// A page that listens; `tag` is the version that it has.
fn listen(server: &Server, path: &str, tag: Option<&str>) -> Line {
    let mut line = Line::to(server);
    let tag = tag.map(|tag| format!("&tag={tag}")).unwrap_or_default();
    let head = line.ask(&format!("/.infralens/events?path={path}{tag}")).answer_without_body();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream; charset=utf-8")));
    assert_eq!((head.header("cache-control"), head.header("content-length")), (Some("no-store"), None));
    assert_eq!(block(&mut line).as_deref(), Some("retry: 500\n"));
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

/// The version that the next event tells.
fn event(line: &mut Line) -> String {
    for _ in 0..3 {
        let block = block(line).expect("an open stream");
        if let Some(data) = block.strip_prefix("id: ").and_then(|rest| rest.split_once("\ndata: ")) {
            return data.1.trim_end().to_owned();
        }
        assert_eq!(block, ": ping\n");
    }
    panic!("pings, but no event");
}

#[test]
fn a_change_before_between_or_after_is_told_once() {
    let site = Pages::new("/", &[("index.html", "one"), ("other.html", "one")]);
    let server = serve(&site);
    // Before: the page has another version than the server.
    let mut old = listen(&server, "/", Some(&tag("zero")));
    let mut unknown = listen(&server, "/", None);
    assert_eq!((event(&mut old), event(&mut unknown)), (tag("one"), tag("one")));
    // It has the same, and so the next event is the next change.
    let mut current = listen(&server, "/", Some(&tag("one")));
    let mut other = listen(&server, "/other.html", Some(&tag("one")));
    for _ in 0..3 {
        server.notify();
    }
    // Between: changed, and told only after the page subscribed.
    site.set("index.html", "two");
    let mut between = listen(&server, "/", Some(&tag("one")));
    assert_eq!(event(&mut between), tag("two"));
    server.notify();
    server.notify();
    site.set("index.html", "three");
    site.set("other.html", "three");
    server.notify();
    for line in [&mut old, &mut unknown, &mut current] {
        let first = event(line);
        // Two changes in a row may be told as one.
        assert!(first == tag("three") || first == tag("two") && event(line) == tag("three"), "{first}");
    }
    assert_eq!((event(&mut between), event(&mut other)), (tag("three"), tag("three")));
}

#[test]
fn the_path_leads_where_a_request_would() {
    let site = Pages::new("/course/", &[("labs/index.html", "one"), ("a b.html", "one")]);
    let server = serve(&site);
    let mut pages: Vec<Line> =
        ["/labs/", "/labs", "/course/labs/", "/course/labs/index.html", "%2Fcourse%2Fa%2520b.html"]
            .map(|path| listen(&server, path, Some(&tag("one"))))
            .into();
    let mut missing = listen(&server, "/new/", Some(&tag("nothing at new/")));
    site.set("labs/index.html", "two");
    site.set("a b.html", "two");
    site.set("new/index.html", "two");
    server.notify();
    pages.push(missing);
    for line in &mut pages {
        assert_eq!(event(line), tag("two"));
    }
    missing = pages.pop().expect("a page");
    site.remove("new/index.html");
    server.notify();
    assert_eq!(event(&mut missing), tag("nothing at new/"));
}

#[test]
fn nothing_is_missed_or_doubled_while_pages_come_and_go() {
    let site = Pages::new("/", &[("index.html", "0")]);
    let server = serve(&site);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut known = tag("0");
                while !is_over.load(Ordering::SeqCst) || known != tag("last") {
                    let mut line = listen(&server, "/", Some(&known));
                    for _ in 0..5 {
                        if known == tag("last") {
                            break;
                        }
                        let told = event(&mut line);
                        assert_ne!(told, known, "an event that tells nothing new");
                        known = told;
                    }
                }
            });
        }
        for change in 1..300 {
            site.set("index.html", &change.to_string());
            server.notify();
            std::thread::sleep(Duration::from_millis(change % 3));
        }
        site.set("index.html", "last");
        server.notify();
        is_over.store(true, Ordering::SeqCst);
    });
}

#[test]
fn there_are_so_many_streams_and_one_that_left_makes_room() {
    let site = Pages::new("/", &[("index.html", "one")]);
    let server = serve_within(&site, Limits { streams: 2, ..limits() });
    let first = listen(&server, "/", None);
    let mut second = listen(&server, "/", None);
    let mut third = Line::to(&server);
    let told = third.ask("/.infralens/events?path=/").answer();
    assert_eq!((told.status, told.header("retry-after")), (503, Some("2")));
    assert_eq!(get(&server, "/").text(), "one", "other requests are not concerned");
    drop(first);
    until("a closed tab is noticed", || {
        Line::to(&server).ask("/.infralens/events?path=/").answer_without_body().status == 200
    });
    assert_eq!(event(&mut second), tag("one"));
}

#[test]
fn a_quiet_stream_says_that_it_is_alive() {
    let site = Pages::new("/", &[("index.html", "one")]);
    let server = serve_within(&site, Limits { ping: Duration::from_millis(50), ..limits() });
    let mut line = listen(&server, "/", Some(&tag("one")));
    for _ in 0..3 {
        assert_eq!(block(&mut line).as_deref(), Some(": ping\n"));
    }
}

#[test]
fn a_site_that_panics_does_not_end_the_streams() {
    let site = Pages::new("/", &[("index.html", "one")]);
    let server = serve(&site);
    let mut line = listen(&server, "/", Some(&tag("one")));
    let mut broken = Line::to(&server);
    assert_eq!(broken.ask("/.infralens/events?path=/panic.html").answer().status, 500);
    site.set("index.html", "two");
    server.notify();
    assert_eq!(event(&mut line), tag("two"));
}

/// A site whose versions are so long that a few of them fill every buffer.
struct Heavy(Arc<Pages>);

impl Site for Heavy {
    fn file(&self, path: &str) -> Option<File> {
        let file = self.0.file(path)?;
        Some(File { tag: file.tag.repeat(1 << 17).into(), ..file })
    }

    fn not_found(&self, path: &str) -> File {
        self.0.not_found(path)
    }

    fn base_path(&self) -> String {
        self.0.base_path()
    }

    fn version(&self) -> u64 {
        self.0.version()
    }

    fn locate(&self, query: &std::collections::BTreeMap<String, String>) -> Option<String> {
        self.0.locate(query)
    }
}

#[test]
fn a_page_that_takes_no_events_is_cut_and_holds_up_nobody() {
    let site = Pages::new("/", &[("index.html", "0"), ("other.html", "0")]);
    let heavy = Arc::new(Heavy(Arc::clone(&site)));
    let server = Server::limited(super::here().bind().expect("a free port"), heavy, Limits { streams: 1, ..limits() })
        .expect("a port");
    let _deaf = listen(&server, "/", None);
    until("the deaf page is cut", || {
        site.set("index.html", &site.version().to_string());
        server.notify();
        Line::to(&server).ask("/.infralens/events?path=/other.html").answer_without_body().status == 200
    });
}

#[test]
fn streams_end_with_the_server() {
    let site = Pages::new("/", &[("index.html", "one")]);
    let server = serve(&site);
    let mut line = listen(&server, "/", Some(&tag("one")));
    drop(server);
    assert!(line.is_ended());
}
