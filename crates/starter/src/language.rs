//! The table of languages: the files and words that mean each, how it is highlighted, which comments it has, and whether
//! its symbols are found. A language that is only highlighted needs no row, because its syntax definition names its files.

use super::region::CommentStyle;
use super::symbol::Dialect;

/// A language, or several that differ in nothing here.
pub(super) struct Language {
    /// Extensions and names of files, separated by spaces.
    files: &'static str,
    /// Words after a code fence, the usual one first; the programs after `#!` are among them.
    words: &'static str,
    /// The syntax definition; empty if the definitions themselves name these files and words.
    pub definition: &'static str,
    /// How comments are written.
    pub comments: &'static [CommentStyle],
    /// How symbols are found, if they are.
    pub dialect: Option<Dialect>,
}

/// File names that any extension may follow, as in `Dockerfile.dev`.
const FAMILIES: [&str; 6] = ["dockerfile", "containerfile", "makefile", "gnumakefile", "cmakelists", "jenkinsfile"];
const BASH: &str = "Bourne Again Shell (bash)";
const DOCKERFILE: &str = "Dockerfile (with bash)";

const HASH: CommentStyle = ("#", "");
const SLASH: CommentStyle = ("//", "");
const STAR: CommentStyle = ("/*", "*/");
/// As in JSX.
const BRACE_STAR: CommentStyle = ("{/*", "*/}");
const DASHES: CommentStyle = ("--", "");
const SEMICOLON: CommentStyle = (";", "");
const PERCENT: CommentStyle = ("%", "");
const MARKUP: CommentStyle = ("<!--", "-->");
const PAREN_STAR: CommentStyle = ("(*", "*)");
const C_LIKE: &[CommentStyle] = &[SLASH, STAR, BRACE_STAR];
/// The comments of a file of an unknown kind.
const COMMON: &[CommentStyle] = &[HASH, SLASH, STAR, BRACE_STAR, DASHES, SEMICOLON, PERCENT, MARKUP];

const fn row(
    files: &'static str,
    words: &'static str,
    definition: &'static str,
    comments: &'static [CommentStyle],
    dialect: Option<Dialect>,
) -> Language {
    Language { files, words, definition, comments, dialect }
}

#[rustfmt::skip]
static LANGUAGES: &[Language] = &[
    row("py pyi pyw", "python python3 pycon pypy triton", "Python", &[HASH], Some(Dialect::Python)),
    row("cu cuh hip", "cuda", "CUDA C++", C_LIKE, Some(Dialect::C)),
    row("h inl tpp ino metal", "c++", "C++", C_LIKE, Some(Dialect::C)),
    row("cl", "", "C", C_LIKE, Some(Dialect::C)),
    row("c cc cpp cxx c++ hh hpp hxx h++ ipp", "", "", C_LIKE, Some(Dialect::C)),
    row("sh bash zsh ksh bats sbatch slurm", "bash sh zsh ksh dash ash bats shell console shell-session shellscript \
         terminal", BASH, &[HASH], Some(Dialect::Shell)),
    row("rs", "rust", "", C_LIKE, Some(Dialect::Rust)),
    row("go", "go golang", "Go", C_LIKE, Some(Dialect::Go)),
    row("java", "", "", C_LIKE, Some(Dialect::Java)),
    row("js mjs cjs", "javascript node deno bun", "JavaScript", C_LIKE, Some(Dialect::Script)),
    row("jsx", "", "TypeScriptReact", C_LIKE, Some(Dialect::Script)),
    row("ts mts cts tsx", "", "", C_LIKE, Some(Dialect::Script)),
    row("dockerfile Dockerfile Containerfile containerfile", "dockerfile docker", DOCKERFILE, &[HASH], None),
    row("makefile gnumakefile mk mak", "makefile", "", &[HASH], None),
    row("yaml yml", "yaml", "", &[HASH], None),
    row("cmake cmakelists", "cmake", "", &[HASH], None),
    row("pyx pxd bzl bazel star smk fish toml rb r rmd pl pm jl ex exs cr nim graphql gql awk sed tcl gd cfg \
         conf env properties gitignore dockerignore service sky pbtxt textproto csh po mojo", "", "", &[HASH], None),
    row("json json5 jsonc jsonl", "json json5 jsonc", "JSON", C_LIKE, None),
    row("groovy jenkinsfile gradle", "groovy", "", C_LIKE, None),
    row("proto", "protobuf", "Protocol Buffer", C_LIKE, None),
    row("ptx glsl hlsl wgsl comp vert frag mod kt kts swift scala scss less dart zig d mm sol v sv \
         svh mlir td", "", "", C_LIKE, None),
    row("css", "", "", &[STAR, BRACE_STAR], None),
    row("cs csx", "csharp", "C#", &[SLASH, STAR, BRACE_STAR, HASH], None),
    row("php tf tfvars hcl nix thrift jsonnet libsonnet", "", "", &[SLASH, STAR, BRACE_STAR, HASH], None),
    row("sql", "", "", &[DASHES, STAR, BRACE_STAR], None),
    row("lua", "", "", &[DASHES, ("--[[", "]]")], None),
    row("hs lhs elm agda purs dhall", "", "", &[DASHES, ("{-", "-}")], None),
    row("ada adb ads vhd vhdl", "", "", &[DASHES], None),
    row("lisp lsp clj cljs cljc edn scm ss rkt el fnl ll wat reg", "", "", &[SEMICOLON], None),
    row("ini desktop", "", "", &[SEMICOLON, HASH], None),
    row("", "assembly", "x86_64 Assembly", &[], None),
    row("asm s nasm sass", "", "", &[SEMICOLON, HASH, SLASH, STAR, BRACE_STAR], None),
    row("html htm xhtml vue svelte astro", "", "", &[MARKUP, SLASH, STAR, BRACE_STAR], None),
    row("md markdown", "markdown", "", &[MARKUP], None),
    row("xml svg xsd xsl xslt plist csproj launch urdf", "", "", &[MARKUP], None),
    row("mdx", "", "", &[MARKUP, STAR, BRACE_STAR], None),
    row("j2 jinja jinja2 tera", "", "", &[("{#", "#}"), MARKUP, HASH, SLASH, STAR, BRACE_STAR], None),
    row("tex sty cls bib erl hrl pro", "", "", &[PERCENT], None),
    row("", "objective-c", "Objective-C", &[], None),
    row("m", "", "", &[PERCENT, SLASH, STAR, BRACE_STAR], None),
    row("ps1 psm1 psd1", "powershell pwsh", "PowerShell", &[HASH, ("<#", "#>")], None),
    row("ml mli coq", "", "", &[PAREN_STAR], None),
    row("fs fsi fsx pas", "", "", &[SLASH, PAREN_STAR], None),
    row("f for f90 f95 f03 f08", "", "", &[("!", "")], None),
    row("vb vbs bas", "", "", &[("'", ""), HASH], None),
    row("vim", "vim", "VimL", &[("\"", "")], None),
    row("bat cmd", "", "", &[("rem", ""), ("::", "")], None),
    row("", "udiff", "Diff", &[], None),
];

/// Returns the language of an extension or a file name.
pub(super) fn of_file(file: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| has(language.files, file) && !file.is_empty())
}

/// Returns the language of a word after a code fence, or of a program.
pub(super) fn of_word(word: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| has(language.words, word) && !word.is_empty())
}

/// Returns the usual extension of files in the language of a word.
pub(super) fn extension_of_word(word: &str) -> Option<String> {
    let known = of_word(word).map_or(word, |language| language.files.split(' ').next().unwrap_or_default());
    (!known.is_empty() && known.chars().all(char::is_alphanumeric)).then(|| known.to_owned())
}

/// Returns whether `word` is one of these words, which are separated by spaces.
pub(super) fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// Returns the name of a file without its extensions if any extension may follow it, in lower case.
pub(super) fn family(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    FAMILIES.contains(&stem.as_str()).then_some(stem)
}

/// Returns the extension of a file in lower case.
pub(super) fn extension(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())
}

/// Returns the program in `#!/bin/bash` or `#!/usr/bin/env -S python3.11 -u`, without its version.
pub(super) fn program(first_line: &str) -> Option<&str> {
    let line = first_line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    let mut programs = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = programs.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Returns the comment styles of a file by its name. A file of an unknown kind may use any common style.
pub(super) fn comment_styles(path: &str) -> &'static [CommentStyle] {
    let file = family(path).or_else(|| extension(path));
    file.and_then(|file| of_file(&file)).map_or(COMMON, |language| language.comments)
}

/// Returns all words after a code fence that mean a language of the table.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().flat_map(|language| language.words.split_whitespace())
}

/// Returns the usual extension of files in the language that a word after a code fence means, if a row has the word.
pub fn usual_extension(word: &str) -> Option<&'static str> {
    of_word(word)?.files.split_whitespace().next()
}

/// Returns the word for the language of a file after a code fence, as code hosts know it.
pub fn word(path: &str, first_line: &str) -> String {
    let file = family(path).or_else(|| extension(path));
    let known = file.as_deref().map_or_else(|| of_word(program(first_line)?), of_file);
    let usual = known.and_then(|language| language.words.split(' ').next()).filter(|word| !word.is_empty());
    let plain = || file.filter(|file| !file.is_empty() && file.chars().all(char::is_alphanumeric));
    usual.map(str::to_owned).or_else(plain).unwrap_or_else(|| "text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_and_each_word_means_one_language() {
        for list in [|language: &Language| language.files, |language: &Language| language.words] {
            let mut all: Vec<&str> = LANGUAGES.iter().flat_map(list_of(list)).collect();
            all.sort_unstable();
            let twice: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
            assert!(twice.is_empty(), "{twice:?}");
        }
        let named = LANGUAGES.iter().filter(|language| !language.definition.is_empty());
        for language in named {
            let word = language.words.split(' ').chain(language.files.split(' ')).find(|word| !word.is_empty());
            assert!(word.is_some_and(|word| crate::highlight::by_token(word).is_some()), "{}", language.definition);
        }
    }

    #[test]
    fn a_language_with_symbols_is_highlighted() {
        // Strings and comments are known from their colors.
        for language in LANGUAGES.iter().filter(|language| language.dialect.is_some()) {
            for file in language.files.split(' ') {
                assert!(crate::highlight::by_path(&format!("a.{file}"), "").is_some(), "{file}");
            }
        }
    }

    fn list_of(list: fn(&Language) -> &'static str) -> impl Fn(&Language) -> Vec<&'static str> {
        move |language| list(language).split(' ').filter(|word| !word.is_empty()).collect()
    }

    #[test]
    fn a_fence_has_the_usual_word() {
        for (path, first, expected) in [
            ("a/b.py", "", "python"),
            ("a.cuh", "", "cuda"),
            ("a.sh", "", "bash"),
            ("Dockerfile.dev", "", "dockerfile"),
            ("run", "#!/usr/bin/env -S python3.11 -u", "python"),
            ("a.RS", "", "rust"),
            ("a.cpp", "", "cpp"),
            ("a.csv", "", "csv"),
            ("a.b-c", "", "text"),
            ("NOTES", "", "text"),
        ] {
            assert_eq!(word(path, first), expected, "{path}");
        }
    }
}
