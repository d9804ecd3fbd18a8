//! Writes the form of a calculator, in templates: without scripts nothing of it is shown.

use crate::escape;
use infralens_course::config::Labels;
use infralens_units::{Declaration, Domain, Kind, Literal, Preset, Quantity, Sheet};

/// Writes the field for an input, which the script connects with its name and range; `None` if it is not an input.
pub fn field(sheet: &Sheet, declared: &Declaration) -> Option<String> {
    let (Kind::Input(domain), literal) = (&declared.kind, declared.expression.literal()?) else { return None };
    let default = number(literal, literal.quantity);
    let field = match domain {
        Domain::Choice(choices) => {
            let options = choices.iter().map(|choice| {
                let value = number(literal, choice.quantity);
                let selected = if value == default { " selected" } else { "" };
                format!("<option value=\"{value}\"{selected}>{}</option>", escape::text(&choice.text))
            });
            format!("<select required>{}</select><output></output>", options.collect::<String>())
        }
        Domain::Range(low, high) => {
            let print = |quantity: Quantity| escape::text(&declared.print(quantity));
            let step = if sheet.decimals(declared) == 0 { "1" } else { "any" };
            format!(
                "<input type=\"number\" required min=\"{}\" max=\"{}\" step=\"{step}\" value=\"{default}\" \
                 autocomplete=\"off\"><output></output> <small>{} – {}</small>",
                number(literal, low.quantity),
                number(literal, high.quantity),
                print(low.quantity),
                print(high.quantity),
            )
        }
    };
    Some(format!("<template>{field}</template>"))
}

/// Writes the buttons. What a button sets is written as in an address; first comes the one that sets the default case, and
/// each preset sets what differs from it. A calculator with questions has no buttons for presets.
pub fn buttons(sheet: &Sheet, labels: &Labels, has_presets: bool) -> String {
    let button = |name: &str, set: &str| {
        format!("<button type=\"button\" data-set=\"{}\">{}</button>\n", escape::attribute(set), escape::text(name))
    };
    let inputs = sheet.declarations.iter().filter(|one| matches!(one.kind, Kind::Input(_)));
    let defaults = inputs.filter_map(|input| Some((&input.name, input.expression.literal()?.quantity)));
    let preset = |preset: &&Preset| {
        let values = preset.values.iter().map(|(name, value)| (name, *value));
        button(&preset.name, &setting(sheet, values))
    };
    let groups = sheet.groups().into_iter().filter(|_| has_presets).map(|(group, presets)| {
        let group = escape::text(group.unwrap_or(&labels.calculator_presets));
        format!("<span>{group}</span>\n{}", presets.iter().map(preset).collect::<String>())
    });
    let presets: String = groups.collect();
    format!(
        "<div class=\"settings\"><template>{reset}{presets}\
         <button type=\"button\" data-copied=\"{copied}\">{copy}</button><output></output></template></div>\n",
        reset = button(&labels.calculator_reset, &setting(sheet, defaults)),
        copied = escape::attribute(&labels.calculator_copied),
        copy = escape::text(&labels.calculator_copy),
    )
}

/// Writes values of inputs: `layers=32,tokens=4096`.
pub fn setting<'a>(sheet: &Sheet, values: impl Iterator<Item = (&'a String, Quantity)>) -> String {
    let set = values.filter_map(|(name, value)| {
        let literal = sheet.find(name)?.expression.literal()?;
        Some(format!("{name}={}", number(literal, value)))
    });
    set.collect::<Vec<_>>().join(",")
}

/// Writes a quantity as a number in the unit of an input, with at most 15 significant digits, which every double keeps.
fn number(input: &Literal, quantity: Quantity) -> String {
    let number = format!("{:.14e}", input.unit.from_base(quantity.value));
    number.parse().map_or(number, |number: f64| number.to_string())
}
