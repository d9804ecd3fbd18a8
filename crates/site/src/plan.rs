//! Project → site: everything is parsed, linked, resolved and checked. Values of the previous plan are kept if their
//! inputs are unchanged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::code_pages::CodePages;
use super::documents::ParsedFile;
use super::outputs::Outputs;
use super::pages::{self, PageFacts, PageInput, Unchanged};
use super::reuse::{self, ChangedFiles};
use super::{LinkedCourse, Options, Site, WithDiagnostics, documents, extra, names, starters, values};
use infralens_course::course::starter::{self as paths, is_record};
use infralens_course::course::{self, PageId};
use infralens_course::records::{Declarations, Records};
use infralens_page::{Document, Glossary, Kind, placement};
use infralens_render::{Subject, recorded};
use infralens_source::diag::{Diagnostic, Place};
use infralens_source::project::{LINKS, Project, REFERENCES, SITE};
use infralens_theme::{self as theme, Assets, Engine, Look, SocialCards};
use infralens_units::Origin;

/// The pages whose titles, headings or other words have changed while the structure of the course is the same.
pub(super) type Renamed = BTreeSet<PageId>;

/// Plans the site of a course. Reuses from the `previous` plan whatever is unchanged.
pub fn plan(project: &Project, options: &Options, previous: &Site) -> Site {
    let changed = ChangedFiles::between(&previous.project.files, &project.files);
    let mut site = Site { options: options.clone(), project: project.clone(), ..Site::default() };
    site.read_settings(previous, &changed);
    site.documents =
        Arc::new(documents::parse_all(&previous.documents, project, &site.config.value, options.isolates_bugs));
    let renamed = site.link_course(previous);
    let has_same_structure = renamed.is_some();
    site.read_glossary(previous);
    site.find_starters(previous, &changed, has_same_structure);
    site.read_records(previous, &changed, has_same_structure);
    site.compute_values(previous, has_same_structure);
    (site.pages, site.readmes) = site.update_facts(previous, &changed, renamed.as_ref());
    site.read_theme(previous, &changed, renamed.as_ref(), None);
    site.list_outputs(previous, &changed, has_same_structure);
    site.plan_languages(previous, &changed);
    // A page without a place may be the one that others name.
    let is_missing = |parsed: &Arc<ParsedFile>| parsed.document.is_none() && placement::meant(parsed.path()).is_some();
    site.hides_pages = site.documents.iter().any(is_missing)
        || project.diagnostics.iter().any(|diagnostic| documents::may_hold_pages(&diagnostic.place.file));
    let unused = documents::templates(project).into_iter().chain(theme::unused(
        project,
        options.builtin,
        &site.named_templates(),
    ));
    let has_missing_reference = site.incomplete_pages().any(|known| known.facts.has_missing_reference);
    let empty = documents::empty_references(project).filter(|_| has_missing_reference);
    site.names =
        reuse::keep(&previous.names, !changed.targets && Arc::ptr_eq(&site.outputs, &previous.outputs), || {
            names::misnamed(project)
                .chain(names::nearly_named(project))
                .chain(names::misplaced(project))
                .chain(names::forbidden(project))
                .chain(names::alike(project, &site.outputs.diagnostics))
                .collect()
        });
    let documents = site.documents.iter().filter_map(|parsed| parsed.document.as_ref());
    let outputs = (!site.hides_pages).then_some(&*site.outputs);
    let unused = unused
        .chain(extra::check(documents, outputs))
        .chain(project.text(SITE).into_iter().flat_map(|source| extra::check_site(source, outputs)));
    site.file_diagnostics = unused.chain(project.diagnostics.iter().cloned()).chain(empty).collect();
    site
}

impl Site {
    /// Returns the templates that pages name, each with its place.
    fn named_templates(&self) -> Vec<(Place, &str)> {
        let documents = self.documents.iter().filter_map(|parsed| parsed.document.as_ref());
        let named = documents.flat_map(|document| {
            let common = &document.front.common;
            let of_folder = common.pages.as_ref().and_then(|pages| pages.template.as_ref());
            let named = common.template.iter().chain(of_folder);
            named.map(|template| (document.source.place(template.span.clone()), &*template.value))
        });
        named.collect()
    }

    fn read_settings(&mut self, previous: &Self, changed: &ChangedFiles) {
        let has_same_options = self.options.base_url == previous.options.base_url;
        self.config = reuse::keep(&previous.config, has_same_options && changed.is_unchanged(SITE), || {
            let mut config = documents::config(&self.project);
            config.value.base_url = self.options.base_url.clone().or(config.value.base_url);
            config
        });
        let project = &self.project;
        let has_same_references = changed.is_unchanged(REFERENCES);
        self.references = reuse::keep(&previous.references, has_same_references, || documents::references(project));
        self.links = reuse::keep(&previous.links, changed.is_unchanged(LINKS), || documents::links(project));
    }

    /// Links the documents into a course, using only their summaries. Returns the pages whose words have changed if the
    /// structure of the course is unchanged, else `None`.
    pub(super) fn link_course(&mut self, previous: &Self) -> Option<Renamed> {
        let renamed = self.renamed(previous);
        let is_same = renamed.as_ref().is_some_and(BTreeMap::is_empty);
        self.linked = reuse::keep(&previous.linked, is_same, || {
            if let Some(renamed) = &renamed {
                let mut linked = LinkedCourse::clone(&previous.linked);
                for (&page, document) in renamed {
                    linked.course.page_mut(page).summary.clone_from(&document.summary);
                }
                return linked;
            }
            let summaries = self.documents.iter().filter_map(|parsed| parsed.summary.clone()).collect();
            let (course, diagnostics) = course::assemble(summaries, &self.config.value, self.options.drafts);
            let ids = self.documents.iter().map(|parsed| course.page_of(parsed.path())).collect();
            LinkedCourse { course, ids, diagnostics }
        });
        renamed.map(|renamed| renamed.into_keys().collect())
    }

    /// Returns the documents whose summary has changed, by page; `None` if the structure of the course may have
    /// changed.
    fn renamed(&self, previous: &Self) -> Option<BTreeMap<PageId, Arc<ParsedFile>>> {
        let has_same_settings =
            Arc::ptr_eq(&self.config, &previous.config) && self.options.drafts == previous.options.drafts;
        if !has_same_settings || previous.documents.len() != self.documents.len() {
            return None;
        }
        let mut renamed = BTreeMap::new();
        for ((previous_document, document), id) in
            previous.documents.iter().zip(self.documents.iter()).zip(&previous.linked.ids)
        {
            if !Arc::ptr_eq(previous_document, document) && !document.has_same_summary(previous_document) {
                // Diagnostics about relations hold places in the front matter, so they must be recomputed.
                let has_same_structure =
                    previous.linked.diagnostics.is_empty() && document.has_same_structure(previous_document);
                renamed.insert((*id).filter(|_| has_same_structure)?, Arc::clone(document));
            }
        }
        Some(renamed)
    }

    /// Reads the glossary if it is published.
    pub(super) fn read_glossary(&mut self, previous: &Self) {
        let course = &self.linked.course;
        let is_glossary = |id: PageId| course.pages[id].kind == Kind::Glossary && course.pages[id].published;
        let mut pages = self.documents.iter().zip(&self.linked.ids);
        let found = pages.find(|(_, id)| id.is_some_and(is_glossary)).map(|(from, _)| Arc::clone(from));
        let unchanged = found.as_ref().map(Arc::as_ptr) == previous.glossary.0.as_ref().map(Arc::as_ptr);
        let terms = reuse::keep(&previous.glossary.1, unchanged, || {
            let document = found.as_ref().and_then(|found| found.document.as_ref());
            document.map(|document| Glossary::new(&document.body)).unwrap_or_default()
        });
        self.glossary = (found, terms);
    }

    /// Finds and parses the starters, which depend on what documents name and on the files below `code/`.
    fn find_starters(&mut self, previous: &Self, changed: &ChangedFiles, has_same_structure: bool) {
        let course = &self.linked.course;
        let pairs = previous
            .documents
            .iter()
            .zip(self.documents.iter())
            .filter(|(previous, current)| !Arc::ptr_eq(previous, current));
        let edited =
            pairs.filter_map(|(previous, current)| Some((previous.document.as_ref()?, current.document.as_ref()?)));
        let has_same_starters = has_same_structure
            && !changed.targets
            && previous.starters.would_be_unchanged(edited, course, &self.project);
        let unchanged = has_same_starters && changed.is_unchanged("code");
        self.starters = reuse::keep(&previous.starters, unchanged, || {
            let updated = has_same_starters
                .then(|| previous.starters.with_updated_listings(changed.below("code"), &self.project))
                .flatten();
            if let Some(starters) = updated {
                return starters;
            }
            let documents = self.documents.iter().filter_map(|parsed| parsed.document.as_ref());
            starters::find_all(&previous.starters, documents, course, &self.project, &self.code_index)
        });
    }

    /// Computes the values that pages declare.
    pub(super) fn compute_values(&mut self, previous: &Self, has_same_structure: bool) {
        let edited = self.edited(previous).filter(|_| has_same_structure);
        let edited = edited.map(|pairs| pairs.into_iter().map(|(_, now)| &**now.path()).collect::<BTreeSet<&str>>());
        let has_same_records = self.records.has_same_outputs(&previous.records);
        let changed_listings = self.starters.changed_listings(&previous.starters);
        let has_changed = |page: &Subject<'_>, origin: &Origin| match origin {
            Origin::Record => !has_same_records,
            Origin::Code(piece) if !changed_listings.is_empty() => {
                page.named(&piece.file.path).is_ok_and(|path| changed_listings.contains(&*path))
            }
            Origin::Code(_) | Origin::Here | Origin::Page(_) => false,
        };
        let is_edited = edited.map(|edited| {
            move |page: &Subject<'_>| {
                edited.contains(&**page.document.source.path())
                    || page.document.body.elsewhere.iter().any(|origin| has_changed(page, origin))
            }
        });
        let pages = self.page_inputs().map(|page| page.subject);
        let (course, config) = (&self.linked.course, &self.config.value);
        let sources = (&*self.records, &self.starters.listings);
        self.values = values::compute_all(&previous.values, pages, course, config, sources, is_edited.as_ref());
        let unchanged = has_same_structure && Arc::ptr_eq(&self.values, &previous.values);
        self.tracks_with_calculators =
            reuse::keep(&previous.tracks_with_calculators, unchanged, || self.find_tracks_with_calculators());
    }

    fn find_tracks_with_calculators(&self) -> BTreeSet<Option<usize>> {
        let mut tracks = BTreeSet::new();
        if self.values.values().any(|values| values.has_calculators) {
            for (id, page) in self.linked.course.pages.iter().enumerate() {
                if !tracks.contains(&page.track) && self.context().has_calculators(id) {
                    tracks.insert(page.track);
                }
            }
        }
        tracks
    }

    /// Returns the documents that have changed, each after the one before; `None` if there are others, or if one of them could
    /// not be parsed.
    fn edited<'a>(&'a self, previous: &'a Self) -> Option<Vec<(&'a ParsedFile, &'a ParsedFile)>> {
        if previous.documents.len() != self.documents.len() {
            return None;
        }
        let pairs = previous.documents.iter().zip(self.documents.iter());
        let edited = pairs.filter(|(before, now)| !Arc::ptr_eq(before, now));
        let edited = edited.map(|(before, now)| {
            let is_known = before.document.is_some() && now.document.is_some() && before.path() == now.path();
            is_known.then_some((&**before, &**now))
        });
        edited.collect()
    }

    /// Reads the records that labs declare, which depend on the front matter of labs and on the files below `code/`.
    fn read_records(&mut self, previous: &Self, changed: &ChangedFiles, has_same_structure: bool) {
        let hides_labs = |parsed: &Arc<ParsedFile>| {
            let hides_keys = |error: &Diagnostic| error.code.hides_file() || error.code.id.starts_with("E01");
            let is_lab = |document: &Document| document.placement.kind == Kind::Lab;
            parsed.document.as_ref().is_none_or(is_lab)
                && (parsed.document.is_none() || parsed.diagnostics.iter().any(hides_keys))
        };
        let is_complete = !self.documents.iter().any(hides_labs)
            && !self.project.diagnostics.iter().any(|error| documents::may_hold_pages(&error.place.file));
        let commands = |parsed: &'_ ParsedFile| {
            let lab = parsed.document.as_ref().and_then(|document| document.front.lab.as_ref());
            lab.map(|lab| lab.starter.record.clone())
        };
        let has_same_commands = self
            .edited(previous)
            .filter(|_| has_same_structure)
            .is_some_and(|edited| edited.into_iter().all(|(before, now)| commands(before) == commands(now)));
        let earlier = &previous.records;
        let has_same_labs = has_same_commands && self.starters.has_same_main_files(&previous.starters);
        let declared = if has_same_labs && is_complete == earlier.declared.is_complete {
            Arc::clone(&earlier.declared)
        } else {
            let inputs = self.page_inputs().map(|page| (page.subject.document, page.subject.main_file));
            Arc::new(Declarations::new(inputs, is_complete))
        };
        let has_records_of = |path: &str| is_record(path) || declared.is_run_in(path);
        let unchanged = declared == earlier.declared && !changed.targets && !changed.below("code").any(has_records_of);
        self.records = reuse::keep(earlier, unchanged, || {
            Records::new(earlier, &self.project, declared, |folder| changed.is_unchanged(folder))
        });
        if self.records.is_same(earlier) {
            self.records = Arc::clone(earlier);
        }
    }

    /// Computes the facts of all pages and READMEs.
    pub(super) fn update_facts(
        &self,
        previous: &Self,
        changed: &ChangedFiles,
        renamed: Option<&Renamed>,
    ) -> (Vec<Arc<PageFacts>>, Vec<Arc<PageFacts>>) {
        let has_same_files = !changed.targets && self.starters.has_same_paths(&previous.starters);
        let same = Unchanged {
            isolates_bugs: self.options.isolates_bugs,
            settings: Arc::ptr_eq(&self.config, &previous.config)
                && Arc::ptr_eq(&self.glossary.1, &previous.glossary.1),
            references: Arc::ptr_eq(&self.references, &previous.references),
            targets: renamed.filter(|_| has_same_files),
        };
        let changed_listings = self.starters.changed_listings(&previous.starters);
        let same_listing = |path: &str| !changed_listings.contains(path);
        let same_values = |path: &str| match (self.values.get(path), previous.values.get(path)) {
            (Some(values), Some(previous)) => Arc::ptr_eq(values, previous),
            (values, previous) => values.is_none() && previous.is_none(),
        };
        let pages: Vec<PageInput<'_>> = self.page_inputs().collect();
        let readmes: Vec<PageInput<'_>> = self.readme_inputs().collect();
        let cx = self.context();
        (
            pages::update_facts(&previous.pages, &pages, cx, same, same_listing, same_values),
            pages::update_facts(&previous.readmes, &readmes, cx, same, same_listing, same_values),
        )
    }

    /// Reads the settings of the theme, its styles and scripts, and the templates. On the site of another language, `source` is
    /// that of the course.
    pub(super) fn read_theme(
        &mut self,
        previous: &Self,
        changed: &ChangedFiles,
        renamed: Option<&Renamed>,
        source: Option<&Self>,
    ) {
        let has_same_course = Arc::ptr_eq(&self.linked, &previous.linked);
        let has_same_config = Arc::ptr_eq(&self.config, &previous.config);
        let has_same_look = has_same_course && has_same_config && changed.is_unchanged("static") && !changed.targets;
        self.look = reuse::keep(&previous.look, has_same_look, || Look::new(self.context(), self.options.builtin));
        let is_marked = |site: &Self| site.options.marks.is_some();
        let has_same_assets = has_same_config
            && changed.is_unchanged("static")
            && self.look.css == previous.look.css
            && is_marked(self) == is_marked(previous);
        let source = source.filter(|source| source.look.css == self.look.css && is_marked(source) == is_marked(self));
        self.assets = reuse::keep(&previous.assets, has_same_assets, || match source {
            Some(source) => source.assets.in_language(&self.config.value),
            None => Assets::publish(
                &self.project,
                self.options.builtin,
                &self.look.css,
                &self.config.value,
                is_marked(self),
            ),
        });
        self.templates = reuse::keep(&previous.templates, changed.is_unchanged("templates"), || {
            match Engine::new(&self.project, self.options.builtin) {
                Ok(engine) => WithDiagnostics { value: Some(engine), diagnostics: Vec::new() },
                Err(diagnostics) => WithDiagnostics { value: None, diagnostics },
            }
        });
        let earlier_orders = renamed.filter(|_| has_same_config).map(|renamed| (&**previous.orders, renamed));
        self.orders = reuse::keep(&previous.orders, has_same_course && has_same_config, || {
            theme::orders(self.names(), earlier_orders)
        });
        let front = self.context().front_calculator().map(|(_, front)| front);
        let has_same_cards = has_same_course && front == previous.context().front_calculator().map(|(_, front)| front);
        self.social_cards =
            reuse::keep(&previous.social_cards, has_same_cards, || SocialCards::new(self.names(), front));
        let has_same_references = self.references.value.is_empty() == previous.references.value.is_empty();
        let has_same_calculators = self.tracks_with_calculators == previous.tracks_with_calculators;
        let renamed = renamed
            .filter(|_| has_same_calculators && has_same_references && Arc::ptr_eq(&self.assets, &previous.assets))
            .filter(|_| self.look == previous.look);
        let earlier = previous.shared_values.get().zip(renamed);
        self.shared_values = reuse::keep(&previous.shared_values, renamed.is_some() && has_same_course, || {
            earlier.map_or_else(OnceLock::new, |(shared_values, renamed)| {
                shared_values.renamed(self.context(), &self.assets, &self.look, &self.orders, renamed).into()
            })
        });
        let unchanged = renamed.is_some() && Arc::ptr_eq(&self.templates, &previous.templates);
        self.template_faults = reuse::keep(&previous.template_faults, unchanged, OnceLock::new);
    }

    /// Returns whether the output files must be the same as before, without listing them.
    fn has_same_outputs(&self, previous: &Self, changed: &ChangedFiles) -> bool {
        let names = |known: &'_ PageFacts| (known.facts.starters.clone(), known.facts.images.clone());
        let has_same_paths = |previous: &[Arc<PageFacts>], current: &[Arc<PageFacts>]| {
            let same = |(previous, current): (&Arc<PageFacts>, &Arc<PageFacts>)| {
                Arc::ptr_eq(previous, current) || names(previous) == names(current)
            };
            previous.len() == current.len() && previous.iter().zip(current).all(same)
        };
        // Diagnostics about outputs hold the places of aliases in front matter.
        let has_same_places =
            Arc::ptr_eq(&self.linked, &previous.linked) || previous.outputs_of_source().diagnostics.is_empty();
        has_same_places
            && Arc::ptr_eq(&self.assets, &previous.assets)
            && self.social_cards.paths() == previous.social_cards.paths()
            && !changed.targets
            && self.tracks_with_calculators == previous.tracks_with_calculators
            && self.starters.has_same_paths(&previous.starters)
            && self.starters.has_same_notebooks(&previous.starters)
            && self
                .starters
                .readmes
                .iter()
                .zip(&previous.starters.readmes)
                .all(|(current, previous)| Arc::ptr_eq(current, previous))
            && has_same_paths(&previous.pages, &self.pages)
            && has_same_paths(&previous.readmes, &self.readmes)
    }

    /// Lists the output files, which depend on the course, on the starters and pictures that pages name, and on which
    /// files exist.
    fn list_outputs(&mut self, previous: &Self, changed: &ChangedFiles, has_same_structure: bool) {
        if has_same_structure && self.has_same_outputs(previous, changed) {
            (self.code, self.outputs) = (Arc::clone(&previous.code), Arc::clone(previous.outputs_of_source()));
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
        let planned = theme::recipes(self.context(), &self.code.starters, &self.code.folders, &self.social_cards);
        let pictures = self.code.starters.iter().filter_map(|starter| {
            let listing = self.starters.listings.get(&starter.path)?;
            Some(recorded::pictures(listing).map(|(url, _)| (url, &starter.path)))
        });
        let (builtin, assets, project) = (self.options.builtin, &self.assets, &self.project);
        let outputs = Outputs::new(planned, builtin, assets, raw, project, &images, pictures.flatten());
        let previous = previous.outputs_of_source();
        self.outputs = reuse::keep(previous, **previous == outputs, || outputs);
    }
}
