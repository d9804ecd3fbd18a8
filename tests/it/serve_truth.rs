//! The preview on a real disk: after edits that are saved in any way, and looked at in the middle, the program serves what a
//! build writes, to the byte, but for one script.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use infralens_source::url::encode;

use crate::generate::Dice;
use crate::harness::{SiteTest, contents, program};
use crate::incremental::{Course, course, edit};

/// How many sequences of edits are tried, one after another on one course, and how many edits each has.
const SEQUENCES: u64 = 30;
const EDITS: usize = 5;
/// Far longer than anything takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The program that serves a course, and a connection to it.
struct Served {
    process: Child,
    port: u16,
}

impl Drop for Served {
    fn drop(&mut self) {
        // One that has ended by itself is missed elsewhere.
        let _ = self.process.kill().and_then(|()| self.process.wait());
    }
}

impl Served {
    fn start(site: &SiteTest) -> Self {
        let mut command = program(&site.root());
        command.args(["serve", "--port", "0"]).env("INFRALENS_EDITOR", "none");
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program runs");
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut first = String::new();
        output.read_line(&mut first).expect("its first line");
        // A program whose reader is gone ends.
        std::thread::spawn(move || io::copy(&mut output, &mut io::sink()));
        let port = first.split([':', '/']).find_map(|part| part.parse().ok()).expect("a port");
        Self { process, port }
    }

    /// The status and the body of an answer.
    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let request = format!("GET /{} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", encode(path), self.port);
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a listener");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        stream.write_all(request.as_bytes()).expect("an open connection");
        let mut stream = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let start = head.len();
            assert!(stream.read_line(&mut head).expect("an answer") > 0, "the preview has ended");
            length =
                head[start..].strip_prefix("Content-Length: ").map_or(length, |it| it.trim().parse().expect("bytes"));
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).expect("the whole body");
        (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), body)
    }

    /// The first path at which something else is served than was built; or, of those that were before, still something.
    fn differs(&self, built: &Course, before: &Course) -> Option<String> {
        let is_served = |path: &str, bytes: &[u8]| match self.get(path) {
            (200, body) if path.ends_with(".html") => without_script(&body) == bytes,
            (status, body) => status == 200 && body == bytes,
        };
        let wrong = built.iter().find(|(path, bytes)| !is_served(path, bytes)).map(|(path, _)| path.clone());
        let mut gone = before.keys().filter(|path| !built.contains_key(*path));
        wrong.or_else(|| gone.find(|path| self.get(path).0 != 404).cloned())
    }

    fn comes_to(&self, built: &Course, before: &Course, log: &str) {
        let start = Instant::now();
        while let Some(path) = self.differs(built, before) {
            assert!(start.elapsed() < PATIENCE, "{path} is not served as it was built, after: {log}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A page as it was before the preview added its script; others have none.
fn without_script(page: &[u8]) -> Vec<u8> {
    const BEGIN: &str = "<script src=\"/.infralens/preview.js?page=";
    const END: &str = "\" defer></script>";
    let page = String::from_utf8_lossy(page);
    let script = page.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    script.map_or_else(|| page.clone().into_owned(), |(head, rest)| format!("{head}{rest}")).into_bytes()
}

/// The site, if the course builds.
fn build(site: &SiteTest) -> Option<Course> {
    let out = site.above().join("built");
    let output = site.run(&["build", "--output", out.to_str().expect("UTF-8")]);
    output.status.success().then(|| {
        let mut files = contents(&out);
        files.retain(|path, _| !path.starts_with(".infralens"));
        files
    })
}

/// Saves what differs between two states of a course, as editors and tools do it.
fn save(dice: &mut Dice, root: &Path, was: &Course, is: &Course) {
    for path in was.keys().filter(|path| !is.contains_key(*path)) {
        fs::remove_file(root.join(path)).expect("it is there");
    }
    for (path, bytes) in is.iter().filter(|(path, bytes)| was.get(*path) != Some(bytes)) {
        save_file(dice, root, path, bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    if dice.below(4) == 0 {
        // A folder that is somewhere else for a moment.
        let folder = dice.one_of(&["content", "code", "content/tracks"]);
        let [here, there] = [root.join(folder), root.join("elsewhere")];
        fs::rename(&here, &there).expect("it is there");
        pause(dice);
        fs::rename(&there, &here).expect("it is there");
    }
}

fn save_file(dice: &mut Dice, root: &Path, path: &str, bytes: &[u8]) -> io::Result<()> {
    let file = root.join(path);
    fs::create_dir_all(file.parent().expect("a folder"))?;
    match dice.below(5) {
        0 => fs::write(&file, bytes),
        1 => {
            let beside = root.join("beside.tmp");
            fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, &file))
        }
        2 => {
            let mut open = fs::File::create(&file)?;
            let (begin, end) = bytes.split_at(bytes.len() / 2);
            open.write_all(begin)?;
            pause(dice);
            open.write_all(end)
        }
        3 => {
            if file.exists() {
                fs::remove_file(&file)?;
                pause(dice);
            }
            fs::write(&file, bytes)
        }
        _ => {
            let backup = root.join(format!("{path}~"));
            let is_there = file.exists();
            if is_there {
                fs::rename(&file, &backup)?;
            }
            fs::write(&file, bytes)?;
            if is_there { fs::remove_file(&backup) } else { Ok(()) }
        }
    }
}

/// Long enough for the preview to look, or not.
fn pause(dice: &mut Dice) {
    std::thread::sleep(Duration::from_millis([0, 0, 4, 20][dice.below(4)]));
}

#[test]
fn what_is_served_after_any_edits_on_disk_is_what_a_build_writes() {
    let (site, whole) = (SiteTest::empty(), course());
    save(&mut Dice(0), &site.root(), &Course::new(), &whole);
    let served = Served::start(&site);
    let (mut now, mut shown) = (whole.clone(), Course::new());
    let mut built_as_edited = 0;
    for seed in 1..=SEQUENCES {
        let mut dice = Dice(seed * 7919);
        let mut log = format!("sequence {seed}: ");
        for _ in 0..EDITS {
            let mut next = now.clone();
            edit(&mut dice, &mut next, &whole, &mut log);
            save(&mut dice, &site.root(), &now, &next);
            now = next;
            pause(&mut dice);
        }
        let built = build(&site);
        built_as_edited += u32::from(built.is_some());
        let built = built.unwrap_or_else(|| {
            save(&mut dice, &site.root(), &now, &whole);
            now.clone_from(&whole);
            build(&site).expect("the whole course builds")
        });
        served.comes_to(&built, &shown, &log);
        shown = built;
    }
    assert!(built_as_edited > 8, "only {built_as_edited} courses built as they had been edited");
}
