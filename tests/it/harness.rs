//! Small courses in folders of their own: copied or written, edited, built in this process or by the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use infralens::assets::BUILTIN;
use infralens::emit::{EmitError, Report, Target, Writer};
use infralens::{load, report};
use infralens_render::pin::Drift;
use infralens_site as site;
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::output::Files;
use infralens_source::project::Project;
use tempfile::TempDir;

/// Writes a site that is in memory.
pub fn emit(files: &Files, target: &Target) -> Result<Report, EmitError> {
    let writer = Writer::open(files.keys().map(AsRef::as_ref), target)?;
    for (path, bytes) in files {
        writer.put(path, bytes.as_ref());
    }
    writer.finish(None)
}

/// A file of this project's `tests` folder, or above it.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Whether expected files are to be rewritten.
pub fn updates() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// A course on disk, in a folder that goes when it does.
pub struct SiteTest {
    dir: TempDir,
    pub options: site::Options,
    /// Whether builds in this process say what the lints say. The tiny courses of most tests are no good courses.
    pub lints: bool,
}

/// What a build in this process yields.
pub struct Built {
    pub project: Project,
    pub diagnostics: Vec<Diagnostic>,
    pub files: Option<Files>,
    pub drifts: Vec<Drift>,
}

impl SiteTest {
    /// A course with nothing in it.
    pub fn empty() -> Self {
        let dir = TempDir::with_prefix("infralens-").expect("a temporary folder");
        let test = Self { dir, options: site::Options::new(BUILTIN), lints: false };
        fs::create_dir(test.root()).expect("a folder for the course");
        test
    }

    /// A copy of `tests/sites/CASE`, without what is expected of it.
    pub fn from_dir(case: &str) -> Self {
        Self::copy_of(&repository(&format!("tests/sites/{case}")))
    }

    /// A copy of the project's own course.
    pub fn own() -> Self {
        let test = Self { lints: true, ..Self::empty() };
        for folder in ["content", "code", "templates", "static"] {
            copy(&repository(folder), &test.root().join(folder));
        }
        test
    }

    /// A copy of some folder, without a folder `expected`.
    pub fn copy_of(from: &Path) -> Self {
        let test = Self::empty();
        copy(from, &test.root());
        test
    }

    /// The course's folder.
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("course")
    }

    /// The folder above it, in which nothing else is.
    pub fn above(&self) -> &Path {
        self.dir.path()
    }

    /// The folder that builds write to if they are not told otherwise.
    pub fn public(&self) -> PathBuf {
        self.root().join("public")
    }

    /// Writes a file of the course.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// Replaces a text that stands once in a file of the course.
    pub fn edit(&self, path: &str, from: &str, to: &str) -> &Self {
        let old = fs::read_to_string(self.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(old.matches(from).count(), 1, "`{from}` must stand once in {path}");
        self.write(path, old.replace(from, to))
    }

    /// Removes a file or folder of the course.
    pub fn remove(&self, path: &str) -> &Self {
        let path = self.root().join(path);
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// Builds the course in this process, and writes nothing.
    pub fn build(&self) -> Built {
        let project = load::load(&self.root());
        let mut outcome = site::build(&project, &self.options);
        let is_lint = |diagnostic: &Diagnostic| codes::LINTS.iter().any(|lint| lint.id == diagnostic.code.id);
        outcome.diagnostics.retain(|diagnostic| self.lints || !is_lint(diagnostic));
        Built { project, diagnostics: outcome.diagnostics, files: outcome.files, drifts: outcome.drifts }
    }

    /// Builds the course in this process, and writes it to its folder `public`.
    pub fn emit(&self) -> Report {
        let files = self.build().site();
        let (out, root) = (self.public(), self.root());
        emit(&files, &Target { out: &out, root: &root, is_marked: false }).expect("the site can be written")
    }

    /// Which files under `public` are other files, or have another time, than in an earlier [`SiteTest::stamps`].
    pub fn rewrote(&self, before: &Stamps) -> Vec<String> {
        let now = self.stamps();
        let gone = before.keys().filter(|path| !now.contains_key(*path));
        let changed = now.iter().filter(|(path, stamp)| before.get(*path) != Some(stamp)).map(|(path, _)| path);
        let mut paths: Vec<String> = gone.chain(changed).cloned().collect();
        paths.sort();
        paths
    }

    /// The inode and the time of each file under `public`.
    pub fn stamps(&self) -> Stamps {
        use std::os::unix::fs::MetadataExt;
        let stamp = |path: &Path| {
            let found = fs::symlink_metadata(path).expect("a file that was just listed");
            (found.ino(), found.mtime(), found.mtime_nsec())
        };
        listing(&self.public()).into_iter().map(|(name, path)| (name, stamp(&path))).collect()
    }

    /// Runs the program in the course's folder.
    pub fn run(&self, arguments: &[&str]) -> Output {
        program(&self.root()).args(arguments).output().expect("the program runs")
    }
}

impl Built {
    /// The site's files, which must be there.
    pub fn site(self) -> Files {
        let output = self.human();
        self.files.unwrap_or_else(|| panic!("the course does not build:\n{output}"))
    }

    /// The diagnostics as a human reads them.
    pub fn human(&self) -> String {
        report::human(&self.diagnostics, &self.project, false)
    }

    /// Ids of the codes that were reported.
    pub fn codes(&self) -> Vec<&'static str> {
        self.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect()
    }
}

/// Inode, seconds, nanoseconds.
pub type Stamps = BTreeMap<String, (u64, i64, i64)>;

/// The program, started in a folder, with an environment that is always the same.
pub fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_infralens"));
    command.current_dir(folder).env_remove("RAYON_NUM_THREADS").env("NO_COLOR", "1");
    command.env("SOURCE_DATE_EPOCH", "1795219200");
    command
}

/// The program, which ends at an interrupt even where the tests run as a shell's background job: such a job ignores
/// interrupts, and what it starts inherits that.
pub fn interruptible_program(folder: &Path) -> Command {
    let program = program(folder);
    let mut command = Command::new("perl");
    command.args(["-e", "$SIG{INT} = 'DEFAULT'; exec @ARGV or die $!"]).arg(program.get_program()).current_dir(folder);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// Every file below a folder: its path from there, with `/`, and where it lies.
pub fn listing(folder: &Path) -> BTreeMap<String, PathBuf> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.expect("a folder that can be read"));
    entries
        .filter(|entry| !entry.file_type().is_dir())
        .map(|entry| {
            let below = entry.path().strip_prefix(folder).expect("it lies below");
            (below.to_str().expect("names are UTF-8").to_owned(), entry.into_path())
        })
        .collect()
}

/// Every file below a folder with its bytes.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    listing(folder).into_iter().map(|(name, path)| (name, fs::read(&path).expect("a file that can be read"))).collect()
}

/// The files of a site as bytes, to be compared.
pub fn bytes(files: &Files) -> BTreeMap<String, Vec<u8>> {
    files.iter().map(|(path, bytes)| (path.clone(), bytes.as_ref().to_vec())).collect()
}

fn copy(from: &Path, to: &Path) {
    for (name, path) in listing(from) {
        if name.starts_with("expected/") {
            continue;
        }
        let target = to.join(&name);
        fs::create_dir_all(target.parent().expect("a file lies in a folder")).expect("a folder");
        fs::copy(&path, &target).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
