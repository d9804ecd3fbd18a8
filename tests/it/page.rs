//! What a page must be by itself: its frame, its headings, its pictures, and the notes beside its listings.

use crate::harness::SiteTest;
use crate::html::{Id, Node, Tree};

/// What every page is: one language, one encoding, one title, one main part, and nothing that its policy forbids.
pub fn frame(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    // Pictures have titles of their own.
    let count = |name: &'static str| tree.named(name).filter(|(id, _)| tree.around(*id, "svg").is_none()).count();
    for name in ["html", "head", "title", "body", "main", "h1"] {
        if count(name) != 1 {
            problems.push(format!("{} <{name}>", count(name)));
        }
    }
    for name in ["title", "h1", "a", "summary"] {
        let silent =
            tree.named(name).filter(|(id, node)| node.attribute("aria-label").is_none() && is_silent(tree, *id));
        problems.extend(silent.map(|(_, node)| format!("a <{name}> without text: {:?}", node.attributes)));
    }
    if tree.named("html").all(|(_, node)| node.attribute("lang").is_none_or(str::is_empty)) {
        problems.push("no language".into());
    }
    let head = tree.named("head").next().map_or(0, |(id, _)| id);
    let first = tree.nodes[head].children.iter().find(|&&id| !tree.nodes[id].name.is_empty());
    if first.is_none_or(|&id| tree.nodes[id].attribute("charset") != Some("utf-8")) {
        problems.push("the encoding is not what the head says first".into());
    }
    let policy = tree.named("meta").find(|(_, node)| node.attribute("http-equiv") == Some("Content-Security-Policy"));
    let policy = policy.and_then(|(_, node)| node.attribute("content")).unwrap_or_default();
    if !policy.contains("default-src 'none'") || policy.contains("unsafe") {
        problems.push(format!("the policy is `{policy}`"));
    }
    for (id, node) in tree.elements() {
        let loud = node
            .attributes
            .iter()
            .map(|(name, _)| name.as_str())
            .find(|name| *name == "style" || name.starts_with("on"));
        problems.extend(loud.map(|name| format!("<{}> has `{name}`", node.name)));
        let is_data = node.name == "script" && node.attribute("type") == Some("application/ld+json");
        if is_data {
            problems.extend(linked_data(&tree.text(id)));
        }
        let inline = node.name == "style"
            || node.name == "script" && !is_data && (node.attribute("src").is_none() || !tree.text(id).is_empty());
        problems.extend(inline.then(|| format!("an inline <{}>", node.name)));
        let runs = node
            .attribute("href")
            .is_some_and(|href| href.trim_start().to_ascii_lowercase().starts_with("javascript:"));
        problems.extend(runs.then(|| "a link that runs".to_owned()));
    }
    problems
}

/// What is wrong with JSON-LD: it is JSON that nothing in it could end, of kinds that are known, without empty words.
fn linked_data(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        problems.push("its JSON-LD could be ended by what stands in it".to_owned());
    }
    let Ok(read) = serde_json::from_str::<serde_json::Value>(text) else {
        problems.push("its JSON-LD is no JSON".to_owned());
        return problems;
    };
    let known = ["Course", "LearningResource", "BreadcrumbList"];
    let graph = read["@graph"].as_array().cloned().unwrap_or_default();
    if read["@context"] != "https://schema.org" || graph.is_empty() {
        problems.push("its JSON-LD says nothing".to_owned());
    }
    for node in &graph {
        let kind = node["@type"].as_str().unwrap_or_default();
        let is_named = kind == "BreadcrumbList" || node["name"].as_str().is_some_and(|name| !name.is_empty());
        let positions = node["itemListElement"].as_array().into_iter().flatten().map(|step| step["position"].as_u64());
        if !known.contains(&kind)
            || !is_named
            || !positions.eq((1..).map(Some).take(node["itemListElement"].as_array().map_or(0, Vec::len)))
        {
            problems.push(format!("its JSON-LD has a node that cannot be: {node}"));
        }
    }
    problems
}

/// Whether an element says nothing: neither text, nor a picture with a text.
fn is_silent(tree: &Tree, id: Id) -> bool {
    let picture = tree
        .named("img")
        .any(|(img, node)| tree.lies_in(img, id) && node.attribute("alt").is_some_and(|alt| !alt.is_empty()));
    !picture && tree.text(id).trim().is_empty()
}

/// Heading levels do not skip.
pub fn outline(tree: &Tree) -> Vec<String> {
    let level = |name: &str| name.strip_prefix('h').and_then(|level| level.parse::<u8>().ok());
    let mut problems = Vec::new();
    let mut last = 0;
    for (id, level) in tree.elements().filter_map(|(id, node)| Some((id, level(&node.name)?))) {
        if level > last + 1 {
            problems.push(format!("<h{level}> {:?} follows <h{last}>", tree.text(id).trim()));
        }
        last = level;
    }
    problems
}

/// Pictures say what they show and how large they are.
pub fn pictures(tree: &Tree) -> Vec<String> {
    let lacking = |name: &str, node: &Node| node.attribute(name).is_none();
    let unsized_ = |node: &Node| {
        ["width", "height"].iter().any(|name| node.attribute(name).is_none_or(|value| value.parse::<u32>().is_err()))
    };
    tree.named("img")
        .filter(|(_, node)| lacking("alt", node) || unsized_(node))
        .map(|(_, node)| format!("the picture {:?} lacks a text or a size", node.attribute("src")))
        .collect()
}

/// Every marker in a listing leads to its note in the list that follows, and every note back to a line of that listing.
pub fn notes(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    let has_lines = |pre: Id| tree.elements().any(|(id, node)| tree.lies_in(id, pre) && node.attribute("id").is_some());
    // A listing without ids is repeated from another page, with nothing that leads to it or away from it.
    for pre in tree.select("pre.listing").into_iter().filter(|&pre| has_lines(pre)) {
        let list = list_of(tree, pre);
        let markers: Vec<&str> = tree
            .elements()
            .filter(|(id, node)| node.has_class("marker") && tree.lies_in(*id, pre))
            .map(|(_, node)| node.attribute("href").unwrap_or_default())
            .collect();
        let notes: Vec<Id> = list.map_or(Vec::new(), |list| {
            tree.named("li").filter(|(_, node)| node.parent == list).map(|(id, _)| id).collect()
        });
        for marker in &markers {
            let to = notes.iter().find(|&&note| tree.nodes[note].attribute("id") == marker.strip_prefix('#'));
            if to.is_none() {
                problems.push(format!("the marker {marker} leads to no note of the list that follows"));
            }
        }
        for &note in &notes {
            let id = tree.nodes[note].attribute("id").unwrap_or_default();
            if !markers.contains(&format!("#{id}").as_str()) {
                problems.push(format!("no marker leads to the note `{id}`"));
            }
            if !leads_back(tree, note, pre) {
                problems.push(format!("the note `{id}` leads back to no line of its listing"));
            }
        }
    }
    problems
}

/// The list of notes of a listing: what follows its figure.
fn list_of(tree: &Tree, pre: Id) -> Option<Id> {
    let figure = tree.around(pre, "figure")?;
    tree.next_element(figure).filter(|&next| tree.nodes[next].has_class("notes"))
}

fn leads_back(tree: &Tree, note: Id, pre: Id) -> bool {
    let hrefs =
        tree.named("a").filter(|(id, _)| tree.lies_in(*id, note)).filter_map(|(_, node)| node.attribute("href"));
    let targets: Vec<&str> = hrefs.filter_map(|href| href.strip_prefix('#')).collect();
    tree.elements()
        .any(|(id, node)| tree.lies_in(id, pre) && node.attribute("id").is_some_and(|id| targets.contains(&id)))
}

#[test]
fn a_folder_with_many_pages_is_listed_around_the_page() {
    let test = SiteTest::empty();
    test.write("content/site.yaml", "title: T\n");
    for page in 10..70 {
        test.write(&format!("content/many/p{page}.md"), format!("---\ntitle: Page {page}\n---\n\nText.\n"));
    }
    let files = test.build().site();
    let page = String::from_utf8_lossy(files["many/p40.html"].as_ref()).into_owned();
    let tree =
        page.split("<ul class=\"plain tree\">").nth(1).and_then(|rest| rest.split("<ul class=\"plain\">").next());
    let tree = tree.expect("a tree");
    let titles: Vec<&str> = tree.split("</a>").filter_map(|part| part.rsplit('>').next()).map(str::trim).collect();
    let titles: Vec<&str> = titles.into_iter().filter(|title| !title.is_empty()).collect();
    assert_eq!(titles[..4], ["T", "Many", "20 earlier pages", "Page 30"], "{tree}");
    assert_eq!(titles[titles.len() - 2..], ["Page 50", "19 later pages"], "{tree}");
    assert!(tree.contains("<a href=\"p29.html\">20 earlier pages</a>"), "{tree}");
}

#[test]
fn a_course_adds_a_style_and_a_script_to_every_page() {
    let test = SiteTest::from_dir("minimal");
    let named = |html: &str| html.matches("custom.").count();
    assert_eq!(named(&text(&test, "index.html")), 0);
    test.write("static/custom.css", "main { color: red }\n").write("static/custom.js", "document.title += \"!\";\n");
    assert_eq!(test.build().human(), "");
    for page in ["index.html", "404.html", "progress.html"] {
        let html = text(&test, page);
        let (style, own) = (html.find("assets/style."), html.find("assets/custom."));
        assert!(named(&html) == 2 && style < own, "{page}: {html}");
    }
    let files = test.build().site();
    assert!(files.keys().any(|path| path.starts_with("assets/custom.") && path.ends_with(".css")));
    assert!(!files.contains_key("custom.css"), "it is published once");
}

/// The text of one file of the site.
fn text(test: &SiteTest, path: &str) -> String {
    let built = test.build();
    let file = built.files.as_ref().and_then(|files| files.get(path)).unwrap_or_else(|| panic!("no {path}"));
    String::from_utf8_lossy(file.as_ref()).into_owned()
}
