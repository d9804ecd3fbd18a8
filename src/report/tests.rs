//! The exact text of reports.

mod machine;

use std::ops::Deref;

use super::*;
use infralens_source::diag::{Place, codes};

#[derive(Default)]
struct Texts(Project);

impl Deref for Texts {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.0
    }
}

fn text(path: &'static str, text: impl Into<String>) -> Texts {
    Texts::default().and(path, text)
}

impl Texts {
    fn and(mut self, path: &'static str, text: impl Into<String>) -> Self {
        self.0.put(&path.into(), Some(File::Text(Arc::new(Source::new(path, text)))));
        self
    }

    fn bytes(&self, path: &str, start: usize, end: usize) -> Place {
        Place::new(self.text(path).unwrap().path(), start..end)
    }

    /// Returns where `what` first occurs in a text.
    fn find(&self, path: &str, what: &str) -> Place {
        let start = self.0.text(path).unwrap().text().find(what).unwrap();
        self.bytes(path, start, start + what.len())
    }
}

fn says(diagnostic: Diagnostic, texts: &Texts, expected: &str) {
    let found = human(&[diagnostic], texts, false);
    let found = found.rsplit_once("\n\n").map_or(found.as_str(), |(found, _)| found);
    assert!(found == expected.trim_matches('\n'), "found:\n{found}\nexpected:\n{expected}");
}

#[test]
fn an_error_in_a_line() {
    let texts = text("content/lab.md", "\n\n1. `atention` — the four projections\n");
    let diagnostic = Diagnostic::new(codes::E0301, texts.find("content/lab.md", "`atention`"), "`atention` is missing")
        .label("not in code/lab/a.py#ledger (lines 31-44)")
        .help("did you mean `attention`?")
        .help("or\ntwo lines");
    says(
        diagnostic,
        &texts,
        "
error[E0301]: `atention` is missing
 --> content/lab.md:3:4
  |
3 | 1. `atention` — the four projections
  |    ^^^^^^^^^^ not in code/lab/a.py#ledger (lines 31-44)
  = help: did you mean `attention`?
  = help: or
          two lines
",
    );
}

#[test]
fn columns_count_characters_and_lines_may_end_with_crlf() {
    let texts = text("a.md", "eins\r\nzwö\té `x`\r\n");
    says(
        Diagnostic::new(codes::E0301, texts.find("a.md", "`x`"), "no"),
        &texts,
        "
error[E0301]: no
 --> a.md:2:7
  |
2 | zwö    é `x`
  |          ^^^
",
    );
    says(
        Diagnostic::new(codes::W0201, texts.bytes("a.md", 2, 8), "two lines").label("here"),
        &texts,
        "
warning[W0201]: two lines
 --> a.md:1:3
  |
1 |   eins
  |  ___^
2 | | zwö    é `x`
  | |__^ here
",
    );
}

#[test]
fn a_byte_order_mark_is_no_column_and_an_end_is_a_place() {
    let texts = text("a.md", "\u{feff}x: 1\n").and("empty.md", "").and("open.md", "---");
    let bom = Diagnostic::new(codes::E0104, texts.bytes("a.md", 0, 4), "key");
    says(bom.clone(), &texts, "error[E0104]: key\n --> a.md:1:1\n  |\n1 | x: 1\n  | ^");
    assert!(json(&[bom], &texts).contains(r#""line":1,"column":1,"end_line":1,"end_column":2"#));
    let end = Diagnostic::new(codes::E0102, texts.bytes("a.md", 8, 8), "end").label("here");
    says(end, &texts, "error[E0102]: end\n --> a.md:2:1\n  |\n2 |\n  | ^ here");
    let end = Diagnostic::new(codes::E0102, texts.bytes("empty.md", 0, 0), "end");
    says(end, &texts, "error[E0102]: end\n --> empty.md:1:1\n  |\n1 |\n  | ^");
    let end = Diagnostic::new(codes::E0102, texts.bytes("open.md", 3, 900), "end");
    says(end, &texts, "error[E0102]: end\n --> open.md:1:4\n  |\n1 | ---\n  |    ^");
}

#[test]
fn a_span_of_several_lines_is_framed_and_of_too_many_begun() {
    let texts = text("a.md", "a line\n".repeat(100));
    let place = texts.bytes("a.md", 0, 7 * 9);
    says(
        Diagnostic::new(codes::W0301, place, "stale").label("pinned here"),
        &texts,
        "
warning[W0301]: stale
 --> a.md:1:1
  |
1 | / a line
2 | | a line
3 | | a line
4 | | a line
... |
8 | | a line
9 | | a line
  | |______^ pinned here
",
    );
    let place = texts.bytes("a.md", 9, 7 * 99);
    says(
        Diagnostic::new(codes::W0301, place, "stale"),
        &texts,
        "warning[W0301]: stale\n --> a.md:2:3\n  |\n2 | a line\n  |   ^^^^",
    );
}

#[test]
fn a_long_line_is_cut_around_what_is_meant() {
    let texts = text("a.md", format!("{}`wrong`{}", "é word ".repeat(700), " tail".repeat(700)));
    says(
        Diagnostic::new(codes::E0301, texts.find("a.md", "`wrong`"), "no").label("not in the excerpt"),
        &texts,
        "
error[E0301]: no
 --> a.md:1:4901
  |
1 | ...rd é word é word é word é word é word é word é word `wrong` tail tail tail tail tail tail tail tail tail tail tail tail tail tail ...
  |                                                        ^^^^^^^ not in the excerpt
",
    );
    let all = Diagnostic::new(codes::E0301, texts.bytes("a.md", 0, 9000), "no").label("all of it");
    let report = human(&[all], &texts, false);
    assert!(report.lines().all(|line| line.chars().count() < 140), "{report}");
    assert!(report.contains("^ all of it"), "{report}");
}

#[test]
fn related_places_stand_beside_below_or_apart() {
    let far = format!("title: b\n{}title: c\n", "x\n".repeat(100));
    let texts = text("a.md", "title: a\ndraft: true\n\ntitle: b\n").and("b.md", far);
    let diagnostic = Diagnostic::new(codes::E0105, texts.bytes("a.md", 22, 30), "`title` is given twice")
        .label("again here")
        .related(texts.bytes("a.md", 0, 8), "first here")
        .related(texts.find("b.md", "title: c"), "also\there")
        .related(Place::file("c.md"), "and here")
        .note("--- a\n+++ b\n\n-x\n")
        .help("drop one");
    says(
        diagnostic,
        &texts,
        "
error[E0105]: `title` is given twice
 --> a.md:4:1
  |
1 | title: a
  | -------- first here
...
4 | title: b
  | ^^^^^^^^ again here
  = note: --- a
          +++ b

          -x
  = help: drop one
note: also␉here
   --> b.md:102:1
    |
102 | title: c
    | ^^^^^^^^
note: and here
 --> c.md
",
    );
}

#[test]
fn a_file_without_text_is_named() {
    let diagnostic = Diagnostic::new(codes::E0002, Place::file("static/a"), "`static/a` is a symbolic link");
    let no_text = Diagnostic::new(codes::E0304, Place::new(&"code/a".into(), 3..4), "no").label("a NUL");
    let diagnostic = diagnostic.help("put the file here");
    says(
        diagnostic.clone(),
        &Texts::default(),
        "error[E0002]: `static/a` is a symbolic link\n --> static/a\n  = help: put the file here",
    );
    says(no_text, &Texts::default(), "error[E0304]: no\n --> code/a: a NUL");
    assert_eq!(
        json(&[diagnostic], &Texts::default()),
        "{\"severity\":\"error\",\"code\":\"E0002\",\"message\":\"`static/a` is a symbolic link\",\"file\":\"static/a\",\
         \"line\":1,\"column\":1,\"end_line\":1,\"end_column\":1,\"help\":\"put the file here\",\"fixes\":[]}\n"
    );
}

#[test]
fn no_control_character_reaches_the_terminal() {
    let hostile = "a\u{1b}]0;x\u{7}\r b\u{9b}2J\u{202e}c\u{0}\u{7f}";
    let texts = text("a.md", format!("{hostile}\n{hostile}\n"));
    let diagnostic = Diagnostic::new(codes::E0301, texts.find("a.md", "b"), hostile)
        .label(hostile)
        .related(texts.bytes("a.md", 0, 1), hostile)
        .related(Place::file(hostile), hostile)
        .note(hostile)
        .help(hostile);
    let report = human(std::slice::from_ref(&diagnostic), &texts, false);
    assert_eq!(report.chars().find(|&c| c != '\n' && (c.is_control() || c == '\u{202e}')), None, "{report:?}");
    assert!(report.contains("1 | a␛]0;x␇␍ b<U+009B>2J<U+202E>c␀␡\n"), "{report}");
    assert!(report.contains(" --> a.md:1:10\n"), "{report}");
    let line = json(&[diagnostic], &texts);
    assert_eq!(line.trim_end_matches('\n').chars().find(|c| c.is_control()), None, "{line:?}");
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(value["message"], hostile);
}

#[test]
fn json_has_one_object_a_line() {
    let texts = text("a.md", "é `x`\n");
    let at = |code| Diagnostic::new(code, texts.find("a.md", "`x`"), "no \"x\"");
    let all = [at(codes::E0301).help("one").help("two"), at(codes::W0302).hint()];
    assert_eq!(
        json(&all, &texts),
        concat!(
            r#"{"severity":"error","code":"E0301","message":"no \"x\"","file":"a.md","#,
            r#""line":1,"column":3,"end_line":1,"end_column":6,"help":"one\ntwo","fixes":[]}"#,
            "\n",
            r#"{"severity":"hint","code":"W0302","message":"no \"x\"","file":"a.md","#,
            r#""line":1,"column":3,"end_line":1,"end_column":6,"help":null,"fixes":[]}"#,
            "\n",
        )
    );
}

#[test]
fn the_last_line_counts_errors_and_warnings() {
    let texts = Texts::default();
    let at = |code| Diagnostic::new(code, Place::file("a"), "m");
    let (error, warning, hint) = (at(codes::E0001), at(codes::W0301), at(codes::W0302).hint());
    let last = |all: &[Diagnostic]| human(all, &texts, false).lines().last().unwrap_or_default().to_owned();
    assert_eq!(last(&[error.clone(), error.clone(), warning.clone(), hint.clone()]), "2 errors, 1 warning");
    assert_eq!(last(std::slice::from_ref(&warning)), "1 warning");
    assert_eq!(last(std::slice::from_ref(&error)), "1 error");
    assert_eq!(human(&[], &texts, false), "");
    assert_eq!(human(&[hint], &texts, false), "hint[W0302]: m\n --> a\n\n");
}

#[test]
fn colors_only_where_asked() {
    let texts = text("a.md", "x\n");
    let all = [Diagnostic::new(codes::E0301, texts.bytes("a.md", 0, 1), "no").label("here")];
    assert!(!human(&all, &texts, false).contains('\u{1b}'));
    assert!(human(&all, &texts, true).starts_with("\u{1b}[1m\u{1b}[91merror[E0301]\u{1b}[0m"));
}

/// Whatever a text holds and wherever spans point, there is a report.
#[test]
fn any_span_of_any_text_is_drawn() {
    let alphabet =
        ["a", "é", "語", "\t", "\n", "\r\n", "\u{feff}", "\u{1b}", "\u{9b}", "\u{301}", "👩\u{200d}🚀", " ", "\r"];
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for _ in 0..400 {
        let length = if next(10) == 0 { 3000 } else { next(120) };
        let made: String = (0..length).map(|_| alphabet[next(alphabet.len())]).collect();
        let texts = text("a.md", made);
        let size = texts.text("a.md").unwrap().text().len() + 3;
        let mut place = || texts.bytes("a.md", next(size), next(size));
        let diagnostic =
            Diagnostic::new(codes::E0301, place(), "m").label("l").related(place(), "r").related(place(), "");
        let report = human(std::slice::from_ref(&diagnostic), &texts, false);
        assert_eq!(report.chars().find(|&c| c != '\n' && c.is_control()), None, "{report:?}");
        assert!(report.starts_with("error[E0301]: m\n"), "{report}");
        assert!(human(&[diagnostic], &texts, true).contains("E0301"));
    }
}
