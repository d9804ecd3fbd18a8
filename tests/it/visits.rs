//! `infralens links`: visits the addresses of other sites, here of a server on this machine, and records what they answer.
//! `crates/links` has the tests of the visits themselves, with hostile servers.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::harness::{SiteTest, contents, program};

/// Starts a server. Returns its address, and the paths that it was asked for.
fn serve() -> (String, Arc<Mutex<BTreeMap<String, usize>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::<Mutex<BTreeMap<String, usize>>>::default();
    let seen = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let seen = Arc::clone(&seen);
            thread::spawn(move || answer(&stream, &seen));
        }
    });
    (address, asked)
}

/// Answers a request: what a path says, and a page with its path as title for all others.
fn answer(mut stream: &TcpStream, asked: &Mutex<BTreeMap<String, usize>>) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    lines.for_each(drop);
    *asked.lock().expect("a map").entry(path.to_owned()).or_default() += 1;
    let (status, header, body) = match path {
        "/robots.txt" => ("404 Not Found", String::new(), String::new()),
        _ if path.contains("gone") => ("404 Not Found", String::new(), String::new()),
        _ if path.contains("busy") => ("403 Forbidden", String::new(), String::new()),
        "/old" => ("301 Moved Permanently", "location: /new\r\n".to_owned(), String::new()),
        _ => {
            let body = format!("<!doctype html><title>At {path}</title><h2 id=a>A</h2>");
            ("200 OK", "content-type: text/html\r\n".to_owned(), body)
        }
    };
    let sent = if method == "HEAD" { "" } else { &*body };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{header}\r\n");
    let _ = stream.write_all([head.as_bytes(), sent.as_bytes()].concat().as_slice());
}

fn run(test: &SiteTest, arguments: &[&str]) -> (Option<i32>, String) {
    let output = test.run(arguments);
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn record(test: &SiteTest) -> String {
    String::from_utf8(contents(&test.root())["content/links.yaml"].clone()).expect("UTF-8")
}

#[test]
#[cfg(feature = "links")]
fn what_links_answer_is_recorded_and_checked_without_a_visit() {
    let (address, asked) = serve();
    let test = SiteTest::from_dir("minimal");
    let page = format!(
        "---\ntitle: A\n---\n\n[old]({address}/old#a) [gone]({address}/gone) [busy]({address}/busy) [page]({address}/page#b)\n\
         `{address}/code`\n"
    );
    test.write("content/a.md", page);
    let (code, output) = run(&test, &["links", "a"]);
    assert!(code == Some(0) && output.contains("private: ") && output.contains("visited 4 addresses"), "{output}");
    assert!(asked.lock().expect("a map").is_empty(), "nothing on this machine is visited unless that is wanted");

    let (code, output) = run(&test, &["links", "--allow-private"]);
    assert!(code == Some(0) && output.contains(&format!("404: {address}/gone\n")), "{output}");
    assert!(
        output.contains("visited 4 addresses") && output.contains("2 answered, 1 of them moved for good"),
        "{output}"
    );
    let recorded = record(&test);
    let day = "  day: 2026-11-21\n";
    for entry in [
        format!("{address}/gone:\n  status: 404\n{day}  since: 2026-11-21\n"),
        format!("{address}/busy:\n  status: 403\n{day}  since: 2026-11-21\n"),
        format!(
            "{address}/old:\n  status: 200\n{day}  moved_to: \"{address}/new\"\n  title: At /new\n  anchors:\n    a: found\n"
        ),
        format!("{address}/page:\n  status: 200\n{day}  title: At /page\n  anchors:\n    b: missing\n"),
    ] {
        assert!(recorded.contains(&entry), "{recorded}");
    }
    assert!(!recorded.contains("/code"), "{recorded}");

    let before = asked.lock().expect("a map").clone();
    let (code, output) = run(&test, &["check"]);
    assert!(code == Some(0) && output.contains("warning[dead-link]: ") && output.contains("1 warning\n"), "{output}");
    assert_eq!(output.matches("hint[dead-link]: ").count(), 2, "{output}");
    assert_eq!(run(&test, &["check", "--strict"]).0, Some(1));
    assert_eq!(run(&test, &["build"]).0, Some(0));
    assert!(!test.public().join("links.yaml").exists(), "the record is not published");
    assert!(run(&test, &["links", "--allow-private", "--stale", "7d"]).1.contains("visited 0 addresses"));
    assert_eq!(*asked.lock().expect("a map"), before, "nothing else visits");

    let tomorrow = program(&test.root())
        .args(["links", "--allow-private"])
        .env("SOURCE_DATE_EPOCH", "1795305600")
        .output()
        .expect("the program runs");
    assert!(tomorrow.status.success());
    let recorded = record(&test);
    assert!(recorded.contains("/gone:\n  status: 404\n  day: 2026-11-22\n  since: 2026-11-21\n"), "{recorded}");
    assert!(recorded.contains("/page:\n  status: 200\n  day: 2026-11-21\n"), "{recorded}");

    test.remove("content/a.md");
    test.write("content/b.md", format!("---\ntitle: B\n---\n\n<{address}/page>\n"));
    run(&test, &["links", "--allow-private"]);
    assert!(!record(&test).contains("/gone"), "what is no longer linked to is no longer recorded");
    test.write("content/links.yaml", "x: [\n");
    let (code, output) = run(&test, &["links", "--allow-private"]);
    assert!(code == Some(2) && output.starts_with("error: `content/links.yaml` has an error: "), "{output}");
}

/// All addresses of this project's own course, each with a stand-in on this machine.
#[test]
#[cfg(feature = "links")]
fn the_addresses_of_the_own_course_are_visited() {
    let (address, asked) = serve();
    let test = SiteTest::own();
    let root = test.root().display().to_string();
    for (path, bytes) in contents(&test.root()) {
        // A README of starters has links, too.
        let is_text = path.ends_with(".md") || path.ends_with(".yaml");
        if let Some(page) = String::from_utf8(bytes).ok().filter(|_| is_text) {
            let local = page.replace("https://", "http://").replace("http://", &format!("{address}/"));
            test.write(&path, local);
        }
    }
    let (code, output) = run(&test, &["links", "--allow-private", "--limit", "100000", "--root", &root]);
    assert_eq!(code, Some(0), "{output}");
    let recorded = record(&test);
    let addresses: Vec<&str> = recorded.lines().filter(|line| !line.starts_with([' ', '#'])).collect();
    let asked = asked.lock().expect("a map");
    assert!(addresses.len() > 50 && output.contains(&format!("visited {} addresses", addresses.len())), "{output}");
    for line in addresses {
        let path = line.trim_end_matches(':').strip_prefix(&address).expect("an address of the stand-in");
        let path = if path.is_empty() { "/" } else { path };
        assert_eq!(asked.get(path), Some(&2), "{line}: a HEAD, and a GET for the title");
    }
}

#[test]
#[cfg(not(feature = "links"))]
fn without_the_feature_nothing_is_visited() {
    let (_, asked) = serve();
    let (code, output) = run(&SiteTest::from_dir("minimal"), &["links"]);
    assert!(code == Some(2) && output.starts_with("error: this program cannot visit addresses: "), "{output}");
    assert!(asked.lock().expect("a map").is_empty());
}
