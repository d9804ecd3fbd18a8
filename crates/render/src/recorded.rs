//! What the cells of a notebook recorded, shown below their code: text as text, pictures as files of the site. Nothing that was
//! recorded becomes HTML.

use std::collections::BTreeSet;

use super::excerpt::cell_label;
use super::{escape, image, lit};
use infralens_course::config::Config;
use infralens_page::Excerpt;
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::output::Bytes;
use infralens_source::put;
use infralens_source::source::Source;
use infralens_source::url;
use infralens_starter::notebook::{Cell, Output};
use infralens_starter::{Listing, SelectedRows};

/// Returns the output path of a picture that a cell recorded, by its index among the outputs of the cell.
fn picture_url(listing: &Listing, cell: &Cell, output: usize, extension: &str) -> String {
    format!("{}.{}-{}.{extension}", listing.source().path(), cell.name, output + 1)
}

/// Returns the pictures of a file by their output paths; none if it is not a notebook.
pub fn pictures(listing: &Listing) -> impl Iterator<Item = (String, Bytes)> {
    listing.cells().iter().flat_map(move |cell| {
        cell.outputs.iter().enumerate().filter_map(move |(at, output)| match output {
            Output::Picture(picture) => {
                let url = picture_url(listing, cell, at, picture.extension);
                Some((url, Bytes::Made(picture.bytes.clone())))
            }
            Output::Text(_) => None,
        })
    })
}

/// Returns the cells of which an excerpt shows lines.
pub(super) fn cells<'l>(listing: &'l Listing, shown: &SelectedRows) -> impl Iterator<Item = &'l Cell> {
    let lines: BTreeSet<usize> = lit::lines(shown).collect();
    listing.cells().iter().filter(move |cell| lines.range(cell.lines.clone()).next().is_some())
}

/// Reports an excerpt that should show what was recorded, if there is nothing.
pub(super) fn check(page: &Source, excerpt: &Excerpt, listing: &Listing, shown: &SelectedRows) -> Option<Diagnostic> {
    let span = excerpt.output.clone()?;
    let report = |message: String| page.diagnostic(codes::E0322, span, message);
    let path = listing.source().path();
    if !listing.is_notebook() {
        let error = report(format!("`{path}` has no recorded output, because it is not a notebook"));
        return Some(error.help("`file=record:NAME` shows what a command printed"));
    }
    let is_empty = cells(listing, shown).all(|cell| cell.outputs.is_empty());
    let error = is_empty.then(|| report(format!("`{path}` has no output of this code that can be shown")));
    error.map(|error| error.help("run the cell and save the notebook, or leave `output` out"))
}

/// Writes what a cell recorded. `href` returns the link to a picture at an output path.
pub(super) fn html(config: &Config, listing: &Listing, cell: &Cell, href: &dyn Fn(String) -> String) -> String {
    let mut out = String::new();
    let label = format!("{}, {}", cell_label(config, cell), config.labels.recorded);
    for (at, output) in cell.outputs.iter().enumerate() {
        match output {
            Output::Text(text) => put!(
                out,
                "<pre class=\"recorded\" role=\"region\" tabindex=\"0\" aria-label=\"{}\" translate=\"no\"><samp>{}\n</samp></pre>\n",
                escape::attribute(&label),
                escape::text(text)
            ),
            Output::Picture(picture) => {
                let src = url::encode(&href(picture_url(listing, cell, at, picture.extension)));
                let size = image::size_of(picture.extension, &picture.bytes);
                let alt = if picture.text.is_empty() { label.clone() } else { format!("{label}: {}", picture.text) };
                put!(out, "<p class=\"recorded\">{}</p>\n", image::html(&src, &alt, "", size));
            }
        }
    }
    out
}
