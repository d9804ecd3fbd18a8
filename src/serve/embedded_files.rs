//! Finds the files that a page embeds, such as pictures. These keep their names when they change, so a page whose HTML is
//! the same can look different.

use std::sync::Arc;

use infralens_source::html::{self, Leads};
use infralens_source::url;

/// A file that a page embeds: the name by which the page refers to it, and a hash of its content.
pub type EmbeddedFile = (String, Arc<str>);

/// Returns the names of the files that a page embeds, as they are written, sorted and each once. Some may be addresses on
/// other sites, for which [`resolve_name`] returns `None`.
pub fn names(html: &str) -> Vec<&str> {
    let embedded = html::urls(html).into_iter().filter(|(leads, _)| *leads != Leads::Link);
    let mut names: Vec<&str> = embedded.map(|(_, range)| &html[range]).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the output path that a name on a page leads to; `base` is the path of the site's URL. A name with a query,
/// a fragment, a scheme or a character reference is ignored.
pub fn resolve_name(page: &str, name: &str, base: &str) -> Option<String> {
    if name.contains(['?', '#', '&', ':']) {
        return None;
    }
    let (name, base) = (url::decode(name), url::decode(base));
    match name.strip_prefix(&*base).or_else(|| name.strip_prefix('/')) {
        Some(below) => Some(below.to_owned()),
        None => url::join(url::folder(page), &name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_elements_that_embed_files() {
        let html = "<head><link rel=\"stylesheet\" href=\"own.css\"><script src=\"a.js\" defer></script></head>\n\
            <p>See <a href=\"b.html\">b</a> <img alt=\"x\" src=\"p.png\" width=\"2\"> and <img src=\"p.png\"> \
            &lt;img src=\"no.png\"&gt;<video poster=\"v.png\" src=\"v.mp4\"></video><img src=bare><img src=\"open";
        assert_eq!(names(html), ["a.js", "bare", "own.css", "p.png", "v.mp4", "v.png"]);
    }

    #[test]
    fn names_lead_to_files_of_the_site() {
        assert_eq!(resolve_name("a/b.html", "../p%20q.png", "/").as_deref(), Some("p q.png"));
        assert_eq!(resolve_name("a/b.html", "p.png", "/course/").as_deref(), Some("a/p.png"));
        assert_eq!(resolve_name("404.html", "/course/p.png", "/course/").as_deref(), Some("p.png"));
        assert_eq!(resolve_name("404.html", "/p.png", "/course/").as_deref(), Some("p.png"));
        assert_eq!(resolve_name("404.html", "/caf%C3%A9/p.png", "/caf%C3%A9/").as_deref(), Some("p.png"));
        for name in ["https://example.org/p.png", "p.png?x", "p.svg#x", "../../p.png", "data:,x"] {
            assert_eq!(resolve_name("a/b.html", name, "/"), None, "{name}");
        }
    }
}
