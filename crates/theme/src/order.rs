//! The reading order of each track as a script, from which pages compute the reader's next step: a page that is opened from
//! disk may load scripts, but not fetch data.

use std::collections::BTreeSet;

use serde_json::json;

use super::AssetFile;
use super::names::Names;
use infralens_course::course::{PageId, Track, url};
use infralens_source::diag::Place;
use infralens_source::output::SAME_ORIGIN;

/// Returns the script of every track: for each section and lab its URL, its name ("Lab 01: Memory", "§1 Memory"), the minutes
/// that it takes, and the URLs that it had before, if any. A track without sections and labs has none. If only some pages
/// have changed since `earlier` scripts, those of other tracks are kept.
pub fn scripts(names: Names<'_>, earlier: Option<(&[Option<AssetFile>], &BTreeSet<PageId>)>) -> Vec<Option<AssetFile>> {
    let script = |(number, track): (usize, &Track)| {
        if let Some((scripts, changed)) = earlier
            && !track.order.iter().any(|page| changed.contains(page))
        {
            return scripts[number].clone();
        }
        let pages: Vec<_> = track.order.iter().map(|&page| entry(names, page)).collect();
        let text = format!("{SAME_ORIGIN}(infralens.orders[{}] = {});\n", json!(track.name), json!(pages));
        let from = Place::file(format!("content/tracks/{}", track.name));
        (!pages.is_empty()).then(|| AssetFile::new(&format!("order-{}.js", track.name), text.into(), from))
    };
    names.course.tracks.iter().enumerate().map(script).collect()
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
