//! `infralens init`: makes a small course that builds, and teaches the format by example.

use std::path::PathBuf;

use clap::Args;

use super::{Failure, Outcome, Status, count, new, print, shown};
use crate::{emit, load, scaffold};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The folder of the new course; it may be there already, as long as nothing of the course is
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

#[expect(clippy::disallowed_methods, reason = "what a path is decides what can be said of it")]
pub(super) fn run(options: &Options) -> Outcome {
    let dir = &options.dir;
    let here = Some(shown(dir)).filter(|here| here != "/").unwrap_or_else(|| "./".to_owned());
    if dir.exists() && !dir.is_dir() {
        return Err(Failure::new(format!("`{}` is not a folder", dir.display())).help("name a folder for the course"));
    }
    if load::find_root(dir).is_some_and(|root| root == *dir) {
        return Err(Failure::new(format!("`{here}` is a course already"))
            .help("`infralens new` begins a lab, a section or a track in it"));
    }
    let mut changes = scaffold::course();
    changes.extend(new::schemas(dir, &changes));
    emit::change(dir, &changes)?;
    let files = count(changes.len(), "file");
    let way = if here == "./" { String::new() } else { format!("cd {here} && ") };
    print(&format!("a course of {files} in {here}\nnext: {way}infralens serve --open; README.md says what to try\n"))?;
    Ok(Status::Done)
}
