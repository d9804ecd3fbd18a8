"""Lab 09: the profiler commands of profile_commands.sh, the window of step.py, the arithmetic of verdict.py.

Neither nsys nor ncu runs here. Every option, report and metric that the script prints is held against the lists below,
and a stand-in for either tool records what it is handed.
"""
import contextlib
import functools
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import types

from course import CODE, golden, load, tool, verify

FOLDER = CODE / "lab-09-nsight-profiling"
STARTER, STEP, VERDICT = (FOLDER / name for name in ("profile_commands.sh", "step.py", "verdict.py"))
REPORTS = ["h200-step-8-rows.csv", "h200-shuffle.csv", "h200-sequential.csv", "h200-tiled.csv"]  # of 2026-11-26
STEPS = ["clock", "timeline", "summaries", "operators", "memory", "counters"]
REASONS = ["long_scoreboard", "short_scoreboard", "barrier", "lg_throttle", "wait", "mio_throttle", "math_pipe_throttle"]
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"

SYSTEMS = "Nsight Systems User Guide, https://docs.nvidia.com/nsight-systems/UserGuide/index.html (2026-11)"
COMPUTE = "Nsight Compute CLI, https://docs.nvidia.com/nsight-compute/NsightComputeCli/index.html (2026-11)"
# Command -> its options, each with the values that the guide lists (None: any), and the guide.
OPTIONS = {
    "nsys profile": (SYSTEMS, {
        "--trace": {"cuda", "nvtx", "osrt", "cudnn", "cublas", "mpi", "none"},
        "--sample": {"none", "process-tree", "system-wide"}, "--cpuctxsw": {"none", "process-tree", "system-wide"},
        "--capture-range": {"none", "cudaProfilerApi", "nvtx", "hotkey"},
        "--capture-range-end": {"none", "stop", "stop-shutdown"},
        "--pytorch": {"autograd-nvtx", "autograd-shapes-nvtx", "functions-trace", "none"},
        "--force-overwrite": {"true", "false"}, "--output": None}),
    "nsys stats": (SYSTEMS, {
        "--format": {"csv", "table"}, "--output": None,
        "--report": {"cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_api_sum", "nvtx_sum", "nvtx_gpu_proj_sum"}}),
    "ncu": (COMPUTE, {
        "--kernel-name": None, "--launch-skip": None, "--launch-count": None,
        "--clock-control": {"base", "none"}, "--cache-control": {"all", "none"},
        "--set": {"basic", "detailed", "full", "roofline"},
        "--section": {"SpeedOfLight", "WarpStateStats", "SchedulerStats", "Occupancy", "MemoryWorkloadAnalysis", "LaunchStats"}, "--page": {"details", "raw", "source"},
        "--metrics": {"gpu__time_duration.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                      "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                      "sm__warps_active.avg.pct_of_peak_sustained_active",
                      "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
                      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                      *(f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio" for reason in REASONS)},
        "--export": None, "--import": None}),
}
SWITCHES = {"ncu": {"--force-overwrite", "--csv"}}  # options that take no value


def script(*steps: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(STARTER), *steps], capture_output=True, text=True, env={**os.environ, **environment})


@functools.cache
def printed(*steps: str) -> list[list[str]]:
    """The commands of a dry run, word by word."""
    out = script(*steps, RUN="0")
    assert out.returncode == 0 and not out.stderr, out.stderr
    assert all(line.startswith("+ ") for line in out.stdout.splitlines()), out.stdout
    return [line[2:].partition(" > ")[0].split() for line in out.stdout.splitlines()]


def mistakes(words: list[str]) -> list[str]:
    """What is wrong with a command, by the lists above."""
    if words[0] == "python3":
        known = (["step.py"], ["step.py", "--operators", "--trace", "reports/trace.json"],
                 ["step.py", "--memory", "--snapshot", "reports/memory.pickle"],
                 ["verdict.py", "reports/timeline_cuda_gpu_kern_sum.csv", "--steps", "3", "--clock", "reports/clock.txt"], ["verdict.py", "reports/counters.csv"])
        return [] if words[1:] in known else [f"{words[1:]}"]
    command = " ".join(words[:2]) if words[0] == "nsys" else words[0]
    if command not in OPTIONS:
        return [f"no command {command}"]
    (source, known), wrong = OPTIONS[command], []
    rest = iter(words[len(command.split()):])
    for word in rest:
        if not word.startswith("-"):
            break  # the program, or the report to read
        option, equals, value = word.partition("=")
        if option in SWITCHES.get(command, set()):
            continue
        if option not in known:
            wrong.append(f"{command} {option} is not listed from the {source}")
            continue
        value = value if equals else next(rest, "")
        if not value or known[option] is not None and not set(value.split(",")) <= known[option]:
            wrong.append(f"{command} {option} does not take {value!r}")
    return wrong


def option(words: list[str], name: str) -> str:
    for first, second in zip(words, [*words[1:], ""]):
        if first == name:
            return second
        if first.startswith(name + "="):
            return first.partition("=")[2]
    return ""


def shell():
    """bash -n and shellcheck have nothing to say."""
    subprocess.run(["bash", "-n", str(STARTER)], check=True)
    out = subprocess.run([tool("shellcheck"), str(STARTER)], capture_output=True, text=True)
    assert out.returncode == 0, out.stdout


def flags():
    """Every option, value, report and metric of the dry run is on the guides' lists."""
    commands = printed()
    assert [words[0] for words in commands] == ["python3", "nsys", "nsys", *["python3"] * 3, "ncu", "ncu", "python3"], commands
    for words in commands:
        assert not mistakes(words), mistakes(words)
        for word in words:
            assert shlex.split(word) == [word], f"{word} would need quotes"
    for words in commands:
        if words[:2] == ["nsys", "profile"]:
            assert option(words, "--capture-range") == "cudaProfilerApi", words
            assert option(words, "--capture-range-end") == "stop", words
    assert printed() == [words for step in STEPS for words in printed(step)], "steps alone print other commands"


def wrong_flags():
    """A misspelt option, a removed set and an unknown report or metric are refused."""
    for line in ("ncu --set default app", "ncu --launch-skipp 1 app", "nsys profile --capture-rang=nvtx app",
                 "nsys profile --trace=cuda,nvtxt app", "nsys stats --report gpukernsum x.nsys-rep", "nsys prof app",
                 "ncu --metrics sm__throughput.avg.pct app", "ncu --cache-control flush app", "python3 train.py"):
        assert mistakes(line.split()), line


def reports_exist():
    """What is read was written by an earlier step, under the same name."""
    written = set()
    for words in printed():
        for word in [option(words, "--import"), *words[2:]]:
            if word.endswith("-rep"):
                assert word in written, f"{word} is read before it is written"
        for name, ending in (("--output", ".nsys-rep"), ("--export", ".ncu-rep")):
            if option(words, name) and words[1] != "stats":
                written.add(option(words, name) + ending)
    assert written == {"reports/timeline.nsys-rep", "reports/counters.ncu-rep"}, written


def stand_ins(*steps: str):
    """The script with RUN=1 and programs that write down their arguments: result, calls, files left behind."""
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "bin").mkdir()
        log, stub = here / "log", '#!/bin/sh\nprintf "%s" "${0##*/}" >>"$LOG"\nprintf "\\t%s" "$@" >>"$LOG"\necho >>"$LOG"\n'
        for name in ("nsys", "ncu", "python3"):
            (here / "bin" / name).write_text(stub)
            (here / "bin" / name).chmod(0o755)
        out = script(*steps, RUN="1", OUT=str(here / "reports"), LOG=str(log), PATH=f"{here / 'bin'}:{os.environ['PATH']}")
        calls = [line.split("\t") for line in log.read_text().splitlines()] if log.exists() else []
        text = out.stdout.replace(str(here / "reports"), "reports")
        return out, text, [[w.replace(str(here / "reports"), "reports") for w in c] for c in calls], (here / "reports").exists()


def runs_what_it_prints():
    """With RUN=1 the tools receive, in order, exactly the printed words."""
    out, text, calls, made = stand_ins()
    assert out.returncode == 0 and made, out.stderr
    assert calls == printed(), calls
    assert [line[2:].partition(" > ")[0].split() for line in text.splitlines()] == calls


def measured_clock():
    """The gains of a real run are computed from the clock of that run, and without a clock there are none."""
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "bin").mkdir()
        copies = {"nsys": f'cp "{FOLDER / "h200-step-8-rows.csv"}" "$OUT/timeline_cuda_gpu_kern_sum.csv"',
                  "python3": f'if [ "$1" = step.py ]; then echo "$MS ms per step"; else exec "{sys.executable}" -B "$@"; fi'}
        for name, body in copies.items():
            (here / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
            (here / "bin" / name).chmod(0o755)
        def idle(*steps, ms):
            out = script(*steps, RUN="1", OUT=str(here / "reports"), MS=ms, PATH=f"{here / 'bin'}:{os.environ['PATH']}")
            return out.returncode, re.findall(r"(?m)^idle +(\S+) ms", out.stdout), out.stderr
        status, found, errors = idle("summaries", ms="87.00")
        assert status == 2 and not found and "clock.txt" in errors, (status, found, errors)
        assert idle("clock", "summaries", ms="87.00")[:2] == (0, ["12.1"])
        assert idle("clock", "summaries", ms="100.00")[:2] == (0, ["25.1"])


def unknown_step():
    """A misspelt step ends with status 2 before anything has run."""
    out, text, calls, made = stand_ins("clock", "timelin")
    assert (out.returncode, text, calls, made) == (2, "", [], False), (out.returncode, text, calls, made)
    assert "timelin" in out.stderr and "step_counters" in out.stderr, out.stderr
    assert script("timeline", RUN="0").returncode == 0 and not (FOLDER / "reports").exists()


def launch_filters():
    """The kernel that ncu is asked for is one of lab 04's, and the second launch of it is counted."""
    (ncu, _, _) = printed("counters")
    kernel = option(ncu, "--kernel-name").removeprefix("regex:")
    source = (CODE / "lab-04-cuda-reduce" / "reduce.cu").read_text(encoding="utf-8")
    assert re.search(rf"__global__ void\s+(__launch_bounds__\(\w+\)\s+)?{kernel}\(", source), f"lab 04 has no kernel {kernel}"
    assert (option(ncu, "--launch-skip"), option(ncu, "--launch-count")) == ("1", "1"), ncu


@functools.cache
def verdict():
    return load(VERDICT)


@functools.cache
def figures(*arguments: str) -> dict:
    out = subprocess.run([sys.executable, "-B", str(VERDICT), *REPORTS, *arguments, "--json"], cwd=FOLDER,
                         capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def stored(name: str) -> dict:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def amdahl():
    """Gains follow Amdahl's law, bounds included, and add up to the step that the clock measured."""
    found, step = figures(), stored("h200-step-8-rows.json")
    table = {row["name"]: row for row in found["kernels"]}
    assert found["step_ms"] == step["clock_ms"], "the clock beside the report"
    assert math.isclose(sum(row["total_ms"] for row in table.values()), step["clock_ms"])
    assert math.isclose(table["idle"]["total_ms"], step["clock_ms"] - step["kernels_ms"], abs_tol=1e-3)
    launches = sum(row.get("launches", 0) for row in table.values())
    assert math.isclose(launches, step["launches"]), (launches, step["launches"])
    for name, row in table.items():
        share = row["total_ms"] / step["clock_ms"]
        assert math.isclose(row["twice"], 1 / (1 - share / 2)) and math.isclose(row["free"], 1 / (1 - share)), name
        if name != "idle":
            assert math.isclose(row["mean_us"] * row["launches"], row["total_ms"] * 1000), name
    totals = [row["total_ms"] for row in found["kernels"][:-1]]
    assert totals == sorted(totals, reverse=True) and found["kernels"][-1]["name"] == "idle"
    assert max((row for row in found["kernels"][:6]), key=lambda row: row["mean_us"])["name"] == "aten::_softmax"
    shorter = {row["name"]: row for row in figures("--step-ms", "60")["kernels"]}
    assert shorter["idle"]["total_ms"] < 0, "kernels that overlap, or of other steps, sum to more than the step"


def windows():
    """Measured: with the wait a window has whole steps and idle time; without it, a fourth step's kernels and less than none."""
    def large(name):
        return stored(name)["steps"]["width 2048, 2048 rows"]
    good, early = large("h200.json"), large("h200-without-wait.json")
    assert (good["launches"], early["launches"]) == (33, 44) and good["idle_ms"] > 0 > early["idle_ms"], (good, early)
    for name in ("h200-step-8-rows.json", "h200-step-1-row.json"):
        assert stored(name)["launches"] % 1 == 0, name


def decisions():
    """One high percentage names the limit; two low ones are answered by the commonest stall."""
    v = verdict()
    def of(sm, dram, warps=90, **stalls):
        return v.decide({v.SM: sm, v.DRAM: dram, v.WARPS: warps,
                         **{STALL.format(name): value for name, value in stalls.items()}})
    first = {pair: of(*pair)[0] for pair in ((35, 88), (30, 88), (30, 30), (88, 35), (70, 75), (59.9, 59.9))}
    assert first == {(35, 88): "memory-bound", (30, 88): "memory-bound", (30, 30): "waiting", (88, 35): "compute-bound",
                     (70, 75): "balanced", (59.9, 59.9): "waiting"}, first
    assert set(v.ADVICE) == set(REASONS)
    for reason in REASONS:
        limit, advice = of(30, 30, **{reason: 5.0, REASONS[0] if reason != REASONS[0] else "wait": 1.0})
        assert limit == "waiting" and advice.startswith(reason) and "occupancy" not in advice, advice
    assert "occupancy is low" in of(30, 30, 24, barrier=2)[1]
    assert of(30, 30) == ("waiting", "no stall data"), of(30, 30)
    assert of(30, 30, math_pipe_throttle=3)[1].startswith("math_pipe_throttle: "), "the only stall in the report"
    assert of(30, 30, membar=9, wait=1)[1].startswith("membar: see"), "a stall without advice"
    assert of(30, 30, selected=9, wait=1)[1].startswith("wait: "), "a warp that issues does not wait"
    got = {each["kernel"]: (each["limit"], each["advice"]) for each in figures()["counters"]}
    assert got == {
        "reduce_warp_shuffle": ("memory-bound", "move fewer bytes: fuse, narrower types; also more loads in flight"),
        "reduce_shared_sequential": ("waiting", f"long_scoreboard: {v.ADVICE['long_scoreboard']}"),
        "transpose_tiled<0>": ("at the limit of L1 and shared memory", "97% of the loads' passes are bank conflicts")}, got
    blind = {name: value for name, value in figures()["counters"][2]["metrics"].items() if name not in (v.L1, v.L2)}
    assert v.decide(blind)[1].startswith("mio_throttle"), "without the third limit, only the symptom is left"
    assert v.decide(blind | {v.L2: 87.0})[0] == "at L2's limit"
    assert v.decide({v.SM: 20, v.DRAM: 30, v.L1: 80})[1] == "fewer sectors: coalesce", "L1 serves global loads, too"
    assert "more loads" not in of(30, 88)[1] and "more loads" in of(30, 72)[1]


def reads_reports():
    """Other lines before the header, thousands separators and quotes are read."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.csv"
        text = (FOLDER / "h200-shuffle.csv").read_text(encoding="utf-8")
        assert text.startswith("==WARNING==") and '"20,096"' in text
        file.write_text("==PROF== Connected\n" + text, encoding="utf-8")
        out = subprocess.run([sys.executable, "-B", str(VERDICT), str(file), "--json"], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout)["counters"][0]["metrics"]["gpu__time_duration.sum"] == 20096, out.stdout


def raw_reports():
    """counters.py keeps what was asked for, of each kernel's last launch, and none of the facts about the card."""
    rows = ['==PROF== Connected', '"ID","Kernel Name","device__sms","dram__bytes_read.sum","sm__throughput.avg.pct_of_peak_sustained_elapsed"',
            '"","","","byte","%"', '"0","void turn<4>(const float *, int)","132","1,000","9.5"', '"1","void turn<4>(const float *, int)","132","2,000","7.5"',
            '"2","sum(int)","132","3","1"']
    found = load(FOLDER / "counters.py").kernels(rows)
    assert found == {"turn<4>": {"dram__bytes_read.sum": 2000, "sm__throughput.avg.pct_of_peak_sustained_elapsed": 7.5},
                     "sum": {"dram__bytes_read.sum": 3, "sm__throughput.avg.pct_of_peak_sustained_elapsed": 1}}, found


def by_operator():
    """large_step.py gives each kernel to the operator that launched it, and its table is one that verdict.py reads."""
    module = types.ModuleType("large_step")
    source = (FOLDER / "large_step.py").read_text(encoding="utf-8")
    start, end = source.index("ON_GPU ="), source.index("def loop(")
    exec(compile("import csv\n" + source[start:end] + source[source.index("def by_operator("):source.index("def main(")], "large_step", "exec"),
         module.__dict__)
    def event(kind, ident, name, dur):
        return {"cat": kind, "name": name, "dur": dur, "args": {"External id": ident}}
    found = module.by_operator([event("cpu_op", 1, "aten::mm", 90), event("cpu_op", 2, "aten::copy_", 90), event("kernel", 1, "gemm", 6),
                                event("gpu_memcpy", 2, "Memcpy", 3), event("kernel", 1, "gemm", 6), event("kernel", 9, "lost", 1)])
    assert found == {"aten::mm": [2, 12000], "aten::copy_": [1, 3000], "other": [1, 1000]}, found
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kernels.csv"
        module.write_table(file, found)
        table = verdict().kernel_table(verdict().rows(file), 0.05, 1)
    assert [(row["name"], row["total_ms"]) for row in table[:2]] == [("aten::mm", 0.012), ("aten::copy_", 0.003)], table


def step_with_stand_ins(calls: list, source: str):
    """step.py on a GPU that is not there: what it would call is noted instead."""
    note = lambda name: lambda *a, **k: calls.append(name)
    torch = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace(
        is_available=lambda: True, synchronize=note("wait"), nvtx=types.SimpleNamespace(range=None),
        profiler=types.SimpleNamespace(start=note("start"), stop=note("stop")))
    torch.nn, profiler = types.ModuleType("torch.nn"), types.ModuleType("torch.profiler")
    recorder = types.SimpleNamespace(step=note("profiler"), key_averages=lambda: None)
    profiler.profile, profiler.schedule = lambda **k: contextlib.nullcontext(recorder), lambda **k: None
    fakes = {"torch": torch, "torch.nn": torch.nn, "torch.profiler": profiler}
    before = {name: sys.modules.get(name) for name in fakes}
    sys.modules.update(fakes)
    try:
        module = types.ModuleType("step")
        exec(compile(source, "step", "exec"), module.__dict__)
        return module
    finally:
        for name, old in before.items():
            if old is None:
                del sys.modules[name]
            else:
                sys.modules[name] = old


def window_order():
    """On a GPU both windows open after the warm-up has drained, and close after three steps and a wait."""
    source, calls = STEP.read_text(encoding="utf-8"), []
    step_with_stand_ins(calls, source).timed_window(lambda: calls.append("step"))
    assert calls == [*["step"] * 5, "wait", "start", *["step"] * 3, "wait", "stop"], calls
    def operator_window(text):
        calls.clear()
        step_with_stand_ins(calls, text).operator_window(lambda: calls.append("step"))
        return list(calls)
    pair = ["step", "profiler"]
    assert operator_window(source) == [*pair * 4, "step", "wait", "profiler", *pair * 2, "step", "wait", "profiler"], calls
    line = "            if GPU and count in (WARMUP, WARMUP + WINDOW):\n                torch.cuda.synchronize()  # or kernels slip into the window\n"
    assert line in source and operator_window(source.replace(line, "")) == pair * 8, "without the wait nothing drains the queue"


@functools.cache
def operators() -> dict[str, int]:
    return golden("lab_09", STEP)


def counted():
    """The operator table holds three steps: two forward products each, three backward."""
    count = operators()
    assert (count["ProfilerStep*"], count["aten::addmm"], count["aten::mm"]) == (3, 3 * 2, 3 * 3), count
    assert count["Optimizer.step#AdamW.step"] == 3, count
    assert count["aten::ones_like"] == 3, "backward fills the gradient of the loss with ones, once per step"


def with_torch():
    """step.py counts the same operators with PyTorch; with a gradient of its input, one product more a step."""
    def run(python, source=None):
        with tempfile.TemporaryDirectory() as folder:
            file = STEP
            if source:
                file = pathlib.Path(folder) / "step.py"
                file.write_text(source, encoding="utf-8")
            out = subprocess.run([str(python), str(file), "--operators", "--json"], capture_output=True, text=True,
                                 check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        return json.loads(out.stdout)

    def both(python):
        text = STEP.read_text(encoding="utf-8")
        anchor = "\n    def step():\n"
        assert text.count(anchor) == 1
        wants = run(python, text.replace(anchor, f"\n    x.requires_grad_(){anchor}"))
        assert wants["aten::mm"] == 12 and wants["aten::addmm"] == 6, wants
        return run(python)

    verify("lab_09", STEP, both)


CHECKS = [shell, flags, wrong_flags, reports_exist, runs_what_it_prints, measured_clock, unknown_step, launch_filters, amdahl, windows, decisions,
          reads_reports, raw_reports, by_operator, window_order, counted, with_torch]
