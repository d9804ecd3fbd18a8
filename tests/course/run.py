#!/usr/bin/env python3
"""Checks the starters of the course: they compute what they claim, and a change of their numbers reaches the pages.

    python3 tests/course/run.py [WORD]...   only the checks whose name holds one of the words

Needs Python and g++. numpy, NVIDIA's compiler and two linters are installed below the build folder at first use
(450 MB). With VERIFY_TORCH=1 the starters that need PyTorch or Triton run as well (another 3 GB); otherwise what they
printed the last time, golden/*.json, is used. Prints a line a check; exit status 1 if one failed.
"""
import importlib
import pathlib
import sys
import time

sys.dont_write_bytecode = True

import guide
import limits
import measure
import mutation
import outputs
import practice
import reading
import roofline
from course import Skipped

LABS = [importlib.import_module(file.stem) for file in sorted(pathlib.Path(__file__).parent.glob("lab_*.py"))]
CHECKS = [(module, check) for module in (guide, limits, reading, practice, roofline, *LABS, outputs, measure, mutation) for check in module.CHECKS]


def main() -> int:
    words = sys.argv[1:] or [""]
    passed = failed = skipped = 0
    for module, check in CHECKS:
        name = f"{module.__name__}: {check.__doc__.splitlines()[0].rstrip('.')}"
        if not any(word in name for word in words):
            continue
        start = time.monotonic()
        try:
            counts = check()
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
            print(f"ok   {name}{f': {counts}' if counts else ''} ({time.monotonic() - start:.1f} s)")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
