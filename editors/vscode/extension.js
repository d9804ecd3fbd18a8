// The client of the language server, and what only VS Code needs: two commands, and the preview beside a page.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { spawn } = require("node:child_process");
const readline = require("node:readline");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

async function start() {
  const command = vscode.workspace.getConfiguration("infralens").get("path", "infralens");
  const server = { command, args: ["lsp"], transport: TransportKind.stdio };
  const documents = [{ scheme: "file", pattern: "**/{content,code}/**" }];
  client = new LanguageClient("infralens", "InfraLens", { run: server, debug: server }, { documentSelector: documents });
  await client.start();
}

/** The folder of the course that a file belongs to. @param {string | undefined} file */
function courseOf(file) {
  for (let folder = file && path.dirname(file); folder; ) {
    if (fs.existsSync(path.join(folder, "content", "site.yaml"))) return folder;
    const above = path.dirname(folder);
    folder = above === folder ? undefined : above;
  }
  return undefined;
}

/** Starts `infralens serve --editor` for a course, shows it beside the page, and leads it to the line of the cursor. */
async function openPreview() {
  const root = courseOf(vscode.window.activeTextEditor?.document.uri.fsPath);
  if (!root) return vscode.window.showErrorMessage("InfraLens: open a page of a course first.");
  const command = vscode.workspace.getConfiguration("infralens").get("path", "infralens");
  const server = spawn(command, ["serve", "--editor", "--drafts", "--port", "0"], { cwd: root });
  const view = vscode.ViewColumn.Beside;
  const panel = vscode.window.createWebviewPanel("infralens.preview", "InfraLens", { viewColumn: view, preserveFocus: true }, { retainContextWhenHidden: true });
  const lines = { last: "", errors: "" };
  readline.createInterface(server.stdout).on("line", (line) => {
    const url = /^(http:\/\/\S+) shows the course/.exec(line)?.[1];
    if (!url || panel.webview.html) return;
    const origin = new URL(url).origin;
    const style = "<style>body { margin: 0; padding: 0 } iframe { border: 0; width: 100vw; height: 100vh; background: Canvas }</style>";
    const policy = `default-src 'none'; style-src 'unsafe-inline'; frame-src ${origin}`;
    panel.webview.html = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">${style}<iframe src="${url}" title="InfraLens"></iframe>`;
    // The page loads before it can be led anywhere; where it was led until then, it was not yet there.
    setTimeout(() => {
      lines.last = "";
      follow();
    }, 1000);
  });
  server.stderr.on("data", (text) => { lines.errors += text; });
  server.on("error", (error) => vscode.window.showErrorMessage(`InfraLens: ${command}: ${error.message}`));
  server.on("exit", (status) => {
    if (status) vscode.window.showErrorMessage(`InfraLens: the preview ended. ${lines.errors}`);
  });
  server.stdin.on("error", () => {});
  const follow = () => {
    const editor = vscode.window.activeTextEditor;
    const below = editor && path.relative(root, editor.document.uri.fsPath).replaceAll("\\", "/");
    if (!below || !/^(?:content|code)\//.test(below)) return;
    const line = `${below}:${editor.selection.active.line + 1}\n`;
    if (line === lines.last) return;
    lines.last = line;
    server.stdin.write(line);
  };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const moved = vscode.window.onDidChangeTextEditorSelection(() => {
    clearTimeout(timer);
    timer = setTimeout(follow, 200);
  });
  panel.onDidDispose(() => {
    moved.dispose();
    server.kill();
  });
  return undefined;
}

/** @param {vscode.ExtensionContext} context */
exports.activate = async (context) => {
  const restart = vscode.commands.registerCommand("infralens.restart", async () => {
    await client?.stop();
    await start();
  });
  // A lens over a line of code: its arguments are those of the list of references, as the protocol writes them.
  const showNotes = vscode.commands.registerCommand("infralens.showNotes", (uri, position, locations) => {
    const convert = client?.protocol2CodeConverter;
    if (!convert) return undefined;
    const places = locations.map((place) => convert.asLocation(place));
    const at = [convert.asUri(uri), convert.asPosition(position)];
    return vscode.commands.executeCommand("editor.action.showReferences", ...at, places);
  });
  const preview = vscode.commands.registerCommand("infralens.openPreview", openPreview);
  context.subscriptions.push(restart, showNotes, preview);
  await start();
};

exports.deactivate = () => client?.stop();
