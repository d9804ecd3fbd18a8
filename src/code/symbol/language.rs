//! The languages with symbols: what tells them, and what their nodes mean.

/// A language with symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// Python.
    Python,
    /// C, C++ and CUDA, by the C++ grammar.
    Cpp,
    /// Shell.
    Shell,
    /// Rust.
    Rust,
}

/// What a kind of node means to a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing.
    Other,
    /// A comment or an attribute: belongs to what follows directly.
    Lead,
    /// Holds a definition and belongs to it: decorators, template header, `extern "C"`.
    Wrapper,
    /// A definition by its field `name`.
    Named,
    /// The same, if it has a `body`; without, it only refers to one.
    NamedWithBody,
    /// A declaration of what is defined elsewhere, by its field `name`.
    Signature,
    /// A part of paths that is no symbol, by its field `name`.
    Scope,
    /// The same, by its field `type`: an `impl`.
    Impl,
    /// A function whose name lies in its declarators.
    Function,
    /// A C declaration: may declare functions; else a wrapper.
    Declaration,
    /// A C type definition: names the struct that it holds.
    Typedef,
}

/// The language of a file, by its name; of one without extension, by its first line.
pub(super) fn of(path: &str, text: &str) -> Option<Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some(("", dotfile)) => by_name(&dotfile.to_ascii_lowercase()),
        Some((_, extension)) => by_name(&extension.to_ascii_lowercase()),
        None => text.lines().next().and_then(by_shebang),
    }
}

fn by_name(extension: &str) -> Option<Language> {
    Some(match extension {
        "py" | "pyi" | "pyw" => Language::Python,
        "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "inl" | "ipp" | "tpp" | "cu"
        | "cuh" | "hip" | "cl" | "ino" => Language::Cpp,
        "sh" | "bash" | "zsh" | "ksh" | "bats" | "sbatch" | "slurm" | "bashrc" | "zshrc" | "profile"
        | "bash_profile" => Language::Shell,
        "rs" => Language::Rust,
        _ => return None,
    })
}

/// Reads `#!/bin/bash`, `#!/usr/bin/env -S python3 -u`.
fn by_shebang(line: &str) -> Option<Language> {
    let line = line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    let mut programs = line
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = programs.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "sh" | "bash" | "zsh" | "ksh" | "dash" | "ash" | "bats" => Some(Language::Shell),
        "python" | "pypy" => Some(Language::Python),
        _ => None,
    }
}

impl Language {
    /// The grammar of the language.
    pub fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Self::Shell => tree_sitter_bash::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
        }
    }

    /// What stands between the parts of a path.
    pub fn separator(self) -> &'static str {
        match self {
            Self::Python | Self::Shell => ".",
            Self::Cpp | Self::Rust => "::",
        }
    }

    /// Whether it is parsed as C++.
    pub fn is_c_family(self) -> bool {
        self == Self::Cpp
    }

    /// Whether a comment belongs to what has its indentation: in Python, one that is deeper ends the body before.
    pub fn has_indented_blocks(self) -> bool {
        self == Self::Python
    }

    /// What a kind of node means.
    pub fn role(self, kind: &str) -> Role {
        match self {
            Self::Python => match kind {
                "comment" => Role::Lead,
                "decorated_definition" => Role::Wrapper,
                "function_definition" | "class_definition" => Role::Named,
                _ => Role::Other,
            },
            Self::Cpp => match kind {
                "comment" => Role::Lead,
                "template_declaration" | "linkage_specification" | "friend_declaration" => Role::Wrapper,
                "function_definition" => Role::Function,
                "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => Role::NamedWithBody,
                "concept_definition" | "preproc_function_def" => Role::Named,
                "namespace_definition" => Role::Scope,
                "declaration" | "field_declaration" => Role::Declaration,
                "type_definition" => Role::Typedef,
                _ => Role::Other,
            },
            Self::Shell => match kind {
                "comment" => Role::Lead,
                "function_definition" => Role::Named,
                _ => Role::Other,
            },
            Self::Rust => match kind {
                "line_comment" | "block_comment" | "attribute_item" => Role::Lead,
                "function_item" | "struct_item" | "enum_item" | "union_item" | "trait_item" | "macro_definition" => {
                    Role::Named
                }
                "function_signature_item" => Role::Signature,
                "mod_item" => Role::Scope,
                "impl_item" => Role::Impl,
                _ => Role::Other,
            },
        }
    }
}
