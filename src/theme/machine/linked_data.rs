//! What a page is, in the words of schema.org, as JSON-LD: a course, or something to learn from that is part of one, and
//! the way to it. Addresses are absolute, so they are left out where it is not known where the site will stand.

use serde::Serialize;
use tera::Value;

use super::super::context::Place;
use super::super::shared::{self, Shared};
use crate::course::{self, PageId};
use crate::document::Kind;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@graph")]
    graph: Vec<Node<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Node<'a> {
    Resource(Box<Resource<'a>>),
    Trail(Trail<'a>),
}

/// A `Course` or a `LearningResource`.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Resource<'a> {
    #[serde(rename = "@type")]
    kind: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_language: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    learning_resource_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    teaches: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_required: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_modified: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_part_of: Option<Box<Resource<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    has_part: Vec<Resource<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    has_course_instance: Option<Instance>,
}

/// A way to take a course.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Instance {
    #[serde(rename = "@type")]
    kind: &'static str,
    course_mode: &'static str,
    course_workload: String,
}

/// The way from a track to a page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Trail<'a> {
    #[serde(rename = "@type")]
    kind: &'static str,
    item_list_element: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    #[serde(rename = "@type")]
    kind: &'static str,
    position: usize,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<String>,
}

/// What a page is: JSON that can stand in a `script` element. `crumbs` are the way to it.
pub fn json_ld(shared: &Shared<'_>, id: PageId, crumbs: &[Place]) -> Option<Value> {
    let writer = Writer { shared };
    let resource = match shared.course().pages[id].kind {
        Kind::Home => Some(writer.home(id)),
        Kind::Track => shared.course().pages[id].track.map(|track| writer.track(track)),
        Kind::Lab | Kind::Section => Some(writer.lesson(id)),
        _ => None,
    };
    let trail = (crumbs.len() > 1).then(|| Node::Trail(writer.trail(crumbs)));
    let graph: Vec<Node<'_>> =
        resource.map(|resource| Node::Resource(Box::new(resource))).into_iter().chain(trail).collect();
    if graph.is_empty() {
        return None;
    }
    let json = serde_json::to_string(&Document { context: "https://schema.org", graph }).ok()?;
    Some(Value::safe_string(&within_script(&json)))
}

/// JSON in which nothing can end the element that it stands in: there, such characters are in strings alone.
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

struct Writer<'a> {
    shared: &'a Shared<'a>,
}

impl<'a> Writer<'a> {
    fn page(&self, id: PageId) -> &'a course::Page {
        &self.shared.course().pages[id]
    }

    fn address(&self, url: &str) -> Option<String> {
        self.shared.config().base_url.as_deref().map(|base| format!("{base}{url}"))
    }

    /// A page as others name it.
    fn named(&self, kind: &'static str, id: PageId) -> Resource<'a> {
        let names = self.shared.names;
        Resource { kind, name: names.heading(id), url: self.address(&names.url(id)), ..Resource::default() }
    }

    fn common(&self, kind: &'static str, id: PageId) -> Resource<'a> {
        let known = self.page(id);
        let checked = known.front().and_then(|front| front.common.checked.as_ref());
        Resource {
            description: shared::summary(known),
            in_language: Some(&self.shared.config().language),
            date_modified: checked.map(|date| date.value.to_string()),
            ..self.named(kind, id)
        }
    }

    fn home(&self, id: PageId) -> Resource<'a> {
        let config = self.shared.config();
        let tracks: Vec<&course::Track> = self.shared.names.published_tracks().collect();
        let order: Vec<PageId> = tracks.iter().flat_map(|track| &track.order).copied().collect();
        Resource {
            name: config.title.clone(),
            description: config.tagline.as_deref().or(shared::summary(self.page(id))),
            has_part: tracks.iter().map(|track| self.named("Course", track.page)).collect(),
            has_course_instance: self.instance(&order),
            ..self.common("Course", id)
        }
    }

    fn track(&self, track: usize) -> Resource<'a> {
        let track = &self.shared.course().tracks[track];
        Resource {
            is_part_of: Some(self.site()),
            has_part: track.order.iter().map(|&page| self.named("LearningResource", page)).collect(),
            has_course_instance: self.instance(&track.order),
            ..self.common("Course", track.page)
        }
    }

    fn lesson(&self, id: PageId) -> Resource<'a> {
        let (known, labels) = (self.page(id), self.shared.labels());
        let lab = known.lab();
        let track = known.track.map(|track| self.shared.course().tracks[track].page);
        Resource {
            learning_resource_type: Some(if lab.is_some() { &labels.lab } else { &labels.section }),
            teaches: lab.map(|lab| lab.outcome.value.as_str()),
            time_required: Some(duration(self.shared.names.minutes(id))),
            is_part_of: track.map(|track| Box::new(self.named("Course", track))),
            ..self.common("LearningResource", id)
        }
    }

    /// The course as a whole.
    fn site(&self) -> Box<Resource<'a>> {
        let name = self.shared.config().title.clone();
        Box::new(Resource { kind: "Course", name, url: self.address("index.html"), ..Resource::default() })
    }

    /// A course that has something to read is taken by reading it.
    fn instance(&self, order: &[PageId]) -> Option<Instance> {
        let minutes = self.shared.names.total_minutes(order);
        (minutes > 0).then(|| Instance {
            kind: "CourseInstance",
            course_mode: "online",
            course_workload: duration(minutes),
        })
    }

    /// All steps but the last must lead somewhere, where the site's place is known.
    fn trail<'c>(&self, crumbs: &'c [Place]) -> Trail<'c> {
        let known = self.shared.config().base_url.is_some();
        let last = crumbs.len() - 1;
        let steps = crumbs.iter().enumerate().filter(|(at, crumb)| !known || *at == last || crumb.url.is_some());
        let step = |(position, (_, crumb)): (usize, (usize, &'c Place))| Step {
            kind: "ListItem",
            position: position + 1,
            name: &crumb.title,
            item: crumb.url.as_ref().and_then(|url| self.address(url)),
        };
        Trail { kind: "BreadcrumbList", item_list_element: steps.enumerate().map(step).collect() }
    }
}

/// Minutes as ISO 8601 writes them.
fn duration(minutes: u32) -> String {
    format!("PT{minutes}M")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_element_that_json_stands_in() {
        let hostile = "</script><!--<script>&amp;\u{2028}\u{2029}\"\\";
        let json =
            serde_json::to_string(&Step { kind: "ListItem", position: 1, name: hostile, item: None }).expect("JSON");
        let escaped = within_script(&json);
        assert!(!escaped.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{escaped}");
        let read: serde_json::Value = serde_json::from_str(&escaped).expect("JSON still");
        assert_eq!(read["name"], hostile);
    }
}
