//! Validates absolute `http` and `https` URLs.

use std::net::Ipv6Addr;

use super::validated_text;

validated_text! {
    /// An absolute `http` or `https` URL.
    pub struct Url = "an http or https URL", validate;
}

fn validate(text: &str) -> Result<String, &'static str> {
    http_parts(text).map(|_| text.to_owned())
}

/// Splits an `http` or `https` URL into its origin (scheme, host and port) and the rest: path, query and fragment.
///
/// # Errors
///
/// Returns a few words that say what is wrong with the text.
pub fn http_parts(text: &str) -> Result<(&str, &str), &'static str> {
    let (scheme, rest) = text.split_once("://").ok_or("it does not begin with `https://`")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err("it does not begin with `https://`");
    }
    if text.contains(|found: char| found.is_whitespace() || found.is_control() || "<>\"\\^`{|}".contains(found)) {
        return Err("it contains a character that URLs do not allow");
    }
    let host_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(host_end);
    if authority.contains('@') {
        return Err("it contains a user name");
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        // Without a port; any valid number passes the check below.
        _ => (authority, "80"),
    };
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_ip_v6 = bracketed.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
    if host.is_empty() || host.starts_with('.') || (host.contains([':', '[', ']']) && !is_ip_v6) {
        return Err("it has no host");
    }
    // `parse` alone would accept a sign.
    if !port.bytes().all(|byte| byte.is_ascii_digit()) || port.parse::<u16>().is_err() {
        return Err("its port is not a number up to 65535");
    }
    Ok((&text[..text.len() - after.len()], after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_split_after_its_origin() {
        let parts = [
            ("https://example.org", "https://example.org", ""),
            ("HTTP://example.org:8080/a/b?c#d", "HTTP://example.org:8080", "/a/b?c#d"),
            ("http://[::1]:80/x", "http://[::1]:80", "/x"),
            ("http://[::1]", "http://[::1]", ""),
            ("https://例え.jp/道", "https://例え.jp", "/道"),
            ("https://example.org?q", "https://example.org", "?q"),
        ];
        for (url, origin, after) in parts {
            assert_eq!(http_parts(url), Ok((origin, after)), "{url}");
        }
    }

    #[test]
    fn an_invalid_url_is_rejected_with_a_reason() {
        let scheme = "it does not begin with `https://`";
        let character = "it contains a character that URLs do not allow";
        let wrong = [
            ("example.org", scheme),
            ("ftp://example.org", scheme),
            ("javascript://example.org", scheme),
            ("//example.org/", scheme),
            ("https:///path", "it has no host"),
            ("https://:80/", "it has no host"),
            ("https://a:b:1/", "it has no host"),
            ("https://[]/", "it has no host"),
            ("https://[x]/", "it has no host"),
            ("https://[::1/", "it has no host"),
            ("https://user@example.org/", "it contains a user name"),
            ("https://example.org:http/", "its port is not a number up to 65535"),
            ("https://example.org:+80/", "its port is not a number up to 65535"),
            ("https://example.org:70000/", "its port is not a number up to 65535"),
            ("https://example.org/a b", character),
            ("https://example.org/\"onclick", character),
        ];
        for (url, why) in wrong {
            assert_eq!(http_parts(url), Err(why), "{url}");
        }
    }
}
