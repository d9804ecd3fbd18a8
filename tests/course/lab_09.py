"""Lab 09: the profiler commands of profile_commands.sh, the window of step.py, the arithmetic of verdict.py.

Neither nsys nor ncu runs here. Every option, report and metric that the script prints is held against the lists below,
and a stand-in for either tool records what it is handed.
"""
import functools
import importlib.util
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

import cuda
import lab_04
from course import CODE, CONTENT, given, golden, tool, verify

FOLDER = CODE / "lab-09-nsight-profiling"
STARTER, STEP, VERDICT = (FOLDER / name for name in ("profile_commands.sh", "step.py", "verdict.py"))
LAB = "tracks/ai-infra/labs/lab-09-nsight-profiling.md"
SECTION = "tracks/ai-infra/handbook/09-profiling.md"
STEPS = ["clock", "timeline", "backward", "summaries", "operators", "kernel", "bank_conflicts"]

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
        "--report": {"cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_api_sum", "nvtx_sum", "nvtx_gpu_proj_sum"}}),
    "ncu": (COMPUTE, {
        "--kernel-name": None, "--launch-skip": None, "--launch-count": None,
        "--clock-control": {"base", "none"}, "--cache-control": {"all", "none"},
        "--set": {"basic", "detailed", "full", "roofline"}, "--page": {"details", "raw", "source"},
        "--metrics": {"gpu__time_duration.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                      "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                      "sm__warps_active.avg.pct_of_peak_sustained_active",
                      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
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
    return [line[2:].split() for line in out.stdout.splitlines()]


def mistakes(words: list[str]) -> list[str]:
    """What is wrong with a command, by the lists above."""
    if words[0] == "python3":
        return [] if words[1:] in (["step.py"], ["step.py", "--operators"]) else [f"{words[1:]}"]
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
    assert [words[0] for words in commands] == ["python3", *["nsys"] * 4, "python3", *["ncu"] * 3], commands
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
            if option(words, name):
                written.add(option(words, name) + ending)
    assert len(written) == 3, written


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
    assert [line[2:].split() for line in text.splitlines()] == calls
    assert len(stand_ins("timeline")[2][0]) - 1 == 10, "the timeline hands nsys ten words"


def unknown_step():
    """A misspelt step ends with status 2 before anything has run."""
    out, text, calls, made = stand_ins("clock", "timelin")
    assert (out.returncode, text, calls, made) == (2, "", [], False), (out.returncode, text, calls, made)
    assert "timelin" in out.stderr and "bank_conflicts" in out.stderr, out.stderr
    assert script("timeline", RUN="0").returncode == 0 and not (FOLDER / "reports").exists()


@functools.cache
def launches() -> list[str]:
    """The kernels that lab 04's program launches, in order."""
    main = lab_04.STARTER.read_text(encoding="utf-8").partition("// ANCHOR: main")[2]
    kernels = re.findall(r'run\("[^"]+",\s*(\w+)', main)
    passes = int(re.search(r"pass < (\d+)", lab_04.STARTER.read_text(encoding="utf-8"))[1])
    return [kernel for kernel in kernels for _ in range(passes)]


def selected(words: list[str]) -> list[int]:
    """Which launches ncu takes, counted from one: matching ones only, after the skipped ones."""
    pattern = option(words, "--kernel-name").removeprefix("regex:")
    matching = [k for k, name in enumerate(launches(), 1) if re.search(pattern, name)]
    skip, count = int(option(words, "--launch-skip") or 0), int(option(words, "--launch-count"))
    assert skip + count <= len(matching), f"{words}: only {len(matching)} launches match"
    return matching[skip:skip + count]


def launch_filters():
    """The filters take the last of eight launches, and all four of the two trees."""
    source = lab_04.STARTER.read_text(encoding="utf-8")
    executed = cuda.run({"starter": source}, "1000")["starter", "forward"].stderr.count("launch: ")
    assert executed == len(launches()) == 8, (executed, launches())
    (kernel, _), (banks,) = printed("kernel"), printed("bank_conflicts")
    assert selected(kernel) == [8] and selected(banks) == [3, 4, 5, 6], (selected(kernel), selected(banks))


def conflict_degree(active, strides, scale=1) -> int:
    """Most distinct words in one bank for one access of one warp, over all rounds of a tree of 256."""
    worst = 0
    for stride in strides:
        for warp in range(0, 256, 32):
            lanes = [t for t in range(warp, warp + 32) if active(t, stride)]
            for offset in (0, stride):
                words = {(t * (2 * stride if scale == 2 else 1)) + offset for t in lanes}
                worst = max([worst, *(sum(w % 32 == bank for w in words) for bank in range(32))])
    return worst


def bank_conflicts():
    """Neither tree of lab 04 has a bank conflict; the rung that it leaves out has."""
    up = [2**k for k in range(8)]
    assert conflict_degree(lambda t, s: t % (2 * s) == 0, up) == 1
    assert conflict_degree(lambda t, s: t < s, up[::-1]) == 1
    assert conflict_degree(lambda t, s: 2 * s * t < 256, up, scale=2) == 8


@functools.cache
def verdict():
    spec = importlib.util.spec_from_file_location("verdict", VERDICT)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@functools.cache
def figures() -> dict:
    out = subprocess.run([sys.executable, str(VERDICT), "--json"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def amdahl():
    """Gains follow Amdahl's law, bounds included, and rank the invented step as the page says."""
    f = figures()
    assert (f["step_ms"], round(f["busy_ms"], 9), round(f["idle_ms"], 9), f["launches"]) == (100, 70, 30, 1724), f
    assert math.isclose(f["no_idle"], 1 / (1 - 0.3))
    for name, row in f["rows"].items():
        share = row["total_ms"] / 100
        assert math.isclose(row["twice"], 1 / (1 - share / 2)) and math.isclose(row["free"], 1 / (1 - share)), name
        assert math.isclose(row["mean_us"] * row["launches"], row["total_ms"] * 1000), name
    rows = f["rows"]
    assert max(rows, key=lambda n: rows[n]["mean_us"]) == "optimizer", "longest launch"
    assert sorted(rows, key=lambda n: -rows[n]["total_ms"]) == list(rows), "rows by total"
    assert max(rows, key=lambda n: rows[n]["twice"]) == "gemm" and rows["gemm"]["twice"] < f["no_idle"] < rows["gemm"]["free"]
    for pair in ((rows["elementwise"]["twice"], rows["optimizer"]["free"]), (rows["norm"]["twice"], 100 / (100 - 9.6 * 0.2))):
        assert f"{pair[0]:.2f}" == f"{pair[1]:.2f}", f"the page prints one figure for {pair}"
    assert verdict().gain(100, 2) == 2 and verdict().gain(30, 1) == 1


def launch_bound():
    """A thousand kernels of 4 µs take the CPU's 5 ms; of 12 µs, their own 12."""
    assert verdict().launch_floor_ms(1000, 4) == 5 and verdict().launch_floor_ms(1000, 12) == 12


def roofline():
    """Roofs and ridges are those of the published figures."""
    ridge = {card: round(r["ridge"], 1) for card, r in figures()["roofline"].items()}
    assert ridge == {"A100": 153.0, "H100": 295.3, "H200": 206.1, "B200": 281.2}, ridge
    for card, (peak, bandwidth) in verdict().CARDS.items():
        at = verdict().attainable
        assert at(peak / bandwidth, card) <= peak and math.isclose(at(peak / bandwidth, card), peak)
        assert at(1.0, card) == bandwidth and at(4096 / 3, card) == peak, card


def verdicts():
    """35 and 88 per cent are memory, 30 and 30 are waiting, two high ones are balanced."""
    first = {pair: verdict().verdict(*pair).split(":")[0] for pair in
             ((35, 88), (30, 88), (30, 30), (88, 35), (70, 75), (59.9, 59.9))}
    assert first == {(35, 88): "memory", (30, 88): "memory", (30, 30): "waiting", (88, 35): "compute",
                     (70, 75): "balanced", (59.9, 59.9): "waiting"}, first


def overlap():
    """A table that sums to more than its step shows as negative idle time."""
    source = VERDICT.read_text(encoding="utf-8")
    assert '"gemm": (96, 32.0)' in source
    changed = types.ModuleType("changed")
    exec(source.replace('"gemm": (96, 32.0)', '"gemm": (96, 64.0)'), changed.__dict__)
    assert round(changed.IDLE_MS, 9) == -2 and round(changed.report()["no_idle"], 2) == 0.98


def window_order():
    """On a GPU the window opens after the warm-up has drained and closes after three steps and a wait."""
    calls = []
    note = lambda name: lambda *a, **k: calls.append(name)
    torch = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace(
        is_available=lambda: True, synchronize=note("wait"), nvtx=types.SimpleNamespace(range=None),
        profiler=types.SimpleNamespace(start=note("start"), stop=note("stop")))
    torch.nn, profiler = types.ModuleType("torch.nn"), types.ModuleType("torch.profiler")
    profiler.profile = profiler.schedule = None
    fakes = {"torch": torch, "torch.nn": torch.nn, "torch.profiler": profiler}
    before = {name: sys.modules.get(name) for name in fakes}
    sys.modules.update(fakes)
    try:
        spec = importlib.util.spec_from_file_location("step_on_a_gpu", STEP)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.timed_window(note("step"))
    finally:
        for name, old in before.items():
            if old is None:
                del sys.modules[name]
            else:
                sys.modules[name] = old
    assert calls == [*["step"] * 5, "wait", "start", *["step"] * 3, "wait", "stop"], calls


@functools.cache
def operators() -> dict[str, int]:
    return golden("lab_09", STEP)


def counted():
    """The operator table holds three steps: two forward products each, three backward."""
    count = operators()
    assert (count["ProfilerStep*"], count["aten::addmm"], count["aten::mm"]) == (3, 3 * 2, 3 * 3), count
    assert count["Optimizer.step#AdamW.step"] == 3, count


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


def drawn() -> list[list[tuple[float, str]]]:
    """The boxes of the drawing, column by column: main thread, worker, GPU; each its milliseconds and its source."""
    fence = re.search(r"```pikchr\n(.*?)```", (CONTENT / LAB).read_text(encoding="utf-8"), re.S)[1]
    boxes = [(float(m[1]), m[0]) for m in re.finditer(r"box (?:width [\d.]+ )?height ([\d.]+)\*ms[^\n]*", fence)]
    return [boxes[:6], boxes[6:7], boxes[7:]]


def queued() -> float:
    """Milliseconds after which the drawn CPU has nothing left to launch."""
    return sum(ms for ms, _ in drawn()[0][:4])


def drawing():
    """The drawn step is as long as the invented one, and as busy; no kernel runs before it is launched."""
    main, worker, gpu = columns = drawn()
    assert [round(sum(ms for ms, _ in column), 9) for column in columns] == [100, 18, 100], columns
    idle = sum(ms for ms, line in gpu if "dashed" in line)
    assert idle == figures()["idle_ms"] == 30 and len(gpu) == 5, idle
    for ms, line in gpu[:3]:
        assert f'"{ms:g} ms"' in line, line
    for ms, line in gpu[3:]:
        assert f', {ms:g}"' in line, line
    assert gpu[3][0] == figures()["rows"]["optimizer"]["total_ms"]
    begin = main[0][0] + main[1][0]  # of the range on the main thread
    launches = float(re.search(r", -([\d.]+)\*ms\)", worker[0][1])[1])
    assert begin < launches and launches + worker[0][0] < begin + main[2][0], "the worker launches within the range"
    forward = gpu[0][0]
    backward = forward + gpu[1][0]
    optimizer = backward + gpu[2][0]
    assert main[0][0] <= forward and launches <= backward and begin + main[2][0] <= optimizer, "launched before it runs"
    assert sum(ms for ms, _ in main[:5]) == optimizer + gpu[3][0], "the main thread waits until the GPU is done"
    assert begin + main[2][0] - backward < backward + gpu[2][0] - begin - main[2][0], "most of backward is after the range"


def square_products():
    """The section's side from which a square product is limited by arithmetic is where the two times are equal."""
    peak, bandwidth = verdict().CARDS["H100"]
    limited = [n for n in range(1, 2000) if 2 * n**3 / (peak * 1e12) < 6 * n**2 / (bandwidth * 1e12)]
    text = (CONTENT / SECTION).read_text(encoding="utf-8")
    assert f"up to $n = {limited[-1]}$" in text and limited == list(range(1, limited[-1] + 1)), limited[-1]


def lab_page():
    f, rows = figures(), figures()["rows"]
    n, rate = 2**24, 3.35e12
    h100 = f["roofline"]["H100"]
    took = 4 * n / rate / 0.8  # seconds at 80 % of an H100's bandwidth
    totals = {f"{row['total_ms']:.1f} ms": row["total_ms"] / 1e3 for row in rows.values()}
    twice = {name: row["twice"] for name, row in rows.items()}
    free = {name: row["free"] for name, row in rows.items()}
    return {
        "1.43": f["no_idle"], "1.19": twice["gemm"], "1.47": free["gemm"], "1.09": twice["elementwise"],
        "1.20": free["elementwise"], "1.05": twice["attention"], "1.11": free["attention"], "1.04": twice["optimizer"],
        "1.03": free["norm"], "1.02": 100 / (100 - 9.6 * 0.2), "0.98": 100 / 102, "1.14": 1 / 0.88, "1.25": 1 / 0.8,
    } | totals | {
        "32 ms": rows["gemm"]["total_ms"] / 1e3, "8.4": rows["optimizer"]["total_ms"],
        "32.0": rows["gemm"]["total_ms"], "16.8": rows["elementwise"]["total_ms"], "9.6": rows["attention"]["total_ms"],
        "100 ms": f["step_ms"] / 1e3, "70 ms": f["busy_ms"] / 1e3, "30 ms": f["idle_ms"] / 1e3,
        "30.0 ms": f["idle_ms"] / 1e3, "84 ms": (f["step_ms"] - rows["gemm"]["total_ms"] / 2) / 1e3,
        "333 µs": rows["gemm"]["mean_us"] / 1e6, "12 µs": rows["elementwise"]["mean_us"] / 1e6,
        "400 µs": rows["attention"]["mean_us"] / 1e6, "2,100 µs": rows["optimizer"]["mean_us"] / 1e6,
        "16 µs": rows["norm"]["mean_us"] / 1e6, "1,400": rows["elementwise"]["launches"], "1,724": f["launches"],
        "8.6 ms": f["launches"] * 5e-6, "5 µs": given("an assumed launch cost, verdict.py's default"),
        "1,000": given("an example"), "4 µs": given("an example"), "4 ms": 1000 * 4e-6,
        "24 ms": drawn()[2][0][0] / 1e3, "6 ms": drawn()[2][4][0] / 1e3, "39.6": drawn()[2][2][0],
        "39.6 ms": drawn()[2][2][0] / 1e3, "20 ms": drawn()[0][2][0] / 1e3, "54 ms": queued() / 1e3,
        "40 ms": (f["step_ms"] - drawn()[2][4][0] - queued()) / 1e3,
        "25 µs": took, "80 %": 4 * n / 25e-6 / rate, "20.0": 4 * n / rate * 1e6, "67,108,864 bytes": 4 * n,
        "16,777,216": n, "2.68 TB/s": 4 * n / 25e-6,
        "0.84 TFLOP/s": h100["reduce"] * 1e12, "0.08 %": h100["reduce"] / 989.4, "0.25": 1 / 4, "4 MiB": 4 * 2**20,
        "64.0": given("the change to make"), "102 ms": (f["busy_ms"] + 32) / 1e3, "2.0 ms": (f["busy_ms"] + 32 - 100) / 1e3,
        "100 %": given("the misunderstanding itself"), "0.8 %": 1 / 132, "35 %": given("a report to judge"),
        "88 %": given("a report to judge"), "30 %": given("a report to judge"), "20 %": given("a claim to judge"),
    }


def section_page():
    step, copies, reduce, gaps, top = 100, 18, 12, 8, 15
    kernels = step - copies - reduce - gaps
    return {
        "100 ms": given("an invented step"), "62 ms": kernels / 1e3, "18 ms": copies / 1e3, "12 ms": reduce / 1e3,
        "8 ms": gaps / 1e3, "82 ms": (step - copies) / 1e3, "88 ms": (step - reduce) / 1e3, "92 ms": (step - gaps) / 1e3,
        "15 ms": top / 1e3, "92.5 ms": (step - top / 2) / 1e3, "24 %": top / kernels,
        "1.22": 100 / 82, "1.14": 100 / 88, "1.09": 100 / 92, "1.08": 100 / 92.5, "1.18": 100 / 85, "1.61": 100 / kernels,
        "8 %": given("an example"), "295 FLOP/B": figures()["roofline"]["H100"]["ridge"],
    }


PAGES = {LAB: lab_page, SECTION: section_page}
CHECKS = [shell, flags, wrong_flags, reports_exist, runs_what_it_prints, unknown_step, launch_filters, bank_conflicts,
          amdahl, launch_bound, roofline, verdicts, overlap, window_order, counted, with_torch, drawing, square_products]
