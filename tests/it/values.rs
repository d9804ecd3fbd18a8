//! The language of values: random calculators are computed in three ways and printed in two, and a library of exact
//! arithmetic agrees with the digits.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::process::Command;

use infralens_source::source::Source;
use infralens_units::{
    CompiledSheet, Declaration, Failure, Form, Kind, Outcome, Quantity, Reference, Sheet, Unit, Value, compile,
    evaluate, parse,
};
use serde_json::{Value as Json, json};

use crate::generate::Dice;
use crate::harness::repository;

mod damaged;

const EXPRESSIONS: usize = 10_000;

fn literal(dice: &mut Dice) -> String {
    match dice.below(6) {
        0 => (dice.below(9) + 1).to_string(),
        1 => dice.below(100_000).to_string(),
        2 => format!("{}.{}", dice.below(1000), dice.below(1000)),
        3 => format!("{}e{}", dice.below(90) + 10, dice.below(16)),
        4 => format!("0.{:05}", dice.below(100_000)),
        _ => (1_u64 << dice.below(40)).to_string(),
    }
}

/// What a random formula may use.
#[derive(Clone, Copy, PartialEq)]
enum Words {
    /// The whole language, and inputs.
    All,
    /// What the library of exact arithmetic knows, too.
    Exact,
}

/// The units of a dimension, counts first.
const UNITS: [&[&str]; 5] = [
    &[""],
    &["B", "kB", "MB", "GB", "KiB", "MiB", "GiB"],
    &["s", "ms", "h"],
    &["FLOP", "GFLOP", "TFLOP"],
    &["W", "kW"],
];
const COUNT: usize = 0;

/// Writes a formula whose result has the units of `kind`.
fn formula(dice: &mut Dice, words: Words, kind: usize, depth: usize) -> String {
    let kinds = if words == Words::All { UNITS.len() } else { 3 };
    if depth == 0 || dice.below(8) == 0 {
        if words == Words::All && dice.below(2) == 0 {
            return format!("i{kind}");
        }
        return format!("{} {}", literal(dice), dice.one_of(UNITS[kind])).trim().to_owned();
    }
    let next = |dice: &mut Dice, kind: usize| formula(dice, words, kind, depth - 1);
    let (a, b) = (next(dice, kind), next(dice, kind));
    let other = dice.below(kinds);
    match dice.below(if words == Words::All { 12 } else { 7 }) {
        0 | 1 => format!("({a} + {b})"),
        2 => format!("({a} - {b})"),
        3 | 4 => format!("{a} * ({})", next(dice, COUNT)),
        5 => format!("{a} / ({})", next(dice, COUNT)),
        6 if kind == COUNT => format!("({}) / ({})", next(dice, other), next(dice, other)),
        6 => format!("({a} + {b}) * {}", dice.below(9)),
        7 => format!("{}({a}, {b}, {})", dice.one_of(&["min", "max"]), next(dice, kind)),
        8 | 9 => {
            let how = dice.one_of(&["<", "<=", ">", ">=", "==", "!="]);
            format!("if({} {how} {}, {a}, {b})", next(dice, other), next(dice, other))
        }
        10 if kind == COUNT => format!("({a})^{}", dice.one_of(&["2", "3", "-1", "-2", "0"])),
        11 if kind == COUNT => {
            format!("{}({a})", dice.one_of(&["ceil", "floor", "round", "sqrt", "ceil_log2", "-"]))
        }
        _ => format!("-({a})"),
    }
}

/// A sheet with an input of each kind and one result, which is printed as a random pin says.
fn calculator(dice: &mut Dice) -> (String, usize) {
    let kind = dice.below(UNITS.len());
    let mut sheet = String::new();
    for (at, units) in UNITS.iter().enumerate() {
        let unit = dice.one_of(units);
        let _ = writeln!(sheet, "i{at} = {} {unit} # [0 .. 1e30]", literal(dice));
    }
    let _ = write!(sheet, "x = {}", formula(dice, Words::All, kind, 5));
    if dice.below(8) > 0 {
        let number = dice.one_of(&["1.25", "80", "1,234", "0.001", "100.0", "12,345.67", "3", "0.5"]);
        let _ = write!(sheet, " # = {number} {}", dice.one_of(UNITS[kind]));
    }
    (sheet + "\ny = x * 2\n", kind)
}

fn read(text: &str) -> Sheet {
    let (sheet, diagnostics) = parse(&Source::new("a.md", text), 0..text.len(), Form::Calculator);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    sheet
}

/// Returns a value of a sheet for some inputs; `None` if it cannot be computed.
fn value(sheet: &Sheet, setting: &BTreeMap<String, f64>, name: &str) -> Option<Quantity> {
    let declared = sheet.find(name).expect("a declaration");
    match evaluate(&declared.expression, &|reference| resolve(sheet, setting, reference)) {
        Ok(Value::Number(quantity)) if matches!(declared.kind, Kind::Input(_)) => {
            Some(Quantity { value: setting[name], ..quantity })
        }
        Ok(Value::Number(quantity)) => Some(quantity),
        _ => None,
    }
}

fn resolve<'a>(sheet: &Sheet, setting: &BTreeMap<String, f64>, reference: &Reference) -> Outcome<'a> {
    value(sheet, setting, &reference.name).map(Value::Number).ok_or(Failure::Elsewhere)
}

fn inputs(sheet: &Sheet) -> impl Iterator<Item = &Declaration> {
    sheet.declarations.iter().filter(|declared| matches!(declared.kind, Kind::Input(_)))
}

fn defaults(sheet: &Sheet) -> BTreeMap<String, f64> {
    let default = |input: &Declaration| input.expression.literal().expect("a number").quantity.value;
    inputs(sheet).map(|input| (input.name.clone(), default(input))).collect()
}

/// What the script must give for a setting: the name, the bits and the text of each input and result.
fn expected(sheet: &Sheet, (tree, calculator): &(Json, CompiledSheet), setting: &BTreeMap<String, f64>) -> Json {
    let inputs = tree["inputs"].as_array().expect("a list").iter();
    let inputs: Vec<f64> = inputs.map(|input| setting[input["name"].as_str().expect("a name")]).collect();
    let computed = calculator.compute(&inputs);
    let names = ["inputs", "results"].iter().flat_map(|list| tree[list].as_array().expect("a list"));
    let rows = names.map(|item| {
        let name = item["name"].as_str().expect("a name");
        let quantity = value(sheet, setting, name);
        let bits = quantity.map_or_else(|| "NaN".to_owned(), |quantity| format!("{:x}", quantity.value.to_bits()));
        let walked = computed[calculator.find(name).expect("a number")];
        let walked = if walked.is_nan() { "NaN".to_owned() } else { format!("{:x}", walked.to_bits()) };
        assert_eq!(walked, bits, "{name} of {tree} with {setting:?}");
        let print = |quantity| sheet.find(name).expect("a declaration").print(quantity);
        json!([name, bits, quantity.map_or_else(|| "—".to_owned(), print)])
    });
    rows.collect()
}

/// Computes cases with the script, in Node.
fn scripted(cases: &[Json]) -> Vec<Json> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cases.json");
    fs::write(&file, Json::from(cases).to_string()).expect("a file");
    let run = Command::new("node")
        .args([&repository("tests/values/evaluate.mjs"), &repository("static/calc.js"), &file])
        .output()
        .expect("Node");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).expect("JSON")
}

#[test]
#[ignore = "it needs Node: `tests/run` runs it"]
fn the_script_computes_and_prints_what_the_program_does() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let (mut cases, mut results, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for case in vectors() {
        cases.push(json!({ "tree": case.compiled.0, "settings": case.settings }));
        results
            .push(case.settings.iter().map(|setting| expected(&case.sheet, &case.compiled, setting)).collect::<Json>());
        texts.push(case.text);
    }
    while cases.len() < EXPRESSIONS {
        let (text, _) = calculator(&mut dice);
        let sheet = read(&text);
        let default = defaults(&sheet);
        let Ok(compiled) = compile(&sheet, &|reference| resolve(&sheet, &default, reference)) else { continue };
        let other = default.keys().map(|name| (name.clone(), literal(&mut dice).parse().expect("a number"))).collect();
        let settings = [default, other];
        results.push(settings.iter().map(|setting| expected(&sheet, &compiled, setting)).collect());
        cases.push(json!({ "tree": compiled.0, "settings": settings }));
        texts.push(text);
    }
    let found = scripted(&cases);
    assert_eq!(found.len(), results.len());
    let wrong: Vec<String> = (0..found.len())
        .filter(|&at| found[at] != results[at])
        .map(|at| format!("{}\nscript:  {}\nprogram: {}", texts[at], found[at], results[at]))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), found.len(), wrong[..wrong.len().min(5)].join("\n\n"));
}

/// A sheet of `tests/values/printed.json`, with the inputs and the texts that it gives.
struct Vector {
    text: String,
    sheet: Sheet,
    compiled: (Json, CompiledSheet),
    settings: Vec<BTreeMap<String, f64>>,
    printed: Vec<Json>,
}

/// Reads the cases that the program and the script share.
fn vectors() -> Vec<Vector> {
    let text = fs::read_to_string(repository("tests/values/printed.json")).expect("the vectors");
    let cases: Vec<Json> = serde_json::from_str(&text).expect("JSON");
    let vector = |case: &Json| {
        let text = case["sheet"].as_str().expect("a sheet").to_owned();
        let sheet = read(&text);
        let default = defaults(&sheet);
        let compiled = compile(&sheet, &|reference| resolve(&sheet, &default, reference)).expect("a calculator");
        let rows = case["cases"].as_array().expect("a list");
        let setting = |row: &Json| {
            let unit = |name: &str| sheet.find(name).and_then(|one| Some(one.expression.literal()?.unit.clone()));
            let set = row[0].as_object().expect("inputs").iter();
            let set = set.map(|(name, value)| {
                (name.clone(), unit(name).unwrap_or_else(Unit::one).to_base(value.as_f64().expect("a number")))
            });
            default.clone().into_iter().chain(set).collect()
        };
        let settings = rows.iter().map(setting).collect();
        Vector { text, sheet, compiled, settings, printed: rows.iter().map(|row| row[1].clone()).collect() }
    };
    cases.iter().map(vector).collect()
}

#[test]
fn values_are_printed_as_their_pins_say() {
    for Vector { text, sheet, settings, printed, .. } in vectors() {
        for (setting, texts) in settings.iter().zip(printed) {
            for (name, expected) in texts.as_object().expect("texts") {
                let found = value(&sheet, setting, name).map(|quantity| sheet.find(name).expect("it").print(quantity));
                assert_eq!(found.as_deref(), expected.as_str(), "{name} with {setting:?} in\n{text}");
            }
        }
    }
}

/// Computes a formula in exact arithmetic, scaled so that the digits that are printed are whole: the number, rounded, and
/// how far it is from the next tie.
fn exact(formula: &str, unit: &str, decimals: usize) -> Option<(String, f64)> {
    // A sum has the unit of its first operand, and so the digits are those of the unit.
    let divisor = if unit.is_empty() { String::new() } else { format!(" / (1 {unit})") };
    let scaled = format!("(((0 {unit} + ({formula})){divisor}) * 10^{decimals})");
    let fend = |text: &str| {
        let text = text.replace("KiB", "kibibyte").replace("MiB", "mebibyte").replace("GiB", "gibibyte");
        let mut context = fend_core::Context::new();
        fend_core::evaluate(&text, &mut context).ok().map(|result| result.get_main_result().to_owned())
    };
    let part = fend(&format!("abs({scaled}) - floor(abs({scaled})) to 15 dp"))?;
    let part: f64 = part.trim_start_matches("approx. ").parse().ok()?;
    Some((fend(&format!("round({scaled}) to exact"))?, (part - 0.5).abs()))
}

#[test]
fn exact_arithmetic_gives_the_printed_digits() {
    let mut dice = Dice(0xD1B5_4A32_D192_ED03);
    let (mut compared, mut ties, mut unknown) = (0, 0, 0);
    for _ in 0..1_000 {
        let kind = dice.below(3);
        let formula = formula(&mut dice, Words::Exact, kind, 3);
        let (decimals, unit) = (dice.below(4), dice.one_of(UNITS[kind]));
        let number = ["1", "1.0", "1.00", "1.000"][decimals];
        let sheet = read(&format!("x = {formula} # = {number} {unit}\n"));
        let Some(quantity) = value(&sheet, &BTreeMap::new(), "x") else { continue };
        let figure = sheet.find("x").and_then(|x| x.figure().cloned()).expect("a pin");
        let Some((digits, distance)) = exact(&formula, unit, decimals) else {
            unknown += 1;
            continue;
        };
        let printed = figure.format.digits(quantity).replace('.', "");
        let (sign, printed) = printed.split_at(usize::from(printed.starts_with('-')));
        let printed = format!("{sign}{}", printed.trim_start_matches('0'));
        // Within the precision of a double, a number may lie on either side of a tie; a sum of several has 14 exact digits.
        if distance < 1e-3 || printed.len() > 14 {
            ties += 1;
            continue;
        }
        compared += 1;
        assert_eq!(if printed.is_empty() { "0" } else { &printed }, digits, "{formula} in {unit}, {decimals} decimals");
    }
    assert!(compared > 500 && unknown < 50, "{compared} compared, {ties} ties, {unknown} unknown");
}
