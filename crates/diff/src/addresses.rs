//! Addresses that others may have bookmarked and that are gone: pages, files, headings, terms and references.

use std::collections::BTreeSet;

use super::lines::{self, Words};
use super::pages::{Pair, Pairs};
use super::{Change, Kind, Place};
use infralens_page::{Heading, Kind as PageKind};
use infralens_site::{Recipe, Site};
use infralens_source::project::REFERENCES;
use infralens_theme::Recipe as Made;

/// Returns the addresses that are gone.
pub(crate) fn changes(pairs: &Pairs<'_>, sites: [&Site; 2]) -> Vec<Change> {
    let mut changes: Vec<Change> = pairs.same.iter().flat_map(anchors).collect();
    changes.extend(files(pairs, sites));
    changes.extend(entries(pairs, sites));
    changes
}

/// Returns the pages and files of the older site whose address leads nowhere in the newer one.
fn files(pairs: &Pairs<'_>, [base, head]: [&Site; 2]) -> Vec<Change> {
    let new = head.outputs();
    let gone = base.outputs().iter().filter(|(path, _)| !new.contains_key(*path));
    let is_bookmarked = |recipe: &Recipe| match recipe {
        Recipe::Theme(made) => {
            !matches!(made, Made::Copy(_) | Made::Picture(_) | Made::Cards(_) | Made::Sitemap | Made::Feed)
        }
        Recipe::File(_) | Recipe::Recorded(_) => true,
        Recipe::Translated(_, path) => path.ends_with(".html"),
        Recipe::Search | Recipe::Late | Recipe::Bytes(_) => false,
    };
    let changes = gone.filter(|(_, output)| is_bookmarked(&output.recipe)).map(|(path, output)| {
        let change = Change::new(Kind::Address, format!("`{path}` leads nowhere now"));
        let change = change.at(Place::of_line(&output.from, 1, true));
        let moved = pairs.renamed.get(&output.from);
        let removed = pairs.gone.iter().find(|view| view.url() == &**path);
        let to = moved.and_then(|to| pairs.same.iter().find(|pair| pair.new.path() == to)).map(|pair| pair.new);
        match (to, removed) {
            _ if output.from.starts_with("code/") => change,
            (Some(to), _) => {
                change.on(&to).help(format!("add `aliases: [{path}]` to the front matter of `{}`", to.path()))
            }
            (None, Some(view)) => {
                change.on(view).help(format!("if another page has taken its place, add `aliases: [{path}]` there"))
            }
            (None, None) => change,
        }
    });
    changes.collect()
}

/// Returns the headings of a page that had an id which the page has no more.
fn anchors(pair: &Pair<'_>) -> Vec<Change> {
    let [old, new] = [&pair.old, &pair.new].map(|view| view.document().body.headings.iter().collect::<Vec<_>>());
    let ids = |heading: &&Heading| [vec![heading.id.clone()], heading.was.clone()].concat();
    let old_ids: BTreeSet<String> = old.iter().flat_map(ids).collect();
    let new_ids: BTreeSet<String> = new.iter().flat_map(ids).collect();
    let keys = |headings: &[&Heading]| headings.iter().map(|heading| heading.id.clone()).collect::<Vec<_>>();
    let gaps = lines::gaps(&keys(&old), &keys(&new));
    let mut changes = Vec::new();
    for (at, heading) in old.iter().enumerate() {
        for id in ids(heading).into_iter().filter(|id| !new_ids.contains(id)) {
            let gap = gaps.iter().find(|[gone, _]| gone.contains(&at));
            let fresh = gap.map_or(&[][..], |[_, fresh]| &new[fresh.clone()]);
            let fresh: Vec<&&Heading> = fresh.iter().filter(|heading| !old_ids.contains(&heading.id)).collect();
            let similar = |other: &&&&Heading| Words::of(&heading.text).similarity(&Words::of(&other.text));
            let best = fresh.iter().max_by(|one, other| similar(one).total_cmp(&similar(other)));
            let place = best.map_or(pair.old.place(heading.span.start), |best| pair.new.place(best.span.start));
            let change = Change::new(Kind::Address, format!("`{}#{id}` leads to no heading now", pair.new.url()));
            let change = change.on(&pair.new).at(place);
            changes.push(match best {
                Some(best) => change.help(format!(
                    "if `{}` is that heading, write `{{#{} .was-{id}}}` after its text",
                    best.text, best.id
                )),
                None => change,
            });
        }
    }
    changes
}

/// Returns the terms of the glossary and the references that are gone.
fn entries(pairs: &Pairs<'_>, sites: [&Site; 2]) -> Vec<Change> {
    let [old, new] = sites.map(|site| {
        let cx = site.context();
        let terms = cx.glossary.terms.iter().map(|term| format!("glossary.html#{}", term.id));
        let keys = cx.references.iter().map(|(key, _)| format!("references.html#R-{}", key.value));
        terms.chain(keys).collect::<BTreeSet<String>>()
    });
    let glossary =
        pairs.same.iter().map(|pair| &pair.new).find(|view| view.document().placement.kind == PageKind::Glossary);
    let gone = old.difference(&new).map(|address| {
        let change = Change::new(Kind::Address, format!("`{address}` leads nowhere now"));
        match glossary.filter(|_| address.starts_with("glossary")) {
            Some(view) => change.on(view).at(view.place(0)),
            None => change.at(Place::of_line(REFERENCES, 1, true)),
        }
    });
    gone.collect()
}
