//! What is shown while builds are under way, and of what is not in the course.

use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::*;
use crate::assets::BUILTIN;
use crate::serve::editor::Settings;
use infralens_site::Options;
use infralens_source::project::File;
use infralens_source::source::Source;

/// A state that shows a course.
fn showing(files: &[(&str, &str)]) -> Arc<PreviewState> {
    showing_with(files, None)
}

/// A state that shows a course, whose files may be fixed.
fn showing_with(files: &[(&str, &str)], applied: Option<Fixes>) -> Arc<PreviewState> {
    let editor = Editor::new(Path::new("/c"), Settings::default()).expect("an editor");
    let project = course(files);
    let state = PreviewState::new(Planner::new(Options::new(BUILTIN)), Tools { editor, fixes: applied });
    state.update(&project);
    Arc::new(state)
}

fn course(files: &[(&str, &str)]) -> Project {
    let mut project = Project::default();
    for &(path, text) in files {
        project.put(&Arc::from(path), Some(File::Text(Arc::new(Source::new(path, text.to_owned())))));
    }
    project
}

fn query<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    BTreeMap::from(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())))
}

#[test]
fn a_source_is_located_during_a_build() {
    let state = showing(&[("content/site.yaml", "title: T\n"), ("content/a.md", "---\ntitle: A\n---\none\n")]);
    let building = lock(&state.planner);
    let (sender, receiver) = channel();
    let asked = Arc::clone(&state);
    std::thread::spawn(move || sender.send(asked.locate(&query([("page", "/a.html"), ("text", "one")]))));
    let found = receiver.recv_timeout(Duration::from_secs(20)).expect("no handler waits for a build");
    assert!(found.is_some_and(|place| place.contains("\"file\":\"content/a.md\",\"line\":4")), "another place");
    drop(building);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a fix is written to a file")]
fn a_fix_is_written_if_the_course_is_still_what_it_was() {
    const WRONG: &str = "---\ntitle: A\nsumary: S\n---\none\n";
    let root = tempfile::tempdir().expect("a temporary folder");
    let path = root.path().join("content/a.md");
    std::fs::create_dir(root.path().join("content")).expect("a folder");
    std::fs::write(&path, WRONG).expect("a page");
    let fixes = Fixes { root: root.path().to_owned(), token: "known".to_owned() };
    let state = showing_with(&[("content/site.yaml", "title: T\n"), ("content/a.md", WRONG)], Some(fixes));
    let fix = state.snapshot().view.diagnostics.iter().find_map(|error| error.fixes.first().cloned());
    let id = panel::fix_id(&fix.expect("a name that is one letter off"));
    assert!(state.apply(&query([("token", "other"), ("fix", &id)])).is_none());
    assert!(state.apply(&query([("fix", &id)])).is_none());
    assert!(state.apply(&query([("token", "known"), ("fix", "0")])).is_some_and(|done| done.is_err()));
    assert_eq!(std::fs::read_to_string(&path).expect("a page"), WRONG);
    std::fs::write(&path, format!("{WRONG}two\n")).expect("a page");
    let asked = query([("token", "known"), ("fix", &id)]);
    assert!(state.apply(&asked).is_some_and(|done| done.is_err()), "the file is another one");
    std::fs::write(&path, WRONG).expect("a page");
    assert_eq!(state.apply(&asked), Some(Ok(())));
    assert_eq!(std::fs::read_to_string(&path).expect("a page"), WRONG.replace("sumary", "summary"));
    let state = showing(&[("content/site.yaml", "title: T\n"), ("content/a.md", WRONG)]);
    assert!(state.apply(&asked).is_none(), "this preview writes nothing");
}

#[test]
fn a_page_that_cannot_be_made_is_shown_as_it_was() {
    const TEMPLATE: &str = "{% if page.title == \"Bad\" %}{{ page.nothing }}{% endif %}<p>{{ page.title }}</p>";
    let files = |title: &str| {
        let page = format!("---\ntitle: {title}\n---\ntext\n");
        let page: &str = &page;
        course(&[
            ("content/site.yaml", "title: T\n"),
            ("content/a.md", "---\ntitle: A\n---\ntext\n"),
            ("content/b.md", page),
            ("templates/page.html", TEMPLATE),
        ])
    };
    let state = showing(&[]);
    let shown = |path: &str| state.file(path).map(|page| String::from_utf8_lossy(page.bytes.as_ref()).into_owned());
    state.update(&files("Bad"));
    let page = shown("b.html").unwrap_or_default();
    assert!(page.contains("E0502") && !page.contains("<p>Bad</p>"), "it never had a good form: {page}");
    state.update(&files("Good"));
    assert!(shown("b.html").is_some_and(|page| page.contains("<p>Good</p>") && !page.contains("E0502")));
    state.update(&files("Bad"));
    let page = shown("b.html").unwrap_or_default();
    assert!(page.contains("<p>Good</p>") && page.contains("as it was before the error"), "{page}");
}

#[test]
fn a_build_that_panics_leaves_what_is_shown() {
    let state = showing(&[("content/site.yaml", "title: T\n"), ("content/a.md", "---\ntitle: A\n---\none\n")]);
    let (before, project) = (state.paths(), state.snapshot().project().clone());
    assert!(state.update_with(|_, _| panic!("a fault of the program")).is_none());
    assert_eq!(state.paths(), before);
    let diagnostics = state.update(&project).expect("the next plan does not");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
}

#[test]
fn no_file_is_named_that_the_course_does_not_have() {
    let page = "---\ntitle: A\n---\n[x](code:x/a.py) and [y](code:y/a.py)\n";
    let read = [("code/x/a.py", "a = 1\n"), ("code/y/a.py", "a = 1\n"), ("code/y/README.md", "# Y\n")];
    let state = showing(&[&[("content/site.yaml", "title: T\n"), ("content/a.md", page)], &read[..]].concat());
    let at = |page: &str| state.locate(&query([("page", page)]));
    assert!(at("/code/y/").is_some_and(|place| place.contains("code/y/README.md")), "{:?}", state.paths());
    assert!(at("/code/x/a.py.html").is_some_and(|place| place.contains("code/x/a.py")), "{:?}", state.paths());
    assert!(state.paths().contains(&"code/x/index.html".to_owned()), "{:?}", state.paths());
    assert_eq!(at("/code/x/"), None);
}

#[test]
fn a_place_of_a_translated_page_is_in_the_translation() {
    let page = "---\ntitle: A\n---\nOne word.\n\n## Two {#two}\n\nNobody has translated this.\n\n- three\n\n  four\n";
    let translation = "---\n# source: A\ntitle: Das A\n---\n\n<!-- source\nOne word.\n-->\nEin Wort.\n\n<!-- source\n## Two \
                       {#two}\n-->\n## Zwei\n\n<!-- source\nNobody has translated this.\n-->\n\n<!-- source\n- three\n\n  \
                       four\n-->\n-   drei\n\n    vier\n";
    let state = showing(&[
        ("content/site.yaml", "title: T\nlanguages: { de: {} }\n"),
        ("content/a.md", page),
        ("content/a.de.md", translation),
    ]);
    let line = |heading: &str, text: &str| {
        let asked = query([("page", "/de/a.html"), ("heading", heading), ("text", text)]);
        let found = state.locate(&asked).expect("a place");
        let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
        assert_eq!(found["file"], "content/a.de.md");
        let line = found["line"].as_u64().and_then(|line| usize::try_from(line).ok()).expect("a line");
        translation.lines().nth(line - 1).unwrap_or_default().to_owned()
    };
    assert_eq!(line("", "Ein Wort"), "Ein Wort.");
    assert_eq!(line("two", "Zwei"), "## Zwei");
    // A block that nobody has translated yet opens at its quote, below which its translation will stand.
    assert_eq!(line("two", "Nobody has translated this"), "Nobody has translated this.");
    // A list that is indented otherwise is known as a whole.
    assert_eq!(line("two", "vier"), "-   drei");
    assert_eq!(line("", ""), "---");
}

#[test]
fn code_that_changed_beside_its_notes_has_a_bar_that_no_page_of_a_build_has() {
    let page = "---\ntitle: A\n---\n```python file=x/a.py\na = 1\nb = 2\n```\n\n1. `a` — a note.\n";
    let files = [("content/site.yaml", "title: T\n"), ("content/a.md", page), ("code/x/a.py", "a = 1\nb = 3\n")];
    let state = showing(&files);
    let served = state.file("a.html").expect("the page");
    let served = String::from_utf8_lossy(served.bytes.as_ref()).into_owned();
    let script = served.find("<script src=\"/.infralens/").expect("a script");
    let end = script + served[script..].find("</script>").expect("its end") + "</script>".len();
    assert!(
        served[script..end].contains("data-added=\"") && served[script..end].contains("infralens sync"),
        "{served}"
    );
    let built = state.snapshot().view.current.make("a.html").expect("the page").expect("its template works");
    assert_eq!(served[..script].to_owned() + &served[end..], String::from_utf8_lossy(built.as_ref()));
}

#[test]
fn a_page_gets_a_script_and_a_panel() {
    let files = [("a\"b.png".to_owned(), Arc::from("v"))];
    let served = |html: &str, files: &[EmbeddedFile]| {
        let file = inject(html, files, "<b>", Some("<p>P</p>"));
        String::from_utf8_lossy(file.bytes.as_ref()).replace(&*file.tag, "t")
    };
    let script = "<script src=\"/.infralens/preview.js?page=t\" data-added=\"&lt;b&gt;\" defer></script>";
    assert_eq!(served("<head></head><body></body>", &[]), format!("<head>{script}</head><body></body><p>P</p>"));
    assert_eq!(served("<p>a", &[]), format!("<p>a{script}<p>P</p>"), "a template of the course without a head");
    assert!(served("", &files).contains(" data-files=\"[[&quot;a\\&quot;b.png&quot;,&quot;v&quot;]]\" data-added="));
}
