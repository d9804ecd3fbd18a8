//! Fences that are not closed, and lines that read like an excerpt: each is an excerpt, or has one diagnostic.

use std::sync::Arc;

use infralens_page::{self as document, placement};
use infralens_source::diag::Diagnostic;
use infralens_source::source::Source;
use pulldown_cmark::{Event, Options, Parser};

use crate::generate::Dice;
use crate::harness::{Built, SiteTest, contents, repository};

const LAB: &str = "content/tracks/t/labs/lab-01-a.md";
const FRONT: &str = "---\ntitle: Lab A\nfocus: One focus\nreads: One file\noutcome: Explain one file\nhandbook: [s]\n\
                     starter: { file: a.py, type: Script, angle: Where the numbers come from }\n---\n\n";
const FENCE: [&str; 4] = ["```python file=#ledger", "x = 1", "total = x + y", "```"];

/// The suite's base course, whose lab has this text.
fn lab(page: &str) -> Built {
    let mut course = SiteTest::copy_of(&repository("tests/suite/base"));
    course.lints = true;
    course.write(LAB, format!("{FRONT}{page}"));
    course.build()
}

fn line_of(built: &Built, diagnostic: &Diagnostic) -> usize {
    let text = built.project.text(&diagnostic.place.file).expect("a text").text();
    text[..diagnostic.place.span.map_or(0, |(start, _)| start)].matches('\n').count() + 1
}

#[test]
fn each_closing_line_that_is_missing_is_one_diagnostic() {
    let init = repository("crates/author/src/scaffold/init");
    let pages = contents(&init).into_iter().filter(|(path, _)| path.starts_with("content/") && path.ends_with(".md"));
    let mut tried = 0;
    for (path, bytes) in pages {
        let text = String::from_utf8(bytes).expect("UTF-8");
        let lines: Vec<&str> = text.lines().collect();
        for at in (0..lines.len()).filter(|&at| lines[at] == "```" || lines[at] == "~~~") {
            let mut course = SiteTest::copy_of(&init);
            course.lints = true;
            let kept: Vec<&str> =
                lines.iter().enumerate().filter(|(line, _)| *line != at).map(|(_, line)| *line).collect();
            course.write(&path, kept.join("\n") + "\n");
            let built = course.build();
            assert_eq!(built.diagnostics.len(), 1, "{path} without line {}:\n{}", at + 1, built.human());
            tried += 1;
        }
    }
    assert!(tried >= 10, "{tried}");
}

/// What stands before the first line of an excerpt, before its other lines, and after it.
const AROUND: [(&str, &str, &str); 18] = [
    ("", "", ""),
    ("> ", "> ", ""),
    ("- ", "  ", ""),
    ("1. ", "   ", ""),
    ("> - ", ">   ", ""),
    ("Term\n: ", "  ", ""),
    ("A[^a].\n\n[^a]: Text.\n\n    ", "    ", ""),
    ("[^a]: Text.\n\n    ", "    ", ""),
    ("    ", "    ", ""),
    ("Text\n    ", "    ", ""),
    ("- a\n\n      ", "      ", ""),
    ("```sh\nls\n\n", "", ""),
    ("~~~\nls\n\n", "", ""),
    ("> ```sh\n> ls\n>\n> ", "> ", ""),
    ("<details>\n", "", "\n</details>"),
    ("<!-- a\n\n", "", ""),
    ("<pre>\n\n", "", "\n</pre>"),
    ("| a |\n| --- |\n| ", "", ""),
];

#[test]
fn a_line_that_reads_like_an_excerpt_is_one_or_is_an_error_there() {
    for (first, other, after) in AROUND {
        let fence = format!("{first}{}{after}\n", FENCE.join(&format!("\n{other}")));
        let built = lab(&fence);
        let file = built.project.text(LAB).expect("a lab").text();
        let head = file[..file.find(FENCE[0]).expect("its head")].matches('\n').count() + 1;
        let is_shown =
            built.files.as_ref().and_then(|files| files.get("tracks/t/labs/lab-01-a.html")).is_some_and(|page| {
                std::str::from_utf8(page.as_ref()).expect("UTF-8").contains("<figure class=\"excerpt")
            });
        let errors: Vec<usize> = built
            .diagnostics
            .iter()
            // The comment that takes in an excerpt is an error of its own.
            .filter(|diagnostic| diagnostic.code.id.starts_with('E') && diagnostic.code.id != "E0213")
            .map(|diagnostic| line_of(&built, diagnostic))
            .collect();
        assert!(is_shown && errors.is_empty() || errors == [head], "{fence}\n{}", built.human());
    }
}

/// The code spans among some events.
fn code_spans<'e>(events: impl Iterator<Item = Event<'e>>) -> Vec<String> {
    let code = |event| match event {
        Event::Code(code) => Some(code.to_string()),
        _ => None,
    };
    events.filter_map(code).collect()
}

#[test]
fn code_spans_are_what_they_would_be_without_formulas() {
    const PIECES: [&str; 12] = ["$", "$", "`", "`", "``", "$$", "a", "b ", " ", " 5", "\n", "*"];
    let mut dice = Dice(13);
    let mut formulas = 0;
    for _ in 0..4000 {
        let text: String = (0..dice.below(24)).map(|_| dice.one_of(&PIECES)).collect();
        let wanted = code_spans(Parser::new_ext(&text, Options::empty()));
        let (document, diagnostics) =
            document::parse(&Arc::new(Source::new("code/README.md", &*text)), placement::readme(""));
        assert!(
            diagnostics
                .iter()
                .all(|diagnostic| diagnostic.code.id != "E0203" || !diagnostic.message.contains("backtick")),
            "{diagnostics:?} of {text:?}"
        );
        let events = document.body.events.iter().map(|(event, _)| event.clone());
        assert_eq!(code_spans(events), wanted, "{text:?}");
        let maths = document.body.events.iter().filter(
            |(event, _)| matches!(event, Event::InlineMath(math) | Event::DisplayMath(math) if !math.contains('`')),
        );
        formulas += maths.count();
    }
    assert!(formulas > 100, "{formulas}");
}
