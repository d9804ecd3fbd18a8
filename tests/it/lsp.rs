//! The language server, spoken to in this process: under any edits, it reports what `check` reports about the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::Duration;

use infralens::load::load;
use infralens::{lsp, report};
use infralens_site::{self as site, Site};
use infralens_source::change::{Change, preview};
use infralens_source::project::Project;
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};

use crate::generate::Dice;
use crate::harness::SiteTest;

const PAGE: &str = "content/tracks/t/labs/lab-01-a.md";
const SECTION: &str = "content/tracks/t/handbook/01-s.md";
const STARTER: &str = "code/lab-01-a/a.py";

/// An editor that is connected to a server.
struct Editor {
    connection: Connection,
    root: String,
    requests: i32,
    /// The diagnostics by file.
    shown: BTreeMap<String, Vec<Value>>,
    /// The open files.
    texts: BTreeMap<String, String>,
}

impl Editor {
    fn start(test: &SiteTest) -> Self {
        let (client, server) = Connection::memory();
        let options = test.options.clone();
        thread::spawn(move || lsp::run(&server, None, options).expect("the editor speaks the protocol"));
        let root = test.root().canonicalize().expect("a folder").display().to_string();
        let mut editor = Self { connection: client, root, requests: 0, shown: BTreeMap::new(), texts: BTreeMap::new() };
        let folders = json!([{ "uri": format!("file://{}", editor.root), "name": "course" }]);
        let edit = json!({ "workspaceEdit": { "documentChanges": true } });
        let answer =
            editor.ask("initialize", json!({ "capabilities": { "workspace": edit }, "workspaceFolders": folders }));
        assert_eq!(answer["serverInfo"]["name"], "infralens");
        editor.tell("initialized", json!({}));
        editor
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}/{path}", self.root)
    }

    fn tell(&self, method: &str, params: Value) {
        let message = Message::Notification(Notification { method: method.to_owned(), params });
        self.connection.sender.send(message).expect("the server listens");
    }

    /// Asks, and takes in what else the server says until it answers.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        self.connection.sender.send(Message::Request(request)).expect("the server listens");
        loop {
            match self.connection.receiver.recv_timeout(Duration::from_mins(2)).expect("the server answers") {
                Message::Response(response) if response.id == id => {
                    return response.result.unwrap_or_else(|| json!({ "error": response.error.map(|e| e.message) }));
                }
                Message::Notification(Notification { method, params }) => {
                    assert_eq!(method, "textDocument/publishDiagnostics");
                    let uri = params["uri"].as_str().expect("an address");
                    let path = uri.rsplit_once(&format!("{}/", self.root)).expect("a file of the course").1.to_owned();
                    self.shown.insert(path, params["diagnostics"].as_array().expect("a list").clone());
                }
                // The answer to what was cancelled.
                Message::Response(_) => {}
                other @ Message::Request(_) => panic!("unexpected: {other:?}"),
            }
        }
    }

    fn open(&mut self, path: &str, text: &str) {
        self.texts.insert(path.to_owned(), text.to_owned());
        let document = json!({ "uri": self.uri(path), "languageId": "markdown", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, path: &str, version: usize, changes: &Value) {
        let document = json!({ "uri": self.uri(path), "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Waits until the newest version is planned, and returns all diagnostics, as in [`checked`].
    fn diagnostics(&mut self) -> BTreeSet<String> {
        self.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": self.uri(PAGE) } }));
        let mut out = BTreeSet::new();
        for (path, found) in &self.shown {
            for one in found {
                let (start, end) = (&one["range"]["start"], &one["range"]["end"]);
                let severity = ["error", "warning", "information", "hint"];
                let severity = severity[number(&one["severity"]) - 1];
                let message = one["message"].as_str().expect("a message").lines().next().unwrap_or_default();
                let code = one["code"].as_str().expect("a code");
                out.insert(format!("{path} {} {} {severity} {code} {message}", place(start), place(end)));
            }
        }
        out
    }
}

/// Returns a number; 1 where there is none.
fn number(value: &Value) -> usize {
    value.as_u64().map_or(1, |number| usize::try_from(number).expect("a small number"))
}

fn place(position: &Value) -> String {
    format!("{}:{}", position["line"], position["character"])
}

/// What `check` reports about a course, with positions as an editor counts them.
fn checked(project: &Project, options: &site::Options, open: &BTreeMap<String, String>) -> BTreeSet<String> {
    let site = site::plan(project, options, &Site::default());
    let mut diagnostics = site.judge();
    diagnostics.extend(site.make_all(|_, _| {}));
    let mut out = BTreeSet::new();
    for line in report::json(&diagnostics, project).lines() {
        let one: Value = serde_json::from_str(line).expect("JSON");
        let path = one["file"].as_str().expect("a path");
        let source = project.text(path);
        let text = source.map_or("", |source| source.text());
        let lines: Vec<&str> = text.split('\n').collect();
        // Where the diagnostic is of a whole file, its place is the first character.
        let convert = |line: &str, column: &str| {
            let (line, column) = (number(&one[line]), number(&one[column]));
            // `check` does not count a byte order mark; an editor that sends one does.
            let has_mark = line == 1 && text.starts_with('\u{feff}');
            let skipped = usize::from(has_mark);
            let text = lines.get(line - 1).copied().unwrap_or_default();
            let before: String = text.chars().skip(skipped).take(column - 1).collect();
            let mark = usize::from(has_mark && open.contains_key(path));
            format!("{}:{}", line - 1, before.encode_utf16().count() + mark)
        };
        let (start, end) = if is_of_file(&one, &diagnostics) {
            ("0:0".to_owned(), "0:0".to_owned())
        } else {
            (convert("line", "column"), convert("end_line", "end_column"))
        };
        let message = one["message"].as_str().expect("a message").lines().next().unwrap_or_default().to_owned();
        let (severity, code) = (one["severity"].as_str().expect("text"), one["code"].as_str().expect("text"));
        out.insert(format!("{path} {start} {end} {severity} {code} {message}"));
    }
    out
}

fn is_of_file(one: &Value, all: &[infralens_source::diag::Diagnostic]) -> bool {
    all.iter().any(|found| {
        found.place.span.is_none()
            && *found.place.file == *one["file"].as_str().unwrap_or_default()
            && found.message == one["message"]
    })
}

/// Returns the course with the texts of the editor.
fn with_texts(project: &Project, texts: &BTreeMap<String, String>) -> Project {
    let changes = texts.iter().map(|(path, text)| match project.text(path) {
        Some(source) => Change::Replace { source: source.clone(), text: text.clone() },
        None => Change::Create { path: path.as_str().into(), text: text.clone() },
    });
    preview(project, &changes.collect::<Vec<_>>())
}

fn text_of(project: &Project, path: &str) -> String {
    project.text(path).expect("a file of the course").text().to_owned()
}

/// Texts that have a meaning on a page or in a starter, and characters of several bytes or UTF-16 units.
const PIECES: [&str; 22] = [
    "\n", "\r\n", "`", "```", "#", "](", "[x](#nowhere)", "\u{1f600}", "é", "e\u{301}", "漢字", "---\n", "title: ",
    "titel: x\n", "1. `step` — x\n", "fn:", "  ", "<!-- values\nx = 1\n-->\n", "[@nobody]", "# ANCHOR: y\n",
    "13.48 GB", "\t",
];

#[test]
fn the_server_reports_what_check_reports() {
    let test = SiteTest::copy_of(&crate::harness::repository("tests/suite/base"));
    let disk = load(&test.root());
    let mut editor = Editor::start(&test);
    let mut random = Dice(35);
    let marked = format!("\u{feff}{}", text_of(&disk, SECTION)).replace('\n', "\r\n");
    let (page, starter) = (text_of(&disk, PAGE), text_of(&disk, STARTER));
    assert_eq!(editor.diagnostics(), checked(&disk, &test.options, &editor.texts), "nothing is open");
    for (path, text) in [(PAGE, page.as_str()), (STARTER, &starter), (SECTION, &marked)] {
        editor.open(path, text);
    }
    for step in 0..60 {
        let path = [PAGE, PAGE, STARTER, SECTION][random.below(4)];
        let mut edited = editor.texts[path].clone();
        let mut changes = Vec::new();
        for _ in 0..=random.below(2) {
            let at = |random: &mut Dice, edited: &str| edited.floor_char_boundary(random.below(edited.len() + 1));
            let (one, other) = (at(&mut random, &edited), at(&mut random, &edited));
            let start = one.min(other);
            // Mostly a few characters are replaced.
            let near = edited.floor_char_boundary((start + random.below(4)).min(edited.len()));
            let end = if random.below(8) == 0 { one.max(other) } else { near.max(start) };
            let (start, end) = (outside_ends(&edited, start), outside_ends(&edited, end));
            let piece = PIECES[random.below(PIECES.len())];
            changes.push(json!({
                "range": { "start": position(&edited, start), "end": position(&edited, end) },
                "text": piece,
            }));
            edited.replace_range(start..end, piece);
        }
        if random.below(10) == 0 {
            edited = if path == PAGE {
                page.clone()
            } else if path == STARTER {
                starter.clone()
            } else {
                marked.clone()
            };
            changes.push(json!({ "text": edited }));
        }
        editor.texts.insert(path.to_owned(), edited);
        editor.change(path, step + 2, &Value::Array(changes));
        if random.below(3) > 0 {
            let project = with_texts(&disk, &editor.texts);
            assert_eq!(editor.diagnostics(), checked(&project, &test.options, &editor.texts), "step {step}, {path}");
        }
    }
    for path in [PAGE, STARTER, SECTION] {
        editor.texts.remove(path);
        let uri = editor.uri(path);
        editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    assert_eq!(editor.diagnostics(), checked(&disk, &test.options, &editor.texts), "all is closed");
}

/// Moves an offset out of the middle of a CRLF, at which no editor has a cursor.
fn outside_ends(text: &str, at: usize) -> usize {
    if text[..at].ends_with('\r') && text[at..].starts_with('\n') { at - 1 } else { at }
}

/// The position of an offset, counted in the simplest way.
fn position(text: &str, at: usize) -> Value {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    json!({ "line": text[..at].matches('\n').count(), "character": text[line..at].encode_utf16().count() })
}

#[test]
fn a_request_is_answered_about_the_newest_text() {
    let test = SiteTest::copy_of(&crate::harness::repository("tests/suite/base"));
    let disk = load(&test.root());
    let mut editor = Editor::start(&test);
    let page = text_of(&disk, PAGE);
    editor.open(PAGE, &page);
    editor.change(PAGE, 2, &json!([{ "text": page.replace("title: Lab A", "titel: Lab A") }]));
    let line = page.lines().position(|line| line.starts_with("title:")).expect("a title");
    let range = json!({ "start": { "line": line, "character": 2 }, "end": { "line": line, "character": 2 } });
    let document = json!({ "uri": editor.uri(PAGE) });
    let context = json!({ "diagnostics": [] });
    let actions =
        editor.ask("textDocument/codeAction", json!({ "textDocument": document, "range": range, "context": context }));
    assert_eq!(actions[0]["title"], "write `title`", "{actions:#}");
    assert_eq!(actions[0]["isPreferred"], true);
    let change = &actions[0]["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"]["version"], 2);
    assert_eq!(change["edits"][0]["newText"], "title");
    // What is cancelled before it can be answered is not answered twice.
    editor.change(PAGE, 3, &json!([{ "text": page }]));
    let request = Request { id: RequestId::from(9000), method: "textDocument/hover".to_owned(), params: json!({}) };
    editor.connection.sender.send(Message::Request(request)).expect("the server listens");
    editor.tell("$/cancelRequest", json!({ "id": 9000 }));
    assert_eq!(editor.ask("shutdown", Value::Null), Value::Null);
}

#[test]
fn fixes_are_offered_on_the_whole_line_and_in_a_stale_excerpt() {
    let test = SiteTest::copy_of(&crate::harness::repository("tests/suite/base"));
    let page = text_of(&load(&test.root()), PAGE);
    let front = &page[..page.find("\n---\n").expect("front matter")];
    let values = "<!-- values\nsize = 80 GB  # =\n-->";
    let excerpt = "```python file=#ledger\nx = 2\ntotal = x + y\n```\n\n1. `total` — the sum.";
    let written = format!("{front}\n---\n\nText.\n\n{values}\n\n{excerpt}\n");
    let mut editor = Editor::start(&test);
    editor.open(PAGE, &written);
    let document = json!({ "uri": editor.uri(PAGE) });
    let mut titles = |start: &str| {
        let line = written.lines().position(|line| line.starts_with(start)).expect("a line");
        let range = json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 0 } });
        let wanted = json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } });
        let actions = editor.ask("textDocument/codeAction", wanted);
        let titles = actions.as_array().expect("a list").iter().map(|action| action["title"].to_string());
        titles.collect::<Vec<_>>().join(", ")
    };
    assert!(titles("size =").contains("write `80 GB`"), "the pin is at the end of the line");
    for inside in ["x = 2", "1. `total`"] {
        assert!(titles(inside).contains("put the current code of the file into the fence"), "{inside}");
    }
    assert_eq!(titles("Text."), "");
}

#[test]
fn what_is_wrong_with_a_folder_is_shown_in_its_open_files() {
    let test = SiteTest::copy_of(&crate::harness::repository("tests/suite/base"));
    let path = "content/tracks/t/handbok/02-u.md";
    let page = "---\ntitle: U\nsummary: s\n---\n\nWords.\n";
    test.write(path, page);
    let mut editor = Editor::start(&test);
    editor.open(path, page);
    let shown = editor.diagnostics();
    let of_page = format!("{path} 0:0 0:0 error E0006 `content/tracks/t/handbok/` is not read as");
    assert!(shown.iter().any(|one| one.starts_with(&of_page)), "{shown:#?}");
}

#[test]
fn a_page_is_not_renamed_while_what_names_it_cannot_be_read() {
    let test = SiteTest::copy_of(&crate::harness::repository("tests/suite/base"));
    let page = text_of(&load(&test.root()), PAGE);
    let mut editor = Editor::start(&test);
    editor.open(PAGE, &page);
    let files = json!([{ "oldUri": editor.uri(SECTION), "newUri": editor.uri("content/tracks/t/handbook/02-u.md") }]);
    let edits = editor.ask("workspace/willRenameFiles", json!({ "files": files }));
    assert!(edits["documentChanges"][0]["edits"][0]["newText"].is_string(), "{edits:#}");
    let number = page.lines().position(|line| line.starts_with("handbook: [s]")).expect("it names the section") + 1;
    editor.change(PAGE, 2, &json!([{ "text": page.replace("handbook: [s]", "handbook: [s") }]));
    let refused = editor.ask("workspace/willRenameFiles", json!({ "files": files }));
    let message = refused["error"].as_str().unwrap_or_default();
    assert!(message.contains(&format!("line {number} of `{PAGE}`")), "{refused:#}");
}
