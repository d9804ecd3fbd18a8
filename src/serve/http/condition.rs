//! Conditional requests and ranges (RFC 9110, sections 13 and 14).

use std::ops::Range;

/// Whether an `If-None-Match` header has a file's tag: then the client's copy is good.
pub(super) fn none_match_has(header: &str, tag: &str) -> bool {
    let mut rest = header.trim();
    if rest == "*" {
        return true;
    }
    // A tag may hold a comma, so the list is read by its quotes. Comparison is weak: `W/` does not count.
    while !rest.is_empty() {
        let quoted = rest.strip_prefix("W/").unwrap_or(rest);
        let Some((found, after)) = quoted.strip_prefix('"').and_then(|open| open.split_once('"')) else { return false };
        if found == tag {
            return true;
        }
        rest = after.trim_start_matches([',', ' ', '\t']);
    }
    false
}

/// What a `Range` header asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// All of it; also for what is not understood, and for several ranges at once.
    Whole,
    /// These bytes.
    Part(Range<usize>),
    /// Bytes that the file does not have.
    Unsatisfiable,
}

/// Reads a `Range` header for a file of `length` bytes. With an `If-Range` that is not the file's tag it does not count.
pub(super) fn range(header: &str, if_range: Option<&str>, tag: &str, length: usize) -> Asked {
    let is_current = if_range.is_none_or(|known| known.trim() == format!("\"{tag}\""));
    let spec = header.split_once('=').filter(|(unit, _)| unit.trim().eq_ignore_ascii_case("bytes"));
    match spec.and_then(|(_, spec)| spec.trim().split_once('-')) {
        Some((first, last)) if is_current => bounds(first, last, length),
        _ => Asked::Whole,
    }
}

fn bounds(first: &str, last: &str, length: usize) -> Asked {
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first > last => Asked::Whole,
        (Some(first), Some(last)) if first < length => Asked::Part(first..last.saturating_add(1).min(length)),
        (Some(first), None) if last.is_empty() && first < length => Asked::Part(first..length),
        (Some(_), Some(_)) => Asked::Unsatisfiable,
        (Some(_), None) if last.is_empty() => Asked::Unsatisfiable,
        // The last so many bytes.
        (None, Some(count)) if first.is_empty() && count > 0 && length > 0 => {
            Asked::Part(length.saturating_sub(count)..length)
        }
        (None, Some(_)) if first.is_empty() => Asked::Unsatisfiable,
        _ => Asked::Whole,
    }
}

/// A number, or the largest where it is larger.
fn number(digits: &str) -> Option<usize> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_tags_is_compared_weakly() {
        for header in ["\"1f\"", "W/\"1f\"", "*", " * ", "\"a\", \"1f\"", "\"a,b\",W/\"x\" , W/\"1f\"", "\"\", \"1f\""]
        {
            assert!(none_match_has(header, "1f"), "{header}");
        }
        for header in ["", "\"1F\"", "1f", "\"1f", "w/\"1f\"", "\"a, 1f\"", "\"*\"", "\"a\", *", "x\"1f\""] {
            assert!(!none_match_has(header, "1f"), "{header}");
        }
    }

    #[test]
    fn ranges_of_a_file() {
        let part = Asked::Part;
        let huge = "bytes=3-99999999999999999999999999";
        for (header, wanted) in [
            ("bytes=0-0", part(0..1)),
            ("bytes=2-4", part(2..5)),
            ("bytes=2-", part(2..10)),
            ("bytes=2-100", part(2..10)),
            ("Bytes = 9-9", part(9..10)),
            ("bytes=-3", part(7..10)),
            ("bytes=-99", part(0..10)),
            (huge, part(3..10)),
            ("bytes=10-", Asked::Unsatisfiable),
            ("bytes=10-12", Asked::Unsatisfiable),
            ("bytes=99999999999999999999999999-", Asked::Unsatisfiable),
            ("bytes=-0", Asked::Unsatisfiable),
            ("bytes=4-2", Asked::Whole),
            ("bytes=-", Asked::Whole),
            ("bytes=a-b", Asked::Whole),
            ("bytes=1-x", Asked::Whole),
            ("bytes=+1-2", Asked::Whole),
            ("bytes=0-1,4-5", Asked::Whole),
            ("bytes=0-1, 4-", Asked::Whole),
            ("bytes", Asked::Whole),
            ("lines=0-1", Asked::Whole),
            ("", Asked::Whole),
        ] {
            assert_eq!(range(header, None, "1f", 10), wanted, "{header}");
        }
        assert_eq!(range("bytes=0-", None, "1f", 0), Asked::Unsatisfiable);
        assert_eq!(range("bytes=-1", None, "1f", 0), Asked::Unsatisfiable);
    }

    #[test]
    fn if_range_is_compared_strongly() {
        assert_eq!(range("bytes=0-0", Some("\"1f\""), "1f", 10), Asked::Part(0..1));
        for old in ["\"2a\"", "W/\"1f\"", "1f", "Sun, 06 Nov 1994 08:49:37 GMT"] {
            assert_eq!(range("bytes=0-0", Some(old), "1f", 10), Asked::Whole, "{old}");
        }
    }
}
