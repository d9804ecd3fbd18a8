//! Evaluates conditional requests and ranges (RFC 9110, sections 13 and 14).

use std::ops::Range;

/// Whether an `If-None-Match` header contains a file's tag (in quotes), so that the client's copy is current. The
/// comparison is weak: `W/` is ignored.
pub(super) fn has_tag(header: &str, tag: &str) -> bool {
    let is_tag = |known: &str| known.strip_prefix("W/").unwrap_or(known) == tag;
    header == "*" || header.split(',').any(|known| is_tag(known.trim()))
}

/// Parses a `Range` header for a file of `length` bytes. Returns `None` for an invalid header and for several ranges
/// at once; the whole file is the response then. A range that begins at `length` is beyond the end of the file.
pub(super) fn range(header: &str, length: usize) -> Option<Range<usize>> {
    let (unit, range) = header.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    let (start, end) = match (number(first), number(last)) {
        (Some(start), Some(last)) if start <= last => (start, last.saturating_add(1)),
        (Some(start), None) if last.is_empty() => (start, length),
        (None, Some(count)) if first.is_empty() => (length.saturating_sub(count), length),
        _ => return None,
    };
    unit.trim().eq_ignore_ascii_case("bytes").then(|| start.min(length)..end.min(length))
}

/// Parses a number; one that is too large becomes the largest.
fn number(digits: &str) -> Option<usize> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_tags_is_compared_weakly() {
        for header in ["\"1f\"", "W/\"1f\"", "*", "\"a\", \"1f\"", "\"a,b\",W/\"x\" , W/\"1f\"", "\"\", \"1f\""] {
            assert!(has_tag(header, "\"1f\""), "{header}");
        }
        for header in ["", "\"1F\"", "1f", "\"1f", "w/\"1f\"", "\"a, 1f\"", "\"*\"", "\"a\", *", "x\"1f\""] {
            assert!(!has_tag(header, "\"1f\""), "{header}");
        }
    }

    #[test]
    fn ranges_of_a_file() {
        let huge = "bytes=3-99999999999999999999999999";
        for (header, wanted) in [
            ("bytes=0-0", Some(0..1)),
            ("bytes=2-4", Some(2..5)),
            ("bytes=2-", Some(2..10)),
            ("bytes=2-100", Some(2..10)),
            ("Bytes = 9-9", Some(9..10)),
            ("bytes=-3", Some(7..10)),
            ("bytes=-99", Some(0..10)),
            (huge, Some(3..10)),
            ("bytes=10-", Some(10..10)),
            ("bytes=10-12", Some(10..10)),
            ("bytes=99999999999999999999999999-", Some(10..10)),
            ("bytes=-0", Some(10..10)),
            ("bytes=4-2", None),
            ("bytes=-", None),
            ("bytes=a-b", None),
            ("bytes=1-x", None),
            ("bytes=+1-2", None),
            ("bytes=0-1,4-5", None),
            ("bytes=0-1, 4-", None),
            ("bytes", None),
            ("lines=0-1", None),
            ("", None),
        ] {
            assert_eq!(range(header, 10), wanted, "{header}");
        }
        assert_eq!(range("bytes=0-", 0), Some(0..0));
        assert_eq!(range("bytes=-1", 0), Some(0..0));
    }
}
