//! What is answered, without a socket.

use std::io::Read;

use tiny_http::{Header, Method, Request, TestRequest};

use super::{Pages, tag};
use crate::serve::http::allowed_hosts::AllowedHosts;
use crate::serve::http::respond::{Reply, Response, respond};

const FILES: [(&str, &str); 10] = [
    ("index.html", "<p>home"),
    ("404.html", "none"),
    ("labs/index.html", "<p>labs"),
    ("labs/lab-01.html", "<p>one"),
    ("labs/über uns.html", "<p>ü"),
    ("code/a+b%.py", "x = 1\n"),
    ("assets/site.css", "p{}"),
    ("empty.txt", ""),
    ("ten.bin", "0123456789"),
    (".infralens/preview.js", "go()"),
];

fn request(method: &str, target: &str, headers: &[(&str, &str)]) -> Request {
    let method: Method = method.parse().expect("a method");
    let own = [("Host", "localhost:4000")].into_iter().filter(|_| headers.iter().all(|(name, _)| *name != "host"));
    let headers = own.chain(headers.iter().copied()).filter(|(_, value)| !value.is_empty());
    let headers = headers.map(|(name, value)| Header::from_bytes(name, value).expect("ASCII"));
    headers.fold(TestRequest::new().with_method(method).with_path(target), TestRequest::with_header).into()
}

fn respond_at(base: &'static str, request: &Request) -> Reply {
    let hosts = AllowedHosts::new(["127.0.0.1"], &["127.0.0.1:4000".parse().expect("an address")]);
    respond(request, &*Pages::new(base, &FILES), &hosts)
}

#[track_caller]
fn answer(method: &str, target: &str, headers: &[(&str, &str)]) -> Response {
    match respond_at("/", &request(method, target, headers)) {
        Reply::Response(answer) => answer,
        Reply::EventStream => panic!("a stream"),
    }
}

fn get(target: &str) -> Response {
    answer("GET", target, &[])
}

fn header<'a>(answer: &'a Response, name: &'static str) -> Option<&'a str> {
    answer.headers().iter().find(|header| header.field.equiv(name)).map(|header| header.value.as_str())
}

fn status(answer: &Response) -> u16 {
    answer.status_code().0
}

fn body(answer: Response) -> String {
    let mut text = String::new();
    answer.into_reader().read_to_string(&mut text).expect("UTF-8");
    text
}

#[test]
fn a_file_is_served_with_its_type_and_tag() {
    for (target, text, kind) in [
        ("/", "<p>home", "text/html; charset=utf-8"),
        ("/index.html", "<p>home", "text/html; charset=utf-8"),
        ("/?a=/../b", "<p>home", "text/html; charset=utf-8"),
        ("/labs/", "<p>labs", "text/html; charset=utf-8"),
        ("/labs/lab-01.html?q", "<p>one", "text/html; charset=utf-8"),
        ("/labs/%C3%BCber%20uns.html", "<p>ü", "text/html; charset=utf-8"),
        ("/l%61bs%2Flab-01.html", "<p>one", "text/html; charset=utf-8"),
        ("/code/a+b%.py", "x = 1\n", "text/plain; charset=utf-8"),
        ("/code/a%2Bb%25.py", "x = 1\n", "text/plain; charset=utf-8"),
        ("/assets/site.css", "p{}", "text/css; charset=utf-8"),
        ("/empty.txt", "", "text/plain; charset=utf-8"),
        ("/.infralens/preview.js?page=1f", "go()", "text/javascript; charset=utf-8"),
    ] {
        let answer = get(target);
        assert_eq!((status(&answer), answer.data_length()), (200, Some(text.len())), "{target}");
        assert_eq!(header(&answer, "Content-Type"), Some(kind), "{target}");
        assert_eq!(header(&answer, "ETag"), Some(format!("\"{}\"", tag(text)).as_str()), "{target}");
        assert_eq!(header(&answer, "Cache-Control"), Some("no-cache"), "{target}");
        let mut hosts = answer.headers().iter().map(|header| header.field.as_str().as_str());
        assert!(hosts.all(|name| !name.starts_with("Access-Control")), "{target}");
        assert_eq!(body(answer), text, "{target}");
    }
}

#[test]
fn where_no_file_is_the_404_page_is_shown_and_nothing_beside_the_site() {
    for target in [
        "/nothing",
        "/labs/lab-01",
        "/labs/lab-01.html/",
        "/LABS/",
        "/labs/../index.html",
        "/%2e%2e/index.html",
        "/./",
        "/..",
        "/../../../../etc/passwd",
        "/%2e%2e%2f%2e%2e%2fetc/passwd",
        "//",
        "//labs/",
        "//evil.com/..",
        "/labs//lab-01.html",
        "/labs\\lab-01.html",
        "/labs%5Clab-01.html",
        "/%5Cevil.com/",
        "/%2Flabs",
        "/labs/index.html/",
    ] {
        let answer = get(target);
        assert_eq!(status(&answer), 404, "{target}");
        assert_eq!(header(&answer, "Content-Type"), Some("text/html; charset=utf-8"), "{target}");
        assert_eq!((header(&answer, "ETag"), header(&answer, "Location")), (None, None), "{target}");
        assert!(body(answer).starts_with("nothing at "), "{target}");
    }
    assert_eq!(body(get("/a%20b")), "nothing at a b");
    assert_eq!(status(&answer("GET", "/x", &[("if-none-match", "*"), ("range", "bytes=0-0")])), 404);
}

#[test]
fn a_path_that_is_no_text_is_refused() {
    for target in ["/%ff", "/a%00b", "/%c3.html", "/%00"] {
        assert_eq!(status(&get(target)), 400, "{target}");
    }
}

#[test]
fn a_folder_without_its_slash_is_a_redirect_within_the_site() {
    for (target, wanted) in [("/labs", "/labs/"), ("/labs?a=b?c", "/labs/?a=b?c"), ("/l%61bs", "/l%61bs/")] {
        let answer = get(target);
        assert_eq!(status(&answer), 301, "{target}");
        assert_eq!(header(&answer, "Location"), Some(wanted), "{target}");
        assert_eq!(header(&answer, "Cache-Control"), Some("no-cache"));
    }
    for target in ["//labs", "/%2Flabs", "/\\labs", "/%5clabs", "//labs/.."] {
        assert_eq!(status(&get(target)), 404, "{target}");
    }
}

#[test]
fn below_a_base_path_lie_the_same_files() {
    let at = |target: &str| match respond_at("/course/", &request("GET", target, &[])) {
        Reply::Response(answer) => answer,
        Reply::EventStream => panic!("a stream"),
    };
    for target in ["/course/", "/", "/course/index.html"] {
        assert_eq!((status(&at(target)), body(at(target)).as_str()), (200, "<p>home"), "{target}");
    }
    assert_eq!(body(at("/course/labs/lab-01.html")), "<p>one");
    for (target, wanted) in [("/course?x", "/course/?x"), ("/course/labs", "/course/labs/"), ("/labs", "/labs/")] {
        assert_eq!((status(&at(target)), header(&at(target), "Location")), (301, Some(wanted)), "{target}");
    }
    for target in ["/courselabs/", "/course//", "/other/labs/", "/course/course/"] {
        assert_eq!(status(&at(target)), 404, "{target}");
    }
    assert_eq!(status(&get("/course/")), 404);
}

#[test]
fn a_base_path_is_percent_encoded() {
    for target in ["/caf%C3%A9/labs/lab-01.html", "/caf%c3%a9/labs/lab-01.html"] {
        let Reply::Response(answer) = respond_at("/caf%C3%A9/", &request("GET", target, &[])) else {
            panic!("a stream")
        };
        assert_eq!((status(&answer), body(answer).as_str()), (200, "<p>one"), "{target}");
    }
}

#[test]
fn only_get_and_head() {
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "get", "BREW"] {
        for target in ["/", "/nothing", "/.infralens/events"] {
            let answer = answer(method, target, &[]);
            assert_eq!((status(&answer), header(&answer, "Allow")), (405, Some("GET, HEAD")), "{method}");
        }
    }
}

#[test]
fn head_is_answered_as_get() {
    for (target, headers) in [
        ("/", vec![]),
        ("/labs", vec![]),
        ("/nothing", vec![]),
        ("/%ff", vec![]),
        ("/", vec![("if-none-match", "*")]),
        ("/.infralens/source?note=1", vec![]),
        ("/", vec![("host", "evil.com")]),
    ] {
        let (get, head) = (answer("GET", target, &headers), answer("HEAD", target, &headers));
        let seen = |answer: Response| (status(&answer), format!("{:?}", answer.headers()), answer.data_length());
        assert_eq!(seen(get), seen(head), "{target}");
    }
    // A range is for GET alone.
    assert_eq!(status(&answer("HEAD", "/ten.bin", &[("range", "bytes=0-0")])), 200);
    assert!(matches!(respond_at("/", &request("HEAD", "/.infralens/events", &[])), Reply::EventStream));
}

#[test]
fn what_the_client_has_is_not_sent_again() {
    let known = format!("\"0\", W/\"{}\"", tag("<p>home"));
    let fresh = answer("GET", "/", &[("if-none-match", &known), ("range", "bytes=0-0")]);
    assert_eq!(status(&fresh), 304);
    assert_eq!(header(&fresh, "ETag"), Some(format!("\"{}\"", tag("<p>home")).as_str()));
    assert_eq!(status(&answer("GET", "/labs/", &[("if-none-match", &known)])), 200);
}

#[test]
fn a_range_is_part_of_the_file() {
    let ten = |headers: &[(&str, &str)]| answer("GET", "/ten.bin", headers);
    let part = ten(&[("range", "bytes=2-4")]);
    assert_eq!((status(&part), header(&part, "Content-Range")), (206, Some("bytes 2-4/10")));
    assert!(header(&part, "ETag").is_some());
    assert_eq!(body(part), "234");
    let beyond = ten(&[("range", "bytes=10-")]);
    assert_eq!((status(&beyond), header(&beyond, "Content-Range")), (416, Some("bytes */10")));
    let current = format!("\"{}\"", tag("0123456789"));
    assert_eq!(status(&ten(&[("range", "bytes=-1"), ("if-range", &current)])), 206);
    for whole in [
        ten(&[]),
        ten(&[("range", "bytes=-1"), ("if-range", "\"old\"")]),
        ten(&[("range", "bytes=-1"), ("if-range", &format!("W/{current}"))]),
        ten(&[("range", "bytes=-1"), ("if-range", "Sun, 06 Nov 1994 08:49:37 GMT")]),
        ten(&[("range", "bytes=0-1, 4-5")]),
        ten(&[("range", "bytes=5-2")]),
    ] {
        assert_eq!((status(&whole), header(&whole, "Accept-Ranges")), (200, Some("bytes")));
        assert_eq!(body(whole), "0123456789");
    }
    assert_eq!(status(&answer("GET", "/empty.txt", &[("range", "bytes=0-")])), 416);
}

#[test]
fn a_foreign_host_gets_only_the_list_of_allowed_hosts() {
    let answer = answer("GET", "/", &[("host", "evil.com:4000")]);
    assert_eq!(status(&answer), 403);
    let text = body(answer);
    assert!(text.contains("localhost, 127.0.0.1, [::1], with any port"), "{text}");
    assert!(!text.contains("evil") && !text.contains("home"), "{text}");
    for (host, method) in [("evil.com", "GET"), ("localhost:x", "GET"), ("evil.com", "POST")] {
        assert_eq!(status(&self::answer(method, "/nothing", &[("host", host)])), 403, "{host}");
    }
    assert_eq!(status(&self::answer("GET", "/", &[("host", "")])), 400);
    for second in ["localhost:4000", "evil.com"] {
        let two = [("host", "localhost:4000"), ("Host", second)];
        assert_eq!(status(&self::answer("GET", "/", &two)), 400, "{second}");
    }
}

#[test]
fn events_and_places_are_for_our_own_pages() {
    let foreign = [
        ("origin", "http://evil.com"),
        ("origin", "null"),
        ("origin", "http://localhost:3000"),
        ("origin", "https://localhost:4000"),
        ("origin", "http://localhost:4000, http://evil.com"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ];
    for header in foreign {
        for target in ["/.infralens/source?note=1", "/.infralens/events", "/.infralens/events?x"] {
            assert_eq!(status(&answer("GET", target, &[header])), 403, "{target} {header:?}");
        }
    }
    let own = [("origin", "http://127.0.0.1:4000"), ("sec-fetch-site", "same-origin")];
    let place = answer("GET", "/.infralens/source?note=1", &own);
    assert_eq!((status(&place), header(&place, "Content-Type")), (200, Some("application/json; charset=utf-8")));
    assert_eq!(body(place), "{\"note\":\"1\"}");
    for two in [("origin", "http://evil.com"), ("sec-fetch-site", "cross-site")] {
        assert_eq!(status(&answer("GET", "/.infralens/source?note=1", &[own[0], own[1], two])), 403, "{two:?}");
    }
    let link = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
    assert_eq!(status(&answer("GET", "/.infralens/source?note=1", &link)), 403);
    assert_eq!(status(&answer("GET", "/.infralens/source?x", &own)), 404);
    let stream = respond_at("/", &request("GET", "/.infralens/events", &own));
    assert!(matches!(stream, Reply::EventStream));
}

#[test]
fn a_fix_is_made_for_the_panel_of_our_own_pages_alone() {
    const FIX: &str = "/.infralens/apply?token=known&fix=1";
    let own = [("origin", "http://127.0.0.1:4000"), ("sec-fetch-site", "same-origin")];
    assert_eq!(status(&answer("POST", FIX, &own)), 200);
    assert_eq!(status(&answer("POST", FIX, &own[..1])), 200, "browsers before `Sec-Fetch-Site`");
    let gone = answer("POST", "/.infralens/apply?token=known", &own);
    assert_eq!((status(&gone), body(gone).as_str()), (409, "gone\n"));
    let refused: [(&str, &[(&'static str, &'static str)]); 7] = [
        ("/.infralens/apply?token=other&fix=1", &own),
        ("/.infralens/apply?fix=1", &own),
        (FIX, &[]),
        (FIX, &[("origin", "http://evil.com")]),
        (FIX, &[("origin", "null")]),
        (FIX, &[own[0], ("sec-fetch-site", "cross-site")]),
        (FIX, &[own[0], ("origin", "http://evil.com")]),
    ];
    for (target, headers) in refused {
        assert_eq!(status(&answer("POST", target, headers)), 403, "{target} {headers:?}");
    }
    for method in ["GET", "HEAD"] {
        let answer = answer(method, FIX, &own);
        assert_eq!((status(&answer), header(&answer, "Allow")), (405, Some("POST")), "{method}");
    }
    assert_eq!(status(&answer("PUT", FIX, &own)), 405);
    assert_eq!(status(&answer("POST", "/.infralens/source?note=1", &own)), 405);
}

#[test]
fn other_sites_may_link_here_and_do_nothing_else() {
    let from = |site: &'static str, mode: &'static str, dest: &'static str| {
        [("sec-fetch-site", site), ("sec-fetch-mode", mode), ("sec-fetch-dest", dest)]
    };
    let targets = ["/", "/labs", "/nothing", "/%ff", "/labs/lab-01.html", "/code/a+b%.py", "/.infralens/preview.js"];
    for site in ["cross-site", "same-site", "unknown"] {
        for (mode, dest) in [
            ("no-cors", "script"),
            ("no-cors", "style"),
            ("no-cors", "image"),
            ("cors", "empty"),
            ("cors", "script"),
            ("same-origin", "sharedworker"),
            ("navigate", "iframe"),
            ("navigate", "frame"),
            ("navigate", "object"),
            ("navigate", "embed"),
            ("no-cors", "document"),
            ("navigate", ""),
            ("", "document"),
            ("", ""),
        ] {
            for target in targets {
                for method in ["GET", "HEAD"] {
                    let answer = answer(method, target, &from(site, mode, dest));
                    assert_eq!(status(&answer), 403, "{site} {mode} {dest} {target}");
                    assert!(!body(answer).contains("home"));
                }
            }
        }
        assert_eq!(status(&answer("GET", "/", &from(site, "navigate", "document"))), 200);
        assert_eq!(status(&answer("GET", "/labs", &from(site, "navigate", "document"))), 301);
    }
    for site in ["same-origin", "none", ""] {
        for (mode, dest) in [("no-cors", "script"), ("navigate", "iframe"), ("cors", "empty"), ("", "")] {
            assert_eq!(status(&answer("GET", "/", &from(site, mode, dest))), 200, "{site} {mode} {dest}");
        }
    }
    // A proxy may join two headers, or pass on both.
    for two in [
        [("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")],
        [("sec-fetch-site", "same-origin, cross-site"), ("x", "")],
    ] {
        assert_eq!(status(&answer("GET", "/", &two)), 403, "{two:?}");
    }
}
