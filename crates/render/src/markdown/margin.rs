//! The margin: what the text points at stands beside its paragraph, the first time that it does. That is what a term means,
//! which source is cited, and a narrow drawing. The style sheet places it; here it is decided what has room there, so that
//! nothing pushes a listing down or stands far from its paragraph. What has no room is shown at the term, as on narrow
//! screens; a drawing then stays in the text.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::Writer;
use infralens_page::{Kind, is_drawn};

/// Estimates in pixels: of a line of text and the space below a paragraph, of a heading, of a formula of its own, of a line
/// in the margin and the space below an entry there.
const LINE: usize = 27;
const SPACE: usize = 14;
const HEADING: usize = 92;
const FORMULA: usize = 60;
/// The widest drawing for the margin, which from 1200 pixels up shrinks it by at most a twentieth, and the height of its
/// caption with the space below.
const MARGIN_DRAWING: usize = 420;
const CAPTION: usize = 50;
/// A row of a table.
const TABLE_ROW: usize = 38;
const MARGIN_LINE: usize = 21;
const MARGIN_SPACE: usize = 8;
/// The letters that fit on a line, of text and in the margin, with a wide font.
const LETTERS: usize = 68;
const MARGIN_LETTERS: usize = 48;
/// The height of what a lab or section has in the margin beside its title, as far as it goes on below the title.
const BESIDE_TITLE: usize = 260;
/// How far below its paragraph an entry may begin.
const FARTHEST: usize = 96;
/// What is farther ahead in the text is not looked at, in pixels and in events.
const AHEAD: usize = 1200;
const EVENTS_AHEAD: usize = 500;

/// The margin of a page, while its text is written.
#[derive(Debug, Default)]
pub struct Margin {
    /// Whether there is none: in notes, quotes, tables, answers and lists of definitions.
    closed: usize,
    /// Where the text is, and where the margin is filled up to, as estimated heights from the top of the page.
    text: usize,
    filled: usize,
    /// The open paragraph or items of lists, the innermost last.
    holders: Vec<Holder>,
}

/// A paragraph or an item of a list, which what is in the margin comes before or begins with.
#[derive(Debug)]
struct Holder {
    /// Where its entries are inserted into the output.
    place: usize,
    /// The event that ends it.
    end: usize,
    top: usize,
    bottom: usize,
    /// Where the next listing or wide table begins.
    limit: usize,
    entries: String,
}

impl Margin {
    /// Returns the margin of a page. Pages that have no course column have none, either; labs and sections have something
    /// in it beside their title.
    pub fn new(kind: Kind) -> Self {
        let filled = if matches!(kind, Kind::Lab | Kind::Section) { BESIDE_TITLE } else { 0 };
        Self { filled, closed: usize::from(!matches!(kind, Kind::Lab | Kind::Section | Kind::Page)), ..Self::default() }
    }

    /// Closes the margin, until [`Self::open`].
    pub fn close(&mut self) {
        self.closed += 1;
    }

    /// Opens it again.
    pub fn open(&mut self) {
        self.closed -= 1;
    }

    /// Adds an entry of so many letters to the margin if there is room for it. Returns whether there was.
    pub fn add(&mut self, letters: usize, entry: &str) -> bool {
        let Some(holder) = self.holders.last_mut().filter(|_| self.closed == 0) else { return false };
        let top = self.filled.max(holder.top);
        let bottom = top + letters.div_ceil(MARGIN_LETTERS) * MARGIN_LINE + MARGIN_SPACE;
        let has_room = top <= holder.bottom + FARTHEST && bottom <= holder.limit;
        if has_room {
            self.filled = bottom;
            holder.entries.push_str(entry);
        }
        has_room
    }

    /// Whether elements of a kind have no margin.
    fn closes(tag: TagEnd) -> bool {
        matches!(tag, TagEnd::BlockQuote(_) | TagEnd::DefinitionList | TagEnd::Table)
    }
}

impl Writer<'_> {
    /// Whether what is written has a margin: only the page itself.
    fn has_margin(&self) -> bool {
        self.target.is_own_page() && !self.target.is_dry_run
    }

    /// Prepares the margin for the element that starts at `at`, whose content is written from here on.
    pub(super) fn start_margin(&mut self, at: usize, tag: &Tag<'_>) {
        if !self.has_margin() {
            return;
        }
        if Margin::closes(tag.to_end()) {
            self.margin.close();
        }
        match tag {
            // Where it is placed is decided when its size is known.
            Tag::CodeBlock(kind) if is_drawn(kind) => {}
            Tag::Table(_) if !self.is_wide_table(at) => self.margin.text += self.table_height(at),
            Tag::CodeBlock(_) | Tag::Table(_) | Tag::HtmlBlock => {
                self.margin.filled = self.margin.filled.max(self.margin.text);
                self.margin.text = self.margin.filled;
            }
            Tag::Heading { .. } => self.margin.text += HEADING,
            Tag::Item => self.hold(at),
            Tag::Paragraph if self.margin.holders.is_empty() => self.hold(at),
            _ => {}
        }
    }

    /// Inserts what belongs beside the element that ends at `at`.
    pub(super) fn end_margin(&mut self, at: usize, tag: TagEnd) {
        if !self.has_margin() {
            return;
        }
        if Margin::closes(tag) {
            self.margin.open();
        }
        let Some(holder) = self.margin.holders.pop_if(|holder| holder.end == at) else { return };
        self.margin.text = self.margin.text.max(holder.bottom);
        if !holder.entries.is_empty() {
            let html = format!("<div class=\"aside\" role=\"note\">{}</div>", holder.entries);
            // An item begins with it, and a paragraph has it above: a paragraph can hold no other block.
            let place = if tag == TagEnd::Item { holder.place + 1 } else { holder.place };
            self.out.insert(place.min(self.out.len()), Event::Html(html.into()));
        }
    }

    /// Returns whether the drawing whose fence starts at `at` goes into the margin, beside the paragraphs after it, and takes
    /// its room there. Drawings in a row stay in the text, where readers compare them, and so does one that is too high.
    pub(super) fn is_drawn_beside(&mut self, at: usize, (width, height): (usize, usize)) -> bool {
        if !self.has_margin() {
            return false;
        }
        let events = &self.document().body.events;
        let end = self.skip(at);
        let is_alone = (at == 0 || events.event(at - 1) != Event::End(TagEnd::CodeBlock))
            && (end == events.len() || !matches!(events.event(end), Event::Start(Tag::CodeBlock(_))));
        let is_open = self.margin.closed == 0 && self.margin.holders.is_empty();
        let (text, height) = (self.margin.text, height + CAPTION);
        let top = self.margin.filled.max(text);
        let has_room = top <= text + LINE && top + height <= text + self.ahead(end - 1, end).1;
        let is_beside = is_open && is_alone && width <= MARGIN_DRAWING && has_room;
        let place = if is_beside { &mut self.margin.filled } else { &mut self.margin.text };
        *place = if is_beside { top } else { text } + height;
        is_beside
    }

    /// Returns the estimated height of the table that starts at an event.
    fn table_height(&self, at: usize) -> usize {
        let rows = self.document().body.events.range(at..self.skip(at));
        rows.filter(|(event, _)| matches!(event, Event::Start(Tag::TableRow | Tag::TableHead))).count() * TABLE_ROW
            + SPACE
    }

    fn hold(&mut self, at: usize) {
        if self.margin.closed > 0 {
            return;
        }
        let end = self.document().body.end_of(at).saturating_sub(1);
        let top = self.margin.text;
        let (height, limit) = self.ahead(at, end);
        let bottom = top + height;
        self.margin.holders.push(Holder {
            place: self.out.len(),
            end,
            top,
            bottom,
            limit: top + limit,
            entries: String::new(),
        });
    }

    /// Estimates how high the element from `at` to `end` is, and how far away the next listing or wide table is. What is drawn
    /// on the way counts as nothing, because it may be in the margin.
    fn ahead(&self, at: usize, end: usize) -> (usize, usize) {
        let events = &self.document().body.events;
        let (mut height, mut letters, mut own) = (0, 0, None);
        let mut skipped = at;
        for index in at..events.len().min(at + EVENTS_AHEAD) {
            let lines = |letters: usize| letters.div_ceil(LETTERS) * LINE;
            match events.event(index) {
                _ if index < skipped => {}
                Event::Start(Tag::CodeBlock(kind)) if is_drawn(&kind) => skipped = self.skip(index),
                Event::Start(Tag::Table(_)) if !self.is_wide_table(index) => {
                    height += self.table_height(index);
                    skipped = self.skip(index);
                }
                Event::Text(text) | Event::Code(text) | Event::InlineMath(text) => letters += text.chars().count(),
                Event::SoftBreak | Event::HardBreak => letters += 1,
                Event::DisplayMath(_) => height += FORMULA,
                Event::Start(Tag::Heading { .. }) => height += HEADING - LINE,
                Event::Start(
                    Tag::CodeBlock(_) | Tag::Table(_) | Tag::HtmlBlock | Tag::Image { .. } | Tag::DefinitionList,
                ) if index > at => {
                    break;
                }
                Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::Heading(_)) if letters > 0 => {
                    height += lines(letters) + SPACE;
                    letters = 0;
                }
                _ => {}
            }
            if index == end {
                own = Some(height);
            }
            if height + lines(letters) > AHEAD {
                height = AHEAD;
                break;
            }
        }
        (own.unwrap_or(height), height)
    }
}
