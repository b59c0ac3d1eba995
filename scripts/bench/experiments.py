#!/usr/bin/env python3
"""What each part of the search saves: take one out at a time, and solve the same positions.

    python scripts/bench/experiments.py                     all experiments: nodes and time
    python scripts/bench/experiments.py --instructions      nodes, and instructions for each of them
    python scripts/bench/experiments.py knapsack look-ahead   two of them
    python scripts/bench/experiments.py --list              what there is

An experiment gives other values to switches of the compiled search
(ext/kulami_solver/kulami/switches.pxd), or another driver to what asks it (solve_listed.py). For
switches a copy of the sources is built with KULAMI_DEFINES, and run beside a copy without, in whose
machine code nothing is left of them. A margin that is not the unchanged search's is an error: every
part may cost or save time, none may change an answer.

The positions are those of random_play.py: 20 each with 28 and 30 free fields at scoring 0,
and 8 each with 28 at the other scorings, every one from an empty table by one thread. The result is
a Markdown table. *Nodes* are the mean of a row of positions; they depend on the table's size, and
on nothing else of the machine. *Time* is that of the processor, which feels what else is running:
runs alternate with the unchanged search's, and the median of --repeat ratios is given. Instructions
depend on the compiler and on KULAMI_MARCH alone. They are counted by valgrind, some fifty times
slower, so only on the position of each row that takes the unchanged search the fewest nodes, less
those of starting Python, and divided by the nodes there: nodes times instructions a node is what a
part costs or saves.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benching import at_least, parser_of
from random_play import positions
from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.core.memory import parse_memory

ROOT: Final = Path(__file__).resolve().parents[2]
WORKER: Final = ROOT / "scripts" / "bench" / "solve_listed.py"

# What a build needs, and what the build before left, which spares it what has not changed.
SOURCES: Final = ["ext", "kulami_solver", "setup.py", "pyproject.toml"]
BESIDE: Final = ["README.md", "LICENSE", "build"]
IGNORED: Final = ["__pycache__", "temp.*", "bdist.*"]


class ExperimentError(Exception):
    """An experiment that cannot be made, or that gave a wrong answer."""


@dataclass(frozen=True)
class Experiment:
    """A part of the search that can be taken out.

    Attributes:
        name: what it is called on the command line.
        sentence: what is done without.
        switches: other values of compile-time switches, by their names without KULAMI_.
        driver: what solve_listed.py is to do in another way.
    """

    name: str
    sentence: str
    switches: Mapping[str, int] = field(default_factory=dict)
    driver: tuple[str, ...] = ()

    def defines(self) -> str:
        """The switches as setup.py reads them."""
        return " ".join(f"KULAMI_{name}={value}" for name, value in self.switches.items())


NO_LOOK_AHEAD: Final = {"LOOK_AHEAD_PLIES": 100, "LOOK_DEEPER_PLIES": 100}
FEWEST_REPLIES: Final = {
    "WEIGHT_BOUNDS": 0,
    "WEIGHT_PRESENT": 0,
    "WEIGHT_REPLIES": 14,
    "WEIGHT_BOUNDS_MIXED": 0,
    "WEIGHT_PRESENT_MIXED": 0,
    "WEIGHT_REPLIES_MIXED": 14,
    "WEIGHT_EXPECTED": 0,
    "WEIGHT_HOTTEST": 0,
}

UNCHANGED: Final = Experiment("unchanged", "nothing taken out")

EXPERIMENTS: Final = (
    Experiment(
        "key",
        "the colours of all marbles are in the table's key as well",
        {"COLOURS_IN_KEY": 1},
    ),
    Experiment(
        "knapsack", "the sum of all panels' gains, however few the marbles", {"KNAPSACK": 0}
    ),
    Experiment("waste", "a first marble that cannot gain is not deducted", {"FORCED_WASTE": 0}),
    Experiment("live", "all free fields are live", {"LIVE_FIELDS": 0}),
    Experiment(
        "two-plies",
        "only the last ply is exact without search, not the last two",
        {"EXACT_PLIES": 1},
    ),
    Experiment(
        "sums", "all children are made and evaluated, none bounded before", {"BOUND_FIRST": 0}
    ),
    Experiment(
        "close-look", "moves are evaluated one by one in long games, too", {"EARLY_PLIES": 100}
    ),
    Experiment(
        "cut-offs", "the table is not asked about children beforehand", {"EARLY_CUTOFFS": 0}
    ),
    Experiment("look-ahead", "moves are ordered by the heuristic value alone", NO_LOOK_AHEAD),
    Experiment(
        "look-deeper",
        "the look ahead is one ply deep in long games, too",
        {"LOOK_DEEPER_PLIES": 100},
    ),
    Experiment(
        "bounds",
        "the heuristic value without the bounds",
        {"WEIGHT_BOUNDS": 0, "WEIGHT_BOUNDS_MIXED": 0},
    ),
    Experiment(
        "present",
        "the heuristic value without the score now",
        {"WEIGHT_PRESENT": 0, "WEIGHT_PRESENT_MIXED": 0},
    ),
    Experiment(
        "expected", "the heuristic value without the points to expect", {"WEIGHT_EXPECTED": 0}
    ),
    Experiment(
        "replies",
        "the heuristic value without the number of replies",
        {"WEIGHT_REPLIES": 0, "WEIGHT_REPLIES_MIXED": 0},
    ),
    Experiment(
        "hottest", "the heuristic value without the best reply's gain", {"WEIGHT_HOTTEST": 0}
    ),
    Experiment(
        "measure",
        "fewest replies first, look ahead included; first guess in the middle",
        {**FEWEST_REPLIES, "GUESS": 0},
    ),
    Experiment(
        "order",
        "fewest replies first, no look ahead; first guess in the middle",
        {**FEWEST_REPLIES, **NO_LOOK_AHEAD, "GUESS": 0},
    ),
    Experiment("guess", "the first guess is the middle of the bounds", {"GUESS": 0}),
    Experiment(
        "driver",
        "each question halves what is left of the bounds, instead of MTD(f)",
        {"HALVE": 1},
    ),
    Experiment(
        "endings",
        "the last plies are searched like all others, with the table from six plies on",
        {"PANEL_ENDING_FIELDS": 0, "MIXED_ENDING": 2},
    ),
    Experiment(
        "endings-shorter",
        "endings begin at eight and six plies, not at fourteen and ten",
        {"PANEL_ENDING": 8, "MIXED_ENDING": 6},
    ),
    Experiment(
        "replacement", "the first entry of a full bucket gives way, not the cheapest", {"EFFORT": 0}
    ),
    Experiment(
        "prefetch",
        "the table's lines are not asked for ahead of their use (counts in time alone)",
        {"PREFETCH": 0},
    ),
    Experiment(
        "huge-pages",
        "the table lies in pages of 4 KiB (counts in time alone)",
        driver=("small-pages",),
    ),
)


@dataclass(frozen=True)
class Row:
    """Positions that are solved together: a column of the table."""

    free: int
    scoring: ks.Scoring
    count: int

    @property
    def title(self) -> str:
        """Its name in the table's head."""
        if self.scoring is ks.Scoring.CHAINS:
            return f"chains, {self.free} free"
        return f"level {self.scoring.value}, {self.free} free"


ROWS: Final = (
    Row(28, ks.Scoring.LEVEL0, 20),
    Row(30, ks.Scoring.LEVEL0, 20),
    Row(28, ks.Scoring.LEVEL1, 8),
    Row(28, ks.Scoring.LEVEL2, 8),
    Row(28, ks.Scoring.CHAINS, 8),
)


@dataclass(frozen=True)
class Case:
    """A position, and the row it is of."""

    row: Row
    position: ks.Position

    def line(self) -> str:
        """The case as the worker reads it."""
        return json.dumps({"kfn": self.position.kfn(), "scoring": self.row.scoring.value})


@dataclass(frozen=True)
class Solved:
    """What the worker says of a case."""

    margin: int
    nodes: int
    seconds: float


def cases(most: int) -> list[Case]:
    """All positions, at most so many of a row."""
    return [
        Case(row, position)
        for row in ROWS
        for position in itertools.islice(positions(row.free), min(row.count, most))
    ]


def run(command: Sequence[str], what: str, stdin: str = "", **options: Any) -> str:
    """Run a command and return what it prints; ExperimentError, saying what failed, if it fails.

    Whatever ends the wait, Ctrl-C above all, ends the command and all that it started, so that
    nothing writes into a folder that is being removed.
    """
    process: subprocess.Popen[str] = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )
    try:
        printed, errors = process.communicate(stdin)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if process.returncode != 0:
        said = "\n".join((errors or printed).strip().splitlines()[-10:])
        raise ExperimentError(f"{what} failed with exit code {process.returncode}:\n{said}")
    return printed


class Copy:
    """The sources in a folder of their own, built with the switches of an experiment.

    Args:
        experiment: which.
        origin: the sources, with a build that spares this one what the switches do not change.
        folder: where the copy is made, if it needs one: without switches, `origin` will do.
    """

    def __init__(self, experiment: Experiment, origin: Path, folder: Path) -> None:
        self.name: Final = experiment.name
        self.driver: Final = experiment.driver
        self.folder: Final = folder if experiment.switches or origin == ROOT else origin
        if self.folder == origin:
            return
        folder.mkdir()
        for name in SOURCES + BESIDE:
            source, target = origin / name, folder / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns(*IGNORED))
            elif source.exists():
                shutil.copy2(source, target)
        run(
            [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
            f"building experiment {self.name}",
            cwd=folder,
            env=os.environ | {"KULAMI_DEFINES": experiment.defines()},
        )

    def solve(self, chosen: Sequence[Case], table: str, under: Sequence[str] = ()) -> list[Solved]:
        """Solve positions with the copy, by a worker that may run under another program."""
        printed = run(
            [*under, sys.executable, str(WORKER), table, *self.driver],
            f"experiment {self.name}",
            "".join(case.line() + "\n" for case in chosen),
            env=os.environ | {"PYTHONPATH": str(self.folder), "PYTHONHASHSEED": "0"},
        )
        return [Solved(**json.loads(line)) for line in printed.splitlines()]

    def instructions(self, chosen: Sequence[Case], table: str) -> tuple[int, int]:
        """Instructions of a worker from its start to its end, and the nodes it searched."""
        counts = self.folder / "callgrind.out"
        under = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"]
        solved = self.solve(chosen, table, under)
        total = re.search(r"^totals: (\d+)", counts.read_text(encoding="utf-8"), re.MULTILINE)
        if total is None:
            raise ExperimentError(f"experiment {self.name}: callgrind counted nothing")
        return int(total[1]), sum(one.nodes for one in solved)


class Measurement:
    """The unchanged search, and what is measured beside it."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options: Final = options
        self.folder: Final = folder
        self.cases: Final = cases(options.positions)
        self.unchanged: Final = Copy(UNCHANGED, ROOT, folder / UNCHANGED.name)
        self.solved: Final = self.unchanged.solve(self.cases, options.memory)
        self.nodes: Final = self.mean_nodes(self.solved)
        self.start_up: Final = (
            self.unchanged.instructions([], options.memory)[0] if options.instructions else 0
        )
        self.groups: Final = self.grouped()
        self.counted: Final = [self.count(self.unchanged, group) for group in self.groups]

    def mean_nodes(self, solved: Sequence[Solved]) -> list[float]:
        """Return the mean nodes of each row."""
        return [
            statistics.fmean(
                one.nodes for case, one in zip(self.cases, solved, strict=True) if case.row is row
            )
            for row in ROWS
        ]

    def shortest(self, row: Row) -> Case:
        """The position of a row that takes the fewest nodes."""
        nodes = {
            case: one.nodes
            for case, one in zip(self.cases, self.solved, strict=True)
            if case.row is row
        }
        return min(nodes, key=lambda case: nodes[case])

    def grouped(self) -> list[list[Case]]:
        """What is counted or timed together: panels alone, and with areas or chains."""
        chosen = self.cases
        if self.options.instructions:
            chosen = [self.shortest(row) for row in ROWS]
        return [
            [case for case in chosen if (case.row.scoring is ks.Scoring.LEVEL0) == alone]
            for alone in (True, False)
        ]

    def count(self, copy: Copy, group: Sequence[Case]) -> float:
        """Instructions for a node, or seconds of the processor for all."""
        if self.options.instructions:
            instructions, nodes = copy.instructions(group, self.options.memory)
            return (instructions - self.start_up) / nodes
        return sum(one.seconds for one in copy.solve(group, self.options.memory))

    def ratio(self, copy: Copy, group: Sequence[Case], counted: float) -> float:
        """What a copy counts for a group, over what the unchanged search does."""
        if self.options.instructions:
            return self.count(copy, group) / counted
        return statistics.median(
            self.count(copy, group) / self.count(self.unchanged, group)
            for _ in range(self.options.repeat)
        )

    def head(self) -> str:
        """The table's head, and its line of the unchanged search."""
        work = "instructions a node" if self.options.instructions else "time"
        titles = [row.title for row in ROWS]
        titles += [f"{work}, level 0", f"{work}, the others"]
        unit = "{:,.0f}" if self.options.instructions else "{:.2f} s"
        cells = [f"{nodes:,.0f}" for nodes in self.nodes]
        cells += [unit.format(counted) for counted in self.counted]
        return "\n".join(
            [
                f"| experiment | {' | '.join(titles)} |",
                "|---|" + "---|" * len(titles),
                f"| ({UNCHANGED.sentence}) | {' | '.join(cells)} |",
            ]
        )

    def line(self, experiment: Experiment) -> str:
        """Make an experiment, and put it into a line of the table."""
        folder = self.folder / experiment.name
        copy = Copy(experiment, self.unchanged.folder, folder)
        solved = copy.solve(self.cases, self.options.memory)
        for case, right, found in zip(self.cases, self.solved, solved, strict=True):
            if found.margin != right.margin:
                raise ExperimentError(
                    f"experiment {experiment.name}: margin {found.margin:+d}, unchanged "
                    f"{right.margin:+d}, at scoring {case.row.scoring.value} of "
                    f"{case.position.kfn()}"
                )
        ratios = [
            nodes / before
            for nodes, before in zip(self.mean_nodes(solved), self.nodes, strict=True)
        ]
        ratios += [
            self.ratio(copy, group, counted)
            for group, counted in zip(self.groups, self.counted, strict=True)
        ]
        if folder.exists():
            shutil.rmtree(folder)
        cells = " | ".join(change(ratio) for ratio in ratios)
        return f"| {experiment.name}: {experiment.sentence} | {cells} |"


def change(ratio: float) -> str:
    """A ratio in words: +12 %, and from 2.0 times on 2.3 times.

    Examples:
        >>> change(1.118), change(0.98), change(1.001), change(1.996)
        ('+12 %', '-2 %', '0 %', '2.0 times')
    """
    percent = round(100 * (ratio - 1))
    if percent >= 100:
        return f"{ratio:.1f} times"
    return f"{percent:+d} %" if percent else "0 %"


def experiment_named(name: str) -> Experiment:
    """The experiment with a name."""
    for experiment in EXPERIMENTS:
        if experiment.name == name:
            return experiment
    raise argparse.ArgumentTypeError(f"no experiment is called {name!r}: --list names them")


def memory_size(text: str) -> str:
    """A size that the worker will understand."""
    try:
        parse_memory(text)
    except ks.KulamiError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = parser_of(__doc__)
    options.add_argument(
        "experiments", nargs="*", type=experiment_named, metavar="NAME", help="by default, all"
    )
    options.add_argument("--list", action="store_true", help="name the experiments, and end")
    options.add_argument(
        "--instructions", action="store_true", help="count them with valgrind, instead of time"
    )
    options.add_argument(
        "--repeat", type=at_least(1), default=3, metavar="N", help="pairs of timed runs (3)"
    )
    options.add_argument(
        "--positions", type=at_least(1), default=20, metavar="N", help="at most, of a row (20)"
    )
    options.add_argument(
        "--memory", type=memory_size, default="64M", metavar="SIZE", help="of the table (64M)"
    )
    return options


def measure(options: argparse.Namespace) -> None:
    """Print the table, a line as soon as it is known."""
    chosen = options.experiments or EXPERIMENTS
    with (
        tempfile.TemporaryDirectory(prefix="kulami-experiments-") as folder,
        tqdm(total=1 + len(chosen), file=sys.stderr, leave=False) as bar,
    ):
        bar.set_description(UNCHANGED.name)
        measurement = Measurement(options, Path(folder))
        bar.clear()
        print(measurement.head(), flush=True)
        bar.update()
        for experiment in chosen:
            bar.set_description(experiment.name)
            line = measurement.line(experiment)
            bar.clear()
            print(line, flush=True)
            bar.update()


def main() -> int:
    """Measure and print; 1 if an experiment fails, 130 if Ctrl-C ended it after some lines."""
    options = parser().parse_args()
    if options.list:
        if hasattr(signal, "SIGPIPE"):
            # When `| head` has read enough, end as other programs do.
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        for experiment in EXPERIMENTS:
            print(f"{experiment.name:12} {experiment.sentence}")
        return 0
    if options.instructions and shutil.which("valgrind") is None:
        print("there is no valgrind here: time instead of instructions", file=sys.stderr)
        options.instructions = False
    try:
        measure(options)
    except KeyboardInterrupt:
        print("interrupted: experiments that are not printed were not finished", file=sys.stderr)
        return 130
    except ExperimentError as error:
        print(f"experiments.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
