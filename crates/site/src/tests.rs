//! An edit recomputes only what it affects: which facts and listings are recomputed is told by their pointers.

use super::*;
use infralens_source::project::File;
use infralens_source::source::Source;

const FILES: [(&str, &str); 6] = [
    ("content/site.yaml", "title: T\nmarkdown: { raw_html: trusted }\n"),
    (
        "content/a.md",
        "---\ntitle: A\n---\n\n## Part\n\nWords.\n\n<p id=\"place\">Here.</p>\n\n```python file=x/a.py\n```\n",
    ),
    ("content/b.md", "---\ntitle: B\n---\n\n[](a.md) and [its part](a.md#part), [here](a.md#place)\n"),
    ("content/c.md", "---\ntitle: C\n---\n\n[y](code:y/b.py)\n"),
    ("code/x/a.py", "a = 1\n"),
    ("code/y/b.py", "b = 1\n"),
];

fn put(project: &mut Project, path: &str, text: &str) {
    project.put(&Arc::from(path), Some(File::Text(Arc::new(Source::new(path, text)))));
}

/// Returns the pages whose facts are recomputed and the starters that are parsed again when one file gets a new text.
fn reached(path: &str, text: &str) -> (Vec<String>, Vec<String>) {
    let mut project = Project::default();
    for (path, text) in FILES {
        put(&mut project, path, text);
    }
    let previous = plan(&project, &Options::default(), &Site::default());
    put(&mut project, path, text);
    let current = plan(&project, &Options::default(), &previous);
    let anew = previous.pages.iter().zip(&current.pages).filter(|(previous, current)| !Arc::ptr_eq(previous, current));
    let listings = previous.starters.listings.iter();
    let read = listings.filter(|(path, previous)| !Arc::ptr_eq(previous, &current.starters.listings[*path]));
    (anew.map(|(_, page)| page.path().to_owned()).collect(), read.map(|(path, _)| path.to_string()).collect())
}

#[test]
fn an_edit_recomputes_only_what_it_affects() {
    let pages = |path: &str, text: &str| reached(path, text).0;
    let a = FILES[1].1;
    assert_eq!(pages("content/a.md", &a.replace("Words", "Others")), ["content/a.md"], "a paragraph");
    assert_eq!(pages("content/a.md", &a.replace("## Part", "## Part\n\n## More")), ["content/a.md"], "a heading more");
    assert_eq!(
        pages("content/a.md", &a.replace("\"place\"", "\"other\"")),
        ["content/a.md", "content/b.md"],
        "an id of HTML, in which a link ends"
    );
    assert_eq!(
        pages("content/a.md", &a.replace("title: A", "title: Other")),
        ["content/a.md", "content/b.md"],
        "a title, which a link without a text shows"
    );
    assert_eq!(
        reached("code/x/a.py", "a = 2\n"),
        (vec!["content/a.md".to_owned()], vec!["code/x/a.py".to_owned()]),
        "a starter: its page and its listing"
    );
    assert_eq!(pages("code/y/b.py", "b = 2\n"), ["content/c.md"], "a starter that is linked to");
    assert_eq!(pages("templates/parts/footer.html", "<footer></footer>"), [""; 0], "a template");
    assert_eq!(pages("static/a.txt", "text"), [""; 0], "a file that no page shows");
    assert_eq!(pages("content/site.yaml", "title: Other\n").len(), 3, "the settings: everything");
}

#[test]
fn an_excerpt_of_a_record_is_read_again_when_the_record_has_another_text() {
    let record = |output: &str| format!("{{\"command\":\"c\",\"files\":{{}},\"output\":\"{output}\"}}");
    let (path, lab) = ("code/lab-01-x/records/r.json", "content/tracks/t/labs/lab-01-x.md");
    let mut project = Project::default();
    put(&mut project, "content/site.yaml", "title: T\nlabs: { sections: [] }\ntracks: [t]\n");
    put(&mut project, "content/tracks/t/index.md", "---\ntitle: T\n---\n");
    let front = "---\ntitle: L\nstarter: { file: a.py, record: { r: c } }\n---\n\n```text file=record:r\n```\n";
    put(&mut project, lab, front);
    put(&mut project, "code/lab-01-x/a.py", "a = 1\n");
    put(&mut project, path, &record("one"));
    let plan_again = |project: &Project, previous: &Site| plan(project, &Options::default(), previous);
    let shown = |site: &Site| Arc::clone(&site.starters.listings["code/lab-01-x/record:r"]);
    let first = plan_again(&project, &Site::default());
    assert_eq!(shown(&first).line(0), "one");
    put(&mut project, path, &record("two"));
    let second = plan_again(&project, &first);
    assert_eq!(shown(&second).line(0), "two");
    let facts = |site: &Site| site.pages.iter().find(|page| page.path() == lab).map(Arc::as_ptr);
    assert_ne!(facts(&first), facts(&second), "the page is made again");
    put(&mut project, path, &record("two").replace("\"c\"", "\"d\""));
    let third = plan_again(&project, &second);
    assert!(Arc::ptr_eq(&shown(&second), &shown(&third)), "the same text is not read again");
}

/// A course in which a section names a value of another, whose calculator names that one's, and a lab a number of its starter.
fn course_with_values() -> Project {
    let body = |title: &str, body: &str| format!("---\ntitle: {title}\n---\n\n{body}\n");
    let value = |text: &str| format!("<!-- values\n{text}\n-->");
    let lab = "---\ntitle: L\nstarter: { file: a.py, record: { r: c } }\n---\n\n<!-- values\nheads = code(\"a.py\", \"n = {}\")\n-->\n";
    let files = [
        ("content/site.yaml", "title: T\nlabs: { sections: [] }\ntracks: [t]\n".to_owned()),
        ("content/tracks/t/index.md", body("T", "")),
        ("content/tracks/t/labs/lab-01-x.md", lab.to_owned()),
        ("content/tracks/t/handbook/01-own.md", body("Own", &value("a = 2 GB\nb = 2 * a # = 4 GB"))),
        ("content/tracks/t/handbook/02-other.md", body("Other", &value("c = 3 * own.b # = 12 GB"))),
        (
            "content/tracks/t/handbook/03-calc.md",
            body("Calc", "```calc\nn = 2 # [1 .. 9]\nd = n * other.c # = 24 GB\n```"),
        ),
        ("code/lab-01-x/a.py", "n = 7\nm = 8\n".to_owned()),
    ];
    let mut project = Project::default();
    for (path, text) in &files {
        put(&mut project, path, text);
    }
    project
}

/// Replaces a text that is in a file of a course.
fn edit(project: &mut Project, path: &str, from: &str, to: &str) {
    let text = project.text(path).expect("a text").text().to_owned();
    assert!(text.contains(from), "{path}: {from}");
    put(project, path, &text.replace(from, to));
}

/// The pages whose values are computed again when one file gets a new text.
fn computed_again(path: &str, from: &str, to: &str) -> Vec<String> {
    let mut project = course_with_values();
    let previous = plan(&project, &Options::default(), &Site::default());
    edit(&mut project, path, from, to);
    let current = plan(&project, &Options::default(), &previous);
    assert_eq!(current.values.len(), 4);
    let pages = current.values.iter().filter(|(path, now)| !Arc::ptr_eq(now, &previous.values[*path]));
    pages.filter_map(|(path, _)| Some(path.rsplit_once('/')?.1.trim_end_matches(".md").to_owned())).collect()
}

#[test]
fn a_starter_that_changes_while_its_record_is_of_another_command_is_noticed_afterwards() {
    let (lab, starter) = ("content/tracks/t/labs/lab-01-x.md", "code/lab-01-x/a.py");
    let below = "code/lab-01-x/sub/sub/b.py";
    let mut project = course_with_values();
    put(&mut project, below, "k = 1\n");
    let hashes = infralens_course::records::hashes(&project, "code/lab-01-x");
    let record = serde_json::json!({ "command": "c", "files": hashes, "output": 5 });
    put(&mut project, "code/lab-01-x/records/r.json", &record.to_string());
    let mut previous = plan(&project, &Options::default(), &Site::default());
    assert!(previous.records.diagnostics.is_empty(), "the record is new");
    let mut edited = project.clone();
    edit(&mut edited, below, "k = 1", "k = 2");
    let current = plan(&edited, &Options::default(), &previous);
    assert_eq!(current.records.diagnostics.len(), 1, "a file in a folder below that of the command");
    for (path, from, to) in [(lab, "r: c", "r: d"), (starter, "m = 8", "m = 9"), (lab, "r: d", "r: c")] {
        edit(&mut project, path, from, to);
        let current = plan(&project, &Options::default(), &previous);
        let new = plan(&project, &Options::default(), &Site::default());
        assert_eq!(current.records.diagnostics, new.records.diagnostics, "{path}: {to}");
        assert_eq!(current.records.diagnostics.len(), 1, "{path}: {to}");
        previous = current;
    }
}

#[test]
fn values_after_edits_are_those_of_a_plan_from_nothing() {
    let [lab, own, other, calc] = ["labs/lab-01-x", "handbook/01-own", "handbook/02-other", "handbook/03-calc"]
        .map(|name| format!("content/tracks/t/{name}.md"));
    let record = "code/lab-01-x/records/r.json";
    let mut project = course_with_values();
    put(&mut project, record, "{\"command\":\"c\",\"files\":{},\"output\":{\"n\":5}}");
    let mut previous = plan(&project, &Options::default(), &Site::default());
    let edits = [
        (&*lab, "heads =", "from = record(\"r\").n\nheads ="),
        (&*lab, "title: ", "title: A longer "),
        (record, "\"n\":5", "\"n\":6"),
        ("code/lab-01-x/a.py", "n = 7", "n = 9"),
        (record, "\"n\":6", "\"m\":6"),
        (&*calc, "```calc", "```calc front=true"),
        (
            &*own,
            "b = 2 * a # = 4 GB",
            "b = 2 * a # = 4 GB\n-->\n\n```calc front=true\nk = 1 # [1 .. 9]\nl = 2 * k\n```\n\n<!--",
        ),
        (&*own, "```calc front=true", "```calc"),
        (&*own, "<!-- values\na", "<!--\na"),
        (&*own, "<!--\na", "<!-- values\na"),
        (&*own, "title: Own", "title: [Own"),
        (&*own, "title: [Own", "title: Owned"),
        (&*other, "3 * own.b", "3 * calc.d"),
        (&*other, "3 * calc.d", "3 * x.y"),
        (&*lab, "starter: { file: a.py,", "starter: { file: b.py,"),
        ("content/site.yaml", "tracks: [t]", "tracks: [t]\nfigures: checked"),
    ];
    for (path, from, to) in edits {
        edit(&mut project, path, from, to);
        let current = plan(&project, &Options::default(), &previous);
        let new = plan(&project, &Options::default(), &Site::default());
        assert_eq!(current.values, new.values, "{path}: {to}");
        assert_eq!(current.records.diagnostics, new.records.diagnostics, "{path}: {to}");
        previous = current;
    }
}

#[test]
fn values_are_kept_unless_what_they_name_has_changed() {
    let own = "content/tracks/t/handbook/01-own.md";
    assert_eq!(computed_again(own, "title", "title"), [""; 0], "nothing");
    assert_eq!(
        computed_again(own, "a = 2 GB", "a = 3 GB"),
        ["01-own", "02-other", "03-calc"],
        "a value that others name"
    );
    assert_eq!(
        computed_again("content/tracks/t/handbook/02-other.md", "3 * own.b", "own.b * 3"),
        ["02-other"],
        "a formula"
    );
    assert_eq!(computed_again("code/lab-01-x/a.py", "n = 7", "n = 9"), ["lab-01-x"], "the number in a starter");
    assert_eq!(computed_again("code/lab-01-x/a.py", "m = 8", "m = 9"), [""; 0], "another line");
}

#[test]
fn a_bug_that_shows_in_a_page_is_an_error_of_that_page() {
    let mut project = Project::default();
    for (path, text) in FILES {
        put(&mut project, path, text);
    }
    put(&mut project, "content/with-a-bug.md", "---\ntitle: Bug\n---\n\nWords.\n");
    put(&mut project, "content/d.md", "---\ntitle: D\n---\n\n[](with-a-bug.md)\n");
    let options = Options { isolates_bugs: true, ..Options::default() };
    let site = plan(&project, &options, &Site::default());
    let found: Vec<_> = site.diagnostics().map(|found| (found.code, &*found.place.file, &found.notes)).collect();
    let [(code, file, notes)] = found[..] else { panic!("{found:?}") };
    assert_eq!((code, file), (codes::E0005, "content/with-a-bug.md"), "and nothing that only follows from it");
    assert!(notes[0].contains("what tests call a bug"), "{notes:?}");
    assert!(site.pages.iter().any(|page| page.path() == "content/d.md"), "the others go on");
    let fails = std::panic::catch_unwind(|| plan(&project, &Options::default(), &Site::default()));
    assert!(fails.is_err(), "all other commands end with the message of the bug");
}
