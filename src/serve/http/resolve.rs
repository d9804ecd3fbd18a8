//! Which file a URL's path leads to.

use super::{File, Site};
use crate::course::url::decoded;

/// Where a path leads.
#[derive(Debug, Clone)]
pub(super) enum Resolved {
    /// To a file, at this output path.
    File(String, File),
    /// To a folder's page, but without the slash at its end, without which the page's links would lead elsewhere.
    Folder,
    /// Nowhere; this is shown.
    Missing(File),
}

/// Finds the file of a URL's path, percent-encoded and with a slash at its beginning; first under the root, then under
/// the base path. Returns `None` for a path that no URL of a site has: not UTF-8, or with a NUL.
pub(super) fn resolve(site: &dyn Site, path: &str) -> Option<Resolved> {
    let path = String::from_utf8(decoded(path)).ok().filter(|path| !path.contains('\0'))?;
    let plain = path.strip_prefix('/').unwrap_or(&path);
    if is_confined(plain) {
        let base = site.base_path();
        let below = path.strip_prefix(&base).filter(|_| base != "/");
        if let Some(found) = [Some(plain), below].into_iter().flatten().find_map(|path| at(site, path)) {
            return Some(found);
        }
        // The base path itself, without its slash.
        if base.strip_suffix('/') == Some(path.as_str()) && site.file("index.html").is_some() {
            return Some(Resolved::Folder);
        }
    }
    Some(Resolved::Missing(site.not_found(plain)))
}

/// Whether a path has no way up, no empty segment, and no backslash, which browsers take for a slash.
fn is_confined(path: &str) -> bool {
    let folders = path.strip_suffix('/').unwrap_or(path);
    let is_name = |segment: &str| !matches!(segment, "" | "." | "..");
    !path.contains('\\') && (path.is_empty() || folders.split('/').all(is_name))
}

fn at(site: &dyn Site, path: &str) -> Option<Resolved> {
    if path.is_empty() || path.ends_with('/') {
        let page = format!("{path}index.html");
        return site.file(&page).map(|file| Resolved::File(page, file));
    }
    let file = site.file(path).map(|file| Resolved::File(path.to_owned(), file));
    file.or_else(|| site.file(&format!("{path}/index.html")).map(|_| Resolved::Folder))
}
