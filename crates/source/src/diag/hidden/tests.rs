//! Tests which characters are found, in every script, and which are not.

use super::lookalike::{LATIN_LOOKALIKES, LOOKALIKES, PUNCTUATION};
use super::*;

fn found(text: &str) -> String {
    let found = find(text, |_| true);
    found.iter().map(|hidden| code_point(hidden.character)).collect::<Vec<_>>().join(" ")
}

#[test]
fn controls_of_direction_are_found_anywhere() {
    let controls = "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{61c}";
    for control in controls.chars() {
        for text in [format!("a{control}b"), format!("\"שלום{control}\""), format!("مرحبا {control}"), control.into()]
        {
            assert_eq!(found(&text), code_point(control), "{text:?}");
        }
    }
}

#[test]
fn characters_that_cannot_be_seen_are_found_between_letters() {
    let hidden = "\u{ad}\u{34f}\u{115f}\u{1160}\u{17b4}\u{180b}\u{180e}\u{200b}\u{200c}\u{200d}\u{2028}\u{2029}\u{2060}\u{2064}\
        \u{206a}\u{3164}\u{fe00}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\u{e0001}\u{e0041}\u{e0100}\u{e01ef}\u{0}\u{7}\u{b}\u{1b}\u{7f}\u{85}\r";
    for character in hidden.chars() {
        assert_eq!(found(&format!("is{character}admin = 1")), code_point(character));
        assert_eq!(found(&format!("变量{character} = 1")).is_empty(), "\u{fe00}\u{e0100}\u{e01ef}".contains(character));
    }
    assert_eq!(found("a\r\nb\u{c}\r\n"), "");
}

#[test]
fn scripts_and_emoji_have_the_characters_that_they_need() {
    for text in [
        "می\u{200c}خواهم, PDF\u{200c}ها, क्\u{200d}ष, শ্রী\u{200c}, ශ\u{dca}\u{200d}රී",
        "ภาษา\u{200b}ไทย, ខ្មែរ\u{200b}ខ្មែរ, ᠮᠣᠩ\u{180b}",
        "👩\u{200d}👩\u{200d}👧 👨🏽\u{200d}💻 🏳\u{fe0f}\u{200d}🌈 ❤\u{fe0f} ☎\u{fe0e} 1\u{fe0f}\u{20e3} ©\u{fe0f}",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "葛\u{e0100}城 。\u{fe01} ∩\u{fe00} \u{1112}\u{1161}\u{11ab}",
        "# שלום \"עולם\" 5, مرحبا = 3",
        "Привет, мир: сору, test_привет, getИмя, 变量а, Ελληνικά ΑΒΓ, λόγος, Հայերեն, ᏣᎳᎩ",
        "μ_max Δx σ2 dθ log_σ ΔΗ_fus 𝑥 ℝ µs Ωm ρ_a ν_e naïve Ⅳ",
        "x\u{301} é café",
    ] {
        assert_eq!(found(text), "", "{text}");
    }
}

#[test]
fn letters_that_look_like_those_around_them_are_found() {
    for (text, letters) in [
        ("аdmin", "U+0430"),
        ("is_аdmin", "U+0430"),
        ("log_σ_аdmin", "U+0430"),
        ("user_сору", "U+0441 U+043E U+0440 U+0443"),
        ("sayНello", "U+041D"),
        ("cοunt ΟK", "U+03BF U+039F"),
        ("օpen Ꮯode ⅼist", "U+0585 U+13DF U+217C"),
        ("调用аdmin函数", "U+0430"),
        ("стрaница", "U+0061"),
        ("envǃ=PROD;", "U+01C3"),
        ("a = b\u{37e}", "U+037E"),
    ] {
        assert_eq!(found(text), letters, "{text}");
    }
}

#[test]
fn a_flag_is_as_long_as_flags_are() {
    let smuggled = format!("🏴{}", "\u{e0061}".repeat(20));
    assert_eq!(find(&smuggled, |_| true).len(), 20 - FLAG);
}

#[test]
fn both_lists_of_lookalikes_are_equally_long() {
    for (from, to) in [LOOKALIKES, LATIN_LOOKALIKES, PUNCTUATION] {
        assert_eq!(from.chars().count(), to.chars().count());
    }
}
