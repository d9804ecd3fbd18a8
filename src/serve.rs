//! The preview: the site from memory, rebuilt when the course changes, over HTTP.
//!
//! ```text
//! disk --[watch, live_project]--> Project --[last_good]--> View --[state]--> pages --[http]--> browser
//!                                    site::plan, errors           panel                  client
//! ```
//!
//! 1. `live_project` keeps a [`Project`] equal to the files on disk; `watch` says where to look for changes.
//! 2. `last_good` plans the site, and decides what is shown while there are errors.
//! 3. `state` makes what a browser requests, and adds a script to each page and, where there are diagnostics, a `panel`. `embedded_files` finds the pictures and other files that a page shows, which keep their names when they
//!    change.
//! 4. `http` serves the site, and tells browsers when it has changed; the script in `client` then updates the page.
//! 5. `source_location` and `editor` lead from a place on a page to the place in the source file, `follow` back.

pub mod client;
pub mod editor;
pub mod embedded_files;
mod follow;
pub mod http;
pub mod last_good;
pub mod live_project;
pub mod panel;
pub mod source_location;
pub mod state;
pub mod watch;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use editor::Editor;
pub use http::{Address, machine_addresses};
use http::{Server, Site};
use last_good::Planner;
pub use live_project::LiveProject;
pub use panel::PageState;
pub use state::EditedPage;
use state::{Change, Fixes, PreviewState, Tools};

use infralens_site as site;
use infralens_source::change::Refusal;
use infralens_source::diag::Diagnostic;
use infralens_source::project::Project;

/// A running preview. It ends when it is dropped.
pub struct Preview {
    project: LiveProject,
    state: Arc<PreviewState>,
    server: Server,
    /// Whether browsers go to the page that was edited last.
    pub follows_edits: bool,
}

/// The result of a build.
#[derive(Debug)]
pub struct Rebuild {
    /// The files of the course that changed; empty for the first build.
    pub files: Vec<Arc<str>>,
    /// The pages that are made from these files.
    pub edited: Vec<EditedPage>,
    /// How long the build took.
    pub time: Duration,
    /// The diagnostics of the course, sorted; hints and lints are left to `check`. `None` if the program panicked: then
    /// the version that was shown before stays.
    pub diagnostics: Option<Arc<[Diagnostic]>>,
}

impl Preview {
    /// Reads and builds the course at `root`, and serves it.
    ///
    /// # Errors
    ///
    /// The server cannot listen at `address`.
    pub fn start(
        root: PathBuf,
        options: site::Options,
        address: &Address,
        editor: Editor,
    ) -> Result<(Self, Rebuild), Refusal> {
        // Bound first, so that a port in use is reported at once. Early clients wait for the first build.
        let bound = address.bind()?;
        let fixes = bound.is_local().then(|| Fixes { root: root.clone(), token: http::secret() });
        let state = Arc::new(PreviewState::new(Planner::new(options), Tools { editor, fixes }));
        let project = LiveProject::new(root);
        let (time, diagnostics) = timed(|| state.update(project.project()));
        let server = Server::start(bound, Arc::clone(&state) as Arc<dyn Site>)?;
        let rebuild = Rebuild { files: Vec::new(), edited: Vec::new(), time, diagnostics };
        Ok((Self { project, state, server, follows_edits: false }, rebuild))
    }

    /// Waits until the course changes, then builds and shows it.
    pub fn wait_and_rebuild(&mut self) -> Rebuild {
        let files = self.project.wait_for_change();
        let changes: Vec<Change> =
            if self.follows_edits { self.state.changes(&files, self.project.project()) } else { Vec::new() };
        let (time, diagnostics) = timed(|| self.state.update_files(self.project.project(), &files));
        let edited = self.state.edited_pages(&files);
        self.server.notify(&self.state.address_to_follow(&changes).unwrap_or_default());
        Rebuild { files, edited, time, diagnostics }
    }

    /// Returns a function that leads browsers to where a line, from 1, of a file of the course is shown.
    pub fn follower(&self) -> impl Fn(&str, usize) + Send + 'static {
        let (state, notify) = (Arc::clone(&self.state), self.server.notifier());
        move |file, line| {
            if let Some(address) = state.address_of(file, line) {
                notify(&address);
            }
        }
    }

    /// Returns the course as it is on disk.
    pub fn project(&self) -> &Project {
        self.project.project()
    }

    /// Returns, once, why the system reports no changes, so that the course is read at intervals.
    pub fn take_notice(&mut self) -> Option<String> {
        self.project.take_notice()
    }

    /// Returns the path of the site's URL, with a slash at both ends.
    pub fn base_path(&self) -> String {
        self.state.base_path()
    }

    /// Returns the name or address that the preview listens at: not that of a proxy.
    pub fn host(&self) -> &str {
        self.server.host()
    }

    /// Returns the address at which the preview listens.
    pub fn address(&self) -> SocketAddr {
        self.server.local_addr()
    }
}

#[expect(clippy::disallowed_methods, reason = "says how long a build took; no output depends on it")]
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// Locks a mutex, even after a panic of a thread that held it: what it guards is whole between any two steps, or is reset
/// after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the first 16 hex digits of a hash that identifies a version of a file or of a panel.
fn short_hash(parts: &[&[u8]]) -> Arc<str> {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    Arc::from(&hasher.finalize().to_hex()[..16])
}
