//! The Markdown copy of a page: its title, facts about it, its body, and the generated parts.

use super::super::context::ReferenceGroup;
use super::super::shared::{self, Shared};
use super::super::{figures, page, reading_list};
use super::parts::{Parts, heading};
use infralens_course::course::PageId;
use infralens_page::{Kind, Part};
use infralens_render::ResolvedPage;
use infralens_render::copy::{destination, escape};
use infralens_render::page::Piece;

/// Returns the content of the file.
pub fn markdown(shared: &Shared<'_>, id: PageId) -> String {
    let known = &shared.course().pages[id];
    let parts = Parts { shared, base: &known.url };
    let mut text = head(shared, id, &parts);
    let (mut written, mut has_reading) = (Vec::new(), false);
    let tracks: Vec<usize> = known.track.map_or_else(|| parts.tracks(), |track| vec![track]);
    for piece in shared.source(id).map(ResolvedPage::copy).unwrap_or_default() {
        let above = heading_at_end(&text);
        match piece {
            Piece::Text(piece) => push(&mut text, &piece),
            Piece::Part(part) => {
                written.push(part);
                for &track in &tracks {
                    let titled = known.track.is_none() && part != Part::Tracks;
                    push(&mut text, &parts.part(part, track, above, titled));
                    if part == Part::Tracks {
                        break;
                    }
                }
            }
            Piece::Reading if !has_reading => {
                has_reading = true;
                push(&mut text, &reading_list(shared, id, above.is_some() || known.kind == Kind::Lab));
            }
            Piece::Reading => {}
        }
    }
    if let (Some(track), Kind::Track) = (known.track, known.kind) {
        push(&mut text, &parts.handbook(track));
    }
    for part in defaults(known.kind).iter().filter(|part| !written.contains(part)) {
        let of = known.track.map(|track| parts.part(*part, track, None, false));
        push(&mut text, &of.unwrap_or_default());
    }
    if known.kind == Kind::Practice {
        push(&mut text, &practice(shared, id, &parts));
    }
    if !has_reading {
        push(&mut text, &reading_list(shared, id, false));
    }
    push(&mut text, &figures(shared, id));
    text
}

/// Returns the parts that a page has unless it places them itself.
fn defaults(kind: Kind) -> &'static [Part] {
    match kind {
        Kind::Track => &[Part::ReadingOrder],
        Kind::Labs => &[Part::ReadingOrder, Part::Curriculum, Part::Starters],
        _ => &[],
    }
}

/// Appends blocks after a blank line.
fn push(text: &mut String, blocks: &str) {
    let blocks = blocks.trim_end().trim_start_matches('\n');
    if !blocks.is_empty() {
        text.extend(["\n", blocks, "\n"]);
    }
}

/// Returns the level of the heading that a text ends with.
fn heading_at_end(text: &str) -> Option<usize> {
    let last = text.trim_end().rsplit('\n').next()?;
    let level = last.bytes().take_while(|&byte| byte == b'#').count();
    (1..=6).contains(&level).then_some(level).filter(|&level| last[level..].starts_with(' '))
}

fn head(shared: &Shared<'_>, id: PageId, parts: &Parts<'_>) -> String {
    let (input, names) = (&shared.input, shared.names);
    let known = &input.cx.course.pages[id];
    let labels = &input.cx.config.labels;
    let front = known.front();
    let lab = front.and_then(|front| front.lab.as_ref());
    let mut text = heading(1, &names.heading(id)) + "\n";
    push(&mut text, &shared::summary(known).map(|summary| format!("> {}", escape(summary))).unwrap_or_default());
    let mut facts: Vec<String> = Vec::new();
    if let (Some(track), false) = (known.track, known.kind == Kind::Track) {
        facts.push(parts.link(input.cx.course.tracks[track].page, names.track_title(id).unwrap_or_default()));
    }
    if matches!(known.kind, Kind::Lab | Kind::Section) {
        facts.push(names.time(names.minutes(id)));
    }
    facts.extend(lab.map(|lab| escape(&lab.starter.kind.value)));
    facts.extend(front.and_then(|front| front.common.date.as_ref()).map(|date| names.date(date.value)));
    let authors = shared::authors(known);
    facts.extend((!authors.is_empty()).then(|| escape(&authors.join(", "))));
    facts.extend(shared::checked_on(known).map(|date| format!("{} {}", labels.checked, names.date(date))));
    push(&mut text, &facts.join(" · "));
    push(&mut text, &lab.map(|lab| format!("{}: {}", labels.outcome, escape(&lab.outcome.value))).unwrap_or_default());
    push(&mut text, &around(shared, id, parts));
    text
}

/// Lists what belongs to a page: its handbook sections or labs, prerequisites, starter and address.
fn around(shared: &Shared<'_>, id: PageId, parts: &Parts<'_>) -> String {
    let (input, known) = (&shared.input, &shared.course().pages[id]);
    let labels = &input.cx.config.labels;
    let mut about: Vec<String> = Vec::new();
    let mut say = |label: &str, links: String| {
        about.extend((!links.is_empty()).then(|| format!("- {label}: {links}")));
    };
    let handbook = if known.kind == Kind::Lab { &labels.handbook } else { &labels.practised_by };
    say(handbook, parts.links(&known.handbook));
    say(&labels.needs, parts.links(&page::outside_handbook(known, &known.prerequisites)));
    let lab = known.lab();
    if let Some(file) = lab.and_then(|lab| shared::main_file(known, lab)) {
        say(&labels.starter, parts.to_raw(&file));
    }
    let canonical = input.cx.config.base_url.as_deref().map(|base| format!("<{base}{}>", shared.names.url(id)));
    about.extend(canonical.map(|canonical| format!("- {canonical}")));
    about.join("\n")
}

/// Lists the figures of a page, and where each comes from.
fn figures(shared: &Shared<'_>, id: PageId) -> String {
    let entries = figures::entries(shared, id);
    if entries.is_empty() {
        return String::new();
    }
    let mut text = heading(2, &shared.labels().figures) + "\n\n";
    for entry in entries {
        let from = match (&entry.name, &entry.formula, &entry.reference) {
            (Some(name), Some(formula), _) => format!("`{name} = {formula}`"),
            (_, _, Some(reference)) => escape(&reference.title),
            _ => escape(&entry.source.unwrap_or_default()),
        };
        let names = entry.records.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let records = if names.is_empty() { names } else { format!(", {} {names}", shared.labels().recorded) };
        text.extend(["- ", &escape(&entry.text), ": ", &from, &records, "\n"]);
    }
    text
}

fn reading_list(shared: &Shared<'_>, id: PageId, headed: bool) -> String {
    let shelves = reading_list::reading_list(&shared.input, &shared.facts(id).reading);
    if shelves.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    if !headed {
        push(&mut text, &heading(2, &shared.labels().further_reading));
    }
    for ReferenceGroup { title, entries } in shelves {
        push(&mut text, &format!("**{}**", escape(&title)));
        let entries = entries.iter().map(|entry| {
            let title = escape(&entry.title);
            let title =
                entry.url.as_ref().map_or_else(|| title.clone(), |url| format!("[{title}]({})", destination(url)));
            let by = entry.by.as_ref().map(|by| format!(", {}", escape(by))).unwrap_or_default();
            let note = entry.note.as_ref().map(|note| format!(": {}", escape(note))).unwrap_or_default();
            format!("- {title}{by}{note}")
        });
        push(&mut text, &entries.collect::<Vec<_>>().join("\n"));
    }
    text
}

/// Returns the questions of a track's labs with their answers.
fn practice(shared: &Shared<'_>, id: PageId, parts: &Parts<'_>) -> String {
    let Some(track) = shared.course().pages[id].track else { return String::new() };
    let mut text = String::new();
    for &lab in &shared.course().tracks[track].order {
        let asked = shared.source(lab).map(ResolvedPage::practice_copy).unwrap_or_default();
        if !asked.is_empty() {
            push(&mut text, &format!("## {}", parts.link(lab, &shared.names.heading(lab))));
        }
        for (title, body) in asked {
            push(&mut text, &format!("**{}**", escape(&title)));
            push(&mut text, &body);
        }
    }
    text
}
