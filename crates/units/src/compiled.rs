//! A second interpreter of calculators: computes them from the JSON that `tree` writes, as `static/calc.js` does. The charts
//! and the lists of figures use it at build time.

use serde_json::Value as Json;

use super::evaluate::{combine, raise};
use super::expression::{Comparison, Function, Operator};

/// A calculator as it was read from its JSON. All numbers are in base units.
#[derive(Debug, Clone, PartialEq)]
pub struct CompiledSheet {
    /// The names of the inputs and after them of the results.
    names: Vec<String>,
    /// The trees of the results.
    results: Vec<Tree>,
}

#[derive(Debug, Clone, PartialEq)]
enum Tree {
    Number(f64),
    /// The input or earlier result with this index.
    Name(usize),
    Negate(Box<Self>),
    Power(Box<Self>, i32),
    Operation(Operator, Vec<Self>),
    Call(Function, Vec<Self>),
    If(Comparison, Box<[Self; 4]>),
}

impl CompiledSheet {
    /// Reads what [`tree`](super::tree()) wrote; `None` if it is anything else.
    pub fn read(calculator: &Json) -> Option<Self> {
        let name = |one: &Json| one["name"].as_str().map(ToOwned::to_owned);
        let names = calculator["inputs"].as_array()?.iter().map(name).collect::<Option<_>>()?;
        let mut read = Self { names, results: Vec::new() };
        for result in calculator["results"].as_array()? {
            let tree = read.tree(&result["tree"])?;
            read.results.push(tree);
            read.names.push(name(result)?);
        }
        Some(read)
    }

    /// Returns the index of an input or a result.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Computes the results for these inputs. Returns the inputs and after them the results; one that cannot be computed is
    /// NaN.
    pub fn compute(&self, inputs: &[f64]) -> Vec<f64> {
        let mut numbers = inputs.to_vec();
        for result in &self.results {
            numbers.push(result.compute(&numbers).unwrap_or(f64::NAN));
        }
        numbers
    }

    fn tree(&self, tree: &Json) -> Option<Tree> {
        let Json::Array(list) = tree else {
            return tree
                .as_str()
                .map_or_else(|| tree.as_f64().map(Tree::Number), |name| self.find(name).map(Tree::Name));
        };
        let (name, operands) = list.split_first()?;
        match (name.as_str()?, operands) {
            ("if", [comparison, operands @ ..]) => {
                let operands: [Tree; 4] = self.trees(operands)?.try_into().ok()?;
                Some(Tree::If(Comparison::find(comparison.as_str()?)?, Box::new(operands)))
            }
            ("^", [base, power]) => Some(Tree::Power(self.tree(base)?.into(), power.as_i64()?.try_into().ok()?)),
            ("neg", [operand]) => Some(Tree::Negate(self.tree(operand)?.into())),
            (name, operands) => {
                let trees = self.trees(operands)?;
                match Operator::find(name) {
                    Some(operator) => Some(Tree::Operation(operator, trees)),
                    None => Some(Tree::Call(Function::find(name)?, trees)),
                }
            }
        }
    }

    fn trees(&self, list: &[Json]) -> Option<Vec<Tree>> {
        list.iter().map(|tree| self.tree(tree)).collect()
    }
}

impl Tree {
    /// Computes the tree; `None` if a number on the way is not finite.
    fn compute(&self, numbers: &[f64]) -> Option<f64> {
        let number = |tree: &Self| tree.compute(numbers);
        let value = match self {
            Self::Number(number) => *number,
            Self::Name(index) => numbers[*index],
            Self::Negate(operand) => -number(operand)?,
            Self::Power(base, power) => raise(number(base)?, *power),
            Self::Operation(operator, operands) => {
                let (first, rest) = operands.split_first()?;
                rest.iter().try_fold(number(first)?, |left, right| Some(combine(*operator, left, number(right)?)))?
            }
            Self::Call(function, operands) => function.apply(&operands.iter().map(number).collect::<Option<Vec<_>>>()?),
            Self::If(comparison, operands) => {
                let [left, right, then, otherwise] = operands.as_ref();
                let holds = comparison.holds(number(left)?.partial_cmp(&number(right)?)?);
                number(if holds { then } else { otherwise })?
            }
        };
        Some(value).filter(|value| value.is_finite())
    }
}
