//! Builds the data that the binary contains, in `OUT_DIR`.
//!
//! It writes the built-in templates and static files as a table of path, bytes and hash (`assets.rs`), and the syntax
//! definitions as the table that the highlighter reads (`syntaxes.bin`); compiles the Pikchr library, which is written in
//! C; and hashes everything that the program is compiled from (`build_id.rs`). Unchanged files are not written again.

#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

#[path = "build/charset.rs"]
mod charset;
#[path = "src/code/highlight/class.rs"]
#[expect(dead_code, reason = "the library uses the rest")]
mod class;
#[path = "build/classes.rs"]
mod classes;
#[path = "build/guard.rs"]
mod guard;
#[path = "build/regex.rs"]
mod regex;
#[path = "build/scopes.rs"]
mod scopes;
#[path = "build/syntaxes.rs"]
mod syntaxes;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or("OUT_DIR is not set: run this with cargo")?;
    let assets = Assets { templates: folder("templates")?, statics: folder("static")? };
    write(&out.join("assets.rs"), assets.table()?.as_bytes())?;
    write(&out.join("syntaxes.bin"), &syntaxes::compile()?)?;
    cc::Build::new()
        .file("src/render/diagram/pikchr/bounded.c")
        .warnings(false)
        .opt_level(2)
        .try_compile("pikchr")
        .map_err(|error| error.to_string())?;
    write(&out.join("build_id.rs"), format!("{:?}", build_id()?).as_bytes())
}

/// Hashes everything that the program is compiled from; `Cargo.lock` stands for the crates. The hash does not depend on the
/// machine, and changes with every change to the program.
fn build_id() -> Result<String, String> {
    let mut hasher = blake3::Hasher::new();
    for root in ["Cargo.lock", "Cargo.toml", "build", "build.rs", "src", "static", "templates"] {
        for path in folder(root)? {
            let bytes = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
            hasher.update(path.as_bytes()).update(blake3::hash(&bytes).as_bytes());
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// Prints an instruction for cargo.
fn tell(line: &str) {
    // If cargo is gone, nobody reads the line.
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the files of a folder of the project, sorted by path, with `/` between the parts; for a file, returns that file.
/// Returns nothing if `root` does not exist.
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

/// The built-in templates and static files, which the files of a course can replace.
struct Assets {
    templates: Vec<String>,
    statics: Vec<String>,
}

impl Assets {
    /// Returns Rust source with a constant for each file and three tables of them.
    fn table(&self) -> Result<String, String> {
        let mut all: Vec<&String> = self.statics.iter().chain(&self.templates).collect();
        all.sort();
        let mut out = String::new();
        let mut table = String::from("/// Every file, sorted by path.\npub static ASSETS: &[Asset] = &[\n");
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
        list(&mut table, "TEMPLATES", "str", "templates/", &all);
        list(&mut table, "STATICS", "[u8]", "static/", &all);
        Ok(out + &table)
    }
}

/// Writes a table of the files below one folder, by their path in it.
fn list(out: &mut String, name: &str, kind: &str, root: &str, all: &[&String]) {
    line(out, &format!("static {name}: &[(&str, &{kind})] = &["));
    for (index, path) in all.iter().enumerate() {
        if let Some(below) = path.strip_prefix(root) {
            line(out, &format!("({below:?}, FILE_{index}),"));
        }
    }
    line(out, "];");
}

fn line(out: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{line}");
}
