//! The page that HTML is written for: the document's own page, another page, a print page, or another program.

use super::super::copy::absolute;

/// The page that HTML is written for. Links in the HTML are relative to it.
#[derive(Debug, Clone)]
pub struct LinkTarget {
    /// The output path of the document's own page.
    pub(super) own_page: String,
    /// The output path of the page that the HTML will be part of.
    pub(super) page: String,
    /// Put before ids, so that they are unique on that page; empty on the document's own page.
    pub(crate) prefix: String,
    pub(super) placement: Placement,
    /// Whether the HTML is discarded and only the findings are used, so that code need not be written.
    pub(super) is_dry_run: bool,
}

/// How a document's HTML is placed on the page that it is written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Placement {
    /// All of it, on its own page.
    OwnPage,
    /// Parts of it, on another page.
    OtherPage,
    /// Parts of it, in another program; with the address of the site, if it is known.
    External(Option<String>),
    /// All of it, as a chapter of a print page.
    PrintPage,
}

impl LinkTarget {
    /// Writes for the document's own page.
    pub fn own_page(url: &str) -> Self {
        Self {
            own_page: url.into(),
            page: url.into(),
            prefix: String::new(),
            placement: Placement::OwnPage,
            is_dry_run: false,
        }
    }

    /// Writes for the document's own page, but only to collect findings.
    pub fn dry_run(url: &str) -> Self {
        Self { is_dry_run: true, ..Self::own_page(url) }
    }

    /// Writes parts of the document for another page; ids are left out or prefixed.
    pub fn other_page(own_page: &str, page: &str, prefix: &str) -> Self {
        let prefix = format!("{prefix}-");
        Self { prefix, page: page.into(), placement: Placement::OtherPage, ..Self::own_page(own_page) }
    }

    /// Writes parts of the document for another program: links are absolute, or left out if the site has no `base_url`.
    pub fn external(own_page: &str, base_url: Option<&str>, prefix: &str) -> Self {
        let placement = Placement::External(base_url.map(str::to_owned));
        Self { placement, ..Self::other_page(own_page, "", prefix) }
    }

    /// Writes all of the document as a chapter of a print page: ids are prefixed, and answers are open.
    pub fn print_page(own_page: &str, page: &str, prefix: &str) -> Self {
        Self { prefix: prefix.into(), page: page.into(), placement: Placement::PrintPage, ..Self::own_page(own_page) }
    }

    /// Returns the URL to write for a link; `None` if a link cannot lead there.
    pub(super) fn url_for(&self, link: String) -> Option<String> {
        // The first segment of a relative URL has no colon.
        let is_absolute = link.split('/').next().is_some_and(|first| first.contains(':'));
        match &self.placement {
            Placement::External(base_url) if !is_absolute => base_url.as_ref().map(|base| absolute(base, &link)),
            _ => Some(link),
        }
    }

    /// Returns whether the page shows the whole document, so that all ids exist and links within it stay on the page.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.placement, Placement::OwnPage | Placement::PrintPage)
    }

    pub(super) fn is_own_page(&self) -> bool {
        self.placement == Placement::OwnPage
    }

    pub(super) fn is_print_page(&self) -> bool {
        self.placement == Placement::PrintPage
    }

    /// Returns the attribute of `details` elements that hold answers.
    pub(super) fn open_attribute(&self) -> &'static str {
        if self.is_print_page() { " open" } else { "" }
    }
}
