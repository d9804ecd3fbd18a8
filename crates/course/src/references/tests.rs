//! The bibliography, and how its entries are cited.

use super::*;
use infralens_source::testing::said;

fn references(text: &str) -> (References, Vec<String>) {
    let source = Source::new("content/references.yaml", text);
    let (references, found) = References::read(&source);
    (references, said(&source, &found))
}

#[test]
fn references_keep_the_order_of_the_file() {
    let text = "vaswani2017:\n  kind: paper\n  title: Attention is all you need\n  url: https://arxiv.org/abs/1706.03762\n\
                \x20 authors: [Ashish Vaswani, 'Shazeer, Noam', Niki Parmar]\n  year: 2017\n  note: Section 3\n\
                \x20 checked: 2026-11-21\nnccl: { kind: official, title: NCCL manual, authors: NVIDIA }\n\
                arXiv:2205.05198: { kind: blog, title: \"Größe\", authors: Korthikanti et al., year: 2022 }\n\
                a.b_c-1: { kind: practical, title: 1984 }\n";
    let (references, errors) = references(text);
    assert_eq!(errors, [""; 0]);
    let short: Vec<_> =
        references.iter().map(|(key, reference)| (&text[key.span.clone()], reference.short())).collect();
    assert_eq!(
        short,
        [
            ("vaswani2017", "Vaswani et al. 2017".to_owned()),
            ("nccl", "NVIDIA".to_owned()),
            ("arXiv:2205.05198", "Korthikanti et al. 2022".to_owned()),
            ("a.b_c-1", "1984".to_owned()),
        ]
    );
    let first = references.get("vaswani2017").expect("it is there");
    assert_eq!(first.authors(), "Ashish Vaswani, Shazeer, Noam, Niki Parmar");
    assert_eq!(
        (first.kind, first.url.as_deref().map(|url| &**url)),
        (ReferenceKind::Paper, Some("https://arxiv.org/abs/1706.03762"))
    );
    assert_eq!((first.note.as_deref(), first.year), (Some("Section 3"), Some(2017)));
    assert_eq!(first.checked.as_ref().map(|date| date.to_string()).as_deref(), Some("2026-11-21"));
    let near = references.nearest("vaswani2018").map(|near| (near.name.into_owned(), near.is_sure));
    assert_eq!(near, Some(("vaswani2017".to_owned(), false)), "another year is another work");
    assert_eq!(references.nearest(&"v".repeat(1000)), None);
    assert!(references.get("none").is_none() && !references.is_empty());
}

#[test]
fn an_empty_file_has_no_references() {
    for text in ["", "\u{feff}", "# none yet\r\n", "{}\n"] {
        let (references, errors) = references(text);
        assert!(references.is_empty() && errors.is_empty(), "{text:?}: {errors:?}");
    }
}

#[test]
fn mistakes_are_said_where_they_are() {
    let text = "\u{feff}größe:\r\n  kind: papr\r\n  titel: 😀\r\n  url: arxiv.org\r\n  year: MMXVII\r\n\
                bad key: { kind: blog, title: x }\r\n\
                a: { kind: blog, title: first }\r\nb: text\r\na: { kind: blog, title: second, year: 1, year: 2 }\r\n";
    let (references, errors) = references(text);
    assert_eq!(
        errors,
        [
            "E0108 2:9-13 `größe.kind` must be one of `official`, `paper`, `practical`, `blog` [not one of them] (did you mean \
         `paper`?)",
            "E0104 3:3-8 unknown key `titel` in `größe` (did you mean `title`?)",
            "E0108 4:8-17 `größe.url` must be an http or https URL [it does not begin with `https://`]",
            "E0106 5:9-15 `größe.year` must be a whole number, at least 1 [this is text] (write digits alone, without quotes, as in `10`)",
            "E0108 6:1-8 the key `bad key` cannot be cited [a key consists of letters, digits, `-`, `_`, `.` and `:`]",
            "E0106 8:4-8 `b` must be a map with the keys `kind`, `title`, `url`, `authors`, `year`, `note`, `checked` [this is text]",
            "E0105 9:1-2 key `a` is given twice [again here] [7:1-2 first given here]",
            "E0105 9:42-46 key `year` is given twice [again here] [9:33-37 first given here]",
        ]
    );
    assert_eq!(references.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["größe", "a"]);
    assert_eq!(references.get("a").map(|reference| reference.title.as_str()), Some("first"));
}

#[test]
fn without_authors_the_title_is_cited() {
    let (references, _) =
        references("a: { kind: blog, title: T, year: 2020 }\nb: { kind: blog, title: T, authors: [] }\n");
    assert_eq!(references.iter().map(|(_, reference)| reference.short()).collect::<Vec<_>>(), ["T", "T"]);
}
