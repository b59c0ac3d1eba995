"""`kulami malawi solve`: from the ends where that is possible, else by search."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.asking import answered
from kulami_solver.cli.databases import add_build_options
from kulami_solver.cli.ending import EXIT_OK
from kulami_solver.cli.malawi.positions import add_position_options, board_of, drawn, position_of
from kulami_solver.cli.malawi.words import MARKS
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError, Phrase

if TYPE_CHECKING:
    from kulami_solver.core.retrograde_driver import Progress
    from kulami_solver.malawi import Board, Position, Solution, Solved


#: The most time of a search without a given budget, in seconds ...
SEARCH_SECONDS = 30.0
#: ... and the most estimated time for solving a board from its ends without --force.
LONGEST = 300.0

REPORTED = f"""\
{MARKS}
below that
  value    who wins, and in how many plies (turns of both sides): a win as fast
           as it can be forced, a loss put off as long as it can be
  best     a turn that keeps the value
  line     best play from here, to the end if somebody wins
  turns    with --all, every legal turn, best first, and what it leaves
Values in JSON are for the side to move."""

DETAILS = f"""\
The start of a game is solved exactly, from all ends of the game backwards
(method: retrograde), if the board is small enough to be done in memory and
minutes; --force does it whatever it takes. Other positions and boards are
searched forwards, ply by ply deeper (method: search): that proves a win or a
loss in so many plies, or that there is neither within so many, but never a
draw. Without a budget a search ends after 30 seconds; --time, --nodes and
--depth are budgets, and they and --all ask for a search. Ctrl-C prints what it
has proved.

{REPORTED}

examples
  kulami malawi solve --board 3x4 --beads 2
  kulami malawi solve --board 6x6 --time 60
  kulami malawi solve --mfn "b2b2b2/.r2./.../r2.r2 b" --all
"""


def add_commands(group: Commands) -> None:
    """Add `solve`."""
    command = add_command(group, "solve", run, "find what a position is worth", DETAILS)
    add_position_options(command)
    command.switch("--all", "the value of every legal turn")
    command.number("--depth", 1, 1000, "search, and no more than N plies deep")
    command.seconds("--time", "search, and stop after this long")
    command.number("--nodes", 1, 10**18, "search, and stop after so many positions")
    add_build_options(
        command,
        threads="to solve from the ends with; a search has one",
        force="solve from the ends whatever the estimate says",
    )


def run(args: argparse.Namespace) -> int:
    """Solve a position by the method that suits it."""
    position = position_of(args)
    budgeted = (args.depth, args.time, args.nodes) != (None, None, None)
    if args.board is not None and not args.turns and not budgeted and not args.all:
        board = board_of(args)
        why_not = _why_not_retrograde(args, board)
        if why_not is None:
            return _retrograde(args, position, board)
        output.message("note", f"{why_not}; searching forwards instead")
    elif args.force or args.threads is not None:
        output.warn(["a search has no use for --threads and --force: they solve from the ends"])
    return _search(args, position)


def _why_not_retrograde(args: argparse.Namespace, board: Board) -> str | None:
    """The reason why a board is not solved from its ends; None if it is."""
    from kulami_solver.core.budgets import workers_of
    from kulami_solver.malawi.solving import check_budget, estimate
    from kulami_solver.storage.resources import duration

    threads = workers_of(args.threads, name="threads")
    try:
        expected = estimate(board, threads)
        check_budget(board, None, threads, args.memory, args.force)
    except KulamiError as error:
        return str(error)
    if expected.seconds > LONGEST and not args.force:
        return f"solving {board} from its ends may take {duration(expected.seconds)} (--force)"
    return None


def _retrograde(args: argparse.Namespace, position: Position, board: Board) -> int:
    from kulami_solver.malawi import Value, solve_board

    with ProgressLine(" positions") as line:
        solved = solve_board(
            board,
            threads=args.threads,
            memory=args.memory,
            force=args.force,
            progress=shown(line),
        )
    if args.json:
        found = {"mfn": position.mfn(), **figures(solved), "method": "retrograde"}
        output.json_line(_in_order({**found, "line": [], "turns": []}))
        return EXIT_OK
    output.line(drawn(position))
    output.line()
    output.line(f"value     {Value(solved.outcome, solved.plies).words(position.turn)}")
    output.line(
        f"solved    {solved.reachable:,} positions from the ends of the game backwards "
        f"in {solved.seconds:.2f} s"
    )
    output.line(
        f"          {solved.wins:,} won, {solved.draws:,} drawn, {solved.losses:,} lost "
        f"for the side to move; longest {solved.longest} plies"
    )
    return EXIT_OK


def _search(args: argparse.Namespace, position: Position) -> int:
    from kulami_solver.malawi import search

    time = args.time
    if time is None and args.depth is None and args.nodes is None:
        time = SEARCH_SECONDS

    def ask(line: ProgressLine) -> Solution:
        return search(
            position,
            depth=args.depth,
            time=time,
            nodes=args.nodes,
            memory=args.memory,
            every_move=args.all,
            progress=lambda now: line.show(now.nodes, None, now.words()),
        )

    return answered(" positions", ask, partial(_answer, args))


def _answer(args: argparse.Namespace, solution: Solution) -> None:
    if args.json:
        position = solution.position
        answer = {
            "board": f"{position.columns}x{position.rows}",
            "beads": None if args.board is None else board_of(args).beads,
            **solution.to_json(),
            "method": "search",
        }
        output.json_line(_in_order(answer))
    else:
        output.line(report(solution, args.all))


def _in_order(known: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of an answer by any method, with null for unknown values."""
    of_board = "mfn board beads reachable outcome plies draws wins losses longest"
    of_search = "within best line turns nodes seconds method"
    return {key: known.get(key) for key in f"{of_board} {of_search}".split()}


def figures(solved: Solved) -> dict[str, Any]:
    """The facts found about a board, for JSON."""
    return {
        "board": str(solved.board),
        "beads": solved.board.beads,
        "reachable": solved.reachable,
        "outcome": solved.outcome,
        "plies": solved.plies,
        "draws": solved.draws,
        "wins": solved.wins,
        "losses": solved.losses,
        "longest": solved.longest,
        "seconds": round(solved.seconds, 3),
    }


def shown(line: ProgressLine) -> Callable[[Progress], None]:
    """A function that draws the progress of an analysis."""

    def show(state: Progress) -> None:
        line.show(state.done, state.total, f"layer {state.layer}: {state.step}")

    return show


def report(solution: Solution, every_turn: bool) -> str:
    """A solution in words."""
    position = solution.position
    lines = [drawn(position), "", f"value     {solution.words()}"]
    if solution.best is not None:
        lines.append(f"best      {solution.best}")
    if solution.line:
        lines.append(f"line      {' '.join(str(turn) for turn in solution.line)}")
    if every_turn:
        lines += turn_lines(solution)
    if solution.source == "search":
        lines.append(f"searched  {solution.nodes:,} positions in {solution.seconds:.2f} s")
    return "\n".join(lines)


def turn_lines(solution: Solution, language: str = "en") -> list[str]:
    """Every turn with its value in words."""
    head = Phrase("heading_turns").said(language)
    return output.listed(
        head, ((one.move, solution.words(one).said(language)) for one in solution.moves)
    )
