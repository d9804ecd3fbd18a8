//! Parses `sequenceDiagram`.

use std::collections::BTreeMap;

use super::DiagramError;
use super::canvas::Canvas;

use super::graph::{Edge, Item, Marker, Shape, Stroke};
use super::layout::{MAX_NESTING, MAX_PARTS};
use super::paint::{RGBA, color};
use super::sequence_drawing;
use super::source::{Cursor, Script};
use super::text::Label;

/// The participants and the events of a sequence diagram, in order.
#[derive(Default)]
pub(super) struct Sequence<'a> {
    pub participants: Vec<Item>,
    /// The boxes around neighboring participants, whose `parent` is the index of theirs.
    pub boxes: Vec<Item>,
    pub events: Vec<Event>,
    names: BTreeMap<&'a str, usize>,
    /// The blocks and the box that are not closed yet.
    open: Vec<(&'static str, Cursor<'a>)>,
    /// The number of open activations of each participant.
    active: BTreeMap<usize, usize>,
    /// The number of the next message, and the step to the one after it, if messages are numbered.
    count: Option<(usize, usize)>,
}

/// An event; participants are numbered from the left.
pub(super) enum Event {
    /// A message, and its number.
    Message(Edge, Option<usize>),
    Note {
        side: Side,
        first: usize,
        last: usize,
        item: Item,
    },
    Activate(usize),
    Deactivate(usize),
    /// The beginning of a `loop`, `alt` and so on.
    Begin {
        kind: &'static str,
        text: Label,
        color: Option<RGBA>,
    },
    /// `else`, `and`, `option`.
    Divide(Label),
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
    Over,
}

/// The keywords of blocks, and the words that divide them.
const BLOCKS: &[(&str, &str)] = &[
    ("loop", "loop"),
    ("alt", "else"),
    ("opt", "opt"),
    ("par", "and"),
    ("critical", "option"),
    ("break", "break"),
    ("rect", "rect"),
];

/// The arrows of messages, their strokes and their markers; longer arrows come first.
const ARROWS: &[(&str, Stroke, Marker, Marker)] = &[
    ("<<-->>", Stroke::Dashed, Marker::Arrow, Marker::Arrow),
    ("<<->>", Stroke::Solid, Marker::Arrow, Marker::Arrow),
    ("-->>", Stroke::Dashed, Marker::None, Marker::Arrow),
    ("->>", Stroke::Solid, Marker::None, Marker::Arrow),
    ("-->", Stroke::Dashed, Marker::None, Marker::None),
    ("->", Stroke::Solid, Marker::None, Marker::None),
    ("--x", Stroke::Dashed, Marker::None, Marker::Cross),
    ("-x", Stroke::Solid, Marker::None, Marker::Cross),
    ("--)", Stroke::Dashed, Marker::None, Marker::Open),
    ("-)", Stroke::Solid, Marker::None, Marker::Open),
];

/// Parses and draws the rest of a source.
pub(super) fn draw(script: &mut Script) -> Result<Canvas, DiagramError> {
    script.header.finish()?;
    let mut sequence = Sequence::default();
    for mut line in script.lines.by_ref() {
        sequence.line(&mut line)?;
        line.finish()?;
    }
    if let Some((kind, start)) = sequence.open.last() {
        return Err(start.unclosed(kind, "end"));
    }
    let parts = sequence.participants.len() + sequence.events.len();
    if parts > MAX_PARTS {
        let what = "participants, messages, notes and ends of blocks";
        return Err(DiagramError::new(format!("a diagram may have at most {MAX_PARTS} {what}; this has {parts}")));
    }
    Ok(sequence_drawing::draw(&sequence))
}

impl<'a> Sequence<'a> {
    fn line(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        match line.keyword() {
            "participant" => self.participant(line, Shape::Box),
            "actor" => self.participant(line, Shape::Stadium),
            "activate" => self.activate(line.take_rest(), &start),
            "deactivate" => self.deactivate(line.take_rest(), &start),
            "Note" | "note" => self.note(line),
            "autonumber" => self.autonumber(line),
            "box" => self.enclose(start, line.take_rest()),
            "end" => {
                let (kind, _) = self.open.pop().ok_or_else(|| start.error("this `end` closes nothing"))?;
                self.events.extend((kind != "box").then_some(Event::End));
                Ok(())
            }
            // The title of the diagram is not drawn, because it has a heading on the page.
            "title" => {
                line.take_rest();
                Ok(())
            }
            word @ ("create" | "destroy" | "link" | "links" | "properties" | "details") => {
                Err(start.error(format!("`{word}` is not supported in a sequence diagram")))
            }
            word if self.block(word, &start, line)? => Ok(()),
            _ => {
                *line = start;
                self.message(line)
            }
        }
    }

    /// Parses the rest of `participant name as text`.
    fn participant(&mut self, line: &mut Cursor<'a>, shape: Shape) -> Result<(), DiagramError> {
        let start = line.clone();
        let rest = line.take_rest();
        let (name, text) = rest.split_once(" as ").unwrap_or((rest, rest));
        if name.is_empty() || name.contains("@{") {
            return Err(start.expected("a name, as in `participant S as Scheduler`"));
        }
        let at = self.named(name);
        let parent = self.open.last().filter(|(kind, _)| *kind == "box").map(|_| self.boxes.len() - 1);
        self.participants[at] = Item { parent, ..Item::new(Label::new(text), shape) };
        Ok(())
    }

    /// Returns the participant `name`; adds it if it is new.
    fn named(&mut self, name: &'a str) -> usize {
        let name = name.trim();
        *self.names.entry(name).or_insert_with(|| {
            self.participants.push(Item::new(Label::new(name), Shape::Box));
            self.participants.len() - 1
        })
    }

    fn activate(&mut self, name: &'a str, start: &Cursor) -> Result<(), DiagramError> {
        if name.is_empty() {
            return Err(start.error("expected the name of a participant"));
        }
        let participant = self.named(name);
        *self.active.entry(participant).or_default() += 1;
        self.events.push(Event::Activate(participant));
        Ok(())
    }

    fn deactivate(&mut self, name: &'a str, start: &Cursor) -> Result<(), DiagramError> {
        let participant = self.named(name);
        let active = self.active.entry(participant).or_default();
        *active = active.checked_sub(1).ok_or_else(|| start.error(format!("`{name}` is not active")))?;
        self.events.push(Event::Deactivate(participant));
        Ok(())
    }

    /// Parses the rest of `Note right of a: text` or `Note over a,b: text`.
    fn note(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        let side = match line.keyword() {
            "over" => Side::Over,
            "right" if line.keyword() == "of" => Side::Right,
            "left" if line.keyword() == "of" => Side::Left,
            _ => return Err(start.expected("`over`, `right of` or `left of`")),
        };
        let names = line.until(":").ok_or_else(|| line.expected("names, `:` and a text"))?;
        let item = Item::new(Label::new(line.take_rest()), Shape::Note);
        let at: Vec<usize> = names.split(',').map(|name| self.named(name)).collect();
        let ends = at.iter().min().copied().zip(at.iter().max().copied());
        self.events.extend(ends.map(|(first, last)| Event::Note { side, first, last, item }));
        Ok(())
    }

    /// Parses the rest of `autonumber`, `autonumber 10 5`, `autonumber off`.
    fn autonumber(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        let text = line.take_rest();
        let numbers: Option<Vec<usize>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        self.count = match numbers.as_deref() {
            Some([]) => Some((1, 1)),
            Some([first]) => Some((*first, 1)),
            Some([first, step]) => Some((*first, *step)),
            _ if text == "off" => None,
            _ => return Err(start.expected("the first number and the step, or `off`")),
        };
        Ok(())
    }

    /// Parses the rest of `box color title`.
    fn enclose(&mut self, start: Cursor<'a>, text: &str) -> Result<(), DiagramError> {
        if self.open.iter().any(|(kind, _)| *kind == "box") {
            return Err(start.error("a box cannot contain a box"));
        }
        let function = text.find(')').filter(|_| text.starts_with("rgb") || text.starts_with("hsl"));
        let split = function.map_or_else(|| text.find(' ').unwrap_or(text.len()), |at| at + 1);
        let color = color(&text[..split]);
        let title = if color.is_some() { &text[split..] } else { text };
        let mut item = Item::new(Label::new(title), Shape::Group);
        item.paint.fill = color;
        self.boxes.push(item);
        self.open.push(("box", start));
        Ok(())
    }

    /// Parses the beginning or a divider of a block, if `word` is one; returns whether it is.
    fn block(&mut self, word: &str, start: &Cursor<'a>, line: &mut Cursor<'a>) -> Result<bool, DiagramError> {
        let Some((kind, divider)) = BLOCKS.iter().find(|(kind, divider)| word == *kind || word == *divider) else {
            return Ok(false);
        };
        if word == *kind {
            if self.open.len() == MAX_NESTING {
                return Err(start.error(format!("blocks may nest at most {MAX_NESTING} deep")));
            }
            let text = line.take_rest();
            let (text, color) = if word == "rect" { ("", color(text)) } else { (text, None) };
            self.events.push(Event::Begin { kind, text: Label::new(text), color });
            self.open.push((kind, start.clone()));
        } else if self.open.last().is_some_and(|(open, _)| open == kind) {
            self.events.push(Event::Divide(Label::new(line.take_rest())));
        } else {
            return Err(start.error(format!("`{divider}` divides a block that begins with `{kind}`")));
        }
        Ok(true)
    }

    /// Parses `a->>b: text`, with `+` or `-` before `b`.
    fn message(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        let (ends, text) = line.rest().split_once(':').unwrap_or((line.rest(), ""));
        let arrows = ends.char_indices().filter_map(|(at, _)| {
            let arrow = ARROWS.iter().find(|(arrow, ..)| ends[at..].starts_with(arrow))?;
            Some((ends[..at].trim(), arrow, ends[at + arrow.0.len()..].trim()))
        });
        // A name may contain what could be an arrow, as `a-x`: a name that is known decides.
        let arrows: Vec<_> = arrows.collect();
        let known = arrows.iter().find(|(name, ..)| self.names.contains_key(name)).or(arrows.first());
        let found = known.map(|(from, arrow, to)| (*from, *arrow, to.trim_start_matches(['+', '-']).trim(), *to));
        let Some((from, &(_, stroke, tail, head), name, to)) =
            found.filter(|found| !found.0.is_empty() && !found.2.is_empty())
        else {
            return Err(start.expected("a message, as `a->>b: text`"));
        };
        line.take_rest();
        let number = self.count.map(|(number, _)| number);
        self.count = self.count.map(|(number, step)| (number.saturating_add(step), step));
        let (from_at, to_at, label) = (self.named(from), self.named(name), Label::new(text));
        let message = Edge { from: from_at, to: to_at, tail, head, stroke, label, ..Edge::default() };
        self.events.push(Event::Message(message, number));
        if to.starts_with('+') {
            self.activate(name, &start)
        } else if to.starts_with('-') {
            self.deactivate(from, &start)
        } else {
            Ok(())
        }
    }
}
