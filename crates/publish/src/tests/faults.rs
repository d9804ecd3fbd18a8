//! Every request fails in turn; the publisher is killed at every request; two publish at once.

use super::store::{Failure, Store};
use super::{Options, assert_whole, message, options, publish, published, published_site, roll_back, site};

const FAILURES: [Failure; 4] = [Failure::Before, Failure::After, Failure::Killed, Failure::KilledAfter];

/// The site before, the one whose publisher fails, and one that has something of both.
fn sites() -> [super::Files; 3] {
    [site('a', "abcd"), site('b', "axc-e"), site('a', "ayc-")]
}

#[test]
fn after_any_failure_the_site_is_whole_and_the_next_publisher_goes_on() {
    let [before, during, after] = sites();
    for failure in FAILURES {
        for number in 0.. {
            assert!(number < 100, "a publisher needs few requests");
            let when = format!("{failure:?} at {number}");
            let store = Store::default();
            publish(&store, &before, &options()).expect("published");
            store.advance(10);
            store.fail_at(Some((number, failure)));
            let calls = store.calls().len();
            let result = publish(&store, &during, &options());
            let calls = store.calls().len() - calls;
            store.fail_at(None);
            assert_whole(&store, &when);
            let is_killed = matches!(failure, Failure::Killed | Failure::KilledAfter);
            match result {
                // The last request, which gives the claim back, may fail without harm.
                Ok(_) => assert_eq!(published_site(&store, &during), during, "{when}"),
                Err(refusal) if refusal.help.iter().any(|help| help.contains("is as it was")) => {
                    assert_eq!(published(&store), before, "{when}");
                }
                Err(_) => {}
            }
            if is_killed {
                store.advance(120);
            }
            // The same site, another one, or the one before: each is complete after the next run.
            let next = [&during, &after, &before][number % 3];
            match publish(&store, next, &options()) {
                Ok(_) => {}
                // The claim could not be given back, so the next publisher waits until it expires.
                Err(refusal) => {
                    assert!(!is_killed && refusal.message.contains("ann is publishing"), "{when}: {refusal:?}");
                    store.advance(120);
                    publish(&store, next, &options()).expect("published");
                }
            }
            assert_eq!(published_site(&store, next), *next, "{when}");
            assert_whole(&store, &when);
            roll_back(&store, Some(1)).expect("rolled back");
            assert_eq!(published_site(&store, &before), before, "{when}");
            if number > calls {
                break;
            }
        }
    }
}

#[test]
fn the_first_publisher_may_fail_at_any_request() {
    // New pages may link to each other in a circle, so here none does.
    let [during, after] = [site('b', "-xc-e"), site('a', "-yc-")];
    for failure in FAILURES {
        for number in 0..40 {
            let store = Store::default();
            store.fail_at(Some((number, failure)));
            let _ = publish(&store, &during, &options());
            store.fail_at(None);
            assert_whole(&store, "the first");
            store.advance(120);
            publish(&store, &after, &options()).expect("published");
            assert_eq!(published_site(&store, &after), after, "{failure:?} at {number}");
        }
    }
}

#[test]
fn cleaning_up_may_fail_at_any_request() {
    let [before, during, after] = sites();
    for failure in FAILURES {
        for number in 0..60 {
            let store = Store::default();
            for files in [&before, &during, &after] {
                publish(&store, files, &options()).expect("published");
            }
            let none = Options { keep_days: 0, ..options() };
            store.fail_at(Some((number, failure)));
            let _ = publish(&store, &before, &none);
            store.fail_at(None);
            assert_whole(&store, "cleaning up");
            store.advance(120);
            publish(&store, &before, &Options { now: i64::MAX, ..none }).expect("published");
            assert_eq!(published(&store), before, "{failure:?} at {number}");
            let contents = store.files().keys().filter(|path| path.starts_with(".infralens/objects/")).count();
            assert_eq!(contents, before.len(), "{failure:?} at {number}");
        }
    }
}

#[test]
fn a_second_publisher_stops_before_it_writes() {
    let [before, during, after] = sites();
    let store = Store::default();
    publish(&store, &before, &options()).expect("published");
    let upload = store.calls().iter().position(|call| call.contains("/objects/")).expect("an upload");
    store.fail_at(Some((upload + 1, Failure::Killed)));
    publish(&store, &during, &options()).expect_err("killed");
    store.fail_at(None);
    let files = published(&store);
    let refused = message(publish(&store, &after, &options()));
    assert_eq!(refused, "ann is publishing to s3://b now\nif that was killed, try again in 120 seconds");
    assert_eq!(published(&store), files);
    store.advance(119);
    assert!(message(publish(&store, &after, &options())).contains("in 1 second"));
    store.advance(1);
    publish(&store, &after, &options()).expect("published");
    assert_eq!(published_site(&store, &after), after);
}

#[test]
fn a_publisher_that_has_lost_its_claim_stops() {
    let [before, during, _] = sites();
    let store = Store::default();
    publish(&store, &before, &options()).expect("published");
    let state = store.files()[".infralens/state.json"].clone();
    // Somebody else takes the claim while this one uploads: the next time that it writes the state, it notices.
    let other = store.clone();
    let make = |path: &str| {
        other.write(".infralens/state.json", &state);
        during.get(path).map(|text| infralens_source::output::Bytes::from(text.clone()))
    };
    let mut manifest = super::Manifest::default();
    for (path, text) in &during {
        manifest.insert(path, super::Entry::new(path, text.as_bytes()));
    }
    let wanted = super::Wanted::Site { manifest, make: &make };
    let refused = message(super::block_on(super::run(&store, "s3://b", wanted, &options(), &|_| ())));
    assert!(refused.starts_with("somebody else has begun to publish to s3://b\n"), "{refused}");
    assert_eq!(published(&store), before);
}
