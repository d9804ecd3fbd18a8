"""Every figure that a page prints is listed here with where it comes from, and is compared with it.

A figure is a number with a unit, a decimal point or a thousands separator, outside code. Its value is computed from
a starter's output; `given` marks the few that are not results: a card's size, a config's entry, a cited count.
"""
import re

import course
import lab_01
import lab_04
import lab_10_diffuser as worksheet

SCALE = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "MB": 1e6, "GB": 1e9, "GB/s": 1e9, "%": 0.01, "ms": 1e-3,
         "µs": 1e-6, "s": 1, "bytes": 1, None: 1}


class given(str):
    """Not computed by a starter; the text says what it is."""


def model(name, **options):
    return lab_01.ledger(name, **options)


def lab_01_page():
    a, b = model("llama-2-7b"), model("llama-3-8b")
    small, big, huge = model("gpt2"), model("llama-3-70b"), model("llama-3.1-405b")
    users, long = model("llama-3-8b", batch=32, seq=8192), model("llama-3-8b", seq=16384)
    gpt3, tp, sp = model("gpt-3"), model("gpt-3", tp=8), model("gpt-3", tp=8, sp=True)
    cfg = lab_01.module().PRESETS["llama-3-8b"]
    state, weights = "adam_bf16_master", "weights_bf16"
    ratio = {name: model(name)["rule_of_thumb"] / model(name)["params"]["total"]
             for name in ("gpt-3", "llama-2-7b", "llama-3-8b")}
    plain = 2 * cfg.d * cfg.heads * cfg.d_head
    per_layer = b["per_layer"]
    return {
        "13.48 GB": a[weights], "107.81 GB": a["state"][state], "107.81": a["state"][state] / 1e9,
        "12.55 GiB": a[weights], "16 bytes": sum(lab_01.module().SCHEMES[state]),
        "10 bytes": sum(lab_01.module().SCHEMES["adam_8bit"]), "14 bytes": sum(lab_01.module().SCHEMES[state][1:]),
        "4,096": cfg.d, "14,336": cfg.d_ff, "128,256": cfg.vocab, "32,000": lab_01.module().PRESETS["mistral-7b"].vocab,
        "124,439,808": small["params"]["total"],
        "788,529,152": b["params"]["total"] - model("mistral-7b")["params"]["total"],
        "25,165,824": 2 * cfg.d * (cfg.heads - cfg.n_kv) * cfg.d_head, "41,943,040": per_layer["attention"],
        "3,072": 4 * 768, "176,160,768": per_layer["ffn"], "525,336,576": b["params"]["embedding"],
        "266,240": b["params"]["norms"], "8.03": b["params"]["total"] / 1e9,
        "99.98 %": ratio["gpt-3"], "97.6 %": ratio["llama-2-7b"], "86.8 %": ratio["llama-3-8b"],
        "8,192": cfg.ctx, "16,384": 2 * cfg.ctx, "2,048": lab_01.module().PRESETS["gpt-3"].ctx,
        "2.00 GiB": b["activations"]["full"], "354 GiB": b["activations"]["none"], "51.75 GiB": tp["activations"]["none"],
        "32.06": sp["activations"]["none"] / 2**30, "512 KiB": users["kv_if_query_heads"] / users["kv"] * b["kv_per_token"],
        "128 KiB": b["kv_per_token"], "32 GiB": users["kv"], "128 GiB": users["kv_if_query_heads"],
        "16.06 GB": b[weights], "14.96 GiB": b[weights], "256.5 GiB": gpt3["activations"]["none"],
        "76.5": gpt3["activations"]["selective"] / 2**30,
        "218,112,000": per_layer["attention"] + per_layer["ffn"] + 2 * cfg.d, "8,030,261,248": b["params"]["total"],
        "3.91 GiB": cfg.ctx * cfg.vocab * 4, "0.25 GB": small[weights], "1.99 GB": small["state"][state],
        "36 KiB": small["kv_per_token"], "36 MiB": small["kv"], "6,738,415,616": a["params"]["total"],
        "128.48 GB": b["state"][state], "1.00 GiB": b["kv"], "1.00": b["kv"] / 2**30,
        "70,553,706,496": big["params"]["total"], "141.11 GB": big[weights], "1128.86 GB": big["state"][state],
        "320 KiB": big["kv_per_token"], "2.50 GiB": big["kv"], "405,853,388,800": huge["params"]["total"],
        "811.71 GB": huge[weights], "6493.65 GB": huge["state"][state], "504 KiB": huge["kv_per_token"],
        "63.00 GiB": huge["kv"], "96.36 GB": 12 * b["params"]["total"], "33,554,432": plain,
        "7 %": 2**30 / 1e9 - 1, "80.30 GB": b["state"]["adam_8bit"], "74.79 GiB": b["state"]["adam_8bit"],
        "262,144": users["batch"] * users["seq"], "40.43 GB": a["state"][state] - a["state"]["adam_8bit"],
        "3.8": long["activations"]["none"] / b["activations"]["none"], "1,348 GiB": long["activations"]["none"],
        "1,280": (long["activations"]["none"] - long["activations"]["selective"]) / 2**30,
        "640 GB": 8 * 80e9,
        "2 bytes": given("width of a 16-bit value"), "4 bytes": given("norm inputs, Korthikanti et al."),
        "24 bytes": given("a constant of the starter"), "14 GB": given("the misunderstanding itself"),
        "80 GB": given("a card"), "64 GB": given("state a card, chosen"),
    }


def section_01_page():
    m, long, reach = model("mistral-7b"), model("mistral-7b", seq=131072), model("mistral-7b", seq=4096)
    cfg, other = lab_01.module().PRESETS["mistral-7b"], lab_01.module().PRESETS["llama-3-8b"]
    return {
        "14.48 GB": m["weights_bf16"], "7,241,732,096": m["params"]["total"],
        "115.87 GB": m["state"]["adam_bf16_master"], "128 KiB": m["kv_per_token"], "131,072": long["seq"],
        "16 GiB": long["kv"], "512 MiB": reach["kv"], "4,096": cfg.d, "14,336": cfg.d_ff, "32,000": cfg.vocab,
        "788,529,152": model("llama-3-8b")["params"]["total"] - m["params"]["total"],
        "96,256": other.vocab - cfg.vocab, "8,192": cfg.ctx, "354 GiB": m["activations"]["none"],
        "34 GiB": m["activations"]["selective"], "65.5 GB": 80e9 - m["weights_bf16"], "6.8": 34 / 5,
        "80 GB": given("a card"), "11 bytes": given("Korthikanti et al."), "5 bytes": given("Korthikanti et al."),
        "10 %": given("a common reserve"),
    }


def lab_04_page():
    n, blocks = 2**24, 2**24 // 256
    forward, reverse = lab_04.lines("starter", "forward"), lab_04.lines("starter", "reverse")
    others = {run[k][1] for run in (forward, reverse) for k in lab_04.KERNELS[1:]}
    assert len(others) == 1, f"the last three kernels print {sorted(others)}"
    reference, single, totals = lab_04.rounding()
    floor = {card: 4 * n / (rate * 1e12)
             for card, rate in {"A100": 2.039, "H100": 3.35, "H200": 4.8, "B200": 8.0}.items()}
    return {
        "64 MiB": 4 * n, "67,108,864 bytes": 4 * n, "20.0 µs": floor["H100"], "20.0": floor["H100"] * 1e6,
        "32.9 µs": floor["A100"], "14.0": floor["H200"] * 1e6, "14.0 µs": floor["H200"], "8.4": floor["B200"] * 1e6,
        "28 µs": 2 * floor["H200"], "16,777,216": n, "65,536": blocks, "1,024": 1024, "262,144": 1024 * 256,
        "0.25": 1 / 4, "100,003": lab_04.N, "1,024 bytes": 256 * 4, "32 bytes": 256 // 32 * 4, "0 bytes": 0,
        "1756.3": lab_04.lines("no barriers", "forward")["shared sequential"][1],
        "49854.2": others.pop(), "49854.4": forward["global atomic"][1], "49854.5": reverse["global atomic"][1],
        "1,793": 7 * 256 + 1, "33,524,377": round(reference), "67,108,864": 2**26, "16,777,216.0": single,
        "1.8e-05": abs(totals / reference - 1), "100 %": given("theoretical occupancy, from the compiler's report"),
    }


def lab_10_page():
    gb, flux = worksheet.gb, worksheet.gb("FLUX transformer") * 1e9
    crossing = flux / worksheet.PCIE
    block = gb("FLUX double block") * 1e9
    count = worksheet.inventory()
    share = (19 * count["FLUX double block"] + 38 * count["FLUX single block"]) / count["FLUX transformer"]
    largest = worksheet.largest_tensor
    toy = given("a toy FLUX, run with diffusers 0.42.1")
    return {
        "33.74 GB": gb("FLUX, all") * 1e9, "23.80 GB": flux, "23.80": flux / 1e9, "9.52 GB": gb("FLUX T5-XXL") * 1e9,
        "0.113 GB": worksheet.LARGEST_LEAF, "26.7 s": 28 * crossing, "26.7": 28 * crossing, "0.95 s": crossing,
        "0.95": crossing, "47.6 s": 50 * crossing, "0.68 GB": block, "27 ms": block / worksheet.PCIE,
        "5.13": gb("SDXL UNet"), "5.13 GB": gb("SDXL UNet") * 1e9, "0.21 s": gb("SDXL UNet") * 1e9 / worksheet.PCIE,
        "6.94 GB": gb("SDXL, all") * 1e9, "0.17 GB": gb("SDXL VAE") * 1e9, "99.5 %": share,
        "11.9 GB": count["FLUX transformer"], "11,901,408,320": count["FLUX transformer"],
        "128 MiB": largest(512), "1 GiB": largest(1024), "16 GiB": largest(2048),
        "65,536": (2048 // 8) ** 2, "1.06 GiB": largest(1040), "1.00": largest(1024) / 2**30,
        "25 GB/s": worksheet.PCIE, "50 GB/s": 2 * worksheet.PCIE, "2 bytes": given("width of a 16-bit value"),
        "24 GB": given("a card"), "23 GB": given("the misunderstanding itself"),
        "5e-6": given("a small random VAE, run with diffusers 0.42.1"), "0.455": given("the same run"),
        "0.25": given("the same run"), "244,232 bytes": toy, "156,232": 244232 - 88000, "88,000": toy,
        "122,116": 244232 / 2, "0.64": 156232 / 244232,
    }


def section_10_page():
    gb = worksheet.gb
    decode = 3872 * 2**20
    return {
        "2,567,463,684": worksheet.inventory()["SDXL UNet"], "6.94 GB": gb("SDXL, all") * 1e9, "6.94": gb("SDXL, all"),
        "5.13": gb("SDXL UNet"), "5.13 GB": gb("SDXL UNet") * 1e9, "4.06 GB": decode, "4.06": decode / 1e9,
        "11.0 GB": gb("SDXL, all") * 1e9 + decode, "3872 MiB": given("a decode without weights, diffusers 0.42.1"),
        "1536 MiB": given("the same, four images"), "24 GB": given("a card"), "12 GB": given("a card"),
        "8 GB": given("a card"),
    }


def small_pages():
    a = model("llama-2-7b")
    return {
        "index.md": {"13.48 GB": a["weights_bf16"], "107.81 GB": a["state"]["adam_bf16_master"],
                     "16,777,216": 2**24, "1,024": 1024},
        "glossary.md": {"7.4 %": 2**30 / 1e9 - 1, "1,024": 1024},
        "tracks/ai-infra/index.md": {"107.81": a["state"]["adam_bf16_master"] / 1e9, "80 GB": given("a card")},
        "tracks/ai-infra/handbook/04-reductions.md": {"999,999": 10**6 - 1},
        "tracks/ai-infra/practice.md": {"32 GiB": given("an example of how to answer")},
    }


PAGES = {
    "tracks/ai-infra/labs/lab-01-transformer-memory.md": lab_01_page,
    "tracks/ai-infra/handbook/01-transformer-memory.md": section_01_page,
    "tracks/ai-infra/labs/lab-04-cuda-reduce.md": lab_04_page,
    "tracks/diffuser/labs/lab-10-memory-optimization-reading.md": lab_10_page,
    "tracks/diffuser/handbook/10-memory-knobs.md": section_10_page,
}


def shown(figure: str, value: float) -> str:
    """The value, printed the way the figure is."""
    number, _, unit = figure.partition(" ")
    value = value / SCALE[unit or None]
    if "e" in number:
        text = f"{value:.1e}"
    else:
        text = f"{value:{',' if ',' in number else ''}.{len(number.partition('.')[2])}f}"
    return f"{text} {unit}" if unit else text


def compare(page: str, expected: dict):
    printed, wrong = course.figures(page), []
    for figure in printed:
        if figure not in expected:
            wrong.append(f"{figure} is not listed")
        elif not isinstance(expected[figure], given) and shown(figure, expected[figure]) != figure:
            wrong.append(f"{figure} should be {shown(figure, expected[figure])}")
    wrong += [f"{figure} is listed and not on the page" for figure in expected if figure not in printed]
    assert not wrong, f"{page}: " + "; ".join(wrong)


def check_of(page, table):
    def check():
        compare(page, table())
    check.__doc__ = f"figures of {page}"
    return check


def the_rest():
    """figures of every other page; the guide's are limits and outputs of the program, whose own tests hold them."""
    tables = small_pages()
    for path in sorted(course.CONTENT.rglob("*.md")):
        page = path.relative_to(course.CONTENT).as_posix()
        if page not in PAGES and not page.startswith("guide/"):
            compare(page, tables.pop(page, {}))
    assert not tables, f"no such page: {', '.join(tables)}"


def extractor():
    """the search for figures sees units, separators and decimals, and no versions or names."""
    for text, expected in {
        "13.48 GB of 107.81: 7 per cent, 1,348 GiB.": ["13.48 GB", "107.81", "7 per cent", "1,348 GiB"],
        "diffusers 0.42.1, nvcc 13.5.37, Llama-3.1-405B, FLUX.1-dev, 2026-11-21": [],
        "20.0 µs, 1.8e-05 and 5e-6, 8 heads, 25 GB/s": ["20.0 µs", "1.8e-05", "5e-6", "25 GB/s"],
    }.items():
        found = [m.group(0).strip() for m in course.FIGURE.finditer(text)]
        assert found == expected, f"{text}: {found}"
    assert shown("1,348 GiB", 1348 * 2**30) == "1,348 GiB" and not re.search("-", shown("0.25", 0.25))


CHECKS = [extractor, *(check_of(page, table) for page, table in PAGES.items()), the_rest]
