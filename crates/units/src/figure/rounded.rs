//! Words before a figure that say that it is rounded.

/// Signs that do.
const SIGNS: [char; 6] = ['≈', '~', '∼', '～', '≃', '≅'];
/// Words that do in English, which every page may use, and in languages of other scripts, which cannot be taken for English.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "about", "nearly", "almost", "roughly", "some", "over", "under", "approximately", "approx.", "around", "circa", "ca.",
    "more than", "less than", "fewer than", "close to", "约", "約", "约为", "約為", "近", "接近", "超过", "超過", "逾", "不到",
    "不足", "几乎", "幾乎", "大概", "差不多", "およそ", "おおよそ", "ほぼ", "약", "거의", "대략", "около", "почти", "примерно", "более",
    "менее", "свыше",
];
/// The same in other languages, by the language's tag.
const OTHERS: [(&str, &[&str]); 5] = [
    ("de", &["etwa", "rund", "ungefähr", "knapp", "fast", "nahezu", "gut", "über", "unter"]),
    ("fr", &["environ", "presque", "près de", "quelque", "plus de", "moins de"]),
    ("es", &["casi", "unos", "unas", "cerca de", "alrededor de", "aproximadamente", "más de", "menos de"]),
    ("pt", &["quase", "uns", "umas", "cerca de", "aproximadamente", "mais de", "menos de"]),
    ("it", &["quasi", "più di", "meno di", "oltre"]),
];
/// How many bytes before a figure are read.
const NEAR: usize = 48;

/// Whether a text, at whose end a figure begins, says that the figure is rounded, in English or in the page's language.
/// The second number of `about 2–3 GB` is rounded, too.
pub fn is_rounded(before: &str, language: &str) -> bool {
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(NEAR))..];
    let first = before.trim_end_matches(['–', '-', '—']);
    let before = if first.ends_with(|c: char| c.is_ascii_digit()) && first.len() < before.len() {
        first.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','))
    } else {
        before
    };
    let before = before.trim_end().to_lowercase();
    let language = language.split('-').next().unwrap_or_default();
    let others = OTHERS.iter().filter(|(tag, _)| tag.eq_ignore_ascii_case(language)).flat_map(|(_, words)| *words);
    before.ends_with(SIGNS) || WORDS.iter().chain(others).any(|word| ends_with_word(&before, word))
}

/// Whether a text ends with these words, which no letter of a script with spaces may precede.
fn ends_with_word(text: &str, words: &str) -> bool {
    text.strip_suffix(words).is_some_and(|rest| !rest.ends_with(super::is_word))
}

#[cfg(test)]
mod tests {
    use super::is_rounded;

    #[test]
    fn a_word_or_a_sign_directly_before_says_that_a_figure_is_rounded() {
        for before in
            ["about ", "It is About\n", "over\u{a0}", "≈ ", "~", "(some ", "just under ", "about 2–", "more than "]
        {
            assert!(is_rounded(before, "en"), "{before}");
            assert!(is_rounded(before, "zh-Hans"), "{before}");
        }
        for before in ["", "exactly ", "about the ", "whereabout ", "handsome ", "is ", "2–", "about 2 GB and "] {
            assert!(!is_rounded(before, "en"), "{before}");
        }
        for before in ["约", "权重约 ", "大约", "超过", "接近 ", "将近"] {
            assert!(is_rounded(before, "zh") && is_rounded(before, "en"), "{before}");
        }
        assert!(is_rounded("fast ", "de-AT") && is_rounded("Près de ", "FR") && !is_rounded("fast ", "en"));
    }
}
