//! Edits front matter in place: `starter.file`, the names in `handbook` and `after`, and the list `aliases`.

use std::sync::Arc;

use super::edits::Edits;
use super::{PageMove, Refusal};
use infralens_page::{Document, Kind, front_matter};
use infralens_source::source::{Source, Span};
use infralens_source::yaml::{self, Node, Spanned, Tree};

/// Changes a lab's `starter.file` to `file`.
pub fn set_file(edits: &mut Edits, lab: &Document, file: &str) {
    if let Some(written) = lab.front.lab.as_ref().and_then(|lab| lab.starter.file.as_ref()) {
        put(edits, &lab.source, written, file);
    }
}

/// Rewrites the names in a page's front matter that refer to the page that moves. In that page, rewrites all names.
pub fn references(edits: &mut Edits, document: &Document, pages: &[Document], moves: &PageMove) {
    let handbook = document.front.lab.iter().flat_map(|lab| &lab.handbook).map(|name| (name, &[Kind::Section][..]));
    let after = document.front.after.iter().map(|name| (name, &[Kind::Lab, Kind::Section][..]));
    for (name, kinds) in handbook.chain(after) {
        if let Some(new) = reference(document, name, kinds, pages, moves) {
            put(edits, &document.source, name, &new);
        }
    }
    for name in document.front.track.ways.0.iter().flat_map(|(_, pages)| pages) {
        match reference(document, name, &[Kind::Lab, Kind::Section], pages, moves) {
            // A way stays in its track, so a page that leaves it leaves its ways.
            Some(new) if new.contains('/') => edits.put(&document.source, entry(&document.source, name), String::new()),
            Some(new) => put(edits, &document.source, name, &new),
            None => {}
        }
    }
}

/// Returns the span of an entry of a list with what separates it from the others: its comma, or its line.
fn entry(source: &Source, name: &Spanned<String>) -> Span {
    let (text, Span { start, end }) = (source.text(), name.span.clone());
    let after = text[end..].len() - text[end..].trim_start_matches(' ').len();
    if text[end + after..].starts_with(',') {
        let rest = &text[end + after + 1..];
        return start..end + after + 1 + (rest.len() - rest.trim_start().len());
    }
    let before = text[..start].trim_end();
    match before.strip_suffix(',') {
        Some(above) => above.len()..end,
        None if before.ends_with('-') => {
            source.line_span(source.position(start).line).start
                ..(source.line_span(source.position(start).line).end + 1).min(text.len())
        }
        None => start..end,
    }
}

/// Returns the new text of a name; `None` if it stays. A short name becomes long if the two pages are no longer in one
/// track, and a long one becomes short if they now are; otherwise a name keeps its form.
pub fn reference(
    document: &Document,
    name: &str,
    kinds: &[Kind],
    pages: &[Document],
    moves: &PageMove,
) -> Option<String> {
    let own = document.placement.track.as_deref()?;
    let (track, short) = name.split_once('/').unwrap_or((own, name));
    let is_meant = |page: &&Document, kind| {
        page.placement.kind == kind && page.placement.track.as_deref() == Some(track) && *page.placement.name == *short
    };
    let meant = kinds.iter().find_map(|&kind| pages.iter().find(|page| is_meant(page, kind)));
    let (new_track, new_short) = match meant.map(|meant| moves.placement(meant)) {
        Some(meant) => (meant.track.as_deref()?, meant.name.as_ref()),
        // The name refers to no page, and must refer to the same missing page after the move.
        None => (track, short),
    };
    let together = moves.placement(document).track.as_deref() == Some(new_track);
    let keep_long = name.contains('/') && track == own;
    let new = if together && !keep_long { new_short.to_owned() } else { format!("{new_track}/{new_short}") };
    (new != name).then_some(new)
}

/// Adds the old URL to the aliases of the page that moves; if the new URL is one of them, the old URL replaces it.
/// Returns whether the old URL was added.
pub fn alias(edits: &mut Edits, page: &Document, pages: &[Document], moves: &PageMove) -> Result<bool, Refusal> {
    let (old, new) = (&moves.old.url, &moves.new.url);
    let mut aliases = pages.iter().flat_map(|page| &page.front.common.aliases);
    // Two outputs whose names differ only in case cannot both be published.
    if old.to_lowercase() == new.to_lowercase() || aliases.any(|alias| *alias.value == **old) {
        return Ok(false);
    }
    let source = &page.source;
    let refuse = |why: &str| {
        Refusal::new(format!("the old URL cannot be written into `{}`: {why}", source.path()))
            .help("run `infralens check`, and fix what it reports first")
    };
    let Some(span) = front_matter::split(source).0 else { return Err(refuse("it has no front matter")) };
    let parsed = yaml::parse(source, span.clone());
    let root = parsed.root.filter(|_| parsed.complete).ok_or_else(|| refuse("its front matter cannot be read"))?;
    let Node::Map(entries) = &*root.value else { return Err(refuse("its front matter is not a map")) };
    let list = entries.iter().find(|(key, _)| key.value == "aliases").map(|(_, list)| &*list.value);
    let items = if let Some(Node::List(items)) = list { items.as_slice() } else { &[] };
    let is_new = |item: &&Tree| matches!(&*item.value, Node::Text(text) if text.trim() == &**new);
    if let Some(item) = items.iter().find(is_new) {
        put(edits, source, &Spanned { value: new.to_string(), span: item.span.clone() }, old);
        return Ok(true);
    }
    let added = yaml::add_to_list(source, &root, span.end, "aliases", old);
    let (span, text) = added.ok_or_else(|| refuse("its `aliases` are not a list"))?;
    edits.put(source, span, text);
    Ok(true)
}

/// Replaces the text of a scalar.
pub fn put(edits: &mut Edits, source: &Arc<Source>, old: &Spanned<String>, new: &str) {
    let (span, text) = rewritten(source, old, new);
    edits.put(source, span, text);
}

/// Returns the edit that replaces the text of a scalar, and keeps its quotes if it has any.
pub fn rewritten(source: &Source, old: &Spanned<String>, new: &str) -> (Span, String) {
    let raw = &source.text()[old.span.clone()];
    let line = raw.trim_end();
    if line.len() < raw.len() {
        // The span of a block scalar (`|` or `>`) covers all of its lines.
        return (old.span.start..old.span.start + line.len(), new.to_owned());
    }
    let text = match raw.chars().next() {
        Some('"') if !new.contains(['"', '\\']) => format!("\"{new}\""),
        Some('"' | '\'') => single_quoted(new),
        _ if is_plain(new) => new.to_owned(),
        _ => single_quoted(new),
    };
    (old.span.clone(), text)
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether a text needs no quotes, even inside brackets.
fn is_plain(text: &str) -> bool {
    let is_word = ["true", "false", "null"].contains(&text.to_lowercase().as_str());
    let is_safe = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | ' ' | '+');
    !is_word && text.starts_with(char::is_alphanumeric) && text.trim() == text && text.chars().all(is_safe)
}
