//! Finds the title of a page among its headings.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::Dialect;
use super::edits::{Edit, Text};
use super::loss::shortened;
use super::page::parse;
use infralens_page::slug;
use infralens_source::source::is_name_char;

/// A text whose title has been taken from it.
pub struct Parsed {
    /// The words of the heading that was the title.
    pub title: Option<String>,
    /// The id that the book gives this heading.
    pub id: Option<String>,
    pub text: Text,
    /// The attributes of headings that are not taken over, each with its line.
    pub left: Vec<(usize, String)>,
}

/// Returns the id that MkDocs or VitePress gives a heading with these words; `None` for a program that has the ids of InfraLens.
fn old_id(dialect: Dialect, words: &str) -> Option<String> {
    let plain: String = words.nfkd().filter(|&c| !is_combining_mark(c)).collect::<String>().to_lowercase();
    let (kept, is_ascii) = match dialect {
        Dialect::MkDocs => {
            let is_ascii = plain.chars().all(|c| c.is_ascii() || !c.is_alphanumeric());
            (plain.replace(|c: char| !(c.is_alphanumeric() || " -_".contains(c)), ""), is_ascii)
        }
        Dialect::VitePress => (plain.replace(|c: char| c.is_ascii_punctuation() || "“”‘’".contains(c), "-"), true),
        _ => return None,
    };
    let id = kept.split([' ', '-']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let is_number = dialect == Dialect::VitePress && id.starts_with(|c: char| c.is_ascii_digit());
    (is_ascii && !id.is_empty()).then(|| if is_number { format!("_{id}") } else { id })
}

/// Returns the id in the braces at the end of a heading, such as `{ #id .class }` and `{ id="x" }`, and whether it is all.
fn attributes(inner: &str) -> Option<(Option<&str>, bool)> {
    let is_list = inner.trim_start().starts_with(['#', '.', ':']) || inner.contains('=');
    let id = inner.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches(':');
        word.strip_prefix('#').or_else(|| word.strip_prefix("id=").map(|id| id.trim_matches(['"', '\''])))
    });
    is_list.then(|| (id.filter(|id| !id.is_empty()), inner.split_whitespace().nth(1).is_none() && id.is_some()))
}

/// A heading keeps the id that the other program made of its words, if InfraLens makes another; and as former ones those that
/// HTML gave it, which are in `former` with its words. `ids` are those that the headings have already.
fn old_ids(
    text: &Text,
    headings: &[(Range<usize>, HeadingLevel, String)],
    (title, dialect, former): (Option<&str>, Dialect, &BTreeMap<String, String>),
    mut ids: BTreeSet<String>,
) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut counts = (BTreeMap::new(), BTreeMap::new());
    counts.1.extend(title.and_then(|title| old_id(dialect, title)).map(|id| (id, 0)));
    for (span, _, words) in headings {
        let written = text.text[span.clone()].trim_end();
        let numbered = |count: &mut BTreeMap<String, usize>, id: String, sign: char| {
            let number = count.entry(id.clone()).and_modify(|number| *number += 1).or_insert(0);
            if *number == 0 { id } else { format!("{id}{sign}{number}") }
        };
        let own = numbered(&mut counts.0, slug(words), '-');
        let sign = if dialect == Dialect::MkDocs { '_' } else { '-' };
        let old = old_id(dialect, words).map(|old| numbered(&mut counts.1, old, sign));
        let old = old.filter(|old| *old != own && ids.insert(old.clone()));
        let was = former
            .iter()
            .filter(|(id, of)| *of == words && **id != own && id.chars().all(|c| is_name_char(c) || c == '.'));
        let was = was.filter(|(id, _)| ids.insert((*id).clone())).map(|(id, _)| format!(".was-{id}"));
        let braces: Vec<String> = old.map(|old| format!("#{old}")).into_iter().chain(was).collect();
        if !braces.is_empty() && !written.ends_with('}') && !written.contains('\n') {
            let end = span.start + written.len();
            edits.push((end..end, format!(" {{{}}}", braces.join(" "))));
        }
    }
    edits
}

/// Takes the title from the first heading if nothing is above it, and moves the other headings so that they begin at `##`.
/// Where a page `is_named` by its front matter, a first heading below `#` is no title.
pub fn titled(text: &Text, dialect: Dialect, is_named: bool, former: &BTreeMap<String, String>) -> Parsed {
    let mut edits: Vec<Edit> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut headings: Vec<(Range<usize>, HeadingLevel, String)> = Vec::new();
    let (mut first_id, mut left) = (None, Vec::new());
    let (mut is_first, mut is_open, mut depth) = (None, false, 0_usize);
    for (event, span) in parse(&text.text) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                let written = text.text[span.clone()].trim_end();
                let braces = written.strip_suffix('}').and_then(|rest| rest.rfind('{').map(|at| (at, &rest[at + 1..])));
                let found = braces.and_then(|(at, inner)| Some((span.start + at, attributes(inner)?)));
                let id = found.and_then(|(_, (id, _))| id);
                if is_first.is_none() {
                    first_id = id.map(str::to_owned);
                }
                if let Some((start, (_, is_all))) = found {
                    let range = start..span.start + written.len();
                    let new = id.filter(|id| ids.insert((*id).to_owned())).map(|id| format!("{{#{id}}}"));
                    if !is_all {
                        left.push((text.line(start), shortened(&text.text[range.clone()])));
                    }
                    edits.push((range, new.unwrap_or_default()));
                }
                is_first.get_or_insert(true);
                is_open = true;
                headings.push((span, level, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => is_open = false,
            Event::Text(part) | Event::Code(part) if is_open => {
                if let Some(heading) = headings.last_mut() {
                    heading.2.push_str(&part);
                }
            }
            Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => {
                is_first.get_or_insert(false);
                depth += 1;
            }
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Paragraph | Tag::CodeBlock(_) | Tag::Table(_)) => {
                is_first.get_or_insert(false);
            }
            _ => {}
        }
    }
    let mut title = None;
    let is_title = is_first == Some(true)
        && headings.first().is_some_and(|first| {
            first.1 == HeadingLevel::H1 || !is_named && headings[1..].iter().all(|(_, level, ..)| *level > first.1)
        });
    if is_title {
        let (span, _, words) = headings.remove(0);
        edits.push((span, String::new()));
        title = Some(words);
    }
    edits.extend(old_ids(text, &headings, (title.as_deref(), dialect, former), ids));
    let least = headings.iter().map(|(_, level, ..)| *level as usize).min().unwrap_or(2);
    for (span, level, ..) in &headings {
        let new = (*level as usize + 2 - least).min(6);
        let written = &text.text[span.clone()];
        let hashes = written.len() - written.trim_start_matches('#').len();
        if hashes == 0 {
            // A heading with a line below it.
            let content = written.trim_end().rsplit_once('\n').map_or(written, |(content, _)| content);
            let content = content.split_whitespace().collect::<Vec<_>>().join(" ");
            edits.push((span.clone(), format!("{} {content}\n", "#".repeat(new))));
        } else if hashes != new {
            edits.push((span.start..span.start + hashes, "#".repeat(new)));
        }
    }
    Parsed { title, id: first_id.filter(|_| is_title), text: text.edited(edits), left }
}
