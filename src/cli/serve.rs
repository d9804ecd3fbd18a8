//! `infralens serve`: previews the course in a browser.
//!
//! 1. find the course, listen, build it in memory;
//! 2. say where it is, and open it there if asked to;
//! 3. for ever: wait for a change, show it, say in a line what it was.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::clock::today;
use super::{Common, Failure, Outcome, count, print, tell, tell_diagnostics};
use crate::diag::{Diagnostic, Severity};
use crate::project::Project;
use crate::report::{Counts, one_line};
use crate::serve::editor::Settings;
use crate::serve::{Address, Changes, Editor, Preview, Rebuilt, StartError};
use crate::site;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The port to listen on; 0 takes any that is free
    #[arg(long, value_name = "PORT", default_value_t = 4000)]
    port: u16,
    /// The name or address to listen on; with any but this machine's own, others can read the course, drafts included
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    host: String,
    /// Open the preview in the browser
    #[arg(long)]
    open: bool,
    /// Show drafts, too
    #[arg(long)]
    drafts: bool,
}

/// How many changed files a line names before it counts them.
const NAMED: usize = 3;

pub(super) fn run(common: &Common, options: Options) -> Outcome {
    let today = today()?;
    let root = common.root()?;
    let editor = editor(&root)?;
    let site = site::Options { drafts: options.drafts, base_url: None, today: Some(today) };
    let address = Address { host: options.host, port: options.port };
    let (mut preview, first) = Preview::start(root, site, &address, editor)?;
    let url = url(&address.host, preview.address().port(), &preview.base_path());
    print(&format!("{url} shows the course: {}; Ctrl-C ends it\n", outcome(&first)))?;
    let mut told = Told::default();
    told.errors(&first, preview.project());
    if options.open && open::that_detached(&url).is_err() {
        tell(&format!("warning: no browser could be opened: go to {url} in one\n"));
    }
    loop {
        if let Some(notice) = preview.take_notice() {
            tell(&format!("warning: {}\n", one_line(&notice)));
        }
        let rebuilt = preview.rebuild();
        print(&format!("{}: {}\n", changed(&rebuilt.files), outcome(&rebuilt)))?;
        if !rebuilt.failed {
            told.news(&rebuilt, preview.project());
        }
    }
}

/// The author's editor, as the environment names it.
#[expect(clippy::disallowed_methods, reason = "which editor an author has is said there; no page depends on it")]
fn editor(root: &Path) -> Result<Editor, Failure> {
    let root = root
        .canonicalize()
        .map_err(|error| Failure::new(format!("the folder `{}` cannot be found: {error}", root.display())))?;
    let [template, visual, editor] = ["INFRALENS_EDITOR", "VISUAL", "EDITOR"].map(|name| std::env::var(name).ok());
    let settings = Settings { template: template.as_deref(), visual: visual.as_deref(), editor: editor.as_deref() };
    Ok(Editor::new(&root, settings))
}

/// The address to type into a browser on this machine.
fn url(host: &str, port: u16, base_path: &str) -> String {
    let host = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(address) if address.is_unspecified() => "localhost".to_owned(),
        Ok(address) => SocketAddr::new(address, port).to_string().trim_end_matches(&format!(":{port}")).to_owned(),
        Err(_) => host.to_owned(),
    };
    format!("http://{host}:{port}{base_path}")
}

/// The files of a change, or how many they are.
fn changed(files: &[Arc<str>]) -> String {
    let named = || files.iter().map(|file| one_line(file).into_owned()).collect::<Vec<_>>().join(", ");
    if files.len() <= NAMED { named() } else { format!("{} files", files.len()) }
}

/// What a build did, in a line: `12 pages in 31 ms, 2 errors`.
fn outcome(rebuilt: &Rebuilt) -> String {
    if rebuilt.failed {
        return "the build failed, which is a fault of this program; the course is shown as it was before".to_owned();
    }
    let Changes { pages, files } = rebuilt.changes;
    let site = match (pages, files) {
        (0, 0) => "nothing to show anew".to_owned(),
        (pages, 0) => count(pages, "page"),
        (0, files) => count(files, "other file"),
        (pages, files) => format!("{} and {}", count(pages, "page"), count(files, "other file")),
    };
    let counts = Counts::of(&rebuilt.diagnostics);
    let said = [(counts.errors, "error"), (counts.warnings, "warning")].into_iter().filter(|(number, _)| *number > 0);
    let parts = std::iter::once(format!("{site} in {}", duration(rebuilt.time)));
    parts.chain(said.map(|(number, noun)| count(number, noun))).collect::<Vec<_>>().join(", ")
}

fn duration(time: Duration) -> String {
    match time.as_millis() {
        0 => "less than 1 ms".to_owned(),
        millis @ ..1000 => format!("{millis} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

/// What the terminal shows already: the same is not said again with each save.
#[derive(Default)]
struct Told {
    errors: BTreeSet<Key>,
    warnings: BTreeSet<Key>,
}

/// A diagnostic, wherever the lines above it have shifted it to.
type Key = (&'static str, Arc<str>, String);

impl Told {
    /// The errors. Warnings that a course has from the start are counted, and `check` shows them.
    fn errors(&mut self, rebuilt: &Rebuilt, project: &Project) {
        self.warnings = keys(&rebuilt.diagnostics, Severity::Warning);
        self.news(rebuilt, project);
    }

    /// The errors, if there are others than before, and warnings that are new.
    fn news(&mut self, rebuilt: &Rebuilt, project: &Project) {
        let errors = keys(&rebuilt.diagnostics, Severity::Error);
        let warnings = keys(&rebuilt.diagnostics, Severity::Warning);
        if errors.is_empty() && !self.errors.is_empty() {
            tell("all errors are mended\n");
        }
        let is_news = |said: &&Diagnostic| match said.severity {
            Severity::Error => errors != self.errors,
            Severity::Warning => !self.warnings.contains(&key(said)),
            Severity::Hint => false,
        };
        let news: Vec<Diagnostic> = rebuilt.diagnostics.iter().filter(is_news).cloned().collect();
        if !news.is_empty() {
            tell_diagnostics(&news, project);
        }
        (self.errors, self.warnings) = (errors, warnings);
    }
}

fn keys(said: &[Diagnostic], severity: Severity) -> BTreeSet<Key> {
    said.iter().filter(|said| said.severity == severity).map(key).collect()
}

fn key(said: &Diagnostic) -> Key {
    (said.code.id, Arc::clone(&said.place.file), said.message.clone())
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        Self { message: error.to_string(), help: error.help().into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_one_that_a_browser_takes() {
        assert_eq!(url("127.0.0.1", 4000, "/"), "http://127.0.0.1:4000/");
        assert_eq!(url("0.0.0.0", 80, "/course/"), "http://localhost:80/course/");
        assert_eq!(url("::1", 4000, "/"), "http://[::1]:4000/");
        assert_eq!(url("[::]", 4000, "/"), "http://localhost:4000/");
        assert_eq!(url("lab.local", 4000, "/"), "http://lab.local:4000/");
    }

    #[test]
    fn a_rebuild_is_a_line() {
        let files = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect::<Vec<_>>();
        let mut rebuilt = Rebuilt {
            files: files(&["a.md", "b.md"]),
            changes: Changes { pages: 1, files: 0 },
            time: Duration::from_micros(4900),
            failed: false,
            diagnostics: Arc::default(),
        };
        assert_eq!(changed(&rebuilt.files), "a.md, b.md");
        assert_eq!(changed(&files(&["a", "b", "c", "d"])), "4 files");
        assert_eq!(outcome(&rebuilt), "1 page in 4 ms");
        rebuilt.changes = Changes { pages: 12, files: 2 };
        rebuilt.time = Duration::from_millis(1260);
        assert_eq!(outcome(&rebuilt), "12 pages and 2 other files in 1.3 s");
        rebuilt.changes = Changes::default();
        rebuilt.time = Duration::ZERO;
        assert_eq!(outcome(&rebuilt), "nothing to show anew in less than 1 ms");
    }
}
