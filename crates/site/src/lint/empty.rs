//! `empty`: compares the sections of a lab with the lab contract, and finds notes without a text.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::at;
use infralens_course::config::{LabSection, SectionForm};
use infralens_page::contract::Section;
use infralens_page::{Body, Document, Events, Heading};
use infralens_source::diag::{Diagnostic, Edit, Fix, codes, nearest, similar};

/// What a fix writes in place of the text that only the author knows; the lint that finds this word keeps it from being
/// forgotten.
pub(super) const FILL: &str = concat!("TO", "DO");

/// Placeholders for text that is not written yet, without punctuation.
const PLACEHOLDERS: [&str; 12] = [
    "tbd",
    "tba",
    "wip",
    concat!("to", "do"),
    "coming soon",
    "to be written",
    "to be done",
    "work in progress",
    "none",
    "none yet",
    "n a",
    "later",
];

/// Reports the sections of a lab that are missing, out of order, repeated or empty. `sections` are those that it has.
pub fn empty(document: &Document, contract: &[LabSection], sections: &[Section], out: &mut Vec<Diagnostic>) {
    let page = Lab { document, contract, sections };
    page.missing(out);
    let first = page.repeated(out);
    page.disordered(&first, out);
    out.extend(sections.iter().filter_map(|section| page.without_content(section)));
}

struct Lab<'a> {
    document: &'a Document,
    contract: &'a [LabSection],
    sections: &'a [Section],
}

impl<'a> Lab<'a> {
    fn title(&self, entry: usize) -> &'a str {
        &self.contract[entry].title.value
    }

    fn heading(&self, section: &Section) -> &'a Heading {
        &self.document.body.headings[section.heading]
    }

    fn missing(&self, out: &mut Vec<Diagnostic>) {
        let (first, mut count, mut all) = (out.len(), 0, Vec::new());
        let has = |entry: usize| self.sections.iter().any(|section| section.entry == entry);
        for (entry, section) in self.contract.iter().enumerate().filter(|(entry, _)| !has(*entry)) {
            let title = self.title(entry);
            if !section.required {
                out.extend(self.misspelled(entry, title));
                continue;
            }
            let message = format!("the section `{title}`, which every lab has, is missing");
            let help = match (0..entry).rev().find(|&before| has(before)) {
                Some(before) => format!("write a section `## {title}` after `## {}`", self.title(before)),
                None => match (entry + 1..self.contract.len()).find(|&after| has(after)) {
                    Some(after) => format!("write a section `## {title}` before `## {}`", self.title(after)),
                    None => format!("write a section `## {title}`"),
                },
            };
            let place = self.document.front.common.title.span.clone();
            let similar = self.similar_heading(title);
            let fix = self.section_fix(entry, title, similar);
            if let Some(edit) = fix.iter().filter(|_| similar.is_none()).find_map(|fix| fix.edits.first()) {
                count += 1;
                add_text(&mut all, edit);
            }
            let diagnostic = at(self.document, place, codes::EMPTY, message).help(help).fix(fix);
            out.push(match similar {
                Some(heading) => {
                    let place = self.document.source.place(heading.span.clone());
                    diagnostic.related(place, format!("this may be meant; it must be `## {title}`"))
                }
                None => diagnostic,
            });
        }
        if count > 1 {
            let all = Fix::new(format!("add the {count} missing sections"), all);
            out[first..].iter_mut().take(1).for_each(|diagnostic| diagnostic.fixes.push(all.clone()));
        }
    }

    /// Reports a heading that is a section of the contract but for a letter or two.
    fn misspelled(&self, entry: usize, title: &str) -> Option<Diagnostic> {
        let heading = self.similar_heading(title).filter(|heading| heading.level == 2)?;
        let near = similar(heading.title(), [title]).filter(|near| near.is_sure)?;
        let message = format!("this heading is not that of the section `{}`", near.name);
        let found = at(self.document, heading.span.clone(), codes::EMPTY, message);
        Some(found.help(format!("write `## {title}`")).fix(self.section_fix(entry, title, Some(heading))))
    }

    /// Returns the fix for a missing section: the right words for a heading that is nearly its title, or a new heading, whose
    /// text the author writes.
    fn section_fix(&self, entry: usize, title: &str, similar: Option<&Heading>) -> Option<Fix> {
        let source = &self.document.source;
        if let Some(heading) = similar {
            let edit = Edit::new(source, heading.span.clone(), format!("## {title}"));
            let is_plain = source.text()[heading.span.clone()].starts_with('#') && heading.text == heading.title();
            return is_plain.then(|| Fix::new(format!("write `## {title}`"), vec![edit]));
        }
        let line_end = if source.text().contains("\r\n") { "\r\n" } else { "\n" };
        let next = self.sections.iter().find(|section| section.entry > entry);
        let new = if let Some(next) = next {
            let at = self.heading(next).span.start;
            Edit::new(source, at..at, format!("## {title}{line_end}{line_end}{FILL}{line_end}{line_end}"))
        } else {
            let end = source.text().trim_end().len();
            let text = format!("{line_end}{line_end}## {title}{line_end}{line_end}{FILL}{line_end}");
            Edit::new(source, end..source.text().len(), text)
        };
        Some(Fix::new(format!("add the section `{title}`"), vec![new]))
    }

    /// Finds a heading that is nearly the title of a section, or is the title at another level.
    fn similar_heading(&self, title: &str) -> Option<&'a Heading> {
        let headings = self.document.body.headings.iter().enumerate();
        let mut others = headings.filter(|(index, _)| !self.sections.iter().any(|section| section.heading == *index));
        others.find(|(_, heading)| nearest(heading.title(), [title]).is_some()).map(|(_, heading)| heading)
    }

    /// Reports repeated sections, and returns the first of each.
    fn repeated(&self, out: &mut Vec<Diagnostic>) -> Vec<&'a Section> {
        let mut first: Vec<Option<&Section>> = vec![None; self.contract.len()];
        let mut kept = Vec::new();
        for section in self.sections {
            let Some(before) = first[section.entry] else {
                first[section.entry] = Some(section);
                kept.push(section);
                continue;
            };
            let message = format!("the section `{}` is repeated", self.title(section.entry));
            let before = self.document.source.place(self.heading(before).span.clone());
            out.push(
                at(self.document, self.heading(section).span.clone(), codes::EMPTY, message)
                    .related(before, "the first")
                    .help("merge the two sections, or give this one another title"),
            );
        }
        kept
    }

    /// Reports the fewest sections that would have to move.
    fn disordered(&self, sections: &[&Section], out: &mut Vec<Diagnostic>) {
        let entries: Vec<usize> = sections.iter().map(|section| section.entry).collect();
        let in_order = longest_increasing(&entries);
        for (index, section) in sections.iter().enumerate().filter(|(index, _)| !in_order.contains(index)) {
            let title = self.title(section.entry);
            let neighbors = || in_order.iter().map(|&other| entries[other]);
            let help = match neighbors().filter(|&entry| entry < section.entry).max() {
                Some(before) => format!("put it after `## {}`", self.title(before)),
                None => neighbors()
                    .min()
                    .map_or_else(String::new, |after| format!("put it before `## {}`", self.title(after))),
            };
            let message = format!("the section `{title}` is out of order");
            out.push(at(self.document, self.heading(sections[index]).span.clone(), codes::EMPTY, message).help(help));
        }
    }

    fn without_content(&self, section: &Section) -> Option<Diagnostic> {
        let entry = &self.contract[section.entry];
        let body = &self.document.body;
        let has_reading = || {
            !self.document.front.common.reading.is_empty() || body.links.iter().any(|link| link.target.starts_with('@'))
        };
        if has_content(body, section.body.clone()) || entry.form == Some(SectionForm::Reading) && has_reading() {
            return None;
        }
        let heading = self.heading(section);
        let message = format!("the section `{}` is empty", heading.text);
        let help = match entry.form {
            Some(SectionForm::Reading) => "list what to read under `reading:`, by its key in `content/references.yaml`",
            _ if entry.required => "write what belongs here; every lab has this section",
            _ => "write what belongs here, or remove the heading: not every lab has this section",
        };
        Some(at(self.document, heading.span.clone(), codes::EMPTY, message).help(help))
    }
}

/// Adds the edit that writes a section to others; at the same place, it goes on where the last one ends.
fn add_text(edits: &mut Vec<Edit>, edit: &Edit) {
    match edits.last_mut().filter(|last| last.place == edit.place) {
        Some(last) if edit.text.starts_with(['\r', '\n']) => last.text = last.text.trim_end().to_owned() + &edit.text,
        Some(last) => last.text += &edit.text,
        None => edits.push(edit.clone()),
    }
}

/// Returns the indices of a longest increasing subsequence.
fn longest_increasing(values: &[usize]) -> Vec<usize> {
    let mut best: Vec<(usize, Option<usize>)> = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        let before = (0..index).filter(|&before| values[before] < *value).max_by_key(|&before| best[before].0);
        best.push((before.map_or(1, |before| best[before].0 + 1), before));
    }
    let mut at = (0..values.len()).max_by_key(|&index| best[index].0);
    let mut chain = Vec::new();
    while let Some(index) = at {
        chain.push(index);
        at = best[index].1;
    }
    chain.reverse();
    chain
}

/// Reports notes that are bound to code and say nothing about it.
pub fn notes(document: &Document, out: &mut Vec<Diagnostic>) {
    let notes = document.body.excerpts.iter().flat_map(|excerpt| &excerpt.notes);
    for note in notes.filter(|note| !has_content(&document.body, note.body..note.events.end)) {
        let Some(binding) = note.bindings.first() else { continue };
        let help = "write after the code what readers should see there, or remove the note";
        let message = "this note says nothing about its code";
        out.push(at(document, binding.from.span().clone(), codes::EMPTY, message).help(help));
    }
}

/// Returns whether there is more among some events than headings, comments and placeholders.
pub fn has_content(body: &Body, events: Events) -> bool {
    let is_part = |index: usize| body.generated.binary_search_by_key(&index, |part| part.events.start).is_ok();
    let is_excerpt = |index: usize| body.excerpts.binary_search_by_key(&index, |excerpt| excerpt.fence.start).is_ok();
    let mut heading = false;
    let mut html = false;
    let mut text = String::new();
    for index in events {
        match body.events.event(index) {
            Event::Start(Tag::Heading { .. }) => heading = true,
            Event::End(TagEnd::Heading(_)) => heading = false,
            Event::Start(Tag::HtmlBlock) if is_part(index) => return true,
            Event::Start(Tag::HtmlBlock) => html = true,
            Event::End(TagEnd::HtmlBlock) => html = false,
            Event::Start(Tag::Image { .. }) | Event::InlineMath(_) | Event::DisplayMath(_) if !heading => return true,
            Event::Start(Tag::CodeBlock(_)) if is_excerpt(index) => return true,
            Event::Text(part) | Event::Code(part) if !heading => text.push_str(&part),
            Event::Html(part) | Event::InlineHtml(part) if !heading => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak | Event::End(_) if !html => text.push(' '),
            _ => {}
        }
    }
    let mut words = String::new();
    for piece in text.split("<!--").enumerate().filter_map(|(index, piece)| match index {
        0 => Some(piece),
        _ => piece.split_once("-->").map(|(_, after)| after),
    }) {
        let letters = piece.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        letters.for_each(|word| {
            words.push_str(&word.to_lowercase());
            words.push(' ');
        });
    }
    let words = words.trim_end();
    !words.is_empty() && !PLACEHOLDERS.contains(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_increasing_subsequences() {
        assert_eq!(longest_increasing(&[0, 1, 2]), [0, 1, 2]);
        assert_eq!(longest_increasing(&[4, 0, 1, 2]), [1, 2, 3]);
        assert_eq!(longest_increasing(&[0, 3, 1, 2]), [0, 2, 3]);
        assert_eq!(longest_increasing(&[]), [0; 0]);
    }
}
