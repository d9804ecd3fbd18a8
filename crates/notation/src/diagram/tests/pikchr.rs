//! What Pikchr draws.

use super::*;

#[test]
fn a_drawing_follows_the_theme_and_keeps_own_colours() {
    let drawn = pikchr_svg(PIKCHR);
    assert_eq!(texts(&drawn), ["Markdown", "Source", "Formatter", "(markdown.c)", "Pikchr", "R"]);
    assert!(
        drawn.contains("class=\"d-edge\"")
            && drawn.contains("class=\"d-solid\"")
            && drawn.contains("class=\"d-page d-edge\"")
    );
    assert!(drawn.contains("fill=\"#000080\" stroke-width=\"1.4\" stroke=\"#ffff00\""), "{drawn}");
    let filled = pikchr_svg("box \"in\" fill navy; text \"out\"; box \"light\" fill yellow");
    assert!(
        filled.contains("fill=\"#fff\">in<")
            && filled.contains("central\">out<")
            && filled.contains("fill=\"#000\">light<"),
        "{filled}"
    );
}

#[test]
fn tints_are_fills_of_the_theme() {
    let drawn = pikchr_svg("box \"in\" fill tint_blue; box \"next\" color tint_gray; box fill bgcolor");
    assert!(drawn.contains("fill=\"none\"") && drawn.contains("class=\"d-tint-blue d-edge\""), "{drawn}");
    assert!(drawn.contains("d-faint") && !drawn.contains("#0102"), "{drawn}");
    assert!(drawn.contains("central\">in<") && drawn.contains("central\">next<"), "{drawn}");
}

#[test]
fn errors_name_line_and_column() {
    let error = |source: &str| svg(Notation::Pikchr, source, "D", "t").unwrap_err();
    assert_eq!(error("box \"a\"\n\n  boxx \"b\""), DiagramError::at(2, 7, "Pikchr cannot read this line"));
    assert_eq!(error("boxx \"b\"").line, Some(0));
    assert_eq!(error("box \"a\" wid foo").message, "no such variable");
    assert_eq!(error("").message, "an empty diagram");
    assert_eq!(error("print 3; box").message, "`print` is not supported");
    assert_eq!(error("circle rad 1000000000").message, "a number in this diagram is too large");
    assert_eq!(error("box \"&nbsp;\"").message, "write the character itself instead of `&nbsp;`");
    assert!(error("box \"a\0b\"").message.contains("character"));
}

#[test]
fn comments_give_title_and_description() {
    let [plain, named] = ["box", "# accTitle: A box & more\n  # accDescr : It is empty.\nbox"]
        .map(|source| svg(Notation::Pikchr, source, "D1", "Heading").unwrap_or_else(|error| error.message));
    assert!(plain.contains(">Heading</title>") && !plain.contains("<desc"), "{plain}");
    assert!(named.contains(">A box &amp; more</title>") && named.contains(">It is empty.</desc>"), "{named}");
    assert_eq!(super::super::pikchr::comment("# accTitle:\nbox \"accTitle: no\"", "accTitle"), None);
}

#[test]
fn a_text_has_a_limit_and_comments_have_none() {
    let long = "é".repeat(129);
    let error =
        svg(Notation::Pikchr, &format!("# \"\nbox \"a\\\"b\" # \"{long}\n  text \"{long}\""), "D", "t").unwrap_err();
    assert_eq!((error.line, error.column), (Some(2), Some(8)));
    assert_eq!(error.message, "this text has 258 bytes; a text may have at most 256");
    for fine in ["/* \" */ box", "// \"\nbox", "box \"\\\\\" # \"", "# \"\nbox", "half = 4/2; box width half"] {
        pikchr_svg(&format!("{fine}\n/* {long} */ # {long}\nbox \"{}\"", "é".repeat(128)));
    }
    assert!(svg(Notation::Pikchr, &format!("box \"{long}\\"), "D", "t").unwrap_err().message.contains("259 bytes"));
}
