//! A build with nothing to do is recognized by content, and anything else is built.

use super::*;
use crate::disk::faults::{self, Fault};

const FILES: [(&str, &str); 3] = [("index.html", "home"), ("t/labs/x.html", "x"), ("t/labs/y.html", "y")];

/// What the build reported.
const REPORT: &str = "warning: “a draft”";

/// Something that is done to an output.
type Edit<'a> = &'a dyn Fn(&Path);

fn sources() -> Sources {
    Sources::named("a course")
}

/// An output whose build reported something; all of it old.
fn stamped() -> Course {
    let course = Course::new();
    stamp(&course);
    for path in shots(&course.out).keys() {
        age(&course.out.join(path));
    }
    course
}

/// Builds [`FILES`].
fn stamp(course: &Course) -> Report {
    build(course).unwrap()
}

fn build(course: &Course) -> Result<Report, EmitError> {
    let (files, root) = (site(&FILES), course.root());
    let target = Target { out: &course.out, root: &root, is_marked: false };
    let writer = Writer::open(files.keys().map(String::as_str), &target)?;
    files.iter().rev().for_each(|(path, bytes)| writer.put(path, bytes));
    writer.finish(Some((sources(), REPORT.to_owned())))
}

fn is_up_to_date(course: &Course) -> Option<usize> {
    let (files, report) = up_to_date(&Target { out: &course.out, root: &course.root(), is_marked: false }, &sources())?;
    assert_eq!(report, REPORT);
    Some(files)
}

#[test]
fn an_output_as_it_was_written_is_up_to_date_and_is_not_touched() {
    let course = stamped();
    course.drop_in("CNAME", "example.org");
    course.drop_in("t/labs/notes.txt", "mine");
    age(&course.out);
    let before = shots(&course.root());
    assert_eq!(is_up_to_date(&course), Some(3));
    assert_eq!(shots(&course.root()), before);
    assert!(stamp(&course).unchanged_site, "a full build would change nothing either");
}

#[test]
fn another_course_is_built() {
    let course = stamped();
    let target = Target { out: &course.out, root: &course.root(), is_marked: false };
    assert_eq!(up_to_date(&target, &Sources::named("another course")), None);
}

#[test]
fn only_those_who_have_the_sources_can_read_what_was_reported() {
    let course = stamped();
    let list = fs::read_to_string(course.out.join(manifest::NAME)).unwrap();
    assert!(list.contains("\"report\"") && !list.contains("draft"), "{list}");
    let mut other = Course::new();
    let writer = |course: &Course, sources| {
        let (files, root) = (site(&FILES), course.root());
        let writer =
            Writer::open(files.keys().map(String::as_str), &Target { out: &course.out, root: &root, is_marked: false })
                .unwrap();
        for (path, bytes) in &files {
            writer.put(path, bytes);
        }
        writer.finish(Some((sources, String::new()))).unwrap();
    };
    writer(&other, sources());
    let silent = fs::read_to_string(other.out.join(manifest::NAME)).unwrap();
    assert!(!silent.contains("report"), "{silent}");
    other = stamped();
    for edit in ["\"report\": \"0", "\"report\": \"g", "\"report\": \"é"] {
        let edited = list.replacen("\"report\": \"", edit, 1);
        fs::write(other.out.join(manifest::NAME), edited).unwrap();
        let found = up_to_date(&Target { out: &other.out, root: &other.root(), is_marked: false }, &sources());
        assert!(found.is_none_or(|(_, report)| report != REPORT), "{edit}");
    }
}

#[test]
fn whatever_is_done_to_the_output_is_noticed() {
    use std::os::unix::fs::symlink;
    let file = "t/labs/x.html";
    let list = manifest::NAME;
    let edits: [(&str, Edit); 12] = [
        ("edited", &|out| fs::write(out.join(file), "z").unwrap()),
        ("longer", &|out| fs::write(out.join(file), "xx").unwrap()),
        ("deleted", &|out| fs::remove_file(out.join(file)).unwrap()),
        ("exchanged", &|out| {
            fs::write(out.join(file), "y").unwrap();
            fs::write(out.join("t/labs/y.html"), "x").unwrap();
        }),
        ("a link to a file that is equal", &|out| {
            fs::rename(out.join(file), out.join("moved")).unwrap();
            symlink("../../moved", out.join(file)).unwrap();
        }),
        ("in a folder that is a link", &|out| {
            fs::rename(out.join("t"), out.join("moved")).unwrap();
            symlink("moved", out.join("t")).unwrap();
        }),
        ("a pipe", &|out| {
            fs::remove_file(out.join(file)).unwrap();
            rustix::fs::mknodat(
                rustix::fs::CWD,
                out.join(file),
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::from_raw_mode(0o600),
                0,
            )
            .unwrap();
        }),
        ("a folder", &|out| {
            fs::remove_file(out.join(file)).unwrap();
            fs::create_dir(out.join(file)).unwrap();
        }),
        ("no manifest", &|out| fs::remove_file(out.join(list)).unwrap()),
        ("a manifest with a line less", &|out| {
            let text = fs::read_to_string(out.join(list)).unwrap();
            fs::write(out.join(list), text.replace("    \"index.html\",\n", "")).unwrap();
        }),
        ("a manifest in another form", &|out| {
            let text = fs::read_to_string(out.join(list)).unwrap();
            fs::write(out.join(list), text.replace("  ", "\t")).unwrap();
        }),
        ("a manifest without a stamp", &|out| {
            let paths = FILES.iter().map(|(path, _)| *path);
            fs::write(out.join(list), manifest::encode(paths, None, false)).unwrap();
        }),
    ];
    for (what, edit) in edits {
        let course = stamped();
        edit(&course.out);
        assert_eq!(is_up_to_date(&course), None, "{what}");
    }
}

/// What is in an output but for its manifest, folders included.
fn besides_manifest(course: &Course) -> BTreeMap<PathBuf, Shot> {
    let mut shots = shots(&course.out);
    shots.remove(Path::new(manifest::NAME));
    shots
}

/// An output with no stamp, as programs wrote it before there were stamps.
fn unstamped() -> Course {
    let course = Course::with(&site(&FILES));
    course.drop_in("CNAME", "example.org");
    let list = fs::read_to_string(course.out.join(manifest::NAME)).unwrap();
    assert!(!list.contains("stamp"), "{list}");
    course
}

#[test]
fn a_manifest_without_a_stamp_gets_one_and_nothing_else_is_touched() {
    let course = unstamped();
    let before = besides_manifest(&course);
    assert_eq!(is_up_to_date(&course), None);
    let report = stamp(&course);
    assert_eq!((counts(&report), report.unchanged_site), ((0, 3, 0), true));
    assert_eq!(is_up_to_date(&course), Some(3));
    assert_eq!(besides_manifest(&course), before);
    assert!(!course.stage().exists(), "the stage is gone");
}

#[test]
fn whatever_fails_a_manifest_is_the_old_or_the_new_one() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for fault in Fault::ALL {
        faults::in_turn(fault, |fault| {
            let course = unstamped();
            let before = besides_manifest(&course);
            let (done, met) = faults::with(course.temp.path(), fault, false, || pool.install(|| build(&course)));
            let now = besides_manifest(&course);
            // What could not be read was written again.
            let is_same =
                now.keys().eq(before.keys()) && now.iter().all(|(path, shot)| shot.content == before[path].content);
            assert!(is_same, "{fault:?}: {:?}; {done:?}", met.failed.first());
            if !course.stage().exists() {
                let list = fs::read_to_string(course.out.join(manifest::NAME)).unwrap();
                assert_eq!(is_up_to_date(&course).is_some(), list.contains("stamp"), "{fault:?}; {done:?}");
                assert!(done.is_err() || list.contains("stamp"), "{fault:?}; {done:?}");
            }
            stamp(&course);
            assert_eq!(is_up_to_date(&course), Some(3), "{fault:?}");
            met
        });
    }
}

#[test]
fn the_manifest_of_a_build_without_a_record_has_no_stamp() {
    let course = stamped();
    course.emit(&site(&FILES)).unwrap();
    assert!(!fs::read_to_string(course.out.join(manifest::NAME)).unwrap().contains("stamp"));
    assert_eq!(is_up_to_date(&course), None);
}

#[test]
fn after_a_killed_build_the_next_one_is_a_full_one() {
    let course = stamped();
    fs::create_dir(course.stage()).unwrap();
    assert_eq!(is_up_to_date(&course), None);
    stamp(&course);
    assert!(!course.stage().exists(), "it clears what was left");
    assert_eq!(is_up_to_date(&course), Some(3));
}

#[test]
fn a_call_that_fails_is_never_taken_for_an_answer() {
    let is_edited = [false, true];
    for edited in is_edited {
        let course = stamped();
        if edited {
            fs::write(course.out.join("index.html"), "away").unwrap();
        }
        let before = shots(&course.root());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for fault in [Fault::Once, Fault::Dead] {
            faults::in_turn(fault, |fault| {
                let look = || pool.install(|| is_up_to_date(&course));
                let (found, met) = faults::with(course.temp.path(), fault, false, look);
                let is_sure = !edited && met.first.is_none();
                assert_eq!(found, is_sure.then_some(3), "{fault:?}: {:?}", met.failed.first());
                met
            });
        }
        assert_eq!(shots(&course.root()), before);
    }
}
