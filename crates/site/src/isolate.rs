//! Keeps a bug of this program that shows in one file from ending the work on all others.

use std::panic::{AssertUnwindSafe, catch_unwind};

use infralens_source::diag::{Diagnostic, Place, codes};

/// Does some work on a file. If `isolates`, a panic becomes an error of that file; else it ends the program.
pub fn isolate<T>(isolates: bool, file: &str, work: impl FnOnce() -> T) -> Result<T, Box<Diagnostic>> {
    let work = || {
        #[cfg(test)]
        assert!(!file.contains("with-a-bug"), "what tests call a bug");
        work()
    };
    if !isolates {
        return Ok(work());
    }
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        let message =
            format!("`{file}` cannot be read, because this program fails on it, which is a bug of the program");
        let bug = Diagnostic::new(codes::E0005, Place::file(file), message)
            .help("undo the last change of this file, and report the bug with the text that causes it");
        Box::new(match text {
            Some(text) => bug.note(format!("the program failed with: {text}")),
            None => bug,
        })
    })
}
