//! Tests what is shown while there are errors, on a small course that is edited file by file.

use super::*;
use crate::assets::BUILTIN;
use infralens_source::source::Source;

/// A course that is being written, and what is shown of it.
struct Desk {
    planner: Planner,
    project: Project,
    view: View,
}

const SITE: &str = "content/site.yaml";
const ABOUT: &str = "content/about.md";
const TRACK: &str = "content/tracks/t/index.md";
const ONE: &str = "content/tracks/t/handbook/01-one.md";
const TWO: &str = "content/tracks/t/handbook/02-two.md";
const REFERENCES: &str = "content/references.yaml";
const README: &str = "code/x/README.md";
/// What cannot be read as front matter.
const BROKEN: &str = "---\ntitle: [\n---\n\n## First\n\nBroken.\n";
const PAPER: &str = "paper:\n  kind: paper\n  title: A paper\n  authors: A. Author\n  year: 2020\n";

fn page(title: &str, text: &str) -> String {
    format!("---\ntitle: {title}\nsummary: {title}\n---\n\n{text}\n")
}

fn file(path: &str, text: &str) -> File {
    File::Text(Arc::new(Source::new(path, text)))
}

fn has_same_text(one: &File, other: &File) -> bool {
    matches!((one, other), (File::Text(one), File::Text(other)) if one.text() == other.text()) || one.is_same(other)
}

/// The pages among some outputs, each of which has a copy in Markdown next to it.
fn pages<'a>(paths: impl Iterator<Item = &'a Arc<str>>) -> Vec<&'a str> {
    let paths: Vec<&str> = paths.map(AsRef::as_ref).collect();
    let copies = paths.iter().filter(|path| path.ends_with(".md"));
    let pages = paths.iter().filter(|path| path.ends_with(".html")).filter(|path| !path.starts_with("code/"));
    assert!(copies.count() <= pages.count(), "{paths:?}");
    paths.into_iter().filter(|path| !path.ends_with(".md")).collect()
}

impl Desk {
    /// A course in which nothing is wrong but what `differs` says.
    fn new(differs: &[(&str, &str)]) -> Self {
        let mut desk =
            Self { planner: Planner::new(Options::new(BUILTIN)), project: Project::default(), view: View::default() };
        let whole = [
            (SITE, "title: Course\ntracks: [t]\n".to_owned()),
            (ABOUT, page("About", "Of us. [@paper]")),
            (TRACK, page("Track", "Text.")),
            (ONE, page("One", "## First\n\nText of one.")),
            (TWO, page("Two", "See [it](01-one.md#first) and [code](code:x/a.py).")),
            (REFERENCES, PAPER.to_owned()),
            (README, "# Folder\n\nRead me.\n".to_owned()),
            ("code/x/a.py", "def a():\n    pass\n".to_owned()),
        ];
        for (path, text) in &whole {
            desk.project.put(&Arc::from(*path), Some(file(path, text)));
        }
        desk.write(differs);
        desk
    }

    fn put(&mut self, path: &str, file: Option<File>) {
        self.project.put(&Arc::from(path), file);
    }

    /// Writes files and updates the view.
    fn write(&mut self, files: &[(&str, &str)]) {
        for (path, text) in files {
            self.put(path, Some(file(path, text)));
        }
        self.update();
    }

    fn remove(&mut self, path: &str) {
        self.put(path, None);
        self.update();
    }

    fn update(&mut self) {
        self.view = self.planner.update(&self.project, &self.view);
        let is_empty =
            |path: &Arc<str>| self.view.make(path).and_then(Result::ok).is_none_or(|bytes| bytes.as_ref().is_empty());
        assert_eq!(self.view.paths().into_iter().find(is_empty), None, "nothing is shown empty");
        if !self.view.diagnostics.iter().any(blocks_page) {
            self.assert_as_built();
        }
    }

    /// What is shown at an output path; nothing where there is nothing.
    fn shown(&self, path: &str) -> String {
        let made = self.view.make(path).and_then(Result::ok);
        made.map_or_else(String::new, |bytes| String::from_utf8_lossy(bytes.as_ref()).into_owned())
    }

    fn outdated(&self) -> Vec<&str> {
        pages(self.view.outdated.iter())
    }

    fn unavailable(&self) -> Vec<&str> {
        pages(self.view.unavailable.keys())
    }

    /// The files with errors.
    fn faulty(&self) -> Vec<String> {
        faulty_files(&self.view.diagnostics, &Site::default()).iter().map(ToString::to_string).collect()
    }

    /// Asserts that the view is exactly what a build would make.
    fn assert_as_built(&self) {
        let cold = site::plan(&self.project, &Options::new(BUILTIN), &Site::default());
        let diagnostics = cold.diagnostics().filter(|diagnostic| diagnostic.severity != Severity::Hint);
        let mut diagnostics: Vec<Diagnostic> = diagnostics.cloned().collect();
        diag::sort(&mut diagnostics);
        assert_eq!(*self.view.diagnostics, *diagnostics);
        assert_eq!(self.view.paths(), cold.paths());
        let bytes = |made: Option<Bytes>| made.map(|bytes| bytes.as_ref().to_vec());
        let differs = |path: &Arc<str>| {
            bytes(self.view.make(path).and_then(Result::ok)) != bytes(cold.make(path).and_then(Result::ok))
        };
        assert_eq!(cold.paths().into_iter().find(differs), None);
        assert!(self.view.outdated.is_empty() && self.view.unavailable.is_empty() && self.planner.repaired.is_none());
        let files = self.project.files.iter();
        assert!(
            self.planner
                .good_files
                .iter()
                .zip(files)
                .all(|(good, current)| good.0 == current.0 && has_same_text(good.1, current.1))
        );
    }
}

const ONE_AT: &str = "tracks/t/handbook/one.html";
const TWO_AT: &str = "tracks/t/handbook/two.html";

#[test]
fn a_page_with_an_error_is_shown_in_its_last_version() {
    let mut desk = Desk::new(&[]);
    desk.write(&[(ONE, BROKEN), (SITE, "title: Renamed\ntracks: [t]\n"), (ABOUT, &page("Who", "We."))]);
    assert_eq!((desk.outdated(), desk.unavailable()), (vec![ONE_AT], vec![]));
    assert!(desk.shown(ONE_AT).contains("Text of one"), "as it was");
    assert!(desk.shown(ONE_AT).contains("Renamed"), "with the course's new title");
    assert!(desk.shown(TWO_AT).contains("One"), "others name it by its old title");
    assert!(desk.shown("about.html").contains("We."));
    desk.write(&[(ONE, &page("One", "## First\n\nAnew."))]);
    assert!(desk.shown(ONE_AT).contains("Anew"));
}

#[test]
fn a_page_without_a_good_version_is_not_shown() {
    let mut desk = Desk::new(&[(ONE, BROKEN)]);
    assert_eq!(desk.unavailable(), [ONE_AT]);
    assert!(desk.shown("about.html").contains("Of us"));
    desk.write(&[("content/more.md", BROKEN)]);
    assert_eq!(desk.unavailable(), ["more.html", ONE_AT]);
    desk.write(&[(ONE, &page("One", "## First"))]);
    assert_eq!((desk.unavailable(), desk.outdated()), (vec!["more.html"], vec![]));
    desk.remove("content/more.md");
}

#[test]
fn a_refused_file_is_shown_in_its_last_version() {
    let mut desk = Desk::new(&[]);
    desk.put(ONE, Some(File::Refused(infralens_source::project::Refusal::Symlink)));
    desk.write(&[(SITE, "title: Renamed\ntracks: [t]\n")]);
    assert_eq!(desk.outdated(), [ONE_AT], "nothing is wrong with what links to it");
    assert!(desk.shown(ONE_AT).contains("Text of one") && desk.shown(ONE_AT).contains("Renamed"));
    assert!(desk.shown(TWO_AT).contains("Renamed") && desk.shown(TWO_AT).contains("See <a"));
}

#[test]
fn a_page_that_others_link_to_is_deleted_or_renamed() {
    let mut desk = Desk::new(&[]);
    desk.remove(ONE);
    assert_eq!((desk.faulty(), desk.outdated()), (vec![TWO.to_owned()], vec![TWO_AT]));
    assert!(desk.shown(ONE_AT).is_empty(), "what is deleted is gone");
    assert!(desk.shown(TWO_AT).contains("See <a"));
    desk.write(&[("content/tracks/t/handbook/01-uno.md", &page("Uno", "## First"))]);
    assert!(desk.shown("tracks/t/handbook/uno.html").contains("Uno"));
    desk.remove(TWO);
}

#[test]
fn a_renumbered_page_with_an_error_is_shown_in_its_last_version() {
    let mut desk = Desk::new(&[]);
    desk.put(TWO, None);
    desk.write(&[("content/tracks/t/handbook/03-two.md", BROKEN)]);
    assert_eq!((desk.outdated(), desk.unavailable()), (vec![TWO_AT], vec![]), "it is the same page");
    assert!(desk.shown(TWO_AT).contains("See <a"));
}

#[test]
fn another_output_with_the_same_path_is_not_an_earlier_version() {
    let mut desk = Desk::new(&[
        (ABOUT, &page("About", "Us.").replace("summary", "aliases: [old.html]\nsummary")),
        ("static/plain.html", "as it is"),
    ]);
    desk.put("static/plain.html", None);
    desk.write(&[(ABOUT, &page("About", "Us.")), ("content/old.md", BROKEN), ("content/plain.md", BROKEN)]);
    assert_eq!((desk.outdated(), desk.unavailable()), (vec![], vec!["old.html", "plain.html"]));
}

#[test]
fn an_alias_does_not_replace_a_page() {
    let mut desk = Desk::new(&[]);
    // Its URL is before that of the page whose place it wants.
    let alias = page("About", "Other.").replace("summary", "aliases: [tracks/t/handbook/one.html]\nsummary");
    desk.write(&[(ABOUT, &alias), (ONE, &page("One", "## First\n\nAnew."))]);
    assert_eq!((desk.faulty(), desk.outdated()), (vec![ABOUT.to_owned()], vec!["about.html"]));
    assert!(desk.shown(ONE_AT).contains("Anew"));
    assert!(desk.shown("about.html").contains("Of us"));
}

#[test]
fn an_alias_of_an_outdated_page_does_not_replace_a_page() {
    let mut desk = Desk::new(&[(ABOUT, &page("About", "Us.").replace("summary", "aliases: [new.html]\nsummary"))]);
    assert!(desk.shown("new.html").contains("about.html"));
    desk.write(&[(ABOUT, BROKEN), ("content/new.md", &page("New", "What was an alias"))]);
    assert!(desk.shown("new.html").contains("What was an alias"));
    assert!(desk.shown("about.html").contains("Us."));
}

#[test]
fn pages_of_an_unknown_track_are_outdated() {
    let mut desk = Desk::new(&[]);
    desk.remove(TRACK);
    assert_eq!(desk.faulty(), [SITE]);
    assert!(desk.shown(ONE_AT).contains("Text of one") && desk.outdated().contains(&ONE_AT));
    desk.write(&[("content/tracks/t/handbook/03-three.md", &page("Three", "Text"))]);
    assert_eq!(desk.unavailable(), ["tracks/t/handbook/three.html"], "there is no form of it yet");
    desk.write(&[(TRACK, &page("Track", "Back."))]);
}

#[test]
fn settings_with_an_error_do_not_hold_up_pages() {
    let mut desk = Desk::new(&[]);
    desk.write(&[(SITE, "titel: Course\n"), (ONE, &page("One", "## First\n\nAnew."))]);
    assert!(desk.shown(ONE_AT).contains("Anew") && desk.shown(ONE_AT).contains("Course"));
    desk.remove(SITE);
    assert!(desk.shown(ONE_AT).contains("Anew") && desk.shown(ONE_AT).contains("Course"));
    assert_eq!(desk.unavailable(), [""; 0]);
    desk.write(&[(SITE, "title: Course\ntracks: [t]\n"), (REFERENCES, "paper: [\n")]);
    assert!(desk.shown("about.html").contains("Of us") && desk.shown("references.html").contains("A paper"));
    desk.write(&[(REFERENCES, PAPER)]);
}

#[test]
fn without_good_settings_pages_that_do_not_need_them_are_shown() {
    let desk = Desk::new(&[(SITE, "titel: Course\n"), (REFERENCES, "paper: [\n")]);
    assert!(desk.shown("index.html").contains("<h1>"));
    assert!(["404.html", "about.html", ONE_AT, "references.html"].iter().all(|path| desk.unavailable().contains(path)));
}

#[test]
fn a_template_with_an_error_is_ignored_or_used_in_its_last_version() {
    let own = "{% extends \"base.html\" %}{% block main %}OWN {{ page.title }}{% endblock %}";
    let mut desk = Desk::new(&[("templates/page.html", "{% if %}")]);
    assert!(desk.shown("about.html").contains("Of us"), "by the template that is built in");
    desk.write(&[("templates/page.html", own)]);
    assert!(desk.shown("about.html").contains("OWN About"));
    for wrong in ["{% if %}", "{{ page.nothing.there }}"] {
        desk.write(&[("templates/page.html", wrong), (ABOUT, &page("Who", "We."))]);
        assert!(desk.shown("about.html").contains("OWN Who"), "as the template was, with the page's new title");
        desk.write(&[("templates/page.html", own), (ABOUT, &page("About", "Of us."))]);
    }
    desk.write(&[("templates/section.html", "{% if %}"), (ONE, &page("One", "## First\n\nAnew."))]);
    assert!(desk.shown(ONE_AT).contains("Anew"), "a new template holds nothing back");
}

#[test]
fn an_outdated_page_keeps_its_style() {
    let mut desk = Desk::new(&[]);
    // Its link leads nowhere, whichever form of it is taken.
    desk.write(&[(ONE, &page("One", "Text"))]);
    desk.write(&[("static/style.css", "body { margin: 0 }")]);
    let html = desk.shown(TWO_AT);
    let style = &html[html.find("assets/style.").expect("it has a style")..];
    let style = &style[..style.find('"').expect("its end")];
    assert!(desk.outdated().contains(&TWO_AT) && !desk.shown(style).is_empty());
    desk.write(&[(ONE, &page("One", "## First\n\nText of one."))]);
    assert!(desk.shown(style).is_empty());
}

#[test]
fn a_readme_and_a_starter_with_an_error() {
    let mut desk = Desk::new(&[]);
    desk.write(&[(README, "# Folder\n\n[x](nowhere.py)\n"), (TWO, &page("Zwei", "[code](code:x/a.py)"))]);
    assert_eq!(desk.outdated(), ["code/x/index.html"]);
    assert!(desk.shown("code/x/index.html").contains("Read me"));
    assert!(desk.shown("code/x/a.py.html").contains("Zwei"));
    desk.write(&[(README, "# Folder\n\nAgain.\n"), ("code/x/a.py", "# ANCHOR: a\n")]);
    assert_eq!(desk.faulty(), ["code/x/a.py"]);
    assert!(desk.shown("code/x/a.py.html").contains("def") && desk.shown("code/x/a.py").contains("def"));
    desk.put("code/x/a.py", Some(File::Binary(Arc::new(infralens_source::project::Binary::new(vec![0], 0)))));
    desk.update();
    assert!(desk.shown(TWO_AT).contains("Zwei"));
    desk.write(&[("code/x/a.py", "def a():\n    pass\n")]);
}

#[test]
fn alternating_errors_keep_the_last_good_version_of_each_file() {
    let mut desk = Desk::new(&[]);
    for round in 0..3 {
        let (one, about) = (format!("One {round}."), format!("About {round}."));
        desk.write(&[(ONE, BROKEN), (ABOUT, &page("About", &about))]);
        assert!(desk.shown("about.html").contains(&about));
        desk.write(&[(ONE, &page("One", &format!("## First\n\n{one}"))), (ABOUT, BROKEN)]);
        assert!(desk.shown(ONE_AT).contains(&one) && desk.shown("about.html").contains(&about));
        desk.write(&[(ONE, BROKEN)]);
        assert!(desk.shown(ONE_AT).contains(&one) && desk.shown("about.html").contains(&about));
    }
    desk.write(&[(ONE, &page("One", "## First\n\nText of one.")), (ABOUT, &page("About", "All is well."))]);
}

#[test]
fn a_page_is_good_again_because_another_is_gone() {
    let again = "content/tracks/t/handbook/01-again.md";
    let mut desk = Desk::new(&[]);
    desk.write(&[(again, &page("Again", "The same number"))]);
    assert_eq!(desk.faulty().len(), 1);
    assert!(desk.shown(ONE_AT).contains("Text of one"));
    desk.remove(again);
    let loud = "content/ABOUT.md";
    desk.write(&[(loud, &page("Loud", "Another case"))]);
    assert_eq!(desk.faulty().len(), 1);
    desk.remove(loud);
    assert_eq!(desk.faulty(), [""; 0]);
}

#[test]
fn an_error_that_is_undone_leaves_the_plan_before_it() {
    let good = page("One", "## First\n\nText of one.");
    let mut desk = Desk::new(&[(ONE, &good)]);
    let whole = desk.planner.plans().0;
    desk.write(&[(ONE, BROKEN)]);
    let (faulty, repaired) = desk.planner.plans();
    assert!(!Arc::ptr_eq(&faulty, &whole) && Arc::ptr_eq(&repaired, &whole), "the page is repaired with what it was");
    desk.write(&[(ONE, &good)]);
    assert!(Arc::ptr_eq(&desk.planner.plans().0, &whole));
}
