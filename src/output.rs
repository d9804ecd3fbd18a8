//! What is published: output paths and their bytes.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;

use crate::project::Binary;
use crate::source::Source;

/// The finished site: every file by its output path, with `/`.
pub type Files = BTreeMap<String, Bytes>;

/// The name of the list of the site's files, which the writer adds to them.
pub const MANIFEST: &str = ".infralens-manifest.json";
/// The longest path in bytes. No system opens a path of more than 4,096 bytes, and the folder of the site is a part of it.
const MAX_PATH: usize = 1024;
/// The longest segment of a path in bytes, as in every common file system.
const MAX_SEGMENT: usize = 255;

/// Why no output folder can hold a file of this path.
#[must_use]
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
        Some("it holds a NUL character")
    } else if path.split('/').any(|segment| segment.len() > MAX_SEGMENT) {
        Some("a name in it is longer than 255 bytes")
    } else if !path.split('/').all(plain) {
        Some("it is not a plain relative path")
    } else {
        None
    }
}

/// A file's bytes, shared with where they came from.
#[derive(Debug, Clone)]
pub enum Bytes {
    /// Made by the generator.
    Made(Arc<[u8]>),
    /// A text file of the course, as it is.
    Text(Arc<Source>),
    /// A binary file of the course, as it is.
    Binary(Arc<Binary>),
    /// Built in.
    Static(&'static [u8]),
}

impl Bytes {
    /// Whether both are one and the same: no bytes are compared.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Made(this), Self::Made(other)) => Arc::ptr_eq(this, other),
            (Self::Text(this), Self::Text(other)) => Arc::ptr_eq(this, other),
            (Self::Binary(this), Self::Binary(other)) => Arc::ptr_eq(this, other),
            (Self::Static(this), Self::Static(other)) => std::ptr::eq(*this, *other),
            _ => false,
        }
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
