//! The headers with which files are served, and the fingerprint of a file and its headers.

use infralens_source::output::{content_type, is_hashed};

/// Returns the `Cache-Control` of a file. If its name contains the hash of its bytes, browsers may keep it forever;
/// otherwise they ask each time whether it has changed.
pub(super) fn cache_control(path: &str, bytes: &[u8]) -> &'static str {
    if is_hashed(path, bytes) { "public, max-age=31536000, immutable" } else { "no-cache" }
}

/// Returns the hash of the bytes of a file and of the headers that its path gives it, in hexadecimal digits.
pub(super) fn fingerprint(path: &str, bytes: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    for header in [content_type(path).as_str(), cache_control(path, bytes)] {
        hasher.update(header.as_bytes()).update(b"\n");
    }
    hasher.update(bytes).finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_with_the_right_hash_is_kept_forever() {
        assert_eq!(cache_control("assets/style.af1349b9.css", b""), "public, max-age=31536000, immutable");
        for path in ["assets/style.css", "assets/style.af1349ba.css", "search/index.js", "assets/x", ""] {
            assert_eq!(cache_control(path, b""), "no-cache", "{path}");
        }
    }

    #[test]
    fn the_headers_are_part_of_the_fingerprint() {
        assert_ne!(fingerprint("a.txt", b"x"), fingerprint("a.html", b"x"));
        assert_eq!(fingerprint("a.html", b"x"), fingerprint("b/c.html", b"x"));
    }
}
