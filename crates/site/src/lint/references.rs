//! `orphan-reference` and `duplicate-reference`: entries of the bibliography that no page uses, or that repeat another one;
//! and keys in the text of a page that are not cited.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pulldown_cmark::Event;

use super::Input;
use infralens_course::references::References;
use infralens_page::{Document, contains, text};
use infralens_source::diag::{Code, Diagnostic, Edit, Fix, Place, codes};
use infralens_source::project::REFERENCES;
use infralens_source::yaml::Spanned;

fn at(key: &Spanned<String>, code: Code, message: String) -> Diagnostic {
    Diagnostic::new(code, place(key), message)
}

fn place(key: &Spanned<String>) -> Place {
    Place::new(&Arc::from(REFERENCES), key.span.clone())
}

/// Reports entries that no page cites or lists.
pub fn orphans(input: Input<'_>) -> Vec<Diagnostic> {
    let cited: BTreeSet<&str> = input.pages.iter().flat_map(|page| &page.reading).map(String::as_str).collect();
    let orphans = input.cx.references.iter().filter(|(key, _)| !cited.contains(key.value.as_str()));
    orphans
        .map(|(key, _)| {
            at(key, codes::ORPHAN_REFERENCE, format!("no page cites `{}`", key.value))
                .help(format!("cite it with `[@{}]` or list it under `reading:`, or remove the entry", key.value))
        })
        .collect()
}

/// Reports keys of the bibliography that a text names as other tools cite: `@key` and `[key, p. 3]`.
pub fn uncited(document: &Document, references: &References, out: &mut Vec<Diagnostic>) {
    let source = &document.source;
    let body = &source.text()[document.body_start..];
    let is_of_key = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let mut spans = None;
    for (offset, mark) in body.match_indices(['@', '[']) {
        let rest = &body[offset + 1..];
        let key = rest[..rest.find(|c| !is_of_key(c)).unwrap_or(rest.len())].trim_end_matches(['.', ':']);
        // `[@key` without its end.
        let is_open = mark == "@" && body[..offset].ends_with('[');
        let is_of_other = |c: char| is_of_key(c) || matches!(c, '[' | '\\' | '!');
        if references.get(key).is_none() || !is_open && body[..offset].ends_with(is_of_other) {
            continue;
        }
        let place = rest[key.len()..].find([']', '\n']).filter(|_| mark == "[").map(|end| &rest[key.len()..][..end]);
        let len = match place {
            Some(place) if place.is_empty() || place.starts_with(',') => 2 + key.len() + place.len(),
            _ if mark == "@" => 1 + key.len(),
            _ => continue,
        };
        let (at, len) = (document.body_start + offset - usize::from(is_open), len + usize::from(is_open));
        let (texts, code) = spans.get_or_insert_with(|| {
            let is_text = |event: &Event<'_>| matches!(event, Event::Text(_));
            (document.body.spans_of(is_text), text::code_spans(&document.body))
        });
        let is_linked = document.body.links.iter().any(|link| link.span.contains(&at));
        if !contains(texts, at) || contains(code, at) || is_linked {
            continue;
        }
        let written = &source.text()[at..at + len];
        let cited = format!("[@{}]", written.trim_matches(['[', ']', '@']));
        let message = format!("`{written}` is not a citation as it is written, and is shown as plain text");
        let fix = Fix::new(format!("write `{cited}`"), vec![Edit::new(source, at..at + len, cited.clone())]);
        out.push(
            source
                .diagnostic(codes::W0208, at..at + len, message)
                .help(format!("write `{cited}` to cite this source, or `[text][@{key}]` with a text of your own"))
                .fix(Some(fix)),
        );
    }
}

/// Reports entries with the same URL as an earlier one.
pub fn repeated(input: Input<'_>) -> Vec<Diagnostic> {
    let mut first: BTreeMap<String, &Spanned<String>> = BTreeMap::new();
    let mut found = Vec::new();
    for (key, reference) in input.cx.references.iter() {
        let Some(url) = &reference.url else { continue };
        let plain = without_scheme(url);
        if let Some(before) = first.get(&plain) {
            let message = format!("`{}` has the same URL as `{}`", key.value, before.value);
            found.push(
                at(key, codes::DUPLICATE_REFERENCE, message)
                    .related(place(before), "the first")
                    .help(format!("remove one of them, and cite `{}` for both", before.value)),
            );
        } else {
            first.insert(plain, key);
        }
    }
    found
}

/// Returns what two URLs of one page have in common: everything but the scheme, the case of the host and a slash at the end.
fn without_scheme(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest).trim_end_matches('/');
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    host.to_lowercase() + path
}
