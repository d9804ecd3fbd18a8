//! Every call to the file system that a build makes fails in turn, in every way, and the output is whole.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::disk::Call;
use crate::disk::faults::{self, Fault};

/// Two versions of a small site: a file of each version, one that is in both, one that differs.
fn version(name: &str) -> Site {
    let own = format!("only/{name}/x.html");
    let text = format!("text of {name}");
    site(&[("same/x.html", "same"), ("differs/x.html", &text), (&own, "own"), ("index.html", &text)])
}

/// What an author put into the output.
const FOREIGN: [(&str, &str); 2] = [("CNAME", "example.org"), ("same/mine/notes.txt", "mine")];

/// The version that the output is exactly, but for foreign files; `None` if there is no output.
fn held(out: &Path) -> Option<&'static str> {
    let is = |name: &&str| {
        let mut wanted: BTreeMap<String, Vec<u8>> = FOREIGN.map(|(path, text)| (path.into(), text.into())).into();
        wanted.extend(version(name).iter().map(|(path, bytes)| (path.clone(), bytes.to_vec())));
        wanted.insert(
            manifest::NAME.into(),
            manifest::encode(version(name).keys().map(String::as_str), None, false).into(),
        );
        let found = files(out);
        if !found.contains_key("CNAME") {
            wanted.retain(|path, _| FOREIGN.iter().all(|(foreign, _)| path != foreign));
        }
        found == wanted
    };
    out.exists().then(|| ["A", "B"].into_iter().find(is).expect("a whole site"))
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |(path, shot): (PathBuf, Shot)| Some((path.to_str()?.to_owned(), shot.content?));
    shots(folder).into_iter().filter_map(name).collect()
}

/// Runs `work` in what `prepare` makes, for each fault and each call at which it can begin, and has `judge` look at it.
fn in_turn(
    lacks_exchange: bool,
    prepare: impl Fn() -> Course,
    judge: impl Fn(&Course, Fault, &Result<Report, EmitError>),
) {
    // One thread, so that the calls come in one order.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for fault in Fault::ALL {
        let mut hits = 0;
        faults::in_turn(fault, |fault| {
            let course = prepare();
            let emit = || pool.install(|| course.emit(&version("B")));
            let (done, met) = faults::with(course.temp.path(), fault, lacks_exchange, emit);
            hits += usize::from(met.first.is_some());
            let judge = std::panic::AssertUnwindSafe(|| judge(&course, fault.0, &done));
            let is_held = std::panic::catch_unwind(judge).is_ok();
            assert!(is_held, "{fault:?}: {:?}; {done:?}", met.failed.first());
            met
        });
        assert!(hits > 0, "{fault:?} hits nothing");
    }
}

/// After any failure a build without one makes the site whole, and leaves nothing else.
fn next_build_is_whole(course: &Course) {
    // A process that another test starts has the lock, too, until it becomes another program.
    let mut tries = (0..10_000).map(|_| course.emit(&version("B")));
    tries.find(|built| !matches!(built, Err(EmitError::Busy(_)))).unwrap().unwrap();
    assert_eq!(held(&course.out), Some("B"));
    assert!(!course.stage().exists(), "the stage is gone");
}

/// The error says what was tried, and where.
fn names_the_place(course: &Course, error: &EmitError) {
    let text = error.to_string();
    assert!(text.contains(course.temp.path().to_str().unwrap()), "{text}");
}

/// Judges a build of version B over version A, which has foreign files.
fn judge_second(course: &Course, fault: Fault, done: &Result<Report, EmitError>, may_be_missing: bool) {
    let now = held(&course.out);
    match done {
        Ok(_) | Err(EmitError::LeftOver(_)) => assert_eq!(now, Some("B")),
        Err(_) if fault == Fault::Dead => assert!(now.is_some() || may_be_missing),
        Err(_) if now.is_none() => assert!(may_be_missing && fault == Fault::Twice),
        Err(_) => assert_eq!(now, Some("A")),
    }
    done.as_ref().err().into_iter().for_each(|error| names_the_place(course, error));
    if now.is_some() {
        let times = FOREIGN.map(|(path, _)| fs::metadata(course.out.join(path)).unwrap().modified().unwrap());
        assert!(times.iter().all(|time| *time == SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)));
    }
    next_build_is_whole(course);
    assert_eq!(FOREIGN.map(|(path, _)| course.out.join(path).exists()), [true; 2], "foreign files are kept");
}

/// An output of version A with foreign files, all of them old.
fn second() -> Course {
    let course = Course::with(&version("A"));
    for (path, text) in FOREIGN {
        age(&course.drop_in(path, text));
    }
    course
}

/// Runs a build of `name` that is killed right after a call; whether that is the one is asked with the call and its path.
fn kill_after(course: &Course, name: &str, lacks_exchange: bool, is_last: fn(Call, &Path) -> bool) {
    let killed = AtomicBool::new(false);
    let hooked = faults::below(course.temp.path(), move |call, path| {
        if killed.load(Ordering::Relaxed) {
            return Err(io::Error::other("killed"));
        }
        if lacks_exchange && call == Call::Exchange {
            return Err(io::ErrorKind::Unsupported.into());
        }
        killed.fetch_or(is_last(call, path), Ordering::Relaxed);
        Ok(())
    });
    course.emit(&version(name)).unwrap_err();
    drop(hooked);
    assert!(course.stage().exists(), "it was killed");
}

#[test]
fn a_first_build() {
    let prepare = || {
        let mut course = Course::new();
        course.out = course.root().join("new/parent/public");
        course
    };
    in_turn(false, prepare, |course, fault, done| {
        match done {
            Ok(_) | Err(EmitError::LeftOver(_)) => assert_eq!(held(&course.out), Some("B")),
            Err(_) if fault == Fault::Dead => assert!(matches!(held(&course.out), None | Some("B"))),
            Err(_) => assert_eq!(held(&course.out), None),
        }
        done.as_ref().err().into_iter().for_each(|error| names_the_place(course, error));
        next_build_is_whole(course);
    });
}

#[test]
fn a_second_build() {
    in_turn(false, second, |course, fault, done| judge_second(course, fault, done, false));
}

#[test]
fn a_second_build_where_two_folders_cannot_be_exchanged() {
    in_turn(true, second, |course, fault, done| judge_second(course, fault, done, true));
}

#[test]
fn a_build_after_one_that_was_killed_with_the_old_site_in_its_stage() {
    let prepare = || {
        let course = Course::with(&version("B"));
        for (path, text) in FOREIGN {
            age(&course.drop_in(path, text));
        }
        kill_after(&course, "A", false, |call, _| call == Call::Exchange);
        course
    };
    in_turn(false, prepare, |course, fault, done| judge_second(course, fault, done, false));
}

#[test]
fn a_build_after_one_that_was_killed_between_two_renames() {
    let prepare = || {
        let course = second();
        kill_after(&course, "B", true, |call, path| call == Call::Rename && path.ends_with("aside"));
        assert!(!course.out.exists());
        course
    };
    in_turn(true, prepare, |course, fault, done| {
        // It is missing until the build has brought it back.
        if held(&course.out).is_some() || done.is_ok() {
            judge_second(course, fault, done, true);
        } else {
            next_build_is_whole(course);
            assert!(course.out.join("CNAME").exists());
        }
    });
}

#[test]
fn files_of_the_programs_own() {
    for fault in Fault::ALL {
        faults::in_turn(fault, |fault| {
            let temp = temporary();
            let write = |text| write_generated(temp.path(), ".vscode/deep/lab.json", text);
            write("old").unwrap();
            let (done, met) = faults::with(temp.path(), fault, false, || write("new"));
            let file = temp.path().join(".vscode/deep/lab.json");
            let now = fs::read_to_string(&file).unwrap();
            assert!(now == "new" || now == "old" && done.is_err(), "{fault:?}: {now} {done:?}");
            assert!(done.is_err() || now == "new", "{fault:?}");
            write("new").unwrap();
            let files: Vec<_> = files(temp.path()).into_keys().collect();
            assert_eq!(files, [".vscode/deep/lab.json"], "{fault:?}");
            met
        });
    }
}
