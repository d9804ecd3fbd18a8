//! The `infralens` program: its exit status and its allocator. Everything else is in the library.

use std::process::ExitCode;

/// Most of what a build allocates is small and soon let go of, by two threads and more at once.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    infralens::cli::run()
}
