//! One entry → [`File`].

use std::fs::FileType;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::{ASSET_LIMIT, TEXT_LIMIT};
use crate::project::{Binary, File, Refusal};
use crate::source::Source;

/// Reads an entry that is no folder: `path` from the root, lying at `at`. The file as it was known is given again if its
/// bytes are the same; nothing if the entry is gone by now.
pub(super) fn read(path: &str, at: &Path, kind: FileType, known: Option<&File>) -> Option<File> {
    if kind.is_symlink() {
        return Some(File::Refused(Refusal::Symlink));
    }
    if !kind.is_file() {
        return Some(File::Refused(Refusal::Special));
    }
    let limit = if is_text_place(path) { TEXT_LIMIT } else { ASSET_LIMIT };
    let known_or_new = |bytes: Vec<u8>| match known.filter(|known| known.bytes() == Some(&bytes)) {
        Some(known) => known.clone(),
        None => understand(path, bytes),
    };
    let read = match at.symlink_metadata() {
        Ok(metadata) if metadata.len() > limit => Ok(File::Refused(Refusal::TooLarge { size: metadata.len(), limit })),
        Ok(_) => read_bytes(at).map(known_or_new),
        Err(error) => Err(error),
    };
    match read {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        read => Some(read.unwrap_or_else(|error| File::Refused(Refusal::Unreadable(error.kind())))),
    }
}

/// Opens without following a link, so that a file swapped for a link after the walk is not followed either.
fn read_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut options = std::fs::File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let mut bytes = Vec::new();
    options.open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether files here are pages, settings, templates or starters, which are read as text.
fn is_text_place(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    path.starts_with("code/")
        || path.starts_with("templates/")
        || (path.starts_with("content/") && matches!(extension, "md" | "yaml"))
}

/// Bytes as text where they are text.
pub(super) fn understand(path: &str, bytes: Vec<u8>) -> File {
    if let Some(bad_byte) = memchr_nul(&bytes) {
        return File::Binary(Arc::new(Binary::new(bytes, bad_byte)));
    }
    match String::from_utf8(bytes) {
        Ok(text) => File::Text(Arc::new(Source::new(path, text))),
        Err(error) => {
            let bad_byte = error.utf8_error().valid_up_to();
            File::Binary(Arc::new(Binary::new(error.into_bytes(), bad_byte)))
        }
    }
}

fn memchr_nul(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte == 0)
}
