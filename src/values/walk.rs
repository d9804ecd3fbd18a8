//! Computes the results of a calculator from its JSON, as `static/calc.js` does.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::evaluate::{combine, raise};
use super::expression::{Comparison, Function, Operator};

/// Computes the results of a calculator in order, and adds them to the numbers of its inputs. All numbers are in base
/// units; a result that cannot be computed is NaN.
pub fn compute(calculator: &Json, numbers: &mut BTreeMap<String, f64>) {
    for result in calculator["results"].as_array().into_iter().flatten() {
        let value = walk(&result["tree"], numbers);
        numbers.extend(result["name"].as_str().map(|name| (name.to_owned(), value)));
    }
}

/// Computes a tree; NaN if a number on the way is not finite.
fn walk(tree: &Json, numbers: &BTreeMap<String, f64>) -> f64 {
    let value = match tree {
        Json::Array(list) => match list.split_first() {
            Some((Json::String(name), operands)) => operation(name, operands, numbers),
            _ => None,
        },
        Json::String(name) => numbers.get(name).copied(),
        _ => tree.as_f64(),
    };
    value.filter(|value| value.is_finite()).unwrap_or(f64::NAN)
}

fn operation(name: &str, operands: &[Json], numbers: &BTreeMap<String, f64>) -> Option<f64> {
    let number = |tree: &Json| Some(walk(tree, numbers)).filter(|value| value.is_finite());
    if let ("if", [comparison, left, right, then, otherwise]) = (name, operands) {
        let comparison = Comparison::find(comparison.as_str()?)?;
        let holds = comparison.holds(number(left)?.partial_cmp(&number(right)?)?);
        return number(if holds { then } else { otherwise });
    }
    if let ("^", [base, power]) = (name, operands) {
        return Some(raise(number(base)?, i32::try_from(power.as_i64()?).ok()?));
    }
    let values = operands.iter().map(number).collect::<Option<Vec<f64>>>()?;
    match (Operator::find(name), Function::find(name)) {
        (Some(operator), _) => values.into_iter().reduce(|left, right| combine(operator, left, right)),
        (_, Some(function)) => Some(function.apply(&values)),
        _ => values.first().map(|value| -value),
    }
}
