//! What the binary carries: the built-in templates and static files, and the compiled syntaxes, as `build.rs` found
//! them, and the hash of its own sources.

/// A file of the project that is part of the binary.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// Its path in the project, beginning with `templates/` or `static/`.
    pub path: &'static str,
    /// What it holds.
    pub bytes: &'static [u8],
    /// BLAKE3 of that, in hexadecimal.
    pub hash: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The syntaxes that `code::highlight` reads.
pub static SYNTAXES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/syntaxes.bin"));

/// BLAKE3 of everything that the program was compiled from, in hexadecimal: two programs with the same id make the same
/// site from the same course.
pub const BUILD_ID: &str = include!(concat!(env!("OUT_DIR"), "/build_id.rs"));

/// The built-in templates, sorted: path below `templates/`, text.
#[must_use]
pub fn templates() -> &'static [(&'static str, &'static str)] {
    TEMPLATES
}

/// The built-in static files, sorted: path below `static/`, bytes.
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
