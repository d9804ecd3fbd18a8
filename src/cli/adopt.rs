//! `infralens adopt`: binds code fences that are copies of code to the files that they copy, and makes links of citations.

use std::path::PathBuf;

use clap::Args;

use super::{Common, Failure, Outcome, Status, differences, eprint, print, quantity, repository};
use crate::assets::BUILTIN;
use crate::load::repository::{Repository, read_with_code};
use crate::{emit, load};
use infralens_author::adopt::{Adoption, Left, adopt};
use infralens_author::repository::Documents;
use infralens_render::unbound::UnboundCode;
use infralens_site::{self as site, Site};
use infralens_source::project::Project;
use infralens_starter::copied::RESEMBLING;
use infralens_starter::moved::CodeIndex;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Markdown files outside a course, or folders with such files [default: the pages of the course, or
    /// else those in the current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write nothing, and print the difference
    #[arg(long)]
    dry_run: bool,
}

/// What was found in a course, or in a repository.
struct Found {
    root: PathBuf,
    adoption: Adoption,
    unbound: Vec<UnboundCode>,
    /// The number of files of code that were searched, if that is not all of them.
    searched: Option<usize>,
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let found = match options.paths.as_slice() {
        [] => match common.root() {
            Err(_) if common.root.is_none() => in_repository(common, &[PathBuf::from(".")])?,
            root => in_course(root?),
        },
        paths => in_repository(common, paths)?,
    };
    let Found { root, adoption, unbound, searched } = found;
    if options.dry_run {
        print(&differences(&adoption.changes, ["a/", "b/"]))?;
    } else {
        emit::change(&root, &adoption.changes)?;
    }
    for bound in &adoption.bound {
        print(&format!("{}:{}: {}\n", bound.path, bound.line, bound.summary()))?;
    }
    for left in &adoption.left {
        print(&left_out(left))?;
    }
    for code in &unbound {
        print(&offer(code))?;
    }
    if let Some(count) = searched {
        eprint(&format!("only the {count} nearest files of code were searched\n"));
    }
    print(&summary(&adoption, options.dry_run))?;
    Ok(Status::Done)
}

fn in_course(root: PathBuf) -> Found {
    let project = load::load(&root);
    let plan = |project: &Project| site::plan(project, &site::Options::new(BUILTIN), &Site::default());
    let site = plan(&project);
    let judge = |project: &Project| {
        let site = plan(project);
        (site.all_drifts(), site.diagnostics().cloned().collect())
    };
    let subjects: Vec<_> = site.subjects().collect();
    let adoption = adopt(&subjects, &project, site.code(), &judge);
    Found { root, adoption, unbound: site.unbound_code(), searched: None }
}

fn in_repository(common: &Common, paths: &[PathBuf]) -> Result<Found, Failure> {
    let Repository { root, documents: pages, project, .. } = repository::read(common, paths, read_with_code)?;
    let documents = Documents::parse(&project, &pages);
    let judge = |project: &Project| {
        let compared = Documents::parse(project, &pages).compare(project);
        (compared.drifts, compared.diagnostics)
    };
    let subjects: Vec<_> = documents.subjects().collect();
    let adoption = adopt(&subjects, &project, &CodeIndex::default(), &judge);
    Ok(Found { root, adoption, unbound: Vec::new(), searched: project.searched_files })
}

fn left_out(left: &Left) -> String {
    let indented = left.difference.lines().map(|line| format!("  {line}\n"));
    std::iter::once(format!("{}:{}: {}\n", left.path, left.line, left.why)).chain(indented).collect()
}

fn offer(code: &UnboundCode) -> String {
    let (place, (file, line)) = (code.page.position(code.span.start), &code.place);
    let head = code.page.position(code.head.start).line;
    format!(
        "{}:{}: `{}` is in {file}:{line}, but no note is bound to it: a note under line {head} can begin with it\n",
        code.page.path(),
        place.line,
        code.text
    )
}

fn summary(adoption: &Adoption, is_dry: bool) -> String {
    let links = adoption.bound.iter().filter(|bound| bound.is_link).count();
    let fences = adoption.bound.len() - links;
    let mut done = Vec::new();
    if fences > 0 {
        done.push(quantity(fences, "code fence"));
    }
    if links > 0 {
        done.push(quantity(links, "link"));
    }
    let would = if is_dry { "would be " } else { "" };
    let bound = match done.as_slice() {
        [] => format!("nothing {would}bound"),
        _ => format!("{} {would}bound", done.join(" and ")),
    };
    match adoption.left.len() {
        0 => format!("{bound}\n"),
        left => format!("{bound}; {left} left, which copy several pieces of code, or at least {RESEMBLING} % of one\n"),
    }
}
