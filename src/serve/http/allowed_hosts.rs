//! Checks the `Host` of requests. A page of another site can resolve its own name to this machine (DNS rebinding),
//! and could then read the preview; but its requests have that name as their `Host`. The port does not matter: a container
//! or `ssh -L` may forward another one. It does in an `Origin`, because other programs have other ports.

use std::net::{IpAddr, SocketAddr};

use super::address::{is_plain, parse_ip};

/// The host names and addresses that are answered.
#[derive(Debug)]
pub(super) struct AllowedHosts {
    port: u16,
    /// The names and addresses that the user asked for; the first is the one to listen at.
    names: Vec<String>,
    bound: Vec<IpAddr>,
    /// Whether an editor may show pages in a frame.
    pub in_editor: bool,
}

impl AllowedHosts {
    /// Returns the hosts of a server that was started for `names` and listens at the addresses `bound`.
    pub(super) fn new<'a>(names: impl IntoIterator<Item = &'a str>, bound: &[SocketAddr]) -> Self {
        Self {
            port: bound.first().map_or(0, SocketAddr::port),
            names: names.into_iter().map(str::to_ascii_lowercase).collect(),
            bound: bound.iter().map(SocketAddr::ip).collect(),
            in_editor: false,
        }
    }

    /// Whether a `Host` header names this server.
    pub(super) fn answers(&self, header: &str) -> bool {
        let Some((host, _)) = split(header) else { return false };
        let host = host.to_ascii_lowercase();
        match parse_ip(&host) {
            _ if self.names.contains(&host) => true,
            // A browser connects to an address itself, so nobody can resolve it to this machine.
            Some(address) => self.is_open() || address.is_loopback() || self.bound.contains(&address),
            None => is_localhost(&host),
        }
    }

    /// Whether an `Origin` header names this server.
    pub(super) fn is_own_origin(&self, origin: &str) -> bool {
        let host = origin.strip_prefix("http://").filter(|host| self.answers(host));
        host.and_then(split).is_some_and(|(_, port)| port == self.port)
    }

    /// Lists the names and addresses that are answered, for a message.
    pub(super) fn describe(&self) -> String {
        let loopback = ["localhost", "127.0.0.1", "[::1]"];
        let own = self.names.iter().map(String::as_str).filter(|name| !loopback.contains(name));
        let own =
            own.filter(|name| !parse_ip(name).is_some_and(|address| address.is_loopback() || address.is_unspecified()));
        let any = self.is_open().then_some("any address of this machine");
        loopback.into_iter().chain(own).chain(any).collect::<Vec<_>>().join(", ")
    }

    /// Whether the server listens on all addresses of the machine.
    fn is_open(&self) -> bool {
        self.bound.iter().any(IpAddr::is_unspecified)
    }
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
    (!host.is_empty() && is_plain(host)).then_some((host, port))
}

#[cfg(test)]
mod tests {
    use super::AllowedHosts;

    fn hosts(host: &str, bound: &[&str]) -> AllowedHosts {
        AllowedHosts::new(
            host.split(' '),
            &bound.iter().map(|address| address.parse().expect("an address")).collect::<Vec<_>>(),
        )
    }

    #[track_caller]
    fn check(hosts: &AllowedHosts, yes: &[&str], no: &[&str]) {
        for host in yes {
            assert!(hosts.answers(host), "{host}");
            let is_on_port = super::split(host).is_some_and(|(_, port)| port == hosts.port);
            assert_eq!(hosts.is_own_origin(&format!("http://{host}")), is_on_port, "{host}");
        }
        for host in no {
            assert!(!hosts.answers(host) && !hosts.is_own_origin(&format!("http://{host}")), "{host}");
        }
    }

    #[test]
    fn a_loopback_server_answers_the_names_of_this_machine_alone() {
        let yes = [
            "localhost:4000", "LocalHost:4000", "127.0.0.1:4000", "127.0.0.2:4000", "[::1]:4000", "a.localhost:4000",
            // What a container, `ssh -L` or an editor forwards from.
            "localhost", "localhost:80", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "localhost.:65535",
        ];
        let no = [
            "localhost:", "localhost:65536", "localhost:+4000", "localhost:4000:4000", "evil.com:4000", "evil.com", "",
            ":4000", ".localhost:4000", "localhost.evil.com:4000", "evillocalhost:4000", "127.0.0.1.evil.com:4000",
            "[::1:4000", "::1:4000", "[::1]4000", "192.168.0.1:4000", "0.0.0.0:4000", "user@localhost:4000",
            "localhost/x:4000", "2130706433:4000", "[::ffff:127.0.0.1]:4000",
        ];
        check(&hosts("127.0.0.1", &["127.0.0.1:4000"]), &yes, &no);
        check(&hosts("localhost", &["127.0.0.1:4000", "[::1]:4000"]), &yes, &no);
        check(&hosts("::1", &["[::1]:4000"]), &yes, &no);
        check(&hosts("lab.test", &["127.0.0.1:4000"]), &["lab.test:4000", "localhost:4000"], &["evil.test:4000"]);
    }

    #[test]
    fn a_name_that_was_asked_for_is_answered() {
        let lan = hosts("Lab.example", &["192.168.0.7:4000"]);
        check(&lan, &["lab.example:4000", "192.168.0.7:4000", "lab.example", "localhost:8080"], &["evil.com:4000"]);
        assert_eq!(lan.describe(), "localhost, 127.0.0.1, [::1], lab.example");
        check(
            &hosts("192.168.0.7", &["192.168.0.7:80"]),
            &["192.168.0.7", "192.168.0.7:80", "192.168.0.7:8080"],
            &["192.168.0.8"],
        );
    }

    #[test]
    fn a_proxy_is_answered_by_its_name_but_is_no_origin_of_its_own() {
        let proxied = hosts("0.0.0.0 Course.Example", &["0.0.0.0:4000"]);
        check(
            &proxied,
            &["course.example", "course.example:443", "192.168.0.7:8080"],
            &["evil.example", "a.course.example"],
        );
        assert!(!proxied.is_own_origin("https://course.example"));
        assert_eq!(proxied.describe(), "localhost, 127.0.0.1, [::1], course.example, any address of this machine");
    }

    #[test]
    fn on_all_addresses_any_ip_address_is_answered_but_no_name() {
        for (host, bound) in [("0.0.0.0", "0.0.0.0:4000"), ("[::]", "[::]:4000")] {
            let yes = ["localhost:4000", "192.168.0.1:4000", "[fe80::1]:4000", "127.0.0.1:4000"];
            check(&hosts(host, &[bound]), &yes, &["evil.com:4000", "1.2.3:4000"]);
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
