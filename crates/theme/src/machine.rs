//! Files for programs: `course.json`, `llms.txt`, `robots.txt`, social cards, and Markdown copies of pages.

pub mod copy;
pub mod json;
pub mod linked_data;
pub mod llms;
mod parts;
pub mod redirects;
pub mod social_card;

use infralens_render::Context;

/// Returns `robots.txt`, which allows everything and links to the sitemap if the site's address is known.
pub fn robots(cx: Context<'_>) -> String {
    let sitemap = cx.config.base_url.as_deref().map(|base| format!("\nSitemap: {base}sitemap.xml\n"));
    format!("User-agent: *\nAllow: /\n{}", sitemap.unwrap_or_default())
}
