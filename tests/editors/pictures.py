#!/usr/bin/env python3
"""Makes the pictures of the guide's page on editors: the screen of Neovim, with the settings of `infralens editor neovim`.

    python3 tests/editors/pictures.py --program target/debug/infralens

They show the example course that `infralens init` makes. The clients are installed as for `run.py`. Run it again if what the
server says has changed, and look at the pictures.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import run

PICTURES = run.ROOT / "content" / "guide"
SETTINGS = """
set shortmess+=I noshowcmd noruler laststatus=0 signcolumn=no background=light termguicolors
set completeopt=menuone,noselect,popup pumheight=7 nowrap noswapfile
colorscheme default
highlight Normal guibg=#ffffff
lua vim.diagnostic.config({ virtual_text = false, virtual_lines = { current_line = true } })
lua vim.lsp.inlay_hint.enable(true)
lua vim.o.winborder = "rounded"
luafile .nvim.lua
"""
ESCAPE = "\x1b"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=run.TARGET / "debug" / "infralens")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    if not arguments.inside:
        command = [run.clients() / "python", __file__, "--inside", "--program", program]
        sys.exit(subprocess.run(command, check=False).returncode)
    with tempfile.TemporaryDirectory(prefix="infralens-pictures-") as folder:
        draw(program, pathlib.Path(folder))


def draw(program: pathlib.Path, folder: pathlib.Path):
    from screen import Neovim

    root = run.course(program, folder)
    page = run.lab(root)
    settings = folder / "init.vim"
    settings.write_text(SETTINGS, encoding="utf-8")
    environment = run.environment(program, root)
    nvim = Neovim([run.clients() / "nvim", "-n", "-u", settings, page], root, environment, 96, 17)

    def save(name: str, title: str):
        (PICTURES / f"editor-{name}.svg").write_text(nvim.picture(title), encoding="utf-8")
        print(nvim.text(), "\n" + "=" * 96)

    try:
        nvim.wait(" words", 60)
        # A misspelled region, its fix, and what is behind the right one.
        nvim.keys("/file=#put\rzt3\x19f#3lrr", 1)
        nvim.wait("did you mean", 60)
        save("diagnostics", "A region that does not exist is marked, and the message names the one that is meant")
        nvim.keys("u:echo\r", 1)
        nvim.keys("K", 1.5)
        nvim.wait("L15-L21", 60)
        save("hover", "Under the cursor, the code of the region as it is now")
        nvim.keys(ESCAPE + ESCAPE, 0.5)
        # A new note: what no note explains yet.
        nvim.keys("/^3. .self.count\rzt4\x19o", 0.5)
        nvim.typed("4. `")
        nvim.keys("\x18\x0f", 1.5)
        save("completion", "At the start of a note, the names of the excerpt that no note explains yet")
        nvim.keys(ESCAPE + ":edit! %\r", 0.5)
        # The starter, with how many notes explain its lines.
        nvim.keys(":edit code/lab-01-ring/ring.py\r", 1)
        nvim.keys(":lua vim.lsp.codelens.refresh()\r", 2)
        nvim.keys("/class Ring\rzt:noh\r:echo\r", 1)
        save("lens", "Above the lines of a starter, how many notes explain them, and on which page")
    finally:
        nvim.close()


if __name__ == "__main__":
    main()
