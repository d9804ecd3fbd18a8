//! Builds expressions from tokens.

use super::evaluate::{Problem, Quantity};
use super::expression::{
    Comparison, Expression, Function, Literal, Node, Operator, Origin, Reference, Segment, is_reserved,
};
use super::piece::{HOLE, Piece};
use super::token::{Token, TokenKind};
use super::unit::Unit;
use super::{MAX_DEPTH, MAX_NODES};
use infralens_source::diag::{Near, codes};
use infralens_source::selector::FileRef;
use infralens_source::source::Span;

type Parsed<T> = Result<T, Problem>;

/// Reads tokens one after another.
pub(super) struct Parser<'a> {
    tokens: &'a [Token],
    /// Where the last token ends.
    end: usize,
    depth: usize,
    /// The number of nodes that were built.
    pub nodes: usize,
}

impl<'a> Parser<'a> {
    /// Creates a parser of tokens that begin at or after `start`.
    pub fn new(tokens: &'a [Token], start: usize) -> Self {
        Self { tokens, end: start, depth: 0, nodes: 0 }
    }

    pub fn peek(&self) -> Option<&'a TokenKind> {
        self.tokens.first().map(|token| &token.kind)
    }

    pub fn next(&mut self) -> Option<&'a Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        self.end = first.span.end;
        Some(first)
    }

    /// Takes the next token if it is this mark.
    pub fn take(&mut self, mark: &'static str) -> bool {
        let is_next = self.peek() == Some(&TokenKind::Mark(mark));
        if is_next {
            self.next();
        }
        is_next
    }

    pub fn expect(&mut self, mark: &'static str) -> Parsed<()> {
        if self.take(mark) { Ok(()) } else { Err(self.problem(&format!("`{mark}` is expected here"))) }
    }

    pub fn name(&mut self, what: &str) -> Parsed<(&'a str, Span)> {
        match self.peek() {
            Some(TokenKind::Name(name)) => Ok((name, self.next().map_or(0..0, |token| token.span.clone()))),
            _ => Err(self.problem(&format!("{what} is expected here"))),
        }
    }

    /// Checks that nothing is left.
    pub fn finish(&self) -> Parsed<()> {
        let message = "an operator is expected here, or the end of the line";
        let Some(token) = self.tokens.first() else { return Ok(()) };
        let problem = self.problem(message);
        Err(match &token.kind {
            TokenKind::Mark(",") => problem.help("write a number without commas, as in `1024`"),
            TokenKind::Mark("[") => problem.help("write the range of an input into its comment: `# [1 .. 200]`"),
            TokenKind::Name(name) if !is_reserved(name) => {
                let similar = Unit::similar(name);
                let help = if similar.is_empty() {
                    format!(
                        "`{name}` is not a unit: leave out what is counted, and write a rate such as 2 per second as `2 1/s`"
                    )
                } else {
                    format!("`{name}` is not a unit: did you mean `{}`?", similar.join("` or `"))
                };
                let is_sure = similar.len() == 1;
                let near = |unit: &String| Near { name: unit.clone().into(), is_sure };
                similar.iter().map(near).fold(problem.help(help), |problem, near| problem.near(name, Some(near)))
            }
            _ => problem,
        })
    }

    /// Returns a problem at the next token, or at the end.
    pub fn problem(&self, message: &str) -> Problem {
        let span = self.tokens.first().map_or(self.end..self.end, |token| token.span.clone());
        Problem::new(codes::E0601, span, message)
    }

    /// Reads a number with an optional sign.
    pub fn number(&mut self) -> Parsed<(Literal, Span)> {
        let problem = self.problem("a number is expected here");
        match self.sign()? {
            Expression { node: Node::Literal(literal), span } => Ok((literal, span)),
            _ => Err(problem),
        }
    }

    pub fn expression(&mut self) -> Parsed<Expression> {
        let mut left = self.product()?;
        while let Some(operator) = self.operator(&[Operator::Add, Operator::Subtract]) {
            let right = self.product()?;
            left = self.binary(operator, left, right)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Expression> {
        let mut left = self.sign()?;
        while let Some(operator) = self.operator(&[Operator::Multiply, Operator::Divide]) {
            let right = self.sign()?;
            left = self.binary(operator, left, right)?;
        }
        Ok(left)
    }

    fn operator(&mut self, known: &[Operator]) -> Option<Operator> {
        known.iter().copied().find(|operator| self.take(operator.text()))
    }

    fn binary(&mut self, operator: Operator, left: Expression, right: Expression) -> Parsed<Expression> {
        let start = left.span.start;
        self.node(Node::Binary(operator, Box::new(left), Box::new(right)), start)
    }

    /// Reads an operand with its signs; a power binds more strongly than a sign.
    fn sign(&mut self) -> Parsed<Expression> {
        let start = self.start();
        if !self.take("-") {
            return self.power();
        }
        let mut operand = self.nested(Self::sign)?;
        if let Node::Literal(literal) = &mut operand.node {
            literal.quantity.value = -literal.quantity.value;
            operand.span.start = start;
            return Ok(operand);
        }
        self.node(Node::Negate(Box::new(operand)), start)
    }

    fn power(&mut self) -> Parsed<Expression> {
        let base = self.operand()?;
        if !self.take("^") {
            return Ok(base);
        }
        let power = self.whole_power()?;
        let start = base.span.start;
        self.node(Node::Power(Box::new(base), power), start)
    }

    fn whole_power(&mut self) -> Parsed<i32> {
        const LARGEST: f64 = 64.0;
        let sign = if self.take("-") { -1 } else { 1 };
        let problem = self.problem("a power is a whole number of at most 64, such as `2` or `-1`").help(
            "write a larger power as a product, as in `10^64 * 10^9`; choose one with `if`, as in `if(n < 2, 2, 2^2)`",
        );
        let Some(TokenKind::Number { number, unit, .. }) = self.peek() else { return Err(problem) };
        if number.fract() > 0.0 || *number > LARGEST || *unit != Unit::one() {
            return Err(problem);
        }
        self.next();
        if self.peek() == Some(&TokenKind::Mark("^")) {
            return Err(self.problem("a power of a power needs parentheses"));
        }
        // At most 64.
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        Ok(sign * *number as i32)
    }

    fn operand(&mut self) -> Parsed<Expression> {
        let problem = self.problem("a number, a name or `(` is expected here");
        let Some(token) = self.next() else { return Err(problem) };
        let start = token.span.start;
        match &token.kind {
            TokenKind::Mark("*") => Err(problem.help("a power is written as in `2^10`")),
            TokenKind::Number { number, unit, decimals } => {
                let quantity = Quantity { value: unit.to_base(*number), dimension: unit.dimension };
                self.node(Node::Literal(Literal { quantity, unit: unit.clone(), decimals: *decimals }), start)
            }
            TokenKind::Mark("(") => {
                let mut inner = self.nested(Self::expression)?;
                self.expect(")")?;
                inner.span = start..self.end;
                Ok(inner)
            }
            TokenKind::Page(page) => {
                self.expect(".")?;
                let (name, _) = self.name("the name of a value")?;
                self.path(Origin::Page(page.clone()), name, start)
            }
            TokenKind::Name(name) if self.take("(") => self.nested(|parser| parser.call(name, &token.span)),
            TokenKind::Name(name) if is_reserved(name) => {
                let reserved = Problem::new(codes::E0601, token.span.clone(), format!("`{name}` is not a value"));
                Err(reserved.help(format!(
                    "a unit follows a number, as in `1 {name}` or, for a rate, `2 1/{name}`; a function has parentheses"
                )))
            }
            TokenKind::Name(name) => self.path(Origin::Here, name, start),
            TokenKind::Text(_) | TokenKind::Mark(_) => Err(problem),
        }
    }

    fn call(&mut self, name: &str, span: &Span) -> Parsed<Expression> {
        match name {
            "record" => {
                let (record, _) = self.text("the name of a record")?;
                self.expect(")")?;
                return self.path(Origin::Record, record, span.start);
            }
            "code" => return self.code(span.start),
            "if" => return self.condition(span.start),
            _ => {}
        }
        let Some(function) = Function::find(name) else {
            let unknown = Problem::new(codes::E0601, span.clone(), format!("there is no function `{name}`"));
            let known: Vec<&str> = Function::ALL.iter().map(|function| function.text()).collect();
            return Err(unknown.help(format!("the functions are `if`, `record`, `code`, `{}`", known.join("`, `"))));
        };
        let mut operands = vec![self.expression()?];
        while self.take(",") {
            operands.push(self.expression()?);
        }
        self.expect(")")?;
        if function.takes_several() != (operands.len() > 1) {
            let count = if function.takes_several() { "two or more operands" } else { "one operand" };
            return Err(Problem::new(codes::E0601, span.start..self.end, format!("`{name}` takes {count}")));
        }
        self.node(Node::Call(function, operands), span.start)
    }

    /// Reads `"model.py#fn:GPTConfig", "n_head: int = {}")`.
    fn code(&mut self, start: usize) -> Parsed<Expression> {
        let (file, at) = self.text("a file with a selector")?;
        let (file, errors) = FileRef::parse(file, at.start);
        if let Some((span, message)) = errors.into_iter().next() {
            return Err(Problem::new(codes::E0601, span, message));
        }
        self.expect(",")?;
        let (pattern, span) = self.text("a part of a line with `{}` for its number")?;
        if pattern.matches(HOLE).count() != 1 || pattern.len() == HOLE.len() {
            let problem = Problem::new(codes::E0601, span, "this text has to have `{}` once, and the words around it");
            return Err(problem.help("write what stands before the number, as in `\"n_head: int = {}\"`"));
        }
        self.expect(")")?;
        let piece = Piece { file, pattern: pattern.to_owned(), span };
        let name = piece.pattern.clone();
        let reference = Reference { origin: Origin::Code(Box::new(piece)), name, span: start..self.end };
        self.node(Node::Path(reference, Vec::new()), start)
    }

    /// Reads a text in quotation marks, and returns it with its place.
    fn text(&mut self, what: &str) -> Parsed<(&'a str, Span)> {
        let problem = self.problem(&format!("{what} is expected here, in quotation marks"));
        match self.next() {
            Some(Token { kind: TokenKind::Text(text), span }) => Ok((text, span.start + 1..span.end - 1)),
            _ => Err(problem),
        }
    }

    fn condition(&mut self, start: usize) -> Parsed<Expression> {
        let left = self.expression()?;
        let Some(comparison) = Comparison::ALL.iter().copied().find(|comparison| self.take(comparison.text())) else {
            return Err(self.problem("a comparison is expected here, as in `if(a < b, c, d)`"));
        };
        let right = self.expression()?;
        self.expect(",")?;
        let then = self.expression()?;
        self.expect(",")?;
        let otherwise = self.expression()?;
        self.expect(")")?;
        self.node(Node::If(comparison, Box::new([left, right, then, otherwise])), start)
    }

    /// Reads what follows a name: the path into a record.
    fn path(&mut self, origin: Origin, name: &str, start: usize) -> Parsed<Expression> {
        let reference = Reference { origin, name: name.to_owned(), span: start..self.end };
        let mut segments = Vec::new();
        loop {
            if self.take(".") {
                let (key, span) = self.name("a key")?;
                segments.push(Segment::Key(key.to_owned(), span));
            } else if self.take("[") {
                let problem = self.problem("a key in quotation marks or an index from 0 is expected here");
                let Some(token) = self.next() else { return Err(problem) };
                segments.push(match &token.kind {
                    TokenKind::Text(key) => Segment::Key(key.clone(), token.span.clone()),
                    TokenKind::Number { number, unit, .. }
                        if number.fract() == 0.0 && *number < 1e9 && *unit == Unit::one() =>
                    {
                        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
                        Segment::Index(*number as usize, token.span.clone())
                    }
                    _ => return Err(problem),
                });
                self.expect("]")?;
            } else {
                return self.node(Node::Path(reference, segments), start);
            }
        }
    }

    /// Returns where the next token begins.
    pub fn start(&self) -> usize {
        self.tokens.first().map_or(self.end, |token| token.span.start)
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.problem(&format!("this is nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn node(&mut self, node: Node, start: usize) -> Parsed<Expression> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(self.problem(&format!("this expression has more than {MAX_NODES} operands and operators")));
        }
        Ok(Expression { node, span: start..self.end })
    }
}
