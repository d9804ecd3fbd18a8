//! Reads the literals of settings that are a program in JavaScript, which is not run: texts, lists and objects, with functions
//! and constants that are named in their place. A call is a map from its name to its first argument: `{ "starlight()": … }`.
//! Anything else is unknown: its text in a list, and nothing as the value of a property.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::yaml::{Node, Spanned, Tree};

/// How deep values may be within each other.
const DEPTH_LIMIT: usize = 64;
/// How much of that depth a name takes that is resolved, because constants may name each other.
const NAME_DEPTH: usize = 8;
/// The most values that are read, also those of a name that occurs often.
const VALUE_LIMIT: usize = 100_000;

/// A file of the settings, and those from which it may import names.
pub struct Settings<'p> {
    pub source: &'p Arc<Source>,
    others: Vec<&'p Arc<Source>>,
    /// The place of all values, if they are imported by another file.
    place: Option<usize>,
    left: Cell<usize>,
}

impl<'p> Settings<'p> {
    /// Returns those of some files in the folder `top` that exist.
    pub fn all(project: &'p Project, top: &str, names: &[&str]) -> Vec<Self> {
        let sources = names.iter().filter_map(|name| project.text(&format!("{top}{name}")));
        let new = |source: &'p Arc<Source>| {
            let others = imports(source).into_iter().filter_map(|path| project.text(&path)).collect();
            Self { source, others, place: None, left: Cell::new(VALUE_LIMIT) }
        };
        sources.map(new).collect()
    }

    /// Returns what the file exports, or consists of, without the calls around it.
    pub fn exported(&self) -> Option<Tree> {
        let text = self.source.text();
        let after = |mark: &str| text.find(mark).map(|at| at + mark.len());
        let constant = || after("export const ").and_then(|at| text[at..].find(" = ").map(|length| at + length + 3));
        let at = after("export default").or_else(|| after("module.exports =")).or_else(constant);
        let tree = argument(self.literal(at.unwrap_or_default()));
        (!matches!(&*tree.value, Node::Null)).then_some(tree)
    }

    /// Reads the literal at a byte.
    fn literal(&self, at: usize) -> Tree {
        Reader { settings: self, text: self.source.text(), at }.value(0)
    }

    /// Returns what a constant is, or a function returns.
    pub fn constant(&self, name: &str, depth: usize) -> Option<Tree> {
        let text = self.source.text();
        let find = |words: &str, mark: &str| {
            let after = text.find(&format!("{words} {name}")).map(|at| at + words.len() + 1 + name.len())?;
            let is_whole = text[after..].starts_with([' ', '(', ':', '=']);
            is_whole.then(|| text[after..].find(mark).map(|length| after + length + mark.len()))?
        };
        // Names are searched in the whole text.
        self.left.set(self.left.get().saturating_sub(1 + (text.len() >> 14)));
        if depth >= DEPTH_LIMIT || name.is_empty() || self.left.get() == 0 {
            return None;
        }
        if let Some(at) = find("function", "return ").or_else(|| find("const", " = ")) {
            let tree = Reader { settings: self, text, at }.value(depth);
            return (!matches!(&*tree.value, Node::Null)).then_some(tree);
        }
        let place = text.find(name);
        let of_other = |source: &&'p Arc<Source>| Self { source, others: Vec::new(), place, left: self.left.clone() };
        self.others.iter().map(of_other).find_map(|other| other.constant(name, depth + NAME_DEPTH))
    }
}

/// Returns the paths of the files that a program in JavaScript may import by `from './name'`. They may not exist.
pub fn imports(source: &Source) -> Vec<String> {
    let named = source.text().split(" from ").skip(1).filter_map(|rest| rest.get(1..)?.split(['"', '\'']).next());
    let folder = infralens_source::url::folder(source.path());
    let paths = named.filter(|name| name.starts_with('.')).filter_map(|name| infralens_source::url::join(folder, name));
    paths.flat_map(|path| ["", ".ts", ".js", ".mjs", ".mts"].map(|end| format!("{path}{end}"))).collect()
}

struct Reader<'s> {
    settings: &'s Settings<'s>,
    text: &'s str,
    at: usize,
}

impl<'s> Reader<'s> {
    fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    /// Skips blanks and comments.
    fn blanks(&mut self) {
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            let end = match self.rest() {
                rest if rest.starts_with("//") => rest.find('\n'),
                rest if rest.starts_with("/*") => rest.find("*/").map(|length| length + 2),
                _ => return,
            };
            self.at += end.unwrap_or(self.rest().len());
        }
    }

    fn place(&self) -> usize {
        self.settings.place.unwrap_or(self.at)
    }

    fn value(&mut self, depth: usize) -> Tree {
        self.blanks();
        let place = self.place();
        let left = self.settings.left.get();
        self.settings.left.set(left.saturating_sub(1));
        let node = match self.rest().chars().next() {
            _ if depth > DEPTH_LIMIT || left == 0 => None,
            Some('{') => Some(self.object(depth)),
            Some('[') => Some(self.list(depth)),
            Some('\'' | '"' | '`') => self.quoted().map(Node::Text),
            Some('(') => {
                self.at += 1;
                let inner = self.value(depth + 1);
                self.close(')');
                return inner;
            }
            Some(_) => return self.word(depth, place).unwrap_or_else(|| tree(Node::Null, place)),
            None => None,
        };
        tree(node.unwrap_or(Node::Null), place)
    }

    /// Reads the values between brackets. Returns each with its key, and the text of each value.
    fn values(&mut self, depth: usize, close: char, has_keys: bool) -> Vec<(Option<Spanned<String>>, Tree)> {
        let mut found = Vec::new();
        self.at += 1;
        loop {
            self.blanks();
            let Some(first) = self.rest().chars().next().filter(|&first| first != close) else { break };
            if first == ',' {
                self.at += 1;
                continue;
            }
            let (start, place) = (self.at, self.place());
            let is_spread = self.rest().starts_with("...");
            self.at += if is_spread { 3 } else { 0 };
            let key = if has_keys && !is_spread { self.key() } else { None };
            self.blanks();
            let is_short = key.is_some() && !self.rest().starts_with(':');
            let from = if is_short { start } else { self.at + usize::from(key.is_some()) };
            let value = match &key {
                Some(name) if is_short => self.settings.constant(name, depth + NAME_DEPTH),
                _ => {
                    self.at = from;
                    Some(self.value(depth + 1))
                }
            };
            self.blanks();
            let is_whole = |mark: &str| self.rest().starts_with(mark);
            let is_whole = is_whole(",") || self.rest().starts_with(close) || is_whole("as ") || is_whole("satisfies ");
            self.skip();
            let key = key.map(|value| Spanned { value, span: place..place });
            match (value.filter(|value| is_whole && *value.value != Node::Null), key) {
                (Some(value), key) if !is_spread => found.push((key, value)),
                // Its place is the expression, so that a report can quote it.
                (None, Some(key)) => {
                    let end = |at| self.settings.place.unwrap_or(at);
                    found.push((Some(key), Spanned { value: Rc::new(Node::Null), span: end(from)..end(self.at) }));
                }
                (value, _) => match value.map(argument).as_ref().map(|value| &*value.value) {
                    Some(Node::List(items)) => found.extend(items.iter().map(|item| (None, item.clone()))),
                    Some(Node::Map(entries)) => {
                        found.extend(entries.iter().map(|(key, item)| (Some(key.clone()), item.clone())));
                    }
                    _ => {
                        let words = self.text[start..self.at].split_whitespace().collect::<Vec<_>>();
                        found.push((None, tree(Node::Text(words.join(" ")), place)));
                    }
                },
            }
            // A bracket that closes nothing.
            self.at += if self.at == start { first.len_utf8() } else { 0 };
        }
        self.close(close);
        found
    }

    fn list(&mut self, depth: usize) -> Node {
        Node::List(self.values(depth, ']', false).into_iter().map(|(_, value)| value).collect())
    }

    fn object(&mut self, depth: usize) -> Node {
        Node::Map(self.values(depth, '}', true).into_iter().filter_map(|(key, value)| Some((key?, value))).collect())
    }

    /// Reads the key of a property.
    fn key(&mut self) -> Option<String> {
        if self.rest().starts_with(['"', '\'']) {
            return self.quoted();
        }
        let name = self.name();
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn name(&mut self) -> &'s str {
        let rest = self.rest();
        let name = &rest[..rest.find(|c: char| !c.is_alphanumeric() && !"_$.-".contains(c)).unwrap_or(rest.len())];
        self.at += name.len();
        name
    }

    /// Reads a text in quotes; `None` if it has no end, or contains an expression.
    fn quoted(&mut self) -> Option<String> {
        let (rest, quote) = (self.rest(), self.rest().chars().next()?);
        let (mut text, mut is_escaped) = (String::new(), false);
        for (at, c) in rest.char_indices().skip(1) {
            if c == quote && !is_escaped {
                self.at += at + 1;
                return (quote != '`' || !text.contains("${")).then_some(text);
            }
            is_escaped = c == '\\' && !is_escaped;
            if !is_escaped {
                text.push(c);
            }
        }
        self.at = self.text.len();
        None
    }

    /// Reads a name, a number or a call.
    fn word(&mut self, depth: usize, place: usize) -> Option<Tree> {
        let name = self.name();
        let node = match name {
            "true" | "false" => Node::Bool(name == "true"),
            _ if name.starts_with(|c: char| c.is_ascii_digit()) => Node::Number(name.to_owned()),
            "async" | "function" => {
                let at = self.at + self.rest().find("return ")? + "return ".len();
                return Some(Reader { at, ..*self }.value(depth + NAME_DEPTH));
            }
            _ if !self.rest().starts_with('(') => return self.settings.constant(name, depth + NAME_DEPTH),
            _ => {
                self.at += 1;
                self.blanks();
                if self.rest().starts_with(')') {
                    self.at += 1;
                    return self.settings.constant(name, depth + NAME_DEPTH);
                }
                let argument = self.value(depth + 1);
                while self.rest().trim_start().starts_with(',') {
                    self.blanks();
                    self.at += 1;
                    self.skip();
                }
                self.close(')');
                // What a module exports as its default.
                self.name();
                match &*argument.value {
                    Node::Text(text) => Node::Text(text.clone()),
                    Node::Null | Node::Bool(_) | Node::Number(_) => return None,
                    _ => Node::Map(vec![(Spanned { value: format!("{name}()"), span: place..place }, argument)]),
                }
            }
        };
        Some(tree(node, place))
    }

    /// Skips to the comma or the bracket that ends a value.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        while let Some(c) = self.rest().chars().next() {
            match c {
                '\'' | '"' | '`' => {
                    self.quoted();
                    continue;
                }
                '/' if self.rest().starts_with("//") || self.rest().starts_with("/*") => {
                    self.blanks();
                    continue;
                }
                '[' | '{' | '(' => depth += 1,
                ']' | '}' | ')' | ',' if depth == 0 => return,
                ']' | '}' | ')' => depth -= 1,
                _ => {}
            }
            self.at += c.len_utf8();
        }
    }

    /// Skips what is before a bracket, and the bracket.
    fn close(&mut self, close: char) {
        self.skip();
        self.at += usize::from(self.rest().starts_with(close));
    }
}

/// Returns what a call is given, as in `defineConfig({ … })`; another value is itself.
fn argument(mut tree: Tree) -> Tree {
    while let Node::Map(entries) = &*tree.value
        && let [(name, inner)] = &entries[..]
        && name.ends_with("()")
    {
        tree = inner.clone();
    }
    tree
}

fn tree(node: Node, place: usize) -> Tree {
    Spanned { value: Rc::new(node), span: place..place }
}
