//! What the preview says in its terminal, and what it takes no notice of.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::{Serve, course, edit, save};
use crate::harness::program;

#[test]
fn the_address_of_a_draft_says_so_and_so_does_the_terminal() {
    let test = course();
    save(&test, "content/later.md", "---\ntitle: Later\ndraft: true\n---\nNot yet.\n");
    let serve = Serve::start(&test, &[]);
    let draft = serve.get("/later.html");
    assert_eq!(draft.status, 404);
    assert!(draft.body.contains("This page is a draft: "), "{}", draft.body);
    assert!(!serve.get("/nowhere.html").body.contains("is a draft"));
    edit(&test, "content/later.md", "Not yet", "Still not");
    serve.until_said("content/later.md: a draft, which `--drafts` shows, in ");
    edit(&test, "content/later.md", "draft: true\n", "");
    serve.until("/later.html", |page| page.status == 200);
}

#[test]
fn an_editor_that_no_link_opens_is_refused_and_one_that_is_meant_is_named() {
    let test = course();
    let start = |template: Option<&str>| {
        let mut command = program(&test.root());
        command.args(["serve", "--port", "0"]).env_remove("VISUAL").env("EDITOR", "vim").env_remove("INFRALENS_EDITOR");
        command.envs(template.map(|template| ("INFRALENS_EDITOR", template)));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let refused = start(Some("vim")).wait_with_output().expect("it ends");
    let output = String::from_utf8(refused.stderr).expect("a text");
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{output}");
    assert!(
        output.starts_with("error: `INFRALENS_EDITOR` is `vim`, which is neither") && output.contains("\nhelp: set it"),
        "{output}"
    );
    for (template, named) in [
        (None, "opens its source in Visual Studio Code; `INFRALENS_EDITOR`"),
        (Some("zed"), "in Zed, as `INFRALENS_EDITOR` says"),
    ] {
        let mut child = start(template);
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let output = lines.take(2).collect::<Vec<_>>().join("\n");
        let _ = child.kill().and_then(|()| child.wait());
        assert!(output.contains(named), "{output}");
    }
}

#[test]
fn who_listens_for_others_is_told_so() {
    let test = course();
    let serve = Serve::start(&test, &["--host", "0.0.0.0"]);
    let output = serve.until_said("others in your network can read the course there");
    assert!(output.starts_with(&format!("http://127.0.0.1:{}/ shows the course", serve.port)), "{output}");
    for address in infralens::serve::machine_addresses().iter().filter(|address| address.is_ipv4()) {
        assert!(output.contains(&format!("http://{address}:{}/", serve.port)), "{address}: {output}");
    }
    let own = Serve::start(&test, &[]);
    assert!(!own.printed().contains("others"), "{}", own.printed());
}

#[test]
fn what_editors_leave_is_neither_published_nor_served_nor_counted() {
    let test = course();
    let site = || -> BTreeMap<String, Vec<u8>> {
        let files = test.build().site().into_iter();
        files.map(|(path, bytes)| (path, bytes.as_ref().to_vec())).collect()
    };
    let plain = site();
    for name in ["4913", "x.md~", "#x.md#", ".#x.md", "x.md___jb_tmp___", "x.md___jb_old___", ".x.md.swp", "x.swp"] {
        for folder in ["content", "content/tracks/queues/labs", "code/lab-01-ring", "static", "templates"] {
            test.write(&format!("{folder}/{name}"), [0xff, 0x00]);
        }
    }
    assert_eq!(site(), plain);
    let check = test.run(&["check", "--strict"]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    let serve = Serve::start(&test, &[]);
    assert_eq!(serve.get("/4913").status, 404);
    save(&test, "content/4913", "");
    save(&test, "content/format.md~", "");
    save(&test, "content/new.md", "---\ntitle: New\n---\nA page more.\n");
    let output = serve.until_said("content/new.md: ");
    assert!(!output.contains("4913") && !output.contains('~'), "{output}");
}
