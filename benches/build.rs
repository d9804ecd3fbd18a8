//! How long a whole build takes: a synthetic course of so many pages, read, built and written, stage by stage.
//!
//! ```text
//! cargo bench                       # 200 pages
//! cargo bench -- 1000 10000         # other sizes
//! ```
//!
//! The course is the same on every run. Compare the columns of one run with each other, not those of two machines.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark writes its course, reads the clock and prints"
)]

use std::path::Path;
use std::time::Instant;

mod course;

use infralens::assets::BUILTIN;
use infralens::emit::{Target, Writer};
use infralens::load;
use infralens_site::{self as site, Site};
use infralens_source::diag::Severity;

/// Rounds of each size; the median counts.
const ROUNDS: usize = 5;

fn main() -> std::io::Result<()> {
    let mut sizes: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if sizes.is_empty() {
        sizes.push(200);
    }
    println!(
        "{:>7} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "pages", "load ms", "plan ms", "make ms", "again ms", "us/page"
    );
    for pages in sizes {
        let folder = tempfile::tempdir()?;
        course::write(folder.path(), pages)?;
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push(round(folder.path())?);
        }
        let median = |stage: usize| {
            let mut times: Vec<f64> = rounds.iter().map(|round| round[stage]).collect();
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 2]
        };
        let [load, plan, make, again] = [median(0), median(1), median(2), median(3)];
        #[expect(clippy::cast_precision_loss, reason = "page counts are small")]
        let each = (load + plan + make) * 1000.0 / pages as f64;
        println!("{pages:>7} {load:>10.1} {plan:>10.1} {make:>10.1} {again:>10.1} {each:>10.1}");
    }
    Ok(())
}

/// Milliseconds for reading, planning, making every file to an empty folder, and to one that has them all.
fn round(root: &Path) -> std::io::Result<[f64; 4]> {
    let out = root.join("public");
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    let (project, load) = timed(|| load::load(root));
    let ((site, said), plan) = timed(|| {
        let site = site::plan(&project, &site::Options::new(BUILTIN), &Site::default());
        let said = site.judge();
        (site, said)
    });
    if let Some(error) = said.iter().find(|said| said.severity == Severity::Error) {
        return Err(std::io::Error::other(format!("{error:?}")));
    }
    let target = Target { out: &out, root, is_marked: false };
    let write = || {
        let writer = Writer::open(site.paths().iter().map(AsRef::as_ref), &target)?;
        site.make_all(|path, bytes| writer.put(path, bytes.as_ref()));
        writer.finish(None)
    };
    let (first, make) = timed(write);
    let (second, again) = timed(write);
    for report in [first, second] {
        report.map_err(|error| std::io::Error::other(error.to_string()))?;
    }
    Ok([load, plan, make, again])
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1000.0)
}
