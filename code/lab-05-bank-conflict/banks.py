#!/usr/bin/env python3
"""Counts bank conflicts: which word each lane of a warp asks for, and from which bank.

    python3 banks.py                 the table of the lab
    python3 banks.py --width 36      one row width, bank by bank
    python3 banks.py --json
"""
import argparse
import collections
import json

# ANCHOR: model
LANES = BANKS = TILE = 32
WORD = 4      # bytes that a bank delivers per pass
SECTOR = 32   # bytes that global memory moves at least


def column(width: int, element: int = 4, number: int = 0) -> list[int]:
    """The byte address of each lane; lane i reads row i of one column."""
    return [element * (lane * width + number) for lane in range(LANES)]


def conflict(addresses: list[int]) -> int:
    """The n of an n-way bank conflict: words in the busiest bank."""
    words = {address // WORD for address in addresses}
    return max(collections.Counter(w % BANKS for w in words).values())


def sectors(addresses: list[int]) -> int:
    """The same question for global memory: sectors of 32 bytes."""
    return len({address // SECTOR for address in addresses})
# ANCHOR_END: model


# ANCHOR: swizzle
def place(row: int, col: int) -> int:
    """Byte address in a tile whose rows are permuted by XOR."""
    return WORD * (TILE * row + (col ^ row))
# ANCHOR_END: swizzle


CARDS = {  # bytes per second
    "A100": 2.039e12, "H100": 3.35e12, "H200": 4.8e12, "B200": 7.7e12}
SIDE, SMS, CLOCK = 8192, 132, 1.98e9  # the timed matrix; an H200


def layout(width: int) -> dict:
    down, along = conflict(column(width)), conflict(column(1))
    narrow = max(conflict(column(width, 2, n)) for n in range(2))
    return {"bytes": TILE * width * 4, "row": along, "column": down,
            "column of 16-bit elements": narrow,
            "passes per tile": TILE * (along + down)}


def report() -> dict:
    table = {str(w): layout(w) for w in (31, 32, 33, 34, 36, 40, 48, 64)}
    rows = [[place(r, c) for c in range(TILE)] for r in range(TILE)]
    along = max(conflict(row) for row in rows)
    down = max(conflict(list(col)) for col in zip(*rows))
    table["XOR"] = {"bytes": 4096, "row": along, "column": down,
                    "passes per tile": TILE * (along + down)}
    moved, tiles = 2 * 4 * SIDE**2, (SIDE // TILE)**2
    return {
        "layouts": table,
        "one word": conflict([0] * LANES),
        "sectors": {"neighbors": sectors(column(1)),
                    "rows apart": sectors(column(SIDE))},
        "moved": moved, "tiles": tiles,
        "floor us": {card: moved / rate * 1e6 for card, rate in CARDS.items()},
        "bank us on an H200": {
            name: tiles * each["passes per tile"] / SMS / CLOCK * 1e6
            for name, each in table.items()},
    }


def show(width: int) -> None:
    """Prints which rows of a column each bank holds."""
    banks = collections.defaultdict(list)
    for lane, address in enumerate(column(width)):
        banks[address // WORD % BANKS].append(lane)
    for bank in sorted(banks):
        print(f"bank {bank:2}: rows {', '.join(map(str, banks[bank]))}")
    print(f"{conflict(column(width))}-way bank conflict")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--width", type=int, help="words in a row of the tile")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.width:
        return show(args.width)
    found = report()
    if args.json:
        return print(json.dumps(found, indent=1))
    print(f"{'width':>5}{'bytes':>7}{'row':>5}{'column':>8}{'16-bit':>8}"
          f"{'per tile':>10}")
    for width, each in found["layouts"].items():
        size, row, down, *narrow, tile = each.values()
        print(f"{width:>5}{size:7}{row:5}{down:8}{(narrow or ['-'])[0]:>8}"
              f"{tile:10}")
    print("sectors per warp:", found["sectors"])


if __name__ == "__main__":
    main()
