//! Recognizes folders that tools generate below a starter folder: virtual environments, caches, and what builds and package
//! installers leave. They are not starters, and are not read.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;

use crate::disk::Entry;

/// Folders that tools create, by name.
const FOLDERS: [&str; 4] = ["__pycache__", "node_modules", "target", "__pypackages__"];
/// Suffixes of such names: what `pip` knows of a package.
const FOLDER_SUFFIXES: [&str; 2] = [".egg-info", ".dist-info"];
/// Files and folders that only such a folder contains: a virtual environment, a cache, a build of
/// `CMake` or Ninja, an environment of Conda.
const MARKERS: [&str; 5] = ["pyvenv.cfg", "CACHEDIR.TAG", "CMakeCache.txt", "build.ninja", "conda-meta"];
/// Names of folders with the results of a build, beside a file that describes the build.
const RESULTS: [&str; 2] = ["build", "dist"];
/// Files that describe a build.
const DESCRIPTIONS: [&str; 5] = ["setup.py", "setup.cfg", "pyproject.toml", "CMakeLists.txt", "meson.build"];

/// Whether a tool creates folders of this name.
pub(super) fn is_tool_folder(name: &str) -> bool {
    FOLDERS.contains(&name) || FOLDER_SUFFIXES.iter().any(|end| name.ends_with(end))
}

/// Whether a file of this name decides which folders are generated.
pub(super) fn decides(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| MARKERS.contains(&name) || DESCRIPTIONS.contains(&name))
}

/// Removes from the listing of `folder` everything if the folder is generated, and otherwise the results of builds.
pub(super) fn prune(folder: &Entry, entries: &mut Vec<Entry>) {
    let names = || entries.iter().filter_map(|entry| entry.name().to_str());
    if folder.depth > 0 && is_generated(folder.name() == "build", names()) {
        entries.clear();
    } else if has_results(names()) {
        entries.retain(|entry| !(entry.kind.is_dir() && RESULTS.iter().any(|result| entry.name() == *result)));
    }
}

/// Whether a folder with these names in it is generated.
fn is_generated<'n>(is_results: bool, mut names: impl Iterator<Item = &'n str>) -> bool {
    let is_result =
        |name: &str| name == "lib" || ["lib.", "bdist.", "temp."].iter().any(|start| name.starts_with(start));
    names.any(|name| MARKERS.contains(&name) || is_results && is_result(name))
}

/// Whether a folder with these names in it describes a build, whose results are beside the description.
fn has_results<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(|name| DESCRIPTIONS.contains(&name) || is_tool_folder(name) && name.contains("-info"))
}

/// Whether a file below `code/` is in a folder that a tool generates, by the names in each folder of the course.
pub(super) fn is_in_generated(names: &BTreeMap<&str, BTreeSet<&str>>, path: &str) -> bool {
    let folders = path.match_indices('/').map(|(end, _)| &path[..end]).filter(|folder| *folder != "code");
    let names_in = |folder: &str| names.get(folder).into_iter().flatten().copied();
    folders.into_iter().any(|folder| {
        let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        is_generated(name == "build", names_in(folder)) || RESULTS.contains(&name) && has_results(names_in(above))
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make courses on disk")]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use crate::load::{PathChange, load, reload_path};
    use infralens_source::project::Project;

    fn write(root: &TempDir, path: &str) {
        let at = root.path().join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, "x = 1\n").unwrap();
    }

    fn paths(project: &Project) -> Vec<&str> {
        project.files.keys().map(AsRef::as_ref).collect()
    }

    #[test]
    fn folders_that_tools_generate_are_not_read() {
        let root = TempDir::new().unwrap();
        let kept = [
            "code/a/x.py", "code/b/pyproject.toml", "code/b/src/build/x.py", "code/dist/x.py", "code/e/build/x.py",
            "content/build/lib/x.txt", "content/venv/pyvenv.cfg", "static/dist/CACHEDIR.TAG",
        ];
        for path in kept {
            write(&root, path);
        }
        for path in [
            "code/a/venv/pyvenv.cfg",
            "code/a/venv/lib/python3/site-packages/y/z.py",
            "code/a/env/conda-meta/history",
            "code/a/cache/CACHEDIR.TAG",
            "code/a/out/CMakeCache.txt",
            "code/a/x.egg-info/PKG-INFO",
            "code/a/x-1.dist-info/METADATA",
            "code/a/__pycache__/x.pyc",
            "code/a/c/build/lib/x.py",
            "code/a/d/build/lib.linux-x86_64/x.py",
            "code/b/build/x.py",
            "code/b/dist/x.whl",
        ] {
            write(&root, path);
        }
        assert_eq!(paths(&load(root.path())), kept);
    }

    #[test]
    fn one_path_is_judged_as_the_whole_course_is() {
        let root = TempDir::new().unwrap();
        write(&root, "code/a/x.py");
        write(&root, "code/a/venv/lib/y.py");
        let before = load(root.path());
        assert_eq!(paths(&before), ["code/a/venv/lib/y.py", "code/a/x.py"]);
        write(&root, "code/a/venv/pyvenv.cfg");
        let change = |project: &Project, path: &str| reload_path(root.path(), project, path);
        assert!(matches!(change(&before, "code/a/venv/pyvenv.cfg"), PathChange::Unknown));
        let after = load(root.path());
        assert_eq!(paths(&after), ["code/a/x.py"]);
        write(&root, "code/a/venv/lib/z.py");
        assert!(matches!(change(&after, "code/a/venv/lib/z.py"), PathChange::Unchanged));
        write(&root, "code/a/setup.py");
        assert!(matches!(change(&after, "code/a/setup.py"), PathChange::Unknown));
        fs::remove_file(root.path().join("code/a/venv/pyvenv.cfg")).unwrap();
        assert!(matches!(change(&after, "code/a/venv/pyvenv.cfg"), PathChange::Unknown));
        assert!(matches!(change(&after, "code/a/x.py"), PathChange::Unchanged));
    }
}
