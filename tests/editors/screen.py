"""Neovim in a terminal of its own: keys go in, and the screen comes out as text or as a picture."""

import fcntl
import html
import os
import pathlib
import pty
import select
import struct
import subprocess
import termios
import time

import pyte

# Colors of the picture: those of a terminal with a light background.
INK, PAPER = "#1d2733", "#ffffff"
COLORS = {"black": "#1d2733", "red": "#b3261e", "green": "#1a6b35", "brown": "#8a5a00", "blue": "#1f5fbf",
          "magenta": "#8a3ab9", "cyan": "#006d77", "white": "#d7dde4"}
WIDTH, HEIGHT, SIZE = 8.4, 18, 14


class Neovim:
    """Neovim with a screen of so many columns and rows."""

    def __init__(self, command: list, folder: pathlib.Path, environment: dict, columns: int, rows: int):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = environment | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave,
                                        start_new_session=True)
        os.close(slave)

    def settle(self, quiet: float = 0.5, limit: float = 60):
        """Reads what Neovim draws until it draws nothing for a while."""
        end = time.monotonic() + limit
        while time.monotonic() < end and select.select([self.master], [], [], quiet)[0]:
            self.stream.feed(os.read(self.master, 65536))

    def keys(self, text: str, quiet: float = 0.5):
        os.write(self.master, text.encode())
        self.settle(quiet)

    def typed(self, text: str, pause: float = 0.05):
        """Types as a person does, one key after another."""
        for key in text:
            self.keys(key, pause)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait(self, what: str, limit: float = 60):
        """Waits until a text is on the screen."""
        end = time.monotonic() + limit
        while what not in self.text():
            assert time.monotonic() < end, f"waited in vain for {what!r}:\n{self.text()}"
            self.settle(0.1, 1)

    def picture(self, title: str) -> str:
        """The screen as SVG."""
        columns, rows = self.screen.columns, self.screen.lines
        width, height = columns * WIDTH, rows * HEIGHT
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
               f'font-family="monospace" font-size="{SIZE}"><title>{html.escape(title)}</title>'
               f'<rect width="100%" height="100%" fill="{PAPER}"/>']
        for row in range(rows):
            cells = [self.screen.buffer[row][column] for column in range(columns)]
            start = 0
            while start < columns:
                style = look(cells[start])
                end = start
                while end < columns and look(cells[end]) == style:
                    end += 1
                out.append(run("".join(cell.data for cell in cells[start:end]), style, start, row))
                start = end
        return "\n".join([*(line for line in out if line), "</svg>", ""])

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def look(cell) -> tuple:
    ink, paper = color(cell.fg, INK), color(cell.bg, PAPER)
    return (paper, ink, cell.bold, cell.underscore) if cell.reverse else (ink, paper, cell.bold, cell.underscore)


def color(name: str, default: str) -> str:
    if name == "default":
        return default
    return COLORS.get(name.removeprefix("bright"), f"#{name}" if len(name) == 6 else default)


def run(text: str, style: tuple, column: int, row: int) -> str:
    """Cells of one look."""
    ink, paper, bold, underlined = style
    x, y, out = column * WIDTH, row * HEIGHT, ""
    if paper != PAPER:
        out = f'<rect x="{x:g}" y="{y}" width="{len(text) * WIDTH:g}" height="{HEIGHT}" fill="{paper}"/>'
    lead = len(text) - len(text.lstrip())
    shown = text.strip()
    if shown:
        extra = (' font-weight="bold"' if bold else "") + (' text-decoration="underline"' if underlined else "")
        extra += "" if ink == INK else f' fill="{ink}"'
        length = f'{len(shown) * WIDTH:g}'
        out += (f'<text x="{x + lead * WIDTH:g}" y="{y + 14}" textLength="{length}" xml:space="preserve"{extra}>'
                f"{html.escape(shown, quote=False)}</text>")
    return out
