//! Stories: what happens to a small course when it is edited, told by the program itself. The course is
//! `tests/guide/course`; the file that its lab reads is the guide's own, without markers, for the lab shows a function.

use std::collections::BTreeMap;
use std::fs;
use std::process::Output;

use super::fence;
use crate::diff::commit_all;
use crate::harness::{SiteTest, repository};

const LAB: &str = "content/tracks/limits/labs/lab-01-bucket.md";
const CODE: &str = "code/lab-01-bucket/bucket.py";

/// Every story by its name.
pub fn tell() -> BTreeMap<&'static str, String> {
    let mut stories = BTreeMap::new();
    first(&mut stories);
    slip(&mut stories);
    link(&mut stories);
    change(&mut stories);
    comment(&mut stories);
    review(&mut stories);
    template(&mut stories);
    look(&mut stories);
    people(&mut stories);
    elsewhere(&mut stories);
    publish(&mut stories);
    stories
}

fn course() -> SiteTest {
    let test = SiteTest::copy_of(&repository("tests/guide/course"));
    let code = fs::read_to_string(repository("code/guide/bucket.py")).expect("the guide's starter");
    let unmarked: String = code.split_inclusive('\n').filter(|line| !line.contains("# ANCHOR")).collect();
    test.write(CODE, unmarked);
    let output = test.run(&["check", "--strict"]);
    assert!(output.stderr.is_empty(), "the course is not in order before anything is edited: {output:?}");
    test
}

/// A command and all that it prints, or only what it prints on standard output.
fn typed(test: &SiteTest, line: &str, all: bool) -> String {
    let arguments: Vec<&str> = line.split(' ').skip(1).collect();
    let Output { stdout, stderr, .. } = test.run(&arguments);
    let read = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let messages = if all { read(stderr) } else { String::new() };
    fence("text", &format!("$ {line}\n{messages}{}", read(stdout)))
}

/// A file of the course before and after what `edit` does to it, as a diff.
fn edited(test: &SiteTest, path: &str, edit: impl FnOnce(&SiteTest)) -> String {
    let read = || fs::read_to_string(test.root().join(path)).expect("a file of the course");
    let before = read();
    edit(test);
    difference(path, &before, &read())
}

fn difference(path: &str, before: &str, after: &str) -> String {
    let diff = similar::TextDiff::from_lines(before, after);
    let text = diff.unified_diff().context_radius(1).header(&format!("a/{path}"), &format!("b/{path}")).to_string();
    fence("diff", &text)
}

/// A site of people, from an empty folder: what its author writes, what is wrong with it, and what comes out.
fn people(stories: &mut BTreeMap<&'static str, String>) {
    let of = |path: &str| fs::read_to_string(repository(&format!("tests/guide/people/{path}"))).expect("a file");
    let folder = SiteTest::empty();
    stories.insert("people-init", typed(&folder, "infralens init --empty team", true));
    let test = SiteTest::copy_of(&folder.root().join("team"));
    for (story, language, file, path) in [
        ("people-front", "markdown", "index.md", "content/people/index.md"),
        ("people-page", "markdown", "ada.md", "content/people/ada.md"),
        ("people-template", "jinja", "people.html", "templates/people.html"),
        ("people-styles", "css", "custom.css", "static/custom.css"),
    ] {
        stories.insert(story, fence(language, &of(file)));
        test.write(path, of(file));
    }
    test.write("content/people/grace.md", "---\ntitle: Grace Hopper\n---\n");
    stories.insert("people-check", typed(&test, "infralens check", true));
    test.write("content/people/grace.md", "---\ntitle: Grace Hopper\nextra: { role: Reviewer }\n---\n");
    test.write("content/people/ada.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 96 96\"/>");
    let built = test.build();
    assert_eq!(built.human(), "");
    let page = String::from_utf8_lossy(built.site()["people/index.html"].as_ref()).into_owned();
    let (from, to) = (page.find("<ul class=\"people\">").expect("a list"), "</ul>");
    let end = from + page[from..].find(to).expect("its end") + to.len();
    stories.insert("people-made", fence("html", &page[from..end]));
}

/// A README outside a course: the fence is filled, the code changes, and the note is named.
fn elsewhere(stories: &mut BTreeMap<&'static str, String>) {
    let test = SiteTest::empty();
    let read = |path: &str| fs::read_to_string(test.root().join(path)).expect("a file of the repository");
    let code = fs::read_to_string(repository("tests/guide/retry.py")).expect("the code of the README");
    let page = fs::read_to_string(repository("tests/guide/README.md")).expect("the README");
    test.write(".git/HEAD", "").write("src/retry.py", &code).write("README.md", &page);
    stories.insert("elsewhere-code", fence("python", &code));
    stories.insert("elsewhere-page", fence("markdown", &page));
    stories.insert("elsewhere-sync", typed(&test, "infralens sync README.md", true));
    stories.insert("elsewhere-filled", fence("markdown", &read("README.md")));
    test.edit("src/retry.py", "2 ** attempt", "min(2 ** attempt, 60)");
    stories.insert("elsewhere-check", typed(&test, "infralens check README.md", true));
    stories.insert("elsewhere-accept", typed(&test, "infralens sync README.md --accept", true));
}

/// What `init` prints for each host, and the settings of servers, which are files.
fn publish(stories: &mut BTreeMap<&'static str, String>) {
    let test = course();
    stories.insert("publish-github", typed(&test, "infralens init --ci github .", true));
    stories.insert("publish-gitlab", typed(&test, "infralens init --ci gitlab .", true));
    let workflow = fs::read_to_string(test.root().join(".github/workflows/site.yml")).expect("the workflow");
    let lines: Vec<&str> = workflow.lines().skip(8).take(2).map(str::trim_start).collect();
    assert!(lines[0].starts_with("ARCHIVE: ") && lines[1].starts_with("SHA256: "), "{lines:?}");
    let other = fs::read_to_string(test.root().join(".gitlab-ci.yml")).expect("the workflow");
    assert!(other.lines().nth(5).is_some_and(|line| line.trim_start() == lines[0]), "{other}");
    stories.insert("publish-archive", fence("yaml", &lines.join("\n")));
    let files = [
        ("publish-headers", "text", "_headers"),
        ("publish-nginx", "nginx", "nginx.conf"),
        ("publish-caddy", "text", "Caddyfile"),
    ];
    for (name, language, file) in files {
        let content =
            fs::read_to_string(repository(&format!("tests/guide/publish/{file}"))).expect("the settings of a host");
        stories.insert(name, fence(language, &content));
    }
}

/// From an empty folder to a lab with three notes, as the guide's first page leads there.
fn first(stories: &mut BTreeMap<&'static str, String>) {
    let of =
        |path: &str| fs::read_to_string(repository(&format!("tests/guide/lab/{path}"))).expect("a file of the lab");
    let folder = SiteTest::empty();
    stories.insert("init", typed(&folder, "infralens init queue", true));
    let test = SiteTest::copy_of(&folder.root().join("queue"));
    fs::write(test.above().join("recent.py"), of("recent.py")).expect("the file that the lab reads");
    stories.insert("lab-code", fence("python", &of("recent.py")));
    stories.insert("lab-new", typed(&test, "infralens new lab queues/recent --starter ../recent.py", true));
    test.write("content/tracks/queues/labs/lab-03-recent.md", of("lab-03-recent.md"));
    stories.insert("lab-page", fence("markdown", &of("lab-03-recent.md")));
    test.write("code/lab-03-recent/README.md", of("README.md"));
    stories.insert("lab-readme", fence("markdown", &of("README.md")));
    stories.insert("lab-sync", typed(&test, "infralens sync", true));
    stories.insert("lab-check", typed(&test, "infralens check --strict", true));
    assert!(stories["lab-check"].contains("the course builds"), "{}", stories["lab-check"]);
}

/// A note that names what is not there.
fn slip(stories: &mut BTreeMap<&'static str, String>) {
    let test = course();
    test.edit(LAB, "1. `self.refill(now)`", "1. `refil`");
    stories.insert("slip", typed(&test, "infralens check", true));
}

/// A link to a page that is not there, as a human and as a machine is told.
fn link(stories: &mut BTreeMap<&'static str, String>) {
    let test = course();
    test.edit(LAB, "## Spending\n", "## Spending\n\nMore in the [handbook](../handbook/01-token-buckets.md).\n");
    stories.insert("check", typed(&test, "infralens check", true));
    stories.insert("check-json", typed(&test, "infralens check --format json", true));
}

/// Code that changes under its notes, from the edit to the change that a reviewer sees.
fn change(stories: &mut BTreeMap<&'static str, String>) {
    let test = course();
    let debt = |test: &SiteTest| {
        test.edit(CODE, "if self.tokens < count:", "if self.tokens <= 0:");
    };
    stories.insert("change", edited(&test, CODE, debt));
    stories.insert("change-check", typed(&test, "infralens check", true));
    stories.insert("change-sync", typed(&test, "infralens sync", false));
    let before = fs::read_to_string(test.root().join(LAB)).expect("the lab");
    test.edit(
        LAB,
        "2. `if self.tokens < count` — a request for more tokens than there are leaves the bucket unchanged.",
        "2. `if self.tokens <= 0` — one token is enough; a request for more takes the bucket below zero.",
    );
    test.edit(
        LAB,
        "never goes below zero, because the line above has checked it.",
        "may go below zero; later requests then have to wait longer.",
    );
    let line = 1 + before.lines().position(|line| line.starts_with("```python")).expect("the excerpt");
    stories.insert("change-accept", typed(&test, &format!("infralens sync --accept {LAB}:{line}"), true));
    let after = fs::read_to_string(test.root().join(LAB)).expect("the lab");
    stories.insert("change-review", difference(LAB, &before, &after));
    stories.insert("change-done", typed(&test, "infralens check --strict", true));
}

/// Of two notes that a change makes wrong, its author has seen one; in a repository with one commit.
fn review(stories: &mut BTreeMap<&'static str, String>) {
    let test = course();
    commit_all(&test);
    test.edit(CODE, "if self.tokens < count:", "if self.tokens <= 0:");
    test.edit(LAB, "    if self.tokens < count:", "    if self.tokens <= 0:");
    test.edit(
        LAB,
        "2. `if self.tokens < count` — a request for more tokens than there are leaves the bucket unchanged.",
        "2. `if self.tokens <= 0` — one token is enough; a request for more takes the bucket below zero.",
    );
    stories.insert("diff", typed(&test, "infralens diff main", true));
}

/// Code that changes beside its notes.
fn comment(stories: &mut BTreeMap<&'static str, String>) {
    let test = course();
    test.edit(CODE, "        self.tokens -= count\n", "        # whole tokens only\n        self.tokens -= count\n");
    stories.insert("comment-check", typed(&test, "infralens check", true));
    stories.insert("comment-sync", typed(&test, "infralens sync", true));
}

/// A template of the course's own, with a style beside the built-in one.
fn template(stories: &mut BTreeMap<&'static str, String>) {
    const TEMPLATE: &str = r#"{% extends "base.html" %}
{% block head %}<link rel="stylesheet" href="{{ page.root }}own.css">{% endblock %}
"#;
    let test = course();
    test.write("templates/page.html", TEMPLATE).write("static/own.css", "h1 { color: teal }\n");
    test.write("content/x/about.md", "---\ntitle: About\n---\n");
    let files = test.build().site();
    let page = String::from_utf8_lossy(files["x/about.html"].as_ref()).into_owned();
    assert!(page.contains("<link rel=\"stylesheet\" href=\"../own.css\">") && files.contains_key("own.css"), "{page}");
    stories.insert("template", fence("jinja", TEMPLATE));
}

/// A course with a logo, colors, fonts and links of its own, and a copy of a built-in template.
fn look(stories: &mut BTreeMap<&'static str, String>) {
    const PICTURE: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 28 28\"/>";
    let settings = fs::read_to_string(repository("tests/guide/look.yaml")).expect("the settings");
    let test = course();
    let plain = fs::read_to_string(test.root().join("content/site.yaml")).expect("the settings of the course");
    test.write("content/site.yaml", plain + &settings).write("static/license.txt", "MIT\n");
    for picture in ["logo", "logo-dark", "icon"] {
        test.write(&format!("static/brand/{picture}.svg"), PICTURE);
    }
    for font in ["literata", "literata-italic"] {
        test.write(&format!("static/fonts/{font}.woff2"), b"wOF2\xff");
    }
    stories.insert("look", fence("yaml", &settings));
    stories.insert("look-contrast", typed(&test, "infralens check", true));
    let contrast = &stories["look-contrast"];
    let (_, shade) = contrast.split_once("background is `").expect("a shade");
    test.edit("content/site.yaml", "#d9480f", &shade[..7]);
    stories.insert("look-check", typed(&test, "infralens check --strict", true));
    assert!(stories["look-check"].contains("the course builds"), "{}", stories["look-check"]);
    let listed = typed(&test, "infralens eject --list", true);
    let first: Vec<&str> = listed.lines().take(11).collect();
    stories.insert("eject-list", first.join("\n") + "\n  …\n~~~~");
    stories.insert("eject", typed(&test, "infralens eject next", true));
    let copy = fs::read_to_string(test.root().join("templates/parts/next.html")).expect("the copy");
    stories.insert("eject-copy", fence("jinja", &copy));
}
