//! Builds the contexts of starter files and their folders.

use tera::Value;

use super::context::{
    Fact, Folder, FolderFile, Note, Page, Place, Starter, StarterCell, StarterCode, Typeset, TypesetBlock,
};
use super::shared::{self, Shared};
use super::{Input, page, page_body, reading_list};
use infralens_course::course::link::{self, From, Target};
use infralens_course::course::{PageId, starter as paths, url};
use infralens_page::Kind;
use infralens_page::front_matter::Upstream;
use infralens_render::note_layout::Breadth;
use infralens_render::page as render;
use infralens_render::page::{AnnotatedStarter, Shown, ShownCell};
use infralens_render::starter::annotate_starter;
use infralens_render::typeset::{self as render_typeset, heading_id};
use infralens_render::{ResolvedPage, excerpt};
use infralens_source::project::File;
use infralens_source::selector::Selector;
use infralens_source::source::Source;
use infralens_starter::Listing;

/// Builds the context of a starter file's page.
pub fn starter<'a>(shared: &'a Shared<'a>, starter: &'a render::Starter, listing: &Listing) -> Page<'a> {
    let readers = starter.readers.iter().filter_map(|&page| Some((page, *shared.source(page)?)));
    let readmes: Vec<ResolvedPage<'_>> = starter.readmes.iter().map(|&at| shared.input.readmes[at]).collect();
    let breadth = Breadth::of((0..listing.line_count()).map(|line| listing.line(line)));
    let resolve = |target: &str| resolve(shared, &starter.path, target);
    let annotated = annotate_starter(shared.config(), listing, &readers.collect::<Vec<_>>(), &readmes, &resolve);
    let name = url::file_name(&starter.path);
    let home = home(shared, &starter.readers);
    let below = starter.path.strip_prefix("code/").unwrap_or(&starter.path);
    let own: Vec<PageId> =
        shared.published(&starter.readers).filter(|&page| is_main(shared, page, &starter.path)).collect();
    let mut page = in_code(shared, &paths::page_url(&starter.path), name, home);
    page.crumbs.push(shared::folder_of(shared.config(), &starter.path));
    page.crumbs.push(Place::text(name));
    Page {
        kind: "starter",
        document_title: shared.names.document_title(below, None),
        label: Some(shared.labels().starter.clone()),
        edit_url: shared.config().edit_url(&starter.path),
        report_url: page::report_url(shared, &paths::page_url(&starter.path), name, &listing.identity()),
        facts: facts(shared, listing, &own, starter),
        is_broad: breadth == Breadth::Broadest,
        starter: Some(code(shared, starter, listing, annotated, &own, breadth)),
        ..page
    }
}

/// Builds what the pages of files and of folders have in common.
fn in_code<'a>(shared: &'a Shared<'a>, url: &str, title: &str, home: Option<PageId>) -> Page<'a> {
    Page {
        document_title: shared.names.document_title(title, None),
        title: title.into(),
        heading: title.into(),
        description: description(shared, home),
        column: true,
        crumbs: crumbs(shared, home),
        within: home.map(|page| shared.names.url(page)),
        languages: Vec::new(),
        ..page::in_track(shared, url, track_of(shared, home), home)
    }
}

/// Returns the file with its notes, and the pages that name it; `own` are the labs whose main file it is.
fn code(
    shared: &Shared<'_>,
    starter: &render::Starter,
    listing: &Listing,
    annotated: AnnotatedStarter<'_>,
    own: &[PageId],
    breadth: Breadth,
) -> Starter {
    let explains = |page: &PageId| annotated.notes.iter().any(|(explaining, ..)| explaining == page);
    let (explaining, mentioning): (Vec<PageId>, Vec<PageId>) = starter.readers.iter().partition(|page| explains(page));
    let base = Starter {
        listing: Value::safe_string(""),
        cells: Vec::new(),
        breadth: breadth.classes(),
        typeset: None,
        classes: String::new(),
        list_classes: String::new(),
        raw: url::encode(&paths::raw_url(&starter.path)),
        folder: shared::folder_of(shared.config(), &starter.path),
        skips: false,
        explained_in: shared.links(&explaining),
        mentioned_in: shared.links(&mentioning),
        run: runs(shared, own, &starter.path),
        notes: Vec::new(),
    };
    shown(shared, listing, annotated, base)
}

/// Adds what shows the file and its notes.
fn shown(shared: &Shared<'_>, file: &Listing, annotated: AnnotatedStarter<'_>, base: Starter) -> Starter {
    let AnnotatedStarter { shown, notes } = annotated;
    match shown {
        Shown::Listing { html, layout, skips } => Starter {
            listing: Value::safe_string(&html),
            classes: layout.figure_classes(),
            list_classes: layout.list_classes(),
            skips,
            notes: (1..)
                .zip(&notes)
                .map(|(place, note)| self::note(shared, file, layout.note_classes(place - 1), place, note))
                .collect(),
            ..base
        },
        Shown::Typeset(typeset) => Starter { typeset: Some(self::typeset(shared, file, typeset, &notes)), ..base },
        Shown::Notebook(cells) => {
            Starter { cells: cells.into_iter().map(|shown| cell(shared, file, shown, &notes)).collect(), ..base }
        }
    }
}

fn cell(shared: &Shared<'_>, file: &Listing, cell: ShownCell, all: &[ShownNote<'_>]) -> StarterCell {
    let (label, html, layout, breadth, skips, notes, output) = match cell {
        ShownCell::Text(html) => return StarterCell { text: Value::safe_string(&html), code: None },
        ShownCell::Code { label, html, layout, breadth, skips, notes, output } => {
            (label, html, layout, breadth, skips, notes, output)
        }
    };
    let note = |at: usize| self::note(shared, file, layout.note_classes(at - notes.start), at + 1, &all[at]);
    let code = StarterCode {
        title: label,
        listing: Value::safe_string(&html),
        breadth: breadth.classes(),
        classes: layout.figure_classes(),
        list_classes: layout.list_classes(),
        skips,
        first: notes.start + 1,
        notes: notes.clone().map(note).collect(),
        output: Value::safe_string(&output),
    };
    StarterCell { text: Value::safe_string(""), code: Some(code) }
}

/// A note with its page.
type ShownNote<'a> = (PageId, &'a render::Explanation, render::NoteHtml);

fn typeset(shared: &Shared<'_>, file: &Listing, typeset: render_typeset::Typeset, notes: &[ShownNote<'_>]) -> Typeset {
    let labels = shared.labels();
    let block = |block: render_typeset::TypesetBlock| TypesetBlock {
        open: Value::safe_string(&block.open),
        html: Value::safe_string(&block.html),
        source: Value::safe_string(&block.source),
        notes: (block.notes.clone())
            .map(|at| note(shared, file, block.layout.note_classes(at - block.notes.start), at + 1, &notes[at]))
            .collect(),
        first: block.notes.start + 1,
        list_classes: block.layout.list_classes(),
        close: Value::safe_string(&block.close),
    };
    Typeset {
        blocks: typeset.blocks.into_iter().map(block).collect(),
        has_title: typeset.has_title,
        notes: match notes.len() {
            0 => String::new(),
            count => labels.notes_counted.with(count),
        },
        text: typeset.text,
    }
}

/// Returns where a link of a Markdown starter leads; `None` if the site has nothing there.
fn resolve(shared: &Shared<'_>, path: &str, target: &str) -> Option<String> {
    let cx = shared.input.cx;
    let own = paths::page_url(path);
    let from = From { path, headings: &[], html_ids: &[], own: None };
    let to = |page: &str| Some(url::relative(&own, page));
    match link::resolve(cx.course, cx.project, from, target).ok()? {
        Target::External(url) => Some(url),
        Target::Page { page, heading } => {
            let page = Some(page).filter(|&page| cx.course.pages[page].published)?;
            let heading = heading.map_or_else(String::new, |heading| format!("#{heading}"));
            Some(url::relative(&own, &cx.course.pages[page].url) + &heading)
        }
        Target::Code { path, selector } => {
            let listing = cx.listings.get(path.as_str())?;
            shared.input.starter(&path)?;
            let fragment = selector.map_or_else(|| Some(String::new()), |selector| anchor(listing, &selector))?;
            Some(url::relative(&own, &paths::page_url(&path)) + &fragment)
        }
        Target::Folder(folder) => {
            shared.input.folder(&folder)?;
            to(&paths::folder_url(&folder))
        }
        Target::Generated(page) => to(page),
        Target::Here(_) | Target::File { .. } | Target::Unknown => None,
    }
}

/// Returns the fragment that leads to lines, a region or a symbol of a file, else to a heading of it.
fn anchor(listing: &Listing, selector: &Selector) -> Option<String> {
    if let Ok(mut lines) = listing.select(selector) {
        return lines.find(|&line| !listing.is_marker(line)).map(|line| format!("#{}", listing.line_id(line)));
    }
    let Selector::Region(name) = selector else { return None };
    heading_id(listing, name).map(|id| format!("#{id}"))
}

/// Builds the context of a folder's page.
pub fn folder<'a>(shared: &'a Shared<'a>, folder: &'a render::Folder) -> Page<'a> {
    // A folder that no lab has for its starter is where its files are named.
    let home = home(shared, &folder.labs).or_else(|| {
        let starters = shared.input.starters.iter().filter(|starter| url::folder(&starter.path) == &*folder.path);
        home(shared, &starters.flat_map(|starter| starter.readers.iter().copied()).collect::<Vec<_>>())
    });
    let readme = folder.readme.map(|at| &shared.input.readmes[at]);
    let mut page = in_code(shared, &paths::folder_url(&folder.path), &folder.title, home);
    page.crumbs.push(Place::text(&folder.title));
    let readme_path = format!("{}/README.md", folder.path);
    Page {
        kind: "folder",
        label: Some(shared.labels().starter_folder.clone()),
        edit_url: readme.and_then(|_| shared.config().edit_url(&readme_path)),
        report_url: readme
            .and_then(|_| page::report_url(shared, &paths::folder_url(&folder.path), &folder.title, &readme_path)),
        toc: readme.map(page::toc).unwrap_or_default(),
        body: readme.map(|readme| page_body::readme(shared, readme)).unwrap_or_default(),
        reading: readme
            .map(|readme| reading_list::reading_list(&shared.input, &readme.facts.reading))
            .unwrap_or_default(),
        styles: page_body::styles(Kind::Readme, &[], readme),
        folder: Some(Folder { labs: shared.links(&folder.labs), files: files(&shared.input, folder) }),
        ..page
    }
}

/// Returns the page under whose track a starter or folder is shown: the first lab, else the first page in a track.
fn home(shared: &Shared<'_>, pages: &[PageId]) -> Option<PageId> {
    let course = shared.course();
    let lab = shared.published(pages).find(|&page| course.pages[page].kind == Kind::Lab);
    lab.or_else(|| shared.published(pages).find(|&page| course.pages[page].track.is_some()))
}

/// Returns the summary of the page under whose track a starter or folder is shown, or the description of the course.
fn description<'a>(shared: &Shared<'a>, home: Option<PageId>) -> Option<&'a str> {
    let (course, config) = (shared.input.cx.course, shared.input.cx.config);
    home.and_then(|page| shared::summary(&course.pages[page])).or(config.tagline.as_deref())
}

fn track_of(shared: &Shared<'_>, home: Option<PageId>) -> Option<usize> {
    shared.course().pages[home?].track
}

fn crumbs(shared: &Shared<'_>, home: Option<PageId>) -> Vec<Place> {
    let (course, names) = (shared.course(), shared.names);
    match track_of(shared, home) {
        Some(track) => {
            let track = &course.tracks[track];
            [Some(track.page), track.labs_page].into_iter().flatten().map(|page| names.place(page)).collect()
        }
        None => vec![shared.home()],
    }
}

fn is_main(shared: &Shared<'_>, page: PageId, path: &str) -> bool {
    let page = &shared.course().pages[page];
    let lab = page.lab();
    lab.and_then(|lab| shared::main_file(page, lab)).is_some_and(|main| main == path)
}

fn facts(shared: &Shared<'_>, listing: &Listing, own: &[PageId], starter: &render::Starter) -> Vec<Fact> {
    let labels = shared.labels();
    let count = labels.omitted_lines.with(listing.line_count());
    let mut facts = vec![Fact { text: Some(count), ..Fact::default() }];
    for &page in own {
        let lab = shared.course().pages[page].lab();
        let kind = lab.map(|lab| lab.starter.kind.value.clone());
        if !facts.iter().any(|fact| fact.text == kind) {
            facts.push(Fact { text: kind, ..Fact::default() });
        }
    }
    facts.extend(upstream(shared, starter));
    facts
}

/// Says where a file is from: the repository, with its owner, the commit, and the license.
fn upstream(shared: &Shared<'_>, starter: &render::Starter) -> Option<Fact> {
    let (upstream, repository) = starter.readers.iter().find_map(|&page| {
        let (name, lab) = (shared.course().pages[page].name(), shared.course().pages[page].lab()?);
        let is_of = |upstream: &&Upstream| {
            let file = upstream.file.as_ref().or(lab.starter.file.as_ref());
            file.and_then(|file| paths::main_file(name, &file.value).ok()).as_deref() == Some(&*starter.path)
        };
        let upstream = lab.starter.upstreams().iter().find(is_of)?;
        Some((upstream, upstream.repository.as_ref()?))
    })?;
    let path = repository.trim_end_matches('/').trim_end_matches(".git");
    let mut names: Vec<&str> = path.split('/').rev().take(2).collect();
    names.reverse();
    // As git shortens them.
    let commit = upstream.commit.get(..7).unwrap_or(&upstream.commit);
    let license = upstream.license.as_ref().map(|license| format!(", {}", license.value)).unwrap_or_default();
    let text = Some(format!("{} @ {commit}{license}", names.join("/")));
    Some(Fact { text, url: upstream.permalink(), ..Fact::default() })
}

/// Returns the commands of labs that have a file for their main file: their `run`, else the first of their records that names
/// the file.
fn runs(shared: &Shared<'_>, own: &[PageId], path: &str) -> Vec<String> {
    let is_named = |run: &str| run.split_whitespace().any(|word| url::file_name(word) == url::file_name(path));
    let mut runs: Vec<String> = Vec::new();
    for lab in own.iter().filter_map(|&page| shared.course().pages[page].lab()) {
        // A record is only another way to call what `run` calls.
        let recorded = || lab.starter.record.0.iter().map(|(_, run)| run).find(|run| is_named(&run.value));
        let run = lab.starter.run.as_ref().or_else(recorded).map(|run| &run.value);
        runs.extend(run.filter(|run| !runs.contains(run)).cloned());
    }
    runs
}

fn note(
    shared: &Shared<'_>,
    file: &Listing,
    classes: String,
    place: usize,
    (page, found, text): &ShownNote<'_>,
) -> Note {
    let first = found.lines.first().cloned().unwrap_or(0..1);
    Note {
        id: format!("N{place}"),
        line: file.line_id(first.start),
        label: excerpt::note_link_label(shared.config(), file, place, &first),
        place,
        classes,
        reach: excerpt::line_ranges(&found.lines),
        number: found.number,
        page: shared.link(*page),
        url: format!("{}#{}", shared.names.url(*page), found.id),
        head: Value::safe_string(&text.head),
        html: Value::safe_string(&text.html),
    }
}

/// Returns the folders in a folder that have a page, then its files.
fn files(input: &Input<'_>, folder: &render::Folder) -> Vec<FolderFile> {
    let is_in = |path: &str| url::folder(path) == &*folder.path;
    let first = input.folders.partition_point(|known| known.path <= folder.path);
    let below = input.folders[first..].iter().take_while(|known| known.path.starts_with(&*folder.path));
    let folders = below.filter(|known| is_in(&known.path)).map(|known| FolderFile {
        name: format!("{}/", url::file_name(&known.path)),
        url: Some(url::encode(&paths::folder_url(&known.path))),
        lines: None,
    });
    let files = input.cx.project.below(&folder.path).filter(|(path, _)| is_in(path)).map(|(path, file)| FolderFile {
        name: url::file_name(path).into(),
        url: input.starter(path).map(|_| url::encode(&paths::page_url(path))),
        lines: if let File::Text(source) = file { Some(line_count(input, source)) } else { None },
    });
    folders.chain(files).collect()
}

/// Returns the number of lines of a file; of a notebook, those of its code.
fn line_count(input: &Input<'_>, source: &Source) -> usize {
    input.cx.listings.get(source.path()).map_or_else(|| source.line_count(), |listing| listing.line_count())
}
