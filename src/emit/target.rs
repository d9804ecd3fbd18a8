//! Finds the paths of the output and of the stage, and checks whether they may be written to, without changing
//! anything.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::manifest::Manifest;
use super::{EmitError, Target, stage};
use crate::disk::{self, FileType, same_device};

/// The sources of a course; no output may be in them.
const SOURCES: [&str; 4] = ["content", "code", "templates", "static"];

/// The paths of an output that may be written to.
#[derive(Debug)]
pub(super) struct OutputPaths {
    /// The output; the path of its parent contains no link.
    pub(super) out: PathBuf,
    /// The stage, next to the output.
    pub(super) stage: PathBuf,
    /// Folders above the output that do not exist yet, outermost first.
    pub(super) missing: Vec<PathBuf>,
    /// Whether the site has marked changes.
    pub(super) is_marked: bool,
}

impl OutputPaths {
    /// Resolves the paths of `target`, or returns why it must not be written to.
    pub(super) fn find(target: &Target) -> Result<Self, EmitError> {
        let output = Self { is_marked: target.is_marked, ..Self::resolve(target.out)? };
        check_separate(&output.out, target.root)?;
        inspect(&output)?;
        if !stage::may_use(&output.stage)? {
            return Err(EmitError::ForeignStage(output.stage));
        }
        Ok(output)
    }

    /// Makes `out` absolute, and finds the folders above it that do not exist.
    fn resolve(out: &Path) -> Result<Self, EmitError> {
        let failed = || EmitError::io("use", out);
        let mut whole = disk::absolute(out).map_err(failed())?;
        if whole.file_name().is_none() {
            // A path that ends with `..` must be resolved on disk.
            whole = disk::canonicalize(&whole).map_err(failed())?;
        }
        let (Some(parent), Some(name)) = (whole.parent(), whole.file_name()) else {
            return Err(EmitError::HoldsCourse(whole));
        };
        let (base, rest) = nearest_existing(parent)?;
        check_writable(&base)?;
        let missing = missing_folders(&base, rest)?;
        let above = missing.last().unwrap_or(&base);
        let mut stage = OsString::from(".");
        stage.push(name);
        stage.push(".infralens-stage");
        Ok(Self { out: above.join(name), stage: above.join(stage), missing, is_marked: false })
    }
}

/// Returns the manifest of the site at the path of the output; `None` if nothing is there, or an empty folder. Anything else
/// is an error, and so is a site of the other kind.
pub(super) fn inspect(output: &OutputPaths) -> Result<Option<Manifest>, EmitError> {
    let out = &output.out;
    let Some(found) = disk::find(out).map_err(EmitError::io("use", out))? else { return Ok(None) };
    if !found.is_dir() {
        return Err(EmitError::NotAFolder(out.to_owned(), kind(found.file_type())));
    }
    if let Some(above) = out.parent() {
        let above = disk::metadata(above).map_err(EmitError::io("use", above))?;
        if !same_device(&above, &found) {
            return Err(EmitError::Immovable(out.to_owned()));
        }
    }
    if let Some(manifest) = Manifest::read(out)? {
        let is_same_kind = manifest.is_marked == output.is_marked;
        return if is_same_kind { Ok(Some(manifest)) } else { Err(EmitError::OtherKind(out.clone())) };
    }
    let entries = disk::read_dir(out).map_err(EmitError::io("read", out))?;
    if entries.is_empty() { Ok(None) } else { Err(EmitError::NotOurs(out.to_owned())) }
}

/// Fails if the output is, contains, or is inside the sources of the course.
fn check_separate(out: &Path, root: &Path) -> Result<(), EmitError> {
    let root = disk::canonicalize(root).map_err(EmitError::io("use", root))?;
    if is_inside(&root, out)? {
        return Err(EmitError::HoldsCourse(out.to_owned()));
    }
    for folder in SOURCES {
        if is_inside(out, &root.join(folder))? {
            return Err(EmitError::InSources(out.to_owned(), folder));
        }
    }
    Ok(())
}

/// Whether `path` is `folder` or is inside it, even through links.
fn is_inside(path: &Path, folder: &Path) -> Result<bool, EmitError> {
    let identity = |path| identity(path).map_err(EmitError::io("use", path));
    let wanted = identity(folder)?;
    for above in path.ancestors() {
        if above == folder || wanted.is_some() && identity(above)? == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the nearest existing folder at or above `path`, and the rest of `path` below it.
fn nearest_existing(path: &Path) -> Result<(PathBuf, &Path), EmitError> {
    for above in path.ancestors() {
        match disk::canonicalize(above) {
            Ok(base) => return Ok((base, path.strip_prefix(above).unwrap_or(Path::new("")))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(EmitError::io("use", above)(error)),
        }
    }
    Err(EmitError::io("use", path)(io::ErrorKind::NotFound.into()))
}

/// Returns the folders that must be created for `rest` below `base`.
fn missing_folders(base: &Path, rest: &Path) -> Result<Vec<PathBuf>, EmitError> {
    let mut missing = Vec::new();
    let mut folder = base.to_owned();
    for segment in rest.components() {
        folder.push(segment);
        if !matches!(segment, Component::Normal(_)) {
            let above = folder.parent().unwrap_or(&folder);
            let why = format!("there is no folder `{}`", above.display());
            return Err(EmitError::io("use", &folder)(io::Error::new(io::ErrorKind::NotFound, why)));
        }
        if disk::find(&folder).map_err(EmitError::io("use", &folder))?.is_some() {
            return Err(EmitError::NotAFolder(folder, "a symbolic link that leads nowhere"));
        }
        missing.push(folder.clone());
    }
    Ok(missing)
}

/// Fails if nothing can be created in `folder`.
fn check_writable(folder: &Path) -> Result<(), EmitError> {
    let found = disk::metadata(folder).map_err(EmitError::io("use", folder))?;
    if !found.is_dir() {
        return Err(EmitError::NotAFolder(folder.to_owned(), kind(found.file_type())));
    }
    disk::access_write(folder).map_err(|source| EmitError::NotWritable(folder.to_owned(), source))?;
    Ok(())
}

/// Describes what is not a folder, for a message.
fn kind(found: FileType) -> &'static str {
    if found.is_symlink() {
        "a symbolic link"
    } else if found.is_file() {
        "a file"
    } else {
        "a special file"
    }
}

/// Returns what identifies a file or folder, whatever its name; `None` if it does not exist.
pub(super) fn identity(path: &Path) -> io::Result<Option<(u64, u64)>> {
    match disk::metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        found => found.map(|found| Some(disk::identity(path, &found))),
    }
}
