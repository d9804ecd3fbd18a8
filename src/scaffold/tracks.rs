//! Adds a track to `tracks:` in site.yaml: a few bytes are put in, and every other one stays as it is.
//!
//! 1. the list is found in the YAML tree, and the place and the form of the addition follow from how it is written;
//! 2. the new text is read again: it must say what the old one said, and the track besides.

use super::{Refusal, SITE, prompts, refuse};
use crate::config::Config;
use crate::source::{Source, Span};
use crate::yaml::{self, Node, Tree};

/// The text of site.yaml with the track at the end of `tracks:`.
pub(super) fn join(source: &Source, track: &str) -> Result<String, Refusal> {
    let added = edit(source, track).map(|(span, with)| {
        let mut text = source.text().to_owned();
        text.replace_range(span, &with);
        text
    });
    added.filter(|text| says(source, text, track)).ok_or_else(|| {
        let message = format!("`tracks:` in `{SITE}` is written in a way that nothing can be added to safely");
        let help = format!("add `{track}` to it yourself, and run the command again");
        refuse(message, help)
    })
}

/// What is put in, and for which bytes.
fn edit(source: &Source, track: &str) -> Option<(Span, String)> {
    let start = source.start();
    let text = source.text();
    let name = prompts::scalar(track);
    let root = yaml::parse(source, start..text.len()).root;
    let Node::Map(entries) = &*root.as_ref()?.value else { return None };
    let Some((_, list)) = entries.iter().find(|(key, _)| key.value == "tracks") else {
        return Some(at_end(source, &name));
    };
    match &*list.value {
        Node::List(items) if text[list.span.clone()].starts_with('[') => in_brackets(source, list, items, &name),
        Node::List(items) => below_last(source, items.last()?, &name),
        _ => None,
    }
}

/// A key of its own, after all others.
fn at_end(source: &Source, name: &str) -> (Span, String) {
    let (text, end) = (source.text(), source.text().len());
    let line_end = line_end(text);
    let before = if text[source.start()..].is_empty() || text.ends_with('\n') { "" } else { line_end };
    (end..end, format!("{before}tracks: [{name}]{line_end}"))
}

/// After the last item of `[a, b]`, on a line of its own where that item has one.
fn in_brackets(source: &Source, list: &Tree, items: &[Tree], name: &str) -> Option<(Span, String)> {
    let text = source.text();
    let Some(end) = items.last() else {
        let at = list.span.start + 1;
        return Some((at..at, name.to_owned()));
    };
    let at = end.span.end;
    let before = before(text, end.span.start);
    let name = like(text, end, name)?;
    let own_line = before.trim().is_empty() && items.len() > 1;
    let joint = if own_line { format!(",{}{before}", line_end(text)) } else { ", ".to_owned() };
    Some((at..at, format!("{joint}{name}")))
}

/// On a line below the last item of a list with a dash an item.
fn below_last(source: &Source, last: &Tree, name: &str) -> Option<(Span, String)> {
    let text = source.text();
    let before = before(text, last.span.start);
    let dash = before.trim_start();
    if !dash.starts_with('-') || !dash[1..].trim().is_empty() {
        return None;
    }
    let name = like(text, last, name)?;
    let end = text[last.span.end..].find('\n').map_or(text.len(), |end| last.span.end + end);
    let at = if text[..end].ends_with('\r') { end - 1 } else { end };
    Some((at..at, format!("{}{before}{name}", line_end(text))))
}

/// The name, in the quotes that the last item has; nothing if that item is no plain name.
fn like(text: &str, last: &Tree, name: &str) -> Option<String> {
    let Node::Text(value) = &*last.value else { return None };
    let written = &text[last.span.clone()];
    let bare = name.trim_matches('"');
    match written.chars().next()? {
        quote @ ('"' | '\'') => Some(format!("{quote}{bare}{quote}")),
        _ if written == value => Some(name.to_owned()),
        _ => None,
    }
}

/// What stands on a line before a byte.
fn before(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[line..at].trim_start_matches('\u{feff}')
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Whether the new text says what the old one says, and the track besides.
fn says(old: &Source, new: &str, track: &str) -> bool {
    let read = |source: &Source| {
        let (config, found) = Config::read(source);
        let tracks: Vec<String> = config.tracks.iter().map(|track| track.value.to_string()).collect();
        (tracks, serde_json::to_value(&config).ok(), found.len())
    };
    let (mut tracks, before, said) = read(old);
    let (now, after, says) = read(&Source::new(SITE, new));
    tracks.push(track.to_owned());
    let others = |mut config: serde_json::Value| {
        config.as_object_mut().map(|keys| keys.shift_remove("tracks"));
        config
    };
    now == tracks && said == says && before.map(others) == after.map(others)
}
