//! What happens when a build fails, meets another build or what a killed one left, or runs on a lesser file system. (`every`
//! goes through all calls that can fail; `tests/it/faults.rs` kills the program itself.)

use std::process::{Child, Command, Stdio};
use std::thread;

use super::*;
use crate::disk::Call;
use crate::disk::faults::{self, Hooked};
use crate::emit::stage::Stage;

/// Tells a child process what to do, and where.
const ROLE: &str = "EMIT_TEST_ROLE";
const PLACE: &str = "EMIT_TEST_PLACE";

/// A site of 60 files, of which a third is in every version, a third differs, and a third is elsewhere.
fn version(name: &str) -> Site {
    let path = |n: usize| match n % 3 {
        0 => format!("same/{}/{n}.html", n % 4),
        1 => format!("differs/{}/{n}.html", n % 4),
        _ => format!("only-{name}/{}/{n}.html", n % 4),
    };
    let text = |n: usize| {
        if n.is_multiple_of(3) { format!("{n}\n") } else { format!("{n} {name}\n").repeat(100) }
    };
    (0..60).map(|n| (path(n), text(n).into_bytes().into())).collect()
}

/// The version of the site that the output is exactly.
fn whole(out: &Path) -> &'static str {
    let found: Site = texts(out).into_iter().map(|(path, text)| (path, text.into_bytes().into())).collect();
    let list = fs::read_to_string(out.join(manifest::NAME)).unwrap();
    let is = |name: &&str| {
        let site = version(name);
        found == site && list == manifest::encode(site.keys().map(String::as_str), None, false)
    };
    ["A", "B"].into_iter().find(is).expect("a whole site")
}

/// Does something just before the two folders are exchanged, and may keep them from being so.
fn at_exchange(course: &Course, act: impl Fn(&Path) -> io::Result<()> + Send + Sync + 'static) -> Hooked {
    faults::below(course.temp.path(), move |call, path| if call == Call::Exchange { act(path) } else { Ok(()) })
}

/// This test binary, running [`child`] alone in `role`, after the shell commands `setup`.
fn child_of(course: &Course, role: &str, setup: &str) -> Child {
    let test = format!("{}::child", module_path!().split_once("::").unwrap().1);
    let mut command = Command::new("sh");
    command.args(["-c", &format!(r#"{setup} exec "$0" "$@""#)]);
    command.arg(std::env::current_exe().unwrap()).args([&test, "--exact", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(PLACE, course.temp.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Not a test of its own: what a child process does.
#[test]
fn child() {
    let (Ok(role), Ok(place)) = (std::env::var(ROLE), std::env::var(PLACE)) else {
        return;
    };
    let root = Path::new(&place).join("course");
    let target = Target { out: &root.join("public"), root: &root, is_marked: false };
    match role.as_str() {
        "large" => {
            let mut files = version("B");
            files.insert("large".to_owned(), vec![b'x'; 1 << 20].into());
            let error = emit(&files, &target).expect_err("a file that is too large for the system");
            assert_eq!(error.to_string().split('`').next(), Some("cannot write "), "{error}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_write_that_fails_leaves_the_old_site() {
    let course = Course::with(&version("A"));
    let before = shots(&course.root());
    // A file of a megabyte, where the system allows only 128 KiB or less: "File too large", as "No space left".
    let done = child_of(&course, "large", "trap '' XFSZ; ulimit -f 128;").wait_with_output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(shots(&course.root()), before, "nothing is touched, and the stage is gone");
}

#[test]
fn a_failure_half_way_leaves_nothing_behind() {
    // The path is short enough for a site; from the root of the file system it is too long.
    let path = ["x".repeat(255).as_str(); 4].join("/");
    let files = site(&[("index.html", "new"), (&path, "x")]);
    let mut course = Course::with(&site(&[("index.html", "old"), ("y", "y")]));
    let deep = course.temp.path().join(["d".repeat(250).as_str(); 13].join("/"));
    course.out = deep.join("public");
    course.emit(&site(&[("index.html", "old"), ("y", "y")])).unwrap();
    let before = shots(&deep);
    assert!(matches!(course.emit(&files), Err(EmitError::Io(..))));
    course.out = deep.join("new/parent/public");
    assert!(matches!(course.emit(&files), Err(EmitError::Io(..))));
    assert_eq!(shots(&deep), before);
    assert!(!deep.join("new").exists());
}

#[test]
fn two_builds_at_once() {
    let course = Course::with(&version("A"));
    let output = OutputPaths::find(&Target { out: &course.out, root: &course.root(), is_marked: false }).unwrap();
    let held = Stage::open(&output).unwrap();
    let before = shots(&course.out);
    let error = course.emit(&version("B")).expect_err("the stage is held");
    assert!(matches!(error, EmitError::Busy(_)), "{error}");
    assert_eq!(shots(&course.out), before);
    assert!(course.stage().exists(), "it is the other build's");
    drop(held);
    assert!(!course.stage().exists());
    course.emit(&version("B")).unwrap();
    assert_eq!(whole(&course.out), "B");
}

#[test]
fn many_builds_at_once_each_win_or_wait() {
    let course = Course::with(&version("A"));
    let build = |name: &str| {
        let result = course.emit(&version(name));
        assert!(matches!(result, Ok(_) | Err(EmitError::Busy(_))), "{result:?}");
        usize::from(result.is_ok())
    };
    let successes: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|n| scope.spawn(move || (0..10).map(|round| build(["A", "B"][(n + round) % 2])).sum::<usize>()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(successes > 0);
    whole(&course.out);
    assert!(!course.stage().exists());
}

#[test]
fn a_stage_left_over_is_taken_over() {
    let course = Course::with(&site(&[("index.html", "old")]));
    for laid_out in [None, Some("index.html"), Some("half/way.html")] {
        fs::create_dir(course.stage()).unwrap();
        if let Some(path) = laid_out {
            fs::write(course.stage().join(".infralens-stage"), "").unwrap();
            let path = course.stage().join("site").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "half").unwrap();
        }
        course.emit(&site(&[("index.html", "old")])).unwrap();
        expect(&course, &[("index.html", "old")]);
    }
}

#[test]
fn what_is_not_ours_in_a_stage_left_over_goes_home() {
    let course = Course::with(&site(&[("index.html", "new")]));
    course.drop_in("CNAME", "newer");
    let old = Course::with(&site(&[("index.html", "old")]));
    age(&old.drop_in("CNAME", "older"));
    old.drop_in("late/comer", "late");
    fs::create_dir(course.stage()).unwrap();
    fs::write(course.stage().join(".infralens-stage"), "").unwrap();
    fs::rename(&old.out, course.stage().join("site")).unwrap();
    course.emit(&site(&[("index.html", "new")])).unwrap();
    expect(&course, &[("CNAME", "newer"), ("index.html", "new"), ("late/comer", "late")]);
}

#[test]
fn a_foreign_file_that_comes_or_changes_during_the_build_is_kept() {
    let course = Course::with(&site(&[("index.html", "old")]));
    age(&course.drop_in("CNAME", "example.org"));
    let _hooked = at_exchange(&course, |out| {
        fs::write(out.join("late"), "late")?;
        fs::write(out.join("saved"), "example.net")?;
        fs::rename(out.join("saved"), out.join("CNAME"))
    });
    course.emit(&site(&[("index.html", "new")])).unwrap();
    expect(&course, &[("CNAME", "example.net"), ("index.html", "new"), ("late", "late")]);
}

#[test]
fn without_an_exchange_it_takes_two_renames_and_says_so() {
    let course = Course::with(&version("A"));
    course.drop_in("CNAME", "example.org");
    let _hooked = at_exchange(&course, |_| Err(io::ErrorKind::Unsupported.into()));
    let report = course.emit(&version("B")).unwrap();
    assert!(
        matches!(report.replacement, Replacement::NotAtomic { ref reason } if reason.contains("exchange")),
        "{report:?}"
    );
    assert_eq!(fs::read_to_string(course.out.join("CNAME")).unwrap(), "example.org");
    fs::remove_file(course.out.join("CNAME")).unwrap();
    assert_eq!(whole(&course.out), "B");
    assert!(!course.stage().exists());
}

#[test]
fn killed_between_two_renames_the_old_site_comes_back() {
    let course = Course::with(&site(&[("index.html", "old"), ("kept", "kept")]));
    let kept = shots(&course.out)[Path::new("kept")].clone();
    fs::create_dir(course.stage()).unwrap();
    fs::write(course.stage().join(".infralens-stage"), "").unwrap();
    fs::rename(&course.out, course.stage().join("aside")).unwrap();
    course.emit(&site(&[("index.html", "new"), ("kept", "kept")])).unwrap();
    expect(&course, &[("index.html", "new"), ("kept", "kept")]);
    assert_eq!(shots(&course.out)[Path::new("kept")], kept);
}

#[test]
fn a_failed_exchange_leaves_the_old_site() {
    let course = Course::with(&version("A"));
    course.drop_in("CNAME", "example.org");
    let before = shots(&course.root());
    for kind in [io::ErrorKind::CrossesDevices, io::ErrorKind::ResourceBusy] {
        let _hooked = at_exchange(&course, move |_| Err(kind.into()));
        assert!(matches!(course.emit(&version("B")), Err(EmitError::Immovable(_))));
        assert_eq!(shots(&course.root()), before);
    }
    // The new site vanishes between the two renames.
    let new = course.stage().join("site");
    let _hooked = at_exchange(&course, move |_| fs::remove_dir_all(&new).and(Err(io::ErrorKind::Unsupported.into())));
    assert!(matches!(course.emit(&version("B")), Err(EmitError::Io(..))));
    assert_eq!(shots(&course.root()), before);
}
