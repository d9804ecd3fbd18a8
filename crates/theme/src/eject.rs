//! Copies built-in templates, styles and scripts into a course, where they replace the built-in ones, and recognizes such
//! copies later.
//!
//! The first line of a copy is a comment with a hash of the built-in file at that time. If the built-in file of a later
//! version has another hash, the author is told.

use std::collections::BTreeSet;

use super::{Builtin, Engine};
use infralens_source::change::{Change, Refusal};
use infralens_source::diag::{Diagnostic, Fix, codes, nearest};
use infralens_source::project::Project;

/// The number of hex digits of the hash.
const DIGITS: usize = 12;
/// The comment, up to the hash.
const COPIED: &str = concat!("Copied from InfraLens ", env!("CARGO_PKG_VERSION"), " by `infralens eject`; built-in ");
/// What precedes the hash in every version.
const BEFORE_HASH: &str = " by `infralens eject`; built-in ";

/// A built-in file that a course can replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinFile {
    /// The folder of the course: `templates` or `static`.
    pub folder: &'static str,
    /// The path below that folder.
    pub path: &'static str,
    pub text: &'static str,
}

/// Returns the built-in templates and static files, each sorted by path with those in folders last.
pub fn built_in(builtin: Builtin) -> Vec<BuiltinFile> {
    let templates = builtin.templates.iter().map(|&(path, text)| BuiltinFile { folder: "templates", path, text });
    let statics = builtin.statics.iter().filter_map(|&(path, bytes)| {
        Some(BuiltinFile { folder: "static", path, text: std::str::from_utf8(bytes).ok()? })
    });
    let mut files: Vec<BuiltinFile> = templates.chain(statics).collect();
    files.sort_by_key(|file| (file.folder != "templates", file.path.contains('/'), file.path));
    files
}

impl BuiltinFile {
    pub fn course_path(self) -> String {
        format!("{}/{}", self.folder, self.path)
    }

    /// Returns the marks around a comment in the language of the file.
    fn comment_marks(self) -> (&'static str, &'static str) {
        match self.path.rsplit('.').next() {
            Some("css") => ("/* ", " */"),
            Some("js") => ("// ", ""),
            Some("svg") => ("<!-- ", " -->"),
            _ => ("{#- ", " -#}"),
        }
    }

    fn hash(self) -> String {
        blake3::hash(self.text.as_bytes()).to_hex()[..DIGITS].to_owned()
    }

    /// Returns the copy for a course: the text below a comment.
    fn copy(self) -> String {
        let (open, close) = self.comment_marks();
        format!("{open}{COPIED}{}{close}\n{}", self.hash(), self.text)
    }

    /// Returns what the file is for: the first sentence of the comment that it begins with.
    pub fn purpose(self) -> String {
        let text = self.text.trim_start();
        let comment = match self.path.rsplit('.').next() {
            Some("css") => text.strip_prefix("/*").and_then(|rest| rest.split("*/").next()).map(str::to_owned),
            Some("js") => {
                let lines = text.lines().map_while(|line| line.strip_prefix("//"));
                Some(lines.collect::<Vec<_>>().join("\n"))
            }
            Some("svg") => Some("The icon of the site.".to_owned()),
            _ => text.strip_prefix("{#").and_then(|rest| rest.split("#}").next()).map(str::to_owned),
        };
        let comment = comment.unwrap_or_default();
        let words: Vec<&str> = comment.trim_matches('-').split_whitespace().collect();
        let line = words.join(" ");
        line.split_inclusive(". ").next().unwrap_or_default().trim_end_matches([' ', '.']).to_owned()
    }

    /// Returns the variables that the template that includes this one must set: those that it uses, or that the templates
    /// use that it includes, in addition to `site`, `course`, `page` and those that they set by themselves. `engine` has
    /// the built-in templates.
    pub fn variables(self, builtin: Builtin, engine: &Engine) -> BTreeSet<String> {
        let mut variables = engine.variables(self.path);
        ["site", "course", "page"].into_iter().chain(self.names(builtin)).for_each(|name| _ = variables.remove(name));
        variables
    }

    /// Returns the names that are set by the template, those that it includes, and the one that it extends.
    fn names(self, builtin: Builtin) -> Vec<&'static str> {
        let tags = self.text.split("{%").skip(1).map(|tag| tag.trim_start_matches('-').trim_start());
        let names = tags.filter_map(|tag| match tag.split_once(' ')? {
            ("set" | "set_global" | "for", rest) => Some(vec![rest.split(' ').next()?]),
            ("include" | "extends", rest) => Some(find(builtin, rest.split('"').nth(1)?).ok()?.names(builtin)),
            _ => None,
        });
        names.flatten().collect()
    }
}

/// Returns the built-in file that a name means: a path, with or without its folder and extension, or a file's name.
///
/// # Errors
///
/// Returns a refusal if there is none, or if there are several.
pub fn find(builtin: Builtin, name: &str) -> Result<BuiltinFile, Refusal> {
    let files = built_in(builtin);
    let file_name = |path: &'static str| path.rsplit('/').next().unwrap_or(path);
    let stem = |path: &'static str| file_name(path).split('.').next().unwrap_or(path);
    let with_extension = format!("{name}.html");
    let levels: [&dyn Fn(&BuiltinFile) -> bool; 5] = [
        &|file| file.path == name || file.course_path() == name,
        &|file| file.path == with_extension,
        &|file| file_name(file.path) == name,
        &|file| file_name(file.path) == with_extension,
        &|file| stem(file.path) == name,
    ];
    let found = levels.iter().map(|is_meant| files.iter().filter(|file| is_meant(file)).collect::<Vec<_>>());
    match found.into_iter().find(|found| !found.is_empty()).as_deref() {
        Some([file]) => Ok(**file),
        Some(several) => {
            let paths: Vec<String> = several.iter().map(|file| format!("`{}`", file.path)).collect();
            let message = format!("`{name}` can mean several built-in files");
            Err(Refusal::new(message).help(format!("name one of them: {}", paths.join(", "))))
        }
        None => {
            let known = files.iter().flat_map(|file| [file.path, file_name(file.path), stem(file.path)]);
            Err(Refusal::new(format!("there is no built-in template or static file `{name}`"))
                .nearest(nearest(name, known))
                .help("`infralens eject --list` lists all"))
        }
    }
}

/// Plans to copy built-in files into a course.
///
/// # Errors
///
/// Returns a refusal if a name means no built-in file, or if the course has its own already.
pub fn eject(project: &Project, builtin: Builtin, names: &[String]) -> Result<Vec<Change>, Refusal> {
    let mut files: Vec<BuiltinFile> = names.iter().map(|name| find(builtin, name)).collect::<Result<_, _>>()?;
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.path));
    let create = |file: BuiltinFile| {
        let path = file.course_path();
        if project.files.contains_key(path.as_str()) {
            let help = "remove it first, or print the built-in one with `infralens eject --print`";
            return Err(Refusal::new(format!("`{path}` is already there")).help(help));
        }
        Ok(Change::Create { path: path.into(), text: file.copy() })
    };
    files.into_iter().map(create).collect()
}

/// Returns whether a text is that of a built-in file, or a copy of it, perhaps with other line ends.
pub fn is_unchanged(text: &str, built_in: &str) -> bool {
    let copied = text.split_once('\n').filter(|(comment, _)| comment.contains(BEFORE_HASH)).map(|(_, copied)| copied);
    is_copy(copied.unwrap_or(text), built_in)
}

fn is_copy(copied: &str, built_in: &str) -> bool {
    copied.lines().eq(built_in.lines())
}

/// Reports copies whose built-in file has changed, and with a hint those that the author has not changed.
pub fn check_copies(project: &Project, builtin: Builtin) -> impl Iterator<Item = Diagnostic> {
    built_in(builtin).into_iter().filter_map(|file| {
        let source = project.text(&file.course_path())?;
        let (comment, copied) = source.text()[source.start()..].split_once('\n')?;
        let at = comment.find(BEFORE_HASH)? + BEFORE_HASH.len();
        let hash = comment[at..].split(' ').next()?;
        let start = source.start() + at;
        let place = source.place(start..start + hash.len());
        if is_copy(copied, file.text) {
            let message = format!("`{}` is the same as the built-in file, so it has no effect", source.path());
            let help = "change it, or remove it so that you get the changes of later versions";
            return Some(Diagnostic::new(codes::W0213, place, message).help(help).hint());
        }
        let now = file.hash();
        (hash != now).then(|| {
            let message = format!("the built-in `{}` has changed since it was copied", file.path);
            Diagnostic::new(codes::W0502, place, message)
                .help(format!("`infralens eject --print {}` prints it: take over what you need", file.path))
                .help(format!("then write `{now}` here"))
                .fix(Fix::write(source, start..start + hash.len(), &now))
        })
    })
}

#[cfg(test)]
mod tests;
