//! One understood content file: its front matter and its Markdown as events with spans, in which headings, links,
//! excerpts, notes and generated parts are known. A [`Document`] depends on its own file alone.

pub mod contract;
pub mod destination;
mod dialect;
mod dollar;
pub mod fence;
mod foreign;
pub mod front_matter;
pub mod glossary;
mod heading;
pub mod html;
mod mask;
mod note;
pub mod overrun;
mod parse;
pub mod placement;
mod stray;
mod swallowed;

use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::Event;

pub use fence::Excerpt;
pub use front_matter::FrontMatter;
pub use glossary::Glossary;
pub use heading::{ANY_HEADING, Heading, slug};
pub use note::{Anchor, Binding, Note};
pub use parse::parse;
pub use placement::{Kind, Placement};
pub use stray::Stray;

use crate::source::{Source, Span};

/// A range of indices into [`Body::events`].
pub type Events = Range<usize>;

/// A content file, understood by itself.
#[derive(Debug)]
pub struct Document {
    /// The file.
    pub source: Arc<Source>,
    /// What it is and where it goes.
    pub placement: Placement,
    /// What stands between the two `---` lines.
    pub front: Arc<FrontMatter>,
    /// Where the Markdown begins in the file.
    pub start: usize,
    /// The Markdown below them.
    pub body: Body,
}

/// Markdown, parsed once: events in reading order and what is known of them, each list in the order of the events.
#[derive(Debug, Default)]
pub struct Body {
    /// The events with their spans in the source.
    pub events: Vec<(Event<'static>, Span)>,
    /// All headings.
    pub headings: Vec<Heading>,
    /// Their ids and texts, sorted by id: what links to them are held against; [`ANY_HEADING`] among them if some cannot
    /// be known.
    pub anchors: Arc<[(String, String)]>,
    /// Fences that show code of a starter file.
    pub excerpts: Vec<Excerpt>,
    /// Links and images, citations included.
    pub links: Vec<Link>,
    /// Where the links of raw HTML lead, and where they say so.
    pub html_links: Vec<(String, Span)>,
    /// The ids of elements of raw HTML, sorted. They are on the page only where all HTML is kept.
    pub html_ids: Arc<[String]>,
    /// Definitions of links by reference, in the order of their places.
    pub definitions: Vec<Definition>,
    /// Comments that stand for a generated part.
    pub generated: Vec<Generated>,
    /// Passages that are shown as they are written, and as what becomes of them.
    pub examples: Vec<Example>,
    /// Footnote definitions: label and the events inside.
    pub footnotes: Vec<(String, Events)>,
    /// Words of prose, for the reading time.
    pub words: usize,
    /// Where the code blocks begin that are not closed, in the order of their places. Headings and more that the author
    /// has written are missing here if there are any.
    pub unclosed: Vec<usize>,
}

/// A link or an image.
#[derive(Debug)]
pub struct Link {
    /// Its events, from `Start` to after `End`.
    pub events: Events,
    /// The destination as Markdown understood it; a citation's begins with `@`.
    pub target: String,
    /// Where all of it stands.
    pub span: Span,
    /// Whether it shows a picture.
    pub image: bool,
}

/// `[label]: destination`.
#[derive(Debug)]
pub struct Definition {
    /// The destination as Markdown understood it.
    pub target: String,
    /// Where all of it stands.
    pub span: Span,
}

/// A part that the generator writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The table of labs.
    Curriculum,
    /// Sections and labs in reading order.
    ReadingOrder,
    /// The table of starter files.
    Starters,
    /// The tracks of the course.
    Tracks,
}

impl Part {
    /// All parts, with the names that comments use.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("curriculum", Self::Curriculum),
        ("reading-order", Self::ReadingOrder),
        ("starters", Self::Starters),
        ("tracks", Self::Tracks),
    ];
}

/// A comment that stands for a [`Part`].
#[derive(Debug)]
pub struct Generated {
    /// The events of the comment's block.
    pub events: Events,
    /// Which part.
    pub part: Part,
}

/// A passage between `<!-- example -->` and `<!-- /example -->`: its Markdown is shown above its result.
#[derive(Debug)]
pub struct Example {
    /// The events of the comment that begins it.
    pub open: Events,
    /// The events of the comment that ends it.
    pub close: Events,
    /// What stands between the two, blank lines around it apart.
    pub source: Span,
}

impl Document {
    /// The title: the front matter's, or for a README its first heading's, or its folder's name.
    #[must_use]
    pub fn title(&self) -> &str {
        if self.placement.kind != Kind::Readme {
            return &self.front.common.title;
        }
        let first = self.body.headings.first().filter(|heading| heading.level == 1);
        first.map_or_else(|| self.placement.name.rsplit('/').next().unwrap_or_default(), |heading| &heading.text)
    }
}

impl Body {
    /// The index after the event that ends what the event `start` begins.
    #[must_use]
    pub fn end_of(&self, start: usize) -> usize {
        let mut depth = 0_usize;
        for (offset, (event, _)) in self.events[start..].iter().enumerate() {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return start + offset + 1;
            }
        }
        self.events.len()
    }

    /// The text of a range of events, as a reader would say it: words and code, no markup.
    #[must_use]
    pub fn text(&self, events: Events) -> String {
        let mut text = String::new();
        for (event, _) in &self.events[events] {
            match event {
                Event::Text(part) | Event::Code(part) | Event::InlineMath(part) => text.push_str(part),
                Event::SoftBreak | Event::HardBreak => text.push(' '),
                _ => {}
            }
        }
        text
    }
}
