//! Finds the addresses in a course's own style sheets that lead to no file of the site. A browser then shows nothing, without a
//! word.

use std::collections::BTreeSet;

use lightningcss::dependencies::{Dependency, DependencyOptions, UrlDependency};
use lightningcss::printer::PrinterOptions;
use lightningcss::stylesheet::{ParserOptions, StyleSheet};

use super::style::{is_too_deep, own};
use crate::Builtin;
use infralens_source::diag::{Diagnostic, codes, nearest};
use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::url;

/// The folder of a site in which style sheets are published.
const PUBLISHED: &str = "assets";

/// Reports such an address in each style sheet that the course has written or changed. One that cannot be read is reported where
/// it is bundled.
pub fn dead(project: &Project, builtin: Builtin, base_path: &str) -> Vec<Diagnostic> {
    let sheets = project.below("static").filter(|(path, _)| path.ends_with(".css"));
    let sources = sheets.filter_map(|(path, _)| own(project, builtin, path));
    let mut found = Vec::new();
    for source in sources {
        let mut known = BTreeSet::new();
        let urls = urls(source).into_iter().filter(|named| known.insert(named.url.clone()));
        found.extend(urls.filter_map(|named| report(project, builtin, base_path, source, &named)));
    }
    found
}

fn urls(source: &Source) -> Vec<UrlDependency> {
    let text = &source.text()[source.start()..];
    if is_too_deep(text) {
        return Vec::new();
    }
    let Ok(sheet) = StyleSheet::parse(text, ParserOptions::default()) else { return Vec::new() };
    let options =
        PrinterOptions { analyze_dependencies: Some(DependencyOptions::default()), ..PrinterOptions::default() };
    let dependencies = sheet.to_css(options).ok().and_then(|printed| printed.dependencies).unwrap_or_default();
    let named = dependencies.into_iter().filter_map(|found| match found {
        Dependency::Url(named) => Some(named),
        Dependency::Import(_) => None,
    });
    named.collect()
}

fn report(
    project: &Project,
    builtin: Builtin,
    base_path: &str,
    source: &Source,
    named: &UrlDependency,
) -> Option<Diagnostic> {
    let path = url::decode(named.url.split(['?', '#']).next().unwrap_or_default());
    let is_elsewhere = path.starts_with("//") || path.contains("://");
    if path.is_empty() || !is_elsewhere && path.split('/').next().is_some_and(|first| first.contains(':')) {
        return None;
    }
    let exists = |path: &str| {
        let in_course = ["static/", "content/", ""].map(|folder| format!("{folder}{path}"));
        builtin.static_file(path).is_some() || in_course.iter().any(|path| project.files.contains_key(path.as_str()))
    };
    let below = source.path().strip_prefix("static/").unwrap_or_default();
    // A part of another style sheet is published within it, and also by itself.
    let own = (!builtin.is_asset(below)).then(|| url::folder(below));
    let resolved = match path.strip_prefix('/') {
        _ if is_elsewhere => Vec::new(),
        Some(_) => path.strip_prefix(base_path).map(str::to_owned).into_iter().collect(),
        None => [PUBLISHED].into_iter().chain(own).filter_map(|folder| url::join(folder, &path)).collect(),
    };
    if resolved.iter().any(|path| exists(path)) {
        return None;
    }
    let line = source.line_span((named.loc.start.line as usize).saturating_sub(1));
    let at = source.text()[line.clone()].find(&named.url).map(|at| line.start + at);
    let span = at.map_or(line, |at| at..at + named.url.len());
    let message = if is_elsewhere {
        format!("`{}` is not a file of the site, and pages load nothing else", named.url)
    } else {
        format!("`{}` leads to no file of the site", named.url)
    };
    let report = source.diagnostic(codes::W0503, span, message);
    let files = project.below("static").map(|(path, _)| &path["static/".len()..]);
    let meant = if exists(&path) { Some(path.as_str()) } else { nearest(url::file_name(&path), files) };
    Some(match meant.filter(|_| !is_elsewhere) {
        Some(meant) => {
            let help = format!("write `../{meant}`: style sheets are published in `{PUBLISHED}/`");
            report.write(&format!("../{meant}"), help)
        }
        None => report.help(format!(
            "put the file into `static/`, and write `../NAME`: style sheets are published in `{PUBLISHED}/`"
        )),
    })
}
