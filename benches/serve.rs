//! How fast the preview is: from the moment that a lab is saved until its new words are served, what it costs to wait, and
//! whether it grows.
//!
//! ```text
//! cargo bench --bench serve                       # 14 labs
//! cargo bench --bench serve -- 28 1000 10000      # pages
//! ```
//!
//! The time includes the system's news of the change, the wait for its end, the build, and a request on a connection of
//! its own. Compare the columns of one run with each other, not those of two machines.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark writes its course, runs the program, reads the clock and prints"
)]

mod course;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Saves whose time is taken.
const SAVES: usize = 40;
/// Saves between which memory must not grow.
const MANY: usize = 1000;
/// How long waiting is watched.
const IDLE: Duration = Duration::from_secs(20);
/// Between two saves, so that what follows a save is over.
const REST: Duration = Duration::from_millis(300);
/// Ticks a second in `/proc`, on every Linux that runs this.
const TICKS: f64 = 100.0;

const LAB: &str = "content/tracks/track-1/labs/lab-07-track-1.md";
const PAGE: &str = "/tracks/track-1/labs/lab-07-track-1.html";

fn main() -> io::Result<()> {
    let mut sizes: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if sizes.is_empty() {
        sizes.push(28);
    }
    println!(
        "{:>7} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9}",
        "pages", "ready s", "save ms", "p90 ms", "max ms", "idle %", "MiB", "MiB 100", "MiB 1000"
    );
    for pages in sizes {
        let folder = tempfile::tempdir()?;
        course::write(folder.path(), pages)?;
        measure(folder.path(), pages)?;
    }
    Ok(())
}

fn measure(root: &Path, pages: usize) -> io::Result<()> {
    let start = Instant::now();
    let mut preview = Preview::start(root)?;
    let ready = start.elapsed().as_secs_f64();
    let lab = std::fs::read_to_string(root.join(LAB))?;
    let mut times = Vec::new();
    for save in 0..SAVES {
        std::thread::sleep(REST);
        times.push(preview.save(root, &lab, save)?.as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    std::thread::sleep(REST * 10);
    let before = preview.cpu()?;
    std::thread::sleep(IDLE);
    let idle = (preview.cpu()? - before) / TICKS / IDLE.as_secs_f64() * 100.0;
    let first = preview.memory()?;
    let mut hundred = first;
    for save in 0..MANY {
        preview.save(root, &lab, SAVES + save)?;
        if save == 99 {
            hundred = preview.memory()?;
        }
    }
    let last = preview.memory()?;
    println!(
        "{pages:>7} {ready:>9.2} {:>9.1} {:>9.1} {:>9.1} {idle:>8.2} {first:>9.1} {hundred:>9.1} {last:>9.1}",
        times[SAVES / 2],
        times[SAVES * 9 / 10],
        times[SAVES - 1],
    );
    Ok(())
}

/// The program, previewing a course.
struct Preview {
    program: Child,
    host: String,
}

impl Preview {
    fn start(root: &Path) -> io::Result<Self> {
        let mut program = Command::new(env!("CARGO_BIN_EXE_infralens"))
            .args(["serve", "--port", "0", "--root"])
            .arg(root)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut said = BufReader::new(program.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?);
        let mut line = String::new();
        said.read_line(&mut line)?;
        let host = line.split("//").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default().to_owned();
        // What it says later must be read, or it would wait for a reader.
        std::thread::spawn(move || io::copy(&mut said, &mut io::sink()));
        Ok(Self { program, host })
    }

    /// Saves the lab with a word of its own, and waits until that is served.
    fn save(&mut self, root: &Path, lab: &str, number: usize) -> io::Result<Duration> {
        let mark = format!("saved-{number}-times");
        let text = format!("{lab}\nA sentence, {mark}.\n");
        let start = Instant::now();
        std::fs::write(root.join(LAB), text)?;
        while !self.get(PAGE)?.contains(&mark) {
            if start.elapsed() > Duration::from_mins(1) {
                return Err(io::Error::other("a save was not served within a minute"));
            }
        }
        Ok(start.elapsed())
    }

    fn get(&self, path: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(&self.host)?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.host)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    /// Ticks of the processor that were used so far.
    fn cpu(&self) -> io::Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.program.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
        Ok(ticks(11) + ticks(12))
    }

    /// MiB in memory.
    fn memory(&self) -> io::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.program.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        let kib: f64 = line.trim().trim_end_matches(" kB").parse().unwrap_or_default();
        Ok(kib / 1024.0)
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        // It may have ended already.
        let _ended = self.program.kill();
        let _status = self.program.wait();
    }
}
