//! Writes a calculator: a table of its inputs and results in the default case, which the script turns into a form.

pub mod binding;
mod chart;
mod form;
pub mod stack;

use infralens_source::put;
use std::collections::BTreeSet;

use super::escape;
use super::figures::PageValues;
use super::markdown::foreign::attributes_at;
use infralens_course::config::Config;
use infralens_page::{Document, ValueBlock};
use infralens_units::{Declaration, Expression, Kind, Origin, Quantity, Sheet, print};
use stack::Stacked;

/// Writes the calculator of the block with this index; empty if the block has none. `prefix` is put before its id.
pub fn html(document: &Document, values: &PageValues, block: usize, prefix: &str, config: &Config) -> String {
    let ValueBlock { sheet, calculator, events, .. } = &document.body.values[block];
    let Some(calculator) = calculator else { return String::new() };
    let labels = &config.labels;
    let lang = attributes_at(document, config, document.body.events.span(events.start).start);
    let id = format!("{prefix}{}", escape::attribute(&calculator.id));
    let writer = CalculatorWriter { document, values, sheet };
    let title = escape::text(&calculator.title);
    let known = values.calculators.get(&block);
    let data = escape::json_attribute(known.map_or("", |(json, _)| json));
    if let (Some(stack), Some((_, compiled))) = (&calculator.stack, known)
        && let Some(stacked) = Stacked::new((sheet, stack), values, compiled, labels)
        && let Some(inside) = stack::html(&writer, &stacked, &id)
    {
        return format!(
            "<figure class=\"calc stack\" id=\"{id}\" data-calc='{data}'{words}>\n<figcaption{lang}>{title}</figcaption>\n{inside}\
             </figure>\n",
            words = stack::data(labels),
        );
    }
    let (mut inputs, mut results) = (String::new(), String::new());
    let mut explained = BTreeSet::new();
    for declared in &sheet.declarations {
        match declared.kind {
            Kind::Input(_) | Kind::Constant => inputs.push_str(&writer.row(declared)),
            Kind::Result if declared.pin.is_some() => {
                results.push_str(&writer.row(declared));
                results.push_str(&writer.formula(&declared.expression, &mut explained));
            }
            Kind::Result | Kind::Record => {}
        }
    }
    let chart = known.and_then(|(_, calculator)| chart::row(sheet, values, calculator, labels));
    results.push_str(&chart.unwrap_or_default());
    let chart =
        sheet.sweep.as_ref().map(|_| format!(" data-chart=\"{}\"", escape::attribute(&labels.calculator_chart)));
    format!(
        "<figure class=\"calc\" id=\"{id}\" data-calc='{data}'{chart}>\n<figcaption{lang}>{title}</figcaption>\n{buttons}\
         <table{lang}>\n<tbody class=\"inputs\">\n{inputs}</tbody>\n<tbody class=\"results\">\n{results}</tbody>\n</table>\n\
         </figure>\n",
        chart = chart.unwrap_or_default(),
        buttons = form::buttons(sheet, labels, true),
    )
}

/// A calculator as plain text, for the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalculatorText {
    pub id: String,
    pub title: String,
    /// Its rows: what each is called, what it is, and its value in the default case.
    pub text: String,
}

/// Returns the calculator of the block with this index, if it has one, as plain text.
pub fn text(document: &Document, values: &PageValues, block: usize) -> Option<CalculatorText> {
    let ValueBlock { sheet, calculator, .. } = &document.body.values[block];
    let calculator = calculator.as_ref()?;
    let writer = CalculatorWriter { document, values, sheet };
    let is_shown = |declared: &&Declaration| match declared.kind {
        Kind::Input(_) | Kind::Constant => true,
        Kind::Result => declared.pin.is_some(),
        Kind::Record => false,
    };
    let rows = sheet.declarations.iter().filter(is_shown).map(|declared| {
        let Declaration { name, comment, .. } = declared;
        let about = if comment.is_empty() { String::new() } else { format!("{comment}, ") };
        format!("{name}: {about}{}.", writer.printed(declared))
    });
    let text = rows.collect::<Vec<_>>().join(" ");
    Some(CalculatorText { id: calculator.id.clone(), title: calculator.title.clone(), text })
}

struct CalculatorWriter<'a> {
    document: &'a Document,
    values: &'a PageValues,
    sheet: &'a Sheet,
}

impl<'a> CalculatorWriter<'a> {
    /// Writes the row of an input, a constant or a result.
    fn row(&self, declared: &Declaration) -> String {
        let (name, words) = (escape::text(&declared.name), escape::text(&declared.comment));
        let value = escape::text(&self.printed(declared));
        let cell = match declared.kind {
            Kind::Input(_) => {
                let field = form::field(self.sheet, declared).unwrap_or_default();
                format!("<span>{value}</span>{field}")
            }
            Kind::Result => format!("<output>{value}</output>"),
            Kind::Constant | Kind::Record => value,
        };
        format!(
            "<tr data-value=\"{name}\"><th scope=\"row\"><code>{name}</code> <span>{words}</span></th>\
             <td>{cell}</td></tr>\n"
        )
    }

    /// Returns a value in the default case: a result as its pin says, anything else as it is written.
    fn printed(&self, declared: &Declaration) -> String {
        match &declared.pin {
            Some(pin) if !pin.text.is_empty() => pin.text.clone(),
            _ if declared.expression.literal().is_some() => {
                self.document.source.text()[declared.expression.span.clone()].to_owned()
            }
            _ => self.value(&declared.name).unwrap_or_default(),
        }
    }

    fn value(&self, name: &str) -> Option<String> {
        let quantity: Quantity = self.values.values[self.values.named(name)?].quantity?;
        Some(self.sheet.find(name).map_or_else(|| print(quantity, false), |declared| declared.print(quantity)))
    }

    /// Writes the row with a formula: as it is written, with the values of its names filled in, and what the names of
    /// results without a row stand for.
    fn formula(&self, expression: &'a Expression, explained: &mut BTreeSet<&'a str>) -> String {
        let (written, filled) = self.spell(expression);
        let hidden = self.hidden(expression, explained);
        format!(
            "<tr class=\"formula\"><td colspan=\"2\"><code>{written}</code>\n<code class=\"filled\">= {filled}</code>\
             {hidden}</td></tr>\n"
        )
    }

    /// Writes the formulas of the results without a row that this formula needs, each at its first use.
    fn hidden(&self, expression: &'a Expression, explained: &mut BTreeSet<&'a str>) -> String {
        let mut hidden = String::new();
        for reference in expression.names().into_iter().filter(|name| name.origin == Origin::Here) {
            let declared = self.sheet.find(&reference.name);
            let declared = declared.filter(|one| matches!(one.kind, Kind::Result) && one.pin.is_none());
            if let Some(declared) = declared.filter(|one| explained.insert(&one.name)) {
                let (name, written) = (escape::text(&declared.name), self.spell(&declared.expression).0);
                put!(hidden, "\n<code>{name} = {written}</code>");
                hidden.push_str(&self.hidden(&declared.expression, explained));
            }
        }
        hidden
    }

    /// Writes a formula as the author has written it, and with the values of its names filled in.
    fn spell(&self, expression: &Expression) -> (String, String) {
        let mut written = String::new();
        let mut filled = String::new();
        let text = self.document.source.text();
        let mut at = expression.span.start;
        for name in expression.names() {
            let between = escape::text(&text[at..name.span.start]);
            let word = escape::text(&text[name.span.clone()]);
            let value = (name.origin == Origin::Here).then(|| self.value(&name.name)).flatten();
            let value = value.map_or_else(|| word.clone(), |value| escape::text(&value));
            put!(written, "{between}<var>{word}</var>");
            put!(filled, "{between}<var data-of=\"{word}\">{value}</var>");
            at = name.span.end;
        }
        let rest = escape::text(&text[at..expression.span.end]);
        (written + &rest, filled + &rest)
    }
}
