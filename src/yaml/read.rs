//! A tree -> typed records, with everything that is wrong with it.

use super::{Entry, Field, Node, Record, Tree, Type, Value, Word, parse, schema};
use crate::diag::{self, Code, Diagnostic, Place, codes};
use crate::source::{Source, Span};

/// After so many unknown keys in one text no more names are suggested: the text is of another kind.
const MAX_SUGGESTED: usize = 100;
/// A longer word is no slip of the pen.
const MAX_SLIP: usize = 64;

/// Reads the records of one text: knows where in it the reading is, and collects the diagnostics.
#[derive(Debug)]
pub struct Reader<'s> {
    source: &'s Source,
    path: Vec<Step>,
    opening: Span,
    complete: bool,
    unknown: usize,
    found: Vec<Diagnostic>,
}

#[derive(Debug)]
enum Step {
    Key(String, Span),
    Item(Span),
}

impl<'s> Reader<'s> {
    /// Parses the YAML in `span`, whose root must be a map, and gives its entries to read. Keys that are missing from the
    /// root are reported at `opening`; `what` names the text in messages ("the front matter").
    #[must_use]
    pub fn open(source: &'s Source, span: Span, opening: Span, what: &str) -> (Self, Vec<Entry>) {
        let parsed = parse(source, span);
        let (path, complete, found) = (Vec::new(), parsed.complete, parsed.diagnostics);
        let mut reader = Self { source, path, opening, complete, unknown: 0, found };
        let Some(root) = parsed.root else {
            return (reader, Vec::new());
        };
        match &*root.value {
            Node::Map(entries) => return (reader, entries.clone()),
            Node::Null => {}
            node => {
                let error = reader.error(codes::E0106, &root.span, format!("{what} must be lines of `key: value`"));
                reader.found.push(error.label(kind_of(node)));
                reader.complete = false;
            }
        }
        (reader, Vec::new())
    }

    /// Whether the text was read to its end and is what its reader asks for.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// What was found, sorted by place.
    #[must_use]
    pub fn finish(mut self) -> Vec<Diagnostic> {
        diag::sort(&mut self.found);
        self.found
    }

    /// Reports keys that `fields` do not have, and required ones that `entries` do not have or that say nothing. From a
    /// text that was not read to its end, nothing is missing.
    pub fn check(&mut self, entries: &[Entry], fields: &[Field]) {
        for (key, _) in entries {
            if !fields.iter().any(|field| field.name == key.value) {
                self.report_unknown(&key.value, &key.span, fields);
            }
        }
        for field in fields.iter().filter(|field| field.required) {
            let name = self.dotted(Some(field.name));
            match entries.iter().find(|(key, _)| key.value == field.name) {
                Some((_, value)) if is_blank(&value.value) && self.complete => {
                    let message = format!("`{name}` is empty: it must be {}", field.ty);
                    self.found.push(self.error(codes::E0108, &value.span, message));
                }
                None if self.complete => {
                    let place = match self.path.last() {
                        Some(Step::Item(span) | Step::Key(_, span)) => span,
                        None => &self.opening,
                    };
                    let message = format!("required key `{name}` is missing: it must be {}", field.ty);
                    let error = self.error(codes::E0107, place, message);
                    let slip = entries.iter().find(|(key, _)| is_slip(&key.value, field.name, fields));
                    self.found.push(match slip {
                        Some((key, _)) => {
                            error.related(Place::new(self.source.path(), key.span.clone()), "perhaps this is it")
                        }
                        None => error,
                    });
                }
                _ => {}
            }
        }
    }

    /// Reads the value of a key, if it is given. Of a key that is given twice, the first counts.
    pub fn field<T: Value>(&mut self, entries: &[Entry], name: &str) -> Option<T> {
        entries.iter().find(|(key, _)| key.value == name).and_then(|entry| self.entry(entry))
    }

    /// Reads the value of an entry.
    pub fn entry<T: Value>(&mut self, (key, value): &Entry) -> Option<T> {
        self.within(Step::Key(key.value.clone(), key.span.clone()), |reader| T::read(value, reader))
    }

    /// Reads an item of a list, which may not be blank.
    pub(super) fn item<T: Value>(&mut self, tree: &Tree) -> Option<T> {
        self.within(Step::Item(tree.span.clone()), |reader| {
            if is_blank(&tree.value) {
                reader.refuse(&tree.span, |name| format!("{name} is empty"), "", None);
                return None;
            }
            T::read(tree, reader)
        })
    }

    /// Reads a record from a map, and checks its keys.
    pub fn record<T: Record>(&mut self, tree: &Tree) -> Option<T> {
        let Node::Map(entries) = &*tree.value else {
            self.wrong_type(tree, Type::Record(T::FIELDS));
            return None;
        };
        self.check(entries, T::FIELDS);
        Some(T::from_entries(entries, self))
    }

    /// Reads one of some words, and gives its index.
    pub(crate) fn word(&mut self, tree: &Tree, words: &'static [Word]) -> Option<usize> {
        let text: String = self.text(tree, Type::Words(words))?;
        let index = words.iter().position(|word| word.name == text);
        if index.is_none() {
            let expected = Type::Words(words);
            let near = near(&text, words.iter().map(|word| word.name));
            self.refuse(&tree.span, |name| format!("{name} must be {expected}"), "this is none of them", near);
        }
        index
    }

    /// Reads text, its lines joined. A number is text as it is spelled.
    pub(crate) fn text(&mut self, tree: &Tree, expected: Type) -> Option<String> {
        let (Node::Text(text) | Node::Number(text)) = &*tree.value else {
            self.wrong_type(tree, expected);
            return None;
        };
        if let Some(control) = text.chars().find(|&found| found.is_control() && !matches!(found, '\t' | '\n' | '\r')) {
            let code = u32::from(control);
            let message = |name: String| format!("{name} holds the control character U+{code:04X}");
            self.refuse(&tree.span, message, "", None);
            return None;
        }
        Some(text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "))
    }

    /// Reports a value of the wrong type, `E0106`.
    pub(crate) fn wrong_type(&mut self, tree: &Tree, expected: Type) {
        let message = format!("{} must be {expected}", self.name());
        let error = self.error(codes::E0106, &tree.span, message).label(kind_of(&tree.value));
        self.found.push(match way_out(&tree.value, expected) {
            Some(help) => error.help(help),
            None => error,
        });
    }

    /// Reports a value that is not allowed, `E0108`. The message is made from the value's name; `label` stands beside it.
    pub fn refuse(&mut self, span: &Span, message: impl Fn(String) -> String, label: &str, near: Option<&str>) {
        let error = self.error(codes::E0108, span, message(self.name())).label(label).nearest(near);
        self.found.push(error);
    }

    /// Reports a value that stands twice where it may stand once, `E0108`, with both places.
    pub fn refuse_repeated(&mut self, span: &Span, before: &Span, message: String) {
        let error = self.error(codes::E0108, span, message).label("again here");
        self.found.push(error.related(Place::new(self.source.path(), before.clone()), "first here"));
    }

    fn report_unknown(&mut self, key: &str, span: &Span, fields: &[Field]) {
        let message = match self.dotted(None) {
            parent if parent.is_empty() => format!("unknown key `{key}`"),
            parent => format!("unknown key `{key}` in `{parent}`"),
        };
        let mut error = self.error(codes::E0104, span, message);
        self.unknown += 1;
        if self.unknown <= MAX_SUGGESTED {
            let names = || fields.iter().map(|field| field.name);
            error = match near(key, names()) {
                Some(name) => error.nearest(Some(name)),
                None => error.help(format!("the keys here are {}", schema::listed(names()))),
            };
        }
        self.found.push(error);
    }

    fn within<T>(&mut self, step: Step, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.path.push(step);
        let value = read(self);
        self.path.pop();
        value
    }

    /// What messages call the value that is being read.
    fn name(&self) -> String {
        match self.path.last() {
            Some(Step::Item(_)) => format!("each item of `{}`", self.dotted(None)),
            _ => format!("`{}`", self.dotted(None)),
        }
    }

    fn dotted(&self, last: Option<&str>) -> String {
        let keys = self.path.iter().filter_map(|step| match step {
            Step::Key(name, _) => Some(name.as_str()),
            Step::Item(_) => None,
        });
        keys.chain(last).collect::<Vec<_>>().join(".")
    }

    /// An error at the first line of a span: a list or map of many lines is best shown by its beginning.
    fn error(&self, code: Code, span: &Span, message: String) -> Diagnostic {
        let text = self.source.text().get(span.clone()).unwrap_or_default();
        let width = text.lines().next().map_or(0, str::len);
        Diagnostic::new(code, Place::new(self.source.path(), span.start..span.start + width), message)
    }
}

fn near<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if text.len() > MAX_SLIP { None } else { diag::nearest(text, names) }
}

fn is_blank(node: &Node) -> bool {
    match node {
        Node::Text(text) => text.trim().is_empty(),
        Node::List(items) => items.is_empty(),
        _ => false,
    }
}

/// Whether an unknown key is probably this one, misspelled.
fn is_slip(key: &str, wanted: &str, fields: &[Field]) -> bool {
    !fields.iter().any(|field| field.name == key) && near(key, fields.iter().map(|field| field.name)) == Some(wanted)
}

fn kind_of(node: &Node) -> String {
    let kind = match node {
        Node::Null => "there is no value",
        Node::Bool(value) => return format!("this is `{value}`"),
        Node::Number(number) if number.len() <= MAX_SLIP => return format!("this is the number {number}"),
        Node::Number(_) => "this is a number",
        Node::Text(_) => "this is text",
        Node::List(_) => "this is a list",
        Node::Map(_) => "this is a map",
    };
    kind.to_owned()
}

/// What to write instead, where that can be said.
fn way_out(node: &Node, expected: Type) -> Option<String> {
    let short = |text: &str| text.len() <= MAX_SLIP && !text.contains(['\n', '\r']);
    match (node, expected) {
        (Node::Null, _) => Some("give it a value, or remove the key".to_owned()),
        (Node::Bool(value), Type::Text | Type::Form(_)) => Some(format!("put it in quotes: `\"{value}\"`")),
        (Node::Text(text), Type::List(Type::Text | Type::Form(_) | Type::Words(_))) if short(text) => {
            Some(format!("write `[{text}]`"))
        }
        (Node::Text(text), Type::Bool) => match text.to_lowercase().as_str() {
            "yes" | "on" | "y" => Some("write `true`".to_owned()),
            "no" | "off" | "n" => Some("write `false`".to_owned()),
            _ => None,
        },
        _ => None,
    }
}
