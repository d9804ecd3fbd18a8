//! The index of a small site: what its files contain, where packs and shards start, and that an incremental plan gives
//! the same index as a new one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{BLOCK, HEADS, Index, PACK_BYTES, PACK_ENTRIES, PREFIX, Subject};
use crate::{self as site, Options, Site};
use infralens_course::config::Config;
use infralens_course::course::Course;
use infralens_source::output::SAME_ORIGIN;
use infralens_source::project::{File, Project};
use infralens_source::source::Source;
use infralens_theme::Names;

const FILES: [(&str, &str); 4] = [
    ("content/site.yaml", "title: Course\n"),
    (
        "content/a.md",
        "---\ntitle: Caches\n---\n\nFirst words and $x_1 \\cdot \\frac{a+b}{n^2}$.<!-- unseen -->\n\n\
         ## 显存 of a GPU\n\nIts size.\n\n```mermaid\ngraph LR\nhidden\n```\n\n<details>\n<summary>Seen</summary>\n</details>\n\n\
         | a | b |\n|---|---|\n| 80&nbsp;GB | wo\u{ad}rd |\n\n```calc title=\"Its bytes\"\nsize = 2 GB  # of it [1 GB .. 4 GB]\n\
         twice = 2 * size  # = 4 GB\n```\n\n\
         ```python file=x/a.py\ndef size():\n    kv_cache_bytes = 2\n```\n\n1. `kv_cache_bytes` — bytes for every token.\n",
    ),
    ("content/b.md", "---\ntitle: Batches\n---\n\nMore words.\n"),
    ("code/x/a.py", "def size():\n    kv_cache_bytes = 2\n"),
];

fn project(files: &[(&str, &str)]) -> Project {
    let mut project = Project::default();
    for &(path, text) in files {
        project.put(&Arc::from(path), Some(File::Text(Arc::new(Source::new(path, text)))));
    }
    project
}

/// The files of the index.
fn index(site: &Site) -> BTreeMap<String, String> {
    let is_of_index = |path: &str| path.starts_with("search/") || path.starts_with(PREFIX);
    let files = site.files().0.into_iter().filter(|(path, _)| is_of_index(path));
    files.map(|(path, bytes)| (unhashed(&path), String::from_utf8_lossy(bytes.as_ref()).into_owned())).collect()
}

/// Returns the path of a file of the index without its hash, as if all were in one folder.
fn unhashed(path: &str) -> String {
    format!("{}.js", path.replace(PREFIX, "search/").split('.').next().unwrap_or_default())
}

fn built(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    index(&site::plan(&project(files), &Options::default(), &Site::default()))
}

#[test]
fn a_fragment_has_the_text_of_its_page() {
    let files = built(&FILES);
    let pack = &files["search/p0.js"];
    assert!(
        pack.strip_prefix(SAME_ORIGIN).expect("its beginning").starts_with(
            "infralens.take(\"p0\",[{\"s\":[[\"\",\"\",\"First words and x_1 ⋅ (a + b)/n².\"],\
         [\"显存-of-a-gpu\",\"显存 of a GPU\",\"Its size. Seen a b 80 GB word a.py\",\"Table · Figure\"]],\"n\":[[\"E1-N1\",\"kv_cache_bytes\",\"bytes for every token.\",1]]},{"
        ),
        "{pack}"
    );
    assert!(pack.contains("{\"c\":\"def size():\\nkv_cache_bytes = 2\",\"d\":[[1,2,\"size\"]]}"), "{pack}");
    let heads = &files["search/h0.js"];
    assert!(
        heads
            .strip_prefix(SAME_ORIGIN)
            .expect("its beginning")
            .starts_with("infralens.take(\"h0\",[[\"a.html\",\"Caches\",\"\"],[\"b.html\",\"Batches\",\"\"]"),
        "{heads}"
    );
}

#[test]
fn each_term_and_each_reference_is_found_by_itself() {
    let glossary = "---\ntitle: Terms\n---\n\nKV cache\nKV-Cache\n: Keys and values.\n\nWarp\n: 32 threads.\n";
    let references = "dao2022:\n  kind: paper\n  title: Attention\n  authors: Tri Dao\n  year: 2022\n  note: Tiles.\n";
    let files = built(&[
        ("content/site.yaml", "title: T\n"),
        ("content/glossary.md", glossary),
        ("content/references.yaml", references),
    ]);
    let text = |name: &str| files[&format!("search/{name}.js")].as_str();
    for head in [
        "[\"glossary.html#T-kv-cache\",\"KV cache, KV-Cache\",\"\"]",
        "[\"glossary.html#T-warp\",\"Warp\",\"\"]",
        "[\"references.html#R-dao2022\",\"Attention\",\"\"]",
        "[\"references.html\",\"References\",\"\"]",
        "[\"progress.html\",\"Your progress\",\"\"]",
    ] {
        assert!(text("h0").contains(head), "{head}: {}", text("h0"));
    }
    assert!(text("p0").contains("[[\"\",\"\",\"Keys and values.\"]]"), "{}", text("p0"));
    assert!(text("p0").contains("[[\"\",\"\",\"Tri Dao. 2022. Tiles.\"]]"), "{}", text("p0"));
}

#[test]
fn results_are_grouped_by_track_and_kind_and_guides_come_last() {
    let page = "---\ntitle: How to write\nsummary: s\n---\n";
    let files = built(&[
        ("content/site.yaml", "title: T\ntracks: [t]\n"),
        ("content/guide/index.md", page),
        ("content/guide/notes.md", page),
        ("content/tracks/t/index.md", "---\ntitle: Serving\nsummary: s\n---\n"),
        ("content/tracks/t/handbook/01-paging.md", page),
    ]);
    let index = &files["search/index.js"];
    let groups = "\"g\":[{\"t\":\"How to write\",\"k\":\"Page\",\"w\":100,\"l\":true},{\"t\":\"Pages\",\"k\":\"Page\",\"w\":70},\
                  {\"t\":\"Serving · Handbook\",\"k\":\"Section\",\"n\":\"t\",\"w\":120},";
    assert!(index.contains(groups), "{index}");
    assert!(index.contains("\"r\":[[0,2],[1,1],[2,1],"), "{index}");
}

#[test]
fn a_generated_page_belongs_to_the_track_in_whose_folder_it_is() {
    let files = [
        ("content/site.yaml", "title: T\ntracks: [t]\n"),
        ("content/tracks/t/index.md", "---\ntitle: Serving\nsummary: s\n---\n"),
    ];
    let site = site::plan(&project(&files), &Options::default(), &Site::default());
    let group = |url| serde_json::to_string(&Subject::Generated(url, "Title", "").group(site.names())).expect("JSON");
    assert_eq!(group("tracks/t/a.html"), r#"{"t":"Serving · Pages","k":"Page","n":"t","w":100}"#);
    assert_eq!(group("tracks/the.html"), r#"{"t":"Pages","k":"Page","w":100}"#);
}

/// The terms that are the name of an entry, for each entry.
fn names(files: &BTreeMap<String, String>) -> BTreeMap<usize, BTreeSet<String>> {
    let mut names: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let shard = files["search/t0.js"]
        .trim_start_matches(SAME_ORIGIN)
        .trim_start_matches("infralens.take(\"t0\",\"")
        .trim_end()
        .trim_end_matches("\")");
    for (term, postings) in shard.split(',').filter_map(|line| line.split_once(' ')) {
        let (mut entry, mut number, mut scale) = (0, 0, 1);
        for digit in postings.bytes().filter_map(|byte| super::shards::DIGITS.iter().position(|&digit| digit == byte)) {
            number += digit % 32 * scale;
            scale *= 32;
            if digit < 32 {
                entry += number / 16;
                if number % 16 == 15 {
                    names.entry(entry).or_default().insert(term.to_owned());
                }
                (number, scale) = (0, 1);
            }
        }
    }
    names
}

#[test]
fn a_page_is_named_by_its_title_and_number_and_code_by_its_definitions() {
    let starter = "# #region first-part\ndef kv_bytes():\n    return cached\n# #endregion\n";
    let lab = "---\ntitle: Paged caches\nfocus: f\nreads: r\noutcome: Say it\nhandbook: [paging]\n\
               starter: { file: a.py, type: Script, angle: Down }\n---\n\n```python file=a.py\n```\n";
    let files = built(&[
        ("content/site.yaml", "title: T\ntracks: [t]\nlabs: { sections: [] }\n"),
        ("content/about.md", "---\ntitle: How to read\n---\n"),
        ("content/tracks/t/index.md", "---\ntitle: Serving\nsummary: s\n---\n"),
        ("content/tracks/t/handbook/01-paging.md", "---\ntitle: Blocks\nsummary: s\n---\n"),
        ("content/tracks/t/labs/lab-01-x.md", lab),
        ("code/lab-01-x/a.py", starter),
    ]);
    let names = names(&files);
    let has = |wanted: &[&str]| names.values().any(|known| known.iter().eq(wanted.iter()));
    assert!(has(&["about", "howtoread"]), "{names:?}");
    assert!(has(&["block", "handbook1", "handbook§1", "section1", "§1"]), "{names:?}");
    assert!(has(&["lab01", "lab1", "pagedcach"]), "{names:?}");
    assert!(has(&["apy", "firstpart", "kvbyt", "lab01xapy"]), "{names:?}");
}

#[test]
fn shards_list_all_visible_terms_in_order() {
    let files = built(&FILES);
    let mut terms: Vec<String> = Vec::new();
    for text in files.iter().filter(|(path, _)| path.starts_with("search/t")).map(|(_, text)| text) {
        let data = text.split_once(",\"").map(|(_, data)| data.trim_end().trim_end_matches("\")")).unwrap_or_default();
        terms.extend(data.split(',').filter_map(|line| Some(line.split_once(' ')?.0.to_owned())));
    }
    let has = |term: &str| terms.iter().any(|known| known == term);
    assert!(["batch", "cach", "kv", "kvcachebyt", "显存", "token", "word"].iter().all(|term| has(term)), "{terms:?}");
    assert!(!has("hidden") && !has("unseen"), "sources of diagrams and comments are not words: {terms:?}");
    assert!(has("x1") && has("80gb"), "formulas are words, and numbers have units: {terms:?}");
    assert!(terms.is_sorted(), "{terms:?}");
    assert_eq!(terms.iter().collect::<std::collections::BTreeSet<_>>().len(), terms.len(), "each once");
}

#[test]
fn an_incremental_plan_gives_the_same_index() {
    // Enough words for boundaries of shards to appear and disappear.
    let words = |range: std::ops::Range<u32>| range.map(|number| format!("w{number}x")).collect::<Vec<_>>().join(" ");
    let options = Options::default();
    let mut site = site::plan(&project(&FILES), &options, &Site::default());
    let mut shards = Vec::new();
    for range in [0..4000_u32, 2000..5000, 2001..5000, 0..0] {
        let text = format!("---\ntitle: Batches\n---\n\nMore {}\n", words(range));
        let mut files = FILES.to_vec();
        files[2].1 = &text;
        site = site::plan(&project(&files), &options, &site);
        assert!(index(&site) == built(&files), "{} bytes", text.len());
        shards.push(index(&site).len());
    }
    assert!(shards.iter().max() > shards.iter().min(), "there were other shards: {shards:?}");
}

/// The index of pages with these texts.
fn planned(texts: &[String]) -> Index {
    let (config, course) = (Config::default(), Course::default());
    let urls: Vec<String> = (0..texts.len()).map(|number| format!("{number}.html")).collect();
    let pages = urls.iter().zip(texts).map(|(url, text)| Subject::Generated(url, "Title", text));
    Index::new(Names { config: &config, course: &course }, &pages.collect::<Vec<_>>())
}

/// The path of a file of the index with its hash.
fn hashed<'i>(index: &'i Index, path: &str) -> &'i str {
    index.paths().find(|hashed| unhashed(hashed) == path).expect("one of the paths")
}

/// The data of a file of the index.
fn data(index: &Index, path: &str) -> serde_json::Value {
    let bytes = match path {
        "search/index.js" => index.contents(),
        _ => index.make(hashed(index, path)).expect("one of the paths"),
    };
    let text = std::str::from_utf8(bytes.as_ref()).expect("text");
    let name = path.trim_start_matches("search/").trim_end_matches(".js");
    let data = text
        .strip_prefix(&format!("{SAME_ORIGIN}infralens.take(\"{name}\","))
        .and_then(|rest| rest.strip_suffix(")\n"));
    serde_json::from_str(data.expect("data that is handed over")).expect("JSON")
}

#[test]
fn a_pack_has_few_entries_and_few_bytes() {
    let long = |number: usize| "word ".repeat(if number % 100 < 40 { 1 } else { 700 * (number % 4) });
    let mut texts: Vec<String> = (0..500).map(|number| format!("{number} {}", long(number))).collect();
    texts.extend(["word ".repeat(10_000), "last".to_owned()]);
    let index = planned(&texts);
    let lengths = data(&index, "search/index.js")["p"].clone();
    let lengths: Vec<usize> = serde_json::from_value(lengths).expect("numbers");
    let mut first = 0;
    for &length in &lengths {
        let path = format!("search/p{first}.js");
        let pack = data(&index, &path);
        let pack = pack.as_array().expect("fragments");
        assert_eq!(pack.len(), length, "{path}");
        assert!(pack.iter().zip(&texts[first..]).all(|(found, text)| found["s"][0][2] == **text));
        assert!(length <= PACK_ENTRIES && first / BLOCK == (first + length - 1) / BLOCK, "{path} has {length}");
        let bytes = index.make(hashed(&index, &path)).map_or(0, |bytes| bytes.as_ref().len());
        assert!(length == 1 || bytes < PACK_BYTES + 100, "{path} has {bytes} bytes");
        first += length;
    }
    assert_eq!(first, 502);
    assert!(lengths.contains(&PACK_ENTRIES) && lengths.contains(&1), "{lengths:?}");
    for first in [0, HEADS] {
        let heads = data(&index, &format!("search/h{first}.js"));
        assert_eq!(heads[0][0], format!("{first}.html"));
        assert_eq!(heads.as_array().map(Vec::len), Some(HEADS.min(502 - first)));
    }
}

#[test]
fn exactly_the_listed_paths_can_be_made() {
    let titles: Vec<String> = (0..4000).map(|number| format!("w{number}x")).collect();
    for titles in [&titles[..], &[]] {
        let index = planned(titles);
        let paths: Vec<&str> = index.paths().collect();
        assert_eq!(paths.iter().collect::<BTreeSet<_>>().len(), paths.len(), "each once");
        for &path in &paths {
            data(&index, &unhashed(path));
        }
        let shards = paths.iter().filter(|path| path.starts_with("assets/search-t")).count();
        let others = [
            "",
            "index.js",
            "search/index.js",
            "assets/search-",
            "assets/search-.js",
            "assets/search-p.js",
            "assets/search-p0.js",
            "assets/search-p1.js",
            "assets/search-p00.js",
            "assets/search-h1.js",
            "assets/search-é.js",
            "assets/search-index.00000000.js",
            "assets/search-t0.00000000.js",
        ];
        let hash = |path: &str| hashed(&index, path).split('.').nth(1).expect("a hash").to_owned();
        let [head, pack, shard] = ["search/h0.js", "search/p0.js", "search/t0.js"]
            .map(|path| if titles.is_empty() && path != "search/t0.js" { String::new() } else { hash(path) });
        let next = [
            format!("assets/search-t{shards}.{shard}.js"),
            format!("assets/search-t+0.{shard}.js"),
            format!("assets/search-p4000.{pack}.js"),
            format!("assets/search-h1.{head}.js"),
            format!("assets/search-t0.{shard}.{shard}.js"),
        ];
        for other in others.into_iter().chain(next.iter().map(String::as_str)) {
            assert!(index.make(other).is_none(), "{other}");
        }
    }
}

#[test]
fn shards_start_where_the_index_says() {
    let titles: Vec<String> = (0..6000).map(|number| format!("w{number}x")).collect();
    let index = planned(&titles);
    let borders = data(&index, "search/index.js")["t"].as_str().expect("terms").to_owned();
    assert!(borders.split(' ').count() >= 2, "{borders}");
    for (shard, border) in std::iter::once("").chain(borders.split(' ')).enumerate() {
        let text = data(&index, &format!("search/t{shard}.js"));
        let text = text.as_str().expect("text");
        assert!(shard == 0 || text.starts_with(&format!("{border} ")), "{shard} begins at {border}");
        assert!((1000..30_000).contains(&text.len()), "{shard} has {} bytes", text.len());
    }
}

#[test]
fn the_name_of_a_file_changes_with_its_data_and_the_index_lists_the_hashes() {
    let title = |number, last: &str| if number == 299 { last.to_owned() } else { format!("w{number}x") };
    let planned = |last: &str| planned(&(0..300).map(|number| title(number, last)).collect::<Vec<_>>());
    let (one, other) = (planned("One"), planned("Two"));
    let [paths, others] = [&one, &other].map(|index| index.paths().collect::<BTreeSet<_>>());
    let changed: BTreeSet<String> = paths.difference(&others).map(|path| unhashed(path)).collect();
    assert!(changed.contains("search/t0.js") && !changed.contains("search/p0.js"), "{changed:?}");
    assert_eq!(paths, planned("One").paths().collect());
    let listed = data(&one, "search/index.js")["v"].clone();
    let listed: Vec<String> = serde_json::from_value(listed).expect("texts");
    for (form, listed) in ["h", "p", "t"].iter().zip(listed) {
        let parts = one.paths().filter_map(|path| path.strip_prefix(&format!("{PREFIX}{form}"))?.split_once('.'));
        let hashes: BTreeMap<usize, &str> =
            parts.map(|(number, hash)| (number.parse().expect("a number"), hash.trim_end_matches(".js"))).collect();
        assert_eq!(listed, hashes.into_values().collect::<String>());
    }
}

#[test]
fn without_tracks_a_folder_is_a_part_and_has_its_title() {
    let files = built(&[
        ("content/site.yaml", "title: T\n"),
        ("content/sponsors.md", "---\ntitle: Sponsors\n---\n\nOwnership.\n"),
        ("content/the-book/index.md", "---\ntitle: The Book\n---\n"),
        ("content/the-book/ownership.md", "---\ntitle: Ownership\n---\n"),
        ("content/error-codes/e1.md", "---\ntitle: E1\n---\n"),
    ]);
    let index = &files["search/index.js"];
    for group in [r#"{"t":"The Book","k":"Page","w":100}"#, r#"{"t":"Error codes","k":"Page","w":100}"#] {
        assert!(index.contains(group), "{group}: {index}");
    }
}

#[test]
fn a_result_of_one_of_several_tracks_has_its_title() {
    let lab = |title: &str| {
        format!(
            "---\ntitle: {title}\nfocus: f\nreads: r\noutcome: Say it\n\
             starter: {{ file: a.py, type: Script, angle: Down }}\n---\n"
        )
    };
    let [one, two] = ["One", "Two"].map(lab);
    let files = built(&[
        ("content/site.yaml", "title: T\ntracks: [t, u]\nlabs: { sections: [] }\n"),
        ("content/tracks/t/index.md", "---\ntitle: Serving\nsummary: s\n---\n"),
        ("content/tracks/t/labs/lab-01-x.md", &one),
        ("content/tracks/u/index.md", "---\ntitle: Training\nsummary: s\n---\n"),
        ("content/tracks/u/labs/lab-01-y.md", &two),
        ("code/lab-01-x/a.py", "a = 1\n"),
        ("code/lab-01-y/a.py", "a = 1\n"),
    ]);
    let group = r#"{"t":"Training · Labs","a":"Training","k":"Lab","n":"u","w":130}"#;
    assert!(files["search/index.js"].contains(group), "{}", files["search/index.js"]);
}

#[test]
fn a_calculator_is_found_by_itself_and_not_by_its_source() {
    let files = built(&FILES);
    let heads = &files["search/h0.js"];
    assert!(heads.contains("[\"a.html#C-its-bytes\",\"Its bytes\",\"\"]"), "{heads}");
    let pack = &files["search/p0.js"];
    assert!(pack.contains("[[\"\",\"\",\"size: of it, 2 GB. twice: 4 GB.\"]]"), "{pack}");
    assert!(!pack.contains("[1 GB"), "{pack}");
    assert!(names(&files).values().any(|names| names.contains("itsbytescalculator")), "{:?}", names(&files));
}

#[test]
fn the_parts_of_a_reference_are_sentences_with_one_full_stop_each() {
    let references =
        "ainslie2023:\n  kind: paper\n  title: GQA\n  authors: Ainslie et al.\n  year: 2023\n  note: Why? Read on.\n";
    let files = built(&[("content/site.yaml", "title: T\n"), ("content/references.yaml", references)]);
    assert!(files["search/p0.js"].contains("Ainslie et al. 2023. Why? Read on.\""), "{}", files["search/p0.js"]);
}
