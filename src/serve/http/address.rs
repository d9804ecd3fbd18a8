//! Where the server listens, and why it cannot.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};

/// How many ports after one that is in use are tried for a free one.
const NEXT: u16 = 20;
/// How often a free port is asked for until it is free at all addresses of a host.
const TRIES: usize = 10;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// A name, or an IP address with or without brackets. `localhost` is `127.0.0.1` and `::1`.
    pub host: String,
    /// The port; 0 is any that is free.
    pub port: u16,
}

/// Where the server listens, nobody answering yet.
#[derive(Debug)]
pub struct Bound {
    pub(super) host: String,
    pub(super) listeners: Vec<TcpListener>,
}

/// Why the server did not start.
#[derive(Debug)]
pub struct StartError {
    message: String,
    help: Option<String>,
}

impl Address {
    /// Listens on all addresses of the host that this machine has, all on one port. Who connects waits until a
    /// [`super::Server`] answers.
    ///
    /// # Errors
    /// The port is in use, the address is none of this machine's, or the host's name leads nowhere.
    pub fn bind(&self) -> Result<Bound, StartError> {
        let hosts = self.resolve()?;
        // A port that is free at one address of a host may be in use at another.
        let tries = if self.port == 0 { TRIES } else { 1 };
        let (host, port) = (&self.host, self.port);
        let (message, help) = match (0..tries).map(|_| bind_all(&hosts, port)).find(|bound| !in_use(bound)) {
            Some(Ok(listeners)) => return Ok(Bound { host: host.clone(), listeners }),
            Some(Err(error)) => {
                let help = match error.kind() {
                    ErrorKind::PermissionDenied => Some("name a port above 1023 with `--port`"),
                    ErrorKind::AddrNotAvailable => Some(
                        "this machine does not have that address; \
                         `127.0.0.1` is this machine, `0.0.0.0` all its addresses",
                    ),
                    _ => None,
                };
                (format!("cannot listen on port {port} of `{host}`: {error}"), help.map(str::to_owned))
            }
            None => {
                let free = (port..=port.saturating_add(NEXT)).skip(1).find(|&port| bind_all(&hosts, port).is_ok());
                let help = match free {
                    Some(free) => format!("port {free} is free: `--port {free}`"),
                    None => "name another port with `--port`".to_owned(),
                };
                (format!("port {port} of `{host}` is in use by another program"), Some(help))
            }
        };
        Err(StartError { message, help })
    }

    fn resolve(&self) -> Result<Vec<IpAddr>, StartError> {
        // Browsers try either, and the system's own answer may lack one.
        if self.host.eq_ignore_ascii_case("localhost") {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        if let Some(address) = literal(&self.host) {
            return Ok(vec![address]);
        }
        let found = (self.host.as_str(), self.port).to_socket_addrs();
        let hosts = found.map(|found| found.map(|address| address.ip()).collect::<BTreeSet<_>>());
        match hosts.and_then(|hosts| if hosts.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(hosts) }) {
            Ok(hosts) => Ok(hosts.into_iter().collect()),
            Err(error) => {
                let help = "name an address of this machine with `--host`, such as `127.0.0.1`, or `0.0.0.0` for all";
                let message = format!("the host `{}` has no address: {error}", self.host);
                Err(StartError { message, help: Some(help.to_owned()) })
            }
        }
    }
}

/// Hosts of which nobody has the addresses: those of documentation, and the last ones of private networks.
const FAR: [IpAddr; 5] = [
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
    IpAddr::V4(Ipv4Addr::new(192, 168, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(172, 31, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(10, 255, 255, 254)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
];

/// The addresses of this machine in its networks: those from which the system would send to hosts elsewhere. Nothing is
/// sent.
#[must_use]
pub fn of_this_machine() -> Vec<IpAddr> {
    let towards = |far: IpAddr| {
        let any: IpAddr = if far.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let socket = UdpSocket::bind((any, 0)).ok()?;
        socket.connect((far, 9)).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let mut found: Vec<IpAddr> = Vec::new();
    for address in FAR.into_iter().filter_map(towards) {
        if !address.is_loopback() && !address.is_unspecified() && !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

/// The IP address that a host is, with or without brackets.
pub(super) fn literal(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match bare {
        Some(bare) => bare.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse().ok(),
    }
}

fn in_use(bound: &io::Result<Vec<TcpListener>>) -> bool {
    bound.as_ref().is_err_and(|error| error.kind() == ErrorKind::AddrInUse)
}

/// Listens on all addresses that the machine has; on one at least.
fn bind_all(hosts: &[IpAddr], port: u16) -> io::Result<Vec<TcpListener>> {
    let mut listeners: Vec<TcpListener> = Vec::new();
    let mut missing = None;
    for &host in hosts {
        let port = match listeners.first() {
            Some(first) => first.local_addr()?.port(),
            None => port,
        };
        match TcpListener::bind(SocketAddr::new(host, port)) {
            Ok(listener) => listeners.push(listener),
            // A taken port at one of two addresses would show some browsers the other program.
            Err(error) if error.kind() == ErrorKind::AddrInUse => return Err(error),
            Err(error) => missing = Some(error),
        }
    }
    match missing {
        Some(error) if listeners.is_empty() => Err(error),
        _ => Ok(listeners),
    }
}

impl StartError {
    /// What the reader can do about it.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<io::Error> for StartError {
    /// The system has no more threads or descriptors.
    fn from(error: io::Error) -> Self {
        Self { message: format!("cannot start the preview's server: {error}"), help: None }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StartError {}
