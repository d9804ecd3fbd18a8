//! The front matter of a translation: texts of the page's, each below a line `# source: TEXT` that quotes what it translates.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::pairing;
use crate::Document;
use crate::front_matter::{FrontMatter, split};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::{Source, Span};
use infralens_source::yaml::{Decoder, Record, Spanned, record, to_scalar};

record! {
    /// The front matter of a translation.
    struct Front {
        /// The title.
        optional title: Option<Spanned<String>>;
        /// What the page is about.
        optional summary: Option<Spanned<String>>;
        /// A lab's concept focus.
        optional focus: Option<Spanned<String>>;
        /// What is read in a lab.
        optional reads: Option<Spanned<String>>;
        /// What readers of a lab should be able to explain.
        optional outcome: Option<Spanned<String>>;
        /// The words for the starter.
        optional starter: Starter;
    }
}

record! {
    struct Starter {
        /// What kind of code it is.
        optional kind("type"): Option<Spanned<String>>;
        /// What to look for in it.
        optional angle: Option<Spanned<String>>;
    }
}

/// The translated texts of a page's front matter.
#[derive(Debug, Default)]
pub struct Texts {
    pub list: Vec<Text>,
}

#[derive(Debug)]
pub struct Text {
    /// Its key: `title`, `starter.type`.
    pub key: &'static str,
    /// What the page says now.
    pub current: String,
    /// What it says in the other language.
    pub value: Option<String>,
    /// The text that it was made from, and the span of that in the file.
    pub quoted: Option<(String, Span)>,
    /// Whether the page has changed, but so little that the translation is still shown.
    pub is_shown: bool,
}

impl Text {
    /// Whether what it was made from differs from what the page says.
    pub fn is_stale(&self) -> bool {
        self.quoted.as_ref().is_some_and(|(quoted, _)| *quoted != self.current)
    }
}

impl Texts {
    /// Returns the front matter of the page with these texts.
    pub fn apply(&self, front: &Arc<FrontMatter>) -> Arc<FrontMatter> {
        let mut front = FrontMatter::clone(front);
        for (key, place) in places(&mut front) {
            let text = self.list.iter().find(|text| text.key == key && text.is_shown);
            place.value = text.and_then(|text| text.value.clone()).unwrap_or(std::mem::take(&mut place.value));
        }
        Arc::new(front)
    }
}

/// Returns the places of a page's front matter whose texts can be translated, by key.
fn places(front: &mut FrontMatter) -> impl Iterator<Item = (&'static str, &mut Spanned<String>)> {
    let of_lab = front.lab.iter_mut().flat_map(|lab| {
        let of_starter = [("starter.type", &mut lab.starter.kind), ("starter.angle", &mut lab.starter.angle)];
        [("focus", &mut lab.focus), ("reads", &mut lab.reads), ("outcome", &mut lab.outcome)]
            .into_iter()
            .chain(of_starter)
    });
    let summary = front.common.summary.iter_mut().map(|summary| ("summary", summary));
    [("title", &mut front.common.title)].into_iter().chain(summary).chain(of_lab)
}

/// Returns the texts of a page's front matter that can be translated, by key.
pub fn texts_of(front: &FrontMatter) -> Vec<(&'static str, String)> {
    let texts = places(&mut front.clone()).map(|(key, text)| (key, text.value.clone())).collect::<Vec<_>>();
    texts.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// Reads the front matter of a translation; returns also where its Markdown begins.
pub fn read(source: &Source, page: &Document) -> (Texts, usize, Vec<Diagnostic>) {
    let (yaml, start, mut diagnostics) = split(source);
    let Some(yaml) = yaml else {
        return (Texts { list: texts(page, |_| (None, None)) }, start, diagnostics);
    };
    let opening = source.start()..source.start() + "---".len();
    let (mut decoder, entries) = Decoder::open(source, yaml.clone(), opening, "the front matter");
    decoder.check_keys(&entries, Front::FIELDS);
    let front = Front::from_entries(&entries, &mut decoder);
    diagnostics.extend(decoder.finish());
    let Starter { kind, angle } = front.starter;
    let values = [
        ("title", front.title),
        ("summary", front.summary),
        ("focus", front.focus),
        ("reads", front.reads),
        ("outcome", front.outcome),
        ("starter.type", kind),
        ("starter.angle", angle),
    ];
    let values: BTreeMap<_, _> = values.into_iter().filter_map(|(key, text)| Some((key, text?))).collect();
    let mut list = texts(page, |key| match values.get(key) {
        Some(text) => (Some(text.value.clone()), quoted_above(source, &yaml, text.span.start)),
        None => (None, None),
    });
    for (key, text) in values {
        let problem = match list.iter().find(|known| known.key == key) {
            None => format!("the page has no `{key}` that this could translate"),
            Some(known) if known.quoted.is_none() => format!("`{key}` does not say what it translates"),
            Some(_) => continue,
        };
        list.retain(|known| known.key != key || known.quoted.is_some());
        let error = source.diagnostic(codes::E0701, text.span.clone(), problem);
        diagnostics.push(error.help("write the text of the source in the line above it: `# source: TEXT`"));
    }
    (Texts { list }, start, diagnostics)
}

fn texts(page: &Document, read: impl Fn(&str) -> (Option<String>, Option<(String, Span)>)) -> Vec<Text> {
    let text = |(key, current): (&'static str, String)| {
        let (value, quoted) = read(key);
        let is_close = quoted.as_ref().is_some_and(|(quoted, _)| pairing::is_similar(quoted, &current));
        let is_shown = value.is_some() && is_close;
        Text { key, current, value, quoted, is_shown }
    };
    texts_of(&page.front).into_iter().map(text).collect()
}

/// Returns the text of the comment `# source: TEXT` in the line above the one that contains an offset.
fn quoted_above(source: &Source, yaml: &Span, at: usize) -> Option<(String, Span)> {
    let line = source.text()[..at].rfind('\n')?;
    let start = source.text()[..line].rfind('\n').map_or(0, |end| end + 1).max(yaml.start);
    let above = source.text().get(start..line)?;
    let text = above.trim().strip_prefix("# source:")?.trim();
    let from = start + above.find(text)?;
    Some((text.to_owned(), from..from + text.len()))
}

/// Writes the front matter of a new translation: each text below its quote, and still to be written unless a page in the other
/// language has it.
pub fn scaffold(page: &Document, translated: Option<&Document>) -> String {
    let (mut lines, mut is_in_starter) = (String::from("---\n"), false);
    let known: BTreeMap<&str, String> = translated.into_iter().flat_map(|page| texts_of(&page.front)).collect();
    let has_starter = known.keys().any(|key| key.starts_with("starter."));
    for (key, text) in texts_of(&page.front) {
        let (indent, name) = key.strip_prefix("starter.").map_or(("", key), |name| ("  ", name));
        if !indent.is_empty() && !std::mem::replace(&mut is_in_starter, true) {
            lines.push_str(if has_starter { "starter:\n" } else { "# starter:\n" });
        }
        lines.extend([indent, "# source: ", &text, "\n", indent]);
        match known.get(key) {
            Some(value) => lines.extend([name, ": ", &*to_scalar(value), "\n"]),
            None => lines.extend(["# ", name, ":\n"]),
        }
    }
    lines + "---\n"
}
