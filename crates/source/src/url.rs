//! Computes output paths and relative links between them.

use std::fmt::Write;

/// Returns the percent-encoded link from the page at output path `from` to the output path `to`.
pub fn relative(from: &str, to: &str) -> String {
    let folder = shared_folder(from, to);
    link(from, folder, &encode(&to[folder..]))
}

/// Like [`relative`], but for paths that are already percent-encoded. `to` may end in a fragment.
pub fn relative_encoded(from: &str, to: &str) -> String {
    let folder = shared_folder(from, to);
    link(from, folder, &to[folder..])
}

/// Returns the length of the folder, with its slash, that two paths begin with.
fn shared_folder(from: &str, to: &str) -> usize {
    let same = from.bytes().zip(to.bytes()).take_while(|(from, to)| from == to).count();
    from.as_bytes()[..same].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)
}

/// Returns the link from the page at `from` up to the folder of this length and down to `below`.
fn link(from: &str, folder: usize, below: &str) -> String {
    let up = from[folder..].matches('/').count();
    // An empty link leads to the page itself, and a first segment with a colon would be read as a scheme.
    let is_misread = |below: &str| below.is_empty() || below.split('/').next().is_some_and(|first| first.contains(':'));
    let mut link = String::with_capacity(3 * up + below.len() + 2);
    if up == 0 && is_misread(below) {
        link.push_str("./");
    }
    (0..up).for_each(|_| link.push_str("../"));
    link.push_str(below);
    link
}

/// Returns the relative path from the page at output path `from` to the root of the site: empty, or a number of `../`.
pub fn root(from: &str) -> String {
    "../".repeat(from.matches('/').count())
}

/// Returns the output path of a page's Markdown copy, which is next to the page.
pub fn copy(page: &str) -> String {
    format!("{}.md", page.strip_suffix(".html").unwrap_or(page))
}

/// Percent-encodes the characters of a path that are not allowed in a URL, and all that are not ASCII.
pub fn encode(path: &str) -> String {
    encode_except(path, b"/-._~!$()*+,;=:@")
}

/// Percent-encodes all bytes but ASCII letters, digits and those in `kept`.
pub fn encode_except(path: &str, kept: &[u8]) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Decodes percent-encoding. A text that does not decode to UTF-8 stays as it is.
pub fn decode(text: &str) -> String {
    String::from_utf8(decoded(text)).unwrap_or_else(|_| text.to_string())
}

/// Decodes percent-encoding to bytes. A `%` without two hexadecimal digits stays as it is.
pub fn decoded(text: &str) -> Vec<u8> {
    let mut parts = text.split('%');
    let mut decoded = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(byte.unwrap_or(b'%'));
        decoded.extend(&part.as_bytes()[if byte.is_some() { 2 } else { 0 }..]);
    }
    decoded
}

/// Joins the path of a link to the folder of the file that contains it. Returns `None` if it leads above the root.
pub fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns the folder of a path; empty for a path without a slash.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns whether a path is `folder`, without a slash at its end, or below it.
pub fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the last segment of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_name_files() {
        assert_eq!(relative("index.html", "a/b.html"), "a/b.html");
        assert_eq!(relative("tracks/t/labs/x.html", "tracks/t/handbook/y.html"), "../handbook/y.html");
        assert_eq!(relative("a/b.html", "index.html"), "../index.html");
        assert_eq!(relative("a/b.html", "a/b.html"), "b.html");
        assert_eq!(relative("a.html", "zéro x.html"), "z%C3%A9ro%20x.html");
        assert_eq!(relative("a.html", "b:c.html"), "./b:c.html");
        assert_eq!(relative("code/a", "code/a/b"), "a/b");
        assert_eq!(relative("é/a.html", "è/b.html"), "../%C3%A8/b.html");
        assert_eq!(relative_encoded("a/b.html", "a/c%20d.html#E1-N2"), "c%20d.html#E1-N2");
        assert_eq!(relative_encoded("a/b.html", "a/b.html#x/y"), "b.html#x/y");
        assert_eq!(relative_encoded("a/b.html", "a/"), "./");
    }

    #[test]
    fn joining_and_decoding() {
        assert_eq!(
            join("content/tracks/t/labs", "../handbook/08-x.md").as_deref(),
            Some("content/tracks/t/handbook/08-x.md")
        );
        assert_eq!(join("content", "../../etc/passwd"), None);
        assert_eq!(decode("a%20b%ZZ%C3%A9"), "a b%ZZé");
        assert_eq!(decode("%"), "%");
    }
}
