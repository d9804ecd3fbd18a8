//! Rewrites names in formulas: pages whose values they use, and folders whose records they read.

use super::edits::Edits;
use super::{PageMove, front_matter};
use crate::document::{Document, Kind};
use crate::values::Origin;

/// Rewrites the names in one page.
pub fn rewrite(edits: &mut Edits, document: &Document, pages: &[Document], moves: &PageMove) {
    let declarations = document.body.values.iter().flat_map(|block| &block.sheet.declarations);
    for name in declarations.flat_map(|declaration| declaration.expression.names()) {
        let (old, new) = match &name.origin {
            Origin::Page(page) => {
                (page.as_str(), front_matter::reference(document, page, &[Kind::Lab, Kind::Section], pages, moves))
            }
            Origin::Record => {
                let folder = name.name.rsplit_once('/').map_or("", |(folder, _)| folder);
                let new = moves.new_path(&format!("code/{folder}"));
                (folder, new.strip_prefix("code/").map(str::to_owned))
            }
            Origin::Here => continue,
        };
        let (Some(new), false) = (new, old.is_empty()) else { continue };
        if let Some(at) = document.source.text()[name.span.clone()].find(old) {
            let start = name.span.start + at;
            edits.put(&document.source, start..start + old.len(), new);
        }
    }
}
