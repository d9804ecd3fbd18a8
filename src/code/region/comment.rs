//! Parses comments that are alone on their line, in the comment styles of a file.

use std::ops::Range;

/// A way to write a comment on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentStyle {
    /// `#`: Python, shell, YAML, TOML, Dockerfile, Makefile, Ruby, R, Julia; also the directives of C#.
    Hash,
    /// `//`: C and most that look like it.
    Slash,
    /// `/* */`: the same, and CSS; `{/* */}` in JSX.
    SlashStar,
    /// `--`: SQL, Lua, Haskell.
    Dashes,
    /// `--[[ ]]`: Lua.
    LuaBlock,
    /// `{- -}`: Haskell.
    BraceDash,
    /// `;`: Lisps, assembler, INI, LLVM IR.
    Semicolon,
    /// `%`: TeX, Erlang, Prolog, MATLAB.
    Percent,
    /// `<!-- -->`: HTML, XML, SVG, Markdown.
    Markup,
    /// `<# #>`: PowerShell.
    AngleHash,
    /// `(* *)`: OCaml, F#, Pascal, Coq.
    ParenStar,
    /// `{# #}`: Jinja.
    BraceHash,
    /// `!`: Fortran.
    Bang,
    /// `'`: Visual Basic.
    Apostrophe,
    /// `"`: Vim script.
    Quote,
    /// `REM` and `::`: batch files.
    Rem,
}

use CommentStyle::{
    AngleHash, Apostrophe, Bang, BraceDash, BraceHash, Dashes, Hash, LuaBlock, Markup, ParenStar, Percent, Quote, Rem,
    Semicolon, Slash, SlashStar,
};

impl CommentStyle {
    /// Returns its delimiters. An empty closing delimiter stands for the end of the line.
    pub(super) fn delimiters(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Hash => &[("#", "")],
            Slash => &[("//", "")],
            SlashStar => &[("/*", "*/"), ("{/*", "*/}")],
            Dashes => &[("--", "")],
            LuaBlock => &[("--[[", "]]")],
            BraceDash => &[("{-", "-}")],
            Semicolon => &[(";", "")],
            Percent => &[("%", "")],
            Markup => &[("<!--", "-->")],
            AngleHash => &[("<#", "#>")],
            ParenStar => &[("(*", "*)")],
            BraceHash => &[("{#", "#}")],
            Bang => &[("!", "")],
            Apostrophe => &[("'", "")],
            Quote => &[("\"", "")],
            Rem => &[("rem", ""), ("::", "")],
        }
    }
}

/// Returns the comment styles of a file by its name. A file of an unknown kind may use any common style.
#[must_use]
pub fn comment_styles(path: &str) -> &'static [CommentStyle] {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name.as_str(), ""));
    match stem.split('.').next().unwrap_or(stem) {
        "dockerfile" | "containerfile" | "makefile" | "gnumakefile" | "cmakelists" => return &[Hash],
        "jenkinsfile" if extension.is_empty() => return &[Slash, SlashStar],
        _ => {}
    }
    by_extension(extension).unwrap_or(&[Hash, Slash, SlashStar, Dashes, Semicolon, Percent, Markup])
}

fn by_extension(extension: &str) -> Option<&'static [CommentStyle]> {
    Some(match extension {
        "py" | "pyi" | "pyw" | "pyx" | "pxd" | "bzl" | "bazel" | "star" | "smk" | "sh" | "bash" | "zsh" | "ksh"
        | "fish" | "bats" | "sbatch" | "slurm" | "yaml" | "yml" | "toml" | "rb" | "r" | "rmd" | "pl" | "pm" | "jl"
        | "ex" | "exs" | "cr" | "nim" | "mk" | "mak" | "cmake" | "dockerfile" | "graphql" | "gql" | "awk" | "sed"
        | "tcl" | "gd" | "cfg" | "conf" | "env" | "properties" | "gitignore" | "dockerignore" | "service" | "sky"
        | "pbtxt" | "textproto" | "csh" | "po" | "mojo" => &[Hash],
        "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "inl" | "ipp" | "tpp" | "cu"
        | "cuh" | "hip" | "cl" | "metal" | "ptx" | "ino" | "glsl" | "hlsl" | "wgsl" | "comp" | "vert" | "frag"
        | "rs" | "go" | "mod" | "java" | "kt" | "kts" | "swift" | "scala" | "groovy" | "gradle" | "js" | "mjs"
        | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "scss" | "less" | "dart" | "zig" | "d" | "mm" | "sol"
        | "v" | "sv" | "svh" | "proto" | "mlir" | "td" | "json" | "json5" | "jsonc" => &[Slash, SlashStar],
        "css" => &[SlashStar],
        "cs" | "csx" | "php" | "tf" | "tfvars" | "hcl" | "nix" | "thrift" | "jsonnet" | "libsonnet" => {
            &[Slash, SlashStar, Hash]
        }
        "sql" => &[Dashes, SlashStar],
        "lua" => &[Dashes, LuaBlock],
        "hs" | "lhs" | "elm" | "agda" | "purs" | "dhall" => &[Dashes, BraceDash],
        "ada" | "adb" | "ads" | "vhd" | "vhdl" => &[Dashes],
        "lisp" | "lsp" | "clj" | "cljs" | "cljc" | "edn" | "scm" | "ss" | "rkt" | "el" | "fnl" | "ll" | "wat"
        | "reg" => &[Semicolon],
        "ini" | "desktop" => &[Semicolon, Hash],
        "asm" | "s" | "nasm" | "sass" => &[Semicolon, Hash, Slash, SlashStar],
        "html" | "htm" | "xhtml" | "vue" | "svelte" | "astro" => &[Markup, Slash, SlashStar],
        "xml" | "svg" | "md" | "markdown" | "xsd" | "xsl" | "xslt" | "plist" | "csproj" | "launch" | "urdf" => {
            &[Markup]
        }
        "mdx" => &[Markup, SlashStar],
        "j2" | "jinja" | "jinja2" | "tera" => &[BraceHash, Markup, Hash, Slash, SlashStar],
        "tex" | "sty" | "cls" | "bib" | "erl" | "hrl" | "pro" => &[Percent],
        "m" => &[Percent, Slash, SlashStar],
        "ps1" | "psm1" | "psd1" => &[Hash, AngleHash],
        "ml" | "mli" | "coq" => &[ParenStar],
        "fs" | "fsi" | "fsx" | "pas" => &[Slash, ParenStar],
        "f" | "for" | "f90" | "f95" | "f03" | "f08" => &[Bang],
        "vb" | "vbs" | "bas" => &[Apostrophe, Hash],
        "vim" => &[Quote],
        "bat" | "cmd" => &[Rem],
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
    let delimiters = styles.iter().flat_map(|style| style.delimiters());
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
