//! Texts and colors.

use super::super::paint::{color, contrast_color, css};
use super::super::text::{FONT, Label, WRAP, bold_width, plain, width, wrap};

#[test]
fn escapes_stand_for_characters() {
    assert_eq!(plain("\"a<br/>b<BR>c\\nd\""), "a\nb\nc\nd");
    assert_eq!(plain("#quot;x#quot; &lt;b> #35;1 C# & d; #x41;"), "\"x\" <b> #1 C# & d; A");
    assert_eq!(plain("`**bold** text`"), "bold text");
    assert_eq!(plain("Vec<u8> a < b"), "Vec<u8> a < b");
}

#[test]
fn long_labels_wrap() {
    let label = Label::new("a rather long label that would make a node wider than a column of text is");
    assert!(label.lines.len() > 1 && label.width <= WRAP);
    assert!(Label::new("").is_empty());
}

#[test]
fn widths_grow_with_the_text() {
    assert!((width("ii") - 2.0 * width("i")).abs() < 1e-9);
    assert!(width("W") > width("i") && width("中") >= FONT && bold_width("a") > width("a"));
    assert!(width("e\u{301}") - width("e") < 1e-9);
}

#[test]
fn lines_break_at_spaces_and_long_words_anywhere() {
    assert_eq!(wrap("one two three", width("one two ")), ["one two", "three"]);
    assert_eq!(wrap("", 10.0), [""]);
    let lines = wrap(&"x".repeat(100), 100.0);
    assert!(lines.len() > 4 && lines.iter().all(|line| width(line) <= 100.0));
}

#[test]
fn colors_in_every_notation() {
    let written = |text| color(text).map(css);
    assert_eq!(written("#F96").as_deref(), Some("#ff9966"));
    assert_eq!(written("rebeccapurple"), written("#663399"));
    assert_eq!(written("RGB(255, 0 , 10)").as_deref(), Some("#ff000a"));
    assert_eq!(written("hsl(120, 100%, 25%)").as_deref(), Some("#008000"));
    assert_eq!(written("transparent").as_deref(), Some("none"));
    let wrong = ["#12", "url(#x)", "rgb(1,2)", "\"", "reddish", "#ggg", "expression(1)", "currentcolor"];
    for wrong in wrong.iter().chain(&["color-mix(in srgb, canvas, red)", "rgb(from rgb(1 2 3) r g b)"]) {
        assert_eq!(written(wrong), None, "{wrong}");
    }
}

#[test]
fn text_on_a_color_is_black_or_white() {
    let ink = |text| color(text).and_then(contrast_color);
    assert_eq!((ink("yellow"), ink("navy"), ink("none")), (Some("#000"), Some("#fff"), None));
}
