//! Makes links of bare URLs, `https://example.org/a`, as code hosts do: the extended autolinks of GitHub Flavored Markdown
//! with `http://` and `https://`.

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};

use infralens_source::source::Span;

/// What a bare URL begins with.
const SCHEMES: [&str; 2] = ["http://", "https://"];

/// Whether a text may contain a bare URL.
pub fn may_have_url(text: &str) -> bool {
    text.contains("://")
}

/// Replaces bare URLs by links in texts that follow one another in the source without a gap.
pub fn with_links<'e>(source: &str, run: Vec<(Event<'e>, Span)>) -> Vec<(Event<'e>, Span)> {
    let Some(((_, first), (_, last))) = run.first().zip(run.last()) else { return run };
    let urls = urls(source, first.start..last.end);
    if urls.is_empty() {
        return run;
    }
    let mut out: Vec<(Event<'e>, Span)> = Vec::with_capacity(run.len() + 3 * urls.len());
    let mut left = urls.iter().peekable();
    for (event, span) in &run {
        let mut at = span.start;
        while let Some(url) = left.peek().filter(|url| url.start < span.end) {
            out.extend(part(source, event, span, at..url.start));
            if url.start >= span.start {
                out.extend(link(source, &run, url));
            }
            at = url.end.min(span.end);
            if url.end > span.end {
                break;
            }
            left.next();
        }
        out.extend(part(source, event, span, at..span.end));
    }
    out
}

/// Returns the events of a link. Its destination has no character references, such as `&amp;`, which the texts do not have,
/// and is otherwise as it is written: the texts may have other quotes and dashes.
fn link<'e>(source: &str, run: &[(Event<'e>, Span)], url: &Span) -> [(Event<'e>, Span); 3] {
    let texts = run.iter().filter(|(_, span)| span.start < url.end && url.start < span.end).map(|(event, span)| {
        let written = &source[span.start.max(url.start)..span.end.min(url.end)];
        match event {
            Event::Text(text) if written.starts_with('&') => text,
            _ => written,
        }
    });
    let text: CowStr<'e> = texts.collect::<String>().into();
    let (title, id) = (CowStr::from(""), CowStr::from(""));
    let start = Tag::Link { link_type: LinkType::Autolink, dest_url: text.clone(), title, id };
    [(Event::Start(start), url.clone()), (Event::Text(text), url.clone()), (Event::End(TagEnd::Link), url.clone())]
}

/// Returns a part of a text; `None` if it is empty.
fn part<'e>(source: &str, event: &Event<'e>, span: &Span, part: Span) -> Option<(Event<'e>, Span)> {
    if part == *span {
        return Some((event.clone(), part));
    }
    (part.start < part.end).then(|| (Event::Text(source[part.clone()].to_owned().into()), part))
}

fn urls(source: &str, part: Span) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    for (at, _) in source[part.clone()].match_indices("http").map(|(at, text)| (part.start + at, text)) {
        let text = &source[at..part.end];
        let is_after_another = found.last().is_some_and(|last| at < last.end);
        let Some(scheme) = SCHEMES.into_iter().find(|scheme| text.starts_with(scheme)) else { continue };
        let before = source[..at].chars().next_back();
        let may_begin = before.is_none_or(|c| c.is_whitespace() || matches!(c, '*' | '_' | '~' | '('));
        if is_after_another || !may_begin || !text[scheme.len()..].starts_with(char::is_alphanumeric) {
            continue;
        }
        let end = text.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(text.len());
        found.push(at..at + trimmed(&text[..end]).len());
    }
    found
}

/// Removes from the end of a URL what belongs to the sentence: punctuation, a parenthesis that it does not open, and
/// character references.
fn trimmed(mut url: &str) -> &str {
    let count = |url: &str, wanted: char| url.matches(wanted).count();
    while let Some(last) = url.chars().next_back() {
        let shorter = &url[..url.len() - last.len_utf8()];
        url = match last {
            '?' | '!' | '.' | ',' | ':' | '*' | '_' | '~' | '\'' | '"' => shorter,
            ')' if count(url, ')') > count(url, '(') => shorter,
            ']' if count(url, ']') > count(url, '[') => shorter,
            ';' => {
                let name = shorter.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
                name.strip_suffix('&').filter(|_| name.len() < shorter.len()).unwrap_or(shorter)
            }
            _ => break,
        };
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_url_is_where_a_code_host_has_it() {
        // The examples of the specification, and of its tests.
        for (text, wanted) in [
            ("Visit https://commonmark.org/help for more.", "https://commonmark.org/help"),
            ("Visit https://commonmark.org.", "https://commonmark.org"),
            ("Visit https://commonmark.org/a.b.", "https://commonmark.org/a.b"),
            ("https://g.com/s?q=Markup+(business)", "https://g.com/s?q=Markup+(business)"),
            ("https://g.com/s?q=Markup+(business)))", "https://g.com/s?q=Markup+(business)"),
            ("(https://g.com/s?q=Markup+(business))", "https://g.com/s?q=Markup+(business)"),
            ("https://g.com/s?q=(business))+ok", "https://g.com/s?q=(business))+ok"),
            ("https://g.com/s?q=commonmark&hl=en", "https://g.com/s?q=commonmark&hl=en"),
            ("https://g.com/s?q=commonmark&hl;", "https://g.com/s?q=commonmark"),
            ("https://commonmark.org/he<lp", "https://commonmark.org/he"),
            ("**https://a.org/b_c_**", "https://a.org/b_c"),
            ("http://localhost:4000/a, or", "http://localhost:4000/a"),
            ("see https://a.org/;", "https://a.org/"),
            ("\"https://a.org/\"", ""),
            ("xhttps://a.org", ""),
            ("https://", ""),
            ("https:///x", ""),
        ] {
            let found = urls(text, 0..text.len());
            assert_eq!(found.first().map_or("", |span| &text[span.clone()]), wanted, "{text}");
        }
        let text = "https://a.org/?u=https://b.org https://c.org";
        let found: Vec<&str> = urls(text, 0..text.len()).into_iter().map(|span| &text[span]).collect();
        assert_eq!(found, ["https://a.org/?u=https://b.org", "https://c.org"]);
    }
}
