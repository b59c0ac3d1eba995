"""`kulami malawi solve`: from the ends where that is possible, else by search."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.malawi import GAME, board_text
from kulami_solver.cli.solving import asked, report
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.core.retrograde_driver import Progress
    from kulami_solver.malawi.game import MalawiState


#: The most time of a search without a given budget, in seconds ...
SEARCH_SECONDS = 30.0
#: ... and the most estimated time for solving a board from its ends without --force.
LONGEST = 300.0


def add_commands(group: Commands) -> None:
    """Add `solve`."""
    command = add_command(group, "solve", run, "find what a position is worth")
    GAME.add_position_options(command)
    command.switch("--all", "the value of every legal turn")
    command.number("--depth", 1, 1000, "search, and no more than N plies deep")
    command.seconds("--time", "search, and stop after this long")
    command.number("--nodes", 1, 10**18, "search, and stop after so many positions")
    command.build(
        threads="to solve from the ends with; a search has one",
        force="solve from the ends whatever the estimate says",
    )


def run(args: argparse.Namespace) -> int:
    """Solve a position by the method that suits it."""
    GAME.take_small(args)
    state = GAME.state(args)
    budgeted = (args.depth, args.time, args.nodes) != (None, None, None)
    if args.mfn is None and not args.turns and not budgeted and not args.all:
        board = state.game.board
        why_not = why_not_from_the_ends(board, LONGEST, args)
        if why_not is None:
            return _retrograde(args, state.position, board)
        output.message("note", f"{why_not}; searching forwards instead")
    elif args.force or args.threads is not None:
        output.warn(["a search has no use for --threads and --force: they solve from the ends"])
    return _search(args, state)


def why_not_from_the_ends(
    board: ks.malawi.Board, longest: float, args: argparse.Namespace | None = None
) -> str | None:
    """Return the reason why a board is not solved from its ends; None if it is.

    Args:
        board: the board.
        longest: most seconds that this may take.
        args: of a command with --threads, --memory and --force.
    """
    from kulami_solver.core.budgets import workers_of
    from kulami_solver.malawi.solving import check_budget, estimate
    from kulami_solver.storage.resources import duration

    threads = 1 if args is None else workers_of(args.threads, name="threads")
    memory, force = (None, False) if args is None else (args.memory, args.force)
    try:
        expected = estimate(board, threads)
        check_budget(board, None, threads, memory, force)
    except KulamiError as error:
        return str(error)
    if expected.seconds > longest and not force:
        hint = "" if args is None else " (--force)"
        return f"solving {board} from its ends may take {duration(expected.seconds)}{hint}"
    return None


def _retrograde(
    args: argparse.Namespace, position: ks.malawi.Position, board: ks.malawi.Board
) -> int:

    with ProgressLine(" positions") as line:
        solved = ks.malawi.solve_board(
            board,
            threads=args.threads,
            memory=args.memory,
            force=args.force,
            progress=partial(show, line),
        )
    told = {"mfn": position.mfn(), **figures(solved), "method": "retrograde"}
    value = ks.malawi.Value(solved.outcome, solved.plies).words(position.turn)
    return output.answer(
        args,
        _in_order({**told, "line": [], "turns": []}),
        f"{board_text(position)}\n\nvalue     {value}\n"
        f"solved    {solved.reachable:,} positions from the ends of the game backwards "
        f"in {solved.seconds:.2f} s\n"
        f"          {solved.wins:,} won, {solved.draws:,} drawn, {solved.losses:,} lost "
        f"for the side to move; longest {solved.longest} plies",
    )


def _search(args: argparse.Namespace, state: MalawiState) -> int:
    position = state.position
    budgeted = (args.depth, args.time, args.nodes) != (None, None, None)
    seconds = args.time if budgeted else SEARCH_SECONDS
    budget = ks.game.Budget(seconds, args.nodes, memory=args.memory, depth=args.depth)

    def tell(solution: ks.malawi.Solution) -> None:
        told = {
            "board": f"{position.columns}x{position.rows}",
            "beads": state.game.beads if args.mfn is None else None,
            **solution.to_json(),
            "method": "search",
        }
        output.answer(args, _in_order(told), in_words(solution))

    return asked(ks.game.Question(state, args.all, budget=budget), tell)


def _in_order(known: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of an answer by any method, with null for unknown values."""
    of_board = "mfn board beads reachable outcome plies draws wins losses longest"
    of_search = "within best line turns nodes seconds method"
    return {key: known.get(key) for key in f"{of_board} {of_search}".split()}


def figures(solved: ks.malawi.Solved) -> dict[str, Any]:
    """The facts found about a board, for JSON."""
    names = ("reachable", "outcome", "plies", "draws", "wins", "losses", "longest")
    counted = {name: getattr(solved, name) for name in names}
    board, seconds = solved.board, round(solved.seconds, 3)
    return {"board": str(board), "beads": board.beads, **counted, "seconds": seconds}


def show(line: ProgressLine, state: Progress) -> None:
    """Draw the progress of an analysis."""
    line.show(state.done, state.total, f"layer {state.layer}: {state.step}")


def in_words(solution: ks.malawi.Solution) -> str:
    """Return a solution in words, with the turns that it values."""
    moves = turn_lines(solution) if solution.moves else ()
    return report(solution, board_text(solution.position), moves=moves)


def turn_lines(solution: ks.malawi.Solution) -> list[str]:
    """Return every turn with its value in words."""
    head = "turns"
    return output.listed(head, ((one.move, solution.words(one)) for one in solution.moves))
