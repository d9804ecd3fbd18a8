//! Compiles the syntax definitions into the table that the highlighter reads.
//!
//! Syntect loads and links the definitions. Then every context that a language can reach gets a number, and languages,
//! contexts, guards and regular expressions are written, without duplicates. The output is deterministic.
//!
//! ```text
//! table     = languages ends contexts guards texts     each preceded by its length in bytes
//! languages = count (name count extension* context)*
//! ends      = the end of each context, as u32
//! context   = scopes(around) scopes(within) clear prototype? refers count item*
//! item      = 0 context?
//!           | 1 text length guard refers scopes count (group scopes)* operation count context?* prototype?
//! ```
//!
//! Numbers are LEB128; with `?`, a number plus one, or 0 for none. Names and scopes are preceded by their length.

use crate::guard::Guard;
use crate::scopes;
use std::collections::{BTreeMap, HashMap};
use syntect::parsing::syntax_definition::{
    Context, ContextId, ContextReference, MatchOperation, MatchPattern, Pattern,
};
use syntect::parsing::{ClearAmount, Scope, SyntaxDefinition, SyntaxSet};

/// Definitions that are laid over others, each with the name that it is known by.
const OVERLAYS: [(&str, &str); 2] = [
    ("CUDA C++", include_str!("../src/syntaxes/cuda.sublime-syntax")),
    ("Java", include_str!("../src/syntaxes/java.sublime-syntax")),
];

/// The strings and characters of C and C++ that are not raw.
const STRINGS_OF_C: [&str; 2] = ["string.quoted.double.c", "string.quoted.single.c"];

/// Returns the table, or an error in a definition.
pub fn compile() -> Result<Vec<u8>, String> {
    let mut builder = two_face::syntax::extra_newlines().into_builder();
    for (name, text) in OVERLAYS {
        let definition = SyntaxDefinition::load_from_str(text, true, Some(name));
        builder.add(definition.map_err(|error| format!("{name}: {error}"))?);
    }
    let set = builder.build();
    let definitions = set.clone().into_builder();
    let definitions = definitions.syntaxes();
    // A string of C ends with its line at the latest, whatever its definition says.
    let end = MatchPattern::new(false, r"(?<!\\)\n".into(), Vec::new(), None, MatchOperation::Pop, None);
    let mut table = Table::new(&set, definitions, &end);
    let visible: Vec<_> = definitions.iter().filter(|definition| !definition.hidden).collect();
    let mut languages = Vec::new();
    number(&mut languages, visible.len());
    for definition in visible {
        table.language(definition, &mut languages)?;
    }
    Ok(table.finish(languages))
}

/// The table under construction.
struct Table<'a> {
    set: &'a SyntaxSet,
    /// The pattern that ends a string of C at the end of a line.
    line_end: &'a MatchPattern,
    /// The prototype contexts. A definition names its prototype, but a context only has the prototype's number.
    prototypes: HashMap<ContextId, &'a Context>,
    numbers: HashMap<ContextId, usize>,
    contexts: Vec<&'a Context>,
    guards: BTreeMap<[u8; 49], usize>,
    guard_bytes: Vec<u8>,
    texts: HashMap<String, usize>,
    text_bytes: Vec<u8>,
}

impl<'a> Table<'a> {
    fn new(set: &'a SyntaxSet, definitions: &'a [SyntaxDefinition], line_end: &'a MatchPattern) -> Self {
        let prototypes = definitions.iter().filter_map(|definition| {
            let id = definition.contexts.values().find_map(|context| context.prototype)?;
            Some((id, definition.contexts.get("prototype")?))
        });
        Self {
            set,
            line_end,
            prototypes: prototypes.collect(),
            numbers: HashMap::new(),
            contexts: Vec::new(),
            guards: BTreeMap::new(),
            guard_bytes: Vec::new(),
            texts: HashMap::new(),
            text_bytes: Vec::new(),
        }
    }

    fn language(&mut self, definition: &'a SyntaxDefinition, out: &mut Vec<u8>) -> Result<(), String> {
        let name = &definition.name;
        let entry = definition.contexts.get("__start").ok_or_else(|| format!("{name}: no start context"))?;
        text(out, name);
        number(out, definition.file_extensions.len());
        for extension in &definition.file_extensions {
            text(out, extension);
        }
        number(out, self.contexts.len());
        self.contexts.push(entry);
        Ok(())
    }

    /// Writes the contexts, each of which may add further contexts to write, and then assembles the table.
    fn finish(mut self, languages: Vec<u8>) -> Vec<u8> {
        let (mut bodies, mut ends) = (Vec::new(), Vec::new());
        let mut done = 0;
        while let Some(&context) = self.contexts.get(done) {
            self.context(context, &mut bodies);
            ends.extend(u32::try_from(bodies.len()).unwrap_or(u32::MAX).to_le_bytes());
            done += 1;
        }
        let mut out = Vec::new();
        for section in [languages, ends, bodies, self.guard_bytes, self.text_bytes] {
            number(&mut out, section.len());
            out.extend(section);
        }
        out
    }

    fn context(&mut self, context: &'a Context, out: &mut Vec<u8>) {
        scope_codes(out, &context.meta_scope);
        scope_codes(out, &context.meta_content_scope);
        let clear = context.clear_scopes.map_or(0, |amount| match amount {
            ClearAmount::All => 1,
            ClearAmount::TopN(count) => count + 2,
        });
        number(out, clear);
        let prototype = context.prototype.and_then(|id| Some(self.number_of(id, self.prototypes.get(&id)?)));
        number(out, prototype.map_or(0, |number| number + 1));
        number(out, usize::from(context.uses_backrefs));
        let is_string = |scope: &Scope| STRINGS_OF_C.contains(&scope.build_string().as_str());
        let is_ended = context.meta_scope.iter().any(is_string);
        number(out, context.patterns.len() + usize::from(is_ended));
        if is_ended {
            number(out, 1);
            self.pattern(self.line_end, out);
        }
        for pattern in &context.patterns {
            match pattern {
                Pattern::Include(reference) => {
                    number(out, 0);
                    let included = self.reference(reference);
                    number(out, included);
                }
                Pattern::Match(pattern) => {
                    number(out, 1);
                    self.pattern(pattern, out);
                }
            }
        }
    }

    fn pattern(&mut self, pattern: &'a MatchPattern, out: &mut Vec<u8>) {
        let regex = &repaired(pattern.regex.regex_str());
        number(out, self.text_of(regex));
        number(out, regex.len());
        number(out, self.guard_of(Guard::of(regex).to_bytes()));
        number(out, usize::from(pattern.has_captures));
        scope_codes(out, &pattern.scope);
        let captures = pattern.captures.as_deref().unwrap_or_default();
        number(out, captures.len());
        for (group, scopes) in captures {
            number(out, *group);
            scope_codes(out, scopes);
        }
        self.operation(pattern, out);
    }

    fn operation(&mut self, pattern: &'a MatchPattern, out: &mut Vec<u8>) {
        let (operation, targets): (_, &[ContextReference]) = match &pattern.operation {
            MatchOperation::None => (0, &[]),
            MatchOperation::Pop => (1, &[]),
            MatchOperation::Push(targets) => (2, targets),
            MatchOperation::Set(targets) => (3, targets),
        };
        number(out, operation);
        number(out, targets.len());
        for target in targets {
            let target = self.reference(target);
            number(out, target);
        }
        let prototype = pattern.with_prototype.as_ref().map_or(0, |reference| self.reference(reference));
        number(out, prototype);
    }

    /// Returns the number of a context plus one; 0 if the context does not exist.
    fn reference(&mut self, reference: &ContextReference) -> usize {
        match (reference.id(), reference.resolve(self.set)) {
            (Ok(id), Ok(context)) => self.number_of(id, context) + 1,
            _ => 0,
        }
    }

    fn number_of(&mut self, id: ContextId, context: &'a Context) -> usize {
        *self.numbers.entry(id).or_insert_with(|| {
            self.contexts.push(context);
            self.contexts.len() - 1
        })
    }

    fn guard_of(&mut self, guard: [u8; 49]) -> usize {
        let next = self.guards.len();
        *self.guards.entry(guard).or_insert_with(|| {
            self.guard_bytes.extend(guard);
            next
        })
    }

    fn text_of(&mut self, regex: &str) -> usize {
        if let Some(&at) = self.texts.get(regex) {
            return at;
        }
        let at = self.text_bytes.len();
        self.text_bytes.extend(regex.as_bytes());
        self.texts.insert(regex.to_owned(), at);
        at
    }
}

/// Returns a regular expression of a definition with corrections: what is between the quotes around the end of a
/// here-document is any text, and without quotes it is any word; and a name in Rust can begin with `r#`.
fn repaired(regex: &str) -> String {
    const NAME: &str = r"([\p{L}_][\p{L}\p{N}_]*)";
    const RUST_NAME: &str = r"(?:(?:[\p{L}][_\p{L}\p{N}]*|_[_\p{L}\p{N}]+)\b)";
    if regex.starts_with(r"(\d*)(<<") {
        let quoted = |quote: char| format!("({quote}){NAME}({quote})");
        let any = |quote: char| format!("({quote})([^{quote}\\n]+)({quote})");
        let regex = regex.replace(&quoted('\''), &any('\'')).replace(&quoted('"'), &any('"'));
        return regex.replace(NAME, r#"([^\s\d;&|<>()=$'"`\\][^\s;&|<>()$'"`\\]*)"#);
    }
    regex.replace(RUST_NAME, &format!("(?:(?:r[#])?{RUST_NAME})"))
}

fn scope_codes(out: &mut Vec<u8>, scopes: &[Scope]) {
    number(out, scopes.len());
    out.extend(scopes.iter().map(|scope| scopes::code(&scope.build_string())));
}

fn text(out: &mut Vec<u8>, text: &str) {
    number(out, text.len());
    out.extend(text.as_bytes());
}

fn number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}
