//! Adds a track to `tracks:` in site.yaml without changing any other byte.

use super::{Refusal, SITE_YAML, refuse};
use infralens_course::config::Config;
use infralens_source::source::Source;
use infralens_source::yaml;

/// Returns the text of site.yaml with the track at the end of `tracks:`. The new text is read again: it must have the same
/// configuration as before, plus the track.
pub(super) fn add_track(source: &Source, track: &str) -> Result<String, Refusal> {
    with_track(source, track).filter(|text| only_adds_track(source, text, track)).ok_or_else(|| {
        let message = format!("the track cannot be added safely to `tracks:` in `{SITE_YAML}` as it is written");
        refuse(message, format!("add `{track}` to it yourself, and run the command again"))
    })
}

fn with_track(source: &Source, track: &str) -> Option<String> {
    let text = source.text();
    let root = yaml::parse(source, source.start()..text.len()).root?;
    let (span, added) = yaml::add_to_list(source, &root, text.len(), "tracks", track)?;
    Some([&text[..span.start], &added, &text[span.end..]].concat())
}

/// Whether the configuration in the new text differs from the old one only by the track.
fn only_adds_track(old: &Source, new: &str, track: &str) -> bool {
    let read = |source: &Source| {
        let (config, diagnostics) = Config::read(source);
        let tracks: Vec<String> = config.tracks.iter().map(|track| track.value.to_string()).collect();
        let mut others = serde_json::to_value(&config).unwrap_or_default();
        others.as_object_mut().map(|keys| keys.shift_remove("tracks"));
        (tracks, others, diagnostics.len())
    };
    let mut expected = read(old);
    expected.0.push(track.to_owned());
    read(&Source::new(SITE_YAML, new)) == expected
}
