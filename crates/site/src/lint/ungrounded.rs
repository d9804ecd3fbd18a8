//! `ungrounded`: names in the code spans of a lab that are in none of its starter files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::OnceLock;

use pulldown_cmark::{CowStr, Event, TagEnd};

use super::{Input, at, common};
use infralens_page::{Anchor, Document, Kind};
use infralens_render::Subject;
use infralens_source::diag::{Diagnostic, Edit, Fix, Near, codes, similar};
use infralens_source::project::{File, SITE};
use infralens_source::source::{Source, Span, identifiers};
use infralens_source::{url, yaml};
use infralens_starter::highlight;

/// The maximum number of unknown names on a page for which a similar one is suggested.
const SUGGESTED: usize = 20;

/// Files by path; `None` for binary ones.
type Files<'a> = BTreeMap<&'a str, Option<&'a Source>>;

/// The files of a course whose names labs may use.
pub struct Names<'a> {
    /// All files under `code/`.
    files: Files<'a>,
    /// Names that every lab may use: the terms of the glossary, and `words` of the settings.
    common: HashSet<String>,
    /// The files that each page shows or links to, by the path of the page.
    named: HashMap<&'a str, Vec<&'a str>>,
    settings: Option<&'a Source>,
    /// The edit of the settings that adds the word [`ANY`] to `words`.
    new_word: OnceLock<Option<(Span, String)>>,
}

/// A word in place of another one that is added to `words`.
const ANY: &str = "NAME";

impl<'a> Names<'a> {
    /// Collects the names of all files.
    pub fn gather(input: Input<'a>) -> Self {
        let files = input.cx.project.below("code").map(|(path, file)| match file {
            File::Text(source) => (path.as_ref(), Some(&**source)),
            File::Binary(_) | File::Refused(_) => (path.as_ref(), None),
        });
        let files = files.collect();
        let mut common = HashSet::new();
        for word in &input.cx.config.words {
            common.extend(identifiers(word).map(str::to_owned));
        }
        for subject in input.subjects.iter().filter(|subject| subject.document.placement.kind == Kind::Glossary) {
            common.extend(terms(subject.document));
        }
        let pages = input.subjects.iter().zip(input.pages);
        let named = pages.map(|(subject, page)| {
            let path: &str = subject.document.source.path();
            (path, page.starters.iter().map(AsRef::as_ref).collect())
        });
        let settings = input.cx.project.text(SITE).map(AsRef::as_ref);
        Self { files, common, named: named.collect(), settings, new_word: OnceLock::new() }
    }

    /// Returns the fix that adds a name to `words` of the settings.
    fn fix(&self, name: &str) -> Option<Fix> {
        let source = self.settings?;
        let edit = self.new_word.get_or_init(|| {
            let root = yaml::parse(source, source.start()..source.text().len()).root?;
            yaml::add_to_list(source, &root, source.text().len(), "words", ANY)
        });
        let (span, text) = edit.as_ref()?;
        let edit = Edit::new(source, span.clone(), text.replacen(ANY, name, 1));
        Some(Fix::new(format!("add `{name}` to `words:` in `{SITE}`"), vec![edit]))
    }

    /// Returns the files of a lab: those that it shows or links to, and all files in its starter folder.
    fn files_of(&self, subject: &Subject<'_>) -> Files<'a> {
        let path: &str = subject.document.source.path();
        let named = self.named.get(path).into_iter().flatten();
        let known = |path: &&'a str| self.files.get(path).map(|file| (*path, *file));
        let mut files: Files<'a> = named.filter_map(known).collect();
        if let Some(own) = subject.main_file {
            let folder = url::folder(own);
            let inside = self
                .files
                .range::<str, _>((Bound::Included(folder), Bound::Unbounded))
                .take_while(|(path, _)| path.starts_with(folder));
            let inside = inside.filter(|(path, _)| path[folder.len()..].starts_with('/'));
            files.extend(inside.map(|(path, file)| (*path, *file)));
        }
        files
    }
}

/// Returns the identifiers in the terms of a glossary.
fn terms(glossary: &Document) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    for (index, (event, _)) in glossary.body.events.iter().enumerate() {
        match event {
            Event::Start(pulldown_cmark::Tag::DefinitionListTitle) => start = index,
            Event::End(TagEnd::DefinitionListTitle) => {
                found.extend(identifiers(&glossary.body.text(start..index)).map(str::to_owned));
            }
            _ => {}
        }
    }
    found
}

/// Whether a character may be part of a path of names, such as `torch.nn` or `std::vector`.
fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | ':')
}

/// Reports a command that runs a file which the lab does not have. Only files of the starter's language count: others may be
/// written by the command.
fn run_of_nothing(subject: &Subject<'_>, files: &Files<'_>) -> Option<Diagnostic> {
    let own = subject.main_file?;
    let run = subject.document.front.lab.as_ref()?.starter.run.as_ref()?;
    let (_, extension) = own.rsplit_once('.')?;
    let is_source = |word: &&str| word.rsplit_once('.').is_some_and(|(stem, end)| end == extension && !stem.is_empty());
    let is_there = |word: &str| files.keys().any(|path| url::file_name(path) == url::file_name(word));
    // What follows the first file are its arguments.
    let word = run.value.split_whitespace().find(is_source).filter(|word| !is_there(word))?;
    let names = files.keys().map(|path| url::file_name(path)).filter(|name| name.ends_with(extension));
    let message = format!("`run` names `{word}`, which is none of this lab's starter files");
    let found = at(subject.document, run.span.clone(), codes::UNGROUNDED, message);
    Some(found.instead(&subject.document.source, word, similar(word, names)))
}

/// Reports the names in the code spans of a lab that are in none of its files, each once. Bindings of notes are skipped
/// because they are already compared with their excerpt.
pub fn ungrounded(subject: &Subject<'_>, names: &Names<'_>, out: &mut Vec<Diagnostic>) {
    let document = subject.document;
    if document.placement.kind != Kind::Lab || subject.main_file.is_none() {
        return;
    }
    let files = names.files_of(subject);
    let languages: HashSet<_> = files.keys().filter_map(|path| highlight::by_path(path, "")).collect();
    let run = document.front.lab.as_ref().and_then(|lab| lab.starter.run.as_ref()).map_or("", |run| &run.value);
    let quoted: HashSet<&str> = files.keys().flat_map(|path| identifiers(path)).chain(identifiers(run)).collect();
    let is_grounded = |name: &str| {
        let is_in_file = || files.values().flatten().any(|file| file.has_identifier(name));
        quoted.contains(name) || names.common.contains(name) || is_in_file()
    };
    let is_known = |name: &str| {
        is_grounded(name) || common::is_common(name) || languages.iter().any(|&one| common::is_word_of(one, name))
    };
    out.extend(run_of_nothing(subject, &files));
    let mut seen = HashSet::new();
    let mut prose = None;
    for (code, span) in spans(document) {
        let is_prose = common::is_prose(document.source.text(), &span);
        let is_reported =
            |end: usize| !document.source.text().get(end..span.start).is_none_or(|gap| gap.contains("\n\n"));
        if is_prose && prose.replace(span.end).is_some_and(is_reported) {
            continue;
        }
        // Of a path such as `a.b.c`, the other names are unknown because the first one is.
        let paths = common::claims(&code, is_grounded).flat_map(|word| word.split(|c| !is_of_path(c)));
        let unknown = paths.filter_map(|path| identifiers(path).find(|name| !is_known(name)));
        for name in unknown.take(if is_prose { 1 } else { usize::MAX }) {
            if !seen.insert(name.to_owned()) {
                continue;
            }
            let near = (seen.len() <= SUGGESTED).then(|| near(name, &files)).flatten();
            let message = format!("`{name}` is in none of this lab's starter files");
            out.push(
                at(document, span.clone(), codes::UNGROUNDED, message)
                    .instead(&document.source, name, near)
                    .help("quote the code as it is; add a name from elsewhere to `words:` in `content/site.yaml`")
                    .fix(names.fix(name)),
            );
        }
    }
}

/// Returns the code spans of a page that are not bindings of notes.
fn spans(document: &Document) -> impl Iterator<Item = (CowStr<'_>, Span)> {
    let notes = document.body.excerpts.iter().flat_map(|excerpt| &excerpt.notes);
    let anchors =
        notes.flat_map(|note| &note.bindings).flat_map(|binding| std::iter::once(&binding.from).chain(&binding.to));
    let bound: HashSet<usize> = anchors.map(Anchor::event).collect();
    document.body.events.iter().enumerate().filter_map(move |(index, (event, span))| match event {
        Event::Code(code) if !bound.contains(&index) => Some((code, span)),
        _ => None,
    })
}

/// Returns the nearest name in the files of a lab.
fn near<'a>(name: &str, files: &Files<'a>) -> Option<Near<'a>> {
    // The files of a folder share most of their names.
    let names: BTreeSet<&str> = files.values().flatten().flat_map(|file| identifiers(file.text())).collect();
    similar(name, names).map(|near| Near::unsure(near.name))
}
