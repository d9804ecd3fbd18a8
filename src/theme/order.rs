//! The reading order of a track as a script, from which pages compute the reader's next step: a page that is opened from
//! disk may load scripts, but not fetch data.

use serde_json::json;

use super::shared::Shared;
use crate::course::{Course, PageId, url};

/// Returns the URL of a track's reading order; `None` for a track without sections and labs.
pub fn url(course: &Course, track: usize) -> Option<String> {
    let track = &course.tracks[track];
    (!track.order.is_empty()).then(|| url::encode(&path(&track.name)))
}

/// Returns the output path of a track's reading order.
pub fn path(track: &str) -> String {
    format!("tracks/{track}/order.js")
}

/// Returns the script: for each section and lab its URL, its name ("Lab 01: Memory", "§1 Memory"), the minutes that it
/// takes, and the URLs that it had before, if any.
pub fn script(shared: &Shared<'_>, track: usize) -> String {
    let track = &shared.course().tracks[track];
    let pages: Vec<_> = track.order.iter().map(|&page| entry(shared, page)).collect();
    format!("infralens.orders[{}] = {};\n", json!(track.name), json!(pages))
}

fn entry(shared: &Shared<'_>, page: PageId) -> serde_json::Value {
    let (names, known) = (shared.names, &shared.course().pages[page]);
    let aliases = known.front().map_or(&[][..], |front| &front.common.aliases);
    let was: Vec<String> = aliases.iter().map(|old| url::encode(&old.value)).collect();
    let mut entry = json!([names.url(page), names.numbered(page), names.minutes(page)]);
    if let (Some(values), false) = (entry.as_array_mut(), was.is_empty()) {
        values.push(json!(was));
    }
    entry
}
