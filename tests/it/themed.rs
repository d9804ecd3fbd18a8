//! Small courses in memory, and the pages that the theme makes of them.

mod fixture;
mod laws;
mod map;
mod words;

use fixture::{Fixture, SITE};

use infralens_source::diag::codes;

const LAB: &str = "tracks/one/labs/lab-01-x.html";

/// The text of the cells of the first table, row by row.
fn table(html: &str) -> Vec<Vec<String>> {
    let table = html.split("<table").nth(1).and_then(|rest| rest.split("</table>").next()).expect("a table");
    let cells = |row: &str| {
        let cells = row.split("<t").skip(1).filter(|cell| cell.starts_with("d ") || cell.starts_with("h "));
        cells.map(|cell| text(&format!("<t{cell}"))).collect()
    };
    table.split("<tr").skip(1).map(cells).collect()
}

fn text(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => inside = false,
            _ if !inside => text.push(c),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_page_of_a_course_is_made() {
    let themed = Fixture::new(&[]).theme();
    assert_eq!(themed.diagnostics, []);
    let is_elsewhere = |path: &str| ["assets/", "search/", "favicon"].iter().any(|of| path.starts_with(of));
    let paths: Vec<&str> = themed.files.keys().map(String::as_str).filter(|path| !is_elsewhere(path)).collect();
    let expected = [
        "404.html",
        "about.html",
        "about.md",
        "code/lab-01-x/a.py",
        "code/lab-01-x/a.py.html",
        "code/lab-01-x/index.html",
        "code/lab-02-y/a.py",
        "code/lab-02-y/a.py.html",
        "code/lab-02-y/index.html",
        "course.json",
        "glossary.html",
        "glossary.md",
        "index.html",
        "index.md",
        "llms.txt",
        "old/about.html",
        "progress.html",
        "references.html",
        "robots.txt",
        "tracks/one/cards.txt",
        "tracks/one/handbook/basics.html",
        "tracks/one/handbook/basics.md",
        "tracks/one/index.html",
        "tracks/one/index.md",
        "tracks/one/labs/index.html",
        "tracks/one/labs/index.md",
        "tracks/one/labs/lab-01-x.html",
        "tracks/one/labs/lab-01-x.md",
        "tracks/one/labs/lab-02-y.html",
        "tracks/one/labs/lab-02-y.md",
        "tracks/one/practice.html",
        "tracks/one/practice.md",
        "tracks/one/print.html",
        "tracks/two/handbook/more.html",
        "tracks/two/handbook/more.md",
        "tracks/two/index.html",
        "tracks/two/index.md",
        "tracks/two/print.html",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn the_curriculum_describes_each_lab() {
    let themed = Fixture::new(&[]).theme();
    let html = &themed.files["tracks/one/labs/index.html"];
    assert!(html.contains("<h2 id=\"I-labs\">2 code-reading labs</h2>"));
    let columns = "Lab | Topic | Concept focus | What you read | What you should be able to explain | Open | Starter";
    let rows = table(html);
    assert_eq!(rows[0].join(" | "), columns);
    assert_eq!(rows[1].join(" | "), "02 | Beta &lt;b&gt; | F | R | Explain beta | Open lab 02 1 min | lab-02-y");
    assert_eq!(rows[2].join(" | "), "Foundation");
    assert_eq!(rows[3].join(" | "), "01 | Alpha | F | R | Explain alpha | Open lab 01 1 min | lab-01-x");
    assert!(html.contains("href=\"../../../code/lab-01-x/index.html\">lab-<wbr>01-<wbr>x</a>"));
}

#[test]
fn one_lab_is_counted_in_the_singular() {
    let lab = "---\ntitle: Z\noutcome: O\nhandbook: [more]\nfocus: F\nreads: R\nstarter: { file: z.py, type: T, angle: A }\n---\n";
    let themed = Fixture::new(&[("content/tracks/two/labs/lab-09-z.md", lab)]).theme();
    assert!(themed.files["tracks/two/labs/index.html"].contains(">1 code-reading lab</h2>"));
}

#[test]
fn the_labs_page_has_its_tables_by_default() {
    let themed = Fixture::new(&[]).theme();
    let html = &themed.files["tracks/one/labs/index.html"];
    let order = [">Reading order</h2>", "2 code-reading labs</h2>", ">Starters</h2>"];
    let places: Vec<usize> = order.iter().map(|part| html.find(part).unwrap()).collect();
    assert!(places.is_sorted());
    let starters = &html[places[2]..];
    let rows = table(starters);
    assert_eq!(rows[0].join(" | "), "Lab | Starter type | Main file | Reading angle");
    assert_eq!(rows[1].join(" | "), "Lab 01 | Script | a.py | Angle");
    assert!(html.contains("href=\"../practice.html\""));
}

#[test]
fn a_part_is_generated_only_where_the_page_places_it() {
    let page = "---\ntitle: Track One\n---\n\n## Labs\n\n<!-- curriculum -->\n";
    let themed = Fixture::new(&[("content/tracks/one/index.md", page)]).theme();
    let html = &themed.files["tracks/one/index.html"];
    assert_eq!(html.matches("2 code-reading labs").count(), 2, "once with the time, once over the table");
    assert!(html.contains("<h3>2 code-reading labs</h3>"));
    assert!(html.find("class=\"wide map\"") < html.find("<h3>2 code-reading labs"), "the map comes first");
}

#[test]
fn outside_a_track_a_part_covers_every_track() {
    let page = "---\ntitle: About\n---\n\n<!-- reading-order -->\n\n<!-- tracks -->\n";
    let themed = Fixture::new(&[("content/about.md", page)]).theme();
    let html = &themed.files["about.html"];
    assert!(html.contains("<h2>Track One</h2>") && html.contains("<h2>Track Two</h2>"));
    assert_eq!(html.matches("<h3>Reading order</h3>").count(), 2);
    assert!(html.contains("<h3><a href=\"tracks/two/index.html\">Track Two</a></h3>"));
}

#[test]
fn a_lab_links_to_its_neighbors() {
    let themed = Fixture::new(&[]).theme();
    let html = &themed.files[LAB];
    assert!(text(html).contains("Lab 01: Alpha"), "{html}");
    assert!(html.contains("<title>Lab 01: Alpha · Track One · Course &amp; &lt;Co&gt;</title>"));
    let crumbs = html.split("<nav class=\"crumbs").nth(1).unwrap().split("</nav>").next().unwrap();
    assert_eq!(text(&format!("<{crumbs}")), "Track One Foundation Lab 01");
    assert!(
        html.contains("<span class=\"what\">Next<span class=\"time\"> · ")
            && html.contains("<b>Lab 02: Beta &lt;b&gt;</b></a>")
    );
    assert!(html.contains("Previous: Section</span> The basics"));
    let aside = html.split("<aside class=\"beside\"").nth(1).unwrap().split("</aside>").next().unwrap();
    let aside = text(&format!("<{aside}"));
    assert!(aside.contains("§1 in short What comes first") && !aside.contains("The basics"), "{aside}");
    assert!(text(html).contains("Read first: §1 The basics (1 min)"));
    assert!(aside.contains("Leads to Lab 02 Track Two §1"), "{aside}");
    assert!(aside.contains("lab-01-x/ a.py Running it is optional: python3 a.py"), "{aside}");
}

#[test]
fn drafts_leave_no_trace() {
    let themed = Fixture::new(&[]).theme();
    for (path, file) in &themed.files {
        assert!(!file.contains("lab-03-d") && !file.contains("Hidden"), "{path}");
    }
}

#[test]
fn citations_link_to_their_entries() {
    let lab = "LAB\ntitle: Alpha\noutcome: Explain alpha\nreading: [p1]\n";
    let about = "---\ntitle: About\nreading: [b1, p1]\n---\n";
    let themed = Fixture::new(&[("content/tracks/one/labs/lab-01-x.md", lab), ("content/about.md", about)]).theme();
    assert_eq!(themed.files[LAB].matches("id=\"R-p1\"").count(), 1);
    let about = &themed.files["about.html"];
    assert!(about.find("id=\"R-p1\"") < about.find("id=\"R-b1\""), "papers come before blog posts");
    assert!(about.contains("<h2>Further reading</h2>"));
    let references = &themed.files["references.html"];
    let entry = references.split("id=\"R-p1\"").nth(1).unwrap().split("</li>").next().unwrap();
    assert_eq!(text(&format!("<{entry}")), "A Paper Ada Lovelace, 1843 Cited by About, Track One lab 01: Alpha");
    assert!(references.contains("id=\"R-b1\""), "what nobody cites is listed, too");
}

#[test]
fn absolute_urls_come_with_the_base_url() {
    let site = format!("{SITE}base_url: https://example.org/c/\n");
    let themed = Fixture::new(&[("content/site.yaml", &site)]).theme();
    let feed = &themed.files["feed.xml"];
    assert_eq!(feed.matches("<entry>").count(), 2);
    assert!(feed.find("lab-02-y.html") < feed.find("lab-01-x.html"), "newest first");
    assert!(feed.contains("<updated>2026-03-04T00:00:00Z</updated>"));
    assert!(feed.contains("<title>Course &amp; &lt;Co&gt;</title>"));
    let sitemap = &themed.files["sitemap.xml"];
    assert!(
        sitemap.contains("<loc>https://example.org/c/tracks/one/labs/lab-01-x.html</loc><lastmod>2026-01-02</lastmod>")
    );
    assert!(!sitemap.contains("404.html") && !sitemap.contains("old/about.html"));
    assert!(
        themed.files[LAB]
            .contains("<link rel=\"canonical\" href=\"https://example.org/c/tracks/one/labs/lab-01-x.html\">")
    );
    assert!(themed.files["404.html"].contains("href=\"/c/tracks/one/index.html\""));
    assert!(themed.files["robots.txt"].ends_with("Sitemap: https://example.org/c/sitemap.xml\n"));
    let without = Fixture::new(&[]).theme();
    assert!(!without.files.contains_key("feed.xml") && !without.files.contains_key("sitemap.xml"));
    assert!(!without.files[LAB].contains("canonical") && without.files["404.html"].contains("href=\"/index.html\""));
}

#[test]
fn old_urls_redirect() {
    let themed = Fixture::new(&[]).theme();
    let html = &themed.files["old/about.html"];
    assert!(html.contains("<meta http-equiv=\"refresh\" content=\"0; url=../about.html\">"));
    assert!(html.contains("<a href=\"../about.html\">About</a>"));
    assert_eq!(themed.from["old/about.html"], "content/about.md");
}

#[test]
fn course_json_describes_the_course() {
    let themed = Fixture::new(&[]).theme();
    let course: serde_json::Value = serde_json::from_str(&themed.files["course.json"]).unwrap();
    let track = &course["tracks"][0];
    let order = ["tracks/one/handbook/basics.html", LAB, "tracks/one/labs/lab-02-y.html"];
    assert_eq!(track["order"], serde_json::json!(order));
    assert_eq!(track["labs"][0]["starter"]["file"], "code/lab-01-x/a.py");
    assert_eq!(track["labs"][1]["after"], serde_json::json!([LAB]));
    assert_eq!(track["labs"][0]["handbook"], serde_json::json!([order[0]]));
    let llms = &themed.files["llms.txt"];
    assert!(llms.starts_with(
        "# Course & \\<Co>\n\n> Read code\n\n## Track One\n\n- [Track One](tracks/one/index.md): The first\n"
    ));
    assert!(llms.contains("- [Lab 01: Alpha](tracks/one/labs/lab-01-x.md): Explain alpha\n"));
}

#[test]
fn a_practice_page_needs_no_file() {
    let themed = Fixture::new(&[]).theme();
    let html = &themed.files["tracks/one/practice.html"];
    assert!(html.contains("<h1>Practice</h1>"));
    assert_eq!(html.matches("<details").count(), 4);
    assert!(html.find("Lab 01: Alpha</a></h2>") < html.find("Lab 02: Beta &lt;b&gt;</a></h2>"));
}

#[test]
fn a_course_replaces_templates_and_styles() {
    let own = [
        (
            "templates/page.html",
            "{% extends \"base.html\" %}{% block main %}<h1>{{ page.title }}</h1>{% include \"own.html\" %}{% endblock main %}",
        ),
        ("templates/own.html", "<p>own part of {{ site.title }}</p>"),
        ("static/style.css", "h1 { color: red }"),
    ];
    let themed = Fixture::new(&own).theme();
    let codes: Vec<&str> = themed.diagnostics.iter().map(|found| found.code.id).collect();
    assert_eq!(codes, ["W0213"], "a hint that the style has nothing of the built-in one");
    assert!(themed.files["about.html"].contains("<p>own part of Course &amp; &lt;Co&gt;</p>"));
    let (path, style) = themed.files.iter().find(|(path, _)| path.starts_with("assets/style.")).unwrap();
    assert_eq!(style, "h1{color:red}\n");
    assert!(themed.files[LAB].contains(&format!("href=\"../../../{path}\"")));
}

#[test]
fn links_are_as_short_as_they_can_be() {
    let template =
        "{{ \"tracks/one/index.html\" | relative }} {% for a in [1] %}{% include \"own.html\" %}{% endfor %}";
    let templates = [
        ("templates/lab.html", template),
        ("templates/404.html", template),
        ("templates/own.html", "{{ \"tracks/one/labs/a.html\" | relative }}"),
    ];
    let themed = Fixture::new(&templates).theme();
    assert_eq!(themed.diagnostics, []);
    assert_eq!(themed.files[LAB], "../index.html a.html");
    assert_eq!(themed.files["404.html"], "/tracks/one/index.html /tracks/one/labs/a.html", "shown at any address");
}

#[test]
fn template_errors_have_places() {
    let broken = [("templates/page.html", "\u{feff}<p>é</p>\r\n{{ page. }}"), ("templates/lab.html", "{% if %}")];
    let fixture = Fixture::new(&broken);
    let themed = fixture.theme();
    let found: Vec<_> =
        themed.diagnostics.iter().map(|d| (d.code.id, &*d.place.file, d.place.span.is_some())).collect();
    assert_eq!(found, [("E0501", "templates/lab.html", true), ("E0501", "templates/page.html", true)]);
    let (start, end) = themed.diagnostics[1].place.span.unwrap();
    assert_eq!(&fixture.project.text("templates/page.html").unwrap().text()[start..end], "}}");
    assert!(!themed.files.contains_key("about.html") && themed.from.contains_key("about.html"), "the path is known");
}

#[test]
fn an_unknown_field_is_reported_once() {
    let unknown =
        [("templates/page.html", "{{ page.title | shout }}"), ("templates/lab.html", "{% include \"nowhere.html\" %}")];
    let themed = Fixture::new(&unknown).theme();
    let diagnostics: Vec<_> =
        themed.diagnostics.iter().map(|d| (d.code.id, &*d.place.file, d.message.as_str())).collect();
    let lab = ("E0501", "templates/lab.html", "unknown template `nowhere.html`");
    assert_eq!(diagnostics, [lab, ("E0501", "templates/page.html", "unknown filter `shout`")]);

    let fixture = Fixture::new(&[("templates/lab.html", "<p>{{ page.titel }}</p>")]);
    let themed = fixture.theme();
    let [fault] = &themed.diagnostics[..] else { panic!("{:?}", themed.diagnostics) };
    assert_eq!(fault.code, codes::E0502);
    assert_eq!(fault.message, "field `titel` is not defined");
    let (start, end) = fault.place.span.unwrap();
    assert!(fixture.project.text("templates/lab.html").unwrap().text()[start..end].contains("titel"));
    assert_eq!(fault.notes, ["first found in `tracks/one/labs/lab-01-x.html`"]);
    assert!(!themed.files.contains_key(LAB) && themed.files.contains_key("about.html"), "other pages go on");
}

#[test]
fn an_incompatible_template_is_reported() {
    let themed = Fixture::new(&[("templates/base.html", "<p>{{ page.title }}</p>")]).theme();
    assert!(!themed.diagnostics.is_empty());
    for diagnostic in &themed.diagnostics {
        assert_eq!((diagnostic.code, &*diagnostic.place.file), (codes::E0501, "templates/base.html"));
    }
}
