//! Edits `content/site.yaml`: the entries of `nav` and `lints` that name the page, or the folder that it was the last page
//! of, and the links of `header` and `footer`.

use super::edits::Edits;
use super::{PageMove, below_content, front_matter};
use infralens_course::config::Config;
use infralens_course::course::{link, url};
use infralens_page::Document;
use infralens_source::project::{Project, SITE};
use infralens_source::yaml::to_scalar;

/// Rewrites the entries and links that lead to the page that moves.
pub fn rewrite(edits: &mut Edits, project: &Project, pages: &[Document], moves: &PageMove) {
    let Some(source) = project.text(SITE) else { return };
    let (config, _) = Config::read(source);
    let is_listed = |new: &str| config.nav.iter().any(|other| other.trim_matches('/') == new);
    for place in config.nav.iter().chain(config.lint_folders()) {
        let Some(new) = moved(place, pages, moves) else { continue };
        // If the new folder has an entry already, this one stays with the page.
        let new = if is_listed(&new) { below_content(&moves.page.1) } else { &new };
        front_matter::put(edits, source, place, new);
    }
    for written in config.header.iter().chain(&config.footer).map(|link| &link.link) {
        let (path, rest) = written.split_at(written.find(['#', '?']).unwrap_or(written.len()));
        let leads_to = url::join(url::folder(source.path()), &url::decode(path));
        let Some(old) = leads_to.filter(|_| link::scheme(written).is_none()) else { continue };
        let new = moves.new_path(&old);
        if new != old {
            edits.put(source, written.span.clone(), to_scalar(&(url::relative(source.path(), &new) + rest)));
        }
    }
}

/// Returns the path that an entry has after the move; `None` if it names something else.
fn moved(place: &str, pages: &[Document], moves: &PageMove) -> Option<String> {
    let [old, new] = [&moves.page.0, &moves.page.1].map(|path| below_content(path));
    let place = place.trim_matches('/');
    if place == old {
        return Some(new.to_owned());
    }
    let mut left = pages.iter().filter(|page| !moves.is_page(page)).map(|page| below_content(page.source.path()));
    let rest = old.strip_prefix(place)?;
    let is_last = rest == ".md" || rest.starts_with('/');
    let is_below = |path: &str| path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
    if !is_last || is_below(new) || left.any(is_below) {
        return None;
    }
    Some(new.strip_suffix(rest).filter(|folder| !folder.is_empty()).unwrap_or(new).to_owned())
}
