//! Answers the requests of an editor: what `author`'s room `assist` says, in the words of the protocol.

use std::str::FromStr;
use std::sync::Arc;

use lsp_types::{
    CodeActionParams, CompletionItemKind, DiagnosticSeverity, FoldingRange, Location, Position, RenameParams,
    SymbolKind, TextDocumentIdentifier, TextDocumentPositionParams, Uri,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::buffers::Buffers;
use super::planner::Planned;
use super::text::Lines;
use super::{Abilities, params};
use infralens_author::assist::complete::{self, Completion, Kind};
use infralens_author::assist::outline::{self, Goal, Symbol};
use infralens_author::assist::{self, rename};
use infralens_author::fix;
use infralens_site::Drifts;
use infralens_source::diag::{Diagnostic, Fix, Place, Severity};
use infralens_source::project::Project;
use infralens_source::source::{Source, Span};

/// What an answer is made from.
pub struct Answerer<'a> {
    pub buffers: &'a Buffers,
    pub planned: &'a Planned,
    /// The newest files, which may not be planned yet.
    pub newest: &'a Project,
    pub abilities: Abilities,
}

/// An answer; an error is said to the author by the editor.
type Answer = Result<Value, String>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentParams {
    text_document: TextDocumentIdentifier,
}

#[derive(Deserialize)]
struct RenamedFiles {
    files: Vec<RenamedFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RenamedFile {
    old_uri: String,
    new_uri: String,
}

/// A place in a planned file.
struct At<'a> {
    path: Arc<str>,
    lines: Lines<'a>,
    offset: usize,
}

/// Returns what the server can do.
pub fn capabilities() -> Value {
    let filters = json!([{ "scheme": "file", "pattern": { "glob": "**/content/**/*.md", "matches": "file" } }]);
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "completionProvider": { "triggerCharacters": ["#", "(", "@", "=", "`", "/", ":", ".", ",", "[", " "] },
        "renameProvider": { "prepareProvider": true },
        "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "documentLinkProvider": { "resolveProvider": false },
        "inlayHintProvider": true,
        "codeLensProvider": { "resolveProvider": false },
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "workspace": { "fileOperations": { "willRename": { "filters": filters } } },
    })
}

/// Returns a diagnostic as an editor shows it.
pub fn diagnostic(buffers: &Buffers, project: &Project, found: &Diagnostic) -> lsp_types::Diagnostic {
    let at = |place: &Place| buffers.location(project, place);
    let help = found.help.iter().map(|help| format!("help: {help}"));
    let label = Some(found.label.clone()).filter(|label| !label.is_empty());
    let parts = std::iter::once(found.message.clone()).chain(label).chain(found.notes.clone()).chain(help);
    let related = found.related.iter().filter_map(|(place, label)| {
        let message = if label.is_empty() { found.code.title.to_owned() } else { label.clone() };
        Some(lsp_types::DiagnosticRelatedInformation { location: at(place)?, message })
    });
    let related: Vec<_> = related.collect();
    lsp_types::Diagnostic {
        range: at(&found.place).map_or_else(Default::default, |location| location.range),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(lsp_types::NumberOrString::String(found.code.id.to_owned())),
        source: Some("infralens".to_owned()),
        message: parts.collect::<Vec<_>>().join("\n"),
        related_information: Some(related).filter(|related| !related.is_empty()),
        ..lsp_types::Diagnostic::default()
    }
}

impl Answerer<'_> {
    /// Answers a request. What has no answer is null.
    pub fn answer(&self, method: &str, value: Value) -> Answer {
        Ok(match method {
            "textDocument/hover" => params(value).and_then(|at| self.hover(&at)),
            "textDocument/definition" => params(value).map(|at| self.places(&at, assist::definition)),
            "textDocument/references" => params(value).map(|at| self.places(&at, assist::references)),
            "textDocument/completion" => params(value).and_then(|at| self.completion(&at)),
            "textDocument/prepareRename" => params(value).and_then(|at| self.prepare_rename(&at)),
            "textDocument/rename" => return params(value).map_or(Ok(Value::Null), |rename| self.rename(&rename)),
            "textDocument/codeAction" => params(value).and_then(|range| self.code_actions(&range)),
            "workspace/willRenameFiles" => {
                return params(value).map_or(Ok(Value::Null), |files| self.will_rename_files(&files));
            }
            method => params::<DocumentParams>(value).and_then(|of| self.of_document(method, &of.text_document.uri)),
        }
        .unwrap_or_default())
    }

    fn file(&self, uri: &Uri) -> Option<(Arc<str>, Lines<'_>)> {
        let path = self.buffers.path(uri)?;
        let (_, lines) = self.buffers.lines(&self.planned.project, &path)?;
        Some((path, lines))
    }

    fn at(&self, position: &TextDocumentPositionParams) -> Option<At<'_>> {
        let (path, lines) = self.file(&position.text_document.uri)?;
        let offset = lines.offset(position.position);
        Some(At { path, lines, offset })
    }

    fn locations(&self, places: &[Place]) -> Vec<Location> {
        places.iter().filter_map(|place| self.buffers.location(&self.planned.project, place)).collect()
    }

    /// Returns the diagnostics of a file whose spans touch another span.
    fn diagnostics_at(&self, path: &str, start: usize, end: usize) -> impl Iterator<Item = &Diagnostic> {
        let of_file = self.planned.diagnostics.iter().filter(move |found| *found.place.file == *path);
        of_file.filter(move |found| found.place.span.is_none_or(|(from, to)| from <= end && start <= to))
    }

    fn hover(&self, position: &TextDocumentPositionParams) -> Option<Value> {
        let At { path, lines, offset } = self.at(position)?;
        let found = assist::hover(&self.planned.site, &path, offset);
        let mut parts: Vec<&str> = found.iter().map(|hover| hover.text.as_str()).collect();
        let mut codes: Vec<_> = self.diagnostics_at(&path, offset, offset).map(|found| found.code).collect();
        codes.sort_unstable();
        codes.dedup();
        parts.extend(codes.iter().map(|code| code.text));
        let range = found.as_ref().map(|hover| lines.range(&hover.span));
        let text = parts.join("\n\n---\n\n");
        (!parts.is_empty()).then(|| json!({ "contents": { "kind": "markdown", "value": text }, "range": range }))
    }

    fn places(
        &self,
        position: &TextDocumentPositionParams,
        find: fn(&infralens_site::Site, &str, usize) -> Vec<Place>,
    ) -> Value {
        let places = self.at(position).map(|at| find(&self.planned.site, &at.path, at.offset));
        json!(self.locations(&places.unwrap_or_default()))
    }

    /// Completes the newest text, with the names of the last plan.
    fn completion(&self, position: &TextDocumentPositionParams) -> Option<Value> {
        let path = self.buffers.path(&position.text_document.uri)?;
        let (source, lines) = self.buffers.lines(self.newest, &path)?;
        let offset = lines.offset(position.position);
        let has_page = self.planned.site.source(&path).is_some();
        let site = if has_page { &self.planned.site } else { &self.planned.shown };
        let (found, is_all) = complete::complete(site, source, offset);
        let items: Value = found.iter().enumerate().map(|(index, one)| self.item(index, one, &lines)).collect();
        Some(if is_all { items } else { json!({ "isIncomplete": true, "items": items }) })
    }

    /// Returns an item of the list. Editors sort by `sortText`, and would otherwise sort by label.
    fn item(&self, index: usize, one: &Completion, lines: &Lines<'_>) -> Value {
        let kind = match one.kind {
            Kind::Key => CompletionItemKind::PROPERTY,
            Kind::Value => CompletionItemKind::VALUE,
            Kind::File => CompletionItemKind::FILE,
            Kind::Code => CompletionItemKind::FUNCTION,
            Kind::Reference => CompletionItemKind::REFERENCE,
            Kind::Snippet => CompletionItemKind::SNIPPET,
        };
        let is_snippet = one.is_snippet && self.abilities.snippets;
        let text = if one.is_snippet && !is_snippet { plain(&one.insert) } else { one.insert.clone() };
        let documentation = (!one.doc.is_empty()).then(|| json!({ "kind": "markdown", "value": one.doc }));
        json!({
            "label": one.label,
            "kind": kind,
            "detail": one.detail,
            "documentation": documentation,
            "sortText": format!("{index:06}"),
            "filterText": if one.insert.starts_with('`') { &one.insert } else { &one.label },
            "insertTextFormat": if is_snippet { 2 } else { 1 },
            "textEdit": { "range": lines.range(&one.span), "newText": text },
        })
    }

    fn prepare_rename(&self, position: &TextDocumentPositionParams) -> Option<Value> {
        let At { path, lines, offset } = self.at(position)?;
        let (span, name) = rename::prepare(&self.planned.site, &path, offset)?;
        Some(json!({ "range": lines.range(&span), "placeholder": name }))
    }

    fn rename(&self, wanted: &RenameParams) -> Answer {
        let Some(At { path, offset, .. }) = self.at(&wanted.text_document_position) else { return Ok(Value::Null) };
        let edits = rename::rename(&self.planned.site, &path, offset, &wanted.new_name);
        let edits = edits.map_err(|refusal| refusal.message)?;
        Ok(self.workspace_edit(&edits, &[]).unwrap_or_default())
    }

    fn will_rename_files(&self, renamed: &RenamedFiles) -> Answer {
        let path = |uri: &str| self.buffers.path(&Uri::from_str(uri).ok()?);
        let pages = renamed.files.iter().map(|file| Some((path(&file.old_uri)?, path(&file.new_uri)?)));
        let Some(pages) = pages.collect::<Option<Vec<_>>>() else { return Ok(Value::Null) };
        Ok(self.will_rename(&pages)?.unwrap_or_default())
    }

    fn code_actions(&self, wanted: &CodeActionParams) -> Option<Value> {
        let only = wanted.context.only.as_deref().unwrap_or_default();
        if !only.is_empty() && !only.iter().any(|kind| kind.as_str().is_empty() || kind.as_str() == "quickfix") {
            return Some(json!([]));
        }
        let (path, lines) = self.file(&wanted.text_document.uri)?;
        let span = lines.span(wanted.range);
        let touches = |found: &Diagnostic, span: &Span| {
            found.place.span.is_none_or(|(start, end)| start <= span.end && span.start <= end)
        };
        // A place on the line, or in the pin or a note of a stale excerpt, is near enough: few cursors are on an empty pin's `#`.
        let whole = lines.whole(&span);
        let stale = self.planned.site.drifts().filter(|drift| **drift.page.path() == *path);
        let stale = stale.filter(|drift| drift.span.start <= span.end && span.start <= drift.span.end);
        let stale: Vec<&Place> = stale.map(|drift| &drift.diagnostic.place).collect();
        let is_here = |found: &Diagnostic| {
            *found.place.file == *path && (touches(found, &whole) || stale.contains(&&found.place))
        };
        let is_near = |found: &&Diagnostic| *found.place.file == *path || found.place.file.starts_with("code/");
        let mut diagnostics: Vec<Diagnostic> = self.planned.diagnostics.iter().filter(is_near).cloned().collect();
        fix::complete(self.drifts(&path, &is_here), &mut diagnostics);
        let mut actions = Vec::new();
        diagnostics.retain(is_here);
        diagnostics.sort_by_key(|found| !touches(found, &span));
        for found in &diagnostics {
            let shown = json!([diagnostic(self.buffers, &self.planned.project, found)]);
            let fixes = found.fixes.iter().enumerate();
            actions.extend(fixes.filter_map(|(index, fix)| self.action(fix, &shown, fix.sure && index == 0)));
        }
        let offers = assist::offers(&self.planned.site, &path, &span);
        actions.extend(offers.iter().filter_map(|offer| self.action(offer, &json!([]), false)));
        Some(actions.into())
    }

    fn action(&self, fix: &Fix, diagnostics: &Value, is_preferred: bool) -> Option<Value> {
        let (title, edit) = (&fix.title, self.fix_edit(fix)?);
        let kind = "quickfix";
        Some(
            json!({ "title": title, "kind": kind, "diagnostics": diagnostics, "isPreferred": is_preferred, "edit": edit }),
        )
    }

    /// Returns what `sync` knows about the diagnostics of a page that fulfill a condition.
    fn drifts(&self, path: &str, is_here: &dyn Fn(&Diagnostic) -> bool) -> Drifts {
        let mut drifts = self.planned.site.all_drifts();
        drifts.excerpts.retain(|drift| is_here(&drift.diagnostic));
        drifts.links.retain(|link| is_here(&link.diagnostic));
        drifts.values.retain(|value| **value.page.path() == *path);
        drifts
    }

    /// Answers a request about a whole file.
    fn of_document(&self, method: &str, uri: &Uri) -> Option<Value> {
        let (path, lines) = self.file(uri)?;
        let site = &self.planned.site;
        Some(match method {
            "textDocument/documentSymbol" => {
                outline::symbols(site, &path).iter().map(|one| symbol(one, &lines)).collect()
            }
            "textDocument/foldingRange" => {
                let ranges = outline::foldable(site, &path).into_iter().map(|span| lines.range(&span));
                let folded = ranges.filter(|range| range.start.line < range.end.line).map(|range| FoldingRange {
                    start_line: range.start.line,
                    end_line: range.end.line,
                    ..FoldingRange::default()
                });
                json!(folded.collect::<Vec<_>>())
            }
            "textDocument/documentLink" => {
                outline::links(site, &path).iter().filter_map(|link| self.link(link, &lines)).collect()
            }
            "textDocument/inlayHint" => {
                let hints = outline::hints(site, &path).into_iter();
                let shown = |(at, text): (usize, String)| json!({ "position": lines.position(at), "label": text, "paddingLeft": true });
                hints.map(shown).collect()
            }
            "textDocument/codeLens" => {
                let lenses = outline::lenses(site, &path).into_iter();
                lenses.filter_map(|(line, title, places)| self.lens(uri, line, &title, &places, &lines)).collect()
            }
            _ => return None,
        })
    }

    fn link(&self, link: &outline::DocumentLink, lines: &Lines<'_>) -> Option<Value> {
        let target = match &link.goal {
            Goal::Url(url) => url.clone(),
            Goal::Place(place) => {
                let Location { uri, range } = self.buffers.location(&self.planned.project, place)?;
                let number = range.start.line + 1;
                if number > 1 { format!("{}#L{number}", uri.as_str()) } else { uri.as_str().to_owned() }
            }
        };
        Some(json!({ "range": lines.range(&link.span), "target": target }))
    }

    /// Returns a lens over a line of a starter. Its command is one of the editor's extension; the arguments are those of the
    /// list of references.
    fn lens(&self, uri: &Uri, line: usize, title: &str, places: &[Place], lines: &Lines<'_>) -> Option<Value> {
        let source: &Source = self.planned.project.text(&self.buffers.path(uri)?)?;
        let start: Position = lines.position(source.line_span(line).start);
        let arguments = json!([uri, start, self.locations(places)]);
        let command = json!({ "title": title, "command": "infralens.showNotes", "arguments": arguments });
        Some(json!({ "range": { "start": start, "end": start }, "command": command }))
    }
}

fn symbol(one: &Symbol, lines: &Lines<'_>) -> Value {
    let kind = match one.kind {
        outline::Kind::Heading => SymbolKind::STRING,
        outline::Kind::Excerpt => SymbolKind::METHOD,
        outline::Kind::Value => SymbolKind::VARIABLE,
        outline::Kind::Calculator => SymbolKind::OBJECT,
    };
    let children: Vec<Value> = one.children.iter().map(|child| symbol(child, lines)).collect();
    json!({
        "name": one.name,
        "detail": one.detail,
        "kind": kind,
        "range": lines.range(&one.span),
        "selectionRange": lines.range(&one.name_span),
        "children": children,
    })
}

/// Returns a snippet as plain text: with the words of its places to fill.
fn plain(snippet: &str) -> String {
    let mut out = String::new();
    let mut rest = snippet;
    while let Some(at) = rest.find(['$', '\\', '}']) {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        rest = match &rest[at..=at] {
            "\\" => {
                let length = after.chars().next().map_or(0, char::len_utf8);
                out.push_str(&after[..length]);
                &after[length..]
            }
            "$" => after.find(':').map_or(after, |colon| &after[colon + 1..]),
            _ => after,
        };
    }
    out + rest
}
