//! What is for programs: `course.json`, `llms.txt`, `robots.txt`, and copies of the pages in Markdown.

pub mod card;
pub mod copy;
mod json;
pub mod linked_data;
mod llms;
mod parts;

use super::names::Names;
use super::{Input, Made};
use crate::diag::Place;

/// The files for programs.
pub fn files(input: &Input<'_>) -> Vec<Made> {
    let names = Names { config: input.config, course: input.course };
    let made = |path: &str, text: String| Made {
        path: path.into(),
        bytes: text.into(),
        from: Place::file("content/site.yaml"),
    };
    vec![
        made("course.json", json::course(input, names)),
        made("llms.txt", llms::text(input, names)),
        made("robots.txt", robots(input)),
    ]
}

/// Everybody may read everything; where the site's place is known, this is where its pages are listed.
fn robots(input: &Input<'_>) -> String {
    let sitemap = input.config.base_url.as_deref().map(|base| format!("\nSitemap: {base}sitemap.xml\n"));
    format!("User-agent: *\nAllow: /\n{}", sitemap.unwrap_or_default())
}
