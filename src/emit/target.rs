//! Where the output and the stage lie, and whether they may be written to. Reads, and touches nothing.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::manifest::Manifest;
use super::{EmitError, Target, stage};
use crate::disk::{self, FileType, Metadata};

/// What a course is made from; no output may lie in it.
const SOURCES: [&str; 4] = ["content", "code", "templates", "static"];

/// A target that may be written to.
#[derive(Debug)]
pub(super) struct Place {
    /// The output, with no link in the part above its name.
    pub(super) out: PathBuf,
    /// The stage, beside it.
    pub(super) stage: PathBuf,
    /// Folders above the output that do not exist yet, outermost first.
    pub(super) missing: Vec<PathBuf>,
}

/// What stands at the output's place.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing, or an empty folder.
    Room,
    /// A site of ours.
    Site(Manifest),
}

impl Place {
    /// Resolves `target`, or refuses it.
    pub(super) fn find(target: &Target) -> Result<Self, EmitError> {
        let place = Self::resolve(target.out)?;
        apart(&place.out, target.root)?;
        look(&place.out)?;
        if !stage::may_use(&place.stage)? {
            return Err(EmitError::ForeignStage(place.stage));
        }
        Ok(place)
    }

    /// Makes `out` absolute, and finds out what of it exists.
    fn resolve(out: &Path) -> Result<Self, EmitError> {
        let failed = || EmitError::io("use", out);
        let mut whole = disk::absolute(out).map_err(failed())?;
        if whole.file_name().is_none() {
            // `..` at the end names a folder only by what is on disk.
            whole = disk::canonicalize(&whole).map_err(failed())?;
        }
        let (Some(parent), Some(name)) = (whole.parent(), whole.file_name()) else {
            return Err(EmitError::HoldsCourse(whole));
        };
        let (base, rest) = existing(parent)?;
        writable(&base)?;
        let missing = below(&base, rest)?;
        let above = missing.last().unwrap_or(&base);
        let mut stage = OsString::from(".");
        stage.push(name);
        stage.push(".infralens-stage");
        Ok(Self { out: above.join(name), stage: above.join(stage), missing })
    }
}

impl Found {
    /// The old site's manifest.
    pub(super) fn manifest(&self) -> Option<&Manifest> {
        match self {
            Self::Room => None,
            Self::Site(manifest) => Some(manifest),
        }
    }
}

/// What stands at the output's place; refuses what is not a folder of ours.
pub(super) fn look(out: &Path) -> Result<Found, EmitError> {
    let Some(found) = disk::find(out).map_err(EmitError::io("use", out))? else { return Ok(Found::Room) };
    if !found.is_dir() {
        return Err(EmitError::NotAFolder { path: out.to_owned(), what: kind(found.file_type()) });
    }
    if let Some(above) = out.parent() {
        let above = disk::metadata(above).map_err(EmitError::io("use", above))?;
        if !same_device(&above, &found) {
            return Err(EmitError::Immovable(out.to_owned()));
        }
    }
    if let Some(manifest) = Manifest::read(out)? {
        return Ok(Found::Site(manifest));
    }
    let entries = disk::read_dir(out).map_err(EmitError::io("read", out))?;
    if entries.is_empty() { Ok(Found::Room) } else { Err(EmitError::NotOurs(out.to_owned())) }
}

/// Refuses an output that is, holds, or lies in what the course is made from.
fn apart(out: &Path, root: &Path) -> Result<(), EmitError> {
    let root = disk::canonicalize(root).map_err(EmitError::io("use", root))?;
    if lies_in(&root, out)? {
        return Err(EmitError::HoldsCourse(out.to_owned()));
    }
    for folder in SOURCES {
        if lies_in(out, &root.join(folder))? {
            return Err(EmitError::InSources { path: out.to_owned(), folder });
        }
    }
    Ok(())
}

/// Whether `path` is `folder` or lies in it, whatever names and links lead there.
fn lies_in(path: &Path, folder: &Path) -> Result<bool, EmitError> {
    let identity = |path| identity(path).map_err(EmitError::io("use", path));
    let wanted = identity(folder)?;
    for above in path.ancestors() {
        if above == folder || wanted.is_some() && identity(above)? == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The nearest folder at or above `path` that exists, and the rest of `path` below it.
fn existing(path: &Path) -> Result<(PathBuf, &Path), EmitError> {
    for above in path.ancestors() {
        match disk::canonicalize(above) {
            Ok(base) => return Ok((base, path.strip_prefix(above).unwrap_or(Path::new("")))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(EmitError::io("use", above)(error)),
        }
    }
    Err(EmitError::io("use", path)(io::ErrorKind::NotFound.into()))
}

/// The folders to be made for `rest` below `base`.
fn below(base: &Path, rest: &Path) -> Result<Vec<PathBuf>, EmitError> {
    let mut missing = Vec::new();
    let mut folder = base.to_owned();
    for segment in rest.components() {
        folder.push(segment);
        if !matches!(segment, Component::Normal(_)) {
            return Err(EmitError::io("use", &folder)(io::ErrorKind::NotFound.into()));
        }
        if disk::find(&folder).map_err(EmitError::io("use", &folder))?.is_some() {
            return Err(EmitError::NotAFolder { path: folder, what: "a symbolic link that leads nowhere" });
        }
        missing.push(folder.clone());
    }
    Ok(missing)
}

/// Refuses a `folder` in which nothing can be made.
fn writable(folder: &Path) -> Result<(), EmitError> {
    let found = disk::metadata(folder).map_err(EmitError::io("use", folder))?;
    if !found.is_dir() {
        return Err(EmitError::NotAFolder { path: folder.to_owned(), what: kind(found.file_type()) });
    }
    disk::access_write(folder).map_err(|source| EmitError::NotWritable { path: folder.to_owned(), source })?;
    Ok(())
}

/// What a thing that is not a folder is, for a message.
fn kind(found: FileType) -> &'static str {
    if found.is_symlink() {
        "a symbolic link"
    } else if found.is_file() {
        "a file"
    } else {
        "a special file"
    }
}

/// What makes a file or folder the same by whatever name; `None` if there is none.
pub(super) fn identity(path: &Path) -> io::Result<Option<(u64, u64)>> {
    use std::os::unix::fs::MetadataExt;
    unless_missing(disk::metadata(path).map(|found| (found.dev(), found.ino())))
}

fn unless_missing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        found => found.map(Some),
    }
}

/// Whether two files lie on one file system, as far as the system tells.
pub(super) fn same_device(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    one.dev() == other.dev()
}
