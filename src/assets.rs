//! The data in the binary that `build.rs` has prepared: the built-in templates and static files, and a hash of the program's sources.

use infralens_theme::Builtin;

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The BLAKE3 hash of everything that the program was compiled from, in hexadecimal. Two programs with the same id
/// make the same site from the same course.
pub const BUILD_ID: &str = include!(concat!(env!("OUT_DIR"), "/build_id.rs"));

/// The theme that the program brings along.
pub static BUILTIN: Builtin = Builtin { templates: TEMPLATES, statics: STATICS, scripts: SCRIPTS };

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use infralens_course::config::Config;
    use infralens_source::project::{File, Project};
    use infralens_source::source::Source;
    use infralens_theme::Assets;

    /// No heading gets such an id.
    #[test]
    fn ids_of_the_templates_are_reserved() {
        for (path, text) in TEMPLATES {
            let ids = text.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
            for id in ids.filter(|id| !id.contains('{')) {
                assert!(infralens_page::is_generated(id), "`{id}` of {path}");
            }
        }
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(TEMPLATES.is_sorted() && STATICS.is_sorted() && SCRIPTS.is_sorted());
        assert!(!TEMPLATES.is_empty() && !STATICS.is_empty());
    }

    #[test]
    fn a_script_is_minified_until_a_course_has_changed_it() {
        let calc = |own: Option<&str>| {
            let mut project = Project::default();
            if let Some(text) = own {
                let path: Arc<str> = "static/calc.js".into();
                project.put(&path, Some(File::Text(Arc::new(Source::new(Arc::clone(&path), text)))));
            }
            let files = Assets::publish(&project, BUILTIN, "", &Config::default(), false).files;
            let made = files.iter().find(|made| made.path.starts_with("assets/calc.")).expect("a script");
            String::from_utf8(made.bytes.as_ref().to_vec()).expect("text")
        };
        let (_, built_in) = STATICS.iter().find(|(path, _)| *path == "calc.js").expect("a script");
        let built_in = str::from_utf8(built_in).expect("text");
        assert!(calc(None).len() < built_in.len() * 2 / 3 && !calc(None).contains("//"));
        assert_eq!(calc(Some(built_in)), calc(None));
        assert_eq!(calc(Some("// mine\n")), "// mine\n");
    }
}
