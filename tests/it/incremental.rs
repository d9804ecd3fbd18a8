//! A build that keeps what it can yields what a build from nothing does, after any edits, and the preview serves it: on a
//! course that has a bit of everything, in memory, by seeds.

mod edits;

use std::collections::BTreeMap;
use std::path::Path;

pub use edits::{Course, course, edit};
use infralens::assets::BUILTIN;
use infralens::serve::Editor;
use infralens::serve::editor::Settings;
use infralens::serve::http::Site;
use infralens::serve::last_good::{Planner, View};
use infralens::serve::state::{PreviewState, Tools};
use infralens_course::config::BaseUrl;
use infralens_site::{self as site, Options, Site as Planned};
use infralens_source::diag::{self, Diagnostic};
use infralens_source::project::Project;
use rayon::prelude::*;

use crate::generate::Dice;

/// How many sequences of edits are tried, how many edits each has, and how many follow one another.
const SEQUENCES: u64 = 160;
const EDITS: usize = 3;
const CHAIN: usize = 20;
/// Every how many chains are served, too.
const SERVED: u64 = 8;

/// A site's files.
type Bytes = BTreeMap<String, Vec<u8>>;

/// What a build yields, as far as anyone can see it.
#[derive(Debug)]
struct Seen {
    files: Bytes,
    diagnostics: Vec<Diagnostic>,
    drifts: Vec<String>,
}

fn seen(site: &Planned) -> Seen {
    let (files, faults) = site.files();
    let files = files.into_iter().map(|(path, bytes)| (path, bytes.as_ref().to_vec()));
    let mut diagnostics: Vec<Diagnostic> = site.diagnostics().cloned().chain(faults).collect();
    diag::sort(&mut diagnostics);
    let drifts = site.drifts().map(|drift| format!("{} {:?} {:?}", drift.page.path(), drift.state, drift.code));
    Seen { files: files.collect(), diagnostics, drifts: drifts.collect() }
}

/// What a chain of sequences is tried with.
struct Bench {
    options: Options,
    planner: Planner,
    view: View,
    state: Option<PreviewState>,
    project: Project,
}

impl Bench {
    fn new(chain: u64, whole: &Course) -> Self {
        let base_url = (chain % 5 == 1).then(|| BaseUrl::parse("https://example.org/below/").expect("it is a URL"));
        let options = Options { drafts: chain % 3 == 1, base_url, ..Options::new(BUILTIN) };
        let editor = Editor::new(Path::new("/course"), Settings::default()).expect("an editor");
        let state = chain
            .is_multiple_of(SERVED)
            .then(|| PreviewState::new(Planner::new(options.clone()), Tools { editor, fixes: None }));
        let (planner, view, project) = (Planner::new(options.clone()), View::default(), Project::default());
        let mut bench = Self { options, planner, view, state, project };
        bench.build(edits::read(whole, &Project::default()), "at the start");
        bench
    }

    fn build(&mut self, project: Project, log: &str) {
        self.project = project;
        self.view = self.planner.update(&self.project, &self.view);
        let cold = seen(&site::plan(&self.project, &self.options, &Planned::default()));
        check(&seen(&self.view.current), &cold, log);
        check_view(&self.view, &cold, log);
        if let Some(state) = &self.state {
            state.update(&self.project);
            check_served(state, &self.project, &cold, log);
        }
    }

    fn sequence(&mut self, seed: u64, whole: &Course) {
        let mut dice = Dice(seed);
        let (mut course, mut log) = (whole.clone(), format!("seed {seed}:\n"));
        for step in 0..=EDITS {
            if step == EDITS {
                log.push_str("all is as it was");
                course.clone_from(whole);
            } else {
                for _ in 0..=dice.below(3) / 2 {
                    edit(&mut dice, &mut course, whole, &mut log);
                }
            }
            log.push('\n');
            // Now and then every file is another one with the same bytes.
            let nothing = Project::default();
            let project = edits::read(&course, if dice.below(16) == 0 { &nothing } else { &self.project });
            self.build(project, &log);
        }
    }
}

/// Whether both are the same.
fn check(kept: &Seen, cold: &Seen, log: &str) {
    assert_eq!(kept.diagnostics, cold.diagnostics, "{log}");
    assert_eq!(kept.drifts, cold.drifts, "{log}");
    let paths = |seen: &Seen| seen.files.keys().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(kept.files.keys().eq(cold.files.keys()), "{log}\n{:?}", differing(&paths(cold), &paths(kept)));
    for (path, bytes) in &kept.files {
        let [kept, cold] = [bytes, &cold.files[path]].map(|bytes| String::from_utf8_lossy(bytes));
        let differs = differing(&cold, &kept);
        assert!(differs.is_none(), "{path} differs: {log}\n{}", differs.unwrap_or_default());
    }
}

/// What is to be shown is what was built, if nothing is wrong; else no page is empty.
fn check_view(view: &View, cold: &Seen, log: &str) {
    let bytes = |path: &str| view.make(path).and_then(Result::ok).map(|bytes| bytes.as_ref().to_vec());
    if is_good(cold) {
        assert!(view.outdated.is_empty() && view.unavailable.is_empty(), "{log}");
        assert!(view.paths().iter().map(AsRef::as_ref).eq(cold.files.keys().map(String::as_str)), "{log}");
        assert!(cold.files.iter().all(|(path, expected)| bytes(path).as_ref() == Some(expected)), "{log}");
    }
    let is_copy = |path: &str| view.find(path).is_none_or(|(_, output)| output.from.starts_with("static/"));
    let is_blank =
        |path: &str| path.ends_with(".html") && !is_copy(path) && bytes(path).is_some_and(|it| it.is_empty());
    let blank = view.paths().into_iter().find(|path| is_blank(path));
    assert!(blank.is_none(), "{blank:?} is blank: {log}");
    assert!(view.outdated.iter().all(|path| view.find(path).is_some()), "{log}");
    assert!(!view.unavailable.keys().any(|path| view.find(path).is_some()), "{log}");
}

fn is_good(cold: &Seen) -> bool {
    cold.diagnostics.iter().all(|diagnostic| diagnostic.severity != diag::Severity::Error)
}

/// How a text differs from what it should be.
fn differing(expected: &str, found: &str) -> Option<String> {
    let diff = || similar::TextDiff::from_lines(expected, found).unified_diff().to_string();
    (expected != found).then(diff)
}

/// Without errors every file is served as a build writes it, but for one script on each page that a template makes. With
/// errors they are there to be read on every page, and a page that was shown is still there.
fn check_served(state: &PreviewState, project: &Project, cold: &Seen, log: &str) {
    let faults: Vec<_> =
        cold.diagnostics.iter().filter(|diagnostic| diagnostic.severity == diag::Severity::Error).collect();
    if !faults.is_empty() {
        let page = String::from_utf8_lossy(state.not_found("").bytes.as_ref()).into_owned();
        assert!(faults.iter().take(20).all(|fault| page.contains(fault.code.id)), "{log}\n{page}");
        return;
    }
    let made = |path: &str| {
        let copied =
            ["static", "content"].map(|folder| project.files.contains_key(format!("{folder}/{path}").as_str()));
        path.ends_with(".html") && copied == [false; 2]
    };
    for (path, bytes) in &cold.files {
        let served = state.file(path).unwrap_or_else(|| panic!("{path} is not served\n{log}"));
        if made(path) {
            let served = String::from_utf8_lossy(served.bytes.as_ref()).into_owned();
            let tag = &served[served.find("<script src=\"/.infralens/").expect("a script")..];
            let tag = &tag[..tag.find("</script>").expect("its end") + "</script>".len()];
            let differs = differing(&String::from_utf8_lossy(bytes), &served.replacen(tag, "", 1));
            assert!(differs.is_none(), "{path} is served otherwise\n{log}\n{}", differs.unwrap_or_default());
        } else {
            assert!(served.bytes.as_ref() == *bytes, "{path} is served otherwise\n{log}");
        }
    }
    assert!(state.paths().iter().eq(cold.files.keys()), "{log}");
}

#[test]
fn what_is_kept_is_what_would_be_made() {
    let whole = course();
    let project = edits::read(&whole, &Project::default());
    let site = site::plan(&project, &Options::new(BUILTIN), &Planned::default());
    assert!(site.diagnostics().all(|diagnostic| diagnostic.severity != diag::Severity::Error), "the course is sound");
    let built = |path: &str| {
        let bytes = site.make(path).and_then(Result::ok);
        bytes.map_or_else(String::new, |bytes| String::from_utf8_lossy(bytes.as_ref()).into_owned())
    };
    assert!(!built("code/shared/plot.svg").is_empty(), "a picture below `code/` is published");
    assert!(built("tracks/first/practice.html").contains("Because."), "labs ask");
    let seeds: Vec<u64> = seeds().collect();
    let chain = |chain: &[u64]| {
        let mut bench = Bench::new(chain[0] / CHAIN as u64, &whole);
        for &seed in chain {
            bench.sequence(seed, &whole);
        }
    };
    // Threads of its own: other tests must not wait for this one.
    let pool = rayon::ThreadPoolBuilder::new().build().expect("a pool");
    pool.install(|| seeds.par_chunks(CHAIN).for_each(chain));
}

/// The seeds to try: others, for once, with `SEEDS=from..to` in the environment.
fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("SEEDS").ok();
    let given = given.as_deref().and_then(|text| text.split_once(".."));
    given.map_or(0..SEQUENCES, |(from, to)| from.parse().expect("a number")..to.parse().expect("a number"))
}
