#!/usr/bin/env python3
"""Drives the language server with clients that others wrote: pygls, and Neovim without a screen. Also drives the preview of the
extension for Visual Studio Code, with its editor replaced.

All open the example course that `infralens init` makes. Neovim has the settings that `infralens editor neovim` prints. The
clients are installed below the build folder at first use.
"""

import argparse
import asyncio
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests" / "editors"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()


def clients() -> pathlib.Path:
    """Folder of the programs of the clients."""
    wanted = (HERE / "requirements.txt").read_text(encoding="utf-8")
    folder = TARGET / "editors"
    done = folder / "installed.txt"
    if not done.exists() or done.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "-r",
                        str(HERE / "requirements.txt")], check=True)
        done.write_text(wanted, encoding="utf-8")
    return folder / "bin"


def course(program: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The example course, in which a lab names a region that is not there."""
    subprocess.run([program, "init", folder / "queue"], check=True, stdout=subprocess.DEVNULL)
    root = folder / "queue"
    subprocess.run([program, "editor", "neovim", "--write", "--root", root], check=True, stdout=subprocess.DEVNULL)
    return root.resolve()


def lab(root: pathlib.Path) -> pathlib.Path:
    return sorted(root.glob("content/tracks/*/labs/lab-*.md"))[0]


async def with_pygls(program: pathlib.Path, root: pathlib.Path):
    from lsprotocol import types
    from pygls.lsp.client import LanguageClient

    client = LanguageClient("tests", "1")
    shown = {}

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params):
        shown[params.uri] = params.diagnostics

    await client.start_io(str(program), "lsp")
    folder = types.WorkspaceFolder(uri=root.as_uri(), name="course")
    answer = await client.initialize_async(types.InitializeParams(
        capabilities=types.ClientCapabilities(), root_uri=root.as_uri(), workspace_folders=[folder]))
    assert answer.server_info.name == "infralens", answer
    client.initialized(types.InitializedParams())
    page = lab(root)
    text = page.read_text(encoding="utf-8")
    document = types.TextDocumentIdentifier(uri=page.as_uri())
    client.text_document_did_open(types.DidOpenTextDocumentParams(
        types.TextDocumentItem(uri=page.as_uri(), language_id="markdown", version=1, text=text)))
    lines = text.splitlines()
    fence = next(number for number, line in enumerate(lines) if "file=#" in line or ".py#" in line)
    selector = lines[fence].index("#") + 1

    at = types.Position(line=fence, character=selector + 1)
    hover = await client.text_document_hover_async(types.HoverParams(document, at))
    assert "~~~~python" in hover.contents.value, hover
    found = await client.text_document_definition_async(types.DefinitionParams(document, at))
    assert found[0].uri.endswith(".py"), found
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert symbols, "the page has sections"
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert folds, "the page has fences"
    links = await client.text_document_document_link_async(types.DocumentLinkParams(document))
    assert links and all(link.target for link in links), links
    everything = types.Range(start=types.Position(0, 0), end=types.Position(len(lines), 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, everything))
    assert any("min" in str(hint.label) for hint in hints), hints
    starter = types.TextDocumentIdentifier(uri=found[0].uri)
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(starter))
    assert any("note" in lens.command.title for lens in lenses), lenses
    uses = await client.text_document_references_async(types.ReferenceParams(
        types.ReferenceContext(include_declaration=True), starter, lenses[0].range.start))
    assert any(place.uri == page.as_uri() for place in uses), uses

    # A region gets another name in its markers and wherever it is named, and so does a page.
    edit = await client.text_document_rename_async(types.RenameParams(document, at, "another-name"))
    changed = {uri.rsplit("/", 1)[-1] for uri in edit.changes}
    assert {page.name, found[0].uri.rsplit("/", 1)[-1]} <= changed, edit
    moved = page.with_name(page.name.replace("lab-01-", "lab-07-"))
    section = next(root.glob("content/tracks/*/handbook/01-*.md"))
    other = section.with_name(section.name.replace("01-", "09-"))
    edit = await client.workspace_will_rename_files_async(types.RenameFilesParams(
        [types.FileRename(old_uri=section.as_uri(), new_uri=other.as_uri())]))
    assert edit.changes, "the links to it follow"
    # The starter's folder would move with the lab, for which this client has no words.
    edit = await client.workspace_will_rename_files_async(types.RenameFilesParams(
        [types.FileRename(old_uri=page.as_uri(), new_uri=moved.as_uri())]))
    assert edit is None, edit

    # A misspelled region is an error, whose fix is the text as it was.
    name = lines[fence][selector:].split()[0].split("`")[0]
    broken = lines[fence].replace(f"#{name}", f"#{name[:-1]}x{name[-1]}")
    edit = types.TextDocumentContentChangePartial(
        range=types.Range(start=types.Position(fence, 0), end=types.Position(fence, len(lines[fence]))), text=broken)
    client.text_document_did_change(types.DidChangeTextDocumentParams(
        types.VersionedTextDocumentIdentifier(uri=page.as_uri(), version=2), [edit]))
    actions = await client.text_document_code_action_async(types.CodeActionParams(
        document, types.Range(start=at, end=at), types.CodeActionContext(diagnostics=[])))
    errors = [one for one in shown[page.as_uri()] if one.severity == types.DiagnosticSeverity.Error]
    assert any(error.range.start.line == fence for error in errors), shown
    assert any(name in action.title for action in actions), actions
    items = await client.text_document_completion_async(types.CompletionParams(
        document, types.Position(fence, broken.index("#") + 1)))
    items = items if isinstance(items, list) else items.items
    assert any(item.label == name for item in items), items

    client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert not any(one.severity == types.DiagnosticSeverity.Error for one in shown[page.as_uri()]), "the file is right"
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


def environment(program: pathlib.Path, root: pathlib.Path) -> dict[str, str]:
    """What Neovim is started with: the program, and no settings of the person who runs this."""
    own = {f"XDG_{name.upper()}_HOME": str(root.parent / name) for name in ("config", "data", "state", "cache")}
    return os.environ | own | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


def with_neovim(nvim: pathlib.Path, program: pathlib.Path, root: pathlib.Path):
    settings = environment(program, root) | {"INFRALENS_PAGE": str(lab(root))}
    run = subprocess.run([nvim, "--headless", "-u", "NONE", "-l", HERE / "neovim.lua"], cwd=root, env=settings,
                         timeout=120, check=False)
    assert run.returncode == 0, "Neovim saw something else; its output says what"


def with_vscode(program: pathlib.Path, root: pathlib.Path):
    """The extension alone, where Node.js is: the editor itself is not in any package index."""
    starter = next(file for file in sorted((root / "code").glob("lab-01-*/*")) if "ANCHOR:" in file.read_text("utf-8"))
    text = starter.read_text(encoding="utf-8").splitlines()
    shown = next(number for number, line in enumerate(text, 1) if "ANCHOR:" in line) + 1
    subprocess.run(["node", HERE / "vscode.js", program, lab(root), starter, str(shown)], timeout=120, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=TARGET / "debug" / "infralens")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    if not arguments.inside:
        # The client library is there alone.
        python = clients() / "python"
        sys.exit(subprocess.run([python, __file__, "--inside", "--program", program], check=False).returncode)
    with tempfile.TemporaryDirectory(prefix="infralens-editors-") as folder:
        root = course(program, pathlib.Path(folder))
        asyncio.run(asyncio.wait_for(with_pygls(program, root), 120))
        print("pygls: ok")
        with_neovim(clients() / "nvim", program, root)
        print("Neovim: ok")
        if shutil.which("node"):
            with_vscode(program, root)
            print("extension for Visual Studio Code: ok")


if __name__ == "__main__":
    main()
