//! Writes translations: a new one, in which every block is quoted and empty, and what `sync` brings up to date in one: quotes
//! of blocks that have moved or of which only a link has changed, quotes that are missing, and those that the author accepts.

use std::ops::Range;
use std::sync::Arc;

use super::sync::Accept;
use infralens_course::config::Languages;
use infralens_page::blocks::{self, Block};
use infralens_page::translation::{self, pairing::Pair, quote};
use infralens_page::{Document, Translation};
use infralens_site::Site;
use infralens_source::change::{Change, Refusal};
use infralens_source::project::Project;
use infralens_source::source::{Source, Span};

/// What was, or could be, changed in a translation.
#[derive(Debug)]
pub struct Synced {
    pub change: Change,
    /// The lines of what was accepted, from 1, and what was done there.
    pub accepted: Vec<(Range<usize>, &'static str)>,
    /// The numbers of quotes that follow their blocks, and of new ones.
    pub followed: usize,
    pub added: usize,
}

/// A new translation of a page.
#[derive(Debug)]
pub struct Created {
    pub change: Change,
    /// What was left in comments of a translation that existed: its file and line, from 1, and why.
    pub left: Vec<(Arc<str>, usize, String)>,
}

/// Plans a new translation of the page at a path. Quotes are put into one that exists without them, beside the page or at its
/// path in `from`.
///
/// # Errors
///
/// If there is no such language or page, or the translation has quotes.
pub fn create(site: &Site, tag: &str, path: &str, from: Option<&Project>) -> Result<Created, Refusal> {
    let at = language(&site.config().languages, tag)?;
    let documents = site.documents();
    let Some(document) = documents.get(path) else {
        return Err(Refusal::new(format!("`{path}` cannot be read")));
    };
    let new = site.config().languages.path(path, at).unwrap_or_default();
    let exists = site.project().files.contains_key(new.as_str());
    let beside =
        site.project().text(&new).filter(|beside| !beside.text().contains(translation::OPEN) && from.is_none());
    if exists && beside.is_none() {
        return Err(Refusal::new(format!("`{new}` exists")).help("`infralens sync` adds the quotes that it lacks"));
    }
    let Some(source) = beside.or_else(|| from?.text(path)) else {
        if from.is_some() {
            return Err(Refusal::new(format!("`{path}` is not in the other course, or cannot be read")));
        }
        let blocks = blocks::blocks(&document.source, &document.body);
        let quotes = blocks.iter().filter(|block| block.has_words).map(|block| format!("\n{}", quote(&block.quoted)));
        let text = translation::scaffold(document, None) + &quotes.collect::<String>();
        return Ok(Created { change: Change::Create { path: new.into(), text }, left: Vec::new() });
    };
    let translation::Existing { text, left } = translation::existing(document, source);
    let left = left.into_iter().map(|(line, why)| (Arc::clone(source.path()), line, why)).collect();
    let change = match beside {
        Some(source) => Change::Replace { source: Arc::clone(source), text },
        None => Change::Create { path: new.into(), text },
    };
    Ok(Created { change, left })
}

/// Returns the pages that have no translation into a language, and another text in the project `from`.
///
/// # Errors
///
/// If the course has no such language.
pub fn translated_in(site: &Site, tag: &str, from: &Project) -> Result<Vec<Arc<str>>, Refusal> {
    let languages = &site.config().languages;
    let at = language(languages, tag)?;
    let is_new =
        |path: &str| !languages.path(path, at).is_some_and(|new| site.project().files.contains_key(new.as_str()));
    let pages = site.subjects().map(|subject| &subject.document.source).filter(|page| is_new(page.path()));
    let other = pages.filter(|page| {
        from.files.contains_key(page.path()) && from.text(page.path()).is_none_or(|other| other.text() != page.text())
    });
    Ok(other.map(|page| Arc::clone(page.path())).collect())
}

/// Returns the number of a language of the course.
///
/// # Errors
///
/// If the course has no such language.
pub fn language(languages: &Languages, tag: &str) -> Result<usize, Refusal> {
    languages.tags().position(|known| *known.value == *tag).ok_or_else(|| {
        let tags = languages.tags().map(|known| format!("`{}`", &*known.value)).collect::<Vec<_>>().join(", ");
        let refusal = Refusal::new(format!("`{tag}` is not among the languages of the course"));
        refusal.help(if tags.is_empty() {
            "name it under `languages:` in `content/site.yaml`".to_owned()
        } else {
            format!("these are {tags}; `languages:` in `content/site.yaml` names them")
        })
    })
}

/// Brings the translations of a course up to date.
pub fn sync(site: &Site, accept: &Accept) -> Vec<Synced> {
    let documents = site.documents();
    let translations = site.languages().flat_map(|(_, site)| site.translations());
    translations.filter_map(|(path, translation)| synced(documents.get(path)?, translation, accept)).collect()
}

/// A part of a translation that is moved as a whole: a quote with what translates it.
struct Chunk {
    text: String,
    /// The block of the page that it belongs to; that of the chunk before it if it is gone.
    block: Option<usize>,
}

fn synced(page: &Document, translation: &Translation, accept: &Accept) -> Option<Synced> {
    let source = &translation.source;
    let starts: Vec<usize> = translation.units.iter().map(|unit| unit.quote.start).collect();
    let first = *starts.first().unwrap_or(&source.text().len());
    let (mut accepted, mut followed, mut chunks) = (Vec::new(), 0, Vec::<Chunk>::new());
    let mut at = 0;
    while at < translation.units.len() {
        // Several units may have one quote.
        let units = at..at + starts[at..].iter().take_while(|start| **start == starts[at]).count();
        let span = starts[at]..starts.get(units.end).copied().unwrap_or(source.text().len());
        at = units.end;
        let is_accepted = matches!(accept, Accept::Locations(_)) && accept.covers(source, &span);
        let (text, done) = chunk(page, translation, units.clone(), &span, is_accepted);
        let lines = source.position(span.start).line..source.position(span.end).line;
        let block = translation.units[units].iter().find_map(|unit| unit.pair).map(|(block, _)| block);
        match done {
            Done::Nothing => {}
            Done::Followed => followed += 1,
            Done::Accepted => accepted.push((lines, "accepted")),
            Done::Removed => {
                accepted.push((lines, "removed"));
                continue;
            }
        }
        let block = block.or_else(|| chunks.last().and_then(|before| before.block));
        chunks.push(Chunk { text, block });
    }
    let (head, texts) = front(translation, &source.text()[..first], accept);
    accepted.extend(texts.into_iter().map(|line| (line..line + 1, "accepted")));
    let is_ordered = chunks.is_sorted_by_key(|chunk| chunk.block);
    chunks.sort_by_key(|chunk| chunk.block);
    let missing: Vec<usize> = (0..translation.page_blocks.len())
        .filter(|&block| translation.page_blocks[block].has_words && translation.of_block[block].is_none())
        .collect();
    for &block in &missing {
        let place = chunks.partition_point(|chunk| chunk.block.is_none_or(|known| known < block));
        chunks.insert(place, Chunk { text: quote(&translation.page_blocks[block].quoted), block: Some(block) });
    }
    if is_ordered && missing.is_empty() && followed == 0 && accepted.is_empty() {
        return None;
    }
    let mut text = head.trim_end().to_owned() + "\n";
    for chunk in &chunks {
        text.extend(["\n", chunk.text.trim_end(), "\n"]);
    }
    let change = Change::Replace { source: Arc::clone(source), text };
    Some(Synced { change, accepted, followed: followed + usize::from(!is_ordered), added: missing.len() })
}

enum Done {
    Nothing,
    Followed,
    Accepted,
    Removed,
}

/// Returns the text of a quote with what translates it, brought up to date.
fn chunk(
    page: &Document,
    translation: &Translation,
    units: Range<usize>,
    span: &Span,
    is_accepted: bool,
) -> (String, Done) {
    let source = &translation.source;
    let text = source.text()[span.clone()].to_owned();
    let units = &translation.units[units];
    if is_accepted && units.iter().all(|unit| unit.pair.is_none()) {
        return (String::new(), Done::Removed);
    }
    let [unit] = units else { return (text, Done::Nothing) };
    let Some((block, pair)) = unit.pair else { return (text, Done::Nothing) };
    let block = &translation.page_blocks[block];
    let own = &text[unit.quote.len()..];
    let with = |own: &str| quote(&block.quoted).trim_end().to_owned() + own;
    match pair {
        Pair::Similar | Pair::Placed if is_accepted => (with(own), Done::Accepted),
        Pair::Mechanical => match retargeted(page, block, &unit.text, own) {
            Some(own) => (with(&own), Done::Followed),
            None => (text, Done::Nothing),
        },
        _ => (text, Done::Nothing),
    }
}

/// Returns a translation with the targets that the links of its source have now; `None` if one does not stand there once.
fn retargeted(page: &Document, block: &Block, quoted: &str, own: &str) -> Option<String> {
    let now = translation::targets(page, &block.quoted);
    let before = translation::targets(page, quoted);
    let mut own = own.to_owned();
    if now.len() != before.len() {
        return None;
    }
    for (old, new) in before.iter().zip(&now).filter(|(old, new)| old != new) {
        let (old, new) = (format!("({old}"), format!("({new}"));
        if own.matches(&old).count() != 1 {
            return None;
        }
        own = own.replacen(&old, &new, 1);
    }
    Some(own)
}

/// Returns the front matter with the quotes that are accepted, and their lines.
fn front(translation: &Translation, head: &str, accept: &Accept) -> (String, Vec<usize>) {
    let source: &Source = &translation.source;
    let stale = translation.texts.list.iter().filter(|text| text.is_stale());
    let accepted = stale.filter_map(|text| {
        let (_, span) = text.quoted.as_ref()?;
        let is_meant = matches!(accept, Accept::Locations(_)) && accept.covers(source, span);
        is_meant.then(|| (span.clone(), text.current.clone()))
    });
    let accepted: Vec<(Span, String)> = accepted.collect();
    let lines = accepted.iter().map(|(span, _)| source.position(span.start).line).collect();
    (infralens_source::source::edited(head, accepted), lines)
}
