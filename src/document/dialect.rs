//! The Markdown that the format is: which extensions the parser reads, and what `[@key]` means.

use pulldown_cmark::{BrokenLink, BrokenLinkCallback, CowStr, LinkType, Options};

use crate::source::Span;

/// Returns the options of the parser: `CommonMark` and the extensions of the format, each named, because "all" means more.
pub fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_SMART_PUNCTUATION
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM
        | Options::ENABLE_DEFINITION_LIST
}

/// Links by reference that have no definition. `[@key]` is a citation: it becomes a link whose target is what stands in
/// the brackets. Others stay text.
pub struct References<'r> {
    /// Where the Markdown begins in the file.
    pub start: usize,
    /// Where there is `[text][label]` or `[text][]`.
    pub unresolved: &'r mut Vec<Span>,
}

impl<'a> BrokenLinkCallback<'a> for References<'_> {
    fn handle_broken_link(&mut self, link: BrokenLink<'a>) -> Option<(CowStr<'a>, CowStr<'a>)> {
        if link.reference.starts_with('@') {
            return Some((link.reference.into_string().into(), CowStr::Borrowed("")));
        }
        let is_link = matches!(link.link_type, LinkType::Reference | LinkType::Collapsed);
        self.unresolved.extend(is_link.then(|| link.span.start + self.start..link.span.end + self.start));
        None
    }
}
