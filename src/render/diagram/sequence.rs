//! Reads `sequenceDiagram`.

use std::collections::BTreeMap;

use super::DiagramError;
use super::colour::Colour;
use super::graph::Head;
use super::label::Label;
use super::source::{Cursor, Script};

/// Who takes part, and what happens, in order.
#[derive(Default)]
pub(super) struct Sequence {
    pub participants: Vec<Participant>,
    pub boxes: Vec<Group>,
    pub events: Vec<Event>,
}

pub(super) struct Participant {
    pub label: Label,
    /// Drawn as a person.
    pub is_actor: bool,
}

/// A box around participants that stand side by side.
pub(super) struct Group {
    pub label: Label,
    pub colour: Option<Colour>,
    /// The first and the last of them.
    pub members: Option<(usize, usize)>,
}

/// Participants are numbered from the left.
pub(super) enum Event {
    Message {
        from: usize,
        to: usize,
        text: Label,
        is_dashed: bool,
        tail: Head,
        head: Head,
        number: Option<usize>,
    },
    Note {
        side: Side,
        first: usize,
        last: usize,
        text: Label,
    },
    Activate(usize),
    Deactivate(usize),
    /// `loop`, `alt` and their kin, with what they say.
    Begin {
        kind: &'static str,
        text: Label,
        colour: Option<Colour>,
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

/// The sequence that a source describes.
pub(super) fn read(script: &mut Script) -> Result<Sequence, DiagramError> {
    script.header.finish()?;
    let mut reader = Reader::default();
    for cursor in &mut script.lines {
        reader.line(cursor)?;
    }
    if let Some((kind, at)) = reader.open.last() {
        return Err(at.error(&format!("this `{kind}` has no `end`")));
    }
    Ok(reader.sequence)
}

#[derive(Default)]
struct Reader<'a> {
    sequence: Sequence,
    names: BTreeMap<String, usize>,
    /// Blocks that have begun.
    open: Vec<(&'static str, Cursor<'a>)>,
    /// How many times each participant is active.
    active: BTreeMap<usize, usize>,
    /// The next number of a message and the step, and whether to show it.
    count: Option<(usize, usize)>,
}

/// Blocks, and what divides them.
const BLOCKS: &[(&str, &str)] =
    &[("loop", ""), ("alt", "else"), ("opt", ""), ("par", "and"), ("critical", "option"), ("break", ""), ("rect", "")];

/// Lines of messages: dashed or not, tail and head; longer ones first.
const ARROWS: &[(&str, bool, Head, Head)] = &[
    ("<<-->>", true, Head::Arrow, Head::Arrow),
    ("<<->>", false, Head::Arrow, Head::Arrow),
    ("-->>", true, Head::None, Head::Arrow),
    ("->>", false, Head::None, Head::Arrow),
    ("-->", true, Head::None, Head::None),
    ("->", false, Head::None, Head::None),
    ("--x", true, Head::None, Head::Cross),
    ("-x", false, Head::None, Head::Cross),
    ("--)", true, Head::None, Head::Open),
    ("-)", false, Head::None, Head::Open),
];

impl<'a> Reader<'a> {
    fn line(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        cursor.skip_space();
        let start = cursor.clone();
        if cursor.eat_word("participant") {
            return self.participant(cursor, false);
        }
        if cursor.eat_word("actor") {
            return self.participant(cursor, true);
        }
        if cursor.eat_word("activate") {
            return self.activate(cursor.take_rest(), true, &start);
        }
        if cursor.eat_word("deactivate") {
            return self.activate(cursor.take_rest(), false, &start);
        }
        if cursor.eat_word("Note") || cursor.eat_word("note") {
            return self.note(cursor);
        }
        if cursor.eat_word("autonumber") {
            return self.autonumber(cursor);
        }
        if cursor.eat_word("box") {
            return self.group(start, cursor.take_rest());
        }
        if cursor.eat_word("end") {
            return self.end(&start, cursor);
        }
        for unsupported in ["create", "destroy", "link", "links", "properties", "details"] {
            if cursor.eat_word(unsupported) {
                return Err(start.error(&format!("`{unsupported}` is not supported in a sequence diagram")));
            }
        }
        // The title stands in the page, above the diagram.
        if cursor.eat_word("title") {
            return Ok(());
        }
        if self.block(&start, cursor)? { Ok(()) } else { self.message(cursor) }
    }

    /// The rest of `participant name as text`.
    fn participant(&mut self, cursor: &mut Cursor<'a>, is_actor: bool) -> Result<(), DiagramError> {
        let rest = cursor.clone().take_rest();
        let (name, text) = rest.split_once(" as ").map_or((rest, rest), |(name, text)| (name.trim(), text.trim()));
        if name.is_empty() || name.contains("@{") {
            return Err(cursor.expected("a name, as in `participant S as Scheduler`"));
        }
        let at = self.named(name);
        self.sequence.participants[at] = Participant { label: Label::new(text), is_actor };
        if let (Some(("box", _)), Some(group)) = (self.open.last(), self.sequence.boxes.last_mut()) {
            group.members = Some(group.members.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
        }
        Ok(())
    }

    /// The participant called `name`, which is made if it is new.
    fn named(&mut self, name: &str) -> usize {
        if let Some(at) = self.names.get(name) {
            return *at;
        }
        let at = self.sequence.participants.len();
        self.sequence.participants.push(Participant { label: Label::new(name), is_actor: false });
        self.names.insert(name.to_owned(), at);
        at
    }

    fn activate(&mut self, name: &str, is_on: bool, at: &Cursor) -> Result<(), DiagramError> {
        if name.is_empty() {
            return Err(at.error("expected the name of a participant"));
        }
        let participant = self.named(name);
        let active = self.active.entry(participant).or_default();
        if is_on {
            *active += 1;
            self.sequence.events.push(Event::Activate(participant));
        } else {
            *active = active.checked_sub(1).ok_or_else(|| at.error(&format!("`{name}` is not active")))?;
            self.sequence.events.push(Event::Deactivate(participant));
        }
        Ok(())
    }

    /// The rest of `Note right of a: text` or `Note over a,b: text`.
    fn note(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let side = if cursor.eat_word("over") {
            Side::Over
        } else if cursor.eat_word("right") && cursor.eat_word("of") {
            Side::Right
        } else if cursor.eat_word("left") && cursor.eat_word("of") {
            Side::Left
        } else {
            return Err(cursor.expected("`over`, `right of` or `left of`"));
        };
        let names = cursor.until(":").ok_or_else(|| cursor.expected("names, `:` and a text"))?;
        let at: Vec<usize> = names.split(',').map(|name| self.named(name.trim())).collect();
        let (Some(first), Some(last)) = (at.iter().min().copied(), at.iter().max().copied()) else {
            return Ok(());
        };
        self.sequence.events.push(Event::Note { side, first, last, text: Label::new(cursor.take_rest()) });
        Ok(())
    }

    /// The rest of `autonumber`, `autonumber 10 5`, `autonumber off`.
    fn autonumber(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let text = cursor.clone().take_rest();
        if text == "off" {
            self.count = None;
            return Ok(());
        }
        let numbers: Option<Vec<usize>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        self.count = match numbers.as_deref() {
            Some([]) => Some((1, 1)),
            Some([first]) => Some((*first, 1)),
            Some([first, step]) => Some((*first, *step)),
            _ => return Err(cursor.expected("the first number and the step, or `off`")),
        };
        Ok(())
    }

    /// The rest of `box colour title`.
    fn group(&mut self, start: Cursor<'a>, text: &str) -> Result<(), DiagramError> {
        if self.open.iter().any(|(kind, _)| *kind == "box") {
            return Err(start.error("a box in a box"));
        }
        let split = text.find(')').filter(|_| text.starts_with("rgb") || text.starts_with("hsl"));
        let split = split.map_or_else(|| text.find(' ').unwrap_or(text.len()), |at| at + 1);
        let colour = Colour::parse(&text[..split]);
        let title = if colour.is_some() { &text[split..] } else { text };
        self.sequence.boxes.push(Group { label: Label::new(title), colour, members: None });
        self.open.push(("box", start));
        Ok(())
    }

    fn end(&mut self, start: &Cursor, cursor: &mut Cursor) -> Result<(), DiagramError> {
        let (kind, _) = self.open.pop().ok_or_else(|| start.error("this `end` ends nothing"))?;
        if kind != "box" {
            self.sequence.events.push(Event::End);
        }
        cursor.finish()
    }

    /// Reads the beginning of a block, or what divides one, if `cursor` stands at it.
    fn block(&mut self, start: &Cursor<'a>, cursor: &mut Cursor<'a>) -> Result<bool, DiagramError> {
        for (kind, divider) in BLOCKS {
            if cursor.eat_word(kind) {
                let text = cursor.take_rest();
                let colour = Colour::parse(text).filter(|_| *kind == "rect");
                let text = if *kind == "rect" { Label::default() } else { Label::new(text) };
                self.sequence.events.push(Event::Begin { kind, text, colour });
                self.open.push((kind, start.clone()));
                return Ok(true);
            }
            if !divider.is_empty() && cursor.eat_word(divider) {
                if self.open.last().is_none_or(|(open, _)| open != kind) {
                    return Err(start.error(&format!("`{divider}` divides a block that begins with `{kind}`")));
                }
                self.sequence.events.push(Event::Divide(Label::new(cursor.take_rest())));
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// `a->>b: text`, with `+` or `-` before `b`.
    fn message(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = cursor.clone();
        let head = cursor.rest().split(':').next().unwrap_or_default();
        let found = head.char_indices().filter_map(|(at, _)| {
            let arrow = ARROWS.iter().find(|(arrow, ..)| head[at..].starts_with(arrow))?;
            Some((head[..at].trim(), arrow, head[at + arrow.0.len()..].trim()))
        });
        // A name may hold what could be an arrow, as `a-x`: a name that is known decides.
        let found: Vec<_> = found.collect();
        let known = found.iter().find(|(name, ..)| self.names.contains_key(*name));
        let Some((from, arrow, to)) = known.or(found.first()) else {
            return Err(cursor.expected("a message, as `a->>b: text`"));
        };
        let (_, is_dashed, tail, head) = **arrow;
        let change = to.chars().next().filter(|c| matches!(c, '+' | '-'));
        let name = to.trim_start_matches(['+', '-']).trim();
        if from.is_empty() || name.is_empty() {
            return Err(cursor.expected("a message, as `a->>b: text`"));
        }
        let (from_at, to_at) = (self.named(from), self.named(name));
        let text = cursor.rest().split_once(':').map_or("", |(_, text)| text);
        let number = self.count.map(|(number, _)| number);
        self.count = self.count.map(|(number, step)| (number.saturating_add(step), step));
        let text = Label::new(text);
        self.sequence.events.push(Event::Message { from: from_at, to: to_at, text, is_dashed, tail, head, number });
        match change {
            Some('+') => self.activate(name, true, &start),
            Some(_) => self.activate(from, false, &start),
            None => Ok(()),
        }
    }
}
