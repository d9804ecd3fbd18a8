//! The built-in templates and static files. The program embeds them and hands them over, so that this crate reads no
//! repository.

/// The files that every site has unless its course replaces them. Without them, no page can be made.
#[derive(Debug, Default, Clone, Copy)]
pub struct Builtin {
    /// The path below `templates/` and the text of each template, sorted.
    pub templates: &'static [(&'static str, &'static str)],
    /// The path below `static/` and the bytes of each static file, sorted.
    pub statics: &'static [(&'static str, &'static [u8])],
    /// The path below `static/` and the text of each script as it is published, minified; sorted.
    pub scripts: &'static [(&'static str, &'static str)],
}

/// A style and a script of a course's own, which are on every page after the theme's.
pub(crate) const CUSTOM: [&str; 2] = ["custom.css", "custom.js"];

impl Builtin {
    /// Returns whether the file at this path below `static/` is a style or script of the theme, or a part of one, or the
    /// course's addition to them. It is published under a hashed name, or within another file.
    pub fn is_asset(self, path_below_static: &str) -> bool {
        CUSTOM.contains(&path_below_static) || self.assets().any(|(path, _)| path == path_below_static)
    }

    /// Returns the styles and scripts and their parts: path below `static/`, bytes.
    pub(crate) fn assets(self) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        let is_asset = |path: &str| path.ends_with(".css") || path.ends_with(".js");
        self.statics.iter().copied().filter(move |(path, _)| is_asset(path))
    }

    /// Returns the bytes of the static file at a path below `static/`.
    pub(crate) fn static_file(self, path: &str) -> Option<&'static [u8]> {
        self.statics.iter().find(|(known, _)| *known == path).map(|(_, bytes)| *bytes)
    }

    /// Returns the minified text of the script at a path below `static/`.
    pub(crate) fn script(self, path: &str) -> Option<&'static str> {
        self.scripts.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
    }
}
