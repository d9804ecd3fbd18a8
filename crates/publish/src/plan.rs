//! What has to be done so that a destination contains a site. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::remote::{MANAGED, Remote};
use super::{Manifest, Options};
use infralens_source::change::Refusal;
use infralens_source::diag::quantity;

/// The order in which files change: what others refer to comes before what refers to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Styles, scripts, pictures, code and downloads.
    Assets,
    /// Pages, their copies in Markdown, and what lists pages, where nothing is yet: other pages link to them.
    New,
    /// Pages and their copies that are replaced.
    Pages,
    /// What lists pages and is replaced: the search index, the site map, the feed.
    Indexes,
}

impl Stage {
    /// All stages, in their order.
    pub const ALL: [Self; 4] = [Self::Assets, Self::New, Self::Pages, Self::Indexes];

    fn of(path: &str, is_new: bool) -> Self {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stage = match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "html" => Self::Pages,
            "md" if !path.starts_with("code/") => Self::Pages,
            "json" | "xml" | "txt" if folder.is_empty() => Self::Indexes,
            _ if folder == "search" => Self::Indexes,
            _ => Self::Assets,
        };
        if is_new && stage != Self::Assets { Self::New } else { stage }
    }
}

/// A file that gets a new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// When it changes.
    pub stage: Stage,
    pub path: String,
    /// The fingerprint of its new content.
    pub(super) fingerprint: String,
}

/// What has to be done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The contents to upload: one path that has each, by fingerprint.
    pub uploads: BTreeMap<String, String>,
    /// The files that change, by stage.
    pub changes: Vec<Change>,
    /// The files that the site no longer has.
    pub deletes: Vec<String>,
    /// The number of files that stay as they are.
    pub unchanged: usize,
}

impl Plan {
    /// Compares a site with a destination.
    ///
    /// # Errors
    /// A file in the way that no manifest lists; more deletions than allowed; a path below `.infralens/`.
    pub(super) fn new(remote: &Remote, wanted: &Manifest, options: &Options) -> Result<Self, Refusal> {
        let name = &remote.name;
        if let Some((path, _)) = wanted.iter().find(|(path, _)| path.starts_with(MANAGED)) {
            return Err(Refusal::new(format!("`{path}` cannot be published: the name is taken"))
                .help(format!("`{MANAGED}` at the destination holds the records of what was published")));
        }
        let mut foreign = wanted.files.keys().filter(|path| remote.has(path) && !remote.is_ours(path));
        if let (false, Some(first)) = (options.overwrite, foreign.next()) {
            let others = match foreign.count() {
                0 => String::new(),
                count => format!(" and {} of the same names", quantity(count, "other file")),
            };
            return Err(Refusal::new(format!("{name} has `{first}`{others}, which InfraLens has not put there"))
                .help("choose another destination, or replace these files with `--overwrite`"));
        }
        let mut plan = Self::default();
        for (path, fingerprint) in wanted.iter() {
            if remote.content(path) == Some(fingerprint) {
                plan.unchanged += 1;
                continue;
            }
            if !remote.objects.contains(fingerprint) {
                plan.uploads.entry(fingerprint.to_owned()).or_insert_with(|| path.to_owned());
            }
            let (path, fingerprint) = (path.to_owned(), fingerprint.to_owned());
            plan.changes.push(Change { stage: Stage::of(&path, !remote.has(&path)), path, fingerprint });
        }
        plan.changes.sort_by(|a, b| (a.stage, &a.path).cmp(&(b.stage, &b.path)));
        let old: BTreeSet<&String> = remote.history.iter().flat_map(|manifest| manifest.files.keys()).collect();
        let old = old.into_iter().filter(|path| remote.has(path) && wanted.get(path).is_none());
        plan.deletes = old.cloned().collect();
        if plan.deletes.len() > options.max_deletes {
            let (count, limit) = (quantity(plan.deletes.len(), "file"), options.max_deletes);
            return Err(Refusal::new(format!("{count} would be deleted from {name}, and the limit is {limit}")).help(
                format!("if the site has really lost them, publish with `--max-deletes {}`", plan.deletes.len()),
            ));
        }
        Ok(plan)
    }
}
