//! `infralens move`: gives a page another number, name or folder.
//!
//! 1. read the course, and plan what changes;
//! 2. build the changed course in memory; if there is a new problem, print it and change nothing;
//! 3. change all files or none, and say what was done; with `--dry-run`, only say what would be done.

use std::path::{Component, Path, PathBuf};

use clap::{Args, ValueHint};

use super::{Common, Outcome, Status, differences, eprint, eprint_diagnostics, print};
use crate::assets::BUILTIN;
use crate::report::one_line;
use crate::{emit, load};
use infralens_author::relocate::{self, PageName, Plan};
use infralens_site as site;
use infralens_source::change::Change;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The page: its file, or a short form: `TRACK/lab-NN-slug`, `TRACK/slug` of a section, or the path below `content/`
    #[arg(value_hint = ValueHint::AnyPath)]
    old: String,
    /// The new name, in the same forms; parts that do not change may be left out: `lab-05`, `lab-05-slug`, `07`, `other-slug`
    #[arg(value_hint = ValueHint::AnyPath)]
    new: String,
    /// Print what would be changed, with a diff, and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let root = common.root()?;
    let project = load::load(&root);
    let plan = relocate::plan(&project, &typed(&options.old, &root), &typed(&options.new, &root))?;
    let (after, problems) = relocate::new_problems(&project, &plan, &site::Options::new(BUILTIN));
    if !problems.is_empty() {
        eprint_diagnostics(&problems, &after);
        eprint("nothing was changed: the move would cause these problems\n");
        return Ok(Status::Refused);
    }
    if !options.dry_run {
        emit::change(&root, &plan.changes)?;
    }
    print(&summary(&plan, options.dry_run))?;
    if options.dry_run {
        print(&differences(&plan.changes, [""; 2]))?;
    }
    Ok(Status::Done)
}

/// Returns a name with the path that it would be if it is a file, which a shell completes from the current folder.
#[expect(clippy::disallowed_methods, reason = "a path on the command line is relative to the current folder")]
pub(super) fn typed<'a>(text: &'a str, root: &Path) -> PageName<'a> {
    let path = std::env::current_dir().ok().and_then(|here| {
        let path = normalize(&here.join(text));
        let below = path.strip_prefix(normalize(&here.join(root))).ok()?;
        let parts: Option<Vec<&str>> = below.iter().map(std::ffi::OsStr::to_str).collect();
        Some(parts?.join("/"))
    });
    PageName { text, path }
}

/// Removes `.` and `..` from a path.
pub(super) fn normalize(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Returns what was done, or would be done: a line for each file, folder and URL, and for each place that the author
/// must check.
fn summary(plan: &Plan, dry_run: bool) -> String {
    let (moved, changed, leads) =
        if dry_run { ("would move", "would change", "would lead") } else { ("moved", "changed", "now leads") };
    let (old, new) = &plan.url;
    let mut lines: Vec<String> = Vec::new();
    for change in &plan.changes {
        lines.push(match change {
            Change::Rename { from, to } => format!("{moved} {from} to {to}"),
            change => format!("{changed} {}", change.path()),
        });
    }
    if plan.alias {
        lines.push(format!("{old} {leads} to {new}"));
    } else if old != new {
        lines.push(format!("{old} has no alias: its page is {new}"));
    }
    if let Some(title) = &plan.title {
        lines.push(format!("the title is still `{title}`"));
    }
    if !plan.mentions.is_empty() {
        lines.push("note: the old name still appears in".into());
        lines.extend(plan.mentions.iter().map(|place| format!("  {}:{}: {}", place.path, place.line, place.text)));
    }
    lines.iter().map(|line| one_line(line).into_owned() + "\n").collect()
}
