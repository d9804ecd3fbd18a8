//! Which IP addresses are private: those of this machine, of local networks, and those that no network routes.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address can be that of a site on the Internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match a {
        // This network, and what is reserved.
        0 | 240..=255 => true,
        // Between the customers of a provider and the Internet.
        100 => (64..128).contains(&b),
        // Protocols, documentation, 6to4 relays.
        192 => b == 0 && c == 0 || b == 88 && c == 99,
        // Measurements of networks.
        198 => matches!(b, 18 | 19),
        _ => false,
    };
    let is_local = address.is_private() || address.is_loopback() || address.is_link_local();
    !(is_special || is_local || address.is_multicast() || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let [a, b, c, d, ..] = parts;
    let ends_with = |at: usize| {
        let [high, low] = [parts[at], parts[at + 1]].map(u16::to_be_bytes);
        is_public_v4(Ipv4Addr::new(high[0], high[1], low[0], low[1]))
    };
    match (a, b) {
        // Addresses that have one of version 4 in them: translated, and tunneled.
        (0x64, 0xff9b) if (c, d) == (0, 0) => ends_with(6),
        (0x2002, _) => ends_with(1),
        // Documentation, benchmarks, and tunnels whose address of version 4 is disguised.
        (0x2001, 0xdb8 | 0 | 2) | (0x3fff, 0..=0xfff) => false,
        // All others that are assigned.
        _ => a & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_known() {
        for public in
            ["1.1.1.1", "100.63.0.1", "172.15.0.1", "192.0.1.1", "198.20.0.1", "223.255.255.255", "2606:4700::1"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        assert!(is_public("64:ff9b::101:101".parse().unwrap()) && is_public("2002:101:101::".parse().unwrap()));
        let private = [
            "127.0.0.1", "127.8.0.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254",
            "100.64.0.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::",
            "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1",
            "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001:db8::1", "2001::1", "5f00::1",
        ];
        for private in private {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
    }
}
