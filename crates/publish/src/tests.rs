//! Publishing into memory: what changes, in which order, and what is there after each possible failure.

mod faults;
mod store;

use std::collections::BTreeMap;

use object_store::{Attribute, ObjectStoreExt};

use super::{Destination, Entry, Manifest, Options, Report, Wanted, run};
use infralens_source::change::Refusal;
use infralens_source::output::{Bytes, hashed};
use store::Store;

const DAY: u64 = 86_400;

type Files = BTreeMap<String, String>;

/// A site of pages that name a style and a picture: each letter is the content of one page, and the style of all. The first
/// page also names the last one.
fn site(style: char, pages: &str) -> Files {
    let style_text = format!("body {{ --of: {style} }}");
    let style_path = hashed("assets/style.css", style_text.as_bytes());
    let mut files = Files::from([
        (style_path.clone(), style_text),
        ("course.json".to_owned(), format!("[\"{pages}\"]")),
        ("search/index.js".to_owned(), format!("of({pages:?})")),
        ("picture.svg".to_owned(), "<svg/>".to_owned()),
    ]);
    let last = pages.trim_end_matches('-').len() - 1;
    for (number, letter) in pages.chars().enumerate().filter(|(_, letter)| *letter != '-') {
        let link = if number == 0 { format!(" {last}/index.html") } else { String::new() };
        files.insert(format!("{number}/index.html"), format!("{letter} {style_path} picture.svg{link}"));
    }
    files
}

fn options() -> Options {
    let publisher = "ann".to_owned();
    Options { keep_days: 30, max_deletes: 256, overwrite: false, dry_run: false, publisher, now: 0 }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime").block_on(future)
}

fn publish(store: &Store, files: &Files, options: &Options) -> Result<Report, Refusal> {
    let mut manifest = Manifest::default();
    for (path, text) in files {
        manifest.insert(path, Entry::new(path, text.as_bytes()));
    }
    let make = |path: &str| files.get(path).map(|text| Bytes::from(text.clone()));
    block_on(run(store, "s3://b", Wanted::Site { manifest, make: &make }, options, &|_| ()))
}

fn roll_back(store: &Store, generation: Option<u64>) -> Result<Report, Refusal> {
    block_on(run(store, "s3://b", Wanted::Generation(generation), &options(), &|_| ()))
}

/// Returns the files that readers can get.
fn published(store: &Store) -> Files {
    store.files().into_iter().filter(|(path, _)| !path.starts_with(".infralens/")).collect()
}

/// Returns the published files without assets of other generations.
fn published_site(store: &Store, wanted: &Files) -> Files {
    published(store).into_iter().filter(|(path, _)| !path.starts_with("assets/") || wanted.contains_key(path)).collect()
}

/// Asserts that everything that a published page names is published.
fn assert_whole(store: &Store, when: &str) {
    let files = published(store);
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".html")) {
        for name in text.split(' ').skip(1) {
            assert!(files.contains_key(name), "{when}: {path} names {name}, which is not there");
        }
    }
}

fn message<T>(result: Result<T, Refusal>) -> String {
    let refusal = result.err().expect("a refusal");
    format!("{}\n{}", refusal.message, refusal.help.join("\n"))
}

#[test]
fn a_site_is_published_once_with_its_headers() {
    let (store, files) = (Store::default(), site('a', "abcd"));
    let report = publish(&store, &files, &options()).expect("published");
    assert_eq!((report.generation, report.plan.changes.len(), report.plan.unchanged), (1, 8, 0));
    assert_eq!(published(&store), files);
    let style = files.keys().find(|path| path.starts_with("assets/")).expect("a style");
    let expected = [
        (style.as_str(), "text/css; charset=utf-8", "public, max-age=31536000, immutable"),
        ("0/index.html", "text/html; charset=utf-8", "no-cache"),
        ("search/index.js", "text/javascript; charset=utf-8", "no-cache"),
        ("picture.svg", "image/svg+xml", "no-cache"),
    ];
    for (path, kind, cache) in expected {
        let found = block_on(store.get(&path.into())).expect("an object").attributes;
        let get = |name| found.get(&name).map(|value| value.to_string()).unwrap_or_default();
        assert!(get(Attribute::ContentType).starts_with(kind), "{path}");
        assert_eq!(get(Attribute::CacheControl), cache, "{path}");
    }

    let calls = store.calls();
    let report = publish(&store, &files, &options()).expect("up to date");
    assert!(report.is_current && report.generation == 1);
    assert!(store.calls()[calls.len()..].iter().all(|call| call.starts_with("get") || call == "list"));
}

#[test]
fn pages_come_after_assets_and_before_indexes() {
    let store = Store::default();
    publish(&store, &site('a', "abcd"), &options()).expect("published");
    let before = store.calls().len();
    let (files, old) = (site('b', "xb-d"), site('a', "abcd"));
    let report = publish(&store, &files, &options()).expect("published");
    assert_eq!((report.plan.uploads.len(), report.plan.deletes.as_slice()), (6, &["2/index.html".to_owned()][..]));
    let style = files.keys().find(|path| path.starts_with("assets/")).expect("a style");
    let calls: Vec<String> = store.calls()[before..].to_vec();
    let changes: Vec<&str> = calls.iter().filter(|call| !call.contains(".infralens/")).map(String::as_str).collect();
    let copies = [style, "0/index.html", "1/index.html", "3/index.html", "course.json", "search/index.js"];
    let expected: Vec<String> = copies.iter().map(|path| format!("copy {path}")).collect();
    assert_eq!(changes, [&["list".to_owned()][..], &expected, &["delete 2/index.html".to_owned()]].concat());
    let first_copy = calls.iter().position(|call| call.starts_with("copy")).expect("a copy");
    assert!(!calls[first_copy..].iter().any(|call| call.starts_with("put .infralens/objects/")));
    // The old style stays for pages that a reader has open.
    let old_style = old.keys().find(|path| path.starts_with("assets/")).expect("a style");
    assert!(published(&store).contains_key(old_style));
}

#[test]
fn a_dry_run_writes_nothing() {
    let store = Store::default();
    let dry = Options { dry_run: true, ..options() };
    let report = publish(&store, &site('a', "abcd"), &dry).expect("a plan");
    assert_eq!((report.generation, report.plan.changes.len(), store.files().len()), (1, 8, 0));
}

#[test]
fn earlier_generations_come_back_until_they_are_too_old() {
    let store = Store::default();
    let (first, second, third) = (site('a', "abcd"), site('b', "ab--"), site('c', "abcde"));
    for files in [&first, &second, &third] {
        publish(&store, files, &options()).expect("published");
    }
    let report = roll_back(&store, Some(1)).expect("rolled back");
    assert_eq!((report.generation, report.restored, report.plan.uploads.len()), (4, Some(1), 0));
    assert_eq!(published_site(&store, &first), first);
    // Before the one brought back, there was none.
    let refused = message(roll_back(&store, None));
    assert!(refused.starts_with("s3://b does not have an earlier generation\nkept there: 1 (published "), "{refused}");
    roll_back(&store, Some(3)).expect("rolled back");
    assert_eq!(published_site(&store, &third), third);
    assert_eq!(published(&store).keys().filter(|path| path.starts_with("assets/")).count(), 3);

    store.advance(30 * DAY);
    let report = publish(&store, &second, &options()).expect("published");
    // The fifth generation was replaced just now.
    assert_eq!((report.generation, report.expired), (6, 4));
    assert_eq!(published(&store).keys().filter(|path| path.starts_with("assets/")).count(), 2);
    let refused = message(roll_back(&store, Some(1)));
    assert!(refused.starts_with("s3://b does not have generation 1\nkept there: 5 (published "), "{refused}");
    roll_back(&store, None).expect("rolled back");
    assert_eq!(published_site(&store, &third), third);

    let none = Options { keep_days: 0, now: i64::MAX, ..options() };
    assert_eq!(publish(&store, &third, &none).expect("published").expired, 2);
    assert_eq!(published(&store), third);
    assert_eq!(store.files().keys().filter(|path| path.starts_with(".infralens/objects/")).count(), third.len());
    assert_eq!(
        message(roll_back(&store, None)),
        "s3://b does not have an earlier generation\nno earlier generation is kept there"
    );
}

#[test]
fn each_rollback_goes_one_generation_further_back() {
    let store = Store::default();
    let sites = ['a', 'b', 'c'].map(|style| site(style, "ab"));
    for files in &sites {
        publish(&store, files, &options()).expect("published");
    }
    let restored = [(); 2].map(|()| roll_back(&store, None).expect("rolled back").restored);
    assert_eq!(restored, [Some(2), Some(1)]);
    assert_eq!(published_site(&store, &sites[0]), sites[0]);
    // What is published now comes after the one brought back last.
    publish(&store, &sites[2], &options()).expect("published");
    assert_eq!(roll_back(&store, None).expect("rolled back").restored, Some(5));
    assert_eq!(published_site(&store, &sites[0]), sites[0]);
}

#[test]
fn too_many_deletions_are_refused() {
    let store = Store::default();
    publish(&store, &site('a', "abcd"), &options()).expect("published");
    let limited = Options { max_deletes: 2, ..options() };
    assert_eq!(
        message(publish(&store, &site('a', "a---"), &limited)),
        "3 files would be deleted from s3://b, and the limit is 2\n\
         if the site has really lost them, publish with `--max-deletes 3`"
    );
    assert_eq!(published(&store), site('a', "abcd"));
    publish(&store, &site('a', "ab--"), &limited).expect("published");
}

#[test]
fn files_of_others_stay() {
    let store = Store::default();
    store.write("1/index.html", "theirs");
    store.write("notes.txt", "theirs");
    let files = site('a', "abcd");
    assert_eq!(
        message(publish(&store, &files, &options())),
        "s3://b has `1/index.html`, which InfraLens has not put there\n\
         choose another destination, or replace these files with `--overwrite`"
    );
    assert_eq!(store.files().len(), 2);
    publish(&store, &files, &Options { overwrite: true, ..options() }).expect("published");
    publish(&store, &site('a', "a---"), &options()).expect("published");
    assert_eq!(published(&store).get("notes.txt").map(String::as_str), Some("theirs"));
    let reserved = Files::from([(".infralens/state.json".to_owned(), String::new())]);
    assert!(message(publish(&store, &reserved, &options())).starts_with("`.infralens/state.json` cannot be published"));
}

#[test]
fn a_file_that_somebody_deleted_comes_back() {
    let (store, files) = (Store::default(), site('a', "abcd"));
    publish(&store, &files, &options()).expect("published");
    block_on(store.delete(&"0/index.html".into())).expect("deleted");
    let report = publish(&store, &files, &options()).expect("published");
    assert_eq!((report.plan.changes.len(), report.plan.uploads.len()), (1, 0));
    assert_eq!(published(&store), files);
}

#[test]
fn records_of_another_version_are_not_touched() {
    let store = Store::default();
    let state = r#"{"format": 2, "revision": 1, "complete": 0, "latest": 0}"#;
    for (text, why) in [(state, "its format is 2, and this version knows 1"), ("{", "EOF while parsing")] {
        store.write(".infralens/state.json", text);
        let refused = message(publish(&store, &site('a', "abcd"), &options()));
        assert!(refused.starts_with("`.infralens/state.json` cannot be read: ") && refused.contains(why), "{refused}");
    }
    assert_eq!(store.files().len(), 1);
}

#[test]
fn destinations_are_read() {
    let name = |text: &str| text.parse::<Destination>().map(|destination| destination.to_string());
    for (text, expected) in [("s3://b", "s3://b"), ("gs://b/", "gs://b"), ("az://b/a/b/", "az://b/a/b")] {
        assert_eq!(name(text).as_deref(), Ok(expected));
    }
    for (text, why) in [
        ("ftp://b", "its scheme is not known"),
        ("s3://", "the name of the bucket is missing"),
        ("s3:///x", "the name of the bucket is missing"),
        ("s3://b/a//b", "its folder is not a plain path"),
        ("s3://b/../c", "its folder is not a plain path"),
        ("s3://b/c?d", "it is only a name and a folder"),
    ] {
        assert!(message(name(text)).starts_with(&format!("`{text}` is not a destination: {why}\nwrite ")), "{text}");
    }
}
