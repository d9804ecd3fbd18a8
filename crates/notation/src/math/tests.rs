//! The MathML of formulas that a course needs, and the errors of others with their places.

use super::*;

fn block(source: &str) -> String {
    mathml(source, Display::Block).unwrap()
}

/// The formula without the frame that every formula has.
fn body(source: &str) -> String {
    let written = mathml(source, Display::Inline).unwrap();
    let written = written.strip_prefix("<math><semantics>").unwrap();
    written.split("<annotation").next().unwrap().to_owned()
}

fn wrong(source: &str) -> (&str, String) {
    let error = mathml(source, Display::Inline).unwrap_err();
    (&source[error.at], error.message)
}

#[test]
fn a_formula_carries_its_source_for_copying() {
    assert_eq!(
        block("a < b"),
        "<math display=\"block\"><semantics><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>\
         <annotation encoding=\"application/x-tex\">a &lt; b</annotation></semantics></math>"
    );
    assert!(mathml("x", Display::Inline).unwrap().starts_with("<math><semantics>"));
}

#[test]
fn common_formulas() {
    assert_eq!(body(r"\frac{a}{b}"), "<mfrac><mi>a</mi><mi>b</mi></mfrac>");
    assert_eq!(
        body(r"\mathrm{softmax}(x)"),
        "<mrow><mrow><mspace/><mi class=\"math-up\">softmax</mi></mrow><mo stretchy=\"false\">(</mo><mi>x</mi><mo stretchy=\"false\">)</mo></mrow>"
    );
    assert_eq!(body(r"\text{if } x"), "<mrow><mtext>if\u{a0}</mtext><mi>x</mi></mrow>");
    let sum = block(r"\sum_{i=1}^{n} x_i");
    assert!(sum.contains("<munderover>") && sum.contains("<msub><mi>x</mi><mi>i</mi></msub>"), "{sum}");
    assert!(sum.contains("class=\"math-large\">∑</mo>"), "{sum}");
    assert!(body(r"W \in \mathbb{R}^{d \times k}").contains("<mi class=\"math-up\">ℝ</mi>"));
}

#[test]
fn letters_need_no_font_for_formulas() {
    assert!(body(r"\mathbf{Qk}").contains("<mi class=\"math-bold\">Qk</mi>"));
    assert!(body(r"\mathbf{012}").contains("<mi class=\"math-bold\">012</mi>"));
    assert_eq!(body(r"x_\infty"), "<msub><mi>x</mi><mi class=\"math-up\">∞</mi></msub>");
    assert!(body(r"\mathrm{d}").contains("<mi mathvariant=\"normal\">d</mi>"));
}

#[test]
fn alignment_is_by_class() {
    let cell = "<mtd class=\"math-right math-pr0\"><mi>a</mi></mtd><mtd class=\"math-left math-pl0\">";
    assert!(block(r"\begin{aligned} a &= b \\ c &= d \end{aligned}").contains(cell));
    let cases = block(r"\begin{cases} x & y \\ 0 & z \end{cases}");
    assert!(
        cases.contains("<mtd class=\"math-left math-pr0\"><mi>x</mi></mtd><mtd class=\"math-left math-pr0 math-pl1\">")
    );
    let array = block(r"\begin{array}{|l:r|} a & b \\ \hline c & d \end{array}");
    assert!(array.contains("<mtable displaystyle=\"false\" scriptlevel=\"0\" class=\"math-border-left\">"), "{array}");
    assert!(array.contains("class=\"math-left math-border-right-dashed\""), "{array}");
    assert!(array.contains("class=\"math-border-top math-right math-border-right\""), "{array}");
    assert!(block(r"\begin{pmatrix} a & b \end{pmatrix}").contains("<mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd>"));
}

#[test]
fn rows_end_as_in_tex() {
    let plain = body(r"\begin{matrix} a & b \\ c & d \end{matrix}");
    assert_eq!(body(r"\begin{matrix} a & b \\[4pt] c & d \end{matrix}"), plain);
    assert_eq!(body(r"\begin{matrix} a & b \\ c & d \\ \end{matrix}"), plain);
    assert_eq!(body("\\begin{matrix} a & b \\newline c & d % & \\\\\n \\end{matrix}"), plain);
    assert!(mathml(r"a_{\substack{i \\ j}} \%\&", Display::Inline).is_ok());
    let spaced = block(r"\begin{matrix} a \\[4pt] b \end{matrix}");
    assert!(spaced.contains(r"a \\[4pt] b"), "the annotation is the source");
    assert!(body(r"\begin{array}{c} a \\ \hline \end{array}").contains("class=\"math-border-bottom\"><mtr>"));
}

#[test]
fn only_the_author_numbers_a_row() {
    let bare = block(r"\begin{align} a &= b \\ c &= d \end{align}");
    assert_eq!(bare, block(r"\begin{aligned} a &= b \\ c &= d \end{aligned}").replace("aligned", "align"));
    let tagged = block(r"\begin{align} a &= b \tag{7} \\ c &= d \end{align}");
    assert!(tagged.contains("class=\"math-numbered\""));
    assert!(tagged.contains("<mtd class=\"math-side math-right\"><mtext>(7)</mtext></mtd>"));
    assert!(!tagged.contains("(1)"));
}

#[test]
fn colors_are_hues_that_both_themes_can_set() {
    assert_eq!(body(r"\textcolor{BrickRed}{x}"), "<mrow class=\"math-red\"><mi>x</mi></mrow>");
    let hues = [("blue", "blue"), ("ForestGreen", "green"), ("orange", "orange"), ("gray", "gray"), ("violet", "pink")];
    for (name, hue) in hues {
        assert!(body(&format!("\\color{{{name}}} x")).contains(&format!("\"math-{hue}\"")), "{name}");
    }
    assert!(body(r"\color[HTML]{00AAAA} x").contains("\"math-teal\""));
}

#[test]
fn spaces_strikes_and_faces() {
    assert!(body(r"a \! b \negthickspace c").contains("<mspace class=\"math-back-3\"/>"));
    assert!(body(r"a \kern 1cm b").contains("<mspace width=\"2.8453em\"/>"));
    assert_eq!(body(r"\xcancel{x}"), "<mrow class=\"math-strike-up math-strike-down\"><mi>x</mi></mrow>");
    assert_eq!(body(r"\textsc{x}"), "<mtext><span class=\"math-small-caps\">x</span></mtext>");
    assert!(body(r"\cfrac{1}{2}").contains("class=\"math-cfrac\""));
}

#[test]
fn what_the_translator_drops_is_written_as_it_reads_it() {
    let rows = |source: &str| block(source).matches("<mtr>").count();
    assert_eq!(rows(r"a = 1, \\ b = \begin{cases} 1 & x \\ 2 & y \end{cases}"), 4);
    assert_eq!(rows(r"\max(0, 1) = 1, \\ \max(2, 3) = 3. \\"), 2, "a final line break starts no line");
    let cases = block(r"\begin{cases} \displaystyle \frac{s}{t}, & e, \\[8pt] 0, & f \end{cases}");
    assert_eq!(cases.matches("<mtd").count(), 4, "{cases}");
    assert!(cases.contains("<mrow displaystyle=\"true\" scriptlevel=\"0\"><mfrac>"), "{cases}");
    assert!(cases.ends_with("\\\\[8pt] 0, &amp; f \\end{cases}</annotation></semantics></math>"), "{cases}");
    let boxed = block(r"\boxed{q = \left(\frac{r}{s}\right)}");
    assert!(boxed.contains("class=\"math-border-bottom math-border-left math-border-top\""), "{boxed}");
    assert_eq!(boxed.matches("<mtr>").count(), 1, "a rule below the last row is no row");
    assert!(body(r"\widetilde{A}").starts_with("<mover"));
}

#[test]
fn errors_name_their_place() {
    assert_eq!(wrong(r"x + \foo{y}"), (r"\foo", "unknown command \"\\foo\"".to_owned()));
    assert_eq!(wrong(r"\begin{foo} x \end{foo}").0, "{foo}");
    assert_eq!(wrong(r"é & b").0, "&");
    assert_eq!(wrong(r"x + \textcolor{reddish}{y}").0, "reddish");
    assert_eq!(wrong(r"a \hspace{-2em} b").0, r"\hspace{-");
    assert_eq!(wrong(r"a \eqref{b}").0, r"\eqref");
    assert_eq!(wrong(r"\frac{a").0, "a");
    assert_eq!(wrong(r"a \\ b").0, r"\\");
    assert!(wrong(r"a \\ b").1.contains("gathered"));
    assert_eq!(
        wrong(r"\begin{matrix} a & {b & c} \end{matrix}"),
        ("&", wrong(r"\begin{matrix} {b & c} \end{matrix}").1)
    );
    assert_eq!(wrong(r"\begin{matrix} \frac a & b \end{matrix}").0, "&");
    assert_eq!(wrong("  "), ("  ", "empty formula".to_owned()));
    assert_eq!(wrong("a \u{1}").1, "a character that is invalid in a page");
    assert_eq!(mathml("", Display::Block).unwrap_err().at, 0..0);
}

#[test]
fn depth_and_size_have_limits() {
    for piece in ["{", r"\sqrt ", r"\frac a", r"\left(", r"\begin{matrix}", "x^"] {
        for count in [150, 1_000, 4_900, 100_000] {
            let source = format!("{}x", piece.repeat(count));
            if let Ok(written) = mathml(&source, Display::Inline) {
                assert!(count < 1_000, "{count} × {piece} is {} bytes", written.len());
            }
        }
    }
    let message = wrong(&r"\sqrt ".repeat(4_000)).1;
    assert!(message.contains("argument"), "{message}");
    assert!(wrong(&format!("{}x", r"\sqrt ".repeat(4_000))).1.contains("at most 200 deep"));
    assert!(wrong(&"{".repeat(100_000)).1.contains("at most 5000 commands"));
    let rows = format!(r"\begin{{matrix}}{}\end{{matrix}}", r"a & b \\ ".repeat(2_000));
    assert!(block(&rows).len() > 50_000);
}

#[test]
fn nothing_needs_a_style_attribute() {
    for source in [
        r"\begin{aligned} a &= b \end{aligned}",
        r"\begin{darray}{c||c} a & b \end{darray}",
        r"\color{red} x \! y",
        r"\begin{multline} a \\ b \tag{1} \end{multline}",
        r"\begin{subarray}{l} a \\ b \end{subarray}",
        r"\overset{a}{=} \mathrel{x} \underset{b}{\sum}",
        r"\sqrt{x^2} \cfrac{1}{2} \mathbin{a}",
        r"\rlap{a} \llap{b}",
    ] {
        let Ok(written) = mathml(source, Display::Block) else {
            continue;
        };
        assert!(!written.contains(" style=") && !written.contains(" id="), "{written}");
        assert_eq!(written, mathml(source, Display::Block).unwrap());
    }
}
