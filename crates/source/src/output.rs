//! The files of a site: output paths and their bytes.

mod content_type;

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;

pub use content_type::content_type;

use crate::project::Binary;
use crate::source::Source;

/// A finished site: the bytes of each file by its output path, with `/`.
pub type Files = BTreeMap<String, Bytes>;

/// The name of the manifest, the list of the site's files that the writer adds.
pub const MANIFEST: &str = ".infralens-manifest.json";
/// The maximum length of a path in bytes. No system opens a path of more than 4,096 bytes, which includes the folder
/// of the site.
const MAX_PATH: usize = 1024;
/// The maximum length of a path's segment in bytes, as in every common file system.
const MAX_SEGMENT: usize = 255;

/// Returns why a file cannot have this path in an output folder; `None` if it can.
pub fn fault(path: &str) -> Option<&'static str> {
    let plain = |segment: &str| {
        let mut parts = Path::new(segment).components();
        matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == segment)
    };
    if path.len() > MAX_PATH {
        Some("it is longer than 1024 bytes")
    } else if path.split('/').next().is_some_and(|first| first.eq_ignore_ascii_case(MANIFEST)) {
        Some("the name is taken by the list of the site's files")
    } else if path.contains('\0') {
        Some("it contains a NUL character")
    } else if path.split('/').any(|segment| segment.len() > MAX_SEGMENT) {
        Some("a name in it is longer than 255 bytes")
    } else if !path.split('/').all(plain) {
        Some("it is not a plain relative path")
    } else {
        None
    }
}

/// What a script begins with that hands over data. A page of another origin can load a script, and so define the function
/// that it calls; the data is for the site's own pages. No script can prove where it runs, so a server that lets in only
/// some readers also has to say `Cross-Origin-Resource-Policy: same-origin`.
pub const SAME_ORIGIN: &str = "new URL(document.currentScript.src).origin===new URL(location).origin&&";

/// The number of hex digits of the hash in a name, which `search.js` knows, too.
const DIGITS: usize = 8;

/// Returns the path of a file with these bytes: `assets/style.af1349b9.css` for `assets/style.css`. A page that is open while
/// the site is published again gets the file that it belongs to or none, whatever the host does with the rest of a URL, and
/// browsers may keep it forever.
pub fn hashed(path: &str, bytes: &[u8]) -> String {
    let (name, extension) = path.rsplit_once('.').unwrap_or((path, ""));
    format!("{name}.{}.{extension}", hash(bytes))
}

/// Returns whether the name of a file contains the hash of its bytes, so that another content would have another name.
pub fn is_hashed(path: &str, bytes: &[u8]) -> bool {
    let parts = path.rsplit_once('.').and_then(|(name, _)| name.rsplit_once('.'));
    parts.is_some_and(|(_, known)| known == hash(bytes))
}

/// Returns the hash of a file as it is in the file's name.
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..DIGITS].to_owned()
}

/// The bytes of a file, shared with their source.
#[derive(Debug, Clone)]
pub enum Bytes {
    /// Generated.
    Made(Arc<[u8]>),
    /// A text file of the course, unchanged.
    Text(Arc<Source>),
    /// A binary file of the course, unchanged.
    Binary(Arc<Binary>),
    /// A built-in file.
    Static(&'static [u8]),
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Made(bytes) => bytes,
            Self::Text(source) => source.text().as_bytes(),
            Self::Binary(binary) => &binary.bytes,
            Self::Static(bytes) => bytes,
        }
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        Self::Made(text.into_bytes().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_the_hash_of_the_bytes() {
        assert_eq!(hashed("assets/style.css", b""), "assets/style.af1349b9.css");
        assert_ne!(hashed("style.css", b"a"), hashed("style.css", b"b"));
        assert_eq!(hashed("a.b/order-x.y.js", b""), "a.b/order-x.y.af1349b9.js");
        assert!(is_hashed("assets/style.af1349b9.css", b"") && is_hashed("a/b.c.af1349b9.js", b""));
        for path in
            ["assets/style.css", "assets/style.af1349ba.css", "assets/style.af1349.css", "af1349b9.css", "x", ""]
        {
            assert!(!is_hashed(path, b""), "{path}");
        }
    }
}
