//! Runs the steps of workflows as a code host does: in a clean root, which has the programs that a step may use and nothing else
//! but the folder of a test. Where the system allows no root of one's own, they run in the folder.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::harness::SiteTest;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_infralens");
/// The programs that a step may run, with those of the script that takes the place of the network.
const PROGRAMS: [&str; 16] = [
    "bash", "cat", "cp", "git", "gzip", "head", "ln", "mkdir", "mktemp", "mv", "rm", "sh", "sha256sum", "tar", "tee",
    "touch",
];

/// How to enter another root without a right of the system; empty where it is not allowed.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
static ENTER: LazyLock<&[&str]> = LazyLock::new(|| {
    const UNSHARE: [&str; 4] = ["unshare", "--user", "--map-root-user", "--root"];
    let allowed = Command::new(UNSHARE[0]).args(&UNSHARE[1..]).args(["/", "true"]).output();
    if allowed.is_ok_and(|output| output.status.success()) {
        return &UNSHARE;
    }
    eprintln!("SKIPPED: a clean root for the steps of workflows; this machine does not allow it");
    &[]
});

/// A host, whose root is the folder above the course of a test.
pub struct Host<'t> {
    root: &'t Path,
    course: PathBuf,
}

impl<'t> Host<'t> {
    pub fn new(test: &'t SiteTest) -> Self {
        let host = Self { root: test.above(), course: test.root() };
        if !ENTER.is_empty() && !host.root.join("usr").exists() {
            host.install();
        }
        host
    }

    /// Returns a path as a step sees it.
    pub fn inside(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.root).ok().filter(|_| !ENTER.is_empty());
        below.map_or_else(|| path.to_owned(), |below| Path::new("/").join(below)).display().to_string()
    }

    /// Prepares a script with which `bash` is in the course's folder, and has only these folders of programs before those of the
    /// system.
    pub fn shell(&self, script: &str, options: &[&str], folders: &[&Path]) -> Command {
        let words: Vec<String> = ENTER.iter().map(|word| (*word).to_owned()).collect();
        let root = words.first().map(|_| self.root.display().to_string());
        let bash = [String::from("/usr/bin/bash")].into_iter().chain(options.iter().map(|word| (*word).to_owned()));
        let script = format!("cd '{}'\n{script}", self.inside(&self.course));
        let words: Vec<String> =
            words.into_iter().chain(root).chain(bash).chain([String::from("-c"), script]).collect();
        let folders: Vec<String> = folders.iter().map(|folder| self.inside(folder)).collect();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env_clear();
        command.env("PATH", [folders, vec!["/usr/bin:/bin".to_owned()]].concat().join(":"));
        command
    }

    /// Copies the programs with the libraries that they load.
    fn install(&self) {
        for folder in ["usr/bin", "tmp", "dev"] {
            fs::create_dir_all(self.root.join(folder)).expect("a folder");
        }
        symlink("usr/bin", self.root.join("bin")).expect("a link");
        // Only the system can make the device.
        fs::write(self.root.join("dev/null"), "").expect("a file");
        let programs = PROGRAMS.map(|name| {
            let places = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
            let place = places.into_iter().find(|place| place.exists()).unwrap_or_else(|| panic!("{name} is missing"));
            (place, Path::new("/usr/bin").join(name))
        });
        for (from, to) in programs.into_iter().chain([(PROGRAM.into(), PROGRAM.into())]) {
            let libraries = Command::new("ldd").arg(&from).output().map(|output| output.stdout).unwrap_or_default();
            let libraries = String::from_utf8_lossy(&libraries).into_owned();
            libraries.split_whitespace().filter(|word| word.starts_with('/')).for_each(|library| {
                self.bring(Path::new(library), Path::new(library));
            });
            self.bring(&from, &to);
        }
    }

    fn bring(&self, from: &Path, to: &Path) {
        let to = self.root.join(to.strip_prefix("/").expect("an absolute path"));
        if to.exists() {
            return;
        }
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        // The program is large; the system's files are not to be changed from inside.
        let link = if from == Path::new(PROGRAM) { fs::hard_link(from, &to).ok() } else { None };
        link.or_else(|| fs::copy(from, &to).ok().map(drop)).expect("a copy");
    }
}
