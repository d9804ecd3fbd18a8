//! Finds where the pages of the newer site show the changes of a report, and writes their marks.
//!
//! A mark is written before the block, listing or note that has changed. Its parts are valid in any text, so that it can
//! be in a paragraph, an item or a cell. What is gone is marked before what follows it in both versions.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{Event, Tag};

use super::excerpts::Matches;
use super::lines::{self, Line, Sign};
use super::pages::{Pair, Pairs, View};
use super::{Change, Kind, Place, Report, blocks, format};
use infralens_course::config::labels::Labels;
use infralens_course::course::url;
use infralens_page::Kind as PageKind;
use infralens_render::escape;
use infralens_render::marks::{ListedChange, ListedPage, Marks, PageMarks};
use infralens_site::Site;
use infralens_source::put;
use infralens_source::source::shortened;

/// The length in bytes of the text by which the list of changes tells changed text apart.
const SAMPLE: usize = 60;

/// The places of a page where changes can be marked.
struct Places<'a> {
    view: View<'a>,
    /// The offset of each block, listing and note, and the event before which it is marked; sorted.
    starts: Vec<(usize, usize)>,
    /// The place in the older version of what is in both, and the event before which it is now; sorted.
    same: Vec<(usize, usize)>,
    old: View<'a>,
}

/// Returns the marks of a report about two sites.
pub fn marks(report: &Report, sites: [&Site; 2]) -> Marks {
    let [old, new] = sites.map(View::all);
    let pairs = Pairs::find(&old, &new);
    let mut by_page: BTreeMap<(bool, &str), Vec<&Change>> = BTreeMap::new();
    for change in &report.changes {
        let url = change.page.as_ref().map_or("", |page| &page.url);
        by_page.entry((url.is_empty(), url)).or_default().push(change);
    }
    let mut marks = Marks { title: format::summary(report), ..Marks::default() };
    let version: Arc<str> = format::short(&report.base).into();
    let labels = &sites[1].config().labels;
    for ((_, url), changes) in by_page {
        let pair = pairs.same.iter().find(|pair| pair.new.url() == url);
        let places = pair.map(|pair| Places::of_pair(pair, &pairs));
        let title = changes.first().and_then(|change| change.page.as_ref()).map_or("", |page| &page.title).to_owned();
        let url = Some(url.to_owned()).filter(|url| !url.is_empty() && sites[1].output(url).is_some());
        let known = marks.list.iter().map(|page| page.changes.len()).sum();
        let (mut page, changes) = of_page(changes, places.as_ref(), labels, known);
        if let Some(pair) = pair {
            page.lit = Matches::find(pair).lit(&version);
            marks.pages.insert(Arc::clone(pair.new.path()), page);
        }
        marks.list.push(ListedPage { title, url, changes });
    }
    let replaced = report.changes.iter().filter_map(|change| change.picture.as_ref());
    let old = |path: &Arc<str>| {
        Some((format!("static/{}", before(path)).into(), sites[0].project().files.get(path)?.clone()))
    };
    marks.files = replaced.filter_map(old).collect();
    marks
}

/// Returns the output path of a file of the course that is published as it is.
fn output_of(path: &str) -> &str {
    path.strip_prefix("content/").unwrap_or(path)
}

/// Returns the output path at which the marked site has a picture as it was. No folder of a course has this name by itself.
fn before(path: &str) -> String {
    format!("Before/{}", output_of(path))
}

/// Writes a picture as it was and as it is now.
fn pictures(path: &str, page: &str) -> String {
    let picture = |url: &str, alt| format!("<img src=\"{}\" alt=\"{alt}\">", url::relative_encoded(page, url));
    let (old, new) = (picture(&before(path), "before"), picture(output_of(path), "after"));
    format!("<span class=\"pictures\">{old}{new}</span>")
}

/// Returns the marks of a page, and its changes as they are listed, in the order of the page. Their ids are numbered after the
/// `known` ones.
fn of_page(
    changes: Vec<&Change>,
    places: Option<&Places<'_>>,
    labels: &Labels,
    known: usize,
) -> (PageMarks, Vec<ListedChange>) {
    let event = |change: &Change| places.and_then(|places| places.find(change));
    let mut in_order: Vec<(Option<usize>, &Change)> =
        changes.into_iter().map(|change| (event(change), change)).collect();
    in_order.sort_by_key(|(event, _)| *event);
    let (mut page, mut listed) = (PageMarks::default(), Vec::new());
    for (number, (event, change)) in in_order.into_iter().enumerate() {
        let id = format!("Change-{}", known + number + 1);
        let at_top = event.is_none().then(|| top(change, &id));
        if let Some((event, places)) = event.zip(places) {
            page.mark(event, &mark(change, &id, labels));
            let also = change.also.iter().filter_map(|&at| places.event(at));
            also.for_each(|at| page.mark(at, "<span class=\"change added\"></span>"));
        }
        listed.push(ListedChange { what: listed_as(change), id, at_top });
    }
    (page, listed)
}

impl<'a> Places<'a> {
    fn of_pair(pair: &Pair<'a>, pairs: &Pairs<'a>) -> Self {
        let body = &pair.new.document().body;
        let mut starts = blocks::places(&pair.new);
        for excerpt in &body.excerpts {
            starts.push((excerpt.head.start, excerpt.fence.start));
            starts.extend(excerpt.notes.iter().map(|note| (note.span.start, note.events.start)));
        }
        let shown = body.values.iter().filter(|block| block.calculator.is_some());
        starts.extend(shown.map(|block| (body.events.span(block.events.start).start, block.events.start)));
        let mut same = blocks::same(pair, &pairs.renamed);
        same.extend(Matches::find(pair).same());
        starts.sort_unstable();
        same.sort_unstable();
        Self { view: pair.new, starts, same, old: pair.old }
    }

    /// Returns the event before which a change is marked; `None` if it is not in the text of the page.
    fn find(&self, change: &Change) -> Option<usize> {
        if matches!(change.kind, Kind::Page | Kind::Address | Kind::Problem | Kind::Solved | Kind::Other) {
            return None;
        }
        // What the page does not show is marked where its first note or sentence is.
        let place = change.place.as_ref().filter(|place| change.kind != Kind::Figure || self.is_shown(place));
        let mut places = place.into_iter().chain(change.quotes.first().map(|quote| &quote.place));
        places.find_map(|place| self.of_place(place))
    }

    /// Returns whether the value that is declared at a place is in a calculator.
    fn is_shown(&self, place: &Place) -> bool {
        let body = &self.view.document().body;
        let is_at = |at: usize| body.values.iter().find(|block| body.events.span(block.events.start).contains(&at));
        place.offset.and_then(is_at).is_some_and(|block| block.calculator.is_some())
    }

    fn of_place(&self, place: &Place) -> Option<usize> {
        let offset = place.offset?;
        if place.in_base {
            return (*place.file == **self.old.path()).then(|| self.after(offset));
        }
        self.event(offset).filter(|_| *place.file == **self.view.path())
    }

    /// Returns the event of the block, listing or note to which an offset belongs.
    fn event(&self, offset: usize) -> Option<usize> {
        let next = self.starts.partition_point(|(start, _)| *start <= offset);
        next.checked_sub(1).map(|at| self.starts[at].1)
    }

    /// Returns the event before which something is marked that is gone: what followed it in the older version and is still there.
    fn after(&self, offset: usize) -> usize {
        let events = &self.view.document().body.events;
        let next = self.same.partition_point(|(old, _)| *old <= offset);
        let Some((_, event)) = self.same.get(next) else { return events.len() };
        // The mark is above everything that begins there, and inside of what consists of items or cells.
        let is_labs = self.view.document().placement.kind == PageKind::Labs;
        let above = (0..*event).rev().map(|at| (at, events.event(at)));
        let above = above.map_while(|(at, event)| if let Event::Start(tag) = event { Some((at, tag)) } else { None });
        let can_precede = |tag: &Tag<'_>| match tag {
            // A labs page lays out what begins with a heading.
            Tag::Heading { .. } => !is_labs,
            Tag::Paragraph | Tag::List(_) | Tag::BlockQuote(_) | Tag::Table(_) | Tag::DefinitionList => true,
            _ => false,
        };
        above.filter(|(_, tag)| can_precede(tag)).last().map_or(*event, |(at, _)| at)
    }
}

/// Writes a mark: a link to itself, which shows the difference as long as it is focused or pointed to.
fn mark(change: &Change, id: &str, labels: &Labels) -> String {
    let is_all = |sign| !change.lines.is_empty() && change.lines.iter().all(|line| line.sign == sign);
    let (class, word) = match (is_all(Sign::Old), is_all(Sign::New)) {
        (true, _) => ("gone", &labels.word_gone),
        (_, true) => ("added", &labels.word_new),
        _ => ("changed", &labels.word_changed),
    };
    let (word, what) = (escape::text(word), escape::text(&change.what));
    format!(
        "<span class=\"change {class}\"><a id=\"{id}\" href=\"#{id}\">{word}</a>\
         <span class=\"difference\" lang=\"en\" dir=\"ltr\"><b>{what}</b>{}</span></span>",
        difference(change)
    )
}

/// Writes the mark of a change that has no place in the text of its page.
fn top(change: &Change, id: &str) -> String {
    format!("<p><a id=\"{id}\" href=\"#{id}\">{}</a></p>{}", escape::text(&change.what), difference(change))
}

/// Returns what the list of changes says about a change; changed text is told apart by its first words.
fn listed_as(change: &Change) -> String {
    let line = change.lines.iter().rfind(|line| line.sign != Sign::Same);
    match line.filter(|_| matches!(change.kind, Kind::Text | Kind::Question)) {
        Some(line) => format!("{}: {}", change.what, shortened(&line.text, SAMPLE)),
        None => change.what.clone(),
    }
}

/// Writes the difference, and the notes and sentences to read again.
fn difference(change: &Change) -> String {
    let mut out = String::new();
    let mut left = change.lines.as_slice();
    while let Some(first) = left.first() {
        let (old, rest) = split(left, Sign::Old);
        let (new, rest) = split(rest, Sign::New);
        let text = |lines: &'_ [Line], at: usize| lines.get(at).map_or(String::new(), |line| line.text.clone());
        for at in 0..old.len().max(new.len()) {
            row(&mut out, &words(&text(old, at), &text(new, at)));
        }
        left = rest;
        if first.sign == Sign::Same {
            row(&mut out, &escape::text(&first.text));
            left = &left[1..];
        }
    }
    for quote in &change.quotes {
        put!(out, "<span class=\"quote\">{}: {}</span>", escape::text(&quote.label), escape::text(&quote.text));
    }
    if let Some((path, page)) = change.picture.as_ref().zip(change.page.as_ref()) {
        out += &pictures(path, &page.url);
    }
    out
}

/// Splits the lines with a sign off at the beginning.
fn split(lines: &[Line], sign: Sign) -> (&[Line], &[Line]) {
    lines.split_at(lines.iter().take_while(|line| line.sign == sign).count())
}

fn row(out: &mut String, html: &str) {
    put!(out, "<span class=\"row\">{html}</span>");
}

/// Writes two texts as one, in which the words differ that only one of them has.
fn words(old: &str, new: &str) -> String {
    let ([old_words, new_words], gaps) = lines::word_gaps([old, new]);
    let part = |text: &str, words: &[Range<usize>], range: Range<usize>| {
        let end_of = |count: usize| count.checked_sub(1).map_or(0, |last| words[last].end);
        escape::text(&text[end_of(range.start)..end_of(range.end)])
    };
    let mut out = String::new();
    let mut from = 0;
    for [gone, fresh] in gaps {
        out += &part(new, &new_words, from..fresh.start);
        from = fresh.end;
        for (tag, html) in [("del", part(old, &old_words, gone)), ("ins", part(new, &new_words, fresh))] {
            if !html.is_empty() {
                put!(out, "<{tag}>{html}</{tag}>");
            }
        }
    }
    out + &part(new, &new_words, from..new_words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_differ_in_place() {
        assert_eq!(words("a b c", "a x c"), "a<del> b</del><ins> x</ins> c");
        assert_eq!(words("", "<new>"), "<ins>&lt;new&gt;</ins>");
        assert_eq!(words("old", ""), "<del>old</del>");
        assert_eq!(words("七八", "七九"), "七<del>八</del><ins>九</ins>");
    }
}
