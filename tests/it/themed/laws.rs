//! Laws that hold for every page of any site.

use std::collections::BTreeSet;

use super::fixture::{Fixture, Themed};
use infralens_source::diag;
use infralens_source::url;

fn pages(themed: &Themed) -> impl Iterator<Item = (&String, &String)> {
    themed.files.iter().filter(|(path, _)| path.ends_with(".html"))
}

/// The values of an attribute, in the order of the page.
fn values<'h>(html: &'h str, attribute: &str) -> Vec<&'h str> {
    let opening = format!(" {attribute}=\"");
    html.match_indices(&opening).filter_map(|(at, _)| html[at + opening.len()..].split('"').next()).collect()
}

#[test]
fn every_link_leads_to_a_file_of_the_site() {
    let themed = Fixture::new(&[]).theme();
    for (path, html) in pages(&themed).filter(|(path, _)| *path != "404.html") {
        for href in values(html, "href") {
            let (target, fragment) = href.split_once('#').unwrap_or((href, ""));
            if href.starts_with("https://") || target.is_empty() && html.contains(&format!("id=\"{fragment}\"")) {
                continue;
            }
            let found = url::join(url::folder(path), &url::decode(target)).unwrap();
            assert!(themed.files.contains_key(&found), "{path}: {href}");
        }
    }
}

#[test]
fn ids_are_unique_and_pages_have_one_title() {
    let page = ("content/tracks/one/index.md", "---\ntitle: Track One\n---\n\n## A\n\nText\n");
    for (path, html) in pages(&Fixture::new(&[page]).theme()) {
        let ids = values(html, "id");
        assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "{path}: {ids:?}");
        assert_eq!(html.matches("<h1").count(), 1, "{path}");
        assert!(
            html.starts_with("<!doctype html>\n<html lang=\"en\" ")
                && html.contains("\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv"),
            "{path}"
        );
    }
}

#[test]
fn headings_skip_no_level() {
    for (path, html) in pages(&Fixture::new(&[]).theme()) {
        let main = html.split("<main").nth(1).unwrap();
        let levels: Vec<u8> =
            main.match_indices("<h").filter_map(|(at, _)| main[at + 2..at + 3].parse().ok()).collect();
        assert_eq!(levels.first(), Some(&1), "{path}");
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{path}: {levels:?}");
    }
}

#[test]
fn nothing_in_a_page_needs_an_inline_style_or_script() {
    for (path, html) in pages(&Fixture::new(&[]).theme()) {
        assert!(values(html, "style").is_empty() && !html.contains("<style"), "{path}");
        let mut scripts = html.match_indices("<script").map(|(at, _)| &html[at + "<script".len()..]);
        assert!(
            scripts.all(|script| script.starts_with(" src=\"") || script.starts_with(" type=\"application/ld+json\"")),
            "{path}"
        );
        assert!(!html.contains(" onclick"), "{path}");
        assert!(html.contains("default-src 'none'"), "{path}");
    }
}

#[test]
fn the_same_course_gives_the_same_bytes() {
    let (one, other) = (Fixture::new(&[]).theme(), Fixture::new(&[]).theme());
    assert_eq!(one.files, other.files);
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one_thread.install(|| Fixture::new(&[]).theme().files), one.files);
}

#[test]
fn text_is_escaped() {
    let page = "---\ntitle: \"a <script>alert(1)</script> \\\"b\\\"\"\nsummary: \"<img src=x>\"\n---\n";
    let themed = Fixture::new(&[("content/about.md", page)]).theme();
    let html = &themed.files["about.html"];
    assert!(!html.contains("<script>") && !html.contains("<img"));
    assert!(html.contains("a &lt;script&gt;alert(1)&lt;/script&gt;"));
}

#[test]
fn faults_are_sorted_and_reported_once() {
    let fixture =
        Fixture::new(&[("templates/section.html", "{{ nothing }}"), ("templates/lab.html", "{{ page.nothing }}")]);
    let themed = fixture.theme();
    let mut sorted = themed.diagnostics.clone();
    diag::sort(&mut sorted);
    assert_eq!(sorted, themed.diagnostics);
    assert_eq!(themed.diagnostics.len(), 2);
}
