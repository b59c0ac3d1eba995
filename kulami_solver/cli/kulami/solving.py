"""`kulami solve`: exact values, as JSON or for a person to read.

One position is asked about by `game.ask`: first the database, then a search. With --proof the proof
alone answers. With --workers the workers of a cluster search. The positions of --input are searched
side by side. With --results there may be thousands, safe from interruptions: answers are saved
whole, in the order in which they are found, and printed in the order of the positions. Then the
hardest positions are searched first, so that at the end no worker is alone with a hard one.
"""

from __future__ import annotations

import argparse
import contextlib
import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, seconds_or_inf, workers_asked_for
from kulami_solver.cli.databases import sound_source
from kulami_solver.cli.kulami.positions import (
    add_goal_option,
    add_position_options,
    add_scoring_option,
    arriving_positions,
    board_text,
    edition,
    positions,
)
from kulami_solver.cli.output import EXIT_OK, CommandError, refused_at
from kulami_solver.cli.results import result_file, taken_from_file
from kulami_solver.cli.solving import answered, asked, report, tell_left
from kulami_solver.core.notation import so_many
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.kulami.estimate.chances import ValueEstimate


#: A position with at most so many plies left is solved quickly under any scoring.
_CERTAIN = 24

#: The time of a search that is out of reach, if no budget is given, in seconds.
LONGEST = 60.0

#: Up to this number, fields of unknown value have a line each; more of them share one line.
_FEW = 4

# Bytes of a table for bounds that are proved without a search.
_SMALL_TABLE: Final = 1 << 16

_LEFT = "these are the bounds so far"


def add_commands(commands: Commands) -> None:
    """Add `solve`."""
    parser = add_command(commands, "solve", run, "find a position's exact value")
    add_position_options(parser)
    add_scoring_option(parser)
    parser.switch("--all", "find the value of every legal field")
    parser.switch("--estimate", "add an estimate where bounds stay open")
    add_goal_option(parser)
    parser.number("--threads", 1, 256, "that search; with --input, each its own position (1)", 1)
    parser.memory("size of the table: 64M, 1G; a plain number is MiB")
    parser.value("--time", "SECONDS", "stop after this long; inf: never", seconds_or_inf)
    parser.number("--nodes", 1, 10**18, "stop soon after so many nodes")
    parser.file("--database", "values for positions to solve and for searches", "DB")
    parser.file("--proof", "answer from this proof, without a search", "KPF")
    parser.file("--results", "keep the answers of --input or --workers, and go on")
    parser.workers("search")
    parser.pictures(" with every legal field's value")


def run(args: argparse.Namespace) -> int:
    """Solve each position."""
    every_move = output.wants_picture(args) or args.all
    if args.proof is not None:
        return _from_proof(args, every_move)
    if args.results is not None and args.input is None and args.workers is None:
        raise CommandError(
            "--results keeps the answers to many positions, or those of many workers to one: give "
            "--input or --workers"
        )
    if args.estimate and args.results is not None and args.input is not None:
        raise CommandError("--results keeps what is proved alone: leave --estimate out")
    if args.memory is not None and args.workers is None:
        from kulami_solver.core.memory import table_size

        with refused_at("--memory"):
            table_size(args.memory, 1, tables=1 if args.input is None else args.threads)
    endless = args.time == math.inf
    if endless:
        args.time = None
    with contextlib.ExitStack() as stack:
        sources = [] if args.database is None else _opened(args, stack)
        executor = stack.enter_context(workers_asked_for(args))
        if args.input is None and executor is None:
            return _solve_one(args, every_move, sources, endless)
        names = ("scoring", "goal", "memory", "time", "nodes")
        options: dict[str, Any] = {
            **{name: getattr(args, name) for name in names},
            "every_move": every_move,
            "executor": executor,
        }
        if args.input is None:
            if sources:
                raise CommandError(
                    "--database: --workers do not look into it for a single position; leave one "
                    "out, or give the position by --input"
                )
            return _solve_on_workers(args, options)
        # The searches side by side take a database as their help, and no other source.
        options["database"] = next(iter(sources), None)
        options["workers"] = args.threads if executor is None else None
        if args.results is not None:
            return _solve_the_rest(args, options)
        return _solve_side_by_side(args, options)


def _opened(args: argparse.Namespace, stack: contextlib.ExitStack) -> list[Any]:
    """The file of --database: a source of values, which is asked before a search."""
    from kulami_solver.kulami.solve.solver import checked_source

    source = sound_source(stack, args.database, "database", "kulami")
    return [] if source is None else [checked_source(source, args.scoring)]


def _from_proof(args: argparse.Namespace, every_move: bool) -> int:
    """Answer each position from a proof alone."""
    from kulami_solver.kulami.proof.proof import open_proof

    usual = {"goal": "margin", "threads": 1}
    options = ("database", "results", "workers", "time", "nodes", "memory", *usual)
    for option in options:
        if getattr(args, option) != usual.get(option):
            raise CommandError(f"--{option}: --proof answers without a search; leave one out")
    with open_proof(args.proof) as proof:
        if args.scoring is not proof.scoring:
            own = proof.scoring.value
            raise CommandError(
                f"--proof: {args.proof} proves values at scoring {own}: give --scoring {own}"
            )
        for position in positions(args):
            with ProgressLine(" steps") as line:
                found = proof.probe(position, every_move=every_move, progress=line.show)
            _tell_solution(args, found)
    return EXIT_OK


def _solve_one(
    args: argparse.Namespace, every_move: bool, sources: Sequence[ks.game.Source], endless: bool
) -> int:
    from kulami_solver.kulami.game import state_of
    from kulami_solver.kulami.solve.solution import standing

    (position,) = positions(args)
    budget = ks.game.Budget(args.time, args.nodes, args.threads, args.memory)
    question = ks.game.Question(state_of(position, args.scoring), every_move, args.goal, budget)
    tell = partial(_tell_solution, args)

    if position.plies_left > _CERTAIN:
        try:
            question = _warned_of(question, sources, endless)
        except ks.SolveInterrupted as stopped:
            return tell_left(stopped, tell, _LEFT)
    return asked(question, tell, sources, unit=" nodes", left=_LEFT, shown=standing)


def _warned_of(
    question: ks.game.Question, sources: Sequence[ks.game.Source], endless: bool
) -> ks.game.Question:
    """Warn, with a bot's move, if the first answer is open and a search cannot finish.

    Returns:
        The question, with a limit of time if it had no budget.

    Raises:
        SolveInterrupted: Ctrl-C.
    """
    from dataclasses import replace  # slow to import

    first = ks.game.ask(replace(question, budget=ks.game.Budget(nodes=1)), sources)
    if first.settles(question):
        return question
    try:
        from kulami_solver.bots.kulami.builtin import out_of_reach

        position, scoring = question.state.position, question.state.game.scoring
        sentence = out_of_reach(position, scoring)
        if sentence is None:
            return question
        output.message("note", f"{sentence}; a guess until then: {guess_words(position, scoring)}")
        budget = question.budget
        if budget.seconds is not None or budget.nodes is not None:
            return question
        _warn_of_years(position, scoring, endless)
    except KeyboardInterrupt:
        raise ks.SolveInterrupted(first) from None
    return question if endless else replace(question, budget=replace(budget, seconds=LONGEST))


def _warn_of_years(position: ks.Position, scoring: ks.Scoring, endless: bool) -> None:
    """Tell the estimated time of a proof, as `kulami estimate` does, if there is no budget."""
    from kulami_solver.kulami.estimate.effort import estimate_solve
    from kulami_solver.storage.resources import duration

    found = estimate_solve(position, scoring)
    if not found.samples:
        return  # easy enough: there was nothing to sample
    low, high = map(duration, found.seconds_range)
    said = f"a proof takes about {duration(found.seconds)} of one core ({low} to {high})"
    if not endless:
        said += f"; the search ends after {LONGEST:g} seconds: --time inf goes on"
    output.message("note", said)


def _solve_on_workers(args: argparse.Namespace, options: dict[str, Any]) -> int:
    from kulami_solver.kulami.workers import solve_position
    from kulami_solver.kulami.workers.solving import drawn_on

    (position,) = positions(args)

    def search(line: ProgressLine) -> ks.Solution:
        shown = drawn_on(line)
        return solve_position(position, journal=args.results, progress=shown, **options)

    return answered(" leaves", search, partial(_tell_solution, args), _LEFT)


def _solve_side_by_side(args: argparse.Namespace, options: dict[str, Any]) -> int:
    # Positions are read ahead. The answer to a line that is none waits for those before it.
    waiting: deque[ks.Position | Mapping[str, object]] = deque()

    def tell_refused() -> None:
        while waiting and isinstance(waiting[0], Mapping):
            output.json_line(waiting[0])
            waiting.popleft()

    def refuse(answer: Mapping[str, object]) -> None:
        waiting.append(answer)
        tell_refused()

    def read() -> Iterator[ks.Position | None]:
        for position in arriving_positions(args, refuse):
            if position is not None:
                waiting.append(position)
            yield position

    solutions = ks.solve_many(read(), progress=ProgressLine(" positions"), **options)
    try:
        with contextlib.closing(solutions):
            for solution in solutions:
                _tell_solution(args, solution)
                waiting.popleft()
                tell_refused()
    except ks.SolveInterrupted as stopped:
        return tell_left(stopped, partial(_tell_solution, args), _LEFT)
    return EXIT_OK


def _tell_solution(args: argparse.Namespace, solution: ks.Solution) -> None:
    output.write_pictures(args, solution)
    estimate = _estimate(solution) if args.estimate else None
    if output.in_json(args):
        answer = solution.to_json()
        if args.estimate:
            from kulami_solver.kulami.estimate.chances import add_estimates

            add_estimates(answer, estimate)
        output.json_line(answer)
    else:
        output.line(in_words(solution, args.all, estimate))


def _estimate(solution: ks.Solution) -> ValueEstimate | None:
    """The estimate of a position and its fields; None if all values are proved."""
    if solution.margin is not None and all(move.margin is not None for move in solution.moves):
        return None

    return ks.estimate_value(
        solution.position, solution.scoring, every_move=bool(solution.moves), known=solution
    )


def in_words(solution: ks.Solution, every_move: bool, estimate: ValueEstimate | None = None) -> str:
    """Return a solution in words, with estimates where it is not exact."""
    position = solution.position
    board, counted = board_text(position), solution.scoring.value
    head = f"scoring   {f'level {counted}' if counted.isdigit() else f'panels and {counted}'}"
    if position.is_over:
        return f"{board}\n\n{head}\nvalue     the game is over: {solution.words()}"
    more = []
    if estimate is not None and solution.margin is None:
        more.append(f"estimate  {estimate.words(position.turn)} (not proved)")
    guessed = is_open(solution) and solution.source != "proof"
    if guessed:
        more.append(f"guess     {guess_words(position, solution.scoring)}")
    moves = move_lines(solution, estimate) if every_move else ()
    end = f"source    the {solution.source}"
    if solution.source == "search":
        end = f"searched  {solution.nodes:,} nodes in {solution.seconds:.2f} s"
        if solution.hits:
            end += f", {so_many(solution.hits, 'position')} from the database"
        if solution.seconds >= 0.1:
            end += f" ({solution.nodes / solution.seconds / 1e6:.1f} M/s)"
    return report(solution, board, head=head, more=more, best=not guessed, moves=moves, end=end)


def guess_words(position: ks.Position, scoring: ks.Scoring) -> str:
    """Return the move of a bot, marked as a guess; the game is not over."""
    from kulami_solver.bots.kulami.builtin import GUESSER, guessed_field

    return f"{guessed_field(position, scoring)} ({GUESSER}, not proved)"


def move_lines(solution: ks.Solution, estimate: ValueEstimate | None = None) -> list[str]:
    """Return the legal fields with their values in words; many unknown fields share one line.

    With an estimate, each field without a known margin has its estimate.
    """
    known = [move for move in solution.moves if not is_open(move)]
    rest = ""
    if estimate is not None:
        known = [move for move in solution.moves if move.margin is not None]
    elif len(solution.moves) - len(known) <= _FEW:
        known = list(solution.moves)
    else:
        count = len(solution.moves) - len(known)
        which = "the other " if known else ""
        rest = f"nothing is proved of {which}{count} fields"
    moves = [f"{move.field:<4}{solution.words(move)}" for move in known]
    if estimate is not None:
        exact = {move.field for move in known}
        found = estimate.moves.items()
        turn = solution.position.turn
        moves += [f"{one:<4}{its.words(turn)}" for one, its in found if one not in exact]
    return output.headed("moves", [*moves, *([rest] if rest else [])])


def is_open(value: ks.game.Bounded) -> bool:
    """Whether the proved bounds let either side win."""
    return value.lower < 0 < value.upper


def _solve_the_rest(args: argparse.Namespace, options: dict[str, Any]) -> int:
    """Solve the positions of --input that --results has no answers to; print all answers."""
    lines: list[ks.Position | Mapping[str, object]] = []  # positions and answers to bad lines
    lines.extend(positions(args, lines.append))
    wanted = [one for one in lines if not isinstance(one, Mapping)]
    with result_file("--results", args.results, _header(args)) as results:
        known = {position.kfn(): position for position in wanted}
        for number, record in enumerate(results.known, 2):
            if not _is_answer(record, args.scoring):
                raise results.bad_line(number, "is no answer, or is damaged")
            position = known.get(record["kfn"])
            if position is not None and not _can_be(record, position, args.scoring):
                raise results.bad_line(number, "says of a margin what cannot be", changed=True)
        answers = {record["kfn"]: record for record in results.known}
        kept = sum(position.kfn() in answers for position in wanted)
        left = {position.kfn(): position for position in wanted if position.kfn() not in answers}
        printed = _print_in_order(lines, answers)
        next(printed)
        solutions = ks.solve_many(
            hardest_first([*left.values()], args.scoring),
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
        except ks.SolveInterrupted:
            done = sum(position.kfn() in answers for position in wanted)
            return output.interrupted(
                f"{args.results} has {done} of {len(wanted)} answers, and the same command goes on"
            )
    if kept:
        output.message("note", taken_from_file(args.results, kept, len(wanted), "answers"))
    return EXIT_OK


def _is_answer(record: dict[str, Any], scoring: ks.Scoring) -> bool:
    """Whether a line of --results has the form of an answer."""
    bounds = record.get("lower"), record.get("upper")
    return (
        isinstance(record.get("kfn"), str)
        and record.get("scoring") == scoring.value
        and all(type(bound) is int for bound in bounds)
        and "margin" in record
        and record["margin"] in (None, *bounds)
    )


def _can_be(record: dict[str, Any], position: ks.Position, scoring: ks.Scoring) -> bool:
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
    names = ("goal", "all", "time", "nodes")
    return {
        "journal": "solve",
        "scoring": args.scoring.value,
        **{name: getattr(args, name) for name in names},
        **edition(args),
    }


def _print_in_order(
    lines: Sequence[ks.Position | Mapping[str, object]], answers: Mapping[str, Mapping[str, Any]]
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


def hardest_first(asked: Sequence[ks.Position], scoring: ks.Scoring) -> list[ks.Position]:
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

    def cost(position: ks.Position) -> tuple[float, int]:
        if position.is_over:
            return 0.0, 0
        plies = position.plies_left
        return expected_seconds(plies, scoring), len(position.legal_fields)

    return sorted(asked, key=cost, reverse=True)
