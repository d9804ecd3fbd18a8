//! Words of the interface that are no labels: a reader would see them in English in every language.

use std::collections::BTreeSet;
use std::fs;

use super::fixture::{Fixture, SITE};
use crate::harness::{listing, repository};
use infralens_course::config::labels::Labels;
use infralens_source::yaml::{Json, Record};

/// The keys of the keyboard, whose names are the same in every language.
const KEYS: [&str; 8] = ["Digit", "Enter", "Esc", "Escape", "Slash", "Space", "Ctrl", "Shift"];

/// Replaces the letters of a label by Greek ones, and keeps its placeholders.
fn foreign(label: &str) -> String {
    let mut inside = false;
    let letter = |c: char| {
        inside = c == '{' || (inside && c != '}');
        if c.is_ascii_alphabetic() && !inside { 'λ' } else { c }
    };
    label.chars().map(letter).collect()
}

fn labels() -> String {
    let label = |field: &infralens_source::yaml::Field| {
        let text = match (field.default)().expect("every label has its words") {
            Json::Object(forms) => forms["other"].as_str().map(foreign),
            text => text.as_str().map(foreign),
        };
        (field.name.to_owned(), Json::from(text))
    };
    Json::Object(Labels::FIELDS.iter().map(label).collect()).to_string()
}

/// The words of Latin letters that a page shows or says: its text without code and keys, and the attributes with text.
fn words(html: &str) -> BTreeSet<String> {
    const HIDDEN: [&str; 6] = ["code", "pre", "kbd", "script", "style", "title"];
    const SPOKEN: [&str; 4] = [" aria-label=\"", " title=\"", " placeholder=\"", " alt=\""];
    let mut output = String::new();
    let mut hidden: Option<&str> = None;
    for piece in html.split('<').skip(1) {
        // A `>` in an attribute does not end the tag.
        let ends = |at: &(usize, char)| at.1 == '>' && piece[..at.0].matches('"').count() % 2 == 0;
        let Some((end, _)) = piece.char_indices().find(ends) else { continue };
        let (tag, text) = (&piece[..end], &piece[end + 1..]);
        let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap_or_default();
        if tag.starts_with('/') && hidden == Some(name) {
            hidden = None;
        } else if hidden.is_none() {
            hidden = HIDDEN.into_iter().find(|of| *of == name && !tag.starts_with('/'));
        }
        for attribute in SPOKEN {
            output.extend(tag.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()));
            output.push(' ');
        }
        if hidden.is_none() {
            output.extend([text, " "]);
        }
    }
    let output = ["&amp;", "&lt;", "&gt;", "&quot;"].iter().fold(output, |output, entity| output.replace(entity, " "));
    let is_word = |word: &&str| word.len() > 2;
    output.split(|c: char| !c.is_ascii_alphabetic()).filter(is_word).map(str::to_owned).collect()
}

#[test]
fn every_word_of_a_template_is_a_label() {
    let site = format!("{SITE}language: el\nauthor: Ada\nlicense: CC\nlabels: {}\n", labels());
    let about = "---\ntitle: About\n---\n\n# About\n\n> [!TIP]\n> Text.[^a]\n\n[^a]: Text.\n\n- [x] Text\n";
    let course = Fixture::new(&[("content/site.yaml", &site), ("content/about.md", about)]);
    let own: BTreeSet<String> = (course.project.files.keys())
        .filter(|path| !path.ends_with("site.yaml"))
        .filter_map(|path| Some(format!("{path} {}", course.project.text(path)?.text())))
        .chain([SITE.to_owned()])
        .flat_map(|text| text.split(|c: char| !c.is_ascii_alphabetic()).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let mut found = BTreeSet::new();
    for (path, html) in course.theme().files.iter().filter(|(path, _)| path.ends_with(".html")) {
        let strange = words(html).into_iter().filter(|word| !own.contains(word) && !KEYS.contains(&word.as_str()));
        found.extend(strange.map(|word| format!("{path}: {word}")));
    }
    assert!(found.is_empty(), "words that are no labels:\n{}", found.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_words_of_pages_are_found() {
    let html = "<p>Seen <b title=\"Said\">x</b> <code>hidden</code> <kbd>Esc</kbd> after</p>";
    assert_eq!(words(html).into_iter().collect::<Vec<_>>(), ["Said", "Seen", "after"]);
}

/// A text that a script shows would begin with a capital, or be several words.
#[test]
fn every_word_of_a_script_is_a_label() {
    let mut found = Vec::new();
    for (path, at) in listing(&repository("static")).into_iter().filter(|(path, _)| path.ends_with(".js")) {
        let text = fs::read_to_string(&at).expect("a script");
        let code: String = text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code)).collect();
        for line in code.lines().map(|line| line.split("//").next().unwrap_or_default()) {
            let mut strings = line.split(['"', '\'', '`']).skip(1).step_by(2);
            let is_text = |text: &&str| {
                let mut chars = text.trim_matches([' ', '.', ':', '?', '!']).chars();
                chars.next().is_some_and(|c| c.is_ascii_uppercase())
                    && chars.clone().count() > 2
                    && chars.all(|c| c.is_ascii_lowercase() || c == ' ')
                    && !KEYS.contains(text)
            };
            found.extend(strings.find(is_text).map(|text| format!("{path}: {text}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
