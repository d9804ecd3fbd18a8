//! The `infralens` program: its exit status, and nothing else. The rest is the library's.

use std::process::ExitCode;

fn main() -> ExitCode {
    infralens::cli::run()
}
