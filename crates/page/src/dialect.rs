//! Configures the Markdown parser: the extensions that are enabled, and citations, `[@key]`.

use pulldown_cmark::{BrokenLink, BrokenLinkCallback, CowStr, LinkType, Options};

use super::mask::Masked;
use infralens_source::source::Span;

/// Returns the options of the parser. The extensions are listed one by one because `Options::all` enables more.
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

/// Handles reference links without a definition. `[@key]` is a citation and becomes a link with the target `@key`; all
/// others stay text.
pub struct References<'r> {
    /// The text that the parser reads.
    pub text: &'r Masked<'r>,
    /// The offset in the file at which the Markdown begins.
    pub start: usize,
    /// Receives the spans of `[text][label]` and `[text][]` that stay text.
    pub unresolved: &'r mut Vec<Span>,
}

impl<'a> BrokenLinkCallback<'a> for References<'_> {
    fn handle_broken_link(&mut self, link: BrokenLink<'a>) -> Option<(CowStr<'a>, CowStr<'a>)> {
        if link.reference.starts_with('@') {
            return Some((link.reference.into_string().into(), CowStr::Borrowed("")));
        }
        let is_link = matches!(link.link_type, LinkType::Reference | LinkType::Collapsed);
        let span = self.text.original(&link.span);
        self.unresolved.extend(is_link.then(|| span.start + self.start..span.end + self.start));
        None
    }
}
