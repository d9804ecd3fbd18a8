//! What a course can change of the site's look: `tests/sites/look` has every setting; and what `infralens eject` prints and
//! copies.

use std::process::Output;

use infralens::assets::BUILTIN;
use infralens_theme::eject::{BuiltinFile, built_in};

use crate::harness::{Built, SiteTest};

fn text(built: &Built, path: &str) -> String {
    let files = built.files.as_ref().expect("a site");
    String::from_utf8_lossy(files.get(path).unwrap_or_else(|| panic!("no {path}")).as_ref()).into_owned()
}

fn style(built: &Built) -> String {
    let files = built.files.as_ref().expect("a site");
    let path = files.keys().find(|path| path.starts_with("assets/style.")).expect("the style sheet");
    text(built, path)
}

fn printed(output: &Output) -> (Option<i32>, String, String) {
    let read = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), read(&output.stdout), read(&output.stderr))
}

/// Reads colors for both themes as an author writes them. The build writes them in older terms.
fn raised(css: &str) -> String {
    css.replace("var(--lightningcss-light,", "light-dark(").replace(")var(--lightningcss-dark,", ",")
}

#[test]
fn settings_become_rules_at_the_end_of_the_style_sheet() {
    let built = SiteTest::from_dir("look").build();
    assert!(built.diagnostics.is_empty(), "{}", built.human());
    let style = raised(&style(&built));
    for rule in [
        "@font-face{font-family:\"Lens Text\";src:url(\"../fonts/text.woff2\");font-weight:200 900;font-style:normal;",
        "@font-face{font-family:\"Lens Text\";src:url(\"../fonts/text-italic.woff2\");font-weight:200 900;font-style:italic;",
        ":root{--serif:\"Lens Text\",Charter,",
        ":root{--mono:\"JetBrains Mono\",ui-monospace,",
        ":root{--green:light-dark(#7a1f5c,#e59ac4);--page:light-dark(#fcfcfc,#141414);",
        "[data-theme=dark] .brand .on-light{display:none}",
    ] {
        let at = style.find(rule).unwrap_or_else(|| panic!("no `{rule}`"));
        assert!(at > style.rfind("@media print").expect("the rules for paper"), "{rule}");
    }
    let home = text(&built, "index.html");
    assert!(home.contains("<link rel=\"icon\" href=\"icon.png\" type=\"image/png\">"), "{home}");
}

#[test]
fn a_logo_that_contains_the_title_replaces_it() {
    let test = SiteTest::from_dir("look");
    test.edit("content/site.yaml", "dark: logo-dark.svg", "replaces_title: true");
    let home = text(&test.build(), "index.html");
    let (_, brand) = home.split_once("<a class=\"brand\"").expect("the brand");
    let (brand, _) = brand.split_once("</a>").expect("its end");
    assert!(brand.contains("alt=\"Queues\"") && !brand.contains("<span>") && !brand.contains("on-dark"), "{brand}");
}

#[test]
fn a_dark_accent_follows_from_the_light_one() {
    let test = SiteTest::from_dir("look");
    test.edit("content/site.yaml", ", dark: \"#e59ac4\"", "");
    let built = test.build();
    assert!(built.diagnostics.is_empty(), "{}", built.human());
    let sheet = raised(&style(&built));
    let accent = sheet.lines().find(|line| line.starts_with(":root{--green:"));
    // The backgrounds are gray, because the built-in ones go with the built-in accent.
    let grays = "--page:light-dark(#fcfcfc,#141414);--panel:light-dark(#f5f5f5,#1b1b1b);--listing:light-dark(#f9f9f9,#191919);\
                 --bar:light-dark(#f2f2f2,#1f1f1f);--select:light-dark(#ececec,#2e2e2e)";
    assert_eq!(accent, Some(&*format!(":root{{--green:light-dark(#7a1f5c,#ba8bab);{grays}}}")));
    // Those of an author stay.
    test.write(
        "static/style/tokens.css",
        ":root { --page: light-dark(#fff, #111); --bar: light-dark(#ffffee, #111111); }",
    );
    assert!(raised(&style(&test.build())).contains(":root{--green:light-dark(#7a1f5c,#a66992)}"));
}

#[test]
fn contrast_is_judged_on_backgrounds_that_are_known() {
    let test = SiteTest::from_dir("look");
    test.write("static/style/tokens.css", ":root { --page: light-dark(#fff, #ddd); --panel: hsl(0 0% 50%); }");
    let human = test.build().human();
    assert_eq!(human.matches("W0501").count(), 1, "{human}");
    assert!(human.contains("`--page`, #dddddd"), "{human}");
    // Without these properties, pages do not have the accent.
    test.write("static/style.css", "p { color: red }");
    let human = test.build().human();
    assert_eq!((human.matches("W0213").count(), human.matches("W0501").count()), (1, 0), "{human}");
}

#[test]
fn copies_of_all_built_in_files_change_nothing() {
    let test = SiteTest::from_dir("notes");
    let before = test.build();
    let names: Vec<String> = built_in(BUILTIN).into_iter().map(BuiltinFile::course_path).collect();
    let mut arguments = vec!["eject"];
    arguments.extend(names.iter().map(String::as_str));
    let (status, created, _) = printed(&test.run(&arguments));
    assert_eq!((status, created.matches("created ").count()), (Some(0), names.len()), "{created}");
    let built = test.build();
    let unchanged = |built: &Built| {
        let found = built.diagnostics.iter().filter(|found| found.message.contains("the same as the built-in file"));
        found.count()
    };
    assert_eq!((unchanged(&before), unchanged(&built)), (0, names.len()));
    assert_eq!(built.diagnostics.len(), before.diagnostics.len() + names.len(), "{}", built.human());
    let (before, after) = (before.site(), built.site());
    let icon = |path: &&String| *path == "favicon.svg";
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (path, bytes) in before.iter().filter(|(path, _)| !icon(path)) {
        assert!(after[path].as_ref() == bytes.as_ref(), "{path}");
    }
}

#[test]
fn eject_copies_all_or_nothing() {
    let test = SiteTest::from_dir("minimal");
    let (status, _, error) = printed(&test.run(&["eject", "lab", "nxet"]));
    assert_eq!(status, Some(2));
    assert!(error.contains("there is no built-in template or static file `nxet`"), "{error}");
    assert!(error.contains("did you mean `next`?"), "{error}");
    assert!(!test.root().join("templates").exists());
    let (status, created, error) = printed(&test.run(&["eject", "next", "parts/next.html", "style/tokens.css"]));
    assert_eq!((status, error.as_str()), (Some(0), ""));
    assert!(
        created.starts_with("created templates/parts/next.html\ncreated static/style/tokens.css\nnext: "),
        "{created}"
    );
    let before = std::fs::read_to_string(test.root().join("templates/parts/next.html")).expect("the copy");
    assert!(before.starts_with("{#- Copied from InfraLens ") && before.contains(" by `infralens eject`; built-in "));
    let (status, _, error) = printed(&test.run(&["eject", "lab", "next"]));
    assert_eq!(status, Some(2));
    assert!(error.contains("`templates/parts/next.html` is already there"), "{error}");
    assert!(!test.root().join("templates/lab.html").exists());
    let (_, plain, _) = printed(&test.run(&["eject", "--print", "next"]));
    assert_eq!(before.split_once('\n').map(|(_, rest)| rest), Some(plain.as_str()));
}

#[test]
fn every_built_in_file_is_listed_with_what_it_is_given() {
    let (status, list, error) = printed(&SiteTest::empty().run(&["eject", "--list"]));
    assert_eq!((status, error.as_str()), (Some(0), ""));
    let line = |name: &str| list.lines().find(|line| line.split_whitespace().next() == Some(name)).expect("a line");
    for file in built_in(BUILTIN) {
        assert!(line(file.path).contains(&file.purpose()), "{}", file.path);
    }
    assert!(line("parts/next.html").ends_with("Also given: `track`"), "{list}");
    assert!(list.contains("\n`page`\n  kind ") && list.contains("\nTrack\n  name "), "{list}");
    assert_eq!(SiteTest::empty().run(&["eject"]).status.code(), Some(2));
}
