"""Tests that what a lab shows of a program's output is what the program prints today."""
import json
import re
import shlex
import subprocess
import sys

from course import CODE
from limits import LABS, body


def outputs():
    """An output on a page is an excerpt of a record, which the build compares."""
    for file in LABS:
        copies = re.findall(r"(?m)^```text\n(.*)", body(file.read_text(encoding="utf-8")))
        assert not copies, f"{file.name} has a copy: {copies}"


def records():
    """A record that is text is what its command prints."""
    for file in sorted(CODE.glob("*/records/*.json")):
        record = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(record["output"], str):
            program, *words = shlex.split(record["command"])
            command = [sys.executable, "-B", *words] if program == "python3" else [program, *words]
            printed = subprocess.run(command, cwd=file.parent.parent, capture_output=True, text=True, check=True).stdout
            assert printed == record["output"], f"{file.parent.parent.name}: {record['command']}"


CHECKS = [outputs, records]
