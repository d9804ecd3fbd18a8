//! `infralens serve`: previews the course in a browser.
//!
//! 1. find the course, listen, build it in memory;
//! 2. print the URL, and open it if asked to;
//! 3. wait for a change, show it, say in a line what it was; forever.
//!
//! All of it goes to standard output, messages included: in two streams, a reader of one would lose half, and the order.

mod terminal;

use std::io::{self, IsTerminal};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::Args;

use super::clock::{time_of_day, today};
use super::{Common, Failure, Outcome, print, quantity};
use crate::assets::BUILTIN;
use crate::report::{Counts, one_line};
use crate::serve::editor::Settings;
use crate::serve::{Address, EditedPage, Editor, PageState, Preview, Rebuild, machine_addresses};
use infralens_site as site;
use terminal::Terminal;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct Options {
    /// The port to listen on; 0 means any free port
    #[arg(long, value_name = "PORT", default_value_t = 4000)]
    port: u16,
    /// The name or address to listen on; unless it is a loopback address, others can read the course, including drafts.
    /// Give it again for each other name that leads here, such as that of a proxy
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    host: Vec<String>,
    /// Open the preview in the browser
    #[arg(long)]
    open: bool,
    /// Make the browser go to a page when you save it
    #[arg(long)]
    follow: bool,
    /// Let an editor show the preview in a frame. The browser goes to the place that each line `PATH:LINE` of standard input
    /// names, and the preview ends with it
    #[arg(long)]
    editor: bool,
    /// Show drafts, too
    #[arg(long)]
    drafts: bool,
}

/// The maximum number of changed files that a line names; more are counted.
const MAX_NAMED: usize = 3;

pub(super) fn run(common: &Common, options: Options) -> Outcome {
    let today = today()?;
    let root = common.root()?;
    let editor = editor(&root)?;
    let site =
        site::Options { drafts: options.drafts, base_url: None, today: Some(today), ..site::Options::new(BUILTIN) };
    let mut hosts = options.host.into_iter();
    let host = hosts.next().unwrap_or_default();
    let address = Address { host, other_names: hosts.collect(), port: options.port, in_editor: options.editor };
    let which = editor.description().map(|editor| format!("Alt+click on a page opens its source in {editor}\n"));
    let (mut preview, first) = Preview::start(root, site, &address, editor)?;
    preview.follows_edits = options.follow;
    let (port, base_path) = (preview.address().port(), preview.base_path());
    let url = url(preview.host(), port, &base_path);
    let enter = if io::stdin().is_terminal() { "Enter prints this and all messages again, " } else { "" };
    let mut notices = String::new();
    if preview.host() != address.host {
        let host = &address.host;
        notices = format!("`{host}` is not a name of this machine: a proxy of this name can send requests there\n");
    }
    if !preview.address().ip().is_loopback() {
        notices += &network_notice(&preview.address(), &machine_addresses(), &base_path);
    }
    notices += &which.unwrap_or_default();
    print(&format!("{url} shows the course: {}; {enter}Ctrl-C stops it\n{notices}", outcome(&first)))?;
    let again = format!("{url} shows the course\n{notices}");
    if options.editor {
        follow_lines(preview.follower());
    }
    let mut terminal = Terminal::new(again, &first, preview.project())?;
    if options.open && open::that_detached(&url).is_err() {
        print(&format!("warning: no browser could be opened: go to {url} in one\n"))?;
    }
    loop {
        if let Some(notice) = preview.take_notice() {
            print(&format!("warning: {}\n", one_line(&notice)))?;
        }
        let rebuild = preview.wait_and_rebuild();
        print(&format!("{} {}: {}\n", time_of_day(), changed(&rebuild.files), outcome(&rebuild)))?;
        terminal.update(&rebuild, preview.project())?;
    }
}

/// Follows the cursor of an editor, which writes its places to standard input, until the editor ends.
#[expect(clippy::disallowed_methods, reason = "the main thread waits for changes on disk, and nothing is half written")]
fn follow_lines(follow: impl Fn(&str, usize) + Send + 'static) {
    thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if let Some((path, line)) = line.rsplit_once(':')
                && let Ok(line) = line.trim().parse()
            {
                follow(path, line);
            }
        }
        std::process::exit(0);
    });
}

/// Returns a notice that others can read the course, and at which URLs.
fn network_notice(bound: &SocketAddr, machine: &[IpAddr], base_path: &str) -> String {
    let own = [bound.ip()];
    // A socket for all IPv6 addresses also accepts IPv4.
    let is_reachable = |address: &&IpAddr| !bound.is_ipv4() || address.is_ipv4();
    let addresses = if bound.ip().is_unspecified() { machine } else { &own };
    let urls = addresses.iter().filter(is_reachable);
    let urls: Vec<String> = urls.map(|address| url(&address.to_string(), bound.port(), base_path)).collect();
    let at = if urls.is_empty() { "any address of this machine".to_owned() } else { urls.join(", ") };
    format!("{at}: others in your network can read the course there, with its messages and the paths of its files\n")
}

/// Returns the author's editor, according to environment variables.
#[expect(clippy::disallowed_methods, reason = "the environment names the editor; no page depends on it")]
fn editor(root: &Path) -> Result<Editor, Failure> {
    let root = root
        .canonicalize()
        .map_err(|error| Failure::new(format!("the folder `{}` cannot be found: {error}", root.display())))?;
    let [template, visual, editor] = ["INFRALENS_EDITOR", "VISUAL", "EDITOR"].map(|name| std::env::var(name).ok());
    let settings = Settings { template: template.as_deref(), visual: visual.as_deref(), editor: editor.as_deref() };
    Editor::new(&root, settings)
}

/// Returns the URL for a browser on this machine. For a server at all addresses, it has one of them: at another address of
/// the name `localhost`, another program may listen.
fn url(host: &str, port: u16, base_path: &str) -> String {
    let host = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) if address.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
        Ok(IpAddr::V6(address)) if address.is_unspecified() => format!("[{}]", Ipv6Addr::LOCALHOST),
        Ok(address) => SocketAddr::new(address, port).to_string().trim_end_matches(&format!(":{port}")).to_owned(),
        Err(_) => host.to_owned(),
    };
    format!("http://{host}:{port}{base_path}")
}

/// Names the files of a change, or counts them if there are many.
fn changed(files: &[Arc<str>]) -> String {
    let named = || files.iter().map(|file| one_line(file).into_owned()).collect::<Vec<_>>().join(", ");
    if files.len() <= MAX_NAMED { named() } else { format!("{} files", files.len()) }
}

/// Describes the result of a build: `1 page in 31 ms, 2 errors`.
fn outcome(rebuild: &Rebuild) -> String {
    let Some(diagnostics) = &rebuild.diagnostics else {
        return "the build failed because of a bug in this program; the previous version is still shown".to_owned();
    };
    let counts = Counts::of(diagnostics).to_string();
    let comma = if counts.is_empty() { "" } else { ", " };
    format!("{} in {}{comma}{counts}", updated(&rebuild.edited), duration(rebuild.time))
}

/// Describes what a build has updated: the pages that were edited, or the whole site.
fn updated(edited: &[EditedPage]) -> String {
    match edited {
        [] => "the site".to_owned(),
        [EditedPage { state: PageState::Draft, .. }] => "a draft, which `--drafts` shows,".to_owned(),
        [EditedPage { state: PageState::Unavailable, .. }] => "1 page, not shown because of its errors,".to_owned(),
        [EditedPage { state: PageState::Outdated, .. }] => "1 page, shown as it was before the error,".to_owned(),
        edited => quantity(edited.len(), "page"),
    }
}

fn duration(time: Duration) -> String {
    match time.as_millis() {
        0 => "less than 1 ms".to_owned(),
        millis @ ..1000 => format!("{millis} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_one_that_a_browser_takes() {
        assert_eq!(url("127.0.0.1", 4000, "/"), "http://127.0.0.1:4000/");
        assert_eq!(url("0.0.0.0", 80, "/course/"), "http://127.0.0.1:80/course/");
        assert_eq!(url("::1", 4000, "/"), "http://[::1]:4000/");
        assert_eq!(url("[::]", 4000, "/"), "http://[::1]:4000/");
        assert_eq!(url("lab.local", 4000, "/"), "http://lab.local:4000/");
    }

    #[test]
    fn others_are_told_by_address() {
        let to = |bound: &str, machine: &[&str]| {
            let machine: Vec<IpAddr> = machine.iter().map(|address| address.parse().expect("an address")).collect();
            network_notice(&bound.parse().expect("an address"), &machine, "/")
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
        let line = |edited: &[PageState], micros| {
            let edited = edited.iter().map(|&state| EditedPage { address: "/a.html".to_owned(), state }).collect();
            let time = Duration::from_micros(micros);
            outcome(&Rebuild { files: Vec::new(), edited, time, diagnostics: Some(Arc::default()) })
        };
        assert_eq!(line(&[], 1_260_000), "the site in 1.3 s");
        assert_eq!(line(&[], 0), "the site in less than 1 ms");
        assert_eq!(line(&[PageState::Current], 4900), "1 page in 4 ms");
        assert_eq!(line(&[PageState::Current, PageState::Current], 4900), "2 pages in 4 ms");
        assert_eq!(line(&[PageState::Outdated], 4900), "1 page, shown as it was before the error, in 4 ms");
        assert_eq!(line(&[PageState::Draft], 4900), "a draft, which `--drafts` shows, in 4 ms");
    }
}
