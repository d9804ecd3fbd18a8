//! The addresses of other sites that a course links to: in pages, READMEs, the bibliography, and the settings. What is code is
//! not a link.

use super::Site;
use infralens_course::links;
use infralens_page::{Document, Link};
use infralens_render::Context;
use infralens_source::diag::{Fix, Near, Place};
use infralens_source::project::{REFERENCES, SITE};
use infralens_source::source::{Source, Span};

/// A link to another site.
#[derive(Debug, Clone)]
pub struct Address<'a> {
    /// The address, without the anchor.
    pub address: &'a str,
    pub anchor: Option<&'a str>,
    /// The place of the link.
    pub place: Place,
    source: &'a Source,
    /// Where the address is written.
    written: Span,
}

impl<'a> Address<'a> {
    /// Returns the link to `target` at a span of a file, if it leads to another site.
    fn new(source: &'a Source, span: &Span, target: &'a str, written: Span) -> Option<Self> {
        let (address, anchor) = links::parts(target)?;
        Some(Self { address, anchor, place: source.place(span.clone()), source, written })
    }

    /// Creates the fix that writes another address; `None` if it cannot be told where this one is written.
    pub fn fix(&self, address: &str, is_sure: bool) -> Option<Fix> {
        Fix::in_link(self.source, &self.written, self.address, &Near { name: address.into(), is_sure })
    }
}

/// Returns the links of a page to other sites.
pub fn of_page(document: &Document) -> impl Iterator<Item = Address<'_>> {
    let source = &*document.source;
    let links = document.body.links.iter();
    let links = links.filter_map(move |link| Address::new(source, &link.span, &link.target, written(document, link)));
    let html = document.body.html_links.iter();
    links.chain(html.filter_map(move |(target, span)| Address::new(source, span, target, span.clone())))
}

/// Returns the span in which the address of a link is written: the link itself, or the definition that it refers to.
fn written(document: &Document, link: &Link) -> Span {
    let text = document.source.text().get(link.span.clone()).unwrap_or_default();
    let mut definitions = document.body.definitions.iter().filter(|definition| definition.target == link.target);
    let definition = definitions.next().filter(|_| !text.contains(&link.target) && definitions.next().is_none());
    definition.map_or(&link.span, |definition| &definition.span).clone()
}

/// Returns the links of the bibliography and of the settings to other sites.
pub fn of_settings(cx: Context<'_>) -> impl Iterator<Item = Address<'_>> {
    let references = cx.project.text(REFERENCES).into_iter().flat_map(move |source| {
        let urls = cx.references.iter().filter_map(|(_, reference)| reference.url.as_ref());
        urls.filter_map(|url| Address::new(source, &url.span, url, url.span.clone()))
    });
    let settings = cx.project.text(SITE).into_iter().flat_map(move |source| {
        let links = cx.config.header.iter().chain(&cx.config.footer).map(|link| &link.link);
        links.filter_map(|link| Address::new(source, &link.span, link, link.span.clone()))
    });
    references.chain(settings)
}

impl Site {
    /// Returns the links of the course to other sites.
    pub fn addresses(&self) -> Vec<Address<'_>> {
        let pages = self.page_inputs().chain(self.readme_inputs()).map(|page| page.subject.document);
        pages.flat_map(of_page).chain(of_settings(self.context())).collect()
    }
}
