//! Which addresses of other sites are to be visited, and how what they answered changes `content/links.yaml`. The visits
//! themselves are made elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use infralens_course::links::{Links, Visit, reason};
use infralens_site::Address;
use infralens_source::change::Change;
use infralens_source::project::{LINKS, Project};
use infralens_source::yaml::Date;

/// An address to visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due<'a> {
    pub address: &'a str,
    /// The anchors that links to it name.
    pub anchors: BTreeSet<&'a str>,
}

/// Returns the addresses that are to be visited on a day, those first that were never visited, then by the day of their last
/// visit: those that were visited `stale` days ago or earlier, those that did not answer with a page on an earlier day, and
/// those of which another anchor is linked to now. Only files for which `is_named` holds count.
pub fn due<'a>(
    addresses: &[Address<'a>],
    links: &Links,
    (today, stale): (Date, u32),
    is_named: impl Fn(&str) -> bool,
) -> Vec<Due<'a>> {
    let mut found: BTreeMap<&str, (bool, BTreeSet<&str>)> = BTreeMap::new();
    for link in addresses {
        let (named, anchors) = found.entry(link.address).or_default();
        *named |= is_named(&link.place.file);
        anchors.extend(link.anchor);
    }
    let is_due = |visit: &Visit, anchors: &BTreeSet<&str>| {
        let age = today.days_since_1970() - visit.day.days_since_1970();
        // Whether private addresses are visited is another choice each time.
        let has_failed = !visit.is_success() && (age > 0 || *visit.status == *reason::PRIVATE);
        let has_new_anchor = visit.is_success() && anchors.iter().any(|anchor| visit.anchor(anchor).is_none());
        age >= i64::from(stale) || has_failed || has_new_anchor
    };
    let named = found.into_iter().filter(|(_, (named, _))| *named);
    let mut due: Vec<_> = named
        .map(|(address, (_, anchors))| (links.get(address), Due { address, anchors }))
        .filter(|(visit, due)| visit.is_none_or(|visit| is_due(visit, &due.anchors)))
        .collect();
    due.sort_by_key(|(visit, _)| visit.map(|visit| visit.day));
    due.into_iter().map(|(_, due)| due).collect()
}

/// Returns the change of `content/links.yaml` that records visits; `None` if the file stays as it is. If `addresses` are all
/// links of the course, addresses that are not among them are removed.
pub fn record<'a>(
    project: &Project,
    links: &Links,
    addresses: Option<&[Address<'_>]>,
    visits: impl IntoIterator<Item = (&'a str, Visit)>,
) -> Option<Change> {
    let mut links = links.clone();
    for (address, visit) in visits {
        links.add(address, visit);
    }
    if let Some(addresses) = addresses {
        links.retain(&addresses.iter().map(|link| link.address).collect());
    }
    let text = links.text();
    match project.text(LINKS) {
        Some(source) if source.text() == text => None,
        Some(source) => Some(Change::Replace { source: Arc::clone(source), text }),
        None => Some(Change::Create { path: Arc::from(LINKS), text }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use infralens_course::links::{Anchor, Status, anchors};
    use infralens_site::{Options, Site, plan};
    use infralens_source::project::File;
    use infralens_source::source::Source;

    fn day(text: &str) -> Date {
        Date::parse(text).expect("a day")
    }

    fn site(page: &str) -> Site {
        let mut project = Project::default();
        let files = [
            ("content/site.yaml", "title: T\nfooter:\n  - { label: L, link: 'https://footer.example/' }\n".to_owned()),
            ("content/references.yaml", "r: { kind: paper, title: R, url: 'https://paper.example/' }\n".to_owned()),
            ("content/a.md", format!("---\ntitle: A\n---\n\n{page}")),
        ];
        for (path, text) in files {
            project.put(&path.into(), Some(File::Text(Arc::new(Source::new(path, text)))));
        }
        plan(&project, &Options::default(), &Site::default())
    }

    fn names(due: &[Due<'_>]) -> Vec<String> {
        let name = |one: &Due<'_>| one.anchors.iter().fold(one.address.to_owned(), |name, anchor| name + "#" + anchor);
        due.iter().map(name).collect()
    }

    #[test]
    fn links_are_due_and_code_is_no_link() {
        let site = site(
            "[a](https://a.example/x#one) and <https://a.example/x#two>, https://b.example/, <a href=\"https://c.example/\">c</a>\n\
             `https://code.example/` [m](mailto:a@b.example) ![i](https://image.example/i.png) [r]\n\n\
             ```\nhttps://fence.example/\n```\n\n[r]: https://r.example/\n",
        );
        let addresses = site.addresses();
        let today = day("2026-11-26");
        let mut links = Links::default();
        let all = [
            "https://a.example/x#one#two", "https://b.example/", "https://c.example/", "https://footer.example/",
            "https://image.example/i.png", "https://paper.example/", "https://r.example/",
        ];
        assert_eq!(names(&due(&addresses, &links, (today, 30), |_| true)), all);
        let of_page = names(&due(&addresses, &links, (today, 30), |path| path == "content/a.md"));
        assert_eq!(of_page.len(), 5, "{of_page:?}");
        for (address, status, text, anchor) in [
            ("https://a.example/x", "200", "2026-11-25", Some("one")),
            ("https://b.example/", "200", "2026-10-27", None),
            ("https://c.example/", "200", "2026-10-28", None),
            ("https://footer.example/", "404", "2026-11-25", None),
            ("https://image.example/i.png", "time-out", "2026-11-26", None),
            ("https://paper.example/", "200", "2026-10-01", None),
        ] {
            let visit = Visit::new(Status::parse(status).expect("a status"), day(text));
            links.add(address, Visit { anchors: anchors(anchor.map(|anchor| (anchor, Anchor::Found))), ..visit });
        }
        assert_eq!(
            names(&due(&addresses, &links, (today, 30), |_| true)),
            [
                "https://r.example/", "https://paper.example/", "https://b.example/", "https://a.example/x#one#two",
                "https://footer.example/",
            ]
        );
        assert_eq!(due(&addresses, &links, (today, 0), |_| true).len(), 7);
    }

    #[test]
    fn what_is_no_longer_linked_to_is_removed() {
        let site = site("[a](https://a.example/)\n");
        let addresses = site.addresses();
        let visit = || Visit::new(Status::parse("200").expect("a status"), day("2026-11-26"));
        let visits = [("https://a.example/", visit()), ("https://old.example/", visit())];
        let text = |change: Option<Change>| match change {
            Some(Change::Create { text, .. }) => text,
            other => panic!("{other:?}"),
        };
        let all = text(record(site.project(), site.links(), None, visits.clone()));
        assert!(
            all.contains("https://a.example/:\n  status: 200\n  day: 2026-11-26\n") && all.contains("old"),
            "{all}"
        );
        let known = text(record(site.project(), site.links(), Some(&addresses), visits));
        assert!(known.contains("https://a.example/:") && !known.contains("old"), "{known}");
    }
}
