//! Paths that pages write: links, pictures, definitions, raw HTML, and the `file=` of excerpts. Only the segments that must
//! change are written anew; `..`, escapes, fragments and the rest of the style stay.

use std::ops::Range;
use std::sync::Arc;

use super::edits::Edits;
use super::{Moves, main_file};
use crate::course::{link, starter, url};
use crate::document::Document;
use crate::document::destination::{MappedText, destinations};
use crate::source::Source;

/// Rewrites what one page writes.
pub fn rewrite(edits: &mut Edits, document: &Document, moves: &Moves) {
    let own = main_file(document);
    for written in destinations(document) {
        if let Some(step) = step(&written, document, own.as_deref(), moves) {
            step.rewrite(edits, &document.source, &written);
        }
    }
    for excerpt in &document.body.excerpts {
        let file = &excerpt.file;
        let written = MappedText::plain(&file.path, file.path_span.start);
        if let Some(to) = in_code(&file.path, own.as_deref(), moves) {
            let step = Step { path: 0..file.path.len(), base: "code".into(), to, detour: false, encoded: false };
            step.rewrite(edits, &document.source, &written);
        }
    }
}

/// A written path that no longer leads where it led.
struct Step {
    /// Where the path stands in what is written.
    path: Range<usize>,
    /// The folder that it is relative to, from the course's root.
    base: String,
    /// Where it must lead, from the course's root.
    to: String,
    /// Whether it left a folder only to enter it again.
    detour: bool,
    /// Whether `%20` stands for a space.
    encoded: bool,
}

fn step(written: &MappedText, document: &Document, own: Option<&str>, moves: &Moves) -> Option<Step> {
    let text = written.text.as_str();
    let end = text.find(['#', '?']).unwrap_or(text.len());
    if let Some(path) = text[..end].strip_prefix("code:") {
        let to = in_code(&url::decode(path), own, moves)?;
        return Some(Step { path: "code:".len()..end, base: "code".into(), to, detour: false, encoded: true });
    }
    let path = url::decode(&text[..end]);
    if link::scheme(text).is_some() || path.is_empty() || path.starts_with('/') || path.contains('\\') {
        return None;
    }
    let here = document.source.path();
    let to = moves.of(&url::join(url::folder(here), &path)?);
    let base = url::folder(&moves.of(here)).to_owned();
    let detour = is_detour(url::folder(here), &path);
    let stays = url::join(&base, &path).as_ref() == Some(&to) && (detour || !is_detour(&base, &path));
    (!stays).then_some(Step { path: 0..end, base, to, detour, encoded: true })
}

/// Whether a way leaves a folder only to enter it again.
fn is_detour(base: &str, path: &str) -> bool {
    let mut steps = path.split('/').filter(|step| !matches!(*step, "" | ".")).peekable();
    let mut folders = base.rsplit('/');
    let mut left = None;
    while steps.next_if_eq(&"..").is_some() {
        left = folders.next();
    }
    left.is_some() && left == steps.next()
}

/// Where a path of a `file=` or a `code:` must lead, if it no longer does.
fn in_code(path: &str, own: Option<&str>, moves: &Moves) -> Option<String> {
    let to = moves.of(&starter::named(own, path).ok()?);
    let own = own.map(|own| moves.of(own));
    (starter::named(own.as_deref(), path).ok()? != to).then_some(to)
}

impl Step {
    fn rewrite(&self, edits: &mut Edits, source: &Arc<Source>, written: &MappedText) {
        let segments = self.segments(written);
        let Some(replaced) = self.replaced(written, &segments) else {
            let text = self.anew(source, written, &segments);
            edits.put(source, written.span(self.path.clone()), text);
            return;
        };
        for (segment, text) in replaced {
            edits.put(source, written.span(segment), text);
        }
    }

    fn segments(&self, written: &MappedText) -> Vec<Range<usize>> {
        let mut start = self.path.start;
        let lengths = written.text[self.path.clone()].split('/').map(str::len);
        lengths
            .map(|len| {
                let segment = start..start + len;
                start = segment.end + 1;
                segment
            })
            .collect()
    }

    /// What a segment means, and how a name is written here.
    fn decode(&self, segment: &str) -> String {
        if self.encoded { url::decode(segment) } else { segment.to_owned() }
    }

    fn encode(&self, written: &MappedText, name: &str) -> String {
        let is_style = self.encoded && written.text[self.path.clone()].contains('%');
        if is_style { url::encode(name) } else { name.to_owned() }
    }

    /// The segments that must read otherwise, if the way that is written leads there with as many steps, and does not
    /// come to leave a folder only to enter it again.
    fn replaced(&self, written: &MappedText, segments: &[Range<usize>]) -> Option<Vec<(Range<usize>, String)>> {
        let mut way: Vec<(String, Option<Range<usize>>)> =
            self.base.split('/').filter(|part| !part.is_empty()).map(|part| (part.to_owned(), None)).collect();
        for segment in segments {
            match &written.text[segment.clone()] {
                "" | "." => {}
                ".." => drop(way.pop()?),
                name => way.push((self.decode(name), Some(segment.clone()))),
            }
        }
        let to: Vec<&str> = self.to.split('/').collect();
        let turn = way.iter().position(|(_, place)| place.is_some())?;
        let enters_again = self.base.split('/').nth(turn).is_some_and(|left| to.get(turn) == Some(&left));
        if to.len() != way.len() || enters_again && !self.detour {
            return None;
        }
        let different = way.into_iter().zip(to).filter(|((part, _), name)| part != name);
        different.map(|((_, place), name)| Some((place?, self.encode(written, name)))).collect()
    }

    /// The shortest way, with the segments that are written already as they are written.
    fn anew(&self, source: &Source, written: &MappedText, segments: &[Range<usize>]) -> String {
        let base: Vec<&str> = self.base.split('/').filter(|part| !part.is_empty()).collect();
        let to: Vec<&str> = self.to.split('/').collect();
        let most = base.len().min(to.len().saturating_sub(1));
        let shared = (0..most).take_while(|&index| base[index] == to[index]).count();
        let names = to[shared..].iter().map(|name| {
            let same = segments.iter().find(|segment| self.decode(&written.text[(*segment).clone()]) == *name);
            same.map_or_else(|| self.encode(written, name), |same| source.text()[written.span(same.clone())].to_owned())
        });
        let up = base.len() - shared;
        let path = &written.text[self.path.clone()];
        let here = if up == 0 && path.starts_with("./") { "./" } else { "" };
        let end = if path.ends_with('/') { "/" } else { "" };
        format!("{here}{}{}{end}", "../".repeat(up), names.collect::<Vec<_>>().join("/"))
    }
}
