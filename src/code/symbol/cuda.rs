//! C++ as the C++ grammar knows it: words of CUDA, OpenCL and of export macros become spaces.
//!
//! The result has the length and the lines of the text, so that places in it are places in the file. Strings, characters
//! and comments stay as they are.

use std::borrow::Cow;
use std::ops::Range;

/// Words that say where and how something runs or is stored.
const QUALIFIERS: [&str; 19] = [
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
    "__managed__",
    "__grid_constant__",
    "__forceinline__",
    "__noinline__",
    "__inline__",
    "__restrict__",
    "__tile_global__",
    "__tile__",
    "__kernel",
    "__global",
    "__local",
    "__constant",
    "__private",
    "__extension__",
];
/// The same, with arguments in parentheses.
const QUALIFIERS_WITH_ARGUMENTS: [&str; 6] = [
    "__launch_bounds__",
    "__cluster_dims__",
    "__maxnreg__",
    "__block_size__",
    "__align__",
    "__nv_pure__",
];

/// The most tokens that are looked through for the end of arguments.
const MOST_ARGUMENT_TOKENS: usize = 64;

/// `text` without what the C++ grammar does not know: qualifiers, launch configurations (`<<<grid, block>>>`), and the
/// macro in `class EXPORT_MACRO Name`.
pub(super) fn blanked(text: &str) -> Cow<'_, str> {
    let mut blanks = Vec::new();
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
    };
    let mut depth = 0_usize;
    // Where a launch configuration begins, and how deep in brackets.
    let mut launch = None;
    while let Some(token) = scan.next_token() {
        match &text[token.clone()] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            ";" => launch = None,
            "<<<" => launch = Some((token.start, depth)),
            angles if angles.starts_with(">>>") => {
                let closed = launch.take_if(|(_, inside)| *inside == depth);
                blanks.extend(closed.map(|(start, _)| start..token.end));
            }
            "class" | "struct" | "union" => blanks.extend(scan.export_macro()),
            word if QUALIFIERS.contains(&word) => blanks.push(token),
            word if QUALIFIERS_WITH_ARGUMENTS.contains(&word) => {
                scan.skip_arguments();
                blanks.push(token.start..scan.at);
            }
            _ => {}
        }
    }
    with_blanks(text, &blanks)
}

fn with_blanks<'t>(text: &'t str, blanks: &[Range<usize>]) -> Cow<'t, str> {
    if blanks.is_empty() {
        return text.into();
    }
    let mut bytes = text.as_bytes().to_vec();
    for byte in blanks.iter().flat_map(Clone::clone) {
        if !bytes[byte].is_ascii_whitespace() {
            bytes[byte] = b' ';
        }
    }
    String::from_utf8(bytes).map_or(text.into(), Cow::Owned)
}

/// Reads C++ token by token.
struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scan<'_> {
    /// The next word, run of one kind of angle, or other character; past white space, comments, strings and numbers.
    fn next_token(&mut self) -> Option<Range<usize>> {
        loop {
            let start = self.at;
            let first = *self.bytes.get(start)?;
            match first {
                b'/' if self.bytes.get(start + 1) == Some(&b'/') => self.skip_line(),
                b'/' if self.bytes.get(start + 1) == Some(&b'*') => self.skip_past(start + 2, b"*/"),
                b'"' | b'\'' => self.skip_quoted(first),
                // A quote in a number separates its digits.
                b'0'..=b'9' => self.skip_while(|byte| is_word(byte) || byte == b'.' || byte == b'\''),
                _ if first.is_ascii_whitespace() => self.skip_while(|byte| byte.is_ascii_whitespace()),
                _ if is_word(first) => {
                    self.skip_while(is_word);
                    let is_raw = matches!(&self.bytes[start..self.at], b"R" | b"LR" | b"uR" | b"UR" | b"u8R");
                    if !(is_raw && self.bytes.get(self.at) == Some(&b'"')) {
                        return Some(start..self.at);
                    }
                    self.skip_raw_string();
                }
                b'<' | b'>' => {
                    self.skip_while(|byte| byte == first);
                    return Some(start..self.at);
                }
                _ => {
                    self.at += 1;
                    return Some(start..self.at);
                }
            }
        }
    }

    fn skip_while(&mut self, test: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| !test(byte)).unwrap_or(rest.len());
    }

    /// Goes past the next `end` at or after `from`, or to the end of the text.
    fn skip_past(&mut self, from: usize, end: &[u8]) {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let found = rest.windows(end.len()).position(|window| window == end);
        self.at = found.map_or(self.bytes.len(), |found| from + found + end.len());
    }

    /// Goes past a comment to the end of the line, and of the next one after a backslash.
    fn skip_line(&mut self) {
        loop {
            let start = self.at;
            self.skip_while(|byte| byte != b'\n');
            let line = &self.bytes[start..self.at];
            let is_continued = line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\");
            self.at = self.bytes.len().min(self.at + 1);
            if !is_continued {
                return;
            }
        }
    }

    /// Goes past a string or a character, which ends with its line at the latest.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
            if byte == quote {
                return;
            }
        }
        self.at = self.bytes.len();
    }

    /// Goes past `"end(…)end"`.
    fn skip_raw_string(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        // The language allows 16 characters between the quote and the parenthesis.
        let open = rest.iter().take(17).position(|&byte| byte == b'(');
        let Some(open) = open else {
            return self.skip_quoted(b'"');
        };
        let end = [b")", &rest[..open], b"\""].concat();
        self.skip_past(self.at + 1 + open, &end);
    }

    /// Goes past arguments in parentheses, if they come next and are not long.
    fn skip_arguments(&mut self) {
        let before = self.at;
        let mut depth = 0_usize;
        for _ in 0..MOST_ARGUMENT_TOKENS {
            match self.next_token().map(|token| self.bytes[token.start]) {
                Some(b'(') => depth += 1,
                Some(b')') if depth == 1 => return,
                Some(b')') if depth > 0 => depth -= 1,
                Some(_) if depth > 0 => {}
                _ => break,
            }
        }
        self.at = before;
    }

    /// The macro before the name of a class that is being defined: `API` in `API Name {`, `API Name : Base {`.
    fn export_macro(&self) -> Option<Range<usize>> {
        let mut ahead = Scan {
            bytes: self.bytes,
            at: self.at,
        };
        let name = ahead.next_token()?;
        let class = ahead.next_token()?;
        let after = ahead.next_token()?;
        let is_macro = self.bytes[name.clone()]
            .iter()
            .all(|&byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit());
        let is_class = is_word(self.bytes[class.start]);
        let is_definition = match &self.bytes[after] {
            b":" => self.bytes.get(ahead.at) != Some(&b':'),
            after => after == b"{" || after == b"final",
        };
        (is_macro && is_class && is_definition).then_some(name)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}
