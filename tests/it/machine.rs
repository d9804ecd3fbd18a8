//! What is there for programs and for paper: copies in Markdown, JSON-LD, pictures for links, the feed, a track on one page.

use std::collections::BTreeSet;

use infralens_source::output::Files;
use serde_json::Value;

use crate::harness::SiteTest;
use crate::html::Tree;
use crate::sites;

const HOSTILE: &str = "</script><!-- <script> & \u{2028} \\\" [x](y) `z`";

fn text(files: &Files, path: &str) -> String {
    String::from_utf8(files.get(path).unwrap_or_else(|| panic!("no {path}")).as_ref().to_vec()).expect("UTF-8")
}

/// The nodes of a page's JSON-LD.
fn linked_data(files: &Files, path: &str) -> Vec<Value> {
    let tree = Tree::parse(&text(files, path));
    let (id, _) = tree
        .named("script")
        .find(|(_, node)| node.attribute("type") == Some("application/ld+json"))
        .unwrap_or_else(|| panic!("{path} says nothing of itself"));
    let read: Value = serde_json::from_str(&tree.text(id)).expect("JSON");
    read["@graph"].as_array().expect("a list").clone()
}

#[test]
fn a_page_says_what_it_is_whatever_it_is_called() {
    let test = sites::course("base-url");
    let lab = "content/tracks/t/labs/lab-01-übung.md";
    let title = serde_json::to_string(HOSTILE).expect("a string");
    test.edit(lab, "title: Übung", &format!("title: {title}"));
    test.edit("content/tracks/t/index.md", "title: Track", &format!("title: {title}"));
    let files = test.build().site();
    let [lab, trail] = &linked_data(&files, "tracks/t/labs/lab-01-übung.html")[..] else { panic!("two nodes") };
    assert_eq!(lab["@type"], "LearningResource");
    assert_eq!(lab["name"], format!("Lab 01: {HOSTILE}"));
    assert_eq!(lab["teaches"], "Explain Übung");
    assert_eq!(lab["dateModified"], "2026-03-04");
    assert_eq!(lab["timeRequired"], "PT1M");
    assert_eq!(lab["inLanguage"], "de");
    assert_eq!(lab["isPartOf"]["name"], HOSTILE);
    assert_eq!(lab["url"], "https://example.org/a/course/tracks/t/labs/lab-01-%C3%BCbung.html");
    let steps = trail["itemListElement"].as_array().expect("steps");
    assert_eq!(steps[0]["item"], "https://example.org/a/course/tracks/t/index.html");
    assert!(steps.last().expect("this page").get("item").is_none());
    let track = &linked_data(&files, "tracks/t/index.html")[0];
    assert_eq!((&track["@type"], &track["hasCourseInstance"]["courseMode"]), (&"Course".into(), &"online".into()));
    assert_eq!(track["hasPart"].as_array().map(Vec::len), Some(2));
}

#[test]
fn without_copies_nothing_leads_to_one() {
    let test = SiteTest::from_dir("course-model");
    let is_copy = |path: &&String| path.ends_with(".md") && !path.starts_with("code/");
    assert!(test.build().site().keys().any(|path| is_copy(&path)));
    test.edit("content/site.yaml", "title:", "copies: false\ntitle:");
    let files = test.build().site();
    assert_eq!(files.keys().find(is_copy), None);
    assert!(!text(&files, "index.html").contains("text/markdown"));
    let llms = text(&files, "llms.txt");
    assert!(llms.contains("(tracks/first/index.html)") && !llms.contains(".md)"), "{llms}");
}

#[test]
fn without_a_base_url_nothing_is_absolute_and_nothing_is_drawn() {
    let files = SiteTest::from_dir("course-model").build().site();
    assert!(!files.keys().any(|path| path.ends_with(".png")));
    for path in files.keys().filter(|path| path.ends_with("labs/index.html")) {
        assert!(linked_data(&files, path).iter().all(|node| !node.to_string().contains("\"item\"")), "{path}");
        assert!(!text(&files, path).contains("og:"), "{path}");
    }
}

#[test]
fn links_to_pages_have_a_picture_of_their_track_or_lab() {
    let test = sites::course("base-url");
    let files = test.build().site();
    let built = test.build().site();
    let pictures: Vec<&String> = files.keys().filter(|path| path.ends_with(".png")).collect();
    for path in &pictures {
        let size = imagesize::blob_size(files[*path].as_ref()).expect("a picture");
        assert_eq!((size.width, size.height), (1200, 630));
        assert_eq!(files[*path].as_ref(), built[*path].as_ref());
    }
    let of = |path: &str| {
        let tree = Tree::parse(&text(&files, path));
        let found = tree.named("meta").find(|(_, node)| node.attribute("property") == Some("og:image"));
        let address = found.and_then(|(_, node)| node.attribute("content")).expect("a picture").to_owned();
        let path = address.strip_prefix("https://example.org/a/course/").expect("an absolute URL");
        let path = infralens_source::url::decode(path);
        assert!(files.contains_key(&path), "{path}");
        path
    };
    let (lab, track) = (of("tracks/t/labs/lab-01-übung.html"), of("tracks/t/index.html"));
    assert_eq!(lab, "tracks/t/labs/lab-01-übung.png");
    assert_eq!(of("tracks/t/labs/index.html"), track);
    assert_ne!(track, of("index.html"));
    // The card of a lab shows its first note.
    let with_note = |note: &str| format!("Text.\n\n```python file=x.py\n```\n\n1. `x` — {note}\n");
    test.edit("content/tracks/t/labs/lab-01-übung.md", "Text.\n", &with_note("One."));
    let with_first = test.build().site();
    test.edit("content/tracks/t/labs/lab-01-übung.md", "One.", "Another.");
    let cards = [&files, &with_first, &test.build().site()].map(|files| files[&*lab].as_ref().to_vec());
    assert!(cards[0] != cards[1] && cards[1] != cards[2]);
    // The fonts have no letters for this title, so the lab has the card of its track.
    test.edit("content/tracks/t/labs/lab-01-übung.md", "title: Übung", "title: 显存");
    let files = test.build().site();
    assert!(!files.contains_key(&*lab) && text(&files, "tracks/t/labs/lab-01-übung.html").contains("/assets/card-t."));
}

#[test]
fn the_feed_is_what_the_standard_asks_for() {
    let files = sites::course("base-url").build().site();
    let feed = text(&files, "feed.xml");
    let feed = resvg::usvg::roxmltree::Document::parse(&feed).expect("XML");
    let root = feed.root_element();
    assert_eq!((root.tag_name().name(), root.tag_name().namespace()), ("feed", Some("http://www.w3.org/2005/Atom")));
    let mut ids = BTreeSet::new();
    for node in root.children().filter(|node| node.has_tag_name(("http://www.w3.org/2005/Atom", "entry"))).chain([root])
    {
        let one = |name: &str| {
            let mut found = node.children().filter(|child| child.tag_name().name() == name);
            let only = found.next().and_then(|child| child.text()).unwrap_or_else(|| panic!("no {name}")).to_owned();
            assert!(found.next().is_none(), "{name} twice");
            only
        };
        assert!(ids.insert(one("id")) && !one("title").is_empty());
        let updated = one("updated");
        assert!(updated.len() == "2026-03-04T00:00:00Z".len() && updated.ends_with("T00:00:00Z"), "{updated}");
        let links = node.children().filter(|child| child.tag_name().name() == "link");
        let alternates = links.filter(|link| link.attribute("rel") == Some("alternate"));
        let hrefs: Vec<_> = alternates.filter_map(|link| link.attribute("href")).collect();
        assert!(hrefs.len() == 1 && hrefs[0].starts_with("https://example.org/a/course/"), "{hrefs:?}");
    }
    assert!(root.children().any(|child| child.tag_name().name() == "author"));
    assert!(root.children().any(|child| child.attribute("rel") == Some("self")));
}

#[test]
fn a_copy_says_what_the_page_says_and_keeps_comments_to_itself() {
    let test = SiteTest::from_dir("minimal");
    test.write("content/a.md", "---\ntitle: A\n---\n\n<!-- secret -->\nText <!-- secret --> and [](b.md#two).\n")
        .write("content/b.md", "---\ntitle: B\nsummary: What *B* is\n---\n\n## Two\n");
    let files = test.build().site();
    assert_eq!(text(&files, "a.md"), "# A\n\nText  and [Two](b.md#two).\n");
    assert_eq!(text(&files, "b.md"), "# B\n\n> What \\*B\\* is\n\n## Two\n");
    let lists = text(&files, "llms.txt");
    assert!(lists.contains("- [B](b.md): What \\*B\\* is\n") && !lists.contains(".html"), "{lists}");
}

#[test]
fn two_sources_for_a_copy_are_refused() {
    let test = SiteTest::from_dir("minimal");
    test.write("content/a.md", "---\ntitle: A\n---\n\nText.\n").write("static/a.md", "mine\n");
    assert_eq!(test.build().codes(), ["E0008"]);
}

#[test]
fn a_track_on_one_page_is_for_paper_alone() {
    let files = sites::course("base-url").build().site();
    let page = text(&files, "tracks/t/print.html");
    assert!(page.contains("<meta name=\"robots\" content=\"noindex\">") && !page.contains("rel=\"canonical\""));
    let sitemap = text(&files, "sitemap.xml");
    assert!(!sitemap.contains("print.html") && !sitemap.contains(".md"), "{sitemap}");
    for path in ["tracks/t/index.html", "tracks/t/labs/index.html"] {
        assert!(text(&files, path).contains("print.html\">"), "{path} does not lead to it");
    }
}
