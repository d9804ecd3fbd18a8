//! The command line: parses the arguments, runs a command, prints its result and returns the exit status. One file
//! per command. No other room uses clap, prints, or reads the clock and the environment.

mod adopt;
mod build;
mod check;
mod clock;
mod completions;
mod diff;
mod editor;
mod eject;
mod explain;
mod import;
mod init;
mod links;
mod lsp;
mod man;
mod new;
mod progress;
mod publish;
mod record;
mod relocate;
mod repository;
mod schema;
mod serve;
mod sync;
#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make courses on disk")]
mod tests;
mod upstream;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use similar::TextDiff;

use crate::assets::BUILTIN;
use crate::emit::EmitError;
use crate::load;
use crate::report::{self, Counts, one_line, visible};
use infralens_site::{self as site, Site};
use infralens_source::change::{Change, Refusal as Failure};
use infralens_source::diag::{Diagnostic, Severity, quantity};
use infralens_source::project::Project;

/// Builds courses of annotated code-reading labs; the starter file is the truth.
#[derive(Debug, Parser)]
#[command(name = "infralens", version = env!("INFRALENS_VERSION"), arg_required_else_help = true, max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 success; 1 the course has errors, or warnings with `--strict`; 2 wrong usage or a \
                        failure of the environment"
)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// The options of every command.
#[derive(Debug, Args)]
struct Common {
    /// The course's folder [default: the current folder or the nearest parent that has `content/site.yaml`]
    #[arg(long, global = true, display_order = 900, value_name = "DIR")]
    root: Option<PathBuf>,
    /// The number of threads [default: one per core, or `RAYON_NUM_THREADS`]
    #[arg(short, long, global = true, display_order = 901, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the site
    Build(build::Options),
    /// Preview the course in a browser, and update it when files are saved
    Serve(serve::Options),
    /// Build the site and publish it: to a folder, or to a bucket of S3, Google Cloud Storage or Azure
    Publish(publish::Options),
    /// Report what `build` would report, and write nothing
    Check(check::Options),
    /// Report what a change does to readers: compare the course with an older version
    Diff(diff::Options),
    /// Create a lab, a section or a track
    New(new::Options),
    /// Create a small course that teaches the format by example
    Init(init::Options),
    /// Create a project from a book of another generator
    Import(import::Options),
    /// Copy built-in templates, styles and scripts into the course to change them, or list them
    Eject(eject::Options),
    /// Show excerpts whose code has changed under their notes, and accept the new code
    Sync(sync::Options),
    /// Bind code fences that are copies of code to the files that they copy
    Adopt(adopt::Options),
    /// Compare starters with a later state of the projects that wrote them, and bring it
    Upstream(upstream::Options),
    /// Run the commands that labs declare under `starter.record`, and store what they print next to the starters
    Record(record::Options),
    /// Visit the links to other sites, and record what they answer for `check`
    Links(links::Options),
    /// Renumber or rename a page, its starter folder, and every link and reference to it
    Move(relocate::Options),
    /// Speak with an editor over standard input and output: a language server
    Lsp(lsp::Options),
    /// Print what an editor needs to use the language server, or write it into the course
    Editor(editor::Options),
    /// Explain a diagnostic, or list all of them
    Explain(explain::Options),
    /// Print JSON Schemas of front matter, `site.yaml` and `references.yaml` for editors
    Schema(schema::Options),
    /// Print a script with which a shell completes the command line
    Completions(completions::Options),
    /// Print a manual page
    Man(man::Options),
}

/// The result of a command that could do its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    /// Success: exit status 0.
    Done,
    /// The course has errors, or warnings with `--strict`: exit status 1.
    Refused,
}

/// The result of a command. A [`Failure`], such as wrong usage or a full disk, is exit status 2.
type Outcome = Result<Status, Failure>;

/// Runs the program with the arguments of the process, and returns its exit status: 0 for success, 1 if the course
/// has errors (or warnings with `--strict`), 2 for wrong usage or a failure of the environment.
pub fn run() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => cli.run(),
        Err(usage) => match ignore_broken_pipe(usage.print()) {
            Ok(()) => return ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2)),
            Err(failure) => Err(failure),
        },
    };
    match outcome {
        Ok(Status::Done) => ExitCode::SUCCESS,
        Ok(Status::Refused) => ExitCode::from(1),
        Err(failure) => {
            eprint(&format!("error: {}\n", one_line(&failure.message)));
            for help in &failure.help {
                eprint(&format!("help: {}\n", one_line(help)));
            }
            ExitCode::from(2)
        }
    }
}

impl Cli {
    fn run(self) -> Outcome {
        if let Some(jobs) = self.common.jobs {
            rayon::ThreadPoolBuilder::new()
                .num_threads(jobs.into())
                .build_global()
                .map_err(|error| Failure::new(format!("cannot start {jobs} threads: {error}")))?;
        }
        match self.command {
            Command::Build(options) => build::run(&self.common, options),
            Command::Serve(options) => serve::run(&self.common, options),
            Command::Publish(options) => publish::run(&self.common, options),
            Command::Check(options) => check::run(&self.common, &options),
            Command::Diff(options) => diff::run(&self.common, &options),
            Command::New(options) => new::run(&self.common, &options),
            Command::Init(options) => init::run(&self.common, &options),
            Command::Import(options) => import::run(&self.common, &options),
            Command::Eject(options) => eject::run(&self.common, &options),
            Command::Sync(options) => sync::run(&self.common, &options),
            Command::Adopt(options) => adopt::run(&self.common, &options),
            Command::Upstream(options) => upstream::run(&self.common, &options),
            Command::Record(options) => record::run(&self.common, &options),
            Command::Links(options) => links::run(&self.common, &options),
            Command::Move(options) => relocate::run(&self.common, &options),
            Command::Lsp(options) => lsp::run(&self.common, &options),
            Command::Editor(options) => editor::run(&self.common, &options),
            Command::Explain(options) => explain::run(&options),
            Command::Schema(options) => schema::run(&self.common, &options),
            Command::Completions(options) => completions::run(&options),
            Command::Man(options) => man::run(&options),
        }
    }
}

impl Common {
    /// Returns the root of the course.
    #[expect(clippy::disallowed_methods, reason = "which course is meant depends on where the program is called")]
    fn root(&self) -> Result<PathBuf, Failure> {
        let Some(root) = &self.root else {
            let here = std::env::current_dir()
                .map_err(|error| Failure::new(format!("the current folder cannot be found: {error}")))?;
            return load::find_root(&here).ok_or_else(|| {
                if here.join("content/site.yml").is_file() {
                    return Failure::new("the settings of a course are in `content/site.yaml`")
                        .help("rename `content/site.yml` to `content/site.yaml`");
                }
                Failure::new("neither this folder nor one above it has a `content/site.yaml`")
                    .help("go into the course's folder, or name it with `--root DIR`")
                    .help("for Markdown outside a course, name files or folders: `infralens check README.md docs`")
            });
        };
        if root.join("content").is_dir() {
            return Ok(root.clone());
        }
        let what = if root.is_dir() { "has no folder `content`" } else { "is not a folder" };
        Err(Failure::new(format!("`{}` {what}", root.display()))
            .help("`--root` names the folder of a course, which contains `content/site.yaml`"))
    }
}

/// Returns a path that was typed as a path from `root`. It is interpreted as relative to `root` if it `is_known` there,
/// and otherwise as relative to the current folder.
fn path_from(root: &Path, typed: &str, is_known: impl Fn(&str) -> bool) -> String {
    let plain = typed.strip_prefix("./").unwrap_or(typed);
    if is_known(plain) {
        return plain.to_owned();
    }
    below(root, Path::new(typed)).filter(|path| is_known(path)).unwrap_or_else(|| plain.to_owned())
}

/// Returns the path with `/` from a folder to what is in it, also through links.
#[expect(clippy::disallowed_methods, reason = "paths are typed, and may be links")]
fn below(folder: &Path, path: &Path) -> Option<String> {
    let (folder, path) = (folder.canonicalize().ok()?, path.canonicalize().ok()?);
    Some(path.strip_prefix(folder).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))
}

impl Status {
    /// Returns the status of a command that found these diagnostics.
    fn of(diagnostics: &[Diagnostic], strict: bool) -> Self {
        let counts = Counts::of(diagnostics);
        if counts.errors > 0 || strict && counts.warnings > 0 { Self::Refused } else { Self::Done }
    }
}

impl From<EmitError> for Failure {
    fn from(error: EmitError) -> Self {
        Self { message: error.to_string(), help: error.help().into_iter().collect() }
    }
}

/// Prints diagnostics on standard error.
fn eprint_diagnostics(diagnostics: &[Diagnostic], project: &Project) {
    eprint(&report::brief(diagnostics, project, is_styled(&io::stderr())));
}

/// Prints diagnostics on standard error, and their number by code.
fn eprint_report(diagnostics: &[Diagnostic], project: &Project) {
    eprint_diagnostics(diagnostics, project);
    eprint(&report::summary(diagnostics));
}

/// Returns the diagnostics to print: all, or with `quiet` only those that make the command fail.
fn filter_quiet(mut diagnostics: Vec<Diagnostic>, quiet: bool, strict: bool) -> Vec<Diagnostic> {
    let least = if strict { Severity::Warning } else { Severity::Error };
    diagnostics.retain(|diagnostic| !quiet || diagnostic.severity <= least);
    diagnostics
}

/// The reason for which a course without errors is refused.
const REFUSED_BY_STRICT: &str = "`--strict` refuses warnings";

/// Prints on standard error, which the tests of this crate do not need. If that fails, there is no way to report it.
fn eprint(text: &str) {
    if !cfg!(test) {
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// Prints on standard output. It is not an error if the reader has closed the pipe, as `head` does.
fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Prints bytes like [`print`].
fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    if cfg!(test) {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    ignore_broken_pipe(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Ignores a closed pipe, and turns other errors of standard output into failures.
fn ignore_broken_pipe(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("standard output cannot be written to: {error}")))
        }
        _ => Ok(()),
    }
}

/// Whether a stream supports colors.
#[expect(clippy::disallowed_methods, reason = "NO_COLOR and TERM are how a terminal's owner says so")]
fn is_styled(stream: &impl IsTerminal) -> bool {
    let unset = |name| std::env::var_os(name).is_none_or(|value| value.is_empty());
    stream.is_terminal() && unset("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Returns the unified diff of every file whose text changes. Its path has one of the prefixes before, and the other after.
fn differences(changes: &[Change], [old, new]: [&str; 2]) -> String {
    let edited = changes.iter().filter_map(|change| match change {
        Change::Replace { source, text } => Some((source, text)),
        _ => None,
    });
    let diffs = edited.map(|(source, text)| {
        let [old, new] = [old, new].map(|prefix| format!("{prefix}{}", source.path()));
        let diff = TextDiff::from_lines(source.text(), text).unified_diff().header(&old, &new).to_string();
        // Line ends are the same in both, so CRLF is not shown.
        visible(&diff.replace("\r\n", "\n")).into_owned()
    });
    diffs.collect()
}

/// Returns a line per change, which says what was done to which file.
fn done(changes: &[Change]) -> String {
    let line = |change: &Change| {
        let done = if matches!(change, Change::Create { .. }) { "created" } else { "changed" };
        format!("{done} {}\n", one_line(change.path()))
    };
    changes.iter().map(line).collect()
}

/// Plans the site of a course, with drafts: for commands that work on all of its pages.
fn plan_all(project: &Project) -> Site {
    site::plan(project, &site::Options { drafts: true, ..site::Options::new(BUILTIN) }, &Site::default())
}

/// Formats a folder for a message: relative to the current folder if it is inside, and with a slash at its end. The current
/// folder itself is `./`.
#[expect(clippy::disallowed_methods, reason = "for a message only")]
fn display_folder(folder: &Path) -> String {
    let here = std::env::current_dir().ok();
    let inside = here.as_deref().and_then(|here| folder.strip_prefix(here).ok()).unwrap_or(folder);
    let inside = inside.strip_prefix(".").unwrap_or(inside);
    if inside.as_os_str().is_empty() {
        return "./".to_owned();
    }
    format!("{}/", one_line(&inside.display().to_string()).trim_end_matches('/'))
}
