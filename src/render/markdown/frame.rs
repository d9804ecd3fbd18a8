//! Where HTML stands: on its own page, on another, among all of its track, or on no page of the site.

/// The page that HTML is written for.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The output path of the page that the Markdown belongs to.
    pub(super) owner: String,
    /// The output path of the page that the HTML will stand on.
    pub(super) base: String,
    /// Put before ids, where the HTML stands on another page than its own; empty at home.
    pub(in crate::render) prefix: String,
    pub(super) place: Where,
    /// Whether nobody reads the HTML, but what is found out while it is written: code is left out.
    pub(super) is_unread: bool,
}

/// How the HTML stands on its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Where {
    /// All of it, on the page that it belongs to.
    Home,
    /// Parts of it, on another page.
    Abroad,
    /// Parts of it, on no page of the site; with the site's own address, if that is known.
    Outside(Option<String>),
    /// All of it, among all pages of its track.
    Print,
}

impl Frame {
    /// The page itself.
    #[must_use]
    pub fn home(url: &str) -> Self {
        Self { owner: url.into(), base: url.into(), prefix: String::new(), place: Where::Home, is_unread: false }
    }

    /// The page itself, for the sake of what is found out while it is written.
    #[must_use]
    pub fn unread(url: &str) -> Self {
        Self { is_unread: true, ..Self::home(url) }
    }

    /// Another page, which shows a part of this one: links are relative to it, and ids are left out or prefixed.
    #[must_use]
    pub fn abroad(owner: &str, base: &str, prefix: &str) -> Self {
        Self { prefix: format!("{prefix}-"), base: base.into(), place: Where::Abroad, ..Self::home(owner) }
    }

    /// Another program: links are absolute, or where the site has no address, none.
    #[must_use]
    pub fn outside(owner: &str, base_url: Option<&str>, prefix: &str) -> Self {
        Self { place: Where::Outside(base_url.map(str::to_owned)), ..Self::abroad(owner, "", prefix) }
    }

    /// A link as it is to be written; nothing where none can lead there.
    pub(super) fn link(&self, link: String) -> Option<String> {
        // What is relative has no colon in its first segment.
        let is_absolute = link.split('/').next().is_some_and(|first| first.contains(':'));
        match &self.place {
            Where::Outside(base_url) if !is_absolute => base_url.as_ref().map(|base| format!("{base}{link}")),
            _ => Some(link),
        }
    }

    /// The page of all pages of a track, with all of this one: ids are prefixed, and answers are open.
    #[must_use]
    pub fn print(owner: &str, base: &str, prefix: &str) -> Self {
        Self { prefix: prefix.into(), base: base.into(), place: Where::Print, ..Self::home(owner) }
    }

    /// Whether all of the page stands there, so that its ids do, and links within it stay within.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.place, Where::Home | Where::Print)
    }

    pub(super) fn is_print(&self) -> bool {
        self.place == Where::Print
    }

    /// What opens the answers of a page.
    pub(super) fn open(&self) -> &'static str {
        if self.is_print() { " open" } else { "" }
    }
}
