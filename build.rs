//! Builds what the binary carries, into `OUT_DIR`.
//!
//! Steps: the built-in templates and static files as a table of path, bytes and hash (`assets.rs`); the syntax definitions
//! linked and dumped (`syntaxes.bin`). A file that is as it should be is not written again.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use syntect::dumps::dump_to_uncompressed_file;
use syntect::parsing::{SyntaxDefinition, SyntaxSet};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            tell(&format!("cargo::error={message}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or("OUT_DIR is not set: this is run by cargo")?;
    let assets = Assets { templates: folder("templates")?, statics: folder("static")? };
    write(&out.join("assets.rs"), assets.table()?.as_bytes())?;
    tell("cargo::rerun-if-changed=src/code/syntaxes");
    dump_to_uncompressed_file(&syntaxes()?, out.join("syntaxes.bin")).map_err(|error| error.to_string())
}

/// The syntax definitions that syntect brings, more from two-face, and our own; the dump is bound to syntect's version.
fn syntaxes() -> Result<SyntaxSet, String> {
    const CUDA: &str = "src/code/syntaxes/cuda.sublime-syntax";
    let text = std::fs::read_to_string(CUDA).map_err(|error| format!("{CUDA}: {error}"))?;
    let cuda = SyntaxDefinition::load_from_str(&text, true, Some("CUDA C++")).map_err(|error| format!("{CUDA}: {error}"))?;
    let mut builder = two_face::syntax::extra_newlines().into_builder();
    builder.add(cuda);
    Ok(builder.build())
}

/// A line for cargo.
fn tell(line: &str) {
    // Nobody to tell when cargo itself is gone.
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files of a folder of the project, sorted by path, with `/` between the parts; none if there is no such folder.
fn folder(root: &str) -> Result<Vec<String>, String> {
    tell(&format!("cargo::rerun-if-changed={root}"));
    if !Path::new(root).exists() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(root) {
        let entry = entry.map_err(|error| error.to_string())?;
        let parts: Option<Vec<&str>> = entry.path().iter().map(|part| part.to_str()).collect();
        let path = parts.ok_or_else(|| format!("{}: the name is not UTF-8", entry.path().display()))?.join("/");
        tell(&format!("cargo::rerun-if-changed={path}"));
        if entry.file_type().is_file() {
            files.push(path);
        } else if !entry.file_type().is_dir() {
            return Err(format!("{path}: neither a file nor a folder"));
        }
    }
    files.sort();
    Ok(files)
}

/// What a course gets when it has no file of its own in a place.
struct Assets {
    templates: Vec<String>,
    statics: Vec<String>,
}

impl Assets {
    /// Rust source: each file once as a constant, and three tables of them.
    fn table(&self) -> Result<String, String> {
        let mut out = String::new();
        let mut all: Vec<&String> = self.statics.iter().chain(&self.templates).collect();
        all.sort();
        let number = |path: &String| all.binary_search(&path).unwrap_or_default();
        let mut table = String::from("/// Every file.\npub static ASSETS: &[Asset] = &[\n");
        for (index, path) in all.iter().enumerate() {
            let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
            let is_template = self.templates.contains(path);
            if is_template && std::str::from_utf8(&bytes).is_err() {
                return Err(format!("{path}: a template must be UTF-8"));
            }
            let (kind, how) = if is_template { ("str", "include_str") } else { ("[u8]", "include_bytes") };
            let from = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?})", format!("/{path}"));
            line(&mut out, &format!("const FILE_{index}: &{kind} = {how}!({from});"));
            let bytes_of = if is_template { ".as_bytes()" } else { "" };
            let hash = blake3::hash(&bytes).to_hex();
            line(&mut table, &format!("Asset {{ path: {path:?}, bytes: FILE_{index}{bytes_of}, hash: {hash:?} }},"));
        }
        line(&mut table, "];");
        let lists = [("TEMPLATES", "str", &self.templates, "templates/"), ("STATICS", "[u8]", &self.statics, "static/")];
        for (name, kind, paths, root) in lists {
            line(&mut table, &format!("static {name}: &[(&str, &{kind})] = &["));
            for path in paths {
                let below = path.strip_prefix(root).unwrap_or(path);
                line(&mut table, &format!("({below:?}, FILE_{}),", number(path)));
            }
            line(&mut table, "];");
        }
        Ok(out + &table)
    }
}

fn line(out: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{line}");
}
