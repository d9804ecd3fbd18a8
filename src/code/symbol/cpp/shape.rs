//! The shape of a C++ declaration: its words and groups of brackets, and the names that follow from their order.

use std::ops::Range;

use super::super::braces::Declaration;
use super::super::outline::Name;
use super::super::scan::Kind;
use super::is_macro;

/// Words before a parenthesis that are no function's name.
const NO_FUNCTION: [&str; 44] = [
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "return",
    "sizeof",
    "do",
    "else",
    "decltype",
    "noexcept",
    "alignas",
    "alignof",
    "requires",
    "throw",
    "explicit",
    "typeof",
    "__typeof__",
    "asm",
    "__asm__",
    "static_assert",
    "_Static_assert",
    "_Alignas",
    "__attribute__",
    "__attribute",
    "__declspec",
    "__launch_bounds__",
    "__cluster_dims__",
    "__block_size__",
    "__maxnreg__",
    "__align__",
    "void",
    "int",
    "char",
    "float",
    "double",
    "bool",
    "long",
    "short",
    "unsigned",
    "signed",
    "auto",
    "const",
    "constexpr",
];

/// A token, or all tokens of a group of brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Word,
    Literal,
    Mark,
    /// `( )`
    Round,
    /// `[ ]`
    Square,
    /// `{ }`
    Curly,
    /// `< >` after a word
    Angle,
}

/// A declaration as a row of parts.
pub(super) struct Shape<'d> {
    declaration: &'d Declaration<'d>,
    parts: Vec<(PartKind, Range<usize>)>,
}

impl<'d> Shape<'d> {
    /// The shape of a declaration, without its template header.
    pub fn of(declaration: &'d Declaration<'d>) -> Self {
        let ends = group_ends(declaration);
        let mut parts = Vec::new();
        let mut index = 0;
        while let Some(token) = declaration.tokens.get(index) {
            let end = ends[index];
            let kind = match (declaration.at(index), token.kind) {
                _ if end == index + 1 => match token.kind {
                    Kind::Word => PartKind::Word,
                    Kind::Literal => PartKind::Literal,
                    _ => PartKind::Mark,
                },
                ("(", _) => PartKind::Round,
                ("[", _) => PartKind::Square,
                ("{", _) => PartKind::Curly,
                _ => PartKind::Angle,
            };
            parts.push((kind, index..end));
            index = end;
        }
        let mut shape = Self { declaration, parts };
        let is_header = |part: &usize| shape.at(*part) == "template" && shape.is(part + 1, PartKind::Angle);
        let headers = (0..shape.len()).step_by(2).take_while(is_header).count();
        shape.parts.drain(..2 * headers);
        shape
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// The text of a word, literal or mark; what opens a group; empty where there is nothing.
    pub fn at(&self, part: usize) -> &'d str {
        self.parts.get(part).map_or("", |(_, tokens)| self.declaration.at(tokens.start))
    }

    fn is(&self, part: usize, kind: PartKind) -> bool {
        self.parts.get(part).is_some_and(|part| part.0 == kind)
    }

    fn find(&self, text: &str) -> Option<usize> {
        (0..self.len()).find(|&part| self.at(part) == text)
    }

    /// The declaration up to its first comma.
    pub fn first(mut self) -> Self {
        self.parts.truncate(self.find(",").unwrap_or(self.len()));
        self
    }

    /// What `namespace` or `extern "C"` adds to paths.
    pub fn namespace(&self) -> Option<Name> {
        if self.at(0) == "extern" && self.is(1, PartKind::Literal) && self.len() == 2 {
            return Some(Name::default());
        }
        let keyword = self.find("namespace").filter(|&keyword| keyword < 3)?;
        let words = (keyword + 1..self.len()).filter(|&part| self.is(part, PartKind::Word));
        let parts = words.map(|part| self.at(part)).filter(|word| *word != "inline").map(str::to_owned);
        Some(Name { parts: parts.collect(), at: 0..0 })
    }

    /// Whether a `=` gives a value.
    pub fn has_value(&self) -> bool {
        self.find("=").is_some_and(|value| self.find("operator").is_none_or(|operator| value < operator))
    }

    /// Whether a brace that follows initialises a member, after the `:` of a constructor.
    pub fn is_in_initializers(&self) -> bool {
        let last = self.len().saturating_sub(1);
        self.initializers().is_some() && (self.is(last, PartKind::Word) || self.is(last, PartKind::Angle))
    }

    /// The `:` of a constructor.
    fn initializers(&self) -> Option<usize> {
        let parameters = (0..self.len()).find(|&part| self.is(part, PartKind::Round))?;
        (parameters..self.len()).find(|&part| self.at(part) == ":")
    }

    /// The class, struct, union or enum that a brace after this defines, which may have no name, and whether it is an enum.
    pub fn class(&self) -> Option<(Option<Name>, bool)> {
        let is_key = |part: usize| matches!(self.at(part), "class" | "struct" | "union" | "enum");
        let key = (0..self.len()).find(|&part| is_key(part))?;
        let is_enum = self.at(key) == "enum";
        let mut name = None;
        let mut part = if is_enum && is_key(key + 1) { key + 2 } else { key + 1 };
        while part < self.len() && !matches!(self.at(part), ":" | "final") {
            let is_attribute = NO_FUNCTION.contains(&self.at(part)) || is_macro(self.at(part));
            part += match self.parts[part].0 {
                PartKind::Word if is_attribute && self.is(part + 1, PartKind::Round) => 2,
                PartKind::Word => {
                    name = Some(part);
                    1
                }
                PartKind::Angle | PartKind::Square => 1,
                PartKind::Mark if self.at(part) == "::" => 1,
                // A function that returns one, or a variable.
                _ => return None,
            };
        }
        Some((name.map(|part| self.qualified(part).0), is_enum))
    }

    /// The function that this is the head of.
    pub fn function(&self) -> Option<Name> {
        self.function_at().map(|(name, _)| name)
    }

    /// The function that this declares and does not define: unlike a call, it has something of a type before its name.
    pub fn prototype(&self) -> Option<Name> {
        let (name, start) = self.function_at()?;
        let before = start.checked_sub(1);
        let is_typed = before.is_none_or(|before| {
            let is_mark = self.is(before, PartKind::Mark);
            !is_mark || matches!(self.at(before), "*" | "&" | ">")
        });
        let is_destructor = name.parts.last().is_some_and(|part| part.starts_with('~'));
        let parameters = (start..self.len()).find(|&part| self.is(part, PartKind::Round))?;
        let first = self.parts[parameters].1.start + 1;
        let is_call = self.declaration.tokens.get(first).is_some_and(|token| token.kind == Kind::Literal);
        (is_typed && (start > 0 || is_destructor) && !is_call).then_some(name)
    }

    /// The function's name, and the part at which it begins, qualified.
    fn function_at(&self) -> Option<(Name, usize)> {
        if let Some(operator) = self.find("operator") {
            return self.operator(operator);
        }
        let mut best: Option<(Name, usize)> = None;
        let end = self.initializers().unwrap_or(self.len());
        for part in (0..end).take_while(|&part| self.at(part) != "->") {
            if !self.is(part, PartKind::Round) {
                continue;
            }
            if self.is(part + 1, PartKind::Round) && self.is_pointer(part) {
                return self.pointed(part).map(|name| (name, part));
            }
            let Some((name, start)) = self.called(part) else {
                continue;
            };
            // Of several, `MACRO(x) int f(int)` and `int f(int) MACRO(x)`, one is the function.
            let is_better = best.as_ref().is_none_or(|(known, _)| {
                let is_apart = start.checked_sub(1).is_some_and(|before| !self.is(before, PartKind::Round));
                let is_macro = |name: &Name| name.parts.last().is_some_and(|part| is_macro(part));
                is_apart || is_macro(known) && !is_macro(&name)
            });
            if is_better {
                best = Some((name, start));
            }
        }
        best
    }

    /// The name directly before the parentheses at `part`.
    fn called(&self, part: usize) -> Option<(Name, usize)> {
        let before = part.checked_sub(1)?;
        let word = if self.is(before, PartKind::Angle) { before.checked_sub(1)? } else { before };
        let is_name = self.is(word, PartKind::Word) && !NO_FUNCTION.contains(&self.at(word));
        is_name.then(|| self.qualified(word))
    }

    /// The name that ends with the word at `part` and the template arguments after it, and where its qualification begins.
    fn qualified(&self, part: usize) -> (Name, usize) {
        let token = &self.declaration.tokens[self.parts[part].1.start];
        let mut name = Name { parts: vec![self.with_arguments(part)], at: token.at.clone() };
        let mut start = part;
        if let Some(tilde) = part.checked_sub(1).filter(|&before| self.at(before) == "~") {
            name.at.start = self.declaration.tokens[self.parts[tilde].1.start].at.start;
            name.parts[0].insert(0, '~');
            start = tilde;
        }
        self.qualify(&mut name, &mut start);
        (name, start)
    }

    /// Takes what qualifies a name that begins at part `start`.
    fn qualify(&self, name: &mut Name, start: &mut usize) {
        while let Some(colons) = start.checked_sub(1).filter(|&before| self.at(before) == "::") {
            *start = colons;
            let angle = colons.checked_sub(1).filter(|&before| self.is(before, PartKind::Angle));
            let word = angle.unwrap_or(colons).checked_sub(1).filter(|&before| self.is(before, PartKind::Word));
            let Some(word) = word else { break };
            name.parts.push(self.with_arguments(word));
            *start = word;
        }
        // They were read from the name outwards.
        name.parts.reverse();
    }

    /// The operator whose keyword is at `part`.
    fn operator(&self, part: usize) -> Option<(Name, usize)> {
        let after = part + 1;
        let is_call = self.is(after, PartKind::Round) && self.is(after + 1, PartKind::Round);
        let first = if is_call { after + 1 } else { after };
        let parameters = (first..self.len()).find(|&part| self.is(part, PartKind::Round)).filter(|end| *end > after)?;
        let tokens = self.parts[part].1.start..self.parts[parameters].1.start;
        let at = self.declaration.tokens[tokens.start].at.start..self.declaration.tokens[tokens.end - 1].at.end;
        let mut name = Name { parts: vec![self.declaration.spelled(tokens)], at };
        let mut start = part;
        self.qualify(&mut name, &mut start);
        Some((name, start))
    }

    /// Whether the parentheses at `part` begin with a pointer.
    fn is_pointer(&self, part: usize) -> bool {
        matches!(self.declaration.at(self.parts[part].1.start + 1), "*" | "&" | "^")
    }

    /// The function in the parentheses at `part`, that returns what they point to: `f` of `int (*f(int a))(int)`.
    fn pointed(&self, part: usize) -> Option<Name> {
        let mut inside = self.parts[part].1.clone();
        let word = inside.find(|&token| self.declaration.is_word(token) && self.declaration.at(token + 1) == "(")?;
        Some(self.named(word))
    }

    /// The name that the word at `part` is, if it is one.
    pub fn simple_name(&self, part: usize) -> Option<Name> {
        self.is(part, PartKind::Word).then(|| self.named(self.parts[part].1.start))
    }

    fn named(&self, token: usize) -> Name {
        let at = self.declaration.tokens[token].at.clone();
        Name { parts: vec![self.declaration.at(token).to_owned()], at }
    }

    /// The word at `part`, with template arguments if they follow.
    fn with_arguments(&self, part: usize) -> String {
        let end = if self.is(part + 1, PartKind::Angle) { part + 1 } else { part };
        self.declaration.spelled(self.parts[part].1.start..self.parts[end].1.end)
    }
}

/// For each token, where its group ends: past its closing bracket, or directly after the token if it opens none.
fn group_ends(declaration: &Declaration) -> Vec<usize> {
    let count = declaration.tokens.len();
    let mut ends: Vec<usize> = (1..=count).collect();
    let mut open: Vec<usize> = Vec::new();
    for index in 0..count {
        let opener = match declaration.at(index) {
            "(" | "[" | "{" => {
                open.push(index);
                continue;
            }
            "<" => {
                // Less-than does not come after a word where things are declared, but for `operator<`.
                if index > 0 && declaration.is_word(index - 1) && declaration.at(index - 1) != "operator" {
                    open.push(index);
                }
                continue;
            }
            ">" => "<",
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        while opener != "<" && open.pop_if(|open| declaration.at(*open) == "<").is_some() {}
        if let Some(open) = open.pop_if(|open| declaration.at(*open) == opener) {
            ends[open] = index + 1;
        }
    }
    ends
}
