//! `dead-link`: what `content/links.yaml` says of the links to other sites. A dead one is a warning; one that has moved, was
//! never visited, or names an anchor that the page does not have is a hint. Nothing is visited here.

use std::collections::BTreeSet;

use super::{Input, Unread};
use crate::addresses::{self, Address};
use infralens_course::links::{Anchor, Visit, reason};
use infralens_source::diag::{Diagnostic, codes};

/// Checks all links to other sites. Says nothing if no link was ever visited.
pub fn links(input: Input<'_>, unread: &Unread<'_>) -> Vec<Diagnostic> {
    let links = input.links;
    if !links.is_recorded {
        return Vec::new();
    }
    let documents = input.subjects.iter().map(|subject| subject.document);
    let pages = documents.filter(|document| !unread.has_file(document.source.path())).flat_map(addresses::of_page);
    let (mut found, mut new) = (Vec::new(), BTreeSet::new());
    for link in pages.chain(addresses::of_settings(input.cx)) {
        match links.get(link.address) {
            Some(visit) => judge(&link, visit, &mut found),
            None if links.is_new(link.address) && new.insert(link.address) => {
                let message = format!("`{}` has not been visited yet", link.address);
                found.push(at(&link, message).hint().help("`infralens links` visits it, and records what it answers"));
            }
            None => {}
        }
    }
    found
}

fn at(link: &Address<'_>, message: String) -> Diagnostic {
    Diagnostic::new(codes::DEAD_LINK, link.place.clone(), message)
}

/// Reports what is wrong with a link that was visited.
fn judge(link: &Address<'_>, visit: &Visit, out: &mut Vec<Diagnostic>) {
    let (address, day) = (link.address, visit.day);
    if visit.is_dead() {
        let since = visit.since.filter(|since| *since < day);
        let message = match (&*visit.status, since) {
            (reason::UNKNOWN_HOST, since) => {
                format!("the host of `{address}` has been unknown since {}", since.unwrap_or(day))
            }
            (status, Some(since)) => format!("`{address}` has answered {status} since {since}"),
            (status, None) => format!("`{address}` answered {status} on {day}"),
        };
        let help = "link to where the page is now, or to a copy in an archive; `infralens links` visits it again";
        out.push(at(link, message).help(help));
        return;
    }
    if let Some(moved) = visit.moved_to.as_deref() {
        let message = format!("`{address}` has moved for good to `{moved}`");
        out.push(at(link, message).hint().fix(link.fix(moved, is_same_page(address, moved))));
    }
    if let Some(anchor) = link.anchor.filter(|anchor| visit.anchor(anchor) == Some(Anchor::Missing)) {
        let message = format!("`{address}` had no anchor `#{anchor}` on {day}");
        out.push(at(link, message).hint().help("link to an anchor that the page has, or to its beginning"));
    }
}

/// Whether two addresses differ only in `http`, `www.` or a slash at the end, so that they are certainly of one page.
fn is_same_page(one: &str, other: &str) -> bool {
    let plain = |address: &str| {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest).trim_end_matches('/');
        let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let host = host.to_lowercase();
        format!("{}{path}", host.strip_prefix("www.").unwrap_or(&host))
    };
    plain(one) == plain(other) && !(one.starts_with("https:") && other.starts_with("http:"))
}
