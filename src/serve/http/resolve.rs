//! Finds the file at the path of a URL.

use super::{File, Site};
use infralens_source::url::{decode, decoded};

/// The result of looking up a path.
#[derive(Debug, Clone)]
pub(super) enum Resolved {
    /// The file at this output path.
    File(String, File),
    /// A folder without its final slash. The browser must be redirected, because the links on the page are relative
    /// to the folder.
    Folder,
    /// Nothing is there; this page is shown.
    Missing(File),
}

/// Looks up the path of a URL, percent-encoded and with a leading slash, first below the root and then below the base
/// path. Returns `None` for an invalid path: not UTF-8, or with a NUL.
pub(super) fn resolve(site: &dyn Site, path: &str) -> Option<Resolved> {
    let path = String::from_utf8(decoded(path)).ok().filter(|path| !path.contains('\0'))?;
    let plain = path.strip_prefix('/').unwrap_or(&path);
    if is_confined(plain) {
        let base = decode(&site.base_path());
        let below = path.strip_prefix(&base).filter(|_| base != "/");
        if let Some(found) = [Some(plain), below].into_iter().flatten().find_map(|path| find(site, path)) {
            return Some(found);
        }
        // The base path without its final slash.
        if base.strip_suffix('/') == Some(path.as_str()) && site.file("index.html").is_some() {
            return Some(Resolved::Folder);
        }
    }
    Some(Resolved::Missing(site.not_found(plain)))
}

/// Whether a path stays within the site: it has no `..`, no empty segment, and no backslash, which browsers treat
/// like a slash.
fn is_confined(path: &str) -> bool {
    let folders = path.strip_suffix('/').unwrap_or(path);
    let is_name = |segment: &str| !matches!(segment, "" | "." | "..");
    !path.contains('\\') && (path.is_empty() || folders.split('/').all(is_name))
}

fn find(site: &dyn Site, path: &str) -> Option<Resolved> {
    if path.is_empty() || path.ends_with('/') {
        let page = format!("{path}index.html");
        return site.file(&page).map(|file| Resolved::File(page, file));
    }
    let file = site.file(path).map(|file| Resolved::File(path.to_owned(), file));
    file.or_else(|| site.file(&format!("{path}/index.html")).map(|_| Resolved::Folder))
}
