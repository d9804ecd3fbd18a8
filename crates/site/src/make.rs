//! Site → its files, each made from its recipe. Nothing made here is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::Site;
use super::isolate::isolate;
use super::outputs::{Output, Recipe};
use crate::search::{Index, Subject};
use infralens_course::course::PageId;
use infralens_page::Kind;
use infralens_render::calculator::CalculatorText;
use infralens_render::recorded;
use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::output::{self, Bytes};
use infralens_source::project::File;
use infralens_theme::{self as theme, Fault, SharedValues, Theme};

impl Site {
    /// Returns the search index, which is made on first use.
    pub(super) fn search(&self) -> &Index {
        self.search.get_or_init(|| {
            let (pages, readmes, cx) = (self.page_sources(), self.readme_sources(), self.context());
            let (course, labels) = (cx.course, &cx.config.labels);
            let published: Vec<PageId> = (0..course.pages.len()).filter(|&id| course.pages[id].published).collect();
            let lists = cx.lists_of_calculators().into_iter().map(|track| theme::calculators_url(course, track));
            let lists: Vec<String> = lists.collect();
            let with_calculators = published.iter().filter(|&&id| cx.has_calculators(id));
            let calculators: Vec<(PageId, Vec<CalculatorText>)> =
                with_calculators.filter_map(|&id| Some((id, pages[id].as_ref()?.calculators()))).collect();

            let mut subjects: Vec<Subject<'_>> = Vec::new();
            subjects.extend(published.iter().map(|&id| Subject::Course(id, pages[id].as_ref())));
            subjects.push(Subject::Generated("references.html", &labels.references, ""));
            subjects.push(Subject::Generated("progress.html", &labels.progress, &labels.progress_about));
            subjects.extend(lists.iter().map(|url| Subject::Generated(url, &labels.calculators, "")));
            for (page, calculators) in &calculators {
                subjects.extend(calculators.iter().map(|calculator| Subject::Calculator(*page, calculator)));
            }
            if let Some(&page) = published.iter().find(|&&id| course.pages[id].kind == Kind::Glossary) {
                let terms = cx.glossary.terms.iter();
                subjects.extend(terms.map(|term| Subject::Term(term, page, pages[page].as_ref())));
            }
            subjects.extend(cx.references.iter().map(|(key, reference)| Subject::Reference(&key.value, reference)));
            for starter in &self.code.starters {
                let listing = self.starters.listings.get(&starter.path);
                subjects.extend(listing.map(|listing| Subject::Starter(starter, listing)));
            }
            let folders = self.code.folders.iter();
            subjects.extend(folders.map(|folder| Subject::Folder(folder, folder.readme.map(|at| &readmes[at]))));
            Index::new(self.names(), &subjects)
        })
    }

    /// Calls `work` with the [`Theme`] that makes the site's files.
    fn with_theme<T>(&self, work: impl FnOnce(&Theme<'_>) -> T) -> T {
        let (pages, readmes) = (self.page_sources(), self.readme_sources());
        let shared_values = self
            .shared_values
            .get_or_init(|| SharedValues::new(self.context(), &self.assets, &self.look, &self.orders));
        let input = theme::Input {
            cx: self.context(),
            pages: &pages,
            readmes: &readmes,
            starters: &self.code.starters,
            folders: &self.code.folders,
        };
        work(&Theme::new(input, shared_values, &self.social_cards, self.templates.value.as_ref(), &self.dialogs))
    }

    /// Returns the path of the dialogs' script; `None` if their template has a fault.
    pub(super) fn dialogs(&self) -> Option<Arc<str>> {
        self.with_theme(|theme| theme.dialogs().map(|file| Arc::clone(&file.path)))
    }

    fn make_with(&self, theme: &Theme<'_>, path: &str, output: &Output) -> Result<Bytes, Fault> {
        match &output.recipe {
            Recipe::Theme(recipe) => isolate(self.options.isolates_bugs, &output.from, || theme.make(*recipe))
                .unwrap_or_else(|bug| Err(Some(bug))),
            Recipe::Late => {
                let script = self.order(path).or_else(|| theme.dialogs().filter(|file| *file.path == *path));
                script.map(|file| file.bytes.clone()).or_else(|| self.search().make(path)).ok_or(None)
            }
            recipe => self.make_without_theme(recipe, path),
        }
    }

    fn make_without_theme(&self, recipe: &Recipe, path: &str) -> Result<Bytes, Fault> {
        match recipe {
            Recipe::Search => Ok(self.search().contents()),
            Recipe::Translated(at, path) => self.languages[*at].1.make(path).unwrap_or(Err(None)),
            Recipe::Bytes(bytes) => Ok(bytes.clone()),
            Recipe::Recorded(notebook) => {
                let listing = self.starters.listings.get(notebook).ok_or(None)?;
                recorded::pictures(listing).find(|(url, _)| url == path).map(|(_, bytes)| bytes).ok_or(None)
            }
            Recipe::File(path) => match self.project.files.get(path) {
                Some(File::Text(source)) => Ok(Bytes::Text(Arc::clone(source))),
                Some(File::Binary(binary)) => Ok(Bytes::Binary(Arc::clone(binary))),
                // The file was reported when it was read.
                Some(File::Refused(_)) | None => Err(None),
            },
            Recipe::Theme(_) | Recipe::Late => Err(None),
        }
    }

    /// Calls `work` with a function that makes the file at an output path like [`Self::make`], but is made for many: what
    /// all files need is looked up once.
    pub fn with_maker<T>(&self, work: impl FnOnce(&dyn Fn(&str) -> Option<Result<Bytes, Fault>>) -> T) -> T {
        self.with_theme(|theme| work(&|path| Some(self.make_with(theme, path, self.output(path)?))))
    }

    /// Makes the file at an output path; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The fault in its template; `None` if it is among [`Self::diagnostics`].
    pub fn make(&self, path: &str) -> Option<Result<Bytes, Fault>> {
        let output = self.output(path)?;
        if let Recipe::Late = output.recipe
            && let Some((site, inner)) = self.late_site(path).filter(|(site, _)| !std::ptr::eq(*site, self))
        {
            return site.make(inner);
        }
        Some(match &output.recipe {
            Recipe::Theme(_) | Recipe::Late => self.with_theme(|theme| self.make_with(theme, path, output)),
            recipe => self.make_without_theme(recipe, path),
        })
    }

    /// Makes every file in parallel and passes each to `each`. Returns each fault in a template once, with the first
    /// file on which it was found.
    pub fn make_all(&self, each: impl Fn(&str, Bytes) + Sync) -> Vec<Diagnostic> {
        self.make_where(|_| true, each)
    }

    /// Returns what [`Site::make_all`] does, and makes no picture, which has no template.
    pub fn faults(&self) -> Vec<Diagnostic> {
        self.make_where(|output| !matches!(output.recipe, Recipe::Theme(recipe) if recipe.is_picture()), |_, _| {})
    }

    /// If a value of `extra` is missing that its schema requires, nothing is reported of templates that do not find a value.
    fn make_where(
        &self,
        is_made: impl Fn(&Output) -> bool + Copy,
        each: impl Fn(&str, Bytes) + Sync,
    ) -> Vec<Diagnostic> {
        let mut faults = self.make_own(is_made, &each);
        let mut made: BTreeSet<String> = BTreeSet::new();
        if !self.languages.is_empty() {
            made.extend(self.late_paths().iter().map(ToString::to_string));
        }
        for (tag, site) in &self.languages {
            // Languages with the same labels share scripts.
            let found = site.make_own(is_made, &|path: &str, bytes| {
                let outer = site.outer(tag, path);
                if !made.contains(&outer) {
                    each(&outer, bytes);
                }
            });
            made.extend(site.late_paths().iter().map(|path| site.outer(tag, path)));
            let is_new = |fault: &Diagnostic| {
                !faults.iter().any(|known| (&known.place, &known.message) == (&fault.place, &fault.message))
            };
            let found: Vec<Diagnostic> = found.into_iter().filter(is_new).collect();
            faults.extend(found);
        }
        let is_missing = |found: &Diagnostic| found.code == codes::E0107 && found.message.starts_with("`extra.");
        if self.file_diagnostics.iter().any(is_missing) {
            faults.retain(|fault| !fault.message.ends_with("not defined"));
        }
        faults
    }

    /// Makes every file of this language.
    fn make_own(&self, is_made: impl Fn(&Output) -> bool, each: &(impl Fn(&str, Bytes) + Sync)) -> Vec<Diagnostic> {
        let (listed, late) = (self.outputs.files.iter(), self.late_paths());
        let own = listed.filter(|(_, output)| !matches!(output.recipe, Recipe::Translated(..)) && is_made(output));
        let mut files: Vec<(&str, &Output)> = own.map(|(path, output)| (path.as_ref(), output)).collect();
        let late = late.iter().filter(|path| !self.outputs.files.contains_key(*path));
        files.extend(late.map(|path| (path.as_ref(), &self.outputs.late)));
        files.sort_unstable_by_key(|(path, _)| *path);
        let faults: Vec<(&str, Box<Diagnostic>)> = self.with_theme(|theme| {
            let made = files.par_iter().filter_map(|&(path, output)| match self.make_with(theme, path, output) {
                Ok(bytes) => {
                    each(path, bytes);
                    None
                }
                Err(fault) => Some((path, fault?)),
            });
            let dialogs = theme.make(theme::Recipe::Dialogs).err().flatten().map(|fault| ("assets/dialogs.js", fault));
            made.chain(dialogs).collect()
        });
        let mut first: BTreeMap<(Place, String), Diagnostic> = BTreeMap::new();
        for (path, fault) in faults {
            let with_file = || Diagnostic::clone(&fault).note(format!("first found in `{path}`"));
            first.entry((fault.place.clone(), fault.message.clone())).or_insert_with(with_file);
        }
        first.into_values().collect()
    }

    /// Makes every file in memory. Also returns the faults in templates.
    pub fn files(&self) -> (output::Files, Vec<Diagnostic>) {
        let files = Mutex::new(output::Files::new());
        let faults = self.make_all(|path, bytes| {
            files.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), bytes);
        });
        (files.into_inner().unwrap_or_else(PoisonError::into_inner), faults)
    }

    /// Returns whether a file can be made if its template has no fault.
    pub fn can_make(&self, output: &Output) -> bool {
        match output.recipe {
            Recipe::Theme(recipe) => recipe.can_be_made(&self.linked.course, self.templates.value.is_some()),
            Recipe::Translated(at, ref path) => {
                let site = &self.languages[at].1;
                site.output(path).is_some_and(|output| site.can_make(output))
            }
            Recipe::Search | Recipe::Late | Recipe::File(_) | Recipe::Recorded(_) | Recipe::Bytes(_) => true,
        }
    }

    /// Returns the faults that show when one file is made with each template.
    pub fn template_faults(&self) -> &[Diagnostic] {
        self.template_faults.get_or_init(|| self.try_templates())
    }

    fn try_templates(&self) -> Vec<Diagnostic> {
        let mut first: BTreeMap<&str, theme::Recipe> = BTreeMap::new();
        self.with_theme(|theme| {
            for output in self.outputs.files.values() {
                if let Recipe::Theme(recipe) = output.recipe
                    && let Some(name) = recipe.template(&self.linked.course)
                {
                    first.entry(name).or_insert(recipe);
                }
            }
            let recipes = first.values().copied().chain([theme::Recipe::Dialogs]);
            recipes.filter_map(|recipe| theme.make(recipe).err()?).map(|fault| *fault).collect()
        })
    }
}
