"""Solve a late position, build and probe a small database, and say what to try next."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.kulami.positions import board_text
from kulami_solver.kulami.position.scoring import margin_words

# The rulebook's square after 36 moves, each drawn from the legal fields with random.Random(1).
KFN = (
    "AABCCCDD/AABEEFDD/GGBEEFDD/GGHHHIII/JJHHHKKL/MNNOOKKL/MNNPPPQQ/MNNPPPQQ "
    "1b2rrbr/rrrrrbbb/brr5/2b1b3/r1b1rb1b/bb1r2b1/1rbbrbr1/2r3rb r f7,b7"
)

SMALL = "ABBCD/ABBCD/ABBEE/FFFEE"

NAMES = {
    ks.Scoring.LEVEL0: "level 0 (panels)",
    ks.Scoring.LEVEL1: "level 1 (panels, areas)",
    ks.Scoring.LEVEL2: "level 2 (panels, areas, chains)",
    ks.Scoring.CHAINS: "panels and chains",
}


TRY_NEXT = """
To try next:

    source "{prefix}/bin/activate"
    KFN="{kfn}"
    kulami serve --open                                   a board in the browser, with values
    kulami solve --kfn "$KFN" --all                       what every legal field is worth
    kulami solve --kfn "$KFN" --all --json --scoring 2    the same for programs, at level 2
    kulami solve --layout rulebook --moves "d6 d3 i3" --time 20    bounds, where a proof takes hours
    kulami build small.kdb --layout {small}    a board solved whole, in a file
    kulami probe small.kdb --layout {small} --moves "d3 d1" --all
    kulami --help

In Python: import kulami_solver; help(kulami_solver). What a KFN is: README.md."""


def main() -> None:
    """Print the board, then each scoring's value and best line as it is proved."""
    output.prepare()
    position = ks.Position.from_kfn(KFN)
    print(f"\nA game of random moves with {position.free_count} fields still free:\n")
    print(board_text(position, output.wants_color("auto")))
    print("\nWith best play by both sides it ends like this:\n", flush=True)
    for scoring, name in NAMES.items():
        solution = ks.solve(position, scoring=scoring)
        print(
            f"{name:<33}{solution.words():<17}"
            f"{solution.nodes:>12,} nodes {solution.seconds:7.2f} s\n"
            f"    {' '.join(solution.line)}",
            flush=True,
        )
    with tempfile.TemporaryDirectory() as folder:
        build_and_probe(Path(folder, "small.kdb"))
    print(TRY_NEXT.format(prefix=sys.prefix, kfn=KFN, small=SMALL))


def build_and_probe(path: Path) -> None:
    """Solve a small board whole and look up what each first field is worth."""
    root = ks.Position(ks.Layout.parse(SMALL))
    built = ks.build(path, root)
    print(
        f"\nA small board solved whole: {built.positions:,} positions in {built.bytes:,} bytes, "
        f"{built.seconds:.1f} s. What each first field is worth there:\n"
    )
    with ks.open_database(path) as database:
        worth: dict[int, list[str]] = {}
        for move in database.move_values(root):
            worth.setdefault(move.lower, []).append(move.field)
    for margin, fields in worth.items():
        print(f"    {margin_words(margin, root.turn):<17}{' '.join(fields)}")


if __name__ == "__main__":
    main()
