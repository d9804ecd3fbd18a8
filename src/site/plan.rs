//! Project → site: everything is read, linked, resolved and judged, and what still holds of an earlier plan is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::code_pages::CodePages;
use super::documents::Understood;
use super::kept::{self, Changed};
use super::outputs::{self, Outputs};
use super::pages::{self, PageFacts, Same, Wanted};
use super::{Linked, Options, Site, Templates, WithDiagnostics, documents, starters};
use crate::course::{self, PageId, starter as paths};
use crate::document::{Glossary, Kind};
use crate::project::Project;
use crate::theme::{self, Assets, Cards, Engine};

/// The pages whose title, headings or other words have changed in a course that has the same structure as before.
type Renamed = BTreeSet<PageId>;

/// Plans the site of a course. `was` is an earlier plan, of which is kept what still holds.
#[must_use]
pub fn plan(project: &Project, options: &Options, was: &Site) -> Site {
    let changed = Changed::between(&was.project.files, &project.files);
    let mut site = Site { options: options.clone(), project: project.clone(), ..Site::default() };
    site.read_settings(was, &changed);
    site.documents = Arc::new(documents::parse_all(&was.documents, project));
    let renamed = site.link(was);
    let has_same_structure = renamed.is_some();
    site.read_glossary(was);
    site.gather(was, &changed, has_same_structure);
    (site.pages, site.readmes) = site.know(was, &changed, renamed.as_ref());
    site.read_theme(was, &changed, renamed.as_ref());
    site.list(was, &changed, has_same_structure);
    site.hides_pages = project.diagnostics.iter().any(|said| documents::may_hold_pages(&said.place.file));
    let unused = documents::templates(project).into_iter().chain(theme::unused(project));
    let lacks_reference = site.lacking().any(|known| known.facts.lacks_reference);
    let empty = documents::empty_references(project).filter(|_| lacks_reference);
    site.said = unused.chain(project.diagnostics.iter().cloned()).chain(empty).collect();
    site
}

impl Site {
    fn read_settings(&mut self, was: &Self, changed: &Changed) {
        let has_same_options = self.options.base_url == was.options.base_url;
        self.config = kept::keep(&was.config, has_same_options && changed.leaves("content/site.yaml"), || {
            let (mut value, diagnostics) = documents::config(&self.project);
            value.base_url = self.options.base_url.clone().or(value.base_url);
            WithDiagnostics { value, diagnostics }
        });
        self.references = kept::keep(&was.references, changed.leaves("content/references.yaml"), || {
            let (value, diagnostics) = documents::references(&self.project);
            WithDiagnostics { value, diagnostics }
        });
    }

    /// Links the documents into a course, which follows from their summaries. If the course has the same structure as
    /// before, returns the pages that are called otherwise in it; else `None`.
    fn link(&mut self, was: &Self) -> Option<Renamed> {
        let renamed = self.renamed(was);
        let is_same = renamed.as_ref().is_some_and(BTreeMap::is_empty);
        self.linked = kept::keep(&was.linked, is_same, || {
            if let Some(renamed) = &renamed {
                let mut linked = Linked::clone(&was.linked);
                for (&page, document) in renamed {
                    linked.course.pages[page].summary.clone_from(&document.summary);
                }
                return linked;
            }
            let summaries = self.documents.iter().filter_map(|understood| understood.summary.clone()).collect();
            let (course, diagnostics) = course::assemble(summaries, &self.config.value, self.options.drafts);
            let ids = self.documents.iter().map(|understood| course.page_of(understood.path())).collect();
            Linked { course, ids, diagnostics }
        });
        renamed.map(|renamed| renamed.into_keys().collect())
    }

    /// The documents whose summary has changed, by their pages, if that leaves the structure of the course as it was.
    fn renamed(&self, was: &Self) -> Option<BTreeMap<PageId, Arc<Understood>>> {
        let has_same_settings = Arc::ptr_eq(&self.config, &was.config) && self.options.drafts == was.options.drafts;
        if !has_same_settings || was.documents.len() != self.documents.len() {
            return None;
        }
        let mut renamed = BTreeMap::new();
        for ((was_document, document), id) in was.documents.iter().zip(self.documents.iter()).zip(&was.linked.ids) {
            if !Arc::ptr_eq(was_document, document) && !document.has_same_summary(was_document) {
                // What is said of relations tells where in a file they are.
                let has_same_structure = was.linked.diagnostics.is_empty() && document.has_same_structure(was_document);
                renamed.insert((*id).filter(|_| has_same_structure)?, Arc::clone(document));
            }
        }
        Some(renamed)
    }

    /// Reads the glossary, if it is published.
    fn read_glossary(&mut self, was: &Self) {
        let course = &self.linked.course;
        let is_glossary = |id: PageId| course.pages[id].kind == Kind::Glossary && course.pages[id].published;
        let mut pages = self.documents.iter().zip(&self.linked.ids);
        let found = pages.find(|(_, id)| id.is_some_and(is_glossary)).map(|(from, _)| Arc::clone(from));
        let holds = match (&found, &was.glossary.0) {
            (Some(is), Some(was)) => Arc::ptr_eq(is, was),
            (is, was) => is.is_none() && was.is_none(),
        };
        let terms = kept::keep(&was.glossary.1, holds, || {
            let document = found.as_ref().and_then(|found| found.document.as_ref());
            document.map(|document| Glossary::new(&document.body)).unwrap_or_default()
        });
        self.glossary = (found, terms);
    }

    /// Finds and reads the starters, which follow from what documents name and from the files below `code/`.
    fn gather(&mut self, was: &Self, changed: &Changed, has_same_structure: bool) {
        let course = &self.linked.course;
        let pairs = was.documents.iter().zip(self.documents.iter()).filter(|(was, is)| !Arc::ptr_eq(was, is));
        let edited = pairs.filter_map(|(was, is)| Some((was.document.as_ref()?, is.document.as_ref()?)));
        let names_the_same =
            has_same_structure && !changed.targets && was.starters.stand_for(edited, course, &self.project);
        let holds = names_the_same && changed.leaves("code");
        self.starters = kept::keep(&was.starters, holds, || {
            let reread = names_the_same.then(|| was.starters.reread(changed.below("code"), &self.project)).flatten();
            if let Some(starters) = reread {
                return starters;
            }
            let documents = self.documents.iter().filter_map(|understood| understood.document.as_ref());
            starters::gather(&was.starters, documents, course, &self.project)
        });
    }

    /// Finds out what there is to know of each page and README.
    fn know(
        &self,
        was: &Self,
        changed: &Changed,
        renamed: Option<&Renamed>,
    ) -> (Vec<Arc<PageFacts>>, Vec<Arc<PageFacts>>) {
        let has_same_files = !changed.targets && self.starters.has_same_names(&was.starters);
        let same = Same {
            settings: Arc::ptr_eq(&self.config, &was.config) && Arc::ptr_eq(&self.glossary.1, &was.glossary.1),
            references: Arc::ptr_eq(&self.references, &was.references),
            targets: renamed.filter(|_| has_same_files),
        };
        let same_listing = |path: &str| self.starters.has_same(&was.starters, path);
        let pages: Vec<Wanted<'_>> = self.wanted_pages().collect();
        let readmes: Vec<Wanted<'_>> = self.wanted_readmes().collect();
        let cx = self.context();
        (
            pages::know(&was.pages, &pages, cx, same, same_listing),
            pages::know(&was.readmes, &readmes, cx, same, same_listing),
        )
    }

    fn read_theme(&mut self, was: &Self, changed: &Changed, renamed: Option<&Renamed>) {
        self.assets = kept::keep(&was.assets, changed.leaves("static"), || Assets::publish(&self.project));
        self.templates = kept::keep(&was.templates, changed.leaves("templates"), || match Engine::new(&self.project) {
            Ok(engine) => Templates { engine: Some(engine), diagnostics: Vec::new() },
            Err(diagnostics) => Templates { engine: None, diagnostics },
        });
        let has_same_course = Arc::ptr_eq(&self.linked, &was.linked);
        self.pictures = kept::keep(&was.pictures, has_same_course, || Cards::new(self.names()));
        let has_same_references = self.references.value.is_empty() == was.references.value.is_empty();
        let renamed = renamed.filter(|_| has_same_references && Arc::ptr_eq(&self.assets, &was.assets));
        let earlier = was.common.get().zip(renamed);
        self.common = kept::keep(&was.common, renamed.is_some() && has_same_course, || {
            earlier.map_or_else(OnceLock::new, |(common, renamed)| {
                common.renamed(self.context(), &self.assets, renamed).into()
            })
        });
        let holds = renamed.is_some() && Arc::ptr_eq(&self.templates, &was.templates);
        self.tried = kept::keep(&was.tried, holds, OnceLock::new);
    }

    /// Lists what is published, which follows from the course, from which starters and pictures pages name, and from which
    /// files there are.
    fn list(&mut self, was: &Self, changed: &Changed, has_same_structure: bool) {
        let names = |known: &'_ PageFacts| (known.facts.starters.clone(), known.facts.images.clone());
        let has_same_names = |was: &[Arc<PageFacts>], is: &[Arc<PageFacts>]| {
            let same = |(was, is): (&Arc<PageFacts>, &Arc<PageFacts>)| Arc::ptr_eq(was, is) || names(was) == names(is);
            was.len() == is.len() && was.iter().zip(is).all(same)
        };
        // What is said of outputs tells where in a file an alias is.
        let has_same_places = Arc::ptr_eq(&self.linked, &was.linked) || was.outputs.diagnostics.is_empty();
        let holds = has_same_structure
            && has_same_places
            && Arc::ptr_eq(&self.assets, &was.assets)
            && self.pictures.paths() == was.pictures.paths()
            && !changed.targets
            && !was.outputs.is_beside_search
            && self.starters.has_same_names(&was.starters)
            && self.starters.readmes.iter().zip(&was.starters.readmes).all(|(is, was)| Arc::ptr_eq(is, was))
            && has_same_names(&was.pages, &self.pages)
            && has_same_names(&was.readmes, &self.readmes);
        if holds {
            (self.code, self.outputs) = (Arc::clone(&was.code), Arc::clone(&was.outputs));
            return;
        }
        let published = |known: &Arc<PageFacts>| {
            let id = self.linked.course.page_of(known.path())?;
            self.linked.course.pages[id].published.then_some(id)
        };
        let pages = self.pages.iter().filter_map(|known| Some((published(known)?, &known.facts)));
        let readmes = self.readme_sources();
        let code = CodePages::new(pages, &readmes, &self.starters, &self.linked.course);
        self.code = Arc::new(code);
        let of_pages = self.pages.iter().filter(|known| published(known).is_some());
        let shown = of_pages.chain(&self.readmes).flat_map(|known| known.facts.images.iter().cloned());
        let images: BTreeSet<Arc<str>> = shown.collect();
        let raw = self.code.starters.iter().map(|starter| (paths::raw_url(&starter.path), &starter.path));
        let planned = theme::recipes(self.context(), &self.code.starters, &self.code.folders, &self.pictures);
        let raw: Vec<_> = raw.collect();
        let fingerprint = outputs::fingerprint(&planned, &raw, &images);
        let holds = Arc::ptr_eq(&self.assets, &was.assets)
            && !changed.targets
            && !was.outputs.is_beside_search
            && was.outputs.fingerprint == Some(fingerprint);
        self.outputs = kept::keep(&was.outputs, holds, || {
            let outputs = Outputs::new(planned, &self.assets, raw, &self.project, &images);
            Outputs { fingerprint: Some(fingerprint), ..outputs.beside(|| self.search().paths().collect()) }
        });
    }
}
