"""How soon `infralens serve` answers with new bytes after a save: of a paragraph, a title or a line of a starter."""
import http.client
import os
import re
import statistics
import subprocess
import threading
import time
from pathlib import Path

KINDS = ["paragraph", "title", "starter line"]
COLUMNS = [*KINDS, "CPU per save", "ready after", "peak memory"]
# Seconds before each save, so that the work of the last one is over.
REST = 1.0


def measure(program: str, course: Path, saves: int) -> list[str]:
    """Measures edits of the second lab of the first track, and of the third lab's starter, which no record has read.
    Returns the cells of `COLUMNS`."""
    lab, other = (next(course.glob(f"content/tracks/track-001/labs/lab-0{number}-*.md")) for number in (2, 3))
    starter = next(path for path in (course / "code" / other.stem).iterdir() if path.name != "README.md")
    page, code = lab.read_text(), starter.read_text()
    start = time.monotonic()
    process = subprocess.Popen([program, "serve", "--port", "0", "--root", course], stdout=subprocess.PIPE, text=True)
    try:
        host = re.search("//([^/]+)/", process.stdout.readline())[1]
        threading.Thread(target=process.stdout.read, daemon=True).start()
        of_lab = f"/tracks/track-001/labs/{lab.stem}.html"
        of_starter = f"/code/{other.stem}/{starter.name}.html"
        wait(host, of_lab, b"</html>")
        ready = time.monotonic() - start
        edits = {
            "paragraph": (lab, of_lab, lambda mark: f"{page}\nA sentence with {mark}.\n"),
            "title": (lab, of_lab, lambda mark: page.replace('title: "', f'title: "{mark} ', 1)),
            "starter line": (starter, of_starter, lambda mark: f"{code}# {mark}\n"),
        }
        cells, before = [], cpu(process.pid)
        for kind in KINDS:
            file, address, edited = edits[kind]
            times = []
            for save in range(saves):
                time.sleep(REST)
                mark = f"mark{save}of{kind.replace(' ', '')}"
                text = edited(mark)
                start = time.monotonic()
                file.write_text(text)
                wait(host, address, mark.encode())
                times.append((time.monotonic() - start) * 1000)
            cells.append(f"{statistics.median(times):.0f} ({max(times):.0f}) ms")
        time.sleep(REST)
        spent = (cpu(process.pid) - before) / (saves * len(KINDS))
        peak = int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())[1]) / 1024
        return [*cells, f"{spent * 1000:.0f} ms", f"{ready:.1f} s", f"{peak:.0f} MB"]
    finally:
        process.terminate()
        process.wait(30)


def wait(host: str, address: str, mark: bytes):
    """Requests a page every two milliseconds until a mark is in it."""
    end = time.monotonic() + 60
    connection = http.client.HTTPConnection(host, timeout=60)
    while time.monotonic() < end:
        try:
            connection.request("GET", address)
            if mark in connection.getresponse().read():
                connection.close()
                return
        except (OSError, http.client.HTTPException):
            connection.close()  # The next request opens it again.
        time.sleep(0.002)
    raise SystemExit(f"{address} was not served with {mark.decode()} within a minute")


def cpu(process: int) -> float:
    """Returns the seconds of CPU time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
