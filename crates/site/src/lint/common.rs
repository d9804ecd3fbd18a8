//! Recognizes parts of code spans that need not appear in a file: words of the language, symbols, sizes, addresses.

use infralens_source::source::Span;
use infralens_starter::highlight::{Class, Language, highlight};

/// Prefixes of number types, which a number of bits and perhaps the bits of the exponent follow: `float16`, `fp8_e4m3`.
const NUMBERS: [&str; 8] = ["int", "uint", "float", "bfloat", "fp", "bf", "tf", "nf"];
/// Names in formulas, which a base may follow, as in `log2(n)`.
const FORMULAS: [&str; 13] =
    ["abs", "ceil", "exp", "floor", "inf", "ln", "log", "max", "min", "nan", "NaN", "sqrt", "sum"];

/// Returns whether a name is common knowledge: a symbol of one letter, as in `[B, T, D]` or `p99`, a number type, or a name
/// in formulas.
pub fn is_common(name: &str) -> bool {
    let stem = name.trim_end_matches(char::is_numeric);
    stem.chars().count() == 1 || FORMULAS.contains(&stem) || is_kind_of_number(name)
}

fn is_kind_of_number(name: &str) -> bool {
    let Some(bits) = NUMBERS.iter().find_map(|kind| name.strip_prefix(kind)) else { return false };
    let split = bits.trim_start_matches(is_digit);
    let is_split = split.strip_prefix("_e").is_some_and(|exponent| exponent.starts_with(is_digit));
    split.len() < bits.len() && (split.is_empty() || is_split)
}

/// Returns whether a name is a word of a language itself, such as `None`, `ValueError` or `size_t`. Names in capitals do not
/// count as constants, because some syntaxes treat all of them so.
pub fn is_word_of(language: Language, name: &str) -> bool {
    let highlighted = highlight(Some(language), name);
    let [word] = highlighted.line(0) else { return false };
    match word.class {
        Class::Keyword | Class::Type => true,
        Class::Number => name.contains(char::is_lowercase),
        _ => false,
    }
}

/// Returns the words of a code span whose names must be in some file. Left out are URLs, absolute paths, units as in `80 GB`
/// and `16-bit`, and options such as `--max-len` if `max_len` is known.
pub fn claims(code: &str, is_known: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let mut after_number = false;
    code.split_whitespace().filter_map(move |word| {
        let counted = after_number && is_unit(word) || is_counted(word);
        after_number = is_number(word);
        if counted || is_place(word) {
            return None;
        }
        let (option, value) = word.split_once('=').unwrap_or((word, ""));
        let is_option = option.strip_prefix("--").is_some_and(|name| is_known(&name.replace('-', "_")));
        Some(if is_option { value } else { word })
    })
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

fn is_number(word: &str) -> bool {
    word.starts_with(is_digit)
        && word.ends_with(is_digit)
        && word.chars().all(|c| is_digit(c) || matches!(c, '.' | ','))
}

/// Returns whether a word may be the unit of the number before it.
fn is_unit(word: &str) -> bool {
    word.starts_with(char::is_alphabetic) && word.chars().all(|c| c.is_alphabetic() || matches!(c, '/' | ',' | ')'))
}

fn is_counted(word: &str) -> bool {
    word.split_once('-').is_some_and(|(number, unit)| is_number(number) && is_unit(unit))
}

/// Returns whether a word is a URL, an absolute path or a path in a home folder.
fn is_place(word: &str) -> bool {
    let from_root = word.strip_prefix('/').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    from_root || word.starts_with("~/") || word.contains("://")
}

/// Returns whether the code span at `span` of `text` has white space at an end: it is prose between two code spans, which one
/// backtick too many above it in its paragraph has turned into code.
pub(super) fn is_prose(text: &str, span: &Span) -> bool {
    let inside = text.get(span.clone()).unwrap_or_default().strip_prefix('`').unwrap_or_default().trim_matches('`');
    inside.starts_with(char::is_whitespace) || inside.ends_with(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use infralens_starter::highlight::by_token;

    #[test]
    fn symbols_number_types_and_functions_are_common() {
        for name in [
            "x", "B", "p99", "H100", "β1", "s²", "float16", "int8", "bf16", "fp8_e4m3", "float8_e4m3fn", "log2", "sqrt",
        ] {
            assert!(is_common(name), "{name}");
        }
        for name in
            ["qk", "x_i", "float", "float16x", "fp8_extra", "int_8", "head_dim", "logits", "log_2", "e4m3", "layer1"]
        {
            assert!(!is_common(name), "{name}");
        }
    }

    #[test]
    fn languages_know_their_words_and_no_others() {
        let is_word = |language: &str, name: &str| is_word_of(by_token(language).expect(language), name);
        let own: [(&str, &[&str]); 6] = [
            ("python", &["None", "True", "float", "len", "ValueError", "ZeroDivisionError", "yield"]),
            ("cuda", &["double", "size_t", "void", "float4", "dim3", "nullptr", "__shared__", "warpSize"]),
            ("rust", &["Vec", "u32", "match", "true", "Option"]),
            ("yaml", &["true", "null"]),
            ("bash", &["for", "done"]),
            ("javascript", &["null", "undefined", "const"]),
        ];
        for (language, words) in own {
            for word in words {
                assert!(is_word(language, word), "{language}: {word}");
            }
        }
        let tokens =
            ["python", "cuda", "cpp", "c", "rust", "yaml", "bash", "javascript", "go", "json", "toml", "markdown"];
        for language in tokens {
            for name in ["qkv_shape", "qkvShape", "QkvShape", "QKV_SHAPE", "qkv", "QKV", "QkvError", "_qkv", "qkv2"] {
                assert!(!is_word(language, name), "{language}: {name}");
            }
        }
    }

    #[test]
    fn units_and_paths_are_not_names_of_the_code() {
        let claimed = |code| claims(code, |name| name == "max_len").collect::<Vec<_>>();
        assert_eq!(claimed("80 GB 1,024 tokens 989 TFLOP/s 16-bit 4-way"), ["80", "1,024", "989"]);
        assert_eq!(
            claimed("1, foo 2 * bar 3 qkv_shape foo-2 0.5 f(x)").join(" "),
            "1, foo 2 * bar 3 qkv_shape foo-2 0.5 f(x)"
        );
        assert_eq!(
            claimed("POST http://localhost:8000/v1 /dev/shm ~/.cache ~/x a /b a / b"),
            ["POST", "a", "a", "/", "b"]
        );
        assert_eq!(claimed("--max-len --max-len=foo --min-len"), ["", "foo", "--min-len"]);
    }
}
