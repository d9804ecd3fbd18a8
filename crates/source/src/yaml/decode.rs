//! Decodes a tree into typed records, and reports everything in it that does not fit them.

use std::rc::Rc;

use super::{Choice, Entry, Field, Node, Record, Spanned, Tree, Type, Value, comment, parse, schema, to_scalar};
use crate::diag::{self, Code, Diagnostic, Fix, Near, codes};
use crate::source::{Source, Span, lines_from};

/// The number of unknown keys in one text for which similar names are suggested. A text with more is probably not meant for
/// this record, and each suggestion takes time.
const MAX_SUGGESTED: usize = 100;
/// The maximum length of a text with a syntax error, in bytes, whose other keys are read: each is parsed by itself, within
/// limits of its own.
const MAX_RECOVERED: usize = 1 << 16;
/// The longest name, in bytes, that may be a misspelling of another.
const MAX_NAME_LEN: usize = 64;

/// Decodes the records of one text: tracks the current position in the tree and collects the diagnostics.
#[derive(Debug)]
pub struct Decoder<'s> {
    source: &'s Source,
    path: Vec<Step>,
    opening: Span,
    complete: bool,
    /// Where the syntax error is that ends the text.
    cut: Option<usize>,
    unknown: usize,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
enum Step {
    Key(String, Span),
    Item(Span),
}

impl<'s> Decoder<'s> {
    /// Parses the YAML in `span`, whose root must be a map, and returns its entries along with a decoder for them. Keys
    /// that are missing from the root are reported at `opening`; `what` names the text in messages ("the front matter").
    pub fn open(source: &'s Source, span: Span, opening: Span, what: &str) -> (Self, Vec<Entry>) {
        let parsed = parse(source, span.clone());
        let (path, complete, diagnostics) = (Vec::new(), parsed.complete, parsed.diagnostics);
        let errors = diagnostics.iter().filter(|found| found.code == codes::E0103 && !complete);
        let cut = errors.filter_map(|found| Some(found.place.span?.0)).max();
        let mut decoder = Self { source, path, opening, complete, cut, unknown: 0, diagnostics };
        let parts = if complete || span.len() > MAX_RECOVERED { Vec::new() } else { entries_of_parts(source, &span) };
        let Some(root) = parsed.root else {
            return (decoder, parts);
        };
        match &*root.value {
            Node::Map(entries) => return (decoder, with_parts(entries.clone(), parts)),
            Node::Null => {}
            node => {
                let error = decoder.error(codes::E0106, &root.span, format!("{what} must be lines of `key: value`"));
                decoder.diagnostics.push(error.label(describe(node)));
                decoder.complete = false;
            }
        }
        (decoder, Vec::new())
    }

    /// Whether a key that was not found is really missing: the document was read completely, and its root is a map or empty.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns the diagnostics, sorted by place.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if let Some(cut) = self.cut {
            // What follows a syntax error was read for its values, and is judged when the error is mended.
            let is_before = |found: &Diagnostic| found.place.span.is_some_and(|(start, _)| start < cut);
            self.diagnostics.retain(|found| found.code == codes::E0103 || is_before(found));
        }
        diag::sort(&mut self.diagnostics);
        self.diagnostics
    }

    /// Reports the keys of `entries` that are not among `fields`, and required fields that are missing or empty. In a text
    /// that was not read to its end, nothing is reported as missing.
    pub fn check_keys(&mut self, entries: &[Entry], fields: &[Field]) {
        for (key, _) in entries {
            if !fields.iter().any(|field| field.name == key.value) {
                self.report_unknown(&key.value, &key.span, fields);
            }
        }
        for field in fields.iter().filter(|field| field.required) {
            let name = self.dotted_path(Some(field.name));
            match entries.iter().find(|(key, _)| key.value == field.name) {
                Some((_, value)) if is_blank(&value.value) && self.complete => {
                    let message = format!("`{name}` is empty: it must be {}", field.ty);
                    self.diagnostics.push(self.error(codes::E0108, &value.span, message));
                }
                // A key that is misspelled is reported as unknown, with what it should be.
                None if self.complete
                    && !entries.iter().any(|(key, _)| is_misspelled(&key.value, field.name, fields)) =>
                {
                    let place = match self.path.last() {
                        Some(Step::Item(span) | Step::Key(_, span)) => span,
                        None => &self.opening,
                    };
                    let message = format!("required key `{name}` is missing: it must be {}", field.ty);
                    let error = self.error(codes::E0107, place, message);
                    let fix = self.missing_key(field.name, entries);
                    self.diagnostics.push(error.fix(fix));
                }
                _ => {}
            }
        }
    }

    /// Decodes the value of a key, if the key is present. If it is present twice, the first one counts. An empty required
    /// value is not decoded, because [`check_keys`](Self::check_keys) reports it.
    pub fn decode_field<T: Value>(&mut self, entries: &[Entry], name: &str, required: bool) -> Option<T> {
        let entry = entries.iter().find(|(key, _)| key.value == name)?;
        if required && is_blank(&entry.1.value) { None } else { self.decode_entry(entry) }
    }

    pub fn decode_entry<T: Value>(&mut self, (key, value): &Entry) -> Option<T> {
        self.at_step(Step::Key(key.value.clone(), key.span.clone()), |decoder| T::read(value, decoder))
    }

    /// Decodes an item of a list, which must not be blank.
    pub(super) fn decode_item<T: Value>(&mut self, tree: &Tree) -> Option<T> {
        self.at_step(Step::Item(tree.span.clone()), |decoder| {
            if is_blank(&tree.value) {
                decoder.reject(&tree.span, |name| format!("{name} is empty"), "", None);
                return None;
            }
            T::read(tree, decoder)
        })
    }

    /// Decodes an entry of a [`Map`](super::Map), whose keys are not declared. Neither key nor value may be blank.
    pub(super) fn decode_map_entry<K: Value, V: Value>(&mut self, (key, value): &Entry) -> Option<(Spanned<K>, V)> {
        self.at_step(Step::Key(key.value.clone(), key.span.clone()), |decoder| {
            let key = Tree { value: Rc::new(Node::Text(key.value.clone())), span: key.span.clone() };
            for (tree, what) in [(&key, "the key of "), (value, "")] {
                if is_blank(&tree.value) {
                    decoder.reject(&tree.span, |name| format!("{what}{name} is empty"), "", None);
                    return None;
                }
            }
            Some((Spanned::read(&key, decoder)?, V::read(value, decoder)?))
        })
    }

    /// Decodes a record from a map, and checks the map's keys.
    pub fn decode_record<T: Record>(&mut self, tree: &Tree) -> Option<T> {
        let Node::Map(entries) = &*tree.value else { return self.reject_type(tree, Type::Record(T::FIELDS)) };
        self.check_keys(entries, T::FIELDS);
        Some(T::from_entries(entries, self))
    }

    /// Decodes the name of one of `choices`, and returns its index.
    pub fn decode_choice(&mut self, tree: &Tree, choices: &'static [Choice]) -> Option<usize> {
        let expected = Type::OneOf(choices);
        let text = self.decode_text(tree, expected)?;
        let index = choices.iter().position(|choice| choice.name == text);
        if index.is_none() {
            let near = near(&text, choices.iter().map(|choice| choice.name));
            self.reject(&tree.span, |name| format!("{name} must be {expected}"), "not one of them", near);
        }
        index
    }

    /// Decodes text, and joins its lines. A number becomes text as it is spelled.
    pub fn decode_text(&mut self, tree: &Tree, expected: Type) -> Option<String> {
        let (Node::Text(text) | Node::Number(text)) = &*tree.value else { return self.reject_type(tree, expected) };
        if let Some(control) = text.chars().find(|&found| found.is_control() && !matches!(found, '\t' | '\n' | '\r')) {
            let code = u32::from(control);
            let message = |name: String| format!("{name} contains the control character U+{code:04X}");
            self.reject(&tree.span, message, "", None);
            return None;
        }
        Some(schema::join_lines(text))
    }

    /// Reports a value of the wrong type, `E0106`, and returns `None`.
    pub fn reject_type<T>(&mut self, tree: &Tree, expected: Type) -> Option<T> {
        let message = format!("{} must be {expected}", self.name());
        let error = self.error(codes::E0106, &tree.span, message).label(describe(&tree.value));
        let is_cut = *tree.value == Node::Null && comment::is_value(self.source, &tree.span);
        let help = "put it in quotes, because an unquoted `#` begins a comment";
        self.diagnostics.push(if is_cut { error.help(help) } else { suggest(error, &tree.value, expected) });
        None
    }

    /// Reports a value that is not allowed, `E0108`. `message` gets the name of the value; `label` is shown at the span.
    pub fn reject(&mut self, span: &Span, message: impl FnOnce(String) -> String, label: &str, near: Option<Near<'_>>) {
        let error = self.error(codes::E0108, span, message(self.name())).label(label);
        let written = self.source.first_line(span);
        let error = error.instead(self.source, &self.source.text()[written], near);
        self.diagnostics.push(error);
    }

    /// Reports a duplicate in a list of unique values, `E0108`, with the places of both.
    pub fn reject_duplicate(&mut self, span: &Span, before: &Span, message: String) {
        let error = self.error(codes::E0108, span, message).label("again here");
        self.diagnostics.push(error.related(self.source.place(before.clone()), "first here"));
    }

    fn report_unknown(&mut self, key: &str, span: &Span, fields: &[Field]) {
        let message = match self.dotted_path(None) {
            parent if parent.is_empty() => format!("unknown key `{key}`"),
            parent => format!("unknown key `{key}` in `{parent}`"),
        };
        let mut error = self.error(codes::E0104, span, message);
        self.unknown += 1;
        if self.unknown <= MAX_SUGGESTED {
            let names = || fields.iter().map(|field| field.name);
            error = match near(key, names()) {
                Some(near) => error.instead(self.source, &self.source.text()[span.clone()], Some(near)),
                None => error.help(format!("the known keys are {}", diag::listed(names()))),
            };
        }
        self.diagnostics.push(error);
    }

    /// Returns the fix that adds a key in the lines of a map. What its value is, only the author knows.
    fn missing_key(&self, name: &str, entries: &[Entry]) -> Option<Fix> {
        let at = entries.first()?.0.span.start;
        let line = self.source.line_span(self.source.line(at)).start;
        let indent = self.source.text().get(line..at).filter(|indent| indent.chars().all(|c| c == ' '))?;
        let line_end = if self.source.text().contains("\r\n") { "\r\n" } else { "\n" };
        let edit = diag::Edit::new(self.source, at..at, format!("{name}: {line_end}{indent}"));
        Some(Fix::new(format!("add `{name}`"), vec![edit]))
    }

    fn at_step<T>(&mut self, step: Step, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.path.push(step);
        let value = read(self);
        self.path.pop();
        value
    }

    /// Returns the name of the current value for messages.
    fn name(&self) -> String {
        match self.path.last() {
            Some(Step::Item(_)) => format!("each item of `{}`", self.dotted_path(None)),
            _ => format!("`{}`", self.dotted_path(None)),
        }
    }

    fn dotted_path(&self, last: Option<&str>) -> String {
        let keys = self.path.iter().filter_map(|step| match step {
            Step::Key(name, _) => Some(name.as_str()),
            Step::Item(_) => None,
        });
        keys.chain(last).collect::<Vec<_>>().join(".")
    }

    /// Creates an error at the first line of `span`, because the first line is enough to recognize a long list or map.
    fn error(&self, code: Code, span: &Span, message: String) -> Diagnostic {
        let text = self.source.text().get(span.clone()).unwrap_or_default();
        let width = text.lines().next().map_or(0, str::len);
        self.source.diagnostic(code, span.start..span.start + width, message)
    }
}

fn near<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<Near<'a>> {
    if text.len() > MAX_NAME_LEN { None } else { diag::similar(text, names) }
}

fn is_blank(node: &Node) -> bool {
    match node {
        Node::Text(text) => text.trim().is_empty(),
        Node::List(items) => items.is_empty(),
        _ => false,
    }
}

/// Whether `key` is unknown and probably a misspelling of `wanted`.
fn is_misspelled(key: &str, wanted: &str, fields: &[Field]) -> bool {
    !fields.iter().any(|field| field.name == key)
        && near(key, fields.iter().map(|field| field.name)).is_some_and(|near| near.name == wanted)
}

fn describe(node: &Node) -> String {
    let kind = match node {
        Node::Null => "there is no value",
        Node::Bool(value) => return format!("this is `{value}`"),
        Node::Number(number) if number.len() <= MAX_NAME_LEN => return format!("this is the number {number}"),
        Node::Number(_) => "this is a number",
        Node::Text(_) => "this is text",
        Node::List(_) => "this is a list",
        Node::Map(_) => "this is a map",
    };
    kind.to_owned()
}

/// Returns the entries of the root map of a text with a syntax error, as far as they can be read. Each key that begins a line
/// is parsed by itself, with the lines below it, because the error is most often in one that is being written.
fn entries_of_parts(source: &Source, span: &Span) -> Vec<Entry> {
    let text = &source.text()[span.clone()];
    let starts_key = |line: &str| line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '\''));
    let lines = lines_from(text, span.start).filter(|(_, line)| starts_key(line));
    let starts: Vec<usize> = lines.map(|(start, _)| start).chain([span.end]).collect();
    let parts = starts.windows(2).filter_map(|part| parse(source, part[0]..part[1]).root);
    let entries =
        parts.flat_map(|root| if let Node::Map(entries) = &*root.value { entries.clone() } else { Vec::new() });
    entries.collect()
}

/// Adds entries to those before a syntax error. The last of these may have taken in what follows it.
fn with_parts(mut entries: Vec<Entry>, parts: Vec<Entry>) -> Vec<Entry> {
    let last = if parts.is_empty() { None } else { entries.pop() };
    let is_new = |known: &[Entry], key: &str| known.iter().all(|(other, _)| other.value != key);
    let known = entries.len();
    entries.extend(parts.into_iter().filter(|(key, _)| is_new(&entries[..known], &key.value)).collect::<Vec<_>>());
    entries.extend(last.filter(|(key, _)| is_new(&entries, &key.value)));
    entries
}

/// Adds what to write instead, if the mistake is a known one.
fn suggest(error: Diagnostic, node: &Node, expected: Type) -> Diagnostic {
    let short = |text: &str| text.len() <= MAX_NAME_LEN && !text.contains(['\n', '\r']);
    match (node, expected) {
        (Node::Null, _) => error.help("give it a value, or remove the key"),
        (Node::Bool(value), Type::Text | Type::ValidatedText(_)) => {
            let written = format!("\"{value}\"");
            error.write(&written, format!("put it in quotes: `{written}`"))
        }
        (Node::Text(text), Type::List(Type::Text | Type::ValidatedText(_) | Type::OneOf(_))) if short(text) => {
            let written = format!("[{text}]");
            error.write(&written, format!("write `{written}`"))
        }
        (Node::Text(text), Type::Record(fields)) if short(text) => {
            let mut required = fields.iter().filter(|field| field.required);
            let (Some(key), None) = (required.next(), required.next()) else { return error };
            let written = format!("{{ {}: {} }}", key.name, to_scalar(text));
            error.write(&written, format!("write `{written}`"))
        }
        (Node::Text(text), Type::Count) => {
            let number: String =
                text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
            let number = if number.is_empty() { "10" } else { &number };
            error.help(format!("write digits alone, without quotes, as in `{number}`"))
        }
        (Node::Number(number), Type::Count) if number.contains('.') => error.help("round it"),
        (Node::Text(text), Type::Bool) => match text.to_lowercase().as_str() {
            "yes" | "on" | "y" => error.write("true", "write `true`"),
            "no" | "off" | "n" => error.write("false", "write `false`"),
            _ => error,
        },
        _ => error,
    }
}
