//! Where the server listens, and why it cannot.

use std::fmt;
use std::io;
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
pub enum StartError {
    /// Another program listens there.
    InUse {
        /// What was asked for.
        address: Address,
        /// A port near it on which nobody listens.
        free: Option<u16>,
    },
    /// The host's name has no address.
    Unresolved {
        /// That name.
        host: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The system does not let anyone listen there.
    CannotListen {
        /// What was asked for.
        address: Address,
        /// The system's reason.
        source: io::Error,
    },
    /// The system has no more threads or descriptors.
    System {
        /// Its reason.
        source: io::Error,
    },
}

impl Address {
    /// Listens on all addresses of the host that this machine has, all on one port. Who connects waits until a
    /// [`super::Server`] answers.
    ///
    /// # Errors
    /// The port is in use, the address is none of this machine's, or the host's name leads nowhere.
    pub fn bind(&self) -> Result<Bound, StartError> {
        let hosts = self.resolve()?;
        match (0..TRIES).map(|_| bind_all(&hosts, self.port)).find(|bound| !(self.port == 0 && in_use(bound))) {
            Some(Ok(listeners)) => Ok(Bound { host: self.host.clone(), listeners }),
            Some(Err(error)) if error.kind() == io::ErrorKind::AddrInUse => {
                let last = self.port.saturating_add(NEXT);
                let free = (self.port..=last).skip(1).find(|&port| bind_all(&hosts, port).is_ok());
                Err(StartError::InUse { address: self.clone(), free })
            }
            Some(Err(source)) => Err(StartError::CannotListen { address: self.clone(), source }),
            None => Err(StartError::InUse { address: self.clone(), free: None }),
        }
    }

    fn resolve(&self) -> Result<Vec<IpAddr>, StartError> {
        // Browsers try either, and the system's own answer may lack one.
        if self.host.eq_ignore_ascii_case("localhost") {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        if let Some(address) = literal(&self.host) {
            return Ok(vec![address]);
        }
        let unresolved = |source| StartError::Unresolved { host: self.host.clone(), source };
        let found = (self.host.as_str(), self.port).to_socket_addrs().map_err(unresolved)?;
        let mut hosts: Vec<IpAddr> = found.map(|address| address.ip()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        if hosts.is_empty() { Err(unresolved(io::ErrorKind::NotFound.into())) } else { Ok(hosts) }
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
    bound.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
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
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(error),
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
    pub fn help(&self) -> Option<String> {
        match self {
            Self::InUse { free: Some(free), .. } => Some(format!("port {free} is free: `--port {free}`")),
            Self::InUse { free: None, .. } => Some("name another port with `--port`".to_owned()),
            Self::Unresolved { .. } => Some(
                "name an address of this machine with `--host`, such as `127.0.0.1`, or `0.0.0.0` for all".to_owned(),
            ),
            Self::CannotListen { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => Some("name a port above 1023 with `--port`".to_owned()),
                io::ErrorKind::AddrNotAvailable => Some(
                    "this machine does not have that address; `127.0.0.1` is this machine, `0.0.0.0` all its addresses"
                        .to_owned(),
                ),
                _ => None,
            },
            Self::System { .. } => None,
        }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse { address: Address { host, port }, .. } => {
                write!(f, "port {port} of `{host}` is in use by another program")
            }
            Self::Unresolved { host, source } => write!(f, "the host `{host}` has no address: {source}"),
            Self::CannotListen { address: Address { host, port }, source } => {
                write!(f, "cannot listen on port {port} of `{host}`: {source}")
            }
            Self::System { source } => write!(f, "cannot start the preview's server: {source}"),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::InUse { .. } => None,
            Self::Unresolved { source, .. } | Self::CannotListen { source, .. } | Self::System { source } => {
                Some(source)
            }
        }
    }
}
