//! What is for programs: `course.json`, `llms.txt`, `robots.txt`, and copies of the pages in Markdown.

pub mod copy;
pub mod json;
pub mod linked_data;
pub mod llms;
mod parts;
pub mod social_card;

use crate::render::Context;

/// `robots.txt`: everybody may read everything; where the site's place is known, this is where its pages are listed.
pub fn robots(cx: Context<'_>) -> String {
    let sitemap = cx.config.base_url.as_deref().map(|base| format!("\nSitemap: {base}sitemap.xml\n"));
    format!("User-agent: *\nAllow: /\n{}", sitemap.unwrap_or_default())
}
