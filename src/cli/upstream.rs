//! `infralens upstream`: what a later state of a starter's project would do to its notes.
//!
//! 1. read the course, and the two states of each starter from a clone on disk, or one that is fetched;
//! 2. make the course with the later files in memory, and compare it with the course as it is, in the words of `diff`;
//! 3. with `--apply`, change all files or none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueHint};

use super::relocate::typed;
use super::sync::taken;
use super::{Common, Failure, Outcome, Status, done, eprint, print, quantity};
use crate::assets::BUILTIN;
use crate::emit;
use crate::load::{self, RevisionError, upstream as repository};
use crate::report::{one_line, visible};
use infralens_author::relocate;
use infralens_author::upstream::{self, Later, Lost, Moved, Starter, State, Update};
use infralens_diff::{compare, human};
use infralens_site::{self as site, Site};
use infralens_source::output::hash;
use infralens_source::source::Source;
use infralens_starter::moved::CodeIndex;

/// The number of digits of a commit in messages, as git shortens them.
const DIGITS: usize = 7;
/// The maximum number of lines of a difference that is printed.
const MAX_LINES: usize = 40;

#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 nothing has changed; 1 there are changes; 2 failure")]
pub(super) struct Options {
    /// The labs whose starters to compare: their files, or short forms such as `TRACK/lab-01-x` [default: all with
    /// `starter.upstream`]
    #[arg(value_name = "LAB", value_hint = ValueHint::AnyPath)]
    labs: Vec<String>,
    /// A clone of the project, which may be bare; nothing is fetched
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    from: Option<PathBuf>,
    /// Fetch the project from the `repository` that the labs name, into the cache folder of the user
    #[arg(long, conflicts_with = "from")]
    fetch: bool,
    /// The later state: a branch, tag or commit of the project [default: its `HEAD`]
    #[arg(long, value_name = "REV")]
    to: Option<String>,
    /// Bring the later files, with the region markers of the course, update `starter.upstream`, and accept what no note
    /// concerns
    #[arg(long)]
    apply: bool,
}

/// A starter's place in a repository on disk.
struct Origin {
    folder: PathBuf,
    trees: [repository::Tree; 2],
}

impl Origin {
    /// Returns a file as it was in the earlier commit.
    fn before(&self, path: &str) -> Option<Arc<Source>> {
        self.trees[0].read(&self.folder, path, path).ok().flatten()
    }
}

/// Where a starter's project was searched for what the starter has lost.
#[derive(Default)]
struct Searched {
    files: Vec<Arc<Source>>,
    /// The number of files that were left out.
    left: usize,
    moved: Vec<Moved>,
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let root = common.root()?;
    let project = load::load(&root);
    let plan = site::Options { drafts: true, ..site::Options::new(BUILTIN) };
    let site = site::plan(&project, &plan, &Site::default());
    let labs = options.labs.iter().map(|lab| relocate::find_page(&project, &typed(lab, &root)));
    let starters = upstream::starters(&site, &labs.collect::<Result<BTreeSet<_>, _>>()?)?;
    let folders = folders(&starters, options)?;
    let (mut compared, mut origins, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for starter in starters {
        match read(&starter, &folders[&starter.repository], options) {
            Ok((later, origin)) => {
                compared.push((starter, later));
                origins.push(origin);
            }
            Err(failure) => failures.push(failure),
        }
    }
    if let Some(last) = failures.pop() {
        for failure in failures {
            eprint(&format!("error: {}\n", one_line(&failure.message)));
        }
        return Err(last);
    }
    let update = upstream::plan(&site, &compared, &[], &plan);
    let lost = update.starters.iter().map(|(_, lost)| lost);
    let searched = compared.iter().zip(lost).zip(&origins).map(|((one, lost), origin)| search(&one.0, lost, origin));
    let searched = searched.collect::<Result<Vec<Searched>, _>>()?;
    let moved: Vec<Vec<Moved>> = searched.iter().map(|searched| searched.moved.clone()).collect();
    let is_moved = moved.iter().any(|moved| !moved.is_empty());
    let update = if is_moved { upstream::plan(&site, &compared, &moved, &plan) } else { update };
    let report = compare_sites(&site, &update, options.apply);
    if options.apply {
        emit::change(&root, &update.changes)?;
    }
    let found = update.starters.iter().zip(origins.iter().zip(&searched));
    for ((starter, later), ((state, lost), (origin, searched))) in compared.iter().zip(found) {
        print(&about(starter, later, state, lost, origin, searched))?;
    }
    print(&summary(&update, options.apply))?;
    print(&human(&report))?;
    let is_same = update.starters.iter().all(|(state, _)| *state == State::Same);
    Ok(if is_same && report.changes.is_empty() { Status::Done } else { Status::Refused })
}

fn compare_sites(site: &Site, update: &Update, is_applied: bool) -> infralens_diff::Report {
    let names = if is_applied { ["before", "after the update"] } else { ["as it is", "with the later files"] };
    compare([site, &update.site], names)
}

/// Returns the folder of the repository of each project.
fn folders(starters: &[Starter], options: &Options) -> Result<BTreeMap<String, PathBuf>, Failure> {
    let projects: BTreeSet<&String> = starters.iter().map(|starter| &starter.repository).collect();
    let Some(first) = projects.first() else {
        let of = if options.labs.is_empty() { "the course" } else { "these labs" };
        return Err(Failure::new(format!("no starter of {of} is from another project"))
            .help("say where one is from with `starter.upstream`: its `repository`, `commit` and `path`"));
    };
    match &options.from {
        Some(_) if projects.len() > 1 => {
            let named: Vec<&str> = projects.iter().map(|project| project.as_str()).collect();
            Err(Failure::new(format!("the starters are from several projects: {}", named.join(", ")))
                .help("name the labs of one of them, or use `--fetch`"))
        }
        Some(folder) => Ok(projects.into_iter().map(|project| (project.clone(), folder.clone())).collect()),
        None if options.fetch => projects.into_iter().map(|project| Ok((project.clone(), fetch(project)?))).collect(),
        None => Err(Failure::new("where is the later state of the project?")
            .help("name a clone of it on disk, `--from DIR`, after `git pull` in it")
            .help(format!("or fetch it: with `--fetch`, git asks {first}"))),
    }
}

/// Fetches a project into the cache of the user, where the next run finds it.
#[expect(clippy::disallowed_methods, reason = "the cache is where the user has said, or in their home")]
fn fetch(project: &str) -> Result<PathBuf, Failure> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let cache = cache.unwrap_or_else(std::env::temp_dir).join("infralens/upstream");
    let folder = cache.join(hash(project.as_bytes()));
    eprint(&format!("fetching {project}\n"));
    repository::fetch(project, &folder).map_err(|error| {
        let failure = Failure::new(format!("{project} cannot be fetched: {error}"));
        match error {
            RevisionError::NoGit(_) => failure.help("install git"),
            _ => failure
                .help("`infralens upstream --from DIR` compares with a clone on disk")
                .help(format!("what was fetched is in `{}`; remove it if it is damaged", folder.display())),
        }
    })?;
    Ok(folder)
}

/// Reads both states of a starter.
fn read(starter: &Starter, folder: &Path, options: &Options) -> Result<(Later, Origin), Failure> {
    let Starter { commit, path, .. } = starter;
    let file = starter.file();
    let fail = |name: &str| {
        let at = format!("`{file}` cannot be compared: `{name}` in {}", folder.display());
        move |error: RevisionError| {
            let failure = Failure::new(format!("{at}: {error}"));
            match error {
                RevisionError::NoGit(_) => failure.help("install git"),
                RevisionError::NoRepository(_) => failure.help("`--from` names a clone of the starter's project"),
                RevisionError::Unknown => failure.help(
                    "is it a clone of the starter's project, and up to date? A shallow clone has only some commits",
                ),
                _ => failure.help("fetch what is missing: `git fetch --refetch --no-filter`"),
            }
        }
    };
    let to = options.to.as_deref().unwrap_or(if options.fetch { repository::FETCHED } else { "HEAD" });
    let trees =
        [repository::tree(folder, commit).map_err(fail(commit))?, repository::tree(folder, to).map_err(fail(to))?];
    let text = |tree: &repository::Tree, path: &str| tree.read(folder, path, file).map_err(fail(path));
    let Some(old) = text(&trees[0], path)? else {
        return Err(Failure::new(format!("`{file}` cannot be compared: commit {commit} has no text file `{path}`"))
            .help("correct `path` or `commit` of `starter.upstream`"));
    };
    let later = trees[0].follow(folder, &trees[1], path).map_err(fail(path))?;
    let new = later.as_ref().map(|path| text(&trees[1], path)).transpose()?.flatten();
    let later = Later { commit: trees[1].commit.clone(), path: later, old, new };
    Ok((later, Origin { folder: folder.to_owned(), trees }))
}

/// Reads the files that may have got what a starter has lost, and finds what has moved to one of them.
fn search(starter: &Starter, lost: &[Lost], origin: &Origin) -> Result<Searched, Failure> {
    if lost.is_empty() {
        return Ok(Searched::default());
    }
    let (folder, [old, new]) = (&origin.folder, &origin.trees);
    let (files, left) = old
        .changed(folder, new, &starter.path)
        .map_err(|error| Failure::new(format!("the files of {} cannot be read: {error}", new.commit)))?;
    let moved = lost.iter().filter_map(|lost| lost.follow(&files, |path| origin.before(path))).collect();
    Ok(Searched { files, left, moved })
}

/// Says what the project has done to a starter.
fn about(
    starter: &Starter,
    later: &Later,
    state: &State,
    lost: &[Lost],
    origin: &Origin,
    searched: &Searched,
) -> String {
    let Starter { repository, path, .. } = starter;
    let [from, to] = origin.trees.each_ref().map(|tree| tree.commit.get(..DIGITS).unwrap_or_default());
    let mut text = format!("{}: `{path}` of {repository}, {from} → {to}\n", starter.file());
    let moved = later.path.as_ref().filter(|now| *now != path);
    // Writing to a String cannot fail.
    let _ = match (state, moved) {
        (State::Same, _) => writeln!(text, "  unchanged"),
        (_, Some(now)) => writeln!(text, "  renamed to `{now}`"),
        (State::Gone, None) => writeln!(text, "  {to} has no such text file, and it was not renamed"),
        (State::Later | State::Edited(_), None) => Ok(()),
    };
    if let State::Edited(difference) = state {
        text.push_str("  edited in the course by more than region markers, so it is left as it is:\n");
        let lines: Vec<&str> = difference.lines().collect();
        lines.iter().take(MAX_LINES).for_each(|line| text.extend(["    ", line, "\n"]));
        if let Some(left @ 1..) = lines.len().checked_sub(MAX_LINES) {
            let _ = writeln!(text, "    … {}", quantity(left, "more line"));
        }
    }
    let index = CodeIndex::default();
    for lost in lost {
        let place = lost.find(&index, &searched.files, |path| origin.before(path));
        let place = place.as_deref().unwrap_or("its code is in no other file that has changed");
        let _ = writeln!(text, "  `#{}` is not in the later file; {place}", lost.selector);
    }
    if searched.left > 0 {
        let _ = writeln!(text, "  {} not searched", quantity(searched.left, "more file"));
    }
    visible(&text).into_owned()
}

/// Says what was changed, or how to change it.
fn summary(update: &Update, is_applied: bool) -> String {
    let mut text = String::from("\n");
    if !is_applied {
        if !update.changes.is_empty() {
            text.push_str("nothing was changed; `--apply` brings the later files\n\n");
        }
        return text;
    }
    text += &done(&update.changes);
    for (drift, line) in &update.pins {
        let _ = writeln!(text, "{}:{line}: {}", drift.page.path(), taken(drift));
    }
    if update.changes.is_empty() { text } else { text + "\n" }
}
