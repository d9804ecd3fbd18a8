//! `infralens check`: reports exactly what `build` would report, without writing; for Markdown files outside a course,
//! whether their excerpts equal their files. With `--fix`, it makes the fixes that are sure, and reports what remains.

mod language;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::clock::today;
use super::{
    Common, Failure, Outcome, REFUSED_BY_STRICT, Status, below, differences, eprint, eprint_report, filter_quiet,
    print, quantity, repository,
};
use crate::assets::BUILTIN;
use crate::load::repository::read_repository;
use crate::report::{Counts, one_line};
use crate::{emit, load, report};
use infralens_author::fix;
use infralens_author::repository::{Comparison, Documents};
use infralens_author::translation;
use infralens_course::config::Config;
use infralens_site::{self as site, Site};
use infralens_source::diag::{self, Diagnostic};
use infralens_source::project::{Project, SITE};
use language::progress;

/// What to write where nothing is compared.
const HOW: &str = "help: a fence that begins ```` ```python file=src/queue.py#put ```` is compared with that function\n\
     help: `infralens adopt PATH` finds fences that are copies of code, and writes `file=` into them\n";

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command")]
pub(super) struct Options {
    /// Markdown files outside a course, or folders with such files: checks the code fences that say `file=`, and
    /// links to lines
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Exit with status 1 for warnings, too
    #[arg(long)]
    strict: bool,
    /// Check what `build --drafts` would publish
    #[arg(long, conflicts_with = "paths")]
    drafts: bool,
    /// Print only errors, and warnings with `--strict`; print nothing on success
    #[arg(short, long)]
    quiet: bool,
    /// Make the fixes that follow from the course, such as a misspelled key, and report what remains
    #[arg(long)]
    fix: bool,
    /// Show what `--fix` would change, as a diff, and write nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// Report, for a language of the course, what of each page is translated, stale, missing or gone, as warnings
    #[arg(long, value_name = "LANG", conflicts_with = "paths")]
    language: Option<String>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, with source lines, on standard error
    Human,
    /// One JSON object per line, on standard output
    Json,
    /// One SARIF 2.1.0 log, on standard output
    Sarif,
    /// Annotations for a job on GitHub, on standard output
    Github,
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let today = today()?;
    if !options.paths.is_empty() {
        return run_outside(common, options);
    }
    let root = common.root()?;
    let project = load::load(&root);
    let site_options =
        site::Options { drafts: options.drafts, base_url: None, today: Some(today), ..site::Options::new(BUILTIN) };
    let mut files = 0;
    let mut table = String::new();
    if let Some(tag) = &options.language {
        let config = project.text(SITE).map(|site| Config::read(site).0).unwrap_or_default();
        translation::language(&config.languages, tag)?;
    }
    let judge = |project: &Project| {
        let site = site::plan(project, &site_options, &Site::default());
        let mut diagnostics = site.judge();
        diagnostics.extend(site.faults());
        diag::sort(&mut diagnostics);
        if options.shows_fixes() {
            fix::complete(site.all_drifts(), &mut diagnostics);
        }
        if let Some(tag) = &options.language {
            let progress = progress(&site, tag);
            let pictures = language::pictures(&site, tag);
            table = match options.format {
                Format::Json => language::json(&progress) + &language::json(&pictures),
                _ => language::table(&progress) + &language::list(&pictures),
            };
            language::raise(&mut diagnostics, tag);
        }
        files = site.paths().len();
        diagnostics
    };
    let (project, diagnostics) = fixed(&root, project, options, judge)?;
    let success = || format!("the course builds: {}", quantity(files, "file"));
    if matches!(options.format, Format::Human | Format::Json) && !options.quiet {
        print(&table)?;
    }
    report(diagnostics, &project, &root, options, "the course builds", success)
}

impl Options {
    /// Whether the fixes of diagnostics are used or printed.
    fn shows_fixes(&self) -> bool {
        self.fix || matches!(self.format, Format::Json | Format::Sarif)
    }
}

/// Returns the files and their diagnostics, with `--fix` after the fixes.
fn fixed(
    root: &Path,
    project: Project,
    options: &Options,
    mut judge: impl FnMut(&Project) -> Vec<Diagnostic>,
) -> Result<(Project, Vec<Diagnostic>), Failure> {
    if !options.fix {
        let diagnostics = judge(&project);
        return Ok((project, diagnostics));
    }
    let fixed = fix::fix_all(&project, judge);
    let is_human = options.format == Format::Human;
    // A report for a program has standard output to itself.
    let say = |text: &str| {
        if is_human {
            return print(text);
        }
        eprint(text);
        Ok(())
    };
    if options.dry_run {
        say(&differences(&fixed.changes, [""; 2]))?;
    } else {
        emit::change(root, &fixed.changes)?;
    }
    let done = if options.dry_run { "would fix" } else { "fixed" };
    for (path, line, title) in fixed.made.iter().filter(|_| !options.quiet) {
        say(&format!("{done} {}\n", one_line(&format!("{path}:{line}: {title}"))))?;
    }
    Ok((fixed.project, fixed.diagnostics))
}

/// Checks Markdown files outside a course.
fn run_outside(common: &Common, options: &Options) -> Outcome {
    let repository = repository::read(common, &options.paths, read_repository)?;
    let mut result = Comparison::default();
    let judge = |project: &Project| {
        result = Documents::parse(project, &repository.documents).compare(project);
        let mut diagnostics = result.diagnostics.clone();
        if options.shows_fixes() {
            fix::complete(result.drifts.clone(), &mut diagnostics);
        }
        diagnostics
    };
    let (project, diagnostics) = fixed(&repository.root, repository.project, options, judge)?;
    let (excerpts, differing) = (result.excerpts, result.drifts.excerpts.len());
    let compared = |noun: &str, count: usize, differing: usize| match (count, differing) {
        (1, 0) => format!("the {noun} matches its file"),
        (1, _) => format!("the {noun} differs from its file"),
        (_, 0) => format!("all {count} {noun}s match their files"),
        _ => format!("{} of {count} {noun}s match their files", count.saturating_sub(differing)),
    };
    let of_links = || compared("link", result.links, result.drifts.links.len());
    let matching = match (excerpts, result.links) {
        (0, 0) => format!("no code fence says `file=`: {}", quantity(repository.found.len(), "Markdown file")),
        (0, _) => of_links(),
        (_, 0) => compared("excerpt", excerpts, differing),
        _ => format!("{}; {}", compared("excerpt", excerpts, differing), of_links()),
    };
    if (excerpts, result.links) == (0, 0) && !options.quiet && options.format == Format::Human {
        eprint(HOW);
    }
    report(diagnostics, &project, &repository.root, options, &matching, || matching.clone())
}

/// Prints diagnostics in the format that was asked for. If there is none, prints `success`; `sound` says what holds if
/// there are only warnings.
fn report(
    diagnostics: Vec<Diagnostic>,
    project: &Project,
    root: &Path,
    options: &Options,
    sound: &str,
    success: impl Fn() -> String,
) -> Outcome {
    let status = Status::of(&diagnostics, options.strict);
    let is_sound = Counts::of(&diagnostics).errors == 0;
    let diagnostics = filter_quiet(diagnostics, options.quiet, options.strict);
    match options.format {
        Format::Json => print(&report::json(&diagnostics, project))?,
        Format::Sarif => print(&report::sarif(&diagnostics, project, &base(root)))?,
        Format::Github => print(&report::github(&diagnostics, project, &base(root)))?,
        Format::Human => {
            eprint_report(&diagnostics, project);
            match (status, is_sound) {
                (Status::Done, true) if !options.quiet => print(&format!("{}\n", success()))?,
                (Status::Refused, true) => eprint(&format!("{sound}, but {REFUSED_BY_STRICT}\n")),
                _ => {}
            }
        }
    }
    Ok(status)
}

/// Returns the path from the repository to the course, with a slash at its end, if an environment variable of GitHub
/// names the repository; GitHub expects such paths.
#[expect(clippy::disallowed_methods, reason = "GitHub sets this variable for its jobs")]
fn base(root: &Path) -> String {
    let below = std::env::var_os("GITHUB_WORKSPACE").and_then(|workspace| below(Path::new(&workspace), root));
    below.filter(|below| !below.is_empty()).map_or_else(String::new, |below| below + "/")
}
