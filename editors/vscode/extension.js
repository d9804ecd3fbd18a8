// The client of the language server, and the two commands that only VS Code needs.
"use strict";

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
  context.subscriptions.push(restart, showNotes);
  await start();
};

exports.deactivate = () => client?.stop();
