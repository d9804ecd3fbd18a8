//! `infralens check`: exactly what `build` would say, without writing.

use clap::{Args, ValueEnum};

use super::clock::today;
use super::{Common, Outcome, Status, count, print, tell_diagnostics};
use crate::{load, report, site};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Let warnings, too, end with exit status 1
    #[arg(long)]
    strict: bool,
    /// Check what `build --drafts` would publish
    #[arg(long)]
    drafts: bool,
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
    let project = load::load(&common.root()?);
    let built = site::build(&project, &site::Options { drafts: options.drafts, base_url: None, today: Some(today) });
    let status = Status::of(&built.diagnostics, options.strict);
    match options.format {
        Format::Json => print(&report::json(&built.diagnostics, &project))?,
        Format::Sarif => print(&report::sarif(&built.diagnostics, &project))?,
        Format::Github => print(&report::github(&built.diagnostics, &project))?,
        Format::Human => {
            tell_diagnostics(&built.diagnostics, &project);
            if let (Status::Done, Some(files)) = (status, built.files) {
                print(&format!("the course builds: {}\n", count(files.len(), "file")))?;
            }
        }
    }
    Ok(status)
}
