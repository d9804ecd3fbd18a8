//! Computes an expression, and checks its units.

use std::cmp::Ordering;
use std::fmt::Write;

use serde_json::Value as Json;

use super::expression::{Comparison, Expression, Function, Node, Operator, Reference, Segment};
use super::unit::Dimension;
use infralens_source::diag::{Code, Diagnostic, Fix, Near, codes, nearest, similar};
use infralens_source::source::{Source, Span};

/// A number in base units and its dimension.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// The number in base units: bytes, seconds, FLOP, watts, dollars and their products.
    pub value: f64,
    /// What it measures.
    pub dimension: Dimension,
}

/// What a name refers to.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    Number(Quantity),
    /// A record or a part of one.
    Data(&'a Json),
}

/// Why an expression has no value.
#[derive(Debug, Clone)]
pub enum Failure {
    /// A problem of this expression.
    Here(Box<Problem>),
    /// A value that the expression needs has none, which is reported where that value is declared.
    Elsewhere,
}

pub type Outcome<'a> = Result<Value<'a>, Failure>;

/// An error in a formula. It has a span but no file, because formulas do not know theirs; [`Problem::diagnostic`] adds it.
#[derive(Debug, Clone)]
pub struct Problem {
    pub code: Code,
    /// The byte range in the file.
    pub span: Span,
    /// The message, without a full stop.
    pub message: String,
    /// Advice on how to fix it; may be empty.
    pub help: String,
    /// A piece of the text at the span, and the names that were probably meant by it. Few problems have any.
    pub near: Box<Vec<(String, Near<'static>)>>,
}

impl Problem {
    /// Creates a problem without help.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { code, span, message: message.into(), help: String::new(), near: Box::default() }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Adds a name that was probably meant by `written`.
    pub fn near(mut self, written: &str, near: Option<Near<'_>>) -> Self {
        self.near.extend(near.map(|near| (written.to_owned(), near.into_owned())));
        self
    }

    pub fn diagnostic(&self, source: &Source) -> Diagnostic {
        let mut diagnostic = source.diagnostic(self.code, self.span.clone(), &self.message);
        let fixes = self.near.iter().filter_map(|(written, near)| Fix::instead(source, &self.span, written, near));
        diagnostic.fixes.extend(fixes);
        if self.help.is_empty() { diagnostic } else { diagnostic.help(&self.help) }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Here(Box::new(problem))
    }
}

/// Computes an expression; `resolve` returns the value of each name.
///
/// # Errors
///
/// Returns the first problem: an unknown name or path, units that do not agree, or a result that is not a finite number.
/// Units are checked in both branches of a condition, but numbers only in the branch that is taken.
pub fn evaluate<'a>(expression: &Expression, resolve: &dyn Fn(&Reference) -> Outcome<'a>) -> Outcome<'a> {
    if let Node::Path(reference, segments) = &expression.node {
        let value = follow(resolve(reference)?, &reference.name, segments)?;
        if let Value::Data(data) = value
            && !data.is_number()
        {
            return Ok(value);
        }
    }
    let computed = compute(expression, resolve)?;
    match computed.trouble {
        Some(trouble) => Err(trouble.into()),
        None => Ok(Value::Number(computed.quantity)),
    }
}

/// The result of a part of a formula: its quantity, or NaN with the problem that made it so. The problem is reported only if
/// the formula uses the part: `if` drops that of the branch that it does not take.
struct Computed {
    quantity: Quantity,
    trouble: Option<Problem>,
}

impl Computed {
    fn new(value: f64, dimension: Dimension) -> Self {
        Self { quantity: Quantity { value, dimension }, trouble: None }
    }

    /// Takes over what was wrong with an operand, or says why the value is not finite.
    fn after(mut self, operands: impl IntoIterator<Item = Self>, span: &Span, why: &str) -> Self {
        self.trouble = operands.into_iter().find_map(|operand| operand.trouble);
        if self.trouble.is_none() && !self.quantity.value.is_finite() {
            let problem = Problem::new(codes::E0605, span.clone(), why);
            self.trouble = Some(problem.help("change the numbers, or guard this with `if(a < b, c, d)`"));
        }
        if self.trouble.is_some() {
            self.quantity.value = f64::NAN;
        }
        self
    }
}

const TOO_LARGE: &str = "this number is too large";

type Resolve<'r, 'a> = dyn Fn(&Reference) -> Outcome<'a> + 'r;

fn compute(expression: &Expression, resolve: &Resolve<'_, '_>) -> Result<Computed, Failure> {
    let span = &expression.span;
    match &expression.node {
        Node::Literal(literal) => {
            let Quantity { value, dimension } = literal.quantity;
            Ok(Computed::new(value, dimension).after([], span, TOO_LARGE))
        }
        Node::Path(reference, segments) => {
            let value = follow(resolve(reference)?, &reference.name, segments)?;
            let quantity = number(value).ok_or_else(|| not_a_number(value, span))?;
            Ok(Computed::new(quantity.value, quantity.dimension).after([], span, TOO_LARGE))
        }
        Node::Negate(operand) => {
            let operand = compute(operand, resolve)?;
            let Quantity { value, dimension } = operand.quantity;
            Ok(Computed::new(-value, dimension).after([operand], span, TOO_LARGE))
        }
        Node::Binary(operator, left, right) => {
            let computed = (compute(left, resolve)?, compute(right, resolve)?);
            binary(*operator, computed, span, &right.span)
        }
        Node::Power(operand, power) => {
            let computed = compute(operand, resolve)?;
            let Quantity { value, dimension } = computed.quantity;
            let dimension = Dimension::COUNT.times(dimension, *power).ok_or_else(|| no_such_unit(span))?;
            let why = if value == 0.0 { "this divides by zero" } else { TOO_LARGE };
            Ok(Computed::new(raise(value, *power), dimension).after([computed], span, why))
        }
        Node::Call(function, operands) => call(*function, operands, span, resolve),
        Node::If(comparison, operands) => condition(*comparison, operands, span, resolve),
    }
}

fn binary(
    operator: Operator,
    (left, right): (Computed, Computed),
    span: &Span,
    at: &Span,
) -> Result<Computed, Failure> {
    let (a, b) = (left.quantity, right.quantity);
    let product = |power: i32| a.dimension.times(b.dimension, power).ok_or_else(|| no_such_unit(span));
    let (dimension, value) = match operator {
        Operator::Multiply => (product(1)?, a.value * b.value),
        Operator::Divide => (product(-1)?, a.value / b.value),
        Operator::Add => (same(a, b, at)?, a.value + b.value),
        Operator::Subtract => (same(a, b, at)?, a.value - b.value),
    };
    let why = if operator == Operator::Divide && b.value == 0.0 { "this divides by zero" } else { TOO_LARGE };
    Ok(Computed::new(value, dimension).after([left, right], span, why))
}

fn call(
    function: Function,
    operands: &[Expression],
    span: &Span,
    resolve: &Resolve<'_, '_>,
) -> Result<Computed, Failure> {
    let mut computed = Vec::new();
    for operand in operands {
        let next = compute(operand, resolve)?;
        if let Some(Computed { quantity, .. }) = computed.first() {
            same(*quantity, next.quantity, &operand.span)?;
        }
        computed.push(next);
    }
    let quantities: Vec<Quantity> = computed.iter().map(|operand| operand.quantity).collect();
    let dimension = quantities[0].dimension;
    let is_rounding = !matches!(function, Function::Min | Function::Max | Function::Sqrt);
    if is_rounding && !dimension.is_count() {
        let name = function.text();
        let problem = Problem::new(codes::E0604, span.clone(), format!("`{name}` takes a number without a unit"));
        return Err(problem.help(format!("divide by a unit first: `{name}(x / 1 {dimension})`")).into());
    }
    let result = function.apply(&quantities.iter().map(|quantity| quantity.value).collect::<Vec<_>>());
    let odd = || Problem::new(codes::E0604, span.clone(), format!("the root of {} has no unit", dimension.describe()));
    let dimension = if function == Function::Sqrt { dimension.root().ok_or_else(odd)? } else { dimension };
    let why = match function {
        Function::Sqrt => "this is the root of a negative number",
        _ => "this is the logarithm of a number that is not positive",
    };
    Ok(Computed::new(result, dimension).after(computed, span, why))
}

fn condition(
    comparison: Comparison,
    [left, right, then, otherwise]: &[Expression; 4],
    span: &Span,
    resolve: &Resolve<'_, '_>,
) -> Result<Computed, Failure> {
    let (a, b) = (compute(left, resolve)?, compute(right, resolve)?);
    same(a.quantity, b.quantity, &right.span)?;
    let (yes, no) = (compute(then, resolve)?, compute(otherwise, resolve)?);
    let dimension = same(yes.quantity, no.quantity, &otherwise.span)?;
    let Some(order) = a.quantity.value.partial_cmp(&b.quantity.value) else {
        return Ok(Computed::new(f64::NAN, dimension).after([a, b], span, TOO_LARGE));
    };
    Ok(if comparison.holds(order) { yes } else { no })
}

/// Returns the dimension that two quantities share.
fn same(left: Quantity, right: Quantity, span: &Span) -> Result<Dimension, Failure> {
    if left.dimension == right.dimension {
        return Ok(left.dimension);
    }
    let (left, right) = (left.dimension.describe(), right.dimension.describe());
    let message = format!("this has {right}, but what it is combined with has {left}");
    let problem = Problem::new(codes::E0604, span.clone(), message.replace("has `", "is in `"));
    Err(problem.help("multiply or divide by a unit, as in `x * 1 B`, or correct the formula").into())
}

fn no_such_unit(span: &Span) -> Failure {
    Problem::new(codes::E0604, span.clone(), "the power of a unit in this result is too large").into()
}

impl Comparison {
    /// Whether two numbers in this order compare so.
    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
        }
    }
}

impl Function {
    /// Computes the function of some numbers, at least one.
    fn apply(self, values: &[f64]) -> f64 {
        let rest = || values[1..].iter().copied();
        let value = values[0];
        match self {
            Self::Min => rest().fold(value, |a, b| if b < a { b } else { a }),
            Self::Max => rest().fold(value, |a, b| if b > a { b } else { a }),
            Self::Ceil => value.ceil(),
            Self::Floor => value.floor(),
            Self::Round => value.round(),
            Self::Sqrt => value.sqrt(),
            Self::CeilLog2 => ceil_log2(value),
        }
    }
}

/// Multiplies `power` times, in one order, because libraries differ in the last bit of a power.
fn raise(value: f64, power: i32) -> f64 {
    let product = (0..power.unsigned_abs()).fold(1.0, |product, _| product * value);
    if power < 0 { 1.0 / product } else { product }
}

/// Returns the smallest whole number `n` with `2^n >= value`.
fn ceil_log2(value: f64) -> f64 {
    // A value that is not finite has a trouble already.
    if !value.is_finite() || value <= 0.0 {
        return f64::NAN;
    }
    let (mut exponent, mut power) = (0.0, 1.0);
    while power < value {
        (exponent, power) = (exponent + 1.0, power * 2.0);
    }
    while power / 2.0 >= value {
        (exponent, power) = (exponent - 1.0, power / 2.0);
    }
    exponent
}

fn number(value: Value<'_>) -> Option<Quantity> {
    match value {
        Value::Number(quantity) => Some(quantity),
        Value::Data(data) => {
            data.as_f64().filter(|value| value.is_finite()).map(|value| Quantity { value, dimension: Dimension::COUNT })
        }
    }
}

fn not_a_number(value: Value<'_>, span: &Span) -> Problem {
    let kind = match value {
        Value::Data(Json::Object(_)) => "an object",
        Value::Data(Json::Array(_)) => "a list",
        Value::Data(Json::String(_)) => "a text",
        Value::Data(Json::Bool(_)) => "true or false",
        _ => "no number",
    };
    Problem::new(codes::E0602, span.clone(), format!("this is {kind}, and a number is needed"))
        .help("write the path to a number, such as `ledger.state.adam` or `list[0]`")
}

/// Follows a path into a record.
fn follow<'a>(start: Value<'a>, name: &str, segments: &[Segment]) -> Result<Value<'a>, Problem> {
    let mut value = start;
    let mut path = name.to_owned();
    for segment in segments {
        let (span, found, text) = match segment {
            Segment::Key(key, span) => (span, data(value).and_then(|data| data.get(key)), written(key)),
            Segment::Index(index, span) => (span, data(value).and_then(|data| data.get(index)), format!("[{index}]")),
        };
        let Some(found) = found else {
            let problem = Problem::new(codes::E0602, span.clone(), format!("`{path}` has no `{text}`"));
            return Err(problem.help(advice(value, segment)).near_key(value, segment));
        };
        value = Value::Data(found);
        let _ = write!(path, "{text}");
    }
    Ok(value)
}

/// Writes a key as it is usually written in a path.
fn written(key: &str) -> String {
    let is_name = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name && !key.starts_with(|c: char| c.is_ascii_digit()) { format!(".{key}") } else { format!("[\"{key}\"]") }
}

fn data(value: Value<'_>) -> Option<&Json> {
    if let Value::Data(data) = value { Some(data) } else { None }
}

impl Problem {
    /// Adds the key of a record that was probably meant by a segment.
    fn near_key(self, value: Value<'_>, segment: &Segment) -> Self {
        match (value, segment) {
            (Value::Data(Json::Object(map)), Segment::Key(key, _)) => {
                self.near(key, similar(key, map.keys().map(String::as_str)))
            }
            _ => self,
        }
    }
}

/// Says what a value has instead of a segment.
fn advice(value: Value<'_>, segment: &Segment) -> String {
    const SHOWN: usize = 8;
    match (value, segment) {
        (Value::Data(Json::Object(map)), Segment::Key(key, _)) => {
            let keys = || map.keys().map(String::as_str);
            let listed = || format!("it has `{}`", keys().take(SHOWN).collect::<Vec<_>>().join("`, `"));
            nearest(key, keys()).map_or_else(listed, |near| format!("did you mean `{near}`?"))
        }
        (Value::Data(Json::Array(list)), _) => format!("it is a list of {}, which are counted from 0", list.len()),
        (Value::Data(Json::Object(_)), _) => "it is an object: write a key, as in `.name` or `[\"name\"]`".to_owned(),
        (Value::Data(Json::String(_)), _) => {
            "it is text, into which no path leads; a record is text if its command did not print JSON".to_owned()
        }
        _ => "it is a single value, into which no path leads".to_owned(),
    }
}
