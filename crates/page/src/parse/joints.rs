//! Finds line breaks that are no spaces, because there are none between the words of a script.

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::{html, is_inline};
use infralens_source::source::script::{is_neutral, is_wide};

/// What is known of the line that is being read.
#[derive(Debug, Default)]
pub(super) struct Joints {
    /// Whether the text so far ends in a wide character.
    is_wide: bool,
    /// The event that is a line break after a wide character, while the character after it is not known.
    open: Option<usize>,
    /// Whether line breaks in terms are kept.
    keeps_terms: bool,
    in_term: bool,
}

impl Joints {
    pub(super) fn new(keeps_terms: bool) -> Self {
        Self { keeps_terms, ..Self::default() }
    }

    /// Reads the next event of a page. Returns the index of the line break before it if that is no space.
    pub(super) fn read(&mut self, event: &Event<'_>, index: usize) -> Option<usize> {
        match event {
            Event::Text(text) => {
                let is_known = |c: &char| !is_neutral(*c);
                let first = text.chars().find(is_known);
                self.is_wide = text.chars().rev().find(is_known).map_or(self.is_wide, is_wide);
                return self.open.take_if(|_| first.is_some()).filter(|_| first.is_some_and(is_wide));
            }
            Event::SoftBreak => self.open = (self.is_wide && !(self.keeps_terms && self.in_term)).then_some(index),
            // Marks in a line of text.
            Event::Start(tag) if is_inline(tag.to_end()) && tag.to_end() != TagEnd::Image => {}
            Event::End(tag) if is_inline(*tag) && *tag != TagEnd::Image => {}
            Event::FootnoteReference(_) => {}
            Event::InlineHtml(tag) if !is_void(tag) => {}
            _ => {
                let in_term = matches!(event, Event::Start(Tag::DefinitionListTitle))
                    || self.in_term && !matches!(event, Event::End(TagEnd::DefinitionListTitle));
                *self = Self { in_term, ..Self::new(self.keeps_terms) };
            }
        }
        None
    }
}

/// Returns whether a tag stands for something by itself, such as an image.
fn is_void(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let name = name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())].to_ascii_lowercase();
    html::VOID.contains(&name.as_str())
}
