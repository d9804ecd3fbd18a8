#!/usr/bin/env python3
"""Times the kernels of reduce.cu and CUB's sum on a GPU. Prints JSON.

    python3 measure.py                 on an NVIDIA GPU, with nvcc
    python3 measure.py --device cpu    in the emulator, without times

reduce.cu itself measures as one should: events around each launch, a pass
to warm up, a median of 21, and copies of the input that are together four
times as large as L2. This script runs the whole program several times,
because another process gets other memory and other clock rates.
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
FLOATS, PASSES, RUNS = 1 << 24, 21, 5
LINE = re.compile(r"(.+?)\s+(PASS|FAIL)\s+sum .*median (\S+) ms")


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
    """What the program printed in each of several processes, with CUB."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "reduce")
        ask("nvcc", "-std=c++17", "-O3", "-arch=native", "-DWITH_CUB",
            str(FOLDER / "reduce.cu"), "-o", program)
        return [ask(program, str(FLOATS), str(PASSES), good=(0, 1))
                for _ in range(RUNS)]  # 1: a kernel is wrong


def runs_on_cpu():
    """The same from the emulator, with few floats; each time is NaN."""
    from emulate import emulate
    source = (FOLDER / "reduce.cu").read_text(encoding="utf-8")
    runs = emulate(source, "10000", "1").values()
    return [run.stdout.strip() for run in runs]


def summary(outputs, floats):
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
            entry["gbyte_per_s"] = 4e-6 * floats / entry["median_ms"]
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
        found = facts() | {"floats": FLOATS, "passes": PASSES, "runs": RUNS,
                           "kernels": summary(runs_on_gpu(), FLOATS)}
    else:
        found = {"date": datetime.date.today().isoformat(), "floats": 10_000,
                 "device": "CPU, a test of the script",
                 "kernels": summary(runs_on_cpu(), 10_000)}
    print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
