//! Markdown and HTML in Markdown → a page: whole, harmless, and every link of it leads somewhere.

use std::collections::BTreeSet;

use infralens_source::diag::codes;
use infralens_source::url;

use super::course::{Built, LAB, PAGE, build};
use super::{assert_places_of, text};
use crate::html::Tree;
use crate::page;

/// Elements that no page has in its main part, whatever its author writes.
const HARMFUL: [&str; 9] = ["script", "style", "iframe", "object", "embed", "base", "link", "meta", "form"];

/// An ordinary page, and the same text as a lab that reads code.
pub fn markdown(data: &[u8]) {
    let text = text(data);
    check(PAGE, "page.html", &format!("---\ntitle: Page\n---\n\n{text}"));
    let front = "---\ntitle: Lab A\nfocus: f\nreads: r\noutcome: o\nhandbook: [s]\nstarter: { file: a.py, type: t, angle: a }\n---\n\n";
    check(LAB, "tracks/t/labs/lab-01-a.html", &format!("{front}{text}"));
}

/// HTML: as a block, among words, and in a list and a table.
pub fn html(data: &[u8]) {
    let text = text(data);
    let line = text.replace(['\n', '\r'], " ");
    let page = format!(
        "---\ntitle: Page\n---\n\n{text}\n\nAmong {line} words.\n\n- In an item {line}\n- and one more\n\n| a | b |\n| - | - |\n| {line} | c |\n\n## End\n"
    );
    let built = check(PAGE, "page.html", &page);
    if built.is_published() {
        let tree = Tree::parse(&built.html("page.html"));
        let main = tree.named("main").next().map_or(0, |(id, _)| id);
        for (_, node) in tree.elements().filter(|(id, _)| tree.lies_in(*id, main)) {
            assert!(!HARMFUL.contains(&node.name.as_str()), "<{}> in the page's own part", node.name);
        }
    }
}

/// Builds the course with this file, and checks the page that becomes of it.
fn check(path: &str, output: &str, text: &str) -> Built {
    let built = build(&[(path, text)]);
    assert_places_of(&built.project, &built.diagnostics);
    if built.is_published() {
        check_page(&built, path, output, text.contains('<'));
    }
    built
}

fn check_page(built: &Built, path: &str, output: &str, has_html: bool) {
    let html = built.html(output);
    let tree = Tree::parse(&html);
    // Which element may stand in which is the author's matter where they write HTML: all of it is closed. A control
    // character is a lint's, and a reference that no browser knows is shown as it is written.
    let is_authors = |problem: &&String| {
        has_html && problem.contains(" stands inside ")
            || problem.ends_with("character-in-input-stream")
            || problem.ends_with("control-character-reference")
            || problem.ends_with("unknown-named-character-reference")
    };
    let mends = tree.problems.iter().filter(|problem| !is_authors(problem));
    assert_eq!(mends.collect::<Vec<_>>(), [""; 0], "{output}");
    let harm = page::frame(&tree).into_iter().filter(|problem| !problem.ends_with("without text"));
    let harm: Vec<String> = harm.filter(|problem| !problem.contains(" without text: ")).collect();
    assert_eq!(harm, [""; 0], "{output}");
    assert_eq!(page::notes(&tree), [""; 0], "{output}");
    let mut ids = BTreeSet::new();
    for id in tree.elements().filter_map(|(_, node)| node.attribute("id")) {
        assert!(ids.insert(id), "the id `{id}` is given twice");
    }
    // A code block that is not closed may have taken in the heading that a link names, so such links are not judged.
    let is_unclosed = built.diagnostics.iter().any(|d| d.code == codes::W0203 && &*d.place.file == path);
    let ids = (!is_unclosed).then_some(&ids);
    for (_, node) in tree.elements() {
        for name in ["href", "src"] {
            if let Some(target) = node.attribute(name) {
                check_target(built, output, ids, target);
            }
        }
    }
}

/// A link leads out by a scheme that is known, or to a file of the site, and on the same page to an id, if the page's ids
/// are known.
fn check_target(built: &Built, from: &str, ids: Option<&BTreeSet<&str>>, target: &str) {
    let lower = target.to_ascii_lowercase();
    if ["http://", "https://", "mailto:", "tel:", "ftp:"].iter().any(|scheme| lower.starts_with(scheme)) {
        return;
    }
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    if path.is_empty() {
        let id = url::decode(fragment);
        assert!(id.is_empty() || ids.is_none_or(|ids| ids.contains(id.as_str())), "`{target}` leads to no id");
        return;
    }
    assert!(!path.starts_with('/') && !path.contains("://"), "`{target}` is not relative");
    // Data that scripts fetch has a version after its name.
    let path = path.split('?').next().unwrap_or_default();
    let path = url::join(url::folder(from), &url::decode(path));
    let path = path.unwrap_or_else(|| panic!("`{target}` leads above the site"));
    assert!(built.has(&path), "`{target}` leads to `{path}`, which is not there");
}
