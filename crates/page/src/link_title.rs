//! The titles of links in a page's file: where they are written, and how a text is quoted as one.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, LinkType, Tag};

use super::destination::{self, MappedText};
use super::{Definition, Document, Link, html};
use infralens_source::source::Span;

/// Where the destination and the title of a link are written.
#[derive(Debug)]
pub struct LinkSource {
    pub destination: MappedText,
    /// The title with its quotation marks; empty, and directly after the destination, if there is none.
    pub title: Span,
    /// Whether it is in a table, where `|` needs an escape.
    pub is_in_table: bool,
}

/// Finds where the links of a document are written.
#[derive(Debug)]
pub struct LinkSources<'d> {
    document: &'d Document,
    tables: Vec<Span>,
    /// The reference definitions by destination and title.
    definitions: BTreeMap<(&'d str, &'d str), Vec<&'d Definition>>,
}

impl<'d> LinkSources<'d> {
    /// Prepares for the links of a document.
    pub fn new(document: &'d Document) -> Self {
        let body = &document.body;
        let events = body.events.range(0..body.events.len());
        let tables = events.filter(|(event, _)| matches!(event, Event::Start(Tag::Table(_)))).map(|(_, span)| span);
        let mut definitions: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for definition in &body.definitions {
            let key = (definition.target.as_str(), definition.title.as_str());
            definitions.entry(key).or_default().push(definition);
        }
        Self { document, tables: tables.collect(), definitions }
    }

    /// Returns where a link is written: itself, or the definitions that it may refer to, which are equal. Empty if that cannot
    /// be told.
    pub fn of(&self, link: &Link) -> Vec<LinkSource> {
        let Some((kind, title)) = title(self.document, link) else { return Vec::new() };
        if kind == LinkType::Inline {
            let destination = destination::inline(self.document, link);
            let end = link.span.end.saturating_sub(1);
            return destination.and_then(|destination| self.source(destination, end, &title)).into_iter().collect();
        }
        let definitions = self.definitions.get(&(link.target.as_str(), title.as_str())).into_iter().flatten();
        let found = definitions.map(|definition| {
            let destination = destination::of_definition(&self.document.source, definition)?;
            self.source(destination, definition.span.end, &title)
        });
        found.collect::<Option<_>>().unwrap_or_default()
    }

    /// Returns the source of a link whose title ends before `end`.
    fn source(&self, destination: MappedText, end: usize, title: &str) -> Option<LinkSource> {
        let text = self.document.source.text();
        let written = destination.span(0..destination.text.len());
        let is_pointed = text[..written.start].ends_with('<') && text[written.end..].starts_with('>');
        let start = written.end + usize::from(is_pointed);
        let rest = text.get(start..end)?;
        let spaces = rest.len() - rest.trim_start().len();
        let marks = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '>').len();
        let skip = if rest[..marks].contains('\n') { marks } else { spaces };
        let quoted = rest[skip..].trim_end();
        let title = match quoted.chars().next() {
            None => start..start,
            Some(open) => {
                let close = if open == '(' { ')' } else { open };
                let inner = quoted.strip_prefix(['"', '\'', '('])?.strip_suffix(close)?;
                MappedText::align(inner, start + skip + 1, title)?;
                start + skip..start + skip + quoted.len()
            }
        };
        let table = self.tables.partition_point(|table| table.end <= start);
        let is_in_table = self.tables.get(table).is_some_and(|table| table.start <= start);
        Some(LinkSource { destination, title, is_in_table })
    }
}

/// Returns how a link is written, and its title with escapes resolved.
pub fn title(document: &Document, link: &Link) -> Option<(LinkType, String)> {
    match document.body.events.event(link.events.start) {
        Event::Start(Tag::Link { link_type, title, .. }) => Some((link_type, title.to_string())),
        _ => None,
    }
}

/// Quotes a text as the title of a link, with the quotation marks that need fewest escapes. If `is_careful`, characters that
/// could be a part of Markdown that begins before the link are written as character references.
pub fn quoted(text: &str, is_in_table: bool, is_careful: bool) -> String {
    let marks = [('"', '"'), ('\'', '\''), ('(', ')')];
    let escapes = |(open, close): &(char, char)| text.chars().filter(|c| c == open || c == close).count();
    let (open, close) = marks.into_iter().min_by_key(escapes).unwrap_or(('"', '"'));
    let mut out = String::from(open);
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let next = rest[c.len_utf8()..].chars().next();
        let is_escaped = match c {
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            '&' => html::reference(rest).is_some(),
            '|' => is_in_table,
            _ => c == open || c == close,
        };
        if is_careful && matches!(c, '`' | '<' | '>' | '$' | '*' | '_' | '[' | ']') {
            out.extend(["&#", &u32::from(c).to_string(), ";"]);
            continue;
        }
        if is_escaped {
            out.push('\\');
        }
        out.push(c);
    }
    out.push(close);
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{parse, placement};
    use infralens_source::source::Source;

    fn parsed(text: &str) -> Document {
        parse(&Arc::new(Source::new("code/README.md", text)), placement::readme("")).0
    }

    #[test]
    fn each_form_of_a_title() {
        for (text, raw) in [
            ("[a](b.py \"t\")", "\"t\""),
            ("[a](b.py  't'  )", "'t'"),
            ("[a](<b.py> (t))", "(t)"),
            ("[a](b.py)", ""),
            ("[a]( <b.py> )", ""),
            ("[a](b.py \"\")", "\"\""),
            ("[a](b.py \"\\\"x\\\" &amp; y\")", "\"\\\"x\\\" &amp; y\""),
            ("[a](b.py\n\"t\")", "\"t\""),
            ("> [a](b.py\n> \"t\")", "\"t\""),
            ("[a]\n\n[a]: b.py\n", ""),
            ("[a][A]\n\n[a]: <b.py> 't' \n", "'t'"),
            ("[a][]\n\n> [a]: b.py\n>   \"t\"\n", "\"t\""),
            ("| x |\n| - |\n| [a](b.py \"x\\|y\") |", "\"x\\|y\""),
        ] {
            let document = parsed(text);
            let found = LinkSources::new(&document).of(&document.body.links[0]);
            let found: Vec<&str> = found.into_iter().map(|source| &text[source.title]).collect();
            assert_eq!(found, [raw], "{text}");
        }
    }

    #[test]
    fn every_text_is_quoted_so_that_it_reads_the_same() {
        for text in [
            "for step in range(steps):",
            "print(\"it's\")",
            "x = \"a\" 'b' (c)",
            "r\"\\d+\\|\\\\\"",
            "end \\",
            "a &amp; b && c &lt",
            "a | b || c",
            "\"\\|\"",
            "`$x` <b> $y$ *z* _w_ ![i](j) [k]",
            "σ = 1 # …",
            "<<<n / 256, 256>>>(x)",
        ] {
            for (before, after) in [("", ""), ("| x |\n| - |\n| ", " |\n"), ("> - ", ""), ("[a]\n\n[a]: b.py ", "")] {
                let is_definition = before.starts_with('[');
                let title = quoted(text, before.starts_with('|'), false);
                let page = if is_definition {
                    format!("{before}{title}{after}")
                } else {
                    format!("{before}[a](b.py {title}){after}")
                };
                let document = parsed(&page);
                let found = document.body.links.first().and_then(|link| self::title(&document, link));
                assert_eq!(found.map(|(_, title)| title).as_deref(), Some(text), "{page}");
            }
        }
    }
}
