"""The data card: a description of a file of labels, as Markdown beside it."""

from __future__ import annotations

import shlex
from pathlib import Path

from ...core.files import file_sha256
from ...core.version import __version__
from ...kulami.database.probe import Database
from ...kulami.position.position import MARBLES
from .files import COLUMNS, ESTIMATES, Counts
from .plan import LabelPlan


def command_of(
    name: str,
    plan: LabelPlan,
    kfn: bool = False,
    estimate: bool = False,
    database: Database | None = None,
) -> str:
    """Return the command that writes a file again.

    Examples:
        >>> command_of("late.npz", LabelPlan(1000, (8, 16), bots=("alphabeta:4",), plies=4))
        'kulami labels late.npz --count 1000 --free 8-16 --bot alphabeta:4 --plies 4'
    """
    words = ["kulami", "labels", name, "--count", str(plan.count)]
    words += ["--free", f"{plan.free[0]}-{plan.free[1]}"]
    if plan.scoring.value != "0":
        words += ["--scoring", plan.scoring.value]
    if plan.layout != "random":
        words += ["--layout", str(plan.layout)]
    for bot in plan.bots:
        words += ["--bot", bot]
    for option, value, default in (
        ("--plies", plan.plies, 6),
        ("--marbles", plan.marbles, MARBLES),
        ("--games", plan.games, 16),
        ("--seed", plan.seed, 0),
    ):
        if value != default:
            words += [option, str(value)]
    if plan.short_end:
        words.append("--short-end")
    if kfn:
        words.append("--kfn")
    if estimate:
        words.append("--estimate")
    if database is not None:
        words += ["--database", database.path]
    return shlex.join(words)


def card_of(
    path: Path,
    plan: LabelPlan,
    counts: Counts,
    kfn: bool,
    estimate: bool,
    license: str,
    database: Database | None = None,
) -> str:
    """Return the card of a file that has been written."""
    npz = path.suffix.lower() == ".npz"
    players = " and ".join(f"`{bot}`" for bot in plan.bots)
    games = {
        0: "random moves from the empty board",
        1: f"{players} against itself, after {plan.plies} random moves",
        2: f"{players} against each other, after {plan.plies} random moves",
    }[len(plan.bots)]
    layouts = "random ones, square and irregular" if plan.layout == "random" else f"`{plan.layout}`"
    ends = "as soon as one side has placed all" if plan.short_end else "when they run out"
    command = command_of(path.name, plan, kfn, estimate, database).replace("|", "\\|")
    proved = "by search" if database is None else "in a database or by search"
    left_out = (() if kfn else ("kfn",)) + (() if estimate else ESTIMATES)
    rows = [
        f"# Labelled Kulami positions: {path.name}",
        "",
        f"{counts.rows:,} different positions of Kulami with the exact value of every legal field, "
        f"proved {proved}.",
        "",
        "| | |",
        "|---|---|",
        f"| command | `{command}` |",
        f"| version | kulami_solver {__version__} |",
        f"| positions | {counts.rows:,}, each once, from {counts.games:,} games |",
        f"| games | {games} |",
        f"| layouts | {counts.layouts:,}: {layouts} |",
        f"| scoring | {plan.scoring.value} |",
        f"| marbles | {plan.marbles} of each colour; the game ends {ends} |",
        *(
            f"| {outcome} of the side to move | {counts.outcomes[outcome]:,} |"
            for outcome in ("win", "draw", "loss")
        ),
        f"| SHA-256 | `{file_sha256(path)}` |",
        f"| licence | {license} |",
        "",
        "## Columns",
        "",
        "| column | |",
        "|---|---|",
        *(f"| `{name}` | {about} |" for name, about in COLUMNS.items() if name not in left_out),
    ]
    if npz:
        rows += [
            "| `layouts` | the layouts, as text |",
            "| `about` | what was asked for, as JSON |",
        ]
    rows += ["", "## Positions by free fields", "", "| free | positions |", "|---:|---:|"]
    rows += [f"| {free} | {number:,} |" for free, number in sorted(counts.free.items())]
    return "\n".join(rows) + "\n"
