//! What the library returns, and that it keeps nothing.

use super::*;

#[test]
fn drawings_and_reports_are_told_apart() {
    let [first, second] = ["box \"a\"", "box \"a\""].map(|source| draw(source).map(|drawing| drawing.svg));
    assert!(first.as_ref().is_ok_and(|svg| svg.starts_with("<svg")), "{first:?}");
    assert_eq!(first, second);
    assert!(draw("bax").is_err_and(|report| report.contains("ERROR: ")));
    assert!(draw("box \"a\0b\"").is_err());
}

#[test]
fn a_drawing_cannot_fill_the_memory() {
    let text = "x".repeat(30_000);
    let source = format!("define a {{ text \"{text}\" }}\n{}", "a\n".repeat(10_000));
    assert!(draw(&source).is_err_and(|report| report.len() < 8 << 20 && report.contains("Out of memory")));
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
    let text = "x".repeat(45_000);
    let before = pages();
    for number in 0..2_000 {
        let source = format!("define a {{ text \"{number}{text}\" }}\n{}", "a\n".repeat(4));
        assert!(draw(&source).is_ok_and(|drawing| drawing.svg.len() > 180_000));
    }
    // Pages have at least 4 KiB. Other tests run at the same time, and take some.
    assert!(pages().saturating_sub(before) * 4096 < 180_000_000);
}
