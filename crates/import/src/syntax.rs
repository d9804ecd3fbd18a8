//! Finds the places of a book that need an extension or a plugin that is not known here, by the marks of its syntax, and
//! leaves of them what readers can read.

use std::collections::BTreeMap;
use std::fmt::Write;

use pulldown_cmark::{BrokenLink, Event, LinkType, Parser, Tag};

use super::edits::{Text, is_within};
use super::include::LossDetail;
use super::loss::shortened;
use super::mkdocs::{entries, get, items, scalar};
use super::page::{OPTIONS, parse};
use super::settings::{listed, table};
use super::{Kind, Loss};
use infralens_source::diag::quantity;
use infralens_source::project::Project;
use infralens_source::source::{Source, Span, lines_from};
use infralens_source::yaml::Tree;

/// Says what becomes of a plugin.
pub fn plugin(source: &Source, span: &Span, name: &str) -> Loss {
    let taken = known(name).and_then(|known| get(entries(&known), "taken").and_then(scalar));
    let kind = if taken.is_some() { Kind::Taken } else { Kind::Plugin };
    let taken = taken.map(|taken| format!(": {taken}")).unwrap_or_default();
    Loss::at(kind, source, span, format!("`{name}`{taken}"))
}

/// Returns what the table says of an extension or a plugin.
fn known(name: &str) -> Option<Tree> {
    listed(&table("plugins"), |known| name.contains(known)).cloned()
}

/// The number of places that are named.
const NAMED: usize = 5;

/// Adds to each loss of an extension or a plugin how many places of the pages in `folder` it concerns, and the first ones.
pub fn add_places(project: &Project, folder: &str, losses: &mut [Loss]) {
    for loss in losses.iter_mut().filter(|loss| matches!(loss.kind, Kind::Extension | Kind::Plugin)) {
        let name = loss.detail.trim_matches('`');
        let Some(known) = known(name) else { continue };
        let marks: Vec<String> =
            get(entries(&known), "marks").map(items).unwrap_or_default().iter().filter_map(scalar).collect();
        if !marks.is_empty() {
            let places = places(project, folder, &marks);
            let _ = write!(loss.detail, ": {}", quantity(places.len(), "place"));
            let named = places.iter().take(NAMED).map(|(path, line)| format!(" {path}:{line}")).collect::<Vec<_>>();
            loss.detail.extend((!named.is_empty()).then(|| format!(", first{}", named.join(","))));
        }
        let advice = get(entries(&known), "left").and_then(scalar);
        loss.detail.extend(advice.map(|advice| format!("; {advice}")));
    }
}

/// Makes one loss of all those of the same component, with the number of its places and the first of them.
pub fn add_components(losses: &mut Vec<Loss>) {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    losses.retain_mut(|loss| {
        if loss.kind != Kind::Component {
            return true;
        }
        let found = places.entry(loss.detail.clone()).or_default();
        found.push(format!("{}:{}", loss.path, loss.line.unwrap_or(1)));
        found.len() == 1
    });
    for loss in losses.iter_mut().filter(|loss| loss.kind == Kind::Component) {
        let places = &places[&loss.detail];
        if places.len() > 1 {
            let others = places[1..].iter().take(NAMED - 1).cloned().collect::<Vec<_>>().join(", ");
            let _ = write!(loss.detail, ": {}, also {others}", quantity(places.len(), "place"));
        }
    }
}

/// Returns the lines outside of code that contain one of some marks.
fn places<'p>(project: &'p Project, folder: &str, marks: &[String]) -> Vec<(&'p str, usize)> {
    let mut found = Vec::new();
    for path in project.files.keys().filter(|path| path.starts_with(folder) && path.ends_with(".md")) {
        let Some(source) = project.text(path) else { continue };
        let text = source.text();
        let has = |line: &str| marks.iter().any(|mark| format!("\n{line}").contains(mark.as_str()));
        if !lines_from(text, 0).any(|(_, line)| has(line)) {
            continue;
        }
        let is_code = |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
        let code: Vec<_> = parse(text).filter(|(event, _)| is_code(event)).map(|(_, span)| span).collect();
        let starts = |line: &str| {
            let at = marks.iter().filter_map(|mark| line.find(mark.trim_start_matches('\n'))).min();
            at.unwrap_or_default()
        };
        let lines = lines_from(text, 0).filter(|(at, line)| has(line) && !is_within(&code, at + starts(line)));
        found.extend(lines.map(|(at, _)| (&**path, source.line(at) + 1)));
    }
    found
}

/// Leaves the words of links to code that a plugin would resolve, `[text][a.b]`, makes ids of `[](){#id}`, and shows macros as
/// code. Also returns what is lost, each with its line of the book.
pub fn without_plugins(text: &Text) -> (Text, Vec<(usize, LossDetail)>) {
    let (mut links, mut skipped, mut edits, mut left) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut callback = |link: BrokenLink<'_>| {
        links.extend((!matches!(link.link_type, LinkType::Shortcut)).then_some(link.span));
        None
    };
    let parser = Parser::new_with_broken_link_callback(&text.text, OPTIONS, Some(&mut callback));
    for (event, span) in parser.into_offset_iter() {
        let is_line = matches!(event, Event::Code(_) | Event::InlineHtml(_));
        let is_block = matches!(event, Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock));
        skipped.extend((is_line || is_block).then_some(span));
    }
    for mut span in links {
        // The brackets that are empty are not part of the place.
        span.end += if text.text[span.end..].starts_with("[]") { 2 } else { 0 };
        let written = &text.text[span.clone()];
        let Some(end) = written.rfind("][").filter(|_| !text.text[..span.start].ends_with('!')) else { continue };
        left.push((text.line(span.start), (Kind::Reference, shortened(written))));
        edits.extend([(span.start..span.start + 1, String::new()), (span.start + end..span.end, String::new())]);
    }
    for (open, close) in [("[](){", "}"), ("{{", "}}"), ("{%", "%}")] {
        for (at, _) in text.text.match_indices(open).filter(|(at, _)| !is_within(&skipped, *at)) {
            let line = text.text[at..].lines().next().unwrap_or_default();
            let Some(end) = line[open.len()..].find(close).filter(|_| !line.starts_with("{{#")) else { continue };
            let inner = line[open.len()..open.len() + end].trim_matches(['-', ' ']);
            let written = &line[..open.len() + end + close.len()];
            let new = match inner.strip_prefix('#').filter(|_| close == "}") {
                // It belongs to the heading below.
                Some(id) => format!("<a id=\"{id}\"></a>"),
                None if close == "}" => continue,
                None if matches!(inner, "raw" | "endraw") => String::new(),
                None => {
                    left.push((text.line(at), (Kind::Macro, shortened(written))));
                    format!("`{}`", written.replace('`', "'"))
                }
            };
            edits.push((at..at + written.len(), new));
        }
    }
    (text.edited(edits), left)
}
