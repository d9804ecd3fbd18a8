//! Reads one entry as a [`File`].

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::{ASSET_LIMIT, TEXT_LIMIT};
use crate::disk::{self, FileType};
use infralens_source::project::{Binary, File, Reason, Refusal};
use infralens_source::source::Source;

/// Reads the entry `path` (relative to the root) at `at`, which is not a folder. Returns `known` if its bytes are the
/// same, and `None` if the entry no longer exists.
pub(super) fn read(path: &str, at: &Path, kind: FileType, known: Option<&File>) -> Option<File> {
    read_up_to(limit(path), path, at, kind, known)
}

/// Returns the maximum size of the file at a path.
pub(super) fn limit(path: &str) -> u64 {
    if is_text_place(path) { TEXT_LIMIT } else { ASSET_LIMIT }
}

/// Like [`read`], with a limit on the size in bytes.
pub(super) fn read_up_to(limit: u64, path: &str, at: &Path, kind: FileType, known: Option<&File>) -> Option<File> {
    if kind.is_symlink() {
        return Some(File::Refused(Refusal::Symlink));
    }
    if !kind.is_file() {
        return Some(File::Refused(Refusal::Special));
    }
    let known_or_new = |bytes: Vec<u8>| match known.filter(|known| known.bytes() == Some(&bytes)) {
        Some(known) => known.clone(),
        None => decode(path, bytes),
    };
    match read_bytes(at, limit) {
        Ok(read) => Some(read.map_or_else(File::Refused, known_or_new)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => Some(File::Refused(Refusal::Unreadable(Reason::of(&error)))),
    }
}

/// Opens a file without following a link, and checks what was opened. So a link or pipe that replaced the file after
/// it was listed is not read, and no more than `limit` bytes are read of a file that is growing.
fn read_bytes(path: &Path, limit: u64) -> std::io::Result<Result<Vec<u8>, Refusal>> {
    let file = disk::File::open_itself(path)?;
    let metadata = file.metadata()?;
    let too_large = |size| Ok(Err(Refusal::TooLarge { size, limit }));
    if !metadata.is_file() {
        return Ok(Err(Refusal::Special));
    }
    if metadata.len() > limit {
        return too_large(metadata.len());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    file.read_at_most(limit + 1, &mut bytes)?;
    let size = bytes.len() as u64;
    if size > limit { too_large(size) } else { Ok(Ok(bytes)) }
}

/// Whether the file at `path` is read as text: a page, settings, a template or a starter.
fn is_text_place(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    path.starts_with("code/")
        || path.starts_with("templates/")
        || (path.starts_with("content/") && matches!(extension, "md" | "yaml"))
}

/// Decodes bytes as UTF-8; bytes that are not text become a [`File::Binary`].
pub fn decode(path: &str, bytes: Vec<u8>) -> File {
    if let Some(bad_byte) = bytes.iter().position(|&byte| byte == 0) {
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read_and_only_up_to_the_limit() {
        let read = |path: &str| read_bytes(Path::new(path), 64).expect("it can be opened");
        // A file that has the size 0 and more content, like one that grows while it is read.
        assert_eq!(read("/proc/self/status"), Err(Refusal::TooLarge { size: 65, limit: 64 }));
        assert_eq!(read("/proc/sys/kernel/ostype").as_deref(), Ok(&b"Linux\n"[..]));
        assert_eq!(read("/dev/zero"), Err(Refusal::Special));
        assert_eq!(read("/proc"), Err(Refusal::Special));
    }
}
