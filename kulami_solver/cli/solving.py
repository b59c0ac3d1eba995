"""What a position is worth, asked and told: `solve`, `expect` and `probe` of every game."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import methodcaller
from typing import Any, TypeVar

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.output import EXIT_FAILED, EXIT_OK
from kulami_solver.core.notation import so_many
from kulami_solver.core.progress import ProgressLine

Found = TypeVar("Found")


def add_solve(commands: Commands, game: GameCommands) -> None:
    """Add `solve`."""
    parser = add_command(commands, "solve", run_solve, "find what a position is worth", game)
    game.add_position_options(parser)
    parser.switch("--all", f"the value of all legal {game.moves_word}")
    parser.seconds("--time", "stop after this long")
    parser.number("--nodes", 1, 10**18, "stop after so many positions")


def run_solve(game: GameCommands, args: argparse.Namespace) -> int:
    """Solve a position."""
    game.take_small(args)
    state = game.state(args)

    def tell(found: ks.game.Answer) -> None:
        moves = ((one.move, found.words(one)) for one in found.moves if args.all)
        words = report(found, game.drawn(state), moves=output.listed(game.moves_word, moves))
        output.answer(args, {game.notation_word: state.notation(), **found.to_json()}, words)

    budget = ks.game.Budget(args.time, args.nodes)
    return asked(ks.game.Question(state, args.all, budget=budget), tell)


def answered(
    unit: str,
    ask: Callable[[ProgressLine], Found],
    tell: Callable[[Found], None],
    left: str = "this is what was proved by then",
) -> int:
    """Do the work, print the result, and say so if Ctrl-C has cut the work short.

    Args:
        unit: the unit that the progress line counts, with a blank before it.
        ask: does the work, and updates the progress line; at Ctrl-C a `SolveInterrupted`.
        tell: prints the result.
        left: the words for an interrupted result.

    Returns:
        The exit code.
    """
    with ProgressLine(unit) as line:
        try:
            found = ask(line)
        except ks.SolveInterrupted as stopped:
            line.close()
            return tell_left(stopped, tell, left)
    tell(found)
    return EXIT_OK


def asked(
    question: ks.game.Question,
    tell: Callable[[Any], None],
    sources: Sequence[ks.game.Source] = (),
    *,
    unit: str = " positions",
    left: str = "this is what was proved by then",
    shown: Callable[[Any], str] = methodcaller("words"),
) -> int:
    """Ask what a position is worth, and print the answer, as `answered` does.

    Args:
        question: what is asked.
        tell: prints the answer.
        sources: asked before the game's search.
        unit, left: as for `answered`.
        shown: what the progress line says of an answer so far.
    """
    from kulami_solver.game import ask

    def search(line: ProgressLine) -> ks.game.Answer:
        return ask(question, sources, lambda now: line.show(now.nodes, None, shown(now)))

    return answered(unit, search, tell, left)


def tell_left(stopped: ks.SolveInterrupted[Any], tell: Callable[[Any], None], left: str) -> int:
    """Print what Ctrl-C has left, say so, and return the exit code."""
    for found in (stopped.solution, *stopped.later):
        tell(found)
    return output.interrupted(left)


def report(
    answer: ks.game.Answer,
    board: str,
    *,
    head: str = "",
    more: Iterable[str] = (),
    best: bool = True,
    moves: Iterable[str] = (),
    end: str = "",
) -> str:
    """Return an answer in words, below the board.

    Args:
        answer: what is known of a position.
        board: the position as text.
        head: a line before the value.
        more: lines after it.
        best: whether to name the best move, if there is one.
        moves: the lines about the moves.
        end: how the answer was found; by default a search, in positions.
    """
    lines = [board, "", *([head] if head else []), f"value     {answer.words()}", *more]
    if best and answer.best is not None:
        lines.append(f"best      {answer.best}")
    if answer.line:
        lines.append(f"line      {' '.join(map(str, answer.line))}")
    if not end and answer.source == "search":
        end = f"searched  {so_many(answer.nodes, 'position')} in {answer.seconds:.2f} s"
    return "\n".join([*lines, *moves, *([end] if end else [])])


def looked_up(
    args: argparse.Namespace, find: Callable[[], tuple[Mapping[str, Any], str]], nothing: Any
) -> int:
    """Print what a file knows of a position; return the exit code.

    Args:
        args: of the command.
        find: returns the answer in JSON and in words; raises a `NotInDatabaseError`.
        nothing: the answer in JSON about a position that is not in the file.
    """
    try:
        told, words = find()
    except ks.NotInDatabaseError as error:
        if output.in_json(args):
            output.json_line(nothing)
        else:
            output.message("error", error)
        return EXIT_FAILED
    return output.answer(args, told, words)
