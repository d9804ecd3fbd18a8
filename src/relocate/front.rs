//! Front matter in place: `starter.file`, the names in `handbook` and `after`, and the list `aliases`.

use std::sync::Arc;

use super::edits::Edits;
use super::{Moves, Refusal};
use crate::document::{Document, Kind, front_matter};
use crate::source::{Source, Span};
use crate::yaml::{self, Node, Spanned, Tree};

/// Lets a lab's `starter.file` say `file`.
pub fn set_file(edits: &mut Edits, lab: &Document, file: &str) {
    if let Some(written) = lab.front.lab.as_ref().and_then(|lab| lab.starter.file.as_ref()) {
        put(edits, &lab.source, written, file);
    }
}

/// Rewrites the names by which a page refers to the page that moves, and if it is that page, to any.
pub fn references(edits: &mut Edits, document: &Document, pages: &[Document], moves: &Moves) {
    let handbook = document.front.lab.iter().flat_map(|lab| &lab.handbook).map(|name| (name, &[Kind::Section][..]));
    let after = document.front.after.iter().map(|name| (name, &[Kind::Lab, Kind::Section][..]));
    for (name, kinds) in handbook.chain(after) {
        if let Some(new) = reference(document, name, kinds, pages, moves) {
            put(edits, &document.source, name, &new);
        }
    }
}

/// What a name must say afterwards. It stays short or long if it can; a short one becomes long where the two pages are no
/// longer of one track, a long one short where they have become so.
fn reference(document: &Document, name: &str, kinds: &[Kind], pages: &[Document], moves: &Moves) -> Option<String> {
    let own = document.placement.track.as_deref()?;
    let (track, short) = name.split_once('/').unwrap_or((own, name));
    let is_meant = |page: &&Document, kind| {
        page.placement.kind == kind && page.placement.track.as_deref() == Some(track) && *page.placement.name == *short
    };
    let meant = kinds.iter().find_map(|&kind| pages.iter().find(|page| is_meant(page, kind)));
    let (new_track, new_short) = match meant.map(|meant| moves.placement(meant)) {
        Some(meant) => (meant.track.as_deref()?, meant.name.as_ref()),
        // It means nothing, and must go on to mean the same.
        None => (track, short),
    };
    let together = moves.placement(document).track.as_deref() == Some(new_track);
    let keep_long = name.contains('/') && track == own;
    let new = if together && !keep_long { new_short.to_owned() } else { format!("{new_track}/{new_short}") };
    (new != name).then_some(new)
}

/// Adds the old URL to the aliases of the page that moves; where the new URL was one of them, it stands in its place.
/// Says whether it was added.
pub fn alias(edits: &mut Edits, page: &Document, pages: &[Document], moves: &Moves) -> Result<bool, Refusal> {
    let (old, new) = (&moves.old.url, &moves.new.url);
    let mut aliases = pages.iter().flat_map(|page| &page.front.common.aliases);
    // Two outputs whose names differ in letter case alone cannot be published side by side.
    if old.to_lowercase() == new.to_lowercase() || aliases.any(|alias| *alias.value == **old) {
        return Ok(false);
    }
    let source = &page.source;
    let refuse = |why: &str| {
        Refusal::new(format!("the old URL cannot be written into `{}`: {why}", source.path()))
            .help("`infralens check` says what is wrong; mend it first")
    };
    let Some(span) = front_matter::split(source).0 else { return Err(refuse("it has no front matter")) };
    let parsed = yaml::parse(source, span.clone());
    let root = parsed.root.filter(|_| parsed.complete).ok_or_else(|| refuse("its front matter cannot be read"))?;
    let Node::Map(entries) = &*root.value else { return Err(refuse("its front matter is no map")) };
    let Some((_, list)) = entries.iter().find(|(key, _)| key.value == "aliases") else {
        let (at, text) = new_key(source, &span, &root, &format!("aliases: [{old}]"));
        edits.put(source, at..at, text);
        return Ok(true);
    };
    let Node::List(items) = &*list.value else { return Err(refuse("its `aliases` are no list")) };
    let is_new = |item: &&Tree| matches!(&*item.value, Node::Text(text) if text.trim() == &**new);
    if let Some(item) = items.iter().find(is_new) {
        put(edits, source, &Spanned { value: new.to_string(), span: item.span.clone() }, old);
    } else {
        let (at, text) = new_item(source, list, items, old);
        edits.put(source, at..at, text);
    }
    Ok(true)
}

/// Where a new key goes: at the end, like the other keys.
fn new_key(source: &Source, front: &Span, root: &Tree, entry: &str) -> (usize, String) {
    let text = source.text();
    if text[root.span.clone()].starts_with('{') {
        let end = root.span.end - 1;
        let comma = if text[..end].trim_end().ends_with(',') { "" } else { "," };
        return (end, format!("{comma} {entry}"));
    }
    let line = text[..root.span.start].rfind('\n').map_or(0, |end| end + 1);
    let indent = text[line..root.span.start].trim_start_matches(|c: char| c != ' ');
    (front.end, format!("{indent}{entry}{}", line_end(source)))
}

/// Where a new item goes: after the last, like the last.
fn new_item(source: &Source, aliases: &Tree, items: &[Tree], url: &str) -> (usize, String) {
    let text = source.text();
    let Some(last) = items.last() else { return (aliases.span.start + 1, url.to_owned()) };
    let raw = &text[last.span.clone()];
    let quote = raw.chars().next().filter(|c| matches!(c, '"' | '\'')).map_or_else(String::new, String::from);
    let item = format!("{quote}{url}{quote}");
    if text[aliases.span.clone()].starts_with('[') {
        let before = items.len().checked_sub(2).map(|index| &text[items[index].span.end..last.span.start]);
        let gap = before.filter(|gap| gap.trim() == ",").unwrap_or(", ");
        return (last.span.end, format!("{gap}{item}"));
    }
    // Between the dash and the text there may be an anchor, an indicator and a line end, which are the last item's own.
    let mut before = text[..last.span.start].lines().rev();
    let dash = before.find(|line| line.trim_start().starts_with('-')).unwrap_or_default();
    let is_bare = dash.trim() == "-" && dash.ends_with(' ');
    let indent = &dash[..dash.len() - dash.trim_start().len()];
    let dash = if is_bare { dash.to_owned() } else { format!("{indent}- ") };
    let last_end = last.span.start + raw.trim_end().len();
    let end = text[last_end..].find(['\r', '\n']).map_or(text.len(), |len| last_end + len);
    (end, format!("{}{dash}{item}", line_end(source)))
}

fn line_end(source: &Source) -> &'static str {
    if source.text().contains("\r\n") { "\r\n" } else { "\n" }
}

/// Writes another text where a scalar stands, in its quotes if it has any.
fn put(edits: &mut Edits, source: &Arc<Source>, old: &Spanned<String>, new: &str) {
    let raw = &source.text()[old.span.clone()];
    let line = raw.trim_end();
    if line.len() < raw.len() {
        // A text behind `|` or `>`, which is all of its lines, as they are.
        edits.put(source, old.span.start..old.span.start + line.len(), new.to_owned());
        return;
    }
    let text = match raw.chars().next() {
        Some('"') if !new.contains(['"', '\\']) => format!("\"{new}\""),
        Some('"' | '\'') => single_quoted(new),
        _ if is_plain(new) => new.to_owned(),
        _ => single_quoted(new),
    };
    edits.put(source, old.span.clone(), text);
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether a text can stand without quotes, in brackets too.
fn is_plain(text: &str) -> bool {
    let is_word = ["true", "false", "null"].contains(&text.to_lowercase().as_str());
    let is_safe = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | ' ' | '+');
    !is_word && text.starts_with(char::is_alphanumeric) && text.trim() == text && text.chars().all(is_safe)
}
