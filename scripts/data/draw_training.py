"""Draw the regret of the learner in docs/examples/training_loop.py against its steps.

    pip install '.[plot,openspiel,pettingzoo]'
    python scripts/data/draw_training.py            learn, write data/training.csv: some minutes
    python scripts/data/draw_training.py --drawn    only write docs/_static/training-*.svg again

Seeds are fixed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from pictures import COLOURS, write_pictures

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "examples"))

from training_loop import GAMES, LAYOUT, curve  # noqa: E402

import kulami_solver as ks  # noqa: E402

TABLE: Final = ROOT / "data" / "training.csv"
NAMES: Final = {"numpy": "NumPy batches", "openspiel": "OpenSpiel", "pettingzoo": "PettingZoo"}
STEPS: Final = 512
_HEADER: Final = "games,steps,regret"


def learn() -> None:
    """Write the table: the regret after so many steps, by what plays the games."""
    lines = [_HEADER]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "board.kdb"
        ks.build(path, ks.Position(LAYOUT))
        with ks.open_database(path) as source:
            for games in GAMES:
                for steps, regret in curve(games, source, STEPS):
                    lines.append(f"{games},{steps},{regret:.3f}")
                    print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def table() -> dict[str, list[tuple[int, float]]]:
    """The curves of the committed table."""
    header, *lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert header == _HEADER
    found: dict[str, list[tuple[int, float]]] = {games: [] for games in GAMES}
    for line in lines:
        games, steps, regret = line.split(",")
        found[games].append((int(steps), float(regret)))
    return found


def draw(axes: Any) -> None:
    """A curve for each library, with a step more so that 0 has a place."""
    for colour, (games, points) in zip(COLOURS, table().items(), strict=False):
        steps, regrets = zip(*points, strict=True)
        axes.plot(
            [1 + step for step in steps], regrets, "o-", ms=4, label=NAMES[games], color=colour
        )
    axes.set_xscale("log", base=2)
    shown = [0, 1, 4, 16, 64, 256, 512]
    axes.set_xticks([1 + step for step in shown], map(str, shown))
    axes.set_ylim(0)
    axes.set_xlabel("steps, of 16 games each")
    axes.set_ylabel("points given away a move")
    axes.legend(frameon=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Draw regret against steps.")
    parser.add_argument("--drawn", action="store_true", help="only draw the table again")
    if not parser.parse_args().drawn:
        learn()
    write_pictures("training", draw, TABLE)
