#!/usr/bin/env python3
"""Write tests/perft/*.jsonl: how many leaves there are at depth 1, 2 ... from known positions.

    python scripts/data/make_perft.py [--check] [NAME ...]

One line is one position::

    {"kfn": "AAB/CCB - r -", "marbles": 28, "short_end": false, "checked": 8, "counts": [6, ...]}

``counts[d - 1]`` is the number of leaves at depth d, where an ended game counts once at every depth
beyond its end.  The first ``checked`` counts were counted by tests/reference.py, the deeper ones
are the package's: they pin what it says.  A count on which the two differ ends the script.
"""

from __future__ import annotations

import functools
import json
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import reference  # noqa: E402
from json_lines import write_or_compare  # noqa: E402

import kulami_solver as ks  # noqa: E402

FOLDER = ROOT / "tests" / "perft"

IRREGULAR = (
    "....OO..../.NNNOOPPP./.NNN...LL./QQ.III.LL./QQDDD..HHM/"
    "EEDDDAAHHM/EE.CCBB.JM/EE.FF.KKJ./.GGFF.KKJ./......KK.."
)
ONES = "ABCDE/FGHIJ/KLMNO/PQRST/UVWXY"


@dataclass(frozen=True)
class Case:
    """A position, given by the fields played from the empty board, and how deep to count."""

    layout: str
    moves: str
    checked: int  # plies the reference counts
    depth: int
    marbles: int = 28
    short_end: bool = False


SUITE: dict[str, list[Case]] = {
    "rulebook": [
        Case(reference.RULEBOOK_LAYOUT, "", 4, 7),
        Case(reference.RULEBOOK_LAYOUT, "d6", 4, 7),
        Case(reference.RULEBOOK_LAYOUT, "d6 d3", 4, 7),
        Case(reference.RULEBOOK_LAYOUT, "d6 d3 i3", 4, 7),
    ],
    "square": [
        Case(reference.SQUARE_LAYOUT, "", 4, 7),
        Case(reference.SQUARE_LAYOUT, "d4 d7", 4, 7),
    ],
    "irregular": [
        Case(IRREGULAR, "", 4, 7),
        Case(IRREGULAR, "i6 a6 a5 j5 i5 d5 d8 a8 i8 e8 e5 b5 b2 b7 j7 d7 i7 i3 i2 e2", 8, 11),
    ],
    "small": [
        Case("A", "", 4, 4),
        Case("AB", "", 4, 4),
        Case("AAB/CCB", "", 8, 8),
        Case("AABB/CCDD/EEFF", "", 6, 12),
        Case("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG", "", 5, 10),
        Case("ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG", "", 4, 9),
    ],
    "disconnected": [
        Case("AA..BB/AA..BB/....../CC..DD/CC..DD", "", 6, 10),
        Case("A.B.C/...../D.E.F/...../G.H.I", "", 6, 10),
        Case("AAA............B/................/C.............DD", "", 8, 8),
        Case("ABC......./........../...DEF..../........../......GHI.", "", 6, 9),
    ],
    "ones": [
        Case(ONES, "", 4, 8),
        Case(ONES, "a1 a3 c3 c5", 5, 9),
        Case("ABCDEFGHIJKLMNOP", "", 4, 8),
        Case("A/B/C/D/E/F/G/H/I/J/K/L/M/N/O/P", "", 4, 8),
    ],
    "wide": [
        Case("AAAAABBBBB/AAAAABBBBB/CCCCCDDDDD/CCCCCDDDDD", "", 4, 8),
        Case("AAAABBBB/AAAABBBB/AAAABBBB/AAAABBBB/CCCCDDDD/CCCCDDDD/CCCCDDDD/CCCCDDDD", "", 4, 8),
    ],
    "limits": [
        Case("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG", "", 6, 8, marbles=1),
        Case("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG", "", 6, 8, marbles=2),
        Case("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG", "", 5, 8, marbles=2, short_end=True),
        Case("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG", "", 5, 9, marbles=3, short_end=True),
        Case(ONES, "a1 a3 c3", 5, 8, marbles=4),
        Case(ONES, "a1 a3 c3", 5, 8, marbles=4, short_end=True),
        Case(reference.SQUARE_LAYOUT, "", 4, 6, marbles=2),
        Case(reference.SQUARE_LAYOUT, "d4 d7", 4, 6, marbles=3, short_end=True),
    ],
}


def line(case: Case) -> str:
    """A case's line; SystemExit where the package and the reference differ."""
    rules, state = reference.start(case.layout, "r", case.marbles, case.short_end)
    for name in case.moves.split():
        state = reference.play(state, reference.field_square(name))
    kfn = reference.format_kfn(rules, state)
    position = ks.Position.from_kfn(kfn, marbles=case.marbles, short_end=case.short_end)
    counts = position.perft(case.depth)
    slow = reference.perft(rules, state, case.checked)
    if counts[: case.checked] != slow:
        raise SystemExit(f"{kfn}: the package counts {counts}, the reference {slow}")
    record = {
        "kfn": kfn,
        "marbles": case.marbles,
        "short_end": case.short_end,
        "checked": case.checked,
        "counts": counts,
    }
    return json.dumps(record) + "\n"


if __name__ == "__main__":
    write_or_compare(
        FOLDER, {name: functools.partial(map, line, cases) for name, cases in SUITE.items()}
    )
