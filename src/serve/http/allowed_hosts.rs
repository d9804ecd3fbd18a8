//! Checks the `Host` of requests. A page of another site can resolve its own name to this machine (DNS rebinding),
//! and could then read the preview; but its requests have that name as their `Host`.

use std::net::{IpAddr, SocketAddr};

use super::address::parse_ip;

/// The host names and addresses that are answered, all on one port.
#[derive(Debug)]
pub(super) struct AllowedHosts {
    port: u16,
    /// The name or address that the user asked for.
    host: String,
    bound: Vec<IpAddr>,
}

impl AllowedHosts {
    /// Returns the hosts of a server that was started for `host` and listens at the addresses `bound`.
    pub(super) fn new(host: &str, bound: &[SocketAddr]) -> Self {
        Self {
            port: bound.first().map_or(0, SocketAddr::port),
            host: host.to_ascii_lowercase(),
            bound: bound.iter().map(SocketAddr::ip).collect(),
        }
    }

    /// Whether a `Host` header names this server.
    pub(super) fn answers(&self, header: &str) -> bool {
        let Some((host, port)) = split(header) else { return false };
        if port != self.port {
            return false;
        }
        let host = host.to_ascii_lowercase();
        if host == self.host {
            return true;
        }
        match parse_ip(&host) {
            Some(address) => {
                self.is_open() || self.bound.contains(&address) || self.is_loopback() && is_usual_loopback(address)
            }
            None => (self.is_loopback() || self.is_open()) && is_localhost(&host),
        }
    }

    /// Whether an `Origin` header names this server.
    pub(super) fn is_own_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.answers(host))
    }

    /// Lists the URLs that are answered, for a message.
    pub(super) fn describe(&self) -> String {
        let port = self.port;
        let own = if self.host.contains(':') && !self.host.starts_with('[') {
            format!("http://[{}]:{port}/", self.host)
        } else {
            format!("http://{}:{port}/", self.host)
        };
        if self.is_open() {
            return format!("http://localhost:{port}/ and, with port {port}, any address of this machine");
        }
        if self.is_loopback() {
            let usual = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}/"));
            let own = Some(own).filter(|own| !usual.contains(own));
            return usual.into_iter().chain(own).collect::<Vec<_>>().join(", ");
        }
        own
    }

    fn is_loopback(&self) -> bool {
        self.bound.iter().all(IpAddr::is_loopback)
    }

    /// Whether the server listens on all addresses of the machine.
    fn is_open(&self) -> bool {
        self.bound.iter().any(IpAddr::is_unspecified)
    }
}

fn is_usual_loopback(address: IpAddr) -> bool {
    address == IpAddr::from([127, 0, 0, 1]) || address == IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1_u16])
}

/// Whether a name is `localhost` or below it. Browsers resolve these names to this machine, whatever a name server
/// says.
fn is_localhost(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    host == "localhost" || host.strip_suffix(".localhost").is_some_and(|below| !below.is_empty())
}

/// Splits a header into the host, with its brackets, and the port, which is 80 by default.
fn split(header: &str) -> Option<(&str, u16)> {
    let host_end =
        if header.starts_with('[') { header.find(']')? + 1 } else { header.find(':').unwrap_or(header.len()) };
    let (host, rest) = header.split_at(host_end);
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => 80,
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().ok()?,
        _ => return None,
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._[]:".contains(&byte);
    (!host.is_empty() && host.bytes().all(plain)).then_some((host, port))
}

#[cfg(test)]
mod tests {
    use super::AllowedHosts;

    fn hosts(host: &str, bound: &[&str]) -> AllowedHosts {
        AllowedHosts::new(host, &bound.iter().map(|address| address.parse().expect("an address")).collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(hosts: &AllowedHosts, yes: &[&str], no: &[&str]) {
        for host in yes {
            assert!(hosts.answers(host), "{host}");
            assert!(hosts.is_own_origin(&format!("http://{host}")), "{host}");
        }
        for host in no {
            assert!(!hosts.answers(host), "{host}");
        }
    }

    #[test]
    fn a_loopback_server_answers_the_names_of_this_machine_alone() {
        let yes = ["localhost:4000", "LocalHost:4000", "127.0.0.1:4000", "[::1]:4000", "a.localhost:4000"];
        let no = [
            "localhost",
            "localhost:80",
            "localhost:4001",
            "localhost:",
            "localhost:+4000",
            "localhost:4000:4000",
            "evil.com:4000",
            "evil.com",
            "",
            ":4000",
            ".localhost:4000",
            "localhost.evil.com:4000",
            "evillocalhost:4000",
            "127.0.0.1.evil.com:4000",
            "[::1:4000",
            "::1:4000",
            "[::1]4000",
            "192.168.0.1:4000",
            "0.0.0.0:4000",
            "user@localhost:4000",
            "localhost/x:4000",
            "2130706433:4000",
            "[::ffff:127.0.0.1]:4000",
        ];
        check(&hosts("127.0.0.1", &["127.0.0.1:4000"]), &yes, &no);
        check(&hosts("localhost", &["127.0.0.1:4000", "[::1]:4000"]), &yes, &no);
        check(&hosts("::1", &["[::1]:4000"]), &yes, &no);
        check(&hosts("lab.test", &["127.0.0.1:4000"]), &["lab.test:4000", "localhost:4000"], &["evil.test:4000"]);
    }

    #[test]
    fn a_name_that_was_asked_for_is_answered() {
        let lan = hosts("Lab.example", &["192.168.0.7:4000"]);
        check(&lan, &["lab.example:4000", "192.168.0.7:4000"], &["localhost:4000", "127.0.0.1:4000", "evil.com:4000"]);
        assert_eq!(lan.describe(), "http://lab.example:4000/");
        check(
            &hosts("192.168.0.7", &["192.168.0.7:80"]),
            &["192.168.0.7", "192.168.0.7:80"],
            &["localhost", "192.168.0.8"],
        );
    }

    #[test]
    fn on_all_addresses_any_ip_address_is_answered_but_no_name() {
        for (host, bound) in [("0.0.0.0", "0.0.0.0:4000"), ("[::]", "[::]:4000")] {
            let yes = ["localhost:4000", "192.168.0.1:4000", "[fe80::1]:4000", "127.0.0.1:4000"];
            check(&hosts(host, &[bound]), &yes, &["evil.com:4000", "192.168.0.1", "1.2.3:4000"]);
        }
    }

    #[test]
    fn another_scheme_or_none_is_another_origin() {
        let hosts = hosts("127.0.0.1", &["127.0.0.1:4000"]);
        for origin in
            ["https://localhost:4000", "null", "localhost:4000", "http://localhost:4000/", "http://evil.com:4000"]
        {
            assert!(!hosts.is_own_origin(origin), "{origin}");
        }
    }
}
