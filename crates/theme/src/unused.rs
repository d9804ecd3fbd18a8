//! Reports files in `templates/` and `static/` that were meant to replace a built-in file and replace none.
//!
//! A template is used if it has the name of a built-in one, if a page names it, or if a template in use refers to it. A static file is
//! published in any case, so it is suspicious only if its name resembles a built-in one and nothing refers to it.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;

use super::eject;
use crate::Builtin;
use crate::builtin::CUSTOM;
use infralens_source::diag::{Diagnostic, Fix, Place, codes, nearest, similar};
use infralens_source::project::{File, Project};
use infralens_source::url;

/// The folder of the built-in style sheet's parts.
const STYLE_PARTS: &str = "style/";
/// Folders in which other tools look for styles and scripts.
const ASSET_FOLDERS: [&str; 8] = ["", "css", "js", "style", "styles", "scripts", "assets", "static"];
/// Extensions that are easily confused.
const SIMILAR_EXTENSIONS: [&[&str]; 2] =
    [&["css", "scss", "sass", "less", "js", "mjs", "ts"], &["svg", "png", "jpg", "gif", "webp"]];

/// Reports each such file; none if a template or style sheet cannot be read, because it may refer to any other. Also reports
/// what is wrong with copies of built-in files.
///
/// `wanted` are the templates that pages name. One that there is not is an error.
pub fn unused(project: &Project, builtin: Builtin, wanted: &[(Place, &str)]) -> Vec<Diagnostic> {
    let is_known = |folder, is_text: fn(&str) -> bool| {
        !project.is_unread(folder)
            && project.below(folder).all(|(path, file)| match file {
                File::Text(source) => !is_text(path) || !source.is_blank(),
                File::Binary(_) => !is_text(path),
                File::Refused(_) => false,
            })
    };
    let mut found = if is_known("templates", |_| true) { templates(project, builtin, wanted) } else { Vec::new() };
    found.extend(if is_known("static", |path| path.ends_with(".css")) {
        static_files(project, builtin)
    } else {
        Vec::new()
    });
    found.extend(replaced_style(project, builtin));
    found.extend(eject::check_copies(project, builtin));
    if !project.is_unread("templates") {
        found.extend(missing(project, builtin, wanted));
    }
    found
}

/// Reports the templates that pages name and that there are not.
fn missing(project: &Project, builtin: Builtin, wanted: &[(Place, &str)]) -> Vec<Diagnostic> {
    let own = project.below("templates").map(|(path, _)| &path["templates/".len()..]);
    let names: BTreeSet<&str> = builtin.templates.iter().map(|(name, _)| *name).chain(own).collect();
    let missing = wanted.iter().filter(|(_, name)| !names.contains(name));
    let report = |(place, name): &(Place, &str)| {
        let error = Diagnostic::new(codes::E0505, place.clone(), format!("there is no template `{name}`"));
        match similar(name, names.iter().copied()) {
            Some(near) => error.meant(Some(near)),
            None => {
                error.help(format!("write it as `templates/{name}`; `infralens eject --list` names the built-in ones"))
            }
        }
    };
    missing.map(report).collect()
}

fn templates(project: &Project, builtin: Builtin, wanted: &[(Place, &str)]) -> Vec<Diagnostic> {
    let names: Vec<&str> = builtin.templates.iter().map(|(name, _)| *name).collect();
    let texts = project.below("templates").filter_map(|(path, file)| match file {
        File::Text(source) => Some((&path["templates/".len()..], source.text())),
        File::Binary(_) | File::Refused(_) => None,
    });
    let in_course: BTreeMap<&str, &str> = texts.collect();
    let is_named = |name: &str| wanted.iter().any(|(_, wanted)| *wanted == name);
    let is_used = |name: &str, text: &str| names.contains(&name) || is_named(name) || defines_components(text);
    let mut queue: Vec<&str> =
        in_course.iter().filter(|(name, text)| is_used(name, text)).map(|(name, _)| *name).collect();
    let mut used: BTreeSet<&str> = queue.iter().copied().collect();
    while let Some(name) = queue.pop() {
        let quoted_names = in_course.get(name).into_iter().flat_map(|text| quoted_names(text));
        queue.extend(quoted_names.filter(|name| in_course.contains_key(name) && used.insert(name)));
    }
    let unused = in_course.keys().filter(|name| !used.contains(*name));
    let found = unused.map(|name| unused_template(name, &names));
    found.map(|found| renamed(project, found)).collect()
}

fn unused_template(name: &str, built_in: &[&str]) -> Diagnostic {
    let message = format!(
        "`templates/{name}` does not replace a built-in template, and no template in use includes or extends it"
    );
    let diagnostic = Diagnostic::new(codes::W0213, Place::file(format!("templates/{name}")), message);
    let stem = |name: &'_ str| url::file_name(name).split('.').next().unwrap_or_default().to_lowercase();
    let wanted = stem(name);
    let by_name = built_in.iter().find(|known| url::file_name(known) == url::file_name(name));
    let by_stem = || built_in.iter().find(|known| stem(known) == wanted);
    let stems: Vec<String> = built_in.iter().map(|known| stem(known)).collect();
    let close = || {
        let suggested = nearest(&wanted, stems.iter().map(String::as_str))?;
        built_in.iter().find(|known| stem(known) == suggested)
    };
    match by_name.or_else(by_stem).or_else(close) {
        Some(near) => diagnostic.help(format!("did you mean `templates/{near}`?")),
        None => {
            diagnostic.help(format!("use it in another template, as in `{{% include \"{name}\" %}}`, or remove it"))
        }
    }
}

/// Returns whether a template defines components, which every template can use.
fn defines_components(text: &str) -> bool {
    tags(text).any(|tag| tag.trim_start_matches('-').trim_start().starts_with("component"))
}

/// Returns the quoted texts in a template's tags, among them the names of templates that it includes or extends.
fn quoted_names(text: &str) -> impl Iterator<Item = &str> {
    tags(text).flat_map(|tag| tag.split(['"', '\'']).skip(1).step_by(2))
}

/// Returns the tags of a template, without `{%` and `%}`.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    text.split("{%").skip(1).filter_map(|rest| rest.split_once("%}")).map(|(tag, _)| tag)
}

/// Reports a style sheet of the course's own that replaces the built-in one and has none of its parts.
fn replaced_style(project: &Project, builtin: Builtin) -> Option<Diagnostic> {
    const STYLE: &str = "static/style.css";
    let text = project.text(STYLE)?.text();
    let whole = builtin.static_file("style.css")?.len();
    // Who writes all of the markup writes all of its style.
    let has_base = project.files.contains_key("templates/base.html");
    (!has_base && !text.contains("@import") && text.len() < whole / 4).then(|| {
        let message = format!("`{STYLE}` replaces the whole built-in style sheet, so pages have its rules alone");
        let help = "rename it to `static/custom.css` if its rules are additions; `infralens eject style.css` copies the built-in one";
        Diagnostic::new(codes::W0213, Place::file(STYLE), message).help(help).hint()
    })
}

fn static_files(project: &Project, builtin: Builtin) -> Vec<Diagnostic> {
    let in_course = project.below("static").map(|(path, _)| &path["static/".len()..]);
    let in_course = in_course.filter(|path| builtin.static_file(path).is_none() && !CUSTOM.contains(path));
    let suspects: Vec<(&str, Option<&str>)> = in_course.map(|path| (path, suggestion(builtin, path))).collect();
    let is_part = |path: &str| path.starts_with(STYLE_PARTS) && path.ends_with(".css");
    let suspects: Vec<_> = suspects.into_iter().filter(|(path, near)| near.is_some() || is_part(path)).collect();
    let mentioned = named_files(project, &suspects.iter().map(|(path, _)| *path).collect::<Vec<_>>());
    suspects
        .into_iter()
        .filter(|(path, _)| !mentioned.contains(path))
        .map(|(path, near)| renamed(project, static_file(path, near)))
        .collect()
}

/// Adds the fix that gives a file the name that its help says was meant, if that is free.
fn renamed(project: &Project, found: Diagnostic) -> Diagnostic {
    let meant = found.help.first().and_then(|help| help.strip_prefix("did you mean `")?.strip_suffix("`?"));
    let meant = meant.filter(|meant| !project.files.contains_key(*meant));
    let fix = meant.map(|meant| Fix::rename(&found.place.file, meant));
    found.fix(fix)
}

fn static_file(path: &str, near: Option<&str>) -> Diagnostic {
    let does = match near.filter(|near| CUSTOM.contains(near)) {
        Some(near) => format!("is not added to pages, as `static/{near}` is"),
        None => "does not replace a built-in file".to_owned(),
    };
    let message = format!("`static/{path}` {does}, and nothing refers to it");
    let diagnostic = Diagnostic::new(codes::W0213, Place::file(format!("static/{path}")), message);
    match near {
        Some(near) => diagnostic.help(format!("did you mean `static/{near}`?")),
        None => diagnostic.help(format!("import it in your own `static/style.css`: `@import \"{path}\";`")),
    }
}

/// Returns the built-in file that was probably meant.
fn suggestion(builtin: Builtin, path: &str) -> Option<&'static str> {
    let statics = || builtin.statics.iter().map(|(known, _)| *known).chain(CUSTOM);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let same_name = statics().find(|known| url::file_name(known) == url::file_name(path));
    let within = |known: &&str| known.rsplit_once('/').map_or("", |(folder, _)| folder) == folder;
    let same_kind = || statics().filter(within).find(|known| differs_in_extension(known, path));
    let close = || statics().filter(within).find(|known| is_similar(known, path));
    same_name.filter(|_| ASSET_FOLDERS.contains(&folder)).or_else(same_kind).or_else(close)
}

/// Returns whether two paths differ only in the extension, and both extensions are of the same kind.
fn differs_in_extension(known: &str, path: &str) -> bool {
    let (Some((stem, extension)), Some((other_stem, other))) = (known.rsplit_once('.'), path.rsplit_once('.')) else {
        return false;
    };
    stem == other_stem
        && SIMILAR_EXTENSIONS.iter().any(|same_kind| same_kind.contains(&extension) && same_kind.contains(&other))
}

/// Returns whether two paths differ in one or two letters.
fn is_similar(known: &str, path: &str) -> bool {
    known.len().abs_diff(path.len()) <= 2
        && url::file_name(known).len() > 5
        && strsim::damerau_levenshtein(&known.to_lowercase(), &path.to_lowercase()) <= 2
}

/// Returns those of `paths` that a template or a page mentions, or whose file name another static file contains.
fn named_files<'p>(project: &Project, paths: &[&'p str]) -> BTreeSet<&'p str> {
    let names = paths.iter().flat_map(|path| [*path, url::file_name(path)]);
    // If there are too many names to search for, they are not typing errors.
    let Some(search) = AhoCorasick::new(names).ok().filter(|_| !paths.is_empty()) else {
        return paths.iter().copied().collect();
    };
    let mut found = BTreeSet::new();
    for folder in ["templates", "content", "static"] {
        for (at, file) in project.below(folder) {
            let File::Text(source) = file else { continue };
            for hit in search.find_overlapping_iter(source.text()) {
                let (path, is_path) = (paths[hit.pattern().as_usize() / 2], hit.pattern().as_usize() % 2 == 0);
                let is_itself = at.strip_prefix("static/") == Some(path);
                found.extend((!is_itself && (is_path || folder == "static")).then_some(path));
            }
        }
    }
    found
}
