//! A page's body: its rendered Markdown, the generated parts that it places, and the parts that it has by default.

use std::collections::BTreeMap;

use tera::Value;

use super::context::Segment;
use super::shared::Shared;
use infralens_course::course::PageId;
use infralens_page::{Kind, Part};
use infralens_render::{Facts, ResolvedPage, page};

/// The style sheet of generated parts. It includes `rare.css`.
pub const PARTS: &str = "parts.css";

/// The style sheet of lit lines, marked words, and omissions that open.
pub const LIT: &str = "lit.css";
/// The style sheet of excerpts that are compared with other pieces. It needs [`LIT`].
pub const SINCE: &str = "since.css";

/// The style sheet of calculators that stack values against a limit.
pub const STACK: &str = "stack.css";

/// The name of the excerpt that a home page begins with, among the parts of its body.
const LENS: &str = "lens";

/// How elements and classes begin that `rare.css` styles, besides those of formulas.
const RARE: [&str; 22] = [
    "type=\"checkbox\" disabled", "<blockquote", "<caption", "<hr", "<sub", "<sup", "align=\"center", "class=\"center",
    "class=\"cjk", "data-local=\"", "class=\"d-group", "class=\"d-note", "class=\"diagram panned",
    "class=\"diagram side", "class=\"unseen", "class=\"alert", "class=\"footnote", "class=\"titled", "class=\"example",
    "class=\"row", "<details class=\"answer", "class=\"d-1",
];
/// How the elements begin that `seldom.css` styles.
const SELDOM: [&str; 3] = ["<div class=\"cards", "<div class=\"buttons", "<label class=\"unhide"];
/// How the element of a listing begins that needs the room of the course column.
const BROADEST: &str = "<div class=\"pair broad broadest";
/// The endings of the classes of formulas that `style.css` has, because labs and sections often need them.
const OFTEN: [&str; 7] = ["up", "left", "right", "pl0", "pr0", "bold", "large"];

/// Returns the style sheets that a page needs besides `style.css`. Labs and sections need `parts.css` only if they have
/// generated parts, and `rare.css` only if they have something that it styles, because their weight matters most.
pub fn styles(kind: Kind, body: &[Segment], source: Option<&ResolvedPage<'_>>) -> Vec<&'static str> {
    let has_parts = |segment: &Segment| segment.part.is_some_and(|part| part != "reading" && part != LENS);
    let is_rare = |segment: &Segment| {
        let html = html(segment);
        let is_often = |rest: &str| OFTEN.iter().any(|class| rest.starts_with(class));
        RARE.iter().any(|class| html.contains(class)) || html.split("math-").skip(1).any(|rest| !is_often(rest))
    };
    let mut styles = Vec::new();
    if !matches!(kind, Kind::Lab | Kind::Section) || body.iter().any(has_parts) {
        styles.push(PARTS);
    } else if body.iter().any(is_rare) {
        styles.push("rare.css");
    }
    let is_seldom = |segment: &Segment| SELDOM.iter().any(|class| html(segment).contains(class));
    let others = [
        (STACK, source.is_some_and(ResolvedPage::has_stack)),
        ("tabs.css", source.is_some_and(ResolvedPage::has_tabs)),
        ("seldom.css", body.iter().any(is_seldom)),
        (LIT, source.is_some_and(ResolvedPage::has_lit_code)),
        (SINCE, source.is_some_and(ResolvedPage::has_comparison)),
    ];
    styles.extend(others.into_iter().filter(|(_, is_needed)| *is_needed).map(|(sheet, _)| sheet));
    styles
}

/// Returns whether a body has a listing that needs the room of the course column.
pub fn is_broad(body: &[Segment]) -> bool {
    body.iter().any(|segment| html(segment).contains(BROADEST))
}

/// Returns the HTML of a segment; nothing for a part that a template generates.
fn html(segment: &Segment) -> &str {
    segment.html.as_ref().and_then(Value::as_str).unwrap_or_default()
}

/// Returns the body of a page of the course.
pub fn course_page(shared: &Shared<'_>, id: PageId) -> Vec<Segment> {
    let known = &shared.course().pages[id];
    let track = known.track.map(|track| shared.common.tracks[track].clone());
    let rendered = shared.source(id).map(ResolvedPage::body).unwrap_or_default();
    let mut segments = segments_from(shared, &rendered, track.as_ref());
    let part = |part: Part| part_segment(part_name(part), None, track.clone().into_iter().collect(), false);
    let at = |segments: &[Segment], part: Part| segments.iter().position(|it| it.part == Some(part_name(part)));
    match known.kind {
        // The map is the page; what the author says about it follows.
        Kind::Track if at(&segments, Part::ReadingOrder).is_none() => segments.insert(0, part(Part::ReadingOrder)),
        Kind::Labs => {
            // What the author does not place comes before the next part that is placed, or last.
            let mut end = segments.len();
            for known in [Part::Starters, Part::Curriculum, Part::ReadingOrder] {
                match at(&segments, known) {
                    Some(place) => end = place,
                    None => segments.insert(end, part(known)),
                }
            }
        }
        _ => {}
    }
    append_reading_list(shared.facts(id), &mut segments);
    segments
}

/// Splits the body of a labs page: returns what comes before the curriculum, in sections, each of which begins with a heading,
/// and leaves the rest.
pub fn introduction(body: &mut Vec<Segment>) -> Vec<Vec<Segment>> {
    let is_table = |segment: &Segment| segment.part == Some(part_name(Part::Curriculum));
    let rest = body.iter().position(is_table).map(|at| body.split_off(at)).unwrap_or_default();
    let mut sections: Vec<Vec<Segment>> = Vec::new();
    for segment in std::mem::replace(body, rest) {
        let html = segment.html.as_ref().and_then(Value::as_str);
        let is_headed = html.map_or(!segment.headed, |html| html.trim_start().starts_with("<h2"));
        match sections.last_mut().filter(|_| !is_headed) {
            Some(section) => section.push(segment),
            None => sections.push(vec![segment]),
        }
    }
    sections
}

/// Returns the body of a page for a print page.
pub fn chapter(shared: &Shared<'_>, id: PageId) -> Vec<Segment> {
    let track = shared.course().pages[id].track.map(|track| shared.common.tracks[track].clone());
    let rendered = shared.source(id).map(ResolvedPage::chapter).unwrap_or_default();
    let mut segments = segments_from(shared, &rendered, track.as_ref());
    append_reading_list(shared.facts(id), &mut segments);
    segments
}

/// Returns the body of a README.
pub fn readme(shared: &Shared<'_>, readme: &ResolvedPage<'_>) -> Vec<Segment> {
    let mut segments = segments_from(shared, &readme.body(), None);
    append_reading_list(readme.facts, &mut segments);
    segments
}

fn segments_from(shared: &Shared<'_>, rendered: &[page::Segment], track: Option<&Value>) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let (mut heading_above, mut mentions) = (None, None);
    for segment in rendered {
        match segment {
            page::Segment::Html(html) => {
                heading_above = heading_at_end(html);
                segments.push(Segment { html: Some(Value::safe_string(html)), ..Segment::default() });
                continue;
            }
            page::Segment::Lens(html) => {
                let html = Some(Value::safe_string(html));
                segments.push(Segment { html, part: Some(LENS), ..Segment::default() });
            }
            page::Segment::Part(part) => {
                let titled = track.is_none();
                let tracks = track.map_or_else(|| shared.published_tracks(), |track| vec![track.clone()]);
                segments.push(part_segment(part_name(*part), heading_above, tracks, titled));
            }
            page::Segment::Mentions(term) => {
                let pages = mentions.get_or_insert_with(|| pages_by_term(shared)).get(term.as_str());
                let links = shared.links(pages.map_or(&[], Vec::as_slice));
                segments.push(Segment { links, ..part_segment("mentions", None, Vec::new(), false) });
            }
            // Ids must be unique, so a second place for the list stays empty.
            page::Segment::Reading => {
                if !segments.iter().any(|segment| segment.part == Some("reading")) {
                    segments.push(part_segment("reading", heading_above, Vec::new(), false));
                }
            }
        }
        heading_above = None;
    }
    segments
}

/// Returns the pages that mention each term: those of tracks in reading order, then the others.
fn pages_by_term<'s>(shared: &'s Shared<'_>) -> BTreeMap<&'s str, Vec<PageId>> {
    let course = shared.course();
    let in_order = course.tracks.iter().flat_map(|track| track.order.iter().copied());
    let is_listed = |page: &PageId| matches!(course.pages[*page].kind, Kind::Lab | Kind::Section);
    let others = (0..course.pages.len()).filter(|page| !is_listed(page));
    let mut pages: BTreeMap<&str, Vec<PageId>> = BTreeMap::new();
    for page in in_order.chain(others) {
        shared.facts(page).mentions.iter().for_each(|term| pages.entry(term).or_default().push(page));
    }
    pages
}

/// Citations link to the page's reading list, so a page with citations must have one.
fn append_reading_list(facts: &Facts, segments: &mut Vec<Segment>) {
    if !facts.reading.is_empty() && !segments.iter().any(|segment| segment.part == Some("reading")) {
        segments.push(part_segment("reading", None, Vec::new(), false));
    }
}

fn part_segment(part: &'static str, heading_above: Option<u8>, tracks: Vec<Value>, titled: bool) -> Segment {
    let level = heading_above.map_or(2, |level| (level + 1).min(5));
    Segment { part: Some(part), level, headed: heading_above.is_some(), titled, tracks, ..Segment::default() }
}

/// Returns the name of a part in comments and templates.
fn part_name(part: Part) -> &'static str {
    Part::NAMES.iter().find(|(_, known)| *known == part).map_or("", |(part_name, _)| part_name)
}

/// Returns the level of the heading that HTML ends with, if any.
fn heading_at_end(html: &str) -> Option<u8> {
    let before = html.trim_end().strip_suffix('>')?;
    let (at, level) = before.char_indices().next_back()?;
    let level = level.to_digit(10).filter(|_| before[..at].ends_with("</h"))?;
    u8::try_from(level).ok().filter(|level| (1..=6).contains(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_at_the_end_is_recognized() {
        assert_eq!(heading_at_end("<p>x</p>\n<h2 id=\"a\">Labs <a href=\"#a\">#</a></h2>\n"), Some(2));
        assert_eq!(heading_at_end("<h2>Labs</h2>\n<p>x</p>\n"), None);
        assert_eq!(heading_at_end("<p>&lt;/h2></p></html>"), None);
        assert_eq!(heading_at_end(""), None);
    }
}
