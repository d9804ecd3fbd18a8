//! Determines what a header defines: the tokens since the last `;`, `{` or `}`, in which a bracketed group is one part.
//!
//! The types and macros of the whole program are unknown, so only the shape counts: a keyword followed by a name, or a
//! name followed by parentheses. Attributes, macros and qualifiers such as `__global__` are skipped. To stay linear, a
//! header is searched a fixed number of times, and each token and each brace takes one step.

mod c;

use super::language::{Dialect, Inside};
use super::outline::Name;
use super::scan::{Kind, Token};
use crate::language::has;

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

/// A token, or a bracketed group with its contents, and its byte range.
#[derive(Debug, Clone, Copy)]
struct Part {
    kind: PartKind,
    start: usize,
    end: usize,
}

#[derive(Debug)]
pub(super) struct Opens {
    /// The part of paths that it adds, which may be empty.
    pub name: Name,
    pub inside: Inside,
    /// Whether the header continues after the `}`.
    pub resumes: bool,
}

/// Words that begin a statement with braces.
const STATEMENTS: &str = "if for while switch do else catch match loop try select";
/// Words that a command follows in the shell.
const BEFORE_COMMAND: &str = "then do else elif if while until ! time coproc";
/// Words after which a line of JavaScript continues, and words that continue the line before.
const MODIFIERS: &str =
    "export default declare async static public private protected readonly abstract override get set";
const OPERATORS: &str = "extends implements in of instanceof as is satisfies from keyof";

/// The parts of a definition so far.
pub(super) struct Header<'t> {
    text: &'t str,
    /// The tokens of the whole text.
    tokens: &'t [Token],
    dialect: Dialect,
    parts: Vec<Part>,
    /// The indices of the brackets that are open.
    open: Vec<usize>,
    /// The number of them that are not angles.
    pub brackets: usize,
    /// The index of the first `=` outside of brackets.
    value: Option<usize>,
    /// The index of the first `:` after parentheses.
    colon: Option<usize>,
    has_round: bool,
    /// The index of the last `operator` in C++.
    operator: Option<usize>,
    /// Whether a brace in the value or in a list of initializers was examined already.
    is_judged: bool,
    /// Whether its definition is in the outline.
    is_named: bool,
    /// Where it begins, including the comments above it.
    pub start: Option<usize>,
}

impl<'t> Header<'t> {
    pub fn new(text: &'t str, tokens: &'t [Token], dialect: Dialect) -> Self {
        Self {
            text,
            tokens,
            dialect,
            parts: Vec::new(),
            open: Vec::new(),
            brackets: 0,
            value: None,
            colon: None,
            has_round: false,
            operator: None,
            is_judged: false,
            is_named: false,
            start: None,
        }
    }

    /// Returns whether a `(` now encloses definitions: after `type` in Go, and as a subshell.
    pub fn is_group(&self) -> bool {
        let is_type = self.dialect == Dialect::Go && self.parts.len() == 1 && self.at(0) == "type";
        is_type || self.dialect == Dialect::Shell && (self.parts.is_empty() || self.ends_with_call())
    }

    /// Returns whether a brace now is only an argument of a command of the shell.
    pub fn is_command(&self) -> bool {
        self.dialect == Dialect::Shell && !self.is_group() && self.at(0) != "function"
    }

    /// Whether the last parts are a name and empty parentheses.
    fn ends_with_call(&self) -> bool {
        let [.., name, group] = self.parts[..] else { return false };
        let inside = || self.text[group.start + 1..group.end].trim_end_matches(')');
        name.kind == PartKind::Word && group.kind == PartKind::Round && inside().trim().is_empty()
    }

    /// Returns the end of the last part.
    pub fn end(&self) -> usize {
        self.parts.last().map_or(0, |part| part.end)
    }

    /// Returns the first byte of the first part.
    pub fn first(&self) -> Option<usize> {
        self.parts.first().map(|part| part.start)
    }

    pub fn push(&mut self, token: Token) {
        let index = self.parts.len();
        let kind = match token.kind {
            Kind::Word => PartKind::Word,
            Kind::Mark => PartKind::Mark,
            _ => PartKind::Literal,
        };
        self.parts.push(Part { kind, start: token.start, end: token.end });
        match self.at(index) {
            "(" | "[" => {
                self.brackets += 1;
                self.open.push(index);
            }
            // Less-than does not come after a word where things are defined, but for `operator<`.
            "<" if index > 0 && self.is(index - 1, PartKind::Word) && self.at(index - 1) != "operator" => {
                self.open.push(index);
            }
            ")" => self.close("(", PartKind::Round),
            "]" => self.close("[", PartKind::Square),
            ">" => self.close("<", PartKind::Angle),
            "operator" if self.dialect == Dialect::C => self.operator = Some(index),
            "=" if self.open.is_empty() && self.operator.is_none() => self.value = self.value.or(Some(index)),
            ":" if self.open.is_empty() && self.has_round => self.colon = self.colon.or(Some(index)),
            _ => {}
        }
    }

    /// Whether its parentheses are followed by something, which may declare the types of parameters.
    pub fn may_have_parameters(&self) -> bool {
        self.has_round && self.value.is_none() && self.round().is_some_and(|round| round + 1 < self.parts.len())
    }

    /// Adds the `;` after the declaration of a parameter. The function's name comes before its parentheses.
    pub fn push_parameter(&mut self, token: Token) {
        self.colon = self.colon.or(self.round().map(|round| round + 1));
        self.push(token);
    }

    /// Returns the index of the first parentheses.
    fn round(&self) -> Option<usize> {
        (0..self.parts.len()).find(|&index| self.is(index, PartKind::Round))
    }

    /// Adds a pair of braces as one part.
    pub fn push_braces(&mut self, start: usize, end: usize) {
        self.parts.push(Part { kind: PartKind::Curly, start, end });
    }

    /// Replaces everything since the innermost `opener`, if that is open, by one part.
    fn close(&mut self, opener: &str, kind: PartKind) {
        while opener != "<" && self.open.last().is_some_and(|&open| self.at(open) == "<") {
            self.open.pop();
        }
        let Some(open) = self.open.pop_if(|open| self.text[self.parts[*open].start..].starts_with(opener)) else {
            return;
        };
        self.brackets -= usize::from(opener != "<");
        let group = Part { kind, start: self.parts[open].start, end: self.end() };
        self.parts.truncate(open);
        self.operator = self.operator.filter(|&operator| operator < open);
        self.parts.push(group);
        self.has_round |= kind == PartKind::Round && self.open.is_empty();
    }

    /// Returns the text of a part, or the opening bracket of a group; empty if there is no such part, or if it is a string,
    /// a piece of which can be anything.
    fn at(&self, index: usize) -> &'t str {
        self.parts.get(index).map_or("", |part| match part.kind {
            PartKind::Literal if !self.text[part.start..].starts_with(|c: char| c.is_ascii_digit() || c == '\'') => "",
            PartKind::Word | PartKind::Literal | PartKind::Mark => &self.text[part.start..part.end],
            _ => &self.text[part.start..=part.start],
        })
    }

    fn is(&self, index: usize, kind: PartKind) -> bool {
        self.parts.get(index).is_some_and(|part| part.kind == kind)
    }

    fn last(&self) -> &'t str {
        self.at(self.parts.len().wrapping_sub(1))
    }

    fn word(&self, index: usize) -> Option<Name> {
        let part = self.parts.get(index).filter(|part| part.kind == PartKind::Word)?;
        Some(Name::plain(self.text, part.start..part.end))
    }

    /// Returns the text from one part up to another, with white space only between words.
    fn spelled(&self, first: usize, end: usize) -> String {
        let Some([first, .., last] | [first @ last]) = self.parts.get(first..end) else { return String::new() };
        let mut spelled = String::new();
        let begin = self.tokens.partition_point(|token| token.start < first.start);
        let tokens = self.tokens[begin..].iter().take_while(|token| token.end <= last.end);
        for token in tokens.filter(|token| !matches!(token.kind, Kind::Comment | Kind::Directive)) {
            let (word, is_word) = (&self.text[token.start..token.end], |c: char| c.is_alphanumeric() || c == '_');
            if spelled.ends_with(is_word) && word.starts_with(is_word) {
                spelled.push(' ');
            }
            spelled.push_str(word);
        }
        spelled
    }

    /// Returns whether the header ends before `next`, without a `;`.
    pub fn is_over(&self, next: Token) -> bool {
        let gap = || &self.text[self.end()..next.start];
        let is_value = self.parts.last().is_some_and(|last| last.kind != PartKind::Mark) || self.last() == "!";
        match self.dialect {
            _ if self.brackets > 0 || self.parts.is_empty() => false,
            Dialect::C => self.is_label_or_macro(gap(), &self.text[next.start..next.end]),
            Dialect::Rust => self.at(0) == "#" && self.at(1) == "!" && self.parts.len() == 3,
            Dialect::Go => is_value && next.column.is_some(),
            Dialect::Shell => {
                let is_keyword = self.parts.len() == 1 && has(BEFORE_COMMAND, self.at(0));
                // The body of a function may be on the next line.
                let is_body = || !self.is_command() && has("{ (", &self.text[next.start..next.end]);
                is_keyword || has("& | ) in", self.last()) || next.column.is_some() && !is_body()
            }
            Dialect::Script => {
                let word = &self.text[next.start..next.end];
                let begins = word == "@" || word == "#" || next.kind == Kind::Word && !has(OPERATORS, word);
                let ends = is_value && !has(MODIFIERS, self.last()) && !has(OPERATORS, self.last());
                ends && begins && self.at(0) != "@" && next.column.is_some()
            }
            _ => false,
        }
    }

    /// Returns what a `{` opens here.
    pub fn opens(&mut self, inside: Inside) -> Opens {
        let (count, bodies) = (self.parts.len(), self.dialect.bodies());
        let is_c = self.dialect == Dialect::C;
        let value = Opens { name: Name::default(), inside: bodies, resumes: true };
        let is_after_name = [PartKind::Word, PartKind::Angle].iter().any(|kind| self.is(count.wrapping_sub(1), *kind));
        let is_statement = self.dialect != Dialect::Shell && has(STATEMENTS, self.at(0));
        if self.brackets > 0 || self.is_named || !is_statement && self.is_in_type() || inside == Inside::Constants {
            return value;
        }
        if count == 0 || is_statement {
            return Opens { resumes: false, ..value };
        }
        if self.dialect == Dialect::Go && self.is_group() {
            return Opens { inside: Inside::Types, resumes: false, ..value };
        }
        if self.value.is_some() || self.is_judged && is_after_name {
            let is_first = !std::mem::replace(&mut self.is_judged, true);
            let function = if is_first { self.function_value() } else { None };
            self.is_named = function.is_some();
            return function.map_or(value, |(name, inside)| Opens { name, inside, resumes: true });
        }
        if let Some(name) = self.namespace() {
            return Opens { name, inside: Inside::Items, resumes: false };
        }
        if let Some((name, _, inside)) = self.item(inside) {
            self.is_named = true;
            return Opens { name, inside, resumes: self.at(0) == "typedef" };
        }
        if is_c && self.colon.is_some() && is_after_name {
            self.is_judged = true;
            return value;
        }
        if let Some((name, _)) = self.function().filter(|_| self.dialect.has_calls(inside)) {
            return Opens { name, inside: bodies, resumes: false };
        }
        Opens { inside: Inside::Items, resumes: false, ..value }
    }

    /// Returns whether a brace here is part of a type: of what a function returns, or of a parameter.
    fn is_in_type(&self) -> bool {
        match self.dialect {
            _ if self.is(self.parts.len().wrapping_sub(1), PartKind::Angle) => false,
            Dialect::Go => self.at(0) == "func" && has("struct interface", self.last()),
            Dialect::Script => has("$ : | & < , = extends", self.last()),
            Dialect::Rust => self.open.last().is_some_and(|&open| self.at(open) == "<"),
            _ => self.last() == "<",
        }
    }

    /// Returns what the header defines if it ends without braces, and whether that is only a declaration.
    pub fn declares(&self, inside: Inside) -> Vec<(Name, bool)> {
        if self.at(0) == "typedef" && self.is_named {
            return self.type_names().into_iter().map(|name| (name, false)).collect();
        }
        if self.is_named || self.dialect == Dialect::Shell {
            return Vec::new();
        }
        let bodiless = |keyword: &str| match self.dialect {
            Dialect::C | Dialect::Java => false,
            Dialect::Script => keyword == "function" || keyword == "type" && self.value.is_some(),
            _ => !has("mod impl", keyword),
        };
        if let Some((name, keyword, _)) = self.item(inside).filter(|(_, keyword, _)| bodiless(keyword)) {
            return vec![(name, has("fn func function", keyword))];
        }
        let value = self.function_value().filter(|_| !self.is_judged).map(|(name, _)| (name, false));
        let is_call = self.dialect.has_calls(inside);
        value.or_else(|| Some((self.prototype().filter(|_| is_call)?, true))).into_iter().collect()
    }

    /// Returns the definition by the first keyword with a name after it: the name, the keyword and the content of its
    /// braces.
    fn item(&self, inside: Inside) -> Option<(Name, &'t str, Inside)> {
        if inside == Inside::Types {
            return Some((self.word(0)?, "type", Inside::Nothing));
        }
        let is_rust = self.dialect == Dialect::Rust;
        let is_text =
            |index: &usize| is_rust && self.is(*index, PartKind::Literal) && self.at(index.wrapping_sub(1)) != "extern";
        let end = (0..self.parts.len()).find(is_text).or(self.value).unwrap_or(self.parts.len());
        for index in 0..end {
            let word = self.at(index);
            let keyword = self.dialect.keywords().iter().find(|(words, _)| has(words, word));
            let Some(&(_, inside)) = keyword else { continue };
            let name = match (self.dialect, word) {
                // Where the first keyword begins no class, no other does. Each would be read to the end.
                (Dialect::C, _) => return Some((self.class_name(index + 1)?, word, inside)),
                (_, "impl") => Some(Name { qualifier: self.implemented(index + 1), ..Name::default() }),
                (_, "mod" | "namespace" | "module") => {
                    self.name_after(index).map(|name| Name { qualifier: name.text, ..Name::default() })
                }
                _ => self.name_after(index),
            };
            if let Some(name) = name {
                return Some((name, word, inside));
            }
        }
        None
    }

    /// Returns the name after a keyword, which is qualified by the receiver of a method in Go.
    fn name_after(&self, keyword: usize) -> Option<Name> {
        let next = keyword + 1;
        if keyword == 0 && self.at(0) == "func" && self.is(next, PartKind::Round) {
            let text = self.spelled(next, next + 1);
            let of = text.trim_matches(['(', ')']).split('[').next().unwrap_or_default();
            let of = of.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
            return Some(Name { qualifier: of.to_owned(), ..self.word(next + 1)? });
        }
        let name = self.word(next + usize::from(has("* !", self.at(next))))?;
        let is_clause = self.dialect == Dialect::Script && self.at(keyword) != "function" && has(OPERATORS, &name.text);
        (!is_clause).then_some(name)
    }

    /// Returns the type that an `impl` implements, without its path, reference and type arguments.
    fn implemented(&self, mut start: usize) -> String {
        start += usize::from(self.is(start, PartKind::Angle));
        let of = |word: &str| (start..self.parts.len()).find(|&index| self.at(index) == word);
        let end = of("where").unwrap_or(self.parts.len());
        start = of("for").filter(|of| *of < end).map_or(start, |of| of + 1);
        let is_prefix =
            |index: &usize| has("& mut dyn * const !", self.at(*index)) || self.at(*index).starts_with('\'');
        start = (start..end).find(|index| !is_prefix(index)).unwrap_or(end);
        let path = (start..end).take_while(|&index| self.is(index, PartKind::Word) || self.at(index) == "::");
        let last = path.last().filter(|&last| self.is(last, PartKind::Word));
        last.map_or_else(|| self.spelled(start, end), |last| self.at(last).trim_start_matches("r#").to_owned())
    }

    /// Returns the name to which a function or class of JavaScript is assigned, and the content of its braces.
    fn function_value(&self) -> Option<(Name, Inside)> {
        let value = self.value.filter(|_| self.dialect == Dialect::Script)?;
        let first = value + 1 + usize::from(self.at(value + 1) == "async");
        let is_arrow = || (first..self.parts.len()).any(|index| self.at(index) == "=>");
        let (is_class, is_parameters) = (self.at(first) == "class", has("( <", self.at(first)));
        let is_function = self.at(first) == "function" || is_parameters && is_arrow() || self.at(first + 1) == "=>";
        if !is_function && !is_class {
            return None;
        }
        let end = (0..value).find(|&index| has(": ? !", self.at(index))).unwrap_or(value);
        let mut name = self.word(end.checked_sub(1)?)?;
        let mut start = end - 1;
        while start > 1 && self.at(start - 1) == "." && self.is(start - 2, PartKind::Word) {
            start -= 2;
        }
        name.qualifier = self.spelled(start, end - 1).trim_end_matches('.').replace(".prototype", "");
        Some((name, if is_class { Inside::Members } else { Inside::Items }))
    }
}
