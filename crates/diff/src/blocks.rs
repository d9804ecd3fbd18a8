//! The text of a page, block by block, and how it differs.

use std::collections::BTreeMap;
use std::sync::Arc;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::lines::{self, Line, Sign, Words};
use super::pages::{Pair, View};
use super::{Change, Kind};
use infralens_course::config::SectionForm;
use infralens_course::course::{link, url};
use infralens_page::{Events, Link, contract, is_drawn, is_inline, text};

/// The least similarity of two blocks of which one has become the other.
const ALIKE: f64 = 0.4;
/// The maximum number of pairs of blocks that are compared to find those.
const MAX_PAIRS: usize = 1 << 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    /// A value of the front matter that is prose.
    Front,
    Heading,
    Question,
    Code,
    Drawing,
    /// An excerpt, of which only the place counts here.
    Excerpt,
    Text,
}

/// A continuous text that readers see, outside of excerpts and their notes.
#[derive(Debug)]
struct Block {
    role: Role,
    text: String,
    /// Where its links lead.
    targets: Vec<String>,
    /// Whether it is what a card asks.
    is_asked: bool,
    /// Its offset in the source.
    at: usize,
    /// The event before which it can be marked; `None` in the front matter.
    event: Option<usize>,
}

type Key<'b> = (Role, &'b str, &'b [String]);

impl Block {
    /// What readers see of it.
    fn key(&self) -> Key<'_> {
        (self.role, &self.text, &self.targets)
    }

    fn kind(&self) -> Kind {
        match self.role {
            Role::Question => Kind::Question,
            Role::Excerpt => Kind::Code,
            _ => Kind::Text,
        }
    }

    fn noun(&self) -> &'static str {
        match self.role {
            Role::Front => "title or summary",
            Role::Heading => "heading",
            Role::Question => "question or answer",
            Role::Code => "code block",
            Role::Drawing => "drawing",
            Role::Excerpt => "excerpt",
            Role::Text => "text",
        }
    }

    fn lines(&self, sign: Sign) -> Vec<Line> {
        match self.role {
            Role::Code => self.text.lines().map(|line| Line::new(sign, line)).collect(),
            // Its source is not what readers see.
            Role::Drawing => vec![Line::new(sign, "(a drawing)")],
            _ => vec![Line::new(sign, self.text.clone())],
        }
    }
}

/// Returns the changes of a page's text.
pub(crate) fn changes(pair: &Pair<'_>, renamed: &BTreeMap<Arc<str>, Arc<str>>) -> Vec<Change> {
    let (old, new) = (blocks(&pair.old, renamed), blocks(&pair.new, &BTreeMap::new()));
    let [old_keys, new_keys] = [&old, &new].map(|blocks| blocks.iter().map(Block::key).collect::<Vec<_>>());
    let gaps = lines::gaps(&old_keys, &new_keys);
    let mut moved: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    for key in gaps.iter().flat_map(|[gone, _]| &old_keys[gone.clone()]) {
        *moved.entry(*key).or_default() += 1;
    }
    let mut changes = Vec::new();
    let mut is_moved = vec![false; new.len()];
    for at in gaps.iter().flat_map(|[_, fresh]| fresh.clone()) {
        if let Some(left) = moved.get_mut(&new_keys[at]).filter(|left| **left > 0) {
            *left -= 1;
            is_moved[at] = true;
        }
    }
    // What is left of each key was not moved; the last ones are taken for those that were.
    let mut was_moved = vec![false; old.len()];
    for at in gaps.iter().flat_map(|[gone, _]| gone.clone()) {
        match moved.get_mut(&old_keys[at]) {
            Some(left) if *left > 0 => *left -= 1,
            _ => was_moved[at] = true,
        }
    }
    for [gone, fresh] in gaps {
        let moved = fresh.clone().filter(|&at| is_moved[at]);
        changes.extend(moved.map(|at| one(pair, &new[at], false, "moved", new[at].lines(Sign::Same))));
        let is_text = |block: &&Block| block.role != Role::Excerpt;
        let gone: Vec<&Block> = gone.filter(|&at| !was_moved[at]).map(|at| &old[at]).filter(is_text).collect();
        let fresh: Vec<&Block> = fresh.filter(|&at| !is_moved[at]).map(|at| &new[at]).filter(is_text).collect();
        changes.extend(in_gap(pair, gone, &fresh));
    }
    changes
}

/// Returns the changes in one place of a page.
fn in_gap(pair: &Pair<'_>, gone: Vec<&Block>, fresh: &[&Block]) -> Vec<Change> {
    let is_small = gone.len().saturating_mul(fresh.len()) <= MAX_PAIRS;
    let words: Vec<Words> = gone.iter().filter(|_| is_small).map(|old| Words::of(&old.text)).collect();
    let mut left: Vec<Option<&Block>> = gone.into_iter().map(Some).collect();
    let mut changes = Vec::new();
    for new in fresh {
        let new_words = Words::of(&new.text);
        let candidates =
            left.iter().zip(&words).enumerate().filter_map(|(at, (old, words))| Some((at, (*old)?, words)));
        let scores = candidates.filter(|(_, old, _)| old.role == new.role);
        let scores = scores.map(|(at, _, words)| (words.similarity(&new_words), at));
        let best = scores.max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
        match best.filter(|(score, _)| *score >= ALIKE).and_then(|(_, at)| left[at].take()) {
            Some(old) => changes.push(changed(pair, old, new)),
            None => add(pair, &mut changes, new, false),
        }
    }
    for old in left.into_iter().flatten() {
        add(pair, &mut changes, old, true);
    }
    changes
}

/// Adds a block that is only in one of the pages, to the change before it if that is one of the same kind.
fn add(pair: &Pair<'_>, changes: &mut Vec<Change>, block: &Block, is_gone: bool) {
    let (what, sign) = if is_gone { ("removed", Sign::Old) } else { ("added", Sign::New) };
    let lines = block.lines(sign);
    if let Some(last) = changes.last_mut().filter(|last| last.kind == block.kind() && last.what.ends_with(what)) {
        last.what = format!("{} {what}", if last.kind == Kind::Question { "questions or answers" } else { "text" });
        last.lines.extend(lines);
        last.also.extend(Some(block.at).filter(|_| !is_gone));
        return;
    }
    changes.push(one(pair, block, is_gone, what, lines));
}

fn one(pair: &Pair<'_>, block: &Block, is_gone: bool, what: &str, lines: Vec<Line>) -> Change {
    let view = if is_gone { &pair.old } else { &pair.new };
    let change = Change::new(block.kind(), format!("{} {what}", block.noun())).on(&pair.new);
    change.at(view.place(block.at)).lines(lines)
}

fn changed(pair: &Pair<'_>, old: &Block, new: &Block) -> Change {
    if old.text == new.text {
        let list = |sign, targets: &[String], others: &[String]| {
            let only = targets.iter().filter(|target| !others.contains(target));
            only.map(|target| Line::new(sign, target.clone())).collect::<Vec<_>>()
        };
        let mut lines = list(Sign::Old, &old.targets, &new.targets);
        lines.extend(list(Sign::New, &new.targets, &old.targets));
        return one(pair, new, false, "has other links", lines);
    }
    let lines = match new.role {
        // The source of a drawing says what to look at in it.
        Role::Code | Role::Drawing => {
            lines::of_code(&old.text.lines().collect::<Vec<_>>(), &new.text.lines().collect::<Vec<_>>())
        }
        _ => lines::of_text(&old.text, &new.text),
    };
    let change = one(pair, new, false, "changed", lines);
    if new.is_asked { change.help("in other words it is another card: readers begin anew with it") } else { change }
}

/// Returns the offset of each block of a page's text and the event before which it can be marked, in order.
pub(crate) fn places(view: &View<'_>) -> Vec<(usize, usize)> {
    blocks(view, &BTreeMap::new()).iter().filter_map(|block| Some((block.at, block.event?))).collect()
}

/// Returns for each block that is in both versions its offset in the older one, and the event before which it is in the newer one.
pub(crate) fn same(pair: &Pair<'_>, renamed: &BTreeMap<Arc<str>, Arc<str>>) -> Vec<(usize, usize)> {
    let (old, new) = (blocks(&pair.old, renamed), blocks(&pair.new, &BTreeMap::new()));
    let [old_keys, new_keys] = [&old, &new].map(|blocks| blocks.iter().map(Block::key).collect::<Vec<_>>());
    let mut from = [0, 0];
    let mut same = Vec::new();
    for [gone, fresh] in lines::gaps(&old_keys, &new_keys).into_iter().chain([[old.len()..0, new.len()..0]]) {
        let between = old[from[0]..gone.start].iter().zip(&new[from[1]..fresh.start]);
        same.extend(between.filter_map(|(old, new)| Some((old.at, new.event?))));
        from = [gone.end, fresh.end];
    }
    same
}

/// Returns the text of a page by blocks. `renamed` are the new paths of pages.
fn blocks(view: &View<'_>, renamed: &BTreeMap<Arc<str>, Arc<str>>) -> Vec<Block> {
    let document = view.document();
    let body = &document.body;
    let front = text::values(&document.front).into_iter().map(|value| {
        let text = value.value.split_whitespace().collect::<Vec<_>>().join(" ");
        Block { role: Role::Front, text, targets: Vec::new(), is_asked: false, at: value.span.start, event: None }
    });
    let asked = asked(view);
    let found = asked.iter().flat_map(|section| contract::questions(body, section.clone()));
    let questions = found.map(|question| question.question).collect();
    let mut collector = Collector { view, renamed, asked, questions, blocks: front.collect() };
    let (mut at, mut run) = (0, 0);
    while at < body.events.len() {
        let event = body.events.event(at);
        let end = match &event {
            Event::Start(Tag::TableHead | Tag::TableRow | Tag::HtmlBlock) => Some(body.end_of(at)),
            Event::Start(Tag::CodeBlock(_)) => Some(collector.end_of_code(at)),
            _ => None,
        };
        let is_boundary = match &event {
            Event::Start(tag) => !is_inline(tag.to_end()),
            Event::End(tag) => !is_inline(*tag),
            Event::Rule => true,
            _ => false,
        };
        if is_boundary {
            collector.push(run..at);
            if let Some(end) = end {
                collector.push_block(at..end);
            }
            run = end.unwrap_or(at + 1);
        }
        at = end.unwrap_or(at + 1);
    }
    collector.push(run..at);
    collector.blocks
}

/// Returns the parts of a lab that have questions.
fn asked(view: &View<'_>) -> Vec<Events> {
    let entries = &view.source.cx.config.labs.sections;
    let form = |section: &contract::Section| entries.get(section.entry).and_then(|entry| entry.form);
    let is_asked =
        |section: &&contract::Section| matches!(form(section), Some(SectionForm::Questions | SectionForm::Spoken));
    view.source.facts.sections.iter().filter(is_asked).map(|section| section.body.clone()).collect()
}

struct Collector<'v, 'a> {
    view: &'v View<'a>,
    renamed: &'v BTreeMap<Arc<str>, Arc<str>>,
    asked: Vec<Events>,
    questions: Vec<Events>,
    blocks: Vec<Block>,
}

impl Collector<'_, '_> {
    /// Returns the end of a code block; that of an excerpt is after its notes.
    fn end_of_code(&self, at: usize) -> usize {
        let body = &self.view.document().body;
        let excerpt = body.excerpts.binary_search_by_key(&at, |excerpt| excerpt.fence.start);
        let list = excerpt.ok().and_then(|index| body.excerpts[index].list.as_ref());
        list.map_or_else(|| body.end_of(at), |list| list.end)
    }

    /// Adds a block that is one element.
    fn push_block(&mut self, events: Events) {
        let body = &self.view.document().body;
        let Event::Start(Tag::CodeBlock(kind)) = body.events.event(events.start) else { return self.push(events) };
        if let Ok(index) = body.excerpts.binary_search_by_key(&events.start, |excerpt| excerpt.fence.start) {
            let shown = self.view.source.facts.excerpts.iter().find(|shown| shown.index == index);
            if let Some(file) = shown.map(|shown| shown.listing.source().path()) {
                let name = format!("{file}{}", body.excerpts[index].file.hash());
                self.add(Role::Excerpt, name, events.start..body.end_of(events.start));
            }
            return;
        }
        if body.values.binary_search_by_key(&events.start, |block| block.events.start).is_err() {
            let text = body.text(events.clone()).trim_end().to_owned();
            let role = if is_drawn(&kind) { Role::Drawing } else { Role::Code };
            self.add(role, text, events);
        }
    }

    /// Adds a run of inline events, or a row of a table.
    fn push(&mut self, events: Events) {
        if events.is_empty() {
            return;
        }
        let body = &self.view.document().body;
        // The cells of a row are apart.
        let is_cell = |at: &usize| body.events.event(*at) == Event::End(TagEnd::TableCell);
        let ends = events.clone().filter(is_cell).chain([events.end]);
        let mut start = events.start;
        let cells = ends.map(|end| {
            let cell = self.view.source.text(start..end).trim().to_owned();
            start = end;
            cell
        });
        let text = cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" | ");
        let before = events.start.checked_sub(1).map(|before| body.events.event(before));
        let is_heading = matches!(before, Some(Event::Start(Tag::Heading { .. })));
        let is_asked = self.asked.iter().any(|asked| asked.contains(&events.start));
        let role = match (is_asked, is_heading) {
            (true, _) => Role::Question,
            (_, true) => Role::Heading,
            _ => Role::Text,
        };
        self.add(role, text, events);
    }

    fn add(&mut self, role: Role, text: String, events: Events) {
        let body = &self.view.document().body;
        let first = body.links.partition_point(|link| link.events.start < events.start);
        let links = body.links[first..].iter().take_while(|link| link.events.start < events.end);
        let targets: Vec<String> = links.filter_map(|link| self.target(link)).collect();
        if !text.is_empty() || !targets.is_empty() {
            let at = body.events.span(events.start).start;
            let is_asked = self.questions.iter().any(|question| question.contains(&events.start));
            // In a row of a table, it is marked in the first cell.
            let is_row = matches!(body.events.event(events.start), Event::Start(Tag::TableHead | Tag::TableRow));
            let event = Some(events.start + if is_row { 2 } else { 0 });
            self.blocks.push(Block { role, text, targets, is_asked, at, event });
        }
    }

    /// Returns where a link leads, in the words of the newer site; `None` for a citation, whose text says it.
    fn target(&self, link: &Link) -> Option<String> {
        let target = &link.target;
        if target.starts_with('@') {
            return None;
        }
        if target.starts_with('#') || target.starts_with("code:") || link::scheme(target).is_some() {
            return Some(target.clone());
        }
        let (path, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
        let joined = url::join(url::folder(self.view.path()), &url::decode(path))?;
        let new = self.renamed.get(joined.as_str()).map_or(joined.as_str(), AsRef::as_ref);
        Some(format!("{new}{fragment}"))
    }
}
