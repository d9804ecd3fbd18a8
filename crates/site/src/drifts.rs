//! What is out of date on pages, and can be brought up to date.

use std::sync::Arc;

use infralens_render::figures::PinDrift;
use infralens_render::line_link::LinkDrift;
use infralens_render::pin::Drift;
use infralens_source::source::Source;

/// What is out of date on the pages of a course, or on one page.
#[derive(Debug, Clone, Default)]
pub struct Drifts {
    /// The pins of excerpts.
    pub excerpts: Vec<Drift>,
    /// The pins of values.
    pub values: Vec<ValueDrift>,
    /// The links to line numbers.
    pub links: Vec<LinkDrift>,
}

/// A pin of a value that does not say what the value is, and its page.
#[derive(Debug, Clone)]
pub struct ValueDrift {
    /// The page, as it was read.
    pub page: Arc<Source>,
    /// The pin.
    pub pin: PinDrift,
}

impl Drifts {
    /// Returns how much is out of date.
    pub fn len(&self) -> usize {
        self.excerpts.len() + self.values.len() + self.links.len()
    }

    /// Returns whether everything is up to date.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
