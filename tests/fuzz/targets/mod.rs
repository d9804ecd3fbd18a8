//! What is fuzzed: functions that take any bytes and assert what must hold of them. `tests/fuzz/fuzz.rs` feeds them what
//! libFuzzer invents; the ordinary tests feed them `tests/fuzz/corpus`, which is what it kept.

mod course;
mod excerpts;
mod heads;
mod pages;
mod yaml;

use infralens_source::diag::{Diagnostic, Place};
use infralens_source::project::{File, Project};
use infralens_source::source::{Source, Span};

/// A fuzz target; panics where something does not hold.
pub type Target = fn(&[u8]);

/// Every target by the name of its folder in the corpus.
pub const TARGETS: [(&str, Target); 7] = [
    ("front-matter", yaml::front_matter),
    ("heads", heads::heads),
    ("html", pages::html),
    ("markdown", pages::markdown),
    ("pins", excerpts::pins),
    ("selectors", excerpts::selectors),
    ("site-yaml", yaml::site),
];

/// Bytes as the text of a file, which holds no NUL: a file that does is none of text.
fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).replace('\0', " ")
}

/// A span lies in its text, and cuts no character.
fn assert_span(text: &str, span: &Span, what: &str) {
    assert!(text.get(span.clone()).is_some(), "{what}: {span:?} is no part of a text of {} bytes", text.len());
}

/// Diagnostics say something, in one line, at places that exist.
fn assert_places(text_of: &dyn Fn(&str) -> Option<String>, diagnostics: &[Diagnostic]) {
    for said in diagnostics {
        assert!(!said.message.is_empty() && !said.message.ends_with('.'), "{said:?}");
        let places = std::iter::once(&said.place).chain(said.related.iter().map(|(place, _)| place));
        for Place { file, span } in places {
            if let (Some((start, end)), Some(text)) = (span, text_of(file)) {
                assert_span(&text, &(*start..*end), &format!("{} in {file}: {}", said.code.id, said.message));
            }
        }
    }
}

/// The same, where all is said of one file.
fn assert_places_in(source: &Source, diagnostics: &[Diagnostic]) {
    assert_places(&|file| (file == &**source.path()).then(|| source.text().to_owned()), diagnostics);
}

/// The same, for a course.
fn assert_places_of(project: &Project, diagnostics: &[Diagnostic]) {
    let text_of = |path: &str| match project.files.get(path) {
        Some(File::Text(source)) => Some(source.text().to_owned()),
        _ => None,
    };
    assert_places(&text_of, diagnostics);
}
