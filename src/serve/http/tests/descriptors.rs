//! When the system has no descriptor left, for the door, for `tiny_http`, or for both.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Line, Pages, serve, until};

/// Enough for the server and a few clients.
const DESCRIPTORS: u64 = 40;
const CROWD: usize = 300;

/// The program that the test below runs: a server with few descriptors, until its input ends.
#[test]
#[ignore = "the next test runs it as a process of its own"]
fn server() {
    let server = serve(&Pages::new("/", &[("index.html", "<p>home")]));
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: Some(DESCRIPTORS), maximum }).expect("a lower limit");
    writeln!(std::io::stdout(), "\nlistens at {}", server.local_addr()).expect("an output");
    std::io::stdin().read_line(&mut String::new()).expect("an input");
}

#[test]
fn a_server_without_descriptors_goes_on_when_it_has_some() {
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .args(["--exact", "serve::http::tests::descriptors::server", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
    let address = lines.find_map(|line| line.strip_prefix("listens at ")?.parse().ok());
    let address: SocketAddr = address.expect("the server's address");
    let mut idle: Vec<Line> = (0..CROWD).map(|_| Line::at(address)).collect();
    // Idle ones are cut until there is room, and only those.
    let mut last = Line::at(address);
    assert_eq!(last.ask("/").answer().text(), "<p>home");
    // Many requests at once: those that are not served are cut, or told to come again.
    let mut asked = 0;
    for line in &mut idle {
        let port = line.port;
        asked += usize::from(line.try_send(&format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n")).is_ok());
    }
    assert!(asked > 0);
    drop(idle);
    until("it is as before", || {
        let mut line = Line::at(address);
        // It may be cut once more, as long as the crowd has not left.
        line.ask("/").head().is_ok_and(|head| head.starts_with("HTTP/1.1 200"))
    });
    drop(child.stdin.take());
    assert!(child.wait().expect("its end").success());
}
