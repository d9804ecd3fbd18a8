//! Sequences of events that are made up, in a time that is made up: nothing here sleeps.

#![expect(clippy::disallowed_methods, reason = "a time to count from")]

use std::cell::Cell;

use super::*;
use infralens_source::source::Source;

/// What happens at a moment.
#[derive(Clone, Copy)]
enum Step {
    /// A file is written, and an event reports it.
    Write(&'static str, &'static str),
    /// A file is removed, and an event reports it.
    Remove(&'static str),
    /// A file is written without an event.
    Silently(&'static str, &'static str),
    /// An event, although nothing has changed.
    Noise(&'static str),
    /// An event about a folder.
    Folder(&'static str),
    /// The system has lost events.
    Lost,
    /// The system reports changes from now on, or no longer.
    Reports(bool),
    /// The root goes, or comes back.
    Root(bool),
}

use Step::{Folder, Lost, Noise, Remove, Reports, Root, Silently, Write};

/// A disk and a clock, both made up. A step takes place once the time is there, or nothing is left to be waited for.
struct Simulation {
    start: Instant,
    time: Cell<Duration>,
    steps: Vec<(u64, Step)>,
    disk: BTreeMap<&'static str, &'static str>,
    is_there: bool,
    has_events: bool,
    /// How long reading the whole course takes.
    reload_time: Duration,
    reloads: Vec<u64>,
}

fn file(path: &str, text: &str) -> File {
    File::Text(Arc::new(Source::new(path, text)))
}

impl Simulation {
    fn same_or_new(known: &Project, path: &str, text: &str) -> File {
        let known = known.files.get(path).filter(|known| known.bytes() == Some(text.as_bytes()));
        known.cloned().unwrap_or_else(|| file(path, text))
    }

    fn next_event(&self) -> Option<Duration> {
        let event = self.steps.iter().find(|(_, step)| !matches!(step, Silently(..)));
        event.map(|(due, _)| Duration::from_millis(*due))
    }

    /// Takes the next step if it is due at `deadline`.
    fn step(&mut self, deadline: Duration) -> Option<ChangeHints> {
        let due = self.steps.first().map(|(due, _)| Duration::from_millis(*due)).filter(|due| *due <= deadline)?;
        self.time.set(self.time.get().max(due));
        let mut hints = ChangeHints::default();
        match self.steps.remove(0).1 {
            Write(path, text) => {
                self.disk.insert(path, text);
                hints.paths.insert(path.into());
            }
            Remove(path) => {
                self.disk.remove(path);
                hints.paths.insert(path.into());
            }
            Silently(path, text) => drop(self.disk.insert(path, text)),
            Noise(path) | Folder(path) => drop(hints.paths.insert(path.into())),
            Lost => hints.everything = true,
            Reports(has_events) => self.has_events = has_events,
            Root(is_there) => {
                self.is_there = is_there;
                hints.everything = true;
            }
        }
        Some(hints)
    }
}

impl Environment for Simulation {
    fn now(&self) -> Instant {
        self.start + self.time.get()
    }

    fn wait(&mut self, deadline: Instant) -> ChangeHints {
        let deadline = deadline.saturating_duration_since(self.start);
        let had_events = self.has_events;
        while let Some(hints) = self.step(deadline.max(self.time.get())) {
            if !hints.is_empty() || self.has_events != had_events {
                return hints;
            }
        }
        self.time.set(self.time.get().max(deadline));
        ChangeHints::default()
    }

    fn reload_path(&self, known: &Project, path: &str) -> PathChange {
        match (self.disk.get(path), known.files.get(path)) {
            _ if path.ends_with('/') || !self.is_there => PathChange::Unknown,
            (Some(text), Some(old)) if old.bytes() == Some(text.as_bytes()) => PathChange::Unchanged,
            (Some(text), _) => PathChange::Changed(file(path, text)),
            (None, Some(_)) => PathChange::Removed,
            (None, None) => PathChange::Unchanged,
        }
    }

    fn reload(&mut self, known: &Project, is_interruptible: bool) -> Reread {
        let start = self.time.get();
        self.reloads.push(u64::try_from(start.as_millis()).expect("it is short"));
        let end = start + self.reload_time;
        if !self.is_there {
            return Reread::Missing;
        }
        if let Some(due) = self.next_event().filter(|due| is_interruptible && *due < end) {
            self.time.set(self.time.get().max(due));
            return Reread::Interrupted;
        }
        self.time.set(end);
        let files = self.disk.iter().map(|(path, text)| (Arc::from(*path), Self::same_or_new(known, path, text)));
        Reread::Complete(Project { files: files.collect(), ..Project::default() })
    }

    fn has_events(&self) -> bool {
        self.has_events
    }
}

/// The last change of every sequence, long after all others.
const END: (u64, Step) = (200_000, Write("end", "."));

fn simulate(disk: &[(&'static str, &'static str)], steps: &[(u64, Step)]) -> LiveProject<Simulation> {
    let steps = steps.iter().copied().chain([END]).collect();
    let (start, time, reload_time) = (Instant::now(), Cell::default(), Duration::ZERO);
    let disk = disk.iter().copied().collect();
    LiveProject::with_environment(Simulation {
        start,
        time,
        steps,
        disk,
        is_there: true,
        has_events: true,
        reload_time,
        reloads: Vec::new(),
    })
}

/// What is reported, and when, before the end.
fn reports(live: &mut LiveProject<Simulation>) -> Vec<(u64, String)> {
    let mut reports = Vec::new();
    loop {
        let changed = live.wait_for_change();
        if *changed == ["end".into()] {
            return reports;
        }
        let shown = |path: &Arc<str>| match live.project().text(path) {
            Some(source) => format!("{path}={}", source.text()),
            None => format!("{path} gone"),
        };
        let at = live.environment.time.get().as_millis();
        reports
            .push((u64::try_from(at).expect("it is short"), changed.iter().map(shown).collect::<Vec<_>>().join(" ")));
    }
}

fn report(steps: &[(u64, Step)]) -> Vec<(u64, String)> {
    reports(&mut simulate(&[("a", "1"), ("b", "1"), ("f/c", "1")], steps))
}

fn expected(changes: &[(u64, &str)]) -> Vec<(u64, String)> {
    changes.iter().map(|(at, what)| (*at, (*what).to_owned())).collect()
}

#[test]
fn a_saved_file_is_seen_at_once() {
    assert_eq!(report(&[(10, Write("a", "2"))]), expected(&[(13, "a=2")]));
    assert_eq!(report(&[(10, Write("a", "2")), (12, Write("a", "3"))]), expected(&[(15, "a=3")]), "one save");
    assert_eq!(report(&[(10, Write("a", "2")), (20, Write("b", "3"))]), expected(&[(13, "a=2"), (163, "b=3")]), "two");
}

#[test]
fn the_first_of_several_saves_is_reported_at_once_and_the_others_together() {
    let steps: Vec<(u64, Step)> =
        (1..=50).map(|save| (10 * save, Write("a", if save % 2 == 1 { "2" } else { "3" }))).collect();
    let seen = report(&steps);
    assert_eq!(seen.first(), Some(&(13, "a=2".to_owned())));
    assert!(seen.len() <= 5 && seen.last().is_some_and(|(_, last)| last == "a=3"), "{seen:?}");
}

#[test]
fn an_unchanged_file_is_not_reported() {
    assert_eq!(
        report(&[(10, Noise("a")), (20, Write("a", "1")), (30, Noise("x")), (40, Folder("f/")), (90, Lost)]),
        []
    );
}

#[test]
fn a_file_is_not_empty_while_it_is_saved() {
    let steps = [(10, Write("a", "")), (290, Write("a", "2"))];
    assert_eq!(report(&steps), expected(&[(293, "a=2")]), "truncated, then written");
    let steps = [(10, Remove("a")), (110, Write("a", "")), (300, Write("a", "2"))];
    assert_eq!(report(&steps), expected(&[(303, "a=2")]), "removed, made anew, written");
    let steps = [(10, Remove("a")), (10, Write("a~", "1")), (70, Write("a", "2")), (75, Remove("a~"))];
    assert_eq!(report(&steps), expected(&[(73, "a=2 a~=1"), (375, "a~ gone")]), "with a backup, slowly");
    let steps = [(10, Remove("a")), (10, Write("a~", "1")), (11, Write("a", "2")), (12, Remove("a~"))];
    assert_eq!(report(&steps), expected(&[(15, "a=2")]), "with a backup");
}

#[test]
fn a_file_that_stays_empty_or_missing_is_reported() {
    assert_eq!(report(&[(10, Write("a", ""))]), expected(&[(310, "a=")]));
    assert_eq!(report(&[(10, Remove("a"))]), expected(&[(310, "a gone")]));
    assert_eq!(report(&[(10, Write("n", ""))]), expected(&[(13, "n=")]), "a new one may be");
    let steps = [(10, Remove("a")), (50, Write("b", "2"))];
    assert_eq!(report(&steps), expected(&[(350, "a gone b=2")]), "what was not believed is not forgotten");
}

#[test]
fn many_files_are_one_change() {
    let names = ["f/0", "f/1", "f/2", "f/3", "f/4", "f/5", "f/6", "f/7"];
    let paced: Vec<_> = (0_u64..)
        .zip(names)
        .map(|(at, name)| (10 + if at < 5 { at } else { 30 * (at - 4) }, Write(name, "1")))
        .collect();
    let reports = report(&paced);
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert_eq!(reports[0].0, 10 + 30 * 3 + 40);
}

#[test]
fn endless_events_do_not_delay_reading() {
    let mut steps: Vec<_> = (0..700).map(|at| (10 + 2 * at, Noise("b"))).collect();
    steps.insert(1, (11, Write("a", "2")));
    assert_eq!(report(&steps), expected(&[(1010, "a=2")]));
    steps = (0..1500).map(|at| (10 + 2 * at, Noise("b"))).collect();
    steps.insert(1, (11, Remove("a")));
    assert_eq!(report(&steps), expected(&[(2010, "a gone")]), "and not doubted for ever");
    steps = (0..600).map(|at| (10 + 2 * at, Folder("f/"))).collect();
    steps.insert(1, (11, Write("a", "2")));
    let mut slow = simulate(&[("a", "1")], &steps);
    slow.environment.reload_time = Duration::from_millis(300);
    assert_eq!(reports(&mut slow), expected(&[(1310, "a=2")]), "even if a reload_time takes longer than they pause");
}

#[test]
fn a_folder_is_walked_when_it_is_quiet() {
    let steps = [(10, Folder("n/")), (12, Silently("n/x", "1")), (30, Write("n/y", "1"))];
    assert_eq!(report(&steps), expected(&[(70, "n/x=1 n/y=1")]));
}

#[test]
fn the_whole_course_is_read_again_after_each_burst() {
    let steps = [(10, Write("a", "2")), (500, Silently("b", "2")), (2500, Silently("b", "3"))];
    let mut live = simulate(&[("a", "1"), ("b", "1")], &steps);
    // What is written without a sound later is found at the next of the long intervals.
    assert_eq!(reports(&mut live), expected(&[(13, "a=2"), (1013, "b=2"), (32_013, "b=3")]));
    assert_eq!(live.environment.reloads[..4], [0, 1013, 2013, 32_013]);
}

#[test]
fn a_removal_found_by_reading_everything_is_confirmed_too() {
    let steps = [(10, Noise("b")), (1010, Silently("a", "")), (1050, Silently("a", "2"))];
    assert_eq!(report(&steps), expected(&[(1053, "a=2")]));
}

#[test]
fn an_event_interrupts_reading_the_course() {
    let mut slow = simulate(
        &[("a", "1"), ("b", "1")],
        &[(10, Write("a", "2")), (900, Silently("b", "2")), (1200, Write("a", "3"))],
    );
    slow.environment.reload_time = Duration::from_millis(300);
    assert_eq!(reports(&mut slow), expected(&[(13, "a=2"), (1203, "a=3"), (2503, "b=2")]));
}

#[test]
fn changes_with_lost_events_are_found() {
    assert_eq!(report(&[(10, Silently("a", "2")), (11, Lost)]), expected(&[(51, "a=2")]));
}

#[test]
fn what_is_lost_while_waiting_is_found_at_the_interval_without_events() {
    let steps = [(10, Reports(false)), (11, Silently("a", "2"))];
    assert_eq!(report(&steps), expected(&[(500, "a=2")]));
}

#[test]
fn a_course_that_is_missing_is_reported_and_waited_for() {
    let steps = [(10, Root(false)), (20, Write("a", "2")), (5000, Root(true))];
    assert_eq!(report(&steps), expected(&[(320, "content gone"), (5040, "a=2 content gone")]));
    let steps = [(10, Root(false)), (250, Root(true)), (260, Write("a", "2"))];
    assert_eq!(report(&steps), expected(&[(300, "a=2")]), "another folder takes its place");
    let mut live = simulate(&[("a", "1")], &[(10, Root(false))]);
    live.wait_for_change();
    assert!(live.project().files.contains_key("a"), "what is shown stays");
    assert_eq!(live.project().diagnostics.len(), 1, "and says that the course is gone");
    let files = [("content/a", "1"), ("content/b", "1"), ("static/c", "1")];
    let mut live = simulate(&files, &[(10, Remove("content/a")), (11, Remove("content/b"))]);
    assert_eq!(live.wait_for_change(), [Arc::from("content")], "also its pages alone");
    assert!(live.project().files.contains_key("content/a"));
    assert_eq!(live.project().diagnostics[0].message, "`content/` is gone or empty");
    let steps = [(10, Remove("content/a")), (11, Remove("content/b")), (5000, Write("content/a", "1"))];
    let reports = reports(&mut simulate(&files, &steps));
    assert_eq!(reports[1].1, "content gone content/b gone", "until one is there again");
}

#[test]
fn without_events_the_course_is_read_at_intervals_that_it_can_afford() {
    let mut deaf = simulate(&[("a", "1")], &[(20_000, Silently("a", "2"))]);
    deaf.environment.has_events = false;
    deaf.environment.reload_time = Duration::from_millis(3);
    let threads = u64::try_from(rayon::current_num_threads()).expect("a few");
    let pause = (3 * threads * 100).max(500);
    let [(time, change)] = &reports(&mut deaf)[..] else { panic!("one change") };
    assert!((20_000..20_006 + pause).contains(time) && change == "a=2", "{time} {change}");
    let later: Vec<_> = deaf.environment.reloads[3..].windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(later.len() > 5 && later.iter().all(|&gap| gap == pause + 3), "{later:?}");
}

#[test]
fn a_file_that_is_the_same_stays_the_very_same() {
    let mut live = simulate(&[("a", "1"), ("b", "1")], &[(10, Write("a", "2")), (20, Lost)]);
    let before = live.project().files["b"].clone();
    assert_eq!(reports(&mut live).len(), 1);
    assert!(live.project().files["b"].is_same(&before));
}
