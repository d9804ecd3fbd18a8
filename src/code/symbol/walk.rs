//! One walk over a tree, from its first node to its last, without recursion.
//!
//! It carries what the nodes around and before say: the path they make, the wrapper that a definition begins with, and the
//! comments directly above.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::declarator::{Declared, declared, spelled};
use super::language::{Language, Role};
use super::{Symbol, bare, without_arguments};

/// The longest path of a symbol, in bytes; what has a longer one is left out, so that deep nests of long names stay small.
const LONGEST_PATH: usize = 512;

/// The symbols of a tree, in the order in which they begin. `known` is what was parsed, `text` the file; places in the
/// one are places in the other.
pub(super) fn walk(language: Language, tree: &Tree, text: &str, known: &str) -> Vec<Symbol> {
    let line_starts = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let mut walk = Walk {
        language,
        text,
        known,
        line_starts,
        path: String::new(),
        scopes: Vec::new(),
        wrappers: Vec::new(),
        lead: None,
        found: Vec::new(),
    };
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        walk.enter(cursor.node(), depth);
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            walk.leave(depth);
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return without_declared(walk.found);
            }
            depth -= 1;
        }
    }
}

/// A symbol, and whether it is only declared.
struct Found {
    symbol: Symbol,
    is_declared: bool,
}

/// A node around, which is a part of paths.
struct Scope {
    depth: usize,
    /// The length of the path before it.
    outer: usize,
    is_function: bool,
    /// Its path would be too long: what lies in it is left out.
    is_lost: bool,
}

/// A node around, which belongs to the definition in it.
struct Wrapper {
    depth: usize,
    bytes: Range<usize>,
    /// The name that a type definition gives to what has none.
    alias: Option<String>,
}

struct Walk<'t> {
    language: Language,
    text: &'t str,
    known: &'t str,
    line_starts: Vec<usize>,
    path: String,
    scopes: Vec<Scope>,
    wrappers: Vec<Wrapper>,
    /// The bytes of the last comments and attributes that follow each other directly.
    lead: Option<Range<usize>>,
    found: Vec<Found>,
}

impl Walk<'_> {
    fn enter(&mut self, node: Node, depth: usize) {
        let name = || node.child_by_field_name("name");
        match self.language.role(node.kind()) {
            Role::Other => {}
            Role::Lead => self.extend_lead(node),
            Role::Wrapper => self.wrap(node, depth),
            Role::Scope => {
                let part = name().map_or_else(String::new, |name| spelled(name, self.text));
                self.push_scope(depth, &[&part], false);
            }
            Role::Impl => {
                let part = node
                    .child_by_field_name("type")
                    .map_or_else(String::new, |name| self.type_name(name));
                self.push_scope(depth, &[&part], false);
            }
            Role::Named => self.named(node, name(), depth, false),
            Role::Signature => self.named(node, name(), depth, true),
            Role::NamedWithBody if node.child_by_field_name("body").is_none() => {}
            Role::NamedWithBody => match name().and_then(|name| declared(name, self.text)) {
                Some(declared) => self.define(node, depth, &declared, false),
                None => self.push_alias(depth),
            },
            Role::Function => {
                let name = node
                    .child_by_field_name("declarator")
                    .and_then(|name| declared(name, self.text));
                if let Some(declared) = name {
                    self.define(node, depth, &declared, true);
                }
            }
            Role::Declaration => self.declaration(node, depth),
            Role::Typedef => self.typedef(node, depth),
        }
    }

    /// Forgets the node at `depth`.
    fn leave(&mut self, depth: usize) {
        while let Some(scope) = self.scopes.pop_if(|scope| scope.depth >= depth) {
            self.path.truncate(scope.outer);
        }
        while self.wrappers.pop_if(|wrapper| wrapper.depth >= depth).is_some() {}
    }

    /// A definition, or a signature, whose name is one node.
    fn named(&mut self, node: Node, name: Option<Node>, depth: usize, is_declared: bool) {
        let Some(name) = name else { return };
        let part = spelled(name, self.text);
        let bytes = self.extent(node, depth);
        self.record(&[&part], name.byte_range(), bytes, is_declared);
        self.push_scope(depth, &[&part], true);
    }

    /// A definition whose name is a declarator's.
    fn define(&mut self, node: Node, depth: usize, declared: &Declared, is_function: bool) {
        let bytes = self.extent(node, depth);
        let parts = declared.parts();
        self.record(&parts, declared.at.clone(), bytes, false);
        self.push_scope(depth, &parts, is_function);
    }

    /// A C declaration: of functions, unless it is a statement (where `T x(y);` declares a variable).
    fn declaration(&mut self, node: Node, depth: usize) {
        self.wrap(node, depth);
        if self.scopes.last().is_some_and(|scope| scope.is_function) {
            return;
        }
        for declarator in node.children_by_field_name("declarator", &mut node.walk()) {
            if let Some(declared) = declared(declarator, self.text).filter(|declared| declared.is_function) {
                let bytes = self.extent(node, depth);
                self.record(&declared.parts(), declared.at.clone(), bytes, true);
            }
        }
    }

    /// `typedef struct Tag { … } Name;` defines `Name` and, where it differs, `Tag`.
    fn typedef(&mut self, node: Node, depth: usize) {
        self.wrap(node, depth);
        let held = node
            .child_by_field_name("type")
            .filter(|held| held.child_by_field_name("body").is_some());
        let Some(held) = held else { return };
        let tag = held.child_by_field_name("name").map(|tag| spelled(tag, self.text));
        let mut alias = None;
        for declarator in node.children_by_field_name("declarator", &mut node.walk()) {
            let Some(declared) = declared(declarator, self.text) else {
                continue;
            };
            if tag.as_ref() != Some(&declared.part) {
                let bytes = self.extent(node, depth);
                self.record(&[&declared.part], declared.at, bytes, false);
            }
            alias.get_or_insert(declared.part);
        }
        if let Some(wrapper) = self.wrappers.last_mut() {
            wrapper.alias = alias;
        }
    }

    fn wrap(&mut self, node: Node, depth: usize) {
        let bytes = self.extent(node, depth);
        self.wrappers.push(Wrapper {
            depth,
            bytes,
            alias: None,
        });
    }

    /// A struct without a name has that of the type definition around it.
    fn push_alias(&mut self, depth: usize) {
        let wrapper = self.wrappers.last().filter(|wrapper| wrapper.depth + 1 == depth);
        if let Some(alias) = wrapper.and_then(|wrapper| wrapper.alias.clone()) {
            self.push_scope(depth, &[&alias], false);
        }
    }

    fn push_scope(&mut self, depth: usize, parts: &[&str], is_function: bool) {
        let outer = self.path.len();
        let was_lost = self.scopes.last().is_some_and(|scope| scope.is_lost);
        let path = self.joined(parts).filter(|_| !was_lost);
        self.scopes.push(Scope {
            depth,
            outer,
            is_function,
            is_lost: path.is_none(),
        });
        if let Some(path) = path {
            self.path = path;
        }
    }

    /// The path with `parts`, unless it is too long.
    fn joined(&self, parts: &[&str]) -> Option<String> {
        let mut path = self.path.clone();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            if !path.is_empty() {
                path.push_str(self.language.separator());
            }
            path.push_str(part);
            if path.len() > LONGEST_PATH {
                return None;
            }
        }
        Some(path)
    }

    fn record(&mut self, parts: &[&str], name_at: Range<usize>, bytes: Range<usize>, is_declared: bool) {
        let is_lost = self.scopes.last().is_some_and(|scope| scope.is_lost);
        let (Some(path), Some(part)) = (self.joined(parts).filter(|_| !is_lost), parts.last()) else {
            return;
        };
        let name = if self.language.is_c_family() {
            without_arguments(part).into_owned()
        } else {
            (*part).to_owned()
        };
        if name.is_empty() {
            return;
        }
        let line = self.line_of(name_at.start);
        let lines = self.line_of(bytes.start)..self.line_of(bytes.end.saturating_sub(1).max(bytes.start)) + 1;
        self.found.push(Found {
            symbol: Symbol {
                name,
                path,
                name_at,
                line,
                lines,
            },
            is_declared,
        });
    }

    /// The bytes of a definition, with its wrapper and the comments directly above it.
    fn extent(&mut self, node: Node, depth: usize) -> Range<usize> {
        let around = self
            .wrappers
            .last()
            .filter(|wrapper| wrapper.depth + 1 == depth || wrapper.depth == depth);
        if let Some(wrapper) = around {
            return wrapper.bytes.clone();
        }
        let start = self.with_blanked(node.start_byte());
        let end = self.trimmed_end(node);
        let lead = self
            .lead
            .take()
            .filter(|lead| self.adjoins(lead.end, start) && self.is_level(lead.start, start));
        lead.map_or(start, |lead| lead.start)..end
    }

    /// Where a definition that was parsed from `start` on begins in the file: qualifiers were blanked before it.
    fn with_blanked(&self, start: usize) -> usize {
        let before = self.known.get(..start).map_or(start, |before| before.trim_end().len());
        let blanked = self.text.get(before..start).unwrap_or_default();
        start - blanked.trim_start().len()
    }

    /// Takes a comment or an attribute as the beginning of what may follow it directly.
    fn extend_lead(&mut self, node: Node) {
        let start = node.start_byte();
        let end = self.trimmed_end(node);
        if self.line_of(start) == 0 && self.text[start..end].starts_with("#!") {
            return;
        }
        self.lead = match self.lead.take() {
            Some(lead) if self.adjoins(lead.end, start) && self.is_level(lead.start, start) => Some(lead.start..end),
            _ => self.is_first_on_line(start).then_some(start..end),
        };
    }

    /// Where a node ends, without white space (some nodes hold their line end).
    fn trimmed_end(&self, node: Node) -> usize {
        let range = node.byte_range();
        range.start + self.text.get(range).map_or(0, |text| text.trim_end().len())
    }

    /// Whether `start` comes after `end` on the same line or at the beginning of the next.
    fn adjoins(&self, end: usize, start: usize) -> bool {
        let Some(between) = self.text.as_bytes().get(end..start) else {
            return false;
        };
        let mut line_ends = 0;
        between.iter().all(|&byte| {
            line_ends += usize::from(byte == b'\n');
            byte.is_ascii_whitespace() && line_ends < 2
        })
    }

    /// Whether a comment at `above` has the indentation that one of what begins at `start` has.
    fn is_level(&self, above: usize, start: usize) -> bool {
        let column = |at: usize| at - self.line_starts[self.line_of(at)];
        !self.language.has_indented_blocks() || column(above) == column(start)
    }

    fn is_first_on_line(&self, at: usize) -> bool {
        let before = self
            .text
            .get(..at)
            .unwrap_or_default()
            .trim_end_matches([' ', '\t', '\u{feff}']);
        before.is_empty() || before.ends_with('\n')
    }

    fn line_of(&self, at: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= at) - 1
    }

    /// The name of the type of an `impl`, without references and type arguments.
    fn type_name(&self, mut node: Node) -> String {
        loop {
            let inner = match node.kind() {
                "generic_type" | "reference_type" | "pointer_type" => node.child_by_field_name("type"),
                "scoped_type_identifier" => node.child_by_field_name("name"),
                _ => None,
            };
            match inner {
                Some(inner) => node = inner,
                None => return spelled(node, self.text),
            }
        }
    }
}

/// The symbols, without declarations of what is defined here, under the same path or, where namespaces are opened by
/// `using`, under the end of it.
fn without_declared(found: Vec<Found>) -> Vec<Symbol> {
    let defined = found
        .iter()
        .filter(|found| !found.is_declared)
        .map(|found| bare(&found.symbol.path));
    let defined: HashSet<String> = defined.collect();
    let is_defined = |symbol: &Symbol| {
        let path = bare(&symbol.path);
        let ends = path
            .match_indices('.')
            .map(|(at, _)| &path[at + 1..])
            .filter(|end| end.contains('.'));
        defined.contains(&path) || ends.into_iter().any(|end| defined.contains(end))
    };
    let kept = found
        .into_iter()
        .filter(|found| !(found.is_declared && is_defined(&found.symbol)));
    kept.map(|found| found.symbol).collect()
}
