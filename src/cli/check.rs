//! `infralens check`: exactly what `build` would say, without writing.

use std::path::Path;

use clap::{Args, ValueEnum};

use super::clock::today;
use super::{Common, Outcome, REFUSED_BY_STRICT, Status, count, print, printed, tell, tell_report};
use crate::diag::{self, Diagnostic, Severity};
use crate::site::{self, Site};
use crate::{load, report};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Let warnings, too, end with exit status 1
    #[arg(long)]
    strict: bool,
    /// Check what `build --drafts` would publish
    #[arg(long)]
    drafts: bool,
    /// Print errors alone: no warnings, unless `--strict` refuses them, and nothing where all is well
    #[arg(short, long)]
    quiet: bool,
    /// How to say it
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// With the lines that are meant, on standard error
    Human,
    /// One object a line, on standard output
    Json,
    /// One SARIF 2.1.0 log, on standard output
    Sarif,
    /// The lines by which a job on GitHub annotates files, on standard output
    Github,
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let today = today()?;
    let root = common.root()?;
    let project = load::load(&root);
    let options_of_site = site::Options { drafts: options.drafts, base_url: None, today: Some(today) };
    let site = site::plan(&project, &options_of_site, &Site::default());
    let mut said = site.judge();
    said.extend(site.make_all(|_, _| {}));
    diag::sort(&mut said);
    let status = Status::of(&said, options.strict);
    let builds = !has_errors(&said);
    let diagnostics = printed(said, options.quiet, options.strict);
    match options.format {
        Format::Json => print(&report::json(&diagnostics, &project))?,
        Format::Sarif => print(&report::sarif(&diagnostics, &project, &base(&root)))?,
        Format::Github => print(&report::github(&diagnostics, &project, &base(&root)))?,
        Format::Human => {
            tell_report(&diagnostics, &project);
            match (status, builds) {
                (Status::Done, true) if !options.quiet => {
                    print(&format!("the course builds: {}\n", count(site.paths().len(), "file")))?;
                }
                (Status::Refused, true) => tell(&format!("the course builds, but {REFUSED_BY_STRICT}\n")),
                _ => {}
            }
        }
    }
    Ok(status)
}

fn has_errors(said: &[Diagnostic]) -> bool {
    said.iter().any(|said| said.severity == Severity::Error)
}

/// The way from the repository to the course, with a slash at its end, in a job that says where its repository lies:
/// what GitHub reads is named from there.
#[expect(clippy::disallowed_methods, reason = "this is how a job on GitHub is told where it works")]
fn base(root: &Path) -> String {
    let real = |path: &Path| path.canonicalize().ok();
    let workspace = std::env::var_os("GITHUB_WORKSPACE").and_then(|path| real(Path::new(&path)));
    let below = real(root).zip(workspace).and_then(|(root, workspace)| {
        Some(root.strip_prefix(workspace).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))
    });
    below.filter(|below| !below.is_empty()).map_or_else(String::new, |below| below + "/")
}
