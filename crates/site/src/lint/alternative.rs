//! `alt-text`: images without alternative text.

use pulldown_cmark::{Event, Tag};

use super::at;
use infralens_course::config::{Config, RawHtml};
use infralens_page::{Document, html};
use infralens_source::diag::{Diagnostic, Edit, Fix, codes};

/// What a fix writes in place of the text that only the author knows.
const FILL: &str = concat!("TO", "DO: what the image shows");

/// Reports Markdown images with empty text, other than icons of cards and buttons, and `<img>` without `alt`. An empty `alt=""` marks an image as decorative.
pub fn alternative(document: &Document, config: &Config, out: &mut Vec<Diagnostic>) {
    let help = "describe the image in the brackets: `![four arrows meet in one cell](…)`";
    let is_icon = |at: usize| {
        let is_in_group = matches!(document.body.groups.range(..at).next_back(), Some((_, Some(_))));
        is_in_group
            && matches!(document.body.events.event(at), Event::Start(Tag::Image { title, .. }) if title.is_empty())
    };
    for link in document.body.links.iter().filter(|link| link.image && !is_icon(link.events.start)) {
        if document.body.text(link.events.start + 1..link.events.end - 1).trim().is_empty() {
            let message = "this image has no text for readers who cannot see it";
            let start = link.span.start + 2;
            let is_inline = document.source.text()[link.span.clone()].starts_with("![]");
            let edit = Edit::new(&document.source, start..start, FILL);
            let fix = is_inline.then(|| Fix::new("write a text for the image", vec![edit]));
            out.push(at(document, link.span.clone(), codes::ALT_TEXT, message).help(help).fix(fix));
        }
    }
    if config.markdown.raw_html == RawHtml::Escape {
        return;
    }
    for (event, span) in document.body.events.iter() {
        if !matches!(event, Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock)) {
            continue;
        }
        for (start, tag) in html::tags(&document.source.text()[span.clone()]) {
            let is_image = !tag.closing && tag.name.eq_ignore_ascii_case("img");
            if is_image && !tag.attributes.iter().any(|attribute| attribute.name == "alt") {
                let place = span.start + start..span.start + start + tag.text.len();
                let message = "this image has no `alt` for readers who cannot see it";
                let help = "describe the image in `alt`, or write `alt=\"\"` if it is only decoration";
                let after_name = place.start + "<img".len();
                let edit = Edit::new(&document.source, after_name..after_name, format!(" alt=\"{FILL}\""));
                let fix = Fix::new("add `alt`", vec![edit]);
                out.push(at(document, place, codes::ALT_TEXT, message).help(help).fix(fix));
            }
        }
    }
}
