#!/usr/bin/env python3
"""Times the six kernels of transpose.cu on a GPU. Prints JSON.

    python3 measure.py                 on an NVIDIA GPU, with nvcc
    python3 measure.py --device cpu    in the emulator, without times

transpose.cu itself measures as one should: events around each launch, a pass
to warm up, a median of 21, and a matrix that is larger than any L2 cache.
This script runs the whole program several times, because another process
gets other memory and other clock rates. Compare each kernel with the copy,
which moves the same bytes. It is not the best copy: nvcc lets three of its
four loads come before the first store, and the tiled kernels have all four.
"""
import argparse
import datetime
import json
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
SIDE, PASSES, RUNS = 8192, 21, 5
LINE = re.compile(r".* x +\d+ +(\w+) +(PASS|FAIL) +median (\S+) ms")


def ask(*words, good=(0,)):
    """What a program prints; if it fails, its reason and status 2."""
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode not in good:
        reason = (done.stderr or done.stdout).strip()
        print(f"{words[0]} failed: {reason}", file=sys.stderr)
        sys.exit(2)
    return done.stdout.strip()


def facts():
    """What somebody needs who compares this with another measurement."""
    fields = "name,driver_version,memory.total,clocks.max.sm,clocks.max.mem"
    names = "device", "driver", "memory", "highest_sm", "highest_memory"
    card = ask("nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader")
    return {"date": datetime.date.today().isoformat(),
            **dict(zip(names, card.splitlines()[0].split(", "))),
            "nvcc": re.search(r"V([\d.]+)", ask("nvcc", "--version"))[1]}


def runs_on_gpu():
    """What the program printed in each of several processes."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "transpose")
        ask("nvcc", "-std=c++17", "-O3", "-arch=native",
            str(FOLDER / "transpose.cu"), "-o", program)
        return [ask(program, str(SIDE), str(SIDE), str(PASSES), good=(0, 1))
                for _ in range(RUNS)]  # 1: a kernel is wrong


def runs_on_cpu():
    """The same from lab 04's emulator, with few floats; times are NaN."""
    sys.path.insert(0, str(FOLDER.parent / "lab-04-cuda-reduce"))
    from emulate import emulate
    source = (FOLDER / "transpose.cu").read_text(encoding="utf-8")
    runs = emulate(source, "64", "64", "1").values()
    return [run.stdout.strip() for run in runs]


def summary(outputs, side):
    found = {}
    for line in "\n".join(outputs).splitlines():
        name, verdict, ms = LINE.match(line).groups()
        entry = found.setdefault(name, {"right": True, "medians_ms": []})
        entry["right"] &= verdict == "PASS"
        if not math.isnan(float(ms)):
            entry["medians_ms"].append(float(ms))
    for entry in found.values():
        if entry["medians_ms"]:
            entry["median_ms"] = statistics.median(entry["medians_ms"])
            entry["gbyte_per_s"] = 8e-6 * side**2 / entry["median_ms"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    device = parser.parse_args().device
    needs = ["nvcc", "nvidia-smi"] if device == "cuda" else ["g++"]
    if missing := [name for name in needs if not shutil.which(name)]:
        print(f"this measurement needs {' and '.join(missing)}"
              + (" and an NVIDIA GPU" if device == "cuda" else ""),
              file=sys.stderr)
        return 2
    if device == "cuda":
        found = facts() | {"side": SIDE, "passes": PASSES, "runs": RUNS,
                           "kernels": summary(runs_on_gpu(), SIDE)}
    else:
        found = {"date": datetime.date.today().isoformat(), "side": 64,
                 "device": "CPU, a test of the script",
                 "kernels": summary(runs_on_cpu(), 64)}
    print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
