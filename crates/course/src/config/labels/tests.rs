//! Labels that a language lacks, or has without knowing what it translates.

use std::collections::BTreeMap;

use super::built_in::{LANGUAGES, text};
use super::*;
use infralens_source::testing::said;

/// The labels of a language as a site has them whose `site.yaml` is empty but for these lines.
fn labels(language: &str, own: &str) -> Labels {
    let source = Source::new("site.yaml", format!("title: T\nlanguage: {language}\n{own}"));
    let (config, found) = super::super::Config::read(&source);
    assert_eq!(said(&source, &found), [""; 0], "{language}");
    config.labels
}

#[test]
fn every_language_has_every_label_below_the_english_text_that_it_translates() {
    let english = Labels::default();
    for (language, text) in LANGUAGES {
        let mut faults = Vec::new();
        let mut translated = BTreeMap::new();
        let mut quote = "";
        for line in text.lines() {
            match (line.strip_prefix("# "), line.split_once(": ")) {
                (Some(comment), _) => quote = comment,
                (None, Some((name, label))) if !line.starts_with('#') => {
                    assert!(translated.insert(name, (quote, label)).is_none(), "{language} has `{name}` twice");
                }
                _ => {}
            }
        }
        for (name, english) in english.texts() {
            match translated.remove(name) {
                None => faults.push(format!("`{name}` is missing: {english}")),
                Some((quote, _)) if quote != english => {
                    faults.push(format!("`{name}` translates \"{quote}\", which now is \"{english}\""));
                }
                Some(_) => {}
            }
        }
        faults.extend(translated.keys().map(|name| format!("there is no label `{name}`")));
        assert!(faults.is_empty(), "labels/{language}.yaml:\n{}", faults.join("\n"));
    }
}

#[test]
fn labels_of_a_language_are_like_those_of_a_site() {
    for (language, text) in LANGUAGES {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let own: Vec<String> = lines.map(|line| format!("  {line}\n")).collect();
        // Reading them as the labels of a site reports wrong types and placeholders.
        let labels = labels(language, &format!("labels:\n{}", own.concat()));
        assert!(labels.misplaced().is_empty(), "{language}");
        let kinds = ["lab", "section", "note", "search_code", "search_term", "search_page", "search_reference"];
        let kinds = labels.texts().filter(|(name, _)| kinds.contains(name)).map(|(_, text)| text);
        assert_eq!(kinds.collect::<BTreeSet<_>>().len(), 7, "the search of {language} narrows by kinds of equal names");
    }
}

#[test]
fn a_tag_has_the_labels_of_the_language_that_is_nearest() {
    let files = [
        ("de-AT", "de"),
        ("DE", "de"),
        ("pt-BR", "pt"),
        ("fr-CA", "fr"),
        ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"),
        ("zh-Hans-TW", "zh-Hans"),
        ("zh-TW", "zh-Hant"),
        ("zh-hk", "zh-Hant"),
        ("zh-Hant", "zh-Hant"),
        ("zh-Hant-CN", "zh-Hant"),
    ];
    for (tag, name) in files {
        let known = LANGUAGES.iter().find(|(known, _)| *known == name).expect("a file");
        assert_eq!(text(tag), known.1, "{tag}");
    }
    assert_eq!([text("en"), text("en-GB"), text("it"), text("den")], [""; 4]);
}

#[test]
fn an_author_s_label_wins_and_the_others_are_those_of_the_language() {
    let labels = labels("pt-BR", "labels: { next: Adiante }\n");
    assert_eq!((&*labels.next, &*labels.previous), ("Adiante", "Anterior"));
}

#[test]
fn the_rules_of_the_language_choose_the_form() {
    let count = |language: &str, own: &str| {
        let label = labels(language, own).minutes;
        [0, 1, 2, 5, 21].map(|number| label.with(number)).join(", ")
    };
    assert_eq!(count("en", ""), "0 minutes, 1 minute, 2 minutes, 5 minutes, 21 minutes");
    assert_eq!(count("fr", ""), "0 minute, 1 minute, 2 minutes, 5 minutes, 21 minutes");
    assert_eq!(count("zh-CN", ""), "0 分钟, 1 分钟, 2 分钟, 5 分钟, 21 分钟");
    let own = "labels: { minutes: { one: '{n} минута', few: '{n} минуты', other: '{n} минут' } }\n";
    assert_eq!(count("ru", own), "0 минут, 1 минута, 2 минуты, 5 минут, 21 минута");
    // A language that nobody knows counts as English does.
    assert_eq!(count("qaa", ""), count("en", ""));
}

#[test]
fn forms_are_checked_like_labels() {
    let labels = "labels: { minutes: { one: eine, other: '{n} {q}' }, lines_new: { one: '{n}' } }";
    let source = Source::new("site.yaml", format!("title: T\n{labels}"));
    let (_, found) = super::super::Config::read(&source);
    assert_eq!(
        said(&source, &found),
        [
            "E0108 2:20-51 `labels.minutes` must contain `{n}` and no other placeholder [the English label is \"{n} minutes\"]",
            "E0108 2:27-31 `labels.minutes.one` must be text that contains `{n}` [there is no `{n}` in it]",
            "E0107 2:53-62 required key `labels.lines_new.other` is missing: it must be text that contains `{n}`",
        ]
    );
}

#[test]
fn dates_are_written_as_the_language_writes_them() {
    let day = infralens_source::yaml::Date::parse("2026-03-05").expect("a day");
    let date = |language: &str, own: &str| {
        let labels = labels(language, own);
        labels.date.format(day, &labels.months)
    };
    let languages = ["en", "de", "es", "fr", "ja", "ko", "pt", "zh-CN", "zh-TW"];
    assert_eq!(
        languages.map(|language| date(language, "")).join(" | "),
        "2026-03-05 | 5. März 2026 | 5 de marzo de 2026 | 5 mars 2026 | 2026年3月5日 | 2026년 3월 5일 | \
         5 de março de 2026 | 2026年3月5日 | 2026年3月5日"
    );
    assert_eq!(date("en", "labels: { date: '{month} {d}, {y}' }\n"), "March 5, 2026");
    for (own, is_right) in
        [("{d}.{m}.{y}", true), ("{d} {y}", false), ("{d}.{m}.{y} {q}", false), ("{d}{dd}{y}", false)]
    {
        assert_eq!(DatePattern::parse(own).is_ok(), is_right, "{own}");
    }
    assert!(Months::parse("a, b, c").is_err());
}
