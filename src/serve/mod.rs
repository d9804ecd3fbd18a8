//! The preview: the site from memory, rebuilt when the course changes, over HTTP.
//!
//! ```text
//! disk --[watch, follow]--> Project --[hold]--> View --[stage]--> pages --[http]--> browser
//!                              site::plan, errors     inject, panel                 client
//! ```
//!
//! 1. `follow` keeps a [`Project`] as it is on disk: `watch` says where to look, bytes decide;
//! 2. `hold` plans the site, and decides what is shown while something is wrong;
//! 3. `stage` makes what a browser asks for, each page with a script and, where there is something to say, a `panel`; with
//!    what it `shows`, since a picture that changes keeps its name;
//! 4. `http` serves it, and tells browsers that it has changed; the script, in `client`, takes it from there;
//! 5. `jump` and `editor` lead from what a page shows to where it is written.

pub mod client;
pub mod editor;
pub mod follow;
pub mod hold;
pub mod http;
pub mod inject;
pub mod jump;
pub mod panel;
pub mod shows;
pub mod stage;
pub mod watch;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use editor::Editor;
pub use follow::Follower;
use hold::Keeper;
pub use http::{Address, StartError, of_this_machine};
use http::{Server, Site};
pub use panel::Form;
pub use stage::Edited;
use stage::Stage;

use crate::diag::Diagnostic;
use crate::project::Project;
use crate::site;

/// A running preview. It ends when it is dropped.
pub struct Preview {
    follower: Follower,
    stage: Arc<Stage>,
    server: Server,
    /// Whether browsers go to the page that is edited.
    pub follows_edits: bool,
}

/// What a rebuild was about.
#[derive(Debug)]
pub struct Rebuilt {
    /// The files of the course that changed; none at the start.
    pub files: Vec<Arc<str>>,
    /// The pages that they make.
    pub edited: Vec<Edited>,
    /// How long the build took.
    pub time: Duration,
    /// Whether the program failed: what was shown before is shown still.
    pub failed: bool,
    /// What is said of the course, sorted; no hints and no lints, which `check` is for.
    pub diagnostics: Arc<[Diagnostic]>,
}

impl Rebuilt {
    fn new(files: Vec<Arc<str>>, time: Duration, shown: Option<Arc<[Diagnostic]>>) -> Self {
        let failed = shown.is_none();
        Self { files, edited: Vec::new(), time, failed, diagnostics: shown.unwrap_or_default() }
    }
}

impl Preview {
    /// Reads and builds the course at `root`, and serves it.
    ///
    /// # Errors
    ///
    /// Nobody can listen at that address.
    pub fn start(
        root: PathBuf,
        options: site::Options,
        address: &Address,
        editor: Editor,
    ) -> Result<(Self, Rebuilt), StartError> {
        // First, so that an address that is taken is said at once. Who comes early waits for the first build.
        let bound = address.bind()?;
        let stage = Arc::new(Stage::new(Keeper::new(options), editor));
        let follower = Follower::new(root);
        let (time, shown) = timed(|| stage.show(follower.project()));
        let server = Server::start(bound, Arc::clone(&stage) as Arc<dyn Site>)?;
        Ok((Self { follower, stage, server, follows_edits: false }, Rebuilt::new(Vec::new(), time, shown)))
    }

    /// Waits until the course changes, and shows it as it is then.
    pub fn rebuild(&mut self) -> Rebuilt {
        let files = self.follower.next();
        let (time, shown) = timed(|| self.stage.show(self.follower.project()));
        let edited = self.stage.edited(&files);
        // Where many pages change at once, nobody is editing them.
        let shown_now = match edited.as_slice() {
            [page] if self.follows_edits => page.address.as_str(),
            _ => "",
        };
        self.server.notify(shown_now);
        Rebuilt { edited, ..Rebuilt::new(files, time, shown) }
    }

    /// The course as it is on disk.
    #[must_use]
    pub fn project(&self) -> &Project {
        self.follower.project()
    }

    /// Why changes are not heard of, so that the course is read at intervals; said once.
    pub fn take_notice(&mut self) -> Option<String> {
        self.follower.take_notice()
    }

    /// The path under which the site will stand, with a slash at both ends.
    #[must_use]
    pub fn base_path(&self) -> String {
        self.stage.base_path()
    }

    /// Where the preview listens.
    #[must_use]
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
