//! Work grows with its input and no faster: each construct of the format is built so many times and four times as many,
//! and Callgrind counts the instructions of each function. Where a function takes sixteen times as many, it is quadratic,
//! however little it takes beside the others.

mod constructs;
mod counts;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use infralens::assets::BUILTIN;
use infralens::{load, report};
use infralens_author::relocate::{self, PageName};
use infralens_author::sync::{self, Accept};
use infralens_import as import;
use infralens_site::{self as site, Options, Site};
use infralens_source::project::{File, Project};
use infralens_source::source::Source;
use infralens_starter::{highlight::highlight, symbol};
use tempfile::TempDir;

use self::constructs::{BOOK, Construct, EDITED, Files, MOVED, SYMBOLS};
use self::counts::{Counts, Running};
use crate::harness::repository;

/// A function may take so many times the instructions for four times the input. Sorting takes five, and what begins to work
/// only from some length on takes more; what is quadratic takes sixteen.
const MOST: u64 = 13;
/// What is not judged: the comparison of every wrong name with every right one, which `diag::nearest` limits, that of lines
/// which differ, which `compare::MAX_DIFFERENT` limits, and the allocator's tidying up, which comes when it likes.
const LIMITED: [&str; 6] =
    ["strsim::", "core::str::count::", "infralens_starter::lcs::", "malloc", "_int_", "unlink_chunk"];
/// What a function takes counts if it is more than one of so many instructions of the larger build.
const LEAST: u64 = 50;
/// So many processes count at once.
const PARTS: usize = 2;
/// The variable that tells a process its part.
const PART: &str = "INFRALENS_PART";
/// The variable that names the constructs to try, by a part of their names: of the others, there is nothing to be seen.
const ONLY: &str = "INFRALENS_ONLY";

/// The course that every construct is put into, and its site.
struct Base {
    project: Project,
    site: Site,
}

impl Base {
    fn new() -> Self {
        let mut project = load::load(&repository("tests/suite/base"));
        for (path, text) in EDITED {
            put(&mut project, path, text);
        }
        let site = site::plan(&project, &Options::new(BUILTIN), &Site::default());
        Self { project, site }
    }

    /// Builds the course with these files in it, judges it, says all that there is to say, and writes its pins.
    fn build(&self, files: &Files) -> usize {
        if files.iter().any(|(path, _)| path.starts_with(BOOK)) {
            return imported(files);
        }
        let mut project = self.project.clone();
        let (symbols, files): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| path.starts_with(SYMBOLS));
        let found = symbols
            .iter()
            .filter_map(|(path, text)| symbol::symbols(path, text, &highlight(None, text)))
            .map(|found| found.len());
        let found: usize = found.sum();
        if files.is_empty() {
            return found;
        }
        for (path, text) in files {
            put(&mut project, path, text);
        }
        let site = site::plan(&project, &Options::new(BUILTIN), &self.site);
        let (output, made) = (site.judge(), Mutex::new(0));
        site.make_all(|_, bytes| *made.lock().expect("no panic") += bytes.as_ref().len());
        let texts = [report::brief(&output, &project, false), report::json(&output, &project)];
        let plan = sync::plan(site.all_drifts(), &output, &Accept::All);
        texts.iter().map(String::len).sum::<usize>() + plan.changes.len() + moved(&project)
    }
}

/// Imports a book.
fn imported(files: &Files) -> usize {
    let mut project = Project::default();
    for (path, text) in files {
        put(&mut project, path.trim_start_matches(BOOK), text);
    }
    let is_mdbook = project.files.contains_key("book.toml");
    let dialect = if is_mdbook { import::Dialect::MdBook } else { import::Dialect::MkDocs };
    let imported = import::import(&project, dialect, "", &Options::new(BUILTIN)).expect("a book");
    imported.changes.len() + imported.losses.len()
}

/// Plans to move the page that is there to be moved, and compares the diagnostics before and after.
fn moved(project: &Project) -> usize {
    if !project.files.contains_key(MOVED) {
        return 0;
    }
    let [old, new] = [MOVED, "content/there.md"].map(|text| PageName { text, path: None });
    let plan = relocate::plan(project, &old, &new).expect("it can be moved");
    relocate::new_problems(project, &plan, &Options::new(BUILTIN)).1.len()
}

fn put(project: &mut Project, path: &str, text: &str) {
    let path: Arc<str> = path.into();
    let file = File::Text(Arc::new(Source::new(Arc::clone(&path), text)));
    project.put(&path, Some(file));
}

/// What Callgrind counts: it writes down the instructions so far whenever this begins.
#[inline(never)]
fn counted(base: &Base, files: &Files) -> usize {
    base.build(files)
}

/// Every other construct that is tried, from the one of this number on.
fn part(number: usize) -> impl Iterator<Item = Construct> {
    let only = std::env::var(ONLY).unwrap_or_default();
    let asked = constructs::all().into_iter().filter(move |construct| construct.name.contains(&only));
    asked.skip(number).step_by(PARTS)
}

#[test]
#[ignore = "is run under Valgrind by the other test here"]
fn the_work_that_is_counted() {
    let number = std::env::var(PART).ok().and_then(|part| part.parse().ok()).unwrap_or_default();
    let base = Base::new();
    for Construct { first, files, .. } in part(number) {
        for count in [first, 4 * first] {
            std::hint::black_box(counted(&base, &files(count)));
        }
    }
}

#[test]
#[ignore = "needs Valgrind and ten minutes; `tests/run --long` runs it"]
fn four_times_the_input_is_four_times_the_work() {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let examined: Vec<_> = (0..PARTS).map(|number| scope.spawn(move || examine(number))).collect();
        examined.into_iter().map(|wrong| wrong.join().expect("it is examined to the end")).collect()
    });
    assert!(wrong.iter().all(String::is_empty), "{}", wrong.concat());
}

/// Counts a part of the constructs, and says what grows too fast.
fn examine(number: usize) -> String {
    let folder = TempDir::with_prefix("infralens-").expect("a temporary folder");
    let mut running = Running::new(start(number, folder.path()), folder.path());
    // What it takes to build the course itself.
    running.next();
    let judged = part(number).map(|construct| judge(&construct, &running.next(), &running.next()));
    judged.collect()
}

fn start(number: usize, folder: &Path) -> Child {
    Command::new("valgrind")
        .args(["-q", "--tool=callgrind", "--dump-line=no", "--dump-before=it::linear::counted*"])
        .arg(format!("--callgrind-out-file={}", folder.join("counts").display()))
        .arg(std::env::current_exe().expect("the path of the tests"))
        .args(["--ignored", "--exact", "linear::the_work_that_is_counted"])
        .env("RAYON_NUM_THREADS", "1")
        .env(PART, number.to_string())
        .stdout(Stdio::null())
        .spawn()
        .expect("Valgrind is there: `apt-get install valgrind`")
}

/// The functions that take more than they may of a construct.
fn judge(construct: &Construct, small: &Counts, large: &Counts) -> String {
    let all: u64 = large.values().sum();
    let grown = large.iter().filter_map(|(function, &many)| {
        let few = small.get(function).copied().unwrap_or(0).max(1);
        let (growth, part) = (many / few, 100 * many / all);
        let is_limited = LIMITED.iter().any(|limited| function.starts_with(limited));
        (many > MOST * few && many > all / LEAST && !is_limited)
            .then(|| format!("{}: {growth} times, {part} % of all: {function}\n", construct.name))
    });
    grown.collect()
}
