//! Parses one content file into a [`Document`]: its front matter, and its Markdown as pulldown-cmark's events with spans,
//! together with what is found in it: headings, links, excerpts with notes, values and calculators, tabs, predictions,
//! footnotes, and comments such as `<!-- curriculum -->`, which the theme replaces by a list or table. A `Document` depends on its own file
//! alone.
//!
//! - A *starter* is a file below `code/` that pages quote or link to. An *excerpt* is a fence that shows a part of one. Its
//!   *pin* is the body of the fence: the code as it was when the notes were last reviewed. A *note* is an item of the
//!   numbered list directly below the fence.
//! - The *lab contract* is the list of sections that labs must have (`labs:` in `site.yaml`), which callers of [`contract`]
//!   pass.
//!
//! [`parse`] also reports Markdown that does not mean what its author meant: excerpts inside other blocks (`swallowed`), lists
//! that are no notes (`stray`), dollar signs, and markup of other tools (`foreign`). Only [`overrun`] needs the lab contract.
//!
//! ```
//! use std::sync::Arc;
//!
//! use infralens_page::{parse, placement};
//! use infralens_source::source::Source;
//!
//! let text = "---\ntitle: Sums\n---\n\n## How\n\n```python file=sum.py#fn:add\n```\n\n1. `a + b` — The sum.\n";
//! let source = Arc::new(Source::new("content/sums.md", text));
//! // The path says what kind of page it is, and its address; a name that cannot be one is an error.
//! let (document, diagnostics) = parse(&source, placement::place("content/sums.md").unwrap());
//! assert_eq!(document.body.headings[0].id, "how");
//! assert_eq!(document.body.excerpts[0].notes.len(), 1);
//! assert!(diagnostics.is_empty());
//! ```

mod autolink;
pub mod blocks;
pub mod contract;
pub mod destination;
mod dialect;
mod dollar;
mod events;
pub mod fence;
mod flanks;
mod foreign;
pub mod front_matter;
pub mod glossary;
mod group;
mod heading;
pub mod link_title;
pub mod look;
mod mask;
mod note;
pub mod overrun;
mod parse;
pub mod placement;
pub mod prediction;
mod reading_time;
mod stray;
mod swallowed;
pub mod tabs;
pub mod text;
pub mod translation;
pub mod value_block;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{CodeBlockKind, Event, TagEnd};

pub use infralens_source::html;

pub use events::EventList;
pub use fence::Excerpt;
pub use foreign::alert::kind as alert_kind;
pub use foreign::block::annotation;
pub use front_matter::FrontMatter;
pub use glossary::Glossary;
pub use heading::{ANY_HEADING, Heading, Ids as HeadingIds, is_generated, slug};
pub use note::{Anchor, Binding, Note};
pub use parse::{comment_names, parse};
pub use placement::{Kind, Placement};
pub use prediction::Prediction;
pub use stray::StrayList;
pub use tabs::Tabs;
pub use translation::{Merged, Translation};
pub use value_block::{Calculator, Stack, ValueBlock};

use infralens_source::source::{Source, Span};
use infralens_units::{Origin, Piece};

/// A range of indices into [`Body::events`].
pub type Events = Range<usize>;

/// Returns whether an element is part of a line of text, and not a block.
pub fn is_inline(tag: TagEnd) -> bool {
    use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong, Subscript, Superscript};
    matches!(tag, Emphasis | Strong | Strikethrough | Superscript | Subscript | Link | Image)
}

const DIAGRAM_LANGUAGES: [&str; 2] = ["mermaid", "pikchr"];

pub fn is_drawn(kind: &CodeBlockKind<'_>) -> bool {
    let CodeBlockKind::Fenced(info) = kind else { return false };
    DIAGRAM_LANGUAGES.contains(&info.split([' ', ',', '{', '\t']).next().unwrap_or_default())
}

/// A parsed content file.
#[derive(Debug)]
pub struct Document {
    pub source: Arc<Source>,
    /// Its kind, track, number and URL.
    pub placement: Placement,
    /// The front matter, which is between the two `---` lines.
    pub front: Arc<FrontMatter>,
    /// The byte offset in the file at which the Markdown begins.
    pub body_start: usize,
    /// The Markdown below the front matter.
    pub body: Body,
    /// The translation that has been put in the places of its blocks.
    pub translated: Option<Arc<Merged>>,
}

/// Parsed Markdown: the events in reading order, and lists of what they contain, each in the order of the events.
#[derive(Debug, Default)]
pub struct Body {
    pub events: EventList,
    pub headings: Vec<Heading>,
    /// Ids and texts of the headings, sorted by id. Links to headings are checked against them. Contains [`ANY_HEADING`]
    /// if a code block that is not closed hides some headings.
    pub anchors: Arc<[(String, String)]>,
    /// Fences that show code of a starter file.
    pub excerpts: Vec<Excerpt>,
    /// Links and images, citations included.
    pub links: Vec<Link>,
    /// The targets of links in raw HTML, with the span of each target.
    pub html_links: Vec<(String, Span)>,
    /// The ids of elements of raw HTML, sorted. The page has them only if all raw HTML is kept.
    pub html_ids: Arc<[String]>,
    /// Link reference definitions, sorted by offset.
    pub definitions: Vec<Definition>,
    /// Comments that are replaced by a generated part.
    pub generated: Vec<Generated>,
    /// Passages that are shown both as source and as the result.
    pub examples: Vec<Example>,
    /// Groups of passages, of which readers see one at a time.
    pub tabs: Vec<Tabs>,
    /// The comments around cards and buttons, by their first events: the class of what begins there, `None` where it ends.
    pub groups: BTreeMap<usize, Option<&'static str>>,
    /// Questions whose answer is folded, in the order of their ends.
    pub predictions: Vec<Prediction>,
    /// Footnote definitions: the label in lower case and the events inside.
    pub footnotes: Vec<(String, Events)>,
    pub values: Vec<ValueBlock>,
    /// Where the names of formulas that the page does not declare itself are declared, in the order in which they are written.
    pub elsewhere: Vec<Origin>,
    /// The number of words of prose, for the reading time.
    pub words: usize,
    /// The offsets at which code blocks begin that are not closed, or not where their author meant: those that contain the
    /// opening line of another excerpt. Sorted. What such a block has swallowed is missing from the lists above.
    pub unclosed: Vec<usize>,
}

#[derive(Debug)]
pub struct Link {
    /// Its events, from `Start` to after `End`.
    pub events: Events,
    /// The destination with escapes resolved; that of a citation begins with `@`.
    pub target: String,
    pub span: Span,
    pub image: bool,
}

/// A link reference definition, `[label]: destination`.
#[derive(Debug)]
pub struct Definition {
    /// The destination with escapes resolved.
    pub target: String,
    /// The title with escapes resolved; empty if there is none.
    pub title: String,
    pub span: Span,
}

/// A part of a page that the generator writes.
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
    /// All parts with their names, which are the text of the comments.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("curriculum", Self::Curriculum),
        ("reading-order", Self::ReadingOrder),
        ("starters", Self::Starters),
        ("tracks", Self::Tracks),
    ];
}

/// A comment that is replaced by a [`Part`].
#[derive(Debug)]
pub struct Generated {
    /// The events of the comment's block.
    pub events: Events,
    pub part: Part,
}

/// A passage between `<!-- example -->` and `<!-- /example -->`. The page shows its Markdown above the result.
#[derive(Debug)]
pub struct Example {
    pub open: Events,
    pub close: Events,
    /// The Markdown between the two comments, without blank lines around it.
    pub source: Span,
}

impl Document {
    /// Returns the title from the front matter. A README has its first heading as title, or else the name of its folder.
    pub fn title(&self) -> &str {
        if self.placement.kind != Kind::Readme {
            return &self.front.common.title;
        }
        let first = self.body.headings.first().filter(|heading| heading.level == 1);
        first.map_or_else(|| self.placement.name.rsplit('/').next().unwrap_or_default(), |heading| &heading.text)
    }

    /// Returns the index of the excerpt that a home page begins with: the first one with notes, unless a heading or
    /// something that consists of other blocks comes before it.
    pub fn lens(&self) -> Option<usize> {
        let body = &self.body;
        let lens = body.excerpts.iter().position(|excerpt| !excerpt.notes.is_empty())?;
        let at = body.excerpts[lens].fence.start;
        let starts = (body.headings.iter().map(|heading| heading.events.start))
            .chain(body.generated.iter().map(|generated| generated.events.start))
            .chain(body.examples.iter().map(|example| example.open.start))
            .chain(body.tabs.iter().map(|tabs| tabs.open.start))
            .chain(body.groups.keys().copied())
            .chain(body.predictions.iter().map(|prediction| prediction.open.start));
        let is_first = starts.min().is_none_or(|start| at < start);
        (self.placement.kind == Kind::Home && is_first).then_some(lens)
    }
}

impl Body {
    /// Returns the index after the `End` event that matches the `Start` event at `start`.
    pub fn end_of(&self, start: usize) -> usize {
        self.events.end_of(start)
    }

    /// Returns the spans of the events that fulfill a condition, in order.
    pub fn spans_of(&self, is_wanted: impl Fn(&Event<'_>) -> bool) -> Vec<Span> {
        self.events.iter().filter(|(event, _)| is_wanted(event)).map(|(_, span)| span).collect()
    }

    /// Returns the labels of the footnotes that are shown: the text refers to them, or another one that is shown does.
    pub fn used_footnotes(&self) -> BTreeSet<String> {
        let around = |index: usize| {
            let after = self.footnotes.partition_point(|(_, events)| events.start <= index);
            self.footnotes[..after].last().filter(|(_, events)| events.contains(&index)).map(|(name, _)| name.as_str())
        };
        let (mut used, mut inside): (Vec<String>, BTreeMap<&str, Vec<String>>) = (Vec::new(), BTreeMap::new());
        for (index, (event, _)) in self.events.iter().enumerate() {
            let Event::FootnoteReference(label) = event else { continue };
            match around(index) {
                Some(footnote) => inside.entry(footnote).or_default().push(label.into_string()),
                None => used.push(label.into_string()),
            }
        }
        let mut found = BTreeSet::new();
        while let Some(label) = used.pop() {
            used.extend(inside.remove(label.as_str()).unwrap_or_default());
            found.insert(label);
        }
        found
    }

    /// Returns the pieces of code in which formulas read numbers, in order.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.elsewhere.iter().filter_map(|origin| if let Origin::Code(piece) = origin { Some(&**piece) } else { None })
    }

    /// Returns the text of a range of events without markup: words, code and inline formulas.
    pub fn text(&self, events: Events) -> String {
        let mut text = String::new();
        for (event, _) in self.events.range(events) {
            match event {
                Event::Text(part) | Event::Code(part) | Event::InlineMath(part) => text.push_str(&part),
                Event::SoftBreak | Event::HardBreak => text.push(' '),
                _ => {}
            }
        }
        text
    }
}

/// Returns whether one of `spans`, which are sorted, contains the byte at `at`.
pub fn contains(spans: &[Span], at: usize) -> bool {
    let before = spans.partition_point(|span| span.start <= at);
    spans[..before].last().is_some_and(|span| span.contains(&at))
}
