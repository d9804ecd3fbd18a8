//! Posts of blogs are pages with dates and authors.

use super::*;

#[test]
fn posts_of_docusaurus_are_pages_that_their_dates_sort() {
    let project = book(&[
        (
            "docusaurus.config.js",
            "module.exports = { title: 'T', themeConfig: { navbar: { items: [{ to: '/blog', label: 'Blog' }] } } }\n",
        ),
        ("docs/a.md", "# A\n\nSee [it](/blog/2026/11/03/rings) in the [blog](/blog/).\n"),
        ("blog/authors.yml", "ada:\n  name: Ada L.\n"),
        (
            "blog/2026-11-02-rings.md",
            "---\ntitle: Rings\nauthors: [ada, Grace]\ndate: 2026-11-03T10:00\n---\n\nFor $5 or $6, %RING_NAME%. ![x](./assets/x.svg)\n\n<!--truncate <NO> -->\n",
        ),
        ("blog/2025/01/31/old/index.md", "---\nslug: first\nauthor: Ada\n---\n\n# Old\n"),
        ("blog/undated.mdx", "---\nauthors:\n  - name: Bob\n---\n\nText \\<NO> {/* <NO> */}\n"),
        ("blog/assets/x.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>"),
    ]);
    let import = super::super::import(&project, Dialect::Docusaurus, "", &Options::default()).expect("a site");
    let files = texts(&import);
    assert!(files["content/site.yaml"].contains("nav:\n  - a.md\n  - blog/index.md\n"), "{files:?}");
    assert_eq!(
        files["content/blog/index.md"],
        "---\ntitle: Blog\npages:\n  order: newest\n---\n\n- [Rings](rings.md)\n- [Old](first.md)\n- [Undated](undated.md)\n"
    );
    assert!(files["content/a.md"].contains("See [it](blog/rings.md) in the [blog](blog/index.md)."), "{files:?}");
    assert!(files["content/site.yaml"].contains("header:\n  - label: Blog\n    link: blog/index.md\n"), "{files:?}");
    let rings = "---\ntitle: Rings\ndate: 2026-11-03\nauthor: [Ada L., Grace]\naliases: [blog/2026/11/03/rings/index.html]\n---\n\n\
        For \\$5 or \\$6, %RING_NAME%. ![x](assets/x.svg)\n";
    assert!(files["content/blog/rings.md"].starts_with(rings), "{}", files["content/blog/rings.md"]);
    assert!(files["content/blog/first.md"].contains("date: 2025-01-31\nauthor: Ada\n"), "{files:?}");
    assert!(files["content/blog/undated.md"].contains("author: Bob\n"), "{files:?}");
    let lost = losses(&import);
    assert!(
        lost.contains(&"Blog blog/:0 3 posts: pages with their dates and authors, 1 of them without a date".to_owned()),
        "{lost:?}"
    );
    assert!(lost.contains(&"Macro blog/2026-11-02-rings.md:7 `%RING_NAME%`".to_owned()), "{lost:?}");
    assert!(!lost.iter().any(|loss| loss.starts_with("Component")), "{lost:?}");
}

#[test]
fn posts_of_mkdocs_are_below_their_front_page() {
    let yml = "site_name: T\nplugins: [blog]\nnav: [index.md, Blog: [blog/index.md]]\n";
    let post = "---\ndate:\n  created: 2026-11-02\nauthors: [ada]\n---\n\n# Faster rings\n\nText\n";
    let files = [
        ("mkdocs.yml", yml),
        ("docs/index.md", "# T\n"),
        ("docs/blog/index.md", "# Blog\n"),
        ("docs/blog/.authors.yml", "authors:\n  ada: { name: Ada }\n"),
        ("docs/blog/posts/one.md", post),
    ];
    let import = mkdocs(&book(&files)).expect("it can be read");
    let files = texts(&import);
    let page = "---\ntitle: Faster rings\ndate: 2026-11-02\nauthor: Ada\naliases: [blog/2026/11/02/faster-rings/index.html]\n---\n\nText\n";
    assert_eq!(files["content/blog/faster-rings.md"], page, "{files:?}");
    assert_eq!(
        files["content/blog/index.md"],
        "---\ntitle: Blog\npages:\n  order: newest\n---\n\n- [Faster rings](faster-rings.md)\n"
    );
    assert_eq!(losses(&import), ["Blog docs/blog/posts/:0 1 post: pages with their dates and authors"]);
}
