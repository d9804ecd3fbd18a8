//! The data in the binary that `build.rs` has prepared: the built-in templates and static files, and a hash of the program's sources.

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The BLAKE3 hash of everything that the program was compiled from, in hexadecimal. Two programs with the same id
/// make the same site from the same course.
pub const BUILD_ID: &str = include!(concat!(env!("OUT_DIR"), "/build_id.rs"));

/// Returns the path below `templates/` and the text of each built-in template, sorted.
pub fn templates() -> &'static [(&'static str, &'static str)] {
    TEMPLATES
}

/// Returns the path below `static/` and the bytes of each built-in static file, sorted.
pub fn statics() -> &'static [(&'static str, &'static [u8])] {
    STATICS
}

/// Returns the minified text of a built-in script, by its path below `static/`.
pub fn script(path: &str) -> Option<&'static str> {
    SCRIPTS.binary_search_by_key(&path, |&(known, _)| known).ok().map(|at| SCRIPTS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No heading gets such an id.
    #[test]
    fn ids_of_the_templates_are_reserved() {
        for (path, text) in templates() {
            let ids = text.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
            for id in ids.filter(|id| !id.contains('{')) {
                assert!(infralens_page::is_generated(id), "`{id}` of {path}");
            }
        }
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(templates().is_sorted() && statics().is_sorted() && SCRIPTS.is_sorted());
        assert!(!templates().is_empty() && !statics().is_empty());
    }
}
