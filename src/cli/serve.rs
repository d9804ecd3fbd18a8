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

use super::clock::{time_of_day, today};
use super::{Common, Failure, Outcome, count, print, tell, tell_diagnostics};
use crate::diag::{Diagnostic, Severity};
use crate::project::Project;
use crate::report::{Counts, one_line};
use crate::serve::editor::Settings;
use crate::serve::{Address, Edited, Editor, Form, Preview, Rebuilt, StartError, of_this_machine};
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
    /// Let the browser go to the page that you edit, as soon as you save it
    #[arg(long)]
    follow: bool,
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
    let which = editor.description().map(|editor| format!("Alt and a click on a page open {editor}\n"));
    let (mut preview, first) = Preview::start(root, site, &address, editor)?;
    preview.follows_edits = options.follow;
    let (port, base_path) = (preview.address().port(), preview.base_path());
    let url = url(&address.host, port, &base_path);
    print(&format!("{url} shows the course: {}; Ctrl-C ends it\n", outcome(&first)))?;
    if !preview.address().ip().is_loopback() {
        print(&for_others(&preview.address(), &of_this_machine(), &base_path))?;
    }
    print(&which.unwrap_or_default())?;
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
        print(&format!("{} {}: {}\n", time_of_day(), changed(&rebuilt.files), outcome(&rebuilt)))?;
        if !rebuilt.failed {
            told.news(&rebuilt, preview.project());
        }
    }
}

/// Who else can read the course, and where.
fn for_others(bound: &SocketAddr, machine: &[IpAddr], base_path: &str) -> String {
    let own = [bound.ip()];
    // A socket for all addresses of the newer kind takes those of the older kind as well.
    let is_reached = |address: &&IpAddr| !bound.is_ipv4() || address.is_ipv4();
    let addresses = if bound.ip().is_unspecified() { machine } else { &own };
    let urls = addresses.iter().filter(is_reached);
    let urls: Vec<String> = urls.map(|address| url(&address.to_string(), bound.port(), base_path)).collect();
    let at = if urls.is_empty() { "any address of this machine".to_owned() } else { urls.join(", ") };
    format!("{at}: others in your network can read the course there, with its messages and the paths of its files\n")
}

/// The author's editor, as the environment names it.
#[expect(clippy::disallowed_methods, reason = "which editor an author has is said there; no page depends on it")]
fn editor(root: &Path) -> Result<Editor, Failure> {
    let root = root
        .canonicalize()
        .map_err(|error| Failure::new(format!("the folder `{}` cannot be found: {error}", root.display())))?;
    let [template, visual, editor] = ["INFRALENS_EDITOR", "VISUAL", "EDITOR"].map(|name| std::env::var(name).ok());
    let settings = Settings { template: template.as_deref(), visual: visual.as_deref(), editor: editor.as_deref() };
    Editor::new(&root, settings).map_err(|error| Failure::new(error.to_string()).help(error.help()))
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

/// What a build did, in a line: `1 page in 31 ms, 2 errors`.
fn outcome(rebuilt: &Rebuilt) -> String {
    if rebuilt.failed {
        return "the build failed, which is a fault of this program; the course is shown as it was before".to_owned();
    }
    let counts = Counts::of(&rebuilt.diagnostics);
    let said = [(counts.errors, "error"), (counts.warnings, "warning")].into_iter().filter(|(number, _)| *number > 0);
    let parts = std::iter::once(format!("{} in {}", shown(rebuilt), duration(rebuilt.time)));
    parts.chain(said.map(|(number, noun)| count(number, noun))).collect::<Vec<_>>().join(", ")
}

/// What is shown anew: the pages that were edited, or all of the site.
fn shown(rebuilt: &Rebuilt) -> String {
    match rebuilt.edited.as_slice() {
        [] => "the site".to_owned(),
        [Edited { form: Form::Draft, .. }] => "a draft, which `--drafts` shows,".to_owned(),
        [Edited { form: Form::Lost, .. }] => "1 page, not shown because of its errors,".to_owned(),
        [Edited { form: Form::Held, .. }] => "1 page, shown as it was before the error,".to_owned(),
        edited => count(edited.len(), "page"),
    }
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
            tell(&format!("{} all errors are mended\n", time_of_day()));
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
        Self { message: error.to_string(), help: error.help().map(str::to_owned).into_iter().collect() }
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
    fn others_are_told_by_address() {
        let to = |bound: &str, machine: &[&str]| {
            let machine: Vec<IpAddr> = machine.iter().map(|address| address.parse().expect("an address")).collect();
            for_others(&bound.parse().expect("an address"), &machine, "/")
        };
        let all = ["192.168.1.7", "fd00::7"];
        assert!(to("0.0.0.0:4000", &all).starts_with("http://192.168.1.7:4000/: others in your network"));
        assert!(to("[::]:80", &all).starts_with("http://192.168.1.7:80/, http://[fd00::7]:80/: others"));
        assert!(to("10.0.0.1:80", &all).starts_with("http://10.0.0.1:80/: others"));
        assert!(to("0.0.0.0:80", &[]).starts_with("any address of this machine: others"));
    }

    #[test]
    fn a_rebuild_is_a_line() {
        let files = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect::<Vec<_>>();
        assert_eq!(changed(&files(&["a.md", "b.md"])), "a.md, b.md");
        assert_eq!(changed(&files(&["a", "b", "c", "d"])), "4 files");
        let line = |edited: &[Form], micros| {
            let edited = edited.iter().map(|&form| Edited { address: "/a.html".to_owned(), form }).collect();
            outcome(&Rebuilt {
                files: Vec::new(),
                edited,
                time: Duration::from_micros(micros),
                failed: false,
                diagnostics: Arc::default(),
            })
        };
        assert_eq!(line(&[], 1_260_000), "the site in 1.3 s");
        assert_eq!(line(&[], 0), "the site in less than 1 ms");
        assert_eq!(line(&[Form::Current], 4900), "1 page in 4 ms");
        assert_eq!(line(&[Form::Current, Form::Current], 4900), "2 pages in 4 ms");
        assert_eq!(line(&[Form::Held], 4900), "1 page, shown as it was before the error, in 4 ms");
        assert_eq!(line(&[Form::Draft], 4900), "a draft, which `--drafts` shows, in 4 ms");
    }
}
