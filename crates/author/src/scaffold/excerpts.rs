//! Writes the excerpts of a new lab as Markdown: one per region of its file, or else the beginning of the file. Each has its
//! pin, and a note for the author to write.

use super::templates::prompt;
use infralens_page::fence::write::code_block;
use infralens_source::selector::Selector;
use infralens_starter::{Listing, SelectedRows, language};

/// The number of lines shown of a file without regions.
const MAX_LINES: usize = 30;

/// Writes an excerpt per region of a file, whose path after `file=` is `file_ref`; empty if there are no regions.
pub(super) fn of_regions(listing: &Listing, file_ref: &str) -> String {
    let regions = listing.regions().iter().map(|region| Selector::Region(region.name.clone()));
    let excerpts: Vec<String> = regions.filter_map(|region| excerpt(listing, file_ref, &region)).collect();
    excerpts.join("\n")
}

/// Writes an excerpt of the first lines of a lab's main file, which has no regions. Also returns the selector of these lines.
pub(super) fn of_first_lines(listing: &Listing) -> (String, Selector) {
    let lines = Selector::Lines(1, listing.line_count().min(MAX_LINES));
    let excerpt = excerpt(listing, "", &lines).unwrap_or_default();
    (format!("{excerpt}\n{}\n", prompt("code: choose").unwrap_or_default()), lines)
}

/// Writes a fence with its pin, and a note on all of its lines; `None` if these are blank.
fn excerpt(listing: &Listing, file_ref: &str, piece: &Selector) -> Option<String> {
    let rows = SelectedRows::new(listing, vec![listing.select(piece).ok()?]);
    let view = rows.view(listing);
    let code = view.lines();
    if code.iter().all(|line| line.is_empty()) {
        return None;
    }
    // Markdown treats a lone carriage return as a line end, so a fence cannot contain such code.
    let pin = if code.iter().any(|line| line.contains('\r')) { String::new() } else { code.join("\n") + "\n" };
    let word = language::word(listing.language_path(), listing.line(0));
    let note = prompt("note: lines").unwrap_or_default();
    let fence = code_block(&word, &format!(" file={file_ref}#{piece}"), &pin);
    Some(format!("{fence}\n\n1. [These lines](#{piece}) — {note}\n"))
}
