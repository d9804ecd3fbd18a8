//! `heading-skip`, `link-text` and `duplicate-title`: the texts by which readers navigate from heading to heading and from
//! link to link.

use std::collections::BTreeMap;

use super::{Input, at};
use infralens_page::{Document, Heading, Kind};
use infralens_source::diag::{Diagnostic, Fix, codes};

/// Link texts that do not name their target, and "here" in other languages, separated by commas.
const EMPTY_TEXTS: &str = "here, click here, this, this link, this page, link, the link, more, read more, learn more, see here, \
    see more, hier, ici, aquí, aqui, здесь, こちら, ここ, 这里, 此处, 여기";

/// `heading-skip`: reports headings that skip a level, and those of level 1, which is the level of the page's title.
pub fn headings(document: &Document, out: &mut Vec<Diagnostic>) {
    let mut above = 1;
    let mut what = "the page's title";
    for heading in document.body.headings.iter().filter(|heading| heading.top_level) {
        if heading.level == 1 && document.placement.kind != Kind::Readme {
            let message = "this heading has the level of the page's title, and is shown a level below";
            let found = at(document, heading.span.clone(), codes::HEADING_SKIP, message.to_owned()).hint();
            let found = found.help("write `##`; the title is in the front matter");
            out.push(found.fix(level_fix(document, heading, "##")));
        }
        if heading.level > above + 1 {
            let wanted = "#".repeat(usize::from(above) + 1);
            let message = format!("this heading has level {}, but {what} above it has level {above}", heading.level);
            let found = at(document, heading.span.clone(), codes::HEADING_SKIP, message);
            out.push(found.help(format!("write `{wanted}`")).fix(level_fix(document, heading, &wanted)));
        }
        above = heading.level;
        what = "the one";
    }
}

/// Returns the fix that writes other signs before a heading; `None` if it has none.
fn level_fix(document: &Document, heading: &Heading, signs: &str) -> Option<Fix> {
    let (source, start) = (&document.source, heading.span.start);
    let text = &source.text()[heading.span.clone()];
    let written = text.len() - text.trim_start_matches('#').len();
    (written > 0).then(|| Fix::write(source, start..start + written, signs))
}

/// `link-text`: reports links whose text does not name their target.
pub fn links(document: &Document, out: &mut Vec<Diagnostic>) {
    for link in document.body.links.iter().filter(|link| !link.image && !link.target.starts_with('@')) {
        let written = document.body.text(link.events.start + 1..link.events.end - 1);
        let text = normal(written.trim_matches(|c: char| !c.is_alphanumeric()));
        if EMPTY_TEXTS.split(", ").any(|known| known == text) {
            let message = format!("`{}` does not say where this link leads", written.trim());
            let help = "link the words that name the target; a link without text, `[](…)`, takes the target's title";
            out.push(at(document, link.span.clone(), codes::LINK_TEXT, message).help(help));
        }
    }
}

/// `duplicate-title`: reports pages of one track with the same title.
pub fn titles(input: Input<'_>) -> Vec<Diagnostic> {
    let mut titles: BTreeMap<(&str, String), Vec<&Document>> = BTreeMap::new();
    for document in input.subjects.iter().map(|subject| subject.document) {
        let title = &document.front.common.title;
        let track = document.placement.track.as_deref().filter(|_| document.placement.kind != Kind::Readme);
        if let Some(track) = track.filter(|_| !title.span.is_empty()) {
            titles.entry((track, normal(title))).or_default().push(document);
        }
    }
    let repeated = titles.into_values().filter(|documents| documents.len() > 1);
    repeated.flat_map(|documents| (0..documents.len()).map(|one| title(&documents, one)).collect::<Vec<_>>()).collect()
}

fn title(documents: &[&Document], one: usize) -> Diagnostic {
    let other = documents[usize::from(one == 0)];
    let title = &documents[one].front.common.title;
    let message = format!("another page of this track also has the title `{}`", &**title);
    at(documents[one], title.span.clone(), codes::DUPLICATE_TITLE, message)
        .related(other.source.place(other.front.common.title.span.clone()), "the other page")
        .help("give each page a title that distinguishes it from the other")
}

/// Normalizes letter case and white space.
fn normal(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
