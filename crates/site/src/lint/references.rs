//! `orphan-reference` and `duplicate-reference`: entries of the bibliography that no page uses, or that repeat another one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Input;
use infralens_source::diag::{Code, Diagnostic, Place, codes};
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
