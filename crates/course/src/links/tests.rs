//! The record of links to other sites: what is written, what is read, and what follows from it.

use super::*;

fn day(text: &str) -> Date {
    Date::parse(text).expect("a day")
}

fn visit(status: &str, day: Date) -> Visit {
    Visit::new(Status::parse(status).expect("a status"), day)
}

fn read(text: &str) -> (Links, Vec<String>) {
    let source = Source::new("content/links.yaml", text);
    let (links, diagnostics) = Links::read(&source);
    (links, diagnostics.into_iter().map(|found| format!("{} {}", found.code.id, found.message)).collect())
}

#[test]
fn what_is_written_is_read() {
    let mut links = Links::default();
    let mut page = visit("200", day("2026-11-26"));
    page.moved_to = Url::parse("https://b.example/").ok();
    page.leads_to = Url::parse("https://b.example/login?to=%2F&x=1").ok();
    page.title = Some("A: \"b\" # c".into());
    page.anchors = anchors([("volume", Anchor::Found), ("L3", Anchor::Unknown), (": #", Anchor::Missing)]);
    links.add("https://a.example/x?y=1&z#", page.clone());
    assert_eq!(read(&links.text()).1, ["E0108 the key `https://a.example/x?y=1&z#` is not an address"]);
    let mut links = Links::default();
    links.add("https://a.example/x?y=1&z", page);
    links.add("http://a.example/a:", visit("time-out", day("2026-11-25")));
    links.add("http://例え.example/道", visit("404", day("2026-11-25")));
    let (again, found) = read(&links.text());
    assert_eq!(found, [""; 0]);
    assert_eq!(again.text(), links.text());
    assert_eq!(again.visits.len(), 3);
    let page = again.get("https://a.example/x?y=1&z").expect("a visit");
    assert_eq!(page.title.as_deref(), Some("A: \"b\" # c"));
    assert_eq!(
        (page.anchor(": #"), page.anchor("L3"), page.anchor("x")),
        (Some(Anchor::Missing), Some(Anchor::Unknown), None)
    );
}

#[test]
fn errors_are_reported_and_hide_what_was_visited() {
    let (links, found) = read(
        "https://a.example/:\n  status: 20\n  day: 2026-11-26\nexample.org: { status: 200, day: 2026-11-26 }\n\
         https://b.example/: { status: 200 }\n",
    );
    assert_eq!(
        found,
        [
            "E0108 `https://a.example/.status` must be an HTTP status such as 200, or a word such as `time-out`",
            "E0108 the key `example.org` is not an address",
            "E0107 required key `https://b.example/.day` is missing: it must be a date such as 2026-11-21",
        ]
    );
    assert!(!links.is_new("https://c.example/"));
    assert!(read("https://a.example/: { status: 200, day: 2026-11-26 }\n").0.is_new("https://c.example/"));
    assert!(!Links::default().is_new("https://c.example/"), "nothing is said where nothing is recorded");
}

#[test]
fn a_host_is_dead_when_it_was_unknown_on_two_days() {
    let mut links = Links::default();
    let mut add = |status, text| {
        links.add("https://a.example/", visit(status, day(text)));
        let visit = &links.visits["https://a.example/"];
        (visit.is_dead(), visit.since.map(|since| since.to_string()))
    };
    assert_eq!(add("unknown-host", "2026-11-01"), (false, Some("2026-11-01".into())));
    assert_eq!(add("unknown-host", "2026-11-01"), (false, Some("2026-11-01".into())));
    assert_eq!(add("unknown-host", "2026-11-02"), (true, Some("2026-11-01".into())));
    assert_eq!(add("200", "2026-11-03"), (false, None));
    assert_eq!(add("unknown-host", "2026-11-04"), (false, Some("2026-11-04".into())));
    assert_eq!(add("404", "2026-11-04"), (true, Some("2026-11-04".into())));
    assert_eq!(add("410", "2026-11-05"), (true, Some("2026-11-05".into())));
    for unknown in ["403", "429", "500", "time-out", "certificate", "robots", "private", "no-connection"] {
        assert!(!add(unknown, "2026-11-06").0 && !add(unknown, "2026-11-07").0, "{unknown}");
    }
}

#[test]
fn what_a_page_had_is_known_while_it_does_not_answer() {
    let mut links = Links::default();
    let mut page = visit("200", day("2026-11-01"));
    page.title = Some("T".into());
    page.anchors = anchors([("a", Anchor::Found)]);
    links.add("https://a.example/", page);
    links.add("https://a.example/", visit("time-out", day("2026-11-02")));
    let known = &links.visits["https://a.example/"];
    assert_eq!((known.title.as_deref(), known.anchor("a")), (Some("T"), Some(Anchor::Found)));
    links.add("https://a.example/", visit("404", day("2026-11-03")));
    assert_eq!(links.visits["https://a.example/"].title, None);
}

#[test]
fn an_address_has_an_anchor() {
    assert_eq!(parts("https://a.example/x#y"), Some(("https://a.example/x", Some("y"))));
    assert_eq!(parts("https://a.example/x#"), Some(("https://a.example/x", None)));
    for other in ["mailto:a@b.example", "ftp://a.example", "https://", "https://u@a.example/", "https://a.example/ x"] {
        assert_eq!(parts(other), None, "{other}");
    }
    assert_eq!(parts(&format!("https://a.example/{}", "x".repeat(MAX_ADDRESS))), None);
}
