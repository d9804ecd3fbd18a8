//! The built-in files for the tests of this crate, from the folders that the program embeds.

#![expect(clippy::disallowed_methods, reason = "tests read the repository")]

use std::sync::LazyLock;

use walkdir::WalkDir;

use super::Builtin;

type Table = Vec<(&'static str, &'static [u8])>;

/// Returns the templates and static files of this repository. The scripts are not minified.
pub fn builtin() -> Builtin {
    static BUILTIN: LazyLock<Builtin> = LazyLock::new(|| {
        let text = |(path, bytes)| (path, str::from_utf8(bytes).expect("text"));
        let templates: Vec<_> = folder("templates").into_iter().map(text).collect();
        Builtin { templates: templates.leak(), statics: folder("static").leak(), scripts: &[] }
    });
    *BUILTIN
}

/// Returns the files below a folder of the repository, sorted.
fn folder(name: &str) -> Table {
    let root = format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"));
    let entries = WalkDir::new(&root).into_iter().map(|entry| entry.expect("an entry"));
    let files = entries.filter(|entry| entry.file_type().is_file()).map(|entry| {
        let path = entry.path().strip_prefix(&root).expect("it is below").to_str().expect("UTF-8").to_owned();
        (&*path.leak(), &*std::fs::read(entry.path()).expect("a file").leak())
    });
    let mut files: Table = files.collect();
    files.sort_unstable();
    files
}
