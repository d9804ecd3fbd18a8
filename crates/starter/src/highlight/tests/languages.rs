//! Which language a path or a word selects.

use crate::highlight::{Language, by_path, by_token};

const BASH: &str = "Bourne Again Shell (bash)";

/// Returns the name of the definition of a language.
fn name(language: Language) -> &'static str {
    language.definition().map_or("", |definition| definition.name)
}

#[test]
fn languages_by_path() {
    let name = |path: &str, first: &str| by_path(path, first).map(self::name);
    assert_eq!(name("x/kernel.CU", ""), Some("CUDA C++"));
    assert_eq!(name("CMakeLists.txt", ""), Some("CMake"));
    assert_eq!(name("Makefile", ""), Some("Makefile"));
    assert_eq!(name("notes.txt", ""), None);
    assert_eq!(name("notes", ""), None);
    assert_eq!(name("", ""), None);
    assert_eq!(name("a.unknown", "#!/usr/bin/env -S python3.11 -u"), Some("Python"));
    assert_eq!(name("run", "#!/bin/sh"), Some(BASH));
    assert_eq!(name("run", "#! /usr/bin/env"), None);
    assert_eq!(name("include/x.h", ""), Some("C++"));
    assert_eq!(name("a.tsx", ""), Some("TypeScriptReact"));
}

#[test]
fn languages_by_token() {
    let name = |token: &str| by_token(token).map_or("", self::name);
    let all = [
        ("python", "Python"),
        ("py", "Python"),
        ("cpp", "C++"),
        ("C++", "C++"),
        ("cuda", "CUDA C++"),
        ("cu", "CUDA C++"),
        ("sh", BASH),
        ("bash", BASH),
        ("shell", BASH),
        ("console", BASH),
        ("YAML", "YAML"),
        ("yml", "YAML"),
        ("toml", "TOML"),
        ("ts", "TypeScript"),
        ("tsx", "TypeScriptReact"),
        ("typescript", "TypeScript"),
        ("json", "JSON"),
        ("rust", "Rust"),
        ("rs", "Rust"),
        ("dockerfile", "Dockerfile (with bash)"),
        ("md", "Markdown"),
        ("markdown", "Markdown"),
        ("diff", "Diff"),
        ("c", "C"),
        ("js", "JavaScript"),
        ("go", "Go"),
        ("html", "HTML"),
        ("sql", "SQL"),
        ("cmake", "CMake"),
        ("make", "Makefile"),
        ("ini", "INI"),
        ("text", ""),
        ("", ""),
        ("plain", ""),
        ("no-such-language", ""),
    ];
    for (token, language) in all {
        assert_eq!(name(token), language, "{token}");
    }
}
