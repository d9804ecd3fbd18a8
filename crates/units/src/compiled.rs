//! Compiles a calculator: replaces the names from outside by numbers, so that its results depend on its inputs alone. The
//! result is JSON, which the page carries and `static/calc.js` computes, and a [`CompiledSheet`], which the program
//! computes for charts and changes of an input.
//!
//! ```json
//! { "inputs": [{ "name": "n", "unit": ["", 1, 1], "range": [1, 200], "decimals": 0 }],
//!   "results": [{ "name": "kv", "tree": ["*", 2, "n"], "format": { "scale": 0, … } }],
//!   "scales": [[["B", 1, 1], ["kB", 1000, 1]]],
//!   "sweep": { "result": "kv", "input": "n" } }
//! ```
//!
//! A result with a pin has a `format`; its `scale` is an index into `scales`, the lists of units in which results may be
//! printed. A result without a pin has only `scale`.
//!
//! All numbers are in base units; a unit is its name and its size as a fraction. A tree is a number, the name of an input
//! or of an earlier result, or a list of an operator and its operands. `+`, `-`, `*`, `/`, `min` and `max` of more than two
//! operands are computed from the left.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::evaluate::{Failure, Outcome, Quantity, Value, evaluate};
use super::expression::{Expression, Literal, Node, Operator, Origin, Reference};
use super::figure::Figure;
use super::sheet::{Declaration, Domain, Kind, Sheet};
use super::unit::{Dimension, Unit};

/// A calculator that can be computed for any inputs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompiledSheet {
    /// The names of the inputs and results: the index of each, and what it measures. Inputs precede results.
    names: BTreeMap<String, (usize, Dimension)>,
    /// The formulas of the results, which name nothing but inputs and results before them.
    results: Vec<Expression>,
}

impl CompiledSheet {
    /// Returns the index of an input or a result.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.get(name).map(|(index, _)| *index)
    }

    /// Computes the results for these inputs. Returns the inputs and after them the results; one that cannot be computed is
    /// NaN.
    pub fn compute(&self, inputs: &[f64]) -> Vec<f64> {
        let mut numbers = inputs.to_vec();
        for result in &self.results {
            let known = |reference: &Reference| {
                let (index, dimension) = *self.names.get(&reference.name).ok_or(Failure::Elsewhere)?;
                Ok(Value::Number(Quantity { value: numbers[index], dimension }))
            };
            let value = match evaluate(result, &known) {
                Ok(Value::Number(quantity)) => quantity.value,
                _ => f64::NAN,
            };
            numbers.push(value);
        }
        numbers
    }

    fn add(&mut self, name: &str, dimension: Dimension) {
        self.names.insert(name.to_owned(), (self.names.len(), dimension));
    }
}

/// Compiles a calculator. `resolve` returns the value of each name in the default case, as for [`evaluate`]: names from
/// outside the sheet, constants and records become numbers.
///
/// # Errors
///
/// Returns the first failure of a result. There must be no cycle among the values.
pub fn compile<'a>(
    sheet: &Sheet,
    resolve: &dyn Fn(&Reference) -> Outcome<'a>,
) -> Result<(Json, CompiledSheet), Failure> {
    let declarations = sheet.declarations.iter().map(|one| (one.name.as_str(), one)).collect();
    let mut writer = Writer {
        sheet,
        declarations,
        resolve,
        seen: BTreeSet::new(),
        compiled: CompiledSheet::default(),
        results: Vec::new(),
        scales: Vec::new(),
    };
    let inputs = sheet.declarations.iter().filter_map(|one| writer.input(one)).collect::<Vec<_>>();
    for declaration in &sheet.declarations {
        writer.result(declaration)?;
    }
    let mut written = json!({ "inputs": inputs });
    written["results"] = Json::Array(writer.results);
    written["scales"] = Json::Array(writer.scales);
    if let Some(sweep) = &sheet.sweep {
        written["sweep"] = json!({ "result": sweep.result, "input": sweep.input });
    }
    Ok((written, writer.compiled))
}

struct Writer<'s, 'r, 'a> {
    sheet: &'s Sheet,
    declarations: BTreeMap<&'s str, &'s Declaration>,
    resolve: &'r dyn Fn(&Reference) -> Outcome<'a>,
    /// The results that are written, or being written.
    seen: BTreeSet<&'s str>,
    /// What the page computes: the inputs, and the results that are numbers.
    compiled: CompiledSheet,
    results: Vec<Json>,
    /// The units that results are printed in, each list once.
    scales: Vec<Json>,
}

impl<'s> Writer<'s, '_, '_> {
    /// Writes an input; one with a range with its ends, and the number of decimals of the numbers in between.
    fn input(&mut self, declaration: &'s Declaration) -> Option<Json> {
        let Declaration { name, kind: Kind::Input(domain), expression, .. } = declaration else { return None };
        let literal = expression.literal()?;
        self.compiled.add(name, literal.quantity.dimension);
        let mut written = json!({ "name": name, "unit": size(&literal.unit.name, &literal.unit) });
        if let Domain::Range(low, high) = domain {
            written["range"] = json!([number(low.quantity.value), number(high.quantity.value)]);
            written["decimals"] = json!(self.sheet.decimals(declaration));
        }
        Some(written)
    }

    /// Writes a result after those that it needs.
    fn result(&mut self, declaration: &'s Declaration) -> Result<(), Failure> {
        if !matches!(declaration.kind, Kind::Result) || !self.seen.insert(&declaration.name) {
            return Ok(());
        }
        for reference in declaration.expression.names() {
            if let (Origin::Here, Some(needed)) = (&reference.origin, self.declarations.get(reference.name.as_str())) {
                self.result(needed)?;
            }
        }
        let Value::Number(quantity) = evaluate(&declaration.expression, self.resolve)? else { return Ok(()) };
        let formula = self.bound(&declaration.expression)?;
        // Assigned, because `json!` copies what it is given.
        let mut written = json!({ "name": declaration.name });
        written["tree"] = tree(&formula);
        if let Some(figure) = declaration.figure() {
            written["format"] = format(figure);
            written["format"]["scale"] = self.scale(&figure.format.scale());
        } else {
            written["scale"] = self.scale(&Unit::scale(quantity.dimension, declaration.expression.is_binary()));
        }
        self.results.push(written);
        self.compiled.add(&declaration.name, quantity.dimension);
        self.compiled.results.push(formula);
        Ok(())
    }

    fn scale(&mut self, units: &[Unit]) -> Json {
        let scale: Json = units.iter().map(|unit| size(&unit.name, unit)).collect();
        let known = self.scales.iter().position(|known| *known == scale);
        json!(known.unwrap_or_else(|| {
            self.scales.push(scale);
            self.scales.len() - 1
        }))
    }

    /// Returns a formula with numbers instead of what a reader cannot change, and without places.
    fn bound(&self, formula: &Expression) -> Result<Expression, Failure> {
        let (mut bound, mut failure) = (formula.clone(), None);
        bound.visit_mut(&mut |part| {
            if let Node::Path(reference, segments) = &mut part.node {
                let is_own = reference.origin == Origin::Here && segments.is_empty();
                reference.span = 0..0;
                if !is_own || self.compiled.find(&reference.name).is_none() {
                    match evaluate(part, self.resolve) {
                        Ok(Value::Number(quantity)) => {
                            part.node = Node::Literal(Literal { quantity, unit: Unit::one(), decimals: 0 });
                        }
                        Ok(Value::Data(_)) => failure = failure.take().or(Some(Failure::Elsewhere)),
                        Err(found) => failure = failure.take().or(Some(found)),
                    }
                }
            }
            part.span = 0..0;
        });
        failure.map_or(Ok(bound), Err)
    }
}

fn tree(formula: &Expression) -> Json {
    let list = |name: &str, operands: &mut dyn Iterator<Item = &Expression>| {
        Json::Array(std::iter::once(name.into()).chain(operands.map(tree)).collect())
    };
    match &formula.node {
        Node::Literal(literal) => number(literal.quantity.value),
        Node::Path(reference, _) => json!(reference.name),
        Node::Negate(operand) => list("neg", &mut std::iter::once(&**operand)),
        Node::Binary(operator, left, right) => joined(*operator, tree(left), tree(right)),
        Node::Power(operand, power) => Json::Array(vec!["^".into(), tree(operand), json!(power)]),
        Node::Call(function, operands) => list(function.text(), &mut operands.iter()),
        Node::If(comparison, operands) => {
            let mut list = list("if", &mut operands.iter());
            if let Json::Array(list) = &mut list {
                list.insert(1, json!(comparison.text()));
            }
            list
        }
    }
}

/// Writes `[[*, a, b], c]` as `[*, a, b, c]`, which is computed in the same order.
fn joined(operator: Operator, mut left: Json, right: Json) -> Json {
    if let Json::Array(list) = &mut left
        && list[0] == operator.text()
    {
        list.push(right);
        return left;
    }
    Json::Array(vec![operator.text().into(), left, right])
}

fn format(figure: &Figure) -> Json {
    let format = &figure.format;
    let (least, most) = format.range(&figure.digits);
    json!({
        "own": size(&format.suffix, &format.unit),
        "decimals": format.decimals,
        "grouping": format.grouping,
        "least": number(least),
        "most": number(most),
        "label": format.label,
    })
}

fn size(name: &str, unit: &Unit) -> Json {
    json!([name, number(unit.numerator), number(unit.denominator)])
}

/// Writes whole numbers without a decimal point, and -0 with its sign.
fn number(value: f64) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT && (value != 0.0 || value.is_sign_positive()) {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
        return json!(value as i64);
    }
    json!(value)
}
