//! Same in, same out: whatever the folder, time zone, locale, number of threads, home and caches.

use std::collections::BTreeMap;

use infralens::load;
use infralens_site as site;

use crate::harness::{SiteTest, bytes, contents, program};

/// A site built by so many threads.
fn built_by(threads: usize, test: &SiteTest) -> BTreeMap<String, Vec<u8>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let outcome = pool.install(|| site::build(&load::load(&test.root()), &test.options));
    bytes(&outcome.files.expect("the course builds"))
}

#[test]
fn one_thread_makes_what_four_make() {
    for test in [SiteTest::own(), SiteTest::from_dir("notes"), SiteTest::from_dir("course-model")] {
        let one = built_by(1, &test);
        assert_eq!(one.keys().collect::<Vec<_>>(), built_by(4, &test).keys().collect::<Vec<_>>());
        for (path, four) in built_by(4, &test) {
            assert!(one[&path] == four, "{path} differs");
        }
    }
}

#[test]
fn diagnostics_come_in_one_order() {
    let output = |threads: usize| {
        let test = SiteTest::from_dir("course-model");
        for number in 10..40 {
            test.write(
                &format!("content/tracks/first/handbook/{number}-x{number}.md"),
                "---\ntitel: x\nafter: [y, z]\n---\n[a](b.md)",
            );
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| test.build().human())
    };
    assert_eq!(output(1), output(4));
}

/// A site built by the program, in a copy of the course in a folder of another name.
fn built_in(test: &SiteTest, folder: &str, environment: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    let other = SiteTest::empty();
    let root = other.above().join(folder);
    std::fs::create_dir_all(root.parent().expect("a folder above")).expect("a folder");
    std::fs::rename(SiteTest::copy_of(&test.root()).root(), &root).expect("both lie in the temporary folder");
    let home = other.above().join("home");
    std::fs::create_dir(&home).expect("a folder");
    let mut command = program(&root);
    command.args(["build", "-o", "../site"]).env("HOME", &home).env("XDG_CACHE_HOME", home.join("cache"));
    let out = command.envs(environment.iter().copied()).output().expect("the program runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(contents(&home), BTreeMap::new(), "nothing is kept at home");
    contents(&root.parent().expect("a folder above").join("site"))
}

#[test]
fn the_program_makes_the_same_bytes_anywhere() {
    for test in [SiteTest::own(), SiteTest::from_dir("notes")] {
        let here = built_in(&test, "a", &[("TZ", "UTC"), ("LC_ALL", "C")]);
        let there = built_in(
            &test,
            "Über uns/b",
            &[
                ("TZ", "Pacific/Chatham"),
                ("LC_ALL", "tr_TR.UTF-8"),
                ("LANG", "de_DE.UTF-8"),
                ("RAYON_NUM_THREADS", "1"),
                ("SOURCE_DATE_EPOCH", "1"),
            ],
        );
        assert!(here.len() > 10);
        assert_eq!(here.keys().collect::<Vec<_>>(), there.keys().collect::<Vec<_>>());
        for (path, bytes) in here {
            assert!(there[&path] == bytes, "{path} differs");
        }
    }
}
