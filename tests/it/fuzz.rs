//! The corpus that fuzzing has kept (`tests/fuzz/corpus`), replayed: each input holds what its target asserts.

use std::fs;
use std::panic::catch_unwind;

use rayon::prelude::*;

use crate::harness::{listing, repository};
use crate::targets::TARGETS;

#[test]
fn every_input_of_the_corpus_holds() {
    for (name, target) in TARGETS {
        let inputs = listing(&repository(&format!("tests/fuzz/corpus/{name}")));
        assert!(!inputs.is_empty(), "the target {name} has a corpus");
        let fails = |path: &std::path::PathBuf| {
            let data = fs::read(path).expect("an input");
            catch_unwind(|| target(&data)).is_err()
        };
        let failed: Vec<String> =
            inputs.par_iter().filter(|(_, path)| fails(path)).map(|(input, _)| input.clone()).collect();
        assert!(failed.is_empty(), "tests/fuzz/corpus/{name}: {failed:?}");
    }
}

#[test]
fn every_folder_of_the_corpus_has_a_target() {
    let inputs = listing(&repository("tests/fuzz/corpus"));
    let known = |input: &str| TARGETS.iter().any(|(name, _)| input.starts_with(&format!("{name}/")));
    assert!(inputs.keys().all(|input| known(input)));
    let bytes: u64 = inputs.values().map(|path| fs::metadata(path).expect("an input").len()).sum();
    assert!(bytes < 1 << 20, "the corpus has {bytes} bytes: `tests/fuzz/run TARGET merge` makes it smaller");
}
