//! Finds the places of a book that need an extension or a plugin that is not known here, by the marks of its syntax, and
//! leaves of them what readers can read.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, Event, LinkType, Parser, Tag};

use super::edits::{Edit, Text};
use super::include::Left;
use super::loss::shortened;
use super::page::{OPTIONS, parse};
use super::settings::{listed, table};
use super::tree::{Keys, entries, scalar};
use super::{Kind, Loss};
use infralens_source::diag::quantity;
use infralens_source::html::{self, Piece};
use infralens_source::project::Project;
use infralens_source::source::{Source, Span, lines_from};
use infralens_source::yaml::Tree;

/// Says what becomes of a plugin.
pub fn plugin(source: &Source, span: &Span, name: &str) -> Loss {
    let taken = known(name).and_then(|known| entries(&known).text("taken"));
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
        let marks: Vec<String> = entries(&known).list("marks").iter().filter_map(scalar).collect();
        if !marks.is_empty() {
            let places = places(project, folder, &marks);
            let _ = write!(loss.detail, ": {}", quantity(places.len(), "place"));
            let named = places.iter().take(NAMED).map(|(path, line)| format!(" {path}:{line}")).collect::<Vec<_>>();
            loss.detail.extend((!named.is_empty()).then(|| format!(", first{}", named.join(","))));
        }
        let advice = entries(&known).text("left");
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
        let first = |line: &str| {
            let has = |mark: &&String| format!("\n{line}").contains(mark.as_str());
            marks.iter().filter(has).filter_map(|mark| line.find(mark.trim_start_matches('\n'))).min()
        };
        let lines: Vec<usize> = lines_from(source.text(), 0).filter_map(|(at, line)| Some(at + first(line)?)).collect();
        let parts = if lines.is_empty() { Vec::new() } else { parts(source.text()) };
        let lines = lines.into_iter().filter(|at| place_at(&parts, *at) != Place::Code);
        found.extend(lines.map(|at| (&**path, source.line(at) + 1)));
    }
    found
}

/// What a byte of a page is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Code,
    /// The text of a block of HTML.
    Html,
    /// A tag, or a comment.
    Tag,
}

/// Returns the parts of a page that are not its text.
fn parts(text: &str) -> Vec<(Range<usize>, Place)> {
    let mut parts = Vec::new();
    for (event, span) in parse(text) {
        match event {
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => parts.push((span, Place::Code)),
            Event::InlineHtml(_) => parts.push((span, Place::Tag)),
            Event::Start(Tag::HtmlBlock) => parts.extend(html::pieces(&text[span.clone()]).map(|(range, piece)| {
                let place = if matches!(piece, Piece::Text) { Place::Html } else { Place::Tag };
                (span.start + range.start..span.start + range.end, place)
            })),
            _ => {}
        }
    }
    parts
}

fn place_at(parts: &[(Range<usize>, Place)], at: usize) -> Place {
    let found = parts.get(parts.partition_point(|(range, _)| range.end <= at));
    found.filter(|(range, _)| range.start <= at).map_or(Place::Text, |(_, place)| *place)
}

/// Leaves the words of links to code that a plugin would resolve, `[text][a.b]`, makes ids of `[](){#id}`, and shows macros as
/// code. Also returns what is lost.
pub fn without_plugins(text: &Text, runs_macros: bool) -> (Text, Left) {
    let (mut links, mut edits, mut left) = (Vec::new(), Vec::new(), Vec::new());
    let mut callback = |link: BrokenLink<'_>| {
        links.extend((!matches!(link.link_type, LinkType::Shortcut)).then_some(link.span));
        None
    };
    Parser::new_with_broken_link_callback(&text.text, OPTIONS, Some(&mut callback)).for_each(drop);
    let parts = parts(&text.text);
    for mut span in links {
        // The brackets that are empty are not part of the place.
        span.end += if text.text[span.end..].starts_with("[]") { 2 } else { 0 };
        let written = &text.text[span.clone()];
        let Some(end) = written.rfind("][").filter(|_| !text.text[..span.start].ends_with('!')) else { continue };
        left.push((text.line(span.start), (Kind::Reference, shortened(written))));
        edits.extend([(span.start..span.start + 1, String::new()), (span.start + end..span.end, String::new())]);
    }
    for (at, open) in text.text.match_indices("[](){#").filter(|(at, _)| place_at(&parts, *at) == Place::Text) {
        let line = text.text[at + open.len()..].lines().next().unwrap_or_default();
        if let Some((id, _)) = line.split_once('}') {
            // It belongs to the heading below.
            edits.push((at..at + open.len() + id.len() + 1, format!("<a id=\"{id}\"></a>")));
        }
    }
    macros(text, &parts, runs_macros, (&mut edits, &mut left));
    (text.edited(edits), left)
}

/// Shows macros as code, and takes out the marks around text in which nothing is one: `{% raw %}` and `{% endraw %}`. In code,
/// both mean something only if a plugin runs macros.
fn macros(text: &Text, parts: &[(Range<usize>, Place)], runs_macros: bool, (edits, left): (&mut Vec<Edit>, &mut Left)) {
    let (mut at, mut is_raw) = (0, false);
    while let Some(start) = text.text[at..].find(['{']).map(|length| at + length) {
        at = start + 1;
        let rest = &text.text[start..];
        let close = match rest.get(..2) {
            Some("{{") if !rest.starts_with("{{#") => "}}",
            Some("{%") => "%}",
            _ => continue,
        };
        let paragraph = &rest[..rest.find("\n\n").unwrap_or(rest.len())];
        let Some(length) = paragraph.find(close).map(|length| length + 2) else { continue };
        let (written, place) = (&rest[..length], place_at(parts, start));
        let inner = written[2..length - 2].trim_matches(['-', ' ']);
        if place == Place::Code && !runs_macros {
            continue;
        }
        at = start + length;
        let new = match (inner, place) {
            ("raw" | "endraw", _) => {
                is_raw = inner == "raw";
                String::new()
            }
            // Without the backslash, it would be reported as a macro.
            (_, Place::Text) if is_raw => format!("\\{written}"),
            _ if is_raw => continue,
            (_, place) => {
                left.push((text.line(start), (Kind::Macro, shortened(written))));
                match place {
                    Place::Text => format!("`{}`", written.replace('`', "'")),
                    Place::Html => format!("<code>{}</code>", written.replace('&', "&amp;").replace('<', "&lt;")),
                    Place::Code | Place::Tag => continue,
                }
            }
        };
        edits.push((start..at, new));
    }
}

/// Names between percent signs that Windows knows.
const WINDOWS: [&str; 12] = [
    "ALLUSERSPROFILE", "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
    "SYSTEMROOT", "USERNAME", "USERPROFILE", "WINDIR",
];

/// Finds names that a program of the site may replace, such as `%VERSION%`, also in code.
pub fn placeholders(text: &Text) -> Left {
    let (mut left, mut at) = (Vec::new(), 0);
    for part in text.text.split('%') {
        let is_name = part.len() > 4 && part.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let is_between = at > 0 && at + part.len() < text.text.len();
        if is_name && is_between && !WINDOWS.contains(&part) {
            left.push((text.line(at), (Kind::Macro, format!("`%{part}%`"))));
        }
        at += part.len() + 1;
    }
    left
}
