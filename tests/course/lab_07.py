"""Lab 07: flashattention_mental_model.py, against closed forms, against numpy, and copies of it broken on purpose."""
import functools
import itertools
import json
import math
import random
import subprocess
import sys

import lab_01
from course import CODE, given, python

STARTER = CODE / "lab-07-flashattention" / "flashattention_mental_model.py"

HBM = 3.35e12    # bytes a second, H100
PEAK = 989.4e12  # dense BF16, H100
FA3 = 740e12     # Shah et al. 2024, FP16 on an H100

# Each mistake is an edit of the starter: name -> (what stands there, what stands there by mistake).
MISTAKES = {
    "no alpha on l": ("l = alpha * l + sum(p)", "l = l + sum(p)"),
    "no alpha on acc": ("[alpha * a + dot", "[a + dot"),
    "mask by zero": ("scores = masked(scores, i + r, j)",
                     "scores = [0.0 if s == -inf else s for s in masked(scores, i + r, j)]"),
    "mask of tile 0": ("masked(scores, i + r, j)", "masked(scores, r, 0)"),
    "no diagonal": ("scores = masked(scores, i + r, j)", "pass"),
    "divide every chunk": ("return m_new, l, acc\n", "return m_new, 1.0, [a / l for a in acc]\n"),
    "skip by first row": ("j > i + len(q_tile) - 1", "j > i"),
    "backwards": ("for j in range(0, n, bc):", "for j in reversed(range(0, n, bc)):"),
}


@functools.cache
def report() -> dict:
    command = [sys.executable, str(STARTER), "--check", "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@functools.cache
def module(mistake: str = "") -> dict:
    """The starter's names, or those of a copy with a mistake in it."""
    source = STARTER.read_text(encoding="utf-8")
    if mistake:
        right, wrong = MISTAKES[mistake]
        assert source.count(right) == 1, f"{mistake}: {right!r} stands {source.count(right)} times"
        source = source.replace(right, wrong)
    names = {"__name__": "starter"}
    exec(compile(source, str(STARTER), "exec"), names)
    return names


@functools.cache
def verdicts(mistake: str) -> dict:
    """n, br, bc and causal -> what `compare` returns; heads are 4 wide, which is quicker and changes no verdict."""
    m = module(mistake)
    return {(n, br, bc, causal): m["compare"](n, 4, br, bc, causal)
            for n, _, br, bc in m["SHAPES"] for causal in (False, True)}


def near(got, expected, what, places=6):
    assert round(got, places) == expected, f"{what}: {got}, expected {expected}"


def same(got, expected, what):
    assert got == expected, f"{what}: {got}, expected {expected}"


def pencil():
    """The pencil row: both lines of the trace, the weights and the log-sum-exp."""
    lines = [tuple(round(line[k], 6) for k in ("m", "alpha", "l", "acc", "out")) for line in report()["trace"]]
    same(lines, [(3, 0, 1.135335, 21.353353, 18.807971), (5, 0.135335, 1.203438, 44.383474, 36.880566)], "trace")
    same([round(w, 6) for w in report()["softmax"]], [0.015219, 0.112457, 0.041371, 0.830953], "weights")
    near(report()["lse"], 5.185182, "log-sum-exp")
    near(report()["lse"], round(math.log(sum(map(math.exp, (1, 3, 2, 5)))), 6), "log-sum-exp, direct")
    near(sum(w * v for w, v in zip(report()["softmax"], (10, 20, 30, 40))), 36.880566, "output, direct")


def reverse():
    """The reversed row ends in the same state, with alpha 1 on the way."""
    forward, back = report()["trace"][-1], report()["reversed"][-1]
    same((back["m"], back["alpha"]), (5, 1.0), "reversed row")
    for key in ("l", "acc", "out"):
        assert math.isclose(forward[key], back[key], rel_tol=1e-15), f"{key}: {forward[key]} and {back[key]}"


def forgotten_alpha():
    """Without alpha on l or on acc the pencil row ends elsewhere, unless its largest score comes first."""
    row = module()["ROW"]
    for mistake, l, acc, out in [("no alpha on l", 2.185122, 44.383474, 20.311665),
                                 ("no alpha on acc", 1.203438, 62.846965, 52.222853)]:
        last = module(mistake)["trace"](row)[-1]
        for key, expected in (("l", l), ("acc", acc), ("out", out)):
            near(last[key], expected, f"{mistake}, {key}")
        near(module(mistake)["trace"](row[::-1])[-1]["out"], 36.880566, f"{mistake}, reversed")


def tiles_agree():
    """Tiles and plain attention agree to 1e-12 at every shape, causal or not."""
    same(len(report()["check"]), 8, "cases")
    for case in report()["check"]:
        assert case["ok"] and case["error"] < 1e-15, case


def mistakes_fail():
    """Each mistake FAILs the comparison at the shapes where it matters."""
    for mistake in ("no alpha on l", "no alpha on acc", "divide every chunk"):
        failed = [case for case, got in verdicts(mistake).items() if not got["ok"]]
        same(len(failed), 8, f"{mistake}: cases that fail")
    for mistake in ("mask by zero", "mask of tile 0", "no diagonal"):
        failed = [case for case, got in verdicts(mistake).items() if not got["ok"]]
        same(failed, [case for case in verdicts(mistake) if case[-1]], f"{mistake}: cases that fail")


def unequal_sides():
    """Two mistakes that square tiles forgive FAIL where br and bc differ, one of them unless br divides bc."""
    for mistake in ("skip by first row", "backwards"):
        failed = [case for case, got in verdicts(mistake).items() if not got["ok"]]
        same(failed, [case for case in verdicts(mistake) if case[-1] and case[1] != case[2]], mistake)
    forgiving = module("skip by first row")["compare"]
    for br, bc in ((16, 32), (16, 48), (32, 32), (32, 16), (16, 24)):
        same(forgiving(96, 4, br, bc, True)["ok"], bc % br == 0, f"skip by first row, {br} x {bc}")
    nan = verdicts("backwards")
    assert math.isnan(nan[128, 32, 16, True]["error"]), nan
    assert nan[100, 32, 48, True]["error"] < 1e-15, "max() no longer overlooks a NaN; the page says it may"


def counts():
    """Loads, stores, tiles and skipped tiles are those of the closed forms."""
    for case in report()["check"]:
        n, d, br, bc = (case[k] for k in ("n", "d", "br", "bc"))
        seen = [(i, j) for i in range(0, n, br) for j in range(0, n, bc)
                if not case["causal"] or any(c <= r for r in range(i, min(i + br, n)) for c in range(j, min(j + bc, n)))]
        keys = sum(min(bc, n - j) for _, j in seen)
        expected = (n * d + 2 * d * keys, n * d + n, len(seen), math.ceil(n / br) * math.ceil(n / bc) - len(seen))
        same(tuple(case[k] for k in ("loads", "stores", "tiles", "skipped")), expected, f"{n}, {br} x {bc}")
        if not case["causal"]:
            same(case["loads"] + case["stores"], module()["traffic"](n, d, br)["tiled"], f"{n}, {br}: the formula")
    got = {(c["br"], c["bc"], c["causal"]): (c["loads"], c["stores"], c["tiles"], c["skipped"])
           for c in report()["check"] if c["n"] == 128}
    same(got[32, 32, False], (73_728, 8_320, 16, 0), "128, 32 x 32")
    same(got[32, 32, True], (49_152, 8_320, 10, 6), "128, 32 x 32, causal")
    same((got[32, 16, True][0], *got[32, 16, True][2:]), (49_152, 20, 12), "128, 32 x 16, causal")
    tall = module()["compare"](128, 4, 128, 32, True)
    same((tall["tiles"], tall["skipped"], tall["loads"]), (4, 0, 3 * 128 * 4), "one Q tile")


def traffic():
    """Elements moved at four shapes, and bytes kept at four lengths."""
    got = {(t["n"], t["d"], t["br"]): (t["standard"], t["tiled"]) for t in report()["traffic"]}
    same(got[4096, 64, 128], (68_157_440, 17_305_600), "4,096")
    near(math.prod(got[8192, 128, 128]) / got[8192, 128, 128][1]**2, 2.0, "ratio at 8,192", 2)
    same(report()["footprint"][3]["scores"], 2**40, "a TiB of scores")
    mib = {f["n"]: (f["scores"] / 2**20, f["lse"] / 2**20) for f in report()["footprint"]}
    same(mib, {1024: (32, 0.0625), 8192: (4096, 1), 32768: (65536, 4), 131072: (2**20, 16)}, "MiB")


def merging():
    """Merge is associative and symmetric, has a neutral element, and repeats the sequential result."""
    m, rng = module(), random.Random(3)
    chunks = [([rng.gauss(0, 4) for _ in range(5)], [[rng.gauss(0, 1) for _ in range(3)] for _ in range(5)])
              for _ in range(4)]
    parts = [m["absorb"](m["empty"](3), *chunk) for chunk in chunks]
    a, b, c, d = parts
    whole = functools.reduce(lambda state, chunk: m["absorb"](state, *chunk), chunks, m["empty"](3))
    ways = [m["merge"](m["merge"](a, b), m["merge"](c, d)), m["merge"](a, m["merge"](b, m["merge"](c, d)))]
    ways += [functools.reduce(m["merge"], order) for order in itertools.permutations(parts)]
    for way in ways:
        for got, expected in zip((way[0], way[1], *way[2]), (whole[0], whole[1], *whole[2])):
            assert math.isclose(got, expected, rel_tol=1e-12, abs_tol=1e-12), (got, expected)
    same(m["merge"](m["empty"](3), a), a, "neutral element")
    assert math.isnan(m["merge"](m["empty"](3), m["empty"](3))[1]), "two empty states"


def shift():
    """Adding 800 to every score changes no output and moves the log-sum-exp by 800."""
    m = module()
    def run(extra):
        state = functools.reduce(lambda s, c: m["absorb"](s, [x + extra for x in c[0]], c[1]), m["ROW"], m["empty"](1))
        return m["finish"](state)
    (plain,), lse = run(0)
    (shifted,), moved = run(800)
    near(shifted, round(plain, 6), "output")
    near(moved - lse, 800, "log-sum-exp")


def backward_weights():
    """exp(score - LSE) gives the weights back."""
    for score, weight in zip((1, 3, 2, 5), report()["softmax"]):
        assert math.isclose(math.exp(score - report()["lse"]), weight, rel_tol=1e-12), score


def numpy_agrees():
    """Rows and log-sum-exps are those of attention written with numpy."""
    program = f"""
import importlib.util, numpy as np
spec = importlib.util.spec_from_file_location("starter", {str(STARTER)!r})
starter = importlib.util.module_from_spec(spec)
spec.loader.exec_module(starter)
q, k, v = np.random.default_rng(5).normal(size=(3, 50, 8))
for causal in (False, True):
    s = q @ k.T / np.sqrt(8)
    if causal:
        s = np.where(np.tri(50, dtype=bool), s, -np.inf)
    lse = np.logaddexp.reduce(s, axis=1)
    rows, _ = starter.tiled_attention(q.tolist(), k.tolist(), v.tolist(), 16, 12, causal)
    assert np.allclose([out for out, _ in rows], np.exp(s - lse[:, None]) @ v, rtol=0, atol=1e-12)
    assert np.allclose([x for _, x in rows], lse, rtol=0, atol=1e-12)
"""
    run = subprocess.run([str(python("light")), "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr.strip().splitlines()[-1]


def table():
    """The printed tables run and hold the same figures."""
    out = subprocess.run([sys.executable, str(STARTER)], capture_output=True, text=True, check=True).stdout
    for figure in ("44.383474", "36.880566", "136323072", "1099511627776"):
        assert figure in out, f"{figure} is not printed"


def underflow():
    """A row that starts from (0, 0, 0) is right, and fails on scores of -746."""
    m = module()
    def run(extra):
        state = functools.reduce(lambda s, c: m["absorb"](s, [x + extra for x in c[0]], c[1]), m["ROW"], (0, 0.0, [0.0]))
        return m["finish"](state)[0][0]
    near(run(0), 36.880566, "ordinary scores")
    near(run(-20), 36.880566, "scores below 0")
    try:
        run(-746 - 5)
    except ZeroDivisionError:
        return
    raise AssertionError("scores up to -746 did not underflow")


def pencil_figures() -> dict:
    """Figures of the pencil row that both pages print."""
    first, last = report()["trace"]
    low, high = (part[1] for part in report()["halves"])
    return {
        "0.135335": last["alpha"], "1.135335": first["l"], "21.353353": first["acc"], "1.049787": high,
        "0.153651": last["alpha"] * low, "1.203438": last["l"], "2.889862": last["alpha"] * first["acc"],
        "41.493612": report()["halves"][1][2][0], "44.383474": last["acc"], "36.880566": last["out"],
    }


def lab_page():
    shapes = {(c["br"], c["bc"], c["causal"]): c for c in report()["check"] if c["n"] == 128}
    square, causal, tall = shapes[32, 32, False], shapes[32, 32, True], shapes[64, 32, False]
    once = module()["traffic"](128, 64, 128)
    kept = {f["n"]: f for f in report()["footprint"]}
    head = {t["br"]: t for t in report()["traffic"] if t["n"] == 8192}
    flop, stored = head[128]["flop"], head[128]["standard"]
    moved = {br: t["tiled"] for br, t in head.items()}
    least = 4 * 8192 * 128 + 8192
    no_l, no_acc = (module(f"no alpha on {where}")["trace"](module()["ROW"])[-1] for where in ("l", "acc"))
    llama = lab_01.ledger("llama-3-8b")["activations"]
    long = module()["traffic"](16384, 128, 128)["tiled"]
    near(long / moved[128], 3.97, "traffic at twice the length", 2)
    same([round(flop / (2 * x)) for x in (stored, *moved.values())], [63, 64, 126, 248], "FLOP a byte, as printed")
    tallest = 192 * HBM  # of hopper/tile_size.h, at about a FLOP a byte for each row
    same(round(tallest / 1e12), 643, "TFLOP/s that HBM could feed at 192 rows")
    assert FA3 > tallest, "740 TFLOP/s would not need L2"
    return pencil_figures() | {
        "131,072": kept[131072]["n"], "1 TiB": given("2^40 bytes, asserted in traffic"), "16 MiB": kept[131072]["lse"],
        "3.35 TB/s": HBM, "989.4 TFLOP/s": PEAK, "8,192": 8192, "4 GiB": kept[8192]["scores"],
        "64 MiB": 2 * 32 * 8192 * 128, "1 MiB": kept[8192]["lse"], "32,768": kept[32768]["n"],
        "20.3": no_l["out"], "52.2": no_acc["out"], "36.9": report()["trace"][1]["out"], "2.185122": no_l["l"], "20.311665": no_l["out"],
        "62.846965": no_acc["acc"], "52.222853": no_acc["out"], "4 bytes": kept[8192]["lse"] / 8192 / 32,
        "1.353353": 10 * report()["trace"][1]["alpha"], "0.049787": report()["halves"][1][1] - 1,
        "18.807971": report()["trace"][0]["out"],
        **{f"{w:.6f}": w for w in report()["softmax"]},
        "64 KiB": 4 * 128 * 128, "256 KiB": 4 * 512 * 128, "65,536": square["loads"] - 128 * 64,
        "73,728": square["loads"], "8,320": square["stores"], "49,152": causal["loads"], "40,960": tall["loads"],
        "24,576": once["tiled"] - 128 * 65, "1e-15": given("a bound, asserted in tiles_agree"),
        "34.4 GFLOP": flop, "34.7 µs": flop / PEAK, "272,629,760": stored, "545 MB": 2 * stored,
        "162.8 µs": 2 * stored / HBM, "270,540,800": moved[64], "541 MB": 2 * moved[64], "161.5 µs": 2 * moved[64] / HBM,
        "136,323,072": moved[128], "273 MB": 2 * moved[128], "81.4 µs": 2 * moved[128] / HBM,
        "69,214,208": moved[256], "138 MB": 2 * moved[256], "41.3 µs": 2 * moved[256] / HBM,
        "4,202,496": least, "8.4 MB": 2 * least, "2.5 µs": 2 * least / HBM, "4,088": flop / (2 * least),
        "126 FLOP": flop / (2 * moved[128]), "422 TFLOP/s": flop / (2 * moved[128]) * HBM,
        "2 MiB": 2 * 8192 * 128, "4 MiB": 2 * 2 * 8192 * 128, "256 MiB": 64 * 4 * 2**20,
        "260 MiB": 2 * moved[128] - 2 * 8192, "50 MB": given("L2 of an H100, NVIDIA"),
        "354 GiB": llama["none"], "34 GiB": llama["selective"], "32 MiB": 32 * kept[8192]["lse"],
        "3.97": long / moved[128],
    }


def section_page():
    halves = report()["halves"]
    m, l, _ = report()["merged"]
    shares = [part[1] * math.exp(part[0] - m) / l for part in halves]
    near(128 * 128 / 98304, 0.166667, "d squared over M")
    same(2 * 128 * 128, (2 * 4 * 128 * 64) // 2, "scores of a short row against its Q, K, V and output")
    same(2 * 128 / 256, 1.0, "saving of 128 rows at width 256")
    return pencil_figures() | {
        "65,536": 2**16, "128 GiB": module()["footprint"](2**16, 16)["scores"], "80 GB": given("a card"),
        "18.81": halves[0][2][0] / halves[0][1], "39.53": halves[1][2][0] / halves[1][1],
        "12.8 %": shares[0], "87.2 %": shares[1], "192 KiB": given("an A100's shared memory and L1, Dao et al."),
        "98,304": 192 * 2**10 / 2, "17 %": 7 / 6 - 1, "1,024": given("Dao et al."), "4.4 GB": given("Dao et al."),
        "40.3": given("Dao et al."), "7.3 ms": given("Dao et al."), "41.7": given("Dao et al."),
        "740 TFLOP/s": FA3, "989.4": PEAK / 1e12, "1,613": given("Zadouri et al."), "2,250": given("a B200, NVIDIA"),
        "32 KiB": module()["footprint"](128, 1)["scores"], "1.5 %": 4 / (2 * 128 + 4),
    }


CHECKS = [pencil, reverse, forgotten_alpha, tiles_agree, mistakes_fail, unequal_sides, counts, traffic, merging, shift,
          underflow, backward_weights, numpy_agrees, table]
PAGES = {
    "tracks/ai-infra/labs/lab-07-flashattention.md": lab_page,
    "tracks/ai-infra/handbook/07-tiled-attention.md": section_page,
}
