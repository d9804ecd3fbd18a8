//! Writes a calculator that stacks values against a limit: what it asks, the answer with a bar, the parts, and the single
//! changes after which the sum is within the limit. `static/stack.js` does the same when an input changes.

use infralens_source::put;
use std::collections::BTreeSet;

use serde_json::json;

use super::{CalculatorWriter, form};
use crate::escape;
use crate::figures::PageValues;
use infralens_course::config::Labels;
use infralens_page::{Document, Stack, ValueBlock};
use infralens_units::{CompiledSheet, Declaration, Domain, Kind, Preset, Quantity, Sheet, fixed};

/// How many changes of one input or group are listed at most: those that leave least room.
const CHANGES: usize = 2;
/// How many characters the name of the limit has at most, so that it stays within the width of the bar.
const LIMIT_NAME: usize = 24;
/// The number of colors of parts.
const COLORS: usize = 6;

/// A calculator that stacks values, and what it computes.
pub struct Stacked<'a> {
    sheet: &'a Sheet,
    stack: &'a Stack,
    labels: &'a Labels,
    calculator: &'a CompiledSheet,
    /// The places of the parts and of the limit among what the calculator computes.
    parts: Vec<usize>,
    limit: usize,
    /// The limit in the default case; another number takes its unit.
    of_limit: Quantity,
}

/// What a calculator computes for some inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The parts, in the order of the bar.
    pub parts: Vec<f64>,
    /// Their sum.
    pub total: f64,
    pub limit: f64,
}

/// The front calculator of a course in the default case, for the picture that other sites show with a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Front {
    /// The index of its block on its page.
    pub block: usize,
    pub title: String,
    pub answer: String,
    /// The sum and the limit in words.
    pub sum: String,
    /// What the limit is called.
    pub limit: String,
    pub case: Case,
}

/// A change of one input, or to one preset, after which the sum is within the limit.
struct Change {
    words: String,
    case: Case,
    /// All inputs after the change, as in an address.
    setting: String,
}

impl Case {
    /// Whether the sum is within the limit.
    pub fn fits(&self) -> bool {
        self.total <= self.limit
    }

    /// Returns a number as a part of the bar's length.
    pub fn share(&self, number: f64) -> f64 {
        number / f64::max(self.total, self.limit)
    }

    /// Returns where each part begins, and how long it is, as parts of the bar's length.
    pub fn bars(&self) -> Vec<(f64, f64)> {
        let mut end = 0.0;
        let bar = |&part: &f64| {
            end += part;
            (self.share(end - part), self.share(part))
        };
        self.parts.iter().map(bar).collect()
    }
}

impl<'a> Stacked<'a> {
    /// Reads a calculator; `None` if a value that it needs could not be computed.
    pub fn new(
        (sheet, stack): (&'a Sheet, &'a Stack),
        values: &PageValues,
        calculator: &'a CompiledSheet,
        labels: &'a Labels,
    ) -> Option<Self> {
        let parts = stack.parts.iter().map(|(name, _)| calculator.find(name)).collect::<Option<_>>()?;
        let limit = calculator.find(&stack.limit.0)?;
        let of_limit = values.values[values.named(&stack.limit.0)?].quantity?;
        Some(Self { sheet, stack, labels, calculator, parts, limit, of_limit })
    }

    /// Returns what the calculator computes in the default case.
    pub fn default_case(&self) -> Option<Case> {
        self.case(&self.defaults())
    }

    /// Returns the answer in the default case, and the sum and the limit.
    pub fn answer(&self, case: &Case) -> (String, String) {
        let (label, name) = if case.fits() {
            (&self.labels.calculator_within, "{rest}")
        } else {
            (&self.labels.calculator_beyond, "{over}")
        };
        (label.replace(name, &self.print((case.total - case.limit).abs())), self.sum(case))
    }

    /// Returns what the limit is called: by the preset that sets it, or as a number.
    pub fn limit_name(&self, case: &Case) -> String {
        let sets = |preset: &Preset| preset.values.iter().any(|(name, _)| *name == self.stack.limit.0);
        let mut groups =
            self.sheet.groups().into_iter().filter(|(_, presets)| presets.iter().all(|preset| sets(preset)));
        let chosen = groups.find_map(|(_, presets)| self.chosen(&presets));
        let name = chosen.map(|preset| &preset.name).filter(|name| name.chars().count() <= LIMIT_NAME);
        name.map_or_else(|| self.print(case.limit), Clone::clone)
    }

    fn inputs(&self) -> impl Iterator<Item = &'a Declaration> {
        self.sheet.declarations.iter().filter(|one| matches!(one.kind, Kind::Input(_)))
    }

    fn defaults(&self) -> Vec<f64> {
        self.inputs().filter_map(|input| Some(input.expression.literal()?.quantity.value)).collect()
    }

    fn case(&self, inputs: &[f64]) -> Option<Case> {
        let numbers = self.calculator.compute(inputs);
        let parts: Vec<f64> = self.parts.iter().map(|&part| numbers[part]).collect();
        let (total, limit) = (parts.iter().fold(0.0, |sum, part| sum + part), numbers[self.limit]);
        (total + limit).is_finite().then_some(Case { parts, total, limit })
    }

    /// Prints a number as the limit is printed.
    fn print(&self, value: f64) -> String {
        let limit = self.sheet.find(&self.stack.limit.0);
        limit.map_or_else(String::new, |limit| limit.print(Quantity { value, ..self.of_limit }))
    }

    fn sum(&self, case: &Case) -> String {
        let words = self.labels.calculator_of.replace("{total}", &self.print(case.total));
        words.replace("{limit}", &self.print(case.limit))
    }

    /// Returns the preset of a group whose inputs are all at their defaults.
    fn chosen(&self, presets: &[&'a Preset]) -> Option<&'a Preset> {
        let is_default = |(name, value): &(String, Quantity)| {
            let literal = self.sheet.find(name).and_then(|input| input.expression.literal());
            literal.is_some_and(|literal| literal.quantity.value.to_bits() == value.value.to_bits())
        };
        presets.iter().copied().find(|preset| preset.values.iter().all(is_default))
    }

    /// Returns the changes after which the sum is within the limit, in the order of `vary=`.
    fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        for key in &self.stack.vary {
            let mut found: Vec<Change> =
                self.options(key).into_iter().filter_map(|(words, values)| self.change(words, &values)).collect();
            let share = |change: &Change| change.case.total / change.case.limit;
            found.sort_by(|a, b| share(b).total_cmp(&share(a)));
            found.truncate(CHANGES);
            changes.extend(found);
        }
        changes
    }

    /// Returns what can be chosen: the presets of a group or the numbers of an input, with the inputs that each sets.
    fn options(&self, key: &str) -> Vec<(String, Vec<(String, Quantity)>)> {
        if let Some((_, presets)) = self.sheet.groups().into_iter().find(|(group, _)| *group == Some(key)) {
            return presets.iter().map(|preset| (format!("{key}: {}", preset.name), preset.values.clone())).collect();
        }
        let Some(input) = self.sheet.find(key) else { return Vec::new() };
        let Kind::Input(Domain::Choice(choices)) = &input.kind else { return Vec::new() };
        let option = |choice: &infralens_units::Choice| {
            (format!("{}: {}", words(input), choice.text), vec![(key.to_owned(), choice.quantity)])
        };
        choices.iter().map(option).collect()
    }

    /// Returns what the calculator computes after a change; `None` if nothing changes, or if the sum exceeds the limit.
    fn change(&self, words: String, values: &[(String, Quantity)]) -> Option<Change> {
        let mut changed = Vec::new();
        for input in self.inputs() {
            let default = input.expression.literal()?.quantity;
            let set = values.iter().find(|(name, _)| *name == input.name);
            changed.push((&input.name, set.map_or(default, |(_, quantity)| *quantity)));
        }
        let numbers: Vec<f64> = changed.iter().map(|(_, quantity)| quantity.value).collect();
        let case = self.case(&numbers).filter(|case| case.fits() && numbers != self.defaults())?;
        Some(Change { words, case, setting: form::setting(self.sheet, changed.into_iter()) })
    }
}

/// Returns the calculator of a block in the default case; `None` if it stacks nothing, or if it could not be computed.
pub fn front(document: &Document, values: &PageValues, block: usize, labels: &Labels) -> Option<Front> {
    let ValueBlock { sheet, calculator, .. } = &document.body.values[block];
    let calculator = calculator.as_ref()?;
    let (_, compiled) = values.calculators.get(&block)?;
    let stacked = Stacked::new((sheet, calculator.stack.as_ref()?), values, compiled, labels)?;
    let case = stacked.default_case()?;
    let (answer, sum) = stacked.answer(&case);
    Some(Front { block, title: calculator.title.clone(), answer, sum, limit: stacked.limit_name(&case), case })
}

/// Returns the words for a declaration: its comment, or its name.
fn words(declared: &Declaration) -> &str {
    if declared.comment.is_empty() { &declared.name } else { &declared.comment }
}

/// Writes the inside of the figure, below its title; `None` if the default case could not be computed.
pub(super) fn html(writer: &CalculatorWriter<'_>, stacked: &Stacked<'_>, id: &str) -> Option<String> {
    let case = stacked.default_case()?;
    let labels = stacked.labels;
    let (answer, sum) = stacked.answer(&case);
    let (asked, more) = questions(writer, stacked);
    let mut out = format!(
        "<div class=\"ask\">\n<table>\n<tbody class=\"inputs\">\n{asked}</tbody>\n</table>\n{settings}\
         <details class=\"more\">\n<summary>{summary}</summary>\n{more}</details>\n</div>\n<div class=\"result\">\n\
         <div class=\"answer\" tabindex=\"-1\">\n<output class=\"verdict\">{answer}</output>\n<span class=\"sum\">{sum}</span>\n{bar}</div>\n",
        settings = form::buttons(stacked.sheet, labels, false),
        summary = escape::text(&labels.calculator_more),
        answer = escape::text(&answer),
        sum = escape::text(&sum),
        bar = bar(&case, &stacked.limit_name(&case), id),
    );
    let rows: String = stacked
        .stack
        .parts
        .iter()
        .enumerate()
        .filter_map(|(at, (name, _))| part(writer, at, name, case.parts[at] == 0.0))
        .collect();
    put!(
        out,
        "<p class=\"largest\">{largest}</p>\n<table class=\"parts\">\n<tbody>\n{rows}<tr><th scope=\"row\">{total}</th>\
         <td><output class=\"total\">{printed}</output></td><td></td></tr>\n</tbody>\n</table>\n{changes}</div>\n",
        largest = escape::text(&largest(stacked, &case)),
        total = escape::text(&labels.calculator_total),
        printed = escape::text(&stacked.print(case.total)),
        changes = changes(stacked, &case),
    );
    Some(out)
}

/// Returns the words that the script fills in, as an attribute.
pub fn data(labels: &Labels) -> String {
    let words = json!({
        "within": labels.calculator_within,
        "beyond": labels.calculator_beyond,
        "of": labels.calculator_of,
        "largest": labels.calculator_largest,
        "unchanged": labels.calculator_unchanged,
        "try": labels.calculator_try,
    });
    format!(" data-words='{}'", escape::json_attribute(&words.to_string()))
}

/// Writes the rows of what is asked first, and the tables of all other inputs and results. A group of presets is asked where
/// the first of its inputs is declared, and stands for its inputs.
fn questions(writer: &CalculatorWriter<'_>, stacked: &Stacked<'_>) -> (String, String) {
    let sheet = stacked.sheet;
    let mut groups: Vec<_> = sheet.groups().into_iter().map(Some).collect();
    let is_set = |name: &str| sheet.presets.iter().flat_map(|preset| &preset.values).any(|(set, _)| set == name);
    let is_part = |name: &str| stacked.stack.parts.iter().any(|(part, _)| part == name);
    let (mut asked, mut inputs, mut results) = (String::new(), String::new(), String::new());
    let mut explained = BTreeSet::new();
    for declared in &sheet.declarations {
        for (number, group) in groups.iter_mut().enumerate() {
            let sets = |(_, presets): &(Option<&str>, Vec<&Preset>)| {
                presets.iter().flat_map(|preset| &preset.values).any(|(name, _)| *name == declared.name)
            };
            if let Some((name, presets)) = group.take_if(|group| sets(group)) {
                asked.push_str(&question(stacked, number, name, &presets));
            }
        }
        match declared.kind {
            Kind::Input(_) if !is_set(&declared.name) => asked.push_str(&writer.row(declared)),
            Kind::Input(_) | Kind::Constant => inputs.push_str(&writer.row(declared)),
            Kind::Result if declared.pin.is_some() && !is_part(&declared.name) => {
                results.push_str(&writer.row(declared));
                results.push_str(&writer.formula(&declared.expression, &mut explained));
            }
            Kind::Result | Kind::Record => {}
        }
    }
    let more = format!(
        "<table>\n<tbody class=\"inputs\">\n{inputs}</tbody>\n<tbody class=\"results\">\n{results}</tbody>\n</table>\n"
    );
    (asked, more)
}

/// Writes the row of a group of presets.
fn question(stacked: &Stacked<'_>, number: usize, group: Option<&str>, presets: &[&Preset]) -> String {
    let chosen = stacked.chosen(presets);
    let option = |preset: &&Preset| {
        let is_chosen = chosen.is_some_and(|chosen| std::ptr::eq(chosen, *preset));
        let selected = if is_chosen { " selected" } else { "" };
        let set = form::setting(stacked.sheet, preset.values.iter().map(|(name, value)| (name, *value)));
        format!("<option value=\"{set}\"{selected}>{}</option>", escape::text(&preset.name))
    };
    let other = escape::text(&stacked.labels.calculator_other);
    format!(
        "<tr data-value=\"group-{number}\"><th scope=\"row\">{name}</th><td><span>{value}</span><template>\
         <select data-group=\"{key}\">{options}<option value=\"\"{none}>{other}</option></select></template></td></tr>\n",
        name = escape::text(group.unwrap_or(&stacked.labels.calculator_presets)),
        key = escape::attribute(group.unwrap_or_default()),
        value = chosen.map_or_else(|| other.clone(), |preset| escape::text(&preset.name)),
        none = if chosen.is_none() { " selected" } else { "" },
        options = presets.iter().map(option).collect::<String>(),
    )
}

/// Writes the row of a part, hidden if there is nothing of it: its color, its words, its value, and for a result its formula with the values filled in.
fn part(writer: &CalculatorWriter<'_>, at: usize, name: &str, is_empty: bool) -> Option<String> {
    let declared = writer.sheet.find(name)?;
    let formula = if matches!(declared.kind, Kind::Result) {
        format!("<code class=\"filled\">= {}</code>", writer.spell(&declared.expression).1)
    } else {
        String::new()
    };
    Some(format!(
        "<tr{hidden}><th scope=\"row\"><i class=\"part-{color}\"></i> {words}</th><td><output data-of=\"{name}\">{value}</output></td>\
         <td>{formula}</td></tr>\n",
        hidden = if is_empty { " hidden" } else { "" },
        color = at % COLORS + 1,
        words = escape::text(words(declared)),
        name = escape::attribute(name),
        value = escape::text(&writer.value(name)?),
    ))
}

fn largest(stacked: &Stacked<'_>, case: &Case) -> String {
    let first = |largest: usize, at: usize| if case.parts[at] > case.parts[largest] { at } else { largest };
    let largest = (0..case.parts.len()).reduce(first).unwrap_or_default();
    let Some((name, _)) = stacked.stack.parts.get(largest) else { return String::new() };
    let Some(declared) = stacked.sheet.find(name) else { return String::new() };
    let value = declared.print(Quantity { value: case.parts[largest], ..stacked.of_limit });
    stacked.labels.calculator_largest.replace("{part}", words(declared)).replace("{value}", &value)
}

/// Draws the parts, the limit as an upright line, and what exceeds it hatched.
fn bar(case: &Case, limit: &str, id: &str) -> String {
    let percent = |share: f64| format!("{}%", fixed(share * 100.0, 2));
    let mut parts = String::new();
    for (at, (start, length)) in case.bars().iter().enumerate() {
        let (start, length, color) = (percent(*start), percent(*length), at % COLORS + 1);
        put!(parts, "<rect class=\"part-{color}\" x=\"{start}\" width=\"{length}\" height=\"100%\"/>");
    }
    let at = case.share(case.limit);
    let over = percent(f64::max(1.0 - at, 0.0));
    // The words stay within the picture.
    let anchor = if at < 0.34 {
        "start"
    } else if at > 0.66 {
        "end"
    } else {
        "middle"
    };
    let at = percent(at);
    format!(
        "<svg class=\"limit\" aria-hidden=\"true\"><text x=\"{at}\" y=\"14\" text-anchor=\"{anchor}\">{limit}</text></svg>\n\
         <svg class=\"bar\" aria-hidden=\"true\"><pattern id=\"{id}-over\" width=\"8\" height=\"8\" \
         patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path d=\"M4 0V8\"/></pattern>\
         <rect class=\"room\" width=\"{at}\" height=\"100%\"/>{parts}\
         <rect class=\"over\" x=\"{at}\" width=\"{over}\" height=\"100%\" fill=\"url(#{id}-over)\"/>\
         <line x1=\"{at}\" x2=\"{at}\" y1=\"-14%\" y2=\"114%\"/></svg>\n",
        limit = escape::text(limit),
    )
}

fn changes(stacked: &Stacked<'_>, case: &Case) -> String {
    let labels = stacked.labels;
    let row = |change: Change| {
        format!(
            "<li><span>{}</span> <span>{}</span> <span><template><button type=\"button\" data-set=\"{}\">{}</button></template>\
             </span></li>\n",
            escape::text(&change.words),
            escape::text(&stacked.sum(&change.case)),
            escape::attribute(&change.setting),
            escape::text(&labels.calculator_try),
        )
    };
    let changes = if case.fits() { Vec::new() } else { stacked.changes() };
    let unchanged = if changes.is_empty() { escape::text(&labels.calculator_unchanged) } else { String::new() };
    format!(
        "<div class=\"changes\"{hidden}>\n<p>{heading}</p>\n<ul class=\"fits\">\n{rows}</ul>\n<p>{unchanged}</p>\n</div>\n",
        hidden = if case.fits() { " hidden" } else { "" },
        heading = escape::text(&labels.calculator_changes),
        rows = changes.into_iter().map(row).collect::<String>(),
    )
}
