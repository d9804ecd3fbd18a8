//! Front matter, and the two files of settings.

use infralens_course::config::Config;
use infralens_course::references::References;
use infralens_page::front_matter;
use infralens_source::diag::Diagnostic;
use infralens_source::source::Source;

use super::{assert_places_in, assert_span, text};

/// Front matter of every kind of page.
pub fn front_matter(data: &[u8]) {
    for kind in front_matter::KINDS {
        let read = |source: &Source| {
            let (front, start, said) = front_matter::read(source, kind);
            assert_span(source.text(), &(start..source.text().len()), "where the Markdown begins");
            let aliases = front.common.aliases.iter().map(|alias| &alias.span);
            for span in aliases.chain(front.after.iter().map(|after| &after.span)) {
                assert_span(source.text(), span, "a value");
            }
            said
        };
        reads_alike("content/page.md", &text(data), read);
    }
}

/// `site.yaml`, and the same text as `references.yaml`.
pub fn site(data: &[u8]) {
    reads_alike("content/site.yaml", &text(data), |source| {
        let (config, said) = Config::read(source);
        for track in config.tracks.iter() {
            assert_span(source.text(), &track.span, "a track");
        }
        said
    });
    reads_alike("content/references.yaml", &text(data), |source| {
        let (references, said) = References::read(source);
        for (key, _) in references.iter() {
            assert_eq!(references.get(&key.value).map(|_| ()), Some(()), "{key:?} is found again");
            assert_span(source.text(), &key.span, "a key");
        }
        said
    });
}

/// A byte order mark before a text changes nothing that is said of it, and each diagnostic has its place.
fn reads_alike(path: &str, text: &str, read: impl Fn(&Source) -> Vec<Diagnostic>) {
    let plain = Source::new(path, text);
    let said = read(&plain);
    assert_places_in(&plain, &said);
    if text.starts_with('\u{feff}') {
        return;
    }
    let marked = Source::new(path, format!("\u{feff}{text}"));
    let said_of_marked = read(&marked);
    assert_places_in(&marked, &said_of_marked);
    let shown = |source: &Source, said: &[Diagnostic]| -> Vec<(String, Option<infralens_source::source::Position>)> {
        let at = |said: &Diagnostic| said.place.span.map(|(start, _)| source.position(start));
        said.iter().map(|said| (said.message.clone(), at(said))).collect()
    };
    assert_eq!(shown(&plain, &said), shown(&marked, &said_of_marked), "with a byte order mark");
}
