//! What the library returns, and that it keeps nothing.

use super::super::MAX_TEXT;
use super::*;

#[test]
fn drawings_and_reports_are_told_apart() {
    let [first, second] = ["box \"a\"", "box \"a\""].map(|source| draw(source).map(|drawing| drawing.svg));
    assert!(first.as_ref().is_ok_and(|svg| svg.starts_with("<svg")), "{first:?}");
    assert_eq!(first, second);
    assert!(draw("bax").is_err_and(|report| report.contains("ERROR: ")));
    assert!(draw("box \"a\0b\"").is_err());
}

/// Draws 2,000 sources whose drawings, if they were kept, would take 360 MB.
#[cfg(target_os = "linux")]
#[test]
#[expect(clippy::disallowed_methods, reason = "the system says in a file how much memory the test has")]
fn nothing_is_retained() {
    let pages = || {
        let statistics = std::fs::read_to_string("/proc/self/statm").unwrap();
        statistics.split(' ').nth(1).unwrap().parse::<usize>().unwrap()
    };
    let text = "x".repeat(MAX_TEXT - 4);
    let before = pages();
    for number in 0..2_000 {
        let source = format!("define a {{ text \"{number}{text}\" }}\n{}", "a\n".repeat(600));
        assert!(draw(&source).is_ok_and(|drawing| drawing.svg.len() > 180_000));
    }
    // Pages have at least 4 KiB. Other tests run at the same time, and take some.
    assert!(pages().saturating_sub(before) * 4096 < 180_000_000);
}

/// Macros that repeat the longest texts in as many tokens as the library reads.
#[test]
fn the_largest_drawing_fits_into_memory() {
    let text = format!("\"{}\"", "<".repeat(MAX_TEXT));
    let nine = |name: &str| [name; 9].join(";");
    let bodies =
        [("one", format!("box {}", [text.as_str(); 5].join(" "))), ("two", nine("one")), ("three", nine("two"))];
    let macros = bodies.map(|(name, body)| format!("define {name} {{{body}}}\n")).concat();
    let lengths = [100, 150, 180, 200, 250].map(|count| {
        let source = format!("{macros}{}", "three\n".repeat(count));
        draw(&source).map_or(0, |drawing| drawing.svg.len())
    });
    assert!(lengths[0] > 40_000_000 && lengths[4] == 0, "{lengths:?}");
    assert!(lengths.iter().all(|length| *length < 96 << 20), "{lengths:?}");
}
