// Drives the preview of the extension for Visual Studio Code without the editor: with a `vscode` that does nothing but remember.
// The arguments are the program, a lab, its starter, and a line of it that the lab shows, from 1.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const path = require("node:path");

const [program, page, starter, line] = process.argv.slice(2);
const commands = {};
const panels = [];
const closed = [];
let moved = () => {};
let selected = { document: { uri: { fsPath: page } }, selection: { active: { line: 0 } } };

class LanguageClient {
  async start() {}
  async stop() {}
}

const vscode = {
  ViewColumn: { Beside: -2 },
  commands: { registerCommand: (name, run) => { commands[name] = run; } },
  window: {
    get activeTextEditor() { return selected; },
    showErrorMessage: (text) => { throw new Error(text); },
    onDidChangeTextEditorSelection: (run) => { moved = run; return { dispose() {} }; },
    createWebviewPanel: () => {
      const panel = { webview: { html: "" }, onDidDispose: (run) => closed.push(run) };
      panels.push(panel);
      return panel;
    },
  },
  workspace: { getConfiguration: () => ({ get: () => program }) },
};

const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return vscode;
  return name === "vscode-languageclient/node" ? { LanguageClient, TransportKind: {} } : load(name, ...rest);
};

/** Waits until something is there. */
async function until(find, what) {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = find();
    if (found) return found;
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
  throw new Error(`there is no ${what}`);
}

async function main() {
  const extension = require(path.join(__dirname, "..", "..", "editors", "vscode", "extension.js"));
  await extension.activate({ subscriptions: [] });
  await commands["infralens.openPreview"]();
  const url = await until(() => /<iframe src="([^"]+)"/.exec(panels[0].webview.html)?.[1], "preview");
  const answer = await fetch(url);
  assert.strictEqual(answer.status, 200);
  assert.match(answer.headers.get("content-security-policy") ?? "", /frame-ancestors .*vscode-webview:/);

  // A browser is told where to go when the cursor moves: on a page, and in a starter.
  let events = "";
  const stream = await fetch(new URL("/.infralens/events", url));
  (async () => {
    for await (const chunk of stream.body) events += new TextDecoder().decode(chunk);
  })().catch(() => {});
  const name = path.basename(page, ".md");
  await until(() => events.includes(name), `event for ${name}; there are ${events}`);
  events = "";
  selected = { document: { uri: { fsPath: starter } }, selection: { active: { line: Number(line) - 1 } } };
  moved();
  await until(() => events.includes(name), "event for a line of the starter");
  closed.forEach((run) => run());
  process.exit(0);
}

main().catch((error) => {
  closed.forEach((run) => run());
  console.error(error);
  process.exit(1);
});
