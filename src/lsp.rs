//! The language server: what `check` reports and what the course knows, at the cursor of an editor.
//!
//! ```text
//! editor --messages--> buffers --+
//! disk --live_project--> Project +--> planner --> Planned --> diagnostics, and the answers to what was asked
//! ```
//!
//! 1. `buffers` lays the open files of the editor over those on disk;
//! 2. `planner` plans each version of the course in a thread of its own, with the preview's rules for files with errors;
//! 3. `answer` turns requests into questions to `author`'s room `assist`, and `edit` what it answers into edits.
//!
//! A request is answered when the version that it is about is planned, except for completion, which reads the newest text and
//! takes names from the last plan. **Invariant**: the server starts no command, opens no address and writes no file.

mod answer;
mod buffers;
mod edit;
mod planner;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::load;
use crate::serve::LiveProject;
use buffers::{Buffer, Buffers};
use infralens_site::Options;
use infralens_source::project::Project;
use planner::{Job, Planned};

/// What the server waits for.
pub enum Event {
    Message(Message),
    /// The editor has closed the connection.
    Closed,
    /// The course on disk has changed.
    Disk(Project),
    /// A version of the course is planned; `None` if that failed.
    Planned(u64, Option<Box<Planned>>),
}

/// What the editor can do that not every one can.
#[derive(Debug, Clone, Copy, Default)]
struct Abilities {
    /// Edits of documents of a certain version, and renamed files.
    document_changes: bool,
    snippets: bool,
}

struct Server<'c> {
    connection: &'c Connection,
    events: Sender<Event>,
    jobs: Sender<Job>,
    abilities: Abilities,
    /// The course; `None` until a file of one is opened.
    buffers: Option<Buffers>,
    /// The number of the newest version of the course.
    version: u64,
    /// The files of that version.
    project: Project,
    planned: Option<Box<Planned>>,
    /// The number of the last version that was planned, or for which that failed.
    settled: u64,
    waiting: Vec<Request>,
    /// The diagnostics that the editor shows, by file.
    published: BTreeMap<Arc<str>, Value>,
}

/// Speaks with an editor until it closes the connection. `root` is the course, if the command line names one; otherwise it is
/// found from the editor's folder, or from the first file that is opened.
///
/// # Errors
///
/// Fails if the editor does not begin as the protocol demands.
pub fn run(connection: &Connection, root: Option<PathBuf>, options: Options) -> Result<(), ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = serde_json::from_value(params).unwrap_or_default();
    let info = json!({ "name": "infralens", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": answer::capabilities(), "serverInfo": info }))?;
    let (events, queue) = channel();
    let (receiver, messages) = (connection.receiver.clone(), events.clone());
    thread::spawn(move || {
        for message in receiver {
            if messages.send(Event::Message(message)).is_err() {
                return;
            }
        }
        let _ = messages.send(Event::Closed);
    });
    let mut server = Server {
        connection,
        jobs: planner::start(options, events.clone()),
        events,
        abilities: Abilities::of(&params),
        buffers: None,
        version: 0,
        project: Project::default(),
        planned: None,
        settled: 0,
        waiting: Vec::new(),
        published: BTreeMap::new(),
    };
    let folders = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
    #[expect(deprecated, reason = "older editors send nothing else")]
    let folders: Vec<&Uri> = folders.chain(&params.root_uri).collect();
    let found = folders.into_iter().filter_map(buffers::file_path).find_map(|folder| load::find_root(&folder));
    if let Some(root) = root.or(found) {
        server.read_course(root);
    }
    for event in queue {
        if !server.handle(event) {
            break;
        }
    }
    Ok(())
}

impl Abilities {
    fn of(params: &InitializeParams) -> Self {
        let capabilities = serde_json::to_value(&params.capabilities).unwrap_or_default();
        let can = |pointer: &str| capabilities.pointer(pointer).and_then(Value::as_bool).unwrap_or_default();
        Self {
            document_changes: can("/workspace/workspaceEdit/documentChanges"),
            snippets: can("/textDocument/completion/completionItem/snippetSupport"),
        }
    }
}

/// Reads the parameters of a message.
fn params<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

impl Server<'_> {
    /// Handles an event; false at the end.
    fn handle(&mut self, event: Event) -> bool {
        match event {
            Event::Closed => return false,
            Event::Message(Message::Notification(Notification { method, params })) => match method.as_str() {
                "exit" => return false,
                "$/cancelRequest" => self.cancel(&params),
                method => self.notified(method, params),
            },
            Event::Message(Message::Request(request)) if request.method == "shutdown" => {
                self.send(Response::new_ok(request.id, Value::Null).into());
            }
            Event::Message(Message::Request(request)) => {
                self.waiting.push(request);
                self.answer_waiting();
            }
            Event::Message(Message::Response(_)) => {}
            Event::Disk(project) => {
                if let Some(buffers) = &mut self.buffers {
                    buffers.set_disk(project);
                    self.changed();
                }
            }
            Event::Planned(version, planned) => {
                self.settled = version;
                // If it failed, the plan before it answers.
                self.planned = planned.or(self.planned.take());
                if version == self.version {
                    self.publish();
                }
                self.answer_waiting();
            }
        }
        true
    }

    fn send(&self, message: Message) {
        // If the editor is gone, the queue of events ends.
        let _ = self.connection.sender.send(message);
    }

    /// Starts to read the course at `root`, and to follow it.
    fn read_course(&mut self, root: PathBuf) {
        let buffers = Buffers::new(root);
        let (root, events) = (buffers.root().to_owned(), self.events.clone());
        self.buffers = Some(buffers);
        thread::spawn(move || {
            let mut live = LiveProject::new(root);
            while events.send(Event::Disk(live.project().clone())).is_ok() {
                live.wait_for_change();
            }
        });
    }

    fn notified(&mut self, method: &str, value: Value) {
        match method {
            "textDocument/didOpen" => {
                let Some(DidOpenTextDocumentParams { text_document: document }) = params(value) else { return };
                if self.buffers.is_none() {
                    let file = buffers::file_path(&document.uri);
                    let root = file.and_then(|file| load::find_root(file.parent()?));
                    if let Some(root) = root {
                        self.read_course(root);
                    }
                }
                let Some(buffers) = &mut self.buffers else { return };
                let Some(path) = buffers.path(&document.uri) else { return };
                let buffer = Buffer { uri: document.uri, version: document.version, text: document.text };
                buffers.open(path, buffer);
            }
            "textDocument/didChange" => {
                let Some(change) = params::<DidChangeTextDocumentParams>(value) else { return };
                let Some(buffers) = &mut self.buffers else { return };
                let Some(path) = buffers.path(&change.text_document.uri) else { return };
                let changes = change.content_changes;
                buffers.edit(&path, change.text_document.version, |text| text::apply(text, changes));
            }
            "textDocument/didClose" => {
                let Some(DidCloseTextDocumentParams { text_document }) = params(value) else { return };
                let Some(buffers) = &mut self.buffers else { return };
                let Some(path) = buffers.path(&text_document.uri) else { return };
                buffers.close(&path);
            }
            _ => return,
        }
        self.changed();
    }

    /// Plans the course again, after its files or buffers have changed.
    fn changed(&mut self) {
        let Some(buffers) = self.buffers.as_ref().filter(|buffers| buffers.is_loaded) else { return };
        self.project = buffers.project(&self.project);
        self.version += 1;
        let _ = self.jobs.send((self.version, self.project.clone()));
    }

    fn cancel(&mut self, value: &Value) {
        let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
        let Some(at) = self.waiting.iter().position(|request| Some(&request.id) == id.as_ref()) else { return };
        let request = self.waiting.remove(at);
        let code = ErrorCode::RequestCanceled as i32;
        self.send(Response::new_err(request.id, code, "cancelled".to_owned()).into());
    }

    /// Answers the requests that need not wait.
    fn answer_waiting(&mut self) {
        let is_ready = |request: &Request| {
            let is_typing = request.method == "textDocument/completion" && self.planned.is_some();
            let is_current = self.version > 0 && self.settled == self.version;
            self.buffers.is_none() || is_current || is_typing
        };
        let (ready, waiting) = std::mem::take(&mut self.waiting).into_iter().partition::<Vec<_>, _>(is_ready);
        self.waiting = waiting;
        for Request { id, method, params } in ready {
            let known = self.buffers.as_ref().zip(self.planned.as_deref());
            let answer = known.map(|(buffers, planned)| {
                let context = answer::Answerer { buffers, planned, newest: &self.project, abilities: self.abilities };
                context.answer(&method, params)
            });
            let response = match answer.unwrap_or(Ok(Value::Null)) {
                Ok(value) => Response::new_ok(id, value),
                Err(refusal) => Response::new_err(id, ErrorCode::RequestFailed as i32, refusal),
            };
            self.send(response.into());
        }
    }

    /// Tells the editor the diagnostics of each file for which they are others than before.
    fn publish(&mut self) {
        let Some((buffers, planned)) = self.buffers.as_ref().zip(self.planned.as_deref()) else { return };
        let mut current: BTreeMap<Arc<str>, Vec<Value>> =
            self.published.keys().map(|path| (Arc::clone(path), Vec::new())).collect();
        for diagnostic in &planned.diagnostics {
            let shown = answer::diagnostic(buffers, &planned.project, diagnostic);
            let shown = serde_json::to_value(shown).unwrap_or_default();
            // What is wrong with a folder is shown in its open files, where an author looks.
            for path in buffers.below(&diagnostic.place.file) {
                current.entry(Arc::clone(path)).or_default().push(shown.clone());
            }
            current.entry(Arc::clone(&diagnostic.place.file)).or_default().push(shown);
        }
        let mut messages = Vec::new();
        for (path, list) in current {
            let (is_empty, list) = (list.is_empty(), Value::Array(list));
            if self.published.get(&path) == Some(&list) {
                continue;
            }
            if let Some(uri) = buffers.uri(&path) {
                let version = buffers.buffer(&path).map(|buffer| buffer.version);
                let params = json!({ "uri": uri, "version": version, "diagnostics": list });
                messages.push(Notification::new("textDocument/publishDiagnostics".to_owned(), params));
            }
            if is_empty {
                self.published.remove(&path);
            } else {
                self.published.insert(path, list);
            }
        }
        for message in messages {
            self.send(message.into());
        }
    }
}
