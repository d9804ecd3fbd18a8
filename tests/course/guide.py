"""The token bucket that the guide quotes, in Python and in C++."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import course

FOLDER = course.CODE / "guide"


def printed(*command) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def lines() -> dict:
    rows = printed(sys.executable, str(FOLDER / "bucket.py")).splitlines()
    return dict(row.split() for row in rows)


def rush():
    """a rush is served as far as the notes say: all, one a second, five and then one a second."""
    served = lines()
    assert served["open"] == "x" * 24, served
    assert served["strict"].count("x") == 5 and served["strict"].endswith("x---"), served
    assert served["bursty"].startswith("xxxxx") and served["bursty"].endswith("---x---"), served
    assert served["bursty"].count("x") <= 5 + 6, served


def in_cpp():
    """the bucket in C++ serves the same requests."""
    if not shutil.which("g++"):
        raise course.Skipped("g++ is missing")
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "bucket")
        subprocess.run(["g++", "-Wall", "-Werror", "-o", program, str(FOLDER / "bucket.cpp")], check=True, timeout=120)
        assert printed(program).strip() == lines()["bursty"]


CHECKS = [rush, in_cpp]
