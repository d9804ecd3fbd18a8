//! JSON-LD with schema.org types: describes a page as a course or as a learning resource that is part of one, and gives
//! its breadcrumbs. URLs must be absolute, so they are omitted if the site's address is unknown.

use serde_json::{Value as Json, json};
use tera::Value;

use super::super::context::Place;
use super::super::shared::{self, Shared};
use infralens_course::course::PageId;
use infralens_page::Kind;

/// Returns the JSON-LD of a page, safe inside a `script` element. `crumbs` are its breadcrumbs.
pub fn json_ld(shared: &Shared<'_>, id: PageId, crumbs: &[Place]) -> Option<Value> {
    let page = &shared.course().pages[id];
    let resource = match page.kind {
        Kind::Home => Some(home(shared, id)),
        Kind::Track => page.track.map(|track| self::track(shared, track)),
        Kind::Lab | Kind::Section => Some(lesson(shared, id)),
        _ => None,
    };
    let breadcrumbs = (crumbs.len() > 1).then(|| breadcrumbs(shared, crumbs));
    let graph: Vec<Json> = resource.into_iter().chain(breadcrumbs).map(without_empty).collect();
    if graph.is_empty() {
        return None;
    }
    let document = json!({ "@context": "https://schema.org", "@graph": graph });
    Some(Value::safe_string(&within_script(&document.to_string())))
}

/// Escapes JSON so that nothing in it can end the `script` element around it. The escaped characters occur only in
/// strings.
fn within_script(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Removes fields that are null or empty lists.
fn without_empty(json: Json) -> Json {
    let is_set = |value: &Json| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    match json {
        Json::Array(list) => list.into_iter().map(without_empty).collect(),
        Json::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| is_set(value));
            fields.map(|(name, value)| (name, without_empty(value))).collect()
        }
        value => value,
    }
}

fn address(shared: &Shared<'_>, url: &str) -> Option<String> {
    shared.config().base_url.as_deref().map(|base| format!("{base}{url}"))
}

/// Describes a page by its name and URL.
fn reference(shared: &Shared<'_>, kind: &str, id: PageId) -> Json {
    json!({ "@type": kind, "name": shared.names.heading(id), "url": address(shared, &shared.names.url(id)) })
}

fn references(shared: &Shared<'_>, kind: &str, pages: &[PageId]) -> Vec<Json> {
    pages.iter().map(|&page| reference(shared, kind, page)).collect()
}

fn home(shared: &Shared<'_>, id: PageId) -> Json {
    let (config, page) = (shared.config(), &shared.course().pages[id]);
    let tracks: Vec<PageId> = shared.names.published_tracks().map(|track| track.page).collect();
    let order: Vec<PageId> = shared.names.published_tracks().flat_map(|track| &track.order).copied().collect();
    json!({
        "@type": "Course",
        "name": config.title,
        "url": address(shared, &shared.names.url(id)),
        "description": config.tagline.as_deref().or(shared::summary(page)),
        "inLanguage": config.language,
        "dateModified": shared::checked(page),
        "hasPart": references(shared, "Course", &tracks),
        "hasCourseInstance": instance(shared, &order),
    })
}

fn track(shared: &Shared<'_>, track: usize) -> Json {
    let (config, track) = (shared.config(), &shared.course().tracks[track]);
    let page = &shared.course().pages[track.page];
    json!({
        "@type": "Course",
        "name": shared.names.heading(track.page),
        "url": address(shared, &shared.names.url(track.page)),
        "description": shared::summary(page),
        "inLanguage": config.language,
        "dateModified": shared::checked(page),
        "isPartOf": { "@type": "Course", "name": config.title, "url": address(shared, "index.html") },
        "hasPart": references(shared, "LearningResource", &track.order),
        "hasCourseInstance": instance(shared, &track.order),
    })
}

fn lesson(shared: &Shared<'_>, id: PageId) -> Json {
    let (page, labels) = (&shared.course().pages[id], shared.labels());
    let track = page.track.map(|track| shared.course().tracks[track].page);
    json!({
        "@type": "LearningResource",
        "name": shared.names.heading(id),
        "url": address(shared, &shared.names.url(id)),
        "description": shared::summary(page),
        "inLanguage": shared.config().language,
        "learningResourceType": if page.lab().is_some() { &labels.lab } else { &labels.section },
        "teaches": page.lab().map(|lab| &lab.outcome.value),
        "timeRequired": duration(shared.names.minutes(id)),
        "dateModified": shared::checked(page),
        "isPartOf": track.map(|track| reference(shared, "Course", track)),
    })
}

/// Returns the workload of pages; `None` if it is zero.
fn instance(shared: &Shared<'_>, order: &[PageId]) -> Option<Json> {
    let minutes = shared.names.total_minutes(order);
    let workload = duration(minutes);
    (minutes > 0).then(|| json!({ "@type": "CourseInstance", "courseMode": "online", "courseWorkload": workload }))
}

/// Builds the breadcrumbs. Every step but the last must have a URL if the site's address is known.
fn breadcrumbs(shared: &Shared<'_>, crumbs: &[Place]) -> Json {
    let is_valid = |crumb: &Place| shared.config().base_url.is_none() || crumb.url.is_some();
    let last = crumbs.len() - 1;
    let steps = crumbs.iter().enumerate().filter(|(at, crumb)| *at == last || is_valid(crumb)).map(|(_, crumb)| crumb);
    let step = |(position, crumb): (usize, &Place)| {
        let item = crumb.url.as_ref().and_then(|url| address(shared, url));
        json!({ "@type": "ListItem", "position": position, "name": crumb.title, "item": item })
    };
    json!({ "@type": "BreadcrumbList", "itemListElement": (1..).zip(steps).map(step).collect::<Vec<_>>() })
}

/// Formats minutes as an ISO 8601 duration.
fn duration(minutes: u32) -> String {
    format!("PT{minutes}M")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_end_its_script_element() {
        let hostile = "</script><!--<script>&amp;\u{2028}\u{2029}\"\\";
        let escaped = within_script(&json!({ "name": hostile }).to_string());
        assert!(!escaped.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{escaped}");
        let read: serde_json::Value = serde_json::from_str(&escaped).expect("JSON still");
        assert_eq!(read["name"], hostile);
    }
}
