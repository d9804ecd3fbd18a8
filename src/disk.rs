//! Wraps every call to the file system that `load` and `emit` make, under its name in `std::fs`.
//!
//! In the program, each function is just that call. In the tests of this crate, each asks [`faults`] first, so that
//! any single call can be made to fail. Only `load` and `emit` use this module, and they access the disk in no other
//! way.

#![expect(clippy::disallowed_methods, reason = "the one module that calls the file system")]

#[cfg(test)]
pub(crate) mod faults;
#[cfg_attr(unix, path = "disk/unix.rs")]
#[cfg_attr(windows, path = "disk/windows.rs")]
mod system;
mod walk;

use std::fs;
use std::io;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub(crate) use std::fs::{FileType, Metadata, Permissions, TryLockError};

#[cfg(test)]
use faults::gate;
pub(crate) use system::{identity, mode, owner, same_device};
pub(crate) use walk::{Entry, Walk, read_dir};

/// The kinds of calls, for the tests that make them fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Call {
    /// Asks what is at a path.
    Look,
    /// Lists a folder.
    List,
    /// Reads a file or a link.
    Read,
    /// Creates an empty file or a symbolic link.
    Create,
    /// Writes to a file.
    Write,
    /// Sets permissions, owner or time.
    Mark,
    /// Creates a folder.
    Folder,
    /// Links a file.
    Link,
    /// Moves a file or folder.
    Rename,
    /// Exchanges two files or folders.
    Exchange,
    /// Removes a file or an empty folder.
    Remove,
    /// Locks a file.
    Lock,
}

/// Allows every call; only tests make one fail.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "in tests it fails")]
const fn gate(_: Call, _: &Path) -> io::Result<()> {
    Ok(())
}

pub(crate) fn metadata(path: &Path) -> io::Result<Metadata> {
    gate(Call::Look, path)?;
    fs::metadata(path)
}

/// Whether `path` leads to a folder.
pub(crate) fn is_dir(path: &Path) -> bool {
    metadata(path).is_ok_and(|found| found.is_dir())
}

pub(crate) fn symlink_metadata(path: &Path) -> io::Result<Metadata> {
    gate(Call::Look, path)?;
    fs::symlink_metadata(path)
}

/// Returns the metadata of `path` without following a link; `None` if nothing is there. It is an error if the system
/// does not say: what may exist must not be treated as missing.
pub(crate) fn find(path: &Path) -> io::Result<Option<Metadata>> {
    match symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    gate(Call::Look, path)?;
    fs::canonicalize(path)
}

pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    std::path::absolute(path)
}

/// Fails unless entries can be created in `folder`.
pub(crate) fn access_write(folder: &Path) -> io::Result<()> {
    gate(Call::Look, folder)?;
    system::access_write(folder)
}

pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    gate(Call::Read, path)?;
    fs::read(path)
}

pub(crate) fn read_link(path: &Path) -> io::Result<PathBuf> {
    gate(Call::Read, path)?;
    fs::read_link(path)
}

pub(crate) fn symlink(original: &Path, link: &Path) -> io::Result<()> {
    gate(Call::Create, link)?;
    system::symlink(original, link)
}

pub(crate) fn chown(path: &Path, user: Option<u32>, group: Option<u32>) -> io::Result<()> {
    gate(Call::Mark, path)?;
    system::chown(path, user, group)
}

/// Sets the permissions, a number.
pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    gate(Call::Mark, path)?;
    system::set_mode(path, mode)
}

pub(crate) fn create_dir(path: &Path) -> io::Result<()> {
    gate(Call::Folder, path)?;
    fs::create_dir(path)
}

pub(crate) fn create_dir_all(path: &Path) -> io::Result<()> {
    gate(Call::Folder, path)?;
    fs::create_dir_all(path)
}

pub(crate) fn hard_link(original: &Path, link: &Path) -> io::Result<()> {
    gate(Call::Link, link)?;
    fs::hard_link(original, link)
}

pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    gate(Call::Rename, to)?;
    fs::rename(from, to)
}

pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    gate(Call::Remove, path)?;
    fs::remove_file(path)
}

pub(crate) fn remove_dir(path: &Path) -> io::Result<()> {
    gate(Call::Remove, path)?;
    fs::remove_dir(path)
}

/// Exchanges two files or folders atomically; fails with `Unsupported` if the system or the file system cannot.
pub(crate) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    gate(Call::Exchange, other)?;
    system::exchange(one, other)
}

/// Renames `from` to `to`; fails if something exists there.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    gate(Call::Rename, to)?;
    match system::rename_new(from, to) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => check_and_rename(from, to),
        done => done,
    }
}

/// Checks that nothing is at `to`, then renames; for systems that cannot do both in one step.
fn check_and_rename(from: &Path, to: &Path) -> io::Result<()> {
    if find(to)?.is_some() { Err(io::ErrorKind::AlreadyExists.into()) } else { rename(from, to) }
}

/// An open file and the path at which it was opened.
#[derive(Debug)]
pub(crate) struct File {
    file: fs::File,
    path: PathBuf,
}

impl File {
    fn open_as(path: &Path, call: Call, options: &fs::OpenOptions) -> io::Result<Self> {
        gate(call, path)?;
        Ok(Self { file: options.open(path)?, path: path.to_owned() })
    }

    /// Opens a file or folder for reading.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Self::open_as(path, Call::Read, system::any(fs::File::options().read(true)))
    }

    /// Opens a file for reading, without following a link at `path` itself and without waiting for a pipe.
    pub(crate) fn open_itself(path: &Path) -> io::Result<Self> {
        Self::open_as(path, Call::Read, system::itself(fs::File::options().read(true)))
    }

    /// Creates a file for writing; fails if something exists.
    pub(crate) fn create_new(path: &Path) -> io::Result<Self> {
        Self::open_as(path, Call::Create, fs::File::options().write(true).create_new(true))
    }

    /// Opens a file for reading and appending, and creates it if it does not exist.
    pub(crate) fn open_or_create(path: &Path) -> io::Result<Self> {
        Self::open_as(path, Call::Create, fs::File::options().create(true).read(true).append(true))
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        gate(Call::Look, &self.path)?;
        self.file.metadata()
    }

    /// Reads at most `limit` bytes.
    pub(crate) fn read_at_most(&self, limit: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        gate(Call::Read, &self.path)?;
        (&self.file).take(limit).read_to_end(bytes).map(drop)
    }

    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = gate(Call::Write, &self.path) {
            // In tests, a full disk takes the first part.
            self.file.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.file.write_all(bytes)
    }

    /// Appends the content of `from`.
    pub(crate) fn copy_from(&mut self, from: &Self) -> io::Result<()> {
        gate(Call::Read, &from.path)?;
        gate(Call::Write, &self.path)?;
        io::copy(&mut &from.file, &mut self.file).map(drop)
    }

    pub(crate) fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        gate(Call::Mark, &self.path)?;
        self.file.set_permissions(permissions)
    }

    pub(crate) fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        gate(Call::Mark, &self.path)?;
        self.file.set_modified(time)
    }

    pub(crate) fn try_lock(&self) -> Result<(), TryLockError> {
        gate(Call::Lock, &self.path).map_err(TryLockError::Error)?;
        self.file.try_lock()
    }
}
