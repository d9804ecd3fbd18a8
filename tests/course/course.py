"""What the checks share: the course's folders, the tools that a check may need, and the results of long runs."""
import functools
import hashlib
import importlib.util
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTENT = ROOT / "content"
CODE = ROOT / "code"
HERE = ROOT / "tests" / "course"
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "debug" / "infralens"


class Skipped(Exception):
    """Raised by a check that cannot run here; its text is the reason."""


@functools.cache
def python(tools: str) -> pathlib.Path:
    """A Python that has the packages of requirements/TOOLS.txt, installed below the build folder at first use."""
    wanted = (HERE / "requirements" / f"{tools}.txt").read_text(encoding="utf-8")
    folder = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "course" / tools
    done = folder / "installed.txt"
    if not done.exists() or done.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        quiet = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run([sys.executable, "-m", "venv", str(folder)], **quiet)
        subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "-r",
                        str(HERE / "requirements" / f"{tools}.txt")], **quiet)
        done.write_text(wanted, encoding="utf-8")
    return folder / "bin" / "python"


def load(file: pathlib.Path):
    """Imports a file of a starter's folder."""
    name = f"{file.parent.name}/{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    sys.modules[name] = loaded = importlib.util.module_from_spec(spec)  # a data class looks itself up there
    spec.loader.exec_module(loaded)
    return loaded


def tool(name: str) -> str:
    """Path of a program that the light requirements install beside their Python."""
    return str(python("light").parent / name)


def transcript(file: pathlib.Path) -> list[str]:
    """The lines that a program printed, from a file that begins with the command, the day and the versions."""
    command, versions, *lines = file.read_text(encoding="utf-8").splitlines()
    assert command.startswith("$ ") and versions.startswith("# 20") and "torch 2.15.0" in versions, f"{file.name}: {command}"
    return lines


def _digest(starter: pathlib.Path) -> str:
    return hashlib.sha256(starter.read_bytes()).hexdigest()


def golden(lab: str, starter: pathlib.Path) -> dict:
    """What the starter printed when it last ran with PyTorch or Triton; refused if the starter has changed since."""
    stored = json.loads((HERE / "golden" / f"{lab}.json").read_text(encoding="utf-8"))
    assert stored["starter"] == _digest(starter), \
        f"{starter.name} has changed since golden/{lab}.json: run it again with VERIFY_TORCH=1 UPDATE=1"
    return stored["figures"]


def verify(lab: str, starter: pathlib.Path, run) -> None:
    """Runs a starter with PyTorch and compares its figures with the golden ones, or with UPDATE=1 stores them.

    `run` is handed a Python with the packages of requirements/torch.txt and returns a dict for JSON. Skipped unless
    VERIFY_TORCH=1, because the packages take some 3 GB to fetch; what is skipped here is still compared with the pages.
    """
    if os.environ.get("VERIFY_TORCH") != "1":
        raise Skipped("set VERIFY_TORCH=1 to run it with PyTorch, a download of some 3 GB")
    figures = run(python("torch"))
    file = HERE / "golden" / f"{lab}.json"
    if os.environ.get("UPDATE") == "1":
        stored = {"starter": _digest(starter),
                  "requirements": (HERE / "requirements" / "torch.txt").read_text(encoding="utf-8").split(),
                  "figures": figures}
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(stored, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    _same(golden(lab, starter), json.loads(json.dumps(figures)), lab)


def _same(expected, got, where: str) -> None:
    """Equal in shape and in every integer and text; floats to five digits."""
    if isinstance(expected, dict) and isinstance(got, dict):
        assert expected.keys() == got.keys(), f"{where}: {sorted(got)}, expected {sorted(expected)}"
        for key, value in expected.items():
            _same(value, got[key], f"{where}.{key}")
    elif isinstance(expected, list) and isinstance(got, list):
        assert len(expected) == len(got), f"{where}: {len(got)} entries, expected {len(expected)}"
        for number, (a, b) in enumerate(zip(expected, got)):
            _same(a, b, f"{where}[{number}]")
    elif isinstance(expected, float) and isinstance(got, float):
        assert math.isclose(expected, got, rel_tol=1e-5, abs_tol=1e-9), f"{where}: {got}, expected {expected}"
    else:
        assert expected == got, f"{where}: {got}, expected {expected}"
