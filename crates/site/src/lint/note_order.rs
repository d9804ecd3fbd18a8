//! `note-order`: notes that do not follow the order of their lines, so that what joins them to the code crosses.

use super::at;
use infralens_page::Document;
use infralens_render::Facts;
use infralens_render::bind::BoundNote;
use infralens_source::diag::{Diagnostic, codes};

/// Reports notes whose lines begin above those of an earlier note of the same excerpt.
pub fn crossing(document: &Document, facts: &Facts, out: &mut Vec<Diagnostic>) {
    for resolved in &facts.excerpts {
        let line = |bound: &BoundNote| resolved.shown.line_number(bound.rows.first()?.start);
        let mut lowest = 0;
        for (note, bound) in document.body.excerpts[resolved.index].notes.iter().zip(&resolved.bound) {
            let (Some(line), Some(binding)) = (line(bound), note.bindings.first()) else { continue };
            if line < lowest {
                let message = format!("this note begins at line {line}, and a note above it at line {lowest}");
                let help = "put notes in the order of their lines, so that their numbers count down the code";
                out.push(at(document, binding.from.span().clone(), codes::NOTE_ORDER, message).help(help).hint());
            }
            lowest = lowest.max(line);
        }
    }
}
