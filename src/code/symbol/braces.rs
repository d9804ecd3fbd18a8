//! Languages of braces: declarations, and what their braces open.
//!
//! The tokens since the last `;`, `{` or `}` are a declaration. What it declares and what a `{` after it opens is the
//! grammar's to say; pairing the braces, also over the branches of `#if`, is done here.

use std::ops::Range;

use super::Symbol;
use super::outline::{Name, Outline};
use super::scan::{Dialect, Kind, Scan, Token};

/// What a language of braces says about its declarations.
pub(super) trait Grammar {
    /// Its tokens.
    const DIALECT: Dialect;

    /// What a `{` opens after this declaration.
    fn opens(declaration: &Declaration) -> Opens;

    /// What a declaration that ends with `;` declares, and whether it is defined elsewhere.
    fn declares(declaration: &Declaration) -> Option<(Name, bool)>;

    /// The names that stand between the `}` of a type definition and its `;`.
    fn type_names(declaration: &Declaration) -> Vec<Name>;

    /// Whether this ends without `;`: a label, an attribute of all that is around, a macro. `gap` is what stands between it
    /// and the token `next`.
    fn is_over(declaration: &Declaration, gap: &str, next: &str) -> bool;
}

/// What a `{` opens.
#[derive(Debug, Default)]
pub(super) struct Opens {
    /// What it is part of the path of, if anything.
    pub name: Option<Name>,
    /// Whether that is a symbol.
    pub is_symbol: bool,
    /// Whether names follow its `}`.
    pub is_type_definition: bool,
    /// What stands in the braces.
    pub inside: Inside,
}

impl Opens {
    /// Something that is at most a part of paths.
    pub fn part(name: Option<Name>) -> Self {
        Self { name, ..Self::default() }
    }

    /// What is a symbol, if it has a name.
    pub fn symbol(name: Option<Name>, inside: Inside) -> Self {
        Self { is_symbol: name.is_some(), name, inside, is_type_definition: false }
    }

    /// Something without a name.
    pub fn nameless(inside: Inside) -> Self {
        Self::symbol(None, inside)
    }
}

/// What stands in braces.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// Declarations.
    #[default]
    Declarations,
    /// Nothing of interest.
    Code,
    /// A value: a part of the declaration, as all braces to its `;` are.
    Value,
    /// A value of a list; one that is a part of the declaration too comes after a name.
    Initializer,
}

/// The tokens of a declaration so far, comments left out.
pub(super) struct Declaration<'d> {
    text: &'d str,
    pub tokens: &'d [Token],
}

impl<'d> Declaration<'d> {
    /// The text of a token, empty where there is none.
    pub fn at(&self, index: usize) -> &'d str {
        self.tokens.get(index).map_or("", |token| &self.text[token.at.clone()])
    }

    /// Whether a token is a name or a keyword.
    pub fn is_word(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == Kind::Word)
    }

    /// The text from one token to before another, with white space only between words.
    pub fn spelled(&self, tokens: Range<usize>) -> String {
        let Some(tokens) = self.tokens.get(tokens) else {
            return String::new();
        };
        let mut spelled = String::new();
        for token in tokens {
            let text = &self.text[token.at.clone()];
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            if spelled.ends_with(is_word) && text.starts_with(is_word) {
                spelled.push(' ');
            }
            spelled.push_str(text);
        }
        spelled
    }
}

/// The symbols of a text.
pub(super) fn symbols<G: Grammar>(text: &str) -> Vec<Symbol> {
    let mut reader = Reader {
        text,
        outline: Outline::new(text, "::", false),
        declaration: Vec::new(),
        start: 0,
        nest: Vec::new(),
        value: None,
        blocks: Vec::new(),
        branches: Vec::new(),
        surplus: 0,
        typedef: None,
    };
    for token in Scan::new(text, G::DIALECT) {
        match token.kind {
            Kind::Comment => reader.outline.comment(token.at),
            Kind::Directive => reader.directive(&token.at),
            _ if reader.is_code() => reader.code(&token),
            _ => reader.token::<G>(token),
        }
    }
    reader.outline.finish()
}

struct Reader<'t> {
    text: &'t str,
    outline: Outline<'t>,
    declaration: Vec<Token>,
    /// Where the declaration begins, with the comments above it.
    start: usize,
    /// What closes the brackets that are open in the declaration.
    nest: Vec<u8>,
    /// What the last braces were that are a part of the declaration.
    value: Option<Inside>,
    blocks: Vec<Block>,
    /// How many blocks were open at each `#if` around.
    branches: Vec<usize>,
    /// How many `}` are to come of blocks that another branch has closed.
    surplus: usize,
    /// Where the type definition begins whose braces were closed last, and the name that they have.
    typedef: Option<(usize, Option<String>)>,
}

/// Braces that are open.
struct Block {
    inside: Inside,
    typedef: Option<(usize, Option<String>)>,
}

impl Reader<'_> {
    /// Forgets the declaration, for the next.
    fn restart(&mut self) {
        self.declaration.clear();
        self.value = None;
    }

    fn is_code(&self) -> bool {
        self.blocks.last().is_some_and(|block| block.inside == Inside::Code)
    }

    /// Takes a token where nothing but braces is of interest.
    fn code(&mut self, token: &Token) {
        match &self.text[token.at.clone()] {
            "{" => {
                self.outline.open_part(&[]);
                self.blocks.push(Block { inside: Inside::Code, typedef: None });
            }
            "}" => self.close(token.at.end),
            _ => {}
        }
    }

    /// Takes a token of a declaration, or one that ends it.
    fn token<G: Grammar>(&mut self, token: Token) {
        let text = &self.text[token.at.clone()];
        if self.nest.is_empty() && self.is_over::<G>(&token) {
            self.restart();
        }
        match (text, self.nest.last()) {
            (closer, Some(&open)) if closer.as_bytes() == [open] => {
                self.nest.pop();
                self.declaration.push(token);
            }
            ("}", _) => {
                // Brackets that are still open were never closed.
                self.nest.clear();
                self.close(token.at.end);
            }
            ("{", None) => self.open::<G>(token),
            (";", None) => self.end::<G>(token.at.end),
            _ => {
                match text {
                    "(" => self.nest.push(b')'),
                    "[" => self.nest.push(b']'),
                    "{" => self.nest.push(b'}'),
                    _ => {}
                }
                if self.declaration.is_empty() {
                    self.start = self.outline.begin(token.at.start);
                }
                self.declaration.push(token);
            }
        }
    }

    /// The declaration so far.
    fn read(&self) -> Declaration<'_> {
        Declaration { text: self.text, tokens: &self.declaration }
    }

    fn is_over<G: Grammar>(&self, next: &Token) -> bool {
        self.declaration.last().is_some_and(|last| {
            let gap = &self.text[last.at.end..next.at.start];
            G::is_over(&self.read(), gap, &self.text[next.at.clone()])
        })
    }

    /// Whether a brace is known to be a part of the declaration: one is judged once or twice, however many it holds.
    fn is_value(&self) -> bool {
        let is_after_name = || {
            let last = self.declaration.last();
            last.is_some_and(|last| last.kind == Kind::Word || &self.text[last.at.clone()] == ">")
        };
        self.value.is_some_and(|value| value == Inside::Value || is_after_name())
    }

    fn open<G: Grammar>(&mut self, brace: Token) {
        let is_known = self.is_value();
        let opens = if is_known { Opens::nameless(Inside::Value) } else { G::opens(&self.read()) };
        if matches!(opens.inside, Inside::Value | Inside::Initializer) {
            if !is_known {
                self.value = Some(opens.inside);
            }
            self.nest.push(b'}');
            self.declaration.push(brace);
            return;
        }
        let name = opens.name.unwrap_or_default();
        if opens.is_symbol {
            self.outline.open(&name, self.start);
        } else {
            self.outline.open_part(&name.parts);
        }
        let typedef = opens.is_type_definition.then(|| (self.start, name.parts.last().cloned()));
        self.blocks.push(Block { inside: opens.inside, typedef });
        self.restart();
        self.typedef = None;
    }

    fn close(&mut self, end: usize) {
        self.restart();
        if self.surplus > 0 {
            self.surplus -= 1;
        } else if let Some(block) = self.blocks.pop() {
            self.outline.close(end);
            self.typedef = block.typedef;
        }
    }

    /// Ends a declaration with a `;` that ends at byte `end`.
    fn end<G: Grammar>(&mut self, end: usize) {
        if let Some((start, tag)) = self.typedef.take() {
            let mut names = G::type_names(&self.read());
            names.retain(|name| name.parts.last() != tag.as_ref());
            for name in names {
                self.outline.add(&name, start..end, false);
            }
        } else if let Some((name, is_declared)) = G::declares(&self.read()) {
            self.outline.add(&name, self.start..end, is_declared);
        }
        self.restart();
    }

    fn directive(&mut self, at: &Range<usize>) {
        let text = &self.text[at.clone()];
        let rest = text[1..].trim_start();
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        match word {
            "if" | "ifdef" | "ifndef" => self.branches.push(self.blocks.len()),
            "else" | "elif" | "elifdef" | "elifndef" => self.branch(),
            "endif" => {
                self.branches.pop();
                self.surplus = 0;
            }
            "define" => {
                let rest = rest[word.len()..].trim_start();
                let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
                // Only what has parameters is like a function.
                if !name.is_empty() && rest[name.len()..].starts_with('(') {
                    let start = at.end - rest.len();
                    let name = Name { parts: vec![name.to_owned()], at: start..start + name.len() };
                    let begin = self.outline.begin(at.start);
                    self.outline.add_outermost(&name, begin..at.start + text.trim_end().len());
                }
            }
            _ => {}
        }
    }

    /// Takes back what the branch before has opened, and expects what it has closed to be closed again.
    fn branch(&mut self) {
        let Some(&before) = self.branches.last() else { return };
        while self.blocks.len() > before {
            self.blocks.pop();
            self.outline.discard();
        }
        self.surplus = before - self.blocks.len();
    }
}
