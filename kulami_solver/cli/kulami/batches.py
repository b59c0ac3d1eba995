"""`kulami solve --input FILE --results FILE`: thousands of positions, safe from interruptions.

Answers are saved whole, in the order in which they are found, and printed in the order of the
positions. The hardest positions come first, so that at the end no worker is alone with a hard one.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from kulami_solver.cli import output
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK
from kulami_solver.cli.kulami.positions import positions
from kulami_solver.cli.results import result_file, taken_from_file
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError, NotationError

# Bytes of a table for bounds that are proved without a search.
_SMALL_TABLE: Final = 1 << 16

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from kulami_solver.kulami.position.position import Position
    from kulami_solver.kulami.position.scoring import Scoring


def solve_batch(
    args: argparse.Namespace, options: dict[str, Any], executor: Executor | None
) -> int:
    """Solve the positions of --input that --results has no answers to; print all answers.

    Args:
        args: the arguments of `kulami solve`.
        options: for `solve_many`.
        executor: solves the positions; None for threads of this process.
    """
    from kulami_solver.core.interruption import SolveInterrupted
    from kulami_solver.kulami.solve.batch import solve_many

    lines: list[Position | Mapping[str, object]] = []  # positions and answers to bad lines
    lines.extend(positions(args, lines.append))
    asked = [one for one in lines if not isinstance(one, Mapping)]
    with result_file("--results", args.results, _header(args)) as results:
        known = {position.kfn(): position for position in asked}
        for number, record in enumerate(results.known, 2):
            if not _is_answer(record, args.scoring):
                raise NotationError("journal_no_answer", file=args.results, number=number)
            position = known.get(record["kfn"])
            if position is not None and not _can_be(record, position, args.scoring):
                raise NotationError("journal_cannot_be", file=args.results, number=number)
        answers = {record["kfn"]: record for record in results.known}
        kept = sum(position.kfn() in answers for position in asked)
        left = {position.kfn(): position for position in asked if position.kfn() not in answers}
        printed = _print_in_order(lines, answers)
        next(printed)
        solutions = solve_many(
            hardest_first([*left.values()], args.scoring),
            executor=executor,
            workers=args.threads if executor is None else None,
            in_order=False,
            progress=ProgressLine(" positions"),
            **options,
        )
        try:
            with contextlib.closing(solutions):
                for solution in solutions:
                    answer = solution.to_json()
                    results.add(answer)
                    answers[answer["kfn"]] = answer
                    next(printed)
        except SolveInterrupted:
            done = sum(position.kfn() in answers for position in asked)
            output.message(
                "interrupted",
                f"Ctrl-C; {args.results} has {done} of {len(asked)} answers, and the same "
                "command goes on",
            )
            return EXIT_INTERRUPTED
    if kept:
        output.message("note", taken_from_file(args.results, kept, len(asked), "answers"))
    return EXIT_OK


def _is_answer(record: dict[str, Any], scoring: Scoring) -> bool:
    """Whether a line of --results has the form of an answer."""
    bounds = record.get("lower"), record.get("upper")
    return (
        isinstance(record.get("kfn"), str)
        and record.get("scoring") == scoring.value
        and all(type(bound) is int for bound in bounds)
        and "margin" in record
        and record["margin"] in (None, *bounds)
    )


def _can_be(record: dict[str, Any], position: Position, scoring: Scoring) -> bool:
    """Whether an answer fits the bounds proved without a search, and the end of its line."""
    from kulami_solver.kulami.solve.solver import Solver

    bounds = Solver(position, scoring, _SMALL_TABLE).bounds(position)
    lower, upper, margin = record["lower"], record["upper"], record["margin"]
    if lower > upper or lower > bounds.upper or upper < bounds.lower:
        return False
    if margin is None:
        return True
    try:
        line = [str(field) for field in record.get("line", ())]
        end = position.play_all(line)
    except (TypeError, KulamiError):
        return False
    worth = -end.margin(scoring) if len(line) % 2 else end.margin(scoring)
    return not end.is_over or bool(worth == margin)


def _header(args: argparse.Namespace) -> dict[str, object]:
    """The options that answers depend on, besides their positions."""
    return {
        "journal": "solve",
        "scoring": args.scoring.value,
        "goal": args.goal,
        "all": args.all,
        "time": args.time,
        "nodes": args.nodes,
        "marbles": args.marbles,
        "short_end": args.short_end,
    }


def _print_in_order(
    lines: Sequence[Position | Mapping[str, object]], answers: Mapping[str, Mapping[str, Any]]
) -> Iterator[None]:
    """Print, at each step, the next answers in order, up to the first missing one."""
    for line in lines:
        if not isinstance(line, Mapping):
            while line.kfn() not in answers:
                yield
            line = answers[line.kfn()]
        output.json_line(line)
    while True:
        yield


def hardest_first(asked: Sequence[Position], scoring: Scoring) -> list[Position]:
    """The positions by the time that they may take to solve, the longest first.

    Args:
        asked: the positions.
        scoring: the scoring.

    Examples:
        >>> from kulami_solver import Layout, Position, Scoring
        >>> start = Position(Layout.parse("AAB/CCB"))
        >>> [p.free_count for p in hardest_first([start.play("a1"), start], Scoring.LEVEL0)]
        [6, 5]
    """
    from kulami_solver.kulami.estimate.effort import expected_seconds

    def cost(position: Position) -> tuple[float, int]:
        if position.is_over:
            return 0.0, 0
        plies = position.plies_left
        return expected_seconds(plies, scoring), len(position.legal_fields)

    return sorted(asked, key=cost, reverse=True)
