//! Reads a tag of JSX, whose attributes may be expressions in braces.

/// A tag.
#[derive(Debug)]
pub struct Tag<'t> {
    pub start: usize,
    pub end: usize,
    pub text: &'t str,
    pub name: &'t str,
    /// Whether it ends an element.
    pub is_end: bool,
    /// Whether the element has no content.
    pub is_closed: bool,
    /// The name and the value of each attribute, and whether the value is an expression.
    pub attributes: Vec<(&'t str, String, bool)>,
}

impl Tag<'_> {
    /// Returns the value of an attribute, and whether it is an expression.
    pub fn attribute(&self, name: &str) -> Option<(String, bool)> {
        self.attributes.iter().find(|found| found.0 == name).map(|(_, value, is_code)| (value.clone(), *is_code))
    }

    /// Returns the value of an attribute that is a text.
    pub fn value(&self, name: &str) -> Option<String> {
        self.attribute(name).filter(|(value, is_code)| !is_code && !value.is_empty()).map(|(value, _)| value)
    }
}

/// Returns the tag that begins at a byte of a text; `None` if none does, or it has no end.
pub fn tag_at(text: &str, start: usize) -> Option<Tag<'_>> {
    let rest = text[start..].strip_prefix('<')?;
    let is_end = rest.starts_with('/');
    let name_start = start + 1 + usize::from(is_end);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    let length = text[name_start..].find(|c| !is_name(c)).unwrap_or(text.len() - name_start);
    let name = &text[name_start..name_start + length];
    let is_tag = name.is_empty() || name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains(':');
    let (mut at, mut attributes) = (name_start + length, Vec::new());
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        if let Some(closing) = ["/>", ">"].into_iter().find(|end| rest.starts_with(end)).filter(|_| is_tag) {
            let end = at + closing.len();
            let is_closed = closing.len() == 2;
            return Some(Tag { start, end, text: &text[start..end], name, is_end, is_closed, attributes });
        }
        if rest.starts_with('{') {
            at += braces(rest)?;
            continue;
        }
        let length = rest.find(|c| !is_name(c)).filter(|&length| length > 0 && is_tag)?;
        let (key, after) = rest.split_at(length);
        at += length;
        let Some(value) = after.strip_prefix('=') else {
            attributes.push((key, String::new(), false));
            continue;
        };
        let quote = value.chars().next()?;
        let length = match quote {
            '"' | '\'' => value[1..].find(quote)? + 2,
            '{' => braces(value)?,
            _ => return None,
        };
        let inner = value[1..length - 1].trim();
        let is_text = |quote: char| {
            inner.len() > 1 && inner.starts_with(quote) && inner.matches(quote).count() == 2 && inner.ends_with(quote)
        };
        let (inner, is_code) = match quote {
            '{' if ['"', '\'', '`'].into_iter().any(is_text) => (&inner[1..inner.len() - 1], false),
            _ => (inner, quote == '{'),
        };
        attributes.push((key, inner.to_owned(), is_code));
        at += 1 + length;
    }
}

/// Returns the length of an expression in braces at the beginning of a text.
fn braces(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_with_expressions_are_read() {
        let text = "a <Tabs values={[{a: '>'}]} b='c' d={\"e\"} f\n g={`h`}> <br/> </Tabs> <> a < b <x:y>";
        let found: Vec<String> = text
            .match_indices('<')
            .filter_map(|(at, _)| tag_at(text, at))
            .map(|tag| {
                format!("{}{} {} {:?}", if tag.is_end { "/" } else { "" }, tag.name, tag.is_closed, tag.attributes)
            })
            .collect();
        let tabs = r#"Tabs false [("values", "[{a: '>'}]", true), ("b", "c", false), ("d", "e", false), ("f", "", false), ("g", "h", false)]"#;
        assert_eq!(found, [tabs, "br true []", "/Tabs false []", " false []"]);
    }
}
