//! Finds folders of a course that are mounted by themselves.

use std::path::{Path, PathBuf};

use crate::disk;
use infralens_source::project::FOLDERS;

/// Returns a mount point in one of the course's folders, as a path from the root, which has no links. Only Linux lists them.
pub fn mounted_folder(root: &Path) -> Option<PathBuf> {
    let mounts = disk::read(Path::new("/proc/self/mountinfo")).ok()?;
    find(&String::from_utf8_lossy(&mounts), root)
}

/// Returns the first mount point in one of the course's folders, as a path from the root: a container may have only
/// `content/` from outside. `mounts` is `/proc/self/mountinfo`, in which spaces and backslashes are octal escapes.
fn find(mounts: &str, root: &Path) -> Option<PathBuf> {
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    let points = points.map(|point| {
        let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
        escapes.into_iter().fold(point.to_owned(), |point, (escape, character)| point.replace(escape, character))
    });
    let mut folders = points.filter_map(|point| Path::new(&point).strip_prefix(root).ok().map(Path::to_path_buf));
    folders.find(|folder| FOLDERS.iter().any(|known| folder.starts_with(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_mounted_below_the_root_is_found() {
        let found = |points: &[&str]| {
            let line = |point: &&str| format!("36 35 98:0 /mnt1 {point} rw,noatime master:1 - ext3 /dev/root rw\n");
            find(&points.iter().map(line).collect::<String>(), Path::new("/my course"))
        };
        for (point, wanted) in [
            (r"/my\040course/content", "content"),
            (r"/my\040course/code", "code"),
            (r"/my\040course/static/a\134b/c", r"static/a\b/c"),
            (r"/my\040course/content/img", "content/img"),
        ] {
            assert_eq!(found(&["/", "/proc", point]), Some(PathBuf::from(wanted)), "{point}");
        }
        let elsewhere =
            ["/", r"/my\040course", r"/my\040course/public", r"/my\040course/contents", "/my", "/content", "x"];
        assert_eq!(found(&elsewhere), None);
        assert_eq!(find("no mounts\n\n1 2 3", Path::new("/")), None);
    }
}
