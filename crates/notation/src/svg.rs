//! Writes markup of formulas and diagrams, with escaped text and attributes.

/// Markup under construction. Text and attribute values may be anything; element and attribute names are not escaped, so they must be valid.
#[derive(Debug, Clone, Default)]
pub struct Markup {
    out: String,
}

impl Markup {
    /// Starts an element; `close` ends it.
    pub fn open(&mut self, name: &str, attributes: &[(&str, impl AsRef<str>)]) {
        self.tag(name, attributes);
        self.out.push('>');
    }

    /// Ends the element that `open` started.
    pub fn close(&mut self, name: &str) {
        self.out.extend(["</", name, ">"]);
    }

    /// Writes an element with a text.
    pub fn element(&mut self, name: &str, attributes: &[(&str, impl AsRef<str>)], text: &str) {
        self.open(name, attributes);
        self.text(text);
        self.close(name);
    }

    /// Writes an element without content.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, impl AsRef<str>)]) {
        self.tag(name, attributes);
        self.out.push_str("/>");
    }

    /// Appends the markup of another `Markup`.
    pub fn append(&mut self, other: &Self) {
        self.out.push_str(&other.out);
    }

    pub fn finish(self) -> String {
        self.out
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, impl AsRef<str>)]) {
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in attributes {
            self.out.extend([" ", key, "=\""]);
            self.text(value.as_ref());
            self.out.push('"');
        }
    }

    /// Writes text, or the value of an attribute.
    pub fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                // Other control characters are invalid in HTML and XML.
                '\n' | '\t' => self.out.push(c),
                c if c.is_control() => self.out.push('\u{FFFD}'),
                c => self.out.push(c),
            }
        }
    }
}

/// Formats a length in pixels for an attribute, rounded to a tenth; NaN and infinity become 0.
pub fn number(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    let rounded = if rounded.is_finite() && rounded != 0.0 { rounded } else { 0.0 };
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_ends_text_or_an_attribute_is_escaped() {
        let mut markup = Markup::default();
        markup.element("g", &[("class", "a\"><script>")], "x < y && z > \"q\" \u{0}\u{1b}");
        assert_eq!(
            markup.finish(),
            "<g class=\"a&quot;&gt;&lt;script&gt;\">x &lt; y &amp;&amp; z &gt; &quot;q&quot; \u{FFFD}\u{FFFD}</g>"
        );
    }

    #[test]
    fn numbers_are_short_and_never_odd() {
        let written: Vec<String> = [1.0, 2.25, -0.04, f64::NAN, f64::INFINITY, -3.06].map(number).into();
        assert_eq!(written, ["1", "2.3", "0", "0", "0", "-3.1"]);
    }
}
