//! Parses comments that are alone on their line, in the comment styles of a file.

use std::ops::Range;

/// A way to write a comment on one line: pairs of delimiters. An empty closing delimiter means the end of the line.
pub(super) type CommentStyle = &'static [(&'static str, &'static str)];

/// Python, shell, YAML, TOML, Dockerfile, Makefile, Ruby, R, Julia; also the directives of C#.
const HASH: CommentStyle = &[("#", "")];
/// C and most languages like it.
const SLASH: CommentStyle = &[("//", "")];
/// The same languages, CSS and JSX.
const SLASH_STAR: CommentStyle = &[("/*", "*/"), ("{/*", "*/}")];
/// SQL, Lua, Haskell.
const DASHES: CommentStyle = &[("--", "")];
const LUA_BLOCK: CommentStyle = &[("--[[", "]]")];
/// Haskell.
const BRACE_DASH: CommentStyle = &[("{-", "-}")];
/// Lisps, assembler, INI, LLVM IR.
const SEMICOLON: CommentStyle = &[(";", "")];
/// TeX, Erlang, Prolog, MATLAB.
const PERCENT: CommentStyle = &[("%", "")];
/// HTML, XML, SVG, Markdown.
const MARKUP: CommentStyle = &[("<!--", "-->")];
/// `PowerShell`.
const ANGLE_HASH: CommentStyle = &[("<#", "#>")];
/// `OCaml`, F#, Pascal, Coq.
const PAREN_STAR: CommentStyle = &[("(*", "*)")];
/// Jinja.
const BRACE_HASH: CommentStyle = &[("{#", "#}")];
/// Fortran.
const BANG: CommentStyle = &[("!", "")];
/// Visual Basic.
const APOSTROPHE: CommentStyle = &[("'", "")];
/// Vim script.
const QUOTE: CommentStyle = &[("\"", "")];
/// Batch files.
const REM: CommentStyle = &[("rem", ""), ("::", "")];

/// Returns the comment styles of a file by its name. A file of an unknown kind may use any common style.
pub(super) fn comment_styles(path: &str) -> &'static [CommentStyle] {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name.as_str(), ""));
    match stem.split('.').next().unwrap_or(stem) {
        "dockerfile" | "containerfile" | "makefile" | "gnumakefile" | "cmakelists" => return &[HASH],
        "jenkinsfile" if extension.is_empty() => return &[SLASH, SLASH_STAR],
        _ => {}
    }
    by_extension(extension).unwrap_or(&[HASH, SLASH, SLASH_STAR, DASHES, SEMICOLON, PERCENT, MARKUP])
}

fn by_extension(extension: &str) -> Option<&'static [CommentStyle]> {
    Some(match extension {
        "py" | "pyi" | "pyw" | "pyx" | "pxd" | "bzl" | "bazel" | "star" | "smk" | "sh" | "bash" | "zsh" | "ksh"
        | "fish" | "bats" | "sbatch" | "slurm" | "yaml" | "yml" | "toml" | "rb" | "r" | "rmd" | "pl" | "pm" | "jl"
        | "ex" | "exs" | "cr" | "nim" | "mk" | "mak" | "cmake" | "dockerfile" | "graphql" | "gql" | "awk" | "sed"
        | "tcl" | "gd" | "cfg" | "conf" | "env" | "properties" | "gitignore" | "dockerignore" | "service" | "sky"
        | "pbtxt" | "textproto" | "csh" | "po" | "mojo" => &[HASH],
        "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "inl" | "ipp" | "tpp" | "cu"
        | "cuh" | "hip" | "cl" | "metal" | "ptx" | "ino" | "glsl" | "hlsl" | "wgsl" | "comp" | "vert" | "frag"
        | "rs" | "go" | "mod" | "java" | "kt" | "kts" | "swift" | "scala" | "groovy" | "gradle" | "js" | "mjs"
        | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "scss" | "less" | "dart" | "zig" | "d" | "mm" | "sol"
        | "v" | "sv" | "svh" | "proto" | "mlir" | "td" | "json" | "json5" | "jsonc" => &[SLASH, SLASH_STAR],
        "css" => &[SLASH_STAR],
        "cs" | "csx" | "php" | "tf" | "tfvars" | "hcl" | "nix" | "thrift" | "jsonnet" | "libsonnet" => {
            &[SLASH, SLASH_STAR, HASH]
        }
        "sql" => &[DASHES, SLASH_STAR],
        "lua" => &[DASHES, LUA_BLOCK],
        "hs" | "lhs" | "elm" | "agda" | "purs" | "dhall" => &[DASHES, BRACE_DASH],
        "ada" | "adb" | "ads" | "vhd" | "vhdl" => &[DASHES],
        "lisp" | "lsp" | "clj" | "cljs" | "cljc" | "edn" | "scm" | "ss" | "rkt" | "el" | "fnl" | "ll" | "wat"
        | "reg" => &[SEMICOLON],
        "ini" | "desktop" => &[SEMICOLON, HASH],
        "asm" | "s" | "nasm" | "sass" => &[SEMICOLON, HASH, SLASH, SLASH_STAR],
        "html" | "htm" | "xhtml" | "vue" | "svelte" | "astro" => &[MARKUP, SLASH, SLASH_STAR],
        "xml" | "svg" | "md" | "markdown" | "xsd" | "xsl" | "xslt" | "plist" | "csproj" | "launch" | "urdf" => {
            &[MARKUP]
        }
        "mdx" => &[MARKUP, SLASH_STAR],
        "j2" | "jinja" | "jinja2" | "tera" => &[BRACE_HASH, MARKUP, HASH, SLASH, SLASH_STAR],
        "tex" | "sty" | "cls" | "bib" | "erl" | "hrl" | "pro" => &[PERCENT],
        "m" => &[PERCENT, SLASH, SLASH_STAR],
        "ps1" | "psm1" | "psd1" => &[HASH, ANGLE_HASH],
        "ml" | "mli" | "coq" => &[PAREN_STAR],
        "fs" | "fsi" | "fsx" | "pas" => &[SLASH, PAREN_STAR],
        "f" | "for" | "f90" | "f95" | "f03" | "f08" => &[BANG],
        "vb" | "vbs" | "bas" => &[APOSTROPHE, HASH],
        "vim" => &[QUOTE],
        "bat" | "cmd" => &[REM],
        _ => return None,
    })
}

/// A comment that is alone on its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comment {
    /// The byte range in the line of its text, without delimiters and the white space inside them.
    pub text: Range<usize>,
    /// Whether a single `#` opens it.
    pub hash: bool,
    /// Whether there is white space between the opening delimiter and the text.
    pub spaced: bool,
}

/// Returns all ways in which `line` can be parsed as one comment.
pub(super) fn comments(line: &str, styles: &'static [CommentStyle]) -> impl Iterator<Item = Comment> {
    let delimiters = styles.iter().copied().flatten();
    delimiters.filter_map(move |&(open, close)| comment(line, open, close))
}

/// Parses `line` as a comment. The last character of `open` may be repeated (`///`, `;;`, `/**`).
fn comment(line: &str, open: &str, close: &str) -> Option<Comment> {
    let rest = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let is_word = open.ends_with(|c: char| c.is_ascii_alphabetic());
    let opened = rest.get(..open.len()).filter(|start| start.eq_ignore_ascii_case(open))?;
    let repeated = open.chars().last().filter(|_| !is_word);
    let inner = rest[opened.len()..].trim_start_matches(|c| Some(c) == repeated);
    let text = inner.trim_start();
    let spaced = text.len() < inner.len();
    if is_word && !spaced {
        return None;
    }
    let start = line.len() - text.len();
    let text = text.trim_end().strip_suffix(close)?;
    let text = match close.chars().next() {
        Some(first) => text.trim_end_matches(first),
        None => text,
    };
    let hash = open == "#" && inner.len() + 1 == rest.len();
    Some(Comment { text: start..start + text.trim_end().len(), hash, spaced })
}
