"""`kulami labels`: positions with every field's exact value, for training."""

from __future__ import annotations

import argparse
import contextlib
import re
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, workers_asked_for
from kulami_solver.cli.databases import building, sound_source
from kulami_solver.cli.kulami.games import span
from kulami_solver.cli.kulami.positions import (
    add_layouts_options,
    add_scoring_option,
    edition,
    layouts_or_random,
)
from kulami_solver.cli.output import CommandError
from kulami_solver.core.notation import so_many
from kulami_solver.kulami.position.edition import OPTIONS

if TYPE_CHECKING:
    from kulami_solver.adapters.labels import LabelPlan, Written


def add_commands(commands: Commands) -> None:
    """Add `labels`."""
    parser = add_command(commands, "labels", run, "write positions with every field's exact value")
    parser.file("table", "ends in .parquet (needs pyarrow)")
    parser.number("--count", 1, 10**9, "how many positions (10000)", 10_000)
    parser.value("--free", "N-M", "how many free fields they have, to 40 (10-20)", span, (10, 20))
    add_scoring_option(parser)
    group = parser.group("games")
    add_layouts_options(group, "board of some games (random; with --database its own)")
    words = "who plays, against itself or the next; else random moves"
    group.value("--bot", "BOT", words, default=[], action="append")
    group.number("--plies", 0, 40, "marbles placed at random before bots take over (6)", 6)
    group.number("--games", 1, 10**4, "games on a layout before the next one (16)", 16)
    group.of_game(*OPTIONS)
    parser.seed()
    parser.file("--database", "values, so that only the rest is solved", "DB")
    parser.switch("--estimate", "add columns of estimates")
    words = "add a column: training, validation, test; like 80-10-10"
    parser.value("--split", "N-N-N", words, _shares)
    parser.processes("label")
    parser.memory("of each worker's transposition table")
    parser.switch("--force", "replace a file that is there, and other work on it")


def run(args: argparse.Namespace) -> int:
    """Label positions."""
    from kulami_solver.adapters.labels import write_labels

    with contextlib.ExitStack() as stack:
        line = stack.enter_context(building(" positions", args.table))
        database = None
        if args.database is not None:
            database = sound_source(stack, args.database, "database", "kulami")
            if database is None and args.layout is None:
                raise CommandError("--database has the layout: mend it, or give --layout")
        cluster = stack.enter_context(workers_asked_for(args))
        written = write_labels(
            args.table,
            _plan(args, database),
            database=database,
            executor=cluster,
            workers=None if cluster is not None else args.workers,
            memory=args.memory,
            estimate=args.estimate,
            split=args.split,
            force=args.force,
            progress=lambda done, total: line.show(done, total, "labelling"),
        )
    return _tell_written(args, written)


def _plan(args: argparse.Namespace, database: Any) -> LabelPlan:
    """The plan from the options; with a database, for its board unless another is named."""
    from kulami_solver.adapters.labels import LabelPlan

    boards = layouts_or_random(args)
    if not boards and database is not None:
        boards = (database.root.layout,)
    names = ("count", "free", "scoring", "plies", "seed", "games")
    own = {name: getattr(args, name) for name in names}
    layout = boards[0] if len(boards) == 1 else boards or "random"
    return LabelPlan(layout=layout, bots=tuple(args.bot), edition=edition(args), **own)


def _tell_written(args: argparse.Namespace, written: Written) -> int:
    counts = written.counts
    if written.exhausted:
        output.warn([f"the games had only {counts.rows:,} different positions of {args.count:,}"])
    told = {
        "file": args.table,
        "card": str(written.card),
        "positions": counts.rows,
        "layouts": counts.layouts,
        "games": counts.games,
        "free": {str(free): number for free, number in sorted(counts.free.items())},
        "outcomes": dict(sorted(counts.outcomes.items())),
        **({} if args.split is None else {"split": dict(counts.split)}),
        "seconds": round(written.seconds, 3),
    }
    return output.answer(
        args,
        told,
        f"{args.table}: {so_many(counts.rows, 'position')} from {so_many(counts.games, 'game')} "
        f"on {so_many(counts.layouts, 'layout')}, "
        f"{written.seconds:.1f} s; its card is {written.card}",
    )


def _shares(text: str) -> tuple[int, ...]:
    """Shares of three parts, for argparse.

    >>> _shares("80-10-10")
    (80, 10, 10)
    """
    from kulami_solver.errors import KulamiError, quoted

    if not re.fullmatch("[0-9]{1,3}(-[0-9]{1,3}){2}", text, re.ASCII) or not text.strip("0-"):
        raise KulamiError(f"expected shares of three parts, such as 80-10-10, not {quoted(text)}")
    return tuple(map(int, text.split("-")))
