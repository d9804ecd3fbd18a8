//! Expressions: the tree of a formula, with the place of each part.

use super::evaluate::Quantity;
use super::piece::Piece;
use super::unit::Unit;
use infralens_source::source::Span;

#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    pub node: Node,
    /// The byte range in the file.
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A number with its unit.
    Literal(Literal),
    /// A name, and the path that leads from it into a record.
    Path(Reference, Vec<Segment>),
    Negate(Box<Expression>),
    /// An operator between two operands: `a + b`.
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// A whole power.
    Power(Box<Expression>, i32),
    /// A function of one or more operands.
    Call(Function, Vec<Expression>),
    /// `if(a < b, c, d)`, with its operands in this order.
    If(Comparison, Box<[Expression; 4]>),
}

/// A number with its unit, as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Literal {
    /// The number in base units.
    pub quantity: Quantity,
    pub unit: Unit,
    /// The number of digits after the decimal point.
    pub decimals: usize,
}

/// A name that an expression needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Where the name is declared.
    pub origin: Origin,
    /// The name of a value or of a record.
    pub name: String,
    /// The byte range of the name in the file, with its page.
    pub span: Span,
}

/// Where a name is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// On the same page.
    Here,
    /// On the page with this name, as written: `lab-01-x` or `track/lab-01-x`.
    Page(String),
    /// In the front matter, as a record.
    Record,
    /// In a starter file.
    Code(Box<Piece>),
}

/// A step into a record, and its byte range in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// `.key` or `["key"]`
    Key(String, Span),
    /// `[0]`
    Index(usize, Span),
}

impl Segment {
    /// Whether this is a key without quotation marks.
    fn is_bare(&self) -> bool {
        matches!(self, Self::Key(key, span) if key.len() == span.len())
    }
}

/// Declares an enum whose variants have a text in the language.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $text:literal)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $(#[doc = concat!("`", $text, "`")] $variant),* }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the text in the language.
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }
    };
}

words! {
    /// An operator between two operands.
    Operator { Add "+" Subtract "-" Multiply "*" Divide "/" }
}
words! {
    /// A comparison, which only the first operand of `if` can be.
    Comparison { Less "<" AtMost "<=" Greater ">" AtLeast ">=" Equal "==" NotEqual "!=" }
}
words! {
    /// A function. `min` and `max` take two or more operands, the others take one.
    Function { Min "min" Max "max" Ceil "ceil" Floor "floor" Round "round" Sqrt "sqrt" CeilLog2 "ceil_log2" }
}

impl Function {
    pub(super) fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.text() == name)
    }

    /// Whether it takes two or more operands.
    pub fn takes_several(self) -> bool {
        matches!(self, Self::Min | Self::Max)
    }
}

/// Whether a name has a meaning in the language, and so cannot be declared.
pub(super) fn is_reserved(name: &str) -> bool {
    Function::find(name).is_some() || matches!(name, "if" | "record") || Unit::named(name).is_some()
}

impl Expression {
    /// Returns the number if the expression is nothing else.
    pub fn literal(&self) -> Option<&Literal> {
        if let Node::Literal(literal) = &self.node { Some(literal) } else { None }
    }

    /// Returns the names that the expression needs, in the order in which they are written.
    pub fn names(&self) -> Vec<&Reference> {
        let mut found = Vec::new();
        self.visit(&mut |node| {
            if let Node::Path(reference, _) = node {
                found.push(reference);
            }
        });
        found
    }

    /// Whether a number in the expression has a unit with a binary prefix.
    pub fn is_binary(&self) -> bool {
        let mut is_binary = false;
        self.visit(&mut |node| is_binary |= matches!(node, Node::Literal(literal) if literal.unit.is_binary()));
        is_binary
    }

    /// Reads `name.value` as a value of the page `name` where `is_page` is true of the name. Only what all blocks of a page
    /// declare tells such a name from a record's.
    pub(super) fn name_pages(&mut self, is_page: &impl Fn(&str) -> bool) {
        self.visit_mut(&mut |part| {
            if let Node::Path(reference, path) = &mut part.node
                && reference.origin == Origin::Here
                && is_page(&reference.name)
                && let Some(Segment::Key(value, span)) = path.first().cloned().filter(Segment::is_bare)
            {
                path.remove(0);
                reference.origin = Origin::Page(std::mem::replace(&mut reference.name, value));
                reference.span.end = span.end;
            }
        });
    }

    pub(super) fn visit_mut(&mut self, visitor: &mut impl FnMut(&mut Self)) {
        visitor(self);
        match &mut self.node {
            Node::Literal(_) | Node::Path(..) => {}
            Node::Negate(operand) | Node::Power(operand, _) => operand.visit_mut(visitor),
            Node::Binary(_, left, right) => {
                left.visit_mut(visitor);
                right.visit_mut(visitor);
            }
            Node::Call(_, operands) => operands.iter_mut().for_each(|operand| operand.visit_mut(visitor)),
            Node::If(_, operands) => operands.iter_mut().for_each(|operand| operand.visit_mut(visitor)),
        }
    }

    fn visit<'a>(&'a self, visitor: &mut impl FnMut(&'a Node)) {
        visitor(&self.node);
        match &self.node {
            Node::Literal(_) | Node::Path(..) => {}
            Node::Negate(operand) | Node::Power(operand, _) => operand.visit(visitor),
            Node::Binary(_, left, right) => {
                left.visit(visitor);
                right.visit(visitor);
            }
            Node::Call(_, operands) => operands.iter().for_each(|operand| operand.visit(visitor)),
            Node::If(_, operands) => operands.iter().for_each(|operand| operand.visit(visitor)),
        }
    }
}
