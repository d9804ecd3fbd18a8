//! Tests of the language: what lines mean, what they compute, and what is reported.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{
    Failure, Figure, Form, Kind, Origin, Outcome, Quantity, Reference, Sheet, Value, compile, evaluate, figure, parse,
};
use infralens_source::diag::Diagnostic;
use infralens_source::source::Source;

mod figures;

fn read(text: &str) -> (Sheet, Vec<Diagnostic>) {
    let source = Source::new("a.md", text);
    parse(&source, 0..text.len(), Form::Calculator)
}

/// Evaluates names of one sheet on demand, as a page does.
struct Page {
    sheet: Sheet,
    record: Json,
    known: RefCell<BTreeMap<String, Option<Quantity>>>,
}

impl Page {
    fn new(text: &str) -> Self {
        let (sheet, diagnostics) = read(text);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        let record =
            json!({ "llama-2-7b": { "weights": 13_476_831_232_u64, "state": { "adam": 12 } }, "list": [1, 2.5, "x"] });
        Self { sheet, record, known: RefCell::default() }
    }

    fn resolve(&self, reference: &Reference) -> Outcome<'_> {
        if reference.origin == Origin::Record {
            return Ok(Value::Data(&self.record));
        }
        if let Some(known) = self.known.borrow().get(&reference.name) {
            return known.map(Value::Number).ok_or(Failure::Elsewhere);
        }
        let Some(declared) = self.sheet.find(&reference.name) else { return Err(Failure::Elsewhere) };
        evaluate(&declared.expression, &|reference| self.resolve(reference)).inspect(|value| {
            if let Value::Number(quantity) = value {
                self.known.borrow_mut().insert(reference.name.clone(), Some(*quantity));
            }
        })
    }

    fn value(&self, name: &str) -> Outcome<'_> {
        evaluate(&self.sheet.find(name).expect("a declaration").expression, &|reference| self.resolve(reference))
    }

    fn number(&self, name: &str) -> Quantity {
        match self.value(name) {
            Ok(Value::Number(quantity)) => quantity,
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// The value of a formula and its unit, or the code, the text at its place, and the message of its failure.
fn result(formula: &str) -> String {
    let text = format!("record_1 = record(\"x\")\nn = 3\nx = {formula}\n");
    let (_, diagnostics) = read(&text);
    if let Some(first) = diagnostics.first() {
        let (start, end) = first.place.span.expect("a place");
        assert!(
            !first.help.is_empty() || first.message.contains("expected") || first.message.contains(' '),
            "{first:?}"
        );
        return format!("{} at `{}`: {}", first.code.id, &text[start..end], first.message);
    }
    match Page::new(&text).value("x") {
        Ok(Value::Number(Quantity { value, dimension })) => format!("{value} {dimension}").trim().to_owned(),
        Ok(Value::Data(data)) => format!("data {data}"),
        Err(Failure::Here(problem)) => {
            format!("{} at `{}`: {}", problem.code.id, &text[problem.span.clone()], problem.message)
        }
        Err(Failure::Elsewhere) => "elsewhere".to_owned(),
    }
}

#[test]
fn formulas_are_computed() {
    for (formula, expected) in [
        ("2 + 3 * 4 ^ 2", "50"),
        ("-2 ^ 2", "-4"),
        ("2 ^ -3", "0.125"),
        ("(1 + 2) * -n", "-9"),
        ("1_000 - 2e2 - 0.5", "799.5"),
        ("3.35 TB/s * 2 s", "6700000000000 B"),
        ("1979 TFLOP/s / 3.35 TB/s", "590.7462686567164 FLOP/B"),
        ("1979 TFLOPS", "1979000000000000 FLOP/s"),
        ("1 KiB/2", "512 B"),
        ("16 bit", "2 B"),
        ("700 W * 1 h / 1 kJ", "2520"),
        ("2.5 ms", "0.0025 s"),
        ("50 % * 6.7 billion", "3350000000"),
        ("23.5/s", "23.5 1/s"),
        ("1 / 4 us", "250000 1/s"),
        ("3/min(2, 3)", "1.5"),
        ("min(3 B, 1 KiB, 2 B) + max(1 B, 2 B)", "4 B"),
        ("ceil(2.1) + floor(-2.1) + round(2.5) + round(-2.5)", "0"),
        ("sqrt(16 B * 4 B)", "8 B"),
        ("ceil_log2(1) + ceil_log2(1025) + ceil_log2(0.3)", "10"),
        ("if(n >= 3, 1 B, 1 / 0 * 1 B)", "1 B"),
        ("if(n == 4, 1, if(n != 3, 2, 7))", "7"),
        ("record(\"x\")[\"llama-2-7b\"].weights * 1 B", "13476831232 B"),
        ("record_1[\"llama-2-7b\"].state.adam", "12"),
        ("record_1.list[1] * 2", "5"),
        ("record_1[\"llama-2-7b\"].state", "data {\"adam\":12}"),
    ] {
        assert_eq!(result(formula), expected, "{formula}");
    }
}

#[test]
fn errors_have_a_code_and_a_place() {
    for (formula, expected) in [
        ("1 B + 1 s", "E0604 at `1 s`: this is in `s`, but what it is combined with is in `B`"),
        ("1 B + 1", "E0604 at `1`: this has no unit, but what it is combined with is in `B`"),
        ("max(1 s, 2 B)", "E0604 at `2 B`: this is in `B`, but what it is combined with is in `s`"),
        ("if(n > 2, 1 B, 1 s)", "E0604 at `1 s`: this is in `s`, but what it is combined with is in `B`"),
        ("ceil(3 B)", "E0604 at `ceil(3 B)`: `ceil` takes a number without a unit"),
        ("sqrt(3 B)", "E0604 at `sqrt(3 B)`: the root of `B` has no unit"),
        ("(1 B)^13", "E0604 at `(1 B)^13`: the power of a unit in this result is too large"),
        ("1 / (n - 3)", "E0605 at `1 / (n - 3)`: this divides by zero"),
        ("0^-1", "E0605 at `0^-1`: this divides by zero"),
        ("2 - 1 / (1 / (n - 3))", "E0605 at `(1 / (n - 3))`: this divides by zero"),
        ("1e300 * 1e300", "E0605 at `1e300 * 1e300`: this number is too large"),
        ("1e300 EB", "E0605 at `1e300 EB`: this number is too large"),
        ("if(1e300 * 1e300 > 1, 2, 3)", "E0605 at `1e300 * 1e300`: this number is too large"),
        ("sqrt(0 - 1)", "E0605 at `sqrt(0 - 1)`: this is the root of a negative number"),
        ("ceil_log2(0)", "E0605 at `ceil_log2(0)`: this is the logarithm of a number that is not positive"),
        ("record_1.lists", "E0602 at `lists`: `record_1` has no `.lists`"),
        ("record_1.list[7]", "E0602 at `7`: `record_1.list` has no `[7]`"),
        ("record_1.list + 1", "E0602 at `record_1.list`: this is a list, and a number is needed"),
        ("n.a", "E0602 at `a`: `n` has no `.a`"),
        ("", "E0601 at ``: a number, a name or `(` is expected here"),
        ("1 +", "E0601 at ``: a number, a name or `(` is expected here"),
        ("2 ** 10", "E0601 at `*`: a number, a name or `(` is expected here"),
        ("1,024", "E0601 at `,`: an operator is expected here, or the end of the line"),
        ("1 2", "E0601 at `2`: an operator is expected here, or the end of the line"),
        ("(1", "E0601 at ``: `)` is expected here"),
        ("3 * B", "E0601 at `B`: `B` is not a value"),
        ("log(3)", "E0601 at `log`: there is no function `log`"),
        ("min(3)", "E0601 at `min(3)`: `min` takes two or more operands"),
        ("n < 3", "E0601 at `<`: an operator is expected here, or the end of the line"),
        ("if(n, 1, 2)", "E0601 at `,`: a comparison is expected here, as in `if(a < b, c, d)`"),
        ("n ^ n", "E0601 at `n`: a power is a whole number of at most 64, such as `2` or `-1`"),
        ("2^3^2", "E0601 at `^`: a power of a power needs parentheses"),
        ("2 × 3", "E0601 at `×`: `×` has no meaning in a formula"),
        ("\"x", "E0601 at `\"`: this text has no closing `\"`"),
        ("1e999", "E0601 at `1`: `1e999` is too large for a number"),
        ("record(x)", "E0601 at `x`: the name of a record is expected here, in quotation marks"),
    ] {
        assert_eq!(result(formula), expected, "{formula}");
    }
}

#[test]
fn limits_are_reported() {
    let nested = |depth: usize| result(&format!("{}1{}", "(".repeat(depth), ")".repeat(depth)));
    assert_eq!(nested(64), "1");
    assert!(nested(65).contains("nested more than 64"), "{}", nested(65));
    assert!(result(&"-".repeat(66)).contains("nested more than 64"));
    assert_eq!(result(&vec!["1"; 200].join("+")), "200");
    assert!(result(&vec!["1"; 201].join("+")).contains("more than 400"));
    assert!(result(&"1".repeat(2_000)).contains("more than 2000 bytes"));
    let many = (0..600).map(|n| format!("x{n} = 1\n")).collect::<Vec<_>>().concat();
    assert!(read(&many).1[0].message.contains("more than 500 lines"));
    let large = (0..30).map(|n| format!("x{n} = {}\n", vec!["1"; 100].join("+"))).collect::<Vec<_>>().concat();
    assert!(read(&large).1[0].message.contains("more than 4000"));
}

const CALCULATOR: &str = "\
# A calculator

layers = 80                # transformer blocks [1 .. 200]
tokens = 4_096   # tokens per sequence [1 .. 1048576]
width = 2 B # bytes per value [1 | 2 B | 4 B]
rate = -1.5 GB/s # [-2 GB/s .. 0]
kv = 2 * layers * 8 * 128 * tokens * width     # cache = 1.25 GiB in all
per = kv / layers #=
d = lab-01-transformer-memory.kv - track/lab-02-x.a.b # minus
e = layers-tokens
@ Llama-3 8B: layers = 32, width = 1
  @ Llama-3-70B: layers = 80 # the default
~ kv over tokens
";

#[test]
fn a_calculator_is_read() {
    let (sheet, diagnostics) = read(CALCULATOR);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let names: Vec<&str> = sheet.declarations.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["layers", "tokens", "width", "rate", "kv", "per", "d", "e"]);
    let shown = |name: &str| {
        let one = sheet.find(name).expect("a declaration");
        let kind = match &one.kind {
            Kind::Input(domain) => format!("{domain}"),
            kind => format!("{kind:?}"),
        };
        (kind, one.comment.clone())
    };
    assert_eq!(shown("layers"), ("[1 .. 200]".into(), "transformer blocks".into()));
    assert_eq!(shown("width"), ("[1 | 2 B | 4 B]".into(), "bytes per value".into()));
    assert_eq!(shown("rate"), ("[-2 GB/s .. 0]".into(), String::new()));
    assert_eq!(shown("kv"), ("Result".into(), "cache".into()));
    let pin = |name: &str| sheet.find(name).and_then(|one| one.pin.clone()).expect("a pin");
    assert_eq!(pin("kv").text, "1.25 GiB in all");
    assert_eq!(&CALCULATOR[pin("kv").span], "1.25 GiB in all");
    assert_eq!((pin("per").text.as_str(), &CALCULATOR[..pin("per").span.start].ends_with("#=")), ("", &true));
    assert!(pin("per").figure.is_none() && pin("per").span.is_empty());
    let d = sheet.find("d").expect("a declaration");
    let needs: Vec<_> = d.expression.names().iter().map(|name| (name.origin.clone(), name.name.clone())).collect();
    let page = |name: &str| Origin::Page(name.into());
    assert_eq!(needs, [(page("lab-01-transformer-memory"), "kv".into()), (page("track/lab-02-x"), "a".into())]);
    assert_eq!(&CALCULATOR[d.span.clone()], "d = lab-01-transformer-memory.kv - track/lab-02-x.a.b");
    assert_eq!(sheet.find("e").map(|e| e.expression.names().len()), Some(2));
    let presets: Vec<_> = sheet.presets.iter().map(|preset| (preset.name.as_str(), preset.values.len())).collect();
    assert_eq!(presets, [("Llama-3 8B", 2), ("Llama-3-70B", 1)]);
    assert_eq!(&CALCULATOR[sheet.presets[1].span.clone()], "@ Llama-3-70B: layers = 80 ");
    assert!(sheet.sweep.is_some_and(|sweep| sweep.result == "kv" && sweep.input == "tokens"));
}

#[test]
fn lines_are_checked() {
    let report = |text: &str| {
        let (_, diagnostics) = read(text);
        let show = |one: &Diagnostic| {
            let (start, end) = one.place.span.expect("a place");
            assert!(!one.help.is_empty() || one.code.id == "E0601", "{one:?} has no help");
            format!("{} `{}` {}", one.code.id, &text[start..end], one.message)
        };
        diagnostics.iter().map(show).collect::<Vec<_>>().join("; ")
    };
    for (text, expected) in [
        ("a = 1\na = 2", "E0608 `a` `a` is declared twice"),
        ("h = 1", "E0608 `h` `h` has a meaning in formulas"),
        ("a = 9 # [1 .. 8]", "E0607 `9` `9` is outside `[1 .. 8]`"),
        ("a = 3 # [1 | 2]", "E0607 `3` `3` is outside `[1 | 2]`"),
        ("a = 3 # [5 .. 2]", "E0607 `[5 .. 2]` this range ends before it begins"),
        ("a = 3 # [1, 5]", "E0601 `,` `]` is expected here"),
        ("a = 3 B # [1 .. 5 s]", "E0604 `5 s` this has `s`, but its input has `B`"),
        ("a = 3 # [1 .. 5]\n@ x: a = 6", "E0607 `6` `6` is outside `[1 .. 5]`"),
        ("a = 3 # [1 .. 5]\n@ x: b = 6", "E0602 `b` `b` is not an input of this calculator"),
        ("a = 3 # [1 .. 5]\n@ x: a = 2, a = 3", "E0608 `a` this preset sets `a` twice"),
        ("a = 3 # [1 .. 5]\n@ x: a = 2\n@ x: a = 3", "E0608 `@ x: a = 3` the preset `x` is declared twice"),
        ("@ x", "E0601 `@ x` this preset has no `:` after its name"),
        ("@ : a = 1", "E0601 `@ : a = 1` this preset has no name or sets no input"),
        ("a = 3 # [1 .. 5]\n~ a over a", "E0602 `a` `a` is not a result of this calculator"),
        (
            "a = 3 # [1 .. 5]\nb = 2 ^ a\n~ b over a",
            "E0601 `a` a power is a whole number of at most 64, such as `2` or `-1`",
        ),
        ("a = 3 # [1 .. ]\n@ x: a = 2", "E0601 `]` a number, a name or `(` is expected here"),
        ("a = 3 # [1 .. 5]\nb = a * 2\n~ b after a", "E0601 `after` `over` is expected here"),
        ("a = 3 # [3 | 5]\nb = a * 2\n~ b over a", "E0601 `a` `a` has no range along which a chart could be drawn"),
        ("a = 3 # = about 5", "E0606 `about 5` `about 5` is not how a value is printed"),
        ("a + 1", "E0601 `+` `=` is expected here"),
        ("1 = a", "E0601 `1` a line `name = formula`; the name is expected here"),
    ] {
        assert_eq!(report(text), expected, "{text}");
    }
    let (sheet, diagnostics) = parse(&Source::new("a.md", "a = 1 # see [1]\n@ x: a = 1\n"), 0..27, Form::Comment);
    assert!(matches!(sheet.declarations[0].kind, Kind::Constant) && diagnostics.len() == 1, "{diagnostics:?}");
}

#[test]
fn a_body_is_read_at_its_place() {
    let text = "---\r\n> a = 1 B\r\nb = a * 2 # = 2 B\r\nend";
    let source = Source::new("a.md", text);
    let (sheet, diagnostics) = parse(&source, 16..35, Form::Comment);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let b = sheet.find("b").expect("a declaration");
    assert_eq!((&text[b.line.clone()], &text[b.name_span.clone()]), ("b = a * 2 # = 2 B", "b"));
    assert_eq!(&text[b.pin.clone().expect("a pin").span], "2 B");
}

#[test]
fn a_calculator_is_written_as_json() {
    let page = Page::new(
        "l = 80 # [1 .. 200]\nw = 2 B # [1 B | 2 B]\nc = 0.5\nsum = kv + 1 B\n\
         kv = 2 * l * w * c * -l / (l + 1) # = 158.02 B per token\n\
         r = record(\"x\")\npart = r[\"llama-2-7b\"]\n\
         z = if(l < part.state.adam, min(l, 3), ceil(sqrt(l)) ^ 2)\n@ small: l = 32, w = 1\n~ kv over l\n",
    );
    let bytes = json!([
        ["B", 1, 1],
        ["kB", 1000, 1],
        ["MB", 1_000_000, 1],
        ["GB", 1_000_000_000, 1],
        ["TB", 1_000_000_000_000_i64, 1],
        ["PB", 1_000_000_000_000_000_i64, 1],
        ["EB", 1e18, 1],
    ]);
    let (written, _) = compile(&page.sheet, &|reference| page.resolve(reference)).expect("a calculator");
    assert_eq!(
        written,
        json!({
            "inputs": [
                { "name": "l", "unit": ["", 1, 1], "range": [1, 200], "decimals": 0 },
                { "name": "w", "unit": ["B", 1, 1] },
            ],
            "results": [
                {
                    "name": "kv",
                    "tree": ["/", ["*", 2, "l", "w", 0.5, ["neg", "l"]], ["+", "l", 1]],
                    "format": {
                        "own": [" B", 1, 1],
                        "scale": 0,
                        "decimals": 2, "grouping": false, "least": 100, "most": 10_000, "label": " per token",
                    },
                },
                { "name": "sum", "tree": ["+", "kv", 1], "scale": 0 },
                {
                    "name": "z",
                    "tree": ["if", "<", "l", 12, ["min", "l", 3], ["^", ["ceil", ["sqrt", "l"]], 2]],
                    "scale": 1,
                },
            ],
            "scales": [bytes, [["", 1, 1]]],
            "sweep": { "result": "kv", "input": "l" },
        })
    );
    assert_eq!(page.number("kv").dimension.to_string(), "B");
}

#[test]
fn what_cannot_be_computed_is_nan_unless_a_branch_avoids_it() {
    let page = Page::new(
        "n = 2 # [0 .. 9]\ninverse = 1 / n\nleast = min(1, inverse)\nsafe = if(n == 0, 7, inverse)\ncopy = safe\n",
    );
    let (_, compiled) = compile(&page.sheet, &|reference| page.resolve(reference)).expect("a calculator");
    assert_eq!(compiled.compute(&[4.0]), [4.0, 0.25, 0.25, 0.25, 0.25]);
    let computed = compiled.compute(&[0.0]);
    assert!(computed[1].is_nan() && computed[2].is_nan());
    assert_eq!(computed[3..], [7.0, 7.0]);
    assert_eq!((compiled.find("n"), compiled.find("copy"), compiled.find("x")), (Some(0), Some(4), None));
}
