//! What is published: output paths and their bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::project::Binary;
use crate::source::Source;

/// The finished site: every file by its output path, with `/`.
pub type Files = BTreeMap<String, Bytes>;

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
