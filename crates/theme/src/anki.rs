//! A track's flashcards as a text file for Anki, which updates the cards that it has imported before.
//!
//! The format is described under "Text files" in Anki's manual: headers, then a line per note with fields separated by
//! tabs. A quoted field may contain anything; quotation marks are doubled.

use super::shared::Shared;
use infralens_course::course::{PageId, Track};
use infralens_page::Kind;
use infralens_render::escape;
use infralens_render::page::Flashcard;
use infralens_render::practice::Deck;

/// The headers. The columns that they do not name are the two fields of a note.
const HEAD: &str = "#separator:tab\n#html:true\n#notetype:Basic\n#guid column:1\n#deck column:2\n#tags column:5\n";

/// Returns the output path of a track's Anki cards.
pub fn url(track: &Track) -> String {
    format!("tracks/{}/cards.txt", track.name)
}

/// Returns the file: a note for each question and each spoken explanation, in reading order.
pub fn text(shared: &Shared<'_>, track: usize) -> String {
    let mut text = String::from(HEAD);
    for &page in &shared.course().tracks[track].order {
        let practice = shared.source(page).map(|source| source.practice(Deck::Program)).unwrap_or_default();
        for card in practice.questions.iter().chain(&practice.spoken) {
            text.push_str(&line(shared, page, card));
        }
    }
    text
}

fn line(shared: &Shared<'_>, page: PageId, card: &Flashcard) -> String {
    let (config, names) = (shared.config(), shared.names);
    let known = &shared.course().pages[page];
    let heading = escape::text(&names.heading(page));
    let source = match config.base_url.as_deref() {
        Some(base) => format!("<a href=\"{}\">{heading}</a>", escape::attribute(&format!("{base}{}", names.url(page)))),
        None => heading.clone(),
    };
    // A spoken text without a question of its own is asked for by the lab's title.
    let spoken = || format!("{}: {heading}", escape::text(&shared.labels().spoken));
    let front = if card.question.is_empty() { spoken() } else { card.question.clone() };
    let back = format!("{}\n<p><small>{source}</small></p>", card.answer.trim_end());
    let track = names.track_title(page).unwrap_or_default();
    let deck = [config.title.as_str(), track].map(|part| part.replace("::", ":")).join("::");
    let tags = known.track.map(|track| &*shared.course().tracks[track].name).into_iter();
    let tags: Vec<&str> = tags.chain((known.kind == Kind::Lab).then(|| known.name())).collect();
    let id = format!("{}-{}", names.identity(), card.id);
    let fields = [&id, &deck, &front, &back, &tags.join(" ")].map(|field| quoted(field));
    fields.join("\t") + "\n"
}

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted() {
        assert_eq!(quoted("a \"b\"\tc\nd"), "\"a \"\"b\"\"\tc\nd\"");
    }
}
