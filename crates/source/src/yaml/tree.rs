//! Builds a [`Tree`] from parser events, within the limits.
//!
//! 1. Each event opens, fills or closes a collection on a stack; there is no recursion.
//! 2. When a map closes, its duplicate keys are reported.
//! 3. The first syntax error or exceeded limit ends parsing: the truncated value is dropped, the values before it are kept.

use std::collections::HashMap;
use std::rc::Rc;

// `serde_yaml` is the crate serde-saphyr (see Cargo.toml), which exports its parser, granit.
use serde_yaml::granit_parser::{self, Event, Parser, ScalarStyle, StructureStyle, Tag};

use super::{Entry, MAX_DEPTH, MAX_REPEATED, MAX_VALUES, Node, Parsed, Spanned, Tree, comment, scalar, syntax_error};
use crate::diag::{Diagnostic, codes};
use crate::source::{Source, Span};

/// The weight of a value toward [`MAX_REPEATED`], in addition to the bytes of its text.
const VALUE_WEIGHT: usize = 64;

pub(super) fn build(source: &Source, span: Span) -> Parsed {
    let text = source.text().get(span.clone()).unwrap_or_default();
    let mut builder = Builder::new(source, span.start);
    let mut options = granit_parser::Options::default();
    options.set_emit_comments(false);
    options.disallow_directives = true;
    // The parser counts brackets and indentation separately; `Builder::open` limits their sum.
    options.flow_nesting_limit = MAX_DEPTH;
    options.block_nesting_limit = MAX_DEPTH;
    let mut complete = true;
    for event in Parser::new_from_str_with_options(text, options) {
        let step = match event {
            Ok((event, span)) => builder.step(event, &span),
            Err(error) => {
                let bracket = builder.open.last().filter(|open| open.flow).map(|open| open.span.clone());
                Err(builder.report_and_stop(syntax_error::explain(&error, source, span.start, bracket)))
            }
        };
        if let Err(stop) = step {
            complete = matches!(stop, Stop::SecondDocument);
            break;
        }
    }
    if !complete {
        builder.close_truncated();
        // The comment may be why the text could not be read.
        builder.diagnostics.retain(|found| found.code != codes::W0101);
    }
    Parsed { root: builder.root.map(|finished| finished.tree), complete, diagnostics: builder.diagnostics }
}

/// Why parsing ends before the text does. The diagnostic has been reported already.
enum Stop {
    /// The value is complete, and a second document follows it.
    SecondDocument,
    /// The rest of the value cannot be parsed.
    Truncated,
}

/// A complete value. An alias of it adds `height` to the nesting depth and `weight` to the repeated bytes.
#[derive(Clone)]
struct Finished {
    tree: Tree,
    /// The nesting depth of lists and maps; 0 for a scalar.
    height: usize,
    weight: usize,
}

/// A list or map that is not closed yet.
struct OpenCollection {
    items: Items,
    anchor: usize,
    span: Span,
    flow: bool,
    height: usize,
    weight: usize,
}

enum Items {
    List(Vec<Tree>),
    /// A map, and the key whose value has not been read yet. The key's text is `None` if the key is not a scalar; its value
    /// is then dropped.
    Map {
        entries: Vec<Entry>,
        pending_key: Option<Spanned<Option<String>>>,
    },
}

struct Builder<'s> {
    source: &'s Source,
    start: usize,
    open: Vec<OpenCollection>,
    anchors: HashMap<usize, Finished>,
    root: Option<Finished>,
    values: usize,
    repeated: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'s> Builder<'s> {
    fn new(source: &'s Source, start: usize) -> Self {
        let (open, diagnostics, anchors) = (Vec::new(), Vec::new(), HashMap::new());
        Self { source, start, open, anchors, root: None, values: 0, repeated: 0, diagnostics }
    }

    fn step(&mut self, event: Event<'_>, span: &granit_parser::Span) -> Result<(), Stop> {
        let tag_span = span.tag_span().map(|span| self.absolute(&span));
        let span = self.absolute(span);
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                let help = "a line `---` or `...` ends the first document: remove that line";
                self.diagnostics.push(self.error(span, "a second YAML document begins here", help));
                Err(Stop::SecondDocument)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = self.check_tag(tag.as_deref(), tag_span) || style != ScalarStyle::Plain;
                let node = if is_text { Node::Text(text.into_owned()) } else { scalar::plain(&text) };
                if let Node::Text(text) = &node
                    && style == ScalarStyle::Plain
                {
                    self.diagnostics.extend(comment::after(self.source, &span, text));
                }
                let weight = VALUE_WEIGHT + self.source.text().get(span.clone()).map_or(0, str::len);
                let finished = Finished { tree: Tree { value: Rc::new(node), span }, height: 0, weight };
                self.finish(finished, anchor)
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.check_collection_tag(tag.as_deref(), tag_span);
                self.open(Items::List(Vec::new()), style, anchor, span)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.check_collection_tag(tag.as_deref(), tag_span);
                self.open(Items::Map { entries: Vec::new(), pending_key: None }, style, anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(&span),
            Event::Alias(anchor) => self.alias(anchor, span),
            _ => Ok(()),
        }
    }

    fn open(&mut self, items: Items, style: StructureStyle, anchor: usize, span: Span) -> Result<(), Stop> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.report_and_stop(syntax_error::too_deep(self.source.place(span))));
        }
        let flow = style == StructureStyle::Flow;
        self.open.push(OpenCollection { items, anchor, span, flow, height: 1, weight: VALUE_WEIGHT });
        Ok(())
    }

    fn close(&mut self, end: &Span) -> Result<(), Stop> {
        let Some(collection) = self.open.pop() else { return Ok(()) };
        let anchor = collection.anchor;
        self.report_duplicate_keys(&collection.items);
        // The parser ends a block list or map where the next token begins, but people see its end after the last value.
        let end = if collection.flow { Some(end.end) } else { None };
        self.finish(collection.finished(end), anchor)
    }

    /// Counts a complete value, remembers its anchor, and adds it to the list or map that contains it.
    fn finish(&mut self, finished: Finished, anchor: usize) -> Result<(), Stop> {
        self.values += 1;
        if self.values > MAX_VALUES {
            let message = format!("more than {MAX_VALUES} values in one YAML text");
            return Err(self.report_and_stop(self.error(finished.tree.span, &message, "split the file")));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, finished.clone());
        }
        self.add(finished);
        Ok(())
    }

    fn add(&mut self, finished: Finished) {
        let Some(collection) = self.open.last_mut() else {
            self.root = Some(finished);
            return;
        };
        collection.height = collection.height.max(finished.height + 1);
        collection.weight = collection.weight.saturating_add(finished.weight);
        match &mut collection.items {
            Items::List(items) => items.push(finished.tree),
            Items::Map { entries, pending_key } => match pending_key.take() {
                None => {
                    let key = Spanned { value: key_text(&finished.tree.value), span: finished.tree.span };
                    if key.value.is_none() {
                        self.diagnostics.push(self.source.diagnostic(
                            codes::E0103,
                            key.span.clone(),
                            "a key must be text",
                        ));
                    }
                    *pending_key = Some(key);
                }
                Some(Spanned { value: Some(key), span }) => entries.push(entry(key, span, finished.tree)),
                Some(_) => {}
            },
        }
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Stop> {
        let Some(mut finished) = self.anchors.get(&anchor).cloned() else {
            let message = "this alias is inside the value that it repeats";
            return Err(self.report_and_stop(self.error(span, message, "write the value out")));
        };
        self.repeated = self.repeated.saturating_add(finished.weight);
        if self.repeated > MAX_REPEATED {
            let message = format!("aliases repeat more than {MAX_REPEATED} bytes of values");
            return Err(self.report_and_stop(self.error(span, &message, "write the values out")));
        }
        if self.open.len() + finished.height > MAX_DEPTH {
            return Err(self.report_and_stop(syntax_error::too_deep(self.source.place(span))));
        }
        finished.tree.span = span;
        self.add(finished);
        Ok(())
    }

    /// Returns whether the tag is `!!str`. Any other tag is reported and ignored.
    fn check_tag(&mut self, tag: Option<&Tag>, span: Option<Span>) -> bool {
        let Some(tag) = tag else { return false };
        if tag.is_yaml_core_schema_tag("str") {
            return true;
        }
        let message = format!("unknown tag `{}`", tag.original());
        let help = "remove it, or put the value in quotes if the `!` is meant as text";
        self.diagnostics.push(self.error(span.unwrap_or_default(), &message, help));
        false
    }

    /// Reports the tag of a list or map, which can have none.
    fn check_collection_tag(&mut self, tag: Option<&Tag>, span: Option<Span>) {
        if self.check_tag(tag, span.clone()) {
            let message = "the tag `!!str` does not fit a list or map";
            self.diagnostics.push(self.error(span.unwrap_or_default(), message, "remove it"));
        }
    }

    fn report_duplicate_keys(&mut self, items: &Items) {
        let Items::Map { entries, .. } = items else { return };
        let mut seen: HashMap<&str, &Span> = HashMap::with_capacity(entries.len());
        for (key, _) in entries {
            if let Some(&before) = seen.get(key.value.as_str()) {
                let message = format!("key `{}` is given twice", key.value);
                let error = self.source.diagnostic(codes::E0105, key.span.clone(), message).label("again here");
                self.diagnostics.push(error.related(self.source.place(before.clone()), "first given here"));
            } else {
                seen.insert(&key.value, &key.span);
            }
        }
    }

    fn report_and_stop(&mut self, error: Diagnostic) -> Stop {
        self.diagnostics.push(error);
        Stop::Truncated
    }

    /// Closes what is still open after parsing stopped. The last value may be truncated, so it is dropped, and so are lists
    /// and maps in brackets that are not closed: such a bracket may have swallowed the lines after it, which indentation
    /// cannot do.
    fn close_truncated(&mut self) {
        match self.open.last_mut().map(|collection| &mut collection.items) {
            Some(Items::List(items)) => drop(items.pop()),
            Some(Items::Map { entries, pending_key: None }) => drop(entries.pop()),
            Some(Items::Map { .. }) => {}
            // A list or map that is closed already is not truncated.
            None => self.root = self.root.take().filter(|root| root.height > 0),
        }
        while let Some(collection) = self.open.pop() {
            self.report_duplicate_keys(&collection.items);
            if !collection.flow {
                self.add(collection.finished(None));
            }
        }
    }

    fn absolute(&self, span: &granit_parser::Span) -> Span {
        let bytes = span.byte_range().unwrap_or_default();
        self.start + bytes.start..self.start + bytes.end
    }

    fn error(&self, span: Span, message: &str, help: &str) -> Diagnostic {
        self.source.diagnostic(codes::E0103, span, message).help(help)
    }
}

impl OpenCollection {
    fn finished(self, end: Option<usize>) -> Finished {
        let (last, node) = match self.items {
            Items::List(items) => (items.last().map(|item| item.span.end), Node::List(items)),
            Items::Map { entries, .. } => (entries.last().map(|(_, value)| value.span.end), Node::Map(entries)),
        };
        let end = end.or(last).unwrap_or(self.span.end);
        let tree = Tree { value: Rc::new(node), span: self.span.start..end.max(self.span.end) };
        Finished { tree, height: self.height, weight: self.weight }
    }
}

/// Creates an entry; a missing value gets the span of its key.
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
