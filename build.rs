//! Builds the data that the binary contains, in `OUT_DIR`.
//!
//! It writes the built-in templates and static files as two tables of paths and contents (`assets.rs`), with a third of the
//! scripts as they are published; hashes everything that the program is compiled from (`build_id.rs`); and finds out which commit that is. Unchanged
//! files are not written again.

#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

#[path = "build/scripts.rs"]
mod scripts;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Everything that the program is compiled from; `Cargo.lock` stands for the crates.
const SOURCES: [&str; 8] = ["Cargo.lock", "Cargo.toml", "build", "build.rs", "crates", "src", "static", "templates"];

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
    let assets =
        table("TEMPLATES", "str", "include_str", "templates")? + &table("STATICS", "[u8]", "include_bytes", "static")?;
    let assets = assets + &scripts_table()?;
    write(&out.join("assets.rs"), assets.as_bytes())?;
    tell(&format!("cargo::rustc-env=INFRALENS_VERSION={}", version()));
    write(&out.join("build_id.rs"), format!("{:?}", build_id()?).as_bytes())
}

/// Returns what `--version` prints: the version, with the commit and the day of the sources. A packager who builds them
/// without their repository can set `INFRALENS_COMMIT`, for example to `1a2b3c4 2026-11-22`. If neither is there, the
/// version is alone.
fn version() -> String {
    tell("cargo::rerun-if-env-changed=INFRALENS_COMMIT");
    let version = env!("CARGO_PKG_VERSION");
    let commit = std::env::var("INFRALENS_COMMIT").ok().or_else(commit).filter(|commit| !commit.trim().is_empty());
    commit.map_or_else(|| version.to_owned(), |commit| format!("{version} ({})", commit.trim()))
}

/// Returns the last commit that changed the sources, its day, and whether they were changed since then.
fn commit() -> Option<String> {
    // A new commit without a change to the sources does not make a debug build wrong, and is no reason to compile again.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        let log = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists());
        log.inspect(|log| tell(&format!("cargo::rerun-if-changed={log}")));
    }
    let sources = |arguments: &[&'static str]| git(&[arguments, &["--"], &SOURCES].concat());
    let last = sources(&["log", "-1", "--abbrev=7", "--format=%h %cs"])?;
    let changed = sources(&["status", "--porcelain"]).is_some_and(|files| !files.is_empty());
    (!last.is_empty()).then(|| last + if changed { ", changed" } else { "" })
}

/// Returns what git prints, or `None` if it fails or is missing.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("--no-optional-locks")
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// Hashes everything that the program is compiled from. The hash does not depend on the machine, and changes with every
/// change to the program.
fn build_id() -> Result<String, String> {
    let mut hasher = blake3::Hasher::new();
    for root in SOURCES {
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

/// Returns Rust source with a table of the files of a folder: the path of each below the folder, and its content, which the
/// macro `include` includes as a reference to `kind`.
fn table(name: &str, kind: &str, include: &str, root: &str) -> Result<String, String> {
    let mut out = format!("static {name}: &[(&str, &{kind})] = &[\n");
    for path in folder(root)? {
        let below = path.strip_prefix(root).unwrap_or(&path).trim_start_matches('/');
        let from = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?})", format!("/{path}"));
        // Writing to a String cannot fail.
        let _ = writeln!(out, "({below:?}, {include}!({from})),");
    }
    Ok(out + "];\n")
}

/// Returns Rust source with a table of the built-in scripts as they are published: the path of each below `static/`, and its
/// minified text.
fn scripts_table() -> Result<String, String> {
    let mut out = "static SCRIPTS: &[(&str, &str)] = &[\n".to_owned();
    for path in folder("static")?.into_iter().filter(|path| path.ends_with(".js")) {
        let script = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let script = scripts::minify(&script).map_err(|error| format!("{path}: {error}"))?;
        let _ = writeln!(out, "({:?}, {script:?}),", path.trim_start_matches("static/"));
    }
    Ok(out + "];\n")
}
