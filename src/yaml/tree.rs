//! Parser events -> a [`Tree`], within the limits.
//!
//! 1. Each event closes, opens or fills a frame of a stack; nothing recurses.
//! 2. A map that closes is searched for keys that are given twice.
//! 3. The first syntax error or limit ends the reading: the value it cut off is dropped, what came before it is kept.

use std::collections::HashMap;
use std::rc::Rc;

use serde_yaml::granit_parser::{self, Event, Parser, ScalarStyle, StructureStyle, Tag};

use super::{Entry, MAX_DEPTH, MAX_REPEATED, MAX_VALUES, Node, Parsed, Spanned, Tree, scalar, trouble};
use crate::diag::{Diagnostic, Place, codes};
use crate::source::{Source, Span};

/// What a value counts towards [`MAX_REPEATED`], its text apart.
const VALUE_WEIGHT: usize = 64;

/// The tree of the YAML in `span` of `source`.
pub(super) fn build(source: &Source, span: Span) -> Parsed {
    let text = source.text().get(span.clone()).unwrap_or_default();
    let mut builder = Builder::new(source, span.start);
    let mut options = granit_parser::Options::default();
    options.set_emit_comments(false);
    options.disallow_directives = true;
    options.flow_nesting_limit = MAX_DEPTH;
    options.block_nesting_limit = MAX_DEPTH;
    let mut complete = true;
    for event in Parser::new_from_str_with_options(text, options) {
        let step = match event {
            Ok((event, span)) => builder.step(event, &span),
            Err(error) => Err(builder.stop_with(trouble::explain(&error, source, span.start, builder.open_bracket()))),
        };
        if let Err(stop) = step {
            complete = matches!(stop, Stop::Here);
            break;
        }
    }
    if !complete {
        builder.keep_what_is_whole();
    }
    Parsed { root: builder.root.map(|whole| whole.tree), complete, diagnostics: builder.found }
}

/// Why reading ends before the text does. The diagnostic has been said.
enum Stop {
    /// The value is whole, and something follows it that is not part of it.
    Here,
    /// The rest of the value cannot be read.
    Cut,
}

/// A finished value, with what aliases of it count.
#[derive(Clone)]
struct Whole {
    tree: Tree,
    /// Lists and maps within each other; 0 for a scalar.
    height: usize,
    weight: usize,
}

/// A list or map that is not closed yet.
struct Frame {
    open: Open,
    anchor: usize,
    span: Span,
    flow: bool,
    height: usize,
    weight: usize,
}

enum Open {
    List(Vec<Tree>),
    Map(Vec<Entry>, Option<Spanned<Option<String>>>),
}

struct Builder<'s> {
    source: &'s Source,
    start: usize,
    frames: Vec<Frame>,
    anchors: HashMap<usize, Whole>,
    root: Option<Whole>,
    values: usize,
    repeated: usize,
    found: Vec<Diagnostic>,
}

impl<'s> Builder<'s> {
    fn new(source: &'s Source, start: usize) -> Self {
        let (frames, found, anchors) = (Vec::new(), Vec::new(), HashMap::new());
        Self { source, start, frames, anchors, root: None, values: 0, repeated: 0, found }
    }

    fn step(&mut self, event: Event<'_>, span: &granit_parser::Span) -> Result<(), Stop> {
        let tag = span.tag_span().map(|tag| self.absolute(&tag));
        let span = self.absolute(span);
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                self.stop_with(self.error(
                    span,
                    "a second YAML document begins here",
                    "a line `---` or `...` ends the first one: remove the line",
                ));
                Err(Stop::Here)
            }
            Event::Scalar(text, style, anchor, kind) => {
                let is_text = self.is_text(kind.as_deref(), tag) || style != ScalarStyle::Plain;
                let node = if is_text { Node::Text(text.into_owned()) } else { scalar::plain(&text) };
                let weight = VALUE_WEIGHT + self.source.text().get(span.clone()).map_or(0, str::len);
                let whole = Whole { tree: Tree { value: Rc::new(node), span }, height: 0, weight };
                self.finish(whole, anchor)
            }
            Event::SequenceStart(style, anchor, kind) => {
                self.is_text(kind.as_deref(), tag);
                self.open(Open::List(Vec::new()), style, anchor, span)
            }
            Event::MappingStart(style, anchor, kind) => {
                self.is_text(kind.as_deref(), tag);
                self.open(Open::Map(Vec::new(), None), style, anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(&span),
            Event::Alias(anchor) => self.alias(anchor, span),
            _ => Ok(()),
        }
    }

    fn open(&mut self, open: Open, style: StructureStyle, anchor: usize, span: Span) -> Result<(), Stop> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(self.stop_with(trouble::too_deep(self.place(span))));
        }
        let flow = style == StructureStyle::Flow;
        self.frames.push(Frame { open, anchor, span, flow, height: 1, weight: VALUE_WEIGHT });
        Ok(())
    }

    fn close(&mut self, end: &Span) -> Result<(), Stop> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let anchor = frame.anchor;
        if let Open::Map(entries, _) = &frame.open {
            self.find_repeated_keys(entries);
        }
        // The parser ends a block list or map where the next thing begins; its last value is where a reader sees the end.
        let end = if frame.flow { Some(end.end) } else { None };
        self.finish(frame.whole(end), anchor)
    }

    /// Hands a finished value to the list or map that it belongs to.
    fn finish(&mut self, whole: Whole, anchor: usize) -> Result<(), Stop> {
        self.values += 1;
        if self.values > MAX_VALUES {
            let message = format!("more than {MAX_VALUES} values in one YAML text");
            return Err(self.stop_with(self.error(whole.tree.span, &message, "split the file")));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, whole.clone());
        }
        self.add(whole);
        Ok(())
    }

    fn add(&mut self, whole: Whole) {
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(whole);
            return;
        };
        frame.height = frame.height.max(whole.height + 1);
        frame.weight = frame.weight.saturating_add(whole.weight);
        match &mut frame.open {
            Open::List(items) => items.push(whole.tree),
            Open::Map(entries, pending) => match pending.take() {
                None => {
                    let key = Spanned { value: key_text(&whole.tree.value), span: whole.tree.span };
                    if key.value.is_none() {
                        let place = Place::new(self.source.path(), key.span.clone());
                        self.found.push(Diagnostic::new(codes::E0103, place, "a key must be text"));
                    }
                    *pending = Some(key);
                }
                Some(Spanned { value: Some(key), span }) => entries.push(entry(key, span, whole.tree)),
                Some(_) => {}
            },
        }
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Stop> {
        let Some(mut whole) = self.anchors.get(&anchor).cloned() else {
            let message = "an alias stands in the very value that it repeats";
            return Err(self.stop_with(self.error(span, message, "write the value out")));
        };
        self.repeated = self.repeated.saturating_add(whole.weight);
        if self.repeated > MAX_REPEATED {
            let message = format!("aliases repeat more than {MAX_REPEATED} bytes of values");
            return Err(self.stop_with(self.error(span, &message, "write the values out")));
        }
        if self.frames.len() + whole.height > MAX_DEPTH {
            return Err(self.stop_with(trouble::too_deep(self.place(span))));
        }
        whole.tree.span = span;
        self.add(whole);
        Ok(())
    }

    /// Whether a tag says that the value is text; any other tag is an error, and is passed over.
    fn is_text(&mut self, tag: Option<&Tag>, span: Option<Span>) -> bool {
        let Some(tag) = tag else { return false };
        if tag.is_yaml_core_schema_tag("str") {
            return true;
        }
        let message = format!("the tag `{}` is not known here", tag.original());
        let help = "remove it, or put the value in quotes where the `!` is meant";
        let error = self.error(span.unwrap_or_default(), &message, help);
        self.found.push(error);
        false
    }

    fn find_repeated_keys(&mut self, entries: &[Entry]) {
        let mut first: HashMap<&str, &Span> = HashMap::with_capacity(entries.len());
        for (key, _) in entries {
            if let Some(&before) = first.get(key.value.as_str()) {
                let message = format!("key `{}` is given twice", key.value);
                let error = Diagnostic::new(codes::E0105, self.place(key.span.clone()), message).label("again here");
                self.found.push(error.related(self.place(before.clone()), "first given here"));
            } else {
                first.insert(&key.value, &key.span);
            }
        }
    }

    fn stop_with(&mut self, error: Diagnostic) -> Stop {
        self.found.push(error);
        Stop::Cut
    }

    /// Keeps what was whole before the reading stopped. What came last may have been cut off: it is dropped, and so is a
    /// list or map in brackets that is still open.
    fn keep_what_is_whole(&mut self) {
        match self.frames.last_mut().map(|frame| &mut frame.open) {
            Some(Open::List(items)) => drop(items.pop()),
            Some(Open::Map(entries, None)) => drop(entries.pop()),
            Some(Open::Map(..)) => {}
            None => self.root = None,
        }
        while let Some(frame) = self.frames.pop() {
            if let Open::Map(entries, _) = &frame.open {
                self.find_repeated_keys(entries);
            }
            if !frame.flow {
                self.add(frame.whole(None));
            }
        }
    }

    /// Where the innermost `[` or `{` stands that is not closed.
    fn open_bracket(&self) -> Option<Span> {
        self.frames.last().filter(|frame| frame.flow).map(|frame| frame.span.clone())
    }

    fn absolute(&self, span: &granit_parser::Span) -> Span {
        let bytes = span.byte_range().unwrap_or_default();
        self.start + bytes.start..self.start + bytes.end
    }

    fn place(&self, span: Span) -> Place {
        Place::new(self.source.path(), span)
    }

    fn error(&self, span: Span, message: &str, help: &str) -> Diagnostic {
        Diagnostic::new(codes::E0103, self.place(span), message).help(help)
    }
}

impl Frame {
    fn whole(self, end: Option<usize>) -> Whole {
        let (last, node) = match self.open {
            Open::List(items) => (items.last().map(|item| item.span.end), Node::List(items)),
            Open::Map(entries, _) => (entries.last().map(|(_, value)| value.span.end), Node::Map(entries)),
        };
        let end = end.or(last).unwrap_or(self.span.end);
        let tree = Tree { value: Rc::new(node), span: self.span.start..end.max(self.span.end) };
        Whole { tree, height: self.height, weight: self.weight }
    }
}

/// An entry; a value that is not written at all stands where its key does.
fn entry(key: String, span: Span, mut value: Tree) -> Entry {
    if value.span.is_empty() && *value.value == Node::Null {
        value.span = span.clone();
    }
    (Spanned { value: key, span }, value)
}

fn key_text(node: &Node) -> Option<String> {
    match node {
        Node::Text(text) | Node::Number(text) => Some(text.clone()),
        Node::Bool(value) => Some(value.to_string()),
        Node::Null | Node::List(_) | Node::Map(_) => None,
    }
}
