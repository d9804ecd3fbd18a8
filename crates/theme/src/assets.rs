//! Styles and scripts, published under names that contain the hash of their bytes, so that browsers may cache them
//! forever.
//!
//! Files directly in `static/` are published; files in its folders are parts of a style sheet that imports them. The
//! scripts that every page needs are published as one, `page.js`.

pub mod style;
mod urls;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::AssetFile;
use super::builtin::{Builtin, CUSTOM};
use super::eject::is_unchanged;
use super::shortcuts;
use infralens_course::config::Config;
use infralens_source::diag::{Diagnostic, Place};
use infralens_source::output::{Bytes, hashed};
use infralens_source::project::{File, Project};
use infralens_source::url;

/// The styles and scripts of a site.
#[derive(Debug, Default, Clone)]
pub struct Assets {
    /// The URLs by path below `static/`.
    pub urls: Arc<BTreeMap<String, String>>,
    pub files: Vec<AssetFile>,
    /// Faults in the course's own styles, and addresses in them that lead nowhere.
    pub diagnostics: Vec<Diagnostic>,
    /// What [`PAGE`] has after the labels.
    page_scripts: Arc<str>,
}

/// The script of every page, which is made of these. One file is smaller than three.
const PAGE: &str = "page.js";
/// The script that only courses in several languages have.
const LANGUAGES: &str = "languages.js";
/// The style sheet and the script that only a site with marked changes has.
const MARKS: [&str; 2] = ["marks.css", "marks.js"];
const PAGE_SCRIPTS: [&str; 3] = ["site.js", "lens.js", "progress.js"];

/// The labels that these scripts show, which they find in `infralens.words`.
const WORDS: [&str; 25] = [
    "close", "copied", "copy_link", "glossary", "hide_notes", "hours", "is_read", "labs_read", "line", "lines",
    "mark_read", "min", "newer", "not_copied", "search_failed", "show_notes", "store_damaged", "store_forbidden",
    "store_newer", "theme", "theme_dark", "theme_light", "theme_system", "time_read", "unmark_read",
];

impl Assets {
    /// Publishes the built-in styles and scripts, or the course's replacements for them, and its additions. `rules` are
    /// added at the end of `style.css`, and the labels of `config` at the beginning of `page.js`. `is_marked` adds what only a
    /// site has whose changes are marked.
    pub fn publish(project: &Project, builtin: Builtin, rules: &str, config: &Config, is_marked: bool) -> Self {
        let diagnostics = urls::dead(project, builtin, config.base_path());
        let mut published = Self { diagnostics, ..Self::default() };
        let mut urls = BTreeMap::new();
        let custom = CUSTOM.into_iter().filter(|path| project.files.contains_key(format!("static/{path}").as_str()));
        let custom = custom.map(|path| (path, &[][..]));
        let mut scripts: BTreeMap<&str, String> = BTreeMap::new();
        let has_languages = config.languages.tags().len() > 0;
        let is_needed = |path: &str| (has_languages || path != LANGUAGES) && (is_marked || !MARKS.contains(&path));
        let is_published = |path: &str| !path.contains('/') && is_needed(path);
        for (path, text) in
            builtin.assets().filter(|(path, _)| is_published(path)).chain(custom).chain([(PAGE, &[][..])])
        {
            let source = format!("static/{path}");
            let bytes = if path.ends_with(".css") {
                let rules = if path == "style.css" { rules } else { "" };
                style::bundle(project, builtin, &source, rules).unwrap_or_else(|fault| {
                    published.diagnostics.push(*fault);
                    Bytes::from(String::new())
                })
            } else if path == PAGE {
                let scripts = PAGE_SCRIPTS.map(|path| scripts.remove(path).unwrap_or_default());
                published.page_scripts = scripts.concat().into();
                published.page_script(config)
            } else {
                match project.files.get(source.as_str()) {
                    Some(File::Text(own)) if !str::from_utf8(text).is_ok_and(|text| is_unchanged(own.text(), text)) => {
                        Bytes::from(own.text().to_owned())
                    }
                    Some(File::Binary(own)) => Bytes::Binary(Arc::clone(own)),
                    _ => builtin.script(path).map_or(Bytes::Static(text), |script| Bytes::Static(script.as_bytes())),
                }
            };
            if PAGE_SCRIPTS.contains(&path) {
                scripts.insert(path, String::from_utf8_lossy(bytes.as_ref()).into_owned());
                continue;
            }
            let file = AssetFile::new(path, bytes, Place::file(source));
            urls.insert(path.to_string(), config.shared(url::encode(&file.path)));
            published.files.push(file);
        }
        published.urls = Arc::new(urls);
        published
    }

    /// Returns the styles and scripts of the same site in another language, whose labels are those of `config`.
    pub fn in_language(&self, config: &Config) -> Self {
        let mut urls = BTreeMap::new();
        let mut files = self.files.clone();
        for file in &mut files {
            let name = url::file_name(&file.from.file).to_owned();
            if name == PAGE {
                *file = AssetFile::new(PAGE, self.page_script(config), file.from.clone());
            }
            urls.insert(name, config.shared(url::encode(&file.path)));
        }
        Self { urls: Arc::new(urls), files, diagnostics: Vec::new(), page_scripts: Arc::clone(&self.page_scripts) }
    }

    fn page_script(&self, config: &Config) -> Bytes {
        (words(config) + &self.page_scripts).into()
    }

    /// Returns the path of the search index's first file, `search/index.HASH.js`. It changes with every page, so it is named
    /// by the hash of the script that reads it: a script that is older than the site finds no index that it might misread.
    pub fn search_index(&self) -> String {
        let hash = self.urls.get("search.js").and_then(|url| url.rsplit('.').nth(1));
        format!("search/index.{}.js", hash.unwrap_or_default())
    }
}

impl AssetFile {
    /// Names a file by the hash of its bytes: `assets/NAME.HASH.js` for `NAME.js`.
    pub fn new(name: &str, bytes: Bytes, from: Place) -> Self {
        let path = hashed(&format!("assets/{name}"), bytes.as_ref()).into();
        Self { path, bytes, from }
    }
}

/// Returns the statement that gives scripts their labels. They read the title of the site from its pages, so that a new one leaves
/// the name of the script as it is.
fn words(config: &Config) -> String {
    let mut labels = serde_json::to_value(&config.labels).unwrap_or_default();
    let mut words: BTreeMap<&str, serde_json::Value> =
        WORDS.into_iter().map(|name| (name, labels[name].take())).collect();
    words.insert("keys", serde_json::json!(shortcuts::single_keys()));
    format!("infralens.words={};\n", serde_json::json!(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::builtin;

    #[test]
    fn styles_and_scripts_are_the_theme_s() {
        assert!(builtin().is_asset("style.css"));
        assert!(builtin().is_asset("style/lens.css"));
        assert!(!builtin().is_asset("favicon.svg"));
        assert!(!builtin().is_asset("extra.css"));
    }

    #[test]
    fn the_scripts_of_every_page_are_published_as_one() {
        let assets = Assets::publish(&Project::default(), builtin(), "", &Config::default(), false);
        let page = assets.files.iter().find(|made| made.path.starts_with("assets/page.")).expect("a script");
        let text = String::from_utf8(page.bytes.as_ref().to_vec()).expect("text");
        let at = ["infralens:theme", "data-lines", "infralens:course"].map(|name| text.find(name).expect(name));
        assert!(at.is_sorted(), "{at:?}");
        assert!(PAGE_SCRIPTS.iter().all(|path| !assets.urls.contains_key(*path)));
    }

    #[test]
    fn the_title_of_the_site_is_no_part_of_a_script() {
        let named = |title: &str| {
            let config = Config { title: title.to_owned(), ..Config::default() };
            Assets::publish(&Project::default(), builtin(), "", &config, false).urls
        };
        assert_eq!(named("One"), named("Another"), "or the preview would load every page again");
    }

    #[test]
    fn a_language_has_the_assets_that_would_be_published_for_it() {
        let mut translated = Config::default();
        translated.labels.close = "Schließen".to_owned();
        let publish = |config: &Config| Assets::publish(&Project::default(), builtin(), "", config, false);
        let (source, made) = (publish(&Config::default()), publish(&translated));
        let found = source.in_language(&translated);
        assert_eq!(found.urls, made.urls);
        assert_ne!(found.urls, source.urls, "its labels are in a script");
        let files = |assets: &Assets| -> Vec<_> {
            assets.files.iter().map(|file| (Arc::clone(&file.path), file.bytes.as_ref().to_vec())).collect()
        };
        assert_eq!(files(&found), files(&made));
    }

    #[test]
    fn scripts_are_given_labels_that_exist() {
        let words = words(&Config::default());
        assert!(words.contains(r#""store_newer":"Your progress"#) && !words.contains("null"), "{words}");
    }

    #[test]
    fn parts_of_a_style_sheet_are_published_within_it() {
        let assets = Assets::publish(&Project::default(), builtin(), "", &Config::default(), false);
        assert!(assets.diagnostics.is_empty(), "{:?}", assets.diagnostics);
        assert!(assets.urls.contains_key("style.css"));
        assert!(assets.urls.keys().all(|path| !path.contains('/')));
        let style = assets.files.iter().find(|made| made.path.starts_with("assets/style.")).expect("a style sheet");
        let text = String::from_utf8(style.bytes.as_ref().to_vec()).expect("text");
        assert!(text.contains(".marker") && !text.contains("@import") && !text.contains("/*"), "{text}");
    }
}
