//! Rewrites paths in pages: links, images, link definitions, raw HTML, and `file=` of excerpts. Only the segments that must
//! change are replaced; `..`, escapes, fragments and other details stay.

use std::ops::Range;
use std::sync::Arc;

use super::edits::Edits;
use super::{PageMove, main_file};
use infralens_course::course::{link, starter, url};
use infralens_page::destination::{MappedText, destinations};
use infralens_page::{Document, Excerpt};
use infralens_source::source::Source;

/// Rewrites the paths in one page.
pub fn rewrite(edits: &mut Edits, document: &Document, moves: &PageMove) {
    let own = main_file(document);
    for written in destinations(document) {
        if let Some(rewrite) = find_rewrite(&written, document, own.as_deref(), moves) {
            rewrite.apply(edits, &document.source, &written);
        }
    }
    let calculators = document.body.values.iter().filter_map(|block| block.calculator.as_ref());
    let of_calculators = calculators.filter_map(|calculator| Some(&calculator.file.as_ref()?.0));
    for file in document.body.excerpts.iter().flat_map(Excerpt::files).chain(of_calculators) {
        let written = MappedText::plain(&file.path, file.path_span.start);
        if let Some(to) = in_code(&file.path, own.as_deref(), moves) {
            let rewrite =
                Rewrite { path: 0..file.path.len(), base: "code".into(), to, has_detour: false, encoded: false };
            rewrite.apply(edits, &document.source, &written);
        }
    }
}

/// The replacement of a path that no longer leads to the same file.
struct Rewrite {
    /// The byte range of the path in the link destination.
    path: Range<usize>,
    /// The folder, from the course's root, that the path is relative to.
    base: String,
    /// The file, from the course's root, to which it must lead.
    to: String,
    /// Whether the author wrote a detour: a path that goes up from a folder and back down into it, such as `../labs/x.md` in
    /// a file in `labs`. A detour is kept; none is introduced.
    has_detour: bool,
    /// Whether the path is percent-encoded.
    encoded: bool,
}

fn find_rewrite(written: &MappedText, document: &Document, own: Option<&str>, moves: &PageMove) -> Option<Rewrite> {
    let text = written.text.as_str();
    let end = text.find(['#', '?']).unwrap_or(text.len());
    if let Some(path) = text[..end].strip_prefix("code:") {
        let to = in_code(&url::decode(path), own, moves)?;
        return Some(Rewrite { path: "code:".len()..end, base: "code".into(), to, has_detour: false, encoded: true });
    }
    let path = url::decode(&text[..end]);
    if link::scheme(text).is_some() || path.is_empty() || path.starts_with('/') || path.contains('\\') {
        return None;
    }
    let here = document.source.path();
    let to = moves.new_path(&url::join(url::folder(here), &path)?);
    let base = url::folder(&moves.new_path(here)).to_owned();
    let has_detour = is_detour(url::folder(here), &path);
    let stays = url::join(&base, &path).as_ref() == Some(&to) && (has_detour || !is_detour(&base, &path));
    (!stays).then_some(Rewrite { path: 0..end, base, to, has_detour, encoded: true })
}

/// Whether a path is a detour: it goes up from a folder and back down into it.
fn is_detour(base: &str, path: &str) -> bool {
    let mut steps = path.split('/').filter(|step| !matches!(*step, "" | ".")).peekable();
    let mut folders = base.rsplit('/');
    let mut left = None;
    while steps.next_if_eq(&"..").is_some() {
        left = folders.next();
    }
    left.is_some() && left == steps.next()
}

/// Returns the file to which a path of `file=` or `code:` must lead; `None` if it still does.
fn in_code(path: &str, own: Option<&str>, moves: &PageMove) -> Option<String> {
    let to = moves.new_path(&starter::named(own, path).ok()?);
    let own = own.map(|own| moves.new_path(own));
    (starter::named(own.as_deref(), path).ok()? != to).then_some(to)
}

impl Rewrite {
    fn apply(&self, edits: &mut Edits, source: &Arc<Source>, written: &MappedText) {
        let segments = self.segments(written);
        let Some(changed) = self.changed_segments(written, &segments) else {
            let text = self.shortest_path(source, written, &segments);
            edits.put(source, written.span(self.path.clone()), text);
            return;
        };
        for (segment, text) in changed {
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

    /// Decodes a segment of the path.
    fn decode(&self, segment: &str) -> String {
        if self.encoded { url::decode(segment) } else { segment.to_owned() }
    }

    /// Encodes a name if the path contains percent escapes.
    fn encode(&self, written: &MappedText, name: &str) -> String {
        let is_style = self.encoded && written.text[self.path.clone()].contains('%');
        if is_style { url::encode(name) } else { name.to_owned() }
    }

    /// Returns the segments that must change, with their new texts; `None` if the path needs another number of segments, or
    /// would newly make a detour.
    fn changed_segments(&self, written: &MappedText, segments: &[Range<usize>]) -> Option<Vec<(Range<usize>, String)>> {
        let mut resolved: Vec<(String, Option<Range<usize>>)> =
            self.base.split('/').filter(|part| !part.is_empty()).map(|part| (part.to_owned(), None)).collect();
        for segment in segments {
            match &written.text[segment.clone()] {
                "" | "." => {}
                ".." => drop(resolved.pop()?),
                name => resolved.push((self.decode(name), Some(segment.clone()))),
            }
        }
        let to: Vec<&str> = self.to.split('/').collect();
        let first_down = resolved.iter().position(|(_, place)| place.is_some())?;
        let makes_detour = self.base.split('/').nth(first_down).is_some_and(|left| to.get(first_down) == Some(&left));
        if to.len() != resolved.len() || makes_detour && !self.has_detour {
            return None;
        }
        let different = resolved.into_iter().zip(to).filter(|((part, _), name)| part != name);
        different.map(|((_, place), name)| Some((place?, self.encode(written, name)))).collect()
    }

    /// Returns the shortest path, in which segments of the old path keep their spelling.
    fn shortest_path(&self, source: &Source, written: &MappedText, segments: &[Range<usize>]) -> String {
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
