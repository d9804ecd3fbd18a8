//! Cards for Anki: fields as its manual has them, links that lead somewhere, and ids that outlast edits.

use std::collections::BTreeMap;

use infralens_course::config::BaseUrl;

use crate::harness::SiteTest;
use crate::sites;

const LAB: &str = "content/tracks/t/labs/lab-01-l1.md";

/// The notes of the course's only track: their fields by GUID.
fn notes(site: &SiteTest) -> BTreeMap<String, Vec<String>> {
    let files = site.build().site();
    let text = String::from_utf8(files["tracks/t/cards.txt"].as_ref().to_vec()).expect("text");
    let (mut notes, mut fields, mut rest) =
        (BTreeMap::new(), Vec::new(), text.split("#tags column:5\n").nth(1).expect("notes"));
    while let Some(inside) = rest.strip_prefix('"') {
        // The field ends at the first quotation mark that is not one of two.
        let mut end = 0;
        while !inside[end..].starts_with('"') || inside[end + 1..].starts_with('"') {
            end += if inside[end..].starts_with('"') { 2 } else { 1 };
            end += (0..4).find(|more| inside.is_char_boundary(end + more)).expect("a character ends");
        }
        fields.push(inside[..end].replace("\"\"", "\""));
        rest = &inside[end + 2..];
        if inside[end + 1..].starts_with('\n') {
            let note = std::mem::take(&mut fields);
            assert_eq!(note.len(), 5, "{note:?}");
            assert!(notes.insert(note[0].clone(), note).is_none(), "a GUID stands twice");
        }
    }
    assert!(rest.is_empty() && fields.is_empty(), "{rest}");
    notes
}

#[test]
fn ids_outlast_edits_of_everything_but_the_question() {
    let test = sites::course("practice");
    let before = notes(&test);
    assert_eq!(before.len(), 6, "two questions and a spoken text in each of two labs");
    test.edit(LAB, "What else?\n: Nothing.\n: Or something.\n", "").edit(
        LAB,
        "## Check yourself\n",
        "## Check yourself\n\nWhat else?\n: Quite another \"answer\".\n\nSomething new?\n: Yes.\n",
    );
    let after = notes(&test);
    assert!(before.keys().all(|id| after.contains_key(id)), "{after:#?}");
    assert_eq!(after.len(), 7);
    assert!(after.values().any(|note| note[3].contains("Quite another “answer”")), "{after:#?}");
    test.edit(LAB, "What else?", "What other?");
    let last = notes(&test);
    assert_eq!(
        before.keys().filter(|id| !last.contains_key(*id)).count(),
        1,
        "a question in other words is another card"
    );
}

#[test]
fn links_are_absolute_or_none() {
    let mut test = sites::course("practice");
    let without = notes(&test);
    assert!(without.values().all(|note| !note[3].contains("href=") && !note[2].contains("href=")), "{without:#?}");
    test.options.base_url = BaseUrl::parse("https://example.org/a/course/").ok();
    let with = notes(&test);
    let all: String = with.values().flatten().map(String::as_str).collect();
    assert!(all.contains("href=\"https://example.org/a/course/tracks/t/handbook/s.html#volume\""), "{all}");
    assert!(all.contains("href=\"https://example.org/a/course/code/shared/x.py.html#L2\""), "{all}");
    assert_eq!(all.matches("href=\"").count(), all.matches("href=\"https://example.org/a/course/").count(), "{all}");
}
