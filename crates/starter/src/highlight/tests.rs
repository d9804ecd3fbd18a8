//! What the languages of a course look like, snippet by snippet.

mod languages;
mod laws;
mod oracle;
mod samples;

use super::{Class, Language, by_path, by_token, highlight};
use Class::{
    Comment, Deleted, Emphasis, Escape, Function, Heading, Inserted, Key, Keyword, Number, Prose, Punctuation, String,
    Strong, Tag, Text, Type,
};

/// Checks the classes of parts of a text, which are looked for one after the other; white space in them is free.
#[track_caller]
fn check(language: Option<Language>, text: &str, expected: &[(&str, Class)]) {
    let highlighted = highlight(language, text);
    let mut classes = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let tokens = highlighted.line(index);
        classes.extend(tokens.iter().flat_map(|token| std::iter::repeat_n(token.class, token.len as usize)));
        assert_eq!(tokens.iter().map(|token| token.len as usize).sum::<usize>(), line.len());
        classes.push(Text);
    }
    let mut from = 0;
    for (part, class) in expected {
        let at =
            from + text[from..].find(part).unwrap_or_else(|| panic!("{part:?} does not stand after the one before"));
        from = at + part.len();
        let wrong = (at..from).find(|&at| !text.as_bytes()[at].is_ascii_whitespace() && classes[at] != *class);
        assert!(wrong.is_none(), "{part:?} should be {class:?}, is {:?}", &classes[at..from]);
    }
}

#[track_caller]
fn check_file(path: &str, text: &str, expected: &[(&str, Class)]) {
    let language = by_path(path, text.lines().next().unwrap_or_default());
    assert!(language.is_some(), "{path} has no language");
    check(language, text, expected);
}

#[test]
fn python() {
    let expected = [
        ("#!/usr/bin/env python3", Comment),
        ("\"\"\"A doc string,\nover two lines.\"\"\"", String),
        ("import", Keyword),
        ("np", Text),
        ("@dataclass", Function),
        ("True", Number),
        ("class", Keyword),
        ("ModelConfig", Type),
        ("'''doc\n    string'''", String),
        ("int", Type),
        ("=", Punctuation),
        ("0x1F", Number),
        ("# width", Comment),
        ("def", Keyword),
        ("kv_cache", Function),
        ("(", Punctuation),
        ("self", Text),
        ("Tensor", Type),
        ("->", Punctuation),
        ("list", Type),
        ("f\"a=", String),
        ("{", Punctuation),
        ("x", Text),
        ("!r:>10", Escape),
        ("}", Punctuation),
        ("'k'", String),
        ("\\n", Escape),
        ("\"\"\"SELECT x FROM y\"\"\"", String),
        ("if", Keyword),
        ("not in", Keyword),
        ("and", Keyword),
        ("3.5e-3", Number),
        ("<", Punctuation),
        ("len", Type),
        ("return", Keyword),
        ("exp", Function),
        ("print", Type),
        ("%d", Escape),
        ("ValueError", Type),
    ];
    check_file("a/ledger.py", samples::PYTHON, &expected);
}

#[test]
fn cuda() {
    let expected = [
        ("#include", Keyword),
        ("<cstdio>", String),
        ("template", Keyword),
        ("16", Number),
        ("__launch_bounds__", Keyword),
        ("256", Number),
        ("__global__", Keyword),
        ("void", Type),
        ("reduce", Function),
        ("const", Keyword),
        ("float", Type),
        ("__restrict__", Keyword),
        ("__shared__", Keyword),
        ("tile", Text),
        ("blockIdx", Type),
        ("threadIdx", Type),
        ("0.0f", Number),
        ("// __device__ in a comment", Comment),
        ("/* over\n       __global__ lines */", Comment),
        ("#pragma", Keyword),
        ("for", Keyword),
        ("__shfl_down_sync", Function),
        ("dim3", Type),
        ("\"threadIdx in a string\"", String),
        ("launch", Function),
        ("<<<", Punctuation),
        ("grid", Text),
        (">>>(", Punctuation),
        ("templated", Function),
        ("float", Type),
        ("<<<", Punctuation),
        ("cudaError_t", Type),
        ("cudaGetLastError", Function),
        ("__nv_bfloat16", Type),
        ("static_cast", Keyword),
        ("return", Keyword),
        ("bar", Function),
    ];
    check_file("reduce.cu", samples::CUDA, &expected);
    check_file("reduce.cuh", samples::CUDA, &expected);
    check(by_token("cuda"), samples::CUDA, &expected);
}

#[test]
fn a_launch_does_not_derail_what_follows() {
    let rest = "    int x = 1; // after\n}\n\n__device__ float f(float y) { return y * 2.0f; }\n";
    let tail = |call: &str| {
        let text = format!("int main() {{\n    {call};\n{rest}");
        let highlighted = highlight(by_token("cu"), &text);
        (2..highlighted.ends.len()).map(|line| highlighted.line(line).to_vec()).collect::<Vec<_>>()
    };
    let plain = tail("k(a)");
    for call in
        ["k<<<1, 2>>>(a)", "k<<<(n + 255) / 256, 256, 0, s>>>(a)", "k<float, 4><<<g, b>>>(a)", "k<<<dim3(1, 2), 3>>>()"]
    {
        assert_eq!(tail(call), plain, "{call}");
    }
}

#[test]
fn cpp() {
    let expected = [
        ("template", Keyword),
        ("namespace", Keyword),
        ("int", Type),
        ("size", Function),
        ("R\"(raw\nstring)\"", String),
        ("'x'", String),
        ("nullptr", Number),
        ("__global__", Text),
    ];
    let text = "template <class T> namespace a { int size() { auto s = R\"(raw\nstring)\"; char c = 'x'; }\n\
                void *p = nullptr; int __global__; std::x; }\n";
    check_file("a.cpp", text, &expected);
    check_file("a.h", text, &expected);
}

#[test]
fn toml() {
    let text = "# note\n[package.x]\nname = \"a\\n\"\nn = 1_000\nok = true\nm = \"\"\"\nmany\n\"\"\"\n";
    let expected = [
        ("# note", Comment),
        ("package", Type),
        ("name", Key),
        ("=", Punctuation),
        ("\"a", String),
        ("\\n", Escape),
        ("1_000", Number),
        ("true", Number),
        ("many", String),
    ];
    check_file("Cargo.toml", text, &expected);
}

#[test]
fn dockerfile() {
    let text =
        "# note\nFROM nvidia/cuda:12.4 AS base\nARG X=1\nRUN apt-get update && \\\n    make \"all\"\nCMD [\"a\"]\n";
    let expected = [
        ("# note", Comment),
        ("FROM", Keyword),
        ("AS", Keyword),
        ("ARG", Keyword),
        ("RUN", Keyword),
        ("apt-get", Function),
        ("&&", Punctuation),
        ("\"all\"", String),
        ("CMD", Keyword),
        ("\"a\"", String),
    ];
    for path in ["Dockerfile", "docker/Dockerfile", "Dockerfile.dev"] {
        check_file(path, text, &expected);
    }
}

#[test]
fn typescript() {
    let text = "// note\nexport const f = async (a: P<string>) => { await g(`t ${a.x}\nu`); return null; };\n\
                class K extends L { private z = 1; m(): void {} }\n";
    let expected = [
        ("// note", Comment),
        ("export const", Keyword),
        ("f", Function),
        ("async", Keyword),
        ("P", Type),
        ("string", Type),
        ("=>", Punctuation),
        ("`t ", String),
        ("${", Punctuation),
        ("u`", String),
        ("null", Number),
        ("K", Type),
        ("1", Number),
    ];
    check_file("a.ts", text, &expected);
    check_file("a.tsx", text, &expected);
}

#[test]
fn yaml() {
    let text = "# note\nkind: Job  # why\nn: 8\non: true\nlist: [a, 'b']\ntext: |\n  block\n  # text\nnext: \"q\"\n";
    let expected = [
        ("# note", Comment),
        ("kind", Key),
        (":", Punctuation),
        ("Job", String),
        ("# why", Comment),
        ("8", Number),
        ("true", Number),
        ("'b'", String),
        ("block", String),
        ("# text", String),
        ("next", Key),
        ("\"q\"", String),
    ];
    check_file("deploy.yaml", text, &expected);
    check_file("ci.yml", text, &expected);
}

#[test]
fn shell() {
    let text = "#!/bin/bash\nset -e # why\nrun() { local x=\"${1:-y}\"; }\nif [ -z \"$A\" ]; then nvcc 'a'; fi\n\
                cat <<EOF\nsome $x text\nEOF\necho done\n";
    let expected = [
        ("#!/bin/bash", Comment),
        ("set", Function),
        ("# why", Comment),
        ("run", Function),
        ("local", Keyword),
        ("if", Keyword),
        ("then", Keyword),
        ("nvcc", Function),
        ("'a'", String),
        ("some ", String),
        ("x", Text),
        (" text", String),
        ("echo", Function),
    ];
    check_file("run.sh", text, &expected);
    check_file("run", text, &expected);
    check(by_token("console"), text, &expected);
}

#[test]
fn markdown() {
    let text = "# Title\n\nPlain *em* **strong** `code` [a](http://x) <kbd>k</kbd> &amp;\n\n- item\n1. one\n\n\
                ```python\ndef f(): pass\n```\n\n> quote\n";
    let expected = [
        ("# Title", Heading),
        ("Plain", Prose),
        ("*em*", Emphasis),
        ("**strong**", Strong),
        ("`code`", String),
        ("http://x", String),
        ("kbd", Tag),
        ("&amp;", Escape),
        ("- ", Punctuation),
        ("1.", Punctuation),
        ("def", Keyword),
        ("pass", Keyword),
        (">", Punctuation),
        ("quote", Prose),
    ];
    check_file("README.md", text, &expected);
}

#[test]
fn json_and_rust_and_diff() {
    let json = "{\"key\": [1, -2.5e3, true, null, \"s\\n\"]}\n";
    let expected =
        [("\"key\"", Key), ("1", Number), ("-2.5e3", Number), ("true", Number), ("\"s", String), ("\\n", Escape)];
    check_file("a.json", json, &expected);

    let rust =
        "/// Doc.\npub fn f<'a>(n: u32) -> Option<&'a str> { let s = r#\"raw\n\"x\"#; println!(\"{}\", 0xff) }\n";
    let expected = [
        ("/// Doc.", Comment),
        ("pub fn", Keyword),
        ("Option", Type),
        ("let", Keyword),
        ("r#\"raw", String),
        ("\"x\"#", String),
        ("println!", Function),
        ("{}", Escape),
        ("0xff", Number),
    ];
    check_file("a.rs", rust, &expected);

    let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ fn\n same\n-old\n+new\n";
    let expected = [
        ("--- a/x", Heading),
        ("+++ b/x", Heading),
        ("@@ -1,2", Heading),
        ("same", Text),
        ("-old", Deleted),
        ("+new", Inserted),
    ];
    check(by_token("diff"), diff, &expected);
}
