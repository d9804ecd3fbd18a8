//! The languages with symbols, and what tells them.

/// A language with symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// Python.
    Python,
    /// C, C++ and CUDA.
    Cpp,
    /// Shell.
    Shell,
    /// Rust.
    Rust,
}

/// The language of a file, by its name; of one without extension, by its first line.
pub(super) fn of(path: &str, text: &str) -> Option<Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, extension)) => by_extension(&extension.to_ascii_lowercase()),
        None => text.lines().next().and_then(by_shebang),
    }
}

fn by_extension(extension: &str) -> Option<Language> {
    Some(match extension {
        "py" | "pyi" | "pyw" => Language::Python,
        "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "inl" | "ipp" | "tpp" | "cu"
        | "cuh" | "hip" | "cl" | "metal" | "ino" => Language::Cpp,
        "sh" | "bash" | "zsh" | "ksh" | "bats" | "sbatch" | "slurm" => Language::Shell,
        "rs" => Language::Rust,
        _ => return None,
    })
}

/// Reads `#!/bin/bash`, `#!/usr/bin/env -S python3 -u`.
fn by_shebang(line: &str) -> Option<Language> {
    let line = line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    let mut programs = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = programs.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "sh" | "bash" | "zsh" | "ksh" | "dash" | "ash" | "bats" => Some(Language::Shell),
        "python" | "pypy" => Some(Language::Python),
        _ => None,
    }
}
