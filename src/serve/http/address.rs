//! Binds the addresses at which the server listens, and explains why they cannot be bound.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};

use infralens_source::change::Refusal;

/// How many ports after one in use are tried, to suggest a free one.
const NEXT: u16 = 20;
/// How often any free port is requested until it is free at all addresses of the host.
const TRIES: usize = 10;

/// The host and port to listen at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// A name, or an IP address with or without brackets. `localhost` means `127.0.0.1` and `::1`. A name that does not
    /// belong to this machine is that of a proxy, which reaches `127.0.0.1`.
    pub host: String,
    /// Other names that lead here, such as that of a proxy.
    pub other_names: Vec<String>,
    /// The port; 0 means any free port.
    pub port: u16,
    /// Whether an editor may show pages in a frame.
    pub in_editor: bool,
}

/// Bound listeners, whose connections are not accepted yet.
#[derive(Debug)]
pub struct Bound {
    pub(super) host: String,
    pub(super) other_names: Vec<String>,
    pub(super) listeners: Vec<TcpListener>,
    pub(super) in_editor: bool,
}

impl Bound {
    /// Whether only this machine can connect.
    pub fn is_local(&self) -> bool {
        let is_local = |listener: &TcpListener| listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
        self.listeners.iter().all(is_local)
    }
}

impl Address {
    /// Listens on all addresses of the host that this machine has, all on one port. Clients wait until a
    /// [`super::Server`] accepts their connections.
    ///
    /// # Errors
    /// The port is in use, the address does not belong to this machine, or the host's name has no address.
    pub fn bind(&self) -> Result<Bound, Refusal> {
        match self.bind_host() {
            Err(_) if self.is_elsewhere() => {
                let mut other_names = self.other_names.clone();
                other_names.push(self.host.clone());
                Self { host: Ipv4Addr::LOCALHOST.to_string(), other_names, ..self.clone() }.bind_host()
            }
            bound => bound,
        }
    }

    /// Whether the host is a name without an address of this machine.
    fn is_elsewhere(&self) -> bool {
        let is_name = !self.host.is_empty() && is_plain(&self.host) && !self.host.contains(['[', ':', ']']);
        let is_missing = |bound: io::Result<_>| bound.is_err_and(|error| error.kind() == ErrorKind::AddrNotAvailable);
        is_name
            && parse_ip(&self.host).is_none()
            && self.resolve().map_or(true, |hosts| is_missing(bind_all(&hosts, 0)))
    }

    fn bind_host(&self) -> Result<Bound, Refusal> {
        let hosts = self.resolve()?;
        // A port that is free at one address of a host may be in use at another.
        let tries = if self.port == 0 { TRIES } else { 1 };
        let (host, port) = (&self.host, self.port);
        let refusal = match (0..tries).map(|_| bind_all(&hosts, port)).find(|bound| !in_use(bound)) {
            Some(Ok(listeners)) => {
                let (host, other_names) = (host.clone(), self.other_names.clone());
                return Ok(Bound { host, other_names, listeners, in_editor: self.in_editor });
            }
            Some(Err(error)) => {
                let refusal = Refusal::new(format!("cannot listen on port {port} of `{host}`: {error}"));
                match error.kind() {
                    ErrorKind::PermissionDenied => refusal.help("name a port above 1023 with `--port`"),
                    ErrorKind::AddrNotAvailable => refusal.help(
                        "this machine does not have that address; \
                         `127.0.0.1` is this machine, `0.0.0.0` all its addresses",
                    ),
                    _ => refusal,
                }
            }
            None if port == 0 => {
                Refusal::new(format!("no port is free at every address of `{host}`")).help("name a port with `--port`")
            }
            None => {
                let free = (port..=port.saturating_add(NEXT)).skip(1).find(|&port| bind_all(&hosts, port).is_ok());
                let help = match free {
                    Some(free) => format!("port {free} is free: `--port {free}`"),
                    None => "name another port with `--port`".to_owned(),
                };
                Refusal::new(format!("port {port} of `{host}` is in use by another program")).help(help)
            }
        };
        Err(refusal)
    }

    fn resolve(&self) -> Result<Vec<IpAddr>, Refusal> {
        // Browsers try both, and the system may return only one.
        if self.host.eq_ignore_ascii_case("localhost") {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        if let Some(address) = parse_ip(&self.host) {
            return Ok(vec![address]);
        }
        let found = (self.host.as_str(), self.port).to_socket_addrs();
        let hosts = found.map(|found| found.map(|address| address.ip()).collect::<BTreeSet<_>>());
        match hosts.and_then(|hosts| if hosts.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(hosts) }) {
            Ok(hosts) => Ok(hosts.into_iter().collect()),
            Err(error) => {
                let help = "name an address of this machine with `--host`, such as `127.0.0.1`, or `0.0.0.0` for all";
                Err(Refusal::new(format!("the host `{}` has no address: {error}", self.host)).help(help))
            }
        }
    }
}

/// Destinations in each kind of network. They only select a route: nothing is sent, so they need not exist.
const UNUSED: [IpAddr; 5] = [
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
    IpAddr::V4(Ipv4Addr::new(192, 168, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(172, 31, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(10, 255, 255, 254)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
];

/// Returns the addresses of this machine in its networks: those from which the system would send to hosts in other
/// networks. Nothing is sent.
pub fn machine_addresses() -> Vec<IpAddr> {
    let source_address = |far: IpAddr| {
        let any: IpAddr = if far.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let socket = UdpSocket::bind((any, 0)).ok()?;
        socket.connect((far, 9)).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let mut found: Vec<IpAddr> = Vec::new();
    for address in UNUSED.into_iter().filter_map(source_address) {
        if !address.is_loopback() && !address.is_unspecified() && !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

/// Parses a host that is an IP address, with or without brackets.
pub(super) fn parse_ip(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match bare {
        Some(bare) => bare.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse().ok(),
    }
}

/// Whether a host consists of characters that occur in names and addresses.
pub(super) fn is_plain(host: &str) -> bool {
    host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._[]:".contains(&byte))
}

fn in_use(bound: &io::Result<Vec<TcpListener>>) -> bool {
    bound.as_ref().is_err_and(|error| error.kind() == ErrorKind::AddrInUse)
}

/// Listens on those of the addresses that the machine has. Fails if it has none of them, or if the port is in use at
/// one.
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
            // Otherwise some browsers would reach the other program.
            Err(error) if error.kind() == ErrorKind::AddrInUse => return Err(error),
            Err(error) => missing = Some(error),
        }
    }
    match missing {
        Some(error) if listeners.is_empty() => Err(error),
        _ => Ok(listeners),
    }
}
