//! Names, purposes and variables of the built-in files, and copies of them.

use std::sync::Arc;

use super::*;
use crate::tests::builtin;
use infralens_source::change::preview;
use infralens_source::project::File;
use infralens_source::source::Source;

fn with(path: &str, text: &str) -> Project {
    let mut project = Project::default();
    project.put(&Arc::from(path), Some(File::Text(Source::new(path, text).into())));
    project
}

#[test]
fn names_are_found_as_they_are_typed() {
    let path =
        |name: &str| find(builtin(), name).map(BuiltinFile::course_path).map_err(|refusal| refusal.help.join("; "));
    for name in ["lab", "lab.html", "templates/lab.html"] {
        assert_eq!(path(name).as_deref(), Ok("templates/lab.html"));
    }
    for name in ["next", "next.html", "parts/next", "parts/next.html"] {
        assert_eq!(path(name).as_deref(), Ok("templates/parts/next.html"));
    }
    assert_eq!(path("tokens").as_deref(), Ok("static/style/tokens.css"));
    assert_eq!(path("style.css").as_deref(), Ok("static/style.css"));
    assert_eq!(path("favicon").as_deref(), Ok("static/favicon.svg"));
    assert_eq!(path("lens").unwrap_err(), "name one of them: `lens.js`, `style/lens.css`");
    assert_eq!(path("nxet.html").unwrap_err(), "did you mean `next.html`?; `infralens eject --list` lists all");
}

#[test]
fn every_built_in_file_says_what_it_is_for() {
    for file in built_in(builtin()) {
        let purpose = file.purpose();
        assert!(purpose.split(' ').count() >= 2, "{}: {purpose:?}", file.path);
        assert!(purpose.starts_with(|first: char| first.is_uppercase()), "{}: {purpose:?}", file.path);
        assert!(purpose.len() <= 110, "{}: {purpose:?}", file.path);
    }
}

#[test]
fn the_variables_of_a_part_are_set_where_it_is_included() {
    let engine = Engine::new(&Project::default(), builtin()).unwrap_or_else(|faults| panic!("{faults:?}"));
    let variables = |file: BuiltinFile| file.variables(builtin(), &engine).into_iter().collect::<Vec<String>>();
    assert_eq!(variables(find(builtin(), "next").expect("a part")), ["track"]);
    assert_eq!(
        variables(find(builtin(), "segment").expect("a part")),
        ["depth", "is_lab", "prefix", "segment", "shelves"]
    );
    // Home sets it for the head that every page includes.
    for file in built_in(builtin()).into_iter().filter(|file| !file.path.starts_with("parts/")) {
        let own: Vec<String> = variables(file).into_iter().filter(|name| name != "beside_code").collect();
        assert_eq!(own, [""; 0], "{}", file.path);
    }
}

#[test]
fn a_copy_is_recognized() {
    let names = ["lab", "style.css", "site.js", "favicon.svg"].map(str::to_owned);
    let changes = eject(&Project::default(), builtin(), &names).expect("changes");
    let project = preview(&Project::default(), &changes);
    let found: Vec<Diagnostic> = check_copies(&project, builtin()).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().all(|found| found.code == codes::W0213 && found.message.contains("no effect")));
    let again = eject(&project, builtin(), &names[..1]).unwrap_err();
    assert_eq!(again.message, "`templates/lab.html` is already there");
}

#[test]
fn a_copy_that_is_outdated_is_reported_at_its_hash() {
    let lab = find(builtin(), "lab").expect("a template");
    let changed = lab.copy() + "<p>mine</p>\n";
    assert_eq!(check_copies(&with("templates/lab.html", &changed), builtin()).count(), 0);
    let old = changed.replace(&lab.hash(), "000000000000");
    let found: Vec<Diagnostic> = check_copies(&with("templates/lab.html", &old), builtin()).collect();
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!(found.code, codes::W0502);
    let (start, end) = found.place.span.expect("a place");
    assert_eq!(&old[start..end], "000000000000");
    assert!(found.help[1].contains(&lab.hash()));
    assert_eq!(check_copies(&with("templates/lab.html", lab.text), builtin()).count(), 0, "a file without the comment");
}
