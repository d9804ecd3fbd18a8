//! Reads the literals of settings that are a program in JavaScript, which is not run: texts, lists and objects, with functions
//! and constants of the same file that are named in their place.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::yaml::{self, Node, Tree};

/// How deep functions and constants of the settings may name each other.
const DEPTH_LIMIT: usize = 8;

/// A file of the settings.
pub struct Settings<'p> {
    pub source: &'p Arc<Source>,
}

impl<'p> Settings<'p> {
    /// Returns those of some files in the folder `top` that exist.
    pub fn all(project: &'p Project, top: &str, names: &[&str]) -> Vec<Self> {
        let sources = names.iter().filter_map(|name| project.text(&format!("{top}{name}")));
        sources.map(|source| Self { source }).collect()
    }
}

impl Settings<'_> {
    /// Returns the literal that the file exports, or consists of.
    pub fn exported(&self) -> Option<Tree> {
        let mut marks = ["export default", "module.exports ="].into_iter();
        let found = marks.find_map(|mark| self.source.text().find(mark).map(|at| at + mark.len()));
        self.literal(found.unwrap_or_default(), 0)
    }

    /// Returns the value of the first property with this name that is a literal, or is named in its place.
    pub fn named(&self, name: &str) -> Option<Tree> {
        self.properties(0..self.source.text().len(), name).find_map(|at| self.literal(at, 0))
    }

    /// Returns the value of a property within the first object with the name `outer`.
    pub fn named_in(&self, outer: &str, name: &str) -> Option<Tree> {
        let text = self.source.text();
        let mut objects = self.properties(0..text.len(), outer).filter_map(|at| {
            let start = text.len() - text[at..].trim_start().len();
            Some(start..start + literal_as_yaml(&text[start..]).filter(|_| text[start..].starts_with('{'))?.1)
        });
        self.properties(objects.next()?, name).find_map(|at| self.literal(at, 0))
    }

    /// Returns where the values of the properties with this name begin.
    fn properties<'s>(&'s self, within: Range<usize>, name: &'s str) -> impl Iterator<Item = usize> + 's {
        let text = &self.source.text()[..within.end];
        let is_name = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
        let found = text[within.start..].match_indices(name).map(move |(at, _)| within.start + at);
        let value = |end: usize| Some(end + text[end..].strip_prefix(':').map(|_| 1)?);
        found.filter(move |at| is_name(*at)).filter_map(move |at| value(at + name.len()))
    }

    /// Reads the literal at `at`: a text, a list or an object, or the name of a constant or a function without arguments.
    pub fn literal(&self, at: usize, depth: usize) -> Option<Tree> {
        let rest = self.source.text()[at..].trim_start();
        let at = self.source.text().len() - rest.len();
        if !rest.starts_with(['[', '{', '\'', '"', '`']) {
            let name = &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_')?];
            return self.constant(name, depth + 1);
        }
        let ((text, _), line) = (literal_as_yaml(rest)?, self.source.line(at));
        // Lines above keep the numbers of lines.
        let source = Source::new("", "\n".repeat(line) + &text);
        let parsed = yaml::parse(&source, 0..source.text().len());
        let tree = parsed.root.filter(|_| parsed.complete)?;
        // A place is the number of its line from here on.
        Some(with_lines(&tree, &source))
    }

    /// Returns what a constant is, or a function returns.
    pub fn constant(&self, name: &str, depth: usize) -> Option<Tree> {
        let text = self.source.text();
        let find = |words: &str, mark: &str| {
            let after = text.find(&format!("{words} {name}")).map(|at| at + words.len() + 1 + name.len())?;
            let is_whole = text[after..].starts_with([' ', '(', ':', '=']);
            is_whole.then(|| text[after..].find(mark).map(|length| after + length + mark.len()))?
        };
        let at = find("function", "return ").or_else(|| find("const", " = "))?;
        (depth < DEPTH_LIMIT && !name.is_empty()).then(|| self.literal(at, depth))?
    }
}

/// Returns a tree whose spans are numbers of lines.
fn with_lines(tree: &Tree, source: &Source) -> Tree {
    let line = source.line(tree.span.start);
    let value = match &*tree.value {
        Node::List(items) => Rc::new(Node::List(items.iter().map(|item| with_lines(item, source)).collect())),
        Node::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| (name.clone(), with_lines(value, source)));
            Rc::new(Node::Map(entries.collect()))
        }
        _ => Rc::clone(&tree.value),
    };
    Tree { value, span: line..line }
}

/// Returns the literal of JavaScript at the beginning of a text as YAML: without comments, and with a space after each colon;
/// and its length.
fn literal_as_yaml(text: &str) -> Option<(String, usize)> {
    let (mut yaml, mut depth, mut at) = (String::new(), 0_usize, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if rest.starts_with("//") || rest.starts_with("/*") {
            let (end, kept) = if rest.starts_with("//") { ("\n", 1) } else { ("*/", 0) };
            let length = rest.find(end)? + end.len() - kept;
            yaml.extend(rest[..length].matches('\n'));
            at += length;
            continue;
        }
        match c {
            '\'' | '"' | '`' => {
                let end = rest[1..].match_indices(c).map(|(at, _)| at).find(|&at| !rest[1..=at].ends_with('\\'))?;
                let inner = rest[1..=end].replace(&format!("\\{c}"), &c.to_string());
                yaml += &yaml::to_scalar(&inner);
                at += end + 1;
            }
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        match c {
            '\'' | '"' | '`' => {}
            ':' => yaml += ": ",
            // YAML knows only spaces there.
            '\t' => yaml.push(' '),
            _ => yaml.push(c),
        }
        at += c.len_utf8();
        if depth == 0 {
            return Some((yaml, at));
        }
    }
    None
}
