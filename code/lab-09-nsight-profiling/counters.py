#!/usr/bin/env python3
"""The counters of each kernel in a raw report of ncu, as JSON: those that
`--metrics` asked for, of the kernel's last launch.

    ncu --csv --page raw --metrics ... ../lab-04-cuda-reduce/reduce \\
        | python3 counters.py > counters.json

Needs no packages. ncu adds hundreds of facts about the card and the launch;
they are left out.
"""
import csv
import json
import re
import sys

ASKED = re.compile(r"(dram|gpu|l1tex|lts|sm|smsp)__\w+"
                   r"(\.sum|\.ratio|\.avg\.pct_of_peak_sustained_\w+)")


def kernels(lines):
    """Kernel, with its template argument -> counter -> value."""
    report = csv.DictReader(line for line in lines if line.startswith('"'))
    found = {}
    for row in report:
        if not row["ID"]:
            continue  # the units
        name = re.match(r"(?:void )?(.+?)\(", row["Kernel Name"])[1]
        found[name] = {
            key: float(value.replace(",", ""))
            for key, value in row.items() if ASKED.fullmatch(key) and value}
    return found


if __name__ == "__main__":
    print(json.dumps(kernels(sys.stdin), indent=1))
