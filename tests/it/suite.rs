//! `tests/suite`: many small cases a file. A case is a section `## name`. Its fenced blocks of four tildes or more are
//! named by the words after the tildes:
//!
//! - a path: that file of the course. What no case writes is as in `tests/suite/base`;
//! - `bytes PATH`: the same, with `\r`, `\n`, `\t`, `\xHH` and `@@100000 text@@` (so many times the text) written out, and
//!   no line end at its end;
//! - `symlink PATH`, `fifo PATH`, `folder PATH`: such a thing, a link to what the block says;
//! - `remove`: paths that are not there;
//! - `options`: `drafts`, `base-url URL`, or `today YYYY-MM-DD`;
//! - `diagnostics`: all that the build says, exactly as a human reads it. Without this block, it says nothing. What the
//!   lints say is part of it in the files `lints*.md` alone;
//! - `html PAGE [SELECTOR]`: what the page's main part holds, or its elements `name.class`; a figure with its notes.
//!
//! With `UPDATE=1` the last two are written anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use infralens::report;
use infralens_site as site;
use infralens_source::diag::codes;
use infralens_source::project::{File, Reason, Refusal};
use infralens_source::yaml::Date;

use crate::crawl;
use crate::formats;
use crate::harness::{Built, SiteTest, repository, updates};
use crate::html::Tree;

/// A file of cases: lines outside of blocks, and blocks.
#[derive(Debug, PartialEq)]
pub enum Piece {
    Line(String),
    Block { fence: String, name: String, body: String },
}

/// Reads a file of cases; written again, it is the same.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !line.starts_with("~~~~") {
            pieces.push(Piece::Line(line.to_owned()));
            continue;
        }
        let name = line.trim_start_matches('~');
        let fence = line[..line.len() - name.len()].to_owned();
        let body: String = lines.by_ref().take_while(|line| *line != fence).map(|line| format!("{line}\n")).collect();
        pieces.push(Piece::Block { fence, name: name.trim().to_owned(), body });
    }
    pieces
}

pub fn written(pieces: &[Piece]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Line(line) => format!("{line}\n"),
        Piece::Block { fence, name, body } => format!("{fence} {name}\n{body}{fence}\n"),
    };
    pieces.iter().map(text).collect()
}

/// A section `## name` of a file of cases.
pub struct Case {
    pub name: String,
    pub pieces: Vec<Piece>,
}

pub fn cases(path: &PathBuf) -> (Vec<Piece>, Vec<Case>) {
    let text = fs::read_to_string(path).expect("a file of cases");
    let (mut above, mut cases): (Vec<Piece>, Vec<Case>) = (Vec::new(), Vec::new());
    for piece in pieces(&text) {
        match (&piece, cases.last_mut()) {
            (Piece::Line(line), _) if line.starts_with("## ") => {
                cases.push(Case { name: line["## ".len()..].to_owned(), pieces: vec![piece] });
            }
            (_, Some(case)) => case.pieces.push(piece),
            (_, None) => above.push(piece),
        }
    }
    (above, cases)
}

pub fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(repository(&format!("tests/suite/{folder}"))).expect("a folder of cases");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// The words before the path of a block that is not simply a file.
const KINDS: [&str; 5] = ["bytes", "symlink", "fifo", "folder", "html"];

/// The course of a case: the base, with what the case writes over it.
pub fn course(case: &Case) -> SiteTest {
    let mut test = SiteTest::copy_of(&repository("tests/suite/base"));
    for piece in &case.pieces {
        let Piece::Block { name, body, .. } = piece else {
            continue;
        };
        let (kind, path) = name.split_once(' ').filter(|(kind, _)| KINDS.contains(kind)).unwrap_or(("", name));
        match kind {
            "" if name == "remove" => body.lines().for_each(|path| {
                test.remove(path);
            }),
            "" if name == "options" => options(&mut test, body),
            "" if name == "diagnostics" => {}
            "" => {
                test.write(path, body);
            }
            "html" => {}
            "bytes" => {
                test.write(path, bytes(body.trim_end_matches('\n')));
            }
            _ => special(&test, kind, path, body.trim()),
        }
    }
    test
}

fn options(test: &mut SiteTest, body: &str) {
    for line in body.lines() {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("drafts", _) => test.options.drafts = true,
            ("today", day) => test.options.today = Some(Date::parse(day).expect("a day")),
            ("base-url", url) => {
                test.options.base_url = Some(infralens_course::config::BaseUrl::parse(url).expect("a URL"));
            }
            _ => panic!("`{line}` is no option"),
        }
    }
}

/// Things that no file of text can hold.
pub fn special(test: &SiteTest, kind: &str, path: &str, body: &str) {
    let at = test.root().join(path);
    fs::create_dir_all(at.parent().expect("it lies in a folder")).expect("a folder");
    let _replaced = fs::remove_file(&at);
    match kind {
        "symlink" => std::os::unix::fs::symlink(body, at).expect("a link"),
        "folder" => fs::create_dir(at).expect("a folder"),
        "fifo" => {
            let made = std::process::Command::new("mkfifo").arg(at).status();
            assert!(made.expect("mkfifo runs").success());
        }
        _ => panic!("`{kind}` is no kind of block"),
    }
}

/// The bytes that a block `bytes` says.
pub fn bytes(body: &str) -> Vec<u8> {
    let mut text = String::new();
    for (index, part) in body.split("@@").enumerate() {
        match part.split_once(' ') {
            Some((count, repeated)) if index % 2 == 1 => {
                text += &repeated.repeat(count.parse().expect("how many times"));
            }
            _ => text += part,
        }
    }
    let mut out = Vec::new();
    let mut parts = text.split('\\');
    out.extend(parts.next().unwrap_or_default().bytes());
    for part in parts {
        let (byte, rest) = match part.as_bytes() {
            [b'x', ..] => (u8::from_str_radix(&part[1..3], 16).expect("two digits"), &part[3..]),
            [b'r', ..] => (b'\r', &part[1..]),
            [b'n', ..] => (b'\n', &part[1..]),
            [b't', ..] => (b'\t', &part[1..]),
            _ => panic!("`\\{part}` is not known"),
        };
        out.push(byte);
        out.extend(rest.bytes());
    }
    out
}

/// A part of a page as expectations have it.
pub fn fragment(built: &Built, page: &str, selector: &str) -> String {
    let Some(file) = built.files.as_ref().and_then(|files| files.get(page)) else {
        return format!("there is no page {page}\n");
    };
    let tree = Tree::parse(std::str::from_utf8(file.as_ref()).expect("a page is UTF-8"));
    if selector.is_empty() {
        return tree.print(&tree.body());
    }
    let mut ids = Vec::new();
    for id in tree.select(selector) {
        ids.push(id);
        let list =
            tree.next_element(id).filter(|&next| selector.starts_with("figure") && tree.nodes[next].has_class("notes"));
        ids.extend(list);
    }
    tree.print(&ids)
}

/// What a case should expect; the difference is what is wrong with it.
fn actual(case: &Case, built: &Built) -> Vec<Piece> {
    let output = built.human();
    let mut pieces = Vec::new();
    let mut is_shown = output.is_empty();
    for piece in &case.pieces {
        match piece {
            Piece::Block { fence, name, .. } if name == "diagnostics" => {
                if !std::mem::replace(&mut is_shown, true) {
                    pieces.push(Piece::Block { fence: fence.clone(), name: name.clone(), body: output.clone() });
                }
            }
            Piece::Block { fence, name, .. } if name.starts_with("html ") => {
                let (page, selector) = name["html ".len()..].split_once(' ').unwrap_or((&name["html ".len()..], ""));
                let body = fragment(built, page, selector);
                pieces.push(Piece::Block { fence: fence.clone(), name: name.clone(), body });
            }
            Piece::Line(line) => pieces.push(Piece::Line(line.clone())),
            Piece::Block { fence, name, body } => {
                pieces.push(Piece::Block { fence: fence.clone(), name: name.clone(), body: body.clone() });
            }
        }
    }
    if !is_shown {
        while pieces.last() == Some(&Piece::Line(String::new())) {
            pieces.pop();
        }
        pieces.push(Piece::Line(String::new()));
        pieces.push(Piece::Block { fence: "~~~~".into(), name: "diagnostics".into(), body: output });
        pieces.push(Piece::Line(String::new()));
    }
    pieces
}

fn expects_something(case: &Case) -> bool {
    let is_expectation = |name: &str| name == "diagnostics" || name.starts_with("html ");
    case.pieces.iter().any(|piece| matches!(piece, Piece::Block { name, .. } if is_expectation(name)))
}

/// What is wrong with the links within the pages that a case writes, unless it trusts the author's HTML.
fn lost(case: &Case, built: &Built) -> impl Iterator<Item = String> {
    let names = case.pieces.iter().filter_map(|piece| match piece {
        Piece::Block { name, .. } => Some(name.rsplit(' ').next().unwrap_or_default()),
        Piece::Line(_) => None,
    });
    let pages = names.filter_map(|name| Some(format!("{}.html", name.strip_prefix("content/")?.strip_suffix(".md")?)));
    let is_trusted =
        case.pieces.iter().any(|piece| matches!(piece, Piece::Block { body, .. } if body.contains("trusted")));
    let html = pages.filter(|_| !is_trusted).filter_map(|page| built.files.as_ref()?.get(&page));
    let problems = html.flat_map(|html| crawl::fragments(&String::from_utf8_lossy(html.as_ref())));
    problems.collect::<Vec<_>>().into_iter()
}

/// Runs the cases of a folder.
fn run(folder: &str) {
    let mut failures = Vec::new();
    for path in files(folder) {
        let (above, mut cases) = cases(&path);
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut names = BTreeSet::new();
        for case in &mut cases {
            let title = format!("{folder}/{file}, {}", case.name);
            if !names.insert(case.name.clone()) {
                failures.push(format!("{title}: the name stands twice"));
            }
            let mut test = course(case);
            test.lints = file.starts_with("lints");
            let built = test.build();
            formats::agree(&built);
            failures.extend(lost(case, &built).map(|problem| format!("{title}: {problem}")));
            let actual = actual(case, &built);
            if updates() {
                case.pieces = actual;
            } else if actual != case.pieces {
                let (wanted, found) = (written(&case.pieces), written(&actual));
                let diff = similar::TextDiff::from_lines(&wanted, &found);
                failures.push(format!("{title}:\n{}", diff.unified_diff().context_radius(3)));
            }
            if !test.lints && !expects_something(case) {
                failures.push(format!("{title}: it expects nothing"));
            }
        }
        if updates() {
            let all: String = written(&above) + &cases.iter().map(|case| written(&case.pieces)).collect::<String>();
            fs::write(&path, format!("{}\n", all.trim_end())).expect("the cases can be written");
        }
    }
    assert!(failures.is_empty(), "{} cases fail; UPDATE=1 takes them over\n\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn markdown() {
    run("markdown");
}

#[test]
fn excerpts() {
    run("excerpt");
}

#[test]
fn diagnostics() {
    run("diagnostics");
}

#[test]
fn the_base_course_is_silent() {
    let mut test = SiteTest::copy_of(&repository("tests/suite/base"));
    test.lints = true;
    let built = test.build();
    assert_eq!(built.human(), "");
    assert!(built.files.is_some());
}

#[test]
fn every_code_has_a_case_with_its_text_and_an_explanation() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for path in ["markdown", "excerpt", "diagnostics"].into_iter().flat_map(files) {
        for piece in pieces(&fs::read_to_string(path).expect("a file of cases")) {
            let Piece::Block { name, body, .. } = piece else {
                continue;
            };
            for line in body.lines().filter(|_| name == "diagnostics") {
                let code = ["error[", "warning[", "hint[", "info["].iter().find_map(|word| line.strip_prefix(word));
                if let Some((code, _)) = code.and_then(|rest| rest.split_once(']')) {
                    *seen.entry(code.to_owned()).or_default() += 1;
                }
            }
        }
    }
    assert!(UNREADABLE.starts_with("error[E0005]"));
    // Only `infralens record` runs commands; `record.rs` has what it says of them.
    seen.extend(["E0005", "E0614"].map(|code| (code.to_owned(), 1)));
    let missing: Vec<&str> = codes::ALL.iter().map(|code| code.id).filter(|id| !seen.contains_key(*id)).collect();
    let brief: Vec<&str> = codes::ALL.iter().filter(|code| code.text.len() < 200).map(|code| code.id).collect();
    assert_eq!((missing, brief), (Vec::new(), Vec::new()), "codes without a case, and with too short an explanation");
}

/// What no course on disk can be made to have: whoever may do all may read all.
const UNREADABLE: &str =
    "error[E0005]: `content/about.md` cannot be read: permission denied\n --> content/about.md\n\n1 error\n";

#[test]
fn a_file_that_cannot_be_read() {
    let test = SiteTest::copy_of(&repository("tests/suite/base"));
    let mut built = test.build();
    let refusal = Refusal::Unreadable(Reason::of(&std::io::ErrorKind::PermissionDenied.into()));
    let path = "content/about.md".into();
    built.project.diagnostics.push(refusal.diagnostic(&path));
    built.project.files.insert(path, File::Refused(refusal));
    let outcome = site::build(&built.project, &test.options);
    assert!(outcome.files.is_none());
    assert_eq!(report::human(&outcome.diagnostics, &built.project, false), UNREADABLE);
}

#[test]
fn cases_are_read_and_written_back() {
    let text = "above\n\n## one\n\n~~~~ a/b.md\n```\n~~~\n```\n~~~~\n\n~~~~~ diagnostics\n~~~~\n~~~~~\n";
    assert_eq!(written(&pieces(text)), text);
    assert_eq!(bytes("a@@3 xy@@\\n\\xff"), b"axyxyxy\n\xff");
}
