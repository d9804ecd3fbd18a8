#!/usr/bin/env python3
"""Moves the corpus of a target between its file and the folder that libFuzzer reads.

    pack.py unpack corpus/TARGET FOLDER
    pack.py pack FOLDER corpus/TARGET

The file has an input a line: printable ASCII as it is, every other byte, a backslash and a `#` at the beginning as
`\\xNN`. A line `# NAME` names the next one after what it shows.
"""

import hashlib
import pathlib
import sys


def escaped(data):
    text = "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}" for byte in data)
    return text.replace("#", "\\x23", 1) if text.startswith("#") else text


def unpack(file, folder):
    folder.mkdir(parents=True, exist_ok=True)
    name = None
    for line in file.read_text().splitlines():
        if line.startswith("# "):
            name = line[2:]
            continue
        data = line.encode().decode("unicode_escape").encode("latin-1")
        (folder / (name or hashlib.sha1(data).hexdigest())).write_bytes(data)
        name = None


def pack(folder, file):
    unnamed, named = [], []
    for path in sorted(folder.iterdir()):
        text = escaped(path.read_bytes())
        # libFuzzer names inputs by their hash.
        if len(path.name) == 40:
            unnamed.append(f"{text}\n")
        else:
            named.append(f"# {path.name}\n{text}\n")
    file.write_text("".join(named + sorted(unnamed)))


command, source, target = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
{"pack": pack, "unpack": unpack}[command](source, target)
