//! `alt-text`: pictures without words for those who do not see them.

use pulldown_cmark::{Event, Tag};

use super::at;
use crate::config::{Config, RawHtml};
use crate::diag::{Diagnostic, codes};
use crate::document::{Document, html};

/// Markdown pictures with empty text, and `<img>` without `alt`; `alt=""` says that a picture only decorates.
pub fn alternative(document: &Document, config: &Config, out: &mut Vec<Diagnostic>) {
    let help = "say in the brackets what the picture shows: `![four arrows meet in one cell](…)`";
    for link in document.body.links.iter().filter(|link| link.image) {
        if document.body.text(link.events.start + 1..link.events.end - 1).trim().is_empty() {
            let message = "this picture has no text for readers who do not see it";
            out.push(at(document, link.span.clone(), codes::ALT_TEXT, message).help(help));
        }
    }
    if config.markdown.raw_html == RawHtml::Escape {
        return;
    }
    for (event, span) in &document.body.events {
        if !matches!(event, Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock)) {
            continue;
        }
        for (start, tag) in html::tags(&document.source.text()[span.clone()]) {
            let is_image = !tag.closing && tag.name.eq_ignore_ascii_case("img");
            if is_image && !tag.attributes.iter().any(|attribute| attribute.name == "alt") {
                let place = span.start + start..span.start + start + tag.text.len();
                let message = "this picture has no `alt` for readers who do not see it";
                let help = "say in `alt` what the picture shows, or write `alt=\"\"` if it only decorates";
                out.push(at(document, place, codes::ALT_TEXT, message).help(help));
            }
        }
    }
}
