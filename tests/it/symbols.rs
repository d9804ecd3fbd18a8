//! The symbols of real files: as JSON, for `tests/symbols/run.py`, and of files that end anywhere.

use std::fs;
use std::sync::Arc;

use infralens_source::source::Source;
use infralens_starter::Listing;
use rayon::prelude::*;

fn listing(path: &str, text: &str) -> Listing {
    Listing::new(&Arc::new(Source::new(path, text))).0
}

/// Writes the symbols of the files whose paths are the lines of `INFRALENS_SYMBOLS` into that file with `.json` added: for
/// each file a line with its path and its symbols, each with its name, the line of the name, its first and last line, and
/// whether its end is uncertain.
#[test]
#[ignore = "it is run by tests/symbols/run.py"]
fn symbols_as_json() {
    let list = std::env::var("INFRALENS_SYMBOLS").expect("INFRALENS_SYMBOLS names a file with paths");
    let paths = fs::read_to_string(&list).expect("the list can be read");
    let paths: Vec<&str> = paths.lines().collect();
    let read = |path: &&str| {
        let listing = listing(path, &fs::read_to_string(path).ok()?);
        let symbols = listing.symbols().iter().map(|symbol| {
            let lines = &symbol.lines;
            serde_json::json!([symbol.name, symbol.line + 1, lines.start + 1, lines.end, symbol.doubt.is_some()])
        });
        Some(serde_json::json!([path, symbols.collect::<Vec<_>>()]).to_string() + "\n")
    };
    let lines: Vec<Option<String>> = paths.par_iter().map(read).collect();
    fs::write(list + ".json", lines.into_iter().flatten().collect::<String>()).expect("the symbols can be written");
}

#[test]
fn a_file_may_end_anywhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = walkdir::WalkDir::new(root.join("code")).into_iter().chain(walkdir::WalkDir::new(root.join("static")));
    let mut files: Vec<_> = files.map(|file| file.expect("the folder can be read").into_path()).collect();
    files.sort();
    files.par_iter().for_each(|path| {
        let (path, Ok(text)) = (path.to_string_lossy(), fs::read_to_string(path)) else { return };
        // The same places on every run.
        let mut at = text.len();
        for _ in 0..4 {
            at = (at * 7 + 13) % (text.len().min(20_000) + 1);
            let end = (at..=text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len());
            let cut = listing(&path, &text[..end]);
            for symbol in cut.symbols() {
                assert!(symbol.lines.contains(&symbol.line) && symbol.lines.end <= cut.line_count(), "{path} {end}");
            }
        }
    });
}
