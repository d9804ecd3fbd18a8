"""Tests that every block of output in labs 07 to 12 is what the program of the lab prints today."""
import functools
import re
import subprocess
import sys

from course import CODE
from practice import ASKED

# The commands whose output a lab shows, in order; None: checked elsewhere, because it needs PyTorch or is a quotation.
SHOWN = {
    "lab-07-flashattention": [None],
    "lab-08-zero-fsdp": [None, ["lab-08-zero-fsdp", "zero_memory_accounting.py"]],
    "lab-09-nsight-profiling": [["lab-09-nsight-profiling", "verdict.py", "h200-step-8-rows.csv", "h200-shuffle.csv", "h200-sequential.csv",
                                 "h200-tiled.csv"]],
    "lab-10-vllm-serving": [["lab-10-vllm-serving", "ceilings.py"], None, ["lab-10-vllm-serving", "simulate.py"]],
    "lab-11-quantization": [["lab-11-quantization", "rounding_error.py", "--example"], ["lab-11-quantization", "rounding_error.py"], None,
                            ["lab-11-quantization", "plan.py"]],
    "lab-12-64gpu-design": [["lab-12-64gpu-design", "layouts.py"], ["lab-12-64gpu-design", "layouts.py", "--vary"]],
    "lab-10-quantization-reading": [["lab-10-quantization-reading", "plan.py"]] * 4,
    "lab-10-memory-optimization-reading": [["lab-10-memory-optimization-reading", "peaks.py"]] * 3,
}


@functools.cache
def printed(folder: str, *command: str) -> list[str]:
    return subprocess.run([sys.executable, "-B", *command], cwd=CODE / folder, capture_output=True, text=True,
                          check=True).stdout.splitlines()


def outputs():
    """Every output on a page is made of lines that the program prints, in their order."""
    for file in ASKED:
        blocks = re.findall(r"(?ms)^```text\n(.*?)^```$", file.read_text(encoding="utf-8"))
        assert len(blocks) == len(SHOWN[file.stem]), f"{file.name} shows {len(blocks)} outputs"
        for block, command in zip(blocks, SHOWN[file.stem]):
            rest = iter(printed(*command) if command else block.splitlines())
            for line in block.splitlines():
                assert any(line.rstrip() == other.rstrip() for other in rest), f"{file.name}: {command[1:]} does not print {line!r} here"


CHECKS = [outputs]
