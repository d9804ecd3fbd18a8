//! Computes output paths and relative links between them.

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
            encoded.push('%');
            for digit in [byte >> 4, byte & 15] {
                encoded.push(char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase());
            }
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
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |offset: usize| bytes.get(at + offset).and_then(|&byte| char::from(byte).to_digit(16));
        let value = digit(1).zip(digit(2)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        let (byte, length) = match value {
            Some(value) if bytes[at] == b'%' => (value, 3),
            _ => (bytes[at], 1),
        };
        decoded.push(byte);
        at += length;
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
