//! Visits the addresses of other sites, and says what each answered: a [`Visit`] that `content/links.yaml` records. Only the
//! commands `infralens links` and `infralens import` use it, and no other part of the program opens an address of a course.
//!
//! 1. [`visit`] sorts the addresses by host. A few threads each take a host and visit its addresses one after the other.
//! 2. Each address is *followed* from redirect to redirect. Before each step, the host's `robots.txt` is asked (`robots`).
//! 3. A *request* (`client`) is a HEAD, and then a GET if that does not settle it. It has no cookies, a limit of time and of
//!    size, and refuses private addresses when a name has been resolved (`address`), so that no name can lead around that.
//! 4. Of an HTML page, its title and which anchors it has are read (`page`).
//!
//! [`pictures`] fetches pictures in the same way, for `infralens import --fetch-pictures`.
//!
//! A host is asked one thing at a time, also by redirects from other hosts. If it asks to wait (`Retry-After`), it is waited
//! for once, and if that is too long, its other addresses are left for another run.

mod address;
mod client;
mod page;
mod picture;
mod robots;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use url::Url;

use client::{Client, Method, Reply};
use infralens_course::links::{Anchor, Status, Visit, anchors, reason};
use infralens_source::yaml::{self, Date};
use robots::Rules;

pub use picture::{MAX_PICTURE, pictures};

/// The number of hosts that are visited at the same time.
const THREADS: usize = 8;
/// The number of redirects that are followed.
const MAX_REDIRECTS: usize = 10;
/// The number of redirects that `robots.txt` may have.
const MAX_ROBOTS_REDIRECTS: usize = 5;

/// An address to visit.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The address, without an anchor.
    pub address: &'a str,
    /// The anchors that links to it name.
    pub anchors: BTreeSet<&'a str>,
}

/// What is visited, and for how long.
#[derive(Debug, Clone)]
pub struct Options {
    /// The day that is recorded.
    pub day: Date,
    /// Whether addresses of private networks and of this machine are visited, too.
    pub allow_private: bool,
    /// The time that one request may take, with its answer.
    pub time: Duration,
    /// The longest time for which a host that asks for it is waited for.
    pub patience: Duration,
    /// Where some names lead instead of where the system says, for tests; `None`: they are unknown.
    pub names: BTreeMap<String, Option<SocketAddr>>,
    /// Certificates that are trusted instead of the system's, for tests.
    pub trusted: Vec<Vec<u8>>,
}

impl Options {
    /// Creates the usual options.
    pub fn new(day: Date) -> Self {
        Self {
            day,
            allow_private: false,
            time: Duration::from_secs(20),
            patience: Duration::from_secs(30),
            names: BTreeMap::new(),
            trusted: Vec::new(),
        }
    }
}

/// Why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// One of the reasons that are recorded.
    Because(&'static str),
    /// The host asked to wait longer than this run waits.
    Later,
}

/// Visits addresses, and calls `step` after each. Returns, in their order, what they answered; `None` for those that are left
/// for another run, because their host asked to wait.
pub fn visit(wanted: &[Wanted<'_>], options: &Options, step: &(dyn Fn() + Sync)) -> Vec<Option<Visit>> {
    let visitor = Visitor { client: Client::new(options), options, robots: Mutex::default() };
    let addresses: Vec<&str> = wanted.iter().map(|one| one.address).collect();
    by_host(&addresses, &|index| {
        let visit = wanted.get(index).and_then(|one| visitor.follow(one));
        step();
        visit
    })
}

/// Does some work for each of some addresses, by their indices: those of a host one after the other.
fn by_host<T: Clone + Send>(addresses: &[&str], work: &(dyn Fn(usize) -> Option<T> + Sync)) -> Vec<Option<T>> {
    let mut hosts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, address) in addresses.iter().enumerate() {
        let host = Url::parse(address).ok().and_then(|url| Some(url.host_str()?.to_owned()));
        hosts.entry(host.unwrap_or_default()).or_default().push(index);
    }
    let queue = Mutex::new(hosts.into_values().collect::<VecDeque<_>>());
    let found = Mutex::new(vec![None; addresses.len()]);
    // In the condition of the loop, the lock would be held until the end of its body.
    let next_host = || lock(&queue).pop_front();
    let run = || {
        while let Some(indices) = next_host() {
            for index in indices {
                let done = work(index);
                if let Some(place) = lock(&found).get_mut(index) {
                    *place = done;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(run);
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Locks what threads share.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a `robots.txt` says, or why that is not known.
type Robots = Result<Rules, Failure>;

struct Visitor<'a> {
    client: Client,
    options: &'a Options,
    /// By origin.
    robots: Mutex<BTreeMap<String, Arc<OnceLock<Robots>>>>,
}

impl Visitor<'_> {
    /// Follows an address to its end. Returns `None` if it is left for another run.
    fn follow(&self, wanted: &Wanted<'_>) -> Option<Visit> {
        let record = |status: &str| Some(Visit::new(Status::parse(status).unwrap_or_default(), self.options.day));
        let Ok(first) = Url::parse(wanted.address) else { return record(reason::NOT_HTTP) };
        let (mut moved_to, mut is_for_good) = (None, true);
        let mut step = |reply: &Reply, next: &Url| {
            is_for_good &= matches!(reply.status, 301 | 308);
            if is_for_good {
                moved_to = Some(next.clone());
            }
        };
        let (at, reply) = match self.walk(&first, |at| self.ask(at), &mut step) {
            Ok(end) => end,
            Err(Failure::Because(reason)) => return record(reason),
            Err(Failure::Later) => return None,
        };
        let mut visit = record(&reply.status.to_string())?;
        if visit.is_success() {
            visit.title = reply.title();
            let has = |anchor: &&str| ((*anchor).to_owned(), reply.anchor(anchor));
            visit.anchors = anchors(wanted.anchors.iter().map(has));
            visit.leads_to = recorded(&at).filter(|_| at != first && moved_to.as_ref() != Some(&at));
            visit.moved_to = moved_to.as_ref().and_then(recorded);
        }
        Some(visit)
    }

    /// Goes from redirect to redirect, as far as hosts allow programs to `ask`, and calls `step` with each that redirects, and
    /// where to. Returns the last address and its reply.
    fn walk(
        &self,
        first: &Url,
        ask: impl Fn(&Url) -> Result<Reply, Failure>,
        step: &mut dyn FnMut(&Reply, &Url),
    ) -> Result<(Url, Reply), Failure> {
        let (mut at, mut seen) = (first.clone(), BTreeSet::from([first.clone()]));
        loop {
            if !self.robots(&at)?.allows(&at) {
                return Err(Failure::Because(reason::ROBOTS));
            }
            let reply = ask(&at)?;
            let Some(next) = reply.redirect(&at) else { return Ok((at, reply)) };
            step(&reply, &next);
            if !seen.insert(next.clone()) || seen.len() > MAX_REDIRECTS + 1 {
                return Err(Failure::Because(reason::REDIRECTS));
            }
            at = next;
        }
    }

    /// Asks what is at an address: with HEAD, and then with GET, unless there is nothing more to learn.
    fn ask(&self, url: &Url) -> Result<Reply, Failure> {
        match self.client.send(Method::Head, url) {
            Ok(reply) if reply.redirect(url).is_some() || reply.status == 429 => Ok(reply),
            Ok(reply) if (200..300).contains(&reply.status) && !reply.is_html => Ok(reply),
            // Some servers close the connection after a HEAD.
            Ok(_) | Err(Failure::Because(reason::NO_CONNECTION | reason::NOT_HTTP)) => {
                self.client.send(Method::Get, url)
            }
            Err(failure) => Err(failure),
        }
    }

    /// Returns what the `robots.txt` of an address's host says. All is allowed where there is none, and nothing where the
    /// server fails (RFC 9309).
    fn robots(&self, url: &Url) -> Robots {
        let origin = url.origin().ascii_serialization();
        let known = Arc::clone(lock(&self.robots).entry(origin).or_default());
        known.get_or_init(|| self.read_robots(url)).clone()
    }

    fn read_robots(&self, url: &Url) -> Robots {
        let Ok(mut at) = url.join("/robots.txt") else { return Ok(Rules::default()) };
        for _ in 0..=MAX_ROBOTS_REDIRECTS {
            let reply = self.client.send(Method::Get, &at)?;
            match reply.redirect(&at) {
                Some(next) => at = next,
                None if reply.status >= 500 => return Err(Failure::Because(reason::ROBOTS)),
                None if reply.status >= 300 => break,
                None => return Ok(Rules::read(&reply.text())),
            }
        }
        Ok(Rules::default())
    }
}

/// Returns an address as it is recorded: without an anchor.
fn recorded(url: &Url) -> Option<yaml::Url> {
    let mut url = url.clone();
    url.set_fragment(None);
    yaml::Url::parse(url.as_str()).ok()
}

impl Reply {
    /// Returns where a reply from an address redirects to, without an anchor.
    fn redirect(&self, from: &Url) -> Option<Url> {
        let location = self.location.as_deref().filter(|_| matches!(self.status, 301 | 302 | 303 | 307 | 308))?;
        let mut next = from.join(location).ok()?;
        next.set_fragment(None);
        matches!(next.scheme(), "http" | "https").then_some(next)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the title of an HTML page.
    fn title(&self) -> Option<String> {
        if self.is_html { page::title(&self.text()) } else { None }
    }

    /// Returns whether an HTML page has an anchor.
    fn anchor(&self, anchor: &str) -> Anchor {
        if !self.is_html {
            return Anchor::Unknown;
        }
        match page::has_anchor(&self.text(), anchor) {
            Some(true) => Anchor::Found,
            Some(false) if self.is_whole => Anchor::Missing,
            _ => Anchor::Unknown,
        }
    }
}

#[cfg(test)]
mod tests;
