//! Footnotes and links by reference whose other end is missing.

use std::collections::BTreeSet;

use pulldown_cmark::Event;

use super::prose::Block;
use super::{quoted, warning};
use crate::diag::{Diagnostic, codes, nearest};
use crate::document::Body;
use crate::source::{Source, Span};

/// The longest label that is looked at.
const LONGEST: usize = 100;
/// With more footnotes than these, none is suggested: comparing each with each would take long.
const COMPARED: usize = 100;

/// Reports footnotes that are not defined, defined twice or never referred to, and links by an undefined reference.
pub fn check(source: &Source, body: &Body, blocks: &[Block], unresolved: &[Span], out: &mut Vec<Diagnostic>) {
    let labels: BTreeSet<&str> = body.footnotes.iter().map(|(label, _)| label.as_str()).collect();
    for block in blocks {
        undefined(source, block, &labels, out);
        out.extend(block.text.match_indices("](").filter_map(|(at, _)| spaced(source, block, at)));
    }
    footnotes(source, body, out);
    out.extend(unresolved.iter().filter_map(|span| link(source, span)));
}

/// `[^name]` in text: Markdown knows no footnote of that name.
fn undefined(source: &Source, block: &Block, labels: &BTreeSet<&str>, out: &mut Vec<Diagnostic>) {
    for (at, open) in block.text.match_indices("[^") {
        let rest = &block.text[at + open.len()..];
        let rest = &rest[..rest.floor_char_boundary(LONGEST)];
        let Some(label) = rest.split_once(']').map(|(label, _)| label) else { continue };
        let is_label =
            !label.is_empty() && !label.contains(|c: char| c.is_whitespace() || matches!(c, '[' | '\0' | '\\'));
        if !is_label || block.text[..at].ends_with('\\') {
            continue;
        }
        let span = block.span(&(at..at + open.len() + label.len() + 1));
        let said = warning(source, codes::W0209, span, format!("the footnote `{label}` is not defined"));
        let near = nearest(label, labels.iter().copied().filter(|_| labels.len() <= COMPARED));
        out.push(match near {
            Some(near) => said.help(format!("did you mean `[^{near}]`?")),
            None => {
                said.help(format!("write its text on a line of its own: `[^{label}]: …`; for brackets, write `\\[`"))
            }
        });
    }
}

/// `[text](my file.md)`: with a space in the address it is not a link. `at` is where the text ends.
fn spaced(source: &Source, block: &Block, at: usize) -> Option<Diagnostic> {
    let before = &block.text[block.text.floor_char_boundary(at.saturating_sub(LONGEST))..at];
    let open = at - (before.len() - before.rfind('[')?);
    let rest = &block.text[at + 2..];
    let address = rest[..rest.floor_char_boundary(LONGEST)].split_once(')')?.0;
    let is_index = block.text[..open].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '\\'));
    let file = address.split(['"', '\'']).next().unwrap_or_default().trim();
    let is_file = file.contains(['.', '/', '#']) && file.contains(' ') && !file.contains([',', '\n', '\0', '(']);
    let span = block.span(&(open..at + 2 + address.len() + 1));
    (is_file && !is_index).then(|| {
        let message = format!("`{}` is not a link: its address has a space", quoted(source, &span));
        warning(source, codes::W0209, span, message).help(format!("write the address in angle brackets: `(<{file}>)`"))
    })
}

/// Footnotes whose text no reader sees.
fn footnotes(source: &Source, body: &Body, out: &mut Vec<Diagnostic>) {
    let is_in = |index: usize, label: &str| {
        let at = body.footnotes.partition_point(|(_, events)| events.start <= index);
        at.checked_sub(1)
            .map(|at| &body.footnotes[at])
            .is_some_and(|(own, events)| own == label && events.contains(&index))
    };
    let mut used: BTreeSet<String> = BTreeSet::new();
    for (index, (event, _)) in body.events.iter().enumerate() {
        if let Event::FootnoteReference(label) = event {
            used.extend((!is_in(index, label)).then(|| label.to_lowercase()));
        }
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (label, events) in &body.footnotes {
        let is_first = seen.insert(label.to_lowercase());
        let start = body.events[events.start - 1].1.start;
        let end = source.text()[start..].find(':').map_or(start, |colon| start + colon + 1);
        let said = |message: String| warning(source, codes::W0209, start..end, message);
        if !is_first {
            let help = "give it another name, or make one text of both";
            out.push(said(format!("the footnote `{label}` is defined twice, and this text is left out")).help(help));
        } else if !used.contains(&label.to_lowercase()) {
            let help = format!("write `[^{label}]` where it belongs, or leave it out");
            out.push(said(format!("nothing refers to the footnote `{label}`, so its text is left out")).help(help));
        }
    }
}

/// `[text][label]`, unless it is an index such as `a[i][j]`.
fn link(source: &Source, span: &Span) -> Option<Diagnostic> {
    // Of `[text][]`, the span has the first brackets alone.
    let rest = &source.text()[span.end..];
    let span = &(span.start..span.end + if rest.starts_with("[]") { 2 } else { 0 });
    let text = &source.text()[span.clone()];
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '`' | '\\');
    let (shown, label) = text.strip_suffix(']')?.rsplit_once('[')?;
    let shown = shown.trim_end().trim_start_matches('!').trim_start_matches('[').trim_end_matches(']');
    let name = if label.is_empty() { shown } else { label };
    let is_index = |part: &str| part.trim().len() <= 1 || part.trim().bytes().all(|byte| byte.is_ascii_digit());
    let is_text = name.contains(char::is_alphanumeric) && !shown.trim().is_empty();
    if source.text()[..span.start].ends_with(joins) || !is_text || is_index(shown) && is_index(label) {
        return None;
    }
    let message = format!("`{}` is not a link: the reference `{}` is not defined", quoted(source, span), name.trim());
    let help = format!(
        "write `[{}]: page.md` on a line of its own, or `[text](page.md)`; for brackets, write `\\[`",
        name.trim()
    );
    Some(warning(source, codes::W0209, span.clone(), message).help(help))
}
