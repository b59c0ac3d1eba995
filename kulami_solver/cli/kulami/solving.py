"""`kulami solve`: exact values, as JSON or for a person to read."""

from __future__ import annotations

import argparse
import contextlib
import math
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, seconds_or_inf
from kulami_solver.cli.clusters import add_workers_option, workers_asked_for
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK, CommandError
from kulami_solver.cli.kulami.batches import solve_batch
from kulami_solver.cli.kulami.drawn import MARKS, board_text
from kulami_solver.cli.kulami.positions import (
    add_position_options,
    add_scoring_option,
    arriving_positions,
    positions,
)
from kulami_solver.cli.pictures import (
    add_picture_options,
    check_picture_options,
    wants_picture,
    write_pictures,
)
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError, Phrase
from kulami_solver.kulami.position.words import range_words

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from kulami_solver.core.interruption import SolveInterrupted
    from kulami_solver.kulami.estimate.chances import ValueEstimate
    from kulami_solver.kulami.position.position import Position
    from kulami_solver.kulami.position.scoring import Scoring
    from kulami_solver.kulami.solve.solution import Goal, MoveValue, Progress, Solution


#: A position with at most so many plies left is solved quickly under any scoring.
_CERTAIN = 24

#: The time of a search that is out of reach, if no budget is given, in seconds.
LONGEST = 60.0

#: Up to this number, fields of unknown value have a line each; more of them share one line.
_FEW = 4

DETAILS = f"""\
Without a budget the search goes on until the value is proved. This takes about
a minute with 40 free fields, and hours with a few more. If a budget (--time,
--nodes) or Ctrl-C ends the search, the command prints the bounds proved so far
('red wins by 2 to 52'). If a position is out of reach, the command says so at
once. It names the field that a bot would play, which is a guess, and says how
long a proof would take, as 'kulami estimate' does. Such a search ends after a
minute; --time SECONDS changes that, and --time inf lifts it. Values in JSON
are for the side to move.

--proof FILE answers from a proof. It knows the positions that come up as long
as at least one side plays as the proof says: see docs/proofs.md.

--database DB answers the positions that DB holds at once. Other searches are
shorter where they reach such positions. A database helps most if it was built
from a position one or two moves later.

--input FILE solves many positions. --threads says how many of them are
searched at the same time, each by one thread. Answers keep the order of the
file. Budgets and --memory are for each position. --results FILE saves each
answer as soon as it is found. If you run the command again, it solves only the
positions that FILE does not answer yet. The positions that are expected to
take longest come first.

--workers solves one position on many machines. This process searches the first
plies and gives the rest to the workers in small jobs. --results FILE then
saves the result of each job, and the same command goes on from there.
--memory is for each worker.

--estimate adds an estimate where bounds are still open: the expected points,
and the chances of a win, a draw and a loss for the side to move. It comes from
a look ahead at 100,000 positions, and proves nothing.
docs/explanation/chances.md says how far you can trust it.

{MARKS}

In a picture (--svg, --png) every legal field has its value for the side to
move: blue where it wins, orange where it loses, the best with a thick rim.

examples
  kulami solve --kfn "AAB/CCB r b a1" --svg board.svg
  kulami solve --kfn "AAB/CCB r b a1" --all
  kulami solve --layout rulebook --moves "d6 d3" --time 60 --memory 1G
  kulami solve --layout square --moves "d4 d7" --nodes 20000 --estimate
  kulami solve --input many.kfn --results solved.jsonl
"""


def add_commands(commands: Commands) -> None:
    """Add `solve`."""
    parser = add_command(commands, "solve", run, "find a position's exact value", DETAILS)
    add_position_options(parser)
    add_scoring_option(parser)
    parser.switch("--all", "find the value of every legal field")
    parser.switch("--estimate", "add an estimate where bounds stay open")
    parser.choice(
        "--goal",
        ("margin", "outcome"),
        "margin: by how much (default); outcome: only who wins",
        "margin",
    )
    parser.number(
        "--threads",
        1,
        256,
        "how many threads search (1); with --input, how many positions at the same time",
        1,
    )
    parser.value("--memory", "SIZE", "size of the table: 64M, 1G; a plain number is MiB")
    parser.value(
        "--time",
        "SECONDS",
        "stop after this long; inf: go on until the value is proved",
        seconds_or_inf,
    )
    parser.number("--nodes", 1, 10**18, "stop soon after so many nodes")
    parser.file(
        "--database",
        "use the values in this database, for positions to solve and in searches",
        "DB",
    )
    parser.file(
        "--proof",
        "answer from this proof, which kulami prove has written, without a search",
        "KPF",
    )
    parser.file(
        "--results",
        "with --input or --workers: save every answer in FILE, and do not solve again what "
        "it holds",
    )
    add_workers_option(parser, "search")
    add_picture_options(parser, " with every legal field's value")


def run(args: argparse.Namespace) -> int:
    """Solve each position."""
    from kulami_solver.core.interruption import SolveInterrupted
    from kulami_solver.core.memory import parse_memory, table_size

    check_picture_options(args)
    if args.proof is not None:
        return _from_proof(args)
    if args.results is not None and args.input is None and args.workers is None:
        raise CommandError("results_of_one")
    if args.estimate and args.results is not None and args.input is not None:
        raise CommandError("results_of_estimates")
    endless = args.time == math.inf
    if endless:
        args.time = None
    spread = args.input is not None and args.threads > 1
    if args.memory is not None:
        try:
            if args.workers is None:
                table_size(args.memory, 1, tables=args.threads if spread else 1)
            else:
                parse_memory(args.memory)
        except KulamiError as error:
            raise CommandError(error.at("option_place", name="memory")) from None
    options: dict[str, Any] = {
        "scoring": args.scoring,
        "goal": args.goal,
        "memory": args.memory,
        "time": args.time,
        "nodes": args.nodes,
        "every_move": args.all or wants_picture(args),
    }
    with contextlib.ExitStack() as stack:
        if args.database is not None:
            from kulami_solver.kulami.database.probe import Database

            options["database"] = stack.enter_context(Database(args.database))
        executor = stack.enter_context(workers_asked_for(args))
        try:
            if executor is not None and args.input is None:
                _solve_one_on_workers(args, options, executor)
            elif args.results is not None:
                return solve_batch(args, options, executor)
            elif spread or executor is not None:
                _solve_side_by_side(args, options, executor)
            else:
                _solve_in_turn(args, options, endless)
        except SolveInterrupted as stopped:
            return _stopped(args, stopped)
    return EXIT_OK


def _from_proof(args: argparse.Namespace) -> int:
    from kulami_solver.cli.kulami.proofs import proved

    for option in ("database", "results", "workers", "time", "nodes", "memory"):
        if getattr(args, option) is not None:
            raise CommandError("proof_without_search", option=option)
    for solution in proved(args, args.all or wants_picture(args)):
        _answer(args, solution)
    return EXIT_OK


def _solve_in_turn(args: argparse.Namespace, options: dict[str, Any], endless: bool) -> None:
    from kulami_solver.kulami.solve.solve import solve

    alone = args.input is None
    with ProgressLine(" nodes" if alone else " positions") as line:
        for number, position in enumerate(positions(args)):
            if alone:
                _warn(args, position, options, endless)
            else:
                line.show(number, None, "solving")

            def progress(state: Progress, number: int = number) -> None:
                said = f"margin {state.lower:+d} to {state.upper:+d}"
                line.show(state.nodes if alone else number, None, said)

            found = solve(position, threads=args.threads, progress=progress, **options)
            line.hide()
            _answer(args, found)


def _warn(
    args: argparse.Namespace, position: Position, options: dict[str, Any], endless: bool
) -> None:
    """Say at once if a position is out of reach; without a budget its search then gets one.

    Raises:
        SolveInterrupted: Ctrl-C.
    """
    from kulami_solver.core.interruption import SolveInterrupted
    from kulami_solver.kulami.solve.solve import solve

    database = options.get("database")
    if (database is not None and position in database) or not _warn_of_reach(
        position, args.scoring
    ):
        return
    if args.time is not None or args.nodes is not None:
        return
    try:
        _warn_of_years(position, args.scoring, endless)
    except KeyboardInterrupt:
        raise SolveInterrupted(solve(position, **options | {"nodes": 1})) from None
    options["time"] = None if endless else LONGEST


def _warn_of_reach(position: Position, scoring: Scoring) -> bool:
    """Say at once that a position is too large to be solved, with the move of a bot."""
    if position.plies_left <= _CERTAIN:
        return False
    from kulami_solver.bots.kulami.advice import out_of_reach

    sentence = out_of_reach(position, scoring)
    if sentence is None:
        return False
    output.message("note", f"{sentence}; a guess until then: {guess_words(position, scoring)}")
    return True


def _warn_of_years(position: Position, scoring: Scoring, endless: bool) -> None:
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


def guess_words(position: Position, scoring: Scoring) -> Phrase:
    """The move of a bot, marked as a guess; the game is not over."""
    from kulami_solver.bots.kulami.advice import GUESSER, guessed_field

    return Phrase("guess_of", field=guessed_field(position, scoring), bot=GUESSER)


def _solve_one_on_workers(
    args: argparse.Namespace, options: dict[str, Any], executor: Executor
) -> None:
    from kulami_solver.kulami.solve.tree import solve_position
    from kulami_solver.kulami.solve.tree.progress import drawn_on

    if options.pop("database", None) is not None:
        raise CommandError("database_and_workers")
    (position,) = positions(args)
    with ProgressLine(" leaves") as line:
        found = solve_position(
            position, executor=executor, journal=args.results, progress=drawn_on(line), **options
        )
    _answer(args, found)


def _solve_side_by_side(
    args: argparse.Namespace, options: dict[str, Any], executor: Executor | None
) -> None:
    from kulami_solver.kulami.solve.batch import solve_many

    # Positions are read ahead. The answer to a line that is none waits for those before it.
    refused: deque[tuple[int, Mapping[str, object]]] = deque()
    read = answered = 0

    def tell_refused() -> None:
        while refused and refused[0][0] == answered:
            output.json_line(refused.popleft()[1])

    def refuse(answer: Mapping[str, object]) -> None:
        refused.append((read, answer))
        tell_refused()

    def counted() -> Iterator[Position | None]:
        nonlocal read
        for position in arriving_positions(args, refuse):
            read += position is not None
            yield position

    workers = args.threads if executor is None else None
    options["progress"] = ProgressLine(" positions")
    solutions = solve_many(counted(), executor=executor, workers=workers, **options)
    with contextlib.closing(solutions):
        for solution in solutions:
            _answer(args, solution)
            answered += 1
            tell_refused()


def _stopped(args: argparse.Namespace, stopped: SolveInterrupted[Solution]) -> int:
    """Print the partial results for the positions that Ctrl-C has interrupted."""
    for solution in (stopped.solution, *stopped.later):
        _answer(args, solution)
    output.message("interrupted", "Ctrl-C; these are the bounds so far")
    return EXIT_INTERRUPTED


def _answer(args: argparse.Namespace, solution: Solution) -> None:
    write_pictures(args, solution)
    estimate = _estimate(solution) if args.estimate else None
    if args.json or args.input is not None:
        answer = solution.to_json()
        if args.estimate:
            from kulami_solver.kulami.estimate.chances import add_estimates

            add_estimates(answer, estimate)
        output.json_line(answer)
    else:
        output.line(report(solution, args.all, estimate))


def _estimate(solution: Solution) -> ValueEstimate | None:
    """The estimate of a position and its fields; None if all values are proved."""
    if solution.margin is not None and all(move.margin is not None for move in solution.moves):
        return None
    from kulami_solver.kulami.estimate.chances import estimate_value

    return estimate_value(
        solution.position, solution.scoring, every_move=bool(solution.moves), known=solution
    )


def report(solution: Solution, every_move: bool, estimate: ValueEstimate | None = None) -> str:
    """A solution in words, with estimates where it is not exact."""
    position = solution.position
    turn = position.turn
    counted = solution.scoring.value
    counted = f"level {counted}" if counted.isdigit() else f"panels and {counted}"
    lines = [board_text(position), "", f"scoring   {counted}"]
    if position.is_over:
        lines.append(f"value     the game is over: {value_words(solution, turn, solution.goal)}")
        return "\n".join(lines)
    lines.append(f"value     {value_words(solution, turn, solution.goal)}")
    if estimate is not None and solution.margin is None:
        lines.append(f"estimate  {estimate.words(turn)} (not proved)")
    if is_open(solution) and solution.source != "proof":
        lines.append(f"guess     {guess_words(position, solution.scoring)}")
    elif solution.best is not None:
        lines.append(f"best      {solution.best}")
    if solution.line:
        lines.append(f"line      {' '.join(solution.line)}")
    if every_move:
        lines += move_lines(solution, estimate)
    if solution.source != "search":
        lines.append(f"source    the {solution.source}")
        return "\n".join(lines)
    searched = f"searched  {solution.nodes:,} nodes in {solution.seconds:.2f} s"
    if solution.hits:
        searched += f", {solution.hits:,} positions from the database"
    if solution.seconds >= 0.1:
        searched += f" ({solution.nodes / solution.seconds / 1e6:.1f} M/s)"
    lines.append(searched)
    return "\n".join(lines)


def move_lines(
    solution: Solution, estimate: ValueEstimate | None = None, language: str = "en"
) -> list[str]:
    """The legal fields with their values in words; many unknown fields share one line.

    With an estimate, each field without a known margin has its estimate.
    """
    turn, goal = solution.position.turn, solution.goal
    head = Phrase("heading_moves").said(language)
    if estimate is not None:
        known = [move for move in solution.moves if move.margin is not None]
        moves = [f"{move.field:<4}{value_words(move, turn, goal)}" for move in known]
        exact = {move.field for move in known}
        moves += [
            f"{field:<4}{found.words(turn)}"
            for field, found in estimate.moves.items()
            if field not in exact
        ]
        return output.headed(head, moves)
    known = [move for move in solution.moves if not is_open(move)]
    rest = [move for move in solution.moves if is_open(move)]
    if len(rest) <= _FEW:
        known, rest = list(solution.moves), []
    moves = [f"{move.field:<4}{value_words(move, turn, goal).said(language)}" for move in known]
    if rest:
        count = len(rest)
        unproved = Phrase("unproved_others" if known else "unproved_fields", count=count)
        moves.append(unproved.said(language))
    return output.headed(head, moves)


def is_open(value: Solution | MoveValue) -> bool:
    """Whether the proved bounds let either side win."""
    return value.lower < 0 < value.upper


def value_words(value: Solution | MoveValue, turn: str, goal: Goal = "margin") -> Phrase:
    """The words for a value of the side to move, `turn`; with the margin if that is the goal."""
    return range_words(value.lower, value.upper, turn, by=goal == "margin")
