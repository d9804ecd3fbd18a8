//! The files that a page shows beside its own text, such as pictures: they keep their names when they change, so that a
//! page that is the same to the byte looks different all the same.

use crate::course::url;

/// A file that a page shows: as the page names it, and which version it is.
pub type Named = (String, std::sync::Arc<str>);

/// The elements that show a file.
const ELEMENTS: [&str; 8] = ["img", "source", "link", "script", "video", "audio", "track", "object"];
/// Where they name it.
const ATTRIBUTES: [&str; 4] = [" src=\"", " href=\"", " poster=\"", " data=\""];

/// What a page names: paths as they are written, each once, in the order of their names. No page, and nothing from
/// elsewhere, if it is then looked for with [`path`].
#[must_use]
pub fn named(html: &str) -> Vec<&str> {
    let tags = html.split('<').filter(|tag| {
        let name = tag.split(|c: char| c.is_ascii_whitespace() || c == '>').next().unwrap_or_default();
        ELEMENTS.contains(&name)
    });
    let value = |tag: &'_ str, attribute: &str| -> Option<std::ops::Range<usize>> {
        let start = tag.find(attribute)? + attribute.len();
        Some(start..start + tag[start..].find('"')?)
    };
    let mut names: Vec<&str> = tags
        .flat_map(|tag| ATTRIBUTES.iter().filter_map(move |attribute| Some(&tag[value(tag, attribute)?])))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The output path that a name on a page leads to; `base` is the path under which the site stands. Names with a query, a
/// fragment or an escaped character are left alone.
#[must_use]
pub fn path(page: &str, name: &str, base: &str) -> Option<String> {
    if name.contains(['?', '#', '&', ':']) {
        return None;
    }
    let name = url::decode(name);
    match name.strip_prefix(base).or_else(|| name.strip_prefix('/')) {
        Some(below) => Some(below.to_owned()),
        None => url::join(url::folder(page), &name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_files_are_shown() {
        let html = "<head><link rel=\"stylesheet\" href=\"own.css\"><script src=\"a.js\" defer></script></head>\n\
            <p>See <a href=\"b.html\">b</a> <img alt=\"x\" src=\"p.png\" width=\"2\"> and <img src=\"p.png\"> \
            &lt;img src=\"no.png\"&gt;<video poster=\"v.png\" src=\"v.mp4\"></video><img src=never><img src=\"open";
        assert_eq!(named(html), ["a.js", "own.css", "p.png", "v.mp4", "v.png"]);
    }

    #[test]
    fn names_lead_to_files_of_the_site() {
        assert_eq!(path("a/b.html", "../p%20q.png", "/").as_deref(), Some("p q.png"));
        assert_eq!(path("a/b.html", "p.png", "/course/").as_deref(), Some("a/p.png"));
        assert_eq!(path("404.html", "/course/p.png", "/course/").as_deref(), Some("p.png"));
        assert_eq!(path("404.html", "/p.png", "/course/").as_deref(), Some("p.png"));
        for name in ["https://example.org/p.png", "p.png?x", "p.svg#x", "../../p.png", "data:,x"] {
            assert_eq!(path("a/b.html", name, "/"), None, "{name}");
        }
    }
}
