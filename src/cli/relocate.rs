//! `infralens move`: gives a page another number, name or folder.
//!
//! 1. read the course, and plan what changes;
//! 2. build the course as it would be, in memory: a new problem is printed, and nothing is changed;
//! 3. change the files, all or none, and say what was done; with `--dry-run`, only say what would be done.

use std::path::{Component, Path, PathBuf};

use clap::{Args, ValueHint};
use similar::TextDiff;

use super::{Common, Outcome, Status, print, recover, tell, tell_diagnostics};
use crate::change::Change;
use crate::relocate::{self, PageName, Plan};
use crate::report::{one_line, visible};
use crate::{emit, load};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The page: its file, or in short `TRACK/lab-NN-slug`, `TRACK/slug` of a section, or the path below `content/`
    #[arg(value_hint = ValueHint::AnyPath)]
    old: String,
    /// Where it goes, in the same forms; what stays may be left out: `lab-05`, `lab-05-slug`, `07`, `other-slug`
    #[arg(value_hint = ValueHint::AnyPath)]
    new: String,
    /// Say what would be changed, with the differences, and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let root = common.root()?;
    if !options.dry_run {
        recover(&root)?;
    }
    let project = load::load(&root);
    let plan = relocate::plan(&project, &typed(&options.old, &root), &typed(&options.new, &root))?;
    let (after, problems) = relocate::new_problems(&project, &plan);
    if !problems.is_empty() {
        tell_diagnostics(&problems, &after);
        tell("nothing was changed: the course has none of these problems now, and would have them after the move\n");
        return Ok(Status::Refused);
    }
    if !options.dry_run {
        emit::change(&root, &plan.changes)?;
    }
    print(&summary(&plan, options.dry_run))?;
    if options.dry_run {
        print(&differences(&plan))?;
    }
    Ok(Status::Done)
}

/// A name with the file that it would be: the shell completes it from the current folder.
#[expect(clippy::disallowed_methods, reason = "a path on the command line is one from the current folder")]
fn typed<'a>(text: &'a str, root: &Path) -> PageName<'a> {
    let path = std::env::current_dir().ok().and_then(|here| {
        let path = plain(&here.join(text));
        let below = path.strip_prefix(plain(&here.join(root))).ok()?;
        let parts: Option<Vec<&str>> = below.iter().map(std::ffi::OsStr::to_str).collect();
        Some(parts?.join("/"))
    });
    PageName { text, path }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
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

/// What was done, or would be: a line for each file, folder and URL, and for each place that is left to the author.
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
    if !plan.mentions.is_empty() {
        lines.push("note: the old name still stands in".into());
        lines.extend(plan.mentions.iter().map(|place| format!("  {}:{}: {}", place.path, place.line, place.text)));
    }
    lines.iter().map(|line| one_line(line).into_owned() + "\n").collect()
}

/// The unified diff of every file whose text changes.
fn differences(plan: &Plan) -> String {
    let changed = plan.changes.iter().filter_map(|change| match change {
        Change::Replace { source, text } => Some((source, text)),
        _ => None,
    });
    let diffs = changed.map(|(source, text)| {
        let path = source.path();
        let diff = TextDiff::from_lines(source.text(), text).unified_diff().header(path, path).to_string();
        // The line ends of a file with CRLF are not what changes.
        visible(&diff.replace("\r\n", "\n")).into_owned()
    });
    diffs.collect()
}
