//! The sites of a course's other languages. Each is the plan of the same course, in which pages are replaced by what their
//! translations make of them; it is published in a folder of its own, and what all languages share is published once.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::documents::{ParsedFile, not_text};
use super::lint::terms;
use super::outputs::{Output, Outputs, Recipe};
use super::pages::PageFacts;
use super::reuse::{self, ChangedFiles};
use super::{Options, Site, WithDiagnostics};
use infralens_course::course::link::{self, From, Target};
use infralens_page::{Glossary, Translation};
use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::project::File;
use infralens_theme as theme;

/// A page with its translation.
#[derive(Debug)]
pub struct TranslatedPage {
    /// The page, and the file of the translation.
    from: (Arc<ParsedFile>, File),
    /// `None` if the page or the translation cannot be read.
    pub translation: Option<Translation>,
    /// The page in the other language.
    pub parsed: Arc<ParsedFile>,
    diagnostics: Vec<Diagnostic>,
}

/// The translations of a language, by the paths of their pages.
pub type TranslatedPages = BTreeMap<Arc<str>, Arc<TranslatedPage>>;

impl Site {
    /// Plans the sites of the other languages, and adds their files to the outputs.
    pub(super) fn plan_languages(&mut self, previous: &Self, changed: &ChangedFiles) {
        let tags: Vec<String> = self.config.value.languages.tags().map(|tag| tag.to_string()).collect();
        if tags.is_empty() {
            return;
        }
        let none = Self::default();
        let of_tag = |tag: &String| {
            let known = previous.config.value.languages.tags().position(|known| known.to_string() == *tag);
            known.and_then(|at| previous.languages.get(at)).map_or(&none, |(_, site)| site)
        };
        let plan = |(at, tag): (usize, &String)| {
            (Arc::from(tag.as_str()), Arc::new(self.plan_language(at, previous, of_tag(tag), changed)))
        };
        let languages: Vec<(Arc<str>, Arc<Self>)> = tags.iter().enumerate().map(plan).collect();
        self.languages = languages;
        let unchanged = Arc::ptr_eq(&self.outputs, &previous.own_outputs)
            && self.languages.len() == previous.languages.len()
            && self.languages.iter().zip(&previous.languages).all(|((tag, site), (old, known))| {
                tag == old && Arc::ptr_eq(&site.outputs, &known.outputs) && Arc::ptr_eq(&site.assets, &known.assets)
            });
        self.own_outputs = Arc::clone(&self.outputs);
        self.outputs = reuse::keep(&previous.outputs, unchanged, || self.all_outputs());
        self.translation_diagnostics = self.diagnose_translations();
    }

    fn plan_language(&self, at: usize, previous_source: &Self, previous: &Self, changed: &ChangedFiles) -> Self {
        let mut site = Self {
            // Changes are marked in the pages of the source.
            options: Options { marks: None, ..self.options.clone() },
            project: self.project.clone(),
            references: Arc::clone(&self.references),
            starters: Arc::clone(&self.starters),
            code_index: Arc::clone(&self.code_index),
            records: Arc::clone(&self.records),
            readmes: self.readmes.clone(),
            code: Arc::clone(&self.code),
            ..Self::default()
        };
        let has_same_config =
            Arc::ptr_eq(&self.config, &previous_source.config) && previous.config.value.languages.shown().is_some();
        site.config = reuse::keep(&previous.config, has_same_config, || WithDiagnostics {
            value: self.config.value.in_language(at),
            diagnostics: Vec::new(),
        });
        site.translations = self.translate(at, previous);
        let document = |parsed: &Arc<ParsedFile>| {
            site.translations.get(parsed.path()).map_or_else(|| Arc::clone(parsed), |page| Arc::clone(&page.parsed))
        };
        site.documents = Arc::new(self.documents.iter().map(document).collect());
        let renamed = site.link_course(previous);
        site.read_glossary(previous);
        if let Some(terms) = Arc::get_mut(&mut site.glossary.1) {
            terms.take_ids(&self.glossary.1);
        }
        site.compute_values(previous, renamed.is_some());
        (site.pages, _) = site.update_facts(previous, changed, renamed.as_ref());
        site.read_theme(previous, changed, renamed.as_ref(), Some(self));
        site.templates = Arc::clone(&self.templates);
        let planned = theme::recipes(site.context(), &[], &[], &site.social_cards).into_iter();
        let mut outputs = Outputs::default();
        for file in planned.filter(|file| file.recipe.is_of_language()) {
            let page = file.from.file;
            let translation =
                site.config.value.languages.path(&page, at).filter(|_| site.translations.contains_key(&page));
            let from = translation.map_or(page, Arc::from);
            outputs.files.insert(file.path.into(), Output { recipe: Recipe::Theme(file.recipe), from });
        }
        let index = Output { recipe: Recipe::Search, from: "static/search.js".into() };
        outputs.files.insert(site.assets.search_index().into(), index);
        site.outputs = reuse::keep(&previous.outputs, *previous.outputs == outputs, || outputs);
        site
    }

    /// Reads the translations of a language; keeps those of `previous` whose page and file are unchanged.
    fn translate(&self, at: usize, previous: &Self) -> TranslatedPages {
        let languages = &self.config.value.languages;
        let translated: Vec<(&Arc<ParsedFile>, Arc<str>, &File)> = self
            .documents
            .iter()
            .filter_map(|page| {
                let (path, file) = self.project.files.get_key_value(languages.path(page.path(), at)?.as_str())?;
                Some((page, Arc::clone(path), file))
            })
            .collect();
        let read = |(page, path, file): &(&Arc<ParsedFile>, Arc<str>, &File)| {
            let is_same = |known: &&Arc<TranslatedPage>| Arc::ptr_eq(&known.from.0, page) && known.from.1.is_same(file);
            let known = previous.translations.get(page.path()).filter(is_same);
            let made = known.map_or_else(|| Arc::new(TranslatedPage::read(page, path, file)), Arc::clone);
            (Arc::clone(page.path()), made)
        };
        translated.par_iter().map(read).collect()
    }

    /// Returns the outputs of all languages.
    fn all_outputs(&self) -> Outputs {
        let mut all = Outputs {
            files: self.own_outputs.files.clone(),
            late: self.own_outputs.late.clone(),
            diagnostics: self.own_outputs.diagnostics.clone(),
        };
        for (at, (tag, site)) in self.languages.iter().enumerate() {
            for (path, output) in &site.outputs.files {
                let outer: Arc<str> = format!("{tag}/{path}").into();
                if all.files.contains_key(&outer) {
                    let message = format!("`{outer}` would be published twice: it is a page in another language, too");
                    let from = Place::file(Arc::clone(&all.files[&outer].from));
                    all.diagnostics
                        .push(Diagnostic::new(codes::E0008, from, message).help("rename this file or its folder"));
                }
                let recipe = Recipe::Translated(at, Arc::clone(path));
                all.files.insert(outer, Output { recipe, from: Arc::clone(&output.from) });
            }
            for file in &site.assets.files {
                let output = || Output { recipe: Recipe::Bytes(file.bytes.clone()), from: Arc::clone(&file.from.file) };
                all.files.entry(Arc::clone(&file.path)).or_insert_with(output);
            }
        }
        all
    }

    /// Returns the diagnostics of all translations.
    fn diagnose_translations(&self) -> Vec<Diagnostic> {
        let mut found = self.untranslatable();
        let of_source: BTreeMap<&str, &Arc<PageFacts>> = self.pages.iter().map(|known| (known.path(), known)).collect();
        let is_of_source = |page: &TranslatedPage, found: &Diagnostic| {
            page.from.0.diagnostics.iter().any(|known| is_alike(known, found))
        };
        for (_, site) in &self.languages {
            for page in site.translations.values() {
                let translation = page.translation.iter().flat_map(|translation| &translation.diagnostics);
                let of_page = |found: &&Diagnostic| !is_of_source(page, found);
                let parsed = page.parsed.diagnostics.iter().filter(of_page);
                found.extend(page.diagnostics.iter().chain(translation).chain(parsed).cloned());
                self.check_terms(page, &site.glossary.1, &mut found);
            }
            for known in &site.pages {
                let Some(page) = site.translations.get(known.path()) else { continue };
                let merged = page.parsed.document.as_ref().and_then(|document| document.translated.as_ref());
                // The titles of links to lines are those of the source.
                let of_page = of_source.get(known.path()).map_or(&[][..], |known| &known.diagnostics);
                let is_of_page = |found: &&Diagnostic| {
                    found.code == codes::W0307 || of_page.iter().any(|known| is_alike(known, found))
                };
                let own = known.diagnostics.iter().filter(|found| !is_of_page(found));
                found.extend(own.filter_map(|found| merged?.moved(found.clone())));
            }
        }
        found
    }

    /// Runs the lint of a translation, unless its page allows what it finds.
    fn check_terms(&self, page: &TranslatedPage, glossary: &Glossary, out: &mut Vec<Diagnostic>) {
        let (Some(translation), Some(document)) = (&page.translation, &page.from.0.document) else { return };
        let is_allowed = document.front.common.allow.iter().any(|code| code.value == codes::TERM);
        if !is_allowed && !self.config.value.is_off(codes::TERM, document.source.path()) {
            terms(translation, document, &self.glossary.1, glossary, out);
        }
    }

    /// Reports translations of pages that do not exist.
    fn untranslatable(&self) -> Vec<Diagnostic> {
        let languages = &self.config.value.languages;
        let files = self.project.below("content").filter(|_| !self.languages.is_empty());
        let without_page = files.filter_map(|(path, _)| {
            let (_, page) = languages.of(path)?;
            (!self.project.files.contains_key(page.as_str())).then(|| {
                let message = format!("`{page}`, which this translates, does not exist");
                Diagnostic::new(codes::E0006, Place::file(Arc::clone(path)), message)
                    .help("rename the translation as its page, or remove it")
            })
        });
        without_page.collect()
    }

    /// Returns the site and the path in it of an output of another language.
    pub(super) fn in_language<'p>(&self, path: &'p str) -> Option<(&Self, &'p str)> {
        self.languages.iter().find_map(|(tag, site)| {
            let inner = path.strip_prefix(&**tag)?.strip_prefix('/')?;
            Some((&**site, inner))
        })
    }

    /// Returns the output path of a file of another language: what is shared is in no folder of its own.
    pub(super) fn outer(&self, tag: &str, path: &str) -> String {
        if self.is_shared_script(path) { path.to_owned() } else { format!("{tag}/{path}") }
    }

    /// Returns the other languages, each with its site.
    pub fn languages(&self) -> impl Iterator<Item = (&str, &Self)> {
        self.languages.iter().map(|(tag, site)| (&**tag, &**site))
    }

    /// Returns the pictures of the course that pages of this site show, which is one of another language, and whether it has
    /// its own.
    pub fn pictures(&self) -> BTreeMap<String, bool> {
        let cx = self.context();
        let shown = |known: &Arc<PageFacts>| {
            let from = From { path: known.path(), headings: &[], html_ids: &[], own: None };
            let targets = known.facts.links.targets.iter().filter(|(_, is_picture)| *is_picture);
            let found = targets.filter_map(|(target, _)| match link::resolve(cx.course, cx.project, from, target) {
                Ok(Target::File { source, .. }) => Some((cx.translated_picture(&source).is_some(), source)),
                _ => None,
            });
            found.map(|(is_own, source)| (source, is_own)).collect::<Vec<_>>()
        };
        self.pages.iter().flat_map(shown).collect()
    }

    /// Returns the translations of this site, which is one of another language, with the paths of their pages.
    pub fn translations(&self) -> impl Iterator<Item = (&str, &Translation)> {
        self.translations.iter().filter_map(|(path, page)| Some((&**path, page.translation.as_ref()?)))
    }
}

/// Whether two diagnostics say the same, wherever.
fn is_alike(one: &Diagnostic, other: &Diagnostic) -> bool {
    (one.code, &one.message) == (other.code, &other.message)
}

impl TranslatedPage {
    fn read(page: &Arc<ParsedFile>, path: &Arc<str>, file: &File) -> Self {
        let from = (Arc::clone(page), file.clone());
        let unread =
            |diagnostics| Self { from: from.clone(), translation: None, parsed: Arc::clone(page), diagnostics };
        let (source, document) = match (file, &page.document) {
            (File::Text(source), Some(document)) => (source, document),
            (File::Binary(binary), _) => return unread(vec![not_text(path, binary)]),
            _ => return unread(Vec::new()),
        };
        let translation = Translation::read(source, document);
        let (document, diagnostics) = translation.page(document);
        let parsed = Arc::new(page.translated(document, diagnostics));
        Self { from, translation: Some(translation), parsed, diagnostics: Vec::new() }
    }
}
