"""Write `tests/playthroughs`: random games in OpenSpiel, with every answer it gives.

    python scripts/data/make_playthroughs.py          write them all
    python scripts/data/make_playthroughs.py --check  say which differ, and exit 1 if one does

OpenSpiel's own generator writes them. Here long runs of zeros and of equal lines are drawn
together; `{...}` says how many there were.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "playthroughs"
PLAYED = {
    "kulami_level1": "kulami(layout=ABBCD/ABBCD/ABBEE/FFFEE,scoring=level1)",
    "kulami_gaps": "kulami(layout=.AAB/CC.B/DDD.,scoring=chains,first=black,returns=outcome)",
    "kulami_marbles": "kulami(layout=rulebook,scoring=level2,marbles=3,short_end=True)",
}
"""The games, by the names of their files."""

_SEED = 16
_SHOWN = 4  # equal lines
_ZEROS = re.compile(r"(?:0\.0, ){9,}")


def playthrough(game: str) -> str:
    """Return the text of a file: a random game of `game`, always the same."""
    from open_spiel.python.algorithms import generate_playthrough

    import kulami_solver.adapters.openspiel  # noqa: F401  (registers the game)

    lines = generate_playthrough.playthrough_lines(game, seed=_SEED)
    return "".join(f"{line}\n" for line in _shortened(lines))


def _shortened(lines: list[str]) -> Iterator[str]:
    for line, run in itertools.groupby(lines):
        short = _ZEROS.sub(lambda zeros: f"{{{zeros[0].count(',')} zeros}}, ", line.rstrip())
        equal = len(list(run))
        if equal <= _SHOWN:
            yield from [short] * equal
        else:
            yield from (short, f"{{and {equal - 1} more}}")


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only say which files differ")
    check = parser.parse_args().check
    FOLDER.mkdir(exist_ok=True)
    differing = 0
    for name, game in PLAYED.items():
        file, text = FOLDER / f"{name}.txt", playthrough(game)
        if not check:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            differing += 1
            print(f"{name}: not as it was", file=sys.stderr)
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
