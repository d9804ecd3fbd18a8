//! The reading order of a track as a script, from which pages compute the reader's next step: a page that is opened from
//! disk may load scripts, but not fetch data.

use serde_json::json;

use super::names::Names;
use crate::course::{Course, PageId, url};
use crate::output::{SAME_ORIGIN, version};

/// Whether a track has a reading order: it has sections or labs.
pub fn exists(course: &Course, track: usize) -> bool {
    !course.tracks[track].order.is_empty()
}

/// Returns the URL of a track's reading order, with its version; `None` for a track without one.
pub fn url(names: Names<'_>, track: usize) -> Option<String> {
    let name = &names.course.tracks[track].name;
    exists(names.course, track)
        .then(|| format!("{}?{}", url::encode(&path(name)), version(script(names, track).as_bytes())))
}

/// Returns the output path of a track's reading order.
pub fn path(track: &str) -> String {
    format!("tracks/{track}/order.js")
}

/// Returns the script: for each section and lab its URL, its name ("Lab 01: Memory", "§1 Memory"), the minutes that it
/// takes, and the URLs that it had before, if any.
pub fn script(names: Names<'_>, track: usize) -> String {
    let track = &names.course.tracks[track];
    let pages: Vec<_> = track.order.iter().map(|&page| entry(names, page)).collect();
    format!("{SAME_ORIGIN}(infralens.orders[{}] = {});\n", json!(track.name), json!(pages))
}

fn entry(names: Names<'_>, page: PageId) -> serde_json::Value {
    let known = &names.course.pages[page];
    let aliases = known.front().map_or(&[][..], |front| &front.common.aliases);
    let was: Vec<String> = aliases.iter().map(|old| url::encode(&old.value)).collect();
    let mut entry = json!([names.url(page), names.numbered(page), names.minutes(page)]);
    if let (Some(values), false) = (entry.as_array_mut(), was.is_empty()) {
        values.push(json!(was));
    }
    entry
}
