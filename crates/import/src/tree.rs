//! Reads values of settings, whatever language these are written in.

use infralens_source::source::Span;
use infralens_source::yaml::{Entry, Node, Tree};

/// The entries of a map by their keys.
pub trait Keys {
    fn value(&self, key: &str) -> Option<&Tree>;

    /// Returns a text or a number.
    fn text(&self, key: &str) -> Option<String> {
        self.value(key).and_then(scalar)
    }

    fn map(&self, key: &str) -> &[Entry] {
        self.value(key).map(entries).unwrap_or_default()
    }

    fn list(&self, key: &str) -> &[Tree] {
        self.value(key).map(items).unwrap_or_default()
    }
}

impl Keys for [Entry] {
    fn value(&self, key: &str) -> Option<&Tree> {
        self.iter().find(|(name, _)| name.value == key).map(|(_, value)| value)
    }
}

pub fn entries(tree: &Tree) -> &[Entry] {
    match &*tree.value {
        Node::Map(entries) => entries,
        _ => &[],
    }
}

pub fn items(tree: &Tree) -> &[Tree] {
    match &*tree.value {
        Node::List(items) => items,
        _ => &[],
    }
}

pub fn scalar(tree: &Tree) -> Option<String> {
    match &*tree.value {
        Node::Text(text) | Node::Number(text) => Some(text.clone()),
        _ => None,
    }
}

/// Returns a text, or those of a list.
pub fn texts(tree: &Tree) -> impl Iterator<Item = String> {
    items(tree).iter().chain([tree]).filter_map(scalar)
}

/// A plugin or an extension: its place, its name and its options.
pub type Named<'t> = (&'t Span, String, &'t [Entry]);

/// Returns what a list of plugins or extensions names, which may be a map. A plugin that the settings contain says its name.
pub fn named(tree: &Tree) -> Vec<Named<'_>> {
    items(tree).iter().filter_map(named_by).chain(entries(tree).iter().map(pair)).collect()
}

fn pair((key, options): &Entry) -> Named<'_> {
    (&key.span, key.value.clone(), entries(options))
}

/// Reads a name, a list of a name and its options, or a map with one key.
fn named_by(item: &Tree) -> Option<Named<'_>> {
    let (name, options) = items(item).split_first().map_or((item, None), |(name, rest)| (name, rest.first()));
    match scalar(name).or_else(|| entries(name).text("name")) {
        Some(name) => Some((&item.span, name, options.map(entries).unwrap_or_default())),
        None => entries(item).first().map(pair),
    }
}
