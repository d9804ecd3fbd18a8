//! Where the server listens, why it cannot, and how it stops.

use std::io::Read;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Line, Pages, get, here, serve};
use crate::serve::http::{Address, Server, Site};
use infralens_source::change::Refusal;

fn site() -> Arc<dyn Site> {
    Pages::new("/", &[("index.html", "<p>home")])
}

fn start(host: &str, port: u16) -> Result<Server, Refusal> {
    Address { host: host.to_owned(), port, ..Address::default() }.bind().and_then(|bound| Server::start(bound, site()))
}

#[test]
fn a_port_in_use_is_named_with_one_that_is_free() {
    let first = start("127.0.0.1", 0).expect("a free port");
    let port = first.local_addr().port();
    let error = start("127.0.0.1", port).err().expect("the port is in use");
    assert_eq!(error.message, format!("port {port} of `127.0.0.1` is in use by another program"));
    // A machine may use all twenty ports above; the last port of all has none above it.
    let help = &error.help[0];
    if let Some((_, free)) = help.trim_end_matches('`').rsplit_once(" is free: `--port ") {
        let free: u16 = free.parse().expect("a port");
        assert!((port + 1..=port.saturating_add(20)).contains(&free), "{free}");
        assert!(help.starts_with(&format!("port {free} is")), "{help}");
    } else {
        assert_eq!(help, "name another port with `--port`");
    }
    assert_eq!(get(&first, "/").status, 200);
}

#[test]
fn localhost_is_both_addresses_where_the_machine_has_both() {
    let server = start("localhost", 0).expect("a free port");
    let port = server.local_addr().port();
    assert_eq!(get(&server, "/").text(), "<p>home");
    let other = SocketAddr::new(Ipv6Addr::LOCALHOST.into(), port);
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
        assert_eq!(Line::at(other).ask("/").answer().text(), "<p>home");
        // The other program would be seen by those browsers that ask there first.
        let taken = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).expect("a free port");
        let error = start("localhost", taken.local_addr().expect("an address").port()).err().expect("in use");
        assert!(error.message.ends_with("is in use by another program"), "{error:?}");
    }
}

#[test]
fn addresses_of_all_kinds() {
    for host in ["0.0.0.0", "127.0.0.1", "127.0.0.2"] {
        let server = start(host, 0).expect(host);
        let port = server.local_addr().port();
        let address = if host == "0.0.0.0" { "127.0.0.1" } else { host };
        let address = SocketAddr::new(address.parse::<IpAddr>().expect("an address"), port);
        for (named, status) in [(address.to_string(), 200), (format!("evil.com:{port}"), 403)] {
            let mut line = Line::at(address);
            line.send(&format!("GET / HTTP/1.1\r\nHost: {named}\r\n\r\n"));
            assert_eq!(line.answer().status, status, "{host} {named}");
        }
    }
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
        for host in ["::1", "[::1]", "::"] {
            let server = start(host, 0).expect(host);
            let port = server.local_addr().port();
            let mut line = Line::at(SocketAddr::new(Ipv6Addr::LOCALHOST.into(), port));
            assert_eq!(
                line.send(&format!("GET / HTTP/1.1\r\nHost: [::1]:{port}\r\n\r\n")).answer().status,
                200,
                "{host}"
            );
        }
    }
}

#[test]
fn an_unavailable_address_is_reported() {
    // Reserved for documentation: no machine has it.
    let error = start("192.0.2.1", 4000).err().expect("not this machine's");
    assert!(error.message.starts_with("cannot listen on port 4000 of `192.0.2.1`: "), "{error:?}");
    assert!(error.help[0].contains("`127.0.0.1` is this machine"));
    for host in ["no such host", "[::1", "", "a/b"] {
        let error = start(host, 4000).err().expect("no address");
        assert!(error.message.starts_with(&format!("the host `{host}` has no address: ")), "{error:?}");
        assert!(error.help[0].contains("`--host`"));
    }
}

#[test]
fn a_name_of_another_machine_is_that_of_a_proxy() {
    // Reserved: no such name exists.
    let server = start("proxy.invalid", 0).expect("a free port");
    assert_eq!((server.host(), server.local_addr().ip().is_loopback()), ("127.0.0.1", true));
    for (host, status) in
        [("proxy.invalid", 200), ("proxy.invalid:8080", 200), ("localhost:8080", 200), ("x.invalid", 403)]
    {
        let mut line = Line::to(&server);
        line.send(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!(line.answer().status, status, "{host}");
    }
    let taken = start("proxy.invalid", server.local_addr().port()).err().expect("in use");
    assert!(taken.message.contains("`127.0.0.1` is in use"), "{taken:?}");
}

#[test]
fn a_server_that_is_dropped_frees_its_port_at_once() {
    let server = serve(&Pages::new("/", &[("large.txt", &"0123456789abcdef".repeat(1 << 20))]));
    let address = server.local_addr();
    let mut idle = Line::to(&server);
    let mut slow = Line::to(&server);
    assert_eq!(slow.ask("/large.txt").answer_without_body().status, 200);
    let begin = Instant::now();
    drop(server);
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    assert!(idle.is_ended());
    let taken = slow.reader.read_to_end(&mut Vec::new());
    assert!(taken.is_err() || taken.is_ok_and(|taken| taken < 1 << 24), "nothing goes on behind it");
    assert!(TcpStream::connect(address).is_err());
    let again = Address { port: address.port(), ..here() }
        .bind()
        .and_then(|bound| Server::start(bound, site()))
        .expect("the same port");
    assert_eq!(get(&again, "/").text(), "<p>home");
}
