//! Visits of a server on this machine that gives each kind of answer, also slow and hostile ones.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::*;

/// A server, and what it was asked.
struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(answer: impl Fn(&str, &str, &mut dyn Write) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (asked, answer) = (Arc::<Mutex<Vec<String>>>::default(), Arc::new(answer));
        let server = Self { port, asked: Arc::clone(&asked) };
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { continue };
                let (asked, answer) = (Arc::clone(&asked), Arc::clone(&answer));
                thread::spawn(move || {
                    let Some((method, path, host)) = head(&stream) else { return };
                    lock(&asked).push(format!("{method} {host}{path}"));
                    let mut stream = stream;
                    answer(&method, &path, &mut stream);
                    let _ = stream.shutdown(Shutdown::Both);
                });
            }
        });
        server
    }

    fn options(&self) -> Options {
        let lead = |name: &str| (name.to_owned(), Some(SocketAddr::from(([127, 0, 0, 1], self.port))));
        let names = ["a.example", "b.example", "c.example", "xn--fsqu00a.example"].map(lead);
        let names = names.into_iter().chain([("gone.example".to_owned(), None)]).collect();
        let day = Date::parse("2026-11-26").expect("a day");
        Options { names, time: Duration::from_millis(1500), ..Options::new(day) }
    }

    /// Visits addresses, whose anchors are written with them, and returns what each answered, in a line.
    fn visit(&self, links: &[&str]) -> Vec<String> {
        Self::visit_with(&self.options(), links)
    }

    fn visit_with(options: &Options, links: &[&str]) -> Vec<String> {
        let wanted = links.iter().map(|link| {
            let (address, anchor) = link.split_once('#').map_or((*link, None), |(link, anchor)| (link, Some(anchor)));
            Wanted { address, anchors: anchor.into_iter().flat_map(|anchors| anchors.split(',')).collect() }
        });
        let steps = AtomicUsize::new(0);
        let step = || {
            steps.fetch_add(1, Ordering::SeqCst);
        };
        let visits = visit(&wanted.collect::<Vec<_>>(), options, &step);
        assert_eq!(steps.into_inner(), links.len());
        visits.iter().map(|visit| visit.as_ref().map_or_else(|| "later".to_owned(), line)).collect()
    }

    fn asked(&self) -> Vec<String> {
        let mut asked = std::mem::take(&mut *lock(&self.asked));
        asked.sort();
        asked
    }
}

/// Reads the head of a request: its method, path, and host.
fn head(stream: &TcpStream) -> Option<(String, String, String)> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let first = lines.next()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let rest: Vec<String> = lines.map(|line| line.to_ascii_lowercase()).collect();
    assert!(!rest.iter().any(|line| line.starts_with("cookie:")), "no cookies: {rest:?}");
    assert!(rest.iter().any(|line| line.starts_with("user-agent: infralens/")), "{rest:?}");
    let host = rest.iter().find_map(|line| line.strip_prefix("host: "))?.to_owned();
    Some((method, path, host))
}

fn line(visit: &Visit) -> String {
    let mut line = visit.status.to_string();
    for (name, address) in [("moved to", &visit.moved_to), ("leads to", &visit.leads_to)] {
        line.extend(address.iter().map(|address| format!(", {name} {}", &**address)));
    }
    line.extend(visit.title.iter().map(|title| format!(", {title}")));
    line.extend(visit.anchors.0.iter().map(|(anchor, state)| format!(", {} {}", anchor.value, state.name())));
    line
}

/// Answers with a status, headers and a body, which a HEAD does not get.
fn answer(method: &str, out: &mut dyn Write, status: &str, headers: &str, body: &str) {
    let body_sent = if method == "HEAD" { "" } else { body };
    let length = body.len();
    let _ =
        write!(out, "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body_sent}");
}

const HTML: &str = "content-type: text/html; charset=utf-8\r\nset-cookie: a=b\r\n";

#[test]
fn answers_are_told_apart() {
    let server = Server::start(|method, path, out| {
        let page = "<title>A page</title><h2 id=x>X</h2>";
        match path {
            "/file.pdf" => answer(method, out, "200 OK", "content-type: application/pdf\r\n", "%PDF"),
            "/no-head" if method == "HEAD" => answer(method, out, "405 Method Not Allowed", "", ""),
            "/head-is-missing" if method == "HEAD" => answer(method, out, "404 Not Found", "", ""),
            "/head-hangs-up" if method == "HEAD" => {}
            "/page" | "/%C3%BC?q=%C3%BC" | "/no-head" | "/head-is-missing" | "/head-hangs-up" => {
                answer(method, out, "200 OK", HTML, page);
            }
            "/gone" => answer(method, out, "410 Gone", HTML, ""),
            "/refused" => answer(method, out, "403 Forbidden", HTML, ""),
            "/broken" => answer(method, out, "500 Internal Server Error", HTML, ""),
            _ => answer(method, out, "404 Not Found", HTML, "<title>Not found</title>"),
        }
    });
    let found = server.visit(&[
        "http://a.example/page#x,y,L3",
        "http://a.example/ü?q=ü",
        "http://a.example/file.pdf#page=2",
        "http://a.example/no-head",
        "http://a.example/head-is-missing",
        "http://a.example/head-hangs-up",
        "http://a.example/none#x",
        "http://a.example/gone",
        "http://a.example/refused",
        "http://a.example/broken",
        "http://gone.example/",
        "http://例子.example/page",
    ]);
    assert_eq!(
        found,
        [
            "200, A page, L3 unknown, x found, y missing",
            "200, A page",
            "200, page=2 unknown",
            "200, A page",
            "200, A page",
            "200, A page",
            "404",
            "410",
            "403",
            "500",
            "unknown-host",
            "200, A page",
        ]
    );
    let asked = server.asked();
    let times = |request: &str| asked.iter().filter(|asked| *asked == request).count();
    assert_eq!((times("GET a.example/robots.txt"), times("GET a.example/file.pdf")), (1, 0), "{asked:?}");
    assert_eq!((times("HEAD a.example/page"), times("GET a.example/page")), (1, 1));
}

#[test]
fn a_host_is_asked_one_thing_at_a_time_and_hosts_side_by_side() {
    let (now, most) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let (of_host, of_all) = (Arc::clone(&now), Arc::clone(&most));
    let server = Server::start(move |method, path, out| {
        if path.starts_with("/to/") {
            return answer(
                method,
                out,
                "302 Found",
                &format!("location: http://a.example{path}/\r\n").replacen("/to", "", 1),
                "",
            );
        }
        if path != "/robots.txt" {
            of_all.fetch_max(of_host.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(40));
            of_host.fetch_sub(1, Ordering::SeqCst);
        }
        answer(method, out, "200 OK", "content-type: text/plain\r\n", "");
    });
    let links = ["a.example/1", "a.example/2", "b.example/to/3", "b.example/to/4", "c.example/to/5", "c.example/to/6"];
    let links = links.map(|link| format!("http://{link}"));
    let found = server.visit(&links.each_ref().map(String::as_str));
    assert!(found.iter().all(|found| found.starts_with("200")), "{found:?}");
    assert_eq!(most.swap(0, Ordering::SeqCst), 1, "also by redirects from other hosts");
    server.visit(&["http://a.example/1", "http://b.example/1", "http://c.example/1"]);
    assert!(most.load(Ordering::SeqCst) > 1, "one host does not wait for another");
}

#[test]
fn redirects_are_followed_and_those_for_good_are_told_apart() {
    let server = Server::start(|method, path, out| {
        let (status, to) = match path {
            "/old" => ("301 Moved Permanently", "/new"),
            "/older" => ("308 Permanent Redirect", "http://b.example/old#there"),
            "/today" => ("302 Found", "/new"),
            "/mixed" => ("301 Moved Permanently", "/today"),
            "/back" => ("302 Found", "/old"),
            "/lost" => ("301 Moved Permanently", "/none"),
            "/loop" => ("301 Moved Permanently", "/pool"),
            "/pool" => ("302 Found", "/loop"),
            "/self" => ("302 Found", "/self"),
            "/ftp" => ("302 Found", "ftp://a.example/"),
            "/inside" => ("302 Found", "http://127.0.0.1:1/"),
            "/new" => return answer(method, out, "200 OK", HTML, "<title>New</title><p id=a>"),
            _ if path.starts_with("/long") => {
                let next = format!("location: {path}g\r\n");
                return answer(method, out, "302 Found", &next, "");
            }
            _ => return answer(method, out, "404 Not Found", HTML, ""),
        };
        answer(method, out, status, &format!("location: {to}\r\n"), "");
    });
    let links = ["old#a", "older", "today", "mixed", "back", "lost", "loop", "self", "ftp", "inside", "long", "new"];
    let links = links.map(|path| format!("http://a.example/{path}"));
    let found = server.visit(&links.each_ref().map(String::as_str));
    assert_eq!(
        found,
        [
            "200, moved to http://a.example/new, New, a found",
            "200, moved to http://b.example/new, New",
            "200, leads to http://a.example/new, New",
            "200, moved to http://a.example/today, leads to http://a.example/new, New",
            "200, leads to http://a.example/new, New",
            "404",
            "redirects",
            "redirects",
            "302",
            "private",
            "redirects",
            "200, New",
        ]
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the time is what is tested")]
fn a_host_is_asked_as_it_wants_to_be() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let server = Server::start(move |method, path, out| match path {
        "/robots.txt" => {
            answer(method, out, "200 OK", "content-type: text/plain\r\n", "User-agent: *\nDisallow: /private\n");
        }
        "/busy" => answer(method, out, "429 Too Many Requests", "retry-after: 1\r\n", ""),
        "/soon" if counted.fetch_add(1, Ordering::SeqCst) == 0 => {
            answer(method, out, "503 Service Unavailable", "retry-after: 1\r\n", "");
        }
        "/away" => answer(method, out, "429 Too Many Requests", "retry-after: Fri, 31 Dec 2100 23:59:59 GMT\r\n", ""),
        _ => answer(method, out, "200 OK", HTML, "<title>Here</title>"),
    });
    let before = Instant::now();
    let found = server.visit(&[
        "http://a.example/private/x", "http://a.example/soon", "http://a.example/open", "http://a.example/busy",
        "http://a.example/left", "http://b.example/away", "http://b.example/left",
    ]);
    assert_eq!(found, ["robots", "200, Here", "200, Here", "429", "later", "429", "later"]);
    let took = before.elapsed();
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(10), "{took:?}");
    let asked = server.asked();
    assert!(!asked.iter().any(|asked| asked.contains("/private") || asked.contains("/left")), "{asked:?}");
}

#[test]
fn rules_that_cannot_be_read_forbid() {
    let server = Server::start(|method, path, out| match path {
        "/robots.txt" => answer(method, out, "500 Internal Server Error", "", ""),
        _ => answer(method, out, "200 OK", HTML, ""),
    });
    assert_eq!(server.visit(&["http://a.example/x"]), ["robots"]);
    assert_eq!(server.asked(), ["GET a.example/robots.txt"]);
    let server = Server::start(|method, path, out| match path {
        "/robots.txt" => answer(method, out, "302 Found", "location: http://b.example/r\r\n", ""),
        "/r" => answer(method, out, "200 OK", "", "user-agent: infralens\ndisallow: /x"),
        _ => answer(method, out, "200 OK", HTML, ""),
    });
    assert_eq!(server.visit(&["http://a.example/x", "http://a.example/y"]), ["robots", "200"]);
}

/// Sends a text until nobody reads it any more.
fn forever(out: &mut dyn Write, text: &str) {
    while out.write_all(text.as_bytes()).is_ok() {}
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the time is what is tested")]
fn hostile_answers_end() {
    let server = Server::start(|_, path, out| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<title>T</title>";
        let filler = "x".repeat(1 << 16);
        match path {
            "/robots.txt" => {
                let _ = out.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
            }
            "/silent" => thread::sleep(Duration::from_secs(4)),
            "/endless" => forever(out, &format!("{head}{filler}")),
            "/headers" => {
                let _ = out.write_all(b"HTTP/1.1 200 OK\r\n");
                forever(out, &format!("x: {filler}\r\n"));
            }
            "/drip" => {
                let _ = out.write_all(head.as_bytes());
                for _ in 0..40 {
                    thread::sleep(Duration::from_millis(100));
                    let _ = out.write_all(b"<p>");
                }
            }
            "/continue" => forever(out, "HTTP/1.1 100 Continue\r\n\r\n"),
            "/other" => {
                let _ = out.write_all(b"220 a.example ESMTP\r\n");
            }
            "/not-gzip" => {
                let _ = out
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-encoding: gzip\r\n\r\nnot gzip");
            }
            _ => {
                let _ = out.write_all(
                    b"HTTP/1.1 200 OK\r\ncontent-length: 99999\r\ncontent-type: text/html\r\n\r\n<title>Cut",
                );
            }
        }
    });
    let paths = ["silent", "endless", "headers", "drip", "continue", "other", "not-gzip", "cut#a"];
    // Each has its own host, so that they are not waited for one after the other.
    let mut options = server.options();
    let local = SocketAddr::from(([127, 0, 0, 1], server.port));
    options.names = paths.iter().map(|path| (format!("{}.example", path.replace("#a", "")), Some(local))).collect();
    let links = paths.map(|path| format!("http://{}.example/{path}", path.replace("#a", "")));
    let before = Instant::now();
    let found = Server::visit_with(&options, &links.each_ref().map(String::as_str));
    assert_eq!(
        found,
        ["time-out", "200, T", "not-http", "200, T", "not-http", "not-http", "200", "200, Cut, a unknown"]
    );
    assert!(before.elapsed() < Duration::from_secs(20), "{:?}", before.elapsed());
}

#[test]
fn private_addresses_are_visited_only_if_that_is_wanted() {
    let server = Server::start(|method, _, out| answer(method, out, "200 OK", HTML, "<title>Inside</title>"));
    let links = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "127.1"];
    let links = links.map(|host| format!("http://{host}:{}/", server.port));
    let links = links.each_ref().map(String::as_str);
    assert_eq!(server.visit(&links), ["private"; 5]);
    assert_eq!(server.asked(), [""; 0]);
    let options = Options { allow_private: true, ..server.options() };
    assert_eq!(Server::visit_with(&options, &links[..2]), ["200, Inside"; 2]);
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    assert_eq!(Server::visit_with(&options, &[&format!("http://{closed}/")]), ["no-connection"]);
}

/// A certificate for `a.example`, which no system trusts, and its key.
const CERTIFICATE: &[u8] = include_bytes!("tests/a.example.der");
const KEY: &[u8] = include_bytes!("tests/a.example.key.der");

/// Starts a server with TLS that answers every request with a page.
fn start_tls() -> Server {
    use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(KEY.to_vec()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key)
        .expect("a certificate");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let Ok(mut connection) = rustls::ServerConnection::new(Arc::clone(&config)) else { continue };
            let mut tls = rustls::Stream::new(&mut connection, &mut stream);
            let mut start = [0; 4];
            if tls.read_exact(&mut start).is_ok() {
                let method = if start == *b"HEAD" { "HEAD" } else { "GET" };
                answer(method, &mut tls, "200 OK", HTML, "<title>Sealed</title>");
                connection.send_close_notify();
                let _ = connection.write_tls(&mut stream);
            }
        }
    });
    Server { port, asked: Arc::default() }
}

#[test]
fn wrong_certificates_are_refused() {
    let server = start_tls();
    assert_eq!(server.visit(&["https://a.example/"]), ["certificate"], "nobody has signed it");
    let options = Options { trusted: vec![CERTIFICATE.to_vec()], ..server.options() };
    assert_eq!(Server::visit_with(&options, &["https://a.example/"]), ["200, Sealed"]);
    assert_eq!(Server::visit_with(&options, &["https://b.example/"]), ["certificate"], "it is for another host");
    let plain = Server::start(|method, _, out| answer(method, out, "200 OK", HTML, ""));
    assert_eq!(plain.visit(&["https://a.example/"]), ["no-connection"], "it has no TLS");
}

#[test]
fn pictures_are_fetched_within_limits() {
    let server = Server::start(|method, path, out| match path {
        "/a.png" | "/e.svg" => answer(method, out, "200 OK", "content-type: image/png\r\n", "\u{89}PNG"),
        "/moved.png" => answer(method, out, "301 Moved", "location: /a.png\r\n", ""),
        "/page.png" => answer(method, out, "200 OK", HTML, "<title>No</title>"),
        "/large.png" => {
            answer(method, out, "200 OK", "content-type: image/png\r\n", &"x".repeat((10 << 20) + 1));
        }
        "/loop.png" => answer(method, out, "302 Found", "location: /loop.png\r\n", ""),
        "/short.png" => {
            let _ = write!(out, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\ncontent-type: image/png\r\n\r\nx");
        }
        "/slow.png" => thread::sleep(Duration::from_secs(3)),
        "/robots.txt" => {
            answer(method, out, "200 OK", "content-type: text/plain\r\n", "user-agent: *\ndisallow: /secret\n");
        }
        _ => answer(method, out, "404 Not Found", "", ""),
    });
    let names =
        ["a.png", "moved.png", "page.png", "large.png", "loop.png", "short.png", "slow.png", "secret.png", "no.png"];
    let addresses: Vec<String> = names.map(|name| format!("http://a.example/{name}")).to_vec();
    let mut addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
    addresses.extend(["http://gone.example/a.png", "http://127.0.0.1/a.png"]);
    let found = pictures(&addresses, &server.options(), &|| ());
    let found: Vec<String> =
        found.into_iter().map(|it| it.map_or_else(|why| why, |bytes| format!("{}", bytes.len()))).collect();
    let expected = [
        "5",
        "5",
        "is not a picture that pages can show: `text/html`",
        "has more than 10 MiB",
        "has no answer: redirects",
        "breaks off",
        "has no answer: time-out",
        "has no answer: robots",
        "is answered with status 404",
        "has no answer: unknown-host",
        "has no answer: private",
    ];
    assert_eq!(found, expected);
}
