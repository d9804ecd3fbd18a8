//! The pages of other languages: what their translations changed. What follows from a change of the source is reported there.

use super::pages::{Pair, Pairs, View};
use super::{Change, Kind, PageRef, Place, blocks, excerpts};
use infralens_site::Site;
use infralens_source::diag;

/// Returns the changes of all translations of pages that both sites have.
pub(crate) fn changes([base, head]: [&Site; 2]) -> Vec<Change> {
    let both = head.languages().filter_map(|(tag, new)| {
        let (_, old) = base.languages().find(|(known, _)| *known == tag)?;
        Some((tag, [old, new]))
    });
    both.flat_map(|(tag, sites)| of_language(tag, sites)).collect()
}

fn of_language(tag: &str, sites: [&Site; 2]) -> Vec<Change> {
    let [old, new] = sites.map(View::all);
    let pairs = Pairs::find(&old, &new);
    let of_pair = |pair: &Pair<'_>| {
        let [old, new] = [&pair.old, &pair.new].map(View::document);
        let mut changes = match (&old.translated, &new.translated) {
            (None, None) => Vec::new(),
            (None, Some(new)) => of_file("translation added", &new.path, false),
            (Some(old), None) => of_file("translation removed", &old.path, true),
            (Some(_), Some(_)) if pair.is_same() => Vec::new(),
            (Some(_), Some(_)) => {
                let text = blocks::changes(pair, &pairs.renamed).into_iter();
                let notes = excerpts::changes(pair, &excerpts::Matches::find(pair)).into_iter();
                let changes = text.chain(notes.filter(|change| change.kind == Kind::Note));
                changes.filter_map(|change| in_translation(change, [&pair.old, &pair.new], sites)).collect()
            }
        };
        let page = pair.new.page_ref();
        let page = PageRef { url: format!("{tag}/{}", page.url), ..page };
        for change in &mut changes {
            change.page = Some(page.clone());
        }
        changes
    };
    pairs.same.iter().flat_map(of_pair).collect()
}

/// Moves a change to the translation that it is in; `None` if its text is that of the source.
fn in_translation(change: Change, views: [&View<'_>; 2], sites: [&Site; 2]) -> Option<Change> {
    let Place { in_base, offset, .. } = *change.place.as_ref()?;
    let (document, offset) = (views[usize::from(!in_base)].document(), offset?);
    let merged = document.translated.as_ref()?;
    let line = if offset < document.body_start {
        1
    } else {
        let (start, _) = merged.place(&diag::Place::new(document.source.path(), offset..offset))?.span?;
        sites[usize::from(!in_base)].project().text(&merged.path)?.position(start).line
    };
    Some(change.at(Place::of_line(&merged.path, line, in_base)))
}

fn of_file(what: &str, path: &str, in_base: bool) -> Vec<Change> {
    vec![Change::new(Kind::Page, what).at(Place::of_line(path, 1, in_base))]
}
