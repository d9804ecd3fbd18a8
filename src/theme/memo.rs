//! What theming leaves for the next time, and what of it is used again: a page is made anew when what it is made from is.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::assets::Assets;
use super::engine::Engine;
use super::jobs::{self, Job};
use super::machine::card::Cards;
use super::shared::{Common, Shared};
use super::{Input, Made, code, machine};
use crate::diag::{Diagnostic, Place};
use crate::document::Kind;
use crate::render::page::{Folder, Page, Starter};

/// What is the same as when a site was themed before.
#[expect(clippy::struct_excessive_bools, reason = "each says the same of one thing, and none follows from another")]
#[derive(Debug, Default, Clone, Copy)]
pub struct Same {
    /// The settings.
    pub config: bool,
    /// The bibliography.
    pub references: bool,
    /// All that the course knows of its pages but their headings, which no template is given.
    pub course: bool,
    /// The course's own templates.
    pub templates: bool,
}

/// What theming leaves for the next time.
#[derive(Default, Clone)]
pub struct Memo {
    engine: Option<Engine>,
    common: Option<Common>,
    assets: Assets,
    cards: Cards,
    has_references: bool,
    pages: Vec<Option<Arc<Page>>>,
    starters: Vec<Arc<Starter>>,
    folders: Vec<Arc<Folder>>,
    /// The files: one for each job, then one for each starter, then the others.
    made: Vec<Made>,
    /// What is wrong with the file of each job.
    faults: Vec<Option<Box<Diagnostic>>>,
}

/// What theming yields.
pub struct Themed<'a> {
    /// The site's files.
    pub made: &'a [Made],
    /// Which of them are not as they were; nothing if there may be others than before.
    pub renewed: Option<Vec<usize>>,
    /// What is said of templates, each fault once.
    pub diagnostics: Vec<Diagnostic>,
}

impl Memo {
    /// Makes the site's files, those alone that are not the `same` as when this memo was left. Templates that cannot be
    /// read or rendered are reported; the pages that they should have made are empty. With an error nothing is published,
    /// but every path is there to be held against others.
    pub fn theme(&mut self, input: &Input<'_>, same: Same) -> Themed<'_> {
        let assets = std::mem::take(&mut self.assets);
        let has_same_assets = assets.stand(input.project);
        let assets = if has_same_assets { assets } else { Assets::publish(input.project) };
        let (common, is_same_common) = self.common(input, &assets, has_same_assets, same);
        let (engine, is_same_engine, unreadable) = self.engine(input, &common, same.templates, is_same_common);
        let cards = std::mem::take(&mut self.cards);
        let cards = if same.config && same.course { cards } else { cards.again(input) };
        let shared = Shared::new(input, &common, &cards);
        let jobs = jobs::jobs(&shared);
        let keeps = is_same_common && is_same_engine && same.config && same.course && self.has_paths_of(input);

        let wanted: Vec<usize> = (0..jobs.len()).filter(|&at| !keeps || self.reaches(jobs[at], input, same)).collect();
        let made: Vec<(Made, Option<Box<Diagnostic>>)> = wanted
            .par_iter()
            .map(|&at| match &engine {
                Some(engine) => jobs::render(jobs[at], &shared, engine),
                None => (jobs::blank(jobs[at], &shared), None),
            })
            .collect();
        let renewed = if keeps {
            Some(self.replace(&wanted, made, input, jobs.len()))
        } else {
            (self.made, self.faults) = made.into_iter().unzip();
            self.made.extend(input.starters.iter().filter_map(|starter| code::raw(input, starter)));
            self.made.extend(assets.made.iter().cloned());
            self.made.extend(machine::files(input));
            self.made.extend(cards.made());
            None
        };
        self.common = Some(common);
        self.engine = engine;
        self.assets = assets;
        self.cards = cards;
        self.has_references = !input.references.is_empty();
        self.pages = input.pages.to_vec();
        self.starters = input.starters.to_vec();
        self.folders = input.folders.to_vec();
        let faults = self.assets.diagnostics.iter().cloned().chain(self.faults());
        let diagnostics = unreadable.into_iter().chain(faults).collect();
        Themed { made: &self.made, renewed, diagnostics }
    }

    /// What pages share, and whether it is what they shared before.
    fn common(&mut self, input: &Input<'_>, assets: &Assets, has_same_assets: bool, same: Same) -> (Common, bool) {
        let is_made_of_the_same =
            same.config && same.course && has_same_assets && self.has_references != input.references.is_empty();
        match self.common.take() {
            Some(common) if is_made_of_the_same => (common, true),
            _ => (Common::new(input, assets), false),
        }
    }

    /// The templates, whether they are the same as before, and if they cannot be read, why.
    fn engine(
        &mut self,
        input: &Input<'_>,
        common: &Common,
        is_same: bool,
        is_same_common: bool,
    ) -> (Option<Engine>, bool, Vec<Diagnostic>) {
        let (engine, is_same) = match self.engine.take() {
            Some(engine) if is_same => (Ok(engine), true),
            _ => (Engine::new(input.project), false),
        };
        match engine {
            Ok(mut engine) => {
                if !(is_same && is_same_common) {
                    engine.share(common);
                }
                (Some(engine), is_same, Vec::new())
            }
            Err(unreadable) => (None, false, unreadable),
        }
    }

    /// Whether the same starters and folders have pages, and readers are told of the same READMEs.
    fn has_paths_of(&self, input: &Input<'_>) -> bool {
        fn folder(folder: &Arc<Folder>) -> (&Arc<str>, &String, bool) {
            (&folder.path, &folder.title, folder.readme.is_some())
        }
        self.starters.iter().map(|starter| &starter.path).eq(input.starters.iter().map(|starter| &starter.path))
            && self.folders.iter().map(folder).eq(input.folders.iter().map(folder))
    }

    /// Whether a page is made from something that has changed, in a site of the same pages.
    fn reaches(&self, job: Job<'_>, input: &Input<'_>, same: Same) -> bool {
        let is_other = |page: usize| match (&self.pages[page], &input.pages[page]) {
            (Some(was), Some(is)) => !Arc::ptr_eq(was, is),
            (was, is) => was.is_some() || is.is_some(),
        };
        let is_other_within = |track: usize| input.course.tracks[track].order.iter().any(|&page| is_other(page));
        match job {
            Job::Course(page) | Job::Copy(page) => {
                let known = &input.course.pages[page];
                let track = known.track.filter(|_| known.kind == Kind::Practice);
                let mentions = |page: &Option<Arc<Page>>| page.as_ref().map(|page| page.mentions.clone());
                let mentions_other =
                    |page: usize| is_other(page) && mentions(&self.pages[page]) != mentions(&input.pages[page]);
                is_other(page)
                    || known.kind == Kind::Glossary && (0..input.pages.len()).any(mentions_other)
                    || track.is_some_and(is_other_within)
            }
            Job::Print(track) | Job::Cards(track) => is_other_within(track),
            Job::Starter(at, _) => !Arc::ptr_eq(&self.starters[at], &input.starters[at]),
            Job::Folder(at, _) => !Arc::ptr_eq(&self.folders[at], &input.folders[at]),
            Job::References => {
                let cites = |page: &Option<Arc<Page>>| page.as_ref().map(|page| page.cites.clone());
                let other = |page: usize| is_other(page) && cites(&self.pages[page]) != cites(&input.pages[page]);
                let folders = self.folders.iter().zip(input.folders);
                !same.references
                    || (0..input.pages.len()).any(other)
                    || folders.into_iter().any(|(was, is)| !Arc::ptr_eq(was, is))
            }
            Job::Redirect(..) | Job::Progress | Job::NotFound | Job::Sitemap | Job::Feed => false,
        }
    }

    /// Puts new files in the places of the old ones; returns which have other bytes.
    fn replace(
        &mut self,
        wanted: &[usize],
        made: Vec<(Made, Option<Box<Diagnostic>>)>,
        input: &Input<'_>,
        jobs: usize,
    ) -> Vec<usize> {
        let mut renewed = Vec::new();
        for (&at, (made, fault)) in wanted.iter().zip(made) {
            self.faults[at] = fault;
            if self.made[at].bytes.as_ref() != made.bytes.as_ref() {
                self.made[at] = made;
                renewed.push(at);
            }
        }
        for (index, starter) in input.starters.iter().enumerate() {
            if Arc::ptr_eq(&self.starters[index], starter) {
                continue;
            }
            if let Some(made) = code::raw(input, starter) {
                self.made[jobs + index] = made;
                renewed.push(jobs + index);
            }
        }
        renewed
    }

    /// Each fault once, with the first page that it was met on.
    fn faults(&self) -> Vec<Diagnostic> {
        let mut faults: BTreeMap<(Place, String), Diagnostic> = BTreeMap::new();
        for (fault, page) in self.faults.iter().zip(&self.made) {
            let Some(fault) = fault else { continue };
            let first = || Diagnostic::clone(fault).note(format!("first met on `{}`", page.path));
            faults.entry((fault.place.clone(), fault.message.clone())).or_insert_with(first);
        }
        faults.into_values().collect()
    }
}
