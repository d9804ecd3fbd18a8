//! The index of a small site: what its files say, and that an index that is kept is the one that would be made.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::project::{File, Project};
use crate::site::{Memo, Options};
use crate::source::Source;

const FILES: [(&str, &str); 4] = [
    ("content/site.yaml", "title: Course\n"),
    (
        "content/a.md",
        "---\ntitle: Caches\n---\n\nFirst words and $x_1$.\n\n## 显存 of a GPU\n\nIts size.\n\n```mermaid\npie\n\"hidden\": 1\n```\n\n\
         ```python file=x/a.py\nkv_cache_bytes = 2\n```\n\n1. `kv_cache_bytes` — bytes for every token.\n",
    ),
    ("content/b.md", "---\ntitle: Batches\n---\n\nMore words.\n"),
    ("code/x/a.py", "kv_cache_bytes = 2\n"),
];

fn project(files: &[(&str, &str)]) -> Project {
    let mut project = Project::default();
    for &(path, text) in files {
        project.put(&Arc::from(path), Some(File::Text(Arc::new(Source::new(path, text)))));
    }
    project
}

/// The files of the index.
fn index(memo: &Memo) -> BTreeMap<String, String> {
    let files = memo.outputs().files.iter().filter(|(path, _)| path.starts_with("search/"));
    files.map(|(path, file)| (path.to_string(), String::from_utf8_lossy(file.bytes.as_ref()).into_owned())).collect()
}

fn built(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    let mut memo = Memo::new(Options::default());
    memo.build(&project(files));
    index(&memo)
}

#[test]
fn a_fragment_has_what_is_shown_of_a_page() {
    let files = built(&FILES);
    let page = &files["search/p0.js"];
    assert_eq!(
        page,
        "infralens.take(\"p0\",{\"u\":\"a.html\",\"t\":\"Caches\",\"g\":\"Pages\",\
         \"s\":[[\"\",\"\",\"First words and .\"],[\"显存-of-a-gpu\",\"显存 of a GPU\",\"Its size. a.py\"]],\
         \"n\":[[\"E1-N1\",\"kv_cache_bytes\",\"bytes for every token.\"]]})\n"
    );
    let starter = files.values().find(|text| text.contains("\"c\":[[1,\"kv_cache_bytes = 2\"]]"));
    assert!(starter.is_some_and(|text| text.contains("\"u\":\"code/x/a.py.html\"")), "{starter:?}");
    assert!(files["search/index.js"].contains("\"n\":"));
}

#[test]
fn each_term_of_the_glossary_is_found_by_itself() {
    let glossary = "---\ntitle: Terms\n---\n\nKV cache\nKV-Cache\n: Keys and values.\n\nWarp\n: 32 threads.\n";
    let files = built(&[("content/site.yaml", "title: T\n"), ("content/glossary.md", glossary)]);
    let shown = "\"s\":[[\"T-kv-cache\",\"KV cache, KV-Cache\",\"Keys and values.\"],\
                 [\"T-warp\",\"Warp\",\"32 threads.\"]]";
    assert!(files.values().any(|text| text.contains(shown)), "{files:?}");
}

#[test]
fn shards_list_every_term_in_their_order_and_no_hidden_one() {
    let files = built(&FILES);
    let mut terms: Vec<String> = Vec::new();
    for text in files.iter().filter(|(path, _)| path.starts_with("search/t-")).map(|(_, text)| text) {
        let data = text.split_once(",\"").map(|(_, data)| data.trim_end().trim_end_matches("\")")).unwrap_or_default();
        terms.extend(data.split(',').filter_map(|line| Some(line.split_once(' ')?.0.to_owned())));
    }
    let has = |term: &str| terms.iter().any(|known| known == term);
    assert!(["batch", "cach", "kv", "kvcachebyt", "显存", "token", "word"].iter().all(|term| has(term)), "{terms:?}");
    assert!(!has("hidden") && !has("x1"), "diagrams and formulas are no words: {terms:?}");
    assert!(terms.is_sorted(), "{terms:?}");
    assert_eq!(terms.iter().collect::<std::collections::BTreeSet<_>>().len(), terms.len(), "each once");
}

#[test]
fn an_index_that_is_kept_is_the_one_that_would_be_made() {
    // Words enough for borders of shards to come and go.
    let words = |range: std::ops::Range<u32>| range.map(|number| format!("w{number}x")).collect::<Vec<_>>().join(" ");
    let mut memo = Memo::new(Options::default());
    memo.build(&project(&FILES));
    let mut shards = Vec::new();
    for range in [0..4000_u32, 2000..5000, 2001..5000, 0..0] {
        let text = format!("---\ntitle: Batches\n---\n\nMore {}\n", words(range));
        let mut files = FILES.to_vec();
        files[2].1 = &text;
        memo.build(&project(&files));
        assert!(index(&memo) == built(&files), "{} bytes", text.len());
        shards.push(index(&memo).len());
    }
    assert!(shards.iter().max() > shards.iter().min(), "there were other shards: {shards:?}");
}
