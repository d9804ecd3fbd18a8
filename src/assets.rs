//! The data in the binary that `build.rs` has prepared: the built-in templates and static files, and a hash of the program's sources.

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

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

/// Returns the minified text of a built-in script, by its path below `static/`.
#[must_use]
pub fn script(path: &str) -> Option<&'static str> {
    SCRIPTS.binary_search_by_key(&path, |&(known, _)| known).ok().map(|at| SCRIPTS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(templates().is_sorted() && statics().is_sorted() && SCRIPTS.is_sorted());
        assert!(!templates().is_empty() && !statics().is_empty());
    }
}
