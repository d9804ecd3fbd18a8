//! Reads and writes `content/links.yaml`: what the addresses of other sites answered when `infralens links` visited them.
//! Nothing is visited here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use infralens_source::diag::Diagnostic;
use infralens_source::source::Source;
use infralens_source::yaml::{
    Date, Decoder, Map, Spanned, Url, choices, http_parts, record, to_scalar, validated_text,
};

/// The longest address that is visited and recorded, in bytes: YAML allows keys of 1,024 characters.
pub const MAX_ADDRESS: usize = 1000;

/// The first lines of the file.
const HEAD: &str = "\
# What the links to other sites answered, written by `infralens links`. `infralens check` reads it and visits nothing.
";

record! {
    /// What an address answered when it was last visited.
    #[derive(PartialEq, Eq)]
    pub struct Visit {
        /// The HTTP status, or why there is none.
        required status: Status;
        /// The day of the visit.
        required day: Date;
        /// The first day on which it answered this, if that is not a page.
        optional since: Option<Date>;
        /// The address to which it has moved for good.
        optional moved_to: Option<Url>;
        /// The address to which it leads now, if that is another.
        optional leads_to: Option<Url>;
        /// The title of the page.
        optional title: Option<String>;
        /// The anchors that links to the page name, and whether it has them.
        optional anchors: Map<String, Anchor>;
    }
}

choices! {
    /// Whether a page has an anchor.
    pub enum Anchor {
        /// It cannot be told: the page is not HTML, is too long, or makes its anchors with a script.
        Unknown = "unknown",
        /// The page has it.
        Found = "found",
        /// The page does not have it.
        Missing = "missing",
    }
}

validated_text! {
    /// An HTTP status, or the reason for which there is none.
    pub struct Status = "an HTTP status such as 200, or a word such as `time-out`", validate_status;
}

/// The reasons for which there is no HTTP status.
pub mod reason {
    /// The host's name is not known.
    pub const UNKNOWN_HOST: &str = "unknown-host";
    /// The answer did not come, or not to its end, in time.
    pub const TIME_OUT: &str = "time-out";
    /// There was no connection, or it broke.
    pub const NO_CONNECTION: &str = "no-connection";
    /// The certificate of the host is not valid for it.
    pub const CERTIFICATE: &str = "certificate";
    /// Redirects that form a cycle, or too many.
    pub const REDIRECTS: &str = "redirects";
    /// The address belongs to a private network, which only `--allow-private` visits.
    pub const PRIVATE: &str = "private";
    /// The host asks programs not to visit the address (`robots.txt`).
    pub const ROBOTS: &str = "robots";
    /// The answer was not HTTP.
    pub const NOT_HTTP: &str = "not-http";

    pub(super) const ALL: [&str; 8] =
        [UNKNOWN_HOST, TIME_OUT, NO_CONNECTION, CERTIFICATE, REDIRECTS, PRIVATE, ROBOTS, NOT_HTTP];
}

/// The visits of a course, by address.
#[derive(Debug, Clone, Default)]
pub struct Links {
    visits: BTreeMap<String, Visit>,
    /// Whether there is a file, even if it is empty.
    pub is_recorded: bool,
    /// Whether entries may be missing because of an error in the file.
    is_incomplete: bool,
}

impl Links {
    /// Returns the visits of a course whose `links.yaml` cannot be read.
    pub fn unread() -> Self {
        Self { is_incomplete: true, is_recorded: true, ..Self::default() }
    }

    /// Reads `links.yaml`. Entries with an invalid address or value are left out.
    pub fn read(source: &Source) -> (Self, Vec<Diagnostic>) {
        let start = source.start();
        let (mut decoder, found) = Decoder::open(source, start..source.text().len(), start..start, "links.yaml");
        let mut visits = BTreeMap::new();
        let mut is_incomplete = false;
        for entry in &found {
            let (address, _) = entry;
            match (decoder.decode_entry::<Visit>(entry), parts(&address.value)) {
                (Some(visit), Some((plain, None))) if plain == address.value => {
                    visits.entry(address.value.clone()).or_insert(visit);
                }
                (Some(_), _) => {
                    let message = format!("the key `{}` is not an address", address.value);
                    let label = "an address begins with `https://` or `http://`, and has no `#`";
                    decoder.reject(&address.span, |_| message, label, None);
                    is_incomplete = true;
                }
                (None, _) => is_incomplete = true,
            }
        }
        is_incomplete |= !decoder.is_complete();
        (Self { visits, is_recorded: true, is_incomplete }, decoder.finish())
    }

    /// Returns the last visit of an address, which has no anchor.
    pub fn get(&self, address: &str) -> Option<&Visit> {
        self.visits.get(address)
    }

    /// Whether an address was certainly never visited.
    pub fn is_new(&self, address: &str) -> bool {
        self.is_recorded && !self.is_incomplete && !self.visits.contains_key(address)
    }

    /// Adds a visit to what is known of its address.
    pub fn add(&mut self, address: &str, visit: Visit) {
        let known = self.visits.remove(address);
        self.visits.insert(address.to_owned(), visit.after(known));
    }

    /// Removes the addresses to which the course does not link.
    pub fn retain(&mut self, addresses: &BTreeSet<&str>) {
        self.visits.retain(|address, _| addresses.contains(address.as_str()));
    }

    pub fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for (address, visit) in &self.visits {
            // A key ends with its first colon before a space or line end.
            let key = if address.ends_with(':') { to_scalar(address) } else { address.clone() };
            let _ = writeln!(text, "{key}:\n  status: {}\n  day: {}", visit.status, visit.day);
            if let Some(since) = visit.since {
                let _ = writeln!(text, "  since: {since}");
            }
            for (name, address) in [("moved_to", &visit.moved_to), ("leads_to", &visit.leads_to)] {
                if let Some(address) = address {
                    let _ = writeln!(text, "  {name}: {}", to_scalar(address));
                }
            }
            if let Some(title) = &visit.title {
                let _ = writeln!(text, "  title: {}", to_scalar(title));
            }
            if !visit.anchors.0.is_empty() {
                text.push_str("  anchors:\n");
            }
            for (anchor, state) in &visit.anchors.0 {
                let _ = writeln!(text, "    {}: {}", to_scalar(&anchor.value), state.name());
            }
        }
        text
    }
}

impl Visit {
    /// Creates a visit of which nothing but the status is known.
    pub fn new(status: Status, day: Date) -> Self {
        Self { status, day, ..Self::default() }
    }

    /// Whether the address answered with a page or a file.
    pub fn is_success(&self) -> bool {
        self.status.starts_with('2')
    }

    /// Whether nothing is there any more: status 404 or 410, or a host that was unknown on two different days. A refusal, a
    /// time-out and other errors say nothing about that.
    pub fn is_dead(&self) -> bool {
        match &*self.status {
            "404" | "410" => true,
            reason::UNKNOWN_HOST => self.since.is_some_and(|since| since < self.day),
            _ => false,
        }
    }

    /// Returns what is known of an anchor; `None` if the page was visited without it.
    pub fn anchor(&self, anchor: &str) -> Option<Anchor> {
        self.anchors.0.iter().find(|(known, _)| known.value == anchor).map(|(_, state)| *state)
    }

    /// Returns the visit with what the one before it says: since when the answer is the same, and what the page had if it did
    /// not answer this time.
    fn after(mut self, before: Option<Self>) -> Self {
        self.since = (!self.is_success()).then_some(self.day);
        let Some(before) = before else { return self };
        if before.status == self.status && self.since.is_some() {
            self.since = before.since.or(Some(before.day));
        }
        if !self.is_success() && !self.is_dead() {
            Self {
                moved_to: before.moved_to,
                leads_to: before.leads_to,
                title: before.title,
                anchors: before.anchors,
                ..self
            }
        } else {
            self
        }
    }
}

/// Returns the record of anchors, in the order of their names.
pub fn anchors(found: impl IntoIterator<Item = (impl Into<String>, Anchor)>) -> Map<String, Anchor> {
    let entries: BTreeMap<String, Anchor> = found.into_iter().map(|(name, state)| (name.into(), state)).collect();
    let spanned = |(value, state)| (Spanned { value, span: 0..0 }, state);
    Map(entries.into_iter().map(spanned).collect())
}

/// Splits the address of a link to another site into what is visited and the anchor; `None` if it cannot be visited.
pub fn parts(link: &str) -> Option<(&str, Option<&str>)> {
    let (address, anchor) = link.split_once('#').map_or((link, None), |(address, anchor)| (address, Some(anchor)));
    let is_address = address.len() <= MAX_ADDRESS && http_parts(address).is_ok();
    is_address.then_some((address, anchor.filter(|anchor| !anchor.is_empty())))
}

fn validate_status(text: &str) -> Result<String, &'static str> {
    let is_number = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number || reason::ALL.contains(&text) { Ok(text.to_owned()) } else { Err("it is neither") }
}

#[cfg(test)]
mod tests;
