//! The card of a lab: its title, and the first line of its code that has a note, with this note.

use std::fmt::Write;

use super::super::super::shared::Shared;
use super::{accent, frame, heading, line, text};
use infralens_course::course::PageId;

/// Where the line of code is: its left end, its least top, its length and its height.
const CODE: [f32; 4] = [80.0, 350.0, 1040.0, 72.0];

/// Draws the card of a lab of a track.
pub fn svg(shared: &Shared<'_>, id: PageId) -> String {
    let (config, names) = (shared.config(), shared.names);
    let track = shared.course().pages[id].track.map(|track| names.title(shared.course().tracks[track].page));
    let mut out = frame(config, Some(track.unwrap_or(&config.title)));
    let (end, lines) = heading(&mut out, names.title(id), 130.0);
    if let Some((code, note)) = first_note(shared, id) {
        let ([x, top, width, height], accent) = (CODE, accent(config));
        let y = top.max(end + 34.0);
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"#edf4ec\"/>\
             <rect x=\"{x}\" y=\"{y}\" width=\"8\" height=\"{height}\" fill=\"{accent}\"/>"
        );
        line(&mut out, &text::first_line(&code, 34.0), [x + 32.0, y + 47.0, 32.0], "#17201b");
        for (at, words) in (1_u8..).zip(text::first_lines(&note, 30.0, if lines < 3 { 3 } else { 2 })) {
            line(&mut out, &words, [x, y + height + 14.0 + 42.0 * f32::from(at), 30.0], "#46534b");
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Returns the first line that has a note, and the text of the note.
fn first_note(shared: &Shared<'_>, id: PageId) -> Option<(String, String)> {
    let page = shared.source(id)?;
    let mut notes = page.facts.excerpts.iter().flat_map(|excerpt| {
        let bound = excerpt.bound.iter().enumerate();
        bound.filter_map(move |(at, note)| Some((excerpt, at, note.rows.first()?.start)))
    });
    let (excerpt, at, row) = notes.next()?;
    let code = excerpt.listing.line(excerpt.shown.line_number(row)? - 1).trim().to_owned();
    let name = format!("E{}-N{}", excerpt.index + 1, at + 1);
    let note = page.note_texts().into_iter().find(|note| note.id == name)?;
    Some((code, note.text))
}
