//! The corpus that fuzzing has kept (`tests/fuzz/corpus`), replayed: each input holds what its target asserts.

use std::fs;
use std::panic::catch_unwind;

use rayon::prelude::*;

use crate::harness::{listing, repository};
use crate::targets::TARGETS;

/// Reads a line of a corpus: `\xNN` is the byte NN.
fn input(line: &str) -> Vec<u8> {
    let mut parts = line.split("\\x");
    let mut data = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        data.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        data.extend_from_slice(&part.as_bytes()[2..]);
    }
    data
}

#[test]
fn every_input_of_the_corpus_holds() {
    for (name, target) in TARGETS {
        let text = fs::read_to_string(repository(&format!("tests/fuzz/corpus/{name}"))).expect("a corpus");
        let lines: Vec<(usize, &str)> = text.lines().enumerate().filter(|(_, line)| !line.starts_with("# ")).collect();
        assert!(!lines.is_empty(), "the target {name} has a corpus");
        let fails = |line: &str| catch_unwind(|| target(&input(line))).is_err();
        let failed: Vec<usize> =
            lines.par_iter().filter(|(_, line)| fails(line)).map(|(number, _)| number + 1).collect();
        assert!(failed.is_empty(), "tests/fuzz/corpus/{name}, lines {failed:?}");
    }
}

#[test]
fn every_corpus_has_a_target() {
    let files = listing(&repository("tests/fuzz/corpus"));
    assert!(files.keys().all(|file| TARGETS.iter().any(|(name, _)| file == name)), "{files:?}");
    let bytes: u64 = files.values().map(|path| fs::metadata(path).expect("a corpus").len()).sum();
    assert!(bytes < 1 << 20, "the corpus has {bytes} bytes: `tests/fuzz/run TARGET merge` makes it smaller");
}

#[test]
fn lines_are_bytes() {
    assert_eq!(input(r"\x23a\x5cx41\x0ab\xff"), b"#a\\x41\nb\xff");
}
