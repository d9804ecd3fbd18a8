//! What the panel says, and that it says it safely.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::*;
use crate::serve::editor::{Editor, Settings};
use infralens_source::diag::{Edit, codes};
use infralens_source::project::File;
use infralens_source::source::Source;

fn texts(all: &[(&'static str, &str)]) -> Project {
    let mut project = Project::default();
    for &(path, text) in all {
        project.put(&path.into(), Some(File::Text(Arc::new(Source::new(path, text)))));
    }
    project
}

fn error(file: &str, span: infralens_source::source::Span, message: &str) -> Diagnostic {
    Diagnostic::new(codes::E0301, Place::new(&Arc::from(file), span), message)
}

fn drift(texts: &Project, state: State) -> Drift {
    let page = Arc::clone(texts.text("content/lab.md").expect("a page"));
    let message = "this excerpt differs from `code/a.py` where notes 1 and 3 explain it";
    let diagnostic = Diagnostic::new(codes::E0316, Place::new(page.path(), 0..3), message)
        .note("@@ -1,2 +1,2 @@\n kept\n-a < b\n+a > b")
        .help("then `infralens sync --accept content/lab.md:1` puts that code into the fence");
    Drift {
        page,
        excerpt: 2,
        file: Arc::from("code/a.py"),
        state,
        lights: Vec::new(),
        code: Vec::new(),
        span: 0..3,
        diagnostic,
    }
}

/// What there is to say on the page of `content/lab.md`.
fn of<'a>(texts: &'a Project, diagnostics: &'a [Diagnostic]) -> PageInfo<'a> {
    static TOOLS: LazyLock<Tools> = LazyLock::new(|| Tools {
        editor: Editor::new(Path::new("/c"), Settings::default()).expect("an editor"),
        fixes: Some(Fixes { root: "/c".into(), token: "known".to_owned() }),
    });
    let (drifts, unexplained_drifts) = (&[], &[]);
    PageInfo {
        diagnostics,
        drifts,
        unexplained_drifts,
        source: "content/lab.md",
        state: PageState::Current,
        project: texts,
        tools: &TOOLS,
    }
}

/// The panel of `content/lab.md`.
fn shown(texts: &Project, diagnostics: &[Diagnostic], drifts: &[&Drift], held: bool) -> Option<String> {
    let state = if held { PageState::Outdated } else { PageState::Current };
    panel(PageInfo { drifts, state, ..of(texts, diagnostics) }).map(|panel| panel.html)
}

#[test]
fn nothing_to_say_is_nothing_at_all() {
    let warning = Diagnostic::new(codes::W0301, Place::file("content/a.md"), "old");
    assert_eq!(shown(&texts(&[]), &[warning], &[], false), None, "a warning of another page");
}

#[test]
fn the_pages_own_errors_come_first_as_the_terminal_has_them() {
    let texts = texts(&[("content/lab.md", "é `atention`\n"), ("content/a.md", "a\nb\n")]);
    let all = [
        error("content/a.md", 2..3, "elsewhere"),
        error("content/lab.md", 3..13, "`atention` is <b>not</b> here").help("did you mean `attention`?"),
    ];
    let panel = shown(&texts, &all, &[], true).expect("a panel");
    let (own, others) = panel.split_once("id=\"Infralens-elsewhere\">").expect("both");
    assert!(own.contains("This page is shown as it was before the error"));
    assert!(own.contains(
        "<details class=\"infralens-list infralens-errors\" id=\"Infralens-here\" open>\n<summary>1 error on this page</summary>"
    ));
    assert!(others.contains("<summary>1 error in other files</summary>"));
    assert!(own.contains("<p><strong>error[E0301]</strong> <code>atention</code> is &lt;b&gt;not&lt;/b&gt; here</p>"));
    let link = "<a href=\"vscode://file/c/content/lab.md:1:3\">content/lab.md:1:3</a>";
    let below = "\n  |\n1 | é `atention`\n  |   ^^^^^^^^^^\n  = help: did you mean `attention`?</pre>";
    assert!(own.contains(&format!("<pre tabindex=\"0\"> --&gt; {link}{below}")), "{own}");
    assert!(others.contains("content/a.md:2:1</a>"));
    assert!(!panel.contains("<b>"));
}

#[test]
fn what_every_page_is_made_with_is_open_on_each_and_not_its_own_fault() {
    let texts = texts(&[("content/site.yaml", "title: [\n"), ("templates/page.html", "{{")]);
    let all = [error("content/site.yaml", 7..8, "settings"), error("templates/page.html", 0..2, "template")];
    let panel = shown(&texts, &all, &[], false).expect("a panel");
    let summary = "<summary>2 errors in files that every page is made with</summary>";
    assert!(panel.contains(&format!("id=\"Infralens-shared\" open>\n{summary}")), "{panel}");
    assert!(!panel.contains("on this page") && !panel.contains("in other files"));
    assert!(panel.contains(" data-held=\"2\" "), "as errors of the page: {panel}");
    let made =
        "made with <code>content/site.yaml</code>, <code>templates/page.html</code> as they were before the error";
    assert!(panel.contains(made), "{panel}");
}

#[test]
fn a_file_as_a_whole_and_hostile_names() {
    let place = Place::file("content/<i>\u{1b}[2J.md");
    let panel = shown(&texts(&[]), &[Diagnostic::new(codes::E0301, place, "a `b")], &[], false).expect("a panel");
    assert!(
        panel.contains(
            "--&gt; <a href=\"vscode://file/c/content/%3Ci%3E%1B%5B2J.md:1:1\">content/&lt;i&gt;␛[2J.md</a></pre>"
        ),
        "{panel}"
    );
    assert!(panel.contains("a `b</p>"));
    assert!(!panel.contains("infralens-held"));
}

#[test]
fn more_errors_than_anyone_reads_are_counted() {
    let texts = texts(&[("content/a.md", "a\n")]);
    let all: Vec<_> = (0..100).map(|number| error("content/a.md", 0..1, &format!("error {number}"))).collect();
    let panel = shown(&texts, &all, &[], false).expect("a panel");
    assert!(panel.contains("<summary>100 errors in other files</summary>"));
    assert_eq!(panel.matches("<li>").count(), LIMIT);
    assert!(panel.contains("and 80 more"));
}

#[test]
fn a_stale_excerpt_is_a_bar_and_not_an_error_too() {
    let texts = texts(&[("content/lab.md", "```\n")]);
    let drift = drift(&texts, State::Changed(vec![0, 2]));
    let panel = shown(&texts, std::slice::from_ref(&drift.diagnostic), &[&drift], false).expect("a panel");
    assert!(panel.contains("id=\"Infralens-E3\" data-excerpt=\"E3\""));
    assert!(panel.contains("To be read again: <a href=\"#E3-N1\">note 1</a>, <a href=\"#E3-N3\">note 3</a>"));
    assert!(panel.contains("<span> kept\n</span><del>-a &lt; b\n</del><ins>+a &gt; b\n</ins>"));
    assert!(panel.contains("<code class=\"infralens-command\">infralens sync --accept content/lab.md:1</code>"));
    assert!(panel.contains("<a href=\"vscode://file/c/content/lab.md:1:1\">content/lab.md:1:1</a>"));
    assert!(!panel.contains("<summary>1 error"));
}

#[test]
fn no_heading_of_a_page_has_an_id_of_the_panel() {
    let texts = texts(&[("content/lab.md", "```\n"), ("content/a.md", "a\n")]);
    let all = [error("content/lab.md", 0..1, "here"), error("content/a.md", 0..1, "elsewhere")];
    let panel = shown(&texts, &all, &[&drift(&texts, State::Unaffected)], true).expect("a panel");
    let ids: Vec<&str> = panel.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(ids.len(), 4, "{ids:?}");
    assert!(ids.iter().all(|id| id.starts_with(char::is_uppercase)), "headings' ids do not begin so: {ids:?}");
}

#[test]
fn a_pin_whose_notes_hold_is_mild() {
    let texts = texts(&[("content/lab.md", "```\n")]);
    let panel = shown(&texts, &[], &[&drift(&texts, State::Unaffected)], false).expect("a panel");
    assert!(panel.contains("infralens-mild"));
    assert!(!panel.contains("To be read again") && !panel.contains("<details open>"));
}

#[test]
fn fixes_can_be_applied_on_this_machine() {
    let texts = texts(&[("content/lab.md", "```\n")]);
    let source = &texts.text("content/lab.md").expect("a page");
    let edits = vec![Edit::new(source, 0..1, "~")];
    let fix = Fix::new("write `~` & go on", edits.clone()).sure(true);
    let all = [error("content/lab.md", 0..1, "wrong").fix(fix.clone()).fix(Fix::rename(source.path(), "b.md"))];
    let html = shown(&texts, &all, &[], false).expect("a panel");
    let id = fix_id(&fix);
    let paragraph = format!(
        "<p class=\"infralens-fix\" data-fix=\"{id}\" data-token=\"known\">Fix: write <code>~</code> &amp; go on</p>"
    );
    assert!(html.contains(&paragraph), "{html}");
    assert_eq!(html.matches("infralens-fix").count(), 1, "no file is renamed: {html}");
    assert_ne!(fix_id(&Fix::new("write `~` & go on", edits)), id, "it is another fix if it is not sure");
    let drift = drift(&texts, State::Changed(vec![0]));
    let all = [drift.diagnostic.clone().fix(fix)];
    let html = shown(&texts, &all, &[&drift], false).expect("a panel");
    assert!(
        html.contains(&paragraph) && !html.contains("infralens-list"),
        "a bar has the fix of its diagnostic: {html}"
    );
    let editor = Editor::new(Path::new("/c"), Settings::default()).expect("an editor");
    let elsewhere = PageInfo { tools: &Tools { editor, fixes: None }, ..of(&texts, &all) };
    assert!(!panel(elsewhere).expect("a panel").html.contains("infralens-fix"));
}

#[test]
fn a_page_without_a_good_form_is_the_panel() {
    let texts = texts(&[("content/lab.md", "x\n")]);
    let all = [error("content/lab.md", 0..1, "wrong")];
    let editor =
        Editor::new(Path::new("/c"), Settings { template: Some("none"), ..Settings::default() }).expect("none");
    let from = "content/lab.md";
    let said = PageInfo {
        diagnostics: &all,
        drifts: &[],
        unexplained_drifts: &[],
        source: from,
        state: PageState::Unavailable,
        project: &texts,
        tools: &Tools { editor, fixes: None },
    };
    let html = page(said, "Lab & <code>", "de\"");
    assert!(html.starts_with("<!doctype html>\n<html lang=\"de&quot;\">"));
    assert!(html.contains("<title>Lab &amp; &lt;code&gt;</title>"));
    assert!(html.contains("content=\"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'\""));
    assert!(html.contains("--&gt; content/lab.md:1:1\n"), "no link without an editor: {html}");
    let served = crate::serve::state::inject(&html, &[], "", None);
    assert!(String::from_utf8_lossy(served.bytes.as_ref()).contains("defer></script></head>"));
}

#[test]
fn a_page_says_its_own_warnings_mildly() {
    let texts = texts(&[("content/lab.md", "a\nb\n"), ("content/a.md", "a\n")]);
    let warning =
        |file: &str, span, message: &str| Diagnostic::new(codes::W0301, Place::new(&Arc::from(file), span), message);
    let own = warning("content/lab.md", 2..3, "mild");
    let mild = shown(&texts, &[own.clone(), warning("content/a.md", 0..1, "elsewhere")], &[], false).expect("a panel");
    assert!(mild.starts_with("<section class=\"infralens-panel infralens-mild\""), "{mild}");
    assert!(
        mild.contains("infralens-warnings\" id=\"Infralens-warnings\">\n<summary>1 warning on this page</summary>"),
        "{mild}"
    );
    assert!(mild.contains("content/lab.md:2:1</a>") && !mild.contains("elsewhere") && !mild.contains("data-held"));
    let both = shown(&texts, &[own.clone(), error("content/a.md", 0..1, "wrong")], &[], false).expect("a panel");
    assert!(both.starts_with("<section class=\"infralens-panel\"") && both.contains("Infralens-warnings"), "{both}");
    // What a bar says is not said again.
    let drift = drift(&texts, State::Unaffected);
    let said = PageInfo { unexplained_drifts: &[&drift], ..of(&texts, std::slice::from_ref(&drift.diagnostic)) };
    assert_eq!(panel(said), None);
}

#[test]
fn the_identity_of_a_panel_does_not_depend_on_lines() {
    let texts = texts(&[("content/lab.md", "a\nb\n")]);
    let says = |span, message: &str, held| {
        let panel = shown(&texts, &[error("content/lab.md", span, message)], &[], held).expect("a panel");
        panel.split("data-says=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an identity").to_owned()
    };
    assert_eq!(says(0..1, "wrong", true), says(2..3, "wrong", true));
    assert_ne!(says(0..1, "wrong", true), says(0..1, "worse", true));
}

#[test]
fn a_page_that_is_held_back_says_how_many_errors_hold_it() {
    let texts = texts(&[("content/lab.md", "a\n"), ("content/a.md", "a\n")]);
    let all = [error("content/lab.md", 0..1, "here"), error("content/a.md", 0..1, "elsewhere")];
    assert!(shown(&texts, &all, &[], true).expect("a panel").contains(" data-held=\"1\" "));
    assert!(
        shown(&texts, &all[1..], &[], true).expect("a panel").contains(" data-held=\"1\" "),
        "held by another file"
    );
    assert!(shown(&texts, &all, &[], false).expect("a panel").contains(" data-held=\"1\" "), "its own, up to date");
    let elsewhere = shown(&texts, &all[1..], &[], false).expect("a panel");
    assert!(elsewhere.contains(" data-elsewhere=\"1\" ") && !elsewhere.contains("data-held"), "{elsewhere}");
}

#[test]
fn second_places_are_links_too() {
    let texts = texts(&[("content/lab.md", "one\n"), ("content/a.md", "two\n--> content/a.md:1:1\n")]);
    let second = Place::new(&Arc::from("content/a.md"), 0..3);
    let all = [error("content/lab.md", 0..3, "twice").related(second, "this is <the> first")];
    let panel = shown(&texts, &all, &[], false).expect("a panel");
    assert!(panel.contains("note: this is &lt;the&gt; first\n --&gt; <a href=\"vscode://file/c/content/a.md:1:1\">content/a.md:1:1</a>\n"), "{panel}");
    assert_eq!(panel.matches("<a href").count(), 2, "{panel}");
}

#[test]
fn the_address_of_a_draft_says_that_it_is_one() {
    let texts = texts(&[]);
    let draft = panel(PageInfo { state: PageState::Draft, ..of(&texts, &[]) }).expect("a panel").html;
    assert!(draft.contains("This page is a draft: <code>content/lab.md</code>"), "{draft}");
    assert!(draft.contains("<code class=\"infralens-command\">infralens serve --drafts</code>"), "{draft}");
}
