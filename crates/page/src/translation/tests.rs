//! Quotes, what is compared with them, and the page that results.

use std::sync::Arc;

use super::*;
use crate::placement::place;
use infralens_source::diag::{Place, Severity};

const HEAD: &str = "---\ntitle: Sums\n---\n\n";

fn page(text: &str) -> Document {
    let source = Arc::new(Source::new("content/a.md", format!("{HEAD}{text}")));
    parse::parse(&source, place("content/a.md").expect("a page")).0
}

fn translation(page: &Document, text: &str) -> Translation {
    let head = "---\n# source: Sums\ntitle: Summen\n---\n\n";
    Translation::read(&Arc::new(Source::new("content/a.de.md", format!("{head}{text}"))), page)
}

/// The page in the other language without its front matter, and what is said, without the hints.
fn translated(source: &str, text: &str) -> (String, Vec<String>) {
    let page = page(source);
    let found = translation(&page, text);
    let (document, more) = found.page(&page);
    assert_eq!(document.title(), "Summen");
    let errors = found.diagnostics.iter().chain(&more).filter(|found| found.code.id.starts_with('E'));
    let line = |place: &Place| found.source.position(place.span.expect("a span").0).line;
    let errors = errors.map(|error| format!("{} {}: {}", error.code.id, line(&error.place), error.message)).collect();
    (document.source.text()[HEAD.len()..].to_owned(), errors)
}

fn hints(source: &str, text: &str) -> Vec<String> {
    let page = page(source);
    translation(&page, text).diagnostics.iter().map(|hint| format!("{} {}", hint.code.id, hint.message)).collect()
}

#[test]
fn each_block_stands_in_the_place_of_its_source() {
    let source = "## One, two\n\nA *first* one.\n\n- x\n- y\n\n1. `a` — b.\n10. `c` — d.\n\n    more\n\n| a |\n|---|\n| b |\n\nTerm\nOther\n: What.\n\n> quoted\n\n> [!NOTE]\n> said\n";
    let text = "<!-- source\n## One, two\n-->\n## Eins, zwei\n\n<!-- source\nA *first* one.\n-->\nEin *erstes*.\n\nUnd mehr.\n\n\
                <!-- source\n- x\n-->\n* ix\n\n<!-- source\n- y\n-->\n- ypsilon\n\n<!-- source\n1. `a` — b.\n-->\n1. `a` — be.\n\n\
                <!-- source\n2. `c` — d.\n\n    more\n-->\n2. `c` — de.\n\n   mehr\n\n<!-- source\n| a |\n|---|\n| b |\n-->\n| A |\n|---|\n| B |\n\n\
                <!-- source\nTerm\nOther\n: What.\n-->\nWort\n: Was.\n\n<!-- source\n> quoted\n-->\n> zitiert\n\n<!-- source\n> [!NOTE]\n> said\n-->\n> [!NOTE]\n> gesagt\n";
    let (text, errors) = translated(source, text);
    assert_eq!(errors, [""; 0]);
    assert_eq!(
        text,
        "## Eins, zwei {#one-two}\n\nEin *erstes*.\n\nUnd mehr.\n\n- ix\n- ypsilon\n\n1. `a` — be.\n10. `c` — de.\n\n    mehr\n\n\
         | A |\n|---|\n| B |\n\nWort\n: Was.\n\n> zitiert\n\n> [!NOTE]\n> gesagt\n"
    );
}

#[test]
fn excerpts_keep_their_pins_and_calculators_their_formulas() {
    let source = "```python file=code.py#a caption=\"Two lines\"\nx = 1\n```\n\n1. `x` — one.\n\n```calc title=\"Sum\"\nn = 3   # how many [1 .. 9]\n\
                  m = n * 2 # twice = 6\n@ Big: n = 9\n```\n\n```\nplain\n```\n";
    let text = "<!-- source\n```python file=code.py#a caption=\"Two lines\"\n-->\n```python file=code.py#a caption=\"Zwei Zeilen\"\n```\n\n\
                <!-- source\n1. `x` — one.\n-->\n1. `x` — eins.\n\n<!-- source\n```calc title=\"Sum\"\nn # how many\nm # twice\n```\n-->\n\
                ```calc title=\"Summe\"\nn # wie viele\nm # zweimal\n```\n";
    let (text, errors) = translated(source, text);
    assert_eq!(errors, [""; 0]);
    assert_eq!(
        text,
        "```python file=code.py#a caption=\"Zwei Zeilen\"\nx = 1\n```\n\n1. `x` — eins.\n\n```calc title=\"Summe\"\nn = 3   # wie viele [1 .. 9]\n\
         m = n * 2 # zweimal = 6\n@ Big: n = 9\n```\n\n```\nplain\n```\n"
    );
    // A fence without `file=`, with no words of its own, is not missing.
    assert!(hints(source, "")[0].contains("3 of 4 blocks"), "{:?}", hints(source, ""));
}

#[test]
fn a_diagram_may_have_arrows_and_a_quote_a_quote_in_a_fence() {
    let source = "```mermaid\nflowchart TD\n  a --> b\n```\n\nWrite:\n\n```md\n<!-- source\n```\n\nEnd.\n";
    let text = "<!-- source\n```mermaid\nflowchart TD\n  a --&gt; b\n```\n-->\n```mermaid\nflowchart TD\n  A --> B\n```\n\n\
                <!-- source\nWrite:\n\n```md\n<!-- source\n```\n-->\nSchreibe:\n\n```md\n<!-- source\n```\n\n<!-- source\nEnd.\n-->\nEnde.\n";
    let (text, errors) = translated(source, text);
    assert_eq!(errors, [""; 0]);
    assert_eq!(text, "```mermaid\nflowchart TD\n  A --> B\n```\n\nSchreibe:\n\n```md\n<!-- source\n```\n\nEnde.\n");
}

#[test]
fn malformed_quotes() {
    let of = |text: &str| translated("A.\n\nB.\n", text).1;
    assert_eq!(of("Vor allem.\n"), ["E0701 6: no quote above says what this translates"]);
    assert_eq!(
        of("<!-- source\nA.\n\nAh.\n\n<!-- source\nB.\n-->\nBe.\n"),
        ["E0701 6: this quote is not closed: another one begins in it"]
    );
    assert_eq!(of("<!-- source\nA.\n"), ["E0701 6: this quote is not closed"]);
    assert_eq!(
        of("<!-- source\nA. -->\nAh.\n"),
        ["E0701 6: `-->` does not stand alone on the last line of this quote"]
    );
    assert_eq!(of("<!-- source\n\n-->\nAh.\n"), ["E0701 6: this quote is empty"]);
    assert_eq!(
        of("<!-- source\nA.\n\nB.\n-->\nAh.\n"),
        ["E0701 6: this quotes 2 blocks, and not as many of the same kinds follow"]
    );
    assert_eq!(of("<!-- source\nA.\n\nB.\n-->\nAh.\n\nBe.\n"), [""; 0]);
}

#[test]
fn faults_of_a_translation() {
    let source = "## H\n\n`w` takes 13.48 GB of $n$ [@a]; see [it](b.md).\n";
    let of = |text: &str| translated(source, text).1;
    let quote = "<!-- source\n`w` takes 13.48 GB of $n$ [@a]; see [it](b.md).\n-->\n";
    assert_eq!(
        of(&format!("{quote}`w` belegt 13.48 GB von $n$, also 1.5 GB je Teil [@a]; siehe [es](b.md).\n")),
        [""; 0]
    );
    assert_eq!(of(&format!("{quote}`w`占13.48 GB，即$n$[@a]，见[这里](b.md)。\n")), [""; 0]);
    assert_eq!(
        of(&format!("{quote}`w` belegt 13 GB von $n$ [@a]; siehe [es](b.md).\n")),
        ["E0703 9: the figure 13.48 GB is lost"]
    );
    assert_eq!(
        of(&format!("{quote}`W` belegt 13.48 GB von $n$ [@a]; siehe [es](c.md).\n"))[0],
        "E0703 9: the code span `w` is not in the translation"
    );
    assert_eq!(
        of("<!-- source\n## H\n-->\n### H\n"),
        ["E0702 9: this is a heading of level 3, and its quote is a heading of level 2"]
    );
}

#[test]
fn a_stale_block_is_shown_only_while_code_and_figures_hold() {
    let quote = "<!-- source\nThe weights take 13.48 GB in `w`.\n-->\nDie Gewichte belegen 13.48 GB in `w`.\n";
    let shown = |now: &str| translated(&format!("{now}\n"), quote).0;
    assert!(shown("The weights now take 13.48 GB in `w`, too.").starts_with("Die Gewichte"));
    assert!(shown("The weights take 13.5 GB in `w`.").starts_with("The weights"));
    assert!(shown("The weights take 13.48 GB in `v`.").starts_with("The weights"));
    let page = page("The weights now take 13.48 GB in `w`, too.\n\nNew.\n");
    let found = translation(&page, quote);
    let (document, _) = found.page(&page);
    let merged = document.translated.expect("a translated page");
    assert_eq!(merged.originals.len(), 1);
    assert_eq!(merged.foreign.len(), 1);
    assert!(merged.foreign_at(document.source.text().find("New.").expect("the block")).is_some());
    assert_eq!(found.diagnostics[0].notes, ["The weights {+now +}take 13.48 GB in `w`{+, too+}."]);
}

#[test]
fn what_is_gone_or_missing_is_told() {
    let found = hints(
        "A.\n\nB.\n\n---\n\n$$x$$\n",
        "<!-- source\nA.\n-->\nAh.\n\n<!-- source\nSomething else.\n-->\nAnderes.\n\n<!-- source\nMore.\n-->\n",
    );
    assert_eq!(
        found,
        [
            "W0702 the source no longer has what this translates",
            "W0702 the source no longer has what this translates",
            "W0703 1 of 3 blocks not translated",
        ]
    );
    assert_eq!(hints("A.\n", "<!-- source\nA.\n-->\n<!-- none -->\n"), [""; 0]);
    assert_eq!(translated("A.\n\nB.\n", "<!-- source\nA.\n-->\n<!-- none -->\n").0.trim(), "B.");
}

#[test]
fn links_use_the_definitions_of_the_page() {
    let (text, errors) = translated("See [it][x].\n\n[x]: b.md\n", "<!-- source\nSee [it][x].\n-->\nSiehe [es][x].\n");
    assert_eq!((text.as_str(), errors.len()), ("Siehe [es][x].\n\n[x]: b.md\n", 0));
}

#[test]
fn a_diagnostic_is_about_the_translation() {
    let page = page("A.\n\nB.\n");
    let found = translation(&page, "<!-- source\nB.\n-->\nBe $x.\n");
    let (document, _) = found.page(&page);
    let merged = document.translated.as_ref().expect("a translated page");
    let at = document.source.text().find("$x").expect("the text");
    let place = merged.place(&document.source.place(at..at + 2)).expect("a place");
    let (start, end) = place.span.expect("a span");
    assert_eq!((&found.source.text()[start..end], &*place.file), ("$x", "content/a.de.md"));
    assert_eq!(merged.place(&document.source.place(HEAD.len()..HEAD.len() + 1)), None);
}

/// A translation without quotes, with quotes: its text below the front matter, and what is left.
fn quoted(source: &str, text: &str) -> (String, Vec<(usize, String)>) {
    let page = page(source);
    let found = existing(&page, &Arc::new(Source::new("content/a.de.md", text)));
    let head = "---\n# source: Sums\ntitle: Summen\n---\n\n";
    let read = Translation::read(&Arc::new(Source::new("content/a.de.md", found.text.as_str())), &page);
    assert!(read.diagnostics.iter().all(|found| found.severity != Severity::Error), "{:?}", read.diagnostics);
    (found.text.strip_prefix(head).expect("the front matter").to_owned(), found.left)
}

#[test]
fn a_translation_without_quotes_gets_them_where_its_blocks_correspond() {
    let source = "<!-- for authors -->\n\nOne `x`.\n\n```python file=a.py caption=\"Code\"\nx = 1\n```\n\n- It.\n\n```\nplain\n```\n";
    let text = "---\ntitle: Summen\n---\n\nEins `x`.\n\n```python file=a.py caption=\"Kode\"\nx = 1\n```\n\n* Es.\n\n```\nplain\n```\n";
    let quotes = "<!-- source\nOne `x`.\n-->\nEins `x`.\n\n<!-- source\n```python file=a.py caption=\"Code\"\n-->\n\
                  ```python file=a.py caption=\"Kode\"\n```\n\n<!-- source\n- It.\n-->\n* Es.\n";
    assert_eq!(quoted(source, text), (quotes.to_owned(), Vec::new()));
}

#[test]
fn what_does_not_correspond_is_left_in_comments_and_said() {
    // A section with another number of paragraphs, a figure that is lost, and other code.
    let source = "## A\n\nOne.\n\nTwo.\n\n## B\n\nTakes 3.5 kB.\n\n```\nnew\n```\n\nEnd.\n";
    let text =
        "---\ntitle: Summen\n---\n\n## A\n\nEins --> zwei.\n\n## B\n\nBraucht Platz.\n\n```\nalt\n```\n\nEnde.\n";
    let (text, left) = quoted(source, text);
    assert!(text.contains("## A\n-->\n## A\n\n<!-- source\nOne.\n-->\n\n<!-- source\nTwo.\n-->\n\n<!-- not taken over\nEins --&gt; zwei.\n-->\n"), "{text}");
    assert!(
        text.contains(
            "3.5 kB.\n-->\n\n<!-- not taken over\nBraucht Platz.\n-->\n\n<!-- not taken over\n```\nalt\n```\n-->\n"
        ),
        "{text}"
    );
    assert!(text.ends_with("<!-- source\nEnd.\n-->\nEnde.\n"), "{text}");
    let left: Vec<String> = left.iter().map(|(line, why)| format!("{line}: {why}")).collect();
    let whys = [
        "7: the page has no block that this certainly translates",
        "11: the figure 3.5 kB is lost",
        "13: this code is not that of the page",
    ];
    assert_eq!(left, whys);
}

#[test]
fn blocks_that_are_alone_on_both_sides_divide_a_page() {
    let source = "One.\n\nThe `x` and `y`.\n\nNew.\n\nSee [it](b.md).\n\nEnd.\n";
    let text = "---\ntitle: Summen\n---\n\nEins.\n\nDie `x` und `y`.\n\nSiehe [es](b.md).\n\nEnde.\n";
    let (text, left) = quoted(source, text);
    assert!(left.is_empty() && text.contains("New.\n-->\n\n<!-- source\nSee [it](b.md).\n-->\nSiehe"), "{text}");
    assert!(text.contains("One.\n-->\nEins.") && text.ends_with("End.\n-->\nEnde.\n"), "{text}");
}
