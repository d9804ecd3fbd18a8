//! Reads the front matter of a page: a mapping between two rules at the top.

use std::collections::BTreeMap;
use std::ops::Range;

use super::tree::{Keys, entries, items, scalar, texts};
use infralens_source::source::{Source, lines_from};
use infralens_source::yaml::{self, Date, Node, Parsed, Tree};

/// The keys that say where a page is and how the other program shows it: none of them is text of the page.
const TAKEN: [&str; 20] = [
    "id", "slug", "sidebar", "sidebar_label", "sidebar_position", "sidebar_class_name", "pagination_label",
    "pagination_next", "pagination_prev", "displayed_sidebar", "custom_edit_url", "keywords", "toc_min_heading_level",
    "toc_max_heading_level", "tableOfContents", "editUrl", "lastUpdated", "head", "prev", "next",
];

/// What is read from the top of a page.
#[derive(Debug, Default)]
pub struct FrontMatter {
    /// The title, if there is one.
    pub title: Option<String>,
    /// The description, on one line.
    pub summary: Option<String>,
    /// The day on which the page was published.
    pub date: Option<String>,
    /// The names or ids of those who wrote it.
    pub authors: Vec<String>,
    /// The byte at which the text of the page begins; 0 if there is no front matter.
    pub end: usize,
    /// What is not taken over: the line of each, from 1, and what it is.
    pub losses: Vec<(usize, String)>,
}

/// Reads the front matter that `text` may begin with. Only a mapping is one: other text between two rules is a part of the page.
pub fn read(text: &str) -> FrontMatter {
    let Some((source, parsed, end)) = parsed(text) else { return FrontMatter::default() };
    let is_mapping = parsed.root.as_ref().is_none_or(|root| matches!(&*root.value, Node::Map(_) | Node::Null));
    if !parsed.complete || !is_mapping {
        let losses = (!parsed.complete).then(|| (1, "it is not YAML, and stays text".to_owned()));
        return FrontMatter { losses: losses.into_iter().collect(), ..FrontMatter::default() };
    }
    let mut found = FrontMatter { end, ..FrontMatter::default() };
    for (key, value) in parsed.root.as_ref().map(entries).unwrap_or_default() {
        match (key.value.as_str(), scalar(value).filter(|text| !text.trim().is_empty())) {
            ("title", Some(title)) => found.title = Some(title),
            ("description", Some(text)) => {
                found.summary = Some(text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            ("date", _) if date(value).is_some() => found.date = date(value),
            ("author" | "authors", _) if authors(value).next().is_some() => found.authors.extend(authors(value)),
            (key, _) if TAKEN.contains(&key) => {}
            // The rule is the first line.
            (name, _) => found.losses.push((source.line(key.span.start) + 2, format!("`{name}`"))),
        }
    }
    found
}

/// Returns the day of a date, which may have a time, or be the day of creation among others.
fn date(value: &Tree) -> Option<String> {
    let text = scalar(value).or_else(|| entries(value).text("created"))?;
    text.get(..10).filter(|day| Date::parse(day).is_some()).map(str::to_owned)
}

/// Returns the authors of a page: names, ids, or maps with a name.
fn authors(value: &Tree) -> impl Iterator<Item = String> {
    let maps = items(value).iter().chain([value]).filter_map(|author| entries(author).text("name"));
    texts(value).chain(maps)
}

/// Returns the values of all keys that are texts or numbers; those of a map have its name before them: `sidebar.order`.
pub fn values(text: &str) -> BTreeMap<String, String> {
    fn add(map: &Tree, above: &str, values: &mut BTreeMap<String, String>) {
        for (key, value) in entries(map) {
            values.extend(scalar(value).map(|text| (format!("{above}{}", key.value), text)));
            add(value, &format!("{above}{}.", key.value), values);
        }
    }
    let mut values = BTreeMap::new();
    if let Some(root) = parsed(text).and_then(|(_, parsed, _)| parsed.root) {
        add(&root, "", &mut values);
    }
    values
}

/// Parses what is between the rules. Also returns where the second one ends.
fn parsed(text: &str) -> Option<(Source, Parsed, usize)> {
    let (inner, end) = block(text)?;
    let source = Source::new("", text[inner].to_owned());
    let parsed = yaml::parse(&source, 0..source.text().len());
    Some((source, parsed, end))
}

/// Returns the range between the rules, and where the second one ends.
fn block(text: &str) -> Option<(Range<usize>, usize)> {
    let is_rule = |line: &str, rule: &str| line.strip_prefix(rule).is_some_and(|rest| rest.trim_end().is_empty());
    let start = text.split_inclusive('\n').next().filter(|first| is_rule(first, "---"))?.len();
    let (at, end) = lines_from(&text[start..], start).find(|(_, line)| is_rule(line, "---") || is_rule(line, "..."))?;
    Some((start..at, at + end.len()))
}
