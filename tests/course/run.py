#!/usr/bin/env python3
"""Checks the course itself: the starters compute what they claim, and the pages print what the starters compute.

    python3 tests/course/run.py [WORD]      only the checks whose name holds WORD

Needs the Python standard library, and g++ for the CUDA starter. Prints a line a check; exit status 1 if one failed.
"""
import sys
import time

sys.dont_write_bytecode = True

import guide
import lab_01
import lab_04
import lab_10_diffuser
import page_figures
from course import Skipped

MODULES = [guide, lab_01, lab_04, lab_10_diffuser, page_figures]


def main() -> int:
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    passed = failed = skipped = 0
    for module in MODULES:
        for check in module.CHECKS:
            name = f"{module.__name__}: {check.__doc__.splitlines()[0].rstrip('.')}"
            if word not in name:
                continue
            start = time.monotonic()
            try:
                check()
            except AssertionError as error:
                failed += 1
                print(f"FAIL {name}: {error}")
            except Skipped as error:
                skipped += 1
                print(f"skipped: {error} ({name})")
            except Exception as error:  # a starter that no longer runs, a table that no longer parses
                failed += 1
                print(f"FAIL {name}: {type(error).__name__}: {error}")
            else:
                passed += 1
                print(f"ok   {name} ({time.monotonic() - start:.1f} s)")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
