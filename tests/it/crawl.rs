//! A crawl over every page of a site: what it links to is there, what it says of itself holds, and it asks for nothing
//! that its own policy forbids.

mod random;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use infralens_source::output::{Files, is_hashed};
use infralens_source::url;

use crate::harness::{SiteTest, repository};
use crate::html::Tree;
use crate::page::{frame, notes, outline, pictures};
use crate::sites;

/// Attributes that hold a URL.
const URLS: [&str; 6] = ["href", "src", "poster", "action", "data", "srcset"];
const SCHEMES: [&str; 4] = ["http://", "https://", "mailto:", "tel:"];

/// The pages of a site, read.
struct Site<'f> {
    files: &'f Files,
    /// Under which path the site stands, for its 404 page.
    base: &'f str,
    pages: BTreeMap<&'f str, Page>,
    problems: Vec<String>,
}

struct Page {
    tree: Tree,
    ids: BTreeSet<String>,
}

/// Reads the pages of a site that stands under the path `base`.
fn read<'f>(files: &'f Files, base: &'f str) -> Site<'f> {
    let mut site = Site { files, base, pages: BTreeMap::new(), problems: Vec::new() };
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".html")) {
        match std::str::from_utf8(bytes.as_ref()) {
            Ok(html) => site.read(path, html),
            Err(_) => site.problems.push(format!("{path}: not UTF-8")),
        }
    }
    site
}

/// What is wrong with a site that stands under the path `base`.
pub fn crawl(files: &Files, base: &str) -> Vec<String> {
    let mut site = read(files, base);
    let pages = std::mem::take(&mut site.pages);
    for (path, page) in &pages {
        let found = frame(&page.tree)
            .into_iter()
            .chain(outline(&page.tree))
            .chain(pictures(&page.tree))
            .chain(notes(&page.tree));
        site.problems.extend(found.map(|problem| format!("{path}: {problem}")));
    }
    site.pages = pages;
    site.links();
    site.lists();
    site.copies();
    site.reach();
    site.problems
}

/// What is wrong with the ids of one page and with the links within it.
pub fn fragments(html: &str) -> Vec<String> {
    let tree = Tree::parse(html);
    let mut ids = BTreeSet::new();
    let all = tree.elements().filter_map(|(_, node)| node.attribute("id"));
    let mut problems: Vec<String> =
        all.filter(|id| !ids.insert((*id).to_owned())).map(|id| format!("the id `{id}` stands twice")).collect();
    let targets = tree.named("a").filter_map(|(_, node)| node.attribute("href")?.strip_prefix('#'));
    let lost = targets.map(url::decode).filter(|id| !id.is_empty() && !ids.contains(id));
    problems.extend(lost.map(|id| format!("`#{id}` is not there")));
    problems
}

impl<'f> Site<'f> {
    fn read(&mut self, path: &'f str, html: &str) {
        if !html.starts_with("<!doctype html>\n") {
            self.problems.push(format!("{path}: no doctype on the first line"));
        }
        let tree = Tree::parse(html);
        self.problems.extend(tree.problems.iter().map(|problem| format!("{path}: {problem}")));
        let mut ids = BTreeSet::new();
        for id in tree.elements().filter_map(|(_, node)| node.attribute("id")) {
            if id.is_empty() || id.contains(char::is_whitespace) {
                self.problems.push(format!("{path}: `{id}` is no id"));
            }
            if !ids.insert(id.to_owned()) {
                self.problems.push(format!("{path}: the id `{id}` stands twice"));
            }
        }
        self.pages.insert(path, Page { tree, ids });
    }

    /// Every URL of every page and style leads to a file of the site and to an id there.
    fn links(&mut self) {
        let mut problems = Vec::new();
        for (path, page) in &self.pages {
            for (_, node) in page.tree.elements() {
                for (name, value) in node.attributes.iter().filter(|(name, _)| URLS.contains(&name.as_str())) {
                    if let Err(why) = self.target(path, value) {
                        problems.push(format!("{path}: {name}=\"{value}\" {why}"));
                    }
                }
                // What scripts load later.
                let root = node.attribute("data-root").unwrap_or_default();
                let later = node.attribute("data-dialogs").map(|dialogs| format!("{root}{dialogs}"));
                let orders = node.attribute("data-orders").unwrap_or_default().split_whitespace().map(str::to_owned);
                let scripts = ["data-calc", "data-seldom"].into_iter().filter(|_| node.name == "script");
                let attributes = scripts.chain(["data-script", "data-style"]);
                let named = attributes.filter_map(|name| node.attribute(name).map(str::to_owned));
                let later = later.into_iter().chain(orders).chain(named);
                problems.extend(later.filter_map(|to| Some(format!("{path}: {to} {}", self.target(path, &to).err()?))));
                for list in ["aria-labelledby", "aria-describedby", "aria-controls", "for"] {
                    for id in node.attribute(list).unwrap_or_default().split_whitespace() {
                        if !page.ids.contains(id) {
                            problems.push(format!("{path}: {list} names `{id}`, which is not there"));
                        }
                    }
                }
            }
            if let Some(to) = redirect(&page.tree) {
                problems
                    .extend(self.target(path, &to).err().map(|why| format!("{path}: it sends to {to}, which {why}")));
            }
        }
        for (path, style) in self.files.iter().filter(|(path, _)| path.ends_with(".css")) {
            let style = String::from_utf8_lossy(style.as_ref());
            for part in style.split("url(").skip(1) {
                let to = part.split(')').next().unwrap_or_default().trim_matches(['"', '\'']);
                problems.extend(self.target(path, to).err().map(|why| format!("{path}: url({to}) {why}")));
            }
        }
        self.problems.extend(problems);
    }

    /// The path and the fragment that a URL on a page leads to; nothing for one that leads out.
    fn target(&self, from: &str, target: &str) -> Result<Option<String>, String> {
        if SCHEMES.iter().any(|scheme| target.to_ascii_lowercase().starts_with(scheme)) {
            return Ok(None);
        }
        let (path, fragment) = target.split_once('#').map_or((target, None), |(path, rest)| (path, Some(rest)));
        if path.contains('?') {
            return Err("has a query, which means nothing to a static host".into());
        }
        let path = match path.strip_prefix(self.base).filter(|_| from == "404.html") {
            Some(below) => url::decode(below),
            None if from == "404.html" && !path.is_empty() => return Err(format!("does not begin with {}", self.base)),
            None if path.is_empty() => from.to_owned(),
            None if path.starts_with('/') || path.contains("://") => return Err("is not relative".into()),
            None => url::join(url::folder(from), &url::decode(path)).ok_or("leads above the site")?,
        };
        let Some(file) = self.files.get(&path) else { return Err(format!("leads to `{path}`, which is not there")) };
        // A page that is open while the site is published again loads what it belongs to or nothing.
        if path.starts_with("assets/")
            && (path.ends_with(".css") || path.ends_with(".js"))
            && !is_hashed(&path, file.as_ref())
        {
            return Err(format!("leads to `{path}`, whose name does not have the hash of its bytes"));
        }
        let id = fragment.map(url::decode).filter(|id| !id.is_empty());
        match (id, self.pages.get(path.as_str())) {
            (Some(id), Some(page)) if !page.ids.contains(&id) => {
                Err(format!("leads to `#{id}`, which `{path}` does not have"))
            }
            (Some(id), None) if !path.ends_with(".svg") => {
                Err(format!("leads to `#{id}` in `{path}`, which is no page"))
            }
            _ => Ok(Some(path)),
        }
    }

    /// Copies in Markdown lead to files that are there, each beside its page.
    fn copies(&mut self) {
        let base = base_url(self.files);
        let mut problems = Vec::new();
        let is_generated = |path: &str| ["/print.html", "/calculators.html"].iter().any(|end| path.ends_with(end));
        for path in self.pages.keys().filter(|path| path.starts_with("tracks/") && !is_generated(path)) {
            let copy = path.replace(".html", ".md");
            let is_old = redirect(&self.pages[path].tree).is_some();
            if !is_old && !self.files.contains_key(&copy) {
                problems.push(format!("{path}: it has no copy in Markdown"));
            }
        }
        for (path, bytes) in self.files.iter().filter(|(path, _)| path.ends_with(".md") && !path.starts_with("code/")) {
            let text = String::from_utf8_lossy(bytes.as_ref());
            let page = path.replace(".md", ".html");
            if !text.starts_with("# ") || !self.pages.contains_key(page.as_str()) {
                problems.push(format!("{path}: no copy of a page"));
            }
            for event in pulldown_cmark::Parser::new_ext(&text, pulldown_cmark::Options::all()) {
                use pulldown_cmark::{Event, Tag};
                let Event::Start(Tag::Link { dest_url, link_type, .. } | Tag::Image { dest_url, link_type, .. }) =
                    event
                else {
                    continue;
                };
                let below = dest_url.strip_prefix(base.as_str()).filter(|_| !base.is_empty());
                let is_out =
                    SCHEMES.iter().any(|scheme| dest_url.to_ascii_lowercase().starts_with(scheme)) && below.is_none();
                if is_out || dest_url.starts_with('#') || link_type == pulldown_cmark::LinkType::Email {
                    continue;
                }
                let (to, id) = dest_url.split_once('#').unwrap_or((&dest_url, ""));
                let to = match below {
                    Some(_) => Some(url::decode(&to[base.len()..])),
                    None => url::join(url::folder(path), &url::decode(to)),
                };
                let to = to.unwrap_or_default();
                // The copy of a page has the headings of the page.
                let of_page = to.replace(".md", ".html");
                let lacks = |page: &Page| !id.is_empty() && !page.ids.contains(&url::decode(id));
                let is_lost = self.pages.get(of_page.as_str()).is_some_and(lacks);
                if !self.files.contains_key(&to) || is_lost {
                    problems.push(format!("{path}: {dest_url} leads nowhere"));
                }
            }
        }
        self.problems.extend(problems);
    }

    /// The lists for programs name pages that are there.
    fn lists(&mut self) {
        let base = self.files.get("sitemap.xml").map(|_| base_url(self.files));
        let mut urls: Vec<(String, String)> = Vec::new();
        for name in ["sitemap.xml", "feed.xml"] {
            let Some(file) = self.files.get(name) else { continue };
            let text = String::from_utf8_lossy(file.as_ref()).into_owned();
            match resvg::usvg::roxmltree::Document::parse(&text) {
                Ok(xml) => urls.extend(xml.descendants().filter_map(|node| match node.tag_name().name() {
                    "loc" => Some((name.to_owned(), node.text().unwrap_or_default().to_owned())),
                    "link" => Some((name.to_owned(), node.attribute("href").unwrap_or_default().to_owned())),
                    _ => None,
                })),
                Err(error) => self.problems.push(format!("{name}: {error}")),
            }
        }
        let llms = self.files.get("llms.txt").map(|file| String::from_utf8_lossy(file.as_ref()).into_owned());
        for line in llms.unwrap_or_default().lines().filter(|line| line.starts_with("- [")) {
            let url = line.split("](").nth(1).and_then(|rest| rest.split(')').next()).unwrap_or_default();
            urls.push(("llms.txt".into(), url.to_owned()));
        }
        let json = self.files.get("course.json").map(|file| String::from_utf8_lossy(file.as_ref()).into_owned());
        match serde_json::from_str(&json.unwrap_or_default()) {
            Ok(course) => json_urls(&course, &mut urls),
            Err(error) => self.problems.push(format!("course.json: {error}")),
        }
        for (list, url) in urls {
            let below = base.as_deref().and_then(|base| url.strip_prefix(base)).unwrap_or(&url);
            let path = url::decode(below.split('#').next().unwrap_or_default());
            if !self.files.contains_key(if path.is_empty() { "index.html" } else { &path }) {
                self.problems.push(format!("{list}: {url} is not there"));
            }
        }
    }

    /// Every page but the 404 page and redirects can be reached from the home page.
    fn reach(&mut self) {
        let mut seen = BTreeSet::from(["index.html".to_owned()]);
        let mut open = VecDeque::from(["index.html".to_owned()]);
        while let Some(path) = open.pop_front() {
            let Some(page) = self.pages.get(path.as_str()) else {
                continue;
            };
            let hrefs = page.tree.named("a").filter_map(|(_, node)| node.attribute("href"));
            for target in hrefs.filter_map(|href| self.target(&path, href).ok().flatten()) {
                if seen.insert(target.clone()) {
                    open.push_back(target);
                }
            }
        }
        for (path, page) in &self.pages {
            // Nothing cites, so nothing leads to the list of what is cited.
            let is_empty = path.ends_with("references.html") && !page.ids.iter().any(|id| id.starts_with("R-"));
            // The course's own templates may do without the link to it.
            let is_paper = path.ends_with("/print.html");
            let needs_none = *path == "404.html" || is_empty || is_paper || redirect(&page.tree).is_some();
            if !needs_none && !seen.contains(*path) {
                self.problems.push(format!("{path}: no way leads here from index.html"));
            }
        }
    }
}

fn base_url(files: &Files) -> String {
    let course =
        files.get("course.json").and_then(|file| serde_json::from_slice::<serde_json::Value>(file.as_ref()).ok());
    course.and_then(|course| Some(course["base_url"].as_str()?.to_owned())).unwrap_or_default()
}

fn json_urls(value: &serde_json::Value, urls: &mut Vec<(String, String)>) {
    const NAMES: [&str; 10] =
        ["url", "raw", "folder", "labs_page", "practice", "order", "after", "needed_by", "handbook", "sections"];
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                let texts: Vec<&serde_json::Value> =
                    value.as_array().map_or_else(|| vec![value], |all| all.iter().collect());
                for text in texts.iter().filter_map(|text| text.as_str()).filter(|_| NAMES.contains(&key.as_str())) {
                    urls.push(("course.json".into(), text.to_owned()));
                }
                json_urls(value, urls);
            }
        }
        serde_json::Value::Array(all) => all.iter().for_each(|value| json_urls(value, urls)),
        _ => {}
    }
}

fn redirect(tree: &Tree) -> Option<String> {
    let refresh = tree.named("meta").find(|(_, node)| node.attribute("http-equiv") == Some("refresh"))?;
    refresh.1.attribute("content")?.split_once("url=").map(|(_, url)| url.to_owned())
}

#[test]
fn every_test_course_and_the_own_one_hold_together() {
    let mut problems = Vec::new();
    for case in sites::cases() {
        let test = sites::course(&case);
        let files = test.build().site();
        let base = test.options.base_url.as_ref().map_or("/", |url| url.path()).to_owned();
        problems.extend(crawl(&files, &base).into_iter().map(|problem| format!("{case}: {problem}")));
    }
    let own = SiteTest::own().build().site();
    problems.extend(crawl(&own, "/").into_iter().map(|problem| format!("the own course: {problem}")));
    let begun = SiteTest::copy_of(&repository("crates/author/src/scaffold/init")).build().site();
    problems.extend(crawl(&begun, "/").into_iter().map(|problem| format!("a new course: {problem}")));
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// A page of a site that is whole but for what is put into its main part.
fn spoilt(inside: &str) -> Vec<String> {
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'\"><title>t</title></head><body><main><h1>t</h1>{inside}</main></body></html>"
    );
    let files: Files =
        [("index.html", page), ("course.json", "{}".into())].map(|(path, text)| (path.into(), text.into())).into();
    crawl(&files, "/")
}

#[test]
fn the_crawl_finds_what_is_wrong() {
    assert_eq!(spoilt("<h2>a</h2><p><a href=\"#x\" id=\"x\">b</a></p>"), [""; 0]);
    let wrong = [
        ("<a href=\"gone.html\">x</a>", "gone.html"),
        ("<a href=\"#gone\">x</a>", "#gone"),
        ("<a href=\"/index.html\">x</a>", "not relative"),
        ("<a href=\"javascript:x\">x</a>", "a link that runs"),
        ("<b id=\"x\">a</b><b id=\"x\">b</b>", "twice"),
        ("<p style=\"color:red\">x</p>", "`style`"),
        ("<p onclick=\"x\">x</p>", "`onclick`"),
        ("<script>x</script>", "inline <script>"),
        ("<h3>x</h3>", "<h3>"),
        ("<img src=\"index.html\" alt=\"x\">", "a size"),
        (
            "<figure><pre class=\"listing\"><a id=\"l\" class=\"marker\" href=\"#n\">1</a></pre></figure><p id=\"n\">x</p>",
            "no note",
        ),
        (
            "<figure><pre class=\"listing\"><b id=\"l\">x</b></pre></figure><ol class=\"notes\"><li id=\"n\">x</li></ol>",
            "leads back",
        ),
    ];
    for (inside, expected) in wrong {
        let problems = spoilt(inside);
        assert!(problems.iter().any(|problem| problem.contains(expected)), "{inside}: {problems:?}");
    }
}
