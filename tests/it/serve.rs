//! `infralens serve` as an author meets it: the program itself, over HTTP, while the course is edited.

mod terminal;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{SiteTest, contents, interruptible_program, program};

/// How long anything may take on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(30);
const LAB: &str = "content/tracks/queues/labs/lab-01-ring.md";
const LAB_PAGE: &str = "/tracks/queues/labs/lab-01-ring.html";
const OTHER_PAGE: &str = "/tracks/queues/labs/lab-02-counters.html";
const HELD: &str = "This page is shown as it was before the error";

/// A preview that runs until it is dropped.
struct Serve {
    child: Child,
    port: u16,
    /// All that it has printed, line by line.
    printed: Arc<Mutex<String>>,
}

/// What the server answers.
struct Answer {
    status: u16,
    body: String,
}

impl Serve {
    /// Serves a course at a port that is free.
    fn start(test: &SiteTest, arguments: &[&str]) -> Self {
        let mut command = interruptible_program(&test.root());
        command.args(["serve", "--port", "0"]).args(arguments).env("INFRALENS_EDITOR", "none");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
        let printed = Arc::<Mutex<String>>::default();
        let mut first = String::new();
        // The first line says where; nothing else is a way to know the port.
        lines.read_line(&mut first).expect("a line");
        note(&printed, BufReader::new(child.stderr.take().expect("a pipe")));
        let port = first.split(['/', ':']).find_map(|part| part.parse().ok());
        let Some(port) = port else {
            let _ = child.wait();
            panic!("no address in {first:?}; {}", printed.lock().expect("a lock"));
        };
        printed.lock().expect("a lock").push_str(&first);
        note(&printed, lines);
        Self { child, port, printed }
    }

    fn get(&self, path: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("somebody listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let port = self.port;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n").expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let answer = String::from_utf8(answer).expect("a page is UTF-8");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, body: body.to_owned() }
    }

    /// Waits until what is served at a path is as it should be, and gives it.
    #[track_caller]
    fn until(&self, path: &str, is_so: impl Fn(&Answer) -> bool) -> Answer {
        let end = Instant::now() + PATIENCE;
        loop {
            let answer = self.get(path);
            if is_so(&answer) {
                return answer;
            }
            assert!(Instant::now() < end, "{path} is {} {}\n{}", answer.status, answer.body, self.printed());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until something has been printed, and gives all of it.
    #[track_caller]
    fn until_said(&self, text: &str) -> String {
        self.until_printed(|printed| printed.contains(text))
    }

    /// Waits until what has been printed is as it should be: a page is served before a line says so.
    #[track_caller]
    fn until_printed(&self, is_so: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        while !is_so(&self.printed()) {
            assert!(Instant::now() < end, "not said:\n{}", self.printed());
            thread::sleep(Duration::from_millis(10));
        }
        self.printed()
    }

    fn printed(&self) -> String {
        self.printed.lock().expect("a lock").clone()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes down what comes, line by line.
fn note(printed: &Arc<Mutex<String>>, lines: impl BufRead + Send + 'static) {
    let printed = Arc::clone(printed);
    thread::spawn(move || {
        for line in lines.lines().map_while(Result::ok) {
            let _ = writeln!(printed.lock().expect("a lock"), "{line}");
        }
    });
}

/// The course that `init` makes.
fn course() -> SiteTest {
    let test = SiteTest::empty();
    let made = program(test.above()).args(["init", "course"]).output().expect("the program runs");
    assert!(made.status.success());
    test
}

/// A page without what the preview adds to it.
fn bare(page: &str) -> String {
    let (before, script) = page.split_once("<script src=\"/.infralens/").expect("the preview's script");
    let after = script.split_once("</script>").expect("its end").1;
    let Some((above, panel)) = after.split_once("<section class=\"infralens-panel\"") else {
        return format!("{before}{after}");
    };
    let (_, below) = panel.rsplit_once("</section>\n").expect("the panel's end");
    format!("{before}{above}{below}")
}

/// Saves a file in one step, so that nobody reads the half of it, however long a busy machine takes for the other.
fn save(test: &SiteTest, path: &str, words: &str) {
    let beside = test.above().join("saved");
    fs::write(&beside, words).expect("a file");
    fs::rename(beside, test.root().join(path)).expect("a folder for it");
}

/// Replaces a text that stands once in a file.
fn edit(test: &SiteTest, path: &str, from: &str, to: &str) {
    let old = fs::read_to_string(test.root().join(path)).expect("a text");
    assert_eq!(old.matches(from).count(), 1, "`{from}` must stand once in {path}");
    save(test, path, &old.replace(from, to));
}

#[test]
fn what_is_saved_is_what_is_served() {
    let test = course();
    let before = contents(&test.root());
    let serve = Serve::start(&test, &[]);
    let built = SiteTest::copy_of(&test.root()).build().site();
    for (path, bytes) in &built {
        if path.ends_with(".html") {
            assert_eq!(bare(&serve.get(&format!("/{path}")).body).as_bytes(), bytes.as_ref(), "{path}");
        }
    }
    assert_eq!(contents(&test.root()), before, "nothing is written");

    edit(&test, LAB, "A list that is used as a queue", "An array that is used as a queue");
    serve.until(LAB_PAGE, |page| page.body.contains("An array that is used"));
    assert_eq!(serve.get("/new.html").status, 404);
    save(&test, "content/new.md", "---\ntitle: New\n---\nA page more.\n");
    let new = serve.until("/new.html", |page| page.status == 200);
    assert!(new.body.contains("A page more"));
    test.remove("content/new.md");
    let gone = serve.until("/new.html", |page| page.status == 404);
    assert_eq!(bare(&gone.body).as_bytes(), built["404.html"].as_ref(), "the course's own page says so");
    let output = serve.until_printed(|output| output.lines().count() >= 4);
    assert_eq!(output.lines().count(), 4, "a line at the start, and one per change: {output}");
    let of_change: Vec<&str> = output.lines().skip(1).collect();
    for line in &of_change {
        let (time, rest) = line.split_once(' ').expect("a time");
        let numbers: Vec<&str> = time.split(':').collect();
        assert!(numbers.len() == 3 && numbers.iter().all(|number| number.len() == 2), "{line}");
        assert!(rest.starts_with("content/"), "{line}");
    }
    assert!(
        of_change[0].contains(&format!("{LAB}: 1 page in ")) && of_change[1].contains("content/new.md: 1 page"),
        "{output}"
    );
}

#[test]
fn a_page_is_another_when_what_it_shows_is() {
    let test = course();
    save(&test, "content/box.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>One</title></svg>");
    save(&test, "content/box.md", "---\ntitle: Box\n---\n![A box](box.svg)\n");
    let serve = Serve::start(&test, &[]);
    let first = serve.get("/box.html").body;
    assert!(first.contains("data-files=\"[[&quot;box.svg&quot;,"), "{first}");
    edit(&test, "content/box.svg", "One", "Two");
    let second = serve.until("/box.html", |page| page.body != first);
    assert_eq!(bare(&second.body), bare(&first), "but for the script");
}

#[test]
fn what_is_wrong_holds_its_page_and_no_other() {
    let test = course();
    let serve = Serve::start(&test, &[]);
    let was: BTreeMap<_, _> =
        [LAB_PAGE, OTHER_PAGE].into_iter().map(|path| (path, bare(&serve.get(path).body))).collect();
    edit(&test, LAB, "title: A ring", "title: \"A ring");
    let broken = serve.until(LAB_PAGE, |page| page.body.contains("infralens-panel"));
    assert_eq!((broken.status, bare(&broken.body)), (200, was[LAB_PAGE].clone()), "the last good form");
    assert!(broken.body.contains(HELD) && broken.body.contains("1 error on this page"), "{}", broken.body);
    assert!(broken.body.contains("error[E0103]") && !broken.body.contains("E0314"), "{}", broken.body);
    let other = serve.get(OTHER_PAGE);
    assert!(other.body.contains("1 error in other files") && !other.body.contains(HELD));
    assert_eq!(bare(&other.body), was[OTHER_PAGE], "with the same navigation");

    edit(&test, "content/format.md", "title: ", "title: Again, ");
    serve.until("/format.html", |page| page.body.contains("<h1>Again, "));
    edit(&test, LAB, "title: \"A ring", "title: A ring");
    let mended = serve.until(LAB_PAGE, |page| !page.body.contains("infralens-panel"));
    assert!(!mended.body.contains(HELD));
    let output = serve.until_said("all errors are fixed");
    assert_eq!(output.matches("error[E0103]").count(), 1, "what has been said is not said again: {output}");
}

#[test]
fn a_course_that_begins_with_errors_is_shown_as_far_as_it_goes() {
    let test = course();
    edit(&test, LAB, "1. `[None] * capacity`", "1. `[Nothing] * capacity`");
    let serve = Serve::start(&test, &[]);
    let lost = serve.get(LAB_PAGE);
    assert_eq!(lost.status, 200);
    assert!(lost.body.contains("There is no page to show here") && lost.body.contains("error[E0301]"), "{}", lost.body);
    assert!(serve.get(OTHER_PAGE).body.contains("Counters that run on"));
    edit(&test, LAB, "1. `[Nothing] * capacity`", "1. `[None] * capacity`");
    serve.until(LAB_PAGE, |page| page.body.contains("<h1") && !page.body.contains("There is no page"));
    serve.until_said("all errors are fixed");
}

#[test]
fn a_stale_excerpt_shows_the_file_under_a_bar() {
    let test = course();
    let serve = Serve::start(&test, &[]);
    edit(
        &test,
        "code/lab-01-ring/ring.py",
        "(self.head + 1) % len(self.slots)",
        "(self.head + 1) % len(self.slots) + 0",
    );
    let stale = serve.until(LAB_PAGE, |page| page.body.contains("data-excerpt=\"E3\""));
    assert!(!stale.body.contains(HELD));
    assert!(stale.body.contains("infralens sync --accept content/tracks/queues/labs/lab-01-ring.md:"));
    let code = bare(&stale.body);
    let line = code.split("<span class=\"line\"").find(|line| line.contains("id=\"E3-L29\"")).expect("the line");
    assert!(line.contains("+</i> <span class=\"n\">0</span>"), "the file's code: {line}");
    assert!(test.run(&["sync", "--accept"]).status.success());
    serve.until(LAB_PAGE, |page| !page.body.contains("data-excerpt"));
}

#[test]
fn a_note_that_fails_holds_its_page_while_others_show_the_new_code() {
    let test = course();
    let serve = Serve::start(&test, &[]);
    edit(&test, "code/lab-01-ring/ring.py", "[None] * capacity", "[hollow] * capacity");
    let code = serve.until("/code/lab-01-ring/ring.py.html", |page| bare(&page.body).contains("hollow"));
    assert!(!code.body.contains(HELD));
    let lab = serve.get(LAB_PAGE).body;
    assert!(lab.contains(HELD) && lab.contains("data-excerpt=\"E1\""), "the page as it was, and the difference");
    assert!(!bare(&lab).contains("hollow") && lab.contains("hollow"));
}

#[test]
fn a_starter_that_is_no_text_any_more_is_shown_as_it_was() {
    let test = course();
    let serve = Serve::start(&test, &[]);
    let path = "/code/lab-01-ring/ring.py.html";
    let was = bare(&serve.get(path).body);
    let bytes = fs::read(test.root().join("code/lab-01-ring/ring.py")).expect("a file");
    test.write("code/lab-01-ring/ring.py", [&bytes[..], b"# caf\xe9\n"].concat());
    let broken = serve.until(path, |page| page.status != 200 || page.body.contains("E0001"));
    assert_eq!((broken.status, bare(&broken.body)), (200, was));
    assert!(broken.body.contains(HELD));
    test.remove("code/lab-01-ring/ring.py");
    serve.until(path, |page| page.status == 404);
}

#[test]
fn drafts_are_shown_to_those_who_ask() {
    let test = course();
    save(&test, "content/later.md", "---\ntitle: Later\ndraft: true\n---\nNot yet.\n");
    let (with, without) = (Serve::start(&test, &["--drafts"]), Serve::start(&test, &[]));
    assert!(with.get("/later.html").body.contains("Not yet"));
    assert_eq!(without.get("/later.html").status, 404);
}

#[test]
fn a_site_below_a_path_is_served_there_too() {
    let test = course();
    edit(&test, "content/site.yaml", "language: en\n", "language: en\nbase_url: https://example.org/course/\n");
    let serve = Serve::start(&test, &[]);
    let output = serve.printed();
    assert!(output.starts_with(&format!("http://127.0.0.1:{}/course/ shows the course: ", serve.port)), "{output}");
    let page = serve.get(LAB_PAGE);
    assert_eq!((page.status, &serve.get(&format!("/course{LAB_PAGE}")).body), (200, &page.body));
    let missing = serve.get("/course/nowhere.html");
    assert_eq!(missing.status, 404);
    assert!(missing.body.contains("href=\"/course/assets/style."), "{}", missing.body);
}

#[test]
fn a_port_in_use_is_said_and_a_free_one_named() {
    let test = course();
    let serve = Serve::start(&test, &[]);
    let second = test.run(&["serve", "--port", &serve.port.to_string()]);
    let output = String::from_utf8(second.stderr).expect("a text");
    assert_eq!((second.status.code(), second.stdout.len()), (Some(2), 0));
    let expected = format!("error: port {} of `127.0.0.1` is in use by another program\nhelp: port ", serve.port);
    assert!(output.starts_with(&expected), "{output}");
    let named = output.trim_end().rsplit_once("is free: `--port ").expect("a free port").1.trim_end_matches('`');
    assert!(named.parse::<u16>().is_ok_and(|named| named != serve.port), "{output}");
}

#[test]
fn an_interrupt_ends_it_at_once_even_while_browsers_listen() {
    let test = course();
    let mut serve = Serve::start(&test, &[]);
    let mut events = TcpStream::connect(("127.0.0.1", serve.port)).expect("somebody listens");
    let port = serve.port;
    write!(events, "GET /.infralens/events?path=/&tag=0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").expect("it reads");
    let mut first = [0];
    events.read_exact(&mut first).expect("it answers");
    let pid = Pid::from_raw(i32::try_from(serve.child.id()).expect("a number")).expect("a process");
    kill_process(pid, Signal::INT).expect("it runs");
    let start = Instant::now();
    let ended = loop {
        if let Some(ended) = serve.child.try_wait().expect("a child of this process") {
            break ended;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "it did not end");
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(ended.signal(), Some(Signal::INT.as_raw()));
}
