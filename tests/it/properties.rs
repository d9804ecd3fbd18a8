//! Laws that hold for any input, tried on generated ones. The generator is seeded: a failure comes again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use infralens::assets::BUILTIN;
use infralens_author::sync::{self, Accept};
use infralens_site as site;
use infralens_site::Drifts;
use infralens_source::change::preview;
use infralens_source::selector::Selector;
use infralens_source::source::Source;
use infralens_source::url;
use infralens_starter::excerpt::Row;
use infralens_starter::{Listing, SelectedRows};

use crate::generate::{CODE, Dice, LANGUAGES, MARKDOWN, TEMPLATE, YAML, file, noise, region, wanted};
use crate::harness::SiteTest;
use crate::html::Tree;

#[test]
fn what_is_shown_are_the_file_s_lines() {
    let mut dice = Dice(1);
    for round in 0..400 {
        let language = &LANGUAGES[round % LANGUAGES.len()];
        let (text, names) = file(&mut dice, language);
        let (listing, diagnostics) =
            Listing::new(&Arc::new(Source::new(format!("code/l/{}", language.file), text.as_str())));
        assert!(diagnostics.is_empty(), "{diagnostics:?} of {text:?}");
        for line in 0..listing.line_count() {
            let tokens = listing.tokens(line).iter().map(|token| token.len as usize).sum::<usize>();
            assert_eq!(tokens, listing.line(line).len(), "the colours of line {line} of {text:?}");
        }
        for name in names {
            let lines = listing.select(&Selector::Region(name.clone())).expect("the region is there");
            assert_eq!(lines, region(&text, &name), "{name} of {text:?}");
            let shown = SelectedRows::new(&listing, vec![lines.clone()]);
            assert!(shown.rows.iter().all(|row| matches!(row, Row::Line(_))));
            let view = shown.view(&listing);
            let found: Vec<String> = (0..view.rows.len()).map(|row| view.text(row).to_owned()).collect();
            let wanted: Vec<String> = wanted(&text, lines).iter().map(|line| line.trim_end().to_owned()).collect();
            assert_eq!(found, wanted, "{name} of {text:?}");
        }
    }
}

/// The lines of the listings on a page: markers of notes and omissions left out.
fn listed(html: &[u8]) -> Vec<Vec<String>> {
    let tree = Tree::parse(std::str::from_utf8(html).expect("a page is UTF-8"));
    let line = |id: usize| {
        let is_marker = |child: &usize| tree.nodes[*child].has_class("marker");
        let parts = tree.nodes[id].children.iter().filter(|child| !is_marker(child)).map(|&child| tree.text(child));
        let text: String = parts.collect();
        text.strip_suffix('\n').expect("a line ends").to_owned()
    };
    let lines_of = |pre| tree.select("span.line").into_iter().filter(|&id| tree.lies_in(id, pre)).map(line).collect();
    tree.select("pre.listing").into_iter().map(lines_of).collect()
}

#[test]
fn pages_show_the_file_s_lines() {
    let mut dice = Dice(2);
    for round in 0..24 {
        let language = &LANGUAGES[round % LANGUAGES.len()];
        let (text, names) = file(&mut dice, language);
        let site = SiteTest::from_dir("minimal");
        site.write(&format!("code/l/{}", language.file), &text);
        let count = text.trim_start_matches('\u{feff}').lines().count();
        let mut page = String::from("---\ntitle: Page\n---\n\n");
        let mut wanted_all = Vec::new();
        let regions = names.iter().map(|name| (name.clone(), region(&text, name)));
        let first = dice.below(count);
        let lines = first..first + dice.below(count - first) + 1;
        let chosen = (format!("L{}-L{}", lines.start + 1, lines.end), lines);
        for (selector, lines) in regions.chain([chosen]) {
            let expected = wanted(&text, lines);
            if !expected.is_empty() {
                write!(page, "~~~ file=l/{}#{selector}\n~~~\n\n", language.file).expect("a string takes any text");
                wanted_all.push(expected);
            }
        }
        writeln!(page, "[The whole](code:l/{})", language.file).expect("a string takes any text");
        site.write("content/page.md", page);
        let files = site.build().site();
        assert_eq!(listed(files["page.html"].as_ref()), wanted_all, "{text:?}");
        let whole: Vec<String> = text
            .trim_start_matches('\u{feff}')
            .lines()
            .filter(|line| !line.contains("ANCHOR"))
            .map(str::to_owned)
            .collect();
        // Markdown is typeset there.
        if !language.file.ends_with(".md") {
            assert_eq!(listed(files[&format!("code/l/{}.html", language.file)].as_ref()), [whole], "{text:?}");
        }
        assert_eq!(files[&format!("code/l/{}", language.file)].as_ref(), text.as_bytes());
    }
}

#[test]
fn no_text_makes_it_panic() {
    let mut dice = Dice(3);
    let base = SiteTest::copy_of(&crate::harness::repository("tests/suite/base"));
    let front = "---\ntitle: x\nfocus: f\nreads: r\noutcome: o\nhandbook: [s]\nstarter: { file: a.py, type: t, angle: a }\n---\n";
    let places: [(&str, &str, &[&str]); 8] = [
        ("content/page.md", "---\ntitle: x\n---\n", MARKDOWN),
        ("content/page.md", "", MARKDOWN),
        ("content/tracks/t/labs/lab-01-a.md", front, MARKDOWN),
        ("content/site.yaml", "title: x\ntracks: [t]\n", YAML),
        ("content/references.yaml", "", YAML),
        ("content/tracks/t/labs/lab-01-a.md", "---\ntitle: x\n", YAML),
        ("templates/page.html", "", TEMPLATE),
        ("code/lab-01-a/a.py", "# ANCHOR: ledger\nx = 1\n# ANCHOR_END: ledger\n", CODE),
    ];
    let mut kept = BTreeMap::new();
    for round in 0..160 {
        let (path, before, words) = places[round % places.len()];
        let text = format!("{before}{}", noise(&mut dice, words, 120));
        let old = kept.entry(path).or_insert_with(|| std::fs::read(base.root().join(path)).ok());
        base.write(path, &text);
        let built = base.build();
        let human = built.human();
        assert!(
            built.files.is_some() || human.contains("error["),
            "{path}: {text:?} builds nothing and says {human:?}"
        );
        for diagnostic in &built.diagnostics {
            assert!(!diagnostic.message.is_empty() && !diagnostic.message.ends_with('.'), "{:?}", diagnostic.message);
        }
        match old {
            Some(old) => base.write(path, old),
            None => base.remove(path),
        };
    }
}

#[test]
fn relative_links_lead_back() {
    let mut dice = Dice(4);
    let parts = ["a", "b", "c", "ü", "x y", "a:b", "100%", "#", "?"];
    let path =
        |dice: &mut Dice| (0..=dice.below(4)).map(|_| dice.one_of(&parts)).collect::<Vec<_>>().join("/") + ".html";
    for _ in 0..2_000 {
        let (from, to) = (path(&mut dice), path(&mut dice));
        let link = url::relative(&from, &to);
        assert!(link.is_ascii() && !link.contains(['#', '?', ' ']), "{link}");
        assert_eq!(
            url::join(url::folder(&from), &url::decode(&link)).as_deref(),
            Some(to.as_str()),
            "{from} -> {link}"
        );
    }
}

/// The beginnings of the first and of each other line of a container.
const CONTAINERS: [(&str, &str); 8] = [
    ("", ""),
    ("> ", "> "),
    ("- ", "  "),
    ("1. ", "   "),
    ("> - ", ">   "),
    ("- > 10) ", "  >     "),
    (">> ", ">> "),
    ("  ", "  "),
];

/// A page with stale excerpts in containers, and the parts of it that are no bodies of fences.
fn stale_page(dice: &mut Dice, file: &str, names: &[String]) -> (String, Vec<String>) {
    let end = dice.one_of(&["\n", "\r\n"]);
    let (mut page, mut around) = (String::from("---\ntitle: X\n---\n"), Vec::new());
    for _ in 0..=dice.below(3) {
        let (first, rest) = CONTAINERS[dice.below(CONTAINERS.len())];
        let fence = dice.one_of(&["```", "~~~", "`````"]);
        let above = format!(" file=l/{file}#{}{end}", names[dice.below(names.len())]);
        page += &format!("text  {end}{end}{first}{fence}{above}");
        for _ in 0..dice.below(4) {
            page += &format!("{rest}{}{end}", dice.one_of(&["old", "", "  # ü", "⋯", "\tx", "'''"]));
        }
        let below = format!("   {end}{end}after  {end}{end}");
        page += &format!("{rest}{fence}{below}");
        around.extend([format!("text  {end}{end}{first}{fence}"), above, below]);
    }
    (page, around)
}

#[test]
fn accepted_pins_read_as_their_files_and_nothing_else_changes() {
    let mut dice = Dice(9);
    let mut written = 0;
    for round in 0..160 {
        let language = &LANGUAGES[round % LANGUAGES.len()];
        let (code, names) = file(&mut dice, language);
        if names.is_empty() {
            continue;
        }
        let (page, around) = stale_page(&mut dice, language.file, &names);
        let course = SiteTest::empty();
        course.write("content/site.yaml", "title: T\n").write("content/x.md", &page);
        course.write(&format!("code/l/{}", language.file), &code);
        let built = course.build();
        let plan = sync::plan(Drifts { excerpts: built.drifts, ..Drifts::default() }, &built.diagnostics, &Accept::All);
        let after = preview(&built.project, &plan.changes);
        assert_eq!(plan.unwritable.len(), 0, "{page}\n{code}");
        assert_eq!(site::build(&after, &site::Options::new(BUILTIN)).drifts.len(), 0, "{page}\n{code}");
        written += plan.updated.len();
        let text = after.text("content/x.md").expect("the page").text();
        let mut rest = text;
        for part in &around {
            let found = rest.find(part.as_str());
            let found = found.unwrap_or_else(|| panic!("{part:?} is gone from {text:?}, before {page:?}"));
            rest = &rest[found + part.len()..];
        }
        assert_eq!(rest, "", "{text:?}");
    }
    assert!(written > 100, "{written} written");
}
