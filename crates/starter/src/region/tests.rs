//! Markers in every comment style, and what does not pair.

use super::*;

/// The regions of a file, each as `name=lines`.
fn named(path: &str, text: &str) -> Vec<String> {
    let found = regions(path, text);
    assert_eq!(found.problems, [], "{text}");
    found.named.iter().map(|region| format!("{}={:?}", region.name, region.lines)).collect()
}

/// The problems of a file, each as `line:what is pointed at:kind`.
fn problems(path: &str, text: &str) -> Vec<String> {
    let describe = |problem: &RegionProblem| {
        assert!(problem.name.is_empty() || problem.name == text[problem.at.clone()]);
        format!("{}:{}:{:?}", text[..problem.at.start].matches('\n').count(), &text[problem.at.clone()], problem.kind)
    };
    regions(path, text).problems.iter().map(describe).collect()
}

#[test]
fn every_form_of_the_specification() {
    for (path, open, close) in [
        ("a.py", "# ANCHOR: x", "# ANCHOR_END: x"),
        ("a.py", "#region x", "#endregion"),
        ("a.py", "# region x", "# endregion"),
        ("a.py", "# #region x", "# #endregion"),
        ("a.py", "## ANCHOR: x ##", ""),
        ("a.yaml", "  \t# region x  ", "\t#endregion x"),
        ("Dockerfile.cuda", "# ANCHOR: x", "# ANCHOR_END: x"),
        ("Makefile", "#ANCHOR:x", "#ANCHOR_END:x"),
        ("a.rs", "// #region x", "// #endregion"),
        ("a.cu", "//#region x", "//#endregion"),
        ("a.cpp", "/// ANCHOR: x", "/* ANCHOR_END: x */"),
        ("a.css", "/* #region x */", "/** #endregion **/"),
        ("a.jsx", "{/* ANCHOR: x */}", "{/* ANCHOR_END: x */}"),
        ("a.html", "<!-- ANCHOR: x -->", "<!--ANCHOR_END: x-->"),
        ("a.md", "<!-- #region x -->", "<!-- #endregion -->"),
        ("a.sql", "-- #region x", "--#endregion"),
        ("a.lua", "--[[ ANCHOR: x ]]", "-- ANCHOR_END: x"),
        ("a.hs", "{- ANCHOR: x -}", "-- ANCHOR_END: x"),
        ("a.clj", ";; ANCHOR: x", "; ANCHOR_END: x"),
        ("a.tex", "% #region x", "% #endregion"),
        ("a.cs", "#region x", "#endregion"),
        ("a.ps1", "<# ANCHOR: x #>", "# ANCHOR_END: x"),
        ("a.ml", "(* ANCHOR: x *)", "(* ANCHOR_END: x *)"),
        ("a.bat", "REM ANCHOR: x", ":: ANCHOR_END: x"),
        ("a.f90", "! ANCHOR: x", "! ANCHOR_END: x"),
        ("a.unheard-of", "% ANCHOR: x", "-- ANCHOR_END: x"),
    ] {
        let text = format!("{open}\ncode\n{close}\n");
        if close.is_empty() {
            assert_eq!(problems(path, &text), ["0:x ##:BadName"], "{path}: {open}");
        } else {
            assert_eq!(named(path, &text), ["x=1..2"], "{path}: {open}");
            assert_eq!(regions(path, &text).marker_lines, [0, 2], "{path}: {open}");
        }
    }
}

#[test]
fn what_is_no_marker() {
    for (path, line) in [
        ("a.py", "x = 1  # ANCHOR: x"),
        ("a.py", "# see ANCHOR: x"),
        ("a.py", "# anchor: x"),
        ("a.py", "// ANCHOR: x"),
        ("a.py", "print('# ANCHOR: x')"),
        ("a.py", "# region of interest"),
        ("a.py", "# region"),
        ("a.py", "# region: eu"),
        ("a.py", "# regional x"),
        ("a.py", "#regions x"),
        ("a.py", "## region x"),
        ("a.rs", "# region x"),
        ("a.rs", "#region x"),
        ("a.rs", "// region x"),
        ("a.rs", "/* ANCHOR: x */ let y = 1;"),
        ("a.rs", "/* ANCHOR: x"),
        ("a.md", "# region x"),
        ("a.md", "text <!-- ANCHOR: x -->"),
        ("a.bat", "remANCHOR: x"),
    ] {
        assert_eq!(regions(path, line), Regions::default(), "{path}: {line}");
    }
}

#[test]
fn anchors_nest_and_overlap() {
    let text = "# ANCHOR: a\n1\n# ANCHOR: b\n2\n# ANCHOR_END: a\n3\n# ANCHOR_END: b\n";
    assert_eq!(named("a.py", text), ["a=1..4", "b=3..6"]);
    assert_eq!(regions("a.py", text).marker_lines, [0, 2, 4, 6]);
    assert_eq!(regions("a.py", text).named[1].marker, text.find("b\n2").map_or(0..0, |at| at..at + 1));
}

#[test]
fn endregion_closes_the_innermost() {
    let text = "// #region outer\n// #region\n1\n// #endregion\n// #region inner\n2\n// #endregion\n// #endregion\n";
    assert_eq!(named("a.c", text), ["outer=1..7", "inner=5..6"]);
    assert_eq!(regions("a.c", text).marker_lines, [0, 1, 3, 4, 6, 7]);
}

#[test]
fn several_words_are_an_unnamed_fold() {
    let text = "#region a\n#region Public methods\n1\n#endregion\n#endregion\n";
    assert_eq!(named("a.cs", text), ["a=1..4"]);
    assert_eq!(regions("a.cs", text).marker_lines, [0, 1, 3, 4]);
    assert_eq!(regions("a.py", "#region\n1\n").marker_lines, [0]);
}

#[test]
fn a_spaced_region_is_prose_unless_an_end_is_left_over() {
    let prose = "# region a\n# region of interest\n1\n# endregion\n";
    assert_eq!(named("a.py", prose), ["a=1..3"]);
    assert_eq!(regions("a.py", prose).marker_lines, [0, 3]);
    let fold = "# region a\n# region Public methods\n1\n# endregion\n2\n# endregion\n";
    assert_eq!(named("a.py", fold), ["a=1..5"]);
    assert_eq!(regions("a.py", fold).marker_lines, [0, 1, 3, 5]);
    assert_eq!(regions("a.py", "# region\n1\n# endregion\n").marker_lines, [0, 2]);
}

#[test]
fn names_in_any_script() {
    let text = "# ANCHOR: größe-2_π\n1\n# ANCHOR_END: größe-2_π\n# region 設定\n2\n# endregion\n";
    assert_eq!(named("a.py", text), ["größe-2_π=1..2", "設定=4..5"]);
}

#[test]
fn bad_names() {
    for (text, expected) in [
        ("# ANCHOR: L10", "0:L10:BadName"),
        ("# ANCHOR: L3-L5", "0:L3-L5:BadName"),
        ("# ANCHOR: two words", "0:two words:BadName"),
        ("# ANCHOR:", "0:ANCHOR::BadName"),
        ("# ANCHOR_END: a.b", "0:a.b:BadName"),
        ("#region a.b", "0:a.b:BadName"),
        ("# region L7\n# endregion", "0:L7:BadName"),
    ] {
        assert_eq!(problems("a.py", text), [expected]);
        assert_eq!(regions("a.py", text).marker_lines.first(), Some(&0));
    }
    assert_eq!(named("a.py", "#region Layer-2\n#endregion\n#region L2x\n#endregion"), ["Layer-2=1..1", "L2x=3..3"]);
}

#[test]
fn a_name_twice_over_both_forms() {
    let text = "# ANCHOR: a\n1\n# ANCHOR_END: a\n#region a\n2\n#endregion\n";
    assert_eq!(problems("a.py", text), ["3:a:Duplicate { first: 0 }"]);
    assert_eq!(regions("a.py", text).named[0].lines, 1..2);
    assert_eq!(regions("a.py", text).named.len(), 1);
}

#[test]
fn what_does_not_pair() {
    let text = "# ANCHOR: a\n# region b\n# ANCHOR_END: c\n1\n";
    let expected = ["0:a:Unterminated", "1:b:Unterminated", "2:c:NeverOpened"];
    assert_eq!(problems("a.py", text), expected);
    assert_eq!(regions("a.py", text).named[0].lines, 1..4);
    assert_eq!(problems("a.py", "# ANCHOR: a\n# ANCHOR_END: a\n# ANCHOR_END: a\n"), ["2:a:EndedTwice"]);
    assert_eq!(problems("a.rs", "1\n  // #endregion\n"), ["1:endregion:NeverOpened"]);
    assert_eq!(problems("a.py", "#region a\n# ANCHOR_END: a\n#endregion\n"), ["1:a:NeverOpened"]);
}

#[test]
fn line_ends_tabs_bom_and_no_final_newline() {
    let text = "\u{feff}# ANCHOR: a\r\n\t1\r\n\t# ANCHOR_END:\ta\t\r\n#region b\r\n2\r\n#endregion";
    assert_eq!(named("a.py", text), ["a=1..2", "b=4..5"]);
    let found = regions("a.py", text);
    assert_eq!(&text[found.named[0].marker.clone()], "a");
    assert_eq!(&text[found.named[1].marker.clone()], "b");
    assert_eq!(found.marker_lines, [0, 2, 3, 5]);
}

#[test]
fn hostile_input_is_linear() {
    let many: Vec<String> = (0..20_000).map(|n| format!("# ANCHOR: a{n}\n# region\n")).collect();
    let many = many.concat();
    assert_eq!(regions("a.py", &many).problems.len(), 20_000);
    let ends = "# ANCHOR_END: a\n#endregion\n".repeat(20_000);
    assert_eq!(regions("a.py", &ends).problems.len(), 40_000);
    let line = format!("{}region ANCHOR", "#".repeat(200_000));
    assert_eq!(regions("no-extension", &line), Regions::default());
}

#[test]
fn styles_by_name() {
    assert_eq!(comment_styles("code/lab-01-x/CMakeLists.txt"), [("#", "")]);
    assert_eq!(comment_styles("a/b.d/Kernel.CU"), [("//", ""), ("/*", "*/"), ("{/*", "*/}")]);
    assert!(comment_styles("README").len() > 5);
}
