//! Styles and scripts: published under names that hold the hash of their bytes, so that browsers may keep them for ever.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Made;
use crate::assets;
use crate::course::url;
use crate::diag::Place;
use crate::output::Bytes;
use crate::project::{File, Project};

/// How many hex digits of the hash a name holds.
const DIGITS: usize = 16;

/// The styles and scripts of a site.
#[derive(Debug, Default)]
pub struct Assets {
    /// Their URLs by their path below `static/`.
    pub urls: BTreeMap<String, String>,
    /// Their files.
    pub made: Vec<Made>,
}

/// Whether the file at this path below `static/` is a style or script of the theme: published under a hashed name.
#[must_use]
pub fn is_processed(path_below_static: &str) -> bool {
    is_style_or_script(path_below_static) && assets::statics().iter().any(|(path, _)| *path == path_below_static)
}

/// Publishes the built-in styles and scripts, or what the course has put in their places.
pub fn publish(project: &Project) -> Assets {
    let mut published = Assets::default();
    for (path, built_in) in assets::statics().iter().filter(|(path, _)| is_style_or_script(path)) {
        let source = format!("static/{path}");
        let bytes = match project.files.get(source.as_str()) {
            Some(File::Text(own)) => Bytes::Text(Arc::clone(own)),
            Some(File::Binary(own)) => Bytes::Binary(Arc::clone(own)),
            _ => Bytes::Static(built_in),
        };
        let hashed = hashed_path(path, bytes.as_ref());
        published.urls.insert((*path).to_string(), url::encode(&hashed));
        published.made.push(Made { path: hashed.into(), bytes, from: Place::file(source) });
    }
    published
}

fn is_style_or_script(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "css" | "js"))
}

/// `assets/NAME.HASH.css` for `NAME.css`.
fn hashed_path(path: &str, bytes: &[u8]) -> String {
    let hash = blake3::hash(bytes).to_hex();
    let (name, extension) = path.rsplit_once('.').unwrap_or((path, ""));
    format!("assets/{name}.{}.{extension}", &hash[..DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_the_hash_of_the_bytes() {
        assert_eq!(hashed_path("style.css", b""), "assets/style.af1349b9f5f9a1a6.css");
        assert_ne!(hashed_path("style.css", b"a"), hashed_path("style.css", b"b"));
        assert!(is_processed("style.css"));
        assert!(!is_processed("favicon.svg"));
        assert!(!is_processed("extra.css"));
    }
}
