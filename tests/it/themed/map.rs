//! The pages that show the reading map.

use super::fixture::{Fixture, Themed};

/// A section, with more front matter.
fn section(title: &str, more: &str) -> String {
    format!("---\ntitle: {title}\nsummary: About {title}\n{more}---\n\nText.\n")
}

/// A lab without questions that practices some sections, with more front matter.
fn lab(title: &str, handbook: &str, more: &str) -> String {
    let starter = "starter: { file: x/a.py, type: T, angle: A }";
    format!(
        "---\ntitle: {title}\nfocus: F\nreads: R\noutcome: O {title}\nhandbook: [{handbook}]\n{starter}\n{more}---\n"
    )
}

fn fixture(files: &[(&str, String)]) -> Fixture {
    let mut all = vec![("code/x/a.py", "x = 1\n")];
    all.extend(files.iter().map(|(path, text)| (*path, text.as_str())));
    Fixture::new(&all)
}

/// Makes a site whose second track has these ways and groups, and two labs.
fn ways() -> Themed {
    let front = "---\ntitle: Two\nsummary: S\ngroups:\n  A / B: Why?\nways:\n  All: [lab-01-p, more]\n  Part: [lab-02-q]\n---\n";
    let group = "group: A / B\n";
    fixture(&[
        ("content/tracks/two/index.md", front.to_owned()),
        ("content/tracks/two/labs/lab-01-p.md", lab("P", "more", group)),
        ("content/tracks/two/labs/lab-02-q.md", lab("Q", "more", group)),
        ("content/tracks/two/labs/lab-03-r.md", lab("R", "more, one/basics", "")),
    ])
    .theme()
}

#[test]
fn a_tracks_page_has_one_map() {
    let themed = ways();
    let html = &themed.files["tracks/two/index.html"];
    assert_eq!((html.matches("<table").count(), html.matches("<div class=\"wide map\">").count()), (1, 1));
    assert_eq!(html.matches("<th scope=\"col\"").count(), 6);
    assert!(html.contains(">A / B <span>Why?</span></th>"), "the question of the group");
    assert_eq!(html.matches("type=\"radio\"").count(), 3, "everything, and two ways");
    let classes: Vec<&str> = html.split("<tr").skip(2).map(|row| row.split('>').next().unwrap()).collect();
    assert_eq!(classes, [" class=\"group\"", " class=\"in-1\"", " class=\"in-2\"", ""]);
    // Another track's page has its track's name with it.
    assert!(html.contains("</span> Track One §1 The basics</a>"));
    assert!(!html.contains(">Lab 01</a>"));
    let lab = &themed.files["tracks/two/labs/lab-01-p.html"];
    assert!(lab.contains("<a href=\"../handbook/more.html\" data-read=\"tracks/two/handbook/more.html\">§1 More</a>"));
    assert!(themed.files["tracks/two/labs/index.html"].contains("Handbook</a>"));
}

#[test]
fn a_track_of_one_lab_has_no_table() {
    let lab = ("content/tracks/two/labs/lab-01-z.md", lab("Z", "more", "after: [one/lab-02-y]\n"));
    let html = &fixture(&[lab]).theme().files["tracks/two/index.html"];
    assert!(!html.contains("<table") && !html.contains("class=\"gauge\""));
    assert!(html.contains("It assumes, from Track One"));
    let assumed = html.split("class=\"assumed\"").nth(1).unwrap();
    assert!(assumed.contains("Lab 02: Beta &lt;b&gt;</a>"), "full names");
}

#[test]
fn an_unnumbered_section_has_no_bare_mark() {
    let primer = ("content/tracks/one/handbook/05-primer.md", section("Primer", "numbered: false\n"));
    let basics = ("content/tracks/one/handbook/01-basics.md", section("Basics", "after: [primer]\n"));
    let themed = fixture(&[primer, basics]).theme();
    for (path, html) in themed.files.iter().filter(|(path, _)| path.ends_with(".html")) {
        assert!(!html.contains(">§<") && !html.contains("§ "), "{path}");
    }
    assert!(themed.files["tracks/one/index.html"].contains("· primer</span>"));
    let lab = &themed.files["tracks/one/labs/lab-01-x.html"];
    let read_first = lab.split("class=\"read-first\"").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(read_first.find("§1 Basics").unwrap() < read_first.find("Before that,").unwrap());
}

#[test]
fn twenty_tracks_have_a_map_each() {
    let names: Vec<String> = (0..20).map(|number| format!("t{number}")).collect();
    let mut files = vec![
        ("content/site.yaml".to_owned(), format!("title: Many\ntracks: [one, two, {}]\n", names.join(", "))),
        ("code/x/a.py".to_owned(), "x = 1\n".to_owned()),
    ];
    for name in &names {
        let folder = format!("content/tracks/{name}");
        files.push((format!("{folder}/index.md"), format!("---\ntitle: Track {name}\nsummary: S\n---\n")));
        files.push((format!("{folder}/handbook/01-s.md"), section("S", "")));
        files.push((format!("{folder}/labs/lab-01-a.md"), lab("A", "s", "")));
        files.push((format!("{folder}/labs/lab-02-b.md"), lab("B", "s", "after: [one/lab-01-x]\n")));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let themed = Fixture::new(&files).theme();
    for name in &names {
        let html = &themed.files[&format!("tracks/{name}/index.html")];
        assert_eq!(html.matches("<table").count(), 1, "{name}");
        assert!(html.contains("Track One lab 01: Alpha</a>"), "{name}");
    }
}
