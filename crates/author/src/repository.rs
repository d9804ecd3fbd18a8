//! Compares the excerpts in Markdown files of any repository, and their links to lines, with their files. There is no
//! course: paths are relative to the folder of the Markdown file, and of a file only its excerpts and links into code are
//! read, because the rest of its syntax belongs to the tool that publishes it.
//!
//! 1. [`Documents::parse`] parses Markdown files, and [`Documents::named`] lists the files that they name;
//! 2. [`Documents::compare`] compares both, once those files are read.

mod links;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use infralens_course::config::Config;
use infralens_course::course::{Course, starter, url};
use infralens_course::references::References;
use infralens_page::{self as document, Document, Excerpt, Glossary, placement};
use infralens_render::figures::PageValues;
use infralens_render::{self as render, Context, Facts, ResolvedPage, Subject, moved};
use infralens_site::{Drifts, Scope, UnreadableFiles, not_text};
use infralens_source::diag::{self, Diagnostic, Near, Place, Severity, codes, hidden};
use infralens_source::project::{File, Project};
use infralens_starter::Listing;
use infralens_starter::excerpt::is_omission;
use infralens_starter::moved::CodeIndex;

/// Parsed Markdown files, and the diagnostics of parsing them.
#[derive(Debug, Default)]
pub struct Documents {
    documents: Vec<Document>,
    diagnostics: Vec<Diagnostic>,
}

/// The result of [`Documents::compare`].
#[derive(Debug, Default)]
pub struct Comparison {
    /// The pins and links that differ from their files, by the path of the Markdown file.
    pub drifts: Drifts,
    /// All diagnostics, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The Markdown files with an excerpt that could not be compared because of an error.
    pub uncompared: BTreeSet<Arc<str>>,
    pub excerpts: usize,
    /// The paths, from the root, of the files that do not have the code of an excerpt, so that it was searched for in others.
    pub lost: BTreeSet<String>,
    /// The number of links to lines, regions and symbols.
    pub links: usize,
}

/// What only a course has.
#[derive(Default)]
struct Nothing {
    config: Config,
    course: Course,
    references: References,
    glossary: Glossary,
    values: BTreeMap<Arc<str>, Arc<PageValues>>,
    tracks_with_calculators: BTreeSet<Option<usize>>,
}

impl Nothing {
    fn context<'a>(
        &'a self,
        project: &'a Project,
        listings: &'a BTreeMap<Arc<str>, Arc<Listing>>,
        code: &'a CodeIndex,
    ) -> Context<'a> {
        let Self { config, course, references, glossary, values, tracks_with_calculators } = self;
        let marks = None;
        Context {
            config,
            course,
            project,
            references,
            glossary,
            listings,
            values,
            tracks_with_calculators,
            code,
            marks,
        }
    }
}

/// Whether a text can contain an excerpt.
pub fn may_have_excerpts(text: &str) -> bool {
    text.contains("file=")
}

/// Whether a text can contain a link into a file. A file with neither such a link nor an excerpt is not parsed, and nothing
/// is reported for it.
pub fn may_have_links(text: &str) -> bool {
    let is_after_path = |at: usize| text[..at].ends_with(|c: char| c.is_alphanumeric() || "/_-.>)".contains(c));
    text.match_indices('#').any(|(at, _)| is_after_path(at) && !text[at + 1..].starts_with(char::is_whitespace))
}

/// Whether a text can contain a code fence or a citation of lines, such as `src/queue.rs:12`.
pub fn may_have_copies(text: &str) -> bool {
    let is_number = |at: usize| text[at + 1..].starts_with(|c: char| c == 'L' || c.is_ascii_digit());
    text.contains("```") || text.contains("~~~") || text.match_indices([':', '#']).any(|(at, _)| is_number(at))
}

/// Whether a name in a path from the root of a repository begins with a dot. Such files hold settings and secrets, and are
/// not read, so that a page cannot show them.
pub fn is_hidden(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with('.'))
}

impl Documents {
    /// Parses the Markdown files at `paths`.
    pub fn parse(project: &Project, paths: &[Arc<str>]) -> Self {
        let mut parsed = Self { documents: Vec::new(), diagnostics: project.diagnostics.clone() };
        for path in paths {
            match project.files.get(path) {
                Some(File::Text(source)) => {
                    let (document, diagnostics) = document::parse(source, placement::outside(path));
                    parsed.documents.push(document);
                    if may_have_excerpts(source.text()) {
                        let diagnostics = diagnostics.into_iter().filter(concerns_excerpts);
                        parsed.diagnostics.extend(diagnostics.map(downgrade_doubtful_excerpt));
                    }
                }
                Some(File::Binary(binary)) => parsed.diagnostics.push(not_text(path, binary)),
                Some(File::Refused(_)) | None => {}
            }
        }
        parsed
    }

    /// Returns the paths of the files that excerpts show and that links name, from the root of the repository, each with the
    /// Markdown file that names it.
    pub fn named(&self) -> BTreeSet<(String, &str)> {
        let shown = self.excerpts().flat_map(|(subject, excerpt)| {
            excerpt.files().filter_map(move |file| {
                let (typed, path) = (&file.path, subject.document.source.path());
                Some((subject.named(typed).ok().or_else(|| absolute(typed))?, &**path))
            })
        });
        let of_links = |document| links::named(document).map(|named| (named.path, &**document.source.path()));
        shown.chain(self.documents.iter().flat_map(of_links)).collect()
    }

    /// Returns the documents.
    pub fn subjects(&self) -> impl Iterator<Item = Subject<'_>> {
        self.documents.iter().map(|document| Subject { document, page: None, main_file: None })
    }

    fn excerpts(&self) -> impl Iterator<Item = (Subject<'_>, &Excerpt)> {
        self.subjects().flat_map(|subject| subject.document.body.excerpts.iter().map(move |excerpt| (subject, excerpt)))
    }

    /// Returns whether a file of `project` is missing or has not all lines of an excerpt, which may then be in another file.
    pub fn may_have_lost_code(&self, project: &Project) -> bool {
        let mut known: BTreeMap<String, Option<HashSet<&str>>> = BTreeMap::new();
        self.excerpts().any(|(subject, excerpt)| {
            let Ok(path) = subject.named(&excerpt.file.path) else { return false };
            let lines = known.entry(path).or_insert_with_key(|path| {
                project.text(path).map(|source| source.text().lines().map(str::trim).collect())
            });
            let is_code = |line: &&str| !line.is_empty() && !is_omission(&excerpt.file.path, line);
            let mut pinned = excerpt.pin.lines().map(str::trim).filter(is_code);
            pinned.any(|line| lines.as_ref().is_none_or(|lines| !lines.contains(line)))
        })
    }

    /// Compares the excerpts with the files of `project`.
    pub fn compare(&self, project: &Project) -> Comparison {
        let mut result = Comparison { excerpts: self.excerpts().count(), ..Comparison::default() };
        let code = CodeIndex::default();
        let listings = self.listings(project, &code, &mut result);
        let nothing = Nothing::default();
        let cx = nothing.context(project, &listings, &code);
        for document in &self.documents {
            let (excerpts, diagnostics) = render::compare(cx, Subject { document, page: None, main_file: None });
            result.drifts.excerpts.extend(excerpts.drifts);
            result.lost.extend(excerpts.lost);
            let path = document.source.path();
            result.diagnostics.extend(
                diagnostics
                    .into_iter()
                    .map(downgrade_doubtful_excerpt)
                    .map(|diagnostic| with_path(upgrade_empty_fence(diagnostic), path)),
            );
            result.diagnostics.extend(hidden_in_excerpts(document));
            if !excerpts.is_complete {
                result.uncompared.insert(Arc::clone(document.source.path()));
            }
        }
        let mut listings = listings.clone();
        for document in &self.documents {
            let links::Checked { drifts, diagnostics, links } = links::check(document, project, &mut listings);
            let path = document.source.path();
            result.drifts.links.extend(drifts);
            result.diagnostics.extend(diagnostics.into_iter().map(|diagnostic| with_path(diagnostic, path)));
            result.links += links;
        }
        result
            .drifts
            .excerpts
            .sort_by(|one, other| (one.page.path(), one.excerpt).cmp(&(other.page.path(), other.excerpt)));
        result.diagnostics.extend(self.diagnostics.iter().cloned());
        diag::sort(&mut result.diagnostics);
        result
    }

    /// Calls `work` with the documents and the code that their excerpts show in the files of `project`.
    pub fn with_pages<T>(&self, project: &Project, work: impl FnOnce(&[ResolvedPage<'_>]) -> T) -> T {
        let code = CodeIndex::default();
        let listings = self.listings(project, &code, &mut Comparison::default());
        let nothing = Nothing::default();
        let cx = nothing.context(project, &listings, &code);
        let facts: Vec<Facts> = self.subjects().map(|subject| render::compare(cx, subject).0.into_facts()).collect();
        let pages = self.subjects().zip(&facts).map(|(subject, facts)| ResolvedPage { cx, subject, facts });
        work(&pages.collect::<Vec<_>>())
    }

    /// Parses the files that excerpts show, and reports those that are missing or cannot be read.
    fn listings(
        &self,
        project: &Project,
        code: &CodeIndex,
        result: &mut Comparison,
    ) -> BTreeMap<Arc<str>, Arc<Listing>> {
        let Comparison { diagnostics, lost, .. } = result;
        let mut found = BTreeMap::new();
        let mut unreadable = UnreadableFiles::default();
        let files =
            self.excerpts().flat_map(|(subject, excerpt)| excerpt.files().map(move |file| (subject, excerpt, file)));
        for (subject, excerpt, named) in files {
            let source = &subject.document.source;
            let place = |span: &infralens_source::source::Span| source.place(span.clone());
            match subject.named(&named.path) {
                Ok(path) => match unreadable.find(project, Scope::Repository, &path, place(&named.path_span)) {
                    Ok(file) => found.extend(file.map(|file| (Arc::clone(file.path()), file))),
                    Err(mut diagnostic) => {
                        // A path that was written from another folder is named by itself.
                        let is_file = |meant: String| project.files.contains_key(meant.as_str());
                        let is_elsewhere = starter::from_above(source.path(), &path).any(is_file);
                        let is_shown = std::ptr::eq(named, &raw const excerpt.file);
                        if diagnostic.code == codes::E0302 && !is_elsewhere && is_shown {
                            moved::find(code, project, subject, excerpt, &path).explain(&mut diagnostic, true);
                            lost.extend(Some(path).filter(|_| !excerpt.pin.trim().is_empty()));
                        }
                        diagnostics.push(*diagnostic);
                    }
                },
                Err(error) => {
                    let meant = absolute(&named.path).filter(|path| project.files.contains_key(path.as_str()));
                    let near = meant.map(|meant| url::relative(source.path(), &meant));
                    let error = path_error(error, &named.path, place(&named.span));
                    diagnostics.push(error.instead(source, &named.path, near.map(Near::unsure)));
                }
            }
        }
        for document in &self.documents {
            unreadable.empty(Subject { document, page: None, main_file: None }, &found);
        }
        found.retain(|path, _| !unreadable.0.contains_key(path));
        diagnostics.extend(unreadable.0.into_values());
        let mut listings = BTreeMap::new();
        for (path, source) in found {
            let (listing, problems) = Listing::new(&source);
            diagnostics.extend(hidden::in_code(listing.source()).into_iter().map(|it| listing.placed(it)));
            if !listing.is_unread() {
                listings.insert(path, Arc::new(listing));
            }
            diagnostics.extend(problems);
        }
        listings
    }
}

/// Reports characters that make an excerpt or its notes look like others.
fn hidden_in_excerpts(document: &Document) -> Vec<Diagnostic> {
    let (source, excerpts) = (&document.source, &document.body.excerpts);
    let code = document::text::code_spans(&document.body);
    let mut found = hidden::find(source.text(), |at| document::contains(&code, at));
    found.retain(|hidden| {
        let next = excerpts.partition_point(|excerpt| excerpt.head.start <= hidden.range.start);
        let excerpt = next.checked_sub(1).and_then(|index| excerpts.get(index));
        excerpt.is_some_and(|excerpt| {
            hidden.range.end <= excerpt.notes.last().map_or(excerpt.block.end, |note| note.span.end)
        })
    });
    hidden::report(source, 0, &found)
}

/// Returns the path that is meant by `/x` if it was written from the root of the repository.
fn absolute(path: &str) -> Option<String> {
    url::join("", path.strip_prefix('/')?).filter(|path| !path.is_empty())
}

/// Adds the path of the Markdown file to the commands that a diagnostic suggests, quoted for a shell if necessary.
fn with_path(mut diagnostic: Diagnostic, path: &str) -> Diagnostic {
    let is_plain = path.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c));
    let quoted = if is_plain { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) };
    for help in &mut diagnostic.help {
        *help = help.replace(&format!("--accept {path}"), &format!("--accept {quoted}"));
        *help = help.replace("`infralens sync", &format!("`infralens sync {quoted}"));
    }
    diagnostic
}

fn path_error(error: starter::PathError, path: &str, place: Place) -> Diagnostic {
    const HELP: &str = "write the path from the folder of this file, as in `file=../src/main.rs#region`";
    match error {
        starter::PathError::Outside if path.contains('\\') => {
            Diagnostic::new(codes::E0303, place, format!("`{path}` has a backslash"))
                .help(format!("write `/` between folders: `{}`", path.replace('\\', "/")))
        }
        starter::PathError::Outside => {
            Diagnostic::new(codes::E0303, place, format!("`{path}` leads out of the repository")).help(HELP)
        }
        starter::PathError::NoOwnFolder => {
            Diagnostic::new(codes::E0314, place, "only a lab has its own starter").help(HELP)
        }
    }
}

/// Turns `E0210`, for text that looks like an excerpt but is shown as plain text, into a warning: it may be an example, or
/// valid in the Markdown of another tool, such as in an admonition that is indented by four spaces. So is `E0211`: many texts
/// have a paragraph between code and a list about it.
fn downgrade_doubtful_excerpt(diagnostic: Diagnostic) -> Diagnostic {
    let is_doubtful = [codes::E0210, codes::E0211].contains(&diagnostic.code);
    Diagnostic { severity: if is_doubtful { Severity::Warning } else { diagnostic.severity }, ..diagnostic }
}

/// Turns `W0302`, an empty fence with notes, which is a hint in a course, into a warning: outside a course nothing fills the
/// fence, so readers would see it empty.
fn upgrade_empty_fence(diagnostic: Diagnostic) -> Diagnostic {
    let is_empty = diagnostic.code == codes::W0302;
    Diagnostic { severity: if is_empty { Severity::Warning } else { diagnostic.severity }, ..diagnostic }
}

/// Whether a diagnostic of a parsed file is about its excerpts. Other syntax, such as further attributes of a fence, has a
/// meaning for another tool.
fn concerns_excerpts(diagnostic: &Diagnostic) -> bool {
    let of_fences = [codes::E0201, codes::E0207, codes::E0209, codes::E0210, codes::E0211];
    let is_of_notes = diagnostic.code.id[1..].starts_with("03");
    is_of_notes || diagnostic.severity == Severity::Error && of_fences.contains(&diagnostic.code)
}
