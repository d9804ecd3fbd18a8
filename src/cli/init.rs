//! `infralens init`: creates a small course that builds and teaches the format by example.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, Outcome, Status, display_folder, new, print, quantity, recover};
use crate::{emit, load, scaffold};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The folder of the new course; it may exist, but must not contain files of a course
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Create only settings and a home page, without the example
    #[arg(long)]
    empty: bool,
}

#[expect(clippy::disallowed_methods, reason = "the message depends on what is at the path")]
pub(super) fn run(options: &Options) -> Outcome {
    let dir = &options.dir;
    let here = Some(display_folder(dir)).filter(|here| here != "/").unwrap_or_else(|| "./".to_owned());
    if dir.exists() && !dir.is_dir() {
        return Err(Failure::new(format!("`{}` is not a folder", dir.display())).help("name a folder for the course"));
    }
    recover(dir)?;
    if load::find_root(dir).is_some_and(|root| root == *dir) {
        return Err(Failure::new(format!("`{here}` is already a course"))
            .help("`infralens new` creates a lab, a section or a track in it"));
    }
    let mut changes = if options.empty { scaffold::empty_course(&name(dir)) } else { scaffold::course() };
    changes.extend(new::schemas(dir, &changes));
    emit::change(dir, &changes)?;
    let files = quantity(changes.len(), "file");
    let cd = if here == "./" { String::new() } else { format!("cd {here} && ") };
    let next = if options.empty {
        "infralens new track NAME, then infralens new lab NAME/SLUG --starter PATH"
    } else {
        "infralens serve --open; README.md suggests what to try"
    };
    print(&format!("a course of {files} in {here}\nnext: {cd}{next}\n"))?;
    Ok(Status::Done)
}

/// Returns the name of the course's folder, which becomes its title.
#[expect(clippy::disallowed_methods, reason = "the name of `.` depends on the current folder")]
fn name(dir: &Path) -> String {
    let whole = std::path::absolute(dir);
    let whole = whole.as_deref().unwrap_or(dir);
    whole.file_name().map_or_else(|| "Course".to_owned(), |name| name.to_string_lossy().into_owned())
}
