//! Rewrites names in formulas: pages whose values they use, and folders whose records they read.

use super::edits::Edits;
use super::{PageMove, front_matter};
use infralens_page::{Document, Kind};
use infralens_units::Origin;

/// Rewrites the names in one page.
pub fn rewrite(edits: &mut Edits, document: &Document, pages: &[Document], moves: &PageMove) {
    let declarations = document.body.values.iter().flat_map(|block| &block.sheet.declarations);
    for name in declarations.flat_map(|declaration| declaration.expression.names()) {
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).len();
        let new_folder = |old: &str| moves.new_path(&format!("code/{old}")).strip_prefix("code/").map(str::to_owned);
        let (old, new) = match &name.origin {
            Origin::Page(page) => {
                (page.as_str(), front_matter::reference(document, page, &[Kind::Lab, Kind::Section], pages, moves))
            }
            Origin::Record => {
                let old = &name.name[..folder(&name.name)];
                (old, new_folder(old))
            }
            Origin::Code(piece) => {
                let old = &piece.file.path[..folder(&piece.file.path)];
                (old, new_folder(old))
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
