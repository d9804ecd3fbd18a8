//! The languages other than English whose labels come with the program, a file for each.

/// The languages, with their files.
pub(super) const LANGUAGES: [(&str, &str); 8] = [
    ("de", include_str!("de.yaml")),
    ("es", include_str!("es.yaml")),
    ("fr", include_str!("fr.yaml")),
    ("ja", include_str!("ja.yaml")),
    ("ko", include_str!("ko.yaml")),
    ("pt", include_str!("pt.yaml")),
    ("zh-Hans", include_str!("zh-Hans.yaml")),
    ("zh-Hant", include_str!("zh-Hant.yaml")),
];

/// The regions where Chinese is written in traditional characters, if a tag does not name the script.
const TRADITIONAL: [&str; 3] = ["TW", "HK", "MO"];

/// Whether Chinese with this tag is written in traditional characters.
pub fn is_traditional(tag: &str) -> bool {
    let has = |wanted: &str| tag.split('-').skip(1).any(|subtag| subtag.eq_ignore_ascii_case(wanted));
    has("Hant") || (!has("Hans") && TRADITIONAL.into_iter().any(has))
}

/// Returns the text of the file that fits a language tag best; it is empty if there is none. A region changes nothing, except
/// for Chinese: `pt-BR` has the labels of `pt`, `zh-TW` those of `zh-Hant`.
pub(super) fn text(tag: &str) -> &'static str {
    let language = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    let name = match language.as_str() {
        "zh" if is_traditional(tag) => "zh-Hant",
        "zh" => "zh-Hans",
        other => other,
    };
    LANGUAGES.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text)
}
