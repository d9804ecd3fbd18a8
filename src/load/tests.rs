//! Every call to the file system that reading a course makes fails in turn, and what was not read is reported at its place.

use crate::assets::BUILTIN;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::disk::Call;
use crate::disk::faults::{self, Fault, Met};
use infralens_site as site;
use infralens_source::diag::{Diagnostic, codes};

const FILES: [(&str, &str); 8] = [
    ("content/site.yaml", "title: Course\ntracks: [t]\n"),
    ("content/index.md", "---\ntitle: Home\n---\n\n[Image](img/a.svg)\n"),
    ("content/img/a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"),
    ("content/tracks/t/index.md", "---\ntitle: Track\nsummary: What it is about.\n---\n"),
    ("content/tracks/t/labs/index.md", "---\ntitle: Labs\n---\n\n[code](../../../../code/x/s.py)\n"),
    ("code/x/s.py", "x = 1\n"),
    ("static/extra.txt", "text\n"),
    ("templates/parts/none.html", "none\n"),
];

fn course() -> (TempDir, PathBuf) {
    let temp = TempDir::new().unwrap();
    let root = temp.path().canonicalize().unwrap();
    for (path, text) in FILES {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    (temp, root)
}

/// The path from the root of what a call met. The root itself is only looked at for folders whose names mislead.
fn below<'a>(root: &Path, met: &'a Met) -> Vec<(Call, &'a str)> {
    let below = |path: &'a Path| path.strip_prefix(root).ok()?.to_str().filter(|path| !path.is_empty());
    met.failed.iter().filter_map(|(call, path)| Some((*call, below(path)?))).collect()
}

#[test]
fn a_folder_with_nearly_the_name_of_one_that_is_read_gets_a_hint() {
    let (_temp, root) = course();
    for (folder, wanted) in [("templates", "Template"), ("static", "statics"), ("code", "codes")] {
        fs::rename(root.join(folder), root.join(wanted)).unwrap();
        let found: Vec<_> = load(&root).diagnostics.iter().map(|found| found.message.clone()).collect();
        assert_eq!(found, [format!("`{wanted}/` is not read as `{folder}/`")]);
        fs::create_dir(root.join(folder)).unwrap();
        assert_eq!(load(&root).diagnostics.len(), 0, "both are there, so the other one is meant");
    }
    fs::create_dir(root.join("core")).unwrap();
    fs::remove_dir(root.join("code")).unwrap();
    fs::remove_dir_all(root.join("codes")).unwrap();
    assert_eq!(load(&root).diagnostics.len(), 0, "which has nothing to do with `code`");
}

#[test]
fn what_cannot_be_read_is_reported_at_its_place() {
    let (_temp, root) = course();
    let good = load(&root);
    assert_eq!(good.diagnostics.len(), 0, "{:?}", good.diagnostics);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut told = BTreeSet::new();
    for fault in Fault::ALL {
        faults::in_turn(fault, |(fault, from)| {
            let (project, met) = faults::with(&root, (fault, from), false, || pool.install(|| load(&root)));
            for (call, path) in below(&root, &met) {
                let is_told = |at: &str| {
                    let is_here = |one: &Diagnostic| one.code == codes::E0005 && *one.place.file == *at;
                    let is_refused = matches!(project.files.get(at), Some(File::Refused(Refusal::Unreadable(_))));
                    project.diagnostics.iter().any(is_here) || at.starts_with("code/") && is_refused
                };
                assert!(is_told(path), "{fault:?} from {from}: {call:?} {path}: {:?}", project.diagnostics);
                told.insert(path.to_owned());
            }
            for (path, file) in &good.files {
                let is_below = |folder: &&str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
                let is_lost =
                    below(&root, &met).iter().map(|(_, path)| path).any(|met| **met == **path || is_below(met));
                let now = project.files.get(path).and_then(File::bytes);
                assert!(is_lost || now == file.bytes(), "{fault:?} from {from}: {path}");
            }
            if fault == Fault::Once && !below(&root, &met).is_empty() {
                let outcome = site::build(&project, &site::Options::new(BUILTIN));
                assert!(outcome.files.is_none(), "call {from}, {:?}: the course does not build", met.failed);
            }
            met
        });
    }
    let files = FILES.map(|(path, _)| path.to_owned());
    assert!(files.iter().all(|file| told.contains(file)), "{told:?}");
}

#[test]
fn a_failure_is_never_reported_as_a_removed_file() {
    let (_temp, root) = course();
    let good = load(&root);
    for (path, _) in FILES {
        for fault in Fault::ALL {
            faults::in_turn(fault, |fault| {
                let (change, met) = faults::with(&root, fault, false, || reload_path(&root, &good, path));
                match change {
                    PathChange::Unknown | PathChange::Changed(File::Refused(Refusal::Unreadable(_))) => {}
                    PathChange::Unchanged => assert!(met.failed.is_empty(), "{path}: {met:?}"),
                    other => panic!("{path}, {fault:?}: {other:?}"),
                }
                met
            });
        }
    }
}

#[test]
fn a_starter_that_is_named_is_read_or_refused() {
    let (_temp, root) = course();
    fs::write(root.join("own.py"), "y = 2\n").unwrap();
    for (name, is_in_code) in [("code/x/s.py", true), ("own.py", false)] {
        for fault in Fault::ALL {
            faults::in_turn(fault, |fault| {
                let (found, met) = faults::with(&root, fault, false, || read_starter(&root, &root.join(name)));
                match found {
                    Ok(StarterArg::InCode(path)) => assert!(is_in_code && path == name && met.first.is_none()),
                    Ok(StarterArg::Elsewhere { file, .. }) => assert!(!is_in_code && file.bytes() == Some(b"y = 2\n")),
                    Err(_) => assert!(met.first.is_some()),
                }
                met
            });
        }
    }
}

#[test]
fn a_course_that_cannot_be_looked_at_is_still_found() {
    let (_temp, root) = course();
    let hooked = faults::below(&root, |_, path| {
        if path.ends_with("site.yaml") { Err(ErrorKind::PermissionDenied.into()) } else { Ok(()) }
    });
    assert_eq!(find_root(&root.join("content/tracks")), Some(root.clone()));
    drop(hooked);
}

#[test]
fn uncategorized_errors_have_the_message_of_the_system() {
    let (_temp, root) = course();
    let hooked = faults::below(&root, |call, path| {
        let is_met = call == Call::Read && path.ends_with("index.md");
        if is_met { Err(rustix::io::Errno::IO.into()) } else { Ok(()) }
    });
    let messages: Vec<String> = load(&root).diagnostics.into_iter().map(|told| told.message).collect();
    drop(hooked);
    assert!(messages[0].starts_with("`content/index.md` cannot be read: Input/output error"), "{messages:?}");
}
