//! The program is killed, runs twice at once, meets a full disk, and is read from while it writes. What happens when single
//! calls to the file system fail is tested in `src/emit/tests/every.rs`, `src/emit/tests/course.rs` and `src/load/tests.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use infralens::emit::Target;

use crate::generate::Dice;
use crate::harness::{SiteTest, contents, emit, program, repository};

type Tree = BTreeMap<String, Vec<u8>>;

const VERSIONS: [&str; 2] = ["one", "other"];

/// A small course with labs.
fn course() -> SiteTest {
    SiteTest::copy_of(&repository("tests/suite/base"))
}

/// Makes the course a version of itself: one page differs, and each version has a page that the other does not have.
fn set(test: &SiteTest, version: usize) {
    let page = |text: &str| format!("---\ntitle: Version\n---\n\nThis is version {text}.\n");
    test.write("content/version.md", page(VERSIONS[version]));
    test.write(&format!("content/{}.md", VERSIONS[version]), page("alone"));
    let _ = fs::remove_file(test.root().join(format!("content/{}.md", VERSIONS[1 - version])));
}

fn start(test: &SiteTest, arguments: &[&str]) -> Child {
    let mut command = program(&test.root());
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the program runs")
}

/// Builds the version, which must succeed, and returns the site.
fn built(test: &SiteTest, version: usize) -> Tree {
    set(test, version);
    let run = test.run(&["build"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    contents(&test.public())
}

/// Waits until there is something at `path`, or the program has ended; returns which.
fn appears(path: &Path, child: &mut Child) -> bool {
    while fs::symlink_metadata(path).is_err() {
        if child.try_wait().expect("its status").is_some() {
            return false;
        }
    }
    true
}

/// Waits without giving up the processor, for times that are shorter than a sleep can be.
fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

fn part(dice: &mut Dice, of: Duration) -> Duration {
    of.mul_f64(f64::from(u32::try_from(dice.below(1000)).expect("below a thousand")) / 1000.0)
}

/// Kills the program, and returns whether it was still running.
fn kill(mut child: Child) -> bool {
    child.kill().expect("it can be killed");
    let done = child.wait_with_output().expect("it ends");
    let output = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.signal() == Some(9) || done.status.success(), "{output}");
    done.status.signal() == Some(9)
}

#[test]
fn a_build_that_is_killed_leaves_the_whole_old_or_the_whole_new_site() {
    let test = course();
    let stage = test.root().join(".public.infralens-stage");
    let trees = [built(&test, 0), built(&test, 1)];
    let start_of_build = Instant::now();
    assert!(built(&test, 0) == trees[0], "a build that changes the site back");
    let of_build = start_of_build.elapsed();
    let mut dice = Dice(16);
    let (mut now, mut killed, mut half_way, mut seen) = (0, 0, 0, BTreeSet::new());
    // More than 200 where the machine has become so much busier or idler that all of them came too early or too late.
    for round in 0..600 {
        if round >= 200 && killed > 20 && half_way > 0 && seen.len() == 2 {
            break;
        }
        set(&test, 1 - now);
        let mut child = start(&test, &["build"]);
        // One build in four is killed at any moment, the others while they write, which is the smaller part; and later where
        // the machine has become slower.
        let of_build = of_build * (1 + round % 100 / 20);
        if round % 4 == 0 {
            std::thread::sleep(part(&mut dice, of_build));
        } else if appears(&stage, &mut child) {
            spin(part(&mut dice, of_build / 3));
        }
        killed += usize::from(kill(child));
        half_way += usize::from(stage.exists());
        let found = contents(&test.public());
        now = trees.iter().position(|tree| *tree == found).unwrap_or_else(|| panic!("round {round}: a whole site"));
        seen.insert(now);
    }
    assert!(half_way > 0 && seen.len() == 2, "{killed} killed, {half_way} half-way, {seen:?} seen");
    assert!(built(&test, 1 - now) == trees[1 - now], "the next build is whole");
    assert!(!stage.exists(), "what was left over is cleared");
}

#[test]
fn a_command_that_is_killed_while_it_changes_the_course_can_be_run_again() {
    let test = course();
    set(&test, 0);
    let before = contents(&test.root());
    let commands: [&[&str]; 3] = [
        &["move", "content/tracks/t/labs/lab-01-a.md", "lab-07-new-name"],
        &["new", "track", "another"],
        &["new", "lab", "t/later"],
    ];
    let reset = || {
        fs::remove_dir_all(test.root()).expect("it can be removed");
        for (path, bytes) in &before {
            test.write(path, bytes);
        }
    };
    let after = commands.map(|command| {
        let start = Instant::now();
        assert!(test.run(command).status.success(), "{command:?}");
        let after = (contents(&test.root()), start.elapsed());
        reset();
        after
    });
    let mut dice = Dice(17);
    for round in 0..36 {
        let (command, (after, of_command)) = (commands[round % 3], &after[round % 3]);
        let child = start(&test, command);
        std::thread::sleep(of_command.mul_f64(0.3) + part(&mut dice, *of_command));
        kill(child);
        // A command that was done before it was killed is refused the second time.
        let again = test.run(command);
        let now = contents(&test.root());
        assert!(now == *after, "{command:?}: {:?} {}", now.keys(), String::from_utf8_lossy(&again.stderr));
        reset();
    }
}

#[test]
fn builds_at_once_each_win_or_say_that_another_is_at_work() {
    let tests = VERSIONS.map(|_| course());
    let out = tests[0].above().join("shared");
    let arguments = ["build", "-o", out.to_str().expect("UTF-8")];
    let trees: Vec<Tree> = (0..2)
        .map(|version| {
            set(&tests[version], version);
            assert!(tests[version].run(&arguments).status.success());
            contents(&out)
        })
        .collect();
    for _ in 0..8 {
        let children: Vec<Child> = (0..4).map(|n| start(&tests[n % 2], &arguments)).collect();
        let mut successes = 0;
        for child in children {
            let done = child.wait_with_output().expect("it ends");
            let output = String::from_utf8_lossy(&done.stderr).into_owned();
            match done.status.code() {
                Some(0) => successes += 1,
                code => {
                    assert!(
                        code == Some(2) && output.starts_with("error: another build is writing `"),
                        "{code:?} {output}"
                    );
                }
            }
        }
        assert!(successes > 0, "one wins");
        assert!(trees.contains(&contents(&out)), "a whole site");
    }
    assert!(!tests[0].above().join(".shared.infralens-stage").exists());
}

/// Reads a whole file, or nothing if there is none.
fn read(mut file: fs::File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).expect("a file that is open can be read");
    bytes
}

/// Walks the output once by paths, and once through a folder that stays open. Returns which versions it saw.
fn walk(out: &Path, trees: &[Tree; 2], turn: usize) -> BTreeSet<usize> {
    use rustix::fs::{Mode, OFlags, openat};
    let is_in = |version: usize, path: &str, bytes: &[u8]| trees[version].get(path).is_some_and(|of| of == bytes);
    let all: BTreeSet<&String> = trees.iter().flat_map(BTreeMap::keys).collect();
    // By paths: each file is a whole one, and one that both sites have is always there.
    for path in &all {
        match fs::File::open(out.join(path)) {
            Ok(file) => {
                let bytes = read(file);
                assert!((0..2).any(|version| is_in(version, path, &bytes)), "{path} is of one site or the other");
            }
            Err(error) => assert!(trees.iter().any(|tree| !tree.contains_key(*path)), "{path}: {error}"),
        }
    }
    // Through one open folder: it is one site's, which loses its files when it is the old one, but has none of the other's.
    let folder = fs::File::open(out).expect("the output is there at every moment");
    let mut may_be = BTreeSet::from([0, 1]);
    for path in all.iter().cycle().skip(turn * 7).take(all.len()) {
        if let Ok(file) = openat(&folder, path.as_str(), OFlags::RDONLY, Mode::empty()) {
            let bytes = read(file.into());
            may_be.retain(|version| is_in(*version, path, &bytes));
            assert!(!may_be.is_empty(), "{path}: files of two sites in one folder");
        }
    }
    may_be
}

#[test]
fn a_reader_sees_whole_files_of_one_site_or_the_other_during_200_builds() {
    let test = course();
    let sites = [0, 1].map(|version| {
        set(&test, version);
        test.build().site()
    });
    let (out, root) = (test.public(), test.root());
    let target = Target { out: &out, root: &root, is_marked: false };
    let trees = [0, 1].map(|version: usize| {
        emit(&sites[version], &target).expect("it is written");
        contents(&out)
    });
    let is_done = AtomicBool::new(false);
    let (walks, seen) = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut walks, mut seen) = (0, BTreeSet::new());
            while !is_done.load(Ordering::Relaxed) {
                seen.extend(
                    Some(walk(&out, &trees, walks)).filter(|versions| versions.len() == 1).into_iter().flatten(),
                );
                walks += 1;
            }
            (walks, seen)
        });
        for round in 0..200 {
            emit(&sites[round % 2], &target).expect("it is written");
            if reader.is_finished() {
                break;
            }
        }
        is_done.store(true, Ordering::Relaxed);
        reader.join().expect("the reader sees nothing else")
    });
    assert!(walks > 2 && seen.len() == 2, "{walks} walks saw {seen:?}");
}

/// What is done on a disk of its own, `$1`, with the program `$2`, the courses `$3` and `$4` and their sites `$5` and `$6`.
const ON_A_FULL_DISK: &str = r#"
set -eu
mount -t tmpfs -o size="$7" none "$1"
cp -r "$3" "$1/course"
cd "$1/course"
"$2" build > /dev/null 2>&1
diff -r public "$5"
rm -r content && cp -r "$4/content" content && cp -r content ../content
dd if=/dev/zero of=../filler bs=4096 2> /dev/null || true
if "$2" build > /dev/null 2> "$8"; then echo "the disk is not full"; exit 1; fi
diff -r public "$5"
ls -A . | diff - "$9"
if "$2" sync > /dev/null 2>> "$8"; then echo "the disk is not full"; exit 1; fi
diff -r content ../content
ls -A . | diff - "$9"
rm ../filler
"$2" build > /dev/null 2>&1
diff -r public "$6"
ls -A . | diff - "$9"
"$2" sync > /dev/null
! diff -r content ../content > /dev/null
"#;

/// Prints a line past the capture of tests.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[test]
fn on_a_full_disk_nothing_changes() {
    let mount = |script: &str, arguments: &[&Path]| {
        let mut command = std::process::Command::new("unshare");
        command.args(["--mount", "--map-root-user", "sh", "-c", script, "sh"]).args(arguments);
        command.env("SOURCE_DATE_EPOCH", "1795219200").output()
    };
    let (one, other) = (course(), course());
    let disk = one.above().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let can_mount = mount("mount -t tmpfs none \"$1\"", &[&disk]).is_ok_and(|run| run.status.success());
    if !can_mount {
        say(
            "skipped: a disk of its own cannot be mounted here, so no test met a full one (single calls that fail are tested)",
        );
        return;
    }
    let sites = [&one, &other].map(|test| test.above().join("site"));
    for (version, (test, site)) in [&one, &other].into_iter().zip(&sites).enumerate() {
        set(test, version);
        // A pin that `sync` takes over.
        test.edit("code/lab-01-a/a.py", "x = 1", "x = 2");
        let run = test.run(&["build", "-o", site.to_str().expect("UTF-8")]);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
    let (output, listed) = (one.above().join("told"), one.above().join("listed"));
    fs::write(&listed, "code\ncontent\npublic\n").expect("it is written");
    let size = Path::new("3m");
    let program = Path::new(env!("CARGO_BIN_EXE_infralens"));
    let (one_root, other_root) = (one.root(), other.root());
    let arguments = [&disk, program, &one_root, &other_root, &*sites[0], &*sites[1], size, &output, &listed]
        .map(|path: &Path| path);
    let run = mount(ON_A_FULL_DISK, &arguments).expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(run.status.success(), "{}{}", text(&run.stdout), text(&run.stderr));
    let output = fs::read_to_string(output).expect("it is written");
    assert_eq!(output.matches("No space left on device").count(), 2, "{output}");
    assert_eq!(output.matches("help: free some space").count(), 2, "{output}");
}
