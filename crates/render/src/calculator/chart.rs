//! Draws how a result of a calculator changes along one input. `static/calc.js` draws the same when an input changes.

use crate::escape;
use crate::figures::PageValues;
use infralens_course::config::Labels;
use infralens_units::{CompiledSheet, Declaration, Domain, Kind, Quantity, Sheet, fixed};

/// The number of stretches of the line. They are shorter near the lower end of the range, where most curves bend.
const STEPS: u8 = 32;

/// Writes the table row with the chart of a sheet in the default case, and its words; `None` if the sheet asks for no
/// chart, or if a value could not be computed.
pub fn row(sheet: &Sheet, values: &PageValues, calculator: &CompiledSheet, labels: &Labels) -> Option<String> {
    let sweep = sheet.sweep.as_ref()?;
    let (result, input) = (sheet.find(&sweep.result)?, sheet.find(&sweep.input)?);
    let curve = Curve::new(sheet, calculator, result, input)?;
    let number = |name: &str| values.values[values.named(name)?].quantity;
    let (of_result, of_input) = (number(&result.name)?, number(&input.name)?);
    let print_result = |value: f64| result.print(Quantity { value, ..of_result });
    let print_input = |value: f64| input.print(Quantity { value, ..of_input });
    let (first, last) = (curve.points.first()?, curve.points.last()?);
    let (low, high) = (print_input(first.0), print_input(last.0));
    let words = [
        ("{result}", &result.name),
        ("{input}", &input.name),
        ("{from}", &print_result(first.1)),
        ("{to}", &print_result(last.1)),
        ("{low}", &low),
        ("{high}", &high),
    ];
    let words = words.iter().fold(labels.calculator_chart.clone(), |text, (name, value)| text.replace(name, value));
    let place = curve.place((of_input.value, of_result.value));
    Some(format!(
        "<tr class=\"chart\"><td colspan=\"2\"><svg viewBox=\"0 0 320 132\" width=\"320\" height=\"132\" role=\"img\">\
         <title>{title}</title><path d=\"M4 112H316\"/><polyline points=\"{points}\"/>\
         <circle r=\"4\" transform=\"translate({place})\"/><text x=\"4\" y=\"12\">{top}</text>\
         <text x=\"4\" y=\"128\">{low}</text><text x=\"316\" y=\"128\" text-anchor=\"end\">{high}</text></svg>\n\
         <p>{words}</p></td></tr>\n",
        title = escape::text(&format!("{} / {}", result.name, input.name)),
        points = curve.polyline(),
        top = escape::text(&print_result(curve.top)),
        low = escape::text(&low),
        high = escape::text(&high),
        words = escape::text(&words),
    ))
}

/// A line through points in base units: the input and the result.
struct Curve {
    points: Vec<(f64, f64)>,
    /// The ends of the input's range.
    ends: (f64, f64),
    bottom: f64,
    top: f64,
}

impl Curve {
    /// Computes the result for inputs along the range, which are whole numbers if the range, the default and the presets are. `None`
    /// if there are not two points.
    fn new(sheet: &Sheet, calculator: &CompiledSheet, result: &Declaration, input: &Declaration) -> Option<Self> {
        let Kind::Input(Domain::Range(low, high)) = &input.kind else { return None };
        let unit = &input.expression.literal()?.unit;
        let is_whole = sheet.decimals(input) == 0;
        let ends = (low.quantity.value, high.quantity.value);
        let defaults = sheet.declarations.iter().filter(|one| matches!(one.kind, Kind::Input(_)));
        let mut inputs: Vec<f64> = defaults.filter_map(|one| Some(one.expression.literal()?.quantity.value)).collect();
        let (of_input, of_result) = (calculator.find(&input.name)?, calculator.find(&result.name)?);
        let mut points = Vec::new();
        for step in 0..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let number = unit.from_base(ends.0 + (ends.1 - ends.0) * part * part);
            let at = unit.to_base(if is_whole { number.round() } else { number });
            inputs[of_input] = at;
            let value = calculator.compute(&inputs)[of_result];
            points.extend(value.is_finite().then_some((at, value)));
        }
        let bottom = points.iter().fold(0.0, |least, point| f64::min(least, point.1));
        let top = points.iter().fold(0.0, |most, point| f64::max(most, point.1));
        (points.len() > 1 && ends.0 < ends.1).then_some(Self { points, ends, bottom, top })
    }

    /// Writes the place of a point in the picture, `x,y`.
    fn place(&self, (input, result): (f64, f64)) -> String {
        let height = if self.top > self.bottom { self.top - self.bottom } else { 1.0 };
        let x = 4.0 + 312.0 * (input - self.ends.0) / (self.ends.1 - self.ends.0);
        let y = 112.0 - 92.0 * (result - self.bottom) / height;
        format!("{},{}", fixed(x, 1), fixed(y, 1))
    }

    fn polyline(&self) -> String {
        let places: Vec<String> = self.points.iter().map(|point| self.place(*point)).collect();
        places.join(" ")
    }
}
