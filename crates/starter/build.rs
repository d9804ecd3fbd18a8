//! Compiles the syntax definitions into the table that the highlighter reads, `syntaxes.bin` in `OUT_DIR`.

#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

#[path = "build/charset.rs"]
mod charset;
#[path = "src/highlight/class.rs"]
#[expect(dead_code, reason = "the library uses the rest")]
mod class;
#[path = "build/classes.rs"]
mod classes;
#[path = "build/guard.rs"]
mod guard;
#[path = "build/regex.rs"]
mod regex;
#[path = "build/scopes.rs"]
mod scopes;
#[path = "build/syntaxes.rs"]
mod syntaxes;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut out = std::io::stdout();
    // If cargo is gone, nobody reads these lines.
    for path in ["build", "build.rs", "src/highlight/class.rs", "src/syntaxes"] {
        let _ = writeln!(out, "cargo::rerun-if-changed={path}");
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(out, "cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or("OUT_DIR is not set: run this with cargo")?;
    std::fs::write(out.join("syntaxes.bin"), syntaxes::compile()?).map_err(|error| error.to_string())
}
