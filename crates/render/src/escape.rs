//! Escapes text for HTML. Nothing else does.

/// Appends text, escaped for the content of an element.
pub fn push_text(out: &mut String, text: &str) {
    push(out, text, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        // An HTML parser would read a carriage return as a line break, which it is not in code.
        b'\r' => Some("&#13;"),
        _ => None,
    });
}

/// Escapes text for the content of an element.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    push_text(&mut out, text);
    out
}

/// Escapes text for an attribute value in double quotes.
pub fn attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    push(&mut out, text, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'"' => Some("&quot;"),
        b'\'' => Some("&#39;"),
        _ => None,
    });
    out
}

/// Escapes JSON for an attribute value in single quotes, which leaves its double quotes as they are.
pub fn json_attribute(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 8);
    push(&mut out, json, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'\'' => Some("&#39;"),
        _ => None,
    });
    out
}

/// Appends text, with each ASCII character for which `escaped` returns something replaced by that.
fn push(out: &mut String, text: &str, escaped: impl Fn(u8) -> Option<&'static str>) {
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        if let Some(escape) = escaped(byte) {
            out.push_str(&text[start..at]);
            out.push_str(escape);
            start = at + 1;
        }
    }
    out.push_str(&text[start..]);
}

/// Words of this length are given places at which they can be broken.
const LONG: usize = 20;

/// Escapes text for the content of an element in a narrow column: long names can be broken after a period, a slash or an
/// underscore.
pub fn breakable(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        if word.chars().count() < LONG {
            push_text(&mut out, word);
            continue;
        }
        let mut parts = word.split_inclusive(['.', '/', '_']).peekable();
        while let Some(part) = parts.next() {
            push_text(&mut out, part);
            if part.len() > 1 && parts.peek().is_some() {
                out.push_str("<wbr>");
            }
        }
    }
    out
}

/// Escapes the name or the path of a file: it can be broken after a slash, an underscore or a hyphen, but not before its
/// extension.
pub fn file_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 16);
    let mut parts = name.split_inclusive(['/', '_', '-']).peekable();
    while let Some(part) = parts.next() {
        push_text(&mut out, part);
        let is_name = |part: &str| part.starts_with(char::is_alphanumeric);
        if is_name(part) && parts.peek().is_some_and(|next| part.ends_with('/') || is_name(next)) {
            out.push_str("<wbr>");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_broken_after_an_underscore() {
        assert_eq!(file_name("zero_memory_accounting.py"), "zero_<wbr>memory_<wbr>accounting.py");
        assert_eq!(file_name("a/__init__.py"), "a/<wbr>__init__.py");
        assert_eq!(file_name("a<b.py"), "a&lt;b.py");
    }

    #[test]
    fn carriage_returns_are_escaped() {
        assert_eq!(text("a < b\rc & d"), "a &lt; b&#13;c &amp; d");
        assert_eq!(text("a < b"), "a &lt; b");
    }

    #[test]
    fn quotes_are_escaped_in_attributes_alone() {
        assert_eq!(attribute("<é> & \"'\r"), "&lt;é&gt; &amp; &quot;&#39;\r");
        assert_eq!(text("<é> & \"'"), "&lt;é&gt; &amp; \"'");
    }

    #[test]
    fn long_names_can_be_broken_between_their_parts() {
        let broken = "See torch.<wbr>autograd.<wbr>grad_<wbr>mode &lt;1&gt;";
        assert_eq!(breakable("See torch.autograd.grad_mode <1>"), broken);
        assert_eq!(breakable("a.b __init__"), "a.b __init__");
    }

    #[test]
    fn file_names_are_not_broken_before_their_extension() {
        assert_eq!(file_name("lab-01/memory_accounting.py"), "lab-<wbr>01/<wbr>memory_<wbr>accounting.py");
        assert_eq!(file_name("a<b.md"), "a&lt;b.md");
    }
}
