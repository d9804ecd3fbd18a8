//! The `infralens` program: sets the allocator and returns the exit status. Everything else is in the library.

use std::process::ExitCode;

/// A build makes many small and short-lived allocations on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    infralens::cli::run()
}
