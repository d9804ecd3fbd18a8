//! Writes a calculator as JSON, which the page carries and `static/calc.js` computes.
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

use super::evaluate::{Failure, Outcome, Value, evaluate};
use super::expression::{Expression, Node, Operator, Origin, Reference};
use super::figure::Figure;
use super::sheet::{Declaration, Domain, Kind, Sheet};
use super::unit::Unit;

/// Writes a calculator as JSON. `resolve` returns the value of each name in the default case, as for [`evaluate`]: names
/// from outside the sheet, constants and records become numbers.
///
/// # Errors
///
/// Returns the first failure of a result. There must be no cycle among the values.
pub fn tree<'a>(sheet: &Sheet, resolve: &dyn Fn(&Reference) -> Outcome<'a>) -> Result<Json, Failure> {
    let declarations = sheet.declarations.iter().map(|one| (one.name.as_str(), one)).collect();
    let mut writer = Writer {
        sheet,
        declarations,
        resolve,
        seen: BTreeSet::new(),
        live: BTreeSet::new(),
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
    Ok(written)
}

struct Writer<'s, 'r, 'a> {
    sheet: &'s Sheet,
    declarations: BTreeMap<&'s str, &'s Declaration>,
    resolve: &'r dyn Fn(&Reference) -> Outcome<'a>,
    /// The results that are written, or being written.
    seen: BTreeSet<&'s str>,
    /// The names that the page computes: inputs, and results that are numbers.
    live: BTreeSet<&'s str>,
    results: Vec<Json>,
    /// The units that results are printed in, each list once.
    scales: Vec<Json>,
}

impl<'s> Writer<'s, '_, '_> {
    /// Writes an input; one with a range with its ends, and the number of decimals of the numbers in between.
    fn input(&mut self, declaration: &'s Declaration) -> Option<Json> {
        let Declaration { name, kind: Kind::Input(domain), expression, .. } = declaration else { return None };
        let literal = expression.literal()?;
        self.live.insert(name);
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
        // Assigned, because `json!` copies what it is given.
        let mut written = json!({ "name": declaration.name });
        written["tree"] = self.node(&declaration.expression)?;
        if let Some(figure) = declaration.figure() {
            written["format"] = format(figure);
            written["format"]["scale"] = self.scale(&figure.format.scale());
        } else {
            written["scale"] = self.scale(&Unit::scale(quantity.dimension, declaration.expression.is_binary()));
        }
        self.results.push(written);
        self.live.insert(&declaration.name);
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

    fn node(&self, expression: &Expression) -> Result<Json, Failure> {
        let all = |name: &str, operands: &[&Expression]| -> Result<Json, Failure> {
            let mut list = vec![json!(name)];
            for operand in operands {
                list.push(self.node(operand)?);
            }
            Ok(Json::Array(list))
        };
        match &expression.node {
            Node::Literal(literal) => Ok(number(literal.quantity.value)),
            Node::Path(reference, segments) => {
                let is_live = reference.origin == Origin::Here && self.live.contains(reference.name.as_str());
                if is_live && segments.is_empty() {
                    return Ok(json!(reference.name));
                }
                match evaluate(expression, self.resolve)? {
                    Value::Number(quantity) => Ok(number(quantity.value)),
                    Value::Data(_) => Err(Failure::Elsewhere),
                }
            }
            Node::Negate(operand) => all("neg", &[operand]),
            Node::Binary(operator, left, right) => {
                let left = self.node(left)?;
                Ok(joined(*operator, left, self.node(right)?))
            }
            Node::Power(operand, power) => Ok(Json::Array(vec!["^".into(), self.node(operand)?, json!(power)])),
            Node::Call(function, operands) => all(function.text(), &operands.iter().collect::<Vec<_>>()),
            Node::If(comparison, operands) => {
                let mut list = all("if", &operands.each_ref())?;
                if let Json::Array(list) = &mut list {
                    list.insert(1, json!(comparison.text()));
                }
                Ok(list)
            }
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
