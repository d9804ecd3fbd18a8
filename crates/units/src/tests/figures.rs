//! Tests of printed numbers: formats, pins, and figures in prose.

use super::super::{Format, Unit, print};
use super::{Figure, Quantity, figure, result};

fn quantity(number: f64, unit: &str) -> Quantity {
    let unit = if unit.is_empty() { Unit::one() } else { Unit::read(unit).expect("a unit").0 };
    Quantity { value: unit.to_base(number), dimension: unit.dimension }
}

fn pin(text: &str) -> Figure {
    figure::read(text).unwrap_or_else(|| panic!("`{text}` is a pin"))
}

/// The texts of all figures of a passage.
fn find(text: &str) -> Vec<String> {
    figure::find(text).into_iter().map(|figure| text[figure.span].to_owned()).collect()
}

#[test]
fn ties_are_rounded_away_from_zero_on_the_exact_value() {
    for (number, pinned, expected) in [
        (1.25, "0.0", "1.3"),
        (-1.25, "0.0", "-1.3"),
        (0.5, "0", "1"),
        (2.5, "0", "3"),
        (1.005, "0.00", "1.00"),
        (13.475, "0.00", "13.47"),
        (0.125, "0.00", "0.13"),
        (-0.001, "0.00", "0.00"),
        (-0.0, "0", "0"),
        (9.995, "0.00", "9.99"),
        (99.5, "0", "100"),
        (4_503_599_627_370_497.5, "0", "4503599627370498"),
        (1e22, "0", "10000000000000000000000"),
        (1234.5, "1,000.00", "1,234.50"),
        (-1_234_567.0, "1,000", "-1,234,567"),
        (999.0, "1,000", "999"),
    ] {
        assert_eq!(pin(pinned).format.print(quantity(number, "")), expected, "{number}");
    }
}

#[test]
fn values_without_a_pin_choose_their_unit() {
    for (number, unit, binary, expected) in [
        (13_476_831_232.0, "B", false, "13.48 GB"),
        (13_476_831_232.0, "B", true, "12.55 GiB"),
        (1.0, "GiB", true, "1 GiB"),
        (0.0, "B", false, "0 B"),
        (0.25, "B", false, "0.25 B"),
        (3.35, "TB/s", false, "3.35 TB/s"),
        (590.746, "FLOP/B", false, "590.7 FLOP/B"),
        (0.000_012_34, "s", false, "12.34 µs"),
        (5400.0, "s", false, "1.5 h"),
        (700.0, "W", false, "700 W"),
        (2.0, "kJ", false, "2 kJ"),
        (23.5, "1/s", false, "23.5 1/s"),
        (16_777_216.0, "", false, "16,777,216"),
        (9999.5, "", false, "10000"),
        (1234.567, "", false, "1235"),
        (0.074, "", false, "0.074"),
        (6.02e23, "", false, "6.02·10²³"),
        (-1.5e-9, "", false, "-1.5·10⁻⁹"),
        (2e30, "B", false, "2,000,000,000,000 EB"),
        (12_345_678.9, "EB", false, "12,345,679 EB"),
    ] {
        assert_eq!(print(quantity(number, unit), binary), expected, "{number} {unit}");
    }
    let square = Quantity {
        value: 4.0,
        dimension: quantity(1.0, "B").dimension.times(quantity(1.0, "B").dimension, 1).expect("B^2"),
    };
    assert_eq!(print(square, false), "4 B^2");
}

#[test]
fn pins_are_read_and_printed_again() {
    for text in [
        "13.48 GB", "1.25 GiB in all", "32 sequences", "7.4 %", "7.4%", "-3.5 ms", "6.7 billion", "16,777,216",
        "23.5 requests/s", "1.5×", "6.4·10²³ FLOP", "1.8e-05", "3.5 trillion FLOP", "80-GB", "0", "0.25 GB",
        "12 kFLOP/B", "590 FLOP/B", "2\u{202f}GiB", "1,000.5 tokens", "0.0010",
    ] {
        let figure = pin(text);
        let quantity = figure.quantity();
        assert_eq!(figure.format.print(quantity), text);
        assert!(figure.is_printed_by(quantity), "{text}");
        assert_eq!(figure.adapt(quantity), text);
        assert!(figure.distance(quantity).is_some_and(|distance| distance < 1e-15), "{text}");
    }
    for text in ["", "about 5", "-", "--5", "1.2.3", "5x", "GB", "7B", "12:30", "1e9x", "= 5"] {
        assert!(figure::read(text).is_none(), "`{text}` is not a pin");
    }
}

#[test]
fn a_pin_adapts_to_other_sizes() {
    for (text, number, unit, expected) in [
        ("1.25 GiB in all", 320.0, "GiB", "320.00 GiB in all"),
        ("1.25 GiB", 0.25, "GiB", "256 MiB"),
        ("1.25 GiB", 20_000.0, "GiB", "19.53 TiB"),
        ("1.25 GiB", 0.0, "B", "0 B"),
        ("0.25 GB", 0.03, "GB", "30 MB"),
        ("32 sequences", 3.6, "", "3.6 sequences"),
        ("32 sequences", 3.0, "", "3 sequences"),
        ("7.4 %", 0.001_23, "", "0.123 %"),
        ("23.5 requests/s", 2.0, "1/s", "2 requests/s"),
        ("70,000 tokens", 80.0, "", "80 tokens"),
        ("2 kB", 12_345.0, "kB", "12.35 MB"),
        ("4 GB", 3.5, "GB", "3.5 GB"),
        ("4 GB", 1.234, "GB", "1.23 GB"),
        ("4 GB in all", 99.6, "GB", "100 GB in all"),
        ("0.0 s", 0.123, "s", "0.123 s"),
        ("0 s", 1e-9, "s", "1 ns"),
        ("1,000", 1.5, "", "1.5"),
    ] {
        assert_eq!(pin(text).adapt(quantity(number, unit)), expected, "{text}");
    }
}

#[test]
fn figures_are_found_in_prose() {
    for (text, expected) in [
        ("13.48 GB of 107.81: 7 per cent, 1,348 GiB.", vec!["13.48 GB", "107.81", "7 per cent", "1,348 GiB"]),
        ("20.0 µs, 1.8e-05 and 5e-6, 8 heads, 25 GB/s", vec!["20.0 µs", "1.8e-05", "5e-6", "25 GB/s"]),
        ("diffusers 0.42.1, nvcc 13.5.37, Llama-3.1-405B, FLUX.1-dev, 2026-11-21", vec![]),
        ("Llama-3.1-70B and Llama 3.1-70B, v0.6.3, fp8.1, 1.2.3, #12.5, x_1.5, 12:30, 0x1F, 16/9.5", vec![]),
        ("an 80-GB card with 80GB and 5% of 90 %", vec!["80-GB", "80GB", "5%", "90 %"]),
        ("16-bit floats, 4-byte words, 2 bytes, 7B, 5s and 5 s", vec!["2 bytes", "5 s"]),
        ("takes 6–40 µs or 2-4 GB", vec!["6", "40 µs", "2", "4 GB"]),
        ("1.5–2.5 times", vec!["1.5", "2.5"]),
        ("23.5 requests/s and 4 requests/s and 3 and/or 4", vec!["23.5 requests/s", "4 requests/s"]),
        ("6.4·10²³ FLOP, 3 × 10^9 bytes, 2 × 1024, 1024 × 1024", vec!["6.4·10²³ FLOP", "3 × 10^9 bytes"]),
        ("6.7 billion parameters, 3 trillion FLOP", vec!["6.7 billion", "3 trillion FLOP"]),
        ("a 2× gain, 1.5×, 3×4", vec!["2×", "1.5×"]),
        ("down by −3.5 % or -2 ms (-1.5)", vec!["−3.5 %", "-2 ms", "-1.5"]),
        ("13.48\nGB, 2\u{a0}GB, 3\u{202f}ms.", vec!["13.48\nGB", "2\u{a0}GB", "3\u{202f}ms"]),
        ("see https://a.b/x?y=1.5&z=2.5 and http://1.5 GB", vec![]),
        ("1,024th, 1,02, 1,024,3 and 12,345.6 tokens", vec!["12,345.6"]),
        ("5 GB2, 5 GBs, GB 5, 5 min, 312 TFLOPS.", vec!["5 min", "312 TFLOPS"]),
        ("约13 GB的权重，显存80GB、13.5%和5 GB。2 GB전체", vec!["13 GB", "80GB", "13.5%", "5 GB", "2 GB"]),
        ("重みは13.48GBです。第2章、3個", vec!["13.48GB"]),
        ("705.5 亿个参数，每个16字节；2.7 万亿 FLOP、3만 개", vec!["705.5 亿", "16字节", "2.7 万亿 FLOP", "3만"]),
        ("2,5 Milliarden und 3 Milliarden Bits, 16 octets.", vec!["3 Milliarden", "16 octets"]),
        ("", vec![]),
    ] {
        let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(find(text), expected, "{text}");
    }
}

#[test]
fn a_figure_is_printed_by_values_that_round_to_it() {
    let only = |text: &str| figure::find(text).remove(0);
    let weights = quantity(13_476_831_232.0, "B");
    for (text, expected) in [
        ("13.48 GB", true),
        ("13.5 GB", true),
        ("13 GB", false),
        ("13.0 GB", false),
        ("12.55 GiB", true),
        ("13.47 GB", false),
        ("13.48 GiB", false),
        ("13,476,831,232 bytes", true),
        ("13.48 billion", false),
        ("13.48 GB/s", false),
    ] {
        assert_eq!(only(text).is_printed_by(weights), expected, "{text}");
    }
    assert!(only("−7.4 %").is_printed_by(quantity(-0.0737, "")));
    assert!(only("7 per cent").is_printed_by(quantity(0.0705, "")));
    assert!(!only("7 per cent").is_printed_by(quantity(0.0737, "")));
    assert!(Figure { is_rounded: true, ..only("7 per cent") }.is_printed_by(quantity(0.0737, "")));
    assert!(!only("2 GiB").is_printed_by(quantity(2.0, "GB")) && !only("0 GB").is_printed_by(quantity(0.3, "GB")));
    assert!(only("1.8e-05").is_printed_by(quantity(0.000_018_1, "")));
    assert!(only("6–40 µs").is_printed_by(quantity(6.05, "µs")));
    assert!(only("1.25").is_printed_by(quantity(1.245, "")));
    assert_eq!(only("10 GB").distance(quantity(8.0, "GB")), Some(0.2));
    assert_eq!(only("10 GB").distance(quantity(8.0, "s")), None);
}

#[test]
fn units_are_fractions_of_whole_numbers() {
    for name in
        ["B", "EiB", "Gbit", "µs", "μs", "us", "ZFLOP", "TFLOPs", "MW", "kJ", "GHz", "USD", "GB/s", "FLOP/B", "1/s"]
    {
        let (unit, length) = Unit::read(name).expect("a unit");
        assert_eq!((unit.name.as_str(), length), (name, name.len()));
        assert!(unit.numerator.fract() == 0.0 && unit.denominator.fract() == 0.0);
    }
    for name in ["", "b", "kb", "KB", "gb", "kUSD", "mB", "1", "/s", "GBx", "B_"] {
        assert!(Unit::read(name).is_none(), "`{name}` is not a unit");
    }
    let written = |text: &str| figure::find(text).remove(0).quantity();
    assert_eq!((written("705.5 亿"), written("16 字节")), (written("70.55 billion"), written("16 bytes")));
    assert_eq!(result("0.1 ms * 1000"), "0.1 s");
    let format = Format { decimals: 1, ..pin("2.5 ms").format };
    assert_eq!(format.print(quantity(2.5, "ms")), "2.5 ms");
}
