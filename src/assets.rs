//! The data in the binary that `build.rs` has prepared: the built-in templates and static files, the compiled
//! syntaxes, and a hash of the program's sources.

/// A file of the project that is part of the binary.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// Its path in the project, beginning with `templates/` or `static/`.
    pub path: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
    /// The BLAKE3 hash of its content, in hexadecimal.
    pub hash: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The syntaxes that `code::highlight` reads.
pub static SYNTAXES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/syntaxes.bin"));

/// The BLAKE3 hash of everything that the program was compiled from, in hexadecimal. Two programs with the same id
/// make the same site from the same course.
pub const BUILD_ID: &str = include!(concat!(env!("OUT_DIR"), "/build_id.rs"));

/// Returns the path below `templates/` and the text of each built-in template, sorted.
#[must_use]
pub fn templates() -> &'static [(&'static str, &'static str)] {
    TEMPLATES
}

/// Returns the path below `static/` and the bytes of each built-in static file, sorted.
#[must_use]
pub fn statics() -> &'static [(&'static str, &'static [u8])] {
    STATICS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_one_of_the_two_lists_with_its_hash() {
        let listed: Vec<(String, &[u8])> = statics()
            .iter()
            .map(|(path, bytes)| (format!("static/{path}"), *bytes))
            .chain(templates().iter().map(|(path, text)| (format!("templates/{path}"), text.as_bytes())))
            .collect();
        assert!(listed.is_sorted());
        assert_eq!(listed.len(), ASSETS.len());
        for (asset, (path, bytes)) in ASSETS.iter().zip(&listed) {
            assert_eq!((asset.path, asset.bytes), (path.as_str(), *bytes));
            assert_eq!(asset.hash, blake3::hash(bytes).to_hex().as_str());
        }
    }
}
